"""Where FreeCell's cards lie on the screen."""

from __future__ import annotations

from solvers.cards import SUITS, card_of
from solvers.freecell.rules import NO_CARD, PLACE_NAMES, State, deck_of
from solvers.view import Label, Spot, View

#: Foundations stand right of the cells, and end where the last column does.
_COLUMNS = 8


def view(state: State) -> View:
    """Return the view: cells and foundations in mid-game, numbers, columns."""
    spots: list[Spot] = []
    labels: list[Label] = []
    top = 0
    if deck_of(state) is None:
        labels += [Label(x, 0, PLACE_NAMES[_COLUMNS + x]) for x in range(len(state.cells))]
        spots += [
            Spot(x, 1, None if card == NO_CARD else card) for x, card in enumerate(state.cells)
        ]
        first = max(_COLUMNS - SUITS, len(state.cells))
        labels.append(Label(first, 0, "home"))
        spots += [
            Spot(first + suit, 1, card_of(rank, suit) if rank else None)
            for suit, rank in enumerate(state.foundations)
        ]
        top = 3
    labels += [Label(x, top, PLACE_NAMES[x]) for x in range(len(state.columns))]
    spots += [
        Spot(x, top + 1 + depth, card)
        for x, column in enumerate(state.columns)
        for depth, card in enumerate(column)
    ]
    return View(tuple(spots), tuple(labels))
