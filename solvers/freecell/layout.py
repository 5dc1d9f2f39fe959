"""FreeCell's packed state: one small byte array, for the kernel twin of the rules.

Owns shapes, offsets and `pack`/`unpack`; no logic. The fast search and the proof have layouts
of their own, described where they live, and are built from this one.

    uint8[STATE_SIZE]
    0         number of columns, 1..8
    1         number of cells, 0..7
    2..5      ranks on the foundations, by suit
    8..14     cards in cells a..g; EMPTY where there is none or no cell
    16 + 64c  length of column c, and from the next byte on its cards, deepest first

A packed move is `source | target << 4 | count << 8` with the places and counts of `rules.Move`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from solvers.freecell.rules import NO_CARD, Move, State

COLUMNS_AT, CELLS_AT, FOUNDATIONS_AT, CELL_AT, COLUMN_AT = 0, 1, 2, 8, 16
COLUMN_SIZE = 64
STATE_SIZE = COLUMN_AT + 8 * COLUMN_SIZE
#: The byte that stands for `rules.NO_CARD`.
EMPTY = 255


def pack(state: State) -> NDArray[np.uint8]:
    """Return the packed form of a state, `uint8[STATE_SIZE]`."""
    packed = np.zeros(STATE_SIZE, np.uint8)
    packed[COLUMNS_AT] = len(state.columns)
    packed[CELLS_AT] = len(state.cells)
    packed[FOUNDATIONS_AT : FOUNDATIONS_AT + 4] = state.foundations
    packed[CELL_AT : CELL_AT + 8] = EMPTY
    for index, card in enumerate(state.cells):
        packed[CELL_AT + index] = EMPTY if card == NO_CARD else card
    for column, cards in enumerate(state.columns):
        at = COLUMN_AT + COLUMN_SIZE * column
        packed[at] = len(cards)
        packed[at + 1 : at + 1 + len(cards)] = cards
    return packed


def unpack(packed: NDArray[np.uint8]) -> State:
    """Return the state of a packed form; the inverse of `pack`."""
    columns = []
    for column in range(int(packed[COLUMNS_AT])):
        at = COLUMN_AT + COLUMN_SIZE * column
        columns.append(tuple(int(card) for card in packed[at + 1 : at + 1 + int(packed[at])]))
    cells = packed[CELL_AT : CELL_AT + int(packed[CELLS_AT])]
    foundations = [int(rank) for rank in packed[FOUNDATIONS_AT : FOUNDATIONS_AT + 4]]
    return State(
        tuple(columns),
        tuple(NO_CARD if card == EMPTY else int(card) for card in cells),
        (foundations[0], foundations[1], foundations[2], foundations[3]),
    )


def pack_moves(moves: Iterable[Move]) -> NDArray[np.uint16]:
    """Pack moves into a line."""
    packed = [move.source | move.target << 4 | move.count << 8 for move in moves]
    return np.array(packed, np.uint16)


def unpack_moves(line: Iterable[int]) -> tuple[Move, ...]:
    """Unpack a line into moves; any 16 bits are some move, legal or not."""
    return tuple(Move(bits & 15, bits >> 4 & 15, bits >> 8) for bits in map(int, line))
