"""Pyramid played by breadth-first search, as plainly as can be; shares nothing with solvers.

A card is its rank and a number that tells equal ranks apart only by place: ranks are all
that the rules look at. A position is (pyramid, stock, waste, resets): a tuple of 28 ranks
with 0 for a gap, two tuples of ranks, a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Position = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int]


@dataclass(frozen=True)
class Options:
    """The rules: resets allowed (None for any number), and the three switches."""

    resets: int | None
    cover_pairs: bool
    stock_top: bool
    clear_all: bool


def children_of(row: int, column: int) -> list[int]:
    """Return the two places that lie on a place."""
    if row == 6:
        return []
    below = (row + 1) * (row + 2) // 2
    return [below + column, below + column + 1]


LYING_ON = [children_of(row, column) for row in range(7) for column in range(row + 1)]


def moves(position: Position, options: Options) -> Iterator[Position]:
    """Yield every position one move away."""
    pyramid, stock, waste, resets = position
    free = [
        place
        for place in range(28)
        if pyramid[place] and not any(pyramid[other] for other in LYING_ON[place])
    ]

    def without(*places: int) -> tuple[int, ...]:
        return tuple(0 if place in places else rank for place, rank in enumerate(pyramid))

    for place in free:
        if pyramid[place] == 13:
            yield without(place), stock, waste, resets
        for other in free:
            if place < other and pyramid[place] + pyramid[other] == 13:
                yield without(place, other), stock, waste, resets
        if waste and pyramid[place] + waste[-1] == 13:
            yield without(place), stock, waste[:-1], resets
        if options.stock_top and stock and pyramid[place] + stock[0] == 13:
            yield without(place), stock[1:], waste, resets
    if options.cover_pairs:
        for place in range(28):
            on_it = [other for other in LYING_ON[place] if pyramid[other]]
            if not pyramid[place] or len(on_it) != 1 or on_it[0] not in free:
                continue
            if pyramid[place] + pyramid[on_it[0]] == 13:
                yield without(place, on_it[0]), stock, waste, resets
    if waste and waste[-1] == 13:
        yield pyramid, stock, waste[:-1], resets
    if options.stock_top and stock and stock[0] == 13:
        yield pyramid, stock[1:], waste, resets
    if options.stock_top and stock and waste and stock[0] + waste[-1] == 13:
        yield pyramid, stock[1:], waste[:-1], resets
    if stock:
        yield pyramid, stock[1:], (*waste, stock[0]), resets
    elif waste and (options.resets is None or resets < options.resets):
        # Where resets are not counted, they are not told apart either.
        yield pyramid, waste, (), resets if options.resets is None else resets + 1


def is_won(position: Position, options: Options) -> bool:
    """Tell whether the goal is reached."""
    pyramid, stock, waste, _resets = position
    return not any(pyramid) and not (options.clear_all and (stock or waste))


def fewest_moves(start: Position, options: Options, most_positions: int) -> int | None:
    """Return the fewest moves that win, -1 if nothing wins, None if there is too much to see."""
    if is_won(start, options):
        return 0
    seen = {start}
    layer = [start]
    length = 0
    while layer:
        length += 1
        following = []
        for position in layer:
            for after in moves(position, options):
                if after not in seen:
                    if is_won(after, options):
                        return length
                    seen.add(after)
                    following.append(after)
        if len(seen) > most_positions:
            return None
        layer = following
    return -1
