// SPDX-License-Identifier: MIT
//
// Saved states that were written with bad intent: every field of a real one gets a wrong name,
// size, kind or number, and a checksum that fits. Each ends in a sentence, which changes nothing,
// or in a run whose numbers are finite.

#include "base/checksum.h"
#include "base/values.h"
#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { HEAD = 16, RECORD = 12, MOST_RECORDS = 4000, STEPS = 3 };

// A saved state, and where its records begin: lengths of name and unit, kind, a zero, count; then
// the texts and the values.
typedef struct state {
    const char *file, *method;
    double step;
    tn_model *model;
    tn_sim *sim;
    unsigned char *bytes;
    size_t size;
    int count;
    size_t record[MOST_RECORDS], value[MOST_RECORDS];
    int refused, went; // how the attacks ended
} state;

static size_t values_of(const state *s, int k)
{
    return (size_t)tn_word_get(s->bytes + s->record[k] + 4, 8);
}

static void index_records(state *s)
{
    s->count = 0;
    for (size_t at = HEAD; at < s->size;) {
        CHECK(s->count < MOST_RECORDS);
        s->record[s->count] = at;
        at += RECORD + s->bytes[at] + s->bytes[at + 1];
        s->value[s->count] = at;
        at += 8 * values_of(s, s->count++);
    }
}

static tn_sim *open_sim(state *s)
{
    char path[160];
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    snprintf(path, sizeof path, "models/%s.yaml", s->file);
    if (!s->model)
        CHECK_OK(tn_model_load(tn_test_path(path), &s->model, NULL));
    options.method = s->method;
    options.step = s->step;
    CHECK_OK(tn_sim_create(s->model, &options, &sim));
    return sim;
}

static tn_status count_step(void *user, tn_sim *sim)
{
    int *steps = user;
    return ++*steps < STEPS ? TN_OK : TN_ERR_STOPPED;
}

static void open_state(state *s)
{
    void *saved;
    int steps = -9;
    s->sim = open_sim(s);
    CHECK_STATUS(tn_sim_run(s->sim, 1.0, count_step, &steps), TN_ERR_STOPPED);
    CHECK_OK(tn_sim_save(s->sim, &saved, &s->size));
    s->bytes = saved;
    index_records(s);
}

static void close_state(state *s)
{
    printf("%s by %s: %d fields, %d attacks refused, %d went on\n", s->file, s->method, s->count,
           s->refused, s->went);
    tn_saved_free(s->bytes);
    tn_sim_destroy(s->sim);
    tn_model_destroy(s->model);
}

static void check_finite(tn_sim *sim)
{
    for (int i = 0; i < tn_sim_nq(sim); i++)
        CHECK(isfinite(tn_sim_q(sim)[i]));
    for (int i = 0; i < tn_sim_nv(sim); i++)
        CHECK(isfinite(tn_sim_v(sim)[i]));
    CHECK(isfinite(tn_sim_time(sim)));
}

// Loads what the bytes are now. A run that goes on may have any motion, but ends by itself.
static void attack(state *s)
{
    const uint32_t sum = tn_checksum(0, s->bytes + HEAD, s->size - HEAD);
    tn_word_put(s->bytes + 12, sum, 4);
    const double t = tn_sim_time(s->sim);
    tn_status status = tn_sim_load(s->sim, s->bytes, s->size);
    if (status == TN_OK) {
        int steps = 0;
        s->went++;
        status = tn_sim_run(s->sim, tn_sim_time(s->sim) + 0.01, count_step, &steps);
        if (status == TN_OK || status == TN_ERR_STOPPED)
            check_finite(s->sim);
        else
            CHECK(*tn_last_error());
        tn_sim_destroy(s->sim); // what it remembers is not that of a motion
        s->sim = open_sim(s);
        return;
    }
    s->refused++;
    CHECK(status == TN_ERR_USAGE);
    CHECK(strncmp(tn_last_error(), "the saved state ", 16) == 0);
    CHECK(tn_sim_time(s->sim) == t);
}

// A word of so many bytes becomes another one, and what it was.
static void attack_word(state *s, size_t at, int bytes, uint64_t x)
{
    const uint64_t was = tn_word_get(s->bytes + at, bytes);
    tn_word_put(s->bytes + at, x, bytes);
    if (tn_word_get(s->bytes + at, bytes) != was)
        attack(s);
    tn_word_put(s->bytes + at, was, bytes);
}

static uint64_t word_of(double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

static void attack_heads(state *s, int k)
{
    const size_t at = s->record[k];
    for (int byte = 0; byte < RECORD; byte += 1 + k % 2)
        attack_word(s, at + (size_t)byte, 1,
                    (uint64_t)(s->bytes[at + (size_t)byte] ^ (1 << k % 8)));
    attack_word(s, at + RECORD + (size_t)k % s->bytes[at], 1, 'X');
    attack_word(s, at + 4, 8, UINT64_MAX / 8);
    attack_word(s, at + 4, 8, values_of(s, k) + 1);
}

// One value of each field becomes several others; which one differs from field to field.
static void attack_values(state *s, int k)
{
    const uint64_t numbers[] = {word_of(NAN),   word_of(INFINITY),  word_of(-1e300),
                                word_of(1e300), word_of(-1e-300),   word_of(0.0),
                                word_of(-1.0),  word_of(1234567.8), word_of(1.0)};
    const uint64_t counts[] = {UINT64_MAX,   0, 1, 2, 1000, INT32_MAX, INT64_MAX, INT32_MIN,
                               INT64_MIN / 2};
    const uint64_t n = values_of(s, k);
    const bool integer = s->bytes[s->record[k] + 2] == 'i';
    for (int i = k % 3; i < TN_COUNT(numbers) && n > 0; i += 3)
        attack_word(s, s->value[k] + 8 * ((uint64_t)(k + i) % n), 8,
                    integer ? counts[i] : numbers[i]);
}

static void wrong_fields_are_refused_or_harmless(void)
{
    static const struct {
        const char *file, *method;
        double step;
    } of[] = {{"pendulum", "dopri5/index1@joint", 0.0},
              {"fourbar", "galpha/ggl@absolute", 1e-3},
              {"crane", "radau5/ggl@joint", 0.0},
              {"heavy_top", "bdf/ggl@absolute", 1e-3}};
    for (int i = 0; i < TN_COUNT(of); i++) {
        state s = {.file = of[i].file, .method = of[i].method, .step = of[i].step};
        open_state(&s);
        for (int k = 0; k < s.count; k++) {
            if (k % 8 == i)
                attack_heads(&s, k);
            attack_values(&s, k);
        }
        CHECK(s.refused > s.count && s.went > 10);
        close_state(&s);
    }
}

static void cut_states_are_refused(void)
{
    state s = {.file = "fourbar", .method = "energy-momentum/dalembert", .step = 1e-3};
    open_state(&s);
    const size_t whole = s.size;
    for (int k = 1; k < s.count; k += 3) {
        s.size = s.record[k];
        attack(&s);
        s.size = s.value[k];
        attack(&s);
    }
    CHECK(s.went == 0);
    s.size = whole;
    close_state(&s);
}

static const tn_test tests[] = {
    {"wrong fields are refused or harmless", wrong_fields_are_refused_or_harmless},
    {"cut states are refused", cut_states_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
