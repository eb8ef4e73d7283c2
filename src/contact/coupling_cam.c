// SPDX-License-Identifier: MIT
//
// Cam: a profile of body A, a curve in the x, y plane of frame A, stays in touch with body B: with
// a flat face, the x axis of frame B with the body on the side of y; with a roller about the origin
// of frame B; or with a profile in the x, y plane of frame B. The planes of both frames are
// parallel.
//
// With the placement p, R of frame B in frame A, points c_A(s) and c_B(z) of the curves, their
// derivatives c' and the unit normal n(s) of A that points to B:
//
//   flat, profile   d = p + R c_B - c_A,   h = (c_A' . d, n . R c_B'),   g = n . d
//   roller          d = p - c_A,           h = c_A' . d,                 g = n . d - radius
//
// The curves part on both sides of the contact where k_A + k_B + k_A k_B g > 0, with curvatures k
// that are positive on convex sides, and face each other where 1 + k g > 0 for both; a roller where
// 1 + k_A (g + radius) > 0.

#include "contact/outline.h"
#include "contact/profile_params.h"
#include "model/builder.h"

#include <math.h>

typedef struct cam {
    tn_profile *a, *b;     // b: NULL but for another profile
    double side_a, side_b; // n = side (-t_y, t_x)
    bool roller;
    double radius;
} cam;

// A point of a curve with tangent and normal; the last ones by s.
typedef struct spot {
    tn_vec3 c, d, dd; // c, c', c''
    tn_vec3 t, n, n_s;
    double speed; // |c'|
} spot;

static tn_vec3 in_plane(const double v[2])
{
    return tn_v3(v[0], v[1], 0.0);
}

static tn_vec3 quarter(tn_vec3 v) // turned by a right angle
{
    return tn_v3(-v.y, v.x, 0.0);
}

static spot spot_of(const tn_profile_at *at, double side)
{
    spot p = {.c = in_plane(at->c), .d = in_plane(at->d), .dd = in_plane(at->dd)};
    p.speed = tn_v3_norm(p.d);
    p.t = tn_v3_scale(1.0 / p.speed, p.d);
    p.n = tn_v3_scale(side, quarter(p.t));
    const tn_vec3 t_s = tn_v3_axpy(-tn_v3_dot(p.t, p.dd), p.t, p.dd);
    p.n_s = tn_v3_scale(side / p.speed, quarter(t_s));
    return p;
}

static spot spot_at(const tn_profile *profile, double side, double s)
{
    tn_profile_at at;
    tn_profile_eval(profile, s, &at);
    return spot_of(&at, side);
}

// The curve of B in its frame; the normal of a flat one is -y.
static spot spot_on_b(const cam *k, double z)
{
    const tn_profile_at face = {.c = {z, 0.0}, .d = {1.0, 0.0}};
    return k->b ? spot_at(k->b, k->side_b, z) : spot_of(&face, -1.0);
}

// See ---------------------------------------------------------------------------------------------

static double curvature_of(const spot *a)
{
    return tn_v3_dot(a->n_s, a->t) / a->speed;
}

static void see_roller(const cam *k, const spot *a, tn_frame X, tn_touch_seen *out)
{
    const tn_vec3 d = tn_v3_sub(X.p, a->c);
    out->n = a->n;
    out->n_s[0] = a->n_s;
    out->c = tn_v3_axpy(-k->radius, a->n, X.p);
    out->c_s[0] = tn_v3_scale(-k->radius, a->n_s);
    out->gap = tn_v3_dot(a->n, d) - k->radius;
    out->order = fabs(tn_v3_dot(a->n, d));
    out->h[0] = tn_v3_dot(a->d, d);
    out->h_s[0][0] = tn_v3_dot(a->dd, d) - a->speed * a->speed;
    tn_v3_to(a->d, out->h_w[0]);
    out->single = -out->h_s[0][0] / (a->speed * a->speed);
}

static void see_curve(const cam *k, const spot *a, tn_frame X, double z, double size,
                      tn_touch_seen *out)
{
    const spot in_b = spot_on_b(k, z);
    const tn_vec3 b = tn_m3_apply(X.R, in_b.c), b_z = tn_m3_apply(X.R, in_b.d);
    const tn_vec3 b_zz = tn_m3_apply(X.R, in_b.dd);
    const tn_vec3 d = tn_v3_sub(tn_v3_add(X.p, b), a->c);
    out->n = a->n;
    out->n_s[0] = a->n_s;
    out->c = tn_v3_add(X.p, b);
    out->arm = b;
    out->c_s[1] = b_z;
    out->gap = out->order = tn_v3_dot(a->n, d);
    out->h[0] = tn_v3_dot(a->d, d);
    out->h[1] = tn_v3_dot(a->n, b_z);
    out->h_s[0][0] = tn_v3_dot(a->dd, d) - a->speed * a->speed;
    out->h_s[0][1] = tn_v3_dot(a->d, b_z);
    out->h_s[1][0] = tn_v3_dot(a->n_s, b_z);
    out->h_s[1][1] = tn_v3_dot(a->n, b_zz);
    tn_v3_to(a->d, out->h_w[0]);
    tn_v3_to(tn_v3_cross(b, a->d), out->h_w[0] + 3);
    tn_v3_to(tn_v3_cross(b_z, a->n), out->h_w[1] + 3);
    const bool opposed = tn_v3_dot(a->n, tn_m3_apply(X.R, in_b.n)) < 0.0;
    const double ka = curvature_of(a), kb = curvature_of(&in_b), g = out->gap;
    const bool facing = opposed && 1.0 + ka * g > 0.0 && 1.0 + kb * g > 0.0;
    out->single = facing ? size * (ka + kb + ka * kb * g) : -1.0;
}

static void cam_see(const tn_touch *touch, tn_frame X, const double *s, tn_touch_seen *out)
{
    const cam *k = touch->shapes;
    const spot a = spot_at(k->a, k->side_a, s[0]);
    if (k->roller)
        see_roller(k, &a, X, out);
    else
        see_curve(k, &a, X, s[1], touch->size, out);
}

static void cam_points(const tn_touch *touch, const double *s, tn_vec3 c[2])
{
    const cam *k = touch->shapes;
    tn_profile_at at;
    tn_profile_eval(k->a, s[0], &at);
    c[0] = in_plane(at.c);
    if (!k->b)
        return;
    tn_profile_eval(k->b, s[1], &at);
    c[1] = in_plane(at.c);
}

// Starts ------------------------------------------------------------------------------------------

// Distance measure of the roller or the face at a sample of A; the nearest sample has the least.
static double nearness(const cam *k, tn_frame X, const spot *a)
{
    const tn_vec3 d = tn_v3_sub(X.p, a->c);
    if (k->roller)
        return d.x * d.x + d.y * d.y;
    const tn_vec3 face = tn_m3_column(X.R, TN_Y);
    return face.x * d.x + face.y * d.y;
}

// For another profile: the same where its normal is against that of A, between two samples, and of
// several such places the one that is least off the normal of A. INFINITY where there is none: B is
// open.
static double opposite(const cam *k, tn_frame X, const spot *a, double *z)
{
    const tn_profile_at *list;
    const double *at;
    const int n = tn_profile_samples(k->b, &list, &at);
    const bool closed = k->b->closed;
    const tn_vec3 normal = tn_m3_apply_t(X.R, a->n), t = tn_m3_apply_t(X.R, a->t);
    const double shift = tn_v3_dot(a->t, tn_v3_sub(X.p, a->c));
    double least = INFINITY;
    for (int i = closed ? -1 : 0; i + 1 < n; i++) {
        const tn_profile_at *b = &list[i < 0 ? n - 1 : i], *next = &list[i + 1];
        const double f = normal.x * b->d[0] + normal.y * b->d[1];
        const double f_next = normal.x * next->d[0] + normal.y * next->d[1];
        // n_B = side (-t_y, t_x) is against the normal of A
        const bool against = k->side_b * (normal.y * b->d[0] - normal.x * b->d[1]) < 0.0;
        if (!against || (f > 0.0) == (f_next > 0.0))
            continue;
        const double part = f / (f - f_next);
        const double x = b->c[0] + part * (next->c[0] - b->c[0]);
        const double y = b->c[1] + part * (next->c[1] - b->c[1]);
        const double off = fabs(shift + t.x * x + t.y * y);
        if (off >= least)
            continue;
        least = off;
        const double from = i < 0 ? at[n - 1] - (k->b->to - k->b->from) : at[i];
        *z = from + part * (at[i + 1] - from);
    }
    return least;
}

static double nearness_at(const cam *k, tn_frame X, const spot *a, double *z)
{
    *z = 0.0;
    if (k->b)
        return opposite(k, X, a, z);
    const tn_vec3 face = tn_m3_column(X.R, TN_X), d = tn_v3_sub(a->c, X.p);
    *z = face.x * d.x + face.y * d.y;
    return nearness(k, X, a);
}

// The place of another start, which takes that of the largest residual where there are too many.
static int next_start(int *count, double value[TN_TOUCH_STARTS], double here)
{
    int worst = 0;
    if (*count < TN_TOUCH_STARTS) {
        value[*count] = here;
        return (*count)++;
    }
    for (int i = 1; i < TN_TOUCH_STARTS; i++)
        worst = value[i] > value[worst] ? i : worst;
    if (here >= value[worst])
        return -1;
    value[worst] = here;
    return worst;
}

// Samples at which it is less than at both neighbours; ends of open curves count.
static int cam_starts(const tn_touch *touch, tn_frame X, double s[][TN_TOUCH_COORDS])
{
    const cam *k = touch->shapes;
    const tn_profile_at *list;
    const double *at;
    const int n = tn_profile_samples(k->a, &list, &at);
    const bool closed = k->a->closed;
    double before = INFINITY, z_here, z_next, value[TN_TOUCH_STARTS];
    int count = 0;
    spot a = spot_of(&list[0], k->side_a);
    double here = nearness_at(k, X, &a, &z_here);
    if (closed) {
        a = spot_of(&list[n - 1], k->side_a);
        before = nearness_at(k, X, &a, &z_next);
    }
    for (int i = 0; i < n; i++) {
        const int follower = i + 1 < n ? i + 1 : closed ? 0 : -1;
        double next = INFINITY;
        if (follower >= 0) {
            a = spot_of(&list[follower], k->side_a);
            next = nearness_at(k, X, &a, &z_next);
        }
        const bool least = here < INFINITY && here <= before && here <= next;
        const int place = least ? next_start(&count, value, here) : -1;
        if (place >= 0) {
            s[place][0] = at[i];
            s[place][1] = z_here;
        }
        before = here;
        here = next;
        z_here = z_next;
    }
    return count;
}

// Two profiles: far sides of solids that are flat have a common normal, too, through both of them.
// One of the near sides is at no more than half way.
static bool is_nearest(const tn_profile *profile, tn_vec3 p, double distance)
{
    const double NEARER = 0.7;
    const tn_profile_at *list;
    const double *s, bound = NEARER * distance;
    const int n = tn_profile_samples(profile, &list, &s);
    for (int i = 0; i < n; i++) {
        const double x = p.x - list[i].c[0], y = p.y - list[i].c[1];
        if (x * x + y * y < bound * bound)
            return false;
    }
    return true;
}

static bool profiles_count(const tn_touch *touch, tn_frame X, const tn_touch_seen *seen)
{
    const cam *k = touch->shapes;
    const double distance = fabs(seen->gap), ROUND_OFF = 1e-9;
    if (!k->b || distance <= ROUND_OFF * touch->size)
        return true;
    const tn_vec3 on_a = tn_v3_axpy(-seen->gap, seen->n, seen->c);
    return is_nearest(k->a, seen->c, distance) &&
           is_nearest(k->b, tn_m3_apply_t(X.R, tn_v3_sub(on_a, X.p)), distance);
}

// Closed curves go round.
static bool put_within(const tn_profile *profile, double *s)
{
    const double from = profile->from, to = profile->to;
    if (profile->closed) {
        *s -= (to - from) * floor((*s - from) / (to - from));
        return true;
    }
    return *s >= from && *s <= to;
}

static bool cam_within(const tn_touch *touch, double *s)
{
    const cam *k = touch->shapes;
    const bool on_a = put_within(k->a, &s[0]);
    return on_a && (!k->b || put_within(k->b, &s[1]));
}

static const char *cam_wrong(const tn_touch *touch, tn_frame X)
{
    const double TILT = 1e-3; // constraints that hold the planes may drift by less
    const tn_vec3 normal = tn_m3_column(X.R, TN_Z);
    return hypot(normal.x, normal.y) > TILT ? "the planes of cam and follower are no longer "
                                              "parallel; hold them so by other joints"
                                            : NULL;
}

// Draw --------------------------------------------------------------------------------------------

// As long as the cam may reach along it.
static tn_outline face_outline(const tn_profile *profile)
{
    const tn_profile_at *list;
    const double *at;
    const int n = tn_profile_samples(profile, &list, &at);
    const double depth = 0.15 * profile->size;
    double reach = 0.0;
    for (int i = 0; i < n; i++)
        reach = fmax(reach, hypot(list[i].c[0], list[i].c[1]));
    tn_outline face = tn_outline_of(&tn_form_plate);
    tn_outline_put(&face, -reach, 0.0);
    tn_outline_put(&face, reach, 0.0);
    tn_outline_put(&face, reach, depth);
    tn_outline_put(&face, -reach, depth);
    return face;
}

static tn_outline follower_outline(const cam *k)
{
    if (k->b)
        return tn_outline_of_profile(k->b, k->side_b);
    return k->roller ? tn_outline_disc(k->radius) : face_outline(k->a);
}

// All of one thickness; a sharp edge has no extent.
static void cam_draw(const tn_touch *touch, bool of_b, tn_pen *pen)
{
    const cam *k = touch->shapes;
    if (of_b && k->roller && k->radius == 0.0)
        return;
    tn_outline plate = tn_outline_of_profile(k->a, k->side_a);
    const double thick = plate.to;
    if (of_b)
        plate = follower_outline(k);
    plate.from = -thick;
    plate.to = thick;
    pen->draw(pen, &plate);
}

// Model -------------------------------------------------------------------------------------------

static const char *const followers[] = {"flat", "roller", "profile", NULL};

#define CAM_PARAM(member, kind, key, unit, ...) \
    TN_PARAM(tn_joint_def, contact.member, kind, key, unit, __VA_ARGS__)

static const tn_param cam_params[] = {
    CAM_PARAM(follower, CHOICE, "follower", "", .choices = followers,
              .text = "what touches the profile: a flat face, the x axis of frame B with the body "
                      "on the side of y; a roller about the origin of frame B; a profile of B"),
    CAM_PARAM(radius, NUMBER, "radius", "m", .range = TN_NONNEGATIVE, .fallback = 0.0,
              .text = "of a roller; 0: a sharp edge"),
    TN_PROFILE_PARAMS(contact.a, "", "the profile, in x and y of frame A"),
    TN_PROFILE_PARAMS(contact.b, "_b", "another profile as follower, in x and y of frame B"),
    TN_LIFT_OFF_PARAM,
};

static const tn_profile_keys keys_a = TN_PROFILE_KEYS(""), keys_b = TN_PROFILE_KEYS("_b");

static double side_of(const tn_profile *profile, const tn_profile_def *def)
{
    const double side = profile->closed ? -tn_profile_area_sign(profile) : 1.0;
    return def->other_side ? -side : side;
}

static tn_status check_follower(const tn_joint_def *def, const char *what)
{
    const tn_contact_def *contact = &def->contact;
    const bool profile = tn_profile_is_stated(&contact->b);
    if (contact->follower != TN_FOLLOWER_ROLLER && contact->radius > 0.0)
        return tn_fail(TN_ERR_MODEL,
                       "%s: radius is that of a roller, and the follower is %s; leave it out, or "
                       "state follower: roller",
                       what, followers[contact->follower]);
    if (contact->follower == TN_FOLLOWER_PROFILE && !profile)
        return tn_fail(TN_ERR_MODEL,
                       "%s: the profile of the follower is missing; state points_b, or x_b and y_b",
                       what);
    if (contact->follower != TN_FOLLOWER_PROFILE && profile)
        return tn_fail(TN_ERR_MODEL,
                       "%s: it has a profile of body B, and the follower is %s; state follower: "
                       "profile, or leave it out",
                       what, followers[contact->follower]);
    return TN_OK;
}

static tn_status cam_link(const tn_model *model, const tn_joint_def *def, const char *what)
{
    const double PARALLEL = 1e-6;
    TN_TRY(check_follower(def, what));
    TN_TRY(tn_check_rotation(model, def->body_a, what, "a cam"));
    if (def->contact.follower != TN_FOLLOWER_ROLLER)
        TN_TRY(tn_check_rotation(model, def->body_b, what, "a follower that is no roller"));
    const double tilt = tn_v3_norm(tn_axes_at_start(model, def, TN_Z, TN_Z));
    if (def->contact.follower == TN_FOLLOWER_ROLLER || tilt < PARALLEL)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: the planes of cam and follower, x and y of frames A and B, are not "
                   "parallel: their normals differ by %.3g rad; turn a frame",
                   what, asin(fmin(tilt, 1.0)));
}

static tn_status make_cam(const tn_model *model, const tn_joint_def *def, const char *what,
                          cam *out)
{
    const double LARGEST = 1e9;
    const tn_contact_def *contact = &def->contact;
    TN_TRY(tn_profile_create(model, &contact->a, what, &keys_a, &out->a));
    out->side_a = side_of(out->a, &contact->a);
    out->roller = contact->follower == TN_FOLLOWER_ROLLER;
    out->radius = contact->radius;
    if (!(out->radius <= LARGEST * out->a->size))
        return tn_fail(TN_ERR_MODEL,
                       "%s: radius is %g m, and the profile is as large as %.3g m: more than %g "
                       "times that leaves no digits of the gap; correct it, or state follower: "
                       "flat",
                       what, out->radius, out->a->size, LARGEST);
    if (contact->follower != TN_FOLLOWER_PROFILE)
        return TN_OK;
    TN_TRY(tn_profile_create(model, &contact->b, what, &keys_b, &out->b));
    out->side_b = side_of(out->b, &contact->b);
    return TN_OK;
}

static bool is_hollow(const cam *k)
{
    const tn_profile_at *list;
    const double *s;
    bool hollow = true;
    for (int i = tn_profile_samples(k->a, &list, &s) - 1; i >= 0 && hollow; i--) {
        const spot a = spot_of(&list[i], k->side_a);
        hollow = !(curvature_of(&a) > 0.0);
    }
    return hollow;
}

static const char *why_none(const cam *k)
{
    if (k->roller)
        return "no place of the profile is nearest to the roller: it is beyond the ends of the "
               "profile, or in the middle of a bend; move body B or extend the profile";
    if (k->b)
        return "the profiles do not face each other, or are in each other deeper than they are "
               "round; move body B, or state other_side or other_side_b";
    if (is_hollow(k))
        return "the profile is nowhere convex on the side of body B, so that a flat face touches "
               "none of it; take a roller, or state other_side the other way round";
    return "the profile is not below the flat face, which is x of frame B with the body on the "
           "side of y: the face looks away from it or is too deep in it; move body B, or turn "
           "frame B by its angle";
}

static const tn_touch_ops roller_touch;

static tn_status cam_make(tn_touch *touch, const tn_model *model, const tn_joint_def *def,
                          const char *what)
{
    const double PART = 0.05; // of the length of a curve
    cam *k = touch->shapes;
    TN_TRY(make_cam(model, def, what, k));
    if (k->roller)
        touch->ops = &roller_touch;
    touch->none = why_none(k);
    touch->size = k->a->size;
    touch->unit[0] = k->a->unit;
    touch->unit[1] = k->b ? k->b->unit : "m";
    touch->reach[0] = PART * (k->a->to - k->a->from);
    touch->reach[1] = k->b ? PART * (k->b->to - k->b->from) : touch->size;
    return TN_OK;
}

static void cam_clear(void *shapes)
{
    cam *k = shapes;
    tn_profile_destroy(k->a);
    tn_profile_destroy(k->b);
}

static const char *const cam_names[] = {"s_a", "s_b"};
static const tn_touch_ops roller_touch = {
    .n = 1,
    .names = cam_names,
    .see = cam_see,
    .points = cam_points,
    .starts = cam_starts,
    .within = cam_within,
    .draw = cam_draw,
    .room = sizeof(cam),
    .make = cam_make,
    .clear = cam_clear,
};
static const tn_touch_ops curve_touch = {
    .n = 2,
    .names = cam_names,
    .see = cam_see,
    .points = cam_points,
    .starts = cam_starts,
    .counts = profiles_count,
    .within = cam_within,
    .draw = cam_draw,
    .wrong = cam_wrong,
    .room = sizeof(cam),
    .make = cam_make,
    .clear = cam_clear,
};

const tn_joint_ops tn_joint_cam = {
    .name = "cam",
    .text = "keeps a profile of body A in touch with a flat face, a roller or a profile of body B",
    TN_TOUCH_ROWS,
    TN_PARAMS(cam_params),
    .link = cam_link,
    .shapes = &curve_touch,
};
