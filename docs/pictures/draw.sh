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
