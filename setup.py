"""Wheels carry compiled programs for processors of any make; pyproject.toml says all the rest."""

import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py


class BuildWithPrograms(build_py):
    """Copies the packages, then compiles the programs of their kernels into them."""

    def run(self) -> None:
        """Compile in a process of its own, which imports the packages as they are here."""
        super().run()
        if self.editable_mode:
            return
        objects = Path(self.build_lib, "solvers", "programs", "objects").resolve()
        command = [sys.executable, "-m", "solvers.programs.package", str(objects)]
        subprocess.run(command, check=True, cwd=Path(__file__).parent)


class PlatformDistribution(Distribution):
    """What is in the wheel depends on the processor, but not on the version of Python."""

    def has_ext_modules(self) -> bool:
        return True


setup(cmdclass={"build_py": BuildWithPrograms}, distclass=PlatformDistribution)
