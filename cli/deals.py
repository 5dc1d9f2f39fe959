"""Which deals are asked for: numbers, ranges and lists, and files of them.

Owns the reading of deal numbers as people write them. A range stays two numbers however
long it is, a file is read as a stream, and every number is answered once, where it was first
given.
"""

from __future__ import annotations

import bisect
import codecs
import contextlib
import io
import re
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from typing import IO, TypeAlias, overload

import click

from dealgen.numbering import Numbering, separators_in
from solvers.errors import (
    LARGEST_TEXT_KIB,
    InvalidNumberError,
    NotationError,
    WinnableError,
    quoted,
)

#: First and last number, both included.
Range: TypeAlias = tuple[int, int]

_ITEM = re.compile(r"((?:ms)?[0-9]+)(?:-((?:ms)?[0-9]+))?", re.IGNORECASE)
#: FreeCell has numbers below 0, which make no range.
_NEGATIVE = re.compile(r"[-\u2212][0-9]+")
#: Numbers and nothing else, which need no closer look.
_PLAIN = re.compile(r"\s*+(?:[0-9]++(?:,(?=[0-9])|\s++|\Z))*+", re.ASCII)
#: A list that looks like one large number; a later part with a leading zero is nothing else.
_ONE_NUMBER = re.compile(r"(?<![0-9,])[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9,])")
_LEADING_ZERO = re.compile(r",0")
_COMMENT = re.compile(r"#[^\n]*")
#: A list of ten million deals is smaller; /dev/zero is not.
_LARGEST_LIST_MIB = 256
#: How much of a list is looked at together, and the longest word that is.
_BLOCK = 1 << 16
#: Boundaries in a block of `_Numbers`: more make inserting slow, fewer finding.
_BOUNDARIES = 1024


def _integers(values: Iterable[int], *, wide: bool) -> MutableSequence[int]:
    """Make a list as machine integers, unless it is wide: it may have millions of entries."""
    return list(values) if wide else array("q", values)


class Deals(Sequence[int]):
    """Deal numbers in the order in which they were given, each once; never expanded.

    ranges  disjoint, and not necessarily ascending
    wide    whether there may be numbers beyond 64 bits
    """

    def __init__(self, ranges: Iterable[Range], *, wide: bool = False) -> None:
        self._first = _integers((), wide=wide)
        #: How many numbers stand before each range, and at the end how many there are.
        self._before = array("q", [0])
        self._largest = 0
        for first, last in ranges:
            self.append(first, last)

    def append(self, first: int, last: int) -> None:
        """Add a range of numbers that are not there yet."""
        self._largest = max(self._largest, last)
        end = self._before[-1] + last - first + 1
        if end > sys.maxsize:
            raise InvalidNumberError(f"{end} deals are too many; valid is up to {sys.maxsize}")
        if self._first and self._first[-1] + self._before[-1] - self._before[-2] == first:
            self._before[-1] = end
        else:
            self._first.append(first)
            self._before.append(end)

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
        return self._first[at] + place - self._before[at]

    def _range(self, at: int) -> range:
        """Return a range by its place among the ranges."""
        first = self._first[at]
        return range(first, first + self._before[at + 1] - self._before[at])

    def _between(self, start: int, stop: int, step: int) -> Iterator[int]:
        """Go through the numbers at start, start + step and so on."""
        if step != 1:
            yield from (self[place] for place in range(start, stop, step))
            return
        at = bisect.bisect_right(self._before, start) - 1
        while start < stop:
            numbers = self._range(at)[start - self._before[at] :][: stop - start]
            yield from numbers
            start += len(numbers)
            at += 1

    def __iter__(self) -> Iterator[int]:
        """Go through the numbers, one at a time."""
        for at in range(len(self._first)):
            yield from self._range(at)

    @property
    def ranges(self) -> list[Range]:
        """Return the ranges that the numbers make, in the order in which they were given."""
        return [(part[0], part[-1]) for part in map(self._range, range(len(self._first)))]

    @property
    def digits(self) -> int:
        """Return how many digits the largest number has."""
        return len(str(self._largest))


class _Numbers:
    """A set of numbers, as the boundaries of its ranges in ascending order.

    Each range has two boundaries: its first number, and the number after its last. They lie in
    blocks of whole ranges, so that a new one moves few others; only the first may be empty.
    """

    def __init__(self, *, wide: bool) -> None:
        self._wide = wide
        self._blocks = [_integers((), wide=wide)]
        #: The first boundary of each block.
        self._heads = [0]

    def add(self, first: int, last: int) -> list[Range]:
        """Add a range; return the parts of it that were not there, ascending."""
        end = last + 1
        low = max(bisect.bisect_right(self._heads, first) - 1, 0)
        high = max(bisect.bisect_right(self._heads, end) - 1, low)
        block = self._blocks[low]
        for other in self._blocks[low + 1 : high + 1]:
            block += other
        start, stop = bisect.bisect_left(block, first), bisect.bisect_right(block, end)
        # An even place is outside every range: there the new one begins or ends itself.
        before = [first] if start % 2 == 0 else []
        after = [end] if stop % 2 == 0 else []
        points = [*before, *block[start:stop], *after]
        block[start:stop] = _integers(before + after, wide=self._wide)
        half = len(block) // 4 * 2
        blocks = [block] if len(block) <= _BOUNDARIES else [block[:half], block[half:]]
        self._blocks[low : high + 1] = blocks
        self._heads[low : high + 1] = [each[0] for each in blocks]
        pairs = zip(points[::2], points[1::2], strict=True)
        return [(begin, past - 1) for begin, past in pairs if begin < past]


class _Asked:
    """Collects ranges in the order given, each number once."""

    def __init__(self, *, wide: bool) -> None:
        self.deals = Deals((), wide=wide)
        self._known = _Numbers(wide=wide)
        #: The last ranges given, as long as they make one; not in `deals` yet.
        self._open: Range | None = None

    def add(self, first: int, last: int) -> None:
        """Add a range."""
        if self._open is not None:
            begin, end = self._open
            if begin <= first <= end + 1:
                self._open = begin, max(end, last)
                return
            self.close()
        self._open = first, last

    def close(self) -> Deals:
        """Return the deals of all that was added."""
        if self._open is not None:
            for first, last in self._known.add(*self._open):
                self.deals.append(first, last)
            self._open = None
        return self.deals


def parse_deals(text: str, numbering: Numbering, game_name: str | None = None) -> list[Range]:
    """Read numbers, ranges and comma-separated lists of both.

    game_name  the game that is to be dealt, None where any will do

    Raises NotationError for a text that is none of these or a range whose end is below
    its start, InvalidNumberError for a number that the numbering does not have.

    >>> from dealgen.numbering import numbering_of
    >>> parse_deals("5,1-3", numbering_of("ms"))
    [(5, 5), (1, 3)]
    """
    ranges = []
    if (found := _ONE_NUMBER.search(text)) and _LEADING_ZERO.search(found[0]):
        raise NotationError(
            f"{quoted(found[0])} is not a deal number: it has thousands separators, "
            f"so write {found[0].replace(',', '')}",
            text=found[0],
        )
    for item in text.split(","):
        match = _ITEM.fullmatch(item)
        if match is None and _NEGATIVE.fullmatch(item):
            first = numbering.parse(f"-{item[1:]}", game_name)
            ranges.append((first, first))
            continue
        if match is None:
            whole = f" in {quoted(text)}" if item != text else ""
            raise NotationError(
                f"{quoted(item)}{whole} is not a deal number or range{separators_in(item)}; "
                "valid is 617, 1-32000 or 1,5,617",
                text=item,
            )
        first = numbering.parse(match[1], game_name)
        last = numbering.parse(match[2], game_name) if match[2] else first
        if last < first:
            raise NotationError(
                f"range {quoted(item)} is empty, since {last} is below {first}; "
                f"valid is {last}-{first}",
                text=item,
            )
        ranges.append((first, last))
    return ranges


def read_deals(
    texts: Iterable[str],
    path: str | None,
    numbering: Numbering,
    game_name: str | None = None,
    *,
    warn: Callable[[str], None] | None = None,
) -> Deals:
    """Return the deals of the arguments, then those of a file.

    path  a file of deals, `-` for stdin, or None; `#` starts a comment in it
    warn  called with a line when a list looks like one number with thousands separators

    Raises as `parse_deals`, for the file with its name and line, NotationError when there is no
    deal at all, and InvalidNumberError for more deals than a sequence can have.
    """
    asked = _Asked(wide=numbering.is_wide)
    doubtful = ""
    for text in texts:
        for first, last in parse_deals(text, numbering, game_name):
            asked.add(first, last)
        doubtful = doubtful or _one_number_in(text)
    if path is not None:
        in_file = _read_list(path, numbering, game_name, asked)
        doubtful = doubtful or in_file
    if doubtful and warn is not None:
        warn(
            f"winnable: {doubtful} is read as {doubtful.count(',') + 1} deals; "
            f"if one is meant, write {doubtful.replace(',', '')}"
        )
    return asked.close()


def _one_number_in(text: str) -> str:
    """Return the first list in a text that looks like one large number, "" for none."""
    found = _ONE_NUMBER.search(text)
    return found[0] if found else ""


def _read_list(path: str, numbering: Numbering, game_name: str | None, asked: _Asked) -> str:
    """Read the deals of a file; errors say where in it.

    Returns the first list that looks like one large number, "" for none.
    """
    found, doubtful = False, ""
    for line, text in _pieces(path):
        found = found or bool(text.strip())
        doubtful = doubtful or _one_number_in(text)
        numbers = _plain_numbers(text, numbering)
        if numbers is not None:
            for number in numbers:
                asked.add(number, number)
            continue
        for place, words in enumerate(text.split("\n"), line):
            for word in words.split():
                try:
                    ranges = parse_deals(word, numbering, game_name)
                except (NotationError, InvalidNumberError) as error:
                    raise NotationError(
                        str(error), text=word, position=f"{shown_name(path)}, line {place}"
                    ) from None
                for first, last in ranges:
                    asked.add(first, last)
    if not found:
        raise NotationError(
            "there is no deal number in it; valid is numbers, ranges or lists between white space",
            position=shown_name(path),
        )
    return doubtful


def _plain_numbers(text: str, numbering: Numbering) -> list[int] | None:
    """Read a text of valid numbers alone, fast; None for any other."""
    if not _PLAIN.fullmatch(text) or _LEADING_ZERO.search(text):
        return None
    try:
        numbers = list(map(int, text.replace(",", " ").split()))
    except ValueError:  # more digits than Python reads
        return None
    if numbers and not numbering.first <= min(numbers) <= max(numbers) <= numbering.last:
        return None
    return numbers


def _pieces(path: str) -> Iterator[tuple[int, str]]:
    """Cut a list into texts of whole words, without comments; yield them with their first line.

    A list too long for one piece goes on in the next, with its last item once more.
    """
    rest, line, in_comment = "", 1, False
    for block in _blocks(path):
        if in_comment:
            _, newline, block = block.partition("\n")
            if not newline:
                continue
            rest = "\n"
            in_comment = False
        text = rest + block
        in_comment = "#" in text.rpartition("\n")[2]
        text = _COMMENT.sub("", text)
        if in_comment:
            end = begin = len(text)
        else:
            word = "" if not text or text[-1].isspace() else text.rsplit(maxsplit=1)[-1]
            end = begin = len(text) - len(word)
        if not end and len(text) > _BLOCK:
            end = text.rfind(",")
            begin = text.rfind(",", 0, max(end, 0)) + 1
            if not begin:
                too_long = max(end, len(text) - end - 1) > _BLOCK
                end = begin = len(text) if too_long else 0  # refused as one word, or read on
        yield line, text[:end]
        line += text.count("\n", 0, begin)
        rest = text[begin:]
    yield line, rest


def _blocks(path: str) -> Iterator[str]:
    """Yield the text of a file of deals a block at a time, with all line ends as `\\n`."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8-sig")(), True)
    size, line = 0, 1
    with _opened(path) as file:
        while data := file.read(_BLOCK):
            size += len(data)
            if size > _LARGEST_LIST_MIB << 20:
                raise NotationError(
                    f"is larger than {_LARGEST_LIST_MIB} MiB, too large for a list of deals",
                    position=shown_name(path),
                )
            try:
                text = decoder.decode(data)
            except UnicodeDecodeError as error:
                raise _not_text(error, path, line) from None
            line += text.count("\n")
            yield text
    try:
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise _not_text(error, path, line) from None


def read_board(path: str) -> str:
    """Return the text of a board or position file, `-` for stdin."""
    return read_text(path, "a board or a position", LARGEST_TEXT_KIB)


def read_text(path: str, what: str, largest_kib: int) -> str:
    """Return the text of a file, `-` for stdin; a byte order mark is dropped.

    what  the file should hold, for errors

    Raises NotationError when it cannot be read, is too large or is not UTF-8 text.
    """
    with _opened(path) as file:
        data = file.read((largest_kib << 10) + 1)
    if len(data) > largest_kib << 10:
        raise NotationError(
            f"is larger than {largest_kib} KiB, too large for {what}", position=shown_name(path)
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_text(error, path, 1) from None


@contextlib.contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """Open a file, or stdin for `-`; raises NotationError when it cannot be opened or read."""
    try:
        if path == "-":
            if sys.stdin is None:
                raise ValueError("it is closed")
            yield sys.stdin.buffer
        else:
            with open(path, "rb") as file:
                yield file
    except WinnableError:
        raise
    except (OSError, ValueError) as error:  # ValueError also for a zero byte in the name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise NotationError(f"cannot be read: {reason}", position=shown_name(path)) from None


def _not_text(error: UnicodeDecodeError, path: str, line: int) -> NotationError:
    """Return the error for bytes that are not text; the first of them are on `line`."""
    line += error.object.count(b"\n", 0, error.start)
    return NotationError(
        f"byte 0x{error.object[error.start]:02x} is not UTF-8 text; valid is a text file",
        position=f"{shown_name(path)}, line {line}",
    )


def shown_name(path: str) -> str:
    """Return a file's name as messages give it."""
    return "stdin" if path == "-" else click.format_filename(path)
