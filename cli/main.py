"""The door: how the process begins and ends.

Imports next to nothing before it can answer Ctrl-C; what the program does is in `program`.
"""

from __future__ import annotations

import os
import signal
import sys

from cli.codes import INTERNAL_ERROR, interrupt_code

TYPE_CHECKING = False  # as type checkers know it, without three milliseconds for `typing`
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, NoReturn


def run() -> NoReturn:
    """Run the program on the process's arguments, and leave."""
    # Where interrupts are ignored, as in a shell's background jobs, they stay ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _on_interrupt)
    sys.unraisablehook = _on_lost_exception
    from cli.program import program

    if sys.stdout is not None and sys.stdout.errors == "strict":
        # A terminal without suit symbols shows them escaped.
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    code = INTERNAL_ERROR
    try:
        program.main()
    except KeyboardInterrupt:  # between two lines of ours
        _leave_interrupted()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else INTERNAL_ERROR
    _leave(code)


def _leave(code: int) -> NoReturn:
    """End the process without the interpreter's cleaning up.

    For numba that takes a quarter of a second, and by now files are closed and threads are done.
    """
    import contextlib

    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(code)


def _on_interrupt(_signal: int, frame: FrameType | None) -> NoReturn:
    """Raise KeyboardInterrupt; while modules load, leave at once.

    Modules that are interrupted while they load drop the exception, or raise another.
    """
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            _leave_interrupted()
        frame = frame.f_back
    raise KeyboardInterrupt


def _leave_interrupted() -> NoReturn:
    """End the process, saying that it was interrupted."""
    try:
        if sys.stderr is not None:  # else 2 may be the number of any other file
            # Past the stream's buffer, which the interrupted code may be using.
            os.write(2, b"winnable: interrupted\n")
    finally:
        os._exit(interrupt_code(sys.argv[1:]))


def _on_lost_exception(lost: Any) -> None:
    """Answer an interrupt that fell into a callback, where Python only reports exceptions."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _leave_interrupted()
    sys.__unraisablehook__(lost)


if __name__ == "__main__":
    run()
