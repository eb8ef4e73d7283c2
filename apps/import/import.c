// SPDX-License-Identifier: MIT
//
// Import: a file of a robot becomes the text of a model. tn_document_parse is told of it when the
// library is loaded, so that whatever takes a model file takes that of a robot, too.

#include "import/robot.h"

#include "file/document.h"
#include "file/yaml_text.h"
#include "text/target.h"

#include <string.h>

struct tn_import {
    tn_robot robot;
    tn_import_options options;
    char *path, *text;
    tn_origins origins;
    tn_import_facts facts;
};

tn_import_options tn_default_import(void)
{
    return (tn_import_options){.base = "fixed", .limits = "stop", .inertia = "refuse"};
}

tn_status tn_robot_note_add(tn_robot *robot, tn_import_kind kind, int line, const char *format, ...)
{
    char text[2048];
    TN_SENTENCE(text, format);
    const tn_robot_note note = {kind, line, tn_pool_text(&robot->memory, text, strlen(text))};
    TN_TRY(tn_got(note.text));
    return tn_array_push(&robot->notes, note);
}

tn_status tn_robot_fail(const tn_robot *robot, int line, const char *format, ...)
{
    char text[2048];
    TN_SENTENCE(text, format);
    return tn_fail(TN_ERR_MODEL, "%s:%d: %s", robot->path, line, text);
}

static tn_status check_choice(const char *name, const char *value, int n, const char *const *known)
{
    for (int i = 0; value && i < n; i++)
        if (strcmp(value, known[i]) == 0)
            return TN_OK;
    return tn_fail_unknown(name, value ? value : "", n, known);
}

static tn_status check_options(const tn_import_options *options)
{
    static const char *const bases[] = {"fixed", "free"},
                             *const limits[] = {"stop", "event", "none"},
                             *const inertias[] = {"refuse", "repair", "keep"};
    TN_TRY(check_choice("base", options->base, TN_COUNT(bases), bases));
    TN_TRY(check_choice("choice for limits", options->limits, TN_COUNT(limits), limits));
    return check_choice("choice for inertias", options->inertia, TN_COUNT(inertias), inertias);
}

static tn_status note_world(tn_robot *robot)
{
    const tn_robot_link *root = &robot->links.at[robot->root];
    int limited = 0, collisions = 0;
    if (robot->geoms > 0)
        TN_TRY(tn_robot_note_add(robot, TN_IMPORT_LEFT_OUT, 1,
                                 "%d geoms are neither drawn nor do they touch anything",
                                 robot->geoms));
    if (!robot->states_gravity)
        TN_TRY(tn_robot_note_add(robot, TN_IMPORT_ASSUMED, 1,
                                 "gravity is 9.81 m/s^2 along -z: the file states none"));
    TN_TRY(tn_robot_note_add(robot, TN_IMPORT_ASSUMED, root->line,
                             root->body < 0 ? "link '%s' is the root and is held by the ground"
                                            : "link '%s' is the root and flies",
                             root->name));
    for (int j = 0; j < robot->joints.count; j++)
        limited += robot->joints.at[j].limited;
    for (int i = 0; i < robot->shapes.count; i++)
        collisions += robot->shapes.at[i].collision;
    if (limited > 0 && strcmp(robot->options->limits, "stop") == 0)
        TN_TRY(tn_robot_note_add(robot, TN_IMPORT_ASSUMED, 1,
                                 "limits of %d joint%s are elastic stops, which the effort of the "
                                 "joint, or the weight that it carries, bends by 0.01 rad or 1 mm",
                                 limited, limited == 1 ? "" : "s"));
    if (limited > 0 && strcmp(robot->options->limits, "none") == 0)
        TN_TRY(tn_robot_note_add(robot, TN_IMPORT_LEFT_OUT, 1, "limits of %d joint%s", limited,
                                 limited == 1 ? "" : "s"));
    if (collisions == 0)
        return TN_OK;
    return tn_robot_note_add(robot, TN_IMPORT_LEFT_OUT, 1,
                             "%d shape%s for collisions: what they touch is no contact", collisions,
                             collisions == 1 ? "" : "s");
}

static void sum_up(tn_import *import)
{
    const tn_robot *robot = &import->robot;
    import->facts = (tn_import_facts){.format = robot->states_gravity ? "MJCF" : "URDF",
                                      .name = robot->name ? robot->name : "",
                                      .links = robot->links.count,
                                      .joints = robot->joints.count,
                                      .bodies = robot->bodies};
    for (int i = 0; i < robot->links.count; i++) {
        const tn_robot_link *link = &robot->links.at[i];
        import->facts.mass += link->own.mass;
        import->facts.massless += link->body == i && !link->weighs;
    }
}

// What is missing may be in a macro.
static tn_status read_tree(tn_robot *robot)
{
    const char *root = robot->file.root->name;
    tn_status s = strcmp(root, "mujoco") == 0 ? tn_mjcf_read(robot) : tn_urdf_read(robot);
    TN_THEN(s, tn_robot_label(robot));
    TN_THEN(s, tn_robot_tree(robot));
    if (s != TN_ERR_MODEL || !robot->macro)
        return s;
    return tn_robot_fail(robot, robot->macro->line,
                         "%s is not expanded; run xacro on the file first", robot->macro->name);
}

static tn_status read_robot(tn_import *import, const char *text, size_t length)
{
    tn_robot *robot = &import->robot;
    tn_buffer out = {0};
    TN_TRY(tn_table_create(&robot->link_names));
    TN_TRY(tn_table_create(&robot->joint_names));
    for (int i = 0; i < TN_COUNT(robot->taken); i++)
        TN_TRY(tn_table_create(&robot->taken[i]));
    TN_TRY(tn_xml_parse(text, length, import->path, &robot->file));
    TN_TRY(read_tree(robot));
    TN_TRY(tn_robot_judge_inertias(robot));
    TN_TRY(tn_robot_find_meshes(robot));
    TN_TRY(note_world(robot));
    tn_status s = tn_robot_write(robot, &out, &import->origins);
    if (s == TN_OK)
        return tn_buffer_finish(&out, "a model", &import->text);
    tn_free(out.text);
    return s;
}

// `as_model`: other parts of a model, which nobody knows here, may close loops.
static tn_status create(const char *text, size_t length, const char *path,
                        const tn_import_options *options, bool as_model, tn_import **out)
{
    *out = NULL;
    tn_import *import = tn_alloc(sizeof *import);
    TN_TRY(tn_got(import));
    import->options = options ? *options : tn_default_import();
    import->path = tn_strdup(path);
    import->robot.path = import->path;
    import->robot.options = &import->options;
    import->robot.gravity = tn_v3(0.0, 0.0, -9.81);
    import->robot.guess = as_model || import->options.close;
    tn_status s = tn_got(import->path);
    TN_THEN(s, check_options(&import->options));
    TN_THEN(s, read_robot(import, text, length));
    if (s == TN_OK)
        sum_up(import);
    TN_HAND_OUT(s, import, tn_import_destroy, out);
}

tn_status tn_import_create(const char *path, const tn_import_options *options, tn_import **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, path, out);
    char *text = NULL;
    size_t length = 0;
    *out = NULL;
    tn_status s = tn_yaml_text_read(path, &text, &length);
    TN_THEN(s, create(text, length, path, options, false, out));
    tn_free(text);
    return s;
}

void tn_import_destroy(tn_import *import)
{
    if (!import)
        return;
    tn_robot *robot = &import->robot;
    tn_xml_close(&robot->file);
    tn_table_destroy(robot->link_names);
    tn_table_destroy(robot->joint_names);
    for (int i = 0; i < TN_COUNT(robot->taken); i++)
        tn_table_destroy(robot->taken[i]);
    tn_array_free(&robot->links);
    tn_array_free(&robot->joints);
    tn_array_free(&robot->shapes);
    tn_array_free(&robot->drives);
    tn_array_free(&robot->notes);
    tn_array_free(&import->origins);
    tn_pool_clear(&robot->memory);
    TN_FREE(import->path, import->text, import);
}

TN_GETTER(const char *, tn_import_text, (const tn_import *import), import, "", import->text);
TN_GETTER(tn_import_facts, tn_import_facts_of, (const tn_import *import), import,
          (tn_import_facts){0}, import->facts);
TN_GETTER(int, tn_import_note_count, (const tn_import *import), import, 0,
          import->robot.notes.count);

tn_import_note tn_import_note_at(const tn_import *import, int i)
{
    static const tn_import_note none = {TN_IMPORT_ASSUMED, 0, ""};
    TN_NEED(import, none);
    TN_NEED_INDEX(i, import->robot.notes.count, none);
    const tn_robot_note *note = &import->robot.notes.at[i];
    return (tn_import_note){note->kind, note->line, note->text};
}

// Robots as model files --------------------------------------------------------------------------

// Nodes stand where the robot's file states what they are made of.
static void set_lines(tn_document *doc, const tn_node *node, const tn_origins *origins)
{
    tn_node *own = (tn_node *)node; // the document is not in use yet
    if (own->line >= 1 && own->line <= origins->count)
        own->line = origins->at[own->line - 1];
    own->column = 1;
    own->text_column = 0;
    for (int i = 0; i < node->count; i++) {
        if (node->kind == TN_NODE_MAP)
            set_lines(doc, node->keys[i], origins);
        set_lines(doc, node->children[i], origins);
    }
}

// How much there is to tell.
static tn_status leave_note(const tn_import *import, tn_document *doc)
{
    int count[3] = {0};
    char text[600];
    for (int i = 0; i < import->robot.notes.count; i++)
        count[import->robot.notes.at[i].kind]++;
    const int n =
        snprintf(text, sizeof text,
                 "of the robot %d things are assumed, %d changed and %d left out; 'tenon "
                 "import' tells them",
                 count[TN_IMPORT_ASSUMED], count[TN_IMPORT_CHANGED], count[TN_IMPORT_LEFT_OUT]);
    doc->note = tn_pool_text(&doc->memory, text, (size_t)n);
    return tn_got(doc->note);
}

static tn_status read_as_model(const char *text, size_t length, const char *name, tn_document **out)
{
    tn_import *import;
    TN_TRY(create(text, length, name, NULL, true, &import));
    tn_status s = tn_document_parse(import->text, strlen(import->text), name, out);
    if (s == TN_OK) {
        set_lines(*out, (*out)->root, &import->origins);
        s = leave_note(import, *out);
    }
    tn_import_destroy(import);
    return s;
}

__attribute__((constructor)) static void offer_robots(void)
{
    tn_document_read_xml = read_as_model;
}
