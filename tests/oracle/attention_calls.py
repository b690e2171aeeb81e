"""Compares stages with PyTorch's own attention, called on their projections."""

import random

import pytest

from oracle import is_1_13, tensor_of, torch
from program import traced
from runs import executed, random_lesson

RUNS = 40  # runs of each stage
# Relative to the largest number, or to 1: PyTorch scales the queries, and the stages scale the scores.
NEAR = 2e-6


def walked(stage, lesson, *options):
    """Runs a stage's lines in PyTorch, and returns its names with the steps as the program computed them."""
    shown = traced(stage, options, lesson)
    names = executed(shown)
    for step in shown["steps"]:
        names[step["name"]] = tensor_of(step)
    return names


def hold(what, theirs, ours):
    theirs = theirs.detach().reshape(ours.shape)
    nearest = NEAR * max(1.0, float(ours.nan_to_num(0, 0, 0).abs().max()))
    assert torch.allclose(ours, theirs, rtol=0, atol=nearest, equal_nan=True), (what, theirs, ours)


def attention(q, k, v, mask, is_causal=False):
    """Returns context vectors and weights, (…, n, d) and (…, n, m). A float mask is added to the scores."""
    if is_1_13:
        return torch.nn.functional._scaled_dot_product_attention(q, k, v, mask, 0.0, True, is_causal)
    return torch.ops.aten._scaled_dot_product_attention_math(q, k, v, mask, 0.0, is_causal)


def scaled(q, k, v, mask=None, is_causal=False):
    if mask is not None and not is_1_13:  # below the public function, masks are numbers to add
        mask = torch.zeros(mask.shape).masked_fill(~mask.bool(), -torch.inf)
    return attention(q, k, v, mask if mask is None or not is_1_13 else mask.bool(), is_causal)


def multihead(weights, heads=1, out=None):
    """Returns the module with these projections, (d, d) each, and an output projection or none."""
    width = weights[0].shape[0]
    module = torch.nn.MultiheadAttention(width, heads, bias=out is not None, batch_first=True).eval()
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat(weights))
        module.out_proj.weight.copy_(torch.eye(width) if out is None else out[0])
        if out is not None:
            module.in_proj_bias.zero_()
            module.out_proj.bias.copy_(out[1])
    return module


def masks(lesson):
    width = len(lesson["embeddings"][0])
    n = walked("masks", lesson, f"--d-out={width}")
    q, k = n["queries"], n["keys"]
    v = n["inputs"] @ n["W_value"].T
    hold("keep", scaled(q, k, v, n["keep_mask"])[1], n["attn_weights"])
    hold("is_causal", scaled(q, k, v, is_causal=True)[1], n["attn_weights"])
    last = n["top_left_mask"].shape[0]
    hold("top left", scaled(q[-last:], k, v, is_causal=True)[1], n["top_left_weights"])
    hold("bottom right", scaled(q[-last:], k, v, 1 - n["bottom_right_mask"])[1], n["bottom_right_weights"])
    empty = n["attn_weights_nan"]
    hold("empty row", scaled(q, k, v, 1 - n["front_mask"])[1], empty if is_1_13 else empty.nan_to_num())

    module = multihead([n["W_query"], n["W_key"], n["W_value"]])
    x = n["inputs"][None]
    hold("hide", module(x, x, x, attn_mask=n["hide_mask"].bool())[1], n["attn_weights"])
    hold("additive", module(x, x, x, attn_mask=n["additive_mask"])[1], n["attn_weights"])
    hold(
        "the other convention",
        module(x, x, x, attn_mask=n["keep_mask"].bool())[1],
        n["attn_weights_mixed_up"],
    )
    # Checks two claims of the notes: both functions add a float mask of ones and zeros, and a single row of
    # nan makes the loss nan.
    added = torch.softmax(q @ k.T / width**0.5 + n["keep_mask"], dim=-1)
    for theirs in (
        module(x, x, x, attn_mask=n["keep_mask"])[1][0],
        attention(q, k, v, n["keep_mask"])[1],
    ):
        assert torch.allclose(theirs, added, atol=1e-4), (theirs, added)
    assert module(x, x, x, attn_mask=n["keep_mask"].bool())[0].sum().isnan()
    b = n["batch"]
    context, weights = module(
        b, b, b, attn_mask=n["hide_mask"].bool(), key_padding_mask=n["padding_mask"][:, 0].bool()
    )
    hold("padding", weights, n["batch_weights"])
    hold("padded context", context, n["batch_context"])


def sliding_window(lesson):
    window = random.Random(len(lesson["tokens"])).randint(1, len(lesson["tokens"]))
    n = walked("sliding-window", lesson, f"--window={window}")
    context, weights = scaled(n["queries"], n["keys"], n["values"], n["visible"])
    hold("band", weights, n["attn_weights"])
    hold("band context", context, n["context_vec"])
    hold("last", scaled(n["queries"][-1:], n["keys"][-window:], n["values"][-window:])[0], n["last_context"])


def kv_cache(lesson):
    n = walked("kv-cache", lesson)
    contexts = []
    for i in range(len(lesson["tokens"])):
        query = n["inputs"][i : i + 1] @ n["W_query"].T
        context, weights = scaled(query, n[f"cache_keys_{i + 1}"], n[f"cache_values_{i + 1}"])
        hold("token", weights, n[f"token_weights_{i + 1}"])
        contexts.append(context)
    hold("tokens", torch.cat(contexts), n["context_vec"])
    hold("all at once", scaled(n["queries"], n["keys"], n["values"], is_causal=True)[0], n["whole_context"])


def grouped_query(lesson):
    lesson["embeddings"] = [(row * 8)[:8] for row in lesson["embeddings"]]
    for kv_heads in (1, 2, 4):
        n = walked("grouped-query", lesson, f"--kv-heads={kv_heads}")
        tokens = len(lesson["tokens"])
        keep = torch.tril(torch.ones(tokens, tokens))
        context, weights = scaled(n["queries_heads"], n["keys_repeated"], n["values_repeated"], keep)
        hold("weights", weights, n["attn_weights"])
        hold("context", context, n["context_heads"])
        by_head = n["W_value"].view(kv_heads, 2, 8).repeat_interleave(4 // kv_heads, dim=0).view(8, 8)
        module = multihead([n["W_query"], n["W_key_copied"], by_head], 4, (n["W_out"], n["b_out"]))
        x = n["batch"]
        hold("module", module(x, x, x, attn_mask=(1 - keep).bool())[0], n["context_vec"])


def complex_turned(x, base):
    """Rotates rows by their positions in Meta's way: pairs of neighbours as complex numbers, in float64."""
    rates = base ** -(torch.arange(0, x.shape[-1], 2, dtype=torch.float64) / x.shape[-1])
    angles = torch.outer(torch.arange(x.shape[-2], dtype=torch.float64), rates)
    pairs = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * torch.exp(1j * angles)).flatten(-2).float()


def halves_turned(x, base):
    """The same for pairs of the first and the second half: reorders them to neighbours and back."""
    there = torch.cat((torch.arange(0, x.shape[-1], 2), torch.arange(1, x.shape[-1], 2)))
    back = torch.argsort(there)
    return complex_turned(x[..., back], base)[..., there]


def rotary(lesson):
    base = random.Random(len(lesson["tokens"])).choice([10000, 500000, 100])
    n = walked("rotary", lesson, f"--rotary=:{base}")
    for pairing, turn in (("halves", halves_turned), ("neighbours", complex_turned)):
        hold(pairing, turn(n["queries"], base), n[f"queries_{pairing}"])
        hold(pairing, turn(n["keys"], base), n[f"keys_{pairing}"])
    q, k = n["queries_halves"], n["keys_halves"]
    context, weights = scaled(q, k, n["values"], is_causal=True)
    hold("weights", weights, n["attn_weights"])
    hold("context", context, n["context_vec"])
    hold("last", scaled(n["last_query"], k, n["values"])[0], n["context_vec"][-1:])


def turned_groups(lesson):
    lesson["embeddings"] = [(row * 8)[:8] for row in lesson["embeddings"]]
    for kv_heads in (1, 2):
        for pairing, turn in (("halves", halves_turned), ("neighbours", complex_turned)):
            options = [f"--rotary={pairing}", "--heads=2", f"--kv-heads={kv_heads}", "--d-out=12"]
            n = walked("grouped-query", lesson, *options)
            hold("queries", turn(n["queries_heads"], 10000), n["queries_turned"])
            hold("keys", turn(n["keys_heads"], 10000), n["keys_turned"])
            keys, values = n["keys_repeated"], n["values_repeated"]
            context, weights = scaled(n["queries_turned"], keys, values, is_causal=True)
            hold("weights", weights, n["attn_weights"])
            hold("context", context, n["context_heads"])


@pytest.mark.parametrize("stage", [masks, sliding_window, kv_cache, grouped_query, rotary, turned_groups])
def test_pytorchs_own_attention_agrees(stage):
    rng = random.Random(20)
    for _ in range(RUNS):
        stage(random_lesson(rng))
