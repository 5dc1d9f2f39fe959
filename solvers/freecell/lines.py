"""FreeCell solutions: from a search's macro moves to a line that a profile's rules accept.

Owns the writing of packed lines. A search says which card goes where and leaves the rest
open; here foundation moves that the profile's autoplay does not make are written out, a run
over the profile's capacity is split into moves within it, and a sorted position is finished.

A macro is `card | onto << 6`: the deepest card that moves, and the card that it goes onto, or
ONTO_EMPTY, ONTO_CELL, ONTO_HOME.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.freecell.kernel import (
    AUTOPLAY,
    MAX,
    SUIT_BUILD,
    SUPERMOVE,
    apply,
    autoplay,
    capacity,
    count_empty_columns,
    first_empty_column,
    first_free_cell,
    fits_home,
    free_cells,
    is_safe,
    is_won,
    judge,
    source_card,
)
from solvers.freecell.layout import COLUMN_AT, COLUMN_SIZE, COLUMNS_AT
from solvers.freecell.rules import FIRST_CELL, FOUNDATION
from solvers.jit import kernel

ONTO_EMPTY, ONTO_CELL, ONTO_HOME = 52, 53, 54

#: Room for any line: the longest known are below 200 moves, split into single cards below 600.
MAX_LINE = 4096


@kernel
def _find(state: Any, card: int) -> int:
    """Return `place | depth << 4` of a card, depth 0 being free to move; -1 when at home."""
    for column in range(np.int64(state[COLUMNS_AT])):
        at = COLUMN_AT + COLUMN_SIZE * column
        length = np.int64(state[at])
        for index in range(length):
            if state[at + 1 + index] == card:
                return column | (length - 1 - index) << 4
    for place in range(FIRST_CELL, FOUNDATION):
        if source_card(state, place) == card:
            return place
    return -1


@kernel
def _emit(state: Any, move: int, options: Any, line: Any, total: int) -> int:
    """Make a move and append it to the line; return its new length, -1 if that failed."""
    if total < 0 or total >= len(line):
        return -1
    count = judge(state, move, options)
    if count == 0:
        return -1
    apply(state, move, count, options[AUTOPLAY])
    line[total] = move
    return total + 1


@kernel
def _close(state: Any, searched: int, options: Any, line: Any, total: int) -> int:
    """Write out the foundation moves that the search made by itself and the profile does not.

    searched  the autoplay of the search, SAFE (everything under suit building) or MAX
    """
    place = np.int64(0)
    while place < FOUNDATION and total >= 0:
        card = source_card(state, place)
        goes = card >= 0 and fits_home(state, card)
        if goes and (searched == MAX or options[SUIT_BUILD] != 0 or is_safe(state, card)):
            total = _emit(state, place | FOUNDATION << 4, options, line, total)
            place = np.int64(0)
        else:
            place += 1
    return total


@kernel
def _move_run(state: Any, card: int, target: int, options: Any, line: Any, total: int) -> int:
    """Move a card and all that lies on it to a column, in as many moves as the capacity asks.

    Cards that autoplay takes on the way are left out.
    """
    where = _find(state, card)
    if where < 0 or total < 0:
        return total
    source, count = where & 15, (where >> 4) + 1
    if count <= capacity(state, target, options[SUPERMOVE]):
        empty = state[COLUMN_AT + COLUMN_SIZE * target] == 0
        asked = count if empty and count > 1 else 0
        return _emit(state, source | target << 4 | asked << 8, options, line, total)
    helper = first_empty_column(state, target)
    if helper < 0:
        return _move_over_cells(state, source, target, count, options, line, total)
    # Half of what is within reach waits in an empty column.
    part = min((free_cells(state) + 1) << (count_empty_columns(state, target) - 1), count - 1)
    at = COLUMN_AT + COLUMN_SIZE * source
    upper = np.int64(state[at + np.int64(state[at]) - part + 1])
    total = _move_run(state, upper, helper, options, line, total)
    total = _move_run(state, card, target, options, line, total)
    return _move_run(state, upper, target, options, line, total)


@kernel
def _move_over_cells(
    state: Any, source: int, target: int, count: int, options: Any, line: Any, total: int
) -> int:
    """Move a run one card at a time over the free cells."""
    waiting = np.empty(16, np.int64)
    for index in range(count - 1):
        cell = first_free_cell(state)
        if cell < 0:
            return -1
        waiting[index] = source_card(state, source)
        total = _emit(state, source | cell << 4, options, line, total)
    total = _emit(state, source | target << 4, options, line, total)
    for index in range(count - 2, -1, -1):
        where = _find(state, waiting[index])
        if where >= 0:
            total = _emit(state, where | target << 4, options, line, total)
    return total


@kernel
def _make(state: Any, macro: int, options: Any, line: Any, total: int) -> int:
    """Write one macro; nothing when its card has gone home already."""
    card, onto = macro & 63, macro >> 6
    where = _find(state, card)
    if where < 0:
        return total
    source = where & 15
    if onto == ONTO_HOME:
        return _emit(state, source | FOUNDATION << 4, options, line, total)
    if onto == ONTO_CELL:
        target = first_free_cell(state)
        if target < 0:
            return -1
        return _emit(state, source | target << 4, options, line, total)
    target = first_empty_column(state, -1) if onto == ONTO_EMPTY else _find(state, onto)
    # The card it goes onto has to end a column.
    if not 0 <= target < FIRST_CELL:
        return -1
    if source >= FIRST_CELL:
        return _emit(state, source | target << 4, options, line, total)
    return _move_run(state, card, target, options, line, total)


@kernel
def _dig(state: Any, options: Any, line: Any, total: int) -> int:
    """Put away the top card of the column that hides the lowest card in play."""
    lowest = np.int64(64)
    place = np.int64(-1)
    for column in range(np.int64(state[COLUMNS_AT])):
        at = COLUMN_AT + COLUMN_SIZE * column
        for index in range(np.int64(state[at])):
            card = np.int64(state[at + 1 + index])
            if card < lowest:
                lowest = card
                place = column
    target = first_free_cell(state)
    if target < 0:
        target = first_empty_column(state, -1)
    if place < 0 or target < 0:
        return -1
    return _emit(state, place | target << 4, options, line, total)


@kernel
def write_line(state: Any, macros: Any, searched: int, options: Any, line: Any) -> int:
    """Write the line of a profile that follows macros from a position to the win.

    state     uint8[STATE_SIZE]  the position before autoplay; changed
    macros    int64[m]           ending in a won or a sorted position
    searched  int64              the autoplay under which the macros were found, SAFE or MAX
    options   int64[3]           the profile's; its autoplay takes no more than `searched`
    line      uint16[MAX_LINE]   out

    Returns the line's length in moves, or -1 when a macro does not work out. A sorted position
    has no more cards over lower ones than free cells and empty columns.
    """
    autoplay(state, options[AUTOPLAY])
    total = _close(state, searched, options, line, np.int64(0))
    for macro in macros:
        total = _make(state, macro, options, line, total)
        total = _close(state, searched, options, line, total)
        if total < 0:
            return -1
    while not is_won(state):
        total = _dig(state, options, line, total)
        # Everything that fits goes home from here on.
        total = _close(state, MAX, options, line, total)
        if total < 0:
            return -1
    return total
