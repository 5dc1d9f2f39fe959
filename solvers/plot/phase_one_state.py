"""The relaxed game of the threshold abstraction: its states, and how the real game's become them.

Owns one threshold's facts about a deal, and the form in which equal states are equal.

A threshold makes a relaxed game: ranks below it vanish when they are dealt, cover nothing, and
count as playable from their first appearance. What is left of phase 1 is small: the high ends
of piles, the high cards on the waste, and how far the first foundation and the reserve are. The
real game's moves map to moves of the relaxed one or to nothing, so where the relaxed game
cannot complete the first foundation, the real one cannot. The converse does not hold.

Base-rank cards vanish too. Where they are isolated in phase 1 they hold nothing. Where they
are not, each is taken as a holder of the last rank as soon as it is dealt, a pile of its own
whose bottom is the rank after the last; the real game can do no better.

Frozen cards are left out of the waste. A rank has only so many places to go to, so a waste card is
frozen when it and the cards of its rank above it are more than can leave in phase 1. It stays, and
so does all that lies under it.
"""

from __future__ import annotations

import numpy as np

from solvers.cards import RANKS, SUITS
from solvers.jit import inlined, kernel
from solvers.plot import policy
from solvers.plot import search_state as at
from solvers.plot.layout import ISOLATION_NONE
from solvers.plot.rules import DECKS, PILES, STOCK_SIZE
from solvers.search.arena import HEADER, copy
from solvers.search.bits import without_lowest
from solvers.search.record import Record

#: Piles of a state: the high ends of the game's, and a holder for each base-rank card.
MOST_PILES = PILES + DECKS * SUITS

#: A state of the relaxed game.
STATE = Record()
get_pile, set_pile = STATE.array(64, MOST_PILES, "piles", "pile words, descending; 0 for none")
get_foundation, set_foundation = STATE.word("foundation", "cards on the first foundation")
get_reserve, set_reserve = STATE.word("reserve", "cards left in the reserve")
get_stock, set_stock = STATE.word("stock", "cards left in the stock")
WASTE = STATE.block(at.MASK.size(), "waste", "high stream cards on the waste, a MASK")
_STATE_SIZE = np.int64(STATE.size(32))

#: What the memory holds of a threshold; `phase_one_known` has its tables behind it.
MEMORY = Record(at=HEADER)
_get_threshold, _set_threshold = MEMORY.word("threshold", "the lowest rank that is kept")
_get_holders, _set_holders = MEMORY.word("holders", "1 where base-rank cards hold the last rank")
_HIGH = MEMORY.block(at.MASK.size(), "high", "stream cards of the ranks that are kept, a MASK")
_get_appears, _set_appears = MEMORY.array(
    64, RANKS, "appears", "by rank: a card of it has appeared when no more of the stock is left"
)
_get_supply, _set_supply = MEMORY.array(
    64, STOCK_SIZE + 1, "supply", "by cards left in the stock: their ranks, a mask"
)
_get_bases, _set_bases = MEMORY.array(
    64, STOCK_SIZE + 1, "bases", "by cards left in the stock: how many are of the base rank"
)
_get_in_piles, _set_in_piles = MEMORY.array(
    64, RANKS + 1, "in_piles", "scratch, by rank: cards in piles"
)
_get_places, _set_places = MEMORY.array(
    64, RANKS + 1, "places", "scratch, by rank: places that a waste card can go to"
)
FROM = np.int64(MEMORY.block(int(_STATE_SIZE), "from", "the state being expanded"))
TO = np.int64(MEMORY.block(int(_STATE_SIZE), "to", "the state being made from it"))

#: In `appears`: from the beginning, never. The stock never has so many cards, nor so few.
_ALWAYS, _NEVER = np.int64(STOCK_SIZE + 1), np.int64(-1)


@kernel
def set_threshold(arena: int, memory: int, threshold: int) -> None:
    """Set a threshold up for the deal in `arena`.

    threshold  int  lowest rank that is kept, 1..ranks - 1
    """
    ranks = at.get_ranks(arena)
    _set_threshold(memory, threshold)
    _set_holders(memory, 1 if at.get_isolation(arena) == ISOLATION_NONE else 0)
    for rank in range(ranks):
        appeared = at.get_out(arena, at.ROOT, rank) > 0
        appeared = appeared or policy.count_of(at.get_histogram(arena, at.ROOT), rank) > 0
        _set_appears(memory, rank, _ALWAYS if appeared else _NEVER)
    for pile in range(at.get_piles(arena)):
        word = at.get_pile(arena, at.ROOT, pile)
        while word > 0:
            _set_appears(memory, at.top_rank(arena, word), _ALWAYS)
            word = at.without_top(word)
    _set_supply(memory, 0, 0)
    _set_bases(memory, 0, 0)
    for number in range(at.get_stock(arena, at.ROOT)):
        rank = at.stream_rank(arena, number)
        _set_appears(memory, rank, max(_get_appears(memory, rank), number))
        _set_supply(memory, number + 1, _get_supply(memory, number) | 1 << rank)
        _set_bases(memory, number + 1, _get_bases(memory, number) + (1 if rank == 0 else 0))
    at.clear_mask(memory, _HIGH)
    for number in range(at.stream_length(arena)):
        if at.stream_rank(arena, number) >= threshold:
            at.flip_card(memory, _HIGH, number)


@kernel
def _add_pile(memory: int, state: int, word: int) -> None:
    """Put a pile into the first place that has none; there always is one."""
    pile = 0
    while get_pile(memory, state, pile) != 0:
        pile += 1
    set_pile(memory, state, pile, word)


@inlined
def _add_run(arena: int, memory: int, state: int, word: int) -> None:
    """Put the high ends of a pile of the real game into a state.

    A run that goes round the corner is several: each base-rank card starts one.
    """
    ranks = at.get_ranks(arena)
    threshold = _get_threshold(memory)
    holders = _get_holders(memory) != 0
    bottom, length = at.get_bottom(word), at.get_length(word)
    while length > 0:
        if bottom == 0 and holders:
            bottom = ranks
        kept = min(length, bottom - threshold + 1)
        if kept > 0:
            _add_pile(memory, state, at.put_length(kept) | at.put_bottom(bottom))
        # The ranks down to the one above the base, and the base where it did not vanish.
        length -= bottom if 0 < bottom < ranks else ranks if bottom == ranks else 1
        bottom = 0 if 0 < bottom < ranks else ranks if holders else ranks - 1


@kernel
def abstract(arena: int, memory: int, state: int, target: int) -> None:
    """Write the abstract form of a search state in phase 1."""
    ranks = at.get_ranks(arena)
    for pile in range(MOST_PILES):
        set_pile(memory, target, pile, 0)
    for pile in range(at.get_piles(arena)):
        _add_run(arena, memory, target, at.get_pile(arena, state, pile))
    if _get_holders(memory) != 0:
        for _ in range(policy.count_of(at.get_histogram(arena, state), 0)):
            _add_pile(memory, target, at.ONE_CARD | ranks)
    out = np.int64(0)
    while out < ranks and at.get_out(arena, state, out) > 0:
        out += 1
    set_foundation(memory, target, out)
    set_reserve(memory, target, at.get_reserve(arena, state))
    set_stock(memory, target, at.get_stock(arena, state))
    low = at.get_low(arena, state + at.WASTE) & at.get_low(memory, _HIGH)
    high = at.get_high(arena, state + at.WASTE) & at.get_high(memory, _HIGH)
    at.set_low(memory, target + WASTE, low)
    at.set_high(memory, target + WASTE, high)


@kernel
def settle(arena: int, memory: int, state: int) -> None:
    """Make the moves that cost nothing: low cards onto the foundation, low cards dealt.

    A low reserve card that fits is played rather than another of its rank: it opens the next
    one, and where the other lies does not matter.
    """
    threshold = _get_threshold(memory)
    ranks = at.get_ranks(arena)
    holders = _get_holders(memory) != 0
    while True:
        out = get_foundation(memory, state)
        stock = get_stock(memory, state)
        left = get_reserve(memory, state)
        top = at.get_reserve_rank(arena, left - 1) if left > 0 else -1
        if out < threshold and top == out:
            set_reserve(memory, state, left - 1)
            set_foundation(memory, state, out + 1)
            continue
        if out < threshold and stock <= _get_appears(memory, out):
            set_foundation(memory, state, out + 1)
            continue
        if stock == 0 or at.stream_rank(arena, stock - 1) >= threshold:
            return
        if holders and at.stream_rank(arena, stock - 1) == 0:
            _add_pile(memory, state, at.ONE_CARD | ranks)
        set_stock(memory, state, stock - 1)


@kernel
def _sort(memory: int, state: int) -> None:
    """Put the piles in descending order, by insertion; spaces are last."""
    for index in range(1, MOST_PILES):
        word = get_pile(memory, state, index)
        place = index
        while place > 0 and get_pile(memory, state, place - 1) < word:
            set_pile(memory, state, place, get_pile(memory, state, place - 1))
            place -= 1
        set_pile(memory, state, place, word)


@kernel
def _count_places(arena: int, memory: int, state: int) -> int:
    """Count the places that waste cards of each rank can go to; return the ranks in piles.

    A waste card goes onto a card of the next rank, now there and uncovered or coming there
    from the waste itself, or to the foundation, which takes one of each rank.
    """
    ranks = at.get_ranks(arena)
    threshold = _get_threshold(memory)
    for rank in range(ranks + 1):
        _set_in_piles(memory, rank, 0)
        _set_places(memory, rank, 0)
    present = 0
    for pile in range(MOST_PILES):
        word = get_pile(memory, state, pile)
        if word == 0:
            break
        bottom, length = at.get_bottom(word), at.get_length(word)
        for rank in range(bottom - length + 1, bottom + 1):
            _set_in_piles(memory, rank, _get_in_piles(memory, rank) + 1)
            present |= 1 << rank
            if rank < bottom:
                _set_places(memory, rank, _get_places(memory, rank) - 1)
    places = 0
    if _get_holders(memory) != 0:
        places = _get_bases(memory, get_stock(memory, state))
    out = get_foundation(memory, state)
    for rank in range(ranks - 1, threshold - 1, -1):
        places += _get_places(memory, rank) + _get_in_piles(memory, rank + 1)
        places += 1 if rank >= out else 0
        _set_places(memory, rank, places)
    return present


@kernel
def normalise(arena: int, memory: int, state: int) -> bool:
    """Sort the piles and drop frozen waste cards; False when a needed rank has no supply."""
    ranks = at.get_ranks(arena)
    _sort(memory, state)
    supply = _count_places(arena, memory, state)
    # 1. Walk the waste from its top until a card has nowhere to go.
    waste_low, waste_high = at.get_low(memory, state + WASTE), at.get_high(memory, state + WASTE)
    low, high = waste_low, waste_high
    last_is_stuck = _get_holders(memory) == 0
    while (low | high) != 0:
        number = at.first_of(low, high)
        rank = at.stream_rank(arena, number)
        places = _get_places(memory, rank) - 1
        if places < 0:
            break
        _set_places(memory, rank, places)
        supply |= 1 << rank
        if low != 0:
            low = without_lowest(low)
        else:
            high = without_lowest(high)
        # The last rank leaves the waste for the foundation only, which ends phase 1.
        if last_is_stuck and rank == ranks - 1:
            break
    at.set_low(memory, state + WASTE, waste_low ^ low)
    at.set_high(memory, state + WASTE, waste_high ^ high)
    # 2. The stock, and the reserve as far as it rises.
    supply |= _get_supply(memory, get_stock(memory, state))
    out = get_foundation(memory, state)
    last = out - 1
    left = get_reserve(memory, state)
    while left > 0 and at.get_reserve_rank(arena, left - 1) > last:
        last = at.get_reserve_rank(arena, left - 1)
        supply |= 1 << last
        left -= 1
    first = max(out, _get_threshold(memory))
    needed = (1 << ranks) - (1 << first)
    return (supply & needed) == needed


@kernel
def start_child(memory: int) -> None:
    """Copy the state being expanded to the one being made."""
    copy(memory, FROM, TO, _STATE_SIZE)


@inlined
def waste_top(memory: int, state: int) -> int:
    """Return the stream number of the waste's top high card, -1 for none."""
    return at.first_card(memory, state + WASTE)


@inlined
def count_piles(memory: int, state: int) -> int:
    """Return how many piles a sorted state has."""
    piles = 0
    while piles < MOST_PILES and get_pile(memory, state, piles) != 0:
        piles += 1
    return piles
