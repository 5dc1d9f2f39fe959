"""One random game: the state that a playout plays on, and its moves.

Owns what rollouts and the grader's blind player share: the state in the arena, what may go out,
what goes out at once. Which other move is made is their own business.

A playout never moves a card from one pile to another unless the card is alone there, so no
position comes back and nothing is stored.
"""

from __future__ import annotations

from solvers.jit import inlined
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
from solvers.plot.rules import PILES, STOCK_SIZE
from solvers.search.bits import lowest_bit
from solvers.search.record import Record

#: Ranks of four bits that no card has: that of a space's top, and one that no pile has.
NO_RANK = 15
NO_PILES_RANK = 14
_RANKS = 16
#: Moves of the longest line: each card is drawn, built and played once at most, and a pile's
#: last card moves a few times. Lines are about 240 long.
MAX_LINE = 600

#: A playout's memory in the arena.
PLAYOUT = Record(at=at.PLAYOUT_AT)
get_out, set_out = PLAYOUT.array(64, _RANKS, "out", "cards out by rank")
_get_tops, _set_tops = PLAYOUT.word("tops", "rank of each pile's top, four bits each")
piles_of, _set_piles_of = PLAYOUT.array(
    64, _RANKS, "piles_of", "by rank of the top: the piles, a mask; NO_RANK for the spaces"
)
get_present, _set_present = PLAYOUT.word(
    "present", "ranks on top of piles, a mask; NO_RANK for a space"
)
get_alone, _set_alone = PLAYOUT.word("alone", "piles of one card, a mask")
get_going, _set_going = PLAYOUT.word(
    "going", "ranks that foundations take and the reserve allows, a mask"
)
_get_needless, _set_needless = PLAYOUT.word(
    "needless", "ranks that nothing needs any more, a mask: see `_note_out`"
)
length_of, _set_length = PLAYOUT.array(64, PILES, "lengths", "cards in each pile")
get_reserve, _set_reserve = PLAYOUT.word("reserve", "cards left in the reserve")
get_stock, _set_stock = PLAYOUT.word("stock", "cards left in the stock")
get_waste, _set_waste = PLAYOUT.word("waste", "cards on the waste")
waste_card, _set_waste_card = PLAYOUT.array(64, STOCK_SIZE, "waste_cards", "ranks, deepest first")
_get_best, _set_best = PLAYOUT.word("best", "worth of the best move so far, points")
get_chosen, _set_chosen = PLAYOUT.word("chosen", "the best move so far, -1 for none")
_get_random, _set_random = PLAYOUT.word("random", "state of the generator of noise")
_get_temperature, _set_temperature = PLAYOUT.word("temperature", "of the noise; 256 is one unit")
move_at, _set_move = PLAYOUT.array(16, MAX_LINE, "line", "the moves made")

_TOP_BITS = 4
_TOP_MASK = 15
_WORST = -(1 << 60)


@inlined
def is_phase_one(arena: int) -> bool:
    """Tell whether the first foundation still lacks cards."""
    return get_out(arena, at.get_ranks(arena) - 1) == 0


@inlined
def top_of(arena: int, pile: int) -> int:
    """Return the rank of a pile's top, NO_RANK for a space."""
    return (_get_tops(arena) >> (_TOP_BITS * pile)) & _TOP_MASK


@inlined
def waste_rank(arena: int) -> int:
    """Return the rank of the waste's top, -1 for none."""
    left = get_waste(arena)
    return waste_card(arena, left - 1) if left > 0 else -1


@inlined
def reserve_rank(arena: int) -> int:
    """Return the rank of the reserve's top, -1 for none."""
    left = get_reserve(arena)
    return at.get_reserve_rank(arena, left - 1) if left > 0 else -1


@inlined
def goes(arena: int, rank: int, reserve_left: int) -> bool:
    """Tell whether a foundation takes a card and the reserve can be played after it."""
    out = get_out(arena, rank)
    if out >= at.most_out(arena, rank, reserve_left):
        return False
    return not is_phase_one(arena) if rank == 0 else out < get_out(arena, rank - 1)


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
    bit = 1 << pile
    before = top_of(arena, pile)
    _set_tops(arena, _get_tops(arena) ^ (before ^ rank) << (_TOP_BITS * pile))
    left = piles_of(arena, before) & ~bit
    _set_piles_of(arena, before, left)
    _set_piles_of(arena, rank, piles_of(arena, rank) | bit)
    present = get_present(arena) & ~(1 << before if left == 0 else 0)
    _set_present(arena, present | 1 << rank)
    _set_alone(arena, get_alone(arena) & ~bit | (bit if length == 1 else 0))
    _set_length(arena, pile, length)


@inlined
def _note_going(arena: int, rank: int, left: int) -> None:
    """Note whether a rank may go out."""
    going = get_going(arena) & ~(1 << rank)
    _set_going(arena, going | (1 << rank if goes(arena, rank, left) else 0))


@inlined
def _note_all_going(arena: int) -> None:
    """Note which ranks may go out; the bound on all changes with each reserve card."""
    left = get_reserve(arena)
    for rank in range(at.get_ranks(arena)):
        _note_going(arena, rank, left)


@inlined
def _note_out(arena: int, rank: int) -> None:
    """Note what it means that the last card of a rank went out, if it did.

    Where all cards of the rank below are out, a card is of no more use in the tableau: nothing
    can be built on it. Where those of the two ranks below are out, it could hold only cards that
    can go out themselves, so playing it out is nearly always right. Only in phase 2.
    """
    if get_out(arena, rank) == at.get_copies(arena):
        next_two = 0b110 << rank
        _set_needless(arena, _get_needless(arena) | next_two)


@inlined
def holder_of(arena: int, rank: int, isolated: bool) -> int:
    """Return the rank on which the waste's top may be built, NO_PILES_RANK for none.

    rank  int  of the waste's top, -1 for an empty waste
    """
    if rank < 0:
        return NO_PILES_RANK
    holder = rank + 1 if rank + 1 < at.get_ranks(arena) else 0
    return NO_PILES_RANK if isolated and (rank == 0 or holder == 0) else holder


@inlined
def fitting_ranks(arena: int, isolated: bool) -> int:
    """Return the mask of the ranks on top of piles that fit on another pile."""
    ranks = at.get_ranks(arena)
    present = get_present(arena)
    # Those whose next rank is there, too; that of the last is the base rank.
    fitting = present & (present >> 1 | (present & 1) << (ranks - 1))
    if not isolated:
        return fitting
    # Neither the base rank nor the last one.
    return fitting & (1 << (ranks - 1)) - 2


@inlined
def move_at_once(arena: int) -> int:
    """Return a foundation move that should be made at once, or -1."""
    needless = _get_needless(arena)
    if needless == 0 or is_phase_one(arena):
        return -1
    left = get_reserve(arena)
    if left > 0:
        rank = reserve_rank(arena)
        if (needless >> rank) & 1 and goes(arena, rank, left - 1):
            return FROM_RESERVE | HOME
    ready = get_going(arena) & needless
    if ready == 0:
        return -1
    piles = piles_of_ranks(arena, get_present(arena) & ready)
    if piles != 0:
        return lowest_bit(piles) | HOME
    rank = waste_rank(arena)
    if rank >= 0 and (ready >> rank) & 1:
        return FROM_WASTE | HOME
    return -1


@inlined
def offer(arena: int, move: int, worth: int) -> None:
    """Take a move for the best when its worth and noise say so."""
    temperature = _get_temperature(arena)
    if temperature > 0:
        random = policy.next_random(_get_random(arena))
        _set_random(arena, random)
        worth += policy.noise_of(temperature, at.get_noise(arena, policy.noise_at(random)))
    if worth > _get_best(arena):
        _set_best(arena, worth)
        _set_chosen(arena, move)


@inlined
def isolates_base(arena: int) -> bool:
    """Tell whether base-rank cards in the tableau are isolated now."""
    isolation = at.get_isolation(arena)
    return isolation == ISOLATION_ALWAYS or (isolation != ISOLATION_NONE and is_phase_one(arena))


@inlined
def forget_best(arena: int) -> None:
    """Begin a new choice."""
    _set_best(arena, _WORST)
    _set_chosen(arena, -1)


@inlined
def _arrive(arena: int, rank: int) -> None:
    """Lay a card on the waste."""
    left = get_waste(arena)
    _set_waste_card(arena, left, rank)
    _set_waste(arena, left + 1)


@inlined
def make(arena: int, move: int, count: int) -> int:
    """Make a move and note it as number `count` of the line; return its card's rank."""
    _set_move(arena, count, move)
    source, target = source_of(move), target_of(move)
    if move == DRAW:
        stock = get_stock(arena) - 1
        _set_stock(arena, stock)
        rank = at.stream_rank(arena, stock)
        _arrive(arena, rank)
        return rank
    if source == FROM_WASTE:
        rank = waste_rank(arena)
        _set_waste(arena, get_waste(arena) - 1)
    elif source == FROM_RESERVE:
        rank = reserve_rank(arena)
        _set_reserve(arena, get_reserve(arena) - 1)
    else:
        rank = top_of(arena, source)
        length = length_of(arena, source) - 1
        next_rank = rank + 1 if rank + 1 < at.get_ranks(arena) else 0
        _set_top(arena, source, next_rank if length > 0 else NO_RANK, length)
    if target == TO_FOUNDATION:
        set_out(arena, rank, get_out(arena, rank) + 1)
        _note_out(arena, rank)
        if source == FROM_RESERVE:
            _note_all_going(arena)
        else:
            left = get_reserve(arena)
            _note_going(arena, rank, left)
            # The rank above; after the last one the first, which starts other foundations.
            _note_going(arena, rank + 1 if rank + 1 < at.get_ranks(arena) else 0, left)
    else:
        _set_top(arena, target, rank, length_of(arena, target) + 1)
    return rank


@inlined
def begin(arena: int, state: int, temperature: int, seed: int) -> int:
    """Set a playout up from a search state; return how many cards are not out.

    temperature  int  of the noise; 256 is one unit, 0 is none
    seed         int  of the noise
    """
    _set_random(arena, seed)
    _set_temperature(arena, temperature)
    _set_tops(arena, 0)
    _set_present(arena, 0)
    _set_alone(arena, 0)
    _set_going(arena, 0)
    _set_needless(arena, 0)
    for rank in range(_RANKS):
        _set_piles_of(arena, rank, 0)
    for rank in range(at.get_ranks(arena)):
        set_out(arena, rank, at.get_out(arena, state, rank))
        _note_out(arena, rank)
    for pile in range(at.get_piles(arena)):
        word = at.get_pile(arena, state, pile)
        top = at.top_rank(arena, word) if word > 0 else NO_RANK
        _set_top(arena, pile, top, at.get_length(word))
    _set_reserve(arena, at.get_reserve(arena, state))
    _set_stock(arena, at.get_stock(arena, state))
    _set_waste(arena, 0)
    if at.waste_top(arena, state) >= 0:
        for number in range(STOCK_SIZE - 1, -1, -1):
            if at.has_card(arena, state + at.WASTE, number):
                _arrive(arena, at.stream_rank(arena, number))
    _note_all_going(arena)
    return at.get_total(arena) - at.get_all_out(arena, state)
