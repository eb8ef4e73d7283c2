// SPDX-License-Identifier: MIT
//
// YAML is meant to contain JSON, but libyaml refuses three things that JSON allows: tabs outside
// of all brackets, characters beyond U+FFFF as two escapes (a surrogate pair), and a key and its
// colon on different lines. In text that resembles JSON each is put differently here.

#include "file/yaml_text.h"

#include "base/alloc.h"
#include "text/target.h"
#include "text/utf8.h"

#include <stdio.h>
#include <string.h>

enum { MAX_BYTES = 1 << 30, PAIR_LENGTH = 12 };

tn_status tn_yaml_text_read(const char *path, char **text, size_t *length)
{
    return tn_file_read(path, MAX_BYTES, text, length);
}

static bool is_text(uint32_t code) // the characters that YAML allows to stand unescaped
{
    return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code <= 0x7e) ||
           code == 0x85 || (code >= 0xa0 && code <= 0xfffd) || code >= 0x10000;
}

// Looks for bytes that are no text, counts the characters and finds the position of the end.
static tn_status check_yaml_text(const char *text, size_t length, const char *name,
                                 tn_yaml_text *out)
{
    out->line = 1;
    out->column = 1;
    for (size_t i = 0; i < length; out->characters++) {
        uint32_t code = 0;
        const int n = tn_utf8_decode(text + i, length - i, &code);
        if (n == 0 || code == 0)
            return tn_fail(TN_ERR_MODEL,
                           "%s:%d:%d: byte 0x%02x is not text: a model file is text in UTF-8", name,
                           out->line, out->column, (unsigned char)text[i]);
        if (!is_text(code))
            return tn_fail(TN_ERR_MODEL,
                           "%s:%d:%d: control character U+%04X: write \\u%04X in double quotes",
                           name, out->line, out->column, (unsigned)code, (unsigned)code);
        i += (size_t)n;
        out->column++;
        if (code == '\n' || (code == '\r' && !(i < length && text[i] == '\n'))) {
            out->line++;
            out->column = 1;
        }
    }
    return TN_OK;
}

// The code unit of an escape \uXXXX, 0 when there is none.
static uint32_t escaped(const char *c)
{
    uint32_t code = 0;
    if (c[0] != '\\' || c[1] != 'u')
        return 0;
    for (int i = 2; i < 6; i++) {
        const int lower = c[i] | 0x20;
        if (c[i] >= '0' && c[i] <= '9')
            code = code << 4 | (uint32_t)(c[i] - '0');
        else if (lower >= 'a' && lower <= 'f')
            code = code << 4 | (uint32_t)(lower - 'a' + 10);
        else
            return 0;
    }
    return code;
}

// The code point of a surrogate pair such as \uD83D\uDE00, 0 when there is none.
static uint32_t surrogate_pair(const char *c, const char *end)
{
    if (end - c < PAIR_LENGTH)
        return 0;
    const uint32_t high = escaped(c), low = escaped(c + PAIR_LENGTH / 2);
    if (high < 0xd800 || high > 0xdbff || low < 0xdc00 || low > 0xdfff)
        return 0;
    return 0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00));
}

// Copies a string from after its first quote to after its last. A pair becomes one escape of
// YAML, which is shorter; blanks after the string make up for it, so that columns stay.
static const char *copy_string(const char *from, const char *end, char **to)
{
    size_t missing = 0;
    while (from < end && *from != '"') {
        const uint32_t code = surrogate_pair(from, end);
        if (code != 0) {
            const int n = sprintf(*to, "\\U%08X", (unsigned)code);
            *to += n;
            from += PAIR_LENGTH;
            missing += (size_t)(PAIR_LENGTH - n);
            continue;
        }
        if (*from == '\\' && end - from > 1)
            *(*to)++ = *from++;
        *(*to)++ = *from++;
    }
    if (from < end)
        *(*to)++ = *from++;
    memset(*to, ' ', missing);
    *to += missing;
    return from;
}

// Ends its cleverness at the first character that JSON does not have outside of strings.
static void copy_json(const char *from, const char *end, tn_yaml_text *out)
{
    char *to = out->own;
    char *key_end = NULL; // the end of a string with only blanks after it
    bool new_line = false;
    bool json = true;
    while (from < end && json) {
        const char c = *from++;
        if (c == '"') {
            *to++ = c;
            from = copy_string(from, end, &to);
            key_end = to;
            new_line = false;
        } else if (c == ':' && key_end && new_line) { // the colon moves up to its key
            memmove(key_end + 1, key_end, (size_t)(to - key_end));
            *key_end = ':';
            to[1] = ' ';
            to += 2;
            key_end = NULL;
        } else if (strchr(" \t\r\n", c)) {
            *to++ = c == '\t' ? ' ' : c;
            new_line = new_line || c == '\n' || c == '\r';
        } else {
            *to++ = c;
            key_end = NULL;
            json = strchr("{}[],:+-.0123456789eEtrufalsn", c) != NULL;
        }
    }
    memcpy(to, from, (size_t)(end - from));
    to += end - from;
    out->length = (size_t)(to - out->own);
    out->text = out->own;
}

tn_status tn_yaml_text_prepare(const char *text, size_t length, const char *name, tn_yaml_text *out)
{
    static const char mark[] = "\xef\xbb\xbf"; // of byte order, as some editors write it
    const char *end = text + length;
    *out = (tn_yaml_text){0};
    if (length >= 3 && memcmp(text, mark, 3) == 0)
        text += 3;
    length = (size_t)(end - text);
    TN_TRY(check_yaml_text(text, length, name, out));
    const char *first = text;
    while (first < end && strchr(" \t\r\n", *first))
        first++;
    if (first == end)
        return tn_fail(TN_ERR_MODEL, "%s: file is empty", name);
    out->text = text;
    out->length = length;
    if (*first != '{' && *first != '[')
        return TN_OK;
    size_t colons = 0; // each may need one byte more
    for (size_t i = 0; i < length; i++)
        colons += text[i] == ':';
    out->own = tn_alloc(length + colons + 1);
    TN_TRY(tn_got(out->own));
    copy_json(text, end, out);
    out->characters += out->length - length;
    return TN_OK;
}
