"""The children that FreeCell's fast search tries: which moves, with their scores and hashes.

Owns the choice of moves and what each does to score, hash and masks, all told from the parent's
masks and slots without making the move. A child that lets a card go home is only marked as an
event: its score depends on what follows.

Runs go onto a card or, as far as the capacity allows, into an empty column; single cards into a
cell, but not the end of a longer run. Cells and empty columns are interchangeable: one of each
stands for all.
"""

from __future__ import annotations

from solvers.freecell.kernel import capacity_of
from solvers.freecell.layout import SAFE
from solvers.freecell.score import cell_rank_cost, cover_of, home_cost
from solvers.freecell.search_state import (
    AUTOPLAY,
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
    HASH,
    HOME,
    IN_CELL,
    LENGTHS,
    NEXT,
    PARENTS,
    POSITION,
    R_CELLS,
    R_SUIT,
    R_SUPERMOVE,
    ROWS,
    RULES,
    RUNS,
    SINGLES,
    SPLITS,
    SUMS,
    TO_CELL,
    TO_HOME,
    TOPS,
    W_BAD,
    W_BASE,
    W_CELL_RANK,
    W_DEPTH,
    ZOBRIST,
    accepted,
    empty_columns,
    safe_next,
)
from solvers.jit import inlined, kernel
from solvers.search.arena import load8, load32, load64, store64
from solvers.search.bits import lowest_bit, popcount


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


@inlined
def _send_home(arena: int, at: int, ready: int) -> int:
    """Write the children that send a card home; return where they end."""
    while ready != 0:
        move = lowest_bit(ready) | (TO_HOME << 6) | (1 << 10)
        _put_child(arena, at, move, 0, 0, 0, 0, CHILD_EVENT)
        at += CHILD_SIZE
        ready &= ready - 1
    return at


@inlined
def _leave_cells(arena: int, state: int, at: int, base: int) -> int:
    """Write the children that put a cell's card into an empty column, of which there is one."""
    tops = load64(arena, state + TOPS)
    cells = load64(arena, state + CELLS)
    spaces = empty_columns(load64(arena, state + LENGTHS))
    key = load64(arena, state + HASH)
    space = lowest_bit(spaces) >> 3
    rest = cells
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        cost = base - load64(arena, CONFIG + 8 * (W_CELL_RANK + (card >> 2)))
        cost += load64(arena, CONFIG + 8 * W_BASE) if card < 48 else 0
        _put_child(
            arena,
            at,
            card | (space << 6) | (1 << 10),
            cost,
            key ^ _code(arena, card, CODE_CELL) ^ _code(arena, card, CODE_BASE),
            tops | (1 << card),
            cells ^ (1 << card),
            popcount(spaces) - 1,
        )
        at += CHILD_SIZE
    return at


@inlined
def _leave_columns(
    arena: int, state: int, at: int, base: int, bad: int, weights: int, going: int
) -> int:
    """Write the children that put cards of a column into a cell or an empty column."""
    tops = load64(arena, state + TOPS)
    singles = load64(arena, state + SINGLES)
    cells = load64(arena, state + CELLS)
    key = load64(arena, state + HASH)
    free = load64(arena, RULES + 8 * R_CELLS) - popcount(cells)
    spaces = empty_columns(load64(arena, state + LENGTHS))
    empty = popcount(spaces)
    splits = load64(arena, CONFIG + 8 * SPLITS)
    to_cell = singles | (tops & splits)
    most = 0
    rest = to_cell if free > 0 else 0
    if empty > 0:
        most = capacity_of(free, empty - 1, load64(arena, RULES + 8 * R_SUPERMOVE))
        rest = tops
    space = lowest_bit(spaces) >> 3
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
                code = CODE_OTHER if run == 1 else CODE_FIT + (below & 3)
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
            at += ((to_cell >> card) & 1) * CHILD_SIZE
        if empty == 0 or (splits == 0 and run > row):
            continue
        # A whole column would only change its place.
        largest = min(min(run, most), row)
        for count in range(1 if splits != 0 else largest, largest + 1):
            first = slot - 4 * (count - 1)
            bottom = load32(arena, first) & 63
            below = load32(arena, first - 4)
            exposed = 1 << (below & 63)
            new_bad = still_bad + ((below >> 14) & 63)
            event = CHILD_EVENT if exposed & going != 0 or new_bad < free + empty else 0
            cost = gone + (below >> 20) - weight * count
            cost += load64(arena, CONFIG + 8 * W_BASE) if bottom < 48 else 0
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
    return at


@inlined
def _build(arena: int, state: int, at: int, base: int, bad: int, weights: int, going: int) -> int:
    """Write the children that put a cell's card or a run onto a card."""
    tops = load64(arena, state + TOPS)
    cells = load64(arena, state + CELLS)
    lengths = load64(arena, state + LENGTHS)
    key = load64(arena, state + HASH)
    free = load64(arena, RULES + 8 * R_CELLS) - popcount(cells)
    empty = popcount(empty_columns(lengths))
    most = capacity_of(free, empty, load64(arena, RULES + 8 * R_SUPERMOVE))
    rest = load64(arena, state + RUNS) | cells
    rest &= accepted(tops, load64(arena, RULES + 8 * R_SUIT))
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        position = load8(arena, state + POSITION + card)
        # 1. What the cards leave.
        if position == IN_CELL:
            count = 1
            gone = base - load64(arena, CONFIG + 8 * (W_CELL_RANK + (card >> 2)))
            still_bad = bad
            new_tops = tops | (1 << card)
            new_cells = cells ^ (1 << card)
            new_empty = empty
            new_places = free + empty + 1
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
                new_places = free + empty
                code = CODE_FIT + (below & 3)
                if (load32(arena, slot) >> 6) & 15 == 1:
                    code = CODE_OTHER
            else:
                exposed = 0
                new_empty = empty + 1
                new_places = free + empty + 1
                code = CODE_BASE
            hashed = key ^ _code(arena, card, code)
        # 2. Where they go: onto one of two cards at the most.
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
def propose(arena: int, state: int) -> int:
    """Write the children of a state to CHILDREN; return where they end."""
    tops = load64(arena, state + TOPS)
    cells = load64(arena, state + CELLS)
    sums = load64(arena, state + SUMS)
    going = load64(arena, state + NEXT)
    at = CHILDREN
    # Under safe autoplay a next-needed card may stay: then it is no event.
    if load64(arena, CONFIG + 8 * AUTOPLAY) == SAFE:
        at = _send_home(arena, at, going & (tops | cells))
        suit = load64(arena, RULES + 8 * R_SUIT)
        going = safe_next(load32(arena, state + HOME), going, suit)
    cover, weights = cover_of(arena, state)
    base = (
        home_cost(arena, state)
        + cover
        + (sums & 0xFFFF)
        + ((sums >> 32) + 1) * load64(arena, CONFIG + 8 * W_DEPTH)
        + cell_rank_cost(arena, cells)
    )
    bad = (sums >> 16) & 255
    if empty_columns(load64(arena, state + LENGTHS)) != 0:
        at = _leave_cells(arena, state, at, base)
    at = _leave_columns(arena, state, at, base, bad, weights, going)
    return _build(arena, state, at, base, bad, weights, going)
