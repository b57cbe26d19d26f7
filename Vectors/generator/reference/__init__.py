"""Models of the protocol, written from the pages of Specs alone: one module or folder for each page."""

import importlib
import pkgutil


def load():
    """Imports every model, so that the register of operations is complete."""
    for module in pkgutil.walk_packages(__path__, f"{__name__}."):
        importlib.import_module(module.name)
