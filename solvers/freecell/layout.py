"""FreeCell as arrays: packed states, packed moves, and a profile as integers.

Owns shapes, offsets and what goes in and out of them in Python; no logic. `kernel` reads and
writes what is declared here. The fast search and the proof have states of their own, described
where they live, and build them from packed ones.

    a packed state, uint8[PACKED_SIZE]
    0         number of columns, 1..8
    1         number of cells, 0..7; the rules say how many of them may be filled
    2..5      ranks on the foundations, by suit
    8..15     cards in cells a..g; EMPTY where there is none or no cell
    16 + 64c  length of column c, and from the next byte on its cards, deepest first

    a packed move, 16 bits: source, target and count of `rules.Move`
    0..3      source
    4..7      target
    8..15     count

    a profile, int64[RULES_SIZE]
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from solvers.cards import SUITS
from solvers.freecell.rules import MAX_COLUMNS, NO_CARD, Move, Profile, State

COLUMNS_AT, CELLS_AT, FOUNDATIONS_AT, CELL_AT, COLUMN_AT = 0, 1, 2, 8, 16
#: Bytes of the cells, one more than there can be, and of a column: its length and up to 52 cards.
CELLS_SIZE, COLUMN_SIZE = COLUMN_AT - CELL_AT, 64
PACKED_SIZE = COLUMN_AT + MAX_COLUMNS * COLUMN_SIZE
#: The byte that stands for `rules.NO_CARD`.
EMPTY = 255

#: Where the target and the count of a packed move begin, and the bits of a place.
TARGET_SHIFT, COUNT_SHIFT, PLACE_MASK = 4, 8, 15

#: A profile's cells, and its options as places in the tuples below.
RULE_CELLS, RULE_SUIT_BUILD, RULE_SUPERMOVE, RULE_AUTOPLAY, RULE_ON_DEAL = range(5)
RULES_SIZE = 5
POWER, LINEAR, SINGLE = range(3)
NONE, SAFE, MAX = range(3)
_BUILDS = ("alternate", "suit")
_SUPERMOVES = ("power", "linear", "single")
_AUTOPLAYS = ("none", "safe", "max")


def pack_profile(profile: Profile) -> NDArray[np.int64]:
    """Return a profile as kernels take it, `int64[RULES_SIZE]`."""
    rules = np.empty(RULES_SIZE, np.int64)
    rules[RULE_CELLS] = profile.cells
    rules[RULE_SUIT_BUILD] = _BUILDS.index(profile.build)
    rules[RULE_SUPERMOVE] = _SUPERMOVES.index(profile.supermove)
    rules[RULE_AUTOPLAY] = _AUTOPLAYS.index(profile.autoplay)
    rules[RULE_ON_DEAL] = profile.autoplay_on_deal
    return rules


def empty_packed(count: int) -> NDArray[np.uint8]:
    """Return room for packed states, `uint8[count, PACKED_SIZE]`."""
    return np.empty((count, PACKED_SIZE), np.uint8)


def pack(state: State) -> NDArray[np.uint8]:
    """Return the packed form of a state, `uint8[PACKED_SIZE]`."""
    packed = np.zeros(PACKED_SIZE, np.uint8)
    packed[COLUMNS_AT] = len(state.columns)
    packed[CELLS_AT] = len(state.cells)
    packed[FOUNDATIONS_AT : FOUNDATIONS_AT + SUITS] = state.foundations
    packed[CELL_AT : CELL_AT + CELLS_SIZE] = EMPTY
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
    foundations = [int(rank) for rank in packed[FOUNDATIONS_AT : FOUNDATIONS_AT + SUITS]]
    return State(
        tuple(columns),
        tuple(NO_CARD if card == EMPTY else int(card) for card in cells),
        (foundations[0], foundations[1], foundations[2], foundations[3]),
    )


def pack_moves(moves: Iterable[Move]) -> NDArray[np.uint16]:
    """Pack moves into a line."""
    packed = [
        move.source | move.target << TARGET_SHIFT | move.count << COUNT_SHIFT for move in moves
    ]
    return np.array(packed, np.uint16)


def unpack_moves(line: Iterable[int]) -> tuple[Move, ...]:
    """Unpack a line into moves; any 16 bits are some move, legal or not."""
    return tuple(
        Move(bits & PLACE_MASK, bits >> TARGET_SHIFT & PLACE_MASK, bits >> COUNT_SHIFT)
        for bits in map(int, line)
    )
