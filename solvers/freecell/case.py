"""One position of a session on its way to a verdict: stages, then the proof, in slices.

Owns the order in which searches are tried, and how what they find becomes a line. Which stages
there are is data of `schedule`; loops over states are in `search` and `proof`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.freecell import proof, search
from solvers.freecell.block import (
    NOTHING,
    PROOF,
    SEARCH,
    WAY,
    deep_arena,
    get_doing,
    get_left,
    get_max_nodes,
    get_nodes,
    get_stage,
    get_stage_end,
    get_status,
    line_of,
    macros_of,
    packed_of,
    proof_arena,
    quick_arena,
    rules_of,
    searched_rules,
    set_doing,
    set_left,
    set_length,
    set_max_nodes,
    set_nodes,
    set_stage,
    set_stage_end,
    set_status,
    way_tables,
)
from solvers.freecell.layout import (
    MAX,
    PACKED_SIZE,
    POWER,
    RULE_AUTOPLAY,
    RULE_SUPERMOVE,
    RULES_SIZE,
    SAFE,
)
from solvers.freecell.lines import (
    MAX_WAY,
    WRITER_SIZE,
    write_line,
)
from solvers.freecell.records import (
    get_autoplay,
    get_budget,
    get_expanded,
    get_link,
    get_splits,
    get_state_pool,
    get_won,
    link_move,
    link_parent,
    set_budget,
    set_config,
    set_rules,
    state_at,
)
from solvers.freecell.schedule import QUICK_END, STAGES
from solvers.freecell.search_state import load_state, macro_of
from solvers.jit import Local, kernel
from solvers.search.status import DRY, OPEN, OUT_OF_MEMORY, OUT_OF_NODES, REJECTED, WON

_new_packed, _new_writer = Local(np.uint8, PACKED_SIZE), Local(np.int64, WRITER_SIZE)


@kernel
def play_by(session: int, rules: Any) -> None:
    """Take the rules of a profile, `int64[RULES_SIZE]`, for the positions to come.

    Without forced max autoplay every supermove of the power rule is a series of legal single
    moves, whatever the profile's own rule, and a safe card may go home at once: `lines` writes out
    what the profile does not do. With it, whole moves count.
    """
    own, searched = rules_of(session), searched_rules(session)
    for option in range(RULES_SIZE):
        own[option] = rules[option]
        searched[option] = rules[option]
    if rules[RULE_AUTOPLAY] != MAX:
        searched[RULE_AUTOPLAY] = SAFE
        searched[RULE_SUPERMOVE] = POWER
    set_rules(quick_arena(session), searched)
    set_rules(deep_arena(session), searched)


@kernel
def take_up(session: int, packed: Any, stage: int, end: int, max_nodes: int, spent: int) -> None:
    """Take up a position, `uint8[PACKED_SIZE]`, for the stages from `stage` to before `end`."""
    own = packed_of(session)
    for byte in range(PACKED_SIZE):
        own[byte] = packed[byte]
    set_stage(session, stage)
    set_stage_end(session, end)
    set_doing(session, NOTHING)
    set_max_nodes(session, max_nodes)
    set_nodes(session, spent)
    set_length(session, 0)
    set_status(session, OPEN if spent < max_nodes else OUT_OF_NODES)


@kernel
def run_stages(session: int, most: int) -> int:
    """Search on, in as many stages as there are; return the status, which is OPEN after the last.

    most  states that may be expanded; `get_left` says how many of them were not
    """
    set_left(session, most)
    status = get_status(session)
    while status == OPEN and get_left(session) > 0 and get_stage(session) < get_stage_end(session):
        status = _run_stage(session)
        if status == OPEN and get_nodes(session) >= get_max_nodes(session):
            status = OUT_OF_NODES
    set_status(session, status)
    return status


@kernel
def decide_on(session: int, most: int) -> int:
    """Go on with the stages and then the proof, by up to `most` states; return the status."""
    status = run_stages(session, most)
    while status == OPEN and get_left(session) > 0:
        if get_doing(session) != WAY:
            status = _prove(session)
            # A win that is found with the last node is still written.
            won = get_doing(session) == WAY
            if status == OPEN and not won and get_nodes(session) >= get_max_nodes(session):
                status = OUT_OF_NODES
        else:
            status = _find_way(session)
    set_status(session, status)
    return status


@kernel
def _run_stage(session: int) -> int:
    """Go on with a stage, or begin it; return OPEN, or how the position was decided."""
    stage = get_stage(session)
    arena = quick_arena(session) if stage < QUICK_END else deep_arena(session)
    forced = rules_of(session)[RULE_AUTOPLAY] == MAX
    if get_doing(session) == NOTHING:
        set_config(arena, STAGES[stage])
        # Where all that can go home is forced to, there is no choice of what goes.
        if forced and get_autoplay(arena) != MAX:
            set_stage(session, stage + 1)
            return OPEN
        set_budget(arena, min(get_budget(arena), get_max_nodes(session) - get_nodes(session)))
        if not load_state(arena, state_at(get_state_pool(arena), 0), packed_of(session)):
            set_stage(session, get_stage_end(session))
            return OPEN
        search.start(arena)
        set_doing(session, SEARCH)
    before = get_expanded(arena)
    status = search.run(arena, get_left(session))
    _count(session, get_expanded(arena) - before)
    if status == OPEN:
        return OPEN
    set_doing(session, NOTHING)
    if status == WON:
        count = _trace(arena, macros_of(session, MAX_WAY))
        return REJECTED if count < 0 else write(session, count, get_autoplay(arena))
    # Forced max autoplay leaves positions out, except where the profile forces it. A search that
    # leaves hardly any out and runs dry has shown that only the proof is worth trying.
    whole = forced or get_autoplay(arena) == SAFE
    dry = status == DRY and get_splits(arena) != 0 and whole
    set_stage(session, get_stage_end(session) if dry else stage + 1)
    return OPEN


@kernel
def _count(session: int, expanded: int) -> None:
    """Count states that were expanded."""
    set_nodes(session, get_nodes(session) + expanded)
    set_left(session, get_left(session) - expanded)


@kernel
def _trace(arena: int, macros: Any) -> int:
    """Write the macros that lead from state 0 to the won one; return how many, -1 if too many.

    macros  int64[m]  out, as `lines` reads them
    """
    pool = get_state_pool(arena)
    total = 0
    index = get_won(arena)
    while index != 0:
        if total == len(macros):
            return -1
        link = get_link(arena, state_at(pool, index))
        index, move = link_parent(link), link_move(link)
        macros[total] = macro_of(arena, state_at(pool, index), move)
        total += 1
    for index in range(total // 2):
        last = total - 1 - index
        macros[index], macros[last] = macros[last], macros[index]
    return total


@kernel
def _prove(session: int) -> int:
    """Go on with the proof, or begin it: running dry is the only source of LOST.

    Returns OPEN also when it has come upon a win, to which the way is to be found.
    """
    arena, rules = proof_arena(session), searched_rules(session)
    if get_doing(session) == NOTHING:
        proof.start(arena, packed_of(session), rules, True)
        set_doing(session, PROOF)
    before = proof.get_visited(arena)
    most = min(get_left(session), get_max_nodes(session) - get_nodes(session))
    status = proof.run(arena, rules, most)
    _count(session, proof.get_visited(arena) - before)
    if status != WON:
        return status
    set_doing(session, WAY)
    return OPEN


@kernel
def _find_way(session: int) -> int:
    """Go on with the way to the win that the proof has come upon; return OPEN, WON or REJECTED.

    It counts for the slice, and not for the nodes. A way beyond all lines is as good as none, and
    OUT_OF_MEMORY.
    """
    arena, rules, way = proof_arena(session), searched_rules(session), way_tables(session)
    before = proof.get_looked_at(arena)
    found = proof.find_way(arena, rules, way, get_left(session))
    set_left(session, get_left(session) - (proof.get_looked_at(arena) - before))
    if not found:
        return OPEN
    count = proof.read_way(arena, way, macros_of(session, MAX_WAY))
    return OUT_OF_MEMORY if count < 0 else write(session, count, rules[RULE_AUTOPLAY])


@kernel
def write(session: int, count: int, searched: int) -> int:
    """Write and replay the line that macros stand for; return WON, or REJECTED if it fails.

    searched  the autoplay under which they were found
    """
    packed, own = _new_packed(), packed_of(session)
    for byte in range(PACKED_SIZE):
        packed[byte] = own[byte]
    macros = macros_of(session, count)
    length = write_line(
        packed, rules_of(session), macros, searched, _new_writer(), line_of(session)
    )
    if length < 0:
        return REJECTED
    set_length(session, length)
    return WON
