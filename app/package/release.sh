#!/bin/sh
# Makes what a release hands out, in build/packages, with all that this takes on a bare Debian 12: a program in a single
# file for x86-64, for 64-bit ARM and for Windows, Debian's package, and SHA-256 sums of them.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"

require_packages dpkg-dev
build release
build static attn-walkthrough
build aarch64 attn-walkthrough
build windows attn-walkthrough
version=$(sed -n 's/^project(.* VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
folder="$root/build/packages"
rm -rf "$folder"
mkdir -p "$folder"
strip -o "$folder/attn-walkthrough-$version-linux-x86_64" "$root/build/static/attn-walkthrough"
aarch64-linux-gnu-strip -o "$folder/attn-walkthrough-$version-linux-aarch64" "$root/build/aarch64/attn-walkthrough"
x86_64-w64-mingw32-strip -o "$folder/attn-walkthrough-$version-windows-x86_64.exe" "$root/build/windows/attn-walkthrough.exe"
(cd "$root/build/release" && cpack -G DEB -B "$folder" >&2)
rm -rf "$folder/_CPack_Packages"
cd "$folder"
sha256sum -- * >SHA256SUMS
cat SHA256SUMS
