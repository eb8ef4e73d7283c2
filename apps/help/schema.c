// SPDX-License-Identifier: MIT
//
// The JSON Schema of model files, made from the tables that the reader uses.

#include "flex/beam.h"
#include "flex/modal_body.h"
#include "kinds/family.h"
#include "kinds/own.h"
#include "model/block.h"
#include "model/model.h"
#include "model/output.h"
#include "read/model_yaml.h"
#include "signal/curve.h"
#include "tenon/help.h"
#include "tenon/json.h"

#include <stdio.h>
#include <string.h>

// Kinds of values by the words that the reference page has for them, NULL for none, and their
// definitions: one or two JSON types, a list of `item`, of which one will do alone, or a map of
// them. Others are written below.
typedef enum value_form { OTHER, SCALAR, LIST, LIST_OR_ONE, MAP } value_form;

typedef struct value_kind {
    const char *words, *definition;
    value_form form;
    const char *item, *second; // of a scalar its types, else the definition of its items
    int least, most;           // items of a list; 0: any number
} value_kind;

static const value_kind value_kinds[] = {
    {"number", "number", SCALAR, "number", "string", 0, 0}, // expressions are strings
    {"expression", "expression", SCALAR, "string", "number", 0, 0},
    {"whole number", "integer", SCALAR, "integer", "string", 0, 0},
    {"true or false", "boolean", SCALAR, "boolean", NULL, 0, 0},
    {"text", "text", SCALAR, "string", "number", 0, 0}, // YAML reads names such as 1 as numbers
    {"name", "text", OTHER, NULL, NULL, 0, 0},
    {"name of a template", "text", OTHER, NULL, NULL, 0, 0},
    {"name of a body", "body-name", SCALAR, "string", "number", 0, 0},
    {"name of a joint", "joint-name", SCALAR, "string", "number", 0, 0},
    {"file", "file", SCALAR, "string", "number", 0, 0},
    {NULL, "curve", SCALAR, "string", "number", 0, 0}, // an expression of s, or of u and v
    {"whole number or name", "coordinate", SCALAR, "integer", "string", 0, 0},
    {"one or two names", "names", LIST_OR_ONE, "text", NULL, 1, 2},
    {"one name", "names", OTHER, NULL, NULL, 0, 0},
    {"list of files", "files", LIST, "text", NULL, 0, 0},
    {"file or list of files", "some-files", LIST_OR_ONE, "text", NULL, 1, 0},
    {"three numbers", "vector", LIST, "number", NULL, 2, 3},
    {"four numbers", "quaternion", LIST, "number", NULL, 4, 4},
    {"list of numbers", "numbers", LIST_OR_ONE, "number", NULL, 1, 0},
    {"number or list", "numbers", OTHER, NULL, NULL, 0, 0},
    {"number, or two", "numbers", OTHER, NULL, NULL, 0, 0},
    {NULL, "point", LIST, "number", NULL, 2, 2},
    {"list of [t, u] pairs", "points", LIST, "point", NULL, 2, 0},
    {"list of [x, f] pairs", "points", OTHER, NULL, NULL, 0, 0},
    {"list of [distance, mass]", "pairs", LIST, "point", NULL, 0, 0},
    {"list of points", "places", LIST, "vector", NULL, 0, 0},
    {"list of numbers or of rows", "rows", LIST, "numbers", NULL, 2, 0},
    {"number, expression in t or table", "function", OTHER, NULL, NULL, 0, 0},
    {"three numbers, expressions in t or tables", "functions", LIST, "function", NULL, 2, 3},
    {"rotation", "rotation", OTHER, NULL, NULL, 0, 0},
    {"list of shapes", "shapes", LIST, "shape", NULL, 0, 0},
    {"list of maps", "rod-shapes", LIST, "rod-shape", NULL, 1, 0},
    {"map of numbers", "parameters", MAP, "number", NULL, 0, 0},
    {"map of names", "other-names", MAP, "text", NULL, 0, 0},
    {"map of templates", "templates", MAP, "template", NULL, 0, 0},
    {"map of assemblies", "assemblies", MAP, "assembly", NULL, 0, 0},
    {"block or list of blocks", "repeat", LIST_OR_ONE, "repeated", NULL, 1, 0},
    {"map of bodies", "bodies", MAP, "body", NULL, 0, 0},
    {"map of frames", "named-frames", MAP, "named-frame", NULL, 0, 0},
    {"map of joints", "joints", MAP, "joint", NULL, 0, 0},
    {"map of forces", "forces", MAP, "force", NULL, 0, 0},
    {"map of events", "events", MAP, "event", NULL, 0, 0},
    {"map of inputs", "inputs", MAP, "input", NULL, 0, 0},
    {"map of tables", "tables", MAP, "table", NULL, 0, 0},
    {"map of expressions", "signals", MAP, "expression", NULL, 0, 0},
    {"map of states", "states", MAP, "state", NULL, 0, 0},
    {"map of unknowns", "unknowns", MAP, "unknown", NULL, 0, 0},
    {"map of sampled systems", "sampled", MAP, "sampler", NULL, 0, 0},
    {"map of blocks", "blocks", MAP, "block", NULL, 0, 0},
    {"map of outputs", "outputs", MAP, "output", NULL, 0, 0},
};

static const char *definition_of(const char *words)
{
    for (int i = 0; i < TN_COUNT(value_kinds); i++)
        if (value_kinds[i].words && strcmp(value_kinds[i].words, words) == 0)
            return value_kinds[i].definition;
    return NULL;
}

static void put_reference(tn_json *json, const char *definition)
{
    char path[96];
    snprintf(path, sizeof path, "#/$defs/%s", definition);
    tn_json_string(json, "$ref", path);
}

static void put_item(tn_json *json, const char *key, const char *definition)
{
    tn_json_begin_object(json, key);
    put_reference(json, definition);
    tn_json_end_object(json);
}

static void put_meaning(tn_json *json, const char *text, const char *unit)
{
    char meaning[640];
    snprintf(meaning, sizeof meaning, "%s%s%s%s", text, *unit ? " [" : "", unit, *unit ? "]" : "");
    tn_json_string(json, "description", meaning);
}

// One or two JSON types.
static void put_type(tn_json *json, const char *first, const char *second)
{
    if (!second) {
        tn_json_string(json, "type", first);
        return;
    }
    tn_json_put(json, "type [ %s %s ]", first, second);
}

// Properties --------------------------------------------------------------------------------------

static void put_choices(tn_json *json, const char *const *choices)
{
    tn_json_begin_array(json, "enum");
    for (int i = 0; choices[i]; i++)
        tn_json_string(json, NULL, choices[i]);
    tn_json_end_array(json);
}

// The definition that a key refers to. A key whose value is a map has its own; `start` is that of
// `initial`, which depends on the kind of the element.
static const char *key_definition(const tn_key *key, const char *start)
{
    if (strcmp(key->type, "map") != 0)
        return definition_of(key->type);
    if (strcmp(key->name, "initial") == 0)
        return start;
    if (strcmp(key->name, "end_section") == 0)
        return "section";
    return strncmp(key->name, "frame", 5) == 0 ? "frame" : key->name;
}

static void put_key(tn_json *json, const tn_key *key, const char *start)
{
    tn_json_begin_object(json, key->name);
    if (strcmp(key->name, "tenon") == 0)
        tn_json_integer(json, "const", TN_FORMAT_VERSION);
    else if (strcmp(key->name, "interpolation") == 0)
        put_choices(json, tn_interpolation_names);
    else if (strcmp(key->name, "beyond") == 0)
        put_choices(json, tn_beyond_names);
    else
        put_reference(json, key_definition(key, start));
    put_meaning(json, key->text, key->unit);
    tn_json_end_object(json);
}

static void put_keys(tn_json *json, tn_key_list keys, const char *start)
{
    for (int i = 0; i < keys.count; i++)
        if (strcmp(keys.at[i].name, "kind") != 0) // the element writes it
            put_key(json, &keys.at[i], start);
}

// Bounds of numbers. Only the reader can check what is written as an expression.
static void put_range(tn_json *json, tn_range range)
{
    if (range == TN_NONNEGATIVE || range == TN_UNIT_INTERVAL)
        tn_json_integer(json, "minimum", 0);
    if (range == TN_UNIT_INTERVAL)
        tn_json_integer(json, "maximum", 1);
    if (range == TN_AT_LEAST_ONE)
        tn_json_integer(json, "minimum", 1);
    if (range == TN_POSITIVE)
        tn_json_integer(json, "exclusiveMinimum", 0);
    if (range == TN_NONZERO) {
        tn_json_object(json, "not", "const %d", 0);
    }
}

// Texts by what they mean; other values by their types.
static const char *param_definition(const tn_param *p)
{
    static const char *const texts[] = {
        [TN_ROLE_EXPRESSION] = "expression", [TN_ROLE_CURVE] = "curve", [TN_ROLE_FILE] = "file"};
    if (tn_param_is_coordinate(p))
        return "coordinate";
    const bool told = p->type == TN_PARAM_TEXT && (int)p->role < TN_COUNT(texts);
    return told && texts[p->role] ? texts[p->role] : definition_of(tn_param_type_text(p->type));
}

static void put_params(tn_json *json, int n, const tn_param *params)
{
    for (int i = 0; i < n; i++) {
        const tn_param *p = &params[i];
        tn_json_begin_object(json, p->name);
        if (p->choices)
            put_choices(json, p->choices);
        else
            put_reference(json, param_definition(p));
        put_range(json, p->range);
        put_meaning(json, p->text, p->unit);
        tn_json_end_object(json);
    }
}

// Keys of one list and rows of one table that are required, which the text of a key says; `first`
// is required, too, unless it is NULL.
static void put_required(tn_json *json, const char *first, tn_key_list keys, int n,
                         const tn_param *params)
{
    tn_json_begin_array(json, "required");
    if (first)
        tn_json_string(json, NULL, first);
    for (int i = 0; i < keys.count; i++)
        if (strstr(keys.at[i].text, "required") && strcmp(keys.at[i].name, "kind") != 0)
            tn_json_string(json, NULL, keys.at[i].name);
    for (int i = 0; i < n; i++)
        if (params[i].required)
            tn_json_string(json, NULL, params[i].name);
    tn_json_end_array(json);
}

// A map of stated keys. Where it may be left empty, `key:` without a value will do.
static void begin_map(tn_json *json, const char *name, bool may_be_empty)
{
    tn_json_begin_object(json, name);
    put_type(json, "object", may_be_empty ? "null" : NULL);
    tn_json_put(json, "additionalProperties %i properties {", false);
}

static void end_map(tn_json *json)
{
    tn_json_put(json, "} }");
}

static void put_key_map(tn_json *json, const char *name, bool may_be_empty, tn_key_list keys)
{
    begin_map(json, name, may_be_empty);
    put_keys(json, keys, NULL);
    tn_json_end_object(json);
    put_required(json, NULL, keys, 0, NULL);
    tn_json_end_object(json);
}

static void put_param_map(tn_json *json, const char *name, bool may_be_empty, int n,
                          const tn_param *params)
{
    begin_map(json, name, may_be_empty);
    put_params(json, n, params);
    end_map(json);
}

// Kinds -------------------------------------------------------------------------------------------

// An element of one of the kinds, whose definitions are called "<element>-<kind>".
static void put_element(tn_json *json, tn_family family)
{
    const char *element = tn_family_name(family);
    tn_json_begin_object(json, element);
    tn_json_begin_array(json, "oneOf");
    for (int i = 0; tn_kind_name(family, i); i++) {
        char definition[64];
        snprintf(definition, sizeof definition, "%s-%s", element, tn_kind_name(family, i));
        put_item(json, NULL, definition);
    }
    if (family == TN_FAMILY_BODY) {
        put_item(json, NULL, "body-beam");
        put_item(json, NULL, "body-modal");
    }
    tn_json_put(json, "] }");
}

// The definition of one kind of element, up to its own keys.
static void begin_kind(tn_json *json, const char *element, const char *kind, const char *text)
{
    char name[128];
    snprintf(name, sizeof name, "%s-%s", element ? element : "", kind);
    begin_map(json, element ? name : NULL, false);
    tn_json_object(json, "kind", "const %s description %s", kind, text);
}

static void end_kind(tn_json *json, tn_key_list keys, int n, const tn_param *params)
{
    put_params(json, n, params);
    tn_json_end_object(json);
    put_required(json, "kind", keys, n, params);
    tn_json_end_object(json);
}

// Mass and inertia are required, unless the body is said to be massless or takes them from shapes.
static void put_body_required(tn_json *json, int n, const tn_param *params)
{
    tn_json_put(json, "anyOf [ {");
    put_required(json, NULL, tn_keys_none, n, params);
    tn_json_put(json, "} { properties { massless { const %i } }", true);
    put_required(json, "massless", tn_keys_none, 0, NULL);
    tn_json_put(json, "} { required [ %s ] } { required [ %s %s ] }", "density", "mass",
                "inertia_from_shapes");
    tn_json_put(json, "{ required [ %s ] properties { shapes { items { required [ %s ] } } } } ]",
                "shapes", "density");
}

// `usual`: what is meant when the kind is left out.
static void schema_put_body(tn_json *json, const tn_body_ops *ops, bool usual)
{
    char start[64];
    const int split = tn_body_property_count(ops);
    snprintf(start, sizeof start, "start-of-%s", ops->name);
    begin_kind(json, "body", ops->name, ops->text);
    put_keys(json, tn_keys_body, start);
    put_params(json, split, ops->params);
    tn_json_end_object(json);
    if (!usual)
        put_required(json, "kind", tn_keys_none, 0, NULL);
    put_body_required(json, split, ops->params);
    tn_json_end_object(json);
    begin_map(json, start, true);
    put_params(json, ops->nparam - split, ops->params + split);
    put_keys(json, tn_keys_body_start, NULL);
    if (ops->turns == 1)
        put_keys(json, tn_keys_planar_start, NULL);
    end_map(json);
}

static void schema_put_beam(tn_json *json)
{
    begin_kind(json, "body", "beam", TN_BEAM_TEXT);
    put_keys(json, tn_keys_beam, "start-of-beam");
    end_kind(json, tn_keys_beam, tn_beam_param_count, tn_beam_params);
    put_param_map(json, "section", false, tn_section_param_count, tn_section_params);
    put_param_map(json, "start-of-beam", true, tn_beam_start_param_count, tn_beam_start_params);
}

static void schema_put_modal(tn_json *json)
{
    begin_kind(json, "body", "modal", TN_MODAL_TEXT);
    put_keys(json, tn_keys_modal, "start-of-modal");
    end_kind(json, tn_keys_modal, tn_modal_param_count, tn_modal_params);
    begin_map(json, "rod", false);
    put_keys(json, tn_keys_rod, NULL);
    put_params(json, tn_rod_param_count, tn_rod_params);
    tn_json_end_object(json);
    put_required(json, NULL, tn_keys_rod, tn_rod_param_count, tn_rod_params);
    tn_json_end_object(json);
    begin_map(json, "start-of-modal", true);
    put_params(json, tn_modal_start_param_count, tn_modal_start_params);
    put_keys(json, tn_keys_body_start, NULL);
    end_map(json);
    begin_map(json, "rod-shape", false);
    for (int k = 0; k < 3; k++) {
        static const char *const axes[] = {"x", "y", "z"};
        put_item(json, axes[k], "expression");
    }
    end_map(json);
}

static void schema_put_joint(tn_json *json, const tn_joint_ops *ops)
{
    begin_kind(json, "joint", ops->name, ops->text);
    put_keys(json, tn_keys_joint, "start-of-joint");
    put_keys(json, tn_joint_place_keys(ops), NULL);
    if (ops->prescribe)
        put_keys(json, tn_keys_driven, NULL);
    put_params(json, ops->nparam, ops->params);
    tn_json_end_object(json);
    tn_json_begin_array(json, "coordinates"); // no word of JSON Schema, which lets them be
    for (int i = 0; i < ops->ncoord; i++)
        tn_json_string(json, NULL, ops->coords[i].name);
    tn_json_end_array(json);
    put_required(json, "kind", tn_keys_none, ops->nparam, ops->params);
    tn_json_end_object(json);
}

static void put_kind(tn_json *json, const char *element, const char *name, const char *text,
                     tn_key_list keys, int n, const tn_param *params)
{
    begin_kind(json, element, name, text);
    put_keys(json, keys, NULL);
    end_kind(json, keys, n, params);
}

// Values ------------------------------------------------------------------------------------------

// Either one value or what is written, without a name, between begin and end.
static void begin_either(tn_json *json, const char *name, const char *item)
{
    tn_json_begin_object(json, name);
    tn_json_begin_array(json, "anyOf");
    put_item(json, NULL, item);
}

static void end_either(tn_json *json)
{
    tn_json_put(json, "] }");
}

static void put_value(tn_json *json, const value_kind *v)
{
    const bool alone = v->form == LIST_OR_ONE, list = alone || v->form == LIST;
    if (alone)
        begin_either(json, v->definition, v->item);
    tn_json_begin_object(json, alone ? NULL : v->definition);
    if (v->form == SCALAR)
        put_type(json, v->item, v->second);
    else
        put_type(json, list ? "array" : "object", list && v->least > 0 ? NULL : "null");
    if (v->form != SCALAR)
        put_item(json, list ? "items" : "additionalProperties", v->item);
    if (list)
        tn_json_integer(json, "minItems", v->least);
    if (v->most > 0)
        tn_json_integer(json, "maxItems", v->most);
    tn_json_end_object(json);
    if (alone)
        end_either(json);
}

static void put_own_functions(tn_json *json)
{
    const tn_own_function *f;
    for (int i = 1; (f = tn_own_function_table(i)); i++) {
        put_kind(json, NULL, f->kind.name, f->kind.text, tn_keys_none, f->kind.nparam,
                 f->kind.params);
    }
}

static void put_values(tn_json *json)
{
    for (int i = 0; i < TN_COUNT(value_kinds); i++)
        if (value_kinds[i].form != OTHER)
            put_value(json, &value_kinds[i]);
    begin_either(json, "function", "number");
    put_key_map(json, NULL, false, tn_keys_function);
    put_own_functions(json);
    end_either(json);
    put_key_map(json, "rotation", false, tn_keys_rotation);
    put_key_map(json, "frame", true, tn_keys_frame);
    put_key_map(json, "start-of-joint", true, tn_keys_joint_start);
}

// Sections ----------------------------------------------------------------------------------------

static void put_kinds(tn_json *json)
{
    for (int i = 0; tn_body_ops_of(i); i++)
        schema_put_body(json, tn_body_ops_of(i), i == 0);
    schema_put_beam(json);
    schema_put_modal(json);
    for (int i = 0; tn_joint_ops_of(i); i++)
        schema_put_joint(json, tn_joint_ops_of(i));
    const tn_force_ops *f;
    for (int i = 0; (f = tn_force_ops_of(i)); i++)
        put_kind(json, "force", f->name, f->text, tn_force_place_keys(f), f->nparam, f->params);
    const tn_shape_ops *s;
    for (int i = 0; (s = tn_shape_ops_of(i)); i++)
        put_kind(json, "shape", s->name, s->text, tn_keys_shape, s->nparam, s->params);
    const tn_block_ops *b;
    for (int i = 0; (b = tn_block_ops_of(i)); i++)
        put_kind(json, "block", b->name, b->text, tn_keys_none, b->nparam, b->params);
    put_param_map(json, "event", false, tn_event_param_count, tn_event_params);
    begin_either(json, "output", "text"); // a text stands for an expression
    put_param_map(json, NULL, false, tn_output_param_count, tn_output_params);
    end_either(json);
    begin_either(json, "input", "number"); // a number stands for a held input
    put_param_map(json, NULL, false, tn_input_param_count, tn_input_params);
    end_either(json);
}

static void put_sections(tn_json *json)
{
    put_key_map(json, "table", false, tn_keys_table);
    put_key_map(json, "state", false, tn_keys_state);
    put_key_map(json, "unknown", false, tn_keys_unknown);
    put_key_map(json, "sampler", false, tn_keys_sampled);
    for (int family = 0; family < TN_FAMILY_FUNCTION; family++)
        put_element(json, (tn_family)family);
    put_key_map(json, "named-frame", false, tn_keys_named_frame);
    put_key_map(json, "ground", true, tn_keys_ground);
    put_param_map(json, "simulate", true, tn_simulate_param_count, tn_simulate_params);
    put_key_map(json, "template", false, tn_keys_template);
    put_key_map(json, "assembly", false, tn_keys_assembly);
    begin_map(json, "repeated", false);
    put_keys(json, tn_keys_repeat, NULL);
    put_keys(json, tn_keys_template, NULL);
    end_map(json);
}

static void put_schema(tn_json *json)
{
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    tn_json_put(json, "title %s type %s additionalProperties %i properties {", "Tenon model",
                "object", false);
    put_keys(json, tn_keys_file, NULL);
    tn_json_put(json, "} required [ %s ] $defs {", "tenon");
    put_values(json);
    put_kinds(json);
    put_sections(json);
    tn_json_put(json, "} }");
}

tn_status tn_help_schema(char **out)
{
    TN_NEED(out, TN_ERR_USAGE);
    tn_json *json = NULL;
    *out = NULL;
    TN_TRY(tn_json_create(&json));
    put_schema(json);
    tn_status s = tn_json_finish(json);
    if (s == TN_OK && !(*out = tn_strdup(tn_json_text(json))))
        s = tn_fail(TN_ERR_MEMORY, "out of memory while writing the schema");
    tn_json_destroy(json);
    return s;
}
