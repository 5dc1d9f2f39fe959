"""FreeCell's exhaustive search: the only source of `unwinnable`.

Owns the worklist, the order of visits, and the tables of what has been found. Every position that
can be reached is visited once; nothing is lost, so running dry is a proof. Depth first, since it
may also come upon a win. What a position is, and what follows on it, is in `proof_state`.

It has an arena of its own: the record below, then the index, keys and links of positions, by number
in the order in which they were found.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.freecell.proof_state import (
    BOARD_SIZE,
    KEY_WORDS,
    MAX_MACROS,
    SETUP_SIZE,
    change_child,
    is_sorted,
    list_macros,
    load_start,
    rebuild,
    stops_at_win,
)
from solvers.jit import Local, View, inlined, kernel
from solvers.search.arena import HEADER, note_size
from solvers.search.bits import highest_bit, mix
from solvers.search.record import Record
from solvers.search.status import LOST, OPEN, OUT_OF_MEMORY, WON

PROOF = Record(at=HEADER)
_get_room, _set_room = PROOF.word("room", "positions that the tables hold")
_get_most_bits, _set_most_bits = PROOF.word("most_bits", "the index has 2 to this power slots")
_get_index_bits, _set_index_bits = PROOF.word("index_bits", "the same of the part in use")
get_found, _set_found = PROOF.word("found", "positions found")
_get_stack, _set_stack = PROOF.word(
    "stack", "the position to expand next, head of a linked stack; -1 when it is empty"
)
get_visited, _set_visited = PROOF.word("visited", "positions expanded")
_get_won, _set_won = PROOF.word("won", "the position that is won, once there is one")
_get_tail, _set_tail = PROOF.word("tail", "positions in the queue of the shortest way")
get_looked_at, _set_looked_at = PROOF.word("looked_at", "positions that have left this queue")
_SETUP = PROOF.block(8 * SETUP_SIZE, "setup", "what `load_start` notes")
_INDEX = PROOF.size(64)

_FIRST_INDEX_BITS = 12
#: Bytes of a slot of the index, of a key and of a link; of a position, its key and its link.
_SLOT_BYTES, _KEY_BYTES, _LINK_BYTES = 4, 8 * KEY_WORDS, 4
_POSITION_BYTES = _KEY_BYTES + _LINK_BYTES
#: Positions are numbered, from 1 on, in slots of 31 bits.
_MOST_POSITIONS = (1 << 31) - 2
_MOST_INDEX_BITS = 32
#: Bytes that the shortest way takes for each position: three numbers.
_WAY_BYTES = 12

_words, _numbers, _keys = View(np.int64), View(np.int32), View(np.int64, 2)
_new_board, _new_macros = Local(np.int64, BOARD_SIZE), Local(np.int64, MAX_MACROS)
_new_key = Local(np.int64, KEY_WORDS)

# --- Tables.


@kernel
def table_sizes(memory: int) -> Any:
    """Return the bits of the index and the positions that fit into a number of bytes.

    The index has the most slots, a power of two, that fit beside positions for half of them. What
    is left holds more positions, up to four fifths of the slots. Position numbers are 32-bit, so
    very large memory limits are not fully used.
    """
    bits = highest_bit(memory // (_SLOT_BYTES + _POSITION_BYTES // 2))
    bits = min(max(bits, _FIRST_INDEX_BITS), _MOST_INDEX_BITS)
    slots = 1 << bits
    positions = max((memory - _SLOT_BYTES * slots) // _POSITION_BYTES, 1)
    return bits, min(min(positions, slots * 4 // 5), _MOST_POSITIONS)


@kernel
def arena_size(memory: int) -> int:
    """Return the bytes of an arena whose tables take a number of bytes, or as few as will do."""
    bits, positions = table_sizes(memory)
    return _INDEX + (_SLOT_BYTES << bits) + _POSITION_BYTES * positions


@kernel
def way_size(memory: int) -> int:
    """Return the bytes that the shortest way takes beside such an arena."""
    _, positions = table_sizes(memory)
    return _WAY_BYTES * positions


@kernel
def lay_out(arena: int, memory: int) -> None:
    """Make an arena of memory of any content. Memory is touched as it is used."""
    bits, positions = table_sizes(memory)
    note_size(arena, arena_size(memory))
    _set_most_bits(arena, bits)
    _set_room(arena, positions)


@inlined
def _index_of(arena: int) -> Any:
    """Return the index, int32[2^bits]: 1 + position, 0 where free; open addressing."""
    return _numbers(arena + _INDEX, 1 << _get_most_bits(arena))


@inlined
def _keys_of(arena: int) -> Any:
    """Return the keys of positions, int64[room, KEY_WORDS]."""
    at = arena + _INDEX + (_SLOT_BYTES << _get_most_bits(arena))
    return _keys(at, _get_room(arena), KEY_WORDS)


@inlined
def _links_of(arena: int) -> Any:
    """Return the links of positions, int32[room]: the next one of the worklist; -1 ends it."""
    room = _get_room(arena)
    at = arena + _INDEX + (_SLOT_BYTES << _get_most_bits(arena)) + _KEY_BYTES * room
    return _numbers(at, room)


@inlined
def _setup_of(arena: int) -> Any:
    """Return what stays as it is throughout, int64[SETUP_SIZE]."""
    return _words(arena + _SETUP, SETUP_SIZE)


@inlined
def _slot(key: Any, bits: int) -> int:
    """Return where in the index the search for a key begins."""
    return mix(key[0] ^ mix(key[1] ^ mix(key[2]))) & ((1 << bits) - 1)


@inlined
def _copy_key(source: Any, target: Any) -> None:
    """Copy a key."""
    for word in range(KEY_WORDS):
        target[word] = source[word]


@kernel
def _grow(arena: int, keys: Any, index: Any) -> None:
    """Double the part of the index that is in use."""
    bits = _get_index_bits(arena) + 1
    _set_index_bits(arena, bits)
    mask = (1 << bits) - 1
    index[: mask + 1] = 0
    for entry in range(get_found(arena)):
        slot = _slot(keys[entry], bits)
        while index[slot] != 0:
            slot = (slot + 1) & mask
        index[slot] = entry + 1


@inlined
def _find(arena: int, key: Any, keys: Any, index: Any) -> int:
    """Return the slot of the index that holds a key, or the free one where it belongs."""
    bits = _get_index_bits(arena)
    mask = (1 << bits) - 1
    slot = _slot(key, bits)
    while index[slot] != 0:
        known = index[slot] - 1
        if keys[known, 0] == key[0] and keys[known, 1] == key[1] and keys[known, 2] == key[2]:
            break
        slot = (slot + 1) & mask
    return slot


@kernel
def _add_position(arena: int, key: Any, keys: Any, links: Any, index: Any) -> bool:
    """Add a position to the worklist unless it is known; return False when the table is full.

    key  int64[KEY_WORDS]; the tables are the arena's
    """
    found = get_found(arena)
    bits = _get_index_bits(arena)
    # At half full, while there is room to grow.
    if 2 * found >= 1 << bits and bits < _get_most_bits(arena):
        _grow(arena, keys, index)
    slot = _find(arena, key, keys, index)
    if index[slot] != 0:
        return True
    if found == len(keys):
        return False
    index[slot] = found + 1
    _copy_key(key, keys[found])
    links[found] = _get_stack(arena)
    _set_stack(arena, found)
    _set_found(arena, found + 1)
    return True


# --- The search.


@kernel
def start(arena: int, packed: Any, rules: Any, stops: bool) -> None:
    """Begin with a position.

    packed  uint8[PACKED_SIZE]
    rules   int64[RULES_SIZE]   to search by
    stops   whether to stop at a win; or else every position that can be reached is visited
    """
    index = _index_of(arena)
    index[: 1 << _FIRST_INDEX_BITS] = 0
    _set_index_bits(arena, _FIRST_INDEX_BITS)
    _set_found(arena, 0)
    _set_stack(arena, -1)
    _set_visited(arena, 0)
    _set_tail(arena, 0)
    board, key = _new_board(), _new_key()
    load_start(packed, rules, stops, _setup_of(arena), board, key)
    _add_position(arena, key, _keys_of(arena), _links_of(arena), index)


@kernel
def run(arena: int, rules: Any, most: int) -> int:
    """Go on by up to `most` positions; return the status.

    The status is OPEN while there is more to do, WON, OUT_OF_MEMORY, or LOST when every position
    has been visited and, if the search stops at wins, none is won. `get_visited` counts what all
    calls expanded. A search that ran out of memory has lost a position, and cannot go on.
    """
    board, macros, child = _new_board(), _new_macros(), _new_key()
    setup, keys, links, index = (
        _setup_of(arena),
        _keys_of(arena),
        _links_of(arena),
        _index_of(arena),
    )
    for _ in range(most):
        position = _get_stack(arena)
        if position < 0:
            return LOST
        _set_stack(arena, np.int64(links[position]))
        _set_visited(arena, get_visited(arena) + 1)
        rebuild(keys[position], setup, board)
        if stops_at_win(setup) and is_sorted(board, rules, setup):
            _set_won(arena, position)
            return WON
        for which in range(list_macros(board, rules, setup, macros)):
            _copy_key(keys[position], child)
            change_child(board, rules, child, macros[which])
            if not _add_position(arena, child, keys, links, index):
                return OUT_OF_MEMORY
    return LOST if _get_stack(arena) < 0 else OPEN


@kernel
def find_way(arena: int, rules: Any, way: int, most: int) -> bool:
    """Go on with the shortest way to the won position by up to `most`; tell whether it is found.

    A depth-first path wanders: thousands of moves where a few hundred do. Breadth first over the
    positions that have been found, and no others, at about the cost of finding them.

    way  address of `way_size` bytes for the tables, a number a position: where it came from (-1
         until it is reached), by which macro, and the queue

    `get_looked_at` counts what all calls took out of the queue.
    """
    board, tries, child = _new_board(), _new_macros(), _new_key()
    setup, keys, index = _setup_of(arena), _keys_of(arena), _index_of(arena)
    found, won = get_found(arena), _get_won(arena)
    came, by, queue = _came(way, found), _by(way, found), _queue(way, found)
    head, tail = get_looked_at(arena), _get_tail(arena)
    if tail == 0:
        came[:] = -1
        came[0], queue[0] = 0, 0
        head, tail = 0, 1
    end = head + min(most, found - head)
    while came[won] < 0 and head < end:
        position = np.int64(queue[head])
        head += 1
        rebuild(keys[position], setup, board)
        for which in range(list_macros(board, rules, setup, tries)):
            _copy_key(keys[position], child)
            change_child(board, rules, child, tries[which])
            after = index[_find(arena, child, keys, index)] - 1
            if after >= 0 and came[after] < 0:
                came[after] = position
                by[after] = tries[which]
                queue[tail] = after
                tail += 1
    _set_looked_at(arena, head)
    _set_tail(arena, tail)
    return came[won] >= 0


@kernel
def read_way(arena: int, way: int, macros: Any) -> int:
    """Write the macros of a way that `find_way` found; return how many, -1 if they do not fit.

    macros  int64[m]  out, as `lines` reads them
    """
    found, won = get_found(arena), _get_won(arena)
    came, by = _came(way, found), _by(way, found)
    length = 0
    position = won
    while position != 0:
        position = np.int64(came[position])
        length += 1
    if length > len(macros):
        return -1
    position = won
    for step in range(length - 1, -1, -1):
        macros[step] = by[position]
        position = np.int64(came[position])
    return length


@inlined
def _came(way: int, found: int) -> Any:
    """Return where each position came from."""
    return _numbers(way, found)


@inlined
def _by(way: int, found: int) -> Any:
    """Return the macro by which each position was reached."""
    return _numbers(way + 4 * found, found)


@inlined
def _queue(way: int, found: int) -> Any:
    """Return the queue of positions."""
    return _numbers(way + 8 * found, found)
