// SPDX-License-Identifier: MIT
//
// Shapes in the model, and the scene of a model as JSON, which is read back as a document here.

#include "page_data.h"
#include "result/scene.h"
#include "test.h"

#include "base/alloc.h"
#include "file/document.h"
#include "model/model.h"
#include "tenon/io.h"

static const double ROUNDOFF = 1e-14; // a few dozen operations on numbers of size one
static const double HALF = 0.70710678118654752;

typedef struct {
    tn_model *model;
    tn_document *doc;
    const tn_node *root;
} view;

static view look(const char *yaml, const char *path)
{
    view v = {0};
    char *text = NULL;

    CHECK_OK(tn_model_parse(yaml, "m.yaml", &v.model, NULL));
    CHECK_OK(tn_scene_json(v.model, path, &text));
    CHECK_OK(tn_document_parse(text, strlen(text), "scene", &v.doc));
    v.root = v.doc->root;
    tn_free(text);
    return v;
}

static void leave(view *v)
{
    tn_document_destroy(v->doc);
    tn_model_destroy(v->model);
}

static const tn_node *item(const tn_node *map, const char *list, int i)
{
    const tn_node *node = tn_node_get(map, list);
    CHECK(node && node->kind == TN_NODE_SEQUENCE && i < node->count);
    return node->children[i];
}

static void check_text(const tn_node *map, const char *key, const char *expected)
{
    const tn_node *node = tn_node_get(map, key);
    CHECK(node && node->text);
    CHECK_TEXT(node->text, expected);
}

static double number(const view *v, const tn_node *map, const char *key)
{
    double value = NAN;
    const tn_node *node = tn_node_get(map, key);
    CHECK(node != NULL);
    CHECK_OK(tn_node_number(v->doc, node, key, &value));
    return value;
}

static void check_numbers(const view *v, const tn_node *map, const char *key, int n,
                          const double *expected)
{
    double values[4];
    const tn_node *node = tn_node_get(map, key);
    CHECK(node != NULL);
    CHECK_OK(tn_node_numbers(v->doc, node, key, n, values));
    for (int i = 0; i < n; i++)
        CHECK_NEAR(values[i], expected[i], ROUNDOFF);
}

#define CHECK_VECTOR(v, map, key, ...) \
    check_numbers((v), (map), (key), 3, (const double[]){__VA_ARGS__})
#define CHECK_QUATERNION(v, map, key, ...) \
    check_numbers((v), (map), (key), 4, (const double[]){__VA_ARGS__})

static int count(const tn_node *map, const char *list)
{
    const tn_node *node = tn_node_get(map, list);
    CHECK(node && node->kind == TN_NODE_SEQUENCE);
    return node->count;
}

// Two links in the plane, with every kind of shape, a coupling and forces of every place.
static const char links[] =
    "tenon: 1\n"
    "gravity: [0, -10, 0]\n"
    "ground: {shapes: [{kind: box, size: [3, 2, 1], at: [0, -1, 0], color: grey}]}\n"
    "bodies:\n"
    "  <b>crank</b>:\n"
    "    kind: planar\n"
    "    mass: 2\n"
    "    inertia: 0.5\n"
    "    com: [0.1, 0]\n"
    "    initial: {position: [1, 0], angle: pi/2}\n"
    "    shapes:\n"
    "      - {kind: capsule, radius: 0.1, length: 2, axis: [1, 0]}\n"
    "      - {kind: mesh, file: parts/wheel.STL, scale: 0.001, color: \"#01aBff\"}\n"
    "      - {kind: cylinder, radius: 0.2, length: 0.3, at: [0.5, 0.25]}\n"
    "  rod:\n"
    "    kind: planar\n"
    "    mass: 1\n"
    "    inertia: 0.1\n"
    "    initial: {position: [1, 3]}\n"
    "    shapes:\n"
    "      - {kind: mesh, file: /abs/rod.obj}\n"
    "      - {kind: mesh, file: parts/wheel.STL}\n"
    "      - {kind: sphere, radius: 0.4}\n"
    "      - {kind: cone, radius: 0.4, length: 0.6, axis: [0, 1, 0], axis_2: [0, 0, 1]}\n"
    "joints:\n"
    "  A: {kind: revolute, bodies: [ground, <b>crank</b>], at: [1, -1]}\n"
    "  B: {kind: revolute, bodies: [<b>crank</b>, rod], at: [1, 2]}\n"
    "  gears: {kind: gear, joint_1: A, joint_2: B, ratio_1: 1, ratio_2: 2}\n"
    "  motor: {kind: drive, joint: B, motion: t}\n"
    "forces:\n"
    "  s: {kind: spring, bodies: [ground, rod], at_a: [0, 4], at_b: [1, 4], stiffness: 1}\n"
    "  push: {kind: point-force, body: <b>crank</b>, at: [1, 1], force: [1, 0, 0]}\n"
    "  brake: {kind: joint-spring, joint: B, damping: 1}\n";

static void bodies_are_there_with_the_ground_first(void)
{
    view v = look(links, NULL);
    const tn_node *ground = item(v.root, "bodies", 0), *crank = item(v.root, "bodies", 1);

    check_text(v.root, "planar", "true");
    CHECK_VECTOR(&v, v.root, "gravity", 0, -10, 0);
    CHECK(count(v.root, "bodies") == 3);
    check_text(ground, "name", "ground");
    check_text(ground, "kind", "ground");
    check_text(crank, "name", "<b>crank</b>");
    check_text(crank, "kind", "planar");
    CHECK_NEAR(number(&v, crank, "mass"), 2, 0);
    CHECK_VECTOR(&v, crank, "inertia", 0.25, 0.25, 0.5); // a plate
    CHECK_VECTOR(&v, crank, "com", 0.1, 0, 0);
    CHECK_VECTOR(&v, crank, "position", 1, 0, 0);
    CHECK_QUATERNION(&v, crank, "quaternion", HALF, 0, 0, HALF);
    leave(&v);
}

static void shapes_belong_to_their_bodies_in_order(void)
{
    view v = look(links, NULL);
    const tn_node *ground = item(v.root, "bodies", 0), *crank = item(v.root, "bodies", 1);
    const tn_node *rod = item(v.root, "bodies", 2);

    CHECK(count(ground, "shapes") == 1 && count(crank, "shapes") == 3);
    CHECK(count(rod, "shapes") == 4);
    check_text(item(ground, "shapes", 0), "kind", "box");
    CHECK_VECTOR(&v, item(ground, "shapes", 0), "size", 3, 2, 1);
    CHECK_VECTOR(&v, item(ground, "shapes", 0), "position", 0, -1, 0);
    check_text(item(ground, "shapes", 0), "color", "#bbbbbb");
    check_text(item(crank, "shapes", 0), "kind", "capsule");
    CHECK_NEAR(number(&v, item(crank, "shapes", 0), "radius"), 0.1, 0);
    CHECK_NEAR(number(&v, item(crank, "shapes", 0), "length"), 2, 0);
    CHECK(tn_node_get(item(crank, "shapes", 0), "color") == NULL);
    check_text(item(crank, "shapes", 2), "kind", "cylinder");
    CHECK_VECTOR(&v, item(crank, "shapes", 2), "position", 0.5, 0.25, 0);
    CHECK_QUATERNION(&v, item(crank, "shapes", 2), "quaternion", 1, 0, 0, 0);
    check_text(item(rod, "shapes", 2), "kind", "sphere");
    CHECK(tn_node_get(item(rod, "shapes", 2), "length") == NULL);
    // z along y and x along z: the cyclic turn
    check_text(item(rod, "shapes", 3), "kind", "cone");
    CHECK_QUATERNION(&v, item(rod, "shapes", 3), "quaternion", 0.5, -0.5, -0.5, -0.5);
    leave(&v);
}

static const char rolling[] =
    "tenon: 1\n"
    "bodies:\n"
    "  wheel: {mass: 1, inertia: [1, 1, 1]}\n"
    "  tyre: {mass: 1, inertia: [1, 1, 1]}\n"
    "  ball: {mass: 1, inertia: [1, 1, 1]}\n"
    "  painted: {mass: 1, inertia: [1, 1, 1], shapes: [{kind: sphere, radius: 1}]}\n"
    "joints:\n"
    "  a: {kind: rolling-wheel, body: wheel, radius: 0.5, frame_b: {axis: [1, 0, 0]}}\n"
    "  b: {kind: rolling-wheel, body: tyre, radius: 0.5, tube: 0.1, frame_b: {axis: [1, 0, 0]}}\n"
    "  c: {kind: rolling-ball, body: ball, radius: 0.5, at_b: [0, 0, 2]}\n"
    "  d: {kind: rolling-wheel, body: painted, radius: 0.5, axis: [1, 0, 0]}\n";

// Discs stand across their axle; marks show the spin. Who states shapes gets no others.
static void what_rolls_is_drawn_where_it_states_no_shapes(void)
{
    view v = look(rolling, "m.yaml");
    const tn_node *wheel = item(v.root, "bodies", 1), *tyre = item(v.root, "bodies", 2);
    const tn_node *ball = item(v.root, "bodies", 3);
    CHECK(count(wheel, "shapes") == 2 && count(tyre, "shapes") == 2 && count(ball, "shapes") == 7);
    check_text(item(wheel, "shapes", 0), "kind", "cylinder");
    check_text(item(wheel, "shapes", 1), "kind", "box");
    check_text(item(wheel, "shapes", 1), "color", "#222222");
    CHECK_NEAR(number(&v, item(wheel, "shapes", 0), "radius"), 0.5, 0);
    CHECK_VECTOR(&v, item(wheel, "shapes", 0), "position", 0, 0, 0);
    CHECK_NEAR(number(&v, item(tyre, "shapes", 0), "radius"), 0.6, ROUNDOFF);
    CHECK_NEAR(number(&v, item(tyre, "shapes", 0), "length"), 0.2, ROUNDOFF);
    check_text(item(ball, "shapes", 0), "kind", "sphere");
    CHECK_VECTOR(&v, item(ball, "shapes", 0), "position", 0, 0, 2);
    CHECK(count(item(v.root, "bodies", 4), "shapes") == 1);
    const tn_node *touch = tn_node_get(item(v.root, "joints", 1), "touch");
    CHECK(touch != NULL);
    CHECK_NEAR(number(&v, touch, "radius"), 0.5, 0);
    CHECK_NEAR(number(&v, touch, "tube"), 0.1, 0);
    CHECK_NEAR(number(&v, tn_node_get(item(v.root, "joints", 2), "touch"), "tube"), 0.5, 0);
    leave(&v);
}

static const char touching[] =
    "tenon: 1\n"
    "ground: {shapes: [{kind: box, size: [1, 1, 1], at: [0, 0, 0]}]}\n"
    "bodies:\n"
    "  cam: {mass: 1, inertia: [1, 1, 1]}\n"
    "  face: {mass: 1, inertia: [1, 1, 1]}\n"
    "  edge: {mass: 1, inertia: [1, 1, 1]}\n"
    "  painted: {mass: 1, inertia: [1, 1, 1], shapes: [{kind: sphere, radius: 1}]}\n"
    "  set: {mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  a: {kind: cam, bodies: [cam, face], at_a: [5, 0, 0], x: 2 + 3*cos(s), y: 3*sin(s)}\n"
    "  b: {kind: cam, bodies: [ground, edge], follower: roller, x: cos(s), y: sin(s),\n"
    "      other_side: true}\n"
    "  c: {kind: cam, bodies: [ground, painted], follower: roller, radius: 1, x: s, y: 0*s}\n"
    "  d: {kind: wheel-rail, bodies: [ground, set], at_b: [0, 0, 0.5], rail_y: s, rail_z: 0*s,\n"
    "      rail_from: -0.1, rail_to: 0.1, wheel_y: s, wheel_r: 0.5 - s^2, wheel_from: -0.1,\n"
    "      wheel_to: 0.1}\n";

// Radii of the points of an outline from the middle of a circle.
static void check_circle(const view *v, const tn_node *shape, int from, int to, double x, double r)
{
    const tn_node *points = tn_node_get(shape, "points");
    double p[2];
    CHECK(points && points->count >= to);
    for (int k = from; k < to; k += 2) {
        for (int i = 0; i < 2; i++)
            CHECK_OK(tn_node_number(v->doc, points->children[k + i], "points", &p[i]));
        CHECK_NEAR(hypot(p[0] - x, p[1]), r, 10 * ROUNDOFF);
    }
}

// On the ground beside its own shapes; on bodies where they state none.
static void what_touches_is_drawn_where_it_states_no_shapes(void)
{
    view v = look(touching, "m.yaml");
    const tn_node *ground = item(v.root, "bodies", 0), *cam = item(v.root, "bodies", 1);
    CHECK(count(cam, "shapes") == 1 && count(item(v.root, "bodies", 2), "shapes") == 1);
    check_text(item(cam, "shapes", 0), "kind", "plate");
    check_text(item(cam, "shapes", 0), "joint", "0");
    CHECK_VECTOR(&v, item(cam, "shapes", 0), "position", 5, 0, 0);
    check_circle(&v, item(cam, "shapes", 0), 0, 256, 2.0, 3.0);
    CHECK(count(item(v.root, "bodies", 3), "shapes") == 0); // a sharp edge
    CHECK(count(item(v.root, "bodies", 4), "shapes") == 1);
    CHECK(count(ground, "shapes") == 4);
    const tn_node *ring = item(ground, "shapes", 1), *rail = item(ground, "shapes", 3);
    const int hole = (int)number(&v, ring, "hole");
    check_circle(&v, ring, hole, 2 * hole, 0.0, 1.0);
    CHECK_NEAR(number(&v, rail, "beyond"), 2.0, ROUNDOFF);
    CHECK_QUATERNION(&v, rail, "quaternion", 0.5, 0.5, 0.5, 0.5); // z is x
    const tn_node *set = item(v.root, "bodies", 5);
    CHECK(count(set, "shapes") == 2);
    check_text(item(set, "shapes", 0), "kind", "lathe");
    check_text(item(set, "shapes", 1), "color", "#222222");
    check_text(item(v.root, "joints", 3), "contact", "true");
    leave(&v);
}

static void meshes_are_listed_once_with_their_paths(void)
{
    view v = look(links, "models/m.yaml");
    const tn_node *wheel = item(item(v.root, "bodies", 1), "shapes", 1);
    const tn_node *rod = item(v.root, "bodies", 2);

    CHECK(count(v.root, "meshes") == 2);
    check_text(item(v.root, "meshes", 0), "name", "parts/wheel.STL");
    check_text(item(v.root, "meshes", 0), "path", "models/parts/wheel.STL");
    check_text(item(v.root, "meshes", 1), "path", "/abs/rod.obj");
    check_text(wheel, "kind", "mesh");
    check_text(wheel, "name", "parts/wheel.STL");
    check_text(wheel, "mesh", "0");
    CHECK_NEAR(number(&v, wheel, "scale"), 1e-3, 0);
    check_text(wheel, "color", "#01abff");
    check_text(item(rod, "shapes", 0), "mesh", "1");
    check_text(item(rod, "shapes", 1), "mesh", "0");
    CHECK_NEAR(number(&v, item(rod, "shapes", 1), "scale"), 1, 0);
    leave(&v);
}

static void check_pair(const tn_node *map, const char *a, const char *b)
{
    check_text(map, "a", a);
    check_text(map, "b", b);
}

static void joints_and_forces_stand_in_body_frames(void)
{
    view v = look(links, NULL);
    const tn_node *A = item(v.root, "joints", 0), *B = item(v.root, "joints", 1);
    const tn_node *gears = item(v.root, "joints", 2), *motor = item(v.root, "joints", 3);
    const tn_node *spring = item(v.root, "forces", 0), *push = item(v.root, "forces", 1);
    const tn_node *brake = item(v.root, "forces", 2);

    check_text(A, "kind", "planar-revolute");
    check_text(A, "coupling", "false");
    check_pair(A, "0", "1");
    CHECK_VECTOR(&v, tn_node_get(A, "frame_a"), "position", 1, -1, 0);
    CHECK_VECTOR(&v, tn_node_get(A, "frame_b"), "position", -1, 0, 0);
    CHECK_QUATERNION(&v, tn_node_get(A, "frame_b"), "quaternion", HALF, 0, 0, -HALF);
    check_pair(B, "1", "2");
    check_text(gears, "coupling", "true");
    check_pair(gears, "1", "2"); // at the bodies that turn
    CHECK_VECTOR(&v, tn_node_get(gears, "frame_a"), "position", -1, 0, 0);
    CHECK_VECTOR(&v, tn_node_get(gears, "frame_b"), "position", 0, -1, 0);
    check_pair(motor, "1", "2"); // where joint B is
    CHECK_VECTOR(&v, tn_node_get(motor, "frame_a"), "position", 2, 0, 0);
    check_pair(spring, "0", "2");
    check_text(spring, "kind", "spring");
    check_text(spring, "glyph", "coil");
    CHECK(tn_node_get(push, "glyph") == NULL);
    CHECK_VECTOR(&v, tn_node_get(spring, "frame_a"), "position", 0, 4, 0);
    CHECK_VECTOR(&v, tn_node_get(spring, "frame_b"), "position", 0, 1, 0);
    check_pair(push, "1", "1");
    CHECK_VECTOR(&v, tn_node_get(push, "frame_a"), "position", 1, 0, 0);
    CHECK_VECTOR(&v, tn_node_get(push, "frame_b"), "position", 1, 0, 0);
    check_pair(brake, "1", "2");
    CHECK_VECTOR(&v, tn_node_get(brake, "frame_b"), "position", 0, -1, 0);
    leave(&v);
}

static void inertia_is_shown_in_its_principal_axes(void)
{
    // Ixy turns the axes by 45 degrees about z: moments 3 - 1 and 3 + 1.
    view v = look("tenon: 1\n"
                  "bodies:\n"
                  "  a: {mass: 1, inertia: [3, 3, 5], products: [-1, 0, 0]}\n"
                  "  b: {mass: 1, inertia: [1, 2, 3]}\n",
                  NULL);
    const tn_node *a = item(v.root, "bodies", 1), *b = item(v.root, "bodies", 2);
    double moment[3], e[4];

    check_text(v.root, "planar", "false");
    CHECK_VECTOR(&v, b, "inertia", 1, 2, 3);
    CHECK_QUATERNION(&v, b, "axes", 1, 0, 0, 0);
    CHECK_OK(tn_node_numbers(v.doc, tn_node_get(a, "inertia"), "inertia", 3, moment));
    CHECK_OK(tn_node_numbers(v.doc, tn_node_get(a, "axes"), "axes", 4, e));
    const tn_mat3 R = tn_quat_matrix(tn_quat_from(e));
    const tn_mat3 I =
        tn_m3_mul(R, tn_m3_mul(tn_m3_diag(moment[0], moment[1], moment[2]), tn_m3_transpose(R)));
    const tn_mat3 *given = &v.model->bodies.at[1].inertia;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(I.m[i][j], given->m[i][j], 4 * ROUNDOFF); // moments of up to 5
    CHECK_NEAR(fmin(moment[0], moment[1]), 2, ROUNDOFF);
    leave(&v);
}

static double size_of(const char *bodies)
{
    char text[512];
    snprintf(text, sizeof(text), "tenon: 1\nbodies:\n%s", bodies);
    view v = look(text, NULL);
    const double size = number(&v, v.root, "size");
    leave(&v);
    return size;
}

static void the_size_is_a_length_of_the_model(void)
{
    CHECK_NEAR(size_of("  a: {kind: point, mass: 1}\n"
                       "  b: {kind: point, mass: 1, initial: {position: [3, 0, 4]}}\n"),
               5, ROUNDOFF);
    // one body in one point: its radius of gyration
    CHECK_NEAR(size_of("  a: {kind: planar, mass: 2, inertia: 0.5}\n"), 0.5, ROUNDOFF);
    CHECK_NEAR(size_of("  a: {kind: point, mass: 1}\n"), 1, 0);
    CHECK_NEAR(size_of("  a: {kind: point, mass: 1, shapes: [{kind: sphere, radius: 2}]}\n"),
               4 * sqrt(3), ROUNDOFF * 10);
}

static void every_model_of_the_repository_has_a_scene(void)
{
    static const char *const names[] = {"fourbar",     "slider_crank",   "heavy_top",
                                        "governor",    "heavy_top_slow", "gear_train",
                                        "pendulum_3d", "fourbar_spatial"};
    for (int i = 0; i < TN_COUNT(names); i++) {
        char path[64];
        tn_model *model = NULL;
        char *text = NULL;
        snprintf(path, sizeof(path), "models/%s.yaml", names[i]);
        CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
        CHECK(tn_model_shape_count(model) > 0);
        CHECK_OK(tn_scene_json(model, path, &text));
        tn_free(text);
        tn_model_destroy(model);
    }
}

static void shapes_are_checked_when_they_are_added(void)
{
    tn_shape_def def = tn_default_shape(TN_SHAPE_MESH);
    tn_model *model = tn_model_create();
    char path[] = "a.stl";

    CHECK(def.color == -1 && def.scale == 1.0 && def.body.index == 0);
    def.path = path;
    CHECK_OK(tn_model_add_shape(model, &def));
    path[0] = 'b'; // the model has its own copy
    CHECK_TEXT(model->shapes.at[0].def.path, "a.stl");
    def.path = NULL;
    CHECK_STATUS(tn_model_add_shape(model, &def), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(),
               "body 'ground': shape 2: file is not stated; name an STL or OBJ file");
    CHECK_STATUS(tn_model_status(model), TN_ERR_MODEL); // errors stick
    def.path = path;
    CHECK_STATUS(tn_model_add_shape(model, &def), TN_ERR_MODEL);
    tn_model_destroy(model);
}

static void check_refused(tn_shape_def def, const char *message)
{
    tn_model *model = tn_model_create();
    CHECK_STATUS(tn_model_add_shape(model, &def), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), message);
    tn_model_destroy(model);
}

static void wrong_shapes_are_refused(void)
{
    tn_shape_def def = tn_default_shape(TN_SHAPE_BOX);
    tn_shape_def other = def;

    other.size.z = NAN;
    check_refused(other, "body 'ground': shape 1: size must be finite");
    other = def;
    other.kind = TN_SHAPE_KIND_COUNT;
    check_refused(other, "body 'ground': shape 1: 6 is not a kind of shape");
    other = def;
    other.color = 0x1000000;
    check_refused(other, "body 'ground': shape 1: color is 16777216; it must be 0xRRGGBB, or -1 "
                         "for automatic");
    other = def;
    other.body.index = 1;
    check_refused(other, "shape: body is not a body of this model");
    other = def;
    other.frame.R = tn_m3_diag(1, 1, -1);
    check_refused(other, "body 'ground': shape 1: frame is left-handed; its axes must be "
                         "right-handed");
}

static void running_out_of_memory_leaks_nothing(void)
{
    tn_model *model = NULL;
    char *text = NULL;
    long n = 1;

    CHECK_OK(tn_model_parse(links, "m.yaml", &model, NULL));
    const long live = tn_test_alloc_live();
    for (;; n++) {
        tn_test_alloc_fail_at(n);
        const tn_status s = tn_scene_json(model, "m.yaml", &text);
        if (!tn_test_alloc_failed()) {
            CHECK_OK(s);
            break;
        }
        CHECK_STATUS(s, TN_ERR_MEMORY);
        CHECK(strstr(tn_last_error(), "memory") != NULL && text == NULL);
        CHECK(tn_test_alloc_live() == live);
    }
    CHECK(n > 5);
    tn_free(text);
    tn_model_destroy(model);
}

// Numbers of {"f32": ...}; free them.
static float *surface_of(const tn_node *modal, const char *key, long *count_out)
{
    const tn_node *array = tn_node_get(modal, key);
    CHECK(array != NULL && tn_node_get(array, "f32") != NULL);
    const char *text = tn_node_get(array, "f32")->text;
    float *out = malloc(strlen(text) + 16);
    *count_out = (long)(base64_bytes(text, (unsigned char *)out) / sizeof(float));
    return out;
}

// A rod of length 2 along x that bends as s^2: its end goes 4 per unit amplitude.
static void modal_bodies_have_surfaces(void)
{
    view v =
        look("tenon: 1\n"
             "bodies:\n"
             "  base: {mass: 1, inertia: [1, 1, 1]}\n"
             "  rod:\n"
             "    kind: modal\n"
             "    rod:\n"
             "      length: 2\n"
             "      section: {kind: rectangle, width: 0.02, height: 0.04, E: 2.0e+9, rho: 1000}\n"
             "      functions: [{y: \"s^2\"}, {z: \"s^2\"}]\n"
             "      attachments: {start: 0, end: 2}\n",
             "m.yaml");
    const tn_node *modal = item(v.root, "modals", 0);
    long npoint, ntriangle, nshape;
    check_text(modal, "name", "rod");
    CHECK(number(&v, modal, "body") == 2.0 && number(&v, modal, "amplitude") == 3.0);
    CHECK(number(&v, modal, "modes") == 2.0 && number(&v, modal, "attachments") == 2.0);
    const int first = (int)number(&v, modal, "attachment");
    check_text(item(v.root, "bodies", first), "name", "rod.end");
    check_text(item(v.root, "bodies", 3), "kind", "amplitude");
    float *points = surface_of(modal, "points", &npoint);
    float *triangles = surface_of(modal, "triangles", &ntriangle);
    float *shapes = surface_of(modal, "shapes", &nshape);
    CHECK(npoint > 0 && npoint % 3 == 0 && ntriangle % 3 == 0 && nshape == 2 * npoint);
    for (long i = 0; i < ntriangle; i++)
        CHECK(triangles[i] >= 0.0f && 3.0f * triangles[i] < (float)npoint);
    for (long i = 0; i < npoint; i += 3) {
        const double s = points[i];
        CHECK_NEAR(shapes[i + 1], s * s, 1e-6);
        CHECK_NEAR(shapes[npoint + i + 2], s * s, 1e-6);
    }
    CHECK_NEAR(points[npoint - 3], 2.0, 1e-6);
    free(points);
    free(triangles);
    free(shapes);
    leave(&v);
}

// Frames, surfaces and attachments at the start, not the amplitudes.
static void amplitudes_are_no_places(void)
{
    static const char text[] =
        "tenon: 1\n"
        "bodies:\n"
        "  rod:\n"
        "    kind: modal\n"
        "    rod:\n"
        "      length: 2\n"
        "      section: {kind: rectangle, width: 0.02, height: 0.04, E: 2.0e+9, rho: 1000}\n"
        "      functions: [{y: \"s^2\"}]\n"
        "    initial: {position: [50, 0, 0]}\n";
    view v = look(text, "m.yaml");
    const double size = number(&v, v.root, "size");
    CHECK(size > 2.0 && size < 2.01);
    leave(&v);
}

static const tn_test tests[] = {
    {"bodies are there with the ground first", bodies_are_there_with_the_ground_first},
    {"shapes belong to their bodies, in order", shapes_belong_to_their_bodies_in_order},
    {"what rolls is drawn where it states no shapes",
     what_rolls_is_drawn_where_it_states_no_shapes},
    {"what touches is drawn where it states no shapes",
     what_touches_is_drawn_where_it_states_no_shapes},
    {"meshes are listed once, with their paths", meshes_are_listed_once_with_their_paths},
    {"joints and forces stand in body frames", joints_and_forces_stand_in_body_frames},
    {"inertia is shown in its principal axes", inertia_is_shown_in_its_principal_axes},
    {"the size is a length of the model", the_size_is_a_length_of_the_model},
    {"every model with shapes has a scene", every_model_of_the_repository_has_a_scene},
    {"shapes are checked when they are added", shapes_are_checked_when_they_are_added},
    {"wrong shapes are refused", wrong_shapes_are_refused},
    {"modal bodies have surfaces", modal_bodies_have_surfaces},
    {"amplitudes are no places of the scene", amplitudes_are_no_places},
    {"running out of memory leaks nothing", running_out_of_memory_leaks_nothing},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
