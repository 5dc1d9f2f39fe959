"""Sets of deal numbers as ranges: what a pool answers for.

Owns the arithmetic. How numbers are written is up to `pool` and to the command line.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Cover:
    """Numbers, as ascending ranges (first, last), both included, with a gap between any two.

    Make one with `Cover.of`, which takes ranges in any order.
    """

    ranges: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, ranges: Iterable[tuple[int, int]]) -> Cover:
        """Return the numbers of ranges, which may overlap; none is empty.

        >>> Cover.of([(7, 9), (1, 3), (4, 4)]).ranges
        ((1, 4), (7, 9))
        """
        merged: list[tuple[int, int]] = []
        for first, last in sorted(ranges):
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = merged[-1][0], max(merged[-1][1], last)
            else:
                merged.append((first, last))
        return cls(tuple(merged))

    @classmethod
    def of_numbers(cls, numbers: Iterable[int]) -> Cover:
        """Return a set of numbers, given in any order and any number of times."""
        return cls.of((number, number) for number in numbers)

    @cached_property
    def _before(self) -> list[int]:
        """How many numbers stand before each range, and at the end how many there are."""
        sizes = (last - first + 1 for first, last in self.ranges)
        return list(itertools.accumulate(sizes, initial=0))

    def __len__(self) -> int:
        """Return how many numbers there are."""
        return self._before[-1]

    def __iter__(self) -> Iterator[int]:
        """Go through the numbers, ascending."""
        for first, last in self.ranges:
            yield from range(first, last + 1)

    def __getitem__(self, place: int) -> int:
        """Return the number at a place 0..len - 1; raises IndexError for any other."""
        if not 0 <= place < len(self):
            raise IndexError(f"place {place} of {len(self)} numbers")
        at = bisect.bisect_right(self._before, place) - 1
        return self.ranges[at][0] + place - self._before[at]

    def place_of(self, number: int) -> int | None:
        """Return where a number stands among the others, None where it is not among them."""
        at = bisect.bisect_right(self.ranges, number, key=lambda part: part[0]) - 1
        if at < 0 or number > self.ranges[at][1]:
            return None
        return self._before[at] + number - self.ranges[at][0]

    def __contains__(self, number: object) -> bool:
        """Tell whether a number is among them."""
        return isinstance(number, int) and self.place_of(number) is not None

    def __str__(self) -> str:
        """Write the ranges: `1..100, 617`."""
        return ", ".join(str(a) if a == b else f"{a}..{b}" for a, b in self.ranges)
