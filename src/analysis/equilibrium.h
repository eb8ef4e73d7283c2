// SPDX-License-Identifier: MIT
//
// Shared parts of the files of equilibrium: equilibrium.c (creation and read-out),
// equilibrium_equations.c (the equations and their matrix), equilibrium_load.c (loads and trim),
// equilibrium_search.c (one equilibrium), equilibrium_path.c (one after the other),
// equilibrium_motion.c (steady motions that are stated), equilibrium_stability.c,
// equilibrium_large.c and equilibrium_sides.c (discontinuities). See docs/theory/equilibrium.md.
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

#include "linalg/solver.h"
#include "model/model.h"
#include "motion/basis.h"
#include "start/start.h"
#include "system/absolute.h"
#include "tenon/equilibrium.h"
#include "text/notes.h"

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

// Conditions of the rows of the border.
typedef enum eq_border {
    EQ_LOAD, // p stays as it is
    EQ_ARC,  // the increment is across the tangent
    EQ_TRIM  // outputs have their values
} eq_border;

// Purpose of an object, beside its options.
typedef struct tn_eq_purpose {
    bool as_stated; // about the start of the model with its velocities: tn_eq_take_motion
    double faster;  //   these times this factor
    const tn_saved_state *state; // in the place of the start, or NULL
    bool hold_sampled;           // sampled systems hold their values; otherwise they are refused
    bool unjudged;               // stability of the nearest equilibrium is left open
    const char *input;           // of the model, which has this value; NULL for none
    double value;
} tn_eq_purpose;

struct tn_equilibrium {
    tn_model *model; // in units of its own size; what is read out is in SI units
    const tn_model *given;
    tn_start start; // owns the system; its state is that of the start
    tn_system *sys;
    tn_equilibrium_options options;
    tn_eq_purpose purpose;
    tn_equilibrium_facts facts;
    tn_verdict verdict; // on what was found, and on what modes and linear models make of it
    tn_unsure unsure;   // of differences, where derivatives were formed last

    // Loads and trim (equilibrium_load.c).
    tn_vec3 gravity;
    int nscaled;
    eq_scaled *scaled;
    int load_input;      // -1: gravity and forces
    double load_nominal; // of that input
    int ntrim;
    int trim_input[EQ_MOST_TRIM];
    eq_output output[EQ_MOST_TRIM];
    double load;  // factor now, where it is no unknown
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
    double force_unit;    // of its force rows and multipliers
    double extent;        // of the mechanism at its start, not below 1
    double *spun, *moved; // values of D V in the pattern of D, of M A in that of M
    double *v, *a;        // nv: of the steady motion
    const double *beside; // nv: velocities beside it, NULL for none
    struct tn_eq_sides *sides;
    bool as_stated;          // v and a are those of a state that was given, not of `spin` alone
    tn_vec3 *own_spin;       // ngroup: of bodies beside `spin`, body axes
    const double *linear_at; // q of the last linearisation
    double *shared;          // ng + nn: multipliers of minimum norm, when it was found
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

tn_status tn_eq_create(const tn_model *model, const tn_equilibrium_options *options,
                       const tn_eq_purpose *purpose, tn_equilibrium **out);
// Instead of a search: the motion of the start, which must be steady (equilibrium_motion.c). Leaves
// the point in `now`, and frames of the motion for variations.
tn_status tn_eq_take_motion(tn_equilibrium *s);
// Discontinuities at `now`, about which nothing is linear, into the verdict; then the facts of
// stability are those of the less stable mode (equilibrium_sides.c). The point is in that mode,
// slightly aside, or comes back; where there is no discontinuity it stays.
tn_status tn_eq_judge_sides(tn_equilibrium *s);
tn_status tn_eq_stand_aside(tn_equilibrium *s, bool aside);
void tn_eq_close_sides(tn_equilibrium *s);
// Measures the growth of an unstable motion, of the worse mode, if matrices are small; the check of
// stability goes by stiffness and mass.
void tn_eq_measure_growth(tn_equilibrium *s);
// Position and velocity after a time of steady motion, and a variation x that its frames carry on;
// a time in which something turns or goes by `part` [rad, sizes of the model].
void tn_eq_moved_on(const tn_equilibrium *s, double t, double *q, double *v);
void tn_eq_carry(const tn_equilibrium *s, double t, const double *x, double *to);
double tn_eq_time_of(const tn_equilibrium *s, double part);
// Does something where the motion is after a time, with the matrices of that place, which stay.
typedef tn_status tn_eq_deed(tn_equilibrium *s, double t, void *user);
tn_status tn_eq_do_later(tn_equilibrium *s, double t, tn_eq_deed *deed, void *user);

// Steady rotation that was found goes on: its forces and constraints hold it further on, too.
// With `constant` its linear motion must be the same there.
tn_status tn_eq_check_rotation(tn_equilibrium *s, bool constant);

// The point of a state, with velocities and accelerations of the rotation there.
tn_point tn_eq_point(tn_equilibrium *s, const eq_state *x);
void tn_eq_copy(const tn_equilibrium *s, const eq_state *from, eq_state *to);

// Loads and trim.
tn_status tn_eq_open_loads(tn_equilibrium *s);
void tn_eq_close_loads(tn_equilibrium *s);
tn_status tn_eq_hold_input(tn_equilibrium *s); // that of the purpose, once the start is made
void tn_eq_set_unknowns(tn_equilibrium *s, const double *p); // puts p into the model
void tn_eq_set_load(tn_equilibrium *s, double load);
void tn_eq_put_input(tn_equilibrium *s, int input, double value);
void tn_eq_trim_rows(tn_equilibrium *s, const tn_point *at, double *rows, double *Q);

// Equations. `open` makes the matrix for np unknowns p.
tn_status tn_eq_open(tn_equilibrium *s);
void tn_eq_close(tn_equilibrium *s);
tn_status tn_eq_rows(tn_equilibrium *s, const eq_state *x, double *rows); // leaves f - M a in force
tn_status tn_eq_linearise(tn_equilibrium *s, const eq_state *x);          // K', B, …, P
tn_status tn_eq_factor(tn_equilibrium *s, double shift); // of the last linearisation
// The same with K' + c D' + c^2 M in the place of K' + s M, for motions exp(c t) x.
tn_status tn_eq_factor_exponent(tn_equilibrium *s, double c);
tn_status tn_eq_solve(tn_equilibrium *s, double *b);
// With the last linearisation, in the frames of a steady motion: y = K' x, y = D' x = (D + M G) x,
// y = M x, and the part V x of variations of velocities.
// With the last factors: x = P^-1 b for a force b (nv; x may be b), and whether K' is symmetric on
// two motions that the constraints allow, to a relative tolerance.
tn_status tn_eq_solve_motion(tn_equilibrium *s, const double *b, double *x);
tn_status tn_eq_find_symmetry(tn_equilibrium *s, double tol, bool *out);
void tn_eq_times_stiffness(tn_equilibrium *s, const double *x, double *y);
void tn_eq_times_damping(tn_equilibrium *s, const double *x, double *y);
void tn_eq_times_mass(tn_equilibrium *s, const double *x, double *y);
void tn_eq_velocity_of(tn_equilibrium *s, const double *x, double *y);
// The part A x + G x' of variations of accelerations.
void tn_eq_acceleration_of(tn_equilibrium *s, const double *x, const double *rate, double *y);
bool tn_eq_moves(const tn_equilibrium *s); // steadily

// Amplitudes of modal bodies are seen from frames that turn along.
static inline bool tn_eq_is_amplitude(const tn_group *group)
{
    return group->kind == TN_GROUP_R && group->nv == 1;
}

// next = now + scale step; a positive status where an angle goes too far.
tn_status tn_eq_advance(tn_equilibrium *s, double scale, const double *step);
void tn_eq_accept(tn_equilibrium *s); // next becomes now

// One equilibrium near `now`: stable where possible, or the nearest by Newton's method alone.
// A positive status: there is none that could be found; tn_eq_fail_search says why.
tn_status tn_eq_settle(tn_equilibrium *s);
tn_status tn_eq_newton(tn_equilibrium *s, int most, int *count);
tn_status tn_eq_fail_search(tn_equilibrium *s, const char *where);

// out = G^T X G (n x n) for G of nv x n, `times` giving X x. Leaves y1 changed.
typedef void tn_eq_times(tn_equilibrium *s, const double *x, double *y);
void tn_eq_reduce(tn_equilibrium *s, int n, double *G, tn_eq_times *times, double *out);
double tn_eq_asymmetry(int n, double *A);            // largest of A - A^T by the largest of A
void tn_eq_keep_part(int n, double sign, double *A); // A becomes (A + sign A^T) / 2
// Orthonormal motions x = G y that the constraints allow, at the last linearisation of `now`:
// nv x n; tn_free them.
tn_status tn_eq_motions(tn_equilibrium *s, double **G, int *n);
void tn_eq_orthonormalise(int nv, int n, double *G); // independent columns
// Stability of `now` into the facts; `direction` (nv, or NULL) receives the motion that is named.
tn_status tn_eq_judge(tn_equilibrium *s, double *direction);
tn_status tn_eq_judge_large(tn_equilibrium *s, double *direction); // equilibrium_large.c
// "joint 'pin', angle" for a motion x (nv).
void tn_eq_name(tn_equilibrium *s, const double *x, char *text, size_t size);

// The whole path of loads, and a row of it.
tn_status tn_eq_follow(tn_equilibrium *s);
tn_status tn_eq_open_path(tn_equilibrium *s);
tn_status tn_eq_add_row(tn_equilibrium *s, bool limit);
