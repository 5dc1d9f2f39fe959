"""Positions in bulk: the exact test by pair needs, and a line from its pairs.

What this leaves open, under limited redeals or for the goal `all`, is for the searches, which
look at one position at a time: see `solver`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import kernel
from solvers.pyramid import proof
from solvers.pyramid.kernel import (
    CARD_CODES,
    pyramid_of,
    reaches_goal,
    stock_of,
    wins,
)
from solvers.pyramid.layout import RULE_ALL, RULE_COVER, RULE_STOCK_TOP
from solvers.pyramid.lines import LINE_ROOM, write_line
from solvers.search.status import LOST, OPEN, REJECTED, WON


@kernel
def decide(
    packed: Any,
    rules: Any,
    max_nodes: int,
    first: int,
    nodes: Any,
    stack: Any,
    index: Any,
    rows: Any,
    keep: bool,
) -> int:
    """Decide positions from row `first` on by pair needs; return the row after the last one.

    A position is WON when the line that its pairs give was replayed, LOST, or OPEN when the
    test does not decide it. Stops early when `rows.lines` lacks room.

    packed  uint8[n, PACKED_SIZE]  read only
    nodes, stack, index            from `proof.new_memory`
    rows    solver.Rows            out, from row `first` on
    keep    whether lines are kept; else `rows.lines` is work space
    """
    ranks, tops = np.zeros(16, np.int64), np.zeros(16, np.int64)
    rank_at = np.zeros(64, np.int64)
    found = np.zeros(proof.SCRATCH, np.int64)
    where = np.zeros(CARD_CODES, np.uint8)
    statuses, expanded, lengths, line, offsets = rows
    cover_pairs = rules[RULE_COVER] != 0
    all_cards = rules[RULE_ALL] != 0
    row = first
    at = offsets[first]
    while row < len(packed) and at + LINE_ROOM <= len(line):
        position = packed[row]
        pyramid, stock = pyramid_of(position), stock_of(position)
        statuses[row], expanded[row], lengths[row] = LOST, 1, 0
        proof.mask_ranks(position, pyramid, stock, ranks, tops, rank_at)
        needs = proof.root_needs(ranks, tops, all_cards and rules[RULE_STOCK_TOP] == 0)
        if reaches_goal(rules, pyramid, stock):
            statuses[row], expanded[row] = WON, 0
        elif needs >= 0:
            result, spent, used = proof.decide(
                pyramid,
                needs,
                ranks,
                rank_at,
                cover_pairs,
                max_nodes,
                nodes,
                stack,
                index,
            )
            expanded[row] = spent
            statuses[row] = OPEN if result == WON else result
            if result == WON and not all_cards:
                count = proof.solution_pairs(nodes, used, ranks, rank_at, found)
                end = write_line(position, rules, ranks, tops, rank_at, found, count, line, at)
                if end >= 0:
                    won = wins(position, where, rules, line, at, end)
                    statuses[row] = WON if won else REJECTED
                    lengths[row] = end - at
                    if keep:
                        at = end
        row += 1
        offsets[row] = at
    return row
