"""FreeCell's fast search for a win: weighted best-first over macro moves.

Owns the moves that are tried, the score, the queue and the loop. It may only say `winnable`:
macro moves, forced autoplay, hashed visited positions and the row limit all lose positions,
so running dry proves nothing (that is `proof`'s work). Which weights run for how long is data
in `stages`.

Children are scored and hashed from the parent's masks and slots, without making the move;
only a child that lets a card go home is made at once, since its score depends on what follows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.freecell.kernel import SAFE, capacity_of
from solvers.freecell.search_state import (
    AUTOPLAY,
    BITMAP,
    BUCKETS,
    BUDGET,
    C_GENERATION,
    C_NODE_CAP,
    C_NODE_POOL,
    C_NODES,
    C_STATE_CAP,
    C_STATE_POOL,
    C_STATES,
    C_TABLE,
    C_TABLE_BITS,
    CELLS,
    CODE_BASE,
    CODE_CELL,
    CODE_FIT,
    CODE_OTHER,
    CONFIG,
    COUNTERS,
    HASH,
    HEADS,
    HOME,
    IN_CELL,
    LENGTHS,
    LINK,
    MOVES,
    NEXT,
    NO_NODE,
    NO_STATE,
    NOISE,
    PARENTS,
    POSITION,
    R_CELLS,
    R_SUIT,
    R_SUPERMOVE,
    ROWS,
    RULES,
    RUNS,
    SEED,
    STATE_SIZE,
    SUMMARY,
    SUMS,
    TO_CELL,
    TO_HOME,
    TOPS,
    W_ACCEPT,
    W_BAD,
    W_BASE,
    W_CELL,
    W_CELL_RANK,
    W_COVER,
    W_DEPTH,
    W_EMPTY,
    W_HOME,
    W_LOWEST,
    W_OFFSET,
    W_SOON,
    W_SPREAD,
    ZOBRIST,
    accepted,
    empty_columns,
    make_move,
    safe_next,
)
from solvers.jit import inlined, kernel
from solvers.search.arena import copy, fill32, load8, load32, load64, store32, store64
from solvers.search.bits import lowest_bit, mix, popcount

#: What a search returns beside its node count.
EXHAUSTED, OUT_OF_BUDGET, FOUND = 0, 1, 2


@inlined
def _visit(arena: int, key: int) -> int:
    """Note a position as visited; return 1 if it was new, 0 if it may be an old one.

    The table holds 12 bits of generation and 20 of the key; it is never cleared between
    searches, and a full neighbourhood lets a position through unseen.
    """
    bits = load64(arena, COUNTERS + 8 * C_TABLE_BITS)
    mask = (1 << bits) - 1
    table = load64(arena, COUNTERS + 8 * C_TABLE)
    entry = (load64(arena, COUNTERS + 8 * C_GENERATION) << 20) | ((key >> 40) & 0xFFFFF)
    generation = entry >> 20
    index = key & mask
    for _ in range(16):
        at = table + 4 * index
        found = load32(arena, at)
        if found >> 20 != generation:
            store32(arena, at, entry)
            return 1
        if found == entry:
            return 0
        index = (index + 1) & mask
    return 1


@inlined
def _push_node(arena: int, score: int, node: int) -> int:
    """Link a node into its score's bucket; return 0 if the pool is full.

    node  state << 22 | move << 42, where move 0 stands for the state itself
    """
    index = load64(arena, COUNTERS + 8 * C_NODES)
    if index >= load64(arena, COUNTERS + 8 * C_NODE_CAP):
        return 0
    store64(arena, COUNTERS + 8 * C_NODES, index + 1)
    bucket = min(max(score, 0), BUCKETS - 1)
    word = BITMAP + 8 * (bucket >> 6)
    bits = load64(arena, word)
    head = HEADS + 4 * bucket
    link = NO_NODE
    if (bits >> (bucket & 63)) & 1 != 0:
        link = load32(arena, head)
    else:
        store64(arena, word, bits | (1 << (bucket & 63)))
        store64(arena, SUMMARY, load64(arena, SUMMARY) | (1 << (bucket >> 6)))
    store32(arena, head, index)
    store64(arena, load64(arena, COUNTERS + 8 * C_NODE_POOL) + 8 * index, node | link)
    return 1


@inlined
def _pop_node(arena: int) -> int:
    """Unlink and return the newest node of the lowest bucket; -1 when none is left."""
    summary = load64(arena, SUMMARY)
    if summary == 0:
        return -1
    group = lowest_bit(summary)
    bits = load64(arena, BITMAP + 8 * group)
    bucket = (group << 6) + lowest_bit(bits)
    index = load32(arena, HEADS + 4 * bucket)
    node = load64(arena, load64(arena, COUNTERS + 8 * C_NODE_POOL) + 8 * index)
    link = node & NO_NODE
    if link == NO_NODE:
        bits &= bits - 1
        store64(arena, BITMAP + 8 * group, bits)
        if bits == 0:
            store64(arena, SUMMARY, summary & (summary - 1))
    else:
        store32(arena, HEADS + 4 * bucket, link)
    return node


@inlined
def _generate(arena: int, state: int) -> int:
    """Write the macro moves of a state to MOVES; return how many.

    Runs go onto a card or, as far as the capacity allows, into an empty column; single cards
    into a cell, but not the end of a longer run. Cells and empty columns are interchangeable:
    one of each stands for all.
    """
    tops = load64(arena, state + TOPS)
    cells = load64(arena, state + CELLS)
    lengths = load64(arena, state + LENGTHS)
    rule = load64(arena, RULES + 8 * R_SUPERMOVE)
    free = load64(arena, RULES + 8 * R_CELLS) - popcount(cells)
    spaces = empty_columns(lengths)
    empty = popcount(spaces)
    total = 0
    if load64(arena, CONFIG + 8 * AUTOPLAY) == SAFE:
        ready = load64(arena, state + NEXT) & (tops | cells)
        while ready != 0:
            store64(arena, MOVES + 8 * total, lowest_bit(ready) | (TO_HOME << 6) | (1 << 10))
            total += 1
            ready &= ready - 1
    if empty > 0:
        space = lowest_bit(spaces) >> 3
        most = capacity_of(free, empty - 1, rule)
        rest = cells
        while rest != 0:
            store64(arena, MOVES + 8 * total, lowest_bit(rest) | (space << 6) | (1 << 10))
            total += 1
            rest &= rest - 1
    else:
        space = 0
        most = 0
    rest = tops if free > 0 or empty > 0 else 0
    into_cell = 1 if free > 0 else 0
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        position = load8(arena, state + POSITION + card)
        row = position & 15
        slot = state + 64 * (position >> 4) + 4 * row
        run = (load32(arena, slot) >> 6) & 15
        # Written always and counted where it holds: a branch here is hard to foretell.
        store64(arena, MOVES + 8 * total, card | (TO_CELL << 6) | (1 << 10))
        total += (1 if run == 1 else 0) & into_cell
        if empty > 0 and run <= row:
            count = min(run, most)
            bottom = load32(arena, slot - 4 * (count - 1)) & 63
            store64(arena, MOVES + 8 * total, bottom | (space << 6) | (count << 10))
            total += 1
    most = capacity_of(free, empty, rule)
    suit = load64(arena, RULES + 8 * R_SUIT)
    rest = (load64(arena, state + RUNS) | cells) & accepted(tops, suit)
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        position = load8(arena, state + POSITION + card)
        count = 1
        if position != IN_CELL:
            count = ((lengths >> (8 * (position >> 4))) & 255) - (position & 15)
        if count <= most:
            onto = load64(arena, PARENTS + 8 * card) & tops
            while onto != 0:
                place = load8(arena, state + POSITION + lowest_bit(onto))
                onto &= onto - 1
                if (place & 15) + count < ROWS:
                    store64(arena, MOVES + 8 * total, card | ((place >> 4) << 6) | (count << 10))
                    total += 1
    return total


@kernel
def _cover(arena: int, state: int) -> Any:
    """Return what lies over the next-needed cards: its cost, and the weight of one card more.

    The second is eight bytes, one a column.
    """
    home = load64(arena, state + HOME)
    low = min(min(home & 255, (home >> 8) & 255), min((home >> 16) & 255, (home >> 24) & 255))
    lengths = load64(arena, state + LENGTHS)
    cost = 0
    weights = 0
    rest = load64(arena, state + NEXT)
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        position = load8(arena, state + POSITION + card)
        if position < IN_CELL:
            column = position >> 4
            weight = load64(arena, CONFIG + 8 * (W_COVER + min((card >> 2) - low, 3)))
            cost += weight * (((lengths >> (8 * column)) & 255) - 1 - (position & 15))
            weights += weight << (8 * column)
    return cost, weights


@kernel
def _home_cost(arena: int, state: int) -> int:
    """Return the part of the score that only foundation moves change."""
    home = load64(arena, state + HOME)
    clubs, diamonds = home & 255, (home >> 8) & 255
    hearts, spades = (home >> 16) & 255, (home >> 24) & 255
    low = min(min(clubs, diamonds), min(hearts, spades))
    high = max(max(clubs, diamonds), max(hearts, spades))
    return (
        load64(arena, CONFIG + 8 * W_OFFSET)
        - load64(arena, CONFIG + 8 * W_HOME) * (clubs + diamonds + hearts + spades)
        + load64(arena, CONFIG + 8 * W_SPREAD) * (high - low)
        - load64(arena, CONFIG + 8 * W_LOWEST) * low
    )


@inlined
def _soon(upcoming: int) -> int:
    """Return the cards within two ranks of their foundation."""
    return upcoming | (upcoming << 4) | (upcoming << 8)


@inlined
def _mask_cost(arena: int, tops: int, cells: int, empty: int, soon: int, suit: int) -> int:
    """Return the part of the score that follows from cells, empty columns and tops."""
    fitting = popcount((tops | cells) & accepted(tops, suit))
    return (
        load64(arena, CONFIG + 8 * (W_CELL + popcount(cells)))
        + load64(arena, CONFIG + 8 * (W_EMPTY + empty))
        - load64(arena, CONFIG + 8 * W_ACCEPT) * fitting
        - load64(arena, CONFIG + 8 * W_SOON) * popcount(cells & soon)
    )


@kernel
def _cell_rank_cost(arena: int, cells: int) -> int:
    """Return the cost of the ranks of the cards in cells."""
    cost = 0
    while cells != 0:
        cost += load64(arena, CONFIG + 8 * (W_CELL_RANK + (lowest_bit(cells) >> 2)))
        cells &= cells - 1
    return cost


@inlined
def _noise(arena: int, key: int) -> int:
    """Return the seeded disturbance of a score: 0 up to the NOISE mask."""
    mask = load64(arena, CONFIG + 8 * NOISE)
    if mask == 0:
        return 0
    return mix(key ^ load64(arena, CONFIG + 8 * SEED)) & mask


@kernel
def score_of(arena: int, state: int) -> int:
    """Return the score of a state from its parts; low is good."""
    sums = load64(arena, state + SUMS)
    cells = load64(arena, state + CELLS)
    cover, _ = _cover(arena, state)
    return (
        _home_cost(arena, state)
        + cover
        + (sums & 0xFFFF)
        + (sums >> 32) * load64(arena, CONFIG + 8 * W_DEPTH)
        + _cell_rank_cost(arena, cells)
        + _mask_cost(
            arena,
            load64(arena, state + TOPS),
            cells,
            popcount(empty_columns(load64(arena, state + LENGTHS))),
            _soon(load64(arena, state + NEXT)),
            load64(arena, RULES + 8 * R_SUIT),
        )
        + _noise(arena, load64(arena, state + HASH))
    )


@kernel
def is_sorted(arena: int, state: int) -> bool:
    """Tell whether there is a place for every bad card: then the state is won.

    A bad card lies over a lower one. The lowest card still in play is covered by bad cards
    alone; put each in a cell or an empty column, where it is bad no more, and the lowest goes
    home. So every bad card takes a place once at the most.
    """
    bad = (load64(arena, state + SUMS) >> 16) & 255
    free = load64(arena, RULES + 8 * R_CELLS) - popcount(load64(arena, state + CELLS))
    return bad <= free + popcount(empty_columns(load64(arena, state + LENGTHS)))


@kernel
def _new_state(arena: int, parent: int, move: int) -> int:
    """Make a move on a copy of a state; return the copy's index, -1 if the pool is full."""
    index = load64(arena, COUNTERS + 8 * C_STATES)
    if index >= load64(arena, COUNTERS + 8 * C_STATE_CAP):
        return -1
    store64(arena, COUNTERS + 8 * C_STATES, index + 1)
    pool = load64(arena, COUNTERS + 8 * C_STATE_POOL)
    state = pool + STATE_SIZE * index
    copy(arena, pool + STATE_SIZE * parent, state, STATE_SIZE)
    make_move(arena, state, move)
    store64(arena, state + LINK, parent | (move << 32))
    store64(arena, state + SUMS, load64(arena, state + SUMS) + (1 << 32))
    return index


@kernel
def _expand(arena: int, parent: int) -> int:
    """Score the children of a state and queue the new ones.

    Returns -1, or the index of a won child, or -2 when a pool is full.
    """
    pool = load64(arena, COUNTERS + 8 * C_STATE_POOL)
    state = pool + STATE_SIZE * parent
    total = _generate(arena, state)
    tops = load64(arena, state + TOPS)
    cells = load64(arena, state + CELLS)
    lengths = load64(arena, state + LENGTHS)
    upcoming = load64(arena, state + NEXT)
    key = load64(arena, state + HASH)
    sums = load64(arena, state + SUMS)
    suit = load64(arena, RULES + 8 * R_SUIT)
    free = load64(arena, RULES + 8 * R_CELLS) - popcount(cells)
    empty = popcount(empty_columns(lengths))
    soon = _soon(upcoming)
    # Under safe autoplay a next-needed card may stay: then it is no event.
    going = upcoming
    if load64(arena, CONFIG + 8 * AUTOPLAY) == SAFE:
        going = safe_next(load64(arena, state + HOME), upcoming, suit)
    cover, weights = _cover(arena, state)
    base = (
        _home_cost(arena, state)
        + cover
        + (sums & 0xFFFF)
        + ((sums >> 32) + 1) * load64(arena, CONFIG + 8 * W_DEPTH)
        + _cell_rank_cost(arena, cells)
    )
    bad = (sums >> 16) & 255
    for index in range(total):
        move = load64(arena, MOVES + 8 * index)
        card, target, count = move & 63, (move >> 6) & 15, move >> 10
        position = load8(arena, state + POSITION + card)
        new_tops, new_cells, new_empty, new_free = tops, cells, empty, free
        cost = base
        new_bad = bad
        exposed = 0
        # 1. What leaving changes.
        if position == IN_CELL:
            new_cells ^= 1 << card
            new_free += 1
            old_code = CODE_CELL
            top = card
            cost -= load64(arena, CONFIG + 8 * (W_CELL_RANK + (card >> 2)))
        else:
            column, row = position >> 4, position & 15
            slot = state + 64 * column + 4 * row
            last = load32(arena, slot + 4 * (count - 1))
            top = last & 63
            new_tops ^= 1 << top
            cost -= (last >> 20) + ((weights >> (8 * column)) & 255) * count
            new_bad -= (last >> 14) & 63
            if row > 0:
                below = load32(arena, slot - 4)
                exposed = 1 << (below & 63)
                new_tops |= exposed
                cost += below >> 20
                new_bad += (below >> 14) & 63
                if (load32(arena, slot) >> 6) & 15 == 1:
                    old_code = CODE_OTHER
                else:
                    old_code = CODE_FIT + (below & 3)
            else:
                new_empty += 1
                old_code = CODE_BASE
        # 2. What arriving changes.
        if target == TO_CELL:
            new_cells |= 1 << card
            new_free -= 1
            new_code = CODE_CELL
            cost += load64(arena, CONFIG + 8 * (W_CELL_RANK + (card >> 2)))
        elif target == TO_HOME:
            exposed = going
            new_code = CODE_CELL
        else:
            new_tops |= 1 << top
            length = (lengths >> (8 * target)) & 255
            if length == 0:
                new_empty -= 1
                new_code = CODE_BASE
                if card < 48:
                    cost += load64(arena, CONFIG + 8 * W_BASE)
            else:
                onto = load32(arena, state + 64 * target + 4 * (length - 1))
                new_tops ^= 1 << (onto & 63)
                new_code = CODE_FIT + (onto & 3)
                lowest = (onto >> 10) & 15
                worse = (card >> 2) - max(lowest, (card >> 2) - count)
                if worse > 0:
                    new_bad += worse
                    cost += worse * load64(arena, CONFIG + 8 * (W_BAD + lowest))
                cost += ((weights >> (8 * target)) & 255) * count
        # 3. A child that sends cards home, or that is won, is made now.
        if exposed & going != 0 or target == TO_HOME or new_bad <= new_free + new_empty:
            made = _new_state(arena, parent, move)
            if made < 0:
                return -2
            child = pool + STATE_SIZE * made
            if is_sorted(arena, child):
                return made
            if _visit(arena, load64(arena, child + HASH)) == 0:
                store64(arena, COUNTERS + 8 * C_STATES, made)
            elif _push_node(arena, score_of(arena, child), made << 22) == 0:
                return -2
            continue
        # 4. Any other is queued as its parent and its move.
        new_key = (
            key
            ^ load64(arena, ZOBRIST + 64 * card + 8 * old_code)
            ^ load64(arena, ZOBRIST + 64 * card + 8 * new_code)
        )
        if _visit(arena, new_key) != 0:
            cost += _mask_cost(arena, new_tops, new_cells, new_empty, soon, suit)
            cost += _noise(arena, new_key)
            if _push_node(arena, cost, (parent << 22) | (move << 42)) == 0:
                return -2
    return -1


@kernel
def best_first(arena: int) -> Any:
    """Search from state 0 by the configuration; return (status, nodes, index of a won state).

    State 0 is built and its autoplay is done. The status is FOUND, OUT_OF_BUDGET (of nodes, or
    of memory), or EXHAUSTED, which proves nothing.
    """
    _reset(arena)
    pool = load64(arena, COUNTERS + 8 * C_STATE_POOL)
    if is_sorted(arena, pool):
        return FOUND, 0, 0
    _visit(arena, load64(arena, pool + HASH))
    budget = load64(arena, CONFIG + 8 * BUDGET)
    current = np.int64(0)  # not a literal: those are compiled for separately
    for nodes in range(1, budget + 1):
        found = _expand(arena, current)
        if found >= 0:
            return FOUND, nodes, found
        if found == -2:
            return OUT_OF_BUDGET, nodes, 0
        node = _pop_node(arena)
        if node < 0:
            return EXHAUSTED, nodes, 0
        current = (node >> 22) & NO_STATE
        move = node >> 42
        if move != 0:
            current = _new_state(arena, current, move)
            if current < 0:
                return OUT_OF_BUDGET, nodes, 0
    return OUT_OF_BUDGET, budget, 0


@kernel
def _reset(arena: int) -> None:
    """Empty queue and pools but for state 0, and begin a new generation of visits."""
    store64(arena, SUMMARY, 0)
    for word in range(64):
        store64(arena, BITMAP + 8 * word, 0)
    store64(arena, COUNTERS + 8 * C_NODES, 0)
    store64(arena, COUNTERS + 8 * C_STATES, 1)
    generation = load64(arena, COUNTERS + 8 * C_GENERATION) + 1
    if generation == 4096:
        size = 1 << load64(arena, COUNTERS + 8 * C_TABLE_BITS)
        fill32(arena, load64(arena, COUNTERS + 8 * C_TABLE), size, 0)
        generation = 1
    store64(arena, COUNTERS + 8 * C_GENERATION, generation)
