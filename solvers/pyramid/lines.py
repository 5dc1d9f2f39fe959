"""From what a proof or a search found to a line of moves.

`write_path` writes the steps of a search. `write_line` writes a line from pairs alone:
`proof` says which cards of the pyramid pair with each other; all others leave one by
one. Owns the order: the stock is gone through again and again, and whatever may leave
does so as soon as it can. That never gets stuck: the first card of the proof's own order
that is still there can always leave now, because removing more covers nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import inlined, kernel
from solvers.pyramid.kernel import (
    card_at,
    cover_of,
    drawn_of,
    exposed,
    highest_bit,
    pack_king,
    pack_pair,
    pyramid_of,
    redeals_of,
    stock_card,
    stock_of,
)
from solvers.pyramid.layout import (
    NO_SECOND,
    PACKED_DRAW,
    PACKED_RESET,
    PLACE_BITS,
    RULE_COVER,
    RULE_REDEALS,
    RULE_STOCK_TOP,
)
from solvers.pyramid.rules import PYRAMID_SIZE, STOCK_SIZE
from solvers.search.bits import lowest_bit, popcount

#: Each pass of at most 24 draws and a reset removes a card of the pyramid.
MAX_LINE = 28 * 26
#: Room that a line needs: all may leave after the last draw.
LINE_ROOM = MAX_LINE + 64

#: More moves than a step of a search can take.
_STEP_ROOM = 128


@kernel
def write_line(
    packed: Any,
    rules: Any,
    ranks: Any,
    tops: Any,
    rank_at: Any,
    found: Any,
    count: int,
    line: Any,
    at: int,
) -> int:
    """Write a line that wins the pyramid, given its pairs; return where it ends.

    packed  uint8[PACKED_SIZE] the position; read only
    ranks   int64[16]          pyramid mask of each rank
    tops    int64[16]          stock mask of each rank
    rank_at int64[64]          rank of each pyramid bit
    found   int64[SCRATCH]     masks of the `count` pairs; taken apart on the way
    line    uint16[m]          out, from index `at`; needs room for LINE_ROOM moves

    Returns -1 when the redeals run out, or the pairs are none of `proof`'s.
    """
    pyramid, stock = pyramid_of(packed), stock_of(packed)
    drawn, redeals = drawn_of(packed), redeals_of(packed)
    kings = ranks[13]
    forced = kings
    for pair in range(count):
        forced |= found[pair]
    ready = usable = 0
    while True:
        # 1. Kings and pairs leave; then, which cards of the stock have a partner.
        if exposed(pyramid) & forced != 0:
            pyramid, count, at = _leave(packed, rules, pyramid, kings, forced, found, count, line, at)
        if pyramid == 0:
            return at
        fresh = exposed(pyramid) & ~forced
        left, ready = fresh & ~ready, fresh
        while left != 0:
            usable |= tops[13 - rank_at[lowest_bit(left)]]
            left &= left - 1
        usable &= stock
        # 2. The waste's top, or else the next one of them, after a reset if need be.
        index = highest_bit(stock & (1 << drawn) - 1)
        if index < 0 or usable >> index & 1 == 0:
            if usable >> drawn == 0:
                if usable == 0 or redeals >= rules[RULE_REDEALS]:
                    return -1
                at = _draw(popcount(stock >> drawn), line, at)
                redeals += 1
                drawn = 0
                line[at] = PACKED_RESET
                at += 1
            index = lowest_bit(usable >> drawn << drawn)
            at = _draw(popcount(stock >> drawn & (2 << index - drawn) - 1), line, at)
            drawn = index + 1
        # 3. It leaves with its partner.
        card = stock_card(packed, index)
        bit = lowest_bit(ready & ranks[12 - (card >> 2)])
        line[at] = pack_pair(card, card_at(packed, bit))
        at += 1
        stock &= ~(1 << index)
        pyramid &= ~(1 << bit)
        ready &= ~(1 << bit)
        if ready & ranks[12 - (card >> 2)] == 0:
            usable &= ~tops[1 + (card >> 2)]


@inlined
def _draw(count: int, line: Any, at: int) -> int:
    """Write draws, at most the whole stock; return where the line ends."""
    # A fixed number of them is a few wide stores; what is too much is written over.
    for index in range(STOCK_SIZE):
        line[at + index] = PACKED_DRAW
    return at + count


@inlined
def _leave(
    packed: Any,
    rules: Any,
    pyramid: int,
    kings: int,
    forced: int,
    found: Any,
    count: int,
    line: Any,
    at: int,
) -> Any:
    """Take kings and ready pairs until there is none; return pyramid, pairs left, line end."""
    while True:
        open_mask = exposed(pyramid) & forced
        if open_mask == 0:
            return pyramid, count, at
        if open_mask & kings != 0:
            bit = lowest_bit(open_mask & kings)
            line[at] = pack_king(card_at(packed, bit))
            at += 1
            pyramid &= ~(1 << bit)
            continue
        pair = _ready_pair(pyramid, open_mask, rules[RULE_COVER] != 0, found, count)
        if pair < 0:
            return pyramid, count, at
        mask = found[pair]
        one = card_at(packed, lowest_bit(mask))
        line[at] = pack_pair(one, card_at(packed, lowest_bit(mask & mask - 1)))
        at += 1
        pyramid &= ~mask
        count -= 1
        found[pair] = found[count]


@inlined
def _ready_pair(pyramid: int, open_mask: int, cover_pairs: bool, found: Any, count: int) -> int:
    """Return the index of a pair that can leave now; -1 when there is none."""
    for pair in range(count):
        mask = found[pair]
        if mask & ~open_mask == 0:
            return pair
        # The covered card of a cover pair is in the higher row: the lower bit.
        upper = lowest_bit(mask)
        if cover_pairs and mask & open_mask and cover_of(pyramid, upper) == mask & mask - 1:
            return pair
    return -1


@kernel
def write_path(
    packed: Any,
    rules: Any,
    kings: int,
    stock_kings: int,
    steps: Any,
    count: int,
    line: Any,
) -> int:
    """Write the line that leads from one position of a search to the next; return its length.

    packed       uint8[PACKED_SIZE] the position before the first step; read only
    kings        mask of the pyramid's kings; `stock_kings` of those of stock and waste
    steps        int64[n, 2]        pyramid and stock masks after each step; the first one is
                                    the start when its kings have left
    line         uint16[m]          out; -1 is returned when it has too little room
    """
    pyramid, stock, drawn = pyramid_of(packed), stock_of(packed), drawn_of(packed)
    at = 0
    for step in range(count):
        if at + _STEP_ROOM > len(line):
            return -1
        leaving, gone = pyramid & ~steps[step, 0], stock & ~steps[step, 1]
        cards = leaving & ~kings
        if gone != 0:
            partner = card_at(packed, lowest_bit(cards)) if cards != 0 else NO_SECOND
            at, drawn = _play_stock(packed, rules, stock, drawn, gone, stock_kings, partner, line, at)
        elif cards != 0:
            other = card_at(packed, lowest_bit(cards & cards - 1))
            line[at] = pack_pair(card_at(packed, lowest_bit(cards)), other)
            at += 1
        # Kings that got exposed, the lowest row first.
        for bit in range(PLACE_BITS - 1, -1, -1):
            if (leaving & kings) >> bit & 1:
                line[at] = pack_king(card_at(packed, bit))
                at += 1
        pyramid, stock = steps[step, 0], steps[step, 1]
    return at


@kernel
def _play_stock(
    packed: Any,
    rules: Any,
    stock: int,
    drawn: int,
    gone: int,
    stock_kings: int,
    partner: int,
    line: Any,
    at: int,
) -> Any:
    """Write how some stock cards leave in one step of a search; return line end and drawn.

    gone     kings on the way, and one card that pairs with the pyramid's `partner`, or two
             that pair with each other, or none
    partner  a card, or NO_SECOND
    """
    stock_top = rules[RULE_STOCK_TOP] != 0
    limit = at + _STEP_ROOM - PYRAMID_SIZE
    while gone != 0 and at < limit:
        top = highest_bit(stock & (1 << drawn) - 1)
        upcoming = lowest_bit(stock >> drawn << drawn)
        leaving = 0
        if top >= 0 and gone & stock_kings & 1 << top:
            leaving = 1 << top
            line[at] = pack_king(stock_card(packed, top))
        elif top >= 0 and gone >> top & 1 and partner != NO_SECOND:
            leaving = 1 << top
            line[at] = pack_pair(stock_card(packed, top), partner)
        elif stock_top and upcoming < 64 and gone >> upcoming & 1:
            card = stock_card(packed, upcoming)
            if stock_kings >> upcoming & 1:
                leaving = 1 << upcoming
                line[at] = pack_king(card)
            elif partner != NO_SECOND:
                leaving = 1 << upcoming
                line[at] = pack_pair(card, partner)
            elif top >= 0 and gone >> top & 1:
                leaving = 1 << upcoming | 1 << top
                line[at] = pack_pair(card, stock_card(packed, top))
        if leaving != 0:
            stock &= ~leaving
            gone &= ~leaving
        elif upcoming < 64:
            line[at] = PACKED_DRAW
            drawn = upcoming + 1
        else:
            line[at] = PACKED_RESET
            drawn = 0
        at += 1
    return at, drawn
