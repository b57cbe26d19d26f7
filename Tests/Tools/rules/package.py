"""Dependencies are ranges with a reason; every folder of Sources is a target; targets declare their imports; few use the trait."""

import os
import re
from pathlib import Path

from tree import Finding, Tree

TITLE = "dependencies are ranges with a reason; source folders are targets, which declare their imports; few use the trait"
MANIFEST = "Package.swift"
# The gate runs only the suites of these targets again with the trait, in its step test-node.
TRAIT_FOLDERS = (
    "Sources/Program/", "Sources/Kit/InklingKit/", "Sources/Linux/InklingLinux/", "Tests/Rigs/durability/", "Tests/Rigs/network/",
    "Tests/Rigs/fuzzing/", "Tests/InklingProgramTesting/", "Tests/InklingCommandTests/", "Tests/InklingKitTests/", "Tests/InklingLinuxTests/",
)
# Folders of Sources that Swift does not build.
OTHER_FOLDERS = {"debian", "python"}


def findings(tree: Tree):
    text = tree.text(MANIFEST)
    lines = tree.lines(MANIFEST)
    for number, line in lines:
        if ".package(url:" not in line:
            continue
        statement = " ".join(text for _, text in lines[number - 1 : number + 4])
        if not re.match(r"\s*\.package\(\s*url:\s*\"[^\"]+\"\s*,\s*\.upToNextMinor\(from:\s*\"\d+\.\d+\.\d+\"\)", statement):
            yield Finding(MANIFEST, number, "a dependency must be a range: `.upToNextMinor(from:)` and a version of three numbers")
        if not re.match(r"\s*//", lines[number - 2][1]):
            yield Finding(MANIFEST, number, "the line above a dependency must be a comment that says why it is needed")
    folders = {path.name: path for path in sorted((tree.root / "Sources").glob("*/*")) if path.is_dir() and path.name not in OTHER_FOLDERS}
    for folder, place in folders.items():
        if f'"{folder}"' not in text:
            yield Finding(MANIFEST, 1, f"{place.relative_to(tree.root)} belongs to no target")
    yield from alike_but_for_case(tree, text)
    for manifest in tree.files("Tests", suffix=MANIFEST):
        yield from undeclared_imports(tree, manifest, folders)
    for path in tree.files("Sources", "Tests", suffix=".swift"):
        if path.startswith(TRAIT_FOLDERS):
            continue
        for number, line in tree.lines(path):
            if re.match(r"\s*#(if|elseif)\b.*\bNode\b", line):
                yield Finding(path, number, "`#if Node` outside the targets whose tests run with the trait")


TARGET = re.compile(r"\.(?:target|executableTarget|testTarget|systemLibrary)\(\s*name:")
DEPENDENCIES = re.compile(r"dependencies:\s*\[((?:[^][]|\[[^][]*\])*)\]")
NAME = re.compile(r'"([^"]+)"')
# A library of this package brings the modules of all its targets to a package that depends on it.
LIBRARY = re.compile(r'\.library\(name: "(\w+)", targets: \[([^]]*)\]')
OURS = re.compile(r'\.product\(name: "(\w+)", package: "inkling"\)')
IMPORT = re.compile(r"\s*(?:@\w+\s+)*(?:\w+\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)")


def undeclared_imports(tree: Tree, manifest: str, modules: dict[str, Path]):
    """Finds modules of this project that a target of a rig imports and does not declare: it may only build by chance, or no longer.

    The gate builds few of these packages. Their targets are mostly links to folders of Sources; `modules` are those, by name.
    """
    libraries = {name: set(NAME.findall(targets)) for name, targets in LIBRARY.findall(tree.text(MANIFEST))}
    declared = {}
    for part in TARGET.split(tree.text(manifest))[1:]:
        listed = DEPENDENCIES.search(part)
        own = set(NAME.findall(listed[1])) if listed else set()
        declared[NAME.findall(part)[0]] = own.union(*(libraries.get(name, set()) for name in OURS.findall(part)))
    for name, dependencies in declared.items():
        # A rig may also fill its folders when it runs.
        places = (tree.root / Path(manifest).parent / "Sources" / name, modules.get(name), tree.root / "Tests" / name)
        folder = next((place for place in places if place and place.exists()), None)
        undeclared = (modules.keys() | declared.keys()) - dependencies - {name}
        for path in swift_files(folder) if folder else []:
            is_left_out = alternative = False
            for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
                # What replaces a module that this package declares is not compiled in it.
                if there := re.match(r"\s*#if canImport\((\w+)\)", line):
                    alternative = there[1] in dependencies
                elif re.match(r"\s*#else\b", line):
                    is_left_out = alternative
                elif re.match(r"\s*#endif\b", line):
                    is_left_out = alternative = False
                found = None if is_left_out else IMPORT.match(line)
                if found and found[1] in undeclared:
                    inside = os.path.relpath(os.path.realpath(path), tree.root)
                    yield Finding(manifest, 1, f"the target {name} does not declare {found[1]}, which {inside}:{number} imports")


def swift_files(folder: Path):
    """Yields the files of a folder of sources, in order. Folders may be links."""
    for place, folders, names in os.walk(folder, followlinks=True):
        folders.sort()
        yield from (Path(place, name) for name in sorted(names) if name.endswith(".swift"))


def alike_but_for_case(tree: Tree, manifest: str):
    """Finds paths and modules that are the same on a file system that ignores case."""
    seen: dict[str, str] = {}
    for path in tree.files("Package.swift", "Sources", "Tests", "Specs", "Vectors"):
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            place = "/".join(parts[:depth])
            first = seen.setdefault(place.lower(), place)
            if first != place:
                yield Finding(path, 1, f"{place} and {first} are the same path on a file system that ignores case")
    targets = re.findall(r"\.(?:target|executableTarget|testTarget|systemLibrary)\(\s*name:\s*\"([^\"]+)\"", manifest)
    modules: dict[str, str] = {}
    for name in targets:
        first = modules.setdefault(name.lower(), name)
        if first != name:
            yield Finding(MANIFEST, 1, f"the modules {first} and {name} differ in case alone")
