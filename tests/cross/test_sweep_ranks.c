// SPDX-License-Identifier: MIT
//
// tenon sweep under mpirun: the same bytes as with workers, a rank that dies, and what is refused.
// Ranks are more than processors, and root may start them.

#include "cli_driver.h"

#include "processes.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>

// A pendulum in many steps: a case takes some milliseconds.
static const char pendulum[] =
    "tenon: 1\n"
    "parameters: {length: 1, m: 1}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies: {bob: {kind: point-2d, mass: m, initial: {position: [length, 0]}}}\n"
    "joints: {rod: {kind: distance, bodies: [ground, bob], length: length}}\n"
    "simulate: {method: galpha/ggl, step: 1.0e-3, t_end: 1}\n";

#define GRID                                                   \
    "sweep pendulum.yaml --set length=0.5:2:15 --set m=1:2:4 " \
    "--outputs 'max(bob.velocity.x),rms(bob.position.y)' "

// Runs a command of the shell; what it prints is in `cli`, its exit code is returned.
static int shell(const char *line)
{
    char all[4096];
    snprintf(all, sizeof all, "%s >stdout.txt 2>stderr.txt", line);
    const int status = tn_test_shell(all);
    read_text("stdout.txt", cli.out);
    read_text("stderr.txt", cli.err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool same_files(const char *a, const char *b)
{
    char line[200];
    snprintf(line, sizeof line, "cmp -s %s %s", a, b);
    return system(line) == 0;
}

#ifdef TN_MPIRUN

// Transports within one machine: looking for networks takes time and prints warnings.
#define RANKS(n) \
    TN_MPIRUN " --allow-run-as-root --oversubscribe --mca btl self,vader -n " #n " " TN_BINARY " "

static void ranks_give_the_same_bytes(void)
{
    write_text("pendulum.yaml", pendulum);
    CHECK(tenon(GRID "--jobs 1 --out one --quiet") == 0);
    CHECK(shell(RANKS(3) GRID "--out three") == 0);
    CHECK(strstr(cli.out, "60 cases, 60 done, 0 doubtful, 0 failed"));
    CHECK(!strstr(strstr(cli.out, "60 cases") + 1, "60 cases")); // told once
    CHECK(same_files("one/table.csv", "three/table.csv"));
    CHECK(shell(RANKS(2) GRID "--out two --quiet") == 0);
    CHECK(same_files("one/table.csv", "two/table.csv"));
    CHECK(same_files("one/cases.bin", "two/cases.bin"));
    // One rank is a process as any other.
    CHECK(shell(RANKS(1) GRID "--out alone --quiet") == 0);
    CHECK(same_files("one/table.csv", "alone/table.csv"));
    // More ranks than cases, and nothing left to do.
    CHECK(shell(RANKS(4) "sweep pendulum.yaml --set m=1:2:2 --outputs bob.position.y --quiet "
                         "--out few") == 0);
    CHECK(shell(RANKS(3) GRID "--out three --quiet") == 0);
}

static void cases_that_fail_are_rows(void)
{
    write_text("pendulum.yaml", pendulum);
    CHECK(shell(RANKS(3) "sweep pendulum.yaml --set m=-1:2:4 --outputs bob.position.y "
                         "--out fails") == 3);
    CHECK(strstr(cli.out, "4 cases, 2 done, 0 doubtful, 2 failed"));
}

// A rank that is killed ends the run, which is told and goes on from where it was.
static void a_rank_that_dies_ends_the_run(void)
{
    write_text("pendulum.yaml", pendulum);
    CHECK(tenon(GRID "--out whole --quiet") == 0);
    int rank[8], status = 0;
    const pid_t run = start_command(RANKS(3) GRID "--out killed", "ranks.txt");
    wait_for_size("killed/cases.bin", 3000);
    CHECK(children_of(run, rank, 8) == 3);
    kill(rank[2] > rank[1] ? rank[2] : rank[1], SIGKILL);
    CHECK(waitpid(run, &status, 0) == run);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) != 0);
    CHECK(tn_test_shell("tr -d '\\0' <ranks.txt >told.txt") == 0); // Open MPI 5 writes one
    read_text("told.txt", cli.out);
    CHECK(strstr(cli.out, "signal 9"));
    // The daemon of Open MPI 5, prterun, may end before it hands on what the first rank says.
    CHECK(strstr(cli.out, "goes on from there") || strstr(cli.out, "prterun"));
    CHECK(size_of_file("killed/cases.bin") > 0 &&
          size_of_file("killed/cases.bin") < size_of_file("whole/cases.bin"));
    CHECK(shell(RANKS(3) GRID "--out killed --quiet") == 0);
    CHECK(same_files("whole/table.csv", "killed/table.csv"));
}

// Told once, by the first rank.
static void mistakes_are_told_once(void)
{
    const struct {
        const char *words, *message;
    } bad[] = {
        {"sweep pendulum.yaml --set q=1:2:3 --outputs time", "unknown parameter 'q'"},
        {"sweep pendulum.yaml --set m=1:2:3 --outputs time --jobs 2",
         "every rank of mpirun is one worker"},
        {"sweep pendulum.yaml --set m=1:2:3 --outputs time --no-such-option", "no-such-option"},
    };
    write_text("pendulum.yaml", pendulum);
    for (int i = 0; i < TN_COUNT(bad); i++) {
        char line[1000];
        snprintf(line, sizeof line, RANKS(3) "%s --out refused", bad[i].words);
        CHECK(shell(line) == 1);
        const char *told = strstr(cli.err, bad[i].message);
        CHECK(told != NULL);
        CHECK(told && !strstr(told + 1, bad[i].message));
    }
}

// Ranks of another MPI would each run all cases.
static void other_ranks_are_refused(void)
{
    write_text("pendulum.yaml", pendulum);
    CHECK(shell("PMI_RANK=0 PMI_SIZE=3 OMPI_ALLOW_RUN_AS_ROOT=1 "
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 " TN_BINARY " " GRID "--out other") == 1);
    CHECK(strstr(cli.err, "mpirun has started 3 ranks, but the MPI that Tenon was built with"));
}

static const tn_test tests[] = {
    {"ranks give the same bytes", ranks_give_the_same_bytes},
    {"cases that fail are rows", cases_that_fail_are_rows},
    {"a rank that dies ends the run", a_rank_that_dies_ends_the_run},
    {"mistakes are told once", mistakes_are_told_once},
    {"other ranks are refused", other_ranks_are_refused},
};

#else

// Without the module ranks would each run all cases.
static void ranks_are_refused(void)
{
    write_text("pendulum.yaml", pendulum);
    CHECK(shell("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=3 " TN_BINARY " " GRID "--out none") ==
          1);
    CHECK(
        strstr(cli.err, "mpirun has started several ranks, and this Tenon was built without MPI"));
    CHECK(tenon(GRID "--out one --quiet") == 0);
    CHECK(shell("PMI_RANK=0 PMI_SIZE=1 " TN_BINARY " " GRID "--out two --quiet") == 0);
    CHECK(same_files("one/table.csv", "two/table.csv"));
}

static const tn_test tests[] = {{"ranks are refused", ranks_are_refused}};

#endif

int main(int argc, char **argv)
{
    enter_scratch("sweep-ranks-scratch");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
