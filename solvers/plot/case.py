"""One position of a session on its way to a verdict: rollouts, proofs and searches, in slices.

Owns how the stages of `schedule` follow one another, and how what they find becomes a line. Loops
over states are in `rollout`, `phase_one` and `search`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import Local, kernel
from solvers.plot import kernel as game_rules
from solvers.plot import lines as line_writer
from solvers.plot import phase_one, phase_one_known, policy, rollout, search
from solvers.plot import search_state as at
from solvers.plot.block import (
    arena_of,
    get_begun,
    get_finest,
    get_left,
    get_max_nodes,
    get_nodes,
    get_seed,
    get_stage,
    get_stage_end,
    get_status,
    get_turn,
    line_of,
    memory_of,
    packed_of,
    rules_of,
    set_begun,
    set_finest,
    set_left,
    set_length,
    set_max_nodes,
    set_nodes,
    set_seed,
    set_stage,
    set_stage_end,
    set_status,
    set_turn,
)
from solvers.plot.layout import (
    ISOLATION_NONE,
    ISOLATION_PHASE1,
    PACKED_SIZE,
    RULE_ISOLATION,
    RULES_SIZE,
)
from solvers.plot.schedule import (
    BUDGET,
    CHEAP_QUERY,
    FINEST_PRUNING,
    HIGHEST,
    IS_LAST,
    ISOLATES,
    KIND,
    LOWEST,
    NOISE,
    ORDER,
    OWN,
    PROOF,
    PRUNES,
    ROLLOUTS,
    SEED,
    STAGES,
    TEMPERATURES,
)
from solvers.search.bits import mix, wrapping_add
from solvers.search.status import (
    LOST,
    OPEN,
    OUT_OF_MEMORY,
    OUT_OF_NODES,
    REJECTED,
    WON,
)

#: The most that a step is taken for, so that its multiples fit.
_MOST_NODES = 1 << 50

_new_packed = Local(np.uint8, PACKED_SIZE)


@kernel
def take_up(
    session: int, packed: Any, rules: Any, stage: int, end: int, max_nodes: int, spent: int
) -> None:
    """Take up a position for the stages from `stage` to before `end`.

    packed     uint8[PACKED_SIZE]  read only
    rules      int64[RULES_SIZE]   the profile's
    max_nodes  states to expand at most, those of `spent` included
    spent      states that were expanded before
    """
    own_packed, own_rules = packed_of(session), rules_of(session)
    for byte in range(PACKED_SIZE):
        own_packed[byte] = packed[byte]
    for option in range(RULES_SIZE):
        own_rules[option] = rules[option]
    set_max_nodes(session, max_nodes)
    set_nodes(session, spent)
    set_length(session, 0)
    set_stage_end(session, end)
    set_finest(session, 0)
    _enter(session, stage)
    arena = arena_of(session)
    if not at.load_deal(arena, packed, rules[RULE_ISOLATION]):
        _end(session, LOST)
        return
    at.load_weights(arena, policy.set_for(rules[RULE_ISOLATION]))
    set_seed(session, at.fingerprint(arena))
    set_status(session, OPEN if spent < max_nodes else OUT_OF_NODES)


@kernel
def _enter(session: int, stage: int) -> None:
    """Go to the beginning of a stage."""
    set_stage(session, stage)
    set_turn(session, 0)
    set_begun(session, 0)


@kernel
def _end(session: int, status: int) -> None:
    """Note how the position was decided. Whatever is decided took a node."""
    set_status(session, status)
    set_nodes(session, max(get_nodes(session), 1))


@kernel
def run_stages(session: int, most: int) -> int:
    """Go on with the stages; return the status, which is OPEN after the last of them.

    most  states that may be expanded in this call
    """
    set_left(session, min(most, _MOST_NODES))
    status = get_status(session)
    while status == OPEN and get_left(session) > 0 and get_stage(session) < get_stage_end(session):
        kind = STAGES[get_stage(session), KIND]
        if kind == ROLLOUTS:
            status = _roll(session)
        elif kind == PROOF:
            status = _prove(session)
        else:
            status = _search(session)
        if status == OPEN and get_nodes(session) >= get_max_nodes(session):
            status = OUT_OF_NODES
        if status != OPEN:
            _end(session, status)
    return status


@kernel
def _count(session: int, expanded: int) -> None:
    """Count states that were expanded."""
    set_nodes(session, get_nodes(session) + expanded)
    set_left(session, get_left(session) - expanded)


@kernel
def _roll(session: int) -> int:
    """Go on with a rollout, or begin the next one; return OPEN, or how the position was decided."""
    arena, turn = arena_of(session), get_turn(session)
    if get_begun(session) == 0:
        temperature = TEMPERATURES[(turn - 1) % len(TEMPERATURES)] if turn > 0 else 0
        seed = mix(wrapping_add(get_seed(session), turn))
        most = get_max_nodes(session) - get_nodes(session)
        rollout.begin(arena, at.ROOT, temperature, seed, most)
        set_begun(session, 1)
    before = rollout.get_count(arena)
    status = rollout.run(arena, get_left(session))
    _count(session, rollout.get_count(arena) - before)
    if status == WON:
        return _write(session, False)
    if status != OPEN:
        set_begun(session, 0)
        set_turn(session, turn + 1)
        if turn + 1 == STAGES[get_stage(session), BUDGET]:
            _enter(session, get_stage(session) + 1)
    return OPEN


@kernel
def _prove(session: int) -> int:
    """Go on with one threshold of a proof, from the coarsest to the finest; return OPEN or LOST.

    Where the states allowed for a threshold do not suffice, the finer ones are not asked. Notes the
    finest that was cheap to answer: searches ask it about their states.
    """
    arena, memory = arena_of(session), memory_of(session)
    stage = get_stage(session)
    threshold = STAGES[stage, HIGHEST] - get_turn(session)
    if threshold < STAGES[stage, LOWEST] or not at.is_phase_one(arena, at.ROOT):
        _enter(session, stage + 1)
        return OPEN
    if threshold >= at.get_ranks(arena):
        set_turn(session, get_turn(session) + 1)
        return OPEN
    answer = OPEN
    if get_begun(session) == 0:
        at.set_isolation(arena, rules_of(session)[RULE_ISOLATION])
        phase_one.prepare(arena, memory, threshold)
        answer = phase_one.ask(arena, memory, at.ROOT)
        set_begun(session, 1)
    before = phase_one_known.get_expanded(memory)
    asked, budget = before, STAGES[stage, BUDGET]
    if answer == OPEN:
        left = min(get_left(session), get_max_nodes(session) - get_nodes(session))
        answer = phase_one.explore(arena, memory, min(left, budget - before))
        asked = phase_one_known.get_expanded(memory)
        _count(session, asked - before)
    if answer == OPEN and asked < budget:
        return OPEN
    if answer == LOST:
        return LOST
    if answer != WON:
        _enter(session, stage + 1)
        return OPEN
    if asked <= CHEAP_QUERY and threshold >= FINEST_PRUNING:
        set_finest(session, threshold)
    set_begun(session, 0)
    set_turn(session, get_turn(session) + 1)
    return OPEN


@kernel
def _search(session: int) -> int:
    """Go on with a search, or begin it; return OPEN, or how the position was decided."""
    arena, stage = arena_of(session), get_stage(session)
    isolation = rules_of(session)[RULE_ISOLATION]
    # A search that leaves legal moves out proves nothing.
    restricted = STAGES[stage, ISOLATES] != 0 and isolation == ISOLATION_NONE
    if get_begun(session) == 0:
        _begin_search(session, ISOLATION_PHASE1 if restricted else isolation)
        set_begun(session, 1)
    before = search.spent(arena)
    status = search.run(arena, get_left(session))
    _count(session, search.spent(arena) - before)
    if status == OPEN:
        set_left(session, 0)  # Other things than states may have taken the rest.
        return OPEN
    if status == WON:
        return _write(session, True)
    if status == LOST and not restricted:
        return LOST
    if STAGES[stage, IS_LAST] != 0 and status in (OUT_OF_NODES, OUT_OF_MEMORY):
        return status
    _enter(session, stage + 1)
    return OPEN


@kernel
def _begin_search(session: int, isolation: int) -> None:
    """Begin the search of the stage that is on, of the deal as it is under a base isolation."""
    arena, memory = arena_of(session), memory_of(session)
    stage, finest = get_stage(session), get_finest(session)
    at.set_isolation(arena, isolation)
    if STAGES[stage, OWN] != 0:
        at.load_weights(arena, policy.FOR_SEARCHES)
    else:
        isolates = STAGES[stage, ISOLATES] != 0
        at.load_weights(arena, policy.set_for(ISOLATION_PHASE1 if isolates else isolation))
    asks = STAGES[stage, PRUNES] != 0 and finest > 0
    if asks:
        phase_one.prepare(arena, memory, finest)
    left = get_max_nodes(session) - get_nodes(session)
    search.begin(
        arena,
        memory if asks else 0,
        STAGES[stage, ORDER],
        STAGES[stage, NOISE],
        STAGES[stage, SEED],
        min(STAGES[stage, BUDGET], left),
        left,
    )


@kernel
def _write(session: int, searched: bool) -> int:
    """Write and replay the line of the search, or of the rollout, that has won.

    Returns WON, or REJECTED if the line fails.
    """
    arena, line, packed = arena_of(session), line_of(session), _new_packed()
    own = packed_of(session)
    for byte in range(PACKED_SIZE):
        packed[byte] = own[byte]
    if searched:
        length = line_writer.write_line(arena, packed, line)
    else:
        length = line_writer.write_rollout(
            arena, packed, at.ROOT, rollout.get_count(arena), line, 0
        )
    for byte in range(PACKED_SIZE):
        packed[byte] = own[byte]
    if not game_rules.is_win(packed, line[:length], rules_of(session)):
        return REJECTED
    set_length(session, length)
    return WON
