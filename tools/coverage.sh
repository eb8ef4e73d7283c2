#!/bin/sh
# SPDX-License-Identifier: MIT
#
# coverage.sh BUILD: lines that the tests of a build with -DTENON_COVERAGE=ON have reached so far, by
# folder of src/ and for the command. The goal for src/ is 90 %.

cd "$(dirname "$0")/.." || exit 1

gcovr --root . --filter 'src/' --filter 'cli/' --csv -j 2 "$1/CMakeFiles" |
    awk -F, '
        NR > 1 {
            folder = $1
            sub(/\/[^\/]*$/, "", folder)
            lines[folder] += $2
            reached[folder] += $3
        }
        END {
            for (f in lines) {
                printf "  %-18s %6d of %6d lines  %5.1f %%\n", f, reached[f], lines[f], 100 * reached[f] / lines[f] | "sort"
                if (f ~ /^src/) { all += lines[f]; got += reached[f] }
            }
            close("sort")
            if (!all) { print "nothing was counted"; exit 1 }
            printf "  %-18s %6d of %6d lines  %5.1f %% (goal: 90 %%)\n", "src", got, all, 100 * got / all
        }'
