// SPDX-License-Identifier: MIT
//
// What the files of equilibrium share: equilibrium.c (creation and read-out),
// equilibrium_equations.c (the equations and their matrix), equilibrium_load.c (loads and trim),
// equilibrium_search.c (one equilibrium), equilibrium_path.c (one after the other),
// equilibrium_stability.c and equilibrium_large.c. See docs/theory/equilibrium.md.
//
// Unknowns are z = (q, lambda, eta, e, p), p being load factor or trimmed inputs, and rows
//
//   r = M a - f + B^T lambda + N^T eta = 0     v, a: of the steady rotation, or zero
//   g = 0,  N dq = 0                           rows of velocities are followed from the start on
//   d = 0,  b = 0,  h = 0                      states stand still
//   border                                     one row for each p
//
// with the matrix, in left-trivialised increments of q,
//
//   ( K' + s M   B^T + FL   N^T + FN   FE         P_1 )      K' = K + D V + M A
//   ( B          0          0          GE         P_2 )      V = dv/dq, A = da/dq of the rotation
//   ( N          0          0          0          0   )
//   ( EQ         EL         EN         EE - s_c   P_3 )      P = d(rows)/dp
//   ( Q          0          0          0          S   )
//
// s = 1/h^2 is that of an implicit Euler step h from rest: large, it goes along the accelerations,
// small, it is Newton's method.

#pragma once

#include "analysis/start.h"
#include "formulation/basis.h"
#include "linalg/solver.h"
#include "model/model.h"
#include "tenon/equilibrium.h"

typedef struct eq_state {
    double *q, *lambda, *eta, *e, *r, *p; // nq, ng, nn, ne, nr, np
} eq_state;

// A function of a force that the load factor scales.
typedef struct eq_scaled {
    int force, function;
    tn_timefn *own;  // of the force
    tn_timefn *live; // in its place
} eq_scaled;

// A coordinate of a joint, or of the origin of a body, that trim holds.
typedef struct eq_output {
    int joint;      // -1: of a body
    int body;       // otherwise
    int coordinate; // of the joint, or 0 to 2 for x to z
    double value;   // in units of the model
    double unit;    // of these in SI units
    const char *unit_name;
    char name[200]; // "joint 'pin', angle", for messages
} eq_output;

enum { EQ_MOST_TRIM = 16 };

// What the rows of the border ask for.
typedef enum eq_border {
    EQ_LOAD, // p stays as it is
    EQ_ARC,  // the increment is across the tangent
    EQ_TRIM  // outputs have their values
} eq_border;

struct tn_equilibrium {
    tn_model *model; // in units of its own size; what is read out is in SI units
    const tn_model *given;
    tn_start start; // owns the system; its state is that of the start
    tn_system *sys;
    tn_equilibrium_options options;
    tn_equilibrium_facts facts;

    // Loads and trim (equilibrium_load.c).
    tn_vec3 gravity;
    int nscaled;
    eq_scaled *scaled;
    int load_input;      // -1: gravity and forces
    double load_nominal; // of that input
    int ntrim;
    int trim_input[EQ_MOST_TRIM];
    eq_output output[EQ_MOST_TRIM];
    double load;  // factor at present, where it is no unknown
    bool by_load; // p is the load factor

    // The equations (equilibrium_equations.c).
    tn_vec3 spin, about; // in units of the model
    int np, n0, n;       // unknowns p, all others, all
    eq_border border;
    tn_sparse *P, *Q, *S;
    tn_composition matrix;
    tn_solver *solver;
    const int *active;    // ng + nn: rows that take part
    bool *turns;          // nv
    bool by_rank;         // the last factors were singular
    double shift;         // s of the matrix as last formed
    double extent;        // of the mechanism at its start, not below 1
    double *spun, *moved; // values of D V in the pattern of D, of M A in that of M
    double *v, *a;        // nv: of the rotation
    double *shared;       // ng + nn: multipliers of minimum norm, when it was found
    double *rows, *step, *other, *tangent, *tried; // n each
    double *force, *force1;                        // nv: f - M a
    double *y, *y1;                                // nv

    eq_state now, next, kept;
    eq_state first, last; // of one search
    char softest[160];    // the motion that is driven back least, "" where it is not known
    tn_basis *basis;      // NULL where the mechanism is too large for it

    // The path: rows of ncolumn values.
    int ncolumn, nrow, room;
    char **names;
    const char **units;
    double *values;
    void *block;
};

// The point of a state, with velocities and accelerations of the rotation there.
tn_point tn_eq_point(tn_equilibrium *s, const eq_state *x);
void tn_eq_copy(const tn_equilibrium *s, const eq_state *from, eq_state *to);

// Loads and trim.
tn_status tn_eq_open_loads(tn_equilibrium *s);
void tn_eq_close_loads(tn_equilibrium *s);
void tn_eq_set_unknowns(tn_equilibrium *s, const double *p); // puts p into the model
void tn_eq_set_load(tn_equilibrium *s, double load);
void tn_eq_trim_rows(tn_equilibrium *s, const tn_point *at, double *rows, double *Q);

// Equations. `open` makes the matrix for np unknowns p.
tn_status tn_eq_open(tn_equilibrium *s);
void tn_eq_close(tn_equilibrium *s);
tn_status tn_eq_rows(tn_equilibrium *s, const eq_state *x, double *rows); // leaves f - M a in force
tn_status tn_eq_linearise(tn_equilibrium *s, const eq_state *x);          // K', B, …, P
tn_status tn_eq_factor(tn_equilibrium *s, double shift); // of the last linearisation
tn_status tn_eq_solve(tn_equilibrium *s, double *b);
void tn_eq_times_stiffness(tn_equilibrium *s, const double *x, double *y); // y = K' x
// next = now + scale step; a positive status where an angle goes too far.
tn_status tn_eq_advance(tn_equilibrium *s, double scale, const double *step);
void tn_eq_accept(tn_equilibrium *s); // next becomes now

// One equilibrium near `now`: stable where possible, or the nearest by Newton's method alone.
// A positive status: there is none that could be found; tn_eq_fail_search says why.
tn_status tn_eq_settle(tn_equilibrium *s);
tn_status tn_eq_newton(tn_equilibrium *s, int most, int *count);
tn_status tn_eq_fail_search(tn_equilibrium *s, const char *where);

// Stability of `now` into the facts; `direction` (nv, or NULL) receives the motion that is named.
tn_status tn_eq_judge(tn_equilibrium *s, double *direction);
tn_status tn_eq_judge_large(tn_equilibrium *s, double *direction); // equilibrium_large.c
// "joint 'pin', angle" for a motion x (nv).
void tn_eq_name(tn_equilibrium *s, const double *x, char *text, size_t size);

// The whole path of loads, and a row of it.
tn_status tn_eq_follow(tn_equilibrium *s);
tn_status tn_eq_open_path(tn_equilibrium *s);
tn_status tn_eq_add_row(tn_equilibrium *s, bool limit);
