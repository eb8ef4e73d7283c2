// SPDX-License-Identifier: MIT
//
// Shared parts of the files of inverse dynamics: inverse.c (creation and read-out), inverse_move.c
// (the motion), inverse_force.c (the motors).
//
// The rows of the system are passive rows B_p, which every joint has, and those of drives. With a
// basis Gamma of the motions that the passive rows allow every solution of
//
//   B_p x = c_p,  D x = c_d       is       x = x_p + Gamma e,   (D Gamma) e = c_d - D x_p
//
// D being the gradients of drives and of coordinates that follow a motion. D Gamma is as small as
// the mechanism has freedoms.

#pragma once

#include "analysis/reduced.h"
#include "model/model.h"
#include "motion/basis.h"
#include "start/start.h"
#include "system/absolute.h"
#include "tenon/inverse.h"

// A row that moves the mechanism: of a drive of the model, or of a coordinate that follows u(t).
typedef struct inv_driven {
    int row; // of the system; -1 for a coordinate
    int joint, coordinate;
    tn_timefn *stated, *u; // in SI units, and in those of the model
    double offset;         // what is added to u while the begin of the motions is approached
} inv_driven;

typedef struct inv_motor {
    char *name;
    const char *unit;
    int row;               // of a pose drive; -1 for a coordinate
    double sign;           // of that row, so that efforts are positive along and about the axes
    int joint, coordinate; // otherwise
    int force;             // of the model, whose effort this one replaces; -1 for none
    double given;          // that effort at the current point
    tn_motor_state now;
} inv_motor;

struct tn_inverse {
    tn_model *model; // in units of its own size; what is read out is in SI units
    tn_start start;  // owns the system, and its state x is the current one
    tn_system *sys;
    tn_basis *basis; // of the passive rows of positions
    tn_basis *loads; // with rows of velocities alone, which push as well; `basis` where none are
    double tolerance, assembly_tol;
    bool impulses; // some drive may jump in velocity
    int nf, ndriven, nmotor;
    int nl; // freedoms of `loads`
    inv_driven *driven;
    inv_motor *motor;
    int *passive;   // ng + nn: 1 for passive rows of positions
    int *driven_of; // ng: which driven row it is, -1 for passive rows

    double h;      // the step that worked last, 0 for none [s]
    double missed; // largest |D row| of the current position [m, rad]
    long steps;
    tn_energy energy;

    tn_reduced drives, motors;
    double *D;                             // nv x ndriven: gradients of driven rows
    double *A;                             // nv x nmotor: gradients of motors
    double *q1, *q2, *v1, *dx, *rest, *r1; // nq, nq, nv, nv, nv (zero), nr
    double *cp, *cd, *distance;            // ng, ndriven, ndriven
    double *multipliers;                   // ng + nn
    double *e, *effort;                    // nf, nmotor
    double *force, *rho;                   // nv, nf
    void *block;
};

// Moves to time t (inverse_move.c); `approach` first to the begin of the motions.
tn_status tn_inverse_approach(tn_inverse *s);
tn_status tn_inverse_follow(tn_inverse *s, double t);
// B_p, Gamma and D at a point. TN_RETRY_SINGULAR where rows have lost rank.
tn_status tn_inverse_linearise(tn_inverse *s, const tn_point *at);
// Motors at the current state (inverse_force.c).
tn_status tn_inverse_forces(tn_inverse *s);

// "joint 'elbow', angle," for the coordinate that the motion x (nv) changes fastest, or
// "body 'rod', x," where no joint measures it. Returns its rate in this motion, in SI units.
double tn_inverse_name_motion(const tn_inverse *s, const double *x, char *text, size_t size);
void tn_inverse_name_driven(const tn_inverse *s, int driven, char *text, size_t size);
double tn_inverse_driven_unit(const tn_inverse *s,
                              int driven); // what one unit of it is in SI units
// x = Gamma e
void tn_inverse_motion_of(const tn_inverse *s, const tn_basis *of, const double *e, double *x);
