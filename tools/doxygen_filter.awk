# SPDX-License-Identifier: MIT
#
# Turns the plain comments of a public header into those that Doxygen reads:
#
#   the comment at the top         describes the file
#   a comment above a declaration  describes it, and all that follow up to a blank line or comment
#   a comment behind code          describes that member, value or function
#   // Bodies -------              a heading of the source, left out
#   #include "tenon/x_kinds.inc"   the values of an enum, each with its comment

function flush_paragraph(    i, shared) {
    shared = declarations > 1 && braces == 0 && comments > 0
    if (shared)
        print "///@{"
    for (i = 1; i <= count; i++)
        print line[i]
    if (shared)
        print "///@}"
    count = comments = declarations = braces = 0
}

function keep(text) {
    line[++count] = text
}

function comment_of(text, mark) {
    gsub(/\\/, "&&", text) # Doxygen reads commands behind a backslash
    sub(/\/\/ ?/, mark " ", text)
    return text
}

NR == 1 { in_head = 1; print "/** @file" }
in_head && /^\/\// {
    sub(/^\/\/ ?/, "")
    print /^SPDX/ ? "" : $0
    next
}
in_head { in_head = 0; print "*/" }

/^#define TN_KIND\(/ { prefix = $NF; sub(/##.*/, "", prefix); next }
/^#undef TN_KIND/ { next }
/^#include "tenon\/.*_kinds\.inc"/ {
    path = "include/" substr($2, 2, length($2) - 2)
    while ((getline line_of < path) > 0)
        if (line_of ~ /^TN_KIND\(/) {
            sub(/^TN_KIND\(/, prefix, line_of)
            sub(/, [a-z_0-9]*\)/, ",", line_of)
            sub(/ \/\/ /, " ///< ", line_of)
            keep("    " line_of)
        }
    next
}

/^\/\/.* ---+$/ { flush_paragraph(); print ""; next }
/^[ \t]*$/ && depth == 0 { flush_paragraph(); print; next }

/^[ \t]*\/\// { # a whole line
    if (behind && match($0, /\/\//) >= behind - 1) { # goes on with the one behind code
        keep(comment_of($0, "///<"))
        next
    }
    behind = 0
    if (depth == 0) {
        if (declarations || braces)
            flush_paragraph()
        comments++
    }
    keep(comment_of($0, "///"))
    next
}

{
    behind = 0
    code = $0
    if (match($0, / \/\/ /)) {
        behind = RSTART + 1
        code = substr($0, 1, RSTART - 1)
        keep(code " ///< " substr($0, RSTART + 4))
    } else
        keep($0)
    braces += gsub(/\{/, "", code)
    depth += gsub(/\{/, "", $0) - gsub(/\}/, "", $0)
    if (depth == 0 && code ~ /^#define|;[ \t]*$/)
        declarations++
}

END { flush_paragraph() }
