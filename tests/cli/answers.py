"""The program's answers, and its exit codes."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

from large_lesson import large_lesson
import pytest

from program import LESSON, PROGRAM, REFERENCES, on_terminal, run


def tables(text):
    """Returns the lines of a comparison that are about tables."""
    return text.split("\n\n")[0].splitlines()


def test_the_row_whose_softmax_is_looked_into_can_be_chosen():
    shown = ["linear", "--backward", "--quiet", "--step=softmax_jacobian", "--step=jacobian_agrees"]
    usual, journey, last = (run(*shown, *focus).stdout for focus in ([], ["--focus=journey"], ["--focus=5"]))
    assert usual == journey
    assert usual != last
    for text in (usual, last):
        assert "tensor(1.)" in text


def test_help_version_and_list():
    assert "Commands, with an example each:" in run().stdout
    assert run("--help").stdout == run().stdout
    assert "--dropout-rng mt19937|mkl" in run("walk", "--help-all").stdout
    build = r"attn-walkthrough \d+\.\d+\.\d+\n\w+ build by (GNU|\w*Clang) [\d.]+ for \w+, running at level "
    assert re.search(rf"^{build}(baseline|v3|v4)\n$", run("--version").stdout)
    assert re.search(rf"^{build}baseline\n$", run("--version", ATTN_ISA="baseline").stdout)
    *groups, documents = [group.splitlines() for group in run("list").stdout.split("\n\n")]
    assert [line[2:5] for line in documents] == ["000", "001", "002", "003", "004"]
    assert [group[0] for group in groups] == [
        "Stages of the documents:",
        "Different views of these stages:",
        "Further topics:",
    ]
    assert [len(group) // 3 for group in groups[:2]] == [11, 4]
    assert groups[0][10].startswith("causal "), groups[0]


def test_naming_a_stage_and_stage_say_the_same():
    assert run("causal").stdout == run("--stage", "causal").stdout
    assert run("causal").stdout == run("causal", "--stage", "causal").stdout


def test_a_stage_without_errata_says_so():
    assert run("errata", "kv-cache").stdout == "No errors are known in the documents of these stages.\n"


def test_the_causal_walk_has_five_headings_and_ends_with_what_to_try():
    text = run("causal").stdout
    assert len(re.findall(r"(?m)^── .* ──$", text)) == 5
    for heading, step in (
        ("Why mask", "9/20 · attn_weights"),
        ("-inf and one softmax", "14/20 · mask"),
        ("Dropout and the result", "17/20 · dropout_example"),
    ):
        assert f"\n── {heading} ──\n\ncausal {step}\n" in text
    assert "\nErrata in the documents: 3; attn-walkthrough errata causal shows them.\nTry next: " in text
    for command in re.findall(
        r"attn-walkthrough (.*?)(?= for| to|\.\n)", " ".join(text.split("Try next: ")[1].split())
    ):
        with tempfile.TemporaryDirectory() as folder:
            assert subprocess.run(
                [PROGRAM, *shlex.split(command)], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True
            ).returncode in (0, 1), command


@pytest.mark.parametrize("language", ["en", "zh"])
def test_notes_of_the_first_steps_are_one_line_each(language):
    steps = re.split(r"(?m)^causal \d+/20 · ", run("causal", "--lang", language).stdout)
    for step in steps[1:9]:
        name, title, note, formula, *_ = step.splitlines()
        assert note and (" = " in formula or name == "inputs"), step


def test_a_chosen_step_is_its_table_and_the_lines_before_are_asked_for():
    text = run("causal", "--step=masked").stdout
    assert re.findall(r"(?m)^>>> (.*)$", text) == [
        "masked = attn_scores.masked_fill(mask.bool(), -torch.inf)",
        "print(masked)",
    ]
    assert text.endswith("\n--code torch also shows the lines before this one.\n")
    assert run("numpy", "--step=masked").stdout.endswith(
        "\n--code numpy also shows the lines before this one.\n"
    )
    assert ">>> generator = torch.manual_seed(789)\n" in run("causal", "--step=masked", "--code=torch").stdout


def test_the_causal_stage_compares_with_the_documents():
    for options, tables in (([], 14), (["--seed", "123"], 5), (["--dropout-rng", "mkl"], 14)):
        answer = run("causal", "compare", *options)
        assert (answer.returncode, answer.stderr) == (0, "")
        assert answer.stdout.count("digits agree") == tables, answer.stdout


def test_a_cell_is_explained_in_text_and_as_a_tree():
    words = run("causal", "explain", "context_vec[journey][0]", "--depth=9")
    assert (words.returncode, words.stderr) == (0, "")
    assert "context_vec[1][0] = 0.5517*(-0.0872) + 0.4483*(-0.1137) = -0.0991\n" in words.stdout
    assert words.stdout == run("causal", "explain", "context_vec[1][-2]", "--depth=9").stdout
    assert "-0.099069" in run("causal", "explain", "context_vec[1][0]", "--precision=6").stdout
    tree = json.loads(run("causal", "explain", "context_vec[1][0]", "--depth=2", "--json=-").stdout)
    assert (tree["format"], tree["version"], tree["stage"]) == ("attn-walkthrough/explanation", 1, "causal")
    root = tree["explanation"]
    assert (root["step"], root["index"], root["tokens"]) == ("context_vec", [1, 0], ["journey", None])
    (line,) = root["lines"]
    assert (len(line["operands"]), line["operands"][1]["step"]) == (12, "values")
    products = [a["value"] * b["value"] for a, b in zip(line["operands"][::2], line["operands"][1::2])]
    assert sum(products) == pytest.approx(root["value"], abs=0.5e-6)
    assert [cell["step"] for cell in root["from"]] == ["attn_weights_causal", "values"] * 2
    assert root["from"][0]["lines"][-1]["shown"] == "1 / 1.8127 = 0.5517"


def test_every_printed_table_is_compared():
    answer = run("--stage", "all", "compare")
    assert (answer.returncode, answer.stderr) == (0, "")
    printed = sum(len(json.loads(file.read_text())["tables"]) for file in REFERENCES.glob("*.json"))
    assert (printed, len(tables(answer.stdout))) == (51, 51), answer.stdout


def test_a_page_of_a_mask_written_out():
    for options in (["--dropout=0.1"], []):
        answer = run("causal", "--dropout-rng=mkl", "--out=-.html", *options)
        assert (answer.returncode, answer.stderr) == (0, "")


def test_the_focus_names_the_steps():
    for option, number in ([], 2), (["--focus", "step"], 6), (["--focus", "0"], 1):
        assert run("simplified", "--quiet", "--step", f"context_vec_{number}", *option).returncode == 0
    assert run("simplified", "compare", "--focus", "step").returncode == 2


def test_code_is_shown_in_the_language_asked_for():
    for stage, language in (("causal", "torch"), ("numpy", "numpy")):
        assert run(stage).stdout == run(stage, "--code", language).stdout
    lines = {
        "torch": "\n>>> context_vec = attn_weights_causal @ values\n>>> print(context_vec)\n",
        "numpy": "\n>>> context_vec = attn_weights_causal @ values\n"
        ">>> print(torch.from_numpy(np.float32(context_vec)))\n",
        "cpp": "\n    const auto context_vec = matmul(attn_weights_causal, values);\n"
        "    std::cout << tensor_text(context_vec) << '\\n';\n\ntensor(",
    }
    traces = {}
    for language, line in lines.items():
        assert line in run("causal", "--code", language).stdout
        traces[language] = json.loads(run("causal", "--code", language, "--json=-").stdout)["stages"][0]
        assert traces[language]["language"] == language
        steps = [(step["name"], step["data"]) for step in traces[language]["steps"]]
        assert steps == [(step["name"], step["data"]) for step in traces["torch"]["steps"]]
    assert "grad_fn" in run("causal", "--quiet").stdout
    assert "grad_fn" not in run("causal", "--quiet", "--code", "cpp").stdout  # only PyTorch has autograd
    assert {step["grad_fn"] for step in traces["numpy"]["steps"]} == {None}
    assert "tensor_text(inputs, {}, {6})" in run("causal", "--code=cpp", "--precision=6").stdout
    both = json.loads(run("causal", "numpy", "--code", "cpp", "--json=-").stdout)["stages"]
    assert [stage["language"] for stage in both] == ["cpp", "cpp"]


def test_the_stages_of_document_003_compare_with_it():
    for stage, compared in (("causal-self-attention", 5), ("numpy", 3)):
        answer = run(stage, "compare")
        assert (answer.returncode, answer.stderr, answer.stdout.count("agree")) == (0, "", compared)
    assert run("causal-self-attention", "compare", "--d-out=64").stdout.count("agree") == 1


def test_a_stage_that_draws_its_input_has_one_width():
    for options, width in (([], 512), (["--d-out=16"], 16)):
        (stage,) = json.loads(run("causal-self-attention", "--json=-", *options).stdout)["stages"]
        parameters = stage["parameters"]
        assert (parameters["d_in"], parameters["d_out"], parameters["context_length"]) == (width, width, 1024)
    eye = [[float(i == j) for j in range(6)] for i in range(6)]
    weights = {
        f"W_{name}.{kind}": eye if kind == "weight" else [0] * 6
        for name in "qkvo"
        for kind in ("weight", "bias")
    }
    arguments = ["causal-self-attention", "--heads=3", "--weights=-", "--json=-"]
    (stage,) = json.loads(run(*arguments, stdin=json.dumps(weights)).stdout)["stages"]
    assert (stage["parameters"]["d_in"], stage["parameters"]["d_out"]) == (6, 6)
    steps = {step["name"]: step["data"] for step in stage["steps"]}
    assert (
        steps["Q"][0][2][9] == steps["x"][0][9][4:]
    )  # the projection is the identity: a head's query is its columns of x
    assert steps["out"] == steps["context_vec"]


def test_a_stage_keeps_its_own_where_it_does_not_use_an_option():
    options = ("causal", "numpy", "--dropout=0.25", "--d-out=3")
    causal, numpy = json.loads(run(*options, "--json=-").stdout)["stages"]
    assert (causal["parameters"]["dropout"], causal["parameters"]["d_out"]) == (0.25, 3)
    assert (numpy["parameters"]["dropout"], numpy["parameters"]["d_out"]) == (0.0, 3)
    (alone,) = json.loads(run("numpy", "--d-out=3", "--json=-").stdout)["stages"]
    assert numpy == alone
    long = json.loads(run("causal-batch", "numpy", "--context-length=9", "--json=-").stdout)["stages"]
    assert [stage["parameters"]["context_length"] for stage in long] == [9, 5]


def test_an_array_is_shown_as_pytorch_shows_it():
    text = run("numpy").stdout
    assert ">>> import numpy as np\n>>> import torch\n" in text
    assert ">>> print(torch.from_numpy(np.float32(attn_weights)))" in text
    assert f">>> np.random.seed({2**32 + 123} % 2**32)" in run("numpy", f"--seed={2**32 + 123}").stdout


def test_every_parameter_of_the_stages_of_document_003_changes_something():
    for stage, options in (
        ("causal-self-attention", ("--seed=1", "--d-out=256", "--heads=4", "--batch=1")),
        ("numpy", ("--seed=1", "--d-out=3")),
    ):
        plain = run(stage, "--quiet").stdout
        for option in options:
            assert run(stage, "--quiet", option).stdout != plain, option


def test_leakage_moves_what_it_should():
    (stage,) = json.loads(run("leakage", "--json", "-").stdout)["stages"]
    steps = {step["name"]: step["data"] for step in stage["steps"]}
    assert all(0.07 < moved < 0.08 for moved in steps["unmasked_moved"])
    assert steps["causal_moved"][:5] == [0] * 5
    assert 2.5e-5 < min(steps["wrong_axis_moved"]) < 2.7e-5
    assert steps["renormalised_stays"] == [1, 1, 1, 1, 1, 0]
    assert (steps["two_ways_agree"], steps["earlier_rows_stay"]) == ([1] * 6, [1] * 6)
    plain = run("leakage", "--quiet").stdout
    for option in ("--seed=1", "--d-out=3", "--qkv-bias"):
        assert run("leakage", "--quiet", option).stdout != plain, option
    alone = run("leakage", "--input=-", stdin='{"tokens": ["a"], "embeddings": [[0.9, 0.1]]}')
    assert (alone.returncode, alone.stderr) == (0, "")
    assert "[[0.1, 0.9]])" in alone.stdout


def test_quiet_prints_nothing_but_tensors():
    text = run("causal", "--quiet", "--step", "mask_simple", "--step", "row_sums").stdout
    assert text.startswith("tensor([[1., 0., 0."), text
    assert ">>>" not in text
    assert text.count("tensor(") == 2


def test_a_window_of_rows_is_printed_and_exports_stay_whole():
    step = ("causal", "--step", "mask_simple")
    plain = run(*step, "--quiet").stdout.splitlines()
    for window, (first, second) in {
        "2:4": (2, 3),
        "-2:": (4, 5),
        "-6:-4": (0, 1),
        ":2": (0, 1),
        "4:99": (4, 5),
    }.items():
        rows = [line.strip("tensor()[], ") for line in (plain[first], plain[second])]
        answer = run(*step, "--quiet", "--rows", window)
        assert (answer.returncode, answer.stderr) == (0, "")
        assert answer.stdout == f"tensor([[{rows[0]}],\n        [{rows[1]}]])\n", window
        assert f">>> print(mask_simple[{window}])\n{answer.stdout}" in run(*step, f"--rows={window}").stdout
    assert "print(attn_weights[..., :1, :])\n" in run("multi-head", "--rows", ":1").stdout
    whole = run("causal", "--json=-").stdout
    assert len(whole) > 1000
    assert run("causal", "--rows", "2:4", "--json=-").stdout == whole


def test_every_parameter_changes_something():
    plain = run("causal", "--quiet").stdout
    for option in (
        "--seed=1",
        "--d-out=3",
        "--qkv-bias",
        "--dropout=0.1",
        "--dropout-seed=1",
        "--dropout-rng=mkl",
        "--precision=2",
    ):
        changed = run("causal", "--quiet", option)
        assert changed.returncode == 0, changed.stderr
        assert changed.stdout != plain, option
    assert run("causal", "--quiet", "--input", "-", stdin=json.dumps(LESSON)).stdout != plain


def test_neither_threads_nor_processor_change_a_digit():
    lesson = large_lesson(150, 130)
    arguments = ("causal", "--d-out=120", "--input=-", "--json=-")
    plain = run(*arguments, stdin=lesson).stdout
    assert len(plain) > 1_000_000
    for threads in ("1", "2", "5"):
        assert run(*arguments, "--threads", threads, stdin=lesson).stdout == plain, threads
    for level in ("baseline", "v3", "v4"):
        answer = run(*arguments, stdin=lesson, ATTN_ISA=level)
        assert answer.stdout == plain or "this processor has no" in answer.stderr, level
    wrong = run("causal", ATTN_ISA="v5")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "ATTN_ISA: expected baseline, v3 or v4" in wrong.stderr


def test_every_parameter_of_the_stages_with_batches_and_heads_changes_something():
    plain = {
        "causal-batch": [],
        "multi-head-wrapper": ["--heads=3"],
        "multi-head": ["--d-out=4", "--heads=4"],
    }
    for stage, heads in plain.items():
        default = run(stage, "--quiet").stdout
        for option in (["--seed=1"], ["--d-out=6"], ["--qkv-bias"], ["--batch=3"], ["--dropout=0.5"], heads):
            changed = run(stage, "--quiet", *option)
            assert (changed.returncode, changed.stderr) == (0, "")
            assert (changed.stdout != default) == bool(option), (stage, option)
        assert run(stage, "--context-length=8").stdout != run(stage).stdout
        dropped = run(stage, "--quiet", "--dropout=0.5").stdout
        assert run(stage, "--quiet", "--dropout=0.1").stdout != dropped, stage
        for option in ("--dropout-seed=1", "--dropout-rng=mkl"):
            assert run(stage, "--quiet", "--dropout=0.5", option).stdout != dropped, (stage, option)


def test_a_longer_context_changes_no_context_vector():
    for stage in ("causal-batch", "multi-head-wrapper", "multi-head"):
        step = [stage, "--quiet", "--step", "context_vec"]
        assert run(*step, "--context-length=9").stdout == run(*step).stdout


def test_the_stages_with_batches_and_heads_compare_with_the_documents():
    for stage, digits, shapes in (
        ("causal-batch", 0, 2),
        ("multi-head-wrapper", 1, 1),
        ("multi-head", 1, 1),
        ("head-split", 4, 0),
    ):
        answer = run(stage, "compare")
        assert (answer.returncode, answer.stderr) == (0, "")
        assert answer.stdout.count("digits agree") == digits, answer.stdout
        assert len(tables(answer.stdout)) == digits + shapes, answer.stdout


def test_shapes_and_strides_are_part_of_the_session():
    text = run("multi-head").stdout
    assert ">>> queries_heads.stride()\n(12, 1, 2, 1)\n" in text
    assert ">>> print(context_vec.shape)\ntorch.Size([2, 6, 2])\n" in text
    assert "head 1     0     1     2     3     4     5\n" in text
    assert ".stride()" not in run("causal").stdout


def test_the_json_export():
    trace = json.loads(run("causal", "--json", "-").stdout)
    assert (trace["format"], trace["version"]) == ("attn-walkthrough/trace", 1)
    assert trace["tokens"] == ["Your", "journey", "starts", "with", "one", "step"]
    (stage,) = trace["stages"]
    assert stage["parameters"] == {
        "seed": 789,
        "d_in": 3,
        "d_out": 2,
        "num_heads": 1,
        "batch": 1,
        "context_length": 6,
        "qkv_bias": False,
        "dropout": 0.5,
        "dropout_seed": 123,
        "dropout_rng": "mt19937",
    }
    steps = {step["name"]: step for step in stage["steps"]}
    assert (
        list(steps) == "inputs W_query W_key W_value queries keys values attn_scores attn_weights "
        "mask_simple masked_simple row_sums "
        "masked_simple_norm mask masked attn_weights_causal dropout_example attn_weights_dropped context_vec "
        "context_vec_dropped".split()
    )
    scores = steps["attn_scores"]
    assert scores["code"] == ["attn_scores = queries @ keys.T"]
    assert (scores["op"], scores["inputs"], scores["axes"]) == (
        "matmul",
        ["queries", "keys"],
        ["query", "key"],
    )
    assert (scores["shape"], scores["dtype"], scores["grad_fn"]) == ([6, 6], "float32", "MmBackward0")
    assert scores["formula"] == "S = Q Kᵀ"
    assert steps["masked"]["data"][0][1] == "-Infinity"
    assert steps["inputs"]["data"][0] == [0.43, 0.15, 0.89]
    assert steps["mask"]["grad_fn"] is None
    assert all(step["title"] and step["note"] and step["code"] for step in stage["steps"])


def test_json_on_standard_output_stands_alone():
    answer = run("causal", "compare", "--json", "-")
    assert (answer.returncode, json.loads(answer.stdout)["version"]) == (0, 1)


def test_the_tokens_say_which_row_is_which():
    lesson = json.dumps({**LESSON, "tokens": ["你好", "\x1b[31m"]})
    assert "Rows: 0 你好, 1 \\x1b[31m\n" in run("causal", "--input", "-", stdin=lesson).stdout


def test_files_are_written_in_silence():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "trace.json")
        answer = run("causal", "--json", str(path))
        assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")
        assert path.read_text() == run("causal", "--json", "-").stdout
        assert os.listdir(folder) == ["trace.json"]
        assert on_terminal(80, "causal", "--json", str(path)) == ""
        maps = run("causal", "--heatmap", "--json", str(path))  # heat maps are only for the screen
        assert maps.stdout == run("causal", "--heatmap").stdout
        before = path.read_bytes()
        refused = run("causal", "--input", str(path), "--json", str(path))
        assert (refused.returncode, path.read_bytes()) == (2, before)


def test_no_terminal_is_sent_bytes():
    for suffix in (".npz", ".safetensors"):
        said = on_terminal(80, "causal", "--out", f"-{suffix}")
        assert f"--out: a terminal cannot show {suffix}; give a file" in said.replace("\n", " ")
        assert (
            len(subprocess.run([PROGRAM, "causal", "--out", f"-{suffix}"], capture_output=True).stdout) > 1000
        )


def test_a_comparison_is_exported():
    tables = json.loads(run("causal", "compare", "--json=-").stdout)["tables"]
    text = run("causal", "compare").stdout
    assert [f"{one['document']} {one['step']}" for one in tables] == [
        " ".join(line.split()[:2]) for line in text.split("\n\n")[0].splitlines()
    ]
    for one in tables:
        assert (one["agrees"], one["digits"], one["first_difference"]) == (True, one["digits_agreeing"], None)
        assert one["largest_difference"] <= 5.1e-05
    assert tables[0]["parameters"] == {"seed": 789, "d_out": 2, "qkv_bias": False}


def test_tables_that_a_parameter_does_not_change_are_no_success():
    answer = run("causal", "compare", "--seed=5")
    assert (answer.returncode, answer.stderr) == (1, "")
    assert (
        "These tables do not depend on --seed 5; tables that do were printed with other values."
        in " ".join(answer.stdout.split())
    )
    for arguments in ([], ["--seed=123"], ["--dropout-rng=mkl"], ["--seed=789", "--d-out=2"]):
        answer = run("causal", "compare", *arguments)
        assert answer.returncode == 0, arguments
        assert "With other parameters the documents print:" in answer.stdout
        assert "  000  the section on causal attention" in answer.stdout


def test_tokens_stay_whole_in_json():
    tokens = ["\x1b[31m", "</script>"]
    lesson = json.dumps({**LESSON, "tokens": tokens})
    assert json.loads(run("causal", "--input", "-", "--json", "-", stdin=lesson).stdout)["tokens"] == tokens


def test_one_token_of_one_number():
    answer = run("causal", "--input", "-", stdin='{"tokens": ["a"], "embeddings": [[0.5]]}')
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "tensor([[1.]], grad_fn=<SoftmaxBackward0>)" in answer.stdout


def test_a_closed_pipe_ends_quietly():
    answer = subprocess.run(["sh", "-c", f"'{PROGRAM}' causal | head -n 1"], capture_output=True, text=True)
    assert (answer.stdout.count("\n"), answer.stderr) == (1, "")
