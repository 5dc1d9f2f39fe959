"""Where Pyramid's cards lie on the screen."""

from __future__ import annotations

from solvers.pyramid.rules import NO_CARD, ROW_OF, ROWS, State
from solvers.view import Spot, View, heaps

#: Stock and waste are shown spread out, so many cards to a row.
_SPREAD = 12


def view(state: State) -> View:
    """Return the view: the pyramid, then the stock in order of drawing, and the waste if any."""
    spots = []
    for place, (card, row) in enumerate(zip(state.pyramid, ROW_OF, strict=True)):
        x = place - row * (row + 1) / 2 + (ROWS - 1 - row) / 2
        if card != NO_CARD:
            spots.append(Spot(x, row, card))
    rest = {"stock:": state.stock} | ({"waste:": state.waste} if state.waste else {})
    below = heaps(rest, ROWS + 1, _SPREAD)
    return View((*spots, *below.spots), below.labels)
