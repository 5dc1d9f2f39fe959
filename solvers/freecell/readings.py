"""FreeCell lines as other programs write them: counts left out, supermoves as single cards.

Owns which reading of a line is taken. The plain rules judge every step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from solvers import play
from solvers.errors import IllegalMoveError
from solvers.freecell import rules
from solvers.freecell.rules import FIRST_CELL, Move, Profile, State, apply, capacity, run_length
from solvers.play import Followed

#: Steps tried before the readings of a line are left, a few seconds at most; under autoplay each
#: step also looks for a supermove that is spelled out.
_MOST_STEPS, _MOST_STEPS_SPELLED = 50_000, 2_500
#: Single-card moves that one supermove may be spelled as: without cells, 13 cards over four empty
#: columns take 3^4 at most.
_LONGEST_SPELLING = 81


class _Step(NamedTuple):
    """One reading of what stands at a place of a line.

    ply    how many of the line's moves are read when it is made
    state  the position after it
    """

    ply: int
    move: Move
    state: State


def follow(state: State, moves: Sequence[Move], profile: Profile) -> Followed[State, Move]:
    """Apply moves from `start(state)` as far as the rules take them.

    A line is first taken as it is written, where no count to an empty column means one card. If
    it does not win so, other readings are tried: any count that is legal there, the most cards
    first, and under autoplay single-card moves that spell a supermove, which autoplay waits
    for. Of the readings the first that wins is taken, else the first that is legal to the end,
    else the one that goes furthest; among equals the line as it is written.
    """
    written = play.follow(rules, state, moves, profile)
    if written.wins:
        return written
    path, begun = _best_path(written.states[0], moves, profile)
    read = path[-1].ply if path else 0
    wins = read == len(moves) and rules.is_won(path[-1].state if path else begun, profile)
    if not wins and read <= len(written.moves):
        return replace(written, notes=_left_open(written, moves, profile))
    fault = None
    if read < len(moves):
        reason = "the counts left out can be read in too many ways; write them, as 26v3"
        try:
            apply(path[-1].state, moves[read], profile)
        except IllegalMoveError as error:
            reason = error.reason
        fault = IllegalMoveError(reason, move=str(moves[read]), ply=read + 1)
    return Followed(
        tuple(step.move for step in path),
        (begun, *(step.state for step in path)),
        wins,
        fault,
        _read_in(path, moves),
    )


def _best_path(begun: State, moves: Sequence[Move], profile: Profile) -> tuple[list[_Step], State]:
    """Search the readings of a line depth first; return the steps of the best, and the start."""
    best: list[_Step] = []
    path: list[_Step] = []
    #: Places and positions from which nothing wins: each is gone into once.
    seen = {(0, begun)}
    trail = [_steps(0, begun, moves, profile)]
    steps = 0
    most = _MOST_STEPS if profile.autoplay == "none" else _MOST_STEPS_SPELLED
    while trail and steps < most:
        step = next(trail[-1], None)
        if step is None:
            trail.pop()
            if path:
                path.pop()
            continue
        steps += 1
        if (step.ply, step.state) in seen:
            continue
        seen.add((step.ply, step.state))
        path.append(step)
        if not best or step.ply > best[-1].ply:
            best = list(path)
        if step.ply == len(moves) and rules.is_won(step.state, profile):
            return path, begun
        trail.append(_steps(step.ply, step.state, moves, profile))
    return best, begun


def _steps(ply: int, state: State, moves: Sequence[Move], profile: Profile) -> Iterator[_Step]:
    """Yield the readings of what stands at a place of a line, the likeliest first."""
    if ply == len(moves):
        return
    if profile.autoplay != "none":
        yield from _spelled(ply, state, moves, profile)
    move = moves[ply]
    for count in range(_most_cards(state, move, profile), 0, -1):
        counted = move if count == 1 else move._replace(count=count)
        try:
            yield _Step(ply + 1, counted, apply(state, counted, profile))
        except IllegalMoveError:
            return


def _most_cards(state: State, move: Move, profile: Profile) -> int:
    """Return how many cards a move may be read as: 1, unless it leaves out its count."""
    source, target, count = move
    open_count = count == 0 and source < FIRST_CELL and target < FIRST_CELL and source != target
    if not open_count or target >= len(state.columns) or state.columns[target]:
        return 1
    if source >= len(state.columns):
        return 1
    room = capacity(state, profile, empty_target=True)
    return max(min(run_length(state.columns[source], profile), room), 1)


def _spelled(ply: int, state: State, moves: Sequence[Move], profile: Profile) -> Iterator[_Step]:
    """Yield the supermoves that the single-card moves at a place of a line spell."""
    waiting = replace(profile, autoplay="none")
    supermoves = {
        apply(state, move, waiting): move
        for move in rules.legal_moves(state, profile)
        if rules.cards_moved(state, move, profile) > 1
    }
    singly, after = replace(waiting, supermove="single"), state
    for place in range(ply, min(ply + _LONGEST_SPELLING, len(moves)) if supermoves else ply):
        try:
            after = apply(after, moves[place], singly)
        except IllegalMoveError:
            return
        if after in supermoves and place > ply:
            move = supermoves[after]
            yield _Step(place + 1, move, apply(state, move, profile))


def _read_in(path: Sequence[_Step], moves: Sequence[Move]) -> tuple[str, ...]:
    """Say which moves are read as something else than what is written."""
    notes, before = [], 0
    for step in path:
        if step.ply - before > 1:
            notes.append(f"moves {before + 1} to {step.ply} are read as {step.move}")
        elif step.move != moves[before]:
            notes.append(f"move {step.ply}, '{moves[before]}', is read as {step.move}")
        before = step.ply
    return tuple(notes)


def _left_open(
    followed: Followed[State, Move], moves: Sequence[Move], profile: Profile
) -> tuple[str, ...]:
    """Say which moves of a line without counts could be read as more than one card."""
    if any(move.count for move in moves):
        return ()
    return tuple(
        f"move {ply}, '{move}', is read as one card; {move}v{most} moves {most}"
        for ply, (state, move) in enumerate(zip(followed.states, followed.moves, strict=False), 1)
        if (most := _most_cards(state, move, profile)) > 1
    )
