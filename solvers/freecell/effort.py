"""DOC"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.cards import DECK_SIZE, SUITS
from solvers.freecell.block import drop
from solvers.freecell.kernel import capacity_of, card_in, deal, fits_on, length_of
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
from solvers.search.tries import drawn, next_number, thousandths, tickets

#: Wins at which playing ends, and tries at which it ends without them.
WINS = 24
MOST_TRIES = 2000
#: Moves after which the player gives a try up.
_PATIENCE = 100

# What the player's points are for, by place in the table.
BREAK, COVER, OVER, HOME, KING, FIT, CELL, EMPTY, SPLIT, RANK, SHORT, SLOPE, FOLLOW, TAKES = 0, 1, 2, 3, 4, 5, 6, 13, 21, 22, 23, 24, 25, 26
POINTS = np.array(
    [28, 10, 10, 10, 18, 0, 40, 51, 63, 78, 90, 90, 90, 37, 41, 39, 20, 20, 20, 20, 20, 0, 0, 0, 16, 0, 0], np.int64
)

# Columns hold 19 cards at most: seven as dealt, and a run down from queen to ace.
_ROWS = 32
_MAX_MOVES = 64
# What lies beneath a card, where it is not a card.
_BASE, _IN_CELL = DECK_SIZE, DECK_SIZE + 1
# Where a card is that no column holds.
_AWAY = -1
# A slot: the card, the length of the run that it ends, the lowest rank of it and of what lies
# beneath, how many of these cards lie over a lower one, and the points for that.
_RUN, _LOWEST, _BURIERS, _BURDEN = 8, 16, 24, 32

_new_packed = Local(np.uint8, PACKED_SIZE)
_new_first_runs = Local(np.int64, 8 * MAX_COLUMNS)
_new_first, _new_slots = Local(np.int64, 8 * MAX_COLUMNS), Local(np.int64, _ROWS * MAX_COLUMNS)
_new_lengths, _new_where = Local(np.int64, MAX_COLUMNS), Local(np.int64, DECK_SIZE)
_new_first_where, _new_home = Local(np.int64, DECK_SIZE), Local(np.int64, SUITS)
_new_moves, _new_worths = Local(np.int64, _MAX_MOVES), Local(np.int64, _MAX_MOVES)
_new_shares, _new_runs = Local(np.int64, _MAX_MOVES), Local(np.int64, _ROWS * MAX_COLUMNS)
_new_seen = Local(np.int64, _PATIENCE + 1)


@inlined
def _pushed(card: int, below: int, suit_build: int, points: Any) -> int:
    """Return the slot of a card on top of another slot, -1 for the base of a column."""
    rank = rank_of(card)
    if below < 0:
        return card | 1 << _RUN | rank << _LOWEST
    run, lowest = 1, (below >> _LOWEST) & 15
    buriers, burden = (below >> _BURIERS) & 255, below >> _BURDEN
    if fits_on(card, below & 63, suit_build):
        run += (below >> _RUN) & 255
    if rank > lowest:
        buriers += 1
        burden += _over(lowest, points)
    return (
        card | run << _RUN | min(rank, lowest) << _LOWEST | buriers << _BURIERS | burden << _BURDEN
    )


@inlined
def _over(lowest: int, points: Any) -> int:
    """Return the points that a card costs over a lower one."""
    return max(points[OVER] - (points[SLOPE] * lowest >> 4), 0)


@inlined
def _placed(card: int, beneath: int) -> int:
    """Return the part of a position's hash for one card and what lies beneath it."""
    return mix(card << 6 | beneath)


@kernel
def _wins(first: Any, first_runs: Any, first_where: Any, x: int, cells: int, suit_build: int, points: Any) -> int:
    """Play a deal once; return 1 for a win and 0 otherwise."""
    slots, where, lengths, home = _new_slots(), _new_where(), _new_lengths(), _new_home()
    moves, worths, seen, shares = _new_moves(), _new_worths(), _new_seen(), _new_shares()
    runs = _new_runs()
    slots[: 8 * MAX_COLUMNS] = first
    where[:] = first_where
    runs[: 8 * MAX_COLUMNS] = first_runs
    held, used, position, buriers, empty = 0, 0, 0, 0, 0
    for column in range(MAX_COLUMNS):
        lengths[column] = 7 if column < 4 else 6
        buriers += (slots[8 * (lengths[column] - 1) + column] >> _BURIERS) & 255
    home[:] = 0
    seen_count = 0
    for turn in range(_PATIENCE + 1):
        # 1. Everything that fits goes home.
        went, idle, suit = 0, 0, 0
        while idle < SUITS:
            idle += 1
            if home[suit] < 13:
                card = 4 * home[suit] + suit
                at = where[card]
                gone = False
                if at >= 0:
                    column = at & 7
                    length = lengths[column]
                    if at >> 3 == length - 1:
                        gone = True
                        old = (slots[at] >> _BURIERS) & 255
                        lengths[column] = length - 1
                        if length == 1:
                            empty += 1
                        else:
                            buriers += ((slots[at - 8] >> _BURIERS) & 255) - old
                        where[card] = _AWAY
                        beneath = (slots[at - 8] & 63) if length > 1 else _BASE
                        position ^= _placed(card, beneath)
                elif held >> card & 1:
                    gone = True
                    held &= ~(1 << card)
                    used -= 1
                    position ^= _placed(card, _IN_CELL)
                if gone:
                    home[suit] += 1
                    went += 1
                    idle = 0
                    continue
            suit = (suit + 1) & 3
        if went > 0:
            seen_count = 0
        if buriers <= cells - used + empty:
            return 1
        if turn == _PATIENCE:
            return 0
        seen[seen_count] = position
        seen_count += 1
        # 2. Its choices.
        wanted = 0
        for suit in range(SUITS):
            if home[suit] < 13:
                at = where[4 * home[suit] + suit]
                if at >= 0:
                    wanted += 1 << 4 * (at & 7)
        at_hand, movable = 0, held
        for column in range(MAX_COLUMNS):
            if lengths[column] > 0:
                at = 8 * (lengths[column] - 1) + column
                at_hand |= 1 << (slots[at] & 63)
                movable |= runs[at]
        best, total = -(1 << 40), 0
        free = cells - used
        room = (free + 1) << empty
        first_empty = -1
        for target in range(MAX_COLUMNS):
            if lengths[target] == 0:
                if first_empty < 0:
                    first_empty = target
                continue
            top = slots[8 * (lengths[target] - 1) + target]
            top_card = top & 63
            left = _children(top_card, suit_build) & movable
            while left != 0:
                card = lowest_bit(left)
                left = without_lowest(left)
                at = where[card]
                worth = 0
                count = 1
                if at >= 0:
                    source = at & 7
                    length = lengths[source]
                    count = length - (at >> 3)
                    run = (slots[8 * (length - 1) + source] >> _RUN) & 255
                    if count > room:
                        continue
                    worth = _leaving(slots, source, length, count, run, home, wanted, empty, at_hand, held, suit_build, points)
                else:
                    source = 8
                    worth = points[CELL + used - 1] + points[RANK] * rank_of(card)
                lowest = (top >> _LOWEST) & 15
                burying = min(count, max(0, rank_of(card) - lowest))
                worth -= burying * _over(lowest, points)
                worth -= points[COVER] * count * (wanted >> 4 * target & 15)
                worth += points[FIT]
                moves[total] = source | target << 4 | count << 8 | card << 16
                worths[total] = worth
                total += 1
                best = max(best, worth)
        if first_empty >= 0:
            cost = points[EMPTY + empty - 1]
            for source in range(MAX_COLUMNS):
                length = lengths[source]
                if length == 0:
                    continue
                run = (slots[8 * (length - 1) + source] >> _RUN) & 255
                if run == length or run > room >> 1:
                    continue
                at = 8 * (length - run) + source
                card = slots[at] & 63
                worth = _leaving(slots, source, length, run, run, home, wanted, empty, at_hand, held, suit_build, points)
                worth -= cost
                if card >= 48:
                    worth += points[KING]
                moves[total] = source | first_empty << 4 | run << 8 | card << 16
                worths[total] = worth
                total += 1
                best = max(best, worth)
            left = held
            while left != 0:
                card = lowest_bit(left)
                left = without_lowest(left)
                worth = points[CELL + used - 1] + points[RANK] * rank_of(card) - cost
                if card >= 48:
                    worth += points[KING]
                moves[total] = 8 | first_empty << 4 | 1 << 8 | card << 16
                worths[total] = worth
                total += 1
                best = max(best, worth)
        if free > 0:
            for source in range(MAX_COLUMNS):
                length = lengths[source]
                if length == 0:
                    continue
                at = 8 * (length - 1) + source
                if (slots[at] >> _RUN) & 255 != 1:
                    continue
                card = slots[at] & 63
                worth = _leaving(slots, source, length, 1, 1, home, wanted, empty, at_hand, held, suit_build, points)
                worth -= points[CELL + used] + points[RANK] * rank_of(card)
                moves[total] = source | 8 << 4 | 1 << 8 | card << 16
                worths[total] = worth
                total += 1
                best = max(best, worth)
        move, after = 0, position
        while True:
            if total == 0:
                return 0
            pick = 0
            if total > 1:
                lots = 0
                for index in range(total):
                    shares[index] = tickets(best - worths[index])
                    lots += shares[index]
                x = next_number(x)
                ticket = drawn(x, lots)
                while ticket >= shares[pick]:
                    ticket -= shares[pick]
                    pick += 1
            move = moves[pick]
            source, target, card = move & 15, (move >> 4) & 15, move >> 16
            beneath, onto = _IN_CELL, _IN_CELL
            if source < 8:
                at = where[card]
                beneath = _BASE if at < 8 else (slots[at - 8] & 63)
            if target < 8:
                onto = _BASE if lengths[target] == 0 else slots[8 * (lengths[target] - 1) + target] & 63
            after = position ^ _placed(card, beneath) ^ _placed(card, onto)
            if not _is_seen(seen, seen_count, after):
                break
            # Struck out: it leads back.
            total -= 1
            best = -(1 << 40)
            for index in range(total):
                if index >= pick:
                    moves[index] = moves[index + 1]
                    worths[index] = worths[index + 1]
                best = max(best, worths[index])
        # 3. The move.
        position = after
        source, target, count, card = move & 15, (move >> 4) & 15, (move >> 8) & 255, move >> 16
        if source == 8:
            held &= ~(1 << card)
            used -= 1
        else:
            length = lengths[source]
            at = 8 * (length - 1) + source
            buriers -= (slots[at] >> _BURIERS) & 255
            lengths[source] = length - count
            if length == count:
                empty += 1
            else:
                buriers += (slots[at - 8 * count] >> _BURIERS) & 255
        if target == 8:
            held |= 1 << card
            used += 1
            where[card] = _AWAY
        else:
            length = lengths[target]
            below = -1
            if length == 0:
                empty -= 1
            else:
                below = slots[8 * (length - 1) + target]
                buriers -= (below >> _BURIERS) & 255
            at = 0
            if source != 8:
                at = 8 * lengths[source] + source
            for index in range(count):
                if source != 8:
                    card = slots[at + 8 * index] & 63
                below = _pushed(card, below, suit_build, points)
                to = 8 * (length + index) + target
                slots[to] = below
                runs[to] = 1 << card | (runs[to - 8] if (below >> _RUN) & 255 > 1 else 0)
                where[card] = to
            lengths[target] = length + count
            buriers += (below >> _BURIERS) & 255
    return 0


@inlined
def _is_seen(seen: Any, count: int, position: int) -> bool:
    """Tell whether a position is among the first `count`."""
    for index in range(count):
        if seen[index] == position:
            return True
    return False


@inlined
def _leaving(
    slots: Any,
    source: int,
    length: int,
    count: int,
    run: int,
    home: Any,
    wanted: int,
    empty: int,
    at_hand: int,
    held: int,
    suit_build: int,
    points: Any,
) -> int:
    """Return what it is worth that cards leave a column."""
    at = 8 * (length - 1) + source
    worth = (slots[at] >> _BURDEN) + points[COVER] * count * (wanted >> 4 * source & 15)
    if length == count:
        return worth + points[EMPTY + empty]
    below = slots[at - 8 * count]
    worth -= below >> _BURDEN
    if count == run:
        worth += points[BREAK]
    else:
        worth -= points[SPLIT]
    worth += points[SHORT] * count * max(0, 4 - length + count)
    card = below & 63
    if home[suit_of(card)] == rank_of(card):
        worth += points[HOME]
    else:
        run = (below >> _RUN) & 255
        head = slots[at - 8 * (count + run - 1)] & 63
        if at_hand & _parents(head, suit_build) != 0:
            worth += points[FOLLOW]
        if (at_hand | held) & _children(card, suit_build) != 0:
            worth += points[TAKES]
    return worth


@inlined
def _parents(card: int, suit_build: int) -> int:
    if suit_build != 0:
        return 1 << (card + 4)
    return (6 if ((card ^ (card >> 1)) & 1) == 0 else 9) << ((card & ~3) + 4)


@inlined
def _children(card: int, suit_build: int) -> int:
    if suit_build != 0:
        return 1 << card >> 4
    return (6 if ((card ^ (card >> 1)) & 1) == 0 else 9) << (card & ~3) >> 4



@kernel
def _measure(
    deck: Any, rules: Any, points: Any, first: int, wins: int, most: int, first_slots: Any, first_runs: Any, first_where: Any, packed: Any
) -> int:
    """Return one deck's effort."""
    suit_build = rules[RULE_SUIT_BUILD]
    deal(deck, rules, packed)
    for column in range(MAX_COLUMNS):
        below = np.int64(-1)
        for row in range(length_of(packed, column)):
            card = card_in(packed, column, row)
            below = _pushed(card, below, suit_build, points)
            first_slots[8 * row + column] = below
            at = 8 * row + column
            first_runs[at] = 1 << card | (first_runs[at - 8] if (below >> _RUN) & 255 > 1 else 0)
            first_where[card] = at
    seed = hash_deck(deck)
    tries, won = 0, 0
    while won < wins and tries < most:
        x = mix(wrapping_add(seed, first + tries))
        won += _wins(first_slots, first_runs, first_where, x, rules[RULE_CELLS], suit_build, points)
        tries += 1
    return thousandths(tries, won, wins)


@kernel
def measure(
    decks: Any, rules: Any, points: Any, first: int, wins: int, most: int, efforts: Any
) -> None:
    packed, first_slots, first_runs, first_where = _new_packed(), _new_first(), _new_first_runs(), _new_first_where()
    first_slots[:] = 0
    first_runs[:] = 0
    for row in range(len(decks)):
        efforts[row] = _measure(decks[row], rules, points, first, wins, most, first_slots, first_runs, first_where, packed)


@entry("i64, u8[:,:], i64[:], i64, i64, i64[:]")
def measure_decks(
    session: int, decks: Any, rules: Any, first: int, parts: int, efforts: Any
) -> None:
    """Measure the effort of each deck; drops the position that the session has taken up."""
    drop(session)
    measure(decks, rules, POINTS, first, WINS // parts, MOST_TRIES // parts, efforts)
