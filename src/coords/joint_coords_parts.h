// SPDX-License-Identifier: MIT
//
// The compiled model in joint coordinates: private to the joint_coords*.c files.

#pragma once

#include "coords/joint_coords.h"
#include "system/absolute_modal.h"
#include "tree/tree_linear.h"
#include "tree/tree_massless.h"

// The rows of a joint that the tree does not carry. Its bodies are ends, with the values of B and Z
// in the columns on their paths to the ground.
typedef struct joint_coords_rows {
    int joint;  // of the world
    bool rolls; // rows of velocities, in ndot and blocks N and NZ
    // Two points coincide in the directions of all rows: where they are in the tree frames of the
    // ends, and with which sign they count; where the feet of both paths are, or a point of the
    // ground is, with these signs; and the axes of the rows.
    bool points;
    tn_vec3 at[2], fixed;
    double sign[2];
    int axis[TN_JOINT_MAX_ROWS];
    int row0, nrow, nend;
    tn_tree_end end[ABS_BODIES]; // as the bodies of the joint in the world
} joint_coords_rows;

// A modal body, whose frame and amplitudes stand free in the tree: their velocities. And the rows
// of an attachment: values of B and Z in the columns of these; those of the attachment itself are
// an end of the rows.
typedef struct joint_coords_modal {
    int *v; // 6 + m
} joint_coords_modal;

typedef struct joint_coords_attachment {
    int *at_B, *at_Z; // 6 x (6 + m)
} joint_coords_attachment;

// Numbers that the tree has evaluated since it moved.
typedef enum joint_coords_known {
    JOINT_COORDS_MOTION,
    JOINT_COORDS_ACCELERATIONS,
    JOINT_COORDS_REACTIONS
} joint_coords_known;

// The part of a body in a motion without inertia: the twist of its centre of mass.
typedef struct joint_coords_share {
    int motion, next; // the next share of the body, -1 for none
    double V[6];
} joint_coords_share;

// Motions without inertia (joint_coords_massless.c).
typedef struct joint_coords_massless {
    double tol;                  // inertias that count as none
    int count, widest;           // motions, and bands of matrices that there is room for
    tn_tree_massless *direction; // room for nv
    int *first;                  // of each place: its first share, -1 for none
    int nshare, most;
    joint_coords_share *share;
    bool shared;            // shares are those of the factors
    int *place;             // n
    tn_twist *V;            // n
    double *x;              // nv
    tn_tree_linear *linear; // not the one of implicit methods, which keeps their factors
    void *block;
} joint_coords_massless;

typedef struct joint_coords {
    tn_system base;
    tn_tree *tree;
    int nset, npoints; // npoints: of points that coincide
    joint_coords_rows *set;
    int npath, *path;           // values of all ends
    int *world_row;             // of each row, of which those of velocities come last
    int nused_pair, *used_pair; // of forces and rows
    int nused_body, *used_body;
    bool acts; // evaluations need them: not for points that coincide and turns alone
    // Memories of angles: those of tree joints are coordinates, which go on by themselves.
    int *turn_q, *turn_v; // of each memory; -1 for the others
    int nother, *other;   // these
    int *direct;          // of each measure: which of q and v, one after the other, it is, or -1,
    int *freedom;         //   and of which velocity
    int *alone;           // of each force: the place whose only coordinate it acts on, 0 for others
    double *lambda;       // of all rows of the world
    tn_vec3 *arm;         // of each body that is posed: from its tree frame to its centre of mass
    tn_vec3 *local;       // the same in body axes
    bool *straight;       // the axes of the tree frame are those of the body
    double *K, *D;        // as matrices of the tree; NULL where there are no such blocks
    int *piece;           // of each velocity: its separate part of the tree; else all zero
    joint_coords_modal *modal;           // of each modal body of the world,
    joint_coords_attachment *attachment; //   and of each attachment
    int longest;                         // path to the ground
    int *index[2];
    tn_twist *J[2], *P[2];
    double *work;                   // nv
    struct signal_blocks *blocks;   // derivatives of expressions (joint_coords_signals.c)
    tn_tree_linear *linear;         // NULL until it is asked for
    joint_coords_massless massless; // empty until it is asked for
    joint_coords_known known;
    tn_quat *rotation; // of each body as last read: its sign goes on
    void *block;
} joint_coords;

// Point masses do not turn, though their frames in the tree do.
static inline bool joint_coords_is_point(const joint_coords *s, int body)
{
    return s->base.world->body[body].turns == 0;
}

// Modal bodies and variable parameters couple parts that are apart in the tree, entry by entry.
static inline bool joint_coords_is_apart(const absolute *w)
{
    return w->nmodal == 0 && !w->signals;
}

// Number of coordinates of the joint that carries a body that are its first ones in the tree.
static inline int joint_coords_scalar_coordinates(const joint_coords *s, const tn_tree_body *body)
{
    const tn_joint_ops *ops =
        body->joint < 0 ? NULL : s->base.world->model->joints.at[body->joint].ops;
    const bool scalars = ops && ops->nq == ops->nv && body->nq == ops->nq;
    return !scalars ? 0 : ops->ncoord < body->nq ? ops->ncoord : body->nq;
}

// Returns true if there are blocks M, K and D: of small models, and where subtrees are small; not
// where recursions never fail and nobody else asks for them. (The energy bounds of a run do, where
// there are forces.)
bool tn_joint_coords_has_blocks(const absolute *w, const tn_tree *tree);
// The spanning tree, in which more bodies stand free (NULL: none).
tn_status tn_joint_coords_grow(const absolute *w, const bool *stands_free, tn_tree **out);
// Replaces a tree by one whose paths are short, where loops make that cheaper.
tn_status tn_joint_coords_cut(const absolute *w, tn_tree **tree);
void tn_joint_coords_place(joint_coords *s, const tn_point *at, placed what);
void tn_joint_coords_place_body(joint_coords *s, int body); // in the world, where the tree is
// Loads of all force elements; the tree has none before. Expressions of the state are evaluated
// there, with their derivatives on request; where these are by coordinates the loads of forces that
// act on one of them alone are left out, as they turn with it.
void tn_joint_coords_add_forces(joint_coords *s, const abs_point *here, bool tangent);
// The same after those of the last point are cleared, where there are any.
void tn_joint_coords_load_forces(joint_coords *s, const tn_point *at);
// The acceleration of the centre of mass of a posed body and of its turning, at the v' spread last.
tn_twist tn_joint_coords_acceleration(const joint_coords *s, int place);
// -B^T lambda as loads on the bodies.
void tn_joint_coords_add_reactions(joint_coords *s, const tn_point *at);
// The point for the world, with all its multipliers; and for derivatives of expressions by
// coordinates.
abs_point tn_joint_coords_here(joint_coords *s, const tn_point *at);
abs_point tn_joint_coords_by_coordinates(joint_coords *s, const tn_point *at);
extern const placing_ops tn_joint_coords_placing;

// Derivatives of expressions for the tree (joint_coords_signals.c).
extern const struct signal_ops tn_joint_coords_signal_ops;
// A force that acts on one coordinate alone.
tn_scalar_load tn_joint_coords_law(const joint_coords *s, const abs_point *here,
                                   const abs_force *f);
// The columns of a body at its centre of mass, J and P of an end (0 or 1); how many.
int tn_joint_coords_variation(joint_coords *s, int end, int body);
void tn_joint_coords_tangent(joint_coords *s,
                             const tn_point *at); // K, D and Z (joint_coords_tangent.c)
// The entries of its pattern from a matrix of the tree; entries between subtrees stay.
void tn_joint_coords_unpack(const joint_coords *s, const double *from, tn_sparse *A);
tn_status tn_joint_coords_open_linear(tn_system *self);
// A force element between bodies that are not neighbours: it couples separate parts of the tree.
const tn_force_data *tn_joint_coords_across(const absolute *world, const tn_tree *tree);
void tn_joint_coords_linearise(joint_coords *s, const tn_point *at);
void tn_joint_coords_close_massless(joint_coords *s);
// Modal bodies (joint_coords_modal.c): memory, and values in the blocks; their parts of M, f, K and
// D; and the rows of an attachment, their loads on it, and their derivatives.
void tn_joint_coords_modal_layout(joint_coords *s, tn_carve *mem);
void tn_joint_coords_modal_places(joint_coords *s);
void tn_joint_coords_modal_find(joint_coords *s);
void tn_joint_coords_modal_mass(joint_coords *s, double *M);
void tn_joint_coords_modal_force(joint_coords *s, const double *a);
void tn_joint_coords_modal_tangent(joint_coords *s, const double *a);
void tn_joint_coords_attachment_rows(joint_coords *s, const joint_coords_rows *set,
                                     abs_attachment *at, unsigned want);
void tn_joint_coords_attachment_tangent(joint_coords *s, const joint_coords_rows *set,
                                        abs_attachment *at, const double *lambda);
// The end of the rows of an attachment that is itself; the other one is the frame.
static inline const tn_tree_end *joint_coords_attachment_end(const joint_coords *s,
                                                             const joint_coords_rows *set,
                                                             const abs_attachment *at)
{
    return &set->end[s->base.world->joint[set->joint].body[0] == at->body ? 0 : 1];
}
extern const tn_system_ops tn_joint_coords_ops;          // joint_coords_eval.c
extern const tn_system_ops tn_joint_coords_modal_ops;    // with modal bodies: by matrices alone
extern const tn_massless_ops tn_joint_coords_massless;   // joint_coords_massless.c
extern const tn_mechanism_ops tn_joint_coords_mechanism; // joint_coords_read.c
extern const tn_world_ops tn_joint_coords_world;
