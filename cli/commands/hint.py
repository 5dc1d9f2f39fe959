"""`winnable hint`: what to do next, and whether the game can still be won."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import click

from cli.boards import After, Board, after_option, board_options, position_after
from cli.options import (
    Setup,
    common_options,
    deals_argument,
    deals_from_option,
    game_argument,
    usage_error,
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
from cli.solving import (
    answer_each,
    check_optimal,
    effort_option,
    note_readings,
    par_kind,
    states_for,
)
from solvers.hints import History, find_loss, judge_moves
from solvers.outcome import Hint, Verdict
from solvers.profiles import format_value


@click.command("hint", cls=Command)
@game_argument
@deals_argument
@deals_from_option
@board_options
@after_option
@click.option(
    "--moves",
    "with_moves",
    is_flag=True,
    help="Also list every legal move by its kind of target and, for FreeCell, how many cards may "
    "move as one. --json always does.",
)
@click.option(
    "--all",
    "judging",
    is_flag=True,
    help="Also tell of every legal move whether it keeps the win or loses it; limits are for each.",
)
@click.option(
    "--history",
    is_flag=True,
    help="Also tell which of the moves of --after lost the game; limits are for each position.",
)
@click.option(
    "--optimal",
    is_flag=True,
    help="Begin a solution of proved fewest moves, where the game offers it.",
)
@click.option("--short", is_flag=True, help="Begin a short line, where the game offers it.")
@effort_option("--short")
@common_options
def command(
    setup: Setup,
    deals: tuple[str, ...],
    deals_from: str | None,
    boards: tuple[str, ...],
    board_layout: str,
    after: str | None,
    with_moves: bool,
    judging: bool,
    history: bool,
    optimal: bool,
    short: bool,
    effort: int | None,
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
      winnable hint freecell 617 --after "82 1a" --all
      winnable hint freecell 617 --after - --history < played.txt
      winnable hint pyramid 2 --optimal --json
    """
    check_optimal(setup, optimal)
    states = states_for(setup, "--short", short, effort)
    if short and optimal:
        raise usage_error("give either --short or --optimal, not both")
    if history and after is None:
        raise usage_error("--history is about moves that were played; give them to --after")
    asked = position_after(setup, deals, deals_from, boards, board_layout, after)
    note_readings(setup, asked)

    def answer(state: Any) -> Hinted:
        played = asked[0] if history else None
        return advised(setup, state, optimal, states, judging=judging, played=played)

    tally = Tally()
    for item, state, hinted in answer_each(setup, asked, tally, answer):
        print_lines(_lines(setup, item, state, hinted, with_moves))
    print_summary(tally, quiet=setup.quiet)
    return tally.exit_code


def advised(
    setup: Setup,
    state: Any,
    optimal: bool,
    states: int,
    *,
    judging: bool,
    played: int | Board | None,
) -> Hinted:
    """Return a hint, and what else is asked about the position.

    states  to expand for a short line, 0 where none is asked for
    played  the line of which it is to be said where it lost the game
    """
    hint = setup.game.hint(state, setup.profile, setup.limits, optimal=optimal, short=states)
    known = (setup.game, state, setup.profile, setup.limits, hint.outcome)
    kind = par_kind(hint.outcome, optimal=optimal)
    found = Hinted(hint, kind, judge_moves(*known) if judging else None)
    if isinstance(played, After):
        found.history = find_loss(
            setup.game, played.followed.states, setup.profile, setup.limits, hint.outcome
        )
    return found


@dataclass(slots=True)
class Hinted:
    """A hint, and what else was asked about the position.

    par_kind  whether the line is one of fewest moves, proved, or one that was found
    verdicts  what each legal move leads to
    history   where the moves before the position lost the game
    """

    hint: Hint[Any]
    par_kind: str | None
    verdicts: dict[Any, Verdict] | None
    history: History[Any] | None = None

    @property
    def verdict(self) -> Verdict:
        """Return the position's verdict."""
        return self.hint.verdict


def _lines(
    setup: Setup, item: int | Board, state: Any, hinted: Hinted, with_moves: bool
) -> Iterator[str]:
    """Write one hint."""
    game, hint, outcome = setup.game, hinted.hint, hinted.hint.outcome
    answer = Answer(item, outcome.verdict, outcome.nodes, outcome.limit)
    moves = [game.format_move(move) for move in outcome.moves]
    if setup.as_json:
        yield json_line(hint_record(setup, item, state, hinted))
        return
    began = game.start(state, setup.profile)
    says = [answer_line(setup, answer)]
    won = outcome.verdict is Verdict.WINNABLE and not moves
    if won:
        given = game.is_won(state, setup.profile)
        says.append("won already" if given else "the rest goes home by itself")
    elif moves:
        plural = "" if outcome.length == 1 else "s"
        words = game.describe_move(began, outcome.moves[0], setup.profile)
        says.append(f"next {moves[0]} ({words}), wins in {outcome.length} move{plural}")
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
    if hinted.verdicts is not None:
        yield from _judged_lines(setup, began, hinted.verdicts)
    if hinted.history is not None and isinstance(item, After):
        yield from _history_lines(setup, item, hinted.history)


def _judged_lines(setup: Setup, state: Any, verdicts: dict[Any, Verdict]) -> Iterator[str]:
    """Write what each legal move leads to."""
    said = {
        Verdict.WINNABLE: "keeps the win",
        Verdict.UNWINNABLE: "loses it" if len(set(verdicts.values())) > 1 else "lost already",
        Verdict.UNDECIDED: "undecided",
    }
    texts = [setup.game.format_move(move) for move in verdicts]
    width, wide = max(map(len, texts), default=0), max(map(len, said.values()))
    for text, (move, verdict) in zip(texts, verdicts.items(), strict=True):
        words = setup.game.describe_move(state, move, setup.profile)
        yield f"  {text:<{width}}  {said[verdict]:<{wide}}  {words}"


def _history_lines(setup: Setup, after: After, history: History[Any]) -> Iterator[str]:
    """Write where the moves that were played lost the game."""
    game, followed = setup.game, after.followed
    if history.undecided:
        first, last = history.undecided[0], history.undecided[-1]
        yield f"  undecided after moves {first} to {last}: larger limits may tell"
    if history.first_lost == 0:
        yield "  no move lost it: it could not be won before the first"
    elif history.first_lost is not None and not history.undecided:
        ply = history.first_lost
        move, state = followed.moves[ply - 1], followed.states[ply - 1]
        words = game.describe_move(state, move, setup.profile)
        yield f"  lost by move {ply}, {game.format_move(move)} ({words})"
    elif history.first_lost is not None:
        yield f"  lost after move {history.first_lost}"
    elif history.last_winnable == len(followed.moves):
        yield "  no move lost it"
    if history.outcome is None or history.last_winnable in (None, len(followed.moves)):
        return
    line = history.outcome.moves
    state = followed.states[history.last_winnable]
    words = game.describe_move(state, line[0], setup.profile)
    yield (
        f"  could be won after move {history.last_winnable}: next {game.format_move(line[0])} "
        f"({words})"
    )
    yield from game.format_board(state).splitlines()


def hint_record(setup: Setup, item: int | Board, state: Any, hinted: Hinted) -> dict[str, Any]:
    """Return the keys of one hint."""
    game, profile, hint = setup.game, setup.profile, hinted.hint
    answer = Answer(item, hint.outcome.verdict, hint.outcome.nodes, hint.outcome.limit)
    moves = [game.format_move(move) for move in hint.outcome.moves]
    began = game.start(state, profile)
    won = hint.outcome.verdict is Verdict.WINNABLE
    legal = [game.move_to_json(began, each, profile) for each in game.legal_moves(began, profile)]
    for entry, verdict in zip(legal, (hinted.verdicts or {}).values(), strict=False):
        entry["verdict"] = verdict.label
    record = {
        **answer_record(setup, answer),
        "move": moves[0] if moves else None,
        "words": game.describe_move(began, hint.outcome.moves[0], profile) if moves else None,
        "moves": moves if won else None,
        "length": hint.outcome.length if won else None,
        "par_kind": hinted.par_kind,
        "legal_moves": legal,
        **hint.extras,
    }
    if hint.finishes_by_itself is not None:
        record["finishes_by_itself"] = hint.finishes_by_itself
    if hinted.history is not None and isinstance(answer.asked, After):
        record["history"] = _history_record(setup, answer.asked, hinted.history)
    return record


def _history_record(setup: Setup, after: After, history: History[Any]) -> dict[str, Any]:
    """Return where the moves that were played lost the game."""
    game, followed, ply = setup.game, after.followed, history.first_lost
    told = ply and not history.undecided
    last = history.last_winnable
    return {
        "lost_by": game.format_move(followed.moves[ply - 1]) if ply and told else None,
        "first_lost": ply,
        "last_winnable": last,
        "position": None if last is None else game.position_to_json(followed.states[last]),
        "moves": history.outcome and [game.format_move(move) for move in history.outcome.moves],
        "undecided": list(history.undecided),
    }


def _shown(value: Any) -> str:
    """Write one of a game's facts: a value, a list of values, or values by name."""
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_shown(v)}" for name, v in value.items())
    if isinstance(value, list):
        return " ".join(map(_shown, value))
    return format_value(value)
