// SPDX-License-Identifier: MIT
//
// Every legal pairing of an integrator and a formulation with every way to carry rotations: with
// fixed steps the observed orders of q, v and lambda are those that the pairing states, and with
// error control all pairings give one motion within their tolerance. Second-order methods have a
// finer test of their own (test_integrator.c).

#include "road_problems.h"

// Terms of the next order at the steps that double precision leaves. Methods of high order are made
// with small leading coefficients, so that the next term is seen and the order looks higher: there
// only the lower bound tells.
static const double ORDER_TOL = 0.25;
static const int SEEN_EXACTLY = 3;
// Orders are read off errors that are clear of round-off, relative to the size of the quantity, and
// of the reference. Multipliers of implicit and half-explicit methods are quotients by the step.
static const double FLOOR = 3e-14, QUOTIENT_FLOOR = 3e-10;
enum { LEVELS = 12 };

static const int measured[] = {POINT_PENDULUM, SLOW_TOP, SLIDER_CRANK};

static void tight_track(const problem *p, const char *method, track *out)
{
    tn_sim_options options = tn_default_sim();
    options.method = p->callbacks && p->callbacks->lambda_in_force ? "radau5/ggl" : method;
    options.adaptive = true;
    options.rtol = options.atol = 1e-13;
    options.project_tol = 1e-13;
    follow(p, &options, out);
    for (int k = 0; p->exact && k < TIMES; k++)
        p->exact(p->t_end * (k + 1) / TIMES, out->at[k]);
}

typedef struct orders_seen {
    track exact, other; // by two methods: their difference is noise
    int failures;
} orders_seen;

static double floor_of(const tn_integrator_ops *integrator, int what, const orders_seen *seen)
{
    const track *x = &seen->exact;
    double size = 1.0;
    for (int k = 0; k < TIMES; k++)
        for (int i = 0; i < x->n[what]; i++)
            size = fmax(size, fabs(x->at[k][what][i]));
    const double noise = 4.0 * distance(x, &seen->other, (quantity)what);
    const bool quotient = what == OF_LAMBDA && !(integrator->needs & TN_VIEW_ACCEL);
    return fmax(noise, size * (quotient ? QUOTIENT_FLOOR : FLOOR));
}

// Order between successive halvings: of the two finest pairs that are clear of the floor the larger,
// as the finest may touch round-off.
static double observed(int levels, const double error[LEVELS], double least)
{
    int k = levels - 1;
    while (k > 1 && error[k] < least)
        k--;
    if (levels < 2)
        return 0.0;
    const double last = log2(error[k - 1] / error[k]);
    return k < 2 ? last : fmax(last, log2(error[k - 2] / error[k - 1]));
}

// Steps too large for the corrector, or for stability, are no part of the sequence.
static bool try_steps(const problem *p, const tn_sim_options *options, track *out)
{
    tn_model *model;
    tn_sim *sim = open_problem(p, options, &model);
    tn_status status = TN_OK;
    for (int k = 0; k < TIMES && status == TN_OK; k++) {
        status = tn_sim_run(sim, p->t_end * (k + 1) / TIMES, NULL, NULL);
        note(out, k, sim, model, p->callbacks);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return status == TN_OK;
}

static void check_orders(const problem *p, const tn_integrator_ops *integrator,
                         const tn_formulation *formulation, const char *rotation, void *user)
{
    static track run;
    orders_seen *seen = user;
    double error[QUANTITIES][LEVELS];
    char method[64];
    int stated[3], levels = 0;
    if (integrator->own_steps && strcmp(integrator->name, "bdf"))
        return; // adams has no fixed steps
    method_name(integrator, formulation, method);
    tn_pairing_orders(integrator, formulation, stated);
    const int most = stated[OF_Q] > 2 ? 16384 : 4096;
    bool fine = false;
    for (int n = stated[OF_Q] > 2 ? TIMES : 16 * TIMES; n <= most && levels < LEVELS && !fine;
         n *= 2) {
        tn_sim_options options = fixed_step(p, method, rotation, 1);
        options.step = p->t_end / n;
        if (!try_steps(p, &options, &run))
            continue;
        fine = true;
        for (int what = OF_Q; what <= OF_LAMBDA; what++) {
            error[what][levels] = distance(&run, &seen->exact, (quantity)what);
            fine = fine && error[what][levels] < floor_of(integrator, what, seen);
        }
        levels++;
    }
    for (int what = OF_Q; what <= OF_LAMBDA; what++) {
        if (run.n[what] == 0)
            continue;
        const double order = observed(levels, error[what], floor_of(integrator, what, seen));
        const bool good = order > stated[what] - ORDER_TOL &&
                          (stated[what] > SEEN_EXACTLY || order < stated[what] + ORDER_TOL);
        printf("%-15s %-26s %-10s %-6s stated %d observed %5.2f  (", p->name, method, rotation,
               quantity_names[what], stated[what], order);
        for (int k = 0; k < levels; k++)
            printf("%s%.1e", k ? " " : "", error[what][k]);
        printf(")%s\n", good ? "" : "  <--");
        seen->failures += !good;
    }
}

static void observed_orders_are_those_stated(void)
{
    static orders_seen seen;
    for (int k = 0; k < TN_COUNT(measured); k++) {
        tight_track(&problems[measured[k]], "dop853/index1+project", &seen.exact);
        tight_track(&problems[measured[k]], "dopri5/index1+project", &seen.other);
        every_road(&problems[measured[k]], check_orders, &seen);
    }
    CHECK(seen.failures == 0);
}

// One motion --------------------------------------------------------------------------------------

// Global errors gather local ones, and second-order methods hold those of q alone.
static const double TOLERANCE = 1e-7, MOST_ERROR = 1e-4;

static void check_motion(const problem *p, const tn_integrator_ops *integrator,
                         const tn_formulation *formulation, const char *rotation, void *user)
{
    static track run;
    orders_seen *seen = user;
    char method[64];
    tn_sim_options options = tn_default_sim();
    method_name(integrator, formulation, method);
    options.method = method;
    options.rotation = rotation;
    options.adaptive = true;
    options.corrected_start = true;
    options.rtol = options.atol = TOLERANCE;
    const long steps = follow(p, &options, &run);
    const double q = distance(&run, &seen->exact, OF_Q), v = distance(&run, &seen->exact, OF_V);
    const bool good = fmax(q, v) < MOST_ERROR;
    printf("%-26s %-26s %-10s %5ld steps, error of q %.1e, v %.1e, lambda %.1e%s\n", p->name,
           method, rotation, steps, q, v, distance(&run, &seen->exact, OF_LAMBDA),
           good ? "" : "  <--");
    seen->failures += !good;
}

static void all_roads_give_one_motion(void)
{
    static orders_seen seen;
    for (int k = 0; k < PROBLEMS; k++) {
        tight_track(&problems[k], "dop853/index1+project", &seen.exact);
        every_road(&problems[k], check_motion, &seen);
    }
    CHECK(seen.failures == 0);
}

static const tn_test tests[] = {
    {"observed orders are those stated", observed_orders_are_those_stated},
    {"all roads give one motion", all_roads_give_one_motion},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
