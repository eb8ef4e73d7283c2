// SPDX-License-Identifier: MIT
//
// Tables of a model file, which expressions use as functions.

#include "read/model_yaml.h"
#include "signal/curve.h"
#include "signal/grid.h"

#include <stdio.h>

// Numbers of a list, as many as `of` has arguments.
static tn_status read_line(const tn_reader *r, const tn_node *node, const char *what, int n,
                           const char *of, double *out)
{
    if (node->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(r->doc, node, what, "a list of numbers");
    if (node->count != n)
        return tn_node_fail(r->doc, node, TN_ERR_MODEL,
                            "%s: expected %d numbers, one for each %s, found %d", what, n, of,
                            node->count);
    for (int i = 0; i < n; i++) {
        char words[720];
        snprintf(words, sizeof words, "%.640s: place %d", what, i + 1);
        TN_TRY(tn_read_number(r, node->children[i], words, NULL, &out[i]));
    }
    return TN_OK;
}

static tn_status read_arguments(const tn_element *e, const char *key, int *n, const double **out)
{
    const tn_reader *r = e->reader;
    const tn_node *node = tn_element_get(e, key);
    const tn_words words = tn_element_words(e, key);
    if (node->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(r->doc, node, words.text, "a list of numbers");
    double *list = tn_document_take(r->doc, (size_t)(node->count + 1) * sizeof *list);
    TN_TRY(tn_got(list));
    TN_TRY(read_line(r, node, words.text, node->count, key, list));
    int place = 0;
    const tn_status status = tn_table_check_arguments(words.text, node->count, list, &place);
    if (status != TN_OK) {
        char text[800];
        snprintf(text, sizeof text, "%s", tn_last_error());
        return tn_node_fail(r->doc, node->count > 0 ? node->children[place] : node, status, "%s",
                            text);
    }
    *n = node->count;
    *out = list;
    return TN_OK;
}

static tn_status read_rows(const tn_reader *r, const tn_node *node, const char *what,
                           const tn_table_def *def, double *out)
{
    if (node->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(r->doc, node, what, "a list of rows");
    if (node->count != def->nx)
        return tn_node_fail(r->doc, node, TN_ERR_MODEL,
                            "%s: expected %d rows, one for each x, found %d", what, def->nx,
                            node->count);
    for (int i = 0; i < def->nx; i++) {
        char words[720];
        snprintf(words, sizeof words, "%.640s: row %d", what, i + 1);
        TN_TRY(read_line(r, node->children[i], words, def->ny, "y", out + i * def->ny));
    }
    return TN_OK;
}

static tn_status read_values(const tn_element *e, tn_table_def *def)
{
    const tn_reader *r = e->reader;
    const tn_node *node = tn_element_get(e, "values");
    const tn_words words = tn_element_words(e, "values");
    const size_t count = (size_t)def->nx * (size_t)tn_larger(def->ny, 1);
    double *values = tn_document_take(r->doc, count * sizeof *values);
    TN_TRY(tn_got(values));
    def->values = values;
    return def->ny > 0 ? read_rows(r, node, words.text, def, values)
                       : read_line(r, node, words.text, def->nx, "x", values);
}

static tn_status fill_table(const tn_element *e, tn_table_def *def)
{
    static const char *const needed[] = {"x", "values"};
    int interpolation = 0, beyond = 0;
    TN_TRY(TN_CHECK_KEYS(e, 0, NULL, tn_keys_table));
    for (int i = 0; i < TN_COUNT(needed); i++)
        if (!tn_element_get(e, needed[i]))
            return tn_element_fail(e, "missing key '%s'", needed[i]);
    TN_TRY(read_arguments(e, "x", &def->nx, &def->x));
    if (tn_element_get(e, "y"))
        TN_TRY(read_arguments(e, "y", &def->ny, &def->y));
    TN_TRY(read_values(e, def));
    TN_TRY(tn_read_rule(e, "interpolation", tn_interpolation_names, &interpolation));
    TN_TRY(tn_read_rule(e, "beyond", tn_beyond_names, &beyond));
    def->interpolation = (tn_interpolation)interpolation;
    def->beyond = (tn_beyond)beyond;
    return TN_OK;
}

tn_status tn_read_table(tn_reader *r, int place, const tn_node *section)
{
    tn_element e;
    tn_table_def def = {.name = section->keys[place]->text};
    TN_TRY(tn_element_begin(r, "table", place, section, &e));
    TN_TRY(fill_table(&e, &def));
    return tn_element_locate(&e, tn_model_add_table(r->model, &def));
}
