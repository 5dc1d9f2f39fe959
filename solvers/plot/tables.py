"""The table of The Plot as `winnable deal` shows it, taken apart again.

Owns where what stands on it; `notation` reads the cards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

from solvers.errors import NotationError, quoted
from solvers.plot.rules import PILES
from solvers.reading import place_in_line

#: What stands between white space, and where.
Tokens: TypeAlias = list[tuple[str, str]]

_TOKEN = re.compile(r"\S+")
#: What begins a part, alone on its line.
_HEADINGS = ("reserve:", "foundations:", "piles:", "stock:", "waste:")
_NUMBERS = [str(number) for number in range(1, PILES + 1)]
_EMPTY = "--"


def is_table(lines: Iterable[tuple[int, str]]) -> bool:
    """Tell whether the lines of a board are a table."""
    return any(line.strip().lower() == "piles:" for _, line in lines)


def take_apart(lines: Iterable[tuple[int, str]]) -> tuple[dict[str, Tokens], list[Tokens]]:
    """Return what stands under each heading but the piles, and on each pile, deepest card first.

    A foundation is written as in a position, `7-3` for `7×3`. Raises NotationError, naming line and
    column, for what does not stand where it belongs.
    """
    parts: dict[str, Tokens] = {}
    piles: list[Tokens] = [[] for _ in range(PILES)]
    #: Where each pile's cards begin.
    begins: dict[int, int] = {}
    heading = ""
    for number, line in lines:
        name = line.strip().lower()
        if name in _HEADINGS and name[:-1] not in parts:
            heading = name[:-1]
            parts[heading] = []
            continue
        for token in _TOKEN.finditer(line) if line.split() != _NUMBERS else ():
            where = place_in_line(number, token.start())
            at = begins.get(token.start())
            if not heading or (heading == "piles" and at is None):
                raise NotationError(
                    f"{quoted(token[0])} stands under none of {' '.join(_HEADINGS)} and the piles' "
                    f"numbers 1 to {PILES}",
                    text=token[0],
                    position=where,
                )
            if heading != "piles" or at is None:
                parts[heading].append((token[0].replace("×", "-"), where))
            elif token[0] != _EMPTY:
                piles[at].append((token[0], where))
        if heading == "piles" and line.split() == _NUMBERS:
            begins = {token.start(): at for at, token in enumerate(_TOKEN.finditer(line))}
    return parts, piles
