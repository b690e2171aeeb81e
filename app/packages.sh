# Sourced by the scripts that need Debian packages: installs those that are missing, and says so.
# Debian 12's names; as root directly, as a user through sudo.

require_packages() {
    command -v dpkg-query >/dev/null || {
        echo "This is no Debian system; please install the equivalents of: $*" >&2
        return 1
    }
    missing=""
    for package in "$@"; do
        case "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" in
            "install ok installed") ;;
            *) missing="$missing $package" ;;
        esac
    done
    [ -n "$missing" ] || return 0

    as_root=""
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || {
            echo "Please install as root, for there is no sudo here: apt-get install$missing" >&2
            return 1
        }
        as_root="sudo"
    fi
    echo "Installing:$missing" >&2
    $as_root apt-get update -qq >/dev/null &&
        $as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 $missing </dev/null >/dev/null
}

build_packages="g++ make cmake libcli11-dev libfast-float-dev libfmt-dev zlib1g-dev"
