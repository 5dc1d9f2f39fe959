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
from solvers.plot import lines, rollout
from solvers.plot import search_state as at
from solvers.plot.layout import POSITION_SIZE
from solvers.search.arena import load64
from solvers.search.bits import hash_deck, mix

#: What the first stages say of a position.
OPEN, WON, LOST, OUT_OF_NODES, REJECTED = range(5)

#: Rollouts of a position. Of the winnable deals of 1..20,000 the first, without noise, wins
#: 96.7 % under classic and 97.3 % under pysol; 60 leave 23 and 3 open.
TRIES = 60
#: Temperatures of the noise of rollouts 1, 2, 3, ... in turn; 256 is one unit.
_TEMPERATURES = (40, 60, 80, 100)
_FINGERPRINT = 160


@kernel
def fingerprint(arena: int) -> int:
    """Hash what matters of the loaded position: the seed of all that is random about it.

    The bytes hashed by `hash_deck` are the reserve, the cards of waste and stock, and the pile
    words and counts of the root state. Suits, the order of the piles and the deal's number
    have no part in it.
    """
    data = np.zeros(_FINGERPRINT, np.uint8)
    count = 0
    for index in range(load64(arena, at.ROOT + at.RESERVES_LEFT)):
        data[count] = load64(arena, at.RESERVE_AT + at.WORD * index)
        count += 1
    cards = load64(arena, at.ROOT + at.STOCK_LEFT)
    data[count] = cards
    count += 1
    for rank in range(load64(arena, at.RANKS_AT)):
        cards += (load64(arena, at.ROOT + at.HISTOGRAM) >> (4 * rank)) & 15
    for number in range(cards):
        data[count] = at.stream_rank(arena, number)
        count += 1
    for word in range(at.STOCK_LEFT // at.WORD):
        code = load64(arena, at.ROOT + at.WORD * word)
        data[count] = code & 255
        count += 1
        if word < at.OUTS // at.WORD:
            data[count] = code >> 8
            count += 1
    return hash_deck(data[:count])


@kernel
def _temperature(index: int) -> int:
    """Return the temperature of a rollout: none for the first."""
    return 0 if index == 0 else _TEMPERATURES[(index - 1) & 3]


@kernel
def _roll(arena: int, seed: int, tries: int, max_nodes: int, spent: Any) -> int:
    """Roll until a win; return its moves, 0 for none.

    spent  int64[1]  in and out: moves made by all rollouts
    """
    for index in range(tries):
        left = max_nodes - spent[0]
        if left <= 0:
            return 0
        moves = rollout.play(arena, at.ROOT, _temperature(index), mix(seed + index), left)
        spent[0] += moves if moves >= 0 else -1 - moves
        if moves >= 0:
            return moves
    return 0


@kernel
def decide(
    arena: int,
    positions: Any,
    isolation: int,
    tries: int,
    max_nodes: int,
    statuses: Any,
    nodes: Any,
    lengths: Any,
    packed: Any,
    offsets: Any,
) -> None:
    """Run the first stages over packed positions; replay every line found.

    arena      int                       address
    positions  uint8[n, POSITION_SIZE]   read only
    isolation  int                       as in layout
    tries      int                       rollouts of a position at most
    max_nodes  int                       states expanded for a position at most
    statuses   int8[n]                   out: OPEN, WON, LOST, OUT_OF_NODES or REJECTED
    nodes      int64[n]                  out: states expanded
    lengths    int32[n]                  out: moves of the line found
    packed     uint16[m]                 out: all lines, one after another; empty to do without
    offsets    int64[n + 1]              out: line i is packed[offsets[i]:offsets[i + 1]]
    """
    bound = np.zeros(reserve_bound.BOUND_SIZE, np.int64)
    position = np.zeros(POSITION_SIZE, np.uint8)
    line = np.zeros(lines.MAX_LINE, np.uint16)
    spent = np.zeros(1, np.int64)
    offsets[0] = 0
    for row in range(len(positions)):
        lengths[row] = 0
        offsets[row + 1] = offsets[row]
        spent[0] = 0
        if not reserve_bound.build(positions[row], bound):
            statuses[row] = LOST
            nodes[row] = 1
            continue
        at.load_deal(arena, positions[row], bound, isolation)
        won = game_rules.is_won(positions[row])
        moves = 0 if won else _roll(arena, fingerprint(arena), tries, max_nodes, spent)
        nodes[row] = max(spent[0], 1)
        if moves == 0 and not won:
            statuses[row] = OUT_OF_NODES if spent[0] >= max_nodes else OPEN
            continue
        position[:] = positions[row]
        lines.write_rollout(arena, position, at.ROOT, moves, line, np.int64(0))
        fits = game_rules.replay(position, line[:moves], isolation) == moves
        if not (fits and game_rules.is_won(position)):
            statuses[row] = REJECTED
            continue
        statuses[row] = WON
        lengths[row] = moves
        if len(packed) > 0:
            end = offsets[row] + moves
            packed[offsets[row] : end] = line[:moves]
            offsets[row + 1] = end


@kernel
def deal_all(decks: Any, initial_waste: int, positions: Any) -> None:
    """Deal decks, `uint8[n, 104]`, into `uint8[n, POSITION_SIZE]`."""
    for row in range(len(decks)):
        game_rules.deal(decks[row], initial_waste, positions[row])
