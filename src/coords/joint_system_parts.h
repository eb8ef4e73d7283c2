// SPDX-License-Identifier: MIT
//
// The compiled model in joint coordinates: private to the joint_system*.c files.

#pragma once

#include "coords/joint_system.h"
#include "system/absolute_modal.h"
#include "tree/tree_linear.h"
#include "tree/tree_massless.h"

// The rows of a joint that the tree does not carry. Its bodies are ends, with the values of B and Z
// in the columns on their paths to the ground.
typedef struct jnt_rows {
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
} jnt_rows;

// A modal body, whose frame and amplitudes stand free in the tree: their velocities. And the rows
// of an attachment: values of B and Z in the columns of these; those of the attachment itself are
// an end of the rows.
typedef struct jnt_modal {
    int *v; // 6 + m
} jnt_modal;

typedef struct jnt_seat {
    int *at_B, *at_Z; // 6 x (6 + m)
} jnt_seat;

// Numbers that the tree has evaluated since it moved.
typedef enum jnt_known { JNT_MOTION, JNT_ACCELERATIONS, JNT_REACTIONS } jnt_known;

// The part of a body in a motion without inertia: the twist of its centre of mass.
typedef struct jnt_share {
    int motion, next; // the next share of the body, -1 for none
    double V[6];
} jnt_share;

// Motions without inertia (joint_system_massless.c).
typedef struct jnt_massless {
    double tol;                  // inertias that count as none
    int count, widest;           // motions, and bands of matrices that there is room for
    tn_tree_massless *direction; // room for nv
    int *first;                  // of each place: its first share, -1 for none
    int nshare, most;
    jnt_share *share;
    bool shared;            // shares are those of the factors
    int *place;             // n
    tn_twist *V;            // n
    double *x;              // nv
    tn_tree_linear *linear; // not the one of implicit methods, which keeps their factors
    void *block;
} jnt_massless;

typedef struct jointed {
    tn_system base;
    tn_tree *tree;
    int nset, npoints; // npoints: of points that coincide
    jnt_rows *set;
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
    tn_vec3 *centre;      // of each place: the same in the axes of the tree frame
    bool *straight;       // the axes of the tree frame are those of the body
    double *K, *D;        // as matrices of the tree; NULL where there are no such blocks
    int *piece;           // of each velocity: its separate part of the tree; else all zero
    jnt_modal *modal;     // of each modal body of the world,
    jnt_seat *seat;       //   and of each attachment
    int longest;          // path to the ground
    int *index[2];
    tn_twist *J[2], *P[2];
    double *work;                 // nv
    struct signal_blocks *blocks; // derivatives of expressions (joint_system_signals.c)
    tn_tree_linear *linear;       // NULL until it is asked for
    jnt_massless massless;        // empty until it is asked for
    jnt_known known;
    tn_quat *rotation; // of each body as last read: its sign goes on
    double rotation_t; // when all of them were read last
    void *block;
} jointed;

// Point masses do not turn, though their frames in the tree do.
static inline bool jnt_is_point(const jointed *s, int body)
{
    return s->base.world->body[body].turns == 0;
}

// Modal bodies and variable parameters couple parts that are apart in the tree, entry by entry.
static inline bool jnt_is_apart(const absolute *w)
{
    return w->nmodal == 0 && !w->signals;
}

// The point for forces of the world.
static inline abs_point jnt_here(const jointed *s, const tn_point *at)
{
    return (abs_point){.t = at->t,
                       .r = at->r,
                       .e = at->e,
                       .q = at->q,
                       .angle_q = s->turn_q,
                       .v = at->v,
                       .direct = at->v ? s->direct : NULL,
                       .nq = s->base.nq};
}

// Number of coordinates of the joint that carries a body that are its first ones in the tree.
static inline int jnt_scalar_coordinates(const jointed *s, const tn_tree_body *body)
{
    const tn_joint_ops *ops =
        body->joint < 0 ? NULL : s->base.world->model->joints.at[body->joint].ops;
    const bool scalars = ops && ops->nq == ops->nv && body->nq == ops->nq;
    return !scalars ? 0 : ops->ncoord < body->nq ? ops->ncoord : body->nq;
}

// Returns true if there are blocks M, K and D: of small models, and where subtrees are small; not
// where recursions never fail and nobody else asks for them. (The energy bounds of a run do, where
// there are forces.)
bool tn_jointed_has_blocks(const absolute *w, const tn_tree *tree);
// The spanning tree, in which more bodies stand free (NULL: none).
tn_status tn_jointed_grow(const absolute *w, const bool *stands_free, tn_tree **out);
// Replaces a tree by one whose paths are short, where loops make that cheaper.
tn_status tn_jointed_cut(const absolute *w, tn_tree **tree);
void tn_jointed_place(jointed *s, const tn_point *at, placed what);
void tn_jointed_place_body(jointed *s, int body); // in the world, where the tree is
// Loads of all force elements; the tree has none before. Expressions of the state are evaluated
// there, with their derivatives on request; where these are by coordinates the loads of forces that
// act on one of them alone are left out, as they turn with it.
void tn_jointed_add_forces(jointed *s, const abs_point *here, bool tangent);
// The same after those of the last point are cleared, where there are any.
void tn_jointed_load_forces(jointed *s, const tn_point *at);
// The acceleration of the centre of mass of a posed body and of its turning, at the v' spread last.
tn_twist tn_jointed_acceleration(const jointed *s, int place);
// -B^T lambda as loads on the bodies.
void tn_jointed_add_reactions(jointed *s, const tn_point *at);
// The point for rows of the world: with all its multipliers.
abs_point tn_jointed_with_rows(jointed *s, const tn_point *at);
// The point for expressions of the state; and for their derivatives by coordinates.
abs_point tn_jointed_with_signals(jointed *s, const tn_point *at);
abs_point tn_jointed_by_coordinates(jointed *s, const tn_point *at);
extern const placing_ops tn_jointed_placing;

// Derivatives of expressions for the tree (joint_system_signals.c).
extern const struct signal_ops tn_jointed_signal_ops;
// A force that acts on one coordinate alone.
tn_scalar_load tn_jointed_law(const jointed *s, const abs_point *here, const abs_force *f);
// The columns of a body at its centre of mass, J and P of an end (0 or 1); how many.
int tn_jointed_variation(jointed *s, int end, int body);
void tn_jointed_tangent(jointed *s, const tn_point *at); // K, D and Z (joint_system_tangent.c)
// The entries of its pattern from a matrix of the tree; entries between subtrees stay.
void tn_jointed_unpack(const jointed *s, const double *from, tn_sparse *A);
tn_status tn_jointed_open_linear(tn_system *self);
// A force element between bodies that are not neighbours: it couples separate parts of the tree.
const tn_force_data *tn_jointed_across(const absolute *world, const tn_tree *tree);
void tn_jointed_linearise(jointed *s, const tn_point *at);
void tn_jointed_close_massless(jointed *s);
// Modal bodies (joint_system_modal.c): memory, and values in the blocks; their parts of M, f, K and
// D; and the rows of an attachment, their loads on it, and their derivatives.
void tn_jointed_modal_layout(jointed *s, tn_carve *mem);
void tn_jointed_modal_places(jointed *s);
void tn_jointed_modal_find(jointed *s);
void tn_jointed_modal_mass(jointed *s, double *M);
void tn_jointed_modal_force(jointed *s, const double *a);
void tn_jointed_modal_tangent(jointed *s, const double *a);
void tn_jointed_seat_rows(jointed *s, const jnt_rows *set, abs_seat *at, unsigned want);
void tn_jointed_seat_tangent(jointed *s, const jnt_rows *set, abs_seat *at, const double *lambda);
// The end of the rows of an attachment that is itself; the other one is the frame.
static inline const tn_tree_end *jnt_seat_end(const jointed *s, const jnt_rows *set,
                                              const abs_seat *at)
{
    return &set->end[s->base.world->joint[set->joint].body[0] == at->body ? 0 : 1];
}
extern const tn_system_ops tn_jointed_ops;          // joint_system_eval.c
extern const tn_system_ops tn_jointed_modal_ops;    // with modal bodies: by matrices alone
extern const tn_massless_ops tn_jointed_massless;   // joint_system_massless.c
extern const tn_mechanism_ops tn_jointed_mechanism; // joint_system_read.c
extern const tn_world_ops tn_jointed_world;
