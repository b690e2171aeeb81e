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
README, CHINESE = ((PROJECT / name).read_text() for name in ("README.md", "data/narration/zh/README.md"))
# The snippets want NumPy, which the system's Python sees and another may not.
PYTHON = "/usr/bin/python3" if pathlib.Path("/usr/bin/python3").exists() else sys.executable

# The weights of the causal stage with softmax over the queries, as PyTorch 1.13 prints them.
WRONG_AXIS = """tensor([[0.1605, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.1818, 0.2057, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.1810, 0.2055, 0.2589, 0.0000, 0.0000, 0.0000],
        [0.1576, 0.1958, 0.2465, 0.3333, 0.0000, 0.0000],
        [0.1526, 0.1937, 0.2438, 0.3331, 0.4911, 0.0000],
        [0.1664, 0.1993, 0.2509, 0.3336, 0.5089, 1.0000]],
       grad_fn=<SoftmaxBackward0>)
"""


def blocks(language, readme=README):
    return re.findall(rf"```{language}\n(.*?)```", readme, re.S)


def lesson(readme):
    return re.search(r"`(\{\"tokens\".*?\})`", readme).group(1)


def commands(readme):
    return re.findall(r"^app/run\.sh (.*)$", "\n".join(blocks("sh", readme)), re.M)


def sample(readme):
    return re.search(r"\n\n((?:    .*\n|\n)+?)\n## ", readme).group(1)


def snippets(printing):
    """Those that print something, or those that prepare files for the commands."""
    return [snippet for snippet in blocks("python") if ("print(" in snippet) == printing]


def run_snippet(folder, snippet):
    return subprocess.run([PYTHON, "-c", snippet], capture_output=True, text=True, cwd=folder, check=True).stdout


def run(folder, arguments):
    return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder)


class Readme(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        width = len(json.loads(lesson(README))["embeddings"][0])
        weights = {f"W_{name}.weight": [[0.5] * width] * 2 for name in ("query", "key", "value")}
        pathlib.Path(self.folder.name, "lesson.json").write_text(lesson(README))
        pathlib.Path(self.folder.name, "weights.json").write_text(json.dumps(weights))
        pathlib.Path(self.folder.name, "mine.txt").write_text(WRONG_AXIS)
        pathlib.Path(self.folder.name, "answers.json").write_text("{}")
        for snippet in snippets(printing=False):
            run_snippet(self.folder.name, snippet)

    def test_the_sample_is_real_output(self):
        for readme, options in ((README, []), (CHINESE, ["--lang=zh"])):
            output = run(self.folder.name, ["--stage", "causal", *options]).stdout
            lines = [line[4:] for line in sample(readme).splitlines()]
            self.assertGreaterEqual(len(lines), 10)
            self.assertIn("\n".join(lines).strip("\n"), output)

    def shown(self, readme, heading):
        """What stands below the section's commands, and its first command."""
        section = readme.split(f"## {heading}\n")[1].split("\n## ")[0]
        sample = re.search(r"((?:    .*\n|\n)+)", section.split("```")[2]).group(1)
        return "\n".join(line[4:] for line in sample.strip("\n").splitlines()) + "\n", commands(section)[0]

    def test_explanations_and_diagnoses_are_real_output(self):
        for readme, heading in ((README, "My numbers differ"), (CHINESE, "这个数是怎么来的？"), (CHINESE, "我的数为什么不一样？")):
            sample, command = self.shown(readme, heading)
            self.assertEqual(sample, run(self.folder.name, shlex.split(command, comments=True)).stdout)

    def test_the_picture_is_what_the_program_draws(self):
        drawn = run(self.folder.name, ["causal", "--step", "attn_weights_causal", "--out", "-.svg"]).stdout
        self.assertEqual((PROJECT / "data" / "attn_weights_causal.svg").read_text(), drawn)

    def test_it_is_short_and_counts_the_mistakes(self):
        self.assertLessEqual(len(README.splitlines()), 160)
        table = (PROJECT / "lib" / "diagnosis" / "mistakes" / "mistakes.cpp").read_text()
        mistakes = set(re.findall(r'^ *\{"([a-z-]+)"', table, re.M))
        for readme, pattern in ((README, r"each of (\d+) known mistakes"), (CHINESE, r"常犯的 (\d+) 种错误")):
            self.assertEqual(int(re.search(pattern, readme).group(1)), len(mistakes))

    def test_both_lead_to_each_other_and_links_to_what_is_there(self):
        for path, readme in (("README.md", README), ("data/narration/zh/README.md", CHINESE)):
            links = [(PROJECT / path).parent / link for link in re.findall(r"\]\(([^):]+)\)", readme)]
            self.assertTrue(links)
            self.assertEqual([link for link in links if not link.exists()], [])
            self.assertIn((PROJECT / ("README.md" if "zh" in path else "data/narration/zh/README.md")).resolve(), [link.resolve() for link in links])

    def test_the_commands_run(self):
        self.assertGreater(len(commands(README)), 6)
        self.assertGreater(len(commands(CHINESE)), 6)
        for command in commands(README) + commands(CHINESE):
            answer = run(self.folder.name, shlex.split(command, comments=True))
            differs = {"diagnose", "quiz", "grade"} & set(command.split())  # the tensor is wrong, and nobody answers
            self.assertEqual((answer.returncode, answer.stderr), (int(bool(differs)), ""), command)

    def test_the_chinese_lesson_is_one(self):
        pathlib.Path(self.folder.name, "lesson.json").write_text(lesson(CHINESE))
        self.assertIn("各行：0 你好, 1 世界", run(self.folder.name, ["causal", "--input=lesson.json", "--lang=zh"]).stdout)

    def test_the_snippets_print_what_their_comments_say(self):
        self.assertEqual(run(self.folder.name, ["causal", "--json", "trace.json"]).returncode, 0)
        for snippet in snippets(printing=True):
            printed = run_snippet(self.folder.name, snippet)
            told = re.findall(r"# (\[.*\])", snippet)
            self.assertEqual(printed.splitlines()[-len(told) :], told)
        self.assertGreater(len(snippets(printing=True)), 0)


if __name__ == "__main__":
    unittest.main()
