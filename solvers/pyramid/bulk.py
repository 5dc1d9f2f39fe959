"""Positions in bulk: the exact test by pair needs, and a line from its pairs.

What this leaves open, under limited redeals or for the goal `all`, is for the searches, which
look at one position at a time: see `solver`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import kernel
from solvers.pyramid import proof
from solvers.pyramid.fields import pyramid_of
from solvers.pyramid.kernel import CARD_CODES, is_won, wins
from solvers.pyramid.lines import LINE_ROOM, write_line
from solvers.pyramid.ranks import get_all_cards, get_exact, needs_of, set_rules, sort_cards
from solvers.search.status import LOST, OPEN, REJECTED, WON


@kernel
def decide(
    arena: int, packed: Any, rules: Any, max_nodes: int, first: int, rows: Any, keep: bool
) -> int:
    """Decide positions from row `first` on by pair needs; return the row after the last one.

    A position is WON when it is won already, or when the line that its pairs give was replayed;
    LOST; or OPEN when the test does not decide it. Stops early when `rows.lines` lacks room.

    arena   int                     address
    packed  uint8[n, PACKED_SIZE]   read only
    rules   int64[RULES_SIZE]       the profile
    rows    search.solver.Rows      out, from row `first` on
    keep    bool                    whether lines are kept; else `rows.lines` is work space
    """
    where = np.empty(CARD_CODES, np.uint8)
    statuses, nodes, lengths, lines, offsets = rows
    set_rules(arena, rules)
    row, at = first, offsets[first]
    while row < len(packed) and at + LINE_ROOM <= len(lines):
        end = at
        statuses[row], nodes[row] = _test(arena, packed[row], rules, max_nodes)
        if statuses[row] == OPEN and get_all_cards(arena) == 0:
            end = write_line(arena, packed[row], proof.find_pairs(arena), lines, at)
            if end >= 0:
                won = wins(packed[row], where, rules, lines, at, end)
                statuses[row] = WON if won else REJECTED
        lengths[row] = max(end - at, 0)
        row += 1
        if keep and end >= 0:
            at = end
        offsets[row] = at
    return row


@kernel
def _test(arena: int, packed: Any, rules: Any, max_nodes: int) -> Any:
    """Apply the exact test to a position; return its status and the states expanded.

    OPEN says that every class finds its pairs.
    """
    if is_won(packed, rules):
        return WON, 0
    sort_cards(arena, packed)
    needs = needs_of(arena, get_exact(arena) != 0)
    if needs < 0:
        return LOST, 1
    status, spent = proof.decide(arena, pyramid_of(packed), needs, max_nodes)
    return OPEN if status == WON else status, spent
