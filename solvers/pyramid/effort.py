"""Effort `pyramid-1`: how many tries a player of no skill needs until a win.

The player, played REPEATS times, with the rules of the profile:

1. A king that may leave leaves at once, the pyramid's before the waste's before the
   stock's.
2. Otherwise one of all legal removals and of drawing, or turning the waste over when
   the stock is empty, is picked, each with the same chance. Where there is one choice
   alone, no number is drawn.
3. Gives up when the waste is to be turned over for the third time since the last removal:
   two whole passes have brought nothing.

Numbers are those of a 64-bit linear congruential generator, x = x * 6364136223846793005 +
1442695040888963407; playout i (from 0) begins with x = mix(hash_deck(deck) + i), and a
choice among n takes x's next value, its upper 32 bits times n, divided by 2^32. Choices
are numbered: pairs within the pyramid by class (ace and queen first) and then by places
apex first; pairs with covers by the covered place; pairs with the waste's top, with the
stock's top, by places; waste with stock; drawing. Everything is frozen: grades depend on it.

A playout also ends when a class has no pairs left to win with (see `proof`), which
changes no result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.cards import KING
from solvers.jit import Local, entry, kernel
from solvers.pyramid.block import drop
from solvers.pyramid.counts import CLASSES, as_counts, class_of, count_at
from solvers.pyramid.fields import NO_INDEX, cover_of, exposed, in_stock, stock_next, waste_top
from solvers.pyramid.kernel import deal
from solvers.pyramid.layout import FULL_PYRAMID, FULL_STOCK, PACKED_SIZE
from solvers.pyramid.ranks import (
    get_all_cards,
    get_cover_pairs,
    get_most_redeals,
    get_stock_top,
    highs_of,
    lows_of,
    needs_of,
    pyramid_of_rank,
    rank_at,
    set_rules,
    sort_cards,
    stock_of_rank,
    stock_rank_at,
)
from solvers.pyramid.rules import PAIR_SUM
from solvers.search.bits import (
    hash_deck,
    highest_bit,
    lowest_bit,
    mix,
    popcount,
    shift_right,
    wrapping_add,
    wrapping_multiply,
)

#: Games a deal: two halves of them rank winnable deals alike (correlation .988).
REPEATS = 1000
#: Resets without a removal at which the player gives up.
_PATIENCE = 3
# The generator of Knuth's MMIX.
_MULTIPLIER = 6364136223846793005
_INCREMENT = 1442695040888963407
_HALF_WORD = 32

_new_packed = Local(np.uint8, PACKED_SIZE)


@entry("i64, u8[:,:], i64[:], i64, i64, i64[:]")
def measure_decks(
    session: int, decks: Any, rules: Any, first: int, parts: int, efforts: Any
) -> None:
    """Measure the effort of each deck; drops the position that the session has taken up.

    It is (REPEATS + 1) / (wins + 1) in thousandths, rounded down.

    session  a block that is prepared; efforts do not depend on its memory
    decks    uint8[n, 52]
    rules    int64[RULES_SIZE]  the profile's
    first    the number of the first try of the seeded series
    parts    by which what is enough is divided
    efforts  int64[n]           out: thousandths of a try, 1000..1,001,000
    """
    drop(session)
    packed = _new_packed()
    set_rules(session, rules)
    for row in range(len(decks)):
        deal(decks[row], packed)
        sort_cards(session, packed)
        wins = count_wins(session, hash_deck(decks[row]), first, first + REPEATS // parts)
        efforts[row] = (REPEATS // parts + 1) * 1000 // (wins + 1)


@kernel
def count_wins(arena: int, seed: int, first: int, last: int) -> int:
    """Play a deal once for each number first..last - 1; return how often it was won.

    arena  int  address, with the rules and the dealt cards
    seed   int  hash of the deck
    """
    needs = needs_of(arena, False)
    wins = 0
    for number in range(first, last):
        wins += _playout(arena, mix(wrapping_add(seed, number)), needs)
    return wins


@kernel
def _playout(arena: int, x: int, needs: int) -> int:
    """Play a deal once; return 1 for a win and 0 otherwise.

    x      the generator's state
    needs  of the deal; see `counts`
    """
    pyramid, stock, drawn, redeals, idle = FULL_PYRAMID, FULL_STOCK, 0, 0, 0
    stock_top, all_cards = get_stock_top(arena) != 0, get_all_cards(arena) != 0
    kings = pyramid_of_rank(arena, KING)
    while True:
        # 1. What the pyramid offers; it changes with removals from it alone.
        open_mask = exposed(pyramid)
        while open_mask & kings != 0:
            pyramid &= ~(open_mask & kings)
            open_mask = exposed(pyramid)
            idle = 0
        if pyramid == 0 and (not all_cards or stock == 0):
            return 1
        pairs, wanted = _offers(arena, pyramid, open_mask)
        chosen, second = 0, 0
        while chosen == 0:
            # 2. What waste and stock offer.
            top, upcoming = waste_top(stock, drawn), stock_next(stock, drawn)
            if top >= 0 and stock_rank_at(arena, top) == KING:
                stock &= ~(1 << top)
                idle = 0
                if stock == 0:
                    break
                continue
            plays_next = stock_top and upcoming != NO_INDEX
            if plays_next and stock_rank_at(arena, upcoming) == KING:
                stock &= ~(1 << upcoming)
                idle = 0
                if stock == 0:
                    break
                continue
            with_top = with_next = both = 0
            if top >= 0:
                with_top = popcount(open_mask & _partners(arena, top))
            if plays_next:
                with_next = popcount(open_mask & _partners(arena, upcoming))
                if top >= 0:
                    ranks = stock_rank_at(arena, top) + stock_rank_at(arena, upcoming)
                    both = 1 if ranks == PAIR_SUM else 0
            removals = pairs + with_top + with_next + both
            # 3. Draw or turn over where there is nothing else, or chance says so.
            go_on = upcoming != NO_INDEX or (stock != 0 and redeals < get_most_redeals(arena))
            pick = 0
            if removals == 0:
                if not go_on:
                    return 0
            elif removals > 1 or go_on:
                x = wrapping_add(wrapping_multiply(x, _MULTIPLIER), _INCREMENT)
                pick = shift_right(x, _HALF_WORD) * (removals + (1 if go_on else 0)) >> _HALF_WORD
            if pick == removals:
                if upcoming != NO_INDEX:
                    # Cards that nothing can be done with are drawn in one go.
                    if removals == 0 and not stock_top:
                        ahead = in_stock(stock, drawn)
                        upcoming = lowest_bit(ahead & wanted)
                        if upcoming == NO_INDEX:
                            upcoming = highest_bit(ahead)
                    drawn = upcoming + 1
                else:
                    idle += 1
                    if idle == _PATIENCE:
                        return 0
                    redeals += 1
                    drawn = 0
                continue
            # 4. A removal.
            idle = 0
            if pick < pairs:
                chosen, second = _nth_pair(arena, pick, pyramid, open_mask)
                continue
            pick -= pairs
            if pick < with_top + with_next:
                index = top
                if pick >= with_top:
                    index = upcoming
                    pick -= with_top
                chosen = _nth_mask(open_mask & _partners(arena, index), pick)
                stock &= ~(1 << index)
            else:
                stock &= ~(1 << top | 1 << upcoming)
                if stock == 0:
                    break
        # 5. Take the pyramid's cards, unless that loses for certain.
        if chosen != 0:
            rank = rank_at(arena, lowest_bit(chosen))
            index = class_of(rank)
            need = count_at(needs, index)
            if need != 0:
                if second != 0:
                    needs -= as_counts(1, index)
                elif popcount(pyramid & pyramid_of_rank(arena, rank)) == need:
                    return 0
            pyramid &= ~(chosen | second)


@kernel
def _partners(arena: int, index: int) -> int:
    """Return the mask of the pyramid's cards that make a pair with a stock card, not a king."""
    return pyramid_of_rank(arena, PAIR_SUM - stock_rank_at(arena, index))


@kernel
def _offers(arena: int, pyramid: int, open_mask: int) -> Any:
    """Return how many pairs the pyramid offers, and which stock cards can leave with it."""
    pairs, wanted = 0, stock_of_rank(arena, KING)
    for index in range(CLASSES):
        ones, others = open_mask & lows_of(arena, index), open_mask & highs_of(arena, index)
        if ones != 0:
            wanted |= stock_of_rank(arena, PAIR_SUM - 1 - index)
            if others != 0:
                pairs += popcount(ones) * popcount(others)
        if others != 0:
            wanted |= stock_of_rank(arena, index + 1)
    if get_cover_pairs(arena) != 0:
        left = exposed(pyramid & ~open_mask)
        while left != 0:
            pairs += 1 if _pairs_with_cover(arena, pyramid, lowest_bit(left)) else 0
            left &= left - 1
    return pairs, wanted


@kernel
def _pairs_with_cover(arena: int, pyramid: int, bit: int) -> bool:
    """Tell whether one card alone covers a card, and makes a pair with it."""
    covers = cover_of(pyramid, bit)
    return (
        covers & covers - 1 == 0
        and rank_at(arena, bit) + rank_at(arena, lowest_bit(covers)) == PAIR_SUM
    )


@kernel
def _nth_mask(mask: int, n: int) -> int:
    """Return the n-th lowest set bit of a mask as a mask, from 0."""
    for _turn in range(n):
        mask &= mask - 1
    return mask & -mask


@kernel
def _nth_pair(arena: int, n: int, pyramid: int, open_mask: int) -> Any:
    """Return the two cards of the n-th pair that the pyramid offers, as masks."""
    for index in range(CLASSES):
        ones, others = open_mask & lows_of(arena, index), open_mask & highs_of(arena, index)
        width = popcount(others)
        count = popcount(ones) * width
        if n < count:
            return _nth_mask(ones, n // width), _nth_mask(others, n % width)
        n -= count
    if get_cover_pairs(arena) != 0:
        left = exposed(pyramid & ~open_mask)
        while left != 0:
            bit = lowest_bit(left)
            left &= left - 1
            if _pairs_with_cover(arena, pyramid, bit):
                if n == 0:
                    return cover_of(pyramid, bit), 1 << bit
                n -= 1
    return 0, 0
