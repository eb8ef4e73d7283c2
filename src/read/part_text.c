// SPDX-License-Identifier: MIT
//
// Texts of parts: indices become numbers, and names that an assembly knows get its prefix.
//
//   rod$i, rod$(i-1)   in every text: the value of the index, or of a whole number made of indices
//                      and parameters
//   l*i                in numbers and expressions an index is a name like others
//   k, wheel.angle     in an assembly 'left' that has them: left.k, left.wheel.angle
//
// A name belongs to the innermost assembly that knows a beginning of it, up to a dot or the end.

#include "read/part_own.h"
#include "signal/expression.h"
#include "text/measure.h"
#include "text/number.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 256 }; // characters of a name and the end

tn_status tn_part_fail(const tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                       const char *format, ...)
{
    char sentence[2048];
    tn_node place = *node;
    place.source = at->source;
    TN_SENTENCE(sentence, format);
    return tn_node_fail(w->doc, &place, TN_ERR_MODEL, "%s", sentence);
}

tn_status tn_part_expected(const tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                           const char *what, const char *thing)
{
    tn_node place = *node;
    place.source = at->source;
    return tn_node_expected(w->doc, &place, what, thing);
}

bool tn_part_is_name(const char *text)
{
    return *text && !text[tn_name_length(text)];
}

static const tn_part_index *find_index(const tn_part_index *index, const char *name, size_t n)
{
    for (; index; index = index->outer)
        if (strlen(index->name) == n && strncmp(index->name, name, n) == 0)
            return index;
    return NULL;
}

static void put_index(tn_buffer *out, const tn_part_index *index)
{
    char digits[32];
    const int n = snprintf(digits, sizeof digits, index->value < 0 ? "(%" PRId64 ")" : "%" PRId64,
                           index->value);
    tn_buffer_put(out, digits, (size_t)n);
}

// Names -------------------------------------------------------------------------------------------

// Returns true if a table has a name or a beginning of it that ends at a dot, the longest first.
static bool knows(const tn_table *known, const char *name)
{
    char part[NAME];
    snprintf(part, sizeof part, "%s", name);
    for (char *end = part + strlen(part); end; end = strrchr(part, '.')) {
        *end = '\0';
        if (tn_table_find(known, part) >= 0)
            return true;
    }
    return false;
}

// The length of a name that another one begins with, up to a dot or the end; 0 where it does not.
static size_t begins_with(const char *name, const char *begin)
{
    const size_t n = strlen(begin);
    return strncmp(name, begin, n) == 0 && (name[n] == '\0' || name[n] == '.') ? n : 0;
}

// Notes a name that a part uses without having it, where some stand for others.
static void ask(const tn_part_scope *scope, const char *name, tn_buffer *out)
{
    char begin[NAME];
    snprintf(begin, sizeof begin, "%.*s", (int)strcspn(name, "."), name);
    if (scope->nname > 0 && tn_table_find(scope->asked, begin) < 0 &&
        tn_table_add(scope->asked, begin, 0) != TN_OK)
        out->failed = true;
}

// Puts a name as the model has it. `text` is the name as it is written, perhaps with quotes;
// `look`: only to see it, which is no use of it.
static void put_name(const tn_part_scope *scope, const char *name, const char *text, size_t n,
                     bool expression, bool look, tn_buffer *out)
{
    for (; scope->outer; scope = scope->outer) {
        for (int k = 0; k < scope->nname; k++) {
            const size_t same = begins_with(name, scope->inside[k]);
            if (same == 0)
                continue;
            scope->met[k] |= !look;
            const bool quote = expression && !tn_part_is_name(scope->outside[k]) &&
                               strspn(scope->outside[k], "._abcdefghijklmnopqrstuvwxyz"
                                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") !=
                                   strlen(scope->outside[k]);
            tn_buffer_format(out, "%s%s%s%s", quote ? "'" : "", scope->outside[k], quote ? "'" : "",
                             name + same);
            return;
        }
        // bodies and the like mean nothing in expressions without one of their quantities
        const bool alone = expression && !strchr(name, '.');
        if (knows(alone ? scope->values : scope->known, name)) {
            tn_buffer_say(out, scope->prefix);
            break;
        }
        if (!look)
            ask(scope, name, out);
    }
    tn_buffer_put(out, text, n);
}

const char *tn_part_ground_of(const tn_part_scope *scope)
{
    for (; scope && scope->outer; scope = scope->outer)
        for (int k = 0; k < scope->nname; k++)
            if (strcmp(scope->inside[k], "ground") == 0) {
                scope->met[k] = true;
                return strcmp(scope->outside[k], "ground") == 0 ? NULL : scope->outside[k];
            }
    return NULL;
}

const char *tn_part_ground(const tn_document *doc, const tn_node *key)
{
    return key->source < doc->nsource ? tn_part_ground_of(doc->sources[key->source].scope) : NULL;
}

bool tn_part_may_name(const tn_node *node, const char *element)
{
    const tn_part_scope *scope = node->part ? node->part->scope : NULL;
    do {
        const char *prefix = scope ? scope->prefix : "";
        const size_t n = strlen(prefix);
        if (strncmp(element, prefix, n) == 0 && begins_with(node->text, element + n))
            return true;
        scope = scope ? scope->outer : NULL;
    } while (scope);
    return false;
}

// Expressions -------------------------------------------------------------------------------------

// The length of a name with dots and quotes at the beginning of a text; `name` is without quotes.
static size_t long_name(const char *text, char name[NAME])
{
    size_t n = 0, used = 0;
    for (;;) {
        const char quote = text[n];
        if (quote == '\'' || quote == '"') {
            for (n++; text[n] && (text[n] != quote || text[n + 1] == quote); n++) {
                if (used + 2 < NAME)
                    name[used++] = text[n];
                n += text[n] == quote;
            }
            n += text[n] != '\0';
        } else {
            const size_t part = (size_t)tn_name_length(text + n);
            for (size_t i = 0; i < part && used + 2 < NAME; i++)
                name[used++] = text[n + i];
            n += part;
        }
        const char next = text[n] == '.' ? text[n + 1] : '\0';
        if (!(isalpha((unsigned char)next) || next == '_' || next == '\'' || next == '"'))
            break;
        name[used++] = text[n++];
    }
    name[used] = '\0';
    return n;
}

// t, pi, sin, ...: no element of a part takes such a name from expressions.
static bool is_taken(const char *name)
{
    const bool taken = tn_expression_check_name("", name) != TN_OK;
    if (taken)
        tn_clear_error();
    return taken;
}

// Returns true for the names by which a force sees two frames, whatever else has such a name.
static bool is_of_frames(const char *name)
{
    static const char *const seen[] = {"displacement.", "turn."};
    for (int i = 0; i < TN_COUNT(seen); i++) {
        const char *axis = name + strlen(seen[i]);
        if (strncmp(name, seen[i], strlen(seen[i])) == 0 && *axis && strchr("xyz", *axis))
            return !axis[1] || strcmp(axis + 1, ".rate") == 0;
    }
    return false;
}

// Context of the text of an expression.
typedef struct meaning {
    const tn_part_where *at;
    bool curve; // it is of no other s, u and v than those of its curve
    bool look;
    const tn_node *locals; // or NULL
} meaning;

static bool is_local(const meaning *m, const char *name)
{
    return (m->curve && name[0] && !name[1] && strchr("suv", name[0])) ||
           (m->at->of_force && is_of_frames(name)) || (m->locals && tn_node_get(m->locals, name));
}

// One name of an expression.
static size_t take_name(const meaning *m, const char *text, tn_buffer *out)
{
    const tn_part_where *at = m->at;
    char name[NAME];
    const size_t n = long_name(text, name);
    const tn_part_index *index = find_index(at->index, text, n);
    const bool local = is_local(m, name);
    if (index && !local)
        put_index(out, index);
    else if (local || !at->scope->outer || is_taken(name))
        tn_buffer_put(out, text, n);
    else
        put_name(at->scope, name, text, n, true, m->look, out);
    return n;
}

static void put_expression(const meaning *m, const char *text, tn_buffer *out)
{
    while (*text) {
        const size_t number = tn_number_length(text);
        size_t n = 1;
        if (number > 0) {
            tn_buffer_put(out, text, n = number);
        } else if (isalpha((unsigned char)*text) || *text == '_' || *text == '\'' || *text == '"') {
            n = take_name(m, text, out);
            if (n == 0)
                tn_buffer_put(out, text, n = 1);
        } else {
            tn_buffer_put(out, text, 1);
        }
        text += n;
    }
}

// The value of an expression of indices and parameters.
static tn_status value_of(tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                          const char *text, double *out)
{
    tn_buffer expression = {0};
    char *shown = NULL;
    put_expression(&(meaning){.at = at}, text, &expression);
    tn_buffer_put(&expression, "", 0);
    tn_status s = tn_buffer_finish(&expression, "an expression", &shown);
    TN_THEN(s, tn_model_value(w->numbers, shown, out));
    if (s == TN_ERR_MODEL) { // it needs parameters
        s = tn_part_numbers(w);
        TN_THEN(s, tn_model_value(w->numbers, shown, out));
        w->by_parameters = true;
        if (s == TN_ERR_MODEL && !tn_part_has_place(w)) {
            char reason[600];
            snprintf(reason, sizeof reason, "%s", tn_last_error());
            s = tn_part_fail(w, at, node, "%s", reason);
        }
    }
    tn_free(shown);
    return s;
}

static tn_status whole(tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                       const char *what, double value, int64_t *out)
{
    if (value != floor(value) || fabs(value) > 9e15)
        return tn_part_fail(w, at, node, "%s: expected a whole number, found %g", what, value);
    *out = (int64_t)value;
    return TN_OK;
}

tn_status tn_part_integer(tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                          const char *what, int64_t *out)
{
    double value = 0.0;
    if (node->kind != TN_NODE_SCALAR)
        return tn_part_expected(w, at, node, what, "a whole number");
    if (!tn_number_from_text(node->text, &value)) {
        TN_TRY(value_of(w, at, node, node->text, &value));
    }
    return whole(w, at, node, what, value, out);
}

// Indices -----------------------------------------------------------------------------------------

// $(i-1): a whole number, put as such. *text is behind "$(", and then behind ")".
static tn_status take_value(tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                            const char **text)
{
    const char *end = *text;
    int open = 1;
    for (; *end && open > 0; end++)
        open += (*end == '(') - (*end == ')');
    if (open > 0)
        return tn_part_fail(w, at, node, "'%s': ')' is missing behind '$('", node->text);
    char inside[NAME];
    double value = 0.0;
    int64_t integer = 0;
    if ((size_t)(end - *text) >= sizeof inside)
        return tn_part_fail(w, at, node, "'$(' holds more than %d characters", NAME - 1);
    snprintf(inside, sizeof inside, "%.*s", (int)(end - *text) - 1, *text);
    TN_TRY(value_of(w, at, node, inside, &value));
    TN_TRY(whole(w, at, node, node->text, value, &integer));
    tn_buffer_format(&w->text, "%" PRId64, integer);
    *text = end;
    return TN_OK;
}

static tn_status unknown_index(const tn_part_writer *w, const tn_part_where *at,
                               const tn_node *node, int n, const char *name)
{
    const tn_part_index *inner = at->index;
    if (n == 0)
        return tn_part_fail(w, at, node,
                            "'%s': behind '$' stands an index, as in rod$%s, or a "
                            "whole number in parentheses, as in rod$(%s-1)",
                            node->text, inner->name, inner->name);
    for (int k = n - 1; k > 0; k--) { // the longest first
        const tn_part_index *meant = find_index(at->index, name, (size_t)k);
        if (meant)
            return tn_part_fail(w, at, node,
                                "'%s': there is no index '%.*s' here; what stands behind '%s' "
                                "needs $(%s)",
                                node->text, n, name, meant->name, meant->name);
    }
    return tn_part_fail(w, at, node,
                        "'%s': there is no index '%.*s' here; the innermost is '%s', "
                        "and letters behind it need $(%s)",
                        node->text, n, name, inner->name, inner->name);
}

// The text with every $ replaced, in w->text.
static tn_status put_indices(tn_part_writer *w, const tn_part_where *at, const tn_node *node)
{
    const char *text = node->text;
    w->text.length = 0;
    while (*text) {
        const size_t plain = strcspn(text, "$");
        tn_buffer_put(&w->text, text, plain);
        text += plain;
        if (!*text++)
            break;
        if (*text == '(') {
            text++;
            TN_TRY(take_value(w, at, node, &text));
            continue;
        }
        const int n = tn_name_length(text);
        const tn_part_index *index = find_index(at->index, text, (size_t)n);
        if (!index)
            return unknown_index(w, at, node, n, text);
        tn_buffer_format(&w->text, "%" PRId64, index->value);
        text += n;
    }
    tn_buffer_put(&w->text, "", 0);
    return tn_got(!w->text.failed);
}

// All ---------------------------------------------------------------------------------------------

static tn_status keep(tn_part_writer *w, const char *old, const char **out)
{
    TN_TRY(tn_got(!w->text.failed));
    const size_t n = w->text.length;
    if (strlen(old) == n && memcmp(old, w->text.text ? w->text.text : "", n) == 0) {
        *out = old;
        return TN_OK;
    }
    char *copy = tn_document_take(w->doc, n + 1);
    TN_TRY(tn_got(copy));
    memcpy(copy, w->text.text, n);
    *out = copy;
    return TN_OK;
}

// The text with the names of the model.
static void put_text(const tn_part_where *at, const char *text, tn_part_role role,
                     const tn_node *locals, tn_buffer *out)
{
    const bool expression = (role == TN_PART_NUMBER || role == TN_PART_CURVE) &&
                            !tn_number_is_one(text) && !tn_measure_is_one(text);
    if (expression)
        put_expression(&(meaning){at, role == TN_PART_CURVE, false, locals}, text, out);
    else if (role == TN_PART_NAME)
        put_name(at->scope, text, text, strlen(text), false, false, out);
    else
        tn_buffer_format(out, "%s%s", role == TN_PART_FILE && text[0] != '/' ? at->folder : "",
                         text);
}

tn_status tn_part_text(tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                       tn_part_role role, const char **out)
{
    *out = node->text;
    if (at->index && strchr(node->text, '$')) {
        TN_TRY(put_indices(w, at, node));
        TN_TRY(keep(w, *out, out));
    }
    if (role == TN_PART_TEXT || (!at->index && !at->scope->outer))
        return TN_OK;
    w->text.length = 0;
    put_text(at, *out, role, NULL, &w->text);
    return keep(w, *out, out);
}

bool tn_part_is_element(const tn_part_scope *scope, const char *text)
{
    for (; scope->outer; scope = scope->outer) {
        if (knows(scope->known, text))
            return true;
        for (int k = 0; k < scope->nname; k++)
            if (strcmp(scope->inside[k], text) == 0)
                return true;
    }
    return false;
}

tn_status tn_part_changes(tn_part_writer *w, const tn_part_where *at, const char *text, bool *out)
{
    w->text.length = 0;
    put_expression(&(meaning){.at = at, .look = true}, text, &w->text);
    const size_t n = w->text.length;
    *out = n != strlen(text) || (n > 0 && memcmp(w->text.text, text, n) != 0);
    return tn_got(!w->text.failed);
}

tn_status tn_part_resolve(tn_document *doc, const tn_node *node, tn_part_role role,
                          const tn_node *locals)
{
    tn_node *own = (tn_node *)node; // a copy that its part made (part_copy.c)
    tn_buffer text = {0};
    for (int i = 0; node->kind == TN_NODE_SEQUENCE && i < node->count; i++)
        TN_TRY(tn_part_resolve(doc, node->children[i], role, locals));
    if (!node->part)
        return TN_OK;
    put_text(node->part, node->text, role, locals, &text);
    char *copy = text.failed ? NULL : tn_document_take(doc, text.length + 1);
    if (copy && text.length > 0)
        memcpy(copy, text.text, text.length);
    tn_free(text.text);
    TN_TRY(tn_got(copy));
    own->part = NULL;
    if (strcmp(copy, node->text) != 0) {
        own->mounted = role == TN_PART_NAME && strcmp(node->text, "ground") == 0;
        own->text = copy;
        own->text_column = 0;
    }
    return TN_OK;
}
