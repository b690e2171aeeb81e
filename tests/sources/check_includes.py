"""Checks the includes. They point in one direction: each folder may use itself and the folders listed here. A
room defines what it declares. Each library is used in one source file. Only lib/files touches the file
system, and few rooms open the files of data/. Public headers include each other by relative paths, because
they are installed elsewhere. Argument: the project's folder.
"""

import pathlib
import re
import sys

# The rooms that each room of lib/ may use besides itself. app/ may use all.
MAY_USE = {
    "text": set(),
    "tensor": {"text"},
    "files": {"tensor", "text"},
    "attention": {"tensor", "text"},
    "notebook": {"tensor", "text"},
    "stages": {"notebook", "files", "tensor", "text"},
    "weights": {"stages", "files", "tensor", "text"},
    "words": {"stages", "notebook", "files", "tensor", "text"},
    "printed": {"stages", "files", "tensor", "text"},
    "documents": {"printed", "stages", "files", "tensor", "text"},
    "dataflow": {"documents", "printed", "stages", "files", "tensor", "text"},
    "views": {"printed", "words", "weights", "stages", "notebook", "files", "tensor", "text"},
    "mistakes": {"printed", "stages", "notebook", "tensor", "text"},
    "diagnosis": {"mistakes", "views", "printed", "words", "stages", "notebook", "files", "tensor", "text"},
    "watch": {"diagnosis", "printed", "words", "stages", "notebook", "files", "tensor", "text"},
    "judge": {
        "diagnosis",
        "mistakes",
        "dataflow",
        "views",
        "documents",
        "printed",
        "words",
        "stages",
        "notebook",
        "files",
        "tensor",
        "text",
    },
    "quiz": {
        "views",
        "printed",
        "words",
        "weights",
        "stages",
        "notebook",
        "files",
        "tensor",
        "text",
        "mistakes",
    },
}
# The folders that each folder of lib/views/ may use besides itself; files beside the folders are for all.
VIEWS_MAY_USE = {
    "document": set(),
    "explain": set(),
    "comparison": set(),
    "heatmap": {"document"},
    "json": {"comparison", "document"},
    "text": {"comparison", "document", "explain", "heatmap"},
    "page": {"comparison", "document", "explain", "heatmap"},
}
ONLY_IN = {
    "CLI/": {"app/command_line.cpp"},
    "nlohmann/": {"lib/files/json.cpp", "lib/files/json_value.cpp"},
    "zlib.h": {"lib/files/inflate.cpp"},
    "fast_float/": {"lib/text/decimal.cpp"},
}
# The files that may open data/: the words, the tensors that stages bring, the documents' tables, and the
# page's layout.
OPENS_DATA = re.compile(
    r"lib/(files|words|stages)/|lib/views/(page/page(_sections)?|document/latex|comparison/references)\.cpp|"
    r"app/answers/completion\.cpp"
)
ONLY_IN_SYSTEM = re.compile(r"<(fstream|filesystem|fcntl\.h|unistd\.h|sys/stat\.h|sys/mman\.h)>")


def problems(root):
    public = set(re.findall(r'#include "(.*)"', (root / "lib/attention.hpp").read_text()))
    for path in sorted([*root.glob("lib/**/*.?pp"), *root.glob("app/**/*.?pp")]):
        name = path.relative_to(root).as_posix()
        folder = name.split("/")[1] if name.startswith("lib/") else "app"
        if name == "lib/attention.hpp":
            continue
        for include in re.findall(r"#include ([<\"].*[>\"])", path.read_text()):
            beside = path.parent / include.strip('"')
            if include[0] == '"' and beside.is_file():
                target = folder if beside.parent == path.parent else beside.resolve().parent.name
            else:
                target = include.strip('<>"').split("/")[0]
                if include[0] == '"' and name.removeprefix("lib/") in public:
                    yield f"{name} includes {include}, which it does not find where it is installed"
            if include[0] == '"' and folder != "app" and target != folder and target not in MAY_USE[folder]:
                yield f"{name} includes {include}: {folder} may use {sorted(MAY_USE[folder])} only"
            view, used = (re.match(r'(?:lib/|")views/(\w+)/', one) for one in (name, include))
            if view and used and used[1] != view[1] and used[1] not in VIEWS_MAY_USE[view[1]]:
                yield f"{name} includes {include}: {view[1]} may use {sorted(VIEWS_MAY_USE[view[1]])} only"
            for library, files in ONLY_IN.items():
                if include.strip('<>"').startswith(library) and name not in files:
                    yield f"{name} includes {include}, which belongs in {sorted(files)} only"
            if include == '"files/resources.hpp"' and not OPENS_DATA.match(name):
                yield f"{name} includes {include}: what it needs of data/ comes as an argument"
            if (
                ONLY_IN_SYSTEM.match(include)
                and name != "lib/files/system.cpp"
                and not name.startswith(("app/web/system/", "app/screen"))
            ):
                yield f"{name} includes {include}: the operating system is lib/files/system.cpp's"


def declared(text):
    """Returns the functions, classes and variables that a header offers, or that a source declares as defined
    elsewhere."""
    for line in text.splitlines():
        if kind := re.match(r"(?:class|struct) (\w+)[^;]*$", line):
            yield kind[1]
        elif variable := re.match(r"extern .*?(\w+)(?:\[\])?;", line):
            yield variable[1]
        elif function := re.match(
            r"(?!using|template|inline|constexpr|namespace|#|//)\w[^()]*?(\w+)\(", line
        ):
            yield function[1]


def defined(text):
    """Returns the same for what a source defines with external linkage; for members, the class."""
    text = re.sub(r"^namespace \{$.*?^\}  // namespace$", "", text, flags=re.M | re.S)
    for definition in re.finditer(
        r"^(?!using|template|static|constexpr|namespace|#|//)"
        r"\w[^;(){}=]*?(\w+)(?:::~?\w+)?(?:\(|\[\] = |\{$)",
        text,
        flags=re.M,
    ):
        yield definition[1]


def misplaced(root):
    """A declaration in one room of something defined in another connects the two without an include."""
    rooms = {room: {"hpp": set(), "cpp": set()} for room in MAY_USE}
    for path in root.glob("lib/*/**/*.?pp"):
        of_room = rooms[path.relative_to(root).parts[1]]
        text = path.read_text()
        of_room["hpp"].update(
            declared(
                text if path.suffix == ".hpp" else "\n".join(re.findall("^extern .*;", text, flags=re.M))
            )
        )
        if path.suffix == ".cpp":
            of_room["cpp"].update(defined(text))
    for room, names in rooms.items():
        for other in rooms:
            for name in sorted((names["hpp"] - names["cpp"]) & (rooms[other]["cpp"] - rooms[other]["hpp"])):
                yield f"{name} is declared in lib/{room} and defined in lib/{other}"


def main():
    root = pathlib.Path(sys.argv[1])
    found = [*problems(root), *misplaced(root)]
    print("\n".join(found) or f"{len(list(root.glob('lib/**/*.?pp')))} files include one way")
    sys.exit(1 if found else 0)


main()
