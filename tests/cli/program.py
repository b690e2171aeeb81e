"""What the tests of the command line share: the program, as the first argument, and ways to run it."""

import fcntl
import os
import pathlib
import pty
import struct
import subprocess
import sys
import termios

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
REFERENCES = pathlib.Path(__file__).parents[2] / "data" / "references"
LESSON = {"tokens": ["a", "b"], "embeddings": [[1.5, 2], [3, 4.25]]}


def environment(**variables):
    """This one's without what a person sets to their taste, and with these variables instead."""
    tastes = ("PAGER", "LC_ALL", "LC_MESSAGES", "LANG", "COLUMNS", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR")
    return {name: value for name, value in os.environ.items() if name not in tastes} | {"PAGER": ""} | variables


def run(*arguments, stdin="", **variables):
    return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, encoding="utf-8", env=environment(**variables))


def on_terminal(columns, *arguments, **variables):
    """What is seen on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([PROGRAM, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**variables)):
        os.close(theirs)
        seen = b""
        try:
            while piece := os.read(ours, 65536):
                seen += piece
        except OSError:  # the other side has gone
            pass
    os.close(ours)
    return seen.decode().replace("\r\n", "\n")
