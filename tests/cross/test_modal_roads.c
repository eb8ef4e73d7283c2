// SPDX-License-Identifier: MIT
//
// A soft modal rod on joints by every road: every legal pairing of an integrator and a formulation,
// in absolute and joint coordinates, gives one motion, and orders in q, v and lambda are those that
// pairings state. A free one keeps energy and momenta, one that is nearly rigid moves as a rigid
// body, and steps take no memory. With TN_LONG in the environment orders are
// those of all pairings, without of one in absolute coordinates.

#include "body_again.h"
#include "fixed_step.h"
#include "model/model.h"
#include "road_orders.h"
#include "tenon/modal.h"

// Shapes of bending in both directions and of stretching, none of which rests anywhere: the frame
// is that of the middle, roughly.
static const tn_rod_shape shapes[] = {
    {.y = "cos(2*pi*s)"}, {.z = "cos(2*pi*s) + 0.2*s"}, {.x = "s - 0.5", .y = "0.3*s^2"}};
static const double places[] = {0.0, 1.0};
static const char *const names[] = {"start", "end"};

static tn_modal_def soft_rod(double E)
{
    static const double damping = 0.02;
    tn_modal_def def = tn_default_modal();
    def.name = "rod";
    def.stiffening = true;
    def.ndamping = 1;
    def.damping = &damping;
    def.rod.length = 1.0;
    def.rod.section = (tn_section_def){.kind = TN_SECTION_STIFFNESS,
                                       .stiffness = {200 * E, 240 * E, 800 * E},
                                       .rotational_stiffness = {0.5 * E, 0.4 * E, 0.6 * E},
                                       .mass = 2.0,
                                       .inertia_x = 0.06,
                                       .inertia_y = 0.05};
    def.rod.nshape = TN_COUNT(shapes);
    def.rod.shapes = shapes;
    def.rod.nattachment = 2;
    def.rod.attachment_at = places;
    def.rod.attachment_name = names;
    return def;
}

// A crank that turns about z carries the start of the rod on a ball; its end stays on a line.
static void add_crank(tn_model *model, tn_body start, tn_body end, tn_vec3 at_end)
{
    tn_body_def link = tn_default_body();
    link.name = "link";
    link.mass = 1.0;
    link.inertia = tn_v3(0.05, 0.08, 0.07);
    link.frame.p = tn_v3(0.0, -0.3, 0.0);
    const tn_body turning = tn_model_add_body(model, &link);
    tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
    pin.name = "pin";
    pin.body_b = turning;
    pin.frame_a.p = tn_v3(0.0, -0.6, 0.0);
    pin.frame_b.p = tn_v3(0.0, -0.3, 0.0);
    pin.nrate = 1;
    pin.rate[0] = 4.0;
    tn_model_add_joint(model, &pin);
    tn_joint_def ball = tn_default_joint(TN_JOINT_SPHERICAL);
    ball.name = "ball";
    ball.body_a = turning;
    ball.body_b = start;
    ball.frame_a.p = tn_v3(0.0, 0.3, 0.0);
    tn_model_add_joint(model, &ball);
    tn_joint_def slot = tn_default_joint(TN_JOINT_POINT_ON_LINE);
    slot.name = "slot";
    slot.body_b = end;
    slot.frame_a.R = tn_m3_rot_y(1.5707963267948966); // its z is the axis x
    slot.frame_b.p = at_end;
    tn_model_add_joint(model, &slot);
    CHECK_OK(tn_model_status(model));
}

static tn_model *rod_and_link_of(double E)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.3, -9.81, 3.0));
    const tn_modal_def def = soft_rod(E);
    tn_model_add_modal(model, &def);
    add_crank(model, tn_model_find_body(model, "rod.start"), tn_model_find_body(model, "rod.end"),
              tn_v3(0.0, 0.0, 0.0));
    return model;
}

static tn_model *rod_and_link(void)
{
    return rod_and_link_of(1.0);
}

static const problem swinging = {
    .name = "modal rod and link", .model = rod_and_link, .t_end = 0.4, .steps = 80};

// One motion --------------------------------------------------------------------------------------

// A third of all, others in joint coordinates; with TN_LONG in the environment all of them.
static void check_some(const problem *p, const tn_integrator_ops *integrator,
                       const tn_formulation *formulation, const char *rotation, void *user)
{
    static int turn;
    const orders_seen *seen = user;
    const int which = strcmp(seen->coordinates, "joint") ? 0 : 1;
    if (getenv("TN_LONG") || turn++ % 3 == which)
        check_one_motion(p, integrator, formulation, rotation, user);
}

static void check_motions_in(const char *coordinates)
{
    static orders_seen seen;
    begin_roads(&seen, coordinates);
    seen.fixed_q = 2e-4; // as of the beam of test_beam_roads.c
    seen.fixed_v = 1e-2;
    tight_track(&swinging, "dop853/index1+project@absolute", &seen.exact);
    every_road(&swinging, check_some, &seen);
    check_roads(&seen);
}

static void all_roads_give_one_motion(void)
{
    check_motions_in("absolute");
}

static void all_roads_in_joint_coordinates_give_that_motion(void)
{
    check_motions_in("joint");
}

// Orders ------------------------------------------------------------------------------------------

static void check_some_orders(const problem *p, const tn_integrator_ops *integrator,
                              const tn_formulation *formulation, const char *rotation, void *user)
{
    if (!strcmp(formulation->name, "ggl"))
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
    if (getenv("TN_LONG"))
        check_orders_in("joint");
}

// Structure ---------------------------------------------------------------------------------------

static tn_sim *open_tight(const tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = 1e-12;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

// A free rod that tumbles and vibrates, without damping; also with a body on one of its ends.
static void check_free(const char *method, bool loaded)
{
    static const double amplitudes[] = {0.05, -0.04, 0.02}, rates[] = {0.3, 0.5, -0.4};
    tn_model *model = tn_model_create();
    tn_modal_def def = soft_rod(1.0);
    def.ndamping = 0;
    def.velocity = tn_v3(0.3, -0.2, 0.5);
    def.rate = tn_v3(1.0, -2.0, 3.0);
    def.given_velocity = def.given_rate = true;
    def.namplitude = def.nrate = 3;
    def.amplitudes = amplitudes;
    def.amplitude_rates = rates;
    if (!loaded)
        def.rod.nattachment = 0;
    tn_model_add_modal(model, &def);
    if (loaded) {
        tn_body_def ball = tn_default_body();
        ball.frame = model->bodies.at[tn_model_find_body(model, "rod.end").index].def.frame;
        const tn_body body = tn_model_add_body(model, &ball);
        tn_joint_def hinge = tn_default_joint(TN_JOINT_SPHERICAL);
        hinge.body_a = tn_model_find_body(model, "rod.end");
        hinge.body_b = body;
        hinge.frame_b.p = tn_v3(0.1, 0.2, 0.0);
        tn_model_add_joint(model, &hinge);
    }
    tn_sim *sim = open_tight(model, method);
    tn_ledger before, after;
    tn_sim_ledger(sim, &before);
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    tn_sim_ledger(sim, &after);
    double momenta = 0.0;
    for (int i = 0; i < 3; i++)
        momenta = fmax(momenta, fmax(after.momentum_change[i], after.spin_change[i]));
    printf("%-32s energy %.6f J changes by %.1e J, momenta by %.1e\n", method, after.energy,
           after.energy - before.energy, momenta);
    CHECK(after.potential > 1e-3 && after.kinetic > 1.0);
    CHECK_NEAR(after.energy, before.energy, 1e-9 * before.energy); // tolerances of 1e-12
    CHECK(momenta < 1e-9);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void free_rods_keep_energy_and_momenta(void)
{
    check_free("dop853/index1", false);
    check_free("dop853/index1+project@absolute", true);
    check_free("dop853/index1+project@joint", true);
    check_free("radau5/ggl@absolute", true);
}

// The same mechanism with a rigid rod.
static tn_model *rigid_and_link(void)
{
    tn_model *soft = rod_and_link_of(1.0), *model = tn_model_create();
    tn_body_def def = body_again(soft, "rod");
    tn_model_set_gravity(model, tn_v3(0.3, -9.81, 3.0));
    def.name = "rod";
    const tn_body rod = tn_model_add_body(model, &def);
    add_crank(model, rod, rod, tn_v3(1.0, 0.0, 0.0));
    tn_model_destroy(soft);
    return model;
}

static tn_vec3 link_at_end(tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.rtol = options.atol = 1e-9;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.4, NULL, NULL));
    const tn_frame frame = tn_sim_body_frame(sim, tn_model_find_body(model, "link"));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return frame.p;
}

// Deformations go with 1/E, and so does what they change.
static void stiff_rods_move_as_rigid_ones(void)
{
    const tn_vec3 rigid = link_at_end(rigid_and_link(), "radau5/ggl");
    double last = 0.0;
    for (int k = 0; k < 3; k++) {
        const double E = 1e3 * pow(100.0, k);
        const double off =
            tn_v3_norm(tn_v3_sub(link_at_end(rod_and_link_of(E), "radau5/ggl"), rigid));
        printf("stiffness times %.0e: %.2e m from the rigid rod\n", E, off);
        if (k > 0)
            CHECK_NEAR(off, 0.01 * last, 0.001 * last); // goes with 1/E
        last = off;
    }
    CHECK(last < 1e-7);
}

static void steps_take_no_memory(void)
{
    static const char *const methods[] = {"galpha/ggl@absolute", "galpha/ggl@joint",
                                          "galpha/index3@absolute"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = rod_and_link();
        tn_sim *sim = open_fixed(model, methods[k], 1e-3);
        for (int n = 0; n < 3; n++)
            CHECK_OK(tn_sim_step(sim, 1e-3));
        const long before = tn_test_alloc_count();
        for (int n = 0; n < 20; n++)
            CHECK_OK(tn_sim_step(sim, 1e-3));
        CHECK(tn_test_alloc_count() == before);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// A run that goes on from a save, in the same simulation and in another one, is the same.
static void saves_have_all(void)
{
    static const char *const methods[] = {"galpha/ggl@absolute", "radau5/ggl@joint"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        void *saved = NULL;
        size_t size = 0;
        tn_model *model = rod_and_link();
        tn_sim *sim = open_fixed(model, methods[k], 1e-3), *other = NULL;
        const tn_body link = tn_model_find_body(model, "link"),
                      bend = tn_model_find_body(model, "rod.q1");
        CHECK_OK(tn_sim_run(sim, 0.05, NULL, NULL));
        CHECK_OK(tn_sim_save(sim, &saved, &size));
        CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
        const double q = tn_sim_body_frame(sim, bend).p.x, x = tn_sim_body_frame(sim, link).p.x;
        CHECK(fabs(q) > 1e-4);
        other = open_fixed(model, methods[k], 1e-3);
        for (int i = 0; i < 2; i++) {
            tn_sim *on = i ? other : sim;
            CHECK_OK(tn_sim_load(on, saved, size));
            CHECK_OK(tn_sim_run(on, 0.1, NULL, NULL));
            CHECK(tn_sim_body_frame(on, bend).p.x == q && tn_sim_body_frame(on, link).p.x == x);
        }
        tn_free(saved);
        tn_sim_destroy(other);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"all roads give one motion", all_roads_give_one_motion},
    {"all roads in joint coordinates give that motion",
     all_roads_in_joint_coordinates_give_that_motion},
    {"orders in absolute coordinates are those stated",
     orders_in_absolute_coordinates_are_those_stated},
    {"orders in joint coordinates are those stated", orders_in_joint_coordinates_are_those_stated},
    {"free rods keep energy and momenta", free_rods_keep_energy_and_momenta},
    {"stiff rods move as rigid ones", stiff_rods_move_as_rigid_ones},
    {"steps take no memory", steps_take_no_memory},
    {"saves have all", saves_have_all},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
