// SPDX-License-Identifier: MIT
//
// See xml.h. Elements are made by libxml2's calls as it reads, so that depth and size are bounded
// while they grow, and no second tree is kept.

#include "import/xml.h"

#include "base/library.h"
#include "text/number.h"

#include <libxml/parser.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 1000 };  // elements within each other
enum { PIECE = 1 << 16 }; // bytes: libxml2 takes more than 10 MB at once for an attack

typedef struct reader {
    tn_xml_file *file;
    xmlParserCtxtPtr parser;
    tn_xml *open;
    int depth;
    tn_status status;
} reader;

static int line_of(const reader *r)
{
    return r->parser->input ? r->parser->input->line : 0;
}

static void stop(reader *r, tn_status status)
{
    r->status = status;
    xmlStopParser(r->parser);
}

// A copy of a text, without the blanks at its ends; NULL where memory is short.
static const char *keep(reader *r, const char *text, size_t n)
{
    static const char blanks[] = " \t\r\n";
    while (n > 0 && strchr(blanks, text[n - 1]))
        n--;
    while (n > 0 && strchr(blanks, *text))
        text++, n--;
    return tn_pool_text(&r->file->memory, text, n);
}

static const char *full_name(reader *r, const xmlChar *prefix, const xmlChar *name)
{
    char text[256];
    const int n = snprintf(text, sizeof text, "%s%s%s", prefix ? (const char *)prefix : "",
                           prefix ? ":" : "", (const char *)name);
    return keep(r, text, (size_t)tn_smaller(n, (int)sizeof text - 1));
}

// An attribute is name, prefix, namespace, begin and end of its value.
static bool keep_attributes(reader *r, tn_xml *e, int n, const xmlChar **from)
{
    const char **keys = tn_pool_take(&r->file->memory, (size_t)(2 * n + 1) * sizeof *keys);
    for (int i = 0; keys && i < n; i++) {
        const xmlChar **at = from + (size_t)5 * i;
        keys[i] = full_name(r, at[1], at[0]);
        keys[n + i] = keep(r, (const char *)at[3], (size_t)(at[4] - at[3]));
        if (!keys[i] || !keys[n + i])
            return false;
    }
    e->nattribute = n;
    e->keys = keys;
    e->values = keys ? keys + n : NULL;
    return keys;
}

static void start_element(void *user, const xmlChar *name, const xmlChar *prefix,
                          const xmlChar *space, int nspace, const xmlChar **spaces, int nattribute,
                          int ndefault, const xmlChar **attributes)
{
    reader *r = user;
    (void)space, (void)nspace, (void)spaces, (void)ndefault;
    if (r->status != TN_OK)
        return;
    tn_xml *e = tn_pool_take(&r->file->memory, sizeof *e);
    if (!e || !(e->name = full_name(r, prefix, name)) ||
        !keep_attributes(r, e, nattribute, attributes)) {
        stop(r, tn_got(false));
        return;
    }
    e->line = line_of(r);
    e->parent = r->open;
    if (!r->open)
        r->file->root = e;
    else if (r->open->last)
        r->open->last->next = e;
    else
        r->open->first = e;
    if (r->open)
        r->open->last = e;
    r->open = e;
    if (++r->depth > DEEPEST)
        stop(r, tn_xml_fail(r->file, e, "elements stand within each other more than %d deep",
                            DEEPEST));
}

static void end_element(void *user, const xmlChar *name, const xmlChar *prefix,
                        const xmlChar *space)
{
    reader *r = user;
    (void)name, (void)prefix, (void)space;
    if (r->status != TN_OK || !r->open)
        return;
    r->open = r->open->parent;
    r->depth--;
}

static void refuse_type(void *user, const xmlChar *name, const xmlChar *public_name,
                        const xmlChar *system_name)
{
    reader *r = user;
    (void)name, (void)public_name, (void)system_name;
    stop(r, tn_fail(TN_ERR_MODEL,
                    "%s:%d: a document type (<!DOCTYPE>) may define entities, which are not read; "
                    "take it out",
                    r->file->name, line_of(r)));
}

// The first failure that ended the reading; a prefix that is not declared is none.
static tn_status end_of(reader *r)
{
    const xmlError *error = xmlCtxtGetLastError(r->parser);
    const char *why = error && error->message ? error->message : "it is no XML";
    if (r->status != TN_OK)
        return r->status;
    if (!r->parser->wellFormed && error && error->code == XML_ERR_NO_MEMORY)
        return tn_got(false);
    if (r->parser->wellFormed && r->file->root)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "%s:%d: %.*s", r->file->name, error ? error->line : 1,
                   (int)strcspn(why, "\n"), why);
}

tn_status tn_xml_parse(const char *text, size_t length, const char *name, tn_xml_file *out)
{
    xmlSAXHandler calls = {.initialized = XML_SAX2_MAGIC,
                           .startElementNs = start_element,
                           .endElementNs = end_element,
                           .internalSubset = refuse_type};
    reader r = {.file = out};
    *out = (tn_xml_file){.name = name};
    TN_TRY(tn_library_need(&tn_xml2_library));
    r.parser = xmlCreatePushParserCtxt(&calls, &r, NULL, 0, NULL);
    TN_TRY(tn_got(r.parser));
    (void)xmlCtxtUseOptions(r.parser, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                          XML_PARSE_BIG_LINES);
    for (size_t at = 0; at < length && r.status == TN_OK; at += PIECE)
        (void)xmlParseChunk(r.parser, text + at, (int)fmin(PIECE, (double)(length - at)),
                            length - at <= PIECE);
    const tn_status s = end_of(&r);
    xmlFreeParserCtxt(r.parser);
    return s;
}

void tn_xml_close(tn_xml_file *file)
{
    tn_pool_clear(&file->memory);
    file->root = NULL;
}

// Elements ----------------------------------------------------------------------------------------

static const tn_xml *from_on(const tn_xml *element, const char *name)
{
    while (element && strcmp(element->name, name) != 0)
        element = element->next;
    return element;
}

const tn_xml *tn_xml_child(const tn_xml *within, const char *name)
{
    return within ? from_on(within->first, name) : NULL;
}

const tn_xml *tn_xml_again(const tn_xml *element)
{
    return from_on(element->next, element->name);
}

const char *tn_xml_get(const tn_xml *element, const char *key)
{
    for (int i = 0; element && i < element->nattribute; i++)
        if (strcmp(element->keys[i], key) == 0)
            return element->values[i];
    return NULL;
}

tn_status tn_xml_fail(const tn_xml_file *file, const tn_xml *at, const char *format, ...)
{
    char text[2048];
    TN_SENTENCE(text, format);
    return tn_fail(TN_ERR_MODEL, "%s:%d: %s", file->name, at->line, text);
}

static tn_status fail_numbers(const tn_xml_file *file, const tn_xml *at, const char *key,
                              const char *text, const char *what, int n, const char *why)
{
    static const char *const counts[] = {
        "",           "one number", "two numbers", "three numbers", "four numbers", "five numbers",
        "six numbers"};
    return tn_xml_fail(file, at,
                       "%s: %s: expected %s with a decimal point and blanks between, found "
                       "'%.60s'%s",
                       what, key, counts[n], text, why);
}

tn_status tn_xml_read_numbers(const tn_xml_file *file, const tn_xml *at, const char *key,
                              const char *text, const char *what, int least, int most, double *out)
{
    double value[6];
    int n = 0;
    for (const char *from = text; from && *(from += strspn(from, " \t\r\n")); n++) {
        char word[64];
        const size_t length = strcspn(from, " \t\r\n");
        if (n == most || length >= sizeof word)
            return fail_numbers(file, at, key, text, what, most, "");
        memcpy(word, from, length);
        word[length] = '\0';
        from += length;
        if (!tn_number_from_text(word, &value[n]))
            return fail_numbers(file, at, key, text, what, most, "");
        if (!isfinite(value[n]))
            return fail_numbers(file, at, key, text, what, most, ", which is beyond all numbers");
    }
    if (text && n < least)
        return fail_numbers(file, at, key, text, what, most, "");
    memcpy(out, value, (size_t)n * sizeof *out);
    return TN_OK;
}

tn_status tn_xml_numbers(const tn_xml_file *file, const tn_xml *at, const char *key,
                         const char *what, int n, double *out)
{
    return tn_xml_read_numbers(file, at, key, tn_xml_get(at, key), what, n, n, out);
}

tn_status tn_xml_need(const tn_xml_file *file, const tn_xml *at, const char *key, const char *what,
                      const char **out)
{
    *out = tn_xml_get(at, key);
    return *out ? TN_OK : tn_xml_fail(file, at, "%s: attribute '%s' is missing", what, key);
}
