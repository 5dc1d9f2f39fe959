"""Groups and commands of our own kind: lazy, strict, and with errors that name what is valid."""

from __future__ import annotations

import importlib
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

import click

from solvers.errors import NotationError, UnknownNameError, quoted

_BELOW_0 = re.compile(r"-[0-9]+", re.ASCII)


class Command(click.Command):
    """A command that takes each of its options once, and whose errors name it.

    To it `-5` is a bad number, not an unknown option.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; raises NotationError for a negative number or an option given twice.

        Options declared as `multiple` may be given again, and flags, where it changes nothing.
        """
        given = list(args)
        args = self._numbers_below_0(args)
        try:
            if not ctx.resilient_parsing:
                _refuse_repeats(self.make_parser(ctx).parse_args(list(args))[2])
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if not error.option_name[1:2].isdigit():
                error.ctx = ctx
                raise
            starts = (text for text in given if text.startswith(error.option_name))
            number = next(starts, error.option_name)
            raise NotationError(
                f"{quoted(number)} is not a deal number or range; valid is 617, 1-32000 or 1,5,617",
                text=number,
            ) from None
        except click.UsageError as error:
            error.ctx = ctx  # click leaves it out for some
            raise

    def _numbers_below_0(self, args: list[str]) -> list[str]:
        """Write the minus of a deal number so that it is not taken for an option's."""
        if not any(parameter.name == "deals" for parameter in self.params):
            return args
        valued = {
            name
            for parameter in self.params
            if isinstance(parameter, click.Option) and not parameter.is_flag
            for name in parameter.opts
        }
        # The first argument is the game.
        return args[:1] + [
            f"\u2212{text[1:]}" if _BELOW_0.fullmatch(text) and before not in valued else text
            for before, text in itertools.pairwise(args)
        ]


def _refuse_repeats(order: Sequence[click.Parameter]) -> None:
    """Raise NotationError for an option with a value that occurs twice.

    order  what the command line gives, one entry an occurrence
    """
    seen = set()
    for parameter in order:
        if not isinstance(parameter, click.Option) or parameter.is_flag or parameter.multiple:
            continue
        if parameter in seen:
            raise NotationError(f"{parameter.opts[-1]} is given twice; valid is once")
        seen.add(parameter)


class Group(click.Group):
    """A group that names its commands when one is unknown, and may load them lazily.

    modules  where each lazily loaded command is: its module's `command`
    """

    command_class = Command

    def __init__(self, *args: Any, modules: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._modules = dict(modules or {})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; without any, show what there is and leave."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the command names in the order in which they were declared."""
        return [*self._modules, *self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name, importing its module; None when there is none."""
        module = self._modules.get(cmd_name)
        if module is None:
            return super().get_command(ctx, cmd_name)
        command: click.Command = importlib.import_module(module).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name; raises UnknownNameError."""
        known = self.list_commands(ctx)
        if not ctx.resilient_parsing and args[0] not in known:
            raise UnknownNameError("command", args[0], known)
        return super().resolve_command(ctx, args)
