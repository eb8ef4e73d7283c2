// SPDX-License-Identifier: MIT
//
// The equations of motion on a configuration manifold, in the form of [Arn16, eq. 44]:
//
//   q' = H(q) v                                        left-trivialised velocity on a Lie group
//   M v' = f(t,q,v,e,r,lambda,eta) - B^T lambda - N^T eta
//   0 = g(t,q,s)          g' = B v + g_t = gdot,   g'' = B v' + gamma
//   0 = N v + n0 = ndot   n' = N v' + ngamma           nonholonomic (Pfaffian; K in the paper)
//   c' = d,  0 = b,  0 = h                             e = (c, w, s), the extra variables
//   r_{j+1} = a(r_j, ...) at sampling times            sampled states
//
// A system evaluates the parts that are requested by bits into its own arrays and sparse blocks,
// whose patterns are fixed when it is created. Formulations build on this interface alone; they
// know no bodies.
//
// Derivatives with respect to q are along left-trivialised increments: q o exp(dx).

#pragma once

#include "base/alloc.h"
#include "base/carve.h"
#include "lie/product.h"
#include "linalg/solver.h"
#include "linalg/sparse.h"
#include "linalg/zsolver.h" // complex numbers
#include "model/units.h"
#include "system/slide.h"
#include "tenon/spatial.h"

#include <math.h>

struct tn_force_state; // of tenon/sim.h

typedef struct tn_system tn_system;

// The point at which a system is evaluated. Pointers that an evaluation does not use may be NULL.
typedef struct tn_point {
    double t;
    const double *q;      // nq
    const double *v;      // nv
    const double *a;      // nv, v'
    const double *lambda; // ng
    const double *eta;    // nn
    const double *e;      // ne = nc + nw + ns
    const double *r;      // nr
} tn_point;

enum {
    TN_EVAL_MASS = 1,      // block M
    TN_EVAL_FORCE = 2,     // f
    TN_EVAL_G = 4,         // g
    TN_EVAL_B = 8,         // blocks B and N
    TN_EVAL_GDOT = 16,     // gdot = B v + g_t and ndot = N v + n0
    TN_EVAL_GAMMA = 32,    // gamma and ngamma
    TN_EVAL_EXTRA = 64,    // extra = (d, b, h)
    TN_EVAL_TANGENT = 128, // all derivative blocks, at a, lambda, eta
    TN_EVAL_LOADS = 1024,  // of the derivative blocks those of f and of extra equations alone,
                           // where a and lambda are zero
    // Recursive systems only:
    TN_EVAL_DYNAMICS = 256, // f - M a in f, without block M
    TN_EVAL_LINEAR = 512    // linearises the recursion, without blocks M, K and D
};

// Sparse blocks; NULL where the system has none. The residual of the dynamics is
// r = M a - f + B^T lambda + N^T eta.
typedef enum tn_block {
    TN_BLOCK_M,
    TN_BLOCK_B,  // dg/dq                       ng x nv
    TN_BLOCK_N,  // of the Pfaffian rows        nn x nv
    TN_BLOCK_K,  // dr/dq                       nv x nv
    TN_BLOCK_D,  // dr/dv                       nv x nv
    TN_BLOCK_Z,  // d gdot / dq                 ng x nv
    TN_BLOCK_NZ, // d ndot / dq                 nn x nv
    TN_BLOCK_FL, // -df/dlambda                 nv x ng
    TN_BLOCK_FN, // -df/deta                    nv x nn
    TN_BLOCK_FE, // dr/de                       nv x ne
    TN_BLOCK_GE, // dg/de                       ng x ne
    TN_BLOCK_ZE, // d gdot / de                 ng x ne
    TN_BLOCK_NE, // d ndot / de                 nn x ne
    TN_BLOCK_EQ, // d extra / dq                ne x nv
    TN_BLOCK_EV, // d extra / dv                ne x nv
    TN_BLOCK_EE, // d extra / de                ne x ne
    TN_BLOCK_EL, // d extra / dlambda           ne x ng
    TN_BLOCK_EN, // d extra / deta              ne x nn
    TN_BLOCK_COUNT
} tn_block;

// Power that leaves the system as heat and power that comes in from outside, by one element or by
// all.
typedef struct tn_exchange {
    double dissipated, supplied; // [W]; integrated: [J]
} tn_exchange;

typedef struct tn_energy {
    double kinetic, potential; // [J]
    double dissipated;         // power turned into heat [W]
    double supplied;           // power put in by motors, outer forces and drives [W]
    double momentum[3];        // linear [kg m/s]
    double spin[3];            // angular, about the origin [kg m^2/s]
    bool has_momentum;         // false for systems without bodies
} tn_energy;

// A body in an open tree of joints: the rows and coordinates of its own, and the columns of its
// freedoms among the motions of the tree.
typedef struct tn_tree_edge {
    int joint, body; // for the system; joint is -1 for a body that no joint of the tree carries
    int parent;      // edge of its parent body, -1 for the ground
    int row0, nrow;  // constraint rows that it satisfies; none for a free body
    int v0, nv;      // its velocities
    int col0, ncol;  // its freedoms
} tn_tree_edge;

// Velocity analysis of the joints, for systems that know some.
typedef struct tn_tree_ops {
    // A spanning tree of joints all of whose rows are active: every body is one edge, parents come
    // before children (at most ngroup edges). Returns their number.
    int (*plan)(const tn_system *self, const int *active, tn_tree_edge *edges);
    // Columns T (nv x sum of ncol): the velocities that belong to each freedom alone.
    void (*motions)(tn_system *self, const tn_point *at, int n, const tn_tree_edge *edges,
                    double *T);
} tn_tree_ops;

// Systems that evaluate and solve their dynamics in O(N), without a mass matrix.
typedef struct tn_recursive_ops {
    // a = M^-1 f at the point, with the parts in `want` beside it (rows of the constraints, extra
    // equations). Leaves the factors of M. TN_RETRY_SINGULAR where M is singular.
    tn_status (*accelerate)(tn_system *self, const tn_point *at, unsigned want, double *a);
    // The factors alone, and M^-1 b.
    tn_status (*factor)(tn_system *self, const tn_point *at, unsigned want);
    void (*solve)(tn_system *self, double *b);
    // Halves of a solution, and pivots (nv): b . M^-1 c = sum of d h_b h_c for reduced vectors h.
    // The first half is for all rows of B and N at once, in values of their patterns.
    void (*reduce)(tn_system *self, double *B, double *N);
    void (*expand)(tn_system *self, double *h);
    void (*pivots)(tn_system *self, double *d);
    void (*times_mass)(tn_system *self, const double *x, double *y); // y = M x, where last placed

    // The linearised recursion: solutions along the topology of the tree. Opening takes its memory;
    // an error with a sentence where the system is not a tree alone.
    tn_status (*open_linear)(tn_system *self);
    // With the last TN_EVAL_LINEAR: y += (c[0] K + c[1] D + c[2] M) x, factors of the same with
    // complex coefficients and K X instead of K (X as tn_tangent.T of formulation/corrector.h; real
    // in plane 0), and solutions with them in place (im NULL: plane 0).
    void (*times_linear)(tn_system *self, const double c[3], const double *x, double *y);
    tn_status (*factor_linear)(tn_system *self, int plane, const double complex c[3],
                               const double *const X[2]);
    void (*solve_linear)(tn_system *self, double *re, double *im);
} tn_recursive_ops;

// The columns S of motions without inertia (motion/massless.h), at the point of the last factors:
// by a matrix (motion/massless_matrix.c), or by recursion, in O(N) and without the columns
// themselves. `self` is their owner.
typedef struct tn_motion_ops {
    unsigned tangents;                                                    // see `force`
    void (*reduce)(void *self, const double *x, double *out);             // S^T x
    void (*expand)(void *self, double scale, const double *z, double *x); // x += scale S z
    void (*remove)(void *self, double *x); // the part of S in a solution; NULL: none
    // S^T f at the point, with the parts in `want`: `tangents` before `tangent` is asked for.
    tn_status (*force)(void *self, const tn_point *at, unsigned want, double *out);
    // S^T (M a - f + C^T lambda)
    tn_status (*residual)(void *self, const tn_point *at, double *out);
    // S^T X S at the point, X = K (0) or D (1), and the largest entry of X. The matrix is a band,
    // as of tn_band_at (linalg/dense.h): motions are near each other that an element couples.
    // TN_ERR_MEMORY where there is no room for the bodies that move.
    tn_status (*band)(void *self, const tn_point *at, int *band);
    void (*tangent)(void *self, const tn_point *at, int which, int band, double *out, double *size);
    tn_status (*rate)(void *self, const tn_point *at, double *out); // S^T (K v + D a)
} tn_motion_ops;

// Recursive systems without constraint rows know their motions without inertia by themselves; they
// are the `self` of `motion`. Forces are those of force elements alone, as inertia and gravity have
// no part in S^T f, and so without the round-off of their sum in f.
typedef struct tn_massless_ops {
    // Number of motions at the point, with memory for that many; inertias up to tol count as none.
    tn_status (*open)(tn_system *self, const tn_point *at, double tol, int *count);
    // Factors of M, for solve of tn_recursive_ops: solutions then have no part in the motions. Also
    // a = M^-1 f of this kind. *count: how many motions there are now; the functions of `motion`
    // ask for as many as at first.
    tn_status (*factor)(tn_system *self, const tn_point *at, int *count);
    tn_status (*accelerate)(tn_system *self, const tn_point *at, double *a, int *count);
    int (*widest)(const tn_system *self); // band that there can be, with some room
    tn_motion_ops motion;
} tn_massless_ops;

// The state of a body in any coordinates; frames and twists are those of the body frames of the
// model, not of centres of mass.
typedef struct tn_body_state {
    tn_frame frame;
    tn_quat rotation;
    tn_vec3 velocity;     // of the origin, inertial axes
    tn_vec3 rate;         // angular velocity, body axes
    tn_vec3 acceleration; // of the origin, inertial axes; where the point has v'
    tn_vec3 rate_dot;     // body axes
} tn_body_state;

typedef struct tn_mechanism_ops {
    // All that follows is read at this point, until something else is evaluated: spares systems
    // that must move everything to see one body from comparing points. NULL: not needed.
    void (*look)(tn_system *self, const tn_point *at);
    void (*body)(const tn_system *self, const tn_point *at, int body, tn_body_state *out);
    // Reaction on body B of a joint at the origin of its frame B, inertial axes.
    tn_wrench (*reaction)(const tn_system *self, const tn_point *at, int joint);
    // Multipliers of the rows of a joint, those of tn_constraint_get; returns how many.
    int (*multipliers)(const tn_system *self, const tn_point *at, int joint, double *lambda);
    // Scalar coordinates of a joint and their rates; returns how many.
    int (*coordinates)(const tn_system *self, const tn_point *at, int joint, double *q, double *qd);
    // Their second derivatives, where the v' of the point has them: how many, or -1 where it has
    // not (tn_joint_second_derivatives finds them). NULL: it never has.
    int (*accelerations)(const tn_system *self, const tn_point *at, int joint, double *a);
    // Reads the load of a force element, in the units of the model; out comes zeroed.
    void (*force)(const tn_system *self, const tn_point *at, int force, struct tn_force_state *out);
    // The values of all signals, states, unknowns and sampled values, one after the other; NULL
    // where they are not evaluated.
    void (*signals)(tn_system *self, const tn_point *at, double *values);
    // Functions whose zeros are discontinuities of expressions of the state
    // (tn_absolute_decision_count of them); see tn_absolute_sides.
    void (*decisions)(tn_system *self, const tn_point *at, double *value);
    // Takes the sides on which they are at the point, but for those that are fixed (NULL: none).
    void (*settle)(tn_system *self, const tn_point *at, const bool *fixed);
    // The first number of a force that an expression takes out of its range, a load below zero; -1
    // for none. *value is in SI units.
    int (*out_of_range)(tn_system *self, const tn_point *at, double *value);
} tn_mechanism_ops;

// Systems on top of a model in absolute coordinates (the world), which outlives them and which they
// move.
typedef struct tn_world_ops {
    // Positions and velocities of a state of the world; angles on the turns of its memories.
    tn_status (*from)(tn_system *self, const tn_point *world, double *q, double *v);
    // The way back; with a (or NULL) at the v' of the point.
    void (*to)(tn_system *self, const tn_point *at, double *q, double *v, double *a);
    // The row of the world that a constraint row is; -1 for rows of its own.
    int (*row)(const tn_system *self, int i);
} tn_world_ops;

// An interval of time with both its ends, for discrete derivatives.
typedef struct tn_span {
    double t, h;           // [t, t + h]
    const double *q0, *q1; // nq, at its ends
    const double *u;       // nv, (q1 - q0) / h without its round-off
    const double *lambda;  // ng, on the rows of the discrete derivative; for tangents
    const double *eta;     // nn, on rows of velocities in the middle
    const double *r;       // nr
    const double *e;       // ne, at its middle
} tn_span;

// Discrete derivatives of potentials and rows over an interval [Gon96; LMO08, remark 3.4],
// of systems on linear spaces. With u = (q1 - q0) / h
//
//   f . (q1 - q0) = V(q0) - V(q1) + work of all that has no potential, which acts at the midpoint
//                   with the rate u (or the mean rate of its coordinate): dampers never add energy
//   B (q1 - q0)   = g(t + h, q1) - g(t, q0) but for what time alone does
//
// both invariant under the motions under which V and g are.
typedef struct tn_gradient_ops {
    // Parts: TN_EVAL_MASS (block M), TN_EVAL_FORCE (f), TN_EVAL_B (block B, and N in the middle),
    // TN_EVAL_TANGENT (f, B and N too: K = d(-f + B^T lambda + N^T eta)/dq1 with u fixed,
    // D = -df/du with q1 fixed; of extra equations the derivatives at the middle, FE of this f).
    // NULL in tn_system_ops where the system has no such derivatives.
    tn_status (*eval)(tn_system *self, const tn_span *over, unsigned want);
} tn_gradient_ops;

// The open chain of a system on a linear space: bodies that are children of each other, in which
// part of the rows of g holds by itself [LMO08, sect. 5]. Nodes are numbered from the ground on.
typedef struct tn_chain_node {
    int parent;     // its parent node, before it; -1 for the ground
    int v0, nv;     // its coordinates, in q and v alike; at most 12
    int nm;         // its rigid motions, at most 6: (velocity of the centre of mass, turning)
    int w0, nw;     // its freedoms among those of the chain; nw <= nm
    int row0, nrow; // rows of g that hold by its joint, at most 6
    int internal0, ninternal; // rows of g that hold as it is rigid, at most 6
} tn_chain_node;

// Velocities of a node are I X, its rigid motion is X = T X_parent + S w. Column major.
typedef struct tn_chain_block {
    double I[12 * 6]; // nv x nm       [LMO08, eq. 69]
    double T[6 * 6];  // nm x nm of the parent
    double S[6 * 6];  // nm x nw       [LMO08, eq. 82, 91]
} tn_chain_block;

typedef struct tn_chain {
    int n; // nodes
    const tn_chain_node *node;
    int ny, nw; // coordinates and freedoms
    int ngroup; // y is on a product of groups, w its left-trivialised velocity
    const tn_group *groups;
} tn_chain;

typedef struct tn_chain_ops {
    // Takes the memory of all that follows, once; it is the system's.
    tn_status (*open)(tn_system *self, tn_chain *out);
    // Coordinates of the chain that belong to q, as near as the joints allow.
    void (*from)(tn_system *self, const double *q, double *y);
    // q that belongs to y. The functions that follow refer to this y until the next one, whatever
    // is evaluated in between.
    void (*to)(tn_system *self, const double *y, double *q);
    void (*velocities)(tn_system *self, const double *v, double *w); // the nearest to v
    void (*blocks)(tn_system *self, tn_chain_block *out);            // n
    // I alone, at any q (midpoints between rigid positions, for example).
    void (*rigid)(tn_system *self, const double *q, tn_chain_block *out);
} tn_chain_ops;

struct absolute;
struct placing_ops;

typedef struct tn_system_ops {
    const char *coordinates; // "absolute", "joint", "director", "callbacks"
    bool directors;          // rotations are the axes of bodies, as vectors
    // Evaluates the parts in `want` at the point. A positive status asks for a smaller step.
    tn_status (*eval)(tn_system *self, const tn_point *at, unsigned want);
    bool loads; // TN_EVAL_LOADS saves something; else TN_EVAL_TANGENT takes its place
    // Energies and powers at a point with lambda; NULL when the system cannot compute them.
    void (*energy)(tn_system *self, const tn_point *at, tn_energy *out);
    // Momenta of the mechanism that belong to momenta p (nv) at q, into `momentum` and `spin`; NULL
    // when the system cannot compute them.
    void (*momenta)(const tn_system *self, const double *q, const double *p, tn_energy *out);
    // The powers among these alone; NULL where that saves nothing.
    void (*power)(tn_system *self, const tn_point *at, tn_energy *out);
    // A step that ends at the point: updates the memory r (turn counters). A positive status where
    // the step is too long for it, with r as it was. NULL for none.
    tn_status (*accept)(tn_system *self, const tn_point *at, double *r);
    // The next sampling time after t (INFINITY for none), and the update of r there. NULL for none.
    double (*next_sample)(tn_system *self, double t);
    tn_status (*sample)(tn_system *self, const tn_point *at, double *r);
    // A name for messages: "joint 'pin', row x" for constraint row i (nonholonomic rows follow the
    // holonomic ones), "body 'rod', turn about x" for velocity i.
    void (*row_name)(const tn_system *self, int i, char *text, size_t size);
    // The reason why row i of the positions may have no value, and a remedy; NULL: nothing is known
    // of it.
    const char *(*row_none)(const tn_system *self, int i);
    // Returns true if constraint row i is one of angles, or else of lengths, and the largest
    // coefficient of its terms: its residual by that is an angle or a length. NULL where nothing is
    // known.
    bool (*row_turns)(const tn_system *self, int i, double *coefficient);
    void (*velocity_name)(const tn_system *self, int i, char *text, size_t size);
    // The same for extra variable i, "unknown 'load'"; NULL for those without names.
    void (*extra_name)(const tn_system *self, int i, char *text, size_t size);
    // For messages: "force 'push'" for the element that makes f other than finite at the point, ""
    // where it is unknown. NULL: it always is.
    void (*force_name)(tn_system *self, const tn_point *at, char *text, size_t size);
    const tn_tree_ops *tree;           // NULL for systems without joints
    const tn_recursive_ops *recursive; // NULL for systems that have a mass matrix only
    const tn_massless_ops *massless;   // NULL for systems that have a mass matrix only
    const tn_mechanism_ops *mechanism; // NULL for systems without bodies
    const tn_world_ops *world;         // NULL for systems without a world
    const tn_gradient_ops *gradient;   // NULL for systems without discrete derivatives
    const tn_chain_ops *chain;         // NULL for systems without bodies, or with rotations
    const struct placing_ops *placing; // of absolute_parts.h; NULL for systems without bodies
    void (*destroy)(tn_system *self);
    void (*values)(tn_system *self, tn_values *v); // saved ones of its own; NULL for none
} tn_system_ops;

// The times between two discontinuities of functions of time: at and beyond its ends they are
// evaluated as if the smooth interval went on, so that a step has one smooth function up to its end
// and the next one another from there on. All zero: everywhere as they are.
typedef struct tn_piece {
    bool bounded;
    double from, to;
} tn_piece;

static inline double tn_piece_time(const tn_piece *piece, double t)
{
    return piece->bounded ? fmin(fmax(t, piece->from), piece->to) : t;
}

// The quantity that an unknown measures, by which its tolerances go.
typedef enum tn_kind {
    TN_KIND_LENGTH,
    TN_KIND_ANGLE, // and all coordinates of which nothing is known
    TN_KIND_SPEED,
    TN_KIND_RATE,
    TN_KIND_FORCE, // multipliers and accelerations
    TN_KIND_EXTRA, // extra variables
    TN_KIND_COUNT
} tn_kind;

// The smallest reciprocal condition number of the matrices of constraints that were factored, and
// when: near 0 in singular positions.
typedef struct tn_rank_hint {
    double rcond, t;
} tn_rank_hint;

struct tn_system {
    const tn_system_ops *ops;
    struct absolute *world; // whose bodies it moves, or itself; NULL for systems without bodies
    int nq, nv, ng, nn, nc, nw, ns, ne, nr;
    int nturn; // numbers at the beginning of r that are memories of angles, of models
    int ngroup;
    tn_group *groups;
    tn_sparse *block[TN_BLOCK_COUNT];
    double *f;                // nv
    double *g, *gdot, *gamma; // ng
    double *ndot, *ngamma;    // nn
    double *extra;            // ne
    tn_units units;           // of all numbers, of the model; SI for systems without one
    // A power of two near to the time in which the mechanism goes some of its lengths: speeds are
    // compared with lengths by it. 1 before a simulation knows, and for systems without units [s].
    double time_scale;
    // Flags of positions, velocities and rows that count lengths; others are angles, cosines and
    // the like. NULL where nothing is known of their units.
    bool *q_length, *v_length, *g_length;
    bool force_uses_lambda; // f depends on lambda or eta
    bool live_forces;       // numbers of forces are expressions of the state
    // Joints are a tree and all motions of all bodies have inertia: the inertia that a joint has to
    // move is never less than that of its body, so that recursions over the tree never fail.
    bool solid;
    // The joint whose row of velocities is not linear in them, so that N depends on v; NULL: none.
    const char *bent_row;
    bool noisy_gamma; // gamma is a difference of differences, with eight digits
    // Set by the analysis of the start (ng + nn), NULL before: the change of rows in motions as
    // large as their bodies, and which of them take part.
    const double *row_size;
    const int *row_active;
    // Of models with one-sided rows, ng + nn: 1 or -1, the side of zero on which bodies part, 0 for
    // rows that hold both ways, and 1 for rows of slip; and which of them are open: those have no
    // value and no rate, and take no part. NULL: there are none.
    int *row_side, *row_open;
    // Of the rows of velocities of bodies that rub; and work of evaluations, nn.
    int nslide;
    tn_slide *slide;
    double *slide_eta;
    double *row_most;     // the largest entries of rows of B so far, of systems in which rows
    double *row_now;      //   can vanish; NULL: they cannot
    double reach;         // the largest place from which g is made, where q has none
    long evals, tangents; // counters
    double t;             // of the last evaluation
    bool looked;          // read-out is at the point of the last sample
    tn_piece piece;       // of the functions of time
    tn_rank_hint *hint;   // receives estimates from factorisations; NULL: nobody
    // Motions without inertia (motion/massless.h), none at first, and velocities in which they
    // differ, found and owned by the analysis of the start; NULL where tn_massless_ops serve.
    int nmassless;
    const int *massless;
};

// The whole state at one time, owned by a simulation.
typedef struct tn_state {
    double t;
    double *q, *v, *a, *lambda, *eta, *e, *r;
} tn_state;

tn_status tn_system_eval(tn_system *sys, const tn_point *at,
                         unsigned want); // counts, checks finite
// The same for output: it neither counts as work nor checks numbers.
tn_status tn_system_sample(tn_system *sys, const tn_point *at, unsigned want);
// A name of extra variable i for messages.
void tn_system_extra_name(const tn_system *sys, int i, char *text, size_t size);
// True if bodies may part at row i, or slip along it.
static inline bool tn_system_row_is_one_sided(const tn_system *sys, int i)
{
    return sys->row_side && i < sys->ng + sys->nn && sys->row_side[i] != 0;
}

// tn_system_eval for the recursive functions.
tn_status tn_system_accelerate(tn_system *sys, const tn_point *at, unsigned want, double *a);
// r = M a - f + B^T lambda + N^T eta, after an evaluation of these parts at the point.
unsigned tn_system_residual_parts(const tn_system *sys);
void tn_system_residual(const tn_system *sys, const tn_point *at, double *r);
// out = (s g; s n), values of the holonomic rows and of the nonholonomic ones.
void tn_system_stack(const tn_system *sys, double s, const double *g, const double *n, double *out);
// tn_system_eval for discrete derivatives.
tn_status tn_system_gradient(tn_system *sys, const tn_span *over, unsigned want);
void tn_system_destroy(tn_system *sys);
// Lists the numbers that evaluations save.
void tn_system_values(tn_system *sys, tn_values *v);
void tn_state_values(const tn_system *sys, tn_state *x, tn_values *v); // finite ones
// Carves the arrays of these sizes that all systems of a model have: units, f and the values of
// rows.
void tn_system_layout(tn_system *sys, int nq, int nv, int ng, int nn, tn_carve *mem);
// The frames of a force element, which has bodies.
void tn_system_see_force(const tn_system *sys, const tn_point *at, const tn_force_data *force,
                         tn_force_view *out);
// Converts the load of a force element from units of the model to SI units; the row is its own.
void tn_force_state_to_si(tn_units units, const tn_row *row, struct tn_force_state *x);
// The units of all numbers; the time scale is 1 until a simulation sets it.
void tn_system_set_units(tn_system *sys, tn_units units);
// A size of that kind in the units of the system: 1 by powers of the time scale.
double tn_system_typical(const tn_system *sys, tn_kind kind);
void tn_system_typical_sizes(const tn_system *sys, double size[TN_KIND_COUNT]); // of all kinds
// The quantity that increments of q and velocities measure.
static inline tn_kind tn_increment_kind(const tn_system *sys, int i)
{
    return sys->v_length && sys->v_length[i] ? TN_KIND_LENGTH : TN_KIND_ANGLE;
}

static inline tn_kind tn_velocity_kind(const tn_system *sys, int i)
{
    return sys->v_length && sys->v_length[i] ? TN_KIND_SPEED : TN_KIND_RATE;
}

// The quantity that the numbers of an array measure, and one unit of number i of it in SI units; 1
// for angles. The unit of time is 1 s.
typedef enum tn_measure {
    TN_MEASURE_POSITION,     // nq
    TN_MEASURE_VELOCITY,     // nv, and accelerations
    TN_MEASURE_FORCE,        // nv, along velocities
    TN_MEASURE_ROW,          // ng
    TN_MEASURE_MULTIPLIER,   // ng
    TN_MEASURE_VELOCITY_ROW, // nn, nonholonomic rows
    TN_MEASURE_ETA,          // nn, their multipliers
} tn_measure;
double tn_system_unit(const tn_system *sys, tn_measure measure, int i);
// Whole arrays; `out` may be x.
void tn_system_to_si(const tn_system *sys, tn_measure measure, const double *x, double *out);
void tn_system_from_si(const tn_system *sys, tn_measure measure, const double *x, double *out);
double tn_system_row_unit(const tn_system *sys, int i); // nonholonomic rows included
// The largest of the residuals of all rows g, or of their rates, in SI units.
double tn_system_largest_row(const tn_system *sys, const double *g);
double tn_system_largest_rate(const tn_system *sys); // of gdot and ndot
// A reciprocal condition number at the point of the last evaluation: of a matrix whose rows are
// scaled, and of rows as they are.
void tn_system_note_rcond(tn_system *sys, double rcond);
void tn_system_note_rows(tn_system *sys, double rcond);
// True if a row of B has had entries above round-off, and takes part: for systems with row_most.
bool tn_system_row_counts(const tn_system *sys, int i);
void tn_state_layout(const tn_system *sys, tn_state *x, tn_carve *mem); // takes all arrays
tn_point tn_state_point(const tn_state *x);
void tn_state_copy(const tn_system *sys, const tn_state *from, tn_state *to); // all arrays
