"""The README's promises: its sample is real output, its commands run, and its snippets print what it says."""

import json
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

from program import PROGRAM, PROJECT

README, CHINESE = ((PROJECT / name).read_text() for name in ("README.md", "data/narration/zh/README.md"))
# The snippets need NumPy, which the system's Python has.
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
    """Returns the snippets that print something, or those that prepare files for the commands."""
    return [snippet for snippet in blocks("python") if ("print(" in snippet) == printing]


def run_snippet(folder, snippet):
    return subprocess.run(
        [PYTHON, "-c", snippet], capture_output=True, text=True, cwd=folder, check=True
    ).stdout


def run(folder, arguments):
    return subprocess.run(
        [PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder
    )


@pytest.fixture
def folder(tmp_path):
    """Makes the files that the commands read."""
    width = len(json.loads(lesson(README))["embeddings"][0])
    weights = {f"W_{name}.weight": [[0.5] * width] * 2 for name in ("query", "key", "value")}
    (tmp_path / "lesson.json").write_text(lesson(README))
    (tmp_path / "weights.json").write_text(json.dumps(weights))
    (tmp_path / "mine.txt").write_text(WRONG_AXIS)
    (tmp_path / "answers.json").write_text("{}")
    for snippet in snippets(printing=False):
        run_snippet(tmp_path, snippet)
    return tmp_path


def test_the_sample_is_real_output(folder):
    for readme, options in ((README, []), (CHINESE, ["--lang=zh"])):
        output = run(folder, ["--stage", "causal", *options]).stdout
        lines = [line[4:] for line in sample(readme).splitlines()]
        assert len(lines) >= 10
        assert "\n".join(lines).strip("\n") in output


def shown(readme, heading):
    """Returns the output shown below the section's commands, and its first command."""
    section = readme.split(f"## {heading}\n")[1].split("\n## ")[0]
    sample = re.search(r"((?:    .*\n|\n)+)", section.split("```")[2]).group(1)
    return "\n".join(line[4:] for line in sample.strip("\n").splitlines()) + "\n", commands(section)[0]


def test_explanations_and_diagnoses_are_real_output(folder):
    for readme, heading in ((README, "My numbers differ"), (CHINESE, "这个数是怎么来的？"), (CHINESE, "我的数为什么不一样？")):
        sample, command = shown(readme, heading)
        assert sample == run(folder, shlex.split(command, comments=True)).stdout


def test_the_picture_is_what_the_program_draws(folder):
    drawn = run(folder, ["causal", "--step", "attn_weights_causal", "--out", "-.svg"]).stdout
    assert (PROJECT / "data" / "attn_weights_causal.svg").read_text() == drawn


def test_it_is_short_and_counts_the_mistakes():
    assert len(README.splitlines()) <= 160
    tables = "".join(file.read_text() for file in (PROJECT / "lib" / "diagnosis" / "mistakes").glob("*.cpp"))
    mistakes = set(re.findall(r'\{"([a-z-]+)",\s*\d', tables))
    for readme, pattern in ((README, r"(\d+) known mistakes"), (CHINESE, r"常犯的 (\d+) 种错误")):
        assert int(re.search(pattern, readme).group(1)) == len(mistakes)


def test_both_lead_to_each_other_and_links_to_what_is_there():
    for path, readme in (("README.md", README), ("data/narration/zh/README.md", CHINESE)):
        links = [(PROJECT / path).parent / link for link in re.findall(r"\]\(([^):]+)\)", readme)]
        assert links
        assert [link for link in links if not link.exists()] == []
        assert (PROJECT / ("README.md" if "zh" in path else "data/narration/zh/README.md")).resolve() in [
            link.resolve() for link in links
        ]


def test_the_commands_run(folder):
    assert len(commands(README)) > 6
    assert len(commands(CHINESE)) > 6
    for command in commands(README) + commands(CHINESE):
        answer = run(folder, shlex.split(command, comments=True))
        differs = {"diagnose", "quiz", "grade"} & set(
            command.split()
        )  # the tensor is wrong, and no questions are answered
        assert (answer.returncode, answer.stderr) == (int(bool(differs)), ""), command


def test_the_chinese_lesson_is_one(folder):
    (folder / "lesson.json").write_text(lesson(CHINESE))
    assert "各行：0 你好, 1 世界" in run(folder, ["causal", "--input=lesson.json", "--lang=zh"]).stdout


def test_the_snippets_print_what_their_comments_say(folder):
    assert run(folder, ["causal", "--json", "trace.json"]).returncode == 0
    for snippet in snippets(printing=True):
        printed = run_snippet(folder, snippet)
        told = re.findall(r"# (\[.*\])", snippet)
        assert printed.splitlines()[-len(told) :] == told
    assert len(snippets(printing=True)) > 0
