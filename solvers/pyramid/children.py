"""The positions one removal away from a position of a search.

A step of a search removes something: a pair within the pyramid, or a stock card that is brought
to the top first; its cost counts the draws and the reset on the way. Kings of the pyramid leave
as soon as they are exposed, since they must leave some time and cover something until then.

A stock king costs a move, so in a shortest solution it leaves for one of two reasons only: for
the card under it, which is then played at once (if it were played later, so could the king leave
later), or to be drawn less often, which pays only when two resets follow. Where that move costs
nothing, the king leaves when it is passed (`sweep`): with `stock_top` instead of being drawn, for
the goal `all` because it must leave anyway, and when moves do not count.
"""

from __future__ import annotations

from typing import Any

from solvers.cards import KING
from solvers.jit import inlined, kernel
from solvers.pyramid.fields import NO_INDEX, exposed, in_stock, waste_top
from solvers.pyramid.frontier import (
    FRONTIER,
    drawn_in,
    node_in,
    pack_position,
    put_node,
    redeals_in,
    stock_in,
)
from solvers.pyramid.graph import (
    NO_NODE,
    get_first_pair,
    get_last_pair,
    get_pair_node,
    get_pyramid,
    get_single,
    node_at,
)
from solvers.pyramid.layout import UNLIMITED
from solvers.pyramid.ranks import (
    get_all_cards,
    get_most_redeals,
    get_stock_top,
    rank_at,
    stock_of_rank,
    stock_rank_at,
)
from solvers.pyramid.rules import PAIR_SUM
from solvers.search.bits import lowest_bit, popcount
from solvers.search.record import Record

#: More children than a position can have: at most 19 pairs within the pyramid, five for each of 24
#: stock cards (as a king, and with each card of a rank), and 23 pairs of stock cards.
MAX_CHILDREN = 256
#: A king that leaves in order to be drawn less often saves its own move with the second reset.
_RESETS_THAT_PAY = 2

_CHILD = Record()
get_position, _set_position = _CHILD.word("position", "a frontier.POSITION")
get_cost, _set_cost = _CHILD.word("cost", "moves that it takes")
get_resets, _set_resets = _CHILD.word("resets", "resets that must follow, to be of interest")
get_hash, set_hash = _CHILD.word("hash", "hash of the position")
_, set_seen = _CHILD.word("seen", "what its slot of the index held, only to be looked at early")
_CHILD_SIZE = _CHILD.size()

CHILDREN = Record(at=FRONTIER.size())
_CHILDREN = CHILDREN.block(_CHILD_SIZE * MAX_CHILDREN, "children", "_CHILD records")


@inlined
def child_at(child: int) -> int:
    """Return the offset of a child."""
    return _CHILDREN + _CHILD_SIZE * child


@inlined
def _add(arena: int, count: int, position: int, cost: int, resets: int) -> int:
    """Add a child to the `count` that there are; return how many there are then."""
    at = child_at(count)
    _set_position(arena, at, position)
    _set_cost(arena, at, cost)
    _set_resets(arena, at, resets)
    return count + 1


@inlined
def _kings_after(arena: int, node: int, target: int, removed: int) -> int:
    """Return how many kings leave by themselves, with some cards, from one node to another."""
    before, after = get_pyramid(arena, node_at(node)), get_pyramid(arena, node_at(target))
    return popcount(before) - popcount(after) - removed


@kernel
def expand(arena: int, position: int, sweep: bool) -> int:
    """Write the positions one removal away, kings that it exposes included; return how many.

    position  a frontier.POSITION
    sweep     stock kings leave when they are passed; see the module
    """
    node, stock = node_in(position), stock_in(position)
    drawn, redeals = drawn_in(position), redeals_in(position)
    # 1. Pairs within the pyramid.
    count = 0
    for pair in range(get_first_pair(arena, node_at(node)), get_last_pair(arena, node_at(node))):
        target = get_pair_node(arena, pair)
        cost = 1 + _kings_after(arena, node, target, 2)
        # Nodes that come later have higher numbers.
        count = _add(arena, count, position + put_node(target - node), cost, 0)
    # 2. Stock cards with a card of the pyramid, and kings of the stock.
    open_mask = exposed(get_pyramid(arena, node_at(node)))
    kings = stock_of_rank(arena, KING)
    # Kings that are swept away take no step of their own, unless they lie in the waste.
    usable = kings
    if sweep and get_all_cards(arena) == 0:
        usable &= (1 << drawn) - 1
    left = open_mask
    while left != 0:
        usable |= stock_of_rank(arena, PAIR_SUM - rank_at(arena, lowest_bit(left)))
        left &= left - 1
    late = 1 - get_stock_top(arena)
    targets = usable & stock
    while targets != 0:
        index = lowest_bit(targets)
        targets &= targets - 1
        passed, used, cost = _way_to(arena, index, late, stock, drawn, redeals)
        if cost < 0:
            continue
        cost += 1
        rest = stock & ~(1 << index)
        if sweep:
            rest &= ~(passed & kings)
            cost += late * popcount(passed & kings)
        if kings >> index & 1:
            resets = 0 if sweep else _RESETS_THAT_PAY
            count = _add(arena, count, pack_position(node, rest, index, used), cost, resets)
            if sweep:
                continue
            # A king may also leave for the card under it, which then leaves at once.
            while index >= 0 and kings >> index & 1:
                index = waste_top(rest, index)
                if index >= 0:
                    rest &= ~(1 << index)
                cost += 1
            if index < 0 or index == waste_top(stock, drawn):
                continue
        count = _add_singles(arena, count, node, index, pack_position(0, rest, index, used), cost)
    if late == 0:
        count = _add_stock_pairs(arena, count, position)
    return count


@inlined
def _way_to(arena: int, index: int, late: int, stock: int, drawn: int, redeals: int) -> Any:
    """Return the cards passed to make a stock card playable, the redeals used, the moves.

    late  1 if the card itself must be drawn

    The moves are -1 where no redeal is left for it.
    """
    ahead = in_stock(stock, drawn)
    if index >= drawn:
        passed = ahead & (1 << index) - 1
        return passed, redeals, popcount(passed) + late
    if index == waste_top(stock, drawn):
        return 0, redeals, 0
    most_redeals = get_most_redeals(arena)
    if redeals >= most_redeals:
        return 0, redeals, -1
    again = stock & (1 << index) - 1
    used = redeals if most_redeals == UNLIMITED else redeals + 1
    return ahead | again, used, popcount(ahead) + 1 + popcount(again) + late


@inlined
def _add_singles(arena: int, count: int, node: int, index: int, rest: int, cost: int) -> int:
    """Add what a playable stock card can leave with; return how many children there are then.

    rest  the position without it, of node 0
    cost  moves until it is playable, and its own
    """
    partner = PAIR_SUM - stock_rank_at(arena, index)
    left = exposed(get_pyramid(arena, node_at(node)))
    while left != 0:
        bit = lowest_bit(left)
        left &= left - 1
        if rank_at(arena, bit) == partner:
            target = get_single(arena, node_at(node), bit)
            if target != NO_NODE:
                moves = cost + _kings_after(arena, node, target, 1)
                count = _add(arena, count, rest + put_node(target), moves, 0)
    return count


@kernel
def _add_stock_pairs(arena: int, count: int, position: int) -> int:
    """Add the pairs of a waste top with the stock's top; return how many children there are then.

    Kings on the way, and between the two, leave. Such a pair can only raise needs, so that
    the node's own stay a sound test.
    """
    node, stock = node_in(position), stock_in(position)
    drawn, redeals = drawn_in(position), redeals_in(position)
    kings = stock_of_rank(arena, KING)
    left = stock
    while left & left - 1 != 0:
        index = lowest_bit(left)
        left &= left - 1
        following = lowest_bit(left & ~kings)
        if (
            following == NO_INDEX
            or stock_rank_at(arena, index) + stock_rank_at(arena, following) != PAIR_SUM
        ):
            continue
        passed, used, cost = _way_to(arena, index, 1, stock, drawn, redeals)
        if cost < 0:
            continue
        between = left & (1 << following) - 1
        rest = stock & ~(1 << index | 1 << following) & ~((passed | between) & kings)
        cost += popcount(between) + 1
        count = _add(arena, count, pack_position(node, rest, index, used), cost, 0)
    return count
