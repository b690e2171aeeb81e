"""The program's documentation of itself: help, completions, the form and the manual page."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

from program import COMMANDS, PROGRAM, PROJECT, PYTHON, Terminal, environment, listed, missing, ok
from program import on_terminal, run, steps, trace


def options(text):
    return re.findall(r"^  (--[a-z-]+)", text, re.M)


@pytest.mark.parametrize("columns, width", [(20, 60), (60, 60), (80, 80), (100, 100), (200, 100)])
def test_it_fits_the_terminal(columns, width):
    pages = ["walk --help-all", *(f"{name} --help" for name in COMMANDS), "help causal"]
    for page in ["", *pages, *["list", "list causal", "causal compare", "errata"] * (width == columns)]:
        text = on_terminal(columns, *page.split(), *["--no-pager", "--color=never"] * bool(page))
        assert max(map(len, text.splitlines())) <= width, text
    narrow = on_terminal(60, "causal", "--step=mask").splitlines()
    assert max(map(len, narrow[:5])) <= 60
    # A terminal that does not tell its width has that of a pipe.
    assert on_terminal(0, "walk", "--help") == ok("walk --help")


@pytest.mark.parametrize("stage", ["leakage", "multi-head"])
def test_code_fits_a_narrow_terminal(stage):
    for line in on_terminal(60, stage, "--no-pager", "--color=never").splitlines():
        assert len(line) <= 60 or not line.startswith((">>> ", "... ")), line


def test_the_first_help_names_every_command():
    text = ok()
    assert text == ok("-h") == ok("--help") == ok("help")
    for name in COMMANDS[1:]:
        assert re.search(rf"(?m)^  attn-walkthrough {name}\b", text)


def test_a_command_shows_at_most_twenty_options_in_groups():
    different = set()
    for name in COMMANDS:
        text = ok("help", name)
        everything = ok(name, "--help-all") if name != "help" else text
        assert ok(name, "--help") in (text, ok())  # help --help is the program's help
        assert text.count("\n") <= 50 and len(options(text)) <= 20, name
        assert {*options(text)} <= {*options(everything)}
        headings = re.findall(r"^(\w.*):$", everything, re.M)
        assert headings[0] == "Examples" and len({*headings}) == len(headings)
        assert len(re.findall(r"^  (?:python mine.py \| )?attn-walkthrough", text, re.M)) <= 3
        different |= {*options(everything)}
    assert len(different) <= 48


def test_the_examples_run(tmp_path):
    example = r"^  attn-walkthrough (.*?)(?:  .*)?$"
    examples = {line for name in COMMANDS for line in re.findall(example, ok(name, "--help"), re.M)}
    assert len(examples) > 25
    (tmp_path / "mine.txt").write_text("tensor([[0.2899, 0.0716, 0.0760, -0.0138, 0.1344, -0.0511]])")
    (tmp_path / "class").mkdir()
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": "1", "outputs": []}
    notebook = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    for path in (tmp_path / "mine.ipynb", tmp_path / "class" / "a.ipynb"):
        path.write_text(notebook)
    for name in ("answers.json", "ada.json", "ben.json"):
        (tmp_path / name).write_text("{}")
    save = f"import numpy; numpy.save('mine.npy', numpy.float32({steps('causal')['keys']}))"
    subprocess.run([PYTHON, "-c", save], cwd=tmp_path, check=True)
    for line in sorted(examples):
        arguments = shlex.split(line.partition(" | ")[0])
        answer = run(*arguments, cwd=tmp_path, encoding=None, stdin=b"")
        differs = {"quiz": {1}, "grade": {1}, "diagnose": {0, 1}}
        assert answer.returncode in differs.get(arguments[0], {0}) and answer.stderr == b"", line


def test_help_of_a_stage():
    text = ok("help causal")
    for other in ("--help causal", "causal --help", "causal -h", "help 3.5"):
        assert ok(*other.split()) == text
    assert "In the book: 3.5.1, 3.5.2, figures 3.19 to 3.22." in text
    assert "Follows document 000; 001; 002, part 4, 2.4 (1) to (3); 004." in text
    assert re.search(r"(?m)^  --dropout-seed N +Seed of the dropout mask; default here: 123$", text)
    assert re.search(r"(?m)^  masked_simple_norm +6×6 +Renormalised: each row divided by its sum$", text)
    assert "--heads" not in text and "--heads" in ok("help multi-head")
    assert "书中位置：3.5.1, 3.5.2，图 3.19 至 3.22。" in ok("help causal --lang=zh")
    for stage in listed():
        assert f"{stage} · " in ok("help", stage)
    lines = ok("list causal").splitlines()[1:]
    for line, step in zip(lines, trace("causal")["steps"], strict=True):
        assert line.split()[0] == step["name"] and line.endswith(step["title"])


def test_what_is_longer_than_the_terminal_goes_through_the_pager():
    pager, plain = "sed s/^/p:/", on_terminal(80, "causal")
    paged = on_terminal(80, "causal", PAGER=pager)
    assert paged.count("\np:") + 1 == paged.count("\n") and paged.replace("p:", "") == plain
    assert on_terminal(80, "causal", "--no-pager", PAGER=pager) == plain
    for other in ("cat", "no-such-pager-here 2>/dev/null"):
        assert on_terminal(80, "causal", PAGER=other) == plain
    assert not on_terminal(80, "help", "man", PAGER=pager).startswith("p:")  # it fits on one screen
    assert ok("causal", PAGER=pager) == ok("causal")
    assert on_terminal(80, "causal", PAGER="head -1") == plain.splitlines()[0] + "\n"


def test_an_interruption_in_the_pager_is_the_pagers():
    pager = """sh -c 'trap "echo caught" INT; cat > /dev/null; echo ready; sleep 0.5; echo end'"""
    terminal = Terminal("causal", PAGER=pager)
    terminal.expect("ready\n")
    terminal.type("\x03")  # Ctrl-C
    code, text = terminal.finish()
    assert code == 0 and text.endswith("caught\nend\n"), text


# The first commands that people type, each beside one that gives the same.
@pytest.mark.parametrize("one, other", [
    ("causal", "--stage causal"), ("causal", "causal --stage causal"),
    ("explain causal keys[1][0]", "keys[1][0] explain causal"),
    ("explain causal keys[1][0]", "explain causal keys 1 0"),
    ("compare causal --step masked", "causal --step masked compare"), ("list causal", "causal list"),
    ("walk causal --step=mask", "--step=mask causal"), ("causal --step=masked", "causal masked"),
    ("causal --step=masked --quiet", "masked --quiet"),
    ("causal --step=16", "causal --step=attn_weights_causal"),
    ("causal --seed=1 --seed=123 --quiet", "causal --seed=123 --quiet"), ("-V", "--version"),
    ("explain W_key_grad[0][0]", "explain causal W_key_grad[0][0] --backward"),
    ("explain W_key.grad[0][0]", "explain causal W_key_grad[0][0] --backward"),
    ("list 3.3", "list simplified"), ("list 3.4", "list trainable"), ("list 3.4.2", "list linear"),
    ("list 3.5", "list causal"), ("list 3.5.1", "list causal"), ("list 3.5.3", "list causal-batch"),
    ("list 3.6", "list multi-head-wrapper"), ("list grad", "list --lang en grad"),
])  # fmt: skip
def test_words_stand_in_any_order(one, other):
    assert ok(*one.split()) == ok(*other.split())


def test_a_number_is_found_where_it_is_printed():
    assert ok("explain causal 0.5517") == (
        "These cells print as 0.5517; explain one of them:\n"
        "  attn-walkthrough explain causal 'masked_simple_norm[1][0]'\n"
        "  attn-walkthrough explain causal 'attn_weights_causal[1][0]'\n"
    )
    assert "'keys[1][0]'" in ok("explain causal -0.0298")
    assert "… and " in ok("explain 0.0")
    # 0.55 is no printed form: the cells print as 0.5500, 0.5510 and 0.5517.
    for number, begin in [
        ("0.55", "These cells round to 0.55;"), ("0.55168", "These cells round to 0.55168;"),
        ("4.5086e-05", "These cells print as 4.5086e-05;"), ("2", "These cells are exactly 2;"),
    ]:  # fmt: skip
        assert ok("explain", number).startswith(begin)
    assert ok("explain 0.55168 --precision 5").startswith("These cells print as 0.55168;")


@pytest.mark.parametrize("typed, plain", [
    ("\u22120.4016", "-0.4016"), ("0,5517", "0.5517"), ("≈0.5517", "0.5517"), ("0.5517?", "0.5517"),
    ("**0.5517**", "0.5517"), ("why is it 0,5517?", "0.5517"), ("-0,4016", "-0.4016"), ("０．５５１７", "0.5517"),
    ("K[1][0]", "keys[1][0]"), ("Q[1][0]", "queries[1][0]"), ("S[1][0]", "attn_scores[1][0]"),
    ("A[2][1]", "attn_weights[2][1]"), ("V[1, 0]", "values[1][0]"), ("keys［1］［0］", "keys[1][0]"),
    ("S'[2][1]", "masked[2][1]"), ("K[1][0][0][0]", "causal-self-attention K[1][0][0][0]"),
])  # fmt: skip
def test_numbers_and_letters_are_read_as_people_write_them(typed, plain):
    assert ok("explain", typed) == ok("explain", *plain.split())


@pytest.mark.parametrize("question, title", [
    ("nan in softmax", "Where nan comes from"), ("why seed 789", "The seed"), ("seed 789", "The seed"),
    ("why 2 heads", "Several heads"), ("softmax of 0.5", "Softmax"), ("why nan", "Where nan comes from"),
    ("dropout 为什么乘以 2", "为什么留下的数变大"), ("out_proj", "The output projection"),
    ("keepdim=True", "Why keepdim=True"),
    ("torch.inf", "Why −inf and not 0"), ("soft max", "Softmax"), ("softmax_naive", "Overflow in softmax"),
    ("overflow", "Overflow in softmax"), ("输出投影", "输出投影"), ("softmax 溢出", "softmax 的溢出"),
])  # fmt: skip
def test_a_number_in_a_question_about_a_notion_belongs_to_the_question(question, title):
    assert ok("explain", question).splitlines()[0] == title


@pytest.mark.parametrize("line, title, step", [
    ("mask", "The causal mask", "masked"), ("causal masking", "The causal mask", "masked"),
    ("why divide by sqrt(d_k)?", "Why scores are divided by √d_k", "divided_64"),
    ("Softmax", "Softmax", "attn_weights"), ("what is a context vector", "Context vectors", "context_vec"),
    ("掩码", "因果掩码", "masked"), ("gqa", "Grouped-query attention", "keys_repeated"),
])  # fmt: skip
def test_a_notion_is_explained(line, title, step):
    text = ok("explain", *line.split())
    assert text == ok("explain", line) and text.startswith(f"{title}\n")
    assert re.search(rf"attn-walkthrough \S+ --step {step} (shows it with numbers\.|用)", text)


def test_every_notion_has_its_step_and_every_name_its_notion():
    notions = json.loads((PROJECT / "data" / "notions.json").read_text())
    titles = {}
    for key, notion in notions.items():
        assert notion["step"] in steps(notion["stage"]), key
        for name in (name for name in notion["names"] if not name.startswith("-")):
            titles.setdefault(key, set()).add(ok("explain", name, "--lang=en").splitlines()[0])
        assert "用具体的数显示它" in ok("explain", notion["names"][0], "--lang=zh"), key
    assert len(notions) >= 25 and all(len(found) == 1 for found in titles.values())


def test_steps_are_shown_one_at_a_time():
    terminal = Terminal("linear", "--step")
    unknown = "nothing\n", 'No step is called "nothing".'
    for typed, place in (("", "1/13"), ("\n", "2/13"), ("5\n", "5/13"), ("b\n", "4/13"),
                         ("keys\n", "6/13"), unknown, ("v1_agrees\n", "13/13")):  # fmt: skip
        terminal.type(typed)
        seen = len(terminal.seen)
        terminal.read(10)
        terminal.expect("> ")
        assert place in terminal.seen[seen:].decode(), (typed, terminal.seen[seen:])
    terminal.type("\n")  # Enter after the last step ends
    code, text = terminal.finish()
    assert code == 0 and "Out: " in text and text.count("import torch") == 1


def test_what_is_written_is_said_on_a_terminal_only(tmp_path):
    file = tmp_path / "x.json"
    assert re.search(r"^wrote \S*x\.json\s+\(\d+ kB\)\n$", on_terminal(200, "causal", "--out", str(file)))
    assert ok("causal", "--out", file) == ""


def test_long_lines_of_code_are_broken_on_a_narrow_terminal():
    text = on_terminal(60, "causal", "--step=attn_weights_causal")
    assert ">>> attn_weights_causal = torch.softmax(masked\n...     / keys.shape[-1]**0.5, dim=-1)\n" in text
    for stage in ("causal", "kv-cache"):
        session = on_terminal(60, stage, "--no-pager")
        lines = re.findall(r"(?m)^(?:>>>|\.\.\.) (.*)$", session)
        code = [line for line in re.sub(r" \\\n", " ", "\n".join(lines)).split("\n")]
        compile("\n".join(code), stage, "exec")


@pytest.mark.parametrize("line", [
    "multi-head --backward", "multi-head-wrapper --heads 4 --backward", "kv-cache --backward",
    "multi-head-wrapper --heads 12 --backward --code cpp",
    "multi-head-wrapper --heads 4 --backward --code numpy",
])  # fmt: skip
def test_code_is_shown_whole(line):
    statements = [one for one in ok(*line.split()).splitlines() if one.startswith((">>> ", "... ", "    "))]
    assert any(len(one) > 204 for one in statements)
    assert not any("…" in one for one in statements)


def test_a_list_fits_the_usual_width():
    assert max(map(len, ok("list").splitlines())) <= 80 < max(map(len, ok("list --width 120").splitlines()))
    for what in ("", "dropout", "causal"):
        assert max(map(len, ok("list", *what.split(), COLUMNS="62").splitlines())) <= 62
    assert ok("list", COLUMNS="62") == ok("list --width 62")
    for nonsense in ("wide", "-5", "0"):
        assert ok("list", COLUMNS=nonsense) == ok("list")


def test_rows_and_heat_maps_work_together():
    text = ok("causal --step=masked --heatmap --rows=1:3")
    assert re.findall(r"(?m)^(Your|journey|starts|with) ", text) == ["journey", "starts"]


def test_a_long_stage_prints_one_head_unless_all_are_asked_for():
    short, whole = ok("multi-head"), ok("multi-head --all-heads")
    assert short.count("\n") < 0.8 * whole.count("\n")
    assert "print(attn_weights[0, 0])" in short and "print(attn_weights)" in whole
    assert "--all-heads prints all" in short and "--all-heads" not in whole
    assert ok("multi-head --json=-") == ok("multi-head --all-heads --json=-")


def test_a_suffix_chooses_the_format(tmp_path):
    for suffix in "json npz safetensors html ipynb md tex csv svg JSON".split():
        path = tmp_path / f"keys.{suffix}"
        ok("causal --step=keys -o", path)
        there = run("causal --step=keys", f"--out=-.{suffix}", stdin=b"", encoding=None).stdout
        assert path.read_bytes() == there


def tool(name, *arguments, stdin=""):
    """Returns standard output of a tool that must not report anything."""
    if shutil.which(name) is None:
        missing(name)
    path = f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"
    answer = subprocess.run(
        [name, *arguments], input=stdin, capture_output=True, encoding="utf-8",
        env=environment(LC_ALL="C.UTF-8", PATH=path),
    )  # fmt: skip
    assert (answer.returncode, answer.stderr) == (0, ""), answer
    return answer.stdout


@pytest.mark.parametrize("shell, check", [("bash", "-n"), ("fish", "--no-execute"), ("zsh", "-n")])
def test_completions(shell, check, tmp_path):
    script = tmp_path / "_attn-walkthrough"
    script.write_text(ok("completion", shell))
    tool(shell, check, script)

    def complete(*words):
        """Returns the completions of a command line, of which the last word is unfinished."""
        if shell == "bash":
            call = f'source {script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _attn_walkthrough; '
            call += r'printf "%s\n" "${COMPREPLY[@]}"'
            return {*tool("bash", "-c", call, "bash", "attn-walkthrough", *words).split()}
        if shell == "fish":
            call = f"source {script}; complete -C 'attn-walkthrough {' '.join(words)}'"
            return {line.split("\t")[0] for line in tool("fish", "--no-config", "-c", call).splitlines()}
        call = "compdef() { }; _files() { }; _describe() { print -rl -- ${(P)@[-1]} }; "
        call += f'source {script}; words=("$@"); CURRENT=$#; _attn_walkthrough'
        found = tool("zsh", "-f", "-c", call, "zsh", "attn-walkthrough", *words)
        return {line.partition(":")[0] for line in found.splitlines()}

    for line, expected in {
        "caus": "causal causal-batch causal-self-attention", "--quie": "--quiet",
        "diagnose --sear": "--search-seeds", "--dropout-rng m": "mt19937 mkl",
        "causal --stage sim": "simplified", "completion z": "zsh", "help exe": "exercises",
        "head-split --step ": " ".join(steps("head-split")),
        "explain causal masked_": "masked_simple masked_simple_norm",
    }.items():  # fmt: skip
        assert complete(*line.split(" ")) == {*expected.split()}, line
    assert complete("") >= {"all", "causal", "diagnose"}
    assert complete("causal", "--step", "") >= {*steps("causal")}
    assert complete("--step", "") > {*steps("causal"), *steps("leakage")}
    if shell == "bash":
        assert complete("causal", "--seed", "") == set()
        assert (complete("--lang", "=", "z"), complete("--lang", "=")) == ({"zh"}, {"en", "zh"})
        assert complete("--") == {*options(ok("walk --help-all"))}
    elif shell == "fish":
        assert str(script) in complete("diagnose", str(script)[:-2])
    else:  # the file is sourced, or found on $fpath
        for before, after, function in (
            ("", f"source {script}", "_attn_walkthrough"),
            (f"fpath=({tmp_path} $fpath)", "", "_attn-walkthrough"),
        ):
            call = f"{before}; autoload -U compinit; compinit -D -u; {after}; print $_comps[attn-walkthrough]"
            assert tool("zsh", "-f", "-c", call) == function + "\n"


def test_the_manual_page():
    source = ok("man")
    assert source.isascii()
    page = tool("groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=200n", stdin=source)
    headings = ["NAME", "SYNOPSIS", "COMMANDS", "STAGES", "EXIT STATUS", "ENVIRONMENT"]
    assert re.findall(r"^[A-Z][A-Z ]+$", page, re.M) == headings
    for name in COMMANDS:
        for option in options(ok(name, "--help-all")):
            assert option in page
    assert "Why scores are divided by √d_k" in page and "attn-walkthrough compare causal --seed 123" in page


def test_the_form_has_the_options_of_the_help():
    form, chinese = (json.loads(ok("form", f"--lang={language}")) for language in ("en", "zh"))
    for command in ("walk", "diagnose"):
        own = [option for option in form["options"] if option["command"] == command]
        text = ok(command, "--help-all")
        assert {"--" + option["name"] for option in own} == {*options(text)}
        for option in own:
            line = f"--{option['name']} {option['value']} {option['help']}"
            assert " ".join(line.split()) in " ".join(text.split())
    for one, other in zip(form["options"], chinese["options"], strict=True):
        assert {**one, "help": 0} == {**other, "help": 0} and one["help"] != other["help"]
        assert one["is_number"] == (one["value"] == "N")
    suffixes = re.findall(r" \.(\w+)", of_walk()["out"]["help"])
    texts = json.loads((PROJECT / "data" / "narration" / "en" / "browser.json").read_text(encoding="utf-8"))
    assert form["suffixes"] == suffixes
    assert {f"download_{suffix}" for suffix in suffixes} <= {*texts}


def of_walk():
    """Returns the options of walk in the form, by name."""
    options = json.loads(ok("form"))["options"]
    return {option["name"]: option for option in options if option["command"] == "walk"}


# Options that change numbers. The last of a line is tested; it needs those before it.
@pytest.mark.parametrize("line", [
    "--seed=7", "--d-out=16", "--d-out=16 --heads=16", "--qkv-bias", "--dropout=0.3",
    "--dropout=0.3 --dropout-seed=7", "--dropout=0.3 --dropout-rng=mkl", "--backward",
    "--backward --loss=mse", "--batch=3", "--context-length=9", "--kv-heads=1", "--window=2",
    "--short-length=3", "--tokens=3,4", "--lr=0.25", "--focus=0",
])  # fmt: skip
def test_an_option_changes_the_stages_that_take_it(line):
    *needed, option = line.split()
    takers = of_walk()[option[2:].partition("=")[0]]["stages"]
    view = "--code=torch" if "context" in option else "--quiet"  # some stages show it only in their code
    for stage in listed():
        answer = run(f"{stage} {view} {line}")
        is_other = " does not use it." in answer.stderr or " read as: " in answer.stderr  # of another stage
        assert is_other == (stage not in takers), (stage, answer)
        if stage in takers:
            assert answer.returncode == 0 and answer.stdout != ok(stage, view, *needed), stage


def test_the_form_has_the_defaults_of_each_stage():
    written = {"heads": "num_heads", "tokens": "sequence_lengths"}
    for stage in json.loads(ok("form"))["stages"]:
        p = trace(stage["name"])["parameters"]
        for name, default in stage["defaults"].items():
            assert stage["name"] in of_walk()[name]["stages"]
            key = written.get(name, name.replace("-", "_"))
            assert p.get(key, default) == default, (stage["name"], name)
        assert stage["name"] != "causal" or stage["defaults"]["dropout"] == 0.5


def test_a_default_that_the_text_names_is_not_repeated():
    said = " ".join(ok("help causal-batch").split())
    assert "default: 2 (1 with --input) --" in said and "number of tokens; default here: 6" in said
    assert "default: 2 (1 with --input); default here: 8" in " ".join(ok("help complexity").split())
