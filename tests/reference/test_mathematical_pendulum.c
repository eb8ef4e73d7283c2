// SPDX-License-Identifier: MIT
//
// The mathematical pendulum of [LMO08, sect. 3.1], a point of unit mass on a rod of unit length, by
// every discrete principle and every form: on the unit circle without gravity the closed forms of
// both principles (Figs. 1 and 2), with gravity from rest the two energies and the hidden
// constraints (Figs. 4 and 5). What is told of the nodes is compared with the points of the motion
// alone, and the ledger with the rows that it is made of.

#include "fixed_step.h"

static const double H = 0.1, GRAVITY = 9.81;

// Round-off of a thousand steps of numbers of size ten, divided by h once.
static const double ROUNDOFF = 1e-12;

static tn_model *pendulum(double gravity, double speed)
{
    tn_model *model = tn_model_create();
    tn_body_def mass = tn_default_body();
    tn_joint_def rod = tn_default_joint(TN_JOINT_DISTANCE);
    tn_model_set_gravity(model, tn_v3(0.0, -gravity, 0.0));
    mass.name = "mass";
    mass.kind = TN_BODY_POINT_2D;
    mass.mass = 1.0;
    mass.frame.p = tn_v3(1.0, 0.0, 0.0);
    mass.velocity = tn_v3(0.0, speed, 0.0);
    rod.name = "rod";
    rod.body_b = tn_model_add_body(model, &mass);
    rod.distance.length = 1.0;
    tn_model_add_joint(model, &rod);
    return model;
}

static bool is_variational(const tn_integrator_ops *integrator)
{
    return strcmp(integrator->name, "variational") == 0;
}

static double largest(int n, const double *rows)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(rows[i]));
    return most;
}

// Unit circle -------------------------------------------------------------------------------------

// Both principles turn by the same angle in each step: variational by sin(angle) = h with the
// multiplier 2 (1 - cos(angle)) / h^2, energy-momentum by tan(angle / 2) = h / 2 with 1. E_d is
// that of the chord.
static void go_round(const char *method, const tn_integrator_ops *integrator, void *user)
{
    (void)user;
    const bool variational = is_variational(integrator);
    const double angle = variational ? asin(H) : 2.0 * atan(0.5 * H);
    const double lambda = variational ? 2.0 * (1.0 - cos(angle)) / (H * H) : 1.0;
    const double E_d = (1.0 - cos(angle)) / (H * H);
    tn_model *model = pendulum(0.0, 1.0);
    tn_sim *sim = open_fixed(model, method, H);
    tn_discrete_node node;
    double force = 0.0, energy = 0.0, hidden = 0.0;
    for (int n = 0; n <= 1000; n++) {
        if (n > 0)
            CHECK_OK(tn_sim_step(sim, H));
        CHECK(tn_sim_discrete(sim, &node) && node.ng == 1 && node.nv == 2);
        force = fmax(force, fabs(tn_sim_lambda(sim)[0] - lambda));
        energy = fmax(energy, fmax(fabs(node.H_d - 0.5), fabs(node.E_d - E_d)));
        hidden = fmax(hidden, fmax(fabs(node.f[0]), fmax(fabs(node.h[0]), fabs(node.h_Qp[0]))));
        CHECK_NEAR(tn_sim_q(sim)[0], cos(n * angle), 10.0 * ROUNDOFF);
        CHECK_NEAR(tn_sim_q(sim)[1], sin(n * angle), 10.0 * ROUNDOFF);
    }
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    printf("%s: lambda %.11f to %.0e, H_d to %.0e, g %.0e, hidden rows %.0e\n", method, lambda,
           force, energy, ledger.max_g, hidden);
    CHECK(force < 1e-10 && energy < ROUNDOFF && hidden < ROUNDOFF && ledger.max_g < ROUNDOFF);
    if (variational)
        CHECK_NEAR(lambda, 1.00251257867, 1e-11); // [LMO08, Fig. 1]
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void the_unit_circle_has_its_closed_form_from_the_first_node_on(void)
{
    CHECK(for_discrete_methods(go_round, NULL) >= 2);
}

// Pendulum with gravity ---------------------------------------------------------------------------

enum { STEPS = 2000 };

typedef struct range {
    double least, most;
} range;

static void widen(range *r, double x)
{
    r->least = fmin(r->least, x);
    r->most = fmax(r->most, x);
}

static double width(range r)
{
    return r.most - r.least;
}

typedef struct points {
    double q[STEPS + 1][2], lambda[STEPS + 1];
    double E_d[STEPS + 1], H_d[STEPS + 1], h[STEPS + 1], h_Qp[STEPS + 1], f[STEPS + 1];
    double p[STEPS + 1][2], Qp[STEPS + 1][2], reduced[STEPS + 1];
} points;

static void follow(const char *method, points *out)
{
    tn_model *model = pendulum(GRAVITY, 0.0);
    tn_sim *sim = open_fixed(model, method, H);
    const long before = tn_test_alloc_count();
    for (int n = 0; n <= STEPS; n++) {
        tn_discrete_node node;
        if (n > 0)
            CHECK_OK(tn_sim_step(sim, H));
        CHECK(tn_sim_discrete(sim, &node));
        memcpy(out->q[n], tn_sim_q(sim), sizeof out->q[n]);
        memcpy(out->p[n], node.p, sizeof out->p[n]);
        memcpy(out->Qp[n], node.Qp, sizeof out->Qp[n]);
        out->lambda[n] = tn_sim_lambda(sim)[0];
        out->reduced[n] = node.nreduced == 1 ? node.reduced[0] : NAN;
        out->E_d[n] = node.E_d;
        out->H_d[n] = node.H_d;
        out->f[n] = node.f[0];
        out->h[n] = node.h[0];
        out->h_Qp[n] = node.h_Qp[0];
    }
    CHECK(tn_test_alloc_count() == before);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// From the points alone [LMO08, eq. 52], and from p [eq. 46, 53].
static void check_node(const points *at, int n)
{
    const double *q = at->q[n], *q1 = at->q[n + 1], *p = at->p[n];
    const double u[2] = {(q1[0] - q[0]) / H, (q1[1] - q[1]) / H};
    const double middle[2] = {0.5 * (q[0] + q1[0]), 0.5 * (q[1] + q1[1])};
    const double across = q[0] * p[0] + q[1] * p[1], along = q[0] * p[1] - q[1] * p[0];
    CHECK_NEAR(at->E_d[n], 0.5 * (u[0] * u[0] + u[1] * u[1]) + GRAVITY * middle[1], 1e2 * ROUNDOFF);
    CHECK_NEAR(at->H_d[n], 0.5 * (p[0] * p[0] + p[1] * p[1]) + GRAVITY * q[1], ROUNDOFF);
    CHECK_NEAR(at->f[n], middle[0] * u[0] + middle[1] * u[1], ROUNDOFF);
    CHECK_NEAR(at->h[n], across, ROUNDOFF);
    CHECK_NEAR(at->Qp[n][0], p[0] - across * q[0], ROUNDOFF);
    CHECK_NEAR(at->Qp[n][1], p[1] - across * q[1], ROUNDOFF);
    if (!isnan(at->reduced[n]))
        CHECK_NEAR(fabs(at->reduced[n]), fabs(along), ROUNDOFF);
}

// By the interval before the node [LMO08, eq. 35], where the integrator has it from the one after:
// momenta match.
static void check_momentum(const points *at, int n)
{
    const double *q0 = at->q[n - 1], *q = at->q[n];
    const double pull = 0.5 * H * at->lambda[n];
    CHECK_NEAR(at->p[n][0], (q[0] - q0[0]) / H - pull * q[0], 1e2 * ROUNDOFF);
    CHECK_NEAR(at->p[n][1], (q[1] - q0[1]) / H - 0.5 * H * GRAVITY - pull * q[1], 1e2 * ROUNDOFF);
}

// Figs. 4 and 5: both energies keep to their bands, that of H_d is narrower and lies on the other
// side, p violates the hidden constraint and neither Qp nor the differences of points do.
static void check_figures(const points *at, const char *method)
{
    range E[2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}}, H_d[2] = {E[0], E[0]};
    double hidden = 0.0, held = 0.0;
    for (int n = 0; n < STEPS; n++) {
        widen(&E[2 * n / STEPS], at->E_d[n]);
        widen(&H_d[2 * n / STEPS], at->H_d[n]);
        hidden = fmax(hidden, fabs(at->h[n]));
        held = fmax(held, fmax(fabs(at->h_Qp[n]), fabs(at->f[n])));
    }
    printf("%s: E_d %.3f to %.3f, H_d %.3f to %.3f, h_d of p %.3f, others %.0e\n", method,
           E[0].least, E[0].most, H_d[0].least, H_d[0].most, hidden, held);
    CHECK(fabs(width(E[1]) - width(E[0])) < 0.01 * width(E[0]));
    CHECK(fabs(width(H_d[1]) - width(H_d[0])) < 0.01 * width(H_d[0]));
    CHECK(width(H_d[0]) < 0.6 * width(E[0]) && width(E[0]) < 1.0); // of 9.81 J that go to and fro
    CHECK(E[0].most > -2.0 * E[0].least && H_d[0].least < -2.0 * H_d[0].most);
    CHECK(hidden > 0.01 && held < ROUNDOFF);
}

static void swing(const char *method, const tn_integrator_ops *integrator, void *user)
{
    (void)user;
    const bool variational = is_variational(integrator);
    static points at;
    follow(method, &at);
    for (int n = 0; n < STEPS; n++)
        check_node(&at, n);
    if (variational) {
        for (int n = 1; n < STEPS; n++)
            check_momentum(&at, n);
        check_figures(&at, method);
        return;
    }
    double lost = 0.0;
    for (int n = 0; n <= STEPS; n++)
        lost = fmax(lost, fabs(at.H_d[n]));
    printf("%s: H_d off by %.0e J\n", method, lost);
    CHECK(lost < 1e2 * ROUNDOFF);
}

static void the_figures_of_the_pendulum_are_reproduced(void)
{
    CHECK(for_discrete_methods(swing, NULL) >= 2);
}

// Orders ------------------------------------------------------------------------------------------

enum { OF_Q, OF_P, OF_LAMBDA, QUANTITIES };

static double apart(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

// The largest errors at ten times, with so many steps between them, against a run whose own are
// near 1e-10. The mass is one: momenta are velocities.
static void find_errors(const char *method, int steps, double error[QUANTITIES])
{
    tn_model *model = pendulum(GRAVITY, 0.5);
    tn_sim_options tight = tn_default_sim();
    tn_sim *exact = NULL, *sim = open_fixed(model, method, 0.1 / steps);
    tight.method = "radau5/ggl";
    tight.rtol = tight.atol = 1e-11;
    CHECK_OK(tn_sim_create(model, &tight, &exact));
    for (int k = 1; k <= 10; k++) {
        tn_discrete_node node;
        for (int n = 0; n < steps; n++)
            CHECK_OK(tn_sim_step(sim, 0.1 / steps));
        CHECK_OK(tn_sim_run(exact, 0.1 * k, NULL, NULL));
        CHECK(tn_sim_discrete(sim, &node) && node.nv == 2);
        error[OF_Q] = fmax(error[OF_Q], apart(2, tn_sim_q(sim), tn_sim_q(exact)));
        error[OF_P] = fmax(error[OF_P], apart(2, node.p, tn_sim_v(exact)));
        error[OF_LAMBDA] =
            fmax(error[OF_LAMBDA], apart(1, tn_sim_lambda(sim), tn_sim_lambda(exact)));
    }
    tn_sim_destroy(exact);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void check_orders(const char *method, const tn_integrator_ops *integrator, void *user)
{
    static const char *const names[QUANTITIES] = {"q", "p", "lambda"};
    double coarse[QUANTITIES] = {0}, fine[QUANTITIES] = {0};
    (void)integrator, (void)user;
    find_errors(method, 20, coarse);
    find_errors(method, 40, fine);
    for (int k = 0; k < QUANTITIES; k++) {
        const double order = log2(coarse[k] / fine[k]);
        printf("%s: %s off by %.1e, order %.3f\n", method, names[k], fine[k], order);
        CHECK_NEAR(order, 2.0, 0.05); // terms of third order at h = 2.5 ms
    }
}

static void positions_momenta_and_multipliers_are_of_second_order(void)
{
    CHECK(for_discrete_methods(check_orders, NULL) == 6);
}

// What there is to tell ---------------------------------------------------------------------------

// Kinetic energy of a momentum by the reduced mass matrix [LMO08, eq. 114], which is diagonal.
static double energy_of_momentum(tn_sim *sim, const double *p)
{
    double M[12 * 12], sum = 0.0;
    CHECK_OK(tn_sim_mass_matrix(sim, M));
    for (int i = 0; i < 12; i++)
        sum += M[13 * i] > 1e-9 ? 0.5 * p[i] * p[i] / M[13 * i] : 0.0;
    return sum;
}

// The top has a director without inertia: H_d is that of the reduced p, and not all rows have h_d.
static void where_the_mass_matrix_is_singular_the_reduced_momentum_is_told(void)
{
    tn_model *model = NULL;
    tn_simulate simulate;
    tn_ledger ledger;
    tn_discrete_node node;
    CHECK_OK(tn_model_load(tn_test_path("models/heavy_top.yaml"), &model, &simulate));
    tn_sim *sim = open_fixed(model, "variational", 1e-3);
    CHECK(strcmp(tn_sim_method(sim), "variational/multiplier@director") == 0);
    for (int n = 0; n < 100; n++)
        CHECK_OK(tn_sim_step(sim, 1e-3));
    tn_sim_ledger(sim, &ledger);
    CHECK(tn_sim_discrete(sim, &node) && node.nv == 12 && node.ng == 9);
    CHECK(node.h == NULL && node.nreduced == 0);
    const double of_p = energy_of_momentum(sim, node.p), of_Qp = energy_of_momentum(sim, node.Qp);
    printf("top: energy of p %.9f, of Qp %.9f J\n", of_p, of_Qp);
    CHECK_NEAR(of_Qp, ledger.kinetic, 1e-12 * ledger.kinetic);
    CHECK_NEAR(node.H_d, of_p + ledger.potential, 1e-12 * node.H_d);
    CHECK(fabs(of_p - of_Qp) > 1e-9 * of_p);    // by what the projection takes away
    CHECK(largest(node.ng, node.h_Qp) < 1e-10); // rates of 150 1/s
    CHECK_OK(tn_sim_show(sim, tn_sim_time(sim) - 5e-4));
    CHECK(!tn_sim_discrete(sim, &node));
    tn_sim_destroy(sim);
    sim = open_fixed(model, "galpha/ggl", 1e-3);
    CHECK(!tn_sim_discrete(sim, &node));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// p = M v is not projected: H_d is the energy that is conserved, whatever the mass matrix.
static void energy_momentum_tells_the_energy_of_thin_bodies_that_it_conserves(void)
{
    tn_model *model = NULL;
    tn_simulate simulate;
    tn_ledger ledger;
    tn_discrete_node node;
    CHECK_OK(tn_model_load(tn_test_path("models/heavy_top.yaml"), &model, &simulate));
    tn_sim *sim = open_fixed(model, "energy-momentum", 5e-3);
    for (int n = 0; n < 100; n++) {
        CHECK_OK(tn_sim_step(sim, 5e-3));
        tn_sim_ledger(sim, &ledger);
        CHECK(tn_sim_discrete(sim, &node) && node.h == NULL);
        CHECK_NEAR(node.H_d, ledger.energy_start, 1e-10 * ledger.energy_start);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Looking at nodes, or not, leaves the motion as it is; so does a look after the state was moved.
static void looking_does_not_change_the_motion(void)
{
    tn_model *model = pendulum(GRAVITY, 0.0);
    tn_sim *seen = open_fixed(model, "variational", H),
           *unseen = open_fixed(model, "variational", H);
    tn_discrete_node node;
    for (int n = 0; n < 100; n++) {
        const double h = n % 10 == 7 ? 0.5 * H : H; // steps that differ start anew
        CHECK(tn_sim_discrete(seen, &node));
        CHECK_OK(tn_sim_step(seen, h));
        CHECK_OK(tn_sim_step(unseen, h));
        CHECK(memcmp(tn_sim_q(seen), tn_sim_q(unseen), 2 * sizeof(double)) == 0);
        CHECK(memcmp(tn_sim_lambda(seen), tn_sim_lambda(unseen), sizeof(double)) == 0);
    }
    tn_ledger one, other; // what was only looked at is no work, but for intervals begun in vain
    tn_sim_ledger(seen, &one);
    tn_sim_ledger(unseen, &other);
    CHECK(one.evaluations == other.evaluations && one.newton == other.newton);
    tn_sim_destroy(seen);
    tn_sim_destroy(unseen);
    tn_model_destroy(model);
}

// A run to a time that is no multiple of the step ends with a shorter one, from which the next run
// starts anew: each time the map is another symplectic one, and none adds energy of its own.
static void shorter_steps_at_ends_of_runs_keep_the_band(void)
{
    tn_model *model = pendulum(GRAVITY, 0.0);
    tn_sim *sim = open_fixed(model, "variational", H);
    range half[2] = {{0.0, 0.0}, {0.0, 0.0}};
    tn_ledger ledger;
    for (int k = 0; k < 4000; k++) {
        CHECK_OK(tn_sim_run(sim, 0.25 * (k + 1), NULL, NULL));
        tn_sim_ledger(sim, &ledger);
        widen(&half[k / 2000], ledger.balance);
    }
    printf("%ld steps of %.2f to %.2f s: %.3f to %.3f J, then %.3f to %.3f J\n", ledger.steps,
           ledger.step_min, ledger.step_max, half[0].least, half[0].most, half[1].least,
           half[1].most);
    CHECK(ledger.steps == 12000 && ledger.max_g < ROUNDOFF);
    CHECK(fabs(width(half[1]) - width(half[0])) < 0.05 * width(half[0]) && width(half[0]) < 0.5);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Ledger ------------------------------------------------------------------------------------------

enum { MOST_ROWS = 20000 };

typedef struct balances {
    int n;
    double t[MOST_ROWS], y[MOST_ROWS], h[MOST_ROWS];
    double spin[3], spin_start[3];
} balances;

static tn_status keep_balance(void *user, tn_sim *sim)
{
    balances *b = user;
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    CHECK(b->n < MOST_ROWS);
    b->t[b->n] = tn_sim_time(sim);
    b->h[b->n] = tn_sim_time(sim) - tn_sim_before(sim);
    b->y[b->n++] = ledger.balance;
    for (int i = 0; i < 3; i++)
        b->spin[i] = fmax(b->spin[i], fabs(ledger.spin[i] - ledger.spin_start[i]));
    return TN_OK;
}

// The weighted regression in two passes.
static double slope_of(const balances *b)
{
    double w = 0.0, t = 0.0, y = 0.0, tt = 0.0, ty = 0.0;
    for (int i = 0; i < b->n; i++) {
        w += b->h[i];
        t += b->h[i] * b->t[i];
        y += b->h[i] * b->y[i];
    }
    for (int i = 0; i < b->n; i++) {
        tt += b->h[i] * (b->t[i] - t / w) * (b->t[i] - t / w);
        ty += b->h[i] * (b->t[i] - t / w) * (b->y[i] - y / w);
    }
    return ty / tt;
}

static tn_ledger check_ledger(const char *method, double h)
{
    static balances b;
    tn_model *model = pendulum(GRAVITY, 0.0);
    tn_sim *sim = open_fixed(model, method, h);
    range band = {0.0, 0.0};
    tn_ledger ledger;
    b = (balances){0};
    CHECK_OK(tn_sim_run(sim, 200.0, keep_balance, &b));
    tn_sim_ledger(sim, &ledger);
    for (int i = 0; i < b.n; i++)
        widen(&band, b.y[i]);
    printf("%s: band %.2e to %.2e J, drift %.2e J/s\n", method, ledger.band[0], ledger.band[1],
           ledger.drift);
    CHECK(ledger.band[0] == band.least && ledger.band[1] == band.most);
    CHECK_NEAR(ledger.drift, slope_of(&b), 1e-9 * width(band));
    CHECK(memcmp(ledger.spin_change, b.spin, sizeof b.spin) == 0);
    CHECK(ledger.spin_change[0] == 0.0 && ledger.spin_change[2] > 4.0); // sqrt(2 g) below
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return ledger;
}

// Generalized-alpha drifts all the time: in 200 s its line rises by what it is off in the end. The
// slope of an oscillation is far below its width by the time.
static void the_ledger_tells_bands_and_drifts(void)
{
    const tn_ledger drifts = check_ledger("galpha/ggl@absolute", 0.02);
    CHECK(drifts.drift > 1e-4);
    CHECK_NEAR(200.0 * drifts.drift / drifts.balance, 1.0, 0.2);
    const tn_ledger kept = check_ledger("variational/multiplier@absolute", 0.02);
    CHECK(fabs(200.0 * kept.drift) < 0.02 * (kept.band[1] - kept.band[0]));
    check_ledger("dop853/index1+project@absolute", 0.0);
}

static const tn_test tests[] = {
    {"positions, momenta and multipliers are of second order",
     positions_momenta_and_multipliers_are_of_second_order},
    {"the unit circle has its closed form from the first node on",
     the_unit_circle_has_its_closed_form_from_the_first_node_on},
    {"the figures of the pendulum are reproduced", the_figures_of_the_pendulum_are_reproduced},
    {"where the mass matrix is singular the reduced momentum is told",
     where_the_mass_matrix_is_singular_the_reduced_momentum_is_told},
    {"energy-momentum tells the energy of thin bodies that it conserves",
     energy_momentum_tells_the_energy_of_thin_bodies_that_it_conserves},
    {"looking does not change the motion", looking_does_not_change_the_motion},
    {"shorter steps at ends of runs keep the band", shorter_steps_at_ends_of_runs_keep_the_band},
    {"the ledger tells bands and drifts", the_ledger_tells_bands_and_drifts},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
