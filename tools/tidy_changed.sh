#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tidy_changed.sh BUILD [COMMIT]: clang-tidy on the lines of src/, apps/ and cli/ that changed since a
# commit, by default since this branch left main, on main itself since the last commit. BUILD has
# compile_commands.json. What is wrongly complained about is silenced in its line, with the reason:
# `// NOLINT(name-of-the-check): why`.

cd "$(dirname "$0")/.." || exit 1

build=$1
since=${2-}
if [ -z "$since" ]; then
    since=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null)
    [ -n "$since" ] && [ "$since" != "$(git rev-parse HEAD)" ] || since=HEAD~1
fi
if ! git rev-parse --quiet --verify "$since" >/dev/null; then
    echo "There is no commit $since to compare with: nothing is looked at."
    exit 0
fi
changes=$(git diff -U0 "$since" -- "src/*.c" "src/*.h" "apps/*.c" "apps/*.h" "cli/*.c" "cli/*.h" \
    ":!src/base/status.c") # where tn_fail is defined, which tidy.h would change
if [ -z "$changes" ]; then
    echo "No source has changed since $since."
    exit 0
fi
found=$(echo "$changes" | clang-tidy-diff -p1 -path "$build" -j 2 -quiet \
    -extra-arg=-include -extra-arg="$PWD/tools/tidy.h" 2>/dev/null |
    grep -v 'No relevant changes found')
if echo "$found" | grep -qE ': (warning|error): '; then
    echo "$found"
    exit 1
fi
echo "Nothing to complain about in the lines that changed since $(git rev-parse --short "$since")."
