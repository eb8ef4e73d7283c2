// SPDX-License-Identifier: MIT
//
// Curve on curve: a curve of body A, c_A(s) in frame A, and one of body B, c_B(z) in frame B, stay
// in touch: two bars or wires that cross. With the placement p, R of frame B in frame A,
//
//   a = c_A', b = R c_B',   d = p + R c_B - c_A,   N = a x b,   n = N / |N|, or its opposite
//   h = (a . d, b . d),   g = n . d
//
// On h = 0 d is along n. As the tangents a and b become parallel, the curves touch at no single
// place.

#include "contact/outline.h"
#include "contact/profile_params.h"
#include "model/builder.h"

#include <math.h>

enum { SAMPLES = 65 };

typedef struct curves {
    tn_locus a, b;
    double side;
} curves;

// See ---------------------------------------------------------------------------------------------

static void curves_see(const tn_touch *touch, tn_frame X, const double *s, tn_touch_seen *out)
{
    const curves *k = touch->shapes;
    const tn_locus_at on_a = tn_locus_eval(&k->a, &s[0]), on_b = tn_locus_eval(&k->b, &s[1]);
    const tn_vec3 a = on_a.d[0], a_s = on_a.dd[0], arm = tn_m3_apply(X.R, on_b.c);
    const tn_vec3 b = tn_m3_apply(X.R, on_b.d[0]), b_z = tn_m3_apply(X.R, on_b.dd[0]);
    const tn_vec3 d = tn_v3_sub(tn_v3_add(X.p, arm), on_a.c);
    const tn_vec3 N = tn_v3_scale(k->side, tn_v3_cross(a, b));
    const double f = k->side / tn_v3_norm(N);
    out->n = tn_v3_scale(1.0 / tn_v3_norm(N), N);
    const tn_vec3 rate[2] = {tn_v3_cross(a_s, b), tn_v3_cross(a, b_z)};
    for (int i = 0; i < 2; i++)
        out->n_s[i] = tn_v3_scale(f, tn_v3_axpy(-tn_v3_dot(out->n, rate[i]), out->n, rate[i]));
    for (int i = 0; i < 3; i++) {
        const tn_vec3 e = tn_v3(i == 0, i == 1, i == 2);
        const tn_vec3 by_turn = tn_v3_cross(a, tn_v3_cross(e, b));
        out->n_w[3 + i] = tn_v3_scale(f, tn_v3_axpy(-tn_v3_dot(out->n, by_turn), out->n, by_turn));
    }
    out->c = tn_v3_add(X.p, arm);
    out->arm = arm;
    out->c_s[1] = b;
    out->gap = out->order = tn_v3_dot(out->n, d);
    out->h[0] = tn_v3_dot(a, d);
    out->h[1] = tn_v3_dot(b, d);
    out->h_s[0][0] = tn_v3_dot(a_s, d) - tn_v3_dot(a, a);
    out->h_s[0][1] = tn_v3_dot(a, b);
    out->h_s[1][0] = -tn_v3_dot(a, b);
    out->h_s[1][1] = tn_v3_dot(b_z, d) + tn_v3_dot(b, b);
    tn_v3_to(a, out->h_w[0]);
    tn_v3_to(tn_v3_cross(arm, a), out->h_w[0] + 3);
    tn_v3_to(b, out->h_w[1]);
    tn_v3_to(tn_v3_add(tn_v3_cross(b, d), tn_v3_cross(arm, b)), out->h_w[1] + 3);
    out->single = tn_v3_dot(N, N) / (tn_v3_dot(a, a) * tn_v3_dot(b, b));
}

static void curves_points(const tn_touch *touch, const double *s, tn_vec3 c[2])
{
    const curves *k = touch->shapes;
    c[0] = tn_locus_eval(&k->a, &s[0]).c;
    c[1] = tn_locus_eval(&k->b, &s[1]).c;
}

// Starts ------------------------------------------------------------------------------------------

static double squared_distance(tn_vec3 a, tn_vec3 b)
{
    const tn_vec3 d = tn_v3_sub(b, a);
    return tn_v3_dot(d, d);
}

static void sample_points(const tn_locus *locus, tn_frame X, tn_vec3 *c)
{
    for (int i = 0; i < SAMPLES; i++) {
        const double s = tn_locus_sample(locus, 0, i, SAMPLES);
        c[i] = tn_v3_add(X.p, tn_m3_apply(X.R, tn_locus_eval(locus, &s).c));
    }
}

static bool is_nearest(const tn_vec3 *a, const tn_vec3 *b, int i, int j)
{
    const double here = squared_distance(a[i], b[j]);
    for (int k = i > 0 ? i - 1 : 0; k <= i + 1 && k < SAMPLES; k++)
        for (int l = j > 0 ? j - 1 : 0; l <= j + 1 && l < SAMPLES; l++)
            if (squared_distance(a[k], b[l]) < here)
                return false;
    return true;
}

static int curves_starts(const tn_touch *touch, tn_frame X, double s[][TN_TOUCH_COORDS])
{
    const curves *k = touch->shapes;
    tn_vec3 a[SAMPLES], b[SAMPLES];
    int count = 0;
    sample_points(&k->a, tn_frame_identity, a);
    sample_points(&k->b, X, b);
    for (int i = 0; i < SAMPLES; i++)
        for (int j = 0; j < SAMPLES && count < TN_TOUCH_STARTS; j++)
            if (is_nearest(a, b, i, j)) {
                s[count][0] = tn_locus_sample(&k->a, 0, i, SAMPLES);
                s[count++][1] = tn_locus_sample(&k->b, 0, j, SAMPLES);
            }
    return count;
}

static bool curves_within(const tn_touch *touch, double *s)
{
    const curves *k = touch->shapes;
    const bool on_a = tn_locus_within(&k->a, &s[0]);
    return tn_locus_within(&k->b, &s[1]) && on_a;
}

static void curves_draw(const tn_touch *touch, bool of_b, tn_pen *pen)
{
    const curves *k = touch->shapes;
    const tn_outline wire = tn_outline_of_curve(of_b ? &k->b : &k->a);
    pen->draw(pen, &wire);
}

// Model -------------------------------------------------------------------------------------------

#define ENDS(locus, end)                                                    \
    TN_LOCUS_PARAM(locus.from[0], NUMBER, "from" end, "", .fallback = -1.0, \
                   .text = "s at the beginning of the curve"),              \
        TN_LOCUS_PARAM(locus.to[0], NUMBER, "to" end, "", .fallback = 1.0, .text = "s at its end")

static const tn_param curve_on_curve_params[] = {
    TN_LOCUS_TEXTS(contact.on, "", "s: the curve of body A, in frame A"),
    ENDS(contact.on, ""),
    TN_LOCUS_TEXTS(contact.by, "_b", "s: the curve of body B, in frame B"),
    ENDS(contact.by, "_b"),
    TN_LOCUS_PARAM(contact.on.other_side, BOOL, "other_side", "",
                   .text = "body B is not on the side of the cross product of both tangents, but "
                           "on the other one"),
    TN_LIFT_OFF_PARAM,
};

static tn_status curve_on_curve_link(const tn_model *model, const tn_joint_def *def,
                                     const char *what)
{
    return tn_check_spatial(model, def, what, "curves of one plane are a cam with a profile");
}

static tn_status curves_make(tn_touch *touch, const tn_model *model, const tn_joint_def *def,
                             const char *what)
{
    const double PART = 0.1; // of the range of a coordinate
    curves *k = touch->shapes;
    TN_TRY(tn_locus_make(model, 1, &def->contact.on, what, "", &k->a));
    TN_TRY(tn_locus_make(model, 1, &def->contact.by, what, "_b", &k->b));
    k->side = def->contact.on.other_side ? -1.0 : 1.0;
    touch->none = "the curves do not pass each other between their ends, or are parallel; move "
                  "body B or extend the curves";
    touch->unit[0] = touch->unit[1] = "";
    touch->size = fmin(k->a.size, k->b.size);
    touch->reach[0] = PART * (k->a.to[0] - k->a.from[0]);
    touch->reach[1] = PART * (k->b.to[0] - k->b.from[0]);
    return TN_OK;
}

static void curves_clear(void *shapes)
{
    curves *k = shapes;
    tn_locus_clear(&k->a);
    tn_locus_clear(&k->b);
}

static const char *const curves_names[] = {"s_a", "s_b"};
static const tn_touch_ops curves_touch = {
    .n = 2,
    .crosses = true,
    .names = curves_names,
    .see = curves_see,
    .points = curves_points,
    .starts = curves_starts,
    .within = curves_within,
    .draw = curves_draw,
    .room = sizeof(curves),
    .make = curves_make,
    .clear = curves_clear,
};

const tn_joint_ops tn_joint_curve_on_curve = {
    .name = "curve-on-curve",
    .text = "keeps a curve of body A in touch with a curve of body B that crosses it",
    TN_TOUCH_ROWS,
    .rubs = true,
    TN_PARAMS(curve_on_curve_params),
    .link = curve_on_curve_link,
    .shapes = &curves_touch,
};
