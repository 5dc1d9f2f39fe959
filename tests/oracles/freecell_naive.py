"""FreeCell once more, deliberately naive: a judge of lines, and a search of every position.

Shares no code with `solvers`: cards are texts, every move is tried, and nothing is pruned.
It owes its trust to the reference counts of reachable positions, and to being short.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

RANKS = "A23456789TJQK"
SUITS = "CDHS"
COLUMN_NAMES = "12345678"
CELL_NAMES = "abcdefg"
HOME = "h"
RANK = {rank + suit: number for number, rank in enumerate(RANKS, 1) for suit in SUITS}
RED = {card: card[1] in "DH" for card in RANK}


@dataclass(frozen=True)
class Options:
    """The options of a rules profile, by the names and values that profiles use."""

    cells: int = 4
    build: str = "alternate"
    supermove: str = "power"
    autoplay: str = "none"
    autoplay_on_deal: bool = True


class Table(NamedTuple):
    """A position: columns with the deepest card first, cells ("" is empty), ranks by suit."""

    columns: tuple[tuple[str, ...], ...]
    cells: tuple[str, ...]
    home: tuple[int, ...]


class Refused(Exception):
    """A move that the rules do not allow, and why."""


def read_board(text: str, options: Options) -> Table:
    """Read a board as the program writes it; the text is trusted."""
    columns, cells, home = [], [""] * options.cells, dict.fromkeys(SUITS, 0)
    for line in text.split("\n")[:-1]:
        name, _, rest = line.partition(":") if ":" in line else ("", "", line)
        if name == "Foundations":
            for item in rest.split():
                home[item[0]] = ("0" + RANKS).index(item[2])
        elif name == "Freecells":
            cells = [item.replace("--", "") for item in rest.split()]
        else:
            columns.append(tuple(rest.split()))
    return Table(tuple(columns), tuple(cells), tuple(home[suit] for suit in SUITS))


def goes_on(card: str, below: str, options: Options) -> bool:
    """Say whether a card may be built on another in a column."""
    matches = card[1] == below[1] if options.build == "suit" else RED[card] != RED[below]
    return matches and RANK[card] + 1 == RANK[below]


def room(table: Table, to_empty_column: bool, options: Options) -> int:
    """Say how many cards may move as one."""
    free_cells = table.cells.count("")
    free_columns = table.columns.count(())
    if to_empty_column:
        free_columns -= 1
    return {
        "power": (free_cells + 1) * 2**free_columns,
        "linear": (free_cells + 1) * (free_columns + 1),
        "single": 1,
    }[options.supermove]


def goes_home(card: str, home: tuple[int, ...]) -> bool:
    """Say whether a card is the next of its foundation."""
    return home[SUITS.index(card[1])] + 1 == RANK[card]


def goes_home_by_itself(card: str, home: tuple[int, ...], options: Options) -> bool:
    """Say whether the frontend would not wait for the player to move a card home."""
    if options.autoplay == "none" or not goes_home(card, home):
        return False
    if options.autoplay == "max" or RANK[card] < 3:
        return True
    others = [rank for rank, suit in zip(home, SUITS, strict=True) if (suit in "DH") != RED[card]]
    return min(others) >= RANK[card] - 1


def put_home(card: str, home: tuple[int, ...]) -> tuple[int, ...]:
    """Return the foundations with one more card."""
    return tuple(rank + (suit == card[1]) for rank, suit in zip(home, SUITS, strict=True))


def autoplayed(table: Table, options: Options) -> Table:
    """Move home, one card after another, what goes by itself."""
    for index, column in enumerate(table.columns):
        if column and goes_home_by_itself(column[-1], table.home, options):
            columns = (*table.columns[:index], column[:-1], *table.columns[index + 1 :])
            home = put_home(column[-1], table.home)
            return autoplayed(Table(columns, table.cells, home), options)
    for index, card in enumerate(table.cells):
        if card and goes_home_by_itself(card, table.home, options):
            cells = (*table.cells[:index], "", *table.cells[index + 1 :])
            return autoplayed(Table(table.columns, cells, put_home(card, table.home)), options)
    return table


def taken(table: Table, source: str) -> tuple[str, ...]:
    """Return all cards at a source, the one that leaves first at the end."""
    if source in COLUMN_NAMES:
        number = COLUMN_NAMES.index(source)
        cards = table.columns[number] if number < len(table.columns) else ()
    elif source in CELL_NAMES:
        number = CELL_NAMES.index(source)
        card = table.cells[number] if number < len(table.cells) else ""
        cards = (card,) if card else ()
    else:
        raise Refused("foundations keep their cards")
    if not cards:
        raise Refused("there is no card")
    return cards


def number_of_cards(
    table: Table, source: str, target: str, asked: int | None, options: Options
) -> int:
    """Return how many cards a move takes, or refuse it."""
    cards = taken(table, source)
    if source == target:
        raise Refused("nothing would move")
    if target == HOME:
        if not goes_home(cards[-1], table.home):
            raise Refused("the card is not the next of its foundation")
        count = 1
    elif target in CELL_NAMES:
        number = CELL_NAMES.index(target)
        if source in CELL_NAMES:
            raise Refused("cells do not take cards from cells")
        if number >= len(table.cells) or table.cells[number]:
            raise Refused("the cell is taken or does not exist")
        count = 1
    else:
        number = COLUMN_NAMES.index(target)
        if number >= len(table.columns):
            raise Refused("the column does not exist")
        column = table.columns[number]
        count = asked or 1
        if count > len(cards):
            raise Refused("there are not so many cards")
        if column:
            for size in [asked] if asked else range(1, len(cards) + 1):
                if goes_on(cards[-size], column[-1], options) and is_run(cards[-size:], options):
                    count = size
                    break
            else:
                raise Refused("no run, or not that one, fits on the card there")
        elif not is_run(cards[-count:], options):
            raise Refused("these cards are no run")
        if count > 1 and count > room(table, not column, options):
            raise Refused("too many cards for the free cells and columns")
    if asked is not None and asked != count:
        raise Refused("the number of cards does not fit")
    return count


def is_run(cards: tuple[str, ...], options: Options) -> bool:
    """Say whether each card is built on the one before."""
    return all(goes_on(card, below, options) for below, card in itertools.pairwise(cards))


def moved(table: Table, source: str, target: str, count: int) -> Table:
    """Return the table after some cards have moved, before autoplay."""
    columns, cells, home = list(table.columns), list(table.cells), table.home
    if source in COLUMN_NAMES:
        number = COLUMN_NAMES.index(source)
        cards = columns[number][-count:]
        columns[number] = columns[number][:-count]
    else:
        number = CELL_NAMES.index(source)
        cards = (cells[number],)
        cells[number] = ""
    if target == HOME:
        home = put_home(cards[0], home)
    elif target in CELL_NAMES:
        cells[CELL_NAMES.index(target)] = cards[0]
    else:
        columns[COLUMN_NAMES.index(target)] += cards
    return Table(tuple(columns), tuple(cells), home)


def played(table: Table, move: str, options: Options) -> Table:
    """Return the table after a move in standard notation and the autoplay after it."""
    source, target, count_text = move[0], move[1], move[3:]
    # Ten or more cards may be written as fc-solve does: a, b, c.
    asked = int(count_text, 10 if count_text.isdigit() else 16) if count_text else None
    count = number_of_cards(table, source, target, asked, options)
    return autoplayed(moved(table, source, target, count), options)


def is_won(table: Table) -> bool:
    """Say whether all cards are home."""
    return not any(table.columns) and not any(table.cells)


@dataclass(frozen=True)
class Replay:
    """What became of a line: whether it wins, or which move (from 1) was refused and why."""

    won: bool
    refused: int | None = None
    why: str = ""


def begun(table: Table, options: Options) -> Table:
    """Return the table as the player first sees it."""
    return autoplayed(table, options) if options.autoplay_on_deal else table


def replay(board: str, moves: list[str], options: Options) -> Replay:
    """Play a line from its text alone, strictly."""
    table = begun(read_board(board, options), options)
    for number, move in enumerate(moves, 1):
        try:
            table = played(table, move, options)
        except Refused as refusal:
            return Replay(False, number, f"{move}: {refusal}")
    return Replay(is_won(table))


@dataclass(frozen=True)
class Explored:
    """All that can be reached: whether a win is among it, and how many positions there are."""

    winnable: bool
    positions: int


def unordered(table: Table) -> Table:
    """Return the table with columns and cells sorted: their order decides nothing."""
    return Table(tuple(sorted(table.columns)), tuple(sorted(table.cells)), table.home)


def next_tables(table: Table, options: Options) -> set[Table]:
    """Try every move there could be; return the distinct tables it leads to."""
    columns = dict(zip(COLUMN_NAMES, table.columns, strict=False))
    cells = dict(zip(CELL_NAMES, table.cells, strict=False))
    # One empty column and one empty cell stand for all of them.
    targets = [name for name, column in columns.items() if column]
    targets += [name for name, column in columns.items() if not column][:1]
    targets += [name for name, card in cells.items() if not card][:1]
    targets += [HOME]
    found = set()
    for source in [*columns, *cells]:
        cards = columns.get(source, ("",))
        longest = 1
        while is_run(cards[-longest - 1 :], options) and longest < len(cards):
            longest += 1
        for target in targets:
            for count in range(1, (longest if target in columns else 1) + 1):
                try:
                    number_of_cards(table, source, target, count, options)
                except Refused:
                    continue
                after = autoplayed(moved(table, source, target, count), options)
                found.add(unordered(after))
    return found


def explore(table: Table, options: Options, at_most: int | None = None) -> Explored | None:
    """Visit every position that can be reached, the first one included, winning or not.

    Gives up, and returns None, when there are more than `at_most`.
    """
    first = unordered(begun(table, options))
    seen, waiting = {first}, [first]
    while waiting:
        new = next_tables(waiting.pop(), options) - seen
        seen |= new
        waiting += new
        if at_most is not None and len(seen) > at_most:
            return None
    return Explored(any(is_won(table) for table in seen), len(seen))
