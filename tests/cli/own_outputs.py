"""Hands the program's own documents to diagnose: with many settings, as a notebook, text and Markdown.

diagnose must call no output of them wrong, and recognise nearly all. ATTN_OWN_OUTPUTS=all tries every pair of
stage and settings instead of a random part.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import random
import tempfile

import pytest

from program import ok, refuses, run, stages

STAGES = [stage["name"] for stage in json.loads(ok("--stage all --json -"))["stages"]]
PARAMETERS = {
    "--qkv-bias": [""],
    "--seed": ["7"],
    "--d-out": ["4"],
    "--dropout": ["0", "0.5", "0.5 --dropout-rng mkl"],
    "--heads": ["4 --d-out 8"],
    "--batch": ["3"],
    "--kv-heads": ["1"],
    "--rotary": ["halves", "neighbours"],
    "--focus": ["3"],
    "--window": ["2"],
    "--text": ["'The cat sat down'"],
    "--backward": [""],
    "--input": ["lesson.json"],
}
FORMS = "ipynb named.ipynb txt named.txt md named.md".split()  # "named": the stage is given, too
ROWS = [[0.25, -1.5, 0.5], [1, 0.75, -0.25], [0.1, 0.2, 0.3], [-1, 2, 0.5]]
LESSON = {"tokens": [*"abcd"], "embeddings": ROWS}
# Of all outputs, at most this share may be unrecognised.
UNRECOGNISED = 0.03


def settings():
    """Yields each stage with each setting that it takes."""
    for name in STAGES:
        takes = ok("help " + name)
        yield name, ""
        for option, values in PARAMETERS.items():
            if option + " " in takes or option + "\n" in takes:
                for value in values:
                    yield name, f"{option} {value}".strip()


def judged(folder, name, line, form):
    """Returns the verdicts on the outputs of one document, as (label, verdict, mistakes)."""
    words = line.replace("lesson.json", f"{folder}/lesson.json").split("'")
    given = [word for i, part in enumerate(words) for word in ([part] if i % 2 else part.split())]
    with tempfile.TemporaryDirectory(dir=folder) as own:
        suffix = form.split(".")[-1]
        path = pathlib.Path(own, "own." + suffix)
        if suffix == "txt":
            path.write_text(ok(f"walk {name}", *given), encoding="utf-8")
        else:
            ok(f"walk {name}", *given, "--out", str(path), "--quiet")
        answer = run("diagnose", *([name] if form.startswith("named") else []), str(path), "--json", "-")
    if answer.returncode == 2:
        return [("", "refused", answer.stderr)]
    found = []
    for one in json.loads(answer.stdout)["tensors"]:
        mistakes = one["matches"][0]["mistakes"] if one["matches"] else []
        by_numbers = "mistake" if mistakes else "right" if one["matches"] else "unknown"
        found.append((one.get("label", one.get("name")), one.get("verdict", by_numbers), mistakes))
    return found


def test_own_documents():
    """Nothing right is called wrong."""
    every = [(*one, form) for one in settings() for form in FORMS]
    if os.environ.get("ATTN_OWN_OUTPUTS") != "all":
        every = random.Random(3).sample(every, 60)
    wrong, counts = [], collections.Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        pathlib.Path(folder, "lesson.json").write_text(json.dumps(LESSON), encoding="utf-8")
        for case, verdicts in zip(every, pool.map(lambda one: judged(folder, *one), every)):
            for label, verdict, mistakes in verdicts:
                counts[verdict] += 1
                if verdict in ("mistake", "follows", "refused", "unknown"):
                    wrong.append((*case, label, verdict, mistakes))
    if os.environ.get("ATTN_OWN_OUTPUTS"):
        for one in wrong:
            print(*one, sep="\t")
    print(counts)
    assert [one for one in wrong if one[4] != "unknown"] == []
    assert counts["unknown"] <= UNRECOGNISED * counts.total()


@pytest.mark.parametrize("suffix", ["html", "tex"])
def test_pages_are_refused(tmp_path, suffix):
    """A page has its numbers among marks of its own; the message says what to hand in instead."""
    path = str(tmp_path / f"own.{suffix}")
    ok("walk causal --quiet --out", path)
    for stage in "", " causal":
        refuses("diagnose" + stage, path, message="hand in the notebook (.ipynb)")


# These stages show mistakes on purpose.
DEMONSTRATE = {"leakage", "masks", "multi-head"}


def parts_of(stage):
    """Yields the first steps of a stage, and steps by themselves: their code, each with what it prints."""
    step_texts = []
    for step in stage["steps"]:
        printed = f"print({step['name']})\n{step['printed']}"
        step_texts.append("\n".join([*step["code"], printed]))
    rng = random.Random(stage["name"])
    for count in rng.sample(range(1, len(step_texts) + 1), 3):
        yield "\n".join([*stage["setup"], *step_texts[:count]])
    yield from rng.sample(step_texts, min(len(step_texts), 6))


def test_parts_of_own_scripts():
    """The first steps of a stage are right, and so is a step of any stage with its code alone."""
    counts = collections.Counter()
    for stage in stages("all"):
        for text in parts_of(stage):
            found = json.loads(run("diagnose - --json=-", stdin=text).stdout)["tensors"]
            verdicts = [one.get("verdict", "right" if one["matches"] else "unknown") for one in found]
            assert stage["name"] in DEMONSTRATE or not {"mistake", "follows"} & {*verdicts}, text
            counts.update(verdicts)
    assert counts["unknown"] + counts["consistent"] <= UNRECOGNISED * counts.total(), counts
