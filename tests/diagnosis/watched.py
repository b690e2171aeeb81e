"""Attention under the recorder: no line of right code is named, and in wrong code the line with the fault."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading

import pytest

from oracle import is_1_13, numpy, torch
from program import PROGRAM, PROJECT
from watched_modules import (
    BEFORE, FAULTS, HALF_NAMED, HEAD, LINEAR, MEMORY_MASKED, MODULES, OTHER_STYLES, PLAIN, PLAIN_FAULTS,
    SCRIPT_FAULTS, SCRIPTS, TABLES, Transformers,
)  # fmt: skip

if is_1_13:
    pytest.skip("the recorder needs PyTorch 2", allow_module_level=True)
sys.path.insert(0, str(PROJECT / "app/python"))
os.environ["ATTN_WALKTHROUGH"] = PROGRAM
import attn_walkthrough as attn  # noqa: E402
from attn_walkthrough.recorder import Recorder  # noqa: E402


def judged(recorder, file, *options):
    """Returns the program's answer to a recording, as JSON and as text."""
    calls, found = file.with_suffix(".json"), file.with_suffix(".answer.json")
    calls.write_text(json.dumps(recorder.recording()))
    command = [PROGRAM, "diagnose", calls, *options]
    answer = subprocess.run([*command, "--json", found], capture_output=True, text=True)
    assert answer.returncode in (0, 1), answer.stderr
    layers = json.loads(found.read_text())["layers"]
    assert (answer.returncode == 0) == (bool(layers) and all(layer["verdict"] == "right" for layer in layers))
    return layers, answer.stdout


def layers_of(source, file):
    """Runs a module under the recorder, and returns the program's answer."""
    file.write_text(source)
    torch.manual_seed(1)
    scope = {}
    size = (2, 6, 8 if "C // " in source or "nbatches" in source else 4)
    heads = 4 if "self.kv" in source else 2
    recorder = Recorder()
    with recorder:
        exec(compile(source, str(file), "exec"), scope)
        scope["A"](size[2], 8, size[1], heads).eval()(torch.randn(size))
    return judged(recorder, file)


def layers_of_plain(source, file):
    file.write_text(source)
    recorder = Recorder()
    with recorder:
        exec(compile(source, str(file), "exec"), {})
    return judged(recorder, file)


def first_departure(layers):
    return next((layer["departs"]["line"] for layer in layers if layer["departs"]), None)


@pytest.mark.parametrize("name", MODULES)
def test_no_line_of_a_right_module_is_named(name, tmp_path):
    found, text = layers_of(HEAD + MODULES[name], tmp_path / "module.py")
    assert first_departure(found) is None, text
    if name not in NOT_FOUND:
        assert found and all(layer["verdict"] == "right" for layer in found), text


# These are passed over.
NOT_FOUND = {"ellipsis", "weights_left"}


def test_at_least_forty_right_modules_are_judged():
    assert len(set(MODULES) - NOT_FOUND) >= 40


def wrong(fault):
    name, *changes = fault
    source = HEAD + MODULES[name]
    first = source.index(changes[0], source.index("class"))
    line = source[:first].count("\n") + 1
    for old, new in zip(changes[::2], changes[1::2]):
        source = source[:first] + source[first:].replace(old, new, 1)
    return source, line


def test_the_line_with_the_fault_is_named(tmp_path):
    missed = []
    for fault in FAULTS:
        source, line = wrong(fault)
        found, text = layers_of(source, tmp_path / "module.py")
        if first_departure(found) != line:
            missed.append(f"{fault}: expected line {line}, got {text.splitlines()[0]}")
    print(f"{len(FAULTS) - len(missed)} of {len(FAULTS)}", *missed, sep="\n")
    assert len(FAULTS) >= 60 and len(missed) <= 0.05 * len(FAULTS), "\n".join(missed)


def test_all_layers_of_the_chapter_are_right(tmp_path):
    found, text = layers_of_plain(PLAIN, tmp_path / "chapter.py")
    stages = ["simplified"] + 3 * ["linear"] + 4 * ["causal"] + ["multi-head"]
    assert [layer["stage"] for layer in found] == stages, text
    assert {layer["verdict"] for layer in found} == {"right"}, text


def test_the_line_of_the_chapter_with_the_fault_is_named(tmp_path):
    missed = []
    for right, wrong in PLAIN_FAULTS:
        assert PLAIN.count(right) == 1
        line = PLAIN[: PLAIN.index(right)].count("\n") + 1
        found, text = layers_of_plain(PLAIN.replace(right, wrong), tmp_path / "chapter.py")
        if {layer["departs"]["line"] for layer in found if layer["departs"]} != {line}:
            missed.append(f"{right} -> {wrong}: expected line {line}, got {text}")
    print(f"{len(PLAIN_FAULTS) - len(missed)} of {len(PLAIN_FAULTS)}", *missed, sep="\n")
    assert len(missed) <= 1, "\n".join(missed)


@pytest.mark.parametrize("script", SCRIPT_FAULTS, ids=range(len(SCRIPT_FAULTS)))
def test_the_line_of_a_script_with_the_fault_is_named(script, tmp_path):
    lines = script.splitlines()
    (at,) = (i for i, line in enumerate(lines) if "  #: " in line)
    wrong, right = lines[at].split("  #: ")
    found, text = layers_of_plain("\n".join([*lines[:at], wrong, *lines[at + 1 :]]), tmp_path / "script.py")
    assert first_departure(found) == at + 1, text
    if right == "-":
        return  # no stage has the right code
    indent = wrong[: len(wrong) - len(wrong.lstrip())]
    found, text = layers_of_plain(
        "\n".join([*lines[:at], indent + right, *lines[at + 1 :]]), tmp_path / "script.py"
    )
    assert found and all(layer["verdict"] == "right" for layer in found), text


@pytest.mark.parametrize("script", SCRIPTS, ids=range(len(SCRIPTS)))
def test_no_line_of_code_that_the_stages_do_not_have_is_named(script, tmp_path):
    found, text = layers_of_plain(script, tmp_path / "script.py")
    assert first_departure(found) is None, text


@pytest.mark.parametrize("script", OTHER_STYLES, ids=range(len(OTHER_STYLES)))
def test_other_styles_are_right(script, tmp_path):
    found, text = layers_of_plain(script, tmp_path / "script.py")
    assert [layer["verdict"] for layer in found] == ["right"], text


@pytest.mark.parametrize("base", (10000.0, 500000.0))
def test_rotary_tables_may_be_made_before_the_recording(base, tmp_path):
    scope, file = {}, tmp_path / "layer.py"
    file.write_text(BEFORE)
    torch.manual_seed(98)
    exec(compile(BEFORE, str(file), "exec"), scope)
    exec(TABLES.format(base=base), scope)
    recorder = Recorder()
    with recorder:
        scope["Layer"]()(torch.randn(2, 5, 16), *scope["tables"])
    (found,), text = judged(recorder, file)
    assert (found["verdict"], found["rotary"]) == ("right", f"halves:{base:.0f}"), text


OWN_SCORES = """
def attention(x, w, see, bias):
    queries, keys, values = x @ w[0], x @ w[1], x @ w[2]
    scores = (queries @ keys.T / 4**0.5 + bias).masked_fill(~see, -torch.inf)
    context_vec = torch.softmax(scores, dim=-1) @ values
    return context_vec
"""


@pytest.mark.parametrize(
    "see, bias, note, reason",
    (
        ("causal", "0", "causal", None),
        ("causal | (torch.arange(5) < 3)", "0", "; your mask does not hide exactly", "no stage has the mask"),
        ("causal & (torch.arange(5) != 1) | own", "0", "; your mask does not hide exactly", "no stage has"),
        ("causal", "torch.randn(5, 5)", "; your code adds a bias to the scores", "layer 0 adds a bias"),
        ("causal", "-torch.cdist(*2 * [torch.arange(5.0)[:, None]])", "; your code adds", "layer 0 adds"),
    ),
)
def test_a_mask_and_a_bias_of_ones_own_are_told_and_not_walked(see, bias, note, reason):
    torch.manual_seed(99)
    scope = {"torch": torch, "causal": torch.ones(5, 5).tril().bool(), "own": torch.eye(5).bool()}
    exec(OWN_SCORES, scope)
    see, bias = eval(see, scope), eval(bias, scope)
    with attn.watch() as seen:
        made = scope["attention"](torch.randn(5, 4), torch.randn(3, 4, 4), see, bias)
    assert seen.right and note in str(seen).splitlines()[0]
    assert (";" in str(seen).splitlines()[0]) == (reason is not None)
    if reason is None:
        assert torch.allclose(torch.as_tensor(seen.walk()["context_vec"]), made, atol=1e-5)
        return
    with pytest.raises(ValueError, match=f"^{reason}"):
        seen.walk()


LAYER = """import torch
torch.manual_seed(80)
x = torch.randn(2, 5, 8)
(W_query, W_key, W_value), out_proj = torch.randn(3, 8, 8), torch.nn.Linear(8, 8)
queries, keys, values = x @ W_query, x @ W_key, x @ W_value
q, k, v = (one.view(2, 5, 2, 4).transpose(1, 2) for one in (queries, keys, values))
hidden = torch.ones(5, 5, dtype=torch.bool).triu(1)
scores = q @ k.mT
scores = scores * 4**-0.5
scores = scores + torch.zeros(5, 5).masked_fill(hidden, -1e9)
z = scores.softmax(-1) @ v
out = out_proj(z.transpose(1, 2).reshape(2, 5, 8))
"""


@pytest.mark.parametrize("right, wrong, headline", [
    ("q @ k.mT", "k @ q.mT", "matmul has keys_heads @ queries_heads.transpose(2, 3); "
     "multi-head has queries_heads @ keys_heads.transpose(2, 3)"),
    ("* 4**-0.5", "* 4**0.5", "mul has * 2; multi-head has / keys_heads.shape[-1]**0.5"),
    ("* 4**-0.5", "/ 4", "div has / 4; multi-head has / keys_heads.shape[-1]**0.5"),
    ("triu(1)", "triu(0)", "triu has triu(diagonal=0); multi-head has triu(diagonal=1)"),
    ("triu(1)", "tril(-1)", "tril has tril(diagonal=-1); multi-head has triu(diagonal=1)"),
    ("scores + torch.zeros(5, 5).masked_fill(hidden, -1e9)", "scores.masked_fill(hidden, -1.0)",
     "masked_fill has -1; multi-head has -torch.inf"),
])  # fmt: skip
def test_what_departs_is_spelled_out(right, wrong, headline, tmp_path):
    line = LAYER[: LAYER.index(right)].count("\n") + 1
    (layer,), text = layers_of_plain(LAYER.replace(right, wrong), tmp_path / "script.py")
    assert layer["headline"] == f"✗ line {line}: {headline}"


def test_a_constant_in_place_of_the_root_is_not_right(tmp_path):
    script = LAYER.replace("* 4**-0.5", "/ 7")
    (layer,), text = layers_of_plain(script, tmp_path / "script.py")
    assert layer["verdict"] == "unknown" and "(div) it is another kind of attention" in text, text


def test_a_mask_that_hides_the_token_itself_has_no_other_name(tmp_path):
    script = HALF_NAMED.replace("triu(1)", "triu(0)")
    (layer,), text = layers_of_plain(script, tmp_path / "script.py")
    assert layer["departs"]["mistake"] == "mask-excludes-diagonal", text


def test_the_line_beside_scaled_queries_is_that_of_the_scores(tmp_path):
    script = HALF_NAMED.replace("q @ k.mT", "q @ v.mT").replace("@ v\n", "@ k\n")
    (layer,), text = layers_of_plain(script, tmp_path / "script.py")
    assert layer["departs"]["right_line"] == "attn_scores = queries @ keys.T", text


def test_the_first_argument_of_a_method_has_any_name(tmp_path):
    source = HEAD + MODULES["multi"].replace("self", "s")
    found, text = layers_of(source, tmp_path / "module.py")
    assert found and all(layer["verdict"] == "right" for layer in found), text


IDLE = """import torch
torch.manual_seed(81)
class Causal(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (torch.nn.Linear(8, 8) for _ in range(3))
        self.register_buffer("mask", torch.triu(torch.ones(5, 5), diagonal=1))
idle, x = Causal(), torch.randn(1, 5, 8)
x + 1
out = torch.nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x)[0]
"""


def test_the_mask_of_a_module_that_does_not_run_is_not_missing(tmp_path):
    (layer,), text = layers_of_plain(IDLE, tmp_path / "script.py")
    assert layer["verdict"] == "right" and "without a causal mask" in text, text


def test_a_key_of_zeros_is_not_judged(tmp_path):
    script = IDLE.replace("batch_first=True", "batch_first=True, add_zero_attn=True")
    (layer,), text = layers_of_plain(script, tmp_path / "script.py")
    assert layer["verdict"] == "unknown" and not layer["weights"], text


def test_nan_is_no_dropout(tmp_path):
    source = IDLE.replace("idle, x = Causal(), torch.randn(1, 5, 8)", "").partition("x + 1")[0]
    source += """    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = (queries @ keys.T).masked_fill(self.mask.bool(), -torch.inf)
        return torch.nn.Dropout(0.0).eval()(torch.softmax(scores / 8**0.5, dim=-1)) @ values
Causal().eval()(torch.full((5, 8), torch.inf))
"""
    found, text = layers_of_plain(source, tmp_path / "script.py")
    assert found and "dropout-in-eval" not in text, text


def test_cells_are_counted_from_the_end():
    torch.manual_seed(82)
    x, weights = torch.rand(3, 4, 3), torch.rand(3, 3, 2)
    with attn.watch():
        queries, keys, values = (x @ weight for weight in weights)
        mine = torch.softmax(queries @ keys.mT / 2**0.5, dim=-1)
        z = mine @ values
    for cell, number in ("z[-1][-1][-2]", z[-1, -1, -2]), ("mine[1][-4][-1]", mine[1, 0, -1]):
        value = attn.explain(cell).data["explanation"]["value"]
        assert abs(value - number) < 1e-5, cell


def test_a_fused_call_scales_by_itself(tmp_path):
    begin = LAYER[: LAYER.index("scores =")].replace("hidden =", "q = q / 4**0.5\nhidden =")
    fused = "z = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)\n"
    (layer,), text = layers_of_plain(begin + fused, tmp_path / "script.py")
    assert (layer["departs"]["line"], layer["departs"]["right"]) == (7, "")
    begin = begin.replace("q = q / 4**0.5\n", "")
    scaled = begin + fused.replace("k, v,", "k, v, scale=1.0,")
    (layer,), text = layers_of_plain(scaled, tmp_path / "script.py")
    assert layer["headline"].endswith("scaled_dot_product_attention has scale=1; multi-head has scale=None")


def test_nothing_is_judged_behind_weights_that_a_fused_call_drops(tmp_path):
    for script in SCRIPTS[:2]:
        (layer,), text = layers_of_plain(script, tmp_path / "script.py")
        assert layer["verdict"] == "unknown" and "drops weights at random" in layer["headline"], text


SOFT_CAP = """import torch
from torch.nn import Linear
torch.manual_seed(16)
x = torch.randn(2, 6, 24)
q_proj, k_proj, v_proj = (Linear(24, 8 * heads, bias=False) for heads in (4, 2, 2))
q = q_proj(x).view(2, 6, 4, 8).transpose(1, 2)
k = k_proj(x).view(2, 6, 2, 8).transpose(1, 2).repeat_interleave(2, dim=1)
v = v_proj(x).view(2, 6, 2, 8).transpose(1, 2).repeat_interleave(2, dim=1)
scores = 20 * torch.tanh(q @ k.mT / 8**0.5 / 20)
scores = scores.masked_fill(~torch.ones(6, 6, dtype=torch.bool).tril(), -torch.inf)
y = scores.softmax(-1) @ k
Linear(32, 24, bias=False)(y.transpose(1, 2).flatten(2))
"""


def test_nodes_of_one_walk_are_not_sought_in_the_next(tmp_path):
    found, text = layers_of_plain(SOFT_CAP, tmp_path / "script.py")
    assert [layer["verdict"] for layer in found] != ["right"], text


def test_the_calls_of_another_kind_of_attention_are_listed(tmp_path):
    (script,) = (one for one in SCRIPTS if "sigmoid(s)" in one)
    found, text = layers_of_plain(script, tmp_path / "script.py")
    assert [layer["verdict"] for layer in found] == ["unknown"]
    assert "up to line 5; from there (sub, sigmoid) it is another kind of attention" in text
    assert max(map(len, text.splitlines())) < 120, "numbers have no name"


def test_a_number_of_the_readers_code_is_explained_from_its_operands():
    torch.manual_seed(13)
    x = torch.rand(4, 3)
    W_query, W_key, W_value = (torch.rand(3, 2) for _ in range(3))
    with attn.watch():
        queries, keys, values = x @ W_query, x @ W_key, x @ W_value
        mine = torch.softmax(queries @ keys.T / 2**0.5, dim=-1)
        z = mine @ values
    for cell, number in ("context_vec[1][0]", z[1, 0]), ("mine[2][3]", mine[2, 3]):
        explained = attn.explain(cell)
        assert explained.text.splitlines()[-1].endswith(f" = {number:.4f}"), explained
    assert attn.explain("attn_weights_causal[1][0]", stage="causal").text.endswith("= 0.5517\n")


def test_the_code_of_the_readme_walks_a_head_of_gpt2(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", Transformers)
    section = (PROJECT / "README.md").read_text().split("**A layer of GPT-2.**")[1]
    scope = {}
    exec(section.split("```\n")[1], scope)
    printed = capsys.readouterr().out
    for layer in range(4):
        assert f"layer {layer} h.{layer}.attn" in printed
    assert scope["w"].right and len(scope["w"].layers) == 4, printed
    model, seen = scope["model"], []
    model.h[3].attn.c_attn.register_forward_hook(lambda module, inputs, output: seen.append(output[0]))
    model(**scope["tokens"])
    queries, keys, values = (one[:, 28:32] for one in seen[0].split(32, dim=-1))
    scores = (queries @ keys.T / 2).masked_fill(torch.ones(5, 5).triu(1) == 1, -torch.inf)
    head = torch.as_tensor(attn.walk(scope["w"], layer=3, head=7)["context_vec"])
    assert torch.allclose(head.reshape(5, 4), scores.softmax(-1) @ values, atol=1e-5)


def test_the_answer_is_in_both_languages(tmp_path):
    source, line = wrong(("causal", "dim=-1)", "dim=1)"))
    found, text = layers_of(source, tmp_path / "module.py")
    assert text.startswith(f"✗ line {line}: softmax has dim=1; causal has dim=-1\n"), text
    departs = found[0]["departs"]
    assert (departs["yours"], departs["right"]) == ("dim=1", "dim=-1")
    assert departs["right_line"].startswith("attn_weights_causal = torch.softmax(masked")
    calls = tmp_path / "module.json"
    answer = subprocess.run([PROGRAM, "diagnose", calls, "--lang", "zh"], capture_output=True, text=True)
    assert answer.stdout.startswith(f"✗ 第 {line} 行：softmax 是 dim=1；causal 是 dim=-1\n"), answer.stdout


def test_a_recording_without_attention_or_with_damage_is_told_apart(tmp_path):
    recorder = Recorder()
    with recorder:
        torch.ones(2, 2) * 2
    found, text = judged(recorder, tmp_path / "module.py")
    assert found == [] and "No attention layer was found" in text
    calls = tmp_path / "module.json"
    calls.write_text(calls.read_text().replace('"shape": [2, 2]', '"shape": [2, 9]'))
    answer = subprocess.run([PROGRAM, "diagnose", calls], capture_output=True, text=True)
    assert answer.returncode == 2 and "fewer numbers" in answer.stderr


def test_each_layer_of_a_model_can_be_walked(tmp_path):
    scope = {}
    exec(compile(HEAD + MODULES["block"], str(tmp_path / "model.py"), "exec"), scope)
    torch.manual_seed(1)
    model, x, seen = scope["A"](8, 8, 6, 2).eval(), torch.randn(2, 6, 8), []
    for block in model.blocks:
        block.attn.register_forward_hook(lambda layer, inputs, output: seen.append((inputs[0][0], output[0])))
    with torch.no_grad(), attn.watch() as w:
        model(x)
    assert w.right and [layer["name"] for layer in w.layers] == ["blocks.0.attn", "blocks.1.attn"], str(w)
    for layer, (inputs, output) in enumerate(seen):
        walked = torch.as_tensor(attn.walk(w, layer=layer)["context_vec"])
        assert torch.allclose(walked.reshape(6, 8), output, atol=1e-6)
    queries, keys, values = (one[:, 4:] for one in model.blocks[1].attn.qkv(seen[1][0]).split(8, dim=-1))
    scores = (queries @ keys.T / 2).masked_fill(torch.ones(6, 6).triu(1) == 1, -torch.inf)
    head = torch.as_tensor(attn.walk(w, layer=1, head=1)["context_vec"])
    assert torch.allclose(head.reshape(6, 4), scores.softmax(-1) @ values, atol=1e-6)


WINDOW = torch.ones(6, 6).triu(1) + torch.ones(6, 6).tril(-3) > 0
MASKS = {"masked": torch.ones(6, 6).triu(1) > 0, "unmasked": torch.zeros(6, 6) > 0, "sliding": WINDOW}


class Heads(torch.nn.Module):
    """Two heads with a mask, written out, by the function for it, or by the module."""

    def __init__(self, mask, style):
        super().__init__()
        self.whole, self.mask, self.style = torch.nn.MultiheadAttention(8, 2, batch_first=True), mask, style
        self.qkv, self.out_proj = torch.nn.Linear(8, 24), torch.nn.Linear(8, 8)

    def forward(self, x):
        if self.style == "module":
            return self.whole(x, x, x, attn_mask=self.mask if self.mask.any() else None)[0]
        queries, keys, values = (
            one.unflatten(-1, (2, 4)).transpose(1, 2) for one in self.qkv(x).split(8, dim=-1)
        )
        if self.style == "function":
            z = torch.nn.functional.scaled_dot_product_attention(
                queries, keys, values, ~self.mask if self.mask.any() else None
            )
        else:
            scores = queries @ keys.mT
            if self.mask.any():
                scores = scores.masked_fill(self.mask, -torch.inf)
            z = torch.softmax(scores / 2, dim=-1) @ values
        return self.out_proj(z.transpose(1, 2).reshape(x.shape))


@pytest.mark.parametrize("style", ["written out", "function", "module"])
@pytest.mark.parametrize("name", MASKS)
def test_a_walk_has_the_mask_of_the_layer(name, style):
    torch.manual_seed(3)
    model, x = Heads(MASKS[name], style), torch.randn(2, 6, 8)
    with torch.no_grad(), attn.watch() as w:
        output = model(x)
    assert w.right, w
    if name == "masked":
        walked = torch.as_tensor(attn.walk(w)["context_vec"])
        assert torch.allclose(walked[0], output[0], atol=1e-5)
    else:
        with pytest.raises(ValueError, match="^multi-head has a causal mask, and layer 0 another or none"):
            attn.walk(w)
    heads = [torch.as_tensor(attn.walk(w, head=head)["context_vec"]) for head in (0, 1)]
    projection = model.whole.out_proj if style == "module" else model.out_proj
    assert torch.allclose(projection(torch.cat(heads, dim=-1)), output[0], atol=1e-5)


def test_a_mask_that_no_stage_has_is_refused():
    torch.manual_seed(3)
    x, dilated = torch.randn(2, 6, 8), MASKS["masked"] | (torch.ones(6, 6).tril(-2).triu(-2) > 0)
    for style in "written out", "function", "module":
        with torch.no_grad(), attn.watch() as w:
            Heads(dilated, style)(x)
        assert w.right, w
        with pytest.raises(ValueError, match="^no stage has the mask of layer 0$"):
            attn.walk(w, head=0)


def test_a_window_without_heads_is_walked():
    torch.manual_seed(3)
    x = torch.rand(6, 3)
    W_query, W_key, W_value = (torch.rand(3, 2) for _ in range(3))
    with attn.watch() as w:
        queries, keys, values = x @ W_query, x @ W_key, x @ W_value
        scores = queries @ keys.T
        scores.masked_fill_(WINDOW, -torch.inf)
        weights = torch.softmax(scores / 2**0.5, dim=-1)
        z = weights @ values
    for head in {}, {"head": 0}:
        assert torch.allclose(torch.as_tensor(attn.walk(w, **head)["context_vec"]), z, atol=1e-6)
        assert attn.explain("weights[4][3]", **head).text.endswith(f" = {weights[4, 3]:.4f}\n")


def asked(cell, number, **options):
    """Checks that a cell is explained as this number."""
    explained = attn.explain(cell, **options)
    assert abs(float(explained.data["explanation"]["value"]) - number) < 1e-4, (cell, explained)


CHAPTER = """        keys, queries, values = self.W_key(x), self.W_query(x), self.W_value(x)
        keys = keys.view(b, n, self.h, self.d)
        keys = keys.transpose(1, 2)
        queries = queries.view(b, n, self.h, self.d).transpose(1, 2)
        values = values.view(b, n, self.h, self.d).transpose(1, 2)
        attn_scores = queries @ keys.transpose(2, 3)
        attn_scores.masked_fill_(self.mask.bool()[:n, :n], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
        self.seen = {"keys": keys, "attn_weights": attn_weights, "scores": attn_scores}
        context_vec = (attn_weights @ values).transpose(1, 2)
        self.seen["context_heads"] = context_vec
        context_vec = context_vec.contiguous().view(b, n, self.d_out)
        context_vec = self.out_proj(context_vec)
        return context_vec
"""


def test_each_number_of_a_batch_with_heads_is_explained(tmp_path):
    scope, file = {}, tmp_path / "module.py"
    file.write_text(HEAD + LINEAR + CHAPTER)
    exec(compile(file.read_text(), str(file), "exec"), scope)
    torch.manual_seed(123)
    model, x = scope["A"](3, 4, 6, 2), torch.rand(2, 6, 3)
    with torch.no_grad(), attn.watch():
        z = model(x)
    seen = model.seen
    asked("context_vec[1][2][3]", z[1, 2, 3])
    asked("context_vec[1][2][1][0]", seen["context_heads"][1, 2, 1, 0])
    asked("keys[1][1][2][0]", seen["keys"][1, 1, 2, 0])
    asked("keys[1][1][2]", model.W_key(x)[1, 1, 2])
    asked("attn_weights[1][1][2][0]", seen["attn_weights"][1, 1, 2, 0])
    for head in 0, 1:
        asked("attn_weights[0][2][0]", seen["attn_weights"][0, head, 2, 0], head=head)
        asked("attn_weights[1][2][0]", seen["attn_weights"][1, head, 2, 0], head=head)
        asked("context_vec[0][1][0]", seen["context_heads"][0, 1, head, 0], head=head)
        asked("keys[0][1][1]", seen["keys"][0, head, 1, 1], head=head)


def test_a_number_that_departs_is_not_explained_by_that_of_the_stage(tmp_path):
    source, line = wrong(("causal", "dim=-1)", "dim=1)"))
    scope = {}
    (tmp_path / "module.py").write_text(source)
    exec(compile(source, str(tmp_path / "module.py"), "exec"), scope)
    torch.manual_seed(1)
    model, x = scope["A"](4, 8, 6, 1), torch.rand(2, 6, 4)
    with torch.no_grad(), attn.watch():
        model(x)
    for cell in (f"{name}[1][0]" for name in ("attn_weights", "context_vec[1]", "context_vec", "mask")):
        with pytest.raises(ValueError, match=f"your code has other numbers: line {line}: softmax has"):
            attn.explain(cell)
    asked("keys[1][1][0]", model.W_key(x)[1, 1, 0])
    asked("attn_scores[0][1][0]", model.W_query(x)[0, 1] @ model.W_key(x)[0, 0])


def linear_layers(biases=3 * (False,), d_in=4):
    """Returns projections to queries, keys and values with the same numbers in each run."""
    torch.manual_seed(0)
    return [torch.nn.Linear(d_in, 4, bias=bias) for bias in biases]


FUTURE = torch.ones(4, 4).triu(1).bool()
SDPA = torch.nn.functional.scaled_dot_product_attention


def test_masks_of_other_inputs_beyond_padding_are_not_judged(tmp_path):
    own_mask = MEMORY_MASKED.replace("attn_mask=hide", "attn_mask=torch.rand(3, 5) > 0.5")
    assert own_mask != MEMORY_MASKED
    for script in own_mask, own_mask.replace("memory, memory", "memory[:, :5], memory[:, :5]"):
        layers, text = layers_of_plain(script, tmp_path / "script.py")
        assert "with a mask that hides other keys than padding" in text, text


def test_weights_that_the_code_dropped_are_said_to_be_its_own():
    torch.manual_seed(7)
    x, drop = torch.rand(6, 3), torch.nn.Dropout(0.5)
    W_query, W_key, W_value = (torch.rand(3, 2) for _ in range(3))
    with attn.watch() as w:
        scores = (x @ W_query) @ (x @ W_key).T / 2**0.5
        weights = torch.softmax(scores.masked_fill(torch.ones(6, 6).triu(1) > 0, -torch.inf), dim=-1)
        context = drop(weights) @ (x @ W_value)
    assert w.layers[0]["dropout"] and "dropped at random are taken as they are" in str(w)
    with pytest.raises(ValueError, match=r"drops no weights; use model.eval\(\)"):
        w.explain("context[5][0]")
    assert context.shape == (6, 2)


def test_an_index_is_no_fill_value_and_projected_values_are_no_stacked_batch(tmp_path):
    for script, said in (MISPLACED_HEAD, "gives other numbers than"), (EARLY_OUTPUT, "✗ line 6"):
        layers, text = layers_of_plain(script, tmp_path / "script.py")
        assert said in text and "-torch.inf" not in text.splitlines()[0] and "batch-stacked" not in text, text


def test_a_recording_is_written_whole_or_not_at_all(tmp_path):
    with attn.watch() as w:
        torch.rand(40, 40) @ torch.rand(40, 40)
    path = tmp_path / "calls.json"
    path.write_text("before")
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))
    try:
        with pytest.raises(OSError):
            w.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]
    w.save(path)
    assert json.loads(path.read_text())["format"] == "attn-walkthrough/calls"


def test_code_that_is_compiled_within_the_block_is_recorded():
    linear = torch.nn.Linear(4, 4)
    compiled = torch.compile(lambda x: torch.softmax(linear(x), dim=-1), backend="eager")
    with attn.watch() as w:
        compiled(torch.rand(3, 4))
    json.dumps(w.recording())


def test_what_drops_weights_is_not_right_and_not_walked():
    fused, parts, x = torch.nn.Linear(4, 12), linear_layers(), torch.randn(4, 4)
    for projections in lambda x: fused(x).chunk(3, -1), lambda x: [part(x) for part in parts]:
        with torch.no_grad(), attn.watch() as w:
            q, k, v = projections(x)
            z = SDPA(q, k, v, is_causal=True, dropout_p=0.5)
        assert z.shape == (4, 4)
        assert not w.right and w.layers[0]["verdict"] == "unknown", w
        for head in {}, {"head": 0}:
            with pytest.raises(ValueError, match="^layer 0 cannot be walked: .* drops weights at random"):
                attn.walk(w, **head)
        with pytest.raises(ValueError, match="^z: it cannot be explained: .* drops weights at random"):
            attn.explain("z[1][0]")
        asked("v[1][0]", v[1, 0])


def test_padding_of_a_batch_is_walked_or_refused():
    torch.manual_seed(0)
    attention, x = torch.nn.MultiheadAttention(4, 2, batch_first=True), torch.randn(2, 4, 4)
    padding = torch.zeros(2, 4).bool()
    padding[0, 1] = True
    for mask in FUTURE, None:
        with torch.no_grad(), attn.watch() as w:
            attention(x, x, x, attn_mask=mask, key_padding_mask=padding)
        for head in None, 0:
            with pytest.raises(ValueError, match="^layer 0 cannot be walked: |^no stage has the mask"):
                attn.walk(w, head=head)


def test_a_variable_that_was_changed_later_has_the_number_of_the_code():
    (q, k, v), x = linear_layers(), torch.randn(4, 4)
    with torch.no_grad(), attn.watch() as w:
        context = SDPA(q(x), k(x), v(x), is_causal=True)
        before = context
        context = context * 10
    message = rf": mul of line \d+ changed it to {context[1, 0]:.4f}; context_vec\[1\]\[0\] explains "
    with pytest.raises(ValueError, match=f"{message}{before[1, 0]:.4f}$"):
        w.explain("context[1][0]")
    asked("context_vec[1][0]", before[1, 0])


class Swapped(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query, self.W_key, self.W_value = linear_layers()

    def forward(self, x):
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        keys, values = values, keys
        return SDPA(queries, keys, values, is_causal=True)


def test_exchanged_names_belong_to_the_tensors_that_have_them_last():
    model, x = Swapped(), torch.randn(4, 4)
    with torch.no_grad(), attn.watch() as w:
        model(x)
    asked("values[1][0]", model.W_key(x)[1, 0])
    asked("keys[1][0]", model.W_value(x)[1, 0])
    assert w.layers


@pytest.mark.parametrize("split", ["chunk(3, -1)", "split(4, -1)", "unflatten(-1, (3, 4)).unbind(-2)"])
def test_each_part_of_a_projection_is_explained_as_its_own_step(split):
    torch.manual_seed(0)
    fused, x = torch.nn.Linear(4, 12), torch.randn(4, 4)
    with torch.no_grad(), attn.watch() as w:
        a, b, c = eval(f"fused(x).{split}")
        SDPA(a, b, c, is_causal=True)
    assert w.right, w
    for name, tensor in ("a", a), ("b", b), ("c", c):
        asked(f"{name}[1][0]", tensor[1, 0])
    asked("keys[1][0]", b[1, 0])


def test_a_cell_has_the_indices_of_the_codes_own_tensor():
    q, k, v = linear_layers(3 * (True,), 6)
    message = r"\(2, 4, 4\), for 2 sequences; its cells are ctx\[0\]\[0\]\[0\] to ctx\[1\]\[3\]\[3\]$"
    for count in 1, 2:
        x = torch.randn(count, 4, 6)
        with torch.no_grad(), attn.watch() as w:
            queries, keys, values = q(x), k(x), v(x)
            ctx = SDPA(queries, keys, values, is_causal=True)
        asked("x[0][1][5]", x[0, 1, 5])
        asked("queries[0][1][2]", queries[0, 1, 2])
        asked("ctx[-1][1][2]", ctx[-1, 1, 2])
    for cell in "ctx[1][0]", "ctx[7][1][0]", "ctx[-3][1][0]", "ctx[1][4][0]":
        with pytest.raises(ValueError, match=message):
            w.explain(cell)
    number = round(float(queries[0, 1, 2]), 4)
    calls = [line.strip() for line in str(attn.explain(number)).splitlines() if "queries" in line]
    assert calls == ['attn.explain("queries[0][1][2]")']
    assert eval(calls[0]).text.endswith(f" = {number:.4f}\n")


def test_a_number_lists_calls_that_explain_it():
    torch.manual_seed(0)
    part, x = torch.nn.Linear(8, 24), torch.randn(5, 3, 8)
    out_proj = torch.nn.Linear(8, 8)
    with torch.no_grad(), attn.watch() as w:
        queries, keys, values = part(x).chunk(3, -1)
        q, k, v = (one.view(5, 3, 2, 4).permute(1, 2, 0, 3) for one in (queries, keys, values))
        z = SDPA(q, k, v, is_causal=True)
        y = out_proj(z.permute(2, 0, 1, 3).reshape(5, 3, 8))
    assert w.right, w
    for tensor in queries[4, 0, 3], keys[2, 0, 1], z[0, 1, 2, 3], y[3, 0, 5]:
        number = f"{tensor:.4f}"
        calls = [one for one in attn.explain(number).text.splitlines() if "attn.explain(" in one]
        assert calls
        for call in calls:
            assert f"= {number}\n" in eval(call.strip()).text, call


def test_a_walk_advises_a_head_only_where_it_helps():
    torch.manual_seed(0)
    attention, x = torch.nn.MultiheadAttention(4, 2, batch_first=True), torch.randn(1, 4, 4)
    padding = torch.tensor([[False, False, False, True]])
    for mask in FUTURE, None:
        with torch.no_grad(), attn.watch() as w:
            attention(x, x, x, attn_mask=mask, key_padding_mask=padding)
        with pytest.raises(ValueError, match="^no stage has the mask of layer 0$"):
            attn.walk(w)


def test_heads_without_an_output_projection_are_walked_one_by_one():
    parts, x = linear_layers(), torch.randn(1, 4, 4)
    with torch.no_grad(), attn.watch() as w:
        q, k, v = (part(x).view(1, 4, 2, 2).transpose(1, 2) for part in parts)
        z = SDPA(q, k, v, is_causal=True)
        z.transpose(1, 2).reshape(1, 4, 4)
    with pytest.raises(ValueError, match="^layer 0 has no output projection, .*; walk a head: head=0$"):
        attn.walk(w)
    for name, tensor in ("q", q), ("k", k), ("v", v):
        asked(f"{name}[0][1][2][1]", tensor[0, 1, 2, 1])
    asked("z[0][1][2][0]", z[0, 1, 2, 0])
    assert torch.allclose(torch.as_tensor(attn.walk(w, head=1)["context_vec"]), z[0, 1], atol=1e-6)


def test_projections_of_which_some_have_a_bias_are_walked():
    (q, k, v), x = linear_layers((True, False, True)), torch.randn(4, 4)
    with torch.no_grad(), attn.watch() as w:
        z = SDPA(q(x), k(x), v(x), is_causal=True)
    assert torch.allclose(torch.as_tensor(attn.walk(w)["context_vec"]), z, atol=1e-6)


def test_a_result_without_a_step_of_its_own_says_so(tmp_path):
    code = HEAD + "q, k, v = (nn.Linear(4, 4, bias=False) for _ in range(3))\nx = torch.randn(4, 4)\n"
    code += "def f(W_query, W_key, W_value):\n    q, k, v = W_query(x), W_key(x), W_value(x)\n"
    code += "    q = q / 2\n    s = q @ k.T\n"
    code += "    s = s.masked_fill(torch.ones(4, 4).triu(1) > 0, -torch.inf)\n"
    code += "    a = torch.softmax(s, -1)\n    c = a @ v\n    return c\nf(q, k, v)\n"
    (tmp_path / "script.py").write_text(code)
    with torch.no_grad(), attn.watch() as w:
        exec(compile(code, str(tmp_path / "script.py"), "exec"), {})
    assert w.right, w
    with pytest.raises(ValueError, match=r"^q: no step has its numbers; print\(w\) names the steps$"):
        w.explain("q[1][0]")


def test_a_layer_that_was_too_large_says_how_to_record_it():
    model, x = Heads(MASKS["masked"], "module"), torch.randn(2, 6, 8)
    with torch.no_grad(), attn.watch(most_numbers=50) as w:
        model(x)
    for head in None, 1:
        with pytest.raises(ValueError, match=r"^layer 0 was too large .*attn.watch\(most_numbers=192\)"):
            attn.walk(w, head=head)
    with torch.no_grad(), attn.watch() as w:
        w._recorder.bytes_left = 500
        model(x)
    with pytest.raises(ValueError, match=r"^layer 0 was too large .*: watch one module, attn.watch\(m"):
        attn.walk(w, head=1)


def watched():
    """Returns a watch of one right layer, whose weights have the name mine."""
    x = torch.rand(4, 3)
    W_query, W_key, W_value = (torch.rand(3, 2) for _ in range(3))
    with attn.watch() as w:
        mine = torch.softmax((x @ W_query) @ (x @ W_key).T / 2**0.5, dim=-1)
        mine @ (x @ W_value)
    return w


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_numbers_of_half_types_are_those_of_the_code(half):
    torch.manual_seed(1)
    x, weights = torch.randn(6, 5).to(half), torch.randn(3, 5, 4).to(half)
    future = torch.ones(6, 6).triu(1).bool()
    with attn.watch() as w:
        q, k, v = (x @ one for one in weights)
        y = torch.softmax((q @ k.T).masked_fill(future, -torch.inf) / 2, -1) @ v
    for cell in (0, 0), (3, 2), (5, 3):
        name = f"y[{cell[0]}][{cell[1]}]"
        text = attn.explain(name).text
        assert text.startswith(f"{name} is {y[cell].item():.4f} in your code, which computes in")
    name = str(half).removeprefix("torch.")
    assert str(attn.walk(w)).startswith(f"Your code computes in {name}; these are the numbers in float32.")


def test_a_name_that_is_given_to_another_part_of_a_projection_belongs_to_that_part():
    torch.manual_seed(1)
    x, joint = torch.randn(5, 3), torch.nn.Linear(3, 12)

    def forward():
        q, k, v = joint(x).split(4, -1)
        v = k
        weights = torch.softmax((q @ k.T).masked_fill(torch.ones(5, 5).triu(1).bool(), -torch.inf) / 2, -1)
        return weights @ v, v

    with attn.watch():
        _, values = forward()
    found = attn.explain("v[2][1]").data["explanation"]["value"]
    assert found == pytest.approx(values[2, 1].item(), abs=1e-5)


def test_a_module_that_several_threads_run():
    torch.manual_seed(1)
    module, x = Heads(MASKS["masked"], "module"), torch.randn(2, 6, 8)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for _ in range(10):
            w = attn.watch(module)
            threads = [threading.Thread(target=module, args=(x,)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert [layer["verdict"] for layer in w.layers] == 8 * ["right"]
            w.close()
    finally:
        sys.setswitchinterval(interval)


def test_the_weights_of_one_head_have_no_axis_for_it():
    torch.manual_seed(1)
    x, layers = torch.randn(1, 5, 4), [torch.nn.Linear(4, 4) for _ in range(4)]
    with attn.watch():
        q, k, v = (layer(x) for layer in layers[:3])
        scores = (q @ k.transpose(1, 2)).masked_fill(torch.ones(5, 5).triu(1).bool(), -torch.inf)
        weights = torch.softmax(scores / 2, -1)
        layers[3](weights @ v)
    found = attn.explain("weights[0][3][2]").data["explanation"]["value"]
    assert found == pytest.approx(weights[0, 3, 2].item(), abs=1e-5)


@pytest.mark.parametrize("size", [(0, 3, 4), (2, 0, 4), (0, 4), (0, 0, 4)])
def test_inputs_without_tokens_are_not_judged(size):
    module = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    x = torch.randn(size)
    with attn.watch() as w:
        module(x, x, x)
        torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)
    assert not any(layer["departs"] for layer in w.layers) and str(w)


def test_reasons_why_nothing_is_walked_are_the_true_ones(tmp_path):
    module = torch.nn.MultiheadAttention(4, 2, batch_first=True, device="meta")
    with attn.watch() as w:
        module(*3 * [torch.randn(1, 3, 4, device="meta")])
    with pytest.raises(ValueError, match="meta tensors have no numbers"):
        attn.walk(w)
    q, k, v = torch.randn(3, 2, 2, 5, 3)
    with attn.watch() as w:
        torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    with pytest.raises(ValueError, match="layer 0 begins with queries, keys and values"):
        attn.walk(w)
    with pytest.raises(ValueError, match="z.0..0.: there is no such variable or step; layer 0"):
        attn.explain("z[0][0]")
    with pytest.raises(FileNotFoundError) as error:
        w.save(tmp_path / "none" / "x.json")
    assert error.value.filename == str(tmp_path / "none" / "x.json")


@pytest.mark.parametrize("tokens, heads, batch", [(2, 2, 2), (2, 2, 1), (3, 3, 2), (4, 4, 1), (6, 2, 2)])
def test_heads_merged_without_a_transposition_are_wrong_also_if_as_many_as_tokens(tokens, heads, batch):
    torch.manual_seed(1)
    x = torch.randn(batch, tokens, 2 * heads)
    layers = [torch.nn.Linear(2 * heads, 2 * heads) for _ in range(4)]
    for is_right in True, False:
        for has_output in True, False:
            with attn.watch() as w:
                q, k, v = (layer(x).view(batch, tokens, heads, 2).transpose(1, 2) for layer in layers[:3])
                scores = (q @ k.mT / 2**0.5).masked_fill(torch.ones(tokens, tokens).triu(1) > 0, -torch.inf)
                heads_first = torch.softmax(scores, -1) @ v
                merged = (heads_first.mT.mT.transpose(1, 2) if is_right else heads_first).reshape(x.shape)
                merged = layers[3](merged) if has_output else merged
            (layer,) = w.layers
            assert layer["verdict"] == ("right" if is_right else "departs"), w
            assert is_right or layer["departs"]["op"] == "reshape", w


def test_a_bias_of_two_tokens_is_taken_as_it_is():
    torch.manual_seed(1)
    module, x = torch.nn.MultiheadAttention(4, 2, batch_first=True), torch.randn(1, 2, 4)
    with attn.watch() as w:
        module(x, x, x, attn_mask=torch.tensor([[0.0, -torch.inf], [-0.5, 0.0]]))
    assert w.right and "adds a bias to the scores" in str(w)


def test_numbers_that_overflow_are_not_judged():
    torch.manual_seed(1)
    x, layers = 1e38 * torch.randn(1, 3, 4), [torch.nn.Linear(4, 4) for _ in range(4)]
    with attn.watch() as w:
        q, k, v = (layer(x).view(1, 3, 2, 2).transpose(1, 2) for layer in layers[:3])
        layers[3](SDPA(q, k, v, is_causal=True).transpose(1, 2).reshape(1, 3, 4))
    assert [layer["verdict"] for layer in w.layers] == ["unknown"]


def test_a_factor_behind_the_scores_is_not_compared_with_theirs():
    torch.manual_seed(1)
    x, layers = torch.randn(1, 5, 8), [torch.nn.Linear(8, 8) for _ in range(4)]
    future = torch.ones(5, 5).triu(1).bool()
    for is_doubled in True, False:
        with attn.watch() as w:
            q, k, v = (layer(x).view(1, 5, 2, 4).transpose(1, 2) for layer in layers[:3])
            scores = q @ k.mT / 4**0.5
            scores = scores.masked_fill(future, -torch.inf) if is_doubled else scores - 10 * future
            out = torch.softmax(scores, -1) @ v
            out = 2 * out if is_doubled else out
            layers[3](out.transpose(1, 2).reshape(1, 5, 8))
        assert w.layers[0]["departs"]["op"] == "mul" and "**0.5" not in w.layers[0]["headline"], w


def test_layers_and_heads_that_do_not_exist_are_named(tmp_path):
    w = watched()
    for layer in 7, -1, True, None, 0.0, "0":
        with pytest.raises(ValueError, match=f"^layer: there is no layer {layer!r}; only layer 0 "):
            attn.walk(w, layer=layer)
    for head in 1, -1, "0":
        with pytest.raises(ValueError, match=f"^head: there is no head {head!r}; only head 0 exists$"):
            attn.walk(w, head=head)
    with pytest.raises(ValueError, match="^layer: there is no layer 2;"):
        attn.explain("mine[1][0]", layer=2)
    with pytest.raises(ValueError, match="^seed: changes nothing about a watch"):
        attn.walk(w, seed=3)
    with pytest.raises(ValueError, match="^inputs: changes nothing about a watch"):
        attn.walk(w, inputs=torch.eye(3))
    scope = {}
    exec(compile(HEAD + MODULES["block"], str(tmp_path / "model.py"), "exec"), scope)
    with torch.no_grad(), attn.watch() as w:
        scope["A"](8, 8, 6, 2).eval()(torch.randn(2, 6, 8))
    with pytest.raises(ValueError, match="no layer 2; layers 0 to 1 exist$"):
        attn.walk(w, layer=2)
    with pytest.raises(ValueError, match="no head 2; heads 0 to 1 exist$"):
        attn.walk(w, head=2)
    x = torch.rand(4, 3)
    with attn.watch() as w:
        torch.softmax(x @ x.T, -1) @ x
    assert list(attn.walk(w, head=0)) == list(attn.walk("simplified"))
    with attn.watch() as w:
        x + x
    for call in (lambda: attn.walk(w), lambda: w.explain("keys[0][0]")):
        with pytest.raises(ValueError, match="^layer: there is none. No attention layer was found"):
            call()


def test_numbers_are_those_of_the_watched_code_and_notions_are_not():
    w = watched()
    explained = attn.explain("mine[1][0]").text
    assert explained == w.explain("mine[1][0]").text == attn.explain(" mine [1][0] ").text
    number = f"{attn.walk(w)['attn_weights'][1][0]:.4f}"
    for question in number, float(number):
        assert 'attn.explain("attn_weights[1][0]")' in attn.explain(question).text
    for notion in "softmax", "keys", "why is the mask -inf":
        assert attn.explain(notion).data["explanation"]["notions"]
    with pytest.raises(ValueError, match="^cell: a cell such as .* or a number is expected, not 'softmax'$"):
        w.explain("softmax")
    with pytest.raises(TypeError, match="^cell: .* not Tensor$"):
        attn.explain(torch.tensor(0.5))


MISPLACED_HEAD = """import torch
torch.manual_seed(111)
x, lq, lk, lv = torch.randn(1, 5, 9), *(torch.nn.Linear(9, 9, bias=False) for _ in range(3))
q, k, v = (one(x).view(1, 5, 3, 3) for one in (lq, lk, lv))
y, later = torch.zeros(1, 5, 3, 3), torch.ones(5, 5).triu(1) > 0
for h in range(3):
    a = q[:, :, h] @ k[:, :, h].transpose(1, 2) / 3**0.5
    y[:, :, h - 1] = a.masked_fill(later, -torch.inf).softmax(-1) @ v[:, :, h]
out = torch.nn.Linear(9, 9)(y.view(1, 5, 9))
"""
EARLY_OUTPUT = """import torch
torch.manual_seed(50)
x, later = torch.randn(2, 5, 8), torch.ones(5, 5).triu(1) > 0
q_proj, k_proj, v_proj, o_proj = (torch.nn.Linear(8, 8, bias=False) for _ in range(4))
q, k = (one(x).view(2, 5, 4, 2).transpose(1, 2) for one in (q_proj, k_proj))
v = o_proj(v_proj(x)).view(2, 5, 4, 2).transpose(1, 2)
a = (q @ k.mT / 2**0.5).masked_fill(later, -torch.inf).softmax(-1)
y = (a @ v).transpose(1, 2).reshape(2, 5, 8)
"""
GLOBAL_WEIGHTS = """import torch
x = torch.rand(6, 3)
W_query, W_key, W_value = (torch.rand(3, 2) for _ in range(3))
outs, keys, values = [], [], []
def step(token):
    query = token @ W_query
    keys.append(token @ W_key)
    values.append(token @ W_value)
    weights = torch.softmax(query @ torch.stack(keys).T / 2**0.5, dim=-1)
    outs.append(weights @ torch.stack(values))
"""
OWN_ATTRIBUTES = """import torch
x = torch.rand(6, 3)
class Attention:
    def __init__(self):
        self.wq, self.wk, self.wv = (torch.rand(2, 3) for _ in range(3))
        self.keys, self.values = [], []
    def step(self, token):
        query = self.wq @ token
        self.keys.append(self.wk @ token)
        self.values.append(self.wv @ token)
        weights = torch.softmax(torch.stack(self.keys) @ query / 2**0.5, dim=0)
        return weights @ torch.stack(self.values)
step = Attention().step
"""


@pytest.mark.parametrize("code", [GLOBAL_WEIGHTS, OWN_ATTRIBUTES])
def test_weights_have_the_names_of_global_variables_and_attributes(code, tmp_path):
    scope = {}
    exec(compile(code, str(tmp_path / "cache.py"), "exec"), scope)
    recorder = Recorder()
    with recorder:
        for token in scope["x"]:
            scope["step"](token)
    layers, text = judged(recorder, tmp_path / "cache.py")
    assert [layer["stage"] for layer in layers if layer["verdict"] == "right"] == ["causal"], text


def test_a_watch_that_recorded_no_call_says_so():
    thread = threading.Thread(target=torch.nn.Linear(3, 2), args=[torch.rand(4, 3)])
    with attn.watch() as w:
        thread.start()
        thread.join()
    assert str(w).startswith("No call was recorded. A watch of a block records"), w
    assert w._repr_html_().startswith("<details><summary>no attention layer</summary><pre>No call was")
    with pytest.raises(ValueError, match="^layer: there is none. No call was recorded"):
        attn.walk(w)


def test_what_a_watch_refuses():
    model = torch.nn.Linear(3, 2)
    for wrong in 3, "a", torch.nn.Linear, torch.jit.script(model):
        with pytest.raises(TypeError, match="^model: "):
            attn.watch(wrong)
    assert torch.nn.Linear.forward(model, torch.zeros(1, 3)).shape == (1, 2)
    with pytest.raises(TypeError, match=r"^watch\(\) got an unexpected keyword argument 'nope'"):
        attn.watch(nope=3)
    for wrong in "x", -1, float("nan"):
        with pytest.raises(ValueError, match="^most_numbers: "):
            attn.watch(most_numbers=wrong)
    attn.watch(most_numbers=numpy.int64(5))
    for wrong in 3, True, None:
        with pytest.raises(TypeError, match="^path: a file name is expected, not"):
            attn.watch().save(wrong)
    for wrong in "a\0.json", "\ud800.json":
        with pytest.raises(ValueError, match="^path: no file can have this name"):
            attn.watch().save(wrong)
    with attn.watch() as w:
        torch.ones(3) * 2
    w._recorder.tensors[0]["shape"] = (9, 9)
    with pytest.raises(ValueError, match="^the recording: at /tensors/0: "):
        print(w)


@pytest.mark.parametrize("code", [
    "m = torch.ones(8, 2048)[:, None, None, :].expand(8, 1, 2048, 2048)",
    "for _ in range(5):\n    m = torch.ones(8, 2048)[:, None].expand(8, 512, 2048)",
    "x = torch.ones(1000, 1000)\nfor _ in range(35):\n    x.T\n    torch.ones(1000, 1000)",
])  # fmt: skip
def test_tensors_beyond_the_limits_of_the_program_are_recorded_without_numbers(code):
    with attn.watch() as w:
        exec(code, {"torch": torch})
    assert str(w).startswith("No attention layer was found"), w
    has_data = ["data" in one for one in w.recording()["tensors"]]
    assert has_data[0] and not all(has_data)


def test_the_name_of_a_file_may_be_no_utf_8():
    code = compile("x = torch.ones(3, 3)\ntorch.softmax(x @ x.T, -1) @ x", "\ud800", "exec")
    with attn.watch() as w:
        exec(code, {"torch": torch})
    assert w.right


@pytest.mark.filterwarnings("ignore")  # some kinds of tensors are still prototypes
def test_tensors_without_plain_numbers_are_refused():
    x = torch.eye(3)
    masked = torch.masked.masked_tensor(x, x.bool())
    unreadable = [
        (x.to_sparse(), r"a sparse tensor; pass x.to_dense\(\)"), (x.to_sparse_csr(), "a sparse tensor"),
        (x.to("meta"), "a meta tensor; it has no numbers"), (masked, "not a plain tensor"),
        (torch.quantize_per_tensor(x, 0.1, 0, torch.quint8), r"a quantized tensor; pass x.dequantize\(\)"),
        (torch.nested.nested_tensor([x, x]), "a nested tensor; pass one of"), (x * 1j, ".*expected"),
    ]  # fmt: skip
    for tensor, message in unreadable:
        with pytest.raises(TypeError, match=f"^the tensor: {message}"):
            attn.check(tensor)
        with pytest.raises(TypeError, match=f"^inputs: {message}"):
            attn.walk("simplified", inputs=tensor)
        with pytest.raises(TypeError, match=f"^weights: W_query.weight: {message}"):
            attn.walk("causal", weights={"W_query.weight": tensor})
    for tensor in x.bfloat16(), x.half(), x.to(torch.float8_e4m3fn), torch.complex(-x, -x).conj().imag:
        weights = {f"W_{name}.weight": tensor for name in ("query", "key", "value")}
        assert attn.walk("simplified", inputs=tensor)["inputs"].tolist() == x.tolist()
        assert attn.walk("causal", weights=weights)["W_key"].tolist() == x.tolist()


def test_the_first_axis_of_a_module_counts_its_tokens():
    part = torch.nn.MultiheadAttention(8, 2)
    for hidden, is_told in (None, True), (torch.ones(3, 3).triu(1).bool(), False):
        with attn.watch() as w:
            part(*3 * [torch.randn(3, 6, 8)], attn_mask=hidden)
        assert ("with 3 tokens in each of 6 sequences; if the first axis is" in str(w)) == is_told, w


def test_a_mask_of_as_many_tokens_as_sequences_is_no_padding():
    attention = torch.nn.MultiheadAttention(4, 2, batch_first=True).eval()
    with attn.watch() as w:
        x = torch.rand(3, 3, 4)
        attention(x, x, x, attn_mask=torch.ones(3, 3).triu(1).bool())
    assert w.right and "it is missing" not in str(w), w


def test_a_module_with_the_batch_first_lacks_only_a_mask():
    attention = torch.nn.MultiheadAttention(4, 2, batch_first=True).eval()
    with attn.watch() as w:
        x = torch.rand(2, 5, 4)
        attention(x, x, x)
    assert w.right and "batch_first" not in str(w) and "it is missing" in str(w), w


def test_a_module_with_separate_widths_says_so():
    attention = torch.nn.MultiheadAttention(8, 2, batch_first=True, kdim=6, vdim=4).eval()
    with attn.watch() as w:
        attention(torch.randn(2, 5, 8), torch.randn(2, 5, 6), torch.randn(2, 5, 4))
    assert not w.right and str(w).startswith("nn.MultiheadAttention with separate widths"), w


def test_layers_that_are_built_on_one_line_keep_their_names(tmp_path):
    linear = "torch.nn.Linear(3, 2, bias=False)"
    builds = f"q = {linear}; k = {linear}; v = {linear}", f"q = {linear}\nk = {linear}; v = {linear}"
    for i, build in enumerate(builds):
        code = f"import torch\nx = torch.rand(6, 3)\n{build}\nQ, K, V = q(x), k(x), v(x)\n"
        code += "s = (Q @ K.T).masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf)\n"
        code += "c = torch.softmax(s / 2**0.5, dim=-1) @ V\n"
        found, text = layers_of_plain(code, tmp_path / f"script{i}.py")
        assert [layer["verdict"] for layer in found] == ["right"], text


def test_a_recorded_part_without_axes_is_no_part_of_a_projection(tmp_path):
    proj = torch.nn.Linear(6, 12)
    recorder = Recorder()
    with recorder:
        proj(torch.randn(5, 6)).chunk(3, -1)
    recording = recorder.recording()
    chunk = next(call for call in recording["calls"] if call["op"] == "chunk")
    for one in chunk["results"]:
        recording["tensors"][one].update(shape=[], strides=[])
    (tmp_path / "calls.json").write_text(json.dumps(recording))
    answer = subprocess.run([PROGRAM, "diagnose", tmp_path / "calls.json"], capture_output=True, text=True)
    assert answer.returncode == 1 and "No attention layer" in answer.stdout, answer


def test_twice_the_layers_take_about_twice_the_time(tmp_path):
    scope, times = {}, []
    exec(compile(HEAD + MODULES["multi"], str(tmp_path / "model.py"), "exec"), scope)
    for count in 80, 160:
        model = torch.nn.Sequential(*(scope["A"](8, 8, 6, 2) for _ in range(count)))
        with attn.watch() as w:
            model(torch.randn(1, 6, 8))
        w.save(tmp_path / "calls.json")
        seconds = []
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            subprocess.run([PROGRAM, "diagnose", tmp_path / "calls.json"], capture_output=True, check=True)
            seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        times.append(min(seconds))
    assert times[1] <= 3 * times[0], times


def test_jupyter_shows_the_line_of_the_cell(capsys):
    shells = pytest.importorskip("IPython.core.interactiveshell")
    shell = shells.InteractiveShell.instance()
    shell.run_line_magic("load_ext", "attn_walkthrough")
    setup = "import torch\nx = torch.rand(6, 3)\n"
    setup += "W_query, W_key, W_value = (torch.rand(3, 2) for _ in range(3))\n"
    setup += "queries, keys, values = x @ W_query, x @ W_key, x @ W_value\n"
    shell.run_cell(f"%%attn\n{setup}z = torch.softmax(queries @ keys.T / 2**0.5, dim=0) @ values\n")
    assert "✗ line 6: softmax has dim=0; linear has dim=-1" in capsys.readouterr().out
    for cell in "print(1 + 1)", "queries = x @ W_query\nkeys = x @ W_key\nvalues = x @ W_value; print(2)":
        assert shell.run_cell(f"%%attn\n{cell}\n").success
        assert capsys.readouterr().out == "2\n"


def test_a_cell_is_judged_with_the_cells_before_it(capsys):
    shells = pytest.importorskip("IPython.core.interactiveshell")
    shell = shells.InteractiveShell.instance()
    shell.run_line_magic("load_ext", "attn_walkthrough")
    capsys.readouterr()
    setup = "import torch\nx = torch.rand(6, 3)\nW_q, W_k, W_v = (torch.rand(3, 2) for _ in range(3))"
    softmax = "weights = torch.softmax(masked / 2**0.5, dim={})"
    for cell, first in [
        (setup, ""),
        ("q, k, v = x @ W_q, x @ W_k, x @ W_v", ""),
        ("scores = q @ k.T", "✓ 4 calls, attn_scores is step 8 of linear"),
        ("masked = scores.masked_fill(torch.ones(6, 6).triu(1) > 0, -torch.inf)", "✓ 5 calls, masked is"),
        ("m = torch.nn.Linear(2, 2)(v)", ""),
        (softmax.format(0), "✗ line 2: softmax has dim=0; causal has dim=-1"),
        (softmax.format(-1), "✓ 7 calls, attn_weights_causal is step 16 of causal"),
        ("y = weights @ v", "✓ 9 calls, context_vec is step 19 of causal"),
    ]:
        shell.run_cell(f"%%attn\n{cell}\n")
        shown = capsys.readouterr().out
        assert shown.splitlines()[0].startswith(first) if first else not shown, shown
        assert "missing" not in shown


def test_a_cell_under_attn_fails_and_is_silent_as_without_it(capsys):
    shells = pytest.importorskip("IPython.core.interactiveshell")
    shell = shells.InteractiveShell.instance()
    shell.run_line_magic("load_ext", "attn_walkthrough")
    for cell in "1/0", "1 +* 2", "raise KeyboardInterrupt":
        results, printed = [], []
        for magic in "", "%%attn\n":
            results.append(shell.run_cell(magic + cell, store_history=True))
            printed.append(capsys.readouterr().out.strip().splitlines()[-1:])
        assert not results[0].success and not results[1].success and printed[0] == printed[1], cell
    for cell in "3 * 4;", "3 * 4;  # twelve", "3 * 4", "3 * 4  # twelve;":
        printed = []
        for magic in "", "%%attn\n":
            assert shell.run_cell(magic + cell, store_history=True).success
            printed.append(capsys.readouterr().out.partition(": ")[2])
        assert printed == ["" if "4;" in cell else "12\n"] * 2, cell


def damaged(recording, random):
    """Returns a recording in which a tensor lacks its numbers or axes, or a call an operand."""
    changed = json.loads(json.dumps(recording))
    tensor, call = random.choice(changed["tensors"]), random.choice(changed["calls"])
    kind = random.randrange(5)
    if kind < 3:
        tensor.pop("data", None)
        tensor["shape"] = [tensor["shape"], [], [0, *tensor["shape"][1:]]][kind]
    elif kind == 3 and call["arguments"]:
        call["arguments"].pop(random.randrange(len(call["arguments"])))
    else:
        changed["calls"].remove(call)
    return changed


@pytest.mark.parametrize("name", MODULES)
def test_parts_that_a_recording_lacks_end_no_run(name, tmp_path):
    (tmp_path / "module.py").write_text(HEAD + MODULES[name])
    recorder, scope, random_of = Recorder(), {}, random.Random(name)
    with recorder:
        exec(compile(HEAD + MODULES[name], str(tmp_path / "module.py"), "exec"), scope)
        heads = 4 if "self.kv" in MODULES[name] else 2
        width = 8 if "C // " in MODULES[name] or "nbatches" in MODULES[name] else 4
        scope["A"](width, 8, 6, heads).eval()(torch.randn(2, 6, width))
    for _ in range(6):
        text = json.dumps(damaged(recorder.recording(), random_of))
        answer = subprocess.run([PROGRAM, "diagnose", "-"], input=text, capture_output=True, text=True)
        assert answer.returncode in (0, 1, 2), answer.stderr
        assert "internal" not in answer.stderr, answer.stderr
