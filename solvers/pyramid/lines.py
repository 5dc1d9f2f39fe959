"""From what a proof or a search found to a line of moves.

`write_path` writes the steps of a search. `write_line` writes a line from pairs alone:
`proof` says which cards of the pyramid pair with each other; all others leave one by
one. Owns the order: the stock is gone through again and again, and whatever may leave
does so as soon as it can. That never gets stuck: the first card of the proof's own order
that is still there can always leave now, because removing more covers nothing.
"""

from __future__ import annotations

from typing import Any

from solvers.cards import KING
from solvers.jit import inlined, kernel
from solvers.pyramid.fields import (
    NO_INDEX,
    card_at,
    cover_of,
    drawn_of,
    exposed,
    pack_king,
    pack_pair,
    pyramid_of,
    rank_of,
    redeals_of,
    stock_card,
    stock_next,
    stock_of,
    waste_top,
)
from solvers.pyramid.frontier import get_step_pyramid, get_step_stock, goal_cost, step_at, trace
from solvers.pyramid.layout import NO_SECOND, PACKED_DRAW, PACKED_RESET, PLACE_BITS
from solvers.pyramid.proof import get_found, set_found
from solvers.pyramid.ranks import (
    get_cover_pairs,
    get_most_redeals,
    get_stock_top,
    pyramid_of_rank,
    rank_at,
    stock_of_rank,
)
from solvers.pyramid.rules import PAIR_SUM, PYRAMID_SIZE, STOCK_SIZE
from solvers.search.bits import lowest_bit, popcount

#: Each pass of at most 24 draws and a reset removes a card of the pyramid.
MAX_LINE = PYRAMID_SIZE * (STOCK_SIZE + 2)
#: Room that a line needs: all may leave after the last draw, and `_draw` writes ahead.
LINE_ROOM = MAX_LINE + 64

#: More moves than a step of a search can take: two passes, and the kings that it frees.
_STEP_ROOM = 128


@kernel
def write_line(arena: int, packed: Any, count: int, line: Any) -> int:
    """Write a line that wins the pyramid, given its pairs; return its length.

    arena   int                 address, with the position's cards sorted
    packed  uint8[PACKED_SIZE]  the position; read only
    count   int                 pairs in `proof`'s `found`, which are taken apart on the way
    line    uint16[m]           out; needs room for LINE_ROOM moves

    Returns -1 when the redeals run out, or the pairs are not `proof`'s.
    """
    pyramid, stock = pyramid_of(packed), stock_of(packed)
    drawn, redeals, at = drawn_of(packed), redeals_of(packed), 0
    forced = pyramid_of_rank(arena, KING)
    for pair in range(count):
        forced |= get_found(arena, pair)
    ready = usable = 0
    while True:
        # 1. Kings and pairs leave; then, which cards of the stock have a partner.
        if exposed(pyramid) & forced != 0:
            pyramid, count, at = _leave(arena, packed, pyramid, forced, count, line, at)
        if pyramid == 0:
            return at
        fresh = exposed(pyramid) & ~forced
        left, ready = fresh & ~ready, fresh
        while left != 0:
            usable |= stock_of_rank(arena, PAIR_SUM - rank_at(arena, lowest_bit(left)))
            left &= left - 1
        usable &= stock
        # 2. The waste's top, or else the next one of them, after a reset if need be.
        index = waste_top(stock, drawn)
        if index < 0 or usable >> index & 1 == 0:
            if usable >> drawn == 0:
                if usable == 0 or redeals >= get_most_redeals(arena):
                    return -1
                at = _draw(popcount(stock >> drawn), line, at)
                redeals += 1
                drawn = 0
                line[at] = PACKED_RESET
                at += 1
            index = stock_next(usable, drawn)
            at = _draw(popcount(stock >> drawn & (2 << index - drawn) - 1), line, at)
            drawn = index + 1
        # 3. It leaves with its partner.
        card = stock_card(packed, index)
        partners = pyramid_of_rank(arena, PAIR_SUM - rank_of(card))
        bit = lowest_bit(ready & partners)
        line[at] = pack_pair(card, card_at(packed, bit))
        at += 1
        stock &= ~(1 << index)
        pyramid &= ~(1 << bit)
        ready &= ~(1 << bit)
        if ready & partners == 0:
            usable &= ~stock_of_rank(arena, rank_of(card))


@inlined
def _draw(count: int, line: Any, at: int) -> int:
    """Write draws, at most the whole stock; return where the line ends."""
    # A fixed number of them is a few wide stores; what is too much is written over.
    for index in range(STOCK_SIZE):
        line[at + index] = PACKED_DRAW
    return at + count


@inlined
def _leave(
    arena: int, packed: Any, pyramid: int, forced: int, count: int, line: Any, at: int
) -> Any:
    """Take kings and ready pairs until there is none; return pyramid, pairs left, line end."""
    kings = pyramid_of_rank(arena, KING)
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
        pair = _ready_pair(arena, pyramid, open_mask, count)
        if pair < 0:
            return pyramid, count, at
        mask = get_found(arena, pair)
        other = card_at(packed, lowest_bit(mask & mask - 1))
        line[at] = pack_pair(card_at(packed, lowest_bit(mask)), other)
        at += 1
        pyramid &= ~mask
        count -= 1
        set_found(arena, pair, get_found(arena, count))


@inlined
def _ready_pair(arena: int, pyramid: int, open_mask: int, count: int) -> int:
    """Return the index of a pair that can leave now; -1 when there is none."""
    cover_pairs = get_cover_pairs(arena) != 0
    for pair in range(count):
        mask = get_found(arena, pair)
        if mask & ~open_mask == 0:
            return pair
        # The covered card of a cover pair is in the higher row: the lower bit.
        upper = lowest_bit(mask)
        if cover_pairs and mask & open_mask and cover_of(pyramid, upper) == mask & mask - 1:
            return pair
    return -1


@kernel
def write_path(arena: int, packed: Any, line: Any) -> int:
    """Write the line of a solution that a search found; return its length.

    arena   int                 address, with the search that ended at a goal
    packed  uint8[PACKED_SIZE]  the position that it began with; read only
    line    uint16[m]           out

    Returns -1 when the line has too little room, or other moves than the search counted.
    """
    pyramid, stock, drawn = pyramid_of(packed), stock_of(packed), drawn_of(packed)
    kings = pyramid_of_rank(arena, KING)
    at = 0
    for step in range(trace(arena)):
        if at + _STEP_ROOM > len(line):
            return -1
        pyramid_then = get_step_pyramid(arena, step_at(step))
        stock_then = get_step_stock(arena, step_at(step))
        leaving, gone = pyramid & ~pyramid_then, stock & ~stock_then
        cards = leaving & ~kings
        if gone != 0:
            partner = card_at(packed, lowest_bit(cards)) if cards != 0 else NO_SECOND
            at, drawn = _play_stock(arena, packed, stock, drawn, gone, partner, line, at)
        elif cards != 0:
            other = card_at(packed, lowest_bit(cards & cards - 1))
            line[at] = pack_pair(card_at(packed, lowest_bit(cards)), other)
            at += 1
        # Kings that got exposed, the lowest row first. Before the first step they are all there is.
        for bit in range(PLACE_BITS - 1, -1, -1):
            if (leaving & kings) >> bit & 1:
                line[at] = pack_king(card_at(packed, bit))
                at += 1
        pyramid, stock = pyramid_then, stock_then
    return at if at == goal_cost(arena) else -1


@kernel
def _play_stock(
    arena: int, packed: Any, stock: int, drawn: int, gone: int, partner: int, line: Any, at: int
) -> Any:
    """Write how some stock cards leave in one step of a search; return line end and drawn.

    gone     kings on the way, and one card that pairs with the pyramid's `partner`, or two
             that pair with each other, or none
    partner  a card, or NO_SECOND
    """
    stock_top, kings = get_stock_top(arena) != 0, stock_of_rank(arena, KING)
    limit = at + _STEP_ROOM - PYRAMID_SIZE
    while gone != 0 and at < limit:
        top, upcoming = waste_top(stock, drawn), stock_next(stock, drawn)
        leaving = 0
        if top >= 0 and gone & kings & 1 << top:
            leaving = 1 << top
            line[at] = pack_king(stock_card(packed, top))
        elif top >= 0 and gone >> top & 1 and partner != NO_SECOND:
            leaving = 1 << top
            line[at] = pack_pair(stock_card(packed, top), partner)
        elif stock_top and upcoming != NO_INDEX and gone >> upcoming & 1:
            card = stock_card(packed, upcoming)
            if kings >> upcoming & 1:
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
        elif upcoming != NO_INDEX:
            line[at] = PACKED_DRAW
            drawn = upcoming + 1
        else:
            line[at] = PACKED_RESET
            drawn = 0
        at += 1
    return at, drawn
