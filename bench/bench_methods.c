// SPDX-License-Identifier: MIT
//
// Time per accepted step of every legal pairing on rows of 1, 10 and 100 four-bar linkages
// (fourbars.h), and of IDA used by hand on the same equations (ida_direct.h) as a yardstick for
// bdf/ggl: processor time, as other work on the machine would only add to that of a clock. The
// whole run counts, with all that the ledger measures after each step. Error-controlled methods
// work with tolerances of 1e-6, the others with steps of 1 ms; errors are those of the last link at
// the end, against a tight run of dop853. With an argument, also as CSV into that file; a second
// one is the only method to be run.

#include "ida_direct.h"
#include "integrator/integrator.h"
#include "tenon/tenon.h"

#include <stdio.h>
#include <time.h>

static const double TOL = 1e-6, T_END = 2.0; // [-, s]
static const double TIME_MAX = 2.0;          // [s] for one run; slow ones are cut there
enum { REPEATS = 5 };                        // the fastest counts

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct cost {
    double time; // [s], whole run
    double t;    // reached [s]
    long steps, residuals, tangents, factorizations;
    double x, y; // end of the last link
} cost;

static tn_model *linkage(int loops)
{
    fourbars m = fourbars_create(loops);
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, -GRAVITY, 0.0});
    tn_body *body = calloc((size_t)m.nrod, sizeof *body);
    for (int k = 0; k < m.nrod; k++) {
        tn_body_def def = tn_default_body();
        def.kind = TN_BODY_PLANAR;
        def.mass = m.rods[k].mass;
        def.inertia.z = m.rods[k].inertia;
        def.frame.p = (tn_vec3){m.rods[k].x, m.rods[k].y, 0.0};
        def.frame.R = tn_m3_rot_z(m.rods[k].angle);
        body[k] = tn_model_add_body(model, &def);
    }
    for (int k = 0; k < m.npin; k++) {
        const pin *p = &m.pins[k];
        tn_joint_def def = tn_default_joint(TN_JOINT_PLANAR_REVOLUTE);
        def.body_a = p->a < 0 ? TN_GROUND : body[p->a];
        def.body_b = body[p->b];
        def.frame_a.p = p->a < 0 ? (tn_vec3){p->x, p->y, 0.0}
                                 : (tn_vec3){0.5 * p->end_a * m.rods[p->a].length, 0.0, 0.0};
        def.frame_b.p = (tn_vec3){0.5 * p->end_b * m.rods[p->b].length, 0.0, 0.0};
        tn_model_add_joint(model, &def);
    }
    free(body);
    fourbars_destroy(&m);
    return model;
}

static tn_status until_too_long(void *user, tn_sim *sim)
{
    const double *end = user;
    (void)sim;
    return now() > *end ? TN_ERR_STOPPED : TN_OK;
}

static bool run_method(int loops, const char *method, double tol, cost *out)
{
    tn_model *model = linkage(loops);
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.rtol = options.atol = tol;
    tn_status status = tn_sim_create(model, &options, &sim);
    const double begin = now();
    double end = begin + TIME_MAX;
    if (status == TN_OK)
        status = tn_sim_run(sim, T_END, until_too_long, &end);
    const bool good = status == TN_OK || status == TN_ERR_STOPPED;
    if (good) {
        tn_ledger l;
        tn_sim_ledger(sim, &l);
        const tn_frame at = tn_sim_body_frame(sim, (tn_body){loops + 1});
        *out = (cost){now() - begin, tn_sim_time(sim), l.steps, l.evaluations,
                      l.tangents,    l.factorizations, at.p.x,  at.p.y};
    } else {
        fprintf(stderr, "%s: %s\n", method, tn_last_error());
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return good;
}

static bool run_direct(int loops, cost *out)
{
    direct d;
    if (!direct_open(&d, loops, TOL))
        return false;
    direct_start(&d);
    IDASetStopTime(d.ida, T_END);
    double t = 0.0;
    int code = 0;
    const double begin = now();
    while (code == IDA_SUCCESS)
        code = IDASolve(d.ida, T_END, &t, d.y, d.yp, IDA_ONE_STEP);
    *out = (cost){.time = now() - begin, .t = t};
    IDAGetNumSteps(d.ida, &out->steps);
    IDAGetNumResEvals(d.ida, &out->residuals);
    IDAGetNumJacEvals(d.ida, &out->tangents);
    out->factorizations = out->tangents;
    out->x = NV_Ith_S(d.y, 3 * loops);
    out->y = NV_Ith_S(d.y, 3 * loops + 1);
    direct_close(&d);
    return code == IDA_TSTOP_RETURN;
}

static FILE *csv;
static cost truth; // where the last link really ends

static void report(int loops, const char *method, const cost *c, const cost *yardstick)
{
    const double steps = (double)c->steps, time = c->time / steps;
    const double far = hypot(c->x - truth.x, c->y - truth.y);
    const double ratio = time / (yardstick->time / (double)yardstick->steps);
    char error[32] = "-"; // a run that was cut has no end to compare
    if (c->t >= T_END)
        snprintf(error, sizeof error, "%.1e", far);
    printf("%5d  %-28s %7ld %8.2f %7.2f %7.2f %7.2f %7.2f %7.2f  %s\n", loops, method, c->steps,
           1e3 * c->time, 1e6 * time, ratio, (double)c->residuals / steps,
           (double)c->tangents / steps, (double)c->factorizations / steps, error);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%d,%s,%ld,%.3f,%.2f,%.3f,%.2f,%.2f,%.2f,%s\n", loops, method, c->steps,
                1e3 * c->time, 1e6 * time, ratio, (double)c->residuals / steps,
                (double)c->tangents / steps, (double)c->factorizations / steps, error);
}

// The fastest of several runs: everything else that the machine does only adds to the time.
static bool measure(int loops, const char *method, const cost *yardstick, cost *best)
{
    for (int k = 0; k < REPEATS; k++) {
        cost c;
        if (!(method ? run_method(loops, method, TOL, &c) : run_direct(loops, &c)))
            return false;
        if (k == 0 || c.time < best->time)
            *best = c;
        if (c.t < T_END)
            break;
    }
    report(loops, method ? method : "ida-by-hand/ggl", best, yardstick ? yardstick : best);
    return true;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {1, 10, 100};
    csv = argc > 1 && argv[1][0] ? fopen(argv[1], "w") : NULL;
    printf("                                              ms in   us per  times    per step:\n"
           "loops  method                         steps      all    step    IDA    evals tangent  "
           "factor  error [m]\n");
    if (csv)
        fprintf(csv, "loops,method,steps,ms,us_per_step,times_ida,evaluations_per_step,"
                     "tangents_per_step,factorizations_per_step,error_m\n");
    for (int k = 0; k < 3; k++) {
        cost yardstick, c;
        if (!run_method(sizes[k], "dop853/index1+project", 1e-11, &truth) || truth.t < T_END)
            return 1;
        if (!measure(sizes[k], NULL, NULL, &yardstick))
            return 1;
        for (int i = 0; i < tn_integrator_count; i++)
            for (int f = 0; f < tn_formulation_count; f++) {
                char method[64];
                snprintf(method, sizeof method, "%s/%s", tn_integrators[i]->name,
                         tn_formulations[f]->name);
                if (tn_pairing_is_legal(tn_integrators[i], tn_formulations[f]) &&
                    !(tn_integrators[i]->needs & TN_VIEW_DISCRETE) && // in linear coordinates only
                    (argc < 3 || !strcmp(method, argv[2])))
                    measure(sizes[k], method, &yardstick, &c);
            }
    }
    if (csv)
        fclose(csv);
    return 0;
}
