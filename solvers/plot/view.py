"""Where The Plot's cards lie on the screen."""

from __future__ import annotations

from solvers.cards import RANK_LETTERS, RANKS
from solvers.plot.rules import PILES, State
from solvers.view import Label, Spot, View, heaps

#: Reserve, stock and waste are shown spread out, so many cards to a row.
_SPREAD = 13


def view(state: State) -> View:
    """Return the view: reserve, foundations, piles, stock, and waste if any.

    Suits never matter, and the foundations do not keep them: they are shown as how many cards
    of each rank are out.
    """
    out = [(state.base - 1 + above) % RANKS for above in range(RANKS)]
    above = heaps({"reserve:": state.reserve}, 0, _SPREAD)
    labels = [*above.labels, Label(0, 3, "foundations:"), Label(0, 6, "piles:")]
    labels += [Label(x, 7, str(x + 1)) for x in range(PILES)]
    spots = [*above.spots]
    spots += [
        Spot(x, 4, None, f"{RANK_LETTERS[rank]}×{state.foundations[rank]}")
        for x, rank in enumerate(out)
        if state.foundations[rank]
    ]
    spots += [Spot(x, 8, None) for x, pile in enumerate(state.piles) if not pile]
    spots += [
        Spot(x, 8 + depth, card)
        for x, pile in enumerate(state.piles)
        for depth, card in enumerate(pile)
    ]
    rest = {"stock:": state.stock} | ({"waste:": state.waste} if state.waste else {})
    below = heaps(rest, 9 + max(1, *map(len, state.piles)), _SPREAD)
    return View((*spots, *below.spots), (*labels, *below.labels))
