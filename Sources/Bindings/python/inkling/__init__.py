"""Inkling for Python: recognises nearby contacts by identifiers that no one else can track.

A thin, typed layer over the C library, whose header inkling.h documents each function. The library wipes the secrets
that it holds; secrets passed in as bytes (roots, seeds) stay in Python's memory until Python frees them. Any thread
may use any object; if two use the same one at once, a call fails with InklingError.

The C library is opened when the first name of this package is used; if it is missing, that raises an ImportError. The
modules inkling.archive and inkling.node do without it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._names import *
else:

    def __getattr__(name):
        from importlib import import_module
        from importlib.util import find_spec

        # Not ours: Python looks for such names before it imports a module of the package.
        if name.startswith("__") and name != "__all__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if find_spec(f"{__name__}.{name}"):
            return import_module(f"{__name__}.{name}")
        names = import_module(f"{__name__}._names")
        try:
            value = globals()[name] = getattr(names, name)
        except AttributeError:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
        return value

    def __dir__():
        from ._names import __all__

        return sorted({*globals(), *__all__})
