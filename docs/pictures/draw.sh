#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Draws the pictures of the documentation from simulations:
#
#   docs/pictures/draw.sh build/tenon
#
# An argument that is left out is taken to be `tenon` on the PATH.

set -eu
tenon=${1:-tenon}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$tenon" run "$here/../../models/fourbar.yaml" --quiet --csv --out "$work/fourbar" \
    --t-end 1 --output 0.004
awk -f "$here/fourbar.awk" "$work/fourbar/result.csv" >"$here/fourbar.svg"

lambda() { # name method step
    "$tenon" run "$here/multiplier.yaml" --quiet --csv --out "$work/$1" --method "$2" --step "$3"
}
lambda fine galpha/ggl 1e-4
lambda index3 galpha/index3 0.02
lambda ggl galpha/ggl 0.02
awk -f "$here/multiplier.awk" "$work/fine/result.csv" "$work/index3/result.csv" \
    "$work/ggl/result.csv" >"$here/multiplier.svg"

for mass in 1e-1 1e-2 1e-3 1e-4 1e-5 1e-6 1e-7 0; do
    sed "s/M1,/$mass,/" "$here/small_mass.yaml" >"$work/small_mass.yaml"
    steps=$("$tenon" run "$work/small_mass.yaml" --quiet --json --out "$work/small_$mass" |
        sed -n 's/.*"steps": \([0-9]*\).*/\1/p')
    echo "$mass $steps"
done | awk -f "$here/small_mass.awk" >"$here/small_mass.svg"
