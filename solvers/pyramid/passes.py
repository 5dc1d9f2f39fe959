"""How often, and how far, the stock must be gone through: a table over a deal's graph.

A relaxed game: a position is a node of the graph and how many stock cards have been
passed. `reach` holds, for each, the least `25 * resets + passed` at which the last card
of the pyramid can leave. The relaxation must allow all that the real game allows, so
what matters is which cards can be played: the card passed last; with `stock_top` the
card to be passed next, alone or with the waste's top; and a card further down in the
waste, when all those above it, a run, have left.

As long as no card ahead has left, in the first pass, the length of the run under the
position is known: layers OFF_1, OFF_2 and OFF_3 (three or more), and ON_0, ON_1, ON_2
(two or more) where a card lies on it. What lies deeper is forgotten, and a card may then
be played if the cards above it can have left: each left with a card of the pyramid, so
no more cards of a rank than the pyramid has lost of its partner, less the pairs that it
made itself. (Kings leave alone. With `stock_top` two cards of a run may have left with
each other.) In later passes any card may be missing, and only that rule remains: layers
ON and OFF, by whether the card passed last is still there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import kernel
from solvers.pyramid.graph import COUNTS, NEEDS, PYRAMID
from solvers.pyramid.kernel import exposed
from solvers.pyramid.layout import RULE_STOCK_TOP
from solvers.pyramid.proof import CLASSES
from solvers.pyramid.rules import STOCK_SIZE
from solvers.search.bits import lowest_bit, popcount

#: Positions of the stock, 0..24 cards passed; also what a reset counts for.
POSITIONS = STOCK_SIZE + 1

ON, OFF, ON_0, ON_1, ON_2, OFF_1, OFF_2, OFF_3 = range(8)
LAYERS = 8

#: Entries of a layer; padded, so that whole nodes are compared in wide steps.
WIDTH = 32

#: More than any entry: no pass suffices. Nine resets are told apart.
UNREACHABLE = 250


@kernel
def fill_passes(
    rules: Any,
    total: int,
    cards: int,
    nodes: Any,
    singles: Any,
    pair_ends: Any,
    pair_nodes: Any,
    rank_at: Any,
    tops: Any,
    stock_ranks: Any,
    reach: Any,
) -> None:
    """Fill the table for all `total` nodes of a graph.

    cards  how many stock cards there are
    reach  uint8[MAX_NODES, LAYERS * WIDTH]  out; at layer * WIDTH + cards passed
    """
    stock_top = rules[RULE_STOCK_TOP] != 0
    reach[total - 1, :] = UNREACHABLE
    for layer in range(LAYERS):
        for passed in range(cards + 1):
            reach[total - 1, layer * WIDTH + passed] = passed
    for node in range(total - 2, -1, -1):
        best = reach[node]
        best[:] = UNREACHABLE
        for index in range(pair_ends[node], pair_ends[node + 1]):
            target = np.int64(pair_nodes[index])
            for at in range(LAYERS * WIDTH):
                if reach[target, at] < best[at]:
                    best[at] = reach[target, at]
        gone = _lost_to_stock(node, nodes)
        left = exposed(nodes[node, PYRAMID])
        while left != 0:
            bit = lowest_bit(left)
            left &= left - 1
            target = np.int64(singles[node, bit])
            if target >= 0:
                positions = tops[13 - rank_at[bit]]
                while positions != 0:
                    index = lowest_bit(positions)
                    positions &= positions - 1
                    _play_first(index, gone, cards, stock_top, stock_ranks, reach[target], best)
                    _play_later(index, gone, cards, stock_top, tops, stock_ranks, reach[target], best)
        _pass_later(cards, stock_top, best)
        _pass_first(cards, stock_top, stock_ranks, best)


@kernel
def _lost_to_stock(node: int, nodes: Any) -> int:
    """Return how many cards of each rank can have left with the stock, 4 bits a rank."""
    gone = nodes[0, COUNTS] - nodes[node, COUNTS]
    made = nodes[0, NEEDS] - nodes[node, NEEDS]
    for index in range(CLASSES):
        pairs = made >> 4 * index & 15
        gone -= pairs << 4 * (index + 1) | pairs << 4 * (12 - index)
    return gone


@kernel
def _lower(best: Any, at: int, value: int) -> None:
    """Lower an entry."""
    if value < best[at]:
        best[at] = value


@kernel
def _play_first(
    index: int, gone: int, cards: int, stock_top: bool, stock_ranks: Any, after: Any, best: Any
) -> None:
    """Note where stock card `index` can be played in the first pass, and what follows.

    after  uint8[LAYERS * WIDTH]  the entries of the node that follows; `best` this node's
    """
    at = index + 1
    _lower(best, ON_0 * WIDTH + at, after[OFF_1 * WIDTH + at])
    _lower(best, ON_1 * WIDTH + at, after[OFF_2 * WIDTH + at])
    _lower(best, ON_2 * WIDTH + at, after[OFF_3 * WIDTH + at])
    if stock_top:
        # Played from the stock: it is passed and has left.
        for layer in (ON_0, ON_1, ON_2):
            _lower(best, layer * WIDTH + index, after[OFF_1 * WIDTH + at])
        _lower(best, OFF_1 * WIDTH + index, after[OFF_2 * WIDTH + at])
        _lower(best, OFF_2 * WIDTH + index, after[OFF_3 * WIDTH + at])
        _lower(best, OFF_3 * WIDTH + index, after[OFF_3 * WIDTH + at])
    # Under a run of one card, of two, and of more.
    run = 0
    for at in range(index + 2, cards + 1):
        over = stock_ranks[at - 1]
        if over != 13:
            run += 1 << 4 * over
            if not _may_have_left(run, over, gone, stock_top, run):
                break
        if at == index + 2:
            _lower(best, OFF_1 * WIDTH + at, after[OFF_2 * WIDTH + at])
            if index > 0:
                # The card below may have left as well, alone or with the next one.
                _lower(best, OFF_1 * WIDTH + at, after[OFF_3 * WIDTH + at])
        elif at == index + 3:
            _lower(best, OFF_2 * WIDTH + at, after[OFF_3 * WIDTH + at])
        else:
            _lower(best, OFF_3 * WIDTH + at, after[OFF_3 * WIDTH + at])


@kernel
def _play_later(
    index: int,
    gone: int,
    cards: int,
    stock_top: bool,
    tops: Any,
    stock_ranks: Any,
    after: Any,
    best: Any,
) -> None:
    """Note where stock card `index` can be played in a later pass, and what follows."""
    value = after[OFF * WIDTH + index + 1]
    _lower(best, ON * WIDTH + index + 1, value)
    partners = 0
    if stock_top:
        _lower(best, ON * WIDTH + index, value)
        _lower(best, OFF * WIDTH + index, value)
        for rank in range(1, 13):
            partners |= popcount(tops[rank] >> index + 1) << 4 * rank
    run = 0
    for at in range(index + 2, cards + 1):
        over = stock_ranks[at - 1]
        if over != 13:
            run += 1 << 4 * over
            if not _may_have_left(run, over, gone, stock_top, partners):
                break
        _lower(best, OFF * WIDTH + at, after[OFF * WIDTH + at])


@kernel
def _may_have_left(run: int, rank: int, gone: int, stock_top: bool, partners: int) -> bool:
    """Tell whether the cards of a rank in a run of the waste can all have left.

    run, gone  cards of each rank, 4 bits a rank: of the run, and lost to stock cards
    partners   stock cards that they can have left with, where the stock's top plays
    """
    excess = (run >> 4 * rank & 15) - (gone >> 4 * (13 - rank) & 15)
    return excess <= 0 or (stock_top and excess <= partners >> 4 * (13 - rank) & 15)


@kernel
def _pass_later(cards: int, stock_top: bool, best: Any) -> None:
    """Add passing cards and resetting to what can be done at once, in later passes."""
    for at in range(cards - 1, -1, -1):
        following = best[ON * WIDTH + at + 1]
        if stock_top:
            # The card passed may have left with the waste's top.
            following = min(following, best[OFF * WIDTH + at + 1])
        _lower(best, ON * WIDTH + at, following)
        _lower(best, OFF * WIDTH + at, following)
    again = min(np.int64(best[ON * WIDTH]) + POSITIONS, UNREACHABLE)
    for layer in range(LAYERS):
        for at in range(cards + 1):
            _lower(best, layer * WIDTH + at, again)


@kernel
def _pass_first(cards: int, stock_top: bool, stock_ranks: Any, best: Any) -> None:
    """Add passing cards to what can be done at once, in the first pass."""
    for at in range(cards - 1, -1, -1):
        if stock_top:
            # The card passed leaves with the waste's top, under a run of 0, 1 or 2 cards.
            both = best[OFF_3 * WIDTH + at + 1]
            rank = 13 - stock_ranks[at]
            if at > 0 and stock_ranks[at - 1] == rank:
                _lower(best, ON_0 * WIDTH + at, best[OFF_2 * WIDTH + at + 1])
                _lower(best, ON_1 * WIDTH + at, both)
                _lower(best, ON_2 * WIDTH + at, both)
            if at > 1 and stock_ranks[at - 2] == rank:
                _lower(best, OFF_1 * WIDTH + at, both)
            if at > 2 and stock_ranks[at - 3] == rank:
                _lower(best, OFF_2 * WIDTH + at, both)
            _lower(best, OFF_3 * WIDTH + at, both)
        for layer in (ON_0, ON_1, ON_2):
            _lower(best, layer * WIDTH + at, best[ON_0 * WIDTH + at + 1])
        _lower(best, OFF_1 * WIDTH + at, best[ON_1 * WIDTH + at + 1])
        _lower(best, OFF_2 * WIDTH + at, best[ON_2 * WIDTH + at + 1])
        _lower(best, OFF_3 * WIDTH + at, best[ON_2 * WIDTH + at + 1])


@kernel
def layer_of(stock: int, drawn: int, passed: int, cards: int) -> int:
    """Return the layer of a position.

    drawn   one more than the waste top's index, 0 for an empty waste
    passed  index of the next stock card, `cards` where there is none
    """
    if stock >> passed != (1 << cards - passed) - 1:
        return OFF if passed > drawn else ON
    if passed > drawn:
        return OFF_1 + min(passed - drawn, 3) - 1
    run = 0
    while run < 2 and drawn - 2 - run >= 0 and stock >> drawn - 2 - run & 1 == 0:
        run += 1
    return ON_0 + run
