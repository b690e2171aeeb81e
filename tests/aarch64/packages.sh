#!/bin/sh
# Unpacks Debian's zlib and fmt for 64-bit ARM into build/aarch64-packages. apt uses package lists of its own
# for that, so that the system's architectures and packages do not change.
set -eu
folder=$(cd "$(dirname "$0")/../.." && pwd)/build/aarch64-packages
[ -f "$folder/usr/lib/aarch64-linux-gnu/libz.a" ] && exit
mkdir -p "$folder/lists/partial"
cd "$folder"
for command in update "download zlib1g-dev libfmt-dev libfmt9"; do
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User= \
        -o Dir::State::Lists="$folder/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= $command
done
for package in *.deb; do
    dpkg-deb -x "$package" .
done
rm -r lists *.deb
