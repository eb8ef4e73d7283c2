// SPDX-License-Identifier: MIT
//
// The models that come with Tenon: each one is read, checked and moved, by position level alone and
// by position and velocity level together, in so3 and in se3, and all roads must lead to one
// motion. A model is covered the moment it stands in the folder.

#include "tenon/tenon.h"
#include "test.h"

#include <dirent.h>
#include <math.h>

enum { MOST_MODELS = 64, MOST_BODIES = 32, STEPS = 100 };

static int model_count;
static char model_names[MOST_MODELS][64];

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list_models(void)
{
    DIR *folder = opendir(tn_test_path("models"));
    CHECK(folder != NULL);
    model_count = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        const size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".yaml"))
            continue;
        CHECK(model_count < MOST_MODELS && length < sizeof model_names[0]);
        strcpy(model_names[model_count++], entry->d_name);
    }
    closedir(folder);
    qsort(model_names, (size_t)model_count, sizeof model_names[0], by_name);
}

static tn_model *load(int i, tn_simulate *simulate)
{
    char path[4200];
    tn_model *model = NULL;
    snprintf(path, sizeof path, "models/%s", model_names[i]);
    CHECK_OK(tn_model_load(tn_test_path(path), &model, simulate));
    CHECK(tn_model_body_count(model) <= MOST_BODIES);
    return model;
}

// Where the bodies are: origins [m] and axes.
typedef struct poses {
    int n;
    tn_frame frame[MOST_BODIES];
} poses;

static poses where(const tn_model *model, tn_sim *sim)
{
    poses p = {.n = tn_model_body_count(model)};
    for (int k = 0; k < p.n; k++)
        p.frame[k] = tn_sim_body_frame(sim, (tn_body){k});
    return p;
}

static double distance(const poses *a, const poses *b)
{
    const double *x = (const double *)a->frame, *y = (const double *)b->frame;
    double most = 0.0;
    for (size_t i = 0; i < (size_t)a->n * sizeof(tn_frame) / sizeof(double); i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

static poses combine(double s, const poses *a, double t, const poses *b) // s a + t b
{
    poses c = *a;
    const double *x = (const double *)a->frame, *y = (const double *)b->frame;
    double *out = (double *)c.frame;
    for (size_t i = 0; i < (size_t)a->n * sizeof(tn_frame) / sizeof(double); i++)
        out[i] = s * x[i] + t * y[i];
    return c;
}

// The poses after STEPS steps of the file's own size, taken in parts of that size.
static poses move(const tn_model *model, const tn_simulate *own, const char *method,
                  const char *rotation, int parts)
{
    tn_sim_options options = own->options;
    tn_sim *sim = NULL;
    const double t = options.t_start + fmin(STEPS * options.step, own->t_end - options.t_start);
    options.method = method;
    options.rotation = rotation;
    options.step /= parts;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    CHECK_NEAR(ledger.max_g, 0.0, 1e-11);
    const poses p = where(model, sim);
    tn_sim_destroy(sim);
    return p;
}

static void every_model_is_read_and_checked(void)
{
    list_models();
    CHECK(model_count >= 12);
    for (int i = 0; i < model_count; i++) {
        tn_simulate own;
        tn_check *check = NULL;
        tn_model *model = load(i, &own);
        CHECK_OK(tn_check_create(model, &own.options, &check));
        printf("%-22s %2d bodies, %2d joints, %d freedoms, %d redundant rows\n", model_names[i],
               tn_model_body_count(model) - 1, tn_model_joint_count(model),
               tn_check_freedoms(check), tn_check_redundant_count(check));
        CHECK_NEAR(tn_check_residual(check), 0.0, 1e-14);
        CHECK(own.t_end > 0.0 && own.output > 0.0); // a simulate block of its own
        // Stated positions fit together: the assembly has nothing to move.
        for (int k = 0; k < tn_check_moved_count(check); k++) {
            CHECK_NEAR(tn_check_moved(check, k).position, 0.0, 1e-12);
            CHECK_NEAR(tn_check_moved(check, k).rotation, 0.0, 1e-12);
        }
        tn_check_destroy(check);
        tn_model_destroy(model);
    }
}

// Each road is of second order, with an error constant of its own: at half the step it is four
// times nearer to the common limit, or as near as round-off and the limit itself allow.
static void every_road_leads_to_one_motion(void)
{
    static const char *const methods[] = {"galpha/ggl", "galpha/index3", "hht/ggl"};
    static const char *const rotations[] = {"so3", "se3"};
    const double LEAST_GAIN = 3.0;
    list_models();
    for (int i = 0; i < model_count; i++) {
        tn_simulate own;
        tn_model *model = load(i, &own);
        const poses p2 = move(model, &own, "galpha/ggl", "so3", 2),
                    p4 = move(model, &own, "galpha/ggl", "so3", 4);
        const poses limit = combine(4.0 / 3.0, &p4, -1.0 / 3.0, &p2);
        const double near = fmax(1e-12, 0.1 * distance(&p2, &p4));
        for (int m = 0; m < TN_COUNT(methods); m++)
            for (int r = 0; r < TN_COUNT(rotations); r++) {
                const poses coarse = move(model, &own, methods[m], rotations[r], 1),
                            fine = move(model, &own, methods[m], rotations[r], 2);
                const double e1 = distance(&coarse, &limit), e2 = distance(&fine, &limit);
                printf("%-22s %-13s %s: %.1e, %.1e at half the step\n", model_names[i], methods[m],
                       rotations[r], e1, e2);
                CHECK(e2 <= fmax(e1 / LEAST_GAIN, near));
                CHECK(e1 < 1e-3);
            }
        tn_model_destroy(model);
    }
}

// Chains ------------------------------------------------------------------------------------------

static tn_model *chain(int n, const char *file)
{
    const tn_parameter_value count = {"n", n, NULL};
    tn_model *model = NULL;
    CHECK_OK(tn_model_load_with(tn_test_path(file), 1, &count, &model, NULL));
    CHECK(tn_model_body_count(model) == n + 1);
    return model;
}

static tn_vec3 tip(int n, const char *file)
{
    tn_model *model = chain(n, file);
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    options.step = 1e-3;
    options.jacobian_every = 1; // keeps the tolerance of the corrector out of the comparison
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
    const tn_vec3 p = tn_sim_body_frame(sim, (tn_body){n}).p;
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return p;
}

static void chains_swing_alike_in_the_plane_and_in_space(void)
{
    for (int n = 1; n <= 16; n *= 4) {
        const tn_vec3 plane = tip(n, "models/chain.yaml"), space = tip(n, "models/chain_3d.yaml");
        printf("chain of %d: last rod at (%.6f, %.6f)\n", n, plane.x, plane.y);
        CHECK_NEAR(space.x, plane.x, 1e-10);
        CHECK_NEAR(space.y, 0.0, 1e-12);
        CHECK_NEAR(space.z, plane.y, 1e-10);
    }
}

static const tn_test tests[] = {
    {"every model is read and checked", every_model_is_read_and_checked},
    {"every road leads to one motion", every_road_leads_to_one_motion},
    {"chains swing alike in the plane and in space", chains_swing_alike_in_the_plane_and_in_space},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
