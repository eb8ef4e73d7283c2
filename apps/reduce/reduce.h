// SPDX-License-Identifier: MIT
//
// From finite element matrices to a modal body (Craig and Bampton's reduction [CB68]); see
// docs/theory/reduction.md. The files:
//
//   reduce.c        what is done, step by step, and what is wrong with matrices
//   reduce_ties.c   frames of attachments in the place of the freedoms of their nodes
//   reduce_basis.c  static modes of the attachments and normal modes between them
//   reduce_frame.c  the conditions of the frame, and the modes that remain
//   reduce_body.c   the numbers of the modal body
//
//   u = T z,  z = (y, w)     y: displacement and rotation of each attachment, w: all else
//   w = Psi y + Phi eta      K_ww Psi = -K_wy;  K_ww Phi = M_ww Phi diag(lambda)
//   z = V (y, eta)           reduced matrices V^T K V, V^T M V
//
// and the modes solve the eigenvalue problem of these: with y = 0 at one attachment, to which the
// frame is fixed, or across all rigid motions.

#pragma once

#include "flex/modal.h"
#include "linalg/cholmod.h"

// A node of the mesh and the rows of its freedoms in the matrices: three displacements, three
// rotations; -1 where it has none.
typedef struct tn_fe_node {
    int id;
    tn_vec3 x;
    int row[6];
} tn_fe_node;

typedef enum tn_fe_load {
    TN_FE_RATE,         // component 0 to 5: xx, yy, zz, xy, yz, zx
    TN_FE_ACCELERATION, // 0 to 2
    TN_FE_TURNING,      // 0 to 2
    TN_FE_ATTACHMENT    // 0 to 5
} tn_fe_load;

// Geometric stiffness per unit of a load, without what the rotation does to inertia forces.
typedef struct tn_fe_geometric {
    tn_fe_load load;
    int component;
    int attachment; // of TN_FE_ATTACHMENT
    tn_sparse *K;
} tn_fe_geometric;

// Finite elements, in SI units.
typedef struct tn_fe {
    char *source;
    tn_sparse *K, *M; // symmetric, stored in full
    int nnode;
    tn_fe_node *node;
    int ntriangle;
    int *triangle; // of the surface: three places in `node` each
    int ngeometric;
    tn_fe_geometric *geometric;
} tn_fe;
void tn_fe_clear(tn_fe *fe); // frees what it has; zeroed is fine

typedef struct tn_fe_attachment {
    char *name;
    int nnode;
    int *node;      // places in tn_fe.node
    bool mean;      // tied to the mean motion of the nodes; else these move rigidly with the frame
    double *weight; // nnode, of the mean; NULL: all alike
    tn_vec3 at;
} tn_fe_attachment;

typedef struct tn_reduce_wanted {
    int frame;    // the attachment to which the frame is fixed; -1: Buckens
    int normal;   // how many fixed-interface normal modes
    double up_to; // or all up to this frequency; 0: as many as `normal` [Hz]
    int keep;     // modes that are kept in the end; 0: all
    // Damping: ratio of each mode, or mass M + stiffness K; all 0: none.
    double ratio, mass, stiffness;
    int compare; // frequencies of the whole free body to compare with
    void (*progress)(void *user, const char *what);
    void *user;
} tn_reduce_wanted;

// Frequencies of the free body compared with those of all freedoms.
typedef struct tn_reduce_compared {
    int n;
    double *full, *reduced; // n [Hz]
} tn_reduce_compared;

// Names of attachments increase. On failure *out is NULL.
tn_status tn_fe_reduce(const tn_fe *fe, int n, const tn_fe_attachment *attachments,
                       const tn_reduce_wanted *wanted, tn_modal **out,
                       tn_reduce_compared *compared);

// Parts that its files share ---------------------------------------------------------------------

typedef struct tn_reducer {
    const tn_fe *fe;
    const tn_reduce_wanted *wanted;
    int nattachment;
    const tn_fe_attachment *attachment;
    int n, ny, nw, nz;
    int *owner;    // n: node of each row
    int *sort;     // n: 0 to 5, which freedom of it
    double *rigid; // n x 6, columns: translations, rotations about the origin
    tn_sparse *T;  // n x nz
    tn_sparse *K, *M, *Kww, *Kwy, *Mww;
    int *first;      // nz: a row of u that each z stands for, for names
    double *rigid_z; // nz x 6
    tn_cholmod *factor;
    int nnormal, nbasis;
    double *V;       // nz x nbasis
    double *Kr, *Mr; // nbasis x nbasis
    double *rigid_r; // nbasis x 6
    int m;
    double *lambda, *C; // m, nbasis x m: the modes
    double *shape;      // n x m
} tn_reducer;

tn_status tn_reduce_tie(tn_reducer *r);   // T, K, M, …, rigid_z
tn_status tn_reduce_basis(tn_reducer *r); // V, Kr, Mr, rigid_r
tn_status tn_reduce_frame(tn_reducer *r); // lambda, C, shape
tn_status tn_reduce_compare(tn_reducer *r, tn_reduce_compared *out);
tn_status tn_reduce_body(tn_reducer *r, tn_modal **out);

void tn_reduce_tell(const tn_reducer *r, const char *what);
// "node 12, displacement along y" for a row of the matrices.
typedef struct tn_row_words {
    char text[80];
} tn_row_words;
tn_row_words tn_reduce_row(const tn_reducer *r, int row);
extern const char *const tn_freedom_words[6];

// The lowest `count` pairs of K x = lambda M x, increasing, with V^T M V = 1. `rigid` (n x 6, or
// NULL): K is singular there, the modes are M-orthogonal to these, and K + shift M is factored;
// else `factor` of K is at hand. *found: fewer where M is singular.
typedef struct tn_lowest {
    const tn_sparse *K, *M;
    tn_cholmod *factor;
    const double *rigid;
    double shift;
} tn_lowest;
tn_status tn_reduce_lowest(const tn_lowest *of, int count, double *lambda, double *V, int *found);
// The same of dense matrices, all n of them, K positive definite; both are overwritten.
// TN_RETRY_SINGULAR without a sentence where K is not.
tn_status tn_reduce_dense(int n, double *K, double *M, double *lambda, double *V, int *found);
// V^T A V of m columns, symmetric to the last digit.
tn_status tn_reduce_project(const tn_sparse *A, int m, const double *V, double *out);
// X becomes L^-1 X, and of the transpose again: L^-1 M L^-T.
void tn_reduce_sandwich(int n, const double *L, double *M);
// M-orthonormal columns from the six of X, and M times these.
tn_status tn_reduce_orthonormal(const tn_sparse *M, double *X, double *MX);
// a A + b B; of B entries in rows and columns that are `among` alone, all where this is NULL.
tn_status tn_reduce_sum(double a, const tn_sparse *A, double b, const tn_sparse *B,
                        const bool *among, tn_sparse **out);
// Displacement and rotation at x of the body that is displaced along axis k, from 3 on turned about
// the origin.
void tn_rigid_motion(int k, tn_vec3 x, double out[6]);

// Places by numbers that increase.
typedef struct tn_numbered {
    int id, place;
} tn_numbered;
void tn_number_sort(int n, tn_numbered *list);
int tn_number_find(int n, const tn_numbered *list, int id);    // -1: none
tn_status tn_number_nodes(const tn_fe *fe, tn_numbered **out); // tn_free it
// x^T A x over |x|^T |A| |x|: what is left of the energy when its terms cancel.
double tn_reduce_energy(const tn_sparse *A, const double *x, double *gross);
