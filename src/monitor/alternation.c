// SPDX-License-Identifier: MIT
//
// Multipliers of index3 that alternate. The error of generalized-alpha in lambda dies out as
// (-rho_inf)^n as long as the rows of B stand still in the coordinates of v. Angular velocities are
// along axes of the body: where the body turns by some tenths of a radian in a step and the row
// does not turn with it, errors in directions that the row holds and that it leaves free pass into
// each other, and grow from step to step with alternating signs
// (docs/theory/formulation_index3.md). The motion follows, slowly at first: it is reported before.

#include "linalg/dense.h"
#include "sim/monitor.h"
#include "sim/sim.h"
#include "text/notes.h"

#include <limits.h>
#include <math.h>

// Steps of one size in which the sign has changed each time, and the part of the largest multiplier
// by which they alternate. Healthy runs keep a tenth of that but for the first few steps.
enum { IN_A_ROW = 8 };
static const double PART = 0.3, SAME = 1e-6;

typedef struct alternation {
    tn_monitor monitor;
    double *last[2]; // multipliers of the last two steps of size h, the last one first   ng
    double h, bend;  // and the largest second difference, with its sign
    int row;         // where that was
    int steps, in_a_row;
    bool told;
} alternation;

static bool may_alternate(const tn_sim *sim)
{
    const tn_formulation *f = sim->method.formulation;
    const bool index3 = f->position && !f->velocity && !f->acceleration;
    return index3 && sim->method.integrator->needs & TN_VIEW_STEP && sim->start.sys->ng > 0;
}

static void layout_alternation(tn_monitor *m, const tn_sim *sim, tn_carve *mem)
{
    alternation *a = (alternation *)m;
    TN_CARVE_DOUBLES(mem, sim->start.sys->ng, &a->last[0], &a->last[1]);
}

static void alternation_values(tn_monitor *m, const tn_sim *sim, tn_values *v)
{
    alternation *a = (alternation *)m;
    TN_VALUES_ANY(v, "1", 1, &a->h, &a->bend);
    TN_VALUES_INT(v, -1, sim->start.sys->ng - 1, 1, &a->row);
    TN_VALUES_INT(v, 0, INT_MAX / 2, 1, &a->steps, &a->in_a_row);
    TN_VALUES_BOOL(v, &a->told);
}

static void tell_alternation(tn_sim *sim, int row, double h)
{
    const tn_system *sys = sim->start.sys;
    char name[96];
    sys->ops->row_name(sys, row, name, sizeof name);
    tn_notes_add(
        &sim->start.notes,
        "at t = %.6g s the multiplier of %s alternates from step to step by a third of its "
        "size and more: %s does not damp that at steps of %.3g s, in which a body turns by "
        "%.2g rad; take smaller ones, more damping (rho_inf, hht_alpha) or ggl",
        sim->start.x.t, name, tn_sim_method(sim), h, sim->sums.judge.sizes.fastest_turn * h);
}

// The row whose second difference is largest.
static int most_bent(const alternation *a, int n, const double *lambda, double *bend)
{
    int row = 0;
    *bend = 0.0;
    for (int i = 0; i < n; i++) {
        const double b = lambda[i] - 2.0 * a->last[0][i] + a->last[1][i];
        if (fabs(b) > fabs(*bend)) {
            *bend = b;
            row = i;
        }
    }
    return row;
}

static void follow_multipliers(tn_monitor *m, tn_sim *sim)
{
    alternation *a = (alternation *)m;
    const double *lambda = sim->start.x.lambda, h = sim->start.x.t - sim->before.t;
    const int ng = sim->start.sys->ng;
    double bend = 0.0;
    if (a->told)
        return;
    if (sim->micro_stepped || !(fabs(h - a->h) <= SAME * h))
        a->steps = a->in_a_row = 0;
    const int row = a->steps >= 2 ? most_bent(a, ng, lambda, &bend) : 0;
    a->in_a_row = row == a->row && bend * a->bend < 0.0 ? a->in_a_row + 1 : 0;
    a->row = row;
    a->bend = bend;
    a->h = h;
    a->steps++;
    // A second difference of alternating numbers is four times their error.
    const double size = fmax(tn_norm_inf(ng, a->last[0]), tn_norm_inf(ng, lambda));
    a->told = a->in_a_row >= IN_A_ROW && fabs(bend) > 4.0 * PART * size;
    if (a->told)
        tell_alternation(sim, row, h);
    tn_copy(ng, a->last[0], a->last[1]);
    tn_copy(ng, lambda, a->last[0]);
}

const tn_monitor_ops tn_monitor_alternation = {.name = "alternation",
                                               .size = sizeof(alternation),
                                               .applies = may_alternate,
                                               .layout = layout_alternation,
                                               .values = alternation_values,
                                               .kept = follow_multipliers};
