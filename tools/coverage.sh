#!/bin/sh
# SPDX-License-Identifier: MIT
#
# coverage.sh BUILD: lines that the tests of a build with -DTENON_COVERAGE=ON have reached so far, by
# folder of src/ and for the command. The goal for src/ is 90 %.

cd "$(dirname "$0")/.." || exit 1

find "$1/CMakeFiles" -name '*.gcno' -exec gcov --no-output {} + 2>/dev/null |
    awk -v root="$PWD/" "
        /^File / {
            name = \$0
            gsub(/^File '|'\$/, \"\", name)
            sub(root, \"\", name)
        }"'
        /^Lines executed:/ && name ~ /^(src|apps|cli)\/.*\.c$/ {
            split(substr($2, 10), part, "%")
            folder = name
            sub(/\/[^\/]*$/, "", folder)
            lines[folder] += $4
            reached[folder] += part[1] / 100 * $4
            name = ""
        }
        END {
            for (f in lines) {
                printf "  %-18s %6d of %6d lines  %5.1f %%\n", f, reached[f] + 0.5, lines[f], 100 * reached[f] / lines[f] | "sort"
                if (f ~ /^src/) { all += lines[f]; got += reached[f] }
            }
            close("sort")
            if (!all) { print "nothing was counted"; exit 1 }
            printf "  %-18s %6d of %6d lines  %5.1f %% (goal: 90 %%)\n", "src", got, all, 100 * got / all
        }'
