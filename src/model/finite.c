// SPDX-License-Identifier: MIT
//
// Functions of time that are not finite somewhere in a run: a drive needs its motion, velocity and
// acceleration at the start, all need their values on the way. There lie poles such as those of
// tan(t), across which a fixed step goes without a word, and ends such as that of log(2 - t).
//
// A function, and of a drive its velocity, is sampled on a grid. An end is where it becomes not
// finite from one place to the next and stays so. A pole has a change of sign, or a place that is
// farther from zero than its neighbours, where halving leads to values that still grow at the
// round-off of the time: RATIO from the one distance to the other, where a root in the denominator
// gives 31, and as much of it on the first half of the way as on the second: a jump between them
// has all of it in one. Functions that stay finite give about 1 there, and a logarithm 1.3: it is
// below 40 wherever a step can see it, and where it ends is found as an end. Round-off of sums that
// nearly cancel gives any ratio, but is smaller than the function is elsewhere.

#include "model/model_kinks.h"

#include <math.h>
#include <stdio.h>

enum { GRID = 1024, HALVINGS = 100 };
static const double FAR = 1e-10, MIDDLE = 3e-12, NEAR = 1e-13; // of the time of the run
static const double RATIO = 10.0, HALF_RATIO = 3.0;

typedef struct graph {
    const tn_timefn *f;
    int order; // derivative
    int n;     // places of the grid
    double from, to;
    double ends; // its larger finite value at both
} graph;

static double value(const graph *g, double t)
{
    double u[3];
    tn_timefn_eval(g->f, t, u);
    return u[g->order];
}

// True on the side that is halved towards: u is positive, or finite.
static bool holds(bool sign, double u)
{
    return sign ? u > 0.0 : isfinite(u);
}

// Halves from a to b until both are one number but for round-off; `holds` differs at a and b. *a is
// the last time that is like a, and the next one is returned.
static double halve(const graph *g, bool sign, double *a, double b)
{
    const bool first = holds(sign, value(g, *a));
    for (int k = 0; k < HALVINGS; k++) {
        const double t = 0.5 * (*a + b);
        *(holds(sign, value(g, t)) == first ? a : &b) = t;
    }
    return b;
}

// The peak of |u| between a and b, where there is one; by thirds.
static double peak(const graph *g, double a, double b)
{
    for (int k = 0; k < HALVINGS; k++) {
        const double left = a + (b - a) / 3.0, right = b - (b - a) / 3.0;
        if (fabs(value(g, left)) < fabs(value(g, right)))
            a = left;
        else
            b = right;
    }
    return 0.5 * (a + b);
}

// On one of both sides: a function may begin after a pole.
static bool grows(const graph *g, double t)
{
    const double size = fmax(g->to - g->from, fabs(t));
    for (int side = -1; side <= 1; side += 2) {
        const double far = fabs(value(g, t + side * FAR * size));
        const double middle = fabs(value(g, t + side * MIDDLE * size));
        const double near = fabs(value(g, t + side * NEAR * size));
        if (near > RATIO * far && far > 0.0 && near > HALF_RATIO * middle &&
            middle > HALF_RATIO * far && near > g->ends)
            return true;
    }
    return false;
}

// Around the middle one of three places of the grid; *t is where it is not finite.
static bool fails_near(const graph *g, const double at[3], const double u[3], double *t, bool *pole)
{
    *pole = false;
    if (!isfinite(u[0]))
        return false;
    if (!isfinite(u[1]) && !isfinite(u[2])) {
        *t = at[0];
        halve(g, false, t, at[1]);
        return true;
    }
    *pole = true;
    if (u[0] * u[1] < 0.0) {
        double before = at[0];
        *t = halve(g, true, &before, at[1]);
        if (grows(g, *t))
            return true;
    }
    const bool flat = u[0] == u[1] && u[1] == u[2];
    if (!isfinite(u[1]) || flat || !(fabs(u[1]) >= fabs(u[0]) && fabs(u[1]) >= fabs(u[2])))
        return !isfinite(u[1]) && grows(g, *t = at[1]);
    *t = peak(g, at[0], at[2]);
    return grows(g, *t);
}

static double finite_size(double u)
{
    return isfinite(u) ? fabs(u) : 0.0;
}

static bool fails_within(graph *g, double *t, bool *pole)
{
    double at[3] = {g->from, g->from, g->from}, u[3];
    u[0] = u[1] = u[2] = value(g, g->from);
    g->ends = fmax(finite_size(u[0]), finite_size(value(g, g->to)));
    for (int i = 1; i <= g->n + 1; i++) {
        for (int k = 0; k < 2; k++) {
            at[k] = at[k + 1];
            u[k] = u[k + 1];
        }
        at[2] = i <= g->n ? g->from + (g->to - g->from) * i / g->n : g->to;
        u[2] = value(g, at[2]);
        if (i > 1 && fails_near(g, at, u, t, pole))
            return *t < g->to;
    }
    return false;
}

// Names -------------------------------------------------------------------------------------------

// The name of function k among those that a parameter table lists.
static void finite_name_of(int n, const tn_param *params, int k, char *text, size_t size)
{
    static const char *const component[] = {" x", " y", " z"};
    for (int i = 0; i < n; i++) {
        const int count = tn_param_functions(&params[i]);
        if (k < count) {
            snprintf(text, size, "%s%s", params[i].name, count == 1 ? "" : component[k]);
            return;
        }
        k -= count;
    }
    snprintf(text, size, "function %d", k + 1);
}

// "joint 'd': the velocity of motion", of function k.
static void subject(const tn_model *model, int k, int order, char *text, size_t size)
{
    static const char *const of[] = {"", "the velocity of ", "the acceleration of "};
    const int element = k / TN_ELEMENT_FUNCTIONS, place = k % TN_ELEMENT_FUNCTIONS;
    const int force = element - model->joints.count;
    const tn_joint_data *joint = force < 0 ? &model->joints.at[element] : NULL;
    const tn_force_data *f = joint ? NULL : &model->forces.at[force];
    char name[64];
    if (joint)
        finite_name_of(joint->ops->nparam, joint->ops->params, place, name, sizeof name);
    else
        finite_name_of(f->ops->nparam, f->ops->params, place, name, sizeof name);
    snprintf(text, size, "%s '%s': %s%s", joint ? "joint" : "force", joint ? joint->name : f->name,
             of[order], name);
}

// Returns true if a derivative that is not finite at t grows without bound towards it, other than
// that of sqrt(t^2), which is one number before t and another one after it.
static bool is_unbounded(const tn_timefn *f, int order, double t, double after)
{
    static const double FARTHER = 1048576.0, MORE = 1.5; // of a root or a power up to 1.97
    double u[3];
    tn_timefn_eval(f, t, u);
    if (isfinite(u[order]))
        return false;
    tn_timefn_eval(f, after, u);
    const double near = fabs(u[order]);
    tn_timefn_eval(f, t + FARTHER * (after - t), u);
    return near > MORE * fabs(u[order]) && u[order] != 0.0;
}

static bool is_drive(const tn_model *model, int k)
{
    return k < TN_ELEMENT_FUNCTIONS * model->joints.count;
}

static tn_status check_start(const tn_model *model, int k, const tn_timefn *f, double t)
{
    double u[3];
    char what[400];
    const int orders = is_drive(model, k) ? 3 : 1;
    const double after = fmax(t, tn_model_piece_after(model, t));
    tn_timefn_eval(f, after, u);
    for (int i = 0; i < orders; i++) {
        if (isfinite(u[i]) && !is_unbounded(f, i, t, after))
            continue;
        subject(model, k, i, what, sizeof what);
        return tn_fail(TN_ERR_MODEL,
                       "%s is %s at t = %.9g s, where the run starts; state a function that is "
                       "finite there, or another t_start",
                       what, isnan(u[i]) ? "not defined" : "infinite", t);
    }
    return TN_OK;
}

tn_status tn_model_check_start(const tn_model *model, double t)
{
    for (int k = 0; k < tn_model_function_count(model); k++) {
        const tn_timefn *f = tn_model_function(model, k);
        if (f && !tn_timefn_curve(f))
            TN_TRY(check_start(model, k, f, t));
    }
    return TN_OK;
}

void tn_model_find_singular(const tn_model *model, double start, double from, double to,
                            tn_singular *out)
{
    const int n = (int)ceil(GRID * ((to - from) / (to - start)));
    *out = (tn_singular){.t = INFINITY};
    for (int k = 0; k < tn_model_function_count(model) && !tn_is_stopping(); k++) {
        const tn_timefn *f = tn_model_function(model, k);
        const int orders = is_drive(model, k) ? 2 : 1;
        if (!f || !tn_timefn_moves(f) || tn_timefn_curve(f))
            continue;
        for (int order = 0; order < orders; order++) {
            graph g = {.f = f, .order = order, .n = n, .from = from, .to = to};
            bool pole;
            double t;
            // Poles of a function are those of its derivative.
            if (!fails_within(&g, &t, &pole) || t + tn_time_round_off(t) >= out->t)
                continue;
            *out = (tn_singular){.t = t, .pole = pole};
            subject(model, k, order, out->what, sizeof out->what);
        }
    }
}
