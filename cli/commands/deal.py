"""`winnable deal`: numbered deals as cards on the table. Solves nothing."""

from __future__ import annotations

from typing import Any

import click

from cli.drawing import as_svg, as_text, wants_colour
from cli.options import (
    asked_deals,
    deals_argument,
    deals_from_option,
    game_argument,
    json_option,
    numbering_option,
    profile_option,
    usage_error,
)
from cli.output import json_line, json_number, print_lines
from cli.parsing import Command
from dealgen.numbering import Numbering, default_numbering
from solvers.cards import format_card
from solvers.games import AnyGame
from solvers.profiles import parse_profile

_FORMATS = ("table", "board", "json", "cards", "svg")


@click.command("deal", cls=Command)
@game_argument
@deals_argument
@deals_from_option
@profile_option
@numbering_option
@click.option(
    "--format",
    "layout",
    type=click.Choice(_FORMATS),
    help="table: the cards as they lie on the table (default). board: the board in the game's text "
    "format. json: a record of the number, the cards and the position. cards: the deck in the "
    "order of dealing, one line per deal. svg: a picture, of one deal.",
)
@json_option
def command(
    game: AnyGame,
    deals: tuple[str, ...],
    deals_from: str | None,
    profile: str | None,
    numbering: Numbering | None,
    layout: str | None,
    as_json: bool,
) -> None:
    """Show numbered deals.

    DEALS are numbers, ranges such as 1-10, and lists such as 1,5,617.

    \b
    Examples:
      winnable deal freecell 617
      winnable deal freecell 617 --format board > 617.txt
      winnable deal freecell 1-10 --json
    """
    if as_json and layout not in (None, "json"):
        raise usage_error(f"give either --json or --format {layout}, not both")
    if not deals and deals_from is None:
        raise usage_error("give deal numbers, such as 617 or 1-10, or --deals-from FILE")
    layout = "json" if as_json else layout or "table"
    if profile is not None:
        parse_profile(profile, game.profiles)  # raises where there is none
    numbering = numbering or default_numbering(game, profile)
    numbering.order_of(game.name)  # raises where the game has no such numbering
    asked = asked_deals(game, numbering, deals, deals_from)
    if layout == "svg" and len(asked) > 1:
        raise usage_error(f"--format svg draws one deal; there are {len(asked):,}")
    for place, number in enumerate(asked):
        if place and layout in ("table", "board"):
            print_lines([""])
        print_lines(_lines(game, number, numbering, layout))


def _lines(game: AnyGame, number: int, numbering: Numbering, layout: str) -> list[str]:
    """Write one deal."""
    if layout == "json":
        return [json_line(deal_record(game, number, numbering))]
    deck = numbering.deck(game, number)
    if layout == "cards":
        return [" ".join(map(format_card, deck))]
    state = game.deal(deck)
    if layout == "board":
        return game.format_board(state).splitlines()
    title = f"{game.title} {number} ({numbering.name})"
    if layout == "svg":
        return as_svg(game.view(state), title)
    return [title, "", *as_text(game.view(state), colour=wants_colour())]


def deal_record(game: AnyGame, number: int, numbering: Numbering) -> dict[str, Any]:
    """Return the keys of one deal."""
    deck = numbering.deck(game, number)
    return {
        "game": game.name,
        "numbering": numbering.name,
        "number": json_number(numbering, number),
        "cards": [format_card(card) for card in deck],
        "position": game.position_to_json(game.deal(deck)),
    }
