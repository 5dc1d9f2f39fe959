"""The rules of Pyramid on packed positions: the fast twin of `rules`.

Owns generation, replay (checked application) and perft; no search policy. Arrays are as
`layout` describes them, and named alike everywhere:

    deck    uint8[52]            which card lies where at the start
    where   uint8[64]            from `locate`: where each card lies
    rules   int64[RULES_SIZE]    the profile
    state   int64[STATE_SIZE]    what is left
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from solvers.cards import DECK_SIZE
from solvers.jit import inlined, kernel
from solvers.pyramid.layout import (
    BIT_OF,
    DRAWN,
    NO_SECOND,
    NOTHING,
    PACKED_DRAW,
    PACKED_RESET,
    PYRAMID,
    REDEALS,
    RULE_ALL,
    RULE_COVER,
    RULE_REDEALS,
    RULE_STOCK_TOP,
    STATE_SIZE,
    STOCK,
    STRIDE,
)
from solvers.pyramid.rules import PYRAMID_SIZE
from solvers.search.bits import lowest_bit, popcount

#: `where` of a stock card is this plus its index; of a pyramid card its bit.
IN_STOCK = 64

#: Kings, pairs and cover pairs of at most 7 exposed cards and 2 tops, draw and reset.
MAX_MOVES = 64

_KING = 12
_BITS = np.array(BIT_OF, np.int64)


@inlined
def exposed(pyramid: int) -> int:
    """Return the mask of the uncovered cards of a pyramid mask."""
    return pyramid & ~(pyramid >> STRIDE | pyramid >> STRIDE + 1)


@inlined
def cover_of(pyramid: int, bit: int) -> int:
    """Return the mask of the cards that still cover a card."""
    return pyramid & (3 << bit + STRIDE)


@intrinsic
def highest_bit(_typing: Any, mask: Any) -> Any:
    """Return the index of the highest set bit of an int64; -1 for zero."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.int64(types.int64), codegen


@inlined
def waste_top(stock: int, drawn: int) -> int:
    """Return the stock index of the waste's top card, -1 when the waste is empty."""
    return highest_bit(stock & (1 << drawn) - 1)


@inlined
def stock_next(stock: int, drawn: int) -> int:
    """Return the stock index of the next card to draw, 64 when the stock is empty."""
    return lowest_bit(stock >> drawn << drawn)


@kernel
def locate(deck: Any, where: Any) -> None:
    """Note where each card lies: its pyramid bit, or IN_STOCK plus its stock index.

    where  uint8[64]  out; NOTHING for what is no card of the deck
    """
    where[:] = NOTHING
    for place in range(PYRAMID_SIZE):
        if deck[place] < DECK_SIZE:
            where[deck[place]] = _BITS[place]
    for place in range(PYRAMID_SIZE, DECK_SIZE):
        if deck[place] < DECK_SIZE:
            where[deck[place]] = IN_STOCK + place - PYRAMID_SIZE


@inlined
def is_won(rules: Any, pyramid: int, stock: int) -> bool:
    """Tell whether the goal is reached. Twin: rules.is_won."""
    return pyramid == 0 and (rules[RULE_ALL] == 0 or stock == 0)


@inlined
def _tops(stock: int, drawn: int, stock_top: int) -> int:
    """Return the mask of the playable tops of waste and, if `stock_top` is 1, stock."""
    waste = stock & (1 << drawn) - 1
    ahead = stock >> drawn << drawn
    return (1 << highest_bit(waste) if waste != 0 else 0) | (ahead & -ahead) * stock_top


@inlined
def _is_in(at: int, open_mask: int, tops: int) -> bool:
    """Tell whether a `where` value is one of the uncovered cards or of the playable tops."""
    # NOTHING looks at bit 63, which neither has.
    return (open_mask if at < IN_STOCK else tops) >> (at & 63) & 1 != 0


@inlined
def _covering_pair(pyramid: int, open_mask: int, one: int, other: int) -> bool:
    """Tell whether `one` is uncovered, and all that covers `other` (both `where` values)."""
    if one >= IN_STOCK or other >= IN_STOCK:
        return False
    if pyramid >> other & 1 == 0 or open_mask >> one & 1 == 0:
        return False
    return cover_of(pyramid, other) == 1 << one


@inlined
def _may_remove(
    first: int,
    second: int,
    at: int,
    other: int,
    pyramid: int,
    tops: int,
    cover_pairs: bool,
) -> bool:
    """Tell whether a king (`second` is NO_SECOND) or a pair may leave; any 6 bits are safe.

    at, other  their `where` values
    tops       from `_tops`
    """
    open_mask = exposed(pyramid)
    if second == NO_SECOND:
        return first >> 2 == _KING and _is_in(at, open_mask, tops)
    if (first >> 2) + (second >> 2) != _KING - 1:
        return False
    if _is_in(at, open_mask, tops) and _is_in(other, open_mask, tops):
        return True
    return cover_pairs and (
        _covering_pair(pyramid, open_mask, at, other)
        or _covering_pair(pyramid, open_mask, other, at)
    )


@kernel
def replay(where: Any, rules: Any, state: Any, line: Any, first: int, last: int) -> int:
    """Play line[first:last] as far as it is legal; return how many moves were.

    state  int64[STATE_SIZE]  in and out; as the legal moves leave it
    line   uint16[m]          packed moves; any 16 bits are safe

    Twin: rules.replay.
    """
    pyramid, stock, drawn, redeals = state[PYRAMID], state[STOCK], state[DRAWN], state[REDEALS]
    most_redeals, stock_top = rules[RULE_REDEALS], rules[RULE_STOCK_TOP]
    cover_pairs, all_cards = rules[RULE_COVER] != 0, rules[RULE_ALL]
    index = first
    while index < last and pyramid | stock * all_cards != 0:
        move = np.int64(line[index])
        if move == PACKED_DRAW:
            upcoming = stock_next(stock, drawn)
            if upcoming == 64:
                break
            drawn = upcoming + 1
        elif move == PACKED_RESET:
            if stock == 0 or stock >> drawn != 0 or redeals >= most_redeals:
                break
            drawn = 0
            redeals += 1
        else:
            card, partner = move & 63, move >> 6
            if partner > NO_SECOND:
                break
            at, other = np.int64(where[card]), np.int64(where[partner])
            tops = _tops(stock, drawn, stock_top)
            if not _may_remove(card, partner, at, other, pyramid, tops, cover_pairs):
                break
            # NO_SECOND lies nowhere, and bit 63 is no card's.
            one, two = 1 << (at & 63), 1 << (other & 63)
            pyramid &= ~((one if at < IN_STOCK else 0) | (two if other < IN_STOCK else 0))
            stock &= ~((one if at >= IN_STOCK else 0) | (two if other >= IN_STOCK else 0))
        index += 1
    state[PYRAMID], state[STOCK], state[DRAWN], state[REDEALS] = pyramid, stock, drawn, redeals
    return index - first


@inlined
def pack_pair(one: int, other: int) -> int:
    """Return the packed removal of two cards, the higher one first."""
    return max(one, other) | min(one, other) << 6


@kernel
def generate(deck: Any, rules: Any, state: Any, moves: Any) -> int:
    """Write every legal move; return how many.

    Order: kings, pairs, cover pairs, draw, reset; pyramid before waste before stock.

    moves  uint16[MAX_MOVES]  out; entries past the count are unspecified

    Twin: rules.legal_moves, in the same order.
    """
    if is_won(rules, state[PYRAMID], state[STOCK]):
        return 0
    cards = np.empty(16, np.int64)
    free = 0
    open_mask = exposed(state[PYRAMID])
    for place in range(PYRAMID_SIZE):
        if open_mask >> _BITS[place] & 1:
            cards[free] = deck[place]
            free += 1
    stock, drawn = state[STOCK], state[DRAWN]
    top, upcoming = waste_top(stock, drawn), stock_next(stock, drawn)
    if top >= 0:
        cards[free] = deck[PYRAMID_SIZE + top]
        free += 1
    if rules[RULE_STOCK_TOP] != 0 and upcoming < 64:
        cards[free] = deck[PYRAMID_SIZE + upcoming]
        free += 1
    count = 0
    for one in range(free):
        if cards[one] >> 2 == _KING:
            moves[count] = cards[one] | NO_SECOND << 6
            count += 1
    for one in range(free):
        for other in range(one + 1, free):
            if (cards[one] >> 2) + (cards[other] >> 2) == _KING - 1:
                moves[count] = pack_pair(cards[one], cards[other])
                count += 1
    if rules[RULE_COVER] != 0:
        count = _generate_cover_pairs(deck, state[PYRAMID], open_mask, moves, count)
    if upcoming < 64:
        moves[count] = PACKED_DRAW
        count += 1
    elif stock != 0 and state[REDEALS] < rules[RULE_REDEALS]:
        moves[count] = PACKED_RESET
        count += 1
    return count


@kernel
def _generate_cover_pairs(deck: Any, pyramid: int, open_mask: int, moves: Any, count: int) -> int:
    """Append the pairs of a card with the one that it alone still covers; return the count."""
    for place in range(PYRAMID_SIZE):
        bit = _BITS[place]
        covers = cover_of(pyramid, bit)
        if pyramid >> bit & 1 and popcount(covers) == 1 and covers & open_mask:
            for cover in range(place, PYRAMID_SIZE):
                if 1 << _BITS[cover] == covers:
                    one, other = np.int64(deck[place]), np.int64(deck[cover])
                    if (one >> 2) + (other >> 2) == _KING - 1:
                        moves[count] = pack_pair(one, other)
                        count += 1
    return count


@kernel
def perft(deck: Any, where: Any, rules: Any, start: Any, depth: int) -> int:
    """Count the move sequences of a length from `start`. Twin: rules.perft."""
    if depth == 0:
        return 1
    states = np.empty((depth + 1, STATE_SIZE), np.int64)
    moves = np.empty((depth + 1, MAX_MOVES), np.uint16)
    left = np.zeros(depth + 1, np.int64)
    states[0] = start
    left[0] = generate(deck, rules, states[0], moves[0])
    level = total = 0
    while level >= 0:
        if left[level] == 0:
            level -= 1
            continue
        left[level] -= 1
        states[level + 1] = states[level]
        at = left[level]
        replay(where, rules, states[level + 1], moves[level], at, at + 1)
        if level + 1 == depth:
            total += 1
        else:
            level += 1
            left[level] = generate(deck, rules, states[level], moves[level])
    return total
