"""Positions of FreeCell's exhaustive search: the exact key, and its children.

Owns what a key is, what it stands for, and which moves are made from it; `proof` visits them.

A key gives three bits to each card: at home, in a cell, at a column's base, on the card that it
lay on at first, or on one of the cards that it can be built on (by suit). Together they say
exactly which cards lie on which, whatever the order of columns and cells; there are no
collisions, and a position is rebuilt from its key.

    int64[3], 21 cards a word, card c in bits 3 * (c % 21) of word c // 21

What is left out, and why nothing is lost: columns and cells are interchangeable, so a key has
none of their order, and one empty column and one cell stand for all; a lone card of a column
does not go to an empty one. Without forced autoplay, a supermove is a series of single moves,
and a safe card goes home at once (no card in play can need it; see docs/pruning.md). Under
forced max autoplay, which may tear a supermove's parts apart, whole supermoves are made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.freecell.kernel import MAX, NONE, capacity_of, fits_on
from solvers.freecell.layout import (
    CELL_AT,
    CELLS_AT,
    COLUMN_AT,
    COLUMN_SIZE,
    COLUMNS_AT,
    EMPTY,
    FOUNDATIONS_AT,
)
from solvers.freecell.lines import ONTO_CELL, ONTO_EMPTY, ONTO_HOME
from solvers.jit import inlined, kernel
from solvers.search.bits import lowest_bit, popcount

# --- Options of an exhaustion, int64[OPTIONS].
CELLS, COLUMNS, SUIT_BUILD, AUTOPLAY, SUPERMOVE, STOP_AT_WIN = range(6)
OPTIONS = 6

AT_HOME, IN_CELL, AT_BASE, ON_FIRST, ON_FIT = 0, 1, 2, 3, 4

# --- A rebuilt position, int64[BOARD].
_LENGTH, _HOME, _CELL_MASK, _CARDS = 0, 8, 12, 16
_COLUMN = 64
# Behind it, room for what `rebuild` and `change_child` need: no allocation for every node.
_ABOVE = _CARDS + 8 * _COLUMN
_SAVED = _ABOVE + 52
BOARD = _SAVED + _CARDS
MAX_MACROS = 512


@inlined
def _set_code(key: Any, card: int, code: int) -> None:
    """Write a card's three bits."""
    shift = 3 * (card % 21)
    key[card // 21] = (key[card // 21] & ~(7 << shift)) | (code << shift)


@inlined
def _code_on(card: int, below: int, suit_build: int) -> int:
    """Return the code of a card that lies on another."""
    return ON_FIT + (below & 3) if fits_on(card, below, suit_build) else ON_FIRST


@kernel
def load_start(state: Any, options: Any, first: Any, board: Any, key: Any) -> None:
    """Read the packed start position, and do its autoplay.

    state    uint8[STATE_SIZE]
    options  int64[OPTIONS]
    first    int64[52]      out: the card beneath each card, -1 where there is none
    board    int64[BOARD]   out
    key      int64[3]       out
    """
    first[:] = -1
    key[:] = 0
    board[_LENGTH : _LENGTH + 8] = 0
    board[_CELL_MASK] = 0
    for suit in range(4):
        board[_HOME + suit] = state[FOUNDATIONS_AT + suit]
    for column in range(np.int64(state[COLUMNS_AT])):
        at = COLUMN_AT + COLUMN_SIZE * column
        for index in range(np.int64(state[at])):
            card = np.int64(state[at + 1 + index])
            board[_CARDS + _COLUMN * column + index] = card
            if index == 0:
                _set_code(key, card, AT_BASE)
            else:
                first[card] = state[at + index]
                _set_code(key, card, _code_on(card, first[card], options[SUIT_BUILD]))
        board[_LENGTH + column] = state[at]
    for cell in range(np.int64(state[CELLS_AT])):
        if state[CELL_AT + cell] != EMPTY:
            board[_CELL_MASK] |= 1 << np.int64(state[CELL_AT + cell])
            _set_code(key, np.int64(state[CELL_AT + cell]), IN_CELL)
    _autoplay(board, options, key)


@inlined
def rebuild(key: Any, first: Any, absent: int, board: Any) -> None:
    """Rebuild a position from its key, columns in the order of their base cards.

    absent  int64  ranks that the deck does not have; their cards read as at home
    """
    board[_ABOVE:_SAVED] = -1
    column = 0
    board[_CELL_MASK] = 0
    board[_HOME : _HOME + 4] = -absent
    for word in range(3):
        codes = key[word]
        for card in range(21 * word, min(21 * word + 21, 52)):
            code = codes & 7
            codes >>= 3
            if code == AT_HOME:
                board[_HOME + (card & 3)] += 1
            elif code == IN_CELL:
                board[_CELL_MASK] |= 1 << card
            elif code == AT_BASE:
                board[_CARDS + _COLUMN * column] = card
                column += 1
            elif code == ON_FIRST:
                board[_ABOVE + first[card]] = card
            else:
                board[_ABOVE + (((card >> 2) + 1) << 2 | (code - ON_FIT))] = card
    for index in range(8):
        length = 0
        if index < column:
            at = _CARDS + _COLUMN * index
            card = board[at]
            while card >= 0:
                board[at + length] = card
                length += 1
                card = board[_ABOVE + card]
        board[_LENGTH + index] = length


@inlined
def _goes(board: Any, card: int, options: Any) -> bool:
    """Tell whether autoplay takes a free card."""
    rank = card >> 2
    if options[AUTOPLAY] == NONE or board[_HOME + (card & 3)] != rank:
        return False
    # Under suit building no card can be built on one that is at home: all are safe.
    if options[AUTOPLAY] == MAX or options[SUIT_BUILD] != 0 or rank <= 1:
        return True
    red = (card ^ (card >> 1)) & 1
    if red != 0:
        return board[_HOME] >= rank and board[_HOME + 3] >= rank
    return board[_HOME + 1] >= rank and board[_HOME + 2] >= rank


@inlined
def _autoplay(board: Any, options: Any, key: Any) -> None:
    """Send home what autoplay takes, in board and key."""
    going = True
    while going:
        going = False
        for column in range(8):
            length = board[_LENGTH + column]
            if length > 0:
                card = board[_CARDS + _COLUMN * column + length - 1]
                if _goes(board, card, options):
                    board[_LENGTH + column] -= 1
                    board[_HOME + (card & 3)] += 1
                    _set_code(key, card, AT_HOME)
                    going = True
        rest = board[_CELL_MASK]
        while rest != 0:
            card = lowest_bit(rest)
            rest &= rest - 1
            if _goes(board, card, options):
                board[_CELL_MASK] ^= 1 << card
                board[_HOME + (card & 3)] += 1
                _set_code(key, card, AT_HOME)
                going = True


@kernel
def absent_ranks(state: Any) -> int:
    """Return how many ranks a packed position's deck does not have: 0 but for reduced games."""
    cards: Any = 0
    for suit in range(4):
        cards += np.int64(state[FOUNDATIONS_AT + suit])
    for column in range(np.int64(state[COLUMNS_AT])):
        cards += np.int64(state[COLUMN_AT + COLUMN_SIZE * column])
    for cell in range(np.int64(state[CELLS_AT])):
        if state[CELL_AT + cell] != EMPTY:
            cards += 1
    return 13 - cards // 4


@inlined
def change_child(board: Any, options: Any, child: Any, card: int, onto: int, depth: int) -> None:
    """Turn the key of a position into that of its child, autoplay included.

    board  int64[BOARD]  the position; restored
    child  int64[3]      in: the position's key; out: the child's
    card   the deepest card that moves, `depth` cards below its column's top; cell cards have -1
    onto   the top card of a column, ONTO_EMPTY, ONTO_CELL or ONTO_HOME
    """
    if onto == ONTO_HOME:
        code = AT_HOME
    elif onto == ONTO_CELL:
        code = IN_CELL
    elif onto == ONTO_EMPTY:
        code = AT_BASE
    else:
        code = ON_FIT + (onto & 3)
    _set_code(child, card, code)
    if options[AUTOPLAY] == NONE:
        return
    # Only a card that the move lays free, or any card once a foundation has risen, may go now.
    source = -1
    if depth >= 0:
        for column in range(8):
            length = board[_LENGTH + column]
            if length > depth and board[_CARDS + _COLUMN * column + length - 1 - depth] == card:
                source = column
        left = board[_LENGTH + source] - depth - 1
        freed = board[_CARDS + _COLUMN * source + left - 1] if left > 0 else -1
        if onto != ONTO_HOME and (freed < 0 or not _goes(board, freed, options)):
            return
    elif onto != ONTO_HOME:
        return
    for at in range(_CARDS):
        board[_SAVED + at] = board[at]
    if source >= 0:
        board[_LENGTH + source] -= depth + 1
    else:
        board[_CELL_MASK] ^= 1 << card
    if onto == ONTO_HOME:
        board[_HOME + (card & 3)] += 1
    elif onto == ONTO_CELL:
        board[_CELL_MASK] |= 1 << card
    else:
        _put_run(board, source, depth, onto)
    _autoplay(board, options, child)
    for at in range(_CARDS):
        board[at] = board[_SAVED + at]


@inlined
def _put_run(board: Any, source: int, depth: int, onto: int) -> None:
    """Put the cards that left column `source` on the column that `onto` ends, or an empty one."""
    for column in range(8):
        length = board[_SAVED + _LENGTH + column]
        at = _CARDS + _COLUMN * column
        ends = board[at + length - 1] == onto if length > 0 else onto == ONTO_EMPTY
        if ends and column != source:
            for index in range(depth + 1):
                board[at + length + index] = board[
                    _CARDS + _COLUMN * source + board[_LENGTH + source] + index
                ]
            board[_LENGTH + column] += depth + 1
            return


@inlined
def _run(board: Any, column: int, suit_build: int) -> int:
    """Return the length of the run at a column's end, at least 1."""
    at = _CARDS + _COLUMN * column
    last = board[_LENGTH + column] - 1
    run = 1
    while run <= last and fits_on(board[at + last - run + 1], board[at + last - run], suit_build):
        run += 1
    return run


@inlined
def list_macros(board: Any, options: Any, macros: Any) -> int:
    """Write the moves of a position to be tried, the most promising last; return how many.

    macros  int64[MAX_MACROS]  out: card | onto << 6 | (depth + 1) << 12
    """
    whole = options[AUTOPLAY] == MAX
    free = options[CELLS] - popcount(board[_CELL_MASK])
    empty = 0
    for column in range(options[COLUMNS]):
        if board[_LENGTH + column] == 0:
            empty += 1
    onto_empty = capacity_of(free, empty - 1, options[SUPERMOVE]) if whole and empty > 0 else 1
    onto_card = capacity_of(free, empty, options[SUPERMOVE]) if whole else 1
    total = 0
    # 1. Into an empty column, and into a cell.
    for column in range(options[COLUMNS]):
        length = board[_LENGTH + column]
        if length == 0:
            continue
        at = _CARDS + _COLUMN * column + length - 1
        if empty > 0:
            most = min(min(_run(board, column, options[SUIT_BUILD]), onto_empty), length - 1)
            for count in range(1, most + 1):
                macros[total] = board[at - count + 1] | ONTO_EMPTY << 6 | count << 12
                total += 1
        if free > 0:
            macros[total] = board[at] | ONTO_CELL << 6 | 1 << 12
            total += 1
    # 2. Cards in cells into an empty column, onto a card, home.
    rest = board[_CELL_MASK]
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        if empty > 0:
            macros[total] = card | ONTO_EMPTY << 6
            total += 1
        for column in range(options[COLUMNS]):
            length = board[_LENGTH + column]
            if length > 0:
                top = board[_CARDS + _COLUMN * column + length - 1]
                if fits_on(card, top, options[SUIT_BUILD]):
                    macros[total] = card | top << 6
                    total += 1
        if board[_HOME + (card & 3)] == card >> 2:
            macros[total] = card | ONTO_HOME << 6
            total += 1
    # 3. Runs onto a card, top cards home.
    for column in range(options[COLUMNS]):
        length = board[_LENGTH + column]
        if length == 0:
            continue
        at = _CARDS + _COLUMN * column + length - 1
        run = _run(board, column, options[SUIT_BUILD])
        for other in range(options[COLUMNS]):
            other_length = board[_LENGTH + other]
            if other != column and other_length > 0:
                top = board[_CARDS + _COLUMN * other + other_length - 1]
                count = (top >> 2) - (board[at] >> 2)
                if 1 <= count <= min(run, onto_card):
                    card = board[at - count + 1]
                    if fits_on(card, top, options[SUIT_BUILD]):
                        macros[total] = card | top << 6 | count << 12
                        total += 1
        if board[_HOME + (board[at] & 3)] == board[at] >> 2:
            macros[total] = board[at] | ONTO_HOME << 6 | 1 << 12
            total += 1
    return total


@inlined
def is_sorted(board: Any, options: Any) -> bool:
    """Tell whether each card over a lower one has a place. See score.is_sorted for the proof."""
    places = options[CELLS] - popcount(board[_CELL_MASK])
    for column in range(options[COLUMNS]):
        lowest = 13
        for index in range(board[_LENGTH + column]):
            rank = board[_CARDS + _COLUMN * column + index] >> 2
            if lowest < rank:
                places -= 1
            lowest = min(lowest, rank)
        if board[_LENGTH + column] == 0:
            places += 1
    return places >= 0
