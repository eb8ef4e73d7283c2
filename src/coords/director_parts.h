// SPDX-License-Identifier: MIT
//
// The compiled model in director coordinates: private to the director*.c files.

#pragma once

#include "coords/director.h"
#include "row/row_linear.h"
#include "system/absolute_parts.h"

// The coordinates of a body that turns are two blocks, its centre of mass and its directors; those
// of a point mass are one. Blocks have 12 columns; the directors stand from row and column `row`
// and `col` on.
static inline void dir_add(tn_sparse *A, const abs_slots *at, double scale, int row, int col,
                           const double *block)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (at->part[i][j].offset >= 0)
                tn_sparse_add(A, at->part[i][j], scale, block + 12 * row * i + col * j, 12);
}

typedef struct dir_body {
    int nvec, dim;     // vectors among its coordinates, and components of each; 0 for the ground
    int nv, v0;        // slice of q and of v
    abs_blocks blocks; // of its coordinates
    int row0, nrow;    // internal rows
    double mass;       // [kg]
    tn_mat3 E;         // Euler tensor about the centre of mass, body axes [kg m^2]
    tn_vec3 x[4];      // evaluated: centre of mass and directors,
    tn_vec3 v[4];      //   their rates,
    tn_mat3 P;         //   and dtheta = P sum_k r_k x dd_k of the nearest rotation (r_1, r_2, r_3)
    abs_slots K, B, Z; // its own block in K, and its internal rows in B and Z
} dir_body;

// Frames of a pair of the world in terms of the vectors of their bodies: origin and axes are
// sum_k lever[m][k] x_k.
typedef struct dir_pair {
    double lever[2][4][4];
    tn_linear_pair at;
    tn_vec3 a[4]; // second rates of a prescribed frame A
    abs_slots K[2][2], D[2][2];
} dir_pair;

typedef struct dir_joint {
    abs_slots B[4], Z[4]; // for the bodies of the joint in the world; only part[0][…] is used
} dir_joint;

typedef struct dir_chain dir_chain; // director_chain.c

typedef struct director {
    tn_system base;
    int ninternal, nblock;
    dir_body *body;               // as in the world
    dir_pair *pair;               //
    dir_joint *joint;             //
    double *middle;               // nq, between the ends of an interval
    tn_quat *rotation;            // of each body as last read: its sign goes on
    dir_chain *chain;             // NULL until it is asked for
    struct signal_blocks *blocks; // derivatives of expressions
    void *block;
} director;

static inline bool dir_turns(const dir_body *b)
{
    return b->nvec > 1;
}

static inline int dir_count(const dir_body *b) // of directors
{
    return b->nvec > 1 ? b->nvec - 1 : 0;
}

// Directors i and j of internal row k of a body with n of them: first the lengths, then the angles.
static inline void dir_internal(int n, int k, int *i, int *j)
{
    static const int first[3] = {1, 1, 2}, second[3] = {2, 3, 3};
    *i = k < n ? k + 1 : first[k - n];
    *j = k < n ? k + 1 : second[k - n];
}

void tn_director_place(director *s, const tn_point *at, placed what);
extern const placing_ops tn_director_placing;
// The point for functions of the world, with its multipliers.
static inline abs_point dir_here(const director *s, const tn_point *at)
{
    abs_point here = abs_here(at);
    here.lambda = at->lambda ? at->lambda + s->ninternal : NULL;
    return here;
}

// Angular velocity of directors with these rates (accelerations give its rate, as d_k' x d_k' = 0).
tn_vec3 tn_director_turn(const dir_body *b, const tn_vec3 *rate);
void tn_director_vectors(const dir_body *b, const double *q, tn_vec3 *x); // from a slice of q or v
void tn_director_put(const dir_body *b, const tn_vec3 *x, double *q);     // the way back

// From director_eval.c, at the bodies as placed: weights become f; rows d_i . d_j of a body; their
// part of K, times `share`.
void tn_director_weights(director *s);
void tn_director_rigid_rows(director *s, const dir_body *b, unsigned want);
void tn_director_rigid_curvature(director *s, const dir_body *b, const double *lambda,
                                 double share);
// Adds a gradient on the 24 numbers of a pair to row i of the bodies of a joint.
void tn_director_gather(const director *s, const abs_joint *j, const abs_term *term,
                        const double *from, double (*to)[TN_JOINT_MAX_ROWS][12], int i);

// The action of forces: at a point, or over an interval from whose middle they see the half of K.
typedef struct dir_act dir_act;
struct dir_act {
    void (*force)(director *s, const abs_force *f, const dir_act *act, unsigned want);
    const abs_point *at; // the point, or the middle of the interval
    const tn_span *over; // NULL at a point
    double share;        // of what K has by the coordinates at `at`
};
// Adds the loads of force elements to f, and with TN_EVAL_TANGENT to K and D (director_force.c).
void tn_director_forces(director *s, const dir_act *act, unsigned want);
extern const dir_act tn_director_act; // at a point, which is to be set
// Columns (dp, dtheta) = q dq, (v, w) = p dq + v dv of a body with the rotation R.
typedef struct dir_columns {
    double q[6][12], p[6][12], v[6][12];
} dir_columns;
void tn_director_columns(const dir_body *b, tn_mat3 R, dir_columns *J);

// Expressions of the state (director_signals.c): which of the extra variables depend on which, and
// couplings in K and D.
tn_status tn_director_find_reach(const director *s, bool **reach);
void tn_director_declare_lives(const director *s, const bool *reach, abs_pattern *list);
extern const struct signal_ops tn_director_signal_ops;

// The same for one that is no scalar law, with its part in K times `share`.
void tn_director_wrench(director *s, const abs_force *f, const abs_point *at, unsigned want,
                        double share);
// The same for one that is a function of products, over an interval, or at a point where it is NULL
// (director_gradient.c).
void tn_director_seen(director *s, const abs_force *f, const tn_span *over, unsigned want);
// The part of 12 numbers on the vectors of a frame that acts on the coordinates of a body.
void tn_director_pull(const dir_body *b, double (*lever)[4], const double *on_frame, double *out);
// Adds scale L^T A L, with A on the 24 numbers of a pair of frames.
void tn_director_add_pair(const director *s, tn_sparse *K, int pair, abs_slots (*at)[2],
                          double scale, double (*A)[24]);
extern const tn_system_ops tn_director_ops;          // director_eval.c
extern const tn_gradient_ops tn_director_gradient;   // director_gradient.c
extern const tn_mechanism_ops tn_director_mechanism; // director_read.c
extern const tn_world_ops tn_director_world;
extern const tn_chain_ops tn_director_chain; // director_chain.c
void tn_director_close_chain(director *s);
