"""Names in anonymous namespaces differ within a folder, which unity builds compile as one file. Functions may share a name
whose parameters differ, and aliases one that means the same. Argument: the project's folder."""

import pathlib
import re
import sys

NAMESPACE = re.compile(r"^namespace (\w+(?:::\w+)*) \{$|^namespace \{\n(.*?)^\}  // namespace$", re.M | re.S)
# As clang-format leaves them: at the beginning of a line.
TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)()", re.M)
ALIAS = re.compile(r"^using (\w+) = (.*);", re.M)
FUNCTION = re.compile(r"^(?:[\w:]+(?:<.*>)?[ *&]+)+(\w+)\(([^;{]*)\)(?: noexcept)? \{", re.M)
CONSTANT = re.compile(r"^(?!using )(?:[\w:]+(?:<.*>)?[ *&]+)+(\w+)(?:\[.*\])*()(?: = |\{|;)", re.M)


def definitions(text):
    """(the full name, its kind, the parameters' types or the alias' meaning)"""
    around = ""
    for name, body in NAMESPACE.findall(text):
        around = name or around
        for kind in (TYPE, ALIAS, FUNCTION, CONSTANT):
            for found, more in kind.findall(body):
                types = re.sub(r" *\w*(,|$)", r"\1", " ".join(more.split())) if kind is FUNCTION else more
                yield f"{around}::{found}", kind, types


def stand_together(kind, more, other_kind, other_more):
    return kind is other_kind and (kind is FUNCTION and more != other_more or kind is ALIAS and more == other_more)


def clashes(folder):
    seen = {}
    for path in sorted(folder.glob("*.cpp")):
        own = set(definitions(path.read_text()))
        for name, *rest in own:
            for other, *others_rest in seen.get(name, []):
                if not stand_together(*rest, *others_rest):
                    yield f"{other} and {path} both have {name}"
        for name, *rest in own:
            seen.setdefault(name, []).append((path, *rest))


def main():
    root = pathlib.Path(sys.argv[1])
    folders = sorted({path.parent for room in ("app", "lib") for path in (root / room).rglob("*.cpp")})
    found = [clash for folder in folders for clash in clashes(folder)]
    print("\n".join(found) or f"names differ within each of {len(folders)} folders")
    sys.exit(1 if found or len(folders) < 10 else 0)


main()
