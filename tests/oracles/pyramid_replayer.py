"""Pyramid lines replayed from their text, card by card; shares nothing with solvers."""

from __future__ import annotations

from oracles.pyramid_naive import LYING_ON, Options

RANKS = "A23456789TJQK"


def value(card: str) -> int:
    """Return what a card counts, ace 1 to king 13."""
    return RANKS.index(card[0]) + 1


class Table:
    """The cards on the table; a place of the pyramid holds "" once its card is gone."""

    def __init__(
        self,
        pyramid: list[str | None],
        stock: list[str],
        waste: list[str],
        resets: int,
        options: Options,
    ) -> None:
        self.pyramid = [card or "" for card in pyramid]
        self.stock, self.waste, self.resets = list(stock), list(waste), resets
        self.options = options

    def won(self) -> bool:
        """Say whether all is gone that must go."""
        rest = self.options.clear_all and (self.stock or self.waste)
        return not any(self.pyramid) and not rest

    def lying_on(self, card: str) -> list[str]:
        """Return what still covers a card of the pyramid."""
        covers = LYING_ON[self.pyramid.index(card)]
        return [self.pyramid[place] for place in covers if self.pyramid[place]]

    def free(self, card: str, leaving_with: list[str]) -> bool:
        """Say whether a card may leave, alone or with another."""
        if card in self.pyramid:
            covers = self.lying_on(card)
            if covers and self.options.cover_pairs:
                return covers == leaving_with and not self.lying_on(covers[0])
            return not covers
        if self.waste[-1:] == [card]:
            return True
        return self.options.stock_top and self.stock[:1] == [card]

    def play(self, move: str) -> bool:
        """Make a move; say whether it was allowed."""
        if self.won():
            return False
        if move == "draw":
            if not self.stock:
                return False
            self.waste.append(self.stock.pop(0))
            return True
        if move == "reset":
            spent = self.options.resets is not None and self.resets >= self.options.resets
            if self.stock or not self.waste or spent:
                return False
            self.stock, self.waste, self.resets = self.waste, [], self.resets + 1
            return True
        cards = move.split()
        if len(set(cards)) != len(cards) or sum(map(value, cards)) != 13:
            return False
        if not all(self.free(card, [other for other in cards if other != card]) for card in cards):
            return False
        for card in cards:
            if card in self.pyramid:
                self.pyramid[self.pyramid.index(card)] = ""
            elif card in self.waste:
                self.waste.remove(card)
            else:
                self.stock.remove(card)
        return True


def replay(table: Table, moves: list[str]) -> bool:
    """Play a line; say whether every move was allowed and it wins."""
    return all(table.play(move) for move in moves) and table.won()
