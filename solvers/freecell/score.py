"""The score of FreeCell's fast search: how far a state is from a win. Low is good.

Owns the terms; their weights are data in `schedule`. What columns cost is summed up in their
slots, and the rest follows from masks, so that `children` scores a child without making it.
"""

from __future__ import annotations

from typing import Any

from solvers.cards import CLUBS, DIAMONDS, HEARTS, SPADES, SUITS
from solvers.freecell.records import (
    COVER_RANKS,
    IN_CELL,
    accept_weight,
    byte_of,
    cell_rank_weight,
    cells_weight,
    cover_weight,
    depth_weight,
    empty_weight,
    get_hash,
    get_held,
    get_home,
    get_lengths,
    get_next,
    get_noise,
    get_place,
    get_seed,
    get_suit_build,
    get_sums,
    get_tops,
    home_weight,
    in_byte,
    lowest_weight,
    offset_weight,
    place_column,
    place_row,
    soon_weight,
    spread_weight,
    sums_bad,
    sums_cost,
    sums_depth,
)
from solvers.freecell.search_state import (
    accepted,
    empty_columns,
    free_cells,
)
from solvers.jit import inlined, kernel
from solvers.search.bits import lowest_bit, mix, popcount, rank_of


@inlined
def _lowest_home(home: int) -> int:
    """Return how many cards the lowest foundation has."""
    black = min(byte_of(home, CLUBS), byte_of(home, SPADES))
    return min(black, min(byte_of(home, DIAMONDS), byte_of(home, HEARTS)))


@kernel
def home_cost(arena: int, state: int) -> int:
    """Return the part of the score that only foundation moves change."""
    home = get_home(arena, state)
    clubs, diamonds = byte_of(home, CLUBS), byte_of(home, DIAMONDS)
    hearts, spades = byte_of(home, HEARTS), byte_of(home, SPADES)
    low = _lowest_home(home)
    high = max(max(clubs, diamonds), max(hearts, spades))
    return (
        offset_weight(arena)
        - home_weight(arena) * (clubs + diamonds + hearts + spades)
        + spread_weight(arena) * (high - low)
        - lowest_weight(arena) * low
    )


@kernel
def cover_of(arena: int, state: int) -> Any:
    """Return what lies over the next-needed cards: its cost, and the weight of one card more.

    The second is eight bytes, one a column.
    """
    low = _lowest_home(get_home(arena, state))
    lengths = get_lengths(arena, state)
    cost = 0
    weights = 0
    rest = get_next(arena, state)
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        place = get_place(arena, state, card)
        if place < IN_CELL:
            column = place_column(place)
            weight = cover_weight(arena, min(rank_of(card) - low, COVER_RANKS - 1))
            cost += weight * (byte_of(lengths, column) - 1 - place_row(place))
            weights += in_byte(weight, column)
    return cost, weights


@inlined
def soon_of(upcoming: int) -> int:
    """Return the cards within two ranks of their foundation."""
    return upcoming | (upcoming << SUITS) | (upcoming << 2 * SUITS)


@inlined
def mask_cost(arena: int, tops: int, held: int, empty: int, soon: int, suit_build: int) -> int:
    """Return the part of the score that follows from cells, empty columns and tops."""
    fitting = popcount((tops | held) & accepted(tops, suit_build))
    return (
        cells_weight(arena, popcount(held))
        + empty_weight(arena, empty)
        - accept_weight(arena) * fitting
        - soon_weight(arena) * popcount(held & soon)
    )


@kernel
def cell_rank_cost(arena: int, held: int) -> int:
    """Return the cost of the ranks of the cards in cells."""
    cost = 0
    while held != 0:
        cost += cell_rank_weight(arena, rank_of(lowest_bit(held)))
        held &= held - 1
    return cost


@inlined
def noise_of(arena: int, key: int) -> int:
    """Return the seeded disturbance of a score: 0 up to the mask of the configuration."""
    mask = get_noise(arena)
    if mask == 0:
        return 0
    return mix(key ^ get_seed(arena)) & mask


@kernel
def score_of(arena: int, state: int) -> int:
    """Return the score of a state from its parts; low is good."""
    sums = get_sums(arena, state)
    held = get_held(arena, state)
    cover, _ = cover_of(arena, state)
    return (
        home_cost(arena, state)
        + cover
        + sums_cost(sums)
        + sums_depth(sums) * depth_weight(arena)
        + cell_rank_cost(arena, held)
        + mask_cost(
            arena,
            get_tops(arena, state),
            held,
            popcount(empty_columns(get_lengths(arena, state))),
            soon_of(get_next(arena, state)),
            get_suit_build(arena),
        )
        + noise_of(arena, get_hash(arena, state))
    )


@kernel
def is_sorted(arena: int, state: int) -> bool:
    """Tell whether there is a place for every bad card: then the state is won.

    A bad card lies over a lower one. The lowest card still in play is covered by bad cards
    alone; put each in a cell or an empty column, where it is bad no more, and the lowest goes
    home. So every bad card takes a place at most once.
    """
    free = free_cells(arena, get_held(arena, state))
    places = free + popcount(empty_columns(get_lengths(arena, state)))
    return sums_bad(get_sums(arena, state)) <= places
