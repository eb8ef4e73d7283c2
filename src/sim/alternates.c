// SPDX-License-Identifier: MIT
//
// Multipliers of index3 that alternate. What generalized-alpha has wrong in lambda dies out as
// (-rho_inf)^n as long as the rows of B stand still in the coordinates of v. Angular velocities are
// along axes of the body: where the body turns by some tenths of a radian in a step and the row
// does not turn with it, errors in directions that the row holds and that it leaves free pass into
// each other, and grow from step to step with alternating signs
// (docs/theory/formulation_index3.md). The motion follows, slowly at first: it is told before.

#include "base/notes.h"
#include "linalg/dense.h"
#include "sim/sim.h"

#include <math.h>

// Steps of one size in which the sign has changed each time, and the part of the largest multiplier
// by which they alternate. Healthy runs keep a tenth of that but for the first few steps.
enum { IN_A_ROW = 8 };
static const double PART = 0.3, SAME = 1e-6;

static bool may_alternate(const tn_sim *sim)
{
    const tn_formulation *f = sim->method.formulation;
    const bool index3 = f->position && !f->velocity && !f->acceleration;
    return index3 && sim->method.integrator->needs & TN_VIEW_STEP && sim->start.sys->ng > 0;
}

void tn_sim_layout_alternation(tn_sim *sim, tn_carve *mem)
{
    tn_alternation *a = &sim->alternation;
    const int ng = may_alternate(sim) ? sim->start.sys->ng : 0;
    TN_CARVE_DOUBLES(mem, ng, &a->last[0], &a->last[1]);
}

static void tell_alternation(tn_sim *sim, int row, double h)
{
    const tn_system *sys = sim->start.sys;
    char name[96];
    sys->ops->row_name(sys, row, name, sizeof name);
    sim->alternation.told = true;
    tn_notes_add(
        &sim->start.notes,
        "at t = %.6g s the multiplier of %s alternates from step to step by a third of its "
        "size and more: %s does not damp that at steps of %.3g s, in which a body turns by "
        "%.2g rad; take smaller ones, more damping (rho_inf, hht_alpha) or ggl",
        sim->start.x.t, name, tn_sim_method(sim), h, sim->judge.sizes.fastest_turn * h);
}

// The row whose second difference is largest.
static int most_bent(const tn_alternation *a, int n, const double *lambda, double *bend)
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

void tn_sim_follow_multipliers(tn_sim *sim)
{
    tn_alternation *a = &sim->alternation;
    const double *lambda = sim->start.x.lambda, h = sim->start.x.t - sim->before.t;
    const int ng = sim->start.sys->ng;
    double bend = 0.0;
    if (a->told || !may_alternate(sim))
        return;
    if (sim->crept || !(fabs(h - a->h) <= SAME * h))
        a->steps = a->in_a_row = 0;
    const int row = a->steps >= 2 ? most_bent(a, ng, lambda, &bend) : 0;
    a->in_a_row = row == a->row && bend * a->bend < 0.0 ? a->in_a_row + 1 : 0;
    a->row = row;
    a->bend = bend;
    a->h = h;
    a->steps++;
    // A bend of alternating numbers is four times what they are off.
    const double size = fmax(tn_norm_inf(ng, a->last[0]), tn_norm_inf(ng, lambda));
    if (a->in_a_row >= IN_A_ROW && fabs(bend) > 4.0 * PART * size)
        tell_alternation(sim, row, h);
    tn_copy(ng, a->last[0], a->last[1]);
    tn_copy(ng, lambda, a->last[0]);
}
