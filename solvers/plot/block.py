"""What a session's block of memory holds, and where.

Owns its layout: what is known of the position that is decided, the arena of rollouts and searches,
and the memory of the threshold abstraction, which is not counted towards the limit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import View, inlined, kernel
from solvers.plot import nodes, phase_one_known
from solvers.plot.layout import PACKED_SIZE, RULES_SIZE
from solvers.plot.schedule import ABSTRACT_STATES
from solvers.search.arena import HEADER, note_size
from solvers.search.record import Record
from solvers.search.status import OUT_OF_NODES

SESSION = Record(at=HEADER)
_get_memory, _set_memory = SESSION.word("memory", "where the memory of the abstraction is")
get_status, set_status = SESSION.word("status", "OPEN, or how the position was decided")
get_nodes, set_nodes = SESSION.word("nodes", "states expanded for this position")
get_max_nodes, set_max_nodes = SESSION.word("max_nodes", "states that may be, in all")
get_left, set_left = SESSION.word("left", "states that this step may still expand")
get_stage, set_stage = SESSION.word("stage", "the stage that is on: a row of STAGES")
get_stage_end, set_stage_end = SESSION.word("stage_end", "the first stage that is not run")
get_turn, set_turn = SESSION.word("turn", "rollouts, or thresholds, that the stage is done with")
get_begun, set_begun = SESSION.word("begun", "1 while a rollout, proof or search is under way")
get_seed, set_seed = SESSION.word("seed", "of the position's rollouts")
get_finest, set_finest = SESSION.word(
    "finest", "the finest threshold that searches ask about their states; 0 for none"
)
get_length, set_length = SESSION.word("length", "moves of the line")
_RULES = SESSION.block(8 * RULES_SIZE, "rules", "of the profile")
_PACKED = SESSION.block(PACKED_SIZE, "packed", "the position")
_ARENA = SESSION.size(64)

_bytes, _words = View(np.uint8), View(np.int64)


@inlined
def _memory_place(memory_mib: int) -> int:
    """Return where the memory of the abstraction is: behind the arena, at a multiple of 64."""
    return (_ARENA + nodes.arena_size(memory_mib) + 63) & -64


@kernel
def block_size(memory_mib: int) -> int:
    """Return the bytes of a block for searches within a memory limit."""
    return _memory_place(memory_mib) + phase_one_known.memory_size(ABSTRACT_STATES)


@kernel
def lay_out_block(session: int, memory_mib: int) -> None:
    """Make a session of memory of any content, without a position."""
    note_size(session, block_size(memory_mib))
    _set_memory(session, _memory_place(memory_mib))
    nodes.lay_out(arena_of(session), memory_mib)
    phase_one_known.lay_out(memory_of(session), ABSTRACT_STATES)
    drop(session)


@kernel
def drop(session: int) -> None:
    """Forget the position, if there is one: there is nothing to expand."""
    set_status(session, OUT_OF_NODES)
    set_nodes(session, 0)
    set_length(session, 0)


@inlined
def arena_of(session: int) -> int:
    """Return the address of the arena of rollouts and searches."""
    return session + _ARENA


@inlined
def memory_of(session: int) -> int:
    """Return the address of the memory of the abstraction."""
    return session + _get_memory(session)


@inlined
def rules_of(session: int) -> Any:
    """Return the profile's rules, int64[RULES_SIZE]."""
    return _words(session + _RULES, RULES_SIZE)


@inlined
def packed_of(session: int) -> Any:
    """Return the position, uint8[PACKED_SIZE]."""
    return _bytes(session + _PACKED, PACKED_SIZE)


@inlined
def line_of(session: int) -> Any:
    """Return room for a line, uint16[m], which lasts until the next position is taken up."""
    return nodes.room_for_line(arena_of(session))
