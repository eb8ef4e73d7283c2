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

"$tenon" check "$here/../../models/andrews.yaml" --graph "$here/andrews_topology.svg" \
    --pattern "$here/andrews_pattern.svg" >"$work/check"

"$tenon" modes "$here/../../models/rotor.yaml" --about start --over motion=0.1:6:60 \
    --plot "$here/rotor_campbell.svg" --force >"$work/modes"

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

# What a heavy top does to its energy in 1000 s, by methods at about equal cost (dop853: less than
# half of it).
# This takes two minutes.
top=$here/../../models/heavy_top.yaml
"$tenon" run "$top" --quiet --out "$work/top" --method dop853/index1@joint --adaptive \
    --rtol 1e-11 --atol 1e-13 --t-end 1000 --output 1000
"$tenon" compare "$top" --out "$work/energy" --reference "$work/top" --t-end 1000 --steps 1e-3 \
    --patience 0 --methods "variational/multiplier:1e-3,energy-momentum/multiplier:1e-3,\
galpha/ggl:7e-4,bdf/ggl:5e-6,radau5/ggl:5e-7,dop853/index1+project:1e-7"
sed 's|>[^<]*heavy_top.yaml: energy against time|>What the energy of a heavy top is off|' \
    "$work/energy/energy.svg" >"$here/heavy_top_energy.svg"
