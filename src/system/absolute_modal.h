// SPDX-License-Identifier: MIT
//
// Modal bodies in absolute coordinates: private to the absolute*.c and joint_coords*.c files.

#pragma once

#include "flex/modal_body.h"
#include "system/absolute_parts.h"

// Inertia and elastic forces (absolute_modal.c). Joint coordinates have the frame and the
// amplitudes free, in these same coordinates.
struct abs_modal {
    const tn_modal_data *from;
    tn_modal_numbers x;
    int frame, amplitude; // bodies: the frame, and the first amplitude
    // Set as bodies are posed (tn_modal_see):
    double *q, *r;     // m
    double V[6], h[6]; // of the frame, in its axes, and momenta
    tn_vec3 gravity;   // in its axes
    double A[6][6], Adot[6][6];
    double *Aj;       // m x 6 x 6
    double *B, *Bdot; // 6 x m
    double *AV, *Br;  // m x 6: A_j V, B_j r
    // At accelerations:
    double Vdot[6], *rdot;
    tn_vec3 seen;            // acceleration of the frame that mass feels, without W x U
    double *rho;             // residual in axes of the frame
    double *work, *a;        // n = 6 + m
    double *M, *K, *D;       // n x n
    double *rigid;           // the part of M beside it
    int *coordinate;         // n, of the system
    int *at_M, *at_K, *at_D; // n x n: values of its blocks
};

// The rows that hold an attachment (absolute_attachment.c). Columns are the coordinates of frame
// and amplitudes and the world twist of the attachment, n = 6 + m + 6.
struct abs_attachment {
    int modal, number; // the attachment and its modal body
    int joint, body, pair;
    // Set as bodies are posed: in axes of the frame,
    tn_vec3 arm, turn;
    tn_mat3 R, left; // axes of the attachment; left Jacobian of the turn
    double *modes;   // 6 x m, with those of second order
    double *L, *P;   // 6 x (6 + m): world twist by velocities, and its derivative
    tn_twist V;      // world twist of the place, and
    double *G, *Z;   // 6 x n
    double *K;       // n x n
    int *coordinate; // n, of the system
    int *at_B, *at_Z, *at_K;
};

void tn_modal_layout(abs_modal *e, tn_carve *mem);
void tn_modal_see(const absolute *s, abs_modal *e);
// M a - f of this body, in its coordinates, after tn_modal_see; a: n, NULL for zero.
void tn_modal_residual(const absolute *s, abs_modal *e, const double *a, double *out);
void tn_modal_mass(const absolute *s, const abs_modal *e, double *M);
void tn_modal_tangent(const absolute *s, abs_modal *e, const double *a, double *K, double *D);
void tn_modal_energy(const absolute *s, abs_modal *e, tn_energy *out);

// Where the values of m rows from row0 on (NULL in `row`) or of these rows are in a block.
void tn_modal_entries(const tn_sparse *A, int m, int row0, const int *row, int n, const int *column,
                      int *at);

void tn_attachment_layout(abs_attachment *at, int m, tn_carve *mem);
// g, gdot and gamma of the rows into arrays of 6 on request; G, Z and, at multipliers, K. In K and
// Z, columns of the attachment are by variations in world axes.
void tn_attachment_rows(absolute *s, abs_attachment *at, unsigned want, const double *lambda,
                        double *g, double *gdot, double *gamma);
