"""Options and arguments that several commands share, and what they add up to.

Owns the reading of names, numbers and limits; a wrong one is one line that says what is
valid. Knows games by the registry alone.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import click
from click.shell_completion import CompletionItem

from cli.deals import Deals, Range, parse_deals, read_deals
from dealgen.numbering import NUMBERINGS, Numbering, default_numbering, numbering_of
from dealgen.task import Task
from solvers import games
from solvers.errors import NotationError, known_name, quoted
from solvers.games import AnyGame
from solvers.profiles import parse_profile

F = TypeVar("F", bound=Callable[..., Any])
Decorator: TypeAlias = Callable[[F], F]

_MOST_JOBS = 1024
#: No machine has more; beyond it the tables' sizes would overflow.
MOST_MEMORY_MIB = 1 << 24
LARGEST_COUNT = 2**62 - 1


@dataclass(frozen=True, slots=True)
class Setup(Task):
    """What the common options add up to: how deals are to be solved, and how shown."""

    as_json: bool = False
    quiet: bool = False


# Names and numbers.


def complete(names: Iterable[str]) -> Callable[..., list[CompletionItem]]:
    """Make a shell completion of names."""

    def find(
        _ctx: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]

    return find


def _complete_profile(
    ctx: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a profile's name; which game it is for is not known before the line is whole."""
    names = {name: None for game in games.NAMES for name in games.load(game).profiles}
    return complete(names)(ctx, parameter, incomplete)


def _complete_method(also: tuple[str, ...]) -> Callable[..., list[CompletionItem]]:
    """Make a completion of methods; which game they are for is not known before the line ends."""

    def find(
        ctx: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        names = {name: None for game in games.NAMES for name in games.load(game).methods}
        return complete([*names, *also])(ctx, parameter, incomplete)

    return find


def _load_game(ctx: click.Context, _parameter: click.Parameter, name: str) -> AnyGame | None:
    """Turn a game's name into the game; raises UnknownNameError."""
    if ctx.resilient_parsing and name not in games.NAMES:
        return None
    return games.load(name)


def _load_numbering(
    ctx: click.Context, _parameter: click.Parameter, name: str | None
) -> Numbering | None:
    """Turn a numbering's name into the numbering; raises UnknownNameError."""
    if ctx.resilient_parsing or name is None:
        return None
    return numbering_of(name)


def whole_number(low: int, high: int) -> Callable[..., int | None]:
    """Make a callback that reads a whole number in decimal digits, `low` to `high`."""

    def read(_ctx: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
        if text is None:
            return None
        # Not int() alone: it takes signs, underscores and other scripts' digits too.
        digits = text.isascii() and text.isdigit() and len(text) <= len(str(high))
        if not digits or not low <= int(text) <= high:
            raise NotationError(
                f"{parameter.opts[-1]} is {quoted(text)}; valid is a whole number {low}..{high}",
                text=text,
            )
        return int(text)

    return read


def _read_seconds(
    _ctx: click.Context, parameter: click.Parameter, text: str | None
) -> float | None:
    """Read a time in seconds: a finite number above 0."""
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise NotationError(
            f"{parameter.opts[-1]} is {quoted(text)}; valid is a number of seconds above 0",
            text=text,
        )
    return seconds


def file_name(_ctx: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    """Read a file's name: anything but nothing."""
    if name == "":
        shown = parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.metavar
        raise NotationError(f"{shown} is empty; valid is the name of a file")
    return name


def disk_file(ctx: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    """Read the name of a file on disk, where `-` would be taken for a stream."""
    if name == "-":
        shown = parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.metavar
        raise NotationError(
            f"{shown} is '-'; valid is the name of a file, './-' for one of that name", text=name
        )
    return file_name(ctx, parameter, name)


def available_cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # no such call outside Linux
        return os.cpu_count() or 1


# Options.

game_argument: Decorator[Any] = click.argument(
    "game", callback=_load_game, shell_complete=complete(games.NAMES)
)

json_option: Decorator[Any] = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object per line."
)
csv_option: Decorator[Any] = click.option(
    "--csv", "as_csv", is_flag=True, help="Print CSV: a line of names, then one line per deal."
)
quiet_option: Decorator[Any] = click.option(
    "--quiet", is_flag=True, help="No progress and no summary on stderr."
)
numbering_option: Decorator[Any] = click.option(
    "--numbering",
    callback=_load_numbering,
    metavar="NAME",
    shell_complete=complete(NUMBERINGS),
    help="The scheme that maps a deal number to a deal: 'ms', or 'pysol', which is the default "
    "under the profile of that name.",
)
jobs_option: Decorator[Any] = click.option(
    "--jobs",
    metavar="N",
    callback=whole_number(1, _MOST_JOBS),
    help="Threads that solve at the same time; by default one per core. Results do not depend "
    "on it.",
)
profile_option: Decorator[Any] = click.option(
    "--profile",
    metavar="NAME[,OPTION=VALUE...]",
    shell_complete=_complete_profile,
    help="Rules: a profile, and the options that differ from it. 'winnable games' lists both.",
)


def stacked(decorators: Iterable[Decorator[Any]]) -> Decorator[Any]:
    """Apply decorators so that `--help` lists them in the order given."""

    def decorate(function: F) -> F:
        for decorator in reversed(tuple(decorators)):
            function = decorator(function)
        return function

    return decorate


limit_options: Decorator[Any] = stacked(
    (
        click.option(
            "--max-nodes",
            metavar="N",
            callback=whole_number(1, LARGEST_COUNT),
            help="Stop after N states per deal; 'winnable games' lists the defaults.",
        ),
        click.option(
            "--max-seconds",
            metavar="S",
            callback=_read_seconds,
            help="Stop after S seconds per deal: the one limit that depends on the machine.",
        ),
        click.option(
            "--memory",
            metavar="MIB",
            callback=whole_number(1, MOST_MEMORY_MIB),
            help="MiB for the tables of one search; 'winnable games' lists the defaults.",
        ),
    )
)


def method_option(also: tuple[str, ...] = ()) -> Decorator[Any]:
    """Make the option that picks the search; `check_method` checks the name.

    also  names that the command takes besides the game's
    """
    besides = "".join(f", and '{name}' is each of them" for name in also)
    return click.option(
        "--method",
        default="fast",
        show_default=True,
        metavar="NAME",
        shell_complete=_complete_method(also),
        help=f"Which search decides; 'winnable games' lists each game's{besides}.",
    )


def _collecting(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function GAME and the options that a `Setup` is made of as one."""

    @functools.wraps(function)
    def collect(
        game: AnyGame,
        profile: str | None,
        numbering: Numbering | None,
        as_json: bool,
        quiet: bool,
        max_nodes: int | None = None,
        max_seconds: float | None = None,
        memory: int | None = None,
        jobs: int | None = None,
        method: str = "fast",
        **others: Any,
    ) -> Any:
        setup = Setup(
            game=game,
            profile=parse_profile(
                game.default_profile if profile is None else profile, game.profiles
            ),
            numbering=numbering or default_numbering(game, profile),
            limits=game.limits(max_nodes=max_nodes, max_seconds=max_seconds, memory=memory),
            jobs=jobs or available_cores(),
            method=method,
            as_json=as_json,
            quiet=quiet,
        )
        return function(setup, **others)

    return collect


def rules_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command that searches nothing GAME and its options as a `Setup`."""
    options = [profile_option, numbering_option, json_option, quiet_option]
    return stacked(options)(_collecting(function))


def common_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command GAME and the common options, `--method` among them, as a `Setup`."""
    options = [
        profile_option,
        numbering_option,
        limit_options,
        jobs_option,
        json_option,
        quiet_option,
    ]
    return stacked(options)(_collecting(function))


def check_method(game: AnyGame, method: str) -> str:
    """Return the method, or raise UnknownNameError listing those of the game."""
    return known_name("method", method, game.methods)


# Deals.

deals_argument: Decorator[Any] = click.argument("deals", nargs=-1, metavar="[DEALS]...")
deals_from_option: Decorator[Any] = click.option(
    "--deals-from",
    metavar="FILE|-",
    callback=file_name,
    help="Also the deals in a file, between white space; '#' starts a comment.",
)
layout_option: Decorator[Any] = click.option(
    "--board-layout",
    "board_layout",
    default="auto",
    metavar="auto|columns|rows",
    show_default=True,
    help="Whether the lines of a FreeCell board are its columns, or its rows as they lie on the "
    "table. 'auto' takes for rows what cannot be columns.",
)

after_option: Decorator[Any] = click.option(
    "--after",
    metavar="MOVES|-",
    help="The position after these moves of one deal or board, such as '26 7a 26v3'; - reads them "
    "from standard input.",
)


def usage_error(message: str) -> click.UsageError:
    """Return an error that also says where the running command's help is."""
    return click.UsageError(message, click.get_current_context(silent=True))


def refuse_both(setup: Setup, as_csv: bool) -> None:
    """Raise UsageError for two forms of output at once."""
    if setup.as_json and as_csv:
        raise usage_error("give either --json or --csv, not both")


def asked_deals(
    game: AnyGame,
    numbering: Numbering,
    texts: Iterable[str],
    deals_from: str | None,
    *,
    quiet: bool = False,
) -> Deals:
    """Return the deals asked for; a doubtful list is told of on stderr, unless `quiet`."""
    from cli.output import note

    def warn(text: str) -> None:
        if not quiet:
            note(text)

    return read_deals(texts, deals_from, numbering, game.name, warn=warn)


def one_range(text: str, numbering: Numbering, game: AnyGame) -> Range:
    """Read the one range of a pool or a search; raises NotationError for a list."""
    ranges = parse_deals(text, numbering, game.name)
    if len(ranges) != 1:
        raise NotationError(
            f"{quoted(text)} is not one range; valid is a range such as 1-32000", text=text
        )
    return ranges[0]
