"""Whether phase 1 can still be completed: the relaxed game, exhausted and remembered.

Owns queries about search states. A query explores the game of `phase_one_state` until it finds a
way to complete the first foundation or runs dry. What ran dry is remembered as lost, and the way
found as won, so that a search can ask about each of its states at little cost. Lost is a proof for
the real game; won says nothing of it.
"""

from __future__ import annotations

import numpy as np

from solvers.jit import inlined, kernel
from solvers.plot import phase_one_known as table
from solvers.plot import phase_one_state as relaxed
from solvers.plot import search_state as at
from solvers.plot.phase_one_state import FROM, MOST_PILES, TO
from solvers.search.status import LOST, OPEN, OUT_OF_MEMORY, WON

#: Children of a state at most, each of which may be a new one: 20 pile tops out or, where half of
#: them go onto any of the other half, 100 moves between piles; the waste's top onto 20 piles or
#: out; the reserve's top out; the draw.
_MOST_CHILDREN = MOST_PILES + MOST_PILES**2 // 4 + MOST_PILES + 3
#: Ranks that neither fit nor take anything: of an empty waste, and of a pile not to be moved.
_NO_RANK, _REPEATED = np.int64(-9), np.int64(-1)


@kernel
def prepare(arena: int, memory: int, threshold: int) -> None:
    """Forget everything, and set a threshold up for the deal in `arena`.

    threshold  int  lowest rank that is kept, 1..ranks - 1
    """
    table.forget(memory)
    relaxed.set_threshold(arena, memory, threshold)


@kernel
def _mark_won(memory: int, number: int) -> None:
    """Remember that a state and those that led to it can complete phase 1."""
    while number >= 0:
        known = table.known_at(memory, number)
        table.set_verdict(memory, known, WON)
        number = table.get_parent(memory, known) - 1


@kernel
def _enter(arena: int, memory: int, parent: int) -> bool:
    """Take the child up; True when it completes phase 1, or is known to do so."""
    relaxed.settle(arena, memory, TO)
    if relaxed.get_foundation(memory, TO) >= at.get_ranks(arena):
        _mark_won(memory, parent)
        return True
    if not relaxed.normalise(arena, memory, TO):
        return False
    number = table.find(memory, TO)
    known = table.known_at(memory, number)
    verdict = table.get_verdict(memory, known)
    if verdict == WON:
        _mark_won(memory, parent)
        return True
    if verdict == LOST or table.is_met(memory, known):
        return False
    table.set_parent(memory, known, parent + 1)
    table.push(memory, number)
    return False


@inlined
def _shorten(memory: int, pile: int) -> None:
    """Take the top card off a pile of the child."""
    relaxed.set_pile(memory, TO, pile, at.without_top(relaxed.get_pile(memory, TO, pile)))


@inlined
def _play_out(memory: int, out: int) -> None:
    """Put a card onto the child's foundation, which had `out`."""
    relaxed.set_foundation(memory, TO, out + 1)


@inlined
def _top(memory: int, pile: int) -> int:
    """Return the top rank of a pile of the state being expanded.

    _REPEATED for a pile like the one before it, which has the same moves.
    """
    word = relaxed.get_pile(memory, FROM, pile)
    if pile > 0 and relaxed.get_pile(memory, FROM, pile - 1) == word:
        return _REPEATED
    return at.get_bottom(word) - at.get_length(word) + 1


@kernel
def _expand_piles(arena: int, memory: int, number: int, waste: int, waste_rank: int) -> bool:
    """Take up what piles take from each other and from the waste; True when that completes phase 1.

    waste       int  stream number of the waste's top, -1 for none
    waste_rank  int  its rank
    """
    piles = relaxed.count_piles(memory, FROM)
    # Bit rank + 1 is set where a top has that rank.
    tops = 0
    for pile in range(piles):
        tops |= 1 << _top(memory, pile) + 1
    for target in range(piles):
        rank = _top(memory, target)
        if rank == _REPEATED:
            continue
        word = relaxed.get_pile(memory, FROM, target)
        if rank == waste_rank + 1:
            relaxed.start_child(memory)
            at.flip_card(memory, TO + relaxed.WASTE, waste)
            relaxed.set_pile(memory, TO, target, word + at.ONE_CARD)
            if _enter(arena, memory, number):
                return True
        if rank == 0 or tops >> rank & 1 == 0:
            continue
        for source in range(piles):
            if _top(memory, source) == rank - 1 and source != target:
                relaxed.start_child(memory)
                relaxed.set_pile(memory, TO, target, word + at.ONE_CARD)
                _shorten(memory, source)
                if _enter(arena, memory, number):
                    return True
    out = relaxed.get_foundation(memory, FROM)
    for source in range(piles):
        if _top(memory, source) == out:
            relaxed.start_child(memory)
            _shorten(memory, source)
            _play_out(memory, out)
            if _enter(arena, memory, number):
                return True
    return False


@kernel
def _expand(arena: int, memory: int, number: int) -> bool:
    """Take up every child of a known state; True when one completes phase 1.

    Taken up last is expanded first: the foundation before the piles before the draw.
    """
    table.unpack(memory, number, FROM)
    out = relaxed.get_foundation(memory, FROM)
    waste = relaxed.waste_top(memory, FROM)
    waste_rank = at.stream_rank(arena, waste) if waste >= 0 else _NO_RANK
    stock = relaxed.get_stock(memory, FROM)
    if stock > 0:
        relaxed.start_child(memory)
        relaxed.set_stock(memory, TO, stock - 1)
        at.flip_card(memory, TO + relaxed.WASTE, stock - 1)
        if _enter(arena, memory, number):
            return True
    if _expand_piles(arena, memory, number, waste, waste_rank):
        return True
    if waste_rank == out:
        relaxed.start_child(memory)
        at.flip_card(memory, TO + relaxed.WASTE, waste)
        _play_out(memory, out)
        if _enter(arena, memory, number):
            return True
    left = relaxed.get_reserve(memory, FROM)
    if left > 0 and at.get_reserve_rank(arena, left - 1) == out:
        relaxed.start_child(memory)
        relaxed.set_reserve(memory, TO, left - 1)
        _play_out(memory, out)
        if _enter(arena, memory, number):
            return True
    return False


@inlined
def _is_full(memory: int) -> bool:
    """Tell whether the children of another state may not fit."""
    return table.get_count(memory) + _MOST_CHILDREN > table.get_capacity(memory)


@kernel
def ask(arena: int, memory: int, state: int) -> int:
    """Begin to ask whether the relaxed game can complete phase 1 from a search state.

    arena   int  address, with the deal
    memory  int  address, prepared for it
    state   int  offset in the arena of a state in phase 1

    Returns LOST (a proof) or WON when that is known or seen at once, OUT_OF_MEMORY when the memory
    is full, and else OPEN: `explore` goes on.
    """
    relaxed.abstract(arena, memory, state, TO)
    relaxed.settle(arena, memory, TO)
    if relaxed.get_foundation(memory, TO) >= at.get_ranks(arena):
        return WON
    if not relaxed.normalise(arena, memory, TO):
        return LOST
    if _is_full(memory):
        return OUT_OF_MEMORY
    number = table.find(memory, TO)
    known = table.known_at(memory, number)
    verdict = table.get_verdict(memory, known)
    if verdict != OPEN:
        return verdict
    table.begin_query(memory)
    table.set_parent(memory, known, 0)
    table.push(memory, number)
    return OPEN


@kernel
def explore(arena: int, memory: int, most: int) -> int:
    """Go on with the query that `ask` began, or that this function left open.

    most  int  states to expand in this call, which are added to `expanded`

    Returns LOST (a proof), WON, OUT_OF_MEMORY, or OPEN when `most` states have not decided it.
    """
    for _ in range(most):
        if not table.is_pending(memory) or _is_full(memory):
            break
        table.set_expanded(memory, table.get_expanded(memory) + 1)
        if _expand(arena, memory, table.pop(memory)):
            return WON
    if not table.is_pending(memory):
        table.mark_met(memory, LOST)
        return LOST
    return OUT_OF_MEMORY if _is_full(memory) else OPEN
