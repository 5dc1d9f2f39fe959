"""What a session's block of memory holds, and where.

Owns its layout: first the records that each belong to a room (`ranks`, `proof`, `ideals`, `graph`,
`frontier`, `children`), then what is known of the position that is decided, then the tables, whose
size is a question of memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import View, inlined, kernel
from solvers.pyramid import frontier, proof
from solvers.pyramid.children import CHILDREN
from solvers.pyramid.frontier import MAX_COST
from solvers.pyramid.ideals import write_shapes
from solvers.pyramid.layout import PACKED_SIZE, RULES_SIZE
from solvers.pyramid.lines import LINE_ROOM
from solvers.search.arena import note_size
from solvers.search.record import Record
from solvers.search.status import OUT_OF_NODES

#: Moves that there is room for: of a line from pairs, and of a search.
_LINE_ROOM = max(LINE_ROOM, MAX_COST)

SESSION = Record(at=CHILDREN.size())
get_status, set_status = SESSION.word("status", "OPEN, or how the position was decided")
#: What is next: to begin the exact test, to go on with it, and the same for the search.
NEEDS, TEST, GRAPH, SEARCH = range(4)
get_part, set_part = SESSION.word("part", "NEEDS, TEST, GRAPH or SEARCH")
get_optimal, set_optimal = SESSION.word("optimal", "1 where only the fewest moves will do")
get_nodes, set_nodes = SESSION.word("nodes", "states expanded for this position")
get_max_nodes, set_max_nodes = SESSION.word("max_nodes", "states that may be, in all")
get_length, set_length = SESSION.word("length", "moves of the line")
_RULES = SESSION.block(8 * RULES_SIZE, "rules", "of the profile")
_PACKED = SESSION.block(PACKED_SIZE, "packed", "the position")
_LINE = SESSION.block(2 * _LINE_ROOM, "line", "the solution, packed")
_TABLES = SESSION.size(64)

_bytes, _moves, _words = View(np.uint8), View(np.uint16), View(np.int64)


@kernel
def block_size(memory_mib: int) -> int:
    """Return the bytes of a block for searches within a memory limit."""
    return _TABLES + proof.tables_size(memory_mib) + frontier.tables_size(memory_mib)


@kernel
def lay_out_block(session: int, memory_mib: int) -> None:
    """Make a session of memory of any content, without a position."""
    note_size(session, block_size(memory_mib))
    proof.lay_out(session, _TABLES, memory_mib)
    frontier.lay_out(session, _TABLES + proof.tables_size(memory_mib), memory_mib)
    write_shapes(session)
    drop(session)


@kernel
def drop(session: int) -> None:
    """Forget the position, if there is one: there is nothing to expand."""
    set_status(session, OUT_OF_NODES)
    set_nodes(session, 0)
    set_length(session, 0)


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
    """Return room for the line of any solution, uint16[m]."""
    return _moves(session + _LINE, _LINE_ROOM)
