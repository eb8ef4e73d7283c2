// SPDX-License-Identifier: MIT
//
// A soft beam on joints by every road: every legal pairing of an integrator and a formulation, in
// absolute, joint and director coordinates, gives one motion; orders in q, v and lambda are those
// that pairings state; discrete principles keep momenta, and energy-momentum keeps the energy.
// Elements differ between directors and the other coordinates, so that each has a reference. With
// TN_LONG in the environment orders are those of all pairings, without of second-order ones.

#include "fixed_step.h"
#include "road_orders.h"

// Slow enough for explicit methods: frequencies up to about 60 rad/s.
static tn_beam add_soft_beam(tn_model *model, int elements)
{
    const tn_vec3 points[2] = {{0, 0, 0}, {1, 0, 0}};
    tn_beam_def beam = tn_default_beam();
    beam.name = "rod";
    beam.npoint = 2;
    beam.points = points;
    beam.elements = elements;
    beam.x_axis = tn_v3(0, 1, 0);
    beam.section = (tn_section_def){.kind = TN_SECTION_STIFFNESS,
                                    .stiffness = {200, 240, 400},
                                    .rotational_stiffness = {12, 8, 9},
                                    .mass = 2.0,
                                    .inertia_x = 0.06,
                                    .inertia_y = 0.05};
    return tn_model_add_beam(model, &beam);
}

static tn_frame upright(const tn_model *model, tn_body node) // inertial axes, seen from a node
{
    return (tn_frame){.R = tn_m3_transpose(model->bodies.at[node.index].def.frame.R)};
}

// From a ball at the ground to a link that turns about z at its other end, a closed loop, and
// moving: the link turns by 0.4 rad and back.
static tn_model *beam_and_link(void)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.3, -9.81, 3.0));
    add_soft_beam(model, 2);
    model->bodies.at[tn_model_find_body(model, "rod.start").index].def.rate = tn_v3(0.5, -1.0, 2.0);
    model->bodies.at[tn_model_find_body(model, "rod.1").index].def.velocity = tn_v3(0.3, 1.0, -0.5);
    tn_body_def link = tn_default_body();
    link.name = "link";
    link.mass = 1.0;
    link.inertia = tn_v3(0.05, 0.08, 0.07);
    link.frame.p = tn_v3(1.0, -0.3, 0.0);
    const tn_body turning = tn_model_add_body(model, &link);
    tn_joint_def ball = tn_default_joint(TN_JOINT_SPHERICAL);
    ball.name = "ball";
    ball.body_a = TN_GROUND;
    ball.body_b = tn_model_find_body(model, "rod.start");
    tn_model_add_joint(model, &ball);
    tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
    pin.name = "pin";
    pin.body_a = TN_GROUND;
    pin.body_b = turning;
    pin.frame_a.p = tn_v3(1.0, -0.6, 0.0);
    pin.frame_b.p = tn_v3(0.0, -0.3, 0.0);
    pin.nrate = 1;
    pin.rate[0] = 4.0;
    tn_model_add_joint(model, &pin);
    tn_joint_def cross = tn_default_joint(TN_JOINT_UNIVERSAL);
    cross.name = "cross";
    cross.body_a = turning;
    cross.body_b = tn_model_find_body(model, "rod.end");
    cross.frame_a.p = tn_v3(0.0, 0.3, 0.0);
    cross.frame_b = upright(model, cross.body_b);
    tn_model_add_joint(model, &cross);
    CHECK_OK(tn_model_status(model));
    return model;
}

static const problem swinging = {
    .name = "beam and link", .model = beam_and_link, .t_end = 0.4, .steps = 80};

// One motion --------------------------------------------------------------------------------------

// In directors a third of all; with TN_LONG in the environment all of them.
static void check_some(const problem *p, const tn_integrator_ops *integrator,
                       const tn_formulation *formulation, const char *rotation, void *user)
{
    static int turn;
    const orders_seen *seen = user;
    if (strcmp(seen->coordinates, "director") || getenv("TN_LONG") || turn++ % 3 == 0)
        check_one_motion(p, integrator, formulation, rotation, user);
}

static void check_motions_in(const char *coordinates, const char *exact)
{
    static orders_seen seen;
    begin_roads(&seen, coordinates);
    seen.fixed_q = 2e-4; // 1600 steps of second order, with frequencies of 60 rad/s:
    seen.fixed_v = 1e-2; // 4e-5 and 2e-3, of bdf 1e-4 and 6e-3
    tight_track(&swinging, exact, &seen.exact);
    every_road(&swinging, check_some, &seen);
    check_roads(&seen);
}

static void all_roads_give_one_motion(void)
{
    check_motions_in("absolute", "dop853/index1+project@absolute");
}

static void all_roads_in_joint_coordinates_give_that_motion(void)
{
    check_motions_in("joint", "dop853/index1+project@absolute");
}

static void all_roads_in_directors_give_one_motion(void)
{
    check_motions_in("director", "dop853/index1+project@director");
}

// Orders ------------------------------------------------------------------------------------------

// In joint coordinates rows are fewer, formulations less of a difference: the stabilised one tells.
static void check_some_orders(const problem *p, const tn_integrator_ops *integrator,
                              const tn_formulation *formulation, const char *rotation, void *user)
{
    const orders_seen *seen = user;
    if (strcmp(seen->coordinates, "joint") || !strcmp(formulation->name, "ggl"))
        check_orders(p, integrator, formulation, rotation, user);
}

static void check_orders_in(const char *coordinates)
{
    static orders_seen seen;
    begin_roads(&seen, coordinates);
    tight_track(&swinging, "dop853/index1+project@absolute", &seen.exact);
    if (getenv("TN_LONG"))
        every_road(&swinging, check_orders, &seen);
    else
        every_second_order_road(&swinging, check_some_orders, &seen);
    check_roads(&seen);
}

static void orders_in_absolute_coordinates_are_those_stated(void)
{
    check_orders_in("absolute");
}

static void orders_in_joint_coordinates_are_those_stated(void)
{
    check_orders_in("joint");
}

// Forms of a principle are one method: two runs each tell.
static void check_discrete(const char *method, const tn_integrator_ops *integrator, void *user)
{
    static track run[2];
    orders_seen *seen = user;
    (void)integrator;
    for (int k = 0; k < 2; k++) {
        tn_sim_options options = tn_default_sim();
        options.method = method;
        options.step = swinging.t_end / (128 << k);
        follow(&swinging, &options, &run[k]);
    }
    for (int what = OF_Q; what <= OF_LAMBDA; what++) {
        const double order = log2(distance(&run[0], &seen->exact, (quantity)what) /
                                  distance(&run[1], &seen->exact, (quantity)what));
        printf("%-36s %-6s order %.3f\n", method, quantity_names[what], order);
        CHECK_NEAR(order, 2.0, 0.15); // terms of the next order at 0.2 rad in a step
    }
}

static void orders_of_discrete_principles_are_two(void)
{
    static orders_seen seen;
    tight_track(&swinging, "dop853/index1+project@director", &seen.exact);
    CHECK(for_discrete_methods(check_discrete, &seen) == 6);
}

// Structure ---------------------------------------------------------------------------------------

// A beam that flies and tumbles: its ends start with velocities that stretch, bend and twist it.
static tn_model *flying_beam(void)
{
    tn_model *model = tn_model_create();
    const tn_beam rod = add_soft_beam(model, 4);
    (void)rod;
    tn_body_data *end = &model->bodies.at[tn_model_find_body(model, "rod.end").index];
    tn_body_data *start = &model->bodies.at[tn_model_find_body(model, "rod.start").index];
    end->def.velocity = tn_v3(0.5, 1.5, -1.0);
    end->def.rate = tn_v3(2.0, -1.0, 1.5);
    start->def.velocity = tn_v3(-0.2, -1.0, 0.6);
    CHECK_OK(tn_model_status(model));
    return model;
}

static void check_structure(const char *method, const tn_integrator_ops *integrator, void *user)
{
    tn_ledger ledger;
    tn_model *model = flying_beam();
    tn_sim *sim = open_fixed(model, method, 0.01);
    double low = INFINITY, high = -INFINITY, momenta = 0.0;
    (void)user;
    for (int n = 1; n <= 200; n++) {
        CHECK_OK(tn_sim_step(sim, 0.01));
        tn_sim_ledger(sim, &ledger);
        low = fmin(low, ledger.energy);
        high = fmax(high, ledger.energy);
    }
    for (int i = 0; i < 3; i++)
        momenta = fmax(momenta, fmax(ledger.momentum_change[i], ledger.spin_change[i]));
    printf("%-36s energy %.6f within %.1e J, momenta change by %.1e\n", method, ledger.energy,
           high - low, momenta);
    CHECK(momenta < 1e-11); // round-off of 200 steps; momenta of about 1
    CHECK(ledger.energy > 0.5 && ledger.potential > 0.01);
    if (!strcmp(integrator->name, "energy-momentum"))
        CHECK(high - low < 1e-11 * high);
    else
        CHECK(high - low < 0.05 * high); // a band, at 0.6 rad in a step
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void principles_keep_what_they_are_made_for(void)
{
    CHECK(for_discrete_methods(check_structure, NULL) == 6);
}

static const tn_test tests[] = {
    {"all roads give one motion", all_roads_give_one_motion},
    {"all roads in joint coordinates give that motion",
     all_roads_in_joint_coordinates_give_that_motion},
    {"all roads in directors give one motion", all_roads_in_directors_give_one_motion},
    {"orders in absolute coordinates are those stated",
     orders_in_absolute_coordinates_are_those_stated},
    {"orders in joint coordinates are those stated", orders_in_joint_coordinates_are_those_stated},
    {"orders of discrete principles are two", orders_of_discrete_principles_are_two},
    {"principles keep what they are made for", principles_keep_what_they_are_made_for},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
