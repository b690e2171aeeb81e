#!/bin/sh
# Makes the program for Windows, and compares it under Wine with the native one: the unit tests, command
# lines, and all stages; with --quick only all stages.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"
require_packages wine wine64 python3
"$root/app/package/windows.sh"
if [ "${1:-}" = --quick ]; then
    set -- dev UnderWine.test_every_stage_has_the_native_bytes_on_every_instruction_level
else
    set -- release
    build windows attn-tests
fi
native=$1
shift
build "$native" attn-walkthrough
exec /usr/bin/python3 -B "$root/tests/windows/same_program.py" "$root/build/windows" \
    "$root/build/$native/attn-walkthrough" "$@"
