// SPDX-License-Identifier: MIT
//
// Problems: the iteration matrix of every formulation against differences of its residual, through
// the relations of an integrator, on models with every element and on user functions with every
// kind of variable, with all rows and with some left out. Of the rows of acceleration level the
// matrix has what corrector.c promises, no more.

#include "formulation/corrector_parts.h"
#include "probe.h"
#include "system/callbacks.h"
#include "test.h"
#include "workshop.h"

// With weights of baumgarte, which simulations choose by the pace of the motion.
static tn_sim_options usual_options(void)
{
    tn_sim_options options = tn_default_sim();
    options.baumgarte_alpha = options.baumgarte_beta = 20.0;
    return options;
}

// Differences of fourth order (probe.h) on the models; user functions are differenced inside as
// well.
static const double EXACT = 1e-9, NESTED = 1e-6;

// One implicit step: v = v0 + wv u, a = a0 + wa u, c' = c0 + wc c, q = q0 o exp(h x).
typedef struct implicit {
    tn_problem *problem;
    tn_layout at;
    tn_weights w;
    probe p;       // start configuration in q; q1, v1 are the end point
    double *y, *r; // n
    double *a1, *lambda, *eta, *cdot, *dx;
    double *qc, *uc, *qm; // where derivatives are taken: configuration and u; a moved configuration
    double *block;
} implicit;

// Of stabilised formulations in parts, or (exact) by one matrix.
static implicit open_step(probe p, const tn_formulation *formulation, bool exact)
{
    implicit s = {.p = p, .w = {.h = 0.05, .q = 0.05, .v = 1.9, .a = 70.0, .c = 35.0}};
    tn_system *sys = p.sys;
    const tn_sim_options options = usual_options();
    CHECK_OK(tn_problem_create(sys, formulation, &options, &s.problem));
    CHECK_OK(tn_problem_set_exact(s.problem, exact));
    s.at = s.problem->at;
    const int size[] = {s.at.n,  s.at.n,  sys->nv, sys->ng, sys->nn,
                        sys->nc, sys->nv, sys->nq, sys->nv, sys->nq};
    double **part[] = {&s.y, &s.r, &s.a1, &s.lambda, &s.eta, &s.cdot, &s.dx, &s.qc, &s.uc, &s.qm};
    size_t total = 1;
    for (int k = 0; k < TN_COUNT(size); k++)
        total += (size_t)size[k];
    s.block = calloc(total, sizeof(double));
    CHECK(s.block != NULL);
    double *next = s.block;
    for (int k = 0; k < TN_COUNT(size); k++) {
        *part[k] = next;
        next += size[k];
    }
    random_fill(s.at.n, s.y);
    const tn_point start = probe_point(&p);
    CHECK_OK(tn_problem_begin(s.problem, &start));
    return s;
}

static void close_step(implicit *s)
{
    tn_problem_destroy(s->problem);
    free(s->block);
}

// The end point that belongs to y.
static tn_point unfold(implicit *s)
{
    probe *p = &s->p;
    const tn_system *sys = p->sys;
    for (int i = 0; i < sys->nv; i++) {
        s->dx[i] = s->w.h * s->y[s->at.x + i];
        p->v1[i] = p->v[i] + s->w.v * s->y[s->at.u + i];
        s->a1[i] = p->a[i] + s->w.a * s->y[s->at.u + i];
    }
    tn_group_retract(sys->ngroup, sys->groups, p->q, s->dx, p->q1);
    for (int i = 0; i < sys->ng; i++)
        s->lambda[i] = s->y[s->at.lambda + i] / s->w.h;
    for (int i = 0; i < sys->nn; i++)
        s->eta[i] = s->y[s->at.eta + i] / s->w.h;
    for (int i = 0; i < sys->nc; i++)
        s->cdot[i] = 0.3 + s->w.c * s->y[s->at.e + i];
    return (tn_point){p->t, p->q1, p->v1, s->a1, s->lambda, s->eta, s->y + s->at.e, p->r};
}

// Replaces the rows of acceleration level by those whose derivatives the matrix has: B v' + gamma
// at constant q, and of N v' + ngamma what changes with v' and, by NZ, with the q on which v acts.
// Baumgarte's terms are complete.
static void keep_known(implicit *s, const tn_point *at)
{
    tn_system *sys = s->p.sys;
    const tn_formulation *f = s->problem->formulation;
    const tn_sim_options options = usual_options();
    const double alpha = f->baumgarte ? 2.0 * options.baumgarte_alpha : 0.0;
    const double beta = f->baumgarte ? options.baumgarte_beta * options.baumgarte_beta : 0.0;
    double *lambda = s->r + s->at.lambda, *eta = s->r + s->at.eta;
    tn_point here = *at;
    CHECK_OK(tn_system_eval(sys, at, TN_EVAL_G | TN_EVAL_B | TN_EVAL_GDOT));
    for (int i = 0; i < sys->ng; i++)
        lambda[i] = alpha * sys->gdot[i] + beta * sys->g[i];
    for (int i = 0; i < sys->nn; i++)
        eta[i] = alpha * sys->ndot[i];

    here.q = s->qc;
    CHECK_OK(tn_system_eval(sys, &here, TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA));
    tn_axpy(sys->ng, 1.0, sys->gamma, lambda);
    if (sys->ng > 0)
        tn_sparse_mul(sys->block[TN_BLOCK_B], 1.0, at->a, lambda);
    if (sys->nn > 0)
        tn_sparse_mul(sys->block[TN_BLOCK_N], 1.0, at->a, eta);

    double *moved = s->p.x; // increment by the change of v, at constant v
    for (int i = 0; i < sys->nv; i++) {
        moved[i] = s->w.v * (s->y[s->at.u + i] - s->uc[i]);
        s->p.v1[i] -= moved[i];
    }
    tn_group_retract(sys->ngroup, sys->groups, s->qc, moved, s->qm);
    here.q = s->qm;
    CHECK_OK(tn_system_eval(sys, &here, TN_EVAL_B | TN_EVAL_GDOT));
    tn_axpy(sys->nn, 1.0, sys->ndot, eta);
    tn_scale(sys->ng, s->w.h, lambda);
    tn_scale(sys->nn, s->w.h, eta);
}

static void clear_left_out(implicit *s, const int *active)
{
    const tn_system *sys = s->p.sys;
    for (int i = 0; active && i < sys->ng + sys->nn; i++)
        if (!active[i])
            s->r[i < sys->ng ? s->at.lambda + i : s->at.eta + i - sys->ng] = 0.0;
}

static void residual_column(implicit *s, const int *active, int j, double *out)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    const double y = s->y[j];
    tn_zero(s->at.n, out);
    for (int k = 0; k < 4; k++) {
        s->y[j] = y + at_step[k] * PROBE_STEP;
        const tn_point at = unfold(s);
        CHECK_OK(tn_problem_residual(s->problem, &at, s->y, s->w.h, s->cdot, s->r));
        if (s->problem->formulation->acceleration) {
            keep_known(s, &at);
            clear_left_out(s, active);
        }
        tn_axpy(s->at.n, weight[k] / (12.0 * PROBE_STEP), s->r, out);
    }
    s->y[j] = y;
}

static bool is_left_out(const implicit *s, const int *active, int row)
{
    const tn_system *sys = s->p.sys;
    if (!active || row < s->at.lambda || row >= s->at.e)
        return false;
    return row >= s->at.eta ? !active[sys->ng + row - s->at.eta]
                            : !active[(row - s->at.lambda) % sys->ng];
}

// Index in y of unknown (and row) i of the core or of the projection of a stabilised formulation.
static int index_of(const implicit *s, bool projection, int i)
{
    const int nv = s->p.sys->nv, ng = s->p.sys->ng;
    if (projection)
        return i < nv ? s->at.x + i : s->at.mu + i - nv;
    return i < nv ? s->at.u + i : i < nv + ng ? s->at.lambda + i - nv : s->at.eta + i - nv - ng;
}

// Scales of the extra rows and unknowns in the matrix of the core.
static double row_scale(const implicit *s, int row)
{
    const bool contact = row >= s->at.n - s->p.sys->ns;
    return row < s->at.e ? 1.0 : contact ? 1.0 / s->w.h : s->w.h;
}

static double column_scale(const implicit *s, int column)
{
    const bool contact = column >= s->at.n - s->p.sys->ns;
    return column < s->at.e + s->p.sys->nc ? 1.0 : contact ? s->w.h : 1.0 / s->w.h;
}

// One matrix of the corrector against the columns of differences, J (n x n). In the core x goes
// with u, but for the velocity rows of stabilised forms (corrector.c).
static void check_part(implicit *s, const double *J, bool projection, const int *active, double tol)
{
    const tn_sparse *A = projection ? s->problem->corrector->position.matrix.matrix
                                    : s->problem->corrector->used[0]->matrix.matrix;
    const int n = s->at.n, m = A->nrow, nv = s->p.sys->nv;
    double *column = calloc((size_t)m + 1, sizeof(double));
    CHECK(column != NULL);
    for (int j = 0; j < m; j++) {
        const int col = index_of(s, projection, j);
        const bool with_x = !projection && s->at.u != s->at.x && j < nv;
        probe_column(A, j, column);
        const double size = 1.0 + tn_norm_inf(m, column);
        for (int i = 0; i < m; i++) {
            const int row = index_of(s, projection, i);
            const bool velocity = row >= s->at.lambda && row < s->at.lambda + s->p.sys->ng;
            const double x = with_x && !velocity ? J[(s->at.x + j) * n + row] : 0.0;
            if (is_left_out(s, active, row)) {
                CHECK_NEAR(J[col * n + row], 0.0, 0.0);
                CHECK_NEAR(column[i], i == j ? 1.0 : 0.0, 0.0);
            } else
                CHECK_NEAR(column[i],
                           row_scale(s, row) * column_scale(s, col) * (J[col * n + row] + x),
                           tol * size);
        }
    }
    free(column);
}

// What the two parts leave out of J is -u in the kinematic rows, and nothing else.
static void check_rest(const implicit *s, const double *J, double tol)
{
    const int n = s->at.n, nv = s->p.sys->nv, ng = s->p.sys->ng;
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nv; i++)
            CHECK_NEAR(J[(s->at.u + j) * n + s->at.x + i], i == j ? -1.0 : 0.0, tol);
        for (int i = 0; i < ng; i++)
            CHECK_NEAR(J[(s->at.u + j) * n + s->at.mu + i], 0.0, tol);
    }
    for (int j = 0; j < ng; j++)
        for (int i = 0; i < n; i++)
            if ((i >= s->at.u && i < s->at.u + nv) || (i >= s->at.lambda && i < s->at.mu))
                CHECK_NEAR(J[(s->at.mu + j) * n + i], 0.0, tol);
}

// Index in y of the unknown at a place of the one matrix, for the row that stands there.
static int row_of(const implicit *s, int place)
{
    const tn_places row = tn_corrector_rows(s->problem->corrector);
    const int nv = s->p.sys->nv, ng = s->p.sys->ng;
    const int first[] = {row.x, row.u, row.lambda, row.mu},
              to[] = {s->at.x, s->at.u, s->at.lambda, s->at.mu}, size[] = {nv, nv, ng, ng};
    for (int k = 0; k < TN_COUNT(first); k++)
        if (place >= first[k] && place < first[k] + size[k])
            return to[k] + place - first[k];
    return place; // eta and e
}

// The one matrix has everything; a row that is left out says that the unknown at its place
// vanishes.
static void check_whole(implicit *s, const double *J, const int *active, double tol)
{
    const tn_sparse *A = s->problem->corrector->used[0]->matrix.matrix;
    const int n = s->at.n;
    double *column = calloc((size_t)n + 1, sizeof(double));
    CHECK(A->nrow == n && column != NULL);
    for (int j = 0; j < n; j++) {
        probe_column(A, j, column);
        const double size = 1.0 + tn_norm_inf(n, column);
        for (int i = 0; i < n; i++) {
            const int row = row_of(s, i);
            if (is_left_out(s, active, i))
                CHECK_NEAR(column[i], i == j ? 1.0 : 0.0, 0.0);
            else
                CHECK_NEAR(column[i], row_scale(s, row) * column_scale(s, j) * J[j * n + row],
                           tol * size);
        }
    }
    free(column);
}

// Solving J x = r for a right-hand side in the range of J, which may be singular.
static void check_solved(implicit *s, const double *J, const int *active, double tol)
{
    const int n = s->at.n;
    double *x = calloc(2 * (size_t)n + 1, sizeof(double)), *r = x + n, size = 1.0;
    CHECK(x != NULL);
    for (int j = 0; j < n; j++) {
        const double y = is_left_out(s, active, j) ? 0.0 : tn_random() - 0.5;
        tn_axpy(n, y, J + j * n, r);
        size = fmax(size, tn_norm_inf(n, J + j * n));
    }
    tn_copy(n, r, x);
    CHECK_OK(tn_problem_solve(s->problem, x));
    for (int j = 0; j < n; j++) {
        tn_axpy(n, -x[j], J + j * n, r);
        if (is_left_out(s, active, j))
            CHECK_NEAR(x[j], 0.0, 1e-12); // round-off of least squares
    }
    CHECK_NEAR(tn_norm_inf(n, r), 0.0, 100.0 * tol * size); // of many entries
    free(x);
}

static void check_matrix(implicit *s, const int *active, double tol)
{
    const int n = s->at.n;
    double *J = calloc((size_t)n * (size_t)n + 1, sizeof(double));
    CHECK(J != NULL);
    if (active)
        tn_problem_set_active(s->problem, active);
    unfold(s);
    tn_copy(s->p.sys->nq, s->p.q1, s->qc);
    tn_copy(s->p.sys->nv, s->y + s->at.u, s->uc);
    for (int j = 0; j < n; j++)
        residual_column(s, active, j, J + j * n);
    const tn_point at = unfold(s);
    CHECK_OK(tn_problem_factor(s->problem, &at, s->dx, s->w));
    const bool parts = s->at.mu >= 0 && s->problem->corrector->position.matrix.matrix;
    if (s->at.mu >= 0 && !parts) {
        check_whole(s, J, active, tol);
        check_solved(s, J, active, tol);
    } else
        check_part(s, J, false, active, tol);
    if (parts) {
        check_part(s, J, true, active, tol);
        check_rest(s, J, tol);
    }
    free(J);
}

// Every formulation at a point, with all rows and with every third one left out.
static void check_formulations(probe p, double tol)
{
    const int rows = p.sys->ng + p.sys->nn;
    int *active = calloc((size_t)rows + 1, sizeof(int));
    CHECK(active != NULL);
    for (int i = 0; i < rows; i++)
        active[i] = i % 3 != 1;
    for (int k = 0; k < tn_formulation_count; k++) {
        if (!(tn_formulations[k]->offers & TN_VIEW_STEP))
            continue;
        for (int exact = 0; exact < 2; exact++) {
            implicit s = open_step(p, tn_formulations[k], exact);
            CHECK((s.problem->corrector->position.matrix.matrix != NULL) ==
                  (s.at.mu >= 0 && !exact));
            check_matrix(&s, NULL, tol);
            check_matrix(&s, active, tol);
            close_step(&s);
        }
    }
    free(active);
}

// Few joints of each kind, so that matrices stay small: the blocks have tests of their own.
static tn_model *small_model(bool planar)
{
    tn_model *model = tn_model_create();
    const tn_body_kind kind = planar ? TN_BODY_PLANAR : TN_BODY_RIGID;
    const tn_body a = random_body(model, kind), b = random_body(model, kind);
    const tn_body c = random_body(model, planar ? TN_BODY_POINT_2D : TN_BODY_POINT);
    tn_model_set_gravity(model, tn_v3(0.0, -9.81, 0.0));
    const tn_joint pin = random_joint(model, TN_JOINT_REVOLUTE, TN_GROUND, a);
    const tn_joint guide = random_joint(model, TN_JOINT_PRISMATIC, a, b);
    random_joint(model, TN_JOINT_DISTANCE, b, c);
    couple(model, guide, pin);
    use_coordinates(model, pin);
    random_pose_drive(model, b);
    random_pair_forces(model, a, b);
    random_pair_forces(model, b, c);
    CHECK_OK(tn_model_status(model));
    return model;
}

static void matrices_of_models_match_differences(void)
{
    static const tn_rotation rotations[] = {TN_ROTATION_SO3, TN_ROTATION_SE3};
    for (int planar = 0; planar < 2; planar++)
        for (int i = 0; i < TN_COUNT(rotations); i++) {
            tn_model *model = small_model(planar);
            tn_system *sys = NULL;
            CHECK_OK(tn_absolute_create(model, rotations[i], false, &sys));
            probe p = probe_open(sys);
            probe_randomize(&p, 0.3);
            check_formulations(p, EXACT);
            probe_close(&p);
            tn_model_destroy(model);
        }
}

static void matrices_of_free_bodies_match_differences(void)
{
    tn_model *model = tn_model_create();
    const tn_body a = random_body(model, TN_BODY_RIGID), b = random_body(model, TN_BODY_RIGID);
    random_pair_forces(model, a, b);
    tn_system *sys = NULL;
    CHECK_OK(tn_absolute_create(model, TN_ROTATION_SE3, false, &sys));
    CHECK(sys->ng == 0);
    probe p = probe_open(sys);
    probe_randomize(&p, 0.3);
    check_formulations(p, EXACT);
    probe_close(&p);
    tn_model_destroy(model);
}

// User functions with every kind of variable ------------------------------------------------------

enum { NQ = 3, NG = 1, NN = 1, NC = 1, NW = 1 };

static int mass(void *user, const tn_arguments *x, double *M)
{
    (void)user;
    const double off = 0.2 * cos(x->q[1]);
    const double A[NQ * NQ] = {2.0 + 0.1 * x->q[0], off, 0.0, off, 3.0, off, 0.0, off, 1.5};
    memcpy(M, A, sizeof A);
    return 0;
}

static int force(void *user, const tn_arguments *x, double *f)
{
    (void)user;
    const double lambda = x->lambda ? x->lambda[0] : 0.0, eta = x->eta ? x->eta[0] : 0.0;
    f[0] = sin(x->q[1]) * x->v[2] + x->c[0] * x->q[2] + 0.1 * lambda * x->v[1];
    f[1] = -x->q[0] + x->w[0] * x->v[1] + 0.3 * eta * x->q[2];
    f[2] = x->q[0] * x->v[0] + x->c[0] * x->c[0] - 0.1 * lambda;
    return 0;
}

static int constraint(void *user, const tn_arguments *x, double *g)
{
    (void)user;
    g[0] = x->q[0] * x->q[0] + sin(x->q[1]) * x->q[2] + 0.1 * sin(2.0 * x->t);
    return 0;
}

static int pfaffian(void *user, const tn_arguments *x, double *N, double *n0)
{
    (void)user;
    N[0] = sin(x->q[0]);
    N[1] = 1.0;
    N[2] = 0.2 * x->q[1];
    n0[0] = 0.3 * x->q[2];
    return 0;
}

static int states(void *user, const tn_arguments *x, double *d)
{
    (void)user;
    d[0] = -x->c[0] + x->q[0] * x->v[1] + (x->lambda ? 0.1 * x->lambda[0] : 0.0);
    return 0;
}

static int algebraic(void *user, const tn_arguments *x, double *b)
{
    (void)user;
    b[0] = x->w[0] * (1.0 + 0.1 * x->w[0]) - x->v[0] * x->q[1] + 0.1 * x->c[0] +
           (x->eta ? 0.2 * x->eta[0] : 0.0);
    return 0;
}

static void matrices_of_user_functions_match_differences(void)
{
    const tn_callbacks functions = {
        .nq = NQ,
        .ng = NG,
        .nn = NN,
        .nc = NC,
        .nw = NW,
        .time_dependent = true,
        .lambda_in_force = true,
        .mass = mass,
        .force = force,
        .constraint = constraint,
        .pfaffian = pfaffian,
        .states = states,
        .algebraic = algebraic,
    };
    tn_system *sys = NULL;
    CHECK_OK(tn_callbacks_create(&functions, &sys));
    probe p = probe_open(sys);
    random_fill(sys->nq, p.q);
    random_fill(sys->nv, p.v);
    random_fill(sys->nv, p.a);
    random_fill(sys->ne, p.e);
    check_formulations(p, NESTED);
    probe_close(&p);
}

// Layout and names --------------------------------------------------------------------------------

static void layouts_and_names_belong_together(void)
{
    tn_model *model = tn_model_create();
    tn_body_def body = tn_default_body();
    body.name = "rod";
    tn_joint_def ball = tn_default_joint(TN_JOINT_SPHERICAL);
    ball.name = "ball";
    ball.body_b = tn_model_add_body(model, &body);
    tn_model_add_joint(model, &ball);
    tn_system *sys = NULL;
    CHECK_OK(tn_absolute_create(model, TN_ROTATION_SO3, false, &sys));
    for (int k = 0; k < tn_formulation_count; k++) {
        const tn_formulation *f = tn_formulations[k];
        if (!(f->offers & TN_VIEW_STEP))
            continue;
        const bool both = f->position && f->velocity;
        tn_problem *p = NULL;
        char text[96];
        CHECK_OK(tn_problem_create(sys, f, NULL, &p));
        const tn_layout at = p->at;
        CHECK(at.n == (both ? 2 * 6 + 2 * 3 : 6 + 3));
        CHECK(at.u == (both ? 6 : 0) && (at.mu >= 0) == both);
        CHECK(p->sys == sys && p->formulation == f);
        tn_problem_name(p, at.u + 3, text, sizeof text);
        CHECK_TEXT(text, "body 'rod', turn about x");
        tn_problem_name(p, at.lambda + 1, text, sizeof text);
        CHECK_TEXT(text, "joint 'ball', row y");
        if (both) {
            tn_problem_name(p, at.mu + 2, text, sizeof text);
            CHECK_TEXT(text, "joint 'ball', row z");
        }
        CHECK(tn_find_formulation(f->name) == f);
        tn_problem_destroy(p);
    }
    CHECK(tn_find_formulation("index9") == NULL);
    tn_system_destroy(sys);
    tn_model_destroy(model);
}

// Solutions ---------------------------------------------------------------------------------------

// A y for the unknowns of one part, and the same part of a right-hand side.
static void check_part_solution(const implicit *s, bool projection, const double *y,
                                const double *r)
{
    const tn_sparse *A = projection ? s->problem->corrector->position.matrix.matrix
                                    : s->problem->corrector->used[0]->matrix.matrix;
    const int m = A->nrow, nv = s->p.sys->nv;
    double *x = calloc(2 * (size_t)m, sizeof(double)), *b = x + m;
    CHECK(x != NULL);
    for (int i = 0; i < m; i++) {
        const int k = index_of(s, projection, i);
        x[i] = y[k];
        b[i] = r[k] + (projection && i < nv ? y[s->at.u + i] : 0.0);
    }
    tn_sparse_mul(A, -1.0, x, b);
    CHECK_NEAR(tn_norm_inf(m, b), 0.0, 1e-9); // entries up to 1e3 times 1e-13
    free(x);
}

// A right-hand side in the range of the parts: made from the present y.
static void range_of_parts(const implicit *s, double *r)
{
    const int nv = s->p.sys->nv;
    tn_zero(s->at.n, r);
    for (int projection = 0; projection <= (s->at.mu >= 0); projection++) {
        const tn_sparse *A = projection ? s->problem->corrector->position.matrix.matrix
                                        : s->problem->corrector->used[0]->matrix.matrix;
        double *x = calloc(2 * (size_t)A->nrow, sizeof(double)), *b = x + A->nrow;
        CHECK(x != NULL);
        for (int i = 0; i < A->nrow; i++)
            x[i] = s->y[index_of(s, projection, i)];
        tn_sparse_mul(A, 1.0, x, b);
        for (int i = 0; i < A->nrow; i++)
            r[index_of(s, projection, i)] = b[i] - (projection && i < nv ? s->y[s->at.u + i] : 0.0);
        free(x);
    }
}

static void check_solution(const implicit *s)
{
    double *x = calloc(2 * (size_t)s->at.n, sizeof(double)), *r = x + s->at.n;
    CHECK(x != NULL);
    range_of_parts(s, r);
    tn_copy(s->at.n, r, x);
    CHECK_OK(tn_problem_solve(s->problem, x));
    check_part_solution(s, false, x, r);
    if (s->at.mu >= 0)
        check_part_solution(s, true, x, r);
    free(x);
}

// Solving inverts the core and then the projection, also by the rank-revealing way where a row is
// there twice and not left out.
static void solving_inverts_the_matrix(void)
{
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < tn_formulation_count; k++) {
            if (!(tn_formulations[k]->offers & TN_VIEW_STEP))
                continue;
            tn_model *model = tn_model_create();
            const tn_body a = random_body(model, TN_BODY_RIGID);
            tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
            pin.body_b = a;
            tn_model_add_joint(model, &pin);
            if (twice)
                tn_model_add_joint(model, &pin);
            tn_system *sys = NULL;
            CHECK_OK(tn_absolute_create(model, TN_ROTATION_SO3, false, &sys));
            probe p = probe_open(sys);
            probe_randomize(&p, 0.1);
            implicit s = open_step(p, tn_formulations[k], false);
            const tn_point at = unfold(&s);
            CHECK_OK(tn_problem_factor(s.problem, &at, s.dx, s.w));
            check_solution(&s);
            close_step(&s);
            probe_close(&p);
            tn_model_destroy(model);
        }
}

static const tn_test tests[] = {
    {"matrices of models match differences", matrices_of_models_match_differences},
    {"matrices of free bodies match differences", matrices_of_free_bodies_match_differences},
    {"matrices of user functions match differences", matrices_of_user_functions_match_differences},
    {"layouts and names belong together", layouts_and_names_belong_together},
    {"solving inverts the matrix", solving_inverts_the_matrix},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
