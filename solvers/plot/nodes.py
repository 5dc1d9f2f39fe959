"""The states that a search of The Plot has met: stored, found again, and queued.

Owns the part of the arena behind the deal: nodes of 80 bytes, an exact hash table of them, and
queues as pairing heaps linked through the nodes. Says nothing about which state is good.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.jit import kernel
from solvers.plot import search_state as at
from solvers.search.arena import fill32, load32, load64, store32, store64
from solvers.search.bits import lowest_bit, mix, shift_right

_W = at.WORD
_CAPACITY = at.CONTEXT_END  # nodes that fit
_TABLE = _CAPACITY + _W  # offset of the hash table
_NODES = _TABLE + _W  # offset of the nodes
_TABLE_MASK = _NODES + _W  # of this search: slots - 1
_LIMIT = _TABLE_MASK + _W  # of this search: nodes at most
COUNT = _LIMIT + _W  # nodes stored
#: Queues, the root's number + 1 each, 32 bits.
QUEUES = 1120
_HEADS = COUNT + _W
#: Sixteen words for the search that uses the nodes.
REPORT = _HEADS + 4 * QUEUES
_SCRATCH_END = REPORT + 16 * _W

#: A node: piles (three words), waste low, waste high with stock and reserve, counters; then
_LINK = 48  # parent in the high half, the move's source and target pile words in the low
_SCORE = 56
_RANKING = 64  # its place in a queue: the highest first
_FIRST_CHILD = 72  # links of the pairing heap, number + 1, 32 bits each
_SIBLING = 76
_NODE = 80
_MOVE_BITS = 32
_ALL = 0xFFFF

NONE = np.int64(-1)
_ZERO = np.int64(0)
BYTES_PER_NODE = _NODE + 16


def make_arena(memory_mib: int, isolation: int) -> NDArray[np.int64]:
    """Return an arena whose nodes and table take `memory_mib` MiB, lazily backed."""
    # Links have 32 bits, one of them for the sign.
    capacity = min(max((memory_mib << 20) // BYTES_PER_NODE, 1024), (1 << 31) - 2)
    slots = 1 << (capacity.bit_length())
    arena = at.make_context(_SCRATCH_END + capacity * _NODE + 4 * slots, isolation)
    arena[_CAPACITY // _W] = capacity
    arena[_NODES // _W] = _SCRATCH_END
    arena[_TABLE // _W] = _SCRATCH_END + capacity * _NODE
    return arena


@kernel
def clear(arena: int, wanted: int) -> None:
    """Forget all nodes and queues; make room for `wanted` nodes, or as many as fit."""
    limit = min(wanted, load64(arena, _CAPACITY))
    slots = 1024
    while slots <= limit:
        slots *= 2
    store64(arena, _LIMIT, limit)
    store64(arena, _TABLE_MASK, slots - 1)
    store64(arena, COUNT, 0)
    fill32(arena, load64(arena, _TABLE), slots, _ZERO)
    fill32(arena, np.int64(_HEADS), np.int64(QUEUES), _ZERO)


@kernel
def has_room(arena: int, more: int) -> bool:
    """Tell whether so many more nodes fit."""
    return load64(arena, COUNT) + more <= load64(arena, _LIMIT)


@kernel
def is_full(arena: int) -> bool:
    """Tell whether this search has all the nodes that the arena can give."""
    return load64(arena, _LIMIT) == load64(arena, _CAPACITY)


@kernel
def _node(arena: int, number: int) -> int:
    """Return the offset of a node."""
    return load64(arena, _NODES) + _NODE * number


@kernel
def _pack_piles(arena: int, state: int, first: int) -> int:
    """Pack four pile words."""
    words = 0
    for pile in range(4):
        words |= load64(arena, state + at.PILE + _W * (first + pile)) << (16 * pile)
    return words


@kernel
def enter(arena: int, state: int, parent: int, source: int, target: int) -> int:
    """Store a state as a new node; return its number, NONE when it was there already.

    state   int  offset; its piles are in order
    source  int  pile word, or one of the special words, that the move took from
    target  int  pile word, or a special one, that it went to

    Equal states are recognised exactly: a hash only says where to look. The counters follow
    from the rest.
    """
    piles0 = _pack_piles(arena, state, _ZERO)
    piles1 = _pack_piles(arena, state, np.int64(4))
    piles2 = _pack_piles(arena, state, np.int64(8))
    low = load64(arena, state + at.WASTE_LOW)
    rest = load64(arena, state + at.WASTE_HIGH)
    rest |= load64(arena, state + at.STOCK_LEFT) << 16
    rest |= load64(arena, state + at.RESERVES_LEFT) << 24
    key = mix(piles0 * -7046029254386353131 + piles1)
    key = mix(mix(mix(key + piles2) + low) + rest)
    table, mask = load64(arena, _TABLE), load64(arena, _TABLE_MASK)
    slot = key & mask
    while True:
        found = load32(arena, table + 4 * slot)
        if found == 0:
            break
        node = _node(arena, found - 1)
        if (
            load64(arena, node) == piles0
            and load64(arena, node + 8) == piles1
            and load64(arena, node + 16) == piles2
            and load64(arena, node + 24) == low
            and load64(arena, node + 32) == rest
        ):
            return NONE
        slot = (slot + 1) & mask
    number = load64(arena, COUNT)
    store64(arena, COUNT, number + 1)
    store32(arena, table + 4 * slot, number + 1)
    node = _node(arena, number)
    store64(arena, node, piles0)
    store64(arena, node + 8, piles1)
    store64(arena, node + 16, piles2)
    store64(arena, node + 24, low)
    store64(arena, node + 32, rest)
    counters = 0
    for rank in range(13):
        counters |= at.out_of(arena, state, rank) << (4 * rank)
    store64(arena, node + 40, counters)
    store64(arena, node + _LINK, (parent + 1) << _MOVE_BITS | source << 16 | target)
    store64(arena, node + _SCORE, load64(arena, state + at.SCORE))
    return number


@kernel
def key_of(arena: int, number: int) -> int:
    """Return a hash of a node's state, for noise."""
    node = _node(arena, number)
    key = mix(load64(arena, node) * -7046029254386353131 + load64(arena, node + 8))
    key = mix(key + load64(arena, node + 16)) + load64(arena, node + 24)
    return mix(key) + load64(arena, node + 32)


@kernel
def _count_waste(arena: int, mask: int, first: int) -> int:
    """Return the histogram of one word of a waste mask."""
    histogram = 0
    while mask != 0:
        rank = at.stream_rank(arena, first + lowest_bit(mask))
        histogram += 1 << (4 * rank)
        mask &= mask - 1
    return histogram


@kernel
def unpack(arena: int, number: int, state: int) -> None:
    """Write the state of a node out."""
    node = _node(arena, number)
    for part in range(3):
        piles = load64(arena, node + _W * part)
        for pile in range(4):
            code = shift_right(piles, 16 * pile) & _ALL
            store64(arena, state + at.PILE + _W * (4 * part + pile), code)
    low, rest = load64(arena, node + 24), load64(arena, node + 32)
    store64(arena, state + at.WASTE_LOW, low)
    store64(arena, state + at.WASTE_HIGH, rest & _ALL)
    store64(arena, state + at.STOCK_LEFT, (rest >> 16) & 255)
    store64(arena, state + at.RESERVES_LEFT, rest >> 24)
    histogram = _count_waste(arena, low, _ZERO)
    histogram += _count_waste(arena, rest & _ALL, np.int64(64))
    store64(arena, state + at.HISTOGRAM, histogram)
    counters = load64(arena, node + 40)
    total = 0
    for rank in range(13):
        out = (counters >> (4 * rank)) & 15
        store64(arena, state + at.OUTS + _W * rank, out)
        total += out
    store64(arena, state + at.ALL_OUT, total)
    store64(arena, state + at.SCORE, load64(arena, node + _SCORE))


@kernel
def parent_of(arena: int, number: int) -> int:
    """Return the node that a node came from, NONE for the root."""
    return shift_right(load64(arena, _node(arena, number) + _LINK), _MOVE_BITS) - 1


@kernel
def source_of(arena: int, number: int) -> int:
    """Return the pile word that the move to a node took from."""
    return (load64(arena, _node(arena, number) + _LINK) >> 16) & _ALL


@kernel
def target_of(arena: int, number: int) -> int:
    """Return the pile word that the move to a node went to."""
    return load64(arena, _node(arena, number) + _LINK) & _ALL


@kernel
def _meld(arena: int, one: int, other: int) -> int:
    """Join two heaps of nodes; numbers + 1, 0 for an empty one."""
    if one == 0 or other == 0:
        return one + other
    first, second = _node(arena, one - 1), _node(arena, other - 1)
    if load64(arena, first + _RANKING) < load64(arena, second + _RANKING):
        one, other = other, one
        first, second = second, first
    store32(arena, second + _SIBLING, load32(arena, first + _FIRST_CHILD))
    store32(arena, first + _FIRST_CHILD, other)
    return one


@kernel
def push(arena: int, queue: int, number: int, ranking: int) -> None:
    """Queue a node."""
    node = _node(arena, number)
    store64(arena, node + _RANKING, ranking)
    store32(arena, node + _FIRST_CHILD, 0)
    store32(arena, node + _SIBLING, 0)
    head = _HEADS + 4 * queue
    store32(arena, head, _meld(arena, load32(arena, head), number + 1))


@kernel
def is_empty(arena: int, queue: int) -> bool:
    """Tell whether a queue is empty."""
    return load32(arena, _HEADS + 4 * queue) == 0


@kernel
def pop(arena: int, queue: int) -> int:
    """Take the node of highest ranking from a queue that is not empty."""
    head = _HEADS + 4 * queue
    number = load32(arena, head) - 1
    # 1. Join the children in pairs, and chain the pairs backwards.
    child = load32(arena, _node(arena, number) + _FIRST_CHILD)
    pairs = 0
    while child != 0:
        node = _node(arena, child - 1)
        second = load32(arena, node + _SIBLING)
        store32(arena, node + _SIBLING, 0)
        after = 0
        if second != 0:
            node = _node(arena, second - 1)
            after = load32(arena, node + _SIBLING)
            store32(arena, node + _SIBLING, 0)
        pair = _meld(arena, child, second)
        store32(arena, _node(arena, pair - 1) + _SIBLING, pairs)
        pairs = pair
        child = after
    # 2. Join the pairs.
    heap = _ZERO
    while pairs != 0:
        node = _node(arena, pairs - 1)
        after = load32(arena, node + _SIBLING)
        store32(arena, node + _SIBLING, 0)
        heap = _meld(arena, heap, pairs)
        pairs = after
    store32(arena, head, heap)
    return number
