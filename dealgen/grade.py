"""Tiers: where the efforts of deals are cut, and which tier a deal is in.

Owns the names of the three grades, and the rule by which a range cuts itself. The measurement and
the scales are data of the game (`Game.grader`); only winnable deals have an effort.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from solvers.errors import InvalidNumberError
from solvers.graders import Scale

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Easiest first.
GRADES = ("easy", "normal", "hard")
#: What `Cuts.calibrated_on` says of cuts that a pool's own deals were divided by.
OWN_RANGE = "its own range"


@dataclass(frozen=True, slots=True)
class Cuts:
    """How tiers divide efforts.

    tiers          names, easiest first
    cuts           where each tier but the first begins, ascending; thousandths of a try
    calibrated_on  the range that the cuts divide evenly, OWN_RANGE for a pool's own, None for cuts
                   that somebody chose
    """

    tiers: tuple[str, ...]
    cuts: tuple[int, ...]
    calibrated_on: str | None


def cuts_of(scale: Scale) -> Cuts:
    """Return the cuts between the three grades of a scale."""
    return Cuts(GRADES, (scale.easy_below, scale.hard_from), scale.range)


def even_cuts(efforts: NDArray[np.int64], tiers: Sequence[str]) -> Cuts:
    """Return the cuts that divide efforts, at least one, into tiers as equal as can be.

    The j-th of k tiers is to end after j/k of the deals. Deals of the same effort stay together:
    where the end falls among them, the cut is on the nearer side, and below them from the middle.
    """
    import numpy as np

    ordered = np.sort(efforts)
    count, parts = len(ordered), len(tiers)
    cuts = []
    for part in range(1, parts):
        effort = int(ordered[count * part // parts])
        # In k-ths of a deal, so that the comparison is exact.
        wanted = count * part
        below = parts * int(np.searchsorted(ordered, effort, side="left"))
        up_to = parts * int(np.searchsorted(ordered, effort, side="right"))
        cuts.append(effort if wanted - below <= up_to - wanted else effort + 1)
    return Cuts(tuple(tiers), tuple(cuts), OWN_RANGE)


def grade_of(cuts: Cuts, effort: int) -> str:
    """Return the tier of an effort.

    Raises InvalidNumberError for an effort below 1: 0 stands for "not measured".

    >>> grade_of(Cuts(GRADES, (2000, 5000), "ms 1..9"), 2000)
    'normal'
    """
    if effort < 1:
        raise InvalidNumberError(f"effort is {effort}; valid is 1 or more (thousandths)")
    return cuts.tiers[bisect_right(cuts.cuts, effort)]


def grades_of(cuts: Cuts, efforts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the tiers of measured efforts (each at least 1), `int64[n]`: places in `cuts.tiers`.

    Twin: grade_of.
    """
    import numpy as np

    return np.searchsorted(np.array(cuts.cuts, np.int64), efforts, side="right").astype(np.int64)


def format_tries(effort: int) -> str:
    """Write an effort, thousandths of a try, to three digits: what is more is noise.

    >>> format_tries(412_345), format_tries(41_234), format_tries(1_234)
    ('412', '41.2', '1.23')
    """
    digits = 2 if effort < 9_995 else 1 if effort < 99_950 else 0
    return f"{effort / 1000:.{digits}f}"
