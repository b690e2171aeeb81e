"""Lines that the program suggests in its messages: what they are, and that they work in turn."""

import functools
import json
import os
import random
import re
import shlex
import subprocess

import numpy as np
import pytest

import program
from program import COMMANDS, PROJECT, line_at_the_end, ok, run

TABLE = json.loads((PROJECT / "data/first_guesses.json").read_text())


ANSWERED = [
    ("causal --json - --out -", "causal --json - --out causal.html"),
    ("causal --json - --out -.html", "causal --json - --out causal.html"),
    ("causal --json - --out=-", "causal --json - --out=causal.html"),
    ("causal --out x.html.gz", "causal --out x.html"),
    ("causal --json c.npz", "causal --json c.json"),
    ("causal --sed 5 masked", "causal --seed 5 masked"),
    ("causal --temperature 0.5", "explain temperature"),
    ("causal fresh.npz", "causal --out fresh.npz"),
    ("misspelt.ipynb", "--out misspelt.ipynb"),
    ("causal --window x --seed 1", "sliding-window --window 2 --seed 1"),
    ("causal --sed=5", "causal --seed=5"),
    ("multi-head --heads 4 --d-out 6 --seed 7", "multi-head --heads 4 --d-out 8 --seed 7"),
    ("exercises causal --out a.pdf --key b.pdf -n 2", "exercises causal --out a.tex --key b.tex -n 2"),
    ("exercises causal --out a.html --key b.csv", "exercises causal --out a.md --key b.md"),
    ("grade answers.json --out x.txt", "grade answers.json --out x.csv"),
    ("multi-head --head 2", "multi-head --head 0"),
    ("multi-head --head 1 --out x.json", "multi-head --out x.json"),
    ("causal --head 1", "causal"),
    ("sliding-window --heads 2 --quiet", "multi-head-wrapper --heads 2 --quiet"),
    ("causal --pdf a.pdf", "causal --out a.tex"),
    ("figure 4.1", "list"),
    ("causal keys --token \u65c5\u7a0b", "causal keys --rows Your"),
    ("simplified --seed 1 --quiet", "trainable --seed 1 --quiet"),
    ("causal --out x.png --step mask", "causal --out x.svg --step mask"),
    ("causal --out x.svg", "causal --out x.svg --step context_vec_dropped"),
    ("slides causal", "--out slides.html causal"),
    ("causal --html", "causal --out causal.html"),
    ("causal.py", "--out causal.py"),
    ("causal --lang fr --step 1", "causal --lang en --step 1"),
    ("causal --code numpy --out causal.cpp", "causal --out causal.cpp"),
    ("causal --d-in 4 --input x.npy", "causal --input x.npy"),
    ("causal --loss mse", "causal --loss mse --backward"),
    ("causal --text", "causal --text 'The cat sat on the mat'"),
    ("causal --text a --input x.npy", "causal --text a"),
    ("causal --count 5", "causal"),
    ("causal maskd --seed 3", "causal mask --seed 3"),
    ("explain causal attn_weight[0][0]", "explain causal 'attn_weights[0][0]'"),
    ("quiz causal --count 0", "quiz causal --count 2"),
    ("causl masked", "causal masked"),
    ("sliding-window --window 9", "sliding-window --window 6"),
    ("nothing", "list"),
    ("causal nothing", "list causal"),
    ("explain nothing", "explain attention"),
    ("explain linaer 0.1921", "explain linear 0.1921"),
    ("explain --step nosuch 0.5517", "explain 0.5517"),
    ("explain --foo softmax", "explain softmax"),
    ("diagnose --heatmap mine.ipynb", "diagnose mine.ipynb"),
    ("diagnose --zzz mine.ipynb", "diagnose mine.ipynb"),
    ("diagnose --quite mine.ipynb", "diagnose --quiet mine.ipynb"),
    ("grade --json answers.json", "grade answers.json"),
    ("explain causal attn_weights[9][0]", "explain causal 'attn_weights[5][0]'"),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Makes the files that suggestions name."""
    folder = tmp_path_factory.mktemp("files")
    for name in ("x.npy", "hidden.npy"):
        np.save(folder / name, np.ones((5, 3), "f4"))
    weights = {f"W_{name}.weight": np.ones((2, 3), "f4") for name in ("query", "key", "value")}
    for name in ("weights.npz", "w.npz"):
        np.savez(folder / name, **weights)
    (folder / "answers.json").write_text("[" + ", ".join(["[0.5]"] * 10) + "]")
    ok("causal --out mine.ipynb", cwd=folder)
    calls = {"format": "attn-walkthrough/calls", "version": 1, "tensors": [], "calls": []}
    (folder / "rec.json").write_text(json.dumps(calls))
    (folder / "attn-walkthrough").symlink_to(program.PROGRAM)
    return folder


def answer_to(typed, folder):
    """Returns the exit code, and the command line at the end of the message."""
    answer = run("", *shlex.split(typed), cwd=folder, errors="replace")
    return answer.returncode, line_at_the_end(answer.stderr)


@functools.cache  # many guesses mean the same line
def works(line, folder, times=3):
    """Runs a suggested line as a shell does; without a terminal, `--step` needs a value. A line with several
    faults is mended in several answers."""
    if line is None:
        return "no line"
    line = re.sub(r"--step$", "--step 1", "attn-walkthrough " + line.split(";")[0])
    path = f"{folder}:{os.environ['PATH']}"
    options = {"cwd": folder, "env": program.environment(PATH=path), "input": "", "errors": "replace"}
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, **options)
    if done.returncode < 2:
        return True
    return works(line_at_the_end(done.stderr), folder, times - 1) if times > 1 else done.stderr


@pytest.mark.parametrize("typed, line", ANSWERED)
def test_a_wrong_line_is_answered_with_the_right_one(typed, line, files):
    assert answer_to(typed, files) == (2, line)
    assert works(line, files) is True


GUESSED = [word for table in ("commands", "stages", "steps") for word in TABLE[table]]
GUESSED += [f"{word} causal" for word in TABLE["commands"]]
for table in ("options", "options at the end", "hints", "without a value", "number in the value"):
    GUESSED += [f"{'' if word.startswith('-') else '--'}{word}" for word in TABLE[table]]
GUESSED += [f"{pattern} {word}" for word in TABLE["hints"] for pattern in ("", "causal")]
GUESSED += [f"{command} {option}" for command in COMMANDS for option in ("--unknown", "--sed 5", "--html")]


def test_guesses_are_understood_or_answered_with_a_line_that_works(files):
    lost = []
    for typed in GUESSED[:: int(os.environ.get("ATTN_GUESSES_STEP", 8))]:
        code, line = answer_to(typed, files)
        if code == 2 and ".safetensors" not in line and works(line, files) is not True:
            lost.append((typed, line, works(line, files)))
    assert not lost


# Lines with one fault. Without the check of what a suggested line does, it was refused in turn.
REFUSED_TWICE = """diaagnose mine.ipynb
causal --seed --3
causal --out /dev/stdout
training-step --as queries
compare causal --window 2
compare causal --kv-heads 2
compare causal --lr 0.1
diagnose rec.json --out o.png
errata causal --step mask
completion bash --stage multi-head
compare causal --out out
compare --out out
compare simplified --atol
scaling --loss sum
trainable --head 0x10
streaming --context-lngth 6
list dropout --out o.htm
grade causal answers.json --lr
masks --layer 1
compare simplified --layer +1
quiz linear --weights w.npz --heads 4""".splitlines()

RIGHT = """causal --step mask
walk multi-head --heads 2
compare causal --seed 123
explain causal keys[1][0]
diagnose mine.ipynb
quiz causal --count 3
exercises linear --count 2
grade answers.json
list causal
errata causal
help causal
completion bash
scaling
training-step --lr 0.1
kv-cache --quiet
streaming --rows 1:2
diagnose rec.json
causal --weights w.npz
complexity --tokens 4,8""".splitlines()


def lines_with_one_fault(count, seed):
    """Returns right lines, each with a misspelt word, or an option or value that does not belong there."""
    draw = random.Random(seed)
    help_of = {name: ok(f"help {name} --help-all") for name in COMMANDS}
    options = sorted({one for text in help_of.values() for one in re.findall(r"^ +(--[a-z-]+)", text, re.M)})
    values = ["", "", "xyz", "0x10", "-1", "999999999999", "1.5", "mask", "causal", "queries", "o.png", "out"]
    for _ in range(count):
        words = draw.choice(RIGHT).split()
        if draw.random() < 0.3:
            at = draw.randrange(len(words))
            place = draw.randrange(len(words[at]))
            words[at] = words[at][:place] + draw.choice(["", words[at][place] * 2]) + words[at][place + 1 :]
        else:
            words += [draw.choice(options), draw.choice(values)]
        yield shlex.join(word for word in words if word)


@pytest.mark.parametrize("part", range(4))
def test_no_suggested_line_is_refused_in_turn(part, files):
    lost = {}
    followed = 0
    for typed in [*REFUSED_TWICE[part::4], *lines_with_one_fault(50, part)]:
        code, line = answer_to(typed, files)
        followed += line is not None
        if code == 2 and line and works(line, files, 1) is not True:
            lost[typed] = line, works(line, files, 1)
    assert not lost and followed >= 20, (followed, lost)


def test_a_suggested_line_is_tried_without_an_effect(files):
    before = sorted(files.iterdir())
    code, line = answer_to("causal --prcision 3 --out o.html", files)
    assert (code, line) == (2, "causal --precision 3 --out o.html")
    assert sorted(files.iterdir()) == before


@pytest.mark.parametrize("typed, line", [
    ("diagnose x.npy --count 3 --as o.html", None), ("diagnose - --count 3 --as o.html", None),
    ("diagnose - --count 3 --as keys", "diagnose - --as keys"),
    ("diagnose - --d-out=x --head 0", "diagnose - --d-out 8"),
])  # fmt: skip
def test_all_that_needs_no_numbers_is_tried_in_a_suggested_line(typed, line, files):
    assert answer_to(typed, files) == (2, line)


def test_a_trial_of_a_suggested_line_prints_nothing():
    for typed in ("walk --version --code x", "page causal --sed 5"):
        program.refuses(typed, message="\n    attn-walkthrough ")


# Whether a run accepts these depends on files and tokens, or on the next word.
NOT_KNOWN_BEFORE = {*"--input --weights --layer --head --focus --set --qkv-bias --backward --heads".split()}


@pytest.mark.parametrize("stage", ["simplified", "causal", "multi-head", "grouped-query", "complexity"])
def test_the_line_after_a_wrong_value_is_not_refused_again(stage, files):
    options = {*re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", ok("help walk --help-all"), re.M)} - NOT_KNOWN_BEFORE
    assert len(options) > 30
    lines = {option: answer_to(f"{stage} {option} xyz", files)[1] for option in options}
    assert not {option: line for option, line in lines.items() if line and works(line, files, 1) is not True}


@pytest.mark.parametrize("typed, option, line", [
    ("explain softmax --seed 5", "--seed", "explain softmax"),
    ("explain 0.5517 --depth 3", "--depth", "explain 0.5517"),
    ("explain causal masked --depth 3", "--depth", "explain causal masked"),
    ("diagnose mine.ipynb --search-seeds", "--search-seeds", "diagnose mine.ipynb"),
    ("diagnose rec.json --seed 5", "--seed", "diagnose rec.json"),
    ("compare x.npy hidden.npy --seed 5", "--seed", "compare x.npy hidden.npy"),
    ("compare x.npy hidden.npy --json -", "--json", "compare x.npy hidden.npy"),
    ("compare causal x.npy --atol 1 --json -", "--json", "compare causal x.npy --atol 1"),
    ("compare linear causal --json -", "--json", "compare linear causal"),
    ("exercises 3.2 --count 3", "--count", "exercises 3.2"),
    ("causal --no-code --out x.html", "--no-code", "causal --out x.html"),
])  # fmt: skip
def test_an_option_without_an_effect_is_refused(typed, option, line, files):
    answer = run(typed, cwd=files)
    assert answer.returncode == 2 and answer.stderr.startswith(f"attn-walkthrough: {option}: ")
    assert line_at_the_end(answer.stderr) == line
