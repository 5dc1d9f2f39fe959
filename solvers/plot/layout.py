"""Packed positions and packed moves of The Plot: shapes, offsets and bit fields.

A packed position is `uint8[PACKED_SIZE]`. Ranks in it are relative: 0 is the base rank,
and suits are gone, so there is no `unpack`. A pile is an unbroken run down, round the corner,
so its bottom card and its length say all. A packed move is a uint16, `source | target << 4`, by
the places of `rules`; it reads as text without the deal.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from solvers.cards import RANKS, SUITS, rank_of
from solvers.plot.rules import (
    DECKS,
    PILES,
    RESERVE_SIZE,
    STOCK_SIZE,
    Move,
    Profile,
    State,
    relative,
)

#: Single bytes of a packed position.
RANK_COUNT = 0  # ranks in the game: 13, fewer in reduced games
PILE_COUNT = 1  # piles in the game: 12, fewer in reduced games
COPIES = 2  # cards of each rank: 8, fewer in reduced games
RESERVE_LEFT = 3
WASTE_LEFT = 4
NEXT = 5  # index in the stock of the next card to draw
STOCK_END = 6  # index past the last card of the stock

#: First bytes of the arrays in a packed position.
OUT = 8  # cards out by relative rank, 13
BOTTOMS = 24  # rank of the deepest card of each pile, 12; unspecified for a space
LENGTHS = 36  # cards in each pile, 12
RESERVES = 48  # 13 ranks, deepest first; the top is at RESERVE_LEFT - 1
STOCK = 64  # 78 ranks, first drawn first; those before NEXT are history
WASTE = 144  # 78 ranks, deepest first; the top is at WASTE_LEFT - 1
PACKED_SIZE = 224

#: Bit fields of a packed move, four bits each.
SOURCE_MASK = 15
TARGET_SHIFT = 4
MOVE_LIMIT = 256  # every packed move is below

#: A packed profile, int64[RULES_SIZE].
RULE_ISOLATION = 0  # when base-rank cards are isolated: one of the numbers below
RULE_INITIAL_WASTE = 1  # stock cards on the waste at the start
RULES_SIZE = 2
ISOLATION_NONE, ISOLATION_PHASE1, ISOLATION_ALWAYS = range(3)
_ISOLATION = {
    "none": ISOLATION_NONE,
    "phase1": ISOLATION_PHASE1,
    "always": ISOLATION_ALWAYS,
}


def empty_packed(count: int) -> NDArray[np.uint8]:
    """Return room for `count` packed positions."""
    return np.empty((count, PACKED_SIZE), np.uint8)


def pack_profile(profile: Profile) -> NDArray[np.int64]:
    """Pack the rules of a profile."""
    rules = np.empty(RULES_SIZE, np.int64)
    rules[RULE_ISOLATION] = _ISOLATION[profile.base_isolation]
    rules[RULE_INITIAL_WASTE] = profile.initial_waste
    return rules


def pack(state: State) -> NDArray[np.uint8]:
    """Pack a position; it fits when `rules.check_position` accepts it or it is a reduced game."""
    packed = np.zeros(PACKED_SIZE, np.uint8)
    ranks = len(state.foundations)

    def put(offset: int, cards: Iterable[int]) -> None:
        for index, card in enumerate(cards):
            packed[offset + index] = relative(rank_of(card), state)

    cards = sum(map(len, (state.reserve, state.stock, state.waste, *state.piles)))
    packed[RANK_COUNT] = ranks
    packed[PILE_COUNT] = len(state.piles)
    packed[COPIES] = (cards + sum(state.foundations)) // ranks
    packed[RESERVE_LEFT] = len(state.reserve)
    packed[WASTE_LEFT] = len(state.waste)
    packed[STOCK_END] = len(state.stock)
    for rank, out in enumerate(state.foundations, 1):
        packed[OUT + relative(rank, state)] = out
    for place, pile in enumerate(state.piles):
        packed[LENGTHS + place] = len(pile)
        put(BOTTOMS + place, pile[:1])
    put(RESERVES, state.reserve)
    put(STOCK, state.stock)
    put(WASTE, state.waste)
    return packed


def pack_moves(moves: Iterable[Move]) -> NDArray[np.uint16]:
    """Pack moves into a line."""
    return np.array([move.source | move.target << TARGET_SHIFT for move in moves], np.uint16)


def unpack_moves(line: Iterable[int]) -> tuple[Move, ...]:
    """Unpack a line into moves."""
    return tuple(Move(code & SOURCE_MASK, code >> TARGET_SHIFT) for code in map(int, line))


assert OUT + RANKS <= BOTTOMS
assert BOTTOMS + PILES <= LENGTHS
assert LENGTHS + PILES <= RESERVES
assert RESERVES + RESERVE_SIZE <= STOCK
assert STOCK + STOCK_SIZE <= WASTE
assert WASTE + STOCK_SIZE <= PACKED_SIZE
assert DECKS * SUITS < 16
