"""How often, and how far, the stock must be gone through: a table over a deal's graph.

A relaxed game: the stock is always complete, and a position is a node of the graph and
how many stock cards have been passed. `reach` holds, for each, the least `25 * resets +
passed` at which the last card of the pyramid can leave. The relaxation must allow all
that the real game allows, so what matters is which cards can be played at a position:

- the card passed last, and with `stock_top` the card to be passed next;
- a card further down in the waste, but only if all cards above it have left. Each left
  with a card of the pyramid, so no more cards of a rank than the pyramid has lost of its
  partner (kings leave alone). With `stock_top` two stock cards may also have left with
  each other: in the pass that is under way both then lie in that same run of cards, in
  later passes the partner may be any card beyond the one played.

The table has two layers, ON where the card passed last is still there, and OFF where it
has left, so that a card is not played again and again. With `stock_top` it has two
parts, for the pass that was under way at the start and for later ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import kernel
from solvers.pyramid.graph import COUNTS, PYRAMID
from solvers.pyramid.kernel import exposed
from solvers.pyramid.layout import RULE_STOCK_TOP
from solvers.pyramid.rules import STOCK_SIZE
from solvers.search.bits import lowest_bit, popcount

#: Positions of the stock, 0..24 cards passed; also what a reset counts for.
POSITIONS = STOCK_SIZE + 1

FIRST, LATER = range(2)
ON, OFF = range(2)

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
    reach  uint8[2, 2, MAX_NODES, POSITIONS]  out; parts FIRST and LATER (alike without
           `stock_top`), layers ON and OFF, node, cards passed
    """
    best = np.empty((2, POSITIONS + 1), np.uint8)
    parts = 2 if rules[RULE_STOCK_TOP] != 0 else 1
    for part in range(2):
        for layer in range(2):
            for passed in range(POSITIONS):
                reach[part, layer, total - 1, passed] = passed
    for node in range(total - 2, -1, -1):
        gone = nodes[0, COUNTS] - nodes[node, COUNTS]
        for turn in range(parts):
            part = LATER - turn
            best[:] = UNREACHABLE
            for index in range(pair_ends[node], pair_ends[node + 1]):
                _lower(best, reach, part, np.int64(pair_nodes[index]))
            left = exposed(nodes[node, PYRAMID])
            while left != 0:
                bit = lowest_bit(left)
                left &= left - 1
                target = np.int64(singles[node, bit])
                if target >= 0:
                    rank = 13 - rank_at[bit]
                    _play_stock(rank, part, target, gone, cards, parts, tops, stock_ranks, reach, best)
            _pass_on(node, part, parts, cards, reach, best)


@kernel
def _lower(best: Any, reach: Any, part: int, target: int) -> None:
    """Lower what can be reached by what the target node can reach, position by position."""
    for layer in range(2):
        for passed in range(POSITIONS):
            value = reach[part, layer, target, passed]
            if value < best[layer, passed]:
                best[layer, passed] = value


@kernel
def _play_stock(
    rank: int,
    part: int,
    target: int,
    gone: int,
    cards: int,
    parts: int,
    tops: Any,
    stock_ranks: Any,
    reach: Any,
    best: Any,
) -> None:
    """Note where stock cards of a rank can be played, and what that leads to."""
    positions = tops[rank]
    while positions != 0:
        index = lowest_bit(positions)
        positions &= positions - 1
        value = reach[part, OFF, target, index + 1]
        if parts == 2:
            best[ON, index] = min(best[ON, index], value)
            best[OFF, index] = min(best[OFF, index], value)
        best[ON, index + 1] = min(best[ON, index + 1], value)
        # Further down in the waste: all of the run above it has left.
        run = 0
        for passed in range(index + 2, cards + 1):
            over = stock_ranks[passed - 1]
            if over != 13:
                run += 1 << 4 * over
                if not _may_have_left(run, over, gone, part, parts, index, tops):
                    break
            best[OFF, passed] = min(best[OFF, passed], reach[part, OFF, target, passed])


@kernel
def _may_have_left(
    run: int, rank: int, gone: int, part: int, parts: int, index: int, tops: Any
) -> bool:
    """Tell whether the cards of a rank in a run of the waste can all have left.

    run, gone  cards of each rank, 4 bits a rank, of the run and lost by the pyramid
    index      the run begins beyond this stock card
    """
    partner = 13 - rank
    ours, theirs = run >> 4 * rank & 15, run >> 4 * partner & 15
    excess = ours - (gone >> 4 * partner & 15)
    if excess <= 0:
        return True
    if parts == 1:
        return False
    if part == LATER:
        return excess <= popcount(tops[partner] >> index + 1)
    return excess <= theirs


@kernel
def _pass_on(node: int, part: int, parts: int, cards: int, reach: Any, best: Any) -> None:
    """Add passing further cards and resets to what can be done at once; store the rest.

    With `stock_top` (two parts) a passed card may have left with another stock card.
    """
    for passed in range(cards - 1, -1, -1):
        following = best[ON, passed + 1]
        if parts == 2:
            following = min(following, best[OFF, passed + 1])
        best[ON, passed] = min(best[ON, passed], following)
        best[OFF, passed] = min(best[OFF, passed], following)
    again = np.int64(best[ON, 0] if part == LATER else reach[LATER, ON, node, 0])
    again = min(again + POSITIONS, UNREACHABLE)
    for layer in range(2):
        for passed in range(cards + 1):
            reach[part, layer, node, passed] = min(np.int64(best[layer, passed]), again)
            if parts == 1:
                reach[FIRST, layer, node, passed] = reach[part, layer, node, passed]
