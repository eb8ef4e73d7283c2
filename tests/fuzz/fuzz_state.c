// SPDX-License-Identifier: MIT
//
// Saved states behind their checksum. The input is a list of edits, a place and a word each, of a
// state that is saved here, as one that is kept in a file would be refused by its names as soon as
// the library has others. A run that goes on from what was loaded ends by itself.

#include "fuzz.h"

#include "base/checksum.h"
#include "base/values.h"

#include <math.h>

enum { HEAD = 16, SUM = 12, EDIT = 12, STEPS = 3 };

static const char MODEL[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1, 0]}}\n"
    "  b: {kind: planar, mass: 2, inertia: 0.2, initial: {position: [2, 0]}}\n"
    "joints:\n"
    "  p: {kind: revolute, body: a, at: [0, 0]}\n"
    "  q: {kind: revolute, bodies: [a, b], at: [1.5, 0]}\n"
    "signals: {s: sin(3*t)}\n"
    "states: {c: {rate: s - c}}\n"
    "sampled: {r: {every: 0.05, next: {u: s + 0.1*c}}}\n"
    "forces:\n"
    "  d: {kind: joint-spring, joint: q, damping: 0.1}\n"
    "  m: {kind: motor, joint: p, effort: r.u}\n"
    "  e: {kind: joint-stop, joint: q, upper: 0.5, stiffness: 100}\n"
    "events: {turned: {joint: q, value: 0.1}}\n";

static const char *const methods[] = {"radau5/ggl@absolute", "galpha/ggl@absolute",
                                      "dopri5/index1@joint", "dop853/minimal@absolute",
                                      "bdf/ggl@absolute"};
enum { METHODS = sizeof methods / sizeof methods[0] };

static tn_model *model;

static tn_sim *open_sim(int method)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = methods[method];
    options.step = method % 2 ? 1e-3 : 0.0;
    if (tn_sim_create(model, &options, &sim) != TN_OK)
        abort();
    return sim;
}

static tn_status count_step(void *user, tn_sim *sim)
{
    int *steps = user;
    return ++*steps < STEPS ? TN_OK : TN_ERR_STOPPED;
}

static void edit(uint8_t *bytes, size_t size, const uint8_t *data, size_t n)
{
    for (; n >= EDIT; data += EDIT, n -= EDIT) {
        const size_t at = (size_t)tn_word_get(data, 4) % (size - 8);
        tn_word_put(bytes + at, tn_word_get(data + 4, 8), 8);
    }
    tn_word_put(bytes + SUM, tn_checksum(0, bytes + HEAD, size - HEAD), 4);
}

static void go_on(tn_sim *sim)
{
    int steps = 0;
    const tn_status status = tn_sim_run(sim, tn_sim_time(sim) + 0.01, count_step, &steps);
    for (int i = 0; i < tn_sim_nq(sim); i++)
        if ((status == TN_OK || status == TN_ERR_STOPPED) && !isfinite(tn_sim_q(sim)[i]))
            abort();
    if (status != TN_ERR_STOPPED)
        fuzz_check_status(status);
}

// A simulation and what it has saved. What refuses a state is as it was, and takes the next one.
typedef struct target {
    tn_sim *sim;
    uint8_t *bytes;
    size_t size;
} target;

static void prepare(target *of, int method)
{
    int steps = -20;
    void *bytes;
    if (!model && tn_model_parse(MODEL, "state", &model, NULL) != TN_OK)
        abort();
    if (!of->sim)
        of->sim = open_sim(method);
    if (of->bytes)
        return;
    (void)tn_sim_run(of->sim, 1.0, count_step, &steps);
    if (tn_sim_save(of->sim, &bytes, &of->size) != TN_OK)
        abort();
    of->bytes = bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static target targets[METHODS];
    const int method = size > 0 ? data[0] % METHODS : 0;
    target *of = &targets[method];
    prepare(of, method);
    uint8_t *copy = (uint8_t *)fuzz_text(of->bytes, of->size);
    edit(copy, of->size, data + 1, size > 0 ? size - 1 : 0);
    const tn_status status = tn_sim_load(of->sim, copy, of->size);
    fuzz_check_status(status);
    if (status == TN_OK) {
        go_on(of->sim);
        tn_sim_destroy(of->sim);
        of->sim = NULL;
    }
    free(copy);
    return 0;
}
