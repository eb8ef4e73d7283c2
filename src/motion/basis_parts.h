// SPDX-License-Identifier: MIT
//
// Shared parts of the provider (basis.c) and the ways to find a null space. These see the active
// rows only, each divided by its length, as columns of
//
//   A = C^T diag(1 / size)     nv x m
//
// so that rank is independent of the units of rows; basis.c scales c and y.

#pragma once

#include "base/carve.h"
#include "linalg/dense.h"
#include "motion/basis.h"
#include "text/options.h"

// All read b->A, and b->row where a name is needed. `form` sets rank, nf and raw, and independent
// where there is no `kernel`.
typedef struct tn_basis_ops {
    const char *name;
    bool by_joints; // needs a system with the joints of a model (tn_tree_ops)
    size_t size;    // of its own struct, a tn_basis first
    void (*layout)(tn_basis *b, tn_carve *mem);   // own memory, for all rows; called twice
    void (*plan)(tn_basis *b, const int *active); // the active rows have changed; or NULL
    tn_status (*form)(tn_basis *b, const tn_point *at);
    void (*particular)(tn_basis *b, const double *c, double *x);  // A^T x = c
    void (*multipliers)(tn_basis *b, const double *r, double *y); // A y = r, some solution
    // Independent y with A y = 0 (m x (m - rank)); NULL: from multipliers and independent rows.
    void (*kernel)(tn_basis *b, double *Z);
    void (*complement)(const tn_basis *b, double *Et); // E^T at begin; NULL: pseudo-inverse
    void (*values)(tn_basis *b, tn_values *v); // saved ones beside those of the layout; or NULL
} tn_basis_ops;

#define TN_KIND(name, text) extern const tn_basis_ops tn_basis_##name;
TN_BASES(TN_KIND)
#undef TN_KIND

// The rank by n pivots, |pivot[k * stride]|, largest first, of rows of length `size`. Rows that
// repeat others do so up to the drift of the constraints, so where a rank is expected more than
// that must be firm.
int tn_basis_count(const tn_basis *b, double size, int n, const double *pivot, int stride);

// Factors of basis_qr.c, which basis_gram_schmidt.c begins with, too.
typedef struct tn_basis_by_qr {
    tn_basis base;
    double *QR;  // nv m
    double *tau; // rows
    int *order;  // rows: which row stands at k
} tn_basis_by_qr;

void tn_basis_qr_layout(tn_basis *b, tn_carve *mem);
tn_status tn_basis_qr_form(tn_basis *b, const tn_point *at);
void tn_basis_qr_particular(tn_basis *b, const double *c, double *x);
void tn_basis_qr_multipliers(tn_basis *b, const double *r, double *y);
