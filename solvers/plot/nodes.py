"""The states that a search of The Plot has met: stored, found again, and queued.

Owns the part of the arena behind the deal: nodes, an exact hash table of them, and queues as
pairing heaps linked through the nodes. Says nothing about which state is good.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.cards import RANKS
from solvers.jit import View, inlined, kernel
from solvers.plot import policy
from solvers.plot import search_state as at
from solvers.plot.rules import PILES, STOCK_SIZE
from solvers.search.arena import fill32, note_size
from solvers.search.bits import (
    GOLDEN,
    highest_bit,
    lowest_bit,
    mix,
    shift_right,
    without_lowest,
    wrapping_add,
    wrapping_multiply,
)
from solvers.search.record import Bits, Record

#: Queues: one for each number of cards drawn and of cards out, up to a whole first foundation
#: (see `search.queue_of`). They serve for queues by depth, too, the last one for all beyond it.
QUEUES_A_DRAW = RANKS + 1
QUEUES = (STOCK_SIZE + 1) * QUEUES_A_DRAW
#: Bytes for the words of the search that uses the nodes.
REPORT_SIZE = 192

#: What an arena holds of the nodes before the nodes themselves.
STORE = Record(at=at.DEAL_END)
_get_capacity, _set_capacity = STORE.word("capacity", "nodes that fit")
_get_table, _set_table = STORE.word("table", "offset of the hash table: number + 1, 0 for none")
_get_nodes, _set_nodes = STORE.word("nodes", "offset of the nodes")
_get_slot_mask, _set_slot_mask = STORE.word("slot_mask", "slots of the table in use - 1")
_get_cleared, _set_cleared = STORE.word("cleared", "slots cleared for this search so far")
_get_limit, _set_limit = STORE.word("limit", "nodes that this search may store")
get_count, _set_count = STORE.word("count", "nodes stored")
_get_head, _set_head = STORE.array(32, QUEUES, "heads", "root of each queue: number + 1")
REPORT = STORE.block(REPORT_SIZE, "report", "see search")

#: A node. Its first five words are all of the state that does not follow from the rest.
NODE = Record()
_WORDS_OF_PILES = 3
_get_piles, _set_piles = NODE.array(64, _WORDS_OF_PILES, "piles", "four pile words of 16 bits each")
_get_low, _set_low = NODE.word("low", "the low word of the waste's mask")
_get_rest, _set_rest = NODE.word("rest", "REST")
_get_counts, _set_counts = NODE.word("counts", "cards out by rank, as counts of policy")
_get_link, _set_link = NODE.word("link", "LINK")
_get_score, _set_score = NODE.word("score", "what the moves so far were worth, points")
_get_ranking, _set_ranking = NODE.word("ranking", "its place in a queue: the highest first")
_get_child, _set_child = NODE.field(32, "child", "first child in the pairing heap: number + 1")
_get_sibling, _set_sibling = NODE.field(32, "sibling", "next sibling there: number + 1")
_NODE_SIZE = NODE.size()
_PILES_A_WORD = PILES // _WORDS_OF_PILES
_PILE_BITS = 16
_PILE_MASK = (1 << _PILE_BITS) - 1

REST = Bits()
_rest_high, _put_high = REST.field(16, "high", "the high word of the waste's mask")
_rest_stock, _put_stock = REST.field(8, "stock", "cards left in the stock")
_rest_reserve, _put_reserve = REST.field(8, "reserve", "cards left in the reserve")

LINK = Bits()
_link_target, _put_target = LINK.field(16, "target", "pile word that the move went to")
_link_source, _put_source = LINK.field(16, "source", "pile word that the move took from")
_link_parent, _put_parent = LINK.field(32, "parent", "the node that it came from: number + 1")

NONE, ROOT_NODE = np.int64(-1), np.int64(0)
_NO_PILES, _ZERO = np.int64(0), np.int64(0)
_FIRST_HIGH = np.int64(64)
#: Fewest slots of a table, so that the smallest search has room; and most nodes, so that a number
#: + 1 stays within 31 bits.
_FEWEST_SLOTS = 1024
_MOST_NODES = (1 << 31) - 2
_SLOT_BYTES = 4
#: A node, up to two slots of the table, and 8 bytes that are left over: against the memory of the
#: abstraction, 23 MB, which is not counted.
BYTES_PER_NODE = _NODE_SIZE + 16
#: More than _MOST_NODES take: a limit is taken for no larger, so that its bytes are a number.
_MOST_MIB = 1 << 20
_FIRST_NODE = STORE.size(16)

_moves = View(np.uint16)


@kernel
def _capacity_for(memory_mib: int) -> int:
    """Return how many nodes fit into `memory_mib` MiB, with their table."""
    size = min(memory_mib, _MOST_MIB) << 20
    return min(max(size // BYTES_PER_NODE, _FEWEST_SLOTS), _MOST_NODES)


@kernel
def arena_size(memory_mib: int) -> int:
    """Return the bytes of an arena whose nodes and table take `memory_mib` MiB."""
    capacity = _capacity_for(memory_mib)
    slots = 2 << highest_bit(capacity)
    return _FIRST_NODE + _NODE_SIZE * capacity + _SLOT_BYTES * slots


@kernel
def lay_out(arena: int, memory_mib: int) -> None:
    """Make an arena of `arena_size(memory_mib)` bytes, of any content."""
    capacity = _capacity_for(memory_mib)
    note_size(arena, arena_size(memory_mib))
    at.lay_out(arena)
    _set_capacity(arena, capacity)
    _set_nodes(arena, _FIRST_NODE)
    _set_table(arena, _FIRST_NODE + _NODE_SIZE * capacity)


@kernel
def room_for_line(arena: int) -> Any:
    """Return room for a line, uint16[m], where the table is: nothing is looked up in it any more.

    A line has a move for each node of its path, a safe move for each card, and a rollout at most:
    with two moves a slot, and more slots than nodes, it always fits.
    """
    slots = 2 << highest_bit(_get_capacity(arena))
    return _moves(arena + _get_table(arena), _SLOT_BYTES // 2 * slots)


@kernel
def begin(arena: int, wanted: int) -> None:
    """Forget all nodes and queues; make room for `wanted` nodes, or as many as fit.

    The table is left to `clear`, which has to be done before the first node is entered.
    """
    limit = min(wanted, _get_capacity(arena))
    slots = _FEWEST_SLOTS
    while slots <= limit:
        slots *= 2
    _set_limit(arena, limit)
    _set_slot_mask(arena, slots - 1)
    _set_cleared(arena, 0)
    _set_count(arena, 0)
    for queue in range(QUEUES):
        _set_head(arena, queue, 0)


@kernel
def clear(arena: int, most: int) -> bool:
    """Clear up to `most` slots more of the table; tell whether all of it is clear."""
    cleared = _get_cleared(arena)
    count = min(most, _get_slot_mask(arena) + 1 - cleared)
    fill32(arena, _get_table(arena) + _SLOT_BYTES * cleared, count, _ZERO)
    _set_cleared(arena, cleared + count)
    return cleared + count > _get_slot_mask(arena)


@kernel
def has_room(arena: int, more: int) -> bool:
    """Tell whether `more` nodes still fit."""
    return get_count(arena) + more <= _get_limit(arena)


@kernel
def is_full(arena: int) -> bool:
    """Tell whether this search has all the nodes that the arena can give."""
    return _get_limit(arena) == _get_capacity(arena)


@inlined
def _node(arena: int, number: int) -> int:
    """Return the offset of a node."""
    return _get_nodes(arena) + _NODE_SIZE * number


@kernel
def _pack_piles(arena: int, state: int, first: int) -> int:
    """Pack four pile words."""
    words = 0
    for pile in range(_PILES_A_WORD):
        words |= at.get_pile(arena, state, first + pile) << (_PILE_BITS * pile)
    return words


@kernel
def enter(arena: int, state: int, parent: int, source: int, target: int) -> int:
    """Store a state as a new node; return its number, NONE when it was there already.

    state   int  offset; its piles are in order
    source  int  pile word, or one of the special words of `moves`, that the move took from
    target  int  pile word, or a special one, that it went to

    Equal states are recognised exactly: a hash only says where to look. The counts follow
    from the rest.
    """
    piles0 = _pack_piles(arena, state, _NO_PILES)
    piles1 = _pack_piles(arena, state, np.int64(_PILES_A_WORD))
    piles2 = _pack_piles(arena, state, np.int64(2 * _PILES_A_WORD))
    low = at.get_low(arena, state + at.WASTE)
    rest = _put_high(at.get_high(arena, state + at.WASTE))
    rest |= _put_stock(at.get_stock(arena, state)) | _put_reserve(at.get_reserve(arena, state))
    key = mix(wrapping_add(wrapping_multiply(piles0, GOLDEN), piles1))
    key = mix(wrapping_add(mix(wrapping_add(mix(wrapping_add(key, piles2)), low)), rest))
    table, mask = _get_table(arena), _get_slot_mask(arena)
    slot = key & mask
    while True:
        found = at.get_number(arena, table, slot)
        if found == 0:
            break
        node = _node(arena, found - 1)
        if (
            _get_piles(arena, node, 0) == piles0
            and _get_piles(arena, node, 1) == piles1
            and _get_piles(arena, node, 2) == piles2
            and _get_low(arena, node) == low
            and _get_rest(arena, node) == rest
        ):
            return NONE
        slot = (slot + 1) & mask
    number = get_count(arena)
    _set_count(arena, number + 1)
    at.set_number(arena, table, slot, number + 1)
    node = _node(arena, number)
    _set_piles(arena, node, 0, piles0)
    _set_piles(arena, node, 1, piles1)
    _set_piles(arena, node, 2, piles2)
    _set_low(arena, node, low)
    _set_rest(arena, node, rest)
    counts = 0
    for rank in range(RANKS):
        counts |= policy.put_count(at.get_out(arena, state, rank), rank)
    _set_counts(arena, node, counts)
    _set_link(arena, node, _put_parent(parent + 1) | _put_source(source) | _put_target(target))
    _set_score(arena, node, at.get_score(arena, state))
    return number


@kernel
def key_of(arena: int, number: int) -> int:
    """Return a hash of a node's state, for noise."""
    node = _node(arena, number)
    key = wrapping_multiply(_get_piles(arena, node, 0), GOLDEN)
    key = mix(wrapping_add(key, _get_piles(arena, node, 1)))
    key = mix(wrapping_add(key, _get_piles(arena, node, 2)))
    key = mix(wrapping_add(key, _get_low(arena, node)))
    return wrapping_add(key, _get_rest(arena, node))


@kernel
def _count_waste(arena: int, word: int, first: int) -> int:
    """Return the histogram of one word of a waste mask, whose lowest bit is card `first`."""
    histogram = 0
    while word != 0:
        histogram += policy.one_of(at.stream_rank(arena, first + lowest_bit(word)))
        word = without_lowest(word)
    return histogram


@kernel
def unpack(arena: int, number: int, state: int) -> None:
    """Write the state of a node out."""
    node = _node(arena, number)
    for part in range(_WORDS_OF_PILES):
        piles = _get_piles(arena, node, part)
        for pile in range(_PILES_A_WORD):
            word = shift_right(piles, _PILE_BITS * pile) & _PILE_MASK
            at.set_pile(arena, state, _PILES_A_WORD * part + pile, word)
    low, rest = _get_low(arena, node), _get_rest(arena, node)
    at.set_low(arena, state + at.WASTE, low)
    at.set_high(arena, state + at.WASTE, _rest_high(rest))
    at.set_stock(arena, state, _rest_stock(rest))
    at.set_reserve(arena, state, _rest_reserve(rest))
    histogram = _count_waste(arena, low, _ZERO)
    histogram += _count_waste(arena, _rest_high(rest), _FIRST_HIGH)
    at.set_histogram(arena, state, histogram)
    counts = _get_counts(arena, node)
    total = 0
    for rank in range(RANKS):
        out = policy.count_of(counts, rank)
        at.set_out(arena, state, rank, out)
        total += out
    at.set_all_out(arena, state, total)
    at.set_score(arena, state, _get_score(arena, node))


@kernel
def parent_of(arena: int, number: int) -> int:
    """Return the node that a node came from, NONE for the root."""
    return _link_parent(_get_link(arena, _node(arena, number))) - 1


@kernel
def trace(arena: int, number: int) -> None:
    """Lay the path from the root to a node: `next_of` follows it.

    It takes the place of the queues, which are of no more use.
    """
    after = NONE
    while number != NONE:
        _set_child(arena, _node(arena, number), after + 1)
        number, after = parent_of(arena, number), number


@kernel
def next_of(arena: int, number: int) -> int:
    """Return the node after another on the path that was laid, NONE after the last."""
    return _get_child(arena, _node(arena, number)) - 1


@kernel
def source_of(arena: int, number: int) -> int:
    """Return the pile word that the move to a node took from."""
    return _link_source(_get_link(arena, _node(arena, number)))


@kernel
def target_of(arena: int, number: int) -> int:
    """Return the pile word that the move to a node went to."""
    return _link_target(_get_link(arena, _node(arena, number)))


@kernel
def _meld(arena: int, one: int, other: int) -> int:
    """Join two heaps of nodes; numbers + 1, 0 for an empty one."""
    if one == 0 or other == 0:
        return one + other
    first, second = _node(arena, one - 1), _node(arena, other - 1)
    if _get_ranking(arena, first) < _get_ranking(arena, second):
        one, other = other, one
        first, second = second, first
    _set_sibling(arena, second, _get_child(arena, first))
    _set_child(arena, first, other)
    return one


@kernel
def push(arena: int, queue: int, number: int, ranking: int) -> None:
    """Queue a node."""
    node = _node(arena, number)
    _set_ranking(arena, node, ranking)
    _set_child(arena, node, 0)
    _set_sibling(arena, node, 0)
    _set_head(arena, queue, _meld(arena, _get_head(arena, queue), number + 1))


@kernel
def is_empty(arena: int, queue: int) -> bool:
    """Tell whether a queue is empty."""
    return _get_head(arena, queue) == 0


@inlined
def _cut_sibling(arena: int, number: int) -> int:
    """Take the siblings off a node of a heap, `number` + 1; return the next one, 0 for none."""
    node = _node(arena, number - 1)
    after = _get_sibling(arena, node)
    _set_sibling(arena, node, 0)
    return after


@kernel
def pop(arena: int, queue: int) -> int:
    """Take the node of highest ranking from a queue that is not empty."""
    number = _get_head(arena, queue) - 1
    # 1. Join the children in pairs, and chain the pairs backwards.
    child = _get_child(arena, _node(arena, number))
    pairs = 0
    while child != 0:
        second = _cut_sibling(arena, child)
        after = _cut_sibling(arena, second) if second != 0 else 0
        pair = _meld(arena, child, second)
        _set_sibling(arena, _node(arena, pair - 1), pairs)
        pairs = pair
        child = after
    # 2. Join the pairs.
    heap = _ZERO
    while pairs != 0:
        after = _cut_sibling(arena, pairs)
        heap = _meld(arena, heap, pairs)
        pairs = after
    _set_head(arena, queue, heap)
    return number
