"""Deal numbers: what a number is, and which cards it deals.

Owns the registry of numberings. Another one is a class derived from `Numbering`, with an entry in
`NUMBERINGS`; nothing else knows one from another. `stream` is the plain specification, and a bulk
twin of it, if there is one, is in `numbering_kernel`. Numpy and numba are loaded by `array` and
`decks` only.
"""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

from solvers.cards import CLUBS, DECK_SIZE, DIAMONDS, HEARTS, RANKS, SPADES, card_of
from solvers.errors import InvalidNumberError, NotationError, UnknownNameError, known_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from solvers.games import AnyGame

#: An error quotes numbers up to this many digits; twice as many as the longest in use have.
_QUOTED_DIGITS = 40
#: What may stand before the digits: `ms617` is how frontends name Microsoft's deal 617.
_MICROSOFT = re.compile(r"ms([0-9]+)", re.ASCII | re.IGNORECASE)
#: Numbers with something between each three digits, as people write large ones.
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:([., '’_\u00a0\u202f])[0-9]{3})(?:\1[0-9]{3})*", re.ASCII)


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

    def describes_for(self, game_name: str) -> str:
        """Return the phrase for `winnable games`, where it is another for one game."""
        return self.describes

    def check(self, number: int, game_name: str | None = None) -> int:
        """Return the number, or raise InvalidNumberError: no number is an alias of another.

        game_name  the game that is to be dealt, None where any will do
        """
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

    def check_range(self, first: int, last: int, game_name: str | None = None) -> None:
        """Raise InvalidNumberError unless first..last is a range of valid numbers."""
        self.check(first, game_name)
        self.check(last, game_name)
        if first > last:
            raise InvalidNumberError(f"range {first}-{last} is empty; valid is first <= last")

    def parse(self, text: str, game_name: str | None = None) -> int:
        """Read a deal number in decimal digits, perhaps with `ms` before them.

        Raises NotationError when it is not a whole number, InvalidNumberError when the game does
        not have it, or the numbering deals it otherwise than Microsoft's.

        >>> numbering_of("ms").parse("617")
        617
        """
        microsoft = _MICROSOFT.fullmatch(text)
        sign = "-" if text.startswith("-") else ""
        digits = microsoft[1] if microsoft else text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()):
            raise NotationError(
                f"{text!r} is not a deal number{separators_in(text)}; "
                f"valid is a whole number {self.first}..{self.last}",
                text=text,
            )
        # Longer texts are out of range anyway, and int() refuses very long ones.
        digits = digits.lstrip("0") or "0"
        if len(digits) > len(str(self.last)):
            raise self._out_of_range(sign + digits if len(digits) <= _QUOTED_DIGITS else "")
        number = self.check(int(sign + digits), game_name)
        if microsoft:
            self.check_microsoft(number)
        return number

    def check_microsoft(self, number: int) -> None:
        """Raise InvalidNumberError unless a number of Microsoft's is the same deal here."""
        raise InvalidNumberError(
            f"'ms{number}' is a deal of Microsoft's numbering, and {self.name} has others; "
            "valid is --numbering ms"
        )

    def _out_of_range(self, digits: str) -> InvalidNumberError:
        """Return the error for a number outside the numbering, "" for one too long to quote."""
        shown = digits or f"of more than {_QUOTED_DIGITS} digits"
        return InvalidNumberError(
            f"deal number {shown} is out of range; {self.name} has {self.first}..{self.last}"
        )

    def array(
        self, numbers: Sequence[int] | NDArray[Any], game_name: str | None = None
    ) -> NDArray[Any]:
        """Return numbers as an array: `int64[n]`, or `object[n]` of integers where `is_wide`.

        Raises InvalidNumberError naming the first number outside the numbering.
        """
        import numpy as np

        if self.is_wide:
            return np.array([int(self.check(number, game_name)) for number in numbers], object)
        array = np.asarray(numbers)
        if array.dtype.kind not in "iu":
            # Converting would round a fraction down to another deal, and overflow on a huge number.
            for number in numbers:
                self.check(number)
        for number in array[(array < self.first) | (array > self.last)].tolist():
            self.check(number, game_name)
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
        cards = self.stream(self.check(number, game.name), game.deck_size)
        return cards if order is None else [cards[place] for place in order]

    def decks(self, game: AnyGame, numbers: Sequence[int] | NDArray[Any]) -> NDArray[np.uint8]:
        """Return the decks of many numbers as the game takes them, `uint8[n, deck_size]`.

        Raises InvalidNumberError naming the first number outside the numbering.
        """
        array = self.array(numbers, game.name)
        return self._deal(array, game.deck_size, self.order_of(game.name))

    def _deal(
        self, numbers: NDArray[Any], size: int, order: Sequence[int] | None
    ) -> NDArray[np.uint8]:
        """Deal valid numbers; a numbering with a kernel does it there."""
        import numpy as np

        streams = [self.stream(number, size) for number in numbers.tolist()]
        decks = np.array(streams, np.uint8).reshape(len(streams), size)
        return decks if order is None else np.ascontiguousarray(decks[:, list(order)])


#: The games of Microsoft FreeCell that nobody can win, in the order of dealing. Source: two
#: programs that deal as Windows XP's does, and agree; one was compared with the original.
_JOKES = {
    # Ranks two by two: columns 1 to 4 begin with the aces, 5 to 8 with the queens.
    -1: [
        4 * rank + column % 4
        for row in range(7)
        for column in range(8 if row < 6 else 4)
        for rank in [2 * row if column < 4 else 11 - 2 * row]
    ],
    # The aces, and the kings on them, down to the twos; the spades before the clubs.
    -2: [
        *range(3, -1, -1),
        *(
            card
            for row in range(6)
            for card in (
                *range(27 - 4 * row, 23 - 4 * row, -1),
                *range(51 - 4 * row, 47 - 4 * row, -1),
            )
        ),
    ],
}
#: Games that later versions have as well, and that are won at once; no source has their cards.
_UNKNOWN_JOKES = (-3, -4)


class Microsoft(Numbering):
    """The numbers of Microsoft FreeCell, as FreeCell Pro extends them; for every game."""

    name = "ms"
    describes = "Microsoft FreeCell and FreeCell Pro"
    first = 1
    last = 2**33 - 1

    def describes_for(self, game_name: str) -> str:
        """Return the phrase for `winnable games`."""
        if game_name == "plot":
            return "this program's own over two decks; no frontend deals The Plot by it"
        if game_name == "freecell":
            return f"{self.describes}; also -1 and -2, which Microsoft's has and nobody can win"
        return self.describes

    def check(self, number: int, game_name: str | None = None) -> int:
        """Return the number, or raise InvalidNumberError.

        FreeCell, and no other game, also has -1 and -2.
        """
        is_below = isinstance(number, Integral) and number < 0
        if is_below and number in _UNKNOWN_JOKES:
            raise InvalidNumberError(
                f"Microsoft's game {number} is not offered: no public source has its cards; "
                f"ms has -1, -2 and {self.first}..{self.last} for FreeCell"
            )
        if is_below and number in _JOKES and game_name in (None, "freecell"):
            return number
        return super().check(number, game_name)

    def check_microsoft(self, number: int) -> None:
        """Accept every number: they are Microsoft's."""

    def stream(self, number: int, size: int) -> list[int]:
        """Return the cards that a number deals, first dealt first.

        Source: the Microsoft C run-time generator as FreeCell Pro extends it. The deck is in
        order AC AD AH AS 2C .. KS; for left = size..1, x = x * 214013 + 2531011 mod 2^32, the
        card at r mod left is dealt and the last card takes its place. Numbers below 2^31:
        r = (x >> 16) & 0x7fff; below 2^32: the same with bit 15 set; up to 2^33 - 1: x starts
        at number - 2^32 and r = ((x >> 16) & 0xffff) + 1.
        """
        if self.check(number) < self.first:
            return list(_JOKES[number])
        return _deal_ms([index % DECK_SIZE for index in range(size)], number)

    def _deal(
        self, numbers: NDArray[Any], size: int, order: Sequence[int] | None
    ) -> NDArray[np.uint8]:
        """Deal valid numbers by the kernel."""
        from dealgen.numbering_kernel import deal_ms

        jokes = (numbers < self.first).nonzero()[0]
        decks = deal_ms(numbers, size, order)
        for row in jokes.tolist():
            decks[row] = _JOKES[int(numbers[row])]
        return decks


def _deal_ms(cards: list[int], number: int) -> list[int]:
    """Deal cards by Microsoft's generator, as `Microsoft.stream` describes it."""
    x = number % 2**32
    dealt = []
    for left in range(len(cards), 0, -1):
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


class PySolFC(Numbering):
    """The numbers of PySolFC, up to twenty digits; for every game, each dealt as it does."""

    name = "pysol"
    describes = "PySolFC; below 32000 by Microsoft's generator, from there on by Mersenne Twister"
    first = 1
    last = 10**20 - 1
    orders: ClassVar[Mapping[str, Sequence[int] | None]] = {
        "freecell": None,
        "pyramid": None,
        # The base card comes first, then the reserve, then the piles from the last to the first.
        "plot": [*range(1, 14), 0, *range(25, 13, -1), *range(26, 104)],
    }
    #: Numbers below it are dealt by Microsoft's generator.
    _TWISTED_FROM = 32000

    def describes_for(self, game_name: str) -> str:
        """Return the phrase for `winnable games`."""
        if game_name == "freecell":
            return f"{self.describes}: 1..31999 are the deals of ms"
        return self.describes

    def check_microsoft(self, number: int) -> None:
        """Raise InvalidNumberError for a number that the Mersenne Twister deals."""
        if number >= self._TWISTED_FROM:
            super().check_microsoft(number)

    def stream(self, number: int, size: int) -> list[int]:
        """Return the cards that a number deals, first dealt first.

        Source: PySolFC. The deck is in order AC 2C .. KC, then spades, hearts and diamonds, two
        decks one after the other. For left = size..2 the card at `pick`, of those before `left`,
        changes places with the last of them; then the last card is dealt first. Numbers below
        32000: the picks are those of Microsoft's generator, and a single deck is in Microsoft's
        order. From 32000 on: Python's generator, the Mersenne Twister, is seeded by the number,
        and pick = int(random() * left).
        """
        small = self.check(number) < self._TWISTED_FROM
        if small and size == DECK_SIZE:
            return _deal_ms(list(range(DECK_SIZE)), number)
        cards = by_suit(size)
        if small:
            return _deal_ms(cards, number)
        draw = random.Random(number).random
        for left in range(size, 1, -1):
            pick = int(draw() * left)
            cards[pick], cards[left - 1] = cards[left - 1], cards[pick]
        return cards[::-1]

    def _deal(
        self, numbers: NDArray[Any], size: int, order: Sequence[int] | None
    ) -> NDArray[np.uint8]:
        """Deal valid numbers by the kernels."""
        import numpy as np

        from dealgen.numbering_kernel import deal_ms, deal_twisted

        unshuffled = by_suit(size)
        small = (numbers < self._TWISTED_FROM).astype(bool)
        decks = np.empty((len(numbers), size), np.uint8)
        decks[small] = deal_ms(
            numbers[small].astype(np.int64), size, order, None if size == DECK_SIZE else unshuffled
        )
        decks[~small] = deal_twisted(numbers[~small], unshuffled, order)
        return decks


def by_suit(size: int) -> list[int]:
    """Return PySolFC's unshuffled decks: clubs, spades, hearts and diamonds, each ace to king."""
    suits = (CLUBS, SPADES, HEARTS, DIAMONDS)
    deck = [card_of(rank, suit) for suit in suits for rank in range(1, RANKS + 1)]
    return deck * (size // DECK_SIZE)


NUMBERINGS: dict[str, Numbering] = {
    numbering.name: numbering for numbering in (Microsoft(), PySolFC())
}
DEFAULT_NUMBERING = "ms"


def separators_in(text: str) -> str:
    """Return why a text is not a number when it is one with thousands separators, else ""."""
    if not _THOUSANDS.fullmatch(text):
        return ""
    return f": it has thousands separators, so write {''.join(filter(str.isdigit, text))}"


def numbering_of(name: str) -> Numbering:
    """Return a numbering by name, in any case; raises UnknownNameError listing the names."""
    return NUMBERINGS[known_name("numbering", name, NUMBERINGS)]


def default_numbering(game: AnyGame, profile: str | None) -> Numbering:
    """Return the numbering that goes with a profile, as it was asked for.

    profile  its text, such as `pysol,initial_waste=0`; None for the game's default
    """
    name = game.default_profile if profile is None else profile.partition(",")[0].lower()
    return NUMBERINGS[game.profile_numberings.get(name, DEFAULT_NUMBERING)]


def numberings_for(game_name: str) -> list[Numbering]:
    """Return the numberings that a game has."""
    return [
        numbering
        for numbering in NUMBERINGS.values()
        if numbering.orders is None or game_name in numbering.orders
    ]
