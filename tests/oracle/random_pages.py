"""Checks random cells of random pages, with switches, edits, own sentences and both languages: numbers and
lines of code in PyTorch and in `explain`, equations by evaluation, and sentences by what they claim."""

import collections
import json
import math
import os
import random
import re
from pathlib import Path

import pytest

from explanations import evaluated, rounds_to
from oracle import torch
from program import ok
from runs import STAGES, random_lesson, random_options, trained_stages

DRAWS = int(os.environ.get("ATTN_DRAWS", 250))
NARRATION = Path(__file__).resolve().parents[2] / "data" / "narration"
WORDS = "the cat sat on a mat and then it saw the dog 我 爱 自然语言".split()
SEEN = collections.Counter()


def random_page(rng):
    """Returns the arguments of a page, and what it reads."""
    name = rng.choice(list(STAGES))
    settings = [one for one in STAGES[name] if one != "window" and one != "short-length"]
    arguments = [name, "--variants", f"--lang={rng.choice(['en', 'zh'])}"]
    stdin = ""
    taken = rng.choice(["", "lesson", "text"]) if "input" in settings else ""
    if taken == "lesson":
        lesson = random_lesson(rng)
        del lesson["embeddings"][6:], lesson["tokens"][6:]
        arguments.append("--input=-")
        stdin = json.dumps(lesson)
    elif taken == "text":
        arguments.append("--text=" + " ".join(rng.choices(WORDS, k=rng.randint(1, 6))))
    elif "input" in settings and rng.random() < 0.6:
        arguments.append(f"--set=inputs[{rng.randrange(6)}][{rng.randrange(3)}]={rng.uniform(-2, 2):.2f}")
    options = [one for one in random_options(settings, rng) if not one.startswith(("--precision", "--focus"))]
    if name in trained_stages() and rng.random() < 0.3:
        options.append("--backward")
    return arguments, options, stdin


def in_torch(run):
    """Returns the names that the page's lines of code define in PyTorch."""
    torch.set_grad_enabled(True)
    names = {}
    exec(run["setup"], names)
    for step in run["steps"]:
        exec(step["code"], names)
    return names


def number_of(tensor, index):
    value = tensor.detach() if isinstance(tensor, torch.Tensor) else torch.as_tensor(tensor)
    return float(value[index] if index else value)


def half_unit(text):
    digits, _, exponent = text.partition("e")
    return 0.501 * 10 ** (int(exponent or 0) - max(len(digits.partition(".")[2]), 4))


def agree(text, value, largest=0):
    """A shown number is the value, rounded, up to the rounding errors of sums in another order."""
    allowed = half_unit(text) + (half_unit(value) if isinstance(value, str) else 0)
    shown, value = float(text), float(value)
    if math.isnan(value) or math.isinf(value):
        return shown == value or math.isnan(shown) and math.isnan(value)
    return abs(shown - value) <= allowed + 4e-6 * max(1, largest) + 1e-7 * abs(value)


def index_of(tensor, place):
    index = []
    for size in reversed(tensor["shown"]):
        index.insert(0, place % size)
        place //= size
    return tuple(index)


def reasons(language):
    """Returns patterns for the sentences of a language, by what they are about."""
    texts = json.loads((NARRATION / language / "explanation.json").read_text(encoding="utf-8"))
    for key, text in texts.items():
        if "part " not in key and len(text) > 4:
            holes = re.findall(r"{(\w+)}", text)
            pattern = re.escape(text)
            for i, hole in enumerate(holes):
                group = f"(?P={hole})" if hole in holes[:i] else f"(?P<{hole}>.+?)"
                pattern = pattern.replace(rf"\{{{hole}\}}", group, 1)
            yield key, re.compile(pattern)


REASONS = {language: list(reasons(language)) for language in ("en", "zh")}


def check_sentence(language, sentence, tensor, index, names):
    found = [(key, one.fullmatch(sentence)) for key, one in REASONS[language]]
    found = [(key, match.groupdict()) for key, match in found if match]
    assert found, sentence
    key, facts = found[0]
    SEEN["sentence " + key] += 1
    about = (sentence, tensor["name"], index)
    if key in ("tril_keeps", "triu_clears", "tril_clears", "triu_keeps"):
        column, row = (int(re.search(r"\d+", facts[axis])[0]) for axis in ("column", "row"))
        assert (column > row) == (key in ("tril_clears", "triu_keeps")), about
    elif key in ("masked", "unmasked"):
        said = evaluated(facts["mask_value"])
        mask = eval(facts["mask"], names)
        assert float(mask) == said, about
    elif key in ("kept", "dropped", "kept_by_mkl", "dropped_by_mkl"):
        assert (float(facts["number"]) < float(facts["keep"])) == key.startswith("kept"), about
    elif key == "scaled":
        assert float(facts["factor"]) >= 1, about
    elif key == "rand":
        generator = torch.Generator().manual_seed(int(facts["seed"]) % 2**64)
        drawn = torch.rand(int(facts["draw"]), generator=generator)[-1]
        assert agree(shown_at(tensor, index), drawn), about
    elif key == "embedding_row":
        torch.manual_seed(int(facts["seed"]))
        row = torch.nn.Embedding(int(facts["words"]), 3).weight[int(facts["row"])]
        assert agree(shown_at(tensor, index), row[index[-1]]), about
    elif key == "viewed":
        before, after = (math.prod(map(int, re.findall(r"\d+", facts[side]))) for side in ("from", "to"))
        assert int(facts["place"]) < int(facts["count"]) == before == after, about


def shown_at(tensor, index):
    place = 0
    for i, size in zip(index, tensor["shown"]):
        place = place * size + i
    return tensor["cells"][place]


def check_lines(run, tensor, place, language, names):
    tensors = run["steps"] + run["lines"]
    index = index_of(tensor, place)
    for line in (run["arithmetic"][number] for number in tensor["lines"][place]):
        if len(line) == 1:
            check_sentence(language, line[0], tensor, index, names)
            continue
        label, pieces, result, sign = line[:4]
        text = "".join(piece[0] if isinstance(piece, list) else piece for piece in pieces)
        value = evaluated(text)
        assert value is not None, line
        if sign == "=":
            assert rounds_to(value, result, 4), (line, value)
        else:
            assert math.isclose(value, evaluated(result), rel_tol=1e-3, abs_tol=1e-4), (line, value)
        SEEN["equation " + sign] += 1
        for piece in pieces:
            if isinstance(piece, list):
                source = tensors[piece[1]]
                assert agree(piece[0], source["cells"][piece[2]]), (line, piece)
                SEEN["operand"] += 1
    if tensor["lines"][place] and len(line) > 1:
        assert agree(line[2], tensor["cells"][place], tensor["largest"]), (line, tensor["name"])


@pytest.mark.parametrize("part", range(5))
def test_cells_of_random_pages(part):
    rng = random.Random(part)
    drawn = 0
    while drawn < DRAWS / 5:
        arguments, options, stdin = random_page(rng)
        language = arguments[2][-2:]
        (stage,) = json.loads(ok("page", *arguments, *options, stdin=stdin))["stages"]
        # Long literals are cut on the page.
        whole = [run for run in stage["runs"] if not any("…" in step["code"] for step in run["steps"])]
        for run in rng.sample(whole, min(2, len(whole))):
            names = in_torch(run)
            where = (arguments, options, run["id"])
            SEEN["page " + (run["id"] or "whole")] += 1
            cells = [
                (tensor, place)
                for tensor in run["steps"] + run["lines"]
                for place in range(len(tensor.get("lines", [])))
            ]
            for tensor, place in rng.sample(cells, min(25, len(cells))):
                drawn += 1
                index = index_of(tensor, place)
                at = tensor["name"] + "".join(f"[{i}]" for i in index)
                if tensor["name"] in names and tensor in run["steps"]:
                    value = number_of(names[tensor["name"]], index)
                    assert agree(tensor["cells"][place], value, tensor["largest"]), (where, at, value)
                    SEEN["number in PyTorch"] += 1
                try:
                    check_lines(run, tensor, place, language, names)
                except AssertionError as error:
                    raise AssertionError((where, at)) from error
                if not run["id"] and drawn % 8 == 0 and tensor in run["steps"]:
                    given = [one for one in arguments if one != "--variants"] + options
                    told = json.loads(ok("explain", given[0], at, *given[1:], "--json=-", stdin=stdin))
                    value = float(told["explanation"]["value"])
                    assert agree(tensor["cells"][place], value), (where, at, value)
                    SEEN["number in explain"] += 1
    SEEN["cells"] += drawn


def test_every_kind_was_drawn():
    print(dict(SEEN))
    assert SEEN["cells"] >= DRAWS
    assert min(SEEN[kind] for kind in ("page whole", "page mask", "equation =", "number in explain")) > 0
