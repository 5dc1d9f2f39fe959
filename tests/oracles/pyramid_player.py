"""The player behind the grade `pyramid-2`, written from its description, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence

from oracles.pyramid_naive import LYING_ON, Options

WORD = 1 << 64
PAIR, KING = 13, 13
#: Stock cards are named by their places in the deck; 0..27 are the pyramid's.
PYRAMID = range(28)


def mix(value: int) -> int:
    """Return SplitMix64's finaliser of 64 bits."""
    value ^= value >> 30
    value = value * 0xBF58476D1CE4E5B9 % WORD
    value ^= value >> 27
    value = value * 0x94D049BB133111EB % WORD
    return value ^ value >> 31


class Dice:
    """The numbers of one try; cards are 4 (rank - 1) + suit."""

    def __init__(self, deck: Sequence[int], number: int) -> None:
        value = len(deck)
        for card in deck:
            value = mix((value + card + 1) * 0x9E3779B97F4A7C15 % WORD)
        self.x = mix((value + number) % WORD)

    def draw(self, n: int) -> int:
        """Return one of 0..n - 1."""
        self.x = (self.x * 6364136223846793005 + 1442695040888963407) % WORD
        return (self.x >> 32) * n >> 32


def tickets(behind: int) -> int:
    """Return how many tickets a choice holds: half as many for every 8 points behind."""
    whole = [1048576, 961548, 881744, 808563, 741455, 679917, 623487, 571740]
    return whole[behind % 8] // 2 ** (behind // 8)


class Table:
    """A deal that is played; everything is looked up afresh, however slowly."""

    def __init__(self, deck: Sequence[int], options: Options) -> None:
        self.rank = [card // 4 + 1 for card in deck]
        self.options = options
        self.pyramid = set(PYRAMID)
        self.stock, self.waste = list(range(28, 52)), list[int]()
        self.turned_over = 0

    def without(self, cards: Sequence[int]) -> Table:
        """Return the table with some cards gone."""
        table = object.__new__(Table)
        table.rank, table.options = self.rank, self.options
        table.pyramid = self.pyramid - set(cards)
        table.stock = [card for card in self.stock if card not in cards]
        table.waste = [card for card in self.waste if card not in cards]
        table.turned_over = self.turned_over
        return table

    def uncovered(self) -> list[int]:
        """Return the pyramid's free cards, apex first."""
        return [p for p in sorted(self.pyramid) if not self.pyramid & set(LYING_ON[p])]

    def pair(self, one: int, other: int) -> bool:
        """Tell whether two cards make a pair."""
        return self.rank[one] + self.rank[other] == PAIR

    def won(self) -> bool:
        """Tell whether the goal is reached."""
        return not self.pyramid and not (self.options.clear_all and (self.stock or self.waste))

    def king(self) -> int | None:
        """Return a king that may leave, the first by the description."""
        places = [*self.uncovered(), *self.waste[-1:]]
        if self.options.stock_top:
            places += self.stock[:1]
        return next((card for card in places if self.rank[card] == KING), None)

    def removals(self) -> list[tuple[int, int]]:
        """Return the pairs that may leave, in the description's order."""
        free = self.uncovered()
        within = [(a, b) for a in free for b in free if self.pair(a, b) and self.rank[a] < 7]
        found = sorted(within, key=lambda pair: (self.rank[pair[0]], pair))
        if self.options.cover_pairs:
            for place in sorted(self.pyramid):
                covers = [card for card in LYING_ON[place] if card in self.pyramid]
                if len(covers) == 1 and covers[0] in free and self.pair(place, covers[0]):
                    found.append((place, covers[0]))
        tops = [*self.waste[-1:], *(self.stock[:1] if self.options.stock_top else [])]
        for top in tops:
            found += [(place, top) for place in free if self.pair(place, top)]
        if len(tops) == 2 and self.waste and self.pair(*tops):
            found.append((tops[0], tops[1]))
        return found

    def worth(self, removal: tuple[int, int], left: Sequence[tuple[int, int]]) -> int:
        """Return what the careful player finds a removal worth."""
        after = self.without(removal)
        from_pyramid = [card for card in removal if card in self.pyramid]
        from_stock = [card for card in removal if card not in self.pyramid]
        free, free_after = self.uncovered(), after.uncovered()
        worth = -32 if removal in left else 0
        if not from_pyramid:
            worth -= 36
        elif not from_stock:
            worth += 24 if not set(from_pyramid) <= set(free) else 0
        else:
            if from_stock == self.waste[-1:]:
                below = after.waste[-1:]
                if below and any(self.pair(below[0], card) for card in free_after):
                    worth += 12
            else:
                worth -= 6
            ranks = [self.rank[card] for card in removal]
            inside = sum(self.rank[card] in ranks for card in self.pyramid)
            outside = sum(self.rank[card] in ranks for card in self.stock + self.waste)
            worth -= 24 if inside > outside else 0
        partners = [*free_after, *after.waste[-1:], *after.stock[:1]]
        for fresh in set(free_after) - set(free):
            king = self.rank[fresh] == KING
            worth += 20 if king or any(self.pair(fresh, card) for card in partners) else 0
        worth -= 8 * sum(self.pair(card, later) for card in from_pyramid for later in self.stock)
        return worth

    def worth_of_going_on(self) -> int:
        """Return what the careful player finds drawing, or turning over, worth."""
        if not self.stock:
            return -48
        wanted = any(self.pair(card, top) for top in self.waste[-1:] for card in self.pyramid)
        return -26 if wanted else -18


def wins(deck: Sequence[int], number: int, options: Options) -> bool:
    """Play a deal once; tell whether the player wins."""
    dice, table = Dice(deck, number), Table(deck, options)
    careful = dice.draw(2) == 1
    left: list[tuple[int, int]] = []
    passes = 0
    while True:
        king = table.king()
        if king is not None:
            table = table.without([king])
            passes = 0
            continue
        if table.won():
            return True
        removals = table.removals()
        may_turn = options.resets is None or table.turned_over < options.resets
        worths = [0] * len(removals)
        if careful:
            worths = [table.worth(removal, left) for removal in removals]
        if table.stock or (table.waste and may_turn):
            worths.append(table.worth_of_going_on() if careful else 0)
        if not worths:
            return False
        pick = 0
        if len(worths) > 1:
            held = [tickets(max(worths) - worth) for worth in worths]
            ticket = dice.draw(sum(held))
            while ticket >= held[pick]:
                ticket -= held[pick]
                pick += 1
        left = removals
        if pick < len(removals):
            table = table.without(removals[pick])
            passes = 0
        elif table.stock:
            table.waste.append(table.stock.pop(0))
        else:
            passes += 1
            if passes == 3:
                return False
            table.turned_over += 1
            table.stock, table.waste = table.waste, []


def effort(deck: Sequence[int], options: Options, first: int, parts: int) -> int:
    """Return the effort in thousandths, what is enough divided by `parts`."""
    least, enough, most = 600 // parts, 4 // parts, 20_000 // parts
    tries = won = 0
    while tries < least or (won < enough and tries < most):
        won += wins(deck, first + tries, options)
        tries += 1
    if tries > least and won == enough:
        return tries * 1000 // won
    return (tries + 1) * 1000 // (won + 1)
