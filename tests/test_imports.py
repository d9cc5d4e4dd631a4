"""One class a name, and no imports in a circle: of all modules, packages and what is imported for type checking too.

import-linter asks the same of the files and folders beside each other (pyproject.toml); what it does not see is a
module that imports from the package it is in.
"""

import ast
from collections import defaultdict
from collections.abc import Mapping, Set
from pathlib import Path

import grimp

import alegear


def circles(imports: Mapping[str, Set[str]]) -> list[set[str]]:
    """Groups of more than one module from each of which every other of the group is reached (Tarjan, 1972)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    found = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        path.append(module)
        for imported in sorted(imports[module]):
            if imported not in number:
                visit(imported)
                lowest[module] = min(lowest[module], lowest[imported])
            elif imported in path:
                lowest[module] = min(lowest[module], number[imported])
        if lowest[module] == number[module]:
            group = path[path.index(module) :]
            del path[path.index(module) :]
            if len(group) > 1:
                found.append(set(group))

    for module in sorted(imports):
        if module not in number:
            visit(module)
    return found


def test_circles_are_found():
    tree = {"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": set()}
    assert circles(tree) == []
    assert circles(tree | {"d": {"b"}}) == [{"b", "d"}]
    assert circles(tree | {"d": {"a"}}) == [{"a", "b", "c", "d"}]
    assert circles({"a": {"b"}, "b": {"a"}, "c": {"d", "a"}, "d": {"c"}}) == [{"a", "b"}, {"c", "d"}]


def test_no_module_imports_itself_by_way_of_others():
    graph = grimp.build_graph("alegear", cache_dir=None)
    assert circles({module: graph.find_modules_directly_imported_by(module) for module in graph.modules}) == []


def test_one_class_a_name():
    """A reader who meets a class by its name has one place to look for, private classes of modules included."""
    places = defaultdict(list)
    for path in sorted(Path(alegear.__file__).parent.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
