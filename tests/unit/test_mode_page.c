// SPDX-License-Identifier: MIT
//
// The data of the page of modes, parsed back: the state and the shapes are those of the modes.

#include "base/alloc.h"
#include "page/page.h"
#include "page_data.h"
#include "tenon/tenon.h"
#include "text/buffer.h"

#include <math.h>

// A rod on a pin and a body on a rail, with a spring and a damper between the two.
static const char text[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  rod: {kind: planar, mass: 3, inertia: 0.25, initial: {position: [0, -0.5]},\n"
    "        shapes: [{kind: mesh, file: missing.stl}]}\n"
    "  car: {kind: planar, mass: 2, inertia: 0.1, initial: {position: [2, 0]}}\n"
    "joints:\n"
    "  pin: {kind: revolute, bodies: [ground, rod], at: [0, 0]}\n"
    "  rail: {kind: prismatic, bodies: [ground, car], at: [2, 0], axis: [1, 0]}\n"
    "forces:\n"
    "  spring: {kind: spring, bodies: [rod, car], at_a: [0, -1], at_b: [1.5, 0], stiffness: 40,\n"
    "           damping: 1, free: 1.8}\n";

typedef struct {
    tn_model *model;
    tn_modes *modes;
    tn_buffer buffer;
    tn_page_notes notes;
    tn_document *doc;
} page;

static page make(void)
{
    page p = {0};
    const tn_modes_page how = {"-", "folder/m.yaml", "tenon modes m.yaml"};
    const tn_modes_options options = tn_default_modes();
    CHECK_OK(tn_model_parse(text, "m.yaml", &p.model, NULL));
    CHECK_OK(tn_modes_create(p.model, &options, &p.modes));
    CHECK_OK(tn_mode_page_json(&(tn_page_of_modes){p.modes, &how, &p.notes},
                               (tn_page_sink){tn_buffer_write, &p.buffer}));
    CHECK_OK(tn_document_parse(p.buffer.text, p.buffer.length, "data", &p.doc));
    return p;
}

static void end(page *p)
{
    tn_document_destroy(p->doc);
    tn_free(p->buffer.text);
    tn_page_notes_free(&p->notes);
    tn_modes_destroy(p->modes);
    tn_model_destroy(p->model);
}

// Numbers of {"f32": ...} at a key; free them.
static float *narrow_numbers(const tn_node *map, const char *key, long *count)
{
    const tn_node *array = tn_node_get(map, key);
    CHECK(array != NULL && tn_node_get(array, "f32") != NULL);
    const char *base64 = tn_node_get(array, "f32")->text;
    float *out = malloc(strlen(base64) + 16);
    *count = (long)(base64_bytes(base64, (unsigned char *)out) / sizeof(float));
    return out;
}

static void check_vector(const float *found, tn_vec3 wanted)
{
    const double most = 1e-6 * tn_v3_norm(wanted) + 1e-12; // float32
    CHECK_NEAR(found[0], wanted.x, most);
    CHECK_NEAR(found[1], wanted.y, most);
    CHECK_NEAR(found[2], wanted.z, most);
}

static void the_state_is_the_only_frame(void)
{
    page p = make();
    long n;
    const tn_node *frames = tn_node_get(p.doc->root, "frames");
    CHECK_TEXT(tn_node_get(p.doc->root, "title")->text, "m.yaml");
    CHECK_TEXT(tn_node_get(p.doc->root, "reproduce")->text, "tenon modes m.yaml");
    CHECK_TEXT(tn_node_get(frames, "count")->text, "1");
    double *at = page_numbers(frames, "position", &n);
    CHECK(n == 6);
    for (int k = 0; k < 2; k++) {
        const tn_vec3 x = tn_modes_body_frame(p.modes, (tn_body){k + 1}).p;
        CHECK_NEAR(at[3 * k], x.x, 0.0);
        CHECK_NEAR(at[3 * k + 1], x.y, 0.0);
    }
    free(at);
    // Lengths are metres, whatever units the equations have inside.
    double size;
    CHECK_OK(tn_node_number(p.doc, tn_node_get(tn_node_get(p.doc->root, "scene"), "size"), "size",
                            &size));
    CHECK(size > 1.5 && size < 3.0);
    end(&p);
}

static void shapes_are_those_of_the_modes(void)
{
    page p = make();
    const tn_node *list = tn_node_get(tn_node_get(p.doc->root, "modes"), "list");
    CHECK(list->count == tn_modes_count(p.modes) && list->count == 2);
    int complex_shapes = 0;
    for (int i = 0; i < list->count; i++) {
        const tn_node *mode = list->children[i];
        double re;
        long n, m;
        CHECK_OK(tn_node_number(p.doc, tn_node_get(mode, "re"), "re", &re));
        CHECK_NEAR(re, tn_mode_of(p.modes, i).re, 0.0);
        float *x = narrow_numbers(mode, "shape", &n), *share = narrow_numbers(mode, "share", &m);
        const bool both = tn_node_get(mode, "im_shape") != NULL;
        float *y = both ? narrow_numbers(mode, "im_shape", &n) : NULL;
        CHECK(n == 12 && m == 2);
        CHECK_NEAR(share[0] + share[1], 1.0, 1e-6);
        for (int k = 0; k < 2; k++) {
            const tn_mode_motion motion = tn_mode_motion_of(p.modes, i, (tn_body){k + 1});
            check_vector(x + 6 * k, motion.move_re);
            check_vector(x + 6 * k + 3, motion.turn_re);
            if (both)
                check_vector(y + 6 * k, motion.move_im);
        }
        complex_shapes += both;
        free(x);
        free(share);
        free(y);
    }
    CHECK(complex_shapes > 0); // the damper is not one of Rayleigh's kind
    end(&p);
}

static void what_is_missing_is_told(void)
{
    page p = make();
    const tn_node *warnings = tn_node_get(p.doc->root, "warnings");
    CHECK(warnings->count == 1);
    CHECK(strstr(warnings->children[0]->text, "mesh 'missing.stl' is not shown") != NULL);
    CHECK(strstr(warnings->children[0]->text, "folder/missing.stl") != NULL);
    end(&p);
}

static void files_appear_whole(void)
{
    page p = make();
    const tn_modes_page how = {"modes.html", NULL, NULL}, nowhere = {"not/there.html", NULL, NULL};
    if (tn_report_check() == TN_OK) {
        CHECK_OK(tn_modes_report(p.modes, &how, (tn_teller){0}));
        CHECK(remove("modes.html") == 0);
    }
    CHECK_STATUS(tn_modes_report(p.modes, &nowhere, (tn_teller){0}), TN_ERR_USAGE);
    end(&p);
}

static const tn_test tests[] = {
    {"the state is the only frame", the_state_is_the_only_frame},
    {"shapes are those of the modes", shapes_are_those_of_the_modes},
    {"what is missing is told", what_is_missing_is_told},
    {"files appear when they are complete", files_appear_whole},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
