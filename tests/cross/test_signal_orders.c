// SPDX-License-Identifier: MIT
//
// Orders with expressions of the state: every integrator keeps in q, v, lambda and c the order that
// it has without them, as its pairing states it, in absolute and joint coordinates. A pendulum in
// the plane and a top, with states that forces follow and an unknown between them.

#include "road_models.h"
#include "road_orders.h"

static void add_state(tn_model *model, const char *name, const char *rate)
{
    tn_state_def def = tn_default_state();
    def.name = name;
    def.rate = rate;
    def.initial = 0.3;
    CHECK_OK(tn_model_add_state(model, &def));
}

static tn_model *fed_pendulum(void)
{
    tn_model *model = point_pendulum();
    CHECK_OK(tn_model_add_signal(model, "lean", "'body 1'.position.x + 0.2*sin(load)"));
    add_state(model, "filter", "2*('body 1'.velocity.x - filter) + 0.5*load");
    add_state(model, "sum", "lean - 0.1*sum^3");
    CHECK_OK(tn_model_add_unknown(
        model, &(tn_unknown_def){.name = "load",
                                 .equation = "load + 0.1*load^3 - filter*'body 1'.position.y"}));
    tn_force_def push = tn_default_force(TN_FORCE_POINT);
    push.body_b = (tn_body){1};
    push.point.force[0].expression = "0.8*filter + 0.4*load - 0.3*'body 1'.velocity.y";
    push.point.force[1].expression = "0.5*lean*sum";
    tn_model_add_force(model, &push);
    return model;
}

static tn_model *fed_top(void)
{
    tn_model *model = slow_top();
    CHECK_OK(tn_model_add_signal(model, "spin", "'body 1'.angular_velocity.y + 0.1*fast^2"));
    add_state(model, "fast", "'body 1'.angular_velocity.x - fast");
    add_state(model, "slow", "0.3*spin - 0.2*slow");
    tn_force_def brake = tn_default_force(TN_FORCE_POINT);
    brake.body_b = (tn_body){1};
    brake.point.follower = true;
    brake.point.torque[0].expression = "-0.2*fast";
    brake.point.torque[1].expression = "-0.1*spin + 0.05*slow";
    tn_model_add_force(model, &brake);
    return model;
}

static const problem fed[] = {
    {.name = "fed pendulum", .model = fed_pendulum, .t_end = 1.0, .steps = 80},
    {.name = "fed top", .model = fed_top, .rotates = true, .t_end = 0.8, .steps = 80},
};

// In joint coordinates phase-space takes the rate of M from differences, whose noise of 1e-12 the
// states of the top see at the finest steps.
static void check_fed(const problem *p, const tn_integrator_ops *integrator,
                      const tn_formulation *formulation, const char *rotation, void *user)
{
    const orders_seen *seen = user;
    const bool noisy = p->rotates && !strcmp(seen->coordinates, "joint") &&
                       !strcmp(formulation->name, "phase-space");
    if (!noisy)
        check_orders(p, integrator, formulation, rotation, user);
}

static void check_orders_in(const char *coordinates)
{
    static orders_seen seen;
    begin_roads(&seen, coordinates);
    for (int k = 0; k < TN_COUNT(fed); k++) {
        tight_track(&fed[k], "dop853/index1+project", &seen.exact);
        every_road(&fed[k], check_fed, &seen);
    }
    check_roads(&seen);
}

static void orders_are_kept(void)
{
    check_orders_in("absolute");
}

static void orders_in_joint_coordinates_are_kept(void)
{
    check_orders_in("joint");
}

static const tn_test tests[] = {
    {"orders are kept", orders_are_kept},
    {"orders in joint coordinates are kept", orders_in_joint_coordinates_are_kept},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
