"""What the tests of the command line share: the program, as the first argument, and ways to run it."""

import os
import pathlib
import subprocess
import sys

PROGRAM = sys.argv.pop(1)
REFERENCES = pathlib.Path(__file__).parent.parent / "data" / "references"
LESSON = {"tokens": ["a", "b"], "embeddings": [[1.5, 2], [3, 4.25]]}


def environment(**variables):
    """This one's, with English, or else with these variables instead."""
    return {name: value for name, value in os.environ.items() if name not in ("LC_ALL", "LC_MESSAGES", "LANG")} | variables


def run(*arguments, stdin="", **variables):
    return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, encoding="utf-8", env=environment(**variables))
