#!/usr/bin/env python3
"""Makes deliberate bugs at random and checks that the tests notice them: run.py [--count N] [--seed S]
[--changed] [--unit] [FILE…]

A mutant changes one operator or constant in one line of lib/ or app/, or of the given files; with --changed,
a line that the last 20 commits changed. The wheel's Python module and the page's scripts count, too; headers
do not. Each mutant is made in a copy of the sources, and linked with what build/dev has already compiled. The
tests of the mutant's folder run first, then the others, until one fails; with --unit, only the unit tests run
for C++, and no browser. Without a mutant, all must pass. A mutant that does not compile is replaced; one that
hangs counts as noticed. Survivors are printed. The exit code is 1 if too few of the mutants were noticed.
"""

import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "dev"
WORK = ROOT / "build" / "mutants"
PROGRAMS = ["attn-tests", "attn-walkthrough", "attn-oracle-probe"]
EMBEDDED = pathlib.Path("build/dev/lib/embedded_resources.cpp")  # made from the page's scripts
COPIED = ["app", "data", "lib", "tests", "CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md"]
NOTICED = 0.85
NOTICED_BY_UNIT_TESTS = 0.25  # of 274 mutants they noticed 63 %; of a dozen, chance may leave few
TIMEOUT = 300  # seconds for one test
MEMORY = 8 << 30
# The survivors that no test can notice, or need not notice, with the reasons.
KNOWN = json.loads(pathlib.Path(__file__).with_name("survivors.json").read_text())
CHANGES = {
    r" < ": " <= ", r" <= ": " < ", r" > ": " >= ", r" >= ": " > ", r" == ": " != ", r" != ": " == ",
    r" \+ ": " - ", r" - ": " + ", r" \* ": " + ", r" / ": " * ", r" && ": " || ", r" \|\| ": " && ",
    r"\b0\b(?!\.)": "1", r"\b1\b(?!\.)": "2", r"\btrue\b": "false", r"\bfalse\b": "true",
    r"\(!": "(", r"\+= ": "-= ",
}  # fmt: skip
# Run after the unit tests, the fastest first.
SCRIPTS = ["oracle/arithmetic", "oracle/modules", "cli/answers", "cli/refusals", "cli/explanations",
           "cli/diagnose", "cli/exports", "cli/output", "cli/hostile", "cli/forms", "cli/quiz",
           "oracle/extremes", "oracle/onward_mistakes", "oracle/transcripts",
           "diagnosis/accuracy"]  # fmt: skip


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


def run(line, folder, seconds=TIMEOUT, memory=MEMORY):
    """Returns True if the command succeeds in time."""
    limited = ["prlimit", f"--as={memory}", *shlex.split(line)]
    try:
        return subprocess.run(limited, cwd=folder, capture_output=True, timeout=seconds).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def passes(script, sources, build):
    pytest = f"/usr/bin/python3 -B -m pytest -x -c {sources}/tests/pytest.ini"
    return run(f"env ATTN_BUILD={build} {pytest} {sources}/tests/{script}.py", build)


class Mutant:
    """A copy of the sources with one change, and the programs with this change, in a folder of their own."""

    def __init__(self, path, number, begin, end, replacement):
        self.path, self.folder = path, WORK / f"{path.name}-{number + 1}-{begin}"
        lines = (ROOT / path).read_text().splitlines(keepends=True)
        line = lines[number]
        lines[number] = line[:begin] + replacement + line[end:]
        self.change = f"{line.strip()} → {lines[number].strip()}"
        self.place = f"{path}:{number + 1}: {self.change}"
        for name in COPIED:
            target = self.folder / "source" / name
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, target)
            else:
                shutil.copy2(ROOT / name, target)
        (self.folder / "source" / path).write_text("".join(lines))

    def builds(self, programs):
        """Compiles the unity files that contain the file, and links the programs with them first. A library's
        own object has the same symbols, so the linker does not take it.
        """
        objects = []
        path = self.path
        if path.suffix == ".mjs":
            path = EMBEDDED
            made = self.folder / "source" / path
            made.parent.mkdir(parents=True)
            command = command_with("embed.cmake").replace(f"{ROOT}/data", f"{self.folder}/source/data")
            run(command.replace(str(ROOT / path), str(made)), BUILD)
        compiled = unities(path) if path.suffix == ".cpp" else []
        if path.suffix == ".cpp" and not compiled:
            return False  # build/dev does not contain it
        for number, (command, unity, of) in enumerate(compiled):
            copy, made = self.folder / f"{number}.cxx", self.folder / f"{number}.o"
            copy.write_text(
                unity.read_text().replace(str(ROOT / path), str(self.folder / "source" / path))
            )
            command = command.replace(f" -o {of} ", f" -w -o {made} ").replace(f" -c {unity}", f" -c {copy}")
            objects.append((of, made))
            if not run(command, BUILD):
                return False
        for program in programs:
            command = command_with(f" -o {program} ")
            for of, made in objects:
                command = command.replace(f" {of} ", " ").replace(f" -o {program} ", f" {made} -o {program} ")
            if not run(command.replace(f" -o {program} ", f" -o {self.folder / program} "), BUILD):
                return False
        return True

    def passes(self, script):
        return passes(script, self.folder / "source", self.folder)

    def noticed_by(self, scripts):
        """Returns the first test that fails, or None."""
        if self.path.suffix == ".py":
            return None if self.passes("cli/wheel") else "cli/wheel"
        if self.path.suffix == ".mjs":
            tests = "node --test source/tests/page/modules.test.mjs"
            if scripts:  # a browser reserves more memory than it uses
                tests = "source/tests/page/run.sh attn-walkthrough page"
            return None if run(tests, self.folder, 3 * TIMEOUT, "unlimited") else "the tests of the page"
        room = self.path.parts[1]
        if not run(f"./attn-tests --source-file=*/{room}/*", self.folder):
            return f"unit tests of {room}"
        if not run(f"./attn-tests --source-file-exclude=*/{room}/*", self.folder):
            return "unit tests of other rooms"
        return next((script for script in scripts if not self.passes(script)), None)

    def judged(self, scripts):
        """Returns a line about the mutant, or None if it does not compile."""
        try:
            if not self.builds(PROGRAMS if scripts else PROGRAMS[:1]):
                return None
            by = self.noticed_by(scripts)
            reason = KNOWN.get(f"{self.path}: {self.change}")
            answer = f"noticed by {by}" if by else f"survives, because {reason}" if reason else "SURVIVES"
            return f"{answer}: {self.place}"
        finally:
            shutil.rmtree(self.folder)


@functools.cache
def unities(path):
    """Returns (command, unity file, object) of each compilation of a file in build/dev."""
    found = []
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        unity = pathlib.Path(entry["file"])
        if unity.name.startswith("unity_") and f'"{ROOT / path}"' in unity.read_text():
            found.append((entry["command"], unity, re.search(r" -o (\S+) ", entry["command"])[1]))
    return found


@functools.cache
def command_with(text):
    """Returns the command by which build/dev makes its programs that contains this text."""
    commands = subprocess.run(
        ["ninja", "-t", "commands", *PROGRAMS], cwd=BUILD, capture_output=True, text=True, check=True
    ).stdout
    (command,) = (part for part in re.split("&&|\n", commands) if text in part)
    return command


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


def main():
    options = argparse.ArgumentParser()
    options.add_argument("files", nargs="*", type=pathlib.Path)
    options.add_argument("--count", type=int, default=20)
    options.add_argument("--seed", type=int, default=random.randrange(10**6))
    options.add_argument("--changed", action="store_true")
    options.add_argument("--unit", action="store_true")
    options = options.parse_args()
    files = [path.resolve() for path in options.files] or sorted(
        [
            *ROOT.glob("lib/**/*.cpp"),
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
    for known in KNOWN:
        path, change = known.split(": ", 1)
        if change.split(" → ")[0] not in (ROOT / path).read_text():
            sys.exit(f"survivors.json names a line that {path} no longer has: {change}")
    if not (BUILD / "attn-oracle-probe").exists():
        sys.exit("build/dev is missing; run tests/all.sh first")
    shutil.rmtree(WORK, ignore_errors=True)
    scripts = [] if options.unit else SCRIPTS
    if not run("./attn-tests", BUILD):
        sys.exit("without a mutant, the unit tests fail")
    if failing := next((script for script in scripts if not passes(script, ROOT, BUILD)), None):
        sys.exit(f"without a mutant, {failing} fails")
    judged = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for begin in range(0, len(candidates), options.count):
            some = candidates[begin : begin + options.count - len(judged)]
            for line in pool.map(lambda one: Mutant(one[0], *one[1]).judged(scripts), some):
                if line is not None:
                    judged.append(line)
                    print(line, flush=True)
            if len(judged) == options.count:
                break
    noticed = sum("SURVIVES" not in line for line in judged)
    print(f"{noticed} of {len(judged)} noticed")
    return 0 if noticed >= (NOTICED_BY_UNIT_TESTS if options.unit else NOTICED) * len(judged) else 1


if __name__ == "__main__":
    sys.exit(main())
