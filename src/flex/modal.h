// SPDX-License-Identifier: MIT
//
// A modal body as numbers: the data of a body with m modes, without its finite elements. It is read
// from a file and written to one (read/modal_file.h, docs/formats/modal.md), made by
// reduce/reduce.h, or by formulas in a model file.
//
// Displacements of a point x of the undeformed body, in axes of the body's frame, are
//
//   u(x) = sum_j phi_j(x) q_j
//
// and with the fields a_k (unit translation along axis k), b_k (unit rotation about axis k through
// the origin), c_jk = e_k x phi_j and phi_j itself, Z = [a b c phi],
//
//   gram = Z^T M_FE Z
//
// holds all inertia invariants: those of sums and of integrals of products of two of these fields.

#pragma once

#include "base/status.h"
#include "tenon/spatial.h"

// A frame that moves with the body, to which joints and forces are attached.
typedef struct tn_modal_attachment {
    char *name;
    tn_frame frame; // undeformed, in the frame of the body
    double *modes;  // 6 x m, row major: its displacement and its rotation vector per unit amplitude
} tn_modal_attachment;

// All matrices are row major. SI units.
typedef struct tn_modal {
    int m;
    char *source;      // its origin, for people
    double *gram;      // (6 + 4 m)^2, symmetric
    double *stiffness; // m x m
    double *damping;   // m x m, NULL: none
    double *frequency; // m [Hz]
    char **names;      // m

    int nattachment;
    tn_modal_attachment *attachment; // by name, increasing

    // Geometric stiffness, m x m each, per unit of a load; NULL where it is not known.
    double *rate;         // 6, of wx wx, wy wy, wz wz, wx wy, wy wz, wz wx [1/(rad/s)^2]
    double *acceleration; // 3, of the origin along the axes [1/(m/s^2)]
    double *turning;      // 3, of angular acceleration about the axes [1/(rad/s^2)]
    double *loads;        // 6 nattachment, of force and torque on an attachment [1/N, 1/(N m)]

    // The surface, for drawing; npoint 0: none.
    int npoint, ntriangle;
    double *points; // npoint x 3
    int *triangles; // ntriangle x 3
    float *shapes;  // m x npoint x 3
} tn_modal;

// Rows and columns of gram.
static inline int tn_modal_size(int m)
{
    return 6 + 4 * m;
}

static inline int tn_modal_c(int j, int k) // of c_jk, j and k from 0
{
    return 6 + 3 * j + k;
}

static inline int tn_modal_phi(int m, int j)
{
    return 6 + 3 * m + j;
}

// Mass, centre of mass and inertia about the origin of the undeformed body.
typedef struct tn_modal_inertia {
    double mass;
    tn_vec3 centre;
    tn_mat3 inertia;
} tn_modal_inertia;
tn_modal_inertia tn_modal_inertia_of(const tn_modal *modal);

// With room for m modes and n attachments: gram, stiffness, frequency, names (NULL each) and the
// attachments with their modes are there.
tn_status tn_modal_create(int m, int nattachment, tn_modal **out);
void tn_modal_destroy(tn_modal *modal);
int tn_modal_find(const tn_modal *modal, const char *attachment); // -1: there is none

// Checks every such body, however it was made: numbers are finite, matrices symmetric, the mass
// positive, gram without negative eigenvalues, stiffness without such beyond round-off, frames
// right-handed, triangles of points that there are. A sentence otherwise.
tn_status tn_modal_check(const tn_modal *modal);
