"""A pool's claims, checked: what can be seen in it, then every deal of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealgen.batch import check_range, decks_of, map_numbers, measure_numbers
from dealgen.boards import find_duplicates
from dealgen.grade import GRADES, grades_of
from dealgen.lines import line_fault
from dealgen.numbering import Numbering, numbering_of
from dealgen.pool import Pool, Tier
from solvers.errors import NotationError, WinnableError
from solvers.games import Game
from solvers.outcome import Limits, Verdict
from solvers.profiles import format_profile, parse_profile

#: Called with (deals done, deals in all).
Progress = Callable[[int, int], None]

#: Deals that a problem names; it counts the rest.
_NAMED = 8


@dataclass
class _Findings:
    """Problems while they are found: those of deals are gathered by what is wrong."""

    lines: list[str] = field(default_factory=list)
    deals: dict[str, list[str]] = field(default_factory=dict)

    def say(self, problem: str) -> None:
        """Add a problem of the whole pool."""
        self.lines.append(problem)

    def blame(self, problem: str, deal: int | str) -> None:
        """Add a deal to those that have a problem."""
        self.deals.setdefault(problem, []).append(str(deal))

    def report(self) -> list[str]:
        """Return one line a problem."""
        found = list(self.lines)
        for problem, deals in self.deals.items():
            more = f" and {len(deals) - _NAMED} more" if len(deals) > _NAMED else ""
            found.append(f"{problem}: {', '.join(deals[:_NAMED])}{more}")
        return found


@dataclass(frozen=True)
class _Case:
    """A pool whose claims make sense, and what is needed to check its deals."""

    pool: Pool
    game: Game
    numbering: Numbering
    profile: Any
    limits: Limits
    jobs: int
    rules: bool


def verify_pool(
    pool: Pool,
    game: Game,
    *,
    limits: Limits,
    jobs: int = 1,
    rules: bool = False,
    measure: bool = True,
    on_progress: Progress | None = None,
) -> list[str]:
    """Check all that a pool claims; return its problems, a line each, none when it is right.

    First what can be seen: the hash, names, counts, and that tiers, duplicates, unwinnable
    and undecided numbers together are the range, each number once. Where they are, every deal:
    winnable ones by a solution, the pool's own replayed by the kernel, else one found under
    `limits`; unwinnable ones by proof under `limits`; and that the tiers hold each board once.
    Undecided numbers claim nothing. Last, the grades and pars, by measuring again.

    rules        have the plain rules replay every solution, too
    measure      False leaves grades and pars unchecked, which take most of the time
    on_progress  called while deals are checked
    """
    findings = _Findings(list(pool.faults))
    if pool.digest != pool.sha256:
        findings.say(f"sha256 is {pool.sha256[:64]!r}; that of the content is {pool.digest}")
    case = _case(findings, pool, game, limits, jobs, rules)
    if case is not None and _check_partition(findings, pool) and _check_arrays(findings, pool):
        _check_deals(findings, case, measure, on_progress)
    return findings.report()


def _case(
    findings: _Findings, pool: Pool, game: Game, limits: Limits, jobs: int, rules: bool
) -> _Case | None:
    """Check the pool's names and range; return what the other checks need."""
    if pool.game != game.name:
        findings.say(f"game is {pool.game[:40]!r}; checked as {game.name}")
        return None
    try:
        profile = parse_profile(pool.profile, game.profiles)
        numbering = numbering_of(pool.numbering)
        game.deal_order(numbering.name)
        check_range(pool.first, pool.last, numbering)
    except WinnableError as error:
        findings.say(str(error))
        return None
    spelling = format_profile(profile, game.profiles)
    if spelling != pool.profile:
        findings.say(f"profile {pool.profile!r} is spelled {spelling!r}")
    if not pool.solver_versions:
        findings.say("solver_versions names none")
    if pool.grader.name == game.grader.name and pool.grader != game.grader:
        findings.say(f"grader {pool.grader.name} has other thresholds, unit or calibration")
    if pool.grader.easy_below > pool.grader.hard_from:
        findings.say("grader's easy_below is above its hard_from")
    return _Case(pool, game, numbering, profile, limits, jobs, rules)


def _check_partition(findings: _Findings, pool: Pool) -> bool:
    """Check that the lists are the range, each number once, and agree with the counts."""
    tiers = [tier.numbers for tier in pool.tiers.values()]
    before = len(findings.lines) + len(findings.deals)
    numbers = np.sort(np.concatenate([*tiers, pool.duplicates, pool.unwinnable, pool.undecided]))
    for number in numbers[(numbers < pool.first) | (numbers > pool.last)].tolist():
        findings.blame("outside the range", number)
    for number in np.unique(numbers[1:][numbers[1:] == numbers[:-1]]).tolist():
        findings.blame("in more than one list", number)
    lacking = pool.last - pool.first + 1 - len(np.unique(numbers))
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


def _check_deals(
    findings: _Findings, case: _Case, measure: bool, on_progress: Progress | None
) -> None:
    """Check every deal, one kind of claim after another."""
    pool = case.pool
    tiers = [(name, pool.tiers[name]) for name in GRADES]
    winnable = np.sort(np.concatenate([pool.duplicates, *(tier.numbers for _, tier in tiers)]))
    duplicates = find_duplicates(case.game, winnable, case.numbering)
    for number in np.setdiff1d(duplicates, pool.duplicates).tolist():
        findings.blame("the same board as a lower number of the tiers", number)
    for number in np.setdiff1d(pool.duplicates, duplicates).tolist():
        findings.blame("listed as a duplicate and is none", number)

    solving = [tier.numbers for _, tier in tiers if tier.solutions is None]
    to_solve = np.sort(np.concatenate([pool.duplicates, *solving]))
    replaying = [(name, tier) for name, tier in tiers if tier.solutions is not None]
    remeasuring = tiers if measure and _can_measure(findings, case) else []
    total = len(to_solve) + len(pool.unwinnable)
    total += sum(len(tier.numbers) for _, tier in [*replaying, *remeasuring])
    done = 0

    def advance(deals: int) -> None:
        nonlocal done
        done += deals
        if on_progress is not None:
            on_progress(done, total)

    _check_solved(findings, case, to_solve, Verdict.WINNABLE, advance)
    _check_solved(findings, case, pool.unwinnable, Verdict.UNWINNABLE, advance)
    for name, tier in replaying:
        _check_replays(findings, case, name, tier, advance)
    for name, tier in remeasuring:
        _check_grades(findings, case, name, tier, advance)


def _check_solved(
    findings: _Findings,
    case: _Case,
    numbers: NDArray[np.int64],
    claim: Verdict,
    advance: Callable[[int], None],
) -> None:
    """Solve numbers and compare the verdicts with what is claimed of all of them."""
    game = case.game

    def work(chunk: NDArray[np.int64]) -> tuple[int, list[tuple[str, str]]]:
        decks = decks_of(game, chunk, case.numbering)
        outcome = game.solve_many(decks, case.profile, case.limits, want_lines=case.rules)
        faults = [
            (_MISMATCH[claim, Verdict(int(outcome.verdict[row]))], str(chunk[row]))
            for row in np.flatnonzero(outcome.verdict != claim).tolist()
        ]
        if case.rules:
            for row in np.flatnonzero(outcome.verdict == Verdict.WINNABLE).tolist():
                texts = game.format_line(outcome.line(row))
                fault = line_fault(game, decks[row].tolist(), texts, case.profile)
                if fault is not None:
                    faults.append(("solution refused by the rules", f"{chunk[row]} ({fault})"))
        return len(chunk), faults

    _gather(findings, case, work, numbers, advance)


_MISMATCH = {
    (Verdict.WINNABLE, Verdict.UNWINNABLE): "listed as winnable and proved unwinnable",
    (Verdict.WINNABLE, Verdict.UNDECIDED): "no solution found within the limits",
    (Verdict.UNWINNABLE, Verdict.WINNABLE): "listed as unwinnable and won",
    (Verdict.UNWINNABLE, Verdict.UNDECIDED): "not proved unwinnable within the limits",
}


def _check_replays(
    findings: _Findings, case: _Case, name: str, tier: Tier, advance: Callable[[int], None]
) -> None:
    """Replay the solutions of a tier, in bulk by the kernel."""
    game, solutions = case.game, tier.solutions or ()

    def work(chunk: NDArray[np.int64]) -> tuple[int, list[tuple[str, str]]]:
        decks = decks_of(game, chunk, case.numbering)
        begin = int(np.searchsorted(tier.numbers, chunk[0]))
        texts = [text.split(",") if text else [] for text in solutions[begin : begin + len(chunk)]]
        faults = []
        parts, lengths = [], []
        for row, moves in enumerate(texts):
            try:
                parts.append(game.parse_line(moves))
            except NotationError as error:
                faults.append((f"tier {name}, solution unreadable", f"{chunk[row]} ({error})"))
                parts.append(np.empty(0, np.uint16))
            lengths.append(len(parts[-1]))
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        wins = game.replay_many(decks, case.profile, np.concatenate(parts), offsets)
        for row in np.flatnonzero(~wins).tolist():
            faults.append((f"tier {name}, solution does not win", str(chunk[row])))
        if case.rules:
            for row, moves in enumerate(texts):
                fault = line_fault(game, decks[row].tolist(), moves, case.profile)
                if fault is not None:
                    problem = f"tier {name}, solution refused by the rules"
                    faults.append((problem, f"{chunk[row]} ({fault})"))
        return len(chunk), faults

    _gather(findings, case, work, tier.numbers, advance)


def _gather(
    findings: _Findings,
    case: _Case,
    work: Callable[[NDArray[np.int64]], tuple[int, list[tuple[str, str]]]],
    numbers: NDArray[np.int64],
    advance: Callable[[int], None],
) -> None:
    """Run work over numbers by the case's threads and note the faults it returns."""
    timed = case.limits.max_seconds is not None
    with closing(map_numbers(work, numbers, jobs=case.jobs, timed=timed)) as parts:
        for deals, faults in parts:
            for problem, deal in faults:
                findings.blame(problem, deal)
            advance(deals)


def _can_measure(findings: _Findings, case: _Case) -> bool:
    """Tell whether efforts can be measured as the pool's were; say so if not."""
    ours, theirs = case.game.grader.name, case.pool.grader.name
    if ours != theirs:
        findings.say(f"grades not checked: {theirs[:40]!r} gave them; this program has {ours}")
    return ours == theirs


def _check_grades(
    findings: _Findings, case: _Case, name: str, tier: Tier, advance: Callable[[int], None]
) -> None:
    """Measure a tier's efforts (and pars) again and compare."""
    game = case.game
    measuring = measure_numbers(
        game, tier.numbers, numbering=case.numbering, profile=case.profile, jobs=case.jobs
    )
    with closing(measuring) as parts:
        for numbers, efforts in parts:
            grades = grades_of(game.grader, efforts)
            for row in np.flatnonzero(grades != GRADES.index(name)).tolist():
                findings.blame(f"in tier {name}, measured as {GRADES[grades[row]]}", numbers[row])
            advance(len(numbers))
    if tier.par is None:
        return

    def work(chunk: NDArray[np.int64]) -> tuple[int, list[tuple[str, str]]]:
        decks = decks_of(game, chunk, case.numbering)
        pars = game.par_many(decks, case.profile, case.limits)
        claimed = tier.par[np.searchsorted(tier.numbers, chunk)] if tier.par is not None else pars
        return 0, [
            (f"tier {name}, par", f"{chunk[row]} (claimed {claimed[row]}, found {pars[row]})")
            for row in np.flatnonzero(pars != claimed).tolist()
        ]

    _gather(findings, case, work, tier.numbers, advance)
