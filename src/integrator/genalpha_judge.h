// SPDX-License-Identifier: MIT
//
// Judges the corrections of generalized-alpha's Newton iteration: whether they have converged, are
// noise, or ask for a new tangent.
//
//     tn_judge_size(&judge, problem, y);        // once a step, with the prediction y
//     tn_judge_restart(&judge);                 // before the first correction from a prediction
//     tn_judge_new_tangent(&judge);             // after each factorisation
//     TN_TRY(tn_judge_correction(&judge, &correction, newton_tol, &verdict));

#pragma once

#include "formulation/formulation.h"

// State of the corrector after an iteration.
typedef enum tn_judgement {
    TN_GO_ON,
    TN_RENEW,   // with a new tangent
    TN_RESTART, // the same, from the prediction
    TN_CONVERGED,
    TN_DIVERGED,
} tn_judgement;

// A correction r of the unknowns y, which they have in them.
typedef struct tn_correction {
    tn_problem *problem;
    const tn_state *x; // where the step of h begins
    double h;
    const double *y, *r;
    double *work;    // as many as unknowns
    double residual; // the largest before it; infinite: that of an old tangent, which says nothing
    double open;     // the same of the rows that give x beside u (tn_judge_open)
    int age;         // iterations since the last factorisation; of an earlier step: TN_OLD and more
    bool is_last;    // no other will follow
} tn_correction;

enum { TN_OLD = 100, TN_FRESH_MAX = 20 }; // tangents up to the second age are those of the step

// Sizes of a correction in the unknowns that carry the motion, relative to theirs.
typedef struct tn_correction_size {
    bool rounded; // the residual was as small as round-off of positions lets it be
    double x;     // increment of q: sees the round-off of q / h through g = 0
    double rest;  // u where it stands apart from x, and e
    double noise_x, noise_rest;
    double noise_max;       // of x, by positions that are rounded
    double multipliers;     // as they are, not relative
    bool x_done, rest_done; // what they leave is below noise
} tn_correction_size;

typedef struct tn_judge {
    double noise_x, noise_rest; // of corrections, as seen in earlier steps
    double noise_here;          // of x, as the tangent enlarges it; negative: not known
    double rate;                // of convergence, the last one seen
    double speed;               // a typical one
    double scale;               // of x and u as predicted
    // Rates and sizes of the last correction; zero and infinite: there was none.
    double last, last_multipliers;
    tn_correction_size before;
} tn_judge;

// Noise of earlier steps is not that of the next ones.
static inline void tn_judge_forget(tn_judge *j)
{
    j->noise_x = j->noise_rest = 0.0;
}

static inline void tn_judge_new_tangent(tn_judge *j)
{
    j->noise_here = -1.0;
}

void tn_judge_size(tn_judge *j, const tn_problem *p, const double *y);
void tn_judge_restart(tn_judge *j);

// Measures the residual r, before it is solved for.
double tn_judge_open(const tn_problem *p, const double *r);
// Size of a correction of x and of the rest; multipliers do not count.
double tn_judge_measure(const tn_judge *j, const tn_correction *c);
tn_status tn_judge_correction(tn_judge *j, const tn_correction *c, double tol, tn_judgement *out);
