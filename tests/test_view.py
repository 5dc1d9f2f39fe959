"""Views and their drawings: every card once, where players see it."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest

from cli.drawing import as_svg, as_text
from dealgen.numbering import numbering_of
from solvers import games
from solvers.cards import is_red

MS = numbering_of("ms")


def reached(game, number: int, moves: int):
    """Return a state after random moves."""
    rng = random.Random(number)
    profile = game.profiles[game.default_profile]
    state = game.start(game.deal(MS.deck(game, number)), profile)
    for _ in range(moves):
        legal = game.legal_moves(state, profile)
        if not legal:
            break
        state = game.apply(state, rng.choice(legal), profile)
    return state


def cards_of(game, state) -> Counter:
    """Count the cards in play: all strings in the JSON position that are cards."""
    found: Counter = Counter()

    def walk(value) -> None:
        if isinstance(value, dict):
            for name, part in value.items():
                if name not in ("foundations", "base"):
                    walk(part)
        elif isinstance(value, list):
            for part in value:
                walk(part)
        elif isinstance(value, str):
            found[value] += 1

    walk(game.position_to_json(state))
    return found


@pytest.mark.parametrize("name", games.NAMES)
@pytest.mark.parametrize("moves", [0, 7, 40])
def test_every_card_lies_once_and_alone(name: str, moves: int) -> None:
    game = games.load(name)
    for number in (1, 2, 617):
        state = reached(game, number, moves)
        view = game.view(state)
        places = [(spot.x, spot.y) for spot in view.spots]
        assert len(set(places)) == len(places)
        drawn = "\n".join(as_text(view, colour=False))
        symbols = str.maketrans("♣♦♥♠", "CDHS")
        tokens = Counter(drawn.translate(symbols).split())
        expected = cards_of(game, state)
        assert {card: tokens[card] for card in expected} == expected


def test_the_columns_of_a_published_deal_stand_side_by_side() -> None:
    game = games.load("freecell")
    lines = as_text(game.view(game.deal(MS.deck(game, 1))), colour=False)
    assert lines[0].split() == [*"12345678"]
    # Deal 1 of Microsoft's program, as published.
    assert lines[1].split() == ["J♦", "2♦", "9♥", "J♣", "5♦", "7♥", "7♣", "5♥"]
    assert lines[7].split() == ["6♠", "9♣", "2♥", "6♥"]


@pytest.mark.parametrize("name", games.NAMES)
def test_red_cards_alone_are_red(name: str) -> None:
    game = games.load(name)
    view = game.view(game.deal(MS.deck(game, 1)))
    lines = "\n".join(as_text(view, colour=True))
    red = sum(is_red(spot.card) for spot in view.spots if spot.card is not None)
    assert red in (26, 51, 52)
    assert lines.count("\x1b[31m") == lines.count("\x1b[0m") == red
    for part in lines.split("\x1b[31m")[1:]:
        assert part[1] in "♦♥"


@pytest.mark.parametrize("name", games.NAMES)
def test_a_picture_is_svg_with_a_rectangle_per_place(name: str) -> None:
    game = games.load(name)
    view = game.view(reached(game, 3, 12))
    root = ElementTree.fromstring("\n".join(as_svg(view, "Deal <3> & more")))
    spaced = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{spaced}title").text == "Deal <3> & more"
    assert len(root.findall(f"{spaced}rect")) == len(view.spots)
    _, _, right, bottom = map(float, root.get("viewBox").split())
    for rectangle in root.findall(f"{spaced}rect"):
        assert 0 <= float(rectangle.get("x")) <= right - float(rectangle.get("width"))
        assert 0 <= float(rectangle.get("y")) <= bottom - float(rectangle.get("height"))
