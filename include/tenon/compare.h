// SPDX-License-Identifier: MIT
//
// Comparisons: one model run by several methods, over tolerances or over steps, each run measured
// by its distance from a reference.
//
//     tn_compare_options options = tn_default_compare();
//     options.methods = "bdf/ggl,galpha/ggl";
//     tn_compare *compare = NULL;
//     tn_status s = tn_compare_create(model, &simulate, &options, &compare);
//     if (s == TN_OK && (s = tn_compare_run(compare)) == TN_OK)
//         s = tn_compare_write(compare, "comparison");
//     tn_compare_destroy(compare);
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
// A comparison belongs to one thread at a time; functions of a const one may be called at the same
// time as long as none of the others is. It makes its runs side by side in threads of its own, see
// `jobs`; their results, but for times, do not depend on their number.
//
// The reference is a tight run of a method of high order, and a second run, by another method where
// there is one, shows how far it can be trusted. Or it is a file of results.

#pragma once

#include "tenon/io.h"
#include "tenon/json.h"

// The three distances; NaN where there is nothing to compare.
typedef struct tn_distance {
    double q, v, lambda;
} tn_distance;

enum { TN_METHOD_SIZE = 96, TN_REASON_SIZE = 512 };
enum { TN_STUDY_PARTS = 200 }; // of the time, in which energies are reported

// The length of a run in steps or its tightness in tolerances.
typedef struct tn_setting {
    bool fixed;   // `value` is the step [s], else rtol
    double value; // atol is rtol times what the options have as atol / rtol
} tn_setting;

// Condition numbers (2-norm) of the iteration matrices of a discrete principle: of the equations as
// [LMO08] writes them, with q and lambda for unknowns and rows as they stand, in SI units; and of
// the matrix that is factored. Least and largest over the nodes at which they were computed.
typedef struct tn_conditions {
    int nodes, unknowns;          // 0: the method has no such matrix, or nobody asked
    double written[2], solved[2]; // NaN likewise
} tn_conditions;

// One run.
typedef struct tn_trial {
    tn_setting setting;
    bool done;                   // it reached the end
    char reason[TN_REASON_SIZE]; // why not
    char doubt[TN_REASON_SIZE];  // the first warning of its verdict when it did; "" for none
    double reached;              // [s]
    tn_ledger ledger;
    double cpu;    // time of one processor for the steps of one run [s]; NaN when not taken
    double energy; // largest energy balance by the energy exchanged; NaN without energy
    double balance[TN_STUDY_PARTS]; // largest |energy balance| in each part [J]; NaN: not known
    tn_distance error;
    tn_conditions conditions;
} tn_trial;

// The runs of one method.
typedef struct tn_series {
    char method[TN_METHOD_SIZE]; // "galpha/ggl"
    int order[3];                // of q, v and lambda, as the pairing states them; 0: not known
    struct {
        tn_trial *at;
        int count, capacity;
    } trials; // `count` runs, from the largest step or tolerance on
} tn_series;

enum { TN_MOST_METHODS = 64 };

// A comparison of methods on one model; tn_compare_destroy it.
typedef struct tn_compare tn_compare;

// The methods to compare, and their settings.
typedef struct tn_compare_options {
    bool converge;       // orders over halved steps or falling tolerances, else work and accuracy
    const char *methods; // "bdf/ggl,galpha/ggl:1e-3", a number being that of a method alone; NULL:
                         // the method of the model, or one or two of each family
    const char *tols;    // "1e-4,1e-6"; NULL: usual ones
    const char *steps;   // fixed steps [s], likewise
    int levels;          // number of runs of one method; 0: the usual number
    int points;          // times of dense output at which runs are compared; 0: none
    const char *reference; // folder of results; NULL or "auto": a tight run is made
    bool trust;            // a reference without checksums is read all the same
    bool condition;        // condition numbers of iteration matrices are found, at ten nodes a run
    double patience;       // time after which a run is given up [s]; 0: never
    int jobs;              // runs at the same time; 0: one for each processor
    const bool *given;     // rows of tn_help_option that are stated for this comparison, noted when
                           // no method reads them; may be NULL
    const char *out;       // folder to write to, made beforehand; may be NULL
    bool replace;          // a comparison that it holds
    const char *model_path, *command; // for what is written; may be NULL
    tn_teller teller;
    // Called before each run: number `run` of `total`, or a reference where total is 0; by the
    // thread that makes the run, one at a time. May be NULL.
    void (*before)(void *user, const char *method, tn_setting setting, int run, int total);
    void *user;
} tn_compare_options;

// Work and accuracy of the usual methods, nothing written.
TN_API tn_compare_options tn_default_compare(void);
// Chooses methods and settings, checks their names and makes the reference. The model, `simulate`
// and the texts of the options must outlive it. On failure *out is NULL.
TN_API tn_status tn_compare_create(const tn_model *model, const tn_simulate *simulate,
                                   const tn_compare_options *options, tn_compare **out);
TN_API void tn_compare_destroy(tn_compare *compare); // NULL is fine
// Makes all runs. Failures of a run are saved in its trial.
TN_API tn_status tn_compare_run(tn_compare *compare);

// The reference and the runs so far; texts and arrays live as long as the comparison.
typedef struct tn_compare_facts {
    // Failed where no run came to its end, doubtful where the two runs for the reference differ by
    // more than 1e-4 in q.
    tn_outcome outcome;
    double t_start, t_end;                   // [s]
    int ntime;                               // at which runs are compared
    bool shared;                             // these are steps that all runs share
    const char *file;                        // of the reference; NULL where it was run
    const char *source, *judge;              // methods of the reference, and of its judge or ""
    double source_tol, judge_tol;            // their rtol
    tn_distance doubt;                       // distance between the two; NaN when not known
    double position, velocity, rate, lambda; // P, V, W, L above
    bool ranks_lambda; // runs are ranked by lambda: drives prescribe the whole motion
    int nseries;
    const tn_series *series;
} tn_compare_facts;

// Returns the facts so far.
TN_API tn_compare_facts tn_compare_found(const tn_compare *compare);

// The observed order log(e0 / e1) / log(h0 / h1) between two runs that follow each other, h being
// the step, or the mean step where it was controlled. NaN where an error is not clearly above the
// error of the reference, or where there is no error.
TN_API tn_distance tn_compare_order(const tn_compare *compare, const tn_trial *coarse,
                                    const tn_trial *fine);

// A run that needs the least work for an error.
typedef struct tn_best {
    int series, trial; // -1: none reaches it
    double work;
} tn_best;
enum { TN_WORK_EVALUATIONS, TN_WORK_CPU };
// The run, of all series, that reaches an error with the least work.
TN_API tn_best tn_compare_best(const tn_compare *compare, double error, int work);

// All of it as one object, finished; docs/formats/json.md lists its keys. tn_json_destroy it.
TN_API tn_status tn_compare_json(const tn_compare *compare, tn_json **out);
// Writes compare.svg, energy.svg, compare.csv and, where this Tenon has the page, compare.html into
// a folder that exists.
TN_API tn_status tn_compare_write(const tn_compare *compare, const char *directory);
