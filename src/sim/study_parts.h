// SPDX-License-Identifier: MIT
//
// The parts of a study.
//
//   study.c             the study, distances, and what its runs tell
//   study_run.c         one run after the other
//   study_reference.c   the reference and its judge

#pragma once

#include "sim/study.h"

// All that is compared, at the state that the simulation shows.
void tn_study_read(const tn_study *study, tn_sim *sim, double *row);

// Whether the registries have a method, both parts stated, and they fit together.
bool tn_study_has_method(const char *method);
// The orders of q, v and lambda; zeros where the method is not known.
void tn_study_stated_orders(const tn_study *study, const char *method, int order[3]);
// The options of a run, with the rotations of the study where the method can use them.
tn_sim_options tn_study_options(const tn_study *study, const char *method, tn_setting setting);

// Follows a run.
typedef struct tn_study_watch {
    tn_study *study;
    double *values;  // ntime x width, filled on the way; NULL for nothing
    int next;        // time that is looked for
    double *row;     // width: each step counts for the sizes; NULL: it does not
    double began;    // wall time [s]
    double patience; // seconds that it may take; 0: any
    double *balance; // TN_STUDY_PARTS, as in tn_trial; NULL: it is not told
} tn_study_watch;

tn_status tn_study_follow(void *watch, tn_sim *sim); // after each step, and at the start
// tn_sim_run with the watch; an event that ends the run is a failure here.
tn_status tn_study_advance(tn_study_watch *watch, tn_sim *sim, double t);
