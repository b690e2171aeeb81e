#!/usr/bin/env python3
"""Makes deliberate bugs at random and checks that the tests notice them: run.py [--count N] [--seed S]
[--changed] [FILE…]

A mutant changes one operator or constant in one line of lib/ or app/, or of the given files; with --changed,
a line that the last 20 commits changed. The wheel's Python module and the page's scripts count, too. Mutants
are made in a copy of the sources in build/mutants; the working tree is never touched. The tests of the
mutant's folder run first, then the others, until one fails. A mutant that does not compile is replaced; one
that hangs counts as noticed. Survivors are printed. The exit code is 1 if fewer than NOTICED of the mutants
were noticed.
"""

import argparse
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants"
COPIED = ["app", "cmake", "data", "lib", "tests", "CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md"]
NOTICED = 0.85
TIMEOUT = 300  # seconds for one test
MEMORY = 8 << 30
CHANGES = {
    r" < ": " <= ", r" <= ": " < ", r" > ": " >= ", r" >= ": " > ", r" == ": " != ", r" != ": " == ",
    r" \+ ": " - ", r" - ": " + ", r" \* ": " + ", r" / ": " * ", r" && ": " || ", r" \|\| ": " && ",
    r"\b0\b(?!\.)": "1", r"\b1\b(?!\.)": "2", r"\btrue\b": "false", r"\bfalse\b": "true",
    r"\(!": "(", r"\+= ": "-= ",
}  # fmt: skip
# Run after the unit tests, the fastest first.
SCRIPTS = ["oracle/arithmetic", "oracle/modules", "cli/answers", "cli/refusals", "cli/explanations",
           "cli/diagnose", "cli/exports", "cli/hostile", "cli/forms", "cli/quiz", "oracle/extremes",
           "oracle/onward_mistakes", "oracle/transcripts", "diagnosis/accuracy"]  # fmt: skip


def mutants_of(path):
    """Returns (line, begin, end, replacement) of each possible change in the file."""
    for number, line in enumerate(path.read_text().splitlines()):
        code = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', lambda text: " " * len(text[0]), line)
        code = code.split("//")[0]
        if code.lstrip().startswith(("#", "static_assert", "assert")):
            continue
        for pattern, replacement in CHANGES.items():
            for found in re.finditer(pattern, code):
                yield number, *found.span(), replacement


def run(line, seconds=TIMEOUT):
    """Returns True if the command succeeds in time."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        options = {"cwd": WORK / "build", "capture_output": True, "timeout": seconds, "preexec_fn": limit}
        return subprocess.run(line.split(), **options).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def prepare():
    for name in COPIED:
        source, target = ROOT / name, WORK / "source" / name
        if source.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target)
        elif source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    (WORK / "build").mkdir(exist_ok=True)
    options = "-G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 -DCMAKE_UNITY_BUILD=ON"
    if not run(f"cmake -S ../source -B . {options} -DATTN_BUILD_TESTS=ON") or not builds():
        sys.exit("the sources do not build as they are")


def builds():
    return run("cmake --build . --target attn-tests attn-walkthrough attn-oracle-probe", seconds=3600)


def passes(script):
    pytest = "/usr/bin/python3 -B -m pytest -x -c ../source/tests/pytest.ini"
    return run(f"env ATTN_BUILD=. {pytest} ../source/tests/{script}.py")


def changed_lines():
    """Returns (file, line) of everything that the last 20 commits changed."""
    diff = subprocess.run(
        ["git", "diff", "-U0", "HEAD~20", "--", "lib", "app", "data/page"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    path = None
    for line in diff.splitlines():
        if line.startswith("+++ b/"):
            path = pathlib.Path(line[6:])
        elif found := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            begin, count = int(found[1]), int(found[2] or 1)
            yield from ((path, number) for number in range(begin - 1, begin + count - 1))


def noticed_by(path):
    """Returns the first test that fails, or None."""
    if path.suffix == ".py":
        return None if passes("cli/wheel") else "cli/wheel"
    if path.suffix == ".mjs":
        page = run("env ATTN_PROGRAM=./attn-walkthrough node --test ../source/tests/page/modules.test.mjs")
        return None if page else "page/modules"
    room = path.parts[1]
    if not run(f"./attn-tests --source-file=*/{room}/*"):
        return f"unit tests of {room}"
    if not run(f"./attn-tests --source-file-exclude=*/{room}/*"):
        return "unit tests of other rooms"
    for script in SCRIPTS:
        if not passes(script):
            return script
    return None


def main():
    options = argparse.ArgumentParser()
    options.add_argument("files", nargs="*", type=pathlib.Path)
    options.add_argument("--count", type=int, default=20)
    options.add_argument("--seed", type=int, default=random.randrange(10**6))
    options.add_argument("--changed", action="store_true")
    options = options.parse_args()
    files = [path.resolve() for path in options.files] or sorted(
        [
            *ROOT.glob("lib/**/*.[ch]pp"),
            *ROOT.glob("app/*.cpp"),
            *ROOT.glob("app/commands/*.cpp"),
            *ROOT.glob("app/python/**/*.py"),
            *ROOT.glob("data/page/*.mjs"),
        ]
    )
    candidates = [(path.relative_to(ROOT), mutant) for path in files for mutant in mutants_of(path)]
    if options.changed:
        changed = set(changed_lines())
        candidates = [(path, mutant) for path, mutant in candidates if (path, mutant[0]) in changed]
    print(f"{options.count} of {len(candidates)} mutants, --seed {options.seed}", flush=True)
    random.Random(options.seed).shuffle(candidates)
    prepare()
    if failing := noticed_by(pathlib.Path("lib/tensor")):
        sys.exit(f"without a mutant, {failing} fails")
    made = noticed = 0
    for path, (number, begin, end, replacement) in candidates:
        if made == options.count:
            break
        copy = WORK / "source" / path
        original = copy.read_text()
        lines = original.splitlines(keepends=True)
        line = lines[number]
        lines[number] = line[:begin] + replacement + line[end:]
        copy.write_text("".join(lines))
        if builds():
            made += 1
            by = noticed_by(path)
            noticed += by is not None
            place = f"{path}:{number + 1}: {line.strip()}  →  {lines[number].strip()}"
            print(f"{'noticed by ' + by if by else 'SURVIVES'}: {place}", flush=True)
        copy.write_text(original)
    print(f"{noticed} of {made} noticed")
    return 0 if noticed >= NOTICED * made else 1


if __name__ == "__main__":
    sys.exit(main())
