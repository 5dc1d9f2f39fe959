"""One beam over FreeCell's macro moves: layer after layer, the best states of each, to a short win.

Owns the loop over a layer and what is kept of it. Every state of a layer is as many macro moves
from the first one, so the first win is the shortest that this beam can find. What a state is worth
is in `score`; which beams run, and what their wins become, is `short`'s business. It may only find
wins: states are dropped.
"""

from __future__ import annotations

from typing import Any

from solvers.freecell.children import propose
from solvers.freecell.records import (
    BUCKETS,
    CHILD_SIZE,
    CHILDREN,
    DEEP_POOLS,
    STATE_SIZE,
    get_child_cost,
    get_child_held,
    get_child_key,
    get_child_move,
    get_child_tops,
    get_child_what,
    get_hash,
    get_held,
    get_next,
    get_state_cap,
    get_state_pool,
    get_suit_build,
    get_tops,
    state_at,
    what_empty,
    what_event,
)
from solvers.freecell.score import mask_cost, noise_of, score_of, soon_of
from solvers.freecell.search_state import load_state, macro_of, make_move
from solvers.jit import inlined, kernel
from solvers.search.arena import copy, fill32, load32, load64, store32, store64
from solvers.search.bits import shift_right
from solvers.search.record import Bits, Record
from solvers.search.status import DRY, OPEN, WON

#: Where the states of long searches are: a beam and they are never needed at once.
BEAM = Record(at=DEEP_POOLS)
_get_width, _set_width = BEAM.word("width", "states that a layer keeps at most")
_get_most, _set_most = BEAM.word("most", "macros that a win may have")
get_depth, _set_depth = BEAM.word("depth", "macros from the first state to the layer")
get_count, _set_count = BEAM.word("count", "states of the layer")
_get_candidates, _set_candidates = BEAM.word("candidates", "for the next layer so far")
_get_lowest, _set_lowest = BEAM.word("lowest", "the lowest bucket of a candidate")
_get_highest, _set_highest = BEAM.word("highest", "the highest bucket of a candidate")
_get_table_mask, _set_table_mask = BEAM.word("table_mask", "one less than the entries of the table")
_get_links, _set_links = BEAM.word("links", "where the links are: BACK, by layer and state")
_get_table, _set_table = BEAM.word("table", "where the table of kept positions is: 32-bit tags")
_get_states, _set_states = BEAM.word("states", "where two layers of states are, and one state more")
_get_last, _set_last = BEAM.word("last", "BACK of the win")
_get_head, _set_head = BEAM.array(32, BUCKETS, "heads", "newest candidate of a score, from 1")
_HEADS = BEAM.at("heads")
_CANDIDATES = BEAM.size(64)

#: A candidate: the hash of its position, and a CHILD.
_CANDIDATE_SIZE = 16
CHILD = Bits(64)
_child_link, _put_child_link = CHILD.field(24, "link", "the next candidate of its score; 0: none")
_child_parent, _put_child_parent = CHILD.field(18, "parent", "the state of the layer")
_child_move, _put_child_move = CHILD.field(22, "move", "the MOVE")
BACK = Bits(64)
_back_parent, _put_back_parent = BACK.field(18, "parent", "the state in the layer before")
_back_macro, _put_back_macro = BACK.field(16, "macro", "the macro that led here, as of `lines`")

#: Macros of a win at most: the longest near-optimal lines known have 51.
MAX_DEPTH = 128
#: Room for each state of a layer: candidates (the mean is below 8) and entries of the table.
_CANDIDATES_EACH, _ENTRIES_EACH = 16, 64
_PROBES = 16


@kernel
def _room_for(width: int) -> int:
    """Return where a beam of a width, a power of two, ends in the arena."""
    each = _CANDIDATE_SIZE * _CANDIDATES_EACH + 8 * MAX_DEPTH + 4 * _ENTRIES_EACH + 2 * STATE_SIZE
    return _CANDIDATES + width * each + STATE_SIZE


@kernel
def fits(arena: int, width: int) -> bool:
    """Tell whether the arena of long searches has room for a beam of a width."""
    return _room_for(width) <= state_at(get_state_pool(arena), get_state_cap(arena))


@kernel
def start(arena: int, width: int, most: int, packed: Any) -> bool:
    """Begin a beam from a position; False if it has too long a column.

    width   states of a layer, a power of two that `fits`
    most    macros that a win may have
    packed  uint8[PACKED_SIZE]
    """
    _set_width(arena, width)
    _set_most(arena, min(most, MAX_DEPTH))
    _set_depth(arena, 0)
    _set_count(arena, 1)
    _set_candidates(arena, 0)
    _set_lowest(arena, BUCKETS)
    _set_highest(arena, -1)
    _set_table_mask(arena, width * _ENTRIES_EACH - 1)
    links = _CANDIDATES + _CANDIDATE_SIZE * _CANDIDATES_EACH * width
    _set_links(arena, links)
    _set_table(arena, links + 8 * MAX_DEPTH * width)
    _set_states(arena, _get_table(arena) + 4 * _ENTRIES_EACH * width)
    fill32(arena, _HEADS, BUCKETS, 0)
    fill32(arena, _get_table(arena), width * _ENTRIES_EACH, 0)
    if not load_state(arena, _state(arena, 0, 0), packed):
        return False
    _is_new(arena, get_hash(arena, _state(arena, 0, 0)))
    return True


@inlined
def _state(arena: int, depth: int, index: int) -> int:
    """Return where a state of a layer is; layers take turns."""
    return state_at(_get_states(arena), (depth & 1) * _get_width(arena) + index)


@inlined
def _back_at(arena: int, depth: int, index: int) -> int:
    """Return where the BACK of a state is; the first layer has none."""
    return _get_links(arena) + 8 * ((depth - 1) * _get_width(arena) + index)


@inlined
def _is_new(arena: int, key: int) -> bool:
    """Note a position as kept; tell whether it was not. A full neighbourhood lets it through."""
    mask, table = _get_table_mask(arena), _get_table(arena)
    tag = shift_right(key, 32) | 1
    index = key & mask
    for _ in range(_PROBES):
        found = load32(arena, table + 4 * index)
        if found == tag:
            return False
        if found == 0:
            store32(arena, table + 4 * index, tag)
            return True
        index = (index + 1) & mask
    return True


@inlined
def _add(arena: int, score: int, key: int, parent: int, move: int) -> None:
    """Add a candidate for the next layer, if there is room."""
    index = _get_candidates(arena)
    if index >= _CANDIDATES_EACH * _get_width(arena):
        return
    _set_candidates(arena, index + 1)
    bucket = min(max(score, 0), BUCKETS - 1)
    _set_lowest(arena, min(_get_lowest(arena), bucket))
    _set_highest(arena, max(_get_highest(arena), bucket))
    at = _CANDIDATES + _CANDIDATE_SIZE * index
    link = _put_child_link(_get_head(arena, bucket))
    store64(arena, at, key)
    store64(arena, at + 8, link | _put_child_parent(parent) | _put_child_move(move))
    _set_head(arena, bucket, index + 1)


@kernel
def _expand(arena: int, index: int) -> bool:
    """Add the children of a state of the layer to the candidates; tell whether one is won."""
    depth = get_depth(arena)
    state = _state(arena, depth, index)
    end = propose(arena, state)
    soon = soon_of(get_next(arena, state))
    suit_build = get_suit_build(arena)
    # Where a win may have no more macros, only those that send cards home can be it.
    last = depth + 1 >= _get_most(arena)
    made = state_at(_get_states(arena), 2 * _get_width(arena))
    for at in range(CHILDREN, end, CHILD_SIZE):
        move, what = get_child_move(arena, at), get_child_what(arena, at)
        if what_event(what) != 0:
            copy(arena, state, made, STATE_SIZE)
            make_move(arena, made, move)
            if get_tops(arena, made) | get_held(arena, made) == 0:
                macro = macro_of(arena, state, move)
                _set_last(arena, _put_back_parent(index) | _put_back_macro(macro))
                return True
            if not last:
                _add(arena, score_of(arena, made), get_hash(arena, made), index, move)
        elif not last:
            key = get_child_key(arena, at)
            tops, held = get_child_tops(arena, at), get_child_held(arena, at)
            cost = get_child_cost(arena, at) + noise_of(arena, key)
            cost += mask_cost(arena, tops, held, what_empty(what), soon, suit_build)
            _add(arena, cost, key, index, move)
    return False


@kernel
def _keep_best(arena: int) -> int:
    """Make the next layer of the best candidates, each position once; return how many there are."""
    width, depth = _get_width(arena), get_depth(arena)
    kept = 0
    for bucket in range(_get_lowest(arena), _get_highest(arena) + 1):
        index = _get_head(arena, bucket)
        _set_head(arena, bucket, 0)
        while index != 0 and kept < width:
            at = _CANDIDATES + _CANDIDATE_SIZE * (index - 1)
            child = load64(arena, at + 8)
            index = _child_link(child)
            if not _is_new(arena, load64(arena, at)):
                continue
            parent, move = _child_parent(child), _child_move(child)
            source, target = _state(arena, depth, parent), _state(arena, depth + 1, kept)
            macro = macro_of(arena, source, move)
            back = _put_back_parent(parent) | _put_back_macro(macro)
            store64(arena, _back_at(arena, depth + 1, kept), back)
            copy(arena, source, target, STATE_SIZE)
            make_move(arena, target, move)
            kept += 1
    _set_candidates(arena, 0)
    _set_lowest(arena, BUCKETS)
    _set_highest(arena, -1)
    return kept


@kernel
def run_layer(arena: int) -> int:
    """Expand the layer and make the next one; return OPEN, WON, or DRY when there is no more."""
    for index in range(get_count(arena)):
        if _expand(arena, index):
            return WON
    if get_depth(arena) + 1 >= _get_most(arena):
        return DRY
    count = _keep_best(arena)
    _set_depth(arena, get_depth(arena) + 1)
    _set_count(arena, count)
    return OPEN if count > 0 else DRY


@kernel
def read_way(arena: int, macros: Any) -> int:
    """Write the macros that lead to the win, which has been found; return how many.

    macros  int64[MAX_DEPTH]  out, as `lines` reads them
    """
    depth = get_depth(arena)
    back = _get_last(arena)
    for layer in range(depth, 0, -1):
        macros[layer] = _back_macro(back)
        back = load64(arena, _back_at(arena, layer, _back_parent(back)))
    macros[0] = _back_macro(back)
    return depth + 1
