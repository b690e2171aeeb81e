#!/bin/sh
# Makes the program for Windows, and compares it under Wine with the native one: the unit tests, command
# lines, and all stages; with --quick only all stages.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"
require_packages wine wine64 python3 python3-pytest
"$root/app/package/windows.sh"
if [ "${1:-}" = --quick ]; then
    set -- dev -k every_stage
else
    set -- release
    build windows attn-tests
fi
native=$1
shift
build "$native" attn-walkthrough
export ATTN_BUILD="$root/build/$native" ATTN_WINDOWS="$root/build/windows"
exec /usr/bin/python3 -B -m pytest -c "$root/tests/pytest.ini" "$root/tests/windows/same_program.py" "$@"
