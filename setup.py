"""Wheels carry compiled programs for processors of any make; pyproject.toml says all the rest."""

import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
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


class PlatformWheel(bdist_wheel):
    """Any Python 3 will do: the programs know nothing of it."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return the tags of Python, its ABI and the platform."""
        return "py3", "none", super().get_tag()[2]


class PlatformDistribution(Distribution):
    """What is in the wheel depends on the processor."""

    def has_ext_modules(self) -> bool:
        return True


setup(
    cmdclass={"build_py": BuildWithPrograms, "bdist_wheel": PlatformWheel},
    distclass=PlatformDistribution,
)
