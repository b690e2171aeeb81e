"""Calls PyTorch's own attention, torch.nn.MultiheadAttention and torch.nn.functional._scaled_dot_product_attention (the
private name it has in 1.13), on the projections of a stage, and holds what they return against the stage's steps.

Both scale the queries before the product where the stages scale the scores after it, so that numbers may differ by a few
float32 roundings; how many do, is reported. What is NaN must be so in both. Arguments: the probe (unused), the program.
"""

import json
import random
import subprocess
import sys

from oracle import torch
from runs import random_lesson

RUNS = 40  # of each stage
NEAR = 2e-6  # of the largest number, or of 1

attention = torch.nn.functional._scaled_dot_product_attention


class Count:
    calls = numbers = other_bits = nan = 0


def walked(program, stage, lesson, *options):
    """The names a stage defines, run in PyTorch, with the steps as the program computed them."""
    command = [program, stage, "--json=-", "--input=-", *options]
    answer = subprocess.run(command, input=json.dumps(lesson), capture_output=True, text=True)
    assert answer.returncode == 0, (command, answer.stderr)
    (trace,) = json.loads(answer.stdout)["stages"]
    names = {}
    exec("\n".join(trace["setup"]), names)
    for step in trace["steps"]:
        exec("\n".join(step["code"]), names)
        names[step["name"]] = torch.tensor(json.loads(json.dumps(step["data"]).replace('"NaN"', "NaN").replace('"-Infinity"', "-Infinity")))
    return names


def hold(what, theirs, ours, count):
    theirs = theirs.detach().reshape(ours.shape)
    assert torch.equal(theirs.isnan(), ours.isnan()), (what, theirs, ours)
    there = ~ours.isnan()
    off = (theirs - ours)[there].abs().max() if there.any() else torch.tensor(0.0)
    assert off <= NEAR * max(1.0, float(ours[there].abs().max()) if there.any() else 1.0), (what, off, theirs, ours)
    count.calls += 1
    count.numbers += ours.numel()
    count.nan += int(ours.isnan().sum())
    count.other_bits += int((theirs != ours)[there].sum())


def scaled(q, k, v, mask=None, is_causal=False):
    """Context vectors and weights, (…, n, d) and (…, n, m)."""
    return attention(q, k, v, None if mask is None else mask.bool(), 0.0, True, is_causal)


def multihead(weights, heads=1, out=None):
    """The module with these projections, (d, d) each, and another after the heads or none."""
    width = weights[0].shape[0]
    module = torch.nn.MultiheadAttention(width, heads, bias=out is not None, batch_first=True).eval()
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat(weights))
        module.out_proj.weight.copy_(torch.eye(width) if out is None else out[0])
        if out is not None:
            module.in_proj_bias.zero_()
            module.out_proj.bias.copy_(out[1])
    return module


def masks(program, lesson, count):
    width = len(lesson["embeddings"][0])
    n = walked(program, "masks", lesson, f"--d-out={width}")
    q, k = n["queries"], n["keys"]
    v = n["inputs"] @ n["W_value"].T
    hold("keep", scaled(q, k, v, n["keep_mask"])[1], n["attn_weights"], count)
    hold("is_causal", scaled(q, k, v, is_causal=True)[1], n["attn_weights"], count)
    last = n["top_left_mask"].shape[0]
    hold("top left", scaled(q[-last:], k, v, is_causal=True)[1], n["top_left_weights"], count)
    hold("bottom right", scaled(q[-last:], k, v, 1 - n["bottom_right_mask"])[1], n["bottom_right_weights"], count)
    hold("empty row", scaled(q, k, v, 1 - n["front_mask"])[1], n["attn_weights_nan"], count)

    module = multihead([n["W_query"], n["W_key"], n["W_value"]])
    x = n["inputs"][None]
    hold("hide", module(x, x, x, attn_mask=n["hide_mask"].bool())[1], n["attn_weights"], count)
    hold("additive", module(x, x, x, attn_mask=n["additive_mask"])[1], n["attn_weights"], count)
    hold("the other convention", module(x, x, x, attn_mask=n["keep_mask"].bool())[1], n["attn_weights_mixed_up"], count)
    # What the notes say: a float mask of ones and zeros is added in both functions, and one row of nan makes the loss nan.
    added = torch.softmax(q @ k.T / width**0.5 + n["keep_mask"], dim=-1)
    for theirs in (module(x, x, x, attn_mask=n["keep_mask"])[1][0], attention(q, k, v, n["keep_mask"], 0.0, True, False)[1]):
        assert torch.allclose(theirs, added, atol=1e-4), (theirs, added)
    assert module(x, x, x, attn_mask=n["keep_mask"].bool())[0].sum().isnan()
    b = n["batch"]
    context, weights = module(b, b, b, attn_mask=n["hide_mask"].bool(), key_padding_mask=n["padding_mask"][:, 0].bool())
    hold("padding", weights, n["batch_weights"], count)
    hold("padded context", context, n["batch_context"], count)


def sliding_window(program, lesson, count):
    window = random.Random(len(lesson["tokens"])).randint(1, len(lesson["tokens"]))
    n = walked(program, "sliding-window", lesson, f"--window={window}")
    context, weights = scaled(n["queries"], n["keys"], n["values"], n["visible"])
    hold("band", weights, n["attn_weights"], count)
    hold("band context", context, n["context_vec"], count)
    hold("last", scaled(n["queries"][-1:], n["keys"][-window:], n["values"][-window:])[0], n["last_context"], count)


def kv_cache(program, lesson, count):
    n = walked(program, "kv-cache", lesson)
    contexts = []
    for i in range(len(lesson["tokens"])):
        query = n["inputs"][i : i + 1] @ n["W_query"].T
        context, weights = scaled(query, n[f"cache_keys_{i + 1}"], n[f"cache_values_{i + 1}"])
        hold("token", weights, n[f"token_weights_{i + 1}"], count)
        contexts.append(context)
    hold("tokens", torch.cat(contexts), n["context_vec"], count)
    hold("all at once", scaled(n["queries"], n["keys"], n["values"], is_causal=True)[0], n["whole_context"], count)


def grouped_query(program, lesson, count):
    lesson["embeddings"] = [(row * 8)[:8] for row in lesson["embeddings"]]
    for kv_heads in (1, 2, 4):
        n = walked(program, "grouped-query", lesson, f"--kv-heads={kv_heads}")
        tokens = len(lesson["tokens"])
        keep = torch.tril(torch.ones(tokens, tokens))
        context, weights = scaled(n["queries_heads"], n["keys_repeated"], n["values_repeated"], keep)
        hold("weights", weights, n["attn_weights"], count)
        hold("context", context, n["context_heads"], count)
        by_head = n["W_value"].view(kv_heads, 2, 8).repeat_interleave(4 // kv_heads, dim=0).view(8, 8)
        module = multihead([n["W_query"], n["W_key_copied"], by_head], 4, (n["W_out"], n["b_out"]))
        x = n["batch"]
        hold("module", module(x, x, x, attn_mask=(1 - keep).bool())[0], n["context_vec"], count)


def complex_turned(x, base):
    """Rows turned by their positions as complex numbers, each of two neighbours, in float64: Meta's way."""
    rates = base ** -(torch.arange(0, x.shape[-1], 2, dtype=torch.float64) / x.shape[-1])
    angles = torch.outer(torch.arange(x.shape[-2], dtype=torch.float64), rates)
    pairs = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * torch.exp(1j * angles)).flatten(-2).float()


def halves_turned(x, base):
    """The same of a first half and a second: neighbours in another order, and back."""
    there = torch.cat((torch.arange(0, x.shape[-1], 2), torch.arange(1, x.shape[-1], 2)))
    back = torch.argsort(there)
    return complex_turned(x[..., back], base)[..., there]


def rotary(program, lesson, count):
    base = random.Random(len(lesson["tokens"])).choice([10000, 500000, 100])
    n = walked(program, "rotary", lesson, f"--rotary=:{base}")
    for pairing, turn in (("halves", halves_turned), ("neighbours", complex_turned)):
        hold(pairing, turn(n["queries"], base), n[f"queries_{pairing}"], count)
        hold(pairing, turn(n["keys"], base), n[f"keys_{pairing}"], count)
    q, k = n["queries_halves"], n["keys_halves"]
    context, weights = scaled(q, k, n["values"], is_causal=True)
    hold("weights", weights, n["attn_weights"], count)
    hold("context", context, n["context_vec"], count)
    hold("last", scaled(n["last_query"], k, n["values"])[0], n["context_vec"][-1:], count)


def turned_groups(program, lesson, count):
    lesson["embeddings"] = [(row * 8)[:8] for row in lesson["embeddings"]]
    tokens = len(lesson["tokens"])
    for kv_heads in (1, 2):
        for pairing, turn in (("halves", halves_turned), ("neighbours", complex_turned)):
            options = [f"--rotary={pairing}", "--heads=2", f"--kv-heads={kv_heads}", "--d-out=12"]
            n = walked(program, "grouped-query", lesson, *options)
            hold("queries", turn(n["queries_heads"], 10000), n["queries_turned"], count)
            hold("keys", turn(n["keys_heads"], 10000), n["keys_turned"], count)
            keep = torch.tril(torch.ones(tokens, tokens))
            context, weights = scaled(n["queries_turned"], n["keys_repeated"], n["values_repeated"], keep)
            hold("weights", weights, n["attn_weights"], count)
            hold("context", context, n["context_heads"], count)


def main():
    program = sys.argv[2]
    for stage in (masks, sliding_window, kv_cache, grouped_query, rotary, turned_groups):
        rng, count = random.Random(20), Count()
        for _ in range(RUNS):
            stage(program, random_lesson(rng), count)
        print(
            f"{stage.__name__}: {count.calls} results of calls held against steps, {count.numbers} numbers, {count.other_bits} in "
            f"other bits, {count.nan} NaN in both"
        )
        assert count.calls >= RUNS


if __name__ == "__main__":
    main()
