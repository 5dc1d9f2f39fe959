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
    CH_CELLS,
    CH_COST,
    CH_KEY,
    CH_MOVE,
    CH_TOPS,
    CH_WHAT,
    CHILD_EVENT,
    CHILD_SIZE,
    CHILDREN,
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
    SINGLES,
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


@kernel
def _cover(arena: int, state: int) -> Any:
    """Return what lies over the next-needed cards: its cost, and the weight of one card more.

    The second is eight bytes, one a column.
    """
    home = load32(arena, state + HOME)
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
    home = load32(arena, state + HOME)
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


@inlined
def _put_child(
    arena: int, at: int, move: int, cost: int, key: int, tops: int, cells: int, what: int
) -> None:
    """Write a child."""
    store64(arena, at + CH_MOVE, move)
    store64(arena, at + CH_COST, cost)
    store64(arena, at + CH_KEY, key)
    store64(arena, at + CH_TOPS, tops)
    store64(arena, at + CH_CELLS, cells)
    store64(arena, at + CH_WHAT, what)


@inlined
def _code(arena: int, card: int, code: int) -> int:
    """Return the hash of a card over what a code says."""
    return load64(arena, ZOBRIST + 64 * card + 8 * code)


@kernel
def _propose(arena: int, state: int) -> int:
    """Write the children of a state to CHILDREN; return where they end.

    Runs go onto a card or, as far as the capacity allows, into an empty column; single cards
    into a cell, but not the end of a longer run. Cells and empty columns are interchangeable:
    one of each stands for all.
    """
    tops = load64(arena, state + TOPS)
    cells = load64(arena, state + CELLS)
    lengths = load64(arena, state + LENGTHS)
    upcoming = load64(arena, state + NEXT)
    key = load64(arena, state + HASH)
    sums = load64(arena, state + SUMS)
    rule = load64(arena, RULES + 8 * R_SUPERMOVE)
    free = load64(arena, RULES + 8 * R_CELLS) - popcount(cells)
    spaces = empty_columns(lengths)
    empty = popcount(spaces)
    places = free + empty
    at = CHILDREN
    # Under safe autoplay a next-needed card may stay: then it is no event.
    going = upcoming
    if load64(arena, CONFIG + 8 * AUTOPLAY) == SAFE:
        going = safe_next(load32(arena, state + HOME), upcoming, load64(arena, RULES + 8 * R_SUIT))
        ready = upcoming & (tops | cells)
        while ready != 0:
            move = lowest_bit(ready) | (TO_HOME << 6) | (1 << 10)
            _put_child(arena, at, move, 0, 0, 0, 0, CHILD_EVENT)
            at += CHILD_SIZE
            ready &= ready - 1
    cover, weights = _cover(arena, state)
    base = (
        _home_cost(arena, state)
        + cover
        + (sums & 0xFFFF)
        + ((sums >> 32) + 1) * load64(arena, CONFIG + 8 * W_DEPTH)
        + _cell_rank_cost(arena, cells)
    )
    bad = (sums >> 16) & 255
    base_cost = load64(arena, CONFIG + 8 * W_BASE)
    space = lowest_bit(spaces) >> 3
    most = 0
    if empty > 0:
        most = capacity_of(free, empty - 1, rule)
        rest = cells
        while rest != 0:
            card = lowest_bit(rest)
            rest &= rest - 1
            cost = base - load64(arena, CONFIG + 8 * (W_CELL_RANK + (card >> 2)))
            cost += base_cost if card < 48 else 0
            hashed = key ^ _code(arena, card, CODE_CELL) ^ _code(arena, card, CODE_BASE)
            _put_child(
                arena,
                at,
                card | (space << 6) | (1 << 10),
                cost,
                hashed,
                tops | (1 << card),
                cells ^ (1 << card),
                empty - 1,
            )
            at += CHILD_SIZE
    singles = load64(arena, state + SINGLES)
    rest = tops if empty > 0 else singles
    if places == 0:
        rest = 0
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        position = load8(arena, state + POSITION + card)
        row = position & 15
        slot = state + 64 * (position >> 4) + 4 * row
        value = load32(arena, slot)
        run = (value >> 6) & 15
        weight = (weights >> (8 * (position >> 4))) & 255
        gone = base - (value >> 20)
        still_bad = bad - ((value >> 14) & 63)
        if free > 0:
            # Written always and counted where it holds: a branch here is hard to foretell.
            below = 0
            beneath = 0
            code = CODE_BASE
            if row > 0:
                below = load32(arena, slot - 4)
                beneath = 1
                code = CODE_OTHER
            exposed = beneath << (below & 63)
            new_bad = still_bad + ((below >> 14) & 63)
            new_empty = empty + 1 - beneath
            event = CHILD_EVENT if exposed & going != 0 or new_bad < free + new_empty else 0
            cost = gone + (below >> 20) - weight
            cost += load64(arena, CONFIG + 8 * (W_CELL_RANK + (card >> 2)))
            _put_child(
                arena,
                at,
                card | (TO_CELL << 6) | (1 << 10),
                cost,
                key ^ _code(arena, card, code) ^ _code(arena, card, CODE_CELL),
                (tops ^ (1 << card)) | exposed,
                cells | (1 << card),
                new_empty | event,
            )
            at += ((singles >> card) & 1) * CHILD_SIZE
        if empty > 0 and run <= row:
            count = min(run, most)
            slot -= 4 * (count - 1)
            bottom = load32(arena, slot) & 63
            below = load32(arena, slot - 4)
            exposed = 1 << (below & 63)
            new_bad = still_bad + ((below >> 14) & 63)
            event = CHILD_EVENT if exposed & going != 0 or new_bad < places else 0
            cost = gone + (below >> 20) - weight * count
            cost += base_cost if bottom < 48 else 0
            code = CODE_OTHER if count == run else CODE_FIT + (below & 3)
            _put_child(
                arena,
                at,
                bottom | (space << 6) | (count << 10),
                cost,
                key ^ _code(arena, bottom, code) ^ _code(arena, bottom, CODE_BASE),
                tops | exposed,
                cells,
                (empty - 1) | event,
            )
            at += CHILD_SIZE
    most = capacity_of(free, empty, rule)
    suit = load64(arena, RULES + 8 * R_SUIT)
    rest = (load64(arena, state + RUNS) | cells) & accepted(tops, suit)
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        position = load8(arena, state + POSITION + card)
        if position == IN_CELL:
            count = 1
            gone = base - load64(arena, CONFIG + 8 * (W_CELL_RANK + (card >> 2)))
            still_bad = bad
            new_tops = tops | (1 << card)
            new_cells = cells ^ (1 << card)
            new_empty = empty
            new_places = places + 1
            exposed = 0
            hashed = key ^ _code(arena, card, CODE_CELL)
        else:
            row = position & 15
            count = ((lengths >> (8 * (position >> 4))) & 255) - row
            if count > most:
                continue
            slot = state + 64 * (position >> 4) + 4 * row
            value = load32(arena, slot + 4 * (count - 1))
            weight = (weights >> (8 * (position >> 4))) & 255
            gone = base - (value >> 20) - weight * count
            still_bad = bad - ((value >> 14) & 63)
            new_tops = tops
            new_cells = cells
            if row > 0:
                below = load32(arena, slot - 4)
                exposed = 1 << (below & 63)
                new_tops |= exposed
                gone += below >> 20
                still_bad += (below >> 14) & 63
                new_empty = empty
                new_places = places
                code = CODE_FIT + (below & 3)
                if (load32(arena, slot) >> 6) & 15 == 1:
                    code = CODE_OTHER
            else:
                exposed = 0
                new_empty = empty + 1
                new_places = places + 1
                code = CODE_BASE
            hashed = key ^ _code(arena, card, code)
        rank = card >> 2
        onto = load64(arena, PARENTS + 8 * card) & tops
        while onto != 0:
            under = lowest_bit(onto)
            onto &= onto - 1
            place = load8(arena, state + POSITION + under)
            if (place & 15) + count >= ROWS:
                continue
            value = load32(arena, state + 64 * (place >> 4) + 4 * (place & 15))
            lowest = (value >> 10) & 15
            worse = max(rank - max(lowest, rank - count), 0)
            weight = (weights >> (8 * (place >> 4))) & 255
            cost = gone + weight * count
            cost += worse * load64(arena, CONFIG + 8 * (W_BAD + lowest))
            event = 0
            if exposed & going != 0 or still_bad + worse <= new_places:
                event = CHILD_EVENT
            _put_child(
                arena,
                at,
                card | ((place >> 4) << 6) | (count << 10),
                cost,
                hashed ^ _code(arena, card, CODE_FIT + (under & 3)),
                new_tops ^ (1 << under),
                new_cells,
                new_empty | event,
            )
            at += CHILD_SIZE
    return at


@kernel
def _expand(arena: int, parent: int) -> int:
    """Score the children of a state and queue the new ones.

    Returns -1, or the index of a won child, or -2 when a pool is full.
    """
    pool = load64(arena, COUNTERS + 8 * C_STATE_POOL)
    state = pool + STATE_SIZE * parent
    end = _propose(arena, state)
    soon = _soon(load64(arena, state + NEXT))
    suit = load64(arena, RULES + 8 * R_SUIT)
    for at in range(CHILDREN, end, CHILD_SIZE):
        move = load64(arena, at + CH_MOVE)
        what = load64(arena, at + CH_WHAT)
        # A child that sends cards home, or that is won, is made now.
        if what & CHILD_EVENT != 0:
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
        # Any other is queued as its parent and its move.
        key = load64(arena, at + CH_KEY)
        if _visit(arena, key) != 0:
            cost = load64(arena, at + CH_COST) + _noise(arena, key)
            tops = load64(arena, at + CH_TOPS)
            cells = load64(arena, at + CH_CELLS)
            cost += _mask_cost(arena, tops, cells, what, soon, suit)
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
