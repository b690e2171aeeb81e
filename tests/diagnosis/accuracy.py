"""Measures how often the first answer of diagnose is right about what people paste."""

import collections
import concurrent.futures
import functools
import json
import os
import random
import re
import tempfile

import pytest

from oracle import tensor_of
from pastes import FORMATS, PIECES, fixed
from program import listed, ok, run, trace
from reader import DROPOUT, IN_PAIRS, JOURNEY, MISTAKES, Reader, torch
from runs import as_lesson

WANTED = 0.97
WANTED_OF_PAIRS = 0.8
WANTED_OF_STEPS = 0.9  # for steps that only the program computes
UNDECIDABLE = 0.03  # the largest share allowed
UNDECIDABLE_PAIRS = 0.05
UNSURE = 0.15  # the largest share of right tensors of which the program cannot tell that they are right
FLOOR = 0.8  # for each mistake with at least ten cases
CASES = int(os.environ.get("ATTN_PASTES", "150"))  # 150 contain each mistake once
SEED = int(os.environ.get("ATTN_PASTES_SEED", "1"))
FORM = json.loads(ok("form"))
DEFAULTS = {stage["name"]: stage["defaults"] for stage in FORM["stages"]}
DOCUMENTS = {name: (DEFAULTS[name].get("seed", 0), DEFAULTS[name].get("d-out", 2)) for name in MISTAKES}

NOTHING = torch.tensor([])

# In one tensor, these always show the digits of a different mistake, or right ones.
NEVER_DECIDABLE = {"draw-order", "dropout-on-unmasked", "no-out-proj"}
STAGES_OF = {
    mistake: [stage for stage in MISTAKES if mistake in MISTAKES[stage]]
    for mistake in dict.fromkeys(sum(MISTAKES.values(), []))
    if mistake not in NEVER_DECIDABLE
} | {mistake: [*MISTAKES] for mistake in ("other-input", "mistyped", "transposed", "")}


def part(x, index):
    """Returns the piece x[…] of a tensor, or nothing if there is no such piece."""
    try:
        return eval(f"x{index}")  # noqa: S307
    except (IndexError, RuntimeError):
        return NOTHING


class Case:
    """One paste, its origin in PyTorch, and how the program is called."""

    # A case does not count if the answer, made in PyTorch, shows the same digits.

    deck = []

    def __init__(self, rng):
        deck = self.deck
        while True:
            if not deck:  # each mistake once, and half as many right tensors
                deck += [*STAGES_OF, *[""] * (len(STAGES_OF) // 2)]
                rng.shuffle(deck)
            self.mistake = deck[-1]
            self.stage = rng.choice(STAGES_OF[self.mistake])
            self.own_lesson = rng.random() < 0.3
            self.p = self.parameters(rng)
            self.x = (
                torch.tensor([[round(rng.random(), 2) for _ in range(3)] for _ in range(rng.randint(4, 8))])
                if self.own_lesson
                else JOURNEY
            )
            if self.mistake == "weights-not-transposed" and self.p["d_out"] != 3:
                continue
            if self.draw(rng):
                deck.pop()
                return

    def parameters(self, rng):
        heads = rng.choice([2, 2, 3])
        seed, d_out = DOCUMENTS[self.stage]
        if self.own_lesson or rng.random() < 0.5:
            seed, d_out = rng.choice([123, 789]), rng.choice([2, 3, 4])
        elif self.mistake == "weights-not-transposed":
            d_out = 3
        if self.stage == "multi-head":
            d_out = heads * rng.choice([1, 2])
        dropout = 0.5 if rng.random() < 0.5 else rng.choice([0.1, 0.2, 0.3])
        drops = self.stage not in ("simplified", "trainable", "causal") and (
            self.mistake in (*DROPOUT, "dropout-elsewhere")
            or (self.mistake != "dropout-in-eval" and rng.random() < 0.2)
        )
        seed, d_out = (0, 2) if self.stage == "simplified" else (seed, d_out)
        return {
            "drops": drops,
            "seed": seed,
            "other_seed": 912 - seed,
            "d_in": 3,
            "d_out": d_out,
            "heads": heads,
            "batch": 2,
            "dropout": dropout,
            "other_dropout": rng.choice([p for p in (0.1, 0.2, 0.5) if p != dropout]),
            "variant": rng.randrange(60),
        }

    def draw(self, rng):
        """Returns True if the mistake has a visible effect."""
        right, x = Reader(self.stage, self.p, "").run(self.x), self.x.clone()
        if self.mistake == "other-input":
            at = rng.randrange(len(x)), rng.randrange(3)
            x[at] = rng.choice([round(rng.random(), 2), round(float(x[at]) * 10 % 1 or 0.5, 2)])
        is_readers = self.mistake not in ("mistyped", "transposed", "other-input")
        made = Reader(self.stage, self.p, self.mistake if is_readers else "").run(x)
        if self.mistake == "transposed":  # a matrix that is not square can only be a piece of the right one
            made = {
                name: x.transpose(-2, -1)
                for name, x in made.items()
                if x.dim() > 1 and x.shape[-1] == x.shape[-2]
            }
        names = list(made)
        rng.shuffle(names)
        for self.step in names:
            self.decimals = rng.choice([4, 4, 4, 2, 3, 6])
            self.piece = "whole" if self.mistake == "transposed" else rng.choice(["whole", "whole", *PIECES])
            cut = PIECES[self.piece](made[self.step], rng)
            if cut is None or cut[1].numel() < 2:
                continue
            self.index, self.value = cut
            if self.mistake not in ("", "mistyped") and self.is_shown_by(right.get(self.step, NOTHING)):
                continue  # the mistake is not visible in this piece
            if self.mistake and self.mistake not in ("mistyped", "other-input") and self.has_another_cause():
                continue
            self.format = rng.choice(["torch", "torch", "torch", *FORMATS])
            self.text = FORMATS[self.format](self.value, self.decimals, rng)
            return self.mistype(rng) if self.mistake == "mistyped" else True
        return False

    def has_another_cause(self):
        """Returns True if the right tensors, or a different mistake, show the same digits."""
        for mistake in ("", *MISTAKES[self.stage]):
            fits = mistake != "weights-not-transposed" or self.p["d_out"] == 3
            if mistake != self.mistake and fits:
                made = Reader(self.stage, self.p, mistake).run(self.x)
                if any(map(self.is_shown_by, made.values())):
                    return True
        return False

    def is_shown_by(self, x):
        """Returns True if the same piece of a tensor has the same digits."""
        piece = part(x, self.index)
        return piece.shape == self.value.shape and self.digits(piece) == self.digits(self.value)

    def mistype(self, rng):
        """Changes one digit after a point by more than one."""
        places = [m.start() for m in re.finditer(r"(?<=\.)\d|(?<=\.\d)\d", self.text)]
        if not places or self.value.numel() < 4 or self.decimals < 3:
            return False
        if self.value.nan_to_num(0, 0, 0).abs().max() > 500:  # there, float32 sums may differ as much
            return False
        at = rng.choice(places)
        self.text = (
            self.text[:at] + str((int(self.text[at]) + rng.choice([2, 3, 5])) % 10) + self.text[at + 1 :]
        )
        return True

    def digits(self, x):
        numbers = x.flatten().tolist()
        return [fixed(value if round(value, self.decimals) else 0.0, self.decimals) for value in numbers]

    def command(self, lesson):
        given = []
        default = (
            not self.own_lesson
            and (self.p["seed"], self.p["d_out"]) == DOCUMENTS[self.stage]
            and (self.p["heads"] == 2 or "head" not in self.stage)
        )
        other_rng = "dropout-other-rng" in self.mistake
        names_stage = (
            not default
            or self.p["drops"]
            or other_rng
            or len(self.text) % 2 == 0
            or self.stage == "multi-head"
        )
        if names_stage:
            drawn = [f"--seed={self.p['seed']}", f"--d-out={self.p['d_out']}"]
            given += [self.stage] + drawn * (self.stage != "simplified")
            given += [f"--dropout={self.p['dropout']}"] * (self.stage == "causal" or self.p["drops"])
            given += ["--dropout-rng=mt19937"] * other_rng  # otherwise both are right
            given += [f"--heads={self.p['heads']}"] * self.stage.startswith("multi-head")
        elif self.stage == "causal" and self.p["dropout"] != 0.5:
            given += [f"--dropout={self.p['dropout']}"]
        self.asked = "stage named" if names_stage else "no stage"
        return ["diagnose", *given, "-", "--input", lesson, "--json", "-"]

    def ask(self):
        lesson = as_lesson([[float(f"{v:.9g}") for v in row] for row in self.x.tolist()])
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(lesson, file)
            file.flush()
            answer = run(*self.command(file.name), stdin=self.text)
        self.code, self.error = answer.returncode, answer.stderr.strip()
        self.tensors = json.loads(answer.stdout)["tensors"] if answer.returncode in (0, 1) else []
        return self

    def first(self):
        matches = [match for tensor in self.tensors for match in tensor["matches"]]
        return matches[0] if matches else None

    def said(self):
        match = self.first()
        if match is None:
            return f"exit {self.code}: {self.error[:60]}" if self.code not in (0, 1) else "nothing"
        return "+".join(match["mistakes"]) or "right"

    @functools.cached_property
    def outcome(self):
        match = self.first()
        if match is not None and sorted(match["mistakes"]) == sorted(
            self.mistake.split("+") if self.mistake else []
        ):
            there = (match["stage"], match["step"]) == (self.stage, self.step) or self.shows_the_same(match)
            return (
                "right"
                if there and self.code in ((1,) if self.mistake else (0, 1))
                else "wrong place or exit code"
            )
        if not self.mistake and match is not None and match["mistakes"]:
            return "right called wrong"
        if self.mistake == "mistyped":  # the pasted digits are not those of self.value
            return "wrong called right" if self.code == 0 else "wrong"
        if match is not None and self.shows_the_same(match):
            return "undecidable"
        return "wrong called right" if self.mistake and self.code == 0 else "wrong"

    def shows_the_same(self, match):
        """Returns True if the answer, made in PyTorch, has the pasted digits."""
        if match["stage"] not in MISTAKES:
            return False
        claimed = "+".join(match["mistakes"])
        made = [mistake for mistake in match["mistakes"] if mistake in MISTAKES[match["stage"]]]
        if len(match["mistakes"]) > 1 and len(made) < len(match["mistakes"]):
            return False
        x = self.x.clone()
        if claimed == "other-input":
            i, j, value = re.fullmatch(r"inputs\[(\d+)\]\[(\d+)\] = (.*)", match["line"]).groups()
            x[int(i), int(j)] = float(value)
        elif claimed and not made and claimed not in ("mistyped", "transposed"):
            return False
        p = {
            **self.p,
            "seed": match["parameters"].get("seed", 0),
            "d_out": match["parameters"]["d_out"],
            "dropout": match["parameters"].get("dropout") or self.p["dropout"],
        }
        if "other-seed" in made:
            p["other_seed"] = p["seed"]
        if "other-heads" in made:
            made.remove("other-heads")
            p["heads"] = match["parameters"]["num_heads"]
        if match["parameters"].get("dropout_rng") == "mkl" and not made:  # either generator is right
            made = ["dropout-other-rng"]
        with torch.no_grad():
            reader = Reader(match["stage"], p, "+".join(made))
            values = [*reader.run(x).values(), *reader.parts]
        wanted = collections.Counter(self.digits(self.value))
        for value in values:
            for index in (match.get("piece", ""), ""):
                found = collections.Counter(self.digits(part(value, index)))
                if (wanted - found).total() == (claimed == "mistyped"):
                    return True
        return False


class StepCase(Case):
    """A step of any stage as the program computes it: right, mistyped, or showing a mistake."""

    stages = listed()
    # The stages that take an option.
    taken = {
        option["name"].replace("-", "_"): option["stages"]
        for option in FORM["options"]
        if "stages" in option
    }

    def __init__(self, rng):
        self.own_lesson, self.x = False, JOURNEY
        while True:
            self.stage = rng.choice(self.stages)
            self.p = self.parameters(rng)
            self.steps = self.made(self.stage, self.p)
            step = self.steps[rng.choice(list(self.steps))]
            self.step, self.mistake = step["name"], step.get("shows", "") or rng.choice(["", "", "mistyped"])
            self.decimals, self.piece = rng.choice([4, 4, 6]), rng.choice(["whole", "whole", *PIECES])
            x = tensor_of(step)
            cut = PIECES[self.piece](x, rng) if 2 <= x.numel() <= 400 else None
            if self.step == "attn_weights_mixed_up":
                continue  # mask-flipped has the same digits
            if cut is None or len({number for number in self.digits(cut[1]) if number.strip("0.")}) < 4:
                continue  # zeros and ones are many steps
            self.index, self.value = cut
            self.format = rng.choice(["torch", "torch", *FORMATS])
            self.text = FORMATS[self.format](self.value, self.decimals, rng)
            if self.mistake != "mistyped" or ("e" not in self.text and self.mistype(rng)):
                return

    def parameters(self, rng):
        """Returns options of the stage, for half of the cases."""
        chosen = {"seed": rng.randrange(1000), "d_out": rng.choice([4, 8]), "dropout": rng.choice([0.1, 0.3])}
        if rng.random() < 0.5 or self.stage in ("numpy", "causal-self-attention", "complexity"):
            return {}
        return self.fitting(self.stage, chosen)

    def fitting(self, stage, p):
        """Returns those of some options that the stage takes."""
        return {name: value for name, value in p.items() if stage in self.taken.get(name, ())}

    @staticmethod
    def options(p):
        return [f"--{name.replace('_', '-')}={value}" for name, value in p.items()]

    def made(self, stage, p):
        """Returns the steps of a stage by their names."""
        return {step["name"]: step for step in trace(stage, *self.options(p))["steps"]}

    def command(self, lesson):
        named = self.p or len(self.text) % 2
        self.asked = "with options" if self.p else "stage named" if named else "no stage"
        return ["diagnose", *[self.stage] * bool(named), *self.options(self.p), "-", "--json", "-"]

    def shows_the_same(self, match):
        """Whether the step that is answered, right and with its own parameters, has these digits too."""
        p = {name: match["parameters"].get(name) for name in ("seed", "d_out", "dropout")}
        steps = self.made(match["stage"], self.fitting(match["stage"], p))
        if match["step"] not in steps:
            return False
        wanted = collections.Counter(self.digits(self.value))
        return not wanted - collections.Counter(self.digits(tensor_of(steps[match["step"]])))

    @functools.cached_property
    def outcome(self):
        match = self.first()
        if match is None:
            return "wrong"
        is_there = (match["stage"], match["step"]) == (self.stage, self.step)
        if self.mistake not in ("", "mistyped"):  # which a step shows
            if self.code == 0:
                return "undecidable" if self.shows_the_same(match) else "wrong called right"
            # Some steps become these with the mistake.
            is_there = is_there or match["step"] in ("context_vec", "context_heads")
            return "right" if is_there and match["mistakes"] == [self.mistake] else "wrong"
        # `begins in the middle` leaves out the first numbers, so the piece is smaller.
        if (
            is_there
            and self.format != "begins in the middle"
            and self.digits(part(tensor_of(self.steps[self.step]), match["piece"]))
            != self.digits(self.value)
        ):
            return "wrong place or exit code"
        return super().outcome


class PairCase(Case):
    """Makes two mistakes at once, and pastes a whole step that shows both, in any order."""

    def __init__(self, rng):
        self.own_lesson, self.x = False, JOURNEY
        self.decimals, self.piece, self.index, self.format = 4, "whole", "", "torch"
        while True:
            self.stage = rng.choice(list(MISTAKES))
            self.pair = rng.sample([one for one in MISTAKES[self.stage] if one in IN_PAIRS], 2)
            self.mistake = self.pair[0]
            self.p = self.parameters(rng)
            self.p["drops"] = self.p["drops"] or (
                self.stage not in ("trainable", "causal") and self.pair[1] in DROPOUT
            )
            self.mistake = "+".join(self.pair)
            if ("weights-not-transposed" in self.pair and self.p["d_out"] != 3) or (
                self.p["drops"] and "dropout-in-eval" in self.pair
            ):
                continue
            if self.draw(rng):
                return

    def draw(self, rng):
        made, *others = (
            Reader(self.stage, self.p, mistakes).run(self.x) for mistakes in (self.mistake, "", *self.pair)
        )
        names = list(made)
        rng.shuffle(names)
        for self.step in names:
            self.value = made[self.step]
            same = [
                self.digits(other[self.step]) == self.digits(self.value)
                for other in others
                if self.step in other and other[self.step].shape == self.value.shape
            ]
            if not any(same):
                self.text = FORMATS["torch"](self.value, self.decimals, rng)
                return True
        return False


def rates(cases, key):
    """Prints the outcomes for each value of an attribute."""
    print(f"\nby {key}")
    groups = collections.defaultdict(collections.Counter)
    for case in cases:
        groups[str(getattr(case, key)) or "(none)"][case.outcome] += 1
    for name, counts in sorted(groups.items()):
        decidable = counts.total() - counts["undecidable"]
        print(f"  {name:32} {counts['right'] / max(decidable, 1):7.1%} {dict(counts)}")


# A few pairs would prove nothing.
@pytest.mark.parametrize(
    "kind, cases, wanted, undecidable",
    [
        (Case, CASES, WANTED, UNDECIDABLE),
        (StepCase, CASES // 2, WANTED_OF_STEPS, UNDECIDABLE),
        *[(PairCase, CASES // 2, WANTED_OF_PAIRS, UNDECIDABLE_PAIRS)] * (CASES >= 1000),
    ],
)
def test_the_first_answer_is_right(kind, cases, wanted, undecidable):
    print(f"ATTN_PASTES={CASES} ATTN_PASTES_SEED={SEED}")
    rng = random.Random(SEED)
    with torch.no_grad():
        cases = [kind(rng) for _ in range(cases)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda case: case.ask(), cases))
    for key in ("mistake", "piece", "format", "decimals", "stage", "asked"):
        rates(cases, key)
    outcomes = collections.Counter(case.outcome for case in cases)
    for case in cases:
        if case.outcome not in ("right", "undecidable"):
            print(
                f"\n{case.stage} {case.mistake or '(none)'} {case.step}{case.index} {case.format} {case.p}"
                f" → {case.said()}\n{case.text}"
            )
    assert outcomes["right"] >= wanted * (len(cases) - outcomes["undecidable"]), outcomes
    assert not outcomes["right called wrong"] and not outcomes["wrong called right"], outcomes
    assert outcomes["undecidable"] <= undecidable * len(cases), outcomes
    if kind is PairCase:
        return
    right = [case.code for case in cases if not case.mistake]
    assert right.count(1) <= UNSURE * len(right), (right.count(1), len(right))
    of_mistake = collections.defaultdict(list)
    for case in cases:
        of_mistake[case.mistake].append(case.outcome in ("right", "undecidable"))
    for mistake, right in of_mistake.items():
        assert len(right) < 10 or sum(right) >= FLOOR * len(right), mistake
