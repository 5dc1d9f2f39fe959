"""The first stages over many positions in one call: the reserve bound, then rollouts.

They decide all but about 2 in 1,000 random deals. A deal, its rollouts and the replay of its
line take place without the interpreter. What is left over goes to `solver`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import kernel
from solvers.plot import bound as reserve_bound
from solvers.plot import kernel as game_rules
from solvers.plot import lines as line_writer
from solvers.plot import playout, rollout
from solvers.plot import search_state as at
from solvers.plot.layout import PACKED_SIZE, RULE_ISOLATION
from solvers.plot.schedule import ROLLOUTS, TEMPERATURES
from solvers.search.bits import mix, wrapping_add
from solvers.search.status import LOST, OPEN, OUT_OF_NODES, REJECTED, WON


@kernel
def _roll(arena: int, seed: int, max_nodes: int, spent: Any) -> int:
    """Roll until a win; return its moves, 0 for none.

    spent  int64[1]  in and out: moves made by all rollouts
    """
    for index in range(ROLLOUTS):
        left = max_nodes - spent[0]
        if left <= 0:
            return 0
        temperature = TEMPERATURES[(index - 1) % len(TEMPERATURES)] if index > 0 else 0
        moves = rollout.play(arena, at.ROOT, temperature, mix(wrapping_add(seed, index)), left)
        spent[0] += moves if moves >= 0 else -1 - moves
        if moves >= 0:
            return moves
    return 0


@kernel
def decide(
    arena: int,
    packed: Any,
    rules: Any,
    max_nodes: int,
    statuses: Any,
    nodes: Any,
    lengths: Any,
    lines: Any,
    offsets: Any,
) -> None:
    """Run the first stages over packed positions; replay every line found.

    arena      int                    address
    packed     uint8[n, PACKED_SIZE]  read only
    rules      int64[RULES_SIZE]
    max_nodes  int                    states expanded for a position at most
    statuses   int8[n]                out: OPEN, WON, LOST, OUT_OF_NODES or REJECTED
    nodes      int64[n]               out: states expanded
    lengths    int32[n]               out: moves of the line found
    lines      uint16[m]              out: all lines, one after another; empty to do without
    offsets    int64[n + 1]           out: line i is lines[offsets[i]:offsets[i + 1]]
    """
    bound = np.zeros(reserve_bound.BOUND_SIZE, np.int64)
    end = np.zeros(PACKED_SIZE, np.uint8)
    line = np.zeros(playout.MAX_LINE, np.uint16)
    spent = np.zeros(1, np.int64)
    offsets[0] = 0
    for row in range(len(packed)):
        lengths[row] = 0
        offsets[row + 1] = offsets[row]
        spent[0] = 0
        if not reserve_bound.build(packed[row], bound):
            statuses[row] = LOST
            nodes[row] = 1
            continue
        at.load_deal(arena, packed[row], bound, rules[RULE_ISOLATION])
        won = game_rules.is_won(packed[row])
        moves = 0 if won else _roll(arena, at.fingerprint(arena), max_nodes, spent)
        nodes[row] = max(spent[0], 1)
        if moves == 0 and not won:
            statuses[row] = OUT_OF_NODES if spent[0] >= max_nodes else OPEN
            continue
        end[:] = packed[row]
        line_writer.write_rollout(arena, end, at.ROOT, moves, line, np.int64(0))
        if not game_rules.wins(end, line[:moves], rules):
            statuses[row] = REJECTED
            continue
        statuses[row] = WON
        lengths[row] = moves
        if len(lines) > 0:
            last = offsets[row] + moves
            lines[offsets[row] : last] = line[:moves]
            offsets[row + 1] = last
