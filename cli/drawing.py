"""Positions drawn: as text for a terminal, and as SVG for a page.

Owns how cards look. Where they lie is the game's business (`solvers.view`).
"""

from __future__ import annotations

import os
import sys
from html import escape

from solvers.cards import RANK_LETTERS, Card, is_red, rank_of, suit_of
from solvers.view import View

_SYMBOLS = "♣♦♥♠"
#: Characters from one card to the next; two are the card.
_CELL = 4
_RED, _PLAIN = "\x1b[31m", "\x1b[0m"
_EMPTY = "--"

# SVG, in its user units.
_STEP_X, _WIDTH, _HEIGHT = 56, 50, 70
#: From one row to the next: rank and suit of the card below stay visible.
_STEP_Y = 24
_MARGIN = 12
_STYLE = (
    "text{font-family:system-ui,sans-serif}"
    ".c{fill:#fff;stroke:#667;stroke-width:1}.e{fill:none;stroke:#889;stroke-dasharray:4 3}"
    ".b{fill:#111}.r{fill:#b3122b}.i{font-size:17px;font-weight:600}.l{font-size:14px;fill:#556}"
)


def wants_colour() -> bool:
    """Tell whether standard output is a terminal whose user has not said NO_COLOR."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def symbol_of(card: Card) -> str:
    """Write a card with its suit's symbol.

    >>> symbol_of(39)
    'T♠'
    """
    return RANK_LETTERS[rank_of(card) - 1] + _SYMBOLS[suit_of(card)]


def as_text(view: View, *, colour: bool) -> list[str]:
    """Draw a view as lines of text, red suits in red if colours are wanted."""
    lines: dict[int, dict[int, tuple[str, bool]]] = {}
    for spot in view.spots:
        text = spot.note or _EMPTY if spot.card is None else symbol_of(spot.card)
        red = spot.card is not None and is_red(spot.card)
        lines.setdefault(spot.y, {})[round(spot.x * _CELL)] = text, red
    for label in view.labels:
        lines.setdefault(label.y, {})[round(label.x * _CELL)] = label.text, False
    drawn = []
    for y in range(max(lines) + 1):
        line, length = "", 0
        for at, (text, red) in sorted(lines.get(y, {}).items()):
            line += " " * (at - length)
            line += f"{_RED}{text}{_PLAIN}" if red and colour else text
            length = at + len(text)
        drawn.append(line)
    return drawn


def as_svg(view: View, title: str) -> list[str]:
    """Draw a view as a picture, the lines of an SVG document of its own."""
    right = max(spot.x for spot in view.spots) * _STEP_X + _WIDTH + 2 * _MARGIN
    bottom = max(spot.y for spot in view.spots) * _STEP_Y + _HEIGHT + 2 * _MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {right:g} {bottom:g}">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
    ]
    for label in view.labels:
        x, y = _MARGIN + label.x * _STEP_X, _MARGIN + label.y * _STEP_Y
        lines.append(f'<text class="l" x="{x:g}" y="{y + 17:g}">{escape(label.text)}</text>')
    for spot in view.spots:
        x, y = _MARGIN + spot.x * _STEP_X, _MARGIN + spot.y * _STEP_Y
        shape = "e" if spot.card is None else "c"
        text = spot.note if spot.card is None else symbol_of(spot.card).replace("T", "10")
        ink = "r" if spot.card is not None and is_red(spot.card) else "b"
        size = f'width="{_WIDTH}" height="{_HEIGHT}" rx="5"'
        lines.append(f'<rect class="{shape}" x="{x:g}" y="{y:g}" {size}/>')
        if text:
            lines.append(f'<text class="i {ink}" x="{x + 5:g}" y="{y + 18:g}">{text}</text>')
    return [*lines, "</svg>"]
