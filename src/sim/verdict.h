// SPDX-License-Identifier: MIT
//
// Quantities of a run that are checked on the way; the verdict*.c have the bounds and reasons.

#pragma once

#include "base/carve.h"
#include "start/sizes.h"
#include "tenon/compare.h"
#include "tenon/sim.h"

// Quantities with bounds, which a run is checked against.
typedef enum tn_bounded {
    TN_QUANTITY_G,      // residuals of all rows at ends of steps
    TN_QUANTITY_BV,     // of their rates
    TN_QUANTITY_ENERGY, // balance of energy
    TN_QUANTITY_ROWS,   // g of output between steps
    TN_QUANTITY_START,  // how far the start has moved bodies from where they are stated
    TN_QUANTITY_TURN,   // how far rotations of bodies lag behind, by what they have turned
    TN_QUANTITY_ERROR,  // of positions and velocities, where it was estimated
    // Contacts that part; not checked where none has touched:
    TN_QUANTITY_DEPTH, // how far bodies are in each other behind an impact, by the size
    TN_QUANTITY_LOADS, // speeds or accelerations that loads leave, by the largest without loads
    TN_QUANTITY_GAIN,  // energy that an impact has added, by the kinetic one before it
    // Theories, by what they hold up to; not checked where the model has none of it:
    TN_QUANTITY_MODAL,    // what small displacements of a modal body leave out
    TN_QUANTITY_TURNED,   // turn between the frames of bushings, frame laws and beam elements [rad]
    TN_QUANTITY_STRAIN,   // of beam elements
    TN_QUANTITY_CREEP,    // way of regularised friction that should hold, by what moves
    TN_QUANTITY_ROUNDING, // of positions, by the size, as it adds up
    TN_QUANTITY_SAMPLING, // growth of what a sampled system does from sample to sample
    TN_QUANTITY_NARROW,   // fixed steps by the width of what a law in space does within one
    TN_QUANTITY_MISSED,   // steps by those in which nothing would be passed over (tn_missed)
    TN_QUANTITY_JOINTS,   // as g; what is beyond it ends a run
    TN_QUANTITY_COUNT
} tn_bounded;

extern const char *const tn_quantity_names[TN_QUANTITY_COUNT];

// Takes the first of some bounds 'NAME<VALUE, NAME<VALUE' off a text: which of n names it has,
// and its value. TN_ERR_USAGE with a sentence, for `within`, where it is none.
tn_status tn_bounds_take(const char **text, const char *within, int count, const char *const *names,
                         int *which, double *value);
// Bounds by their names, 'energy<1e-2,g<1e-6': fills those that the text states (NULL: none); the
// others become NAN. TN_ERR_USAGE with a sentence otherwise.
tn_status tn_bounds_parse(const char *text, double bound[TN_QUANTITY_COUNT]);
// The same of the n quantities of an analysis; the others stay.
tn_status tn_bounds_read(const char *text, int n, const char *const *names, double *bound);

// Value of a quantity that came nearest to its bound so far.
typedef struct tn_worst {
    double value, bound, t;
    int where; // row or body; -1 for none
} tn_worst;

typedef struct tn_judge {
    tn_sizes sizes;
    int look_in;                      // steps until speeds are checked again
    double stated[TN_QUANTITY_COUNT]; // bounds by the user; NAN: the default
    tn_worst worst[TN_QUANTITY_COUNT];
    double weight;       // largest potential energy of gravity that may have been summed [J]
    double stiffness;    // energy of forces where all is displaced by its size, at the start [J]
    double not_resolved; // estimated errors of works, where steps have too many ups and downs [J]
    double t_balance;    // of the largest balance [s]
    double kinetic[3], when[3]; // of the last steps [J], for their differences, and times [s]
    double third[3];            // these, without sign, the last one first [J]
    double differences;         // their sum [J]
    int nkinetic;
    double round_off, rounded; // of positions in the last step, and in all [m]
    double turned, lag;   // of the body that turns fastest, and what fixed steps lose of it [rad]
    tn_worst joints;      // at the end of the last step
    double passed, given; // time of all steps, and of those whose size was given [s]
    double given_max;     // the largest of the latter [s]
    bool fixed;           // the last step was one of these, not one that errors control
    bool mostly_fixed;    // most of the time was theirs
    bool failed;          // the last step or run did
    bool estimated;       // the error of the motion was
    tn_setting check;     // by a run with this setting
    bool coarse;          // it was reported that bodies turn far within steps
} tn_judge;

// The tolerance, as a part of the sizes of the mechanism.
double tn_sim_error_tolerance(const tn_sim *sim);
// A quantity of a contact, with the row that it is of.
void tn_sim_judge_contacts(struct tn_sim *sim, tn_bounded k, double value, int row);
// The error of one step, fixed or not, as a part of the motion, and how often it may have added up.
double tn_sim_step_error(const tn_sim *sim, bool fixed, double *times);

// sizes: of the start, where they are known; else NULL.
tn_status tn_sim_open_judge(tn_sim *sim, const tn_sizes *sizes);
void tn_sim_layout_judge(tn_sim *sim, tn_carve *mem);
void tn_sim_see_sizes(tn_sim *sim, double h); // at the end of a step h
// Adds up how far rotations turn in a step h and what they lag behind (turns.c).
void tn_sim_follow_turns(tn_sim *sim, double h);
// After an evaluation of g and gdot at the end of a step, and at an output state between steps.
void tn_sim_judge_step(tn_sim *sim);
void tn_sim_judge_shown(tn_sim *sim);
// Keeps what is nearest to its bound, the usual one where no other is stated.
void tn_sim_judge(tn_judge *j, tn_bounded k, double value, double bound, double t, int where);
// The same of a theory at the state that is seen.
void tn_sim_judge_theory(tn_sim *sim, tn_bounded k, double value, double bound, int where);
// What a step may pass over: number `which` of its kind, 0 where there is no other; and by how many
// times as many looks or steps it would be seen.
typedef enum tn_missed {
    TN_MISSED_TURNS,    // bodies turn too often within one
    TN_MISSED_PULSES,   // of functions of time
    TN_MISSED_DECISION, // a condition of expressions goes up and down too often
    TN_MISSED_CONTACT,  // of a force, with fixed steps
    TN_MISSED_COUNT
} tn_missed;
void tn_sim_judge_missed(tn_sim *sim, tn_missed what, int which, double times);
// Theories (verdict_theory.c): where energies and sizes are seen, and after a sample.
bool tn_is_theory(tn_bounded k);
void tn_sim_layout_theories(tn_sim *sim, tn_carve *mem);
void tn_sim_open_theories(tn_sim *sim);
void tn_sim_judge_modals(tn_sim *sim);
void tn_sim_judge_rounding(tn_sim *sim);
void tn_sim_judge_samples(tn_sim *sim);
void tn_sim_tell_theory(const tn_sim *sim, tn_bounded k, const tn_worst *w, tn_judged *out);
// After the balance of energy of a step.
void tn_sim_judge_energy(tn_sim *sim);
// The error of the motion at t, as a part of it, that a run with the other setting gave; not a
// number where it is not known, which is a warning where a bound is stated.
void tn_sim_judge_error(tn_sim *sim, double error, double t, tn_setting check);
bool tn_sim_bounds_error(const tn_sim *sim); // a bound is stated
// The balance of energy with the bound that counts. It has no value where works that are not
// resolved explain it; *judged is false where they hide whether it is beyond the bound.
tn_worst tn_sim_worst_energy(const tn_sim *sim, bool *judged);
// At the end of a run: reports that its energy balance could not be checked.
void tn_sim_note_not_judged(tn_sim *sim);
// Round-off of the energies that make the balance [J].
double tn_sim_energy_noise(const tn_sim *sim, const tn_ledger *ledger);
// Error that the work over a part of a step may have [J]: a small part of what the bound on the
// balance allows for a step.
double tn_sim_work_share(const tn_sim *sim);
