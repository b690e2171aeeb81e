#!/usr/bin/env python3
"""Deliberate bugs, one at a time, and whether the tests notice: run.py [--only NAME…] [--sample N] [--jobs N] [--check].

Each mutant of table.py is put into a copy of the sources, the working tree is never touched, what depends on it is built
again, and the tests run, the quick ones first, until one fails. A mutant that hangs is noticed; one that does not compile
is a fault of the table. Exit 1 when a mutant survives without a reason in SURVIVORS, or fewer than 95 % are noticed.

--sample takes N mutants, chosen by --seed, or else by the commit. --check only looks whether the table fits the sources.
"""

import argparse
import hashlib
import os
import pathlib
import queue
import random
import shutil
import subprocess
import sys
import threading
import time

from table import MUTANTS, SURVIVORS

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIED = ["app", "data", "lib", "tests", "CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md"]
PARTS = ["attn-tests"], ["attn-walkthrough", "attn-oracle-probe"]
LINKER = ["-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=gold"] if shutil.which("ld.gold") else []  # a second less than ld, each time
LEAST_NOTICED = 0.95
TIMEOUT = 300  # of one test, in seconds; the longest takes 40 on a busy machine

# Test cases that take more than a second each: after all others.
SLOW = ["*mistake*", "fused attention has the bits*", "bytes changed at random*", "megabytes meet*",
        "a float reads back*", "depth and the number*", "every question's answer*"]  # fmt: skip
# What follows the quick cases, in the order of how long it takes.
SCRIPTS = ["oracle/arithmetic.py", "oracle/modules.py", "answers.py", "refusals.py", "oracle/numpy_lines.py", "unit", "oracle/read_tensor.py", "oracle/extremes.py",
           "oracle/formats.py", "oracle/transcripts.py", "oracle/print_tensor.py", "diagnose.py", "forms.py", "diagnosis/accuracy.py", "heatmaps.py", "languages.py",
           "explanations.py"]  # fmt: skip
SMALLER = {"ATTN_EXTREMES": "200", "ATTN_PASTES": "100"}


class Copy:
    """A copy of the sources, its build folder beside it. Both are kept, so that the next run builds what has changed."""

    def __init__(self, folder):
        self.source, self.build = folder / "source", folder / "build"
        self.log = folder / "log"
        self.source.mkdir(parents=True, exist_ok=True)
        self.bring_up_to_date()

    def bring_up_to_date(self):
        wanted = set()
        for name in COPIED:
            path = ROOT / name
            files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
            for file in files:
                relative = file.relative_to(ROOT)
                wanted.add(relative)
                target = self.source / relative
                if not target.exists() or target.read_bytes() != file.read_bytes():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(file, target)  # with the time of now, which has it compiled again
        for file in list(self.source.rglob("*")):
            if file.is_file() and file.relative_to(self.source) not in wanted:
                file.unlink()

    def configure(self):
        options = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1 -DNDEBUG", "-DATTN_BUILD_TESTS=ON", "-DATTN_INSTALL=OFF", *LINKER]
        with open(self.log, "w") as log:
            return subprocess.run(["cmake", "-S", self.source, "-B", self.build, *options], stdout=log, stderr=log).returncode == 0

    def compile(self, targets, jobs):
        with open(self.log, "w") as log:
            command = ["cmake", "--build", self.build, "-j", str(jobs), "--target", *targets]
            return subprocess.run(command, stdout=log, stderr=log).returncode == 0

    def tests(self):
        """Each as its name, its command and its part of PARTS."""
        program, probe = self.build / "attn-walkthrough", self.build / "attn-oracle-probe"
        unit = [self.build / "attn-tests", "--abort-after=1"]
        slow = ",".join(SLOW)
        yield "unit", [*unit, f"--test-case-exclude={slow}"], 0
        for script in SCRIPTS:
            if script == "unit":
                yield "unit, its slow cases", [*unit, f"--test-case={slow}"], 0
                continue
            # The system's Python is the one that sees the system's PyTorch.
            oracle = script.startswith(("oracle/", "diagnosis/"))
            python = "/usr/bin/python3" if oracle and os.path.exists("/usr/bin/python3") else sys.executable
            yield script, [python, "-B", self.source / "tests" / script, *([probe] if oracle else []), program], 1

    def noticed_by(self, jobs):
        """The first test that fails, None when none does."""
        done = -1
        for name, command, part in self.tests():
            if part > done:
                if not self.compile(PARTS[part], jobs):
                    return "nothing: it does not compile"
                done = part
            with open(self.log, "w") as log:
                try:
                    code = subprocess.run(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, timeout=TIMEOUT, env=os.environ | SMALLER).returncode
                except subprocess.TimeoutExpired:
                    return f"{name}, which hangs"
            if code == 77:
                sys.exit(f"{name} is skipped here, and mutants are its to notice: {self.log.read_text()}")
            if code != 0:
                return name
        return None

    def try_out(self, mutant, jobs):
        file = self.source / mutant.file
        right = file.read_text()
        try:
            file.write_text(right.replace(mutant.before, mutant.after))
            return self.noticed_by(jobs)
        finally:
            file.write_text(right)


def check_table():
    """What is wrong with the table, line by line."""
    names = [mutant.name for mutant in MUTANTS]
    problems = [f"{name}: two mutants of that name" for name in {n for n in names if names.count(n) > 1}]
    problems += [f"{name}: a survivor, but no mutant" for name in SURVIVORS if name not in names]
    for mutant in MUTANTS:
        text = (ROOT / mutant.file).read_text() if (ROOT / mutant.file).exists() else ""
        count = text.count(mutant.before)
        if count != 1:
            problems.append(f"{mutant.name}: {mutant.before!r} stands {count} times in {mutant.file}; once is right")
        if mutant.before == mutant.after:
            problems.append(f"{mutant.name}: changes nothing")
    return problems


def chosen(arguments):
    if arguments.only:
        return [mutant for mutant in MUTANTS if mutant.name in arguments.only]
    if arguments.sample is None:
        return list(MUTANTS)
    seed = arguments.seed
    if seed is None:
        commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True)
        seed = commit.stdout.strip() or "no commit"
    rng = random.Random(hashlib.sha256(seed.encode()).hexdigest())
    some = rng.sample(MUTANTS, min(arguments.sample, len(MUTANTS)))
    return [mutant for mutant in MUTANTS if mutant in some]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--seed")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="as many copies, each tried on its own")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "mutants", help="where the copies are")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    problems = check_table()
    if problems:
        sys.exit("\n".join(problems))
    if arguments.check:
        print(f"{len(MUTANTS)} mutants, each in one place")
        return
    mutants = chosen(arguments)
    if not mutants:
        sys.exit("there is no such mutant")
    begun = time.monotonic()
    copies = [Copy(arguments.folder / str(number)) for number in range(arguments.jobs)]
    for copy in copies:
        if not copy.configure():
            sys.exit(f"cmake fails: {copy.log.read_text()}")
        failed = copy.noticed_by(os.cpu_count())  # builds all there is, too
        if failed:
            sys.exit(f"without any mutant {failed} fails already:\n{copy.log.read_text()[-3000:]}")
    print(f"unchanged, all tests pass ({time.monotonic() - begun:.0f} s); {len(mutants)} of {len(MUTANTS)} mutants", flush=True)

    waiting, results = queue.Queue(), {}
    for mutant in mutants:
        waiting.put(mutant)

    def work(copy):
        while True:
            try:
                mutant = waiting.get_nowait()
            except queue.Empty:
                return
            start = time.monotonic()
            results[mutant.name] = by = copy.try_out(mutant, 1 if arguments.jobs > 1 else os.cpu_count())
            print(f"{mutant.name}: {'noticed by ' + by if by else 'SURVIVES'} ({time.monotonic() - start:.0f} s) · {mutant.breaks}", flush=True)

    workers = [threading.Thread(target=work, args=(copy,)) for copy in copies]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    broken = [name for name, by in results.items() if by and by.startswith("nothing")]
    survivors = [name for name, by in results.items() if by is None]
    noticed = len(results) - len(broken) - len(survivors)
    print(f"\n{noticed} of {len(results)} noticed ({100 * noticed / len(results):.1f} %) in {(time.monotonic() - begun) / 60:.0f} min")
    for name in survivors:
        print(f"survives: {name}: {SURVIVORS.get(name, 'NO REASON GIVEN')}")
    for name in broken:
        print(f"does not compile: {name}")
    no_reason = [name for name in survivors if name not in SURVIVORS]
    too_few = arguments.only is None and arguments.sample is None and noticed < LEAST_NOTICED * len(results)
    sys.exit(bool(no_reason or broken or too_few or len(results) < len(mutants)))


if __name__ == "__main__":
    main()
