"""Fewest moves, by A* over removals; and any win, by the same search in a hurry.

A step of the search removes something: a pair within the pyramid, or a stock card that
is brought to the top first; its cost counts the draws and the reset on the way. Kings of
the pyramid leave as soon as they are exposed, since they must leave some time and cover
something until then. A stock king costs a move, so in a shortest solution it leaves for
one of two reasons only: for the card under it, which is then played at once (if it were
played later, so could the king leave later), or to be drawn less often, which pays only
when two resets follow. Where that move costs nothing, the king leaves when it is passed
(`sweep`): with `stock_top` instead of being drawn, for the goal `all` because it must leave
anyway, and when moves do not count. The estimate is
`bounds`' number of removals, draws and resets, which never exceeds the truth, so the
first solution taken from the queue is a shortest one. In a hurry the queue is ordered by
the estimate alone, and a position is never looked at twice: the first solution is any,
but a search that ends without one has still seen every position that could win.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.jit import inlined, kernel
from solvers.pyramid.bounds import all_moves_left, moves_left
from solvers.pyramid.graph import PYRAMID
from solvers.pyramid.kernel import exposed, highest_bit
from solvers.pyramid.layout import (
    FULL_STOCK,
    RULE_ALL,
    RULE_REDEALS,
    RULE_STOCK_TOP,
    UNLIMITED,
)
from solvers.search.bits import lowest_bit, popcount
from solvers.search.status import LOST, OPEN, OUT_OF_MEMORY, WON

# A position is redeals << 44 | graph node << 29 | drawn << 24 | stock mask.
DRAWN_SHIFT, NODE_SHIFT, REDEALS_SHIFT = 24, 29, 44
NODE_MASK, DRAWN_MASK = (1 << 15) - 1, 31

#: Fields of an entry's second word: moves so far, and the entry it came from.
PARENT_SHIFT = 12
COST_MASK = (1 << PARENT_SHIFT) - 1
_STALE, _MUST_RESET = 1 << 62, 1 << 61
_PARENT_MASK = (1 << 61 - PARENT_SHIFT) - 1

#: Words of the run's own state.
USED, QUEUE, EXPANDED, GOAL_ENTRY, SLOTS = range(5)
RUN_SIZE = 5

#: The index begins this small, so that short searches stay in the processor's cache. A
#: slot holds the number of its entry plus one, and above it a part of the hash.
FIRST_SLOTS = 1 << 12
GROWTH = 4
_TAG = -1 << 31

MAX_COST = 1 << PARENT_SHIFT
CHILDREN = 256


def new_memory(memory_mib: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Allocate entries `int64[n, 2]`, queue links `int32[n]` and index `int64[2^k]`, unfilled."""
    size = memory_mib << 20
    count = FIRST_SLOTS // 2
    # The index has 31 bits for an entry.
    while 2 * count * (20 + 16) <= size and count < 1 << 30:
        count *= 2
    return np.empty((count, 2), np.int64), np.empty(count, np.int32), np.empty(2 * count, np.int64)


@kernel
def _grow(slots: int, used: int, entries: Any, index: Any) -> int:
    """Take more slots into use and enter all that is current again; return how many."""
    slots = min(GROWTH * slots, len(index))
    index[:slots] = 0
    for entry in range(used):
        if entries[entry, 1] & _STALE:
            continue
        value = entries[entry, 0] * -7046029254386353131
        slot = (value ^ value >> 29) & slots - 1
        while index[slot] != 0:
            slot = slot + 1 & slots - 1
        index[slot] = entry + 1 | value & _TAG
    return slots


@inlined
def _position(node: int, stock: int, drawn: int, redeals: int) -> int:
    """Return a position as one number; see `pack_position`."""
    drawn = highest_bit(stock & (1 << drawn) - 1) + 1
    return redeals << REDEALS_SHIFT | node << NODE_SHIFT | drawn << DRAWN_SHIFT | stock


@kernel
def pack_position(node: int, stock: int, drawn: int, redeals: int) -> int:
    """Return a position as one number; the waste top decides what `drawn` is written as."""
    return _position(node, stock, drawn, redeals)


@kernel
def expand(
    position: int,
    sweep: bool,
    rules: Any,
    nodes: Any,
    singles: Any,
    pair_ends: Any,
    pair_nodes: Any,
    rank_at: Any,
    tops: Any,
    stock_ranks: Any,
    children: Any,
) -> int:
    """Write the positions one removal away, kings that it exposes included; return how many.

    sweep     stock kings leave when they are passed; see the module
    children  int64[CHILDREN, 4]  out; position, cost in moves, resets that must follow
    """
    stock = position & FULL_STOCK
    drawn = position >> DRAWN_SHIFT & DRAWN_MASK
    node = position >> NODE_SHIFT & NODE_MASK
    redeals = position >> REDEALS_SHIFT
    pyramid = nodes[node, PYRAMID]
    open_mask = exposed(pyramid)
    size = popcount(pyramid)
    count = 0
    for index in range(pair_ends[node], pair_ends[node + 1]):
        target = np.int64(pair_nodes[index])
        children[count, 0] = position & ~(NODE_MASK << NODE_SHIFT) | target << NODE_SHIFT
        children[count, 1] = size - popcount(nodes[target, PYRAMID]) - 1
        children[count, 2] = 0
        count += 1
    kings = tops[13]
    top = highest_bit(stock & (1 << drawn) - 1)
    # Kings that are swept away take no step of their own, unless they lie in the waste.
    usable = kings
    if sweep and rules[RULE_ALL] == 0:
        usable &= (1 << drawn) - 1
    left = open_mask
    while left != 0:
        usable |= tops[13 - rank_at[lowest_bit(left)]]
        left &= left - 1
    targets = usable & stock
    late = 1 - rules[RULE_STOCK_TOP]
    while targets != 0:
        index = lowest_bit(targets)
        targets &= targets - 1
        passed, used, cost = _way_to(index, late, stock, drawn, top, redeals, rules[RULE_REDEALS])
        # One way through the loop, so that the references of arrays need not be counted.
        playable = cost >= 0
        cost += 1
        rest = stock & ~(1 << index)
        if sweep:
            rest &= ~(passed & kings)
            cost += late * popcount(passed & kings)
        rank = stock_ranks[index]
        if playable and rank == 13:
            children[count, 0] = _position(node, rest, index, used)
            children[count, 1] = cost
            children[count, 2] = 0 if sweep else 2
            count += 1
            # A king may also leave for the card under it, which then leaves at once.
            under = index
            while rank == 13 and under >= 0:
                rest &= ~(1 << under)
                under = highest_bit(rest & (1 << under) - 1)
                if under >= 0:
                    rank = stock_ranks[under]
                    cost += 1
            playable = not sweep and under >= 0 and under != top
            if playable:
                index = under
                rest &= ~(1 << index)
        rest = _position(0, rest, index, used)
        left = open_mask if playable else 0
        while left != 0:
            bit = lowest_bit(left)
            left &= left - 1
            if rank_at[bit] + rank == 13:
                target = np.int64(singles[node, bit])
                if target >= 0:
                    children[count, 0] = rest | target << NODE_SHIFT
                    children[count, 1] = cost + size - popcount(nodes[target, PYRAMID]) - 1
                    children[count, 2] = 0
                    count += 1
    if late == 0:
        count = _expand_stock_pairs(
            node, stock, drawn, redeals, rules[RULE_REDEALS], kings, stock_ranks, children, count
        )
    return count


@inlined
def _way_to(
    index: int, late: int, stock: int, drawn: int, top: int, redeals: int, most_redeals: int
) -> Any:
    """Return the cards passed to make a stock card playable, the redeals used, the moves.

    late  1 if the card itself must be drawn

    The moves are -1 where no redeal is left for it.
    """
    ahead = stock >> drawn << drawn
    if index >= drawn:
        passed = ahead & (1 << index) - 1
        return passed, redeals, popcount(passed) + late
    if index == top:
        return 0, redeals, 0
    if redeals >= most_redeals:
        return 0, redeals, -1
    again = stock & (1 << index) - 1
    used = redeals if most_redeals == UNLIMITED else redeals + 1
    return ahead | again, used, popcount(ahead) + 1 + popcount(again) + late


@kernel
def _expand_stock_pairs(
    node: int,
    stock: int,
    drawn: int,
    redeals: int,
    most_redeals: int,
    kings: int,
    stock_ranks: Any,
    children: Any,
    count: int,
) -> int:
    """Append the pairs of a waste top with the stock's top; return the count.

    Kings on the way, and between the two, leave. Such a pair can only raise needs, so that
    the node's own stay a sound test.
    """
    top = highest_bit(stock & (1 << drawn) - 1)
    left = stock
    while left & left - 1 != 0:
        index = lowest_bit(left)
        left &= left - 1
        following = lowest_bit(left & ~kings)
        if following == 64 or stock_ranks[index] + stock_ranks[following] != 13:
            continue
        passed, used, cost = _way_to(index, 1, stock, drawn, top, redeals, most_redeals)
        if cost < 0:
            continue
        between = left & (1 << following) - 1
        rest = stock & ~(1 << index | 1 << following) & ~((passed | between) & kings)
        children[count, 0] = _position(node, rest, index, used)
        children[count, 1] = cost + popcount(between) + 1
        children[count, 2] = 0
        count += 1
    return count


@kernel
def start(
    position: int,
    cost: int,
    cards: int,
    rules: Any,
    nodes: Any,
    tops: Any,
    stock_ranks: Any,
    reach: Any,
    run_state: Any,
    entries: Any,
    links: Any,
    index: Any,
    heads: Any,
) -> bool:
    """Begin a search with one position; tell whether it may be won. See `run`."""
    node = position >> NODE_SHIFT & NODE_MASK
    stock, drawn = position & FULL_STOCK, position >> DRAWN_SHIFT & DRAWN_MASK
    redeals = rules[RULE_REDEALS] - (position >> REDEALS_SHIFT)
    if rules[RULE_ALL] != 0:
        estimate = all_moves_left(node, stock, drawn, redeals, rules, nodes, tops, stock_ranks)
    else:
        estimate = moves_left(
            node, stock, drawn, redeals, 0, cards, rules, nodes, tops, stock_ranks, reach
        )
    if cost + estimate >= MAX_COST:
        return False
    heads[:] = -1
    entries[0, 0], entries[0, 1] = position, cost
    links[0] = -1
    heads[cost + estimate] = 0
    run_state[USED], run_state[QUEUE], run_state[EXPANDED] = 1, cost + estimate, 0
    run_state[SLOTS] = _grow(FIRST_SLOTS // GROWTH, 1, entries, index)
    return True


@kernel
def run(
    run_state: Any,
    budget: int,
    bound: int,
    hurry: bool,
    cards: int,
    rules: Any,
    nodes: Any,
    singles: Any,
    pair_ends: Any,
    pair_nodes: Any,
    rank_at: Any,
    tops: Any,
    stock_ranks: Any,
    reach: Any,
    entries: Any,
    links: Any,
    index: Any,
    heads: Any,
) -> int:
    """Go on with a search for at most `budget` more states; return how it stands.

    run_state  int64[RUN_SIZE]
    bound      solutions of this many moves or more are of no interest; at most MAX_COST
    hurry      whether any solution will do
    cards      stock cards at the start
    entries    int64[n, 2]      from `new_memory`, as are links and index
    heads      int32[MAX_COST]  first entry of each queue, by estimated total; -1 for none

    Returns OPEN, WON (its entry is in run_state), LOST or OUT_OF_MEMORY.
    """
    children = np.empty((CHILDREN, 4), np.int64)
    sweep = hurry or rules[RULE_STOCK_TOP] != 0 or rules[RULE_ALL] != 0
    all_cards = rules[RULE_ALL] != 0
    slots = run_state[SLOTS]
    used, queue, expanded = run_state[USED], run_state[QUEUE], run_state[EXPANDED]
    last = expanded + budget
    result = OPEN
    while expanded < last:
        # 1. Take an entry with the lowest estimate.
        while queue < bound and heads[queue] < 0:
            queue += 1
        if queue >= bound:
            result = LOST
            break
        entry = np.int64(heads[queue])
        heads[queue] = links[entry]
        position, word = entries[entry, 0], entries[entry, 1]
        if word & _STALE:
            continue
        node = position >> NODE_SHIFT & NODE_MASK
        if nodes[node, PYRAMID] == 0 and (not all_cards or position & FULL_STOCK == 0):
            run_state[GOAL_ENTRY] = entry
            result = WON
            break
        if used + CHILDREN > len(links):
            heads[queue] = entry
            result = OUT_OF_MEMORY
            break
        if 2 * (used + CHILDREN) > slots:
            slots = _grow(slots, used, entries, index)
        expanded += 1
        # 2. Its children.
        count = expand(
            position,
            sweep,
            rules,
            nodes,
            singles,
            pair_ends,
            pair_nodes,
            rank_at,
            tops,
            stock_ranks,
            children,
        )
        # Their slots are looked at together first: each look is a miss of the cache.
        for turn in range(count):
            value = children[turn, 0] * -7046029254386353131
            children[turn, 3] = index[(value ^ value >> 29) & slots - 1]
        for turn in range(count):
            child, resets = children[turn, 0], children[turn, 2]
            cost = (word & COST_MASK) + children[turn, 1]
            # 3. Known at no greater cost?
            value = child * -7046029254386353131
            slot = (value ^ value >> 29) & slots - 1
            tag = value & _TAG
            while index[slot] != 0 and (
                index[slot] & _TAG != tag or entries[(index[slot] & ~_TAG) - 1, 0] != child
            ):
                slot = slot + 1 & slots - 1
            known = (index[slot] & ~_TAG) - 1
            if known >= 0:
                before = entries[known, 1] & COST_MASK
                # With equal costs, one that need not reset is the more promising.
                if before == cost and resets == 0 and entries[known, 1] & _MUST_RESET:
                    before += 1
                if hurry or before <= cost:
                    continue
            # 4. Queue it, unless it is lost or too long.
            node = child >> NODE_SHIFT & NODE_MASK
            stock, drawn = child & FULL_STOCK, child >> DRAWN_SHIFT & DRAWN_MASK
            redeals = rules[RULE_REDEALS] - (child >> REDEALS_SHIFT)
            if rules[RULE_ALL] != 0:
                estimate = all_moves_left(
                    node, stock, drawn, redeals, rules, nodes, tops, stock_ranks
                )
            else:
                estimate = moves_left(
                    node,
                    stock,
                    drawn,
                    redeals,
                    resets,
                    cards,
                    rules,
                    nodes,
                    tops,
                    stock_ranks,
                    reach,
                )
            if cost + estimate >= bound:
                continue
            if hurry:
                total = estimate
                queue = min(queue, total)
            else:
                total = max(cost + estimate, queue)
            if known >= 0:
                entries[known, 1] |= _STALE
            entries[used, 0] = child
            entries[used, 1] = entry << PARENT_SHIFT | cost | (_MUST_RESET if resets > 0 else 0)
            index[slot] = used + 1 | tag
            links[used] = heads[total]
            heads[total] = used
            used += 1
    run_state[USED], run_state[QUEUE], run_state[EXPANDED] = used, queue, expanded
    run_state[SLOTS] = slots
    return result


@kernel
def trace(goal: int, entries: Any, nodes: Any, steps: Any) -> int:
    """Follow a solution back to its start; return how many steps there are.

    goal   the entry in run_state[GOAL_ENTRY]
    steps  int64[n, 2]  out; pyramid and stock masks, the start first; n is at least 53
    """
    count = 1
    entry = goal
    while entry != 0:
        entry = entries[entry, 1] >> PARENT_SHIFT & _PARENT_MASK
        count += 1
    entry = goal
    for step in range(count - 1, -1, -1):
        position = entries[entry, 0]
        steps[step, 0] = nodes[position >> NODE_SHIFT & NODE_MASK, PYRAMID]
        steps[step, 1] = position & FULL_STOCK
        entry = entries[entry, 1] >> PARENT_SHIFT & _PARENT_MASK
    return count
