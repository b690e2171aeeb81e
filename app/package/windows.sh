#!/bin/sh
# Makes the program for Windows, build/windows/attn-walkthrough.exe, and installs what this needs on a bare
# Debian 12.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"

build windows attn-walkthrough
ls -s "$root/build/windows/attn-walkthrough.exe"
