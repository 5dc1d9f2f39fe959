"""The program `winnable`: its commands, loaded lazily, and every way in which it ends.

Owns which error ends in which exit code: 2 for bad input, 130 for Ctrl-C (4 for a batch), 0 for
a closed pipe, 70 for a bug of ours.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import click

from cli.codes import BAD_INPUT, INTERNAL_ERROR, INTERRUPTED, interrupt_code
from cli.output import note
from cli.parsing import Group
from solvers.errors import SolutionRejectedError, WinnableError

PROGRAM_NAME = "winnable"

#: Where each command is, in the order in which `--help` lists them.
_COMMANDS = {
    name: f"cli.commands.{name}"
    for name in (
        *(
            "deal",
            "check",
            "solve",
            "hint",
            "replay",
            "grade",
            "find",
            "batch",
            "store",
            "pool",
            "bench",
        ),
        *("games", "serve", "warm", "build", "help"),
    )
}
_LONGEST_MESSAGE = 2000


class Program(Group):
    """The whole program: whatever happens ends in an exit code and at most one line."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run the arguments, or answer the shell's question for completions, and exit."""
        variable = complete_var or f"_{PROGRAM_NAME.upper()}_COMPLETE"
        instruction = os.environ.get(variable)
        if instruction:
            from click.shell_completion import shell_complete

            # What is typed so far may be wrong; then there is nothing to complete.
            with contextlib.suppress(WinnableError):
                sys.exit(shell_complete(self, extra, PROGRAM_NAME, variable, instruction))
            sys.exit(0)
        arguments = sys.argv[1:] if args is None else list(args)

        def call() -> int:
            with self.make_context(PROGRAM_NAME, arguments, **extra) as context:
                return int(self.invoke(context) or 0)

        sys.exit(guarded(call, interrupt_code(arguments)))


def guarded(call: Callable[[], int], interrupted: int = INTERRUPTED) -> int:
    """Run `call` and return its exit code; tell of an error in one line on stderr.

    interrupted  the exit code after Ctrl-C
    """
    try:
        try:
            code = call()
        except click.exceptions.Exit as end:  # --help and --version
            code = end.exit_code
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except click.UsageError as error:
        return _fail(BAD_INPUT, _usage_message(error))
    except click.ClickException as error:
        return _fail(BAD_INPUT, error.format_message())
    except (KeyboardInterrupt, click.Abort):
        return _fail(interrupted, "interrupted")
    except SolutionRejectedError as error:
        return _internal_error(error)
    except WinnableError as error:
        return _fail(BAD_INPUT, str(error))
    except BrokenPipeError:
        _discard_output()
        return 0
    except OSError as error:
        # A full disk, an unreadable file: the machine's state, not a bug.
        where = "output" if error.filename is None else error.filename
        _discard_output()
        return _fail(BAD_INPUT, f"{where}: {error.strerror or error}")
    except MemoryError:
        return _fail(BAD_INPUT, "not enough memory; give less to --memory or to --jobs")
    except RuntimeError as error:
        if "can't start new thread" not in str(error):
            return _internal_error(error)
        return _fail(BAD_INPUT, "the system gives us no more threads; give less to --jobs")
    # Blind on purpose: an exit code of 1 must never mean a bug.
    except Exception as error:  # noqa: BLE001
        return _internal_error(error)


def _usage_message(error: click.UsageError) -> str:
    """Write a usage error as one phrase that ends with where to read more."""
    message = error.format_message().rstrip(".")
    command = error.ctx.command_path if error.ctx is not None else PROGRAM_NAME
    return f"{message[:1].lower()}{message[1:]}; see {command} --help"


def _internal_error(error: Exception) -> int:
    """Tell of a bug of ours, with the traceback where WINNABLE_DEBUG=1 asks for it."""
    if os.environ.get("WINNABLE_DEBUG") == "1":
        note("".join(traceback.format_exception(error)).rstrip())
    return _fail(
        INTERNAL_ERROR,
        f"internal error: {type(error).__name__}: {error}; this is a bug: please report this "
        "line and the command to the maintainers (WINNABLE_DEBUG=1 shows the traceback)",
    )


def _fail(code: int, message: str) -> int:
    """Write one line, whatever the message holds, and return the exit code."""
    line = "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in message
    )
    if len(line) > _LONGEST_MESSAGE:
        line = f"{line[:_LONGEST_MESSAGE]}..."
    note(f"{PROGRAM_NAME}: {line}")
    return code


def _discard_output() -> None:
    """Send what is still buffered for stdout nowhere, so that leaving stays silent."""
    # Under a test runner stdout is not a file and needs none of this.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
        os.close(devnull)


def _show_version(ctx: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    """Name the program and everything of it that others store, then exit."""
    if not asked or ctx.resilient_parsing:
        return
    from cli.commands.games import version_text

    click.echo(version_text())
    ctx.exit()


@click.group(
    cls=Program,
    modules=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    "-V",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the program's version, its graders and its file formats.",
)
def program() -> None:
    """Decide, grade and pool numbered deals of FreeCell, Pyramid and The Plot.

    \b
    Examples:
      winnable check freecell 617
      winnable solve freecell 617
      winnable batch freecell 1-32000 --store deals.db
      winnable pool build freecell 1-32000 --store deals.db --out pool.json

    Every command explains itself: winnable COMMAND --help.
    """
