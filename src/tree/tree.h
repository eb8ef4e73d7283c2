// SPDX-License-Identifier: MIT
//
// Joint coordinates, the recursive core: a spanning tree of the bodies of a model, in which every
// body moves against its predecessor by the freedoms of one joint, and the O(N) recursions over it
// [Arn16, section 3.3]. The equations of motion of the tree alone are
//
//   M(q) v' = f(q, v, loads) + tau
//
// where loads are wrenches on bodies and tau generalised forces. Bodies have nodes: 0 is the
// ground, and a node follows that of its predecessor (depth first), so that the subtree of
// node k is [k, end). Joints that are not in the tree (closed loops) and couplings are listed;
// their rows are the caller's.
//
// q, v of a joint are those of its motion side (model/joint.h) whichever way the tree walks it. A
// body that no joint carries is free: centre of mass and quaternion with v = (velocity in inertial
// axes, rate in body axes), in the plane x, y, angle, as in absolute coordinates.
//
// Each body has its own tree frame: the frame of the joint that carries it, of a free body its
// centre of mass with the axes of the body frame. Its origin is the reference point of twists,
// loads and reactions, all of which are in world axes. All functions after tn_tree_move refer to
// the q, v that it was given; nothing allocates but tn_tree_create.

#pragma once

#include "lie/product.h"
#include "model/model.h"

#include <stddef.h>

typedef struct tn_tree tn_tree;

// The motion that a joint with one axis, or none, gives its body.
typedef enum tree_axis { TREE_AXIS_NONE, TREE_TURNS_Z, TREE_SLIDES_Z, TREE_SLIDES_X } tree_axis;

typedef struct tn_tree_body {
    int body;            // in the model
    int joint;           // of the model, carries the body; -1 for a free one
    bool turned;         // the joint's body A is the child of its body B
    int parent;          // node of the predecessor
    int end;             // nodes [k, end) are the body and its subtree
    int q0, nq;          // slice of q
    int v0, nv;          // slice of v
    tn_frame attachment; // the tree frame in the body frame of the model
} tn_tree_body;

struct tn_tree {
    const tn_model *model;
    int n; // nodes, with the ground
    int nq, nv;
    tn_tree_body *body; // n
    int *place;         // of each body of the model
    int ncut, *cut;     // joints of the model that close loops
    int ncoupling;      // couplings of the model: gears, drives, distances …
    int *coupling;      //   (a coupling that carries a point mass is not among them)
    int ngroup;         // factors of the configuration: one for each joint that
                        // has a rotation, some of the others together
    tn_group *groups;
    // Matrices of the tree: entry (i, j) is at column[j] + i. Full ones, of nv x nv entries, until
    // tn_tree_pack.
    ptrdiff_t *column; // nv
    size_t nentry;
};

// Compiles the motion side of the joints of a model, which must outlive the tree.
//
// The tree is grown from the ground by the joint with the fewest freedoms that leaves it, among
// equals by the one nearest to the ground (Prim's algorithm: the sum of freedoms in the tree is
// least, and with it the number of rows that are cut; equal joints give shortest paths). Bodies of
// the plane come first, as nothing but the plane carries them, then rigid bodies, then point
// masses. Bodies that no joint reaches stand free, in the order of the model. The children of a
// body are numbered from the lightest subtree to the heaviest, which bounds the memory of a
// recursion; those of the ground in the order of the model.
tn_status tn_tree_create(const tn_model *model, tn_tree **out);
void tn_tree_destroy(tn_tree *tree);

// Requests for the shape of the tree, for those who know more than its freedoms show.
typedef struct tn_tree_request {
    const bool *preferred; // per joint of the model: comes before all others that can carry a body
    const bool *free;      // per body of the model: stands free, whatever joints it has
    const bool *cut;       // per joint of the model: carries nothing; NULL for none, as all three
} tn_tree_request;

tn_status tn_tree_create_as(const tn_model *model, const tn_tree_request *request, tn_tree **out);

// Coordinates of given body frames (of the model, one per body with the ground), as near as the
// joints allow, for start values.
void tn_tree_coordinates(const tn_tree *tree, const tn_frame *frames, double *q);

// The way back: tree frames in the world, one per node, without the round-off of rotations that
// grows along the tree in tn_tree_move.
void tn_tree_frames(const tn_tree *tree, const double *q, tn_frame *frames);

// Frames and twists of all bodies; v may be NULL for zero. Loads are cleared.
void tn_tree_move(tn_tree *tree, const double *q, const double *v);
// Velocities of given twists of the body frames (of their origins, world axes), joint by joint the
// nearest that it allows, a speed of `size` as far as a rate of 1; at the q of tn_tree_move.
void tn_tree_velocities(const tn_tree *tree, const tn_twist *twists, double size, double *v);

tn_frame tn_tree_frame(const tn_tree *tree, int place); // tree frame in the world
tn_twist tn_tree_twist(const tn_tree *tree, int place); // at its origin, world axes
tn_vec3 tn_tree_com(const tn_tree *tree, int place);    // from there to the centre of mass
// Freedom i of the joint that carries the body: the twist that it adds, at the origin of the tree
// frame, world axes.
tn_twist tn_tree_column(const tn_tree *tree, int place, int i);
// A frame of a body, given in the body frame of the model, in the tree frame of the body.
tn_frame tn_tree_local(const tn_tree *tree, int place, tn_frame frame);

// Adds a load in world axes, at the reference point.
void tn_tree_add_load(tn_tree *tree, int place, tn_wrench load);
void tn_tree_clear_loads(tn_tree *tree);

// Explicit formalism [Arn16, Table 1]: v' from loads, gravity and tau (NULL for none). Leaves the
// factors of M for tn_tree_solve. TN_RETRY_SINGULAR where a joint has no inertia to move; *singular
// (or NULL) receives the node that it carries, and tree_massless.h goes on there.
tn_status tn_tree_accelerate(tn_tree *tree, const double *tau, double *vdot, int *singular);
// Residual formalism [Arn16, eq. 61]: r = M v' - f - tau; vdot NULL for zero, then r = -f - tau.
// Leaves accelerations of bodies and reactions.
void tn_tree_residual(tn_tree *tree, const double *tau, const double *vdot, double *r);

// Accelerations of all bodies at given v'; NULL for zero: those that velocities alone cause, which
// are the sums of Jdot v. Part of tn_tree_residual.
void tn_tree_spread(tn_tree *tree, const double *vdot);
// Then: classical acceleration of the reference point, and of the turning, in world axes.
tn_twist tn_tree_acceleration(const tn_tree *tree, int place);
// After tn_tree_residual at the true accelerations: the load of the joint that carries the body on
// it, its drives (tau) included, at the reference point; zero in the freedoms of the joint but for
// tau.
tn_wrench tn_tree_reaction(const tn_tree *tree, int place);
// The same for a joint of the model that is in the tree: on its body B, at the origin of frame B.
// False where it is not in the tree.
bool tn_tree_joint_reaction(const tn_tree *tree, int joint, tn_wrench *out);

// Subtrees that are children of the ground by different joints are independent in the matrices of
// the tree: from now on these are full blocks on the diagonal, one for each such subtree, one after
// the other, and entries between subtrees have no place. Returns the number of entries.
size_t tn_tree_pieces(const tn_tree *tree);
tn_status tn_tree_pack(tn_tree *tree);

// Mass matrix: products in O(N), dense by composite bodies (tn_tree.column), factors and solutions
// in O(N); x and y may be the same.
void tn_tree_times_mass(tn_tree *tree, const double *x, double *y);
void tn_tree_mass(tn_tree *tree, double *M);
tn_status tn_tree_factor(tn_tree *tree, int *singular); // as tn_tree_accelerate
void tn_tree_solve(tn_tree *tree, double *b); // after tn_tree_factor or tn_tree_accelerate
// Its halves, and the pivots d (nv): b . M^-1 c = sum of d h_b h_c for the reduced vectors h.
void tn_tree_reduce(tn_tree *tree, double *b);
void tn_tree_expand(tn_tree *tree, double *h);
void tn_tree_pivots(const tn_tree *tree, double *d);

// Velocities on the path from a node to the ground.
int tn_tree_path(const tn_tree *tree, int place);

// A node that rows of a matrix see, and where their values stand: `count` rows that follow each
// other have those of freedom c on the path to the ground, in the order of tn_tree_variation, at
// x[at[c]] ... x[at[c] + count - 1].
typedef struct tn_tree_end {
    int place, n; // n: freedoms on the way
    int *at;
} tn_tree_end;

enum { TN_TREE_ROWS = 6 }; // that go together at most

// Motion of a point of a body, given in its tree frame, after tn_tree_move and, for accelerations,
// tn_tree_spread; with the rate of turning of the body. World axes.
typedef struct tn_tree_point {
    tn_vec3 arm; // from the origin of the tree frame
    tn_vec3 place, velocity, acceleration, rate, rate_dot;
} tn_tree_point;
tn_tree_point tn_tree_point_of(const tn_tree *tree, int place, tn_vec3 local);
// The foot of a path: the point of the ground where its first joint stands. The way from there to
// the origin of the tree frame is as exact far from the origin of the world as near it.
tn_vec3 tn_tree_foot(const tn_tree *tree, int place);
tn_vec3 tn_tree_way(const tn_tree *tree, int place);

// Adds `sign` times the rows of the velocity of a point, which is `arm` from the origin of the tree
// frame and moves with the body of the end, in the directions `axis` (0, 1, 2 for x, y, z) to x, as
// the following.
void tn_tree_add_point(const tn_tree *tree, const tn_tree_end *end, tn_vec3 arm, double sign,
                       int count, const int *axis, double *x);
// Adds rows J^T w to x: wrenches in world axes, moments about the reference point of the node.
void tn_tree_add_rows(const tn_tree *tree, const tn_tree_end *end, int count, const tn_wrench *w,
                      double *x);
// tn_tree_reduce for rows that see the paths from some nodes to the ground, and nothing else.
void tn_tree_reduce_rows(const tn_tree *tree, int nend, const tn_tree_end *end, int count,
                         double *x);

// Derivatives, dense, in O(N depth) operations; with respect to q along left-trivialised increments
// q o exp(dx). The derivation is in docs/theory/tree_derivatives.md.
//
// The largest nv for which a tree keeps room for full derivatives: matrices of 128 MiB.
enum { TN_TREE_DENSE = 4096 };

// Derivatives of the residual r = M v' - f - tau, K = dr/dq and D = dr/dv, as M, after
// tn_tree_residual and at its v'; without tn_tree_pack nv is at most TN_TREE_DENSE. Pairs of
// freedoms that are not on one path to the ground are zero. Loads count as forces and moments of
// constant size and direction in the world that act at the centres of mass and move along with
// them; how they depend on the motion otherwise is the caller's. Loads, accelerations and reactions
// stay as they are.
void tn_tree_derivatives(tn_tree *tree, double *K, double *D);

// Motion of a body at the point `arm` (world axes, from its reference point, fixed to the body):
// one column for each freedom on the path to the ground, from the body downwards, with its velocity
// in `index`. Returns their number, at most tn_tree_path. J: variation of the place of the point
// and of the turning, dR = skew(dtheta) R, per increment, which is also the twist per velocity.
// P: derivative of the twist of the point by the increment of q at constant v. After tn_tree_move.
// J, P may be NULL.
int tn_tree_variation(const tn_tree *tree, int place, tn_vec3 arm, int *index, tn_twist *J,
                      tn_twist *P);
