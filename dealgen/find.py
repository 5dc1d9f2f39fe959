"""Which numbers deal a board: a range searched by dealing it in bulk. Solves nothing."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealgen.chunks import map_chunks
from dealgen.numbering import Numbering
from solvers.games import AnyGame

#: Deals looked at together: 5 MB of two decks each.
_CHUNK = 50_000


def find_numbers(
    game: AnyGame,
    numbering: Numbering,
    deck: Sequence[int],
    first: int,
    last: int,
    *,
    jobs: int = 1,
    on_deals: Callable[[int], None] | None = None,
) -> Generator[tuple[int, bool], None, None]:
    """Yield the numbers of first..last that deal a deck's board, ascending.

    deck      as `Game.whole_deal` returns it
    on_deals  called with how many more deals were looked at

    With each number comes whether it deals this very deck; otherwise the board's columns lie in
    another order (`Game.same_board`).
    """
    numbering.check_range(first, last, game.name)
    wanted = np.array(deck, np.uint8)
    begins = _beginning(wanted[np.newaxis], game.loose_cards)

    def work(numbers: range) -> tuple[int, list[tuple[int, bool]]]:
        decks = numbering.decks(game, numbers)
        alike = (_beginning(decks, game.loose_cards) == begins).all(axis=1)
        found = [(numbers[row], decks[row].tolist()) for row in np.flatnonzero(alike).tolist()]
        same = [(number, other) for number, other in found if game.same_board(deck, other)]
        return len(numbers), [(number, other == list(deck)) for number, other in same]

    numbering.decks(game, range(first, first + 1))  # loads what deals, before threads would
    span = range(first, last + 1)
    with closing(map_chunks(work, span, jobs=jobs, chunk_size=_CHUNK)) as results:
        for looked_at, found in results:
            yield from found
            if on_deals is not None:
                on_deals(looked_at)


def _beginning(decks: NDArray[Any], loose: int) -> NDArray[np.int64]:
    """Return the first cards of each deck so that equal boards have equal ones, `int64[n, words]`.

    loose  how many of the first cards may be in any order
    """
    cards = decks.astype(np.int64)
    if loose:
        return np.bitwise_or.reduce(1 << cards[:, :loose], axis=1, keepdims=True)
    return cards[:, :8]
