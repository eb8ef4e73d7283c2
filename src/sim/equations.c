// SPDX-License-Identifier: MIT
//
// The equations that a simulation solves, as a differential-algebraic system. Its index is how
// often they have to be differentiated until all unknowns have ordinary differential equations
// [Arn16, Remark 3]: three times for multipliers of holonomic rows, twice for those of nonholonomic
// ones, once for variables that equations give without a derivative. All this under the assumptions
// of [Arn16, sect. 3.2] that the start has checked. Multipliers of rows on motions without
// inertia follow from forces, not from accelerations, and are differentiated once less [Arn16,
// Example 5]; where only combinations of rows are of that kind, the bound of three is reported.

#include "linalg/dense.h"
#include "sim/sim.h"

// Whether a holonomic row holds a velocity that has inertia; without a mass matrix all have.
static bool holds_inertia(const tn_system *sys)
{
    const tn_sparse *M = sys->block[TN_BLOCK_M], *B = sys->block[TN_BLOCK_B];
    bool holds = !M;
    for (int j = 0; M && j < sys->nv && !holds; j++)
        holds = B->colptr[j + 1] > B->colptr[j] &&
                tn_norm_inf(M->colptr[j + 1] - M->colptr[j], M->val + M->colptr[j]) > 0.0;
    return holds;
}

static int index_of(const tn_system *sys, const char **why)
{
    TN_ASSERT(sys->ng >= 0 && sys->nn >= 0);
    if (sys->ng > 0) {
        const bool inertia = holds_inertia(sys);
        *why = inertia ? "holonomic rows" : "holonomic rows, all on motions without inertia";
        return inertia ? 3 : 2;
    }
    if (sys->nn > 0) {
        *why = "nonholonomic rows";
        return 2;
    }
    const bool algebraic = sys->nw + sys->ns > 0;
    *why = algebraic            ? "algebraic variables"
           : sys->nmassless > 0 ? "motions without inertia, whose velocities follow from forces"
                                : "no rows and no algebraic variables";
    return algebraic || sys->nmassless > 0;
}

void tn_sim_equations(const tn_sim *sim, tn_equations *out)
{
    TN_NEED_ALL(, sim, out);
    const tn_system *sys = sim->start.sys;
    *out = (tn_equations){.coordinates = sys->ops->coordinates,
                          .q = sys->nq,
                          .v = sys->nv,
                          .c = sys->nc,
                          .w = sys->nw,
                          .s = sys->ns,
                          .r = sim->model ? tn_model_sampled_count(sim->model) : sys->nr,
                          .lambda = sys->ng,
                          .eta = sys->nn};
    out->index = index_of(sys, &out->why);
}
