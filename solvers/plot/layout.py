"""Packed positions and packed moves of The Plot: shapes, offsets and bit fields.

A packed position is `uint8[POSITION_SIZE]`. Ranks in it are relative: 0 is the base rank,
and suits are gone. A pile is an unbroken run down, round the corner, so its bottom card
and its length say all. A packed move is a uint16, `source | target << 4`, by the places of
`rules`; it reads as text without the deal.
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
POSITION_SIZE = 224

#: Bit fields of a packed move.
SOURCE_MASK = 15
TARGET_SHIFT = 4
MOVE_LIMIT = 256  # every packed move is below

#: Numbers of the options of `Profile.base_isolation` in kernels.
ISOLATION_NONE, ISOLATION_PHASE1, ISOLATION_ALWAYS = range(3)
_ISOLATION = {
    "none": ISOLATION_NONE,
    "phase1": ISOLATION_PHASE1,
    "always": ISOLATION_ALWAYS,
}


def isolation_of(profile: Profile) -> int:
    """Return the number of a profile's base isolation."""
    return _ISOLATION[profile.base_isolation]


def pack(state: State) -> NDArray[np.uint8]:
    """Pack a position; it fits when `rules.check_position` accepts it or it is a reduced game."""
    position = np.zeros(POSITION_SIZE, np.uint8)
    ranks = len(state.foundations)

    def put(offset: int, cards: Iterable[int]) -> None:
        for index, card in enumerate(cards):
            position[offset + index] = relative(rank_of(card), state)

    cards = sum(map(len, (state.reserve, state.stock, state.waste, *state.piles)))
    position[RANK_COUNT] = ranks
    position[PILE_COUNT] = len(state.piles)
    position[COPIES] = (cards + sum(state.foundations)) // ranks
    position[RESERVE_LEFT] = len(state.reserve)
    position[WASTE_LEFT] = len(state.waste)
    position[STOCK_END] = len(state.stock)
    for rank, out in enumerate(state.foundations, 1):
        position[OUT + relative(rank, state)] = out
    for place, pile in enumerate(state.piles):
        position[LENGTHS + place] = len(pile)
        put(BOTTOMS + place, pile[:1])
    put(RESERVES, state.reserve)
    put(STOCK, state.stock)
    put(WASTE, state.waste)
    return position


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
assert WASTE + STOCK_SIZE <= POSITION_SIZE
assert DECKS * SUITS < 16
