"""The player behind the grade `freecell-2`, written from its description, in plain Python."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from oracles.pyramid_player import Dice

#: Clubs, diamonds, hearts, spades.
RED = (False, True, True, False)
TICKETS = [round(2 ** (20 - eighth / 8)) for eighth in range(8)]
#: The table of points.
OVER, COVER, BREAK, SPLIT, SHORT, HOME, FOLLOW, TAKES, KING = 8, 8, 32, 36, 8, 40, 46, 10, 25
CELL = (90, 60, 90, 120, 130, 130, 130)
EMPTY = (140, 85, 60, 30, 30, 30, 30, 30)


class Card(NamedTuple):
    """A card, aces being 0; cards compare by rank and then by suit."""

    rank: int
    suit: int


class Move(NamedTuple):
    """Cards, highest first, from a column or a cell (None) to a column or a cell (None)."""

    cards: tuple[Card, ...]
    source: int | None
    target: int | None


@dataclass
class Table:
    """A position, and the two rules that count."""

    columns: list[list[Card]]
    cells: int
    by_suit: bool
    held: list[Card] = field(default_factory=list)
    home: list[int] = field(default_factory=lambda: [0] * 4)

    def fits(self, card: Card, on: Card) -> bool:
        """Say whether a card may be built on another."""
        matches = card.suit == on.suit if self.by_suit else RED[card.suit] != RED[on.suit]
        return matches and card.rank + 1 == on.rank

    def goes_home(self, card: Card) -> bool:
        """Say whether a card is the next of its suit."""
        return self.home[card.suit] == card.rank

    def run(self, cards: list[Card]) -> list[Card]:
        """Return the longest ordered end of some cards."""
        start = len(cards) - 1
        while start > 0 and self.fits(cards[start], cards[start - 1]):
            start -= 1
        return cards[start:]

    @property
    def free(self) -> int:
        """Empty cells."""
        return self.cells - len(self.held)

    @property
    def empty(self) -> list[int]:
        """Columns without cards."""
        return [index for index, column in enumerate(self.columns) if not column]

    @property
    def ends(self) -> list[Card]:
        """The end card of each column."""
        return [column[-1] for column in self.columns if column]

    def send_home(self) -> None:
        """Let all cards go home that can."""
        while True:
            for place in (*self.columns, self.held):
                gone = [
                    card
                    for card in (place if place is self.held else place[-1:])
                    if self.goes_home(card)
                ]
                for card in gone:
                    place.remove(card)
                    self.home[card.suit] += 1
                if gone:
                    break
            else:
                return

    def is_easily_won(self) -> bool:
        """Say whether there is a place for each card that lies over a lower one."""
        over = sum(
            any(low.rank < card.rank for low in column[:row])
            for column in self.columns
            for row, card in enumerate(column)
        )
        return over <= self.free + len(self.empty)

    def moves(self) -> list[Move]:
        """Return the moves that the player thinks of, in order."""
        room = (self.free + 1) * 2 ** len(self.empty)
        runs = {source: self.run(column) for source, column in enumerate(self.columns) if column}
        onto_cards = [
            (run[start], column[-1], Move(tuple(run[start:]), source, target))
            for source, run in [*runs.items(), *((None, [card]) for card in self.held)]
            for start in range(len(run))
            for target, column in enumerate(self.columns)
            if column and self.fits(run[start], column[-1]) and len(run) - start <= room
        ]
        found = [move for _, _, move in sorted(onto_cards, key=lambda each: each[:2])]
        if self.empty:
            for source, run in runs.items():
                if len(run) < len(self.columns[source]) and len(run) <= room // 2:
                    found.append(Move(tuple(run), source, self.empty[0]))
            found += [Move((card,), None, self.empty[0]) for card in sorted(self.held)]
        if self.free:
            singles = [(run[0], source) for source, run in runs.items() if len(run) == 1]
            found += [Move((card,), source, None) for card, source in sorted(singles)]
        return found

    def worth(self, move: Move) -> int:
        """Return the points of a move."""
        count, points = len(move.cards), 0
        needed = [Card(self.home[suit], suit) for suit in range(4)]
        if move.source is None:
            points += CELL[len(self.held) - 1]
        else:
            column = self.columns[move.source]
            left = column[:-count]
            for row in range(len(left), len(column)):
                lowest = min([card.rank for card in column[:row]], default=13)
                if lowest < column[row].rank:
                    points += max(0, OVER - lowest)
            points += COVER * count * sum(card in column for card in needed)
            if not left:
                points += EMPTY[len(self.empty)]
            else:
                points += BREAK if count == len(self.run(column)) else -SPLIT
                points += SHORT * count * max(0, 4 - len(left))
                if self.goes_home(left[-1]):
                    points += HOME
                else:
                    head = self.run(left)[0]
                    if any(self.fits(head, end) for end in self.ends):
                        points += FOLLOW
                    if any(self.fits(card, left[-1]) for card in self.ends + self.held):
                        points += TAKES
        if move.target is None:
            points -= CELL[len(self.held)]
        elif not self.columns[move.target]:
            points -= EMPTY[len(self.empty) - 1]
            if move.cards[0].rank == 12:
                points += KING
        else:
            column = self.columns[move.target]
            lowest = min(card.rank for card in column)
            over = sum(card.rank > lowest for card in move.cards)
            points -= over * max(0, OVER - lowest)
            points -= COVER * count * sum(card in column for card in needed)
        return points

    def after(self, move: Move) -> Table:
        """Return the position after a move."""
        columns, held = [list(column) for column in self.columns], list(self.held)
        for card in move.cards:
            (held if move.source is None else columns[move.source]).remove(card)
        (held if move.target is None else columns[move.target]).extend(move.cards)
        return Table(columns, self.cells, self.by_suit, held, list(self.home))

    def key(self) -> object:
        """Return what is alike for positions that the player takes to be the same."""
        return (
            frozenset(tuple(column) for column in self.columns),
            frozenset(self.held),
            tuple(self.home),
        )


def wins(deck: Sequence[int], number: int, cells: int, by_suit: bool, *, wild: bool) -> bool:
    """Play a deal once, soberly or wildly; tell whether the player wins."""
    columns = [[Card(card // 4, card % 4) for card in deck[start::8]] for start in range(8)]
    table = Table(columns, cells, by_suit)
    dice = Dice(deck, number)
    seen = set()
    for turn in itertools.count():
        table.send_home()
        if table.is_easily_won():
            return True
        if turn == 100:
            return False
        seen.add(table.key())
        choices = [(move, table.worth(move)) for move in table.moves()]
        while choices:
            best = max(worth for _, worth in choices)
            behind = [(best - worth) // (2 if wild else 1) for _, worth in choices]
            lots = [TICKETS[points % 8] >> points // 8 for points in behind]
            pick = 0
            if len(choices) > 1:
                ticket = dice.draw(sum(lots))
                while ticket >= lots[pick]:
                    ticket -= lots[pick]
                    pick += 1
            after = table.after(choices.pop(pick)[0])
            if after.key() not in seen:
                table = after
                break
        else:
            return False
    raise AssertionError


def effort(
    deck: Sequence[int], cells: int, by_suit: bool, *, first: int = 0, parts: int = 1
) -> int:
    """Return the thousandths of a try that a win takes."""
    least, enough, most = 96 // parts, 2 // parts, 10_000 // parts
    tries = won = 0
    while tries < least or (won < enough and tries < most):
        won += wins(deck, first + tries, cells, by_suit, wild=tries >= least)
        tries += 1
    if tries > least and won == enough:
        return 1000 * tries // won
    return 1000 * (tries + 1) // (won + 1)
