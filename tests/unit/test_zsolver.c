// SPDX-License-Identifier: MIT
//
// The complex solver on patterns of blocks, against Gaussian elimination of the dense matrix.

#include "linalg/solver.h"
#include "linalg/zsolver.h"
#include "sparse_memory.h"
#include "test.h"

enum { BLOCK = 3 };

static const double AGREEMENT = 1e-11; // relative; a random matrix of 90 may lose four digits

typedef struct {
    tn_sparse *A; // the pattern
    int n;
    double complex *val;
} matrix;

static double complex random_complex(void)
{
    const double re = tn_random();
    return CMPLX(re, tn_random());
}

// Values whose diagonal is of the size of the sum of a few others.
static void random_values(const matrix *m)
{
    for (int j = 0; j < m->n; j++)
        for (int k = m->A->colptr[j]; k < m->A->colptr[j + 1]; k++)
            m->val[k] = random_complex() + (m->A->rowind[k] == j ? 2.0 : 0.0);
}

// A diagonal of blocks, and others with a probability.
static matrix random_matrix(int nblk, double share)
{
    matrix m = {.n = BLOCK * nblk};
    int *size = malloc((size_t)nblk * sizeof(int)), count = 0;
    tn_pair_index *pairs = malloc((size_t)(nblk * nblk) * sizeof(*pairs));
    for (int i = 0; i < nblk; i++) {
        size[i] = BLOCK;
        for (int j = 0; j < nblk; j++)
            if (i == j || tn_random() > 1.0 - 2.0 * share)
                pairs[count++] = (tn_pair_index){i, j};
    }
    CHECK_OK(tn_sparse_create(nblk, size, nblk, size, count, pairs, &m.A));
    free(size);
    free(pairs);
    m.val = calloc((size_t)m.A->nnz, sizeof(double complex));
    random_values(&m);
    return m;
}

static void clear(matrix *m)
{
    tn_sparse_destroy(m->A);
    free(m->val);
}

static double complex *random_vector(int n)
{
    double complex *x = calloc((size_t)n, sizeof(double complex));
    for (int i = 0; i < n; i++)
        x[i] = random_complex();
    return x;
}

// y = A x
static double complex *product(const matrix *m, const double complex *x)
{
    double complex *y = calloc((size_t)m->n, sizeof(double complex));
    for (int j = 0; j < m->n; j++)
        for (int k = m->A->colptr[j]; k < m->A->colptr[j + 1]; k++)
            y[m->A->rowind[k]] += m->val[k] * x[j];
    return y;
}

static double largest(int n, const double complex *x)
{
    double size = 0.0;
    for (int i = 0; i < n; i++)
        size = fmax(size, cabs(x[i]));
    return size;
}

static double distance(int n, const double complex *x, const double complex *y)
{
    double size = 0.0;
    for (int i = 0; i < n; i++) {
        const double d = cabs(x[i] - y[i]);
        size = d > size || isnan(d) ? d : size;
    }
    return size / largest(n, y);
}

// Elimination with row exchange; b becomes the solution.
static void eliminate(int n, double complex *A, double complex *b)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            p = cabs(A[i + k * n]) > cabs(A[p + k * n]) ? i : p;
        for (int j = k; j < n; j++) {
            const double complex a = A[p + j * n];
            A[p + j * n] = A[k + j * n];
            A[k + j * n] = a;
        }
        const double complex c = b[p];
        b[p] = b[k];
        b[k] = c;
        for (int i = k + 1; i < n; i++) {
            const double complex f = A[i + k * n] / A[k + k * n];
            for (int j = k; j < n; j++)
                A[i + j * n] -= f * A[k + j * n];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= A[k + j * n] * b[j];
        b[k] /= A[k + k * n];
    }
}

typedef tn_solver zsolver;

static tn_status zsolver_create(const tn_sparse *pattern, zsolver **out)
{
    return tn_solver_create_complex(pattern, out);
}

static tn_sparse with_values(const zsolver *solver, const double complex *val)
{
    tn_sparse A = solver->scaled; // its pattern is that of the matrix
    A.val = (double *)(uintptr_t)val;
    return A;
}

static tn_status zsolver_factor(zsolver *solver, const double complex *val)
{
    const tn_sparse A = with_values(solver, val);
    return tn_solver_factor(solver, &A);
}

static void zsolver_solve(zsolver *solver, double complex *b)
{
    tn_solver_solve(solver, (double *)b);
}

static tn_status zsolver_solve_rank(zsolver *solver, const double complex *val, double complex *b)
{
    const tn_sparse A = with_values(solver, val);
    return tn_solver_solve_rank(solver, &A, (double *)b);
}

static void check_against_elimination(zsolver *solver, const matrix *m)
{
    const int n = m->n;
    double complex *A = calloc((size_t)n * (size_t)n, sizeof(double complex));
    double complex *b = random_vector(n), *x = calloc((size_t)n, sizeof(double complex));
    memcpy(x, b, (size_t)n * sizeof(double complex));
    for (int j = 0; j < n; j++)
        for (int k = m->A->colptr[j]; k < m->A->colptr[j + 1]; k++)
            A[m->A->rowind[k] + j * n] = m->val[k];
    eliminate(n, A, x);
    CHECK_OK(zsolver_factor(solver, m->val));
    zsolver_solve(solver, b);
    CHECK_NEAR(distance(n, b, x), 0.0, AGREEMENT);
    free(A);
    free(b);
    free(x);
}

// Up to 12 unknowns and full matrices are dense, the others go to KLU.
static void solutions_are_those_of_elimination(void)
{
    for (int nblk = 1; nblk <= 31; nblk += 3)
        for (int fill = 0; fill < 3; fill++) {
            matrix m = random_matrix(nblk, 0.1 + 0.4 * fill);
            zsolver *solver = NULL;
            CHECK_OK(zsolver_create(m.A, &solver));
            for (int k = 0; k < 4; k++) { // the first with new pivots, then with the old ones
                random_values(&m);
                check_against_elimination(solver, &m);
            }
            tn_solver_destroy(solver);
            clear(&m);
        }
}

// c + A with c = (0.44 + 0.9 i) / h, the shift that radau5 makes, at steps over ten decades.
static void shifts_of_all_sizes_are_solved(void)
{
    for (int nblk = 3; nblk <= 23; nblk += 20) {
        matrix m = random_matrix(nblk, 0.1);
        zsolver *solver = NULL;
        CHECK_OK(zsolver_create(m.A, &solver));
        for (double h = 1e-8; h < 1e2; h *= 10.0) {
            random_values(&m);
            for (int j = 0; j < m.n; j++)
                for (int k = m.A->colptr[j]; k < m.A->colptr[j + 1]; k++)
                    m.val[k] += m.A->rowind[k] == j ? CMPLX(0.44 / h, 0.9 / h) : 0.0;
            check_against_elimination(solver, &m);
        }
        tn_solver_destroy(solver);
        clear(&m);
    }
}

// Rows in units that differ by 1e12 and columns by 1e6.
static void units_do_not_matter(void)
{
    for (int nblk = 3; nblk <= 23; nblk += 20) {
        matrix m = random_matrix(nblk, 0.1);
        double complex *x = random_vector(m.n);
        zsolver *solver = NULL;
        for (int j = 0; j < m.n; j++) {
            for (int k = m.A->colptr[j]; k < m.A->colptr[j + 1]; k++)
                m.val[k] *= pow(10.0, 3 * (m.A->rowind[k] % 5) - 6) * pow(10.0, j % 7 - 3);
            x[j] *= pow(10.0, -(j % 7 - 3));
        }
        double complex *b = product(&m, x);
        CHECK_OK(zsolver_create(m.A, &solver));
        CHECK_OK(zsolver_factor(solver, m.val));
        zsolver_solve(solver, b);
        for (int j = 0; j < m.n; j++)
            CHECK_NEAR(cabs(b[j] / x[j] - 1.0), 0.0, 10.0 * AGREEMENT); // per entry
        tn_solver_destroy(solver);
        clear(&m);
        free(x);
        free(b);
    }
}

// Elements change their sizes by 1e8: pivots of the first factorisation are the worst of the next.
static void pivots_are_chosen_anew_when_the_old_ones_are_poor(void)
{
    matrix m = random_matrix(20, 0.1);
    zsolver *solver = NULL;
    CHECK_OK(zsolver_create(m.A, &solver));
    for (int turn = 0; turn < 6; turn++) {
        random_values(&m);
        for (int j = 0; j < m.n; j++)
            for (int k = m.A->colptr[j]; k < m.A->colptr[j + 1]; k++) {
                const int i = m.A->rowind[k];
                if (i / BLOCK == j / BLOCK) // large in a permutation inside the block that changes
                    m.val[k] *= (i - j + 3) % 3 == turn % 3 ? 1.0 : 1e-8;
                else
                    m.val[k] *= 1e-2;
            }
        check_against_elimination(solver, &m);
    }
    tn_solver_destroy(solver);
    clear(&m);
}

// Columns of one block have the same rows: the second becomes f times the first, which leaves a
// pivot of the size of round-off, and the last column vanishes.
static void make_singular(const matrix *m, double complex f)
{
    const int *p = m->A->colptr;
    for (int k = 0; k < p[1] - p[0]; k++)
        m->val[p[1] + k] = f * m->val[p[0] + k];
    for (int k = p[m->n - 1]; k < p[m->n]; k++)
        m->val[k] = 0.0;
}

static void singular_matrices_get_the_minimum_norm_solution(void)
{
    static const int sizes[] = {2, 4, 7, 30};
    const double complex f = CMPLX(0.7, -1.4);
    for (int i = 0; i < 2 * TN_COUNT(sizes); i++) {
        matrix m = random_matrix(sizes[i / 2], i % 2 ? 0.9 : 0.1);
        zsolver *solver = NULL;
        make_singular(&m, f);
        double complex *x = random_vector(m.n), *b = product(&m, x);
        memcpy(x, b, (size_t)m.n * sizeof(double complex));
        CHECK_OK(zsolver_create(m.A, &solver));
        CHECK_STATUS(zsolver_factor(solver, m.val), TN_RETRY_SINGULAR);
        CHECK_OK(zsolver_solve_rank(solver, m.val, x));
        double complex *again = product(&m, x);
        CHECK_NEAR(distance(m.n, again, b), 0.0, AGREEMENT);
        // across the null vectors (f, -1, 0, ...) and (0, ..., 1)
        CHECK_NEAR(cabs(conj(f) * x[0] - x[1]), 0.0, AGREEMENT * largest(m.n, x));
        CHECK_NEAR(cabs(x[m.n - 1]), 0.0, AGREEMENT * largest(m.n, x));
        tn_solver_destroy(solver);
        clear(&m);
        free(x);
        free(b);
        free(again);
    }
}

static void a_solver_recovers_after_a_singular_matrix(void)
{
    for (int nblk = 3; nblk <= 23; nblk += 20) {
        matrix m = random_matrix(nblk, 0.1);
        double complex *b = random_vector(m.n);
        zsolver *solver = NULL;
        CHECK_OK(zsolver_create(m.A, &solver));
        check_against_elimination(solver, &m);
        memset(m.val, 0, (size_t)m.A->nnz * sizeof(double complex));
        CHECK_STATUS(zsolver_factor(solver, m.val), TN_RETRY_SINGULAR);
        CHECK_OK(zsolver_solve_rank(solver, m.val, b));
        CHECK(largest(m.n, b) == 0.0);
        random_values(&m);
        m.val[2] = CMPLX(0.0, NAN);
        CHECK_STATUS(zsolver_factor(solver, m.val), TN_RETRY_SINGULAR);
        CHECK_STATUS(zsolver_solve_rank(solver, m.val, b), TN_RETRY_SINGULAR);
        random_values(&m);
        check_against_elimination(solver, &m);
        tn_solver_destroy(solver);
        clear(&m);
        free(b);
    }
}

static void an_empty_system_is_legal(void)
{
    tn_composition c;
    zsolver *solver = NULL;
    CHECK_OK(tn_sparse_compose(0, 0, 0, NULL, &c));
    CHECK_OK(zsolver_create(c.matrix, &solver));
    CHECK_OK(zsolver_factor(solver, NULL));
    zsolver_solve(solver, NULL);
    CHECK_OK(zsolver_solve_rank(solver, NULL, NULL));
    tn_solver_destroy(solver);
    tn_solver_destroy(NULL);
    tn_composition_clear(&c);
}

static long suitesparse_calls;

static void *counting_malloc(size_t size)
{
    suitesparse_calls++;
    return malloc(size);
}

static void *counting_calloc(size_t count, size_t size)
{
    suitesparse_calls++;
    return calloc(count, size);
}

static void *counting_realloc(void *block, size_t size)
{
    suitesparse_calls++;
    return realloc(block, size);
}

static void nothing_allocates_after_the_first_factorisation(void)
{
    set_sparse_memory(counting_malloc, counting_calloc, counting_realloc);
    for (int nblk = 3; nblk <= 23; nblk += 20) {
        matrix m = random_matrix(nblk, 0.1);
        double complex *b = random_vector(m.n);
        zsolver *solver = NULL;
        suitesparse_calls = 0;
        CHECK_OK(zsolver_create(m.A, &solver));
        CHECK_OK(zsolver_factor(solver, m.val));
        CHECK((suitesparse_calls > 0) == (nblk > 4)); // the counter works
        const long ours = tn_test_alloc_count(), theirs = suitesparse_calls;
        for (int k = 0; k < 20; k++) { // values drift by 10 % per step, as along a motion
            for (int e = 0; e < m.A->nnz; e++)
                m.val[e] *= 1.0 + 0.1 * random_complex();
            CHECK_OK(zsolver_factor(solver, m.val));
            zsolver_solve(solver, b);
            for (int i = 0; i < m.n; i++)
                b[i] = random_complex();
        }
        CHECK(tn_test_alloc_count() == ours);
        CHECK(suitesparse_calls == theirs);
        tn_solver_destroy(solver);
        clear(&m);
        free(b);
    }
    set_standard_sparse_memory();
}

static void failing_memory_is_reported_and_nothing_is_lost(void)
{
    for (int nblk = 3; nblk <= 23; nblk += 20) {
        matrix m = random_matrix(nblk, 0.1);
        const long live = tn_test_alloc_live();
        bool failed = true;
        for (int nth = 1; failed; nth++) {
            zsolver *solver = NULL;
            double complex *b = random_vector(m.n);
            tn_test_alloc_fail_at(nth);
            tn_status s = zsolver_create(m.A, &solver);
            if (s == TN_OK)
                s = zsolver_factor(solver, m.val);
            if (s == TN_OK)
                s = zsolver_solve_rank(solver, m.val, b);
            failed = tn_test_alloc_failed();
            CHECK(s == (failed ? TN_ERR_MEMORY : TN_OK));
            tn_solver_destroy(solver);
            CHECK(tn_test_alloc_live() == live);
            free(b);
        }
        tn_test_alloc_fail_at(0);
        clear(&m);
    }
}

static const tn_test tests[] = {
    {"solutions are those of elimination", solutions_are_those_of_elimination},
    {"shifts of all sizes are solved", shifts_of_all_sizes_are_solved},
    {"units do not matter", units_do_not_matter},
    {"pivots are chosen anew when the old ones are poor",
     pivots_are_chosen_anew_when_the_old_ones_are_poor},
    {"singular matrices get the minimum-norm solution",
     singular_matrices_get_the_minimum_norm_solution},
    {"a solver recovers after a singular matrix", a_solver_recovers_after_a_singular_matrix},
    {"an empty system is legal", an_empty_system_is_legal},
    {"nothing allocates after the first factorisation",
     nothing_allocates_after_the_first_factorisation},
    {"failing memory is reported and nothing is lost",
     failing_memory_is_reported_and_nothing_is_lost},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
