"""Numberings of the tests' own: one beyond 64 bits, and one that deals boards twice."""

from __future__ import annotations

import random
from typing import ClassVar

from dealgen.numbering import Numbering, numbering_of
from solvers.cards import DECK_SIZE


class Huge(Numbering):
    """Twenty digits, as PySolFC's numbers have; for some games, each with an order of its own."""

    name = "huge"
    describes = "as many as there are"
    first = 0
    last = 10**20 - 1
    orders: ClassVar = {
        "fake": range(51, -1, -1),
        "freecell": [*range(26, 52), *range(26)],
        "pyramid": None,
    }

    def stream(self, number: int, size: int) -> list[int]:
        """Shuffle by Python's own generator."""
        self.check(number)
        cards = [index % DECK_SIZE for index in range(size)]
        random.Random(number).shuffle(cards)
        return cards


class Twice(Numbering):
    """Deals the boards of `ms` 1..PERIOD again and again."""

    PERIOD = 60

    name = "twice"
    describes = "few boards"
    first = 1
    last = 10_000

    def stream(self, number: int, size: int) -> list[int]:
        """Deal as `ms` does."""
        self.check(number)
        return numbering_of("ms").stream(1 + (number - 1) % self.PERIOD, size)
