// SPDX-License-Identifier: MIT
//
// What may happen to a sweep from outside: a worker that is killed, and a disk that is full. All
// that has ended is kept, and the same command goes on to the same table.

#include "../cross/cli_driver.h"

#include "processes.h"
#include "test.h"

#include <signal.h>

// A pendulum in very many steps: a case takes some hundred milliseconds with an end of 0.5 s.
static void write_slow(double t_end)
{
    char text[400];
    snprintf(text, sizeof text,
             "tenon: 1\n"
             "parameters: {m: 1}\n"
             "gravity: [0, -9.81, 0]\n"
             "bodies: {bob: {kind: point-2d, mass: m, initial: {position: [1, 0]}}}\n"
             "joints: {rod: {kind: distance, bodies: [ground, bob], length: 1}}\n"
             "simulate: {method: galpha/ggl, step: 5.0e-6, t_end: %g}\n",
             t_end);
    write_text("slow.yaml", text);
}

static bool same_files(const char *a, const char *b)
{
    char line[200];
    snprintf(line, sizeof line, "cmp -s %s %s", a, b);
    return system(line) == 0;
}

// Starts a sweep in a new folder, and kills one of its two workers once its table has so many
// bytes. A worker that has not begun yet has a case as well. Where this process was kept waiting
// until all cases were through there is none to kill with a case: again then, with cases four times
// as long.
static void kill_a_worker(const char *sweep, const char *out, long bytes, int which)
{
    char line[400], cases[100], told[100];
    snprintf(line, sizeof line, "%s %s --out %s", TN_BINARY, sweep, out);
    snprintf(cases, sizeof cases, "%s/cases.bin", out);
    snprintf(told, sizeof told, "%s.txt", out);
    double t_end = 0.5;
    for (int status = 0; WEXITSTATUS(status) == 0; t_end *= 4.0) {
        int worker[4];
        CHECK(t_end < 100.0);
        CHECK(tn_test_shell("rm -rf killed waiting") == 0);
        write_slow(t_end);
        const int run = start_command(line, told);
        wait_for_size(cases, bytes);
        if (wait_for_children(run, worker, 2) == 2)
            (void)kill(worker[which], SIGKILL); // where it is there still
        CHECK(waitpid(run, &status, 0) == run);
        CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 3 || WEXITSTATUS(status) == 0));
    }
    read_text(told, cli.out);
}

#define SLOW "sweep slow.yaml --set m=1:2:4 --outputs bob.position.y --jobs 2"

static void a_worker_that_is_killed_costs_its_case(void)
{
    kill_a_worker(SLOW, "killed", 1, 0);
    CHECK(strstr(cli.out, "4 cases, 3 done, 0 doubtful, 1 failed"));
    read_text("killed/table.csv", cli.out);
    CHECK(strstr(cli.out, ",failed,the process that ran it crashed (signal 9)"));
    // It is run again, and nothing else.
    CHECK(tenon(SLOW " --out killed --quiet") == 0);
    CHECK(tenon(SLOW " --out whole --quiet --force") == 0);
    CHECK(same_files("killed/table.csv", "whole/table.csv"));
}

#define SHORT "sweep slow.yaml --set m=1:2:60 --outputs bob.position.y --jobs 2 --step 1e-4"

// A worker with another case waiting: that one is run by the next worker.
static void what_a_killed_worker_had_waiting_is_run(void)
{
    kill_a_worker(SHORT, "waiting", 600, 1);
    CHECK(strstr(cli.out, "60 cases, 59 done, 0 doubtful, 1 failed"));
    CHECK(tenon(SHORT " --out waiting --quiet") == 0);
}

static const char quick[] =
    "tenon: 1\n"
    "parameters: {m: 1}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies: {bob: {kind: point-2d, mass: m, initial: {position: [1, 0]}}}\n"
    "joints: {rod: {kind: distance, bodies: [ground, bob], length: 1}}\n"
    "simulate: {method: galpha/ggl, step: 1.0e-2, t_end: 0.1}\n";

#define QUICK "sweep quick.yaml --set m=1:2:100 --outputs bob.position.y "

// Runs the sweep where files have this many kilobytes at most.
static int run_in_room(int kilobytes, const char *out)
{
    char line[400];
    snprintf(line, sizeof line, "bash -c 'ulimit -f %d; %s %s --out %s' >stdout.txt 2>stderr.txt",
             kilobytes, TN_BINARY, QUICK, out);
    const int status = tn_test_shell(line);
    read_text("stderr.txt", cli.err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_full_disk_is_told_and_gone_on_from(void)
{
    write_text("quick.yaml", quick);
    CHECK(tenon(QUICK "--out roomy --quiet") == 0);
    // Full within a case, and between two.
    for (int kilobytes = 7; kilobytes <= 8; kilobytes++) {
        CHECK(run_in_room(kilobytes, "full") == 1);
        CHECK(strstr(cli.err, "cannot write full/cases.bin"));
        CHECK(!file_exists("full/table.csv"));
    }
    CHECK(tenon(QUICK "--out full --quiet") == 0);
    CHECK(same_files("full/table.csv", "roomy/table.csv"));
    // All cases are there, and the tables have no room: none is left that is not whole.
    CHECK(system("rm full/table.csv full/table.h5") == 0);
    CHECK(run_in_room(2, "full") == 1);
    CHECK(strstr(cli.err, "full/table.csv"));
    CHECK(!file_exists("full/table.csv") && !file_exists("full/table.h5"));
    CHECK(tenon(QUICK "--out full --quiet") == 0);
    CHECK(same_files("full/table.csv", "roomy/table.csv"));
    CHECK(same_files("full/cases.bin", "roomy/cases.bin"));
}

static const tn_test tests[] = {
    {"a worker that is killed costs its case", a_worker_that_is_killed_costs_its_case},
    {"what a killed worker had waiting is run", what_a_killed_worker_had_waiting_is_run},
    {"a full disk is told and gone on from", a_full_disk_is_told_and_gone_on_from},
};

int main(int argc, char **argv)
{
    enter_scratch("sweep-faults-scratch");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
