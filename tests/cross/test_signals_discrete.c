// SPDX-License-Identifier: MIT
//
// Expressions of the state under discrete principles: live forces act in the middle of intervals,
// states go by the implicit midpoint rule, sampled values and decisions begin intervals anew. All
// forms give the motion of other methods, with order two in coordinates, velocities and states, and
// the work of live forces is that of the energies.

#include "fixed_step.h"
#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char head[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {k: 60, d: 12}\n"
    "bodies:\n"
    "  cart: {mass: 1, inertia: [1, 1, 1]}\n"
    "  pole: {mass: 0.2, inertia: [0.01, 0.0105, 0.001], com: [0, 0, 0.5]}\n"
    "joints:\n"
    "  rail: {kind: prismatic, bodies: [ground, cart], axis: [1, 0, 0]}\n"
    "  pin: {kind: revolute, bodies: [cart, pole], axis: [0, 1, 0], initial: {position: 0.1}}\n";

// All smooth: a filter that the force depends on in turn, and a spring that is fed.
static const char smooth[] =
    "signals:\n"
    "  balance: k*pin.angle + d*pin.angle.rate\n"
    "states:\n"
    "  slow: {rate: 2*(rail.displacement - 0.3) - slow}\n"
    "  fast: {rate: 20*(slow + 0.2*pole.velocity.x - fast), initial: 0.1}\n"
    "unknowns:\n"
    "  soft: {equation: soft + 0.1*soft^3 - slow - 0.05*pole.velocity.x - pin.angle}\n"
    "forces:\n"
    "  drive: {kind: motor, joint: rail, effort: balance + 3*rail.displacement.rate + 2*fast +\n"
    "          4*soft}\n"
    "  spring: {kind: joint-spring, joint: pin, stiffness: 0.5 + cart.position.x^2 + slow,\n"
    "           damping: 0.02}\n"
    "  wind: {kind: point-force, body: pole, force: [0.1*fast, 0, 0.1*sin(rail.displacement)]}\n";

// Samples that are on no grid of steps, limits and conditions.
static const char switched[] =
    "signals:\n"
    "  want: 'if(rail.displacement > 0.1, -5, if(rail.displacement < -0.1, 5, 0))'\n"
    "  drag: -abs(rail.displacement.rate)*rail.displacement.rate\n"
    "states:\n"
    "  work: {rate: abs(want*rail.displacement.rate), limits: [-1, 0.7]}\n"
    "sampled:\n"
    "  servo: {every: 0.0737, delay: 0.02, next: {u: 0.9*u + 0.1*pin.angle}}\n"
    "forces:\n"
    "  drive: {kind: motor, joint: rail,\n"
    "          effort: 'want + drag + min(pin.angle, 0.02) - 0.1*work + 2 + servo.u'}\n";

static const char *const methods[] = {
    "variational/multiplier@director",    "variational/dalembert@director",
    "variational/reparam@director",       "energy-momentum/multiplier@director",
    "energy-momentum/dalembert@director", "energy-momentum/reparam@director",
};

static tn_model *parse(const char *behind)
{
    char text[4096];
    tn_model *model = NULL;
    snprintf(text, sizeof text, "%s%s", head, behind);
    CHECK_OK(tn_model_parse(text, "cart.yaml", &model, NULL));
    return model;
}

// Coordinates, rates, up to two states and an unknown at the end, and what the ledger has.
typedef struct ending {
    double q[2], v[2], c[2], w[2];
    double balance;
} ending;

static ending run_by(const tn_model *model, const char *method, double step, double t_end)
{
    tn_sim *sim = tn_test_open(model, method, step, 1e-11);
    ending out = {{0}, {0}, {0}, {0}, 0.0};
    CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
    for (int k = 0; k < 2; k++) {
        double x[3], rate[3];
        tn_sim_joint_coordinates(sim, (tn_joint){k}, x, rate);
        out.q[k] = x[0];
        out.v[k] = rate[0];
    }
    tn_equations told;
    tn_sim_equations(sim, &told);
    for (int k = 0; k < told.c; k++)
        out.c[k] = tn_sim_extra(sim)[k];
    for (int k = 0; k < told.w; k++)
        out.w[k] = tn_sim_extra(sim)[told.c + k];
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    out.balance = tn_ledger_relative_balance(&ledger);
    tn_sim_destroy(sim);
    return out;
}

static double apart(const double *x, const double *y)
{
    return fmax(fabs(x[0] - y[0]), fabs(x[1] - y[1]));
}

static void check_second_order(const char *what, double rough, double fine, const char *method)
{
    const double order = log2(rough / fine);
    if (!(order > 1.9 && order < 2.15))
        printf("%s: order %.3f in %s, errors %.3g and %.3g\n", method, order, what, rough, fine);
    CHECK(order > 1.9 && order < 2.15);
}

static void order_two_in_all_that_moves(void)
{
    tn_model *model = parse(smooth);
    const ending exact = run_by(model, "dop853@joint", 0.0, 0.6);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const ending rough = run_by(model, methods[k], 0.004, 0.6);
        const ending fine = run_by(model, methods[k], 0.002, 0.6);
        check_second_order("q", apart(rough.q, exact.q), apart(fine.q, exact.q), methods[k]);
        check_second_order("v", apart(rough.v, exact.v), apart(fine.v, exact.v), methods[k]);
        check_second_order("c", apart(rough.c, exact.c), apart(fine.c, exact.c), methods[k]);
        check_second_order("w", apart(rough.w, exact.w), apart(fine.w, exact.w), methods[k]);
        check_second_order("the balance", rough.balance, fine.balance, methods[k]);
        CHECK(fine.balance < 2e-4);
    }
    tn_model_destroy(model);
}

// Forms of one principle differ by what their iterations leave, principles by their errors.
static void forms_give_one_motion(void)
{
    tn_model *model = parse(smooth);
    for (int k = 0; k < TN_COUNT(methods); k += 3) {
        const ending first = run_by(model, methods[k], 0.01, 0.5);
        for (int i = 1; i < 3; i++) {
            const ending other = run_by(model, methods[k + i], 0.01, 0.5);
            CHECK_NEAR(apart(other.q, first.q), 0.0, 1e-10);
            CHECK_NEAR(apart(other.c, first.c), 0.0, 1e-10);
        }
    }
    tn_model_destroy(model);
}

static void samples_limits_and_decisions_are_met(void)
{
    tn_model *model = parse(switched);
    const ending exact = run_by(model, "dop853@joint", 0.0, 1.0);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const ending rough = run_by(model, methods[k], 0.002, 1.0);
        const ending fine = run_by(model, methods[k], 0.001, 1.0);
        CHECK(apart(fine.q, exact.q) < 2e-6);
        CHECK(apart(fine.c, exact.c) < 2e-5);
        CHECK(apart(fine.q, exact.q) < 0.4 * apart(rough.q, exact.q));
    }
    tn_model_destroy(model);
}

// A state much faster than the steps does not limit them: the rule is implicit.
static void fast_states_do_not_limit_steps(void)
{
    tn_model *model = parse("states: {fast: {rate: '1e5*(sin(rail.displacement) - fast)'}}\n"
                            "forces: {drive: {kind: motor, joint: rail, effort: 1 - 4*fast}}\n");
    const ending exact = run_by(model, "radau5/ggl@absolute", 0.0, 0.5);
    for (int k = 0; k < TN_COUNT(methods); k++)
        CHECK(apart(run_by(model, methods[k], 0.005, 0.5).q, exact.q) < 1e-4);
    tn_model_destroy(model);
}

// An unknown that is zero at the start and large a little later, in whatever unit it is counted.
static void units_of_states_do_not_matter(void)
{
    static const double unit[] = {1.0, 1e6, 1e12, 1e-9};
    double first = 0.0;
    for (int k = 0; k < TN_COUNT(unit); k++) {
        char behind[600];
        snprintf(behind, sizeof behind,
                 "states:\n"
                 "  c: {rate: '%g*(3 - 30*rail.displacement) - 4*c'}\n"
                 "unknowns:\n"
                 "  w: {equation: 'w + w^3/%g^2 - c'}\n"
                 "forces:\n"
                 "  drive: {kind: motor, joint: rail, effort: 'w/%g'}\n",
                 unit[k], unit[k], unit[k]);
        tn_model *model = parse(behind);
        const ending end = run_by(model, "energy-momentum/multiplier@director", 1e-2, 0.3);
        if (k == 0)
            first = end.q[0];
        CHECK_NEAR(end.q[0], first, 1e-10); // round-off of 30 steps, whose pole falls over
        tn_model_destroy(model);
    }
}

static void steps_take_no_memory(void)
{
    tn_model *model = parse(switched);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = methods[k];
        options.step = 0.002;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        const long before = tn_test_alloc_count();
        CHECK_OK(tn_sim_run(sim, 0.3, NULL, NULL));
        CHECK(tn_test_alloc_count() == before);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// Bodies of the plane are in a linear space in absolute coordinates, too.
static void order_two_in_absolute_coordinates_of_the_plane(void)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(
        "tenon: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {ball: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1, 0, 0]}},\n"
        "         rod: {kind: planar, mass: 2, inertia: 0.3, initial: {position: [0, 1, 0]}}}\n"
        "joints: {axle: {kind: planar-revolute, bodies: [ground, rod], at: [0.4, 1, 0]},\n"
        "         wire: {kind: planar-prismatic, bodies: [ground, ball], axis: [1, 0.2, 0],\n"
        "                at: [1, 0, 0]}}\n"
        "states: {seen: {rate: '5*(rod.angle - seen) + 0.3*ball.velocity.x'}}\n"
        "forces:\n"
        "  push: {kind: point-force, body: ball, force: [2*seen - ball.position.x, 0, 0]}\n"
        "  turn: {kind: motor, joint: axle, effort: ball.position.x - 0.5*seen}\n",
        "plane.yaml", &model, NULL));
    const ending exact = run_by(model, "dop853/index1+project@absolute", 0.0, 0.5);
    const ending rough = run_by(model, "variational/multiplier@absolute", 0.002, 0.5);
    const ending fine = run_by(model, "variational/multiplier@absolute", 0.001, 0.5);
    check_second_order("q", apart(rough.q, exact.q), apart(fine.q, exact.q), "@absolute");
    check_second_order("c", apart(rough.c, exact.c), apart(fine.c, exact.c), "@absolute");
    CHECK_NEAR(apart(fine.q, exact.q), 0.0, 1e-5);
    tn_model_destroy(model);
}

// Also friction, which rubs by the reaction of its joint; and steps that errors control.
static void refuse(const char *method, const tn_integrator_ops *integrator, void *user)
{
    static const char *const forces[] = {
        "forces: {drive: {kind: motor, joint: rail, effort: pin.force.x}}\n",
        "forces: {rub: {kind: friction, joint: rail, coulomb: 0.2}}\n", ""};
    static const char *const reasons[] = {"depend on constraint forces",
                                          "depend on constraint forces", "with a fixed step only"};
    (void)integrator, (void)user;
    for (int k = 0; k < TN_COUNT(forces); k++) {
        tn_model *model = parse(forces[k]);
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = method;
        options.adaptive = k == 2;
        CHECK(tn_sim_create(model, &options, &sim) == TN_ERR_PAIRING);
        CHECK(strstr(tn_last_error(), reasons[k]));
        tn_model_destroy(model);
    }
}

static void laws_by_reactions_and_step_control_are_refused(void)
{
    CHECK(for_discrete_methods(refuse, NULL) == 6);
}

static const tn_test tests[] = {
    {"order two in all that moves", order_two_in_all_that_moves},
    {"forms give one motion", forms_give_one_motion},
    {"samples, limits and decisions are met", samples_limits_and_decisions_are_met},
    {"fast states do not limit steps", fast_states_do_not_limit_steps},
    {"units of states do not matter", units_of_states_do_not_matter},
    {"steps take no memory", steps_take_no_memory},
    {"order two in absolute coordinates of the plane",
     order_two_in_absolute_coordinates_of_the_plane},
    {"laws by reactions and step control are refused",
     laws_by_reactions_and_step_control_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
