// SPDX-License-Identifier: MIT
//
// JSON for a <script> element of a page. A browser ends such an element at "</script" and changes
// its mind at "<!--", wherever they stand; '<' occurs only inside strings of JSON, where it can be
// written as \u003c. U+2028 and U+2029 end lines in some scripts and are written so too.

#include "io/page_parts.h"

#include "io/utf8.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 512 }; // numbers converted at once

void tn_out_begin(tn_page_out *out, tn_page_sink sink)
{
    out->sink = sink;
    out->status = TN_OK;
    out->used = 0;
}

static void hand_over(tn_page_out *out)
{
    if (out->status == TN_OK && out->used > 0)
        out->status = out->sink.write(out->sink.user, out->buffer, out->used);
    out->used = 0;
}

tn_status tn_out_end(tn_page_out *out)
{
    hand_over(out);
    return out->status;
}

void tn_out_bytes(tn_page_out *out, const char *text, size_t length)
{
    if (out->used + length > sizeof(out->buffer))
        hand_over(out);
    if (length > sizeof(out->buffer)) {
        if (out->status == TN_OK)
            out->status = out->sink.write(out->sink.user, text, length);
        return;
    }
    memcpy(out->buffer + out->used, text, length);
    out->used += length;
}

void tn_out_raw(tn_page_out *out, const char *text)
{
    tn_out_bytes(out, text, strlen(text));
}

void tn_out_format(tn_page_out *out, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    tn_out_raw(out, text);
}

void tn_out_string(tn_page_out *out, const char *text)
{
    const char *end = text + strlen(text);
    tn_out_raw(out, "\"");
    while (text < end) {
        uint32_t code = 0;
        const int n = tn_utf8_decode(text, (size_t)(end - text), &code);
        if (n == 0)
            tn_out_raw(out, "\xef\xbf\xbd");
        else if (code < 0x20 || code == 0x7f || code == '<' || code == 0x2028 || code == 0x2029)
            tn_out_format(out, "\\u%04x", (unsigned)code);
        else if (code == '"' || code == '\\')
            tn_out_bytes(out, (char[]){'\\', (char)code}, 2);
        else
            tn_out_bytes(out, text, (size_t)n);
        text += n > 0 ? n : 1;
    }
    tn_out_raw(out, "\"");
}

// Only strings hold the characters that are not safe, so that the same text is written for them.
void tn_out_json(tn_page_out *out, const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, "<\xe2");
        tn_out_bytes(out, text, n);
        text += n;
        const bool line_end =
            strncmp(text, "\xe2\x80\xa8", 3) == 0 || strncmp(text, "\xe2\x80\xa9", 3) == 0;
        if (*text == '<')
            tn_out_raw(out, "\\u003c");
        else if (line_end)
            tn_out_raw(out, text[2] == '\xa8' ? "\\u2028" : "\\u2029");
        else
            tn_out_bytes(out, text, *text != '\0');
        text += line_end ? 3 : *text != '\0';
    }
}

// Documents --------------------------------------------------------------------------------------

static const char *skip_digits(const char *text)
{
    while (isdigit((unsigned char)*text))
        text++;
    return text;
}

// Numbers as JSON writes them; the reader of documents knows more ways.
static bool is_json_number(const char *text)
{
    if (*text == '-')
        text++;
    const char *end = skip_digits(text);
    if (end == text || (*text == '0' && end - text > 1))
        return false;
    if (*end == '.') {
        text = end + 1;
        end = skip_digits(text);
        if (end == text)
            return false;
    }
    if (*end == 'e' || *end == 'E') {
        text = end + 1 + (end[1] == '+' || end[1] == '-');
        end = skip_digits(text);
        if (end == text)
            return false;
    }
    return *end == '\0';
}

static void put_scalar(tn_page_out *out, const tn_node *node)
{
    const bool plain =
        !node->quoted && (is_json_number(node->text) || strcmp(node->text, "true") == 0 ||
                          strcmp(node->text, "false") == 0);
    if (plain)
        tn_out_raw(out, node->text);
    else
        tn_out_string(out, node->text);
}

static void put_map(tn_page_out *out, const tn_node *node, const char *without)
{
    bool filled = false;
    tn_out_raw(out, "{");
    for (int i = 0; i < node->count; i++) {
        const char *key = node->keys[i]->text ? node->keys[i]->text : "";
        if (without && strcmp(key, without) == 0)
            continue;
        if (filled)
            tn_out_raw(out, ",");
        filled = true;
        tn_out_string(out, key);
        tn_out_raw(out, ":");
        tn_out_node(out, node->children[i], NULL);
    }
    tn_out_raw(out, "}");
}

void tn_out_node(tn_page_out *out, const tn_node *node, const char *without)
{
    switch (node->kind) {
    case TN_NODE_NULL:
        tn_out_raw(out, "null");
        break;
    case TN_NODE_SCALAR:
        put_scalar(out, node);
        break;
    case TN_NODE_MAP:
        put_map(out, node, without);
        break;
    case TN_NODE_SEQUENCE:
        tn_out_raw(out, "[");
        for (int i = 0; i < node->count; i++) {
            if (i > 0)
                tn_out_raw(out, ",");
            tn_out_node(out, node->children[i], NULL);
        }
        tn_out_raw(out, "]");
        break;
    }
}

// Numbers ----------------------------------------------------------------------------------------

static tn_status write_base64(void *user, const char *text, size_t length)
{
    tn_out_bytes(user, text, length);
    return TN_OK;
}

void tn_out_array_begin(tn_page_out *out, bool narrow)
{
    out->narrow = narrow;
    out->base64 = (tn_base64){.write = write_base64, .user = out};
    tn_out_raw(out, narrow ? "{\"f32\":\"" : "{\"f64\":\"");
}

static void put_little(uint64_t bits, int size, unsigned char *to)
{
    for (int i = 0; i < size; i++)
        to[i] = (unsigned char)(bits >> 8 * i & 0xff);
}

void tn_out_array_put(tn_page_out *out, long n, const double *values)
{
    const int size = out->narrow ? 4 : 8;
    unsigned char bytes[8 * BLOCK];
    for (long done = 0; done < n; done += BLOCK) {
        const int count = n - done < BLOCK ? (int)(n - done) : BLOCK;
        for (int i = 0; i < count; i++) {
            const float value = (float)values[done + i];
            uint32_t bits32 = 0;
            uint64_t bits = 0;
            memcpy(&bits32, &value, sizeof(bits32));
            memcpy(&bits, &values[done + i], sizeof(bits));
            put_little(out->narrow ? bits32 : bits, size, bytes + size * i);
        }
        tn_base64_put(&out->base64, bytes, (size_t)(size * count));
    }
}

void tn_out_array_end(tn_page_out *out)
{
    tn_base64_end(&out->base64);
    tn_out_raw(out, "\"}");
}
