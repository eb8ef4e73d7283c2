#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/check_wheel.sh [build folder]: installs the Python package as users do, by
# `pip install --no-build-isolation .` in an environment with the packages of the system, on the library
# of the build folder; imports it from elsewhere and runs a model; and looks at the wheel: it is for
# this platform, has libtenon inside, and names the package of Debian that has a library that is missing.

set -eu
cd "$(dirname "$0")/.."
TENON_BUILD=$(cd "${1:-build}" && pwd)
export TENON_BUILD
models=$PWD/models
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

say() {
    echo "check_wheel: $*" >&2
    exit 1
}

/usr/bin/python3 -m venv --system-site-packages "$place/env"
"$place/env/bin/pip" install -q --no-build-isolation --no-deps --no-index . ||
    say "pip install does not work"
"$place/env/bin/pip" wheel -q --no-build-isolation --no-deps --no-index -w "$place" .
wheel=$(echo "$place"/tenon-*.whl)
case "$wheel" in
*-cp3*linux_"$(uname -m)".whl) ;;
*) say "$wheel is not tagged for this Python and platform" ;;
esac
/usr/bin/python3 -m zipfile -l "$wheel" | grep 'tenon/libtenon\.so\.' >/dev/null || say "no libtenon in $wheel"

cd "$place"
env -u PYTHONPATH "$place/env/bin/python" - "$models/pendulum.yaml" <<'END' || say "the package does not work"
import sys
import tenon

assert "/env/" in tenon.__file__, tenon.__file__
assert "/env/" in next(l for l in open("/proc/self/maps") if "libtenon" in l), "another libtenon"
sim = tenon.load(sys.argv[1]).simulate()
sim.run(0.1)
table = tenon.sweep(sys.argv[1], {"length": [0.5, 1.0]}, "bob.position.y", t_end=0.1)
assert table.counts["done"] == 2
END

mkdir broken
touch broken/libyaml-0.so.2
told=$(LD_LIBRARY_PATH=$place/broken env -u PYTHONPATH "$place/env/bin/python" -c 'import tenon' 2>&1) &&
    say "a library that is missing is not missed"
echo "$told" | grep -q 'apt-get install libyaml-0-2' || say "the package is not named: $told"
echo "The wheel is installed and works: $(basename "$wheel")"
