// SPDX-License-Identifier: MIT
//
// User-defined kinds: forces, joints and functions of time as tables of C functions. A kind that
// was added has the rights of a built-in one: model files name it, its parameters are read, checked
// and explained from its table, and it works in all coordinates, formulations and records.
// Derivatives that a table does not give are formed by differences; the notes of a model say so.
//
// Kinds belong to the process and stay until it ends. Adding copies the table, but not the objects
// it points to: names, texts, parameter tables and `user` must live as long as the process. Any
// thread may add kinds at any time. The functions of a kind see SI units and radians. They are
// called by every thread that simulates, several at a time where simulations run in several
// threads, and must not change shared data.

#pragma once

#include "tenon/base.h"
#include "tenon/model.h"
#include "tenon/param.h"
#include "tenon/spatial.h"

#include <stdbool.h>

// Parameters --------------------------------------------------------------------------------------
//
// The parameters of a kind are a struct of its own, which a table describes: `offset` counts from
// the beginning of that struct. It may hold numbers, integers, bools, vectors, rotations and
// choices; functions of time (forces only) take a tn_function each, and are seen by their values.
// From a program the struct is copied into a definition: memcpy(def.own.at, &mine, sizeof mine).

// A row of a parameter table for a number of the struct `type`, whose key is that of the member.
#define TN_OWN_NUMBER(type_name, member, unit_text, allowed, usual, explanation)           \
    {                                                                                      \
        .name = #member, .type = TN_PARAM_NUMBER, .unit = (unit_text), .range = (allowed), \
        .fallback = (usual), .text = (explanation), .offset = offsetof(type_name, member)  \
    }

// The head of every table.
typedef struct tn_own_kind {
    const char *name;       // "air-drag": key `kind` of model files
    const char *text;       // one line for help
    const tn_param *params; // may be NULL
    int nparam;
    size_t size; // of the struct of parameters, at most sizeof(tn_own_values.at)
    void *user;  // comes back as `user`; may be NULL
} tn_own_kind;

// Forces ------------------------------------------------------------------------------------------

// A frame on a body as it moves in the inertial frame.
typedef struct tn_moving_frame {
    tn_frame x; // origin [m] and axes
    tn_twist V; // velocity of the origin [m/s] and angular velocity [rad/s], inertial axes
} tn_moving_frame;

// The location of a force element.
typedef struct tn_force_at {
    double t;             // [s]
    tn_moving_frame a, b; // the two frames of the element; a is the inertial frame where it has one
    double x, rate;       // of a law: its coordinate [m] or [rad], and the rate of that
    const void *params;   // the struct of parameters
    const double (*u)[3]; // functions of time among these, in the order of the table: u, u', u''
    void *user;
} tn_force_at;

// The load of a force element.
typedef struct tn_own_load {
    tn_wrench a, b;    // on the bodies at the origins of the frames, inertial axes [N], [N m]
    double energy;     // stored [J]
    double dissipated; // turned into heat [W]
    double supplied;   // put in from outside [W]
} tn_own_load;

// Derivatives of (force and moment on A, force and moment on B), 12 rows. The columns of K are
// shifts of the origin and turns of frame A, then of B, inertial axes: a turn dr changes axes by
// dr x axis. Those of D are the velocities in the same order.
typedef struct tn_own_tangent {
    double K[12][12], D[12][12];
} tn_own_tangent;

// A force or torque along a coordinate, whose power is force times rate.
typedef struct tn_own_law {
    double force;                        // [N] or [N m], positive where it pushes x up
    double by_x, by_rate;                // its derivatives
    double elastic, elastic_by_x;        // its part -dV/dx with a potential V, and the derivative
    double energy, dissipated, supplied; // V and powers as in tn_own_load
} tn_own_law;

// The bodies between which a force element acts.
typedef enum tn_own_place {
    TN_OWN_PAIR,   // two bodies; a law acts along the distance of the origins of both frames
    TN_OWN_SINGLE, // body B alone, from outside
    TN_OWN_JOINT   // a joint coordinate; laws only
} tn_own_place;

// A kind of force: either `eval` or `law` is given.
typedef struct tn_own_force {
    tn_own_kind kind;
    tn_own_place place;
    bool turns;    // it needs the orientation of its bodies: not for point masses
    bool energies; // energy and powers are filled in; else all its power counts as supplied
    bool derives;  // of a law: derivatives are filled in; else they are formed by differences
    // Everything in *out is zero before the call, here and below.
    void (*eval)(const tn_force_at *at, tn_own_load *out);
    void (*tangent)(const tn_force_at *at, tn_own_tangent *out); // of eval; NULL: by differences
    void (*law)(const tn_force_at *at, tn_own_law *out);
} tn_own_force;

// Adds a kind of force; *out (may be NULL) is for tn_default_force. TN_ERR_USAGE with a sentence
// where the table is incomplete or the name is taken.
TN_API tn_status tn_add_force_kind(const tn_own_force *force, tn_force_kind *out);

// Joints ------------------------------------------------------------------------------------------

// The poses of the two frames of a joint, in the inertial frame.
typedef struct tn_joint_at {
    tn_frame a, b; // [m]; axes are orthonormal in all coordinates
    const void *params;
    void *user;
} tn_joint_at;

// The name of a row or a coordinate, and its unit: "m", or "rad" for all without a length.
typedef struct tn_own_row {
    const char *name;
    const char *unit;
} tn_own_row;

// A kind of joint: rows that are zero on it, functions of two frames. Rows must be independent, and
// should depend on where B is seen from A alone: then the joint exerts no force on both together.
// In director coordinates discrete derivatives are made of values and gradients.
//
// Functions are numbered: rows, then coordinates, which drives, springs and read-out use. A
// coordinate in rad may jump by whole turns, which are counted.
typedef struct tn_own_joint {
    tn_own_kind kind; // functions of time are not for joints: a drive moves a coordinate
    int nrow;         // 1 to 6
    const tn_own_row *rows;
    int ncoord; // 0 to 3
    const tn_own_row *coords;
    double (*value)(const tn_joint_at *at, int i);
    // Its derivatives G by the 12 variations of tn_own_tangent, and H = dG/d(variation), which is
    // not symmetric as turns do not commute; all zero before the call. NULL: by differences.
    void (*gradient)(const tn_joint_at *at, int i, double G[12]);
    void (*hessian)(const tn_joint_at *at, int i, double H[12][12]);
    // The motion, or NULL: in joint coordinates the joint then closes a loop, and it does not start
    // at rest by itself: velocities of its bodies are those stated, or zero, as near as rows allow.
    // The placement of frame B in frame A is a chain of 6 - nrow turns, slides or screws about axes
    // that each one holds, in the order of q (at->a and at->b are not set here). The coordinates
    // find q again.
    tn_frame (*placement)(const tn_joint_at *at, const double *q);
} tn_own_joint;

// Adds a kind of joint; *out (may be NULL) is for tn_default_joint. Fails as tn_add_force_kind.
TN_API tn_status tn_add_joint_kind(const tn_own_joint *joint, tn_joint_kind *out);

// Functions of time -------------------------------------------------------------------------------

// The time at which a function is asked for.
typedef struct tn_function_at {
    double t; // [s]
    const void *params;
    void *user;
} tn_function_at;

// A kind of function of time, smooth from one discontinuity to the next. Model files write {kind:
// NAME, parameter: value, …} where a function may stand.
typedef struct tn_own_function {
    tn_own_kind kind; // without functions of time
    double (*value)(const tn_function_at *at);
    void (*derivatives)(const tn_function_at *at, double u[2]); // u', u''; NULL: by differences
    // Near a discontinuity a function is evaluated 1e-11 of the time before it and after it.
    double (*next_kink)(const tn_function_at *at); // first after at->t, INFINITY; NULL: none at all
} tn_own_function;

// Adds a kind of function; *out (may be NULL) is for `kind` of tn_function. Fails as
// tn_add_force_kind.
TN_API tn_status tn_add_function_kind(const tn_own_function *function, int *out);

// Checks ------------------------------------------------------------------------------------------

// Compares what a user-defined kind gives with differences, at random places with parameters
// `params` (NULL: the defaults of its table): tangents, gradients and second derivatives, energies
// with powers, motions with rows. TN_ERR_MODEL with the number that differs, the given one and that
// of differences; TN_ERR_USAGE where there is no user-defined kind of that name. Any thread may
// call it. Simulations do the same but for energies, to three digits and where elements of the kind
// start, when they are created: they fail where a given derivative is wrong there.
TN_API tn_status tn_check_kind(const char *name, const void *params);

// Shared objects ----------------------------------------------------------------------------------

// The version that a shared object and the library must have in common.
#define TN_PLUGIN_VERSION (100 * TN_VERSION_MAJOR + TN_VERSION_MINOR)

// The one function that a shared object must have returns this,
//
//     TN_API const tn_plugin *tenon_plugin(void);
//
// If the version is right, `add` is called once in a process. Shared objects stay loaded.
typedef struct tn_plugin {
    int version;            // TN_PLUGIN_VERSION
    tn_status (*add)(void); // adds the kinds
} tn_plugin;

// Allows model files read from now on to load the shared objects that they name under `plugins`:
// their code runs in this process. false at first, and files with that key are refused. One switch
// for the process; any thread may set it.
TN_API void tn_plugin_allow(bool allow);
// Loads a shared object by its path, and adds its kinds; once is enough. Needs no permission.
// TN_ERR_FILE with a sentence where it cannot be loaded, has no function tenon_plugin, is of
// another version or cannot add its kinds. Any thread may call it.
TN_API tn_status tn_plugin_load(const char *path);
