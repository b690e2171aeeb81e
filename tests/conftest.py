"""`tests/run.sh WORD` runs only the tests whose code or name contains the word in $ATTN_WORD."""

import inspect
import os

from program import difference

WORD = os.environ.get("ATTN_WORD", "").lower()


def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if WORD in (item.nodeid + inspect.getsource(item.obj)).lower()]


def pytest_assertrepr_compare(op, left, right):
    """Long outputs that differ fill no log: with $CI set, pytest would show all of their lines."""
    long = any(isinstance(x, (str, bytes, list, tuple, dict)) and len(repr(x)) > 1000 for x in (left, right))
    return difference(left, right) if op == "==" and long else None
