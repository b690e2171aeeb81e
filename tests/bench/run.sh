#!/bin/sh
# Builds the benchmarks, installs what this needs on a bare Debian 12, and compares them with PyTorch 1.13 and
# the processor's peak. Arguments are rows, or beginnings of their names: tests/bench/run.sh matmul/1536.
# CXX=clang++ builds with clang; ATTN_ISA=v3 selects AVX2 for both.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"
build="$root/build/bench${CXX:+-$(basename "$CXX")}"

require_packages $(packages_of bench) python3 python3-torch libopenblas0-pthread
cmake --preset bench -S "$root" -B "$build" >/dev/null
cmake --build "$build" --parallel "$(nproc)" --target attn-bench >/dev/null
exec /usr/bin/python3 -B "$root/tests/bench/peers.py" "$build/attn-bench" "$@"
