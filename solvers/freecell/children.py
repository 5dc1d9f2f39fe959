"""The children that FreeCell's fast search tries: which moves, with their scores and hashes.

Owns the choice of moves and what each does to score, hash and masks. All computed from the
parent, without making the move. A child that lets a card go home is only marked as an event: its
score depends on what follows.

Runs go onto a card or, as far as the capacity allows, into an empty column; single cards into a
cell, but not the end of a longer run. Cells and empty columns are interchangeable: one of each
stands for all.
"""

from __future__ import annotations

from solvers.freecell.kernel import capacity_of
from solvers.freecell.layout import SAFE
from solvers.freecell.records import (
    CHILD_SIZE,
    CHILDREN,
    CODE_BASE,
    CODE_CELL,
    CODE_FIT,
    CODE_OTHER,
    EVENT,
    IN_CELL,
    ROWS,
    TO_CELL,
    TO_HOME,
    bad_weight,
    base_weight,
    byte_of,
    cell_rank_weight,
    code_hash,
    depth_weight,
    get_autoplay,
    get_hash,
    get_held,
    get_home,
    get_lengths,
    get_next,
    get_parents,
    get_place,
    get_runs,
    get_singles,
    get_slot,
    get_splits,
    get_suit_build,
    get_sums,
    get_supermove,
    get_tops,
    place_column,
    place_row,
    put_move_card,
    put_move_count,
    put_move_target,
    put_what_empty,
    set_child_cost,
    set_child_held,
    set_child_key,
    set_child_move,
    set_child_tops,
    set_child_what,
    slot_bad,
    slot_card,
    slot_cost,
    slot_lowest,
    slot_run,
    sums_bad,
    sums_cost,
    sums_depth,
)
from solvers.freecell.score import cell_rank_cost, cover_of, home_cost
from solvers.freecell.search_state import (
    KINGS,
    accepted,
    empty_columns,
    first_column,
    free_cells,
    safe_next,
)
from solvers.jit import inlined, kernel
from solvers.search.bits import lowest_bit, popcount, rank_of, suit_of


@inlined
def _put_child(
    arena: int, at: int, move: int, cost: int, key: int, tops: int, held: int, what: int
) -> None:
    """Write a child."""
    set_child_move(arena, at, move)
    set_child_cost(arena, at, cost)
    set_child_key(arena, at, key)
    set_child_tops(arena, at, tops)
    set_child_held(arena, at, held)
    set_child_what(arena, at, what)


@inlined
def _move(card: int, target: int, count: int) -> int:
    """Return a MOVE."""
    return put_move_card(card) | put_move_target(target) | put_move_count(count)


@inlined
def _send_home(arena: int, at: int, ready: int) -> int:
    """Write the children that send a card home; return where they end."""
    while ready != 0:
        _put_child(arena, at, _move(lowest_bit(ready), TO_HOME, 1), 0, 0, 0, 0, EVENT)
        at += CHILD_SIZE
        ready &= ready - 1
    return at


@inlined
def _leave_cells(arena: int, state: int, at: int, base: int) -> int:
    """Write the children that put a cell's card into an empty column, of which there is one."""
    tops = get_tops(arena, state)
    held = get_held(arena, state)
    spaces = empty_columns(get_lengths(arena, state))
    key = get_hash(arena, state)
    rest = held
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        cost = base - cell_rank_weight(arena, rank_of(card))
        cost += base_weight(arena) if card < KINGS else 0
        _put_child(
            arena,
            at,
            _move(card, first_column(spaces), 1),
            cost,
            key ^ code_hash(arena, card, CODE_CELL) ^ code_hash(arena, card, CODE_BASE),
            tops | (1 << card),
            held ^ (1 << card),
            put_what_empty(popcount(spaces) - 1),
        )
        at += CHILD_SIZE
    return at


@inlined
def _leave_columns(
    arena: int, state: int, at: int, base: int, bad: int, weights: int, going: int
) -> int:
    """Write the children that put cards of a column into a cell or an empty column."""
    tops = get_tops(arena, state)
    singles = get_singles(arena, state)
    held = get_held(arena, state)
    key = get_hash(arena, state)
    free = free_cells(arena, held)
    spaces = empty_columns(get_lengths(arena, state))
    empty = popcount(spaces)
    splits = get_splits(arena)
    to_cell = singles | (tops & splits)
    most = 0
    rest = to_cell if free > 0 else 0
    if empty > 0:
        most = capacity_of(free, empty - 1, get_supermove(arena))
        rest = tops
    space = first_column(spaces)
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        place = get_place(arena, state, card)
        row = place_row(place)
        value = get_slot(arena, state, place)
        run = slot_run(value)
        weight = byte_of(weights, place_column(place))
        gone = base - slot_cost(value)
        still_bad = bad - slot_bad(value)
        if free > 0:
            # Branch-free: always write the child, advance `at` only if the move is allowed.
            below = 0
            beneath = 0
            code = CODE_BASE
            if row > 0:
                below = get_slot(arena, state, place - 1)
                beneath = 1
                code = CODE_OTHER if run == 1 else CODE_FIT + suit_of(slot_card(below))
            exposed = beneath << slot_card(below)
            new_bad = still_bad + slot_bad(below)
            new_empty = empty + 1 - beneath
            event = EVENT if exposed & going != 0 or new_bad < free + new_empty else 0
            cost = gone + slot_cost(below) - weight
            cost += cell_rank_weight(arena, rank_of(card))
            _put_child(
                arena,
                at,
                _move(card, TO_CELL, 1),
                cost,
                key ^ code_hash(arena, card, code) ^ code_hash(arena, card, CODE_CELL),
                (tops ^ (1 << card)) | exposed,
                held | (1 << card),
                put_what_empty(new_empty) | event,
            )
            at += ((to_cell >> card) & 1) * CHILD_SIZE
        if empty == 0 or (splits == 0 and run > row):
            continue
        # A whole column would only change its place.
        largest = min(min(run, most), row)
        for count in range(1 if splits != 0 else largest, largest + 1):
            bottom = slot_card(get_slot(arena, state, place - (count - 1)))
            below = get_slot(arena, state, place - count)
            exposed = 1 << slot_card(below)
            new_bad = still_bad + slot_bad(below)
            event = EVENT if exposed & going != 0 or new_bad < free + empty else 0
            cost = gone + slot_cost(below) - weight * count
            cost += base_weight(arena) if bottom < KINGS else 0
            code = CODE_OTHER if count == run else CODE_FIT + suit_of(slot_card(below))
            _put_child(
                arena,
                at,
                _move(bottom, space, count),
                cost,
                key ^ code_hash(arena, bottom, code) ^ code_hash(arena, bottom, CODE_BASE),
                tops | exposed,
                held,
                put_what_empty(empty - 1) | event,
            )
            at += CHILD_SIZE
    return at


@inlined
def _build(arena: int, state: int, at: int, base: int, bad: int, weights: int, going: int) -> int:
    """Write the children that put a cell's card or a run onto a card."""
    tops = get_tops(arena, state)
    held = get_held(arena, state)
    lengths = get_lengths(arena, state)
    key = get_hash(arena, state)
    free = free_cells(arena, held)
    empty = popcount(empty_columns(lengths))
    most = capacity_of(free, empty, get_supermove(arena))
    rest = get_runs(arena, state) | held
    rest &= accepted(tops, get_suit_build(arena))
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        place = get_place(arena, state, card)
        # 1. What the cards leave.
        if place == IN_CELL:
            count = 1
            gone = base - cell_rank_weight(arena, rank_of(card))
            still_bad = bad
            new_tops = tops | (1 << card)
            new_held = held ^ (1 << card)
            new_empty = empty
            new_places = free + empty + 1
            exposed = 0
            hashed = key ^ code_hash(arena, card, CODE_CELL)
        else:
            row = place_row(place)
            count = byte_of(lengths, place_column(place)) - row
            if count > most:
                continue
            value = get_slot(arena, state, place + (count - 1))
            weight = byte_of(weights, place_column(place))
            gone = base - slot_cost(value) - weight * count
            still_bad = bad - slot_bad(value)
            new_tops = tops
            new_held = held
            if row > 0:
                below = get_slot(arena, state, place - 1)
                exposed = 1 << slot_card(below)
                new_tops |= exposed
                gone += slot_cost(below)
                still_bad += slot_bad(below)
                new_empty = empty
                new_places = free + empty
                code = CODE_FIT + suit_of(slot_card(below))
                if slot_run(get_slot(arena, state, place)) == 1:
                    code = CODE_OTHER
            else:
                exposed = 0
                new_empty = empty + 1
                new_places = free + empty + 1
                code = CODE_BASE
            hashed = key ^ code_hash(arena, card, code)
        # 2. Where they go: onto one of two cards at the most.
        rank = rank_of(card)
        onto = get_parents(arena, card) & tops
        while onto != 0:
            under = lowest_bit(onto)
            onto &= onto - 1
            target = get_place(arena, state, under)
            if place_row(target) + count >= ROWS:
                continue
            lowest = slot_lowest(get_slot(arena, state, target))
            worse = max(rank - max(lowest, rank - count), 0)
            weight = byte_of(weights, place_column(target))
            cost = gone + weight * count
            cost += worse * bad_weight(arena, lowest)
            event = 0
            if exposed & going != 0 or still_bad + worse <= new_places:
                event = EVENT
            _put_child(
                arena,
                at,
                _move(card, place_column(target), count),
                cost,
                hashed ^ code_hash(arena, card, CODE_FIT + suit_of(under)),
                new_tops ^ (1 << under),
                new_held,
                put_what_empty(new_empty) | event,
            )
            at += CHILD_SIZE
    return at


@kernel
def propose(arena: int, state: int) -> int:
    """Write the children of a state to CHILDREN; return where they end."""
    held = get_held(arena, state)
    sums = get_sums(arena, state)
    going = get_next(arena, state)
    at = CHILDREN
    # Under safe autoplay a next-needed card may stay: then it is no event.
    if get_autoplay(arena) == SAFE:
        at = _send_home(arena, at, going & (get_tops(arena, state) | held))
        going = safe_next(get_home(arena, state), going, get_suit_build(arena))
    cover, weights = cover_of(arena, state)
    base = (
        home_cost(arena, state)
        + cover
        + sums_cost(sums)
        + (sums_depth(sums) + 1) * depth_weight(arena)
        + cell_rank_cost(arena, held)
    )
    bad = sums_bad(sums)
    if empty_columns(get_lengths(arena, state)) != 0:
        at = _leave_cells(arena, state, at, base)
    at = _leave_columns(arena, state, at, base, bad, weights, going)
    return _build(arena, state, at, base, bad, weights, going)
