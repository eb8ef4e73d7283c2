// SPDX-License-Identifier: MIT
//
// Checkpoints of runs, behind their checksum. The input is a list of lines, a key and a value each,
// that replace those of the checkpoint of a run that was stopped here; or, from a brace on, all of
// its JSON; or, from a zero on, bytes of the whole file. A run that goes on ends by itself, and
// its folder is restored.

#include "fuzz.h"

#include "result/checkpoint.h"
#include "tenon/run.h"

#include <sys/stat.h>

enum { TEXT = 1 << 14, STEPS = 5 };

static const char MODEL[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies: {a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1, 0]}}}\n"
    "joints: {p: {kind: revolute, body: a, at: [0, 0]}}\n"
    "events: {turned: {joint: p, value: 0.1}}\n"
    "simulate: {t_end: 0.1, output: 2e-3, method: galpha/ggl, step: 1e-3}\n";

typedef struct stored {
    char *bytes;
    size_t size;
} stored;

static char folder[64], model[96];
static stored checkpoint, journal;

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/run/%s", folder, name);
    return path;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static stored read_file(const char *path)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &info) != 0)
        abort();
    stored s = {malloc((size_t)info.st_size + 1), (size_t)info.st_size};
    if (!s.bytes || fread(s.bytes, 1, s.size, file) != s.size)
        abort();
    fclose(file);
    return s;
}

// The run of the folder, new or again: STEPS steps of it.
typedef struct going {
    tn_run *run;
    int steps;
} going;

static void stop_soon(void *user)
{
    going *g = user;
    if (++g->steps == STEPS)
        tn_run_stop(g->run);
}

static void go_on(const tn_resume *resume)
{
    going g = {0};
    tn_run_options options = tn_default_run();
    char out[80];
    snprintf(out, sizeof out, "%s/run", folder);
    options.out = out;
    options.resume = resume;
    options.checkpoint = 1e9;
    options.stepped = stop_soon;
    options.user = &g;
    tn_status status = tn_run_create(model, NULL, NULL, &options, &g.run);
    TN_THEN(status, tn_run_open(g.run));
    TN_THEN(status, tn_run_simulate(g.run)); // not to its end, where files are made for long
    if (status != TN_ERR_STOPPED)
        fuzz_check_status(status);
    tn_run_destroy(g.run);
    tn_clear_error();
}

static void prepare(void)
{
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : "";
    snprintf(folder, sizeof folder, "%sfuzz-input-%d.run", place, (int)getpid());
    snprintf(model, sizeof model, "%s/m.yaml", folder);
    if (mkdir(folder, 0700) != 0)
        abort();
    write_file(model, MODEL, sizeof MODEL - 1);
    go_on(NULL);
    checkpoint = read_file(path_of(TN_CHECKPOINT_FILE));
    journal = read_file(path_of("result.journal"));
}

// Where the value of a key begins, NULL where there is none; its size is up to the end of the line.
static char *value_of(char *text, const char *key, size_t size)
{
    char name[64];
    snprintf(name, sizeof name, "\"%.*s\": ", (int)(size < 40 ? size : 40), key);
    char *at = strstr(text, name);
    return at ? at + strlen(name) : NULL;
}

// One line: a key, a blank and its value.
static void change(char *text, const char *line, size_t size)
{
    const char *blank = memchr(line, ' ', size);
    char *at = blank ? value_of(text, line, (size_t)(blank - line)) : NULL;
    if (!at)
        return;
    const size_t n = size - (size_t)(blank + 1 - line), was = strcspn(at, ",\n");
    if (strlen(text) + n >= TEXT)
        return;
    memmove(at + n, at + was, strlen(at + was) + 1);
    memcpy(at, blank + 1, n);
}

// Head, JSON and state of docs/formats/state.md: lengths behind 16 bytes, the JSON behind 28.
static void write_changed(const char *input)
{
    static char text[TEXT];
    unsigned length;
    memcpy(&length, checkpoint.bytes + 16, sizeof length);
    snprintf(text, sizeof text, "%.*s", (int)length, checkpoint.bytes + 28);
    if (*input == '{')
        snprintf(text, sizeof text, "%s", input);
    for (const char *line = input; *input != '{' && *line;) {
        const size_t n = strcspn(line, "\n");
        change(text, line, n);
        line += n + (line[n] == '\n');
    }
    fuzz_check_status(tn_checkpoint_write(path_of(TN_CHECKPOINT_FILE), text,
                                          checkpoint.bytes + 28 + length,
                                          checkpoint.size - 28 - length));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char run[80];
    tn_resume *resume = NULL;
    if (!*folder)
        prepare();
    char *text = fuzz_text(data, size);
    if (size > 0 && data[0] == 0)
        write_file(path_of(TN_CHECKPOINT_FILE), data + 1, size - 1);
    else
        write_changed(text);
    free(text);
    write_file(path_of("result.journal"), journal.bytes, journal.size);
    snprintf(run, sizeof run, "%s/run", folder);
    const tn_status status = tn_resume_open(run, &resume);
    fuzz_check_status(status);
    if (status == TN_OK && strcmp(tn_resume_model(resume), model) == 0)
        go_on(resume);
    tn_resume_close(resume);
    return 0;
}
