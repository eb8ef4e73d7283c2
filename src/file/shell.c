// SPDX-License-Identifier: MIT
//
// Quoting for a POSIX shell: inside single quotes everything stands for itself but the single
// quote, which is written '\'' (end, a quote, begin again).

#include "file/shell.h"

#include "base/alloc.h"
#include "base/status.h"
#include "tenon/io.h"

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

tn_status tn_shell_line(const char *program, int n, char *const *words, char **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, program, out);
    char *line = tn_shell_quote(program);
    for (int i = 0; line && words && i < n; i++) {
        char *quoted = tn_shell_quote(words[i]);
        char *longer = quoted ? tn_format("%s %s", line, quoted) : NULL;
        TN_FREE(quoted, line);
        line = longer;
    }
    *out = line;
    return tn_got(line);
}
