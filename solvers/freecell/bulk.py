"""FreeCell in bulk: searches in stages, the solution written and replayed, no Python per deal.

Owns the driver kernel that takes packed positions to verdicts and lines. The stages come as
data; what happens to positions that resist them all is `solver`'s business. Copy in loops: slice
assignment makes numba compile its error-message formatting.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.freecell.layout import MAX, PACKED_SIZE, RULE_AUTOPLAY, SAFE
from solvers.freecell.lines import (
    MAX_LINE,
    ONTO_CELL,
    ONTO_EMPTY,
    ONTO_HOME,
    WRITER_SIZE,
    put_card,
    put_onto,
    write_line,
)
from solvers.freecell.records import (
    CONFIG_SIZE,
    TO_CELL,
    TO_HOME,
    byte_of,
    get_autoplay,
    get_budget,
    get_lengths,
    get_link,
    get_slot,
    get_splits,
    get_state_pool,
    link_move,
    link_parent,
    move_card,
    move_target,
    put_column,
    put_row,
    set_budget,
    set_config_word,
    slot_card,
    state_at,
)
from solvers.freecell.search import run
from solvers.freecell.search_state import (
    load_state,
)
from solvers.jit import kernel
from solvers.search.status import DRY, OPEN, OUT_OF_NODES, REJECTED, WON

#: Room for the macros of one search; lines are below 200 moves.
_MAX_PATH = 1024


@kernel
def set_config(arena: int, config: Any) -> None:
    """Write a configuration, `int64[CONFIG_SIZE]`, into the arena."""
    for word in range(CONFIG_SIZE):
        set_config_word(arena, word, config[word])


@kernel
def trace(arena: int, won: int, macros: Any) -> int:
    """Write the macros that lead from state 0 to a state; return how many, -1 if too many.

    macros  int64[_MAX_PATH]  out, as `lines` reads them
    """
    pool = get_state_pool(arena)
    total = 0
    index = won
    while index != 0:
        if total == len(macros):
            return -1
        link = get_link(arena, state_at(pool, index))
        index, move = link_parent(link), link_move(link)
        target = move_target(move)
        if target == TO_CELL:
            onto = ONTO_CELL
        elif target == TO_HOME:
            onto = ONTO_HOME
        else:
            parent = state_at(pool, index)
            length = byte_of(get_lengths(arena, parent), target)
            onto = ONTO_EMPTY
            if length > 0:
                top = put_column(target) | put_row(length - 1)
                onto = slot_card(get_slot(arena, parent, top))
        macros[total] = put_card(move_card(move)) | put_onto(onto)
        total += 1
    for index in range(total // 2):
        last = total - 1 - index
        macros[index], macros[last] = macros[last], macros[index]
    return total


@kernel
def _decide_one(
    arena: int, packed: Any, rules: Any, stages: Any, max_nodes: int, scratch: Any, line: Any
) -> Any:
    """Search one position in stages; return (status, nodes, length of the line).

    packed   uint8[PACKED_SIZE]  read only
    scratch  room that is allocated once: a packed position, macros and a writer of `lines`
    """
    copied, macros, writer = scratch
    first = state_at(get_state_pool(arena), 0)
    total = 0
    for stage in range(len(stages)):
        set_config(arena, stages[stage])
        budget = min(get_budget(arena), max_nodes - total)
        if budget <= 0:
            return OUT_OF_NODES, total, 0
        set_budget(arena, budget)
        if not load_state(arena, first, packed):
            return OPEN, total, 0
        status, nodes, won = run(arena)
        total += nodes
        if status == WON:
            count = trace(arena, won, macros)
            if count < 0:
                return REJECTED, total, 0
            for byte in range(PACKED_SIZE):
                copied[byte] = packed[byte]
            length = write_line(copied, rules, macros[:count], get_autoplay(arena), writer, line)
            if length < 0:
                return REJECTED, total, 0
            return WON, total, length
        # Forced max autoplay leaves positions out, except where the profile forces it.
        whole = get_autoplay(arena) == SAFE or rules[RULE_AUTOPLAY] == MAX
        if status == DRY and get_splits(arena) != 0 and whole:
            return DRY, total, 0
    return (OUT_OF_NODES if total >= max_nodes else OPEN), total, 0


@kernel
def decide(
    arena: int,
    packed: Any,
    rules: Any,
    stages: Any,
    max_nodes: int,
    statuses: Any,
    nodes: Any,
    lengths: Any,
    lines: Any,
    offsets: Any,
) -> None:
    """Search many positions in stages, write and replay the solutions found.

    arena      int64                   address; its rules are set
    packed     uint8[n, PACKED_SIZE]   read only
    rules      int64[RULES_SIZE]       of the profile that the lines are for
    stages     int64[k, CONFIG_SIZE]   configurations, tried one after another
    max_nodes  int64                   for one position, all stages together; exact

    The others are those of `Rows`, all written, except that `lines` has room; none at all says that
    no lines are wanted. The statuses:

    WON           the line was written through the rules of the profile
    OUT_OF_NODES  `max_nodes` is reached
    DRY           a near-complete search ran dry: almost certainly lost
    REJECTED      the line of a win failed its replay
    OPEN          none of these; also a win whose line does not fit
    """
    scratch = (
        np.empty(PACKED_SIZE, np.uint8),
        np.empty(_MAX_PATH, np.int64),
        np.empty(WRITER_SIZE, np.int64),
    )
    line = np.empty(MAX_LINE, np.uint16)
    offsets[0] = 0
    for row in range(len(packed)):
        status, used, length = _decide_one(
            arena, packed[row], rules, stages, max_nodes, scratch, line
        )
        at = offsets[row]
        if len(lines) > 0:
            if at + length <= len(lines):
                for index in range(length):
                    lines[at + index] = line[index]
                at += length
            else:
                status, length = OPEN, 0
        statuses[row] = status
        nodes[row] = used
        lengths[row] = length
        offsets[row + 1] = at
