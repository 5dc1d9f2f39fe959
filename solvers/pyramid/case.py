"""One position of a session on its way to a verdict: the exact test, then a search, in slices.

Owns that order, and how what they find becomes a line. Loops over states are in `proof` and `loop`.
"""

from __future__ import annotations

from typing import Any

from solvers.jit import inlined, kernel
from solvers.pyramid import loop, optimal, proof, search
from solvers.pyramid.block import (
    GRAPH,
    NEEDS,
    SEARCH,
    TEST,
    get_max_nodes,
    get_nodes,
    get_optimal,
    get_part,
    get_status,
    line_of,
    packed_of,
    rules_of,
    set_length,
    set_max_nodes,
    set_nodes,
    set_optimal,
    set_part,
    set_status,
)
from solvers.pyramid.fields import pyramid_of
from solvers.pyramid.kernel import is_won, wins
from solvers.pyramid.layout import PACKED_SIZE, RULES_SIZE
from solvers.pyramid.lines import write_line, write_path
from solvers.pyramid.ranks import get_all_cards, get_exact, needs_of, set_rules, sort_cards
from solvers.search.status import LOST, OPEN, OUT_OF_NODES, REJECTED, WON


@kernel
def play_by(session: int, rules: Any) -> None:
    """Take the rules of a profile, `int64[RULES_SIZE]`, for the positions to come."""
    own = rules_of(session)
    for option in range(RULES_SIZE):
        own[option] = rules[option]
    set_rules(session, own)


@kernel
def take_up(session: int, packed: Any, part: int, best: int, max_nodes: int, spent: int) -> None:
    """Take up a position.

    packed  uint8[PACKED_SIZE]
    part    what to begin with: NEEDS, or GRAPH where the exact test is known to leave it open
    best    1 where only the fewest moves will do
    spent   states that were expanded before, of `max_nodes`
    """
    own = packed_of(session)
    for byte in range(PACKED_SIZE):
        own[byte] = packed[byte]
    sort_cards(session, own)
    set_part(session, part)
    set_optimal(session, best)
    set_max_nodes(session, max_nodes)
    set_nodes(session, spent)
    set_length(session, 0)
    if is_won(own, rules_of(session)):
        set_status(session, WON)
    else:
        set_status(session, OPEN if spent < max_nodes else OUT_OF_NODES)


@kernel
def decide_on(session: int, most: int, end: int) -> int:
    """Go on by up to `most` states, until the part `end` is next; return the status."""
    nodes, max_nodes = get_nodes(session), get_max_nodes(session)
    status, stop = get_status(session), nodes + min(most, max_nodes - nodes)
    while status == OPEN and nodes < stop and get_part(session) < end:
        part = get_part(session)
        if part == NEEDS:
            status = _begin_test(session)
        elif part == TEST:
            status = _test(session, stop - nodes)
        elif part == GRAPH:
            status = loop.start(session, packed_of(session))
            set_part(session, SEARCH)
        else:
            status = _search(session, stop - nodes)
        nodes = get_nodes(session)
        if status == OPEN and nodes >= max_nodes:
            status = OUT_OF_NODES
    set_status(session, status)
    return status


@inlined
def _count(session: int, expanded: int) -> None:
    """Count states that were expanded."""
    set_nodes(session, get_nodes(session) + expanded)


@kernel
def _begin_test(session: int) -> int:
    """Begin the exact test; return OPEN, or LOST where that is plain at once."""
    needs = needs_of(session, get_exact(session) != 0)
    if needs < 0:
        _count(session, 1)
        return LOST
    proof.start(session, pyramid_of(packed_of(session)), needs)
    set_part(session, TEST)
    return OPEN


@kernel
def _test(session: int, most: int) -> int:
    """Go on with the exact test; return OPEN also when it passes and a search has to follow.

    None has to where the pairs that were found give a line within the redeals and any line will do.
    """
    status, expanded = proof.run(session, most)
    _count(session, expanded)
    if status != WON:
        return status
    set_part(session, GRAPH)
    if get_optimal(session) == 0 and get_all_cards(session) == 0:
        pairs = proof.find_pairs(session)
        length = write_line(session, packed_of(session), pairs, line_of(session))
        if length >= 0:
            return _judge(session, length)
    return OPEN


@kernel
def _search(session: int, most: int) -> int:
    """Go on with the search; return its status, REJECTED where its line does not win."""
    if get_optimal(session) != 0:
        status, expanded = optimal.run(session, most)
    else:
        status, expanded = search.run(session, most)
    _count(session, expanded)
    if status != WON:
        return status
    return _judge(session, write_path(session, packed_of(session), line_of(session)))


@kernel
def _judge(session: int, length: int) -> int:
    """Replay the session's line, of -1 moves where none could be written; WON or REJECTED."""
    line = line_of(session)
    if length < 0 or not wins(packed_of(session), rules_of(session), line, 0, length):
        return REJECTED
    set_length(session, length)
    return WON
