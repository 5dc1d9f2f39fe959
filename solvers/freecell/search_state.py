"""The state of FreeCell's fast search: how macro moves and autoplay change it.

Owns what a state says of a position, and keeps all of it right card by card. Its layout is in
`records`. A column's slots each sum up the column from its base, so that cards are taken off in
constant time. Which moves are tried is in `children`, what they are worth in `score`.
"""

from __future__ import annotations

from typing import Any

from solvers.cards import CLUBS, DECK_SIZE, DIAMONDS, HEARTS, RANKS, SPADES, SUITS
from solvers.freecell.kernel import card_in, cell_card, columns_of, home_of, length_of
from solvers.freecell.layout import SAFE
from solvers.freecell.lines import ONTO_CELL, ONTO_EMPTY, ONTO_HOME, put_card, put_onto
from solvers.freecell.records import (
    AT_HOME,
    CODE_BASE,
    CODE_CELL,
    CODE_FIT,
    CODE_OTHER,
    IN_CELL,
    NO_COLUMN,
    ROWS,
    STATE_SIZE,
    TO_CELL,
    TO_HOME,
    bad_weight,
    base_weight,
    byte_of,
    code_hash,
    covered_more_weight,
    covered_weight,
    get_autoplay,
    get_cells,
    get_hash,
    get_held,
    get_home,
    get_lengths,
    get_next,
    get_parents,
    get_place,
    get_runs,
    get_singles,
    get_slot,
    get_suit_build,
    get_sums,
    get_tops,
    in_byte,
    move_card,
    move_count,
    move_target,
    place_column,
    place_row,
    put_column,
    put_row,
    put_slot_bad,
    put_slot_card,
    put_slot_cost,
    put_slot_lowest,
    put_slot_run,
    put_sums_bad,
    put_sums_cost,
    set_hash,
    set_held,
    set_home,
    set_lengths,
    set_next,
    set_place,
    set_runs,
    set_singles,
    set_slot,
    set_sums,
    set_tops,
    slot_bad,
    slot_card,
    slot_cost,
    slot_lowest,
    slot_run,
)
from solvers.freecell.rules import MAX_CELLS, MAX_COLUMNS
from solvers.jit import inlined, kernel
from solvers.search.arena import fill32
from solvers.search.bits import lowest_bit, popcount, rank_of, suit_of, wrapping_add

#: The first of the four kings, the last cards there are.
KINGS = SUITS * (RANKS - 1)
#: Multipliers that turn one bit a rank into the reds or blacks of the rank; all reds, all blacks.
LOWEST_OF_RANK = 0x1111111111111
RED, BLACK = 1 << DIAMONDS | 1 << HEARTS, 1 << CLUBS | 1 << SPADES
REDS, BLACKS = LOWEST_OF_RANK * RED, LOWEST_OF_RANK * BLACK
#: The next-needed cards before any is home.
ACES = (1 << SUITS) - 1
#: The bits of a word of eight bytes but the highest of each byte, and those alone.
_LOW_BITS = 0x7F7F7F7F7F7F7F7F
_HIGH_BITS = ~_LOW_BITS


@inlined
def accepted(tops: int, suit_build: int) -> int:
    """Return the mask of cards that fit on some card of the mask `tops`."""
    if suit_build != 0:
        return tops >> SUITS
    # Four bits a rank, C D H S: a black card takes both reds of the rank below, and back.
    black = ((tops >> CLUBS) | (tops >> SPADES)) & LOWEST_OF_RANK
    red = ((tops >> DIAMONDS) | (tops >> HEARTS)) & LOWEST_OF_RANK
    return (black * RED + red * BLACK) >> SUITS


@kernel
def push_card(arena: int, state: int, column: int, card: int) -> None:
    """Put a card on a column: slot, place, masks, hash and sums. At most ROWS fit.

    arena  int64  address
    state  int64  offset of a state
    """
    lengths = get_lengths(arena, state)
    row = byte_of(lengths, column)
    place = put_column(column) | put_row(row)
    rank = rank_of(card)
    tops = get_tops(arena, state) | (1 << card)
    runs = get_runs(arena, state)
    singles = get_singles(arena, state)
    sums = get_sums(arena, state)
    single = 1
    if row == 0:
        cost = base_weight(arena) if card < KINGS else 0
        sums += put_sums_cost(cost)
        value = put_slot_run(1) | put_slot_lowest(rank) | put_slot_cost(cost)
        code = CODE_BASE
    else:
        below = get_slot(arena, state, place - 1)
        under = slot_card(below)
        lowest = slot_lowest(below)
        tops ^= 1 << under
        singles &= ~(1 << under)
        cost = 0
        bad = 0
        if lowest < rank:
            bad = 1
            cost = bad_weight(arena, lowest)
        if (get_parents(arena, card) >> under) & 1 != 0:
            run = slot_run(below) + 1
            single = 0
            code = CODE_FIT + suit_of(under)
        else:
            length = slot_run(below)
            cost += covered_weight(arena) + (length - 1) * covered_more_weight(arena)
            # The cards that are covered now leave the runs.
            for index in range(1, length + 1):
                runs &= ~(1 << slot_card(get_slot(arena, state, place - index)))
            run = 1
            code = CODE_OTHER
        sums += put_sums_cost(cost) + put_sums_bad(bad)
        value = (
            put_slot_run(run)
            | put_slot_lowest(min(lowest, rank))
            | put_slot_bad(slot_bad(below) + bad)
            | put_slot_cost(slot_cost(below) + cost)
        )
    set_slot(arena, state, place, put_slot_card(card) | value)
    set_place(arena, state, card, place)
    set_lengths(arena, state, lengths + in_byte(1, column))
    set_tops(arena, state, tops)
    set_runs(arena, state, runs | (1 << card))
    set_singles(arena, state, singles | (single << card))
    set_sums(arena, state, sums)
    set_hash(arena, state, get_hash(arena, state) ^ code_hash(arena, card, code))


@inlined
def _code_beneath(arena: int, state: int, card: int) -> int:
    """Return the hash code of what lies beneath a card that is in a cell or a column."""
    place = get_place(arena, state, card)
    if place == IN_CELL:
        return CODE_CELL
    if place_row(place) == 0:
        return CODE_BASE
    if slot_run(get_slot(arena, state, place)) == 1:
        return CODE_OTHER
    return CODE_FIT + suit_of(slot_card(get_slot(arena, state, place - 1)))


@kernel
def _take_card(arena: int, state: int, card: int) -> None:
    """Take a top card or a cell card out of the state; the caller puts it somewhere."""
    code = _code_beneath(arena, state, card)
    set_hash(arena, state, get_hash(arena, state) ^ code_hash(arena, card, code))
    place = get_place(arena, state, card)
    if place == IN_CELL:
        set_held(arena, state, get_held(arena, state) ^ (1 << card))
        return
    value = get_slot(arena, state, place)
    tops = get_tops(arena, state) ^ (1 << card)
    runs = get_runs(arena, state) ^ (1 << card)
    singles = get_singles(arena, state) & ~(1 << card)
    sums = get_sums(arena, state)
    sums -= put_sums_cost(slot_cost(value)) + put_sums_bad(slot_bad(value))
    if place_row(place) > 0:
        below = get_slot(arena, state, place - 1)
        under = slot_card(below)
        sums += put_sums_cost(slot_cost(below)) + put_sums_bad(slot_bad(below))
        tops |= 1 << under
        singles |= (1 if slot_run(below) == 1 else 0) << under
        if slot_run(value) == 1:
            for index in range(1, slot_run(below) + 1):
                runs |= 1 << slot_card(get_slot(arena, state, place - index))
    set_tops(arena, state, tops)
    set_runs(arena, state, runs)
    set_singles(arena, state, singles)
    set_sums(arena, state, sums)
    set_lengths(arena, state, get_lengths(arena, state) - in_byte(1, place_column(place)))


@kernel
def put_in_cell(arena: int, state: int, card: int) -> None:
    """Put a card that is nowhere into a cell."""
    set_place(arena, state, card, IN_CELL)
    set_held(arena, state, get_held(arena, state) | (1 << card))
    set_hash(arena, state, get_hash(arena, state) ^ code_hash(arena, card, CODE_CELL))


@kernel
def send_home(arena: int, state: int, card: int) -> None:
    """Move a top card or a cell card to its foundation."""
    _take_card(arena, state, card)
    set_place(arena, state, card, AT_HOME)
    upcoming = get_next(arena, state) ^ (1 << card)
    if card < KINGS:
        upcoming |= 1 << (card + SUITS)
    set_next(arena, state, upcoming)
    set_home(arena, state, get_home(arena, state) + in_byte(1, suit_of(card)))


@inlined
def safe_next(home: int, upcoming: int, suit_build: int) -> int:
    """Return which of the next-needed cards are safe to send home (dominance, see rules)."""
    if suit_build != 0:
        return upcoming
    # Rank r goes when both foundations of the other colour show r - 1; ranks 1 and 2 always.
    red_ranks = min(byte_of(home, CLUBS), byte_of(home, SPADES)) + 1
    black_ranks = min(byte_of(home, DIAMONDS), byte_of(home, HEARTS)) + 1
    reds = REDS & ((1 << (SUITS * max(red_ranks, 2))) - 1)
    blacks = BLACKS & ((1 << (SUITS * max(black_ranks, 2))) - 1)
    return upcoming & (reds | blacks)


@kernel
def autoplay(arena: int, state: int) -> int:
    """Send home what the configuration's autoplay sends; return how many cards went."""
    went = 0
    mode = get_autoplay(arena)
    suit_build = get_suit_build(arena)
    while True:
        ready = get_next(arena, state)
        if mode == SAFE:
            ready = safe_next(get_home(arena, state), ready, suit_build)
        ready &= get_tops(arena, state) | get_held(arena, state)
        if ready == 0:
            return went
        send_home(arena, state, lowest_bit(ready))
        went += 1


@kernel
def make_move(arena: int, state: int, move: int) -> None:
    """Make a macro move, a MOVE, on a state, and the autoplay that follows it."""
    card, target, count = move_card(move), move_target(move), move_count(move)
    if target == TO_HOME:
        send_home(arena, state, card)
    elif target == TO_CELL:
        _take_card(arena, state, card)
        put_in_cell(arena, state, card)
    elif count == 1:
        _take_card(arena, state, card)
        push_card(arena, state, target, card)
    else:
        _move_run(arena, state, card, target, count)
    autoplay(arena, state)


@kernel
def _move_run(arena: int, state: int, card: int, target: int, count: int) -> None:
    """Move a run of several cards onto a column."""
    source = get_place(arena, state, card)
    # Take the cards off as one: the slots keep their values until they are overwritten.
    for index in range(count - 1, -1, -1):
        _take_card(arena, state, slot_card(get_slot(arena, state, source + index)))
    for index in range(count):
        push_card(arena, state, target, slot_card(get_slot(arena, state, source + index)))


@kernel
def macro_of(arena: int, state: int, move: int) -> int:
    """Return the macro, as `lines` reads it, of a MOVE on a state before it is made."""
    target = move_target(move)
    if target == TO_CELL:
        onto = ONTO_CELL
    elif target == TO_HOME:
        onto = ONTO_HOME
    else:
        length = byte_of(get_lengths(arena, state), target)
        onto = ONTO_EMPTY
        if length > 0:
            onto = slot_card(get_slot(arena, state, put_column(target) | put_row(length - 1)))
    return put_card(move_card(move)) | put_onto(onto)


@inlined
def empty_columns(lengths: int) -> int:
    """Return a mask with the highest bit of byte c set for every empty column c."""
    return ~wrapping_add(lengths, _LOW_BITS) & _HIGH_BITS


@inlined
def first_column(spaces: int) -> int:
    """Return the lowest column of a mask of empty columns."""
    return lowest_bit(spaces) >> 3


@inlined
def free_cells(arena: int, held: int) -> int:
    """Return how many cells are empty when these cards are in cells."""
    return get_cells(arena) - popcount(held)


@kernel
def clear_state(arena: int, state: int, columns: int) -> None:
    """Make a state without cards: all at home, the columns that are in the game empty."""
    fill32(arena, state, STATE_SIZE // 4, 0)
    for card in range(DECK_SIZE):
        set_place(arena, state, card, AT_HOME)
    set_next(arena, state, ACES)
    lengths = 0
    for column in range(columns, MAX_COLUMNS):
        lengths += in_byte(NO_COLUMN, column)
    set_lengths(arena, state, lengths)


@kernel
def load_state(arena: int, state: int, packed: Any) -> bool:
    """Build a state from a packed position and do its autoplay; False if a column is too long.

    packed  uint8[PACKED_SIZE]
    """
    columns = columns_of(packed)
    clear_state(arena, state, columns)
    upcoming = 0
    home = 0
    for suit in range(SUITS):
        rank = home_of(packed, suit)
        home += in_byte(rank, suit)
        if rank < RANKS:
            upcoming |= 1 << (SUITS * rank + suit)
    set_next(arena, state, upcoming)
    set_home(arena, state, home)
    for column in range(columns):
        if length_of(packed, column) > ROWS:
            return False
        for row in range(length_of(packed, column)):
            push_card(arena, state, column, card_in(packed, column, row))
    for cell in range(MAX_CELLS):
        card = cell_card(packed, cell)
        if card >= 0:
            put_in_cell(arena, state, card)
    autoplay(arena, state)
    return True
