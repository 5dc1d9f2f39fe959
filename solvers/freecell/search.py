"""FreeCell's fast search for a win: weighted best-first over macro moves.

Owns the loop. It may only say `winnable`: macro moves, forced autoplay, hashed visited positions
and the row limit all lose positions, so running dry proves nothing (that is `proof`'s work).
Which weights run for how long is data in `schedule`; the moves are in `children`, their worth in
`score`, what waits in `frontier`.
"""

from __future__ import annotations

from solvers.freecell.children import propose
from solvers.freecell.frontier import pop_node, push_node, reset, visit
from solvers.freecell.records import (
    CHILD_SIZE,
    CHILDREN,
    STATE_SIZE,
    get_budget,
    get_child_cost,
    get_child_held,
    get_child_key,
    get_child_move,
    get_child_tops,
    get_child_what,
    get_current,
    get_expanded,
    get_hash,
    get_next,
    get_state_cap,
    get_state_pool,
    get_states,
    get_suit_build,
    get_sums,
    node_move,
    node_state,
    put_link_move,
    put_link_parent,
    put_node_move,
    put_node_state,
    put_sums_depth,
    set_current,
    set_expanded,
    set_link,
    set_states,
    set_sums,
    set_won,
    state_at,
    what_empty,
    what_event,
)
from solvers.freecell.score import is_sorted, mask_cost, noise_of, score_of, soon_of
from solvers.freecell.search_state import (
    make_move,
)
from solvers.jit import kernel
from solvers.search.arena import copy
from solvers.search.status import DRY, OPEN, OUT_OF_MEMORY, OUT_OF_NODES, WON

#: What `_expand` returns when it found no win.
_NOTHING, _FULL = -1, -2


@kernel
def _new_state(arena: int, parent: int, move: int) -> int:
    """Make a move on a copy of a state; return the copy's index, -1 if the pool is full."""
    index = get_states(arena)
    if index >= get_state_cap(arena):
        return -1
    set_states(arena, index + 1)
    pool = get_state_pool(arena)
    state = state_at(pool, index)
    copy(arena, state_at(pool, parent), state, STATE_SIZE)
    make_move(arena, state, move)
    set_link(arena, state, put_link_parent(parent) | put_link_move(move))
    set_sums(arena, state, get_sums(arena, state) + put_sums_depth(1))
    return index


@kernel
def _expand(arena: int, parent: int) -> int:
    """Score the children of a state and queue the new ones.

    Returns the index of a won child, _NOTHING, or _FULL when a pool is full.
    """
    pool = get_state_pool(arena)
    state = state_at(pool, parent)
    end = propose(arena, state)
    soon = soon_of(get_next(arena, state))
    suit_build = get_suit_build(arena)
    for at in range(CHILDREN, end, CHILD_SIZE):
        move = get_child_move(arena, at)
        what = get_child_what(arena, at)
        # A child that sends cards home, or that is won, is made now.
        if what_event(what) != 0:
            made = _new_state(arena, parent, move)
            if made < 0:
                return _FULL
            child = state_at(pool, made)
            if is_sorted(arena, child):
                return made
            if visit(arena, get_hash(arena, child)) == 0:
                set_states(arena, made)
            elif push_node(arena, score_of(arena, child), put_node_state(made)) == 0:
                return _FULL
            continue
        # Any other is queued as its parent and its move.
        key = get_child_key(arena, at)
        if visit(arena, key) != 0:
            cost = get_child_cost(arena, at) + noise_of(arena, key)
            tops = get_child_tops(arena, at)
            held = get_child_held(arena, at)
            cost += mask_cost(arena, tops, held, what_empty(what), soon, suit_build)
            if push_node(arena, cost, put_node_state(parent) | put_node_move(move)) == 0:
                return _FULL
    return _NOTHING


@kernel
def start(arena: int) -> None:
    """Begin a search from state 0, which is built and whose autoplay is done."""
    reset(arena)
    set_expanded(arena, 0)
    set_current(arena, 0)
    visit(arena, get_hash(arena, state_at(get_state_pool(arena), 0)))


@kernel
def run(arena: int, most: int) -> int:
    """Go on with the search by up to `most` states; return the status.

    The status is OPEN while there is more to do, or WON, OUT_OF_NODES, OUT_OF_MEMORY or DRY, which
    end the search. `get_expanded` counts what all calls expanded, `get_won` is the state that is
    won. How a search is cut into calls changes nothing.
    """
    expanded = get_expanded(arena)
    if expanded == 0 and is_sorted(arena, state_at(get_state_pool(arena), 0)):
        set_won(arena, 0)
        return WON
    budget = get_budget(arena)
    end = expanded + min(most, budget - expanded)
    current = get_current(arena)
    status = OPEN
    while status == OPEN and expanded < end:
        expanded += 1
        found = _expand(arena, current)
        if found >= 0:
            set_won(arena, found)
            status = WON
        elif found == _FULL:
            status = OUT_OF_MEMORY
        else:
            node = pop_node(arena)
            if node < 0:
                status = DRY
            else:
                current = node_state(node)
                move = node_move(node)
                if move != 0:
                    current = _new_state(arena, current, move)
                    if current < 0:
                        status = OUT_OF_MEMORY
    set_expanded(arena, expanded)
    set_current(arena, current)
    if status == OPEN and expanded >= budget:
        return OUT_OF_NODES
    return status
