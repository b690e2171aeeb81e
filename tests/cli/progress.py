"""The line on standard error that tells who waits what a run is at. Argument: the program."""

import json
import os
import pty
import subprocess
import tempfile
import time
import unittest

from program import LESSON, PROGRAM, environment, run

ERASE = "\r\x1b[K"


def waited_for(*arguments, seconds, terminal=True):
    """Standard output, and standard error as a terminal gets it, of a run that gets its lesson after so many seconds."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [PROGRAM, *arguments, "--input=-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=theirs if terminal else subprocess.PIPE, env=environment(), text=True,
    ) as process:
        os.close(theirs)
        time.sleep(seconds)
        output, errors = process.communicate(json.dumps(LESSON))
        if terminal:
            errors = ""
            try:
                while piece := os.read(ours, 65536):
                    errors += piece.decode()
            except OSError:  # the other side has gone
                pass
    os.close(ours)
    return output, errors


class Progress(unittest.TestCase):
    def test_a_run_of_more_than_a_second_says_what_it_is_at_and_leaves_nothing(self):
        output, errors = waited_for("causal", seconds=1.2)
        self.assertTrue(errors.startswith(ERASE + "causal"), errors)
        self.assertTrue(errors.endswith(ERASE), errors)
        self.assertNotIn("\n", errors)
        self.assertEqual(output, run("causal", "--input=-", stdin=json.dumps(LESSON)).stdout)

    def test_a_message_stands_on_a_line_of_its_own(self):
        errors = waited_for("causal", "--step=nonsense", seconds=1.2)[1]
        self.assertIn(ERASE + "attn-walkthrough: ", errors)

    def test_a_file_that_is_written_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertTrue(waited_for("causal", f"--out={folder}/page.html", seconds=0)[1].endswith("page.html\r\n"))

    def test_a_short_run_and_a_file_are_told_nothing(self):
        self.assertEqual(waited_for("causal", seconds=0)[1], "")
        self.assertEqual(waited_for("causal", seconds=1.2, terminal=False)[1], "")


if __name__ == "__main__":
    unittest.main()
