// SPDX-License-Identifier: MIT
//
// Shared parts of integrators by a discrete principle: intervals of one length, each solved for
// u = (q1 - q0) / h and the impulse J of the constraints through the DISCRETE view,
//
//   b(u) + A^T J = 0,   g(t1, q1) = 0,   N u + n0 = 0 in the middle
//
// and an output state one interval behind, as what belongs to a node is known when both its
// intervals are. A principle is a table of functions; variational.c and energy_momentum.c have one
// each.

#pragma once

#include "integrator/integrator.h"

// An interval from a node, with the momentum p that it starts from.
typedef struct tn_march_interval {
    double t, h;
    const double *q, *p, *r;
    bool rows;       // block B is that of the node
    const double *e; // states and unknowns there
} tn_march_interval;

// Requested parts of the balance: b, also A, also the blocks of its derivative.
typedef enum tn_march_want { TN_MARCH_B, TN_MARCH_CARRIER, TN_MARCH_TANGENT } tn_march_want;

typedef struct tn_principle tn_principle;

typedef struct tn_march {
    tn_integrator base;
    const tn_principle *principle;
    bool ahead;     // u and p are those of the interval that begins at the output state
    double h;       // of that interval
    double *u, *u1; // of the intervals before and after the node that comes next     nv
    double *p;      // momentum that the next interval starts from                    nv
    double *v;      // velocity there, of principles that have it from the interval   nv
    // For rows, ng + nn: impulses of the constraints in the interval and the one before;
    // multipliers of the interval, for tangents, and of a node; what a projection takes away.
    double *J, *J0, *mean, *multiplier, *mu;
    double *y, *r;             // unknowns and residual                                          n
    double *b;                 // balance of momenta                                             nv
    double *change;            // nv
    double *u_guess, *J_guess; // predictions of the interval                         nv, rows
    double *mobility;          // 1 / M_ii, 0 where there is no inertia               nv
    double *q_mid, *q1;
    double *rest_v, *rest_lambda; // zeros, the latter for eta too
    double *gt;                   // rows
    tn_state from, to;            // ends of the last step, for dense output
    tn_solver *mass;              // factors of M, without coordinates that have no inertia;
    bool thin;                    //   there are such ones. NULL where M is singular beyond them
    int *inert;                   // which coordinates have inertia                  nv
    // States and unknowns of the model, march_states.c.
    double *e, *e1;    // in the middle and at the end of the interval                ne
    double *e_step;    //                                                             ne
    bool S_known;      // factors of S are there,
    double S_half, *S; //   for this h/2                                              ne x ne
    int *S_pivot;      //                                                             ne
    double *f_e, *e_u; // FE and de/du                                    nv x ne, ne x nv
    // Output at a node.
    double *node_p, *node_Qp, *reduced; // nv
    double *node_v;                     // nv: M^-1 p, or velocity of Qp
    double *f_d, *h_d, *h_Qp;           // ng
    // Bases of reduced momenta that may jump, see march_frame.c.
    int nloose;           // vectors; 0: none jumps
    bool framed;          // `frame` is that of a node
    double *axes, *frame; // P, and the one for output                      nv x nloose
    double *gram, *turn;  // P^T P, R                                         nloose^2
    double *unit;         // nv
    int *order;           // nloose
} tn_march;

struct tn_principle {
    bool at_node; // A is B at the node; else `balance` leaves it in block B, and `exact` is set
    // The iteration goes on until corrections are round-off of q, whatever newton_tol: energies are
    // as exact as u.
    bool exact;
    double share; // J = share h lambda for nodes that are not the first, where it is h lambda / 2
    tn_balance (*derivative)(double h);
    tn_status (*balance)(tn_march *s, tn_system *sys, const tn_march_interval *at, const double *u,
                         tn_march_want want); // at u
    // s->p, the momentum at the start of the interval, becomes that at its end; after `balance` at
    // the solution, with its J. It changes by what acts, and not by way of M u: u has the round-off
    // of q over h, which would pile up from one interval to the next.
    void (*momentum)(tn_march *s, tn_discrete *d, double h, const double *u);
    // v of the node that comes next, at which `next` begins; s->from is the node before. Where A is
    // B at the node, block B is left there.
    tn_status (*velocity)(tn_march *s, tn_stepper *stepper, const tn_march_interval *next,
                          double *v);
    // lambda of the first node (NULL: that of the state), and of one between two impulses.
    void (*first)(const tn_march *s, int rows, double h, double *lambda);
    void (*multipliers)(const tn_march *s, int rows, double h, double *lambda);
};

double tn_march_weight(const tn_integrator *self); // `share` of its principle

// Functions of tn_integrator_ops; `begin` of an integrator calls tn_march_begin.
void tn_march_begin(tn_integrator *self, const tn_principle *principle);
void tn_march_layout(tn_integrator *self, const tn_stepper *stepper, tn_carve *mem);
void tn_march_values(tn_integrator *self, tn_values *v);
tn_status tn_march_open(tn_integrator *self, tn_stepper *stepper);
void tn_march_close(tn_integrator *self);
tn_status tn_march_settle(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h);
tn_status tn_march_step(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h);
tn_status tn_march_interpolate(tn_integrator *self, tn_stepper *stepper, double t, tn_state *out);

tn_status tn_march_node(tn_integrator *self, tn_stepper *stepper, const tn_state *x,
                        tn_discrete_node *out); // march_node.c

// Entries that integrators of this kind share in their tables.
#define TN_MARCH_OPS                                                                      \
    .order = 2, .needs = TN_VIEW_DISCRETE, .linear_only = true, .size = sizeof(tn_march), \
    .layout = tn_march_layout, .values = tn_march_values, .open = tn_march_open,          \
    .close = tn_march_close, .settle = tn_march_settle, .step = tn_march_step,            \
    .interpolate = tn_march_interpolate, .node = tn_march_node

// States and unknowns over an interval, march_states.c: from those of its node on; the means that
// belong to u, in s->e; what the balance has by way of them, added to block D after an evaluation
// with tangents; those at the end, and those of a node whose velocity is known.
void tn_march_states_layout(tn_march *s, const tn_system *sys, tn_carve *mem);
tn_status tn_march_begin_states(tn_march *s, tn_stepper *stepper, const tn_march_interval *at,
                                const double *u);
// Unknowns in the middle go on from those of the node, at the solution.
tn_status tn_march_check_states(tn_march *s, tn_stepper *stepper, const tn_march_interval *at,
                                const double *u);
tn_status tn_march_find_states(tn_march *s, tn_system *sys, const tn_march_interval *at,
                               const double *u);
tn_status tn_march_add_states(tn_march *s, tn_system *sys, double h);
void tn_march_end_states(tn_march *s, const tn_system *sys, const tn_march_interval *at);
tn_status tn_march_node_states(tn_march *s, tn_stepper *stepper, const tn_state *x,
                               const tn_march_interval *next, const double *v, double *e);

// The basis of reduced momenta goes on from the last node that was reported; march_frame.c.
void tn_march_frame_layout(tn_march *s, const tn_discrete *d, tn_carve *mem);
void tn_march_follow_frame(tn_march *s, tn_discrete *d);

// Roots that continue the motion, march_root.c. The row of A that has turned by more than a quarter
// of a turn at the end of the interval, where block B is evaluated; -1: none.
void tn_march_find_mobilities(tn_march *s, const tn_sparse *M);
int tn_march_turned_row(tn_march *s, const tn_discrete *d);

// A point without accelerations and multipliers.
static inline tn_point tn_march_point(const tn_march *s, double t, const double *q, const double *v,
                                      const double *r)
{
    return (tn_point){.t = t,
                      .q = q,
                      .v = v,
                      .a = s->rest_v,
                      .lambda = s->rest_lambda,
                      .eta = s->rest_lambda,
                      .r = r};
}

// The interval from the state is solved for, unless it is known.
tn_status tn_march_look_ahead(tn_march *s, tn_stepper *stepper, const tn_state *x, double h);
// A correction leaves no more than tol and rounding, or is round-off that no longer shrinks.
bool tn_march_is_done(double size, double last, double tol, double rounding);
void tn_march_along(int n, const double *q, double h, const double *u, double *out); // q + h u
