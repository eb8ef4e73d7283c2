#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/check_symbols.sh [build folder]: no object file of a folder of src/ may need a symbol that a
# folder further down in the order of the layers defines, so that no circle of calls joins two
# folders. tools/check_layers.sh looks at includes, and lets a function pass that is declared in a
# public header and defined too far down.
# Says which source needs which symbol of which other; exit code 1 when there are any.

LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 1

objects="${1:-build}/CMakeFiles/tenon_objects.dir"
layers=$(sed -n 's/^layers="\(.*\)"$/\1/p' tools/check_layers.sh)

# Objects of sources that exist: a build folder keeps those of files that were renamed.
for source in src/*/*.c; do
    [ -f "$objects/$source.o" ] && echo "$objects/$source.o"
done | xargs nm -A -P 2>/dev/null | # "file: symbol type value size"; U is what a file needs
    awk -v layers="$layers" '
        BEGIN {
            n = split(layers, name, " ")
            for (i = 1; i <= n; i++)
                level[name[i]] = i
        }
        {
            file = $1
            sub(/.*\/src\//, "src/", file)
            sub(/\.o:$/, "", file)
            if ($3 == "U")
                need[++needs] = file " " $2
            else if ($3 ~ /^[TDBRC]$/)
                home[$2] = file
        }
        function layer(file) {
            split(file, part, "/")
            return level[part[2]]
        }
        END {
            for (i = 1; i <= needs; i++) {
                split(need[i], at, " ")
                if (at[2] in home && layer(home[at[2]]) > layer(at[1])) {
                    print at[1] " needs " at[2] " of " home[at[2]]
                    wrong++
                }
            }
            printf "%d of %d symbols that sources need point upwards.\n", wrong, needs
            exit wrong > 0 || needs == 0
        }'
