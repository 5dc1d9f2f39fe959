"""A pool file, opened."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from solvers.errors import InvalidNumberError, known_name
from winnable.tables import Table, deal

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    from dealgen.pool import Pool as Content
    from dealgen.pool_use import Entry


@dataclass(frozen=True, slots=True)
class Pool:
    """The vetted deals of some numbers, by tier; open one with `Pool.open`.

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

    def numbers(self, tier: str) -> list[int]:
        """Return the deal numbers of a tier, ascending; raises UnknownNameError."""
        return self.content.tiers[known_name("tier", tier, self.content.tiers)].numbers.tolist()

    def pick(
        self,
        tier: str,
        *,
        seed: int | None = None,
        date: datetime.date | None = None,
        exclude: Collection[int] = (),
    ) -> int:
        """Return a number of a tier, always the same for the same seed or day.

        Args:
            tier: one of `tiers`, or `random` for any number of the pool, unvetted.
            seed: 0..2^53 - 1; give this or
            date: the deal of a day; none comes again before all of the tier were there.
            exclude: numbers never to return.

        Raises UnknownNameError, InvalidNumberError, or WinnableError for a tier with no other deal.
        """
        from dealgen.pool_use import pick, pick_for

        if date is not None and seed is None:
            return pick_for(self.content, tier, date, exclude)
        if seed is None or date is not None:
            raise InvalidNumberError("pick takes either a seed or a date")
        return pick(self.content, tier, seed, exclude)

    def subset(self, *tiers: str, count: int | None = None, seed: int = 0) -> Pool:
        """Return the pool of some deals of tiers, all tiers where none is named.

        Args:
            count: deals of each tier; None takes all.
            seed: 0..2^53 - 1; another one takes other deals.

        Raises UnknownNameError, InvalidNumberError, or WinnableError for a tier with fewer deals.
        """
        from dealgen.pool_use import subset

        return Pool(subset(self.content, tiers, count, seed))

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the pool file as a whole or not at all; only `force` replaces one.

        Raises WinnableError (one line).
        """
        from dealgen.pool import write_pool

        write_pool(self.content, path, force=force)

    def lookup(self, number: int) -> Entry:
        """Return what the pool says of a number: its verdict, tier, par and solution.

        Raises InvalidNumberError for a number that the pool does not answer for.
        """
        from dealgen.pool_use import lookup

        return lookup(self.content, number)

    def deal(self, number: int) -> Table[Any, Any, Any]:
        """Deal a number under the pool's rules."""
        return deal(self.game, number, profile=self.profile, numbering=self.content.numbering)
