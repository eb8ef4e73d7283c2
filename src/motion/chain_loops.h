// SPDX-License-Identifier: MIT
//
// Closed loops on an open chain: rows that the chain does not satisfy by itself, C w = 0 for its
// freedoms w, with C = (rows) P [LMO08, eq. 95, 96]. The freedoms are split once for an interval,
//
//   C^T = Q R with pivoting,   Q = (Q1 Q2):   Q1 closes the loops, Q2 moves with them closed
//
// and for rows C at any point, also with the rank of C below their number,
//
//   Z = Q2 - Q1 (C Q1)^+ C Q2           C Z = 0
//   c = (C Q1)^+ g                      w = Q1 c closes loops that are open by g
//   s = (C Q1)^+T Q1^T z                the shortest s with C^T s = z but for a part that Z^T sees
//
// by least squares: rows that repeat others do no harm, and which ones do may change on the way.

#pragma once

#include "base/status.h"
#include "base/values.h"

typedef struct tn_loops_rows {
    double *Y;        // nw x n
    double *KU, *tau; // n x rank
} tn_loops_rows;

typedef struct tn_loops {
    int n, rank, nw;
    double *rows;     // nw x n: C^T goes here for what follows, which overwrites it
    double *QR, *tau; // of C^T, nw x n
    int *order;       // n
    tn_loops_rows side[2];
    double *t; // nw
    double *s; // n
    double *work;
    int lwork;
    void *block;
} tn_loops;

typedef enum tn_loops_side { TN_LOOPS_LEFT, TN_LOOPS_RIGHT } tn_loops_side;

// n rows of this rank, for nw freedoms; 0 <= rank <= n, nw.
tn_status tn_loops_create(int n, int rank, int nw, tn_loops **out);
void tn_loops_destroy(tn_loops *l);
void tn_loops_values(tn_loops *l, tn_values *v);

// Splits the freedoms, C^T stays. TN_RETRY_SINGULAR where its rank is lower.
tn_status tn_loops_split(tn_loops *l);
// C of a side. TN_RETRY_SINGULAR where C Q1 has not the full rank.
tn_status tn_loops_form(tn_loops *l, tn_loops_side side);

void tn_loops_free(tn_loops *l, const double *x, double *w);                // w = Q2 x
void tn_loops_close(tn_loops *l, tn_loops_side side, double *g, double *w); // w = Q1 c; g is lost
void tn_loops_tangent(tn_loops *l, tn_loops_side side, const double *x, double *w); // w = Z x
// Impulses s (n) that do nothing, C^T s = 0: vector j of n - rank, as rows repeat others.
void tn_loops_idle(tn_loops *l, tn_loops_side side, int j, double *s);
// out = Z^T z (nw - rank) and s (n).
void tn_loops_reduce(tn_loops *l, tn_loops_side side, const double *z, double *out, double *s);
