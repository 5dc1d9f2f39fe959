"""FreeCell boards as people and programs write them, read into columns, cells and foundations.

Owns which texts are read, and in what layout. What is read may still not be a legal position:
that is for `notation` and `rules` to say. A text that could be meant in two ways is refused.

The layouts, of which `docs/boards.md` has an example each:

    columns  a line a column, deepest card first; every empty column is written
    rows     as the deal lies on the table: six lines of eight cards and one of four
    a deck   52 cards on one line in the order of dealing
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from solvers.cards import (
    DECK_SIZE,
    RANK_LETTERS,
    RANKS,
    SUIT_LETTERS,
    SUITS,
    Card,
    parse_card,
    rank_of,
    suit_of,
)
from solvers.errors import NotationError, quoted
from solvers.freecell.rules import MAX_COLUMNS, NO_CARD
from solvers.reading import (
    board_lines,
    json_cards,
    json_count,
    json_list,
    json_object,
    place_in_line,
    read_card,
    tokens_of,
)

#: How a board may be said to lie; `auto` finds out, where no doubt is possible.
LAYOUTS = ("auto", "columns", "rows")

_TOKEN = re.compile(r"\S+")
_COLON = re.compile(r"\s*:")
#: What may stand before a colon, in other programs' spellings.
_HEADING = re.compile(r"\s*(?:(foundations?|founds?)|(free ?cells?|cells?|fc))\s*:", re.IGNORECASE)
#: A column's name before its colon: `C1:`, `3:`, `Column 8:`.
_LABEL = re.compile(r"\s*(?:c|col|column|pile|stack|tableau)? ?([1-8])\s*:", re.IGNORECASE)
_NO_CARD_TOKENS = ("--", "-", "*")
#: fc-solve prints a cell as four characters, all blank when the cell is empty.
_CELL_WIDTH = 4
_JSON_KEYS = ("columns", "cells", "foundations")
#: What Solvitaire calls the columns.
_SOLVITAIRE_KEY = "tableau piles"
#: The numbers of the columns above a table.
_NUMBERS = [str(number) for number in range(1, MAX_COLUMNS + 1)]
#: A deal row by row, and what to do about it where it cannot be one.
_ROWS = [MAX_COLUMNS] * (DECK_SIZE // MAX_COLUMNS) + [DECK_SIZE % MAX_COLUMNS]
_ROWS_WANTED = "a board read row by row is a whole deal, six rows of 8 cards and one of 4"
#: Where each card was read, for errors.
Places: TypeAlias = dict[Card, list[str]]


class Sheet(NamedTuple):
    """What a board says.

    columns      eight, deepest card first
    cells        with NO_CARD for an empty one; empty ones at the end may be left out
    foundations  the rank of each suit's top card, 0 for none
    places       where each card was read, for errors
    """

    columns: Sequence[Sequence[Card]]
    cells: Sequence[Card]
    foundations: Sequence[int]
    places: Places


def read_text(text: str, layout: str) -> Sheet:
    """Read a text; raises NotationError naming line, column and token.

    layout  one of LAYOUTS
    """
    reader = _Reader()
    for number, line in board_lines(text):
        reader.read_line(line, number)
    cells, foundations = reader.cells or [], reader.foundations or [0] * SUITS
    whole = not any(foundations) and set(cells) <= {NO_CARD}
    columns = reader.columns
    if reader.numbered and layout == "columns":
        raise NotationError("the numbers 1..8 stand above rows; valid is --board-layout rows")
    if layout == "rows" or reader.numbered:
        columns = _from_rows(columns, whole=whole)
    elif layout == "auto" and whole and not reader.marked:
        lengths = list(map(len, columns))
        if lengths == [DECK_SIZE]:
            columns = _dealt(columns[0])
        elif lengths == _ROWS:
            columns = _from_rows(columns, whole=True)
    if not columns and reader.cells is None and reader.foundations is None:
        raise NotationError(
            "the board is empty; it has 8 lines, each a column with its deepest card first"
        )
    columns = columns or [[] for _ in range(MAX_COLUMNS)]
    if len(columns) < MAX_COLUMNS:
        raise NotationError(
            f"the board has {len(columns)} of {MAX_COLUMNS} columns; each is a line, and an "
            "empty one a bare ':'"
        )
    return Sheet(columns, cells, foundations, reader.places)


def _dealt(cards: Sequence[Card]) -> list[list[Card]]:
    """Deal cards to the columns, one to each in turn."""
    return [list(cards[column::MAX_COLUMNS]) for column in range(MAX_COLUMNS)]


def _from_rows(rows: Sequence[Sequence[Card]], *, whole: bool) -> list[list[Card]]:
    """Return the columns of a deal that was read row by row; raises NotationError for another."""
    lengths = list(map(len, rows))
    if lengths != _ROWS or not whole:
        found = ", ".join(map(str, lengths[: MAX_COLUMNS + 1])) or "none"
        beside = "" if whole else ", and cards beside them"
        raise NotationError(f"{_ROWS_WANTED}; this one has rows of {found}{beside}")
    return _dealt([card for row in rows for card in row])


class _Reader:
    """Collects a board line by line.

    columns   or rows, in the order of their lines
    marked    whether something says that the lines are columns: a colon or a name
    numbered  whether the numbers of the columns stand above them, so that they are rows
    places    where each card was read, for errors
    """

    def __init__(self) -> None:
        self.columns: list[list[Card]] = []
        self.cells: list[Card] | None = None
        self.foundations: list[int] | None = None
        self.marked = self.numbered = False
        self.places: Places = defaultdict(list)
        self._blank_lines = 0

    def read_line(self, line: str, number: int) -> None:
        """Read one line; raises NotationError."""
        heading = _HEADING.match(line)
        if heading and heading[2]:
            self._read_cells(line, number, heading.end())
        elif heading:
            if self.foundations is not None:
                text = heading[0].strip()
                raise NotationError(
                    f"a second line {text!r}",
                    text=text,
                    position=place_in_line(number, heading.start()),
                )
            self._read_foundations(line, number, heading.end())
        elif not self.columns and line.split() == _NUMBERS:
            self.numbered = True
            self._blank_lines = 0
        elif line.strip():
            self._read_column(line, number)
        else:
            self._blank_lines += 1

    def _read_column(self, line: str, number: int) -> None:
        """Read a column, after the empty columns that blank lines before it are."""
        self.columns += [[] for _ in range(min(self._blank_lines, MAX_COLUMNS))]
        self.marked = self.marked or self._blank_lines > 0
        self._blank_lines = 0
        if len(self.columns) >= MAX_COLUMNS:
            text = line.strip()
            raise NotationError(
                f"{quoted(text)} is one column too many; there are {MAX_COLUMNS}, and an empty "
                "line before a column counts as one",
                text=text,
                position=place_in_line(number, 0),
            )
        label = _LABEL.match(line)
        if label and int(label[1]) != len(self.columns) + 1:
            text = label[0].strip()
            raise NotationError(
                f"{text!r} stands before column {len(self.columns) + 1}; valid is 1 to 8 in order",
                text=text,
                position=place_in_line(number, label.start()),
            )
        colon = label or _COLON.match(line)
        self.marked = self.marked or colon is not None
        begin = colon.end() if colon else 0
        self.columns.append([self._read_card(*token) for token in tokens_of(line, number, begin)])

    def _read_card(self, text: str, where: str) -> Card:
        """Read a card, and note where."""
        card = read_card(text, where)
        self.places[card].append(where)
        return card

    def _read_cells(self, line: str, number: int, begin: int) -> None:
        """Read cells: cards and dashes in order, or as fc-solve prints them, by place.

        A second line adds to the first.
        """
        tokens = list(_TOKEN.finditer(line.replace(",", " "), begin))
        ends = [token.end() - begin for token in tokens]
        by_place = all(end % _CELL_WIDTH == 0 for end in ends) and not any(
            token[0] in _NO_CARD_TOKENS for token in tokens
        )
        places = [end // _CELL_WIDTH - 1 for end in ends] if by_place else range(len(tokens))
        cells = [NO_CARD] * (max(places, default=-1) + 1)
        for place, token in zip(places, tokens, strict=True):
            if token[0] not in _NO_CARD_TOKENS:
                where = place_in_line(number, token.start())
                cells[place] = self._read_card(token[0], where)
        self.cells = [*(self.cells or ()), *cells]

    def _read_foundations(self, line: str, number: int, begin: int) -> None:
        """Read foundations such as `H-0 C-2 D-A S-T`; a suit left out has none."""
        tops: dict[int, int] = {}
        for token, where in tokens_of(line, number, begin):
            suit_text, hyphen, rank_text = token.partition("-")
            try:
                ace = parse_card(f"A{suit_text}")
                rank = 0 if rank_text == "0" else rank_of(parse_card(f"{rank_text}{suit_text}"))
            except NotationError:
                hyphen = ""
            if not hyphen or suit_of(ace) in tops:
                raise NotationError(
                    f"{quoted(token)} is not a foundation, or a second one of its suit; "
                    f"one is a suit C D H S, a hyphen and a rank 0 {' '.join(RANK_LETTERS)}",
                    text=token,
                    position=where,
                )
            tops[suit_of(ace)] = rank
        self.foundations = [tops.get(suit, 0) for suit in range(SUITS)]


def read_json(data: Any, layout: str) -> Sheet:
    """Read decoded JSON: `columns`, `cells` and `foundations`, or the list of columns alone.

    Columns are lists of cards, deepest first; cells are cards or null; foundations give the rank
    of each suit's top card, 0 to 13. A part left out is empty. Solvitaire's
    `tableau piles` are read, too. Raises NotationError naming where and what.

    layout  one of LAYOUTS
    """
    if isinstance(data, list):
        data = {"columns": data}
    elif isinstance(data, dict) and _SOLVITAIRE_KEY in data and len(data) == 1:
        data = {"columns": data[_SOLVITAIRE_KEY]}
    given = json_object(data, _JSON_KEYS, "a FreeCell position")
    places: Places = defaultdict(list)

    def cards_of(values: Any, name: str, gap: Card | None = None) -> list[Card]:
        """Read a list of cards, and note where each is."""
        cards = json_cards(values, name, gap)
        for index, card in enumerate(cards):
            places[card].append(f"{name}[{index}]")
        return cards

    lists = json_list(given.get("columns", [[]] * MAX_COLUMNS), "columns")
    columns = [cards_of(values, f"columns[{index}]") for index, values in enumerate(lists)]
    cells = cards_of(given.get("cells", []), "cells", NO_CARD)
    foundations = _json_foundations(given.get("foundations", {}))
    if layout == "rows":
        whole = not any(foundations) and set(cells) <= {NO_CARD}
        columns = _from_rows(columns, whole=whole)
    elif len(columns) < MAX_COLUMNS:
        looks = ", which look like rows (--board-layout rows reads them)"
        raise NotationError(
            f"{len(columns)} lists{looks if list(map(len, columns)) == _ROWS else ''}; valid is "
            f"{MAX_COLUMNS}, with [] for an empty column",
            position="columns",
        )
    return Sheet(columns, cells, foundations, places)


def _json_foundations(value: Any) -> list[int]:
    """Read the foundations' ranks."""
    if not isinstance(value, dict) or not set(value) <= set(SUIT_LETTERS):
        raise NotationError("valid is an object with the suits C D H S", position="foundations")
    for suit, rank in value.items():
        json_count(rank, 0, RANKS, f"foundations.{suit}")
    return [value.get(suit, 0) for suit in SUIT_LETTERS]
