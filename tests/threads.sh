#!/bin/sh
# Runs code that uses several threads under ThreadSanitizer: the tests of the kernels that divide their work,
# the only ones that tests/CMakeLists.txt builds here, and a whole run with tensors that are large enough.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/app/packages.sh"

require_packages python3
build threads attn-tests attn-walkthrough
cd "$root"
build/threads/attn-tests --minimal
tests/cli/large_lesson.py 150 130 |
    build/threads/attn-walkthrough causal --d-out 120 --input - --threads 4 --quiet >/dev/null
echo "no thread gets in another's way"
