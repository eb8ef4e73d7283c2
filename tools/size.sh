#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/size.sh [COMMIT]: lines of code by folder against a commit; without one against where the
# branch has left main, or on main against the last merge. Lines that have only moved to another
# folder are told apart from those that are saved:
#
#   saved = lines before - lines now - lines that moved out + lines that moved in
#
# Moves are those that git sees: blocks of at least 20 letters and digits, whatever their indent.

LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 1

base=$1
[ -n "$base" ] || base=$(git merge-base HEAD main)
[ "$base" != "$(git rev-parse HEAD)" ] || [ -n "$1" ] || base=$(git log --merges -1 --format=%H)

code='\.(c|h|inc|py|pyi|js|mjs|ts|css|html)$'

count_lines() { # "when file lines"; the rest of the arguments says of what
    when=$1
    shift
    git grep -c "$@" -- src modules apps cli python web tests | sed -E "s|^$base:||; s/(.*):/$when \1 /" |
        awk -v code="$code" '$2 ~ code'
}

paint() { # prints the changes with M in front of lines that moved, + and - of the others
    git -c color.diff.oldMoved=blue -c color.diff.newMoved=cyan -c color.diff.old=red \
        -c color.diff.new=green diff --no-renames --color=always --color-moved=blocks \
        --color-moved-ws=ignore-all-space -U0 "$base"
}

{
    count_lines now --untracked -e ''
    count_lines before -e '' "$base"
    paint | sed 's/\x1b\[34m-.*/out/; s/\x1b\[36m+.*/in/; s/\x1b\[[0-9;]*m//g' |
        grep -E '^(out$|in$|(---|\+\+\+) )' | awk -v code="$code" '
            /^--- a/ { file = substr($2, 3) }
            /^\+\+\+ b/ { file = substr($2, 3) }
            (/^out/ || /^in/) && file ~ code { print $1, file, 1 }'
} | awk '
    {
        n = split($2, part, "/")
        folder = part[1] (part[1] == "src" ? "/" part[2] : "")
        count[$1, folder] += $3
        all[folder]
        if (part[1] == "src") {
            count[$1, "src, all"] += $3
            all["src, all"]
        }
    }
    END {
        for (f in all)
            printf "%-18s %8d %8d %+8d %8d %8d %8d\n", f, count["before", f], count["now", f],
                   count["now", f] - count["before", f], count["out", f], count["in", f],
                   count["before", f] - count["now", f] - count["out", f] + count["in", f]
    }' | sort | {
    printf '%-18s %8s %8s %8s %8s %8s %8s\n' folder before now change 'out' in saved
    cat
}
