// SPDX-License-Identifier: MIT
//
// Constraints that depend on time.
//
// 1. models/slider_crank.yaml: the angle of the crank is a function of time, so that position and
//    velocity are known in closed form and the torque of the drive follows from the energies,
//      T = J(a) a'^2 / 2,   tau = J a'' + J'(a) a'^2 / 2 + V'(a) + c x'(a)^2 a'
//    with x(a) the place of the slider. Its work closes the energy balance.
//
// 2. The car axis [Test Set for IVP Solvers, "caraxis"], by functions and by bodies
//    (models/car_axis.yaml). With k = M eps^2 / 2, yb = r sin(w t), xb = sqrt(L^2 - yb^2):
//      k xl'' = (L0 - Ll) xl / Ll + l1 xb + 2 l2 (xl - xr),     k yl'' likewise with y and - k g
//      k xr'' = (L0 - Lr) (xr - xb) / Lr - 2 l2 (xl - xr),      k yr'' likewise
//      0 = xb xl + yb yl,   0 = (xl - xr)^2 + (yl - yr)^2 - L^2
//    The digits at t = 3 were computed for these tests by a projected method of order eight; they
//    agree with the published ones to 4e-13 in the positions.

#include "car_functions.h"

// The slider-crank --------------------------------------------------------------------------------

static const double r = 0.1, l = 0.3, w = 10.0; // as in the model

// The mechanism as functions of the angle of the crank.
static double slider(double a)
{
    return r * cos(a) + sqrt(l * l - r * r * sin(a) * sin(a));
}

static double slider_rate(double a) // dx/da
{
    return -r * sin(a) - r * r * sin(a) * cos(a) / sqrt(l * l - r * r * sin(a) * sin(a));
}

static double rod_rate(double a) // d(angle of the rod)/da, sin(angle) = -r sin(a) / l
{
    return -r * cos(a) / sqrt(l * l - r * r * sin(a) * sin(a));
}

// J(a): crank with flywheel, slider, and the rod, whose middle is half way between B and C.
static double inertia(double a)
{
    const double xs = slider_rate(a), xm = 0.5 * (-r * sin(a) + xs), ym = 0.5 * r * cos(a);
    return 0.05 + 5.5 * 0.01 * 0.01 + 0.4 * xs * xs + 0.6 * (xm * xm + ym * ym) +
           0.6 * l * l / 12.0 * rod_rate(a) * rod_rate(a);
}

static double potential(double a) // weights of crank and rod; spring with its rest at -r
{
    const double shift = slider(a) - (r + l) + r;
    return 9.81 * (5.5 * 0.01 * sin(a) + 0.6 * 0.5 * r * sin(a)) + 0.5 * 200.0 * shift * shift;
}

static double slope(double (*F)(double), double a) // by differences of order four: 1e-12
{
    const double d = 1e-3;
    return (8.0 * (F(a + d) - F(a - d)) - (F(a + 2 * d) - F(a - 2 * d))) / (12.0 * d);
}

typedef struct motion {
    double a, rate, acceleration;
} motion;

static motion crank_at(double t)
{
    const double decay = exp(-5.0 * t);
    return (motion){w * (t - (1.0 - decay) / 5.0), w * (1.0 - decay), 5.0 * w * decay};
}

static double drive_torque(motion m)
{
    const double xs = slider_rate(m.a);
    return inertia(m.a) * m.acceleration + 0.5 * slope(inertia, m.a) * m.rate * m.rate +
           slope(potential, m.a) + 5.0 * xs * xs * m.rate;
}

typedef struct crank_errors {
    double position, velocity, torque, g, gdot, balance;
} crank_errors;

static crank_errors run_crank(const char *method, double h)
{
    crank_errors e = {0};
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = h;
    options.jacobian_every = 1; // keeps the tolerance of the corrector out of the comparison
    CHECK_OK(tn_model_load(tn_test_path("models/slider_crank.yaml"), &model, NULL));
    CHECK_OK(tn_sim_create(model, &options, &sim));
    const tn_joint A = tn_model_find_joint(model, "A"), drive = tn_model_find_joint(model, "drive");
    const tn_body body = tn_model_find_body(model, "slider");
    const int n = (int)lround(2.0 / h);
    for (int k = 1; k <= n; k++) {
        CHECK_OK(tn_sim_step(sim, h));
        const motion m = crank_at(tn_sim_time(sim));
        double angle, rate;
        tn_sim_joint_coordinates(sim, A, &angle, &rate);
        const double x = tn_sim_body_frame(sim, body).p.x, v = tn_sim_body_velocity(sim, body).x;
        const double torque = tn_sim_joint_reaction(sim, drive).m.z;
        e.position = fmax(e.position, fmax(fabs(angle - m.a), fabs(x - slider(m.a))));
        e.velocity =
            fmax(e.velocity, fmax(fabs(rate - m.rate), fabs(v - slider_rate(m.a) * m.rate)));
        e.torque = fmax(e.torque, fabs(torque - drive_torque(m)));
    }
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    e.g = ledger.max_g;
    e.gdot = ledger.max_gdot;
    e.balance = ledger.max_balance / ledger.energy_scale;
    printf("%-19s h = %-6g: error in position %.1e  velocity %.1e  torque %.2e;  |g| %.1e  |g'| "
           "%.1e  balance %.2e\n",
           method, h, e.position, e.velocity, e.torque, e.g, e.gdot, e.balance);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return e;
}

static void check_driven_crank(const char *ggl, const char *index3, const char *hht)
{
    const double ROUNDOFF = 1e-13; // angles up to 20 rad
    const crank_errors coarse = run_crank(ggl, 2e-3), fine = run_crank(ggl, 1e-3);
    CHECK_NEAR(fine.g, 0.0, ROUNDOFF);
    CHECK_NEAR(fine.gdot, 0.0, ROUNDOFF);
    CHECK_NEAR(fine.position, 0.0, ROUNDOFF);
    CHECK_NEAR(fine.velocity, 0.0, ROUNDOFF);
    CHECK_NEAR(log2(coarse.torque / fine.torque), 2.0, 0.1);
    CHECK_NEAR(log2(coarse.balance / fine.balance), 2.0, 0.1);
    const crank_errors third = run_crank(index3, 1e-3);
    CHECK_NEAR(third.g, 0.0, ROUNDOFF);
    CHECK_NEAR(third.position, 0.0, ROUNDOFF);
    CHECK_NEAR(run_crank(hht, 1e-3).g, 0.0, ROUNDOFF);
}

static void driven_crank_moves_as_told(void)
{
    check_driven_crank("galpha/ggl", "galpha/index3", "hht/ggl");
}

static void driven_crank_moves_as_told_in_joint_coordinates(void)
{
    check_driven_crank("galpha/ggl@joint", "galpha/index3@joint", "hht/ggl@joint");
}

static void work_of_the_drive_closes_the_balance(void)
{
    static const char *const methods[] = {"galpha/ggl", "galpha/ggl@joint"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const crank_errors e = run_crank(methods[k], 5e-5);
        CHECK_NEAR(e.g, 0.0, 1e-13);
        CHECK_NEAR(e.gdot, 0.0, 1e-13);
        CHECK_NEAR(e.balance, 0.0, 1e-8);
    }
}

// The car axis ------------------------------------------------------------------------------------

typedef enum road { BY_FUNCTIONS, BY_DIFFERENCES, BY_BODIES, ROADS } road;

static const char *const road_names[ROADS] = {"functions with Jacobians", "functions alone",
                                              "bodies and joints"};

typedef struct car {
    road by;
    tn_model *model;
    tn_sim *sim;
} car;

// `fresh` tangents in every iteration keep the tolerance of the corrector out of the comparison.
static car open_car(road by, const char *method, double h, bool fresh)
{
    static const tn_callbacks bare = {.nq = 4,
                                      .ng = 2,
                                      .time_dependent = true,
                                      .mass = car_mass,
                                      .force = car_force,
                                      .constraint = car_constraint};
    car c = {.by = by};
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = h;
    options.jacobian_every = fresh;
    if (by == BY_BODIES) {
        CHECK_OK(tn_model_load(tn_test_path("models/car_axis.yaml"), &c.model, NULL));
        CHECK_OK(tn_sim_create(c.model, &options, &c.sim));
    } else {
        CHECK_OK(tn_sim_create_callbacks(by == BY_FUNCTIONS ? &car_functions : &bare, car_p0,
                                         car_v0, &options, &c.sim));
    }
    return c;
}

static void close_car(car *c)
{
    tn_sim_destroy(c->sim);
    tn_model_destroy(c->model);
}

// The force on the left mass is l1 (xb, yb) from the guide, and that on the right mass
// -2 l2 (xl - xr, yl - yr) from the rod. Tenon's multipliers have the other sign.
static car_state read_car(const car *c)
{
    car_state x;
    if (c->by != BY_BODIES) {
        memcpy(x.p, tn_sim_q(c->sim), sizeof x.p);
        memcpy(x.v, tn_sim_v(c->sim), sizeof x.v);
        for (int i = 0; i < 2; i++)
            x.lambda[i] = -tn_sim_lambda(c->sim)[i];
        return x;
    }
    const char *const names[2] = {"left", "right"};
    for (int i = 0; i < 2; i++) {
        const tn_body body = tn_model_find_body(c->model, names[i]);
        const tn_vec3 p = tn_sim_body_frame(c->sim, body).p, v = tn_sim_body_velocity(c->sim, body);
        x.p[2 * i] = p.x;
        x.p[2 * i + 1] = p.y;
        x.v[2 * i] = v.x;
        x.v[2 * i + 1] = v.y;
    }
    const foot b = foot_at(tn_sim_time(c->sim));
    const tn_vec3 guide = tn_sim_joint_reaction(c->sim, tn_model_find_joint(c->model, "guide")).f;
    const tn_vec3 rod = tn_sim_joint_reaction(c->sim, tn_model_find_joint(c->model, "rod")).f;
    x.lambda[0] = (guide.x * b.x + guide.y * b.y) / (L * L);
    x.lambda[1] = -0.5 * (rod.x * (x.p[0] - x.p[2]) + rod.y * (x.p[1] - x.p[3])) / (L * L);
    return x;
}

static car_state car_after(road by, const char *method, double h, bool fresh)
{
    car c = open_car(by, method, h, fresh);
    CHECK_OK(tn_sim_run(c.sim, 3.0, NULL, NULL));
    const car_state x = read_car(&c);
    tn_ledger ledger;
    tn_sim_ledger(c.sim, &ledger);
    CHECK_NEAR(ledger.max_g, 0.0, 1e-14); // coordinates of 1 m
    close_car(&c);
    return x;
}

typedef struct car_errors {
    double p, v, lambda;
} car_errors;

static car_errors errors_of(const car_state *x)
{
    car_errors e = {0};
    for (int i = 0; i < 4; i++) {
        e.p = fmax(e.p, fabs(x->p[i] - car_end.p[i]));
        e.v = fmax(e.v, fabs(x->v[i] - car_end.v[i]));
    }
    for (int i = 0; i < 2; i++)
        e.lambda = fmax(e.lambda, fabs(x->lambda[i] - car_end.lambda[i]));
    return e;
}

static car_state extrapolate(double gain, const car_state *coarse, const car_state *fine)
{
    car_state x;
    const double *c = (const double *)coarse, *f = (const double *)fine;
    for (size_t i = 0; i < sizeof x / sizeof(double); i++)
        ((double *)&x)[i] = (gain * f[i] - c[i]) / (gain - 1.0);
    return x;
}

static void car_axis_starts_without_reactions(void)
{
    for (int by = 0; by < ROADS; by++) {
        car c = open_car((road)by, "galpha/ggl", 1e-4, false);
        const car_state x = read_car(&c);
        CHECK_NEAR(x.lambda[0], 0.0, 1e-15); // as the test set states
        CHECK_NEAR(x.lambda[1], 0.0, 1e-15);
        close_car(&c);
    }
}

static void check_order(const char *method)
{
    const double WITHIN = 0.05; // of the order; index3 has noise of round-off over h^2 in lambda
    for (int by = 0; by < ROADS; by++) {
        car_errors last = {0};
        for (double h = 4e-4; h > 0.9e-4; h /= 2.0) {
            const car_state x = car_after((road)by, method, h, false);
            const car_errors e = errors_of(&x);
            printf("%-13s %-24s h = %g: error in p %.2e  v %.2e  lambda %.2e\n", method,
                   road_names[by], h, e.p, e.v, e.lambda);
            if (last.p > 0.0) {
                CHECK_NEAR(log2(last.p / e.p), 2.0, WITHIN);
                CHECK_NEAR(log2(last.v / e.v), 2.0, WITHIN);
                CHECK_NEAR(log2(last.lambda / e.lambda), 2.0, WITHIN);
            }
            last = e;
        }
        CHECK(last.p < 5e-6 && last.v < 3e-4 && last.lambda < 5e-7);
    }
}

static void car_axis_converges_with_order_two(void)
{
    check_order("galpha/ggl");
    check_order("galpha/index3");
}

static void both_roads_meet_the_digits(void)
{
    const double P = 1e-9, V = 3e-8, LAMBDA = 1e-10; // the terms in h^4 that are left, times five
    static const road roads[] = {BY_FUNCTIONS, BY_BODIES};
    for (int i = 0; i < TN_COUNT(roads); i++) {
        const car_state s1 = car_after(roads[i], "galpha/ggl", 2e-4, true),
                        s2 = car_after(roads[i], "galpha/ggl", 1e-4, true),
                        s3 = car_after(roads[i], "galpha/ggl", 5e-5, true);
        const car_state r1 = extrapolate(4.0, &s1, &s2), r2 = extrapolate(4.0, &s2, &s3);
        const car_state x = extrapolate(8.0, &r1, &r2);
        const car_errors e = errors_of(&x);
        printf("%-24s extrapolated: error in p %.1e  v %.1e  lambda %.1e\n", road_names[roads[i]],
               e.p, e.v, e.lambda);
        CHECK_NEAR(e.p, 0.0, P);
        CHECK_NEAR(e.v, 0.0, V);
        CHECK_NEAR(e.lambda, 0.0, LAMBDA);
    }
}

// The road does work on the springs: the balance closes with the order of the method.
static void work_of_the_road_closes_the_balance(void)
{
    double balance[2];
    for (int i = 0; i < 2; i++) {
        car c = open_car(BY_BODIES, "galpha/ggl", i == 0 ? 2e-4 : 1e-4, false);
        CHECK_OK(tn_sim_run(c.sim, 3.0, NULL, NULL));
        tn_ledger ledger;
        tn_sim_ledger(c.sim, &ledger);
        CHECK(fabs(ledger.supplied) > 1e-4); // of an energy of 1e-3 J
        CHECK_NEAR(ledger.max_gdot, 0.0, 1e-10);
        balance[i] = ledger.max_balance / ledger.energy_scale;
        close_car(&c);
    }
    printf("car axis, energy balance %.2e and %.2e at half the step\n", balance[0], balance[1]);
    CHECK(balance[1] < 5e-6);
    CHECK_NEAR(log2(balance[0] / balance[1]), 2.0, 0.1);
}

static const tn_test tests[] = {
    {"driven crank moves as told", driven_crank_moves_as_told},
    {"driven crank moves as told in joint coordinates",
     driven_crank_moves_as_told_in_joint_coordinates},
    {"work of the drive closes the balance", work_of_the_drive_closes_the_balance},
    {"car axis starts without reactions", car_axis_starts_without_reactions},
    {"car axis converges with order two", car_axis_converges_with_order_two},
    {"both roads meet the digits", both_roads_meet_the_digits},
    {"work of the road closes the balance", work_of_the_road_closes_the_balance},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
