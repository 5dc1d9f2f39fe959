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
from numpy.typing import NDArray

from solvers.jit import kernel
from solvers.pyramid.kernel import cover_of, deal_decks, exposed, highest_bit, rank_of, stock_card
from solvers.pyramid.layout import (
    FULL_PYRAMID,
    FULL_STOCK,
    PACKED_SIZE,
    RULE_ALL,
    RULE_COVER,
    RULE_REDEALS,
    RULE_STOCK_TOP,
    pack_profile,
)
from solvers.pyramid.proof import CLASSES, mask_ranks, root_needs
from solvers.pyramid.rules import STOCK_SIZE, Profile
from solvers.search.bits import hash_deck, lowest_bit, mix, popcount, shift_right

REPEATS = 1000
_PATIENCE = 3
_MULTIPLIER = 6364136223846793005
_INCREMENT = 1442695040888963407


def measure_decks(decks: NDArray[np.uint8], profile: Profile) -> NDArray[np.int64]:
    """Return the effort of decks, `int64[n]`, thousandths of a try."""
    efforts = np.empty(len(decks), np.int64)
    _measure(decks, pack_profile(profile), efforts)
    return efforts


@kernel
def _measure(decks: Any, rules: Any, efforts: Any) -> None:
    """Measure decks: thousandths of (REPEATS + 1) / (wins + 1), rounded down.

    decks    uint8[n, 52]
    efforts  int64[n]  out; 1000..1,001,000
    """
    ranks, tops = np.zeros(16, np.int64), np.zeros(16, np.int64)
    rank_at, stock_ranks = np.zeros(64, np.int64), np.zeros(STOCK_SIZE, np.int64)
    packed = np.empty((1, PACKED_SIZE), np.uint8)
    pyramid, stock = np.int64(FULL_PYRAMID), np.int64(FULL_STOCK)
    for row in range(len(decks)):
        deck = decks[row]
        deal_decks(decks[row : row + 1], rules, packed)
        mask_ranks(packed[0], pyramid, stock, ranks, tops, rank_at)
        for index in range(STOCK_SIZE):
            stock_ranks[index] = rank_of(stock_card(packed[0], index))
        needs = root_needs(ranks, tops, False)
        seed = hash_deck(deck)
        wins = 0
        for turn in range(REPEATS):
            wins += playout(mix(seed + turn), needs, rules, ranks, tops, rank_at, stock_ranks)
        efforts[row] = (REPEATS + 1) * 1000 // (wins + 1)


@kernel
def playout(
    x: int, needs: int, rules: Any, ranks: Any, tops: Any, rank_at: Any, stock_ranks: Any
) -> int:
    """Play a deal once; return 1 for a win and 0 otherwise.

    x  the generator's state; needs, ranks, tops, rank_at as `proof` has them
    """
    pyramid, stock, drawn, redeals, idle = FULL_PYRAMID, FULL_STOCK, 0, 0, 0
    cover_pairs, stock_top = rules[RULE_COVER] != 0, rules[RULE_STOCK_TOP] != 0
    all_cards = rules[RULE_ALL] != 0
    while True:
        # 1. What the pyramid offers; it changes with removals from it alone.
        open_mask = exposed(pyramid)
        while open_mask & ranks[13] != 0:
            pyramid &= ~(open_mask & ranks[13])
            open_mask = exposed(pyramid)
            idle = 0
        if pyramid == 0 and (not all_cards or stock == 0):
            return 1
        pairs, wanted = _offers(pyramid, open_mask, cover_pairs, ranks, tops, rank_at)
        chosen, second = 0, 0
        while chosen == 0:
            # 2. What waste and stock offer.
            top = highest_bit(stock & (1 << drawn) - 1)
            upcoming = lowest_bit(stock >> drawn << drawn)
            if top >= 0 and stock_ranks[top] == 13:
                stock &= ~(1 << top)
                idle = 0
                if stock == 0:
                    break
                continue
            if stock_top and upcoming < 64 and stock_ranks[upcoming] == 13:
                stock &= ~(1 << upcoming)
                idle = 0
                if stock == 0:
                    break
                continue
            with_top = with_next = both = 0
            if top >= 0:
                with_top = popcount(open_mask & ranks[13 - stock_ranks[top]])
            if stock_top and upcoming < 64:
                with_next = popcount(open_mask & ranks[13 - stock_ranks[upcoming]])
                both = 1 if top >= 0 and stock_ranks[top] + stock_ranks[upcoming] == 13 else 0
            removals = pairs + with_top + with_next + both
            # 3. Draw or turn over where there is nothing else, or chance says so.
            go_on = upcoming < 64 or (stock != 0 and redeals < rules[RULE_REDEALS])
            pick = 0
            if removals == 0:
                if not go_on:
                    return 0
            elif removals > 1 or go_on:
                x = x * _MULTIPLIER + _INCREMENT
                pick = shift_right(x, 32) * (removals + (1 if go_on else 0)) >> 32
            if pick == removals:
                if upcoming < 64:
                    # Cards that nothing can be done with are drawn in one go.
                    reach = stock >> drawn << drawn
                    if removals == 0 and not stock_top:
                        upcoming = lowest_bit(reach & wanted)
                        if upcoming == 64:
                            upcoming = highest_bit(reach)
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
                chosen, second = _nth_pair(pick, pyramid, open_mask, cover_pairs, ranks, rank_at)
                continue
            pick -= pairs
            if pick < with_top + with_next:
                index = top
                if pick >= with_top:
                    index = upcoming
                    pick -= with_top
                chosen = _nth_mask(open_mask & ranks[13 - stock_ranks[index]], pick)
                stock &= ~(1 << index)
            else:
                stock &= ~(1 << top | 1 << upcoming)
                if stock == 0:
                    break
        # 5. Take the pyramid's cards, unless that loses for certain.
        if chosen != 0:
            rank = rank_at[lowest_bit(chosen)]
            shift = 4 * (min(rank, 13 - rank) - 1)
            if needs >> shift & 15 != 0:
                if second != 0:
                    needs -= 1 << shift
                elif popcount(pyramid & ranks[rank]) == needs >> shift & 15:
                    return 0
            pyramid &= ~(chosen | second)


@kernel
def _offers(
    pyramid: int, open_mask: int, cover_pairs: bool, ranks: Any, tops: Any, rank_at: Any
) -> Any:
    """Return how many pairs the pyramid offers, and which stock cards can leave with it."""
    pairs, wanted = 0, tops[13]
    for low in range(1, CLASSES + 1):
        ones, others = open_mask & ranks[low], open_mask & ranks[13 - low]
        if ones != 0:
            wanted |= tops[13 - low]
            if others != 0:
                pairs += popcount(ones) * popcount(others)
        if others != 0:
            wanted |= tops[low]
    if cover_pairs:
        left = exposed(pyramid & ~open_mask)
        while left != 0:
            pairs += 1 if _pairs_with_cover(pyramid, lowest_bit(left), rank_at) else 0
            left &= left - 1
    return pairs, wanted


@kernel
def _pairs_with_cover(pyramid: int, bit: int, rank_at: Any) -> bool:
    """Tell whether one card alone covers a card, and makes a pair with it."""
    covers = cover_of(pyramid, bit)
    return covers & covers - 1 == 0 and rank_at[bit] + rank_at[lowest_bit(covers)] == 13


@kernel
def _nth_mask(mask: int, n: int) -> int:
    """Return the n-th lowest set bit of a mask as a mask, from 0."""
    for _turn in range(n):
        mask &= mask - 1
    return mask & -mask


@kernel
def _nth_pair(
    n: int, pyramid: int, open_mask: int, cover_pairs: bool, ranks: Any, rank_at: Any
) -> Any:
    """Return the two cards of the n-th pair that the pyramid offers, as masks."""
    for low in range(1, CLASSES + 1):
        ones, others = open_mask & ranks[low], open_mask & ranks[13 - low]
        count = popcount(ones) * popcount(others)
        if n < count:
            width = popcount(others)
            return _nth_mask(ones, n // width), _nth_mask(others, n % width)
        n -= count
    left = exposed(pyramid & ~open_mask)
    while left != 0:
        bit = lowest_bit(left)
        left &= left - 1
        if _pairs_with_cover(pyramid, bit, rank_at):
            if n == 0:
                return cover_of(pyramid, bit), 1 << bit
            n -= 1
    return 0, 0
