"""Many numbered deals at once, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dealgen.numbering import default_numbering, numbering_of
from dealgen.task import Task
from solvers import games
from solvers.outcome import Verdict
from solvers.profiles import parse_profile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Answers:
    """What is known about n deals; row i belongs to number i.

    numbers  int64[n]           in the order given
    verdict  int8[n]            numbers of `Verdict`
    nodes    int64[n]           states expanded
    limit    int8[n]            numbers of `Limit`: what stopped an undecided search
    effort   float64[n] or None in tries; 0 where not winnable; None unless graded
    grade    n texts or None    `easy`, `normal`, `hard`; empty where not winnable, and under a
                                profile without a scale
    percentile  int64[n] or None  percentage of the deals of the scale's range than which it is
                                harder; -1 where there is no grade
    """

    numbers: NDArray[np.int64]
    verdict: NDArray[np.int8]
    nodes: NDArray[np.int64]
    limit: NDArray[np.int8]
    effort: NDArray[np.float64] | None = None
    grade: NDArray[np.str_] | None = None
    percentile: NDArray[np.int64] | None = None

    @property
    def winnable(self) -> NDArray[np.int64]:
        """The numbers of winnable deals."""
        return self.numbers[self.verdict == Verdict.WINNABLE]

    @property
    def unwinnable(self) -> NDArray[np.int64]:
        """The numbers of deals proved unwinnable."""
        return self.numbers[self.verdict == Verdict.UNWINNABLE]

    @property
    def undecided(self) -> NDArray[np.int64]:
        """The numbers of deals that a limit left undecided."""
        return self.numbers[self.verdict == Verdict.UNDECIDED]


def check(
    game: str,
    numbers: Iterable[int],
    *,
    profile: str | None = None,
    numbering: str | None = None,
    method: str = "fast",
    max_nodes: int | None = None,
    max_seconds: float | None = None,
    memory: int | None = None,
    jobs: int = 1,
) -> Answers:
    """Tell which deals can be won.

    Args:
        game: `freecell`, `pyramid` or `plot`.
        numbers: deal numbers in any order; a `range` may be as long as memory is for its answers.
        profile: the rules, such as `classic,cells=3`; the game's default where None.
        numbering: what numbers stand for: `ms`, or `pysol`, which is the default under the profile
            of that name.
        method: a search of the game.
        max_nodes: stop after this many states per deal; the game's default where None.
        max_seconds: stop after this many seconds per deal; never by default.
        memory: MiB of tables per thread; the game's default where None.
        jobs: threads; answers do not depend on them.

    Raises:
        UnknownNameError: for a game, profile, option, numbering or method.
        InvalidNumberError: a number that the numbering does not have, or a limit.

    >>> import winnable
    >>> winnable.check("freecell", range(11980, 11985)).unwinnable.tolist()
    [11982]
    """
    task = _task(game, profile, numbering, method, max_nodes, max_seconds, memory, jobs)
    return _answers(task, numbers, grading=False)


def grade(
    game: str,
    numbers: Iterable[int],
    *,
    profile: str | None = None,
    numbering: str | None = None,
    max_nodes: int | None = None,
    max_seconds: float | None = None,
    memory: int | None = None,
    jobs: int = 1,
) -> Answers:
    """Tell which deals can be won, and how hard those are; arguments as for `check`."""
    task = _task(game, profile, numbering, "fast", max_nodes, max_seconds, memory, jobs)
    return _answers(task, numbers, grading=True)


def _task(
    game: str,
    profile: str | None,
    numbering: str | None,
    method: str,
    max_nodes: int | None,
    max_seconds: float | None,
    memory: int | None,
    jobs: int,
) -> Task:
    """Turn names into what they name."""
    found = games.load(game)
    return Task(
        game=found,
        profile=parse_profile(
            found.default_profile if profile is None else profile, found.profiles
        ),
        numbering=numbering_of(numbering) if numbering else default_numbering(found, profile),
        limits=found.limits(max_nodes=max_nodes, max_seconds=max_seconds, memory=memory),
        jobs=jobs,
        method=method,
    )


def _answers(task: Task, numbers: Iterable[int], *, grading: bool) -> Answers:
    """Solve numbers, and join the chunks."""
    import numpy as np

    from dealgen.batch import solve_numbers
    from dealgen.grade import cuts_of, grades_of

    asked: Any = numbers if isinstance(numbers, Sequence | np.ndarray) else list(numbers)
    with closing(solve_numbers(task, asked, grade=grading)) as chunks:
        done = list(chunks)
    empty = np.empty(0, np.int64)

    def joined(parts: list[Any], kind: type[Any]) -> Any:
        return np.concatenate([empty.astype(kind), *parts])

    answers = Answers(
        joined([chunk.numbers for chunk in done], np.int64),
        joined([chunk.outcome.verdict for chunk in done], np.int8),
        joined([chunk.outcome.nodes for chunk in done], np.int64),
        joined([chunk.outcome.limit for chunk in done], np.int8),
    )
    if not grading:
        return answers
    effort = joined([chunk.effort for chunk in done], np.int64)
    scale = task.game.scale(task.profile)
    grade, percentile = np.full(len(effort), "", "<U6"), np.full(len(effort), -1, np.int64)
    if scale is not None:
        cuts, measured = cuts_of(scale), effort > 0
        grade[measured] = np.array(cuts.tiers)[grades_of(cuts, effort[measured])]
        percentile[measured] = [scale.percentile(each) for each in effort[measured].tolist()]
    return replace(answers, effort=effort / 1000, grade=grade, percentile=percentile)
