// SPDX-License-Identifier: MIT
//
// One body, joint, force or event of a model file: its map becomes a definition, and the definition
// is added to the model.

#include "kinds/family.h"
#include "model/builder.h"
#include "model/model.h"
#include "model/output.h"
#include "model/signal_names.h"
#include "read/model_yaml.h"
#include "text/join.h"

#include <stdio.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180.0;

tn_status tn_element_begin(tn_reader *r, const char *list, int place, const tn_node *section,
                           tn_element *out)
{
    const tn_node *key = section->keys[place];
    TN_JOIN(out->owner, list, " '", key->text, "'");
    if (!*key->text)
        return tn_node_fail(r->doc, key, TN_ERR_MODEL, "%s without a name; write one", list);
    TN_TRY(tn_element_open(r, key, section->children[place], out));
    return tn_element_note(out);
}

tn_status tn_read_kind(const tn_element *e, const char *fallback, tn_family family, int *out)
{
    const tn_node *node = tn_element_get(e, "kind");
    const char *name = fallback;
    if (node)
        TN_TRY(tn_node_string(e->reader->doc, node, tn_element_words(e, "kind").text, &name));
    if (!name)
        return tn_element_fail(e, "missing key 'kind'");
    *out = tn_find_kind(family, name);
    if (*out >= 0)
        return TN_OK;
    return tn_node_within(e->reader->doc, node, TN_ERR_MODEL, e->owner);
}

// Bodies -----------------------------------------------------------------------------------------

int tn_body_property_count(const tn_body_ops *ops)
{
    int count = 0;
    while (count < ops->nparam && ops->params[count].offset < offsetof(tn_body_def, frame))
        count++;
    return count;
}

static tn_status read_body_angle(const tn_element *initial, tn_body_def *def)
{
    const bool degrees = tn_element_get(initial, "angle_deg"),
               radians = tn_element_get(initial, "angle");
    double angle = 0.0;
    if (!degrees && !radians)
        return TN_OK;
    if (def->given_rotation || (degrees && radians))
        return tn_element_fail(initial, "both '%s' and '%s' are stated; leave out one",
                               degrees ? "angle_deg" : "angle",
                               def->given_rotation ? "orientation" : "angle");
    TN_TRY(tn_read_angle(initial, &angle));
    def->frame.R = tn_m3_rot_z(angle);
    def->given_rotation = true;
    return TN_OK;
}

const char *const tn_guess_names[] = {"none", "position", "orientation", "both", NULL};

tn_status tn_read_guess(const tn_element *initial, bool *position, bool *rotation)
{
    int guess = 0;
    TN_TRY(tn_read_rule(initial, "guess", tn_guess_names, &guess));
    *position = *position && !(guess & TN_GUESS_POSITION);
    *rotation = *rotation && !(guess & TN_GUESS_ORIENTATION);
    return TN_OK;
}

static tn_status read_body_start(const tn_element *e, int n, const tn_param *params,
                                 tn_body_def *def)
{
    tn_element initial;
    const bool planar = tn_body_ops_of((int)def->kind)->turns == 1;
    TN_TRY(tn_element_child(e, "initial", &initial));
    if (!initial.map)
        return TN_OK;
    TN_TRY(TN_CHECK_KEYS(&initial, n, params, tn_keys_body_start,
                         planar ? tn_keys_planar_start : tn_keys_none));
    TN_TRY(tn_read_params(&initial, n, params, def));
    TN_TRY(read_body_angle(&initial, def));
    return tn_read_guess(&initial, &def->given_position, &def->given_rotation);
}

static tn_status read_properties(const tn_element *e, int n, const tn_param *params,
                                 tn_body_def *def)
{
    const tn_node *node = tn_element_get(e, "massless");
    bool massless = false;
    if (node)
        TN_TRY(tn_node_bool(e->reader->doc, node, tn_element_words(e, "massless").text, &massless));
    TN_TRY(tn_read_mass_of_shapes(e, tn_body_ops_of((int)def->kind), def));
    for (int i = 0; i < n; i++) {
        const tn_node *stated = tn_element_get(e, params[i].name);
        if (def->of_shapes && tn_is_mass_key(params[i].name))
            continue;
        if (!massless && !stated && params[i].required)
            return tn_element_fail(e, "missing key '%s' [%s]; state it, or 'massless: true'%s",
                                   params[i].name, params[i].unit,
                                   tn_body_ops_of((int)def->kind)->turns > 0
                                       ? ", or 'density' for that of its shapes"
                                       : "");
        if (stated || !massless)
            TN_TRY(tn_read_params(e, 1, params + i, def));
    }
    if (massless) {
        def->mass = 0.0;
        def->inertia = def->products = (tn_vec3){0};
    }
    return TN_OK;
}

static tn_status place_body(const tn_element *e, const tn_body_ops *ops, tn_body_def *def)
{
    const tn_frame *frame = NULL;
    TN_TRY(tn_element_frame(e, &frame));
    if (ops->moves == 2)
        TN_TRY(tn_check_placed_plane(e, frame));
    return tn_place_params(e, ops->nparam, ops->params, def);
}

tn_status tn_read_body(tn_reader *r, int place, const tn_node *section)
{
    tn_body_def def = tn_default_body();
    tn_element e;
    int kind = 0;
    TN_TRY(tn_element_begin(r, "body", place, section, &e));
    if (strcmp(e.key->text, "ground") == 0)
        return tn_element_fail(&e, "the name stands for the inertial frame; choose another");
    const tn_node *stated = tn_element_get(&e, "kind");
    if (stated && stated->kind == TN_NODE_SCALAR && strcmp(stated->text, "beam") == 0)
        return tn_read_beam(&e);
    if (stated && stated->kind == TN_NODE_SCALAR && strcmp(stated->text, "modal") == 0)
        return tn_read_modal(&e);
    TN_TRY(tn_read_kind(&e, "rigid", TN_FAMILY_BODY, &kind));
    def.name = e.key->text;
    def.kind = (tn_body_kind)kind;
    const tn_body_ops *ops = tn_body_ops_of(kind);
    const tn_param *params = ops->params;
    const int split = tn_body_property_count(ops);
    e.planar = ops->moves == 2;
    TN_TRY(TN_CHECK_KEYS(&e, split, params, tn_keys_body));
    TN_TRY(read_properties(&e, split, params, &def));
    TN_TRY(read_body_start(&e, ops->nparam - split, params + split, &def));
    TN_TRY(place_body(&e, ops, &def));
    const tn_body body = tn_model_add_body(r->model, &def);
    TN_TRY(tn_element_locate(&e, tn_model_status(r->model)));
    return tn_read_shapes(&e, body, (tn_beam){-1});
}

// Joints -----------------------------------------------------------------------------------------

// Meaning of `axis`, by the kind that the model will use for these bodies.
static tn_axis_role axis_role(const tn_model *model, const tn_joint_ops *ops,
                              const tn_attachment *at)
{
    const bool planar = tn_pair_is_planar(model, at->a, at->b);
    const tn_joint_ops *used = planar && ops->planar ? ops->planar : ops;
    if (used->dim == 2) {
        for (int i = 0; i < used->ncoord; i++)
            if (strcmp(used->coords[i].unit, "m") == 0)
                return TN_AXIS_IN_PLANE;
        return TN_AXIS_NORMAL;
    }
    return !used->axis_is_x ? TN_AXIS_Z : planar ? TN_AXIS_IN_PLANE : TN_AXIS_X;
}

static tn_status read_joint_place(tn_element *e, const tn_joint_ops *ops, tn_joint_def *def)
{
    const tn_attachment_kind kind = ops->prescribe   ? TN_ATTACHMENT_SINGLE
                                    : ops->nroll > 0 ? TN_ATTACHMENT_APART
                                                     : TN_ATTACHMENT_PAIR;
    const bool coincide = kind == TN_ATTACHMENT_PAIR && !tn_row_spans(ops->rows);
    tn_attachment at;
    TN_TRY(tn_read_bodies(e, kind == TN_ATTACHMENT_SINGLE, &at));
    e->planar = tn_pair_is_planar(e->reader->model, at.a, at.b);
    TN_TRY(tn_read_frames(e, kind, axis_role(e->reader->model, ops, &at), &at));
    if (coincide)
        tn_sit_on_node(e, &at);
    TN_TRY(tn_over_attachment(e, kind == TN_ATTACHMENT_SINGLE, &at));
    def->body_a = at.a;
    def->body_b = at.b;
    def->frame_a = at.frame_a;
    def->frame_b = at.frame_b;
    return TN_OK;
}

// Returns true if coordinate i of a joint is an angle; a ball has one only in the plane.
static bool is_angle(const tn_joint_ops *ops, int i)
{
    return i >= ops->ncoord || strcmp(ops->coords[i].unit, "rad") == 0;
}

// The unit of coordinate i in `position`, `guess`, those in degrees, or `rate`.
static const char *start_unit(const tn_joint_ops *ops, const char *key, int i)
{
    const bool angle = is_angle(ops, i);
    if (strcmp(key, "rate") == 0)
        return angle ? "rad/s" : "m/s";
    return !angle ? "m" : strstr(key, "_deg") ? "deg" : "rad";
}

// A number, or a list of at most three; whether the joint has so many coordinates the model checks.
static tn_status read_coordinates(const tn_element *initial, const tn_joint_ops *ops,
                                  const char *key, int *n, double *out)
{
    const tn_reader *r = initial->reader;
    const tn_node *node = tn_element_get(initial, key);
    const tn_words what = tn_element_words(initial, key);
    if (!node)
        return TN_OK;
    *n = 1;
    if (node->kind != TN_NODE_SEQUENCE)
        return tn_read_number(r, node, what.text, start_unit(ops, key, 0), out);
    if (node->count > TN_JOINT_MAX_COORDS)
        return tn_node_fail(r->doc, node, TN_ERR_MODEL, "%s: expected at most %d numbers, found %d",
                            what.text, TN_JOINT_MAX_COORDS, node->count);
    *n = node->count;
    for (int i = 0; i < node->count; i++)
        TN_TRY(tn_read_number(r, node->children[i], what.text, start_unit(ops, key, i), &out[i]));
    return TN_OK;
}

static tn_status from_degrees(const tn_element *initial, const char *key, const tn_joint_ops *ops,
                              int n, double *values)
{
    bool some = n == 0;
    for (int i = 0; i < n; i++)
        if (is_angle(ops, i)) {
            values[i] *= DEGREE;
            some = true;
        }
    if (some)
        return TN_OK;
    return tn_element_fail(initial, "'%s' is in degrees, but a %s joint has no angle; write '%.*s'",
                           key, ops->name, (int)(strlen(key) - strlen("_deg")), key);
}

// Exact or guessed, in radians or in degrees.
static tn_status read_joint_position(const tn_element *initial, tn_joint_def *def)
{
    static const struct {
        const char *key;
        bool guess, degrees;
    } ways[] = {{"position", false, false},
                {"position_deg", false, true},
                {"guess", true, false},
                {"guess_deg", true, true}};
    const tn_joint_ops *ops = tn_joint_ops_of(def->kind);
    const char *stated = NULL;
    for (int k = 0; k < TN_COUNT(ways); k++) {
        const char *key = ways[k].key;
        if (!tn_element_get(initial, key))
            continue;
        if (stated)
            return tn_element_fail(initial, "both '%s' and '%s' are stated; leave out one", stated,
                                   key);
        stated = key;
        def->guess = ways[k].guess;
        TN_TRY(read_coordinates(initial, ops, key, &def->nposition, def->position));
        if (ways[k].degrees)
            TN_TRY(from_degrees(initial, key, ops, def->nposition, def->position));
    }
    return TN_OK;
}

static tn_status read_joint_start(const tn_element *e, tn_joint_def *def)
{
    tn_element initial;
    TN_TRY(tn_element_child(e, "initial", &initial));
    if (!initial.map)
        return TN_OK;
    TN_TRY(TN_CHECK_KEYS(&initial, 0, NULL, tn_keys_joint_start));
    TN_TRY(read_joint_position(&initial, def));
    return read_coordinates(&initial, tn_joint_ops_of((int)def->kind), "rate", &def->nrate,
                            def->rate);
}

static const tn_param joint_params[] = {
    TN_PARAM(tn_joint_def, share, NUMBER, "share", "", .range = TN_POSITIVE,
             .text = "how stiff it is beside others"),
    TN_PARAM(tn_joint_def, one_sided, BOOL, "one_sided", "", .text = "bodies may part"),
    TN_PARAM(tn_joint_def, restitution, NUMBER, "restitution", "", .text = "of impacts"),
    TN_PARAM(tn_joint_def, friction, NUMBER, "friction", "", .text = "where they press"),
    TN_PARAM(tn_joint_def, impact_without_collision, BOOL, "impact_without_collision", "",
             .text = "where they jam"),
};

static tn_status read_joint(tn_reader *r, int place, const tn_node *section, tn_joint *out)
{
    tn_element e;
    int kind = 0;
    TN_TRY(tn_element_begin(r, "joint", place, section, &e));
    TN_TRY(tn_read_kind(&e, NULL, TN_FAMILY_JOINT, &kind));
    const tn_joint_ops *ops = tn_joint_ops_of(kind);
    tn_joint_def def = tn_default_joint((tn_joint_kind)kind);
    def.name = e.key->text;
    TN_TRY(TN_CHECK_KEYS(&e, ops->nparam, ops->params, tn_keys_joint,
                         ops->prescribe ? tn_keys_driven : tn_keys_none, tn_joint_place_keys(ops)));
    if (ops->prescribe && tn_part_ground(r->doc, e.key))
        return tn_node_fail(r->doc, tn_element_get(&e, "kind"), TN_ERR_MODEL,
                            "kind: a pose-drive moves its body as the inertial frame sees it, but "
                            "the ground of this part is '%s' by 'names'; hold the body by joints "
                            "instead",
                            tn_part_ground(r->doc, e.key));
    if (ops->relative)
        TN_TRY(read_joint_place(&e, ops, &def));
    TN_TRY(tn_read_params(&e, ops->nparam, ops->params, &def));
    TN_TRY(tn_read_params(&e, TN_COUNT(joint_params), joint_params, &def));
    if (ops->prescribe)
        TN_TRY(tn_place_pose(&e, &def));
    TN_TRY(read_joint_start(&e, &def));
    *out = tn_model_add_joint(r->model, &def);
    return tn_element_locate(&e, tn_model_status(r->model));
}

tn_status tn_read_joint(tn_reader *r, int place, const tn_node *section)
{
    tn_joint id = {TN_JOINT_UNREAD};
    r->joint_ids[place] = TN_JOINT_READING;
    const tn_status s = read_joint(r, place, section, &id);
    r->joint_ids[place] = id.index;
    return s;
}

// Forces -----------------------------------------------------------------------------------------

static tn_status read_force_joint(const tn_element *e, bool any, tn_force_def *def)
{
    const tn_node *joint = tn_element_get(e, "joint");
    const tn_node *coordinate = tn_element_get(e, "coordinate");
    if (!joint)
        return tn_element_fail(e, "missing key 'joint': the joint that the force acts in");
    TN_TRY(any ? tn_read_any_joint(e->reader, joint, e->owner, &def->joint)
               : tn_read_joint_name(e->reader, joint, e->owner, &def->joint));
    if (!coordinate)
        return TN_OK;
    return tn_read_coordinate(e->reader, coordinate, tn_element_words(e, "coordinate").text,
                              def->joint, &def->coordinate);
}

static tn_status read_force_place(tn_element *e, const tn_force_ops *ops, tn_force_def *def)
{
    tn_attachment at;
    if (ops->on_joint) {
        TN_TRY(read_force_joint(e, ops->slips, def));
        e->along = tn_coordinate_unit(e->reader->model, def->joint, def->coordinate);
        return TN_OK;
    }
    TN_TRY(tn_read_bodies(e, ops->single, &at));
    e->planar = tn_pair_is_planar(e->reader->model, at.a, at.b);
    TN_TRY(
        tn_read_frames(e, ops->single ? TN_ATTACHMENT_SINGLE : TN_ATTACHMENT_PAIR, TN_AXIS_Z, &at));
    TN_TRY(tn_over_attachment(e, ops->single, &at));
    def->body_a = at.a;
    def->body_b = at.b;
    def->frame_a = at.frame_a;
    def->frame_b = at.frame_b;
    return TN_OK;
}

static tn_status set_expressions(const tn_element *e, const tn_force_ops *ops, tn_force force)
{
    for (int i = 0; i < ops->nparam; i++) {
        const tn_node *node = tn_element_get(e, ops->params[i].name);
        bool live;
        TN_TRY(tn_param_is_live(e->reader, &ops->params[i], node, &live));
        if (live)
            TN_TRY(tn_model_set_force_expression(e->reader->model, force, ops->params[i].name,
                                                 node->text));
        else if (ops->params[i].affine && node && tn_node_is_expression(node)) // of parameters
            TN_TRY(tn_force_check_names(e->reader->model, force.index,
                                        tn_element_words(e, ops->params[i].name).text, node->text));
    }
    return TN_OK;
}

tn_status tn_read_force(tn_reader *r, int place, const tn_node *section)
{
    tn_element e;
    int kind = 0;
    TN_TRY(tn_element_begin(r, "force", place, section, &e));
    TN_TRY(tn_read_kind(&e, NULL, TN_FAMILY_FORCE, &kind));
    const tn_force_ops *ops = tn_force_ops_of(kind);
    tn_force_def def = tn_default_force((tn_force_kind)kind);
    def.name = e.key->text;
    TN_TRY(TN_CHECK_KEYS(&e, ops->nparam, ops->params, tn_keys_force, tn_force_place_keys(ops)));
    TN_TRY(read_force_place(&e, ops, &def));
    TN_TRY(tn_read_params(&e, ops->nparam, ops->params, &def));
    if (kind != TN_FORCE_POINT || !def.point.follower) // which turns with its body anyway
        TN_TRY(tn_place_params(&e, ops->nparam, ops->params, &def));
    const tn_force force = tn_model_add_force(r->model, &def);
    TN_TRY(tn_element_locate(&e, tn_model_status(r->model)));
    return tn_element_locate(&e, set_expressions(&e, ops, force));
}

// Inputs -----------------------------------------------------------------------------------------

// A number stands for the value of a held input.
tn_status tn_read_input(tn_reader *r, int place, const tn_node *section)
{
    const tn_node *key = section->keys[place], *node = section->children[place];
    tn_input_def def = tn_default_input();
    tn_element e = {.reader = r, .key = key, .map = section};
    def.name = key->text;
    if (node->kind == TN_NODE_SCALAR) {
        snprintf(e.owner, sizeof(e.owner), "input '%s'", key->text);
        TN_TRY(tn_place_add(r->model, e.owner, tn_key_place(key)));
        TN_TRY(tn_read_number(r, node, e.owner, NULL, &def.value));
    } else {
        TN_TRY(tn_element_begin(r, "input", place, section, &e));
        TN_TRY(TN_CHECK_KEYS(&e, tn_input_param_count, tn_input_params, tn_keys_none));
        TN_TRY(tn_read_params(&e, tn_input_param_count, tn_input_params, &def));
    }
    tn_model_add_input(r->model, &def);
    return tn_element_locate(&e, tn_model_status(r->model));
}

// Events -----------------------------------------------------------------------------------------

tn_status tn_read_event(tn_reader *r, int place, const tn_node *section)
{
    tn_event_def def = tn_default_event();
    tn_element e;
    TN_TRY(tn_element_begin(r, "event", place, section, &e));
    def.name = e.key->text;
    TN_TRY(TN_CHECK_KEYS(&e, tn_event_param_count, tn_event_params, tn_keys_none));
    if (tn_element_get(&e, "coordinate") && !tn_element_get(&e, "joint"))
        return tn_element_fail(&e, "'coordinate' is stated, but no 'joint' that has it");
    if (tn_element_get(&e, "axis") && !tn_element_get(&e, "body"))
        return tn_element_fail(&e, "'axis' is stated, but no 'body' whose origin it is");
    e.along = tn_element_get(&e, "body") ? "m" : NULL;
    TN_TRY(tn_read_params(&e, tn_event_param_count, tn_event_params, &def));
    return tn_element_locate(&e, tn_model_add_event(r->model, &def));
}

// Outputs ----------------------------------------------------------------------------------------

// Keys that say something about a point, for an expression or a distance, which have none.
static tn_status check_output_keys(const tn_element *e, const tn_output_def *def)
{
    static const char *const of_point[] = {"point", "quantity", "axis", "in", "from"};
    for (int i = 0; def->value && i < TN_COUNT(of_point); i++)
        if (tn_element_get(e, of_point[i]))
            return tn_element_fail(e, "'%s' is stated beside 'value'; it is for a point",
                                   of_point[i]);
    const bool distance = def->quantity == TN_OUTPUT_DISTANCE, axis = tn_element_get(e, "axis");
    if (distance && axis)
        return tn_element_fail(e, "a distance has no 'axis'");
    if (!distance && !axis && !def->value && def->of.index >= 0)
        return tn_element_fail(e, "missing key 'axis': which component, x, y or z");
    return TN_OK;
}

// Points of bodies that move in planes may leave out z.
static tn_status find_plane(tn_element *e)
{
    static const char *const keys[] = {"of", "in"};
    const tn_frame *frame;
    e->planar = true;
    for (int i = 0; i < TN_COUNT(keys); i++) {
        const tn_node *node = tn_element_get(e, keys[i]);
        tn_body body = TN_GROUND;
        if (node)
            TN_TRY(tn_read_place_name(e->reader, node, e->owner, &body, &frame));
        e->planar = e->planar && tn_body_is_planar(e->reader->model, body);
    }
    return TN_OK;
}

// A point of the ground is placed with the assembly; of one that is mounted on a body it is that of
// the body which is there at the start.
static tn_status place_point(const tn_element *e, const char *key, const char *point, tn_body body,
                             const tn_frame *frame, tn_vec3 *p)
{
    const tn_node *name = tn_element_get(e, key);
    const bool mounted = name && name->mounted;
    if (frame && (mounted || body.index == TN_GROUND.index))
        *p = tn_frame_point(*frame, *p);
    if (mounted) {
        const tn_frame *start = &e->reader->model->bodies.at[body.index].def.frame;
        *p = tn_m3_apply_t(start->R, tn_v3_sub(*p, start->p));
    }
    const bool moved = mounted || (frame && body.index == TN_GROUND.index);
    return moved && tn_is_over(e) ? tn_over_vector(e, "", point, *p) : TN_OK;
}

static tn_status place_output(const tn_element *e, tn_output_def *def)
{
    const tn_frame *frame = NULL;
    TN_TRY(tn_element_frame(e, &frame));
    const tn_frame *on = NULL; // a named frame, which is placed itself
    if (def->value)
        return TN_OK;
    if (tn_element_get(e, "of"))
        TN_TRY(tn_read_place_name(e->reader, tn_element_get(e, "of"), e->owner, &def->of, &on));
    if (on)
        def->point = tn_frame_point(*on, def->point);
    else
        TN_TRY(place_point(e, "of", "point", def->of, frame, &def->point));
    return tn_element_get(e, "from") ? place_point(e, "in", "from", def->in, frame, &def->from)
                                     : TN_OK;
}

// A text stands for an expression.
tn_status tn_read_output(tn_reader *r, int place, const tn_node *section)
{
    const tn_node *key = section->keys[place], *node = section->children[place];
    tn_output_def def = tn_default_output();
    tn_element e = {.reader = r, .key = key, .map = section};
    def.name = key->text;
    if (node->kind == TN_NODE_SCALAR) {
        snprintf(e.owner, sizeof(e.owner), "output '%s'", key->text);
        TN_TRY(tn_place_add(r->model, e.owner, tn_key_place(key)));
        TN_TRY(tn_place_add_key(r->model, e.owner, "value", tn_node_place(node)));
        TN_TRY(tn_node_resolve(r->doc, node, TN_PART_NUMBER));
        def.value = node->text;
    } else {
        TN_TRY(tn_element_begin(r, "output", place, section, &e));
        TN_TRY(TN_CHECK_KEYS(&e, tn_output_param_count, tn_output_params, tn_keys_none));
        TN_TRY(find_plane(&e));
        TN_TRY(tn_read_params(&e, tn_output_param_count, tn_output_params, &def));
        TN_TRY(place_output(&e, &def));
        TN_TRY(check_output_keys(&e, &def));
    }
    return tn_element_locate(&e, tn_model_add_output(r->model, &def));
}
