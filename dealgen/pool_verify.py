"""A pool's claims, checked: what can be seen in it, then every deal of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dealgen.batch import map_decks
from dealgen.boards import find_duplicates
from dealgen.chunks import Progress
from dealgen.grade import Cuts, cuts_of, grades_of
from dealgen.lines import line_fault
from dealgen.numbering import numbering_of
from dealgen.pool import FOUND, Pool, Tier
from dealgen.pool_build import check_covers
from dealgen.task import Task
from solvers.errors import NotationError, WinnableError
from solvers.games import AnyGame
from solvers.outcome import Limits, Verdict
from solvers.profiles import parse_profile

#: Deals that a problem names; it counts the rest.
_NAMED = 8
#: Characters of a wrong name, and of a wrong hash, that a problem quotes.
_QUOTED, _QUOTED_HASH = 40, 64
#: Characters of what is said of one deal, or of the whole pool: all of it, unless it quotes a text
#: of the pool that is absurdly long.
_LONGEST = 300

#: A problem, and the deal that has it.
Fault: TypeAlias = tuple[str, str]
#: What is wrong with the claims about some numbers, given their decks too.
Judge: TypeAlias = Callable[[NDArray[np.int64], NDArray[np.uint8]], list[Fault]]


@dataclass
class _Findings:
    """Problems while they are found: those of deals are gathered by what is wrong."""

    lines: list[str] = field(default_factory=list)
    deals: dict[str, list[str]] = field(default_factory=dict)

    def say(self, problem: str) -> None:
        """Add a problem of the whole pool."""
        self.lines.append(_shortened(problem))

    def blame(self, problem: str, deal: int | str) -> None:
        """Add a deal to those that have a problem."""
        self.deals.setdefault(problem, []).append(_shortened(str(deal)))

    def report(self) -> list[str]:
        """Return one line a problem."""
        found = list(self.lines)
        for problem, deals in self.deals.items():
            more = f" and {len(deals) - _NAMED} more" if len(deals) > _NAMED else ""
            found.append(f"{problem}: {', '.join(deals[:_NAMED])}{more}")
        return found


def _shortened(text: str) -> str:
    """Return a text, cut where it is too long for a line."""
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def verify_pool(
    pool: Pool,
    game: AnyGame,
    *,
    limits: Limits,
    jobs: int = 1,
    rules: bool = False,
    measure: bool = True,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[str]:
    """Check all that a pool claims; return its problems, a line each, none when it is right.

    First what can be seen: the hash, names, counts, and that tiers, duplicates, unwinnable
    and undecided numbers together are the range, each number once. Where they are, every deal:
    winnable ones by a solution, the pool's own replayed by the kernel, else one found under
    `limits`; unwinnable ones by proof under `limits`; and that the tiers hold each board once.
    Undecided numbers claim nothing. Last, the grades and pars, by measuring again.

    rules        have the plain rules replay every solution, too
    measure      False leaves grades and pars unchecked, which take most of the time
    on_progress  called with (deals done, deals in all) while deals are checked
    """
    findings = _Findings(list(pool.faults))
    if pool.digest != pool.sha256:
        findings.say(
            f"sha256 is {pool.sha256[:_QUOTED_HASH]!r}; that of the content is {pool.digest}"
        )
    task = _task(findings, pool, game, limits, jobs)
    if task is None or not _check_partition(findings, pool) or not _check_arrays(findings, pool):
        return findings.report()
    _check_duplicates(findings, pool, task)
    measure = measure and _can_measure(findings, pool, game)
    claims = list(_claims(pool, task, rules, measure))
    progress = Progress(sum(len(numbers) for numbers, _ in claims), on_progress)
    for numbers, judge in claims:
        with closing(map_decks(task, numbers, judge, on_deals=progress.add)) as parts:
            for faults in parts:
                for problem, deal in faults:
                    findings.blame(problem, deal)
    return findings.report()


def _task(findings: _Findings, pool: Pool, game: AnyGame, limits: Limits, jobs: int) -> Task | None:
    """Check the pool's names and range; return the task of solving its deals."""
    if pool.game != game.name:
        findings.say(f"game is {pool.game[:_QUOTED]!r}; checked as {game.name}")
        return None
    try:
        profile = parse_profile(pool.profile, game.profiles)
        task = Task(game, profile, numbering_of(pool.numbering), limits, jobs, game.methods[0])
        check_covers(task, pool.covers)
    except WinnableError as error:
        findings.say(str(error))
        return None
    if task.profile_name != pool.profile:
        findings.say(f"profile {pool.profile!r} is spelled {task.profile_name!r}")
    versions = pool.solver_versions
    if not versions:
        findings.say("solver_versions names none")
    elif list(versions) != sorted(set(versions)):
        findings.say("solver_versions are not ascending, each once")
    scale = game.scale(profile)
    if pool.grader == game.grader.name and scale is not None:
        cuts = cuts_of(scale)
        if pool.cuts.calibrated_on == cuts.calibrated_on and pool.cuts != cuts:
            findings.say(f"grader {pool.grader} has other cuts of {cuts.calibrated_on}")
    return task


def _check_partition(findings: _Findings, pool: Pool) -> bool:
    """Check that the lists are the range, each number once, and agree with the counts."""
    tiers = [tier.numbers for tier in pool.tiers.values()]
    before = len(findings.lines) + len(findings.deals)
    numbers = np.sort(np.concatenate([*tiers, pool.duplicates, pool.unwinnable, pool.undecided]))
    points = pool.covers.boundaries
    inside = np.searchsorted(np.array(points, object), numbers.astype(object), "right") % 2 == 1
    for number in numbers[~inside].tolist():
        findings.blame("outside the range", number)
    for number in np.unique(numbers[1:][numbers[1:] == numbers[:-1]]).tolist():
        findings.blame("in more than one list", number)
    lacking = pool.covers.size - len(np.unique(numbers))
    if lacking > 0:
        findings.say(f"{lacking} numbers of the range are in no list")
    for name, held in (
        ("winnable", sum(map(len, tiers)) + len(pool.duplicates)),
        ("unwinnable", len(pool.unwinnable)),
        ("undecided", len(pool.undecided)),
    ):
        if pool.counts[name] != held:
            findings.say(f"counts.{name} is {pool.counts[name]}; the lists hold {held}")
    return len(findings.lines) + len(findings.deals) == before


def _check_arrays(findings: _Findings, pool: Pool) -> bool:
    """Check that par and solutions are as long as the numbers."""
    before = len(findings.lines)
    for name, tier in pool.tiers.items():
        for what, values in (("par", tier.par), ("solutions", tier.solutions)):
            if values is not None and len(values) != len(tier.numbers):
                findings.say(
                    f"tier {name} has {len(tier.numbers)} numbers and {len(values)} {what}"
                )
    return len(findings.lines) == before


def _can_measure(findings: _Findings, pool: Pool, game: AnyGame) -> bool:
    """Tell whether efforts can be measured as the pool's were; say so if not."""
    ours, theirs = game.grader.name, pool.grader
    if ours != theirs:
        findings.say(f"grades not checked: {theirs[:_QUOTED]!r} gave them; this program has {ours}")
    return ours == theirs


def _check_duplicates(findings: _Findings, pool: Pool, task: Task) -> None:
    """Check that of equal boards the lowest number is in a tier, and the others are not."""
    tiers = [tier.numbers for tier in pool.tiers.values()]
    duplicates = find_duplicates(task, np.sort(np.concatenate([pool.duplicates, *tiers])))
    for number in np.setdiff1d(duplicates, pool.duplicates).tolist():
        findings.blame("the same board as a lower number of the tiers", number)
    for number in np.setdiff1d(pool.duplicates, duplicates).tolist():
        findings.blame("listed as a duplicate and is not one", number)


def _claims(
    pool: Pool, task: Task, rules: bool, measure: bool
) -> Iterator[tuple[NDArray[np.int64], Judge]]:
    """Go through what is claimed of deals: the numbers, and who judges the claim."""
    tiers = list(pool.tiers.items())
    unproved = [tier.numbers for _, tier in tiers if tier.solutions is None]
    to_win = np.sort(np.concatenate([pool.duplicates, *unproved]))
    yield to_win, partial(_judge_verdicts, task, rules, Verdict.WINNABLE)
    yield pool.unwinnable, partial(_judge_verdicts, task, rules, Verdict.UNWINNABLE)
    for name, tier in tiers:
        if tier.solutions is not None:
            yield tier.numbers, partial(_judge_solutions, task, rules, name, tier)
    for name, tier in tiers:
        if measure:
            yield tier.numbers, partial(_judge_grades, task, pool.cuts, name)
        if measure and tier.par is not None and tier.solutions is not None:
            yield tier.numbers, partial(_judge_lengths, name, tier)
        if measure and tier.par is not None and _can_find(pool):
            yield tier.numbers, partial(_judge_pars, task, pool, name, tier)


_MISMATCH = {
    (Verdict.WINNABLE, Verdict.UNWINNABLE): "listed as winnable and proved unwinnable",
    (Verdict.WINNABLE, Verdict.UNDECIDED): "no solution found within the limits",
    (Verdict.UNWINNABLE, Verdict.WINNABLE): "listed as unwinnable and won",
    (Verdict.UNWINNABLE, Verdict.UNDECIDED): "not proved unwinnable within the limits",
}


def _judge_verdicts(
    task: Task,
    rules: bool,
    claim: Verdict,
    numbers: NDArray[np.int64],
    decks: NDArray[np.uint8],
) -> list[Fault]:
    """Solve numbers and compare the verdicts with what is claimed of all of them."""
    game = task.game
    outcome = game.solve_many(
        decks, task.profile, task.limits, want_lines=rules, method=task.method
    )
    faults = [
        (_MISMATCH[claim, Verdict(int(outcome.verdict[row]))], str(numbers[row]))
        for row in np.flatnonzero(outcome.verdict != claim).tolist()
    ]
    if rules:
        won = np.flatnonzero(outcome.verdict == Verdict.WINNABLE).tolist()
        lines = ((row, game.format_line(outcome.line(row))) for row in won)
        faults += _refused(task, "solution refused by the rules", numbers, decks, lines)
    return faults


def _judge_solutions(
    task: Task,
    rules: bool,
    name: str,
    tier: Tier,
    numbers: NDArray[np.int64],
    decks: NDArray[np.uint8],
) -> list[Fault]:
    """Replay solutions of a tier, in bulk by the kernel."""
    begin = int(np.searchsorted(tier.numbers, numbers[0]))
    solutions = (tier.solutions or ())[begin : begin + len(numbers)]
    texts = [text.split(",") if text else [] for text in solutions]
    faults, lines = [], []
    for row, moves in enumerate(texts):
        try:
            lines.append(task.game.parse_line(moves))
        except NotationError as error:
            faults.append((f"tier {name}, solution unreadable", f"{numbers[row]} ({error})"))
            lines.append(np.empty(0, np.uint16))
    offsets = np.concatenate(([0], np.cumsum([len(line) for line in lines]))).astype(np.int64)
    wins = task.game.replay_many(decks, task.profile, np.concatenate(lines), offsets)
    for row in np.flatnonzero(~wins).tolist():
        faults.append((f"tier {name}, solution does not win", str(numbers[row])))
    if rules:
        problem = f"tier {name}, solution refused by the rules"
        faults += _refused(task, problem, numbers, decks, enumerate(texts))
    return faults


def _refused(
    task: Task,
    problem: str,
    numbers: NDArray[np.int64],
    decks: NDArray[np.uint8],
    lines: Iterable[tuple[int, list[str]]],
) -> Iterator[Fault]:
    """Go through the rows and their move texts; name what the plain rules refuse."""
    for row, texts in lines:
        fault = line_fault(task, decks[row], texts)
        if fault is not None:
            yield problem, f"{numbers[row]} ({fault})"


def _judge_grades(
    task: Task, cuts: Cuts, name: str, numbers: NDArray[np.int64], decks: NDArray[np.uint8]
) -> list[Fault]:
    """Measure a tier's efforts again and compare the tiers that they are in."""
    efforts = task.game.measure_many(decks, task.profile)
    tiers = grades_of(cuts, efforts)
    return [
        (f"in tier {name}, measured as {cuts.tiers[tiers[row]]}", str(numbers[row]))
        for row in np.flatnonzero(tiers != cuts.tiers.index(name)).tolist()
    ]


def _can_find(pool: Pool) -> bool:
    """Tell whether it is known how the pars came about: those of format 1 are fewest moves."""
    return pool.par_kind != FOUND or pool.par_states is not None


def _judge_lengths(
    name: str, tier: Tier, numbers: NDArray[np.int64], _decks: NDArray[np.uint8]
) -> list[Fault]:
    """Compare a tier's known pars with the lengths of its solutions."""
    begin = int(np.searchsorted(tier.numbers, numbers[0]))
    pars = tier.numbers if tier.par is None else tier.par
    lines, faults = tier.solutions or (), []
    for row, number in enumerate(numbers.tolist(), begin):
        par, line = int(pars[row]), lines[row]
        moves = line.count(",") + 1 if line else 0
        if par and par != moves:
            faults.append(
                (f"tier {name}, solution not of par length", f"{number} ({moves} moves, par {par})")
            )
    return faults


def _judge_pars(
    task: Task,
    pool: Pool,
    name: str,
    tier: Tier,
    numbers: NDArray[np.int64],
    decks: NDArray[np.uint8],
) -> list[Fault]:
    """Find a tier's pars again and compare."""
    game = task.game
    if pool.par_kind == FOUND:
        outcomes = game.short_many(decks, task.profile, task.limits, pool.par_states or 0)
        pars = np.array([outcome.length for outcome in outcomes])
    else:
        pars = game.par_many(decks, task.profile, task.limits)
    begin = int(np.searchsorted(tier.numbers, numbers[0]))
    claimed = pars if tier.par is None else tier.par[begin : begin + len(numbers)]
    return [
        (f"tier {name}, par", f"{numbers[row]} (claimed {claimed[row]}, found {pars[row]})")
        for row in np.flatnonzero(pars != claimed).tolist()
    ]
