// SPDX-License-Identifier: MIT
//
// The options of a simulation as one table: name, default, range, choices, help and who reads each.
// Keys of model files, options of commands, checks, help, schema and completion follow from it.
// Integrators and formulations list by name the options that they read (start/method.h).

#pragma once

#include "tenon/io.h"
#include "text/param.h"

// The member `readers` of a row.
typedef enum tn_readers {
    TN_READ_ALWAYS = 1,  // every method
    TN_READ_CONTROL,     // error-controlled steps
    TN_READ_INTEGRATOR,  // integrators that list it
    TN_READ_FORMULATION, // formulations that list it
    TN_READ_BOTH,        // integrators and formulations that list it, together
    TN_READ_PROJECTION,  // methods with +project
    TN_READ_DRIFT,       // formulations that do not enforce B v + g_t = 0
    TN_READ_TURNING,     // coordinates that hold rotations in space
    TN_READ_EULER,       // rotations in Euler angles
    TN_READ_QUATERNION,  // rotations in quaternions, by methods that see the equations as a whole
} tn_readers;

// Ways to find a null space, one line each: KIND(svd, "svd") is tn_basis_svd. The first is that of
// "auto": on linkages and chains of 9 to 120 velocities an evaluation of nullspace by lu takes a
// third to a half of the time by qr, and a tenth of that by svd.
#define TN_BASES(KIND)                 \
    KIND(lu, "lu")                     \
    KIND(qr, "qr")                     \
    KIND(svd, "svd")                   \
    KIND(gram_schmidt, "gram-schmidt") \
    KIND(natural, "natural")           \
    KIND(zero_eigenvalue, "zero-eigenvalue")

extern const char *const tn_basis_names[]; // "auto", "lu", "qr", …, NULL at the end

extern const tn_param tn_simulate_params[]; // of tn_simulate, which begins with tn_sim_options
extern const int tn_simulate_param_count;
tn_simulate tn_default_simulate(void);
// Values of the option euler_sequence: "auto", then in the order in which auto tries them; NULL.
extern const char *const tn_euler_choices[];

// Ranges and choices of the table, and the rules between options: TN_ERR_USAGE with a sentence. The
// names in `method` and `bounds` are checked by those who know them.
tn_status tn_options_check(const tn_sim_options *options);

// A file or a command line states row `param` of the table. From then on only such rows count as
// stated; before, those do that differ from the defaults.
void tn_options_state(tn_sim_options *options, int param, bool in_file);
void tn_options_forget(tn_sim_options *options);                     // nothing is stated
unsigned long long tn_options_stated(const tn_sim_options *options); // bit k: row k of the table
