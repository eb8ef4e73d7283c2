// SPDX-License-Identifier: MIT
//
// MJCF: bodies within each other, with joints in the frame of the body that they move, and defaults
// by classes. An attribute that an element lacks is that of its class, of the classes around that,
// and of the main one at last; the class is its own, or the `childclass` of the nearest body. Some
// joints of a body act one after the other, with links of no mass between them; a joint whose
// coordinate is `ref` in the drawn position has its frame on the parent turned back by that.

#include "import/robot.h"

#include "lie/so3.h"
#include "text/number.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

typedef struct mjcf {
    tn_robot *robot;
    const tn_xml_file *file;
    const tn_xml *defaults; // the main class, or NULL
    tn_table *class_names;
    TN_ARRAY(const tn_xml *) classes;
    bool degrees, limits_by_range;
    char sequence[4]; // of Euler angles
} mjcf;

// Attributes -------------------------------------------------------------------------------------

// Classes by their names.
static tn_status list_classes(mjcf *m, const tn_xml *within)
{
    for (const tn_xml *e = tn_xml_child(within, "default"); e; e = tn_xml_again(e)) {
        const char *name = tn_xml_get(e, "class");
        if (name && tn_table_find(m->class_names, name) < 0) {
            TN_TRY(tn_table_add(m->class_names, name, m->classes.count));
            TN_TRY(tn_array_push(&m->classes, e));
        }
        TN_TRY(list_classes(m, e));
    }
    return TN_OK;
}

static const tn_xml *class_of(const mjcf *m, const tn_xml *e)
{
    const char *name = tn_xml_get(e, "class");
    for (const tn_xml *at = e->parent; at && !name; at = at->parent)
        name = tn_xml_get(at, "childclass");
    const int found = name ? tn_table_find(m->class_names, name) : -1;
    return found >= 0 ? m->classes.at[found] : m->defaults;
}

static const char *get(const mjcf *m, const tn_xml *e, const char *key)
{
    const char *own = tn_xml_get(e, key);
    for (const tn_xml *at = own ? NULL : class_of(m, e); at; at = at->parent) {
        own = tn_xml_get(tn_xml_child(at, e->name), key);
        if (own || at == m->defaults)
            return own;
    }
    return own;
}

// n numbers; *out stays where they are not stated.
static tn_status numbers(const mjcf *m, const tn_xml *e, const char *key, const char *what, int n,
                         double *out)
{
    return tn_xml_read_numbers(m->file, e, key, get(m, e, key), what, n, n, out);
}

static bool says(const mjcf *m, const tn_xml *e, const char *key, const char *word)
{
    const char *text = get(m, e, key);
    return text && strcmp(text, word) == 0;
}

static double angle_unit(const mjcf *m)
{
    return m->degrees ? PI / 180.0 : 1.0;
}

// "body 'leg'", "joint 'knee'".
typedef struct words {
    char text[300];
} words;

static words words_of(const tn_xml *e)
{
    const char *name = tn_xml_get(e, "name");
    words w;
    snprintf(w.text, sizeof w.text, name ? "%.30s '%.200s'" : "%.30s", e->name, name);
    return w;
}

// What is not read -------------------------------------------------------------------------------

static bool is_without(const mjcf *m, const char *word)
{
    const char *list = m->robot->options->without;
    const size_t n = strlen(word);
    for (const char *at = list; at && *at; at += strspn(at, ",")) {
        const size_t length = strcspn(at, ",");
        if (length == n && strncmp(at, word, n) == 0)
            return true;
        at += length;
    }
    return false;
}

// Has a part in the motion: refused, or left out where an option says so.
static tn_status refuse(const mjcf *m, const tn_xml *e, const char *word)
{
    if (is_without(m, word))
        return tn_robot_note_add(m->robot, TN_IMPORT_LEFT_OUT, e->line, "%s: %s is left out",
                                 words_of(e).text, word);
    return tn_xml_fail(m->file, e,
                       "%s: %s is not read; 'tenon import --without %s' leaves "
                       "it out",
                       words_of(e).text, word, word);
}

static tn_status refuse_element(const mjcf *m, const tn_xml *e)
{
    return tn_xml_fail(m->file, e,
                       "<%s> is not read: Tenon takes robots whose bodies and joints are written "
                       "out in one file",
                       e->name);
}

static bool is_among(const char *name, const char *const *list)
{
    for (int i = 0; list[i]; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

// Poses ------------------------------------------------------------------------------------------

static tn_mat3 turn_about(tn_vec3 axis, double angle)
{
    const double size = tn_v3_norm(axis);
    return size > 0.0 ? tn_so3_exp(tn_v3_scale(angle / size, axis)) : tn_m3_identity;
}

static tn_mat3 by_euler(const mjcf *m, const double a[3])
{
    tn_mat3 R = tn_m3_identity;
    for (int i = 0; i < 3; i++) {
        const char c = m->sequence[i], low = (char)(c | 32);
        const double angle = a[i] * angle_unit(m);
        const tn_mat3 turn = low == 'x'   ? tn_m3_rot_x(angle)
                             : low == 'y' ? tn_m3_rot_y(angle)
                                          : tn_m3_rot_z(angle);
        R = c == low ? tn_m3_mul(R, turn) : tn_m3_mul(turn, R); // capitals: fixed axes
    }
    return R;
}

static tn_mat3 by_axes(const double a[6])
{
    tn_vec3 x = tn_v3_from(a), y = tn_v3_from(a + 3);
    x = tn_v3_scale(1.0 / tn_v3_norm(x), x);
    y = tn_v3_axpy(-tn_v3_dot(x, y), x, y);
    y = tn_v3_scale(1.0 / tn_v3_norm(y), y);
    return tn_m3_columns(x, y, tn_v3_cross(x, y));
}

// The least turn that takes z there.
static tn_mat3 by_z(tn_vec3 z)
{
    const tn_vec3 up = {0.0, 0.0, 1.0}, axis = tn_v3_cross(up, z);
    const double angle = atan2(tn_v3_norm(axis), z.z);
    return tn_v3_norm(axis) > 0.0 ? turn_about(axis, angle)
                                  : turn_about(tn_v3(1.0, 0.0, 0.0), angle);
}

// `pos` and one of the ways to state a rotation.
static tn_status read_pose(const mjcf *m, const tn_xml *e, tn_frame *out)
{
    const words what = words_of(e);
    double p[3] = {0.0}, q[4] = {0.0}, a[6] = {0.0};
    TN_TRY(numbers(m, e, "pos", what.text, 3, p));
    *out = (tn_frame){tn_m3_identity, tn_v3_from(p)};
    if (get(m, e, "quat")) {
        TN_TRY(numbers(m, e, "quat", what.text, 4, q));
        if (tn_quat_norm(tn_quat_from(q)) == 0.0)
            return tn_xml_fail(m->file, e, "%s: the quaternion is zero", what.text);
        out->R = tn_quat_matrix(tn_quat_normalize(tn_quat_from(q)));
    } else if (get(m, e, "axisangle")) {
        TN_TRY(numbers(m, e, "axisangle", what.text, 4, q));
        out->R = turn_about(tn_v3_from(q), q[3] * angle_unit(m));
    } else if (get(m, e, "euler")) {
        TN_TRY(numbers(m, e, "euler", what.text, 3, a));
        out->R = by_euler(m, a);
    } else if (get(m, e, "xyaxes")) {
        TN_TRY(numbers(m, e, "xyaxes", what.text, 6, a));
        out->R = by_axes(a);
    } else if (get(m, e, "zaxis")) {
        TN_TRY(numbers(m, e, "zaxis", what.text, 3, a));
        out->R = by_z(tn_v3_from(a));
    }
    for (int i = 0; i < 9; i++)
        if (!isfinite(out->R.m[i / 3][i % 3]))
            return tn_xml_fail(m->file, e, "%s: its axes have no direction", what.text);
    return TN_OK;
}

// Links ------------------------------------------------------------------------------------------

static tn_status read_inertial(const mjcf *m, const tn_xml *e, const char *owner,
                               tn_robot_link *link)
{
    double I[6] = {0.0};
    tn_frame at;
    if (!tn_xml_get(e, "mass"))
        return tn_xml_fail(m->file, e, "%s: inertial: attribute 'mass' is missing", owner);
    TN_TRY(numbers(m, e, "mass", owner, 1, &link->own.mass));
    TN_TRY(read_pose(m, e, &at));
    if (tn_xml_get(e, "fullinertia"))
        TN_TRY(numbers(m, e, "fullinertia", owner, 6, I));
    else
        TN_TRY(numbers(m, e, "diaginertia", owner, 3, I));
    if (link->own.mass < 0.0)
        return tn_xml_fail(m->file, e, "%s: the mass is %g kg; it must not be negative", owner,
                           link->own.mass);
    const tn_mat3 about = {{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
    link->own.com = at.p;
    link->own.inertia = tn_m3_mul(at.R, tn_m3_mul_t(about, at.R));
    for (int i = 0; i < 6; i++)
        link->weighs |= I[i] != 0.0;
    link->weighs |= link->own.mass > 0.0;
    return TN_OK;
}

// Volume and moments of a solid of density one, by radii or half lengths `a`, b and c.
typedef struct solid {
    double volume;
    tn_vec3 moments;
} solid;

static solid box_of(const double a[3])
{
    const double v = 8.0 * a[0] * a[1] * a[2], x = a[0] * a[0], y = a[1] * a[1], z = a[2] * a[2];
    return (solid){v, tn_v3_scale(v / 3.0, tn_v3(y + z, z + x, x + y))};
}

static solid ellipsoid_of(const double a[3])
{
    const double v = 4.0 / 3.0 * PI * a[0] * a[1] * a[2];
    const double x = a[0] * a[0], y = a[1] * a[1], z = a[2] * a[2];
    return (solid){v, tn_v3_scale(v / 5.0, tn_v3(y + z, z + x, x + y))};
}

// A cylinder along z, with half balls at its ends for a capsule.
static solid round_of(const double a[3], bool ends)
{
    const double r = a[0], L = 2.0 * a[1], bar = PI * r * r * L;
    const double ball = ends ? 4.0 / 3.0 * PI * r * r * r : 0.0;
    const double across =
        bar * (3.0 * r * r + L * L) / 12.0 + ball * (0.4 * r * r + 0.25 * L * L + 0.375 * L * r);
    return (solid){bar + ball, {across, across, 0.5 * bar * r * r + 0.4 * ball * r * r}};
}

// `fromto` states axis and length of what is round.
static tn_status read_geom_frame(const mjcf *m, const tn_xml *g, const char *owner, double size[3],
                                 tn_frame *out)
{
    double ends[6];
    if (!get(m, g, "fromto"))
        return read_pose(m, g, out);
    TN_TRY(numbers(m, g, "fromto", owner, 6, ends));
    const tn_vec3 a = tn_v3_from(ends), b = tn_v3_from(ends + 3), along = tn_v3_sub(b, a);
    size[1] = 0.5 * tn_v3_norm(along);
    *out = (tn_frame){by_z(along), tn_v3_scale(0.5, tn_v3_add(a, b))};
    return TN_OK;
}

static tn_status read_geom_mass(const mjcf *m, const tn_xml *g, const char *owner,
                                tn_robot_mass *out)
{
    const char *type = get(m, g, "type");
    double size[3] = {0.0}, mass = NAN, density = 1000.0;
    tn_frame at;
    type = type ? type : "sphere";
    TN_TRY(numbers(m, g, "mass", owner, 1, &mass));
    TN_TRY(numbers(m, g, "density", owner, 1, &density));
    *out = (tn_robot_mass){0};
    if ((isnan(mass) ? density : mass) == 0.0 || strcmp(type, "plane") == 0)
        return TN_OK;
    TN_TRY(tn_xml_read_numbers(m->file, g, "size", get(m, g, "size"), owner, 1, 3, size));
    TN_TRY(read_geom_frame(m, g, owner, size, &at));
    const solid s = strcmp(type, "box") == 0 ? box_of(size)
                    : strcmp(type, "sphere") == 0
                        ? ellipsoid_of((double[]){size[0], size[0], size[0]})
                    : strcmp(type, "ellipsoid") == 0 ? ellipsoid_of(size)
                    : strcmp(type, "capsule") == 0   ? round_of(size, true)
                    : strcmp(type, "cylinder") == 0  ? round_of(size, false)
                                                     : (solid){0};
    if (!(s.volume > 0.0) || get(m, g, "mesh"))
        return tn_xml_fail(m->file, g,
                           "%s states no inertial, and the mass of a geom of type '%s' is not "
                           "computed; state one, or mass=\"0\" of the geom",
                           owner, get(m, g, "mesh") ? "mesh" : type);
    const double rho = isnan(mass) ? density : mass / s.volume;
    const tn_vec3 I = tn_v3_scale(rho, s.moments);
    *out = tn_robot_move_mass(
        at, (tn_robot_mass){.mass = rho * s.volume, .inertia = tn_m3_diag(I.x, I.y, I.z)});
    return TN_OK;
}

// Geoms give a body its mass where it states none, visual ones too.
static tn_status sum_geoms(const mjcf *m, const tn_xml *body, const char *owner,
                           tn_robot_link *link)
{
    for (const tn_xml *g = tn_xml_child(body, "geom"); g; g = tn_xml_again(g)) {
        tn_robot_mass mass;
        TN_TRY(read_geom_mass(m, g, owner, &mass));
        link->own = tn_robot_add_mass(link->own, mass);
    }
    link->weighs = link->own.mass > 0.0;
    return TN_OK;
}

static tn_status add_link(const mjcf *m, const tn_xml *e, const char *name, int *out)
{
    tn_robot *robot = m->robot;
    tn_robot_link link = tn_robot_new_link(name, e->line);
    *out = robot->links.count;
    const tn_xml *inertial = tn_xml_child(e, "inertial");
    const words what = words_of(e);
    for (const tn_xml *g = tn_xml_child(e, "geom"); g; g = tn_xml_again(g))
        robot->geoms++;
    const bool is_body = strcmp(e->name, "body") == 0;
    if (is_body && inertial)
        TN_TRY(read_inertial(m, inertial, what.text, &link));
    else if (is_body)
        TN_TRY(sum_geoms(m, e, what.text, &link));
    if (tn_table_find(robot->link_names, name) >= 0)
        return tn_xml_fail(m->file, e, "%s is there already; bodies need different names",
                           what.text);
    TN_TRY(tn_table_add(robot->link_names, name, *out));
    return tn_array_push(&robot->links, link);
}

static const char *keep_name(const mjcf *m, const char *format, const char *name, int number)
{
    char text[600];
    const int n = snprintf(text, sizeof text, format, name, number);
    return tn_pool_text(&m->robot->memory, text, (size_t)tn_smaller(n, (int)sizeof text - 1));
}

// Joints -----------------------------------------------------------------------------------------

static tn_status read_range(const mjcf *m, const tn_xml *e, const char *owner,
                            tn_robot_joint *joint)
{
    double range[2] = {0.0}, force[2] = {0.0};
    const double unit = joint->kind == TN_ROBOT_PRISMATIC ? 1.0 : angle_unit(m);
    TN_TRY(numbers(m, e, "range", owner, 2, range));
    TN_TRY(numbers(m, e, "actuatorfrcrange", owner, 2, force));
    joint->limited = says(m, e, "limited", "true") ||
                     (m->limits_by_range && get(m, e, "range") && !says(m, e, "limited", "false"));
    joint->lower = unit * range[0];
    joint->upper = unit * range[1];
    joint->effort = fmax(fabs(force[0]), fabs(force[1]));
    if (joint->limited && joint->kind == TN_ROBOT_BALL) {
        joint->limited = false;
        return refuse(m, e, "range");
    }
    if (joint->limited && joint->lower > joint->upper)
        return tn_xml_fail(m->file, e, "%s: the lower limit %g is above the upper one, %g", owner,
                           range[0], range[1]);
    return TN_OK;
}

static tn_status read_forces(const mjcf *m, const tn_xml *e, const char *owner,
                             tn_robot_joint *joint)
{
    const double unit = joint->kind == TN_ROBOT_PRISMATIC ? 1.0 : angle_unit(m);
    TN_TRY(numbers(m, e, "stiffness", owner, 1, &joint->stiffness));
    TN_TRY(numbers(m, e, "springref", owner, 1, &joint->free));
    TN_TRY(numbers(m, e, "damping", owner, 1, &joint->damping));
    TN_TRY(numbers(m, e, "frictionloss", owner, 1, &joint->friction));
    TN_TRY(numbers(m, e, "armature", owner, 1, &joint->armature));
    joint->free *= unit;
    if (joint->stiffness < 0.0 || joint->damping < 0.0 || joint->friction < 0.0 ||
        joint->armature < 0.0)
        return tn_xml_fail(m->file, e,
                           "%s: stiffness, damping, frictionloss or armature is negative", owner);
    if (joint->armature > 0.0 && is_without(m, "armature"))
        joint->armature = 0.0;
    if (joint->kind != TN_ROBOT_BALL)
        return TN_OK;
    const char *word = joint->stiffness > 0.0  ? "stiffness"
                       : joint->friction > 0.0 ? "frictionloss"
                                               : "armature";
    const bool acts = joint->stiffness > 0.0 || joint->friction > 0.0 || joint->armature > 0.0;
    joint->stiffness = joint->friction = joint->armature = 0.0;
    return acts ? refuse(m, e, word) : TN_OK;
}

static tn_status read_kind(const mjcf *m, const tn_xml *e, const char *owner, tn_robot_kind *out)
{
    static const char *const names[] = {"hinge", "slide", "ball", "free"};
    static const tn_robot_kind kinds[] = {TN_ROBOT_REVOLUTE, TN_ROBOT_PRISMATIC, TN_ROBOT_BALL,
                                          TN_ROBOT_FLOATING};
    const char *text = strcmp(e->name, "freejoint") == 0 ? "free" : get(m, e, "type");
    for (int i = 0; i < TN_COUNT(names); i++)
        if (strcmp(text ? text : "hinge", names[i]) == 0) {
            *out = kinds[i];
            return TN_OK;
        }
    return tn_xml_fail(m->file, e, "%s: type '%s' is not known; %s", owner, text,
                       tn_name_hint(text, TN_COUNT(names), names).text);
}

// A joint of a body whose frame is `at` on link `parent`. Its own frame is at `pos` in that.
static tn_status read_joint(const mjcf *m, const tn_xml *e, const char *body, int parent,
                            tn_frame at, tn_robot_joint *out)
{
    const words what = words_of(e);
    double pos[3] = {0.0}, axis[3] = {0.0, 0.0, 1.0}, ref = 0.0;
    tn_robot_joint joint = {.line = e->line,
                            .next = TN_ROBOT_NONE,
                            .leader = TN_ROBOT_NONE,
                            .ratio = 1.0,
                            .parent = parent,
                            .by_matrix = true};
    const char *name = tn_xml_get(e, "name");
    joint.name = name ? name : keep_name(m, "%s_joint", body, 0);
    TN_TRY(tn_got(joint.name));
    TN_TRY(read_kind(m, e, what.text, &joint.kind));
    if (joint.kind != TN_ROBOT_FLOATING)
        TN_TRY(numbers(m, e, "pos", what.text, 3, pos));
    TN_TRY(numbers(m, e, "axis", what.text, 3, axis));
    joint.axis = tn_v3_from(axis);
    if (tn_v3_norm(joint.axis) == 0.0)
        return tn_xml_fail(m->file, e, "%s: the axis is zero and has no direction", what.text);
    joint.axis = tn_v3_scale(1.0 / tn_v3_norm(joint.axis), joint.axis);
    if (joint.kind == TN_ROBOT_BALL)
        joint.axis = tn_v3(0.0, 0.0, 1.0);
    TN_TRY(numbers(m, e, "ref", what.text, 1, &ref));
    joint.start = ref * (joint.kind == TN_ROBOT_PRISMATIC ? 1.0 : angle_unit(m));
    joint.started = true;
    joint.child_at = tn_v3_from(pos);
    joint.origin = tn_frame_mul(at, (tn_frame){tn_m3_identity, joint.child_at});
    if (joint.kind == TN_ROBOT_PRISMATIC)
        joint.origin.p = tn_frame_point(joint.origin, tn_v3_scale(-joint.start, joint.axis));
    else if (joint.start != 0.0)
        joint.origin.R = tn_m3_mul(joint.origin.R, turn_about(joint.axis, -joint.start));
    if (joint.kind != TN_ROBOT_FLOATING) {
        TN_TRY(read_range(m, e, what.text, &joint));
        TN_TRY(read_forces(m, e, what.text, &joint));
    }
    *out = joint;
    return TN_OK;
}

static tn_status add_joint(const mjcf *m, const tn_xml *e, tn_robot_joint joint)
{
    tn_robot *robot = m->robot;
    if (tn_table_find(robot->joint_names, joint.name) >= 0)
        return tn_xml_fail(m->file, e, "joint '%s' is there already; joints need different names",
                           joint.name);
    TN_TRY(tn_table_add(robot->joint_names, joint.name, robot->joints.count));
    return tn_array_push(&robot->joints, joint);
}

// Bodies -----------------------------------------------------------------------------------------

static bool is_joint(const tn_xml *e)
{
    return strcmp(e->name, "joint") == 0 || strcmp(e->name, "freejoint") == 0;
}

static tn_status hang_fixed(const mjcf *m, const tn_xml *body, const char *name, int parent,
                            tn_frame at, int link)
{
    tn_robot_joint joint = {.line = body->line,
                            .next = TN_ROBOT_NONE,
                            .leader = TN_ROBOT_NONE,
                            .kind = TN_ROBOT_FIXED,
                            .parent = parent,
                            .child = link,
                            .origin = at,
                            .at = at.p,
                            .by_matrix = true};
    joint.name = keep_name(m, "%s_fixed", name, 0);
    TN_TRY(tn_got(joint.name));
    return add_joint(m, body, joint);
}

// The joints of a body, with links without mass between them.
static tn_status hang_body(const mjcf *m, const tn_xml *body, const char *name, int parent,
                           int link)
{
    tn_frame at;
    const tn_xml *e = body->first;
    int number = 0;
    TN_TRY(read_pose(m, body, &at));
    m->robot->links.at[link].start = tn_frame_mul(m->robot->links.at[parent].start, at);
    while (e && !is_joint(e))
        e = e->next;
    if (!e)
        return hang_fixed(m, body, name, parent, at, link);
    while (e) {
        const tn_xml *next = e->next;
        tn_robot_joint joint;
        while (next && !is_joint(next))
            next = next->next;
        TN_TRY(read_joint(m, e, name, parent, at, &joint));
        joint.child = link;
        if (next) {
            const char *between = keep_name(m, "%s_%d", name, ++number);
            TN_TRY(tn_got(between));
            TN_TRY(add_link(m, e, between, &joint.child));
        }
        TN_TRY(add_joint(m, e, joint));
        parent = joint.child;
        at = tn_frame_identity;
        e = next;
    }
    return TN_OK;
}

static tn_status read_body(mjcf *m, const tn_xml *e, int parent)
{
    static const char *const refused[] = {"frame",    "replicate", "attach",  "composite",
                                          "flexcomp", "plugin",    "include", NULL};
    int link;
    const char *stated = tn_xml_get(e, "name");
    const char *name = stated ? stated : keep_name(m, "%sbody_%d", "", m->robot->links.count);
    TN_TRY(tn_got(name));
    for (const tn_xml *child = e->first; child; child = child->next)
        if (is_among(child->name, refused))
            return refuse_element(m, child);
    if (tn_xml_get(e, "mocap") || tn_xml_get(e, "gravcomp"))
        return tn_xml_fail(m->file, e, "body '%s': mocap and gravcomp are not read", name);
    TN_TRY(add_link(m, e, name, &link));
    TN_TRY(hang_body(m, e, name, parent, link));
    for (const tn_xml *child = tn_xml_child(e, "body"); child; child = tn_xml_again(child))
        TN_TRY(read_body(m, child, link));
    return TN_OK;
}

// Equalities -------------------------------------------------------------------------------------

static tn_status find_link(const mjcf *m, const tn_xml *e, const char *key, bool world, int *out)
{
    const char *name = tn_xml_get(e, key);
    *out = name ? tn_table_find(m->robot->link_names, name) : world ? 0 : -1;
    return *out >= 0 ? TN_OK
                     : tn_xml_fail(m->file, e, "%s: %s '%s' is no body", words_of(e).text, key,
                                   name ? name : "");
}

static tn_status close_loop(const mjcf *m, const tn_xml *e, tn_robot_joint joint)
{
    const char *name = tn_xml_get(e, "name");
    joint.name = name ? name : keep_name(m, "%s_%d", e->name, m->robot->joints.count);
    joint.line = e->line;
    joint.next = joint.leader = TN_ROBOT_NONE;
    joint.closes = joint.by_matrix = m->robot->guess = true;
    joint.axis = tn_v3(0.0, 0.0, 1.0);
    TN_TRY(tn_got(joint.name));
    return add_joint(m, e, joint);
}

// The frame of link b in that of link a, as drawn.
static tn_frame between(const tn_robot *robot, int a, int b)
{
    return tn_frame_mul(tn_frame_inverse(robot->links.at[a].start), robot->links.at[b].start);
}

static tn_status read_connect(const mjcf *m, const tn_xml *e)
{
    tn_robot_joint joint = {.kind = TN_ROBOT_BALL};
    double anchor[3] = {0.0};
    if (tn_xml_get(e, "site1"))
        return refuse(m, e, "site");
    TN_TRY(find_link(m, e, "body1", false, &joint.parent));
    TN_TRY(find_link(m, e, "body2", true, &joint.child));
    TN_TRY(numbers(m, e, "anchor", words_of(e).text, 3, anchor));
    joint.origin = (tn_frame){tn_m3_identity, tn_v3_from(anchor)};
    joint.child_at = tn_frame_point(between(m->robot, joint.child, joint.parent), joint.origin.p);
    return close_loop(m, e, joint);
}

// Only as drawn.
static tn_status read_weld(const mjcf *m, const tn_xml *e)
{
    tn_robot_joint joint = {.kind = TN_ROBOT_FIXED};
    if (tn_xml_get(e, "site1") || tn_xml_get(e, "relpose"))
        return refuse(m, e, "relpose");
    TN_TRY(find_link(m, e, "body1", false, &joint.parent));
    TN_TRY(find_link(m, e, "body2", true, &joint.child));
    joint.origin = between(m->robot, joint.parent, joint.child);
    return close_loop(m, e, joint);
}

static tn_status find_joint(const mjcf *m, const tn_xml *e, const char *key, tn_robot_joint **out)
{
    const char *name = tn_xml_get(e, key);
    const int i = name ? tn_table_find(m->robot->joint_names, name) : -1;
    if (i < 0 || !tn_robot_has_coordinate(&m->robot->joints.at[i]))
        return tn_xml_fail(m->file, e, "%s: %s '%s' is no hinge and no slide", words_of(e).text,
                           key, name ? name : "");
    *out = &m->robot->joints.at[i];
    return TN_OK;
}

// y - y0 = a0 + a1 (x - x0), of the coordinates of the drawn position.
static tn_status read_joint_row(const mjcf *m, const tn_xml *e)
{
    tn_robot_joint *y, *x;
    double a[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    if (!tn_xml_get(e, "joint2"))
        return refuse(m, e, "joint2");
    TN_TRY(find_joint(m, e, "joint1", &y));
    TN_TRY(find_joint(m, e, "joint2", &x));
    TN_TRY(tn_xml_read_numbers(m->file, e, "polycoef", get(m, e, "polycoef"), words_of(e).text, 1,
                               5, a));
    if (x == y)
        return tn_xml_fail(m->file, e, "%s: couples joint '%s' with itself", words_of(e).text,
                           x->name);
    if (a[2] != 0.0 || a[3] != 0.0 || a[4] != 0.0 || a[1] == 0.0 || y->leader >= 0)
        return refuse(m, e, "polycoef");
    y->leader = (int)(x - m->robot->joints.at);
    y->ratio = a[1];
    y->offset = y->start + a[0] - a[1] * x->start;
    return TN_OK;
}

static tn_status read_equality(const mjcf *m, const tn_xml *e)
{
    if (says(m, e, "active", "false"))
        return tn_robot_note_add(m->robot, TN_IMPORT_LEFT_OUT, e->line, "%s is not active",
                                 words_of(e).text);
    if (strcmp(e->name, "connect") == 0)
        return read_connect(m, e);
    if (strcmp(e->name, "weld") == 0)
        return read_weld(m, e);
    if (strcmp(e->name, "joint") == 0)
        return read_joint_row(m, e);
    return refuse(m, e, e->name);
}

// Drives -----------------------------------------------------------------------------------------

// All kinds of actuators have one default in a class, whatever it is called there.
static const char *get_of_drive(const mjcf *m, const tn_xml *e, const char *key)
{
    static const char *const kinds[] = {"general", "motor", "position", "velocity", NULL};
    const char *own = tn_xml_get(e, key);
    for (const tn_xml *at = own ? NULL : class_of(m, e); at && !own; at = at->parent) {
        for (const tn_xml *c = at->first; c; c = c->next)
            if (is_among(c->name, kinds) && tn_xml_get(c, key))
                own = tn_xml_get(c, key);
        if (at == m->defaults)
            break;
    }
    return own;
}

static tn_status read_of_drive(const mjcf *m, const tn_xml *e, const char *key, int least, int most,
                               double *out)
{
    return tn_xml_read_numbers(m->file, e, key, get_of_drive(m, e, key), words_of(e).text, least,
                               most, out);
}

// `ctrlrange` with `ctrllimited`, or those of the force.
static tn_status read_drive_range(const mjcf *m, const tn_xml *e, const char *range,
                                  const char *limited, bool *is, double out[2])
{
    const char *how = get_of_drive(m, e, limited);
    TN_TRY(read_of_drive(m, e, range, 2, 2, out));
    *is = how && strcmp(how, "auto") != 0 ? strcmp(how, "true") == 0
                                          : m->limits_by_range && get_of_drive(m, e, range);
    return !*is || out[0] < out[1] ? TN_OK
                                   : tn_xml_fail(m->file, e, "%s: %s from %g to %g is no range",
                                                 words_of(e).text, range, out[0], out[1]);
}

static bool is_stated_as(const char *text, const char *word)
{
    return !text || strcmp(text, word) == 0;
}

// Gain and bias by the kind; false for what has states of its own or acts by others than these.
static bool is_plain_drive(const mjcf *m, const tn_xml *e)
{
    static const char *const known[] = {"general", "motor", "position", "velocity", NULL};
    static const char *const others[] = {"dampratio", "timeconst", "inheritrange", "delay"};
    const char *bias = get_of_drive(m, e, "biastype");
    for (int i = 0; i < TN_COUNT(others); i++)
        if (get_of_drive(m, e, others[i]))
            return false;
    return is_among(e->name, known) && tn_xml_get(e, "joint") &&
           is_stated_as(get_of_drive(m, e, "dyntype"), "none") &&
           is_stated_as(get_of_drive(m, e, "gaintype"), "fixed") &&
           (is_stated_as(bias, "none") || strcmp(bias, "affine") == 0);
}

static tn_status read_gains(const mjcf *m, const tn_xml *e, tn_robot_drive *drive)
{
    const bool position = strcmp(e->name, "position") == 0;
    double kp = 1.0, kv = position ? 0.0 : 1.0, gain[1] = {1.0};
    const char *bias = get_of_drive(m, e, "biastype");
    if (strcmp(e->name, "general") == 0) {
        TN_TRY(tn_xml_read_numbers(m->file, e, "gainprm", get_of_drive(m, e, "gainprm"),
                                   words_of(e).text, 1, 1, gain));
        drive->gain = gain[0];
        return bias && strcmp(bias, "affine") == 0
                   ? read_of_drive(m, e, "biasprm", 1, 3, drive->bias)
                   : TN_OK;
    }
    drive->gain = 1.0;
    if (strcmp(e->name, "motor") == 0)
        return TN_OK;
    TN_TRY(read_of_drive(m, e, "kp", 1, 1, &kp));
    TN_TRY(read_of_drive(m, e, "kv", 1, 1, &kv));
    drive->gain = position ? kp : kv;
    drive->bias[1] = position ? -kp : 0.0;
    drive->bias[2] = -kv;
    return TN_OK;
}

static tn_status read_drive(const mjcf *m, const tn_xml *e)
{
    double gear[6] = {1.0};
    const char *name = tn_xml_get(e, "name");
    tn_robot_drive drive = {.line = e->line};
    if (is_without(m, "actuator") || !is_plain_drive(m, e))
        return refuse(m, e, "actuator");
    const char *joint = tn_xml_get(e, "joint");
    drive.name = name ? name : joint;
    drive.joint = tn_table_find(m->robot->joint_names, joint);
    if (drive.joint < 0)
        return tn_xml_fail(m->file, e, "%s: joint '%s' is not there", words_of(e).text, joint);
    if (!tn_robot_has_coordinate(&m->robot->joints.at[drive.joint]))
        return refuse(m, e, "actuator");
    TN_TRY(read_of_drive(m, e, "gear", 1, 6, gear));
    drive.gear = gear[0];
    TN_TRY(read_gains(m, e, &drive));
    TN_TRY(read_drive_range(m, e, "ctrlrange", "ctrllimited", &drive.limited[0], drive.range[0]));
    TN_TRY(read_drive_range(m, e, "forcerange", "forcelimited", &drive.limited[1], drive.range[1]));
    return tn_array_push(&m->robot->drives, drive);
}

// The whole --------------------------------------------------------------------------------------

static tn_status read_compiler(mjcf *m, const tn_xml *root)
{
    static const char *const refused[] = {
        "settotalmass", "boundmass", "boundinertia", "balanceinertia", "inertiafromgeom",
        "coordinate",   NULL};
    m->degrees = m->limits_by_range = true;
    strcpy(m->sequence, "xyz");
    for (const tn_xml *e = tn_xml_child(root, "compiler"); e; e = tn_xml_again(e)) {
        const char *angle = tn_xml_get(e, "angle"), *limits = tn_xml_get(e, "autolimits"),
                   *sequence = tn_xml_get(e, "eulerseq");
        for (int i = 0; i < e->nattribute; i++)
            if (is_among(e->keys[i], refused) && strcmp(e->values[i], "false") != 0 &&
                strcmp(e->values[i], "auto") != 0 && strcmp(e->values[i], "local") != 0)
                return tn_xml_fail(m->file, e, "compiler: %s=\"%s\" is not read", e->keys[i],
                                   e->values[i]);
        m->degrees = angle ? strcmp(angle, "radian") != 0 : m->degrees;
        m->limits_by_range = limits ? strcmp(limits, "false") != 0 : m->limits_by_range;
        if (sequence && (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3))
            return tn_xml_fail(m->file, e, "compiler: eulerseq '%.20s' is not three of x, y, z",
                               sequence);
        if (sequence)
            strcpy(m->sequence, sequence);
    }
    return TN_OK;
}

static tn_status read_option(const mjcf *m, const tn_xml *root)
{
    double g[3] = {0.0, 0.0, -9.81}, fluid[3] = {0.0};
    for (const tn_xml *e = tn_xml_child(root, "option"); e; e = tn_xml_again(e)) {
        TN_TRY(tn_xml_numbers(m->file, e, "gravity", "option", 3, g));
        TN_TRY(tn_xml_numbers(m->file, e, "density", "option", 1, &fluid[0]));
        TN_TRY(tn_xml_numbers(m->file, e, "viscosity", "option", 1, &fluid[1]));
        if (fluid[0] != 0.0 || fluid[1] != 0.0)
            return refuse(m, e, "fluid");
    }
    m->robot->gravity = tn_v3_from(g);
    return TN_OK;
}

// Spatial tendons pull; fixed ones only where they have springs or limits.
static tn_status read_tendons(const mjcf *m, const tn_xml *section)
{
    static const char *const acts[] = {"stiffness", "damping", "range", "frictionloss", "armature"};
    for (const tn_xml *e = section->first; e; e = e->next) {
        bool moves = strcmp(e->name, "spatial") == 0;
        for (int i = 0; i < TN_COUNT(acts); i++)
            moves |= get(m, e, acts[i]) != NULL;
        if (moves)
            TN_TRY(refuse(m, e, "tendon"));
    }
    return TN_OK;
}

static tn_status read_section(mjcf *m, const tn_xml *e)
{
    static const char *const known[] = {"compiler", "option", "default", "worldbody", NULL};
    static const char *const quiet[] = {"asset",    "visual",  "statistic", "size", "sensor",
                                        "keyframe", "contact", "custom",    NULL};
    if (is_among(e->name, known))
        return TN_OK;
    if (is_among(e->name, quiet))
        return tn_robot_note_add(m->robot, TN_IMPORT_LEFT_OUT, e->line,
                                 "'%s' has no part in the motion", e->name);
    if (strcmp(e->name, "tendon") == 0)
        return read_tendons(m, e);
    if (strcmp(e->name, "actuator") == 0) {
        for (const tn_xml *a = e->first; a; a = a->next)
            TN_TRY(read_drive(m, a));
        return TN_OK;
    }
    if (strcmp(e->name, "equality") != 0)
        return refuse_element(m, e);
    if (is_without(m, "equality"))
        return refuse(m, e, "equality");
    for (const tn_xml *row = e->first; row; row = row->next)
        TN_TRY(read_equality(m, row));
    return TN_OK;
}

static tn_status read_all(mjcf *m, const tn_xml *root)
{
    const tn_xml *world = tn_xml_child(root, "worldbody");
    int link;
    TN_TRY(read_compiler(m, root));
    TN_TRY(read_option(m, root));
    TN_TRY(list_classes(m, root));
    if (!world)
        return tn_xml_fail(m->file, root, "the robot has no <worldbody>");
    if (tn_xml_again(world) || (m->defaults && tn_xml_again(m->defaults)))
        return tn_xml_fail(m->file, root, "worldbody or default is there twice, which is not read");
    TN_TRY(add_link(m, world, "world", &link));
    for (const tn_xml *e = tn_xml_child(world, "body"); e; e = tn_xml_again(e))
        TN_TRY(read_body(m, e, link));
    for (const tn_xml *e = root->first; e; e = e->next)
        TN_TRY(read_section(m, e));
    return TN_OK;
}

tn_status tn_mjcf_read(tn_robot *robot)
{
    const tn_xml *root = robot->file.root;
    mjcf m = {.robot = robot, .file = &robot->file, .defaults = tn_xml_child(root, "default")};
    robot->name = tn_xml_get(root, "model");
    robot->states_gravity = true;
    tn_status s = tn_table_create(&m.class_names);
    TN_THEN(s, read_all(&m, root));
    tn_table_destroy(m.class_names);
    tn_array_free(&m.classes);
    return s;
}
