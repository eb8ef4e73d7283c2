// SPDX-License-Identifier: MIT
//
// Users' functions that fail in the middle of a run, under every integrator: they ask for a smaller
// step, give what is not a number, return an error, or make no sense at all. Error-controlled runs
// come as near to the place as they can with smaller steps, runs with fixed steps end at once. In
// the end there is one sentence with time and function, the state of the last good step, no leak,
// and no more work than a run is worth.

#include "integrator/integrator.h"
#include "tenon/tenon.h"
#include "test.h"

#include <float.h>

// A pendulum x^2 + y^2 = 1 with a state c' = -c + x, an algebraic variable w = c + y^2 that pulls a
// little, and an event when it passes the middle.
typedef enum part {
    MASS,
    FORCE,
    CONSTRAINT,
    JACOBIAN,
    GAMMA,
    STATES,
    ALGEBRAIC,
    EVENTS,
    PARTS,
} part;

static const char *const names[PARTS] = {"mass",  "force",  "constraint", "jacobian",
                                         "gamma", "states", "algebraic",  "events"};

typedef enum kind { RETRY, IS_NAN, IS_INF, NEGATIVE, CHATTER, KINDS } kind;

static const char *const kinds[KINDS] = {"asks for a smaller step", "is NaN", "is infinite",
                                         "returns an error", "makes no sense"};

typedef struct fault {
    part part;
    kind kind;
    bool by_state; // beyond y = -0.8 on the way down, else after t = WHEN
    bool on;
    long passes_after; // as many calls that fail; 0: never
    long calls;        // of all functions
    long failed;       // that failed
} fault;

static const double WHEN = 0.3, LOW = -0.8;

static bool beyond(const fault *f, const tn_arguments *x)
{
    if (f->passes_after > 0 && f->failed >= f->passes_after)
        return false;
    return f->on && (f->by_state ? x->q[1] < LOW : x->t > WHEN);
}

// A sign that no iteration can follow: the last bits of a velocity.
static double chatter(const tn_arguments *x)
{
    uint64_t bits = 0;
    const double mixed = x->v ? x->v[0] + 3.0 * x->v[1] : x->q[0];
    memcpy(&bits, &mixed, sizeof bits);
    return (bits * 0x9E3779B97F4A7C15u) >> 63 ? 1e9 : -1e9;
}

static int spoil(fault *f, part p, const tn_arguments *x, int n, double *out)
{
    f->calls++;
    if (p != f->part || !beyond(f, x))
        return 0;
    f->failed++;
    switch (f->kind) {
    case RETRY:
        return 1;
    case IS_NAN:
        out[n - 1] = NAN;
        return 0;
    case IS_INF:
        out[0] = INFINITY;
        return 0;
    case NEGATIVE:
        return -7;
    default:
        out[0] += chatter(x);
        return 0;
    }
}

static int mass(void *user, const tn_arguments *x, double *M)
{
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return spoil(user, MASS, x, 4, M);
}

static int force(void *user, const tn_arguments *x, double *f)
{
    f[0] = 0.01 * x->w[0];
    f[1] = -9.81;
    return spoil(user, FORCE, x, 2, f);
}

static int constraint(void *user, const tn_arguments *x, double *g)
{
    g[0] = 0.5 * (x->q[0] * x->q[0] + x->q[1] * x->q[1] - 1.0);
    return spoil(user, CONSTRAINT, x, 1, g);
}

static int jacobian(void *user, const tn_arguments *x, double *G)
{
    G[0] = x->q[0];
    G[1] = x->q[1];
    return spoil(user, JACOBIAN, x, 2, G);
}

static int gamma_of(void *user, const tn_arguments *x, double *gamma)
{
    gamma[0] = x->v[0] * x->v[0] + x->v[1] * x->v[1];
    return spoil(user, GAMMA, x, 1, gamma);
}

static int states(void *user, const tn_arguments *x, double *d)
{
    d[0] = x->q[0] - x->c[0];
    return spoil(user, STATES, x, 1, d);
}

static int algebraic(void *user, const tn_arguments *x, double *b)
{
    b[0] = x->w[0] - x->c[0] - x->q[1] * x->q[1];
    return spoil(user, ALGEBRAIC, x, 1, b);
}

static int events(void *user, const tn_arguments *x, double *out)
{
    out[0] = x->q[0];
    return spoil(user, EVENTS, x, 1, out);
}

static const double w0[1] = {0.0};

static tn_callbacks callbacks_of(fault *f)
{
    return (tn_callbacks){.user = f,
                          .nq = 2,
                          .ng = 1,
                          .nc = 1,
                          .nw = 1,
                          .mass = mass,
                          .force = force,
                          .constraint = constraint,
                          .jacobian = jacobian,
                          .gamma = gamma_of,
                          .states = states,
                          .algebraic = algebraic,
                          .nevent = 1,
                          .events = events,
                          .w0 = w0};
}

// A run without faults takes up to 20000. Steps that lead nowhere are told after 4000 at most, and
// each may have been tried ten times.
enum { MOST_CALLS = 2000000 };

typedef struct run {
    fault fault;
    tn_sim *sim;
    const char *method;
} run;

static tn_status stop_when_hanging(void *user, tn_sim *sim)
{
    (void)sim;
    return ((run *)user)->fault.calls > MOST_CALLS ? TN_ERR_STOPPED : TN_OK;
}

static void begin(run *r, const char *method, double step)
{
    static const double q[2] = {1.0, 0.0}, v[2] = {0.0, 0.0};
    const tn_callbacks cb = callbacks_of(&r->fault);
    tn_sim_options options = tn_default_sim();
    options.method = r->method = method;
    options.step = step;
    options.adaptive = step <= 0.0;
    if (options.adaptive && strncmp(method, "galpha", 6) && strncmp(method, "hht", 3))
        options.rtol = options.atol = 1e-8;
    r->fault.on = false; // not for the start values
    CHECK_OK(tn_sim_create_callbacks(&cb, q, v, &options, &r->sim));
    r->fault.on = true;
    r->fault.calls = r->fault.failed = 0;
}

static void complain(const run *r, const char *what)
{
    printf("%s, '%s' %s%s: %s\n  t = %.12g, %ld calls, %ld failed; %s\n", r->method,
           names[r->fault.part], kinds[r->fault.kind],
           r->fault.by_state ? " beyond a place" : " after a time", what, tn_sim_time(r->sim),
           r->fault.calls, r->fault.failed, tn_last_error());
}

#define HOLDS(condition)             \
    do {                             \
        if (!(condition))            \
            complain(r, #condition); \
        CHECK(condition);            \
    } while (0)

// One sentence, with the time and the function or, where functions make no sense, the unknown.
static void check_message(const run *r)
{
    char quoted[32];
    const char *text = tn_last_error();
    snprintf(quoted, sizeof quoted, "'%s'", names[r->fault.part]);
    HOLDS(strstr(text, "t = ") != NULL);
    HOLDS(strchr(text, '\n') == NULL);
    if (r->fault.kind != CHATTER)
        HOLDS(strstr(text, quoted) != NULL);
    if (r->fault.kind == IS_NAN)
        HOLDS(strstr(text, "nan") != NULL);
    if (r->fault.kind == IS_INF)
        HOLDS(strstr(text, "inf") != NULL);
    if (r->fault.kind == NEGATIVE)
        HOLDS(strstr(text, "returned -7") != NULL);
    else
        HOLDS(strchr(text, ';') != NULL); // what to try
}

// The state is one of the motion: finite, on the constraint, and before the fault.
static void check_state(const run *r, double reach)
{
    const double *q = tn_sim_q(r->sim), *v = tn_sim_v(r->sim), t = tn_sim_time(r->sim);
    const double energy = 0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * q[1];
    tn_ledger ledger;
    tn_sim_ledger(r->sim, &ledger);
    for (int i = 0; i < 2; i++)
        HOLDS(isfinite(q[i]) && isfinite(v[i]) && isfinite(tn_sim_a(r->sim)[i]));
    HOLDS(isfinite(tn_sim_lambda(r->sim)[0]) && isfinite(tn_sim_extra(r->sim)[0]));
    if (r->fault.kind == CHATTER) // which methods may follow for a while
        return;
    HOLDS(fabs(q[0] * q[0] + q[1] * q[1] - 1.0) < 1e-3); // drift of second-order methods
    HOLDS(fabs(energy) < 2e-2);                          // as much; w pulls by a hundredth
    HOLDS(r->fault.by_state ? q[1] > LOW - 1e-3 : t <= WHEN + 1e-12);
    if (r->fault.by_state)
        HOLDS(q[1] < LOW + reach);
    else
        HOLDS(t > WHEN - reach);
}

// Forces without sense that act beyond a place may throw the pendulum out of it, in a step so small
// that one sign holds through it; round-off decides. Then the run goes on as one without them.
static bool is_thrown_out(const run *r, tn_status status)
{
    return status == TN_OK && r->fault.kind == CHATTER && r->fault.by_state;
}

static void check_end(run *r, tn_status status, double reach)
{
    HOLDS(r->fault.calls <= MOST_CALLS);
    if (is_thrown_out(r, status)) {
        HOLDS(r->fault.failed > 0);
        check_state(r, reach);
        return;
    }
    HOLDS(status == TN_ERR_NUMERIC);
    HOLDS(r->fault.failed > 0);
    check_message(r);
    check_state(r, reach);
    // And once more: the same end, at the same place or a little later.
    const double t = tn_sim_time(r->sim);
    r->fault.calls = 0;
    const tn_status again = tn_sim_run(r->sim, 1.0, stop_when_hanging, r);
    HOLDS(tn_sim_time(r->sim) >= t);
    HOLDS(again == TN_ERR_NUMERIC || is_thrown_out(r, again));
    if (again != TN_OK)
        check_message(r);
    check_state(r, reach);
}

static bool is_used(const char *method, part p)
{
    if (p == CONSTRAINT) // others have it measured for the ledger, which does without
        return strstr(method, "ggl") || strstr(method, "index3") || strstr(method, "baumgarte") ||
               strstr(method, "stabilized") || strstr(method, "minimal") ||
               strstr(method, "project");
    if (p == GAMMA) // on acceleration level alone
        return strstr(method, "index1") || strstr(method, "baumgarte") ||
               strstr(method, "udwadia") || strstr(method, "minimal") ||
               strstr(method, "nullspace") || strstr(method, "maggi") ||
               strstr(method, "projective") || strstr(method, "phase");
    return true;
}

// Steps become smaller; the place is reached to 1e-5 or so, where functions make sense. One that
// ends the run does so in the first step that calls it beyond.
static void error_controlled(const char *method, part p, kind k, bool by_state)
{
    run r = {.fault = {.part = p, .kind = k, .by_state = by_state}};
    begin(&r, method, 0.0);
    const tn_status status = tn_sim_run(r.sim, 1.0, stop_when_hanging, &r);
    check_end(&r, status, k == NEGATIVE || k == CHATTER ? 0.3 : 1e-3);
    tn_sim_destroy(r.sim);
}

static void fixed_steps(const char *method, part p, kind k)
{
    const double h = 0.007;
    run r = {.fault = {.part = p, .kind = k}};
    begin(&r, method, h);
    const tn_status status = tn_sim_run(r.sim, 1.0, stop_when_hanging, &r);
    check_end(&r, status, 2.0 * h);
    tn_sim_destroy(r.sim);
}

// The formulation that an integrator takes by itself, and the last one of the registry that it can
// use besides.
static void two_methods(const tn_integrator_ops *integrator, char out[2][64])
{
    run r = {0};
    begin(&r, integrator->name, 0.0);
    snprintf(out[0], 64, "%.*s", (int)strcspn(tn_sim_method(r.sim), "@"), tn_sim_method(r.sim));
    tn_sim_destroy(r.sim);
    memcpy(out[1], out[0], 64);
    for (int k = 0; k < tn_formulation_count; k++) {
        char method[64];
        snprintf(method, sizeof method, "%s/%s", integrator->name, tn_formulations[k]->name);
        if (tn_pairing_is_legal(integrator, tn_formulations[k]) && strcmp(method, out[0]) &&
            strcmp(tn_formulations[k]->name, "baumgarte2")) // for fixed steps
            memcpy(out[1], method, 64);
    }
}

typedef void (*each)(const char *method);

static void for_every_integrator(each what)
{
    for (int i = 0; i < tn_integrator_count; i++) {
        char method[2][64];
        if (tn_integrator_is_fixed(tn_integrators[i]))
            continue; // with fixed steps alone
        two_methods(tn_integrators[i], method);
        for (int k = 0; k < 2; k++) {
            const long live = tn_test_alloc_live();
            printf("%s\n", method[k]);
            what(method[k]);
            CHECK(tn_test_alloc_live() == live);
        }
    }
}

static void every_fault_error_controlled(const char *method)
{
    for (int p = 0; p < PARTS; p++)
        for (int k = RETRY; k <= NEGATIVE; k++)
            if (is_used(method, p))
                for (int by_state = 0; by_state < 2; by_state++)
                    error_controlled(method, p, k, by_state);
}

static void every_fault_with_fixed_steps(const char *method)
{
    if (!strncmp(method, "adams/", 6)) // has no fixed steps, and says so
        return;
    for (int p = 0; p < PARTS; p++)
        for (int k = RETRY; k <= NEGATIVE; k++)
            if (is_used(method, p))
                fixed_steps(method, p, k);
}

static void no_sense(const char *method)
{
    error_controlled(method, FORCE, CHATTER, false);
    error_controlled(method, FORCE, CHATTER, true);
}

static void smaller_steps_then_a_clear_end(void)
{
    for_every_integrator(every_fault_error_controlled);
}

static void fixed_steps_end_at_once(void)
{
    for_every_integrator(every_fault_with_fixed_steps);
}

static void forces_that_make_no_sense_come_to_an_end(void)
{
    for_every_integrator(no_sense);
}

// A few calls that ask for a smaller step and then do no more: the run goes on to its end.
static void a_fault_that_passes_is_survived(void)
{
    double x_first = 0.0;
    for (int i = 0; i < tn_integrator_count; i++) {
        char method[2][64];
        if (tn_integrator_is_fixed(tn_integrators[i]))
            continue; // for fixed steps
        two_methods(tn_integrators[i], method);
        for (int k = 0; k < 2; k++) {
            run r = {.fault = {.part = FORCE, .kind = RETRY, .passes_after = 3}};
            tn_ledger ledger;
            begin(&r, method[k], 0.0);
            CHECK_OK(tn_sim_run(r.sim, 1.0, stop_when_hanging, &r));
            tn_sim_ledger(r.sim, &ledger);
            printf("%-28s %ld rejected, x = %.6f\n", method[k], ledger.rejected,
                   tn_sim_q(r.sim)[0]);
            CHECK(r.fault.failed == 3 && ledger.rejected > 0);
            if (i + k == 0)
                x_first = tn_sim_q(r.sim)[0];
            CHECK_NEAR(tn_sim_q(r.sim)[0], x_first, 0.02); // order two with 1e-6, Baumgarte's terms
            tn_sim_destroy(r.sim);
        }
    }
}

// Every other pairing, with one fault of each kind.
static void all_pairings_come_to_an_end(void)
{
    for (int i = 0; i < tn_integrator_count; i++)
        for (int f = 0; f < tn_formulation_count; f++) {
            char method[64];
            snprintf(method, sizeof method, "%s/%s", tn_integrators[i]->name,
                     tn_formulations[f]->name);
            if (!tn_pairing_is_legal(tn_integrators[i], tn_formulations[f]) ||
                tn_integrator_is_fixed(tn_integrators[i]) ||
                !strcmp(tn_formulations[f]->name, "baumgarte2")) // for fixed steps
                continue;
            error_controlled(method, FORCE, RETRY, true);
            error_controlled(method, FORCE, IS_NAN, false);
            error_controlled(method, JACOBIAN, IS_INF, true);
            error_controlled(method, MASS, NEGATIVE, false);
        }
}

static const tn_test tests[] = {
    {"smaller steps, then a clear end", smaller_steps_then_a_clear_end},
    {"fixed steps end at once", fixed_steps_end_at_once},
    {"forces that make no sense come to an end", forces_that_make_no_sense_come_to_an_end},
    {"a fault that passes is survived", a_fault_that_passes_is_survived},
    {"all pairings come to an end", all_pairings_come_to_an_end},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
