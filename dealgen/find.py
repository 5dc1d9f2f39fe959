"""Which numbers deal a board: a range searched by dealing it in bulk. Solves nothing."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealgen.chunks import map_chunks
from dealgen.numbering import Numbering
from solvers.games import AnyGame

#: Deals looked at together: 5 MB of two decks each.
_CHUNK = 50_000


class Match(NamedTuple):
    """A number that deals a board.

    at         which of the decks that were asked for
    same_deck  whether it deals this very deck; otherwise the board's parts lie in another order
    """

    number: int
    at: int
    same_deck: bool


def find_numbers(
    game: AnyGame,
    numbering: Numbering,
    boards: Sequence[Sequence[int]],
    first: int,
    last: int,
    *,
    jobs: int = 1,
    on_deals: Callable[[int], None] | None = None,
) -> Generator[Match, None, None]:
    """Yield the numbers of first..last that deal one of several boards, ascending.

    boards    their decks, as `Game.whole_deal` returns them
    on_deals  called with how many more deals were looked at
    """
    numbering.check_range(first, last, game.name)
    wanted = _beginning(np.array(boards, np.uint8), game.loose_cards)

    def work(numbers: range) -> tuple[int, list[Match]]:
        decks = numbering.decks(game, numbers)
        found = []
        for row in np.flatnonzero(np.isin(_beginning(decks, game.loose_cards), wanted)).tolist():
            other = decks[row].tolist()
            found += [
                Match(numbers[row], at, other == list(deck))
                for at, deck in enumerate(boards)
                if game.same_board(deck, other)
            ]
        return len(numbers), found

    numbering.decks(game, range(first, first + 1))  # loads what deals, before threads would
    span = range(first, last + 1)
    with closing(map_chunks(work, span, jobs=jobs, chunk_size=_CHUNK)) as results:
        for looked_at, found in results:
            yield from found
            if on_deals is not None:
                on_deals(looked_at)


def _beginning(decks: NDArray[np.uint8], loose: int) -> NDArray[np.int64]:
    """Return a number of the first cards of each deck, `int64[n]`, that equal boards share.

    loose  how many of the first cards may be in any order
    """
    if loose:
        return np.bitwise_or.reduce(1 << decks[:, :loose].astype(np.int64), axis=1)
    return decks[:, :8].copy().view(np.int64)[:, 0]
