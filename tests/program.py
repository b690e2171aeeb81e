"""What the tests of the command line share: the program, as the first argument, and ways to run it."""

import pathlib
import subprocess
import sys

PROGRAM = sys.argv.pop(1)
REFERENCES = pathlib.Path(__file__).parent.parent / "data" / "references"
LESSON = {"tokens": ["a", "b"], "embeddings": [[1.5, 2], [3, 4.25]]}


def run(*arguments, stdin=""):
    return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True)
