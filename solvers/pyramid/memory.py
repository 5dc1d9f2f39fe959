"""The arena that the exact test and the searches of one thread share.

Its records follow one another, each declared in the room that it belongs to: `ranks`, `proof`,
`graph`, `frontier`, `children`. After them come the tables, whose size is a question of memory.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.pyramid import frontier, graph, proof
from solvers.pyramid.children import CHILDREN
from solvers.search.arena import PerThread, new_arena

#: Tables begin at multiples of this, a cache line.
_ALIGN = 64


def _new_memory(memory_mib: int) -> NDArray[np.int64]:
    """Allocate an arena for searches within some MiB; what is not used is never backed."""
    nodes, trials, slots = proof.room_for(memory_mib)
    entries, index_slots = frontier.room_for(memory_mib)
    end = CHILDREN.size(_ALIGN)
    words: dict[int, int] = {}
    tables = (
        (proof.PROOF, "nodes", nodes * proof.NODE_SIZE),
        (proof.PROOF, "trials", trials * proof.TRIAL_SIZE),
        (proof.PROOF, "index", slots * proof.SLOT_SIZE),
        (frontier.FRONTIER, "entries", entries * frontier.ENTRY_SIZE),
        (frontier.FRONTIER, "links", entries * frontier.LINK_SIZE),
        (frontier.FRONTIER, "index", index_slots * frontier.SLOT_SIZE),
    )
    for record, name, size in tables:
        words[record.at(name)] = end
        end += -(-size // _ALIGN) * _ALIGN
    words[proof.PROOF.at("node_room")] = nodes
    words[proof.PROOF.at("trial_room")] = trials
    words[proof.PROOF.at("slots")] = slots
    words[frontier.FRONTIER.at("entry_room")] = entries
    words[frontier.FRONTIER.at("slot_room")] = index_slots
    arena = new_arena(end)
    for offset, value in words.items():
        arena[offset // arena.itemsize] = value
    graph.write_shapes(arena)
    # The exact test finds its index empty, and leaves it so.
    index = words[proof.PROOF.at("index")]
    arena.view(np.uint8)[index : index + slots * proof.SLOT_SIZE] = 0
    return arena


#: This thread's arena of a size; the last size only.
arena_of = PerThread(_new_memory)
