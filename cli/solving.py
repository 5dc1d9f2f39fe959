"""Deals decided in chunks or one by one, with progress and counts: what the commands share."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from cli.boards import After, Asked, Board
from cli.deals import Deals
from cli.options import LARGEST_COUNT, Setup, usage_error, whole_number
from cli.output import Progress, Tally, note
from solvers import games
from solvers.outcome import MOST_EFFORT, Outcome, Verdict, states_of_effort

if TYPE_CHECKING:
    from dealgen.store import Chunk


class _Decided(Protocol):
    """What `answer_each` counts: an Outcome, or a Hint."""

    @property
    def verdict(self) -> Verdict: ...


T = TypeVar("T", bound=_Decided)
F = TypeVar("F", bound=Callable[..., Any])


#: Effort for short solutions unless another is asked for.
_EFFORT = 3


def effort_option(goes_with: str) -> Callable[[F], F]:
    """Make the option that says how long to look for short solutions; `states_for` reads it.

    goes_with  the option that asks for them
    """
    return click.option(
        "--effort",
        metavar="N",
        callback=whole_number(1, LARGEST_COUNT),
        help=f"With {goes_with}, how long to look: a level 1..{MOST_EFFORT}, each of 4 times the "
        f"states of the one before ({states_of_effort(1)} to {states_of_effort(MOST_EFFORT)}), or "
        f"a number of states; default {_EFFORT}. More never makes a solution longer.",
    )


def states_for(setup: Setup, name: str, short: bool, effort: int | None) -> int:
    """Return the states to expand for a short solution, 0 where none is asked for.

    name  of the option that asks

    Raises UsageError, saying where short solutions are offered, when they are asked for in vain,
    and for an effort without them.
    """
    if effort is not None and not short:
        raise usage_error(f"--effort goes with {name}")
    if short and not setup.game.offers_short:
        offering = [game for game in games.NAMES if games.load(game).offers_short]
        raise usage_error(
            f"{name} is not offered for {setup.game.name}; games that offer it: "
            f"{', '.join(offering)}"
        )
    return states_of_effort(effort or _EFFORT) if short else 0


def par_kind(outcome: Outcome[Any], *, optimal: bool) -> str | None:
    """Say of a solution whether it is one of fewest moves, proved, or one that was found."""
    if outcome.verdict is not Verdict.WINNABLE:
        return None
    return "optimal" if optimal else "found"


def check_optimal(setup: Setup, optimal: bool, name: str = "--optimal") -> None:
    """Raise UsageError, saying where fewest moves are offered, when they are asked for in vain."""
    if not optimal or setup.game.offers_optimal(setup.profile):
        return
    offering = [
        game.name
        for game in map(games.load, games.NAMES)
        if any(map(game.offers_optimal, game.profiles.values()))
    ]
    raise usage_error(
        f"{name} is not offered for {setup.game.name} under {setup.profile_name}; "
        f"games that offer it: {', '.join(offering) or 'none'}"
    )


def note_readings(setup: Setup, asked: Asked) -> None:
    """Say on stderr what had to be read into the moves of `--after`."""
    for board in asked if isinstance(asked, list) and not setup.quiet else ():
        for text in board.followed.notes if isinstance(board, After) else ():
            note(f"winnable: {text}")


def solve_deals(
    setup: Setup, deals: Deals, tally: Tally, *, grade: bool = False, cells: bool = False
) -> Iterator[Chunk]:
    """Yield the deals' chunks in order as they are done, counted in `tally`."""
    from dealgen.batch import solve_numbers

    with Progress(len(deals), quiet=setup.quiet, streams=True) as progress:
        progress.announce_compiling()
        task = dataclasses.replace(setup, jobs=min(setup.jobs, len(deals)))
        chunks = solve_numbers(task, deals, grade=grade, cells=cells)
        # Closed on the way out of an error, so that its threads stop.
        with contextlib.closing(chunks):
            for chunk in chunks:
                tally.add_many(chunk.outcome.verdict)
                yield chunk
                progress.advance(len(chunk.numbers), tally)


def answer_each(
    setup: Setup, asked: Asked, tally: Tally, answer: Callable[[Any], T]
) -> Iterator[tuple[int | Board, Any, T]]:
    """Yield each number or board, its state and its answer, in order, counted in `tally`.

    answer  what to do with a state; called by several threads

    One deal at a time instead of a chunk: a solution that is shown goes through the plain
    rules anyway, which takes far longer than the search.
    """
    from dealgen.chunks import map_chunks

    def work(items: Sequence[int | Board]) -> tuple[int | Board, Any, T]:
        item = items[0]
        if isinstance(item, Board):
            return item, item.state, answer(item.state)
        state = setup.game.deal(setup.numbering.deck(setup.game, item))
        return item, state, answer(state)

    with Progress(len(asked), quiet=setup.quiet, streams=True) as progress:
        progress.announce_compiling()
        results = map_chunks(work, asked, jobs=min(setup.jobs, len(asked)), chunk_size=1)
        with contextlib.closing(results):
            for result in results:
                tally.add(result[2].verdict)
                yield result
                progress.advance(1, tally)
