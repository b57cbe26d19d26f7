"""The vector generator shares no code with the package, and its schemas are closed."""

import ast
import json
import sys

from tree import Finding, Tree

TITLE = "the generator imports nothing from the package, its models import no cases, and schemas allow only named members"
GENERATOR = "Vectors/generator"
# Beyond the standard library: the cryptography of the models, and the validator of the schemas.
PACKAGES = {"cryptography", "jsonschema"}
# With these the generator could obtain its results from another program or library.
DOORS = {"ctypes", "subprocess", "socket", "multiprocessing", "cffi"}
# Two objects may have any members: the notes of a file, whose names are the flags of its cases, and arguments, which can
# be invalid on purpose.
OPEN = (("properties", "notes"), ("properties", "args"))


def findings(tree: Tree):
    for path in tree.files(GENERATOR, suffix=".py"):
        yield from imports(tree, path)
    for path in tree.files("Vectors/schema", suffix=".json"):
        try:
            schema = json.loads(tree.text(path))
        except ValueError as error:
            yield Finding(path, 1, f"not JSON: {error}")
            continue
        for place in open_objects(schema, ()):
            yield Finding(path, 1, f"the object at /{'/'.join(place)} allows members that it does not name")


def imports(tree: Tree, path: str):
    for node in ast.walk(ast.parse(tree.text(path), path)):
        match node:
            case ast.Import(names=names):
                modules = [name.name for name in names]
            case ast.ImportFrom(module=module, level=0):
                modules = [module or ""]
            case ast.ImportFrom(level=level) if level > len(path.removeprefix(GENERATOR).split("/")) - 1:
                modules = ["a folder outside"]
            case ast.Call(func=ast.Attribute(attr=("system" | "popen" | "execv" | "spawnv") as name)):
                modules = [name]
            case ast.ImportFrom(module=module, level=level):
                # A model that knew the cases could contain their results one by one.
                if top_folder(path) == "reference" and "cases" in target(path, level, node):
                    yield Finding(path, node.lineno, "a model imports cases; it must follow from the specification alone")
                continue
            case _:
                continue
        for module in modules:
            top = module.split(".")[0]
            if top in DOORS or top not in sys.stdlib_module_names | PACKAGES:
                yield Finding(path, node.lineno, f"the generator uses {module}; it must compute its results itself")


def top_folder(path: str) -> str:
    return path.removeprefix(GENERATOR + "/").split("/")[0]


def target(path: str, level: int, node: ast.ImportFrom) -> set[str]:
    """Returns the folders and modules directly below the generator that a relative import names."""
    folders = path.removeprefix(GENERATOR + "/").split("/")[:-level]
    inside = [*folders, *(node.module.split(".") if node.module else [])]
    return {inside[0]} if inside else {name.name for name in node.names}


def open_objects(value, place: tuple[str, ...]):
    if isinstance(value, dict):
        is_object = value.get("type") == "object" or "properties" in value
        named = place[-2:] in OPEN and not value.get("properties")
        if is_object and value.get("additionalProperties") is not False and not named:
            yield place
        for name, inner in value.items():
            yield from open_objects(inner, (*place, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from open_objects(inner, (*place, str(number)))
