// SPDX-License-Identifier: MIT
//
// Shared by the tests of records: a small mechanism, its simulation and record, children that may
// be killed, and disks that fill up.

#pragma once

#include "test.h"

#include "result/record.h"
#include "tenon/tenon.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const double H = 1e-3;
static const char rod_name[] = "rod/1 \"left\", \xc3\xa4";

// Two links in space on revolute joints, the second with a name that needs care.
static inline tn_model *two_links(void)
{
    tn_model *model = tn_model_create();
    tn_body before = TN_GROUND;
    tn_model_set_gravity(model, tn_v3(0, 0, -9.81));
    for (int i = 0; i < 2; i++) {
        tn_body_def body = tn_default_body();
        body.name = i == 0 ? "crank" : rod_name;
        body.inertia = tn_v3(0.1, 0.1, 0.1);
        body.frame.p = tn_v3(i + 0.5, 0, 0);
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.name = i == 0 ? "." : "pin";
        pin.body_a = before;
        pin.body_b = before = tn_model_add_body(model, &body);
        pin.frame_a.R = pin.frame_b.R = tn_m3_rot_x(1.5707963267948966);
        pin.frame_a.p.x = i == 0 ? 0.0 : 0.5;
        pin.frame_b.p.x = -0.5;
        tn_model_add_joint(model, &pin);
    }
    return model;
}

typedef struct bench {
    tn_model *model;
    tn_sim *sim;
    tn_record *record;
} bench;

static inline bench start(void)
{
    bench b = {.model = two_links()};
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/ggl";
    CHECK_OK(tn_sim_create(b.model, &options, &b.sim));
    return b;
}

static inline void stop(bench *b)
{
    tn_sim_destroy(b->sim);
    tn_model_destroy(b->model);
}

static inline void clean(const char *directory)
{
    static const char *const files[] = {"result.journal", "result.h5", "result.csv",
                                        "summary.json"};
    char path[256];
    for (int i = 0; i < TN_COUNT(files); i++) {
        snprintf(path, sizeof(path), "%s/%s", directory, files[i]);
        remove(path);
    }
    remove(directory);
}

static inline tn_record_options only(bool hdf5, bool csv)
{
    tn_record_options options = tn_default_record();
    options.hdf5 = hdf5;
    options.csv = csv;
    options.model_path = "models/two links.yaml";
    return options;
}

static inline tn_status create(bench *b, const char *directory, tn_record_options options)
{
    return tn_record_create(directory, b->sim, &options, &b->record);
}

static inline void put_rows(bench *b, int rows)
{
    for (int i = 0; i < rows; i++) {
        CHECK_OK(tn_record_row(b->record, b->sim));
        CHECK_OK(tn_sim_step(b->sim, H));
    }
}

static inline bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

// A child process that ends with exit code 0 when `run` returns.
static inline int in_child(void (*run)(void))
{
    const pid_t child = fork();
    if (child == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1); // a check that fails ends the child
        run();
        _exit(0);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

static inline char *read_text(const char *path)
{
    static char text[1 << 21];
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    const size_t n = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[n] = '\0';
    return text;
}

static inline int count_lines(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static inline void limit_file_size(rlim_t bytes)
{
    const struct rlimit limit = {bytes, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

// Records until a write fails; the child of a test, so the limit ends with it.
static inline void fill_disk(const char *directory, tn_record_options options, int sink,
                             const char *file, rlim_t bytes)
{
    bench b = start();
    char expected[256];
    limit_file_size(bytes);
    CHECK_OK(create(&b, directory, options));
    tn_status s = TN_OK;
    for (int i = 0; s == TN_OK && i < 20000; i++) {
        CHECK_OK(tn_sim_step(b.sim, H)); // numbers with all digits
        s = tn_record_row(b.record, b.sim);
        if (s == TN_OK && i % 20 == 0)
            s = tn_record_flush(b.record);
    }
    CHECK(s == TN_ERR_FILE);
    const long saved = b.record->sink[sink]->saved;
    snprintf(expected, sizeof(expected), "cannot write %s/%s: File too large; rows saved: %ld",
             directory, file, saved);
    CHECK_TEXT(tn_last_error(), expected);
    CHECK_STATUS(tn_record_row(b.record, b.sim), TN_ERR_FILE);
    snprintf(expected, sizeof(expected),
             "%s/%s takes no more rows after a failed write; rows saved: %ld", directory, file,
             saved);
    CHECK_TEXT(tn_last_error(), expected);
    CHECK_OK(tn_record_close(b.record, "failed: the disk is full")); // it was said before
    stop(&b);
}
