// SPDX-License-Identifier: MIT
//
// Model files as a whole: the version, then parameters, tables, inputs, the ground, bodies, joints,
// forces and the simulate block, in this order wherever they stand in the file. The format is
// described in docs/formats/model.md, which is generated from the same tables that the reader uses.

#include "read/model_yaml.h"

#include "base/alloc.h"
#include "model/builder.h"
#include "model/model_kinks.h"
#include "read/parts.h"
#include "text/measure.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Sections that are left out count as empty; out->kind is then TN_NODE_NULL.
static tn_status get_section(const tn_reader *r, const char *name, const tn_node **out)
{
    static const tn_node empty = {.kind = TN_NODE_NULL};
    const tn_node *node = tn_node_get(r->doc->root, name);
    *out = node ? node : &empty;
    return (*out)->kind == TN_NODE_MAP || (*out)->kind == TN_NODE_NULL
               ? TN_OK
               : tn_node_expected(r->doc, node, name, "a map");
}

static void spoil(tn_mistakes *m, const tn_node *element)
{
    if (element && m->nspoiled < TN_MOST_SPOILED)
        m->spoiled[m->nspoiled++] = element;
}

// Returns true if the location of the last error was reported: copies of a part share mistakes.
static bool is_of_copy(const tn_reader *r)
{
    const char *error = tn_last_error(), *end = strstr(error, ": ");
    const size_t n = end ? (size_t)(end - error) + 2 : 0;
    for (const char *line = r->mistakes.text; r->doc->nsource > 0 && n > 0 && line && *line;) {
        if (strncmp(line, error, n) == 0)
            return true;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return false;
}

void tn_keep_mistake(tn_reader *r)
{
    tn_mistakes *m = &r->mistakes;
    const size_t used = strlen(m->text);
    if (!strcmp(m->last, tn_last_error()) || strstr(m->text, tn_last_error()) || is_of_copy(r))
        return;
    snprintf(m->last, sizeof(m->last), "%s", tn_last_error());
    if (m->count++ < TN_MOST_MISTAKES)
        snprintf(m->text + used, sizeof(m->text) - used, "%s%s", used ? "\n" : "", m->last);
}

// Notes the mistake in an element and goes on, unless there are enough of them or memory is short.
// One that was reported for another element already, which this one refers to, counts once.
static tn_status go_on(tn_reader *r, const tn_node *element, tn_status status)
{
    tn_mistakes *m = &r->mistakes;
    if (status == TN_OK || status == TN_ERR_MEMORY)
        return status;
    spoil(m, element);
    tn_keep_mistake(r);
    tn_model_forget_error(r->model);
    return m->count < TN_MOST_COUNTED ? TN_OK : TN_ERR_MODEL;
}

static bool names_spoiled(const tn_mistakes *m, const tn_node *node)
{
    for (int i = 0; node->kind == TN_NODE_SCALAR && i < m->nspoiled; i++)
        if (tn_part_may_name(node, m->spoiled[i]->text))
            return true;
    for (int i = 0; i < node->count; i++)
        if (names_spoiled(m, node->children[i]))
            return true;
    return false;
}

// Elements that refer to what could not be read have mistakes that are none of theirs; what refers
// to them is left out as well.
static bool is_spoiled(tn_reader *r, const tn_node *key, const tn_node *node)
{
    if (r->mistakes.nspoiled == 0 || !names_spoiled(&r->mistakes, node))
        return false;
    spoil(&r->mistakes, key);
    return true;
}

tn_status tn_check_version(const tn_document *doc)
{
    const tn_node *root = doc->root;
    int version = 0;
    if (root->kind != TN_NODE_MAP)
        return tn_node_fail(doc, root, TN_ERR_MODEL,
                            "expected a map that begins with 'tenon: %d', found %s",
                            TN_FORMAT_VERSION, tn_node_found(root).text);
    const tn_node *tenon = tn_node_get(root, "tenon");
    if (!tenon)
        return tn_node_fail(doc, root, TN_ERR_MODEL,
                            "missing key 'tenon', the version of the format; write 'tenon: %d'",
                            TN_FORMAT_VERSION);
    TN_TRY(tn_node_integer(doc, tenon, "tenon", &version));
    if (version > TN_FORMAT_VERSION)
        return tn_node_fail(doc, tenon, TN_ERR_MODEL,
                            "tenon: format version %d is newer than %d, the newest that Tenon %s "
                            "reads",
                            version, TN_FORMAT_VERSION, tn_version());
    if (version < 1)
        return tn_node_fail(doc, tenon, TN_ERR_MODEL,
                            "tenon: there is no format version %d; the first is 1", version);
    return TN_OK;
}

static tn_status check_root(tn_reader *r)
{
    const tn_node *root = r->doc->root;
    tn_element e = {.reader = r, .key = root, .map = root};
    TN_TRY(tn_check_version(r->doc));
    return go_on(r, NULL, TN_CHECK_KEYS(&e, 0, NULL, tn_keys_file));
}

static tn_status read_head(tn_reader *r)
{
    const tn_node *root = r->doc->root;
    const tn_node *name = tn_node_get(root, "name");
    const tn_node *gravity = tn_node_get(root, "gravity");
    const char *ignored = NULL;
    tn_vec3 g = {0};
    if (name)
        TN_TRY(tn_node_string(r->doc, name, "name", &ignored));
    if (gravity)
        TN_TRY(tn_read_vector(r, gravity, "gravity", "m/s^2", true, &g));
    tn_model_set_gravity(r->model, g);
    return TN_OK;
}

bool tn_text_uses(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at++) {
        const unsigned char before = at > text ? (unsigned char)at[-1] : ' ', behind = at[n];
        if (!isalnum(before) && !strchr("_.'\"", before) && !isalnum(behind) &&
            (behind == '\0' || !strchr("_.'\"", behind)))
            return true;
    }
    return false;
}

// Another value of a parameter than that of the file, where one is wanted.
static tn_status read_other_value(const tn_reader *r, const tn_node *section, int place,
                                  double *value)
{
    const char *name = section->keys[place]->text;
    for (int i = 0; i < r->nvalue; i++) {
        const tn_parameter_value *v = &r->values[i];
        if (strcmp(v->name, name) != 0)
            continue;
        *value = v->value;
        const tn_status s = !v->expression ? TN_OK
                            : tn_measure_is_one(v->expression)
                                ? tn_measure_read(v->expression, NULL, value)
                                : tn_model_value(r->model, v->expression, value);
        if (s == TN_OK || s == TN_ERR_MEMORY)
            return s;
        for (int k = place + 1; k < section->count; k++)
            if (tn_text_uses(v->expression, section->keys[k]->text))
                return tn_fail(TN_ERR_USAGE,
                               "parameter '%s' = %s: '%s' stands behind it, at %s:%d:%d; a "
                               "parameter may use those before it",
                               name, v->expression, section->keys[k]->text,
                               tn_node_file(r->doc, section->keys[k]), section->keys[k]->line,
                               section->keys[k]->column);
        return tn_fail(TN_ERR_USAGE, "parameter '%s' = %s: %s", name, v->expression,
                       tn_last_error());
    }
    return TN_OK;
}

static tn_status check_other_values(const tn_reader *r, const tn_node *section)
{
    for (int i = 0; i < r->nvalue; i++) {
        const char *name = r->values[i].name, *known[32];
        int n = 0;
        if (tn_node_get(section, name))
            continue;
        for (; n < section->count && n < TN_COUNT(known); n++)
            known[n] = section->keys[n]->text;
        if (n > 0)
            return tn_fail_unknown("parameter", name, n, known);
        return tn_fail(TN_ERR_USAGE, "the model has no parameter '%s': it states none", name);
    }
    return TN_OK;
}

// A name that a parameter cannot use yet: parameters that need each other stop here, too.
static tn_status tell_order(const tn_reader *r, const tn_node *section, int i, tn_status s)
{
    const tn_node *value = section->children[i];
    if (s != TN_ERR_MODEL || !strstr(tn_last_error(), "unknown name '") ||
        value->kind != TN_NODE_SCALAR)
        return s;
    for (int k = 0; k < section->count; k++) {
        const tn_node *key = section->keys[k];
        if (!tn_text_uses(value->text, key->text))
            continue;
        if (k < i && tn_table_find(r->model->parameter_names, key->text) >= 0) // is known
            continue;
        if (k < i) // its own mistake was reported
            return tn_fail(s, "%s", r->mistakes.last);
        if (k == i)
            return tn_node_fail(r->doc, value, s,
                                "parameter '%s' is made of itself; a parameter may use those that "
                                "stand before it",
                                key->text);
        return tn_node_fail(r->doc, value, s,
                            "parameter '%s' needs '%s', which stands behind it, at %s:%d:%d; a "
                            "parameter may use those before it",
                            section->keys[i]->text, key->text, tn_node_file(r->doc, key), key->line,
                            key->column);
    }
    return s;
}

static tn_status read_parameters(tn_reader *r)
{
    const tn_node *section = NULL;
    TN_TRY(get_section(r, "parameters", &section));
    TN_TRY(check_other_values(r, section));
    for (int i = 0; i < section->count; i++) {
        const tn_node *key = section->keys[i];
        tn_element e = {.reader = r, .key = key, .map = section};
        double value = 0.0;
        snprintf(e.owner, sizeof(e.owner), "parameter '%s'", key->text);
        tn_status s = tn_place_add(r->model, e.owner, tn_key_place(key));
        TN_THEN(s, tell_order(r, section, i,
                              tn_read_number(r, section->children[i], e.owner, NULL, &value)));
        TN_TRY(read_other_value(r, section, i, &value));
        TN_THEN(s, tn_element_locate(&e, tn_model_set_parameter(r->model, key->text, value)));
        TN_TRY(go_on(r, key, s));
    }
    return r->mistakes.count > 0 ? TN_ERR_MODEL : TN_OK; // any number may use them
}

// In the order of the file, except that a joint which another one refers to comes before it.
static tn_status read_joints(tn_reader *r)
{
    TN_TRY(get_section(r, "joints", &r->joints));
    TN_TRY(tn_table_create(&r->joint_names));
    tn_table_borrow(r->joint_names); // of the document
    r->joint_ids = tn_alloc((size_t)(r->joints->count + 1) * sizeof(int));
    TN_TRY(tn_got(r->joint_ids));
    for (int i = 0; i < r->joints->count; i++) {
        TN_TRY(tn_table_add(r->joint_names, r->joints->keys[i]->text, i));
        r->joint_ids[i] = TN_JOINT_UNREAD;
    }
    for (int i = 0; i < r->joints->count; i++)
        if (r->joint_ids[i] == TN_JOINT_UNREAD &&
            !is_spoiled(r, r->joints->keys[i], r->joints->children[i]))
            TN_TRY(go_on(r, r->joints->keys[i], tn_read_joint(r, i, r->joints)));
    return TN_OK;
}

// The elements of a section.
static tn_status read_list(tn_reader *r, const char *name,
                           tn_status (*read)(tn_reader *, int, const tn_node *))
{
    const tn_node *section = NULL;
    TN_TRY(get_section(r, name, &section));
    for (int i = 0; i < section->count; i++)
        if (!is_spoiled(r, section->keys[i], section->children[i]))
            TN_TRY(go_on(r, section->keys[i], read(r, i, section)));
    return TN_OK;
}

// A block of the file that is no list of elements.
static tn_status model_yaml_read_block(tn_reader *r, const char *name,
                                       tn_status (*read)(tn_reader *, const tn_node *,
                                                         const tn_node *))
{
    const tn_node *root = r->doc->root;
    for (int i = 0; i < root->count; i++)
        if (strcmp(root->keys[i]->text, name) == 0)
            return go_on(r, root->keys[i], read(r, root->keys[i], root->children[i]));
    return TN_OK;
}

// Motions that no drive can follow within the time of the run.
static tn_status check_drives(tn_reader *r)
{
    int joint = -1;
    if (r->mistakes.count > 0)
        return TN_OK;
    const tn_status s =
        tn_model_check_drives(r->model, r->simulate.options.t_start, r->simulate.t_end, &joint);
    for (int i = 0; s != TN_OK && i < r->joints->count; i++)
        if (r->joint_ids[i] == joint) {
            tn_element e = {.reader = r, .key = r->joints->keys[i], .map = r->joints->children[i]};
            snprintf(e.owner, sizeof(e.owner), "joint '%s'", r->joints->keys[i]->text);
            return tn_element_locate(&e, s);
        }
    return s;
}

// Names in expressions, once all elements are there.
static tn_status check_expressions(tn_reader *r)
{
    return r->mistakes.count > 0 ? TN_OK : tn_model_check(r->model);
}

static tn_status read_all(tn_reader *r)
{
    TN_TRY(check_root(r));
    TN_TRY(model_yaml_read_block(r, "plugins", tn_read_plugins));
    TN_TRY(read_parameters(r));
    TN_TRY(read_list(r, "tables", tn_read_table));
    TN_TRY(read_list(r, "inputs", tn_read_input));
    TN_TRY(read_head(r));
    TN_TRY(model_yaml_read_block(r, "ground", tn_read_ground));
    TN_TRY(read_list(r, "bodies", tn_read_body));
    TN_TRY(read_list(r, "frames", tn_read_named_frame));
    TN_TRY(read_joints(r));
    TN_TRY(read_list(r, "forces", tn_read_force));
    TN_TRY(read_list(r, "signals", tn_read_signal));
    TN_TRY(read_list(r, "states", tn_read_state));
    TN_TRY(read_list(r, "unknowns", tn_read_unknown));
    TN_TRY(read_list(r, "sampled", tn_read_sampled));
    TN_TRY(read_list(r, "blocks", tn_read_block));
    TN_TRY(read_list(r, "events", tn_read_event));
    TN_TRY(read_list(r, "outputs", tn_read_output));
    TN_TRY(model_yaml_read_block(r, "simulate", tn_read_simulate));
    TN_TRY(check_expressions(r));
    return check_drives(r);
}

// All mistakes as one text, a line each. One that ended the reading is the last of them.
static tn_status tell_mistakes(tn_reader *r, tn_status status)
{
    const bool other = status != TN_OK && status != TN_ERR_MODEL;
    if (status == TN_ERR_MEMORY || (other && r->mistakes.count == 0))
        return status;
    if (status != TN_OK)
        (void)go_on(r, NULL, status);
    TN_TRY(go_on(r, NULL, tn_parts_check_names(r->doc, r->mistakes.count > 0)));
    if (r->mistakes.count == 0)
        return TN_OK;
    if (r->mistakes.count <= TN_MOST_MISTAKES)
        return tn_fail(TN_ERR_MODEL, "%s", r->mistakes.text);
    return tn_fail(TN_ERR_MODEL, "%s\nand %s%d more", r->mistakes.text,
                   r->mistakes.count < TN_MOST_COUNTED ? "" : "at least ",
                   r->mistakes.count - TN_MOST_MISTAKES);
}

// Places may stand in other files than that of the model.
static tn_status open_places(tn_reader *r)
{
    TN_TRY(tn_place_open(r->model, r->doc->name));
    for (int i = 1; i < r->doc->nsource; i++)
        TN_TRY(tn_place_add_source(r->model, r->doc->sources[i].file, r->doc->sources[i].used));
    return TN_OK;
}

tn_status tn_model_from_plain(tn_document *doc, int nvalue, const tn_parameter_value *values,
                              bool over, tn_model **out, tn_simulate *simulate)
{
    tn_reader r = {.doc = doc,
                   .model = tn_model_create(),
                   .simulate = tn_default_simulate(),
                   .nvalue = nvalue,
                   .values = values,
                   .over = over};
    tn_status s = r.model ? open_places(&r) : TN_ERR_MEMORY;
    TN_THEN(s, tell_mistakes(&r, read_all(&r)));
    tn_table_destroy(r.joint_names);
    tn_table_destroy(r.frame_names);
    TN_FREE(r.joint_ids, r.frames);
    if (s != TN_OK) {
        tn_model_destroy(r.model);
        return s;
    }
    if (simulate)
        *simulate = r.simulate;
    *out = r.model;
    return TN_OK;
}

tn_status tn_model_from_document(tn_document *doc, int nvalue, const tn_parameter_value *values,
                                 tn_model **out, tn_simulate *simulate)
{
    tn_document *written = NULL;
    TN_TRY(tn_parts_write(doc, nvalue, values, &written));
    const tn_status s = tn_model_from_plain(written, nvalue, values, false, out, simulate);
    if (s == TN_OK && doc->note)
        tn_notes_add(&(*out)->notes, "%s", doc->note);
    tn_parts_done(doc, written);
    return s;
}

tn_status tn_model_load(const char *path, tn_model **out, tn_simulate *simulate)
{
    TN_NEED_ALL(TN_ERR_USAGE, path, out);
    return tn_model_load_with(path, 0, NULL, out, simulate);
}

tn_status tn_model_load_with(const char *path, int n, const tn_parameter_value *values,
                             tn_model **out, tn_simulate *simulate)
{
    TN_NEED_ALL(TN_ERR_USAGE, path, out);
    if (n > 0)
        TN_NEED(values, TN_ERR_USAGE);
    tn_document *doc = NULL;
    *out = NULL;
    TN_TRY(tn_document_read(path, &doc));
    const tn_status s = tn_model_from_document(doc, n, values, out, simulate);
    tn_document_destroy(doc);
    return s;
}

tn_status tn_model_parse(const char *text, const char *name, tn_model **out, tn_simulate *simulate)
{
    TN_NEED_ALL(TN_ERR_USAGE, text, name, out);
    tn_document *doc = NULL;
    *out = NULL;
    TN_TRY(tn_document_parse(text, strlen(text), name, &doc));
    const tn_status s = tn_model_from_document(doc, 0, NULL, out, simulate);
    tn_document_destroy(doc);
    return s;
}
