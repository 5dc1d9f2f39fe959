"""Positions of FreeCell's exhaustive search: the exact key, and its children.

Owns what a key is, what it stands for, and which moves are made from it; `proof` visits them.

A key gives three bits to each card: at home, in a cell, at a column's base, on the card that it
lay on at first, or on one of the cards that it can be built on (by suit). Together they say
exactly which cards lie on which, whatever the order of columns and cells; there are no
collisions, and a position is rebuilt from its key.

    a key, int64[KEY_WORDS]: card c in bits 3 * (c % 21) of word c // 21

What is left out, and why nothing is lost: columns and cells are interchangeable, so a key has
none of their order, and one empty column and one cell stand for all; a lone card of a column
does not go to an empty one. Without forced autoplay, a supermove is a series of single moves,
and a safe card goes home at once (no card in play can need it; see docs/pruning.md). Under
forced max autoplay, which may tear a supermove's parts apart, whole supermoves are made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.cards import DECK_SIZE, RANKS, SUITS
from solvers.freecell import kernel as twin
from solvers.freecell.kernel import capacity_of, fits_on, is_red
from solvers.freecell.layout import (
    MAX,
    NONE,
    RULE_AUTOPLAY,
    RULE_CELLS,
    RULE_SUIT_BUILD,
    RULE_SUPERMOVE,
)
from solvers.freecell.lines import (
    ONTO_CELL,
    ONTO_EMPTY,
    ONTO_HOME,
    get_card,
    get_count,
    get_onto,
    put_card,
    put_count,
    put_onto,
)
from solvers.freecell.rules import MAX_CELLS, MAX_COLUMNS
from solvers.jit import inlined, kernel
from solvers.search.bits import lowest_bit, popcount, rank_of, suit_of

#: What a key says of a card; ON_FIT + suit for one that lies on a card it can be built on.
AT_HOME, IN_CELL, AT_BASE, ON_FIRST, ON_FIT = range(5)
_CODE_BITS = 3
_CODE_MASK = (1 << _CODE_BITS) - 1
_CARDS_PER_WORD = 21
KEY_WORDS = -(-DECK_SIZE // _CARDS_PER_WORD)

# --- What stays as it is throughout, int64[SETUP_SIZE]: the card beneath each card at first, -1
# where there is none; the ranks that the deck does not have; the columns; and whether to stop at a
# win.
_FIRST = 0
_ABSENT = _FIRST + DECK_SIZE
_COLUMNS = _ABSENT + 1
_STOPS = _COLUMNS + 1
SETUP_SIZE = _STOPS + 1

# --- A rebuilt position, int64[BOARD_SIZE]: the cards in each column, the cards home by suit, a
# mask of the cards in cells, and each column's cards, deepest first.
_LENGTHS = 0
_HOME = _LENGTHS + MAX_COLUMNS
_CELLS = _HOME + SUITS
_CARDS = _CELLS + 1
_POSITION_SIZE = _CARDS + MAX_COLUMNS * DECK_SIZE
# Behind it, room for what `rebuild` and `change_child` need, to allocate nothing for each node: the
# card above each card, and a copy of all but the columns' cards.
_ABOVE = _POSITION_SIZE
_SAVED = _ABOVE + DECK_SIZE
BOARD_SIZE = _SAVED + _CARDS

#: Room for the moves of a position: from each column runs of every length to an empty one, a run
#: onto each top, a card to a cell and home; from each cell a card to each column and home.
MAX_MACROS = MAX_COLUMNS * (RANKS + MAX_COLUMNS + 2) + MAX_CELLS * (MAX_COLUMNS + 1)


@inlined
def _length(board: Any, column: int) -> int:
    """Return how many cards a column holds."""
    return board[_LENGTHS + column]


@inlined
def _set_length(board: Any, column: int, length: int) -> None:
    """Write how many cards a column holds."""
    board[_LENGTHS + column] = length


@inlined
def _card(board: Any, column: int, row: int) -> int:
    """Return a card of a column, 0 being its deepest."""
    return board[_CARDS + DECK_SIZE * column + row]


@inlined
def _set_card(board: Any, column: int, row: int, card: int) -> None:
    """Write a card of a column."""
    board[_CARDS + DECK_SIZE * column + row] = card


@inlined
def _home(board: Any, suit: int) -> int:
    """Return how many cards of a suit are home."""
    return board[_HOME + suit]


@inlined
def _send_home(board: Any, card: int) -> None:
    """Count a card as home."""
    board[_HOME + suit_of(card)] += 1


@inlined
def _cells(board: Any) -> int:
    """Return the mask of the cards in cells."""
    return board[_CELLS]


@inlined
def _flip_cell(board: Any, card: int) -> None:
    """Put a card into a cell, or take it out of the one that it is in."""
    board[_CELLS] ^= 1 << card


@inlined
def _set_code(key: Any, card: int, code: int) -> None:
    """Write what a key says of a card."""
    shift = _CODE_BITS * (card % _CARDS_PER_WORD)
    word = card // _CARDS_PER_WORD
    key[word] = (key[word] & ~(_CODE_MASK << shift)) | (code << shift)


@inlined
def _code_on(card: int, below: int, suit_build: int) -> int:
    """Return the code of a card that lies on another."""
    return ON_FIT + suit_of(below) if fits_on(card, below, suit_build) else ON_FIRST


@kernel
def _absent_ranks(packed: Any) -> int:
    """Return how many ranks a packed position's deck does not have: 0 but for reduced games."""
    cards: Any = 0
    for suit in range(SUITS):
        cards += twin.home_of(packed, suit)
    for column in range(twin.columns_of(packed)):
        cards += twin.length_of(packed, column)
    for cell in range(MAX_CELLS):
        if twin.cell_card(packed, cell) >= 0:
            cards += 1
    return RANKS - cards // SUITS


@kernel
def load_start(packed: Any, rules: Any, stops: bool, setup: Any, board: Any, key: Any) -> None:
    """Read the packed start position, and do its autoplay.

    packed  uint8[PACKED_SIZE]
    rules   int64[RULES_SIZE]
    stops   bool               whether to stop at a win
    setup   int64[SETUP_SIZE]  out
    board   int64[BOARD_SIZE]  out
    key     int64[KEY_WORDS]   out
    """
    setup[_FIRST : _FIRST + DECK_SIZE] = -1
    setup[_ABSENT] = _absent_ranks(packed)
    setup[_COLUMNS] = twin.columns_of(packed)
    setup[_STOPS] = stops
    key[:] = 0
    board[_LENGTHS : _LENGTHS + MAX_COLUMNS] = 0
    board[_CELLS] = 0
    for suit in range(SUITS):
        board[_HOME + suit] = twin.home_of(packed, suit)
    for column in range(twin.columns_of(packed)):
        below = np.int64(-1)
        for row in range(twin.length_of(packed, column)):
            card = twin.card_in(packed, column, row)
            _set_card(board, column, row, card)
            setup[_FIRST + card] = below
            code = AT_BASE if below < 0 else _code_on(card, below, rules[RULE_SUIT_BUILD])
            _set_code(key, card, code)
            below = card
        _set_length(board, column, twin.length_of(packed, column))
    for cell in range(MAX_CELLS):
        card = twin.cell_card(packed, cell)
        if card >= 0:
            _flip_cell(board, card)
            _set_code(key, card, IN_CELL)
    _autoplay(board, rules, key)


@inlined
def stops_at_win(setup: Any) -> bool:
    """Tell whether the search stops at a win."""
    return setup[_STOPS] != 0


@inlined
def rebuild(key: Any, setup: Any, board: Any) -> None:
    """Rebuild a position from its key, columns in the order of their base cards."""
    board[_ABOVE : _ABOVE + DECK_SIZE] = -1
    column = 0
    board[_CELLS] = 0
    # Ranks missing at the top of a reduced deck: their cards decode as on the foundation.
    board[_HOME : _HOME + SUITS] = -setup[_ABSENT]
    for word in range(KEY_WORDS):
        codes = key[word]
        first = _CARDS_PER_WORD * word
        for card in range(first, min(first + _CARDS_PER_WORD, DECK_SIZE)):
            code = codes & _CODE_MASK
            codes >>= _CODE_BITS
            if code == AT_HOME:
                _send_home(board, card)
            elif code == IN_CELL:
                _flip_cell(board, card)
            elif code == AT_BASE:
                _set_card(board, column, 0, card)
                column += 1
            elif code == ON_FIRST:
                board[_ABOVE + setup[_FIRST + card]] = card
            else:
                below = SUITS * (rank_of(card) + 1) + code - ON_FIT
                board[_ABOVE + below] = card
    for index in range(MAX_COLUMNS):
        length = 0
        if index < column:
            card = _card(board, index, 0)
            while card >= 0:
                _set_card(board, index, length, card)
                length += 1
                card = board[_ABOVE + card]
        _set_length(board, index, length)


@inlined
def _goes(board: Any, card: int, rules: Any) -> bool:
    """Tell whether autoplay takes a free card."""
    rank = rank_of(card)
    if rules[RULE_AUTOPLAY] == NONE or _home(board, suit_of(card)) != rank:
        return False
    # Under suit building no card can be built on one that is at home: all are safe.
    if rules[RULE_AUTOPLAY] == MAX or rules[RULE_SUIT_BUILD] != 0 or rank <= 1:
        return True
    # Clubs and spades, or diamonds and hearts.
    first = 0 if is_red(card) else 1
    return _home(board, first) >= rank and _home(board, SUITS - 1 - first) >= rank


@inlined
def _autoplay(board: Any, rules: Any, key: Any) -> None:
    """Send home what autoplay takes, in board and key."""
    going = True
    while going:
        going = False
        for column in range(MAX_COLUMNS):
            length = _length(board, column)
            if length > 0:
                card = _card(board, column, length - 1)
                if _goes(board, card, rules):
                    _set_length(board, column, length - 1)
                    _send_home(board, card)
                    _set_code(key, card, AT_HOME)
                    going = True
        rest = _cells(board)
        while rest != 0:
            card = lowest_bit(rest)
            rest &= rest - 1
            if _goes(board, card, rules):
                _flip_cell(board, card)
                _send_home(board, card)
                _set_code(key, card, AT_HOME)
                going = True


@inlined
def change_child(board: Any, rules: Any, child: Any, macro: int) -> None:
    """Turn the key of a position into that of its child, autoplay included.

    board  int64[BOARD_SIZE]  the position; restored
    child  int64[KEY_WORDS]   in: the position's key; out: the child's
    macro  one that `list_macros` wrote
    """
    card, onto, count = get_card(macro), get_onto(macro), get_count(macro)
    if onto == ONTO_HOME:
        code = AT_HOME
    elif onto == ONTO_CELL:
        code = IN_CELL
    elif onto == ONTO_EMPTY:
        code = AT_BASE
    else:
        code = ON_FIT + suit_of(onto)
    _set_code(child, card, code)
    if rules[RULE_AUTOPLAY] == NONE:
        return
    # Only a card that the move lays free, or any card once a foundation has risen, may go now.
    source = -1
    if count > 0:
        for column in range(MAX_COLUMNS):
            length = _length(board, column)
            if length >= count and _card(board, column, length - count) == card:
                source = column
        left = _length(board, source) - count
        freed = _card(board, source, left - 1) if left > 0 else -1
        if onto != ONTO_HOME and (freed < 0 or not _goes(board, freed, rules)):
            return
    elif onto != ONTO_HOME:
        return
    for at in range(_CARDS):
        board[_SAVED + at] = board[at]
    if source >= 0:
        _set_length(board, source, _length(board, source) - count)
    else:
        _flip_cell(board, card)
    if onto == ONTO_HOME:
        _send_home(board, card)
    elif onto == ONTO_CELL:
        _flip_cell(board, card)
    else:
        _put_run(board, source, count, onto)
    _autoplay(board, rules, child)
    for at in range(_CARDS):
        board[at] = board[_SAVED + at]


@inlined
def _put_run(board: Any, source: int, count: int, onto: int) -> None:
    """Put the cards that left column `source` on the column that `onto` ends, or an empty one."""
    for column in range(MAX_COLUMNS):
        length = board[_SAVED + _LENGTHS + column]
        ends = _card(board, column, length - 1) == onto if length > 0 else onto == ONTO_EMPTY
        if ends and column != source:
            left = _length(board, source)
            for index in range(count):
                _set_card(board, column, length + index, _card(board, source, left + index))
            _set_length(board, column, length + count)
            return


@inlined
def _run(board: Any, column: int, suit_build: int) -> int:
    """Return the length of the run at a column's end, at least 1."""
    last = _length(board, column) - 1
    run = 1
    while run <= last and fits_on(
        _card(board, column, last - run + 1), _card(board, column, last - run), suit_build
    ):
        run += 1
    return run


@inlined
def list_macros(board: Any, rules: Any, setup: Any, macros: Any) -> int:
    """Write the moves of a position to be tried, the most promising last; return how many.

    macros  int64[MAX_MACROS]  out, as `lines` reads them
    """
    whole = rules[RULE_AUTOPLAY] == MAX
    suit_build = rules[RULE_SUIT_BUILD]
    columns = setup[_COLUMNS]
    free = rules[RULE_CELLS] - popcount(_cells(board))
    empty = 0
    for column in range(columns):
        if _length(board, column) == 0:
            empty += 1
    onto_empty = capacity_of(free, empty - 1, rules[RULE_SUPERMOVE]) if whole and empty > 0 else 1
    onto_card = capacity_of(free, empty, rules[RULE_SUPERMOVE]) if whole else 1
    total = 0
    # 1. Into an empty column, and into a cell.
    for column in range(columns):
        length = _length(board, column)
        if length == 0:
            continue
        if empty > 0:
            most = min(min(_run(board, column, suit_build), onto_empty), length - 1)
            for count in range(1, most + 1):
                card = _card(board, column, length - count)
                macros[total] = put_card(card) | put_onto(ONTO_EMPTY) | put_count(count)
                total += 1
        if free > 0:
            card = _card(board, column, length - 1)
            macros[total] = put_card(card) | put_onto(ONTO_CELL) | put_count(1)
            total += 1
    # 2. Cards in cells into an empty column, onto a card, home.
    rest = _cells(board)
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        if empty > 0:
            macros[total] = put_card(card) | put_onto(ONTO_EMPTY)
            total += 1
        for column in range(columns):
            length = _length(board, column)
            if length > 0:
                top = _card(board, column, length - 1)
                if fits_on(card, top, suit_build):
                    macros[total] = put_card(card) | put_onto(top)
                    total += 1
        if _home(board, suit_of(card)) == rank_of(card):
            macros[total] = put_card(card) | put_onto(ONTO_HOME)
            total += 1
    # 3. Runs onto a card, top cards home.
    for column in range(columns):
        length = _length(board, column)
        if length == 0:
            continue
        last = _card(board, column, length - 1)
        run = _run(board, column, suit_build)
        for other in range(columns):
            other_length = _length(board, other)
            if other != column and other_length > 0:
                top = _card(board, other, other_length - 1)
                count = rank_of(top) - rank_of(last)
                if 1 <= count <= min(run, onto_card):
                    card = _card(board, column, length - count)
                    if fits_on(card, top, suit_build):
                        macros[total] = put_card(card) | put_onto(top) | put_count(count)
                        total += 1
        if _home(board, suit_of(last)) == rank_of(last):
            macros[total] = put_card(last) | put_onto(ONTO_HOME) | put_count(1)
            total += 1
    return total


@inlined
def is_sorted(board: Any, rules: Any, setup: Any) -> bool:
    """Tell whether each card over a lower one has a place. See score.is_sorted for the proof."""
    places = rules[RULE_CELLS] - popcount(_cells(board))
    for column in range(setup[_COLUMNS]):
        lowest = RANKS
        for row in range(_length(board, column)):
            rank = rank_of(_card(board, column, row))
            if lowest < rank:
                places -= 1
            lowest = min(lowest, rank)
        if _length(board, column) == 0:
            places += 1
    return places >= 0
