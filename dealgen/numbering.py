"""Deal numbers in plain Python: what a number is, and the stream of cards it stands for.

The specification of `numbering_kernel`, its bulk twin. Knows no game: a game says which
card of the stream goes where (`Game.deal_order`).
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

from solvers.cards import DECK_SIZE
from solvers.errors import InvalidNumberError, NotationError, UnknownNameError


@dataclass(frozen=True, slots=True)
class Numbering:
    """A scheme that maps deal numbers to streams of cards; `first` and `last` are valid."""

    name: str
    first: int
    last: int
    describes: str


NUMBERINGS = {
    "ms": Numbering("ms", 1, 2**33 - 1, "Microsoft FreeCell and FreeCell Pro"),
}
DEFAULT_NUMBERING = "ms"


def numbering_of(name: str) -> Numbering:
    """Return a numbering by name; raises UnknownNameError listing the names."""
    found = NUMBERINGS.get(name)
    if found is None:
        raise UnknownNameError("numbering", name, NUMBERINGS)
    return found


def check_number(number: int, numbering: Numbering) -> int:
    """Return the number, or raise InvalidNumberError: no number is an alias of another."""
    # A bool is an integer to Python, and no number to anybody else.
    if not isinstance(number, Integral) or isinstance(number, bool):
        raise InvalidNumberError(
            f"deal number {number!r} is no whole number; "
            f"{numbering.name} has {numbering.first}..{numbering.last}"
        )
    if not numbering.first <= number <= numbering.last:
        raise InvalidNumberError(
            f"deal number {number} is out of range; "
            f"{numbering.name} has {numbering.first}..{numbering.last}"
        )
    return number


def parse_number(text: str, numbering: Numbering) -> int:
    """Read a deal number in decimal digits.

    Raises NotationError when it is no whole number, InvalidNumberError when out of range.

    >>> parse_number("617", numbering_of("ms"))
    617
    """
    if not (text.isascii() and text.isdigit()):
        raise NotationError(
            f"{text!r} is no deal number; valid is a whole number "
            f"{numbering.first}..{numbering.last}",
            text=text,
        )
    # Longer texts are out of range anyway, and int() refuses very long ones.
    digits = text.lstrip("0") or "0"
    if len(digits) > len(str(numbering.last)):
        raise InvalidNumberError(
            f"deal number {digits[:40]} is out of range; "
            f"{numbering.name} has {numbering.first}..{numbering.last}"
        )
    return check_number(int(digits), numbering)


def stream(number: int, numbering: Numbering, size: int) -> list[int]:
    """Return the cards that a number deals, first dealt first.

    size  52, or 104 for two decks one after the other

    Source: the Microsoft C run-time generator as FreeCell Pro extends it. The deck is in
    order AC AD AH AS 2C .. KS; for left = size..1, x = x * 214013 + 2531011 mod 2^32, the
    card at r mod left is dealt and the last card takes its place. Numbers below 2^31:
    r = (x >> 16) & 0x7fff; below 2^32: the same with bit 15 set; up to 2^33 - 1: x starts
    at number - 2^32 and r = ((x >> 16) & 0xffff) + 1.

    Raises InvalidNumberError for a number outside the numbering.
    """
    check_number(number, numbering)
    cards = [index % DECK_SIZE for index in range(size)]
    x = number % 2**32
    dealt = []
    for left in range(size, 0, -1):
        x = (x * 214013 + 2531011) % 2**32
        high = x >> 16
        if number < 2**31:
            r = high & 0x7FFF
        elif number < 2**32:
            r = high & 0x7FFF | 0x8000
        else:
            r = (high & 0xFFFF) + 1
        pick = r % left
        dealt.append(cards[pick])
        cards[pick] = cards[left - 1]
    return dealt
