"""One position and the rules it is played by, as searches look at them: cards by rank.

Owns the first record of an arena, which the exact test, the searches and the grader's player
all begin with.
"""

from __future__ import annotations

from typing import Any

from solvers.jit import inlined, kernel
from solvers.pyramid.counts import CLASSES, as_counts
from solvers.pyramid.fields import BITS, pyramid_card, pyramid_of, rank_of, stock_card, stock_of
from solvers.pyramid.layout import (
    NOTHING,
    PLACE_BITS,
    RULE_ALL,
    RULE_COVER,
    RULE_REDEALS,
    RULE_STOCK_TOP,
)
from solvers.pyramid.rules import PAIR_SUM, PYRAMID_SIZE, STOCK_SIZE
from solvers.search.arena import HEADER
from solvers.search.bits import highest_bit, popcount
from solvers.search.record import Record

_RANKS = 16

RANKS = Record(at=HEADER)
get_most_redeals, _set_most_redeals = RANKS.word("most_redeals", "resets allowed; UNLIMITED")
get_cover_pairs, _set_cover_pairs = RANKS.word("cover_pairs", "0 or 1, as in the profile")
get_stock_top, _set_stock_top = RANKS.word("stock_top", "0 or 1, as in the profile")
get_all_cards, _set_all_cards = RANKS.word("all_cards", "1 for the goal `all`")
get_exact, _set_exact = RANKS.word(
    "exact", "1 where every stock card needs a partner in the pyramid, or else stays"
)
pyramid_of_rank, _set_pyramid_of_rank = RANKS.array(
    64, _RANKS, "pyramid", "mask of the pyramid's cards of each rank 1..13"
)
stock_of_rank, _set_stock_of_rank = RANKS.array(
    64, _RANKS, "stock", "mask of the cards of each rank 1..13 in stock and waste"
)
rank_at, _set_rank_at = RANKS.array(
    8, PLACE_BITS, "rank_at", "rank of the card dealt to each bit of the pyramid, 0 for none"
)
stock_rank_at, _set_stock_rank_at = RANKS.array(
    8, STOCK_SIZE, "stock_rank_at", "rank of the card dealt to each index of the stock, or 0"
)

get_cards, _set_cards = RANKS.word(
    "cards", "one more than the last index of stock and waste at the start"
)


@inlined
def lows_of(arena: int, index: int) -> int:
    """Return the mask of the pyramid's cards of a class, those of its lower rank."""
    return pyramid_of_rank(arena, index + 1)


@inlined
def highs_of(arena: int, index: int) -> int:
    """Return the mask of the pyramid's cards of a class, those of its higher rank."""
    return pyramid_of_rank(arena, PAIR_SUM - 1 - index)


@kernel
def set_rules(arena: int, rules: Any) -> None:
    """Note the rules that all positions of an arena are played by.

    arena  int                address
    rules  int64[RULES_SIZE]  the profile
    """
    _set_most_redeals(arena, rules[RULE_REDEALS])
    _set_cover_pairs(arena, rules[RULE_COVER])
    _set_stock_top(arena, rules[RULE_STOCK_TOP])
    _set_all_cards(arena, rules[RULE_ALL])
    # Stock cards that pair with each other need none.
    _set_exact(arena, 1 if rules[RULE_ALL] != 0 and rules[RULE_STOCK_TOP] == 0 else 0)


@inlined
def _dealt_rank(card: int) -> int:
    """Return the rank of a card that was dealt, 0 for NOTHING."""
    return rank_of(card) if card != NOTHING else 0


@kernel
def sort_cards(arena: int, packed: Any) -> None:
    """Sort what is left of a position into masks by rank.

    packed  uint8[PACKED_SIZE]  read only
    """
    pyramid, stock = pyramid_of(packed), stock_of(packed)
    _set_cards(arena, highest_bit(stock) + 1)
    for rank in range(_RANKS):
        _set_pyramid_of_rank(arena, rank, 0)
        _set_stock_of_rank(arena, rank, 0)
    for place in range(PYRAMID_SIZE):
        bit = BITS[place]
        rank = _dealt_rank(pyramid_card(packed, place))
        _set_rank_at(arena, bit, rank)
        _set_pyramid_of_rank(arena, rank, pyramid_of_rank(arena, rank) | pyramid & 1 << bit)
    for index in range(STOCK_SIZE):
        rank = _dealt_rank(stock_card(packed, index))
        _set_stock_rank_at(arena, index, rank)
        _set_stock_of_rank(arena, rank, stock_of_rank(arena, rank) | stock & 1 << index)


@kernel
def needs_of(arena: int, every_card: bool) -> int:
    """Return the pairs that each class needs within the pyramid; -1 when it is lost at once.

    every_card  every stock card needs a partner in the pyramid

    See `proof` for what needs are, and `counts` for how they are packed.
    """
    needs = 0
    for index in range(CLASSES):
        low, high = index + 1, PAIR_SUM - 1 - index
        need = max(
            popcount(lows_of(arena, index)) - popcount(stock_of_rank(arena, high)),
            popcount(highs_of(arena, index)) - popcount(stock_of_rank(arena, low)),
        )
        if every_card and need < 0:
            return -1
        needs += as_counts(max(need, 0), index)
    return needs
