#!/bin/sh
# Fuzzes every target for some seconds each (default: 60): tests/fuzz/run.sh [SECONDS [TARGET…]]. Useful
# inputs are added to build/fuzz/corpus; a crash leaves its input in build/fuzz.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"
seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- json tensor_text tensor_files

build fuzz
cd "$root/build/fuzz"
export root seconds
# Runs one target per processor at a time; if one fails, the remaining ones do not start.
printf '%s\n' "$@" | xargs -P "$(nproc)" -I TARGET sh -eu -c '
    mkdir -p corpus/TARGET
    if ! ./attn-fuzz-TARGET -max_total_time="$seconds" -timeout=120 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="$PWD/crash-TARGET-" \
        "$PWD/corpus/TARGET" "$root/tests/fuzz/corpus/TARGET" >TARGET.log 2>&1; then
        tail -40 TARGET.log
        exit 255
    fi
    inputs=$(sed -n "s/^stat::number_of_executed_units: *//p" TARGET.log)
    [ -n "$inputs" ]
    echo "TARGET: $inputs inputs in $seconds s, nothing found"'
