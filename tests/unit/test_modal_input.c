// SPDX-License-Identifier: MIT
//
// Modal bodies in model files: from a file and by expressions, and what is refused with which
// sentence.

#include "modal_cloud.h"
#include "test.h"

#include "coords/joint_coords.h"
#include "flex/modal.h"
#include "read/modal_file.h"
#include "system/absolute.h"
#include "tenon/io.h"
#include "tenon/sim.h"

#include <stdio.h>
#include <unistd.h>

static const char HEAD[] = "tenon: 1\nparameters: {L: 1}\nbodies:\n  rod:\n    kind: modal\n";
static const char ROD[] =
    "    rod:\n      length: L\n      section: {kind: rectangle, width: 0.01, "
    "height: 0.02, E: 1.0e+9, rho: 1000}\n";

static tn_status parse(const char *text, tn_model **out)
{
    tn_simulate simulate;
    return tn_model_parse(text, "rod.yaml", out, &simulate);
}

// What follows the kind of the body, and words of the sentence that refuses it.
typedef struct mistake {
    const char *rest, *words;
} mistake;

static const mistake mistakes[] = {
    {"", "neither 'file' nor 'rod' is stated"},
    {"    file: nowhere.h5\n", "nowhere.h5: cannot open it"},
    {"    file: rod.txt\n", "no HDF5 file"},
    {"    fiel: rod.h5\n", "unknown key 'fiel'"},
    {"ROD", "missing key 'functions'"},
    {"ROD      functions: []\n", "it has 0 shapes"},
    {"ROD      functions: 3\n", "a list of shapes"},
    {"ROD      functions: [{}]\n", "shape 1 moves nothing"},
    {"ROD      functions: [{v: \"s\"}]\n", "unknown key 'v'; a shape has x, y and z"},
    {"ROD      functions: [{y: \"s^\"}]\n", "rod: shape 1: y: expression 's^'"},
    {"ROD      functions: [{y: \"log(s - 2)\"}]\n", "is no number at s ="},
    {"ROD      functions: [{y: \"abs(s)\"}]\n", "shape 1: y"},
    {"ROD      functions: [{y: \"s^2\"}, {y: \"2*s^2\"}]\n", "they depend on each other"},
    {"ROD      functions: [{y: \"s^2\"}, {y: \"s\"}]\n", "1 of its 2 modes, or so many"},
    {"ROD      functions: [{y: \"s^2\"}]\n      attachments: {tip: 2}\n",
     "attachment 'tip' is at s = 2 m; the rod goes from 0 to 1 m"},
    {"ROD      functions: [{y: \"s^2\"}]\n    file: rod.h5\n", "both 'file' and 'rod' are stated"},
    {"ROD      functions: [{y: \"s^2\"}]\n    damping: [0.1, 0.2]\n",
     "damping has 2 numbers, but the body has 1 mode"},
    {"ROD      functions: [{y: \"s^2\"}]\n    damping: -0.1\n", "damping: -0.1"},
    {"ROD      functions: [{y: \"s^2\"}]\n    initial: {amplitudes: [1, 2]}\n",
     "amplitudes has 2 numbers, but the body has 1 mode"},
    {"ROD      functions: [{y: \"s^2\"}]\njoints:\n  pin: {kind: spherical, body: rod}\n",
     "joint 'pin': the frame of the modal body 'rod' is no point of it"},
    {"ROD      functions: [{y: \"s^2\"}]\njoints:\n  pin: {kind: spherical, body: rod.tip}\n",
     "rod.tip"},
    {"ROD      functions: [{y: \"s^2\"}]\nforces:\n  push: {kind: point-force, body: rod.q1}\n",
     "force 'push': 'rod.q1' is an amplitude"},
};

// "ROD" at the beginning stands for the length and section of a rod.
static void wrong_files_are_refused(void)
{
    FILE *other = fopen("rod.txt", "w");
    CHECK(other != NULL && fputs("no such thing\n", other) > 0 && fclose(other) == 0);
    for (int k = 0; k < TN_COUNT(mistakes); k++) {
        char text[2000];
        const bool rod = !strncmp(mistakes[k].rest, "ROD", 3);
        tn_model *model = NULL;
        snprintf(text, sizeof text, "%s%s%s", HEAD, rod ? ROD : "",
                 mistakes[k].rest + (rod ? 3 : 0));
        const tn_status status = parse(text, &model);
        if (status == TN_OK || !strstr(tn_last_error(), mistakes[k].words))
            fprintf(stderr, "%s\n-> %s\n", text, status == TN_OK ? "taken" : tn_last_error());
        CHECK(status != TN_OK && strstr(tn_last_error(), mistakes[k].words));
        CHECK(model == NULL);
    }
    CHECK(unlink("rod.txt") == 0);
}

static void other_coordinates_are_refused(void)
{
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    char text[2000];
    tn_sim_options options = tn_default_sim();
    snprintf(text, sizeof text, "%s%s      functions: [{y: \"s^2\"}]\n", HEAD, ROD);
    CHECK_OK(parse(text, &model));
    options.method = "galpha/ggl@director";
    options.step = 1e-3;
    CHECK(tn_sim_create(model, &options, &sim) == TN_ERR_PAIRING);
    CHECK(strstr(tn_last_error(), "body 'rod' is a modal body"));
    tn_model_destroy(model);
}

// A body that was written and read is the same.
static void files_are_read(void)
{
    cloud c;
    tn_model *model = NULL;
    tn_modal *modal = cloud_modal(&c, true, CLOUD_ATTACHMENTS);
    CHECK_OK(tn_modal_write(modal, "cloud.h5"));
    CHECK_OK(parse("tenon: 1\nbodies:\n  part: {kind: modal, file: cloud.h5, stiffening: true, "
                   "damping: 0.01, initial: {position: [1, 2, 3], amplitudes: [0.1, 0.2, 0.3]}}\n",
                   &model));
    const tn_modal_data *data = &model->modals.at[0];
    const int n = tn_modal_size(CLOUD_MODES);
    CHECK(data->m == CLOUD_MODES && data->nattachment == CLOUD_ATTACHMENTS && data->stiffening);
    for (int i = 0; i < n * n; i++)
        CHECK(data->from->gram[i] == modal->gram[i]);
    CHECK(model->bodies.at[data->amplitude + 1].def.frame.p.x == 0.2);
    CHECK(tn_model_find_body(model, "part.left").index == data->attachment);
    CHECK(unlink("cloud.h5") == 0);
    tn_modal_destroy(modal);
    tn_model_destroy(model);
}

// From the model file to a system in joint coordinates.
static tn_status make_all(const char *text)
{
    tn_model *model = NULL;
    tn_system *world = NULL, *sys = NULL;
    tn_status s = parse(text, &model);
    TN_THEN(s, tn_absolute_create(model, TN_ROTATION_SO3, false, &world));
    TN_THEN(s, tn_joint_coords_create(world, &sys));
    tn_system_destroy(sys);
    tn_system_destroy(world);
    tn_model_destroy(model);
    return s;
}

static void running_out_of_memory_leaks_nothing(void)
{
    char text[2000];
    long n = 1;
    snprintf(
        text, sizeof text,
        "%s%s      functions: [{y: \"s^2\"}, {z: \"s^3\"}]\n      attachments: {start: 0, end: "
        "L}\n    damping: 0.01\n    stiffening: true\njoints:\n  pin: {kind: spherical, "
        "bodies: [ground, rod.end]}\n",
        HEAD, ROD);
    CHECK_OK(make_all(text));
    const long live = tn_test_alloc_live();
    for (;; n++) {
        tn_test_alloc_fail_at(n);
        const tn_status s = make_all(text);
        if (s == TN_OK)
            break;
        CHECK_STATUS(s, TN_ERR_MEMORY);
        CHECK(tn_test_alloc_live() == live);
    }
    CHECK(n > 100);
}

static const tn_test tests[] = {
    {"wrong files are refused", wrong_files_are_refused},
    {"other coordinates are refused", other_coordinates_are_refused},
    {"files are read", files_are_read},
    {"running out of memory leaks nothing", running_out_of_memory_leaks_nothing},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
