// SPDX-License-Identifier: MIT
//
// The residual view of every formulation that offers it, in every chart: linear systems
// c F_y' + F_y against differences of the residual, for real and complex c, on models with
// rotations and on user functions with every kind of variable.

#include "formulation/dae.h"
#include "probe.h"
#include "test.h"
#include "unit/callbacks_problem.h"
#include "workshop.h"

#include <complex.h>
#undef I

// Differences of fourth order on the models (probe.h); user functions are differenced inside.
static const double EXACT = 1e-7, NESTED = 1e-4;

// A view at a point, with its two derivatives by differences, column major.
typedef struct view {
    tn_problem *problem;
    tn_dae *dae;
    tn_dae_layout at;
    int n;
    double t, h;
    double *y, *yp, *r;
    double *Fy, *Fp;
    double *block;
} view;

static tn_sim_options options_of(bool norm_multipliers)
{
    tn_sim_options options = tn_default_sim();
    options.quaternion_norm = norm_multipliers ? "multipliers" : "renormalise";
    return options;
}

static void multiply(int n, const double *A, const double complex *x, double complex s,
                     double complex *y)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            y[i] += s * A[(size_t)j * (size_t)n + (size_t)i] * x[j];
}

static void difference_column(view *w, double *moved, int j, double *out)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    const double start = moved[j];
    tn_zero(w->n, out);
    for (int k = 0; k < 4; k++) {
        moved[j] = start + at_step[k] * PROBE_STEP;
        CHECK_OK(tn_dae_residual(w->dae, w->t, w->y, w->yp, w->h, w->r));
        tn_axpy(w->n, weight[k] / (12.0 * PROBE_STEP), w->r, out);
    }
    moved[j] = start;
}

static void difference(view *w)
{
    for (int j = 0; j < w->n; j++) {
        difference_column(w, w->y, j, w->Fy + (size_t)j * (size_t)w->n);
        difference_column(w, w->yp, j, w->Fp + (size_t)j * (size_t)w->n);
    }
}

// mu and tau are zero, as they are but for errors: their derivatives by q are left out on purpose.
static void choose_point(view *w, const probe *p, const tn_state *x)
{
    const tn_system *s = p->sys;
    CHECK_OK(tn_dae_begin(w->dae, x, w->y, w->yp, NULL));
    for (int i = 0; i < w->at.nz; i++)
        w->y[i] += 0.2 * tn_random();
    random_fill(w->n, w->yp);
    random_fill(s->ng, w->y + w->at.lambda);
    random_fill(s->nn, w->y + w->at.eta);
    if (w->at.a >= 0)
        random_fill(s->nv, w->y + w->at.a);
    if (w->at.nu >= 0)
        random_fill(w->n - w->at.nu, w->y + w->at.nu);
    w->t = p->t;
    w->h = 0.03;
}

static view open_view(const probe *p, const tn_formulation *f, tn_chart_kind chart, bool norms,
                      const int *active)
{
    view w = {0};
    const tn_sim_options options = options_of(norms);
    CHECK_OK(tn_problem_create(p->sys, f, &options, &w.problem));
    if (active)
        tn_problem_set_active(w.problem, active);
    CHECK_OK(tn_dae_create(w.problem, chart, &options, &w.dae));
    w.at = tn_dae_parts(w.dae);
    w.n = w.at.n;
    const size_t n = (size_t)w.n;
    w.block = calloc(3 * n + 2 * n * n, sizeof(double));
    CHECK(w.block != NULL);
    w.y = w.block;
    w.yp = w.y + n;
    w.r = w.yp + n;
    w.Fy = w.r + n;
    w.Fp = w.Fy + n * n;
    const tn_state x = {p->t, p->q, p->v, p->a, p->lambda, p->eta, p->e, p->r};
    choose_point(&w, p, &x);
    difference(&w);
    return w;
}

static void close_view(view *w)
{
    tn_dae_destroy(w->dae);
    tn_problem_destroy(w->problem);
    free(w->block);
}

static tn_status solve(view *w, double complex c, double complex *r)
{
    if (cimag(c) != 0.0)
        return tn_dae_solve_complex(w->dae, r);
    double *x = calloc((size_t)w->n, sizeof(double));
    CHECK(x != NULL);
    for (int i = 0; i < w->n; i++)
        x[i] = creal(r[i]);
    const tn_status status = tn_dae_solve(w->dae, x);
    for (int i = 0; i < w->n; i++)
        r[i] = x[i];
    free(x);
    return status;
}

// Errors of the solution in the units of a step of size 1/c: multipliers count as h lambda.
static double size_of(const view *w, double complex c, const double complex *x)
{
    const double h = 1.0 / cabs(c);
    double most = 0.0;
    for (int i = 0; i < w->n; i++) {
        double scale = 1.0;
        if (i < w->at.v)
            scale = 1.0 / h;
        else if (w->at.nu >= 0 && i >= w->at.nu)
            scale = 1.0;
        else if (w->at.a >= 0 && i >= w->at.a && i < w->at.lambda)
            scale = h;
        else if (i >= w->at.lambda && i < w->at.e)
            scale = w->at.mu >= 0 && i >= w->at.mu && i < (w->at.tau >= 0 ? w->at.tau : w->at.eta)
                        ? 1.0
                        : h;
        most = fmax(most, scale * cabs(x[i]));
    }
    return most;
}

// Errors that are left of a known solution, of size one in these units, after each of `count`
// corrections.
static void corrections(view *w, double complex c, int count, double *left)
{
    const size_t n = (size_t)w->n;
    double complex *x = calloc(2 * n, sizeof(double complex)), *r = x + n;
    CHECK(x != NULL);
    const double h = 1.0 / cabs(c);
    for (int i = 0; i < w->n; i++) {
        x[i] = CMPLX(tn_random(), cimag(c) != 0.0 ? tn_random() : 0.0);
        if (i < w->at.v)
            x[i] *= h;
        else if (i >= w->at.lambda && i < w->at.e)
            x[i] /= h;
    }
    CHECK_OK(tn_dae_factor(w->dae, w->t, w->y, w->yp, w->h, cimag(c) != 0.0 ? 1.0 : creal(c)));
    if (cimag(c) != 0.0)
        CHECK_OK(tn_dae_factor_complex(w->dae, c));
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < w->n; i++)
            r[i] = 0.0;
        multiply(w->n, w->Fy, x, 1.0, r);
        multiply(w->n, w->Fp, x, c, r);
        CHECK_OK(solve(w, c, r));
        for (int i = 0; i < w->n; i++)
            x[i] -= r[i];
        left[k] = size_of(w, c, x);
    }
    free(x);
}

static void show(view *w, const char *name, const tn_formulation *f)
{
    static const double complex cs[] = {
        100.0, 1e3, 1e4, CMPLX(80.0, 60.0), CMPLX(600.0, -800.0), CMPLX(6000, 8000)};
    for (int k = 0; k < TN_COUNT(cs); k++) {
        double left[4];
        corrections(w, cs[k], 4, left);
        printf("%-20s %-18s c %g%+gi: %.2e %.2e %.2e %.2e\n", name, f->name, creal(cs[k]),
               cimag(cs[k]), left[0], left[1], left[2], left[3]);
    }
}

static tn_model *small_model(bool planar)
{
    tn_model *model = tn_model_create();
    const tn_body_kind kind = planar ? TN_BODY_PLANAR : TN_BODY_RIGID;
    const tn_body a = random_body(model, kind), b = random_body(model, kind);
    tn_set_gravity(model, tn_v3(0.0, -9.81, 0.0));
    random_joint(model, TN_JOINT_REVOLUTE, TN_GROUND, a);
    random_joint(model, TN_JOINT_DISTANCE, a, b);
    random_pair_forces(model, a, b);
    CHECK_OK(tn_model_status(model));
    return model;
}

static void solutions_of_models_match_differences(void)
{
    static const struct {
        const char *name;
        tn_rotation rotation;
        tn_chart_kind chart;
        bool norms;
    } charts[] = {
        {"so3", TN_ROTATION_SO3, TN_CHART_LOCAL, false},
        {"se3", TN_ROTATION_SE3, TN_CHART_LOCAL, false},
        {"quaternion", TN_ROTATION_SO3, TN_CHART_QUATERNION, false},
        {"quaternion, norms", TN_ROTATION_SO3, TN_CHART_QUATERNION, true},
        {"euler", TN_ROTATION_SO3, TN_CHART_EULER, false},
    };
    for (int i = 0; i < TN_COUNT(charts); i++) {
        tn_model *model = small_model(false);
        tn_system *sys = NULL;
        CHECK_OK(tn_absolute_create(model, charts[i].rotation, false, &sys));
        probe p = probe_open(sys);
        probe_randomize(&p, 0.3);
        for (int k = 0; k < tn_formulation_count; k++) {
            if (!(tn_formulations[k]->offers & TN_VIEW_RESIDUAL))
                continue;
            view w = open_view(&p, tn_formulations[k], charts[i].chart, charts[i].norms, NULL);
            show(&w, charts[i].name, tn_formulations[k]);
            close_view(&w);
        }
        probe_close(&p);
        tn_model_destroy(model);
    }
}

static void solutions_of_user_functions_match_differences(void)
{
    for (int contacts = 0; contacts < 2; contacts++) {
        const tn_callbacks functions = whole_problem(true, contacts);
        tn_system *sys = NULL;
        CHECK_OK(tn_callbacks_create(&functions, &sys));
        probe p = probe_open(sys);
        random_fill(sys->nq, p.q);
        random_fill(sys->nv, p.v);
        random_fill(sys->nv, p.a);
        random_fill(sys->ne, p.e);
        random_fill(sys->ng, p.lambda);
        random_fill(sys->nn, p.eta);
        for (int k = 0; k < tn_formulation_count; k++) {
            if (!(tn_formulations[k]->offers & TN_VIEW_RESIDUAL))
                continue;
            view w = open_view(&p, tn_formulations[k], TN_CHART_LOCAL, false, NULL);
            show(&w, "user functions", tn_formulations[k]);
            close_view(&w);
        }
        probe_close(&p);
    }
}

static const tn_test tests[] = {
    {"solutions of models match differences", solutions_of_models_match_differences},
    {"solutions of user functions match differences",
     solutions_of_user_functions_match_differences},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
