"""FreeCell's exhaustive search: the only source of `unwinnable`.

Owns the worklist and the order of visits. Every position that can be reached is visited once;
nothing is lost, so running dry is a proof. Depth first, since it may also come upon a win. What
a position is, and what follows on it, is in `proof_state`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from solvers.jit import inlined, kernel
from solvers.search.bits import mix
from solvers.search.status import LOST, OUT_OF_MEMORY, OUT_OF_NODES, WON

# --- Its progress, int64[COUNTERS]: positions found, positions not yet expanded (the head of a
# linked stack), nodes expanded, bits of the index in use.
FOUND_COUNT, STACK, NODES, INDEX_BITS = range(4)
COUNTERS = 4
FIRST_INDEX_BITS = 12

#: Bytes of a position, its key and its link, and of a slot of the index.
_POSITION_BYTES, _SLOT_BYTES = 8 * KEY_WORDS + 4, 4
#: Positions are numbered, from 1 on, in slots of 31 bits.
MOST_POSITIONS = (1 << 31) - 2
_MOST_INDEX_BITS = 32


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
def _grow(keys: Any, index: Any, counters: Any) -> None:
    """Double the part of the index that is in use."""
    counters[INDEX_BITS] += 1
    bits = counters[INDEX_BITS]
    mask = (1 << bits) - 1
    index[: mask + 1] = 0
    for entry in range(counters[FOUND_COUNT]):
        slot = _slot(keys[entry], bits)
        while index[slot] != 0:
            slot = (slot + 1) & mask
        index[slot] = entry + 1


@inlined
def _find(key: Any, keys: Any, index: Any, counters: Any) -> int:
    """Return the slot of the index that holds a key, or the free one where it belongs."""
    mask = (1 << counters[INDEX_BITS]) - 1
    slot = _slot(key, counters[INDEX_BITS])
    while index[slot] != 0:
        known = index[slot] - 1
        if keys[known, 0] == key[0] and keys[known, 1] == key[1] and keys[known, 2] == key[2]:
            break
        slot = (slot + 1) & mask
    return slot


@kernel
def add_position(key: Any, keys: Any, links: Any, index: Any, counters: Any) -> bool:
    """Add a position to the worklist unless it is known; return False when the table is full.

    key       int64[KEY_WORDS]
    keys      int64[n, KEY_WORDS]  of the positions, in the order in which they were found
    links     int32[n]             the next position of the worklist; -1 ends it
    index     int32[m]             open addressing: 1 + position, 0 where free; m at least 2 n
    counters  int64[COUNTERS]
    """
    count = counters[FOUND_COUNT]
    # At half full, while there is room to grow.
    if 2 * count >= 1 << counters[INDEX_BITS] and 2 << counters[INDEX_BITS] <= len(index):
        _grow(keys, index, counters)
    slot = _find(key, keys, index, counters)
    if index[slot] != 0:
        return True
    if count == len(keys):
        return False
    index[slot] = count + 1
    _copy_key(key, keys[count])
    links[count] = counters[STACK]
    counters[STACK] = count
    counters[FOUND_COUNT] = count + 1
    return True


@kernel
def exhaust(
    rules: Any, setup: Any, keys: Any, links: Any, index: Any, counters: Any, budget: int
) -> Any:
    """Expand positions of the worklist; return (status, position that is won).

    rules   int64[RULES_SIZE]
    setup   int64[SETUP_SIZE]  from `load_start`
    budget  int64              nodes to expand in this call; the next call goes on from there

    The tables are those of `add_position`, with the start position in them. The status is WON,
    OUT_OF_NODES, OUT_OF_MEMORY, or LOST when every position has been visited and, if the search
    stops at wins, none is won. Never raises.
    """
    board = np.empty(BOARD_SIZE, np.int64)
    macros = np.empty(MAX_MACROS, np.int64)
    child = np.empty(KEY_WORDS, np.int64)
    for _ in range(budget):
        position = counters[STACK]
        if position < 0:
            return LOST, 0
        counters[STACK] = links[position]
        counters[NODES] += 1
        rebuild(keys[position], setup, board)
        if stops_at_win(setup) and is_sorted(board, rules, setup):
            return WON, position
        for which in range(list_macros(board, rules, setup, macros)):
            _copy_key(keys[position], child)
            change_child(board, rules, child, macros[which])
            if not add_position(child, keys, links, index, counters):
                return OUT_OF_MEMORY, 0
    return (LOST if counters[STACK] < 0 else OUT_OF_NODES), 0


@kernel
def shortest_way(rules: Any, setup: Any, keys: Any, index: Any, counters: Any, won: int) -> Any:
    """Return the macros of the shortest way to a position, over known positions alone.

    A depth-first path wanders: thousands of moves where a few hundred do. Breadth first over
    what has been found, at about the cost of finding it.

    won  int64  the position; the other arguments are those of `exhaust`

    Returns int64[m].
    """
    board = np.empty(BOARD_SIZE, np.int64)
    tries = np.empty(MAX_MACROS, np.int64)
    child = np.empty(KEY_WORDS, np.int64)
    count = counters[FOUND_COUNT]
    came = np.full(count, -1, np.int32)
    by = np.empty(count, np.int32)
    queue = np.empty(count, np.int32)
    queue[0] = 0
    came[0] = 0
    head, tail = 0, 1
    while came[won] < 0:
        position = queue[head]
        head += 1
        rebuild(keys[position], setup, board)
        for which in range(list_macros(board, rules, setup, tries)):
            _copy_key(keys[position], child)
            change_child(board, rules, child, tries[which])
            after = index[_find(child, keys, index, counters)] - 1
            if after >= 0 and came[after] < 0:
                came[after] = position
                by[after] = tries[which]
                queue[tail] = after
                tail += 1
    length = 0
    position = won
    while position != 0:
        position = came[position]
        length += 1
    macros = np.empty(length, np.int64)
    position = won
    for step in range(length - 1, -1, -1):
        macros[step] = by[position]
        position = came[position]
    return macros


def table_sizes(memory: int) -> tuple[int, int]:
    """Return the bits of the index and the positions that fit into a number of bytes.

    The index has the most slots, a power of two, that fit beside positions for half of them. What
    is left holds more positions, up to four fifths of the slots. Position numbers are 32-bit, so
    very large memory limits are not fully used.
    """
    bits = int(memory // (_SLOT_BYTES + _POSITION_BYTES // 2)).bit_length() - 1
    bits = max(bits, FIRST_INDEX_BITS)
    index_bytes = _SLOT_BYTES << bits
    size = max((memory - index_bytes) // _POSITION_BYTES, 1)
    most = (1 << bits) * 4 // 5
    return min(bits, _MOST_INDEX_BITS), min(size, most, MOST_POSITIONS)


class Exhaustion:
    """One exhaustive search, with its tables, run in slices.

    start         uint8[PACKED_SIZE]  packed position
    rules         int64[RULES_SIZE]   to search by
    memory        bytes that the tables may take; they are touched as they fill
    stops_at_win  or else every position that can be reached is visited, won or not
    """

    def __init__(
        self,
        start: NDArray[np.uint8],
        rules: NDArray[np.int64],
        memory: int,
        *,
        stops_at_win: bool = True,
    ) -> None:
        """Allocate tables and add the start position."""
        self.rules = rules
        bits, size = table_sizes(memory)
        self._keys = np.empty((size, KEY_WORDS), np.int64)
        self._links = np.empty(size, np.int32)
        self._index = np.zeros(1 << bits, np.int32)
        self._counters = np.zeros(COUNTERS, np.int64)
        self._counters[STACK], self._counters[INDEX_BITS] = -1, FIRST_INDEX_BITS
        self._setup = np.empty(SETUP_SIZE, np.int64)
        self._won = -1
        self._full = False
        self.nodes_of_last_slice = 0
        key = np.empty(KEY_WORDS, np.int64)
        board = np.zeros(BOARD_SIZE, np.int64)
        load_start(start, rules, stops_at_win, self._setup, board, key)
        add_position(key, self._keys, self._links, self._index, self._counters)

    @property
    def positions(self) -> int:
        """How many positions have been found so far."""
        return int(self._counters[FOUND_COUNT])

    def go_on(self, budget: int) -> int:
        """Expand up to `budget` nodes more; return the status (see `exhaust`).

        Once the table has overflowed, a position is lost, and the search cannot resume.
        """
        if self._full:
            self.nodes_of_last_slice = 0
            return OUT_OF_MEMORY
        before = int(self._counters[NODES])
        status, self._won = exhaust(
            self.rules, self._setup, self._keys, self._links, self._index, self._counters, budget
        )
        self.nodes_of_last_slice = int(self._counters[NODES]) - before
        self._full = status == OUT_OF_MEMORY
        return int(status)

    def macros(self) -> NDArray[np.int64]:
        """Return the macros that lead from the start to the won position, as `lines` reads them."""
        macros: NDArray[np.int64] = shortest_way(
            self.rules, self._setup, self._keys, self._index, self._counters, self._won
        )
        return macros
