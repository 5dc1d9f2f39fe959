"""Effort `pyramid-2`: how many tries a player needs until a win who forgets and hopes.

The player, by the rules of the profile; `solvers.search.tries` has the dice and the lottery:

0. One draw of two begins a try: by 0 it is careless, by 1 careful.
1. A king that may leave leaves at once, the pyramid's before the waste's before the
   stock's. When that is done, a turn begins; winning ends the try at once.
2. A turn's choices: removals of pairs, and going on: to draw, or to turn the waste over when
   the stock is empty. They are in this order: pairs within the pyramid by the lower rank (ace
   first), then by the place of the lower card, then of the higher one, apex first; a card with
   the one that alone covers it, by the covered place; pairs with the waste's top, then with
   the stock's top, by places; waste with stock; going on.
3. A careless player finds all worth the same. A careful one finds them worth, in points:

   - a pair within the pyramid 0, a card with its cover 24, with the waste's top 0, with the
     stock's top -6, waste with stock -36; drawing -18, 8 less while the waste's top has a
     partner anywhere in the pyramid; turning over -48;
   - 20 more for each card that the removal uncovers which is a king, or has a partner then:
     another uncovered card, the waste's top, or the card that is drawn next;
   - 12 more where a card leaves with the waste's top, and the card below that one then has an
     uncovered partner;
   - 8 less for each card, still to be drawn, that could pair with a pyramid card that leaves;
   - 24 less where a pyramid card leaves with the waste's or the stock's top, and more cards of
     the two ranks lie in the pyramid than in stock and waste together;
   - 32 less for a removal that was a choice of the turn before: what it left, it tends to leave.

   What a removal changes is judged after it, kings not yet gone; the last three, before it.
4. Where there is one choice alone, it is taken without drawing a number.
5. Gives up when there is no choice, and when the waste is to be turned over for the third time
   since a card was last removed: two whole passes have brought nothing.

LEAST_TRIES tries are always played, and then more until the WINS-th win, MOST_TRIES at most.
Everything is frozen: grades depend on it.

A try also ends when a class has no pairs left to win with (see `proof`), which changes no
result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.cards import KING
from solvers.jit import Local, entry, kernel
from solvers.pyramid.block import drop
from solvers.pyramid.counts import CLASSES, as_counts, class_of, count_at
from solvers.pyramid.fields import NO_INDEX, cover_of, exposed, in_stock, stock_next, waste_top
from solvers.pyramid.kernel import deal
from solvers.pyramid.layout import FULL_PYRAMID, FULL_STOCK, PACKED_SIZE
from solvers.pyramid.ranks import (
    get_all_cards,
    get_cover_pairs,
    get_most_redeals,
    get_stock_top,
    highs_of,
    lows_of,
    needs_of,
    pyramid_of_rank,
    rank_at,
    set_rules,
    sort_cards,
    stock_of_rank,
    stock_rank_at,
)
from solvers.pyramid.rules import PAIR_SUM
from solvers.search.bits import (
    hash_deck,
    highest_bit,
    lowest_bit,
    mix,
    popcount,
    wrapping_add,
)
from solvers.search.tries import drawn, go_on, next_number, thousandths, tickets

#: Tries of every deal; wins that the player goes on for; tries at which it stops all the same.
LEAST_TRIES, WINS, MOST_TRIES = 600, 4, 20_000
#: Resets without a removal at which the player gives up.
_PATIENCE = 3

# What the careful player finds its choices worth, in points.
_COVER_PAIR = 24
_WITH_STOCK = -6
_WASTE_WITH_STOCK = -36
_DRAW = -18
_BURY = -8
_TURN_OVER = -48
_MATCH = 20
_BELOW = 12
_LATER = -8
_CROWDED = -24
_LEFT = -32

#: Room for the choices of a turn: no seven cards make more pairs.
_ROOM = 32

_new_packed = Local(np.uint8, PACKED_SIZE)
_new_choices = Local(np.int64, _ROOM)


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
    efforts  int64[n]           out: thousandths of a try, at least 1000
    """
    drop(session)
    packed = _new_packed()
    set_rules(session, rules)
    for row in range(len(decks)):
        deal(decks[row], packed)
        sort_cards(session, packed)
        efforts[row] = _effort(session, wrapping_add(hash_deck(decks[row]), first), parts)


@kernel
def _effort(arena: int, seed: int, parts: int) -> int:
    """Play a deal until it is won often enough, or tried too often; return its effort.

    arena  address, with the rules and the dealt cards
    seed   the first try's
    """
    needs = needs_of(arena, False)
    least, enough, most = LEAST_TRIES // parts, WINS // parts, MOST_TRIES // parts
    tries = wins = 0
    while go_on(tries, wins, least, enough, most):
        wins += win_try(arena, mix(wrapping_add(seed, tries)), needs)
        tries += 1
    return thousandths(tries, wins, least, enough)


@kernel
def win_try(arena: int, x: int, needs: int) -> int:
    """Play a deal once; return 1 for a win and 0 otherwise.

    x      the state of the dice
    needs  of the deal; see `counts`
    """
    cards, taken, worths = _new_choices(), _new_choices(), _new_choices()
    left_cards, left_taken = _new_choices(), _new_choices()
    x = next_number(x)
    careful = drawn(x, 2) != 0
    pyramid, stock, begin, redeals, idle, left = FULL_PYRAMID, FULL_STOCK, 0, 0, 0, 0
    stock_top, all_cards = get_stock_top(arena) != 0, get_all_cards(arena) != 0
    kings, waiting_kings = pyramid_of_rank(arena, KING), stock_of_rank(arena, KING)
    while True:
        # 1. Kings.
        open_mask = exposed(pyramid)
        while open_mask & kings != 0:
            pyramid &= ~(open_mask & kings)
            open_mask = exposed(pyramid)
            idle = 0
        top, upcoming = waste_top(stock, begin), stock_next(stock, begin)
        if top >= 0 and waiting_kings & 1 << top != 0:
            stock &= ~(1 << top)
            idle = 0
            continue
        if stock_top and upcoming != NO_INDEX and waiting_kings & 1 << upcoming != 0:
            stock &= ~(1 << upcoming)
            idle = 0
            continue
        if pyramid == 0 and (not all_cards or stock == 0):
            return 1
        # 2. Choices.
        count = _list_removals(arena, pyramid, stock, open_mask, top, upcoming, cards, taken)
        go_on = upcoming != NO_INDEX or (stock != 0 and redeals < get_most_redeals(arena))
        if count == 0:
            if not go_on:
                return 0
            left = 0
        # 3. One of them.
        pick = 0
        choices = count + (1 if go_on else 0)
        if choices > 1:
            x = next_number(x)
            if careful:
                for i in range(count):
                    worths[i] = _worth(
                        arena, pyramid, stock, begin, open_mask, top, upcoming, cards[i], taken[i]
                    )
                    for other in range(left):
                        if left_cards[other] == cards[i] and left_taken[other] == taken[i]:
                            worths[i] += _LEFT
                if go_on:
                    worths[count] = _worth_of_going_on(arena, pyramid, top, upcoming)
                pick = _hold_lottery(x, worths, choices)
            else:
                pick = drawn(x, choices)
            left = count
            for i in range(count):
                left_cards[i], left_taken[i] = cards[i], taken[i]
        elif count == 1:
            left = 1
            left_cards[0], left_taken[0] = cards[0], taken[0]
        # 4. Going on.
        if pick == count:
            if upcoming != NO_INDEX:
                # Cards that nothing can be done with are drawn in one go.
                if count == 0 and not stock_top:
                    ahead = in_stock(stock, begin)
                    upcoming = lowest_bit(ahead & _wanted(arena, open_mask))
                    if upcoming == NO_INDEX:
                        upcoming = highest_bit(ahead)
                begin = upcoming + 1
            else:
                idle += 1
                if idle == _PATIENCE:
                    return 0
                redeals += 1
                begin = 0
            continue
        # 5. A removal, unless it loses for certain.
        idle = 0
        chosen = cards[pick]
        stock &= ~taken[pick]
        if chosen != 0:
            rank = rank_at(arena, lowest_bit(chosen))
            index = class_of(rank)
            need = count_at(needs, index)
            if need != 0:
                if taken[pick] == 0:
                    needs -= as_counts(1, index)
                elif popcount(pyramid & pyramid_of_rank(arena, rank)) == need:
                    return 0
            pyramid &= ~chosen


@kernel
def _list_removals(
    arena: int,
    pyramid: int,
    stock: int,
    open_mask: int,
    top: int,
    upcoming: int,
    cards: Any,
    taken: Any,
) -> int:
    """List the pairs that may be removed, in the order of the description; return how many.

    top       stock index of the waste's top card, -1 for none
    upcoming  and of the next card of the stock, NO_INDEX for none
    cards     int64[]  out: the masks of the pyramid's cards
    taken     int64[]  out: and of the stock's
    """
    count = 0
    for index in range(CLASSES):
        others = open_mask & highs_of(arena, index)
        ones = open_mask & lows_of(arena, index) if others != 0 else 0
        while ones != 0:
            rest = others
            while rest != 0:
                cards[count], taken[count] = ones & -ones | rest & -rest, 0
                count += 1
                rest &= rest - 1
            ones &= ones - 1
    if get_cover_pairs(arena) != 0:
        left = exposed(pyramid & ~open_mask)
        while left != 0:
            covers = cover_of(pyramid, lowest_bit(left))
            ranks = rank_at(arena, lowest_bit(left)) + rank_at(arena, lowest_bit(covers))
            if covers & covers - 1 == 0 and ranks == PAIR_SUM:
                cards[count], taken[count] = left & -left | covers, 0
                count += 1
            left &= left - 1
    if top >= 0:
        partners = open_mask & _partners(arena, top)
        while partners != 0:
            cards[count], taken[count] = partners & -partners, 1 << top
            count += 1
            partners &= partners - 1
    if get_stock_top(arena) != 0 and upcoming != NO_INDEX:
        partners = open_mask & _partners(arena, upcoming)
        while partners != 0:
            cards[count], taken[count] = partners & -partners, 1 << upcoming
            count += 1
            partners &= partners - 1
        if top >= 0 and stock_rank_at(arena, top) + stock_rank_at(arena, upcoming) == PAIR_SUM:
            cards[count], taken[count] = 0, 1 << top | 1 << upcoming
            count += 1
    return count


@kernel
def _worth(
    arena: int,
    pyramid: int,
    stock: int,
    begin: int,
    open_mask: int,
    top: int,
    upcoming: int,
    cards: int,
    taken: int,
) -> int:
    """Return what a removal is worth to the careful player, in points, new or left before."""
    if cards == 0:
        return _WASTE_WITH_STOCK
    after, stock_after = pyramid & ~cards, stock & ~taken
    open_after = exposed(after)
    top_after, next_after = waste_top(stock_after, begin), stock_next(stock_after, begin)
    worth = 0
    if taken == 0:
        worth = _COVER_PAIR if cards & ~open_mask != 0 else 0
    else:
        if top >= 0 and taken == 1 << top:
            if top_after >= 0 and open_after & _partners(arena, top_after) != 0:
                worth = _BELOW
        else:
            worth = _WITH_STOCK
        rank = rank_at(arena, lowest_bit(cards))
        within = pyramid_of_rank(arena, rank) | pyramid_of_rank(arena, PAIR_SUM - rank)
        outside = stock_of_rank(arena, rank) | stock_of_rank(arena, PAIR_SUM - rank)
        if popcount(pyramid & within) > popcount(stock & outside):
            worth += _CROWDED
    fresh = open_after & ~open_mask
    while fresh != 0:
        rank = rank_at(arena, lowest_bit(fresh))
        if (
            rank == KING
            or open_after & pyramid_of_rank(arena, PAIR_SUM - rank) != 0
            or (top_after >= 0 and stock_rank_at(arena, top_after) + rank == PAIR_SUM)
            or (next_after != NO_INDEX and stock_rank_at(arena, next_after) + rank == PAIR_SUM)
        ):
            worth += _MATCH
        fresh &= fresh - 1
    ahead = in_stock(stock, begin)
    while cards != 0:
        rank = rank_at(arena, lowest_bit(cards))
        worth += _LATER * popcount(ahead & stock_of_rank(arena, PAIR_SUM - rank))
        cards &= cards - 1
    return worth


@kernel
def _worth_of_going_on(arena: int, pyramid: int, top: int, upcoming: int) -> int:
    """Return what drawing, or turning the waste over, is worth to the careful player."""
    if upcoming == NO_INDEX:
        return _TURN_OVER
    if top >= 0 and pyramid & _partners(arena, top) != 0:
        return _DRAW + _BURY
    return _DRAW


@kernel
def _hold_lottery(x: int, worths: Any, count: int) -> int:
    """Return the place of a choice that the dice pick by worth; leaves the tickets in `worths`."""
    best = worths[0]
    for i in range(1, count):
        best = max(best, worths[i])
    total = 0
    for i in range(count):
        worths[i] = tickets(best - worths[i])
        total += worths[i]
    ticket = drawn(x, total)
    pick = 0
    while ticket >= worths[pick]:
        ticket -= worths[pick]
        pick += 1
    return pick


@kernel
def _wanted(arena: int, open_mask: int) -> int:
    """Return the stock cards that can leave with an uncovered card, and the kings."""
    wanted = stock_of_rank(arena, KING)
    for index in range(CLASSES):
        if open_mask & lows_of(arena, index) != 0:
            wanted |= stock_of_rank(arena, PAIR_SUM - 1 - index)
        if open_mask & highs_of(arena, index) != 0:
            wanted |= stock_of_rank(arena, index + 1)
    return wanted


@kernel
def _partners(arena: int, index: int) -> int:
    """Return the mask of the pyramid's cards that make a pair with a stock card; a king's is 0."""
    return pyramid_of_rank(arena, PAIR_SUM - stock_rank_at(arena, index))
