#!/bin/sh
# Runs the tests of kernels that divide their work among threads under ThreadSanitizer. tests/same_bytes.sh
# walks all stages with this preset's program.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/app/packages.sh"

build threads attn-tests
"$root/build/threads/attn-tests" --minimal
echo "no thread gets in another's way"
