"""A lower bound on the moves that are left, for the search for fewest moves.

Owns the estimate and its proof. It adds up what is certain: removals, draws, resets.
"""

from __future__ import annotations

from typing import Any

from solvers.jit import kernel
from solvers.pyramid.graph import COUNTS, MOST, MOVES, NEEDS, WANTED
from solvers.pyramid.kernel import highest_bit
from solvers.pyramid.layout import FULL_STOCK, RULE_ALL, RULE_STOCK_TOP
from solvers.pyramid.passes import POSITIONS, WIDTH, layer_of
from solvers.pyramid.proof import CLASSES
from solvers.search.bits import lowest_bit, popcount

#: More than any number of moves.
NEVER = 1 << 20


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
def moves_left(
    node: int,
    stock: int,
    drawn: int,
    redeals: int,
    least_resets: int,
    cards: int,
    rules: Any,
    nodes: Any,
    tops: Any,
    stock_ranks: Any,
    reach: Any,
) -> int:
    """Return a lower bound on the moves that win; NEVER where the position is lost.

    Two bounds say how often and how far the stock must be gone through, as `25 * resets +
    cards passed`; the greater counts. `reach` (see `passes`) knows the pyramid's order but
    takes the stock to be complete. `_wanted_reach` knows the stock but takes the pyramid's
    cards to be all exposed. Every card that must be passed is drawn or leaves, and what
    leaves takes a removal: `_removals`.

    redeals      how many are left
    least_resets only solutions with so many resets count
    cards        stock cards at the start of the search
    tops         int64[16]          stock mask of each rank
    stock_ranks  int64[STOCK_SIZE]  rank of each stock card
    """
    counts = nodes[node, COUNTS]
    stock_top = rules[RULE_STOCK_TOP] != 0
    ahead = stock >> drawn << drawn
    partners = 0
    if stock_top:
        for rank in range(1, 13):
            if tops[rank] & ahead:
                partners |= 1 << 4 * rank
    chain = _chain(stock, drawn, counts, stock_ranks, partners)
    waste = stock & ~ahead & ~chain
    if rules[RULE_ALL] != 0:
        return _all_left(counts, stock, ahead, waste, redeals, stock_top, tops)
    passed = min(lowest_bit(ahead), cards)
    layer = layer_of(stock, drawn, passed, cards)
    far: int = reach[node, layer * WIDTH + passed] + 0
    far = max(far, POSITIONS * least_resets + min(least_resets, 1))
    far = max(far, _wanted_reach(stock, ahead, chain, stock_top, nodes[node, WANTED], tops))
    resets = far // POSITIONS
    if resets > redeals:
        return NEVER
    end = (1 << far - resets * POSITIONS) - 1
    if resets == 0:
        if stock_top:
            return _removals(node, ahead & end, nodes, tops)
        return nodes[node, MOVES] + popcount(ahead & end)
    # The second pass; cards of the waste beyond the chain are still there.
    second = FULL_STOCK if resets > 1 else end
    if stock_top:
        total = _removals(node, ahead | waste & second, nodes, tops)
        total += _stuck(node, ahead & second, stock, nodes, tops)
    else:
        total = popcount(ahead) + popcount(waste & second)
        total += _removals(node, ahead & second, nodes, tops)
    for turn in range(2, resets + 1):
        again = stock & (end if turn == resets else FULL_STOCK)
        total += _stuck(node, again, stock if stock_top else 0, nodes, tops)
    return total + resets


@kernel
def _all_left(
    counts: int, stock: int, ahead: int, waste: int, redeals: int, stock_top: bool, tops: Any
) -> int:
    """Return the lower bound under the goal `all`: every card leaves, two at a time.

    Without `stock_top` the cards ahead must be drawn first, and what lies in the waste
    beyond the chain turned over and drawn again.
    """
    if waste != 0 and redeals == 0:
        return NEVER
    cards, kings = popcount(stock), popcount(stock & tops[13]) + (counts >> 4 * 13 & 15)
    for rank in range(1, 14):
        cards += counts >> 4 * rank & 15
    total = kings + (cards - kings >> 1)
    if waste != 0:
        total += 1
    if not stock_top:
        total += popcount(ahead) + popcount(waste)
    return total


@kernel
def _wanted_reach(
    stock: int, ahead: int, chain: int, stock_top: bool, wanted: int, tops: Any
) -> int:
    """Return how far the stock must be gone through for the WANTED cards.

    They come from the cards ahead and the waste's chain, and what those lack from the
    waste after a reset. With `stock_top` a card is reached when all before it are passed.
    """
    last, again = 0, -1
    late = 0 if stock_top else 1
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
            again = max(again, _nth_bit(cards & ~ahead, missing) + late)
        else:
            last = max(last, _nth_bit(near, count) + late)
    return last if again < 0 else POSITIONS + again


@kernel
def _removals(node: int, cards: int, nodes: Any, tops: Any) -> int:
    """Return the fewest removals, and draws of some stock cards that must be passed.

    A card is drawn unless it has left with a card of the pyramid. In a class with R_a and
    R_b cards in the pyramid, P_a and P_b to pass, k pairs within the pyramid make
    R_a + R_b - k removals and leave max(0, P_b - (R_a - k)) + max(0, P_a - (R_b - k)) to
    draw. k lies between the class's need and the most it can find; the sum falls with k
    up to the lesser slack and rises only beyond the greater one. All pairs together are
    bounded too, by MOVES. A king costs one, drawn or removed; so do, with `stock_top`, the
    two cards of a stock pair, one drawn and one removal.
    """
    counts = nodes[node, COUNTS]
    needs, most = nodes[node, NEEDS], nodes[node, MOST]
    kings = popcount(cards & tops[13])
    total = kings + (counts >> 4 * 13 & 15)
    drawn = kings
    for index in range(CLASSES):
        low = index + 1
        a, b = counts >> 4 * low & 15, counts >> 4 * (13 - low) & 15
        spare_a = a - popcount(cards & tops[13 - low])
        spare_b = b - popcount(cards & tops[low])
        need = needs >> 4 * index & 15
        k = min(most >> 4 * index & 15, max(need, min(spare_a, spare_b)))
        total += a + b - k + max(k - spare_a, 0) + max(k - spare_b, 0)
        drawn += max(need - spare_a, 0) + max(need - spare_b, 0)
    return max(total, nodes[node, MOVES] + drawn)


@kernel
def _stuck(node: int, cards: int, stock: int, nodes: Any, tops: Any) -> int:
    """Return how many of some stock cards cannot leave before they are passed once more.

    stock  where stock cards may leave with each other, those that are left; else 0

    Kings do not count: they can always leave.
    """
    counts, needs = nodes[node, COUNTS], nodes[node, NEEDS]
    total = 0
    for rank in range(1, 13):
        need = needs >> 4 * (min(rank, 13 - rank) - 1) & 15
        partners = (counts >> 4 * (13 - rank) & 15) - need + popcount(stock & tops[13 - rank])
        total += max(popcount(cards & tops[rank]) - partners, 0)
    return total
