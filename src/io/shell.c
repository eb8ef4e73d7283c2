// SPDX-License-Identifier: MIT
//
// Quoting for a POSIX shell: inside single quotes everything stands for itself but the single
// quote, which is written '\'' (end, a quote, begin again).

#include "io/shell.h"

#include "base/alloc.h"

#include <string.h>

char *tn_shell_quote(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./,:=+@%";
    char *out = tn_alloc(4 * strlen(word) + 3), *to = out;

    if (!out || (*word && strspn(word, plain) == strlen(word)))
        return out ? strcpy(out, word) : NULL;
    *to++ = '\'';
    for (; *word; word++) {
        if (*word == '\'')
            to += strlen(strcpy(to, "'\\''"));
        else
            *to++ = *word;
    }
    strcpy(to, "'");
    return out;
}
