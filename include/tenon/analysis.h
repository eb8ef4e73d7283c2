// SPDX-License-Identifier: MIT
//
// A check reports on a model before it moves: freedoms, rank, redundant and inconsistent
// constraints, and the changes by the initialisation. A check is constant once it is made: any
// thread may read it, and its texts and arrays live as long as it does. Functions that are given
// NULL or an index that does not exist return a value that means nothing (0, "", NULL, index -1).

#pragma once

#include "tenon/base.h"
#include "tenon/model.h"
#include "tenon/sim.h"

// The report on a model; tn_check_destroy it.
typedef struct tn_check tn_check;

// Assembles the model and analyses it. Returns an error where it cannot be assembled, where its
// constraints contradict each other, or where a motion has neither inertia nor a damper.
TN_API tn_status tn_check_create(const tn_model *model, const tn_sim_options *options,
                                 tn_check **out);
TN_API void tn_check_destroy(tn_check *check);

TN_API int tn_check_coordinates(const tn_check *check); // velocity coordinates
TN_API int tn_check_rows(const tn_check *check);        // constraint rows
TN_API int tn_check_rank(const tn_check *check);        // independent rows
TN_API int tn_check_one_sided(const tn_check *check); // rows of contacts that part, not in the rank
TN_API int tn_check_freedoms(const tn_check *check);  // coordinates - rank
// The same in joint coordinates: velocities of the spanning tree, rows that are left, and joints at
// which its loops are cut.
TN_API int tn_check_joint_coordinates(const tn_check *check);
TN_API int tn_check_joint_rows(const tn_check *check);
TN_API int tn_check_cut_count(const tn_check *check);
TN_API tn_joint tn_check_cut(const tn_check *check, int i);
// In director coordinates there are this many more coordinates, and as many more rows, which are
// independent.
TN_API int tn_check_internal_rows(const tn_check *check);

// A constraint row that repeats others.
typedef struct tn_redundant {
    tn_joint joint; // the row that repeats others
    int row;        // of that joint
    const char *row_name;
    int nrepeats;            // rows that it repeats
    const tn_joint *repeats; // their joints, each once
} tn_redundant;

// The rows that repeat others.
TN_API int tn_check_redundant_count(const tn_check *check);
TN_API tn_redundant tn_check_redundant(const tn_check *check, int i);
// Distance of the farthest redundant row from repeating others, relative: round-off, or the digits
// with which a loop was typed, up to a few dependence_tol.
TN_API double tn_check_off(const tn_check *check);
// True if the equations determine the multiplier of row `row` of a joint.
TN_API bool tn_check_unique(const tn_check *check, tn_joint joint, int row);

// By how much the initialisation changed the stated start of a body.
typedef struct tn_moved {
    tn_body body;
    double position; // distance moved by the assembly [m]
    double rotation; // angle turned [rad]
    double velocity; // change of velocity of the origin [m/s]
    double rate;     // change of angular velocity [rad/s]
} tn_moved;

TN_API int tn_check_moved_count(const tn_check *check); // bodies that the initialisation changed
TN_API tn_moved tn_check_moved(const tn_check *check, int i); // one of them
TN_API double tn_check_residual(const tn_check *check);       // max |g| after assembly
TN_API double tn_check_condition(const tn_check *check);      // condition number of B on its range
// Distance of the start from a singular position. Independent rows are those that are independent
// after a small motion.
TN_API const tn_rank_margin *tn_check_margin(const tn_check *check);

// Motions without inertia, whose velocities dampers determine: "body 'mid', x", or the parts of
// several bodies in one motion.
TN_API int tn_check_massless_count(const tn_check *check);
TN_API const char *tn_check_massless(const tn_check *check, int i);

// Bodies whose small mass or inertia makes steps collapse.
typedef struct tn_small_mass {
    tn_body body;
    tn_body neighbour; // connected with it by a joint or a force
    double ratio;      // of their masses, or of their smallest moments of inertia
    bool turning;      // of the latter
    double frequency;  // of the fastest motion of the body, undamped [rad/s]; 0: not fast
    double decay;      // fastest rate of decay [1/s]; 0: not fast
} tn_small_mass;
// The bodies of that kind that the model has.
TN_API int tn_check_small_mass_count(const tn_check *check);
TN_API tn_small_mass tn_check_small_mass(const tn_check *check, int i);

// Singular positions near the motion up to some time, at which constraints come near to losing
// rank.
enum { TN_MOST_MET = 16 };
// The results of tn_check_along.
typedef struct tn_along {
    bool failed;
    char reason[1024]; // why, "" otherwise
    char doubt[400];   // the first warning of the verdict on a run that did not fail, "" for none
    char method[96];
    double t; // that was reached [s]
    long steps;
    double largest; // ratio of singular values, smallest by largest
    tn_rank_margin least;
    int count; // near-singular positions, of which the first are saved
    tn_rank_margin met[TN_MOST_MET];
} tn_along;

// Runs the model from the start to t_end [s] and samples the singular values of the constraints on
// the way. `failed` reports a run that fails; the status is that of the sampling.
TN_API tn_status tn_check_along(const tn_model *model, const tn_sim_options *options, double t_end,
                                tn_along *out);
