// SPDX-License-Identifier: MIT
//
// A study: one model run by several methods, over tolerances or over steps, each run judged by its
// distance from a reference. `tenon converge` and `tenon compare` print it.
//
// Distances. With ^ for the reference, over all bodies, and over the times of the study,
//
//   q       |p - p^| / P and the angle between R and R^ [rad]      p: origin of the body frame
//   v       |p' - p'^| / V and |Omega - Omega^| / W
//   lambda  |lambda - lambda^| / L, of rows whose multiplier the equations determine
//
// P, V, W and L are the largest |p^| (or lever of a joint), |p'^|, |Omega^| and |lambda^| anywhere
// in the reference, so that -log10 of a distance counts correct digits.
//
// The reference is a tight run of a method of high order, and a second run, by another method where
// there is one, tells how far it can be trusted. Or it is a file of results (io/study_file.h).

#pragma once

#include "base/array.h"
#include "tenon/sim.h"

// The three distances; NaN where there is nothing to compare.
typedef struct tn_distance {
    double q, v, lambda;
} tn_distance;

enum { TN_METHOD_SIZE = 96, TN_REASON_SIZE = 512 };
enum { TN_STUDY_PARTS = 200 }; // of the time, in which energies are told

// How long a run is in steps or how tight in tolerances.
typedef struct tn_setting {
    bool fixed;   // `value` is the step [s], else rtol
    double value; // atol is rtol times what the options have as atol / rtol
} tn_setting;

// One run.
typedef struct tn_trial {
    tn_setting setting;
    bool done;                   // it reached the end
    char reason[TN_REASON_SIZE]; // why not
    char doubt[TN_REASON_SIZE];  // the first doubt of its verdict when it did; "" for none
    double reached;              // [s]
    tn_ledger ledger;
    double cpu;    // time of the processor for the steps of one run [s]; NaN when not taken
    double energy; // largest energy balance by the energy exchanged; NaN without energy
    double balance[TN_STUDY_PARTS]; // largest |energy balance| in each part [J]; NaN: not known
    tn_distance error;
} tn_trial;

// The runs of one method.
typedef struct tn_series {
    char method[TN_METHOD_SIZE]; // "galpha/ggl"
    int order[3];                // of q, v and lambda, as the pairing states them; 0: not known
    TN_ARRAY(tn_trial) trials;
} tn_series;

typedef struct tn_study {
    const tn_model *model;
    tn_sim_options options; // of all runs but for method, step and tolerances
    double t_end;
    double patience; // seconds that a run may take; 0: any
    bool timed;      // short runs are repeated until their time can be told
    // Called before each run, also those for the reference; may be NULL.
    void (*tell)(void *user, const char *method, tn_setting setting);
    void *user;

    int ntime;    // times at which runs are compared, increasing; the last is t_end
    double *time; // [s]
    int nbody, nrow, freedoms;
    bool *unique; // nrow: the multiplier is determined by the equations
    double lever; // longest arm of a joint in its body [m]

    // The reference: its values at the times, and where they come from.
    double *values; // ntime x tn_study_width
    struct {
        double position, velocity, rate, lambda; // P, V, W, L
    } size;
    char source[TN_METHOD_SIZE]; // method, "" for a file
    char judge[TN_METHOD_SIZE];  // method that the reference was compared with, "" for none
    double source_tol, judge_tol;
    char *file;
    tn_distance doubt; // distance between the two; NaN when not known

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
enum { TN_MOST_METHODS = 64 };
int tn_study_methods(const char *names[TN_MOST_METHODS]);

// Makes the reference by itself. Fails when no method reaches the end.
tn_status tn_study_reference(tn_study *study);

// Runs one method with each setting. Failures of a run are kept in its trial; a status other than
// TN_OK is one of the study: memory is short.
tn_status tn_study_run(tn_study *study, const char *method, int n, const tn_setting *settings);

// Numbers per time in `values`, and the distance of two lists of ntime x width values.
int tn_study_width(const tn_study *study);
tn_distance tn_study_distance(const tn_study *study, const double *values, const double *reference);
// Where the numbers of a body begin in a row: position, quaternion, velocity, rate; the multipliers
// follow the bodies.
enum { TN_STUDY_BODY = 13 };
// Takes one row into the sizes; `settle` closes them after the last row.
void tn_study_measure(tn_study *study, const double *row);
void tn_study_settle(tn_study *study);

// log(e0 / e1) / log(h0 / h1) between two runs that follow each other, h being the step, or the
// mean step where it was controlled. NaN where an error is not clearly above the doubt about the
// reference, or where there is no error.
tn_distance tn_study_order(const tn_study *study, const tn_trial *coarse, const tn_trial *fine);
// The order between the two last runs of a series that have one.
tn_distance tn_series_order(const tn_study *study, const tn_series *series);

// The error that counts when runs are ranked: of q, but of lambda where drives prescribe the whole
// motion, which then is no merit of a method.
bool tn_study_ranks_lambda(const tn_study *study);
double tn_study_error(const tn_study *study, const tn_trial *trial);

// The run, of all series, that reaches an error with the least work.
typedef struct tn_best {
    int series, trial; // -1: none reaches it
    double work;
} tn_best;
enum { TN_WORK_EVALUATIONS, TN_WORK_CPU };
tn_best tn_study_best(const tn_study *study, double error, int work);
double tn_trial_work(const tn_trial *trial, int work);
