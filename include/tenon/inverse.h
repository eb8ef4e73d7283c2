// SPDX-License-Identifier: MIT
//
// Inverse dynamics: finds the forces of the motors that move a mechanism along given motions, for
// trees and for closed loops.
//
//     tn_inverse_options options = tn_default_inverse();
//     tn_inverse *inverse = NULL;
//     tn_status s = tn_inverse_create(model, &options, &inverse);
//     for (int k = 0; s == TN_OK && k <= 100; k++)
//         if ((s = tn_inverse_move(inverse, 0.01 * k)) == TN_OK)
//             printf("%g N m\n", tn_inverse_motor(inverse, 0).effort);
//     tn_inverse_destroy(inverse);
//
// The drives of the model and the motions of the options move the mechanism; together they must
// leave no freedom. Forces of the model (springs, dampers, outer forces, motors that are not named
// below) act as they do in a simulation.
//
// The model is kept alive. An object here belongs to one thread at a time; functions of a const one
// may be called at the same time as long as none of the others is.

#pragma once

#include "tenon/base.h"
#include "tenon/io.h"
#include "tenon/model.h"
#include "tenon/sim.h"

// A mechanism on a given motion, with the forces that this takes; tn_inverse_destroy it.
typedef struct tn_inverse tn_inverse;

// A coordinate of a joint that follows a function of time, beside the drives of the model.
typedef struct tn_motion {
    tn_joint joint;
    int coordinate;
    tn_function motion; // [rad] or [m]
} tn_motion;

// The location of a motor: a coordinate of a joint, or the place of a motor of the model, whose
// effort is then computed instead of taken.
typedef struct tn_motor {
    tn_joint joint;
    int coordinate;
    tn_force force; // a motor of the model, the joint is then of no effect; index -1 for none
} tn_motor;

// The motions to follow, and the motors.
typedef struct tn_inverse_options {
    tn_sim_options start; // t_start, rotation and assembly_tol are used
    int nmotion;
    const tn_motion *motions; // read while the inverse is created
    int nmotor;               // 0: a motor in every drive and every motion
    const tn_motor *motors;
    // Allowed error of motions that are more than the freedoms and contradict each other [sizes of
    // the model, rad]; the mechanism goes between them, by least squares. As a part of the loads it
    // is the allowed error along motions that fewer motors than freedoms miss.
    double tolerance;
} tn_inverse_options;

// No motions beside the drives of the model, and a motor in each of these.
TN_API tn_inverse_options tn_default_inverse(void);

// Assembles the model, moves it to the begin of the motions and solves there. Refuses a mechanism
// with freedoms that nothing drives, with the name of one.
TN_API tn_status tn_inverse_create(const tn_model *model, const tn_inverse_options *options,
                                   tn_inverse **out);
TN_API void tn_inverse_destroy(tn_inverse *inverse);

// Moves the mechanism to time t, in steps that it chooses so that no other way to assemble it is
// taken by accident, and finds the forces there. Nothing is allocated unless it fails. Refused,
// with time and name: motions that cannot be followed, singular positions, forces that no motor can
// give.
TN_API tn_status tn_inverse_move(tn_inverse *inverse, double t);

// What holds at the present time -----------------------------------------------------------------

TN_API double tn_inverse_time(const tn_inverse *inverse); // [s]

// The effort and the motion of a motor at the current time.
typedef struct tn_motor_state {
    double effort;  // force or torque on the coordinate, positive in its direction [N, N m]
    double inertia; // of this, what the masses take: weights and other forces may balance it
    double rate;    // of the coordinate [m/s, rad/s]
    double power;   // put into the mechanism [W]
} tn_motor_state;

TN_API int tn_inverse_motor_count(const tn_inverse *inverse); // stated ones, or one per motion
TN_API const char *tn_inverse_motor_name(const tn_inverse *inverse, int motor); // "elbow.angle"
TN_API const char *tn_inverse_motor_unit(const tn_inverse *inverse, int motor); // "N" or "N m"
TN_API tn_motor_state tn_inverse_motor(const tn_inverse *inverse,
                                       int motor); // its effort and motion
// True if there are more motors than freedoms at the current position, so that the efforts are
// those of least norm among all that give the motion.
TN_API bool tn_inverse_is_least_norm(const tn_inverse *inverse);
TN_API int tn_inverse_freedoms(const tn_inverse *inverse);  // of the mechanism without its drives
TN_API double tn_inverse_missed(const tn_inverse *inverse); // of the motions, by how much [m, rad]
TN_API long tn_inverse_steps(const tn_inverse *inverse);    // so far, of the motion

// Coordinates of a joint with their rates and accelerations (each may be NULL); returns how many.
TN_API int tn_inverse_joint_coordinates(tn_inverse *inverse, tn_joint joint, double *q,
                                        double *rate, double *acceleration);
TN_API tn_frame tn_inverse_body_frame(tn_inverse *inverse, tn_body body);
// Force and torque on body B at the origin of its joint frame, inertial axes, without motors; of
// minimum norm where constraints repeat each other [N, N m].
TN_API tn_wrench tn_inverse_joint_reaction(tn_inverse *inverse, tn_joint joint);

// Energies and powers at the current time.
typedef struct tn_inverse_energy {
    double kinetic, potential; // [J]
    double motors;             // power of the motors [W]
    double supplied;           // power of outer forces and of other motors of the model [W]
    double dissipated;         // power turned into heat [W]
} tn_inverse_energy;

// Returns the energies and powers at the current time.
TN_API tn_inverse_energy tn_inverse_energies(const tn_inverse *inverse);

// Tables ------------------------------------------------------------------------------------------

// A whole motion: the mechanism is moved from row to row of a table, and the needs of its motors
// are summed up.
typedef struct tn_inverse_table tn_inverse_table;

// The motion to follow, the motors, and the times of the rows.
typedef struct tn_inverse_table_options {
    const char *motion;     // motions of joint coordinates, FILE.csv; NULL for none
    const char *from;       // or the results of a run, whose motion is followed; NULL for none
    bool trust;             // results without checksums are read all the same
    const char *model_path; // compared with the model of those results; NULL: not compared
    const char *motors;     // "A,screw.angle": joints, coordinates, drives or motors; NULL: all
    double t_start, t_end;  // [s]; NAN: those of the motion, else of the defaults
    double output;          // time between rows [s]; NAN: that of the defaults, 0: 200 rows
    double tolerance;       // see tn_inverse_options; NAN: 1e-6, for results 1e-3
    const char *bounds;     // of the verdict, "spacing<1e-3,work<1e-2"; NULL: 1e-2 and 1e-3
    bool reactions;         // columns for forces and torques in joints
    const char *out;        // the file of the table, checked beforehand; may be NULL
    bool replace;           // an existing file
    tn_teller teller;
} tn_inverse_table_options;

// A column of the table.
typedef struct tn_inverse_column {
    const char *name; // "elbow.effort"
    const char *unit; // "N m"
} tn_inverse_column;

// The largest needs of a motor over the whole motion.
typedef struct tn_motor_summary {
    const char *name, *unit;                        // as tn_inverse_motor_name and _unit
    double max_effort, max_effort_time, rms_effort; // largest by absolute value, when [s]
    double max_power, max_power_time, rms_power;    // [W]
    double work;                                    // done in all [J]
    double unsure; // by how much, where rules for its integral disagree [J]
} tn_motor_summary;

// Facts of a table. Values of least norm: at some time there were more motors than freedoms.
typedef struct tn_inverse_facts {
    double from, to; // [s]
    int freedoms;    // of the mechanism without its drives
    int rows, ncolumn, nmotor;
    const tn_inverse_column *columns;
    const double *values; // rows x ncolumn, row by row
    const tn_motor_summary *motors;
    bool least_norm;
    double missed; // of the motions, by how much at most [m, rad]
    long steps;
} tn_inverse_facts;

// The drives of the model with a motor in each, at the times of the `simulate` block.
TN_API tn_inverse_table_options tn_default_inverse_table(void);
// Reads motions and motors and moves the mechanism to its first row. `defaults` is the `simulate`
// block of the model file; it and the model must outlive the table. On failure *out is NULL.
TN_API tn_status tn_inverse_table_create(const tn_model *model, const tn_simulate *defaults,
                                         const tn_inverse_table_options *options,
                                         tn_inverse_table **out);
TN_API void tn_inverse_table_destroy(tn_inverse_table *table); // NULL is fine
// Follows the motion to its end, once. A failure leaves the rows up to it.
TN_API tn_status tn_inverse_table_follow(tn_inverse_table *table);
// Facts of the rows so far; they live as long as the table.
TN_API const tn_inverse_facts *tn_inverse_table_facts(const tn_inverse_table *table);
// Errors of the efforts by the spacing of rows of a run (docs/guide/inverse.md has bounds and
// reasons); it lives as long as the table.
TN_API const tn_verdict *tn_inverse_table_verdict(const tn_inverse_table *table);
// Writes all rows, comma separated below a line of names and units; "-" is the standard output.
TN_API tn_status tn_inverse_table_write(const tn_inverse_table *table, const char *path);
