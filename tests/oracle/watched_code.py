"""Code under the recorder of the wheel behaves as without it, and the recording has its calls."""

import base64
import copy
import inspect
import io
import sys
import threading

import pytest

from oracle import is_1_13, numpy, torch
from program import PROJECT

if is_1_13:
    pytest.skip("the recorder needs PyTorch 2", allow_module_level=True)
sys.path.insert(0, str(PROJECT / "app/python"))
import attn_walkthrough as attn  # noqa: E402


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query = torch.nn.Linear(3, 2, bias=False)
        self.dropout = torch.nn.Dropout(0.5)

    def forward(self, x):
        queries = self.W_query(x)
        scores = queries @ queries.T
        scores.masked_fill_(torch.ones(6, 6).triu(1).bool(), -torch.inf)
        return self.dropout(torch.softmax(scores, dim=-1))


class Log(torch.overrides.TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.append(func.__name__)
        return func(*args, **(kwargs or {}))


OPS = ["linear", "T", "matmul", "triu", "bool", "masked_fill_", "softmax", "dropout"]
torch.manual_seed(123)
MODEL, X = Attention(), torch.rand(6, 3)


def ops(watch):
    return [call["op"] for call in watch.recording()["calls"] if call["op"] != "ones"]


def numbers(tensor):
    data = numpy.frombuffer(base64.b64decode(tensor["data"]), tensor["dtype"])
    strides = [step * data.itemsize for step in tensor["strides"]]
    return numpy.lib.stride_tricks.as_strided(data, tensor["shape"], strides)


@pytest.mark.parametrize("gradients", [True, False])
def test_results_and_random_numbers_stay(gradients):
    torch.manual_seed(1)
    with torch.set_grad_enabled(gradients):
        expected, after = MODEL(X), torch.get_rng_state()
        torch.manual_seed(1)
        with attn.watch() as watch:
            assert torch.equal(MODEL(X), expected) and torch.equal(torch.get_rng_state(), after)
    assert ops(watch) == OPS


def test_a_recording_has_names_lines_and_numbers_before_and_after_a_call_in_place():
    with attn.watch() as watch:
        MODEL(X)
    recording = watch.recording()
    tensors = recording["tensors"]
    product, filled = (c for c in recording["calls"] if c["op"] in ("matmul", "masked_fill_"))
    before, after = (tensors[call["results"][0]] for call in (product, filled))
    assert before["names"] == after["names"] == ["scores"]
    assert numpy.isfinite(numbers(before)).all() and numpy.isneginf(numbers(after)[0, 1:]).all()
    assert product["text"] == "scores = queries @ queries.T" and product["module"] == "Attention"
    assert filled["arguments"][-1] == "-Infinity"
    transposed = tensors[product["arguments"][1]["tensor"]]
    assert (numbers(transposed).T == numbers(tensors[product["arguments"][0]["tensor"]])).all()
    (weight,) = (one for one in tensors if "W_query.weight" in one["names"])
    assert weight["parameter"] and (numbers(weight) == MODEL.W_query.weight.detach().numpy()).all()


def test_other_modes_and_watches_see_their_calls():
    alone = Log()
    with alone:
        MODEL(X)
    for outside in (True, False):
        log, watch = Log(), attn.watch()
        with (log if outside else watch), (watch if outside else log):
            MODEL(X)
        assert log.names == alone.names and ops(watch) == OPS
    with attn.watch() as outer, attn.watch() as inner:
        MODEL(X)
    assert ops(outer) == ops(inner) == OPS


def test_exceptions_pass_and_end_the_recording():
    watch = attn.watch(MODEL)
    with pytest.raises(RuntimeError, match="size|shape"):
        MODEL(torch.ones(2, 2))
    torch.ones(2) + 1
    assert "add" not in ops(watch)
    MODEL(X)
    watch.close()
    MODEL(X)
    assert ops(watch) == OPS and "forward" not in vars(MODEL)


class Fragile(torch.nn.Module):
    """A module whose text and size belong to the reader: nothing but the reader's code may ask for them."""

    def __init__(self, begins=True):
        torch.ones(2)  # before the module has any of its attributes
        if begins:
            super().__init__()
            self.W_query = torch.nn.Linear(3, 2)

    def forward(self, x, scale=1):
        return self.W_query(x) * scale

    def __repr__(self):
        raise AssertionError("the text of an object was asked for")


class Two:
    def __index__(self):
        return 2

    __repr__ = Fragile.__repr__


def test_modules_are_built_copied_and_used_as_without_a_watch():
    with attn.watch() as watch:
        module = copy.deepcopy(Fragile())
        Fragile(begins=False)
        torch.ones(4).view(Two(), numpy.int64(2)).to(torch.float64, memory_format=torch.contiguous_format)
    view, to = (c["arguments"][1:] for c in watch.recording()["calls"] if c["op"] in ("view", "to"))
    assert torch.equal(copy.deepcopy(module)(X), module(X))
    assert view == ["Two", "2"] and to == ["torch.float64"]


def test_a_watched_module_is_copied_and_saved_without_its_watch():
    module, file = Fragile(), io.BytesIO()
    watch = attn.watch(module)
    assert list(inspect.signature(module.forward).parameters) == ["x", "scale"]
    torch.save(module, file)
    file.seek(0)
    loaded = torch.load(file, **({"weights_only": False} if torch.__version__ >= "2.1" else {}))
    for other in copy.deepcopy(module), loaded, copy.deepcopy(loaded):
        with torch.no_grad():
            other.W_query.bias += 1
        assert torch.allclose(other(X), Fragile.forward(module, X) + 1) and ops(watch) == []
    assert torch.equal(module(X), Fragile.forward(module, X)) and ops(watch) == ["linear", "mul"]


def test_a_module_has_its_own_forward_after_the_watch():
    module = Fragile()
    module.forward = lambda x: x
    attn.watch(module).close()
    assert module(X) is X


def test_a_watch_belongs_to_its_thread():
    with attn.watch() as watch:
        thread = threading.Thread(target=MODEL, args=[X])
        thread.start()
        thread.join()
    assert ops(watch) == []


def test_what_memory_held_before_is_not_recorded():
    recordings = []
    for held in 1.0, 2.0:
        before = torch.full((64, 64), held)
        del before
        with attn.watch() as w:
            scores = torch.empty(64, 64)
            scores[0] = torch.ones(64)
            torch.empty_like(scores, dtype=torch.bool)
        recordings.append(w.recording())
    assert recordings[0] == recordings[1]
    assert base64.b64decode(recordings[0]["tensors"][0]["data"]) == 4 * 64 * 64 * b"\xff"


def test_large_tensors_are_recorded_without_numbers():
    with attn.watch(most_numbers=20) as watch:
        MODEL(X)
    tensors = watch.recording()["tensors"]
    sizes = {len(one["shape"]) and numpy.prod(one["shape"]): "data" in one for one in tensors}
    assert sizes[6] and not sizes[36]


def test_what_is_traced_is_as_without_a_watch(recwarn):
    layer = torch.nn.Linear(3, 2)
    with attn.watch():
        traced = torch.jit.trace(layer, X)
    assert torch.equal(traced(X), layer(X)) and not [one for one in recwarn if "Tracer" in str(one.category)]


# Under the recorder, PyTorch runs the code of a compiled function as it is, so no C++ compiler is needed.
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_compiled_code_gives_the_same_without_warnings(backend, recwarn):
    def scores(x):
        return torch.softmax(x @ x.T, dim=-1) @ x

    compiled = torch.compile(scores, backend=backend)
    for is_compiled_before in (False, True)[: 1 if backend == "inductor" else 2]:
        expected = compiled(X) if is_compiled_before else scores(X)
        with attn.watch() as watch:
            assert torch.equal(compiled(X), expected)
        assert ops(watch)[-4:] == ["T", "matmul", "softmax", "matmul"] and not recwarn.list
