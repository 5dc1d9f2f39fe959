"""Requests of `winnable serve`: objects with a command's options as keys, answered one by one.

Owns which keys there are and how they are checked. An answer has the keys that the command writes
with `--json`; it is the command's module that makes it.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Sequence
from typing import Any

from cli.boards import After, Board, line_of, with_numbers
from cli.options import LARGEST_COUNT, MOST_MEMORY_MIB, Setup, usage_error
from cli.output import Answer
from cli.solving import check_optimal, states_for
from dealgen.numbering import Numbering, default_numbering, numbering_of
from solvers import games
from solvers.errors import NotationError, known_name, nearest, quoted
from solvers.games import AnyGame
from solvers.positions import position_from_json, read_position
from solvers.profiles import parse_profile

_LARGEST_SEED = 2**53 - 1


class Keys:
    """The keys of a request, each read once and checked; what is left in the end is unknown."""

    def __init__(self, request: dict[str, Any]) -> None:
        self._left = dict(request)
        self._asked: list[str] = []

    def _take(self, name: str) -> Any:
        """Take a key's value, None where it is not there or null."""
        self._asked.append(name)
        return self._left.pop(name, None)

    def text(self, name: str) -> str | None:
        """Read a text."""
        value = self._take(name)
        if value is not None and not isinstance(value, str):
            raise self._error(name, value, "a text")
        return value

    def flag(self, name: str) -> bool:
        """Read true or false, which is what a key that is not there is."""
        value = self._take(name)
        if value is not None and not isinstance(value, bool):
            raise self._error(name, value, "true or false")
        return bool(value)

    def whole(self, name: str, low: int, high: int) -> int | None:
        """Read a whole number of a range."""
        value = self._take(name)
        # A bool is an int to Python, and not a number to JSON.
        if value is not None and (type(value) is not int or not low <= value <= high):
            raise self._error(name, value, f"a whole number {low}..{high}")
        return value

    def seconds(self, name: str) -> float | None:
        """Read a number of seconds above 0."""
        value = self._take(name)
        if value is not None and (type(value) not in (int, float) or not 0 < value < 1e9):
            raise self._error(name, value, "a number of seconds above 0")
        return value

    def moves(self, name: str) -> str | None:
        """Read a line of moves, a text or a list of texts, as a text."""
        value = self._take(name)
        if isinstance(value, list) and all(isinstance(move, str) for move in value):
            return json.dumps(value)
        if value is not None and not isinstance(value, str):
            raise self._error(name, value, "a text of moves, or a list of them")
        return value

    def deal(self, name: str, numbering: Numbering, game: AnyGame) -> int | None:
        """Read a deal number, which may be a text."""
        value = self._take(name)
        if isinstance(value, str):
            return numbering.parse(value, game.name)
        return None if value is None else numbering.check(value, game.name)

    def any(self, name: str) -> Any:
        """Return a value as it is."""
        return self._take(name)

    def done(self) -> None:
        """Raise NotationError for a key that was not asked for."""
        for name in self._left:
            raise NotationError(
                f"unknown key {quoted(name)}{nearest(name, self._asked)}; the keys here are "
                f"{', '.join(['id', *self._asked])}",
                text=name,
            )

    def _error(self, name: str, value: Any, valid: str) -> NotationError:
        """Return the error for a value that is not what it should be."""
        return NotationError(f"{name} is {quoted(json.dumps(value))}; valid is {valid}")


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Answer one request, `id` left out; raises WinnableError or UsageError for a bad one."""
    keys = Keys(request)
    name = keys.text("do")
    if name is None:
        raise NotationError(f"do is missing; valid is {', '.join(_DO)}")
    return _DO[known_name("do", name, _DO)](keys)


def _setup(keys: Keys) -> Setup:
    """Read the game, the rules and the limits."""
    name = keys.text("game")
    if name is None:
        raise NotationError(f"game is missing; valid is {', '.join(games.NAMES)}")
    game = games.load(name)
    profile, numbering = keys.text("profile"), keys.text("numbering")
    method = keys.text("method")
    return Setup(
        game=game,
        profile=parse_profile(game.default_profile if profile is None else profile, game.profiles),
        numbering=numbering_of(numbering) if numbering else default_numbering(game, profile),
        limits=game.limits(
            max_nodes=keys.whole("max_nodes", 1, LARGEST_COUNT),
            max_seconds=keys.seconds("max_seconds"),
            memory=keys.whole("memory", 1, MOST_MEMORY_MIB),
        ),
        method=known_name("method", method, game.methods) if method else game.methods[0],
        as_json=True,
        quiet=True,
    )


def _asked(keys: Keys, setup: Setup) -> int | Board:
    """Read which deal or board the request is about."""
    number = keys.deal("number", setup.numbering, setup.game)
    board, layout = keys.any("board"), keys.text("board_layout") or "auto"
    if (number is None) == (board is None):
        raise NotationError("give either number or board")
    if number is not None:
        return number
    if isinstance(board, str):
        return Board("board", read_position(setup.game, board, setup.profile, layout))
    return Board("board", position_from_json(setup.game, board, setup.profile, layout))


def _after(keys: Keys, setup: Setup) -> int | Board:
    """Read the deal or board, or the position that moves lead to."""
    asked, moves = _asked(keys, setup), keys.moves("after")
    if moves is None:
        return asked
    after = line_of(setup, [asked], None, moves)
    if after.followed.fault is not None:
        raise after.followed.fault
    return after


def _state_of(setup: Setup, asked: int | Board) -> Any:
    """Return the position that is asked about."""
    if isinstance(asked, Board):
        return asked.state
    return setup.game.deal(setup.numbering.deck(setup.game, asked))


def _check(keys: Keys) -> dict[str, Any]:
    """Answer as `winnable check` does."""
    from cli.output import answer_record

    setup = _setup(keys)
    asked = _after(keys, setup)
    keys.done()
    if isinstance(asked, Board):
        (asked,) = with_numbers(setup, [asked])
    outcome = setup.game.solve(
        _state_of(setup, asked), setup.profile, setup.limits, method=setup.method
    )
    return answer_record(setup, Answer(asked, outcome.verdict, outcome.nodes, outcome.limit))


def _solve(keys: Keys) -> dict[str, Any]:
    """Answer as `winnable solve` does."""
    from cli.commands.solve import solution_record

    setup = _setup(keys)
    asked = _after(keys, setup)
    optimal, short, expand = keys.flag("optimal"), keys.flag("short"), keys.flag("expand")
    states = states_for(setup, "short", short, keys.whole("effort", 1, LARGEST_COUNT))
    keys.done()
    check_optimal(setup, optimal, "optimal")
    if short and optimal:
        raise usage_error("give either short or optimal, not both")
    state = _state_of(setup, asked)
    outcome = setup.game.solve(
        state, setup.profile, setup.limits, method=setup.method, optimal=optimal, short=states
    )
    return solution_record(setup, asked, state, outcome, expand=expand, optimal=optimal)


def _hint(keys: Keys) -> dict[str, Any]:
    """Answer as `winnable hint` does."""
    from cli.commands.hint import advised, hint_record

    setup = _setup(keys)
    asked = _after(keys, setup)
    optimal, judging, history = keys.flag("optimal"), keys.flag("all"), keys.flag("history")
    short = keys.flag("short")
    states = states_for(setup, "short", short, keys.whole("effort", 1, LARGEST_COUNT))
    keys.done()
    check_optimal(setup, optimal, "optimal")
    if short and optimal:
        raise usage_error("give either short or optimal, not both")
    if history and not isinstance(asked, After):
        raise usage_error("history is about moves that were played; give them as after")
    state = _state_of(setup, asked)
    played = asked if history else None
    hinted = advised(setup, state, optimal, states, judging=judging, played=played)
    return hint_record(setup, asked, state, hinted)


def _replay(keys: Keys) -> dict[str, Any]:
    """Answer as `winnable replay` does."""
    from cli.commands.replay import replay_record

    setup = _setup(keys)
    asked, moves = _asked(keys, setup), keys.moves("moves")
    keys.done()
    if moves is None:
        raise NotationError("moves is missing; valid is a text of moves, or a list of them")
    return replay_record(setup, line_of(setup, [asked], None, moves))


def _grade(keys: Keys) -> dict[str, Any]:
    """Answer as `winnable grade` does."""
    from cli.commands.grade import deck_of, grade_record, measured

    setup = _setup(keys)
    asked, cells = _asked(keys, setup), keys.flag("cells")
    keys.done()
    if cells and not setup.game.has_cells:
        raise usage_error(f"cells is given, and {setup.game.title} has no cells")
    if isinstance(asked, Board):
        deck = deck_of(setup, asked)
    else:
        deck = setup.numbering.deck(setup.game, asked)
    outcome = setup.game.solve(
        _state_of(setup, asked), setup.profile, setup.limits, method=setup.method
    )
    answered = Answer(asked, outcome.verdict, outcome.nodes, outcome.limit)
    return grade_record(setup, answered, *measured(setup, deck, answered, cells))


def _deal(keys: Keys) -> dict[str, Any]:
    """Answer as `winnable deal` does."""
    from cli.commands.deal import deal_record

    setup = _setup(keys)
    number = keys.deal("number", setup.numbering, setup.game)
    keys.done()
    if number is None:
        raise NotationError("number is missing; valid is a deal number")
    return deal_record(setup.game, number, setup.numbering)


def _pick(keys: Keys) -> dict[str, Any]:
    """Answer as `winnable pool pick` does."""
    from cli.commands.pool.pick import pick_record, read_date
    from dealgen.pool_read import open_pool
    from dealgen.pool_use import pick, pick_for

    path, tier = keys.text("pool"), keys.text("tier")
    seed, day = keys.whole("seed", 0, _LARGEST_SEED), keys.text("date")
    excluded = keys.any("not")
    keys.done()
    if not path or not tier or (seed is None) == (day is None):
        raise NotationError("give pool, tier, and either seed or date")
    pool = open_pool(path)
    numbering = numbering_of(pool.numbering)
    numbers = excluded if isinstance(excluded, list) else [excluded] if excluded else []
    left_out = [numbering.parse(str(number)) for number in numbers]
    date: datetime.date | None = None if day is None else read_date("date", day)
    if date is not None:
        number = pick_for(pool, tier, date, left_out)
    else:
        number = pick(pool, tier, seed or 0, left_out)
    return pick_record(pool, tier.lower(), number)


_DO: dict[str, Callable[[Keys], dict[str, Any]]] = {
    "check": _check,
    "solve": _solve,
    "hint": _hint,
    "replay": _replay,
    "grade": _grade,
    "deal": _deal,
    "pick": _pick,
}
#: What a request may ask for.
ASKS: Sequence[str] = tuple(_DO)
