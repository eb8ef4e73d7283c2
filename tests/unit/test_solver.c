// SPDX-License-Identifier: MIT
//
// The linear solver on iteration matrices of chains of bodies,
//
//   [ M  B^T ]     M: one positive definite 6 x 6 block per body
//   [ B   0  ]     B: 5 rows per joint; joint i joins body i to body i - 1, the first to ground
//
// against dense LU.

#include "linalg/dense.h"
#include "linalg/solver.h"
#include "linalg/solver_parts.h"
#include "sparse_memory.h"
#include "test.h"

enum { BODY = 6, JOINT = 5 };

static const double AGREEMENT = 1e-12; // relative; condition of the matrices here is below 1e4

typedef struct {
    int nbody, njoint;
    tn_sparse *A;
} chain;

// A chain with `extra` rows at the end that join the first body to ground once more.
static chain chain_pattern(int nbody, int extra)
{
    const int nblk = 2 * nbody + (extra > 0);
    int *size = malloc((size_t)nblk * sizeof(int)), count = 0;
    tn_pair_index *pairs = malloc((size_t)(5 * nbody + 2) * sizeof(*pairs));
    chain c = {nbody, nbody, NULL};
    for (int i = 0; i < nblk; i++)
        size[i] = i < nbody ? BODY : i < 2 * nbody ? JOINT : extra;
    for (int i = 0; i < nbody; i++) {
        pairs[count++] = (tn_pair_index){i, i};
        for (int k = i > 0 ? i - 1 : 0; k <= i; k++) {
            pairs[count++] = (tn_pair_index){nbody + i, k};
            pairs[count++] = (tn_pair_index){k, nbody + i};
        }
    }
    if (extra > 0) {
        pairs[count++] = (tn_pair_index){2 * nbody, 0};
        pairs[count++] = (tn_pair_index){0, 2 * nbody};
    }
    CHECK_OK(tn_sparse_create(nblk, size, nblk, size, count, pairs, &c.A));
    free(size);
    free(pairs);
    return c;
}

static void random_mass(tn_sparse *A, int body)
{
    double M[BODY * BODY] = {0}, C[BODY * BODY];
    for (int k = 0; k < BODY * BODY; k++)
        C[k] = tn_random();
    for (int i = 0; i < BODY; i++)
        for (int j = 0; j < BODY; j++) {
            M[i * BODY + j] = i == j ? 2.0 : 0.0;
            for (int k = 0; k < BODY; k++)
                M[i * BODY + j] += 0.3 * C[i * BODY + k] * C[j * BODY + k];
        }
    tn_sparse_add(A, tn_sparse_slot(A, body, body), 1.0, M, BODY);
}

// Adds the block B (rows x 6, row major) and its transpose.
static void add_constraint(tn_sparse *A, int rowblk, int body, int rows, const double *B)
{
    double Bt[BODY * BODY];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < BODY; j++)
            Bt[j * rows + i] = B[i * BODY + j];
    tn_sparse_add(A, tn_sparse_slot(A, rowblk, body), 1.0, B, BODY);
    tn_sparse_add(A, tn_sparse_slot(A, body, rowblk), 1.0, Bt, rows);
}

// The identity on one side and a perturbation of it on the other, as in real joints.
static void random_joint(tn_sparse *A, int rowblk, int body, double sign)
{
    double B[JOINT * BODY];
    for (int i = 0; i < JOINT; i++)
        for (int j = 0; j < BODY; j++)
            B[i * BODY + j] = sign * (i == j ? 1.0 : 0.0) + 0.3 * tn_random();
    add_constraint(A, rowblk, body, JOINT, B);
}

static void chain_values(const chain *c)
{
    tn_sparse_clear(c->A);
    for (int i = 0; i < c->nbody; i++) {
        random_mass(c->A, i);
        random_joint(c->A, c->nbody + i, i, 1.0);
        if (i > 0)
            random_joint(c->A, c->nbody + i, i - 1, -1.0);
    }
}

static chain random_chain(int nbody)
{
    const chain c = chain_pattern(nbody, 0);
    chain_values(&c);
    return c;
}

static double *random_vector(int n)
{
    double *x = calloc((size_t)n, sizeof(double));
    for (int i = 0; i < n; i++)
        x[i] = tn_random();
    return x;
}

static double relative_distance(int n, const double *x, const double *y)
{
    double distance = 0.0;
    for (int i = 0; i < n; i++)
        distance = fmax(distance, fabs(x[i] - y[i]));
    return distance / tn_norm_inf(n, y);
}

// |A x - b| / |b|
static double residual(const tn_sparse *A, const double *x, const double *b)
{
    double *r = malloc((size_t)A->nrow * sizeof(double));
    tn_copy(A->nrow, b, r);
    tn_sparse_mul(A, -1.0, x, r);
    const double size = tn_norm_inf(A->nrow, r) / tn_norm_inf(A->nrow, b);
    free(r);
    return size;
}

static void check_against_dense_lu(tn_solver *solver, const tn_sparse *A)
{
    const int n = A->nrow;
    double *LU = malloc((size_t)n * (size_t)n * sizeof(double));
    double *b = random_vector(n), *x = calloc((size_t)n, sizeof(double));
    int *pivot = malloc((size_t)n * sizeof(int));
    tn_copy(n, b, x);
    tn_sparse_to_dense(A, LU);
    CHECK_OK(tn_lu_factor(n, LU, pivot));
    tn_lu_solve(n, LU, pivot, x);
    CHECK_OK(tn_solver_factor(solver, A));
    tn_solver_solve(solver, b);
    CHECK_NEAR(relative_distance(n, b, x), 0.0, AGREEMENT);
    free(LU);
    free(b);
    free(x);
    free(pivot);
}

static void klu_and_dense_lu_agree_also_with_changed_values(void)
{
    for (int nbody = 1; nbody <= 40; nbody += 3) {
        const chain c = random_chain(nbody);
        tn_solver *solver = NULL;
        CHECK_OK(tn_solver_create(c.A, &solver));
        CHECK_TEXT(tn_solver_name(solver), nbody == 1 ? "dense LU" : "KLU");
        for (int k = 0; k < 5; k++) {
            chain_values(&c);
            check_against_dense_lu(solver, c.A);
        }
        const tn_solver_stats *stats = &solver->stats;
        CHECK(stats->factorizations == 5 && stats->rank_solves == 0 && stats->rank == c.A->nrow);
        CHECK(stats->rcond > 1e-10); // a ratio of pivots, some of them chosen for other values
        tn_solver_destroy(solver);
        tn_sparse_destroy(c.A);
    }
}

static tn_sparse *full_matrix(int n)
{
    tn_sparse *A = NULL;
    CHECK_OK(tn_sparse_create(1, &n, 1, &n, 1, &(tn_pair_index){0, 0}, &A));
    for (int k = 0; k < A->nnz; k++)
        A->val[k] = tn_random();
    return A;
}

static void full_matrices_go_to_dense_lu(void)
{
    tn_sparse *A = full_matrix(60);
    tn_solver *solver = NULL;
    CHECK_OK(tn_solver_create(A, &solver));
    CHECK_TEXT(tn_solver_name(solver), "dense LU");
    check_against_dense_lu(solver, A);
    tn_solver_destroy(solver);
    tn_sparse_destroy(A);
}

// Rows in units that differ by 1e12 and columns by 1e6: the solution may not notice.
static void units_do_not_matter(void)
{
    for (int nbody = 1; nbody <= 10; nbody += 9) {
        const chain c = random_chain(nbody);
        const int n = c.A->nrow;
        double *x = random_vector(n), *b = calloc((size_t)n, sizeof(double));
        tn_solver *solver = NULL;
        for (int j = 0; j < n; j++)
            for (int k = c.A->colptr[j]; k < c.A->colptr[j + 1]; k++)
                c.A->val[k] *= pow(10.0, 3 * (c.A->rowind[k] % 5) - 6) * pow(10.0, j % 7 - 3);
        for (int j = 0; j < n; j++)
            x[j] *= pow(10.0, -(j % 7 - 3));
        tn_sparse_mul(c.A, 1.0, x, b);
        CHECK_OK(tn_solver_create(c.A, &solver));
        CHECK_OK(tn_solver_factor(solver, c.A));
        CHECK(solver->stats.rcond > 1e-6);
        tn_solver_solve(solver, b);
        for (int j = 0; j < n; j++)
            CHECK_NEAR(b[j] / x[j], 1.0, 1e3 * AGREEMENT); // per entry, some are small
        tn_solver_destroy(solver);
        tn_sparse_destroy(c.A);
        free(x);
        free(b);
    }
}

// Two bodies of mass m held together, beside a large one: (M C^T; C 0) is regular whatever m is.
// With a second row that repeats the first it is not, and the least squares move the bodies still.
static void small_inertias_count_where_they_are_told(void)
{
    for (int repeated = 0; repeated < 2; repeated++) {
        const int n = 4 + repeated;
        const double m = 1e-20, near = repeated ? 1e-4 : 1e-9; // round-off by the root of m
        tn_sparse *A = full_matrix(n);
        tn_zero(A->nnz, A->val);
        A->val[0] = A->val[n + 1] = m;
        A->val[2 * n + 2] = 1.0;
        for (int row = 3; row < n; row++) {
            A->val[row] = A->val[row * n] = 1.0; // v_0 - v_1 = 0
            A->val[n + row] = A->val[row * n + 1] = -1.0;
        }
        tn_solver *solver = NULL;
        CHECK_OK(tn_solver_create(A, &solver));
        CHECK(tn_solver_factor(solver, A) == TN_RETRY_SINGULAR);
        tn_solver_set_inertia(solver, 0, 0, 3);
        double b[5] = {2.0 * m, 4.0 * m, 5.0};
        const tn_status status = tn_solver_factor(solver, A);
        CHECK(status == (repeated ? TN_RETRY_SINGULAR : TN_OK));
        if (repeated)
            CHECK_OK(tn_solver_solve_rank(solver, A, b));
        else
            tn_solver_solve(solver, b);
        CHECK_NEAR(b[0], 3.0, near);
        CHECK_NEAR(b[1], 3.0, near);
        CHECK_NEAR(b[2], 5.0, near);
        tn_solver_destroy(solver);
        tn_sparse_destroy(A);
    }
}

// Two equal rows are singular in the scales by entries and by inertia; a small body is found after
// them all the same.
static void what_is_singular_in_one_scale_is_tried_in_the_other(void)
{
    enum { N = 4 };
    tn_sparse *A = full_matrix(N);
    tn_solver *solver = NULL;
    CHECK_OK(tn_solver_create(A, &solver));
    tn_solver_set_inertia(solver, 0, 0, 2);
    tn_zero(A->nnz, A->val);
    A->val[0] = A->val[N + 1] = 1.0;
    for (int row = 2; row < N; row++)
        A->val[row] = A->val[row * N] = 1.0;
    for (int k = 0; k < 3; k++) {
        CHECK(tn_solver_factor(solver, A) == TN_RETRY_SINGULAR);
        CHECK(solver->stats.factorizations == 2 * (k + 1));
    }
    A->val[0] = A->val[N + 1] = 1e-20;
    A->val[3] = A->val[3 * N] = 0.0; // the second row sees its own multiplier alone
    A->val[3 * N + 3] = 1.0;
    CHECK_OK(tn_solver_factor(solver, A));
    const long so_far = solver->stats.factorizations;
    CHECK_OK(tn_solver_factor(solver, A));
    CHECK(solver->stats.factorizations == so_far + 1);
    tn_solver_destroy(solver);
    tn_sparse_destroy(A);
}

// The first factorisation sees a matrix whose good pivots are the worst ones of the second.
static void pivots_are_chosen_anew_when_the_old_ones_are_poor(void)
{
    chain c = random_chain(10);
    tn_solver *solver = NULL;
    CHECK_OK(tn_solver_create(c.A, &solver));
    check_against_dense_lu(solver, c.A);
    CHECK(solver->stats.pivotings == 1);
    for (int k = 0; k < 3; k++) { // masses all but vanish: legal, B B^T stays regular on 5 of 6
        for (int j = 0; j < BODY * c.nbody; j++)
            for (int e = c.A->colptr[j]; e < c.A->colptr[j + 1]; e++)
                if (c.A->rowind[e] < BODY * c.nbody)
                    c.A->val[e] *= 1e-4;
        double *b = random_vector(c.A->nrow), *x = malloc((size_t)c.A->nrow * sizeof(double));
        tn_copy(c.A->nrow, b, x);
        CHECK_OK(tn_solver_factor(solver, c.A));
        tn_solver_solve(solver, x);
        // Backward error: the masses amplify the solution, not the residual.
        CHECK_NEAR(residual(c.A, x, b) / tn_norm_inf(c.A->nrow, x), 0.0, AGREEMENT);
        free(b);
        free(x);
    }
    CHECK(solver->stats.pivotings > 1);
    tn_solver_destroy(solver);
    tn_sparse_destroy(c.A);
}

// Adds to the first joint a combination of three of its rows, which leaves a pivot of the size of
// round-off, and for extra = 2 the double of another, which leaves an exact zero.
static const double mix[JOINT] = {0.37, 0.0, 1.13, 0.0, -0.71};

static chain redundant_chain(int nbody, int extra)
{
    const chain c = chain_pattern(nbody, extra);
    double B[2 * BODY] = {0};
    chain_values(&c);
    for (int j = 0; j < BODY; j++) {
        for (int k = 0; k < JOINT; k++)
            B[j] += mix[k] * tn_sparse_at(c.A, BODY * nbody + k, j);
        B[BODY + j] = 2.0 * tn_sparse_at(c.A, BODY * nbody + 3, j);
    }
    add_constraint(c.A, 2 * nbody, 0, extra, B);
    return c;
}

// Of minimum norm is what stands across the null vectors: multipliers that cancel each other.
// Scales of columns that differ by 1 / mass cost as many digits of it.
static void check_minimum_norm(const chain *c, int extra, double mass, const double *x)
{
    const double *joint = x + BODY * c->nbody, *added = joint + JOINT * c->nbody;
    const double size = tn_norm_inf(c->A->nrow, x), tol = fmax(AGREEMENT, 1e-15 / mass);
    CHECK_NEAR((tn_dot(JOINT, mix, joint) - added[0]) / size, 0.0, tol);
    if (extra > 1)
        CHECK_NEAR((2.0 * joint[3] - added[1]) / size, 0.0, tol);
}

static void check_redundant_chain(int nbody, int extra, double mass, const char *name)
{
    const chain c = redundant_chain(nbody, extra);
    const int n = c.A->nrow;
    double *x = random_vector(n), *b = calloc((size_t)n, sizeof(double));
    tn_solver *solver = NULL;
    for (int j = 0; j < BODY * nbody; j++)
        for (int k = c.A->colptr[j]; k < c.A->colptr[j + 1]; k++)
            c.A->val[k] *= c.A->rowind[k] < BODY * nbody ? mass : 1.0;
    for (int j = 0; j < BODY * nbody; j++)
        x[j] /= mass;              // so that forces and multipliers are of one size
    tn_sparse_mul(c.A, 1.0, x, b); // a right side that the equations can meet
    CHECK_OK(tn_solver_create(c.A, &solver));
    CHECK_TEXT(tn_solver_name(solver), name);
    CHECK_STATUS(tn_solver_factor(solver, c.A), TN_RETRY_SINGULAR);
    tn_copy(n, b, x);
    CHECK_OK(tn_solver_solve_rank(solver, c.A, x));
    CHECK(solver->stats.rank == n - extra);
    CHECK(solver->stats.rank_solves == 1);
    CHECK_NEAR(residual(c.A, x, b), 0.0, AGREEMENT * fmax(1.0, mass));
    check_minimum_norm(&c, extra, mass, x);
    tn_solver_destroy(solver);
    tn_sparse_destroy(c.A);
    free(x);
    free(b);
}

static void a_redundant_chain_gets_the_minimum_norm_solution(void)
{
    for (double mass = 1e-9; mass < 1e5; mass *= 1e3) {
        check_redundant_chain(1, 1, mass, "dense LU");
        check_redundant_chain(1, 2, mass, "KLU");
        check_redundant_chain(20, 2, mass, "KLU");
        check_redundant_chain(500, 1, mass, "KLU");
    }
}

// Columns in units that differ by 1e6, 7 = 2 (3) - 0.7 (5), and 9 is zero.
static void a_full_singular_matrix_gets_the_minimum_norm_solution(void)
{
    enum { N = 40 };
    tn_sparse *A = full_matrix(N);
    double x[N], b[N] = {0};
    for (int j = 0; j < N; j++) {
        tn_scale(N, pow(10.0, j % 7 - 3), A->val + j * N);
        x[j] = tn_random();
    }
    for (int i = 0; i < N; i++) {
        A->val[7 * N + i] = 2.0 * A->val[3 * N + i] - 0.7 * A->val[5 * N + i];
        A->val[9 * N + i] = 0.0;
    }
    tn_sparse_mul(A, 1.0, x, b);
    tn_solver *solver = NULL;
    CHECK_OK(tn_solver_create(A, &solver));
    CHECK_TEXT(tn_solver_name(solver), "dense LU");
    CHECK_STATUS(tn_solver_factor(solver, A), TN_RETRY_SINGULAR);
    tn_copy(N, b, x);
    CHECK_OK(tn_solver_solve_rank(solver, A, x));
    CHECK(solver->stats.rank == N - 2);
    CHECK_NEAR(residual(A, x, b), 0.0, AGREEMENT);
    // The range of the columns costs digits here, not in the equations.
    CHECK_NEAR(2.0 * x[3] - 0.7 * x[5] - x[7], 0.0, 1e3 * AGREEMENT * tn_norm_inf(N, x));
    CHECK_NEAR(x[9], 0.0, 1e3 * AGREEMENT * tn_norm_inf(N, x));
    tn_solver_destroy(solver);
    tn_sparse_destroy(A);
}

static void a_solver_recovers_after_a_singular_matrix(void)
{
    for (int nbody = 1; nbody <= 11; nbody += 10) {
        const chain c = random_chain(nbody);
        tn_solver *solver = NULL;
        CHECK_OK(tn_solver_create(c.A, &solver));
        check_against_dense_lu(solver, c.A);
        tn_sparse_clear(c.A);
        CHECK_STATUS(tn_solver_factor(solver, c.A), TN_RETRY_SINGULAR);
        double *b = random_vector(c.A->nrow);
        CHECK_OK(tn_solver_solve_rank(solver, c.A, b));
        CHECK(solver->stats.rank == 0 && tn_norm_inf(c.A->nrow, b) == 0.0);
        chain_values(&c);
        c.A->val[3] = NAN;
        CHECK_STATUS(tn_solver_factor(solver, c.A), TN_RETRY_SINGULAR);
        CHECK_STATUS(tn_solver_solve_rank(solver, c.A, b), TN_RETRY_SINGULAR);
        chain_values(&c);
        check_against_dense_lu(solver, c.A);
        CHECK(solver->stats.rank == c.A->nrow);
        tn_solver_destroy(solver);
        tn_sparse_destroy(c.A);
        free(b);
    }
}

static void an_empty_system_is_legal(void)
{
    tn_composition c;
    tn_solver *solver = NULL;
    CHECK_OK(tn_sparse_compose(0, 0, 0, NULL, &c));
    CHECK_OK(tn_solver_create(c.matrix, &solver));
    CHECK_OK(tn_solver_factor(solver, c.matrix));
    tn_solver_solve(solver, NULL);
    CHECK_OK(tn_solver_solve_rank(solver, c.matrix, NULL));
    tn_solver_destroy(solver);
    tn_solver_destroy(NULL);
    tn_composition_clear(&c);
}

// SuiteSparse has an allocator of its own.
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
    for (int nbody = 1; nbody <= 31; nbody += 30) {
        const chain c = random_chain(nbody);
        double *b = random_vector(c.A->nrow);
        tn_solver *solver = NULL;
        suitesparse_calls = 0;
        CHECK_OK(tn_solver_create(c.A, &solver));
        CHECK_OK(tn_solver_factor(solver, c.A));
        CHECK((suitesparse_calls > 0) == (nbody > 1)); // the counter works
        const long ours = tn_test_alloc_count(), theirs = suitesparse_calls;
        for (int k = 0; k < 20; k++) { // values drift by 10 % per step, as along a motion
            for (int e = 0; e < c.A->nnz; e++)
                c.A->val[e] *= 1.0 + 0.1 * tn_random();
            CHECK_OK(tn_solver_factor(solver, c.A));
            tn_solver_solve(solver, b);
            tn_scale(c.A->nrow, 1.0 / tn_norm_inf(c.A->nrow, b), b);
        }
        CHECK(tn_test_alloc_count() == ours);
        CHECK(suitesparse_calls == theirs);
        tn_solver_destroy(solver);
        tn_sparse_destroy(c.A);
        free(b);
    }
    set_standard_sparse_memory();
}

// The bytes that KLU holds for the factors, seen through its allocator, stand for the fill.
static size_t largest_block;

// The complement ----------------------------------------------------------------------------------

enum { SIDE = 48, SMALL_SIDE = 36, TIE = 2, STAND = 4 };

typedef struct {
    int n, row[600000], col[600000];
    double val[600000];
} entries;

static void add_entry(entries *e, int row, int col, double value)
{
    CHECK(e->n < TN_COUNT(e->row));
    e->row[e->n] = row;
    e->col[e->n] = col;
    e->val[e->n++] = value;
}

static void add_tie(entries *e, int row, int body, double unit)
{
    for (int k = 0; k < BODY; k++) {
        const double value = unit * tn_random();
        add_entry(e, row, BODY * body + k, value);
        add_entry(e, BODY * body + k, row, value);
    }
}

// The inertia of a body, and what it shares with those before it that it stands on, if `stand`
// bodies stand on each other.
static void add_inertia(entries *e, int body, int stand, double sign)
{
    for (int i = 0; i < BODY; i++)
        for (int j = 0; j < BODY; j++)
            add_entry(e, BODY * body + i, BODY * body + j,
                      sign * (i == j ? 3.0 + tn_random() : 0.2));
    for (int other = body - body % stand; other < body; other++)
        for (int i = 0; i < BODY; i++) {
            add_entry(e, BODY * body + i, BODY * other + i, 0.5);
            add_entry(e, BODY * other + i, BODY * body + i, 0.5);
        }
}

// Bodies at the nodes of a lattice with TIE rows to each neighbour, in units that differ by 30.
// `sign` is that of the inertia of one body.
static tn_sparse *random_lattice(int side, int stand, double sign)
{
    const int nbody = side * side, rows = 2 * side * (side - 1) * TIE;
    entries *e = calloc(1, sizeof *e);
    tn_sparse *A = NULL;
    for (int b = 0; b < nbody; b++)
        add_inertia(e, b, stand, b == nbody / 2 ? sign : 1.0);
    int row = BODY * nbody;
    for (int b = 0; b < nbody; b++)
        for (int across = 0; across < 2; across++)
            for (int k = 0; k < TIE && (across ? b % side : b / side) < side - 1; k++, row++) {
                const double unit = row % 7 == 0 ? 30.0 : 1.0;
                add_tie(e, row, b, unit);
                add_tie(e, row, across ? b + 1 : b + side, unit);
            }
    CHECK(row == BODY * nbody + rows && row >= TN_CONDENSE_FROM);
    CHECK_OK(tn_sparse_from_entries(row, row, e->n, e->row, e->col, e->val, &A));
    free(e);
    return A;
}

static void check_solution(tn_solver *solver, const tn_sparse *A)
{
    const int n = A->nrow;
    double *b = random_vector(n), *x = calloc((size_t)n, sizeof(double));
    tn_copy(n, b, x);
    CHECK_OK(tn_solver_factor(solver, A));
    tn_solver_solve(solver, x);
    CHECK(residual(A, x, b) < 4.0 * AGREEMENT); // an indefinite block loses a digit
    free(b);
    free(x);
}

static void check_condensed(tn_solver *solver, tn_sparse *A)
{
    check_solution(solver, A);
    CHECK(tn_is_condensed(solver->factor) && solver->stats.rcond > 1e-6);
    CHECK(strcmp(tn_solver_name(solver), "CHOLMOD") == 0);
    for (int k = 0; k < A->nnz; k++)
        A->val[k] *= 1.1;
    check_solution(solver, A);
    CHECK(tn_is_condensed(solver->factor));
}

static void lattices_of_bodies_are_condensed(void)
{
    tn_sparse *A = random_lattice(SIDE, 1, 1.0);
    tn_solver *solver = NULL;
    void *one_piece = NULL;
    tn_solver_stats stats = {0};
    tn_solver_fill whole = {0};
    int *width = calloc((size_t)A->nrow, sizeof(int)), narrow = 0;
    CHECK_OK(tn_solver_create(A, &solver));
    check_condensed(solver, A);
    // As many entries as KLU has for this order, to a third.
    CHECK_OK(tn_factor_klu.create(1, A, &one_piece));
    CHECK_OK(tn_factor_klu.factor(one_piece, A, &stats));
    tn_factor_klu.fill(one_piece, &whole);
    CHECK(tn_solver_fill_of(solver).fact < 1.3 * whole.fact);
    CHECK(tn_solver_widths(solver, width));
    for (int i = 0; i < A->nrow; i++)
        narrow += width[i] <= 0;
    CHECK(narrow == 0);
    tn_factor_klu.destroy(one_piece);
    tn_solver_destroy(solver);
    tn_sparse_destroy(A);
    free(width);
}

// As in joint coordinates.
static void bodies_that_stand_on_others_are_condensed(void)
{
    tn_sparse *A = random_lattice(SMALL_SIDE, STAND, 1.0);
    tn_solver *solver = NULL;
    CHECK_OK(tn_solver_create(A, &solver));
    check_condensed(solver, A);
    tn_solver_destroy(solver);
    tn_sparse_destroy(A);
}

// From then on by KLU.
static void what_is_not_symmetric_and_definite_is_not_condensed(void)
{
    for (int skew = 0; skew < 2; skew++) {
        tn_sparse *A = random_lattice(SIDE, 1, 1.0),
                  *B = random_lattice(SIDE, 1, skew ? 1.0 : -1.0);
        tn_solver *solver = NULL;
        if (skew)
            B->val[tn_sparse_place(B, 0, 1)] *= 1.5;
        CHECK_OK(tn_solver_create(A, &solver));
        check_solution(solver, A);
        CHECK(tn_is_condensed(solver->factor));
        check_solution(solver, B);
        CHECK(!tn_is_condensed(solver->factor));
        check_solution(solver, A);
        tn_solver_destroy(solver);
        tn_sparse_destroy(A);
        tn_sparse_destroy(B);
    }
}

static void *watching_realloc(void *block, size_t size)
{
    largest_block = size > largest_block ? size : largest_block;
    return realloc(block, size);
}

static size_t fill_of_chain(int nbody)
{
    const chain c = random_chain(nbody);
    double *x = random_vector(c.A->nrow), *b = calloc((size_t)c.A->nrow, sizeof(double));
    tn_solver *solver = NULL;
    tn_sparse_mul(c.A, 1.0, x, b);
    CHECK_OK(tn_solver_create(c.A, &solver));
    largest_block = 0;
    set_sparse_memory(malloc, calloc, watching_realloc); // KLU trims its factors with it at the end
    CHECK_OK(tn_solver_factor(solver, c.A));
    set_standard_sparse_memory();
    tn_solver_solve(solver, b);
    CHECK_NEAR(relative_distance(c.A->nrow, b, x), 0.0, 100.0 * AGREEMENT);
    tn_solver_destroy(solver);
    tn_sparse_destroy(c.A);
    free(x);
    free(b);
    return largest_block;
}

static void fill_grows_linearly_with_the_chain(void)
{
    const size_t half = fill_of_chain(1000), whole = fill_of_chain(2000);
    CHECK(half > 0);
    CHECK((double)whole < 2.2 * (double)half);
}

static void factors_too_large_for_the_machine_are_told(void)
{
    CHECK_OK(tn_factors_fit(1, 1000, 1e6, 12e6));
    CHECK(tn_factors_fit(1, 1000, 1e6, 11.9e6) == TN_ERR_MEMORY);
    CHECK(tn_factors_fit(2, 1000, 1e9, 16e9) == TN_ERR_MEMORY);
    CHECK(strstr(tn_last_error(), "1000 unknowns have 1e+09 entries and need 20 GB"));
    CHECK(strstr(tn_last_error(), "this machine has 16 GB"));
}

static void failing_memory_is_reported_and_nothing_is_lost(void)
{
    for (int nbody = 1; nbody <= 5; nbody += 4) {
        const chain c = random_chain(nbody);
        const long live = tn_test_alloc_live();
        bool failed = true;
        for (int n = 1; failed; n++) {
            tn_solver *solver = NULL;
            double *b = random_vector(c.A->nrow);
            tn_test_alloc_fail_at(n);
            tn_status s = tn_solver_create(c.A, &solver);
            if (s == TN_OK)
                s = tn_solver_factor(solver, c.A);
            if (s == TN_OK)
                s = tn_solver_solve_rank(solver, c.A, b);
            failed = tn_test_alloc_failed();
            CHECK(s == (failed ? TN_ERR_MEMORY : TN_OK));
            tn_solver_destroy(solver);
            CHECK(tn_test_alloc_live() == live);
            free(b);
        }
        tn_test_alloc_fail_at(0);
        tn_sparse_destroy(c.A);
    }
}

// KLU's own allocations fail one after the other. SPQR is left out: it does not survive that.
static long calls_left;

static void *failing_malloc(size_t size)
{
    return --calls_left == 0 ? NULL : malloc(size);
}

static void *failing_calloc(size_t count, size_t size)
{
    return --calls_left == 0 ? NULL : calloc(count, size);
}

static void failing_memory_inside_klu_is_reported(void)
{
    const chain c = random_chain(5);
    const long live = tn_test_alloc_live();
    int failures = 0;
    set_sparse_memory(failing_malloc, failing_calloc, realloc);
    for (calls_left = 0; calls_left <= 0; failures++) {
        tn_solver *solver = NULL;
        calls_left = failures + 1;
        tn_status s = tn_solver_create(c.A, &solver);
        if (s == TN_OK)
            s = tn_solver_factor(solver, c.A);
        CHECK(s == (calls_left > 0 ? TN_OK : TN_ERR_MEMORY));
        tn_solver_destroy(solver);
        CHECK(tn_test_alloc_live() == live);
    }
    set_standard_sparse_memory();
    CHECK(failures > 10);
    tn_sparse_destroy(c.A);
}

static void *no_malloc(size_t size)
{
    (void)size;
    return NULL;
}

// Large factors are copied for the solutions behind the first; without memory for that KLU goes on.
static void copies_of_large_factors_solve_what_these_solve(void)
{
    const chain c = random_chain(TN_CONDENSE_FROM / (BODY + JOINT) + 1);
    const int n = c.A->nrow;
    double *b = random_vector(n), *x = calloc((size_t)n, sizeof(double));
    tn_solver *solver = NULL;
    c.A->val[tn_sparse_place(c.A, 0, 1)] *= 1.5; // not symmetric, so it is not condensed
    CHECK_OK(tn_solver_create(c.A, &solver));
    for (int k = 0; k < 3; k++) {
        for (int e = 0; e < c.A->nnz; e++)
            c.A->val[e] *= 1.0 + 0.1 * tn_random();
        CHECK_OK(tn_solver_factor(solver, c.A));
        CHECK(!tn_is_condensed(solver->factor));
        if (k == 0)
            set_sparse_memory(no_malloc, calloc, realloc);
        for (int i = 0; i < 4; i++) {
            tn_copy(n, b, x);
            tn_solver_solve(solver, x);
            CHECK(residual(c.A, x, b) < AGREEMENT);
        }
        set_standard_sparse_memory();
    }
    tn_solver_destroy(solver);
    tn_sparse_destroy(c.A);
    free(b);
    free(x);
}

static const tn_test tests[] = {
    {"KLU and dense LU agree, also with changed values",
     klu_and_dense_lu_agree_also_with_changed_values},
    {"full matrices go to dense LU", full_matrices_go_to_dense_lu},
    {"units do not matter", units_do_not_matter},
    {"small inertias count where they are told", small_inertias_count_where_they_are_told},
    {"what is singular in one scale is tried in the other",
     what_is_singular_in_one_scale_is_tried_in_the_other},
    {"pivots are chosen anew when the old ones are poor",
     pivots_are_chosen_anew_when_the_old_ones_are_poor},
    {"a redundant chain gets the minimum-norm solution",
     a_redundant_chain_gets_the_minimum_norm_solution},
    {"a full singular matrix gets the minimum-norm solution",
     a_full_singular_matrix_gets_the_minimum_norm_solution},
    {"a solver recovers after a singular matrix", a_solver_recovers_after_a_singular_matrix},
    {"an empty system is legal", an_empty_system_is_legal},
    {"nothing allocates after the first factorisation",
     nothing_allocates_after_the_first_factorisation},
    {"fill grows linearly with the chain", fill_grows_linearly_with_the_chain},
    {"lattices of bodies are condensed", lattices_of_bodies_are_condensed},
    {"bodies that stand on others are condensed", bodies_that_stand_on_others_are_condensed},
    {"what is not symmetric and definite is not condensed",
     what_is_not_symmetric_and_definite_is_not_condensed},
    {"factors too large for the machine are told", factors_too_large_for_the_machine_are_told},
    {"failing memory is reported and nothing is lost",
     failing_memory_is_reported_and_nothing_is_lost},
    {"failing memory inside KLU is reported", failing_memory_inside_klu_is_reported},
    {"copies of large factors solve what these solve",
     copies_of_large_factors_solve_what_these_solve},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
