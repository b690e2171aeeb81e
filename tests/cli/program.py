"""Shared by the tests that run the program: its path, and ways to run it."""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import termios

import pytest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
# ATTN_BUILD is the folder with the build.
BUILD = pathlib.Path(os.environ.get("ATTN_BUILD", PROJECT / "build" / "dev")).resolve()
PROGRAM = str(BUILD / os.environ.get("ATTN_PROGRAM", "attn-walkthrough"))
NOT_HERE = 3  # the exit code of the program that app/run.sh builds first, for what it cannot do
REFERENCES = PROJECT / "data" / "references"
# The system's Python, which has the packages.
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
COMMANDS = "walk compare explain diagnose quiz exercises grade list errata help completion man".split()
TASTES = "PAGER LC_ALL LC_MESSAGES LANG COLUMNS TERM COLORTERM NO_COLOR FORCE_COLOR".split()
LESSON = {"tokens": ["a", "b"], "embeddings": [[1.5, 2], [3, 4.25]]}


def lesson(*tokens, width=2):
    """Returns a lesson with these tokens as JSON."""
    rows = [[(7 * i + 3 * j) % 5 / 4 + 0.25 for j in range(width)] for i in range(len(tokens))]
    return json.dumps({"tokens": tokens, "embeddings": rows})


def own_weights(rows):
    """Returns the three projections of a stage, each with these rows."""
    return {f"W_{name}.weight": rows for name in ("query", "key", "value")}


def environment(**variables):
    """Returns this process's environment without personal settings, with the given variables added."""
    plain = {name: value for name, value in os.environ.items() if name not in TASTES}
    return plain | {"PAGER": ""} | variables


def run(line="", *arguments, stdin="", encoding="utf-8", **more):
    """Runs the program with the words of the line and further arguments; `stdin` is text or an open file."""
    # Names in capitals are environment variables, other names are those of subprocess.run.
    variables = {name: more.pop(name) for name in [*more] if name.isupper()}
    streams = {} if "stdout" in more else {"capture_output": True}
    given = {"stdin": stdin} if hasattr(stdin, "fileno") else {"input": stdin}
    options = given | {"encoding": encoding, "env": environment(**variables)} | streams | more
    answer = subprocess.run([PROGRAM, *line.split(), *arguments], **options)
    if answer.returncode == NOT_HERE:
        pytest.skip("the program that app/run.sh builds first cannot do this")
    return answer


def limited(*arguments, seconds=1, megabytes=None, **more):
    """Runs the program with limits of memory and of processor time: five times that of a fast machine."""
    limits = [f"--cpu={5 * seconds}"] + ([f"--data={megabytes << 20}"] if megabytes else [])
    options = {"capture_output": True, "encoding": "utf-8", "env": environment()} | more
    return subprocess.run(["prlimit", *limits, PROGRAM, *arguments], **options)


def ok(*arguments, code=0, **more):
    """Returns standard output of a run with this exit code and without messages."""
    answer = run(*arguments, **more)
    assert (answer.returncode, answer.stderr) == (code, ""), (arguments, answer)
    return answer.stdout


def refuses(*arguments, message="", **more):
    """Returns the error of a run that the program rejects; the message is a part of it."""
    answer = run(*arguments, **more)
    assert (answer.returncode, answer.stdout) == (2, ""), (arguments, answer)
    assert answer.stderr.startswith("attn-walkthrough: ") and "internal error" not in answer.stderr
    assert message in answer.stderr and "\x1b" not in answer.stderr, (arguments, answer.stderr)
    return answer.stderr


def difference(ours, theirs):
    """Returns at most ten lines about the first difference. Lists and dictionaries are compared by parts."""
    if isinstance(ours, dict) and isinstance(theirs, dict) and list(ours) == list(theirs):
        parts = [(name, ours[name], theirs[name]) for name in ours]
    elif isinstance(ours, (tuple, list)) and isinstance(theirs, (tuple, list)) and len(ours) == len(theirs):
        parts = [(place, our, their) for place, (our, their) in enumerate(zip(ours, theirs))]
    elif all(isinstance(x, (str, bytes)) for x in (ours, theirs)):
        return different_lines(ours.splitlines(), theirs.splitlines())
    else:
        return [f"{ours!r:.400} instead of {theirs!r:.400}"]
    for place, our, their in parts:
        if repr(our) != repr(their):  # an array has no single truth value
            first, *rest = difference(our, their)
            return [f"[{place!r:.80}] {first}", *rest]
    return [f"{type(ours)} instead of {type(theirs)}"]


def different_lines(ours, theirs):
    pairs = enumerate(zip(ours, theirs))
    first = next((i for i, (our, their) in pairs if our != their), min(len(ours), len(theirs)))
    shown = [f"{len(ours)} lines instead of {len(theirs)}; line {first + 1} differs"]
    for sign, lines in (("-", theirs), ("+", ours)):
        shown += [f"{sign} {line!r:.160}" for line in lines[first : first + 4]] or [f"{sign} (end)"]
    return shown


def stages(*arguments, stdin=""):
    """Returns the stages of the output of --json."""
    return json.loads(ok(*arguments, "--json=-", stdin=stdin))["stages"]


def trace(*arguments, stdin=""):
    return stages(*arguments, stdin=stdin)[0]


def traced(name, options=(), lesson=None):
    """Returns the stage's trace; the lesson is passed to standard input."""
    last = len(lesson["tokens"]) - 1 if lesson else 5
    options = [f"--focus={last}" if option == "--focus=last" else option for option in options]
    return trace(name, *options, *["--input=-"] * bool(lesson), stdin=json.dumps(lesson) if lesson else "")


def switched_off(stage, *arguments):
    """Returns what a page of a stage can switch off: its name, its set-up lines, and its steps."""
    (walked,) = json.loads(ok("page", stage, "--variants", *arguments))["stages"]
    return [(run["id"], run["setup"], run["steps"]) for run in walked["runs"][1:]]


def steps(*arguments, stdin=""):
    """Returns the numbers of the first stage by the names of its steps."""
    return {step["name"]: step["data"] for step in trace(*arguments, stdin=stdin)["steps"]}


def listed():
    """Returns the stages in reading order."""
    return [stage["name"] for stage in stages("--stage=all")]


def built(name):
    """Returns a variable of CMake's cache."""
    return re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)[1]


def output(*command, **more):
    """Returns standard output of any command, which must succeed."""
    answer = subprocess.run([*map(str, command)], capture_output=True, encoding="utf-8", **more)
    if answer.returncode:
        raise AssertionError(f"{command} failed:\n{answer.stdout}\n{answer.stderr}")
    return answer.stdout


def missing(what):
    """Skips the test, or fails if skipping is not allowed."""
    (pytest.fail if os.environ.get("ATTN_NO_SKIP") else pytest.skip)(f"not installed: {what}")


class Terminal:
    """A run of the program at a terminal of its own, where Ctrl-C and Ctrl-D have their usual effect."""

    def __init__(self, *arguments, columns=80, **variables):
        # Our copy of the other side stays open, because closing it may lose what was written last.
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.seen = b""
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], stdin=self.theirs, stdout=self.theirs, stderr=self.theirs,
            env=environment(**variables), start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(self.theirs, termios.TIOCSCTTY, 0),
        )  # fmt: skip

    def read(self, seconds):
        """Reads what is shown within this time. Returns False if it is nothing."""
        is_there = bool(select.select([self.ours], [], [], seconds)[0])
        self.seen += os.read(self.ours, 65536) if is_there else b""
        return is_there

    def expect(self, end):
        while not self.seen.replace(b"\r\n", b"\n").endswith(end.encode()):
            assert self.read(60), self.seen

    def type(self, keys):
        os.write(self.ours, keys.encode())

    def finish(self):
        """Returns the exit code and everything that was shown."""
        while self.process.poll() is None:
            self.read(0.1)
        while self.read(0.1):
            pass
        os.close(self.ours)
        os.close(self.theirs)
        return self.process.returncode, self.seen.decode().replace("\r\n", "\n")


def on_terminal(columns, *arguments, **variables):
    """Returns the output on a terminal of that width."""
    return Terminal(*arguments, columns=columns, **variables).finish()[1]


def line_at_the_end(said):
    """Returns the command line at the end of a message, without the program's name."""
    last = said.rstrip("\n").rpartition("\n")[2]
    before, name, line = last.partition("    attn-walkthrough")
    return line.strip() if name and not before else None
