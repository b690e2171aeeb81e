"""`tests/run.sh WORD` runs only the tests whose code or name contains the word in $ATTN_WORD."""

import inspect
import os

WORD = os.environ.get("ATTN_WORD", "").lower()


def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if WORD in (item.nodeid + inspect.getsource(item.obj)).lower()]
