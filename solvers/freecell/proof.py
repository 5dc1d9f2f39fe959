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
    BOARD,
    MAX_MACROS,
    STOP_AT_WIN,
    absent_ranks,
    change_child,
    is_sorted,
    list_macros,
    load_start,
    rebuild,
)
from solvers.jit import inlined, kernel
from solvers.search.bits import mix

# --- Its progress, int64[COUNTERS]: positions found, positions not yet expanded (the head of a
# linked stack), nodes expanded, bits of the index in use.
FOUND_COUNT, STACK, NODES, INDEX_BITS = range(4)
COUNTERS = 4
FIRST_INDEX_BITS = 12
MOST_POSITIONS = (1 << 31) - 2

EXHAUSTED, OUT_OF_NODES, OUT_OF_MEMORY, WON = 0, 1, 2, 3


@inlined
def _slot(key: Any, bits: int) -> int:
    """Return where in the index the search for a key begins."""
    return mix(key[0] ^ mix(key[1] ^ mix(key[2]))) & ((1 << bits) - 1)


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

    key       int64[3]
    keys      int64[n, 3]  keys of the positions, in the order in which they were found
    links     int32[n]     the next position of the worklist; -1 ends it
    index     int32[m]     open addressing: 1 + position, 0 where free; m at least 2 n
    counters  int64[COUNTERS]
    """
    count = counters[FOUND_COUNT]
    if 2 * count >= 1 << counters[INDEX_BITS] and 2 << counters[INDEX_BITS] <= len(index):
        _grow(keys, index, counters)
    slot = _find(key, keys, index, counters)
    if index[slot] != 0:
        return True
    if count == len(keys):
        return False
    index[slot] = count + 1
    keys[count, 0] = key[0]
    keys[count, 1] = key[1]
    keys[count, 2] = key[2]
    links[count] = counters[STACK]
    counters[STACK] = count
    counters[FOUND_COUNT] = count + 1
    return True


@kernel
def exhaust(
    options: Any,
    first: Any,
    absent: int,
    keys: Any,
    links: Any,
    index: Any,
    counters: Any,
    budget: int,
) -> Any:
    """Expand positions of the worklist; return (status, position that is won).

    options  int64[OPTIONS]
    first    int64[52]  from load_start
    absent   int64      from absent_ranks
    budget   int64      nodes to expand in this call; the next call goes on from there

    The tables are those of `add_position`, the start position added. The status is EXHAUSTED
    (no position reached is won, and no other can be reached; without STOP_AT_WIN, only the
    latter), WON, OUT_OF_NODES or OUT_OF_MEMORY. Never raises.
    """
    board = np.empty(BOARD, np.int64)
    macros = np.empty(MAX_MACROS, np.int64)
    child = np.empty(3, np.int64)
    for _ in range(budget):
        position = counters[STACK]
        if position < 0:
            return EXHAUSTED, 0
        counters[STACK] = links[position]
        counters[NODES] += 1
        rebuild(keys[position], first, absent, board)
        if options[STOP_AT_WIN] != 0 and is_sorted(board, options):
            return WON, position
        for which in range(list_macros(board, options, macros)):
            macro = macros[which]
            child[0] = keys[position, 0]
            child[1] = keys[position, 1]
            child[2] = keys[position, 2]
            change_child(board, options, child, macro & 63, (macro >> 6) & 63, (macro >> 12) - 1)
            if not add_position(child, keys, links, index, counters):
                return OUT_OF_MEMORY, 0
    return (EXHAUSTED if counters[STACK] < 0 else OUT_OF_NODES), 0


@kernel
def shortest_way(
    options: Any, first: Any, absent: int, won: int, keys: Any, index: Any, counters: Any
) -> Any:
    """Return the macros of the shortest way to a position, over known positions alone.

    A depth-first path wanders: thousands of moves where a few hundred do. Breadth first over
    what has been found, at about the cost of finding it.

    won  int64  the position; the other arguments are those of `exhaust`

    Returns int64[m].
    """
    board = np.empty(BOARD, np.int64)
    tries = np.empty(MAX_MACROS, np.int64)
    child = np.empty(3, np.int64)
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
        rebuild(keys[position], first, absent, board)
        for which in range(list_macros(board, options, tries)):
            macro = tries[which]
            for word in range(3):
                child[word] = keys[position, word]
            change_child(board, options, child, macro & 63, (macro >> 6) & 63, (macro >> 12) - 1)
            after = index[_find(child, keys, index, counters)] - 1
            if after >= 0 and came[after] < 0:
                came[after] = position
                by[after] = macro & 4095
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
    """Return the bits of the index and the positions that fit into so many bytes.

    A position takes 28 bytes, and the index, at 4 bytes, is at most four fifths full. Positions
    are counted in 32 bits: with more memory than for so many, the table is full before it.
    """
    bits = max(int(memory // 18).bit_length() - 1, FIRST_INDEX_BITS)
    size = min(max((memory - (4 << bits)) // 28, 1), (4 << bits) // 5, MOST_POSITIONS)
    return min(bits, 32), size


class Exhaustion:
    """One exhaustive search, with its tables, run in slices.

    start     uint8[STATE_SIZE]  packed position
    options   int64[OPTIONS]
    memory    bytes that the tables may take; they are touched as they fill
    """

    def __init__(self, start: NDArray[np.uint8], options: NDArray[np.int64], memory: int) -> None:
        """Allocate tables and add the start position."""
        self.options = options
        bits, size = table_sizes(memory)
        self._keys = np.empty((size, 3), np.int64)
        self._links = np.empty(size, np.int32)
        self._index = np.zeros(1 << bits, np.int32)
        self._counters = np.array([0, -1, 0, FIRST_INDEX_BITS], np.int64)
        self._first = np.empty(52, np.int64)
        self._absent = absent_ranks(start)
        self._won = -1
        self._full = False
        self.nodes_of_last_slice = 0
        key = np.empty(3, np.int64)
        load_start(start, options, self._first, np.zeros(BOARD, np.int64), key)
        add_position(key, self._keys, self._links, self._index, self._counters)

    @property
    def positions(self) -> int:
        """How many positions have been found so far."""
        return int(self._counters[FOUND_COUNT])

    def go_on(self, budget: int) -> int:
        """Expand up to `budget` nodes more; return the status (see `exhaust`).

        A full table has lost a position: from then on there is no going on.
        """
        if self._full:
            self.nodes_of_last_slice = 0
            return OUT_OF_MEMORY
        before = int(self._counters[NODES])
        status, self._won = exhaust(
            self.options,
            self._first,
            self._absent,
            self._keys,
            self._links,
            self._index,
            self._counters,
            budget,
        )
        self.nodes_of_last_slice = int(self._counters[NODES]) - before
        self._full = status == OUT_OF_MEMORY
        return int(status)

    def macros(self) -> NDArray[np.int64]:
        """Return the macros that lead from the start to the won position, as `lines` reads them."""
        return shortest_way(
            self.options,
            self._first,
            self._absent,
            self._won,
            self._keys,
            self._index,
            self._counters,
        )
