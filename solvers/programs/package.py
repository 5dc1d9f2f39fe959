"""Write the objects that a wheel carries: `python -m solvers.programs.package FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from solvers.errors import ProgramError
from solvers.programs import files
from solvers.programs.build import emit, link
from solvers.programs.load import MODULES, entries_of
from solvers.programs.targets import generic_targets


def main(folder: Path) -> None:
    """Compile every program for the generic targets of this architecture."""
    for program in MODULES:
        text = link(entries_of(program))
        for target in generic_targets():
            path = folder / files.name_of(program, target)
            if not files.write(path, program, target, emit(text, target)):
                raise ProgramError(f"{path} cannot be written")
            print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
