// SPDX-License-Identifier: MIT
//
// Geometrically exact beams at rest, against cantilevers of the literature whose digits were taken
// anew by shooting (a Reissner-Simo rod with a linear law and a dead load at its tip). Elements are
// refined and extrapolated: errors fall with the square of their length.
//
//   Geradin      [sharpy, tests/xbeam/geradin]: 5 m, 600 kN
//   Nachbagauer  et al. 2011 [EXUDYN, geometricallyExactBeamTest.py]: 2 m, 62.5 MN

#include "base/alloc.h"
#include "model/model.h"
#include "tenon/equilibrium.h"
#include "tenon/io.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Cantilevers lie along x, with the axes of the section along y (x of the section) and z.
typedef struct cantilever {
    const char *name;
    double length;
    tn_section_def section;
    tn_section_def end_section; // where its kind is not 0
    tn_vec3 force, torque;
    tn_vec3 tip;      // displacement of the tip [m], turn about y [rad] as y
    double published; // digits of it
    int steps;
} cantilever;

static tn_section_def stiff(double EA, double GA, double GJ, double EI)
{
    return (tn_section_def){.kind = TN_SECTION_STIFFNESS,
                            .stiffness = {GA, GA, EA},
                            .rotational_stiffness = {EI, EI, GJ},
                            .mass = 1.0,
                            .inertia_x = 0.1,
                            .inertia_y = 0.1};
}

static tn_model *build(const cantilever *c, int elements, bool products)
{
    tn_model *model = tn_model_create();
    const tn_vec3 points[2] = {{0, 0, 0}, {c->length, 0, 0}};
    tn_beam_def beam = tn_default_beam();
    beam.name = "rod";
    beam.npoint = 2;
    beam.points = points;
    beam.elements = elements;
    beam.x_axis = tn_v3(0, 1, 0);
    beam.section = c->section;
    beam.end_section = c->end_section;
    beam.tapers = c->end_section.kind != 0;
    const tn_beam rod = tn_model_add_beam(model, &beam);
    tn_joint_def clamp = tn_default_joint(TN_JOINT_FIXED);
    clamp.name = "clamp";
    clamp.body_a = TN_GROUND;
    clamp.body_b = tn_model_find_body(model, "rod.start");
    clamp.frame_b.R = tn_m3_transpose(model->bodies.at[clamp.body_b.index].def.frame.R);
    tn_model_add_joint(model, &clamp);
    tn_force_def load = tn_default_force(TN_FORCE_POINT);
    load.name = "load";
    load.body_b = tn_model_find_body(model, "rod.end");
    for (int i = 0; i < 3; i++) {
        load.point.force[i].constant = (&c->force.x)[i];
        load.point.torque[i].constant = (&c->torque.x)[i];
    }
    tn_model_add_force(model, &load);
    CHECK_OK(tn_model_status(model));
    for (int k = 0; k < elements; k++)
        model->forces.at[tn_model_beam_element(model, rod, k).index].by_products = products;
    return model;
}

// Displacement of the tip along x and z, and its turn about -y.
static tn_vec3 tip_of(const cantilever *c, int elements, bool products)
{
    tn_model *model = build(c, elements, products);
    tn_equilibrium_options options = tn_default_equilibrium();
    tn_equilibrium *rest = NULL;
    options.steps = c->steps;
    options.nearest = true;
    CHECK_OK(tn_equilibrium_create(model, &options, &rest));
    CHECK_OK(tn_equilibrium_find(rest));
    const tn_frame tip = tn_equilibrium_body_frame(rest, tn_model_find_body(model, "rod.end"));
    const tn_vec3 along = tn_m3_column(tip.R, 2);
    tn_equilibrium_destroy(rest);
    tn_model_destroy(model);
    return tn_v3(tip.p.x - c->length, tip.p.z, atan2(-along.z, along.x));
}

// Twice the length of elements has four times the error.
static void check_cantilever(const cantilever *c, bool products)
{
    enum { COARSE = 16 };
    const tn_vec3 one = tip_of(c, COARSE, products), two = tip_of(c, 2 * COARSE, products),
                  four = tip_of(c, 4 * COARSE, products);
    const tn_vec3 last = tn_v3_sub(four, two), first = tn_v3_sub(two, one);
    const tn_vec3 best = tn_v3_axpy(1.0 / 3.0, last, four);
    printf("%s, %s: %.9f %.9f %.9f, order %.2f %.2f %.2f\n", c->name,
           products ? "directors" : "helix", best.x, best.y, best.z, log2(first.x / last.x),
           log2(first.y / last.y), log2(first.z / last.z));
    for (int i = 0; i < 3; i++) {
        const double wanted = (&c->tip.x)[i];
        if (isfinite(wanted))
            CHECK_NEAR((&best.x)[i], wanted, c->published);
        CHECK_NEAR(log2((&first.x)[i] / (&last.x)[i]), 2.0, 0.1);
    }
}

static void cantilevers_bend_as_published(void)
{
    const double E = 2.07e11, nu = 0.3, w = 0.1, h = 0.5, A = w * h;
    const double ks = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu), G = 0.5 * E / (1.0 + nu);
    const cantilever geradin = {.name = "Geradin",
                                .length = 5.0,
                                .section = stiff(4.8e8, 3.231e8, 1e6, 9.346e6),
                                .force = {0, 0, -6e5},
                                .tip = {-0.596471, -2.159694, 0.672006},
                                .published = 2e-6, // six digits, and the rest of extrapolation
                                .steps = 4};
    const cantilever nachbagauer = {
        .name = "Nachbagauer",
        .length = 2.0,
        .section = stiff(E * A, ks * G * A, G * 1e-3, E * w * h * h * h / 12.0),
        .force = {0, 0, -6.25e7},
        .tip = {-0.15097114424, -0.71056859785, NAN},
        .published = 1e-7, // the rest of extrapolation, h^4
        .steps = 4};
    for (int products = 0; products < 2; products++) {
        check_cantilever(&geradin, products);
        check_cantilever(&nachbagauer, products);
    }
}

// A quarter of a circle, 1 m in radius, out of its plane and in it; an L of two beams on a fixed
// joint. Places of the loaded end.
static const char arc_text[] = "tenon: 1\n"
                               "bodies:\n"
                               "  rod:\n"
                               "    kind: beam\n"
                               "    line: arc\n"
                               "    points: [[0, 0, 0], [0.29289321881345254, "
                               "0.7071067811865476, 0], [1, 1, 0]]\n"
                               "    elements: %d\n"
                               "    x_axis: [0, 0, 1]\n"
                               "    section: {kind: stiffness, stiffness: [4e3, 5e3, 1e4], "
                               "rotational_stiffness: [8, 5, 6], mass: 1, inertia_x: 0.1, "
                               "inertia_y: 0.1}\n"
                               "joints:\n"
                               "  clamp: {kind: fixed, bodies: [ground, rod.start]}\n"
                               "forces:\n"
                               "  load: {kind: point-force, body: rod.end, force: [2, 1, 4]}\n";
static const char frame_text[] =
    "tenon: 1\n"
    "bodies:\n"
    "  post: {kind: beam, points: [[0, 0, 0], [0, 0, 1]], elements: %d, x_axis: [1, 0, 0],\n"
    "    section: {kind: stiffness, stiffness: [4e3, 5e3, 1e4], rotational_stiffness: [8, 5, 6],\n"
    "      mass: 1, inertia_x: 0.1, inertia_y: 0.1}}\n"
    "  rod: {kind: beam, points: [[0, 0, 1], [1, 0, 1]], elements: %d, x_axis: [0, 1, 0],\n"
    "    section: {kind: stiffness, stiffness: [4e3, 5e3, 1e4], rotational_stiffness: [8, 5, 6],\n"
    "      mass: 1, inertia_x: 0.1, inertia_y: 0.1}}\n"
    "joints:\n"
    "  clamp: {kind: fixed, bodies: [ground, post.start]}\n"
    "  corner: {kind: fixed, bodies: [post.end, rod.start]}\n"
    "forces:\n"
    "  load: {kind: point-force, body: rod.end, force: [1, 2, -3]}\n";

static tn_vec3 end_of(const char *text, int elements, bool products)
{
    char whole[2000];
    tn_model *model = NULL;
    tn_equilibrium_options options = tn_default_equilibrium();
    tn_equilibrium *rest = NULL;
    snprintf(whole, sizeof whole, text, elements, elements);
    CHECK_OK(tn_model_parse(whole, "text", &model, NULL));
    for (int k = 0; k < model->forces.count; k++)
        if (model->forces.at[k].def.kind == TN_FORCE_BEAM_ELEMENT)
            model->forces.at[k].by_products = products;
    options.steps = 4;
    options.nearest = true;
    CHECK_OK(tn_equilibrium_create(model, &options, &rest));
    CHECK_OK(tn_equilibrium_find(rest));
    const tn_vec3 p = tn_equilibrium_body_frame(rest, tn_model_find_body(model, "rod.end")).p;
    tn_equilibrium_destroy(rest);
    tn_model_destroy(model);
    return p;
}

static void check_shape(const char *name, const char *text)
{
    tn_vec3 best[2];
    for (int products = 0; products < 2; products++) {
        const tn_vec3 one = end_of(text, 8, products), two = end_of(text, 16, products),
                      four = end_of(text, 32, products);
        const double order =
            log2(tn_v3_norm(tn_v3_sub(two, one)) / tn_v3_norm(tn_v3_sub(four, two)));
        best[products] = tn_v3_axpy(1.0 / 3.0, tn_v3_sub(four, two), four);
        printf("%s, %s: %.7f %.7f %.7f, order %.2f\n", name, products ? "directors" : "helix",
               best[products].x, best[products].y, best[products].z, order);
        CHECK_NEAR(order, 2.0, 0.1);
    }
    CHECK_NEAR(tn_v3_norm(tn_v3_sub(best[0], best[1])), 0.0, 2e-5); // fourth order is left
}

static void curved_beams_and_frames_have_one_shape(void)
{
    check_shape("arc", arc_text);
    check_shape("frame", frame_text);
}

// A tapered beam of constant width whose height falls to a part a of itself, under a load at its
// tip: with A = b h u, I = b h^3 u^3 / 12, u from 1 to a, c = 1 - a, and the moment by the way to
// the tip,
//
//   pull   P L / (E b h c) ln(1/a)
//   push   12 P L^3 / (E b h^3 c^3) (ln(1/a) - 2 c + (1 - a^2)/2) + P L / (k G b h c) ln(1/a)
//
// Elongations of nodes are exact; deflections come to it with the square of the length of elements,
// and the load is so small that what is not linear is below 1e-8.
static void tapered_cantilevers_are_those_of_closed_forms(void)
{
    const double E = 2e11, nu = 0.3, G = 0.5 * E / (1.0 + nu), L = 2.0, b = 0.05, h = 0.2, a = 0.4;
    const double k = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu), c = 1.0 - a, P = 100.0;
    cantilever bar = {.name = "taper", .length = L, .force = {P, 0, 0}};
    // x of the section is along y
    bar.section = (tn_section_def){
        .kind = TN_SECTION_RECTANGLE, .width = b, .height = h, .E = E, .nu = nu, .rho = 7800.0};
    bar.end_section = bar.section;
    bar.end_section.height = a * h;
    const double pull = P * L / (E * b * h * c) * log(1.0 / a);
    CHECK_NEAR(tip_of(&bar, 3, false).x, pull, 1e-7 * pull); // Gauss's rule on thirds
    bar.force = tn_v3(0, 0, P);
    const double bend = 12.0 * P * pow(L / (h * c), 3) / (E * b);
    const double push = bend * (log(1.0 / a) - 2.0 * c + 0.5 * (1.0 - a * a)) +
                        P * L / (k * G * b * h * c) * log(1.0 / a);
    for (int products = 0; products < 2; products++) {
        const double one = tip_of(&bar, 8, products).y, two = tip_of(&bar, 16, products).y,
                     four = tip_of(&bar, 32, products).y;
        const double first = two + (two - one) / 3.0, second = four + (four - two) / 3.0;
        const double best = second + (second - first) / 15.0;
        printf("taper: %.3e %.3e %.3e of %.6e\n", four / push - 1.0, second / push - 1.0,
               best / push - 1.0, push);
        CHECK_NEAR(log2((one - push) / (two - push)), 2.0, 0.05);
        CHECK_NEAR(best, push, 1e-6 * push); // h^6
    }
}

static const tn_test tests[] = {
    {"tapered cantilevers are those of closed forms",
     tapered_cantilevers_are_those_of_closed_forms},
    {"cantilevers bend as published", cantilevers_bend_as_published},
    {"curved beams and frames have one shape", curved_beams_and_frames_have_one_shape},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
