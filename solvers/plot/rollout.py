"""Randomised greedy rollouts: the first thing that is tried, and nearly always enough.

A rollout plays the best-looking move, plus noise, until it wins or is stuck. It never moves a
card from one pile to another unless the card is alone there, so no position comes back and
nothing is stored. It may only say `winnable`.

A rollout starts from a search state and keeps its own form of it: tops and lengths of piles,
the waste as a stack that remembers what each card was worth when it came.
"""

from __future__ import annotations

from solvers.jit import kernel
from solvers.plot import bound as reserve_bound
from solvers.plot import policy
from solvers.plot import search_state as at
from solvers.plot.kernel import DRAW, FROM_RESERVE, FROM_WASTE, TO_FOUNDATION
from solvers.plot.layout import ISOLATION_ALWAYS, ISOLATION_NONE, SOURCE_MASK, TARGET_SHIFT
from solvers.search.arena import load16, load64, store16, store64
from solvers.search.bits import shift_right

#: A rollout's memory in the arena, words.
_OUTS = at.ROLLOUT_AT  # cards out by rank, 13
_TOPS = _OUTS + 13 * at.WORD  # rank of each pile's top, -1 for a space
_LENGTHS = _TOPS + 12 * at.WORD  # cards in each pile
_RESERVE_LEFT = _LENGTHS + 12 * at.WORD
_STOCK_LEFT = _RESERVE_LEFT + at.WORD
_WASTE_LEFT = _STOCK_LEFT + at.WORD
_HISTOGRAM = _WASTE_LEFT + at.WORD  # ranks on the waste, four bits each
_WASTE = _HISTOGRAM + at.WORD  # 78 ranks, deepest first
_WORTHS = _WASTE + 80 * at.WORD  # what each waste card was worth when it came
_BEST = _WORTHS + 80 * at.WORD  # worth of the best move so far, and the move
_CHOSEN = _BEST + at.WORD
_RANDOM = _CHOSEN + at.WORD
_TEMPERATURE = _RANDOM + at.WORD
_LINE = _TEMPERATURE + at.WORD  # the moves made, 16 bits each

#: Moves of the longest line: each card is drawn, built and played once at most, and a pile's
#: last card moves a few times. Lines are about 240 long.
MAX_LINE = 600
_HOME = TO_FOUNDATION << TARGET_SHIFT
_WORST = -(1 << 60)
assert _LINE + 2 * MAX_LINE <= at.ROLLOUT_AT + at.ROLLOUT_SIZE


@kernel
def _weight(arena: int, place: int) -> int:
    """Return a weight; `place` includes the phase's offset."""
    return load64(arena, at.WEIGHTS_AT + at.WORD * place)


@kernel
def _out(arena: int, rank: int) -> int:
    """Return how many cards of a rank are out."""
    return load64(arena, _OUTS + at.WORD * rank)


@kernel
def _phase(arena: int) -> int:
    """Return the offset of the phase's weights: 0 in phase 1."""
    return 0 if _out(arena, load64(arena, at.RANKS_AT) - 1) == 0 else policy.WEIGHTS


@kernel
def _top(arena: int, pile: int) -> int:
    """Return the rank of a pile's top, -1 for a space."""
    return load64(arena, _TOPS + at.WORD * pile)


@kernel
def _length(arena: int, pile: int) -> int:
    """Return how many cards a pile has."""
    return load64(arena, _LENGTHS + at.WORD * pile)


@kernel
def _waste_rank(arena: int) -> int:
    """Return the rank of the waste's top, -1 for none."""
    left = load64(arena, _WASTE_LEFT)
    return load64(arena, _WASTE + at.WORD * (left - 1)) if left > 0 else -1


@kernel
def _reserve_rank(arena: int) -> int:
    """Return the rank of the reserve's top, -1 for none."""
    left = load64(arena, _RESERVE_LEFT)
    return load64(arena, at.RESERVE_AT + at.WORD * (left - 1)) if left > 0 else -1


@kernel
def _goes(arena: int, rank: int, reserve_left: int) -> bool:
    """Tell whether a foundation takes a card and the reserve can be played after it."""
    out = _out(arena, rank)
    row = reserve_bound.ROW * reserve_left
    if out >= load64(arena, at.BOUND_AT + at.WORD * (row + rank)):
        return False
    return _phase(arena) != 0 if rank == 0 else out < _out(arena, rank - 1)


@kernel
def _goes_at_once(arena: int, rank: int, reserve_left: int) -> bool:
    """Tell whether a card goes to a foundation and should: the ranks below it are gone.

    With all cards of the rank below out, nothing will ever need the card; with those two
    below out, it could only hold cards that can go out themselves, nearly as good.
    """
    if rank < 1:
        return False
    copies = load64(arena, at.COPIES_AT)
    gone = _out(arena, rank - 1) == copies or (rank >= 2 and _out(arena, rank - 2) == copies)
    return gone and _goes(arena, rank, reserve_left)


@kernel
def _move_at_once(arena: int) -> int:
    """Return a foundation move that should be made at once, or -1; phase 2 only."""
    left = load64(arena, _RESERVE_LEFT)
    if left > 0 and _goes_at_once(arena, _reserve_rank(arena), left - 1):
        return FROM_RESERVE | _HOME
    for pile in range(load64(arena, at.PILES_AT)):
        if _goes_at_once(arena, _top(arena, pile), left):
            return pile | _HOME
    if _goes_at_once(arena, _waste_rank(arena), left):
        return FROM_WASTE | _HOME
    return -1


@kernel
def _offer(arena: int, move: int, worth: int) -> None:
    """Take a move for the best when its worth and noise say so."""
    temperature = load64(arena, _TEMPERATURE)
    if temperature > 0:
        random = policy.next_random(load64(arena, _RANDOM))
        store64(arena, _RANDOM, random)
        noise = load64(arena, at.NOISE_AT + at.WORD * shift_right(random, 56))
        worth += (temperature * noise) >> 8
    if worth > load64(arena, _BEST):
        store64(arena, _BEST, worth)
        store64(arena, _CHOSEN, move)


@kernel
def _cover_worth(arena: int, target: int, phase: int) -> int:
    """Return what it is worth to cover a pile's top card."""
    worth = _weight(arena, phase + policy.COVER)
    worth += _weight(arena, phase + policy.COVER_LENGTH) * _length(arena, target)
    if _out(arena, _top(arena, target)) == 0:
        worth += _weight(arena, phase + policy.COVER_WANTED)
    return worth


@kernel
def _arrival_worth(arena: int, rank: int, phase: int) -> int:
    """Return what it is worth to have a card come onto the waste."""
    lower = policy.count_lower(load64(arena, _HISTOGRAM), rank)
    return _weight(arena, phase + policy.WASTE_CARD) + policy.neighbour_worth(
        lower,
        _waste_rank(arena),
        rank,
        _weight(arena, phase + policy.BURIED),
        _weight(arena, phase + policy.ON_NEXT),
        _weight(arena, phase + policy.ON_PREVIOUS),
    )


@kernel
def _offer_pile_moves(arena: int, waste_rank: int, freed: int, phase: int, finish: int) -> int:
    """Offer what pile tops can do; return a space, -1 for none.

    Each top may go out, take the waste's top, or, when alone, move onto another pile.
    """
    ranks = load64(arena, at.RANKS_AT)
    piles = load64(arena, at.PILES_AT)
    left = load64(arena, _RESERVE_LEFT)
    isolation = load64(arena, at.ISOLATION_AT)
    isolated = isolation == ISOLATION_ALWAYS or (isolation != ISOLATION_NONE and phase == 0)
    space_worth = _weight(arena, phase + policy.SPACE)
    holder = -2 if waste_rank < 0 else waste_rank + 1 if waste_rank + 1 < ranks else 0
    present, space = 0, -1
    for pile in range(piles):
        if _top(arena, pile) >= 0:
            present |= 1 << _top(arena, pile)
        else:
            space = pile
    for pile in range(piles):
        rank = _top(arena, pile)
        if rank < 0:
            continue
        alone = _length(arena, pile) == 1
        if _goes(arena, rank, left):
            worth = _weight(arena, phase + policy.OUT_CARD)
            worth += space_worth if alone else -_weight(arena, phase + policy.COVER)
            worth += finish if rank == ranks - 1 else 0
            _offer(arena, pile | _HOME, worth)
        if rank == holder and not (isolated and (rank == 0 or waste_rank == 0)):
            worth = freed + _cover_worth(arena, pile, phase)
            _offer(arena, FROM_WASTE | pile << TARGET_SHIFT, worth)
        above = rank + 1 if rank + 1 < ranks else 0
        if alone and (present >> above) & 1 and not (isolated and (rank == 0 or above == 0)):
            for target in range(piles):
                if _top(arena, target) == above:
                    worth = space_worth + _weight(arena, phase + policy.PILE_MOVE)
                    worth += _cover_worth(arena, target, phase)
                    _offer(arena, pile | target << TARGET_SHIFT, worth)
    return space


@kernel
def _choose(arena: int) -> int:
    """Return the best-looking move, -1 for none."""
    ranks = load64(arena, at.RANKS_AT)
    left = load64(arena, _RESERVE_LEFT)
    phase = _phase(arena)
    finish = _weight(arena, policy.LAST_RANK) if phase == 0 else 0
    waste = load64(arena, _WASTE_LEFT)
    freed = -load64(arena, _WORTHS + at.WORD * (waste - 1)) if waste > 0 else 0
    waste_rank = _waste_rank(arena)
    store64(arena, _BEST, _WORST)
    store64(arena, _CHOSEN, -1)
    # 1. The reserve.
    rank = _reserve_rank(arena)
    if rank >= 0 and _goes(arena, rank, left - 1):
        worth = _weight(arena, phase + policy.OUT_CARD)
        worth += _weight(arena, phase + policy.RESERVE_CARD)
        worth += finish if rank == ranks - 1 else 0
        _offer(arena, FROM_RESERVE | _HOME, worth)
    # 2. The piles.
    space = _offer_pile_moves(arena, waste_rank, freed, phase, finish)
    # 3. The waste: out, or into a space.
    if waste_rank >= 0:
        if _goes(arena, waste_rank, left):
            worth = freed + _weight(arena, phase + policy.OUT_CARD)
            worth += finish if waste_rank == ranks - 1 else 0
            _offer(arena, FROM_WASTE | _HOME, worth)
        if space >= 0 and (waste_rank == 0 or phase != 0):
            worth = freed - _weight(arena, phase + policy.SPACE)
            if waste_rank == 0:
                worth += _weight(arena, phase + policy.SPACE_BASE)
            else:
                worth += _weight(arena, phase + policy.SPACE_RANK) * waste_rank
            _offer(arena, FROM_WASTE | space << TARGET_SHIFT, worth)
    # 4. The stock.
    stock = load64(arena, _STOCK_LEFT)
    if stock > 0:
        rank = at.stream_rank(arena, stock - 1)
        worth = _arrival_worth(arena, rank, phase) + _weight(arena, phase + policy.DRAWN)
        _offer(arena, DRAW, worth)
    return load64(arena, _CHOSEN)


@kernel
def _arrive(arena: int, rank: int, phase: int) -> None:
    """Lay a card on the waste and note what it was worth."""
    left = load64(arena, _WASTE_LEFT)
    store64(arena, _WORTHS + at.WORD * left, _arrival_worth(arena, rank, phase))
    store64(arena, _WASTE + at.WORD * left, rank)
    store64(arena, _WASTE_LEFT, left + 1)
    one = 1 << (policy.RANK_BITS * rank)
    store64(arena, _HISTOGRAM, load64(arena, _HISTOGRAM) + one)


@kernel
def _make(arena: int, move: int) -> None:
    """Make a move on the rollout's own state."""
    source, target = move & SOURCE_MASK, move >> TARGET_SHIFT
    if move == DRAW:
        stock = load64(arena, _STOCK_LEFT) - 1
        store64(arena, _STOCK_LEFT, stock)
        _arrive(arena, at.stream_rank(arena, stock), _phase(arena))
        return
    if source == FROM_WASTE:
        rank = _waste_rank(arena)
        store64(arena, _WASTE_LEFT, load64(arena, _WASTE_LEFT) - 1)
        one = 1 << (policy.RANK_BITS * rank)
        store64(arena, _HISTOGRAM, load64(arena, _HISTOGRAM) - one)
    elif source == FROM_RESERVE:
        rank = _reserve_rank(arena)
        store64(arena, _RESERVE_LEFT, load64(arena, _RESERVE_LEFT) - 1)
    else:
        rank = _top(arena, source)
        length = _length(arena, source) - 1
        next_rank = rank + 1 if rank + 1 < load64(arena, at.RANKS_AT) else 0
        store64(arena, _LENGTHS + at.WORD * source, length)
        store64(arena, _TOPS + at.WORD * source, next_rank if length > 0 else -1)
    if target == TO_FOUNDATION:
        store64(arena, _OUTS + at.WORD * rank, _out(arena, rank) + 1)
    else:
        store64(arena, _LENGTHS + at.WORD * target, _length(arena, target) + 1)
        store64(arena, _TOPS + at.WORD * target, rank)


@kernel
def _begin(arena: int, state: int) -> None:
    """Set a rollout's own state up from a search state."""
    for rank in range(load64(arena, at.RANKS_AT)):
        store64(arena, _OUTS + at.WORD * rank, at.out_of(arena, state, rank))
    for pile in range(load64(arena, at.PILES_AT)):
        code = load64(arena, state + at.PILE + at.WORD * pile)
        top = at.top_rank(arena, code) if code > 0 else -1
        store64(arena, _TOPS + at.WORD * pile, top)
        store64(arena, _LENGTHS + at.WORD * pile, code >> at.LENGTH_SHIFT)
    store64(arena, _RESERVE_LEFT, load64(arena, state + at.RESERVES_LEFT))
    store64(arena, _STOCK_LEFT, load64(arena, state + at.STOCK_LEFT))
    store64(arena, _WASTE_LEFT, 0)
    store64(arena, _HISTOGRAM, 0)
    phase = _phase(arena)
    low = load64(arena, state + at.WASTE_LOW)
    high = load64(arena, state + at.WASTE_HIGH)
    if (low | high) != 0:
        for number in range(79, -1, -1):
            mask = low if number < 64 else high
            if shift_right(mask, number & 63) & 1:
                _arrive(arena, at.stream_rank(arena, number), phase)


@kernel
def play(arena: int, state: int, temperature: int, seed: int, max_moves: int) -> int:
    """Play one rollout from a search state; return its moves, or -1 - moves unless it won.

    arena        int  address, with a deal loaded
    state        int  offset of the state; read only
    temperature  int  of the noise; 256 is one unit, 0 is none
    seed         int  of the noise
    max_moves    int  at which to give up

    The moves can be read by `move_at`; piles are numbered as in the state.
    """
    _begin(arena, state)
    store64(arena, _RANDOM, seed)
    store64(arena, _TEMPERATURE, temperature)
    left = load64(arena, at.TOTAL_AT) - load64(arena, state + at.ALL_OUT)
    limit = min(max_moves, MAX_LINE)
    count = 0
    while left > 0:
        if count >= limit:
            return -1 - count
        move = _move_at_once(arena) if _phase(arena) != 0 else -1
        if move < 0:
            move = _choose(arena)
        if move < 0:
            return -1 - count
        _make(arena, move)
        left -= move >> TARGET_SHIFT == TO_FOUNDATION
        store16(arena, _LINE + 2 * count, move)
        count += 1
    return count


@kernel
def move_at(arena: int, index: int) -> int:
    """Return a move of the last rollout."""
    return load16(arena, _LINE + 2 * index)
