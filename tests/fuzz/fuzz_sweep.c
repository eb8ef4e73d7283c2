// SPDX-License-Identifier: MIT
//
// What a sweep reads: values of a parameter as text and from a table, outputs, samples, and the
// store of ended cases behind its checksums.

#include "fuzz.h"

#include "base/checksum.h"
#include "study/sweep_parts.h"

enum { VALUES = 2, PLACES = 4 };

static void read_axis(const char *text, bool sampled)
{
    sweep_axes axes = {0};
    sweep_axis axis;
    fuzz_check_status(tn_sweep_read_axis(text, sampled, &axis));
    if (tn_array_push(&axes, axis) != TN_OK)
        abort();
    tn_sweep_free_axes(&axes);
}

static void read_words(const char *text)
{
    sweep_outputs outputs = {0};
    sweep_output output;
    sweep_sample sample = {0};
    read_axis(text, false);
    read_axis(text, true);
    fuzz_check_status(tn_sweep_read_sample(text, &sample));
    fuzz_check_status(tn_sweep_read_output(text, 1, &output));
    if (tn_array_push(&outputs, output) != TN_OK)
        abort();
    tn_sweep_free_outputs(&outputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double values[VALUES];
    char axis[128], *text = fuzz_text(data, size);
    sweep_ended ended = {.values = values};
    sweep_store store;
    if (!strchr(text, '@')) // names no other file
        read_words(text);
    free(text);
    snprintf(axis, sizeof axis, "x=@%s", fuzz_file("", data, size));
    read_axis(axis, false);
    const tn_status status = tn_sweep_store_open(axis + 3, 0, VALUES, false, &store);
    fuzz_check_status(status);
    for (int i = 0; status == TN_OK && i < PLACES; i++)
        fuzz_check_status(tn_sweep_store_get(&store, i, &ended));
    tn_sweep_store_close(&store);
    return 0;
}
