// SPDX-License-Identifier: MIT
//
// URDF: links, and joints between two of them. The frame of a joint is `origin` in that of its
// parent, with R = Rz(yaw) Ry(pitch) Rx(roll), and the frame of the child is that of the joint,
// turned or moved by its coordinate about or along `axis`. What has no part in the motion is noted
// by kind, with the line of the first.

#include "import/robot.h"

#include <string.h>

typedef struct unknown {
    const char *name; // "transmission", "joint/calibration"
    int count, line;
} unknown;

typedef struct urdf {
    tn_robot *robot;
    const tn_xml_file *file;
    tn_table *names, *colors; // of unknown elements, of materials
    TN_ARRAY(unknown) unknowns;
    TN_ARRAY(int) color;
} urdf;

static const char *const kinds[TN_ROBOT_BALL] = {"fixed",     "revolute", "continuous",
                                                 "prismatic", "planar",   "floating"};

// What is not known ------------------------------------------------------------------------------

// What has a part in the motion is not left out.
static tn_status refuse_motion(const urdf *u, const tn_xml *e)
{
    static const char *const moving[] = {
        "drake:joint", "drake:linear_bushing_rpy", "drake:ball_constraint", "drake:mimic", "loop",
        "coupling"};
    for (int i = 0; i < TN_COUNT(moving); i++)
        if (strcmp(e->name, moving[i]) == 0)
            return tn_xml_fail(u->file, e,
                               "'%s' has a part in the motion, and is not read; take it out, and "
                               "state it in a model file for --close",
                               e->name);
    return TN_OK;
}

// A macro may stand for anything; where the robot is not whole without it that is the reason.
static tn_status note_macro(const urdf *u, const tn_xml *e)
{
    tn_robot *robot = u->robot;
    robot->macro = robot->macro ? robot->macro : e;
    return tn_robot_note_add(robot, TN_IMPORT_LEFT_OUT, e->line,
                             "'%s' is not expanded, and what it stands for is missing; run xacro "
                             "on the file first",
                             e->name);
}

static tn_status note_unknown(urdf *u, const tn_xml *e, const char *within)
{
    char name[600];
    if (strncmp(e->name, "xacro:", 6) == 0)
        return note_macro(u, e);
    TN_TRY(refuse_motion(u, e));
    snprintf(name, sizeof name, "%s%s%s", within, *within ? "/" : "", e->name);
    int i = u->unknowns.count;
    TN_TRY(tn_table_enter(u->names, name, &i));
    if (i == u->unknowns.count) {
        const unknown new = {tn_pool_text(&u->robot->memory, name, strlen(name)), 0, e->line};
        TN_TRY(tn_got(new.name));
        TN_TRY(tn_array_push(&u->unknowns, new));
    }
    u->unknowns.at[i].count++;
    return TN_OK;
}

// Notes elements within another one that are not among the known ones, which end with NULL.
static tn_status look_within(urdf *u, const tn_xml *e, const char *within, const char *const *known)
{
    for (const tn_xml *child = e->first; child; child = child->next) {
        bool is_known = false;
        for (int i = 0; known[i] && !is_known; i++)
            is_known = strcmp(known[i], child->name) == 0;
        if (!is_known)
            TN_TRY(note_unknown(u, child, within));
    }
    return TN_OK;
}

static tn_status tell_unknown(urdf *u)
{
    for (int i = 0; i < u->unknowns.count; i++) {
        const unknown *x = &u->unknowns.at[i];
        TN_TRY(tn_robot_note_add(u->robot, TN_IMPORT_LEFT_OUT, x->line,
                                 x->count > 1
                                     ? "'%s', here for the first of %d times, is not known to have "
                                       "a part in the motion"
                                     : "'%s' is not known to have a part in the motion",
                                 x->name, x->count));
    }
    return TN_OK;
}

// Parts that several elements have ---------------------------------------------------------------

// What is left out is zero.
static tn_status read_pose(const urdf *u, const tn_xml *e, const char *what, tn_vec3 *at,
                           tn_vec3 *turn)
{
    double xyz[3] = {0.0}, rpy[3] = {0.0};
    TN_TRY(tn_xml_numbers(u->file, e, "xyz", what, 3, xyz));
    TN_TRY(tn_xml_numbers(u->file, e, "rpy", what, 3, rpy));
    *at = tn_v3_from(xyz);
    *turn = tn_v3_from(rpy);
    return TN_OK;
}

// The element `origin` within another one; zero where it or a part of it is left out.
static tn_status read_origin(const urdf *u, const tn_xml *within, const char *what, tn_vec3 *at,
                             tn_vec3 *turn)
{
    const tn_xml *e = tn_xml_child(within, "origin");
    char words[400];
    snprintf(words, sizeof words, "%.380s: origin", what);
    return read_pose(u, e, words, at, turn);
}

static tn_status need_number(const urdf *u, const tn_xml *e, const char *key, const char *what,
                             double *out)
{
    const char *text;
    TN_TRY(tn_xml_need(u->file, e, key, what, &text));
    return tn_xml_numbers(u->file, e, key, what, 1, out);
}

// Looks that an element stands within another at most once.
static tn_status find_one(const urdf *u, const tn_xml *within, const char *name, const char *what,
                          const tn_xml **out)
{
    *out = tn_xml_child(within, name);
    const tn_xml *again = *out ? tn_xml_again(*out) : NULL;
    return again ? tn_xml_fail(u->file, again, "%s: has a second '%s'", what, name) : TN_OK;
}

// Shapes -----------------------------------------------------------------------------------------

static int color_of(const double rgba[4])
{
    int color = 0;
    for (int i = 0; i < 3; i++)
        color = 256 * color + (int)(255.0 * fmin(fmax(rgba[i], 0.0), 1.0) + 0.5);
    return color;
}

// A color is stated here, or a material is named that stands at the top of the file.
static tn_status read_material(urdf *u, const tn_xml *e, int *color)
{
    const tn_xml *stated = tn_xml_child(e, "color");
    const char *name = tn_xml_get(e, "name");
    double rgba[4] = {0.0};
    *color = -1;
    if (stated && tn_xml_get(stated, "rgba")) {
        TN_TRY(tn_xml_numbers(u->file, stated, "rgba", "color", 4, rgba));
        *color = color_of(rgba);
    } else if (name) {
        const int known = tn_table_find(u->colors, name);
        *color = known < 0 ? -1 : u->color.at[known];
    }
    return TN_OK;
}

static tn_status read_materials(urdf *u, const tn_xml *root)
{
    const tn_xml *e = tn_xml_child(root, "material");
    for (; e; e = tn_xml_again(e)) {
        const char *name = tn_xml_get(e, "name");
        int color;
        TN_TRY(read_material(u, e, &color));
        if (!name || tn_table_find(u->colors, name) >= 0)
            continue;
        TN_TRY(tn_table_add(u->colors, name, u->color.count));
        TN_TRY(tn_array_push(&u->color, color));
    }
    return TN_OK;
}

static tn_status read_mesh(const urdf *u, const tn_xml *e, const char *what, tn_robot_shape *out)
{
    for (int i = 0; i < 3; i++)
        out->size[i] = 1.0;
    TN_TRY(tn_xml_need(u->file, e, "filename", what, &out->file));
    const char *scale = tn_xml_get(e, "scale");
    if (scale && !strpbrk(scale, " \t\r\n")) { // one number for all
        TN_TRY(tn_xml_numbers(u->file, e, "scale", what, 1, out->size));
        out->size[1] = out->size[2] = out->size[0];
        return TN_OK;
    }
    return tn_xml_numbers(u->file, e, "scale", what, 3, out->size);
}

static tn_status read_round(const urdf *u, const tn_xml *e, const char *what, tn_robot_shape *out)
{
    TN_TRY(need_number(u, e, "radius", what, &out->size[0]));
    return strcmp(e->name, "sphere") == 0 ? TN_OK
                                          : need_number(u, e, "length", what, &out->size[1]);
}

// *known is false for shapes that Tenon does not have.
static tn_status read_geometry(const urdf *u, const tn_xml *e, const char *what,
                               tn_robot_shape *out, bool *known)
{
    char words[400];
    const char *text;
    snprintf(words, sizeof words, "%.300s: %.90s", what, e->name);
    *known = true;
    out->kind = e->name;
    if (strcmp(e->name, "mesh") == 0)
        return read_mesh(u, e, words, out);
    if (strcmp(e->name, "box") == 0) {
        TN_TRY(tn_xml_need(u->file, e, "size", words, &text));
        return tn_xml_numbers(u->file, e, "size", words, 3, out->size);
    }
    *known = strcmp(e->name, "cylinder") == 0 || strcmp(e->name, "sphere") == 0 ||
             strcmp(e->name, "capsule") == 0;
    return *known ? read_round(u, e, words, out) : TN_OK;
}

static bool has_size(const tn_robot_shape *shape)
{
    const int n = strcmp(shape->kind, "box") == 0 ? 3 : strcmp(shape->kind, "sphere") == 0 ? 1 : 2;
    for (int i = 0; i < n; i++)
        if (shape->size[i] <= 0.0)
            return strcmp(shape->kind, "mesh") == 0 && shape->size[i] != 0.0;
    return true;
}

// A shape of link number `of`; `what` names it.
static tn_status read_shape(urdf *u, int of, const tn_xml *e, const char *what)
{
    const tn_xml *geometry = tn_xml_child(e, "geometry");
    tn_robot_shape shape = {
        .line = e->line, .next = TN_ROBOT_NONE, .collision = strcmp(e->name, "collision") == 0};
    tn_robot_link *link = &u->robot->links.at[of];
    tn_vec3 at, turn;
    bool known;
    TN_TRY(read_origin(u, e, what, &at, &turn));
    shape.frame = tn_robot_frame(at, turn);
    TN_TRY(read_material(u, tn_xml_child(e, "material"), &shape.color));
    if (!geometry || !geometry->first)
        return tn_robot_note_add(u->robot, TN_IMPORT_LEFT_OUT, e->line, "%s has no geometry", what);
    TN_TRY(read_geometry(u, geometry->first, what, &shape, &known));
    if (!known)
        return note_unknown(u, geometry->first, "geometry");
    if (!has_size(&shape))
        return tn_robot_note_add(u->robot, TN_IMPORT_LEFT_OUT, e->line,
                                 "%s has a size that is not positive and is not drawn", what);
    int *const from =
        link->last_shape < 0 ? &link->first_shape : &u->robot->shapes.at[link->last_shape].next;
    *from = link->last_shape = u->robot->shapes.count;
    return tn_array_push(&u->robot->shapes, shape);
}

static tn_status read_shapes(urdf *u, int of, const tn_xml *link, const char *owner,
                             const char *name)
{
    static const char *const known[] = {"origin", "geometry", "material", NULL};
    char what[400];
    snprintf(what, sizeof what, "%.300s: %s", owner, name);
    for (const tn_xml *e = tn_xml_child(link, name); e; e = tn_xml_again(e)) {
        TN_TRY(look_within(u, e, name, known));
        TN_TRY(read_shape(u, of, e, what));
    }
    return TN_OK;
}

// Links ------------------------------------------------------------------------------------------

static tn_status read_moments(const urdf *u, const tn_xml *e, const char *what, tn_robot_link *link)
{
    static const char *const keys[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    double *I = link->moments;
    for (int i = 0; e && i < TN_COUNT(keys); i++)
        TN_TRY(need_number(u, e, keys[i], what, &I[i]));
    const tn_mat3 about = {{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
    const tn_mat3 R = tn_robot_frame(link->own.com, link->turn).R;
    link->own.inertia = tn_m3_mul(R, tn_m3_mul_t(about, R));
    return TN_OK;
}

static bool all_zero(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0.0)
            return false;
    return true;
}

static tn_status read_inertial(urdf *u, const tn_xml *e, const char *owner, tn_robot_link *link)
{
    static const char *const known[] = {"origin", "mass", "inertia", NULL};
    const tn_xml *mass = tn_xml_child(e, "mass"), *inertia = tn_xml_child(e, "inertia");
    char what[400];
    snprintf(what, sizeof what, "%s: inertial", owner);
    TN_TRY(look_within(u, e, "inertial", known));
    TN_TRY(read_origin(u, e, what, &link->own.com, &link->turn));
    if (!mass)
        return tn_xml_fail(u->file, e, "%s: element 'mass' is missing", what);
    TN_TRY(need_number(u, mass, "value", what, &link->own.mass));
    if (link->own.mass < 0.0)
        return tn_xml_fail(u->file, mass, "%s: the mass is %g kg; it must not be negative", what,
                           link->own.mass);
    TN_TRY(read_moments(u, inertia, what, link));
    link->weighs = link->own.mass > 0.0 || !all_zero(link->moments, 6);
    if (inertia || link->own.mass == 0.0)
        return TN_OK;
    return tn_robot_note_add(u->robot, TN_IMPORT_ASSUMED, e->line,
                             "%s: without moments of inertia its mass is one of a point", owner);
}

static tn_status read_link(urdf *u, const tn_xml *e)
{
    static const char *const known[] = {"inertial", "visual", "collision", NULL};
    tn_robot *robot = u->robot;
    const tn_xml *inertial;
    const int i = robot->links.count;
    tn_robot_link link = tn_robot_new_link(NULL, e->line);
    char owner[300];
    link.moment_known = true;
    TN_TRY(tn_xml_need(u->file, e, "name", "link", &link.name));
    snprintf(owner, sizeof owner, "link '%.250s'", link.name);
    const int before = tn_table_find(robot->link_names, link.name);
    if (before >= 0)
        return tn_xml_fail(u->file, e,
                           "%s is there already, in line %d; links need different names", owner,
                           robot->links.at[before].line);
    TN_TRY(look_within(u, e, "link", known));
    TN_TRY(find_one(u, e, "inertial", owner, &inertial));
    if (inertial)
        TN_TRY(read_inertial(u, inertial, owner, &link));
    TN_TRY(tn_table_add(robot->link_names, link.name, i));
    TN_TRY(tn_array_push(&robot->links, link));
    TN_TRY(read_shapes(u, i, e, owner, "visual"));
    return read_shapes(u, i, e, owner, "collision");
}

// Joints -----------------------------------------------------------------------------------------

enum { JOINT_OWNER = 300 };

static tn_status read_end(const urdf *u, const tn_xml *e, const char *end, const char *owner,
                          int *link)
{
    const tn_xml *at;
    const char *name;
    TN_TRY(find_one(u, e, end, owner, &at));
    if (!at)
        return tn_xml_fail(u->file, e, "%s: element '%s' is missing", owner, end);
    TN_TRY(tn_xml_need(u->file, at, "link", owner, &name));
    *link = tn_table_find(u->robot->link_names, name);
    return *link >= 0 ? TN_OK
                      : tn_xml_fail(u->file, at, "%s: %s '%s' is no link of the robot; %s", owner,
                                    end, name, tn_table_hint(u->robot->link_names, name).text);
}

static tn_status read_kind(const urdf *u, const tn_xml *e, const char *owner, tn_robot_kind *out)
{
    const char *text;
    TN_TRY(tn_xml_need(u->file, e, "type", owner, &text));
    for (int k = 0; k < TN_COUNT(kinds); k++)
        if (strcmp(text, kinds[k]) == 0) {
            *out = (tn_robot_kind)k;
            return TN_OK;
        }
    return tn_xml_fail(u->file, e, "%s: type '%s' is not known; %s", owner, text,
                       tn_name_hint(text, TN_COUNT(kinds), kinds).text);
}

static tn_status read_axis(const urdf *u, const tn_xml *e, const char *owner, tn_robot_joint *joint)
{
    const tn_xml *axis;
    double a[3] = {1.0, 0.0, 0.0};
    TN_TRY(find_one(u, e, "axis", owner, &axis));
    TN_TRY(tn_xml_numbers(u->file, axis, "xyz", owner, 3, a));
    const double size = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
    if (size == 0.0 && joint->kind != TN_ROBOT_FIXED && joint->kind != TN_ROBOT_FLOATING)
        return tn_xml_fail(u->file, axis, "%s: the axis is zero and has no direction", owner);
    if (size == 0.0)
        return TN_OK;
    joint->axis = tn_v3_scale(1.0 / size, tn_v3_from(a)); // squares of large numbers overflow
    joint->axis = tn_v3_scale(1.0 / tn_v3_norm(joint->axis), joint->axis);
    return TN_OK;
}

static tn_status read_limit(const urdf *u, const tn_xml *e, const char *owner,
                            tn_robot_joint *joint)
{
    const tn_xml *limit;
    TN_TRY(find_one(u, e, "limit", owner, &limit));
    TN_TRY(tn_xml_numbers(u->file, limit, "lower", owner, 1, &joint->lower));
    TN_TRY(tn_xml_numbers(u->file, limit, "upper", owner, 1, &joint->upper));
    TN_TRY(tn_xml_numbers(u->file, limit, "effort", owner, 1, &joint->effort));
    TN_TRY(tn_xml_numbers(u->file, limit, "velocity", owner, 1, &joint->velocity));
    joint->limited = limit && tn_robot_has_coordinate(joint) &&
                     joint->kind != TN_ROBOT_CONTINUOUS &&
                     (tn_xml_get(limit, "lower") || tn_xml_get(limit, "upper"));
    if (joint->limited && joint->lower > joint->upper)
        return tn_xml_fail(u->file, limit, "%s: the lower limit %g is above the upper one, %g",
                           owner, joint->lower, joint->upper);
    return TN_OK;
}

static tn_status read_dynamics(const urdf *u, const tn_xml *e, const char *owner,
                               tn_robot_joint *joint)
{
    const tn_xml *at;
    TN_TRY(find_one(u, e, "dynamics", owner, &at));
    TN_TRY(tn_xml_numbers(u->file, at, "damping", owner, 1, &joint->damping));
    TN_TRY(tn_xml_numbers(u->file, at, "friction", owner, 1, &joint->friction));
    if (joint->damping < 0.0 || joint->friction < 0.0)
        return tn_xml_fail(u->file, at, "%s: %s is %g; it must not be negative", owner,
                           joint->damping < 0.0 ? "damping" : "friction",
                           fmin(joint->damping, joint->friction));
    return TN_OK;
}

static tn_status read_mimic(const urdf *u, const tn_xml *e, const char *owner,
                            tn_robot_joint *joint)
{
    const tn_xml *at;
    joint->ratio = 1.0;
    TN_TRY(find_one(u, e, "mimic", owner, &at));
    if (!at)
        return TN_OK;
    joint->mimic_line = at->line;
    TN_TRY(tn_xml_need(u->file, at, "joint", owner, &joint->mimic));
    TN_TRY(tn_xml_numbers(u->file, at, "multiplier", owner, 1, &joint->ratio));
    return tn_xml_numbers(u->file, at, "offset", owner, 1, &joint->offset);
}

// Name and kind, and the two links that the elements of these names state.
static tn_status begin_joint(urdf *u, const tn_xml *e, const char *from, const char *to,
                             char owner[JOINT_OWNER], tn_robot_joint *joint)
{
    tn_robot *robot = u->robot;
    *joint = (tn_robot_joint){.line = e->line, .next = TN_ROBOT_NONE, .leader = TN_ROBOT_NONE};
    TN_TRY(tn_xml_need(u->file, e, "name", "joint", &joint->name));
    snprintf(owner, JOINT_OWNER, "joint '%.250s'", joint->name);
    const int before = tn_table_find(robot->joint_names, joint->name);
    if (before >= 0)
        return tn_xml_fail(u->file, e,
                           "%s is there already, in line %d; joints need different names", owner,
                           robot->joints.at[before].line);
    TN_TRY(read_kind(u, e, owner, &joint->kind));
    TN_TRY(read_end(u, e, from, owner, &joint->parent));
    return read_end(u, e, to, owner, &joint->child);
}

// A joint between two links that the tree carries already, each of which states its frame.
static tn_status read_loop(urdf *u, const tn_xml *e)
{
    static const char *const known[] = {"link1", "link2", "axis", NULL};
    tn_robot_joint joint;
    char owner[JOINT_OWNER];
    TN_TRY(begin_joint(u, e, "link1", "link2", owner, &joint));
    TN_TRY(look_within(u, e, "loop_joint", known));
    TN_TRY(read_pose(u, tn_xml_child(e, "link1"), owner, &joint.at, &joint.turn));
    TN_TRY(read_pose(u, tn_xml_child(e, "link2"), owner, &joint.child_at, &joint.child_turn));
    joint.origin = tn_robot_frame(joint.at, joint.turn);
    TN_TRY(read_axis(u, e, owner, &joint));
    if (joint.kind == TN_ROBOT_FLOATING)
        return tn_xml_fail(u->file, e, "%s: a floating joint closes nothing", owner);
    joint.closes = u->robot->guess = true;
    TN_TRY(tn_table_add(u->robot->joint_names, joint.name, u->robot->joints.count));
    return tn_array_push(&u->robot->joints, joint);
}

static tn_status read_joint(urdf *u, const tn_xml *e)
{
    static const char *const known[] = {"origin", "parent",   "child", "axis",
                                        "limit",  "dynamics", "mimic", NULL};
    tn_robot *robot = u->robot;
    tn_robot_joint joint;
    char owner[JOINT_OWNER];
    TN_TRY(begin_joint(u, e, "parent", "child", owner, &joint));
    TN_TRY(look_within(u, e, "joint", known));
    TN_TRY(read_origin(u, e, owner, &joint.at, &joint.turn));
    joint.origin = tn_robot_frame(joint.at, joint.turn);
    TN_TRY(read_axis(u, e, owner, &joint));
    TN_TRY(read_limit(u, e, owner, &joint));
    TN_TRY(read_dynamics(u, e, owner, &joint));
    TN_TRY(read_mimic(u, e, owner, &joint));
    TN_TRY(tn_table_add(robot->joint_names, joint.name, robot->joints.count));
    return tn_array_push(&robot->joints, joint);
}

// The whole --------------------------------------------------------------------------------------

// Links first: joints name those that stand behind them, too.
static tn_status read_all(urdf *u, const tn_xml *root)
{
    static const char *const known[] = {"link", "joint", "loop_joint", "material", NULL};
    TN_TRY(look_within(u, root, "", known));
    TN_TRY(read_materials(u, root));
    for (const tn_xml *e = tn_xml_child(root, "link"); e; e = tn_xml_again(e))
        TN_TRY(read_link(u, e));
    for (const tn_xml *e = tn_xml_child(root, "joint"); e; e = tn_xml_again(e))
        TN_TRY(read_joint(u, e));
    for (const tn_xml *e = tn_xml_child(root, "loop_joint"); e; e = tn_xml_again(e))
        TN_TRY(read_loop(u, e));
    if (u->robot->links.count == 0)
        return tn_xml_fail(u->file, root, "the robot has no link");
    return tell_unknown(u);
}

tn_status tn_urdf_read(tn_robot *robot)
{
    const tn_xml *root = robot->file.root;
    urdf u = {.robot = robot, .file = &robot->file};
    if (strcmp(root->name, "robot") != 0)
        return tn_xml_fail(u.file, root,
                           "<%s> is no robot that Tenon reads: URDF begins with <robot> and MJCF "
                           "with <mujoco>",
                           root->name);
    robot->name = tn_xml_get(root, "name");
    tn_status s = tn_table_create(&u.names);
    TN_THEN(s, tn_table_create(&u.colors));
    TN_THEN(s, read_all(&u, root));
    tn_table_destroy(u.names);
    tn_table_destroy(u.colors);
    tn_array_free(&u.unknowns);
    tn_array_free(&u.color);
    return s;
}
