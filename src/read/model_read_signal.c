// SPDX-License-Identifier: MIT
//
// Signals, states, unknowns and sampled systems of a model file. Their expressions are looked up
// when all elements are there.

#include "kinds/family.h"
#include "model/block.h"
#include "read/model_yaml.h"

#include <stdio.h>

// An expression, or a number as the text that it is.
static tn_status read_text(const tn_reader *r, const tn_node *node, const char *what,
                           const char **out)
{
    if (node->kind != TN_NODE_SCALAR)
        return tn_node_expected(r->doc, node, what, "an expression");
    TN_TRY(tn_node_resolve(r->doc, node, TN_PART_NUMBER));
    *out = node->text;
    return TN_OK;
}

static tn_status element_text(const tn_element *e, const char *key, const char **out)
{
    const tn_node *node = tn_element_get(e, key);
    if (!node)
        return tn_element_fail(e, "missing key '%s', an expression", key);
    return read_text(e->reader, node, tn_element_words(e, key).text, out);
}

tn_status tn_read_signal(tn_reader *r, int place, const tn_node *section)
{
    const tn_node *key = section->keys[place];
    tn_element e = {.reader = r, .key = key, .map = section->children[place]};
    const char *text = NULL;
    snprintf(e.owner, sizeof e.owner, "signal '%s'", key->text);
    TN_TRY(tn_place_add(r->model, e.owner, tn_node_place(section->children[place])));
    TN_TRY(read_text(r, section->children[place], e.owner, &text));
    return tn_element_locate(&e, tn_model_add_signal(r->model, e.key->text, text));
}

// [low, high]; `.inf` and `-.inf` stand for none.
static tn_status read_limits(const tn_element *e, tn_state_def *def)
{
    const tn_node *node = tn_element_get(e, "limits");
    const tn_words words = tn_element_words(e, "limits");
    if (!node)
        return TN_OK;
    if (node->kind != TN_NODE_SEQUENCE || node->count != 2)
        return tn_node_expected(e->reader->doc, node, words.text, "a list of 2 numbers");
    TN_TRY(tn_read_number(e->reader, node->children[0], words.text, NULL, &def->lower));
    return tn_read_number(e->reader, node->children[1], words.text, NULL, &def->upper);
}

tn_status tn_read_state(tn_reader *r, int place, const tn_node *section)
{
    tn_state_def def = tn_default_state();
    tn_element e;
    TN_TRY(tn_element_begin(r, "state", place, section, &e));
    TN_TRY(TN_CHECK_KEYS(&e, 0, NULL, tn_keys_state));
    def.name = e.key->text;
    TN_TRY(element_text(&e, "rate", &def.rate));
    TN_TRY(tn_element_number(&e, "initial", NULL, &def.initial));
    TN_TRY(read_limits(&e, &def));
    return tn_element_locate(&e, tn_model_add_state(r->model, &def));
}

tn_status tn_read_unknown(tn_reader *r, int place, const tn_node *section)
{
    tn_unknown_def def = {0};
    tn_element e;
    TN_TRY(tn_element_begin(r, "unknown", place, section, &e));
    TN_TRY(TN_CHECK_KEYS(&e, 0, NULL, tn_keys_unknown));
    def.name = e.key->text;
    TN_TRY(element_text(&e, "equation", &def.equation));
    TN_TRY(tn_element_number(&e, "start", NULL, &def.start));
    return tn_element_locate(&e, tn_model_add_unknown(r->model, &def));
}

// The values of a sampled system are those of `next`; what `initial` leaves out starts at zero.
static tn_status read_values(const tn_element *e, const tn_node *next, const tn_node *initial,
                             tn_sampled_value *value)
{
    for (int i = 0; i < next->count; i++) {
        char what[640];
        value[i].name = next->keys[i]->text;
        snprintf(what, sizeof what, "%.400s: next: %.100s", e->owner, value[i].name);
        TN_TRY(tn_part_resolve(e->reader->doc, next->children[i], TN_PART_NUMBER, next));
        TN_TRY(read_text(e->reader, next->children[i], what, &value[i].next));
        snprintf(what, sizeof what, "next of %.100s", value[i].name);
        TN_TRY(
            tn_place_add_key(e->reader->model, e->owner, what, tn_node_place(next->children[i])));
        const tn_node *start = initial ? tn_node_get(initial, value[i].name) : NULL;
        snprintf(what, sizeof what, "%.400s: initial: %.100s", e->owner, value[i].name);
        if (start)
            TN_TRY(tn_read_number(e->reader, start, what, NULL, &value[i].initial));
    }
    for (int i = 0; initial && i < initial->count; i++)
        if (!tn_node_get(next, initial->keys[i]->text))
            return tn_node_fail(e->reader->doc, initial->keys[i], TN_ERR_MODEL,
                                "%s: initial: there is no value '%s' in 'next'", e->owner,
                                initial->keys[i]->text);
    return TN_OK;
}

tn_status tn_read_sampled(tn_reader *r, int place, const tn_node *section)
{
    tn_sampled_def def = {.every = 0.0};
    tn_element e;
    TN_TRY(tn_element_begin(r, "sampled", place, section, &e));
    TN_TRY(TN_CHECK_KEYS(&e, 0, NULL, tn_keys_sampled));
    def.name = e.key->text;
    const tn_node *next = tn_element_get(&e, "next"), *initial = tn_element_get(&e, "initial");
    if (!tn_element_get(&e, "every"))
        return tn_element_fail(&e, "missing key 'every' [s]");
    if (!next || next->kind != TN_NODE_MAP)
        return tn_element_fail(&e, "missing key 'next', a map of expressions");
    if (initial && initial->kind != TN_NODE_MAP)
        return tn_node_expected(r->doc, initial, tn_element_words(&e, "initial").text, "a map");
    TN_TRY(tn_element_number(&e, "every", "s", &def.every));
    TN_TRY(tn_element_number(&e, "delay", "s", &def.delay));
    tn_sampled_value *value = tn_document_take(r->doc, (size_t)(next->count + 1) * sizeof *value);
    TN_TRY(tn_got(value));
    TN_TRY(read_values(&e, next, initial, value));
    def.n = next->count;
    def.value = value;
    return tn_element_locate(&e, tn_model_add_sampled(r->model, &def));
}

tn_status tn_read_block(tn_reader *r, int place, const tn_node *section)
{
    tn_element e;
    int kind = 0;
    TN_TRY(tn_element_begin(r, "block", place, section, &e));
    TN_TRY(tn_read_kind(&e, NULL, TN_FAMILY_BLOCK, &kind));
    const tn_block_ops *ops = tn_block_ops_of(kind);
    tn_block_def def = tn_default_block((tn_block_kind)kind);
    def.name = e.key->text;
    TN_TRY(TN_CHECK_KEYS(&e, ops->nparam, ops->params, tn_keys_block));
    TN_TRY(tn_read_params(&e, ops->nparam, ops->params, &def));
    return tn_element_locate(&e, tn_model_add_block(r->model, &def));
}
