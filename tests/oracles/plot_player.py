"""The player behind the grade `plot-2`, written from docs/grading.md, in plain Python.

Cards are (rank above the base rank, 0..12); foundations are heights, piles are lists.
"""

from __future__ import annotations

from collections.abc import Sequence

from oracles.pyramid_player import Dice

LAST = 12
#: Tickets, by kind of move, in the order in which kinds are walked.
TICKETS = {
    "reserve out": 48,
    "pile out": 32,
    "waste out": 40,
    "onto pile": 11,
    "into space": 11,
    "across": 8,
    "deal": 13,
}


def allowances(reserve: Sequence[int]) -> list[list[int]]:
    """Return, by how many reserve cards are left, how many cards of each rank may be out."""
    rows = [[8] * 13]
    for card in reserve:
        row = list(rows[-1])
        row[card] -= 1
        for rank in range(1, 13):
            row[rank] = min(row[rank], row[rank - 1])
        rows.append(row)
    return rows


class Table:
    """A deal that is played."""

    def __init__(self, deck: Sequence[int], isolation: str, initial_waste: int) -> None:
        base = deck[13] // 4
        cards = [(card // 4 - base) % 13 for card in deck]
        self.reserve, self.piles = cards[:13], [[card] for card in cards[14:26]]
        self.stock = cards[26:]
        self.waste = [self.stock.pop(0) for _ in range(initial_waste)]
        #: Heights of the eight foundations.
        self.heights = [1] + [0] * 7
        self.isolation = isolation
        self.allowed = allowances(self.reserve)

    def phase_one(self) -> bool:
        """Tell whether no foundation is full."""
        return max(self.heights) < 13

    def may_go(self, card: int, reserve_left: int) -> bool:
        """Tell whether a card may go out."""
        if card == 0 and self.phase_one():
            return False
        out = sum(height > card for height in self.heights)
        return card in self.heights and out < self.allowed[reserve_left][card]

    def holds(self, below: int, card: int) -> bool:
        """Tell whether a card may be built on another."""
        isolated = self.isolation == "always" or (self.isolation == "phase1" and self.phase_one())
        if isolated and 0 in (below, card):
            return False
        return below == (card + 1) % 13

    def moves(self) -> list[tuple[str, int, int]]:
        """Return (kind, from pile, to pile) of all moves, in the order of the lottery."""
        found: list[tuple[str, int, int, int]] = []
        left = len(self.reserve)
        if self.reserve and self.may_go(self.reserve[-1], left - 1):
            found.append(("reserve out", 0, 0, 0))
        for place, pile in enumerate(self.piles):
            if pile and self.may_go(pile[-1], left):
                found.append(("pile out", pile[-1], place, 0))
        if self.waste:
            card = self.waste[-1]
            if self.may_go(card, left):
                found.append(("waste out", 0, 0, 0))
            for place, pile in enumerate(self.piles):
                if pile and self.holds(pile[-1], card):
                    found.append(("onto pile", 0, 0, place))
            if [] in self.piles and (card == 0 or not self.phase_one()):
                found.append(("into space", 0, 0, self.piles.index([])))
        for place, pile in enumerate(self.piles):
            for other, target in enumerate(self.piles):
                if len(pile) == 1 and target and place != other and self.holds(target[-1], pile[0]):
                    found.append(("across", pile[0], place, other))
        if self.stock:
            found.append(("deal", 0, 0, 0))
        kinds = list(TICKETS)
        found.sort(key=lambda move: (kinds.index(move[0]), *move[1:]))
        return [(kind, source, target) for kind, _, source, target in found]

    def make(self, kind: str, source: int, target: int) -> None:
        """Make a move."""
        if kind == "deal":
            self.waste.append(self.stock.pop(0))
            return
        heaps = {"reserve out": self.reserve, "pile out": self.piles[source]}
        heaps["across"] = self.piles[source]
        card = heaps.get(kind, self.waste).pop()
        if kind.endswith(" out"):
            self.heights[self.heights.index(card)] += 1
        else:
            self.piles[target].append(card)

    def won(self) -> bool:
        """Tell whether all cards are out."""
        return sum(self.heights) == 104


def wins(deck: Sequence[int], number: int, isolation: str, initial_waste: int) -> bool:
    """Play a deal once; tell whether the player wins."""
    dice = Dice([card // 4 for card in deck], number)
    table = Table(deck, isolation, initial_waste)
    while not table.won():
        moves = table.moves()
        if not moves:
            return False
        pick = 0
        if len(moves) > 1:
            ticket = dice.draw(sum(TICKETS[kind] for kind, _, _ in moves))
            while ticket >= TICKETS[moves[pick][0]]:
                ticket -= TICKETS[moves[pick][0]]
                pick += 1
        table.make(*moves[pick])
    return True


def effort(deck: Sequence[int], isolation: str, initial_waste: int, first: int, parts: int) -> int:
    """Return thousandths of a try."""
    least, enough, most = 288 // parts, 8 // parts, 8192 // parts
    tries = won = 0
    while tries < least or (won < enough and tries < most):
        won += wins(deck, first + tries, isolation, initial_waste)
        tries += 1
    if tries > least and won == enough:
        return 1000 * tries // won
    return 1000 * (tries + 1) // (won + 1)
