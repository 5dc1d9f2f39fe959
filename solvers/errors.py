"""Every error that the packages raise on purpose, under one base.

The command line catches `WinnableError` once. A verdict is never an error:
an unwinnable or undecided deal is an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

#: Boards, positions, moves and profiles are a few hundred characters; this is plenty.
LARGEST_TEXT_KIB = 64
_LONGEST_MESSAGE = 2000
_LONGEST_QUOTE = 60
_MOST_LISTED = 20


def quoted(text: str) -> str:
    """Quote a text in a message, cut when it is long.

    >>> quoted("7X")
    "'7X'"
    """
    return repr(text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…")


def listed(texts: Sequence[str], separator: str = " ") -> str:
    """Write a list in a message: the first of them, and how many more there are.

    >>> listed(["AC"] * 22, ", ").removeprefix("AC, " * 18)
    'AC, AC and 2 more'
    """
    shown = separator.join(texts[:_MOST_LISTED])
    more = len(texts) - _MOST_LISTED
    return f"{shown} and {more:,} more" if more > 0 else shown


def check_size(text: str, what: str, kib: int = LARGEST_TEXT_KIB) -> None:
    """Raise NotationError for a text too long to be read on as `what`, such as "a board"."""
    if len(text) > kib << 10:
        raise NotationError(f"is larger than {kib} KiB, too large for {what}")


def nearest(name: str, valid: Sequence[str]) -> str:
    """Return the question which of the names is meant, "" where none is like it.

    >>> nearest("micrsoft", ["classic", "microsoft"])
    ", did you mean 'microsoft'?"
    """
    from difflib import get_close_matches

    # Longer texts are no names, and comparing them takes time.
    alike = get_close_matches(name.lower(), valid, 1) if len(name) <= _LONGEST_QUOTE else []
    return f", did you mean {alike[0]!r}?" if alike else ""


def known_name(kind: str, name: str, valid: Iterable[str]) -> str:
    """Return a name as it is spelled here, whatever its case; raises UnknownNameError."""
    names = tuple(valid)
    if name in names:
        return name
    for known in names:
        if known.lower() == name.lower():
            return known
    raise UnknownNameError(kind, name, names)


class WinnableError(Exception):
    """Base of all errors of this project; its text is one line for a person, and bounded."""

    def __init__(self, message: str) -> None:
        super().__init__(
            message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]}…"
        )


class NotationError(WinnableError, ValueError):
    """A text that is not a card, move, board, position, number or profile.

    text      the offending text
    position  where it stands, as "line 3, column 2", or None
    """

    def __init__(self, message: str, *, text: str = "", position: str | None = None) -> None:
        super().__init__(f"{position}: {message}" if position else message)
        self.text = text
        self.position = position


class InvalidDealError(WinnableError, ValueError):
    """Readable cards that are not a legal deal or position.

    faults      every fault found, each a phrase
    missing     cards that are nowhere
    duplicated  cards that occur too often
    """

    def __init__(
        self,
        faults: Sequence[str],
        *,
        missing: Sequence[int] = (),
        duplicated: Sequence[int] = (),
    ) -> None:
        super().__init__(listed(faults, "; "))
        self.faults = tuple(faults)
        self.missing = tuple(missing)
        self.duplicated = tuple(duplicated)


class IllegalMoveError(WinnableError, ValueError):
    """A readable move that the rules refuse.

    reason  why
    move    the move as text
    ply     its index in the line, from 1, or None
    """

    def __init__(self, reason: str, *, move: str, ply: int | None = None) -> None:
        where = f"move {quoted(move)}" if ply is None else f"move {ply}, {quoted(move)}"
        super().__init__(f"{where}: {reason}")
        self.reason = reason
        self.move = move
        self.ply = ply


class UnknownNameError(WinnableError, LookupError):
    """A name that is not in a list of names.

    name   what was asked for
    valid  what there is
    """

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        self.name = name
        self.valid = tuple(valid)
        there_are = f"there are: {', '.join(self.valid)}"
        super().__init__(f"unknown {kind} {quoted(name)}{nearest(name, self.valid)}; {there_are}")


class InvalidNumberError(WinnableError, ValueError):
    """A deal number or a limit outside its range."""


class InvalidArrayError(WinnableError, ValueError):
    """An array that a function of many deals cannot take.

    row  the first row that is wrong, or None where all of it is
    """

    def __init__(self, message: str, *, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row


class StoreError(WinnableError):
    """A store that cannot be opened, is not ours, or is in use."""


class CancelledError(WinnableError):
    """A search that somebody asked to end."""


class ClusterError(WinnableError):
    """A cluster that cannot be reached, or whose workers are not like this program."""


class ProgramError(WinnableError):
    """Kernels that cannot be compiled for somewhere else: always our bug."""


class PoolFormatError(WinnableError, ValueError):
    """A file that is not a pool.

    path  the file
    line  where in it, or None
    """

    def __init__(self, message: str, *, path: str, line: int | None = None) -> None:
        where = path if line is None else f"{path}, line {line}"
        super().__init__(f"{where}: {message}")
        self.path = path
        self.line = line


class SolutionRejectedError(WinnableError):
    """Our own answer failed its replay: always our bug."""
