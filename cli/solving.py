"""Deals decided in chunks, with progress and counts: what `check` and `grade` share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cli.deals import Deals
from cli.options import Board, Setup
from cli.output import Progress, Tally
from solvers.outcome import Outcome

if TYPE_CHECKING:
    from dealgen.batch import Chunk


def solve_deals(
    setup: Setup, deals: Deals, tally: Tally, *, method: str = "fast", grade: bool = False
) -> Iterator[Chunk]:
    """Yield the deals' chunks in order as they are done, counted in `tally`."""
    from dealgen.batch import solve_numbers

    with Progress(len(deals), quiet=setup.quiet, streams=True) as progress:
        progress.announce_compiling()
        chunks = solve_numbers(
            setup.game,
            deals,
            numbering=setup.numbering,
            profile=setup.profile,
            limits=setup.limits,
            jobs=min(setup.jobs, len(deals)),
            method=method,
            grade=grade,
        )
        # Closed on the way out of an error, so that its threads stop.
        with contextlib.closing(chunks):
            for chunk in chunks:
                tally.add_many(chunk.outcome.verdict)
                yield chunk
                progress.advance(len(chunk.numbers), tally)


def solve_board(
    setup: Setup, board: Board, *, method: str = "fast", optimal: bool = False
) -> Outcome:
    """Decide one position."""
    with Progress(1, quiet=setup.quiet, streams=True) as progress:
        progress.announce_compiling()
        return setup.game.solve(
            board.state, setup.profile, setup.limits, method=method, optimal=optimal
        )
