"""Includes point one way: each folder may use itself and those named here, nothing else of ours; CLI11 and
nlohmann/json each stay in one source file; and only lib/io touches the file system. Argument: the project's folder."""

import pathlib
import re
import sys

MAY_USE = {
    "text": set(),
    "tensor": set(),
    "notebook": {"tensor"},
    "walkthrough": {"notebook", "tensor", "text"},
    "attention": {"tensor"},
    "io": {"walkthrough", "tensor", "text"},
    "views": {"io", "walkthrough", "notebook", "tensor", "text"},
    "diagnosis": {"views", "io", "walkthrough", "notebook", "tensor", "text"},
}
ONLY_IN = {"CLI/": {"app/options.cpp"}, "zlib.h": {"lib/io/inflate.cpp"}, "nlohmann/": {"lib/io/json.cpp"}}
ONLY_IN_IO = re.compile(r"<(fstream|filesystem|fcntl\.h|unistd\.h|sys/stat\.h|sys/mman\.h)>")


def problems(root):
    for path in sorted([*root.glob("lib/**/*.?pp"), *root.glob("app/*.?pp")]):
        name = path.relative_to(root).as_posix()
        folder = name.split("/")[1] if name.startswith("lib/") else "app"
        for include in re.findall(r"#include ([<\"].*[>\"])", path.read_text()):
            target = include.strip('<>"').split("/")[0]
            if include[0] == '"' and folder != "app" and target != folder and target not in MAY_USE[folder]:
                yield f"{name} includes {include}: {folder} may use {sorted(MAY_USE[folder])} only"
            for library, files in ONLY_IN.items():
                if include.strip('<>"').startswith(library) and name not in files:
                    yield f"{name} includes {include}, which belongs in {sorted(files)} only"
            if ONLY_IN_IO.match(include) and folder != "io":
                yield f"{name} includes {include}: the file system is lib/io's"
        for line_number, line in enumerate(path.read_text().splitlines(), 1):
            if line_number > 300:
                yield f"{name} is longer than 300 lines"
                break


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(problems(root))
    print("\n".join(found) or f"{len(list(root.glob('lib/**/*.?pp')))} files include one way")
    sys.exit(1 if found else 0)


main()
