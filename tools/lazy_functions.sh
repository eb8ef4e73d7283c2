#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/lazy_functions.sh NM OBJECTS NAME=LIBRARY...: prints the source of a jump for each function
# that the object files listed in OBJECTS need and that a shared library has, the first that has it
# (src/base/library.h). A library NAME is described by the variable tn_name_library.

nm=$1 objects=$2
shift 2

LC_ALL=C
export LC_ALL
echo '// Made by tools/lazy_functions.sh.'
echo '#include "base/library.h"'
{
    tr '\n' '\0' <"$objects" | xargs -0 "$nm" -P | awk '{ print "object", $1, $2 }'
    for pair in "$@"; do
        name=$(echo "${pair%%=*}" | tr '[:upper:]' '[:lower:]')
        "$nm" -D -P "${pair#*=}" | awk -v of="tn_${name}_library" '{ print of, $1, $2 }'
    done
} | awk '
    $1 == "object" && $3 == "U" { needed[$2] = 1 }
    $1 == "object" && $3 ~ /^[TDBR]$/ { own[$2] = 1 }
    $1 != "object" && $3 ~ /^[TWi]$/ {
        sub(/@.*/, "", $2)
        if (!needed[$2] || own[$2])
            next
        own[$2] = 1
        print "TN_LAZY(" $1 ", " $2 ");"
    }'
