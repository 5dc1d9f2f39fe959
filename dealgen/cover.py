"""Sets of deal numbers as ranges: what a pool answers for.

Owns the arithmetic. How numbers are written is up to `pool` and to the command line.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

#: Ranges that a text names; it counts the rest.
_SHOWN = 8


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

    @classmethod
    def of_boundaries(cls, points: Sequence[int]) -> Cover:
        """Return what `boundaries` wrote; raises ValueError for points that it cannot have written.

        >>> Cover.of_boundaries([1, 4, 617, 618]).ranges
        ((1, 3), (617, 617))
        """
        if len(points) % 2 or any(a >= b for a, b in itertools.pairwise(points)):
            raise ValueError("boundaries must ascend and come in pairs")
        return cls(tuple((points[at], points[at + 1] - 1) for at in range(0, len(points), 2)))

    @property
    def boundaries(self) -> list[int]:
        """The first number of each range and the number after its last, ascending."""
        return [point for first, last in self.ranges for point in (first, last + 1)]

    @property
    def first(self) -> int:
        """The lowest number, -1 for no numbers."""
        return self.ranges[0][0] if self.ranges else -1

    @property
    def last(self) -> int:
        """The highest number, -1 for no numbers."""
        return self.ranges[-1][1] if self.ranges else -1

    @property
    def size(self) -> int:
        """How many numbers there are, also where that is more than `len` can say."""
        return self._before[-1]

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
        """Return the number at a place 0..size - 1; raises IndexError for any other."""
        if not 0 <= place < self.size:
            raise IndexError(f"place {place} of {self.size} numbers")
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
        shown = [str(a) if a == b else f"{a}..{b}" for a, b in self.ranges[:_SHOWN]]
        more = len(self.ranges) - _SHOWN
        return ", ".join(shown) + (f" and {more:,} more ranges" if more > 0 else "")
