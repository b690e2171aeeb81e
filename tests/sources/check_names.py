"""Checks names. In anonymous namespaces they must differ within lib, within app, and within the unit tests,
because unity builds compile these files as one. Functions may share a name if their parameters differ, and
aliases if they mean the same. Types in headers must differ in the whole program, because a second one of
the same name would silently use the first one's functions; so must functions with the same parameters.
Argument: the project's folder.
"""

import pathlib
import re
import sys

NAMESPACE = re.compile(r"^namespace (\w+(?:::\w+)*) \{$|^namespace \{\n(.*?)^\}  // namespace$", re.M | re.S)
# At the beginning of a line, where clang-format puts them.
TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)()", re.M)
ALIAS = re.compile(r"^using (\w+) = (.*);", re.M)
FUNCTION = re.compile(r"^(?:[\w:]+(?:<.*>)?[ *&]+)+(\w+)\(([^;{]*)\)(?: noexcept)? \{", re.M)
CONSTANT = re.compile(r"^(?!using )(?:[\w:]+(?:<.*>)?[ *&]+)+(\w+)(?:\[.*\])*()(?: = |\{|;)", re.M)


def definitions(text):
    """Returns (the full name, its kind, the parameters' types or the alias's meaning)."""
    around = ""
    for name, body in NAMESPACE.findall(text):
        around = name or around
        for kind in (TYPE, ALIAS, FUNCTION, CONSTANT):
            for found, more in kind.findall(body):
                yield f"{around}::{found}", kind, parameters(more) if kind is FUNCTION else more


def parameters(text):
    """Returns the type of each parameter, and whether it may be left out."""
    parts = re.split(r",(?![^<(]*[>)])", " ".join(text.split()))
    return tuple((re.sub(r" *\w*$", "", one.split(" = ")[0].strip()), " = " in one) for one in parts)


def may_be_called_alike(one, other):
    """Returns true if some call has the parameters of both functions."""
    least = max(sum(not may_be_left_out for _, may_be_left_out in both) for both in (one, other))
    most = min(len(one), len(other))
    return any([t for t, _ in one[:n]] == [t for t, _ in other[:n]] for n in range(least, most + 1))


def stand_together(kind, more, other_kind, other_more):
    return kind is other_kind and (
        kind is FUNCTION and not may_be_called_alike(more, other_more) or kind is ALIAS and more == other_more
    )


def clashes(paths):
    seen = {}
    for path in sorted(paths):
        own = set(definitions(path.read_text()))
        for name, *rest in own:
            for other, *others_rest in seen.get(name, []):
                if not stand_together(*rest, *others_rest):
                    yield f"{other} and {path} both have {name}"
        for name, *rest in own:
            seen.setdefault(name, []).append((path, *rest))


def types_of_headers(root):
    """Returns the full name of each type that a header defines, and the header."""
    for path in sorted(
        path for room in ("app", "lib", "tests/unit") for path in (root / room).rglob("*.hpp")
    ):
        text = path.read_text()
        around = re.search(r"^namespace (\S+) \{", text, re.M)
        for name in re.findall(r"^(?:struct|class|enum class) (\w+)(?: final)?(?: : [^{]*)? \{", text, re.M):
            yield f"{around[1] if around else ''}::{name}", path


def shared_types(root):
    seen = {}
    for name, path in types_of_headers(root):
        if seen.setdefault(name, path) != path:
            yield f"{seen[name]} and {path} both define {name}"
    if len(seen) < 100:
        yield f"only {len(seen)} types of headers were found"


def shared_functions(root):
    """Yields the functions that two headers declare with the same parameters. If only their results differ,
    some compilers name them alike, and the program does not link.
    """
    declared = re.compile(r"^(?:[\w:]+(?:<.*>)?[ *&]+)+(\w+)\(([^;{]*)\)(?: noexcept)?;", re.M)
    seen = {}
    for path in sorted(path for room in ("app", "lib") for path in (root / room).rglob("*.hpp")):
        text = path.read_text()
        for found in declared.finditer(text):
            around = re.findall(r"^namespace (\w+(?:::\w+)*) \{", text[: found.start()], re.M)
            types = tuple(one for one, _ in parameters(found[2]))
            name = f"{around[-1] if around else ''}::{found[1]}({', '.join(types)})"
            if seen.setdefault(name, path) != path:
                yield f"{seen[name]} and {path} both declare {name}"
    if len(seen) < 300:
        yield f"only {len(seen)} functions of headers were found"


def constants_named_as_functions(root):
    """Yields the constants of headers that share a name with a function of a header: sources that include
    both do not compile.
    """
    constants, functions = {}, {}
    constant = re.compile(r"^(?:inline )?constexpr [\w:<>, ]+ (\w+)(?:\[\w*\])? = ", re.M)
    function = re.compile(r"^(?:[\w:]+(?:<.*>)?[ *&]+)+(\w+)\(", re.M)
    for path in sorted(path for room in ("app", "lib") for path in (root / room).rglob("*.hpp")):
        text = path.read_text()
        for pattern, all_of_them in (constant, constants), (function, functions):
            for found in pattern.finditer(text):
                around = re.findall(r"^namespace (\w+(?:::\w+)*) \{", text[: found.start()], re.M)
                all_of_them[f"{around[-1] if around else ''}::{found[1]}"] = path
    for name in constants.keys() & functions.keys():
        yield f"{constants[name]} and {functions[name]} both have {name}"
    if len(constants) < 30 or len(functions) < 300:
        yield f"only {len(constants)} constants and {len(functions)} functions of headers were found"


def main():
    root = pathlib.Path(sys.argv[1])
    joined = [list((root / room).rglob("*.cpp")) for room in ("lib", "app", "tests/unit")]
    found = [*(clash for paths in joined for clash in clashes(paths)), *shared_types(root)]
    found += [*shared_functions(root), *constants_named_as_functions(root)]
    print("\n".join(found) or f"names differ within each of {len(joined)} groups of files")
    sys.exit(1 if found or min(map(len, joined)) < 10 else 0)


main()
