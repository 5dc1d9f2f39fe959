"""FreeCell's rules on packed states: the fast twin of `rules`.

Owns what is legal, what a move and the autoplay after it do, perft, deals, and the strict replay
of packed lines in bulk. Works on `layout`'s arrays, and owns the functions that read and write
them in kernels. No search.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.cards import SUITS
from solvers.freecell.layout import (
    CELL_AT,
    CELLS_AT,
    CELLS_SIZE,
    COLUMN_AT,
    COLUMN_SIZE,
    COLUMNS_AT,
    COUNT_SHIFT,
    EMPTY,
    FOUNDATIONS_AT,
    LINEAR,
    MAX,
    NONE,
    PACKED_SIZE,
    PLACE_MASK,
    POWER,
    RULE_AUTOPLAY,
    RULE_CELLS,
    RULE_ON_DEAL,
    RULE_SUIT_BUILD,
    RULE_SUPERMOVE,
    TARGET_SHIFT,
)
from solvers.freecell.rules import FIRST_CELL, FOUNDATION, MAX_COLUMNS
from solvers.jit import Local, entry, inlined, kernel
from solvers.search.bits import rank_of, suit_of

#: Room for the legal moves of any state: 15 sources to 8 columns, runs of 13 to an empty one.
MAX_MOVES = 256

_new_packed = Local(np.uint8, PACKED_SIZE)

# --- Packed states and moves: the only code in kernels that knows their layout.


@inlined
def columns_of(packed: Any) -> int:
    """Return how many columns there are."""
    return np.int64(packed[COLUMNS_AT])


@inlined
def length_of(packed: Any, column: int) -> int:
    """Return how many cards a column holds."""
    return np.int64(packed[COLUMN_AT + COLUMN_SIZE * column])


@inlined
def card_in(packed: Any, column: int, row: int) -> int:
    """Return a card of a column, 0 being its deepest."""
    return np.int64(packed[COLUMN_AT + COLUMN_SIZE * column + 1 + row])


@inlined
def _card_from_top(packed: Any, column: int, depth: int) -> int:
    """Return a card of a column, 0 being its top card."""
    at = COLUMN_AT + COLUMN_SIZE * column
    return np.int64(packed[at + np.int64(packed[at]) - depth])


@inlined
def cell_card(packed: Any, cell: int) -> int:
    """Return the card in a cell, -1 when it is empty or does not exist."""
    card = np.int64(packed[CELL_AT + cell])
    return card if card != EMPTY else -1


@inlined
def home_of(packed: Any, suit: int) -> int:
    """Return how many cards of a suit are home."""
    return np.int64(packed[FOUNDATIONS_AT + suit])


@inlined
def send_home(packed: Any, suit: int) -> None:
    """Add a suit's next card to its foundation."""
    packed[FOUNDATIONS_AT + suit] += 1


@inlined
def _put_in_cell(packed: Any, cell: int, card: int) -> None:
    """Put a card into a cell."""
    packed[CELL_AT + cell] = card


@inlined
def _put_on_column(packed: Any, column: int, card: int) -> None:
    """Put a card on top of a column."""
    at = COLUMN_AT + COLUMN_SIZE * column
    packed[at] += 1
    packed[at + np.int64(packed[at])] = card


@inlined
def _move_cards(packed: Any, source: int, target: int, count: int) -> None:
    """Move the last cards of a column to another."""
    out = COLUMN_AT + COLUMN_SIZE * source
    into = COLUMN_AT + COLUMN_SIZE * target
    packed[out] -= count
    for index in range(1, count + 1):
        packed[into + np.int64(packed[into]) + index] = packed[out + np.int64(packed[out]) + index]
    packed[into] += count


@inlined
def source_of(move: int) -> int:
    """Return the source of a packed move."""
    return move & PLACE_MASK


@inlined
def target_of(move: int) -> int:
    """Return the target of a packed move."""
    return (move >> TARGET_SHIFT) & PLACE_MASK


@inlined
def move_of(source: int, target: int, count: int) -> int:
    """Return a packed move."""
    return source | target << TARGET_SHIFT | count << COUNT_SHIFT


# --- What there is.


@inlined
def is_red(card: int) -> bool:
    """Tell whether a card is red: suits 1 and 2 are, whose two low bits differ."""
    return (card ^ (card >> 1)) & 1 != 0


@inlined
def fits_on(card: int, below: int, suit_build: int) -> bool:
    """Tell whether a card may be built on another. Twin: rules.fits_on."""
    if suit_build != 0:
        return below == card + SUITS
    return rank_of(below) == rank_of(card) + 1 and is_red(card) != is_red(below)


@inlined
def source_card(packed: Any, place: int) -> int:
    """Return the card that a column or cell gives, -1 when it gives none or does not exist."""
    if place < FIRST_CELL:
        if place < columns_of(packed) and length_of(packed, place) > 0:
            return _card_from_top(packed, place, 0)
        return -1
    return cell_card(packed, place - FIRST_CELL) if place < FOUNDATION else -1


@inlined
def fits_home(packed: Any, card: int) -> bool:
    """Tell whether a card is the next of its foundation. Twin: rules.fits_home."""
    return home_of(packed, suit_of(card)) == rank_of(card)


@kernel
def first_free_cell(packed: Any, rules: Any) -> int:
    """Return the leftmost empty cell of the profile as a place, -1 when there is none."""
    for cell in range(rules[RULE_CELLS]):
        if cell_card(packed, cell) < 0:
            return FIRST_CELL + cell
    return -1


@kernel
def free_cells(packed: Any, rules: Any) -> int:
    """Return how many of the profile's cells are empty."""
    free = 0
    for cell in range(rules[RULE_CELLS]):
        if cell_card(packed, cell) < 0:
            free += 1
    return free


@kernel
def first_empty_column(packed: Any, but: int) -> int:
    """Return the leftmost empty column other than `but`, -1 when there is none."""
    for column in range(columns_of(packed)):
        if column != but and length_of(packed, column) == 0:
            return column
    return -1


@kernel
def count_empty_columns(packed: Any, but: int) -> int:
    """Return how many columns other than `but` are empty."""
    empty = 0
    for column in range(columns_of(packed)):
        if column != but and length_of(packed, column) == 0:
            empty += 1
    return empty


@inlined
def capacity_of(free: int, empty: int, supermove: int) -> int:
    """Return how many cards move as one over free cells and empty columns (not the target)."""
    if supermove == POWER:
        return (free + 1) << empty
    if supermove == LINEAR:
        return (free + 1) * (empty + 1)
    return 1


@kernel
def capacity(packed: Any, target: int, rules: Any) -> int:
    """Return how many cards may move as one to a column. Twin: rules.capacity."""
    free, empty = free_cells(packed, rules), count_empty_columns(packed, target)
    return capacity_of(free, empty, rules[RULE_SUPERMOVE])


@kernel
def run_length(packed: Any, column: int, suit_build: int) -> int:
    """Return how many cards at a column's end are built on one another."""
    length = length_of(packed, column)
    run = min(length, 1)
    while run < length and fits_on(
        _card_from_top(packed, column, run - 1), _card_from_top(packed, column, run), suit_build
    ):
        run += 1
    return run


# --- Which moves there are.


@kernel
def _fitting(packed: Any, source: int, target: int, suit_build: int) -> int:
    """Return how many cards of a source fit onto the top card of a column, or 0."""
    below = _card_from_top(packed, target, 0)
    card = source_card(packed, source)
    if source >= FIRST_CELL:
        return 1 if fits_on(card, below, suit_build) else 0
    count = rank_of(below) - rank_of(card)
    if count < 1 or count > length_of(packed, source):
        return 0
    for depth in range(1, count):
        above = card
        card = _card_from_top(packed, source, depth)
        if not fits_on(above, card, suit_build):
            return 0
    return count if fits_on(card, below, suit_build) else 0


@kernel
def cards_moved(packed: Any, move: int, rules: Any) -> int:
    """Return how many cards a packed move takes if it is legal, else 0. Twin: rules.cards_moved.

    packed  uint8[PACKED_SIZE]  read only
    move    int64               any 16-bit value
    rules   int64[RULES_SIZE]
    """
    source, target, asked = source_of(move), target_of(move), move >> COUNT_SHIFT
    if source == target:
        return 0
    card = source_card(packed, source)
    if card < 0 or (asked > 1 and (source >= FIRST_CELL or target >= FIRST_CELL)):
        return 0
    if target == FOUNDATION:
        return 1 if fits_home(packed, card) else 0
    if target >= FIRST_CELL:
        cell = target - FIRST_CELL
        free = cell < rules[RULE_CELLS] and cell_card(packed, cell) < 0
        return 1 if free and source < FIRST_CELL else 0
    if target >= columns_of(packed):
        return 0
    if length_of(packed, target) == 0:
        count = max(asked, 1)
        if count > 1 and count > run_length(packed, source, rules[RULE_SUIT_BUILD]):
            return 0
    else:
        count = _fitting(packed, source, target, rules[RULE_SUIT_BUILD])
        if asked != 0 and asked != count:
            return 0
    if count > 1 and count > capacity(packed, target, rules):
        return 0
    return count


@kernel
def is_legal(packed: Any, move: int, rules: Any) -> bool:
    """Tell whether a packed move, any 16-bit value, is legal."""
    return cards_moved(packed, move, rules) > 0


@kernel
def legal_moves(packed: Any, rules: Any, moves: Any) -> int:
    """Write every legal move of a state, in the order of its twin; return how many.

    packed  uint8[PACKED_SIZE]  read only
    rules   int64[RULES_SIZE]
    moves   uint16[MAX_MOVES]   out; entries past the count are unspecified

    Twin: rules.legal_moves.
    """
    total = 0
    for source in range(FOUNDATION):
        card = source_card(packed, source)
        if card >= 0 and fits_home(packed, card):
            moves[total] = move_of(source, FOUNDATION, 0)
            total += 1
    columns = columns_of(packed)
    for source in range(FOUNDATION):
        for target in range(columns):
            move = move_of(source, target, 0)
            if length_of(packed, target) > 0 and is_legal(packed, move, rules):
                moves[total] = move
                total += 1
    cell = first_free_cell(packed, rules)
    if cell >= 0:
        for source in range(columns):
            if length_of(packed, source) > 0:
                moves[total] = move_of(source, cell, 0)
                total += 1
    target = first_empty_column(packed, -1)
    if target < 0:
        return total
    most = capacity(packed, target, rules)
    for source in range(FOUNDATION):
        if source_card(packed, source) < 0:
            continue
        moves[total] = move_of(source, target, 0)
        total += 1
        if source < FIRST_CELL:
            run = min(most, run_length(packed, source, rules[RULE_SUIT_BUILD]))
            for count in range(2, run + 1):
                moves[total] = move_of(source, target, count)
                total += 1
    return total


# --- What moves do.


@kernel
def take_off(packed: Any, source: int) -> int:
    """Take the card that a place gives out of the state and return it."""
    card = source_card(packed, source)
    if source < FIRST_CELL:
        packed[COLUMN_AT + COLUMN_SIZE * source] -= 1
    else:
        _put_in_cell(packed, source - FIRST_CELL, EMPTY)
    return card


@kernel
def is_safe(packed: Any, card: int) -> bool:
    """Tell whether safe autoplay takes a card that fits home."""
    rank = rank_of(card)
    if rank <= 1:
        return True
    # Clubs and spades, or diamonds and hearts.
    first = 0 if is_red(card) else 1
    return home_of(packed, first) >= rank and home_of(packed, SUITS - 1 - first) >= rank


@kernel
def autoplay(packed: Any, rules: Any) -> int:
    """Send home what autoplay takes; return how many cards went. Twin: rules.autoplay."""
    mode = rules[RULE_AUTOPLAY]
    went = 0
    if mode == NONE:
        return went
    # Typed, not literal: numba would compile the callees once more for a literal.
    place = np.int64(0)
    idle = 0
    # Once round all places without a card that goes.
    while idle < FOUNDATION:
        card = source_card(packed, place)
        if card >= 0 and fits_home(packed, card) and (mode == MAX or is_safe(packed, card)):
            take_off(packed, place)
            send_home(packed, suit_of(card))
            went += 1
            idle = 0
        else:
            idle += 1
            place = (place + 1) % FOUNDATION
    return went


@kernel
def make_move(packed: Any, move: int, count: int, rules: Any) -> int:
    """Make a legal packed move of `count` cards and the autoplay after it.

    Returns how many cards autoplay sent home. Legality is not checked.
    """
    source, target = source_of(move), target_of(move)
    if target < FIRST_CELL and source < FIRST_CELL:
        _move_cards(packed, source, target, count)
    else:
        card = take_off(packed, source)
        if target < FIRST_CELL:
            _put_on_column(packed, target, card)
        elif target < FOUNDATION:
            _put_in_cell(packed, target - FIRST_CELL, card)
        else:
            send_home(packed, suit_of(card))
    return autoplay(packed, rules)


@kernel
def apply(packed: Any, move: int, rules: Any) -> int:
    """Make a legal packed move and the autoplay after it; return how many cards that sent home.

    Legality is not checked. Twin: rules.apply.
    """
    return make_move(packed, move, cards_moved(packed, move, rules), rules)


@kernel
def is_won(packed: Any) -> bool:
    """Tell whether no card is left in columns and cells. Twin: rules.is_won."""
    for place in range(FOUNDATION):
        if source_card(packed, place) >= 0:
            return False
    return True


@kernel
def cards_in_play(packed: Any) -> int:
    """Return how many cards are in columns and cells."""
    count = 0
    for column in range(columns_of(packed)):
        count += length_of(packed, column)
    for place in range(FIRST_CELL, FOUNDATION):
        if source_card(packed, place) >= 0:
            count += 1
    return count


@kernel
def perft(packed: Any, rules: Any, depth: int, states: Any, moves: Any, counts: Any) -> int:
    """Return the number of sequences of `depth` legal moves. Twin: play.perft.

    packed  uint8[PACKED_SIZE]             read only
    rules   int64[RULES_SIZE]
    states  uint8[depth + 1, PACKED_SIZE]  scratch
    moves   uint16[depth + 1, MAX_MOVES]   scratch
    counts  int64[depth + 1, 2]            scratch: moves of a level, and the next of them
    """
    if depth == 0:
        return 1
    total = 0
    level = 0
    states[0, :] = packed
    counts[0, 0] = legal_moves(states[0], rules, moves[0])
    counts[0, 1] = 0
    while level >= 0:
        if level == depth - 1:
            total += counts[level, 0]
            level -= 1
        elif counts[level, 1] == counts[level, 0]:
            level -= 1
        else:
            move = np.int64(moves[level, counts[level, 1]])
            counts[level, 1] += 1
            states[level + 1, :] = states[level]
            level += 1
            apply(states[level], move, rules)
            counts[level, 0] = legal_moves(states[level], rules, moves[level])
            counts[level, 1] = 0
    return total


# --- Many deals.


@kernel
def deal(deck: Any, rules: Any, packed: Any) -> None:
    """Deal a deck row by row. Twin: rules.deal.

    deck    uint8[n]            cards in deal order
    rules   int64[RULES_SIZE]
    packed  uint8[PACKED_SIZE]  out
    """
    packed[:COLUMN_AT] = 0
    packed[COLUMNS_AT] = MAX_COLUMNS
    packed[CELLS_AT] = rules[RULE_CELLS]
    packed[CELL_AT : CELL_AT + CELLS_SIZE] = EMPTY
    for column in range(MAX_COLUMNS):
        packed[COLUMN_AT + COLUMN_SIZE * column] = 0
    for index in range(len(deck)):
        _put_on_column(packed, index % MAX_COLUMNS, np.int64(deck[index]))


@entry("u8[:,:], i64[:], u8[:,:]")
def deal_decks(decks: Any, rules: Any, packed: Any) -> None:
    """Deal many decks: `uint8[n, 52]` to `uint8[n, PACKED_SIZE]`."""
    for row in range(len(decks)):
        deal(decks[row], rules, packed[row])


@kernel
def start(packed: Any, rules: Any) -> None:
    """Do the autoplay that comes before the first move. Twin: rules.start."""
    if rules[RULE_ON_DEAL] != 0:
        autoplay(packed, rules)


@kernel
def replay(packed: Any, line: Any, rules: Any) -> bool:
    """Tell whether a packed line, played strictly on a state, wins. Twin: play.replay.

    packed  uint8[PACKED_SIZE]  changed
    line    uint16[m]           any values
    """
    start(packed, rules)
    for move in line:
        count = cards_moved(packed, np.int64(move), rules)
        if count == 0:
            return False
        make_move(packed, np.int64(move), count, rules)
    return is_won(packed)


@entry("u8[:,:], i64[:], u16[:], i64[:], bool[:]")
def replay_decks(decks: Any, rules: Any, lines: Any, offsets: Any, wins: Any) -> None:
    """Replay the packed lines of many decks from their deals.

    decks    uint8[n, 52]
    rules    int64[RULES_SIZE]
    lines    uint16[m]
    offsets  int64[n + 1]       line i is lines[offsets[i]:offsets[i + 1]]
    wins     bool[n]            out: whether the line is legal throughout and wins
    """
    packed = _new_packed()
    for row in range(len(decks)):
        deal(decks[row], rules, packed)
        wins[row] = replay(packed, lines[offsets[row] : offsets[row + 1]], rules)
