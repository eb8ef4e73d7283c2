// SPDX-License-Identifier: MIT
//
// Linear models beside nonlinear runs: a small step of an input through A, B, C and D and through a
// simulation with tight error control. What is between them is of second order in the amplitude:
// half the step, a quarter of it.

#include "analysis/equilibrium.h"
#include "linalg/dense.h"
#include "tenon/tenon.h"
#include "test.h"

#include <string.h>

enum { MOST = 96, TIMES = 4 };

// A model in words, or a file in which words are replaced by others.
typedef struct response {
    const char *text, *file;
    const char *from[6], *to[6];
    const char *input, *outputs;
    tn_about about;
    bool nearest;
    double spin;
    double tol;  // of the run, 1e-11 where it is zero
    double step; // of the input
    double time; // to which responses are compared
    // Deviations of the larger step at most, by the largest response of each output.
    double deviation;
    int order; // 2: there is a part of second order; 3: it vanishes by symmetry
} response;

// Text --------------------------------------------------------------------------------------------

static void replace_once(char *text, size_t size, const char *from, const char *to)
{
    char *at = strstr(text, from);
    CHECK(at != NULL);
    const size_t rest = strlen(at + strlen(from)) + 1;
    CHECK((size_t)(at - text) + strlen(to) + rest <= size);
    memmove(at + strlen(to), at + strlen(from), rest);
    memcpy(at, to, strlen(to));
}

static tn_model *model_of(const response *r)
{
    static char text[16384];
    tn_model *model = NULL;
    text[0] = '\0';
    if (r->file) {
        FILE *file = fopen(tn_test_path(r->file), "r");
        CHECK(file != NULL);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    } else {
        snprintf(text, sizeof text, "%s", r->text);
    }
    for (int k = 0; k < TN_COUNT(r->from) && r->from[k]; k++)
        replace_once(text, sizeof text, r->from[k], r->to[k]);
    CHECK_OK(tn_model_parse(text, r->file ? r->file : "response.yaml", &model, NULL));
    return model;
}

// The nonlinear run -------------------------------------------------------------------------------

static tn_linear_options options_of(const response *r)
{
    tn_linear_options options = tn_default_linear();
    options.about = r->about;
    options.find.nearest = r->nearest;
    options.find.spin = r->spin;
    options.inputs = r->input;
    options.outputs = r->outputs;
    return options;
}

// The simulation goes to the equilibrium that the linear model is about.
static void go_to_equilibrium(const response *r, const tn_model *model, tn_sim *sim)
{
    const tn_linear_options options = options_of(r);
    tn_equilibrium *at = NULL;
    CHECK_OK(tn_equilibrium_create(model, &options.find, &at));
    CHECK_OK(tn_equilibrium_find(at));
    tn_system *sys = at->sys;
    double *q = malloc(sizeof(double) * (size_t)(sys->nq + sys->nv));
    CHECK(q != NULL && sys->nq == tn_sim_nq(sim) && sys->nv == tn_sim_nv(sim));
    double *v = q + sys->nq;
    const tn_point point = tn_eq_point(at, &at->now);
    for (int i = 0; i < sys->nq; i++)
        q[i] = point.q[i] * tn_system_unit(sys, TN_MEASURE_POSITION, i);
    for (int i = 0; i < sys->nv; i++)
        v[i] = point.v[i] * tn_system_unit(sys, TN_MEASURE_VELOCITY, i);
    for (int i = 0; i < at->model->states.count; i++)
        CHECK_OK(tn_sim_set_value(sim, at->model->states.at[i].name, at->now.e[i]));
    CHECK_OK(tn_sim_set_state(sim, tn_sim_time(sim), q, v, false));
    free(q);
    tn_equilibrium_destroy(at);
}

// y (TIMES x ny) after the step of the input by this much.
static void run_with(const response *r, const tn_model *model, const tn_linear *l, double step,
                     double *y)
{
    tn_sim *sim = tn_test_open(model, "radau5/ggl@absolute", 0.0, r->tol > 0.0 ? r->tol : 1e-11);
    const int ny = tn_linear_count(l, TN_LINEAR_OUTPUTS);
    const tn_input input = tn_model_find_input(model, r->input);
    CHECK(input.index >= 0);
    if (r->about == TN_ABOUT_EQUILIBRIUM)
        go_to_equilibrium(r, model, sim);
    CHECK_OK(tn_sim_set_input(sim, input, tn_linear_nominal(l, TN_LINEAR_INPUTS, 0) + step));
    for (int k = 0; k < TIMES; k++) {
        CHECK_OK(tn_sim_run(sim, r->time * (k + 1) / TIMES, NULL, NULL));
        for (int i = 0; i < ny; i++)
            y[k * ny + i] = tn_test_value(sim, tn_linear_name(l, TN_LINEAR_OUTPUTS, i));
    }
    tn_sim_destroy(sim);
}

// The linear one ----------------------------------------------------------------------------------

// X (n x n) becomes exp(X): Taylor's series of X/2^k, squared k times.
static void exponential(int n, double *X)
{
    double *term = malloc(sizeof(double) * (size_t)(3 * n * n)), *sum = term + n * n;
    double *next = sum + n * n;
    int squares = 0;
    double size = 0.0;
    CHECK(term != NULL);
    for (int j = 0; j < n; j++)
        for (double all = 0.0, *i = X + j * n; i < X + (j + 1) * n; i++)
            size = fmax(size, all += fabs(*i));
    for (; size > 0.25; size /= 2.0)
        squares++;
    tn_scale(n * n, ldexp(1.0, -squares), X);
    for (int i = 0; i < n * n; i++)
        sum[i] = term[i] = i % (n + 1) == 0;
    for (int k = 1; k <= 14; k++) {
        for (int j = 0; j < n; j++) {
            tn_zero(n, next + j * n);
            for (int i = 0; i < n; i++)
                tn_axpy(n, X[j * n + i] / k, term + i * n, next + j * n);
        }
        tn_copy(n * n, next, term);
        tn_axpy(n * n, 1.0, term, sum);
    }
    for (int k = 0; k < squares; k++) {
        for (int j = 0; j < n; j++) {
            tn_zero(n, next + j * n);
            for (int i = 0; i < n; i++)
                tn_axpy(n, sum[j * n + i], sum + i * n, next + j * n);
        }
        tn_copy(n * n, next, sum);
    }
    tn_copy(n * n, sum, X);
    free(term);
}

// y (TIMES x ny) after a step of 1: x' = A x + B is that of exp((A, B; 0, 0) t).
static void respond(const response *r, const tn_linear *l, double *y)
{
    static double X[(MOST + 1) * (MOST + 1)], x[MOST + 1], next[MOST + 1];
    int n, ny, columns;
    const double *A = tn_linear_values(l, TN_LINEAR_A, &n, &columns);
    const double *B = tn_linear_values(l, TN_LINEAR_B, &n, &columns);
    const double *C = tn_linear_values(l, TN_LINEAR_C, &ny, &columns);
    const double *D = tn_linear_values(l, TN_LINEAR_D, &ny, &columns);
    CHECK(n <= MOST && columns == 1);
    tn_zero((n + 1) * (n + 1), X);
    for (int j = 0; j < n; j++)
        tn_axpy(n, r->time / TIMES, A + j * n, X + j * (n + 1));
    tn_axpy(n, r->time / TIMES, B, X + n * (n + 1));
    exponential(n + 1, X);
    tn_zero(n, x);
    x[n] = 1.0;
    for (int k = 0; k < TIMES; k++) {
        tn_zero(n + 1, next);
        for (int j = 0; j <= n; j++)
            tn_axpy(n + 1, x[j], X + j * (n + 1), next);
        tn_copy(n + 1, next, x);
        tn_copy(ny, D, y + k * ny);
        for (int j = 0; j < n; j++)
            tn_axpy(ny, x[j], C + j * ny, y + k * ny);
    }
}

// Together ----------------------------------------------------------------------------------------

static void compare(const response *r)
{
    double rest[TIMES * 8], linear[TIMES * 8], run[2][TIMES * 8], largest[8] = {0};
    double off[2] = {0};
    tn_model *model = model_of(r);
    const tn_linear_options options = options_of(r);
    tn_linear *l = NULL;
    CHECK_OK(tn_linear_create(model, &options, &l));
    const int ny = tn_linear_count(l, TN_LINEAR_OUTPUTS);
    CHECK(ny > 0 && ny <= 8);
    respond(r, l, linear);
    run_with(r, model, l, 0.0, rest);
    for (int k = 0; k < 2; k++)
        run_with(r, model, l, r->step / (1 << k), run[k]);
    for (int i = 0; i < TIMES * ny; i++)
        largest[i % ny] = fmax(largest[i % ny], fabs(r->step * linear[i]));
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < TIMES * ny; i++) {
            const double d = run[k][i] - rest[i] - r->step / (1 << k) * linear[i];
            off[k] = fmax(off[k], fabs(d) / largest[i % ny]);
        }
    CHECK(off[0] < r->deviation);
    CHECK_NEAR(off[0] / off[1], r->order == 3 ? 8.0 : 4.0, r->order == 3 ? 0.8 : 0.4);
    tn_linear_destroy(l);
    tn_model_destroy(model);
}

// Models ------------------------------------------------------------------------------------------

static void a_closed_loop(void)
{
    compare(&(response){.file = "models/fourbar.yaml",
                        .from = {"initial: {rate: 10}", "simulate:"},
                        .to = {"initial: {rate: 0}",
                               "inputs: {torque: 0.3}\n"
                               "forces:\n"
                               "  engine: {kind: motor, joint: A, effort: torque}\n"
                               "  spring: {kind: joint-spring, joint: D, stiffness: 20, "
                               "damping: 0.5}\nsimulate:"},
                        .input = "torque",
                        .outputs = "A.angle,coupler.position.x,C.angle.rate,D.force.x",
                        .step = 0.05,
                        .time = 1.5,
                        .deviation = 0.05});
}

static void a_loop_in_space(void)
{
    compare(&(response){.file = "models/wishbone.yaml",
                        .from = {"force: [0, 0, load]", "simulate:"},
                        .to = {"force: [0.1*bump, 0, load + bump]", "inputs: {bump: 0}\nsimulate:"},
                        .input = "bump",
                        .outputs =
                            "upright.position.z,upright.position.x,upright.angular_velocity.z,tie "
                            "rod.force.y,spring.length",
                        .step = 20.0,
                        .time = 0.4,
                        .deviation = 0.03});
}

static void states_beside_the_motion(void)
{
    compare(&(response){
        .text = "{tenon: 1, gravity: [0, -9.81, 0], inputs: {wanted: 0.6},\n"
                " bodies: {arm: {kind: planar, mass: 1.5, inertia: 0.03, com: [0.25, 0],\n"
                "                initial: {angle: 0.6}}},\n"
                " joints: {pin: {kind: revolute, bodies: [ground, arm], at: [0, 0]}},\n"
                " states: {current: {rate: (12*(wanted - pin.angle) + sum - 2*pin.angle.rate\n"
                "                           - 0.6*current)/0.02, initial: 3},\n"
                "          sum: {rate: 20*(wanted - pin.angle)}},\n"
                " forces: {torque: {kind: motor, joint: pin, effort: 1.2*current}}}",
        .nearest = true,
        .input = "wanted",
        .outputs = "pin.angle,current,sum,pin.force.x",
        .step = 0.04,
        .time = 1.0,
        .deviation = 0.1});
}

static void a_beam(void)
{
    compare(&(response){
        .text =
            "{tenon: 1, gravity: [0, 0, -9.81], inputs: {push: 0.5},\n"
            " bodies: {rod: {kind: beam, points: [[0, 0, 0], [1, 0, 0]], elements: 2,\n"
            "   x_axis: [0, 1, 0], section: {kind: circle, radius: 0.01, E: 2e8, rho: 1000}}},\n"
            " joints: {clamp: {kind: fixed, bodies: [ground, rod.start]}},\n"
            " forces: {pull: {kind: point-force, body: rod.end, force: [0.3*push, push, -push]}}}",
        .input = "push",
        .outputs = "rod.2.position.x,rod.2.position.y,rod.2.position.z,clamp.torque.y",
        .tol = 1e-8, // its extension is fast
        .step = 0.05,
        .time = 0.15,
        .deviation = 0.05});
}

static void a_bicycle_that_rolls(void)
{
    compare(&(response){
        .file = "models/bicycle.yaml",
        .from = {"push: 0.4", "simulate:"},
        .to = {"push: 0", "inputs: {hands: 0}\nforces: {rider: {kind: motor, joint: "
                          "steer, effort: hands}}\nsimulate:"},
        .about = TN_ABOUT_START,
        .input = "hands",
        .outputs = "steer.angle,frame.angular_velocity.x,rear wheel.position.y,rear contact.y",
        .step = 0.2,
        .time = 1.0,
        .deviation = 0.05,
        .order = 3});
}

static void a_governor_that_turns(void)
{
    compare(&(response){.file = "models/governor.yaml",
                        .from = {"initial: {rate: 2*pi}", "simulate:", "8e5", "4e4", "8e5", "4e4"},
                        .to = {"initial: {rate: 0}",
                               "  hand: {kind: motor, joint: guide, effort: pull}\n"
                               "inputs: {pull: 0}\nsimulate:",
                               "8e3", "4e2", "8e3", "4e2"},
                        .spin = 5.0,
                        .input = "pull",
                        .outputs = "guide.displacement,bearing.angle.rate,hinge "
                                   "right.angle,bearing.angle,link right.length",
                        .step = 2.0,
                        .time = 1.0,
                        .deviation = 0.1});
}

static void a_top_that_precesses(void)
{
    // Steady where I1 w^2 c - L3 w + m g l = 0 with the tilt b, precession w and spin s = L3/I3 - w
    // c.
    compare(&(response){
        .text = "{tenon: 1, gravity: [0, 0, -9.81], inputs: {torque: 0},\n"
                " parameters: {I1: 0.05, I3: 0.02, m: 1.5, l: 0.15, b: 0.7, w: 3,\n"
                "   L3: (I1*w^2*cos(b) + m*9.81*l)/w},\n"
                " bodies: {top: {mass: m, com: [0, 0, l], inertia: [I1 - m*l^2, I1 - m*l^2, I3],\n"
                "  initial: {position: [0, 0, 0], orientation: {axis: [1, 0, 0], angle: b},\n"
                "            rate: [0, w*sin(b), L3/I3], velocity: [0, 0, 0]}}},\n"
                " joints: {ball: {kind: spherical, bodies: [ground, top], at: [0, 0, 0]}},\n"
                " forces: {hand: {kind: point-force, body: top, torque: [0, 0, torque]}},\n"
                " outputs: {tip: {of: top, point: [0, 0, 0.3], axis: z},\n"
                "           speed: {of: top, point: [0, 0, 0.3], quantity: velocity, axis: z}}}",
        .about = TN_ABOUT_START,
        .input = "torque",
        .outputs = "tip,speed,ball.force.z",
        .step = 0.02,
        .time = 0.8,
        .deviation = 0.1});
}

static void parts_without_mass(void)
{
    compare(&(response){
        .file = "models/quarter_car.yaml",
        .from = {"h: 0.01", "simulate:", "damper: {kind: spring", "stiffness: 1e5}"},
        .to = {"h: 0   ",
               "  hand: {kind: motor, joint: strut, effort: load}\n"
               "  pull: {kind: motor, joint: top, effort: 0.1*load}\n"
               "inputs: {load: 0}\nsimulate:",
               "damper: {kind: spring", "stiffness: 1e5 + 5e6*top.displacement}"},
        .input = "load",
        .outputs = "strut.displacement,tyre.displacement,strut.displacement.acceleration",
        .step = 100.0,
        .time = 0.5,
        .deviation = 0.1});
}

// In parts on a rail round-off of the motions looks like a mass of the middle one.
static void a_part_between_others_without_mass(void)
{
    compare(&(response){
        .text = "{tenon: 1, inputs: {pull: 0},\n"
                " bodies: {a: {kind: planar, mass: 1, inertia: 1},\n"
                "  b: {kind: planar, massless: true, initial: {position: [1, 0]}},\n"
                "  c: {kind: planar, mass: 2, inertia: 1, initial: {position: [2, 0]}}},\n"
                " joints: {ra: {kind: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]},\n"
                "  rb: {kind: prismatic, bodies: [a, b], at: [1, 0], axis: [1, 0]},\n"
                "  rc: {kind: prismatic, bodies: [b, c], at: [2, 0], axis: [1, 0]}},\n"
                " forces: {k1: {kind: joint-spring, joint: ra, stiffness: 100, damping: 1},\n"
                "  k2: {kind: joint-spring, joint: rb, stiffness: 100 + 200*rb.displacement,\n"
                "       damping: 3},\n"
                "  k3: {kind: joint-spring, joint: rc, stiffness: 50, damping: 2},\n"
                "  pull: {kind: motor, joint: rb, effort: pull}}}",
        .input = "pull",
        .outputs = "ra.displacement,rb.displacement,rc.displacement,rb.displacement.rate",
        .step = 2.0,
        .time = 1.0,
        .deviation = 0.2});
}

static void a_coin_on_a_circle(void)
{
    compare(&(response){.file = "models/rolling_disc.yaml",
                        .from = {"simulate:"},
                        .to = {"inputs: {brake: 0}\n"
                               "forces: {hand: {kind: point-force, body: disc, torque: [0, 0, "
                               "brake], force: [0, 0, brake]}}\n"
                               "simulate:"},
                        .about = TN_ABOUT_START,
                        .input = "brake",
                        .outputs = "disc.position.z,disc.angular_velocity.z,roll.force.z",
                        .step = 5e-4,
                        .time = 1.0,
                        .deviation = 0.1});
}

static void unknowns_and_friction_by_reactions(void)
{
    compare(&(response){
        .text =
            "{tenon: 1, gravity: [0, -9.81, 0], inputs: {push: 0.5},\n"
            " bodies: {cart: {kind: planar, mass: 1.3, inertia: 0.01},\n"
            "          pole: {kind: planar, mass: 0.4, inertia: 0.02, com: [0, -0.5]}},\n"
            " joints: {rail: {kind: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]},\n"
            "          pin: {kind: revolute, bodies: [cart, pole], at: [0, 0]}},\n"
            " states: {lag: {rate: 5*(flow - lag)}},\n"
            " unknowns: {flow: {equation: 'flow + 0.2*flow^2 - push + 0.3*rail.displacement'}},\n"
            " forces: {drive: {kind: motor, joint: rail, effort: lag + flow},\n"
            "          rub: {kind: friction, joint: rail, coulomb: 0.3, speed: 0.5},\n"
            "          spring: {kind: joint-spring, joint: rail, stiffness: 30},\n"
            "          bent: {kind: joint-spring, joint: pin, stiffness: 3, free: 0.5}}}",
        .input = "push",
        .outputs = "rail.displacement,pin.angle,flow,lag,rail.force.y",
        .step = 0.2,
        .time = 1.0,
        .deviation = 0.2});
}

// Twelve of its rows repeat others.
static void rows_that_repeat_others(void)
{
    compare(&(response){
        .file = "models/fourbar_spatial.yaml",
        .from = {"simulate:"},
        .to = {"inputs: {torque: 0.3}\n"
               "forces:\n"
               "  engine: {kind: motor, joint: A, effort: torque}\n"
               "  spring: {kind: joint-spring, joint: D, stiffness: 20, damping: 0.5}\nsimulate:"},
        .input = "torque",
        .outputs = "A.angle,coupler.position.x,C.angle.rate",
        .step = 0.05,
        .time = 1.5,
        .deviation = 0.05});
}

static const tn_test tests[] = {
    {"a closed loop", a_closed_loop},
    {"a loop in space", a_loop_in_space},
    {"states beside the motion", states_beside_the_motion},
    {"a beam", a_beam},
    {"a bicycle that rolls", a_bicycle_that_rolls},
    {"a governor that turns", a_governor_that_turns},
    {"a top that precesses", a_top_that_precesses},
    {"parts without mass", parts_without_mass},
    {"a part between others without mass", a_part_between_others_without_mass},
    {"a coin on a circle", a_coin_on_a_circle},
    {"unknowns and friction by reactions", unknowns_and_friction_by_reactions},
    {"rows that repeat others", rows_that_repeat_others},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
