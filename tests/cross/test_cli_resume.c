// SPDX-License-Identifier: MIT
//
// tenon run --resume: runs that are killed, or stopped by a signal, as soon as they have left a
// state, go on and end with the very bytes of a run that nothing has happened to.

#define _GNU_SOURCE // memmem
#include "cli_driver.h"

#include "base/checksum.h"
#include "base/values.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char model[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1, 0]}}\n"
    "  b: {kind: planar, mass: 2, inertia: 0.2, initial: {position: [2, 0]}}\n"
    "joints:\n"
    "  p: {kind: revolute, body: a, at: [0, 0]}\n"
    "  q: {kind: revolute, bodies: [a, b], at: [1.5, 0]}\n"
    "forces:\n"
    "  d: {kind: joint-spring, joint: q, damping: 0.1}\n"
    "simulate: {t_end: 30, output: 0.5}\n";

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static long size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : 0;
}

enum { EMPTY = 4096 }; // bytes: a checkpoint without a state is smaller, with one larger

// Whether the checkpoint holds a state, and its text, behind 28 bytes, these words.
static bool checkpoint_has(const char *words)
{
    char text[EMPTY + 1] = "";
    FILE *file =
        size_of("cut/result.checkpoint") < EMPTY ? NULL : fopen("cut/result.checkpoint", "rb");
    if (!file)
        return false;
    (void)!fread(text, 1, EMPTY, file);
    fclose(file);
    return strstr(text + 28, words) != NULL;
}

// Starts a run and ends it by a signal once its checkpoint holds a state and these words; false
// where the run was faster than that.
static bool interrupt_at(const char *words, const char *file, const char *method, int number)
{
    const pid_t child = fork();
    if (child == 0) {
        execl(TN_BINARY, "tenon", "run", file, "--method", method, "--rtol", "1e-11", "--csv",
              "--quiet", "--force", "--out", "cut", "--checkpoint", "0", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    while (!checkpoint_has(words) && waitpid(child, &status, WNOHANG) == 0)
        nap();
    kill(child, number);
    waitpid(child, &status, 0);
    return number == SIGKILL ? WIFSIGNALED(status) : WEXITSTATUS(status) == 3;
}

static bool interrupt_run(const char *method, int number)
{
    return interrupt_at("", "m.yaml", method, number);
}

// The same of a run that must be interrupted: on a busy machine some are faster than their signal.
static void must_interrupt(const char *method, int number)
{
    bool interrupted = false;
    for (int i = 0; i < 20 && !interrupted; i++) {
        unlink("cut/result.checkpoint");
        interrupted = interrupt_run(method, number);
    }
    CHECK(interrupted);
}

static void read_file(const char *path, char **bytes, long *size)
{
    *size = size_of(path);
    *bytes = tn_alloc((size_t)*size + 1);
    FILE *file = fopen(path, "rb");
    CHECK(file && fread(*bytes, 1, (size_t)*size, file) == (size_t)*size);
    fclose(file);
}

static bool same_bytes(const char *a, const char *b)
{
    char *x, *y;
    long n, m;
    read_file(a, &x, &n);
    read_file(b, &y, &m);
    const bool same = n == m && n > 1000 && memcmp(x, y, (size_t)n) == 0;
    tn_free(x);
    tn_free(y);
    return same;
}

static void runs_go_on_to_the_last_byte(void)
{
    static const char *const methods[] = {"dopri5/index1+project@absolute", "radau5/ggl@absolute",
                                          "dop853@joint"};
    static const int signals[] = {SIGKILL, SIGTERM, SIGKILL};
    int interrupted = 0;
    write_text("m.yaml", model);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        CHECK(tenon("run m.yaml --method %s --rtol 1e-11 --csv --force --out whole", methods[k]) ==
              0);
        if (!interrupt_run(methods[k], signals[k]))
            continue;
        interrupted++;
        CHECK(tenon("run --resume cut --quiet") == 0);
        CHECK(same_bytes("whole/result.csv", "cut/result.csv"));
        CHECK(file_exists("cut/result.h5") && !file_exists("cut/result.checkpoint"));
        CHECK(!file_exists("cut/result.journal"));
    }
    CHECK(interrupted > 0);
    refuses(1, "run --resume cut",
            "tenon: the run in cut has ended: there is nothing to go on with\n");
}

// The damper comes in at t = 1 s: auto begins anew there. Interrupted before and behind that.
static void runs_that_began_anew_go_on(void)
{
    static const char *const words[] = {"\"stiff\": null", "not stiff at the start"};
    int interrupted = 0;
    write_text("grows.yaml",
               "tenon: 1\n"
               "bodies: {b: {kind: planar, mass: 1, inertia: 1, initial: {position: [1, 0]}}}\n"
               "outputs:\n"
               "  x: {point: [0, 0], of: b, axis: x}\n"
               "  vx: {quantity: velocity, point: [0, 0], of: b, axis: x}\n"
               "forces:\n"
               "  f: {kind: point-force, body: b,\n"
               "      force: [\"-40*x - 2e4*(1 + tanh(20*(t - 1)))*vx\", \"0\"]}\n"
               "simulate: {t_end: 10}\n");
    CHECK(tenon("run grows.yaml --rtol 1e-11 --csv --force --out whole") == 0);
    CHECK(strstr(cli.out, "radau5/ggl@joint: chosen: not stiff at the start") != NULL);
    for (int k = 0; k < TN_COUNT(words); k++) {
        if (!interrupt_at(words[k], "grows.yaml", "auto", SIGKILL))
            continue;
        interrupted++;
        CHECK(tenon("run --resume cut") == 0);
        CHECK(strstr(cli.out, "radau5/ggl@joint: chosen: not stiff at the start") != NULL);
        CHECK(same_bytes("whole/result.csv", "cut/result.csv"));
    }
    CHECK(interrupted > 0);
}

// A run without an end, anew or again, that a signal ends when its table is there.
static int end_long_run(bool again, int number)
{
    const pid_t child = fork();
    if (child == 0) {
        if (again)
            execl(TN_BINARY, "tenon", "run", "--resume", "long", "--quiet", (char *)NULL);
        execl(TN_BINARY, "tenon", "run", "m.yaml", "--method", "radau5/ggl@absolute", "--t-end",
              "1e6", "--csv", "--checkpoint", "1e6", "--quiet", "--force", "--out", "long",
              (char *)NULL);
        _exit(127);
    }
    int status = 0;
    while (size_of("long/result.csv") == 0 && waitpid(child, &status, WNOHANG) == 0)
        nap();
    for (int i = 0; i < 50; i++)
        nap();
    // On a busy machine it may not have made a step yet.
    const long there = size_of("long/result.csv");
    for (int i = 0; i < 3000 && size_of("long/result.csv") == there; i++)
        nap();
    kill(child, number);
    waitpid(child, &status, 0);
    CHECK(remove("long/result.csv") == 0); // is made anew
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static double long_time(void)
{
    static char text[CLI_TEXT_SIZE];
    read_text("long/summary.json", text);
    const char *at = strstr(text, "\"time\": ");
    CHECK(at != NULL);
    return strtod(at + 8, NULL);
}

// The state is that of the moment of the stop, with an interval between rows too, and not the last
// that was saved on the way: a run that is killed at once has none, and goes on from its start. One
// that hears the stop within a search, as few do, goes on from the state before.
static void stopped_runs_go_on_from_there(void)
{
    write_text("m.yaml", model);
    CHECK(tn_test_shell("rm -rf long") == 0);
    CHECK(end_long_run(false, SIGKILL) == -1);
    CHECK(size_of("long/result.checkpoint") < EMPTY);
    double before = 0.0;
    int kept = 0;
    for (int i = 0; i < 6 && kept < 3; i++) {
        CHECK(end_long_run(true, SIGTERM) == 3);
        if (size_of("long/result.checkpoint") < EMPTY)
            continue;
        CHECK(long_time() > before);
        before = long_time();
        kept++;
    }
    CHECK(kept == 3);
}

// A table has no checksums: the journal, which has them, makes it anew.
static void tables_are_made_from_the_journal(void)
{
    int interrupted = 0;
    write_text("m.yaml", model);
    CHECK(tenon("run m.yaml --method radau5/ggl@absolute --rtol 1e-11 --csv --force --out whole") ==
          0);
    if (interrupt_run("radau5/ggl@absolute", SIGKILL)) {
        interrupted++;
        FILE *file = fopen("cut/result.csv", "r+");
        CHECK(file && fseek(file, 700, SEEK_SET) == 0 && fputs("12345", file) > 0);
        CHECK(fclose(file) == 0);
        CHECK(tenon("run --resume cut --quiet") == 0);
        CHECK(same_bytes("whole/result.csv", "cut/result.csv"));
    }
    if (interrupt_run("radau5/ggl@absolute", SIGKILL)) {
        interrupted++;
        CHECK(remove("cut/result.csv") == 0);
        CHECK(tenon("run --resume cut --quiet") == 0);
        CHECK(same_bytes("whole/result.csv", "cut/result.csv"));
    }
    CHECK(interrupted > 0);
}

// A folder in the place of the unfinished result.h5 cannot be replaced by it.
static void missing_files_are_made_without_a_further_step(void)
{
    write_text("m.yaml", model);
    CHECK(tenon("run m.yaml --csv --force --out whole --quiet") == 0);
    CHECK(tn_test_shell("rm -rf bare && mkdir -p bare/result.h5.part") == 0);
    CHECK(tenon("run m.yaml --csv --out bare") == 3);
    CHECK(strstr(cli.out, "bare: result.journal, result.csv, summary.json\n"));
    CHECK(strstr(cli.err, "tenon: cannot write bare/result.h5: "));
    CHECK(strstr(cli.err, "; all rows are in bare/result.journal, which report, plot and view "));
    CHECK(strstr(cli.err, "tenon: to make the files that are missing: tenon run --resume bare\n"));
    CHECK(rmdir("bare/result.h5.part") == 0);
    CHECK(tenon("run --resume bare --checkpoint 0") == 0);
    CHECK(strstr(cli.out, "bare: result.h5, result.csv, summary.json\n"));
    CHECK(same_bytes("whole/result.csv", "bare/result.csv"));
    CHECK(!file_exists("bare/result.journal") && !file_exists("bare/result.checkpoint"));
    CHECK(tn_test_shell("for d in whole bare; do grep -v 'wall_time\\|crc32\\|command\\|results' "
                        "$d/summary.json >$d.txt; done; cmp whole.txt bare.txt") == 0);
}

static void what_cannot_go_on_says_why(void)
{
    write_text("m.yaml", model);
    must_interrupt("galpha/ggl@absolute", SIGKILL);
    refuses(1, "run --resume cut --rtol 1e-3",
            "tenon: --resume takes the options that the run began with: state no others but "
            "--report, --quiet, --json, --yes, --threads and --checkpoint\n");
    write_text("m.yaml", "tenon: 1\n");
    refuses(1, "run --resume cut",
            "tenon: m.yaml has changed since the run began, which therefore cannot go on; run it "
            "anew with --force\n");
    write_text("m.yaml", model);
    char whole[sizeof model + 40]; // the model in a part, which changes
    snprintf(whole, sizeof whole, "tenon: 1\ninclude: part.yaml\n");
    write_text("part.yaml", model);
    write_text("m.yaml", whole);
    must_interrupt("galpha/ggl@absolute", SIGKILL);
    snprintf(whole, sizeof whole, "%s# other\n", model);
    write_text("part.yaml", whole);
    refuses(1, "run --resume cut",
            "tenon: part.yaml, a part of m.yaml, has changed since the run began, which therefore "
            "cannot go on; run it anew with --force\n");
    write_text("m.yaml", model);
    must_interrupt("galpha/ggl@absolute", SIGKILL);
    CHECK(truncate("cut/result.journal", 3000) == 0);
    CHECK(tenon("run --resume cut") == 1);
    CHECK(strstr(cli.err, "tenon: the run in cut cannot go on; repeat it: cut/result.journal "));
    CHECK(truncate("cut/result.checkpoint", 3000) == 0);
    refuses(2, "run --resume cut",
            "tenon: cut/result.checkpoint is damaged: the run cannot go on from it; repeat the "
            "run\n");
    refuses(1, "run --resume nowhere",
            "tenon: nowhere holds no run that could go on: result.checkpoint is missing\n");
}

// Writes the checkpoint with another value of a key of its JSON, and the checksum that belongs to
// it.
static void write_otherwise(const char *bytes, long size, const char *key, const char *value)
{
    enum { SUM = 12, ABOUT = 16, HEAD = 28 }; // docs/formats/state.md
    char name[40], text[EMPTY];
    const long length = (long)tn_word_get((const unsigned char *)bytes + ABOUT, 4);
    snprintf(name, sizeof name, "\"%s\": ", key);
    const char *at = memmem(bytes + HEAD, (size_t)length, name, strlen(name));
    CHECK(at != NULL);
    at += strlen(name);
    const size_t was = strcspn(at, ",\n");
    snprintf(text, sizeof text, "%.*s%s%.*s", (int)(at - bytes - HEAD), bytes + HEAD, value,
             (int)(bytes + HEAD + length - at - (long)was), at + was);
    const size_t now = strlen(text), rest = (size_t)(size - HEAD - length);
    unsigned char *out = tn_alloc(HEAD + now + rest);
    memcpy(out, bytes, HEAD);
    tn_word_put(out + ABOUT, now, 4);
    memcpy(out + HEAD, text, now);
    memcpy(out + HEAD + now, bytes + HEAD + length, rest);
    tn_word_put(out + SUM, tn_checksum(0, out + ABOUT, HEAD - ABOUT + now + rest), 4);
    tn_test_write("cut/result.checkpoint", out, HEAD + now + rest);
    tn_free(out);
}

// What does not agree with the journal, with the model or with the state is refused, and the
// journal keeps its rows.
static void checkpoints_that_tell_otherwise_are_refused(void)
{
    static const char *const lies[][2] = {
        {"journal", "0"},      {"journal", "-1"},   {"journal", "5000"}, {"journal", "1e15"},
        {"sequence", "1"},     {"sequence", "1e9"}, {"rows", "0"},       {"rows", "1e9"},
        {"rows", "-1"},        {"stored", "-5"},    {"stored", "1e300"}, {"stored", "-.inf"},
        {"ended", "1"},        {"event", "7"},      {"model_sum", "1"},  {"model", "null"},
        {"model", "\"none\""}, {"stiff", "[1]"},
    };
    char *bytes;
    long size;
    write_text("m.yaml", model);
    must_interrupt("galpha/ggl@absolute", SIGTERM);
    read_file("cut/result.checkpoint", &bytes, &size);
    const long rows = size_of("cut/result.journal");
    for (int k = 0; k < TN_COUNT(lies); k++) {
        write_otherwise(bytes, size, lies[k][0], lies[k][1]);
        const int code = tenon("run --resume cut --quiet");
        printf("%s %s: %d, %s", lies[k][0], lies[k][1], code, cli.err);
        CHECK((code == 1 || code == 2) && strlen(cli.err) > 40);
        CHECK(size_of("cut/result.journal") == rows);
    }
    tn_test_write("cut/result.checkpoint", bytes, (size_t)size);
    tn_free(bytes);
    CHECK(tenon("run --resume cut --quiet") == 0);
    CHECK(tenon("run m.yaml --method galpha/ggl@absolute --rtol 1e-11 --csv --force --out whole") ==
          0);
    CHECK(same_bytes("whole/result.csv", "cut/result.csv"));
}

static ino_t number_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? info.st_ino : 0;
}

// Starts a run that would take long, waits until its checkpoint is another file than `before` and
// ends it; false where that takes more than ten seconds.
static bool saves(char *const *words, ino_t before, int number)
{
    bool saved = false;
    const pid_t child = fork();
    if (child == 0) {
        execv(TN_BINARY, words);
        _exit(127);
    }
    for (int k = 0; k < 5000 && !saved; k++) {
        nap();
        const ino_t now = number_of("slow/result.checkpoint");
        saved = now != 0 && now != before;
    }
    kill(child, number);
    waitpid(child, NULL, 0);
    return saved;
}

static void runs_that_go_on_take_another_time_between_checkpoints(void)
{
    char *const begin[] = {"tenon", "run",  "m.yaml",       "--t-end", "1e6", "--quiet",
                           "--out", "slow", "--checkpoint", "1000",    NULL};
    char *const go_on[] = {"tenon",   "run",          "--resume", "slow",
                           "--quiet", "--checkpoint", "0",        NULL};
    write_text("m.yaml", model);
    CHECK(tn_test_shell("rm -rf slow") == 0);
    CHECK(saves(begin, 0, SIGTERM));
    CHECK(saves(go_on, number_of("slow/result.checkpoint"), SIGKILL));
}

static void histories_of_sundials_are_said_to_be_lost(void)
{
    write_text("m.yaml", model);
    if (!interrupt_run("bdf/ggl@absolute", SIGKILL))
        return; // the machine was faster
    CHECK(tenon("run --resume cut --quiet") == 0);
    CHECK(strstr(cli.err, "tenon: note: bdf/ggl@absolute begins a new history at t = ") == cli.err);
}

static const tn_test tests[] = {
    {"runs go on to the last byte", runs_go_on_to_the_last_byte},
    {"runs that began anew go on", runs_that_began_anew_go_on},
    {"stopped runs go on from there", stopped_runs_go_on_from_there},
    {"tables are made from the journal", tables_are_made_from_the_journal},
    {"missing files are made without a further step",
     missing_files_are_made_without_a_further_step},
    {"what cannot go on says why", what_cannot_go_on_says_why},
    {"checkpoints that tell otherwise are refused", checkpoints_that_tell_otherwise_are_refused},
    {"runs that go on take another time between checkpoints",
     runs_that_go_on_take_another_time_between_checkpoints},
    {"histories of SUNDIALS are said to be lost", histories_of_sundials_are_said_to_be_lost},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
