// SPDX-License-Identifier: MIT
//
// A simulation that is saved and loaded into another one goes on to the last bit: every legal
// pairing of formulation and integrator in every coordinate set, with fixed and with controlled
// steps, on models with loops, redundant rows, drives, events and bodies without mass. The other
// simulation is created from a model of its own at other addresses, so that nothing of the first
// can help it.

#include "integrator/integrator.h"
#include "sim/sim.h"
#include "tenon/tenon.h"
#include "test.h"

#include <stdlib.h>

static const struct {
    const char *file;
    double t_end, step;
} models[] = {
    {"fourbar", 0.4, 2e-3},    {"fourbar_spatial", 0.2, 1e-3}, {"heavy_top", 0.1, 5e-4},
    {"gear_train", 0.2, 1e-3}, {"andrews", 0.01, 2e-5},
};

enum { STEPS = 60, SAVED_AT = 23, ROOM = 400 };

// Everything that a step leaves, at every step behind the save.
typedef struct trace {
    int steps, rows, width, skip;
    double at[STEPS + 2][ROOM];
} trace;

static void put(double *row, int *n, int count, const double *x)
{
    for (int i = 0; i < count && *n < ROOM; i++)
        row[(*n)++] = x[i];
}

static tn_status trace_step(void *user, tn_sim *sim)
{
    trace *out = user;
    if (++out->steps <= out->skip)
        return TN_OK;
    double *row = out->at[out->rows++];
    int n = 0;
    tn_ledger l;
    tn_sim_ledger(sim, &l);
    put(row, &n, 1, &(double){tn_sim_time(sim)});
    put(row, &n, 8,
        (double[]){l.g, l.gdot, l.max_g, l.balance, l.energy, l.dissipated, l.supplied,
                   (double)l.newton});
    put(row, &n, tn_sim_nq(sim), tn_sim_q(sim));
    put(row, &n, tn_sim_nv(sim), tn_sim_v(sim));
    put(row, &n, tn_sim_nv(sim), tn_sim_a(sim));
    put(row, &n, tn_sim_nl(sim), tn_sim_lambda(sim));
    out->width = n;
    return out->rows > STEPS ? TN_ERR_STOPPED : TN_OK;
}

typedef struct keeper {
    int steps;
    void *saved;
    size_t size;
    trace rest;
} keeper;

static tn_status keep_step(void *user, tn_sim *sim)
{
    keeper *k = user;
    if (++k->steps == SAVED_AT)
        CHECK_OK(tn_sim_save(sim, &k->saved, &k->size));
    return k->steps > SAVED_AT ? trace_step(&k->rest, sim) : TN_OK;
}

static tn_sim *open(const char *file, const tn_sim_options *options, tn_model **model)
{
    char path[160];
    tn_sim *sim = NULL;
    tn_simulate simulate;
    snprintf(path, sizeof path, "models/%s.yaml", file);
    CHECK_OK(tn_model_load(tn_test_path(path), model, &simulate));
    const tn_status status = tn_sim_create(*model, options, &sim);
    CHECK(status == TN_OK || sim == NULL);
    return sim;
}

static bool is_end(tn_status status)
{
    return status == TN_OK || status == TN_ERR_STOPPED;
}

// 1 where it was compared, 0 where the method does not take the model, -1 where bits differ.
static int goes_on(const char *file, double t_end, const tn_sim_options *options)
{
    static keeper k;
    static trace loaded;
    tn_model *model = NULL, *other = NULL;
    tn_sim *first = open(file, options, &model);
    k = (keeper){0};
    loaded = (trace){0};
    const tn_status went = first ? tn_sim_run(first, t_end, keep_step, &k) : TN_ERR_PAIRING;
    int verdict = 0;
    if (k.saved && is_end(went)) {
        tn_sim *second = open(file, options, &other);
        CHECK_OK(tn_sim_load(second, k.saved, k.size));
        CHECK(is_end(tn_sim_run(second, t_end, trace_step, &loaded)));
        verdict = loaded.rows == k.rest.rows ? 1 : -1;
        for (int i = 0; i < loaded.rows && verdict > 0; i++)
            if (memcmp(loaded.at[i], k.rest.at[i], (size_t)loaded.width * sizeof(double)) != 0)
                verdict = -1;
        tn_sim_destroy(second);
    }
    tn_saved_free(k.saved);
    tn_sim_destroy(first);
    tn_model_destroy(model);
    tn_model_destroy(other);
    return verdict;
}

static tn_sim_options options_of(const char *method, double step)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = step;
    options.rtol = 1e-6, options.atol = 1e-8;
    return options;
}

static void every_pairing_goes_on_to_the_last_bit(void)
{
    static const char *const coordinates[] = {"absolute", "joint", "director"};
    int compared = 0, bad = 0;
    for (int m = 0; m < TN_COUNT(models); m++)
        for (int i = 0; i < tn_integrator_count; i++)
            for (int f = 0; f < tn_formulation_count; f++)
                for (int c = 0; c < TN_COUNT(coordinates); c++)
                    for (int fixed = 0; fixed < 2; fixed++) {
                        char method[96];
                        if (!tn_pairing_is_legal(tn_integrators[i], tn_formulations[f]) ||
                            (tn_integrators[i]->own_steps && !fixed) ||
                            ((m + i + f + c) % 4 && !getenv("TN_LONG")))
                            continue;
                        snprintf(method, sizeof method, "%s/%s@%s", tn_integrators[i]->name,
                                 tn_formulations[f]->name, coordinates[c]);
                        const tn_sim_options o = options_of(method, fixed ? models[m].step : 0.0);
                        const int verdict = goes_on(models[m].file, models[m].t_end, &o);
                        compared += verdict != 0;
                        bad += verdict < 0;
                        if (verdict < 0)
                            printf("%s by %s, %s steps: bits differ\n", models[m].file, method,
                                   fixed ? "fixed" : "controlled");
                    }
    printf("%d runs compared\n", compared);
    CHECK(bad == 0);
    CHECK(compared > 200);
}

static tn_sim *heavy_top(const char *method, double step, tn_model **model)
{
    const tn_sim_options options = options_of(method, step);
    return open("heavy_top", &options, model);
}

// Another process ---------------------------------------------------------------------------------

static const char *program; // this one

// What the other process does: a simulation of its own goes on from the bytes in a file.
static int go_on_from_file(void)
{
    static char bytes[1 << 22];
    static trace rest;
    tn_model *model = NULL;
    tn_sim *sim = heavy_top("radau5/ggl", 0.0, &model);
    FILE *file = fopen("state.bin", "rb");
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (!sim || size == 0 || fclose(file) != 0 || tn_sim_load(sim, bytes, size) != TN_OK ||
        tn_sim_run(sim, 0.1, trace_step, &rest) != TN_OK)
        return 1;
    tn_test_write("rest.bin", &rest, sizeof rest);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return 0;
}

static void another_process_goes_on_to_the_last_bit(void)
{
    static trace here, there;
    char line[1024];
    tn_model *model = NULL;
    tn_sim *sim = heavy_top("radau5/ggl", 0.0, &model);
    void *saved = NULL;
    size_t size = 0;
    CHECK_OK(tn_sim_run(sim, 0.05, NULL, NULL));
    CHECK_OK(tn_sim_save(sim, &saved, &size));
    tn_test_write("state.bin", saved, size);
    CHECK_OK(tn_sim_run(sim, 0.1, trace_step, &here));
    snprintf(line, sizeof line, "'%s' --go-on", program);
    CHECK(system(line) == 0);
    FILE *file = fopen("rest.bin", "rb");
    CHECK(file && fread(&there, sizeof there, 1, file) == 1 && fclose(file) == 0);
    CHECK(here.rows > 3 && memcmp(&here, &there, sizeof here) == 0);
    tn_saved_free(saved);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// bdf and adams start anew: the same motion within the tolerance, and they say so.
static void histories_of_sundials_start_anew(void)
{
    static const char *const methods[] = {"bdf/ggl", "adams/index1+project"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model[2];
        tn_sim *sim[2] = {heavy_top(methods[k], 0.0, &model[0]),
                          heavy_top(methods[k], 0.0, &model[1])};
        void *saved = NULL;
        size_t size = 0;
        CHECK(!tn_sim_loads_exactly(sim[0]));
        CHECK_OK(tn_sim_run(sim[0], 0.05, NULL, NULL));
        CHECK_OK(tn_sim_save(sim[0], &saved, &size));
        CHECK_OK(tn_sim_load(sim[1], saved, size));
        CHECK(tn_sim_time(sim[1]) == tn_sim_time(sim[0]));
        for (int i = 0; i < 2; i++)
            CHECK_OK(tn_sim_run(sim[i], 0.1, NULL, NULL));
        const tn_vec3 a = tn_sim_body_frame(sim[0], (tn_body){1}).p;
        const tn_vec3 b = tn_sim_body_frame(sim[1], (tn_body){1}).p;
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(a, b)), 0.0, 1e-4); // 100 rtol: two runs of one tolerance
        tn_saved_free(saved);
        for (int i = 0; i < 2; i++) {
            tn_sim_destroy(sim[i]);
            tn_model_destroy(model[i]);
        }
    }
}

// What is not the state of such a simulation is refused and changes nothing.
static void foreign_and_damaged_states_are_refused(void)
{
    tn_model *model[2];
    tn_sim *sim = heavy_top("galpha/ggl", 5e-4, &model[0]);
    tn_sim *other = heavy_top("radau5/ggl", 0.0, &model[1]);
    void *saved = NULL;
    size_t size = 0;
    CHECK_OK(tn_sim_run(sim, 0.01, NULL, NULL));
    CHECK_OK(tn_sim_save(sim, &saved, &size));
    CHECK_STATUS(tn_sim_load(other, saved, size), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "the saved state is that of another model, method or options");
    CHECK(tn_sim_time(other) == 0.0);
    tn_model *same = NULL;
    tn_sim *finer = heavy_top("galpha/ggl", 2.5e-4, &same);
    CHECK_STATUS(tn_sim_load(finer, saved, size), TN_ERR_USAGE);
    tn_sim_destroy(finer);
    tn_model_destroy(same);
    for (size_t cut = 0; cut < size; cut += 1 + size / 97) {
        CHECK_STATUS(tn_sim_load(sim, saved, cut), TN_ERR_USAGE);
        CHECK_TEXT(tn_last_error(), "the saved state is damaged");
    }
    for (size_t byte = 16; byte < size; byte += 1 + size / 997) {
        ((char *)saved)[byte] ^= (char)(1 << byte % 8);
        CHECK_STATUS(tn_sim_load(sim, saved, size), TN_ERR_USAGE);
        ((char *)saved)[byte] ^= (char)(1 << byte % 8);
    }
    CHECK_OK(tn_sim_load(sim, saved, size));
    ((char *)saved)[8] ^= 1;
    CHECK_STATUS(tn_sim_load(sim, saved, size), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(),
               "the saved state has version 0 of its format; this Tenon reads version 1");
    memcpy(saved, "TNIMAGE", 8);
    CHECK_STATUS(tn_sim_load(sim, saved, size), TN_ERR_USAGE);
    CHECK(strstr(tn_last_error(), "the saved state was written by a former version of Tenon"));
    CHECK_OK(tn_sim_run(other, 0.01, NULL, NULL));
    tn_saved_free(saved);
    tn_sim_destroy(sim);
    tn_sim_destroy(other);
    tn_model_destroy(model[0]);
    tn_model_destroy(model[1]);
}

// A model with the same parts and other numbers has the same blocks of memory, too.
static void states_of_models_that_look_alike_are_refused(void)
{
    static const char *const text =
        "tenon: 1\n"
        "bodies: {cart: {mass: %s, inertia: [1, 1, 1]}}\n"
        "joints: {rail: {kind: prismatic, body: cart, axis: [1, 0, 0]}}\n"
        "forces:\n"
        "  push: {kind: motor, joint: rail, effort: %s}\n"
        "  end: {kind: joint-stop, joint: rail, upper: 3, stiffness: %s}\n";
    static const char *const numbers[][3] = {
        {"2", "sin(t)", "100"}, {"3", "sin(t)", "100"}, {"2", "sin(2*t)", "100"},
        {"2", "sin(t)", "200"}, {"2", "sin(t)", "100"},
    };
    void *saved = NULL;
    size_t size = 0;
    for (int k = 0; k < TN_COUNT(numbers); k++) {
        char file[512];
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        const tn_sim_options options = options_of("galpha/ggl@joint", 1e-3);
        snprintf(file, sizeof file, text, numbers[k][0], numbers[k][1], numbers[k][2]);
        CHECK_OK(tn_model_parse(file, "cart", &model, NULL));
        CHECK_OK(tn_sim_create(model, &options, &sim));
        if (k == 0) {
            CHECK_OK(tn_sim_run(sim, 0.01, NULL, NULL));
            CHECK_OK(tn_sim_save(sim, &saved, &size));
        } else if (k < TN_COUNT(numbers) - 1) {
            CHECK_STATUS(tn_sim_load(sim, saved, size), TN_ERR_USAGE);
            CHECK_TEXT(tn_last_error(),
                       "the saved state is that of another model, method or options");
        } else {
            CHECK_OK(tn_sim_load(sim, saved, size));
            CHECK(tn_sim_time(sim) == 0.01);
        }
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
    tn_saved_free(saved);
}

// So has one whose expressions differ by a number.
static void states_of_models_with_other_expressions_are_refused(void)
{
    static const char *const text =
        "tenon: 1\n"
        "parameters: {k: %c}\n"
        "bodies: {cart: {mass: 2, inertia: [1, 1, 1]}}\n"
        "joints:\n"
        "  rail: {kind: prismatic, body: cart, axis: [1, 0, 0]}\n"
        "  row: {kind: velocity-row, row: cart.velocity.x - %c*t}\n"
        "tables: {f: {x: [0, 1], values: [0, %c]}}\n"
        "signals: {s: %c*t}\n"
        "states: {c: {rate: %c*s, limits: [-9, 5%c]}}\n"
        "unknowns: {u: {equation: u - 0.%c*t}}\n"
        "sampled: {r: {every: 0.%c, next: {a: %c*t}}}\n"
        "forces: {push: {kind: motor, joint: rail, effort: %c*c + f(u)}}\n";
    enum { NUMBERS = 10 };
    void *saved = NULL;
    size_t size = 0;
    for (int k = -1; k <= NUMBERS; k++) { // the last has them all as the first
        char file[800], n[NUMBERS];
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        const tn_sim_options options = options_of("radau5/ggl@absolute", 1e-3);
        memset(n, '1', sizeof n);
        if (k >= 0 && k < NUMBERS)
            n[k] = '2';
        snprintf(file, sizeof file, text, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8],
                 n[9]);
        CHECK_OK(tn_model_parse(file, "cart", &model, NULL));
        CHECK_OK(tn_sim_create(model, &options, &sim));
        if (k < 0) {
            CHECK_OK(tn_sim_run(sim, 0.01, NULL, NULL));
            CHECK_OK(tn_sim_save(sim, &saved, &size));
        } else if (k < NUMBERS) {
            CHECK_STATUS(tn_sim_load(sim, saved, size), TN_ERR_USAGE);
        } else {
            CHECK_OK(tn_sim_load(sim, saved, size));
        }
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
    tn_saved_free(saved);
}

// Values ------------------------------------------------------------------------------------------

// A simulation that has loaded a state has that state, value by value, and no other one.
static void what_was_loaded_is_saved_again(void)
{
    static const char *const methods[] = {
        "dopri5/index1@joint", "dop853/minimal@absolute",   "herk5/index2@absolute",
        "radau5/ggl@joint",    "galpha/ggl@director",       "bdf/ggl@absolute",
        "variational",         "energy-momentum/dalembert", "energy-momentum/reparam"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const tn_sim_options options = options_of(methods[k], 1e-3);
        tn_model *model[2];
        tn_sim *sim[2];
        void *saved[2] = {NULL};
        size_t size[2];
        for (int i = 0; i < 2; i++) {
            sim[i] = open("fourbar", &options, &model[i]);
            CHECK_OK(tn_sim_run(sim[i], i == 0 ? 0.023 : 0.007, NULL, NULL));
        }
        CHECK_OK(tn_sim_save(sim[0], &saved[0], &size[0]));
        CHECK_OK(tn_sim_load(sim[1], saved[0], size[0]));
        CHECK_OK(tn_sim_save(sim[1], &saved[1], &size[1]));
        CHECK(size[0] == size[1] && memcmp(saved[0], saved[1], size[0]) == 0);
        for (int i = 0; i < 2; i++) {
            tn_saved_free(saved[i]);
            tn_sim_destroy(sim[i]);
            tn_model_destroy(model[i]);
        }
    }
}

// Every channel, after each step.
typedef struct told {
    int width, rows;
    double at[40][400];
} told;

static const char *name_of(tn_sim *sim, int channel)
{
    static tn_channel_info info;
    CHECK_OK(tn_sim_channel_at(sim, channel, &info));
    return info.name;
}

static tn_status tell_step(void *user, tn_sim *sim)
{
    told *t = user;
    double *row = t->at[t->rows];
    t->rows = (t->rows + 1) % TN_COUNT(t->at);
    t->width = tn_sim_channel_count(sim);
    CHECK(t->width <= TN_COUNT(t->at[0]));
    for (int i = 0; i < t->width; i++)
        row[i] = strstr(name_of(sim, i), "wall") ? 0.0 : tn_sim_channel(sim, i);
    return TN_OK;
}

// Signs of rotations and the basis of reduced momenta go on from what was told last.
static void what_is_told_goes_on_to_the_last_bit(void)
{
    static const char *const methods[] = {"energy-momentum/reparam@director",
                                          "variational/dalembert@director", "radau5/ggl@joint"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        static told t[2];
        const tn_sim_options options = options_of(methods[k], 1e-2);
        tn_model *model[2];
        tn_sim *sim[2];
        void *saved = NULL;
        size_t size;
        for (int i = 0; i < 2; i++) {
            t[i] = (told){0};
            sim[i] = open("fourbar", &options, &model[i]);
        }
        CHECK_OK(tn_sim_run(sim[0], 4.6, tell_step, &t[0])); // the crank has turned by more than pi
        CHECK_OK(tn_sim_save(sim[0], &saved, &size));
        CHECK_OK(tn_sim_load(sim[1], saved, size));
        for (int i = 0; i < 2; i++) {
            t[i].rows = 0;
            CHECK_OK(tn_sim_run(sim[i], 4.8, tell_step, &t[i]));
        }
        CHECK(t[0].rows > 10 && t[0].rows == t[1].rows && t[0].width == t[1].width);
        for (int r = 0; r < t[0].rows; r++)
            CHECK(memcmp(t[0].at[r], t[1].at[r], (size_t)t[0].width * sizeof(double)) == 0);
        tn_saved_free(saved);
        for (int i = 0; i < 2; i++) {
            tn_sim_destroy(sim[i]);
            tn_model_destroy(model[i]);
        }
    }
}

static const tn_test tests[] = {
    {"what is told goes on to the last bit", what_is_told_goes_on_to_the_last_bit},
    {"every pairing goes on to the last bit", every_pairing_goes_on_to_the_last_bit},
    {"what was loaded is saved again", what_was_loaded_is_saved_again},
    {"another process goes on to the last bit", another_process_goes_on_to_the_last_bit},
    {"histories of SUNDIALS start anew", histories_of_sundials_start_anew},
    {"foreign and damaged states are refused", foreign_and_damaged_states_are_refused},
    {"states of models with other expressions are refused",
     states_of_models_with_other_expressions_are_refused},
    {"states of models that look alike are refused", states_of_models_that_look_alike_are_refused},
};

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc > 1 && strcmp(argv[1], "--go-on") == 0)
        return go_on_from_file();
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
