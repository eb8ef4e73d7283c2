// SPDX-License-Identifier: MIT
//
// Sections of beams against handbooks, lines of beams, and what is refused.

#include "model/model.h"
#include "tenon/io.h"
#include "test.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static tn_section section_of(tn_section_def def)
{
    tn_section out;
    def.E = 2.0;
    def.nu = 0.25;
    def.rho = 3.0;
    CHECK_OK(tn_section_of(&def, "body 'rod'", &out));
    return out;
}

// Torsion constants of rectangles a b^3 beta: beta = 0.1406, 0.229, 0.291 for a/b = 1, 2, 5
// [Timoshenko and Goodier, Theory of Elasticity, art. 109].
static void rectangles_are_those_of_handbooks(void)
{
    static const double ratio[] = {1.0, 2.0, 5.0}, beta[] = {0.1406, 0.229, 0.291};
    const double G = 2.0 / 2.5;
    for (int k = 0; k < TN_COUNT(ratio); k++) {
        const tn_section s = section_of(
            (tn_section_def){.kind = TN_SECTION_RECTANGLE, .width = ratio[k], .height = 1.0});
        CHECK_NEAR(s.rotational_stiffness.z / G / ratio[k], beta[k], 5e-4); // three digits
        CHECK_NEAR(s.stiffness.z, 2.0 * ratio[k], 1e-14);
        CHECK_NEAR(s.rotational_stiffness.x, 2.0 * ratio[k] / 12.0, 1e-14);
        CHECK_NEAR(s.rotational_stiffness.y, 2.0 * pow(ratio[k], 3) / 12.0, 1e-13);
        CHECK_NEAR(s.stiffness.x, G * ratio[k] * 12.5 / 14.75, 1e-14);
        CHECK_NEAR(s.mass, 3.0 * ratio[k], 1e-14);
        CHECK_NEAR(s.inertia_x, 3.0 * ratio[k] / 12.0, 1e-14);
    }
}

// A tube whose wall reaches its centre is a circle; a thin one has A = 2 pi r t, I = pi r^3 t.
static void tubes_lie_between_circles_and_thin_ones(void)
{
    const tn_section circle =
        section_of((tn_section_def){.kind = TN_SECTION_CIRCLE, .radius = 0.5});
    const tn_section full =
        section_of((tn_section_def){.kind = TN_SECTION_TUBE, .radius = 0.5, .wall = 0.5});
    const tn_section thin =
        section_of((tn_section_def){.kind = TN_SECTION_TUBE, .radius = 0.5, .wall = 1e-5});
    CHECK_NEAR(circle.rotational_stiffness.x, 2.0 * 0.25 * PI * 0.0625, 1e-14);
    CHECK_NEAR(circle.rotational_stiffness.z, 0.8 * 0.5 * PI * 0.0625, 1e-14);
    CHECK_NEAR(circle.stiffness.x, full.stiffness.x, 1e-14);
    CHECK_NEAR(circle.rotational_stiffness.y, full.rotational_stiffness.y, 1e-14);
    CHECK_NEAR(thin.stiffness.z, 2.0 * 2.0 * PI * 0.5 * 1e-5, 1e-9);
    CHECK_NEAR(thin.rotational_stiffness.x, 2.0 * PI * 0.125 * 1e-5, 1e-9);
    CHECK_NEAR(thin.stiffness.x / thin.stiffness.z, 0.4 * 7.5 / 14.25,
               1e-4); // half its area, almost
}

// Without a gap between web and flanges an I is a rectangle.
static void an_i_has_the_moments_of_its_parts(void)
{
    const tn_section s = section_of((tn_section_def){
        .kind = TN_SECTION_I, .width = 0.2, .height = 0.3, .flange = 0.02, .web = 0.01});
    const double flange = 0.2 * 0.02, arm = 0.14, web = 0.26 * 0.01;
    CHECK_NEAR(s.stiffness.z, 2.0 * (2.0 * flange + web), 1e-15);
    CHECK_NEAR(
        s.rotational_stiffness.x,
        2.0 * (2.0 * (flange * arm * arm + 0.2 * pow(0.02, 3) / 12.0) + 0.01 * pow(0.26, 3) / 12.0),
        1e-15);
}

// Lines -------------------------------------------------------------------------------------------

static const char head[] = "tenon: 1\nbodies:\n  rod:\n    kind: beam\n";
static const char round_bar[] = "    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1000}\n";

static tn_status read(const char *lines, tn_model **model)
{
    char text[2000];
    snprintf(text, sizeof text, "%s%s", head, lines);
    return tn_model_parse(text, "rod.yaml", model, NULL);
}

static tn_model *parse(const char *line)
{
    char lines[1500];
    tn_model *model = NULL;
    snprintf(lines, sizeof lines, "%s%s", line, round_bar);
    CHECK_OK(read(lines, &model));
    return model;
}

static void check_circle(tn_model *model, double radius)
{
    const tn_beam rod = {0};
    const int n = tn_model_beam_node_count(model, rod);
    CHECK(n == 13);
    for (int k = 0; k < n; k++) {
        const tn_frame f = model->bodies.at[tn_model_beam_node(model, rod, k).index].def.frame;
        const double angle = PI * k / (n - 1);
        CHECK_NEAR(f.p.x, radius * cos(angle), 1e-12);
        CHECK_NEAR(f.p.y, radius * sin(angle), 1e-12);
        CHECK_NEAR(f.R.m[0][2], -sin(angle), 1e-12);
        CHECK_NEAR(f.R.m[1][2], cos(angle), 1e-12);
        CHECK_NEAR(f.R.m[2][0], 1.0, 1e-12); // x stays along the axis of the circle
        CHECK_NEAR(tn_model_beam_place(model, rod, k), radius * angle, 1e-12);
    }
    // Without strain at the start: turned by an angle each, along the arc.
    const tn_force_def *e = &model->forces.at[tn_model_beam_element(model, rod, 3).index].def;
    CHECK_NEAR(e->beam.turn.x, PI / (n - 1), 1e-12);
    CHECK_NEAR(e->beam.stretch.z, radius * PI / (n - 1), 1e-12);
    tn_model_destroy(model);
}

static void arcs_and_curves_are_circles(void)
{
    check_circle(parse("    points: [[2, 0, 0], [0, 2, 0], [-2, 0, 0]]\n    line: arc\n"
                       "    elements: 12\n    x_axis: [0, 0, 1]\n"),
                 2.0);
    check_circle(parse("    x: 2*cos(0.5*pi*(s+s^2))\n    y: 2*sin(0.5*pi*(s+s^2))\n    z: 0*s\n   "
                       " line: curve\n"
                       "    from: 0.0\n    to: 1\n    elements: 12\n    x_axis: [0, 0, 1]\n"),
                 2.0);
}

// Splines -----------------------------------------------------------------------------------------

enum { SPLINE_POINTS = 129, SPLINE_NODES = 240 };

// A helix of radius 1 and pitch 2 pi slope by its length, over one turn.
typedef struct helix {
    double slope;
    bool closed, directed;
} helix;

static tn_vec3 helix_at(const helix *x, double s, tn_vec3 *tangent)
{
    const double speed = hypot(1.0, x->slope), a = s / speed;
    *tangent = tn_v3_scale(1.0 / speed, tn_v3(-sin(a), cos(a), x->slope));
    return tn_v3(cos(a), sin(a), x->slope * a);
}

// Points of it at uneven distances, as a mesh that is squeezed smoothly.
static tn_model *spline_through(const helix *x, int n)
{
    tn_vec3 points[SPLINE_POINTS], unused;
    const double length = 2.0 * PI * hypot(1.0, x->slope);
    tn_model *model = tn_model_create();
    tn_beam_def beam = tn_default_beam();
    for (int k = 0; k < n; k++) {
        const double u = (double)k / (n - 1);
        points[k] = helix_at(x, length * (u + 0.05 * sin(2.0 * PI * u)), &unused);
    }
    if (x->closed)
        points[n - 1] = points[0];
    beam.name = "rod";
    beam.line = TN_LINE_SPLINE;
    beam.npoint = n;
    beam.points = points;
    beam.elements = SPLINE_NODES;
    beam.x_axis = tn_v3(1, 0, 0);
    beam.section =
        (tn_section_def){.kind = TN_SECTION_CIRCLE, .radius = 0.01, .E = 1e9, .rho = 1.0};
    if (x->directed) { // of any length
        helix_at(x, 0.0, &beam.start_direction);
        helix_at(x, length, &beam.end_direction);
        beam.end_direction = tn_v3_scale(7.0, beam.end_direction);
    }
    tn_model_add_beam(model, &beam);
    CHECK_OK(tn_model_status(model));
    return model;
}

// Largest distances of nodes from the helix, and of their z axes from its tangent: over all of it,
// and over its middle third.
typedef struct misfit {
    double place, axis, middle;
} misfit;

static misfit misfit_of(const helix *x, int n)
{
    misfit m = {0};
    tn_model *model = spline_through(x, n);
    for (int k = 0; k <= SPLINE_NODES; k++) {
        tn_vec3 tangent;
        const tn_vec3 p = helix_at(x, tn_model_beam_place(model, (tn_beam){0}, k), &tangent);
        const tn_frame f =
            model->bodies.at[tn_model_beam_node(model, (tn_beam){0}, k).index].def.frame;
        const double off = tn_v3_norm(tn_v3_cross(tn_v3_sub(f.p, p), tangent)); // across the helix
        m.place = fmax(m.place, off);
        m.axis = fmax(m.axis, tn_v3_norm(tn_v3_sub(tn_m3_column(f.R, 2), tangent)));
        if (3 * k > SPLINE_NODES && 3 * k < 2 * SPLINE_NODES)
            m.middle = fmax(m.middle, off);
    }
    CHECK_NEAR(tn_model_beam_place(model, (tn_beam){0}, SPLINE_NODES),
               2.0 * PI * hypot(1.0, x->slope), 1e-2);
    tn_model_destroy(model);
    return m;
}

// As a function of its length a spline of degree 5 has order 6, in its derivative 5. Its ends have
// order 3 where they are free, as their third derivative is zero, and 4 where they have the right
// direction; the error decays from there.
static void splines_come_to_the_curve_with_their_order(void)
{
    static const struct {
        const char *name;
        helix curve;
        double place, axis;
    } cases[] = {
        {"ring", {0.0, true, false}, 6.0, 5.0},
        {"helix, free", {0.3, false, false}, 3.0, 2.0},
        {"helix, directed", {0.3, false, true}, 4.0, 3.0},
    };
    for (int k = 0; k < TN_COUNT(cases); k++) {
        const misfit a = misfit_of(&cases[k].curve, 33), b = misfit_of(&cases[k].curve, 65);
        const double place = log2(a.place / b.place), axis = log2(a.axis / b.axis);
        const double middle = log2(a.middle / b.middle);
        printf("%s: %.2e %.2e, orders %.2f %.2f, middle %.2f\n", cases[k].name, b.place, b.middle,
               place, axis, middle);
        CHECK(place > cases[k].place - 0.3 && axis > cases[k].axis - 0.3); // not yet in the limit
        CHECK(middle > 5.5);
    }
}

// The x axis of a plane ring comes back to itself; what goes straight stays straight.
static void splines_carry_their_frames(void)
{
    const helix ring = {0.0, true, false};
    tn_model *model = spline_through(&ring, 33);
    const tn_frame first = model->bodies.at[tn_model_find_body(model, "rod.start").index].def.frame;
    const tn_frame last = model->bodies.at[tn_model_find_body(model, "rod.end").index].def.frame;
    CHECK_NEAR(tn_v3_norm(tn_v3_sub(first.p, last.p)), 0.0, 1e-12);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(first.R.m[i][j], last.R.m[i][j], 1e-12);
    tn_model_destroy(model);
    model = parse("    points: [[0, 0, 0], [0.5, 0, 0], [2, 0, 0], [3, 0, 0]]\n    line: spline\n"
                  "    elements: 6\n");
    for (int k = 0; k < 7; k++) {
        const tn_frame f =
            model->bodies.at[tn_model_beam_node(model, (tn_beam){0}, k).index].def.frame;
        CHECK_NEAR(f.p.x, 0.5 * k, 1e-14);
        CHECK_NEAR(hypot(f.p.y, f.p.z), 0.0, 1e-15);
    }
    tn_model_destroy(model);
}

// Tapers ------------------------------------------------------------------------------------------

// Mass, first and second moment of the nodes of a cone about its start, at z = 0.
static void moments_of_cone(int elements, double out[3])
{
    const tn_vec3 points[2] = {{0, 0, 0}, {0, 0, 2}};
    tn_model *model = tn_model_create();
    tn_beam_def beam = tn_default_beam();
    beam.name = "rod";
    beam.npoint = 2;
    beam.points = points;
    beam.elements = elements;
    beam.tapers = true;
    beam.section = (tn_section_def){.kind = TN_SECTION_CIRCLE, .radius = 0.3, .E = 1e9, .rho = 5.0};
    beam.end_section = beam.section;
    beam.end_section.radius = 0.1;
    tn_model_add_beam(model, &beam);
    CHECK_OK(tn_model_status(model));
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k <= elements; k++) {
        const tn_body_kept *node = &model->bodies.at[k + 1].def;
        const double z = node->frame.p.z;
        out[0] += node->mass;
        out[1] += node->mass * z;
        out[2] += node->mass * z * z + model->bodies.at[k + 1].inertia.m[0][0];
    }
    tn_model_destroy(model);
}

// A frustum, r = 0.3 - 0.1 z: integrals of 5 pi r^2 (1, z, z^2) and of 5 pi r^4 / 4 over 0 to 2 m.
// Its mass is that of the integral, its moments come to it with the square of the length of
// elements.
static void tapered_beams_have_the_inertia_of_their_shape(void)
{
    const double mass = 5.0 * PI * (0.09 + 0.03 + 0.01) / 3.0 * 2.0;
    const double first = 5.0 * PI * (0.09 * 2.0 - 0.06 * 8.0 / 3.0 + 0.01 * 4.0);
    const double second = 5.0 * PI * (0.09 * 8.0 / 3.0 - 0.06 * 4.0 + 0.01 * 32.0 / 5.0) +
                          5.0 * PI / 4.0 * (pow(0.3, 5) - pow(0.1, 5)) / 0.5;
    const double exact[3] = {mass, first, second};
    double coarse[3], fine[3];
    moments_of_cone(16, coarse);
    moments_of_cone(32, fine);
    CHECK_NEAR(coarse[0], mass, 1e-14 * mass);
    for (int i = 1; i < 3; i++) {
        CHECK_NEAR(log2((coarse[i] - exact[i]) / (fine[i] - exact[i])), 2.0, 1e-2);
        CHECK_NEAR(fine[i] + (fine[i] - coarse[i]) / 3.0, exact[i], 1e-6 * exact[i]); // h^4
    }
}

static void nodes_are_placed_where_they_are_asked_for(void)
{
    tn_model *model = NULL;
    const char *lines = "    points: [[0, 0, 0], [1, 0, 0]]\n    elements: 4\n"
                        "    nodes: [0.5, 0.3, 0.9999999, 0.7500002]\n    masses: [[0.9, 2]]\n"
                        "    places: {tip: 0.9}\n"
                        "    shapes: [{kind: sphere, at_s: 0.1, radius: 0.02}]\n"
                        "    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1000}\n"
                        "forces:\n  push: {kind: point-force, body: rod, at_s: 0.1, force: [1, 0, "
                        "0]}\n";
    static const double places[] = {0.0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0};
    CHECK_OK(read(lines, &model));
    CHECK(tn_model_beam_node_count(model, (tn_beam){0}) == TN_COUNT(places));
    for (int k = 0; k < TN_COUNT(places); k++)
        CHECK_NEAR(tn_model_beam_place(model, (tn_beam){0}, k), places[k], 1e-15);
    CHECK(tn_model_find_body(model, "rod.end").index ==
          tn_model_beam_node(model, (tn_beam){0}, 7).index);
    const double own = 1000.0 * PI * 1e-4;
    CHECK(tn_model_find_body(model, "rod.tip").index ==
          tn_model_beam_node(model, (tn_beam){0}, 6).index);
    const tn_shape_data *knob = &model->shapes.at[model->shapes.count - 1];
    CHECK(knob->def.body.index == tn_model_beam_node(model, (tn_beam){0}, 1).index);
    CHECK_NEAR(model->bodies.at[tn_model_find_body(model, "rod.6").index].def.mass,
               2.0 + 0.125 * own, 1e-12);
    CHECK(model->forces.at[tn_model_find_force(model, "push").index].def.body_b.index ==
          tn_model_find_body(model, "rod.1").index);
    tn_model_destroy(model);
}

static void what_is_no_beam_is_refused(void)
{
    static const char bar[] = "    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1000}\n";
    static const char ends[] = "    points: [[0, 0, 0], [1, 0, 0]]\n";
    const struct {
        const char *first, *second, *words;
    } cases[] = {
        {"", bar, "missing key 'points'"},
        {ends, "", "missing key 'section'"},
        {"    points: [[1, 2, 3], [1, 2, 3]]\n", bar, "points 1 and 2 of 'points' coincide"},
        {"    points: [[0, 0, 0], [1, 0, 0], [2, 0, 0]]\n    line: arc\n", bar, "on one line"},
        {"    points: [[0, 0, 0], [1, 0, 0], [2, 1, 0]]\n", bar,
         "rod.yaml:5:13: body 'rod': points: there are 3; a straight line needs 2; take 'line: "
         "spline'"},
        {"    points: [[0, 0, 0], [1, 0, 0], [0, 0, 0]]\n    line: arc\n", bar,
         "points 1 and 3 of 'points' coincide at (0, 0, 0), and no single circle"},
        {"    points: [[0, 0, 0], [1, 0, 0]]\n    line: spline\n", bar,
         "points: there are 2; a spline needs 3 at least"},
        {"    points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]]\n    line: spline\n", bar,
         "closed spline needs 5 at least"},
        {"    points: [[0, 0, 0], [1, 0, 0], [1, 0, 1e-12], [0, 1, 0]]\n    line: spline\n", bar,
         "points 2 and 3 of 'points' coincide at (1, 0, 1e-12)"},
        {ends,
         "    end_direction: [1, 0, 0]\n    section: {kind: circle, radius: 0.01, E: 1e9, rho: "
         "1}\n",
         "'end_direction' is stated, but its line is no spline"},
        {"    line: curve\n    x: 1\n    y: 2\n    z: 0\n", bar,
         "the curve is not smooth at s = 0: x, y and z do not change with s there"},
        {ends, "    x_axis: [1, 0, 0]\n    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\n",
         "is along the beam"},
        {ends,
         "    places: {tip: 1.5}\n    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\n",
         "places: s = 1.5 m is not on the beam, which is 1 m long"},
        {ends, "    places: {e1: 0.5}\n    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\n",
         "places: 'e1' has a dot, or is that of an element"},
        {ends, "    section: {radius: 0.01, E: 1e9}\n", "missing key 'kind'"},
        {ends, "    section: {kind: circle, radius: 0.01, E: 1e9}\n", "missing key 'rho'"},
        {ends,
         "    places: {start: 0.5}\n    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\n",
         "'start' is no name for a place, or one that it has already"},
        {ends,
         "    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\n    shapes: [{kind: sphere, "
         "radius: 0.1}]\n",
         "shape 1: missing key 'at_s'"},
        {ends, "    nodes: [1.5]\n    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\n",
         "nodes: s = 1.5 m is not on the beam, which is 1 m long"},
        {ends, "    section: {kind: circle, width: 0.01, E: 1e9, rho: 1}\n",
         "'width' is stated, but a section of kind circle does not read it"},
        {ends, "    section: {kind: tube, radius: 0.01, wall: 0.02, E: 1e9, rho: 1}\n",
         "thicker than the 'radius'"},
        {ends, "    section: {kind: rectangle, width: 0.01, E: 1e9, rho: 1}\n", "'height' is 0"},
        {ends, "    section: {kind: circle, radius: 0.01, E: 1e9, nu: 0.25, G: 5e8}\n",
         "'nu' and 'G' contradict each other: 'G' is 5e+08 Pa, but E / (2 (1 + nu)) is 4e+08 Pa"},
        {ends,
         "    section: {kind: stiffness, stiffness: [1, 1, 1], rotational_stiffness: [1, 0, "
         "1], mass: 1}\n",
         "bending about y (EI2) has neither stiffness nor inertia"},
        {ends, "    section: {kind: circle, radius: 0.01, E: 1e9, nu: 0.7, rho: 1}\n",
         "Poisson's ratio"},
        {ends, "    elements: 0\n    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\n",
         "elements"},
        {ends,
         "    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\njoints:\n  pin: {kind: "
         "revolute, bodies: [ground, rod]}\n",
         "'rod' is a beam; name 'rod.start'"},
        {ends,
         "    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\njoints:\n  pin: {kind: "
         "revolute, bodies: [ground, rod], at_s: 3}\n",
         "rod.yaml:8:54: joint 'pin': at_s: s = 3 m is not on the beam 'rod', which is 1 m long; "
         "take 0 to 1"},
        {ends,
         "    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\njoints:\n  pin: {kind: "
         "revolute, bodies: [ground, rod], at_s: [0.7]}\n",
         "rod.yaml:8:54: joint 'pin': at_s: a list of 1 number; one body is a beam, so state its "
         "distance alone, 'at_s: 0.7'"},
        {ends,
         "    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\njoints:\n  pin: {kind: "
         "revolute, bodies: [ground, rod.3], at_s: 0.7}\n",
         "no body is a beam; name the beam itself"},
        {ends,
         "    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\njoints:\n  pin: {kind: "
         "revolute, bodies: [ground, rod], at_s: [0.7, 0.3]}\n",
         "joint 'pin': at_s: a list of 2 numbers; one body is a beam, so state its distance alone, "
         "'at_s: 0.7'"},
        {ends,
         "    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\n    end_section: {kind: tube, "
         "radius: "
         "0.01, wall: 0.001}\n",
         "rod.yaml:7:18: body 'rod': end_section: it is of another kind than the section of its "
         "start"},
        {ends,
         "    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\n    end_section: {radius: "
         "0}\n",
         "rod.yaml:7:18: body 'rod': end_section: 'radius' is 0; state a positive "
         "number"},
        {ends,
         "    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\n    end_section: {width: 1}\n",
         "'width' is stated, but a section of kind circle does not read it"},
        {ends,
         "    tension: 5\n    section: {kind: stiffness, stiffness: [1, 1, 0], "
         "rotational_stiffness: [1, 1, 1], mass: 1}\n",
         "rod.yaml:6:14: body 'rod': tension: it is 5 N, but the section has no stiffness against "
         "stretch"},
        {ends, "    elements: 1000000\n    section: {kind: circle, radius: 0.01, E: 1e9, rho: 1}\n",
         "take at most 100000"},
    };
    for (int k = 0; k < TN_COUNT(cases); k++) {
        char lines[1500];
        tn_model *model = NULL;
        snprintf(lines, sizeof lines, "%s%s", cases[k].first, cases[k].second);
        CHECK(read(lines, &model) != TN_OK);
        if (!strstr(tn_last_error(), cases[k].words) || !strstr(tn_last_error(), "rod.yaml:"))
            printf("case %d: %s\n", k, tn_last_error());
        CHECK(strstr(tn_last_error(), cases[k].words) && strstr(tn_last_error(), "rod.yaml:"));
        tn_model_destroy(model);
    }
}

// One mistake is told once: what attaches to a beam that could not be read is not to blame.
static void a_mistake_in_a_beam_is_told_once(void)
{
    tn_model *model = NULL;
    CHECK(tn_model_parse("tenon: 1\nbodies:\n  rod: {kind: beem, elements: 2}\n"
                         "joints:\n  pin: {kind: revolute, bodies: [ground, rod.end]}\n",
                         "rod.yaml", &model, NULL) != TN_OK);
    CHECK(strstr(tn_last_error(), "rod.yaml:3:15: body 'rod': 'beem' is not a kind of body; did "
                                  "you mean 'beam'?"));
    CHECK(!strstr(tn_last_error(), "rod.end"));
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"rectangles are those of handbooks", rectangles_are_those_of_handbooks},
    {"tubes lie between circles and thin ones", tubes_lie_between_circles_and_thin_ones},
    {"an I has the moments of its parts", an_i_has_the_moments_of_its_parts},
    {"arcs and curves are circles", arcs_and_curves_are_circles},
    {"splines come to the curve with their order", splines_come_to_the_curve_with_their_order},
    {"splines carry their frames", splines_carry_their_frames},
    {"tapered beams have the inertia of their shape",
     tapered_beams_have_the_inertia_of_their_shape},
    {"nodes are placed where they are asked for", nodes_are_placed_where_they_are_asked_for},
    {"what is no beam is refused", what_is_no_beam_is_refused},
    {"a mistake in a beam is told once", a_mistake_in_a_beam_is_told_once},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
