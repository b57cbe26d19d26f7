"""The reference shim with one fault, which the runner must find.

    python3 Tests/Rigs/shims/reference/faulty.py --fault minor-little-endian
    python3 Tests/Rigs/shims/reference/faulty.py --list
"""

import importlib.abc
import importlib.util
import sys
from pathlib import Path

from faults import FAULTS

HERE = Path(__file__).resolve().parent
MODELS = HERE.parents[3] / "Vectors" / "generator"


def changed(text: str, fault) -> str:
    if text.count(fault.right) != 1:
        sys.exit(f"{fault.name}: what it replaces stands {text.count(fault.right)} times in {fault.module}")
    return text.replace(fault.right, fault.wrong)


class Changed(importlib.abc.InspectLoader):
    """Returns a module with the fault."""

    def __init__(self, path, fault):
        self.path = path
        self.fault = fault

    def get_source(self, fullname):
        return changed(self.path.read_text(encoding="utf-8"), self.fault)

    def is_package(self, fullname):
        return False

    def exec_module(self, module):
        # A model may use its own path: one of them reads a page beside it.
        module.__file__ = str(self.path)
        super().exec_module(module)


class Finder(importlib.abc.MetaPathFinder):
    def __init__(self, fault):
        self.fault = fault

    def find_spec(self, fullname, path, target=None):
        if fullname != f"generator.{self.fault.module}":
            return None
        file = MODELS.joinpath(*self.fault.module.split(".")).with_suffix(".py")
        return importlib.util.spec_from_loader(fullname, Changed(file, self.fault), origin=str(file))


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(f"{fault.name}  {fault.requirement}" for fault in FAULTS))
        return
    if len(sys.argv) != 3 or sys.argv[1] != "--fault":
        sys.exit(__doc__)
    fault = next((one for one in FAULTS if one.name == sys.argv[2]), None)
    if fault is None:
        sys.exit(f"there is no fault {sys.argv[2]}; --list shows them")
    sys.meta_path.insert(0, Finder(fault))
    source = (HERE / "shim.py").read_text(encoding="utf-8")
    if fault.module == "shim":
        source = changed(source, fault)
    code = compile(source, str(HERE / "shim.py"), "exec")
    exec(code, {"__name__": "__main__", "__file__": str(HERE / "shim.py")})


if __name__ == "__main__":
    main()
