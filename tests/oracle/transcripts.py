"""Runs the exported setup and code lines in PyTorch, and compares what it prints with `printed`."""

import collections
import json
import random
import re
import tempfile

import pytest

from oracle import Products, cause_in_numpy, in_2, is_1_13, is_2_6, numpy, tensor_of, torch
from program import listed, run, switched_off, traced
from runs import STAGES, executed, lines, random_lesson, random_options

RUNS = 30  # runs of each stage
NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]\d+)?|-?inf|nan")


# Stages that also run with their own weights.
WEIGHTS = "trainable linear causal causal-batch multi-head leakage streaming".split()


def random_weights(name, width, rng):
    """Returns a state_dict for the stage, and the options that fit it."""

    def numbers(*sizes):
        return (torch.rand(sizes) * 2 - 1).tolist()

    d_out, bias = rng.randint(1, 6), rng.random() < 0.5
    projections = [rng.choice([f"W_{kind}", f"W_{kind[0]}"]) for kind in ("query", "key", "value")]
    if name == "trainable":
        return {key: numbers(width, d_out) for key in projections}, []
    weights = {f"{key}.weight": numbers(d_out, width) for key in projections}
    if bias:
        weights |= {f"{key}.bias": numbers(d_out) for key in projections}
    if name == "multi-head":
        weights |= {"out_proj.weight": numbers(d_out, d_out), "out_proj.bias": numbers(d_out)}
        return weights, [f"--heads={rng.choice([h for h in range(1, d_out + 1) if d_out % h == 0])}"]
    return weights, []


def one_unit_apart(ours, theirs):
    """Returns True if two numbers differ at most by one in their last digit, as PyTorch's own builds do."""
    if ours == theirs:
        return True
    mantissas = [text.partition("e") for text in (ours, theirs)]
    if mantissas[0][1:] != mantissas[1][1:] or not all("." in m[0] for m in mantissas):
        return False
    digits = [int(m[0].replace(".", "")) for m in mantissas]
    return abs(digits[0] - digits[1]) <= 1


# The allowed error of a scientific column, in rounding errors of its largest number, because a small number
# may be the difference of large ones. Sums of 512 products have larger errors.
ROUNDINGS = {"causal-self-attention": 16}
FEW_ROUNDINGS = 4


def layout(printed):
    text = re.sub(" *#", "#", NUMBER.sub("#", printed))
    return re.sub(r"\s+", " ", text) if is_1_13 else text


def largest(tensor):
    finite = tensor.detach()[tensor.isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0


def rounding_apart(ours, theirs, scale, roundings):
    return "e" in ours and abs(float(ours) - float(theirs)) <= roundings * 2**-24 * scale


# How many of each stage's numbers differ: by one in the last printed digit, further in a scientific column,
# in their bits. `check` lets a number differ only if it follows from a product whose order is OpenBLAS's own,
# see Products in oracle.py: with its kernels for Haswell, one of at least 8 terms, 8 columns and 4 rows. Such
# are the projections of wide lessons (all stages up to streaming, and masks to grouped-query), the scores of
# 8 tokens and 8 features (multi-head, kv-cache), the output projections, and most products of
# causal-self-attention. All other steps have PyTorch's bits.
DIFFERENT = {
    "simplified": (5, 0, 266),
    "trainable": (6, 1, 148),
    "linear": (0, 0, 336),
    "causal": (3, 0, 394),
    "causal-batch": (4, 2, 277),
    "multi-head-wrapper": (15, 0, 225),
    "multi-head": (28, 0, 1035),
    "causal-self-attention": (111, 21, 124203),
    "numpy": (4, 1, 852),
    "streaming": (9, 1, 999),
    "masks": (2, 0, 270),
    "kv-cache": (0, 0, 131),
    "sliding-window": (2, 0, 281),
    "grouped-query": (17, 4, 4611),
}
# As many differ where numbers are set: those that follow from sums of 512 products, and the heads'.
DIFFERENT_IF_SET = {"causal-self-attention": (348, 92, 301411), "grouped-query": (0, 0, 84)}


# The largest of all these differences was 17.0 rounding errors of the largest number (causal-self-attention,
# 512 terms), and 13.0 in narrower stages (multi-head, whose softmax multiplies the error of large scores).
MOST_ROUNDINGS = 20


class Count:
    def __init__(self):
        self.steps = self.dependent = self.texts = self.last_digit = self.scientific = 0
        self.noise = self.bits = 0
        self.causes = collections.Counter()  # of different texts, see Products
        self.roundings = 0.0  # the largest difference in units of 2⁻²⁴ of the largest number
        self.differing = set()  # names of steps with different bits


def check(name, options, lesson, count):
    """Runs a stage and its lines, and compares them step by step."""
    torch.set_printoptions(profile="default")
    torch.set_grad_enabled(True)
    stage = traced(name, options, lesson)
    namespace, products = {}, Products()
    in_numpy = cause_in_numpy(stage["parameters"]["d_out"]) if name == "numpy" else set()
    with products:
        exec("\n".join(stage["setup"]), namespace)
    for step in stage["steps"]:
        with products:
            exec("\n".join(step["code"]), namespace)
        tensor = as_tensor(namespace[step["name"]])
        theirs = in_2(str(tensor))
        causes = products.causes(namespace[step["name"]]) | in_numpy
        count.steps += 1
        count.dependent += bool(causes)
        data, numbers = tensor_of(step).flatten(), tensor.detach().flatten()
        assert same_specials(data, numbers), (name, options, step["name"], data, numbers)
        scale = largest(tensor)
        # Gradients are differences, and may be much smaller than the numbers they were computed from.
        if "autograd" in step or step["name"] == "row_by_jacobian":
            scale = max(
                largest(namespace[other["name"]]) for other in stage["steps"] if other["name"] in namespace
            )
        if bits := int(((data != numbers) & ~data.isnan()).sum()):
            assert causes, (name, options, step["name"], data, numbers)
            count.bits += bits
            count.differing.add(step["name"])
            apart = (data - numbers)[data.isfinite()].abs().max().item()
            count.roundings = max(count.roundings, apart * 2**24 / scale)
        if step["printed"] == theirs or (is_1_13 and step["printed"].split() == theirs.split()):
            continue  # the longer names of 1.13 begin new lines
        assert causes, (name, options, step["name"], step["printed"], theirs)
        count.texts += 1
        count.causes[", ".join(sorted(causes))] += 1
        differing = [p for p in zip(NUMBER.findall(step["printed"]), NUMBER.findall(theirs)) if p[0] != p[1]]
        if "autograd" in step and step["name"].startswith("b_k"):  # softmax cancels it, so only noise remains
            count.noise += len(differing)
            continue
        far = [p for p in differing if not one_unit_apart(*p)]
        where = f"{name} {options} {step['name']}: ours\n{step['printed']}\nPyTorch's\n{theirs}"
        assert layout(step["printed"]) == layout(theirs), where
        roundings = ROUNDINGS.get(name, FEW_ROUNDINGS)
        assert is_1_13 or all(rounding_apart(*p, scale, roundings) for p in far), where
        count.last_digit += len(differing) - len(far)
        count.scientific += len(far)
    return stage, namespace


def check_differences(count, known):
    different = count.last_digit, count.scientific, count.bits
    # In other versions, cosines (1.13) and gradients of softmax differ as well.
    assert not is_2_6 or all(found <= most for found, most in zip(different, known)), (
        f"{different} numbers differ; DIFFERENT allows {known}"
    )
    assert count.roundings <= MOST_ROUNDINGS, count.roundings


def same_specials(ours, theirs):
    """Returns True if the same numbers are NaN and infinite, and zeros in both have the same sign."""
    infinite, zeros = ours.isinf(), (ours == 0) & (theirs == 0)
    return (
        ours.isnan().equal(theirs.isnan())
        and infinite.equal(theirs.isinf())
        and ours[infinite].equal(theirs[infinite])
        and ours.signbit()[zeros].equal(theirs.signbit()[zeros])
    )


def as_tensor(value):
    return value if isinstance(value, torch.Tensor) else torch.as_tensor(numpy.float32(value))


def random_runs(name, options, rng, runs=RUNS):
    """Returns options and a lesson for each run, of which some have their own lesson and weights."""
    for run in range(runs):
        own_lesson = "input" in options and run % 2
        lesson = random_lesson(rng) if own_lesson else None
        if name in WEIGHTS and run % 3 == 0:
            weights, fitting = random_weights(name, len(lesson["embeddings"][0]) if lesson else 3, rng)
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(weights, file)
                file.flush()
                yield [f"--weights={file.name}", *fitting], lesson
        else:
            yield random_options(options, rng, lesson), lesson



@pytest.mark.parametrize("name", STAGES)
def test_lines_give_what_is_printed(name):
    torch.manual_seed(20)
    rng, count = random.Random(20), Count()
    for options, lesson in random_runs(name, STAGES[name], rng):
        check(name, options, lesson, count)
    assert count.steps > RUNS
    check_differences(count, DIFFERENT.get(name, (0, 0, 0)))


@pytest.mark.parametrize("name", STAGES)
def test_lines_of_a_page_give_what_it_prints_with_something_switched_off(name):
    torch.set_printoptions(profile="default")
    torch.set_printoptions(threshold=1 << 30)
    for off, setup, steps in switched_off(name):
        torch.set_grad_enabled(True)
        names = {}
        exec(setup, names)
        for step in steps:
            exec(step["code"], names)
            if step["shown"] == step["shape"]:
                theirs = NUMBER.findall(str(as_tensor(names[step["name"]])))
                assert len(step["cells"]) == len(theirs), (off, step["name"])
                for pair in zip(step["cells"], theirs):
                    assert one_unit_apart(*pair), (off, step["name"], pair)


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("options", [[], ["--code=numpy"], ["--dropout-rng=mkl"]])
def test_a_step_by_itself_has_the_lines_it_takes(name, options):
    if "--dropout-rng=mkl" in options and "dropout-rng" not in STAGES[name]:
        return
    whole = traced(name, options)
    fewer = 0
    for step in whole["steps"]:
        alone = traced(name, [*options, f"--step={step['name']}"])
        found = as_tensor(executed(alone)[step["name"]]).detach().float()
        torch.testing.assert_close(found, tensor_of(step), rtol=1e-4, atol=1e-5, equal_nan=True)
        fewer += len(lines(alone)) < len(lines(whole))
    assert fewer > 0


@pytest.mark.parametrize(
    "name", [name for name in STAGES if name not in ("numpy", "complexity")]
)  # NumPy's code, and counts
def test_numbers_that_are_set_are_set_in_the_lines(name):
    rng, count = random.Random(20), Count()
    steps = traced(name)["steps"]
    names = [step["name"] for step in steps]
    settable = [
        (step["name"], step["shape"])
        for step in steps
        if not step["inputs"] and step["shape"] and names.count(step["name"]) == 1
    ]
    for _ in range(6 if settable else 0):
        options = []
        for step, shape in rng.sample(settable, min(len(settable), rng.randint(1, 3))):
            cell = "".join(f"[{rng.randrange(size)}]" for size in shape)
            options.append(f"--set={step}{cell}={rng.choice([0, 1, -2, 0.5, round(rng.uniform(-1, 1), 3)])}")
        stage, _ = check(name, options, None, count)
        changed = [step for step in stage["steps"] if "set" in step]
        assert len(changed) == len(options) and all("Set by you" in step["note"] for step in changed)
    check_differences(count, DIFFERENT_IF_SET.get(name, (0, 0, 0)))


def test_a_walk_says_that_numbers_are_set():
    for language, words in (("en", "You have replaced numbers"), ("zh", "由你设定的数")):
        intro = words.replace(" ", "")  # whose lines may break anywhere
        assert intro in "".join(run("causal", f"--lang={language}", "--set=mask[0][1]=0").stdout.split())
        assert intro not in "".join(run("causal", f"--lang={language}").stdout.split())
