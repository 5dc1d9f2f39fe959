"""What is known of the states of the relaxed game: stored, found again, and waiting to be expanded.

Owns the tables behind the threshold in the memory of the abstraction, and the worklist of a query.
What a state is, is in `phase_one_state`; which are explored, in `phase_one`.
"""

from __future__ import annotations

import numpy as np

from solvers.jit import inlined, kernel
from solvers.plot import search_state as at
from solvers.plot.phase_one_state import (
    MEMORY,
    MOST_PILES,
    WASTE,
    get_foundation,
    get_pile,
    get_reserve,
    get_stock,
    set_foundation,
    set_pile,
    set_reserve,
    set_stock,
)
from solvers.search.arena import fill32, note_size
from solvers.search.bits import (
    GOLDEN,
    highest_bit,
    mix,
    shift_right,
    wrapping_add,
    wrapping_multiply,
)
from solvers.search.record import Bits, Record
from solvers.search.status import OPEN

#: What the memory holds of the known states before the states themselves.
TABLES = Record(at=MEMORY.size())
get_capacity, _set_capacity = TABLES.word("capacity", "states that fit")
_get_slot_mask, _set_slot_mask = TABLES.word("slot_mask", "slots of the hash table - 1")
_get_slots, _set_slots = TABLES.word("slots", "offset of the hash table: number + 1, 0 for none")
_get_stack, _set_stack = TABLES.word("stack", "offset of the states still to be expanded")
_get_visited, _set_visited = TABLES.word("visited", "offset of the states that the query has met")
_get_known, _set_known = TABLES.word("known", "offset of the known states")
get_count, _set_count = TABLES.word("count", "states known")
_get_query, _set_query = TABLES.word("query", "number of the query under way, from 1")
_get_pending, _set_pending = TABLES.word("pending", "states on the stack")
_get_met, _set_met = TABLES.word("met", "states that the query has met")
get_expanded, set_expanded = TABLES.word("expanded", "states expanded since all was forgotten")

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

#: Where more than one slot in 16 is used, clearing all of them is no slower than one by one.
_SPARSE = 16
_SLOT_BYTES = 4
_FIRST_KNOWN = TABLES.size()


@inlined
def _slots_for(capacity: int) -> int:
    """Return the slots of a hash table, half of which are used at most."""
    return 2 << highest_bit(2 * capacity - 1)


@kernel
def memory_size(capacity: int) -> int:
    """Return the bytes of the memory for `capacity` abstract states, about 70 each."""
    return (
        _FIRST_KNOWN
        + _SLOT_BYTES * _slots_for(capacity)
        + capacity * (_KNOWN_SIZE + 2 * _SLOT_BYTES)
    )


@kernel
def lay_out(memory: int, capacity: int) -> None:
    """Make a memory of `memory_size(capacity)` bytes, of any content."""
    slots = _slots_for(capacity)
    known = _FIRST_KNOWN
    table = known + _KNOWN_SIZE * capacity
    stack = table + _SLOT_BYTES * slots
    note_size(memory, memory_size(capacity))
    _set_capacity(memory, capacity)
    _set_slot_mask(memory, slots - 1)
    _set_slots(memory, table)
    _set_stack(memory, stack)
    _set_visited(memory, stack + _SLOT_BYTES * capacity)
    _set_known(memory, known)
    # Whatever the slots hold now is to be forgotten.
    _set_count(memory, capacity)


@inlined
def known_at(memory: int, number: int) -> int:
    """Return the offset of a known state."""
    return _get_known(memory) + _KNOWN_SIZE * number


@kernel
def forget(memory: int) -> None:
    """Forget all known states."""
    slots, count = _get_slots(memory), get_count(memory)
    if count * _SPARSE > _get_slot_mask(memory):
        fill32(memory, slots, _get_slot_mask(memory) + 1, np.int64(0))
    else:
        for number in range(count):
            at.set_number(memory, slots, _get_slot(memory, known_at(memory, number)), 0)
    _set_count(memory, 0)
    _set_query(memory, 0)
    set_expanded(memory, 0)


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
