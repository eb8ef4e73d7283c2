// SPDX-License-Identifier: MIT
//
// Parts of branch.c and branch_jump.c.

#pragma once

#include "sim/monitor.h"
#include "sim/sim.h"

// Singular positions on the way; see branch.c.
typedef struct tn_branch {
    tn_monitor monitor;
    double eigen_best; // smallest eigenvalues at ends of steps: largest, smallest
    double eigen_least;
    double t, *q, *e, *r; // the state where it was smallest
    int since;            // steps since the last check, and the estimate that led to it
    double hint;
    bool inside;         // near a singular position since the step from t0 on
    double t0, rate;     // before it came near, and the acceleration there
    double turned;       // change of velocity since then that this does not explain
    double least_inside; // smallest eigenvalue since then, and when
    double t_inside;
    double errors;    // of the constraints since then
    long steps;       // since then
    double *v, *dv;   // in the world
    double elsewhere; // largest estimate of the error of a step far from one
    // At the end of the last step, where `looked`: the motion that becomes free, the rows that
    // become dependent (nv, ng + nn), and y^T C x there.
    bool looked;
    bool bends; // an expression gives a row, whose gradient may turn round in a step
    double *x, *y, slope;
    double eigen_last; // the smallest eigenvalue there
    // Since checks began: how often y^T C x has changed its sign, the smallest eigenvalue and when.
    int crossings;
    double least_seen, t_seen;
    int unseen; // steps since a check, without estimates
} tn_branch;

extern const tn_monitor_ops tn_monitor_near_singular; // holds it
tn_branch *tn_branch_of(const tn_sim *sim);

// The smallest eigenvalue of C M^-1 C^T at a state, 0 where that is singular. The motion x that
// becomes free is left in sim->scratch, the rows y that become dependent in sim->rows.
tn_status tn_branch_eigenvalue(tn_sim *sim, const tn_state *state, double *out);
bool tn_branch_drifts(const tn_sim *sim); // accelerations alone are enforced
// At the end of a step: fails where it has jumped to another branch (branch_jump.c); else *value is
// the smallest eigenvalue there.
tn_status tn_branch_look(tn_sim *sim, double *value);
