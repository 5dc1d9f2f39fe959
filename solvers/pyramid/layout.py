"""Packed Pyramid: shapes, fields, and the way there and back.

A packed position is `uint8[PACKED_SIZE]`, one cache line, with these fields:

    DECK     52 bytes  which card lies where at the start: places 0..27 of the pyramid, apex
                       first, then the stock, first drawn first; NOTHING where there has never
                       been a card (a mid-game position's gaps, and the end of a short stock)
    PYRAMID  7 bytes   the cards that are left of each row, bit c for column c
    STOCK    3 bytes   the cards that are left of stock and waste, lowest byte first; bit i is
                       card i of the stock
    DRAWN    1 byte    0..24; cards below it lie in the waste, the others in the stock
    REDEALS  1 byte    resets so far; MOST_REDEALS stands for any larger number

Kernels take the pyramid as one 49-bit mask, its rows side by side: the card of row r, column c
is bit STRIDE * r + c, so that it is covered by the bits STRIDE and STRIDE + 1 above its own.

A packed move is 16 bits, and needs no deck: its first card in the lower six bits and its second
one in the next six, with DRAW_CODE or RESET_CODE as first for a draw or a reset, and NO_SECOND
as second where there is none. `kernel` has the functions that read and write all these fields.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from solvers.cards import DECK_SIZE
from solvers.pyramid.rules import (
    NO_CARD,
    PYRAMID_SIZE,
    ROW_OF,
    ROWS,
    STOCK_SIZE,
    Move,
    Profile,
    State,
)

BYTE = 8
STOCK_BYTES = STOCK_SIZE // BYTE

DECK = 0
PYRAMID = DECK + DECK_SIZE
STOCK = PYRAMID + ROWS
DRAWN = STOCK + STOCK_BYTES
REDEALS = DRAWN + 1
PACKED_SIZE = REDEALS + 1

NOTHING = 255
MOST_REDEALS = 255

#: Bits of a row of the pyramid mask; the offset from a card to the left one of its covers.
STRIDE = 7
PLACE_BITS = STRIDE * ROWS
FULL_STOCK = (1 << STOCK_SIZE) - 1

#: The column of each place 0..27, and its bit in the pyramid mask.
_COLUMN_OF = tuple(place - row * (row + 1) // 2 for place, row in enumerate(ROW_OF))
BIT_OF = tuple(STRIDE * row + column for row, column in zip(ROW_OF, _COLUMN_OF, strict=True))
FULL_PYRAMID = sum(1 << bit for bit in BIT_OF)

#: Bits of a card in a packed move.
CARD_BITS = 6
CARD_MASK = (1 << CARD_BITS) - 1
DRAW_CODE, RESET_CODE, NO_SECOND = DECK_SIZE, DECK_SIZE + 1, CARD_MASK
PACKED_DRAW = DRAW_CODE | NO_SECOND << CARD_BITS
PACKED_RESET = RESET_CODE | NO_SECOND << CARD_BITS

#: A profile as the kernels take it, `int64[RULES_SIZE]`: redeals (UNLIMITED for no
#: bound), and 0 or 1 for cover_pairs, stock_top, and the goal `all`.
RULE_REDEALS, RULE_COVER, RULE_STOCK_TOP, RULE_ALL = range(4)
RULES_SIZE = 4
UNLIMITED = 1 << 20


def pack_profile(profile: Profile) -> NDArray[np.int64]:
    """Return the profile as `int64[RULES_SIZE]`."""
    rules = np.empty(RULES_SIZE, np.int64)
    rules[RULE_REDEALS] = UNLIMITED if profile.redeals is None else profile.redeals
    rules[RULE_COVER] = profile.cover_pairs
    rules[RULE_STOCK_TOP] = profile.stock_top
    rules[RULE_ALL] = profile.goal == "all"
    return rules


def empty_packed(count: int) -> NDArray[np.uint8]:
    """Return room for packed positions, `uint8[count, PACKED_SIZE]`, unfilled."""
    return np.empty((count, PACKED_SIZE), np.uint8)


def pack(state: State) -> NDArray[np.uint8]:
    """Return a legal position as `uint8[PACKED_SIZE]`."""
    packed = np.zeros(PACKED_SIZE, np.uint8)
    packed[DECK : DECK + DECK_SIZE] = NOTHING
    for place, card in enumerate(state.pyramid):
        if card != NO_CARD:
            packed[DECK + place] = card
            packed[PYRAMID + ROW_OF[place]] |= 1 << _COLUMN_OF[place]
    rest = [*state.waste, *state.stock]
    packed[DECK + PYRAMID_SIZE :][: len(rest)] = rest
    packed[STOCK : STOCK + STOCK_BYTES] = list(
        ((1 << len(rest)) - 1).to_bytes(STOCK_BYTES, "little")
    )
    packed[DRAWN] = len(state.waste)
    packed[REDEALS] = min(state.redeals_used, MOST_REDEALS)
    return packed


def unpack(packed: NDArray[np.uint8]) -> State:
    """Return the State of a packed position."""
    data = packed.tobytes()
    deck, rows = data[DECK : DECK + DECK_SIZE], data[PYRAMID : PYRAMID + ROWS]
    stock = int.from_bytes(data[STOCK : STOCK + STOCK_BYTES], "little")
    left = [
        (index, deck[PYRAMID_SIZE + index]) for index in range(STOCK_SIZE) if stock >> index & 1
    ]
    return State(
        tuple(
            deck[place] if rows[row] >> column & 1 else NO_CARD
            for place, (row, column) in enumerate(zip(ROW_OF, _COLUMN_OF, strict=True))
        ),
        tuple(card for index, card in left if index >= data[DRAWN]),
        tuple(card for index, card in left if index < data[DRAWN]),
        data[REDEALS],
    )


def pack_moves(moves: Iterable[Move]) -> NDArray[np.uint16]:
    """Pack moves into a line."""
    pairs = ((a, NO_SECOND if b == NO_CARD else b) for a, b in moves)
    return np.array([a | b << CARD_BITS for a, b in pairs], np.uint16)


def unpack_moves(line: Iterable[int]) -> tuple[Move, ...]:
    """Unpack a line into moves; any 16 bits give a move, though perhaps not a legal one."""
    pairs = ((bits & CARD_MASK, bits >> CARD_BITS) for bits in map(int, line))
    return tuple(Move(a, NO_CARD if b == NO_SECOND else b) for a, b in pairs)
