"""Random runs of the program: the options of each stage, its trace, and running its lines of code."""

import json

from program import listed, run, traced

# A random value for each option; None leaves a switch out.
OPTIONS = {
    "seed": lambda rng: rng.choice([rng.randrange(1000), rng.randrange(2**64)]),
    "d-out": lambda rng: rng.randint(1, 9),
    "dropout": lambda rng: rng.choice([0, 0.1, 0.25, 0.5, 0.9, 1, round(rng.random(), 3)]),
    "dropout-seed": lambda rng: rng.randrange(2**32),
    "dropout-rng": lambda rng: rng.choice(["mt19937", "mkl"]),
    "lr": lambda rng: rng.choice([0.01, 0.1, 1, round(rng.uniform(0.001, 2), 3)]),
    "qkv-bias": lambda rng: rng.choice([None, ""]),
    "focus": lambda rng: rng.choice([None, 0, "last"]),
    "precision": lambda rng: rng.choice([None, None, rng.randint(0, 5)]),
    "batch": lambda rng: rng.randint(1, 3),
    "context-length": lambda rng: rng.choice([None, rng.randint(12, 20)]),
    "heads": lambda rng: rng.randint(1, 4),
    "tokens": lambda rng: ",".join(
        map(str, sorted(rng.sample(range(1, rng.choice([50, 5000, 1000000])), rng.randint(2, 16))))
    ),
    "heads of d-out": lambda rng: (heads := rng.randint(1, 4), heads * rng.randint(1, 4)),
    # From 8 columns and 8 terms on, PyTorch's BLAS adds in a different order than we do. The difference of
    # two nearly equal numbers then has no digit in common.
    "d-out below 8": lambda rng: rng.randint(1, 7),
    "d-out in pairs": lambda rng: 2 * rng.randint(1, 3),
    "rotary": lambda rng: rng.choice([None, ":100", ":500000", f":{rng.uniform(2, 1e6):.2f}"]),
    "groups of heads": lambda rng: (
        kv_heads := rng.randint(1, 3),
        heads := kv_heads * rng.randint(1, 3),
        heads * rng.randint(1, 4),
    ),
    "few heads": lambda rng: (heads := rng.randint(1, 3), heads * rng.randint(1, 2)),
    "few groups": lambda rng: (
        kv := rng.randint(1, 2), heads := kv * rng.randint(1, 2), heads * rng.choice([1, 1, 2])
    ),
    "heads of d-model": lambda rng: (heads := rng.randint(1, 4), heads * rng.choice([1, 3, 8, 32, 128])),
}
# The order of the options; "input" gives a random lesson every other time.
ORDER = """input tokens short-length window seed d-out heads rotary lr qkv-bias batch context-length dropout
           dropout-seed dropout-rng focus""".split()
# Stages whose widths are drawn in another way, and options of a stage that keep their defaults.
WIDTHS = {
    "multi-head": "heads of d-out",
    "causal-self-attention": "heads of d-model",
    "leakage": "d-out below 8",
    "grouped-query": "groups of heads",
    "rotary": "d-out in pairs",
    "training-step": "d-out below 8",
}
KEPT = {"training-step": ["input", "qkv-bias"]}


def settings_of(stage, options):
    width = WIDTHS.get(stage, "d-out")
    kept = KEPT.get(stage, []) + ["heads", "rotary"] * ("heads" in width)
    has = {option["name"] for option in options if stage in option.get("stages", [])}
    return [width if name == "d-out" else name for name in ORDER if name in has and name not in kept]


# The options of each stage.
STAGES = {stage: settings_of(stage, json.loads(run("form").stdout)["options"]) for stage in listed()}


def trained_stages():
    """Returns the stages that have --backward, from the program's error message."""
    names = run("simplified --backward").stderr.split("These stages do:")[1].split(".")[0]
    return [name.strip() for name in names.split(",")]


def random_options(names, rng, lesson=None):
    options = []
    tokens = len(lesson["tokens"]) if lesson else 6
    for name in {"short-length", "window"}.intersection(names):
        options += rng.choice([[], [f"--{name}={rng.randint(1, tokens)}"]])
    for name in [*names, "precision"]:
        value = OPTIONS[name](rng) if name in OPTIONS else None
        if name.startswith(("heads of", "few heads")):
            options += [f"--heads={value[0]}", f"--d-out={value[1]}"]
        elif name in ("groups of heads", "few groups"):
            options += [f"--kv-heads={value[0]}", f"--heads={value[1]}", f"--d-out={value[2]}"]
            if value[2] // value[1] % 2 == 0:  # rotation needs pairs of numbers
                options += rng.choice([[], ["--rotary=halves"], ["--rotary=neighbours:500"]])
        elif value is not None:
            option = name.split()[0]
            options.append(f"--{option}={value}" if value != "" else f"--{option}")
    return options


def as_lesson(rows):
    return {"tokens": [f"t{i}" for i in range(len(rows))], "embeddings": rows}


def random_lesson(rng):
    tokens, width = rng.randint(1, 12), rng.randint(1, 16)
    scale = rng.choice([1, 1, 10, 0.01])
    return as_lesson([[round(rng.uniform(-1, 1) * scale, 4) for _ in range(width)] for _ in range(tokens)])


def lines(stage):
    """Returns the lines of code as one program."""
    return "\n".join(stage["setup"] + [line for step in stage["steps"] for line in step["code"]])


def executed(stage):
    """Runs the lines of code and returns the names they define."""
    names = {}
    exec(lines(stage), names)
    return names


def flat(data):
    """Returns the numbers of a step."""
    if isinstance(data, list):
        for part in data:
            yield from flat(part)
    else:
        yield float(data)
