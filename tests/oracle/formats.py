"""The program reads what NumPy and PyTorch write, and NumPy and a strict reader read what it exports."""

import json
import math
import os
import struct
import subprocess
import zipfile

import pytest

import tensor_files
from attention_calls import halves_turned, hold, scaled
from oracle import numpy, tensor_of, torch
from program import PROGRAM, environment, ok, refuses, traced
from runs import executed

F32 = numpy.float32
TYPES = {
    torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16",
    torch.uint8: "U8", torch.bool: "BOOL", torch.int64: "I64",
}  # fmt: skip


def entry(tensor):
    """Returns the type, shape and bytes of a tensor, also of bfloat16, which NumPy does not know."""
    x = tensor.contiguous()
    bits = x.view(torch.int16) if x.dtype == torch.bfloat16 else x
    return TYPES[x.dtype], x.shape, bits.numpy().tobytes()


def write_safetensors(path, tensors, metadata=None):
    entries = {name: entry(tensor) for name, tensor in tensors.items()}
    path.write_bytes(tensor_files.safetensors(entries, metadata))


def unique(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), "a key stands twice"
    return dict(pairs)


def read_safetensors(file):
    """Reads the format strictly as its specification says."""
    (length,) = struct.unpack("<Q", file[:8])
    assert length <= min(100_000_000, len(file) - 8)
    assert file[8:9] == b"{" and (8 + length) % 8 == 0
    header = json.loads(file[8 : 8 + length], object_pairs_hook=unique)
    data = file[8 + length :]
    metadata = header.pop("__metadata__", {})
    assert all(isinstance(text, str) for pair in metadata.items() for text in pair)
    end, tensors = 0, {}
    for name, info in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        assert set(info) == {"dtype", "shape", "data_offsets"} and info["dtype"] == "F32"
        begin, stop = info["data_offsets"]
        # There is no hole and no overlap.
        assert begin == end and stop - begin == 4 * math.prod(info["shape"])
        tensors[name] = numpy.frombuffer(data[begin:stop], "<f4").reshape(info["shape"])
        end = stop
    assert end == len(data)
    return tensors, metadata


def same_bits(ours, theirs):
    assert ours.shape == theirs.shape and ours.dtype == F32 == theirs.dtype, (ours.shape, theirs.shape)
    assert ours.tobytes() == theirs.tobytes()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(8)
    return tmp_path


@pytest.fixture
def rng():
    return numpy.random.RandomState(5)


def inputs_of(name):
    """Returns the inputs as the program read them."""
    ok(f"causal --input={name} --step=inputs --quiet --out=inputs.npz")
    return numpy.load("inputs.npz")["causal.inputs"]


@pytest.mark.parametrize("round", range(12))
def test_arrays_of_numpy(round, folder, rng):
    rng.seed(round)
    x = (rng.randn(*rng.randint(1, 9, 2)) * 10.0 ** rng.randint(-3, 4)).astype(
        ["<f4", "<f2", "<f8"][round % 3]
    )
    x = numpy.asfortranarray(x) if round % 2 else x  # column-major
    numpy.save("x.npy", x)
    numpy.savez("x.npz", inputs=x, other=x[:1])
    numpy.savez_compressed("packed.npz", other=x[:1], x=x)
    write_safetensors(folder / "x.safetensors", {"hidden": torch.from_numpy(x)[None]})
    for name in ("x.npy", "x.npz", "packed.npz", "x.safetensors"):
        same_bits(inputs_of(name), x.astype(F32))


def test_a_large_array(folder, rng):
    large = numpy.repeat(
        rng.randn(40, 5).astype(F32), 64, axis=1
    )  # dynamic codes, copies over long distances
    numpy.savez_compressed("packed.npz", large)
    assert zipfile.ZipFile("packed.npz").infolist()[0].compress_size < large.nbytes / 2
    same_bits(inputs_of("packed.npz"), large)
    for version in ((1, 0), (2, 0), (3, 0)):
        with open("x.npy", "wb") as file:
            numpy.lib.format.write_array(file, large, version)
        same_bits(inputs_of("x.npy"), large)


def test_every_kind_of_number(folder, rng):
    halves = numpy.arange(2**16, dtype=numpy.uint16)
    for numbers in (
        torch.from_numpy(halves.view(numpy.float16)),
        torch.from_numpy(halves.astype(numpy.int16)).view(torch.bfloat16),
        torch.from_numpy(rng.randint(0, 2**63, 2**15).view(numpy.float64)),  # all exponents
        # The subnormals of float32, and numbers half way between two float32 numbers.
        torch.from_numpy(numpy.ldexp(rng.randn(2**15), rng.randint(-152, 100, 2**15))),
        torch.from_numpy(1 + rng.randint(0, 2**20, 2**12) * 2.0**-24),
    ):
        finite = numbers[numbers.float().isfinite()]
        finite = finite[: len(finite) // 64 * 64].view(-1, 64)
        assert finite.numel() > 2000
        write_safetensors(folder / "x.safetensors", {"x": finite})
        same_bits(inputs_of("x.safetensors"), finite.float().numpy())
    for value in (math.nan, math.inf, -math.inf):
        x = torch.ones(3, 4, dtype=torch.float16)
        x[2, 1] = value
        write_safetensors(folder / "x.safetensors", {"x": x})
        message = "x.safetensors: at /x/2/1: expected a finite number"
        refuses("causal --input=x.safetensors", message=message)


def test_pickles_are_refused(folder):
    for zipped in (True, False):
        torch.save({"x": torch.ones(2, 2)}, "x.pt", _use_new_zipfile_serialization=zipped)
        refuses("causal --input=x.pt", message="pickle")


@pytest.mark.parametrize("line", ["all --dropout=0.25", "causal", "multi-head --step=context_vec"])
def test_exports(line, folder):
    ok(line, "--out=t.npz", "--out=t.safetensors", "--json=t.json", "--quiet")
    trace = json.loads((folder / "t.json").read_text())
    arrays = numpy.load("t.npz")
    assert zipfile.ZipFile("t.npz").testzip() is None
    ok(line, "--out=again.npz", "--quiet")
    assert (folder / "t.npz").read_bytes() == (folder / "again.npz").read_bytes()
    tensors, metadata = read_safetensors((folder / "t.safetensors").read_bytes())
    assert metadata["program"] == f"attn-walkthrough {trace['program']}"
    steps = {f"{stage['name']}.{step['name']}": step for stage in trace["stages"] for step in stage["steps"]}
    assert list(arrays) == list(steps) and set(tensors) == set(steps)
    for name, step in steps.items():
        exact = numpy.array(step["data"], dtype=float).astype(F32)
        assert list(arrays[name].shape) == step["shape"]
        same_bits(arrays[name], tensors[name])
        nan = numpy.isnan(exact)
        same_bits(numpy.where(nan, F32(0), arrays[name]), numpy.where(nan, F32(0), exact))
    for stage in trace["stages"]:
        assert json.loads(metadata[stage["name"]]) == stage["parameters"]


def gpt2(width, layers, prefix="", conv1d=True, bias=True, context=16):
    """Returns the tensors of a small GPT-2, including its masks."""
    state = {f"{prefix}wte.weight": torch.randn(50, width)}
    for layer in range(layers):
        attn = f"{prefix}h.{layer}.attn."
        state[attn + "bias"] = torch.tril(torch.ones(context, context)).bool().view(1, 1, context, context)
        state[attn + "masked_bias"] = torch.tensor(-1e4)
        for name, out in ("c_attn", 3 * width), ("c_proj", width):
            weight = torch.randn(width, out) / width**0.5
            state[f"{attn}{name}.weight"] = (weight if conv1d else weight.T).contiguous()
            if bias:
                state[f"{attn}{name}.bias"] = torch.randn(out)
    return state


def attention(x, state, attn, heads, conv1d=True):
    """Computes GPT-2's layer for x (tokens, width): each head's context vectors, and the layer's output."""

    def linear(x, name):
        weight = state[f"{attn}{name}.weight"]
        return x @ (weight if conv1d else weight.T) + state.get(f"{attn}{name}.bias", torch.zeros(1))

    parts = linear(x, "c_attn").view(len(x), 3, heads, -1).permute(1, 2, 0, 3)
    contexts = scaled(*parts, is_causal=True)[0]
    return contexts, linear(contexts.transpose(0, 1).reshape(len(x), -1), "c_proj")


def walked(line, state, cuts):
    """Runs a stage's transcript in PyTorch, and returns its tensors and the comments at its top."""
    # Each of `cuts` comments names the part of the checkpoint that is a weight of the walkthrough.
    stage, *options = line.split()
    shown = traced(stage, options)
    namespace = executed(shown)
    for step in shown["steps"]:
        found = namespace[step["name"]].detach()
        torch.testing.assert_close(found, tensor_of(step), rtol=1e-5, atol=1e-5)
    comments = [line[2:] for line in shown["setup"] if line.startswith("# ")]
    codes = [comment.split(" = ") for comment in comments if " = state_dict[" in comment]
    for name, code in codes:
        same_bits(namespace[name].detach().numpy(), eval(code, {"state_dict": state}).float().numpy())
    assert len(codes) == cuts, comments
    return namespace, comments


@pytest.mark.parametrize("width, heads, conv1d, bias, prefix", [
    (128, None, True, True, ""), (12, 3, True, True, "transformer."), (12, 2, False, True, "transformer."),
    (8, 2, False, False, "_orig_mod.transformer."),
])  # fmt: skip
def test_checkpoints(width, heads, conv1d, bias, prefix, folder):
    state = gpt2(width, 3, prefix, conv1d, bias)
    write_safetensors(folder / "model.safetensors", state, {"format": "pt"})
    numpy.savez_compressed("model.npz", **{name: tensor.numpy() for name, tensor in state.items()})
    x = torch.randn(1, 5, width)
    numpy.save("x.npy", x.numpy())
    count = heads or width // 64
    parts = 6 if bias else 3  # weights and biases
    for layer in range(3):
        attn = f"{prefix}h.{layer}.attn."
        contexts, output = attention(x[0], state, attn, count, conv1d)
        weights = f"--weights=model.{('safetensors', 'npz')[layer % 2]} --layer={layer}"
        weights += f" --heads={heads}" if heads else ""
        common = f"--input=x.npy {weights}"
        for head in range(count):
            for stage in ("causal", "causal-batch"):
                namespace, _ = walked(f"{stage} {common} --head={head}", state, parts)
                hold(stage, namespace["context_vec"], contexts[head])
        if bias:
            hold("multi-head", walked(f"multi-head {common}", state, 8)[0]["context_vec"], output)
        namespace, _ = walked(f"multi-head-wrapper {common}", state, parts * count)
        hold("multi-head-wrapper", namespace["context_vec"], torch.cat(list(contexts), dim=1))
        namespace, _ = walked(f"causal-self-attention {weights}", state, 8 if bias else 4)
        theirs = attention(namespace["x"][1], state, attn, count, conv1d)[1]
        hold("causal-self-attention", namespace["context_vec"][1], theirs)


OTHER = "--input=x.npy --weights=model.safetensors --layer=1"


@pytest.mark.parametrize("bias, layer, base", [(False, 1, 10000), (True, 11, 500000)])  # Qwen has biases
def test_grouped_queries_with_llamas_names(bias, layer, base, folder):
    attn = "model.layers.{}.self_attn.{}_proj.{}".format
    state = {"model.layers.1.mlp.down_proj.weight": torch.randn(8, 5)}
    for number in range(12):
        for name, rows in (("q", 24), ("k", 12), ("v", 12), ("o", 24)):
            state[attn(number, name, "weight")] = (torch.randn(rows, 24) / 5).to(torch.bfloat16)
            if bias and name != "o":
                state[attn(number, name, "bias")] = torch.randn(rows)
    write_safetensors(folder / "model.safetensors", state)
    x = torch.randn(9, 24)
    numpy.save("x.npy", x.numpy())
    other = f"{OTHER[:-1]}{layer} --heads=4"
    parts = 6 if bias else 3
    for head in range(4):
        namespace, comments = walked(f"causal {other} --head={head} --dropout=0", state, parts)
    assert f'state_dict["{attn(layer, "k", "weight")}"][6:12]' in "\n".join(comments)
    grouped, _ = walked(f"grouped-query {other}", state, parts + 1)
    hold("a head", namespace["attn_weights_causal"], grouped["attn_weights"][0, 3].detach())

    def projected(name, heads):
        y = x @ state[attn(layer, name, "weight")].float().T + state.get(attn(layer, name, "bias"), 0)
        return y.view(9, heads, 6).transpose(0, 1)

    rotary = "halves" if base == 10000 else f"halves:{base}"
    namespace, _ = walked(f"grouped-query {other} --rotary={rotary}", state, parts + 1)
    keys, values = (part.repeat_interleave(2, dim=0)
                    for part in (halves_turned(projected("k", 2), base), projected("v", 2)))  # fmt: skip
    context, weights = scaled(halves_turned(projected("q", 4), base), keys, values, is_causal=True)
    hold("weights", weights, namespace["attn_weights"][0].detach())
    output = context.transpose(0, 1).reshape(9, 24) @ state[attn(layer, "o", "weight")].float().T
    hold("output", output, namespace["context_vec"][0].detach())
    refuses(f"multi-head {other}", message="several heads share")


def test_modules_of_the_book_inside_its_model(folder):
    book = {}
    for layer in range(2):
        att = f"trf_blocks.{layer}.att."
        for name in ("W_query", "W_key", "W_value", "out_proj"):
            book[f"{att}{name}.weight"] = torch.randn(8, 8)
        book |= {att + "out_proj.bias": torch.randn(8), att + "mask": torch.triu(torch.ones(9, 9), 1)}
    write_safetensors(folder / "model.safetensors", book)
    numpy.save("x.npy", torch.randn(4, 8).numpy())
    for head in range(2):
        walked(f"causal {OTHER} --heads=2 --head={head}", book, 3)
    walked(f"multi-head {OTHER} --heads=2", book, 5)


LAYER = "causal --weights=model.safetensors --layer=0"


@pytest.mark.parametrize("name, tensor, message", [
    ("h.0.attn.bias", torch.ones(1, 1, 4, 4), "expected the causal mask"),
    ("h.0.attn.c_attn.weight", torch.ones(12, 35), "with shape (d, 3 * d) as in Conv1D"),
    ("h.0.attn.c_attn.bias", torch.ones(35), "expected shape (36,)"),
    ("h.0.attn.c_attn.weight", torch.full((12, 36), math.nan), "c_attn.weight/0/0: expected a finite number"),
])  # fmt: skip
def test_tensors_that_do_not_fit(name, tensor, message, folder):
    write_safetensors(folder / "model.safetensors", {**gpt2(12, 3), name: tensor})
    numpy.save("x.npy", numpy.ones((4, 12), F32))
    refuses(f"{LAYER} --input=x.npy --heads=2 --head=1", message=message)


def test_models_that_do_not_fit(folder):
    write_safetensors(folder / "model.safetensors", gpt2(12, 3))
    message = "need embeddings of width 12, but these have width 3"
    refuses(f"{LAYER} --heads=2 --head=0", message=message)


def test_a_layer_of_a_large_file_is_read_alone(folder):
    """Tests a file of 1 GiB, most of it a hole."""
    state = {name: entry(tensor) for name, tensor in gpt2(128, 1).items()}
    data, rest = sum(len(content) for _, _, content in state.values()), 2**30
    content = tensor_files.safetensors(state)
    header = json.loads(content[8:-data])
    header["lm_head.weight"] = {
        "dtype": "F32", "shape": [rest // 512, 128], "data_offsets": [data, data + rest]
    }  # fmt: skip
    with open("huge.safetensors", "wb") as file:
        file.write(tensor_files.safetensors_of(header, content[-data:]))
        file.truncate(file.tell() + rest)
    numpy.save("x.npy", numpy.ones((4, 128), F32))
    command = [PROGRAM, "causal", "--input=x.npy", "--weights=huge.safetensors", "--head=1", "--quiet"]
    _, status, used = os.wait4(subprocess.Popen(command, env=environment()).pid, 0)  # of this run alone
    assert status == 0 and used.ru_maxrss < 1300 * 1024
