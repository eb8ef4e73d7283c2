// SPDX-License-Identifier: MIT
//
// Errors of the heavy top over halved steps [ACB15, Fig. 2, right, and the orders of its text]:
// the motion and the reactions of a method against those of dop853 in joint coordinates, where the
// top has no constraints. The errors of lambda are relative, |lambda(t_n) - lambda_n| / |lambda_n|.
//
//   orders MODEL METHOD STEP LEVELS CORRECTED T* FILE.csv [RHO]
//
// T* is the time of the velocity projection, or a negative number for none; errors before it, or
// before 0.7 s, are told apart. The columns are h, q, v, lambda, lambda_before and Bv, the largest
// residual of the hidden constraints before T*. RHO is the damping ratio at infinity of the method,
// that of the model where it is left out.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tenon/tenon.h>

enum { POSITION = 0, TURN = 3, VELOCITY = 7, RATE = 10, FORCE = 13, RESIDUAL = 16, NUMBERS = 19 };

static const char *const names[NUMBERS] = {"x1",
                                           "x2",
                                           "x3",
                                           "top.quaternion.w",
                                           "top.quaternion.x",
                                           "top.quaternion.y",
                                           "top.quaternion.z",
                                           "u1",
                                           "u2",
                                           "u3",
                                           "top.angular_velocity.x",
                                           "top.angular_velocity.y",
                                           "top.angular_velocity.z",
                                           "lambda1",
                                           "lambda2",
                                           "lambda3",
                                           "Bv1",
                                           "Bv2",
                                           "Bv3"};

static const double END = 1.0; // [s]

static void need(tn_status s)
{
    if (s == TN_OK)
        return;
    fprintf(stderr, "orders: %s\n", tn_last_error());
    exit(1);
}

typedef struct motion {
    tn_sim *sim;
    int channel[NUMBERS];
} motion;

static motion start(const char *path, const char *method, double step, bool corrected, double t,
                    double rho)
{
    tn_model *model = NULL;
    tn_simulate simulate;
    motion out;
    need(tn_model_load(path, &model, &simulate));
    tn_sim_options options = simulate.options;
    options.method = method;
    options.step = step;
    options.corrected_start = corrected;
    if (rho >= 0.0)
        options.rho_inf = rho;
    options.rtol = options.atol = 1e-12;
    options.nproject = t > 0.0 ? 1 : 0;
    options.project_times = &t;
    need(tn_sim_create(model, &options, &out.sim));
    for (int i = 0; i < NUMBERS; i++)
        need(tn_sim_channel_find(out.sim, names[i], &out.channel[i]));
    tn_model_destroy(model);
    return out;
}

static void read(motion *m, double out[NUMBERS])
{
    for (int i = 0; i < NUMBERS; i++)
        out[i] = tn_sim_channel(m->sim, m->channel[i]);
}

static double length(int n, const double *a)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

static double distance(int n, const double *a, const double *b)
{
    double d[4];
    for (int i = 0; i < n; i++)
        d[i] = a[i] - b[i];
    return length(n, d);
}

static double turn(const double *a, const double *b) // [rad]; the sign of a quaternion says nothing
{
    const double c[4] = {-b[0], -b[1], -b[2], -b[3]};
    return 2.0 * fmin(distance(4, a, b), distance(4, a, c));
}

// The true motion at all steps of the finest run, by dense output.
typedef struct record {
    motion m;
    double step, *all;
    int rows, done;
} record;

static tn_status keep(void *user, tn_sim *sim)
{
    record *r = user;
    const double now = tn_sim_time(sim);
    for (; r->done < r->rows && r->done * r->step <= now + 1e-12; r->done++) {
        need(tn_sim_show(sim, fmin(r->done * r->step, now)));
        read(&r->m, r->all + (size_t)r->done * NUMBERS);
    }
    tn_sim_current(sim);
    return TN_OK;
}

static double *true_motion(const char *path, double step, int rows)
{
    record r = {.step = step,
                .rows = rows,
                .done = 1, // the start is in no error
                .all = calloc((size_t)rows, sizeof(double[NUMBERS]))};
    r.m = start(path, "dop853/index1@joint", 0.0, false, -1.0, -1.0);
    if (r.all)
        need(tn_sim_run(r.m.sim, END, keep, &r));
    tn_sim_destroy(r.m.sim);
    return r.all;
}

static void measure(motion *m, double h, int every, double before, const double *truth, FILE *out)
{
    double q = 0.0, v = 0.0, lambda = 0.0, lambda_before = 0.0, residual = 0.0, s[NUMBERS];
    for (int k = 1; k <= lround(END / h); k++) {
        const double *r = truth + (size_t)k * (size_t)every * NUMBERS;
        need(tn_sim_step(m->sim, h));
        read(m, s);
        const double off = distance(3, s + FORCE, r + FORCE) / length(3, s + FORCE);
        q = fmax(q, fmax(distance(3, s + POSITION, r + POSITION), turn(s + TURN, r + TURN)));
        v = fmax(v, fmax(distance(3, s + VELOCITY, r + VELOCITY), distance(3, s + RATE, r + RATE)));
        lambda = fmax(lambda, off);
        if (k * h < before - 0.5 * h) {
            lambda_before = lambda;
            residual = fmax(residual, length(3, s + RESIDUAL));
        }
    }
    fprintf(out, "%.10g,%.10g,%.10g,%.10g,%.10g,%.10g\n", h, q, v, lambda, lambda_before, residual);
}

int main(int argc, char **argv)
{
    if (argc != 8 && argc != 9) {
        fprintf(stderr, "usage: orders MODEL METHOD STEP LEVELS CORRECTED T* FILE.csv [RHO]\n");
        return 1;
    }
    const double step = atof(argv[3]), t = atof(argv[6]), before = t > 0.0 ? t : 0.7;
    const double rho = argc == 9 ? atof(argv[8]) : -1.0;
    const int levels = atoi(argv[4]), finest = 1 << (levels - 1);
    FILE *out = fopen(argv[7], "w");
    double *truth = true_motion(argv[1], step / finest, (int)lround(END / step * finest) + 1);
    if (!out || !truth) {
        fprintf(stderr, "orders: %s cannot be written, or there is no memory\n", argv[7]);
        return 1;
    }
    fprintf(out, "h,q,v,lambda,lambda_before,Bv\n");
    for (int k = 0; k < levels; k++) {
        const double h = step / (1 << k);
        motion m = start(argv[1], argv[2], h, atoi(argv[5]) != 0, t, rho);
        measure(&m, h, finest >> k, before, truth, out);
        tn_sim_destroy(m.sim);
    }
    free(truth);
    return fclose(out) == 0 ? 0 : 1;
}
