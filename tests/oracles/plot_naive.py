"""The Plot, told a second time: a naive game on ranks, for exhaustive search and for replays.

Shares no code with `solvers`. Real foundations are kept as lists of heights, not as counters,
so that the rules of the first foundation are told in another way. Reduced games have fewer
ranks, copies, piles and reserve cards.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

RANK_LETTERS = "A23456789TJQK"


@dataclass(frozen=True)
class Game:
    """A position; ranks are 1..ranks, `isolation` is phase1, none or always."""

    ranks: int
    base: int
    isolation: str
    reserve: tuple[int, ...]
    foundations: tuple[int, ...]  # height of each started foundation, the first one first
    piles: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...]
    waste: tuple[int, ...]

    def next_rank(self, rank: int) -> int:
        """Return the rank above, round the corner."""
        return 1 if rank == self.ranks else rank + 1

    def phase_one(self) -> bool:
        """Tell whether the first foundation lacks cards."""
        return self.foundations[0] < self.ranks

    def isolated(self, rank: int) -> bool:
        """Tell whether a card in the tableau neither builds nor is built upon."""
        if rank != self.base or self.isolation == "none":
            return False
        return self.isolation == "always" or self.phase_one()

    def after_foundation(self, rank: int) -> tuple[int, ...] | None:
        """Return the foundations after a card has gone to one of them, or None."""
        if rank == self.base:
            return None if self.phase_one() else (*self.foundations, 1)
        for index, height in enumerate(self.foundations):
            top = (self.base + height - 2) % self.ranks + 1
            if height < self.ranks and self.next_rank(top) == rank:
                return (*self.foundations[:index], height + 1, *self.foundations[index + 1 :])
        return None

    def won(self) -> bool:
        """Tell whether all cards are on foundations."""
        return not self.reserve and not self.stock and not self.waste and not any(self.piles)

    def after(self, move: str) -> Game | None:
        """Return the position after a move given as text, or None for one that is not allowed."""
        if move == "draw":
            if not self.stock:
                return None
            return self._with(stock=self.stock[1:], waste=(*self.waste, self.stock[0]))
        source, target = move.split(">")
        piles, left = self.piles, dict[str, object]()
        if source == "r":
            cards = self.reserve
            left["reserve"] = cards[:-1]
        elif source == "w":
            cards = self.waste
            left["waste"] = cards[:-1]
        else:
            place = int(source) - 1
            cards = piles[place]
            piles = (*piles[:place], cards[:-1], *piles[place + 1 :])
        if not cards:
            return None
        if target == "f":
            out = self.after_foundation(cards[-1])
            return None if out is None else self._with(**left, piles=piles, foundations=out)
        index = int(target) - 1
        takes = self._takes(self.piles[index], cards[-1], from_waste=source == "w")
        if source in ("r", target) or not takes:
            return None
        return self._with(**left, piles=self._put(piles, index, cards[-1]))

    def successors(self) -> Iterator[tuple[str, Game]]:
        """Yield every move as text with the position after it, every space as its own target."""
        numbers = [str(number) for number in range(1, len(self.piles) + 1)]
        moves = [f"{source}>{target}" for source in ("w", *numbers) for target in ("f", *numbers)]
        for move in ("draw", "r>f", *moves):
            after = self.after(move)
            if after is not None:
                yield move, after

    def _takes(self, pile: tuple[int, ...], rank: int, *, from_waste: bool) -> bool:
        """Tell whether a pile takes a card."""
        if not pile:
            return from_waste and (rank == self.base or not self.phase_one())
        if self.isolated(rank) or self.isolated(pile[-1]):
            return False
        return self.next_rank(rank) == pile[-1]

    @staticmethod
    def _put(
        piles: tuple[tuple[int, ...], ...], index: int, rank: int
    ) -> tuple[tuple[int, ...], ...]:
        """Return the piles with a card more on one."""
        return (*piles[:index], (*piles[index], rank), *piles[index + 1 :])

    def _with(self, **changes: object) -> Game:
        """Return the position with some fields changed."""
        return Game(**{**self.__dict__, **changes})  # type: ignore[arg-type]


def deal(
    deck: list[int], *, ranks: int, reserve: int, piles: int, isolation: str, initial_waste: int
) -> Game:
    """Lay ranks out: the reserve bottom to top, the base card, the piles, the stock."""
    rest = deck[reserve + 1 + piles :]
    return Game(
        ranks,
        deck[reserve],
        isolation,
        tuple(deck[:reserve]),
        (1,),
        tuple((rank,) for rank in deck[reserve + 1 : reserve + 1 + piles]),
        tuple(rest[initial_waste:]),
        tuple(rest[:initial_waste]),
    )


def canonical(game: Game) -> tuple[object, ...]:
    """Return a key in which the order of piles and of foundations has no part."""
    return (
        game.reserve,
        game.foundations[0],
        tuple(sorted(game.foundations)),
        tuple(sorted(game.piles)),
        game.stock,
        game.waste,
    )


def winnable(game: Game, limit: int) -> bool | None:
    """Decide a position by breadth-first search; None past `limit` positions."""
    seen = {canonical(game)}
    level = [game]
    while level:
        following = []
        for position in level:
            if position.won():
                return True
            for _, after in position.successors():
                key = canonical(after)
                if key not in seen:
                    seen.add(key)
                    following.append(after)
        if len(seen) > limit:
            return None
        level = following
    return False


def replay(game: Game, moves: list[str]) -> bool:
    """Play moves given as text; tell whether all are legal and the game is won."""
    for move in moves:
        after = game.after(move)
        if after is None:
            return False
        game = after
    return game.won()


def game_of(cards: list[str], isolation: str, initial_waste: int) -> Game:
    """Lay the full game out from 104 cards as text."""
    deck = [RANK_LETTERS.index(card[0]) + 1 for card in cards]
    return deal(
        deck, ranks=13, reserve=13, piles=12, isolation=isolation, initial_waste=initial_waste
    )


def shuffled(seed: int, *, ranks: int, copies: int) -> list[int]:
    """Return a reduced deck of ranks, shuffled."""
    deck = [rank for rank in range(1, ranks + 1) for _ in range(copies)]
    random.Random(seed).shuffle(deck)
    return deck
