"""The best-first search over removals that `search` and `optimal` both are.

Owns the loop. It takes the position with the lowest total, and queues those one removal away that
are new, or reached at less cost than before, unless `bounds` says that they are lost. What a total
is differs between the two: see there.
"""

from __future__ import annotations

from typing import Any

from solvers.jit import kernel
from solvers.pyramid import children, graph, passes
from solvers.pyramid.bounds import moves_left
from solvers.pyramid.children import MAX_CHILDREN, child_at, expand
from solvers.pyramid.fields import drawn_of, pyramid_of, redeals_of, stock_of
from solvers.pyramid.frontier import (
    MAX_COST,
    add,
    begin,
    cost_in,
    discard,
    drawn_in,
    entry_in,
    find,
    get_queue,
    is_stale,
    make_room,
    must_reset,
    node_in,
    pack_position,
    peek,
    pop,
    position_of,
    redeals_in,
    set_goal,
    set_queue,
    stock_in,
    way_of,
)
from solvers.pyramid.graph import get_pyramid, node_at
from solvers.pyramid.layout import UNLIMITED
from solvers.pyramid.ranks import (
    get_all_cards,
    get_exact,
    get_most_redeals,
    get_stock_top,
    needs_of,
)
from solvers.search.bits import mix, popcount
from solvers.search.status import LOST, OPEN, OUT_OF_MEMORY, WON


@kernel
def _estimate(arena: int, position: int, resets: int) -> int:
    """Return a lower bound on the moves that win a position, NEVER where it is lost.

    resets  only solutions with at least this many resets count
    """
    node, stock = node_in(position), stock_in(position)
    redeals = get_most_redeals(arena) - redeals_in(position)
    return moves_left(arena, node, stock, drawn_in(position), redeals, resets)


@kernel
def start(arena: int, packed: Any) -> int:
    """Prepare the search of a position; return OPEN, or LOST where that is plain at once.

    arena   int                 address, with the rules and the position's cards sorted
    packed  uint8[PACKED_SIZE]  not won; read only
    """
    pyramid = pyramid_of(packed)
    needs = needs_of(arena, get_exact(arena) != 0)
    if needs < 0 or not graph.build(arena, pyramid, needs):
        return LOST
    passes.fill(arena)
    # Where they have no bound, resets do not tell positions apart.
    redeals = redeals_of(packed) if get_most_redeals(arena) != UNLIMITED else 0
    position = pack_position(0, stock_of(packed), drawn_of(packed), redeals)
    # Kings have left.
    cost = popcount(pyramid) - popcount(get_pyramid(arena, node_at(0)))
    total = cost + _estimate(arena, position, 0)
    if total >= MAX_COST:
        return LOST
    begin(arena, position, cost, total)
    return OPEN


@kernel
def run(arena: int, most: int, hurry: bool) -> Any:
    """Go on with a search for some more states; return its status, and the states expanded.

    arena  int   address, with a search that was started and is OPEN
    most   int   states to expand at most
    hurry  bool  whether any solution will do

    The status is OPEN, WON (the solution's end is noted in the arena), LOST or OUT_OF_MEMORY,
    after which a search cannot go on.
    """
    all_cards = get_all_cards(arena) != 0
    sweep = hurry or all_cards or get_stock_top(arena) != 0
    expanded = 0
    while expanded < most:
        # 1. Take an entry with the lowest total.
        entry = pop(arena)
        if entry < 0:
            return LOST, expanded
        position, way = position_of(arena, entry), way_of(arena, entry)
        if is_stale(way):
            continue
        pyramid = get_pyramid(arena, node_at(node_in(position)))
        if pyramid == 0 and (not all_cards or stock_in(position) == 0):
            set_goal(arena, entry)
            return WON, expanded
        if not make_room(arena, MAX_CHILDREN):
            return OUT_OF_MEMORY, expanded
        expanded += 1
        # 2. Its children. Their slots are looked at together first: each look is a miss of the
        # cache.
        count = expand(arena, position, sweep)
        for child in range(count):
            at = child_at(child)
            hashed = mix(children.get_position(arena, at))
            children.set_hash(arena, at, hashed)
            children.set_seen(arena, at, peek(arena, hashed))
        for child in range(count):
            at = child_at(child)
            _queue_child(arena, entry, cost_in(way), at, hurry)
    return OPEN, expanded


@kernel
def _queue_child(arena: int, parent: int, parent_cost: int, child: int, hurry: bool) -> None:
    """Queue a child of an entry, unless it is known at no greater cost, lost or too long."""
    position, hashed = children.get_position(arena, child), children.get_hash(arena, child)
    resets = children.get_resets(arena, child)
    cost = parent_cost + children.get_cost(arena, child)
    slot = find(arena, hashed, position)
    known = entry_in(arena, slot)
    if known >= 0:
        if hurry:
            return
        way = way_of(arena, known)
        # With equal costs, one that need not reset is the more promising.
        gain = 1 if resets == 0 and must_reset(way) else 0
        if cost >= cost_in(way) + gain:
            return
    estimate = _estimate(arena, position, resets)
    if cost + estimate >= MAX_COST:
        return
    total = estimate
    if not hurry:
        total = max(cost + estimate, get_queue(arena))
    elif total < get_queue(arena):
        set_queue(arena, total)
    if known >= 0:
        discard(arena, known)
    add(arena, slot, hashed, position, parent, cost, resets > 0, total)
