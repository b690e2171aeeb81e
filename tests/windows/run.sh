#!/bin/sh
# Makes the program for Windows and runs it under Wine beside the native one.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"
require_packages wine wine64 python3
"$root/app/package/windows.sh"
build release attn-walkthrough
exec /usr/bin/python3 -B "$root/tests/windows/same_program.py" "$root/build/windows/attn-walkthrough.exe" "$root/build/release/attn-walkthrough"
