// SPDX-License-Identifier: MIT
//
// The text of the model of a robot, as a person would write it: what is zero or usual is left out,
// numbers have the fewest digits that read back as the same, and comments tell lines of the file.
// For each line of the text the line of the file is kept, so that mistakes are told there.

#include "import/robot.h"

#include "lie/so3.h"
#include "text/number.h"

#include <string.h>
#include <strings.h>

typedef struct writer {
    tn_robot *robot;
    tn_buffer *out;
    tn_origins *origins;
    const char *file; // its name without folders, for comments
    int line;         // that what is written comes from
    tn_status status;
} writer;

// Pieces -----------------------------------------------------------------------------------------

static void put(writer *w, const char *text)
{
    tn_buffer_say(w->out, text);
}

static void end_line(writer *w)
{
    put(w, "\n");
    TN_THEN(w->status, tn_array_push(w->origins, w->line));
}

// Names that YAML takes for something else stand in quotes, and others for safety, too.
static void put_name(writer *w, const char *name)
{
    static const char *const words[] = {"true", "false", "null", "yes", "no",
                                        "on",   "off",   "y",    "n"};
    bool plain = (*name >= 'A' && *name <= 'Z') || (*name >= 'a' && *name <= 'z') || *name == '_';
    for (int i = 0; i < TN_COUNT(words); i++)
        plain &= strcasecmp(name, words[i]) != 0;
    tn_buffer_format(w->out, plain ? "%s" : "\"%s\"", name);
}

static void put_number(writer *w, double value)
{
    char text[TN_NUMBER_SIZE];
    tn_number_text(value == 0.0 ? 0.0 : value, text); // no minus before zero
    put(w, text);
}

static void put_numbers(writer *w, const char *key, int n, const double *values)
{
    tn_buffer_format(w->out, "%s: [", key);
    for (int i = 0; i < n; i++) {
        put(w, i > 0 ? ", " : "");
        put_number(w, values[i]);
    }
    put(w, "]");
}

static void put_vector(writer *w, const char *key, tn_vec3 v)
{
    put_numbers(w, key, 3, &v.x);
}

static void put_value(writer *w, const char *key, double value)
{
    put(w, ", ");
    if (key)
        tn_buffer_format(w->out, "%s: ", key);
    put_number(w, value);
}

static void begin_section(writer *w, const char *name)
{
    end_line(w);
    tn_buffer_format(w->out, "%s:", name);
    end_line(w);
}

// "  elbow: # arm.urdf:31"
static void begin_element(writer *w, const char *name, int line)
{
    w->line = line;
    put(w, "  ");
    put_name(w, name);
    tn_buffer_format(w->out, ": # %s:%d", w->file, line);
    end_line(w);
}

static bool is_zero(tn_vec3 v)
{
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

static bool is_identity(tn_mat3 R)
{
    return memcmp(&R, &tn_m3_identity, sizeof R) == 0;
}

static void put_rotation(writer *w, tn_mat3 R)
{
    const tn_quat e = tn_quat_from_matrix(R);
    put(w, "orientation: {");
    put_numbers(w, "quaternion", 4, &e.w);
    put(w, "}");
}

// By angles where these tell it.
static void put_turn(writer *w, tn_mat3 R, const tn_vec3 *turn)
{
    if (!turn) {
        put_rotation(w, R);
        return;
    }
    put(w, "orientation: {");
    put_vector(w, "angles", *turn);
    put(w, "}");
}

// Bodies -----------------------------------------------------------------------------------------

static void put_inertia(writer *w, const tn_robot_link *body)
{
    const tn_mat3 *I = &body->sum.inertia;
    const double found[] = {I->m[0][0], I->m[1][1], I->m[2][2], I->m[0][1], I->m[0][2], I->m[1][2]};
    const double *m = body->moment_known ? body->moments : found;
    put(w, "    ");
    put_numbers(w, "inertia", 3, m);
    end_line(w);
    if (m[3] != 0.0 || m[4] != 0.0 || m[5] != 0.0) {
        put(w, "    ");
        put_numbers(w, "products", 3, m + 3);
        end_line(w);
    }
    if (body->keeps) {
        put(w, "    keep_inertia: true");
        end_line(w);
    }
    if (body->moment_known && !is_zero(body->turn)) {
        put(w, "    inertia_axes: {");
        put_vector(w, "angles", body->turn);
        put(w, "}");
        end_line(w);
    }
}

static void put_mass(writer *w, const tn_robot_link *body)
{
    if (!body->weighs) {
        put(w, "    massless: true");
        end_line(w);
        return;
    }
    put(w, "    mass: ");
    put_number(w, body->sum.mass);
    end_line(w);
    if (!is_zero(body->sum.com)) {
        put(w, "    ");
        put_vector(w, "com", body->sum.com);
        end_line(w);
    }
    put_inertia(w, body);
}

// Where a body starts that no joint places.
static void put_start(writer *w, const tn_robot_link *body)
{
    if (body->joint >= 0 && w->robot->joints.at[body->joint].kind != TN_ROBOT_FLOATING)
        return;
    put(w, "    initial: {");
    put_vector(w, "position", body->start.p);
    if (!is_identity(body->start.R)) {
        put(w, ", ");
        put_rotation(w, body->start.R);
    }
    put(w, "}");
    end_line(w);
}

static void put_shape(writer *w, int indent, const tn_robot_link *link, const tn_robot_shape *shape)
{
    const tn_frame at = tn_frame_mul(link->in_body, shape->frame);
    w->line = shape->line;
    tn_buffer_format(w->out, "%*s- {kind: %s, ", indent + 2, "", shape->kind);
    if (strcmp(shape->kind, "mesh") == 0) {
        tn_buffer_format(w->out, "file: \"%s\"", shape->file);
        if (shape->size[0] != 1.0)
            put_value(w, "scale", shape->size[0]);
    } else if (strcmp(shape->kind, "box") == 0) {
        put_numbers(w, "size", 3, shape->size);
    } else {
        put(w, "radius: ");
        put_number(w, shape->size[0]);
        if (shape->size[1] > 0.0)
            put_value(w, "length", shape->size[1]);
    }
    if (!is_zero(at.p)) {
        put(w, ", ");
        put_vector(w, "at", at.p);
    }
    if (!is_identity(at.R)) {
        put(w, ", ");
        put_rotation(w, at.R);
    }
    if (shape->color >= 0)
        tn_buffer_format(w->out, ", color: \"#%06x\"", (unsigned)shape->color);
    put(w, "}");
    end_line(w);
}

// Links of each body in a list, since a body is written once and has links all over the tree.
typedef struct members {
    int *first, *next; // of bodies, the ground at the end; of links
} members;

static tn_status list_members(tn_robot *robot, members *out)
{
    const int n = robot->links.count;
    out->first = tn_pool_take(&robot->memory, (size_t)(2 * n + 1) * sizeof *out->first);
    TN_TRY(tn_got(out->first));
    out->next = out->first + n + 1;
    for (int i = 0; i <= n; i++)
        out->first[i] = TN_ROBOT_NONE;
    for (int k = n; k-- > 0;) {
        const int i = robot->order[k], body = robot->links.at[i].body;
        int *first = &out->first[body < 0 ? n : body];
        out->next[i] = *first;
        *first = i;
    }
    return TN_OK;
}

// Returns true where a shape is drawn: what is for collisions only where nothing else is there.
static bool is_shown(const tn_robot *robot, const tn_robot_link *link, const tn_robot_shape *shape)
{
    for (int s = link->first_shape; s >= 0 && shape->collision; s = robot->shapes.at[s].next)
        if (!robot->shapes.at[s].collision)
            return false;
    return strcmp(shape->kind, "mesh") != 0 || shape->file;
}

static void put_shapes(writer *w, const members *of, int body, int indent)
{
    const tn_robot *robot = w->robot;
    bool begun = false;
    for (int i = of->first[body]; i >= 0; i = of->next[i]) {
        const tn_robot_link *link = &robot->links.at[i];
        for (int s = link->first_shape; s >= 0; s = robot->shapes.at[s].next) {
            if (!is_shown(robot, link, &robot->shapes.at[s]))
                continue;
            if (!begun) {
                tn_buffer_format(w->out, "%*sshapes:", indent, "");
                end_line(w);
            }
            begun = true;
            put_shape(w, indent, link, &robot->shapes.at[s]);
        }
    }
}

static void put_ground(writer *w, const members *of)
{
    const size_t before = w->out->length;
    const int lines = w->origins->count;
    end_line(w);
    put(w, "ground:");
    end_line(w);
    const size_t head = w->out->length;
    put_shapes(w, of, w->robot->links.count, 2);
    if (w->out->length == head && !w->out->failed) { // nothing to look at
        w->out->length = before;
        w->origins->count = lines;
    }
}

// A rotor that turns with a coordinate q has the kinetic energy 1/2 a q'^2, as has a wheel on the
// ground that a gear drives.
static void put_rotor(writer *w, tn_robot_joint *joint)
{
    TN_THEN(w->status, tn_robot_new_label(w->robot, 0, joint->label, "_rotor", &joint->rotor));
    if (w->status != TN_OK)
        return;
    w->line = joint->line;
    put(w, "  ");
    put_name(w, joint->rotor);
    put(w, ": {mass: 0");
    put(w, ", ");
    put_numbers(w, "inertia", 3, (double[]){joint->armature, joint->armature, joint->armature});
    tn_buffer_format(w->out, "} # %s:%d", w->file, joint->line);
    end_line(w);
}

static void put_bodies(writer *w, const members *of)
{
    tn_robot *robot = w->robot;
    put_ground(w, of);
    begin_section(w, "bodies");
    for (int k = 0; k < robot->links.count; k++) {
        const tn_robot_link *link = &robot->links.at[robot->order[k]];
        if (link->body != robot->order[k])
            continue;
        begin_element(w, link->label, link->line);
        put_mass(w, link);
        put_start(w, link);
        put_shapes(w, of, robot->order[k], 4);
    }
    for (int j = 0; j < robot->joints.count; j++)
        if (robot->joints.at[j].armature > 0.0)
            put_rotor(w, &robot->joints.at[j]);
}

// A link that is fixed to another one is a frame on that, a root that is held one on the ground.
static void put_frames(writer *w)
{
    const tn_robot *robot = w->robot;
    bool any = false;
    for (int k = 0; k < robot->links.count; k++) {
        const tn_robot_link *link = &robot->links.at[robot->order[k]];
        const tn_robot_joint *joint = link->joint < 0 ? NULL : &robot->joints.at[link->joint];
        if (link->body == robot->order[k])
            continue;
        if (!any)
            begin_section(w, "frames");
        any = true;
        w->line = link->line;
        put(w, "  ");
        put_name(w, link->label);
        put(w, ": {of: ");
        put_name(w, joint ? robot->links.at[joint->parent].label : "ground");
        if (joint && !is_zero(joint->at)) {
            put(w, ", ");
            put_vector(w, "at", joint->at);
        }
        if (joint && !is_identity(joint->origin.R)) {
            put(w, ", ");
            put_turn(w, joint->origin.R, joint->by_matrix ? NULL : &joint->turn);
        }
        tn_buffer_format(w->out, "} # %s:%d", w->file, link->line);
        end_line(w);
    }
}

// Joints -----------------------------------------------------------------------------------------

// A direction at right angles to an axis, the same for the same axis; exact along a coordinate.
static tn_vec3 beside(tn_vec3 axis)
{
    const double size[3] = {fabs(axis.x), fabs(axis.y), fabs(axis.z)};
    double e[3] = {0.0};
    e[size[0] <= size[1] && size[0] <= size[2] ? 0 : size[1] <= size[2] ? 1 : 2] = 1.0;
    const tn_vec3 x = tn_v3_from(e), y = tn_v3_axpy(-tn_v3_dot(x, axis), axis, x);
    return tn_v3_scale(1.0 / tn_v3_norm(y), y);
}

// The frame of a joint on a link: `frame`, turned as `turn` says, there, with its z axis along
// `axis` within.
static void put_frame(writer *w, const char *key, tn_frame frame, tn_vec3 axis, const tn_vec3 *turn)
{
    const bool along_z = axis.x == 0.0 && axis.y == 0.0 && axis.z == 1.0;
    const bool turned = !is_identity(frame.R) || !along_z;
    if (is_zero(frame.p) && !turned)
        return;
    tn_buffer_format(w->out, "    %s: {", key);
    if (!is_zero(frame.p))
        put_vector(w, "at", frame.p);
    put(w, is_zero(frame.p) || !turned ? "" : ", ");
    if (turned && along_z)
        put_turn(w, frame.R, turn);
    else if (turned) {
        put_vector(w, "axis", tn_m3_apply(frame.R, axis));
        put(w, ", ");
        put_vector(w, "axis_2", tn_m3_apply(frame.R, beside(axis)));
    }
    put(w, "}");
    end_line(w);
}

static void put_joint(writer *w, const tn_robot_joint *joint)
{
    static const char *const kinds[TN_ROBOT_KINDS] = {"fixed",  "revolute", "revolute", "prismatic",
                                                      "planar", "",         "spherical"};
    static const tn_vec3 z = {0.0, 0.0, 1.0};
    const tn_robot *robot = w->robot;
    const tn_vec3 axis = joint->kind == TN_ROBOT_FIXED ? z : joint->axis;
    begin_element(w, joint->label, joint->line);
    tn_buffer_format(w->out, "    kind: %s", kinds[joint->kind]);
    end_line(w);
    put(w, "    bodies: [");
    put_name(w, robot->links.at[joint->parent].label);
    put(w, ", ");
    put_name(w, robot->links.at[joint->child].label);
    put(w, "]");
    end_line(w);
    put_frame(w, "frame_a", joint->origin, axis, joint->by_matrix ? NULL : &joint->turn);
    put_frame(w, "frame_b", tn_robot_frame(joint->child_at, joint->child_turn), axis,
              &joint->child_turn);
    if (joint->kind == TN_ROBOT_FIXED || joint->kind == TN_ROBOT_BALL || joint->closes)
        return;
    tn_buffer_format(w->out, "    initial: {%s: ", robot->guess ? "guess" : "position");
    if (joint->kind == TN_ROBOT_PLANAR)
        put(w, "[0, 0, 0]");
    else
        put_number(w, joint->start);
    put(w, "}");
    end_line(w);
}

// "  elbow_stop: {kind: joint-stop, joint: elbow", the beginning of what belongs to a joint.
static void begin_part(writer *w, const tn_robot_joint *joint, const char *tail, const char *kind,
                       const char *key)
{
    const char *label = "";
    w->line = joint->line;
    TN_THEN(w->status, tn_robot_new_label(w->robot, 1, joint->label, tail, &label));
    put(w, "  ");
    put_name(w, label);
    tn_buffer_format(w->out, ": {kind: %s, %s: ", kind, key);
    put_name(w, joint->label);
}

static void put_follower(writer *w, const tn_robot_joint *joint)
{
    begin_part(w, joint, "_mimic", "gear", "joint_1");
    put(w, ", joint_2: ");
    put_name(w, w->robot->joints.at[joint->leader].label);
    put_value(w, "ratio_2", -joint->ratio);
    put_value(w, "offset", joint->offset);
    put(w, "}");
    end_line(w);
}

static void put_rotor_joints(writer *w, tn_robot_joint *joint)
{
    const char *gear = "";
    w->line = joint->line;
    TN_THEN(w->status,
            tn_robot_new_label(w->robot, 1, joint->label, "_rotor", &joint->rotor_joint));
    if (w->status != TN_OK)
        return;
    put(w, "  ");
    put_name(w, joint->rotor_joint);
    put(w, ": {kind: revolute, bodies: [ground, ");
    put_name(w, joint->rotor);
    tn_buffer_format(w->out, "], initial: {%s: ", w->robot->guess ? "guess" : "position");
    put_number(w, joint->start);
    put(w, "}}");
    end_line(w);
    TN_THEN(w->status, tn_robot_new_label(w->robot, 1, joint->label, "_rotor_gear", &gear));
    put(w, "  ");
    put_name(w, gear);
    put(w, ": {kind: gear, joint_1: ");
    put_name(w, joint->rotor_joint);
    put(w, ", joint_2: ");
    put_name(w, joint->label);
    put(w, ", ratio_2: -1, offset: 0}");
    end_line(w);
}

static bool is_written(const tn_robot *robot, const tn_robot_joint *joint)
{
    if (joint->kind == TN_ROBOT_FLOATING)
        return false;
    return joint->kind != TN_ROBOT_FIXED || robot->options->keep_fixed || joint->closes;
}

// Joints of the tree in its order, then those that close loops, then what couples them.
static void put_joints(writer *w)
{
    const tn_robot *robot = w->robot;
    begin_section(w, "joints");
    for (int k = 0; k < robot->links.count; k++) {
        const int j = robot->links.at[robot->order[k]].joint;
        if (j >= 0 && is_written(robot, &robot->joints.at[j]))
            put_joint(w, &robot->joints.at[j]);
    }
    for (int j = 0; j < robot->joints.count; j++)
        if (robot->joints.at[j].closes && is_written(robot, &robot->joints.at[j]))
            put_joint(w, &robot->joints.at[j]);
    for (int j = 0; j < robot->joints.count; j++)
        if (robot->joints.at[j].leader >= 0)
            put_follower(w, &robot->joints.at[j]);
    for (int j = 0; j < robot->joints.count; j++)
        if (robot->joints.at[j].armature > 0.0)
            put_rotor_joints(w, &robot->joints.at[j]);
}

// Forces -----------------------------------------------------------------------------------------

// The speed u of a hit, times the damping d of k p (1 + d p'), at which half of it is left:
// u - log(1 + u) = log(1 / (1 - u/2)) - u/2.
static const double HALF_LEFT = 1.4331;
static const double GRAVITY = 9.81;

// What bends a stop by 0.01 rad or 1 mm: the largest effort of its drive, or the weight of what it
// carries where that is not stated.
static double stop_load(const tn_robot *robot, const tn_robot_joint *joint)
{
    const tn_robot_mass *load = &robot->links.at[joint->child].load;
    const tn_vec3 a = joint->axis, arm = tn_v3_cross(a, load->com);
    if (joint->effort > 0.0)
        return joint->effort;
    if (joint->kind == TN_ROBOT_PRISMATIC)
        return GRAVITY * load->mass;
    const double about = load->mass * tn_v3_dot(arm, arm) +
                         tn_v3_dot(a, tn_m3_apply(load->inertia, a)); // moment of inertia
    return GRAVITY * sqrt(fmax(about, 0.0) * load->mass);
}

// Stops without a way between them are a spring.
static void put_hold(writer *w, const tn_robot_joint *joint, double stiffness)
{
    begin_part(w, joint, "_stop", "joint-spring", "joint");
    put_value(w, "stiffness", stiffness);
    put_value(w, "free", joint->lower);
    put(w, "}");
    end_line(w);
    TN_THEN(w->status,
            tn_robot_note_add(w->robot, TN_IMPORT_ASSUMED, joint->line,
                              "joint '%s' has a range of one value, %.9g: a spring holds it there",
                              joint->name, joint->lower));
}

static void put_stop(writer *w, const tn_robot_joint *joint)
{
    const double load = stop_load(w->robot, joint);
    const double bend = joint->kind == TN_ROBOT_PRISMATIC ? 1e-3 : 1e-2;
    const double speed = joint->velocity > 0.0 ? joint->velocity : 1.0;
    if (!(load > 0.0) || !isfinite(load / bend)) {
        TN_THEN(w->status, tn_robot_note_add(
                               w->robot, TN_IMPORT_LEFT_OUT, joint->line,
                               "joint '%s' has no stops: neither an effort is stated nor does it "
                               "carry a mass, which would say how stiff they are",
                               joint->name));
        return;
    }
    if (joint->lower == joint->upper) {
        put_hold(w, joint, load / bend);
        return;
    }
    begin_part(w, joint, "_stop", "joint-stop", "joint");
    put_value(w, "lower", joint->lower);
    put_value(w, "upper", joint->upper);
    put_value(w, "stiffness", load / bend);
    put_value(w, "damping", HALF_LEFT / speed);
    put(w, "}");
    end_line(w);
}

static void put_forces_of(writer *w, const tn_robot_joint *joint)
{
    if (joint->limited && strcmp(w->robot->options->limits, "stop") == 0)
        put_stop(w, joint);
    if (joint->damping > 0.0 || joint->stiffness > 0.0) {
        begin_part(w, joint, joint->stiffness > 0.0 ? "_spring" : "_damping", "joint-spring",
                   "joint");
        if (joint->stiffness > 0.0) {
            put_value(w, "stiffness", joint->stiffness);
            put_value(w, "free", joint->free);
        }
        if (joint->damping > 0.0)
            put_value(w, "damping", joint->damping);
        put(w, "}");
        end_line(w);
    }
    if (joint->friction > 0.0) {
        begin_part(w, joint, "_friction", "friction", "joint");
        put(w, ", coulomb: 1");
        put(w, tn_robot_turns(joint->kind) ? ", radius: 1" : "");
        put_value(w, "load", joint->friction);
        put(w, "}");
        end_line(w);
    }
}

// A moment against the rate between two links.
static void put_ball_damping(writer *w, const tn_robot_joint *joint)
{
    const char *label = "";
    w->line = joint->line;
    TN_THEN(w->status, tn_robot_new_label(w->robot, 1, joint->label, "_damping", &label));
    put(w, "  ");
    put_name(w, label);
    put(w, ": {kind: bushing, bodies: [");
    put_name(w, w->robot->links.at[joint->parent].label);
    put(w, ", ");
    put_name(w, w->robot->links.at[joint->child].label);
    put(w, "], ");
    put_numbers(w, "rotational_damping", 3,
                (double[]){joint->damping, joint->damping, joint->damping});
    put(w, "}");
    end_line(w);
}

// Inputs have names of expressions: letters, digits and "_".
static tn_status name_input(tn_robot *robot, tn_robot_drive *drive)
{
    TN_TRY(tn_robot_new_label(robot, 1, drive->name, "_ctrl", &drive->input));
    char *text = tn_pool_text(&robot->memory, drive->input, strlen(drive->input));
    TN_TRY(tn_got(text));
    for (char *c = text; *c; c++)
        if (!((*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z')))
            *c = c == text ? 'u' : '_';
    if (*text >= '0' && *text <= '9')
        *text = 'u';
    if (strcmp(text, drive->input) != 0) // once more, since others may have that name
        return tn_robot_new_label(robot, 1, text, "", &drive->input);
    return TN_OK;
}

static void put_inputs(writer *w)
{
    tn_robot *robot = w->robot;
    if (robot->drives.count > 0)
        begin_section(w, "inputs");
    for (int i = 0; i < robot->drives.count && w->status == TN_OK; i++) {
        tn_robot_drive *drive = &robot->drives.at[i];
        w->line = drive->line;
        w->status = name_input(robot, drive);
        tn_buffer_format(w->out, "  %s: 0 # %s:%d", w->status == TN_OK ? drive->input : "", w->file,
                         drive->line);
        end_line(w);
    }
}

static void put_clamped(writer *w, bool limited, const double range[2])
{
    if (!limited)
        return;
    put_value(w, NULL, range[0]);
    put_value(w, NULL, range[1]);
    put(w, ")");
}

static void put_factor(writer *w, double factor)
{
    if (factor == 1.0)
        return;
    put_number(w, factor);
    put(w, "*");
}

// "gear*clamp(gain*clamp(input, low, high) + b0 + b1*coordinate + b2*rate, low, high)"
static void put_drive(writer *w, const tn_robot_drive *drive)
{
    const double numbers[3] = {drive->bias[0], drive->bias[1] * drive->gear,
                               drive->bias[2] * drive->gear};
    static const char *const of[3] = {"", "*coordinate", "*rate"};
    begin_part(w, &w->robot->joints.at[drive->joint], "_drive", "joint-law", "joint");
    put(w, ", law: \"");
    put_factor(w, drive->gear);
    put(w, drive->limited[1] ? "clamp(" : drive->gear != 1.0 ? "(" : "");
    put_factor(w, drive->gain);
    put(w, drive->limited[0] ? "clamp(" : "");
    put(w, drive->input);
    put_clamped(w, drive->limited[0], drive->range[0]);
    for (int i = 0; i < 3; i++) {
        if (numbers[i] == 0.0)
            continue;
        put(w, " + ");
        put_number(w, numbers[i]);
        put(w, of[i]);
    }
    put_clamped(w, drive->limited[1], drive->range[1]);
    put(w, !drive->limited[1] && drive->gear != 1.0 ? ")\"}" : "\"}");
    end_line(w);
}

static void put_forces(writer *w)
{
    const tn_robot *robot = w->robot;
    bool any = false;
    for (int j = 0; j < robot->joints.count; j++) {
        const tn_robot_joint *joint = &robot->joints.at[j];
        const bool ball = joint->kind == TN_ROBOT_BALL;
        if ((!tn_robot_has_coordinate(joint) && !ball) ||
            (joint->damping == 0.0 && joint->friction == 0.0 && joint->stiffness == 0.0 &&
             (!joint->limited || strcmp(robot->options->limits, "stop") != 0)))
            continue;
        if (!any)
            begin_section(w, "forces");
        any = true;
        if (ball)
            put_ball_damping(w, joint);
        else
            put_forces_of(w, joint);
    }
    if (!any && robot->drives.count > 0)
        begin_section(w, "forces");
    for (int i = 0; i < robot->drives.count; i++)
        put_drive(w, &robot->drives.at[i]);
}

static void put_events(writer *w)
{
    const tn_robot *robot = w->robot;
    bool any = false;
    for (int j = 0; j < robot->joints.count; j++) {
        const tn_robot_joint *joint = &robot->joints.at[j];
        for (int k = 0; joint->limited && k < 2; k++) {
            if (!any)
                begin_section(w, "events");
            any = true;
            const char *label = "";
            w->line = joint->line;
            TN_THEN(w->status,
                    tn_robot_new_label(w->robot, 1, joint->label, k ? "_upper" : "_lower", &label));
            put(w, "  ");
            put_name(w, label);
            put(w, ": {joint: ");
            put_name(w, joint->label);
            put_value(w, "value", k ? joint->upper : joint->lower);
            put(w, "}");
            end_line(w);
        }
    }
}

// The whole --------------------------------------------------------------------------------------

static tn_status put_included(writer *w)
{
    const char *close = w->robot->options->close;
    if (!close)
        return TN_OK;
    const char *path = tn_robot_path(w->robot, close);
    TN_TRY(tn_got(path));
    tn_buffer_format(w->out, "include: \"%s\"", path);
    end_line(w);
    return TN_OK;
}

static void put_head(writer *w)
{
    tn_buffer_format(w->out, "# Made from %s by 'tenon import'.", w->file);
    end_line(w);
    put(w, "tenon: 1");
    end_line(w);
    if (w->robot->name && *w->robot->name) {
        put(w, "name: \"");
        for (const char *c = w->robot->name; *c; c++)
            tn_buffer_format(w->out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        put(w, "\"");
        end_line(w);
    }
    TN_THEN(w->status, put_included(w));
    put_vector(w, "gravity", w->robot->gravity);
    end_line(w);
}

tn_status tn_robot_write(tn_robot *robot, tn_buffer *out, tn_origins *origins)
{
    const char *slash = strrchr(robot->path, '/');
    writer w = {.robot = robot,
                .out = out,
                .origins = origins,
                .file = slash ? slash + 1 : robot->path,
                .line = 1};
    members of;
    TN_TRY(list_members(robot, &of));
    put_head(&w);
    put_bodies(&w, &of);
    put_frames(&w);
    put_joints(&w);
    put_inputs(&w);
    TN_TRY(w.status);
    put_forces(&w);
    if (strcmp(robot->options->limits, "event") == 0)
        put_events(&w);
    TN_TRY(w.status);
    return tn_got(!out->failed);
}
