"""`winnable hint`: what to do next, and whether the game can still be won."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import click

from cli.options import (
    Board,
    Setup,
    board_option,
    common_options,
    deals_argument,
    deals_from_option,
    deals_or_board,
    game_argument,
)
from cli.output import (
    Answer,
    Tally,
    answer_line,
    answer_record,
    json_line,
    print_lines,
    print_summary,
)
from cli.parsing import Command
from cli.solving import answer_each
from solvers.outcome import Hint, Verdict
from solvers.profiles import format_value


@click.command("hint", cls=Command)
@game_argument
@deals_argument
@deals_from_option
@board_option
@click.option(
    "--moves",
    "with_moves",
    is_flag=True,
    help="Also list every legal move by its kind of target and, for FreeCell, how many cards may "
    "move as one. --json always does.",
)
@common_options
def command(
    setup: Setup,
    deals: tuple[str, ...],
    deals_from: str | None,
    board: str | None,
    with_moves: bool,
) -> int:
    """Give the next move of a win.

    Or say that the game cannot be won any more, which is proved, or which limit left that
    undecided. Also says when there is no legal move, and when the rest goes home without a
    decision. The line that a hint begins wins: with --json it is there as a whole, and whoever
    follows it need not ask again.

    Exit code: 0 when all are winnable, 1 when some are unwinnable, 3 when some are undecided
    and none is unwinnable.

    \b
    Examples:
      winnable hint freecell --board position.json
      winnable hint freecell --board position.json --moves
      winnable hint pyramid 2 --json
    """
    asked = deals_or_board(setup, deals, deals_from, board)
    tally = Tally()
    for item, state, hint in answer_each(
        setup, asked, tally, lambda state: setup.game.hint(state, setup.profile, setup.limits)
    ):
        print_lines(_lines(setup, item, state, hint, with_moves))
    print_summary(tally, quiet=setup.quiet)
    return tally.exit_code


def _lines(
    setup: Setup, item: int | Board, state: Any, hint: Hint[Any], with_moves: bool
) -> Iterator[str]:
    """Write one hint."""
    game, outcome = setup.game, hint.outcome
    answer = Answer(item, outcome.verdict, outcome.nodes, outcome.limit)
    moves = [game.format_move(move) for move in outcome.moves]
    if setup.as_json:
        yield json_line(_record(setup, answer, hint, moves))
        return
    says = [answer_line(setup, answer)]
    won = outcome.verdict is Verdict.WINNABLE and not moves
    if won:
        given = game.is_won(state, setup.profile)
        says.append("won already" if given else "the rest goes home by itself")
    elif moves:
        plural = "" if outcome.length == 1 else "s"
        says.append(f"next {moves[0]}, wins in {outcome.length} move{plural}")
    elif outcome.verdict is Verdict.UNWINNABLE:
        # Nobody has lost a fresh deal.
        fresh = game.deck_of(state) is not None
        says.append("cannot be won" if fresh else "cannot be won any more")
    if not hint.legal_moves and not won:
        says.append("no legal move")
    if hint.finishes_by_itself and not won:
        says.append("the rest goes home without a decision")
    yield ", ".join(says)
    if with_moves:
        kinds = groupby(hint.legal_moves, key=itemgetter(1))
        rows = [(kind, ", ".join(text for text, _ in group)) for kind, group in kinds]
        rows += [(name.replace("_", " "), _shown(value)) for name, value in hint.extras.items()]
        width = max((len(name) for name, _ in rows), default=0)
        yield from (f"  {name:<{width}}  {text}" for name, text in rows)


def _record(setup: Setup, answer: Answer, hint: Hint[Any], moves: list[str]) -> dict[str, Any]:
    """Return the keys of one hint."""
    won = hint.outcome.verdict is Verdict.WINNABLE
    record = {
        **answer_record(setup, answer),
        "move": moves[0] if moves else None,
        "moves": moves if won else None,
        "length": hint.outcome.length if won else None,
        "legal_moves": [{"move": text, "target": kind} for text, kind in hint.legal_moves],
        **hint.extras,
    }
    if hint.finishes_by_itself is not None:
        record["finishes_by_itself"] = hint.finishes_by_itself
    return record


def _shown(value: Any) -> str:
    """Write one of a game's facts: a value, a list of values, or values by name."""
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_shown(v)}" for name, v in value.items())
    if isinstance(value, list):
        return " ".join(map(_shown, value))
    return format_value(value)
