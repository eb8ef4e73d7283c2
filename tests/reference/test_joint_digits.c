// SPDX-License-Identifier: MIT
//
// Closed loops by the explicit, the implicit and the multi-step method in joint coordinates: the
// digits of the literature, or of an independent computation, and the same ones as in absolute
// coordinates.
//
// 1. Andrews' mechanism as bodies, see andrews_functions.h.
// 2. The slider-crank of SUNDIALS' examples [LLNL, idaSlCrank_dns] as bodies. Its equations, in the
//    crank angle q, the place x of the slider and the angle p of the rod, see test_published.c,
//    have the mass matrix diag(1, 1, 2): the crank turns about its centre, and the rod about its
//    pin at the slider, with which it weighs 1 kg. The load on x and p is a force of one along x on
//    the point of the rod one metre beyond the slider.
// 3. models/fourbar.yaml, and models/fourbar_spatial.yaml with three redundant rows, against one
//    equation in the crank angle a,
//      J(a) a'' + J'(a) a'^2 / 2 + V'(a) = 0,
//    by classical Runge-Kutta.
// 4. The flyball governor, problem A05 of the IFToMM library, see test_iftomm.c.

#include "andrews_functions.h"
#include "linalg/dense.h"

typedef struct how {
    const char *method;
    double tol;
} how;

static const how methods[] = {
    {"dopri5/index1+project@joint", 1e-11},
    {"radau5/ggl@joint", 1e-10},
    {"bdf/ggl@joint", 1e-11},
    {"dopri5/index1+project@absolute", 1e-11},
    {"radau5/ggl@absolute", 1e-10},
    {"bdf/ggl@absolute", 1e-11},
};

static tn_sim *run_to(const tn_model *model, const how *by, double t_end)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = by->method;
    options.adaptive = true;
    options.rtol = options.atol = by->tol;
    options.project_tol = 1e-12;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
    return sim;
}

static double distance(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fabs(x[i] - y[i]) <= most ? most : fabs(x[i] - y[i]); // NaN stays
    return most;
}

// Errors in positions and velocities; prints them and ends the simulation.
static void judge(const char *name, tn_sim *sim, const double error[2], const double most[2])
{
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    printf("%-15s %-32s %5ld steps, errors %.1e, of velocities %.1e\n", name, tn_sim_method(sim),
           ledger.steps, error[0], error[1]);
    tn_sim_destroy(sim);
    CHECK_NEAR(error[0], 0.0, most[0]);
    CHECK_NEAR(error[1], 0.0, most[1]);
}

// 1. Andrews --------------------------------------------------------------------------------------

static void judge_andrews(const tn_model *model, tn_sim *sim)
{
    static const char *const joints[NQ] = {"beta",  "theta", "gamma",  "phi",
                                           "delta", "omega", "epsilon"};
    const double most[2] = {1e-7, 3e-5}; // the velocities are a thousand
    double q[NQ], v[NQ];
    for (int i = 0; i < NQ; i++)
        tn_sim_joint_coordinates(sim, tn_model_find_joint(model, joints[i]), &q[i], &v[i]);
    judge("andrews", sim, (double[]){distance(NQ, q, q_end), distance(NQ, v, v_end)}, most);
}

static void andrews_has_its_digits(void)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(tn_test_path("models/andrews.yaml"), &model, NULL));
    for (int k = 0; k < TN_COUNT(methods); k++)
        judge_andrews(model, run_to(model, &methods[k], T_END));
    tn_model_destroy(model);
}

// Components of directors are poor coordinates after a quarter of a turn, though none of many
// pivots need be small there; fixed steps do not see it by their errors.
static void directors_change_their_independent_coordinates_in_time(void)
{
    tn_sim_options options = tn_default_sim();
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    CHECK_OK(tn_model_load(tn_test_path("models/andrews.yaml"), &model, NULL));
    options.method = "dopri5/minimal@director";
    options.step = 1e-5;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, T_END, NULL, NULL));
    judge_andrews(model, sim);
    tn_model_destroy(model);
}

// 2. The slider-crank -----------------------------------------------------------------------------

static const double CRANK = 0.5; // the rod has length one

typedef struct slider_crank {
    tn_body crank, rod, slider;
} slider_crank;

static tn_body add_planar(tn_model *model, double mass, double inertia, tn_frame frame)
{
    tn_body_def def = tn_default_body();
    def.kind = TN_BODY_PLANAR;
    def.mass = mass;
    def.inertia.z = inertia;
    def.frame = frame;
    return tn_model_add_body(model, &def);
}

static void add_joint(tn_model *model, tn_joint_kind kind, tn_body a, double x_a, tn_body b,
                      double x_b)
{
    tn_joint_def def = tn_default_joint(kind);
    def.body_a = a;
    def.frame_a.p.x = x_a;
    def.body_b = b;
    def.frame_b.p.x = x_b;
    tn_model_add_joint(model, &def);
}

static tn_model *build_slider_crank(slider_crank *s)
{
    const double q = 1.57079632679489661923, p = asin(-CRANK), x = cos(p);
    tn_model *model = tn_model_create();
    s->crank = add_planar(model, 1.0, 1.0, (tn_frame){tn_m3_rot_z(q), {0, 0, 0}});
    s->rod = add_planar(model, 0.4, 2.0, (tn_frame){tn_m3_rot_z(p), {x, 0, 0}});
    s->slider = add_planar(model, 0.6, 1.0, (tn_frame){tn_m3_identity, {x, 0, 0}});
    add_joint(model, TN_JOINT_REVOLUTE, TN_GROUND, 0.0, s->crank, 0.0);
    add_joint(model, TN_JOINT_REVOLUTE, s->crank, CRANK, s->rod, -1.0);
    add_joint(model, TN_JOINT_REVOLUTE, s->rod, 0.0, s->slider, 0.0);
    add_joint(model, TN_JOINT_PRISMATIC, TN_GROUND, 0.0, s->slider, 0.0);
    tn_force_def spring = tn_default_force(TN_FORCE_SPRING);
    spring.body_a = s->crank;
    spring.frame_a.p.x = 0.5 * CRANK;
    spring.body_b = s->rod;
    spring.frame_b.p.x = -0.5;
    spring.spring.stiffness = spring.spring.damping = spring.spring.free = 1.0;
    spring.spring.free_given = true;
    tn_model_add_force(model, &spring);
    tn_force_def load = tn_default_force(TN_FORCE_POINT);
    load.body_b = s->rod;
    load.frame_b.p.x = 1.0;
    load.point.force[0].expression = "1";
    tn_model_add_force(model, &load);
    CHECK_OK(tn_model_status(model));
    return model;
}

static double angle_of(tn_sim *sim, tn_body body)
{
    const tn_mat3 R = tn_sim_body_frame(sim, body).R;
    return atan2(R.m[1][0], R.m[0][0]);
}

static void slider_crank_has_its_digits(void)
{
    static const double q_10[] = {1.2756758487, 1.0235785590, -.4988130492};
    static const double v_10[] = {-.2399149972, .1337782832, .0397314960};
    const double most[2] = {1e-8, 1e-8}; // ten digits are known
    slider_crank s;
    tn_model *model = build_slider_crank(&s);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = run_to(model, &methods[k], 10.0);
        const double q[] = {angle_of(sim, s.crank), tn_sim_body_frame(sim, s.slider).p.x,
                            angle_of(sim, s.rod)};
        const double v[] = {tn_sim_body_rate(sim, s.crank).z, tn_sim_body_velocity(sim, s.slider).x,
                            tn_sim_body_rate(sim, s.rod).z};
        judge("slider-crank", sim, (double[]){distance(3, q, q_10), distance(3, v, v_10)}, most);
    }
    tn_model_destroy(model);
}

// 3. The four-bar linkage -------------------------------------------------------------------------

enum { LINKS = 3 };

// Middles and angles of crank, coupler and rocker, and their rates for a' = 1.
typedef struct linkage {
    double x[LINKS], y[LINKS], angle[LINKS];
    double vx[LINKS], vy[LINKS], rate[LINKS];
} linkage;

static const double bar[LINKS] = {0.3, 0.8944271909999159, 0.7280109889280518}; // lengths

// The pin C above the line from B to D, by the law of cosines; rates from the closed loop
//   l1 e1' + l2 e2' w2 = l3 e3' w3,   e' = (-sin, cos)
static linkage linkage_at(double a)
{
    const double bx = bar[0] * cos(a), by = bar[0] * sin(a), dx = 1.0 - bx, dy = -by;
    const double across = hypot(dx, dy);
    const double c =
        (bar[1] * bar[1] + across * across - bar[2] * bar[2]) / (2.0 * bar[1] * across);
    const double coupler = atan2(dy, dx) + acos(c);
    const double cx = bx + bar[1] * cos(coupler), cy = by + bar[1] * sin(coupler);
    const double rocker = atan2(cy, cx - 1.0);
    linkage k = {{0.5 * bx, 0.5 * (bx + cx), 0.5 * (cx + 1.0)},
                 {0.5 * by, 0.5 * (by + cy), 0.5 * cy},
                 {a, coupler, rocker},
                 .rate = {1.0, bar[0] * sin(rocker - a) / (bar[1] * sin(coupler - rocker)),
                          bar[0] * sin(coupler - a) / (bar[2] * sin(coupler - rocker))}};
    k.vx[0] = -0.5 * by;
    k.vy[0] = 0.5 * bx;
    k.vx[2] = -0.5 * k.rate[2] * cy;
    k.vy[2] = 0.5 * k.rate[2] * (cx - 1.0);
    k.vx[1] = k.vx[0] + k.vx[2];
    k.vy[1] = k.vy[0] + k.vy[2];
    return k;
}

static double inertia(double a)
{
    const linkage k = linkage_at(a);
    double sum = 0.0;
    for (int i = 0; i < LINKS; i++) // uniform rods of 2 kg/m
        sum += 2.0 * bar[i] *
               (k.vx[i] * k.vx[i] + k.vy[i] * k.vy[i] +
                bar[i] * bar[i] / 12.0 * k.rate[i] * k.rate[i]);
    return sum;
}

static double weight(double a) // V'(a)
{
    const linkage k = linkage_at(a);
    double sum = 0.0;
    for (int i = 0; i < LINKS; i++)
        sum += 9.81 * 2.0 * bar[i] * k.vy[i];
    return sum;
}

static double slope(double (*F)(double), double a) // by differences of order four: 1e-12
{
    const double step = 1e-3;
    return (8.0 * (F(a + step) - F(a - step)) - (F(a + 2 * step) - F(a - 2 * step))) /
           (12.0 * step);
}

static double acceleration(double a, double w)
{
    return -(0.5 * slope(inertia, a) * w * w + weight(a)) / inertia(a);
}

static void turn(double t, double *a, double *w)
{
    const int n = 20000; // errors of 1e-12
    const double h = t / n;
    *a = 1.57079632679489661923;
    *w = 10.0;
    for (int i = 0; i < n; i++) {
        const double a1 = *w, w1 = acceleration(*a, *w);
        const double a2 = *w + 0.5 * h * w1, w2 = acceleration(*a + 0.5 * h * a1, a2);
        const double a3 = *w + 0.5 * h * w2, w3 = acceleration(*a + 0.5 * h * a2, a3);
        const double a4 = *w + h * w3, w4 = acceleration(*a + h * a3, a4);
        *a += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        *w += h / 6.0 * (w1 + 2.0 * w2 + 2.0 * w3 + w4);
    }
}

static void check_linkage(const char *name, const char *path, double t_end)
{
    static const char *const names[LINKS] = {"crank", "coupler", "rocker"};
    const double most[2] = {5e-8, 5e-7}; // some hundred tolerances over turns at 10 rad/s
    double a, w;
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
    turn(t_end, &a, &w);
    const linkage truth = linkage_at(a);
    for (int m = 0; m < TN_COUNT(methods); m++) {
        tn_sim *sim = run_to(model, &methods[m], t_end);
        double error[2] = {0.0, 0.0};
        for (int i = 0; i < LINKS; i++) {
            const tn_body body = tn_model_find_body(model, names[i]);
            const tn_vec3 p = tn_sim_body_frame(sim, body).p, v = tn_sim_body_velocity(sim, body);
            const double q[] = {p.x, p.y, p.z, cos(angle_of(sim, body)), sin(angle_of(sim, body))};
            const double rates[] = {v.x, v.y, v.z, tn_sim_body_rate(sim, body).z};
            error[0] =
                fmax(error[0], distance(5, q,
                                        (double[]){truth.x[i], truth.y[i], 0.0, cos(truth.angle[i]),
                                                   sin(truth.angle[i])}));
            error[1] = fmax(error[1], distance(4, rates,
                                               (double[]){w * truth.vx[i], w * truth.vy[i], 0.0,
                                                          w * truth.rate[i]}));
        }
        judge(name, sim, error, most);
    }
    tn_model_destroy(model);
}

static void four_bars_turn_as_one_equation(void)
{
    check_linkage("four-bar", "models/fourbar.yaml", 1.0);
    check_linkage("spatial four-bar", "models/fourbar_spatial.yaml", 1.0);
}

// 4. The governor ---------------------------------------------------------------------------------

static void governor_has_its_digits(void)
{
    static const double q_2[] = {.5059092943, .5166637974}, v_2[] = {-.2407831470, 6.2362236144};
    const double most[2] = {1e-9, 1e-8}; // ten digits are known
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(tn_test_path("models/governor.yaml"), &model, NULL));
    const tn_body slider = tn_model_find_body(model, "slider"),
                  shaft = tn_model_find_body(model, "shaft"),
                  rod = tn_model_find_body(model, "rod right");
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = run_to(model, &methods[k], 2.0);
        const double q[] = {tn_sim_body_frame(sim, slider).p.z,
                            asin(-tn_sim_body_frame(sim, rod).R.m[2][0])};
        const double v[] = {tn_sim_body_velocity(sim, slider).z, tn_sim_body_rate(sim, shaft).z};
        judge("governor", sim, (double[]){distance(2, q, q_2), distance(2, v, v_2)}, most);
    }
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"andrews has its digits", andrews_has_its_digits},
    {"directors change their independent coordinates in time",
     directors_change_their_independent_coordinates_in_time},
    {"slider-crank has its digits", slider_crank_has_its_digits},
    {"four-bars turn as one equation", four_bars_turn_as_one_equation},
    {"governor has its digits", governor_has_its_digits},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
