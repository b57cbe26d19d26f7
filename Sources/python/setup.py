"""Adds the C library to the wheel: the file that INKLING_LIBRARY names.

Without INKLING_LIBRARY the wheel is pure Python and uses the libinkling.so.1 that the system has.
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
            # The soname, which is also the name that the package looks for.
            shutil.copyfile(LIBRARY, folder / "libinkling.so.1")


class Wheel(bdist_wheel):
    """A wheel for one platform and every Python: ctypes needs no interface of a particular version."""

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", super().get_tag()[2])


class Binary(Distribution):
    """A distribution that is for one platform if it has the C library inside."""

    def has_ext_modules(self) -> bool:
        return bool(LIBRARY)


setup(distclass=Binary, cmdclass={"build_py": Build, "bdist_wheel": Wheel})
