"""`winnable help`: what `--help` says, for those who ask the other way round."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from cli.output import print_lines
from cli.parsing import Command, Group


def _complete_words(
    ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the names of commands."""
    group = ctx.find_root().command
    names = group.list_commands(ctx) if isinstance(group, click.Group) else []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


@click.command("help", cls=Command)
@click.argument("words", nargs=-1, metavar="[COMMAND]...", shell_complete=_complete_words)
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Explain the program or a command.

    \b
    Examples:
      winnable help
      winnable help check
      winnable help pool build
    """
    context = ctx.find_root()
    rest = list(words)
    while rest and isinstance(context.command, Group):
        name, found, rest = context.command.resolve_command(context, rest)
        if found is None:
            break
        context = click.Context(found, info_name=name, parent=context)
    if rest:
        raise click.UsageError(f"{context.command_path} has no commands of its own", ctx)
    print_lines([context.get_help()])
