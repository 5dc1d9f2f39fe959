"""FreeCell in bulk: searches in stages, the solution written and replayed, no Python per deal.

Owns the driver kernel that takes packed positions to verdicts and lines. The stages come as
data; what happens to positions that resist them all is `solver`'s business. Arrays are copied
in loops: a slice assigned to a slice has numba compile the text of its error message, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.freecell.layout import MAX, RULE_AUTOPLAY, SAFE
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
from solvers.freecell.search import run
from solvers.freecell.search_state import (
    AUTOPLAY,
    BUDGET,
    C_STATE_POOL,
    CONFIG,
    CONFIG_WORDS,
    COUNTERS,
    LENGTHS,
    LINK,
    SPLITS,
    STATE_SIZE,
    TO_CELL,
    TO_HOME,
    load_state,
)
from solvers.jit import kernel
from solvers.search.arena import load32, load64, store64
from solvers.search.status import DRY, OPEN, OUT_OF_NODES, REJECTED, WON

#: Room for the macros of one search; lines are below 200 moves.
MAX_MACROS = 1024


@kernel
def set_config(arena: int, config: Any, budget: int) -> None:
    """Write a stage's configuration into the arena, with another budget.

    config  int64[CONFIG_WORDS]
    """
    for word in range(CONFIG_WORDS):
        store64(arena, CONFIG + 8 * word, config[word])
    store64(arena, CONFIG + 8 * BUDGET, budget)


@kernel
def trace(arena: int, won: int, macros: Any) -> int:
    """Write the macros that lead from state 0 to a state; return how many, -1 if too many.

    macros  int64[MAX_MACROS]  out, as `lines` reads them
    """
    pool = load64(arena, COUNTERS + 8 * C_STATE_POOL)
    total = 0
    index = won
    while index != 0:
        if total == len(macros):
            return -1
        link = load64(arena, pool + STATE_SIZE * index + LINK)
        index = link & 0xFFFFFFFF
        move = link >> 32
        target = (move >> 6) & 15
        if target == TO_CELL:
            onto = ONTO_CELL
        elif target == TO_HOME:
            onto = ONTO_HOME
        else:
            parent = pool + STATE_SIZE * index
            length = (load64(arena, parent + LENGTHS) >> (8 * target)) & 255
            onto = ONTO_EMPTY
            if length > 0:
                onto = load32(arena, parent + 64 * target + 4 * (length - 1)) & 63
        macros[total] = put_card(move & 63) | put_onto(onto)
        total += 1
    for index in range(total // 2):
        last = total - 1 - index
        macros[index], macros[last] = macros[last], macros[index]
    return total


@kernel
def solve_one(
    arena: int,
    packed: Any,
    scratch: Any,
    rules: Any,
    configs: Any,
    max_nodes: int,
    macros: Any,
    writer: Any,
    line: Any,
) -> Any:
    """Search one position in stages; return (status, nodes, length of the line).

    packed   uint8[PACKED_SIZE]  read only
    scratch  uint8[PACKED_SIZE]
    """
    pool = load64(arena, COUNTERS + 8 * C_STATE_POOL)
    total = 0
    for stage in range(len(configs)):
        budget = min(configs[stage, BUDGET], max_nodes - total)
        if budget <= 0:
            return OUT_OF_NODES, total, 0
        set_config(arena, configs[stage], budget)
        if not load_state(arena, pool, packed):
            return OPEN, total, 0
        status, nodes, won = run(arena)
        total += nodes
        if status == WON:
            count = trace(arena, won, macros)
            if count < 0:
                return REJECTED, total, 0
            for byte in range(len(packed)):
                scratch[byte] = packed[byte]
            searched = configs[stage, AUTOPLAY]
            length = write_line(scratch, rules, macros[:count], searched, writer, line)
            if length < 0:
                return REJECTED, total, 0
            return WON, total, length
        # Forced max autoplay leaves positions out, except where the profile forces it.
        whole = configs[stage, AUTOPLAY] == SAFE or rules[RULE_AUTOPLAY] == MAX
        if status == DRY and configs[stage, SPLITS] != 0 and whole:
            return DRY, total, 0
    return (OUT_OF_NODES if total >= max_nodes else OPEN), total, 0


@kernel
def decide(
    arena: int,
    packed: Any,
    rules: Any,
    configs: Any,
    max_nodes: int,
    statuses: Any,
    nodes: Any,
    lengths: Any,
    lines: Any,
    offsets: Any,
) -> None:
    """Search many positions in stages, write and replay the solutions found.

    arena      int64                     address; its rules are set
    packed     uint8[n, PACKED_SIZE]      read only
    rules      int64[RULES_SIZE]         of the profile that the lines are for
    configs    int64[k, CONFIG_WORDS]    stages, in turn
    max_nodes  int64                     for one position, all stages together; exact
    statuses   int8[n]                   out: OPEN, OUT_OF_NODES, WON, REJECTED or DRY
    nodes      int64[n]                  out: states expanded
    lengths    int32[n]                  out: moves of the solution
    lines      uint16[m]                 out: solutions one after another; a solution that does
                                         not fit is left out, and m = 0 wants none
    offsets    int64[n + 1]              out
    """
    macros = np.empty(MAX_MACROS, np.int64)
    writer = np.empty(WRITER_SIZE, np.int64)
    line = np.empty(MAX_LINE, np.uint16)
    scratch = np.empty(packed.shape[1], np.uint8)
    offsets[0] = 0
    for row in range(len(packed)):
        status, used, length = solve_one(
            arena, packed[row], scratch, rules, configs, max_nodes, macros, writer, line
        )
        statuses[row] = status
        nodes[row] = used
        lengths[row] = length
        at = offsets[row]
        if at + length <= len(lines):
            for index in range(length):
                lines[at + index] = line[index]
            at += length
        offsets[row + 1] = at

