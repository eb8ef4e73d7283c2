// SPDX-License-Identifier: MIT
//
// One part of a matrix that is split (solver_split.c): its matrix, bordered by rows and columns of
// ones, its factors by KLU, and the ways of a solution through them.

#pragma once

#include "linalg/solver_parts.h"

#include <klu.h>
#include <stddef.h>

// Real or complex.
typedef struct {
    int parts; // doubles per value
    const tn_factor_ops *whole;
    klu_numeric *(*factor)(int *, int *, double *, klu_symbolic *, klu_common *);
    int (*refactor)(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
    tn_status (*create)(const tn_sparse *A, tn_solver **out);
} tn_split_kind;

typedef struct {
    double smallest, largest;
} tn_pivot_range;

typedef struct tn_split_part {
    int n, ns;        // pivots of its own; separators that it shares entries with
    int *row, *col;   // n: row and column of S of each pivot
    int *border;      // ns: separators
    tn_sparse A;      // the matrix above, of n + 2 ns
    int *from;        // of each value of A: which one of S, -1 for a one
    double *x;        // parts (n + ns)
    int nschur;       // entries for the Schur complement:
    ptrdiff_t *entry; //   where in the factors, in doubles,
    int *to;          //   and where in the complement
    bool good;        // has factors
    tn_pivot_range pivots;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    // The factors in the order in which solutions walk through them, from the second one on.
    int solutions; // since these are the factors
    struct {
        int *row;
        double *value;
    } lower, upper;
} tn_split_part;

// Of each unknown, while parts are built: its part, or -1 - its number for separators, and its
// number in the part.
typedef struct tn_split_members {
    int *of, *local;
} tn_split_members;

// Part k of S, whose unknowns are listed in p->col, with its factors and the number of entries that
// it adds to the Schur complement of the separators. False where it is singular or memory is short.
bool tn_split_build(const tn_split_kind *of, const tn_sparse *S, const double *val,
                    const tn_split_members *m, const int *separator, int ns, int k,
                    tn_split_part *p);
void tn_split_close(tn_split_part *p);
// With other values of S.
void tn_split_refactor(const tn_split_kind *of, const double *val, tn_split_part *p);
// Entries of U between the rows of ones and the separators: how many, and, where there is memory
// for them, which.
int tn_split_entries(int parts, tn_split_part *p, int *row, int *col);
// Forward through L, from a right side of the whole; what it leaves for the separators is in p->x.
void tn_split_forward(int parts, const double *rhs, tn_split_part *p);
// Back through U, with the separators y known, into the solution of the whole.
void tn_split_back(int parts, const double *y, const tn_split_part *p, double *x);
