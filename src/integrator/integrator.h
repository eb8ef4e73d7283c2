// SPDX-License-Identifier: MIT
//
// An integrator advances a problem by one step and knows nothing of bodies. Each kind is a const
// table of functions; the registry in integrator.c lists them.

#pragma once

#include "base/carve.h"
#include "formulation/dae.h"
#include "formulation/discrete.h"
#include "formulation/formulation.h"
#include "formulation/ode.h"
#include "integrator/unknowns.h"
#include "motion/accel.h"
#include "motion/row_choice.h"
#include "tenon/sim.h"

typedef struct tn_integrator tn_integrator;

// Objects that a step needs besides its own memory. Only the views that the integrator needs are
// there.
typedef struct tn_stepper {
    tn_problem *problem;   // STEP, RESIDUAL and BLOCKS
    tn_dae *dae;           // RESIDUAL
    tn_ode *ode;           // ACCEL
    tn_discrete *discrete; // DISCRETE
    tn_chart *chart;       // BLOCKS: linear coordinates for half-explicit methods
    tn_accel *accel;       // accelerations at a state, for starting values
    tn_row_choice *rows;   // of `accel`, where rows repeat each other; else NULL
    tn_unknowns *unknowns; // NULL where the system has none
    tn_unknowns *within;   // the same, for dense output: samples there do not change the steps
    const tn_state *begin; // of the step under way, or the last one
    const tn_sim_options *options;
    double atol[TN_KIND_COUNT]; // absolute tolerances, in the units of the system
    // The state was changed since the last step (projection, sampled states, first step): values
    // that the integrator kept from it are stale, and so are a and lambda of the state unless
    // `known`. The integrator clears `moved`.
    bool moved, known;
    // A step has been shortened several times, maybe near a singular position: the same step again
    // goes on with that. Of integrators that choose their steps.
    bool paused;
    bool motion_only; // `interpolate` may leave out a and lambda, where they would cost evaluations
    long newton;      // iterations so far
    long factorizations;
    double error;      // of the last step, relative to the tolerance: accept when <= 1
    double factor;     // by which the integrator wants its step changed; 0: by tn_step_factor
    double stiffness;  // of explicit steps: h times the rate of forces along it; 0: not given
    double taken;      // size of the step just taken, by integrators that choose it themselves
    int order;         // of the last step, by integrators that change it; 0 otherwise
    long failures;     // steps that such an integrator has given up and tried again, so far
    char culprit[160]; // name of the unknown with the largest residual of a failed step
    double worst;      // that residual
} tn_stepper;

// Names of options, separated by spaces; NULL for none.
typedef struct tn_option_names {
    const char *any;                // with any steps
    const char *fixed, *controlled; // with such steps only
} tn_option_names;

typedef struct tn_integrator_ops {
    const char *name;   // "galpha"
    const char *text;   // one line for `tenon methods`
    const char *source; // "[Arn16, eq. 64]"
    int order;          // in q, v and lambda, of the largest order where it varies
    unsigned needs;     // views of the formulation
    bool on_group;      // lives on the Lie group itself: no quaternion or Euler coordinates
    bool multistep;     // needs one chart for many steps: quaternion or Euler coordinates
    bool linear_only;   // no rotations in any form: systems on linear spaces alone
    bool controlled;    // error-controlled unless the user states a fixed step
    bool own_steps;     // chooses its steps itself; `step` may take less than h, see `taken`
    bool over_impacts;  // steps over impacts, which are at the ends of steps: contacts.c
    // Linear systems come in pairs, one real and one complex: always, or in fixed steps.
    bool pairs, fixed_pairs;
    double decay_max;  // decays up to this over the step are stable; 0: all, or by error control
    bool rough_forces; // v' and lambda of forms on lower levels are of lower order than q and v
    tn_option_names reads; // options of its own; those of error control are for all
    size_t size;           // of the integrator's own struct, which starts with tn_integrator
    // All its arrays. The views of the stepper are there already.
    void (*layout)(tn_integrator *self, const tn_stepper *stepper, tn_carve *mem);
    // Takes what cannot be carved (memory of libraries), once; NULL for nothing. `close` frees it.
    tn_status (*open)(tn_integrator *self, tn_stepper *stepper);
    void (*close)(tn_integrator *self);
    // Sets the coefficients from the options; the first step starts anew.
    tn_status (*begin)(tn_integrator *self, const tn_sim_options *options);
    // Other rows take part from here on, and the motion is the same: drops factors and the past of
    // multipliers. NULL where `moved` of the stepper does.
    void (*change_rows)(tn_integrator *self, const tn_stepper *stepper);
    // Forces jump between two steps, so that v' jumps by da, and the motion does not: takes that
    // into what it keeps, at less cost than a new start. Block B of the system is that of the
    // state. false: cannot. NULL: never.
    bool (*jump)(tn_integrator *self, tn_stepper *stepper, const double *da);
    // Before the first step, of which h is the size: what the state at the start has of it (the
    // first lambda). A positive status is one that the first step will have. NULL: nothing.
    tn_status (*settle)(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h);
    // One step from x to x + h. On a positive status x is untouched and a smaller h may succeed.
    // The estimate of the local error, relative to the tolerances, goes to stepper->error.
    tn_status (*step)(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h);
    // Dense output: the state at t within the last accepted step; out->r is the caller's. NULL: the
    // Hermite interpolation of tn_interpolate does.
    tn_status (*interpolate)(tn_integrator *self, tn_stepper *stepper, double t, tn_state *out);
    // Quantities of discrete principles at a node, in arrays of the integrator;
    // NULL for others. Does not change the motion.
    tn_status (*node)(tn_integrator *self, tn_stepper *stepper, const tn_state *x,
                      tn_discrete_node *out);
    // Lists values to save beside the arrays of its layout; NULL: nothing.
    void (*values)(tn_integrator *self, tn_values *v);
    // Orders of q, v and lambda with fixed steps where they are not all `order` (with bdf: that of
    // options.max_order); NULL otherwise.
    void (*orders)(const tn_formulation *formulation, const tn_sim_options *options, int order[3]);
} tn_integrator_ops;

struct tn_integrator {
    const tn_integrator_ops *ops;
};

extern const tn_integrator_ops *const tn_integrators[];
extern const int tn_integrator_count;
const tn_integrator_ops *tn_find_integrator(const char *name); // NULL when unknown

// Returns true if it only has fixed steps: a discrete principle is one map that is repeated, and
// impacts within steps leave errors as large as these.
bool tn_integrator_is_fixed(const tn_integrator_ops *integrator);
// Returns true if rotations may be stepped in linear coordinates, or else on the group.
bool tn_integrator_takes_rotations(const tn_integrator_ops *integrator, bool linear);

// Returns true if the formulation offers what the integrator needs.
bool tn_pairing_is_legal(const tn_integrator_ops *integrator, const tn_formulation *formulation);
// TN_ERR_PAIRING with one sentence that names what is missing and the nearest legal pairing.
tn_status tn_pairing_check(const tn_integrator_ops *integrator, const tn_formulation *formulation);

// Orders of q, v and lambda that a pairing states, for fixed steps with these options.
void tn_pairing_orders(const tn_integrator_ops *integrator, const tn_formulation *formulation,
                       const tn_sim_options *options, int order[3]);

// Attributes the failure of a step to the unknown of the residual view with the largest residual.
void tn_stepper_attribute(tn_stepper *stepper, int n, const double *r);

// Checks that unknowns of a step from x, or of its last stage from the one before it, go on
// (tn_unknowns_check). Without unknowns TN_OK at no cost.
tn_status tn_stepper_check(tn_stepper *stepper, const tn_state *from, const tn_state *to);
// Returns true if a step that failed with this status may be solved from followed unknowns: there
// are some, and no smaller step will be tried.
bool tn_stepper_follows(const tn_stepper *stepper, tn_status status);

// Step size control: the factor by which an error-controlled step of order p changes, from the
// current and the last accepted error (PI control) [HW96, IV.2].
double tn_step_factor(double error, double last_error, int order);
