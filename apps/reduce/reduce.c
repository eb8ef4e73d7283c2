// SPDX-License-Identifier: MIT
//
// The steps of a reduction, and what must hold of matrices; see reduce.h.

#include "reduce/reduce.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "linalg/entries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Entries (i, j) and (j, i) may differ by this part of the diagonal: files have 10 digits at least.
static const double ASYMMETRY = 1e-9;
// Masses along the three axes may differ by this part: elements with selective masses are beyond.
static const double SAME_MASS = 1e-3;

void tn_fe_clear(tn_fe *fe)
{
    for (int i = 0; i < fe->ngeometric; i++)
        tn_sparse_destroy(fe->geometric[i].K);
    tn_sparse_destroy(fe->K);
    tn_sparse_destroy(fe->M);
    TN_FREE(fe->source, fe->node, fe->triangle, fe->geometric);
    *fe = (tn_fe){0};
}

void tn_reduce_tell(const tn_reducer *r, const char *what)
{
    if (r->wanted->progress)
        r->wanted->progress(r->wanted->user, what);
}

const char *const tn_freedom_words[6] = {"displacement along x", "displacement along y",
                                         "displacement along z", "rotation about x",
                                         "rotation about y",     "rotation about z"};

tn_row_words tn_reduce_row(const tn_reducer *r, int row)
{
    tn_row_words w;
    snprintf(w.text, sizeof(w.text), "node %d, %s", r->fe->node[r->owner[row]].id,
             tn_freedom_words[r->sort[row]]);
    return w;
}

double tn_reduce_energy(const tn_sparse *A, const double *x, double *gross)
{
    double sum = 0.0;
    *gross = 0.0;
    for (int j = 0; j < A->ncol; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            const double term = A->val[k] * x[j] * x[A->rowind[k]];
            sum += term;
            *gross += fabs(term);
        }
    return sum;
}

tn_status tn_reduce_project(const tn_sparse *A, int m, const double *V, double *out)
{
    const int n = A->nrow;
    double *x = tn_alloc((size_t)n * sizeof(double));
    TN_TRY(tn_got(x));
    for (int j = 0; j < m; j++) {
        tn_zero(n, x);
        tn_sparse_mul(A, 1.0, V + (size_t)j * (size_t)n, x);
        for (int i = 0; i <= j; i++)
            out[i * m + j] = out[j * m + i] = tn_dot(n, V + (size_t)i * (size_t)n, x);
    }
    tn_free(x);
    return TN_OK;
}

tn_status tn_reduce_sum(double a, const tn_sparse *A, double b, const tn_sparse *B,
                        const bool *among, tn_sparse **out)
{
    tn_entries e = {0};
    tn_status s = TN_OK;
    for (int part = 0; part < 2; part++) {
        const tn_sparse *X = part ? B : A;
        for (int j = 0; X && j < X->ncol; j++)
            for (int k = X->colptr[j]; k < X->colptr[j + 1]; k++)
                if (!part || !among || (among[j] && among[X->rowind[k]]))
                    TN_THEN(s, tn_entries_add(&e, X->rowind[k], j, (part ? b : a) * X->val[k]));
    }
    TN_THEN(s, tn_entries_finish(&e, A->nrow, A->ncol, out));
    tn_entries_clear(&e);
    return s;
}

void tn_rigid_motion(int k, tn_vec3 x, double out[6])
{
    const tn_vec3 e = tn_v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    tn_v3_to(k < 3 ? e : tn_v3_cross(e, x), out);
    tn_v3_to(k < 3 ? tn_v3(0, 0, 0) : e, out + 3);
}

// By Gram and Schmidt, twice for round-off.
tn_status tn_reduce_orthonormal(const tn_sparse *M, double *X, double *MX)
{
    const int n = M->nrow;
    for (int k = 0; k < 6; k++) {
        double *x = X + (size_t)k * (size_t)n, *Mx = MX + (size_t)k * (size_t)n;
        for (int turn = 0; turn < 2; turn++)
            for (int i = 0; i < k; i++)
                tn_axpy(n, -tn_dot(n, MX + (size_t)i * (size_t)n, x), X + (size_t)i * (size_t)n, x);
        tn_sparse_mul(M, 1.0, x, Mx);
        const double square = tn_dot(n, x, Mx);
        if (!(square > 0.0))
            return tn_fail(TN_ERR_MODEL, "a rigid rotation of the body moves no mass: is all of it "
                                         "on one line?");
        tn_scale(n, 1.0 / sqrt(square), x);
        tn_scale(n, 1.0 / sqrt(square), Mx);
    }
    return TN_OK;
}

// Numbers of nodes -------------------------------------------------------------------------------

static int by_id(const void *a, const void *b)
{
    const int x = ((const tn_numbered *)a)->id, y = ((const tn_numbered *)b)->id;
    return (x > y) - (x < y);
}

void tn_number_sort(int n, tn_numbered *list)
{
    qsort(list, (size_t)n, sizeof(*list), by_id);
}

int tn_number_find(int n, const tn_numbered *list, int id)
{
    const tn_numbered key = {.id = id};
    const tn_numbered *found = bsearch(&key, list, (size_t)n, sizeof(key), by_id);
    return found ? found->place : -1;
}

tn_status tn_number_nodes(const tn_fe *fe, tn_numbered **out)
{
    *out = tn_alloc(((size_t)fe->nnode + 1) * sizeof(**out));
    TN_TRY(tn_got(*out));
    for (int k = 0; k < fe->nnode; k++)
        (*out)[k] = (tn_numbered){fe->node[k].id, k};
    tn_number_sort(fe->nnode, *out);
    return TN_OK;
}

// Matrices ---------------------------------------------------------------------------------------

static tn_status check_square(const char *what, const tn_sparse *A, int n)
{
    if (A->nrow == n && A->ncol == n)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "%s is %d x %d; the nodes have %d freedoms", what, A->nrow,
                   A->ncol, n);
}

static tn_status check_fe_symmetric(const tn_reducer *r, const char *what, const tn_sparse *A)
{
    double worst = 0.0, entry = 0.0, other = 0.0;
    int row = 0, col = 0;
    for (int j = 0; j < A->ncol; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            const int i = A->rowind[k];
            const double size = sqrt(fabs(tn_sparse_at(A, i, i) * tn_sparse_at(A, j, j)));
            const double back = i == j ? A->val[k] : tn_sparse_at(A, j, i);
            const double off = fabs(A->val[k] - back);
            if (!isfinite(A->val[k]))
                return tn_fail(TN_ERR_MODEL, "%s has an entry that is not finite, at row %d (%s)",
                               what, i + 1, tn_reduce_row(r, i).text);
            if (off <= ASYMMETRY * size || off <= worst)
                continue;
            worst = off;
            row = tn_smaller(i, j);
            col = tn_larger(i, j);
            entry = i < j ? A->val[k] : back;
            other = i < j ? back : A->val[k];
        }
    if (worst == 0.0)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s is not symmetric: entry (%d, %d) is %.9g and (%d, %d) is %.9g (%s and %s)",
                   what, row + 1, col + 1, entry, col + 1, row + 1, other,
                   tn_reduce_row(r, row).text, tn_reduce_row(r, col).text);
}

// Which freedom each row is. Every row belongs to one node.
static tn_status find_owners(tn_reducer *r)
{
    const tn_fe *fe = r->fe;
    for (int i = 0; i < r->n; i++)
        r->owner[i] = -1;
    for (int k = 0; k < fe->nnode; k++)
        for (int d = 0; d < 6; d++) {
            const int row = fe->node[k].row[d];
            if (row < 0)
                continue;
            if (row >= r->n)
                return tn_fail(TN_ERR_MODEL,
                               "node %d, %s is said to be row %d, but the matrices have %d",
                               fe->node[k].id, tn_freedom_words[d], row + 1, r->n);
            if (r->owner[row] >= 0)
                return tn_fail(TN_ERR_MODEL, "row %d is said to be of node %d and of node %d",
                               row + 1, fe->node[r->owner[row]].id, fe->node[k].id);
            r->owner[row] = k;
            r->sort[row] = d;
        }
    for (int i = 0; i < r->n; i++)
        if (r->owner[i] < 0)
            return tn_fail(TN_ERR_MODEL, "row %d of the matrices belongs to no node", i + 1);
    return TN_OK;
}

static tn_status check_freedoms(const tn_fe *fe)
{
    for (int k = 0; k < fe->nnode; k++) {
        const int *row = fe->node[k].row;
        int moves = 0, turns = 0;
        for (int d = 0; d < 3; d++) {
            moves += row[d] >= 0;
            turns += row[3 + d] >= 0;
        }
        if (moves != 0 && moves != 3)
            return tn_fail(TN_ERR_MODEL,
                           "node %d has %d displacement%s of three: the body must be free, without "
                           "boundary conditions, and in space",
                           fe->node[k].id, moves, moves == 1 ? "" : "s");
        if (turns != 0 && turns != 3)
            return tn_fail(TN_ERR_MODEL, "node %d has %d rotation%s of three", fe->node[k].id,
                           turns, turns == 1 ? "" : "s");
    }
    return TN_OK;
}

static void fill_rigid(tn_reducer *r)
{
    double u[6];
    for (int i = 0; i < r->n; i++)
        for (int k = 0; k < 6; k++) {
            tn_rigid_motion(k, r->fe->node[r->owner[i]].x, u);
            r->rigid[k * r->n + i] = u[r->sort[i]];
        }
}

static tn_status check_mass(const tn_reducer *r)
{
    double mass[3], gross;
    for (int i = 0; i < r->n; i++) {
        const double d = tn_sparse_at(r->fe->M, i, i);
        if (!(d >= 0.0))
            return tn_fail(TN_ERR_MODEL, "the mass matrix has %g on its diagonal, row %d (%s)", d,
                           i + 1, tn_reduce_row(r, i).text);
    }
    for (int k = 0; k < 3; k++)
        mass[k] = tn_reduce_energy(r->fe->M, r->rigid + k * r->n, &gross);
    if (!(mass[0] > 0.0 && mass[1] > 0.0 && mass[2] > 0.0))
        return tn_fail(TN_ERR_MODEL,
                       "the mass is %g kg, %g kg and %g kg along x, y and z; it must be positive",
                       mass[0], mass[1], mass[2]);
    if (fabs(mass[0] - mass[1]) > SAME_MASS * mass[0] ||
        fabs(mass[0] - mass[2]) > SAME_MASS * mass[0])
        return tn_fail(TN_ERR_MODEL,
                       "the mass is %.9g kg, %.9g kg and %.9g kg along x, y and z; it must be the "
                       "same: are the rows of the nodes right, and is the body free?",
                       mass[0], mass[1], mass[2]);
    return TN_OK;
}

static tn_status check_matrices(tn_reducer *r)
{
    const tn_fe *fe = r->fe;
    TN_TRY(check_freedoms(fe));
    TN_TRY(check_square("the stiffness matrix", fe->K, r->n));
    TN_TRY(check_square("the mass matrix", fe->M, r->n));
    TN_TRY(find_owners(r));
    TN_TRY(check_fe_symmetric(r, "the stiffness matrix", fe->K));
    TN_TRY(check_fe_symmetric(r, "the mass matrix", fe->M));
    for (int i = 0; i < fe->ngeometric; i++) {
        TN_TRY(check_square("a geometric stiffness matrix", fe->geometric[i].K, r->n));
        TN_TRY(check_fe_symmetric(r, "a geometric stiffness matrix", fe->geometric[i].K));
    }
    fill_rigid(r);
    return check_mass(r);
}

// The whole --------------------------------------------------------------------------------------

static void reducer_clear(tn_reducer *r)
{
    tn_sparse_destroy(r->T);
    tn_sparse_destroy(r->K);
    tn_sparse_destroy(r->M);
    tn_sparse_destroy(r->Kww);
    tn_sparse_destroy(r->Kwy);
    tn_sparse_destroy(r->Mww);
    tn_cholmod_destroy(r->factor);
    TN_FREE(r->owner, r->sort, r->rigid, r->first, r->rigid_z, r->V, r->Kr, r->Mr, r->rigid_r,
            r->lambda, r->C, r->shape);
}

static tn_status open_reducer(tn_reducer *r)
{
    for (int k = 0; k < r->fe->nnode; k++)
        for (int d = 0; d < 6; d++)
            r->n += r->fe->node[k].row[d] >= 0;
    if (r->n == 0)
        return tn_fail(TN_ERR_MODEL, "there are no nodes with freedoms");
    r->owner = tn_alloc((size_t)r->n * sizeof(int));
    r->sort = tn_alloc((size_t)r->n * sizeof(int));
    r->rigid = tn_alloc(6 * (size_t)r->n * sizeof(double));
    return tn_got(r->owner && r->sort && r->rigid);
}

tn_status tn_fe_reduce(const tn_fe *fe, int n, const tn_fe_attachment *attachments,
                       const tn_reduce_wanted *wanted, tn_modal **out, tn_reduce_compared *compared)
{
    tn_reducer r = {.fe = fe, .wanted = wanted, .nattachment = n, .attachment = attachments};
    *out = NULL;
    *compared = (tn_reduce_compared){0};
    tn_status s = open_reducer(&r);
    TN_THEN(s, check_matrices(&r));
    TN_THEN(s, tn_reduce_tie(&r));
    TN_THEN(s, tn_reduce_basis(&r));
    TN_THEN(s, tn_reduce_frame(&r));
    TN_THEN(s, tn_reduce_compare(&r, compared));
    TN_THEN(s, tn_reduce_body(&r, out));
    reducer_clear(&r);
    return s;
}
