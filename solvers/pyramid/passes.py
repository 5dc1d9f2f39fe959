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
made itself. (Kings leave alone. With `stock_top` a card may have left with another
stock card further on.) In later passes any card may be missing, and only that rule remains: layers
ON and OFF, by whether the card passed last is still there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import inlined, kernel
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
                    partners = _partners_beyond(index, tops) if stock_top else 0
                    _play_first(
                        index, gone, partners, cards, stock_top, stock_ranks, reach, target, node
                    )
                    _play_later(
                        index, gone, partners, cards, stock_top, stock_ranks, reach, target, node
                    )
        _pass_later(cards, stock_top, tops, stock_ranks, best)
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
def _partners_beyond(index: int, tops: Any) -> int:
    """Return how many stock cards of each rank lie beyond one, 4 bits a rank."""
    counts = 0
    for rank in range(1, 13):
        counts |= popcount(tops[rank] >> index + 1) << 4 * rank
    return counts


@kernel
def _allow(reach: Any, node: int, at: int, target: int, then: int) -> None:
    """Let a node at entry `at` do what the target can at entry `then`."""
    if reach[target, then] < reach[node, at]:
        reach[node, at] = reach[target, then]


@kernel
def _play_first(
    index: int,
    gone: int,
    partners: int,
    cards: int,
    stock_top: bool,
    stock_ranks: Any,
    reach: Any,
    target: int,
    node: int,
) -> None:
    """Note where stock card `index` can be played in the first pass, and what follows."""
    at = index + 1
    for run in range(3):
        _allow(reach, node, (ON_0 + run) * WIDTH + at, target, (OFF_1 + run) * WIDTH + at)
    if stock_top:
        # Played from the stock: it is passed and has left.
        for run in range(3):
            _allow(reach, node, (ON_0 + run) * WIDTH + index, target, OFF_1 * WIDTH + at)
            then = min(OFF_2 + run, OFF_3) * WIDTH + at
            _allow(reach, node, (OFF_1 + run) * WIDTH + index, target, then)
    # Under a run of one card, of two, and of more.
    run = 0
    for at in range(index + 2, cards + 1):
        over = stock_ranks[at - 1]
        if over != 13:
            run += 1 << 4 * over
            if not _may_have_left(run, over, gone, partners):
                break
        layer = min(OFF_1 + at - index - 2, OFF_3) * WIDTH + at
        if at == index + 2:
            _allow(reach, node, layer, target, OFF_2 * WIDTH + at)
        # Any number of the cards below may have left as well.
        if at > index + 2 or index > 0:
            _allow(reach, node, layer, target, OFF_3 * WIDTH + at)


@kernel
def _play_later(
    index: int,
    gone: int,
    partners: int,
    cards: int,
    stock_top: bool,
    stock_ranks: Any,
    reach: Any,
    target: int,
    node: int,
) -> None:
    """Note where stock card `index` can be played in a later pass, and what follows."""
    then = OFF * WIDTH + index + 1
    _allow(reach, node, ON * WIDTH + index + 1, target, then)
    if stock_top:
        _allow(reach, node, ON * WIDTH + index, target, then)
        _allow(reach, node, OFF * WIDTH + index, target, then)
    run = 0
    for at in range(index + 2, cards + 1):
        over = stock_ranks[at - 1]
        if over != 13:
            run += 1 << 4 * over
            if not _may_have_left(run, over, gone, partners):
                break
        _allow(reach, node, OFF * WIDTH + at, target, OFF * WIDTH + at)


@kernel
def _may_have_left(run: int, rank: int, gone: int, partners: int) -> bool:
    """Tell whether the cards of a rank in a run of the waste can all have left.

    run, gone  cards of each rank, 4 bits a rank: of the run, and lost to stock cards
    partners   stock cards beyond the run's first that they can have left with; 0 unless
               the stock's top plays
    """
    excess = (run >> 4 * rank & 15) - (gone >> 4 * (13 - rank) & 15)
    return excess <= 0 or excess <= partners >> 4 * (13 - rank) & 15


@kernel
def _follow(best: Any, at: int, then: int) -> None:
    """Let entry `at` of a node do what its entry `then` can."""
    if best[then] < best[at]:
        best[at] = best[then]


@kernel
def _pass_later(cards: int, stock_top: bool, tops: Any, stock_ranks: Any, best: Any) -> None:
    """Add passing cards and resetting to what can be done at once, in later passes."""
    for at in range(cards, -1, -1):
        on, off = ON * WIDTH + at, OFF * WIDTH + at
        if at < cards:
            _follow(best, off, on + 1)
            if stock_top:
                rank = stock_ranks[at]
                # The card passed may have left with the waste's top, or as a king.
                if rank == 13 or tops[13 - rank] & (1 << at) - 1:
                    _follow(best, off, off + 1)
                _follow(best, on, off + 1)
            _follow(best, on, on + 1)
        if at > 0 and stock_ranks[at - 1] == 13:
            _follow(best, on, off)
    again = min(np.int64(best[ON * WIDTH]) + POSITIONS, UNREACHABLE)
    for layer in range(LAYERS):
        for at in range(cards + 1):
            if again < best[layer * WIDTH + at]:
                best[layer * WIDTH + at] = again


@kernel
def _pass_first(cards: int, stock_top: bool, stock_ranks: Any, best: Any) -> None:
    """Add passing cards, and kings that leave, to what can be done in the first pass."""
    for at in range(cards, -1, -1):
        for run in range(2, -1, -1):
            on, off = (ON_0 + run) * WIDTH + at, (OFF_1 + run) * WIDTH + at
            more = min(OFF_2 + run, OFF_3) * WIDTH + at
            # The waste's top under the run.
            top = at - 2 - run
            if at < cards:
                _follow(best, on, ON_0 * WIDTH + at + 1)
                _follow(best, off, min(ON_1 + run, ON_2) * WIDTH + at + 1)
                if stock_top:
                    _pass_from_stock(at, run, stock_ranks, best)
            if at > 0 and stock_ranks[at - 1] == 13:
                _follow(best, on, off)
            if run < 2 and top >= 0 and stock_ranks[top] == 13:
                _follow(best, off, more)
                _follow(best, off, OFF_3 * WIDTH + at)


@kernel
def _pass_from_stock(at: int, run: int, stock_ranks: Any, best: Any) -> None:
    """Add what the stock's top can do without the pyramid: leave as a king, or in a pair."""
    on, off = (ON_0 + run) * WIDTH + at, (OFF_1 + run) * WIDTH + at
    rank = 13 - stock_ranks[at]
    if rank == 0:
        _follow(best, on, OFF_1 * WIDTH + at + 1)
        _follow(best, off, min(OFF_2 + run, OFF_3) * WIDTH + at + 1)
        return
    # With the waste's top, under which `run` cards have left.
    if at > 0 and stock_ranks[at - 1] == rank:
        _follow(best, on, min(OFF_2 + run, OFF_3) * WIDTH + at + 1)
    # With the waste's top that lies under the run.
    top = at - 2 - run
    if run == 2:
        partner = False
        for index in range(top + 1):
            partner = partner or stock_ranks[index] == rank
    else:
        partner = top >= 0 and stock_ranks[top] == rank
    if partner:
        _follow(best, off, OFF_3 * WIDTH + at + 1)


@inlined
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
