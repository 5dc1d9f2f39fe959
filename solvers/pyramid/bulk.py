"""Pyramid in bulk: the exact test over many positions, and the lines from its pairs.

Owns the loop over positions. What is done with one is in `case`; what the test leaves open, under
limited redeals or for the goal `all`, is up to the caller.
"""

from __future__ import annotations

from typing import Any

from solvers.jit import entry
from solvers.pyramid.block import GRAPH, NEEDS, drop, get_length, get_nodes, line_of
from solvers.pyramid.case import decide_on, play_by, take_up
from solvers.search.status import WON


@entry("i64, u8[:,:], i64[:], i64, i64, i64, i8[:], i64[:], i32[:], u16[:], i64[:]")
def decide(
    session: int,
    packed: Any,
    rules: Any,
    max_nodes: int,
    first: int,
    keep_lines: int,
    statuses: Any,
    nodes: Any,
    lengths: Any,
    lines: Any,
    offsets: Any,
) -> int:
    """Test positions from row `first` on; return the row after the last one.

    It ends early where `lines` has no room for a line. What is said of the rows before stands: to
    go on, call it again with more room and this row. Drops the position that the session has taken
    up.

    session     a block that is prepared
    packed      uint8[n, PACKED_SIZE]  read only
    rules       int64[RULES_SIZE]      the profile's
    max_nodes   for one position, exact
    keep_lines  0 when no lines are wanted
    statuses    int8[n]                out: as of `step`; OPEN where the test does not decide
    nodes       int64[n]               out: states expanded
    lengths     int32[n]               out: moves of the line, also of one that is not kept
    lines       uint16[m]              out: solutions one after another
    offsets     int64[n + 1]           out: line i is lines[offsets[i]:offsets[i + 1]];
                                       offsets[first] is read
    """
    play_by(session, rules)
    line = line_of(session)
    row = first
    while row < len(packed):
        take_up(session, packed[row], NEEDS, 0, max_nodes, 0)
        status = decide_on(session, max_nodes, GRAPH)
        length, at = get_length(session), offsets[row]
        if status == WON and keep_lines != 0:
            if length > len(lines) - at:
                break
            for index in range(length):
                lines[at + index] = line[index]
            at += length
        statuses[row] = status
        nodes[row] = get_nodes(session)
        lengths[row] = length
        row += 1
        offsets[row] = at
    drop(session)
    return row
