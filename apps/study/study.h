// SPDX-License-Identifier: MIT
//
// A study: one model run by several methods, over tolerances or over steps, each run judged by its
// distance from a reference. `tenon converge` and `tenon compare` print it.

#pragma once

#include "base/array.h"
#include "tenon/compare.h"

#include <math.h>

static const tn_distance tn_no_distance = {NAN, NAN, NAN};

typedef struct tn_study {
    const tn_model *model;
    tn_sim_options options; // of all runs but for method, step and tolerances
    double t_end;
    double patience; // seconds that a run may take; 0: any
    bool condition;  // trials get their tn_conditions
    bool timed;      // short runs are repeated until their time can be measured
    // Called before each run, also those for the reference, by one thread at a time; may be NULL.
    void (*tell)(void *user, const char *method, tn_setting setting);
    bool (*give_up)(void *user); // asked after each step of a run, by any thread; may be NULL
    void *user;

    int ntime;    // times at which runs are compared, increasing; the last is t_end
    double *time; // [s]
    int nbody, nrow, freedoms;
    bool *unique; // nrow: the multiplier is determined by the equations
    double lever; // longest arm of a joint in its body [m]

    double *values; // of the reference at these times, ntime x tn_study_width
    // Where they come from, and the sizes of the motion; the rest of the facts is found when they
    // are asked for.
    tn_compare_facts facts;
    char *file; // of the reference

    TN_ARRAY(tn_series) series;
} tn_study;

// Prepares a study at the times given, the last of which is its end. Fails as tn_sim_create does
// when the model cannot be simulated at all. The model, and texts of the options, must outlive it.
tn_status tn_study_create(const tn_model *model, const tn_sim_options *options, int ntime,
                          const double *time, tn_study **out);
void tn_study_destroy(tn_study *study); // NULL is fine

// TN_OK when integrator, formulation and coordinates are known and fit together; whether the model
// is one that the method can run is another question, which a run answers.
tn_status tn_study_check_method(const tn_study *study, const char *method);
// The methods of a study that names none: one per family, those of the registries only. Returns how
// many; the texts are constant.
int tn_study_methods(const char *names[TN_MOST_METHODS]);

// Makes the reference by itself. Fails when no method reaches the end.
tn_status tn_study_reference(tn_study *study);

// A run of a study: what to do, and what it gave.
typedef struct tn_study_job {
    int series; // runs of one series follow each other
    const char *method;
    tn_setting setting;
    char name[TN_METHOD_SIZE]; // of the method, as the simulation has it; "" without one
    tn_trial trial;
} tn_study_job;

// Makes all runs, side by side in so many threads (0: as many as there are processors), and adds
// their series in the order of the list: nothing but times depends on the number of threads.
// Failures of a run are kept in its trial; a status other than TN_OK is one of the study: memory is
// short.
tn_status tn_study_run(tn_study *study, int threads, int n, tn_study_job *job);

// Numbers per time in `values`, and the distance of two lists of ntime x width values, or of two
// rows.
int tn_study_width(const tn_study *study);
tn_distance tn_study_distance_at(const tn_study *study, const double *row, const double *reference);
tn_distance tn_study_distance(const tn_study *study, const double *values, const double *reference);
// Numbers of a body in a row: position, quaternion, velocity, rate; the multipliers follow the
// bodies.
enum { TN_STUDY_BODY = 13 };
// Takes one row into the sizes, which begin with NULL; `settle` closes them after the last row.
void tn_study_measure(tn_study *study, const double *row);
void tn_study_settle(tn_study *study);

// log(e0 / e1) / log(h0 / h1) between two runs that follow each other, h being the step, or the
// mean step where it was controlled. NaN where an error is not clearly above the uncertainty of the
// reference, or where there is no error.
tn_distance tn_study_order(const tn_study *study, const tn_trial *coarse, const tn_trial *fine);
// The order between the two last runs of a series that have one.
tn_distance tn_series_order(const tn_study *study, const tn_series *series);

// The error that counts when runs are ranked: of q, but of lambda where drives prescribe the whole
// motion, which then is no merit of a method.
bool tn_study_ranks_lambda(const tn_study *study);
double tn_study_error(const tn_study *study, const tn_trial *trial);

// Failed where no run came to its end, doubtful where those for the reference are far apart.
tn_outcome tn_study_outcome(const tn_study *study);

// The run, of all series, that reaches an error with the least work.
tn_best tn_study_best(const tn_study *study, double error, int work);
double tn_trial_work(const tn_trial *trial, int work);

// Between study.c, study_run.c and study_reference.c ----------------------------------------------

// All that is compared, at the state that the simulation shows.
void tn_study_read(const tn_study *study, tn_sim *sim, double *row);

// Returns true if the registries have a method, both parts stated, and they fit together.
bool tn_study_has_method(const char *method);
// The orders of q, v and lambda; zeros where the method is not known.
void tn_study_stated_orders(const tn_study *study, const char *method, int order[3]);
// The options of a run, with the rotations of the study where the method can use them.
tn_sim_options tn_study_options(const tn_study *study, const char *method, tn_setting setting);

// Follows a run.
typedef struct tn_study_watch {
    tn_study *study;
    double *values;            // ntime x width, filled on the way; NULL for nothing
    tn_sim *sim;               // of tn_study_run
    int next;                  // time that is searched
    double *row;               // width: each step counts for the sizes; NULL: it does not
    double began;              // wall time [s]
    double patience;           // seconds that it may take; 0: any
    double *balance;           // TN_STUDY_PARTS, as in tn_trial; NULL: it is not known
    tn_conditions *conditions; // NULL: not wanted
    int part;                  // of the time, in which a condition was found last
    double aside;              // time of the processor that these took [s]
} tn_study_watch;

tn_status tn_study_follow(void *watch, tn_sim *sim); // after each step, and at the start
// tn_sim_run with the observer; an event that ends the run is a failure here.
tn_status tn_study_advance(tn_study_watch *watch, tn_sim *sim, double t);
