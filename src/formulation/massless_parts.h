// SPDX-License-Identifier: MIT
//
// What the files of motions without inertia share.

#pragma once

#include "formulation/massless.h"

struct tn_massless {
    tn_system *sys;
    const tn_motion_ops *ops; // how S is known, and
    void *self;               //   by whom: this struct, or the system
    int m;
    // Of S by a matrix (massless_matrix.c):
    int *coordinate; // m
    double weight;   // w
    double inertia;  // of S at first, relative to that of its parts: what counts as none
    bool spanned;    // S has been found before
    double *S;       // nv x m
    // Of both:
    double *W;      // S^T K S; S, while coordinates are chosen
    double *A;      // factors of S^T D S, bands as all m x m matrices
    int band, most; // diagonals on either side
    double largest; // entry of D
    int *pivot;     // m
    double *z;      // m
    double *step;   // m
    double *rt;     // m
    double *motion; // nv
    double *x;      // nv
    double *y;      // nv
    double *zeros;  // nv + ng + nn
    void *block;
};

extern const tn_motion_ops tn_motions_by_matrix; // self: tn_massless
