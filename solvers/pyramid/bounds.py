"""What a deal's shapes imply: tables over the 1,430 shapes, and lower bounds from them.

Owns the per-deal tables and the admissible estimate of the moves that are left. All
bounds are proved in the text beside them; `optimal` and `search` build on them.

A packed position is an int64, `shape << SHAPE | drawn << DRAWN | stock`, with the redeals
used above where they are limited. `drawn` is one more than the waste top's stock index,
so that equal positions are equal numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import kernel
from solvers.pyramid.ideals import EMPTY, IDEALS
from solvers.pyramid.kernel import cover_of, exposed, highest_bit
from solvers.pyramid.layout import BIT_OF, FULL_STOCK, RULE_ALL, RULE_COVER, RULE_STOCK_TOP
from solvers.pyramid.proof import CLASSES
from solvers.pyramid.rules import PYRAMID_SIZE, STOCK_SIZE
from solvers.search.bits import lowest_bit, popcount

DRAWN_SHIFT, SHAPE_SHIFT, REDEALS_SHIFT = 24, 29, 40

#: Columns of the shape table.
#: MOVES   fewest removals of the shape's cards: cards less the most pairs among them
#: COUNTS  cards of each rank, 4 bits a rank
#: WANTED  stock cards of each rank that are needed at least, 4 bits a rank
#: WINS    bit i: winnable under unlimited redeals with needs number i
MOVES, COUNTS, WANTED, WINS = range(4)
SHAPE_COLUMNS = 4

#: Needs are numbered in mixed radix, at most 64 of them; what goes beyond is cut off,
#: which makes the test weaker but not wrong.
NEED_NUMBERS = 64

#: More than any number of moves.
NEVER = 1 << 20

_BITS = np.array(BIT_OF, np.int64)
_HIGH = 0x888888


@kernel
def prepare(
    deck: Any, rules: Any, needs: int, masks: Any, after: Any, shapes: Any, rank_at: Any, steps: Any
) -> int:
    """Fill the tables of a deal; return the number of its needs at the start.

    needs    packed as `proof.root_needs` gives them
    masks    int64[IDEALS]                 from `ideals.tables`, as is
    after    int16[IDEALS, PLACE_BITS]
    shapes   int64[IDEALS, SHAPE_COLUMNS]  out
    rank_at  int64[64]                     rank of each pyramid bit; read only
    steps    int8[CLASSES, NEED_NUMBERS]   out; number of the needs after a pair of a class
    """
    strides = np.empty(CLASSES, np.int64)
    sizes = np.empty(CLASSES, np.int64)
    numbers = start = 1
    start = 0
    for index in range(CLASSES):
        need = needs >> 4 * index & 15
        while numbers * (need + 1) > NEED_NUMBERS:
            need -= 1
        strides[index] = numbers
        sizes[index] = need + 1
        start += need * numbers
        numbers *= need + 1
    for index in range(CLASSES):
        for number in range(numbers):
            digit = number // strides[index] % sizes[index]
            steps[index, number] = number - (strides[index] if digit > 0 else 0)
    # sets[c, r]: the needs numbers in which class c needs fewer than r pairs.
    sets = np.zeros((CLASSES, 8), np.int64)
    for index in range(CLASSES):
        for number in range(numbers):
            for rank_count in range(number // strides[index] % sizes[index] + 1, 8):
                sets[index, rank_count] |= 1 << number
    _fill(rules, masks, after, shapes, rank_at, strides, sets)
    return start


@kernel
def _fieldwise_max(one: int, other: int) -> int:
    """Return the greater of each pair of 4-bit fields, all below 8."""
    greater = ((one | _HIGH) - other) & _HIGH
    keep = greater - (greater >> 3)
    return one & keep | other & ~keep & (_HIGH - (_HIGH >> 3))


@kernel
def _fill(
    rules: Any, masks: Any, after: Any, shapes: Any, rank_at: Any, strides: Any, sets: Any
) -> None:
    """Fill the shape table from the empty pyramid on; see `prepare`."""
    cover_pairs = rules[RULE_COVER] != 0
    most = np.zeros(IDEALS, np.int64)
    by_class = np.zeros(IDEALS, np.int64)
    pairs = np.empty((64, 2), np.int64)
    shapes[EMPTY, MOVES] = shapes[EMPTY, COUNTS] = shapes[EMPTY, WANTED] = 0
    shapes[EMPTY, WINS] = 1
    for shape in range(EMPTY - 1, -1, -1):
        pyramid = masks[shape]
        open_mask = exposed(pyramid)
        total = classes = wins = counts = 0
        left = open_mask
        while left != 0:
            bit = lowest_bit(left)
            left &= left - 1
            rank = rank_at[bit]
            smaller = np.int64(after[shape, bit])
            counts = shapes[smaller, COUNTS] + (1 << 4 * rank)
            total = max(total, most[smaller])
            classes = _fieldwise_max(classes, by_class[smaller])
            if rank == 13:
                wins |= shapes[smaller, WINS]
            elif rank > 0:
                low = min(rank, 13 - rank) - 1
                wins |= shapes[smaller, WINS] & sets[low, counts >> 4 * rank & 7]
        found = list_pairs(pyramid, open_mask, cover_pairs, rank_at, pairs)
        for index in range(found):
            first, second = pairs[index, 0], pairs[index, 1]
            smaller = np.int64(after[np.int64(after[shape, first]), second])
            low = min(rank_at[first], rank_at[second]) - 1
            total = max(total, most[smaller] + 1)
            classes = _fieldwise_max(classes, by_class[smaller] + (1 << 4 * low))
            won = shapes[smaller, WINS]
            wins |= won & sets[low, 1] | won << strides[low] & ~sets[low, 1]
        most[shape], by_class[shape] = total, classes
        shapes[shape, MOVES] = popcount(pyramid) - total
        shapes[shape, COUNTS] = counts
        shapes[shape, WINS] = wins
        wanted = 0
        for rank in range(1, 13):
            low = min(rank, 13 - rank) - 1
            short = (counts >> 4 * (13 - rank) & 15) - (classes >> 4 * low & 15)
            wanted |= max(short, 0) << 4 * rank
        shapes[shape, WANTED] = wanted


@kernel
def list_pairs(pyramid: int, open_mask: int, cover_pairs: bool, rank_at: Any, pairs: Any) -> int:
    """List the pairs within the pyramid that may leave; return how many.

    pairs  int64[64, 2]  out; the bits of each, in an order in which both can leave
    """
    count = 0
    left = open_mask
    while left != 0:
        first = lowest_bit(left)
        left &= left - 1
        others = left
        while others != 0:
            second = lowest_bit(others)
            others &= others - 1
            if rank_at[first] + rank_at[second] == 13:
                pairs[count, 0] = first
                pairs[count, 1] = second
                count += 1
    if cover_pairs:
        left = exposed(pyramid & ~open_mask)
        while left != 0:
            second = lowest_bit(left)
            left &= left - 1
            covers = cover_of(pyramid, second)
            if covers & covers - 1 == 0:
                first = lowest_bit(covers)
                if rank_at[first] + rank_at[second] == 13:
                    pairs[count, 0] = first
                    pairs[count, 1] = second
                    count += 1
    return count


@kernel
def _chain(stock: int, drawn: int, counts: int, stock_ranks: Any, partners: int) -> int:
    """Return the waste cards that can come to the top without a reset.

    The top can be used, and what lies under a card only when that card can leave: as a
    king, with a card of the pyramid (`counts`), or, where the stock's top plays, with a
    card of the stock (`partners`, 4 bits a rank).
    """
    waste = stock & (1 << drawn) - 1
    chain = 0
    while waste != 0:
        top = highest_bit(waste)
        rank = stock_ranks[top]
        if rank != 13 and (counts | partners) >> 4 * (13 - rank) & 15 == 0:
            break
        chain |= 1 << top
        waste &= ~(1 << top)
    return chain


@kernel
def _nth_bit(mask: int, n: int) -> int:
    """Return the index of the n-th lowest set bit, from 1."""
    for _turn in range(n - 1):
        mask &= mask - 1
    return lowest_bit(mask)


@kernel
def draws_left(
    shape: int,
    stock: int,
    drawn: int,
    may_reset: bool,
    rules: Any,
    shapes: Any,
    tops: Any,
    stock_ranks: Any,
) -> int:
    """Return a lower bound on the draws and resets that are left; NEVER if it is lost.

    At least WANTED cards of each rank must come from stock and waste. Without a reset
    they come from the cards ahead and from the waste's chain, so the stock must be drawn
    to the last one needed; if they do not suffice, it must be gone through, turned over,
    and drawn again to the last one still missing.

    tops         int64[16]          stock mask of each rank
    stock_ranks  int64[STOCK_SIZE]  rank of each stock card
    """
    counts = shapes[shape, COUNTS]
    stock_top = rules[RULE_STOCK_TOP] != 0
    ahead = stock >> drawn << drawn
    partners = 0
    if stock_top:
        for rank in range(1, 13):
            if tops[rank] & ahead:
                partners |= 1 << 4 * rank
    chain = _chain(stock, drawn, counts, stock_ranks, partners)
    if rules[RULE_ALL] != 0:
        below = stock & ~ahead & ~chain
        if below != 0 and not may_reset:
            return NEVER
        if stock_top:
            return 1 if below != 0 else 0
        return popcount(ahead) + (popcount(below) + 1 if below != 0 else 0)
    last, again = -1, -1
    wanted = shapes[shape, WANTED]
    while wanted != 0:
        shift = lowest_bit(wanted) & 60
        count = wanted >> shift & 15
        wanted &= ~(15 << shift)
        cards = tops[shift >> 2] & stock
        near = cards & ahead
        count -= popcount(cards & chain)
        if count <= 0:
            continue
        missing = count - popcount(near)
        if missing > 0:
            again = max(again, _nth_bit(cards & ~ahead, missing))
        else:
            last = max(last, _nth_bit(near, count))
    if again < 0:
        if last < 0:
            return 0
        if stock_top:
            return _passed(ahead & (1 << last) - 1, counts, tops)
        return popcount(ahead & (2 << last) - 1)
    if not may_reset:
        return NEVER
    second = stock & ~ahead & ~chain
    if stock_top:
        return 1 + _passed(ahead | second & (1 << again) - 1, counts, tops)
    return popcount(ahead) + 1 + max(popcount(second & (2 << again) - 1), 1)


@kernel
def _passed(cards: int, counts: int, tops: Any) -> int:
    """Return how many cards that the stock's top must pass are drawn at least.

    Where the stock's top plays, a card that leaves with one of the pyramid need not be
    drawn; there are at most as many as the pyramid has partners. A pair of two stock cards
    costs two, like drawing both.
    """
    drawn = popcount(cards & tops[13])
    for rank in range(1, 13):
        drawn += max(popcount(cards & tops[rank]) - (counts >> 4 * (13 - rank) & 15), 0)
    return drawn
