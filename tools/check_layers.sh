#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Rules of the tree that no compiler checks:
#   1. a folder of src/ includes only itself, folders above it in the list below and include/tenon;
#      include/tenon includes only itself; examples include only include/tenon, and so does cli/
#      beside its own headers; apps/ include include/tenon, base/, text/, file/, linalg/, lie/ and
#      what `inner` lists; no folder of src/ or apps/ holds more than 40 files;
#   2. names of .c and .h files are unique, so that a name alone finds the file. A public header in
#      include/tenon may share its name with the inner header that goes with it;
#   3. no file names a place that exists on one machine only;
#   4. no line of C is longer than 100 columns: clang-format does not break comments.
# Says what is wrong and where; exit code 1 when anything is.

LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 1

layers="base text file linalg lie signal row model joint contact force flex kinds tree system coords motion formulation integrator start analysis readout sim monitor study read result"
# Applications in this order, then others: they stand on the public headers, base/, text/, file/,
# linalg/, lie/, on each other in turn, and on these headers for what the public ones do not tell.
apps="draw page study paper reduce import run view help"
inner="analysis/campbell.h analysis/modes.h file/hdf5_write.h flex/beam.h flex/modal.h
    flex/modal_body.h kinds/family.h kinds/own.h model/block.h model/body.h model/force.h model/joint.h
    model/model.h model/model_kinks.h model/output.h model/vocabulary.h monitor/follow.h
    read/modal_file.h read/model_yaml.h read/parts.h result/checkpoint.h result/journal.h
    result/ranks_module.h result/record.h result/result.h result/scene.h result/checksums.h
    result/stored_model.h signal/curve.h signal/expression.h signal/formula.h signal/parser.h
    sim/sim.h sim/verdict.h start/method.h system/absolute.h system/system.h tree/tree.h"
inner=$(echo $inner)
wrong=0

complain() { # reads findings, one per line
    findings=$(cat)
    [ -z "$findings" ] && return 0
    printf '%s\n%s\n\n' "$1" "$findings" >&2
    return 1
}

files() { # of the repository, also new ones, without what .gitignore names
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard | while read -r f; do
            [ -f "$f" ] && echo "$f"
        done
    else
        find . -type f ! -path './build*' | sed 's,^\./,,'
    fi
}

# Prints "file:line: folder" for each quoted include of the files in $1 of which neither the folder
# nor the header is in $2.
foreign_includes() {
    for f in "$1"/*.[ch]; do
        [ -f "$f" ] || continue
        awk -v allowed=" $2 " -v file="$f" '
            match($0, /^#include "[^"]+"/) {
                path = substr($0, RSTART + 10, RLENGTH - 11)
                folder = path
                if (!sub(/\/.*/, "", folder)) folder = "(no folder)"
                if (index(allowed, " " folder " ") == 0 && index(allowed, " " path " ") == 0)
                    print file ":" FNR ": includes \"" path "\""
            }' "$f"
    done
}

above="tenon"
for layer in $layers; do
    above="$above $layer"
    foreign_includes "src/$layer" "$above"
done | complain "Includes of a folder below (the order is: $layers):" || wrong=1

for folder in src/*/; do
    layer=$(basename "$folder")
    case " $layers " in
    *" $layer "*) ;;
    *) echo "src/$layer" ;;
    esac
done | complain "Folders that tools/check_layers.sh has no place for:" || wrong=1

files | grep -E '^(src|apps)/[^/]+/' | cut -d/ -f1,2 | sort | uniq -c |
    awk '$1 > 40 { print $2 ": " $1 }' | complain "Folders of more than 40 files:" || wrong=1

{
    foreign_includes include/tenon "tenon"
    foreign_includes examples "tenon"
    foreign_includes cli "tenon (no folder)"
    above="tenon base text file linalg lie $inner"
    for app in $apps $(ls apps 2>/dev/null); do
        case " $above " in
        *" $app "*) ;;
        *) above="$above $app" && foreign_includes "apps/$app" "$above" ;;
        esac
    done
} | complain "Public headers, examples and cli/ may include only tenon/ headers:" || wrong=1

for part in '^include/' '^[^i]\|^i[^n]'; do
    files | grep "$part" | grep '\.[ch]$' | sed 's,.*/,,' | sort | uniq -d
done | complain "File names that occur more than once:" || wrong=1

files | tr '\n' '\0' |
    xargs -0 grep -nIE '(^|[^A-Za-z0-9_.$})])/(work|root|home|tmp|Users)/' /dev/null |
    complain "Paths of one machine:" || wrong=1

# Bytes that continue a UTF-8 character do not count as columns.
files | grep '\.[ch]$' | while read -r f; do
    awk -v file="$f" '{ gsub(/[\200-\277]/, "") } length > 100 { print file ":" FNR ": " length }' "$f"
done | complain "Lines of more than 100 columns:" || wrong=1

# What a test has written where it was run by hand.
files | cut -d/ -f1 | sort -u | grep -vxE '[A-Z][A-Za-z]*(\.md|\.txt|\.json)?|\..*|mkdocs\.yml|pyproject\.toml|setup\.py' |
    grep -vxE 'apps|bench|cli|cmake|docs|examples|include|models|modules|papers|python|scripts|src|tests|texts|tools|web' |
    complain "Files and folders that have no place at the top:" || wrong=1

[ "$wrong" -eq 0 ] && echo "Layers, file names, paths and line lengths are as they should be."
exit "$wrong"
