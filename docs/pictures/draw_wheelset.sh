#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Draws the pictures of docs/guide/wheelset.md from the table that bench_wheelset writes:
#
#   docs/pictures/draw_wheelset.sh build/bench/bench_wheelset

set -eu
bench=${1:?the program bench_wheelset}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$bench" "$work/wheelset.csv"
for picture in motion kappa drift; do
    awk -v picture=$picture -f "$here/wheelset.awk" "$work/wheelset.csv" \
        >"$here/wheelset_$picture.svg"
done
