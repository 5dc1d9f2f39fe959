"""One random game: the state that a playout plays on, and its moves.

Owns what rollouts and the grader's blind player share: the state in the arena, what may go out,
what goes out at once. Which other move is made is their own business.

A playout never moves a card from one pile to another unless the card is alone there, so no
position comes back and nothing is stored.
"""

from __future__ import annotations

from solvers.jit import inlined
from solvers.plot import bound as reserve_bound
from solvers.plot import policy
from solvers.plot import search_state as at
from solvers.plot.kernel import (
    DRAW,
    FROM_RESERVE,
    FROM_WASTE,
    HOME,
    TO_FOUNDATION,
    source_of,
    target_of,
)
from solvers.plot.layout import ISOLATION_ALWAYS, ISOLATION_NONE
from solvers.search.arena import load16, load64, store16, store64
from solvers.search.bits import lowest_bit, shift_right

#: A playout's memory in the arena, words.
OUTS = at.ROLLOUT_AT  # cards out by rank, 13
TOPS = OUTS + 13 * at.WORD  # ranks of the piles' tops, four bits each
PILES_OF = TOPS + at.WORD  # by top rank: mask of the piles, 16; NO_RANK for spaces
PRESENT = PILES_OF + 16 * at.WORD  # mask of the ranks on top of piles; NO_RANK for a space
ALONE = PRESENT + at.WORD  # mask of the piles of one card
GOING = ALONE + at.WORD  # mask of the ranks that foundations take and the reserve allows
NEEDLESS = GOING + at.WORD  # mask of the ranks that nothing needs any more: see `_note_out`
LENGTHS = NEEDLESS + at.WORD  # cards in each pile, 12
RESERVE_LEFT = LENGTHS + 12 * at.WORD
STOCK_LEFT = RESERVE_LEFT + at.WORD
WASTE_LEFT = STOCK_LEFT + at.WORD
WASTE = WASTE_LEFT + at.WORD  # 78 ranks, deepest first
BEST = WASTE + 80 * at.WORD  # worth of the best move so far, and the move
CHOSEN = BEST + at.WORD
RANDOM = CHOSEN + at.WORD
TEMPERATURE = RANDOM + at.WORD
LINE = TEMPERATURE + at.WORD  # the moves made, 16 bits each

#: Moves of the longest line: each card is drawn, built and played once at most, and a pile's
#: last card moves a few times. Lines are about 240 long.
MAX_LINE = 600
#: What comes behind the line, for the player.
END = LINE + 2 * MAX_LINE
#: Ranks within four bits that no card has: that of a space's top, and one that no pile has.
NO_RANK = 15
NO_PILES_RANK = 14
_WORST = -(1 << 60)


@inlined
def out_of(arena: int, rank: int) -> int:
    """Return how many cards of a rank are out."""
    return load64(arena, OUTS + at.WORD * rank)


@inlined
def is_phase_one(arena: int) -> bool:
    """Tell whether the first foundation still lacks cards."""
    return out_of(arena, load64(arena, at.RANKS_AT) - 1) == 0


@inlined
def top_of(arena: int, pile: int) -> int:
    """Return the rank of a pile's top, NO_RANK for a space."""
    return (load64(arena, TOPS) >> (4 * pile)) & 15


@inlined
def length_of(arena: int, pile: int) -> int:
    """Return how many cards a pile has."""
    return load64(arena, LENGTHS + at.WORD * pile)


@inlined
def waste_rank(arena: int) -> int:
    """Return the rank of the waste's top, -1 for none."""
    left = load64(arena, WASTE_LEFT)
    return load64(arena, WASTE + at.WORD * (left - 1)) if left > 0 else -1


@inlined
def reserve_rank(arena: int) -> int:
    """Return the rank of the reserve's top, -1 for none."""
    left = load64(arena, RESERVE_LEFT)
    return load64(arena, at.RESERVE_AT + at.WORD * (left - 1)) if left > 0 else -1


@inlined
def goes(arena: int, rank: int, reserve_left: int) -> bool:
    """Tell whether a foundation takes a card and the reserve can be played after it."""
    out = out_of(arena, rank)
    row = reserve_bound.ROW * reserve_left
    if out >= load64(arena, at.BOUND_AT + at.WORD * (row + rank)):
        return False
    return not is_phase_one(arena) if rank == 0 else out < out_of(arena, rank - 1)


@inlined
def piles_of(arena: int, rank: int) -> int:
    """Return the mask of the piles with a top of that rank, NO_RANK for the spaces."""
    return load64(arena, PILES_OF + at.WORD * rank)


@inlined
def piles_of_ranks(arena: int, mask: int) -> int:
    """Return the mask of the piles whose top's rank is in a mask."""
    piles = 0
    while mask != 0:
        piles |= piles_of(arena, lowest_bit(mask))
        mask &= mask - 1
    return piles


@inlined
def _set_top(arena: int, pile: int, rank: int, length: int) -> None:
    """Note a pile's new top and length."""
    shift = 4 * pile
    bit = 1 << pile
    tops = load64(arena, TOPS)
    before = (tops >> shift) & 15
    store64(arena, TOPS, tops ^ (before ^ rank) << shift)
    left = piles_of(arena, before) & ~bit
    store64(arena, PILES_OF + at.WORD * before, left)
    store64(arena, PILES_OF + at.WORD * rank, piles_of(arena, rank) | bit)
    present = load64(arena, PRESENT)
    present &= ~(1 << before if left == 0 else 0)
    store64(arena, PRESENT, present | 1 << rank)
    alone = load64(arena, ALONE) & ~bit
    store64(arena, ALONE, alone | (bit if length == 1 else 0))
    store64(arena, LENGTHS + at.WORD * pile, length)


@inlined
def _note_going(arena: int, rank: int, left: int) -> None:
    """Note whether a rank may go out."""
    going = load64(arena, GOING) & ~(1 << rank)
    store64(arena, GOING, going | (1 << rank if goes(arena, rank, left) else 0))


@inlined
def _note_all_going(arena: int) -> None:
    """Note which ranks may go out; the bound on all changes with each reserve card."""
    left = load64(arena, RESERVE_LEFT)
    for rank in range(load64(arena, at.RANKS_AT)):
        _note_going(arena, rank, left)


@inlined
def _note_out(arena: int, rank: int) -> None:
    """Note what it means that the last card of a rank went out, if it did.

    With all cards of the rank below out, nothing will ever need a card; with those two below
    out, it could only hold cards that can go out themselves, so that it should go is nearly
    always right. Only in phase 2.
    """
    if out_of(arena, rank) == load64(arena, at.COPIES_AT):
        store64(arena, NEEDLESS, load64(arena, NEEDLESS) | 6 << rank)


@inlined
def holder_of(arena: int, rank: int, isolated: bool) -> int:
    """Return the rank on which the waste's top may be built, NO_PILES_RANK for none.

    rank  int  of the waste's top, -1 for an empty waste
    """
    if rank < 0:
        return NO_PILES_RANK
    holder = rank + 1 if rank + 1 < load64(arena, at.RANKS_AT) else 0
    return NO_PILES_RANK if isolated and (rank == 0 or holder == 0) else holder


@inlined
def fitting_ranks(arena: int, isolated: bool) -> int:
    """Return the mask of the ranks on top of piles that fit on another pile."""
    ranks = load64(arena, at.RANKS_AT)
    present = load64(arena, PRESENT)
    fitting = present & (present >> 1 | (present & 1) << (ranks - 1))
    return fitting & ((1 << (ranks - 1)) - 2) if isolated else fitting


@inlined
def move_at_once(arena: int) -> int:
    """Return a foundation move that should be made at once, or -1."""
    needless = load64(arena, NEEDLESS)
    if needless == 0 or is_phase_one(arena):
        return -1
    left = load64(arena, RESERVE_LEFT)
    if left > 0:
        rank = reserve_rank(arena)
        if (needless >> rank) & 1 and goes(arena, rank, left - 1):
            return FROM_RESERVE | HOME
    ready = load64(arena, GOING) & needless
    if ready == 0:
        return -1
    piles = piles_of_ranks(arena, load64(arena, PRESENT) & ready)
    if piles != 0:
        return lowest_bit(piles) | HOME
    rank = waste_rank(arena)
    if rank >= 0 and (ready >> rank) & 1:
        return FROM_WASTE | HOME
    return -1


@inlined
def offer(arena: int, move: int, worth: int) -> None:
    """Take a move for the best when its worth and noise say so."""
    temperature = load64(arena, TEMPERATURE)
    if temperature > 0:
        random = policy.next_random(load64(arena, RANDOM))
        store64(arena, RANDOM, random)
        noise = load64(arena, at.NOISE_AT + at.WORD * shift_right(random, 56))
        worth += (temperature * noise) >> 8
    if worth > load64(arena, BEST):
        store64(arena, BEST, worth)
        store64(arena, CHOSEN, move)


@inlined
def isolates_base(arena: int) -> bool:
    """Tell whether base-rank cards in the tableau are isolated now."""
    isolation = load64(arena, at.ISOLATION_AT)
    return isolation == ISOLATION_ALWAYS or (isolation != ISOLATION_NONE and is_phase_one(arena))


@inlined
def forget_best(arena: int) -> None:
    """Begin a new choice."""
    store64(arena, BEST, _WORST)
    store64(arena, CHOSEN, -1)


@inlined
def _arrive(arena: int, rank: int) -> None:
    """Lay a card on the waste."""
    left = load64(arena, WASTE_LEFT)
    store64(arena, WASTE + at.WORD * left, rank)
    store64(arena, WASTE_LEFT, left + 1)


@inlined
def make(arena: int, move: int, count: int) -> int:
    """Make a move and note it as number `count` of the line; return its card's rank."""
    store16(arena, LINE + 2 * count, move)
    source, target = source_of(move), target_of(move)
    if move == DRAW:
        stock = load64(arena, STOCK_LEFT) - 1
        store64(arena, STOCK_LEFT, stock)
        rank = at.stream_rank(arena, stock)
        _arrive(arena, rank)
        return rank
    if source == FROM_WASTE:
        rank = waste_rank(arena)
        store64(arena, WASTE_LEFT, load64(arena, WASTE_LEFT) - 1)
    elif source == FROM_RESERVE:
        rank = reserve_rank(arena)
        store64(arena, RESERVE_LEFT, load64(arena, RESERVE_LEFT) - 1)
    else:
        rank = top_of(arena, source)
        length = length_of(arena, source) - 1
        next_rank = rank + 1 if rank + 1 < load64(arena, at.RANKS_AT) else 0
        _set_top(arena, source, next_rank if length > 0 else NO_RANK, length)
    if target == TO_FOUNDATION:
        store64(arena, OUTS + at.WORD * rank, out_of(arena, rank) + 1)
        _note_out(arena, rank)
        if source == FROM_RESERVE:
            _note_all_going(arena)
        else:
            left = load64(arena, RESERVE_LEFT)
            _note_going(arena, rank, left)
            # The rank above; after the last one the first, which starts other foundations.
            _note_going(arena, rank + 1 if rank + 1 < load64(arena, at.RANKS_AT) else 0, left)
    else:
        _set_top(arena, target, rank, length_of(arena, target) + 1)
    return rank


@inlined
def begin(arena: int, state: int, temperature: int, seed: int) -> int:
    """Set a playout up from a search state; return how many cards are not out.

    temperature  int  of the noise; 256 is one unit, 0 is none
    seed         int  of the noise
    """
    store64(arena, RANDOM, seed)
    store64(arena, TEMPERATURE, temperature)
    for field in (TOPS, PRESENT, ALONE, GOING, NEEDLESS):
        store64(arena, field, 0)
    for rank in range(16):
        store64(arena, PILES_OF + at.WORD * rank, 0)
    for rank in range(load64(arena, at.RANKS_AT)):
        store64(arena, OUTS + at.WORD * rank, at.out_of(arena, state, rank))
        _note_out(arena, rank)
    for pile in range(load64(arena, at.PILES_AT)):
        code = load64(arena, state + at.PILE + at.WORD * pile)
        top = at.top_rank(arena, code) if code > 0 else NO_RANK
        _set_top(arena, pile, top, code >> at.LENGTH_SHIFT)
    store64(arena, RESERVE_LEFT, load64(arena, state + at.RESERVES_LEFT))
    store64(arena, STOCK_LEFT, load64(arena, state + at.STOCK_LEFT))
    store64(arena, WASTE_LEFT, 0)
    low = load64(arena, state + at.WASTE_LOW)
    high = load64(arena, state + at.WASTE_HIGH)
    if (low | high) != 0:
        for number in range(79, -1, -1):
            mask = low if number < 64 else high
            if shift_right(mask, number & 63) & 1:
                _arrive(arena, at.stream_rank(arena, number))
    _note_all_going(arena)
    return load64(arena, at.TOTAL_AT) - load64(arena, state + at.ALL_OUT)


@inlined
def move_at(arena: int, index: int) -> int:
    """Return a move of the last playout."""
    return load16(arena, LINE + 2 * index)
