# Sourced by scripts/run and scripts/test: makes the checkout's own virtual environment .venv and keeps it up to date.
#
#   . scripts/setup.sh
#   prepare_environment ""        # what an analysis needs
#   prepare_environment "test"    # and what the tests need
#   prepare_environment "test,docs"    # in one go
#
# A stamp per set of packages holds the checksum of pyproject.toml and the place of the checkout. While it is right,
# nothing is started; otherwise pip brings the environment up to date. pip takes wheels only: nothing is compiled.

alegear_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
alegear_venv=$alegear_root/.venv

prepare_environment() {
    local extra=$1 wanted
    wanted="$(sha256sum <"$alegear_root/pyproject.toml") $alegear_root"
    if is_prepared "$extra" "$wanted"; then return 0; fi
    # One set-up at a time: a second call waits here, and then finds the work done.
    if command -v flock >/dev/null; then
        exec 9>"$alegear_root/.venv.lock"
        flock 9
        if is_prepared "$extra" "$wanted"; then
            exec 9>&-
            return 0
        fi
    fi
    local python
    python=$(find_python) || exit 1
    require_system_libraries "$python"
    install_packages "$python" "$extra"
    local set
    for set in base ${extra//,/ }; do printf '%s' "$wanted" >"$alegear_venv/.stamp-$set"; done
    if command -v flock >/dev/null; then exec 9>&-; fi
}

# Whether the environment has all of these sets of packages, of this pyproject.toml and this place.
is_prepared() {
    local set stamp
    [[ -x $alegear_venv/bin/python ]] || return 1
    for set in base ${1//,/ }; do
        stamp=$alegear_venv/.stamp-$set
        [[ -r $stamp && $(<"$stamp") == "$2" ]] || return 1
    done
}

# Print the first Python that is new enough and can make virtual environments.
find_python() {
    local name
    for name in python3.13 python3.12 python3.11 python3; do
        if "$name" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            command -v "$name"
            return 0
        fi
    done
    echo "Python = none found: must be 3.11 or newer with venv; on Debian install python3 and python3-venv" >&2
    return 1
}

# Gmsh comes as a wheel, but loads four libraries of the system; pictures without a display need EGL.
require_system_libraries() {
    local python=$1 packages="libglu1-mesa libxcursor1 libxft2 libxinerama1 libegl1"
    if system_libraries_load "$python"; then return 0; fi
    if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
        echo "installing $packages"
        # shellcheck disable=SC2086
        if { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages; } \
            </dev/null >/dev/null && system_libraries_load "$python"; then
            return 0
        fi
    fi
    echo "system libraries of gmsh and pyvista = missing: must be installed; sudo apt-get install $packages" >&2
    exit 1
}

system_libraries_load() {
    "$1" - <<'PYTHON' 2>/dev/null
import ctypes

for name in ("libGLU.so.1", "libXcursor.so.1", "libXft.so.2", "libXinerama.so.1", "libEGL.so.1"):
    ctypes.CDLL(name)
PYTHON
}

install_packages() {
    local python=$1 extra=$2 target=$alegear_root
    # An environment that was copied, moved or left half made cannot be repaired: its scripts hold absolute paths.
    if [[ ! -r $alegear_venv/.made-in || $(<"$alegear_venv/.made-in") != "$alegear_root" ]]; then
        echo "making the virtual environment $alegear_venv with $("$python" --version)"
        "$python" -m venv --clear "$alegear_venv" </dev/null || exit 1
        printf '%s' "$alegear_root" >"$alegear_venv/.made-in"
    fi
    if [[ -n $extra ]]; then target="$target[$extra]"; fi
    echo "installing the packages (wheels only; once, about a minute)"
    if ! "$alegear_venv/bin/python" -m pip install -qq --disable-pip-version-check --no-input --no-compile \
        --only-binary :all: --editable "$target" </dev/null; then
        echo "packages = not installed: pip must reach a package index; see its message above, then run this again" >&2
        exit 1
    fi
    # pip would compile all of the packages, with their tests, on one core: Python compiles what it imports, once. Where
    # it is told to keep nothing (images of containers often are), each command would compile seconds of imports again.
    if [[ -n ${PYTHONDONTWRITEBYTECODE:-} ]]; then
        "$alegear_venv/bin/python" -m compileall -qq -j 0 -x '/tests?/' "$alegear_venv/lib" "$alegear_root/alegear" \
            </dev/null || true # what is written for another Python cannot be compiled, and is not imported
    fi
}
