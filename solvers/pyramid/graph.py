"""A deal's pyramid as a graph: every shape with every needs that can still be won.

A node is a shape without exposed kings (they leave by themselves: see `optimal`) together
with the pairs that each class still needs (see `proof`). An edge is the removal of one
card, with a card of the stock, or of a pair within the pyramid, and of the kings that it
exposes. Only nodes are kept that can be reached from the start and from which the pyramid
can be cleared with unlimited redeals: about a thousand, 3,900 at most in 200 deals.

Node 0 is the start, the last one the empty pyramid, and edges lead to higher numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import kernel
from solvers.pyramid.ideals import EMPTY, IDEALS
from solvers.pyramid.kernel import cover_of, exposed
from solvers.pyramid.layout import PLACE_BITS
from solvers.pyramid.proof import CLASSES
from solvers.search.bits import lowest_bit, popcount

#: Columns of the node table.
#: PYRAMID  mask of the cards that are left
#: COUNTS   cards of each rank, 4 bits a rank
#: NEEDS    pairs that each class needs at least, 4 bits a class
#: MOST     pairs that each class can find at most, 4 bits a class
#: MOVES    fewest removals that clear the pyramid
#: WANTED   stock cards of each rank that are needed at least, 4 bits a rank
PYRAMID, COUNTS, NEEDS, MOST, MOVES, WANTED = range(6)
NODE_COLUMNS = 6

#: Needs are numbered in mixed radix, at most 64 of them; what goes beyond is cut off,
#: which makes the graph larger than it need be, but not wrong.
NEED_NUMBERS = 64

#: Nodes that a graph may have; node numbers are int16. Larger graphs give up needs.
MAX_NODES = 1 << 13
MAX_PAIRS = 8 * MAX_NODES

_HIGH = 0x888888


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
            first = lowest_bit(covers)
            if covers & covers - 1 == 0 and rank_at[first] + rank_at[second] == 13:
                pairs[count, 0] = first
                pairs[count, 1] = second
                count += 1
    return count


@kernel
def _number_needs(needs: int, limit: int, strides: Any, sizes: Any) -> int:
    """Choose the mixed radix of the needs; return the number of the needs at the start."""
    numbers, start = 1, 0
    for index in range(CLASSES):
        need = needs >> 4 * index & 15
        while numbers * (need + 1) > limit:
            need -= 1
        strides[index] = numbers
        sizes[index] = need + 1
        start += need * numbers
        numbers *= need + 1
    return start


@kernel
def _need_sets(strides: Any, sizes: Any, sets: Any) -> None:
    """Fill sets[c, k] with the needs numbers in which class c needs fewer than k pairs."""
    numbers = strides[CLASSES - 1] * sizes[CLASSES - 1]
    sets[:] = 0
    for index in range(CLASSES):
        for number in range(numbers):
            for count in range(number // strides[index] % sizes[index] + 1, 8):
                sets[index, count] |= 1 << number


@kernel
def _after_pair(numbers: int, low: int, strides: Any, sets: Any, exact: bool) -> int:
    """Return the needs numbers, a set, after a pair of class low, 0..5.

    exact  a pair that is not needed is not allowed
    """
    free = numbers & sets[low, 1]
    fewer = (numbers & ~free) >> strides[low]
    if strides[low] > 0:
        # The set is 64 bits wide and the shift must not drag the sign along.
        fewer &= (1 << 64 - strides[low]) - 1
    return fewer if exact else fewer | free


@kernel
def _before_pair(numbers: int, low: int, strides: Any, sets: Any, exact: bool) -> int:
    """Return the needs numbers from which a pair of class low leads into a set."""
    more = (numbers << strides[low]) & ~sets[low, 1]
    return more if exact else more | numbers & sets[low, 1]


@kernel
def _winnable_needs(
    root: int,
    cover_pairs: bool,
    exact: bool,
    masks: Any,
    after: Any,
    rank_at: Any,
    strides: Any,
    sets: Any,
    wins: Any,
    counts: Any,
    pairs: Any,
) -> None:
    """Find for each shape the needs numbers with which it can be cleared, and its ranks."""
    wins[EMPTY] = 1
    counts[EMPTY] = 0
    for shape in range(EMPTY - 1, root - 1, -1):
        pyramid = masks[shape]
        if pyramid & ~masks[root] != 0:
            continue
        open_mask = exposed(pyramid)
        bit = lowest_bit(open_mask)
        rank_counts = counts[np.int64(after[shape, bit])] + (1 << 4 * rank_at[bit])
        won = 0
        left = open_mask
        while left != 0:
            bit = lowest_bit(left)
            left &= left - 1
            rank = rank_at[bit]
            smaller = np.int64(after[shape, bit])
            if rank == 13:
                won |= wins[smaller]
            else:
                low = min(rank, 13 - rank) - 1
                won |= wins[smaller] & sets[low, rank_counts >> 4 * rank & 7]
        found = list_pairs(pyramid, open_mask, cover_pairs, rank_at, pairs)
        for index in range(found):
            first, second = pairs[index, 0], pairs[index, 1]
            smaller = np.int64(after[np.int64(after[shape, first]), second])
            low = min(rank_at[first], rank_at[second]) - 1
            won |= _before_pair(wins[smaller], low, strides, sets, exact)
        wins[shape], counts[shape] = won, rank_counts


@kernel
def _reachable_needs(
    root: int,
    start: int,
    cover_pairs: bool,
    exact: bool,
    masks: Any,
    after: Any,
    rank_at: Any,
    strides: Any,
    sets: Any,
    wins: Any,
    live: Any,
    pairs: Any,
) -> int:
    """Find for each shape the needs numbers that occur and can be won; return how many."""
    live[:] = 0
    live[root] = 1 << start
    total = 0
    for shape in range(root, IDEALS):
        live[shape] &= wins[shape]
        numbers = live[shape]
        if numbers == 0:
            continue
        pyramid = masks[shape]
        open_mask = exposed(pyramid)
        kings = 0
        left = open_mask
        while left != 0:
            bit = lowest_bit(left)
            left &= left - 1
            if rank_at[bit] == 13:
                kings = 1 << bit
        if kings != 0:
            # The king leaves by itself: this shape is only passed through.
            live[np.int64(after[shape, lowest_bit(kings)])] |= numbers
            live[shape] = 0
            continue
        total += popcount(numbers)
        left = open_mask
        while left != 0:
            bit = lowest_bit(left)
            left &= left - 1
            live[np.int64(after[shape, bit])] |= numbers
        found = list_pairs(pyramid, open_mask, cover_pairs, rank_at, pairs)
        for index in range(found):
            first, second = pairs[index, 0], pairs[index, 1]
            low = min(rank_at[first], rank_at[second]) - 1
            live[np.int64(after[np.int64(after[shape, first]), second])] |= _after_pair(
                numbers, low, strides, sets, exact
            )
    return total


@kernel
def _node_of(
    shape: int, number: int, kings: int, masks: Any, after: Any, live: Any, first: Any
) -> int:
    """Return the node of a shape and needs number when its kings have left; -1 if lost."""
    free = exposed(masks[shape]) & kings
    while free != 0:
        shape = int(after[shape, lowest_bit(free)])
        free = exposed(masks[shape]) & kings
    numbers = live[shape]
    if numbers >> number & 1 == 0:
        return -1
    return first[shape] + popcount(numbers & (1 << number) - 1)


@kernel
def build(
    root: int,
    needs: int,
    kings: int,
    cover_pairs: bool,
    exact: bool,
    masks: Any,
    after: Any,
    rank_at: Any,
    nodes: Any,
    singles: Any,
    pair_ends: Any,
    pair_nodes: Any,
) -> int:
    """Build the graph; return how many nodes it has, 0 when the start is lost.

    root        number of the start's shape
    needs       packed as `proof.root_needs` gives them
    kings       mask of the pyramid's kings
    exact       a pair that is not needed strands stock cards, so that it is not allowed
    masks       int64[IDEALS]                  from `ideals.tables`, as is
    after       int16[IDEALS, PLACE_BITS]
    rank_at     int64[64]                      rank of each pyramid bit
    nodes       int64[MAX_NODES, NODE_COLUMNS] out
    singles     int16[MAX_NODES, PLACE_BITS]   out; node after a card leaves alone, or -1
    pair_ends   int32[MAX_NODES + 1]           out; pairs of node i end where those of
                                               i + 1 begin
    pair_nodes  int16[MAX_PAIRS]               out; nodes after a pair leaves
    """
    strides, sizes = np.empty(CLASSES, np.int64), np.empty(CLASSES, np.int64)
    sets = np.empty((CLASSES, 8), np.int64)
    wins, counts, live = (
        np.zeros(IDEALS, np.int64),
        np.zeros(IDEALS, np.int64),
        np.zeros(IDEALS, np.int64),
    )
    pairs = np.empty((64, 2), np.int64)
    limit, total = NEED_NUMBERS, MAX_NODES
    start = 0
    while total >= MAX_NODES:
        start = _number_needs(needs, limit, strides, sizes)
        _need_sets(strides, sizes, sets)
        _winnable_needs(
            root, cover_pairs, exact, masks, after, rank_at, strides, sets, wins, counts, pairs
        )
        total = _reachable_needs(
            root, start, cover_pairs, exact, masks, after, rank_at, strides, sets, wins, live, pairs
        )
        limit >>= 1
    first = np.empty(IDEALS, np.int64)
    node = 0
    for shape in range(IDEALS):
        first[shape] = node
        node += popcount(live[shape])
    if _node_of(root, start, kings, masks, after, live, first) < 0:
        return 0
    ends = 0
    pair_ends[0] = 0
    for shape in range(root, IDEALS):
        numbers = live[shape]
        found = list_pairs(masks[shape], exposed(masks[shape]), cover_pairs, rank_at, pairs)
        while numbers != 0:
            number = lowest_bit(numbers)
            numbers &= numbers - 1
            node = first[shape] + popcount(live[shape] & (1 << number) - 1)
            nodes[node, PYRAMID], nodes[node, COUNTS] = masks[shape], counts[shape]
            packed = 0
            for low in range(CLASSES):
                packed |= number // strides[low] % sizes[low] << 4 * low
            nodes[node, NEEDS] = packed
            for bit in range(PLACE_BITS):
                smaller = np.int64(after[shape, bit])
                singles[node, bit] = -1
                if smaller >= 0:
                    singles[node, bit] = _node_of(smaller, number, kings, masks, after, live, first)
            for index in range(found):
                low = min(rank_at[pairs[index, 0]], rank_at[pairs[index, 1]]) - 1
                needed = packed >> 4 * low & 15 != 0
                if exact and not needed:
                    continue
                smaller = np.int64(after[np.int64(after[shape, pairs[index, 0]]), pairs[index, 1]])
                target = _node_of(
                    smaller,
                    number - strides[low] if needed else number,
                    kings,
                    masks,
                    after,
                    live,
                    first,
                )
                if target >= 0:
                    pair_nodes[ends] = target
                    ends += 1
            pair_ends[node + 1] = ends
    _fill_bounds(node + 1, nodes, singles, pair_ends, pair_nodes)
    return node + 1


@kernel
def _fieldwise_max(one: int, other: int) -> int:
    """Return the greater of each pair of 4-bit fields, all below 8."""
    greater = ((one | _HIGH) - other) & _HIGH
    keep = greater - (greater >> 3)
    return one & keep | other & ~keep & (_HIGH - (_HIGH >> 3))


@kernel
def _fill_bounds(total: int, nodes: Any, singles: Any, pair_ends: Any, pair_nodes: Any) -> None:
    """Fill the columns MOST, MOVES and WANTED, from the empty pyramid on."""
    nodes[total - 1, MOST] = nodes[total - 1, MOVES] = nodes[total - 1, WANTED] = 0
    for node in range(total - 2, -1, -1):
        pyramid, counts = nodes[node, PYRAMID], nodes[node, COUNTS]
        size = popcount(pyramid)
        most, moves = 0, 64
        left = exposed(pyramid)
        while left != 0:
            target = np.int64(singles[node, lowest_bit(left)])
            left &= left - 1
            if target >= 0:
                gone = size - popcount(nodes[target, PYRAMID])
                moves = min(moves, nodes[target, MOVES] + gone)
                most = _fieldwise_max(most, nodes[target, MOST])
        for index in range(pair_ends[node], pair_ends[node + 1]):
            target = np.int64(pair_nodes[index])
            gone = size - popcount(nodes[target, PYRAMID]) - 1
            moves = min(moves, nodes[target, MOVES] + gone)
            fewer = counts - nodes[target, COUNTS]
            low = 1
            while fewer >> 4 * low & 15 == 0:
                low += 1
            most = _fieldwise_max(most, nodes[target, MOST] + (1 << 4 * (low - 1)))
        nodes[node, MOST], nodes[node, MOVES] = most, moves
        wanted = 0
        for rank in range(1, 13):
            low = min(rank, 13 - rank) - 1
            short = (counts >> 4 * (13 - rank) & 15) - (most >> 4 * low & 15)
            wanted |= max(short, 0) << 4 * rank
        nodes[node, WANTED] = wanted
