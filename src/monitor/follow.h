// SPDX-License-Identifier: MIT
//
// Numbers of a run: what is taken of values over time, max, mean and so on, and how channels are
// followed along the steps of a run for it.

#pragma once

#include "tenon/sim.h"

// Statistics of values: samples in the order of time, and integrals.
typedef struct tn_taken {
    long n; // samples
    double first, last, least, most, t_least, t_most;
    double span, sum, squares; // what values were integrated over, and their integrals
} tn_taken;

// A value that is no number stays: an extreme of the rest would hide it.
void tn_taken_see(tn_taken *taken, double t, double x);
void tn_taken_add(tn_taken *taken, double span, double sum, double squares);

typedef struct tn_reduction {
    const char *name;
    double (*value)(const tn_taken *taken);
    bool along, extreme, squares, time; // samples within steps; at turning points; of x^2; in s
} tn_reduction;

enum { TN_REDUCTIONS = 11 };
extern const tn_reduction tn_reductions[TN_REDUCTIONS];
const tn_reduction *tn_reduction_find(const char *name); // NULL for none

// A channel that is followed.
typedef struct tn_followed {
    int channel;
    const tn_reduction *what;
    tn_taken taken;
    double nothing;    // values below it are round-off
    double unresolved; // estimated error of the integrals of parts that ought to be halved further
} tn_followed;

typedef struct tn_follow {
    tn_sim *sim;
    int n;
    tn_followed *all;
    double span;         // of the run
    long halvings;       // so far
    double piece_from;   // where the interval of the last step began
    int width;           // values and conditions
    double *largest;     // of conditions so far                                   width
    double *begin, *end; // values at the ends of the last step, of the states that remain    width
    double *node;        // values at the nodes of parts, by halvings
} tn_follow;

// From the current state of a simulation on, for runs of this length; all[i].channel and what are
// set. tn_follow_close frees its memory.
tn_status tn_follow_open(tn_sim *sim, int n, tn_followed *all, double span, tn_follow *out);
tn_status tn_follow_step(tn_follow *f); // after each step
void tn_follow_close(tn_follow *f);

// The estimated error of a mean, as a part of the largest value, that halving has not removed.
double tn_followed_error(const tn_followed *f);
