"""What a game's `grader` room is made of: a measurement's name, and what its efforts mean.

Owns scales and how a profile finds its own. Efforts are thousandths of a try for every game; the
measurement itself is the room `effort`. Loads neither numpy nor numba.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from solvers.profiles import options_of


@dataclass(frozen=True, slots=True)
class Scale:
    """What efforts mean under one profile: measured on the winnable deals of a published range.

    easy_below   below it a deal is easy; thousandths of a try, as are
    hard_from    from it on a deal is hard, and
    percentiles  99 efforts, ascending: p % of the deals take as much as the p-th, or less
    range        the numbering and the range, such as `ms 1..32000`
    """

    easy_below: int
    hard_from: int
    percentiles: tuple[int, ...]
    range: str

    def percentile(self, effort: int) -> int:
        """Return the percentage of the deals, 0..99, than which an effort is certainly higher.

        >>> Scale(2000, 3000, tuple(range(1000, 100_000, 1000)), "ms 1..99").percentile(3500)
        3
        """
        return bisect_left(self.percentiles, effort)


@dataclass(frozen=True, slots=True)
class Grader:
    """A frozen, versioned measurement.

    name     as stored, such as `freecell-2`
    scales   by profile; profiles that share effort share a scale, too
    ignores  the options that an effort does not depend on
    """

    name: str
    scales: Mapping[str, Scale]
    ignores: tuple[str, ...] = ()

    def scale_of(self, profile: Any, profiles: Mapping[str, Any]) -> Scale | None:
        """Return a profile's scale: that of the one of `profiles` with the same effort.

        None for a profile that differs from all of them in an option that efforts depend on.
        """
        for name, scale in self.scales.items():
            if self._measured(profiles[name]) == self._measured(profile):
                return scale
        return None

    def _measured(self, profile: Any) -> tuple[Any, ...]:
        """Return the values of the options that an effort depends on."""
        return tuple(
            getattr(profile, field.name)
            for field in options_of(profile)
            if field.name not in self.ignores
        )
