"""What a picture of a position needs to know: which card lies where on the screen.

Owns the units; each game's `view` room says where its cards lie, and whoever draws says how.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from solvers.cards import Card


class Spot(NamedTuple):
    """A place on the screen, with a card or empty.

    x     in widths of a card from the left, gap included; halves occur
    y     in rows from the top; a card lies over the one a row above it
    card  None for an empty place
    note  what an empty place or the heap on it holds, such as a count; "" for nothing
    """

    x: float
    y: int
    card: Card | None
    note: str = ""


class Label(NamedTuple):
    """A word on the screen, in units as of a spot."""

    x: float
    y: int
    text: str


class View(NamedTuple):
    """A whole table. Spots that lie over others come later."""

    spots: tuple[Spot, ...]
    labels: tuple[Label, ...]


def heaps(parts: Mapping[str, Sequence[Card]], y: int, width: int) -> View:
    """Lay heaps of cards one below the other from y on, each spread out under its name."""
    spots: list[Spot] = []
    labels = []
    for name, cards in parts.items():
        labels.append(Label(0, y, name))
        spots += [Spot(at % width, y + 1 + at // width, card) for at, card in enumerate(cards)]
        y += 2 + -(-len(cards) // width)
    return View(tuple(spots), tuple(labels))
