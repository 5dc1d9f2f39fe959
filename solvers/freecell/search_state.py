"""The state of FreeCell's fast search, in an arena: its layout, its moves, its autoplay.

Owns the arena's layout and what a macro move does to a state. Which moves are tried is in
`children`, what they are worth in `score`.

A state's columns are 8 x 16 slots of 32 bits. Every slot sums up its column from the base to
itself, so that cards are taken off in constant time:

    bits 0-5    card
    bits 6-9    length of the ordered run that ends here
    bits 10-13  lowest rank - 1 so far
    bits 14-19  bad cards so far: cards that lie over a lower one
    bits 20-31  column cost so far, in score points
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.freecell.kernel import card_in, cell_card, columns_of, fits_on, home_of, length_of
from solvers.freecell.layout import RULE_CELLS, RULE_SUIT_BUILD, RULE_SUPERMOVE, SAFE
from solvers.freecell.rules import MAX_CELLS
from solvers.jit import inlined, kernel
from solvers.search.arena import (
    HEADER,
    PerThread,
    load8,
    load32,
    load64,
    new_arena,
    store8,
    store32,
    store64,
)
from solvers.search.bits import lowest_bit, mix, wrapping_add, wrapping_multiply

_MIB = 1 << 20

# --- The configuration of one search: int64 words that `schedule` fills in.
BUDGET, AUTOPLAY, NOISE, SEED = 0, 1, 2, 3
W_DEPTH, W_HOME, W_BASE, W_BREAK, W_BREAK_LENGTH = 4, 5, 6, 7, 8
W_SPREAD, W_LOWEST, W_ACCEPT, W_SOON, W_OFFSET = 9, 10, 11, 12, 13
#: The cards that may leave a run for a cell: none of them, or all.
SPLITS = 14
W_CELL, W_EMPTY, W_COVER, W_BAD, W_CELL_RANK = 16, 24, 33, 37, 50
CONFIG_WORDS = 64
#: Words of the rules block: cells, supermove rule, build.
R_CELLS, R_SUPERMOVE, R_SUIT = 0, 1, 2

# --- The arena, in bytes.
CONFIG = HEADER
RULES = CONFIG + 8 * CONFIG_WORDS
PARENTS = RULES + 64
ZOBRIST = PARENTS + 8 * 64
COUNTERS = ZOBRIST + 8 * 52 * 8
SUMMARY = COUNTERS + 128
BITMAP = SUMMARY + 64
HEADS = BITMAP + 8 * 64
BUCKETS = 4096
CHILDREN = HEADS + 4 * BUCKETS
MAX_CHILDREN = 512
#: A child: its move; its score without cells and tops; its hash, tops and cells; and its empty
#: columns, with CHILD_EVENT added for one that has to be made at once.
CH_MOVE, CH_COST, CH_KEY, CH_TOPS, CH_CELLS, CH_WHAT = range(0, 48, 8)
CHILD_SIZE = 48
CHILD_EVENT = 16
POOLS = CHILDREN + CHILD_SIZE * MAX_CHILDREN

#: Words of the counters block: the table's size and place, and the two pools.
C_TABLE_BITS, C_GENERATION, C_TABLE = 0, 1, 2
C_NODES, C_NODE_CAP, C_NODE_POOL = 3, 4, 5
C_STATES, C_STATE_CAP, C_STATE_POOL = 6, 7, 8
NO_NODE = (1 << 22) - 1
NO_STATE = (1 << 20) - 1

# --- A state, in bytes: slots, a byte for each card's place, four for the foundations, words.
# Of the masks, RUNS are the cards of the ordered runs that columns end in, and SINGLES are the
# tops that are a run by themselves.
ROWS = 16
POSITION = 512
HOME = 564
LENGTHS, TOPS, RUNS, SINGLES, CELLS, NEXT, HASH, SUMS, LINK = range(568, 640, 8)
STATE_SIZE = 640
IN_CELL, AT_HOME = 128, 255
#: Length of a column that is not in the game: occupied, without a top.
NO_COLUMN = 16

# --- A packed macro move: the lowest card that moves, where to, how many.
TO_CELL, TO_HOME = 8, 9

# --- Hash codes of what lies beneath a card; 4 + suit for a card that it fits on.
CODE_CELL, CODE_BASE, CODE_OTHER, CODE_FIT = 1, 2, 3, 4

#: Multipliers that turn one bit a rank into the reds or blacks of the rank; as masks, all of them.
LOWEST_OF_RANK = 0x1111111111111
RED, BLACK = 6, 9
HIGH_BITS = -0x7F7F7F7F7F7F7F80


@inlined
def accepted(tops: int, suit: int) -> int:
    """Return the mask of cards that fit on some card of the mask `tops`."""
    if suit != 0:
        return tops >> 4
    # Four bits a rank, C D H S: a black card takes both reds of the rank below, and back.
    black = (tops | (tops >> 3)) & LOWEST_OF_RANK
    red = ((tops >> 1) | (tops >> 2)) & LOWEST_OF_RANK
    return (black * RED + red * BLACK) >> 4


@kernel
def push_card(arena: int, state: int, column: int, card: int) -> None:
    """Put a card on a column: slot, position, masks, hash and sums. At most ROWS fit.

    arena  int64  address
    state  int64  offset of a state
    """
    config = CONFIG
    lengths = load64(arena, state + LENGTHS)
    row = (lengths >> (8 * column)) & 255
    slot = state + 64 * column + 4 * row
    rank = card >> 2
    tops = load64(arena, state + TOPS) | (1 << card)
    runs = load64(arena, state + RUNS)
    singles = load64(arena, state + SINGLES)
    sums = load64(arena, state + SUMS)
    single = 1
    if row == 0:
        cost = load64(arena, config + 8 * W_BASE) if rank < 12 else 0
        sums += cost
        value = card | (1 << 6) | (rank << 10) | (cost << 20)
        code = CODE_BASE
    else:
        below = load32(arena, slot - 4)
        under = below & 63
        lowest = (below >> 10) & 15
        tops ^= 1 << under
        singles &= ~(1 << under)
        cost = 0
        bad = 0
        if lowest < rank:
            bad = 1
            cost = load64(arena, config + 8 * (W_BAD + lowest))
        if (load64(arena, PARENTS + 8 * card) >> under) & 1 != 0:
            run = ((below >> 6) & 15) + 1
            single = 0
            code = CODE_FIT + (under & 3)
        else:
            length = (below >> 6) & 15
            cost += load64(arena, config + 8 * W_BREAK)
            cost += (length - 1) * load64(arena, config + 8 * W_BREAK_LENGTH)
            # The cards that are covered now leave the runs.
            for index in range(length):
                covered = load32(arena, slot - 4 * (index + 1)) & 63
                runs &= ~(1 << covered)
            run = 1
            code = CODE_OTHER
        sums += cost + (bad << 16)
        value = (
            card
            | (run << 6)
            | (min(lowest, rank) << 10)
            | ((((below >> 14) & 63) + bad) << 14)
            | (((below >> 20) + cost) << 20)
        )
    store32(arena, slot, value)
    store8(arena, state + POSITION + card, (column << 4) | row)
    store64(arena, state + LENGTHS, lengths + (1 << (8 * column)))
    store64(arena, state + TOPS, tops)
    store64(arena, state + RUNS, runs | (1 << card))
    store64(arena, state + SINGLES, singles | (single << card))
    store64(arena, state + SUMS, sums)
    store64(
        arena,
        state + HASH,
        load64(arena, state + HASH) ^ load64(arena, ZOBRIST + 64 * card + 8 * code),
    )


@inlined
def _code_beneath(arena: int, state: int, card: int) -> int:
    """Return the hash code of what lies beneath a card that is in a cell or a column."""
    position = load8(arena, state + POSITION + card)
    if position == IN_CELL:
        return CODE_CELL
    if position & 15 == 0:
        return CODE_BASE
    slot = state + 64 * (position >> 4) + 4 * (position & 15)
    if (load32(arena, slot) >> 6) & 15 == 1:
        return CODE_OTHER
    return CODE_FIT + (load32(arena, slot - 4) & 3)


@kernel
def _take_card(arena: int, state: int, card: int) -> None:
    """Take a top card or a cell card out of the state; the caller puts it somewhere."""
    code = _code_beneath(arena, state, card)
    store64(
        arena,
        state + HASH,
        load64(arena, state + HASH) ^ load64(arena, ZOBRIST + 64 * card + 8 * code),
    )
    position = load8(arena, state + POSITION + card)
    if position == IN_CELL:
        store64(arena, state + CELLS, load64(arena, state + CELLS) ^ (1 << card))
        return
    column, row = position >> 4, position & 15
    slot = state + 64 * column + 4 * row
    value = load32(arena, slot)
    tops = load64(arena, state + TOPS) ^ (1 << card)
    runs = load64(arena, state + RUNS) ^ (1 << card)
    singles = load64(arena, state + SINGLES) & ~(1 << card)
    sums = load64(arena, state + SUMS) - (value >> 20) - (((value >> 14) & 63) << 16)
    if row > 0:
        below = load32(arena, slot - 4)
        sums += (below >> 20) + (((below >> 14) & 63) << 16)
        tops |= 1 << (below & 63)
        singles |= (1 if (below >> 6) & 15 == 1 else 0) << (below & 63)
        if (value >> 6) & 15 == 1:
            for index in range((below >> 6) & 15):
                runs |= 1 << (load32(arena, slot - 4 * (index + 1)) & 63)
    store64(arena, state + TOPS, tops)
    store64(arena, state + RUNS, runs)
    store64(arena, state + SINGLES, singles)
    store64(arena, state + SUMS, sums)
    store64(arena, state + LENGTHS, load64(arena, state + LENGTHS) - (1 << (8 * column)))


@kernel
def put_in_cell(arena: int, state: int, card: int) -> None:
    """Put a card that is nowhere into a cell."""
    store8(arena, state + POSITION + card, IN_CELL)
    store64(arena, state + CELLS, load64(arena, state + CELLS) | (1 << card))
    code = load64(arena, ZOBRIST + 64 * card + 8 * CODE_CELL)
    store64(arena, state + HASH, load64(arena, state + HASH) ^ code)


@kernel
def send_home(arena: int, state: int, card: int) -> None:
    """Move a top card or a cell card to its foundation."""
    _take_card(arena, state, card)
    store8(arena, state + POSITION + card, AT_HOME)
    upcoming = load64(arena, state + NEXT) ^ (1 << card)
    if card < 48:
        upcoming |= 1 << (card + 4)
    store64(arena, state + NEXT, upcoming)
    store32(arena, state + HOME, load32(arena, state + HOME) + (1 << (8 * (card & 3))))
    store64(arena, state + SUMS, load64(arena, state + SUMS) + (1 << 24))


@inlined
def safe_next(home: int, upcoming: int, suit: int) -> int:
    """Return which of the next-needed cards are safe to send home (dominance, see rules)."""
    if suit != 0:
        return upcoming
    clubs, diamonds = home & 255, (home >> 8) & 255
    hearts, spades = (home >> 16) & 255, (home >> 24) & 255
    # Rank r goes when both foundations of the other colour show r - 1; ranks 1 and 2 always.
    red_ranks, black_ranks = min(clubs, spades) + 1, min(diamonds, hearts) + 1
    reds = (LOWEST_OF_RANK * RED) & ((1 << (4 * max(red_ranks, 2))) - 1)
    blacks = (LOWEST_OF_RANK * BLACK) & ((1 << (4 * max(black_ranks, 2))) - 1)
    return upcoming & (reds | blacks)


@kernel
def autoplay(arena: int, state: int) -> int:
    """Send home what the configuration's autoplay sends; return how many cards went."""
    went = 0
    mode = load64(arena, CONFIG + 8 * AUTOPLAY)
    suit = load64(arena, RULES + 8 * R_SUIT)
    while True:
        ready = load64(arena, state + NEXT)
        if mode == SAFE:
            ready = safe_next(load32(arena, state + HOME), ready, suit)
        ready &= load64(arena, state + TOPS) | load64(arena, state + CELLS)
        if ready == 0:
            return went
        send_home(arena, state, lowest_bit(ready))
        went += 1


@kernel
def make_move(arena: int, state: int, move: int) -> None:
    """Make a macro move on a state, and the autoplay that follows it.

    move  card | target << 6 | count << 10: the lowest of `count` cards that move, and a
          column, TO_CELL or TO_HOME
    """
    card, target, count = move & 63, (move >> 6) & 15, move >> 10
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
    position = load8(arena, state + POSITION + card)
    source = state + 64 * (position >> 4) + 4 * (position & 15)
    # Take the cards off as one: the slots keep their values until they are overwritten.
    for index in range(count - 1, -1, -1):
        _take_card(arena, state, load32(arena, source + 4 * index) & 63)
    for index in range(count):
        push_card(arena, state, target, load32(arena, source + 4 * index) & 63)


@inlined
def empty_columns(lengths: int) -> int:
    """Return a mask with bit 8c + 7 set for every empty column c."""
    return ~wrapping_add(lengths, 0x7F7F7F7F7F7F7F7F) & HIGH_BITS


@kernel
def clear_state(arena: int, state: int, columns: int) -> None:
    """Make a state without cards: all at home, the columns that are in the game empty."""
    for word in range(STATE_SIZE // 8):
        store64(arena, state + 8 * word, 0)
    for card in range(52):
        store8(arena, state + POSITION + card, AT_HOME)
    store64(arena, state + NEXT, 15)
    lengths = 0
    for column in range(columns, 8):
        lengths += NO_COLUMN << (8 * column)
    store64(arena, state + LENGTHS, lengths)


@kernel
def load_state(arena: int, state: int, packed: Any) -> bool:
    """Build a state from a packed position and do its autoplay; False if a column is too long.

    packed  uint8[PACKED_SIZE]
    """
    columns = columns_of(packed)
    clear_state(arena, state, columns)
    upcoming = 0
    home = 0
    for suit in range(4):
        rank = home_of(packed, suit)
        home += rank << (8 * suit)
        if rank < 13:
            upcoming |= 1 << (4 * rank + suit)
    store64(arena, state + NEXT, upcoming)
    store32(arena, state + HOME, home)
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


def make_arena(table_bits: int, node_cap: int, state_cap: int) -> NDArray[np.int64]:
    """Allocate an arena for searches of up to so many queued nodes and stored states.

    table_bits  of the visited table; at least a few slots for each node, or it forgets
    node_cap    at most 2^22 - 1
    state_cap   at most 2^20 - 1

    Memory is taken as it is touched, 8 bytes a node, 640 a state, 4 a table slot.
    """
    table = POOLS
    node_pool = table + (4 << table_bits)
    state_pool = node_pool + 8 * node_cap
    arena = new_arena(state_pool + STATE_SIZE * state_cap)
    arena[HEADER // 8 : node_pool // 8] = 0
    counters = arena[COUNTERS // 8 :]
    counters[C_TABLE_BITS], counters[C_TABLE] = table_bits, table
    counters[C_NODE_CAP], counters[C_NODE_POOL] = node_cap, node_pool
    counters[C_STATE_CAP], counters[C_STATE_POOL] = state_cap, state_pool
    _fill_zobrist(arena)
    return arena


#: A thread keeps the arenas of its last few sizes.
_kept_arena = PerThread(make_arena, most=3)


def quick_arena(memory_mib: int) -> NDArray[np.int64]:
    """Return this thread's arena for searches of a few thousand nodes."""
    states = min(1 << 13, memory_mib * _MIB // 1280)
    return _kept_arena(14, min(8 * states, NO_NODE), states)


def deep_arena(memory_mib: int) -> NDArray[np.int64]:
    """Return this thread's arena for searches of a hundred thousand nodes."""
    states = min(1 << 18, memory_mib * _MIB // 1664)
    return _kept_arena(18, min(8 * states, NO_NODE), states)


@kernel
def _fill_zobrist(arena: Any) -> None:
    """Fill in the hash of each card over each code, the same in every arena."""
    for index in range(52 * 8):
        arena[ZOBRIST // 8 + index] = mix(wrapping_multiply(index + 1, -7046029254386353131))


@kernel
def set_rules(arena: int, rules: Any) -> None:
    """Write the rules block, from `int64[RULES_SIZE]`, and the cards that each card fits on."""
    suit_build = rules[RULE_SUIT_BUILD]
    store64(arena, RULES + 8 * R_CELLS, rules[RULE_CELLS])
    store64(arena, RULES + 8 * R_SUPERMOVE, rules[RULE_SUPERMOVE])
    store64(arena, RULES + 8 * R_SUIT, suit_build)
    for card in range(52):
        parents = 0
        for below in range(52):
            if fits_on(card, below, suit_build):
                parents |= 1 << below
        store64(arena, PARENTS + 8 * card, parents)
