"""A lower bound on the moves that are left, for the search for fewest moves.

Owns the estimate and its proof. It adds up what is certain: removals, draws, resets.
"""

from __future__ import annotations

from typing import Any

from solvers.jit import inlined
from solvers.pyramid.graph import COUNTS, MOST, MOVES, NEEDS, WANTED
from solvers.pyramid.kernel import highest_bit
from solvers.pyramid.layout import FULL_STOCK, RULE_STOCK_TOP
from solvers.pyramid.passes import POSITIONS, WIDTH, layer_of
from solvers.pyramid.proof import CLASSES
from solvers.search.bits import lowest_bit, popcount

#: More than any number of moves.
NEVER = 1 << 20


@inlined
def _chain(stock: int, drawn: int, counts: int, rules: Any, tops: Any, stock_ranks: Any) -> int:
    """Return the waste cards that can come to the top without a reset.

    The top can be used, and what lies under a card only when that card can leave: as a
    king, with a card of the pyramid (`counts`), or, where the stock's top plays, with a
    card of the stock.
    """
    partners = 0
    if rules[RULE_STOCK_TOP] != 0:
        for rank in range(1, 13):
            if tops[rank] & stock >> drawn << drawn:
                partners |= 1 << 4 * rank
    waste = stock & (1 << drawn) - 1
    chain = 0
    while waste != 0:
        top = highest_bit(waste)
        rank = stock_ranks[top]
        if rank == 13 or (counts | partners) >> 4 * (13 - rank) & 15 != 0:
            chain |= 1 << top
            waste &= ~(1 << top)
        else:
            waste = 0
    return chain


@inlined
def _nth_bit(mask: int, n: int) -> int:
    """Return the index of the n-th lowest set bit, from 1."""
    for _turn in range(n - 1):
        mask &= mask - 1
    return lowest_bit(mask)


@inlined
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
    # One way through, so that the references of arrays need not be counted: a sixth of the time.
    counts = nodes[node, COUNTS]
    stock_top = rules[RULE_STOCK_TOP] != 0
    ahead = stock >> drawn << drawn
    chain = _chain(stock, drawn, counts, rules, tops, stock_ranks)
    waste = stock & ~ahead & ~chain
    passed = min(lowest_bit(ahead), cards)
    layer = layer_of(stock, drawn, passed, cards)
    far: int = reach[node, layer * WIDTH + passed] + 0
    far = max(far, POSITIONS * least_resets + min(least_resets, 1))
    far = max(far, _wanted_reach(stock, ahead, chain, stock_top, nodes[node, WANTED], tops))
    resets = far // POSITIONS
    end = (1 << far - resets * POSITIONS) - 1
    # The second pass; cards of the waste beyond the chain are still there.
    second = FULL_STOCK if resets > 1 else end
    if stock_top:
        passing = ahead & end if resets == 0 else ahead | waste & second
        drawn, turn = 0, 1
    elif resets == 0:
        passing, drawn, turn = 0, popcount(ahead & end), 2
    else:
        passing, drawn, turn = ahead & second, popcount(ahead) + popcount(waste & second), 2
    total = (
        resets
        + drawn
        + _removals(
            counts, passing, nodes[node, NEEDS], nodes[node, MOST], nodes[node, MOVES], tops
        )
    )
    while turn <= resets:
        again = stock & (end if turn == resets else FULL_STOCK)
        if turn == 1:
            again = ahead & second
        total += _stuck(counts, nodes[node, NEEDS], again, stock if stock_top else 0, tops)
        turn += 1
    return total if resets <= redeals else NEVER


@inlined
def all_moves_left(
    node: int,
    stock: int,
    drawn: int,
    redeals: int,
    rules: Any,
    nodes: Any,
    tops: Any,
    stock_ranks: Any,
) -> int:
    """Return the lower bound under the goal `all`: every card leaves, two at a time.

    Without `stock_top` the cards ahead must be drawn first, and what lies in the waste
    beyond the chain turned over and drawn again.
    """
    counts = nodes[node, COUNTS]
    ahead = stock >> drawn << drawn
    waste = stock & ~ahead & ~_chain(stock, drawn, counts, rules, tops, stock_ranks)
    cards, kings = popcount(stock), popcount(stock & tops[13]) + (counts >> 4 * 13 & 15)
    for rank in range(1, 14):
        cards += counts >> 4 * rank & 15
    total = kings + (cards - kings >> 1)
    if waste != 0:
        total += 1
    if rules[RULE_STOCK_TOP] == 0:
        total += popcount(ahead) + popcount(waste)
    return NEVER if waste != 0 and redeals == 0 else total


@inlined
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
        missing = count - popcount(near)
        if count > 0 and missing > 0:
            again = max(again, _nth_bit(cards & ~ahead, missing) + late)
        elif count > 0:
            last = max(last, _nth_bit(near, count) + late)
    return last if again < 0 else POSITIONS + again


@inlined
def _removals(counts: int, cards: int, needs: int, most: int, moves: int, tops: Any) -> int:
    """Return the fewest removals, and draws of some stock cards that must be passed.

    A card is drawn unless it has left with a card of the pyramid. In a class with R_a and
    R_b cards in the pyramid, P_a and P_b to pass, k pairs within the pyramid make
    R_a + R_b - k removals and leave max(0, P_b - (R_a - k)) + max(0, P_a - (R_b - k)) to
    draw. k lies between the class's need and the most it can find; the sum falls with k
    up to the lesser slack and rises only beyond the greater one. All pairs together are
    bounded too, by MOVES. A king costs one, drawn or removed; so do, with `stock_top`, the
    two cards of a stock pair, one drawn and one removal.
    """
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
    return max(total, moves + drawn)


@inlined
def _stuck(counts: int, needs: int, cards: int, stock: int, tops: Any) -> int:
    """Return how many of some stock cards cannot leave before they are passed once more.

    stock  where stock cards may leave with each other, those that are left; else 0

    Kings do not count: they can always leave.
    """
    total = 0
    for rank in range(1, 13):
        need = needs >> 4 * (min(rank, 13 - rank) - 1) & 15
        partners = (counts >> 4 * (13 - rank) & 15) - need + popcount(stock & tops[13 - rank])
        total += max(popcount(cards & tops[rank]) - partners, 0)
    return total
