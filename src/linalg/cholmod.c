// SPDX-License-Identifier: MIT
//
// See cholmod.h.

#include "linalg/cholmod.h"

#include "base/alloc.h"
#include "base/library.h"
#include "linalg/dense.h"

#include <cholmod.h>
#include <dlfcn.h>

struct tn_cholmod {
    int n;
    cholmod_common cc;
    cholmod_factor *L;
    cholmod_dense *x, *y, *e; // of CHOLMOD, reused from solution to solution
    double rcond;
    double entries, operations; // by the analysis
};

static tn_status cholmod_failure(const cholmod_common *cc)
{
    if (cc->status == CHOLMOD_OUT_OF_MEMORY)
        return tn_fail(TN_ERR_MEMORY, "sparse Cholesky: out of memory");
    return tn_fail(TN_ERR_NUMERIC, "sparse Cholesky: failed with CHOLMOD status %d", cc->status);
}

static void start_cholmod(cholmod_common *cc)
{
    cholmod_start(cc);
    cc->print = 0;    // the library never prints
    cc->final_ll = 1; // L D L^T would take negative pivots
}

// The matrix as CHOLMOD sees it, in the same memory.
static cholmod_sparse view_sparse(const tn_sparse *A, int stype)
{
    return (cholmod_sparse){.nrow = (size_t)A->nrow,
                            .ncol = (size_t)A->ncol,
                            .nzmax = (size_t)A->nnz,
                            .p = A->colptr,
                            .i = A->rowind,
                            .x = A->val,
                            .stype = stype,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

static int bad_row(const cholmod_factor *L)
{
    const int *order = L->Perm;
    const int at = L->minor < L->n ? (int)L->minor : 0;
    return order ? order[at] : at;
}

static tn_status open_cholmod(const tn_sparse *A, tn_cholmod **out)
{
    TN_ASSERT(A->nrow == A->ncol);
    *out = NULL;
    TN_TRY(tn_library_need(&tn_cholmod_library));
    tn_cholmod *f = tn_alloc(sizeof(*f));
    TN_TRY(tn_got(f));
    f->n = A->nrow;
    start_cholmod(&f->cc);
    *out = f;
    return TN_OK;
}

static tn_status analyse_cholmod(tn_cholmod *f, const tn_sparse *A)
{
    cholmod_sparse view = view_sparse(A, 1);
    f->L = cholmod_analyze(&view, &f->cc);
    return f->L ? TN_OK : cholmod_failure(&f->cc);
}

// Supernodal factors share loops among four threads of OpenMP, whatever was asked for: none, within
// a region that may not begin.
static void factorize_alone(cholmod_sparse *A, tn_cholmod *f)
{
    int (*get)(void) = NULL; // levels of nested regions, where CHOLMOD was built with OpenMP
    void (*set)(int) = NULL;
    *(void **)&get = dlsym(tn_cholmod_library.handle, "omp_get_max_active_levels");
    *(void **)&set = dlsym(tn_cholmod_library.handle, "omp_set_max_active_levels");
    const int before = get && set ? get() : 0;
    if (get && set)
        set(0);
    cholmod_factorize(A, f->L, &f->cc);
    if (get && set)
        set(before);
}

tn_status tn_cholmod_factor(tn_cholmod *f, const tn_sparse *A, int *row)
{
    cholmod_sparse view = view_sparse(A, 1);
    *row = -1;
    factorize_alone(&view, f);
    if (f->cc.status < 0)
        return cholmod_failure(&f->cc);
    if (f->L->minor < f->L->n) {
        *row = bad_row(f->L);
        return TN_RETRY_SINGULAR;
    }
    f->rcond = cholmod_rcond(f->L, &f->cc);
    return TN_OK;
}

tn_status tn_cholmod_create(const tn_sparse *A, tn_cholmod **out, int *row)
{
    tn_cholmod *f;
    *out = NULL;
    *row = -1;
    TN_TRY(open_cholmod(A, &f));
    tn_status s = analyse_cholmod(f, A);
    TN_THEN(s, tn_cholmod_factor(f, A, row));
    TN_HAND_OUT(s, f, tn_cholmod_destroy, out);
}

tn_status tn_cholmod_analyse(const tn_sparse *A, tn_cholmod **out)
{
    tn_cholmod *f;
    *out = NULL;
    TN_TRY(open_cholmod(A, &f));
    f->cc.nmethods = 1; // METIS would draw from the random numbers of the C library
    f->cc.method[0].ordering = CHOLMOD_AMD;
    const tn_status s = analyse_cholmod(f, A);
    f->entries = f->cc.lnz;
    f->operations = f->cc.fl;
    TN_HAND_OUT(s, f, tn_cholmod_destroy, out);
}

double tn_cholmod_entries(const tn_cholmod *f)
{
    return f->entries;
}

double tn_cholmod_thickness(const tn_cholmod *f)
{
    return f->operations / f->entries;
}

void tn_cholmod_widths(const tn_cholmod *f, const int *place, int *width)
{
    const int *order = f->L->Perm, *count = f->L->ColCount;
    for (int k = 0; k < f->n; k++)
        width[place[order[k]]] = count[k];
}

void tn_cholmod_destroy(tn_cholmod *f)
{
    if (!f)
        return;
    cholmod_free_dense(&f->x, &f->cc);
    cholmod_free_dense(&f->y, &f->cc);
    cholmod_free_dense(&f->e, &f->cc);
    cholmod_free_factor(&f->L, &f->cc);
    cholmod_finish(&f->cc);
    tn_free(f);
}

tn_status tn_cholmod_solve(tn_cholmod *f, const double *b, double *x)
{
    const size_t n = (size_t)f->n;
    cholmod_dense view = {.nrow = n,
                          .ncol = 1,
                          .nzmax = n,
                          .d = n,
                          .x = (double *)b,
                          .xtype = CHOLMOD_REAL,
                          .dtype = CHOLMOD_DOUBLE};
    if (!cholmod_solve2(CHOLMOD_A, f->L, &view, NULL, &f->x, NULL, &f->y, &f->e, &f->cc))
        return cholmod_failure(&f->cc);
    tn_copy(f->n, f->x->x, x);
    return TN_OK;
}

double tn_cholmod_rcond(const tn_cholmod *f)
{
    return f->rcond;
}

static tn_status take_sparse(const cholmod_sparse *C, tn_sparse **out)
{
    const tn_sparse view = {.nrow = (int)C->nrow,
                            .ncol = (int)C->ncol,
                            .nnz = ((int *)C->p)[C->ncol],
                            .colptr = C->p,
                            .rowind = C->i,
                            .val = C->x};
    return tn_sparse_part(&view, 0, view.nrow, 0, view.ncol, out);
}

tn_status tn_cholmod_project(const tn_sparse *A, const tn_sparse *T, tn_sparse **out)
{
    cholmod_common cc;
    cholmod_sparse *AT = NULL, *transposed = NULL, *product = NULL;
    cholmod_sparse a = view_sparse(A, 0), t = view_sparse(T, 0);
    *out = NULL;
    TN_TRY(tn_library_need(&tn_cholmod_library));
    start_cholmod(&cc);
    AT = cholmod_ssmult(&a, &t, 0, 1, 1, &cc);
    if (AT)
        transposed = cholmod_transpose(&t, 1, &cc);
    if (transposed)
        product = cholmod_ssmult(transposed, AT, 0, 1, 1, &cc);
    const tn_status s = product ? take_sparse(product, out) : cholmod_failure(&cc);
    cholmod_free_sparse(&product, &cc);
    cholmod_free_sparse(&transposed, &cc);
    cholmod_free_sparse(&AT, &cc);
    cholmod_finish(&cc);
    return s;
}
