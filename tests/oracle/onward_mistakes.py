"""Makes the mistakes of the further topics in PyTorch, as a reader would, and lets the program name them."""

import json
import random

import pytest

from attention_calls import complex_turned, halves_turned, multihead, scaled, walked
from oracle import torch
from program import run
from runs import as_lesson

RUNS = 6  # runs of each mistake
torch.set_printoptions(precision=5, sci_mode=False)


def lesson_of(rng):
    tokens, width = rng.randint(4, 8), rng.randint(3, 6)
    return as_lesson([[round(rng.uniform(-2, 2), 3) for _ in range(width)] for _ in range(tokens)])


def said(folder, stage, lesson, options, step, numbers):
    """Returns the mistakes that the program names for a step, the likeliest first."""
    (folder / "lesson.json").write_text(json.dumps(lesson))
    command = f"diagnose {stage} - --as={step} --json=-", *options, f"--input={folder / 'lesson.json'}"
    answer = run(*command, stdin=str(numbers.detach()))
    assert answer.returncode == 1, (command, answer.stderr)
    tensors = json.loads(answer.stdout)["tensors"]
    return [match["mistakes"] for tensor in tensors for match in tensor["matches"]]


def window_off_by_one(lesson, rng):
    window = rng.randint(2, len(lesson["tokens"]) - 2)
    off = rng.choice([-1, 1]) if window > 2 else 1  # a window of 1 shows the values
    options = [f"--window={window}", "--d-out=4"]
    n = walked("sliding-window", lesson, *options)
    ones = torch.ones_like(n["visible"])
    keep = torch.tril(ones) * torch.triu(ones, 1 - window - off)
    return "sliding-window", options, "context_vec", scaled(n["queries"], n["keys"], n["values"], keep)[0]


def kv_heads_repeated_in_the_wrong_order(lesson, rng):
    n = walked("grouped-query", lesson)
    keys, values = (n[f"{x}_heads"].repeat(1, 2, 1, 1) for x in ("keys", "values"))
    return "grouped-query", [], "context_heads", scaled(n["queries_heads"], keys, values, is_causal=True)[0]


def cache_row_appended_twice(lesson, rng):
    n = walked("kv-cache", lesson, "--d-out=4")
    token = n["inputs"][1:2]
    key = token @ n["W_key"].T
    keys = torch.cat((n["cache_keys_1"], key, key))
    weights = torch.softmax(token @ n["W_query"].T @ keys.T / 4**0.5, dim=-1)
    return "kv-cache", ["--d-out=4"], "token_weights_2", weights


def mask_convention_inverted(lesson, rng):
    width = len(lesson["embeddings"][0])
    n = walked("causal", lesson, f"--d-out={width}")
    x = n["inputs"].detach()[None]
    module = multihead([n["W_query"], n["W_key"], n["W_value"]])
    return (
        "causal",
        [f"--d-out={width}"],
        "attn_weights_causal",
        module(x, x, x, attn_mask=n["mask_simple"].bool())[1][0],
    )


def rotary_other_pairing(lesson, rng):
    pairing, turn = rng.choice([("halves", complex_turned), ("neighbours", halves_turned)])
    options = [f"--rotary={pairing}", "--heads=2", "--kv-heads=2", "--d-out=12"]
    n = walked("grouped-query", lesson, *options)
    weights = scaled(
        turn(n["queries_heads"], 10000), turn(n["keys_heads"], 10000), n["values_heads"], is_causal=True
    )[1]
    return "grouped-query", options, "attn_weights", weights


def positions_not_advanced(lesson, rng):
    n = walked("rotary", lesson)
    return "rotary", [], "last_scores", n["queries"][-1:] @ n["keys_halves"].T  # position 0 rotates nothing


def mask_top_left(lesson, rng):
    n = walked("masks", lesson, "--d-out=4")
    q, k = n["queries"], n["keys"]
    last = n["bottom_right_mask"].shape[0]
    return "masks", ["--d-out=4"], "bottom_right_weights", scaled(q[-last:], k, k, is_causal=True)[1]


def mean_for_sum(lesson, rng):
    """Averages the context vectors for the loss, where the stage adds them up, or vice versa."""
    ours, theirs = rng.sample(["sum", "mean"], 2)
    n = walked("causal", lesson, "--d-out=2")
    x = n["inputs"].detach()
    layers = [n[f"W_{name}"].detach().requires_grad_() for name in ("query", "key", "value")]
    context = scaled(*(x @ layer.T for layer in layers), is_causal=True)[0]
    getattr(context, theirs)().backward()
    options = ["--d-out=2", "--backward", "--dropout=0", f"--loss={ours}"]
    return "causal", options, "W_key_grad", layers[1].grad


def other_step(lesson, rng):
    """Prints a projection under the name of a different one."""
    named, used = rng.sample(["query", "key", "value"], 2)
    n = walked("linear", lesson, "--d-out=4")
    numbers = n["inputs"].detach() @ n[f"W_{used}"].T
    return "linear", ["--d-out=4"], {"query": "queries"}.get(named, named + "s"), numbers


def inputs_incomplete(lesson, rng):
    inputs = torch.tensor(lesson["embeddings"])
    x = rng.choice([inputs[:-1], inputs[1:]])
    return "simplified", [], "all_context_vecs", torch.softmax(x @ x.T, dim=-1) @ x


MISTAKES = (window_off_by_one, kv_heads_repeated_in_the_wrong_order, cache_row_appended_twice,
            mask_convention_inverted, rotary_other_pairing, positions_not_advanced, mask_top_left,
            mean_for_sum, other_step, inputs_incomplete)  # fmt: skip


@pytest.mark.parametrize("make", MISTAKES)
def test_the_mistake_is_named_first(make, tmp_path):
    rng = random.Random(16)
    wanted = [[make.__name__.replace("_", "-")]]
    if make is mask_convention_inverted:
        wanted.insert(0, ["mask-flipped"])  # has the same digits
    for _ in range(RUNS):
        lesson = lesson_of(rng)
        made = make(lesson, rng)
        answers = said(tmp_path, made[0], lesson, *made[1:])
        assert answers[: len(wanted)] == wanted, made
