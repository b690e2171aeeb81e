"""What NumPy and PyTorch write, read by the program; what it exports, read by NumPy and by a strict reader of
.safetensors that knows nothing of ours. Numbers are held against each other bit for bit.
Arguments: the probe (unused), the program.
"""

import io
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

from oracle import numpy, torch

PROGRAM = sys.argv[2]
F32 = numpy.float32
TYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "U8": torch.uint8, "BOOL": torch.bool, "I64": torch.int64}


def run(*arguments, refused=False):
    answer = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True)
    assert answer.returncode == (2 if refused else 0), (arguments, answer.stderr.decode())
    return answer.stderr.decode() if refused else answer.stdout


def raw(tensor):
    """The bytes of a tensor, bfloat16 among them, which NumPy does not know."""
    tensor = tensor.contiguous()
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy().tobytes()


def write_safetensors(path, tensors, metadata=None):
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for name, tensor in tensors.items():
        (dtype,) = [key for key, value in TYPES.items() if value == tensor.dtype]
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw(tensor))]}
        data += raw(tensor)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def unique(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), "a key stands twice"
    return dict(pairs)


def read_safetensors(file):
    """As the format's own description has it, and nothing more lenient."""
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
        assert begin == end and stop - begin == 4 * math.prod(info["shape"]), "a hole, an overlap or a wrong size"
        tensors[name] = numpy.frombuffer(data[begin:stop], "<f4").reshape(info["shape"])
        end = stop
    assert end == len(data)
    return tensors, metadata


def same_bits(ours, theirs):
    assert ours.shape == theirs.shape and ours.dtype == F32 == theirs.dtype, (ours.shape, theirs.shape)
    assert ours.tobytes() == theirs.tobytes()


def inputs_of(path):
    """What the program took the inputs for."""
    return numpy.load(io.BytesIO(run("causal", "--input", path, "--step=inputs", "--npz=-")))["causal.inputs"]


def check_arrays_of_numpy(folder, rng):
    for round in range(12):
        shape = rng.randint(1, 9, 2)
        x = (rng.randn(*shape) * 10.0 ** rng.randint(-3, 4)).astype(["<f4", "<f2", "<f8"][round % 3])
        numpy.save(folder / "x.npy", x)
        numpy.savez(folder / "x.npz", inputs=x, other=x[:1])
        numpy.savez_compressed(folder / "packed.npz", other=x[:1], x=x)
        write_safetensors(folder / "x.safetensors", {"hidden": torch.from_numpy(x)[None]})
        for name in ("x.npy", "x.npz", "packed.npz", "x.safetensors"):
            same_bits(inputs_of(folder / name), x.astype(F32))
    large = numpy.repeat(rng.randn(40, 5).astype(F32), 64, axis=1)  # dynamic codes, and copies over long distances
    numpy.savez_compressed(folder / "packed.npz", large)
    assert zipfile.ZipFile(folder / "packed.npz").infolist()[0].compress_size < large.nbytes / 2
    same_bits(inputs_of(folder / "packed.npz"), large)
    for version in ((1, 0), (2, 0), (3, 0)):
        with open(folder / "x.npy", "wb") as file:
            numpy.lib.format.write_array(file, large, version)
        same_bits(inputs_of(folder / "x.npy"), large)


def check_every_kind_of_number(folder, rng):
    halves = numpy.arange(2**16, dtype=numpy.uint16)
    float16 = torch.from_numpy(halves.view(numpy.float16))
    bfloat16 = torch.from_numpy(halves.astype(numpy.int16)).view(torch.bfloat16)
    float64 = torch.from_numpy(rng.randint(0, 2**63, 2**15).view(numpy.float64))  # of all exponents
    near = torch.from_numpy(numpy.ldexp(rng.randn(2**15), rng.randint(-152, 100, 2**15)))  # float32's subnormals
    ties = torch.from_numpy(1 + rng.randint(0, 2**20, 2**12) * 2.0**-24)  # halfway between two float32
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


def check_refusals(folder):
    x = numpy.ones((3, 4))
    for array, words in ((x.T, "fortran_order"), (x.astype(">f4"), "big-endian"), (x.astype(object), "Python objects"),
                         (x.astype(int), "<i8"), (x[0], "a shape like (6, 3)"), (numpy.zeros((0, 3)), "at least one number"),
                         (numpy.zeros(3, [("a", "f4")]), "several fields")):  # fmt: skip
        numpy.save(folder / "x.npy", array)
        message = run("causal", "--input", folder / "x.npy", refused=True)
        assert words in message and message.count("\n") == 1, message
    torch.save({"x": torch.ones(2, 2)}, folder / "x.pt")
    torch.save({"x": torch.ones(2, 2)}, folder / "old.pt", _use_new_zipfile_serialization=False)
    for name in ("x.pt", "old.pt"):
        assert "pickle" in run("causal", "--input", folder / name, refused=True)


def check_exports(folder):
    numbers = 0
    for arguments in (["all", "--dropout=0.25"], ["causal"], ["multi-head", "--step=context_vec"]):
        run(*arguments, "--npz", folder / "t.npz", "--safetensors", folder / "t.safetensors", "--json", folder / "t.json")
        trace = json.loads((folder / "t.json").read_text())
        arrays = numpy.load(folder / "t.npz")
        assert zipfile.ZipFile(folder / "t.npz").testzip() is None
        assert (folder / "t.npz").read_bytes() == run(*arguments, "--npz=-"), "the same bytes each time"
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
            numbers += exact.size
        for stage in trace["stages"]:
            assert json.loads(metadata[stage["name"]]) == stage["parameters"]
    assert numbers > 3000
    print(f"{numbers} exported numbers are those of the JSON, bit for bit")
    # What is exported can be brought in again.
    weights = {f"{name}.weight": arrays for name, arrays in {key: numpy.random.RandomState(1).randn(3, 3).astype(F32) for key in ("W_query", "W_key", "W_value")}.items()}
    numpy.savez(folder / "w.npz", **weights)
    write_safetensors(folder / "w.safetensors", {name: torch.from_numpy(w) for name, w in weights.items()}, {"format": "pt"})
    (folder / "w.json").write_text(json.dumps({name: w.tolist() for name, w in weights.items()}))
    texts = {run("causal", "--weights", folder / f"w.{kind}") for kind in ("npz", "safetensors", "json")}
    assert len(texts) == 1, "the same weights, the same walkthrough"


def main():
    rng = numpy.random.RandomState(5)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_arrays_of_numpy(folder, rng)
        check_every_kind_of_number(folder, rng)
        check_refusals(folder)
        check_exports(folder)


main()
