// SPDX-License-Identifier: MIT
//
// Wheel on rail: a wheel of body B, a surface of revolution about the y axis of frame B, stays in
// touch with a rail of body A, a profile in the y, z plane of frame A that is drawn out along x.
// The free side of the rail is +z where y increases along its profile.
//
// Contact coordinates are s of the rail, z of the profile (y(z), r(z)) of the wheel, and psi about
// its axle b, counted from the radius u that is lowest in frame A: with k = a_z, q = |k x b|,
//
//   u = ((k . b) b - k) / q,   e = cos(psi) u + sin(psi) b x u,   c_B = p + y b + r e
//   h = (c_A' . d, n . c_B,z, n . c_B,psi),   g = n . d,   d = c_B - c_A
//
// n and c_A' have no part along the rail. As the wheel is round, turns about b change nothing: psi
// and the search for it do not go round with the wheel. As the wheel turns by dtheta, psi gains
// dtheta . (b + (k . b) u / q) against an angle that is counted on its material.
//
// Surfaces part where the form n . d^2 c_B + kappa_A (t . d c_B)^2 on tangents of the wheel is
// positive, kappa_A being the curvature of the rail, positive where it is convex.

#include "contact/outline.h"
#include "contact/profile_params.h"
#include "model/builder.h"
#include "model/shape.h"

#include <math.h>
#include <string.h>

typedef struct wheel_rail {
    tn_profile *rail, *wheel; // the other body is to the left of them
} wheel_rail;

enum { AT_S, AT_Z, AT_PSI, COORDS };

// The rail at s.
typedef struct rail_spot {
    tn_vec3 c, d, dd, n, n_s;
    double speed, curvature;
} rail_spot;

static tn_vec3 across(const double v[2])
{
    return tn_v3(0.0, v[0], v[1]);
}

static tn_vec3 quarter(tn_vec3 v) // turned by a right angle, from y to z
{
    return tn_v3(0.0, -v.z, v.y);
}

static rail_spot rail_at(const wheel_rail *w, double s)
{
    tn_profile_at at;
    tn_profile_eval(w->rail, s, &at);
    rail_spot p = {.c = across(at.c), .d = across(at.d), .dd = across(at.dd)};
    p.speed = tn_v3_norm(p.d);
    const tn_vec3 t = tn_v3_scale(1.0 / p.speed, p.d);
    const tn_vec3 t_s = tn_v3_axpy(-tn_v3_dot(t, p.dd), t, p.dd);
    p.n = quarter(t);
    p.n_s = tn_v3_scale(1.0 / p.speed, quarter(t_s));
    p.curvature = tn_v3_dot(p.n_s, t) / p.speed;
    return p;
}

// The wheel at z and psi, arms from the origin of frame B in axes of frame A.
typedef struct wheel_spot {
    tn_vec3 c, z, psi, zz, zpsi, psipsi;
    tn_vec3 out;  // its normal, away from the wheel
    tn_vec3 gain; // of psi, by turns
    double radius, speed;
} wheel_spot;

static wheel_spot wheel_at(const wheel_rail *w, tn_mat3 R, const double *s)
{
    tn_profile_at at;
    tn_profile_eval(w->wheel, s[AT_Z], &at);
    const tn_vec3 b = tn_m3_column(R, TN_Y), k = tn_v3(0.0, 0.0, 1.0);
    const double q = hypot(b.x, b.y);
    const tn_vec3 u = tn_v3_scale(1.0 / q, tn_v3_axpy(b.z, b, tn_v3_neg(k)));
    const tn_vec3 f = tn_v3_cross(b, u);
    const tn_vec3 e = tn_v3_axpy(sin(s[AT_PSI]), f, tn_v3_scale(cos(s[AT_PSI]), u));
    const tn_vec3 e_psi = tn_v3_cross(b, e);
    wheel_spot p = {.radius = at.c[1], .speed = hypot(at.d[0], at.d[1])};
    p.c = tn_v3_axpy(at.c[1], e, tn_v3_scale(at.c[0], b));
    p.z = tn_v3_axpy(at.d[1], e, tn_v3_scale(at.d[0], b));
    p.zz = tn_v3_axpy(at.dd[1], e, tn_v3_scale(at.dd[0], b));
    p.psi = tn_v3_scale(at.c[1], e_psi);
    p.zpsi = tn_v3_scale(at.d[1], e_psi);
    p.psipsi = tn_v3_scale(-at.c[1], e);
    p.out = tn_v3_axpy(at.d[0], e, tn_v3_scale(-at.d[1], b));
    p.gain = tn_v3_axpy(b.z / q, u, b);
    return p;
}

// See ---------------------------------------------------------------------------------------------

// The smaller eigenvalue of the form in the head comment, on tangents of length one [1/m].
static double parting(const rail_spot *a, const wheel_spot *b)
{
    const double lz = b->speed, lp = b->radius;
    const double tz = tn_v3_dot(a->d, b->z) / (a->speed * lz);
    const double tp = tn_v3_dot(a->d, b->psi) / (a->speed * lp);
    const double zz = tn_v3_dot(a->n, b->zz) / (lz * lz) + a->curvature * tz * tz;
    const double zp = tn_v3_dot(a->n, b->zpsi) / (lz * lp) + a->curvature * tz * tp;
    const double pp = tn_v3_dot(a->n, b->psipsi) / (lp * lp) + a->curvature * tp * tp;
    return 0.5 * (zz + pp) - hypot(0.5 * (zz - pp), zp);
}

static void put_slopes(const rail_spot *a, const wheel_spot *b, tn_vec3 d, tn_touch_seen *out)
{
    const double slope[COORDS][COORDS] = {
        {tn_v3_dot(a->dd, d) - a->speed * a->speed, tn_v3_dot(a->d, b->z), tn_v3_dot(a->d, b->psi)},
        {tn_v3_dot(a->n_s, b->z), tn_v3_dot(a->n, b->zz), tn_v3_dot(a->n, b->zpsi)},
        {tn_v3_dot(a->n_s, b->psi), tn_v3_dot(a->n, b->zpsi), tn_v3_dot(a->n, b->psipsi)},
    };
    for (int i = 0; i < COORDS; i++)
        memcpy(out->h_s[i], slope[i], sizeof slope[i]);
    tn_v3_to(a->d, out->h_w[0]);
    tn_v3_to(tn_v3_cross(b->c, a->d), out->h_w[0] + 3);
    tn_v3_to(tn_v3_cross(b->z, a->n), out->h_w[1] + 3);
    tn_v3_to(tn_v3_cross(b->psi, a->n), out->h_w[2] + 3);
}

static void wheel_rail_see(const tn_touch *touch, tn_frame X, const double *s, tn_touch_seen *out)
{
    const wheel_rail *w = touch->shapes;
    const rail_spot a = rail_at(w, s[AT_S]);
    const wheel_spot b = wheel_at(w, X.R, s);
    const tn_vec3 d = tn_v3_sub(tn_v3_add(X.p, b.c), a.c);
    out->n = a.n;
    out->n_s[AT_S] = a.n_s;
    out->c = tn_v3_add(X.p, b.c);
    out->arm = b.c;
    out->c_s[AT_Z] = b.z;
    out->c_s[AT_PSI] = b.psi;
    out->gap = out->order = tn_v3_dot(a.n, d);
    out->h[0] = tn_v3_dot(a.d, d);
    out->h[1] = tn_v3_dot(a.n, b.z);
    out->h[2] = tn_v3_dot(a.n, b.psi);
    put_slopes(&a, &b, d, out);
    tn_v3_to(b.gain, out->s_w[AT_PSI] + 3);
    out->single = tn_v3_dot(a.n, b.out) < 0.0 ? touch->size * parting(&a, &b) : -1.0;
}

// Profiles alone: the wheel is round, however far it turns.
static void wheel_rail_points(const tn_touch *touch, const double *s, tn_vec3 c[2])
{
    const wheel_rail *w = touch->shapes;
    tn_profile_at at;
    tn_profile_eval(w->rail, s[AT_S], &at);
    c[0] = across(at.c);
    tn_profile_eval(w->wheel, s[AT_Z], &at);
    c[1] = across(at.c);
}

// Starts ------------------------------------------------------------------------------------------

// The highest point of the rail at a place across it: its height and s; false where there is none.
static bool rail_below(const wheel_rail *w, double y, double *height, double *s)
{
    const tn_profile_at *list;
    const double *at;
    const int n = tn_profile_samples(w->rail, &list, &at);
    bool found = false;
    for (int k = 0; k + 1 < n; k++) {
        const double from = list[k].c[0], to = list[k + 1].c[0];
        const double part = (y - from) / (to - from);
        if (!(part >= 0.0 && part <= 1.0 && from < to))
            continue;
        const double z = list[k].c[1] + part * (list[k + 1].c[1] - list[k].c[1]);
        if (found && z <= *height)
            continue;
        found = true;
        *height = z;
        *s = at[k] + part * (at[k + 1] - at[k]);
    }
    return found;
}

// Height of sample k of the wheel, at its lowest, above the rail; infinite beside it.
static double height_of(const wheel_rail *w, tn_frame X, double z, double *s)
{
    const double at[COORDS] = {[AT_Z] = z};
    const tn_vec3 c = tn_v3_add(X.p, wheel_at(w, X.R, at).c);
    double rail = 0.0;
    return rail_below(w, c.y, &rail, s) ? c.z - rail : INFINITY;
}

// Samples of the wheel that are nearer above the rail than both neighbours.
static int wheel_rail_starts(const tn_touch *touch, tn_frame X, double s[][TN_TOUCH_COORDS])
{
    const wheel_rail *w = touch->shapes;
    const tn_profile_at *list;
    const double *z;
    const int n = tn_profile_samples(w->wheel, &list, &z);
    double before = INFINITY, s_here = 0.0, s_next = 0.0;
    double here = height_of(w, X, z[0], &s_here);
    int count = 0;
    for (int k = 0; k < n && count < TN_TOUCH_STARTS; k++) {
        const double next = k + 1 < n ? height_of(w, X, z[k + 1], &s_next) : INFINITY;
        if (isfinite(here) && here <= before && here <= next) {
            s[count][AT_S] = s_here;
            s[count][AT_Z] = z[k];
            s[count++][AT_PSI] = 0.0;
        }
        before = here;
        here = next;
        s_here = s_next;
    }
    return count;
}

static bool is_on(const tn_profile *profile, double s)
{
    return s >= profile->from && s <= profile->to;
}

static bool wheel_rail_within(const tn_touch *touch, double *s)
{
    const wheel_rail *w = touch->shapes;
    return is_on(w->rail, s[AT_S]) && is_on(w->wheel, s[AT_Z]);
}

// Draw --------------------------------------------------------------------------------------------

// The extent of a profile: from y to y, and the range of the other number.
typedef struct span {
    double from, to, low, high;
} span;

static span span_of(const tn_profile *profile)
{
    const tn_profile_at *list;
    const double *at;
    const int n = tn_profile_samples(profile, &list, &at);
    span s = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int k = 0; k < n; k++) {
        s.from = fmin(s.from, list[k].c[0]);
        s.to = fmax(s.to, list[k].c[0]);
        s.low = fmin(s.low, list[k].c[1]);
        s.high = fmax(s.high, list[k].c[1]);
    }
    return s;
}

// The head of a rail, as long as the way of the wheel and some radii of it.
static tn_outline rail_outline(const wheel_rail *w)
{
    const span s = span_of(w->rail);
    const double foot = s.low - 0.4 * (s.to - s.from);
    tn_outline rail = tn_outline_of(&tn_form_plate);
    tn_outline_put_profile(&rail, w->rail);
    tn_outline_put(&rail, s.to, foot);
    tn_outline_put(&rail, s.from, foot);
    rail.frame.R = (tn_mat3){{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}; // (x, y) is (y, z), z is x
    rail.beyond = 4.0 * span_of(w->wheel).high;
    rail.from = -rail.beyond;
    rail.to = rail.beyond;
    return rail;
}

// The wheel with an axle to the origin of its frame, where that is beside it.
static tn_outline wheel_outline(const wheel_rail *w, span s)
{
    const double axle = 0.12 * s.low;
    tn_outline wheel = tn_outline_of(&tn_form_lathe);
    tn_profile_at at;
    if (s.from > 0.0) {
        tn_outline_put(&wheel, 0.0, 0.0);
        tn_outline_put(&wheel, axle, 0.0);
        tn_outline_put(&wheel, axle, s.from);
    } else {
        tn_outline_put(&wheel, 0.0, s.from);
    }
    for (int k = 0; k < TN_OUTLINE_POINTS; k++) {
        const double from = w->wheel->from, to = w->wheel->to;
        tn_profile_eval(w->wheel, from + (to - from) * k / (TN_OUTLINE_POINTS - 1), &at);
        tn_outline_put(&wheel, at.c[1], at.c[0]);
    }
    if (s.to < 0.0) {
        tn_outline_put(&wheel, axle, s.to);
        tn_outline_put(&wheel, axle, 0.0);
    }
    tn_outline_put(&wheel, 0.0, s.to < 0.0 ? 0.0 : s.to);
    return wheel;
}

// A spoke through the wheel that shows how it spins.
static tn_outline spoke_outline(span s)
{
    const double from = 0.2 * s.low, to = 0.92 * s.low, half = 0.06 * s.low;
    tn_outline spoke = tn_outline_of(&tn_form_plate);
    tn_outline_put(&spoke, from, -half);
    tn_outline_put(&spoke, to, -half);
    tn_outline_put(&spoke, to, half);
    tn_outline_put(&spoke, from, half);
    spoke.frame.R = (tn_mat3){{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}}; // (x, y) is (z, x), z is y
    spoke.from = s.from - 0.02 * s.low;
    spoke.to = s.to + 0.02 * s.low;
    spoke.color = TN_COLOR_MARK;
    return spoke;
}

static void wheel_rail_draw(const tn_touch *touch, bool of_b, tn_pen *pen)
{
    const wheel_rail *w = touch->shapes;
    const span s = span_of(w->wheel);
    const tn_outline first = of_b ? wheel_outline(w, s) : rail_outline(w);
    pen->draw(pen, &first);
    if (!of_b)
        return;
    const tn_outline mark = spoke_outline(s);
    pen->draw(pen, &mark);
}

// Model -------------------------------------------------------------------------------------------

#define RAIL_PARAM(member, kind, key, unit, ...) \
    TN_PROFILE_PARAM(contact.member, kind, key, unit, __VA_ARGS__)
// The profile of one of both, whose second coordinate has the name `up`.
#define RAIL_PROFILE(member, word, up, points, of_up)                                     \
    RAIL_PARAM(member.npoint, TABLE, word "_points", "m", .text = points),                \
        RAIL_PARAM(member.x_of, TEXT, word "_y", "m", .role = TN_ROLE_CURVE,              \
                   .text = "instead of points: y of the " word " as an expression of s"), \
        RAIL_PARAM(member.y_of, TEXT, word "_" up, "m", .role = TN_ROLE_CURVE,            \
                   .text = of_up " as an expression of s"),                               \
        RAIL_PARAM(member.from, NUMBER, word "_from", "",                                 \
                   .text = "s at the beginning of such a " word),                         \
        RAIL_PARAM(member.to, NUMBER, word "_to", "", .text = "s at its end")

static const tn_param wheel_rail_params[] = {
    RAIL_PROFILE(a, "rail", "z",
                 "points (y, z) of the rail in frame A that a quintic spline goes through; "
                 "the wheel is to the left, above where y increases",
                 "z of the rail"),
    RAIL_PROFILE(b, "wheel", "r",
                 "points (y, r) of the wheel along y of frame B, its axle, and from it; the "
                 "rail is to the left, outside where y increases",
                 "its radius"),
    TN_LIFT_OFF_PARAM,
};

static const tn_profile_keys rail_keys = {"rail_points", "rail_y",  "rail_z",
                                          "rail_from",   "rail_to", NULL};
static const tn_profile_keys wheel_keys = {"wheel_points", "wheel_y",  "wheel_r",
                                           "wheel_from",   "wheel_to", NULL};

static tn_status wheel_rail_link(const tn_model *model, const tn_joint_def *def, const char *what)
{
    TN_TRY(tn_check_rotation(model, def->body_a, what, "a rail"));
    return tn_check_rotation(model, def->body_b, what, "a wheel");
}

// The ends of profiles of rails and wheels are wrong if y does not increase along them.
static tn_status check_side(const tn_profile *profile, const char *what, const char *word,
                            const char *side)
{
    tn_profile_at from, to;
    tn_profile_eval(profile, profile->from, &from);
    tn_profile_eval(profile, profile->to, &to);
    if (profile->closed)
        return tn_fail(TN_ERR_MODEL,
                       "%s: the profile of the %s is closed; state its part that touches alone",
                       what, word);
    if (from.c[0] < to.c[0])
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: the profile of the %s goes from y = %g m to y = %g m; y must increase "
                   "along it, as the free side is to the left, %s",
                   what, word, from.c[0], to.c[0], side);
}

static tn_status check_radii(const tn_profile *wheel, const char *what)
{
    const tn_profile_at *list;
    const double *z;
    const int n = tn_profile_samples(wheel, &list, &z);
    for (int k = 0; k < n; k++)
        if (!(list[k].c[1] > 0.0))
            return tn_fail(TN_ERR_MODEL,
                           "%s: the profile of the wheel has the radius %g m at y = %g m; it must "
                           "be above zero",
                           what, list[k].c[1], list[k].c[0]);
    return TN_OK;
}

static tn_status make_profile(const tn_model *model, tn_profile_def def, const char *what,
                              const tn_profile_keys *keys, tn_profile **out)
{
    def.open = def.npoint > 0;
    return tn_profile_create(model, &def, what, keys, out);
}

static tn_status make_wheel_rail(const tn_model *model, const tn_joint_def *def, const char *what,
                                 wheel_rail *out)
{
    TN_TRY(make_profile(model, def->contact.a, what, &rail_keys, &out->rail));
    TN_TRY(check_side(out->rail, what, "rail", "above it"));
    TN_TRY(make_profile(model, def->contact.b, what, &wheel_keys, &out->wheel));
    TN_TRY(check_side(out->wheel, what, "wheel", "outside"));
    return check_radii(out->wheel, what);
}

static bool is_stated(const tn_model *model, tn_body body)
{
    return body.index == TN_GROUND.index || model->bodies.at[body.index].def.given_position;
}

static tn_frame frame_of(const tn_model *model, tn_body body, tn_frame local)
{
    return tn_frame_mul(model->bodies.at[body.index].def.frame, local);
}

// Position of the end `z` of the wheel across the rail.
static double place_across(const wheel_rail *w, tn_frame X, double z)
{
    const double at[COORDS] = {[AT_Z] = z};
    return X.p.y + wheel_at(w, X.R, at).c.y;
}

// Checks bodies whose start is stated: the wheel is on the rail.
static tn_status check_start(const tn_model *model, const tn_joint_def *def, const char *what,
                             tn_touch *touch)
{
    const wheel_rail *w = touch->shapes;
    double s[TN_TOUCH_COORDS];
    tn_touch_seen seen;
    tn_profile_at from, to;
    if (!is_stated(model, def->body_a) || !is_stated(model, def->body_b))
        return TN_OK;
    const tn_frame a = frame_of(model, def->body_a, def->frame_a);
    const tn_frame b = frame_of(model, def->body_b, def->frame_b);
    const tn_frame X = tn_frame_mul(tn_frame_inverse(a), b);
    if (tn_touch_find(touch, a, b, s, &seen))
        return TN_OK;
    tn_profile_eval(w->rail, w->rail->from, &from);
    tn_profile_eval(w->rail, w->rail->to, &to);
    return tn_fail(TN_ERR_MODEL,
                   "%s: the wheel of '%s' is not on the rail of '%s' at the start: across the rail "
                   "it is from y = %.6g m to %.6g m, and the rail from %.6g m to %.6g m; there is "
                   "no place where they touch with one normal. Move the body, or extend the "
                   "profiles",
                   what, model->bodies.at[def->body_b.index].name,
                   model->bodies.at[def->body_a.index].name, place_across(w, X, w->wheel->from),
                   place_across(w, X, w->wheel->to), from.c[0], to.c[0]);
}

static tn_status wheel_rail_make(tn_touch *touch, const tn_model *model, const tn_joint_def *def,
                                 const char *what)
{
    const double PART = 0.05, TURN = 0.2; // of the length of a curve; [rad]
    wheel_rail *w = touch->shapes;
    TN_TRY(make_wheel_rail(model, def, what, w));
    touch->none =
        "the wheel is nowhere above the rail between the ends of both profiles, or is in it "
        "deeper than they are round; move body B or extend the profiles";
    touch->size = w->rail->size;
    touch->unit[AT_S] = w->rail->unit;
    touch->unit[AT_Z] = w->wheel->unit;
    touch->unit[AT_PSI] = "rad";
    touch->reach[AT_S] = PART * (w->rail->to - w->rail->from);
    touch->reach[AT_Z] = PART * (w->wheel->to - w->wheel->from);
    touch->reach[AT_PSI] = TURN;
    return check_start(model, def, what, touch);
}

static void wheel_rail_clear(void *shapes)
{
    wheel_rail *w = shapes;
    tn_profile_destroy(w->rail);
    tn_profile_destroy(w->wheel);
}

static const char *const wheel_rail_names[] = {"s", "z", "psi"};
static const tn_touch_ops wheel_rail_touch = {
    .n = COORDS,
    .names = wheel_rail_names,
    .see = wheel_rail_see,
    .points = wheel_rail_points,
    .starts = wheel_rail_starts,
    .within = wheel_rail_within,
    .draw = wheel_rail_draw,
    .room = sizeof(wheel_rail),
    .make = wheel_rail_make,
    .clear = wheel_rail_clear,
};

const tn_joint_ops tn_joint_wheel_rail = {
    .name = "wheel-rail",
    .text = "keeps a wheel of body B, round about y of frame B, on a rail along x of frame A",
    TN_TOUCH_ROWS,
    .rubs = true,
    TN_PARAMS(wheel_rail_params),
    .link = wheel_rail_link,
    .shapes = &wheel_rail_touch,
};
