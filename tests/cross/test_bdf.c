// SPDX-License-Identifier: MIT
//
// bdf (IDA) and adams (CVODE): errors follow the tolerance in every formulation, histories follow
// projections and start anew where they must, steps end where they should, and failures end with a
// sentence and the last good state.

#include "road_problems.h"

static tn_sim_options controlled(const char *method, double tol)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.rtol = options.atol = tol;
    return options;
}

// A run of another family, two digits better than the tightest run that is compared with it.
static void reference(const problem *p, track *out)
{
    const tn_sim_options options = controlled("dop853/index1+project", 1e-13);
    if (p->exact)
        reference_track(p, 1, out);
    else
        follow(p, &options, out);
}

// Errors and tolerances ---------------------------------------------------------------------------

enum { DECADES = 6 }; // tolerances from 1e-4 to 1e-9

typedef struct fit {
    double exponent; // of the error in the tolerance, by least squares over the decades
    double most;     // largest error, in tolerances
} fit;

static fit fit_errors(const double *error)
{
    double xy = 0.0, xx = 0.0;
    fit f = {0};
    for (int k = 0; k < DECADES; k++) {
        const double x = -(k - 0.5 * (DECADES - 1));
        xy += x * log10(error[k]);
        xx += x * x;
        f.most = fmax(f.most, error[k] * pow(10.0, 4.0 + k));
    }
    f.exponent = xy / xx;
    return f;
}

static void measure(const problem *p, const char *method, const track *exact, fit out[QUANTITIES])
{
    static track run;
    static double error[QUANTITIES][DECADES];
    for (int k = 0; k < DECADES; k++) {
        const tn_sim_options options = controlled(method, pow(10.0, -4.0 - k));
        follow(p, &options, &run);
        for (int what = 0; what < QUANTITIES; what++)
            error[what][k] = distance(&run, exact, (quantity)what);
    }
    for (int what = OF_Q; what <= OF_LAMBDA; what++)
        if (run.n[what] > 0) {
            out[what] = fit_errors(error[what]);
            printf("%-16s %-22s %-6s error ~ tol^%.2f, at most %.1f tol\n", p->name, method,
                   quantity_names[what], out[what].exponent, out[what].most);
        }
}

// The error of a step is kept at the tolerance, so that of the run is h^k while the tolerance is
// h^(k+1): the exponent lies between k/(k+1) = 0.83 at order 5 and 1. Steps and orders change in
// jumps, which scatters the error of a single run by a factor of 3 and the mean exponent of three
// problems over five decades by about 0.1.
static const double EXPONENT = 0.9, SCATTER = 0.15;
// Multipliers of index3 are second derivatives of q: they have the error of the step by h^2, or
// h^(k-1), an exponent of (k-1)/(k+1) = 0.67 at order 5.
static const double EXPONENT_INDEX3 = 0.67;

static void check_method(const char *method, const track exact[3])
{
    static const int which[3] = {POINT_PENDULUM, SLIDER_CRANK, SLOW_TOP};
    const bool index3 = strstr(method, "index3");
    double mean[QUANTITIES] = {0.0};
    for (int k = 0; k < 3; k++) {
        fit f[QUANTITIES] = {{0}};
        measure(&problems[which[k]], method, &exact[k], f);
        for (int what = 0; what < QUANTITIES; what++)
            mean[what] += f[what].exponent / 3.0;
        // Errors of about a hundred steps add up, and grow on the slider-crank by another ten; in
        // index3 they are not controlled in v.
        CHECK(f[OF_Q].most < (index3 ? 1000.0 : 150.0));
    }
    CHECK_NEAR(mean[OF_Q], EXPONENT, SCATTER);
    CHECK_NEAR(mean[OF_V], EXPONENT, SCATTER);
    CHECK_NEAR(mean[OF_LAMBDA], index3 ? EXPONENT_INDEX3 : EXPONENT, SCATTER);
}

static void errors_follow_the_tolerance(void)
{
    static const char *const methods[] = {"bdf/ggl",    "bdf/index2",
                                          "bdf/index1", "bdf/stabilized-index1",
                                          "bdf/index3", "adams/index1"};
    static track exact[3];
    reference(&problems[POINT_PENDULUM], &exact[0]);
    reference(&problems[SLIDER_CRANK], &exact[1]);
    reference(&problems[SLOW_TOP], &exact[2]);
    for (int i = 0; i < TN_COUNT(methods); i++)
        check_method(methods[i], exact);
}

// Extra variables, sampled states, nonholonomic rows, multipliers in forces.
static void every_kind_of_variable_is_solved_for(void)
{
    static const int which[] = {LOOP, KNIFE_EDGE, BEAD, CONTROLLER, DRIVEN_ARM};
    static const char *const methods[] = {"bdf/ggl", "bdf/index1", "bdf/index3", "adams/index1"};
    static track exact, run;
    for (int k = 0; k < TN_COUNT(which); k++) {
        const problem *p = &problems[which[k]];
        reference(p, &exact);
        for (int i = 0; i < TN_COUNT(methods); i++) {
            if (i == 3 && p->callbacks && p->callbacks->lambda_in_force)
                continue; // no explicit form
            const tn_sim_options options = controlled(methods[i], 1e-8);
            follow(p, &options, &run);
            // A few tens of tolerances, index3 ten times as many.
            for (int what = 0; what < QUANTITIES; what++)
                if (what != OF_LAMBDA)
                    CHECK_NEAR(distance(&run, &exact, (quantity)what), 0.0, i == 2 ? 5e-6 : 5e-7);
        }
    }
}

// Rotations as quaternions, with multipliers for their length, and as Euler angles, whose sequence
// changes on the way of the tumbler.
static void all_coordinates_of_rotations_give_one_motion(void)
{
    static const int which[] = {SLOW_TOP, TUMBLER};
    static const char *const rotations[] = {"quaternion", "quaternion", "euler"};
    static track exact, run;
    for (int k = 0; k < TN_COUNT(which); k++) {
        reference(&problems[which[k]], &exact);
        for (int i = 0; i < 3; i++) {
            tn_sim_options options = controlled("bdf/ggl", 1e-8);
            options.rotation = rotations[i];
            options.quaternion_norm = i == 1 ? "multipliers" : "renormalise";
            follow(&problems[which[k]], &options, &run);
            CHECK_NEAR(distance(&run, &exact, OF_Q), 0.0, 1e-6); // tens of tolerances
            CHECK_NEAR(distance(&run, &exact, OF_V), 0.0, 1e-5);
        }
    }
}

// Histories ---------------------------------------------------------------------------------------

static tn_ledger run_to(const problem *p, const tn_sim_options *options, double t)
{
    tn_model *model;
    tn_ledger ledger;
    tn_sim *sim = open_problem(p, options, &model);
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return ledger;
}

// Positions and velocities are projected after almost every step, and yet the method goes on with
// its order and step: at order one it would take a thousand steps.
static void histories_follow_projections(void)
{
    static const char *const methods[] = {"bdf/index2", "bdf/index1", "adams/index1"};
    const problem *p = &problems[SLIDER_CRANK];
    for (int i = 0; i < TN_COUNT(methods); i++) {
        char name[64];
        snprintf(name, sizeof name, "%s+project", methods[i]);
        tn_sim_options options = controlled(methods[i], 1e-6);
        const tn_ledger drifts = run_to(p, &options, 5.0);
        options.method = name;
        options.project_tol = 1e-11;
        const tn_ledger stays = run_to(p, &options, 5.0);
        printf("%s: %ld steps, |g| %.1e; projected %ld times: %ld steps, |g| %.1e\n", methods[i],
               drifts.steps, drifts.max_g, stays.projections, stays.steps, stays.max_g);
        CHECK(stays.projections > stays.steps / 2);
        CHECK(stays.steps < 1.3 * (double)drifts.steps);
        CHECK(stays.max_g <= 1e-11 && stays.max_gdot <= 1e-11);
        CHECK(drifts.max_g > 1e-8); // there was something to project
        CHECK(stays.order >= 3);
    }
}

// A pendulum of unit length, released level, and its exact motion along increasing times.
typedef struct swing {
    double t, x[2]; // angle and rate
} swing;

static const swing level = {0.0, {1.57079632679489662, 0.0}};

static void swing_rhs(double t, const double *x, double *dx)
{
    (void)t;
    dx[0] = x[1];
    dx[1] = -G0 * sin(x[0]);
}

static void swing_to(swing *s, double t)
{
    const int steps = 4 + (int)(2000.0 * (t - s->t)); // an error of 1e-12 in all
    runge_kutta(swing_rhs, 2, s->t, t, steps, s->x);
    s->t = t;
}

static int weight(void *user, const tn_arguments *x, double *f)
{
    (void)user, (void)x;
    f[0] = 0.0;
    f[1] = -G0;
    return 0;
}

static const double bob_q0[] = {1.0, 0.0}, bob_v0[] = {0.0, 0.0};

static tn_sim *open_bob(const tn_sim_options *options)
{
    static const tn_callbacks bob = {.user = (void *)&two,
                                     .nq = 2,
                                     .ng = 1,
                                     .mass = unit_mass,
                                     .force = weight,
                                     .constraint = circle};
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create_callbacks(&bob, bob_q0, bob_v0, options, &sim));
    return sim;
}

// Dense output has the error of the steps, also of a projected run.
typedef struct between {
    swing exact;
    double q, v, lambda; // largest errors
} between;

static tn_status look_between(void *user, tn_sim *sim)
{
    between *b = user;
    const double t0 = tn_sim_before(sim), t1 = tn_sim_time(sim);
    for (int k = 1; k <= 4; k++) {
        const double t = k < 4 ? t0 + 0.25 * k * (t1 - t0) : t1;
        CHECK_OK(tn_sim_show(sim, t));
        swing_to(&b->exact, t);
        const double s = sin(b->exact.x[0]), c = cos(b->exact.x[0]), rate = b->exact.x[1];
        const double *q = tn_sim_q(sim), *v = tn_sim_v(sim);
        b->q = fmax(b->q, fmax(fabs(q[0] - s), fabs(q[1] + c)));
        b->v = fmax(b->v, fmax(fabs(v[0] - rate * c), fabs(v[1] - rate * s)));
        b->lambda = fmax(b->lambda, fabs(tn_sim_lambda(sim)[0] - (rate * rate + G0 * c)));
        tn_sim_current(sim);
    }
    return TN_OK;
}

static void dense_output_is_as_good_as_the_steps(void)
{
    static const char *const methods[] = {"bdf/ggl", "bdf/index2+project", "bdf/index1",
                                          "adams/index1", "adams/index1+project"};
    for (int i = 0; i < TN_COUNT(methods); i++) {
        between b = {.exact = level};
        tn_sim_options options = controlled(methods[i], 1e-8);
        options.project_tol = 1e-12;
        tn_sim *sim = open_bob(&options);
        CHECK_OK(tn_sim_run(sim, 1.0, look_between, &b));
        tn_sim_destroy(sim);
        printf("between steps, %s: q %.1e, v %.1e, lambda %.1e\n", methods[i], b.q, b.v, b.lambda);
        CHECK_NEAR(b.q, 0.0, 1e-6); // a hundred tolerances, as at the ends of steps
        CHECK_NEAR(b.v, 0.0, 3e-6);
        CHECK_NEAR(b.lambda, 0.0, 1e-4); // that of v by steps of 1 ms at the start
    }
}

// Steps -------------------------------------------------------------------------------------------

// Many ends at odd times: each is met exactly, and no step before it is so short that multipliers,
// whose errors are those of v by h, suffer.
static void ends_are_met_without_tiny_steps(void)
{
    static const char *const methods[] = {"bdf/ggl", "bdf/index2"};
    for (int m = 0; m < TN_COUNT(methods); m++) {
        const tn_sim_options options = controlled(methods[m], 1e-5);
        tn_sim *sim = open_bob(&options);
        swing exact = level;
        double worst = 0.0, shortest = 1.0;
        for (int k = 1; k <= 60; k++) {
            const double t = 0.2 + 0.8 * k / 60.0 + 0.002 * tn_random();
            CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
            CHECK(tn_sim_time(sim) == t);
            shortest = fmin(shortest, t - tn_sim_before(sim));
            swing_to(&exact, t);
            const double lambda = exact.x[1] * exact.x[1] + G0 * cos(exact.x[0]);
            worst = fmax(worst, fabs(tn_sim_lambda(sim)[0] - lambda));
        }
        tn_sim_destroy(sim);
        printf("%s: last steps of at least %.1e s, lambda %.1e\n", methods[m], shortest, worst);
        CHECK(shortest > 1e-3); // ends are 9 ms apart at least
        // lambda is up to 30: the tolerance of v by the shortest step.
        CHECK_NEAR(worst, 0.0, 1e-5 * 10.0 / 1e-3);
    }
}

static tn_ledger squeeze(const char *method, double rtol, double atol, double q[7])
{
    tn_sim_options options = controlled(method, rtol);
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_ledger ledger;
    options.atol = atol;
    CHECK_OK(tn_model_load(tn_test_path("models/andrews.yaml"), &model, NULL));
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
    CHECK(tn_sim_nq(sim) == 7);
    memcpy(q, tn_sim_q(sim), 7 * sizeof *q);
    tn_sim_ledger(sim, &ledger);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return ledger;
}

// The squeezer's crank turns at a thousand rad/s while other joints come to rest at dead centres:
// their rates have the round-off of that of the crank, enlarged by levers, which is above these
// absolute tolerances.
static void tolerances_below_round_off_do_not_stop_a_run(void)
{
    static const double atol[] = {1e-10, 1e-12, 1e-13};
    double exact[7], q[7];
    squeeze("dop853/index1+project@joint", 1e-13, 1e-13, exact);
    for (int k = 0; k < TN_COUNT(atol); k++) {
        const tn_ledger ledger = squeeze("bdf/ggl@joint", 1e-10, atol[k], q);
        double error = 0.0;
        for (int i = 0; i < 7; i++)
            error = fmax(error, fabs(q[i] - exact[i]));
        printf("squeezer, atol %.0e: %ld steps, %ld rejected, at least %.1e s, error %.1e\n",
               atol[k], ledger.steps, ledger.rejected, ledger.step_min, error);
        CHECK(ledger.steps < 16000); // 13000 in all three; noise that rules steps takes more
        CHECK(ledger.rejected < ledger.steps / 100);
        CHECK_NEAR(error, 0.0, 1e-6);
    }
}

// Where a body stands at the end of a run of a model under error control.
static tn_vec3 place_after(const char *path, const char *body, const char *method, double tol,
                           double t)
{
    const tn_sim_options options = controlled(method, tol);
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    const tn_vec3 p = tn_sim_body_frame(sim, tn_model_find_body(model, body)).p;
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return p;
}

static double apart(tn_vec3 a, tn_vec3 b)
{
    return sqrt(pow(a.x - b.x, 2.0) + pow(a.y - b.y, 2.0) + pow(a.z - b.z, 2.0));
}

// The squeezer to ten times its usual end, where its crank turns at thousands of rad/s, and the
// wheelset into its limit cycle, against other families with far tighter tolerances. Nothing holds
// the angle of the crank, and the hunting motion is unstable: errors of steps add up to a thousand
// tolerances on the squeezer, and tens on the wheelset.
static void long_runs_go_on_as_those_of_other_families(void)
{
    static const char squeezer[] = "models/andrews.yaml", wheelset[] = "models/wheelset.yaml";
    const tn_vec3 there = place_after(squeezer, "k2", "dop853/index1+project@joint", 1e-10, 0.3);
    const tn_vec3 wheels = {5.7070968e-5, 3.7530751e-3, 2.1085e-6}; // radau5/ggl at 1e-9
    static const char *const methods[] = {"bdf/ggl@joint", "bdf/ggl@absolute"};
    static const double tols[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
    for (int k = 0; k < TN_COUNT(tols) * TN_COUNT(methods); k++) {
        const char *method = methods[k % TN_COUNT(methods)];
        const double tol = tols[k / TN_COUNT(methods)];
        const double off = apart(place_after(squeezer, "k2", method, tol, 0.3), there);
        printf("squeezer, %s, %g: %.1e m\n", method, tol, off);
        CHECK_NEAR(off, 0.0, 3e3 * tol);
    }
    for (int k = 0; k < TN_COUNT(tols); k++) {
        const double off =
            apart(place_after(wheelset, "wheelset", "bdf/ggl", tols[k], 1.2), wheels);
        printf("wheelset, %g: %.1e m\n", tols[k], off);
        CHECK_NEAR(off, 0.0, 100.0 * tols[k]);
    }
}

static tn_status note_order(void *user, tn_sim *sim)
{
    tn_ledger ledger;
    int *most = user;
    tn_sim_ledger(sim, &ledger);
    *most = ledger.order > *most ? ledger.order : *most;
    CHECK(ledger.order >= 1);
    return TN_OK;
}

static int highest_order(const problem *p, const tn_sim_options *options)
{
    tn_model *model;
    int most = 0;
    tn_sim *sim = open_problem(p, options, &model);
    CHECK_OK(tn_sim_run(sim, p->t_end, note_order, &most));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return most;
}

static void options_are_heeded(void)
{
    const problem *p = &problems[SLOW_TOP];
    tn_sim_options options = controlled("bdf/ggl", 1e-8);
    const tn_ledger plain = run_to(p, &options, p->t_end);
    CHECK(highest_order(p, &options) == 5);
    CHECK(plain.newton > plain.steps && plain.newton < 5 * plain.steps);
    CHECK(plain.factorizations > 0 && plain.factorizations < plain.steps / 2);
    CHECK(plain.tangents == plain.factorizations + 1); // one more at the start
    CHECK(plain.evaluations >= plain.newton);
    options.max_order = 2;
    CHECK(highest_order(p, &options) == 2);
    CHECK(run_to(p, &options, p->t_end).steps > 2 * plain.steps);
    options.max_order = 0;
    options.step_max = 1e-3;
    CHECK(run_to(p, &options, p->t_end).step_max <= 1e-3 * (1.0 + 1e-9));
    options.step_max = 0.0;
    options.kappa = 1e-4;
    const tn_ledger tight = run_to(p, &options, p->t_end);
    CHECK((double)tight.newton / (double)tight.steps > (double)plain.newton / (double)plain.steps);
    options = controlled("bdf/ggl", 1e-6);
    options.adaptive = true;
    options.step = 1e-5; // of an error-controlled run: its first step
    CHECK(fabs(run_to(p, &options, p->t_end).step_min - 1e-5) < 1e-12);
    options = controlled("adams/index1", 1e-12);
    CHECK(highest_order(p, &options) > 5);
    options.max_order = 3;
    CHECK(highest_order(p, &options) == 3);
}

static void steps_take_no_memory(void)
{
    static const char *const methods[] = {"bdf/ggl", "bdf/index3", "adams/index1"};
    const problem *p = &problems[SLIDER_CRANK];
    for (int i = 0; i < TN_COUNT(methods); i++) {
        const tn_sim_options options = controlled(methods[i], 1e-6);
        tn_model *model;
        tn_sim *sim = open_problem(p, &options, &model);
        const long before = tn_test_alloc_count();
        CHECK_OK(tn_sim_run(sim, p->t_end, NULL, NULL));
        CHECK(tn_test_alloc_count() == before);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Failures ----------------------------------------------------------------------------------------

// A pendulum whose force fails in some way after half a second.
typedef struct trouble {
    int mass_size; // what unit_mass reads
    enum { NONE, RETRY_SOMETIMES, RETRY, NOT_A_NUMBER, END, NEVER_CONVERGES } kind;
    long calls;
} trouble;

static int troubled_force(void *user, const tn_arguments *x, double *f)
{
    trouble *k = user;
    k->calls++;
    f[0] = 0.0;
    f[1] = -G0;
    if (k->kind == RETRY_SOMETIMES && k->calls % 50 == 0)
        return 1;
    if (x->t <= 0.5)
        return 0;
    if (k->kind == NOT_A_NUMBER)
        f[0] = NAN;
    if (k->kind == NEVER_CONVERGES) // jumps with the last digits of q, also over the least step
        f[0] = 1e14 * sin(1e12 * x->q[0]);
    return k->kind == RETRY ? 1 : k->kind == END ? -1 : 0;
}

static tn_status run_troubled(int kind, const char *method, double *t, double *error)
{
    trouble k = {2, kind, 0};
    const tn_callbacks functions = {.user = &k,
                                    .nq = 2,
                                    .ng = 1,
                                    .mass = unit_mass,
                                    .force = troubled_force,
                                    .constraint = circle};
    const tn_sim_options options = controlled(method, 1e-7);
    tn_sim *sim = NULL;
    swing exact = level;
    CHECK_OK(tn_sim_create_callbacks(&functions, bob_q0, bob_v0, &options, &sim));
    const tn_status status = tn_sim_run(sim, 1.0, NULL, NULL);
    *t = tn_sim_time(sim);
    swing_to(&exact, *t);
    *error =
        fmax(fabs(tn_sim_q(sim)[0] - sin(exact.x[0])), fabs(tn_sim_q(sim)[1] + cos(exact.x[0])));
    tn_sim_destroy(sim);
    return status;
}

static void failures_keep_the_last_good_state(void)
{
    static const char *const methods[] = {"bdf/ggl", "bdf/index1", "adams/index1"};
    double t, error;
    for (int i = 0; i < TN_COUNT(methods); i++) {
        CHECK_OK(run_troubled(NONE, methods[i], &t, &error));
        CHECK_NEAR(error, 0.0, 1e-5); // a hundred tolerances
        CHECK_OK(run_troubled(RETRY_SOMETIMES, methods[i], &t, &error));
        CHECK_NEAR(error, 0.0, 1e-5);
        for (int kind = RETRY; kind <= NEVER_CONVERGES; kind++) {
            const tn_status status = run_troubled(kind, methods[i], &t, &error);
            printf("%s, t = %.9f: %s\n", methods[i], t, tn_last_error());
            CHECK(status < 0);
            CHECK(strstr(tn_last_error(), "0.5") || kind == END); // where
            CHECK_NEAR(error, 0.0, 1e-5);
            // Up to the trouble, but for a last step that any step beyond it spoils.
            CHECK(t <= 0.5 + 1e-3 && t > (kind == END ? 0.4 : 0.4999));
        }
    }
}

static void check_refusal(const char *method, double tol, int max_order, double step,
                          const char *sentence)
{
    const problem *p = &problems[POINT_PENDULUM];
    tn_model *model = p->model();
    tn_sim_options options = controlled(method, tol);
    options.max_order = max_order;
    options.step = step;
    tn_sim *sim = NULL;
    tn_status status = tn_sim_create(model, &options, &sim);
    if (status == TN_OK)
        status = tn_sim_run(sim, 0.1, NULL, NULL);
    CHECK(status < 0);
    if (!strstr(tn_last_error(), sentence))
        CHECK_TEXT(tn_last_error(), sentence);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void what_cannot_be_done_is_said(void)
{
    check_refusal("adams/index1", 1e-6, 0, 1e-3,
                  "adams chooses its steps itself and cannot keep a fixed step of 0.001 s; leave "
                  "out `step` or set adaptive: true");
    check_refusal("adams/index1", 1e-6, 13, 0.0, "adams has orders 1 to 12");
    check_refusal("bdf/ggl", 1e-6, 6, 0.0, "bdf has orders 1 to 5");
    check_refusal("bdf/ggl", 1e-17, 0, 0.0, "ask for more digits than there are");
    check_refusal("adams/index1", 1e-17, 0, 0.0, "ask for more digits than there are");
}

// Friction in a guide whose normal force N passes through zero: |N| has a corner there.
static const char guide_text[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {kind: planar, mass: 1, inertia: 0.01,\n"
    "          initial: {position: [0.05, 0.0866025403784], angle: 60 deg}}\n"
    "  rod: {kind: planar, mass: 1.5, inertia: 0.03, initial: {position: [0.28, 0.08]}}\n"
    "  block: {kind: planar, mass: 2, inertia: 0.01, initial: {position: [0.46, 0]}}\n"
    "joints:\n"
    "  a: {kind: revolute, body: crank, frame_a: {at: [0, 0]}, frame_b: {at: [-0.1, 0]},\n"
    "      initial: {position: 60 deg, rate: 4}}\n"
    "  b: {kind: revolute, bodies: [crank, rod], frame_a: {at: [0.1, 0]}, frame_b: {at: "
    "[-0.2,0]}}\n"
    "  c: {kind: revolute, bodies: [rod, block], frame_a: {at: [0.2, 0]}, frame_b: {at: [0, 0]}}\n"
    "  d: {kind: prismatic, bodies: [ground, block], frame_a: {at: [0, 0]}, frame_b: {at: [0,0]}}\n"
    "forces:\n"
    "  rub: {kind: friction, joint: d, coulomb: 0.2}\n"
    "  drive: {kind: motor, joint: a, effort: 8*sin(3*t)}\n";

static double place_of_block(const char *method, double tol, tn_ledger *ledger)
{
    tn_sim *sim = tn_test_open_text(guide_text, method, 0.0, tol);
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    const double x = tn_test_value(sim, "d.displacement");
    tn_sim_ledger(sim, ledger);
    tn_sim_destroy(sim);
    return x;
}

// No steps are shortened into the corner: the shortest ones begin histories, and take some 1e-6 s;
// towards corners they were 1e-11 s. Errors as in check_method.
static void loads_of_friction_pass_through_zero(void)
{
    static const char *const methods[] = {"bdf/ggl@absolute", "bdf/ggl@joint", "bdf/index2"};
    tn_ledger ledger;
    const double exact = place_of_block("radau5/ggl@joint", 1e-10, &ledger);
    for (int i = 0; i < TN_COUNT(methods); i++)
        for (double tol = 1e-4; tol > 1e-9; tol *= 0.01) {
            const double off = place_of_block(methods[i], tol, &ledger) - exact;
            printf("%-16s %.0e: %.2g m, steps from %.2g s\n", methods[i], tol, off,
                   ledger.step_min);
            CHECK_NEAR(off, 0.0, 150.0 * tol);
            CHECK(ledger.step_min > 1e-8);
        }
}

static const tn_test tests[] = {
    {"errors follow the tolerance", errors_follow_the_tolerance},
    {"every kind of variable is solved for", every_kind_of_variable_is_solved_for},
    {"all coordinates of rotations give one motion", all_coordinates_of_rotations_give_one_motion},
    {"histories follow projections", histories_follow_projections},
    {"dense output is as good as the steps", dense_output_is_as_good_as_the_steps},
    {"ends are met without tiny steps", ends_are_met_without_tiny_steps},
    {"tolerances below round-off do not stop a run", tolerances_below_round_off_do_not_stop_a_run},
    {"long runs go on as those of other families", long_runs_go_on_as_those_of_other_families},
    {"options are heeded", options_are_heeded},
    {"steps take no memory", steps_take_no_memory},
    {"loads of friction pass through zero", loads_of_friction_pass_through_zero},
    {"failures keep the last good state", failures_keep_the_last_good_state},
    {"what cannot be done is said", what_cannot_be_done_is_said},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
