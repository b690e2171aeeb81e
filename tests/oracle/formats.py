"""The program reads what NumPy and PyTorch write. NumPy, and an independent strict reader of .safetensors,
read what the program exports. Numbers are compared bit for bit.
"""

import io
import json
import math
import resource
import struct
import subprocess
import zipfile

import pytest

import tensor_files
from oracle import numpy, torch
from program import PROGRAM
from runs import executed, traced

F32 = numpy.float32
TYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "U8": torch.uint8,
    "BOOL": torch.bool,
    "I64": torch.int64,
}


def run(*arguments, refused=False):
    answer = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True)
    assert answer.returncode == (2 if refused else 0), (arguments, answer.stderr.decode())
    return answer.stderr.decode() if refused else answer.stdout


def raw(tensor):
    """Returns the bytes of a tensor, also of bfloat16, which NumPy does not know."""
    tensor = tensor.contiguous()
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy().tobytes()


def entry(tensor):
    (dtype,) = [key for key, value in TYPES.items() if value == tensor.dtype]
    return dtype, tensor.shape, raw(tensor)


def write_safetensors(path, tensors, metadata=None):
    path.write_bytes(
        tensor_files.safetensors({name: entry(tensor) for name, tensor in tensors.items()}, metadata)
    )


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
        assert begin == end and stop - begin == 4 * math.prod(
            info["shape"]
        ), "a hole, an overlap or a wrong size"
        tensors[name] = numpy.frombuffer(data[begin:stop], "<f4").reshape(info["shape"])
        end = stop
    assert end == len(data)
    return tensors, metadata


def same_bits(ours, theirs):
    assert ours.shape == theirs.shape and ours.dtype == F32 == theirs.dtype, (ours.shape, theirs.shape)
    assert ours.tobytes() == theirs.tobytes()


@pytest.fixture
def folder(tmp_path):
    return tmp_path


@pytest.fixture
def rng():
    return numpy.random.RandomState(5)


def inputs_of(path):
    """Returns the inputs as the program read them."""
    return numpy.load(io.BytesIO(run("causal", "--input", path, "--step=inputs", "--out=-.npz")))[
        "causal.inputs"
    ]


def test_arrays_of_numpy(folder, rng):
    for round in range(12):
        shape = rng.randint(1, 9, 2)
        x = (rng.randn(*shape) * 10.0 ** rng.randint(-3, 4)).astype(["<f4", "<f2", "<f8"][round % 3])
        x = numpy.asfortranarray(x) if round % 2 else x  # column-major
        numpy.save(folder / "x.npy", x)
        numpy.savez(folder / "x.npz", inputs=x, other=x[:1])
        numpy.savez_compressed(folder / "packed.npz", other=x[:1], x=x)
        write_safetensors(folder / "x.safetensors", {"hidden": torch.from_numpy(x)[None]})
        for name in ("x.npy", "x.npz", "packed.npz", "x.safetensors"):
            same_bits(inputs_of(folder / name), x.astype(F32))
    large = numpy.repeat(
        rng.randn(40, 5).astype(F32), 64, axis=1
    )  # dynamic codes, and copies over long distances
    numpy.savez_compressed(folder / "packed.npz", large)
    assert zipfile.ZipFile(folder / "packed.npz").infolist()[0].compress_size < large.nbytes / 2
    same_bits(inputs_of(folder / "packed.npz"), large)
    for version in ((1, 0), (2, 0), (3, 0)):
        with open(folder / "x.npy", "wb") as file:
            numpy.lib.format.write_array(file, large, version)
        same_bits(inputs_of(folder / "x.npy"), large)


def test_every_kind_of_number(folder, rng):
    halves = numpy.arange(2**16, dtype=numpy.uint16)
    float16 = torch.from_numpy(halves.view(numpy.float16))
    bfloat16 = torch.from_numpy(halves.astype(numpy.int16)).view(torch.bfloat16)
    float64 = torch.from_numpy(
        rng.randint(0, 2**63, 2**15).view(numpy.float64)
    )  # numbers with all exponents
    near = torch.from_numpy(
        numpy.ldexp(rng.randn(2**15), rng.randint(-152, 100, 2**15))
    )  # subnormals of float32
    ties = torch.from_numpy(
        1 + rng.randint(0, 2**20, 2**12) * 2.0**-24
    )  # half way between two float32 numbers
    for numbers in (float16, bfloat16, float64, near, ties):
        wide = numbers.float()
        finite = numbers[wide.isfinite()]
        finite = finite[: len(finite) // 64 * 64].view(-1, 64)
        assert finite.numel() > 2000
        write_safetensors(folder / "x.safetensors", {"x": finite})
        same_bits(inputs_of(folder / "x.safetensors"), finite.float().numpy())
    for value in (float("nan"), float("inf"), -float("inf")):
        x = torch.ones(3, 4, dtype=torch.float16)
        x[2, 1] = value
        write_safetensors(folder / "x.safetensors", {"x": x})
        message = run("causal", "--input", folder / "x.safetensors", refused=True)
        assert "x.safetensors: at /x/2/1: expected a finite number" in message, message


def test_pickles_are_refused(folder):
    torch.save({"x": torch.ones(2, 2)}, folder / "x.pt")
    torch.save({"x": torch.ones(2, 2)}, folder / "old.pt", _use_new_zipfile_serialization=False)
    for name in ("x.pt", "old.pt"):
        assert "pickle" in run("causal", "--input", folder / name, refused=True)


def test_exports(folder):
    numbers = 0
    for arguments in (["all", "--dropout=0.25"], ["causal"], ["multi-head", "--step=context_vec"]):
        run(
            *arguments,
            "--out",
            folder / "t.npz",
            "--out",
            folder / "t.safetensors",
            "--json",
            folder / "t.json",
        )
        trace = json.loads((folder / "t.json").read_text())
        arrays = numpy.load(folder / "t.npz")
        assert zipfile.ZipFile(folder / "t.npz").testzip() is None
        assert (folder / "t.npz").read_bytes() == run(*arguments, "--out=-.npz"), "the same bytes each time"
        tensors, metadata = read_safetensors((folder / "t.safetensors").read_bytes())
        assert metadata["program"] == f"attn-walkthrough {trace['program']}"
        steps = {
            f"{stage['name']}.{step['name']}": step for stage in trace["stages"] for step in stage["steps"]
        }
        assert list(arrays) == list(steps) and set(tensors) == set(steps)
        for name, step in steps.items():
            exact = numpy.array(step["data"], dtype=float).astype(F32)
            assert list(arrays[name].shape) == step["shape"]
            same_bits(arrays[name], tensors[name])
            nan = numpy.isnan(exact)
            same_bits(numpy.where(nan, F32(0), arrays[name]), numpy.where(nan, F32(0), exact))
            numbers += exact.size
        for stage in trace["stages"]:
            assert json.loads(metadata[stage["name"]]) == stage["parameters"]
    assert numbers > 3000
    # Exported weights can be imported again.
    weights = {
        f"{name}.weight": arrays
        for name, arrays in {
            key: numpy.random.RandomState(1).randn(3, 3).astype(F32)
            for key in ("W_query", "W_key", "W_value")
        }.items()
    }
    numpy.savez(folder / "w.npz", **weights)
    write_safetensors(
        folder / "w.safetensors", {name: torch.from_numpy(w) for name, w in weights.items()}, {"format": "pt"}
    )
    (folder / "w.json").write_text(json.dumps({name: w.tolist() for name, w in weights.items()}))
    texts = {run("causal", "--weights", folder / f"w.{kind}") for kind in ("npz", "safetensors", "json")}
    assert len(texts) == 1, "the same weights, the same walkthrough"


def gpt2(width, layers, prefix="", conv1d=True, bias=True, context=16):
    """Returns the tensors of a small GPT-2, including its masks."""
    state = {f"{prefix}wte.weight": torch.randn(50, width)}
    for layer in range(layers):
        attn = f"{prefix}h.{layer}.attn."
        kept = (lambda weight: weight.contiguous()) if conv1d else (lambda weight: weight.T.contiguous())
        state[attn + "bias"] = torch.tril(torch.ones(context, context)).bool().view(1, 1, context, context)
        state[attn + "masked_bias"] = torch.tensor(-1e4)
        state[attn + "c_attn.weight"] = kept(torch.randn(width, 3 * width) / width**0.5)
        state[attn + "c_proj.weight"] = kept(torch.randn(width, width) / width**0.5)
        if bias:
            state[attn + "c_attn.bias"], state[attn + "c_proj.bias"] = torch.randn(3 * width), torch.randn(
                width
            )
    return state


def attention(x, state, attn, heads, conv1d=True):
    """Computes GPT-2's layer for x (tokens, width): each head's context vectors, and the layer's output."""

    def linear(x, name):
        weight = state[f"{attn}{name}.weight"]
        return x @ (weight if conv1d else weight.T) + state.get(f"{attn}{name}.bias", torch.zeros(1))

    queries, keys, values = linear(x, "c_attn").split(x.shape[1], dim=1)
    split = lambda part: part.view(len(x), heads, -1).transpose(0, 1)
    scores = split(queries) @ split(keys).transpose(1, 2) / (x.shape[1] // heads) ** 0.5
    visible = torch.tril(torch.ones(len(x), len(x))).bool()
    contexts = torch.softmax(scores.masked_fill(~visible, -torch.inf), dim=-1) @ split(values)
    return contexts, linear(contexts.transpose(0, 1).reshape(len(x), -1), "c_proj")


def walked(stage, *arguments):
    """Runs a stage's transcript in PyTorch, and returns its tensors and the comments at its top."""
    shown = traced(stage, map(str, arguments))
    namespace = executed(shown)
    for step in shown["steps"]:
        ours = torch.tensor(numpy.array(step["data"], dtype=float)).float()
        assert torch.allclose(namespace[step["name"]].detach(), ours, atol=1e-5), step["name"]
    return namespace, [line[2:] for line in shown["setup"] if line.startswith("# ")]


def check_cuts(namespace, comments, state):
    """Checks the comments: run in PyTorch, each gives the weight that the walkthrough uses."""
    cuts = [line.split(" = ") for line in comments if " = state_dict[" in line]
    for name, code in cuts:
        same_bits(namespace[name].detach().numpy(), eval(code, {"state_dict": state}).float().numpy())
    return len(cuts)


def test_checkpoints(folder):
    torch.manual_seed(8)
    cuts = 0
    for width, heads, conv1d, bias, prefix in (
        (128, None, True, True, ""),
        (12, 3, True, True, "transformer."),
        (12, 2, False, True, "transformer."),
        (8, 2, False, False, "_orig_mod.transformer."),
    ):
        state = gpt2(width, 3, prefix, conv1d, bias)
        write_safetensors(folder / "model.safetensors", state, {"format": "pt"})
        numpy.savez_compressed(
            folder / "model.npz", **{name: tensor.numpy() for name, tensor in state.items()}
        )
        x = torch.randn(1, 5, width)
        numpy.save(folder / "x.npy", x.numpy())
        count = heads or width // 64
        for layer in range(3):
            attn = f"{prefix}h.{layer}.attn."
            contexts, output = attention(x[0], state, attn, count, conv1d)
            common = [
                "--input",
                folder / "x.npy",
                "--weights",
                folder / f"model.{['safetensors', 'npz'][layer % 2]}",
                f"--layer={layer}",
            ]
            common += [f"--heads={heads}"] if heads else []
            for head in range(count):
                for stage in ("causal", "causal-batch"):
                    namespace, comments = walked(stage, *common, f"--head={head}")
                    context_vec = namespace["context_vec"]
                    assert torch.allclose(
                        context_vec if stage == "causal" else context_vec[0], contexts[head], atol=1e-5
                    )
                    cuts += check_cuts(namespace, comments, state)
            namespace, comments = walked("multi-head", *common) if bias else ({}, [])
            if bias:
                assert torch.allclose(namespace["context_vec"][0], output, atol=1e-5)
                cuts += check_cuts(namespace, comments, state)
            namespace, comments = walked("multi-head-wrapper", *common)
            assert torch.allclose(namespace["context_vec"][0], torch.cat(list(contexts), dim=1), atol=1e-5)
            cuts += check_cuts(namespace, comments, state)
            namespace, comments = walked("causal-self-attention", *common[2:])
            assert torch.allclose(
                namespace["context_vec"][1],
                attention(namespace["x"][1], state, attn, count, conv1d)[1],
                atol=1e-5,
            )
            cuts += check_cuts(namespace, comments, state)
    assert cuts > 100


def test_other_checkpoints(folder):
    """Tests grouped queries with Llama's names, and the modules of the book inside its model."""
    torch.manual_seed(9)
    llama, book = {}, {}
    for layer in range(2):
        for name, rows in (("q", 12), ("k", 6), ("v", 6)):
            llama[f"model.layers.{layer}.self_attn.{name}_proj.weight"] = torch.randn(rows, 8).to(
                torch.bfloat16
            )
        llama[f"model.layers.{layer}.self_attn.o_proj.weight"] = torch.randn(8, 12).to(torch.bfloat16)
        for name in ("W_query", "W_key", "W_value", "out_proj"):
            book[f"trf_blocks.{layer}.att.{name}.weight"] = torch.randn(8, 8)
        book[f"trf_blocks.{layer}.att.out_proj.bias"] = torch.randn(8)
        book[f"trf_blocks.{layer}.att.mask"] = torch.triu(torch.ones(9, 9), 1)
    numpy.save(folder / "x.npy", torch.randn(4, 8).numpy())
    for state, heads in ((llama, 4), (book, 2)):
        write_safetensors(folder / "model.safetensors", state)
        common = [
            "--input",
            folder / "x.npy",
            "--weights",
            folder / "model.safetensors",
            "--layer=1",
            f"--heads={heads}",
        ]
        for head in range(heads):
            namespace, comments = walked("causal", *common, f"--head={head}")
            assert check_cuts(namespace, comments, state) == 3
        if state is llama:
            assert "state_dict[\"model.layers.1.self_attn.k_proj.weight\"][3:6]" in comments[2], comments
            assert "several heads share" in run("multi-head", *common, refused=True)
        else:
            namespace, comments = walked("multi-head", *common)
            assert check_cuts(namespace, comments, state) == 5
    book["trf_blocks.1.att.mask"][0, 3] = 0
    write_safetensors(folder / "model.safetensors", book)
    assert "at /trf_blocks.1.att.mask: expected the causal mask" in run("multi-head", *common, refused=True)


def test_what_is_not_there(folder):
    state = gpt2(12, 3)
    write_safetensors(folder / "model.safetensors", state)
    numpy.save(folder / "x.npy", numpy.ones((4, 12), F32))
    common = ["--input", folder / "x.npy", "--weights", folder / "model.safetensors"]
    for stage, options, words in (
        ("causal", ["--heads=2", "--head=0"], "contains several layers; pick one of 0 to 2 with --layer"),
        ("causal", ["--layer=3", "--heads=2", "--head=0"], "has no layer 3; its layers are 0 to 2"),
        ("causal", ["--layer=0", "--heads=2", "--head=2"], "has no head 2; its heads are 0 to 1"),
        ("causal", ["--layer=0", "--head=0"], "give --heads N"),
        ("causal", ["--layer=0", "--heads=5", "--head=0"], "5 heads do not divide"),
        ("causal", ["--layer=-1"], "--layer: expected a whole number from 0 to"),
        ("multi-head", ["--layer=0", "--heads=2", "--head=0"], "leave --head out"),
        ("trainable", ["--layer=0", "--heads=2", "--head=0"], "plain matrices"),
        ("causal", ["--layer=0", "--heads=2"], "--heads: causal does not use it"),
    ):
        message = run(stage, *common, *options, refused=True)
        assert words in message and message.count("\n") == 1, message
    assert "need embeddings of width 12, but these have width 3" in run(
        "causal", *common[2:], "--layer=0", "--heads=2", "--head=0", refused=True
    )
    assert "--layer needs --weights" in run("causal", "--layer=0", refused=True)
    nan = torch.full((12, 36), float("nan"))
    for name, tensor, words in (
        ("h.0.attn.bias", torch.ones(1, 1, 4, 4), "expected the causal mask"),
        ("h.0.attn.c_attn.weight", torch.ones(12, 35), "with shape (d, 3 * d) as in Conv1D"),
        ("h.0.attn.c_attn.bias", torch.ones(35), "expected shape (36,)"),
        ("h.0.attn.c_attn.weight", nan, "c_attn.weight/0/0: expected a finite number"),
    ):
        write_safetensors(folder / "model.safetensors", {**state, name: tensor})
        assert words in run("causal", *common, "--layer=0", "--heads=2", "--head=1", refused=True)
    write_safetensors(folder / "model.safetensors", {"wte.weight": torch.ones(2, 2)})
    assert "cannot pick a layer or head" in run("causal", *common, "--layer=0", refused=True)


def test_a_layer_of_a_large_file_is_read_alone(folder):
    """Tests a file of 1 GiB, most of it a hole."""
    state = {name: entry(tensor) for name, tensor in gpt2(128, 1).items()}
    data, rest = sum(len(content) for _, _, content in state.values()), 2**30
    content = tensor_files.safetensors(state)
    header = json.loads(content[8:-data])
    header["lm_head.weight"] = {
        "dtype": "F32",
        "shape": [rest // 512, 128],
        "data_offsets": [data, data + rest],
    }
    with open(folder / "huge.safetensors", "wb") as file:
        file.write(tensor_files.safetensors_of(header, content[-data:]))
        file.truncate(file.tell() + rest)
    numpy.save(folder / "x.npy", numpy.ones((4, 128), F32))
    run(
        "causal", "--input", folder / "x.npy", "--weights", folder / "huge.safetensors", "--head=1", "--quiet"
    )
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1300 * 1024
