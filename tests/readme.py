"""What the README promises: its sample is real output, its commands run, its snippet prints what it says.
Arguments: the program, the project's folder."""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

PROGRAM, PROJECT = str(pathlib.Path(sys.argv.pop(1)).resolve()), pathlib.Path(sys.argv.pop(1))
README = (PROJECT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, re.S)


def run(folder, arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=folder)


class Readme(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        lesson = re.search(r"`(\{\"tokens\".*?\})`", README).group(1)
        width = len(json.loads(lesson)["embeddings"][0])
        weights = {f"W_{name}.weight": [[0.5] * width] * 2 for name in ("query", "key", "value")}
        pathlib.Path(self.folder.name, "lesson.json").write_text(lesson)
        pathlib.Path(self.folder.name, "weights.json").write_text(json.dumps(weights))

    def test_the_sample_is_real_output(self):
        sample = re.search(r"\n\n((?:    .*\n|\n)+?)\n## ", README).group(1)
        output = run(self.folder.name, ["--stage", "causal"]).stdout
        lines = [line[4:] for line in sample.splitlines()]
        self.assertGreaterEqual(len(lines), 10)
        self.assertIn("\n".join(lines).strip("\n"), output)

    def test_the_commands_run(self):
        commands = re.findall(r"^app/run\.sh (.*)$", "\n".join(blocks("sh")), re.M)
        self.assertGreater(len(commands), 6)
        for command in commands:
            answer = run(self.folder.name, shlex.split(command, comments=True))
            self.assertEqual((answer.returncode, answer.stderr), (0, ""), command)

    def test_the_snippet_prints_what_its_comment_says(self):
        (snippet,) = blocks("python")
        self.assertEqual(run(self.folder.name, ["causal", "--json", "trace.json"]).returncode, 0)
        printed = subprocess.run([sys.executable, "-c", snippet], capture_output=True, text=True, cwd=self.folder.name, check=True)
        self.assertEqual(printed.stdout.splitlines()[-1], re.search(r"# (\[.*\])", snippet).group(1))


if __name__ == "__main__":
    unittest.main()
