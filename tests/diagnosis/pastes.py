"""How people cut pieces out of a tensor, and the text they paste."""

import json
import re

from oracle import numpy, torch


# ---- pieces: (how Python says it, the part) ----


def whole(x, rng):
    return "", x


def indexed(x, rng, axes):
    """Takes one index of each of the first axes."""
    index = [rng.randrange(size) for size in x.shape[:axes]]
    return "".join(f"[{i}]" for i in index), x[tuple(index)]


def row(x, rng):
    return indexed(x, rng, -1)


def rows(x, rng):
    if x.dim() != 2 or len(x) < 3:
        return None
    start = rng.randrange(len(x) - 1)
    stop = rng.randrange(start + 2, len(x) + 1)
    return f"[{start}:{stop}]", x[start:stop]


def column(x, rng):
    if x.dim() != 2:
        return None
    i = rng.randrange(x.shape[1])
    return f"[:, {i}]", x[:, i]


def block(x, rng):
    if x.dim() != 2 or min(x.shape) < 3:
        return None
    tops = [rng.randrange(size - 1) for size in x.shape]
    ends = [rng.randrange(top + 2, size + 1) for top, size in zip(tops, x.shape)]
    return f"[{tops[0]}:{ends[0]}, {tops[1]}:{ends[1]}]", x[tops[0] : ends[0], tops[1] : ends[1]]


def entry(x, rng):
    return indexed(x, rng, -2) if x.dim() > 2 else None


def transposed(x, rng):
    return (".T", x.transpose(-2, -1)) if x.dim() == 2 and x.shape[0] != x.shape[1] else None


def flattened(x, rng):
    return (".flatten()", x.flatten()) if x.dim() == 2 else None


PIECES = {cut.__name__: cut for cut in (whole, row, rows, column, block, entry, transposed, flattened)}


# ---- formats ----


def matrix(x):
    """Returns the numbers row by row, for any rank."""
    return x.reshape(-1, x.shape[-1]).tolist()


def fixed(value, decimals):
    return f"{value:.{decimals}f}"


def table(x, decimals, separator, before="", after=""):
    return "\n".join(
        before + separator.join(fixed(value, decimals) for value in line) + after for line in matrix(x)
    )


def torch_print(x, decimals, rng):
    torch.set_printoptions(precision=decimals)
    text = str(x)
    torch.set_printoptions(precision=4)
    return text


def with_label(x, decimals, rng):
    return (
        rng.choice(["my weights:\n", ">>> print(w)\n", "The result is\n\n"])
        + torch_print(x, decimals, rng)
        + rng.choice(["", "\nwhich surprised me"])
    )


def with_device(x, decimals, rng):
    return torch_print(x, decimals, rng)[:-1] + rng.choice(
        [", device='cuda:0')", ", dtype=torch.float64)", ", device='mps:0', grad_fn=<SoftmaxBackward0>)"]
    )


def numpy_print(x, decimals, rng):
    return numpy.array2string(x.numpy(), precision=decimals, suppress_small=True, floatmode="fixed")


def lists(x, decimals, rng):
    def nested(y):
        return [nested(part) for part in y] if isinstance(y, list) else float(fixed(y, decimals))

    return json.dumps(nested(x.tolist())).replace("Infinity", "inf").replace("NaN", "nan")


def markdown(x, decimals, rng):
    width = x.shape[-1]
    head = " | ".join(rng.choice(["a", "Your", "key"]) + str(i) for i in range(width))
    return f"| {head} |\n|{'---|' * width}\n" + table(x, decimals, " | ", "| ", " |")


def latex(x, decimals, rng):
    name = rng.choice(["pmatrix", "bmatrix"])
    rows = table(x, decimals, " & ", after=" \\\\").replace("-inf", "-\\infty")
    return f"\\begin{{{name}}}\n{rows}\n\\end{{{name}}}"


def begins_in_the_middle(x, decimals, rng):
    text = torch_print(x, decimals, rng)
    return text[text.index("[", text.index("[[") + 2) if text.count("[") > 2 else text.index("[") + 1 :]


def quoted(x, decimals, rng):
    return re.sub("^", "> ", torch_print(x, decimals, rng), flags=re.M)


def commented(x, decimals, rng):
    return re.sub("^", "# ", torch_print(x, decimals, rng), flags=re.M)


def numbered(x, decimals, rng):
    lines = enumerate(torch_print(x, decimals, rng).split("\n"), rng.choice([1, 12, 98]))
    return "\n".join(f"{i:3}  {line}" for i, line in lines)


def broken_number(x, decimals, rng):
    text = torch_print(x, decimals, rng)
    points = [point.start() for point in re.finditer(r"\.\d", text)]
    at = rng.choice(points) if points else 0
    return text[:at] + " " + text[at:]


FORMATS = {
    "torch": torch_print, "labelled": with_label, "device": with_device, "numpy": numpy_print, "lists": lists,
    "bare": lambda x, decimals, rng: table(x, decimals, rng.choice([" ", "  ", "   "])),
    "csv": lambda x, decimals, rng: table(x, decimals, rng.choice([",", ", "])),
    "tsv": lambda x, decimals, rng: table(x, decimals, "\t"),
    "decimal commas": lambda x, decimals, rng: table(x, decimals, ";").replace(".", ","),
    "markdown": markdown, "latex": latex, "begins in the middle": begins_in_the_middle, "quoted": quoted,
    "commented": commented, "numbered": numbered, "broken number": broken_number,
}  # fmt: skip
