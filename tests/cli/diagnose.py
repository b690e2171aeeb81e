"""diagnose as a person uses it: pasted text, the answers, and the exit codes."""

import json
import random
import re
import struct
import zipfile

import numpy as np
import pytest

from program import ok, own_weights, refuses, run, stages, steps

# Exercise 3.2 in its public answer: softmax over the queries.
WRONG_AXIS = (
    "tensor([[[-9.1476e-02, 3.4164e-02], [-2.6796e-01, -1.3427e-03], [-4.8421e-01, -4.8909e-02], "
    "[-6.4808e-01, -1.0625e-01], [-8.8380e-01, -1.7140e-01], [-1.4744e+00, -3.4327e-01]]], "
    "grad_fn=<CatBackward0>)"
)
FIELDS = "stage step piece precision mistakes parameters document erratum bits max_abs_diff line instead_of"


def saved(path, arrays):
    """Writes an .npz of float32 and returns its path."""
    np.savez(path, **{name: np.float32(array) for name, array in arrays.items()})
    return path


def weights_of(folder, weights):
    path = folder / "own.json"
    path.write_text(json.dumps(weights))
    return f"--weights={path}"


def printed(line, *more):
    return ok(f"{line} --quiet", *more)


WEIGHTS = printed("linear --step=attn_weights")
# Two numbers of the weights are different.
WRONG = WEIGHTS.replace("0.1496", "0.1596").replace("0.1571", "0.1671")


def report_of(line, *more, stdin=""):
    answer = run(f"diagnose {line} --json=-", *more, stdin=stdin)
    assert answer.returncode in (0, 1), answer.stderr
    report = json.loads(answer.stdout)
    assert (report["format"], report["version"]) == ("attn-walkthrough/diagnosis", 1)
    for tensor in report["tensors"]:
        assert all(set(match) == set(FIELDS.split()) for match in tensor["matches"])
    return answer.returncode, report


def diagnosed(text, line="", *more):
    code, report = report_of(f"- {line}", *more, stdin=text)
    return code, report["tensors"]


def check(text, line, code, /, *more, **expected):
    """Checks the exit code, and fields of the only tensor, its first match and the match's parameters."""
    returned, (tensor,) = diagnosed(text, line, *more)
    match = (tensor["matches"] or [{"parameters": {}}])[0]
    found = tensor | match["parameters"] | match
    assert (returned, {name: found[name] for name in expected}) == (code, expected), text
    return tensor


def said(text, line="", *more):
    """Returns the exit code and the answer for people, in one line."""
    answer = run(f"diagnose - {line}", *more, stdin=text)
    return answer.returncode, answer.stdout.replace("\n", " ")


def test_a_right_table_is_named():
    assert run("diagnose -", stdin=WEIGHTS).stdout == (
        "line 1, shape (6, 6): right\nThis is attn_weights of linear.\n"
        "These are also the numbers of attn_weights of causal.\n"
        "If the weights should be causal, the mask is missing: here each token also sees\n"
        "the tokens after it.\n"
    )


# PyTorch 2 prints cos[1][1] as 1.0000, and other names of grad_fn.
PRINTED_BY_1_13 = [
    ("cos of rotary", "[[1.0000, 1.0000], [0.5403, 0.9999], [-0.4161, 0.9998], [-0.9900, 0.9996], "
                      "[-0.6536, 0.9992], [0.2837, 0.9988]]"),
    ("attn_scores_2 of trainable", "[1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440], "
                                   "grad_fn=<SqueezeBackward3>"),
    ("keys_repeated of grouped-query", None),
]  # fmt: skip


@pytest.mark.parametrize("step, numbers", PRINTED_BY_1_13)
def test_a_table_that_pytorch_1_13_printed_is_right(step, numbers):
    name, stage = step.split(" of ")
    text = printed(f"{stage} --step={name}") if numbers is None else f"tensor({numbers})"
    text = text.replace("ViewBackward0", "IndexSelectBackward0")
    answer = run("diagnose -", stdin=text)
    assert answer.returncode == 0 and f": right\nThis is {step}." in answer.stdout, answer.stdout


# Gradients that PyTorch 2.14 printed. It rounds softmax's gradient for 9 tokens differently.
NINE_TOKENS = [[0.3, 0.5], [1.0, 0.7], [-0.2, 0.3], [0.0, 0.5], [-0.5, 0.6], [-0.5, 0.9], [0.7, 0.3],
               [-0.5, -0.1], [-0.7, 0.7]]  # fmt: skip
PRINTED_BY_2_14 = [
    # Tokens in a different order would give exactly these numbers.
    ("W_key_grad", "--seed=4",
     "[[7.0171e-02, 3.8142e-04], [-3.3328e-01, -2.6701e-03], [-5.4484e-01, -3.1653e-03]]",
     "The largest difference is "),
    ("b_key_grad", "--seed=2 --qkv-bias", "[-1.1176e-08, -3.7253e-08, 2.6077e-08]",
     "The right gradient is 0 up to rounding."),
]  # fmt: skip


@pytest.mark.parametrize("step, options, numbers, why", PRINTED_BY_2_14)
def test_a_gradient_that_pytorch_2_14_printed_is_right_up_to_rounding(tmp_path, step, options, numbers, why):
    lesson = tmp_path / "lesson.json"
    lesson.write_text(json.dumps({"tokens": [*"abcdefghi"], "embeddings": NINE_TOKENS}))
    options = (f"linear --d-out=3 --backward {options}", f"--input={lesson}")
    code, answer = said(f"tensor({numbers})", *options)
    assert code == 0 and ": right up to rounding " in answer, answer
    assert f"This is {step} of linear with" in answer and why in answer, answer
    assert said(f"tensor({numbers})".replace("e-0", "e+0"), *options)[0] == 1


@pytest.mark.parametrize("label, step, answer", [
    ("keys = ", "linear queries", "These are queries of linear, not keys. Was W_query used?"),
    ("self.keys = ", "linear queries", ""),
    ("W_query.weight = ", "linear W_value", "These are W_value of linear, not W_query."),
    ("attn_weights = ", "linear attn_scores", "These are attn_scores of linear, not attn_weights."),
    ("attn_weights_causal = ", "causal attn_weights", ""),
    ("masked_simple_norm = ", "causal masked_simple", ""),
    ("dropout(attn_weights): ", "causal attn_weights_causal",
     "These are attn_weights_causal of causal, not attn_weights_dropped."),
    ("keys = ", "linear keys", None),
    # The book gives the weights this name both before and after the mask.
    ("attn_weights = ", "causal attn_weights_causal", None), ("attn_scores = ", "causal masked", None),
    ("query_3 = ", "linear queries --rows 2:3", None),
])  # fmt: skip
def test_a_label_names_the_step_that_the_answer_is_about(label, step, answer):
    stage, step = step.split(maxsplit=1)
    code, text = said(label + printed(f"{stage} --step {step}"), stage)
    assert code == (answer is not None) and (answer or "") in text


def test_a_stage_that_was_not_chosen_is_searched_last():
    line = "multi-head-wrapper --step context_vec"
    code, text = said(printed(line), "multi-head")
    assert code == 1 and text.startswith(
        "line 1, shape (2, 6, 4): a different stage The chosen stages do not"
    )
    assert "This is context_vec of multi-head-wrapper." in text
    code, text = said(WRONG_AXIS, "causal")
    assert code == 1 and "multi-head-wrapper" in text and "softmax-wrong-axis" in text
    assert "not recognised" in said(printed(line), "multi-head --as context_vec")[1]


SEEDS = "--seed=124 --dropout-seed=7"
MKL = "causal --dropout=0.2 --dropout-rng=mkl"
BACK = "causal --backward --dropout=0 --step"


@pytest.mark.parametrize("made, line, code, expected", [
    ("multi-head --step=context_vec", "multi-head --dropout=0.5", 1, {"mistakes": ["dropout-left-out"]}),
    ("causal --seed=123 --step=attn_weights_causal", "causal --seed=789", 1,
     {"mistakes": ["other-seed"], "seed": 123}),
    ("causal --seed=123 --step=attn_weights_causal", "causal --seed=123", 0, {}),
    ("causal --d-out=4 --step=context_vec", "causal", 1, {"d_out": 4}),
    ("causal --qkv-bias --step=queries", "causal", 1, {"qkv_bias": True}),
    ("causal --qkv-bias --step=queries", "causal --qkv-bias", 0, {}),
    *((f"causal --step=attn_weights_dropped {options}", "causal", 0, {"mistakes": [], "document": document})
      for options, document in (("--seed=123", "004"), ("--dropout-rng=mkl", "002"), ("", "000"))),
    (f"causal --step=attn_weights_dropped {SEEDS}", f"causal {SEEDS}", 0, {"document": None}),
    (f"{MKL} --step=attn_weights_dropped", "causal --dropout=0.2", 0, {"mistakes": [], "dropout_rng": "mkl"}),
    (f"{MKL} --step=attn_weights_dropped", "causal --dropout=0.2 --dropout-rng=mt19937", 1,
     {"mistakes": ["dropout-other-rng"]}),
    ("multi-head --step=context_vec --d-out=4", "multi-head", 1, {}),
    ("multi-head --step=context_vec --d-out=4", "multi-head --d-out=4", 0, {}),
    ("multi-head --step=context_vec --d-out=4", "multi-head --heads=1", 1, {}),
    ("multi-head --step=context_vec --d-out=4", "multi-head --batch=3", 1, {}),
    ("multi-head --step=context_vec --d-out=4", "multi-head --batch=3 --d-out=4", 0, {}),
    # The last seed that is searched is 10000.
    *(row for seed in (4711, 10000) for row in (
        (f"causal --step=attn_weights_causal --seed={seed}", "causal", 1, {"matches": []}),
        (f"causal --step=attn_weights_causal --seed={seed}", "causal --search-seeds", 1, {"seed": seed}))),
    ("linear --seed=123 --qkv-bias --step=attn_weights", "", 1,
     {"mistakes": [], "seed": 123, "qkv_bias": True}),
    ("multi-head-wrapper --d-out=1 --step=context_vec", "", 0, {"mistakes": [], "erratum": None}),
    (f"{BACK}=keys_grad --precision=6", "causal --dropout=0 --backward", 0,
     {"step": "keys_grad", "mistakes": []}),
    (f"{BACK}=W_query_grad", "causal --backward", 0, {"step": "W_query_grad"}),
])  # fmt: skip
def test_what_was_printed_with_other_parameters(made, line, code, expected):
    check(printed(made), line, code, **expected)


def test_a_different_parameter_is_told():
    code, text = said(printed("causal --qkv-bias --step=queries"), "causal")
    assert (
        "right, but with a different parameter These numbers are for qkv_bias=True, but causal uses False. "
        "This is queries of causal with --qkv-bias." in text
    )
    seed = printed("causal --step=attn_weights_causal --seed=123")
    assert "with --seed 123, as document 004 prints it." in said(seed, "causal")[1]
    assert "torch.manual_seed(123)" in check(seed, "causal --seed=789", 1)["matches"][0]["line"]


def test_of_several_lines_with_a_seed_the_one_before_the_step_is_shown():
    shown = ok("causal", "--quiet", "--step", "dropout_example", "--dropout-seed", "7")
    match = check(shown, "causal", 1)["matches"][0]
    assert (match["line"], match["instead_of"]) == (
        "generator = torch.manual_seed(7)",
        "generator = torch.manual_seed(123)",
    )


def test_rounding_is_right_and_few_digits_decide_nothing():
    def verdict(text):
        answer = run("diagnose - causal", stdin=text)
        return answer.returncode, answer.stdout.split("\n")[0].split(": ")[1]

    def each(change, step="queries"):
        return json.dumps([[change(x) for x in row] for row in values[step]])

    values = steps("causal")
    assert verdict(WEIGHTS.replace("0.1921", "0.1922")) == (1, "a mistake")
    moved = np.array(values["queries"]) * [1 + 3e-6, 1 - 3e-6]
    assert verdict(json.dumps(moved.tolist())) == (0, "right up to rounding")
    halves = each(lambda x: float(np.float16(x)))
    check(halves, "causal", 0, precision="float16")
    assert verdict(halves.replace("-", "", 1))[0] == 1
    assert verdict(each(lambda x: float(np.float32(round(x, 2)))))[0] == 0
    assert verdict(each(lambda x: round(x, 1), "context_vec")) == (1, "cannot tell")
    heads = np.array(steps("multi-head-wrapper", "--heads=4")["context_vec"])
    heads[..., ::2] *= 1 + 2e-6
    text = json.dumps(heads.tolist())
    check(text, "multi-head-wrapper", 1, mistakes=["other-heads"], precision="float32")


def test_a_mask_is_right_beside_outputs_of_another_seed():
    outputs = [printed(f"causal --seed=42 --step={step}") for step in ("attn_weights", "mask_simple")]
    code, text = said("\n".join(outputs))
    assert code == 1 and "other-seed" in text and "right, mask_simple of causal" in text, text


def test_one_wrong_number_among_larger_ones_is_not_rounding():
    table = printed("scaling --step score_sizes --precision 6")
    code, text = said(table.replace("0.636994", "0.666994"), "scaling")
    assert "0.636994" in table and code == 1 and "mistyped" in text


def test_large_numbers_do_not_excuse_a_wrong_small_one():
    code, text = said(printed("streaming --step times_less").replace("1.0000", "1.0050"))
    assert code == 1 and "mistyped" in text


def test_a_wrong_number_that_another_stage_has_by_chance_is_not_right():
    scores = printed("trainable --step=attn_scores_2")
    assert diagnosed(scores + printed("trainable --step=attn_score_22"))[0] == 0
    assert diagnosed(scores + "tensor(1.5524)\n")[0] == 1


def test_a_large_number_of_another_row_does_not_excuse_a_wrong_one(tmp_path):
    rows = [[3000.0, 0.1, -1.0], [0.5, 0.8, 0.3]]
    path = tmp_path / "in.json"
    path.write_text(json.dumps(rows))
    wrong = [rows[0], [0.5, 0.81, 0.3]]
    assert diagnosed(json.dumps(rows), f"simplified --as=inputs --input={path}")[0] == 0
    assert diagnosed(json.dumps(wrong), f"simplified --as=inputs --input={path}")[0] == 1


def test_equal_tensors_are_answered_once():
    assert len(diagnosed("\n".join(["[[-0.5, 0.5]]"] * 200))[1]) == 200


@pytest.mark.parametrize("line, count", [("all --backward", 60), ("causal", 3)])
def test_the_search_for_many_different_tensors_ends_and_finds_the_right_one(line, count):
    rng = random.Random(3)
    tensors = [[[round(rng.uniform(-1, 1), 4) for _ in range(3)] for _ in range(4)] for _ in range(count)]
    text = "".join(f"t{i} = {rows}\n\n" for i, rows in enumerate(tensors))
    code, (*unknown, right) = diagnosed(text + WEIGHTS, line)
    assert (code, len(unknown), right["matches"][0]["step"]) == (1, count, "attn_weights")
    assert [tensor["matches"] for tensor in unknown] == [[]] * count
    assert line == "causal" or all("pairs" in tensor["not_tried"] for tensor in unknown)


def test_transposed_numbers_are_not_a_right_line_of_another_stage():
    masked = np.array(steps("causal-batch")["masked"], dtype=float).swapaxes(-1, -2)
    check(str(masked.round(4).tolist()), "", 1, step="masked", mistakes=["transposed"])


def test_a_likely_mistake_in_a_short_stage_is_tried_before_long_stages():
    reversed_row = "0.1510 0.1721 0.1550 0.1652 0.1646 0.1921"
    check(reversed_row, "", 1, step="attn_weights", piece="[5]", mistakes=["inputs-reordered"])


# Also the steps that show a mistake on purpose: what a stage prints of them is what it computes.
@pytest.mark.parametrize("stage", [stage["name"] for stage in stages("all")] + ["multi-head --all-heads"])
def test_every_printed_step_of_a_stage_is_right_in_this_stage(stage):
    code, tensors = diagnosed(ok(stage), stage.split()[0])
    assert code == 0 and len(tensors) > 4
    assert not [one["label"] for one in tensors if one["matches"] and one["matches"][0]["mistakes"]]


def test_gradients_are_looked_for_where_one_is_named_so():
    named = "keys.grad:\n" + printed(f"{BACK}=keys_grad --precision=6")
    for line in ("", "causal"):
        check(
            named, line, diagnosed(named, line)[0], stage="causal", step="keys_grad", mistakes=[], dropout=0
        )
    check("[[0.1921, 0.1646], [0.2, 0.3]]", "causal --dropout=0 --backward", 1)
    text = ok("causal --backward --precision=8")
    pasted = text[text.index(">>> print(keys.grad)") :].split("\n\n")[0]
    check(pasted, "causal", 0, step="keys_grad", backward=True)
    assert "This is keys_grad of causal with --backward" in said(pasted, "causal")[1]
    twice = re.sub(r"-?\d+\.\d+", lambda number: f"{2 * float(number[0]):.4f}", pasted)
    check(twice, "causal", 1, mistakes=["gradient-not-zeroed"])


def test_stages_that_the_parameters_do_not_fit_are_left_out():
    check(WEIGHTS, "--d-out=2", 0, step="attn_weights")
    line = "diagnose causal-self-attention - --d-out=2"
    refuses(line, stdin=WEIGHTS, message="8 heads do not divide")


def test_weights_of_ones_own(tmp_path):
    rows = [[0.5, 0.25, 0.125], [0.75, 0.5, 0.25]]
    weights = weights_of(tmp_path, own_weights(rows))
    values = printed("causal --step=values", weights)
    tensor = check(values, "", 0, weights, mistakes=[])
    # trainable has a different layout
    assert {"head-split", "trainable"}.isdisjoint(match["stage"] for match in tensor["matches"])
    check(values, "", 1)  # no seed gives these numbers
    check(values, "causal", 0, weights)
    weights = weights_of(tmp_path, {"another": rows})
    message = "--weights: these weights match no stage; name a stage to see what it needs."
    refuses("diagnose -", weights, stdin=values, message=message)


def test_several_tensors_and_the_worst_decides():
    code, tensors = diagnosed(WEIGHTS + "\nsome prose\n\nx = tensor([[1., 2.], [3., 4.]])\n")
    assert (code, len(tensors), tensors[1]["name"], tensors[1]["place"]) == (1, 2, "x", "line 11")
    assert diagnosed(WEIGHTS.replace("0.1529", "0.1529B"))[0] == 1  # this row is not read
    # The nearest step of the first tensor is a bias, which the usual walk does not have.
    code, tensors = diagnosed("x = tensor([0.4058, 0.2500])\n\ntensor([[9., 8.], [7., 6.]])", "causal")
    assert (code, tensors[0]["nearest"]["step"], tensors[1]["nearest"]) == (1, "b_query", None)


def test_what_nothing_explains_has_a_nearest_step_and_a_longer_search_is_offered():
    answer = check(WRONG, "causal", 1, matches=[])
    nearest, comparison = answer["nearest"], answer["comparison"]
    found = nearest["step"], nearest["numbers_agreeing"], nearest["first_difference"]
    assert found == ("attn_weights", 34, [1, 3])
    pasted, right = comparison["pasted"], comparison["right"]
    assert [i for i in range(36) if pasted[i] != right[i]] == comparison["differing"]
    assert len(comparison["differing"]) == 2 and comparison["differing"][0] == 9
    assert "--search-seeds tries all seeds up to 10000." in said(WRONG, "causal")[1]
    assert "--search-seeds" not in said(WEIGHTS, "causal")[1] + said(WRONG, "causal --search-seeds")[1]


def test_a_nearest_step_that_is_transposed_is_named_so():
    turned = [list(column) for column in zip(*steps("causal")["dropout_example"])]
    for row, column in ((0, 1), (2, 2), (3, 0)):
        turned[row][column] = 2.0 - turned[row][column]
    nearest = check("tensor(" + str(turned) + ")", "causal", 1, matches=[])["nearest"]
    found = nearest["step"], nearest["piece"], nearest["numbers_agreeing"], nearest["first_difference"]
    assert found == ("dropout_example", ".T", 33, [0, 1])
    assert nearest["rows_agreeing"] == [1, 4, 5]


def test_right_numbers_that_a_different_operation_gave():
    unmasked = printed("causal --step=masked_simple").replace("MulBackward0", "DivBackward0")
    assert "grad_fn is DivBackward0, and that of masked_simple is MulBackward0" in " ".join(
        said(unmasked, "causal")[1].split()
    )
    assert "DivBackward0" not in said(printed("causal --step=masked_simple_norm"), "causal")[1]


def test_a_single_number_that_is_another_one(tmp_path):
    for wrong in ("0.1596", "0.1946", "-0.1496"):
        check(
            WEIGHTS.replace("0.1496", wrong), "causal", 1,
            mistakes=["mistyped"], line=f"attn_weights[1][3] = {wrong}",
            instead_of="attn_weights[1][3] = 0.1496",
        )  # fmt: skip
    rows = steps("causal")["inputs"]
    rows[2][1] = 0.58
    path = tmp_path / "lesson.json"
    path.write_text(json.dumps({"tokens": list("abcdef"), "embeddings": rows}))
    context = printed("causal --step=context_vec", f"--input={path}")
    check(
        context, "causal", 1,
        mistakes=["other-input"], line="inputs[2][1] = 0.58", instead_of="inputs[2][1] = 0.85",
    )  # fmt: skip
    # With two decimals, many numbers would nearly match.
    few = re.sub(r"-?\d\.\d+", lambda number: f"{float(number[0]):.2f}", context)
    assert re.search(r"inputs\[2\]\[1\] = 0\.5\d?$", check(few, "causal", 1)["matches"][0]["line"])


def test_a_paste_of_a_known_lesson_names_its_inputs():
    answer = ok("diagnose -", input="tensor([[[0.1569, -0.0873, 0.0210, 0.0215, -0.3243, -0.2518]]])")
    assert "context_vec" in answer and "multi-head with --d-out 6" in answer
    assert "The inputs are those of another course: Row 1, Row 2, Row 3 with vectors of\nwidth 6." in answer


def test_a_digit_of_a_block_is_mistyped():
    block = [[f"{x:.4f}" for x in row[2:5]] for row in steps("causal")["attn_scores"][1:4]]
    right = block[1][1]
    block[1][1] = right[:-2] + str((int(right[-2]) + 4) % 10) + right[-1]
    check(
        "\n".join(" ".join(row) for row in block), "causal", 1,
        mistakes=["mistyped"], piece="[1:4, 2:5]", instead_of=f"attn_scores[2][3] = {right}",
    )  # fmt: skip


def test_saved_arrays_are_read_under_their_own_names(tmp_path):
    path = tmp_path / "run.npz"
    ok("causal --quiet", f"--out={path}")
    code, report = report_of("", path)
    assert (code, report["skipped"], len(report["tensors"])) == (0, [], 20)
    for tensor in report["tensors"]:
        match = tensor["matches"][0]
        assert (tensor["name"], match["mistakes"]) == (f"causal.{match['step']}", [])
    masked = np.load(path)["causal.masked"]
    np.savez(path, masked=masked, words=["four"])
    _, report = report_of("", path)
    assert len(report["tensors"]) == 1 and 'contains numbers of type "<U4"' in report["skipped"][0]
    assert "Not read:" in run("diagnose", path).stdout
    for array in masked, np.tril(np.ones((6, 6), np.int64)):
        np.save(tmp_path / "x.npy", array)
        code, report = report_of("", tmp_path / "x.npy")
        assert (code, report["tensors"][0]["shape"]) == (0, [6, 6])


@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "<i2", "<i4", "<i8", ">i2", ">i4", ">i8"])
def test_a_mask_of_any_whole_numbers_is_right(tmp_path, dtype):
    np.save(tmp_path / "mask.npy", np.tril(np.ones((6, 6))).astype(dtype))
    assert "This is mask_simple of causal." in ok("diagnose mask.npy", cwd=tmp_path)


def test_a_report_is_written_about_every_file_that_is_read(tmp_path):
    ok("causal --quiet", f"--out={tmp_path}/run.npz")
    saved = np.load(tmp_path / "run.npz")
    np.save(tmp_path / "mine.npy", saved["causal.masked"])
    ok("causal --step keys --quiet", f"--out={tmp_path}/keys.safetensors")
    for name, count in ("run.npz", 20), ("mine.npy", 1), ("keys.safetensors", 1):
        for suffix in "html", "md", "csv":
            out = tmp_path / f"{name}.{suffix}"
            ok("diagnose", str(tmp_path / name), f"--out={out}")
            assert suffix != "csv" or f"{name},{count},{count}," in out.read_text()
    np.save(tmp_path / "mine.npy", saved["causal.masked"] + 1)
    answer = run("diagnose", str(tmp_path / "mine.npy"), f"--out={tmp_path}/o.md")
    assert (answer.returncode, answer.stderr) == (1, "")
    together = ok("diagnose", str(tmp_path / "run.npz"), str(tmp_path / "keys.safetensors"))
    assert "tensor 20" in together


def test_a_small_file_of_many_zeros_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "zeros.npz", x=np.zeros((4000, 4000), np.float32))
    message = "x: more than 10000000 numbers, the limit for a file"
    refuses("diagnose", tmp_path / "zeros.npz", message=message)


def test_names_that_differ_only_in_invisible_characters_are_each_found(tmp_path):
    names = {"keys": "keys", "keys\u200b": "queries", "\u2066keys": "values"}
    linear = steps("linear")
    path = saved(tmp_path / "run.npz", {name: linear[step] for name, step in names.items()})
    _, report = report_of("linear", path)
    assert {tensor["name"]: tensor["matches"][0]["step"] for tensor in report["tensors"]} == names


def test_the_published_answer_to_an_exercise_is_known_with_its_error():
    for text in (WRONG_AXIS, "-0.0915 0.0342", "[-0.0915, 0.0342]", "| -0.0915 | 0.0342 |"):
        check(
            text, "", 1,
            stage="multi-head-wrapper", mistakes=["softmax-wrong-axis"], erratum="exercise-3.2",
        )  # fmt: skip
    text = said(WRONG_AXIS)[1]
    assert (
        "Erratum: the book's public answers give an answer to exercise 3.2 that starts with -0.0915, 0.0342."
        in text
    )
    assert "-0.5740 0.2216, -0.7320 0.0155" in text and "勘误" in said(WRONG_AXIS, "--lang=zh")[1]


def test_a_broken_number_of_a_document_is_right_and_told():
    dropped = printed("causal --step=attn_weights_dropped")
    code, text = said(dropped.replace("2.0000, 0.0000, 0.0000", "2.0000, 0.0000, 0 .0000"))
    assert code == 0 and 'Erratum: document 000 prints one number as "0 .0000"' in text
    assert "Erratum" not in said(dropped)[1]


def test_of_a_wrong_run_the_first_step_that_differs_is_named_and_what_follows_from_it(tmp_path):
    right = steps("causal")
    scores = np.array(right["attn_scores"]).T  # keys @ queries.T
    exponentials = np.tril(np.exp(scores / 2**0.5))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    arrays = {"context": weights @ right["values"], "keys": right["keys"], "queries": right["queries"],
              "scores": scores, "values": right["values"], "weights": weights}  # fmt: skip
    path = saved(tmp_path / "run.npz", arrays)
    code, report = report_of("", path)
    by_name = {tensor["name"]: tensor for tensor in report["tensors"]}
    # Queries and keys are right, so the order of drawing is not the cause.
    assert (code, by_name["scores"]["matches"][0]["mistakes"]) == (1, ["queries-keys-swapped"])
    assert {name: by_name[name]["inherits"] for name in ("scores", "weights", "context", "keys")} == {
        "scores": None, "weights": "attn_scores", "context": "attn_scores", "keys": None
    }  # fmt: skip
    text = run("diagnose", path).stdout
    assert text.startswith(
        "scores, shape (6, 6): a mistake; this is the first step that differs\n"
        "    yours  attn_scores = keys @ queries.T\n    right  attn_scores = queries @ keys.T\n"
    ), text
    assert (
        "\n\ncontext, shape (6, 2): follows from attn_scores\n"
        "weights, shape (6, 6): follows from attn_scores\nkeys, shape (6, 2): right, keys of " in text
    )


def test_what_the_digits_do_not_decide_is_not_called_right_unless_others_are():
    first = "[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000]"
    code, text = said(first, "causal")
    assert code == 1 and "cannot tell " in text
    code, tensors = diagnosed(f"first = {first}\n\n" + printed("causal --step=values"), "causal")
    assert (code, len(tensors)) == (0, 2)


def test_why_something_was_not_read_is_told_in_chinese_too():
    cut = WRONG_AXIS + "\ntensor([[0.1, 0.2],\n        [0.3"
    _, report = report_of("- --lang=zh", stdin=cut)
    assert re.search(r"^第 \d+ 行：", report["skipped"][0])
    reason = r"未读取：第 \d+ 行：文本在张量中间结束，还差 2 个括号；它被截断了。"
    assert re.search(reason, run("diagnose - --lang=zh", stdin=cut).stdout)


@pytest.mark.parametrize("content, message", [
    (b"\x89PNG\r\n\x1a\n" + bytes(100), "is a picture (PNG); paste what PyTorch prints"),
    (b"\x80\x02}q\x00.", "a pickle, which is never read"), (b"%PDF-1.7\n\xff", "is a PDF"),
    (bytes(5000), "binary file, expected text"), (b"", "is empty"),
    (b"PK\x05\x06" + bytes(18), "a ZIP file without a .npy in it."),
    (b"[" * 10000 + b"1.0" + b"]" * 10000, "no tensor found"),
    (b"0.25 " * 1_000_000, "more than 500000 numbers, the limit for text; save them with np.save."),
    (b"0.25 0.5\n" * 500_000, "more than 500000 numbers"),
    (b"," * 2_500_000, "more than 2000000 words, numbers and signs, the limit for text;"),
    (struct.pack("<Q", 65) + b'{"a":{"dtype":"F32","shape":[3,3],"data_offsets":[0,36]}}        ' + bytes(20),
     "in the 20 bytes that follow the header"),
    (b"words alone\n" * 500_000, "no tensor found"), (bytes(range(256)) * 20, "binary file, expected text"),
], ids=range(13))  # fmt: skip
def test_what_is_no_text_is_named(tmp_path, content, message):
    (tmp_path / "file").write_bytes(content)
    assert "UTF-8" not in refuses("diagnose", tmp_path / "file", message=message)


def test_an_output_beyond_the_limit_is_named_beside_its_code():
    text = "k = keys.repeat(50000, 5)\nprint(k)\n\ntensor([" + "[0.25, 0.5],\n" * 250_001 + "])\n"
    refuses("diagnose -", stdin=text, message="more than 500000 numbers, the limit for text;")


def test_a_tolerance_compares_with_the_nearest_step(tmp_path):
    rows = steps("causal")["attn_weights_causal"]
    rows[2][1] += 0.0005
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(rows))
    near = "[2][1], where the largest difference is 5.0e-04"
    agrees, differs = (run("compare causal", file, f"--atol={most}") for most in ("1e-3", "1e-5"))
    assert (agrees.returncode, differs.returncode) == (0, 1)
    assert f"{near}; all numbers agree within 0.001." in agrees.stdout
    assert f"{near}, more than 1e-05." in differs.stdout


def test_a_pickle_is_answered_with_how_to_save_it(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.pt", "w") as file:
        file.writestr("x/data.pkl", b"\x80\x02}q.")
    line = "numpy.savez('x.npz', **{k: v.float().numpy() for k, v in torch.load('x.pt').items()})"
    for said in ('numpy.save("x.npy", x.detach().numpy())', f'python -c "import numpy, torch; {line}"'):
        refuses("compare", "causal", "x.pt", cwd=tmp_path, message=said)


def test_a_few_numbers_that_a_step_has_are_no_puzzle():
    for step in ("sliding-window keys_seen", "training-step falls", "grouped-query cache_bytes"):
        stage, name = step.split()
        answer = run("diagnose -", stdin=printed(f"{stage} --step={name}"))
        assert f"This is {name} of {stage}." in answer.stdout, answer.stdout
        assert "not recognised" not in answer.stdout


def test_the_label_of_a_step_of_the_chosen_stage_counts():
    answer = run("diagnose training-step -", stdin="loss_1 = tensor(0.9999)\n")
    assert answer.returncode == 1
    assert "The nearest step is loss_1 of training-step" in answer.stdout


# One line of the chapter's code is wrong, and only the last tensor is pasted: W_key is drawn as (d_out, d_in)
# and transposed; row_sums is a norm; out_proj is applied twice; values are cumulated.
SLIPS = [
    ("tensor([0.2942, 0.8044])", "rand-transposed", "W_key = "),
    (
        "tensor([[-0.0872, 0.0286], [-0.1394, 0.0705], [-0.1723, 0.1092], [-0.1961, 0.0977], "
        "[-0.1149, 0.2453], [-0.1842, 0.1692]], grad_fn=<MmBackward0>)",
        "other-operation",
        "row_sums = torch.sqrt((masked_simple * masked_simple).sum(dim=-1, keepdim=True))",
    ),
    (
        "tensor([[[0.2504, 0.9061], [0.2327, 0.8811], [0.2273, 0.8727], [0.2364, 0.8682], [0.2385, 0.8662], "
        "[0.2418, 0.8643]], [[0.2504, 0.9061], [0.2327, 0.8811], [0.2273, 0.8727], [0.2364, 0.8682], "
        "[0.2385, 0.8662], [0.2418, 0.8643]]], grad_fn=<ViewBackward0>)",
        "other-operation",
        "context_vec = (context_merged @ W_out.T + b_out) @ W_out.T + b_out",
    ),
]


@pytest.mark.parametrize("text, mistake, line", SLIPS)
def test_one_wrong_line_is_named_by_the_last_tensor(text, mistake, line):
    code, (tensor,) = diagnosed(text)
    first = tensor["matches"][0]
    assert code == 1 and first["mistakes"] == [mistake] and first["line"].startswith(line), first


@pytest.mark.parametrize("first", ["0.0000e+00", "1.0000e-06", "-5.0000e-10"])
def test_a_small_weight_has_digits_of_its_own(first):
    rest = "8.7653e-01, 1.2347e-01, 4.4069e-29, 5.2524e-35, 1.5916e-18"
    right = run("diagnose -", stdin=f"large_weights_2:\ntensor([2.9161e-24, {rest}])")
    wrong = run("diagnose -", stdin=f"large_weights_2:\ntensor([{first}, {rest}])")
    assert right.returncode == 0 and ": right\n" in right.stdout
    assert wrong.returncode == 1 and ": right" not in wrong.stdout


def test_a_mistyped_number_in_scientific_notation():
    row = "tensor([6.6913e-03, 9.9308e-01, 4.5086e-05, 4.5086e-05, {}, 1.2256e-04])"
    for stage in ("", "scaling"):
        found = check(row.format("1.7586e-05"), stage, 1, step="weights_64")["matches"][0]
        assert found["mistakes"][-1] == "mistyped"
        assert found["line"] == "weights_64[4] = 1.7586e-05"
