"""Writes a model's checkpoint with Hugging Face's names for Llama: twelve layers as .safetensors, with four
query heads, two key heads, and rotary positions by halves. Compares the program's results for a layer with
PyTorch's.

The lines that recompute a layer are those of Hugging Face's Llama: cos and sin repeated side by side,
rotate_half, repeat_kv.
"""

import pytest

from oracle import numpy, torch
from runs import flat, traced
from tensor_files import safetensors

LAYERS, WIDTH, HEADS, KV_HEADS, HEAD_DIM, TOKENS = 12, 24, 4, 2, 6, 9
NEAR = 3e-6


def checkpoint(rng, biases):
    rows = {"q": HEADS * HEAD_DIM, "k": KV_HEADS * HEAD_DIM, "v": KV_HEADS * HEAD_DIM}
    tensors = {"model.embed_tokens.weight": rng.normal(size=(40, WIDTH))}
    for layer in range(LAYERS):
        prefix = f"model.layers.{layer}."
        for part, out in rows.items():
            tensors[f"{prefix}self_attn.{part}_proj.weight"] = rng.normal(size=(out, WIDTH)) / WIDTH**0.5
            if biases:  # as in Qwen
                tensors[f"{prefix}self_attn.{part}_proj.bias"] = rng.normal(size=out)
        tensors[f"{prefix}self_attn.o_proj.weight"] = (
            rng.normal(size=(WIDTH, HEADS * HEAD_DIM)) / WIDTH**0.5
        )
        tensors[f"{prefix}mlp.down_proj.weight"] = rng.normal(size=(WIDTH, 5))
        tensors[f"{prefix}input_layernorm.weight"] = rng.normal(size=WIDTH)
    return {name: array.astype(numpy.float32) for name, array in tensors.items()}


def rotate_half(x):
    return torch.cat((-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]), dim=-1)


def layer_in_torch(tensors, layer, hidden, base):
    def projected(part, heads):
        name = f"model.layers.{layer}.self_attn.{part}_proj"
        bias = tensors.get(name + ".bias")
        weight = torch.from_numpy(tensors[name + ".weight"])
        x = torch.nn.functional.linear(hidden, weight, None if bias is None else torch.from_numpy(bias))
        return x.view(1, TOKENS, heads, HEAD_DIM).transpose(1, 2)

    q, k, v = projected("q", HEADS), projected("k", KV_HEADS), projected("v", KV_HEADS)
    inv_freq = 1.0 / (base ** (torch.arange(0, HEAD_DIM, 2).float() / HEAD_DIM))
    freqs = torch.outer(torch.arange(TOKENS).float(), inv_freq)
    emb = torch.cat((freqs, freqs), dim=-1)
    q = q * emb.cos() + rotate_half(q) * emb.sin()
    k = k * emb.cos() + rotate_half(k) * emb.sin()
    groups = HEADS // KV_HEADS
    k, v = (
        x[:, :, None].expand(1, KV_HEADS, groups, TOKENS, HEAD_DIM).reshape(1, HEADS, TOKENS, HEAD_DIM)
        for x in (k, v)
    )
    context, weights = torch.nn.functional._scaled_dot_product_attention(q, k, v, None, 0.0, True, True)
    merged = context.transpose(1, 2).reshape(1, TOKENS, HEADS * HEAD_DIM)
    out = merged @ torch.from_numpy(tensors[f"model.layers.{layer}.self_attn.o_proj.weight"]).T
    return {"queries_turned": q, "keys_repeated": k, "attn_weights": weights, "context_vec": out}


def walked(stage, *options):
    shown = traced(stage, options)
    return shown["parameters"], {
        step["name"]: torch.tensor(list(flat(step["data"]))).view(step["shape"]) for step in shown["steps"]
    }


@pytest.mark.parametrize("biases", [False, True])
def test_a_layer_is_what_pytorch_computes(biases, tmp_path):
    rng = numpy.random.default_rng(11)
    hidden = rng.normal(size=(TOKENS, WIDTH)).astype(numpy.float32)
    tensors = checkpoint(rng, biases)
    numpy.save(tmp_path / "hidden.npy", hidden)
    (tmp_path / "model.safetensors").write_bytes(
        safetensors({name: ("F32", x.shape, x.tobytes()) for name, x in tensors.items()})
    )
    for layer, base in ((0, 10000), (7, 500000), (11, 10000)):
        options = [
            f"--input={tmp_path}/hidden.npy",
            f"--weights={tmp_path}/model.safetensors",
            f"--layer={layer}",
            f"--heads={HEADS}",
        ]
        parameters, ours = walked(
            "grouped-query", *options, "--rotary=halves" if base == 10000 else f"--rotary=halves:{base}"
        )
        assert parameters["kv_heads"] == KV_HEADS and parameters["rotary"] == "halves", parameters
        for name, tensor in layer_in_torch(tensors, layer, torch.from_numpy(hidden)[None], base).items():
            torch.testing.assert_close(
                ours[name], tensor, rtol=0, atol=NEAR * max(1.0, float(tensor.abs().max()))
            )
        # A single query head, with the keys that it shares.
        _, one = walked("causal", *options, "--head=3", "--dropout=0")
        _, grouped = walked("grouped-query", *options)
        torch.testing.assert_close(
            one["attn_weights_causal"], grouped["attn_weights"][0, 3], rtol=1e-5, atol=1e-6
        )
