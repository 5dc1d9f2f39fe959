"""A lower bound on the moves that are left, for the search for fewest moves.

Owns the estimate and its proof. It adds up what is certain: removals, draws, resets.
"""

from __future__ import annotations

from solvers.cards import KING
from solvers.jit import inlined
from solvers.pyramid.counts import CLASSES, as_counts, class_of, count_at, first_counted
from solvers.pyramid.fields import in_stock, in_waste
from solvers.pyramid.graph import (
    get_counts,
    get_most,
    get_moves,
    get_needs,
    get_reach,
    get_wanted,
    node_at,
)
from solvers.pyramid.layout import FULL_STOCK
from solvers.pyramid.passes import POSITIONS, entry_of, layer_of
from solvers.pyramid.ranks import (
    get_all_cards,
    get_cards,
    get_stock_top,
    stock_of_rank,
    stock_rank_at,
)
from solvers.pyramid.rules import PAIR_SUM
from solvers.search.bits import highest_bit, lowest_bit, popcount

#: More than any number of moves.
NEVER = 1 << 20


@inlined
def moves_left(
    arena: int, node: int, stock: int, drawn: int, redeals: int, least_resets: int
) -> int:
    """Return a lower bound on the moves that win; NEVER where the position is lost.

    arena         int  address, with a graph and its passes
    node          its number
    redeals       how many are left
    least_resets  only solutions with at least this many resets count
    """
    if get_all_cards(arena) != 0:
        return _moves_to_clear_all(arena, node_at(node), stock, drawn, redeals)
    return _moves_to_clear_pyramid(arena, node_at(node), stock, drawn, redeals, least_resets)


@inlined
def _chain(arena: int, stock: int, drawn: int, counts: int) -> int:
    """Return the waste cards that can come to the top without a reset.

    The top can be used, and what lies under a card only when that card can leave: as a
    king, with a card of the pyramid (`counts`), or, where the stock's top plays, with a
    card of the stock.
    """
    partners = counts
    if get_stock_top(arena) != 0:
        ahead = in_stock(stock, drawn)
        for rank in range(1, KING):
            if stock_of_rank(arena, rank) & ahead:
                partners |= as_counts(1, rank)
    waste = in_waste(stock, drawn)
    chain = 0
    while waste != 0:
        top = highest_bit(waste)
        rank = stock_rank_at(arena, top)
        if rank != KING and count_at(partners, PAIR_SUM - rank) == 0:
            break
        chain |= 1 << top
        waste &= ~(1 << top)
    return chain


@inlined
def _nth_bit(mask: int, n: int) -> int:
    """Return the index of the n-th lowest set bit, from 1."""
    for _turn in range(n - 1):
        mask &= mask - 1
    return lowest_bit(mask)


@inlined
def _moves_to_clear_pyramid(
    arena: int, node: int, stock: int, drawn: int, redeals: int, least_resets: int
) -> int:
    """Return the lower bound under the goal `pyramid`; see `moves_left`.

    Two bounds say how often and how far the stock must be gone through, as `25 * resets +
    cards passed`; the greater counts. `reach` (see `passes`) knows the pyramid's order but
    takes the stock to be complete. `_wanted_reach` knows the stock but takes the pyramid's
    cards to be all exposed. Every card that must be passed is drawn or leaves, and what
    leaves takes a removal: `_removals`.
    """
    cards, stock_top = get_cards(arena), get_stock_top(arena) != 0
    ahead = in_stock(stock, drawn)
    chain = _chain(arena, stock, drawn, get_counts(arena, node))
    waste = stock & ~ahead & ~chain
    passed = min(lowest_bit(ahead), cards)
    far = get_reach(arena, node, entry_of(layer_of(stock, drawn, passed, cards), passed))
    far = max(far, POSITIONS * least_resets + min(least_resets, 1))
    far = max(far, _wanted_reach(arena, stock, ahead, chain, get_wanted(arena, node)))
    resets = far // POSITIONS
    if resets > redeals:
        return NEVER
    end = (1 << far - resets * POSITIONS) - 1
    # The second pass; cards of the waste beyond the chain are still there.
    second = FULL_STOCK if resets > 1 else end
    if stock_top:
        passing = ahead & end if resets == 0 else ahead | waste & second
        draws, turn = 0, 1
    elif resets == 0:
        passing, draws, turn = 0, popcount(ahead & end), 2
    else:
        passing, draws, turn = ahead & second, popcount(ahead) + popcount(waste & second), 2
    total = resets + draws + _removals(arena, node, passing)
    while turn <= resets:
        again = stock & (end if turn == resets else FULL_STOCK)
        if turn == 1:
            again = ahead & second
        total += _stuck(arena, node, again, stock if stock_top else 0)
        turn += 1
    return total


@inlined
def _moves_to_clear_all(arena: int, node: int, stock: int, drawn: int, redeals: int) -> int:
    """Return the lower bound under the goal `all`: every card leaves, two at a time.

    Without `stock_top` the cards ahead must be drawn first, and what lies in the waste
    beyond the chain turned over and drawn again.
    """
    counts = get_counts(arena, node)
    ahead = in_stock(stock, drawn)
    waste = stock & ~ahead & ~_chain(arena, stock, drawn, counts)
    if waste != 0 and redeals == 0:
        return NEVER
    kings = popcount(stock & stock_of_rank(arena, KING)) + count_at(counts, KING)
    cards = popcount(stock)
    for rank in range(1, KING + 1):
        cards += count_at(counts, rank)
    total = kings + (cards - kings >> 1)
    if waste != 0:
        total += 1
    if get_stock_top(arena) == 0:
        total += popcount(ahead) + popcount(waste)
    return total


@inlined
def _wanted_reach(arena: int, stock: int, ahead: int, chain: int, wanted: int) -> int:
    """Return how far the stock must be gone through for the wanted cards.

    They come from the cards ahead and the waste's chain, and what those lack from the
    waste after a reset. With `stock_top` a card is reached when all before it are passed.

    wanted  cards of each rank; see `counts`
    """
    last, again = 0, -1
    late = 1 - get_stock_top(arena)
    while wanted != 0:
        rank = first_counted(wanted)
        count = count_at(wanted, rank)
        wanted -= as_counts(count, rank)
        cards = stock_of_rank(arena, rank) & stock
        near = cards & ahead
        count -= popcount(cards & chain)
        missing = count - popcount(near)
        if count > 0 and missing > 0:
            again = max(again, _nth_bit(cards & ~ahead, missing) + late)
        elif count > 0:
            last = max(last, _nth_bit(near, count) + late)
    return last if again < 0 else POSITIONS + again


@inlined
def _removals(arena: int, node: int, cards: int) -> int:
    """Return the fewest removals, and draws of some stock cards that must be passed.

    A card is drawn unless it has left with a card of the pyramid. In a class with R_a and
    R_b cards in the pyramid, P_a and P_b to pass, k pairs within the pyramid make
    R_a + R_b - k removals and leave max(0, P_b - (R_a - k)) + max(0, P_a - (R_b - k)) to
    draw. k lies between the class's need and the most it can find; the sum falls with k
    up to the lesser slack and rises only beyond the greater one. All pairs together are
    bounded too, by the node's `moves`. A king costs one, drawn or removed; so do, with
    `stock_top`, the two cards of a stock pair, one drawn and one removal.
    """
    counts, needs, most = get_counts(arena, node), get_needs(arena, node), get_most(arena, node)
    kings = popcount(cards & stock_of_rank(arena, KING))
    total = kings + count_at(counts, KING)
    drawn = kings
    for index in range(CLASSES):
        low, high = index + 1, PAIR_SUM - 1 - index
        a, b = count_at(counts, low), count_at(counts, high)
        spare_a = a - popcount(cards & stock_of_rank(arena, high))
        spare_b = b - popcount(cards & stock_of_rank(arena, low))
        need = count_at(needs, index)
        k = min(count_at(most, index), max(need, min(spare_a, spare_b)))
        total += a + b - k + max(k - spare_a, 0) + max(k - spare_b, 0)
        drawn += max(need - spare_a, 0) + max(need - spare_b, 0)
    return max(total, get_moves(arena, node) + drawn)


@inlined
def _stuck(arena: int, node: int, cards: int, stock: int) -> int:
    """Return how many of some stock cards cannot leave before they are passed once more.

    stock  where stock cards may leave with each other, those that are left; else 0

    Kings do not count: they can always leave.
    """
    counts, needs = get_counts(arena, node), get_needs(arena, node)
    total = 0
    for rank in range(1, KING):
        partners = count_at(counts, PAIR_SUM - rank) - count_at(needs, class_of(rank))
        partners += popcount(stock & stock_of_rank(arena, PAIR_SUM - rank))
        total += max(popcount(cards & stock_of_rank(arena, rank)) - partners, 0)
    return total
