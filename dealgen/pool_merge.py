"""One pool made of several: of the same game, rules, numbering and tiers."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealgen.boards import find_duplicates
from dealgen.codec import narrowed
from dealgen.cover import Cover
from dealgen.grade import OWN_RANGE
from dealgen.numbering import numbering_of
from dealgen.pool import FOUND, OPTIMAL, Pool, Tier, sealed
from dealgen.pool_build import check_covers
from dealgen.store import larger_of
from dealgen.task import Task
from solvers.errors import WinnableError
from solvers.games import AnyGame
from solvers.outcome import Limits, Verdict
from solvers.profiles import parse_profile


@dataclass(frozen=True, slots=True)
class _Deal:
    """What one pool says of a number.

    tier      None for one that is in no tier: unwinnable, undecided, or a duplicate
    par       None where the pool has none
    solution  None where the pool has none
    """

    verdict: Verdict
    tier: str | None = None
    par: int | None = None
    solution: str | None = None


def merge_pools(pools: Sequence[Pool], game: AnyGame) -> Pool:
    """Return the pool that answers for all numbers of several.

    What two of them say of a number has to agree; only an undecided one gives way to an answer. Of
    equal boards the lowest number stays in its tier. Pars and solutions are kept where every pool
    has them; of different solutions the first pool's.

    Raises WinnableError for pools of different games, profiles, numberings or tiers, and for a
    number on which they disagree.
    """
    first = pools[0]
    for other in pools[1:]:
        _check_alike(first, other)
    profile = parse_profile(first.profile, game.profiles)
    # The limits are nobody's: nothing is solved.
    task = Task(game, profile, numbering_of(first.numbering), Limits(1, 1))
    covers = Cover.of(part for pool in pools for part in pool.covers.ranges)
    check_covers(task, covers)
    found: dict[int, _Deal] = {}
    for pool in pools:
        for number, deal in _deals(pool):
            known = found.get(number)
            found[number] = deal if known is None else _agreed(number, known, deal)
    by_verdict = {
        verdict: _sorted(number for number, deal in found.items() if deal.verdict is verdict)
        for verdict in Verdict
    }
    duplicates = find_duplicates(task, by_verdict[Verdict.WINNABLE])
    left_out = set(duplicates.tolist())
    with_par = all(tier.par is not None for pool in pools for tier in pool.tiers.values())
    with_lines = all(tier.solutions is not None for pool in pools for tier in pool.tiers.values())
    tiers = {
        name: _tier(
            {n: d for n, d in found.items() if d.tier == name and n not in left_out},
            with_par,
            with_lines,
        )
        for name in first.tiers
    }
    calibrated = {pool.cuts.calibrated_on for pool in pools} - {OWN_RANGE}
    on = calibrated.pop() if len(calibrated) == 1 else None
    states = {pool.par_states for pool in pools}
    kinds = {pool.par_kind for pool in pools}
    known_limits = [pool.limits for pool in pools if pool.limits is not None]
    return sealed(
        Pool(
            game=first.game,
            profile=first.profile,
            numbering=first.numbering,
            covers=covers,
            counts={verdict.label: len(by_verdict[verdict]) for verdict in Verdict},
            grader=first.grader,
            cuts=replace(first.cuts, calibrated_on=on),
            solver_versions=tuple(sorted({v for pool in pools for v in pool.solver_versions})),
            tiers=tiers,
            duplicates=duplicates,
            unwinnable=by_verdict[Verdict.UNWINNABLE],
            undecided=by_verdict[Verdict.UNDECIDED],
            limits=(
                functools.reduce(larger_of, known_limits)
                if len(known_limits) == len(pools)
                else None
            ),
            par_kind=_par_kind(kinds) if with_par else None,
            par_states=states.pop() if with_par and len(states) == 1 else None,
        )
    )


def _par_kind(kinds: set[str | None]) -> str | None:
    """Return what pars of several kinds are together."""
    if None in kinds:
        return None
    return OPTIMAL if kinds == {OPTIMAL} else FOUND


def _check_alike(one: Pool, other: Pool) -> None:
    """Raise WinnableError unless two pools are of the same kind."""
    for what in ("game", "profile", "numbering", "grader"):
        ours, theirs = getattr(one, what), getattr(other, what)
        if ours != theirs:
            raise WinnableError(f"the pools have different {what}s: {ours} and {theirs}")
    if (one.cuts.tiers, one.cuts.cuts) != (other.cuts.tiers, other.cuts.cuts):
        raise WinnableError("the pools' tiers have different names or are cut elsewhere")


def _deals(pool: Pool) -> Iterable[tuple[int, _Deal]]:
    """Go through the numbers of a pool, and what it says of each."""
    for name, tier in pool.tiers.items():
        pars = [None] * len(tier.numbers) if tier.par is None else tier.par.tolist()
        lines = [None] * len(tier.numbers) if tier.solutions is None else list(tier.solutions)
        for number, par, line in zip(tier.numbers.tolist(), pars, lines, strict=True):
            yield number, _Deal(Verdict.WINNABLE, name, par, line)
    for verdict, numbers in (
        (Verdict.WINNABLE, pool.duplicates),
        (Verdict.UNWINNABLE, pool.unwinnable),
        (Verdict.UNDECIDED, pool.undecided),
    ):
        for number in numbers.tolist():
            yield number, _Deal(verdict)


def _agreed(number: int, one: _Deal, other: _Deal) -> _Deal:
    """Return what two pools say of a number; raises WinnableError where that differs."""
    if Verdict.UNDECIDED in (one.verdict, other.verdict):
        return other if one.verdict is Verdict.UNDECIDED else one
    if one.verdict is not other.verdict:
        raise WinnableError(
            f"the pools disagree on deal {number}: {one.verdict.label} and {other.verdict.label}"
        )
    if one.tier is None or other.tier is None:
        # A duplicate in one of them, which may be the lowest of its board in another.
        return one if other.tier is None else other
    if one.tier != other.tier:
        raise WinnableError(f"the pools disagree on deal {number}: {one.tier} and {other.tier}")
    if one.par and other.par and one.par != other.par:
        raise WinnableError(
            f"the pools disagree on deal {number}: par {one.par} and par {other.par}"
        )
    return one if one.par or not other.par else other


def _tier(deals: dict[int, _Deal], with_par: bool, with_lines: bool) -> Tier:
    """Return the tier of some deals."""
    numbers = _sorted(deals)
    ordered = [deals[number] for number in numbers.tolist()]
    return Tier(
        numbers,
        np.array([deal.par for deal in ordered], np.int64) if with_par else None,
        tuple(deal.solution or "" for deal in ordered) if with_lines else None,
    )


def _sorted(numbers: Iterable[int]) -> NDArray[Any]:
    """Return numbers ascending, as a pool has them."""
    return narrowed(np.array(sorted(numbers), object))
