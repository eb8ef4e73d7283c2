// SPDX-License-Identifier: MIT
//
// The heavy top around a velocity projection, step by step, against [ACB15, eq. 7 and 8].
//
//   transient after MODEL STEP T* N FILE.csv
//
// follows two runs that differ by the projection at T* alone. Their difference in E_n of (8) is
// a solution of E_{n+1} = T_+^-1 T_0 E_n but for O(h) of it, from (B v / h, 0, 0) with the residual
// that the projection takes away: the first component has to be -B v / h + h B r, see `before`.
// Columns: lengths of BMB (lambda(t_n) - lambda_n) and of B v / h in the runs and by the recursion,
// and the cosine between the first and what the recursion says of its direction. In the row n = 0
// `free` is |B v*|, and `metric` what is left of M dv in the directions that B does not see, over
// |M dv|: zero for the projection (7).
//
//   transient before MODEL STEP T* FILE.csv
//
// compares the residual of a run without projection with h^2 B r up to T*; v'' of the true motion
// comes from differences of its accelerations. Columns: both lengths, the cosine between them.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

static const double MASS = 15.0, ACROSS = 0.234375, RHO = 0.9; // of the model
static const tn_vec3 INERTIA = {0.234375, 0.46875, 0.234375}, X = {0.0, 1.0, 0.0};
static const tn_body TOP = {1}; // after the ground
static const tn_joint TIP = {0};

static void need(tn_status s)
{
    if (s == TN_OK)
        return;
    fprintf(stderr, "transient: %s\n", tn_last_error());
    exit(1);
}

static tn_sim *start(const char *path, const char *method, double step, const double *project)
{
    tn_model *model = NULL;
    tn_simulate simulate;
    tn_sim *sim = NULL;
    need(tn_model_load(path, &model, &simulate));
    tn_sim_options options = simulate.options;
    options.method = method;
    options.step = step;
    options.rtol = options.atol = 1e-12;
    options.corrected_start = step > 0.0;
    options.nproject = project ? 1 : 0;
    options.project_times = project;
    need(tn_sim_create(model, &options, &sim));
    tn_model_destroy(model);
    return sim;
}

// State of a run: frame of the centre of mass, velocities, B v = -u + R (Omega x X), reaction.
typedef struct state {
    tn_mat3 R;
    tn_vec3 u, rate, residual, lambda;
} state;

static state read(tn_sim *sim)
{
    state s = {.R = tn_sim_body_frame(sim, TOP).R,
               .rate = tn_sim_body_rate(sim, TOP),
               .residual = tn_v3_neg(tn_sim_body_velocity(sim, TOP)),
               .lambda = tn_sim_joint_reaction(sim, TIP).f};
    s.u = tn_v3_sub(tn_m3_apply(s.R, tn_v3_cross(s.rate, X)), s.residual);
    return s;
}

// B M^-1 B^T a = a/m + R X~ J^-1 X~^T R^T a, where the moments of inertia across X are equal.
static tn_vec3 bmb(const state *s, tn_vec3 a)
{
    const tn_vec3 axis = tn_m3_apply(s->R, X);
    return tn_v3_axpy(-tn_v3_dot(axis, a) / ACROSS, axis,
                      tn_v3_scale(1.0 / MASS + 1.0 / ACROSS, a));
}

// M dv = B^T k for some k where the projection is orthogonal in M: m du = -k, J dOmega = X~ R^T k.
static double off_metric(const state *plain, const state *projected)
{
    const tn_vec3 du = tn_v3_scale(MASS, tn_v3_sub(projected->u, plain->u));
    const tn_vec3 dw = tn_v3_sub(projected->rate, plain->rate);
    const tn_vec3 turned = {INERTIA.x * dw.x, INERTIA.y * dw.y, INERTIA.z * dw.z};
    const tn_vec3 left = tn_v3_add(turned, tn_v3_cross(X, tn_m3_apply_t(plain->R, du)));
    return tn_v3_norm(left) / hypot(tn_v3_norm(du), tn_v3_norm(turned));
}

// E becomes T_+^-1 T_0 E [ACB15, after eq. 8], solved row by row for (first, second, third).
static void advance(double E[3])
{
    const double am = (2.0 * RHO - 1.0) / (RHO + 1.0), af = RHO / (RHO + 1.0);
    const double gamma = 0.5 - am + af, beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
    const double third = -(E[0] + (0.5 - beta) * E[2]) / beta;
    const double first = E[0] + (1.0 - gamma) * E[2] + gamma * third;
    const double second = (-af * E[1] - am * E[2] - (1.0 - am) * third) / (1.0 - af);
    E[0] = first;
    E[1] = second;
    E[2] = third;
}

static void write_row(FILE *out, int n, double h, const state *a, const state *b, tn_vec3 e,
                      const double E[3])
{
    const tn_vec3 error = bmb(a, tn_v3_sub(a->lambda, b->lambda)); // the exact lambda drops out
    const double size = tn_v3_norm(error);
    const double cosine = n > 0 ? tn_v3_dot(e, error) / size * copysign(1.0, E[1]) : 0.0;
    fprintf(out, "%d,%.10g,%.10g,%.10g,%.10g,%.8f,%.3e,%.3e\n", n, size, fabs(E[1]),
            tn_v3_norm(tn_v3_sub(b->residual, a->residual)) / h, fabs(E[0]), cosine,
            tn_v3_norm(b->residual), n == 0 ? off_metric(a, b) : 0.0);
}

static void after(const char *path, double h, double t, int count, FILE *out)
{
    tn_sim *plain = start(path, "galpha/index3", h, NULL);
    tn_sim *projected = start(path, "galpha/index3", h, &t);
    const int first = (int)lround(t / h);
    double E[3] = {0};
    tn_vec3 e = {0};
    fprintf(out, "n,lambda,lambda_recursion,residual,residual_recursion,cosine,free,metric\n");
    for (int k = 1; k <= first + count; k++) {
        need(tn_sim_step(plain, h));
        need(tn_sim_step(projected, h));
        if (k < first)
            continue;
        const state a = read(plain), b = read(projected);
        if (k == first) {
            const double size = tn_v3_norm(a.residual);
            e = tn_v3_scale(1.0 / size, a.residual);
            E[0] = size / h;
        } else {
            advance(E);
        }
        write_row(out, k - first, h, &a, &b, e, E);
    }
    tn_sim_destroy(plain);
    tn_sim_destroy(projected);
}

// B r at time t, r = (1 - 6 beta - 3 d)/6 v'' + [v, v']/12, by central differences over 1e-4 s.
static tn_vec3 true_residual(const char *path, double t)
{
    const double am = (2.0 * RHO - 1.0) / (RHO + 1.0), af = RHO / (RHO + 1.0), d = 1e-4;
    const double gamma = 0.5 - am + af, beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
    const double factor = (1.0 - 6.0 * beta - 3.0 * (am - af)) / 6.0;
    const tn_frame centre = {tn_m3_diag(1.0, 1.0, 1.0), X};
    tn_sim *sim = start(path, "dop853/index1@joint", 0.0, NULL);
    tn_vec3 a[3], w[3], rate = {0};
    tn_mat3 R = tn_m3_zero();
    for (int k = 0; k < 3; k++) {
        need(tn_sim_run(sim, t + (k - 1) * d, NULL, NULL));
        a[k] = tn_sim_frame(sim, TOP, centre).acceleration;
        w[k] = tn_sim_body_rate_dot(sim, TOP);
        if (k == 1) {
            R = tn_sim_body_frame(sim, TOP).R;
            rate = tn_sim_body_rate(sim, TOP);
        }
    }
    tn_sim_destroy(sim);
    const tn_vec3 ru = tn_v3_scale(0.5 * factor / d, tn_v3_sub(a[2], a[0]));
    const tn_vec3 rw = tn_v3_axpy(1.0 / 12.0, tn_v3_cross(rate, w[1]),
                                  tn_v3_scale(0.5 * factor / d, tn_v3_sub(w[2], w[0])));
    return tn_v3_sub(tn_m3_apply(R, tn_v3_cross(rw, X)), ru);
}

static void before(const char *path, double h, double end, FILE *out)
{
    tn_sim *sim = start(path, "galpha/index3", h, NULL);
    fprintf(out, "t,residual,h2Br,cosine\n");
    for (int k = 1; k <= 10; k++) {
        const double t = 0.1 * k * end;
        need(tn_sim_run(sim, t, NULL, NULL));
        const tn_vec3 seen = read(sim).residual, r = tn_v3_scale(h * h, true_residual(path, t));
        fprintf(out, "%.6g,%.8g,%.8g,%.8f\n", t, tn_v3_norm(seen), tn_v3_norm(r),
                tn_v3_dot(seen, r) / (tn_v3_norm(seen) * tn_v3_norm(r)));
    }
    tn_sim_destroy(sim);
}

int main(int argc, char **argv)
{
    const bool is_after = argc == 7 && strcmp(argv[1], "after") == 0;
    const bool is_before = argc == 6 && strcmp(argv[1], "before") == 0;
    FILE *out = is_after || is_before ? fopen(argv[argc - 1], "w") : NULL;
    if (!out) {
        fprintf(stderr, "usage: transient after MODEL STEP T* N FILE.csv | "
                        "before MODEL STEP T* FILE.csv\n");
        return 1;
    }
    if (is_after)
        after(argv[2], atof(argv[3]), atof(argv[4]), atoi(argv[5]), out);
    else
        before(argv[2], atof(argv[3]), atof(argv[4]), out);
    return fclose(out) == 0 ? 0 : 1;
}
