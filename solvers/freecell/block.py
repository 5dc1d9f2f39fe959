"""What a session's block of memory holds, and where.

Owns its layout: what is known of the position that is decided, and where the arenas of short
searches, of the proof and of long searches lie. Each of them keeps to its part of the memory limit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.freecell import proof
from solvers.freecell.layout import PACKED_SIZE, RULES_SIZE
from solvers.freecell.lines import MAX_LINE, MAX_WAY
from solvers.freecell.records import (
    DEEP_BITS,
    DEEP_POOLS,
    MIB,
    QUICK_BITS,
    QUICK_STATES,
    arena_size,
    deep_states,
    lay_out,
    nodes_for,
    quick_states,
    set_room,
)
from solvers.jit import View, inlined, kernel
from solvers.search.arena import HEADER, note_size
from solvers.search.record import Record
from solvers.search.status import OUT_OF_NODES

SESSION = Record(at=HEADER)
_get_deep, _set_deep = SESSION.word("deep", "where the arena of long searches is")
_get_proof, _set_proof = SESSION.word("proof", "where the arena of the proof is")
get_status, set_status = SESSION.word("status", "OPEN, or how the position was decided")
get_stage, set_stage = SESSION.word("stage", "the stage under way, or the next: a row of STAGES")
get_stage_end, set_stage_end = SESSION.word("stage_end", "the first stage that is not run")
#: What is under way: nothing that has been begun, a search, the proof, its shortest way, or a beam.
NOTHING, SEARCH, PROOF, WAY, BEAM = range(5)
get_doing, set_doing = SESSION.word("doing", "what is under way")
get_left, set_left = SESSION.word("left", "states that this step may still expand")
get_nodes, set_nodes = SESSION.word("nodes", "states expanded for this position")
get_max_nodes, set_max_nodes = SESSION.word("max_nodes", "states that may be, in all")
get_length, set_length = SESSION.word("length", "moves of the line")
get_beam, set_beam = SESSION.word("beam", "the beam under way, or the next")
get_beat, set_beat = SESSION.word("beat", "moves of the line that a beam has to beat")
_RULES = SESSION.block(8 * RULES_SIZE, "rules", "of the profile")
_SEARCHED = SESSION.block(8 * RULES_SIZE, "searched", "the rules that positions are searched by")
_PACKED = SESSION.block(PACKED_SIZE, "packed", "the position")
_LINE = SESSION.block(2 * MAX_LINE, "line", "the solution, packed")
_MACROS = SESSION.block(8 * MAX_WAY, "macros", "that lead to the win")
_QUICK = SESSION.size(64)

_bytes, _moves, _words = View(np.uint8), View(np.uint16), View(np.int64)


@inlined
def _proof_memory(memory_mib: int) -> int:
    """Return the bytes of the proof's tables; searches have the rest."""
    return memory_mib * MIB * 3 // 5


@kernel
def _places(memory_mib: int) -> Any:
    """Return where the arena of the proof is, where that of long searches is, and the block's end.

    Short searches have the room that measuring takes, whatever the limit.
    """
    proof_at = _aligned(_QUICK + arena_size(QUICK_BITS, nodes_for(QUICK_STATES), QUICK_STATES))
    deep_at = _aligned(proof_at + proof.arena_size(_proof_memory(memory_mib)))
    states = deep_states(memory_mib)
    searches = arena_size(DEEP_BITS, nodes_for(states), states)
    ways = DEEP_POOLS + proof.way_size(_proof_memory(memory_mib))
    return proof_at, deep_at, _aligned(deep_at + max(searches, ways))


@inlined
def _aligned(offset: int) -> int:
    """Return the next multiple of 64, a line of the processor's cache."""
    return (offset + 63) & -64


@kernel
def block_size(memory_mib: int) -> int:
    """Return the bytes of a block for searches within a memory limit."""
    _, _, end = _places(memory_mib)
    return end


@kernel
def lay_out_block(session: int, memory_mib: int) -> None:
    """Make a session of memory of any content, without a position."""
    proof_at, deep_at, end = _places(memory_mib)
    note_size(session, end)
    _set_proof(session, proof_at)
    _set_deep(session, deep_at)
    lay_out(quick_arena(session), QUICK_BITS, nodes_for(QUICK_STATES), QUICK_STATES)
    states = quick_states(memory_mib)
    set_room(quick_arena(session), nodes_for(states), states)
    states = deep_states(memory_mib)
    lay_out(deep_arena(session), DEEP_BITS, nodes_for(states), states)
    proof.lay_out(proof_arena(session), _proof_memory(memory_mib))
    drop(session)


@kernel
def drop(session: int) -> None:
    """Forget the position, if there is one: there is nothing to expand."""
    set_status(session, OUT_OF_NODES)
    set_nodes(session, 0)
    set_length(session, 0)


@inlined
def quick_arena(session: int) -> int:
    """Return the address of the arena of short searches."""
    return session + _QUICK


@inlined
def deep_arena(session: int) -> int:
    """Return the address of the arena of long searches."""
    return session + _get_deep(session)


@inlined
def proof_arena(session: int) -> int:
    """Return the address of the proof's arena."""
    return session + _get_proof(session)


@inlined
def way_tables(session: int) -> int:
    """Return the address of the tables of a proof's way: where long searches have their states."""
    return deep_arena(session) + DEEP_POOLS


@inlined
def rules_of(session: int) -> Any:
    """Return the profile's rules, int64[RULES_SIZE]."""
    return _words(session + _RULES, RULES_SIZE)


@inlined
def searched_rules(session: int) -> Any:
    """Return the rules that positions are searched by, int64[RULES_SIZE]."""
    return _words(session + _SEARCHED, RULES_SIZE)


@inlined
def packed_of(session: int) -> Any:
    """Return the position, uint8[PACKED_SIZE]."""
    return _bytes(session + _PACKED, PACKED_SIZE)


@inlined
def line_of(session: int) -> Any:
    """Return room for the line, uint16[MAX_LINE]."""
    return _moves(session + _LINE, MAX_LINE)


@inlined
def macros_of(session: int, count: int) -> Any:
    """Return the first of MAX_WAY macros, int64[count]."""
    return _words(session + _MACROS, count)
