// SPDX-License-Identifier: MIT
//
// The midpoint variational integrator [LMO08, sect. 3]: on the unit circle its
// solution in closed form, on pendulums the energy band, orders and hidden constraints, on free
// bodies the momenta; its matrix against differences; what it refuses.

#include "fixed_step.h"
#include "formulation/discrete.h"
#include "linalg/dense.h"
#include "system/callbacks.h"

#include <math.h>
#include <string.h>

// Round-off of a few hundred to ten thousand steps of numbers of size one.
static const double ROUNDOFF = 1e-12;

// A point of unit mass on a circle of radius l = 1 + swing sin t about the origin, pulled down by
// gravity and held back by drag.
typedef struct circle {
    double gravity, drag, swing;
    double heavier; // by which the mass grows with x
    double last;    // time from which on there is no force any more; 0: never
    double broken;  // what it is then, where that is not zero; else it asks for a smaller step
} circle;

static int mass(void *user, const tn_arguments *at, double *M)
{
    const circle *c = user;
    M[0] = M[3] = 1.0 + c->heavier * at->q[0];
    M[1] = M[2] = 0.0;
    return 0;
}

static int force(void *user, const tn_arguments *at, double *f)
{
    const circle *c = user;
    const double speed = hypot(at->v[0], at->v[1]);
    if (c->last > 0.0 && at->t > c->last) {
        f[0] = f[1] = c->broken;
        return c->broken == 0.0;
    }
    f[0] = -c->drag * speed * at->v[0];
    f[1] = -c->drag * speed * at->v[1] - c->gravity;
    return 0;
}

static int constraint(void *user, const tn_arguments *at, double *g)
{
    const circle *c = user;
    const double l = 1.0 + c->swing * sin(at->t);
    g[0] = 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - l * l);
    return 0;
}

static int jacobian(void *user, const tn_arguments *at, double *G)
{
    (void)user;
    G[0] = at->q[0];
    G[1] = at->q[1];
    return 0;
}

static int energy(void *user, const tn_arguments *at, double out[4])
{
    const circle *c = user;
    out[0] = 0.5 * (at->v[0] * at->v[0] + at->v[1] * at->v[1]);
    out[1] = c->gravity * at->q[1];
    out[2] = out[3] = 0.0;
    return 0;
}

static tn_callbacks functions(circle *c)
{
    return (tn_callbacks){.user = c,
                          .nq = 2,
                          .ng = 1,
                          .time_dependent = c->swing != 0.0,
                          .mass = mass,
                          .force = force,
                          .constraint = constraint,
                          .jacobian = jacobian,
                          .energy = energy};
}

static tn_sim *open_circle(circle *c, const char *method, double h, const double q[2],
                           const double v[2])
{
    const tn_callbacks cb = functions(c);
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = h;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create_callbacks(&cb, q, v, &options, &sim));
    return sim;
}

// Unit circle -------------------------------------------------------------------------------------

// Without forces the point turns by sin(angle) = h in each step, and the start [LMO08, eq. 34]
// gives lambda = 2 (1 - cos(angle)) / h^2.
static void check_unit_circle(const char *method)
{
    circle c = {0};
    const double h = 0.1, q[2] = {1.0, 0.0}, v[2] = {0.0, 1.0};
    const double angle = asin(h), lambda = 2.0 * (1.0 - cos(angle)) / (h * h);
    CHECK_NEAR(lambda, 1.00251257867, 1e-10);
    tn_sim *sim = open_circle(&c, method, h, q, v);
    for (int n = 1; n <= 10000; n++) {
        CHECK_OK(tn_sim_step(sim, h));
        CHECK_NEAR(tn_sim_lambda(sim)[0], lambda, 20.0 * ROUNDOFF); // sees round-off by h^2
        CHECK_NEAR(tn_sim_q(sim)[0], cos(n * angle), 10.0 * ROUNDOFF);
        CHECK_NEAR(tn_sim_q(sim)[1], sin(n * angle), 10.0 * ROUNDOFF);
        if (n == 1) {
            CHECK_OK(tn_sim_show(sim, tn_sim_before(sim)));
            CHECK_NEAR(tn_sim_lambda(sim)[0], lambda, ROUNDOFF);
            tn_sim_current(sim);
        }
    }
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    CHECK(ledger.max_g < ROUNDOFF && ledger.max_gdot < ROUNDOFF);
    CHECK(ledger.max_balance < ROUNDOFF);
    tn_sim_destroy(sim);
}

static void the_unit_circle_is_that_of_the_paper(void)
{
    check_unit_circle("variational/multiplier");
    check_unit_circle("variational/dalembert");
    check_unit_circle("variational/reparam");
}

// Pendulum ----------------------------------------------------------------------------------------

typedef struct band {
    double early, late; // largest |H - H_0| in the first and in the last tenth of a run
} band;

static band run_from_rest(const char *method, double h, int steps)
{
    circle c = {.gravity = 9.81};
    const double q[2] = {1.0, 0.0}, v[2] = {0.0, 0.0};
    tn_sim *sim = open_circle(&c, method, h, q, v);
    band b = {0};
    for (int n = 0; n < steps; n++) {
        tn_ledger ledger;
        CHECK_OK(tn_sim_step(sim, h));
        tn_sim_ledger(sim, &ledger);
        if (n < steps / 10)
            b.early = fmax(b.early, fabs(ledger.balance));
        if (n >= steps - steps / 10)
            b.late = fmax(b.late, fabs(ledger.balance));
    }
    tn_sim_destroy(sim);
    return b;
}

static void the_energy_of_a_pendulum_stays_in_its_band(void)
{
    const band coarse = run_from_rest("variational", 0.02, 20000);
    const band fine = run_from_rest("variational", 0.01, 20000);
    const band other = run_from_rest("galpha/ggl", 0.02, 20000);
    printf("band %.3e, then %.3e; half the step %.3e; galpha %.3e, then %.3e\n", coarse.early,
           coarse.late, fine.late, other.early, other.late);
    CHECK(fabs(coarse.late - coarse.early) < 0.01 * coarse.early);
    CHECK(coarse.late < 0.02 && coarse.late > 3.5 * fine.late && coarse.late < 4.5 * fine.late);
    CHECK(other.late > 3.0 * other.early); // numerical damping
}

// Extremes of E_d - E_0 [LMO08, eq. 52] and H_d - E_0 [eq. 53], with p of eq. 35.
static void the_two_energies_oscillate_as_in_the_paper(void)
{
    circle c = {.gravity = 9.81};
    const double h = 0.1, q[2] = {1.0, 0.0}, v[2] = {0.0, 0.0};
    double E[2] = {0.0, 0.0}, H[2] = {0.0, 0.0}, before[2]; // lowest, highest
    tn_sim *sim = open_circle(&c, "variational", h, q, v);
    for (int n = 0; n < 300; n++) {
        memcpy(before, tn_sim_q(sim), sizeof before);
        CHECK_OK(tn_sim_step(sim, h));
        const double *q1 = tn_sim_q(sim), J = 0.5 * h * tn_sim_lambda(sim)[0];
        const double u[2] = {(q1[0] - before[0]) / h, (q1[1] - before[1]) / h};
        const double p[2] = {u[0] - J * q1[0], u[1] - 0.5 * h * c.gravity - J * q1[1]};
        const double e = 0.5 * (u[0] * u[0] + u[1] * u[1]) + 0.5 * c.gravity * (q1[1] + before[1]);
        const double d = 0.5 * (p[0] * p[0] + p[1] * p[1]) + c.gravity * q1[1];
        E[0] = fmin(E[0], e);
        E[1] = fmax(E[1], e);
        H[0] = fmin(H[0], d);
        H[1] = fmax(H[1], d);
    }
    printf("E_d - E_0 from %.4f to %.4f, H_d - E_0 from %.4f to %.4f\n", E[0], E[1], H[0], H[1]);
    CHECK(E[1] > -2.0 * E[0] && H[0] < -2.0 * fabs(H[1])); // of opposite sign
    CHECK(H[1] - H[0] < E[1] - E[0]);
    tn_sim_destroy(sim);
}

enum { OF_Q, OF_V, OF_P, OF_LAMBDA, QUANTITIES };

// Largest differences from a tight run at ten times, and the part of p along the rod, B M^-1 p.
typedef struct errors {
    double of[QUANTITIES], hidden, gdot;
} errors;

static errors against_tight_run(circle *c, int per_time)
{
    const double q[2] = {0.6, -0.8}, v[2] = {0.8 + 0.6 * c->swing, 0.6 - 0.8 * c->swing};
    const double h = 0.2 / per_time;
    const tn_callbacks cb = functions(c);
    tn_sim *exact = NULL;
    tn_sim_options tight = tn_default_sim();
    tight.method = "radau5/ggl";
    tight.rtol = tight.atol = 1e-12;
    CHECK_OK(tn_sim_create_callbacks(&cb, q, v, &tight, &exact));
    tn_sim *sim = open_circle(c, "variational", h, q, v);
    errors e = {0};
    for (int k = 1; k <= 10; k++) {
        double before[2], p[2];
        for (int n = 0; n < per_time; n++) {
            memcpy(before, tn_sim_q(sim), sizeof before);
            CHECK_OK(tn_sim_step(sim, h));
        }
        CHECK_OK(tn_sim_run(exact, 0.2 * k, NULL, NULL));
        const double *q1 = tn_sim_q(sim), *v1 = tn_sim_v(sim), lambda = tn_sim_lambda(sim)[0];
        const double u[2] = {(q1[0] - before[0]) / h, (q1[1] - before[1]) / h};
        double f[2], hidden = 0.0;
        force(c, &(tn_arguments){.v = u}, f);
        for (int i = 0; i < 2; i++) { // [LMO08, eq. 35]
            p[i] = u[i] + 0.5 * h * f[i] - 0.5 * h * lambda * q1[i];
            hidden += q1[i] * (p[i] - v1[i]);
            e.of[OF_Q] = fmax(e.of[OF_Q], fabs(q1[i] - tn_sim_q(exact)[i]));
            e.of[OF_V] = fmax(e.of[OF_V], fabs(v1[i] - tn_sim_v(exact)[i]));
            e.of[OF_P] = fmax(e.of[OF_P], fabs(p[i] - tn_sim_v(exact)[i]));
        }
        e.of[OF_LAMBDA] = fmax(e.of[OF_LAMBDA], fabs(lambda - tn_sim_lambda(exact)[0]));
        e.hidden = fmax(e.hidden, fabs(hidden));
    }
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    e.gdot = ledger.max_gdot;
    tn_sim_destroy(exact);
    tn_sim_destroy(sim);
    return e;
}

static void check_orders(circle *c)
{
    static const char *const names[] = {"q", "v", "p", "lambda"};
    const errors coarse = against_tight_run(c, 40), fine = against_tight_run(c, 80);
    for (int k = 0; k < QUANTITIES; k++) {
        const double order = log2(coarse.of[k] / fine.of[k]);
        printf("%-6s error %.2e, order %.3f\n", names[k], fine.of[k], order);
        CHECK_NEAR(order, 2.0, 0.1);
    }
    // Momenta violate the hidden constraint where there is a potential, projected ones do not
    // [LMO08, sect. 3.1].
    CHECK(fine.hidden > 1e-6 && fine.gdot < 10.0 * ROUNDOFF);
}

static void all_of_a_pendulum_is_of_second_order(void)
{
    check_orders(&(circle){.gravity = 9.81});
}

static void so_it_is_with_drag_and_a_rod_that_changes_its_length(void)
{
    check_orders(&(circle){.gravity = 9.81, .drag = 0.4, .swing = 0.3});
}

// With M = I and V'' = 0 the first multiplier is lambda + h lambda' / 3, and
// lambda = v . v - g y, lambda' = -3 g y' on this circle.
static void the_first_multiplier_is_of_first_order(void)
{
    circle c = {.gravity = 9.81};
    const double h = 1e-3, q[2] = {0.6, -0.8}, v[2] = {0.8, 0.6};
    tn_sim *sim = open_circle(&c, "variational", h, q, v);
    CHECK_OK(tn_sim_step(sim, h));
    CHECK_OK(tn_sim_show(sim, tn_sim_before(sim)));
    const double rate = (tn_sim_lambda(sim)[0] - (1.0 + 9.81 * 0.8)) / h;
    CHECK_NEAR(rate, -9.81 * v[1], 0.02); // terms of h^2 / h
    tn_sim_destroy(sim);
}

// What the projection of momenta takes away is the multiplier's to restore.
static void a_new_start_from_the_state_goes_on_along_the_same_points(void)
{
    circle c = {.gravity = 9.81, .drag = 0.2};
    const double h = 0.05, q[2] = {0.6, -0.8}, v[2] = {0.8, 0.6};
    tn_sim *sim = open_circle(&c, "variational", h, q, v);
    for (int n = 0; n < 10; n++)
        CHECK_OK(tn_sim_step(sim, h));
    tn_sim *other = open_circle(&c, "variational", h, tn_sim_q(sim), tn_sim_v(sim));
    for (int n = 0; n < 20; n++) {
        CHECK_OK(tn_sim_step(sim, h));
        CHECK_OK(tn_sim_step(other, h));
        CHECK_NEAR(tn_sim_q(sim)[0], tn_sim_q(other)[0], ROUNDOFF);
        CHECK_NEAR(tn_sim_q(sim)[1], tn_sim_q(other)[1], ROUNDOFF);
    }
    tn_sim_destroy(sim);
    tn_sim_destroy(other);
}

// Free bodies -------------------------------------------------------------------------------------

static void check_momenta(const tn_model *model)
{
    tn_sim_options options = tn_default_sim();
    options.method = "variational@director";
    options.step = 0.01;
    tn_sim *sim = NULL;
    tn_ledger ledger;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    double lost = 0.0;
    const long before = tn_test_alloc_count();
    for (int n = 0; n < 5000; n++) {
        CHECK_OK(tn_sim_step(sim, options.step));
        tn_sim_ledger(sim, &ledger);
        for (int i = 0; i < 3; i++) {
            lost = fmax(lost, fabs(ledger.spin[i] - ledger.spin_start[i]));
            lost = fmax(lost, fabs(ledger.momentum[i] - ledger.momentum_start[i]));
        }
    }
    const double size = fabs(ledger.spin[0]) + fabs(ledger.spin[1]) + fabs(ledger.spin[2]);
    printf("momenta of size %.3f change by %.1e, energy by %.1e of %.3f\n", size, lost,
           ledger.max_balance, ledger.kinetic);
    CHECK(size > 0.5 && lost < 10.0 * ROUNDOFF);
    CHECK(ledger.max_g < ROUNDOFF);
    CHECK(ledger.max_balance < 0.01 * ledger.kinetic);
    CHECK(tn_test_alloc_count() == before);
    tn_sim_destroy(sim);
}

static void free_bodies_keep_their_momenta(void)
{
    tn_model *model = tn_model_create();
    const tn_body one = add_block(model, "one", tn_v3(0.0, 0.0, 0.0), tn_v3(1.0, 2.0, -0.5));
    check_momenta(model);
    tn_joint_def ball = tn_default_joint(TN_JOINT_SPHERICAL);
    ball.name = "ball";
    ball.body_a = one;
    ball.frame_a.p = tn_v3(1.0, 0.0, 0.0);
    ball.body_b = add_block(model, "two", tn_v3(1.0, 0.0, 0.0), tn_v3(-1.0, 0.5, 2.0));
    tn_model_add_joint(model, &ball);
    check_momenta(model);
    tn_model_destroy(model);
}

// Forms -------------------------------------------------------------------------------------------

static double difference(tn_sim *a, tn_sim *b)
{
    double most = 0.0;
    for (int i = 0; i < tn_sim_nq(a); i++)
        most = fmax(most, fabs(tn_sim_q(a)[i] - tn_sim_q(b)[i]));
    return most;
}

static void check_same(tn_sim *a, tn_sim *b, double h, int steps)
{
    double motion = 0.0, force = 0.0;
    for (int n = 0; n < steps; n++) {
        CHECK_OK(tn_sim_step(a, h));
        CHECK_OK(tn_sim_step(b, h));
        motion = fmax(motion, difference(a, b));
        for (int i = 0; i < tn_sim_nl(a); i++)
            force = fmax(force, fabs(tn_sim_lambda(a)[i] - tn_sim_lambda(b)[i]));
    }
    printf("%s and %s: motion %.1e, multipliers %.1e\n", tn_sim_method(a), tn_sim_method(b), motion,
           force);
    CHECK(motion < 1e-9 && force < 1e-7); // multipliers see round-off by h^2
    tn_sim_destroy(a);
    tn_sim_destroy(b);
}

static tn_sim *open_form(const tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static void all_forms_give_one_motion(void)
{
    circle c = {.gravity = 9.81};
    const double q[2] = {0.6, -0.8}, v[2] = {0.8, 0.6};
    check_same(open_circle(&c, "variational/multiplier", 0.02, q, v),
               open_circle(&c, "variational/dalembert", 0.02, q, v), 0.02, 10000);
    check_same(open_circle(&c, "variational/multiplier", 0.02, q, v),
               open_circle(&c, "variational/reparam", 0.02, q, v), 0.02, 10000);
    tn_model *model = tn_model_create();
    add_block(model, "one", tn_v3(0.0, 0.0, 0.0), tn_v3(1.0, 2.0, -0.5));
    check_same(open_form(model, "variational/multiplier@director"),
               open_form(model, "variational/dalembert@director"), 0.01, 10000);
    check_same(open_form(model, "variational/multiplier@director"),
               open_form(model, "variational/reparam@director"), 0.01, 10000);
    tn_model_destroy(model);
}

// Matrix ------------------------------------------------------------------------------------------

static const double T0 = 0.3, STEP = 0.2, Q0[2] = {0.6, -0.8};

// Rows of an interval at y = (u, J), with B at its start in the carrier.
static void rows_at(tn_discrete *d, const double y[3], double r[3])
{
    tn_system *sys = d->sys;
    const double zero[2] = {0.0, 0.0};
    double middle[2], u[2], b[2];
    CHECK_OK(d->ops->move(d, y, u));
    for (int i = 0; i < 2; i++)
        middle[i] = Q0[i] + 0.5 * STEP * u[i];
    const tn_point at = {.t = T0 + 0.5 * STEP, .q = middle, .v = u, .a = zero, .lambda = zero};
    CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_TANGENT));
    for (int i = 0; i < 2; i++)
        b[i] = u[i] - 0.5 * STEP * sys->f[i];
    CHECK_OK(d->ops->residual(d, y, u, b, true, r));
}

// Columns of central differences are columns of the matrix: solved with it they become unit
// vectors.
static void check_matrix(tn_discrete *d)
{
    const double u[2] = {1.2, 0.7}, J[1] = {0.4}, e = 1e-5;
    double y[3];
    const tn_point node = {.t = T0, .q = Q0, .v = u};
    const tn_balance derivative = {.d = 0.5 * STEP, .k = 0.25 * STEP * STEP};
    CHECK_OK(tn_discrete_begin(d, &node, STEP));
    CHECK_OK(tn_system_eval(d->sys, &node, TN_EVAL_B));
    CHECK_OK(tn_discrete_carry(d, &node));
    d->ops->predict(d, u, J, y);
    for (int j = 0; j < d->n; j++) {
        double up[3], down[3], r_up[3], r_down[3];
        memcpy(up, y, sizeof up);
        memcpy(down, y, sizeof down);
        up[j] += e;
        down[j] -= e;
        rows_at(d, up, r_up);
        rows_at(d, down, r_down);
        rows_at(d, y, down); // leaves the blocks at y
        CHECK_OK(d->ops->factor(d, y, &derivative));
        for (int i = 0; i < d->n; i++)
            r_up[i] = (r_up[i] - r_down[i]) / (2.0 * e);
        d->ops->solve(d, r_up);
        for (int i = 0; i < d->n; i++)
            CHECK_NEAR(r_up[i], i == j ? 1.0 : 0.0, 1e-9); // round-off of 1e-16 over 2 e
    }
}

static void matrices_are_derivatives_of_the_rows(void)
{
    circle c = {.gravity = 9.81, .drag = 0.7, .swing = 0.3};
    const tn_callbacks cb = functions(&c);
    const int active[1] = {1};
    const double v[2] = {0.8, 0.6};
    const tn_point node = {.t = T0, .q = Q0, .v = v};
    int forms = 0;
    for (int k = 0; k < tn_formulation_count; k++) {
        tn_system *sys = NULL;
        tn_discrete *d = NULL;
        if (!(tn_formulations[k]->offers & TN_VIEW_DISCRETE))
            continue;
        CHECK_OK(tn_callbacks_create(&cb, &sys));
        CHECK_OK(tn_discrete_create(sys, tn_formulations[k], &node, active, &d));
        check_matrix(d);
        tn_discrete_destroy(d);
        tn_system_destroy(sys);
        forms++;
    }
    CHECK(forms >= 3);
}

// States ------------------------------------------------------------------------------------------

// A filter that follows the point, and pulls it.
static int follow(void *user, const tn_arguments *at, double *d)
{
    (void)user;
    d[0] = 3.0 * (at->q[0] - at->c[0]) + at->v[1] * at->v[1];
    return 0;
}

static int pull(void *user, const tn_arguments *at, double *f)
{
    const int status = force(user, at, f);
    f[0] += 2.0 * at->c[0];
    return status;
}

// x, its rate and the state after 1 s.
static void run_followed(const char *method, double h, double out[3])
{
    circle c = {.gravity = 9.81, .drag = 0.1};
    const double q[2] = {1.0, 0.0}, v[2] = {0.0, 0.0};
    tn_callbacks cb = functions(&c);
    cb.nc = 1;
    cb.states = follow;
    cb.force = pull;
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = h;
    options.adaptive = h == 0.0;
    options.rtol = 1e-12;
    options.atol = 1e-13;
    CHECK_OK(tn_sim_create_callbacks(&cb, q, v, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    out[0] = tn_sim_q(sim)[0];
    out[1] = tn_sim_v(sim)[0];
    out[2] = tn_sim_extra(sim)[0];
    tn_sim_destroy(sim);
}

static void states_of_own_equations_are_of_second_order(void)
{
    static const char *const forms[] = {"variational/multiplier", "variational/dalembert",
                                        "variational/reparam"};
    double exact[3], rough[3], fine[3];
    run_followed("dop853/index1+project", 0.0, exact);
    for (int k = 0; k < TN_COUNT(forms); k++) {
        run_followed(forms[k], 0.01, rough);
        run_followed(forms[k], 0.005, fine);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(fabs(rough[i] - exact[i]) / fabs(fine[i] - exact[i]), 4.0, 0.2);
    }
}

// Refusals ----------------------------------------------------------------------------------------

static void check_refused(tn_status status, const char *part)
{
    CHECK(status == TN_ERR_PAIRING);
    CHECK(strstr(tn_last_error(), part) != NULL);
}

static int slide(void *user, const tn_arguments *at, double *N, double *n0)
{
    (void)user, (void)at;
    N[0] = 1.0;
    N[1] = n0[0] = 0.0;
    return 0;
}

static int fill(void *user, const tn_arguments *at, double *b)
{
    (void)user;
    b[0] = at->s[0] - 1.0;
    return 0;
}

static void parts_that_the_principle_does_not_have_are_refused(void)
{
    circle c = {.gravity = 9.81};
    const double q[2] = {1.0, 0.0}, v[2] = {0.0, 0.0};
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = "variational";
    tn_callbacks cb = functions(&c);
    cb.nn = 1;
    cb.pfaffian = slide;
    options.method = "variational/reparam";
    check_refused(
        tn_sim_create_callbacks(&cb, q, v, &options, &sim),
        "formulation 'reparam' has no place for rows of velocities, and this model has 1");
    options.method = "variational";
    cb.nn = 0;
    cb.ns = 1;
    cb.contact = fill;
    check_refused(tn_sim_create_callbacks(&cb, q, v, &options, &sim),
                  "contacts, and these equations have 1; take galpha/ggl or radau5/ggl");
    cb.ns = 0;
    options.method = "energy-momentum";
    check_refused(tn_sim_create_callbacks(&cb, q, v, &options, &sim),
                  "do not have; take variational");
}

static void what_it_cannot_do_is_refused_with_the_reason(void)
{
    circle c = {.gravity = 9.81};
    const double q[2] = {1.0, 0.0}, v[2] = {0.0, 0.0};
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = "variational";
    options.adaptive = true;
    tn_callbacks cb = functions(&c);
    check_refused(tn_sim_create_callbacks(&cb, q, v, &options, &sim), "fixed step only");
    options.adaptive = false;
    c.heavier = 0.1;
    check_refused(tn_sim_create_callbacks(&cb, q, v, &options, &sim), "a constant mass matrix");
    c.heavier = 0.0;
    cb.lambda_in_force = true;
    check_refused(tn_sim_create_callbacks(&cb, q, v, &options, &sim), "depend on constraint");
    tn_model *model = tn_model_create();
    add_block(model, "one", tn_v3(0.0, 0.0, 0.0), tn_v3(1.0, 2.0, -0.5));
    options.method = "variational@absolute";
    check_refused(tn_sim_create(model, &options, &sim), "take @director");
    options.method = "variational/ggl@director";
    check_refused(tn_sim_create(model, &options, &sim), "variational/multiplier");
    options.method = "galpha/multiplier@director";
    check_refused(tn_sim_create(model, &options, &sim), "galpha/ggl");
    tn_model_destroy(model);
}

// The integrator is one interval ahead and ends before the step that has no force.
static void a_force_that_fails_ends_the_run_with_the_last_good_state(void)
{
    static const double broken[] = {0.0, NAN, INFINITY};
    const double q[2] = {0.6, -0.8}, v[2] = {0.8, 0.6};
    for (int k = 0; k < TN_COUNT(broken); k++) {
        circle c = {.gravity = 9.81, .last = 0.505, .broken = broken[k]};
        tn_sim *sim = open_circle(&c, "variational", 0.02, q, v);
        CHECK_STATUS(tn_sim_run(sim, 1.0, NULL, NULL), TN_ERR_NUMERIC);
        CHECK_NEAR(tn_sim_time(sim), 0.48, ROUNDOFF);
        const double there[2] = {tn_sim_q(sim)[0], tn_sim_q(sim)[1]};
        CHECK_NEAR(hypot(there[0], there[1]), 1.0, ROUNDOFF);
        c.last = 0.0;
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        tn_sim *whole = open_circle(&c, "variational", 0.02, q, v);
        CHECK_OK(tn_sim_run(whole, 1.0, NULL, NULL));
        CHECK_NEAR(tn_sim_q(sim)[0], tn_sim_q(whole)[0], ROUNDOFF);
        CHECK_NEAR(tn_sim_lambda(sim)[0], tn_sim_lambda(whole)[0], 1e4 * ROUNDOFF); // by h^2
        tn_sim_destroy(whole);
        tn_sim_destroy(sim);
    }
}

static const tn_test tests[] = {
    {"the unit circle is that of the paper", the_unit_circle_is_that_of_the_paper},
    {"the energy of a pendulum stays in its band", the_energy_of_a_pendulum_stays_in_its_band},
    {"the two energies oscillate as in the paper", the_two_energies_oscillate_as_in_the_paper},
    {"the first multiplier is of first order", the_first_multiplier_is_of_first_order},
    {"all of a pendulum is of second order", all_of_a_pendulum_is_of_second_order},
    {"so it is with drag and a rod that changes its length",
     so_it_is_with_drag_and_a_rod_that_changes_its_length},
    {"a new start from the state goes on along the same points",
     a_new_start_from_the_state_goes_on_along_the_same_points},
    {"free bodies keep their momenta", free_bodies_keep_their_momenta},
    {"all forms give one motion", all_forms_give_one_motion},
    {"matrices are derivatives of the rows", matrices_are_derivatives_of_the_rows},
    {"a force that fails ends the run with the last good state",
     a_force_that_fails_ends_the_run_with_the_last_good_state},
    {"states of own equations are of second order", states_of_own_equations_are_of_second_order},
    {"parts that the principle does not have are refused",
     parts_that_the_principle_does_not_have_are_refused},
    {"what it cannot do is refused with the reason", what_it_cannot_do_is_refused_with_the_reason},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
