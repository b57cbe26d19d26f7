"""Adds the C library, the file that INKLING_LIBRARY names, to the wheel.

Without INKLING_LIBRARY the wheel is pure Python and uses the libinkling.so.1 of the system.
"""

import os
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

LIBRARY = os.environ.get("INKLING_LIBRARY")


class Build(build_py):
    """Copies the C library beside the modules."""

    def run(self) -> None:
        super().run()
        if LIBRARY:
            folder = Path(self.build_lib, "inkling")
            folder.mkdir(parents=True, exist_ok=True)
            # The package looks for the soname.
            shutil.copyfile(LIBRARY, folder / "libinkling.so.1")


class Wheel(bdist_wheel):
    """A wheel for one platform and every Python version, since ctypes does not depend on Python's ABI."""

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", super().get_tag()[2])


class Binary(Distribution):
    """A distribution that is specific to a platform if it contains the C library."""

    def has_ext_modules(self) -> bool:
        return bool(LIBRARY)


setup(distclass=Binary, cmdclass={"build_py": Build, "bdist_wheel": Wheel})
