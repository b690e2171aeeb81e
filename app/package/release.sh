#!/bin/sh
# Makes the files of a release in build/packages, and installs what this needs on a bare Debian 12. The files
# are: the program for x86-64, 64-bit ARM, Windows and browsers, each a single file; Debian's package; the
# Python wheel; the release notes and SHA-256 sums. With a tag such as v0.1.0, fails unless it names the
# project's version: app/package/release.sh [TAG]
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"

version=$(sed -n 's/^project(.* VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
[ "${1:-v$version}" = "v$version" ] || {
    echo "The tag is $1, the version in CMakeLists.txt is $version." >&2
    exit 1
}
require_packages dpkg-dev
build release
build static attn-walkthrough
build aarch64 attn-walkthrough
build windows attn-walkthrough
folder="$root/build/packages"
rm -rf "$folder"
mkdir -p "$folder"
strip -o "$folder/attn-walkthrough-$version-linux-x86_64" "$root/build/static/attn-walkthrough"
name=$folder/attn-walkthrough-$version
aarch64-linux-gnu-strip -o "$name-linux-aarch64" "$root/build/aarch64/attn-walkthrough"
x86_64-w64-mingw32-strip -o "$name-windows-x86_64.exe" "$root/build/windows/attn-walkthrough.exe"
(cd "$root/build/release" && cpack -G DEB -B "$folder" >&2)
rm -rf "$folder/_CPack_Packages"
"$root/app/web/build.sh" >&2
cp "$root/build/web/attn-walkthrough.html" "$folder/attn-walkthrough-$version.html"
"$root/app/python/build.sh" "$root/build/static/attn-walkthrough" >&2
cp "$root"/build/python/*.whl "$folder"
sed -n "/^## \[$version\]/,/^## \[/{/^## \[/!p}" "$root/CHANGELOG.md" >"$folder/NOTES.md"
[ -s "$folder/NOTES.md" ] || { echo "CHANGELOG.md says nothing about version $version." >&2; exit 1; }
cd "$folder"
sha256sum -- * >SHA256SUMS
cat SHA256SUMS
