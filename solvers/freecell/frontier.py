"""The queue of FreeCell's fast search, and its table of visited positions.

Owns what is known and what waits: a table of hashes, which may forget, and buckets of equal
score, in which the newest comes first. What is put in, and at what score, is up to `search`.
"""

from __future__ import annotations

from solvers.freecell.search_state import (
    BITMAP,
    BUCKETS,
    C_GENERATION,
    C_NODE_CAP,
    C_NODE_POOL,
    C_NODES,
    C_STATES,
    C_TABLE,
    C_TABLE_BITS,
    COUNTERS,
    HEADS,
    NO_NODE,
    SUMMARY,
)
from solvers.jit import inlined, kernel
from solvers.search.arena import fill32, load32, load64, store32, store64
from solvers.search.bits import lowest_bit


@kernel
def reset(arena: int) -> None:
    """Empty queue and pools but for state 0, and begin a new generation of visits."""
    store64(arena, SUMMARY, 0)
    for word in range(64):
        store64(arena, BITMAP + 8 * word, 0)
    store64(arena, COUNTERS + 8 * C_NODES, 0)
    store64(arena, COUNTERS + 8 * C_STATES, 1)
    generation = load64(arena, COUNTERS + 8 * C_GENERATION) + 1
    if generation == 4096:
        size = 1 << load64(arena, COUNTERS + 8 * C_TABLE_BITS)
        fill32(arena, load64(arena, COUNTERS + 8 * C_TABLE), size, 0)
        generation = 1
    store64(arena, COUNTERS + 8 * C_GENERATION, generation)


@inlined
def visit(arena: int, key: int) -> int:
    """Note a position as visited; return 1 if it was new, 0 if it may be an old one.

    The table holds 12 bits of generation and 20 of the key; it is never cleared between
    searches, and a full neighbourhood lets a position through unseen.
    """
    bits = load64(arena, COUNTERS + 8 * C_TABLE_BITS)
    mask = (1 << bits) - 1
    table = load64(arena, COUNTERS + 8 * C_TABLE)
    entry = (load64(arena, COUNTERS + 8 * C_GENERATION) << 20) | ((key >> 40) & 0xFFFFF)
    generation = entry >> 20
    index = key & mask
    for _ in range(16):
        at = table + 4 * index
        found = load32(arena, at)
        if found >> 20 != generation:
            store32(arena, at, entry)
            return 1
        if found == entry:
            return 0
        index = (index + 1) & mask
    return 1


@inlined
def push_node(arena: int, score: int, node: int) -> int:
    """Link a node into its score's bucket; return 0 if the pool is full.

    node  state << 22 | move << 42, where move 0 stands for the state itself
    """
    index = load64(arena, COUNTERS + 8 * C_NODES)
    if index >= load64(arena, COUNTERS + 8 * C_NODE_CAP):
        return 0
    store64(arena, COUNTERS + 8 * C_NODES, index + 1)
    bucket = min(max(score, 0), BUCKETS - 1)
    word = BITMAP + 8 * (bucket >> 6)
    bits = load64(arena, word)
    head = HEADS + 4 * bucket
    link = NO_NODE
    if (bits >> (bucket & 63)) & 1 != 0:
        link = load32(arena, head)
    else:
        store64(arena, word, bits | (1 << (bucket & 63)))
        store64(arena, SUMMARY, load64(arena, SUMMARY) | (1 << (bucket >> 6)))
    store32(arena, head, index)
    store64(arena, load64(arena, COUNTERS + 8 * C_NODE_POOL) + 8 * index, node | link)
    return 1


@inlined
def pop_node(arena: int) -> int:
    """Unlink and return the newest node of the lowest bucket; -1 when none is left."""
    summary = load64(arena, SUMMARY)
    if summary == 0:
        return -1
    group = lowest_bit(summary)
    bits = load64(arena, BITMAP + 8 * group)
    bucket = (group << 6) + lowest_bit(bits)
    index = load32(arena, HEADS + 4 * bucket)
    node = load64(arena, load64(arena, COUNTERS + 8 * C_NODE_POOL) + 8 * index)
    link = node & NO_NODE
    if link == NO_NODE:
        bits &= bits - 1
        store64(arena, BITMAP + 8 * group, bits)
        if bits == 0:
            store64(arena, SUMMARY, summary & (summary - 1))
    else:
        store32(arena, HEADS + 4 * bucket, link)
    return node
