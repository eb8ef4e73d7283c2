// SPDX-License-Identifier: MIT
//
// Problems of the IFToMM library of computational benchmark problems for multibody dynamics
// (iftomm-multibody.org): A01 planar pendulum, A02 coupled four-bars (two of them, until they first
// lie flat, where the freedoms jump), A05 stiff flyball governor. The digits were recomputed for
// these tests from the equations of motion in minimal coordinates and checked against the published
// curves.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>

typedef struct run {
    tn_model *model;
    tn_sim *sim;
} run;

static run begin(const char *path, const char *text, double h)
{
    run r = {0};
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/ggl";
    options.step = h;
    options.newton_tol = 1e-14; // what iterations leave in each step gathers: 1e-13 shows in 1e-8
    if (path)
        CHECK_OK(tn_model_load(tn_test_path(path), &r.model, NULL));
    else
        CHECK_OK(tn_model_parse(text, "text", &r.model, NULL));
    CHECK_OK(tn_sim_create(r.model, &options, &r.sim));
    return r;
}

static void end(run *r)
{
    tn_sim_destroy(r->sim);
    tn_model_destroy(r->model);
}

// A run at h, h/2 and h/4 gives values at a list of times; the h^2 and h^3 terms of the error
// cancel in their combination, and the ratio of the errors tells the order.
enum { MOST_TIMES = 6, MOST_VALUES = 4 };

typedef struct table {
    int ntimes, nvalues;
    double t[MOST_TIMES], value[MOST_TIMES][MOST_VALUES];
} table;

typedef void (*reader)(const run *r, double *value);

static void fill(table *out, const table *truth, const char *path, reader read, double h)
{
    run r = begin(path, NULL, h);
    *out = *truth;
    for (int i = 0; i < truth->ntimes; i++) {
        CHECK_OK(tn_sim_run(r.sim, truth->t[i], NULL, NULL));
        read(&r, out->value[i]);
    }
    end(&r);
}

static double largest_error(const table *a, const table *truth)
{
    double most = 0.0;
    for (int i = 0; i < truth->ntimes; i++)
        for (int j = 0; j < truth->nvalues; j++)
            most = fmax(most, fabs(a->value[i][j] - truth->value[i][j]));
    return most;
}

static table extrapolate(double gain, const table *coarse, const table *fine)
{
    table x = *fine;
    for (int i = 0; i < fine->ntimes; i++)
        for (int j = 0; j < fine->nvalues; j++)
            x.value[i][j] = (gain * fine->value[i][j] - coarse->value[i][j]) / (gain - 1.0);
    return x;
}

// Order two, and the extrapolated values within tol.
static void check_table(const table *truth, const char *path, reader read, double h, double tol)
{
    table x[3];
    double error[3];
    for (int k = 0; k < 3; k++) {
        fill(&x[k], truth, path, read, h / (1 << k));
        error[k] = largest_error(&x[k], truth);
    }
    const table r1 = extrapolate(4.0, &x[0], &x[1]), r2 = extrapolate(4.0, &x[1], &x[2]);
    const table limit = extrapolate(8.0, &r1, &r2);
    printf("%s: errors %.2e %.2e %.2e from h = %g, order %.2f, extrapolated %.1e\n", path, error[0],
           error[1], error[2], h, log2(error[1] / error[2]), largest_error(&limit, truth));
    CHECK_NEAR(log2(error[1] / error[2]), 2.0, 0.1);
    CHECK_NEAR(largest_error(&limit, truth), 0.0, tol);
}

// A01 ---------------------------------------------------------------------------------------------

static const table pendulum = {
    4,
    4,
    {1.0, 5.0, 9.99, 10.0},
    {{.986291751132, -.165010853126, .296905515916, 1.774643641113},
     {-.942305435044, -.334754338414, .857904256885, -2.414928654370},
     {-.316436469913, -.948613704576, 4.092451991493, -1.365151120242},
     {-.275087462577, -.961419205099, 4.175598100951, -1.194749054562}},
};

static void read_pendulum(const run *r, double *value)
{
    const tn_body bob = tn_model_find_body(r->model, "bob");
    const tn_vec3 p = tn_sim_body_frame(r->sim, bob).p, v = tn_sim_body_velocity(r->sim, bob);
    value[0] = p.x;
    value[1] = p.y;
    value[2] = v.x;
    value[3] = v.y;
}

static void planar_pendulum_meets_its_digits(void)
{
    check_table(&pendulum, "models/pendulum.yaml", read_pendulum, 1e-3, 3e-9);
}

// A05 ---------------------------------------------------------------------------------------------

static const table governor = {
    6,
    4,
    {0.1, 0.5, 1.0, 2.0, 5.0, 10.0}, // s, s', alpha, omega
    {{.5238364756, .4592718104, .4961738691, 6.1037178088},
     {.7432494248, .0521197802, .2594913815, 5.1034154220},
     {.5014209224, -.1221514929, .5218333016, 6.2711257419},
     {.5059092943, -.2407831470, .5166637974, 6.2362236144},
     {.5355631037, -.5436826903, .4828745766, 6.0224964998},
     {.6196229171, -.7476033542, .3900737018, 5.5482036227}},
};

static void read_governor(const run *r, double *value)
{
    const tn_body slider = tn_model_find_body(r->model, "slider"),
                  shaft = tn_model_find_body(r->model, "shaft");
    const tn_frame right = tn_sim_body_frame(r->sim, tn_model_find_body(r->model, "rod right")),
                   left = tn_sim_body_frame(r->sim, tn_model_find_body(r->model, "rod left"));
    value[0] = tn_sim_body_frame(r->sim, slider).p.z;
    value[1] = tn_sim_body_velocity(r->sim, slider).z;
    value[2] = asin(-right.R.m[2][0]); // x points outwards along the rod
    value[3] = tn_sim_body_rate(r->sim, shaft).z;
    CHECK_NEAR(asin(-left.R.m[2][0]), value[2], 1e-8); // both rods move alike
}

static void flyball_governor_meets_its_digits(void)
{
    check_table(&governor, "models/governor.yaml", read_governor, 1e-3, 5e-9);
}

// A02 ---------------------------------------------------------------------------------------------

static const char four_bars[] =
    "tenon: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  rod0: {kind: planar, mass: 1, inertia: 1/12, initial: {position: [0, 0.5]}}\n"
    "  rod1: {kind: planar, mass: 1, inertia: 1/12, initial: {position: [1, 0.5]}}\n"
    "  rod2: {kind: planar, mass: 1, inertia: 1/12, initial: {position: [2, 0.5]}}\n"
    "  link1: {kind: planar, mass: 1, inertia: 1/12, initial: {position: [0.5, 1]}}\n"
    "  link2: {kind: planar, mass: 1, inertia: 1/12, initial: {position: [1.5, 1]}}\n"
    "joints:\n"
    "  A0: {kind: revolute, body: rod0, at: [0, 0], initial: {rate: -1}}\n"
    "  A1: {kind: revolute, body: rod1, at: [1, 0]}\n"
    "  A2: {kind: revolute, body: rod2, at: [2, 0]}\n"
    "  B0: {kind: revolute, bodies: [rod0, link1], at: [0, 1]}\n"
    "  B1: {kind: revolute, bodies: [rod1, link1], at: [1, 1]}\n"
    "  B2: {kind: revolute, bodies: [rod1, link2], at: [1, 1]}\n"
    "  B3: {kind: revolute, bodies: [rod2, link2], at: [2, 1]}\n";

static const double TURN = 6.283185307179586;

// All rods turn alike: ((N + 1) / 3 + N) th'' = -g ((N + 1) / 2 + N) cos th, by classical
// Runge-Kutta.
static void turn_net(int bars, double t, double *angle, double *rate)
{
    const int n = 20000;
    const double h = t / n;
    const double k = 9.81 * ((bars + 1) / 2.0 + bars) / ((bars + 1) / 3.0 + bars);
    *angle = acos(0.0);
    *rate = -1.0;
    for (int i = 0; i < n; i++) {
        const double a1 = *rate, b1 = -k * cos(*angle);
        const double a2 = *rate + 0.5 * h * b1, b2 = -k * cos(*angle + 0.5 * h * a1);
        const double a3 = *rate + 0.5 * h * b2, b3 = -k * cos(*angle + 0.5 * h * a2);
        const double a4 = *rate + h * b3, b4 = -k * cos(*angle + h * a3);
        *angle += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        *rate += h / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4);
    }
}

static void coupled_four_bars_fall_until_they_lie_flat(void)
{
    const double t = 0.6; // they lie flat soon after
    double angle, rate, error[2];
    turn_net(2, t, &angle, &rate);
    printf("A02: angle %.4f after %.1f s", angle, t);
    CHECK(angle > 0.1);
    for (int k = 0; k < 2; k++) {
        run r = begin(NULL, four_bars, k == 0 ? 1e-3 : 5e-4);
        CHECK_OK(tn_sim_run(r.sim, t, NULL, NULL));
        const tn_frame rod = tn_sim_body_frame(r.sim, tn_model_find_body(r.model, "rod0"));
        const tn_vec3 top = tn_frame_point(rod, tn_v3(0.0, 0.5, 0.0));
        const tn_frame last = tn_sim_body_frame(r.sim, tn_model_find_body(r.model, "rod2"));
        error[k] = hypot(top.x - cos(angle), top.y - sin(angle));
        CHECK_NEAR(last.p.y, rod.p.y, 1e-10); // all rods turn alike
        end(&r);
    }
    printf(", errors %.2e %.2e\n", error[0], error[1]);
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.1);
    CHECK(error[1] < 1e-5);
}

// The same with N four-bars, as a file.
static void write_net(int n, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "tenon: 1\ngravity: [0, -9.81]\nbodies:\n");
    const char body[] = "{kind: planar, mass: 1, inertia: 1/12, initial: {position: [%g, %g]}}";
    char form[200];
    snprintf(form, sizeof form, "  rod%%d: %s\n", body);
    for (int i = 0; i <= n; i++)
        at += (size_t)snprintf(text + at, size - at, form, i, (double)i, 0.5);
    snprintf(form, sizeof form, "  link%%d: %s\n", body);
    for (int i = 1; i <= n; i++)
        at += (size_t)snprintf(text + at, size - at, form, i, i - 0.5, 1.0);
    at += (size_t)snprintf(text + at, size - at, "joints:\n");
    for (int i = 0; i <= n; i++)
        at += (size_t)snprintf(text + at, size - at,
                               "  A%d: {kind: revolute, body: rod%d, at: [%d, 0]%s}\n", i, i, i,
                               i == 0 ? ", initial: {rate: -1}" : "");
    snprintf(form, sizeof form, "  B%%d_%%d: %s\n",
             "{kind: revolute, bodies: [rod%d, link%d], at: [%d, 1]}");
    for (int i = 1; i <= n; i++)
        for (int k = i - 1; k <= i; k++)
            at += (size_t)snprintf(text + at, size - at, form, i, k, k, i, k);
    CHECK(at < size);
}

// They lie flat ten times in these ten seconds, and bdf has to pass; where its steps get ever
// shorter on the way into such a position it goes on beyond it. Errors of a step are kept at the
// tolerance, which counts in the size of the net, n metres; those of a run are a hundred of them
// (test_bdf.c), and what passages add is multiplied each time upright at 1 rad/s: up to 500 in all.
static void check_net(int n, const char *method, double tol)
{
    static char text[32768];
    tn_sim_options options = tn_default_sim();
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    double angle, rate;
    write_net(n, text, sizeof text);
    options.method = method;
    options.rtol = options.atol = tol;
    CHECK_OK(tn_model_parse(text, "net", &model, NULL));
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 10.0, NULL, NULL));
    turn_net(n, 10.0, &angle, &rate);
    const tn_frame rod = tn_sim_body_frame(sim, tn_model_find_body(model, "rod0"));
    const tn_vec3 top = tn_frame_point(rod, tn_v3(0.0, 0.5, 0.0));
    const double error = hypot(top.x - cos(angle), top.y - sin(angle));
    printf("A02, N = %d, %s, %g: error %.1e, %.0f tol\n", n, method, tol, error, error / tol);
    CHECK_NEAR(error, 0.0, 1000.0 * n * tol);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void bdf_passes_flat_nets_at_all_tolerances(void)
{
    for (int k = 4; k <= 9; k++) {
        check_net(2, "bdf/ggl@absolute", pow(10.0, -k));
        check_net(2, "bdf/ggl@joint", pow(10.0, -k));
    }
    check_net(40, "bdf/ggl@absolute", 1e-8);
    check_net(40, "bdf/ggl@absolute", 1e-9);
    check_net(40, "bdf/ggl@joint", 1e-9);
}

// With default tolerances energy is off by more than the 1e-3 J that the problem asks for: they are
// for a step, as parts of what moves, and 40 four-bars exchange 1200 J. --error tells how far the
// motion is off, the largest turn of a rod here, and a bound that it does not keep is noticed.
static void errors_of_a_large_net_are_told(void)
{
    static char text[32768];
    const int n = 40;
    write_net(n, text, sizeof text);
    FILE *file = fopen("a02.yaml", "w");
    CHECK(file != NULL);
    fprintf(file, "%ssimulate: {t_end: 10}\n", text);
    CHECK(fclose(file) == 0);
    tn_run_options options = tn_default_run();
    tn_run *full = NULL;
    options.no_results = options.error = true;
    options.require = "energy<8e-7"; // 1e-3 J of 1200 J
    CHECK_OK(tn_run_create("a02.yaml", NULL, NULL, &options, &full));
    CHECK_OK(tn_run_open(full));
    CHECK_OK(tn_run_conclude(full, tn_run_simulate(full)));
    const tn_run_facts *facts = tn_run_about(full);
    const double off = facts->ledger.max_balance, told = facts->error.distance.q;
    tn_sim *sim = NULL;
    double angle, rate, error = 0.0;
    CHECK_OK(tn_sim_create(facts->model, &facts->simulate->options, &sim));
    for (int k = 1; k <= 40; k++) {
        CHECK_OK(tn_sim_run(sim, 0.25 * k, NULL, NULL));
        turn_net(n, 0.25 * k, &angle, &rate);
        const tn_mat3 R = tn_sim_body_frame(sim, tn_model_find_body(facts->model, "rod0")).R;
        error = fmax(error, fabs(remainder(atan2(R.m[1][0], R.m[0][0]) - angle + acos(0.0), TURN)));
    }
    printf("A02, N = %d: energy off by %.1e J, rods by %.1e, told %.1e\n", n, off, error, told);
    CHECK(facts->error.known && told > error / 3.0 && told < 3.0 * error);
    CHECK(facts->nunmet == 1 && off > 1e-3);
    tn_sim_destroy(sim);
    tn_run_destroy(full);
}

static const tn_test tests[] = {
    {"A01: planar pendulum meets its digits", planar_pendulum_meets_its_digits},
    {"A02: coupled four-bars fall until they lie flat", coupled_four_bars_fall_until_they_lie_flat},
    {"A02: bdf passes flat nets at all tolerances", bdf_passes_flat_nets_at_all_tolerances},
    {"A02: errors of a large net are told", errors_of_a_large_net_are_told},
    {"A05: flyball governor meets its digits", flyball_governor_meets_its_digits},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
