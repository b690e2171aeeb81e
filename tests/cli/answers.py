"""The program's answers, and its exit codes."""

import json
import os
import re
import shlex

import numpy as np
import pytest

from program import LESSON, REFERENCES, ok, on_terminal, run, stages, steps, trace


def tables(text):
    """Returns the lines of a comparison that are about tables."""
    return text.split("\n\n")[0].splitlines()


def test_the_row_whose_softmax_is_looked_into_can_be_chosen():
    shown = "linear --backward --quiet --step=softmax_jacobian --step=jacobian_agrees".split()
    usual, journey, last = (ok(*shown, *focus) for focus in ([], ["--focus=journey"], ["--focus=5"]))
    assert usual == journey != last
    assert "tensor(1.)" in usual and "tensor(1.)" in last


def test_version_and_list():
    build = r"attn-walkthrough \d+\.\d+\.\d+\n\w+ build by (GNU|\w*Clang) [\d.]+ for \w+, running at level "
    assert re.fullmatch(rf"{build}(baseline|v3|v4)\n", ok("--version"))
    assert re.fullmatch(rf"{build}baseline\n", ok("--version", ATTN_ISA="baseline"))
    groups = [group.splitlines() for group in ok("list").split("\n\n")]
    counts = {group[0]: sum(not line.startswith(" ") for line in group[1:]) for group in groups[:3]}
    assert [*counts] == ["Stages of the documents:", "Different views of these stages:", "Further topics:"]
    assert sum(counts.values()) == len(stages("all"))
    assert groups[0][1].startswith("encoder-decoder "), groups[0]  # in the order of the book


def test_the_causal_walk_has_five_headings_and_ends_with_what_to_try(tmp_path):
    text = ok("causal")
    assert len(re.findall(r"(?m)^── .* ──$", text)) == 5
    for heading, step in (
        ("Why mask", "9/20 · attn_weights"),
        ("-inf and one softmax", "14/20 · mask"),
        ("Dropout and the result", "17/20 · dropout_example"),
    ):
        assert re.search(rf"\n── {heading} ──\n\n.*\[.*\].*\ncausal {step}\n", text), heading
    assert "\nErrata in the documents: 3; attn-walkthrough errata causal shows them.\nTry next: " in text
    advice = " ".join(text.split("Try next: ")[1].split())
    for command in re.findall(r"attn-walkthrough (.*?)(?= for| to|\.\n)", advice):
        assert run(*shlex.split(command), cwd=tmp_path).returncode < 2, command


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_first_steps_have_a_title_a_note_and_a_formula(language):
    for step in re.split(r"(?m)^causal \d+/20 · ", ok("causal --no-map --lang", language))[1:9]:
        name, title, *note = step.split("\n>>> ")[0].splitlines()
        assert title and note and (any(" = " in line for line in note) or name == "inputs"), step


def test_a_chosen_step_is_its_table_and_the_lines_before_are_asked_for():
    text = ok("causal --step=masked")
    assert re.findall(r"(?m)^>>> (.*)$", text) == [
        "masked = attn_scores.masked_fill(mask.bool(), -torch.inf)", "print(masked)"
    ]  # fmt: skip
    assert text.endswith("\nWith --code torch, the lines before this one are shown, too.\n")
    assert ok("numpy --step=masked").endswith(
        "\nWith --code numpy, the lines before this one are shown, too.\n"
    )
    assert ">>> generator = torch.manual_seed(789)\n" in ok("causal --step=masked --code=torch")
    table = ok("causal --quiet --step mask_simple --step row_sums")
    assert table.startswith("tensor([[1., 0., 0.") and ">>>" not in table and table.count("tensor(") == 2


@pytest.mark.parametrize("command, digits, lines", [
    ("causal", 14, 14), ("causal --seed 123", 5, 5), ("causal --dropout-rng mkl", 14, 14),
    ("causal --seed=789 --d-out=2", 14, 14), ("causal-self-attention", 1, 5),
    ("numpy", 0, 3), ("causal-batch", 0, 2),
    ("multi-head-wrapper", 1, 2), ("multi-head", 1, 2), ("head-split", 4, 4),
    ("all --step=attn_weights_causal", 3, 3),
])  # fmt: skip
def test_printed_tables_are_compared(command, digits, lines):
    text = ok("compare", *command.split())
    assert (text.count("digits agree"), len(tables(text))) == (digits, lines), text


def test_every_printed_table_is_compared():
    printed = sum(len(json.loads(file.read_text())["tables"]) for file in REFERENCES.glob("*.json"))
    assert printed == len(tables(ok("all compare"))) == 51


def test_tables_that_a_parameter_does_not_change_are_no_success():
    words = "These tables do not depend on --seed 5. The other tables were printed with other values."
    assert words in " ".join(ok("causal compare --seed=5", code=1).split())
    text = ok("causal compare")
    assert "With other parameters, the documents print:" in text
    assert "  000  the section on causal attention" in text


def test_a_comparison_is_exported():
    ours = json.loads(ok("causal compare --json=-"))["tables"]
    names = [" ".join(line.split()[:2]) for line in tables(ok("causal compare"))]
    assert [f"{one['document']} {one['step']}" for one in ours] == names
    for one in ours:
        assert (one["agrees"], one["digits"], one["first_difference"]) == (True, one["digits_agreeing"], None)
        assert one["largest_difference"] <= 5.1e-05
    assert ours[0]["parameters"] == {"seed": 789, "d_out": 2, "qkv_bias": False}


def test_a_cell_is_explained_in_text_and_as_a_tree():
    text = ok("causal explain context_vec[journey][0] --depth=9")
    assert "context_vec[1][0] = 0.5517*(-0.0872) + 0.4483*(-0.1137) = -0.0991\n" in text
    assert text == ok("causal explain context_vec[1][-2] --depth=9")
    assert "-0.099069" in ok("causal explain context_vec[1][0] --precision=6")
    tree = json.loads(ok("causal explain context_vec[1][0] --depth=9 --json=-"))
    assert (tree["format"], tree["version"], tree["stage"]) == ("attn-walkthrough/explanation", 1, "causal")
    root, explained, named = tree["explanation"], set(), 0
    assert (root["step"], root["index"], root["tokens"]) == ("context_vec", [1, 0], ["journey", None])
    assert root["from"][0]["lines"][-1]["shown"] == "1 / 1.8127 = 0.5517"

    def visit(cell):  # a cell is explained once, and named from then on
        nonlocal named
        key = (cell["step"], *cell["index"])
        named += "lines" not in cell
        assert (key in explained) == ("lines" not in cell), key
        explained.add(key)
        for one in cell.get("from", []):
            visit(one)

    visit(root)
    assert named > 5


def test_code_is_shown_in_the_language_asked_for():
    for stage, language in (("causal", "torch"), ("numpy", "numpy")):
        assert ok(stage) == ok(stage, "--code", language)
    plain = steps("causal")
    for language, line in {
        "torch": "\n>>> context_vec = attn_weights_causal @ values\n>>> print(context_vec)\n",
        "numpy": "\n>>> context_vec = attn_weights_causal @ values\n"
        ">>> print(torch.from_numpy(np.float32(context_vec)))\n",
        "cpp": "\n    const auto context_vec = matmul(attn_weights_causal, values);\n"
        "    std::cout << tensor_text(context_vec) << '\\n';\n\ntensor(",
    }.items():
        assert line in ok("causal --code", language)
        stage = trace("causal --code", language)
        assert stage["language"] == language
        assert {step["name"]: step["data"] for step in stage["steps"]} == plain
        # Only PyTorch has autograd.
        assert any(step["grad_fn"] for step in stage["steps"]) == (language == "torch")
        assert ("grad_fn" in ok("causal --quiet --code", language)) == (language == "torch")
    assert "tensor_text(inputs, {}, {6})" in ok("causal --code=cpp --precision=6")
    assert [stage["language"] for stage in stages("causal numpy --code cpp")] == ["cpp", "cpp"]
    text = ok("numpy", f"--seed={2**32 + 123}")
    assert ">>> import numpy as np\n>>> import torch\n" in text
    assert f">>> np.random.seed({2**32 + 123} % 2**32)" in text


def test_a_stage_that_draws_its_input_has_one_width():
    for options, width in (([], 512), (["--d-out=16"], 16)):
        p = trace("causal-self-attention", *options)["parameters"]
        assert (p["d_in"], p["d_out"], p["context_length"]) == (width, width, 1024)


def test_a_stage_keeps_its_own_where_it_does_not_use_an_option():
    causal, numpy = stages("causal numpy --dropout=0.25 --d-out=3")
    assert (causal["parameters"]["dropout"], causal["parameters"]["d_out"]) == (0.25, 3)
    assert numpy["parameters"]["dropout"] == 0.0
    assert numpy == trace("numpy --d-out=3")
    lengths = stages("causal-batch numpy --context-length=9")
    assert [stage["parameters"]["context_length"] for stage in lengths] == [9, 5]


def test_a_window_of_rows_is_printed_and_exports_stay_whole():
    step = "causal", "--step", "mask_simple"
    plain = ok(*step, "--quiet").splitlines()
    for window, first in {"2:4": 2, "-2:": 4, "-6:-4": 0, ":2": 0, "4:99": 4}.items():
        rows = [line.strip("tensor()[], ") for line in plain[first : first + 2]]
        table = f"tensor([[{rows[0]}],\n        [{rows[1]}]])\n"
        assert ok(*step, "--quiet", "--rows", window) == table
        assert f">>> print(mask_simple[{window}])\n{table}" in ok(*step, f"--rows={window}")
    assert "print(attn_weights[..., :1, :])\n" in ok("multi-head --rows :1")
    assert trace("causal --rows 2:4") == trace("causal")


def test_the_json_export():
    whole = json.loads(ok("causal --json -"))
    assert (whole["format"], whole["version"]) == ("attn-walkthrough/trace", 1)
    assert whole["tokens"] == "Your journey starts with one step".split()
    (stage,) = whole["stages"]
    assert stage["parameters"] == dict(
        seed=789, d_in=3, d_out=2, num_heads=1, batch=1, context_length=6, qkv_bias=False, dropout=0.5,
        dropout_seed=123, dropout_rng="mt19937",
    )  # fmt: skip
    found = {step["name"]: step for step in stage["steps"]}
    assert " ".join(found) == (
        "inputs W_query W_key W_value queries keys values attn_scores attn_weights mask_simple masked_simple "
        "row_sums masked_simple_norm mask masked attn_weights_causal dropout_example attn_weights_dropped "
        "context_vec context_vec_dropped"
    )
    expected = dict(
        code=["attn_scores = queries @ keys.T"], op="matmul", inputs=["queries", "keys"], shape=[6, 6],
        axes=["query", "key"], dtype="float32", grad_fn="MmBackward0", formula="S = Q Kᵀ",
    )  # fmt: skip
    assert found["attn_scores"] | expected == found["attn_scores"]
    assert found["masked"]["data"][0][1] == "-Infinity"
    assert found["inputs"]["data"][0] == [0.43, 0.15, 0.89]
    assert found["mask"]["grad_fn"] is None
    assert all(step["title"] and step["note"] and step["code"] for step in stage["steps"])


def test_files_are_written_in_silence(tmp_path):
    path = tmp_path / "trace.json"
    assert ok("causal --json", path) == ""
    assert path.read_text() == ok("causal --json -")
    assert os.listdir(tmp_path) == ["trace.json"]
    assert on_terminal(200, "causal", "--json", path) == f"wrote {path} (26 kB)\n"
    # Heat maps are only for the screen.
    assert ok("causal --heatmap --json", path) == ok("causal --heatmap")


def test_no_terminal_is_sent_bytes():
    for suffix in (".npz", ".safetensors"):
        words = f"--out: a terminal cannot show {suffix}; give a file"
        assert words in on_terminal(80, "causal", "--out", f"-{suffix}").replace("\n", " ")
        assert len(run("causal --out", f"-{suffix}", stdin=b"", encoding=None).stdout) > 1000


def test_a_batch_of_own_tokens_is_one_unless_more_are_asked_for():
    for stage in ("causal-batch", "multi-head", "multi-head-wrapper"):
        for arguments, batch in (([], 2), (["--input=-"], 1), (["--input=-", "--batch=3"], 3)):
            p = trace(stage, *arguments, stdin=json.dumps(LESSON) if batch != 2 else "")["parameters"]
            assert p["batch"] == batch, (stage, arguments)


def test_errata_are_of_the_documents_numbers():
    assert ok("errata kv-cache") == "No errors are known in the documents of these stages.\n"
    for arguments, count in (([], 1), (["--input=-"], 0), (["--input=-", "--out=-.md"], 0)):
        text = ok("multi-head-wrapper", *arguments, stdin=json.dumps(LESSON))
        assert text.count("Errat") == count, arguments


def test_every_explanation_is_also_json():
    def answer(*words):
        tree = json.loads(ok("explain", *words, "--json=-"))
        assert (tree["format"], tree["version"]) == ("attn-walkthrough/explanation", 1)
        return tree["explanation"]

    notion = answer("softmax")["notions"][0]
    text = ok("explain softmax")
    assert text.startswith(notion["title"] + "\n") and notion["formula"] in text
    assert notion["text"].split() == text.split("\n\n")[0].split()[1:]
    assert f"attn-walkthrough {notion['stage']} --step {notion['step']}" in text
    assert [one["notion"] for one in answer("query and key")["notions"]] == ["query", "key"]
    cells = answer("0.5517")["cells"]
    for one in cells:
        assert f"explain {one['stage']} '{one['cell']}'\n" in ok("explain 0.5517")
    assert len(answer("1.0")["cells"]) > len(cells) > 1
    for words in ("causal context_vec_dropped", "numpy", "step 5", "difference between v1 and v2"):
        trace = json.loads(ok("explain", words, "--json=-"))
        assert trace["format"] == "attn-walkthrough/trace" and trace["stages"][-1]["steps"]


def test_every_number_in_scientific_notation_is_found_as_it_is_printed():
    found = 0
    for stage in ("scaling", "grouped-query", "training-step"):
        numbers = {*re.findall(r"-?\d\.\d+e[-+]\d\d", ok(stage, "--quiet"))}
        for number in [*sorted(numbers)[:3], *sorted(numbers)[-3:]]:
            cells = json.loads(ok("explain", stage, number, "--json=-"))["explanation"]["cells"]
            for one in cells:
                name, *index = re.split(r"[\[\]]+", one["cell"].rstrip("]"))
                value = float(np.array(steps(one["stage"])[name])[tuple(map(int, index))])
                assert f"{value:.4e}" == number, one
            found += len(cells) > 0
    assert found >= 12


def test_a_number_is_looked_for_in_a_named_step():
    found = json.loads(ok("explain causal attn_weights_causal 0.5517 --json=-"))["explanation"]["cells"]
    assert found == [{"stage": "causal", "cell": "attn_weights_causal[1][0]"}]


def test_all_in_a_question_does_not_mean_all_stages():
    for question in ("why is row 0 all zeros", "why are they all equal"):
        assert f'there is no entry for "{question}"' in run("explain", question).stderr
    assert ok("explain all stages") == ok("explain all")


def test_a_step_that_an_option_adds_can_be_named(tmp_path):
    for step in ("b_value", "causal b_value"):
        numbers = ok(*step.split(), "--qkv-bias", "--quiet")
        (tmp_path / "mine.txt").write_text(numbers)
        for command in ("compare", "diagnose"):
            said = ok(command, *step.split(), "mine.txt", "--qkv-bias", cwd=tmp_path)
            assert "right" in said.split("\n")[0], said
        assert "b_value = W_value_layer.bias" in run("quiz --qkv-bias", *step.split()).stdout
        assert "b_value = W_value_layer.bias" in ok("exercises --qkv-bias", *step.split())
    assert "have the same numbers" in ok("compare causal b_value b_value --qkv-bias")
    (tmp_path / "row.txt").write_text(ok("multi-head row_by_jacobian --backward --quiet"))
    said = ok("compare multi-head row_by_jacobian row.txt --backward", cwd=tmp_path)
    assert "right" in said.split("\n")[0], said
    assert 'no stage or command "keyz"' in run("keyz --heads 3 --d-out 4").stderr


@pytest.mark.parametrize("stage, step", [
    ("head-split", "same_numbers"), ("linear", "v1_agrees"), ("leakage", "renormalised_stays"),
    ("training-step", "loss_3_grad"),
])  # fmt: skip
def test_the_whole_of_a_named_step_agrees_however_few_its_numbers(stage, step):
    numbers = ok(stage, step, "--quiet")
    for command in (f"compare {stage} {step} -", f"diagnose {stage} - --as {step}"):
        assert "right" in ok(command, stdin=numbers).split("\n")[0]
        wrong = run(command, stdin=numbers.replace("1.", "3."))
        assert wrong.returncode == 1, wrong
    assert "cannot tell" in ok(f"diagnose {stage} -", stdin=numbers, code=1)


def test_the_number_of_key_heads_fits_the_heads():
    for heads, fitting in ((1, 1), (2, 2), (3, 1), (4, 2), (6, 2)):
        sizes = ("--heads", str(heads), "--d-out", str(2 * heads), "--quiet")
        assert ok("grouped-query", *sizes) == ok("grouped-query", *sizes, "--kv-heads", str(fitting))
