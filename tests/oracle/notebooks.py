"""Notebooks as a reader runs them: every stage's, in Jupyter's own kernel with PyTorch, prints what is stored in it.
Arguments: the probe's path (unused), the program.
"""

import copy
import subprocess
import sys

from oracle import skip

try:
    import nbclient
    import nbformat
    import jupyter_client.kernelspec
except ImportError:
    skip("Jupyter (python3-nbclient, python3-nbformat, python3-ipykernel) is not installed")

from runs import STAGES
from transcripts import NUMBER, one_unit_apart

# One kernel runs all of them, which would take seconds to start for each; nothing is left from one to the next.
FORGET = "%reset -f\nimport torch\ntorch.set_printoptions(profile='default')\ngrad_mode = torch.set_grad_enabled(True)"
VARIANTS = {"": [], "in Chinese, three digits": ["--lang=zh", "--precision=3"], "there and back": ["--backward", "--loss=mse"]}
THERE_AND_BACK = {"linear", "causal", "multi-head", "kv-cache", "rotary"}


def export(program, *arguments):
    answer = subprocess.run([program, *arguments, "--out", "-.ipynb"], capture_output=True, text=True)
    assert answer.returncode == 0, (arguments, answer.stderr)
    return answer.stdout


def notebook(program, stage, options):
    text = export(program, stage, *options)
    book = nbformat.reads(text, as_version=4)
    assert (book.nbformat, book.nbformat_minor) == (4, 5)
    nbformat.validate(book)
    assert nbformat.reads(nbformat.writes(book), as_version=4) == book
    return book


# Where products are of so many terms that BLAS, which adds them up in an order of its own, leaves other last digits.
SUMS_OF_512 = {"causal-self-attention"}


def close(stored, fresh):
    return one_unit_apart(stored, fresh) or abs(float(stored) - float(fresh)) < 2e-6


def printed(cell):
    return "".join(output.text if output.output_type == "stream" else str(output) for output in cell.outputs)


def differing(stored, fresh):
    """The numbers that are printed in other digits; all of them when more than the digits differ."""
    pairs = list(zip(NUMBER.findall(stored), NUMBER.findall(fresh)))
    same_layout = NUMBER.sub("#", stored) == NUMBER.sub("#", fresh)
    return [pair for pair in pairs if pair[0] != pair[1] or not same_layout]


def main():
    program = sys.argv[2]
    if "python3" not in jupyter_client.kernelspec.find_kernel_specs():
        skip("there is no python3 kernel (python3-ipykernel)")
    books = {(stage, variant): notebook(program, stage, options)
             for variant, options in VARIANTS.items()
             for stage in STAGES if stage in THERE_AND_BACK or "--backward" not in options}
    everything = nbformat.v4.new_notebook(cells=[])
    for book in books.values():
        everything.cells += [nbformat.v4.new_code_cell(FORGET), *copy.deepcopy(book.cells)]
    for number, cell in enumerate(everything.cells):
        cell.id = str(number)
    nbclient.NotebookClient(everything, kernel_name="python3", timeout=120).execute()
    run = iter(everything.cells)
    cells = 0
    for (stage, variant), book in books.items():
        assert next(run).source == FORGET
        stored = [cell for cell in book.cells if cell.cell_type == "code"]
        assert len(stored) > 3 and all(printed(cell) for cell in stored[1:]), stage
        others = numbers = 0
        for cell, fresh in zip(book.cells, run):
            if cell.cell_type == "code":
                found = differing(printed(cell), printed(fresh))
                far = [pair for pair in found if not (stage in SUMS_OF_512 and close(*pair))]
                assert not far, f"{stage} {variant}: {cell.source}\nstored\n{printed(cell)}\nprinted\n{printed(fresh)}"
                cells, others, numbers = cells + 1, others + len(found), numbers + len(NUMBER.findall(printed(cell)))
        assert others <= numbers / 20, (stage, others, numbers)
        if others:
            print(f"{stage}{variant}: {others} of {numbers} numbers differ in what rounding leaves")
    print(f"{len(books)} notebooks, {cells} code cells: outputs equal")


if __name__ == "__main__":
    main()
