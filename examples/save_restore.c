// SPDX-License-Identifier: MIT
//
// A simulation that is saved in one process and goes on in another: both end with the same numbers,
// to the last bit. The program starts itself a second time, with the name of the file of bytes.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

static const char *const text =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  upper: {mass: 2, inertia: [0.2, 0.2, 0.01], initial: {position: [0, 0, -0.5]}}\n"
    "  lower: {mass: 1, inertia: [0.1, 0.1, 0.01], initial: {position: [0, 0, -1.5]}}\n"
    "joints:\n"
    "  shoulder: {kind: universal, body: upper, at: [0, 0, 0], axis: [1, 0, 0],\n"
    "             axis_2: [0, 1, 0], initial: {position: [2.5, 0.3]}}\n"
    "  elbow: {kind: revolute, bodies: [upper, lower], at: [0, 0, -1], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  friction: {kind: joint-spring, joint: elbow, damping: 0.05}\n";

enum { NUMBERS = 6 }; // angles of the joints and their rates
static const char *const file = "save_restore.bytes", *const answer = "save_restore.answer";

static tn_status start(tn_sim **sim)
{
    tn_model *model = NULL;
    tn_sim_options options = tn_default_sim();
    options.method = "dop853@joint";
    tn_status s = tn_model_parse(text, "double pendulum", &model, NULL);
    if (s == TN_OK)
        s = tn_sim_create(model, &options, sim);
    tn_model_destroy(model); // the simulation keeps it alive
    return s;
}

static tn_status finish(tn_sim *sim, double out[NUMBERS])
{
    const tn_status s = tn_sim_run(sim, 4.0, NULL, NULL);
    tn_sim_joint_coordinates(sim, (tn_joint){0}, out, out + 3);
    tn_sim_joint_coordinates(sim, (tn_joint){1}, out + 2, out + 5);
    return s;
}

static bool write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    const bool ok = f && fwrite(bytes, 1, size, f) == size;
    return f && fclose(f) == 0 && ok;
}

// Into memory that the caller frees; NULL where the file cannot be read.
static void *read_bytes(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    void *bytes = NULL;
    if (f && fseek(f, 0, SEEK_END) == 0) {
        *size = (size_t)ftell(f);
        rewind(f);
        bytes = malloc(*size);
        if (bytes && fread(bytes, 1, *size, f) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (f)
        fclose(f);
    return bytes;
}

// The second process: goes on from the bytes of the first, and writes where it ended.
static tn_status go_on(void)
{
    tn_sim *sim = NULL;
    size_t size = 0;
    double end[NUMBERS];
    void *bytes = read_bytes(file, &size);
    tn_status s = bytes ? start(&sim) : TN_ERR_FILE;
    if (s == TN_OK)
        s = tn_sim_load(sim, bytes, size);
    if (s == TN_OK)
        s = finish(sim, end);
    if (s == TN_OK && !write_bytes(answer, end, sizeof end))
        s = TN_ERR_FILE;
    free(bytes);
    tn_sim_destroy(sim);
    return s;
}

// The first one: saves after 2 s, goes on itself, and lets the other one do the same.
static tn_status save_and_go_on(const char *program, double mine[NUMBERS])
{
    tn_sim *sim = NULL;
    void *saved = NULL;
    size_t size = 0;
    char command[1000];
    tn_status s = start(&sim);
    if (s == TN_OK)
        s = tn_sim_run(sim, 2.0, NULL, NULL);
    if (s == TN_OK)
        s = tn_sim_save(sim, &saved, &size);
    if (s == TN_OK && !write_bytes(file, saved, size))
        s = TN_ERR_FILE;
    if (s == TN_OK)
        printf("saved %zu bytes at t = %g s\n", size, tn_sim_time(sim));
    tn_saved_free(saved);
    if (s == TN_OK)
        s = finish(sim, mine);
    tn_sim_destroy(sim);
    snprintf(command, sizeof command, "\"%s\" go-on", program);
    return s == TN_OK && system(command) != 0 ? TN_ERR_FILE : s;
}

int main(int argc, char **argv)
{
    double mine[NUMBERS], *theirs = NULL;
    size_t size = 0;
    const tn_status s = argc > 1 ? go_on() : save_and_go_on(argv[0], mine);
    if (s != TN_OK)
        fprintf(stderr, "%s\n", *tn_last_error() ? tn_last_error() : tn_status_text(s));
    if (s != TN_OK || argc > 1)
        return s == TN_OK ? 0 : 1;
    theirs = read_bytes(answer, &size);
    const bool same = theirs && size == sizeof mine && memcmp(mine, theirs, size) == 0;
    for (int k = 0; k < NUMBERS && theirs; k++)
        printf("%-5s %d: %24.17g here, %24.17g in the other process\n", k < 3 ? "angle" : "rate",
               k % 3 + 1, mine[k], theirs[k]);
    puts(same ? "both motions agree to the last bit" : "the motions differ");
    free(theirs);
    remove(file);
    remove(answer);
    return same ? 0 : 1;
}
