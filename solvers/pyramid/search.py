"""Decks in bulk: the exact test, and a line from its pairs.

What this leaves open, under limited redeals or for the goal `all`, is for `Search` in
`solver`, which looks at one deck at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import kernel
from solvers.pyramid import proof
from solvers.pyramid.kernel import locate, replay
from solvers.pyramid.layout import (
    FULL_PYRAMID,
    FULL_STOCK,
    PYRAMID,
    RULE_ALL,
    RULE_COVER,
    RULE_STOCK_TOP,
    STATE_SIZE,
    STOCK,
)
from solvers.pyramid.plan import LINE_ROOM, write_line

#: What is known about a deck.
OPEN, WON, LOST, OUT_OF_NODES, OUT_OF_MEMORY, REJECTED = range(6)


@kernel
def decide_decks(
    decks: Any,
    rules: Any,
    max_nodes: int,
    first: int,
    nodes: Any,
    stack: Any,
    index: Any,
    statuses: Any,
    expanded: Any,
    lengths: Any,
    line: Any,
    keep: bool,
    offsets: Any,
) -> int:
    """Decide decks from row `first` on by pair needs; return the row after the last one.

    A deck is WON when the line that its pairs give was replayed, LOST, or OPEN when the
    test does not decide it. Stops early when `line` lacks room.

    nodes, stack, index  from `proof.new_memory`
    statuses  int8[n]      out, as are
    expanded  int64[n]     states expanded
    lengths   int32[n]     moves, 0 unless WON
    line      uint16[m]    lines one after another if `keep`, else work space
    offsets   int64[n + 1] where each line begins
    """
    ranks, tops = np.zeros(16, np.int64), np.zeros(16, np.int64)
    rank_at = np.zeros(64, np.int64)
    found = np.zeros(proof.SCRATCH, np.int64)
    state = np.zeros(STATE_SIZE, np.int64)
    where = np.zeros(64, np.uint8)
    cover_pairs = rules[RULE_COVER] != 0
    all_cards = rules[RULE_ALL] != 0
    # Variables, since constants would compile everything below once more.
    pyramid, stock = np.int64(FULL_PYRAMID), np.int64(FULL_STOCK)
    row = first
    at = offsets[first]
    while row < len(decks) and at + LINE_ROOM <= len(line):
        deck = decks[row]
        statuses[row], expanded[row], lengths[row] = LOST, 1, 0
        proof.mask_ranks(deck, pyramid, stock, ranks, tops, rank_at)
        needs = proof.root_needs(ranks, tops, all_cards and rules[RULE_STOCK_TOP] == 0)
        if needs >= 0:
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
            if result == proof.OUT_OF_NODES:
                statuses[row] = OUT_OF_NODES
            elif result == proof.OUT_OF_MEMORY:
                statuses[row] = OUT_OF_MEMORY
            elif result == proof.WON and all_cards:
                statuses[row] = OPEN
            elif result == proof.WON:
                count = proof.solution_pairs(nodes, used, ranks, rank_at, found)
                state[:] = 0
                state[PYRAMID], state[STOCK] = pyramid, stock
                end = write_line(deck, rules, state, ranks, tops, rank_at, found, count, line, at)
                statuses[row] = OPEN
                if end >= 0:
                    locate(deck, where)
                    played = replay(where, rules, state, line, at, end)
                    won = played == end - at and state[PYRAMID] == 0
                    statuses[row] = WON if won else REJECTED
                    lengths[row] = end - at
                    if keep:
                        at = end
        row += 1
        offsets[row] = at
    return row


@kernel
def replay_decks(decks: Any, rules: Any, lines: Any, offsets: Any, wins: Any) -> None:
    """Tell for each deck whether its line wins it, every move legal and none after the win.

    lines  uint16[m], offsets  int64[n + 1]; any contents of `lines` are safe
    wins   bool[n]  out
    """
    where = np.zeros(64, np.uint8)
    state = np.zeros(STATE_SIZE, np.int64)
    for row in range(len(decks)):
        locate(decks[row], where)
        state[:] = 0
        state[PYRAMID], state[STOCK] = FULL_PYRAMID, FULL_STOCK
        first, last = offsets[row], offsets[row + 1]
        played = replay(where, rules, state, lines, first, last)
        wins[row] = (
            played == last - first
            and state[PYRAMID] == 0
            and (rules[RULE_ALL] == 0 or state[STOCK] == 0)
        )
