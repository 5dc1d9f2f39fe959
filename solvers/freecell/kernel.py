"""FreeCell's rules on packed states: the fast twin of `rules`.

Owns what is legal, what a move and the autoplay after it do, perft, and the strict replay of
packed lines in bulk. Works on `layout`'s byte arrays; profile options come as small integers
(`options_of`). No search.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.freecell.layout import (
    CELL_AT,
    CELLS_AT,
    COLUMN_AT,
    COLUMN_SIZE,
    COLUMNS_AT,
    EMPTY,
    FOUNDATIONS_AT,
    STATE_SIZE,
)
from solvers.freecell.rules import FIRST_CELL, FOUNDATION, Profile
from solvers.jit import inlined, kernel

#: Indices and values of the options array.
SUPERMOVE, SUIT_BUILD, AUTOPLAY = 0, 1, 2
POWER, LINEAR, SINGLE = 0, 1, 2
NONE, SAFE, MAX = 0, 1, 2

#: Room for the legal moves of any state: 15 sources to 8 columns, runs of 13 to an empty one.
MAX_MOVES = 256


def options_of(profile: Profile) -> NDArray[np.int64]:
    """Return a profile's options for kernels, `int64[3]`: supermove, build, autoplay."""
    return np.array(
        [
            ("power", "linear", "single").index(profile.supermove),
            ("alternate", "suit").index(profile.build),
            ("none", "safe", "max").index(profile.autoplay),
        ],
        np.int64,
    )


@inlined
def fits_on(card: int, below: int, suit_build: int) -> bool:
    """Tell whether a card may be built on another. Twin: rules.fits_on."""
    if suit_build != 0:
        return below == card + 4
    # Red suits are 1 and 2: the two low bits differ.
    red_card, red_below = (card ^ (card >> 1)) & 1, (below ^ (below >> 1)) & 1
    return below >> 2 == (card >> 2) + 1 and red_card != red_below


@inlined
def _length(state: Any, column: int) -> int:
    """Return how many cards a column holds."""
    return np.int64(state[COLUMN_AT + COLUMN_SIZE * column])


@inlined
def _card(state: Any, column: int, depth: int) -> int:
    """Return a card of a column, 0 being its top card."""
    at = COLUMN_AT + COLUMN_SIZE * column
    return np.int64(state[at + np.int64(state[at]) - depth])


@inlined
def _top(state: Any, column: int) -> int:
    """Return the top card of a column that has one."""
    at = COLUMN_AT + COLUMN_SIZE * column
    return np.int64(state[at + np.int64(state[at])])


@inlined
def source_card(state: Any, place: int) -> int:
    """Return the card that a column or cell gives, -1 when it gives none or does not exist."""
    if place < FIRST_CELL:
        if place < state[COLUMNS_AT] and _length(state, place) > 0:
            return _top(state, place)
        return -1
    if place < FOUNDATION and place - FIRST_CELL < state[CELLS_AT]:
        card = np.int64(state[CELL_AT + place - FIRST_CELL])
        return card if card != EMPTY else -1
    return -1


@inlined
def fits_home(state: Any, card: int) -> bool:
    """Tell whether a card is the next of its foundation. Twin: rules.fits_home."""
    return np.int64(state[FOUNDATIONS_AT + (card & 3)]) == card >> 2


@kernel
def first_free_cell(state: Any) -> int:
    """Return the leftmost empty cell as a place, -1 when there is none."""
    for cell in range(np.int64(state[CELLS_AT])):
        if state[CELL_AT + cell] == EMPTY:
            return FIRST_CELL + cell
    return -1


@kernel
def free_cells(state: Any) -> int:
    """Return how many cells are empty."""
    free = 0
    for cell in range(np.int64(state[CELLS_AT])):
        if state[CELL_AT + cell] == EMPTY:
            free += 1
    return free


@kernel
def first_empty_column(state: Any, but: int) -> int:
    """Return the leftmost empty column other than `but`, -1 when there is none."""
    for column in range(np.int64(state[COLUMNS_AT])):
        if column != but and _length(state, column) == 0:
            return column
    return -1


@kernel
def count_empty_columns(state: Any, but: int) -> int:
    """Return how many columns other than `but` are empty."""
    empty = 0
    for column in range(np.int64(state[COLUMNS_AT])):
        if column != but and _length(state, column) == 0:
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
def capacity(state: Any, target: int, supermove: int) -> int:
    """Return how many cards may move as one to a column. Twin: rules.capacity."""
    return capacity_of(free_cells(state), count_empty_columns(state, target), supermove)


@kernel
def run_length(state: Any, column: int, suit_build: int) -> int:
    """Return how many cards at a column's end are built on one another."""
    length = _length(state, column)
    run = min(length, 1)
    while run < length and fits_on(
        _card(state, column, run - 1), _card(state, column, run), suit_build
    ):
        run += 1
    return run


@kernel
def _fitting(state: Any, source: int, target: int, suit_build: int) -> int:
    """Return how many cards of a source fit onto the top card of a column, or 0."""
    below = _top(state, target)
    if source >= FIRST_CELL:
        return 1 if fits_on(source_card(state, source), below, suit_build) else 0
    card = _top(state, source)
    count = (below >> 2) - (card >> 2)
    if count < 1 or count > _length(state, source):
        return 0
    for depth in range(1, count):
        above = card
        card = _card(state, source, depth)
        if not fits_on(above, card, suit_build):
            return 0
    return count if fits_on(card, below, suit_build) else 0


@inlined
def judge(state: Any, move: int, options: Any) -> int:
    """Return how many cards a packed move takes if it is legal, else 0. Twin: rules.apply.

    state    uint8[STATE_SIZE]  read only
    move     int64              any 16-bit value
    options  int64[3]           supermove, build, autoplay
    """
    source, target, asked = move & 15, (move >> 4) & 15, move >> 8
    if source == target:
        return 0
    card = source_card(state, source)
    if card < 0 or (asked > 1 and (source >= FIRST_CELL or target >= FIRST_CELL)):
        return 0
    if target == FOUNDATION:
        return 1 if fits_home(state, card) else 0
    if target >= FIRST_CELL:
        inside = target - FIRST_CELL < state[CELLS_AT]
        free = inside and state[CELL_AT + target - FIRST_CELL] == EMPTY
        return 1 if free and source < FIRST_CELL else 0
    if target >= state[COLUMNS_AT]:
        return 0
    if _length(state, target) == 0:
        count = max(asked, 1)
        if count > 1 and count > run_length(state, source, options[SUIT_BUILD]):
            return 0
    else:
        count = _fitting(state, source, target, options[SUIT_BUILD])
        if asked != 0 and asked != count:
            return 0
    if count > 1 and count > capacity(state, target, options[SUPERMOVE]):
        return 0
    return count


@kernel
def take_off(state: Any, source: int) -> int:
    """Take the card that a place gives out of the state and return it."""
    card = source_card(state, source)
    if source < FIRST_CELL:
        state[COLUMN_AT + COLUMN_SIZE * source] -= 1
    else:
        state[CELL_AT + source - FIRST_CELL] = EMPTY
    return card


@kernel
def autoplay(state: Any, mode: int) -> int:
    """Send home what autoplay takes; return how many cards went. Twin: rules.autoplay."""
    went = 0
    if mode == NONE:
        return went
    # Typed, not literal: numba would compile the callees once more for a literal.
    place = np.int64(0)
    idle = 0
    # Once round all places without a card that goes.
    while idle < FOUNDATION:
        card = source_card(state, place)
        if card >= 0 and fits_home(state, card) and (mode == MAX or is_safe(state, card)):
            take_off(state, place)
            state[FOUNDATIONS_AT + (card & 3)] += 1
            went += 1
            idle = 0
        else:
            idle += 1
            place = (place + 1) % FOUNDATION
    return went


@kernel
def is_safe(state: Any, card: int) -> bool:
    """Tell whether safe autoplay takes a card that fits home."""
    rank = card >> 2
    if rank <= 1:
        return True
    red = (card ^ (card >> 1)) & 1
    # Clubs and spades, or diamonds and hearts.
    first = 0 if red else 1
    second = 3 if red else 2
    return (
        np.int64(state[FOUNDATIONS_AT + first]) >= rank
        and np.int64(state[FOUNDATIONS_AT + second]) >= rank
    )


@inlined
def apply(state: Any, move: int, count: int, mode: int) -> int:
    """Make a legal packed move of `count` cards and the autoplay after it.

    Returns how many cards autoplay sent home. Legality is not checked. Twin: rules.apply.
    """
    source, target = move & 15, (move >> 4) & 15
    if target < FIRST_CELL and source < FIRST_CELL:
        out = COLUMN_AT + COLUMN_SIZE * source
        into = COLUMN_AT + COLUMN_SIZE * target
        state[out] -= count
        for index in range(1, count + 1):
            state[into + np.int64(state[into]) + index] = state[out + np.int64(state[out]) + index]
        state[into] += count
    else:
        card = take_off(state, source)
        if target < FIRST_CELL:
            into = COLUMN_AT + COLUMN_SIZE * target
            state[into] += 1
            state[into + np.int64(state[into])] = card
        elif target < FOUNDATION:
            state[CELL_AT + target - FIRST_CELL] = card
        else:
            state[FOUNDATIONS_AT + (card & 3)] += 1
    return autoplay(state, mode)


@kernel
def is_won(state: Any) -> bool:
    """Tell whether no card is left in columns and cells. Twin: rules.is_won."""
    for place in range(FOUNDATION):
        if source_card(state, place) >= 0:
            return False
    return True


@kernel
def legal_moves(state: Any, options: Any, moves: Any) -> int:
    """Write every legal move of a state, in the order of its twin; return how many.

    state    uint8[STATE_SIZE]   read only
    options  int64[3]            supermove, build, autoplay
    moves    uint16[MAX_MOVES]   out; entries past the count are unspecified

    Twin: rules.legal_moves.
    """
    total = 0
    for source in range(FOUNDATION):
        card = source_card(state, source)
        if card >= 0 and fits_home(state, card):
            moves[total] = source | FOUNDATION << 4
            total += 1
    columns = np.int64(state[COLUMNS_AT])
    for source in range(FOUNDATION):
        for target in range(columns):
            if _length(state, target) > 0 and judge(state, source | target << 4, options) > 0:
                moves[total] = source | target << 4
                total += 1
    cell = first_free_cell(state)
    if cell >= 0:
        for source in range(columns):
            if _length(state, source) > 0:
                moves[total] = source | cell << 4
                total += 1
    target = first_empty_column(state, -1)
    if target < 0:
        return total
    most = capacity(state, target, options[SUPERMOVE])
    for source in range(FOUNDATION):
        if source_card(state, source) < 0:
            continue
        moves[total] = source | target << 4
        total += 1
        if source < FIRST_CELL:
            run = min(most, run_length(state, source, options[SUIT_BUILD]))
            for count in range(2, run + 1):
                moves[total] = source | target << 4 | count << 8
                total += 1
    return total


@kernel
def perft(state: Any, options: Any, depth: int, states: Any, moves: Any, counts: Any) -> int:
    """Return the number of sequences of `depth` legal moves. Twin: rules.perft.

    state   uint8[STATE_SIZE]
    states  uint8[depth + 1, STATE_SIZE]   scratch
    moves   uint16[depth + 1, MAX_MOVES]   scratch
    counts  int64[depth + 1, 2]            scratch: moves of a level, and the next of them
    """
    if depth == 0:
        return 1
    total = 0
    level = 0
    states[0, :] = state
    counts[0, 0] = legal_moves(states[0], options, moves[0])
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
            apply(states[level], move, judge(states[level], move, options), options[AUTOPLAY])
            counts[level, 0] = legal_moves(states[level], options, moves[level])
            counts[level, 1] = 0
    return total


@kernel
def lay_out(deck: Any, columns: int, cells: int, state: Any) -> None:
    """Lay out a deck row by row. Twin: rules.deal.

    deck   uint8[n]            cards in deal order
    state  uint8[STATE_SIZE]   out
    """
    state[:COLUMN_AT] = 0
    state[COLUMNS_AT] = columns
    state[CELLS_AT] = cells
    state[CELL_AT : CELL_AT + 8] = EMPTY
    for column in range(columns):
        state[COLUMN_AT + COLUMN_SIZE * column] = 0
    for index in range(len(deck)):
        into = COLUMN_AT + COLUMN_SIZE * (index % columns)
        state[into] += 1
        state[into + np.int64(state[into])] = deck[index]


@kernel
def replay(state: Any, line: Any, options: Any) -> bool:
    """Tell whether a packed line, played strictly on a state, wins. Twin: rules.replay.

    state  uint8[STATE_SIZE]  changed
    line   uint16[m]          any values
    """
    autoplay(state, options[AUTOPLAY])
    for move in line:
        count = judge(state, np.int64(move), options)
        if count == 0:
            return False
        apply(state, np.int64(move), count, options[AUTOPLAY])
    return is_won(state)


@kernel
def replay_decks(decks: Any, cells: int, options: Any, lines: Any, offsets: Any, wins: Any) -> None:
    """Replay the packed lines of many decks from their deals.

    decks    uint8[n, 52]
    lines    uint16[m]
    offsets  int64[n + 1]  line i is lines[offsets[i]:offsets[i + 1]]
    wins     bool[n]       out: whether the line is legal throughout and wins
    """
    state = np.empty(STATE_SIZE, np.uint8)
    for row in range(len(decks)):
        lay_out(decks[row], 8, cells, state)
        wins[row] = replay(state, lines[offsets[row] : offsets[row + 1]], options)
