// SPDX-License-Identifier: MIT
//
// What the sections of beams carry, against statics by hand: the force behind a cut is the load
// there, its moment is that of the load about the cut. Beams lie along x with the x axis of the
// section along y, so that its y axis is along z. Both elements, helix and directors, are asked.

#include "model/model.h"
#include "tenon/equilibrium.h"
#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

enum { ELEMENTS = 8 };
static const double LENGTH = 2.0;

static const char rod[] =
    "tenon: 1\n"
    "bodies:\n"
    "  rod:\n"
    "    kind: beam\n"
    "    points: [[0, 0, 0], [2, 0, 0]]\n"
    "    elements: 8\n"
    "    x_axis: [0, 1, 0]\n"
    "    section: {kind: stiffness, stiffness: [3e3, 4e3, 9e3],\n"
    "              rotational_stiffness: [50, 70, 40], mass: 1,\n"
    "              inertia_x: 0.1, inertia_y: 0.2}\n"
    "joints:\n"
    "  clamp: {kind: fixed, bodies: [ground, rod.start]}\n"
    "forces:\n"
    "  load: {kind: point-force, body: rod.end, orientation: {axis: [1, 0, 0], angle: 0},\n"
    "         force: [%g, %g, %g], torque: [%g, %g, %g]}\n";

typedef struct load {
    tn_vec3 force, torque; // inertial axes
} load;

static tn_equilibrium *rest_under(load on, bool products, tn_model **model)
{
    char text[2000];
    tn_equilibrium_options options = tn_default_equilibrium();
    tn_equilibrium *rest = NULL;
    snprintf(text, sizeof text, rod, on.force.x, on.force.y, on.force.z, on.torque.x, on.torque.y,
             on.torque.z);
    CHECK_OK(tn_model_parse(text, "rod.yaml", model, NULL));
    for (int k = 0; k < ELEMENTS; k++)
        (*model)->forces.at[tn_model_beam_element(*model, (tn_beam){0}, k).index].by_products =
            products;
    options.nearest = true;
    CHECK_OK(tn_equilibrium_create(*model, &options, &rest));
    CHECK_OK(tn_equilibrium_find(rest));
    return rest;
}

static tn_force_state element_of(tn_equilibrium *rest, const tn_model *model, int k)
{
    tn_force_state at;
    CHECK_OK(tn_equilibrium_force(rest, tn_model_beam_element(model, (tn_beam){0}, k), &at));
    CHECK(at.is_section);
    return at;
}

// All components against those of every element; moments by the distance of its middle to the tip.
static void check_sections(load on, tn_vec3 force, tn_vec3 moment, tn_vec3 moment_by_arm,
                           double tol)
{
    for (int products = 0; products < 2; products++) {
        tn_model *model = NULL;
        tn_equilibrium *rest = rest_under(on, products, &model);
        for (int k = 0; k < ELEMENTS; k++) {
            const tn_force_state at = element_of(rest, model, k);
            const double arm = LENGTH * (1.0 - (k + 0.5) / ELEMENTS);
            const tn_vec3 wanted = tn_v3_axpy(arm, moment_by_arm, moment);
            CHECK_NEAR(tn_v3_norm(tn_v3_sub(at.section.f, force)), 0.0, tol);
            CHECK_NEAR(tn_v3_norm(tn_v3_sub(at.section.m, wanted)), 0.0, tol);
            CHECK_NEAR(at.strain.x, at.section.f.x / 3e3, 1e-12); // no damping: the elastic law
            CHECK_NEAR(at.strain.z, at.section.f.z / 9e3, 1e-12);
            CHECK_NEAR(at.curvature.x, at.section.m.x / 50.0, 1e-12);
            CHECK_NEAR(at.curvature.z, at.section.m.z / 40.0, 1e-12);
        }
        tn_equilibrium_destroy(rest);
        tn_model_destroy(model);
    }
}

static const double ITERATION = 1e-8; // of equilibrium, relative to loads of size one

static void bar_in_tension_has_its_normal_force(void)
{
    check_sections((load){{90, 0, 0}, {0, 0, 0}}, tn_v3(0, 0, 90), tn_v3(0, 0, 0), tn_v3(0, 0, 0),
                   90 * ITERATION);
}

// Under a moment M about one axis directors of an element turn by theta. Its energy is of
// K = sin(theta) / L, so that M = C K cos(theta), and its section has C K = M / cos(theta): a
// difference of second order. Helices have M.
static void check_one_moment(tn_vec3 torque, double C, int axis)
{
    const double M = tn_v3_norm(torque), L = LENGTH / ELEMENTS;
    for (int products = 0; products < 2; products++) {
        const double theta = products ? 0.5 * asin(2.0 * M * L / C) : 0.0;
        tn_model *model = NULL;
        tn_equilibrium *rest = rest_under((load){.torque = torque}, products, &model);
        for (int k = 0; k < ELEMENTS; k++) {
            const tn_force_state at = element_of(rest, model, k);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR((&at.section.m.x)[i], i == axis ? M / cos(theta) : 0.0, M * ITERATION);
            CHECK_NEAR(tn_v3_norm(at.section.f), 0.0, M * ITERATION);
        }
        tn_equilibrium_destroy(rest);
        tn_model_destroy(model);
    }
}

static void torque_goes_through_every_section(void)
{
    check_one_moment(tn_v3(10, 0, 0), 40.0, 2);
}

static void pure_bending_has_one_moment(void)
{
    check_one_moment(tn_v3(0, 60, 0), 50.0, 0); // by 2.4 rad
    check_one_moment(tn_v3(0, 0, 60), 70.0, 1);
}

static void moment_of_a_tip_load_is_linear(void)
{
    // Small enough that the tip goes down by 5e-5 of its length; the arm changes by the square.
    const double F = 1e-3;
    check_sections((load){{0, 0, -F}, {0, 0, 0}}, tn_v3(0, -F, 0), tn_v3(0, 0, 0), tn_v3(F, 0, 0),
                   F * 2e-4); // turns by 4e-5 make that much of other components
    check_sections((load){{0, F, 0}, {0, 0, 0}}, tn_v3(F, 0, 0), tn_v3(0, 0, 0), tn_v3(0, F, 0),
                   F * 2e-4);
}

// The first node of the swing between the joint beside it and the first element: what the joint and
// the section behind do to it is its mass times its acceleration.
static double cut_off_balance(tn_sim *sim, const tn_model *model)
{
    const tn_beam beam = {0};
    const tn_body first = tn_model_beam_node(model, beam, 0),
                  second = tn_model_beam_node(model, beam, 1);
    const double mass = 7500.0 * 0.5 * 0.72 / 20.0;
    const tn_mat3 A = tn_sim_body_frame(sim, first).R, B = tn_sim_body_frame(sim, second).R;
    tn_force_state at;
    CHECK_OK(tn_sim_force(sim, tn_model_beam_element(model, beam, 0), &at));
    const tn_vec3 cut =
        tn_v3_scale(0.5, tn_v3_add(tn_m3_apply(A, at.section.f), tn_m3_apply(B, at.section.f)));
    const tn_vec3 pin = tn_sim_joint_reaction(sim, tn_model_find_joint(model, "pin_left")).f;
    const tn_vec3 inertia = tn_v3_scale(mass, tn_sim_body_acceleration(sim, first));
    const tn_vec3 off = tn_v3_sub(tn_v3_add(cut, pin), inertia);
    return tn_v3_norm(off) / tn_v3_norm(pin);
}

static void cut_of_the_swing_balances_the_joint_beside_it(void)
{
    static const char *const methods[] = {"galpha/ggl@absolute", "galpha/ggl@joint",
                                          "galpha/ggl@director"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = NULL;
        CHECK_OK(tn_model_load(tn_test_path("models/three_bar_swing.yaml"), &model, NULL));
        tn_sim *sim = tn_test_open(model, methods[k], 0.002, 0.0);
        double most = 0.0;
        for (int n = 1; n <= 10; n++) {
            CHECK_OK(tn_sim_run(sim, 0.03 * n, NULL, NULL));
            most = fmax(most, cut_off_balance(sim, model));
            CHECK(tn_test_value(sim, "beam.e1.section_force.z") != 0.0);
        }
        printf("%s: cut and joint within %.1e\n", methods[k], most);
        CHECK_NEAR(most, 0.0, 1e-4); // the mean of both axes, for those in the middle
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static const char strained[] =
    "tenon: 1\n"
    "bodies:\n"
    "  rod:\n"
    "    kind: beam\n"
    "    points: [[0, 0, 0], [2, 0, 0]]\n"
    "    elements: 40\n"
    "    x_axis: [0, 1, 0]\n"
    "    tension: 30\n"
    "    bend: [0.2, -0.1, 0.3]\n"
    "    damping: 0.01\n"
    "    section: {kind: stiffness, stiffness: [3e3, 4e3, 9e3],\n"
    "              rotational_stiffness: [50, 70, 40], mass: 1,\n"
    "              inertia_x: 0.1, inertia_y: 0.2}\n"
    "joints:\n"
    "  clamp: {kind: fixed, bodies: [ground, rod.start]}\n"
    "signals: {twice: 2*rod.e7.section_moment.y}\n"
    "outputs: {bent: 'hypot(rod.e7.section_moment.x, rod.e7.section_moment.y)'}\n";

// A straight beam that would be bent, at its start: the moments hold it straight. Names are the
// same in channels, signals and outputs, in all coordinates.
static void names_are_the_same_in_all_coordinates(void)
{
    static const char *const methods[] = {"galpha/ggl@absolute", "galpha/ggl@joint",
                                          "galpha/ggl@director"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = tn_test_open_text(strained, methods[k], 0.001, 0.0);
        // Directors: of second order in the bend of an element, 0.05 * 0.37; EA times its square
        // over 12 of the force.
        const double tol = k < 2 ? 1e-10 : 1e-3, by_EA = k < 2 ? 1e-8 : 0.3;
        CHECK_NEAR(tn_test_value(sim, "rod.e7.section_force.z"), 30.0, by_EA);
        CHECK_NEAR(tn_test_value(sim, "rod.e7.section_moment.x"), -0.2 * 50.0, tol);
        CHECK_NEAR(tn_test_value(sim, "rod.e7.section_moment.y"), 0.1 * 70.0, tol);
        CHECK_NEAR(tn_test_value(sim, "rod.e7.section_moment.z"), -0.3 * 40.0, tol);
        CHECK_NEAR(tn_test_value(sim, "rod.e7.curvature.z"), -0.3, tol);
        CHECK_NEAR(tn_test_value(sim, "rod.e7.strain.z"), 30.0 / 9e3, by_EA / 9e3);
        CHECK_NEAR(tn_test_value(sim, "twice"), 0.2 * 70.0, 2.0 * tol);
        CHECK_NEAR(tn_test_value(sim, "bent"), hypot(10.0, 7.0), tol);
        tn_sim_destroy(sim);
    }
}

static const tn_test tests[] = {
    {"a bar in tension has its normal force", bar_in_tension_has_its_normal_force},
    {"torque goes through every section", torque_goes_through_every_section},
    {"pure bending has one moment", pure_bending_has_one_moment},
    {"the moment of a tip load is linear", moment_of_a_tip_load_is_linear},
    {"the cut of the swing balances the joint beside it",
     cut_of_the_swing_balances_the_joint_beside_it},
    {"names are the same in all coordinates", names_are_the_same_in_all_coordinates},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
