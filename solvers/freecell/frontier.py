"""The queue of FreeCell's fast search, and its table of visited positions.

Owns what is known and what waits: a table of hashes, which may forget, and buckets of equal
score, in which the newest comes first. What is put in, and at what score, is up to `search`.
"""

from __future__ import annotations

from solvers.freecell.records import (
    BUCKETS,
    ENTRY_SIZE,
    GENERATIONS,
    GROUPS,
    NO_NODE,
    NODE_SIZE,
    TABLE,
    bucket_bit,
    bucket_group,
    entry_generation,
    get_bitmap,
    get_generation,
    get_head,
    get_node_cap,
    get_node_pool,
    get_nodes,
    get_summary,
    get_table_bits,
    node_link,
    put_bucket_bit,
    put_bucket_group,
    put_generation,
    put_node_link,
    put_tag,
    set_bitmap,
    set_generation,
    set_head,
    set_nodes,
    set_states,
    set_summary,
)
from solvers.jit import inlined, kernel
from solvers.search.arena import fill32, load32, load64, store32, store64
from solvers.search.bits import lowest_bit
from solvers.search.record import Bits

#: What the table takes of a key: the slot where it begins, cut to the table's size, and a tag.
_KEY = Bits(64)
_KEY.field(40, "slot", "where in the table")
_key_tag, _ = _KEY.field(20, "tag", "what tells keys of a slot apart")
#: Slots that are looked at for a key.
_PROBES = 16


@kernel
def reset(arena: int) -> None:
    """Empty queue and pools but for state 0, and begin a new generation of visits."""
    set_summary(arena, 0)
    for group in range(GROUPS):
        set_bitmap(arena, group, 0)
    set_nodes(arena, 0)
    set_states(arena, 1)
    generation = get_generation(arena) + 1
    if generation == GENERATIONS:
        fill32(arena, TABLE, 1 << get_table_bits(arena), 0)
        generation = 1
    set_generation(arena, generation)


@inlined
def visit(arena: int, key: int) -> int:
    """Note a position as visited; return 1 if it was new, 0 if it may be an old one.

    The table is never cleared between searches, and a full neighbourhood lets a position through
    unseen.
    """
    mask = (1 << get_table_bits(arena)) - 1
    generation = get_generation(arena)
    entry = put_generation(generation) | put_tag(_key_tag(key))
    index = key & mask
    for _ in range(_PROBES):
        at = TABLE + ENTRY_SIZE * index
        found = load32(arena, at)
        if entry_generation(found) != generation:
            store32(arena, at, entry)
            return 1
        if found == entry:
            return 0
        index = (index + 1) & mask
    return 1


@inlined
def push_node(arena: int, score: int, node: int) -> int:
    """Link a node, a NODE without link, into its score's bucket; return 0 if the pool is full."""
    index = get_nodes(arena)
    if index >= get_node_cap(arena):
        return 0
    set_nodes(arena, index + 1)
    bucket = min(max(score, 0), BUCKETS - 1)
    group, bit = bucket_group(bucket), bucket_bit(bucket)
    bits = get_bitmap(arena, group)
    link = NO_NODE
    if (bits >> bit) & 1 != 0:
        link = get_head(arena, bucket)
    else:
        set_bitmap(arena, group, bits | (1 << bit))
        set_summary(arena, get_summary(arena) | (1 << group))
    set_head(arena, bucket, index)
    store64(arena, get_node_pool(arena) + NODE_SIZE * index, node | put_node_link(link))
    return 1


@inlined
def pop_node(arena: int) -> int:
    """Unlink and return the newest node of the lowest bucket; -1 when none is left."""
    summary = get_summary(arena)
    if summary == 0:
        return -1
    group = lowest_bit(summary)
    bits = get_bitmap(arena, group)
    bucket = put_bucket_group(group) + put_bucket_bit(lowest_bit(bits))
    index = get_head(arena, bucket)
    node = load64(arena, get_node_pool(arena) + NODE_SIZE * index)
    link = node_link(node)
    if link == NO_NODE:
        bits &= bits - 1
        set_bitmap(arena, group, bits)
        if bits == 0:
            set_summary(arena, summary & (summary - 1))
    else:
        set_head(arena, bucket, link)
    return node
