"""A deal's pyramid as a graph: every shape with every needs that can still be won.

A node is a shape without exposed kings (they leave by themselves: see `children`) together
with the pairs that each class still needs (see `proof`). An edge is the removal of one
card, with a card of the stock, or of a pair within the pyramid, and of the kings that it
exposes. Only nodes are kept that can be reached from the start and from which the pyramid
can be cleared with unlimited redeals: about a thousand, 3,900 at most in 200 deals.

Node 0 is the start, the last one the empty pyramid, and edges lead to higher numbers. Kernels
take a node as its number, and its fields by its offset, `node_at`.
"""

from __future__ import annotations

from solvers.cards import KING
from solvers.jit import inlined, kernel
from solvers.pyramid.counts import CLASSES, as_counts, class_of, count_at, first_counted, greater_of
from solvers.pyramid.fields import cover_of, exposed
from solvers.pyramid.ideals import EMPTY, IDEALS, NO_SHAPE, SHAPES, mask_of, shape_of, without
from solvers.pyramid.layout import PLACE_BITS
from solvers.pyramid.ranks import get_cover_pairs, get_exact, pyramid_of_rank, rank_at
from solvers.pyramid.rules import PAIR_SUM
from solvers.search.bits import highest_bit, lowest_bit, popcount, shift_right, wrapping_add
from solvers.search.record import Record

#: Needs are numbered in mixed radix, at most 64 of them; what goes beyond is cut off,
#: which makes the graph larger than it need be, but not wrong.
NEED_NUMBERS = 64

#: Nodes that a graph may have. Larger graphs give up needs.
MAX_NODES = 1 << 13
#: Pairs that all nodes have room for. Of seven exposed cards three and four make the most pairs,
#: and no more than seven cards have one cover alone.
_MAX_PAIRS = (3 * 4 + 7) * MAX_NODES
#: In place of a node that is lost: more than any number.
NO_NODE = (1 << 16) - 1
#: More removals than any pyramid takes.
_MANY = 64

#: More pairs than a shape has; see `_MAX_PAIRS`.
_PAIR_ROOM = 64
#: Needs of a class are below this.
_NEED_RADIX = 8

#: Entries of a node's table of passes, whose meaning is up to `passes`.
REACH_SIZE = 256

NODE = Record()
get_pyramid, _set_pyramid = NODE.word("pyramid", "mask of the cards that are left")
get_counts, _set_counts = NODE.word("counts", "cards of each rank; see `counts`")
get_needs, _set_needs = NODE.word("needs", "pairs that each class needs at least; see `counts`")
get_most, _set_most = NODE.word("most", "pairs that each class can find at most; see `counts`")
get_moves, _set_moves = NODE.word("moves", "fewest removals that clear the pyramid")
get_wanted, _set_wanted = NODE.word(
    "wanted", "stock cards of each rank that are needed at least; see `counts`"
)
get_first_pair, _set_first_pair = NODE.field(32, "first_pair", "where its pairs begin")
get_last_pair, _set_last_pair = NODE.field(32, "last_pair", "where its pairs end")
get_reach, set_reach = NODE.array(8, REACH_SIZE, "reach", "see `passes`")
get_single, _set_single = NODE.array(
    16, PLACE_BITS, "single", "node after the card of a bit leaves alone; NO_NODE"
)
NODE_SIZE = NODE.size(multiple_of=64)

# What building a graph notes of a shape.
_SHAPE = Record()
_get_wins, _set_wins = _SHAPE.word("wins", "set of the needs numbers with which it can be cleared")
_get_live, _set_live = _SHAPE.word("live", "set of those that occur")
_get_ranks, _set_ranks = _SHAPE.word("ranks", "its cards of each rank; see `counts`")
_get_first, _set_first = _SHAPE.word("first", "its first node; the others follow by needs number")
_SHAPE_SIZE = _SHAPE.size()

GRAPH = Record(at=SHAPES.size())
get_nodes, _set_nodes = GRAPH.word("nodes", "how many nodes there are")
_get_stride, _set_stride = GRAPH.array(
    64, CLASSES, "stride", "what a pair of each class counts in a needs number"
)
_get_radix, _set_radix = GRAPH.array(64, CLASSES, "radix", "1 + the most pairs of each class")
_get_below, _set_below = GRAPH.array(
    64, CLASSES * _NEED_RADIX, "below", "set of the needs numbers with fewer pairs; see `_below`"
)
get_pair_node, _set_pair_node = GRAPH.array(
    16, _MAX_PAIRS, "pair_node", "nodes after a pair leaves, those of each node side by side"
)
_get_one, _set_one = GRAPH.array(8, _PAIR_ROOM, "one", "bit of each pair's first card")
_get_other, _set_other = GRAPH.array(8, _PAIR_ROOM, "other", "bit of each pair's second card")
_SHAPES = GRAPH.block(_SHAPE_SIZE * IDEALS, "shapes", "_SHAPE records by number")
_NODES = GRAPH.block(NODE_SIZE * MAX_NODES, "nodes_block", "NODE records by number", align=64)


@inlined
def node_at(node: int) -> int:
    """Return the offset of a node."""
    return _NODES + NODE_SIZE * node


@inlined
def _shape_at(shape: int) -> int:
    """Return the offset of a shape."""
    return _SHAPES + _SHAPE_SIZE * shape


@inlined
def _class_at(arena: int, bit: int) -> int:
    """Return the class of the card of a bit, which is not a king."""
    return class_of(rank_at(arena, bit))


@inlined
def _below(arena: int, index: int, pairs: int) -> int:
    """Return the needs numbers, a set, in which a class needs fewer than some pairs."""
    return _get_below(arena, _NEED_RADIX * index + pairs)


@kernel
def _list_pairs(arena: int, pyramid: int) -> int:
    """List the pairs within a pyramid that may leave, in an order in which both cards can.

    Returns how many there are.
    """
    open_mask = exposed(pyramid)
    count = 0
    left = open_mask
    while left != 0:
        first = lowest_bit(left)
        left &= left - 1
        others = left
        while others != 0:
            second = lowest_bit(others)
            others &= others - 1
            if rank_at(arena, first) + rank_at(arena, second) == PAIR_SUM:
                _set_one(arena, count, first)
                _set_other(arena, count, second)
                count += 1
    if get_cover_pairs(arena) != 0:
        left = exposed(pyramid & ~open_mask)
        while left != 0:
            second = lowest_bit(left)
            left &= left - 1
            covers = cover_of(pyramid, second)
            first = lowest_bit(covers)
            if (
                covers & covers - 1 == 0
                and rank_at(arena, first) + rank_at(arena, second) == PAIR_SUM
            ):
                _set_one(arena, count, first)
                _set_other(arena, count, second)
                count += 1
    return count


@inlined
def _without_pair(arena: int, shape: int, pair: int) -> int:
    """Return the shape that is left when one of the pairs listed leaves."""
    return without(arena, without(arena, shape, _get_one(arena, pair)), _get_other(arena, pair))


@kernel
def _number_needs(arena: int, needs: int, limit: int) -> int:
    """Choose the mixed radix of the needs; return the number of the needs at the start."""
    numbers, start = 1, 0
    for index in range(CLASSES):
        need = count_at(needs, index)
        while numbers * (need + 1) > limit:
            need -= 1
        _set_stride(arena, index, numbers)
        _set_radix(arena, index, need + 1)
        start += need * numbers
        numbers *= need + 1
    for index in range(CLASSES):
        for pairs in range(_NEED_RADIX):
            below = 0
            for number in range(numbers):
                if _need_of(arena, number, index) < pairs:
                    below |= 1 << number
            _set_below(arena, _NEED_RADIX * index + pairs, below)
    return start


@inlined
def _need_of(arena: int, number: int, index: int) -> int:
    """Return the pairs that a class needs by a needs number."""
    return number // _get_stride(arena, index) % _get_radix(arena, index)


@kernel
def _after_pair(arena: int, numbers: int, index: int) -> int:
    """Return the needs numbers, a set, after a pair of a class."""
    free = numbers & _below(arena, index, 1)
    fewer = shift_right(numbers & ~free, _get_stride(arena, index))
    # A pair that is not needed strands stock cards.
    return fewer if get_exact(arena) != 0 else fewer | free


@kernel
def _before_pair(arena: int, numbers: int, index: int) -> int:
    """Return the needs numbers from which a pair of a class leads into a set."""
    more = (numbers << _get_stride(arena, index)) & ~_below(arena, index, 1)
    return more if get_exact(arena) != 0 else more | numbers & _below(arena, index, 1)


@kernel
def _find_winnable(arena: int, root: int) -> None:
    """Find for each shape the needs numbers with which it can be cleared, and its ranks."""
    _set_wins(arena, _shape_at(EMPTY), 1)
    _set_ranks(arena, _shape_at(EMPTY), 0)
    start = mask_of(arena, root)
    for shape in range(EMPTY - 1, root - 1, -1):
        at = _shape_at(shape)
        pyramid = mask_of(arena, shape)
        if pyramid & ~start != 0:
            _set_wins(arena, at, 0)
            continue
        open_mask = exposed(pyramid)
        bit = lowest_bit(open_mask)
        ranks = _get_ranks(arena, _shape_at(without(arena, shape, bit)))
        ranks += as_counts(1, rank_at(arena, bit))
        won = 0
        left = open_mask
        while left != 0:
            bit = lowest_bit(left)
            left &= left - 1
            rank = rank_at(arena, bit)
            wins = _get_wins(arena, _shape_at(without(arena, shape, bit)))
            if rank != KING:
                wins &= _below(arena, class_of(rank), count_at(ranks, rank))
            won |= wins
        for pair in range(_list_pairs(arena, pyramid)):
            wins = _get_wins(arena, _shape_at(_without_pair(arena, shape, pair)))
            won |= _before_pair(arena, wins, _class_at(arena, _get_one(arena, pair)))
        _set_wins(arena, at, won)
        _set_ranks(arena, at, ranks)


@inlined
def _add_live(arena: int, shape: int, numbers: int) -> None:
    """Note that needs numbers occur with a shape."""
    at = _shape_at(shape)
    _set_live(arena, at, _get_live(arena, at) | numbers)


@kernel
def _find_live(arena: int, root: int, start: int) -> int:
    """Find for each shape the needs numbers that occur and can be won; return how many.

    start  needs number at the root
    """
    for shape in range(IDEALS):
        _set_live(arena, _shape_at(shape), 0)
    _add_live(arena, root, 1 << start)
    total = 0
    kings = pyramid_of_rank(arena, KING)
    for shape in range(root, IDEALS):
        at = _shape_at(shape)
        numbers = _get_live(arena, at) & _get_wins(arena, at)
        _set_live(arena, at, numbers)
        if numbers == 0:
            continue
        pyramid = mask_of(arena, shape)
        open_mask = exposed(pyramid)
        if open_mask & kings != 0:
            # A king leaves by itself: this shape is only passed through.
            _add_live(arena, without(arena, shape, highest_bit(open_mask & kings)), numbers)
            _set_live(arena, at, 0)
            continue
        total += popcount(numbers)
        left = open_mask
        while left != 0:
            _add_live(arena, without(arena, shape, lowest_bit(left)), numbers)
            left &= left - 1
        for pair in range(_list_pairs(arena, pyramid)):
            index = _class_at(arena, _get_one(arena, pair))
            after = _after_pair(arena, numbers, index)
            _add_live(arena, _without_pair(arena, shape, pair), after)
    return total


@kernel
def _node_of(arena: int, shape: int, number: int) -> int:
    """Return the node of a shape and needs number when its kings have left; NO_NODE if lost."""
    kings = pyramid_of_rank(arena, KING)
    free = exposed(mask_of(arena, shape)) & kings
    while free != 0:
        shape = without(arena, shape, lowest_bit(free))
        free = exposed(mask_of(arena, shape)) & kings
    numbers = _get_live(arena, _shape_at(shape))
    if numbers >> number & 1 == 0:
        return NO_NODE
    return _get_first(arena, _shape_at(shape)) + popcount(numbers & ~(-1 << number))


@kernel
def build(arena: int, pyramid: int, needs: int) -> bool:
    """Build the graph of a pyramid; tell whether it has nodes: else the start is lost.

    arena  int  address, with the position's cards sorted
    needs  of the position, from `ranks.needs_of`
    """
    root = shape_of(arena, pyramid, 0)
    limit, total = NEED_NUMBERS, MAX_NODES
    start = 0
    while total >= MAX_NODES:
        start = _number_needs(arena, needs, limit)
        _find_winnable(arena, root)
        total = _find_live(arena, root, start)
        limit >>= 1
    node = 0
    for shape in range(IDEALS):
        _set_first(arena, _shape_at(shape), node)
        node += popcount(_get_live(arena, _shape_at(shape)))
    if _node_of(arena, root, start) == NO_NODE:
        return False
    _set_nodes(arena, total)
    pairs = 0
    for shape in range(root, IDEALS):
        numbers = _get_live(arena, _shape_at(shape))
        if numbers != 0:
            pairs = _write_nodes(arena, shape, numbers, pairs)
    _fill_bounds(arena)
    return True


@kernel
def _write_nodes(arena: int, shape: int, numbers: int, pairs: int) -> int:
    """Write the nodes of a shape, one for each needs number; return where their pairs end.

    pairs  where they begin
    """
    pyramid = mask_of(arena, shape)
    found = _list_pairs(arena, pyramid)
    at = node_at(_get_first(arena, _shape_at(shape)))
    while numbers != 0:
        number = lowest_bit(numbers)
        # Needs numbers fill the word: one less than its sign bit alone is out of range.
        numbers &= wrapping_add(numbers, -1)
        needs = 0
        for index in range(CLASSES):
            needs += as_counts(_need_of(arena, number, index), index)
        _set_pyramid(arena, at, pyramid)
        _set_counts(arena, at, _get_ranks(arena, _shape_at(shape)))
        _set_needs(arena, at, needs)
        for bit in range(PLACE_BITS):
            smaller = without(arena, shape, bit)
            target = NO_NODE
            if smaller != NO_SHAPE:
                target = _node_of(arena, smaller, number)
            _set_single(arena, at, bit, target)
        _set_first_pair(arena, at, pairs)
        for pair in range(found):
            index = _class_at(arena, _get_one(arena, pair))
            after = number
            if count_at(needs, index) != 0:
                after -= _get_stride(arena, index)
            elif get_exact(arena) != 0:
                continue
            target = _node_of(arena, _without_pair(arena, shape, pair), after)
            if target != NO_NODE:
                _set_pair_node(arena, pairs, target)
                pairs += 1
        _set_last_pair(arena, at, pairs)
        at += NODE_SIZE
    return pairs


@kernel
def _fill_bounds(arena: int) -> None:
    """Fill `most`, `moves` and `wanted` of all nodes, from the empty pyramid on."""
    last = node_at(get_nodes(arena) - 1)
    _set_most(arena, last, 0)
    _set_moves(arena, last, 0)
    _set_wanted(arena, last, 0)
    for node in range(get_nodes(arena) - 2, -1, -1):
        at = node_at(node)
        pyramid, counts = get_pyramid(arena, at), get_counts(arena, at)
        size = popcount(pyramid)
        most, moves = 0, _MANY
        left = exposed(pyramid)
        while left != 0:
            single = get_single(arena, at, lowest_bit(left))
            left &= left - 1
            if single != NO_NODE:
                target = node_at(single)
                gone = size - popcount(get_pyramid(arena, target))
                moves = min(moves, get_moves(arena, target) + gone)
                most = greater_of(most, get_most(arena, target))
        for pair in range(get_first_pair(arena, at), get_last_pair(arena, at)):
            target = node_at(get_pair_node(arena, pair))
            # Two cards are one removal; the others are kings.
            gone = size - popcount(get_pyramid(arena, target)) - 1
            moves = min(moves, get_moves(arena, target) + gone)
            # The lowest rank of which there are fewer is the lower one of the pair.
            index = class_of(first_counted(counts - get_counts(arena, target)))
            most = greater_of(most, get_most(arena, target) + as_counts(1, index))
        _set_most(arena, at, most)
        _set_moves(arena, at, moves)
        wanted = 0
        for rank in range(1, KING):
            short = count_at(counts, PAIR_SUM - rank) - count_at(most, class_of(rank))
            wanted += as_counts(max(short, 0), rank)
        _set_wanted(arena, at, wanted)
