"""Randomised greedy rollouts: the first thing that is tried, and nearly always enough.

A rollout plays the best-looking move by `policy`'s weights, plus noise, until it wins or is
stuck. It may only say `winnable`. On top of a playout's state it remembers what each waste card
was worth when it came, so that taking it away is worth as much less.
"""

from __future__ import annotations

import numpy as np

from solvers.jit import inlined, kernel
from solvers.plot import playout, policy
from solvers.plot import search_state as at
from solvers.plot.kernel import (
    DRAW,
    FROM_RESERVE,
    FROM_WASTE,
    HOME,
    TO_FOUNDATION,
    move_of,
    source_of,
    target_of,
)
from solvers.plot.rules import STOCK_SIZE
from solvers.search.bits import lowest_bit
from solvers.search.record import Record
from solvers.search.status import DRY, OPEN, WON

#: A rollout's memory behind the playout's.
ROLLOUT = Record(at=playout.PLAYOUT.size())
_get_histogram, _set_histogram = ROLLOUT.word("histogram", "ranks on the waste, as in policy")
_get_arrival, _set_arrival = ROLLOUT.word(
    "arrival", "what the next stock card would be worth on the waste, points"
)
_get_worth, _set_worth = ROLLOUT.array(
    64, STOCK_SIZE, "worths", "what each waste card was worth when it came, points"
)
_get_left, _set_left = ROLLOUT.word("left", "cards that are not out")
_get_most, _set_most = ROLLOUT.word("most", "moves that it may make")
get_count, _set_count = ROLLOUT.word("count", "moves that it has made")
assert ROLLOUT.size() <= at.PLAYOUT_AT + at.PLAYOUT_SIZE


@inlined
def _phase(arena: int) -> int:
    """Return the offset of the phase's weights: 0 in phase 1."""
    return 0 if playout.is_phase_one(arena) else policy.WEIGHTS


@inlined
def _cover_worth(arena: int, target: int, phase: int) -> int:
    """Return what it is worth to cover a pile's top card."""
    worth = at.get_weight(arena, phase + policy.COVER)
    worth += at.get_weight(arena, phase + policy.COVER_LENGTH) * playout.length_of(arena, target)
    if playout.get_out(arena, playout.top_of(arena, target)) == 0:
        worth += at.get_weight(arena, phase + policy.COVER_WANTED)
    return worth


@inlined
def _arrival_worth(arena: int, below: int, rank: int, phase: int) -> int:
    """Return what it is worth to have a card come onto the waste."""
    lower = policy.count_lower(_get_histogram(arena), rank)
    return at.get_weight(arena, phase + policy.WASTE_CARD) + policy.neighbour_worth(
        lower,
        below,
        rank,
        at.get_weight(arena, phase + policy.BURIED),
        at.get_weight(arena, phase + policy.ON_NEXT),
        at.get_weight(arena, phase + policy.ON_PREVIOUS),
    )


@inlined
def _first_movers(arena: int, ranks: int, alone: int) -> int:
    """Return the mask of the first pile of one card for each rank: the others are its equals."""
    movers = 0
    while ranks != 0:
        piles = playout.piles_of(arena, lowest_bit(ranks)) & alone
        movers |= piles & -piles
        ranks &= ranks - 1
    return movers


@inlined
def _offer_pile_moves(arena: int, waste_rank: int, freed: int, phase: int, finish: int) -> None:
    """Offer what pile tops can do: go out, take the waste's top, or, when alone, move."""
    ranks = at.get_ranks(arena)
    isolated = playout.isolates_base(arena)
    going = playout.get_going(arena) & playout.get_present(arena)
    homes = playout.piles_of_ranks(arena, going)
    holders = playout.piles_of(arena, playout.holder_of(arena, waste_rank, isolated))
    alone = playout.get_alone(arena)
    movers = _first_movers(arena, playout.fitting_ranks(arena, isolated), alone)
    space_worth = at.get_weight(arena, phase + policy.SPACE)
    piles = homes | holders | movers
    while piles != 0:
        pile = lowest_bit(piles)
        piles &= piles - 1
        rank = playout.top_of(arena, pile)
        if (homes >> pile) & 1:
            worth = at.get_weight(arena, phase + policy.OUT_CARD)
            worth += (
                space_worth if (alone >> pile) & 1 else -at.get_weight(arena, phase + policy.COVER)
            )
            worth += finish if rank == ranks - 1 else 0
            playout.offer(arena, pile | HOME, worth)
        if (holders >> pile) & 1:
            worth = freed + _cover_worth(arena, pile, phase)
            playout.offer(arena, move_of(FROM_WASTE, pile), worth)
        if (movers >> pile) & 1:
            targets = playout.piles_of(arena, rank + 1 if rank + 1 < ranks else 0)
            while targets != 0:
                target = lowest_bit(targets)
                targets &= targets - 1
                worth = space_worth + at.get_weight(arena, phase + policy.PILE_MOVE)
                worth += _cover_worth(arena, target, phase)
                playout.offer(arena, move_of(pile, target), worth)


@inlined
def _choose(arena: int) -> int:
    """Return the best-looking move, -1 for none."""
    ranks = at.get_ranks(arena)
    left = playout.get_reserve(arena)
    phase = _phase(arena)
    finish = at.get_weight(arena, policy.LAST_RANK) if phase == 0 else 0
    waste = playout.get_waste(arena)
    freed = -_get_worth(arena, waste - 1) if waste > 0 else 0
    waste_rank = playout.waste_rank(arena)
    playout.forget_best(arena)
    # 1. The reserve.
    rank = playout.reserve_rank(arena)
    if rank >= 0 and playout.goes(arena, rank, left - 1):
        worth = at.get_weight(arena, phase + policy.OUT_CARD)
        worth += at.get_weight(arena, phase + policy.RESERVE_CARD)
        worth += finish if rank == ranks - 1 else 0
        playout.offer(arena, FROM_RESERVE | HOME, worth)
    # 2. The piles.
    _offer_pile_moves(arena, waste_rank, freed, phase, finish)
    # 3. The waste: out, or into a space.
    if waste_rank >= 0:
        if (playout.get_going(arena) >> waste_rank) & 1:
            worth = freed + at.get_weight(arena, phase + policy.OUT_CARD)
            worth += finish if waste_rank == ranks - 1 else 0
            playout.offer(arena, FROM_WASTE | HOME, worth)
        spaces = playout.piles_of(arena, playout.NO_RANK)
        if spaces != 0 and (waste_rank == 0 or phase != 0):
            worth = freed - at.get_weight(arena, phase + policy.SPACE)
            if waste_rank == 0:
                worth += at.get_weight(arena, phase + policy.SPACE_BASE)
            else:
                worth += at.get_weight(arena, phase + policy.SPACE_RANK) * waste_rank
            playout.offer(arena, move_of(FROM_WASTE, lowest_bit(spaces)), worth)
    # 4. The stock.
    stock = playout.get_stock(arena)
    if stock > 0:
        rank = at.stream_rank(arena, stock - 1)
        worth = _arrival_worth(arena, waste_rank, rank, phase)
        _set_arrival(arena, worth)
        playout.offer(arena, DRAW, worth + at.get_weight(arena, phase + policy.DRAWN))
    return playout.get_chosen(arena)


@inlined
def _note_worths(arena: int) -> None:
    """Note what the cards of the waste are worth where they lie."""
    left = playout.get_waste(arena)
    phase = _phase(arena)
    _set_histogram(arena, 0)
    below = np.int64(-1)
    for index in range(left):
        rank = playout.waste_card(arena, index)
        worth = _arrival_worth(arena, below, rank, phase)
        _set_worth(arena, index, worth)
        one = policy.one_of(rank)
        _set_histogram(arena, _get_histogram(arena) + one)
        below = rank


@inlined
def _make(arena: int, move: int, count: int) -> None:
    """Make a move, and keep the worths and the histogram."""
    source = source_of(move)
    left = playout.get_waste(arena)
    if move == DRAW:
        # Every draw was offered just before.
        _set_worth(arena, left, _get_arrival(arena))
    rank = playout.make(arena, move, count)
    if move == DRAW or source == FROM_WASTE:
        one = policy.one_of(rank)
        histogram = _get_histogram(arena)
        _set_histogram(arena, histogram + one if move == DRAW else histogram - one)


@kernel
def begin(arena: int, state: int, temperature: int, seed: int, max_moves: int) -> None:
    """Begin a rollout from a search state; `run` runs it.

    arena        int  address, with a deal and weights loaded
    state        int  offset of the state; read only
    temperature  int  of the noise; 256 is one unit, 0 is none
    seed         int  of the noise
    max_moves    int  moves to make at most
    """
    _set_left(arena, playout.begin(arena, state, temperature, seed))
    _note_worths(arena)
    _set_most(arena, min(max_moves, playout.MAX_LINE))
    _set_count(arena, 0)


@kernel
def run(arena: int, most: int) -> int:
    """Go on with the rollout that `begin` began, or that this function left open.

    most  int  moves to make in this call at most

    Returns WON, DRY when it is stuck or may make no more moves at all, or OPEN. The moves so far
    are `get_count`, and can be read by `playout.move_at`; piles are numbered as in the state.
    """
    left, count = _get_left(arena), get_count(arena)
    limit = _get_most(arena)
    slice_end = count + min(most, limit - count)
    status = OPEN
    while status == OPEN:
        if left == 0:
            status = WON
        elif count >= slice_end:
            break
        else:
            move = playout.move_at_once(arena)
            if move < 0:
                move = _choose(arena)
            if move < 0:
                status = DRY
            else:
                _make(arena, move, count)
                left -= target_of(move) == TO_FOUNDATION
                count += 1
    _set_left(arena, left)
    _set_count(arena, count)
    return DRY if status == OPEN and count >= limit else status
