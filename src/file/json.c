// SPDX-License-Identifier: MIT
//
// JSON, two spaces per level, a list of numbers on one line where it fits; that of pages
// (file/json_stream.h) has no line ends.

#include "tenon/json.h"

#include "base/alloc.h"
#include "base/status.h"
#include "file/json_stream.h"
#include "text/buffer.h"
#include "text/number.h"
#include "text/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 128, ONE_LINE = 12, PER_LINE = 8, PIECE = 1 << 14 };

struct tn_json {
    tn_buffer out;
    tn_page_sink sink; // where the text goes when there is a piece of it; none: it stays
    bool begun;
    int depth;
    struct {
        char end; // } or ]
        bool filled;
    } open[MAX_DEPTH];
    tn_status status;
};

static void hand_over(tn_json *json)
{
    if (!json->sink.write || json->status != TN_OK)
        return;
    json->status = json->sink.write(json->sink.user, json->out.text, json->out.length);
    json->out.length = 0;
}

static void put_bytes(tn_json *json, const char *bytes, size_t n)
{
    if (json->status == TN_OK)
        tn_buffer_put(&json->out, bytes, n);
    if (json->out.failed)
        json->status = TN_ERR_MEMORY;
    else if (json->out.length > PIECE)
        hand_over(json);
}

static void put_json(tn_json *json, const char *text)
{
    put_bytes(json, text, strlen(text));
}

static void json_put_line(tn_json *json, int depth)
{
    if (json->sink.write)
        return;
    put_json(json, "\n");
    for (int i = 0; i < depth; i++)
        put_json(json, "  ");
}

// Controls, line ends other than \n and marks: JSON needs escapes for some of them, and readers of
// YAML fold or refuse the others.
static bool is_hidden(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
           code == 0xfeff || code == 0xfffe || code == 0xffff;
}

// Bytes that are no UTF-8 become U+FFFD, so that the output is valid whatever comes in.
static void put_string(tn_json *json, const char *text)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *end = text + strlen(text);
    put_json(json, "\"");
    while (text < end) {
        uint32_t code = 0;
        const int n = tn_utf8_decode(text, (size_t)(end - text), &code);
        const char *special = n == 1 ? strchr(plain, (int)code) : NULL;
        char escape[16];
        if (n == 0) {
            put_json(json, "\xef\xbf\xbd");
        } else if (special) {
            put_bytes(json, (char[]){'\\', letter[special - plain]}, 2);
        } else if (is_hidden(code) || (code == '<' && json->sink.write)) {
            snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)code);
            put_json(json, escape);
        } else {
            put_bytes(json, text, (size_t)n);
        }
        text += n > 0 ? n : 1;
    }
    put_json(json, "\"");
}

static void json_put_number(tn_json *json, double value)
{
    char digits[TN_NUMBER_SIZE];
    if (isfinite(value))
        put_bytes(json, digits, tn_number_text(value, digits));
    else
        put_json(json, "null");
}

// Pieces that do not match: nothing more is written.
static void json_expect(tn_json *json, bool condition)
{
    if (!condition && json->status == TN_OK)
        json->status = tn_fail(TN_ERR_USAGE, "JSON: keys and ends of objects and arrays do not "
                                             "match their pieces");
}

// Everything that goes before a value: comma, new line and key.
static void begin_value(tn_json *json, const char *key)
{
    if (json->depth > 0) {
        json_expect(json, (key != NULL) == (json->open[json->depth - 1].end == '}'));
        if (json->open[json->depth - 1].filled)
            put_json(json, ",");
        json->open[json->depth - 1].filled = true;
        json_put_line(json, json->depth);
    } else {
        json_expect(json, !key && !json->begun);
    }
    json->begun = true;
    if (key) {
        put_string(json, key);
        put_json(json, json->sink.write ? ":" : ": ");
    }
}

static void end_value(tn_json *json)
{
    if (json->depth == 0)
        put_json(json, "\n");
}

static void begin_json(tn_json *json, const char *key, char start, char end)
{
    begin_value(json, key);
    put_bytes(json, &start, 1);
    json_expect(json, json->depth < MAX_DEPTH);
    if (json->status != TN_OK)
        return;
    json->open[json->depth].end = end;
    json->open[json->depth].filled = false;
    json->depth++;
}

static void end(tn_json *json, char bracket)
{
    json_expect(json, json->depth > 0 && json->open[json->depth - 1].end == bracket);
    if (json->status != TN_OK)
        return;
    json->depth--;
    if (json->open[json->depth].filled)
        json_put_line(json, json->depth);
    put_bytes(json, &bracket, 1);
    end_value(json);
}

tn_status tn_json_create(tn_json **out)
{
    TN_NEED(out, TN_ERR_USAGE);
    *out = tn_alloc(sizeof(**out));
    TN_TRY(tn_got(*out));
    return TN_OK;
}

void tn_json_destroy(tn_json *json)
{
    if (json)
        tn_free(json->out.text);
    tn_free(json);
}

#define BRACKETS(begin_name, end_name, left, right) \
    void begin_name(tn_json *json, const char *key) \
    {                                               \
        TN_NEED(json, );                            \
        begin_json(json, key, left, right);         \
    }                                               \
    void end_name(tn_json *json)                    \
    {                                               \
        TN_NEED(json, );                            \
        end(json, right);                           \
    }

BRACKETS(tn_json_begin_object, tn_json_end_object, '{', '}')
BRACKETS(tn_json_begin_array, tn_json_end_array, '[', ']')

#define SCALAR(name, type, put)                           \
    void name(tn_json *json, const char *key, type value) \
    {                                                     \
        TN_NEED(json, );                                  \
        begin_value(json, key);                           \
        put;                                              \
        end_value(json);                                  \
    }

static void put_integer(tn_json *json, long long value)
{
    char digits[32];
    put_bytes(json, digits, (size_t)snprintf(digits, sizeof(digits), "%lld", value));
}

SCALAR(tn_json_number, double, json_put_number(json, value))
SCALAR(tn_json_integer, long long, put_integer(json, value))
SCALAR(tn_json_string, const char *, value ? put_string(json, value) : put_json(json, "null"))
SCALAR(tn_json_boolean, bool, put_json(json, value ? "true" : "false"))

void tn_json_null(tn_json *json, const char *key)
{
    TN_NEED(json, );
    tn_json_string(json, key, NULL);
}

void tn_json_numbers(tn_json *json, const char *key, int n, const double *values)
{
    TN_NEED(json, );
    const bool wrap = n > ONE_LINE;
    json_expect(json, n <= 0 || values);
    n = values ? n : 0;
    begin_value(json, key);
    put_json(json, "[");
    for (int i = 0; i < n; i++) {
        if (i > 0)
            put_json(json, ",");
        if (wrap && i % PER_LINE == 0)
            json_put_line(json, json->depth + 1);
        else if (i > 0)
            put_json(json, " ");
        json_put_number(json, values[i]);
    }
    if (wrap)
        json_put_line(json, json->depth);
    put_json(json, "]");
    end_value(json);
}

tn_status tn_json_stream(tn_page_sink sink, tn_json **out)
{
    TN_TRY(tn_json_create(out));
    (*out)->sink = sink;
    return TN_OK;
}

void tn_json_raw(tn_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    while (*text) {
        const size_t n = strcspn(text, "<");
        put_bytes(json, text, n);
        text += n;
        if (*text && text++)
            put_json(json, "\\u003c");
    }
    end_value(json);
}

void tn_json_begin_text(tn_json *json, const char *key)
{
    begin_value(json, key);
    put_json(json, "\"");
}

tn_status tn_json_add_text(void *json, const char *text, size_t length)
{
    put_bytes(json, text, length);
    return TN_OK;
}

void tn_json_end_text(tn_json *json)
{
    put_json(json, "\"");
    end_value(json);
}

// The value that a format begins with: a conversion.
static void put_converted(tn_json *json, const char *key, const char *format, va_list *args)
{
    const size_t size = strcspn(format, " ");
    const char kind = size >= 2 ? format[size - 1] : '\0';
    json_expect(json, strchr("sgid", kind) && kind);
    if (kind == 's')
        tn_json_string(json, key, va_arg(*args, const char *));
    else if (kind == 'g')
        tn_json_number(json, key, va_arg(*args, double));
    else if (kind == 'i')
        tn_json_boolean(json, key, va_arg(*args, int));
    else if (kind == 'd')
        tn_json_integer(json, key,
                        size == 2   ? va_arg(*args, int)
                        : size == 3 ? va_arg(*args, long)
                                    : va_arg(*args, long long));
}

// The piece that a format begins with; returns the rest of the format.
static const char *put_piece_by(tn_json *json, const char *format, va_list *args)
{
    char name[64];
    const size_t n = strcspn(format, " ");
    const char *key = strchr("{}[]%", *format) ? NULL : name;
    if (key) {
        snprintf(name, sizeof name, "%.*s", (int)n, format);
        format += n + (format[n] == ' ');
    }
    if (*format == '{' || *format == '[')
        begin_json(json, key, *format, *format == '{' ? '}' : ']');
    else if (!key && *format != '%')
        end(json, *format);
    else
        put_converted(json, key, format, args);
    format += strcspn(format, " ");
    return format + (*format == ' ');
}

void tn_json_put(tn_json *json, const char *format, ...)
{
    TN_NEED(json, );
    va_list args;
    va_start(args, format);
    while (*format)
        format = put_piece_by(json, format, &args);
    va_end(args);
}

void tn_json_object(tn_json *json, const char *key, const char *format, ...)
{
    TN_NEED(json, );
    va_list args;
    tn_json_begin_object(json, key);
    va_start(args, format);
    while (*format)
        format = put_piece_by(json, format, &args);
    va_end(args);
    tn_json_end_object(json);
}

tn_status tn_json_finish(tn_json *json)
{
    TN_NEED(json, TN_ERR_USAGE);
    json_expect(json, json->depth == 0 && json->begun);
    hand_over(json);
    return json->out.failed ? tn_fail(json->status, "out of memory: JSON of more than %zu bytes",
                                      json->out.length)
                            : json->status;
}

TN_GETTER(const char *, tn_json_text, (const tn_json *json), json, "",
          json->out.text ? json->out.text : "");
