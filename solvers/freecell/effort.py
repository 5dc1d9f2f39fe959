"""Effort `freecell-2`: how many tries a player needs until a win who never takes a move back.

Of the rules only the number of cells and the way of building count; runs move whole, by the
capacity of supermove `power`. `solvers.search.tries` has the dice, the lottery and the estimate.

1. Whenever a turn begins, all cards go home that can. The try is won when no more cards lie over
   a lower one of their column (anywhere below) than there are empty cells and empty columns: each
   of them can wait in a place of its own until it goes home. It is lost after 100 turns.
2. The player thinks of these moves, in this order: onto the end of another column, the end of a
   run (any part of it, within the capacity), or a card from a cell, by the highest card that
   moves and then by the card that it goes onto; to the leftmost empty column, a whole run that is
   not a whole column (within the capacity), by columns, then a card from a cell, by cards; into a
   cell, the end of a column that is no longer a run than one card, by cards. Cards are ordered by
   rank and then by suit, clubs, diamonds, hearts, spades.
3. Each is worth points, the sum of those below. Ranks count from 0 for aces. A column's *cost*
   is, for each of its cards over a lower one, 8 less the lowest rank below that card, but not
   below 0. A *needed* card is a suit's next to go home.

   - leaving a column: what its cost falls by; for each card that moves and needed card of the
     column 8; 32 where what moves is all of the run at its end, -36 where it is a part; for each
     card that moves and each card fewer than four that stays, 8; then, if the card that is laid
     bare is needed, 40, else 46 where the run that it ends could go onto another column's end,
     and 10 where some column's end or a card in a cell could be put onto it. A column that
     becomes empty has, in place of all but the first two, 140, 85, 60 or 30: the first, second,
     third, other one.
   - leaving a cell, or going into one: what the last taken cell costs, 90, 60, 90, 120, then 130.
   - onto a column: minus what its cost rises by; for each card that moves and needed card of the
     column -8.
   - into an empty column: minus what the last empty one is worth; for a king 25.
4. The lottery among them decides. A move to a position that there was since a card last went home
   (by itself, at the beginning of a turn) is left out, and the lottery held again. No move, no
   win.
5. From try LEAST_TRIES on, which only deals see that are hardly ever won, the player is wild: how
   many points a move is behind counts by half, rounded down.

Everything is frozen: grades depend on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.cards import DECK_SIZE, SUITS
from solvers.freecell.block import drop
from solvers.freecell.kernel import capacity_of, card_in, deal, is_red, length_of
from solvers.freecell.layout import PACKED_SIZE, POWER, RULE_CELLS, RULE_SUIT_BUILD
from solvers.freecell.rules import MAX_COLUMNS
from solvers.jit import Local, entry, inlined, kernel
from solvers.search.bits import (
    hash_deck,
    lowest_bit,
    mix,
    popcount,
    rank_of,
    suit_of,
    without_lowest,
    wrapping_add,
)
from solvers.search.tries import drawn, go_on, next_number, thousandths, tickets

#: Tries of every deal; wins that the player goes on for; tries at which it stops all the same.
LEAST_TRIES, WINS, MOST_TRIES = 96, 2, 10_000

# The table of points. A card over a lower one costs OVER less the lowest rank beneath it.
_OVER = 8
_COVER = 8
_BREAK = 32
_SPLIT = 36
_SHORT = 8
_HOME = 40
_FOLLOW = 46
_TAKES = 10
_KING = 25
# The first taken cell costs the first of these; the first empty column is worth the first.
_CELL = np.array([90, 60, 90, 120, 130, 130, 130], np.int64)
_EMPTY = np.array([140, 85, 60, 30, 30, 30, 30, 30], np.int64)
# A column is short that is left with fewer cards than these.
_FEW_CARDS = 4

_MOST_MOVES = 100
# Rows of a column: seven cards as dealt, and a run from queen to ace on a king, at most.
_ROWS = 20
_DEALT = 7
#: Room for the moves of a turn: 16 onto cards, 8 and 7 to an empty column, 8 into a cell.
_MAX_MOVES = 40
# All clubs, the suit of the lowest bit.
_CLUBS = 0x1111111111111
_NO_WORTH = -(1 << 40)
_KING_RANK = 12
_SUIT_SIZE = 13

# Where a card lies is 8 * row + column. What else there is beneath a card, or holds it:
_BASE, _IN_CELL = DECK_SIZE, DECK_SIZE + 1
_NO_COLUMN, _CELLS = -1, MAX_COLUMNS

# A slot, the sum of a column as far as a card: the card in the low byte, how many cards the run
# has that it ends, the lowest rank, how many cards lie over a lower one, and what that costs.
_CARD_MASK, _RUN_AT, _LOWEST_AT, _OVER_AT, _COST_AT, _BYTE = 63, 8, 16, 24, 32, 255
# A move: source, target, count, and the highest of its cards.
_TARGET_AT, _COUNT_AT, _HEAD_AT, _PLACE = 4, 8, 16, 15

# The table of a try: lengths of the columns, cards home by suit, the cards in cells as a mask, the
# cards over lower ones, empty columns, and the hash of what lies on what.
_HOME_AT = MAX_COLUMNS
_HELD, _OVERS, _EMPTIES, _POSITION = range(_HOME_AT + SUITS, _HOME_AT + SUITS + 4)
_TABLE_SIZE = _POSITION + 1

_new_packed, _new_table = Local(np.uint8, PACKED_SIZE), Local(np.int64, _TABLE_SIZE)
_new_slots, _new_runs, _new_where = (
    Local(np.int64, MAX_COLUMNS * _ROWS),
    Local(np.int64, MAX_COLUMNS * _ROWS),
    Local(np.int64, DECK_SIZE),
)
_new_first_slots, _new_first_runs, _new_first_where = (
    Local(np.int64, MAX_COLUMNS * _ROWS),
    Local(np.int64, MAX_COLUMNS * _ROWS),
    Local(np.int64, DECK_SIZE),
)
_new_moves, _new_worths, _new_lots, _new_seen = (
    Local(np.int64, _MAX_MOVES),
    Local(np.int64, _MAX_MOVES),
    Local(np.int64, _MAX_MOVES),
    Local(np.int64, _MOST_MOVES + 1),
)


@entry("i64, u8[:,:], i64[:], i64, i64, i64[:]")
def measure_decks(
    session: int, decks: Any, rules: Any, first: int, parts: int, efforts: Any
) -> None:
    """Measure the effort of each deck; drops the position that the session has taken up.

    session  a block that is prepared; efforts do not depend on its memory
    decks    uint8[n, 52]
    rules    int64[RULES_SIZE]  the profile's
    first    the number of the first try of the seeded series
    parts    by which what is enough is divided
    efforts  int64[n]           out: thousandths of a try, 1000 and more
    """
    drop(session)
    packed = _new_packed()
    slots, runs, where = _new_first_slots(), _new_first_runs(), _new_first_where()
    cells, suit_build = rules[RULE_CELLS], rules[RULE_SUIT_BUILD]
    slots[:] = 0
    runs[:] = 0
    least, enough, most = LEAST_TRIES // parts, WINS // parts, MOST_TRIES // parts
    for row in range(len(decks)):
        deal(decks[row], rules, packed)
        for column in range(MAX_COLUMNS):
            for depth in range(length_of(packed, column)):
                at = MAX_COLUMNS * depth + column
                _put(slots, runs, where, at, card_in(packed, column, depth), suit_build)
        seed = hash_deck(decks[row])
        tries = wins = 0
        while go_on(tries, wins, least, enough, most):
            x, wild = mix(wrapping_add(seed, first + tries)), 1 if tries >= least else 0
            wins += _play(slots, runs, where, x, wild, cells, suit_build)
            tries += 1
        efforts[row] = thousandths(tries, wins, least, enough)


@kernel
def _play(
    first_slots: Any,
    first_runs: Any,
    first_where: Any,
    x: int,
    wild: int,
    cells: int,
    suit_build: int,
) -> int:
    """Play a deal once; return 1 for a win and 0 otherwise.

    first_slots, first_runs, first_where  of the deal
    x                                     the dice
    wild                                  1 to count points by half, else 0
    """
    table, slots, runs, where = _new_table(), _new_slots(), _new_runs(), _new_where()
    moves, worths, lots, seen = _new_moves(), _new_worths(), _new_lots(), _new_seen()
    for at in range(MAX_COLUMNS * _DEALT):
        slots[at], runs[at] = first_slots[at], first_runs[at]
    for card in range(DECK_SIZE):
        where[card] = first_where[card]
    table[:] = 0
    for column in range(MAX_COLUMNS):
        table[column] = _DEALT if column < DECK_SIZE % MAX_COLUMNS else _DEALT - 1
        table[_OVERS] += _overs(_end(table, slots, column))
    seen_count = 0
    for turn in range(_MOST_MOVES + 1):
        if _send_home(table, slots, where):
            seen_count = 0
        if table[_OVERS] <= cells - popcount(table[_HELD]) + table[_EMPTIES]:
            return 1
        if turn == _MOST_MOVES:
            return 0
        seen[seen_count] = table[_POSITION]
        seen_count += 1
        count = _list_moves(table, slots, runs, where, cells, suit_build, moves, worths)
        pick = 0
        while True:
            if count == 0:
                return 0
            pick = 0
            if count > 1:
                x = next_number(x)
                pick = _drawn_move(worths, count, wild, lots, x)
            after = _position_after(table, slots, where, moves[pick])
            if not _is_seen(seen, seen_count, after):
                table[_POSITION] = after
                break
            count -= 1
            for index in range(pick, count):
                moves[index], worths[index] = moves[index + 1], worths[index + 1]
        _make(table, slots, runs, where, moves[pick], suit_build)
    return 0


# --- Columns.


@inlined
def _end(table: Any, slots: Any, column: int) -> int:
    """Return the slot of the end card of a column that is not empty."""
    return slots[MAX_COLUMNS * (table[column] - 1) + column]


@inlined
def _run(slot: int) -> int:
    """Return how many cards the run has that ends in a slot."""
    return (slot >> _RUN_AT) & _BYTE


@inlined
def _lowest(slot: int) -> int:
    """Return the lowest rank of a column as far as a slot."""
    return (slot >> _LOWEST_AT) & _BYTE


@inlined
def _overs(slot: int) -> int:
    """Return how many cards lie over a lower one in a column as far as a slot."""
    return (slot >> _OVER_AT) & _BYTE


@inlined
def _put(slots: Any, runs: Any, where: Any, at: int, card: int, suit_build: int) -> None:
    """Put a card on what is in the row before, if `at` is not in the first."""
    run, lowest, overs, cost, beneath_run = 1, rank_of(card), 0, 0, 0
    if at >= MAX_COLUMNS:
        beneath = slots[at - MAX_COLUMNS]
        overs, cost = _overs(beneath), beneath >> _COST_AT
        if _children(beneath & _CARD_MASK, suit_build) >> card & 1 != 0:
            run += _run(beneath)
            beneath_run = runs[at - MAX_COLUMNS]
        if lowest > _lowest(beneath):
            lowest = _lowest(beneath)
            overs += 1
            cost += max(_OVER - lowest, 0)
    slots[at] = card | run << _RUN_AT | lowest << _LOWEST_AT | overs << _OVER_AT | cost << _COST_AT
    runs[at] = 1 << card | beneath_run
    where[card] = at


@inlined
def _children(card: int, suit_build: int) -> int:
    """Return the mask of the cards that may be built on a card."""
    if suit_build != 0:
        return 1 << card >> SUITS
    # Clubs and spades on red, diamonds and hearts on black.
    return (9 if is_red(card) else 6) << (card & -SUITS) >> SUITS


@inlined
def _children_of_all(ends: int, suit_build: int) -> int:
    """Return the mask of the cards that may be built on one of some cards."""
    if suit_build != 0:
        return ends >> SUITS
    black, red = (ends | ends >> 3) & _CLUBS, (ends >> 1 | ends >> 2) & _CLUBS
    return (red * 9 | black * 6) >> SUITS


@inlined
def _parents(card: int, suit_build: int) -> int:
    """Return the mask of the cards that a card may be built on."""
    if suit_build != 0:
        return 1 << card << SUITS
    return (9 if is_red(card) else 6) << (card & -SUITS) << SUITS


# --- What moves do.


@kernel
def _send_home(table: Any, slots: Any, where: Any) -> bool:
    """Send home all cards that can go; tell whether there were any."""
    went = False
    idle, suit = 0, 0
    while idle < SUITS:
        idle += 1
        card = SUITS * table[_HOME_AT + suit] + suit
        if card < DECK_SIZE:
            at = where[card]
            column = at & MAX_COLUMNS - 1
            beneath = -1
            if at == _NO_COLUMN:
                if table[_HELD] >> card & 1 != 0:
                    table[_HELD] &= ~(1 << card)
                    beneath = _IN_CELL
            elif at >> 3 == table[column] - 1:
                beneath = _beneath(slots, at)
                _take(table, slots, column, 1)
            if beneath >= 0:
                table[_POSITION] ^= _placed(card, beneath)
                table[_HOME_AT + suit] += 1
                went = True
                idle = 0
                continue
        suit = (suit + 1) % SUITS
    return went


@inlined
def _take(table: Any, slots: Any, column: int, count: int) -> None:
    """Take the last cards off a column."""
    table[_OVERS] -= _overs(_end(table, slots, column))
    table[column] -= count
    if table[column] == 0:
        table[_EMPTIES] += 1
    else:
        table[_OVERS] += _overs(_end(table, slots, column))


@kernel
def _make(table: Any, slots: Any, runs: Any, where: Any, move: int, suit_build: int) -> None:
    """Make a move; the hash is not touched."""
    source, target = move & _PLACE, move >> _TARGET_AT & _PLACE
    count, card = move >> _COUNT_AT & _BYTE, move >> _HEAD_AT
    if source == _CELLS:
        table[_HELD] &= ~(1 << card)
    else:
        _take(table, slots, source, count)
    if target == _CELLS:
        table[_HELD] |= 1 << card
        where[card] = _NO_COLUMN
        return
    if table[target] == 0:
        table[_EMPTIES] -= 1
    else:
        table[_OVERS] -= _overs(_end(table, slots, target))
    for index in range(count):
        if source != _CELLS:
            card = slots[MAX_COLUMNS * (table[source] + index) + source] & _CARD_MASK
        at = MAX_COLUMNS * table[target] + target
        _put(slots, runs, where, at, card, suit_build)
        table[target] += 1
    table[_OVERS] += _overs(_end(table, slots, target))


@inlined
def _beneath(slots: Any, at: int) -> int:
    """Return what lies beneath a place of a column."""
    return slots[at - MAX_COLUMNS] & _CARD_MASK if at >= MAX_COLUMNS else _BASE


@inlined
def _placed(card: int, beneath: int) -> int:
    """Return a card's part of the hash of a position."""
    return mix(card << 6 | beneath)


@inlined
def _position_after(table: Any, slots: Any, where: Any, move: int) -> int:
    """Return the hash of the position that a move leads to, before cards go home."""
    source, target, card = move & _PLACE, move >> _TARGET_AT & _PLACE, move >> _HEAD_AT
    before, after = _IN_CELL, _IN_CELL
    if source != _CELLS:
        before = _beneath(slots, where[card])
    if target != _CELLS:
        after = _beneath(slots, MAX_COLUMNS * table[target] + target)
    return table[_POSITION] ^ _placed(card, before) ^ _placed(card, after)


@inlined
def _is_seen(seen: Any, count: int, position: int) -> bool:
    """Tell whether a hash is one of the first `count`."""
    for index in range(count):
        if seen[index] == position:
            return True
    return False


# --- What the player chooses.


@inlined
def _drawn_move(worths: Any, count: int, wild: int, lots: Any, x: int) -> int:
    """Return the index of the move that the dice give."""
    best = _NO_WORTH
    for index in range(count):
        best = max(best, worths[index])
    total = 0
    for index in range(count):
        lots[index] = tickets(best - worths[index] >> wild)
        total += lots[index]
    ticket, pick = drawn(x, total), 0
    while ticket >= lots[pick]:
        ticket -= lots[pick]
        pick += 1
    return pick


@kernel
def _list_moves(
    table: Any,
    slots: Any,
    runs: Any,
    where: Any,
    cells: int,
    suit_build: int,
    moves: Any,
    worths: Any,
) -> int:
    """Write the moves that the player thinks of, and their points; return how many."""
    held, empties = table[_HELD], table[_EMPTIES]
    taken = popcount(held)
    room = capacity_of(cells - taken, empties, POWER)
    ends, singles, movable, empty = 0, 0, held, -1
    for column in range(MAX_COLUMNS):
        if table[column] > 0:
            at = MAX_COLUMNS * (table[column] - 1) + column
            end = 1 << (slots[at] & _CARD_MASK)
            ends |= end
            singles |= end if _run(slots[at]) == 1 else 0
            movable |= runs[at]
        elif empty < 0:
            empty = column
    needed = _needed(table, where)
    out_of_cell = _CELL[taken - 1] if taken > 0 else 0
    total = 0
    # Onto cards.
    left = movable & _children_of_all(ends, suit_build)
    while left != 0:
        card = lowest_bit(left)
        left = without_lowest(left)
        at = where[card]
        source, count, worth = _CELLS, 1, out_of_cell
        if at != _NO_COLUMN:
            source = at & MAX_COLUMNS - 1
            count = table[source] - (at >> 3)
            if count > room:
                continue
            worth = _leaving(table, slots, source, count, needed, ends, suit_build)
        parents = ends & _parents(card, suit_build)
        while parents != 0:
            at = where[lowest_bit(parents)]
            parents = without_lowest(parents)
            target, lowest = at & MAX_COLUMNS - 1, _lowest(slots[at])
            overs = min(count, max(rank_of(card) - lowest, 0))
            costs = overs * max(_OVER - lowest, 0) + _COVER * count * _needed_in(needed, target)
            moves[total] = _move_of(source, target, count, card)
            worths[total] = worth - costs
            total += 1
    # To an empty column.
    if empty >= 0:
        for source in range(MAX_COLUMNS):
            if table[source] == 0:
                continue
            count = _run(_end(table, slots, source))
            if count == table[source] or count > room >> 1:
                continue
            card = slots[MAX_COLUMNS * (table[source] - count) + source] & _CARD_MASK
            worth = _leaving(table, slots, source, count, needed, ends, suit_build)
            moves[total] = _move_of(source, empty, count, card)
            worths[total] = worth - _EMPTY[empties - 1] + _crowned(card)
            total += 1
        left = held
        while left != 0:
            card = lowest_bit(left)
            left = without_lowest(left)
            moves[total] = _move_of(_CELLS, empty, 1, card)
            worths[total] = out_of_cell - _EMPTY[empties - 1] + _crowned(card)
            total += 1
    # Into a cell.
    if taken < cells:
        while singles != 0:
            card = lowest_bit(singles)
            singles = without_lowest(singles)
            source = where[card] & MAX_COLUMNS - 1
            worth = _leaving(table, slots, source, 1, needed, ends, suit_build)
            moves[total] = _move_of(source, _CELLS, 1, card)
            worths[total] = worth - _CELL[taken]
            total += 1
    return total


@inlined
def _move_of(source: int, target: int, count: int, head: int) -> int:
    """Return a move as one number."""
    return source | target << _TARGET_AT | count << _COUNT_AT | head << _HEAD_AT


@inlined
def _crowned(card: int) -> int:
    """Return the points for a column that begins with a card."""
    return _KING if rank_of(card) == _KING_RANK else 0


@inlined
def _needed(table: Any, where: Any) -> int:
    """Return how many of the suits' next cards each column holds, four bits a column."""
    needed = 0
    for suit in range(SUITS):
        card = SUITS * table[_HOME_AT + suit] + suit
        if card < DECK_SIZE and where[card] != _NO_COLUMN:
            needed += 1 << 4 * (where[card] & MAX_COLUMNS - 1)
    return needed


@inlined
def _needed_in(needed: int, column: int) -> int:
    """Return a column's share of `_needed`."""
    return needed >> 4 * column & 15


@inlined
def _leaving(
    table: Any, slots: Any, source: int, count: int, needed: int, ends: int, suit_build: int
) -> int:
    """Return the points for the last cards of a column leaving it."""
    left = table[source] - count
    end = _end(table, slots, source)
    worth = (end >> _COST_AT) + _COVER * count * _needed_in(needed, source)
    if left == 0:
        return worth + _EMPTY[table[_EMPTIES]]
    slot = slots[MAX_COLUMNS * (left - 1) + source]
    worth += -(slot >> _COST_AT) + (_BREAK if count == _run(end) else -_SPLIT)
    worth += _SHORT * count * max(_FEW_CARDS - left, 0)
    card = slot & _CARD_MASK
    if table[_HOME_AT + suit_of(card)] == rank_of(card):
        return worth + _HOME
    head = slots[MAX_COLUMNS * (left - _run(slot)) + source] & _CARD_MASK
    if ends & _parents(head, suit_build) != 0:
        worth += _FOLLOW
    if (ends | table[_HELD]) & _children(card, suit_build) != 0:
        worth += _TAKES
    return worth
