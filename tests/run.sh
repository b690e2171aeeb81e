#!/bin/sh
# Tests the walk, which app/run.sh has built first, with what needs no further packages than doctest and
# pytest: its unit tests, its command line, and the digits that PyTorch printed. tests/all.sh tests all. A
# word selects from all unit tests and the command line what mentions it: tests/run.sh softmax. It installs
# what this needs on a bare Debian 12.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/app/packages.sh"

require_packages doctest-dev python3 python3-pytest
with_tests="-DATTN_BUILD_TESTS=ON"
if [ $# = 0 ]; then
    build release attn-first attn-first-tests
    cd "$root/build/release"
    counted tests ctest --label-regex fast --parallel "$(nproc)" --output-on-failure
else
    build release attn-walkthrough attn-first attn-tests
    cd "$root/build/release"
    ./attn-tests --source-file="*$1*" --minimal
    ./attn-tests --test-case="*$1*" --source-file-exclude="*$1*" --minimal
    export ATTN_WORD="$1"
    scripts=$(grep -liF -e "$1" "$root"/tests/cli/*.py | sed 's|.*/||; s|\.py$||' | tr '\n' '|')
    counted tests ctest --label-regex cli --parallel "$(nproc)" --output-on-failure \
        --tests-regex "^(${scripts%|})$"
fi
echo "tests passed in $(($(date +%s) - begun)) s; next: tests/all.sh, which tests all, also with PyTorch" >&2
