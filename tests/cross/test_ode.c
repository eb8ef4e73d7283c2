// SPDX-License-Identifier: MIT
//
// The explicit view of every formulation that offers one: accelerations and multipliers are those
// of the linear system of the acceleration level, z' is the rate of the motion that z describes,
// states survive the way to z and back, and nothing is allocated on the way.

#include "cross/random_mechanism.h"
#include "formulation/ode_ops.h"
#include "probe.h"
#include "start/start.h"
#include "unit/callbacks_problem.h"

// With weights of baumgarte, which simulations choose by the pace of the motion.
static tn_sim_options usual_options(void)
{
    tn_sim_options options = tn_default_sim();
    options.baumgarte_alpha = options.baumgarte_beta = 20.0;
    return options;
}

enum { SEEDS = 24 };

// Two ways to solve linear systems with entries of size ten and condition numbers of up to 1e4, and
// Newton's method to round-off.
static const double SOLVED = 1e-9;
// Round-off of charts: a few operations on numbers of size ten.
static const double ROUND_TRIP = 1e-12;
// Differences of fourth order with STEP: truncation STEP^4 / 30 times fifth derivatives of up to
// 1e4, round-off 1e-16 / STEP times sizes of ten, and the condition of the constraints.
static const double STEP = 1e-3, DIFFERENCE = 1e-7;

// A problem on its constraints.
typedef struct scene {
    const char *name;
    tn_model *model;
    tn_start start;
    tn_state x, y; // two more states
    double *block;
    double lambda_size;
} scene;

static double *take(double **next, int n)
{
    double *at = *next;
    *next += n;
    return at;
}

static tn_state take_state(const tn_system *s, double **next)
{
    return (tn_state){.q = take(next, s->nq),
                      .v = take(next, s->nv),
                      .a = take(next, s->nv),
                      .lambda = take(next, s->ng),
                      .eta = take(next, s->nn),
                      .e = take(next, s->ne),
                      .r = take(next, s->nr)};
}

static void copy_state(const tn_system *s, const tn_state *from, tn_state *to)
{
    to->t = from->t;
    tn_copy(s->nq, from->q, to->q);
    tn_copy(s->nv, from->v, to->v);
    tn_copy(s->nv, from->a, to->a);
    tn_copy(s->ng, from->lambda, to->lambda);
    tn_copy(s->nn, from->eta, to->eta);
    tn_copy(s->ne, from->e, to->e);
    tn_copy(s->nr, from->r, to->r);
}

// The reference of everything: accelerations and multipliers of the linear system at the start.
static void finish_scene(scene *s)
{
    const tn_system *sys = s->start.sys;
    const size_t one = (size_t)(sys->nq + 2 * sys->nv + sys->ng + sys->nn + sys->ne + sys->nr);
    s->block = calloc(2 * one + 1, sizeof(double));
    CHECK(s->block != NULL);
    double *next = s->block;
    s->x = take_state(sys, &next);
    s->y = take_state(sys, &next);
    tn_state *x = &s->start.x;
    const tn_point at = tn_state_point(x);
    CHECK_OK(tn_accel_solve(s->start.accel, &at, x->e, x->a, x->lambda, x->eta));
    copy_state(sys, x, &s->x);
    copy_state(sys, x, &s->y);
    s->lambda_size = 1.0 + fmax(tn_norm_inf(sys->ng, x->lambda), tn_norm_inf(sys->nn, x->eta));
}

static void close_scene(scene *s)
{
    tn_start_clear(&s->start);
    tn_model_destroy(s->model);
    free(s->block);
}

static scene open_mechanism(int seed)
{
    scene s = {.name = "mechanism"};
    mechanism m = random_mechanism(seed);
    if (seed % 3 == 0 && m.floating)
        random_pose_drive(m.model, (tn_body){1});
    tn_sim_options options = usual_options();
    options.rotation = seed % 4 == 1 ? "se3" : "so3";
    options.t_start = 0.3;
    s.model = m.model;
    CHECK_OK(tn_start_model(m.model, &options, &s.start));
    finish_scene(&s);
    return s;
}

// A body whose motion is prescribed as a whole: nothing is free.
static scene open_driven(void)
{
    scene s = {.name = "driven body", .model = tn_model_create()};
    const tn_body body = random_body(s.model, TN_BODY_RIGID);
    random_pose_drive(s.model, body);
    tn_sim_options options = usual_options();
    options.t_start = 0.3;
    CHECK_OK(tn_start_model(s.model, &options, &s.start));
    finish_scene(&s);
    return s;
}

// User functions with all kinds of variables: two holonomic rows, one, or two with a Pfaffian row,
// which leaves no freedom; with and without contact point coordinates.
static int first_constraint(void *user, const tn_arguments *at, double *g)
{
    double both[NG];
    const int code = constraint(user, at, both);
    g[0] = both[0];
    return code;
}

enum { SHAPES = 6, FUNCTIONS = 2 * SHAPES }; // without and with forces of multipliers

static scene open_functions(int k)
{
    scene s = {.name = "functions"};
    const int kind = k % SHAPES;
    tn_callbacks cb = whole_problem(kind % 2 == 0, kind >= 3);
    static const double q[NQ] = {-0.75, 0.9, -0.5}, v[NQ] = {0.4, -0.3, 0.2}, r[NR] = {0.6};
    tn_sim_options options = usual_options();
    cb.lambda_in_force = k >= SHAPES && kind % 3 != 1; // forces see both multipliers
    cb.r0 = r;
    if (kind % 3 == 0)
        cb.nn = 0;
    if (kind % 3 == 1) {
        cb.ng = 1;
        cb.constraint = first_constraint;
        cb.jacobian = NULL;
        cb.constraint_t = NULL;
    }
    options.t_start = 0.2;
    CHECK_OK(tn_start_callbacks(&cb, q, v, &options, &s.start));
    finish_scene(&s);
    (void)point_of;
    return s;
}

// One view of a scene, with room for z and its rates.
typedef struct view {
    scene *scene;
    tn_system *sys;
    tn_ode *ode;
    int n;
    double *z, *zdot, *moved, *other, *block;
} view;

static view open_view(scene *s, const tn_formulation *formulation, tn_chart_kind chart)
{
    view w = {.scene = s, .sys = s->start.sys};
    const tn_sim_options options = usual_options();
    CHECK_OK(tn_ode_create(w.sys, formulation, chart, &options, &w.ode));
    tn_ode_set_active(w.ode, s->start.redundancy.active);
    w.n = tn_ode_size(w.ode);
    w.block = calloc(4 * (size_t)w.n + 1, sizeof(double));
    CHECK(w.block != NULL);
    w.z = w.block;
    w.zdot = w.z + w.n;
    w.moved = w.zdot + w.n;
    w.other = w.moved + w.n;
    return w;
}

static void close_view(view *w)
{
    tn_ode_destroy(w->ode);
    free(w->block);
}

static bool is_offered(const tn_formulation *formulation)
{
    return formulation->offers & TN_VIEW_ACCEL;
}

// Rotations of SE(3) have rotation vectors only.
static bool chart_fits(const tn_system *sys, tn_chart_kind chart)
{
    return tn_chart_size(chart, sys->ngroup, sys->groups) >= 0;
}

enum { SCENES = SEEDS + 1 + FUNCTIONS };

static scene open_scene(int k)
{
    return k < SEEDS    ? open_mechanism(k)
           : k == SEEDS ? open_driven()
                        : open_functions(k - SEEDS - 1);
}

// Runs a check over all scenes, formulations and charts; the number of runs.
static int for_all(void (*check)(view *w))
{
    int count = 0;
    for (int k = 0; k < SCENES; k++) {
        scene s = open_scene(k);
        for (int f = 0; f < tn_formulation_count; f++)
            for (int chart = TN_CHART_LOCAL; chart <= TN_CHART_EULER; chart++) {
                if (!is_offered(tn_formulations[f]) || !chart_fits(s.start.sys, chart) ||
                    (chart > 0 && (k + chart) % 3 > 0))
                    continue;
                view w = open_view(&s, tn_formulations[f], (tn_chart_kind)chart);
                check(&w);
                close_view(&w);
                count++;
            }
        close_scene(&s);
    }
    return count;
}

static double gap(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        const double d = fabs(x[i] - y[i]);
        if (!(d <= most))
            most = d;
    }
    return most;
}

static double turned(const tn_system *s, const double *q, const double *q1, double *x)
{
    tn_group_difference(s->ngroup, s->groups, q, q1, x);
    return tn_norm_inf(s->nv, x);
}

static void complain(const view *w, double misfit, double tol, const char *what)
{
    if (!(misfit <= tol))
        printf("%s of %s, chart %d: %s is off by %.3g\n", w->scene->name, w->ode->formulation->name,
               (int)w->ode->chart.kind, what, misfit);
    CHECK_NEAR(misfit, 0.0, tol);
}

// Multipliers that the equations determine.
static double multiplier_gap(const view *w, const tn_state *x, const tn_state *y)
{
    double most = 0.0;
    for (int i = 0; i < w->sys->ng + w->sys->nn; i++) {
        const int k = i - w->sys->ng;
        const double d = k < 0 ? x->lambda[i] - y->lambda[i] : x->eta[k] - y->eta[k];
        if (w->scene->start.redundancy.unique[i] && !(fabs(d) <= most))
            most = fabs(d);
    }
    return most;
}

static void check_accelerations(view *w)
{
    scene *s = w->scene;
    const tn_state *known = &s->start.x;
    bool changed = false;
    CHECK_OK(tn_ode_begin(w->ode, known, false, w->z, w->zdot, &changed));
    tn_zero(w->sys->nv, s->y.a);
    CHECK_OK(tn_ode_state(w->ode, known->t, w->z, &s->y));
    const double size = 1.0 + tn_norm_inf(w->sys->nv, known->a);
    complain(w, turned(w->sys, known->q, s->y.q, s->x.v), ROUND_TRIP, "q");
    complain(w, gap(w->sys->nv, known->v, s->y.v), ROUND_TRIP, "v");
    complain(w, gap(w->sys->ne, known->e, s->y.e), w->sys->force_uses_lambda ? SOLVED : ROUND_TRIP,
             "e"); // w may see multipliers
    complain(w, gap(w->sys->nv, known->a, s->y.a) / size, SOLVED, "v'");
    complain(w, multiplier_gap(w, known, &s->y) / s->lambda_size, SOLVED, "lambda");
}

static void accelerations_and_multipliers_are_those_of_the_linear_system(void)
{
    const int count = for_all(check_accelerations);
    printf("%d views\n", count);
    CHECK(count > SEEDS * 4);
}

static void check_known(view *w)
{
    const tn_state *x = &w->scene->start.x;
    CHECK_OK(tn_ode_begin(w->ode, x, true, w->z, w->zdot, NULL));
    CHECK_OK(tn_ode_begin(w->ode, x, false, w->moved, w->other, NULL));
    complain(w, gap(w->n, w->z, w->moved), 0.0, "z");
    complain(w, gap(w->n, w->zdot, w->other) / (1.0 + tn_norm_inf(w->n, w->other)), SOLVED, "z'");
    CHECK_OK(tn_ode_eval(w->ode, x->t, w->z, w->moved));
    complain(w, gap(w->n, w->moved, w->other), 0.0, "z' again");
}

static void known_accelerations_begin_as_unknown_ones(void)
{
    for_all(check_known);
}

// The motion that z describes along z', t' = 1: its rates are v and v', those of e are c' = d.
static void check_rates(view *w)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    scene *s = w->scene;
    const tn_system *sys = w->sys;
    const tn_state *x = &s->start.x;
    const int nv = sys->nv;
    double *velocity = calloc(3 * (size_t)nv + 1, sizeof(double)), *turn = velocity + nv;
    double *bend = turn + nv;
    CHECK(velocity != NULL);
    CHECK_OK(tn_ode_begin(w->ode, x, false, w->z, w->zdot, NULL));
    CHECK_OK(tn_ode_state(w->ode, x->t, w->z, &s->x));
    for (int k = 0; k < 4; k++) {
        tn_copy(w->n, w->z, w->moved);
        tn_axpy(w->n, at_step[k] * STEP, w->zdot, w->moved);
        CHECK_OK(tn_ode_motion(w->ode, x->t + at_step[k] * STEP, w->moved, &s->y));
        turned(sys, s->x.q, s->y.q, turn);
        tn_axpy(nv, weight[k] / (12.0 * STEP), turn, velocity);
        tn_axpy(nv, weight[k] / (12.0 * STEP), s->y.v, bend);
    }
    const double size = 1.0 + tn_norm_inf(nv, s->x.v) + tn_norm_inf(nv, s->x.a);
    complain(w, gap(nv, velocity, s->x.v) / size, DIFFERENCE, "q'");
    complain(w, gap(nv, bend, s->x.a) / size, DIFFERENCE, "v' of the motion");
    if (sys->nc > 0) {
        const tn_point at = tn_state_point(&s->x);
        CHECK_OK(tn_system_eval(w->sys, &at, TN_EVAL_EXTRA));
        complain(w, gap(sys->nc, sys->extra, w->zdot + w->n - sys->nc), ROUND_TRIP, "c'");
    }
    free(velocity);
}

static void rates_are_those_of_the_motion(void)
{
    for_all(check_rates);
}

// A step away, to z and back again, from a base there and from the old one.
static void check_round_trip(view *w)
{
    scene *s = w->scene;
    const tn_state *x = &s->start.x;
    const double t = x->t + 0.01;
    CHECK_OK(tn_ode_begin(w->ode, x, true, w->z, w->zdot, NULL));
    tn_copy(w->n, w->z, w->moved);
    tn_axpy(w->n, 0.01, w->zdot, w->moved);
    CHECK_OK(tn_ode_eval(w->ode, t, w->moved, w->other));
    CHECK(tn_ode_is_good(w->ode, w->moved));
    CHECK_OK(tn_ode_state(w->ode, t, w->moved, &s->x));
    CHECK_OK(tn_ode_begin(w->ode, &s->x, true, w->z, w->zdot, NULL));
    CHECK_OK(tn_ode_eval(w->ode, t, w->z, w->zdot));
    CHECK_OK(tn_ode_state(w->ode, t, w->z, &s->y));
    complain(w, turned(w->sys, s->x.q, s->y.q, s->x.a), ROUND_TRIP, "q there");
    complain(w, gap(w->sys->nv, s->x.v, s->y.v), ROUND_TRIP, "v there");
    CHECK_OK(tn_ode_begin(w->ode, &s->x, false, w->moved, w->other, NULL));
    CHECK_OK(tn_ode_state(w->ode, t, w->moved, &s->y));
    complain(w, turned(w->sys, s->x.q, s->y.q, s->x.a), 10.0 * ROUND_TRIP, "q of a new base");
    complain(w, gap(w->sys->nv, s->x.v, s->y.v), 10.0 * ROUND_TRIP, "v of a new base");
}

static void states_survive_the_way_to_z_and_back(void)
{
    for_all(check_round_trip);
}

// New pivots of KLU aside, which dense solvers of these sizes do not need.
static void check_memory(view *w)
{
    const tn_state *x = &w->scene->start.x;
    const long before = tn_test_alloc_count();
    CHECK_OK(tn_ode_begin(w->ode, x, false, w->z, w->zdot, NULL));
    for (int k = 0; k < 5; k++) {
        tn_axpy(w->n, 1e-3, w->zdot, w->z);
        CHECK_OK(tn_ode_eval(w->ode, x->t, w->z, w->zdot));
        CHECK_OK(tn_ode_state(w->ode, x->t, w->z, &w->scene->y));
        tn_ode_sizes(w->ode, w->z, w->other);
        CHECK(tn_all_finite(w->n, w->other));
    }
    if (strcmp(tn_ode_solver(w->ode), "KLU"))
        CHECK(tn_test_alloc_count() == before);
}

static void nothing_allocates_in_an_evaluation(void)
{
    for_all(check_memory);
}

// Off the constraints --------------------------------------------------------------------------

// g'' + 2 alpha g' + beta^2 g = 0, also for Pfaffian rows on their level.
static void check_decay(scene *s, const tn_formulation *formulation)
{
    const tn_sim_options options = usual_options();
    view w = open_view(s, formulation, TN_CHART_LOCAL);
    tn_system *sys = w.sys;
    double *rows = calloc((size_t)(sys->ng + sys->nn + sys->nv) + 1, sizeof(double));
    double *x = rows + sys->ng + sys->nn;
    CHECK(rows != NULL);
    copy_state(sys, &s->start.x, &s->x);
    for (int i = 0; i < sys->nv; i++)
        x[i] = 1e-3 * tn_random();
    tn_group_retract(sys->ngroup, sys->groups, s->x.q, x, s->x.q);
    tn_axpy(sys->nv, 1.0, x, s->x.v);
    CHECK_OK(tn_ode_begin(w.ode, &s->x, false, w.z, w.zdot, NULL));
    CHECK_OK(tn_ode_state(w.ode, s->x.t, w.z, &s->x));
    const tn_point at = tn_state_point(&s->x);
    CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_G | TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA));
    tn_copy(sys->ng, sys->gamma, rows);
    tn_copy(sys->nn, sys->ngamma, rows + sys->ng);
    if (sys->ng > 0)
        tn_sparse_mul(sys->block[TN_BLOCK_B], 1.0, s->x.a, rows);
    if (sys->nn > 0)
        tn_sparse_mul(sys->block[TN_BLOCK_N], 1.0, s->x.a, rows + sys->ng);
    tn_axpy(sys->ng, 2.0 * options.baumgarte_alpha, sys->gdot, rows);
    tn_axpy(sys->nn, 2.0 * options.baumgarte_alpha, sys->ndot, rows + sys->ng);
    tn_axpy(sys->ng, options.baumgarte_beta * options.baumgarte_beta, sys->g, rows);
    for (int i = 0; i < sys->ng + sys->nn; i++)
        if (s->start.redundancy.active[i])
            CHECK_NEAR(rows[i], 0.0, SOLVED * (1.0 + tn_norm_inf(sys->nv, s->x.a)));
    free(rows);
    close_view(&w);
}

static void baumgarte_lets_errors_decay(void)
{
    for (int k = 0; k < SCENES; k++) {
        scene s = open_scene(k);
        check_decay(&s, tn_find_formulation("baumgarte"));
        close_scene(&s);
    }
}

// Drift makes rows that repeat others contradict them. Generalised inverses must not take the
// contradiction for a new constraint, nor seek a compromise: the independent rows decide.
static void check_drift(scene *s)
{
    view w = open_view(s, tn_find_formulation("udwadia-kalaba"), TN_CHART_LOCAL);
    tn_system *sys = w.sys;
    copy_state(sys, &s->start.x, &s->x);
    for (int i = 0; i < sys->nv; i++)
        s->y.a[i] = 1e-3 * tn_random();
    tn_group_retract(sys->ngroup, sys->groups, s->x.q, s->y.a, s->x.q);
    CHECK_OK(tn_ode_begin(w.ode, &s->x, false, w.z, w.zdot, NULL));
    CHECK_OK(tn_ode_state(w.ode, s->x.t, w.z, &s->y));
    const tn_point at = tn_state_point(&s->x);
    CHECK_OK(tn_accel_solve(s->start.accel, &at, NULL, s->x.a, s->x.lambda, s->x.eta));
    complain(&w, gap(sys->nv, s->x.a, s->y.a) / (1.0 + tn_norm_inf(sys->nv, s->x.a)), SOLVED,
             "v' off the constraints");
    close_view(&w);
}

// Nobody says which rows repeat others: the same accelerations, multipliers that hold the balance.
static void check_any_rank(scene *s, const tn_formulation *formulation)
{
    tn_system *sys = s->start.sys;
    const tn_state *x = &s->start.x;
    tn_ode *ode = NULL;
    double *z = calloc(2 * (size_t)(sys->nq + sys->nv + sys->nc) + 1, sizeof(double));
    CHECK(z != NULL);
    CHECK_OK(tn_ode_create(sys, formulation, TN_CHART_LOCAL, NULL, &ode));
    CHECK_OK(tn_ode_begin(ode, x, false, z, z + tn_ode_size(ode), NULL));
    CHECK_OK(tn_ode_state(ode, x->t, z, &s->y));
    CHECK_NEAR(gap(sys->nv, x->a, s->y.a), 0.0, SOLVED * (1.0 + tn_norm_inf(sys->nv, x->a)));
    const tn_point at = tn_state_point(&s->y);
    probe_residual(sys, &at, s->x.a);
    CHECK_NEAR(tn_norm_inf(sys->nv, s->x.a), 0.0, SOLVED * (1.0 + tn_norm_inf(sys->nv, sys->f)));
    // The shortest of many: not longer than the one with zeros in the repeated rows.
    CHECK(tn_norm2(sys->ng, s->y.lambda) <= (1.0 + SOLVED) * tn_norm2(sys->ng, x->lambda));
    tn_ode_destroy(ode);
    free(z);
}

static void repeated_rows_do_no_harm(void)
{
    int redundant = 0;
    for (int seed = 0; seed < 40; seed += 6) { // these have copies of joints
        scene s = open_mechanism(seed);
        if (s.start.redundancy.count > 0) {
            check_any_rank(&s, tn_find_formulation("udwadia-kalaba"));
            check_any_rank(&s, tn_find_formulation("index1"));
            check_drift(&s);
            redundant++;
        }
        close_scene(&s);
    }
    CHECK(redundant > 3);
}

// Minimal coordinates ----------------------------------------------------------------------------

// A mechanism with a gear that swings for long: the choice changes on the way, g and B v stay at
// round-off.
static void minimal_coordinates_follow_the_motion_for_long(void)
{
    for (int chart = TN_CHART_LOCAL; chart <= TN_CHART_EULER; chart++) {
        scene s = open_mechanism(0);
        view w = open_view(&s, tn_find_formulation("minimal"), (tn_chart_kind)chart);
        tn_system *sys = w.sys;
        int changes = 0;
        double h = 1e-3; // turns of a hundredth of a radian or two, which Newton follows; or less
        copy_state(sys, &s.start.x, &s.x);
        for (int k = 0; k < 1500; k++) {
            bool changed = false;
            CHECK_OK(tn_ode_begin(w.ode, &s.x, k > 0, w.z, w.zdot, &changed));
            changes += changed;
            tn_status status = TN_RETRY_NEWTON;
            for (h = 1e-3; status > 0 && h > 1e-6; h *= status > 0 ? 0.5 : 1.0) { // Heun's method
                tn_copy(w.n, w.z, w.moved);
                tn_axpy(w.n, h, w.zdot, w.moved);
                status = tn_ode_eval(w.ode, s.x.t + h, w.moved, w.other);
            }
            CHECK_OK(status);
            tn_axpy(w.n, 0.5 * h, w.zdot, w.z);
            tn_axpy(w.n, 0.5 * h, w.other, w.z);
            CHECK_OK(tn_ode_state(w.ode, s.x.t + h, w.z, &s.x));
            const tn_point at = tn_state_point(&s.x);
            sys->ops->accept(sys, &at, s.x.r); // turns of gears
            CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_G | TN_EVAL_GDOT));
            CHECK_NEAR(tn_norm_inf(sys->ng, sys->g), 0.0, 1e-11);
            CHECK_NEAR(tn_norm_inf(sys->ng, sys->gdot), 0.0,
                       1e-11 * (1.0 + tn_norm_inf(sys->nv, s.x.v)));
        }
        printf("chart %d: %d choices in 1500 steps, |v| = %.3g\n", chart, changes,
               tn_norm_inf(sys->nv, s.x.v));
        CHECK(changes > 1 && changes < 150);
        close_view(&w);
        close_scene(&s);
    }
}

// Refusals ----------------------------------------------------------------------------------------

static void forms_without_accelerations_are_refused(void)
{
    const tn_callbacks cb = whole_problem(true, false);
    tn_system *sys = NULL;
    tn_ode *ode = NULL;
    CHECK_OK(tn_callbacks_create(&cb, &sys));
    CHECK_STATUS(tn_ode_create(sys, tn_find_formulation("index3"), TN_CHART_LOCAL, NULL, &ode),
                 TN_ERR_PAIRING);
    CHECK(ode == NULL && strstr(tn_last_error(), "has no explicit form"));
    tn_system_destroy(sys);
}

static void missing_memory_is_told(void)
{
    scene s = open_mechanism(1);
    for (int f = 0; f < tn_formulation_count; f++) {
        tn_ode *ode = NULL;
        for (long k = 1; is_offered(tn_formulations[f]); k++) {
            const long live = tn_test_alloc_live();
            tn_test_alloc_fail_at(k);
            const tn_status status =
                tn_ode_create(s.start.sys, tn_formulations[f], TN_CHART_LOCAL, NULL, &ode);
            const bool failed = tn_test_alloc_failed();
            tn_test_alloc_fail_at(0);
            if (!failed) {
                CHECK_OK(status);
                tn_ode_destroy(ode);
                break;
            }
            CHECK_STATUS(status, TN_ERR_MEMORY);
            CHECK(ode == NULL && tn_test_alloc_live() == live);
        }
    }
    close_scene(&s);
}

static const tn_test tests[] = {
    {"accelerations and multipliers are those of the linear system",
     accelerations_and_multipliers_are_those_of_the_linear_system},
    {"known accelerations begin as unknown ones", known_accelerations_begin_as_unknown_ones},
    {"rates are those of the motion", rates_are_those_of_the_motion},
    {"states survive the way to z and back", states_survive_the_way_to_z_and_back},
    {"nothing allocates in an evaluation", nothing_allocates_in_an_evaluation},
    {"Baumgarte lets errors decay", baumgarte_lets_errors_decay},
    {"repeated rows do no harm", repeated_rows_do_no_harm},
    {"minimal coordinates follow the motion for long",
     minimal_coordinates_follow_the_motion_for_long},
    {"forms without accelerations are refused", forms_without_accelerations_are_refused},
    {"missing memory is told", missing_memory_is_told},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
