// SPDX-License-Identifier: MIT
//
// Shapes that are wrong in a model file: every mistake gets its own sentence with file, line and
// column, and nothing leaks when memory runs out.

#include "test.h"

#include "base/alloc.h"
#include "tenon/io.h"

#define CRANK            \
    "tenon: 1\n"         \
    "bodies:\n"          \
    "  crank:\n"         \
    "    kind: planar\n" \
    "    mass: 1\n"      \
    "    inertia: 0.1\n" \
    "    shapes:\n"      \
    "      - {kind: sphere, radius: 0.1}\n"

static const struct {
    const char *text, *message;
} mistakes[] = {
    {CRANK "      - {kind: capsul, radius: 1, length: 1}\n",
     "m.yaml:9:16: body 'crank': shape 2: 'capsul' is not a kind of shape; did you mean "
     "'capsule'?"},
    {CRANK "      - {kind: pyramid}\n",
     "m.yaml:9:16: body 'crank': shape 2: 'pyramid' is not a kind of shape; known are box, "
     "cylinder, sphere, capsule, cone, mesh"},
    {CRANK "      - {radius: 1}\n", "m.yaml:9:9: body 'crank': shape 2: missing key 'kind'"},
    {CRANK "      - {kind: box}\n", "m.yaml:9:9: body 'crank': shape 2: missing key 'size': "
                                    "lengths of the edges along x, y and z [m]"},
    {CRANK "      - {kind: sphere, radius: -0.1}\n",
     "m.yaml:9:32: body 'crank': shape 2: radius is -0.1 m; it must be positive"},
    {CRANK "      - {kind: cone, radius: 0.1, length: 0}\n",
     "m.yaml:9:43: body 'crank': shape 2: length is 0 m; it must be positive"},
    {CRANK "      - {kind: box, size: [1, 0, 1]}\n",
     "m.yaml:9:27: body 'crank': shape 2: size y is 0 m; it must be positive"},
    {CRANK "      - {kind: box, size: [1, 1]}\n",
     "m.yaml:9:27: body 'crank': shape 2: size: expected 3 numbers, found 2"},
    {CRANK "      - {kind: box, radius: 1, size: [1, 1, 1]}\n",
     "m.yaml:9:21: body 'crank': shape 2: unknown key 'radius'; known are kind, at, at_s, axis, "
     "axis_2, "
     "orientation, density, color, size"},
    {CRANK "      - {kind: cylinder, radius: 1, length: 1, axis: [0, 0]}\n",
     "m.yaml:9:54: body 'crank': shape 2: axis is the zero vector; it must have a direction"},
    {CRANK "      - {kind: sphere, radius: 1, color: bleu}\n",
     "m.yaml:9:42: body 'crank': shape 2: color: 'bleu' is not a colour; did you mean 'blue'?"},
    {CRANK "      - {kind: sphere, radius: 1, color: \"#12345g\"}\n",
     "m.yaml:9:42: body 'crank': shape 2: color: '#12345g' is not a colour; write \"#rrggbb\" or "
     "one of blue, cyan, green, yellow, red, purple, orange, brown, white, grey, black"},
    {CRANK "      - kind: sphere\n"
           "        radius: 1\n"
           "        color: #ff0000\n",
     "m.yaml:11:15: body 'crank': shape 2: color: nothing is stated; put \"#rrggbb\" in quotes, "
     "because # begins a comment"},
    {CRANK "      - {kind: mesh, file: wheel.step}\n",
     "m.yaml:9:28: body 'crank': shape 2: file 'wheel.step' is of a kind that is not read; its "
     "name must end in .stl or .obj"},
    {CRANK "      - {kind: mesh, file: wheel.stl, scale: 0}\n",
     "m.yaml:9:46: body 'crank': shape 2: scale is 0 m; it must be positive"},
    {CRANK "      - sphere\n", "m.yaml:9:9: body 'crank': shape 2: expected a map, found 'sphere'"},
    {"tenon: 1\n"
     "bodies:\n"
     "  p: {kind: point, mass: 1, shapes: {kind: sphere, radius: 1}}\n",
     "m.yaml:3:37: body 'p': shapes: expected a list of shapes, found a map"},
    {"tenon: 1\n"
     "ground: {shape: []}\n",
     "m.yaml:2:10: ground: unknown key 'shape'; did you mean 'shapes'?"},
    {"tenon: 1\n"
     "ground:\n"
     "  shapes:\n"
     "    - {kind: sphere, radius: 0}\n",
     "m.yaml:4:30: body 'ground': shape 1: radius is 0 m; it must be positive"},
};

static void every_mistake_has_its_own_sentence(void)
{
    for (int i = 0; i < TN_COUNT(mistakes); i++) {
        const long live = tn_test_alloc_live();
        tn_model *model = NULL;
        CHECK_STATUS(tn_model_parse(mistakes[i].text, "m.yaml", &model, NULL), TN_ERR_MODEL);
        CHECK(model == NULL);
        CHECK_TEXT(tn_last_error(), mistakes[i].message);
        CHECK(tn_test_alloc_live() == live);
    }
}

static void running_out_of_memory_is_an_error_and_leaks_nothing(void)
{
    static const char text[] = CRANK "      - {kind: mesh, file: a.stl}\n"
                                     "      - {kind: mesh, file: b.OBJ, color: red}\n"
                                     "ground: {shapes: [{kind: sphere, radius: 1}]}\n";
    const long live = tn_test_alloc_live();
    tn_model *model = NULL;
    long n = 1;

    for (;; n++) {
        tn_test_alloc_fail_at(n);
        const tn_status s = tn_model_parse(text, "m.yaml", &model, NULL);
        if (!tn_test_alloc_failed()) {
            CHECK_OK(s);
            break;
        }
        CHECK_STATUS(s, TN_ERR_MEMORY);
        CHECK(strstr(tn_last_error(), "memory") != NULL);
        CHECK(model == NULL);
        CHECK(tn_test_alloc_live() == live);
    }
    CHECK(n > 20); // the loop did meet the allocations
    CHECK(tn_model_shape_count(model) == 4);
    tn_model_destroy(model);
    CHECK(tn_test_alloc_live() == live);
}

static const tn_test tests[] = {
    {"every mistake has its own sentence", every_mistake_has_its_own_sentence},
    {"running out of memory is an error and leaks nothing",
     running_out_of_memory_is_an_error_and_leaks_nothing},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
