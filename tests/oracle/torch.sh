#!/bin/sh
# Runs Python with the PyTorch that a release of Debian has: tests/oracle/torch.sh [SUITE] ARGUMENT…
# SUITE is trixie (PyTorch 2.6), sid (2.14 in 2026) or system (the installed one: 1.13 on Debian 12). Without
# it, $ATTN_TORCH is used, or else trixie. The first call downloads Debian's packages, 230 MB, from the mirror
# of this system, and unpacks them in build/torch/SUITE. It installs nothing and needs no rights. An
# interrupted download continues; delete the folder to get newer packages.
#
#     tests/oracle/torch.sh -m pytest -c tests/pytest.ini tests/oracle/arithmetic.py
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
case ${1:-} in
    trixie | sid | system) suite=$1 && shift ;;
    *) suite=${ATTN_TORCH:-trixie} ;;
esac
packages="python3-torch libopenblas0-pthread python3-pytest python3-hypothesis
    python3-nbclient python3-nbformat python3-ipykernel"
if [ "$suite" = system ] || ! command -v apt-get >/dev/null; then
    . "$root/app/packages.sh"
    require_packages $packages
    exec /usr/bin/python3 "$@"
fi
folder="$root/build/torch/$suite"
python="$folder/root/usr/bin/python3"

# Calls apt with its own sources, lists and archives, and as if no package were installed.
own_apt() {
    apt-get -c "$folder/apt.conf" -qq "$@" </dev/null >&2
}

fetch() {
    echo "Downloading Debian's PyTorch ($suite)" >&2
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
    : >"$folder/apt/status"
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Identifier: Packages' |
        sed -n "s/^$release main //p" | head -1)
    echo "deb [arch=amd64] ${mirror:?apt has no source for $release} $suite main" >"$folder/apt/sources.list"
    cat >"$folder/apt.conf" <<EOF
Dir::State "$folder/apt";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt";
Dir::Etc::SourceList "$folder/apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
#clear APT::Update::Post-Invoke;
APT::Install-Recommends "false";
APT::Sandbox::User "root";
EOF
    own_apt update
    own_apt --yes --download-only install $packages

    echo "Unpacking it" >&2
    rm -rf "$folder/unpacked"
    for name in bin lib lib64 sbin; do
        mkdir -p "$folder/unpacked/usr/$name"
        ln -s "usr/$name" "$folder/unpacked/$name"
    done
    for archive in "$folder"/apt/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$archive" | tar -x --keep-directory-symlink -C "$folder/unpacked"
    done
    interpreter=$(readlink "$folder/unpacked/usr/bin/python3")
    rm "$folder/unpacked/usr/bin/python3"
    # The C library of that release needs its own loader.
    cat >"$folder/unpacked/usr/bin/python3" <<'EOF'
#!/bin/sh
usr=$(dirname "$(dirname "$0")")
libraries=$usr/lib/x86_64-linux-gnu
exec "$usr/lib64/ld-linux-x86-64.so.2" --argv0 "$0" \
    --library-path "$libraries/openblas-pthread:$libraries:$usr/lib" "$usr/bin/INTERPRETER" "$@"
EOF
    sed -i "s/INTERPRETER/$interpreter/" "$folder/unpacked/usr/bin/python3"
    chmod +x "$folder/unpacked/usr/bin/python3"
    mv "$folder/unpacked" "$folder/root"
    rm -r "$folder/apt"
}

mkdir -p "$folder"
if ! [ -x "$python" ]; then  # tests that start at the same time wait for one download
    exec 9>"$folder/lock"
    flock 9
    [ -x "$python" ] || fetch
    exec 9>&-
fi
# Debian's OpenBLAS takes recent processors for old ones, and then rounds differently.
export OPENBLAS_CORETYPE="${OPENBLAS_CORETYPE:-Haswell}"
exec "$python" "$@"
