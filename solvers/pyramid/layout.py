"""Packed Pyramid: shapes, bit fields, and the way there and back.

A position is a deck and a state. The deck, `uint8[52]`, says which card lies where at
the start: places 0..27 of the pyramid, then the stock, first drawn first; NOTHING where
there has never been a card (a mid-game position's gaps, and the end of a short stock).
The state, `int64[STATE_SIZE]`, says what is left:

    PYRAMID   49-bit mask; the card of row r, column c is bit 7 r + c, so that it is
              covered by bits + 7 and + 8
    STOCK     24-bit mask of stock and waste; bit i is card i of the stock
    DRAWN     0..24; cards below it lie in the waste, the others in the stock
    REDEALS   resets so far

A packed move is 16 bits, and needs no deck: first | second << 6, both 6-bit cards, with
52 for a draw and 53 for a reset as first, and 63 as second where there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from solvers.cards import DECK_SIZE
from solvers.pyramid.rules import (
    NO_CARD,
    PYRAMID_SIZE,
    ROW_OF,
    STOCK_SIZE,
    Move,
    Profile,
    State,
)

PYRAMID, STOCK, DRAWN, REDEALS = range(4)
STATE_SIZE = 4

#: Bits of a row; the offset from a card to the left one of its covers.
STRIDE = 7
PLACE_BITS = 49
FULL_STOCK = (1 << STOCK_SIZE) - 1

#: The pyramid bit of each place 0..27.
BIT_OF = tuple(STRIDE * row + place - row * (row + 1) // 2 for place, row in enumerate(ROW_OF))
FULL_PYRAMID = sum(1 << bit for bit in BIT_OF)

NOTHING = 255
DRAW_CODE, RESET_CODE, NO_SECOND = DECK_SIZE, DECK_SIZE + 1, 63
PACKED_DRAW = DRAW_CODE | NO_SECOND << 6
PACKED_RESET = RESET_CODE | NO_SECOND << 6

#: A profile as the kernels take it, `int64[RULES_SIZE]`: redeals (UNLIMITED for no
#: bound), and 0 or 1 for cover_pairs, stock_top, and the goal `all`.
RULE_REDEALS, RULE_COVER, RULE_STOCK_TOP, RULE_ALL = range(4)
RULES_SIZE = 4
UNLIMITED = 1 << 20


def pack_profile(profile: Profile) -> NDArray[np.int64]:
    """Return the profile as `int64[RULES_SIZE]`."""
    redeals = UNLIMITED if profile.redeals is None else profile.redeals
    flags = [profile.cover_pairs, profile.stock_top, profile.goal == "all"]
    return np.array([redeals, *flags], np.int64)


def pack(state: State) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return a position's deck `uint8[52]` and state `int64[STATE_SIZE]`."""
    deck = np.full(DECK_SIZE, NOTHING, np.uint8)
    packed = np.zeros(STATE_SIZE, np.int64)
    for place, card in enumerate(state.pyramid):
        if card != NO_CARD:
            deck[place] = card
            packed[PYRAMID] |= 1 << BIT_OF[place]
    rest = [*state.waste, *state.stock]
    deck[PYRAMID_SIZE : PYRAMID_SIZE + len(rest)] = rest
    packed[STOCK] = (1 << len(rest)) - 1
    packed[DRAWN] = len(state.waste)
    packed[REDEALS] = state.redeals_used
    return deck, packed


def unpack(deck: Sequence[int], packed: Sequence[int]) -> State:
    """Return the State of a packed position."""
    pyramid, stock, drawn, redeals = (int(word) for word in packed)
    left = [
        (index, int(deck[PYRAMID_SIZE + index]))
        for index in range(STOCK_SIZE)
        if stock >> index & 1
    ]
    return State(
        tuple(
            int(deck[place]) if pyramid >> BIT_OF[place] & 1 else NO_CARD
            for place in range(PYRAMID_SIZE)
        ),
        tuple(card for index, card in left if index >= drawn),
        tuple(card for index, card in left if index < drawn),
        redeals,
    )


def pack_moves(moves: Iterable[Move]) -> NDArray[np.uint16]:
    """Pack moves into a line."""
    packed = [move.first | (move.second & NO_SECOND) << 6 for move in moves]
    return np.array(packed, np.uint16)


def unpack_moves(line: Iterable[int]) -> tuple[Move, ...]:
    """Unpack a line into moves; any 16 bits give a move, though perhaps no legal one."""
    pairs = ((bits & 63, bits >> 6 & 63) for bits in map(int, line))
    return tuple(Move(a, NO_CARD if b == NO_SECOND else b) for a, b in pairs)
