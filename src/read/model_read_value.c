// SPDX-License-Identifier: MIT
//
// Values of a model file, by parameter table: every number may have a unit behind it or be an
// expression of the parameters of the model, functions of time may be expressions in t or tables.
//
// Arrays that are read here live in the document; the builders copy what they keep.

#include "read/model_yaml.h"

#include "kinds/family.h"
#include "kinds/own.h"
#include "signal/curve.h"
#include "text/measure.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// One word cannot be an expression gone wrong: it is a parameter that is missing or has a slip. A
// suggestion must keep a letter of it.
static tn_status bad_word(const tn_reader *r, const tn_node *node, const char *what)
{
    const char *nearest = NULL;
    int least = (int)strlen(node->text);
    if (tn_model_find_input(r->model, node->text).index >= 0)
        return tn_node_fail(r->doc, node, TN_ERR_MODEL,
                            "%s: input '%s' changes while a simulation runs; a constant is needed "
                            "here",
                            what, node->text);
    for (int i = 0; i < r->model->parameters.count; i++) {
        const char *name = r->model->parameters.at[i].name;
        const char *near = tn_nearest_name(node->text, 1, &name);
        if (near && !r->model->parameters.at[i].table &&
            tn_edit_distance(node->text, near) < least) {
            least = tn_edit_distance(node->text, near);
            nearest = near;
        }
    }
    if (nearest)
        return tn_node_fail(r->doc, node, TN_ERR_MODEL,
                            "%s: unknown name %s; did you mean the parameter '%s'?", what,
                            tn_node_found(node).text, nearest);
    return tn_node_fail(r->doc, node, TN_ERR_MODEL,
                        "%s: unknown name %s; write a number, or define it in 'parameters'", what,
                        tn_node_found(node).text);
}

static bool is_word(const char *text)
{
    return strpbrk(text, "+-*/^()<>=!&|?:,.'\"") == NULL;
}

// "file:line:column: what: " before an error that names a column of the text.
static tn_status fail_in_text(const tn_reader *r, const tn_node *node, const char *what)
{
    const tn_place at = tn_place_within(tn_node_place(node), tn_place_told_column());
    return tn_fail_used(tn_fail_within(TN_ERR_MODEL, "%s:%d:%d: %s", tn_node_file(r->doc, node),
                                       at.line, at.column, what),
                        tn_node_used(r->doc, node));
}

static bool is_measure(const tn_node *node)
{
    return node->kind == TN_NODE_SCALAR && tn_measure_is_one(node->text);
}

static tn_status read_measure(const tn_reader *r, const tn_node *node, const char *what,
                              const char *unit, double *out)
{
    const tn_status s = tn_measure_read(node->text, unit, out);
    return s == TN_OK ? TN_OK : tn_node_within(r->doc, node, s, what);
}

bool tn_node_is_expression(const tn_node *node)
{
    return node->kind == TN_NODE_SCALAR && !tn_node_is_number(node) && !is_measure(node);
}

tn_status tn_read_number(const tn_reader *r, const tn_node *node, const char *what,
                         const char *unit, double *out)
{
    double value;
    if (node->kind != TN_NODE_SCALAR)
        return tn_node_expected(r->doc, node, what, "a number");
    if (!node->quoted && tn_number_from_text(node->text, &value) && isfinite(value)) {
        *out = value;
        return TN_OK; // nearly all
    }
    if (tn_node_is_number(node))
        return tn_node_number(r->doc, node, what, out);
    if (is_measure(node))
        return read_measure(r, node, what, unit, out);
    TN_TRY(tn_node_resolve(r->doc, node, TN_PART_NUMBER));
    const tn_status s = tn_model_value(r->model, node->text, out);
    if (s == TN_OK || s == TN_ERR_MEMORY)
        return s;
    if (is_word(node->text) && strcmp(node->text, "t") != 0)
        return isalpha((unsigned char)*node->text)
                   ? bad_word(r, node, what)
                   : tn_node_expected(r->doc, node, what, "a number");
    return fail_in_text(r, node, what);
}

static tn_status read_integer(const tn_reader *r, const tn_node *node, const char *what, int *out)
{
    double value = 0.0;
    TN_TRY(tn_read_number(r, node, what, "", &value));
    if (value != floor(value) || fabs(value) > INT_MAX)
        return tn_node_expected(r->doc, node, what, "a whole number");
    *out = (int)value;
    return TN_OK;
}

// Item i of a list, with its number in messages; worded only when it is wrong, as lists are long.
static tn_status read_item(const tn_reader *r, const tn_node *list, int i, const char *what,
                           const char *unit, double *out)
{
    char item[700];
    const tn_status s = tn_read_number(r, list->children[i], what, unit, out);
    if (s == TN_OK || s == TN_ERR_MEMORY)
        return s;
    snprintf(item, sizeof(item), "%.640s: item %d", what, i + 1);
    return tn_read_number(r, list->children[i], item, unit, out);
}

// Explains a list that is longer than it should be: an expression with commas falls apart unless it
// is quoted, and leaves parentheses that do not match.
static const char *comma_hint(const tn_node *list)
{
    for (int i = 0; i < list->count; i++) {
        int open = 0;
        const tn_node *item = list->children[i];
        for (const char *c = item->kind == TN_NODE_SCALAR ? item->text : ""; *c; c++)
            open += (*c == '(') - (*c == ')');
        if (open != 0)
            return "; expressions with commas need quotes here";
    }
    return "";
}

tn_status tn_read_vector(const tn_reader *r, const tn_node *node, const char *what,
                         const char *unit, bool planar, tn_vec3 *out)
{
    double x[3] = {0};
    if (node->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(r->doc, node, what,
                                planar ? "a list of 2 or 3 numbers" : "a list of 3 numbers");
    if (node->count != 3 && !(planar && node->count == 2))
        return tn_node_fail(r->doc, node, TN_ERR_MODEL, "%s: expected %s numbers, found %d%s", what,
                            planar ? "2 or 3" : "3", node->count, comma_hint(node));
    for (int i = 0; i < node->count; i++)
        TN_TRY(read_item(r, node, i, what, unit, &x[i]));
    *out = tn_v3_from(x);
    return TN_OK;
}

static tn_status read_numbers(const tn_reader *r, const tn_node *node, const char *what,
                              const char *unit, int *n, const double **out)
{
    if (node->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(r->doc, node, what, "a list of numbers");
    double *x = tn_document_take(r->doc, (size_t)(node->count + 1) * sizeof(*x));
    TN_TRY(tn_got(x));
    for (int i = 0; i < node->count; i++)
        TN_TRY(read_item(r, node, i, what, unit, &x[i]));
    *n = node->count;
    *out = x;
    return TN_OK;
}

static tn_status read_row(const tn_reader *r, const tn_node *row, int number, const char *what,
                          const char *const unit[2], double *pair[2])
{
    char words[700];
    snprintf(words, sizeof(words), "%s: row %d", what, number);
    if (row->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(r->doc, row, words, "a list of 2 numbers");
    if (row->count != 2)
        return tn_node_fail(r->doc, row, TN_ERR_MODEL, "%s: expected 2 numbers, found %d", words,
                            row->count);
    TN_TRY(read_item(r, row, 0, words, unit[0], pair[0]));
    return read_item(r, row, 1, words, unit[1], pair[1]);
}

// A list of [x, f] pairs into two arrays.
static tn_status read_table(const tn_reader *r, const tn_node *node, const char *what,
                            const char *const unit[2], int *n, const double **x, const double **f)
{
    if (node->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(r->doc, node, what, "a list of pairs of numbers");
    if (node->count < 2)
        return tn_node_fail(r->doc, node, TN_ERR_MODEL, "%s: expected at least 2 rows, found %d",
                            what, node->count);
    const size_t size = (size_t)node->count * sizeof(double);
    double *first = tn_document_take(r->doc, size);
    double *second = tn_document_take(r->doc, size);
    TN_TRY(tn_got(first && second));
    for (int i = 0; i < node->count; i++)
        TN_TRY(read_row(r, node->children[i], i + 1, what, unit,
                        (double *[2]){&first[i], &second[i]}));
    *n = node->count;
    *x = first;
    *f = second;
    return TN_OK;
}

static tn_status read_choice(const tn_reader *r, const tn_node *node, const char *what,
                             const char *const *choices, int *out);

// Reads a word; the default is 0.
tn_status tn_read_rule(const tn_element *e, const char *key, const char *const *names, int *out)
{
    const tn_node *node = tn_node_get(e->map, key);
    *out = 0;
    return node ? read_choice(e->reader, node, tn_element_words(e, key).text, names, out) : TN_OK;
}

static tn_status read_function_table(const tn_reader *r, const tn_node *node, const char *what,
                                     const char *unit, tn_function *out)
{
    tn_element e = {.reader = (tn_reader *)r, .key = node, .map = node};
    snprintf(e.owner, sizeof(e.owner), "%s", what);
    TN_TRY(TN_CHECK_KEYS(&e, 0, NULL, tn_keys_function));
    const tn_node *table = tn_node_get(node, "table");
    if (!table)
        return tn_element_fail(&e, "missing key 'table'");
    int interpolation = 0, beyond = 0;
    TN_TRY(tn_read_rule(&e, "interpolation", tn_interpolation_names, &interpolation));
    TN_TRY(tn_read_rule(&e, "beyond", tn_beyond_names, &beyond));
    out->interpolation = (tn_interpolation)interpolation;
    out->beyond = (tn_beyond)beyond;
    return read_table(r, table, tn_element_words(&e, "table").text, (const char *[2]){"s", unit},
                      &out->n, &out->t, &out->u);
}

// {kind: NAME, parameter: value, …}
static tn_status read_function_kind(const tn_reader *r, const tn_node *node, const char *what,
                                    tn_function *out)
{
    tn_element e = {.reader = (tn_reader *)r, .key = node, .map = node};
    snprintf(e.owner, sizeof(e.owner), "%s", what);
    int number = 0;
    TN_TRY(tn_read_kind(&e, NULL, TN_FAMILY_FUNCTION, &number));
    out->kind = number + 1;
    const tn_own_kind *kind = &tn_own_function_table(out->kind)->kind;
    void *params = tn_document_take(r->doc, sizeof(tn_own_values));
    TN_TRY(tn_got(params));
    TN_TRY(TN_CHECK_KEYS(&e, kind->nparam, kind->params, tn_keys_own_function));
    tn_params_default(kind->nparam, kind->params, params);
    out->params = params;
    return tn_read_params(&e, kind->nparam, kind->params, params);
}

static tn_status read_function(const tn_reader *r, const tn_node *node, const char *what,
                               const char *unit, tn_function *out)
{
    *out = (tn_function){0};
    if (node->kind == TN_NODE_MAP && tn_node_get(node, "kind"))
        return read_function_kind(r, node, what, out);
    if (node->kind == TN_NODE_MAP)
        return read_function_table(r, node, what, unit, out);
    if (node->kind != TN_NODE_SCALAR)
        return tn_node_expected(r->doc, node, what, "a number, an expression in t or a table");
    if (tn_node_is_number(node))
        return tn_node_number(r->doc, node, what, &out->constant);
    if (is_measure(node))
        return read_measure(r, node, what, unit, &out->constant);
    TN_TRY(tn_node_resolve(r->doc, node, TN_PART_NUMBER));
    out->expression = node->text;
    return TN_OK;
}

// Notes a value in a list, "force x", of the element that `what`, "force 'wind': force", names.
static tn_status note_item(const tn_reader *r, const tn_node *item, const char *what,
                           const char *component)
{
    const char *key = strrchr(what, ':');
    char element[700], words[64];
    if (!key)
        return TN_OK;
    snprintf(element, sizeof(element), "%.*s", (int)(key - what), what);
    snprintf(words, sizeof(words), "%.40s %s", key + 2, component);
    return tn_place_add_key(r->model, element, words, tn_node_place(item));
}

static tn_status read_functions(const tn_reader *r, const tn_node *node, const char *what,
                                const char *unit, bool planar, tn_function out[3])
{
    static const char *const component[] = {"x", "y", "z"};
    if (node->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(r->doc, node, what, "a list of 3 functions of time");
    if (node->count != 3 && !(planar && node->count == 2))
        return tn_node_fail(r->doc, node, TN_ERR_MODEL, "%s: expected %s functions, found %d%s",
                            what, planar ? "2 or 3" : "3", node->count, comma_hint(node));
    for (int i = 0; i < node->count; i++) {
        char words[700];
        snprintf(words, sizeof(words), "%s %s", what, component[i]);
        TN_TRY(note_item(r, node->children[i], what, component[i]));
        TN_TRY(read_function(r, node->children[i], words, unit, &out[i]));
    }
    return TN_OK;
}

static tn_status unknown_name(const tn_reader *r, const tn_node *node, const char *what,
                              const char *list, const tn_table *names)
{
    return tn_node_fail(r->doc, node, TN_ERR_MODEL, "%s: unknown %s %s; %s", what, list,
                        tn_node_found(node).text, tn_table_hint(names, node->text).text);
}

tn_status tn_read_body_name(const tn_reader *r, const tn_node *node, const char *what, tn_body *out)
{
    if (node->kind != TN_NODE_SCALAR)
        return tn_node_expected(r->doc, node, what, "the name of a body");
    TN_TRY(tn_node_resolve(r->doc, node, TN_PART_NAME));
    *out = tn_model_find_body(r->model, node->text);
    return out->index >= 0 ? TN_OK : unknown_name(r, node, what, "body", r->model->body_names);
}

// Kinds without coordinates are refused before they are read: that ends every chain of references
// at its second joint.
static tn_status check_has_coordinate(const tn_reader *r, const tn_node *node, const char *what,
                                      int place)
{
    const tn_node *map = r->joints->children[place];
    const tn_node *kind = map->kind == TN_NODE_MAP ? tn_node_get(map, "kind") : NULL;
    const int number =
        kind && kind->kind == TN_NODE_SCALAR ? tn_find_kind(TN_FAMILY_JOINT, kind->text) : -1;
    if (number < 0 || tn_joint_ops_of(number)->ncoord > 0)
        return TN_OK;
    return tn_node_fail(r->doc, node, TN_ERR_MODEL,
                        "%s: '%s' is of kind %s, which has no coordinate to refer to", what,
                        node->text, tn_joint_ops_of(number)->name);
}

tn_status tn_read_joint_name(tn_reader *r, const tn_node *node, const char *what, tn_joint *out)
{
    TN_TRY(tn_node_resolve(r->doc, node, TN_PART_NAME));
    const int place = node->kind == TN_NODE_SCALAR ? tn_table_find(r->joint_names, node->text) : -1;
    if (place >= 0)
        TN_TRY(check_has_coordinate(r, node, what, place));
    return tn_read_any_joint(r, node, what, out);
}

tn_status tn_read_any_joint(tn_reader *r, const tn_node *node, const char *what, tn_joint *out)
{
    if (node->kind != TN_NODE_SCALAR)
        return tn_node_expected(r->doc, node, what, "the name of a joint");
    TN_TRY(tn_node_resolve(r->doc, node, TN_PART_NAME));
    const int place = tn_table_find(r->joint_names, node->text);
    if (place < 0)
        return unknown_name(r, node, what, "joint", r->joint_names);
    if (r->joint_ids[place] == TN_JOINT_READING)
        return tn_node_fail(r->doc, node, TN_ERR_MODEL, "%s: '%s' refers back to this joint", what,
                            node->text);
    if (r->joint_ids[place] == TN_JOINT_UNREAD)
        TN_TRY(tn_read_joint(r, place, r->joints));
    out->index = r->joint_ids[place];
    return TN_OK;
}

tn_status tn_read_coordinate(const tn_reader *r, const tn_node *node, const char *what,
                             tn_joint joint, int *out)
{
    const tn_joint_ops *ops = r->model->joints.at[joint.index].ops;
    const char *names[TN_JOINT_MAX_COORDS];
    char all[128];
    if (node->kind == TN_NODE_SCALAR)
        for (int i = 0; i < ops->ncoord; i++)
            if (strcmp(node->text, ops->coords[i].name) == 0) {
                *out = i;
                return TN_OK;
            }
    if (node->kind != TN_NODE_SCALAR || tn_node_is_number(node))
        return read_integer(r, node, what, out);
    for (int i = 0; i < ops->ncoord; i++)
        names[i] = ops->coords[i].name;
    tn_list_names(ops->ncoord, names, sizeof all, all);
    return tn_node_fail(
        r->doc, node, TN_ERR_MODEL, "%s: joint '%s' has no coordinate %s; a %s joint has %s", what,
        tn_model_joint_name(r->model, joint), tn_node_found(node).text, ops->name, all);
}

static tn_status read_choice(const tn_reader *r, const tn_node *node, const char *what,
                             const char *const *choices, int *out)
{
    int n = 0;
    if (node->kind != TN_NODE_SCALAR)
        return tn_node_expected(r->doc, node, what, "a name");
    for (; choices[n]; n++)
        if (strcmp(choices[n], node->text) == 0) {
            *out = n;
            return TN_OK;
        }
    return tn_node_fail(r->doc, node, TN_ERR_MODEL, "%s: unknown %s; %s", what,
                        tn_node_found(node).text, tn_name_hint(node->text, n, choices).text);
}

static tn_status read_text(const tn_reader *r, const tn_node *node, const char *what,
                           const tn_param *p, const char **out)
{
    int ignored = 0;
    if (p->choices)
        TN_TRY(read_choice(r, node, what, p->choices, &ignored));
    if (p->role == TN_ROLE_EXPRESSION || p->role == TN_ROLE_CURVE || p->role == TN_ROLE_FILE)
        TN_TRY(tn_node_resolve(r->doc, node,
                               p->role == TN_ROLE_FILE    ? TN_PART_FILE
                               : p->role == TN_ROLE_CURVE ? TN_PART_CURVE
                                                          : TN_PART_NUMBER));
    return tn_node_string(r->doc, node, what, out);
}

bool tn_param_is_coordinate(const tn_param *p)
{
    return p->type == TN_PARAM_INTEGER && strstr(p->name, "coordinate") != NULL;
}

// The coordinate belongs to the joint key of the same rank: the first to the first, and so on.
static tn_status read_joint_coordinate(const tn_element *e, int n, const tn_param *params,
                                       const tn_param *p, void *def)
{
    const tn_reader *r = e->reader;
    const tn_joint *joint = NULL;
    int rank = 0;
    for (const tn_param *q = params; q < p; q++)
        rank += tn_param_is_coordinate(q);
    for (int i = 0; i < n; i++)
        if (params[i].type == TN_PARAM_JOINT && rank-- == 0)
            joint = (const tn_joint *)((const char *)def + params[i].offset);
    TN_ASSERT(joint);
    return tn_read_coordinate(r, tn_element_get(e, p->name), tn_element_words(e, p->name).text,
                              *joint, (int *)((char *)def + p->offset));
}

tn_status tn_param_is_live(const tn_reader *r, const tn_param *p, const tn_node *node, bool *out)
{
    double value;
    *out = false;
    if (!p->affine || !node || !tn_node_is_expression(node))
        return TN_OK;
    TN_TRY(tn_node_resolve(r->doc, node, TN_PART_NUMBER));
    const tn_status number = tn_model_value(r->model, node->text, &value);
    if (number == TN_OK || number == TN_ERR_MEMORY)
        return number;
    return tn_is_changing_expression(r->model, node->text, out);
}

// Reports a text that cannot be read, and is more than a word, as an expression of the state.
static tn_status read_live_number(const tn_reader *r, const tn_param *p, const tn_node *node,
                                  const char *what, const char *unit, double *out)
{
    bool live, names;
    const bool text = p->affine && tn_node_is_expression(node);
    TN_TRY(text ? tn_node_resolve(r->doc, node, TN_PART_NUMBER) : TN_OK);
    const tn_status value = text ? tn_model_value(r->model, node->text, out) : TN_ERR_MODEL;
    if (value == TN_OK || value == TN_ERR_MEMORY)
        return value;
    TN_TRY(tn_param_is_live(r, p, node, &live));
    if (live)
        return TN_OK;
    if (text && !is_word(node->text) &&
        tn_read_state_expression(r->model, node->text, &names) == TN_ERR_MODEL)
        return fail_in_text(r, node, what);
    return tn_read_number(r, node, what, unit, out);
}

// Frames stand for their bodies where the point that is meant moves with them.
static tn_status read_body_or_frame(const tn_reader *r, const tn_node *node, const char *what,
                                    const char *key, tn_body *out)
{
    const tn_frame *on = NULL;
    TN_TRY(tn_read_place_name(r, node, what, out, &on));
    if (!on || strcmp(key, "of") == 0)
        return TN_OK;
    return tn_node_fail(r->doc, node, TN_ERR_MODEL, "%s: '%s' is a frame; name its body, '%s'",
                        what, node->text, tn_model_body_name(r->model, *out));
}

static tn_status read_param(const tn_element *e, const tn_param *p, const char *along,
                            const tn_node *node, void *def)
{
    const tn_reader *r = e->reader;
    const bool angle = along && strcmp(along, "rad") == 0;
    char chosen[2][TN_UNIT_SIZE];
    const char *unit = p->unit;
    void *at = (char *)def + p->offset;
    if (along || p->type == TN_PARAM_TABLE)
        unit = tn_unit_chosen(p->unit, angle, 0, chosen[0]);
    if (p->type == TN_PARAM_VEC3)
        return tn_element_vector(e, p->name, unit, e->planar, at);
    const tn_words words = tn_element_words(e, p->name);
    const char *what = words.text;
    switch (p->type) {
    case TN_PARAM_NUMBER:
        if (p->zero && node->kind == TN_NODE_SCALAR && strcmp(node->text, p->zero) == 0) {
            *(double *)at = 0.0;
            return TN_OK;
        }
        return read_live_number(r, p, node, what, unit, at);
    case TN_PARAM_INTEGER:
        return read_integer(r, node, what, at);
    case TN_PARAM_BOOL:
        return tn_node_bool(r->doc, node, what, at);
    case TN_PARAM_VEC3:
        break; // above
    case TN_PARAM_ROTATION:
        return tn_read_rotation(e, p->name, at);
    case TN_PARAM_FUNCTION:
        return read_function(r, node, what, unit, at);
    case TN_PARAM_FUNCTION3:
        return read_functions(r, node, what, unit, e->planar, at);
    case TN_PARAM_BODY:
        return read_body_or_frame(r, node, what, p->name, at);
    case TN_PARAM_JOINT:
        return tn_read_joint_name(e->reader, node, what, at);
    case TN_PARAM_TABLE: {
        const double **x = tn_param_pointers(at);
        const char *units[2] = {unit, tn_unit_chosen(p->unit, angle, 1, chosen[1])};
        return read_table(r, node, what, units, at, &x[0], &x[1]);
    }
    case TN_PARAM_CHOICE:
        return read_choice(r, node, what, p->choices, at);
    case TN_PARAM_TEXT:
        return read_text(r, node, what, p, at);
    case TN_PARAM_NUMBERS:
        return read_numbers(r, node, what, unit, at, tn_param_pointers(at));
    }
    return TN_OK;
}

static tn_status read_or_miss(const tn_element *e, const tn_param *p, const char *along, void *def)
{
    const tn_node *node = tn_element_get(e, p->name);
    if (!node && p->required)
        return tn_element_fail(e, "missing key '%s': %s%s%s%s", p->name, p->text,
                               *p->unit ? " [" : "", p->unit, *p->unit ? "]" : "");
    if (!node)
        return TN_OK;
    if (p->given)
        *(bool *)((char *)def + p->given) = true;
    return read_param(e, p, along, node, def);
}

const char *tn_coordinate_unit(const tn_model *model, tn_joint joint, int coordinate)
{
    if (joint.index < 0 || joint.index >= model->joints.count || coordinate < 0)
        return NULL; // reported elsewhere
    const tn_joint_ops *ops = model->joints.at[joint.index].ops;
    return coordinate < ops->ncoord ? ops->coords[coordinate].unit
                                    : "rad"; // of a ball in the plane
}

// Unit of the coordinate that a table of parameters names first.
static const char *first_coordinate_unit(const tn_reader *r, int n, const tn_param *params,
                                         const void *def)
{
    tn_joint joint = {-1};
    int coordinate = 0;
    for (int i = n; i-- > 0;) {
        const void *at = (const char *)def + params[i].offset;
        if (params[i].type == TN_PARAM_JOINT)
            joint = *(const tn_joint *)at;
        if (tn_param_is_coordinate(&params[i]))
            coordinate = *(const int *)at;
    }
    return tn_coordinate_unit(r->model, joint, coordinate);
}

tn_status tn_read_params(const tn_element *e, int n, const tn_param *params, void *def)
{
    const char *along = e->along;
    bool joints = false;
    for (int i = 0; i < n; i++)
        if (params[i].type == TN_PARAM_JOINT) {
            joints = true;
            TN_TRY(read_or_miss(e, &params[i], along, def));
        }
    for (int i = 0; joints && i < n; i++) // needs the joints, which are read now
        if (tn_param_is_coordinate(&params[i]) && tn_element_get(e, params[i].name))
            TN_TRY(read_joint_coordinate(e, n, params, &params[i], def));
    if (joints && !along)
        along = first_coordinate_unit(e->reader, n, params, def);
    for (int i = 0; i < n; i++)
        if (params[i].type != TN_PARAM_JOINT && !tn_param_is_coordinate(&params[i]))
            TN_TRY(read_or_miss(e, &params[i], along, def));
    return TN_OK;
}
