"""Which deals are asked for: numbers, ranges and lists, and files of them.

Owns the reading of deal numbers as people write them. A range stays two numbers however
long it is, and every number is answered once, where it was first given.
"""

from __future__ import annotations

import bisect
import heapq
import itertools
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias, overload

import click

from dealgen.numbering import Numbering
from solvers.errors import InvalidNumberError, NotationError

#: First and last number, both included.
Range: TypeAlias = tuple[int, int]

_ITEM = re.compile(r"([0-9]+)(?:-([0-9]+))?")
#: A list of ten million deals is smaller; /dev/zero is not.
_LARGEST_LIST_BYTES = 256 << 20
_LARGEST_BOARD_BYTES = 1 << 20


class Deals(Sequence[int]):
    """Deal numbers in the order in which they were given, each once; never expanded.

    ranges  disjoint, and not necessarily ascending
    """

    def __init__(self, ranges: Iterable[Range]) -> None:
        self.ranges = tuple(range(first, last + 1) for first, last in ranges)
        #: How many numbers stand before each range, and at the end how many there are.
        self._before = [0, *itertools.accumulate(len(numbers) for numbers in self.ranges)]

    def __len__(self) -> int:
        """Return how many numbers there are."""
        return self._before[-1]

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> list[int]: ...

    def __getitem__(self, index: int | slice) -> int | list[int]:
        """Return the number at a place, or the numbers of a slice of places."""
        if isinstance(index, slice):
            return list(self._between(*index.indices(len(self))))
        place = range(len(self))[index]
        at = bisect.bisect_right(self._before, place) - 1
        return self.ranges[at][place - self._before[at]]

    def _between(self, start: int, stop: int, step: int) -> Iterator[int]:
        """Go through the numbers at start, start + step and so on."""
        if step != 1:
            yield from (self[place] for place in range(start, stop, step))
            return
        at = bisect.bisect_right(self._before, start) - 1
        while start < stop:
            numbers = self.ranges[at][start - self._before[at] :][: stop - start]
            yield from numbers
            start += len(numbers)
            at += 1

    def __iter__(self) -> Iterator[int]:
        """Go through the numbers, one at a time."""
        return itertools.chain.from_iterable(self.ranges)

    @property
    def digits(self) -> int:
        """Return how many digits the largest number has."""
        return len(str(max(numbers[-1] for numbers in self.ranges)))


def parse_deals(text: str, numbering: Numbering) -> list[Range]:
    """Read numbers, ranges and comma-separated lists of both.

    Raises NotationError for a text that is none of these or a range whose end is below
    its start, InvalidNumberError for a number that the numbering does not have.

    >>> from dealgen.numbering import numbering_of
    >>> parse_deals("5,1-3", numbering_of("ms"))
    [(5, 5), (1, 3)]
    """
    ranges = []
    for item in text.split(","):
        match = _ITEM.fullmatch(item)
        if match is None:
            whole = f" in {text!r}" if item != text else ""
            raise NotationError(
                f"{item!r}{whole} is no deal number or range; valid is 617, 1-32000 or 1,5,617",
                text=item,
            )
        first = numbering.parse(match[1])
        last = numbering.parse(match[2]) if match[2] else first
        if last < first:
            raise NotationError(
                f"range {item!r} is empty, since {last} is below {first}; valid is {last}-{first}",
                text=item,
            )
        ranges.append((first, last))
    return ranges


def read_deals(texts: Iterable[str], path: str | None, numbering: Numbering) -> Deals:
    """Return the deals of the arguments, then those of a file.

    path  a file of deals, `-` for stdin, or None; `#` starts a comment in it

    Raises as `parse_deals`, for the file with its name and line, NotationError when there is no
    deal at all, and InvalidNumberError for more deals than a sequence can have.
    """
    ranges = [found for text in texts for found in parse_deals(text, numbering)]
    if path is not None:
        ranges += _parse_file(path, numbering)
    ranges = _each_once(ranges)
    count = sum(last - first + 1 for first, last in ranges)
    if count > sys.maxsize:
        raise InvalidNumberError(f"{count} deals are too many; valid is up to {sys.maxsize}")
    return Deals(ranges)


def _parse_file(path: str, numbering: Numbering) -> list[Range]:
    """Read the deals of a file; errors say where in it."""
    ranges: list[Range] = []
    for number, line in enumerate(read_text(path, _LARGEST_LIST_BYTES).splitlines(), 1):
        for word in line.partition("#")[0].split():
            try:
                ranges += parse_deals(word, numbering)
            except (NotationError, InvalidNumberError) as error:
                raise NotationError(
                    str(error), text=word, position=f"{shown_name(path)}, line {number}"
                ) from None
    if not ranges:
        raise NotationError(
            "there is no deal number in it; valid is numbers, ranges or lists between white space",
            position=shown_name(path),
        )
    return ranges


def _each_once(ranges: Sequence[Range]) -> list[Range]:
    """Leave out of each range what an earlier one has, whatever their lengths.

    A sweep over the numbers in ascending order: at each point, of the ranges that cover it,
    the one given first owns it. O(n log n) for n ranges.
    """
    ascending = all(a[1] < b[0] for a, b in itertools.pairwise(ranges))
    if ascending:
        return list(ranges)
    starts = sorted(range(len(ranges)), key=lambda index: ranges[index][0])
    covering: list[int] = []  # a heap: the range given first on top
    owned: list[tuple[int, int, int]] = []  # owner, first, last
    following, at = 0, 0
    while following < len(starts) or covering:
        if not covering:
            at = ranges[starts[following]][0]
        while following < len(starts) and ranges[starts[following]][0] <= at:
            heapq.heappush(covering, starts[following])
            following += 1
        while covering and ranges[covering[0]][1] < at:
            heapq.heappop(covering)
        if not covering:
            continue
        owner = covering[0]
        end = ranges[owner][1]
        if following < len(starts):
            end = min(end, ranges[starts[following]][0] - 1)
        if owned and owned[-1][0] == owner and owned[-1][2] == at - 1:
            at = owned.pop()[1]
        owned.append((owner, at, end))
        at = end + 1
    return [(first, last) for _, first, last in sorted(owned)]


def read_board(path: str) -> str:
    """Return the text of a board or position file, `-` for stdin."""
    return read_text(path, _LARGEST_BOARD_BYTES)


def read_text(path: str, largest_bytes: int) -> str:
    """Return a file's text, `-` for stdin; a byte order mark is dropped.

    Raises NotationError when it cannot be read, is too large or is no UTF-8 text.
    """
    try:
        if path == "-":
            if sys.stdin is None:
                raise ValueError("it is closed")
            data = sys.stdin.buffer.read(largest_bytes + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(largest_bytes + 1)
    except (OSError, ValueError) as error:  # ValueError also for a zero byte in the name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise NotationError(f"cannot be read: {reason}", position=shown_name(path)) from None
    if len(data) > largest_bytes:
        raise NotationError(
            f"is larger than {largest_bytes >> 20} MiB, too large for what it should hold",
            position=shown_name(path),
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise NotationError(
            f"byte 0x{data[error.start]:02x} is no UTF-8 text; valid is a text file",
            position=f"{shown_name(path)}, line {line}",
        ) from None


def shown_name(path: str) -> str:
    """Return a file's name as messages give it."""
    return "stdin" if path == "-" else click.format_filename(path)
