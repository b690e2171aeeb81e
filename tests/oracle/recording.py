"""Records the tables of tests/recorded again and compares them with the stored ones."""

import pathlib
import sys

import pytest

from oracle import is_1_13
from program import PROJECT, listed

RECORDED = PROJECT / "tests" / "recorded"
sys.path.insert(0, str(RECORDED))

import record


@pytest.mark.skipif(is_1_13, reason="PyTorch 1.13 has other cosines and grad_fn names")
def test_recording_again_gives_the_same_files(tmp_path):
    record.record(tmp_path)
    stages = {path.name for path in RECORDED.glob("*.json")}
    assert stages == {f"{stage}.json" for stage in listed()}
    for name in sorted(stages):
        assert (tmp_path / name).read_text("utf-8") == (RECORDED / name).read_text("utf-8"), name
