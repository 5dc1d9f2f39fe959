"""FreeCell solutions: from a search's macro moves to a line that a profile's rules accept.

Owns the writing of packed lines. A search says which card goes where and leaves the rest
open; here foundation moves that the profile's autoplay does not make are written out, a run
over the profile's capacity is split into moves within it, and a sorted position is finished.

What is known while a line is written is one array, the writer, int64[WRITER_SIZE]:

    0..51  column or cell of each card in play; -1 for a card that is not in the game, and
           unspecified for cards at home
    52     moves written so far, -1 once the line has failed
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.cards import DECK_SIZE, SUITS
from solvers.freecell.kernel import (
    autoplay,
    capacity,
    capacity_of,
    card_in,
    cards_moved,
    columns_of,
    count_empty_columns,
    first_empty_column,
    first_free_cell,
    free_cells,
    home_of,
    is_safe,
    is_won,
    length_of,
    make_move,
    move_of,
    send_home,
    source_card,
    start,
    take_off,
)
from solvers.freecell.layout import MAX, POWER, RULE_SUIT_BUILD
from solvers.freecell.rules import FIRST_CELL, FOUNDATION, MAX_CELLS
from solvers.jit import Local, inlined, kernel
from solvers.search.bits import rank_of, suit_of
from solvers.search.record import Bits

#: A macro move: what a search tells of a move, whatever the order of columns and cells.
MACRO = Bits(16)
get_card, put_card = MACRO.field(6, "card", "the deepest card that moves")
get_onto, put_onto = MACRO.field(6, "onto", "the card that it goes onto, or an ONTO_ below")
get_count, put_count = MACRO.field(
    4, "count", "for the proof alone: how many cards leave a column, 0 for a card in a cell"
)
ONTO_EMPTY, ONTO_CELL, ONTO_HOME = range(DECK_SIZE, DECK_SIZE + 3)

#: Room for the macros of any win, and for its line: a macro of the proof is one move, and of those
#: of the searches, whose runs may have to be split, there are below 200. The rest is for cards that
#: go home, and to finish. The longest known lines have some 600 moves.
MAX_WAY = 1 << 14
MAX_LINE = MAX_WAY + 4096

_new_waiting = Local(np.int64, MAX_CELLS)
_LENGTH = DECK_SIZE
WRITER_SIZE = DECK_SIZE + 1


@inlined
def _place_of(writer: Any, card: int) -> int:
    """Return the column or cell of a card."""
    return writer[card]


@inlined
def _set_place(writer: Any, card: int, place: int) -> None:
    """Note the column or cell of a card."""
    writer[card] = place


@inlined
def _has_failed(writer: Any) -> bool:
    """Tell whether the line has failed."""
    return writer[_LENGTH] < 0


@inlined
def _fail(writer: Any) -> None:
    """Give the line up."""
    writer[_LENGTH] = -1


@inlined
def _append(writer: Any, line: Any, move: int) -> None:
    """Write a move, for which there is room."""
    line[writer[_LENGTH]] = move
    writer[_LENGTH] += 1


@inlined
def _has_room(writer: Any, line: Any) -> bool:
    """Tell whether the line has not failed and has room for a move."""
    return 0 <= writer[_LENGTH] < len(line)


@kernel
def _begin(packed: Any, writer: Any) -> None:
    """Begin an empty line: note the place of every card in play."""
    writer[:DECK_SIZE] = -1
    writer[_LENGTH] = 0
    for column in range(columns_of(packed)):
        for row in range(length_of(packed, column)):
            _set_place(writer, card_in(packed, column, row), column)
    for place in range(FIRST_CELL, FOUNDATION):
        card = source_card(packed, place)
        if card >= 0:
            _set_place(writer, card, place)


@inlined
def _is_home(packed: Any, card: int) -> bool:
    """Tell whether a card is on its foundation."""
    return home_of(packed, suit_of(card)) > rank_of(card)


@kernel
def _cards_from(packed: Any, column: int, card: int) -> int:
    """Return how many cards lie from a card of a column to its top, both included."""
    length = length_of(packed, column)
    count = 1
    while card_in(packed, column, length - count) != card:
        count += 1
    return count


@kernel
def _emit(
    packed: Any, rules: Any, writer: Any, line: Any, source: int, target: int, count: int
) -> None:
    """Judge a move, make it and append it to the line; the line fails if the rules refuse it.

    So a line that is written through has been replayed, strictly, by the profile's rules.
    """
    if not _has_room(writer, line):
        _fail(writer)
        return
    # A count is written only where it leaves a choice, as `rules.legal_moves` does.
    to_empty = target < FIRST_CELL and length_of(packed, target) == 0
    move = move_of(source, target, count if count > 1 and to_empty else 0)
    if cards_moved(packed, move, rules) != count:
        _fail(writer)
        return
    _append(writer, line, move)
    if target < FIRST_CELL and source < FIRST_CELL:
        length = length_of(packed, source)
        for row in range(length - count, length):
            _set_place(writer, card_in(packed, source, row), target)
    elif target < FOUNDATION:
        _set_place(writer, source_card(packed, source), target)
    make_move(packed, move, count, rules)


@inlined
def _lies_free(packed: Any, writer: Any, card: int) -> bool:
    """Tell whether a card in play has nothing on top of it."""
    place = _place_of(writer, card)
    return place >= 0 and source_card(packed, place) == card


@kernel
def _close(packed: Any, rules: Any, writer: Any, line: Any, searched: int) -> None:
    """Write out the foundation moves that the search made by itself and the profile does not.

    searched  the autoplay of the search, SAFE (everything under suit building) or MAX
    """
    whole = searched == MAX or rules[RULE_SUIT_BUILD] != 0
    suit = np.int64(0)
    idle = 0
    while idle < SUITS and not _has_failed(writer):
        card = home_of(packed, suit) * SUITS + suit
        goes = card < DECK_SIZE and _lies_free(packed, writer, card)
        if goes and (whole or is_safe(packed, card)):
            _send_home(packed, rules, writer, line, suit)
            idle = 0
        else:
            suit = (suit + 1) % SUITS
            idle += 1


@inlined
def _send_home(packed: Any, rules: Any, writer: Any, line: Any, suit: int) -> None:
    """Do what `_emit` does, for a card that is known to fit home: most moves of a line."""
    if not _has_room(writer, line):
        _fail(writer)
        return
    place = _place_of(writer, home_of(packed, suit) * SUITS + suit)
    _append(writer, line, move_of(place, FOUNDATION, 0))
    take_off(packed, place)
    send_home(packed, suit)
    autoplay(packed, rules)


@kernel
def _move_run(packed: Any, rules: Any, writer: Any, line: Any, card: int, target: int) -> None:
    """Move a card and all that lies on it to a column, in as many moves as the capacity asks.

    Cards that autoplay takes on the way are left out. Twin: singles, for single cards.
    """
    if _has_failed(writer) or _is_home(packed, card):
        return
    source = _place_of(writer, card)
    count = _cards_from(packed, source, card)
    if count == 1 or count <= capacity(packed, target, rules):
        _emit(packed, rules, writer, line, source, target, count)
        return
    helper = first_empty_column(packed, target)
    if helper < 0:
        _move_over_cells(packed, rules, writer, line, source, target, count)
        return
    # As few cards as will do wait in an empty column.
    others = count_empty_columns(packed, target) - 1
    part = max(count - capacity_of(free_cells(packed, rules), others, POWER), 1)
    upper = card_in(packed, source, length_of(packed, source) - part)
    _move_run(packed, rules, writer, line, upper, helper)
    _move_run(packed, rules, writer, line, card, target)
    _move_run(packed, rules, writer, line, upper, target)


@kernel
def _move_over_cells(
    packed: Any, rules: Any, writer: Any, line: Any, source: int, target: int, count: int
) -> None:
    """Move a run one card at a time over the free cells."""
    waiting = _new_waiting()
    for index in range(count - 1):
        cell = first_free_cell(packed, rules)
        if cell < 0 or _has_failed(writer):
            _fail(writer)
            return
        waiting[index] = source_card(packed, source)
        _emit(packed, rules, writer, line, source, cell, 1)
    _emit(packed, rules, writer, line, source, target, 1)
    for index in range(count - 2, -1, -1):
        if not _is_home(packed, waiting[index]):
            _emit(packed, rules, writer, line, _place_of(writer, waiting[index]), target, 1)


@kernel
def _make(packed: Any, rules: Any, writer: Any, line: Any, macro: int) -> None:
    """Write one macro; nothing when its card has gone home already."""
    card, onto = get_card(macro), get_onto(macro)
    if _is_home(packed, card):
        return
    source = _place_of(writer, card)
    if onto == ONTO_HOME:
        target = np.int64(FOUNDATION)
    elif onto == ONTO_CELL:
        target = first_free_cell(packed, rules)
    elif onto == ONTO_EMPTY:
        target = first_empty_column(packed, -1)
    else:
        target = _place_of(writer, onto)
    if target < 0:
        _fail(writer)
    elif source < FIRST_CELL and target < FIRST_CELL:
        _move_run(packed, rules, writer, line, card, target)
    else:
        _emit(packed, rules, writer, line, source, target, 1)


@kernel
def _dig(packed: Any, rules: Any, writer: Any, line: Any) -> None:
    """Put away the top card of the column that hides the lowest card in play."""
    target = first_free_cell(packed, rules)
    if target < 0:
        target = first_empty_column(packed, -1)
    # All possible foundation moves are made, so the lowest card in play is some suit's next card.
    place = np.int64(-1)
    lowest = np.int64(DECK_SIZE)
    for suit in range(SUITS):
        card = home_of(packed, suit) * SUITS + suit
        if card < lowest and _place_of(writer, card) >= 0:
            lowest = card
            place = _place_of(writer, card)
    if target < 0 or not 0 <= place < FIRST_CELL:
        _fail(writer)
    else:
        _emit(packed, rules, writer, line, place, target, 1)


@kernel
def write_line(packed: Any, rules: Any, macros: Any, searched: int, writer: Any, line: Any) -> int:
    """Write the line of a profile that follows macros from a position to the win.

    packed    uint8[PACKED_SIZE]  the position before autoplay; changed
    rules     int64[RULES_SIZE]   the profile's; its autoplay takes no more than `searched`
    macros    int64[m]            ending in a won or a sorted position
    searched  int64               the autoplay under which the macros were found, SAFE or MAX
    writer    int64[WRITER_SIZE]  scratch
    line      uint16[MAX_LINE]    out

    Returns the line's length in moves, or -1 when it does not work out. A sorted position has
    no more cards over lower ones than free cells and empty columns.
    """
    _begin(packed, writer)
    start(packed, rules)
    _close(packed, rules, writer, line, searched)
    for macro in macros:
        _make(packed, rules, writer, line, macro)
        _close(packed, rules, writer, line, searched)
        if _has_failed(writer):
            return -1
    # From here on everything that fits goes home.
    _close(packed, rules, writer, line, MAX)
    while not _has_failed(writer) and not is_won(packed):
        _dig(packed, rules, writer, line)
        _close(packed, rules, writer, line, MAX)
    return writer[_LENGTH]
