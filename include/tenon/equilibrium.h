// SPDX-License-Identifier: MIT
//
// Equilibrium: the position in which a mechanism stays at rest, or turns steadily as a whole, under
// its forces and constraints, and whether it is stable there.
//
//     tn_equilibrium_options options = tn_default_equilibrium();
//     tn_equilibrium *found = NULL;
//     tn_status s = tn_equilibrium_create(model, &options, &found);
//     if (s == TN_OK && (s = tn_equilibrium_find(found)) == TN_OK)
//         printf("%s\n", tn_stability_word(tn_equilibrium_facts_of(found)->stability));
//     tn_equilibrium_destroy(found);
//
// Drives and functions of time are held at one time, and velocities are zero (or those of the
// steady rotation): dampers and regularised friction give no force at rest.
//
// The model is kept alive. An object here belongs to one thread at a time; functions of a const one
// may be called at the same time as long as none of the others is.

#pragma once

#include "tenon/base.h"
#include "tenon/model.h"
#include "tenon/sim.h"

// A mechanism at rest; tn_equilibrium_destroy it.
typedef struct tn_equilibrium tn_equilibrium;

// A state of a mechanism, as results store it (tn_result_state): the frames of all bodies with the
// ground, velocities of their origins in inertial axes and angular velocities in body axes, and the
// values of states of the model. Values of unknowns, of sampled systems as they act (all of the
// first one, then of the next) and of signals, which give the modes of relays with hysteresis: NAN
// where the results do not have them.
typedef struct tn_saved_state {
    double t; // [s]
    int nbody, nstate;
    tn_frame *frames;            // [m]
    tn_vec3 *velocities, *rates; // [m/s], [rad/s]
    double *states;
    int nunknown, nsampled, nsignal;
    double *unknowns, *sampled, *signals;
} tn_saved_state;

// The effect of small disturbances.
typedef enum tn_stability {
    TN_STABILITY_OPEN, // not checked yet
    TN_STABLE,         // every small motion is driven back
    TN_NEUTRAL,        // some motion is neither driven back nor on
    TN_UNSTABLE        // some motion is driven on
} tn_stability;

// "stable", "neutral", "unstable" or "open".
TN_API const char *tn_stability_word(tn_stability stability);

// The equilibrium to search for, and the method.
typedef struct tn_equilibrium_options {
    tn_sim_options start; // t_start, at which functions of time are held, and assembly_tol are used
    bool nearest;         // by Newton's method alone: the nearest one, even if it is unstable
    // Steady rotation of the whole mechanism about an axis through `about`; 0: at rest [rad/s].
    double spin;
    tn_vec3 axis, about; // [1], [m]; default z, origin
    // The load factor scales gravity, point forces and motors, or the value of one input by its
    // name. It goes from load_from to load_to in `steps` (0: at once), or along the path of
    // equilibria by its length, past limit points, with `arc`.
    const char *load;
    double load_from, load_to;
    int steps;
    bool arc;
    double arc_step; // largest step of such a path [sizes of the model, rad, load factors]
    int most_points; // of such a path, which ends there at the latest
    // Trim: inputs whose values are found ("lift,rudder") so that coordinates of joints and origins
    // of bodies have values that are stated ("hinge.angle = 0.1, plate.z = 0.2"), as many as there
    // are inputs.
    const char *trim, *outputs;
    tn_teller teller;
    // Called after each point of a path; may be NULL.
    void (*progress)(void *user, int point, double load);
    void *user;
} tn_equilibrium_options;

// At rest at t = 0, under the whole load, stable where possible.
TN_API tn_equilibrium_options tn_default_equilibrium(void);

// Assembles the model at its start, from which the search begins. Names of options are looked up.
// On failure *out is NULL.
TN_API tn_status tn_equilibrium_create(const tn_model *model, const tn_equilibrium_options *options,
                                       tn_equilibrium **out);
TN_API void tn_equilibrium_destroy(tn_equilibrium *equilibrium); // NULL is fine

// Searches for the equilibrium, along the loads that the options state. TN_ERR_NUMERIC where there
// is none: the sentence names the last load that was reached and the motion that goes on. The
// results up to there stay.
TN_API tn_status tn_equilibrium_find(tn_equilibrium *equilibrium);

// Facts of the equilibrium.
typedef struct tn_equilibrium_facts {
    double t;    // [s]
    double load; // factor that was reached
    long iterations;
    double residual; // largest force or torque that is not balanced [N, N m]
    double misfit;   // max |g|
    int freedoms;    // of the mechanism there
    tn_stability stability;
    int unstable, neutral; // numbers of such independent motions
    bool at_least;         // of large mechanisms: there may be more
    bool flutter;          // the unstable one swings, as forces that follow the motion drive it
    char direction[160];   // the most unstable motion, or else a neutral one; "" for none
    double growth;         // of the unstable motion, as exp(growth t) [1/s]; 0 where it has none
    int left;              // unstable equilibria that the search left behind
    char left_by[160];     // along which motion it left the last one
    int limits;            // limit points of the load on the path
    double limit;          // load of the first of them; NAN for none
    bool jumped;           // loads in steps: the path ended, and another one was found beyond it
    double jumped_from;    // at this load
    char jumped_by[160];   // along this motion
} tn_equilibrium_facts;

// They live as long as the object.
TN_API const tn_equilibrium_facts *tn_equilibrium_facts_of(const tn_equilibrium *equilibrium);
// Errors that may enter it (docs/guide/equilibrium.md has bounds and reasons); lives as long, too.
TN_API const tn_verdict *tn_equilibrium_verdict(const tn_equilibrium *equilibrium);

// Coordinates of a joint; returns how many.
TN_API int tn_equilibrium_joint_coordinates(tn_equilibrium *equilibrium, tn_joint joint, double *q);
TN_API tn_frame tn_equilibrium_body_frame(tn_equilibrium *equilibrium, tn_body body);
// Force and torque on body B at the origin of its joint frame, inertial axes. If constraints repeat
// each other, multipliers are those of minimum norm, as in runs.
TN_API tn_wrench tn_equilibrium_joint_reaction(tn_equilibrium *equilibrium, tn_joint joint);
// The load of a force element there; for an element of a beam also that of its section.
TN_API tn_status tn_equilibrium_force(tn_equilibrium *equilibrium, tn_force force,
                                      tn_force_state *out);
// Inputs that were found by trim.
TN_API int tn_equilibrium_trim_count(const tn_equilibrium *equilibrium);
TN_API const char *tn_equilibrium_trim_name(const tn_equilibrium *equilibrium, int i);
TN_API double tn_equilibrium_trim_value(const tn_equilibrium *equilibrium, int i);

// The path of loads: one row for each equilibrium on it.
typedef struct tn_equilibrium_path {
    int rows, ncolumn;
    const char *const *names; // "load", "unstable", "limit", "pin.angle", "rod.x", …
    const char *const *units;
    const double *values; // rows x ncolumn, row by row
} tn_equilibrium_path;

// The path so far; it lives until the next search.
TN_API tn_equilibrium_path tn_equilibrium_path_of(const tn_equilibrium *equilibrium);
// Writes it, comma separated below a line of names and units; "-" is the standard output.
TN_API tn_status tn_equilibrium_path_write(const tn_equilibrium *equilibrium, const char *path);
// Draws columns over the load, FILE.svg or FILE.png: one panel for each, where the path is stable
// and unstable as two lines, limit points as marks. `columns` names them, "top.y,pin.angle"; NULL:
// the first that change, six at most. A path of one row is refused.
TN_API tn_status tn_equilibrium_path_plot(const tn_equilibrium *equilibrium, const char *columns,
                                          const char *path);
