// SPDX-License-Identifier: MIT
//
// Small motions about an equilibrium or a steady motion (equilibrium.h), as a dense state space
//
//   x' = A x + B u
//
// in a minimal set of states x that have names: independent coordinates y of joints and bodies,
// their rates z = y', and states c of the model. See docs/theory/linearisation.md.
//
// Motions of the bodies are G y with B G = 0 (holonomic rows). There remain the equations
//
//   M y'' + D y' + K y + F e + H eta = U u          e = (c, w)
//   N y' + Z y + P e = W u                          rows of velocities
//   (c', 0) = Q y + V y' + E e + X eta + R u        X: what rates depend on by reactions
//
// in which some of e, eta and of the motions may be without rates of their own. They are eliminated
// one after the other by orthogonal transformations [Lue77].

#pragma once

#include "analysis/equilibrium.h"

// The matrices above, column major; `ne` extra variables, `nn` active rows of velocities.
typedef struct tn_reduced_motion {
    int n, nv, ne, nn, nu;
    double *M, *D, *K;     // n x n
    double *F, *H, *U;     // n x ne, n x nn, n x nu
    double *N, *Z, *P, *W; // nn x n, nn x n, nn x ne, nn x nu
    double *Q, *V, *E;     // ne x n, ne x n, ne x ne
    double *X, *R;         // ne x nn, ne x nu
    double *Ma;            // ne x n: what rates depend on by accelerations, through reactions
    double *push;          // nv x nu: the residual by inputs
    void *block;
} tn_reduced_motion;

typedef enum tn_state_kind { TN_STATE_POSITION, TN_STATE_RATE, TN_STATE_EXTRA } tn_state_kind;

typedef struct tn_linear_state {
    tn_state_kind kind;
    int index;  // of y, z or e
    bool jumps; // inputs move it at once: the state is what remains without that
} tn_linear_state;

// A coordinate y.
typedef struct tn_linear_coordinate {
    char *name;       // "hinge.angle", "plate.position.x", "plate.turn.z"
    double unit;      // in SI units
    const char *text; // "m" or "rad"
} tn_linear_coordinate;

typedef struct tn_linear_motion {
    tn_equilibrium *s;
    int n1;    // coordinates y
    double *G; // nv x n1
    tn_linear_coordinate *coordinate;
    int nu;
    const int *input; // of the model
    tn_reduced_motion m;
    int n; // states
    tn_linear_state *state;
    double *A, *B; // n x n, n x nu; in units of the model
    // All of (y, z, e, eta) by states and inputs: nall x n, nall x nu.
    int nall;
    double *T, *S;
    struct tn_linear_loads *loads; // once multipliers are asked for
} tn_linear_motion;

// Variation of all that the state determines; in units of the model.
typedef struct tn_linear_variation {
    double *x, *v, *a, *lambda, *eta, *e; // nv three times, ng, nn, ne
    double force;                         // largest term of the linearised equations,
    double misfit;                        // and what they leave open, by it
} tn_linear_variation;

// At `now` of s, which must be an equilibrium or a steady motion; s is kept. Inputs are numbers of
// inputs of the model.
tn_status tn_linear_motion_create(tn_equilibrium *s, int nu, const int *input,
                                  tn_linear_motion **out);
void tn_linear_motion_destroy(tn_linear_motion *l); // NULL is fine

// A without its zero eigenvalues, m x m, in units of the model; `A` has room for n x n. Not `sure`
// where slow motions beside stiff ones are as small as round-off: zeros may be left then.
tn_status tn_linear_rest(const tn_linear_motion *l, double *A, int *m, bool *sure);
// The unit of a state in SI units.
double tn_linear_state_unit(const tn_linear_motion *l, int i);
// Motion of bodies (nv) by states.
void tn_linear_motion_at(const tn_linear_motion *l, const double *state, double *x);

// The whole variation, by the linearised equations where s has them last: at the point, or further
// on along a steady motion, to which x, v and a are carried (t).
tn_status tn_linear_vary(tn_linear_motion *l, const double *state, const double *u, double t,
                         tn_linear_variation *out);
void tn_linear_forget_loads(tn_linear_motion *l); // s stands elsewhere

// The matrices for motions G y (nv x n; B G = 0) after tn_eq_linearise; tn_free block.
tn_status tn_reduce_motion(tn_equilibrium *s, int n, const double *G, int nu, const int *input,
                           tn_reduced_motion *out);

// Refuses inputs whose effect on the motions G changes along a steady motion; `here` is what
// tn_reduce_motion gave.
tn_status tn_eq_check_inputs(tn_equilibrium *s, const tn_reduced_motion *here, const double *G,
                             const int *input);

// Orthonormal motions that the holonomic rows allow, after tn_eq_linearise: nv x n; tn_free them.
tn_status tn_holonomic_motions(tn_equilibrium *s, const tn_point *at, double **G, int *n);

// Above these a state space is not formed.
enum { TN_LINEAR_MOST = 700, TN_LINEAR_MOST_VELOCITIES = 1500 };
