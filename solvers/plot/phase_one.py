"""Whether phase 1 can still be completed: the threshold abstraction, exhausted and remembered.

A relaxed game for a threshold: ranks below it vanish when they are dealt, cover nothing, and
count as playable from their first appearance. What is left of phase 1 is small: the high ends
of piles, the high cards on the waste, and how far the first foundation and the reserve are. The
real game's moves map to moves of the relaxed one or to nothing, so where the relaxed game
cannot complete the first foundation, the real one cannot. The converse does not hold.

Base-rank cards vanish too. Where they are isolated in phase 1 they hold nothing. Where they
are not, each is taken as a holder of the last rank as soon as it is dealt, a pile of its own
whose bottom is the rank after the last; the real game can do no better.

Frozen cards leave the waste: a rank has only so many places to go to, so once more waste cards
of it lie there than those places, the last one and all under it stay for all of phase 1.

Each query explores until it finds a way or runs dry. What ran dry is remembered as dead, and
the way found as alive, so that the search asks about each of its states at little cost.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.jit import inlined, kernel
from solvers.plot import search_state as at
from solvers.plot.layout import ISOLATION_NONE
from solvers.search.arena import HEADER, copy, fill32, load32, load64, new_arena, store32, store64
from solvers.search.bits import mix, shift_right

UNKNOWN, DEAD, ALIVE = range(3)

_W = at.WORD
#: The memory of one threshold, words; what is fixed first.
_CAPACITY = HEADER  # abstract states that fit
_SLOT_MASK = _CAPACITY + _W
_SLOTS = _SLOT_MASK + _W  # offsets of the tables
_STACK = _SLOTS + _W
_VISITED = _STACK + _W
_KNOWN = _VISITED + _W
_THRESHOLD = _KNOWN + _W
_HOLDERS = _THRESHOLD + _W  # whether base-rank cards hold the last rank
_HIGH_LOW = _HOLDERS + _W  # stream cards of high rank, as a waste mask
_HIGH_HIGH = _HIGH_LOW + _W
_COUNT = _HIGH_HIGH + _W  # abstract states known
_QUERY = _COUNT + _W  # number of the query under way
_PENDING = _QUERY + _W  # states on the stack
_SEEN = _PENDING + _W  # states visited by the query
EXPANDED = _SEEN + _W  # abstract states expanded so far, all queries together
_APPEARS = EXPANDED + _W  # by rank: the stock size from which on a card of it has appeared
_SUPPLY = _APPEARS + 16 * _W  # by stock size: mask of the ranks in the stock
_BASES = _SUPPLY + 80 * _W  # by stock size: base-rank cards in the stock
_TABLEAU = _BASES + 80 * _W  # by rank, scratch: cards in piles
_PLACES = _TABLEAU + 16 * _W  # by rank, scratch: places that a waste card can go to

#: An abstract state, words.
PILES = 20  # high ends of piles, at most 12, and holders, at most 8
_FOUNDATION = PILES * _W  # cards on the first foundation
_RESERVE = _FOUNDATION + _W
_STOCK = _RESERVE + _W
_LOW = _STOCK + _W  # waste mask
_HIGH = _LOW + _W
_STATE_WORDS = PILES + 8  # 25, filled up to what is copied at once
_STATE_SIZE = np.int64(_STATE_WORDS * _W)
_FROM = np.int64(_PLACES + 16 * _W)  # the state being expanded, and a child
_TO = np.int64(_FROM + _STATE_WORDS * _W)
_END = int(_TO) + _STATE_WORDS * _W

#: A known state: four words of state, then parent, verdict, query and slot, 32 bits each.
_ENTRY = 48
_PARENT_AT = 32  # the parent's number + 1
_VERDICT_AT = 36
_QUERY_AT = 40
_SLOT_AT = 44
#: Of so many slots one or more used: clearing all of them is no slower than one by one.
_SPARSE = 16
_CHILDREN = 64  # most children of a state


def make_memory(capacity: int) -> NDArray[np.int64]:
    """Return the memory for `capacity` abstract states, about 64 bytes each."""
    slots = 1 << (2 * capacity - 1).bit_length()
    known = _END
    table = known + _ENTRY * capacity
    stack = table + 4 * slots
    visited = stack + 4 * capacity
    memory = new_arena(visited + 4 * capacity)
    for field, value in (
        (_CAPACITY, capacity),
        (_SLOT_MASK, slots - 1),
        (_SLOTS, table),
        (_STACK, stack),
        (_VISITED, visited),
        (_KNOWN, known),
        (_COUNT, capacity),  # whatever the slots hold now is to be forgotten
    ):
        memory[field // _W] = value
    return memory


@kernel
def _forget(memory: int) -> None:
    """Forget all known states."""
    slots, count = load64(memory, _SLOTS), load64(memory, _COUNT)
    if count * _SPARSE > load64(memory, _SLOT_MASK):
        fill32(memory, slots, load64(memory, _SLOT_MASK) + 1, np.int64(0))
    else:
        entry = load64(memory, _KNOWN)
        for _ in range(count):
            store32(memory, slots + 4 * load32(memory, entry + _SLOT_AT), 0)
            entry += _ENTRY
    store64(memory, _COUNT, 0)


@kernel
def prepare(arena: int, memory: int, threshold: int) -> None:
    """Forget everything, and set a threshold up for the deal in `arena`.

    threshold  int  lowest rank that is kept, 1..ranks - 1
    """
    ranks = load64(arena, at.RANKS_AT)
    _forget(memory)
    store64(memory, _QUERY, 0)
    store64(memory, EXPANDED, 0)
    store64(memory, _THRESHOLD, threshold)
    holders = load64(arena, at.ISOLATION_AT) == ISOLATION_NONE
    store64(memory, _HOLDERS, 1 if holders else 0)
    for rank in range(ranks):
        # Out, or on the waste already: it has appeared whatever the stock.
        appeared = at.out_of(arena, at.ROOT, rank) > 0
        appeared = appeared or shift_right(load64(arena, at.ROOT + at.HISTOGRAM), 4 * rank) & 15
        store64(memory, _APPEARS + _W * rank, 99 if appeared else -1)
    for pile in range(load64(arena, at.PILES_AT)):
        code = load64(arena, at.ROOT + at.PILE + _W * pile)
        for index in range(code >> at.LENGTH_SHIFT):
            rank = at.top_rank(arena, code - index * at.ONE_CARD)
            store64(memory, _APPEARS + _W * rank, 99)
    stock = load64(arena, at.ROOT + at.STOCK_LEFT)
    store64(memory, _SUPPLY, 0)
    store64(memory, _BASES, 0)
    for number in range(stock):
        rank = at.stream_rank(arena, number)
        if load64(memory, _APPEARS + _W * rank) < number:
            store64(memory, _APPEARS + _W * rank, number)
        supply = load64(memory, _SUPPLY + _W * number) | 1 << rank
        store64(memory, _SUPPLY + _W * (number + 1), supply)
        bases = load64(memory, _BASES + _W * number) + (1 if rank == 0 else 0)
        store64(memory, _BASES + _W * (number + 1), bases)
    store64(memory, _HIGH_LOW, 0)
    store64(memory, _HIGH_HIGH, 0)
    cards = stock
    for rank in range(ranks):
        cards += shift_right(load64(arena, at.ROOT + at.HISTOGRAM), 4 * rank) & 15
    for number in range(cards):
        if at.stream_rank(arena, number) >= threshold:
            _flip(memory, np.int64(_HIGH_LOW - _LOW), number)


@inlined
def _flip(memory: int, state: int, number: int) -> None:
    """Put a stream card into a waste mask, or take it out."""
    field = state + _LOW if number < 64 else state + _HIGH
    store64(memory, field, load64(memory, field) ^ (1 << (number & 63)))


@inlined
def _waste_top(memory: int, state: int) -> int:
    """Return the stream number of the waste's top high card, -1 for none."""
    return at.first_bit(load64(memory, state + _LOW), load64(memory, state + _HIGH))


@kernel
def _add_pile(memory: int, state: int, code: int) -> None:
    """Put a pile into the place of a space; there always is one."""
    pile = 0
    while load64(memory, state + _W * pile) != 0:
        pile += 1
    store64(memory, state + _W * pile, code)


@kernel
def _abstract(arena: int, memory: int, state: int, target: int) -> None:
    """Write the abstract form of a search state in phase 1."""
    ranks = load64(arena, at.RANKS_AT)
    threshold = load64(memory, _THRESHOLD)
    holders = load64(memory, _HOLDERS) != 0
    for word in range(_STATE_WORDS):
        store64(memory, target + _W * word, 0)
    for pile in range(load64(arena, at.PILES_AT)):
        code = load64(arena, state + at.PILE + _W * pile)
        bottom, length = code & at.BOTTOM_MASK, code >> at.LENGTH_SHIFT
        # A run that goes round the corner is several: each base-rank card starts one.
        while length > 0:
            if bottom == 0 and holders:
                bottom = ranks
            kept = min(length, bottom - threshold + 1)
            if kept > 0:
                _add_pile(memory, target, kept << at.LENGTH_SHIFT | bottom)
            length -= bottom if 0 < bottom < ranks else ranks if bottom == ranks else 1
            bottom = 0 if bottom < ranks and bottom > 0 else ranks if holders else ranks - 1
    if holders:
        for _ in range(load64(arena, state + at.HISTOGRAM) & 15):
            _add_pile(memory, target, at.ONE_CARD | ranks)
    out = np.int64(0)
    while out < ranks and at.out_of(arena, state, out) > 0:
        out += 1
    store64(memory, target + _FOUNDATION, out)
    store64(memory, target + _RESERVE, load64(arena, state + at.RESERVES_LEFT))
    store64(memory, target + _STOCK, load64(arena, state + at.STOCK_LEFT))
    low = load64(arena, state + at.WASTE_LOW) & load64(memory, _HIGH_LOW)
    high = load64(arena, state + at.WASTE_HIGH) & load64(memory, _HIGH_HIGH)
    store64(memory, target + _LOW, low)
    store64(memory, target + _HIGH, high)


@kernel
def _settle(arena: int, memory: int, state: int) -> None:
    """Make the moves that cost nothing: low cards onto the foundation, low cards dealt.

    A low reserve card that fits is played rather than another of its rank: it opens the next
    one, and where the other lies does not matter.
    """
    threshold = load64(memory, _THRESHOLD)
    ranks = load64(arena, at.RANKS_AT)
    holders = load64(memory, _HOLDERS) != 0
    while True:
        out = load64(memory, state + _FOUNDATION)
        stock = load64(memory, state + _STOCK)
        left = load64(memory, state + _RESERVE)
        top = load64(arena, at.RESERVE_AT + _W * (left - 1)) if left > 0 else -1
        if out < threshold and top == out:
            store64(memory, state + _RESERVE, left - 1)
            store64(memory, state + _FOUNDATION, out + 1)
            continue
        if out < threshold and stock <= load64(memory, _APPEARS + _W * out):
            store64(memory, state + _FOUNDATION, out + 1)
            continue
        if stock == 0 or at.stream_rank(arena, stock - 1) >= threshold:
            return
        if holders and at.stream_rank(arena, stock - 1) == 0:
            _add_pile(memory, state, at.ONE_CARD | ranks)
        store64(memory, state + _STOCK, stock - 1)


@kernel
def _sort(memory: int, state: int) -> None:
    """Put the piles in descending order, by insertion; spaces are last."""
    for index in range(1, PILES):
        code = load64(memory, state + _W * index)
        place = index
        while place > 0 and load64(memory, state + _W * (place - 1)) < code:
            store64(memory, state + _W * place, load64(memory, state + _W * (place - 1)))
            place -= 1
        store64(memory, state + _W * place, code)


@kernel
def _count_places(arena: int, memory: int, state: int) -> int:
    """Count the places that waste cards of each rank can go to; return the ranks in piles.

    A waste card goes onto a card of the next rank, now there and uncovered or coming there
    from the waste itself, or to the foundation, which takes one of each rank.
    """
    ranks = load64(arena, at.RANKS_AT)
    threshold = load64(memory, _THRESHOLD)
    for rank in range(ranks + 1):
        store64(memory, _TABLEAU + _W * rank, 0)
        store64(memory, _PLACES + _W * rank, 0)
    present = 0
    for pile in range(PILES):
        code = load64(memory, state + _W * pile)
        if code == 0:
            break
        bottom, length = code & at.BOTTOM_MASK, code >> at.LENGTH_SHIFT
        for rank in range(bottom - length + 1, bottom + 1):
            in_piles = load64(memory, _TABLEAU + _W * rank) + 1
            store64(memory, _TABLEAU + _W * rank, in_piles)
            present |= 1 << rank
            if rank < bottom:
                places = load64(memory, _PLACES + _W * rank) - 1
                store64(memory, _PLACES + _W * rank, places)
    above = 0
    if load64(memory, _HOLDERS) != 0:
        above = load64(memory, _BASES + _W * load64(memory, state + _STOCK))
    out = load64(memory, state + _FOUNDATION)
    for rank in range(ranks - 1, threshold - 1, -1):
        above += load64(memory, _PLACES + _W * rank) + load64(memory, _TABLEAU + _W * (rank + 1))
        above += 1 if rank >= out else 0
        store64(memory, _PLACES + _W * rank, above)
    return present


@kernel
def _normalise(arena: int, memory: int, state: int) -> bool:
    """Sort the piles and drop frozen waste cards; False when a needed rank has no supply."""
    ranks = load64(arena, at.RANKS_AT)
    _sort(memory, state)
    supply = _count_places(arena, memory, state)
    # 1. Walk the waste from its top until a card has no place to go to.
    low, high = load64(memory, state + _LOW), load64(memory, state + _HIGH)
    kept_low, kept_high = 0, 0
    last_is_stuck = load64(memory, _HOLDERS) == 0
    while (low | high) != 0:
        number = at.first_bit(low, high)
        rank = at.stream_rank(arena, number)
        places = load64(memory, _PLACES + _W * rank) - 1
        if places < 0:
            break
        store64(memory, _PLACES + _W * rank, places)
        supply |= 1 << rank
        if number < 64:
            low &= low - 1
            kept_low |= 1 << number
        else:
            high &= high - 1
            kept_high |= 1 << (number - 64)
        # The last rank leaves the waste for the foundation only, which ends phase 1.
        if last_is_stuck and rank == ranks - 1:
            break
    store64(memory, state + _LOW, kept_low)
    store64(memory, state + _HIGH, kept_high)
    # 2. The stock, and the reserve as far as it rises.
    supply |= load64(memory, _SUPPLY + _W * load64(memory, state + _STOCK))
    out = load64(memory, state + _FOUNDATION)
    last = out - 1
    left = load64(memory, state + _RESERVE)
    while left > 0 and load64(arena, at.RESERVE_AT + _W * (left - 1)) > last:
        last = load64(arena, at.RESERVE_AT + _W * (left - 1))
        supply |= 1 << last
        left -= 1
    first = max(out, load64(memory, _THRESHOLD))
    needed = (1 << ranks) - (1 << first)
    return (supply & needed) == needed


@kernel
def _find(memory: int, state: int) -> int:
    """Return the number of a state among the known, entering it when it is new.

    The four words are exact: two cards of a bottom, four bits of a length, for each pile; the
    counters; the waste mask.
    """
    words0, words1, words2 = 0, 0, 0
    for pile in range(8):
        words0 |= load64(memory, state + _W * pile) << (8 * pile)
        words1 |= load64(memory, state + _W * (8 + pile)) << (8 * pile)
    for pile in range(4):
        words2 |= load64(memory, state + _W * (16 + pile)) << (8 * pile)
    words2 |= load64(memory, state + _FOUNDATION) << 32
    words2 |= load64(memory, state + _RESERVE) << 36
    words2 |= load64(memory, state + _STOCK) << 40
    words2 |= load64(memory, state + _HIGH) << 47
    words3 = load64(memory, state + _LOW)
    key = mix(mix(mix(words0 * -7046029254386353131 + words1) + words2) + words3)
    mask, slots = load64(memory, _SLOT_MASK), load64(memory, _SLOTS)
    slot = key & mask
    while True:
        number = load32(memory, slots + 4 * slot) - 1
        if number < 0:
            break
        entry = load64(memory, _KNOWN) + _ENTRY * number
        if (
            load64(memory, entry) == words0
            and load64(memory, entry + 8) == words1
            and load64(memory, entry + 16) == words2
            and load64(memory, entry + 24) == words3
        ):
            return number
        slot = (slot + 1) & mask
    number = load64(memory, _COUNT)
    entry = load64(memory, _KNOWN) + _ENTRY * number
    store64(memory, entry, words0)
    store64(memory, entry + 8, words1)
    store64(memory, entry + 16, words2)
    store64(memory, entry + 24, words3)
    store32(memory, entry + _PARENT_AT, 0)
    store32(memory, entry + _VERDICT_AT, UNKNOWN)
    store32(memory, entry + _QUERY_AT, 0)
    store32(memory, entry + _SLOT_AT, slot)
    store32(memory, slots + 4 * slot, number + 1)
    store64(memory, _COUNT, number + 1)
    return number


@kernel
def _unpack(memory: int, number: int, state: int) -> None:
    """Write a known state out."""
    entry = load64(memory, _KNOWN) + _ENTRY * number
    words0, words1 = load64(memory, entry), load64(memory, entry + 8)
    words2 = load64(memory, entry + 16)
    for pile in range(8):
        store64(memory, state + _W * pile, shift_right(words0, 8 * pile) & 255)
        store64(memory, state + _W * (8 + pile), shift_right(words1, 8 * pile) & 255)
    for pile in range(4):
        store64(memory, state + _W * (16 + pile), shift_right(words2, 8 * pile) & 255)
    store64(memory, state + _FOUNDATION, shift_right(words2, 32) & 15)
    store64(memory, state + _RESERVE, shift_right(words2, 36) & 15)
    store64(memory, state + _STOCK, shift_right(words2, 40) & 127)
    store64(memory, state + _HIGH, shift_right(words2, 47))
    store64(memory, state + _LOW, load64(memory, entry + 24))


@kernel
def _copy(memory: int) -> None:
    """Copy the state being expanded to the child."""
    copy(memory, _FROM, _TO, _STATE_SIZE)


@kernel
def _mark_alive(memory: int, number: int) -> None:
    """Remember that a state and those that led to it can complete phase 1."""
    while number >= 0:
        entry = load64(memory, _KNOWN) + _ENTRY * number
        store32(memory, entry + _VERDICT_AT, ALIVE)
        number = load32(memory, entry + _PARENT_AT) - 1


@kernel
def _enter(arena: int, memory: int, parent: int) -> bool:
    """Take the child up; True when it completes phase 1, or is known to do so."""
    _settle(arena, memory, _TO)
    if load64(memory, _TO + _FOUNDATION) >= load64(arena, at.RANKS_AT):
        _mark_alive(memory, parent)
        return True
    if not _normalise(arena, memory, _TO):
        return False
    number = _find(memory, _TO)
    entry = load64(memory, _KNOWN) + _ENTRY * number
    verdict = load32(memory, entry + _VERDICT_AT)
    if verdict == ALIVE:
        _mark_alive(memory, parent)
        return True
    query = load64(memory, _QUERY)
    if verdict == DEAD or load32(memory, entry + _QUERY_AT) == query:
        return False
    store32(memory, entry + _PARENT_AT, parent + 1)
    _push(memory, number)
    return False


@inlined
def _push(memory: int, number: int) -> None:
    """Note a state as visited by this query, and as one to expand."""
    store32(memory, load64(memory, _KNOWN) + _ENTRY * number + _QUERY_AT, load64(memory, _QUERY))
    seen, pending = load64(memory, _SEEN), load64(memory, _PENDING)
    store32(memory, load64(memory, _VISITED) + 4 * seen, number)
    store32(memory, load64(memory, _STACK) + 4 * pending, number)
    store64(memory, _SEEN, seen + 1)
    store64(memory, _PENDING, pending + 1)


@inlined
def _shorten(memory: int, pile: int) -> None:
    """Take the top card off a pile of the child."""
    code = load64(memory, _TO + _W * pile)
    store64(memory, _TO + _W * pile, at.without_top(code))


@inlined
def _top(memory: int, pile: int) -> int:
    """Return the top rank of a pile of the state being expanded, -1 for a repeated pile."""
    code = load64(memory, _FROM + _W * pile)
    if pile > 0 and load64(memory, _FROM + _W * (pile - 1)) == code:
        return -1
    return (code & at.BOTTOM_MASK) - (code >> at.LENGTH_SHIFT) + 1


@inlined
def _count_piles(memory: int, state: int) -> int:
    """Return how many piles a sorted state has."""
    piles = 0
    while piles < PILES and load64(memory, state + _W * piles) != 0:
        piles += 1
    return piles


@kernel
def _expand(arena: int, memory: int, number: int) -> bool:
    """Take up every child of a known state; True when one completes phase 1.

    Taken up last is expanded first: the foundation before the piles before the draw.
    """
    _unpack(memory, number, _FROM)
    out = load64(memory, _FROM + _FOUNDATION)
    waste = _waste_top(memory, _FROM)
    waste_rank = at.stream_rank(arena, waste) if waste >= 0 else -9
    stock = load64(memory, _FROM + _STOCK)
    if stock > 0:
        _copy(memory)
        store64(memory, _TO + _STOCK, stock - 1)
        _flip(memory, _TO, stock - 1)
        if _enter(arena, memory, number):
            return True
    piles = _count_piles(memory, _FROM)
    tops = 0
    for pile in range(piles):
        tops |= 1 << _top(memory, pile) + 1
    for target in range(piles):
        rank = _top(memory, target)
        if rank < 0:
            continue
        code = load64(memory, _FROM + _W * target)
        if rank == waste_rank + 1:
            _copy(memory)
            _flip(memory, _TO, waste)
            store64(memory, _TO + _W * target, code + at.ONE_CARD)
            if _enter(arena, memory, number):
                return True
        # Bit rank + 1 of `tops` is set where a top has that rank.
        if rank == 0 or tops >> rank & 1 == 0:
            continue
        for source in range(piles):
            if _top(memory, source) == rank - 1 and source != target:
                _copy(memory)
                store64(memory, _TO + _W * target, code + at.ONE_CARD)
                _shorten(memory, source)
                if _enter(arena, memory, number):
                    return True
    for source in range(piles):
        if _top(memory, source) == out:
            _copy(memory)
            _shorten(memory, source)
            store64(memory, _TO + _FOUNDATION, out + 1)
            if _enter(arena, memory, number):
                return True
    if waste_rank == out:
        _copy(memory)
        _flip(memory, _TO, waste)
        store64(memory, _TO + _FOUNDATION, out + 1)
        if _enter(arena, memory, number):
            return True
    left = load64(memory, _FROM + _RESERVE)
    if left > 0 and load64(arena, at.RESERVE_AT + _W * (left - 1)) == out:
        _copy(memory)
        store64(memory, _TO + _RESERVE, left - 1)
        store64(memory, _TO + _FOUNDATION, out + 1)
        if _enter(arena, memory, number):
            return True
    return False


@kernel
def query(arena: int, memory: int, state: int, limit: int) -> int:
    """Tell whether the relaxed game can complete phase 1 from a search state.

    arena   int  address, with the deal
    memory  int  address, prepared for it
    state   int  offset in the arena of a state in phase 1
    limit   int  abstract states to expand at most

    Returns DEAD (a proof), ALIVE, or UNKNOWN when the limit or the memory ran out.
    """
    _abstract(arena, memory, state, _TO)
    _settle(arena, memory, _TO)
    if load64(memory, _TO + _FOUNDATION) >= load64(arena, at.RANKS_AT):
        return ALIVE
    if not _normalise(arena, memory, _TO):
        return DEAD
    capacity = load64(memory, _CAPACITY)
    if load64(memory, _COUNT) + _CHILDREN > capacity:
        return UNKNOWN
    number = _find(memory, _TO)
    entry = load64(memory, _KNOWN) + _ENTRY * number
    if load32(memory, entry + _VERDICT_AT) != UNKNOWN:
        return load32(memory, entry + _VERDICT_AT)
    store64(memory, _QUERY, load64(memory, _QUERY) + 1)
    store64(memory, _SEEN, 0)
    store64(memory, _PENDING, 0)
    store32(memory, entry + _PARENT_AT, 0)
    _push(memory, number)
    expanded = 0
    while load64(memory, _PENDING) > 0:
        if expanded >= limit or load64(memory, _COUNT) + _CHILDREN > capacity:
            return UNKNOWN
        pending = load64(memory, _PENDING) - 1
        store64(memory, _PENDING, pending)
        expanded += 1
        store64(memory, EXPANDED, load64(memory, EXPANDED) + 1)
        if _expand(arena, memory, load32(memory, load64(memory, _STACK) + 4 * pending)):
            return ALIVE
    for index in range(load64(memory, _SEEN)):
        number = load32(memory, load64(memory, _VISITED) + 4 * index)
        store32(memory, load64(memory, _KNOWN) + _ENTRY * number + _VERDICT_AT, DEAD)
    return DEAD
