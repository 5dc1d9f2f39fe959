"""A pool file, opened."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from winnable.tables import Table, deal

if TYPE_CHECKING:
    from pathlib import Path

    from dealgen.pool import Entry
    from dealgen.pool import Pool as Content


@dataclass(frozen=True, slots=True)
class Pool:
    """The vetted deals of a range, by tier; open one with `Pool.open`.

    content  everything that is in the file, as arrays
    """

    content: Content

    @classmethod
    def open(cls, path: str | Path) -> Pool:
        """Read a pool file.

        Raises PoolFormatError (one line) for a file that is not a pool or whose hash is wrong.
        """
        from dealgen.pool_read import open_pool

        return cls(open_pool(path))

    @property
    def game(self) -> str:
        """The game's name."""
        return self.content.game

    @property
    def profile(self) -> str:
        """The rules, in canonical spelling."""
        return self.content.profile

    @property
    def tiers(self) -> Mapping[str, Any]:
        """The deals of each tier: `tiers["easy"].numbers`, and `par` and `solutions` if there."""
        return self.content.tiers

    def pick(self, tier: str, *, seed: int, exclude: Collection[int] = ()) -> int:
        """Return a number of a tier, always the same for the same seed.

        Args:
            tier: one of `tiers`, or `random` for any number of the range, unvetted.
            seed: 0..2^53 - 1.
            exclude: numbers never to return.

        Raises UnknownNameError, InvalidNumberError, or WinnableError for a tier with no other deal.
        """
        from dealgen.pool import pick

        return pick(self.content, tier, seed, exclude)

    def lookup(self, number: int) -> Entry:
        """Return what the pool says of a number: its verdict, tier, par and solution.

        Raises InvalidNumberError for a number outside the pool's range.
        """
        from dealgen.pool import lookup

        return lookup(self.content, number)

    def deal(self, number: int) -> Table[Any, Any, Any]:
        """Deal a number under the pool's rules."""
        return deal(self.game, number, profile=self.profile, numbering=self.content.numbering)
