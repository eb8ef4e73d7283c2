// SPDX-License-Identifier: MIT
//
// Block elimination along a forest: against KLU on the matrices of random mechanisms in absolute
// coordinates, real and complex, with rows left out; where nodes are singular by themselves, or the
// whole matrix is; and which matrices it is offered for.

#include "cross/random_mechanism.h"
#include "formulation/corrector.h"
#include "formulation/formulation_list.h"
#include "linalg/dense.h"
#include "linalg/solver_parts.h"
#include "linalg/zsolver.h"
#include "system/absolute.h"

// |A x - b| / (|A| |x| + |b|) in maximum norms: 1e-17 to 1e-15 as a rule, and more where rows of a
// node enter its parent with large factors, of which the solver lets pass two digits unchecked.
static const double BACKWARD = 1e-13;

static double *random_vector(int n)
{
    double *x = calloc((size_t)n + 1, sizeof(double));
    for (int i = 0; i < n; i++)
        x[i] = tn_random();
    return x;
}

static double row_norm(const tn_sparse *A, int parts) // of 2-vectors for complex values, above it
{
    double *sum = calloc((size_t)A->nrow + 1, sizeof(double)), norm;
    for (int k = 0; k < A->nnz; k++)
        for (int part = 0; part < parts; part++)
            sum[A->rowind[k]] += fabs(A->val[parts * k + part]);
    norm = tn_norm_inf(A->nrow, sum);
    free(sum);
    return norm;
}

static double backward_error(const tn_sparse *A, const double *x, const double *b)
{
    double *r = calloc((size_t)A->nrow + 1, sizeof(double));
    tn_copy(A->nrow, b, r);
    tn_sparse_mul(A, -1.0, x, r);
    const double error = tn_norm_inf(A->nrow, r) /
                         (row_norm(A, 1) * tn_norm_inf(A->nrow, x) + tn_norm_inf(A->nrow, b));
    free(r);
    return error;
}

static double distance(int n, const double *x, const double *y)
{
    double d = 0.0;
    for (int i = 0; i < n; i++)
        d = fmax(d, fabs(x[i] - y[i]));
    return d / tn_norm_inf(n, y);
}

// Matrices of mechanisms --------------------------------------------------------------------------

typedef struct matrix {
    tn_composition made;
    tn_sparse *A;
} matrix;

// (M B^T; B 0) of a system where it was evaluated last, with unit rows for those left out.
static matrix kkt(const tn_system *sys, const bool *left_out)
{
    const tn_sparse *M = sys->block[TN_BLOCK_M], *B = sys->block[TN_BLOCK_B];
    const tn_placement place[] = {
        {.source = M},
        {.source = B, .row0 = sys->nv},
        {.source = B, .col0 = sys->nv, .transposed = true},
        {.size = sys->ng, .row0 = sys->nv, .col0 = sys->nv},
    };
    matrix m = {0};
    CHECK_OK(tn_sparse_compose(sys->nv + sys->ng, TN_COUNT(place), place, &m.made));
    m.A = m.made.matrix;
    tn_sparse_scatter(m.A->val, m.made.maps[0], M->nnz, 1.0, M->val);
    tn_sparse_scatter(m.A->val, m.made.maps[1], B->nnz, 1.0, B->val);
    tn_sparse_scatter(m.A->val, m.made.maps[2], B->nnz, 1.0, B->val);
    for (int k = 0; k < m.A->nnz; k++)
        if (m.A->rowind[k] >= sys->nv && left_out[m.A->rowind[k] - sys->nv])
            m.A->val[k] = 0.0;
    for (int i = 0; i < sys->ng; i++)
        if (left_out[i])
            m.A->val[m.made.maps[3][i]] = 1.0;
    return m;
}

typedef struct scene {
    mechanism m;
    tn_system *sys;
    double *q; // and all the others after it
    tn_point at;
} scene;

static scene open_scene(int seed, int bodies, tn_rotation rotation)
{
    scene s = {.m = random_mechanism_of(seed, bodies)};
    CHECK_OK(tn_absolute_create(s.m.model, rotation, false, &s.sys));
    const tn_system *sys = s.sys;
    s.q = random_vector(sys->nq + 2 * sys->nv + sys->ng + sys->nr);
    double *v = s.q + sys->nq, *a = v + sys->nv, *lambda = a + sys->nv, *r = lambda + sys->ng;
    s.at = (tn_point){.q = s.q, .v = v, .a = a, .lambda = lambda, .r = r};
    tn_absolute_start(sys, s.q, v, r);
    CHECK_OK(tn_system_eval(s.sys, &s.at, TN_EVAL_MASS | TN_EVAL_B));
    return s;
}

static void close_scene(scene *s)
{
    tn_system_destroy(s->sys);
    tn_model_destroy(s->m.model);
    free(s->q);
}

static bool fits(const tn_sparse *A, const tn_forest *along)
{
    bool answer = false;
    if (along->nnode > 0)
        CHECK_OK(tn_forest_fits(A, along, &answer));
    return answer;
}

// By the tree whatever its nodes are worth, and by KLU. Singular matrices are for other tests.
static bool check_against_klu(const tn_sparse *A, const tn_forest *along)
{
    const int n = A->nrow;
    void *tree = NULL, *klu = NULL;
    tn_solver_stats by_tree = {0}, by_klu = {0};
    double *b = random_vector(n), *x = random_vector(n), *y = random_vector(n);
    tn_copy(n, b, x);
    tn_copy(n, b, y);
    CHECK_OK(tn_factor_tree.create(A, along, &tree));
    CHECK_OK(tn_factor_klu.create(A, NULL, &klu));
    const tn_status status = tn_factor_klu.factor(klu, A, &by_klu);
    const bool regular = status == TN_OK && by_klu.rcond > 1e-9;
    if (regular) {
        for (int k = 0; k < 2; k++) // nothing is left of the first time
            CHECK_OK(tn_factor_tree.factor(tree, A, &by_tree));
        tn_factor_tree.solve(tree, x);
        tn_factor_klu.solve(klu, y);
        CHECK(backward_error(A, x, b) <= BACKWARD);
        CHECK(distance(n, x, y) <= 1e-14 / fmin(by_klu.rcond, by_tree.rcond));
    }
    tn_factor_tree.destroy(tree);
    tn_factor_klu.destroy(klu);
    free(b);
    free(x);
    free(y);
    return regular;
}

static void check_complex(const tn_sparse *pattern, const tn_forest *along)
{
    const int n = pattern->nrow;
    tn_sparse A = *pattern;
    double *b = random_vector(2 * n), *x = random_vector(2 * n), *y = random_vector(2 * n);
    void *tree = NULL, *klu = NULL;
    tn_solver_stats by_tree = {0}, by_klu = {0};
    A.val = random_vector(2 * pattern->nnz);
    for (int k = 0; k < pattern->nnz; k++) { // rows turned and a little more
        const double angle = 0.3 * pattern->rowind[k], value = pattern->val[k];
        A.val[2 * k] = value * cos(angle) + (value != 0.0 ? 0.05 * A.val[2 * k] : 0.0);
        A.val[2 * k + 1] = value * sin(angle);
    }
    tn_copy(2 * n, b, x);
    tn_copy(2 * n, b, y);
    CHECK_OK(tn_factor_tree_complex.create(&A, along, &tree));
    CHECK_OK(tn_factor_klu_complex.create(&A, NULL, &klu));
    if (tn_factor_klu_complex.factor(klu, &A, &by_klu) == TN_OK && by_klu.rcond > 1e-9) {
        CHECK_OK(tn_factor_tree_complex.factor(tree, &A, &by_tree));
        tn_factor_tree_complex.solve(tree, x);
        tn_factor_klu_complex.solve(klu, y);
        CHECK(distance(2 * n, x, y) <= 1e-13 / fmin(by_klu.rcond, by_tree.rcond));
    }
    tn_factor_tree_complex.destroy(tree);
    tn_factor_klu_complex.destroy(klu);
    free(A.val);
    free(b);
    free(x);
    free(y);
}

static void accelerations_of_random_trees_equal_those_by_klu(void)
{
    int done = 0, with_rows_left_out = 0;
    for (int seed = 1; seed <= 300; seed++) {
        scene s = open_scene(seed, 1 + seed % 40, seed % 2 ? TN_ROTATION_SO3 : TN_ROTATION_SE3);
        bool *left_out = calloc((size_t)s.sys->ng + 1, sizeof *left_out), some = false;
        for (int i = 0; i < s.sys->ng; i++) {
            left_out[i] = seed % 3 == 0 && random_int(5) == 0;
            some = some || left_out[i];
        }
        matrix m = kkt(s.sys, left_out);
        if (fits(m.A, &s.sys->forest) && check_against_klu(m.A, &s.sys->forest)) {
            check_complex(m.A, &s.sys->forest);
            done++;
            with_rows_left_out += some;
        }
        tn_composition_clear(&m.made);
        free(left_out);
        close_scene(&s);
    }
    CHECK(done > 80 && with_rows_left_out > 20);
}

static void matrices_of_the_corrector_are_solved_as_by_klu(void)
{
    int cores = 0, projections = 0;
    for (int seed = 1; seed <= 200; seed++) {
        scene s = open_scene(seed, 1 + seed % 25, seed % 2 ? TN_ROTATION_SO3 : TN_ROTATION_SE3);
        tn_problem *problem = NULL;
        double *dx = random_vector(s.sys->nv);
        tn_zero(s.sys->nv, dx);
        CHECK_OK(tn_problem_create(s.sys, &tn_formulation_ggl, NULL, &problem));
        CHECK_OK(tn_problem_begin(problem, &s.at));
        CHECK_OK(tn_problem_factor(
            problem, &s.at, dx,
            (tn_weights){.h = 0.01, .q = 0.01, .v = 1.8, .a = 200.0, .c = 100.0}));
        const tn_sparse *core = tn_problem_matrix(problem);
        const tn_sparse *projection = tn_problem_projection(problem);
        if (fits(core, &s.sys->forest))
            cores += check_against_klu(core, &s.sys->forest);
        if (projection && fits(projection, &s.sys->forest))
            projections += check_against_klu(projection, &s.sys->forest);
        tn_problem_destroy(problem);
        free(dx);
        close_scene(&s);
    }
    CHECK(cores > 30 && projections > 50);
}

// Matrices made by hand ---------------------------------------------------------------------------

enum { NODE = 10 };

typedef struct blocks {
    tn_sparse *A;
    int parent[8], node[8 * NODE];
    tn_forest forest;
} blocks;

// Nodes of ten unknowns, full blocks within a node and to its parent; all values random, those of
// the diagonal larger.
static blocks *open_blocks(int nnode, const int *parent)
{
    blocks *c = calloc(1, sizeof *c);
    int size[8], count = 0;
    tn_pair_index pairs[24];
    for (int k = 0; k < nnode; k++) {
        size[k] = NODE;
        c->parent[k] = parent[k];
        pairs[count++] = (tn_pair_index){k, k};
        if (parent[k] >= 0) {
            pairs[count++] = (tn_pair_index){k, parent[k]};
            pairs[count++] = (tn_pair_index){parent[k], k};
        }
        for (int i = 0; i < NODE; i++)
            c->node[NODE * k + i] = k;
    }
    CHECK_OK(tn_sparse_create(nnode, size, nnode, size, count, pairs, &c->A));
    c->forest = (tn_forest){nnode, c->parent, c->node, c->node};
    for (int k = 0; k < c->A->nnz; k++)
        c->A->val[k] = tn_random();
    for (int k = 0; k < nnode; k++)
        for (int i = 0; i < NODE; i++)
            c->A->val[c->A->colptr[NODE * k + i] + tn_sparse_slot(c->A, k, k).offset + i] += 8.0;
    return c;
}

static void close_blocks(blocks *c)
{
    tn_sparse_destroy(c->A);
    free(c);
}

// Multiplies the diagonal block of a node.
static void scale_node(blocks *c, int node, double scale)
{
    const tn_slot at = tn_sparse_slot(c->A, node, node);
    for (int j = 0; j < at.ncol; j++)
        for (int i = 0; i < at.nrow; i++)
            c->A->val[c->A->colptr[at.col + j] + at.offset + i] *= scale;
}

static const int branches[8] = {-1, 0, 1, 0, 3, 3, -1, 6}; // two trees

static void forests_of_full_blocks_are_solved(void)
{
    blocks *c = open_blocks(8, branches);
    tn_solver *solver = NULL;
    CHECK_OK(tn_solver_create_along(c->A, &c->forest, &solver));
    CHECK_TEXT(tn_solver_name(solver), "tree");
    CHECK(check_against_klu(c->A, &c->forest));
    check_complex(c->A, &c->forest);
    tn_solver_destroy(solver);
    close_blocks(c);
}

// The block of a leaf vanishes, or nearly: its unknowns follow from the rows of its parent and the
// other way round, and the matrix is as regular as before.
static void a_node_that_is_singular_by_itself_goes_to_klu(void)
{
    static const double scales[] = {0.0, 1e-13, 1e-8, 1e-7};
    for (int k = 0; k < TN_COUNT(scales); k++) {
        blocks *c = open_blocks(2, branches);
        scale_node(c, 1, scales[k]);
        const int n = c->A->nrow;
        tn_solver *solver = NULL;
        double *b = random_vector(n), *x = random_vector(n);
        CHECK_OK(tn_solver_create_along(c->A, &c->forest, &solver));
        CHECK_TEXT(tn_solver_name(solver), "tree");
        CHECK_OK(tn_solver_factor(solver, c->A));
        CHECK_TEXT(tn_solver_name(solver), "KLU");
        CHECK(tn_solver_statistics(solver)->rcond > 1e-6);
        tn_copy(n, b, x);
        tn_solver_solve(solver, x);
        CHECK(backward_error(c->A, x, b) <= BACKWARD);

        CHECK_OK(tn_solver_factor(solver, c->A)); // and again, without a new trial
        CHECK(tn_solver_statistics(solver)->pivotings == 1);
        CHECK_TEXT(tn_solver_name(solver), "KLU");
        tn_solver_destroy(solver);
        free(b);
        free(x);
        close_blocks(c);
    }
}

// Row 3 becomes a copy of row 2 in the root, for which a least-squares solution is asked.
static void singular_matrices_are_told_and_solved_by_rank(void)
{
    blocks *c = open_blocks(8, branches);
    tn_sparse *A = c->A;
    for (int j = 0; j < A->ncol; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            if (A->rowind[k] == 2)
                A->val[k + 1] = A->val[k]; // blocks are full: row 3 is next
    const int n = A->nrow;
    tn_solver *solver = NULL;
    double *ones = random_vector(n), *b = random_vector(n), *x = random_vector(n);
    tn_zero(n, b);
    tn_sparse_mul(A, 1.0, ones, b);
    tn_copy(n, b, x);
    CHECK_OK(tn_solver_create_along(A, &c->forest, &solver));
    CHECK_STATUS(tn_solver_factor(solver, A), TN_RETRY_SINGULAR);
    CHECK_OK(tn_solver_solve_rank(solver, A, x));
    CHECK(tn_solver_statistics(solver)->rank == n - 1);
    CHECK(backward_error(A, x, b) <= 1e-12); // orthogonal factors of the whole
    const double kept = A->val[0];
    A->val[0] = NAN;
    CHECK_STATUS(tn_solver_factor(solver, A), TN_RETRY_SINGULAR);
    A->val[0] = kept;
    for (int k = A->colptr[3]; k < A->colptr[4]; k++)
        A->val[k] += A->rowind[k] == 3 ? 8.0 : 0.0;
    CHECK_OK(tn_solver_factor(solver, A));
    CHECK_TEXT(tn_solver_name(solver), "tree"); // once it is regular again
    tn_copy(n, b, x);
    tn_solver_solve(solver, x);
    CHECK(backward_error(A, x, b) <= BACKWARD);
    tn_solver_destroy(solver);
    free(ones);
    free(b);
    free(x);
    close_blocks(c);
}

// What it is offered for --------------------------------------------------------------------------

static const char *solver_for(const tn_sparse *A, const tn_forest *along)
{
    tn_solver *solver = NULL;
    CHECK_OK(tn_solver_create_along(A, along, &solver));
    const char *name = tn_solver_name(solver);
    tn_solver_destroy(solver);
    return name;
}

static void patterns_off_the_forest_go_to_klu(void)
{
    blocks *c = open_blocks(8, branches);
    static const int other[8] = {-1, 0, 0, 0, 3, 3, -1, 6}; // 2 hangs on 1, not on 0
    CHECK_TEXT(solver_for(c->A, &c->forest), "tree");
    CHECK_TEXT(solver_for(c->A, NULL), "KLU");
    CHECK_TEXT(solver_for(c->A, &(tn_forest){0}), "KLU");
    memcpy(c->parent, other, sizeof other);
    CHECK_TEXT(solver_for(c->A, &c->forest), "KLU");
    memcpy(c->parent, branches, sizeof branches);
    int moved[8 * NODE]; // a row without its column
    memcpy(moved, c->node, sizeof moved);
    moved[NODE] = 0;
    CHECK_TEXT(solver_for(c->A, &(tn_forest){8, c->parent, moved, c->node}), "KLU");
    int wide[8 * NODE] = {0}; // all in one node, which is too large
    CHECK_TEXT(solver_for(c->A, &(tn_forest){1, c->parent, wide, wide}), "KLU");
    close_blocks(c);
}

static tn_model *chain(int n, bool planar)
{
    tn_model *model = tn_model_create();
    for (int k = 0; k < n; k++) {
        tn_body_def link = tn_default_body();
        link.kind = planar ? TN_BODY_PLANAR : TN_BODY_RIGID;
        link.mass = 1.0;
        link.inertia = (tn_vec3){0.1, 0.2, 0.3};
        link.frame.p.x = k + 0.5;
        tn_joint_def pin = tn_default_joint(planar ? TN_JOINT_PLANAR_REVOLUTE : TN_JOINT_REVOLUTE);
        pin.body_a = (tn_body){k};
        pin.body_b = tn_add_body(model, &link);
        pin.frame_a.p.x = k == 0 ? 0.0 : 0.5;
        pin.frame_b.p.x = -0.5;
        tn_add_joint(model, &pin);
    }
    return model;
}

static void add_spring(tn_model *model, int a, int b)
{
    tn_force_def spring = tn_default_force(TN_FORCE_SPRING);
    spring.body_a = (tn_body){a};
    spring.body_b = (tn_body){b};
    spring.spring.stiffness = 1.0;
    tn_add_force(model, &spring);
}

static void check_solvers(tn_model *model, const char *accelerations, const char *core)
{
    tn_system *sys = NULL;
    tn_problem *problem = NULL;
    CHECK_OK(tn_absolute_create(model, TN_ROTATION_SO3, false, &sys));
    bool *none = calloc((size_t)sys->ng + 1, sizeof *none);
    matrix m = kkt(sys, none);
    CHECK_TEXT(solver_for(m.A, &sys->forest), accelerations);
    CHECK_OK(tn_problem_create(sys, &tn_formulation_ggl, NULL, &problem));
    CHECK_TEXT(tn_problem_solver(problem), core);
    tn_problem_destroy(problem);
    tn_composition_clear(&m.made);
    tn_system_destroy(sys);
    tn_model_destroy(model);
    free(none);
}

static void spatial_trees_are_eliminated_along_their_joints(void)
{
    check_solvers(chain(5, false), "tree", "tree");
    check_solvers(chain(5, true), "KLU", "KLU"); // small nodes

    tn_model *model = chain(5, false);
    add_spring(model, 2, 3);
    add_spring(model, 0, 4);
    check_solvers(model, "tree", "tree");

    model = chain(5, false); // across a body: in the stiffness, not among the masses
    add_spring(model, 2, 4);
    check_solvers(model, "tree", "KLU");

    model = chain(5, false); // a loop through the ground
    tn_joint_def pin = tn_default_joint(TN_JOINT_SPHERICAL);
    pin.body_b = (tn_body){5};
    pin.frame_a.p.x = 5.0;
    pin.frame_b.p.x = 0.5;
    tn_add_joint(model, &pin);
    check_solvers(model, "KLU", "KLU");
}

// Bodies that only springs hold together, and joints that begin with the later body.
static void forces_lead_on_where_joints_end(void)
{
    tn_model *model = tn_model_create();
    tn_body_def link = tn_default_body();
    link.mass = 1.0;
    link.inertia = (tn_vec3){0.1, 0.2, 0.3};
    for (int k = 0; k < 6; k++) {
        link.frame.p.x = k;
        tn_add_body(model, &link);
    }
    static const int pairs[][2] = {{6, 0}, {5, 6}, {2, 1}};
    for (int k = 0; k < TN_COUNT(pairs); k++) {
        tn_joint_def pin = tn_default_joint(TN_JOINT_FIXED);
        pin.body_a = (tn_body){pairs[k][0]};
        pin.body_b = (tn_body){pairs[k][1]};
        tn_add_joint(model, &pin);
    }
    add_spring(model, 2, 5); // 2 carries 1 then
    add_spring(model, 1, 4);
    tn_system *sys = NULL;
    CHECK_OK(tn_absolute_create(model, TN_ROTATION_SO3, false, &sys));
    CHECK(sys->forest.nnode == 6);
    const int *node = sys->forest.row, *parent = sys->forest.parent;
    int at[7]; // node of each body, by its first velocity
    for (int k = 1; k <= 6; k++)
        at[k] = node[6 * (k - 1)];
    CHECK(parent[at[6]] == -1 && parent[at[3]] == -1);
    CHECK(parent[at[5]] == at[6] && parent[at[2]] == at[5] && parent[at[1]] == at[2]);
    CHECK(parent[at[4]] == at[1]);
    CHECK(node[36] == at[6] && node[42] == at[5] && node[48] == at[1]); // rows of the joints
    check_solvers(model, "tree", "tree");
    tn_system_destroy(sys);
}

typedef struct verdict {
    const char *name;
    long pivotings;
    double error;
} verdict;

static verdict accelerations_of(tn_model *model)
{
    tn_system *sys = NULL;
    CHECK_OK(tn_absolute_create(model, TN_ROTATION_SO3, false, &sys));
    double *q = random_vector(sys->nq + sys->nv + sys->nr), *v = q + sys->nq;
    tn_absolute_start(sys, q, v, v + sys->nv);
    CHECK_OK(tn_system_eval(sys, &(tn_point){.q = q, .v = v}, TN_EVAL_MASS | TN_EVAL_B));
    bool *none = calloc((size_t)sys->ng + 1, sizeof *none);
    matrix m = kkt(sys, none);
    const int n = m.A->nrow;
    double *b = random_vector(n), *x = random_vector(n);
    tn_solver *solver = NULL;
    tn_copy(n, b, x);
    CHECK_OK(tn_solver_create_along(m.A, &sys->forest, &solver));
    CHECK_OK(tn_solver_factor(solver, m.A));
    const long before = tn_test_alloc_count();
    CHECK_OK(tn_solver_factor(solver, m.A));
    tn_solver_solve(solver, x);
    CHECK(tn_test_alloc_count() == before);
    const verdict all = {tn_solver_name(solver), tn_solver_statistics(solver)->pivotings,
                         backward_error(m.A, x, b)};
    tn_solver_destroy(solver);
    tn_composition_clear(&m.made);
    tn_system_destroy(sys);
    tn_model_destroy(model);
    free(b);
    free(x);
    free(q);
    free(none);
    return all;
}

// Across its parallel axes a straight chain is a stiff beam.
static void chains_that_lose_digits_go_to_klu(void)
{
    const verdict of_10 = accelerations_of(chain(10, false));
    const verdict of_1000 = accelerations_of(chain(1000, false));
    CHECK_TEXT(of_10.name, "tree");
    CHECK(of_10.error <= BACKWARD && of_10.pivotings == 0);
    CHECK_TEXT(of_1000.name, "KLU");
    CHECK(of_1000.error <= BACKWARD && of_1000.pivotings == 1);
}

static void long_chains_with_other_axes_do_not(void)
{
    tn_model *model = chain(3000, false);
    for (int k = 0; k < model->joints.count; k++) {
        tn_joint_def *def = &model->joints.at[k].def;
        def->frame_a.R = def->frame_b.R = k % 2 ? tn_m3_rot_x(1.0) : tn_m3_rot_y(-0.7);
    }
    const verdict found = accelerations_of(model);
    CHECK_TEXT(found.name, "tree");
    CHECK(found.error <= BACKWARD && found.pivotings == 0);
}

static void failing_memory_is_reported_and_nothing_is_lost(void)
{
    for (int vanish = 0; vanish < 2; vanish++) { // with 1, KLU comes into it
        blocks *c = open_blocks(8, branches);
        scale_node(c, 2, vanish ? 0.0 : 1.0);
        const long live = tn_test_alloc_live();
        bool failed = true;
        for (int n = 1; failed; n++) {
            tn_solver *solver = NULL;
            tn_test_alloc_fail_at(n);
            tn_status s = tn_solver_create_along(c->A, &c->forest, &solver);
            if (s == TN_OK)
                s = tn_solver_factor(solver, c->A);
            failed = tn_test_alloc_failed();
            CHECK(s == (failed ? TN_ERR_MEMORY : TN_OK));
            tn_solver_destroy(solver);
            CHECK(tn_test_alloc_live() == live);
        }
        tn_test_alloc_fail_at(0);
        close_blocks(c);
    }
}

static const tn_test tests[] = {
    {"accelerations of random trees equal those by KLU",
     accelerations_of_random_trees_equal_those_by_klu},
    {"matrices of the corrector are solved as by KLU",
     matrices_of_the_corrector_are_solved_as_by_klu},
    {"forests of full blocks are solved", forests_of_full_blocks_are_solved},
    {"a node that is singular by itself goes to KLU",
     a_node_that_is_singular_by_itself_goes_to_klu},
    {"singular matrices are told and solved by rank",
     singular_matrices_are_told_and_solved_by_rank},
    {"patterns off the forest go to KLU", patterns_off_the_forest_go_to_klu},
    {"spatial trees are eliminated along their joints",
     spatial_trees_are_eliminated_along_their_joints},
    {"forces lead on where joints end", forces_lead_on_where_joints_end},
    {"chains that lose digits go to KLU", chains_that_lose_digits_go_to_klu},
    {"long chains with other axes do not", long_chains_with_other_axes_do_not},
    {"failing memory is reported and nothing is lost",
     failing_memory_is_reported_and_nothing_is_lost},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
