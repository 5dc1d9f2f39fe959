"""Deal numbers: what a number is, and which cards it deals.

Owns the registry of numberings. Another one is a class derived from `Numbering`, with an entry in
`NUMBERINGS`; nothing else knows one from another. `stream` is the plain specification, and a bulk
twin of it, if there is one, is in `numbering_kernel`. Numpy and numba are loaded by `array` and
`decks` only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

from solvers.cards import DECK_SIZE
from solvers.errors import InvalidNumberError, NotationError, UnknownNameError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from solvers.games import AnyGame

#: An error quotes numbers up to this many digits; twice as many as the longest in use have.
_QUOTED_DIGITS = 40


class Numbering(ABC):
    """A scheme that maps deal numbers to decks.

    describes    one phrase for `winnable games`
    first, last  the valid numbers, both included; from 0, and as large as need be
    orders       by game, which card of the stream each card of its deck is, None for the stream's
                 own order; other games do not have the numbering. None: every game has it, in the
                 stream's order.
    """

    name: ClassVar[str]
    describes: ClassVar[str]
    first: ClassVar[int]
    last: ClassVar[int]
    orders: ClassVar[Mapping[str, Sequence[int] | None] | None] = None

    @property
    def is_wide(self) -> bool:
        """Whether there are numbers beyond 64 bits: arrays then hold Python's integers."""
        return self.last >= 2**63

    def check(self, number: int) -> int:
        """Return the number, or raise InvalidNumberError: no number is an alias of another."""
        # A bool is an integer to Python, and not a number to anybody else.
        if not isinstance(number, Integral) or isinstance(number, bool):
            raise InvalidNumberError(
                f"deal number {number!r} is not a whole number; "
                f"{self.name} has {self.first}..{self.last}"
            )
        if not self.first <= number <= self.last:
            shown = str(number) if abs(number) < 10**_QUOTED_DIGITS else ""
            raise self._out_of_range(shown)
        return number

    def check_range(self, first: int, last: int) -> None:
        """Raise InvalidNumberError unless first..last is a range of valid numbers."""
        self.check(first)
        self.check(last)
        if first > last:
            raise InvalidNumberError(f"range {first}-{last} is empty; valid is first <= last")

    def parse(self, text: str) -> int:
        """Read a deal number in decimal digits.

        Raises NotationError when it is not a whole number, InvalidNumberError when out of range.

        >>> numbering_of("ms").parse("617")
        617
        """
        if not (text.isascii() and text.isdigit()):
            raise NotationError(
                f"{text!r} is not a deal number; valid is a whole number {self.first}..{self.last}",
                text=text,
            )
        # Longer texts are out of range anyway, and int() refuses very long ones.
        digits = text.lstrip("0") or "0"
        if len(digits) > len(str(self.last)):
            raise self._out_of_range(digits if len(digits) <= _QUOTED_DIGITS else "")
        return self.check(int(digits))

    def _out_of_range(self, digits: str) -> InvalidNumberError:
        """Return the error for a number outside the numbering, "" for one too long to quote."""
        shown = digits or f"of more than {_QUOTED_DIGITS} digits"
        return InvalidNumberError(
            f"deal number {shown} is out of range; {self.name} has {self.first}..{self.last}"
        )

    def array(self, numbers: Sequence[int] | NDArray[Any]) -> NDArray[Any]:
        """Return numbers as an array: `int64[n]`, or `object[n]` of integers where `is_wide`.

        Raises InvalidNumberError naming the first number outside the numbering.
        """
        import numpy as np

        if self.is_wide:
            return np.array([int(self.check(number)) for number in numbers], object)
        array = np.asarray(numbers)
        if array.dtype.kind not in "iu":
            # Converting would round a fraction down to another deal, and overflow on a huge number.
            for number in numbers:
                self.check(number)
        outside = (array < self.first) | (array > self.last)
        if outside.any():
            self.check(int(array[outside.argmax()]))
        return array.astype(np.int64, copy=False)

    def order_of(self, game_name: str) -> Sequence[int] | None:
        """Return which card of the stream each card of a game's deck is, None for the same.

        Raises UnknownNameError listing the game's numberings if this one is not among them.
        """
        if self.orders is None:
            return None
        if game_name not in self.orders:
            names = [numbering.name for numbering in numberings_for(game_name)]
            raise UnknownNameError(f"numbering for {game_name}", self.name, names)
        return self.orders[game_name]

    @abstractmethod
    def stream(self, number: int, size: int) -> list[int]:
        """Return the cards that a number deals, first dealt first.

        size  52, or 104 for two decks one after the other

        Raises InvalidNumberError for a number outside the numbering.
        """

    def deck(self, game: AnyGame, number: int) -> list[int]:
        """Return a number's deck as the game takes it, in plain Python: for a deal at a time."""
        order = self.order_of(game.name)
        cards = self.stream(number, game.deck_size)
        return cards if order is None else [cards[place] for place in order]

    def decks(self, game: AnyGame, numbers: Sequence[int] | NDArray[Any]) -> NDArray[np.uint8]:
        """Return the decks of many numbers as the game takes them, `uint8[n, deck_size]`.

        Raises InvalidNumberError naming the first number outside the numbering.
        """
        return self._deal(self.array(numbers), game.deck_size, self.order_of(game.name))

    def _deal(
        self, numbers: NDArray[Any], size: int, order: Sequence[int] | None
    ) -> NDArray[np.uint8]:
        """Deal valid numbers; a numbering with a kernel does it there."""
        import numpy as np

        streams = [self.stream(number, size) for number in numbers.tolist()]
        decks = np.array(streams, np.uint8).reshape(len(streams), size)
        return decks if order is None else np.ascontiguousarray(decks[:, list(order)])


class Microsoft(Numbering):
    """The numbers of Microsoft FreeCell, as FreeCell Pro extends them; for every game."""

    name = "ms"
    describes = "Microsoft FreeCell and FreeCell Pro"
    first = 1
    last = 2**33 - 1

    def stream(self, number: int, size: int) -> list[int]:
        """Return the cards that a number deals, first dealt first.

        Source: the Microsoft C run-time generator as FreeCell Pro extends it. The deck is in
        order AC AD AH AS 2C .. KS; for left = size..1, x = x * 214013 + 2531011 mod 2^32, the
        card at r mod left is dealt and the last card takes its place. Numbers below 2^31:
        r = (x >> 16) & 0x7fff; below 2^32: the same with bit 15 set; up to 2^33 - 1: x starts
        at number - 2^32 and r = ((x >> 16) & 0xffff) + 1.
        """
        self.check(number)
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

    def _deal(
        self, numbers: NDArray[Any], size: int, order: Sequence[int] | None
    ) -> NDArray[np.uint8]:
        """Deal valid numbers by the kernel."""
        from dealgen.numbering_kernel import deal_ms

        return deal_ms(numbers, size, order)


NUMBERINGS: dict[str, Numbering] = {numbering.name: numbering for numbering in (Microsoft(),)}
DEFAULT_NUMBERING = "ms"


def numbering_of(name: str) -> Numbering:
    """Return a numbering by name; raises UnknownNameError listing the names."""
    found = NUMBERINGS.get(name)
    if found is None:
        raise UnknownNameError("numbering", name, NUMBERINGS)
    return found


def numberings_for(game_name: str) -> list[Numbering]:
    """Return the numberings that a game has."""
    return [
        numbering
        for numbering in NUMBERINGS.values()
        if numbering.orders is None or game_name in numbering.orders
    ]
