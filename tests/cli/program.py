"""Shared by the tests that run the program: its path, and ways to run it. ATTN_BUILD is the folder with the
build, or build/dev.
"""

import fcntl
import json
import os
import pathlib
import pty
import select
import struct
import subprocess
import termios

PROJECT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ATTN_BUILD", PROJECT / "build" / "dev")).resolve()
PROGRAM = str(BUILD / "attn-walkthrough")
REFERENCES = PROJECT / "data" / "references"
COMMANDS = "walk compare explain diagnose quiz exercises grade list errata help completion man".split()
LESSON = {"tokens": ["a", "b"], "embeddings": [[1.5, 2], [3, 4.25]]}


def environment(**variables):
    """Returns this process's environment without personal settings, with the given variables added."""
    tastes = (
        "PAGER",
        "LC_ALL",
        "LC_MESSAGES",
        "LANG",
        "COLUMNS",
        "TERM",
        "COLORTERM",
        "NO_COLOR",
        "FORCE_COLOR",
    )
    return (
        {name: value for name, value in os.environ.items() if name not in tastes} | {"PAGER": ""} | variables
    )


def run(*arguments, stdin="", **variables):
    return subprocess.run(
        [PROGRAM, *arguments],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        env=environment(**variables),
    )


def trace(*arguments, stdin=""):
    """Returns the first stage of the output of --json."""
    answer = run(*arguments, "--json=-", stdin=stdin)
    assert (answer.returncode, answer.stderr) == (0, ""), arguments
    return json.loads(answer.stdout)["stages"][0]


def on_terminal(columns, *arguments, **variables):
    """Returns the output on a terminal of that width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    seen = b""
    # Our copy of the other side stays open, because closing it may lose what was written last.
    with subprocess.Popen(
        [PROGRAM, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**variables)
    ) as process:
        while process.poll() is None or select.select([ours], [], [], 0.1)[0]:
            if select.select([ours], [], [], 0.1)[0]:
                seen += os.read(ours, 65536)
    os.close(theirs)
    os.close(ours)
    return seen.decode().replace("\r\n", "\n")
