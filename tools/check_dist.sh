#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# `make dist`, and what it writes: the package, unpacked, simulates a model and does not ask for MPI;
# the source tarball holds all that a build is made of.
#
#   tools/check_dist.sh BUILD

set -u
cd "$(dirname "$0")/.." || exit 1
build=$(realpath "${1:?the build folder}") || exit 1

say() {
    echo "check_dist: $*" >&2
    exit 1
}

make --no-print-directory dist BUILD="$build" || say "make dist failed"
room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT

package=$(ls "$build"/dist/tenon_*.deb) || say "no package"
depends=$(dpkg-deb -f "$package" Depends)
case $depends in
*mpi*) say "tenon asks for MPI: $depends" ;;
*libhdf5*) ;;
*) say "tenon does not ask for HDF5, which it loads: $depends" ;;
esac
if [ -e "$build/package/tenon_mpi.so" ]; then
    dpkg-deb -f "$(ls "$build"/dist/tenon-mpi_*.deb)" Depends | grep -q '^.*tenon (= ' ||
        say "tenon-mpi does not ask for its tenon"
fi

dpkg-deb -x "$package" "$room/unpacked" || say "the package cannot be unpacked"
library=$(dirname "$(find "$room/unpacked/usr/lib" -name 'libtenon.so.*' | head -n 1)")
(cd "$room" && LD_LIBRARY_PATH=$library unpacked/usr/bin/tenon run \
    unpacked/usr/share/tenon/models/fourbar.yaml --out fourbar --report --t-end 0.5 >told) ||
    say "the packaged command does not run"
[ -s "$room/fourbar/result.h5" ] && [ -s "$room/fourbar/report.html" ] ||
    say "the packaged command wrote no result or no report"

tar xf "$build"/dist/tenon-*.tar.gz -C "$room" || say "the tarball cannot be unpacked"
tree=$(ls -d "$room"/tenon-*/)
for name in $(git ls-files); do
    [ -e "$tree/$name" ] || [ -L "$tree/$name" ] || say "the tarball lacks $name"
done
cmake -S "$tree" -B "$room/build" -DTENON_WEB=OFF >"$room/told" 2>&1 ||
    { cat "$room/told"; say "the tarball cannot be configured"; }
echo "The package runs and the tarball is whole."
