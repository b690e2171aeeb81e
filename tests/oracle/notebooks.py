"""Runs every stage's notebook in Jupyter's own kernel with PyTorch: it must print the stored output."""

import copy
import sys

from oracle import in_2, is_1_13, skip
from program import run

try:
    import nbclient
    import nbformat
    import jupyter_client.kernelspec
except ImportError:
    skip("Jupyter (python3-nbclient, python3-nbformat, python3-ipykernel) is not installed")

from runs import STAGES
from transcripts import NUMBER, one_unit_apart

# One kernel runs all notebooks, because starting one takes seconds. This code removes everything between two
# notebooks.
FORGET = (
    "%reset -f\nimport torch\ntorch.set_printoptions(profile='default')\n"
    "grad_mode = torch.set_grad_enabled(True)"
)
VARIANTS = {
    "": [],
    "in Chinese, three digits": ["--lang=zh", "--precision=3"],
    "there and back": ["--backward", "--loss=mse"],
}
THERE_AND_BACK = {"linear", "causal", "multi-head", "kv-cache", "rotary"}


def notebook(stage, options):
    answer = run(stage, *options, "--out=-.ipynb")
    assert answer.returncode == 0, (stage, options, answer.stderr)
    book = nbformat.reads(answer.stdout, as_version=4)
    assert (book.nbformat, book.nbformat_minor) == (4, 5)
    nbformat.validate(book)
    assert nbformat.reads(nbformat.writes(book), as_version=4) == book
    return book


# Stages with sums of so many terms that BLAS adds them in an order of its own, or with sines and cosines,
# which PyTorch 1.13 rounds differently.
LAST_DIGITS_DIFFER = {"causal-self-attention", "grouped-query"} | ({"rotary"} if is_1_13 else set())


def close(stored, fresh):
    return one_unit_apart(stored, fresh) or abs(float(stored) - float(fresh)) < 2e-6


def printed(cell):
    return "".join(output.text if output.output_type == "stream" else str(output) for output in cell.outputs)


def test_every_notebook_prints_what_is_stored_in_it():
    if "python3" not in jupyter_client.kernelspec.find_kernel_specs():
        skip("there is no python3 kernel (python3-ipykernel)")
    books = {
        (stage, variant): notebook(stage, options)
        for variant, options in VARIANTS.items()
        for stage in STAGES
        if stage in THERE_AND_BACK or "--backward" not in options
    }
    everything = nbformat.v4.new_notebook(cells=[])
    for book in books.values():
        everything.cells += [nbformat.v4.new_code_cell(FORGET), *copy.deepcopy(book.cells)]
    for number, cell in enumerate(everything.cells):
        cell.id = str(number)
    client = nbclient.NotebookClient(everything, kernel_name="python3", timeout=120)
    client.create_kernel_manager().kernel_spec.argv[0] = sys.executable  # with this PyTorch
    client.execute()
    fresh_cells = iter(everything.cells)
    for (stage, variant), book in books.items():
        assert next(fresh_cells).source == FORGET
        stored = [cell for cell in book.cells if cell.cell_type == "code"]
        assert len(stored) > 3 and all(printed(cell) for cell in stored[1:]), stage
        others = numbers = 0
        for cell, fresh in zip(book.cells, fresh_cells):
            if cell.cell_type == "code":
                texts = printed(cell), in_2(printed(fresh))
                assert NUMBER.sub("#", texts[0]) == NUMBER.sub("#", texts[1]), (stage, variant, *texts)
                pairs = list(zip(*map(NUMBER.findall, texts)))
                different = [pair for pair in pairs if pair[0] != pair[1]]
                are_close = stage in LAST_DIGITS_DIFFER and all(close(*pair) for pair in different)
                assert not different or are_close, (
                    stage, variant, cell.source, different,
                )  # fmt: skip
                others, numbers = others + len(different), numbers + len(pairs)
        assert others <= numbers / 20, (stage, others, numbers)
