"""The relaxed game of the threshold abstraction: its memory, its states, and what is known of them.

A threshold makes a relaxed game: ranks below it vanish when they are dealt, cover nothing, and
count as playable from their first appearance. What is left of phase 1 is small: the high ends
of piles, the high cards on the waste, and how far the first foundation and the reserve are. The
real game's moves map to moves of the relaxed one or to nothing, so where the relaxed game
cannot complete the first foundation, the real one cannot. The converse does not hold.

Base-rank cards vanish too. Where they are isolated in phase 1 they hold nothing. Where they
are not, each is taken as a holder of the last rank as soon as it is dealt, a pile of its own
whose bottom is the rank after the last; the real game can do no better.

Frozen cards are left out of the waste. Each place in the tableau or on the foundation takes one
card of a rank. When a waste card has more cards of its rank above it, itself included, than there
are places, it cannot leave in phase 1, nor can what lies under it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.cards import DECK_SIZE, RANKS, SUITS
from solvers.jit import inlined, kernel
from solvers.plot import policy
from solvers.plot import search_state as at
from solvers.plot.layout import ISOLATION_NONE
from solvers.plot.rules import DECKS, PILES, STOCK_SIZE
from solvers.search.arena import HEADER, copy, fill32, new_arena
from solvers.search.bits import (
    GOLDEN,
    mix,
    shift_right,
    without_lowest,
    wrapping_add,
    wrapping_multiply,
)
from solvers.search.record import Bits, Record
from solvers.search.status import OPEN

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

#: What the memory holds of a threshold, before its tables.
MEMORY = Record(at=HEADER)
get_capacity, _set_capacity = MEMORY.word("capacity", "states that fit")
_get_slot_mask, _set_slot_mask = MEMORY.word("slot_mask", "slots of the table - 1")
_get_slots, _set_slots = MEMORY.word("slots", "offset of the table: number + 1, 0 for none")
_get_stack, _set_stack = MEMORY.word("stack", "offset of the states still to be expanded")
_get_visited, _set_visited = MEMORY.word("visited", "offset of the states that the query has met")
_get_known, _set_known = MEMORY.word("known", "offset of the known states")
_get_threshold, _set_threshold = MEMORY.word("threshold", "the lowest rank that is kept")
_get_holders, _set_holders = MEMORY.word("holders", "1 where base-rank cards hold the last rank")
_HIGH = MEMORY.block(at.MASK.size(), "high", "stream cards of the ranks that are kept, a MASK")
get_count, _set_count = MEMORY.word("count", "states known")
_get_query, _set_query = MEMORY.word("query", "number of the query under way, from 1")
_get_pending, _set_pending = MEMORY.word("pending", "states on the stack")
_get_met, _set_met = MEMORY.word("met", "states that the query has met")
get_expanded, set_expanded = MEMORY.word("expanded", "states expanded since `prepare`")
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

#: A known state: its words, and what the queries found.
KNOWN = Record()
_WORDS = 4
_get_word, _set_word = KNOWN.array(64, _WORDS, "words", "PILES twice, REST, the waste's low word")
get_parent, set_parent = KNOWN.field(32, "parent", "the state that it came from: number + 1")
get_verdict, set_verdict = KNOWN.field(32, "verdict", "a status: OPEN, WON or LOST")
_get_known_query, _set_known_query = KNOWN.field(32, "query", "the last query that met it")
_get_slot, _set_slot = KNOWN.field(32, "slot", "where the table has it")
_KNOWN_SIZE = KNOWN.size()

#: Pile words of eight bits, eight in each of the first two words, four in the low half of REST.
_PILE_BITS = 8
_PILE_MASK = (1 << _PILE_BITS) - 1
_PILES_A_WORD = 8
_PILES_OF_REST = MOST_PILES - 2 * _PILES_A_WORD
REST = Bits()
_, _ = REST.field(_PILE_BITS * _PILES_OF_REST, "piles", "the last four pile words")
_rest_foundation, _put_foundation = REST.field(4, "foundation", "as in STATE")
_rest_reserve, _put_reserve = REST.field(4, "reserve", "as in STATE")
_rest_stock, _put_stock = REST.field(7, "stock", "as in STATE")
_rest_high, _put_high = REST.field(17, "high", "the waste's high word")

#: In `appears`: from the beginning, never. The stock never has so many cards, nor so few.
_ALWAYS, _NEVER = np.int64(STOCK_SIZE + 1), np.int64(-1)
#: Where more than one slot in 16 is used, clearing all of them is no slower than one by one.
_SPARSE = 16
_SLOT_BYTES = 4
#: Every rank of the deal once: the high end of a run is a bottom below this and a length.
assert DECK_SIZE // SUITS == RANKS < 1 << 4


def make_memory(capacity: int) -> NDArray[np.int64]:
    """Return the memory for `capacity` abstract states, about 64 bytes each."""
    slots = 1 << (2 * capacity - 1).bit_length()
    known = MEMORY.size()
    table = known + _KNOWN_SIZE * capacity
    stack = table + _SLOT_BYTES * slots
    visited = stack + _SLOT_BYTES * capacity
    memory = new_arena(visited + _SLOT_BYTES * capacity)
    for name, value in (
        ("capacity", capacity),
        ("slot_mask", slots - 1),
        ("slots", table),
        ("stack", stack),
        ("visited", visited),
        ("known", known),
        ("count", capacity),  # whatever the slots hold now is to be forgotten
    ):
        at.words_of(memory, MEMORY, name)[:] = value
    return memory


@inlined
def known_at(memory: int, number: int) -> int:
    """Return the offset of a known state."""
    return _get_known(memory) + _KNOWN_SIZE * number


@kernel
def _forget(memory: int) -> None:
    """Forget all known states."""
    slots, count = _get_slots(memory), get_count(memory)
    if count * _SPARSE > _get_slot_mask(memory):
        fill32(memory, slots, _get_slot_mask(memory) + 1, np.int64(0))
    else:
        for number in range(count):
            at.set_number(memory, slots, _get_slot(memory, known_at(memory, number)), 0)
    _set_count(memory, 0)


@kernel
def prepare(arena: int, memory: int, threshold: int) -> None:
    """Forget everything, and set a threshold up for the deal in `arena`.

    threshold  int  lowest rank that is kept, 1..ranks - 1
    """
    ranks = at.get_ranks(arena)
    _forget(memory)
    _set_query(memory, 0)
    set_expanded(memory, 0)
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


@inlined
def _pack_piles(memory: int, state: int, first: int, count: int) -> int:
    """Pack `count` pile words."""
    words = 0
    for pile in range(count):
        words |= get_pile(memory, state, first + pile) << (_PILE_BITS * pile)
    return words


@inlined
def _unpack_piles(memory: int, words: int, state: int, first: int, count: int) -> None:
    """Write `count` pile words out."""
    for pile in range(count):
        word = shift_right(words, _PILE_BITS * pile) & _PILE_MASK
        set_pile(memory, state, first + pile, word)


@kernel
def find(memory: int, state: int) -> int:
    """Return the number of a state among the known, entering it when it is new.

    Its four words are exact: piles, counters and the waste.
    """
    words0 = _pack_piles(memory, state, 0, _PILES_A_WORD)
    words1 = _pack_piles(memory, state, _PILES_A_WORD, _PILES_A_WORD)
    words2 = _pack_piles(memory, state, 2 * _PILES_A_WORD, _PILES_OF_REST)
    words2 |= _put_foundation(get_foundation(memory, state))
    words2 |= _put_reserve(get_reserve(memory, state))
    words2 |= _put_stock(get_stock(memory, state))
    words2 |= _put_high(at.get_high(memory, state + WASTE))
    words3 = at.get_low(memory, state + WASTE)
    key = mix(wrapping_add(wrapping_multiply(words0, GOLDEN), words1))
    key = mix(wrapping_add(mix(wrapping_add(key, words2)), words3))
    mask, slots = _get_slot_mask(memory), _get_slots(memory)
    slot = key & mask
    while True:
        number = at.get_number(memory, slots, slot) - 1
        if number < 0:
            break
        known = known_at(memory, number)
        if (
            _get_word(memory, known, 0) == words0
            and _get_word(memory, known, 1) == words1
            and _get_word(memory, known, 2) == words2
            and _get_word(memory, known, 3) == words3
        ):
            return number
        slot = (slot + 1) & mask
    number = get_count(memory)
    known = known_at(memory, number)
    _set_word(memory, known, 0, words0)
    _set_word(memory, known, 1, words1)
    _set_word(memory, known, 2, words2)
    _set_word(memory, known, 3, words3)
    set_parent(memory, known, 0)
    set_verdict(memory, known, OPEN)
    _set_known_query(memory, known, 0)
    _set_slot(memory, known, slot)
    at.set_number(memory, slots, slot, number + 1)
    _set_count(memory, number + 1)
    return number


@kernel
def unpack(memory: int, number: int, state: int) -> None:
    """Write a known state out."""
    known = known_at(memory, number)
    words2 = _get_word(memory, known, 2)
    _unpack_piles(memory, _get_word(memory, known, 0), state, 0, _PILES_A_WORD)
    _unpack_piles(memory, _get_word(memory, known, 1), state, _PILES_A_WORD, _PILES_A_WORD)
    _unpack_piles(memory, words2, state, 2 * _PILES_A_WORD, _PILES_OF_REST)
    set_foundation(memory, state, _rest_foundation(words2))
    set_reserve(memory, state, _rest_reserve(words2))
    set_stock(memory, state, _rest_stock(words2))
    at.set_high(memory, state + WASTE, _rest_high(words2))
    at.set_low(memory, state + WASTE, _get_word(memory, known, 3))


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


@inlined
def begin_query(memory: int) -> None:
    """Begin a query that has met nothing."""
    _set_query(memory, _get_query(memory) + 1)
    _set_met(memory, 0)
    _set_pending(memory, 0)


@inlined
def is_met(memory: int, known: int) -> bool:
    """Tell whether the query under way has met a known state."""
    return _get_known_query(memory, known) == _get_query(memory)


@inlined
def push(memory: int, number: int) -> None:
    """Note a state as met by this query, and as one to expand."""
    _set_known_query(memory, known_at(memory, number), _get_query(memory))
    met, pending = _get_met(memory), _get_pending(memory)
    at.set_number(memory, _get_visited(memory), met, number)
    at.set_number(memory, _get_stack(memory), pending, number)
    _set_met(memory, met + 1)
    _set_pending(memory, pending + 1)


@inlined
def is_pending(memory: int) -> bool:
    """Tell whether the query has a state left to expand."""
    return _get_pending(memory) > 0


@inlined
def pop(memory: int) -> int:
    """Take the next state to expand; return its number."""
    pending = _get_pending(memory) - 1
    _set_pending(memory, pending)
    return at.get_number(memory, _get_stack(memory), pending)


@kernel
def mark_met(memory: int, verdict: int) -> None:
    """Remember a verdict on every state that the query has met."""
    for index in range(_get_met(memory)):
        number = at.get_number(memory, _get_visited(memory), index)
        set_verdict(memory, known_at(memory, number), verdict)
