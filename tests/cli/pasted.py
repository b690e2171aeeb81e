"""Pastes that people have published: the outputs of chapter 3's public notebook (rasbt/LLMs-from-scratch,
ch03.ipynb and exercise-solutions.ipynb), and the tensors of public issues (rasbt/LLMs-from-scratch 57,
karpathy/nanoGPT 170).
"""

import json
import pathlib
import unittest

from program import run

PASTED = pathlib.Path(__file__).parent / "pasted"


def diagnose(name, *options):
    """Returns the best match of each tensor as stage, step and mistakes, or None."""
    answer = run("diagnose", str(PASTED / name), "--json", "-", *options)
    tensors = json.loads(answer.stdout)["tensors"]
    best = [tensor["matches"][0] if tensor["matches"] else None for tensor in tensors]
    return answer.returncode, [
        match and (match["stage"], match["step"], *match["mistakes"]) for match in best
    ]


class Pasted(unittest.TestCase):
    def test_every_tensor_of_the_notebook_is_a_step(self):
        returncode, found = diagnose("chapter-3-notebook.txt")
        assert returncode == 0
        assert len(found) == 37
        assert all(len(match) == 2 for match in found)
        for stage, step in (
            ("simplified", "all_context_vecs"),
            ("trainable", "context_vec"),
            ("linear", "context_vec"),
            ("causal", "masked_simple"),
            ("causal", "masked"),
            ("causal", "dropout_example"),
            ("causal", "attn_weights_dropped"),
            (
                "multi-head-wrapper",
                "head_1",
            ),  # also context_vec of causal-batch, but the next tensor is only in this stage
            ("multi-head-wrapper", "context_vec"),
            ("multi-head", "context_vec"),
            ("head-split", "product"),
        ):
            assert (stage, step) in found

    def test_the_reader_with_another_dropout_mask_has_another_build(self):
        returncode, found = diagnose("llms-from-scratch-57.txt")
        assert (returncode, found) == (0, [("causal", "dropout_example")] * 2)  # both are right
        returncode, found = diagnose("llms-from-scratch-57.txt", "causal", "--dropout-rng=mt19937")
        assert returncode == 1
        assert found == [("causal", "dropout_example", "dropout-other-rng"), ("causal", "dropout_example")]

    def test_the_printed_answer_to_exercise_3_2_has_softmax_over_the_queries(self):
        _, found = diagnose("exercise-solutions.txt")
        assert found[1] == ("multi-head-wrapper", "context_vec", "softmax-wrong-axis")
        _, found = diagnose("exercise-solutions.txt", "linear", "--seed", "123")
        assert found[0] == ("linear", "context_vec")

    def test_a_random_tensor_is_nothing_known(self):
        returncode, found = diagnose("nanogpt-170.txt")
        assert returncode == 1
        assert found == [("numpy", "causal_mask"), None]
