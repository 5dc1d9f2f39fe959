"""FreeCell's fast search for a win: weighted best-first over macro moves.

Owns the loop. It may only say `winnable`: macro moves, forced autoplay, hashed visited positions
and the row limit all lose positions, so running dry proves nothing (that is `proof`'s work).
Which weights run for how long is data in `schedule`; the moves are in `children`, their worth in
`score`, what waits in `frontier`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.freecell.children import propose
from solvers.freecell.frontier import pop_node, push_node, reset, visit
from solvers.freecell.score import is_sorted, mask_cost, noise_of, score_of, soon_of
from solvers.freecell.search_state import (
    BUDGET,
    C_STATE_CAP,
    C_STATE_POOL,
    C_STATES,
    CH_CELLS,
    CH_COST,
    CH_KEY,
    CH_MOVE,
    CH_TOPS,
    CH_WHAT,
    CHILD_EVENT,
    CHILD_SIZE,
    CHILDREN,
    CONFIG,
    COUNTERS,
    HASH,
    LINK,
    NEXT,
    NO_STATE,
    R_SUIT,
    RULES,
    STATE_SIZE,
    SUMS,
    make_move,
)
from solvers.jit import kernel
from solvers.search.arena import copy, load64, store64
from solvers.search.status import DRY, OUT_OF_MEMORY, OUT_OF_NODES, WON


@kernel
def _new_state(arena: int, parent: int, move: int) -> int:
    """Make a move on a copy of a state; return the copy's index, -1 if the pool is full."""
    index = load64(arena, COUNTERS + 8 * C_STATES)
    if index >= load64(arena, COUNTERS + 8 * C_STATE_CAP):
        return -1
    store64(arena, COUNTERS + 8 * C_STATES, index + 1)
    pool = load64(arena, COUNTERS + 8 * C_STATE_POOL)
    state = pool + STATE_SIZE * index
    copy(arena, pool + STATE_SIZE * parent, state, STATE_SIZE)
    make_move(arena, state, move)
    store64(arena, state + LINK, parent | (move << 32))
    store64(arena, state + SUMS, load64(arena, state + SUMS) + (1 << 32))
    return index


@kernel
def _expand(arena: int, parent: int) -> int:
    """Score the children of a state and queue the new ones.

    Returns -1, or the index of a won child, or -2 when a pool is full.
    """
    pool = load64(arena, COUNTERS + 8 * C_STATE_POOL)
    state = pool + STATE_SIZE * parent
    end = propose(arena, state)
    soon = soon_of(load64(arena, state + NEXT))
    suit = load64(arena, RULES + 8 * R_SUIT)
    for at in range(CHILDREN, end, CHILD_SIZE):
        move = load64(arena, at + CH_MOVE)
        what = load64(arena, at + CH_WHAT)
        # A child that sends cards home, or that is won, is made now.
        if what & CHILD_EVENT != 0:
            made = _new_state(arena, parent, move)
            if made < 0:
                return -2
            child = pool + STATE_SIZE * made
            if is_sorted(arena, child):
                return made
            if visit(arena, load64(arena, child + HASH)) == 0:
                store64(arena, COUNTERS + 8 * C_STATES, made)
            elif push_node(arena, score_of(arena, child), made << 22) == 0:
                return -2
            continue
        # Any other is queued as its parent and its move.
        key = load64(arena, at + CH_KEY)
        if visit(arena, key) != 0:
            cost = load64(arena, at + CH_COST) + noise_of(arena, key)
            tops = load64(arena, at + CH_TOPS)
            cells = load64(arena, at + CH_CELLS)
            cost += mask_cost(arena, tops, cells, what, soon, suit)
            if push_node(arena, cost, (parent << 22) | (move << 42)) == 0:
                return -2
    return -1


@kernel
def run(arena: int) -> Any:
    """Search from state 0 by the configuration; return (status, nodes, index of a won state).

    State 0 is built and its autoplay is done. The status is WON, OUT_OF_NODES, OUT_OF_MEMORY or
    DRY.
    """
    reset(arena)
    pool = load64(arena, COUNTERS + 8 * C_STATE_POOL)
    if is_sorted(arena, pool):
        return WON, 0, 0
    visit(arena, load64(arena, pool + HASH))
    budget = load64(arena, CONFIG + 8 * BUDGET)
    current = np.int64(0)  # not a literal: those are compiled for separately
    for nodes in range(1, budget + 1):
        found = _expand(arena, current)
        if found >= 0:
            return WON, nodes, found
        if found == -2:
            return OUT_OF_MEMORY, nodes, 0
        node = pop_node(arena)
        if node < 0:
            return DRY, nodes, 0
        current = (node >> 22) & NO_STATE
        move = node >> 42
        if move != 0:
            current = _new_state(arena, current, move)
            if current < 0:
                return OUT_OF_MEMORY, nodes, 0
    return OUT_OF_NODES, budget, 0
