"""`winnable build`: a game's program as an object file and a C header, for other languages."""

from __future__ import annotations

from pathlib import Path

import click

from cli.options import disk_file, game_argument
from cli.output import print_lines
from cli.parsing import Command
from solvers.errors import WinnableError
from solvers.games import AnyGame


@click.command("build", cls=Command)
@game_argument
@click.option(
    "--target",
    default="host",
    show_default=True,
    metavar="NAME",
    help="host, x86-64-v3, x86-64-v2, aarch64, wasm32, or a triple such as aarch64-apple-darwin.",
)
@click.option(
    "--out",
    default=".",
    show_default=True,
    metavar="FOLDER",
    callback=disk_file,
    help="Where the files go; made if need be.",
)
def command(game: AnyGame, target: str, out: str) -> None:
    """Compile a game's program for a target.

    Writes winnable-GAME.o and winnable-GAME.h, to be linked into a native frontend; for wasm32
    winnable-GAME.wasm and its manifest, which needs wasm-ld (package lld). docs/programs.md says
    how the entries are called.

    \b
    Examples:
      winnable build freecell --target aarch64-apple-darwin --out engine
      winnable build pyramid --target wasm32 --out web
    """
    from solvers.programs import wasm
    from solvers.programs.build import compile_object, header
    from solvers.programs.load import entries_of
    from solvers.programs.targets import named

    found = named(target)
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if found.is_wasm:
            for name, data in wasm.files_of(game.name).items():
                (folder / name).write_bytes(data)
                print_lines([f"{folder / name}: {len(data):,} bytes"])
            return
        entries = entries_of(game.name)
        data = compile_object(entries, found, jit=False)
        code = folder / f"winnable-{game.name}.o"
        code.write_bytes(data)
        (folder / f"winnable-{game.name}.h").write_text(header(game.name, entries), "utf-8")
    except OSError as error:
        shown = click.format_filename(out)
        raise WinnableError(f"{shown} cannot be written: {error.strerror or error}") from None
    print_lines([f"{code}: {len(data):,} bytes for {found.name}"])
