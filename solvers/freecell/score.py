"""The score of FreeCell's fast search: how far a state is from a win. Low is good.

Owns the terms; their weights are data in `schedule`. What columns cost is summed up in their
slots, and the rest follows from masks, so that `children` scores a child without making it.
"""

from __future__ import annotations

from typing import Any

from solvers.freecell.search_state import (
    CELLS,
    CONFIG,
    HASH,
    HOME,
    IN_CELL,
    LENGTHS,
    NEXT,
    NOISE,
    POSITION,
    R_CELLS,
    R_SUIT,
    RULES,
    SEED,
    SUMS,
    TOPS,
    W_ACCEPT,
    W_CELL,
    W_CELL_RANK,
    W_COVER,
    W_DEPTH,
    W_EMPTY,
    W_HOME,
    W_LOWEST,
    W_OFFSET,
    W_SOON,
    W_SPREAD,
    accepted,
    empty_columns,
)
from solvers.jit import inlined, kernel
from solvers.search.arena import load8, load32, load64
from solvers.search.bits import lowest_bit, mix, popcount


@kernel
def home_cost(arena: int, state: int) -> int:
    """Return the part of the score that only foundation moves change."""
    home = load32(arena, state + HOME)
    clubs, diamonds = home & 255, (home >> 8) & 255
    hearts, spades = (home >> 16) & 255, (home >> 24) & 255
    low = min(min(clubs, diamonds), min(hearts, spades))
    high = max(max(clubs, diamonds), max(hearts, spades))
    return (
        load64(arena, CONFIG + 8 * W_OFFSET)
        - load64(arena, CONFIG + 8 * W_HOME) * (clubs + diamonds + hearts + spades)
        + load64(arena, CONFIG + 8 * W_SPREAD) * (high - low)
        - load64(arena, CONFIG + 8 * W_LOWEST) * low
    )


@kernel
def cover_of(arena: int, state: int) -> Any:
    """Return what lies over the next-needed cards: its cost, and the weight of one card more.

    The second is eight bytes, one a column.
    """
    home = load32(arena, state + HOME)
    low = min(min(home & 255, (home >> 8) & 255), min((home >> 16) & 255, (home >> 24) & 255))
    lengths = load64(arena, state + LENGTHS)
    cost = 0
    weights = 0
    rest = load64(arena, state + NEXT)
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        position = load8(arena, state + POSITION + card)
        if position < IN_CELL:
            column = position >> 4
            weight = load64(arena, CONFIG + 8 * (W_COVER + min((card >> 2) - low, 3)))
            cost += weight * (((lengths >> (8 * column)) & 255) - 1 - (position & 15))
            weights += weight << (8 * column)
    return cost, weights


@inlined
def soon_of(upcoming: int) -> int:
    """Return the cards within two ranks of their foundation."""
    return upcoming | (upcoming << 4) | (upcoming << 8)


@inlined
def mask_cost(arena: int, tops: int, cells: int, empty: int, soon: int, suit: int) -> int:
    """Return the part of the score that follows from cells, empty columns and tops."""
    fitting = popcount((tops | cells) & accepted(tops, suit))
    return (
        load64(arena, CONFIG + 8 * (W_CELL + popcount(cells)))
        + load64(arena, CONFIG + 8 * (W_EMPTY + empty))
        - load64(arena, CONFIG + 8 * W_ACCEPT) * fitting
        - load64(arena, CONFIG + 8 * W_SOON) * popcount(cells & soon)
    )


@kernel
def cell_rank_cost(arena: int, cells: int) -> int:
    """Return the cost of the ranks of the cards in cells."""
    cost = 0
    while cells != 0:
        cost += load64(arena, CONFIG + 8 * (W_CELL_RANK + (lowest_bit(cells) >> 2)))
        cells &= cells - 1
    return cost


@inlined
def noise_of(arena: int, key: int) -> int:
    """Return the seeded disturbance of a score: 0 up to the NOISE mask."""
    mask = load64(arena, CONFIG + 8 * NOISE)
    if mask == 0:
        return 0
    return mix(key ^ load64(arena, CONFIG + 8 * SEED)) & mask


@kernel
def score_of(arena: int, state: int) -> int:
    """Return the score of a state from its parts; low is good."""
    sums = load64(arena, state + SUMS)
    cells = load64(arena, state + CELLS)
    cover, _ = cover_of(arena, state)
    return (
        home_cost(arena, state)
        + cover
        + (sums & 0xFFFF)
        + (sums >> 32) * load64(arena, CONFIG + 8 * W_DEPTH)
        + cell_rank_cost(arena, cells)
        + mask_cost(
            arena,
            load64(arena, state + TOPS),
            cells,
            popcount(empty_columns(load64(arena, state + LENGTHS))),
            soon_of(load64(arena, state + NEXT)),
            load64(arena, RULES + 8 * R_SUIT),
        )
        + noise_of(arena, load64(arena, state + HASH))
    )


@kernel
def is_sorted(arena: int, state: int) -> bool:
    """Tell whether there is a place for every bad card: then the state is won.

    A bad card lies over a lower one. The lowest card still in play is covered by bad cards
    alone; put each in a cell or an empty column, where it is bad no more, and the lowest goes
    home. So every bad card takes a place once at the most.
    """
    bad = (load64(arena, state + SUMS) >> 16) & 255
    free = load64(arena, RULES + 8 * R_CELLS) - popcount(load64(arena, state + CELLS))
    return bad <= free + popcount(empty_columns(load64(arena, state + LENGTHS)))
