"""The rules of Pyramid on packed positions: the fast twin of `rules`.

Owns dealing, what is legal, moves and their replay (which takes any line), and perft; no search
policy. Arrays are as `layout` describes them, and named alike everywhere:

    packed  uint8[PACKED_SIZE]   a position
    rules   int64[RULES_SIZE]    the profile
    where   uint8[CARD_CODES]    from `locate`: where each card lies
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.cards import DECK_SIZE, KING
from solvers.jit import Local, entry, inlined, kernel
from solvers.pyramid.fields import (
    BITS,
    NO_INDEX,
    card_at,
    cover_of,
    drawn_of,
    exposed,
    first_of,
    in_stock,
    in_waste,
    pack_king,
    pack_pair,
    pyramid_card,
    pyramid_of,
    rank_of,
    redeals_of,
    second_of,
    stock_card,
    stock_next,
    stock_of,
    waste_top,
    write_state,
)
from solvers.pyramid.layout import (
    CARD_MASK,
    DECK,
    FULL_PYRAMID,
    FULL_STOCK,
    NO_SECOND,
    NOTHING,
    PACKED_DRAW,
    PACKED_RESET,
    PACKED_SIZE,
    RULE_ALL,
    RULE_COVER,
    RULE_REDEALS,
    RULE_STOCK_TOP,
)
from solvers.pyramid.rules import PAIR_SUM, PYRAMID_SIZE
from solvers.search.bits import highest_bit, lowest_bit, popcount

#: What six bits of a move can name.
CARD_CODES = CARD_MASK + 1
#: `where` of a stock card is this plus its index; of a pyramid card its bit. A card that lies
#: nowhere seems to be the stock's card 63: there are fewer.
_IN_STOCK = 64
_INDEX = _IN_STOCK - 1

#: Kings, pairs and cover pairs of at most 7 exposed cards and 2 tops, draw and reset.
MAX_MOVES = 64
#: The exposed cards of a pyramid and the two tops are fewer.
_MAX_PLAYABLE = 16

_new_where, _new_cards = Local(np.uint8, CARD_CODES), Local(np.int64, _MAX_PLAYABLE)
_new_packed = Local(np.uint8, PACKED_SIZE)


@inlined
def reaches_goal(rules: Any, pyramid: int, stock: int) -> bool:
    """Tell whether the goal is reached with these cards left."""
    return pyramid == 0 and (rules[RULE_ALL] == 0 or stock == 0)


# Deals.


@inlined
def deal(deck: Any, packed: Any) -> None:
    """Deal a deck, `uint8[52]`. Twin: rules.deal."""
    for place in range(DECK_SIZE):
        packed[DECK + place] = deck[place]
    write_state(packed, FULL_PYRAMID, FULL_STOCK, 0, 0)


@entry("u8[:,:], i64[:], u8[:,:]")
def deal_decks(decks: Any, rules: Any, packed: Any) -> None:
    """Deal decks, `uint8[n, 52]`, into packed positions, `uint8[n, PACKED_SIZE]`.

    rules  int64[RULES_SIZE]  makes no difference: all profiles deal alike
    """
    for row in range(len(decks)):
        deal(decks[row], packed[row])


@kernel
def locate(packed: Any, where: Any) -> None:
    """Note where each card lies: its pyramid bit, or _IN_STOCK plus its stock index.

    where  uint8[CARD_CODES]  out; NOTHING for what is not a card of the deck
    """
    where[:] = NOTHING
    for place in range(PYRAMID_SIZE):
        card = packed[DECK + place]
        if card < DECK_SIZE:
            where[card] = BITS[place]
    for place in range(PYRAMID_SIZE, DECK_SIZE):
        card = packed[DECK + place]
        if card < DECK_SIZE:
            where[card] = _IN_STOCK + place - PYRAMID_SIZE


# Moves.


@kernel
def is_won(packed: Any, rules: Any) -> bool:
    """Tell whether the goal is reached. Twin: rules.is_won."""
    return reaches_goal(rules, pyramid_of(packed), stock_of(packed))


@inlined
def _tops(stock: int, drawn: int, stock_top: int) -> int:
    """Return the mask of the playable tops of waste and, if `stock_top` is 1, stock."""
    waste, ahead = in_waste(stock, drawn), in_stock(stock, drawn)
    return (1 << highest_bit(waste) if waste != 0 else 0) | (ahead & -ahead) * stock_top


@inlined
def _is_in(at: int, open_mask: int, tops: int) -> bool:
    """Tell whether a `where` value is one of the uncovered cards or of the playable tops."""
    return (open_mask if at < _IN_STOCK else tops) >> (at & _INDEX) & 1 != 0


@inlined
def _covering_pair(pyramid: int, open_mask: int, one: int, other: int) -> bool:
    """Tell whether `one` is uncovered, and all that covers `other` (both `where` values)."""
    if one >= _IN_STOCK or other >= _IN_STOCK:
        return False
    if pyramid >> other & 1 == 0 or open_mask >> one & 1 == 0:
        return False
    return cover_of(pyramid, other) == 1 << one


@inlined
def _may_remove(move: int, where: Any, rules: Any, pyramid: int, tops: int) -> bool:
    """Tell whether a move is a removal that the rules allow.

    move  neither PACKED_DRAW nor PACKED_RESET; any other 16 bits are safe
    tops  from `_tops`
    """
    first, second = first_of(move), second_of(move)
    if second > NO_SECOND:
        return False
    at, other = np.int64(where[first]), np.int64(where[second])
    open_mask = exposed(pyramid)
    if second == NO_SECOND:
        return rank_of(first) == KING and _is_in(at, open_mask, tops)
    if rank_of(first) + rank_of(second) != PAIR_SUM:
        return False
    if _is_in(at, open_mask, tops) and _is_in(other, open_mask, tops):
        return True
    return rules[RULE_COVER] != 0 and (
        _covering_pair(pyramid, open_mask, at, other)
        or _covering_pair(pyramid, open_mask, other, at)
    )


@inlined
def _may_reset(stock: int, drawn: int, redeals: int, rules: Any) -> bool:
    """Tell whether the waste may be turned over."""
    return stock != 0 and stock >> drawn == 0 and redeals < rules[RULE_REDEALS]


@kernel
def is_legal(packed: Any, move: int, rules: Any) -> bool:
    """Tell whether a packed move is legal, its cards in either order; any 16 bits are safe.

    Twin: rules.legal_moves.
    """
    pyramid, stock, drawn = pyramid_of(packed), stock_of(packed), drawn_of(packed)
    if reaches_goal(rules, pyramid, stock):
        return False
    if move == PACKED_DRAW:
        return stock >> drawn != 0
    if move == PACKED_RESET:
        return _may_reset(stock, drawn, redeals_of(packed), rules)
    where = _new_where()
    locate(packed, where)
    return _may_remove(move, where, rules, pyramid, _tops(stock, drawn, rules[RULE_STOCK_TOP]))


@inlined
def _remove(move: int, where: Any, pyramid: int, stock: int) -> Any:
    """Return the pyramid and the stock without the cards of a removal."""
    at, other = np.int64(where[first_of(move)]), np.int64(where[second_of(move)])
    one, two = 1 << (at & _INDEX), 1 << (other & _INDEX)
    pyramid &= ~((one if at < _IN_STOCK else 0) | (two if other < _IN_STOCK else 0))
    stock &= ~((one if at >= _IN_STOCK else 0) | (two if other >= _IN_STOCK else 0))
    return pyramid, stock


@inlined
def _play(packed: Any, where: Any, rules: Any, line: Any, first: int, last: int) -> Any:
    """Play line[first:last] as far as it is legal, without changing the position.

    Returns how many moves were, and the pyramid, stock, drawn and redeals after them.
    """
    pyramid, stock = pyramid_of(packed), stock_of(packed)
    drawn, redeals = drawn_of(packed), redeals_of(packed)
    stock_top = rules[RULE_STOCK_TOP]
    index = first
    while index < last and not reaches_goal(rules, pyramid, stock):
        move = np.int64(line[index])
        if move == PACKED_DRAW:
            upcoming = stock_next(stock, drawn)
            if upcoming == NO_INDEX:
                break
            drawn = upcoming + 1
        elif move == PACKED_RESET:
            if not _may_reset(stock, drawn, redeals, rules):
                break
            drawn = 0
            redeals += 1
        else:
            if not _may_remove(move, where, rules, pyramid, _tops(stock, drawn, stock_top)):
                break
            pyramid, stock = _remove(move, where, pyramid, stock)
        index += 1
    return index - first, pyramid, stock, drawn, redeals


@kernel
def replay(packed: Any, line: Any, rules: Any) -> int:
    """Play a line as far as it is legal; return how many moves were.

    packed  uint8[PACKED_SIZE]  in and out; as the legal moves leave it
    line    uint16[m]           packed moves; any 16 bits are safe

    Twin: play.replay.
    """
    where = _new_where()
    locate(packed, where)
    played, pyramid, stock, drawn, redeals = _play(packed, where, rules, line, 0, len(line))
    write_state(packed, pyramid, stock, drawn, redeals)
    return played


@kernel
def wins(packed: Any, rules: Any, line: Any, first: int, last: int) -> bool:
    """Tell whether line[first:last] wins a position: every move legal and none after the win.

    packed  uint8[PACKED_SIZE]  read only
    line    uint16[m]           packed moves; any 16 bits are safe
    """
    where = _new_where()
    locate(packed, where)
    played, pyramid, stock, _drawn, _redeals = _play(packed, where, rules, line, first, last)
    return played == last - first and reaches_goal(rules, pyramid, stock)


@entry("u8[:,:], i64[:], u16[:], i64[:], bool[:]")
def replay_decks(decks: Any, rules: Any, lines: Any, offsets: Any, wins_of: Any) -> None:
    """Tell for each deck, `uint8[n, 52]`, whether its line wins it.

    lines    uint16[m]      packed moves; any contents are safe
    offsets  int64[n + 1]   where each line begins
    wins_of  bool[n]        out
    """
    packed = _new_packed()
    for row in range(len(decks)):
        deal(decks[row], packed)
        wins_of[row] = wins(packed, rules, lines, offsets[row], offsets[row + 1])


@kernel
def apply(packed: Any, move: int) -> None:
    """Make a legal move. Twin: rules.apply.

    packed  uint8[PACKED_SIZE]  in and out
    """
    pyramid, stock = pyramid_of(packed), stock_of(packed)
    drawn, redeals = drawn_of(packed), redeals_of(packed)
    if move == PACKED_DRAW:
        drawn = stock_next(stock, drawn) + 1
    elif move == PACKED_RESET:
        drawn = 0
        redeals += 1
    else:
        where = _new_where()
        locate(packed, where)
        pyramid, stock = _remove(move, where, pyramid, stock)
    write_state(packed, pyramid, stock, drawn, redeals)


@kernel
def legal_moves(packed: Any, rules: Any, moves: Any) -> int:
    """Write every legal move; return how many.

    Order: kings, pairs, cover pairs, draw, reset; pyramid before waste before stock.

    moves  uint16[MAX_MOVES]  out; entries past the count are unspecified

    Twin: rules.legal_moves, in the same order.
    """
    pyramid, stock, drawn = pyramid_of(packed), stock_of(packed), drawn_of(packed)
    if reaches_goal(rules, pyramid, stock):
        return 0
    cards = _new_cards()
    playable = 0
    open_mask = exposed(pyramid)
    for place in range(PYRAMID_SIZE):
        if open_mask >> BITS[place] & 1:
            cards[playable] = pyramid_card(packed, place)
            playable += 1
    top, upcoming = waste_top(stock, drawn), stock_next(stock, drawn)
    if top >= 0:
        cards[playable] = stock_card(packed, top)
        playable += 1
    if rules[RULE_STOCK_TOP] != 0 and upcoming != NO_INDEX:
        cards[playable] = stock_card(packed, upcoming)
        playable += 1
    count = 0
    for one in range(playable):
        if rank_of(cards[one]) == KING:
            moves[count] = pack_king(cards[one])
            count += 1
    for one in range(playable):
        for other in range(one + 1, playable):
            if rank_of(cards[one]) + rank_of(cards[other]) == PAIR_SUM:
                moves[count] = pack_pair(cards[one], cards[other])
                count += 1
    if rules[RULE_COVER] != 0:
        count = _cover_pairs(packed, pyramid, moves, count)
    if upcoming != NO_INDEX:
        moves[count] = PACKED_DRAW
        count += 1
    elif _may_reset(stock, drawn, redeals_of(packed), rules):
        moves[count] = PACKED_RESET
        count += 1
    return count


@kernel
def _cover_pairs(packed: Any, pyramid: int, moves: Any, count: int) -> int:
    """Append the pairs of a card with the one that it alone still covers; return the count."""
    open_mask = exposed(pyramid)
    for place in range(PYRAMID_SIZE):
        bit = BITS[place]
        covers = cover_of(pyramid, bit)
        if pyramid >> bit & 1 and popcount(covers) == 1 and covers & open_mask:
            one, other = pyramid_card(packed, place), card_at(packed, lowest_bit(covers))
            if rank_of(one) + rank_of(other) == PAIR_SUM:
                moves[count] = pack_pair(one, other)
                count += 1
    return count


@kernel
def perft(packed: Any, rules: Any, depth: int) -> int:
    """Count the sequences of `depth` legal moves. Twin: play.perft."""
    if depth == 0:
        return 1
    states = np.empty((depth + 1, PACKED_SIZE), np.uint8)
    moves = np.empty((depth + 1, MAX_MOVES), np.uint16)
    left = np.zeros(depth + 1, np.int64)
    states[0] = packed
    left[0] = legal_moves(states[0], rules, moves[0])
    level = total = 0
    while level >= 0:
        if left[level] == 0:
            level -= 1
            continue
        left[level] -= 1
        states[level + 1] = states[level]
        apply(states[level + 1], np.int64(moves[level, left[level]]))
        if level + 1 == depth:
            total += 1
        else:
            level += 1
            left[level] = legal_moves(states[level], rules, moves[level])
    return total
