// SPDX-License-Identifier: MIT
//
// Point on surface: the origin of frame B, or a ball about it, stays in touch with a surface of
// body A, c(u, v) in frame A. With d = p - c, the place p of the origin of B in frame A and n = c_u
// x c_v / |c_u x c_v|, or its opposite:
//
//   h = (c_u . d, c_v . d),   g = n . d - radius
//
// -h_s = (c_i . c_j - c_ij . d) is positive definite where the point is nearest to the surface.

#include "contact/outline.h"
#include "contact/profile_params.h"
#include "model/builder.h"

#include <math.h>

enum { GRID = 25 };

typedef struct surface {
    tn_locus on;
    double side, radius;
} surface;

// See ---------------------------------------------------------------------------------------------

// The derivative of N / |N|.
static tn_vec3 unit_rate(tn_vec3 n, double length, tn_vec3 rate)
{
    return tn_v3_scale(1.0 / length, tn_v3_axpy(-tn_v3_dot(n, rate), n, rate));
}

static void surface_see(const tn_touch *touch, tn_frame X, const double *s, tn_touch_seen *out)
{
    const surface *k = touch->shapes;
    const tn_locus_at at = tn_locus_eval(&k->on, s);
    const tn_vec3 u = at.d[0], v = at.d[1], d = tn_v3_sub(X.p, at.c);
    const tn_vec3 N = tn_v3_scale(k->side, tn_v3_cross(u, v));
    const double length = tn_v3_norm(N);
    out->n = tn_v3_scale(1.0 / length, N);
    for (int i = 0; i < 2; i++) {
        const tn_vec3 rate = tn_v3_add(tn_v3_cross(at.dd[i], v), tn_v3_cross(u, at.dd[i + 1]));
        out->n_s[i] = unit_rate(out->n, length, tn_v3_scale(k->side, rate));
        out->c_s[i] = tn_v3_scale(-k->radius, out->n_s[i]);
        out->h[i] = tn_v3_dot(at.d[i], d);
        tn_v3_to(at.d[i], out->h_w[i]);
        for (int j = 0; j < 2; j++)
            out->h_s[i][j] = tn_v3_dot(at.dd[i + j], d) - tn_v3_dot(at.d[i], at.d[j]);
    }
    out->c = tn_v3_axpy(-k->radius, out->n, X.p);
    out->gap = tn_v3_dot(out->n, d) - k->radius;
    out->order = fabs(tn_v3_dot(out->n, d));
    const double a = -out->h_s[0][0], b = -out->h_s[0][1], c = -out->h_s[1][1];
    out->single = a > 0.0 && c > 0.0 ? (a * c - b * b) / (length * length) : -1.0;
}

static void surface_points(const tn_touch *touch, const double *s, tn_vec3 c[2])
{
    const surface *k = touch->shapes;
    c[0] = tn_locus_eval(&k->on, s).c;
}

// Starts ------------------------------------------------------------------------------------------

static double squared_distance(const surface *k, tn_vec3 p, int i, int j)
{
    const double a[2] = {tn_locus_sample(&k->on, 0, i, GRID), tn_locus_sample(&k->on, 1, j, GRID)};
    const tn_vec3 d = tn_v3_sub(p, tn_locus_eval(&k->on, a).c);
    return tn_v3_dot(d, d);
}

static bool is_least(double at[GRID][GRID], int i, int j)
{
    for (int a = i > 0 ? i - 1 : 0; a <= i + 1 && a < GRID; a++)
        for (int b = j > 0 ? j - 1 : 0; b <= j + 1 && b < GRID; b++)
            if (at[a][b] < at[i][j])
                return false;
    return true;
}

static int surface_starts(const tn_touch *touch, tn_frame X, double s[][TN_TOUCH_COORDS])
{
    const surface *k = touch->shapes;
    double at[GRID][GRID];
    int count = 0;
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++)
            at[i][j] = squared_distance(k, X.p, i, j);
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID && count < TN_TOUCH_STARTS; j++)
            if (is_least(at, i, j)) {
                s[count][0] = tn_locus_sample(&k->on, 0, i, GRID);
                s[count++][1] = tn_locus_sample(&k->on, 1, j, GRID);
            }
    return count;
}

static bool surface_within(const tn_touch *touch, double *s)
{
    const surface *k = touch->shapes;
    return tn_locus_within(&k->on, s);
}

static void surface_draw(const tn_touch *touch, bool of_b, tn_pen *pen)
{
    const surface *k = touch->shapes;
    if (of_b && k->radius == 0.0)
        return;
    const tn_outline shape = of_b ? tn_outline_ball(k->radius) : tn_outline_of_surface(&k->on);
    pen->draw(pen, &shape);
}

// Model -------------------------------------------------------------------------------------------

#define ON(member, kind, key, unit, ...) \
    TN_LOCUS_PARAM(contact.on.member, kind, key, unit, __VA_ARGS__)

static const tn_param point_on_surface_params[] = {
    TN_LOCUS_TEXTS(contact.on, "", "u and v, in frame A"),
    ON(from[0], NUMBER, "u_from", "", .fallback = -1.0, .text = "u at one end of the surface"),
    ON(to[0], NUMBER, "u_to", "", .fallback = 1.0, .text = "u at the other end"),
    ON(from[1], NUMBER, "v_from", "", .fallback = -1.0, .text = "v at one end of the surface"),
    ON(to[1], NUMBER, "v_to", "", .fallback = 1.0, .text = "v at the other end"),
    TN_LOCUS_PARAM(contact.radius, NUMBER, "radius", "m", .range = TN_NONNEGATIVE, .fallback = 0.0,
                   .text = "of a ball about the origin of frame B; 0: that point"),
    ON(other_side, BOOL, "other_side", "",
       .text = "the point is not on the side of the cross product of the tangents along u and v, "
               "but on the other one"),
    TN_LIFT_OFF_PARAM,
};

static tn_status point_on_surface_link(const tn_model *model, const tn_joint_def *def,
                                       const char *what)
{
    if (tn_pair_is_planar(model, def->body_a, def->body_b))
        return tn_fail(TN_ERR_MODEL,
                       "%s: a point on a surface needs bodies in space, these are planar; a cam "
                       "with a roller of radius 0 is a point on a curve",
                       what);
    return tn_check_rotation(model, def->body_a, what, "a surface");
}

static tn_status surface_make(tn_touch *touch, const tn_model *model, const tn_joint_def *def,
                              const char *what)
{
    const double PART = 0.1; // of the range of a coordinate
    surface *k = touch->shapes;
    TN_TRY(tn_locus_make(model, 2, &def->contact.on, what, "", &k->on));
    k->side = def->contact.on.other_side ? -1.0 : 1.0;
    k->radius = def->contact.radius;
    touch->none = "no place of the surface is nearest to the point: it is beyond the ends of the "
                  "surface, or in the middle of a bend; move body B or extend the surface";
    touch->size = k->on.size;
    for (int i = 0; i < 2; i++) {
        touch->unit[i] = "";
        touch->reach[i] = PART * (k->on.to[i] - k->on.from[i]);
    }
    return TN_OK;
}

static void surface_clear(void *shapes)
{
    tn_locus_clear(&((surface *)shapes)->on);
}

static const char *const surface_names[] = {"u", "v"};
static const tn_touch_ops surface_touch = {
    .n = 2,
    .names = surface_names,
    .see = surface_see,
    .points = surface_points,
    .starts = surface_starts,
    .within = surface_within,
    .draw = surface_draw,
    .room = sizeof(surface),
    .make = surface_make,
    .clear = surface_clear,
};

const tn_joint_ops tn_joint_point_on_surface = {
    .name = "point-on-surface",
    .text = "keeps a point of body B, or a ball about it, in touch with a surface of body A",
    TN_TOUCH_ROWS,
    .rubs = true,
    TN_PARAMS(point_on_surface_params),
    .link = point_on_surface_link,
    .shapes = &surface_touch,
};
