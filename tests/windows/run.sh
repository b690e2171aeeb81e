#!/bin/sh
# Makes the program for Windows, and under Wine runs the unit tests and the program beside the native one.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"
require_packages wine wine64 python3
"$root/app/package/windows.sh"
build windows attn-tests
build release attn-walkthrough
exec /usr/bin/python3 -B "$root/tests/windows/same_program.py" "$root/build/windows" "$root/build/release/attn-walkthrough"
