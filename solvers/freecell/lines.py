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

from solvers.cards import DECK_SIZE
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
    free_cells,
    is_safe,
    is_won,
    judge,
    source_card,
    take_off,
)
from solvers.freecell.layout import CELL_AT, COLUMN_AT, COLUMN_SIZE, COLUMNS_AT, FOUNDATIONS_AT
from solvers.freecell.rules import FIRST_CELL, FOUNDATION
from solvers.jit import inlined, kernel

ONTO_EMPTY, ONTO_CELL, ONTO_HOME = 52, 53, 54

#: Room for any line: the longest known are below 200 moves, split into single cards below 600.
MAX_LINE = 4096


@kernel
def _locate(state: Any, where: Any) -> None:
    """Fill in the place of every card in play.

    where  int64[52]  out: column or cell; unspecified for cards at home
    """
    for column in range(np.int64(state[COLUMNS_AT])):
        at = COLUMN_AT + COLUMN_SIZE * column
        for index in range(np.int64(state[at])):
            where[state[at + 1 + index]] = column
    for place in range(FIRST_CELL, FOUNDATION):
        card = source_card(state, place)
        if card >= 0:
            where[card] = place


@inlined
def _is_home(state: Any, card: int) -> bool:
    """Tell whether a card is on its foundation."""
    return np.int64(state[FOUNDATIONS_AT + (card & 3)]) > card >> 2


@kernel
def _cards_from(state: Any, column: int, card: int) -> int:
    """Return how many cards lie from a card of a column to its top, both included."""
    at = COLUMN_AT + COLUMN_SIZE * column
    top = at + np.int64(state[at])
    count = 1
    while state[top + 1 - count] != card:
        count += 1
    return count


@kernel
def _emit(
    state: Any,
    where: Any,
    source: int,
    target: int,
    count: int,
    options: Any,
    line: Any,
    total: int,
) -> int:
    """Judge a move, make it and append it to the line; return its new length, -1 if that fails.

    So a line that is written through has been replayed, strictly, by the profile's rules.
    """
    if total < 0 or total >= len(line):
        return -1
    move = source | target << 4
    if count > 1 and state[COLUMN_AT + COLUMN_SIZE * target] == 0:
        move |= count << 8
    if judge(state, move, options) != count:
        return -1
    line[total] = move
    if target < FIRST_CELL:
        for depth in range(count):
            where[_card_at(state, source, depth)] = target
    elif target < FOUNDATION:
        where[source_card(state, source)] = target
    apply(state, move, count, options[AUTOPLAY])
    return total + 1


@inlined
def _card_at(state: Any, place: int, depth: int) -> int:
    """Return a card of a column, counted from its top, or a cell's card."""
    if place >= FIRST_CELL:
        return np.int64(state[CELL_AT + place - FIRST_CELL])
    at = COLUMN_AT + COLUMN_SIZE * place
    return np.int64(state[at + np.int64(state[at]) - depth])


@kernel
def _close(state: Any, where: Any, searched: int, options: Any, line: Any, total: int) -> int:
    """Write out the foundation moves that the search made by itself and the profile does not.

    searched  the autoplay of the search, SAFE (everything under suit building) or MAX
    """
    suit = np.int64(0)
    idle = 0
    while idle < 4 and total >= 0:
        card = np.int64(state[FOUNDATIONS_AT + suit]) * 4 + suit
        goes = card < DECK_SIZE and where[card] >= 0 and _card_at(state, where[card], 0) == card
        if goes and (searched == MAX or options[SUIT_BUILD] != 0 or is_safe(state, card)):
            total = _send_home(state, where[card], suit, options, line, total)
            idle = 0
        else:
            suit = (suit + 1) & 3
            idle += 1
    return total


@inlined
def _send_home(state: Any, place: int, suit: int, options: Any, line: Any, total: int) -> int:
    """Do what `_emit` does for a card whose way home is known to be open: most moves of a line."""
    if total >= len(line):
        return -1
    line[total] = place | FOUNDATION << 4
    take_off(state, place)
    state[FOUNDATIONS_AT + suit] += 1
    autoplay(state, options[AUTOPLAY])
    return total + 1


@kernel
def _move_run(
    state: Any, where: Any, card: int, target: int, options: Any, line: Any, total: int
) -> int:
    """Move a card and all that lies on it to a column, in as many moves as the capacity asks.

    Cards that autoplay takes on the way are left out.
    """
    if total < 0 or _is_home(state, card):
        return total
    source = where[card]
    count = _cards_from(state, source, card)
    if count == 1 or count <= capacity(state, target, options[SUPERMOVE]):
        return _emit(state, where, source, target, count, options, line, total)
    helper = first_empty_column(state, target)
    if helper < 0:
        return _move_over_cells(state, where, source, target, count, options, line, total)
    # As few cards as will do wait in an empty column.
    others = count_empty_columns(state, target) - 1
    part = max(count - ((free_cells(state) + 1) << others), 1)
    upper = _card_at(state, source, part - 1)
    total = _move_run(state, where, upper, helper, options, line, total)
    total = _move_run(state, where, card, target, options, line, total)
    return _move_run(state, where, upper, target, options, line, total)


@kernel
def _move_over_cells(
    state: Any,
    where: Any,
    source: int,
    target: int,
    count: int,
    options: Any,
    line: Any,
    total: int,
) -> int:
    """Move a run one card at a time over the free cells."""
    waiting = np.empty(16, np.int64)
    for index in range(count - 1):
        cell = first_free_cell(state)
        if cell < 0:
            return -1
        waiting[index] = source_card(state, source)
        total = _emit(state, where, source, cell, 1, options, line, total)
    total = _emit(state, where, source, target, 1, options, line, total)
    for index in range(count - 2, -1, -1):
        if not _is_home(state, waiting[index]):
            place = where[waiting[index]]
            total = _emit(state, where, place, target, 1, options, line, total)
    return total


@kernel
def _make(state: Any, where: Any, macro: int, options: Any, line: Any, total: int) -> int:
    """Write one macro; nothing when its card has gone home already."""
    card, onto = macro & 63, macro >> 6
    if _is_home(state, card):
        return total
    source = where[card]
    if onto == ONTO_HOME:
        return _emit(state, where, source, FOUNDATION, 1, options, line, total)
    if onto == ONTO_CELL:
        target = first_free_cell(state)
    elif onto == ONTO_EMPTY:
        target = first_empty_column(state, -1)
    else:
        target = where[onto]
    if target < 0:
        return -1
    if source < FIRST_CELL and target < FIRST_CELL:
        return _move_run(state, where, card, target, options, line, total)
    return _emit(state, where, source, target, 1, options, line, total)


@kernel
def _dig(state: Any, where: Any, options: Any, line: Any, total: int) -> int:
    """Put away the top card of the column that hides the lowest card in play."""
    target = first_free_cell(state)
    if target < 0:
        target = first_empty_column(state, -1)
    # Foundations are closed: the lowest card is none that a suit lacks, but the next of one.
    place = np.int64(-1)
    lowest = np.int64(DECK_SIZE)
    for suit in range(4):
        card = np.int64(state[FOUNDATIONS_AT + suit]) * 4 + suit
        if card < lowest and where[card] >= 0:
            lowest = card
            place = where[card]
    if target < 0 or not 0 <= place < FIRST_CELL:
        return -1
    return _emit(state, where, place, target, 1, options, line, total)


@kernel
def write_line(state: Any, macros: Any, searched: int, options: Any, where: Any, line: Any) -> int:
    """Write the line of a profile that follows macros from a position to the win.

    state     uint8[STATE_SIZE]  the position before autoplay; changed
    macros    int64[m]           ending in a won or a sorted position
    searched  int64              the autoplay under which the macros were found, SAFE or MAX
    options   int64[3]           the profile's; its autoplay takes no more than `searched`
    where     int64[52]          scratch
    line      uint16[MAX_LINE]   out

    Returns the line's length in moves, or -1 when it does not work out. A sorted position has
    no more cards over lower ones than free cells and empty columns.
    """
    where[:] = -1
    _locate(state, where)
    autoplay(state, options[AUTOPLAY])
    total = _close(state, where, searched, options, line, np.int64(0))
    for macro in macros:
        total = _make(state, where, macro, options, line, total)
        total = _close(state, where, searched, options, line, total)
        if total < 0:
            return -1
    # From here on everything that fits goes home.
    total = _close(state, where, MAX, options, line, total)
    while total >= 0 and not is_won(state):
        total = _dig(state, where, options, line, total)
        total = _close(state, where, MAX, options, line, total)
    return total
