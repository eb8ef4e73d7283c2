// SPDX-License-Identifier: MIT
//
// The reference page of the model format and the help on one kind, written from the parameter
// tables and the key lists of the reader.

#include "tenon/help.h"

#include "file/page_asset.h"
#include "flex/beam.h"
#include "flex/modal_body.h"
#include "kinds/family.h"
#include "kinds/own.h"
#include "model/block.h"
#include "model/model.h"
#include "model/output.h"
#include "read/model_yaml.h"
#include "text/buffer.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    tn_buffer out;
    bool markdown; // tables for the page, aligned columns for the terminal otherwise
} text;

static const char REQUIRED[] = "required";

#define put(t, ...) tn_buffer_format(&(t)->out, __VA_ARGS__)

static void table_head(text *t, bool with_defaults)
{
    if (t->markdown && with_defaults)
        put(t, "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
    else if (t->markdown)
        put(t, "| key | value | unit | meaning |\n|---|---|---|---|\n");
}

// `fallback` is NULL in tables without defaults.
static void table_row(text *t, const char *name, const char *type, const char *unit,
                      const char *fallback, const char *meaning)
{
    if (t->markdown) {
        put(t, "| `%s` | %s | %s | %s%s%s |\n", name, type, unit, fallback ? fallback : "",
            fallback ? " | " : "", meaning);
        return;
    }
    const bool required = fallback && strcmp(fallback, REQUIRED) == 0;
    const bool stated = fallback && *fallback;
    put(t, "  %-20s  %s%s%s%s\n", name, meaning, *unit ? " [" : "", unit, *unit ? "]" : "");
    put(t, "  %-20s    %s%s%s\n", "", type,
        required ? ", "
        : stated ? ", default "
                 : "",
        stated ? fallback : "");
}

static void key_rows(text *t, tn_key_list keys, const char *fallback)
{
    for (int i = 0; i < keys.count; i++)
        table_row(t, keys.at[i].name, keys.at[i].type, keys.at[i].unit, fallback, keys.at[i].text);
}

static const char *list_number(char *buffer, size_t size, double value)
{
    if (isnan(value))
        return ""; // the text says what happens when it is left out
    if (!isfinite(value))
        return "none";
    snprintf(buffer, size, "%g", value);
    return buffer;
}

// Text of the value that a definition struct with defaults holds for a parameter.
static const char *default_text(const tn_param *p, const void *def, char *buffer, size_t size)
{
    const void *at = (const char *)def + p->offset;
    if (p->required)
        return REQUIRED;
    if (p->given)
        return "";
    switch (p->type) {
    case TN_PARAM_NUMBER:
        if (p->range == TN_POSITIVE && *(const double *)at <= 0.0)
            return ""; // the text says what happens when it is left out
        return list_number(buffer, size, *(const double *)at);
    case TN_PARAM_INTEGER:
        snprintf(buffer, size, "%d", *(const int *)at);
        return buffer;
    case TN_PARAM_BOOL:
        return *(const bool *)at ? "true" : "false";
    case TN_PARAM_VEC3: {
        const tn_vec3 *v = at;
        snprintf(buffer, size, "[%g, %g, %g]", v->x, v->y, v->z);
        return buffer;
    }
    case TN_PARAM_FUNCTION:
    case TN_PARAM_FUNCTION3:
        return "0";
    case TN_PARAM_TEXT:
        snprintf(buffer, size, "%s", *(const char *const *)at ? *(const char *const *)at : "");
        return buffer;
    default:
        return "";
    }
}

static void write_params(text *t, int n, const tn_param *params, const void *def)
{
    table_head(t, true);
    for (int i = 0; i < n; i++) {
        const tn_param *p = &params[i];
        const bool bounded = p->range != TN_ANY && p->range != TN_UNBOUNDED;
        char fallback[128], meaning[512];
        snprintf(meaning, sizeof(meaning), "%s%s%s", p->text, bounded ? "; " : "",
                 bounded ? tn_range_text(p->range) : "");
        table_row(t, p->name,
                  tn_param_is_coordinate(p) ? "whole number or name" : tn_param_type_text(p->type),
                  p->unit, default_text(p, def, fallback, sizeof(fallback)), meaning);
    }
}

static void heading(text *t, const char *list, const char *name, const char *words)
{
    if (t->markdown)
        put(t, "### %s\n\n%c%s.\n\n", name, toupper((unsigned char)words[0]), words + 1);
    else
        put(t, "%s%s %s: %s\n\n", t->out.length ? "\n" : "", list, name, words);
}

static void write_body(text *t, int kind)
{
    const tn_body_def def = tn_default_body();
    const tn_body_ops *ops = tn_body_ops_of(kind);
    const int split = tn_body_property_count(ops);
    heading(t, "body", ops->name, ops->text);
    write_params(t, split, ops->params, &def);
    if (!t->markdown)
        key_rows(t, tn_keys_body, NULL);
    put(t, "\nIn `initial`:\n\n");
    write_params(t, ops->nparam - split, ops->params + split, &def);
    key_rows(t, tn_keys_body_start, "");
    if (ops->turns == 1)
        key_rows(t, tn_keys_planar_start, "");
    put(t, t->markdown ? "\n" : "");
    if (t->markdown)
        return;
    put(t, "\nIn the list `shapes`, of kinds that have help of their own:");
    for (int i = 0; tn_shape_ops_of(i); i++)
        put(t, "%s %s", i ? "," : "", tn_shape_ops_of(i)->name);
    put(t, ".\n");
}

static void write_beam(text *t)
{
    const tn_beam_def def = tn_default_beam();
    heading(t, "body", "beam", TN_BEAM_TEXT);
    put(t, "Its nodes are bodies, `NAME.start` or `NAME.0` to `NAME.end`; its elements are forces, "
           "`NAME.e1` on.\n\n");
    write_params(t, tn_beam_param_count, tn_beam_params, &def);
    key_rows(t, tn_keys_beam, t->markdown ? "" : NULL);
    put(t, "\nIn `section` and `end_section`:\n\n");
    write_params(t, tn_section_param_count, tn_section_params, &def.section);
    put(t, "\nIn `initial`:\n\n");
    write_params(t, tn_beam_start_param_count, tn_beam_start_params, &def);
    put(t, t->markdown ? "\n" : "");
}

static void write_modal(text *t)
{
    const tn_modal_def def = tn_default_modal();
    heading(t, "body", "modal", TN_MODAL_TEXT);
    put(t, "Its frame is the body `NAME`, its attachments are bodies `NAME.ATTACHMENT`, and its "
           "amplitudes are `NAME.q1` on.\n\n");
    write_params(t, tn_modal_param_count, tn_modal_params, &def);
    key_rows(t, tn_keys_modal, t->markdown ? "" : NULL);
    put(t, "\nIn `rod`:\n\n");
    write_params(t, tn_rod_param_count, tn_rod_params, &def.rod);
    key_rows(t, tn_keys_rod, t->markdown ? "" : NULL);
    put(t, "\nIn `initial`:\n\n");
    write_params(t, tn_modal_start_param_count, tn_modal_start_params, &def);
    key_rows(t, tn_keys_body_start, "");
    put(t, t->markdown ? "\n" : "");
}

// "Coordinates: angle [rad], displacement [m]."
static void write_coordinates(text *t, const tn_joint_ops *ops)
{
    if (ops->ncoord == 0)
        return;
    put(t, "Coordinates: ");
    for (int i = 0; i < ops->ncoord; i++)
        put(t, "%s%s [%s]", i ? ", " : "", ops->coords[i].name, ops->coords[i].unit);
    put(t, ".\n\n");
}

static void write_joint(text *t, int kind)
{
    const tn_joint_ops *ops = tn_joint_ops_of(kind);
    const tn_joint_def def = tn_default_joint((tn_joint_kind)kind);
    heading(t, ops->coupling ? "coupling" : "joint", ops->name, ops->text);
    write_coordinates(t, ops);
    if (t->markdown && ops->prescribe)
        put(t, "Placed by `body` and `at`, or by `frame_b`, as forces on one body are.\n\n");
    if (ops->planar)
        put(t, "Between planar bodies it becomes `%s`.\n\n", ops->planar->name);
    if (ops->nparam > 0) {
        write_params(t, ops->nparam, ops->params, &def);
        put(t, t->markdown ? "\n" : "");
    }
    if (t->markdown)
        return;
    key_rows(t, tn_joint_place_keys(ops), NULL);
    key_rows(t, tn_keys_joint, NULL);
    if (ops->ncoord > 0) {
        put(t, "\nIn `initial`; a list has one number for each coordinate of the joint:\n\n");
        key_rows(t, tn_keys_joint_start, NULL);
    }
}

static void write_force(text *t, int kind)
{
    const tn_force_ops *ops = tn_force_ops_of(kind);
    const tn_force_def def = tn_default_force((tn_force_kind)kind);
    heading(t, "force", ops->name, ops->text);
    if (t->markdown)
        put(t, "Placed by %s.\n\n",
            ops->on_joint ? "`joint` and `coordinate`"
            : ops->single ? "`body` and `at`, or by `frame_b`"
                          : "`bodies`, `at_a` and `at_b` (or `at` and `axis`), or by frames");
    write_params(t, ops->nparam, ops->params, &def);
    put(t, t->markdown ? "\n" : "");
    if (t->markdown)
        return;
    key_rows(t, tn_force_place_keys(ops), NULL);
    key_rows(t, tn_keys_force, NULL);
}

static void write_shape(text *t, int kind)
{
    const tn_shape_ops *ops = tn_shape_ops_of(kind);
    const tn_shape_def def = tn_default_shape((tn_shape_kind)kind);
    heading(t, "shape", ops->name, ops->text);
    write_params(t, ops->nparam, ops->params, &def);
    put(t, t->markdown ? "\n" : "");
    if (!t->markdown)
        key_rows(t, tn_keys_shape, NULL);
}

static void write_block(text *t, int kind)
{
    const tn_block_ops *ops = tn_block_ops_of(kind);
    const tn_block_def def = tn_default_block((tn_block_kind)kind);
    heading(t, "block", ops->name, ops->text);
    write_params(t, ops->nparam, ops->params, &def);
    put(t, t->markdown ? "\n" : "");
}

static void write_function(text *t, int kind)
{
    const tn_own_kind *own = &tn_own_function_table(kind + 1)->kind;
    tn_own_values defaults = {0};

    heading(t, "function", own->name, own->text);
    tn_params_default(own->nparam, own->params, &defaults);
    write_params(t, own->nparam, own->params, &defaults);
}

static void (*const writers[TN_FAMILY_COUNT])(text *, int) = {
    write_body, write_joint, write_force, write_shape, write_block, write_function};

static void write_simulate(text *t)
{
    const tn_simulate simulate = tn_default_simulate();
    if (!t->markdown)
        put(t, "simulate: how to simulate, unless the caller says otherwise\n\n");
    write_params(t, tn_simulate_param_count, tn_simulate_params, &simulate);
}

#define WRITE_PLAIN(name)                                                   \
    static void write_##name##s(text *t)                                    \
    {                                                                       \
        const tn_##name##_def def = tn_default_##name();                    \
        write_params(t, tn_##name##_param_count, tn_##name##_params, &def); \
        put(t, "\n");                                                       \
    }                                                                       \
    struct write_plain // asks for the semicolon

WRITE_PLAIN(event);
WRITE_PLAIN(output);
WRITE_PLAIN(input);

// The page is texts/reference.md, in which these lines stand for tables: of keys, of all kinds of a
// family, or of other parameters.
static const struct {
    const char *line;
    const tn_key_list *keys;
    void (*write)(text *t);
    tn_family family;
} tables[] = {
    {"@file-keys", .keys = &tn_keys_file},
    {"@rotation-keys", .keys = &tn_keys_rotation},
    {"@body-keys", .keys = &tn_keys_body},
    {"@joint-keys", .keys = &tn_keys_joint},
    {"@joint-start-keys", .keys = &tn_keys_joint_start},
    {"@pair-keys", .keys = &tn_keys_pair},
    {"@frame-keys", .keys = &tn_keys_frame},
    {"@force-keys", .keys = &tn_keys_force},
    {"@single-keys", .keys = &tn_keys_single},
    {"@on-joint-keys", .keys = &tn_keys_on_joint},
    {"@named-frame-keys", .keys = &tn_keys_named_frame},
    {"@shape-keys", .keys = &tn_keys_shape},
    {"@repeat-keys", .keys = &tn_keys_repeat},
    {"@assembly-keys", .keys = &tn_keys_assembly},
    {"@table-keys", .keys = &tn_keys_table},
    {"@state-keys", .keys = &tn_keys_state},
    {"@unknown-keys", .keys = &tn_keys_unknown},
    {"@sampled-keys", .keys = &tn_keys_sampled},
    {"@events", .write = write_events},
    {"@inputs", .write = write_inputs},
    {"@outputs", .write = write_outputs},
    {"@simulate", .write = write_simulate},
    {"@body-kinds", .family = TN_FAMILY_BODY},
    {"@beam", .write = write_beam},
    {"@modal", .write = write_modal},
    {"@joint-kinds", .family = TN_FAMILY_JOINT},
    {"@force-kinds", .family = TN_FAMILY_FORCE},
    {"@shape-kinds", .family = TN_FAMILY_SHAPE},
    {"@block-kinds", .family = TN_FAMILY_BLOCK},
};

static void write_table(text *t, int k)
{
    if (tables[k].write) {
        tables[k].write(t);
    } else if (tables[k].keys) {
        table_head(t, false);
        key_rows(t, *tables[k].keys, NULL);
        put(t, "\n");
    } else {
        for (int i = 0; tn_kind_name(tables[k].family, i); i++)
            writers[tables[k].family](t, i);
    }
}

static void write_line(text *t, const char *line, size_t length)
{
    for (int k = 0; *line == '@' && k < TN_COUNT(tables); k++)
        if (strlen(tables[k].line) == length && strncmp(line, tables[k].line, length) == 0) {
            write_table(t, k);
            return;
        }
    put(t, "%.*s\n", (int)length, line);
}

tn_status tn_help_reference(char **out)
{
    text t = {.markdown = true};
    TN_NEED(out, TN_ERR_USAGE);
    for (const char *line = (const char *)tn_reference_asset; *line;) {
        const size_t length = strcspn(line, "\n");
        write_line(&t, line, length);
        line += length + (line[length] == '\n');
    }
    return tn_buffer_finish(&t.out, "help", out);
}

const char *tn_help_kind(int i)
{
    for (int family = 0; i >= 0 && family < TN_FAMILY_COUNT; family++)
        for (int kind = 0; tn_kind_name((tn_family)family, kind); kind++)
            if (i-- == 0)
                return tn_kind_name((tn_family)family, kind);
    return NULL;
}

enum { NAMES_MAX = 256 }; // that a name which is not known is compared with

tn_status tn_help_text(const char *kind, char **out)
{
    const char *names[NAMES_MAX];
    text t = {0};
    int n = 0;
    TN_NEED_ALL(TN_ERR_USAGE, kind, out);
    *out = NULL;
    for (int family = 0; family < TN_FAMILY_COUNT; family++)
        for (int i = 0; tn_kind_name((tn_family)family, i) && n < NAMES_MAX - 3; i++)
            if (strcmp(names[n++] = tn_kind_name((tn_family)family, i), kind) == 0)
                writers[family](&t, i);
    if (strcmp(names[n++] = "beam", kind) == 0)
        write_beam(&t);
    if (strcmp(names[n++] = "modal", kind) == 0)
        write_modal(&t);
    if (strcmp(names[n++] = "simulate", kind) == 0)
        write_simulate(&t);
    if (t.out.length > 0 || t.out.failed)
        return tn_buffer_finish(&t.out, "help", out);
    return tn_fail(TN_ERR_USAGE, "no kind of body, joint, force or shape is called '%s'; %s", kind,
                   tn_name_hint(kind, n, names).text);
}
