"""Write docs/cli.md from what `--help` says; with `--check`, tell whether it is up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from cli.main import PROGRAM_NAME, program

PAGE = Path(__file__).with_name("cli.md")
WIDTH = 88

HEAD = """# Command line

Generated from `winnable --help` by `make docs-write`; `make docs` checks it.

Results go to stdout, one line or one JSON object a deal; progress and summaries go to stderr,
progress only on a terminal.

| exit code | means |
|---|---|
| 0 | done; for `check`, `solve` and `grade`: all deals are winnable |
| 1 | some deals are unwinnable; `pool verify`: the pool is wrong; `bench`: the signature differs |
| 2 | bad input: one line on stderr says what, where and what is valid |
| 3 | some deals are undecided and none is unwinnable |
| 4 | a batch was interrupted; the same command goes on from there |
| 70 | a bug of ours |
| 130 | interrupted by Ctrl-C |

## JSON

With `--json` each result is one object on one line. Keys are added in later versions, never
renamed.

- `check`, `solve`, `grade`: `game`, `profile`, `numbering`, `number`, `verdict`, `nodes`, `limit`
  (null, or what stopped the search: `nodes`, `memory`, `seconds`, `worker`). For `--board` there
  is `board`, the position's text, instead of `number`, and `numbering` is null.
- `solve` also: `moves` (a list of texts) and `length` (as the profile counts moves), both null
  unless winnable; for FreeCell `single_card_moves`.
- `grade` also: `effort` (in the grader's unit) and `grade`, both null unless winnable; `grader`.
- `deal`: `game`, `numbering`, `number`, `cards`, `position`.
- `batch`: `game`, `profile`, `numbering`, `first`, `last`, `store`, `kept` (answers from an
  earlier run), `winnable`, `unwinnable`, `undecided`.
- `pool pick`: `game`, `profile`, `numbering`, `number`, `tier`.
- `pool verify`: `pool`, `ok`, `problems`.

## Completion in the shell

Once a session, or in the shell's start-up file:

```
eval "$(_WINNABLE_COMPLETE=bash_source winnable)"     # bash
eval "$(_WINNABLE_COMPLETE=zsh_source winnable)"      # zsh
_WINNABLE_COMPLETE=fish_source winnable | source      # fish
```
"""


def pages(command: click.Command, path: tuple[str, ...]) -> Iterator[str]:
    """Yield the section of a command and of every command below it."""
    context = click.Context(
        command,
        info_name=" ".join(path),
        terminal_width=WIDTH,
        help_option_names=["-h", "--help"],
    )
    text = command.get_help(context).rstrip()
    text = "\n".join(line.rstrip() for line in text.splitlines())
    yield f"## {' '.join(path)}\n\n```\n{text}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                yield from pages(below, (*path, name))


def main() -> int:
    """Write the page, or compare it with `--check`; return the exit code."""
    text = "\n".join([HEAD, *pages(program, (PROGRAM_NAME,))])
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, "utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text("utf-8") == text:
        return 0
    print(f"{PAGE} is not what --help says; run make docs-write", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
