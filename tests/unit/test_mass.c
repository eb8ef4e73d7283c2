// SPDX-License-Identifier: MIT
//
// Mass, centre and inertia of solids: shapes against integrals over their sections, polyhedra as
// meshes against closed forms, near the origin and far from it, what is refused, and what model
// files say.

#include "kinds/mass.h"
#include "read/mesh_solid.h"
#include "read/model_yaml.h"
#include "test.h"

#include "lie/so3.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// Corners at 1e3 m are doubles with steps of 1.1e-13 m: an inertia of a solid of size one, which
// goes with the fifth power of sizes, is known to some 3e-13 there. Near the origin round-off of
// some hundred operations is left.
static const double FAR_TOL = 1e-12, NEAR_TOL = 1e-14;

static void check_mass(tn_mass a, tn_mass b, double tol, double com_tol)
{
    const double size = fmax(b.inertia.m[0][0], fmax(b.inertia.m[1][1], b.inertia.m[2][2]));
    CHECK_NEAR(a.mass, b.mass, tol * b.mass);
    CHECK_NEAR(a.com.x, b.com.x, com_tol);
    CHECK_NEAR(a.com.y, b.com.y, com_tol);
    CHECK_NEAR(a.com.z, b.com.z, com_tol);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(a.inertia.m[i][k], b.inertia.m[i][k], tol * size);
}

// Solids of revolution ----------------------------------------------------------------------------

// Discs of squared radius f(z) between two heights; Gauss's rule of three points is exact for their
// masses and moments, polynomials of degree up to five.
typedef double (*profile)(double z, double r, double length);

static void add_discs(profile f, double r, double length, double from, double to, double sum[4])
{
    static const double x[] = {-0.77459666924148338, 0.0, 0.77459666924148338};
    static const double w[] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};
    for (int i = 0; i < 3; i++) {
        const double z = 0.5 * (from + to) + 0.5 * (to - from) * x[i], q = f(z, r, length);
        const double disc = 0.5 * (to - from) * w[i] * PI * q;
        sum[0] += disc;
        sum[1] += disc * z;
        sum[2] += disc * (0.25 * q + z * z); // across, about the origin
        sum[3] += disc * 0.5 * q;            // along
    }
}

static double bar(double z, double r, double length)
{
    (void)z, (void)length;
    return r * r;
}

static double ball(double z, double r, double length)
{
    (void)length;
    return r * r - z * z;
}

static double cap(double z, double r, double length)
{
    const double over = fabs(z) - 0.5 * length;
    return r * r - over * over;
}

static double tip(double z, double r, double length)
{
    const double radius = r * (0.5 - z / length);
    return radius * radius;
}

static void check_round(tn_shape_kind kind, double r, double length, const double sum[4])
{
    tn_shape_def def = tn_default_shape(kind);
    tn_mass mass;
    def.radius = r;
    def.length = length;
    CHECK(tn_shape_solid(&def, &mass));
    const double z = sum[1] / sum[0], across = sum[2] - sum[0] * z * z;
    const tn_mass expected = {sum[0], {0, 0, z}, tn_m3_diag(across, across, sum[3])};
    check_mass(mass, expected, NEAR_TOL, NEAR_TOL);
}

static void round_shapes(void)
{
    const double r = 0.3, length = 1.7, half = 0.5 * length;
    double cylinder[4] = {0}, sphere[4] = {0}, capsule[4] = {0}, cone[4] = {0};
    add_discs(bar, r, length, -half, half, cylinder);
    add_discs(ball, r, length, -r, r, sphere);
    add_discs(cap, r, length, -half - r, -half, capsule);
    add_discs(bar, r, length, -half, half, capsule);
    add_discs(cap, r, length, half, half + r, capsule);
    add_discs(tip, r, length, -half, half, cone);
    check_round(TN_SHAPE_CYLINDER, r, length, cylinder);
    check_round(TN_SHAPE_SPHERE, r, length, sphere);
    check_round(TN_SHAPE_CAPSULE, r, length, capsule);
    check_round(TN_SHAPE_CONE, r, length, cone);
}

// Meshes ------------------------------------------------------------------------------------------

typedef struct polyhedron {
    int nvertex, nface;
    double vertex[12][3];
    int face[20][4]; // the fourth is -1 of triangles
    double edge;
} polyhedron;

#define GOLDEN 1.6180339887498949

static const polyhedron cube = {
    8,
    6,
    {{-.5, -.5, -.5},
     {.5, -.5, -.5},
     {.5, .5, -.5},
     {-.5, .5, -.5},
     {-.5, -.5, .5},
     {.5, -.5, .5},
     {.5, .5, .5},
     {-.5, .5, .5}},
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
    1.0};
static const polyhedron tetrahedron = {4,
                                       4,
                                       {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}},
                                       {{0, 1, 2, -1}, {0, 3, 1, -1}, {0, 2, 3, -1}, {1, 3, 2, -1}},
                                       2.8284271247461903};
static const polyhedron octahedron = {
    6,
    8,
    {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
    {{0, 2, 4, -1},
     {2, 1, 4, -1},
     {1, 3, 4, -1},
     {3, 0, 4, -1},
     {2, 0, 5, -1},
     {1, 2, 5, -1},
     {3, 1, 5, -1},
     {0, 3, 5, -1}},
    1.4142135623730951};
static const polyhedron icosahedron = {
    12,
    20,
    {{-1, GOLDEN, 0},
     {1, GOLDEN, 0},
     {-1, -GOLDEN, 0},
     {1, -GOLDEN, 0},
     {0, -1, GOLDEN},
     {0, 1, GOLDEN},
     {0, -1, -GOLDEN},
     {0, 1, -GOLDEN},
     {GOLDEN, 0, -1},
     {GOLDEN, 0, 1},
     {-GOLDEN, 0, -1},
     {-GOLDEN, 0, 1}},
    {{0, 11, 5, -1}, {0, 5, 1, -1},  {0, 1, 7, -1},   {0, 7, 10, -1}, {0, 10, 11, -1},
     {1, 5, 9, -1},  {5, 11, 4, -1}, {11, 10, 2, -1}, {10, 7, 6, -1}, {7, 1, 8, -1},
     {3, 9, 4, -1},  {3, 4, 2, -1},  {3, 2, 6, -1},   {3, 6, 8, -1},  {3, 8, 9, -1},
     {4, 9, 5, -1},  {2, 4, 11, -1}, {6, 2, 10, -1},  {8, 6, 7, -1},  {9, 8, 1, -1}},
    2.0};

static char text[1 << 16];

// Vertices A x + p, all faces but those from `nface` on, the first `turned` of them turned; behind
// what the text holds already, with `before` vertices.
static int write_obj(const polyhedron *of, tn_mat3 A, tn_vec3 p, int nface, int turned, int before)
{
    char *at = text + (before ? strlen(text) : 0);
    for (int i = 0; i < of->nvertex; i++) {
        const tn_vec3 x = tn_v3_add(p, tn_m3_apply(A, tn_v3_from(of->vertex[i])));
        at += sprintf(at, "v %.17g %.17g %.17g\n", x.x, x.y, x.z);
    }
    for (int i = 0; i < nface; i++) {
        const int *f = of->face[i], n = f[3] < 0 ? 3 : 4;
        at += sprintf(at, "f");
        for (int k = 0; k < n; k++)
            at += sprintf(at, " %d", before + 1 + f[i < turned ? n - 1 - k : k]);
        at += sprintf(at, "\n");
    }
    return before + of->nvertex;
}

static tn_status solid_of_text(tn_mass *out, bool *inside_out)
{
    tn_mesh mesh;
    CHECK_OK(tn_mesh_parse(text, strlen(text), "a.obj", 1000, &mesh));
    const tn_status s = tn_mesh_solid(&mesh, "a.obj", out, inside_out);
    tn_mesh_clear(&mesh);
    return s;
}

static void check_solid(tn_mass expected, double tol, double com_tol)
{
    tn_mass mass;
    bool inside_out = true;
    CHECK_OK(solid_of_text(&mass, &inside_out));
    CHECK(!inside_out);
    check_mass(mass, expected, tol, com_tol);
}

// Regular polyhedra have one moment about all axes: volume and moment by the edge.
static void regular_polyhedra(void)
{
    const struct {
        const polyhedron *of;
        double volume, moment;
    } all[] = {
        {&cube, 1.0, 1.0 / 6.0},
        {&tetrahedron, 1.0 / (6.0 * sqrt(2.0)), 1.0 / 20.0},
        {&octahedron, sqrt(2.0) / 3.0, 1.0 / 10.0},
        {&icosahedron, 5.0 / 12.0 * (3.0 + sqrt(5.0)), GOLDEN * GOLDEN / 10.0},
    };
    const tn_mat3 R = tn_so3_exp((tn_vec3){0.3, -1.1, 0.7});
    for (int i = 0; i < TN_COUNT(all); i++) {
        const double a = all[i].of->edge, V = all[i].volume * a * a * a,
                     I = V * all[i].moment * a * a;
        const tn_vec3 far = {1000.0, -700.0, 300.0};
        write_obj(all[i].of, tn_m3_identity, (tn_vec3){0}, all[i].of->nface, 0, 0);
        check_solid((tn_mass){V, {0, 0, 0}, tn_m3_diag(I, I, I)}, NEAR_TOL, NEAR_TOL);
        write_obj(all[i].of, R, far, all[i].of->nface, 0, 0);
        check_solid((tn_mass){V, far, tn_m3_diag(I, I, I)}, FAR_TOL, 1.2e-13);
    }
}

// The cube under an affine map A: second moments V A A^T/12, three moments and all products.
static void sheared_box(void)
{
    const tn_mat3 A = {{{1.0, 0.4, -0.2}, {0.1, 2.0, 0.3}, {-0.5, 0.2, 3.0}}};
    const double V = tn_m3_det(A);
    const tn_mat3 I = tn_inertia_of_moments(tn_m3_scale(V / 12.0, tn_m3_mul_t(A, A)));
    const tn_vec3 far = {-1000.0, 1000.0, 1000.0};
    write_obj(&cube, A, (tn_vec3){0}, 6, 0, 0);
    check_solid((tn_mass){V, {0, 0, 0}, I}, NEAR_TOL, NEAR_TOL);
    write_obj(&cube, A, far, 6, 0, 0);
    check_solid((tn_mass){V, far, I}, FAR_TOL, 1.2e-13);
}

static void binary_stl(void)
{
    static char bytes[84 + 50 * 12];
    const int corner[6][2][3] = {{{0, 1, 2}, {0, 2, 3}}};
    uint32_t count = 0;
    for (int i = 0; i < 6; i++)
        for (int h = 0; h < 2; h++, count++)
            for (int k = 0; k < 3; k++)
                for (int x = 0; x < 3; x++) {
                    const float value = (float)cube.vertex[cube.face[i][corner[0][h][k]]][x];
                    memcpy(bytes + 84 + 50 * count + 12 + 12 * k + 4 * x, &value, 4);
                }
    memcpy(bytes + 80, &count, 4);
    tn_mesh mesh;
    tn_mass mass;
    bool inside_out = true;
    CHECK_OK(tn_mesh_parse(bytes, sizeof bytes, "a.stl", 1000, &mesh));
    CHECK_OK(tn_mesh_solid(&mesh, "a.stl", &mass, &inside_out));
    tn_mesh_clear(&mesh);
    check_mass(mass, (tn_mass){1.0, {0, 0, 0}, tn_m3_diag(1 / 6., 1 / 6., 1 / 6.)}, NEAR_TOL,
               NEAR_TOL);
}

static void hollow_and_inside_out(void)
{
    tn_mass mass;
    bool inside_out = false;
    write_obj(&cube, tn_m3_identity, (tn_vec3){0}, 6, 6, 0);
    CHECK_OK(solid_of_text(&mass, &inside_out));
    CHECK(inside_out);
    check_mass(mass, (tn_mass){1.0, {0, 0, 0}, tn_m3_diag(1 / 6., 1 / 6., 1 / 6.)}, NEAR_TOL,
               NEAR_TOL);
    // A box with a cubic hollow of half its edge.
    const int before = write_obj(&cube, tn_m3_identity, (tn_vec3){0}, 6, 0, 0);
    write_obj(&cube, tn_m3_diag(0.5, 0.5, 0.5), (tn_vec3){0}, 6, 6, before);
    const double I = (1.0 - pow(0.5, 5)) / 6.0;
    check_solid((tn_mass){1.0 - 0.125, {0, 0, 0}, tn_m3_diag(I, I, I)}, NEAR_TOL, NEAR_TOL);
    // Two pieces: as two masses.
    write_obj(&cube, tn_m3_identity, (tn_vec3){0}, 6, 0, 0);
    write_obj(&cube, tn_m3_identity, (tn_vec3){4, 0, 0}, 6, 0, 8);
    check_solid((tn_mass){2.0, {2, 0, 0}, tn_m3_diag(1 / 3., 8 + 1 / 3., 8 + 1 / 3.)}, NEAR_TOL,
                NEAR_TOL);
}

static void refused(const char *sentence)
{
    tn_mass mass;
    bool inside_out;
    CHECK(solid_of_text(&mass, &inside_out) == TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), sentence);
}

static void meshes_that_are_refused(void)
{
    write_obj(&tetrahedron, tn_m3_identity, (tn_vec3){0}, 3, 0, 0);
    refused("a.obj is not closed: the edge from (-1, -1, 1) to (-1, 1, -1) belongs to 1 face (and "
            "2 more edges); each edge of a solid belongs to two. Close the mesh, or state mass and "
            "inertia");
    write_obj(&tetrahedron, tn_m3_identity, (tn_vec3){0}, 4, 1, 0);
    refused(
        "a.obj: faces that meet in the edge from (-1, 1, -1) to (1, -1, -1) disagree about what "
        "is outside (and 2 more edges): their corners go the same way along it. Orient the "
        "faces of the mesh alike, or state mass and inertia");
    write_obj(&cube, tn_m3_diag(1, 1, 0), (tn_vec3){3, 2, 1}, 6, 0, 0);
    refused("a.obj has no volume (0); state mass and inertia");
    write_obj(&cube, tn_m3_identity, (tn_vec3){0}, 6, 0, 0);
    write_obj(&cube, tn_m3_diag(0.5, 0.5, 0.5), (tn_vec3){4, 0, 0}, 6, 6, 8);
    refused("a.obj: the piece from (3.75, -0.25, -0.25) to (4.25, 0.25, 0.25) is turned inside out "
            "and is no hollow in another one; turn its faces");
}

// Model files -------------------------------------------------------------------------------------

static tn_mass body_of(const char *body)
{
    char file[2000];
    tn_model *model = NULL;
    snprintf(file, sizeof file, "tenon: 1\nbodies:\n  b: {%s}\n", body);
    CHECK_OK(tn_model_parse(file, "m.yaml", &model, NULL));
    const tn_body b = tn_model_find_body(model, "b");
    CHECK(tn_model_body_mass_is_of_shapes(model, b));
    const tn_mass mass = tn_model_body_mass(model, b);
    tn_model_destroy(model);
    return mass;
}

// A bar with a ball at each end: Steiner's terms by hand.
static void shapes_add_up(void)
{
    const tn_mass mass = body_of("density: 7.85 g/cm^3, shapes: [\n"
                                 "  {kind: box, size: [10 cm, 20 cm, 1]},\n"
                                 "  {kind: sphere, radius: 0.1, at: [0, 0, 0.6], density: 1000},\n"
                                 "  {kind: sphere, radius: 0.1, at: [0, 0, -0.6], density: 1000},\n"
                                 "  {kind: sphere, radius: 5, density: 0}]");
    const double box = 157.0, one = 4.0 / 3.0 * PI, I = 0.4 * one * 0.01;
    const double across = 2.0 * (I + one * 0.36);
    check_mass(mass,
               (tn_mass){box + 2.0 * one,
                         {0, 0, 0},
                         tn_m3_diag(box * 1.04 / 12.0 + across, box * 1.01 / 12.0 + across,
                                    box * 0.05 / 12.0 + 2.0 * I)},
               NEAR_TOL, NEAR_TOL);
}

static void placed_and_turned(void)
{
    const tn_mass mass = body_of("density: 3, shapes: [{kind: cone, radius: 1, length: 4, at: [1, "
                                 "2, 3], axis: [1, 0, 0]}]");
    const double m = 4.0 * PI, across = m * (0.15 + 0.6);
    check_mass(mass, (tn_mass){m, {0, 2, 3}, tn_m3_diag(0.3 * m, across, across)}, NEAR_TOL,
               NEAR_TOL);
}

static void stated_mass_is_spread(void)
{
    const tn_mass mass = body_of("mass: 6 kg, inertia_from_shapes: true, shapes: [{kind: box, "
                                 "size: [1, 2, 3], at: [1, 0, 0]}]");
    check_mass(mass, (tn_mass){6.0, {1, 0, 0}, tn_m3_diag(6.5, 5.0, 2.5)}, NEAR_TOL, NEAR_TOL);
    const tn_mass flat = body_of("kind: planar, density: 2, shapes: [{kind: box, size: [1, 2, 3], "
                                 "at: [1, 0]}]");
    check_mass(flat, (tn_mass){12.0, {1, 0, 0}, tn_m3_diag(0, 0, 5.0)}, NEAR_TOL, NEAR_TOL);
}

static void mesh_of_a_file(void)
{
    write_obj(&cube, tn_m3_identity, (tn_vec3){100, 0, 0}, 6, 0, 0);
    FILE *file = fopen("cube.obj", "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    const tn_mass mass = body_of("density: 1000, shapes: [{kind: mesh, file: cube.obj, scale: 10 "
                                 "mm}]");
    check_mass(mass, (tn_mass){0.001, {1, 0, 0}, tn_m3_diag(1e-7 / 6., 1e-7 / 6., 1e-7 / 6.)},
               FAR_TOL, 1e-15);
    remove("cube.obj");
}

static void file_refuses(const char *body, const char *sentence)
{
    char file[2000];
    tn_model *model = NULL;
    snprintf(file, sizeof file, "tenon: 1\nbodies:\n  b: {%s}\n", body);
    CHECK(tn_model_parse(file, "m.yaml", &model, NULL) == TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), sentence);
}

#define BOX "shapes: [{kind: box, size: [1, 1, 1]}]"

static void files_that_are_refused(void)
{
    file_refuses("density: 5, mass: 3, " BOX,
                 "m.yaml:3:25: body 'b': 'mass' is stated, but 'density' takes it from the shapes; "
                 "leave out one, or state 'inertia_from_shapes: true' instead of 'density' to "
                 "spread the mass over them");
    file_refuses("density: 5, inertia: [1, 1, 1], " BOX,
                 "m.yaml:3:28: body 'b': 'inertia' is stated, but 'density' takes it from the "
                 "shapes; leave out one");
    file_refuses("density: 5", "m.yaml:3:3: body 'b': its mass is to come from its shapes, but it "
                               "has none; list 'shapes', or state mass and inertia");
    file_refuses("density: -5, " BOX, "m.yaml:3:16: body 'b': density is -5 kg/m^3; it must not be "
                                      "negative");
    file_refuses("density: 0, " BOX,
                 "m.yaml:3:3: body 'b': the mass of its shapes is 0 kg; it must "
                 "be above zero and finite");
    file_refuses("density: 5 kg, " BOX,
                 "m.yaml:3:16: body 'b': density: '5 kg' is in kg, which is no multiple of kg/m^3; "
                 "write it in kg/m^3 or g/cm^3, or '5' alone for kg/m^3");
    file_refuses("kind: point, density: 5, " BOX,
                 "m.yaml:3:3: body 'b': a body of kind point takes no mass from its shapes; state "
                 "'mass'");
    file_refuses(
        "inertia_from_shapes: true, " BOX,
        "m.yaml:3:3: body 'b': 'inertia_from_shapes' spreads the mass over the shapes, but "
        "'mass' is missing; state it, or 'density' instead");
    file_refuses("shapes: [{kind: sphere, radius: 1, density: 1}, {kind: sphere, radius: 1}]",
                 "m.yaml:3:55: body 'b': shape 2: missing key 'density' [kg/m^3]; state it, 0 if "
                 "the shape is only drawn, or 'density' of the body");
    file_refuses("density: 1, shapes: [{kind: sphere, radius: -1}]",
                 "m.yaml:3:51: body 'b': shape 1: radius is -1 m; it must be positive");
    file_refuses("density: 1, shapes: [{kind: mesh, file: none.stl}]",
                 "m.yaml:3:47: body 'b': shape 1: none.stl: cannot read the file: No such file or "
                 "directory");
}

static const tn_test tests[] = {
    {"round shapes", round_shapes},
    {"regular polyhedra", regular_polyhedra},
    {"a sheared box", sheared_box},
    {"binary STL", binary_stl},
    {"hollows, pieces and meshes inside out", hollow_and_inside_out},
    {"meshes that are refused", meshes_that_are_refused},
    {"shapes add up", shapes_add_up},
    {"placed and turned", placed_and_turned},
    {"a stated mass is spread", stated_mass_is_spread},
    {"the mesh of a file", mesh_of_a_file},
    {"files that are refused", files_that_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
