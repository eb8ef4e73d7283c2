// SPDX-License-Identifier: MIT
//
// Random four-bars and six-bars with two motors, whose truth is known in closed form. Pins of the
// four-bar are A and D on the ground, B on the crank, C between coupler and rocker; a six-bar has a
// second four-bar behind it, driven by a point E of the rocker, with pins F and G. The first motor
// turns the crank by u(t). What the rocker (or the last link) turns by then is the angle at the
// foot of a triangle with three known sides,
//
//   turn of (D -> B) + side acos((s^2 + c^2 - b^2) / (2 s c)),      s = |B - D|
//
// which the second motor follows exactly, or not.

#pragma once

#include "tenon/tenon.h"
#include "test.h"

enum { LINKAGE_TEXT = 20000 };

// What the second motor does beside following.
typedef enum linkage_kind {
    LINKAGE_FOLLOWS,      // exactly: its row is redundant
    LINKAGE_OTHER_RATE,   // + d t: contradiction on velocity level
    LINKAGE_OTHER_ACCEL,  // + d t^2: on acceleration level
    LINKAGE_PARTS,        // + d t^3: later
    LINKAGE_PARTS_AT,     // + d (t - t1)^2 from t1 on
    LINKAGE_STRANGER,     // follows nothing
    LINKAGE_REPEATED,     // on the crank too, the same motion
    LINKAGE_REPEATED_OFF, // on the crank too, and + d t^3
    LINKAGE_KINDS
} linkage_kind;

typedef struct triangle_foot { // link `own` on the foot, link `other` from it to the moving point
    double fx, fy, own, other, side;
    double turn0, angle0; // of the start: direction from the foot to the moving point, of the link
} triangle_foot;

typedef struct driven_linkage {
    linkage_kind kind;
    bool six;
    double a, theta0;      // crank
    double bx, by, cx, cy; // pins at the start
    triangle_foot D, G;    // rocker; last link
    double ex, ey, fx, fy; // E and F at the start
    double reach, lead;    // |E - D|, and its angle before the rocker
    int form;              // of u
    double w, d, t1;
    double t_end;
    double dead;  // time of the dead end, or INFINITY
    double least; // smallest sine of an angle between two links where a loop could lock
    char text[LINKAGE_TEXT];
} driven_linkage;

static inline double between(double low, double high)
{
    return low + 0.5 * (high - low) * (1.0 + tn_random());
}

static inline double crank_turn(const driven_linkage *k, double t)
{
    return k->form == 0 ? k->w * t : k->form == 1 ? k->w * t * t : k->w * sin(2.0 * t);
}

static inline triangle_foot make_foot(double fx, double fy, double px, double py, double mx,
                                      double my)
{
    triangle_foot f = {fx, fy, hypot(px - fx, py - fy), hypot(px - mx, py - my), 1.0, 0, 0};
    f.turn0 = atan2(my - fy, mx - fx);
    f.angle0 = atan2(py - fy, px - fx);
    f.side = sin(f.angle0 - f.turn0) > 0.0 ? 1.0 : -1.0;
    return f;
}

// The angle of the link at the foot since the start, by the moving point; false beyond reach.
static inline bool foot_turn(const triangle_foot *f, double x, double y, double *turn, double *sine)
{
    const double dx = x - f->fx, dy = y - f->fy, s = hypot(dx, dy);
    const double cosine = (s * s + f->own * f->own - f->other * f->other) / (2.0 * s * f->own);
    // The angle between the two links is what locks.
    const double lock = (f->own * f->own + f->other * f->other - s * s) / (2.0 * f->own * f->other);
    if (!(fabs(lock) < 1.0))
        return false;
    *sine = fmin(*sine, sqrt(1.0 - lock * lock));
    const double along = cos(f->turn0) * dx + sin(f->turn0) * dy;
    const double across = cos(f->turn0) * dy - sin(f->turn0) * dx;
    const double start = f->angle0 - f->turn0;
    *turn = atan2(across, along) + f->side * acos(cosine) - remainder(start, 6.283185307179586);
    return true;
}

// Turns of rocker and last link at a time; false beyond the dead end.
static inline bool linkage_turns(const driven_linkage *k, double t, double turn[2], double *sine)
{
    const double theta = k->theta0 + crank_turn(k, t);
    turn[1] = 0.0;
    if (!foot_turn(&k->D, k->a * cos(theta), k->a * sin(theta), &turn[0], sine))
        return false;
    const double phi = k->D.angle0 + turn[0] + k->lead;
    const double x = k->D.fx + k->reach * cos(phi), y = k->D.fy + k->reach * sin(phi);
    return !k->six || foot_turn(&k->G, x, y, &turn[1], sine);
}

// The expression of foot_turn for moving coordinates x and y, which are expressions.
static inline void print_turn(const triangle_foot *f, const char *x, const char *y, char *out,
                              size_t size)
{
    char s2[LINKAGE_TEXT / 4] = "";
    const double c = cos(f->turn0), s = sin(f->turn0);
    tn_test_append(s2, sizeof s2, "((%s-(%.17g))^2+(%s-(%.17g))^2)", x, f->fx, y, f->fy);
    tn_test_append(out, size,
                   "(atan2((%.17g)*(%s-(%.17g))-(%.17g)*(%s-(%.17g)),"
                   "(%.17g)*(%s-(%.17g))+(%.17g)*(%s-(%.17g)))"
                   "+(%g)*acos((%s+(%.17g))/(%.17g*sqrt(%s)))-(%.17g))",
                   c, y, f->fy, s, x, f->fx, c, x, f->fx, s, y, f->fy, f->side, s2,
                   f->own * f->own - f->other * f->other, 2.0 * f->own, s2,
                   remainder(f->angle0 - f->turn0, 6.283185307179586));
}

static inline void print_crank(const driven_linkage *k, char *out, size_t size)
{
    if (k->form == 2)
        tn_test_append(out, size, "(%.17g*sin(2*t))", k->w);
    else
        tn_test_append(out, size, "(%.17g*%s)", k->w, k->form == 0 ? "t" : "t^2");
}

static inline void print_follower(const driven_linkage *k, char *out, size_t size)
{
    char u[64] = "", x[200] = "", y[200] = "";
    static char phi[LINKAGE_TEXT / 8], ex[LINKAGE_TEXT / 8 + 200], ey[LINKAGE_TEXT / 8 + 200];
    phi[0] = ex[0] = ey[0] = 0;
    print_crank(k, u, sizeof u);
    tn_test_append(x, sizeof x, "%.17g*cos(%.17g+%s)", k->a, k->theta0, u);
    tn_test_append(y, sizeof y, "%.17g*sin(%.17g+%s)", k->a, k->theta0, u);
    print_turn(&k->D, x, y, phi, sizeof phi);
    if (!k->six) {
        tn_test_append(out, size, "%s", phi);
        return;
    }
    tn_test_append(ex, sizeof ex, "(%.17g+%.17g*cos(%s+(%.17g)))", k->D.fx, k->reach, phi,
                   k->D.angle0 + k->lead);
    tn_test_append(ey, sizeof ey, "(%.17g+%.17g*sin(%s+(%.17g)))", k->D.fy, k->reach, phi,
                   k->D.angle0 + k->lead);
    print_turn(&k->G, ex, ey, out, size);
}

static inline void print_second(const driven_linkage *k, char *out, size_t size)
{
    static char follower[LINKAGE_TEXT / 2];
    follower[0] = 0;
    const bool crank = k->kind == LINKAGE_REPEATED || k->kind == LINKAGE_REPEATED_OFF;
    if (crank)
        print_crank(k, follower, sizeof follower);
    else
        print_follower(k, follower, sizeof follower);
    switch (k->kind) {
    case LINKAGE_OTHER_RATE:
        tn_test_append(out, size, "%s+(%.17g)*t", follower, k->d);
        return;
    case LINKAGE_OTHER_ACCEL:
        tn_test_append(out, size, "%s+(%.17g)*t^2", follower, k->d);
        return;
    case LINKAGE_PARTS:
    case LINKAGE_REPEATED_OFF:
        tn_test_append(out, size, "%s+(%.17g)*t^3", follower, k->d);
        return;
    case LINKAGE_PARTS_AT:
        tn_test_append(out, size, "%s+(t>%.17g ? (%.17g)*(t-%.17g)^2 : 0)", follower, k->t1, k->d,
                       k->t1);
        return;
    case LINKAGE_STRANGER:
        tn_test_append(out, size, "(%.17g)*t+(%.17g)*t^2", 3.0 * k->d, k->d);
        return;
    default:
        tn_test_append(out, size, "%s", follower);
    }
}

static inline void print_body(char *out, size_t size, const char *name, double x0, double y0,
                              double x1, double y1)
{
    tn_test_append(
        out, size,
        "  %s: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [%.17g, %.17g]}}\n", name,
        0.5 * (x0 + x1), 0.5 * (y0 + y1));
}

static inline void print_pin(char *out, size_t size, const char *name, const char *first,
                             const char *second, double x, double y)
{
    tn_test_append(out, size, "  %s: {kind: revolute, bodies: [%s, %s], at: [%.17g, %.17g]}\n",
                   name, first, second, x, y);
}

static inline void print_linkage(driven_linkage *k)
{
    char *out = k->text, u[64] = "";
    static char second[LINKAGE_TEXT / 2 + 200];
    const size_t size = sizeof k->text;
    second[0] = 0;
    const bool crank = k->kind == LINKAGE_REPEATED || k->kind == LINKAGE_REPEATED_OFF;
    tn_test_append(out, size, "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
    print_body(out, size, "crank", 0, 0, k->bx, k->by);
    print_body(out, size, "coupler", k->bx, k->by, k->cx, k->cy);
    print_body(out, size, "rocker", k->cx, k->cy, k->D.fx, k->D.fy);
    if (k->six) {
        print_body(out, size, "rod", k->ex, k->ey, k->fx, k->fy);
        print_body(out, size, "last", k->fx, k->fy, k->G.fx, k->G.fy);
    }
    strcat(out, "joints:\n");
    print_pin(out, size, "A", "ground", "crank", 0, 0);
    print_pin(out, size, "B", "crank", "coupler", k->bx, k->by);
    print_pin(out, size, "C", "coupler", "rocker", k->cx, k->cy);
    print_pin(out, size, "D", "ground", "rocker", k->D.fx, k->D.fy);
    if (k->six) {
        print_pin(out, size, "E", "rocker", "rod", k->ex, k->ey);
        print_pin(out, size, "F", "rod", "last", k->fx, k->fy);
        print_pin(out, size, "G", "ground", "last", k->G.fx, k->G.fy);
    }
    print_crank(k, u, sizeof u);
    print_second(k, second, sizeof second);
    tn_test_append(out, size,
                   "  motor1: {kind: drive, joint: A, motion: \"%s\"}\n"
                   "  motor2: {kind: drive, joint: %s, motion: \"%s\"}\n"
                   "simulate: {t_end: %.17g}\n",
                   u,
                   crank    ? "A"
                   : k->six ? "G"
                            : "D",
                   second, k->t_end);
}

// Where the mechanism locks, found on a fine grid.
static inline void find_dead_end(driven_linkage *k)
{
    enum { GRID = 4000 };
    double turn[2];
    k->dead = INFINITY;
    k->least = 1.0;
    for (int i = 0; i <= GRID && !isfinite(k->dead); i++)
        if (!linkage_turns(k, k->t_end * i / GRID, turn, &k->least))
            k->dead = k->t_end * i / GRID;
}

static inline void make_linkage(int number, driven_linkage *k)
{
    tn_random_seed((uint64_t)number + 1);
    memset(k, 0, sizeof *k);
    k->kind = (linkage_kind)(number % LINKAGE_KINDS);
    k->six = number / LINKAGE_KINDS % 2;
    k->a = between(0.3, 0.9);
    k->theta0 = between(-3.1, 3.1);
    k->bx = k->a * cos(k->theta0);
    k->by = k->a * sin(k->theta0);
    k->cx = between(0.5, 2.0);
    k->cy = between(0.6, 1.6) * (tn_random() > 0.0 ? 1.0 : -1.0);
    k->D = make_foot(between(1.2, 2.2), between(-0.3, 0.3), k->cx, k->cy, k->bx, k->by);
    k->reach = between(0.3, 1.0);
    k->lead = between(-1.5, 1.5);
    k->ex = k->D.fx + k->reach * cos(k->D.angle0 + k->lead);
    k->ey = k->D.fy + k->reach * sin(k->D.angle0 + k->lead);
    k->fx = k->ex + between(0.6, 1.5);
    k->fy = k->ey + between(-0.8, 0.8);
    k->G = make_foot(k->fx + between(-0.5, 0.5), k->fy - between(0.6, 1.4), k->fx, k->fy, k->ex,
                     k->ey);
    k->form = (int)between(0.0, 2.999);
    k->w = between(0.2, 1.2) * (tn_random() > 0.0 ? 1.0 : -1.0);
    k->d = pow(10.0, between(-2.0, 0.0)) * (tn_random() > 0.0 ? 1.0 : -1.0);
    k->t1 = between(0.2, 0.6);
    k->t_end = 1.0;
    find_dead_end(k);
    print_linkage(k);
}
