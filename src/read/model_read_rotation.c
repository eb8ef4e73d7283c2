// SPDX-License-Identifier: MIT
//
// Directions and rotations of a model file. A frame of which only one axis is stated is completed
// by the inertial axis that is least aligned with it, the first in cyclic order among equals, so
// that z = (0, 0, 1) and x = (1, 0, 0) give frames that are not turned.

#include "base/tolerance.h"
#include "lie/so3.h"
#include "read/model_yaml.h"

#include <math.h>

// Two axes typed with four digits or more pass and are then made exact; below six digits a note
// says so, as the second one may be a slip.
static const double RIGHT_ANGLE_TOL = 2e-4, TURNED_TOLD = 2e-6; // [rad]
// A direction of the plane, or normal to it, may miss it by the round-off of its expressions.
static const double PLANE_TOL = 1e-12;

// The unit vector along the value of a key.
static tn_status read_direction(const tn_element *e, const char *key, bool planar, tn_vec3 *out)
{
    const tn_node *node = tn_element_get(e, key);
    const tn_words what = tn_element_words(e, key);
    TN_TRY(tn_read_vector(e->reader, node, what.text, "", planar, out));
    const double largest = fmax(fmax(fabs(out->x), fabs(out->y)), fabs(out->z));
    if (largest == 0.0)
        return tn_node_fail(e->reader->doc, node, TN_ERR_MODEL,
                            "%s is the zero vector; it must have a direction", what.text);
    *out = (tn_vec3){out->x / largest, out->y / largest, out->z / largest}; // squares stay finite
    *out = tn_v3_scale(1.0 / tn_v3_norm(*out), *out);
    return TN_OK;
}

// Two unit vectors at right angles; the second is made exactly so.
static tn_status read_direction_pair(const tn_element *e, const char *key, const char *key_2,
                                     tn_vec3 *a, tn_vec3 *b)
{
    TN_TRY(read_direction(e, key, e->planar, a));
    TN_TRY(read_direction(e, key_2, e->planar, b));
    const double cosine = tn_v3_dot(*a, *b), off = asin(fmax(-1.0, fmin(cosine, 1.0)));
    if (fabs(off) > RIGHT_ANGLE_TOL)
        return tn_node_fail(e->reader->doc, tn_element_get(e, key_2), TN_ERR_MODEL,
                            "%s: %s and %s are at %.8g degrees; they must be at right angles, to "
                            "%g rad",
                            e->owner, key, key_2, 90.0 - off * 180.0 / TN_PI, RIGHT_ANGLE_TOL);
    if (fabs(off) > TURNED_TOLD)
        tn_notes_add(&e->reader->model->notes,
                     "%s: %s is turned by %.2g rad, to be at right angles to %s", e->owner, key_2,
                     fabs(off), key);
    *b = tn_v3_axpy(-cosine, *a, *b);
    *b = tn_v3_scale(1.0 / tn_v3_norm(*b), *b);
    return TN_OK;
}

tn_status tn_read_angle(const tn_element *e, double *out)
{
    const bool degrees = tn_element_get(e, "angle_deg") != NULL;
    TN_TRY(tn_element_number(e, degrees ? "angle_deg" : "angle", degrees ? "deg" : "rad", out));
    *out *= degrees ? TN_PI / 180.0 : 1.0;
    return TN_OK;
}

static tn_status from_quaternion(const tn_element *e, tn_mat3 *out)
{
    const tn_node *node = tn_element_get(e, "quaternion");
    const tn_words what = tn_element_words(e, "quaternion");
    double q[4], largest = 0.0;
    if (node->kind != TN_NODE_SEQUENCE || node->count != 4)
        return tn_node_numbers(e->reader->doc, node, what.text, 4, q);
    for (int i = 0; i < 4; i++) {
        TN_TRY(tn_read_number(e->reader, node->children[i], what.text, "", &q[i]));
        largest = fmax(largest, fabs(q[i]));
    }
    if (largest == 0.0)
        return tn_node_fail(e->reader->doc, node, TN_ERR_MODEL,
                            "%s is zero; it must have a length other than zero", what.text);
    for (int i = 0; i < 4; i++)
        q[i] /= largest;
    *out = tn_quat_matrix(tn_quat_normalize(tn_quat_from(q)));
    return TN_OK;
}

static tn_status from_axis_angle(const tn_element *e, tn_mat3 *out)
{
    tn_vec3 axis;
    double angle = 0.0;
    TN_TRY(read_direction(e, "axis", false, &axis));
    TN_TRY(tn_read_angle(e, &angle));
    *out = tn_so3_exp(tn_v3_scale(angle, axis));
    return TN_OK;
}

static tn_status from_angles(const tn_element *e, tn_mat3 *out)
{
    const bool degrees = tn_element_get(e, "angles_deg") != NULL;
    tn_vec3 a;
    TN_TRY(tn_element_vector(e, degrees ? "angles_deg" : "angles", degrees ? "deg" : "rad", false,
                             &a));
    a = tn_v3_scale(degrees ? TN_PI / 180.0 : 1.0, a);
    *out = tn_m3_mul(tn_m3_rot_z(a.z), tn_m3_mul(tn_m3_rot_y(a.y), tn_m3_rot_x(a.x)));
    return TN_OK;
}

static tn_status from_two_axes(const tn_element *e, tn_mat3 *out)
{
    tn_vec3 x, z;
    TN_TRY(read_direction_pair(e, "z_axis", "x_axis", &z, &x));
    *out = tn_m3_columns(x, tn_v3_cross(z, x), z);
    return TN_OK;
}

typedef struct {
    const char *keys[2]; // the second may be NULL
    tn_status (*read)(const tn_element *e, tn_mat3 *out);
} rotation_form;

static const rotation_form rotation_forms[] = {
    {{"quaternion", NULL}, from_quaternion},  {{"axis", "angle"}, from_axis_angle},
    {{"axis", "angle_deg"}, from_axis_angle}, {{"angles", NULL}, from_angles},
    {{"angles_deg", NULL}, from_angles},      {{"x_axis", "z_axis"}, from_two_axes},
};

tn_status tn_read_rotation(const tn_element *e, const char *key, tn_mat3 *out)
{
    tn_element child;
    TN_TRY(tn_element_child(e, key, &child));
    child.planar = false;
    TN_TRY(TN_CHECK_KEYS(&child, 0, NULL, tn_keys_rotation));
    for (int i = 0; i < TN_COUNT(rotation_forms); i++) {
        const rotation_form *form = &rotation_forms[i];
        const int count = form->keys[1] ? 2 : 1;
        if (child.map->count == count && tn_element_get(&child, form->keys[0]) &&
            (count == 1 || tn_element_get(&child, form->keys[1])))
            return form->read(&child, out);
    }
    return tn_element_fail(&child, "a rotation is one of {quaternion}, {axis, angle}, {angles} or "
                                   "{x_axis, z_axis}");
}

// An axis of the inertial frame that is far from parallel to a, the first from number `from` on.
static tn_vec3 least_aligned(tn_vec3 a, int from)
{
    const double size[3] = {fabs(a.x), fabs(a.y), fabs(a.z)};
    int best = from;
    for (int k = 1; k < 3; k++)
        if (size[(from + k) % 3] < size[best] - PLANE_TOL)
            best = (from + k) % 3;
    return tn_v3(best == 0, best == 1, best == 2);
}

static tn_vec3 part_across(tn_vec3 a, tn_vec3 b) // unit vector of what b has at right angles to a
{
    const tn_vec3 across = tn_v3_axpy(-tn_v3_dot(a, b), a, b);
    return tn_v3_scale(1.0 / tn_v3_norm(across), across);
}

static tn_status axis_in_plane(const tn_element *e, tn_axis_role role, tn_vec3 a, tn_mat3 *out)
{
    const tn_node *node = tn_element_get(e, "axis");
    const double level = hypot(a.x, a.y);
    if (role == TN_AXIS_IN_PLANE && fabs(a.z) > PLANE_TOL)
        return tn_node_fail(e->reader->doc, node, TN_ERR_MODEL,
                            "%s: axis leaves the plane of the bodies; it must lie in it, for "
                            "example [1, 0, 0]",
                            e->owner);
    if (role == TN_AXIS_NORMAL && (level > PLANE_TOL || a.z < 0.0))
        return tn_node_fail(e->reader->doc, node, TN_ERR_MODEL,
                            "%s: planar bodies turn about z; axis must be [0, 0, 1]", e->owner);
    if (role == TN_AXIS_NORMAL)
        *out = tn_m3_identity;
    else
        *out =
            (tn_mat3){{{a.x / level, -a.y / level, 0}, {a.y / level, a.x / level, 0}, {0, 0, 1}}};
    return TN_OK;
}

static tn_status one_axis(const tn_element *e, tn_axis_role role, tn_mat3 *out)
{
    tn_vec3 a;
    TN_TRY(read_direction(e, "axis", e->planar, &a));
    if (role == TN_AXIS_IN_PLANE || role == TN_AXIS_NORMAL)
        return axis_in_plane(e, role, a, out);
    if (role == TN_AXIS_X) {
        const tn_vec3 y = part_across(a, least_aligned(a, 1));
        *out = tn_m3_columns(a, y, tn_v3_cross(a, y));
    } else {
        const tn_vec3 x = part_across(a, least_aligned(a, 0));
        *out = tn_m3_columns(x, tn_v3_cross(a, x), a);
    }
    return TN_OK;
}

static tn_status two_axes(const tn_element *e, tn_axis_role role, tn_mat3 *out)
{
    tn_vec3 a, b;
    if (role == TN_AXIS_IN_PLANE || role == TN_AXIS_NORMAL)
        return tn_element_fail(e, "'axis_2' has no meaning in the plane");
    TN_TRY(read_direction_pair(e, "axis", "axis_2", &a, &b));
    *out = role == TN_AXIS_X ? tn_m3_columns(a, b, tn_v3_cross(a, b))
                             : tn_m3_columns(b, tn_v3_cross(a, b), a);
    return TN_OK;
}

tn_status tn_read_axes(const tn_element *e, tn_axis_role role, tn_mat3 *out, bool *given)
{
    const bool axis = tn_element_get(e, "axis") != NULL;
    const bool axis_2 = tn_element_get(e, "axis_2") != NULL;
    const bool orientation = tn_element_get(e, "orientation") != NULL;
    *given = axis || orientation;
    *out = tn_m3_identity;
    if (orientation && (axis || axis_2))
        return tn_element_fail(e, "both 'orientation' and '%s' are stated; leave out one",
                               axis ? "axis" : "axis_2");
    if (axis_2 && !axis)
        return tn_element_fail(e, "'axis_2' needs 'axis'");
    if (orientation)
        return tn_read_rotation(e, "orientation", out);
    if (axis_2)
        return two_axes(e, role, out);
    return axis ? one_axis(e, role, out) : TN_OK;
}
