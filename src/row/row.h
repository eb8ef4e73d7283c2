// SPDX-License-Identifier: MIT
//
// Scalar functions of two frames, A on one body and B on another: the rows of every joint, the
// coordinates that joints measure, and the coordinates of scalar force laws. With d = p_B - p_A and
// the axes a_i of A, b_j of B:
//
//   COORD     e_i . d                component in the inertial frame
//   AXIS      a_i . d                component along an axis of A
//   AXIS_B    b_i . d                component along an axis of B
//   DOT       a_i . b_j              cosine of the angle between two axes
//   DISTANCE  (d . d - L^2) / (2 L)  quadratic form of |d| = L; its multiplier is the rod force [N]
//   LENGTH    |d|
//   ANGLE     atan2(a_i . b_j, a_k . b_l)   turn of B against A, unwrapped by a reference value
//   OWN       function i of a joint that a program has added (kinds/own.h): a length where j is 1,
//             unwrapped where k is 1
//   HEIGHT    n . d - R |n x b| - r   of the lowest point of a torus at B, about its axis b = b_j,
//             above the plane of A with the normal n = a_z; R, r are radius and tube (row_roll.c)
//   TURN      component i of the rotation vector of B against A, in the axes of A, up to pi in
//             size (row_turn.c)
//   TOUCH     the gap between shapes of A and B that stay in touch (touch.h)
//
// Three more forms are velocities that no function of position has: no value, only what takes the
// place of the gradient G and of its derivative H. They are rows of velocities (joint.h).
//
//   ROLL      t . (velocity of B - that of A) where they touch, t in the plane of A: along the
//             track of the torus (i = 0) or across it (i = 1); where k is 1, along x (i = 0) or
//             y (i = 1) of A
//   SPIN      n . (w_B - w_A)
//   SLIP      velocity i along the surface where B touches A: shapes (j = 1), or its origin on the
//             plane z of A (j = 0), in the plane (k = 1) or in space (row_slip.c)
//
// First derivative: with the world twists V = (u, w) of the two bodies at their reference points,
// row' = G . (V_a, V_b). G is thus a wrench on each body about its reference point, in world axes.
// Second derivative: H = dG / d(dp_a, dtheta_a, dp_b, dtheta_b), where a rotation varies as
// dR = skew(dtheta) R. H is not symmetric, as rotations do not commute:
// row'' = G . (V_a', V_b') + (V_a, V_b)^T H (V_a, V_b).

#pragma once

#include "tenon/spatial.h"

#include <stdbool.h>

enum { TN_X, TN_Y, TN_Z };

typedef enum tn_row_form {
    TN_ROW_COORD,
    TN_ROW_AXIS,
    TN_ROW_DOT,
    TN_ROW_DISTANCE,
    TN_ROW_LENGTH,
    TN_ROW_ANGLE,
    TN_ROW_AXIS_B,
    TN_ROW_OWN,
    TN_ROW_HEIGHT,
    TN_ROW_TURN,
    TN_ROW_TOUCH,
    TN_ROW_ROLL,
    TN_ROW_SPIN,
    TN_ROW_SLIP
} tn_row_form;

typedef struct tn_row {
    tn_row_form form;
    signed char i, j, k, l; // axes, as the form uses them; systems keep rows by the million
} tn_row;

// Returns true if a row is the distance of two points; NULL is not.
static inline bool tn_row_spans(const tn_row *row)
{
    return row && (row->form == TN_ROW_DISTANCE || row->form == TN_ROW_LENGTH);
}

// Returns true if it is more than a velocity.
static inline bool tn_row_has_value(const tn_row *row)
{
    return row->form < TN_ROW_ROLL;
}

// Returns true if it is a function of rotations, not of products of axes.
static inline bool tn_row_needs_rotation(const tn_row *row)
{
    return row->form >= TN_ROW_OWN;
}

// Returns true if its values are lengths, or else angles and cosines.
static inline bool tn_row_is_length(const tn_row *row)
{
    return row->form == TN_ROW_OWN ? row->j == 1
                                   : row->form != TN_ROW_DOT && row->form != TN_ROW_ANGLE &&
                                         row->form != TN_ROW_SPIN && row->form != TN_ROW_TURN;
}

// Returns true if it depends on orientations alone.
static inline bool tn_row_is_turning(const tn_row *row)
{
    return row->form == TN_ROW_DOT || row->form == TN_ROW_ANGLE || row->form == TN_ROW_SPIN ||
           row->form == TN_ROW_TURN;
}

// Returns true if its values jump by turns, which are counted.
static inline bool tn_row_counts_turns(const tn_row *row)
{
    return row->form == TN_ROW_ANGLE || (row->form == TN_ROW_OWN && row->k == 1);
}

// One attachment frame, seen in the world.
typedef struct tn_end {
    tn_frame x; // the frame
    tn_vec3 r;  // from the reference point of its body to the origin of the frame, world axes
    tn_twist V; // world twist of the body at its reference point
} tn_end;

typedef struct tn_pair {
    tn_end a, b;
    double length;                  // L of DISTANCE [m]
    const struct tn_joint_def *own; // of OWN, TOUCH and of what rolls: the joint
} tn_pair;

// Indices at which force and moment on A and on B begin in gradients and wrenches, and translation
// and rotation in second derivatives and tangents.
enum { TN_FA = 0, TN_MA = 3, TN_FB = 6, TN_MB = 9 };

static inline void tn_block_add(double K[][12], int row, int col, double scale, tn_mat3 block)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K[row + i][col + j] += scale * block.m[i][j];
}

static inline void tn_pair_twists(const tn_pair *at, double V[12])
{
    tn_v3_to(at->a.V.v, V + TN_FA);
    tn_v3_to(at->a.V.w, V + TN_MA);
    tn_v3_to(at->b.V.v, V + TN_FB);
    tn_v3_to(at->b.V.w, V + TN_MB);
}

// Frame B seen from frame A by products of vectors, with d = p_B - p_A: a_i . d, a_i . b_j from
// TN_TURN + 3 i + j on, and b_i . d from TN_BACK on.
enum { TN_TURN = 3, TN_BACK = 12, TN_SEEN = 15 };
tn_row tn_seen_row(int i); // product i as a row

// Name of a row of a joint, for reports: "x", "offset along z", "tilt about y", "turn about z".
const char *tn_row_name(const tn_row *row);
// `reference` picks the branch of an angle: the value nearest to it; other forms ignore it.
double tn_row_value(const tn_row *row, const tn_pair *at, double reference);
void tn_row_gradient(const tn_row *row, const tn_pair *at, double G[12]); // sets
void tn_row_hessian(const tn_row *row, const tn_pair *at, double scale,
                    double H[12][12]);                         // adds
double tn_row_rate(const double G[12], const tn_pair *at);     // G . V
double tn_row_curvature(const tn_row *row, const tn_pair *at); // V^T H V, the row'' at V' = 0

// Functions of TURN (row_turn.c).
double tn_turn_value(const tn_row *row, const tn_pair *at);
void tn_turn_gradient(const tn_row *row, const tn_pair *at, double G[12]);
void tn_turn_hessian(const tn_row *row, const tn_pair *at, double scale, double H[12][12]);

// Functions of HEIGHT, ROLL and SPIN (row_roll.c).
double tn_height_value(const tn_row *row, const tn_pair *at);
void tn_roll_gradient(const tn_row *row, const tn_pair *at, double G[12]);
void tn_roll_hessian(const tn_row *row, const tn_pair *at, double scale, double H[12][12]);
// The point at which a torus touches the plane.
tn_vec3 tn_roll_contact(const tn_row *row, const tn_pair *at);

// Functions of SLIP (row_slip.c).
void tn_slip_gradient(const tn_row *row, const tn_pair *at, double G[12]);
void tn_slip_hessian(const tn_row *row, const tn_pair *at, double scale, double H[12][12]);
