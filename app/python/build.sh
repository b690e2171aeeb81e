#!/bin/sh
# Makes the Python wheel, and installs what this needs on a bare Debian 12:
# app/python/build.sh [PROGRAM [FOLDER]]
# The wheel contains PROGRAM; without one, the static preset is built. It is written to FOLDER, or to
# build/python.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"

require_packages python3 python3-setuptools python3-wheel
if [ $# -gt 0 ]; then
    program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
else
    build static attn-walkthrough
    program="$root/build/static/attn-walkthrough"
fi
folder=${2:-"$root/build/python"}
rm -rf "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cp -R "$root/app/python/setup.py" "$root/app/python/attn_walkthrough" "$folder"
cp "$program" "$folder/attn_walkthrough/attn-walkthrough"
cd "$folder"
ATTN_VERSION=$(sed -n 's/^project(.* VERSION \([^ ]*\).*/\1/p' "$root/CMakeLists.txt")
export ATTN_VERSION
/usr/bin/python3 setup.py -q bdist_wheel --dist-dir . >/dev/null
rm -rf build ./*.egg-info
ls "$folder"/*.whl
