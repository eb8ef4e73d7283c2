// SPDX-License-Identifier: MIT
//
// The keys of the model format that stand beside the parameter tables, and the maps they live in.

#include "read/model_yaml.h"
#include "text/join.h"

#include <stdio.h>
#include <string.h>

#define KEYS(...)                                                   \
    {                                                               \
        TN_COUNT(((const tn_key[]){__VA_ARGS__})), (const tn_key[]) \
        {                                                           \
            __VA_ARGS__                                             \
        }                                                           \
    }

#define AXIS_KEYS                                                                \
    {"axis", "three numbers", "",                                                \
     "direction of the joint's axis: z of the joint frame; x of a "              \
     "universal joint and of sliding in the plane"},                             \
        {"axis_2", "three numbers", "",                                          \
         "a second direction at right angles to `axis`: x of the "               \
         "joint frame; y of a universal joint"},                                 \
    {                                                                            \
        "orientation", "rotation", "", "the whole joint frame instead of `axis`" \
    }

const tn_key_list tn_keys_none = {0, NULL};

// Keys of a part: a file, a template or a block that is repeated.
#define ELEMENT_KEYS                                                                            \
    {"parameters", "map of numbers", "",                                                        \
     "names for use in every number and function of time; each may use those before it, and "   \
     "none may have the name of a constant or a function"},                                     \
        {"tables", "map of tables", "",                                                         \
         "tables of one or two arguments, which expressions use as functions, by name"},        \
        {"inputs", "map of inputs", "",                                                         \
         "numbers that a program sets while the model moves, for use in functions of time, by " \
         "name"},                                                                               \
        {"ground", "map", "", "what the ground looks like, see below"},                         \
        {"bodies", "map of bodies", "", "the bodies by name; `ground` is always there"},        \
        {"frames", "map of frames", "",                                                         \
         "places on bodies, by name, for joints, forces and outputs that name them"},           \
        {"joints", "map of joints", "", "joints and couplings by name"},                        \
        {"forces", "map of forces", "", "force elements by name"},                              \
        {"signals", "map of expressions", "",                                                   \
         "named expressions of t, parameters, inputs and of all that moves, by name"},          \
        {"states", "map of states", "", "continuous states, c' = rate, by name"},               \
        {"unknowns", "map of unknowns", "", "algebraic unknowns, 0 = equation, by name"},       \
        {"sampled", "map of sampled systems", "",                                               \
         "systems whose values change at given times, such as digital controllers, by name"},   \
        {"blocks", "map of blocks", "",                                                         \
         "parts of controllers that are made of these; the output is a signal of its name"},    \
        {"events", "map of events", "",                                                         \
         "values that coordinates pass, to be located in time, by name"},                       \
        {"outputs", "map of outputs", "",                                                       \
         "what is recorded beside what is recorded anyway, by name"},                           \
        {"assemblies", "map of assemblies", "",                                                 \
         "templates and files that are used as parts, by name, see below"},                     \
    {                                                                                           \
        "repeat", "block or list of blocks", "",                                                \
            "elements that are there many times, with an index, see below"                      \
    }

const tn_key_list tn_keys_file = KEYS(
    {"tenon", "whole number", "", "version of the format, required: 1"},
    {"name", "text", "", "what the model is called"},
    {"include", "file or list of files", "",
     "model files whose elements are taken over as if they stood here, before those of the file "
     "itself; relative to this file"},
    {"gravity", "three numbers", "m/s^2", "acceleration of free fall; zero when left out"},
    {"plugins", "list of files", "",
     "shared objects with kinds of their own, beside the model file when relative; loaded only "
     "where `--plugins` allows it"},
    {"templates", "map of templates", "",
     "parts with elements and parameters of their own, for use by `assemblies`, by name"},
    ELEMENT_KEYS, {"simulate", "map", "", "how to simulate, unless the caller says otherwise"});

const tn_key_list tn_keys_template = KEYS(ELEMENT_KEYS);

const tn_key_list tn_keys_repeat = KEYS(
    {"index", "name", "",
     "of the index, `i` when left out: in every text of the block `$i` stands for its value and "
     "`$(i-1)` for that of a whole number; numbers and expressions know it by its name, too"},
    {"from", "whole number", "", "first value of the index; 1 when left out"},
    {"to", "whole number", "", "last value of the index, required"});

const tn_key_list tn_keys_assembly = KEYS(
    {"of", "name of a template", "", "the template that it is made of"},
    {"file", "file", "",
     "instead of `of`: the model file that it is made of, relative to this one"},
    {"parameters", "map of numbers", "", "values in the place of those that the template states"},
    {"names", "map of names", "",
     "names in the template that stand for elements outside, such as `{ground: chassis}`"},
    {"at", "three numbers", "m", "where the origin of the template is placed; zero when left out"},
    {"orientation", "rotation", "", "how the axes of the template are turned"});

const tn_key_list tn_keys_table =
    KEYS({"x", "list of numbers", "", "the first argument, increasing; required"},
         {"y", "list of numbers", "",
          "the second argument, increasing; left out: there is one argument"},
         {"values", "list of numbers or of rows", "",
          "a number for each x or, with `y`, a row of numbers for each x; required"},
         {"interpolation", "name", "",
          "`linear`, `monotone` (what one argument has when it is left out) or `spline` (what two "
          "have)"},
         {"beyond", "name", "",
          "what it is beyond its ends: `hold` (when left out), `linear` or `error`"});

const tn_key_list tn_keys_state =
    KEYS({"rate", "expression", "1/s", "the derivative of the state by time, required"},
         {"initial", "number", "", "where it starts; zero when left out"},
         {"limits", "list of numbers", "",
          "[low, high]: where it has reached one its rate does not lead further out"});

const tn_key_list tn_keys_unknown = KEYS(
    {"equation", "expression", "", "what is zero, required"},
    {"start", "number", "", "where the search for its first value begins; zero when left out"});

const tn_key_list tn_keys_sampled =
    KEYS({"every", "number", "s", "time between two samples, required; the first is at the start"},
         {"delay", "number", "s",
          "time after a sample at which its values begin to act; zero when left out"},
         {"next", "map of expressions", "",
          "the next value of each of its values, required; sees the old ones by their own names"},
         {"initial", "map of numbers", "", "values before the first sample; zero when left out"});

const tn_key_list tn_keys_block = KEYS({"kind", "text", "", "kind of block, required"});

const tn_key_list tn_keys_body = KEYS(
    {"kind", "text", "", "kind of body; `rigid` when left out"},
    {"massless", "true or false", "",
     "true: mass and inertia count as zero, whether they are stated or not"},
    {"density", "number", "kg/m^3",
     "of its shapes, instead of `mass` and `inertia`: mass, centre and inertia are those of the "
     "shapes, see below"},
    {"inertia_from_shapes", "true or false", "",
     "true: centre and inertia are those of the shapes, scaled to the stated `mass`"},
    {"initial", "map", "", "start values, see below"},
    {"shapes", "list of shapes", "", "what the body looks like, see below"});

const tn_key_list tn_keys_beam = KEYS(
    {"kind", "text", "", "`beam`"},
    {"points", "list of points", "m",
     "of its line: two of a straight one, three of an arc, three or more of a spline"},
    {"section", "map", "", "what its section is and is made of, see below; required"},
    {"end_section", "map", "",
     "of a tapered beam: what of its section is another at its end; all numbers go there linearly"},
    {"masses", "list of [distance, mass]", "m, kg",
     "point masses on its line, each at a node that is placed there"},
    {"places", "map of numbers", "m",
     "names of places: distances along its line at which there are nodes, `BEAM.NAME`"},
    {"initial", "map", "", "start values, see below"},
    {"shapes", "list of shapes", "", "what it carries, each at a place `at_s`, see below"});

const tn_key_list tn_keys_modal =
    KEYS({"kind", "text", "", "`modal`"},
         {"damping", "number or list", "",
          "damping ratios of its natural modes: one for all, or one for each in the order of "
          "frequencies; when left out, the damping of the file"},
         {"rod", "map", "", "instead of a file: a rod with shapes by expressions, see below"},
         {"initial", "map", "", "start values, see below"},
         {"shapes", "list of shapes", "", "what its frame looks like, see below"});

const tn_key_list tn_keys_rod = KEYS(
    {"section", "map", "",
     "as that of a beam; x and y of the section are y and z of the rod; required"},
    {"functions", "list of maps", "m",
     "its shapes: displacements `x`, `y`, `z` per unit amplitude as expressions of s [m]; "
     "required"},
    {"attachments", "map of numbers", "m",
     "names of places: distances along the rod at which joints and forces attach, `BODY.NAME`"});

const tn_key_list tn_keys_ground =
    KEYS({"shapes", "list of shapes", "", "what stands on the ground, in the inertial frame"});

const tn_key_list tn_keys_named_frame =
    KEYS({"of", "name of a body", "", "the body, or the frame, that it is fixed to; required"},
         {"at", "three numbers", "m", "its origin in the frame of that; zero when left out"},
         {"axis", "three numbers", "", "direction of its z axis"},
         {"axis_2", "three numbers", "", "direction of its x axis, at right angles to `axis`"},
         {"orientation", "rotation", "", "how it is turned, instead of `axis`"});

const tn_key_list tn_keys_shape = KEYS(
    {"kind", "text", "", "kind of shape, required"},
    {"at", "three numbers", "m", "centre of the shape in the body frame; zero when left out"},
    {"at_s", "number", "m",
     "of a shape of a beam, which needs it: distance along it to the node that carries it"},
    {"axis", "three numbers", "",
     "direction of the shape's z axis, along which its length runs; z of the body when left out"},
    {"axis_2", "three numbers", "", "direction of its x axis, at right angles to `axis`"},
    {"orientation", "rotation", "", "how the shape is turned, instead of `axis`"},
    {"density", "number", "kg/m^3",
     "of a body whose mass comes from its shapes; that of the body when left out, 0 of what is "
     "drawn only"},
    {"color", "text", "",
     "`\"#rrggbb\"` in quotes, or one of " TN_COLOR_NAMES "; chosen when left out"});

const tn_key_list tn_keys_planar_start =
    KEYS({"angle", "number", "rad", "start angle about z, instead of `orientation`"},
         {"angle_deg", "number", "deg", "the same in degrees"});

const tn_key_list tn_keys_body_start = KEYS(
    {"guess", "text", "",
     "`position`, `orientation` or `both`: where the search for the start begins, no more, as if "
     "it were not stated"});

const tn_key_list tn_keys_joint = KEYS(
    {"kind", "text", "", "kind of joint, required"},
    {"initial", "map", "", "start values of the joint coordinates, see below"},
    {"share", "number", "",
     "how stiff it is beside other joints between the same two bodies that state it, by which they "
     "share loads that the equations do not determine; all the same: least squares"},
    {"one_sided", "true or false", "",
     "couplings whose one row is a gap: the bodies may part there, and meet again"},
    {"restitution", "number", "",
     "part of the speed of approach with which they part after an impact, 0 to 1"},
    {"friction", "number", "",
     "coefficient of friction where they press each other: of shapes that touch, points on planes "
     "and position-rows with a `slip`"},
    {"impact_without_collision", "true or false", "",
     "beside friction: bodies that slip and jam, where rigid ones have no motion or two, are "
     "stopped by an impulse; else the run ends there"});

const tn_key_list tn_keys_joint_start = KEYS(
    {"position", "number or list", "rad, m", "joint coordinates at the start, met exactly"},
    {"position_deg", "number or list", "deg, m", "the same with angles in degrees"},
    {"guess", "number or list", "rad, m",
     "roughly where they start, instead of `position`: chooses between the ways to assemble the "
     "mechanism"},
    {"guess_deg", "number or list", "deg, m", "the same with angles in degrees"},
    {"rate", "number or list", "rad/s, m/s", "their rates at the start"});

const tn_key_list tn_keys_pair = KEYS(
    {"bodies", "one or two names", "", "body A and body B; A is the ground when one is given"},
    {"body", "name of a body", "", "body B when A is the ground, instead of `bodies`"},
    {"at_s", "number, or two", "m",
     "where a body is a beam: the distance along it of a node, which is placed there"},
    {"at", "three numbers", "m",
     "where the frames of A and B lie at the start, in the inertial "
     "frame"},
    {"at_a", "three numbers", "m", "the same for the frame of A alone"},
    {"at_b", "three numbers", "m", "the same for the frame of B alone"}, AXIS_KEYS,
    {"frame_a", "map", "", "the frame on A in the frame of body A, instead of the keys above"},
    {"frame_b", "map", "", "the frame on B in the frame of body B, instead of the keys above"});

const tn_key_list tn_keys_single =
    KEYS({"body", "name of a body", "", "the body that is acted on, required"},
         {"at_s", "number", "m",
          "where the body is a beam: the distance along it of a node, which is placed there"},
         {"at", "three numbers", "m",
          "where the frame lies at the start, in the inertial frame; the "
          "origin of the body when left out"},
         AXIS_KEYS,
         {"frame_b", "map", "", "the frame in the frame of the body, instead of the keys above"});

const tn_key_list tn_keys_driven = KEYS({"bodies", "one name", "", "the body that is driven"});

const tn_key_list tn_keys_force = KEYS({"kind", "text", "", "kind of force, required"});

const tn_key_list tn_keys_on_joint =
    KEYS({"joint", "name of a joint", "", "the joint that the force acts in, required"},
         {"coordinate", "whole number or name", "",
          "which coordinate of the joint; the first, 0, when "
          "left out"});

const tn_key_list tn_keys_frame =
    KEYS({"at", "three numbers", "m", "origin of the frame; zero when left out"}, AXIS_KEYS);

const tn_key_list tn_keys_rotation = KEYS(
    {"quaternion", "four numbers", "", "w, x, y, z; its length does not matter"},
    {"axis", "three numbers", "", "with `angle`: turn about this direction"},
    {"angle", "number", "rad", "with `axis`"}, {"angle_deg", "number", "deg", "with `axis`"},
    {"angles", "three numbers", "rad", "roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll)"},
    {"angles_deg", "three numbers", "deg", "the same in degrees"},
    {"x_axis", "three numbers", "",
     "with `z_axis`: direction of the turned x axis, made exactly normal to it when it is so to "
     "2e-4 "
     "rad"},
    {"z_axis", "three numbers", "", "with `x_axis`: direction of the turned z axis"});

const tn_key_list tn_keys_function = KEYS(
    {"table", "list of [t, u] pairs", "", "points at increasing times"},
    {"interpolation", "name", "",
     "`linear`, `monotone` (forces, when left out) or `spline` (drives)"},
    {"beyond", "name", "",
     "what it is beyond its ends: `hold` (forces, when left out), `linear` (drives), `periodic` "
     "or `error`"});

const tn_key_list tn_keys_own_function =
    KEYS({"kind", "name", "", "of a function that a program or a plugin has added"});

tn_key_list tn_force_place_keys(const tn_force_ops *ops)
{
    return ops->on_joint ? tn_keys_on_joint : ops->single ? tn_keys_single : tn_keys_pair;
}

tn_key_list tn_joint_place_keys(const tn_joint_ops *ops)
{
    return !ops->relative ? tn_keys_none : ops->prescribe ? tn_keys_single : tn_keys_pair;
}

// The names that a map may hold.
enum { MOST_KEYS = 64 };
typedef struct known_names {
    int count;
    const char *name[MOST_KEYS];
} known_names;

static void add_name(known_names *known, const char *name)
{
    TN_ASSERT(known->count < MOST_KEYS);
    if (known->count < MOST_KEYS)
        known->name[known->count++] = name;
}

static bool is_known(const known_names *known, const char *name)
{
    for (int i = 0; i < known->count; i++)
        if (known->name[i][0] == name[0] && strcmp(known->name[i], name) == 0)
            return true;
    return false;
}

// A piece of an expression that fell apart at its commas: a number, or with parentheses.
static bool is_torn(const char *key)
{
    return strpbrk(key, "()") || strspn(key, "+-.0123456789") == strlen(key);
}

tn_status tn_check_keys(const tn_element *e, int n, const tn_param *params, int nlist,
                        const tn_key_list *lists)
{
    known_names known = {0};
    tn_status status = TN_OK;
    for (int k = 0; k < nlist; k++)
        for (int i = 0; i < lists[k].count; i++)
            add_name(&known, lists[k].at[i].name);
    for (int i = 0; i < n; i++)
        add_name(&known, params[i].name);
    for (int i = 0; i < e->map->count; i++) {
        const tn_node *key = e->map->keys[i];
        if (is_known(&known, key->text))
            continue;
        status = tn_node_fail(e->reader->doc, key, TN_ERR_MODEL, "%s%sunknown key %s; %s", e->owner,
                              *e->owner ? ": " : "", tn_node_found(key).text,
                              is_torn(key->text)
                                  ? "an expression with commas needs quotes within { }"
                                  : tn_name_hint(key->text, known.count, known.name).text);
        tn_keep_mistake(e->reader);
    }
    return status;
}

static tn_status check_map(tn_element *e)
{
    static const tn_node empty = {.kind = TN_NODE_MAP};
    if (e->map->kind == TN_NODE_NULL)
        e->map = &empty;
    return e->map->kind == TN_NODE_MAP
               ? TN_OK
               : tn_node_expected(e->reader->doc, e->map, e->owner, "a map");
}

tn_status tn_element_open(tn_reader *r, const tn_node *key, const tn_node *value, tn_element *out)
{
    out->reader = r;
    out->key = key;
    out->map = value;
    out->planar = false;
    out->along = NULL;
    return check_map(out);
}

tn_status tn_read_distances(const tn_element *e, const char *key, const char *example, int *count,
                            const double **at, const char *const **name)
{
    const tn_reader *r = e->reader;
    const tn_node *map = tn_element_get(e, key);
    const tn_words what = tn_element_words(e, key);
    char wanted[80];
    if (!map)
        return TN_OK;
    snprintf(wanted, sizeof wanted, "names with distances, %s", example);
    if (map->kind != TN_NODE_MAP)
        return tn_node_expected(r->doc, map, what.text, wanted);
    double *places = tn_document_take(r->doc, (size_t)(map->count + 1) * sizeof *places);
    const char **names = tn_document_take(r->doc, (size_t)(map->count + 1) * sizeof *names);
    TN_TRY(tn_got(places));
    TN_TRY(tn_got(names));
    for (int i = 0; i < map->count; i++) {
        names[i] = map->keys[i]->text;
        TN_TRY(tn_read_number(r, map->children[i], what.text, "m", &places[i]));
    }
    *count = map->count;
    *at = places;
    *name = names;
    return TN_OK;
}

tn_status tn_element_child(const tn_element *e, const char *key, tn_element *out)
{
    out->reader = e->reader;
    out->planar = e->planar;
    out->along = e->along;
    out->map = NULL;
    for (int i = 0; i < e->map->count; i++)
        if (strcmp(e->map->keys[i]->text, key) == 0) {
            out->key = e->map->keys[i];
            out->map = e->map->children[i];
        }
    if (!out->map)
        return TN_OK;
    TN_JOIN(out->owner, e->owner, ": ", key);
    return check_map(out);
}

const tn_node *tn_element_get(const tn_element *e, const char *key)
{
    return tn_node_get(e->map, key);
}

tn_words tn_element_words(const tn_element *e, const char *key)
{
    tn_words words;
    TN_JOIN(words.text, e->owner, ": ", key);
    return words;
}

tn_status tn_element_number(const tn_element *e, const char *key, const char *unit, double *out)
{
    const tn_node *node = tn_element_get(e, key);
    return node ? tn_read_number(e->reader, node, tn_element_words(e, key).text, unit, out) : TN_OK;
}

tn_status tn_element_vector(const tn_element *e, const char *key, const char *unit, bool planar,
                            tn_vec3 *out)
{
    const tn_node *node = tn_element_get(e, key);
    return node ? tn_read_vector(e->reader, node, tn_element_words(e, key).text, unit, planar, out)
                : TN_OK;
}

tn_status tn_element_fail(const tn_element *e, const char *format, ...)
{
    char sentence[1024];
    TN_SENTENCE(sentence, format);
    return tn_node_fail(e->reader->doc, e->key, TN_ERR_MODEL, "%s: %s", e->owner, sentence);
}

tn_place tn_node_place(const tn_node *node)
{
    return (tn_place){node->line, node->column, node->text_column, node->source};
}

tn_place tn_key_place(const tn_node *key)
{
    return (tn_place){key->line, key->column, 0, key->source};
}

static tn_status note_keys(const tn_element *e, int element, const tn_node *map)
{
    for (int i = 0; map && i < map->count && map->keys; i++)
        TN_TRY(tn_place_add_key_of(e->reader->model, element, map->keys[i]->text,
                                   tn_node_place(map->children[i])));
    return TN_OK;
}

tn_status tn_element_note(const tn_element *e)
{
    TN_ASSERT(e->key->line > 0);
    int element;
    TN_TRY(tn_place_enter(e->reader->model, e->owner, tn_key_place(e->key), &element));
    TN_TRY(note_keys(e, element, e->map));
    return note_keys(e, element, tn_node_get(e->map, "initial")); // builders name these without it
}

tn_status tn_element_locate(const tn_element *e, tn_status status)
{
    const size_t length = strlen(e->owner);
    const char *text = tn_last_error();
    tn_place at = tn_node_place(e->key);
    if (status == TN_OK)
        return TN_OK;
    if (strncmp(text, e->owner, length) == 0)
        tn_place_find_key(e->reader->model, text, length, &at);
    at = tn_place_within(at, tn_place_told_column());
    const tn_node place = {.source = at.source};
    return tn_fail_used(tn_fail_within(status, "%s:%d:%d", tn_node_file(e->reader->doc, &place),
                                       at.line, at.column),
                        tn_node_used(e->reader->doc, &place));
}
