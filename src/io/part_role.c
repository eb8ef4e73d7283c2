// SPDX-License-Identifier: MIT
//
// What the keys of a model stand for, by the tables of the readers: numbers and expressions, names
// of elements, files, or maps with keys of their own.

#include "io/part_own.h"
#include "model/block.h"
#include "model/output.h"
#include "model/own.h"

#include <string.h>

static tn_part_role role_of_param(const tn_param *p, const tn_node *value)
{
    switch (p->type) {
    case TN_PARAM_INTEGER:
        return tn_param_is_coordinate(p) ? TN_PART_TEXT : TN_PART_NUMBER;
    case TN_PARAM_FUNCTION:
        return value->kind == TN_NODE_MAP ? TN_PART_MAP : TN_PART_NUMBER;
    case TN_PARAM_FUNCTION3: // a list of them, each a number or a map
        return TN_PART_MAP;
    case TN_PARAM_NUMBER:
    case TN_PARAM_VEC3:
    case TN_PARAM_ROTATION:
    case TN_PARAM_TABLE:
    case TN_PARAM_NUMBERS:
        return TN_PART_NUMBER;
    case TN_PARAM_BODY:
    case TN_PARAM_JOINT:
        return TN_PART_NAME;
    case TN_PARAM_TEXT:
        return p->role == TN_ROLE_EXPRESSION ? TN_PART_NUMBER
               : p->role == TN_ROLE_CURVE    ? TN_PART_CURVE
               : p->role == TN_ROLE_FILE     ? TN_PART_FILE
                                             : TN_PART_TEXT;
    case TN_PARAM_BOOL:
    case TN_PARAM_CHOICE:
        break;
    }
    return TN_PART_TEXT;
}

// By the words that the reference page has for the values of a key.
static tn_part_role role_of_words(const char *words)
{
    static const char *const names[] = {"name of a body", "name of a joint", "one or two names",
                                        "one name"};
    static const char *const numbers[] = {"expression",         "rotation",
                                          "list of points",     "list of [distance, mass]",
                                          "map of expressions", "list of [t, u] pairs"};
    if (strcmp(words, "expression of s") == 0)
        return TN_PART_CURVE;
    static const char *const maps[] = {"map", "list of shapes", "list of maps"};
    for (int i = 0; i < TN_COUNT(names); i++)
        if (strcmp(words, names[i]) == 0)
            return TN_PART_NAME;
    for (int i = 0; i < TN_COUNT(maps); i++)
        if (strcmp(words, maps[i]) == 0)
            return TN_PART_MAP;
    for (int i = 0; i < TN_COUNT(numbers); i++)
        if (strcmp(words, numbers[i]) == 0)
            return TN_PART_NUMBER;
    if (strcmp(words, "whole number or name") == 0)
        return TN_PART_TEXT;
    return strcmp(words, "list of files") == 0 ? TN_PART_FILE
           : strstr(words, "number")           ? TN_PART_NUMBER
                                               : TN_PART_TEXT;
}

tn_part_role tn_part_role_of(const tn_part_keys *keys, const char *key, const tn_node *value)
{
    for (int i = 0; i < keys->nparam; i++)
        if (strcmp(keys->params[i].name, key) == 0)
            return role_of_param(&keys->params[i], value);
    for (int k = 0; k < keys->nlist; k++)
        for (int i = 0; i < keys->lists[k].count; i++)
            if (strcmp(keys->lists[k].at[i].name, key) == 0)
                return role_of_words(keys->lists[k].at[i].type);
    return TN_PART_TEXT;
}

static int kind_of(const tn_node *value, const char *fallback, tn_family family)
{
    const tn_node *kind = tn_node_get(value, "kind");
    const char *name = kind && kind->kind == TN_NODE_SCALAR ? kind->text : fallback;
    const int found = name ? tn_find_kind(family, name) : -1;
    tn_clear_error();
    return found;
}

static bool is_kind(const tn_node *value, const char *name)
{
    const tn_node *kind = tn_node_get(value, "kind");
    return kind && kind->kind == TN_NODE_SCALAR && strcmp(kind->text, name) == 0;
}

static tn_part_keys of_params(int n, const tn_param *params)
{
    return (tn_part_keys){.nparam = n, .params = params};
}

static void add_list(tn_part_keys *keys, tn_key_list list)
{
    TN_ASSERT(keys->nlist < TN_PART_LISTS);
    keys->lists[keys->nlist++] = list;
}

static tn_part_keys of_body(const tn_node *value)
{
    tn_part_keys keys = {0};
    if (is_kind(value, "beam")) {
        keys = of_params(tn_beam_param_count, tn_beam_params);
        add_list(&keys, tn_keys_beam);
    } else if (is_kind(value, "modal")) {
        keys = of_params(tn_modal_param_count, tn_modal_params);
        add_list(&keys, tn_keys_modal);
    } else {
        const int kind = kind_of(value, "rigid", TN_FAMILY_BODY);
        if (kind >= 0)
            keys = of_params(tn_body_ops_of(kind)->nparam, tn_body_ops_of(kind)->params);
        add_list(&keys, tn_keys_body);
    }
    return keys;
}

static tn_part_keys of_joint(const tn_node *value)
{
    tn_part_keys keys = {0};
    const int kind = kind_of(value, NULL, TN_FAMILY_JOINT);
    const tn_joint_ops *ops = kind >= 0 ? tn_joint_ops_of(kind) : NULL;
    if (ops) {
        keys = of_params(ops->nparam, ops->params);
        add_list(&keys, tn_joint_place_keys(ops));
        add_list(&keys, ops->prescribe ? tn_keys_driven : tn_keys_none);
    }
    add_list(&keys, tn_keys_joint);
    return keys;
}

static tn_part_keys of_force(const tn_node *value)
{
    tn_part_keys keys = {0};
    const int kind = kind_of(value, NULL, TN_FAMILY_FORCE);
    const tn_force_ops *ops = kind >= 0 ? tn_force_ops_of(kind) : NULL;
    if (ops) {
        keys = of_params(ops->nparam, ops->params);
        add_list(&keys, tn_force_place_keys(ops));
    }
    add_list(&keys, tn_keys_force);
    return keys;
}

static tn_part_keys of_block(const tn_node *value)
{
    tn_part_keys keys = {0};
    const int kind = kind_of(value, NULL, TN_FAMILY_BLOCK);
    if (kind >= 0)
        keys = of_params(tn_block_ops_of(kind)->nparam, tn_block_ops_of(kind)->params);
    add_list(&keys, tn_keys_block);
    return keys;
}

static tn_part_keys of_shape(const tn_node *value)
{
    tn_part_keys keys = {0};
    const int kind = kind_of(value, NULL, TN_FAMILY_SHAPE);
    if (kind >= 0)
        keys = of_params(tn_shape_ops_of(kind)->nparam, tn_shape_ops_of(kind)->params);
    add_list(&keys, tn_keys_shape);
    return keys;
}

static tn_part_keys of_function(const tn_node *value)
{
    tn_part_keys keys = {0};
    const int kind = tn_node_get(value, "kind") ? kind_of(value, NULL, TN_FAMILY_FUNCTION) : -1;
    if (kind >= 0)
        keys = of_params(tn_own_function_table(kind + 1)->kind.nparam,
                         tn_own_function_table(kind + 1)->kind.params);
    add_list(&keys, tn_keys_function);
    return keys;
}

tn_part_keys tn_part_keys_of(const char *section, const tn_node *value)
{
    static const struct {
        const char *section;
        tn_part_keys (*of)(const tn_node *value);
    } kinds[] = {{"bodies", of_body},
                 {"joints", of_joint},
                 {"forces", of_force},
                 {"blocks", of_block},
                 {"shapes", of_shape}};
    const struct {
        const char *section;
        const tn_key_list *list;
    } lists[] = {{"tables", &tn_keys_table},
                 {"states", &tn_keys_state},
                 {"unknowns", &tn_keys_unknown},
                 {"sampled", &tn_keys_sampled},
                 {"assemblies", &tn_keys_assembly}};
    tn_part_keys keys = {0};
    for (int i = 0; i < TN_COUNT(kinds); i++)
        if (strcmp(section, kinds[i].section) == 0)
            keys = kinds[i].of(value);
    for (int i = 0; i < TN_COUNT(lists); i++)
        if (strcmp(section, lists[i].section) == 0)
            add_list(&keys, *lists[i].list);
    if (strcmp(section, "inputs") == 0)
        keys = of_params(tn_input_param_count, tn_input_params);
    if (strcmp(section, "events") == 0)
        keys = of_params(tn_event_param_count, tn_event_params);
    if (strcmp(section, "outputs") == 0)
        keys = of_params(tn_output_param_count, tn_output_params);
    keys.section = section;
    return keys;
}

// Start values of a body: its kind is that of the map around.
static tn_part_keys of_start(const tn_part_keys *outer)
{
    tn_part_keys keys = {0};
    if (strcmp(outer->section, "bodies") != 0) {
        add_list(&keys, tn_keys_joint_start);
    } else if (outer->params == tn_beam_params) {
        keys = of_params(tn_beam_start_param_count, tn_beam_start_params);
    } else if (outer->params == tn_modal_params) {
        keys = of_params(tn_modal_start_param_count, tn_modal_start_params);
        add_list(&keys, tn_keys_body_start);
    } else {
        keys = of_params(outer->nparam, outer->params);
        add_list(&keys, tn_keys_body_start);
        add_list(&keys, tn_keys_planar_start);
    }
    return keys;
}

tn_part_keys tn_part_keys_within(const tn_part_keys *outer, const char *key, const tn_node *value)
{
    static const tn_key displacements[] = {{"x", "expression of s", "", ""},
                                           {"y", "expression of s", "", ""},
                                           {"z", "expression of s", "", ""}};
    static const tn_key_list rod_shape = {TN_COUNT(displacements), displacements};
    tn_part_keys keys = {0};
    if (strcmp(key, "initial") == 0)
        keys = of_start(outer);
    else if (strcmp(key, "shapes") == 0)
        keys = of_shape(value);
    else if (strncmp(key, "frame_", 6) == 0)
        add_list(&keys, tn_keys_frame);
    else if (strcmp(key, "section") == 0 || strcmp(key, "end_section") == 0)
        keys = of_params(tn_section_param_count, tn_section_params);
    else if (strcmp(key, "rod") == 0) {
        keys = of_params(tn_rod_param_count, tn_rod_params);
        add_list(&keys, tn_keys_rod);
    } else if (strcmp(key, "functions") == 0)
        add_list(&keys, rod_shape);
    else
        keys = of_function(value);
    keys.section = outer->section;
    keys.map = key;
    return keys;
}
