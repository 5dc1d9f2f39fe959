"""Shorter lines for a position that is won: beam after beam, each wider than the one before.

Owns which beams run, and what a win of theirs has to beat. Deterministic, and anytime: beams are
the same whatever the budget, which only says where they end, so more effort never makes a line
longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.freecell import beam, case
from solvers.freecell.block import (
    BEAM,
    NOTHING,
    deep_arena,
    get_beam,
    get_beat,
    get_doing,
    get_left,
    get_length,
    get_max_nodes,
    get_nodes,
    get_status,
    macros_of,
    packed_of,
    rules_of,
    set_beam,
    set_beat,
    set_doing,
    set_left,
    set_nodes,
    set_status,
)
from solvers.freecell.kernel import autoplay, cards_in_play
from solvers.freecell.layout import MAX, NONE, PACKED_SIZE, RULE_AUTOPLAY, RULE_ON_DEAL, SAFE
from solvers.freecell.records import set_config, set_rules
from solvers.freecell.schedule import SHORT
from solvers.jit import Local, kernel
from solvers.search.status import DRY, OPEN, OUT_OF_NODES, REJECTED, WON

#: Width of the first beam, powers of two by which they grow, and the widest. On ms 201001..201150
#: four times the width made lines .3 to .8 moves shorter, and a second kind of beam of the same
#: width .03 to .15.
_FIRST_WIDTH, _GROWTH, _WIDEST = 64, 2, 1 << 16

_new_packed = Local(np.uint8, PACKED_SIZE)


@kernel
def take_up(session: int, packed: Any, rules: Any, length: int, effort: int) -> None:
    """Take up a position with a line of `length` moves, to be shortened by `effort` states."""
    case.play_by(session, rules)
    case.take_up(session, packed, 0, 0, effort, 0)
    # Whole moves count, so that the profile's own capacity does.
    set_rules(deep_arena(session), rules_of(session))
    set_beat(session, length)
    set_beam(session, 0)


@kernel
def shorten_on(session: int, most: int) -> int:
    """Run beams on by about `most` states, at least a layer; return OPEN, or how it ended.

    WON says that there is a shorter line, DRY that there is none; REJECTED is our bug.
    """
    set_left(session, most)
    status = get_status(session)
    while status == OPEN and get_left(session) > 0:
        status = _run_beam(session)
    if status in (DRY, OUT_OF_NODES):
        status = WON if get_length(session) > 0 else DRY
    set_status(session, status)
    return status


@kernel
def _run_beam(session: int) -> int:
    """Run a layer of the beam under way, or begin the next; return OPEN, or how it ended."""
    arena = deep_arena(session)
    if get_doing(session) == NOTHING:
        return _begin_beam(session)
    count = beam.get_count(arena)
    if get_nodes(session) + count > get_max_nodes(session):
        return OUT_OF_NODES
    status = beam.run_layer(arena)
    set_nodes(session, get_nodes(session) + count)
    set_left(session, get_left(session) - count)
    if status == OPEN:
        return OPEN
    set_doing(session, NOTHING)
    set_beam(session, get_beam(session) + 1)
    if status == DRY:
        return OPEN
    found = beam.read_way(arena, macros_of(session, beam.MAX_DEPTH))
    searched = SAFE if rules_of(session)[RULE_AUTOPLAY] == SAFE else MAX
    if case.write(session, found, searched) == REJECTED or get_length(session) >= get_beat(session):
        return REJECTED
    set_beat(session, get_length(session))
    return OPEN


@kernel
def _waits(session: int) -> int:
    """Return 1 where a card waits for the first move to go home by itself, else 0.

    Beams begin after the autoplay; a line makes a move of its own before it, which is such a card.
    """
    rules, packed = rules_of(session), _new_packed()
    if rules[RULE_ON_DEAL] != 0:
        return 0
    given = packed_of(session)
    for at in range(PACKED_SIZE):
        packed[at] = given[at]
    return 1 if autoplay(packed, rules) > 0 else 0


@kernel
def _begin_beam(session: int) -> int:
    """Begin the next beam, for lines shorter than what there is; DRY when none can be."""
    arena, number = deep_arena(session), get_beam(session)
    width = _FIRST_WIDTH << (_GROWTH * number)
    # Where the profile plays nothing by itself, each card that goes home is a move.
    most = get_beat(session) - 1
    if rules_of(session)[RULE_AUTOPLAY] == NONE:
        most -= cards_in_play(packed_of(session))
    most -= _waits(session)
    if most < 1 or width > _WIDEST or not beam.fits(arena, width):
        return DRY
    # A beam that the budget ends before its win is for nothing.
    if get_max_nodes(session) - get_nodes(session) < width * most // 2:
        return OUT_OF_NODES
    forced = 0 if rules_of(session)[RULE_AUTOPLAY] == SAFE else 1
    set_config(arena, SHORT[forced])
    if not beam.start(arena, width, most, packed_of(session)):
        return DRY
    set_doing(session, BEAM)
    return OPEN
