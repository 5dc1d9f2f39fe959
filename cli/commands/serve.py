"""`winnable serve`: answers for a program in any language, over its standard streams."""

from __future__ import annotations

import sys

import click

from cli.options import whole_number
from cli.parsing import Command

_MOST_AT_ONCE = 1024


@click.command("serve", cls=Command)
@click.option(
    "--at-once",
    metavar="N",
    default="32",
    show_default=True,
    callback=whole_number(1, _MOST_AT_ONCE),
    help="Requests that are answered at the same time; more wait.",
)
def command(at_once: int) -> int:
    """Answer requests from standard input, a JSON object a line.

    Each is answered by a JSON object on standard output with the same id, as soon as it is known:
    answers may come in another order. 'do' says what is asked, the other keys are the options of
    that command: docs/serve.md has them all. A bad request gets an error, and ends nothing.

    Ends when standard input does, after the last answer.

    \b
    Examples:
      winnable serve < requests.jsonl > answers.jsonl
      echo '{"id": 1, "do": "hint", "game": "freecell", "number": 617}' | winnable serve
    """
    from cli.serving import Server

    Server(sys.stdout.buffer, at_once=at_once).serve(sys.stdin.buffer)
    return 0
