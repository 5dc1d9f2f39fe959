"""Fewest moves, by A* over removals.

A step of the search removes something: a pair within the pyramid, or a stock card that
is brought to the top first; its cost counts the draws and the reset on the way. Kings of
the pyramid leave as soon as they are exposed, since they must leave some time and cover
something until then; a stock king costs a move that may not be worth it. The estimate is
`bounds`' number of removals, draws and resets, which never exceeds the truth, so the
first solution taken from the queue is a shortest one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.jit import kernel
from solvers.pyramid.bounds import (
    COUNTS,
    DRAWN_SHIFT,
    MOVES,
    NEVER,
    REDEALS_SHIFT,
    SHAPE_SHIFT,
    WINS,
    draws_left,
    list_pairs,
)
from solvers.pyramid.ideals import EMPTY
from solvers.pyramid.kernel import exposed, highest_bit
from solvers.pyramid.layout import FULL_STOCK, RULE_ALL, RULE_COVER, RULE_REDEALS, RULE_STOCK_TOP, UNLIMITED
from solvers.search.bits import lowest_bit, popcount

#: What a run ends with.
RUNNING, SOLVED, EXHAUSTED, OUT_OF_MEMORY = range(4)

#: Fields of a node's second word: moves so far, needs number, parent.
_COST_BITS, _NEEDS_BITS = 12, 6
_PARENT_SHIFT = _COST_BITS + _NEEDS_BITS
_COST_MASK = (1 << _COST_BITS) - 1
_STALE = 1 << 62

#: Words of the run's own state.
USED, QUEUE, EXPANDED, GOAL_NODE = range(4)
RUN_SIZE = 4

MAX_COST = 1 << _COST_BITS
_CHILDREN = 256
_SHAPE_MASK, _DRAWN_MASK = (1 << 11) - 1, 31


def new_memory(memory_mib: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Allocate nodes `int64[n, 2]`, queue links `int32[n]` and index `int32[2^k]`, unfilled."""
    size = memory_mib << 20
    slots = 1 << (max(size // 28, 1024)).bit_length() - 1
    nodes = max((size - 4 * slots) // 20, 1024)
    return np.empty((nodes, 2), np.int64), np.empty(nodes, np.int32), np.zeros(slots, np.int32)


@kernel
def pack_position(shape: int, stock: int, drawn: int, redeals: int) -> int:
    """Return a position as one number; the waste top decides what `drawn` is written as."""
    drawn = highest_bit(stock & (1 << drawn) - 1) + 1
    return redeals << REDEALS_SHIFT | shape << SHAPE_SHIFT | drawn << DRAWN_SHIFT | stock


@kernel
def _expand(
    position: int,
    needs: int,
    rules: Any,
    masks: Any,
    after: Any,
    shapes: Any,
    rank_at: Any,
    tops: Any,
    stock_ranks: Any,
    steps: Any,
    pairs: Any,
    children: Any,
) -> int:
    """Write the positions one removal away, pyramid kings not yet taken; return how many.

    children  int64[_CHILDREN, 3]  out; position, cost in moves, needs number
    """
    stock = position & FULL_STOCK
    drawn = position >> DRAWN_SHIFT & _DRAWN_MASK
    shape = position >> SHAPE_SHIFT & _SHAPE_MASK
    redeals = position >> REDEALS_SHIFT
    pyramid = masks[shape]
    open_mask = exposed(pyramid)
    count = 0
    found = list_pairs(pyramid, open_mask, rules[RULE_COVER] != 0, rank_at, pairs)
    stock_top = rules[RULE_STOCK_TOP] != 0
    exact = rules[RULE_ALL] != 0 and not stock_top
    for index in range(found):
        first, second = pairs[index, 0], pairs[index, 1]
        fewer = np.int64(steps[min(rank_at[first], rank_at[second]) - 1, needs])
        # When all must go and the stock cannot pair, a pair too many strands stock cards.
        if exact and fewer == needs:
            continue
        smaller = np.int64(after[np.int64(after[shape, first]), second])
        children[count, 0] = position & ~(_SHAPE_MASK << SHAPE_SHIFT) | smaller << SHAPE_SHIFT
        children[count, 1] = 1
        children[count, 2] = fewer
        count += 1
    waste = stock & (1 << drawn) - 1
    ahead = stock & ~waste
    usable = tops[13] & stock
    left = open_mask
    while left != 0:
        usable |= tops[13 - rank_at[lowest_bit(left)]]
        left &= left - 1
    usable &= stock
    top = highest_bit(waste)
    behind = waste & ~(1 << top) if top >= 0 else 0
    unlimited = rules[RULE_REDEALS] == UNLIMITED
    may_reset = unlimited or redeals < rules[RULE_REDEALS]
    targets = usable if may_reset else usable & ~behind
    around = popcount(ahead) + 1
    late = 0 if stock_top else 1
    while targets != 0:
        index = lowest_bit(targets)
        targets &= targets - 1
        used = redeals
        if index >= drawn:
            cost = popcount(ahead & (1 << index) - 1) + late
        elif index == top:
            cost = 0
        else:
            cost = around + popcount(waste & (1 << index) - 1) + late
            if not unlimited:
                used += 1
        rest = stock & ~(1 << index)
        rank = stock_ranks[index]
        at = index if index != top else drawn
        if rank == 13:
            children[count, 0] = pack_position(shape, rest, at, used)
            children[count, 1] = cost + 1
            children[count, 2] = needs
            count += 1
            continue
        left = open_mask
        while left != 0:
            bit = lowest_bit(left)
            left &= left - 1
            if rank_at[bit] + rank == 13:
                smaller = np.int64(after[shape, bit])
                children[count, 0] = pack_position(smaller, rest, at, used)
                children[count, 1] = cost + 1
                children[count, 2] = needs
                count += 1
    if stock_top:
        count = _expand_stock_pairs(
            shape, stock, drawn, redeals, needs, may_reset, unlimited, stock_ranks, children, count
        )
    return count


@kernel
def _expand_stock_pairs(
    shape: int,
    stock: int,
    drawn: int,
    redeals: int,
    needs: int,
    may_reset: bool,
    unlimited: bool,
    stock_ranks: Any,
    children: Any,
    count: int,
) -> int:
    """Append the pairs of a waste top with the stock's top; return the count.

    Such a pair can only raise needs, so that the old number stays a sound test.
    """
    waste = stock & (1 << drawn) - 1
    top = highest_bit(waste)
    left = stock
    while left != 0:
        index = lowest_bit(left)
        left &= left - 1
        if left == 0:
            break
        following = lowest_bit(left)
        if stock_ranks[index] + stock_ranks[following] != 13:
            continue
        used = redeals
        if index == top:
            cost = 0
        elif index >= drawn:
            cost = popcount(stock & ~waste & (2 << index) - 1)
        elif may_reset:
            cost = popcount(stock & ~waste) + 1 + popcount(waste & (2 << index) - 1)
            if not unlimited:
                used += 1
        else:
            continue
        rest = stock & ~(1 << index | 1 << following)
        children[count, 0] = pack_position(shape, rest, index, used)
        children[count, 1] = cost + 1
        children[count, 2] = needs
        count += 1
    return count


@kernel
def _take_kings(shape: int, masks: Any, after: Any, kings: int) -> int:
    """Return the shape that is left when all kings that are or get exposed have left."""
    while True:
        free = exposed(masks[shape]) & kings
        if free == 0:
            return shape
        shape = np.int64(after[shape, lowest_bit(free)])


@kernel
def run(
    run_state: Any,
    budget: int,
    bound: int,
    rules: Any,
    masks: Any,
    after: Any,
    shapes: Any,
    rank_at: Any,
    kings: int,
    tops: Any,
    stock_ranks: Any,
    steps: Any,
    nodes: Any,
    links: Any,
    index: Any,
    heads: Any,
) -> int:
    """Go on with a search for at most `budget` more states; return how it stands.

    run_state  int64[RUN_SIZE]
    bound      solutions of this many moves or more are of no interest
    heads      int32[MAX_COST]  first node of each queue, by estimated total; -1 for none

    Returns RUNNING, SOLVED (its node is in run_state), EXHAUSTED or OUT_OF_MEMORY.
    """
    pairs = np.empty((64, 2), np.int64)
    children = np.empty((_CHILDREN, 3), np.int64)
    unlimited = rules[RULE_REDEALS] == UNLIMITED
    all_cards = rules[RULE_ALL] != 0
    slots = len(index)
    used, queue, expanded = run_state[USED], run_state[QUEUE], run_state[EXPANDED]
    last = expanded + budget
    result = RUNNING
    while expanded < last:
        # 1. Take a node with the lowest estimate.
        while queue < bound and heads[queue] < 0:
            queue += 1
        if queue >= bound:
            result = EXHAUSTED
            break
        node = np.int64(heads[queue])
        heads[queue] = links[node]
        position, word = nodes[node, 0], nodes[node, 1]
        if word & _STALE:
            continue
        shape = position >> SHAPE_SHIFT & _SHAPE_MASK
        if shape == EMPTY and (not all_cards or position & FULL_STOCK == 0):
            run_state[GOAL_NODE] = node
            result = SOLVED
            break
        if used + _CHILDREN > len(links) or 2 * used > slots:
            heads[queue] = node
            result = OUT_OF_MEMORY
            break
        expanded += 1
        # 2. Its children.
        count = _expand(
            position,
            word >> _COST_BITS & 63,
            rules,
            masks,
            after,
            shapes,
            rank_at,
            tops,
            stock_ranks,
            steps,
            pairs,
            children,
        )
        for turn in range(count):
            child, needs = children[turn, 0], children[turn, 2]
            shape = child >> SHAPE_SHIFT & _SHAPE_MASK
            smaller = _take_kings(shape, masks, after, kings)
            cost = (word & _COST_MASK) + children[turn, 1]
            if smaller != shape:
                cost += popcount(masks[shape]) - popcount(masks[smaller])
                shape = smaller
                child = child & ~(_SHAPE_MASK << SHAPE_SHIFT) | shape << SHAPE_SHIFT
            # 3. Lost, or known at no greater cost?
            if shapes[shape, WINS] >> needs & 1 == 0:
                continue
            value = child * -7046029254386353131
            slot = (value ^ value >> 29) & slots - 1
            while index[slot] != 0 and nodes[index[slot] - 1, 0] != child:
                slot = slot + 1 & slots - 1
            known = np.int64(index[slot]) - 1
            if known >= 0 and nodes[known, 1] & _COST_MASK <= cost:
                continue
            # 4. Queue it.
            may_reset = unlimited or child >> REDEALS_SHIFT < rules[RULE_REDEALS]
            stock = child & FULL_STOCK
            estimate = draws_left(
                shape,
                stock,
                child >> DRAWN_SHIFT & _DRAWN_MASK,
                may_reset,
                rules,
                shapes,
                tops,
                stock_ranks,
            )
            if estimate >= NEVER:
                continue
            if all_cards:
                cards = popcount(masks[shape]) + popcount(stock)
                single = popcount(masks[shape] & kings) + popcount(stock & tops[13])
                estimate += (cards + single) >> 1
            else:
                estimate += shapes[shape, MOVES]
            total = max(cost + estimate, queue)
            if total >= bound:
                continue
            if known >= 0:
                nodes[known, 1] |= _STALE
            nodes[used, 0] = child
            nodes[used, 1] = node << _PARENT_SHIFT | needs << _COST_BITS | cost
            index[slot] = used + 1
            links[used] = heads[total]
            heads[total] = used
            used += 1
    run_state[USED], run_state[QUEUE], run_state[EXPANDED] = used, queue, expanded
    return result
