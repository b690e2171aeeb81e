"""The README's promises: its sample is real output, its commands run, and its snippets print what it says."""

import json
import re
import shlex
import subprocess

import numpy as np
import pytest

from program import BUILD, COMMANDS, PROJECT, PYTHON, ok, own_weights, steps

PATHS = "README.md", "data/narration/zh/README.md"
README, CHINESE = READMES = [(PROJECT / path).read_text() for path in PATHS]


def wrong_axis():
    """Returns the weights of the causal stage with softmax over the queries."""
    exponentials = np.exp(np.array(steps("causal")["masked"], float) / 2**0.5)
    return json.dumps((exponentials / exponentials.sum(axis=0)).round(4).tolist())


def notebook():
    """Returns a notebook whose softmax runs down the columns."""
    code = "attn_weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=0)\nprint(attn_weights)"
    output = {"output_type": "stream", "name": "stdout", "text": f"tensor({wrong_axis()})\n"}
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": code, "outputs": [output]}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def blocks(language, readme):
    return re.findall(rf"```{language}\n(.*?)```", readme, re.S)


def lesson(readme):
    return re.search(r"`(\{\"tokens\".*?\})`", readme)[1]


def commands(readme):
    return re.findall(r"^(?:app/run\.sh|attn-walkthrough) (.*)$", "\n".join(blocks("sh", readme)), re.M)


def unindented(text):
    return "\n".join(line[4:] for line in text.strip("\n").splitlines()) + "\n"


def run_snippet(folder, snippet):
    command = [PYTHON, "-c", snippet]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True).stdout


def run(folder, command):
    words = shlex.split(command, comments=True)
    differs = not {"diagnose", "quiz", "grade"}.isdisjoint(words)  # wrong tensor, or no answers
    return ok(*words, cwd=folder, code=int(differs))


PRINTING = [snippet for snippet in blocks("python", README) if "print(" in snippet]


@pytest.fixture
def folder(tmp_path):
    """Makes the files that the commands read."""
    width = len(json.loads(lesson(README))["embeddings"][0])
    weights = own_weights([[0.5] * width] * 2)
    files = {"lesson.json": lesson(README), "weights.json": json.dumps(weights), "mine.txt": wrong_axis(),
             "answers.json": "{}", "mine.ipynb": notebook()}  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    np.save(tmp_path / "mine.npy", np.array(steps("causal")["masked"], "f4"))
    for snippet in blocks("python", README):
        if snippet not in PRINTING:
            run_snippet(tmp_path, snippet)
    return tmp_path


@pytest.mark.parametrize("readme, options", [(README, ""), (CHINESE, "--lang=zh")], ids=["en", "zh"])
def test_the_sample_is_real_output(readme, options, folder):
    sample = unindented(re.search(r"\n\n((?:    .*\n|\n)+?)\n## ", readme)[1])
    assert sample.count("\n") >= 10
    assert sample in run(folder, f"causal {options}")


@pytest.mark.parametrize("readme, heading, language", [
    (README, "My numbers differ", "en"), (CHINESE, "我的数为什么不一样？", "zh")
], ids=["en", "zh"])  # fmt: skip
def test_the_diagnosis_is_real_output(readme, heading, language, folder):
    section = readme.split(f"## {heading}\n")[1].split("\n## ")[0]
    shown = re.search(r"((?:    .*\n|\n)+)", section.split("```sh\n")[1].split("```")[1])[1]
    command = commands(section)[0].split("#")[0]
    assert unindented(shown) == run(folder, f"{command} --lang={language}")


def test_the_chinese_one_has_the_same_sections_code_and_numbers():
    def code(readme):
        return [re.sub(r"\s*#.*", "", block) for block in re.findall(r"```(.*?)```", readme, re.S)]

    assert code(CHINESE) == code(README)
    for pattern in (r"^(#+) ", r"\d+(?:\.\d+)*"):
        found, expected = (sorted(re.findall(pattern, readme, re.M)) for readme in READMES[::-1])
        assert found == expected, pattern


def test_the_picture_is_what_the_program_draws():
    drawn = ok("causal --step=attn_weights_causal --out=-.svg")
    assert (PROJECT / "data" / "attn_weights_causal.svg").read_text() == drawn


def test_it_is_short_and_counts_the_mistakes():
    assert len(README.splitlines()) <= 180
    tables = "".join(file.read_text() for file in (PROJECT / "lib" / "mistakes").glob("*.cpp"))
    general = {"other-operand", "other-number", "other-operation", "call-left-out"}
    mistakes = len({*re.findall(r'\{"([a-z-]+)",\s*\d', tables)} - general)
    for readme, words in (README, r"(\d+) known mistakes"), (CHINESE, r"(\d+) 种常见错误"):
        assert int(re.search(words, readme)[1]) == mistakes


@pytest.mark.parametrize("path, other", [PATHS, PATHS[::-1]])
def test_both_lead_to_each_other_and_links_to_what_is_there(path, other):
    links = re.findall(r"\]\(([^):#]+)\)", (PROJECT / path).read_text())
    targets = [((PROJECT / path).parent / link).resolve(strict=True) for link in links]
    assert (PROJECT / other).resolve() in targets


def test_the_first_lines_teach_the_commands():
    words = {word for line in README.splitlines()[:12] for word in re.findall(r"[\w-]+", line)}
    assert {*COMMANDS} - words == {"walk", "errata", "help", "completion", "man"}
    assert README.splitlines()[11] == CHINESE.splitlines()[11] == "```"


def test_the_commands_run(folder):
    assert len(commands(README)) > 6
    for command in commands(README):
        run(folder, command)


def test_the_chinese_lesson_is_one():
    shown = ok("causal --input=- --lang=zh", stdin=lesson(CHINESE))
    assert "各行：0 你好, 1 世界" in shown


def test_the_snippets_print_what_their_comments_say(folder):
    run(folder, "causal --json trace.json")
    assert PRINTING
    for snippet in PRINTING:
        told = re.findall(r"# (\[.*\])", snippet)
        assert run_snippet(folder, snippet).splitlines()[-len(told) :] == told


@pytest.mark.skipif(not (BUILD / "attn-bench").exists(), reason="built without benchmarks")
def test_the_benchmarks_of_the_table_are_there():
    rows = re.findall(r"^\| `(.*?)`", (PROJECT / "lib" / "README.md").read_text(), re.M)
    command = [BUILD / "attn-bench", "--benchmark_list_tests"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert rows and {*rows} <= {*listed}
