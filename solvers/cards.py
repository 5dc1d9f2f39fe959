"""Cards as small integers, and their names.

Owns ranks, suits, colours and card text. Knows no game.

A card is `(rank - 1) * 4 + suit`: 0 is AC, 51 is KS. This is also the order of
the unshuffled deck of the `ms` numbering, and it makes a set of cards a 52-bit
mask whose four-bit groups are ranks.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TypeAlias

from solvers.errors import NotationError, quoted

Card: TypeAlias = int
Rank: TypeAlias = int
Suit: TypeAlias = int

SUITS = 4
RANKS = 13
DECK_SIZE = SUITS * RANKS
KING = 13
CLUBS, DIAMONDS, HEARTS, SPADES = range(SUITS)

SUIT_LETTERS = "CDHS"
RANK_LETTERS = "A23456789TJQK"
_SUIT_BY_CHARACTER = {
    **{letter: suit for suit, letter in enumerate(SUIT_LETTERS)},
    **{letter.lower(): suit for suit, letter in enumerate(SUIT_LETTERS)},
    **{symbol: suit for suit, symbol in enumerate("♣♦♥♠")},
    **{symbol: suit for suit, symbol in enumerate("♧♢♡♤")},
}
_RANK_BY_TEXT = {
    **{letter: rank for rank, letter in enumerate(RANK_LETTERS, 1)},
    **{letter.lower(): rank for rank, letter in enumerate(RANK_LETTERS, 1)},
    "1": 1,
    "10": 10,
    "0": 10,
}
#: What phones write after a suit symbol: shown as an emoji, or as text.
_VARIATION = re.compile("(?<=[♣♦♥♠♧♢♡♤])[\ufe0e\ufe0f]")


def card_of(rank: Rank, suit: Suit) -> Card:
    """Return the card of a rank 1..13 and a suit 0..3; the ranges are not checked."""
    return (rank - 1) * SUITS + suit


def rank_of(card: Card) -> Rank:
    """Return the rank 1..13 of a card."""
    return (card >> 2) + 1


def suit_of(card: Card) -> Suit:
    """Return the suit 0..3 (clubs, diamonds, hearts, spades) of a card."""
    return card & 3


def is_red(card: Card) -> bool:
    """Tell whether a card is a diamond or a heart."""
    return card & 3 in (DIAMONDS, HEARTS)


def format_card(card: Card) -> str:
    """Write a card as rank and suit.

    >>> format_card(39)
    'TS'
    """
    return RANK_LETTERS[card >> 2] + SUIT_LETTERS[card & 3]


def parse_card(text: str) -> Card:
    """Read a card: rank and suit, in either order and any case, letters or suit symbols.

    Ten is `T`, `10` or `0`, and an ace `A` or `1`. Raises NotationError for anything else; nothing
    is guessed.

    >>> parse_card("10h") == parse_card("T♥") == parse_card("H0") == 38
    True
    """
    plain = text if text.isascii() else _VARIATION.sub("", text)
    rank, suit = _RANK_BY_TEXT.get(plain[:-1]), _SUIT_BY_CHARACTER.get(plain[-1:])
    if rank is None or suit is None:
        rank, suit = _RANK_BY_TEXT.get(plain[1:]), _SUIT_BY_CHARACTER.get(plain[:1])
    if rank is None or suit is None:
        raise NotationError(
            f"{quoted(text)} is not a card{_strangers(plain)}; a card is a rank "
            "A 2 3 4 5 6 7 8 9 T J Q K and a suit C D H S",
            text=text,
        )
    return card_of(rank, suit)


def _strangers(text: str) -> str:
    """Name the first character of a text that no card has, however much it looks like one's."""
    for character in text:
        if not character.isascii() and character not in _SUIT_BY_CHARACTER:
            name = unicodedata.name(character, "")
            return f", since it has U+{ord(character):04X} {name}".rstrip()
    return ""
