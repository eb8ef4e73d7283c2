// SPDX-License-Identifier: MIT
//
// Solids that touch; see solid.h.

#include "contact/solid.h"

#include "contact/outline.h"
#include "model/builder.h"

#include <math.h>

typedef struct solid {
    bool plane;
    double half, radius; // of the segment
} solid;

typedef struct solids {
    solid a, b;
    bool hollow, ends; // one end of a capsule touches or the other
} solids;

const char *const tn_solid_names[] = {"plane", "sphere", "capsule", NULL};

// The part of the size of solids that counts as nothing: the distance of cores that meet, the
// difference of the heights of the ends of a capsule that lies flat, the tilt of parallel ones.
static const double NOTHING = 1e-9;

// Nearest features -------------------------------------------------------------------------------

// A core in frame A: a point, or a segment along t.
typedef struct core {
    tn_vec3 at, t;
    double half;
} core;

// The nearest places of two cores, and on which segments they move.
typedef struct nearest {
    tn_vec3 a, b;
    bool on_a, on_b;
} nearest;

static core core_a(const solids *k)
{
    return (core){{0}, {1.0, 0.0, 0.0}, k->a.half};
}

static core core_b(const solids *k, tn_frame X)
{
    return (core){X.p, tn_m3_column(X.R, TN_X), k->b.half};
}

static tn_vec3 place_on(const core *c, double s)
{
    return tn_v3_axpy(s, c->t, c->at);
}

// The place of a segment that is nearest to a point.
static tn_vec3 nearest_on(const core *c, tn_vec3 p, bool *moves)
{
    const double s = tn_v3_dot(c->t, tn_v3_sub(p, c->at));
    *moves = fabs(s) < c->half;
    return place_on(c, fmax(-c->half, fmin(s, c->half)));
}

static double distance(const nearest *at)
{
    return tn_v3_norm(tn_v3_sub(at->b, at->a));
}

// An end of B.
static nearest of_end_b(const core *a, const core *b, double end)
{
    nearest at = {.b = place_on(b, end * b->half)};
    at.a = nearest_on(a, at.b, &at.on_a);
    return at;
}

static nearest of_end_a(const core *a, const core *b, double end)
{
    nearest at = {.a = place_on(a, end * a->half)};
    at.b = nearest_on(b, at.a, &at.on_b);
    return at;
}

static nearest of_ends(const core *a, const core *b)
{
    nearest best = of_end_b(a, b, -1.0);
    const nearest others[] = {of_end_b(a, b, 1.0), of_end_a(a, b, -1.0), of_end_a(a, b, 1.0)};
    for (int i = 0; i < 3; i++)
        if (distance(&others[i]) < distance(&best))
            best = others[i];
    return best;
}

// Parallel segments touch along what lies beside each other, as if in the middle of it. False where
// nothing does.
static bool of_overlap(const core *a, const core *b, nearest *out)
{
    const double s = tn_v3_dot(a->t, tn_v3_sub(b->at, a->at));
    const double low = fmax(-a->half, s - b->half), high = fmin(a->half, s + b->half);
    const double middle = 0.5 * (low + high), turned = tn_v3_dot(a->t, b->t) < 0.0 ? -1.0 : 1.0;
    *out =
        (nearest){.a = place_on(a, middle), .b = place_on(b, turned * (middle - s)), .on_a = true};
    return low < high;
}

// False where the nearest places of both lines are not within both segments.
static bool of_lines(const core *a, const core *b, nearest *out)
{
    const tn_vec3 normal = tn_v3_cross(a->t, b->t), d = tn_v3_sub(b->at, a->at);
    const double square = tn_v3_dot(normal, normal);
    const double s = tn_v3_dot(tn_v3_cross(d, b->t), normal) / square;
    const double z = tn_v3_dot(tn_v3_cross(d, a->t), normal) / square;
    *out = (nearest){place_on(a, s), place_on(b, z), true, true};
    return fabs(s) < a->half && fabs(z) < b->half;
}

static nearest of_cores(const core *a, const core *b)
{
    nearest at;
    const bool lines = a->half > 0.0 && b->half > 0.0;
    const bool parallel = lines && tn_v3_norm(tn_v3_cross(a->t, b->t)) <= NOTHING;
    if (parallel ? of_overlap(a, b, &at) : lines && of_lines(a, b, &at))
        return at;
    return of_ends(a, b);
}

// See ---------------------------------------------------------------------------------------------

static tn_vec3 unit_vector(int k)
{
    return tn_v3(k == 0, k == 1, k == 2);
}

static void see_on_plane(const solids *k, tn_frame X, double end, tn_touch_seen *out)
{
    const core line = core_b(k, X);
    const tn_vec3 b = place_on(&line, end * line.half);
    out->n = unit_vector(TN_Z);
    out->c = tn_v3_axpy(-k->b.radius, out->n, b);
    out->arm = tn_v3_sub(b, X.p);
    out->gap = b.z - k->b.radius;
}

// The plane is that of B, with the normal z: c is below the core of A, c = a - (z . (a - p)) z.
static void see_under_plane(const solids *k, tn_frame X, double end, tn_touch_seen *out)
{
    const core line = core_a(k);
    const tn_vec3 z = tn_m3_column(X.R, TN_Z), a = place_on(&line, end * line.half);
    const tn_vec3 d = tn_v3_sub(a, X.p);
    const double height = tn_v3_dot(z, d);
    out->n = tn_v3_neg(z);
    out->c = tn_v3_axpy(-height, z, a);
    out->gap = height - k->a.radius;
    for (int i = 0; i < 3; i++) {
        const tn_vec3 e = unit_vector(i), dz = tn_v3_cross(e, z);
        out->c_w[i] = tn_v3_axpy(tn_v3_dot(z, e), z, tn_v3_neg(e));
        out->n_w[3 + i] = tn_v3_neg(dz);
        out->c_w[3 + i] = tn_v3_axpy(-height, dz, tn_v3_scale(-tn_v3_dot(dz, d), z));
    }
}

// Two cores, where they are nearest to each other.
typedef struct facing {
    nearest at;
    tn_vec3 m, t_a, t_b;
    double rho;
} facing;

// Changes of m and of the place on B, where its material has the velocity v and t_B the rate t_dot.
static void facing_rate(const facing *f, tn_vec3 v, tn_vec3 t_dot, tn_vec3 *m_dot, double *s_dot)
{
    const nearest *at = &f->at;
    const tn_vec3 m = f->m;
    if (at->on_a && at->on_b) {
        const tn_vec3 normal = tn_v3_cross(f->t_a, f->t_b), across = tn_v3_cross(m, f->t_a);
        const double side = tn_v3_dot(normal, m) < 0.0 ? -1.0 : 1.0;
        const tn_vec3 rate = tn_v3_scale(side / tn_v3_norm(normal), tn_v3_cross(f->t_a, t_dot));
        *m_dot = tn_v3_axpy(-tn_v3_dot(m, rate), m, rate);
        *s_dot = -tn_v3_dot(tn_v3_axpy(-f->rho, *m_dot, v), across) / tn_v3_dot(f->t_b, across);
        return;
    }
    tn_vec3 free = tn_v3_axpy(-tn_v3_dot(m, v), m, v);
    if (at->on_a)
        free = tn_v3_axpy(-tn_v3_dot(f->t_a, v), f->t_a, free);
    if (at->on_b)
        free = tn_v3_axpy(-tn_v3_dot(f->t_b, v) - f->rho * tn_v3_dot(m, t_dot), f->t_b, free);
    *m_dot = tn_v3_scale(1.0 / f->rho, free);
    *s_dot = at->on_b ? -f->rho * tn_v3_dot(m, t_dot) - tn_v3_dot(f->t_b, v) : 0.0;
}

static void see_cores(const solids *k, tn_frame X, double end, double nothing, tn_touch_seen *out)
{
    const core a = core_a(k), b = core_b(k, X);
    facing f = {.at = k->hollow ? of_end_b(&a, &b, end) : of_cores(&a, &b), .t_a = a.t, .t_b = b.t};
    const double side = k->hollow ? -1.0 : 1.0;
    f.rho = distance(&f.at);
    out->single = f.rho > nothing ? 1.0 : -1.0;
    f.m = tn_v3_scale(1.0 / fmax(f.rho, nothing), tn_v3_sub(f.at.b, f.at.a));
    f.rho = fmax(f.rho, nothing);
    out->n = tn_v3_scale(side, f.m);
    out->c = tn_v3_axpy(-k->b.radius, out->n, f.at.b);
    out->arm = tn_v3_sub(f.at.b, X.p);
    out->gap = side * (f.rho - k->a.radius) - k->b.radius;
    for (int i = 0; i < 6; i++) {
        const tn_vec3 e = unit_vector(i % 3), zero = {0};
        tn_vec3 m_dot;
        double s_dot;
        facing_rate(&f, i < 3 ? e : tn_v3_cross(e, out->arm), i < 3 ? zero : tn_v3_cross(e, b.t),
                    &m_dot, &s_dot);
        out->n_w[i] = tn_v3_scale(side, m_dot);
        out->c_w[i] = tn_v3_axpy(-k->b.radius, out->n_w[i], tn_v3_scale(s_dot, b.t));
    }
}

static void solids_see(const tn_touch *touch, tn_frame X, const double *s, tn_touch_seen *out)
{
    const solids *k = touch->shapes;
    out->single = 1.0;
    if (k->a.plane)
        see_on_plane(k, X, s[0], out);
    else if (k->b.plane)
        see_under_plane(k, X, s[0], out);
    else
        see_cores(k, X, s[0], NOTHING * touch->size, out);
    out->order = out->gap;
}

// The ends of a capsule, or its middle where it lies flat on a plane.
static int solids_starts(const tn_touch *touch, tn_frame X, double s[][TN_TOUCH_COORDS])
{
    const solids *k = touch->shapes;
    double gap[2];
    s[0][0] = 0.0;
    if (!k->ends)
        return 1;
    for (int i = 0; i < 2; i++) {
        tn_touch_seen seen = {0};
        s[i][0] = i == 0 ? -1.0 : 1.0;
        solids_see(touch, X, s[i], &seen);
        gap[i] = seen.gap;
    }
    if (k->hollow || fabs(gap[1] - gap[0]) > NOTHING * touch->size)
        return 2;
    s[0][0] = 0.0;
    return 1;
}

static const char MEET[] =
    "the cores of both shapes, the centre of a sphere or the axis of a capsule, meet, so that no "
    "side of them is the near one; move body B";

static const char *solids_wrong(const tn_touch *touch, tn_frame X)
{
    const double s[TN_TOUCH_COORDS] = {1.0};
    tn_touch_seen seen = {0};
    solids_see(touch, X, s, &seen);
    return seen.single > 0.0 ? NULL : MEET;
}

static const char *solids_place(const double *s)
{
    return s[0] == 0.0 ? "the middle" : s[0] > 0.0 ? "the end with x > 0" : "the end with x < 0";
}

static bool solids_within(const tn_touch *touch, double *s)
{
    return true;
}

// Pictures ----------------------------------------------------------------------------------------

// A square of the plane, thick below it, as wide as the other solid asks for.
static tn_outline plane_outline(double size)
{
    const double half = 3.0 * size;
    tn_outline plate = tn_outline_of(&tn_form_plate);
    for (int i = 0; i < 4; i++)
        tn_outline_put(&plate, i == 0 || i == 3 ? -half : half, i < 2 ? -half : half);
    plate.from = -0.05 * size;
    return plate;
}

// What is hollow would hide what is in it: its outlines are drawn, in the planes of its frame.
static void draw_hollow(const solid *s, tn_pen *pen)
{
    enum { ROUND = 64 };
    for (int plane = 0; plane < 3; plane++) {
        tn_outline wire = tn_outline_of(&tn_form_wire);
        wire.closed = true;
        for (int i = 0; i < ROUND; i++) {
            const double angle = 2.0 * M_PI * (i + 0.5) / ROUND;
            const double c = s->radius * cos(angle), d = s->radius * sin(angle);
            const double x = c + (c > 0.0 ? s->half : -s->half);
            tn_outline_put_point(&wire, plane == 0   ? tn_v3(x, d, 0.0)
                                        : plane == 1 ? tn_v3(x, 0.0, d)
                                                     : tn_v3(0.0, c, d));
        }
        pen->draw(pen, &wire);
    }
}

static tn_outline solid_outline(const solid *s)
{
    if (s->radius > 0.0)
        return s->half > 0.0 ? tn_outline_capsule(s->radius, 2.0 * s->half)
                             : tn_outline_ball(s->radius);
    tn_outline line = tn_outline_of(&tn_form_wire);
    tn_outline_put_point(&line, tn_v3(-s->half, 0.0, 0.0));
    tn_outline_put_point(&line, tn_v3(s->half, 0.0, 0.0));
    return line;
}

static void solids_draw(const tn_touch *touch, bool of_b, tn_pen *pen)
{
    const solids *k = touch->shapes;
    const solid *s = of_b ? &k->b : &k->a;
    if (k->hollow && !of_b) {
        draw_hollow(s, pen);
    } else if (s->plane || s->radius > 0.0 || s->half > 0.0) { // a point is not drawn
        const tn_outline outline = s->plane ? plane_outline(touch->size) : solid_outline(s);
        pen->draw(pen, &outline);
    }
}

// Model -------------------------------------------------------------------------------------------

static const char *word(char side)
{
    return side == 'a' ? "A" : "B";
}

static tn_status check_solid(const tn_solid_def *def, char side, const char *what)
{
    const char *kind = tn_solid_names[def->kind];
    if (def->kind == TN_SOLID_PLANE && def->radius > 0.0)
        return tn_fail(
            TN_ERR_MODEL,
            "%s: radius_%c is %g m, and the shape of body %s is a plane, which has none; "
            "leave it out, or state %c: sphere or capsule",
            what, side, def->radius, word(side), side);
    if (def->kind != TN_SOLID_CAPSULE && def->length > 0.0)
        return tn_fail(
            TN_ERR_MODEL,
            "%s: length_%c is that of a capsule, and the shape of body %s is a %s; leave "
            "it out, or state %c: capsule",
            what, side, word(side), kind, side);
    if (def->kind == TN_SOLID_CAPSULE && !(def->length > 0.0))
        return tn_fail(TN_ERR_MODEL,
                       "%s: the capsule of body %s needs length_%c, the distance of the centres of "
                       "its round ends; without it is a sphere",
                       what, word(side), side);
    return TN_OK;
}

// B moves in a hollow A at all.
static tn_status check_hollow(const tn_solid_pair *def, const char *what)
{
    const double room = 2.0 * def->a.radius + def->a.length;
    const double size = 2.0 * def->b.radius + def->b.length;
    if (!def->hollow)
        return TN_OK;
    if (def->a.kind == TN_SOLID_PLANE || def->b.kind == TN_SOLID_PLANE)
        return tn_fail(TN_ERR_MODEL,
                       "%s: hollow is for a sphere or capsule of body A with a sphere or capsule "
                       "of body B in it, and body %s has a plane; leave it out, or change %s",
                       what, word(def->a.kind == TN_SOLID_PLANE ? 'a' : 'b'),
                       def->a.kind == TN_SOLID_PLANE ? "a" : "b");
    if (!(def->b.radius < def->a.radius))
        return tn_fail(TN_ERR_MODEL,
                       "%s: radius_b is %g m, and that of the hollow is %g m; the %s of body B "
                       "must be the smaller one to fit in",
                       what, def->b.radius, def->a.radius, tn_solid_names[def->b.kind]);
    if (!(size < room))
        return tn_fail(TN_ERR_MODEL,
                       "%s: the capsule of body B is %g m long with both ends, and the hollow is "
                       "%g m; it must be the shorter one to fit in",
                       what, size, room);
    return TN_OK;
}

static tn_status check_shapes(const tn_solid_pair *def, const char *what)
{
    const bool plane = def->a.kind == TN_SOLID_PLANE || def->b.kind == TN_SOLID_PLANE;
    TN_TRY(check_solid(&def->a, 'a', what));
    TN_TRY(check_solid(&def->b, 'b', what));
    TN_TRY(check_hollow(def, what));
    if (def->a.kind == TN_SOLID_PLANE && def->b.kind == TN_SOLID_PLANE)
        return tn_fail(TN_ERR_MODEL,
                       "%s: both shapes are planes, which touch at no single place; state a sphere "
                       "or a capsule for a or b",
                       what);
    if (!plane && def->a.radius + def->b.radius == 0.0)
        return tn_fail(TN_ERR_MODEL,
                       "%s: both radii are 0, and points and lines have no side on which the other "
                       "one is; state radius_a or radius_b",
                       what);
    return TN_OK;
}

// Directions of a solid lie in the plane in which its body moves.
static tn_status check_in_plane(const tn_solid_def *def, const tn_frame *frame, char side,
                                const char *what)
{
    const bool plane = def->kind == TN_SOLID_PLANE;
    const tn_vec3 axis = tn_m3_column(frame->R, plane ? TN_Z : TN_X);
    if (def->kind == TN_SOLID_SPHERE || fabs(axis.z) <= NOTHING)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: %s of body %s, %s of its frame, leaves the plane in which the bodies move; "
                   "state %s",
                   what, plane ? "the normal of the plane" : "the axis of the capsule", word(side),
                   plane ? "z" : "x",
                   plane ? "axis, the normal, for example [0, 1]"
                         : "frames whose x axis lies in it");
}

static tn_status check_body(const tn_model *model, tn_body body, const tn_solid_def *def,
                            const char *what)
{
    if (def->kind == TN_SOLID_SPHERE)
        return TN_OK;
    return tn_check_rotation(model, body, what,
                             def->kind == TN_SOLID_PLANE ? "a plane" : "a capsule");
}

tn_status tn_solids_check(const tn_model *model, const tn_joint_def *at, const tn_solid_pair *def,
                          const char *what)
{
    TN_TRY(check_shapes(def, what));
    TN_TRY(check_body(model, at->body_a, &def->a, what));
    TN_TRY(check_body(model, at->body_b, &def->b, what));
    if (!tn_pair_is_planar(model, at->body_a, at->body_b))
        return TN_OK;
    TN_TRY(check_in_plane(&def->a, &at->frame_a, 'a', what));
    return check_in_plane(&def->b, &at->frame_b, 'b', what);
}

static solid solid_of(const tn_solid_def *def)
{
    return (solid){def->kind == TN_SOLID_PLANE, 0.5 * def->length, def->radius};
}

static double size_of(const tn_solid_def *def)
{
    return def->radius + 0.5 * def->length;
}

static tn_status solids_make(tn_touch *touch, const tn_model *model, const tn_joint_def *def,
                             const char *what)
{
    const tn_solid_pair *pair = &def->contact.solids;
    solids *k = touch->shapes;
    *k = (solids){solid_of(&pair->a), solid_of(&pair->b), pair->hollow, false};
    k->ends = k->a.plane || k->hollow ? k->b.half > 0.0 : k->b.plane && k->a.half > 0.0;
    touch->none = MEET;
    touch->size = fmax(size_of(&pair->a), size_of(&pair->b));
    if (touch->size == 0.0) // a point on a plane
        touch->size = 1.0;
    return TN_OK;
}

static void solids_clear(void *shapes)
{
}

const tn_touch_ops tn_solid_touch = {
    .place = solids_place,
    .see = solids_see,
    .starts = solids_starts,
    .within = solids_within,
    .draw = solids_draw,
    .wrong = solids_wrong,
    .room = sizeof(solids),
    .make = solids_make,
    .clear = solids_clear,
};
