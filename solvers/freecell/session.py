"""FreeCell's program: a session, a block of memory in which one position after another is decided.

Owns the entries by which a position is decided in slices, and names all others, so that whoever
loads the program has them here. A session is the caller's memory, of `session_size` bytes and
`prepare`d once; nothing else is kept between two calls.
"""

from __future__ import annotations

from typing import Any

from solvers.freecell import block, case, short
from solvers.freecell.bulk import decide
from solvers.freecell.effort import measure_decks
from solvers.freecell.kernel import deal_decks, replay_decks
from solvers.freecell.schedule import BEST_FIRST_END, LONG_END, QUICK_END
from solvers.jit import entry

__all__ = [
    "begin",
    "begin_short",
    "deal_decks",
    "decide",
    "measure_decks",
    "nodes_spent",
    "prepare",
    "replay_decks",
    "session_size",
    "shorten",
    "step",
    "take_line",
]

#: Places in `GAME.methods`; any other method is the proof alone.
_FAST, _BEST_FIRST = 0, 1


@entry("i64")
def session_size(memory_mib: int) -> int:
    """Return the bytes of a block for searches within a memory limit, which touch what they use."""
    return block.block_size(memory_mib)


@entry("i64, i64")
def prepare(session: int, memory_mib: int) -> None:
    """Make a session of a block of `session_size(memory_mib)` bytes, of any content."""
    block.lay_out_block(session, memory_mib)


@entry("i64, u8[:], i64[:], i64, i64, i64, i64")
def begin(
    session: int,
    packed: Any,
    rules: Any,
    method: int,
    max_nodes: int,
    spent: int,
    bulk_done: int,
) -> None:
    """Take up a position, which `step` will decide.

    packed     uint8[PACKED_SIZE]  before or after the profile's autoplay; the line begins after it
    rules      int64[RULES_SIZE]   the profile's
    method     place in the game's methods
    max_nodes  states to expand at most, those of `spent` included
    spent      states that were expanded before
    bulk_done  whether `decide` has left the position open: its searches are not run again
    """
    first, end = LONG_END, LONG_END
    if method == _FAST:
        first = QUICK_END if bulk_done != 0 else 0
    elif method == _BEST_FIRST:
        end = BEST_FIRST_END
    case.play_by(session, rules)
    case.take_up(session, packed, first, end, max_nodes, spent)


@entry("i64, i64")
def step(session: int, nodes: int) -> int:
    """Expand up to `nodes` more states, at least one; return the status.

    OPEN says to call it again. WON, LOST, OUT_OF_NODES, OUT_OF_MEMORY and REJECTED are how the
    position was decided. Neither that, nor the nodes, nor the line depend on the steps. Where the
    proof comes upon a win, looking for the shortest way to it takes steps, too, but no nodes.
    """
    return case.decide_on(session, max(nodes, 1))


@entry("i64, u8[:], i64[:], i64, i64")
def begin_short(session: int, packed: Any, rules: Any, length: int, effort: int) -> None:
    """Take up a position for which a line is known, and which `shorten` will find shorter ones for.

    packed  uint8[PACKED_SIZE]  as of `begin`
    rules   int64[RULES_SIZE]   the profile's
    length  moves of the line that is known
    effort  states to expand at most
    """
    short.take_up(session, packed, rules, length, effort)


@entry("i64, i64")
def shorten(session: int, nodes: int) -> int:
    """Expand some `nodes` more states, in whole layers; return the status.

    OPEN says to call it again, WON that there is a shorter line, DRY that none was found. At any
    time `take_line` has the shortest so far, which is empty where none is shorter.
    """
    return short.shorten_on(session, max(nodes, 1))


@entry("i64")
def nodes_spent(session: int) -> int:
    """Return the states expanded for the position so far, those of `spent` included."""
    return block.get_nodes(session)


@entry("i64, u16[:]")
def take_line(session: int, line: Any) -> int:
    """Write the line of a position that was won; return its moves, -1 when there is no room."""
    length = block.get_length(session)
    if length > len(line):
        return -1
    own = block.line_of(session)
    for index in range(length):
        line[index] = own[index]
    return length
