// SPDX-License-Identifier: MIT
//
// Files of the command: what a killed run leaves, folders that two runs want, places that are no
// plain files, damage, control characters in names, and more output than anybody wants.

#include "cli_driver.h"

#include <signal.h>
#include <time.h>

static const char pendulum[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  rod: {kind: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], initial: {position: [0.5, 0, 0]}}\n"
    "joints:\n"
    "  pin: {kind: revolute, body: rod, at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "simulate: {t_end: 0.2, step: 1e-3}\n";

static void run_pendulum(const char *folder)
{
    write_text("pendulum.yaml", pendulum);
    CHECK(tenon("run pendulum.yaml --out %s --force --quiet", folder) == 0);
}

// Starts the command and goes on.
static pid_t start(const char *t_end, const char *folder)
{
    write_text("pendulum.yaml", pendulum);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)!freopen("started.txt", "w", stderr);
        execl(TN_BINARY, TN_BINARY, "run", "pendulum.yaml", "--quiet", "--t-end", t_end, "--out",
              folder, "--force", (char *)NULL);
        _exit(127);
    }
    CHECK(pid > 0);
    return pid;
}

static void wait_for_bytes(pid_t pid, const char *path, long bytes)
{
    const struct timespec moment = {0, 5000000};
    struct stat info = {0};
    while (stat(path, &info) != 0 || info.st_size < bytes) {
        CHECK(waitpid(pid, NULL, WNOHANG) == 0); // it goes on
        nanosleep(&moment, NULL);
    }
}

static int end_of(pid_t pid)
{
    int status = 0;
    CHECK(waitpid(pid, &status, 0) == pid);
    return status;
}

static void a_killed_run_leaves_its_rows(void)
{
    const pid_t pid = start("1e4", "killed");
    wait_for_bytes(pid, "killed/result.journal", 200000);
    kill(pid, SIGKILL);
    CHECK(WTERMSIG(end_of(pid)) == SIGKILL);
    CHECK(!file_exists("killed/result.h5"));
    CHECK(tenon("plot killed energy -o killed.svg") == 0);
    CHECK(strstr(cli.out, "Wrote killed.svg: 5 channels, ") && !strstr(cli.out, ", 0 rows"));
    CHECK(tenon("plot killed/result.journal --list") == 0);
    refuses(1, "run pendulum.yaml --out killed",
            "tenon: killed holds results already; use --force to replace them or --out for another "
            "place\n");
    run_pendulum("killed"); // and it can be replaced
    CHECK(file_exists("killed/result.h5") && !file_exists("killed/result.journal"));
}

static void a_second_run_is_refused_and_harms_nothing(void)
{
    const pid_t pid = start("1e4", "shared");
    wait_for_bytes(pid, "shared/result.journal", 100000);
    refuses(1, "run pendulum.yaml --out shared --force",
            "tenon: another run writes to shared at this moment; wait until it ends or choose "
            "another folder\n");
    kill(pid, SIGTERM);
    const int status = end_of(pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    CHECK(tenon("plot shared energy -o shared.svg") == 0);
    CHECK(file_exists("shared/result.journal")); // stopped: it may go on
    CHECK(tenon("plot shared/result.h5 energy -o shared.svg") == 0);
}

static void only_plain_files_are_replaced(void)
{
    struct stat info;
    run_pendulum("plain");
    remove("link.svg");
    remove("pipe.svg");
    write_text("outside", "precious");
    CHECK(symlink("outside", "link.svg") == 0 && mkfifo("pipe.svg", 0666) == 0);
    refuses(1, "plot plain energy -o link.svg",
            "tenon: cannot write link.svg: it is a link, and only plain files are replaced\n");
    refuses(1, "plot plain energy -o pipe.svg",
            "tenon: cannot write pipe.svg: it is a pipe, and only plain files are replaced\n");
    remove("plain/result.h5");
    CHECK(symlink("../outside", "plain/result.h5") == 0);
    CHECK(tenon("run pendulum.yaml --out plain --force --quiet") == 1);
    CHECK(strstr(cli.err, "tenon: cannot write plain/result.h5: it is a link"));
    read_text("outside", cli.out);
    CHECK_TEXT(cli.out, "precious");
    CHECK(lstat("pipe.svg", &info) == 0 && S_ISFIFO(info.st_mode));
    remove("way");
    remove("plain/result.h5");
    CHECK(symlink("plain", "way") == 0); // a folder that is reached by a link is fine
    CHECK(tenon("run pendulum.yaml --out way --force --quiet") == 0);
    CHECK(tenon("plot way energy -o '%s'", "-") == 1); // the ending tells the kind of picture
}

static void pages_go_to_the_standard_output(void)
{
    run_pendulum("page");
    if (tenon("report page -o -") == 0) {
        CHECK(strncmp(cli.out, "<!doctype html>", 15) == 0);
        CHECK_TEXT(cli.err, "");
        CHECK(!file_exists("-") && !file_exists("page/report.html"));
    }
}

static void a_flipped_bit_is_told(void)
{
    run_pendulum("flipped");
    FILE *file = fopen("flipped/result.h5", "r+b");
    CHECK(file && fseek(file, 5000, SEEK_SET) == 0);
    const int byte = fgetc(file);
    CHECK(fseek(file, 5000, SEEK_SET) == 0 && fputc(byte ^ 16, file) != EOF);
    fclose(file);
    refuses(2, "plot flipped energy -o flipped.svg",
            "tenon: flipped/result.h5 is damaged: the checksum of bytes 0 to 65535 is not that in "
            "summary.json; copy it again or repeat the run\n");
    CHECK(tenon("inverse pendulum.yaml --from flipped") == 2);
    CHECK(tenon("plot flipped energy -o flipped.svg --trust") != -1);
}

static void a_refused_model_tells_of_results_that_stay(void)
{
    run_pendulum("kept");
    write_text("broken.yaml", "tenon: 1\nbodies: {rod: {kind: rigid, mass: -1}}\n");
    CHECK(tenon("run broken.yaml --out kept --force") == 2);
    CHECK(strstr(cli.err, "tenon: note: kept still holds the results of an earlier run\n"));
    CHECK(tenon("plot kept energy -o kept.svg") == 0);
}

static void much_output_asks_for_yes(void)
{
    write_text("pendulum.yaml", pendulum);
    refuses(
        1, "run pendulum.yaml --output 1e-12 --out much",
        "tenon: the results would have 2e+11 rows, 7.68e+04 GB; a larger --output stores fewer, "
        "--yes allows more than 1e8 rows or 10 GB\n");
    CHECK(!file_exists("much"));
    CHECK(tenon("run pendulum.yaml --output 1e-3 --out much --yes --quiet") == 0);
}

// Rows between two steps are stored in a loop of their own, which must notice signals too.
static void a_signal_ends_a_flood_of_rows(void)
{
    write_text("flood.yaml", pendulum);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)!freopen("started.txt", "w", stderr);
        execl(TN_BINARY, TN_BINARY, "run", "flood.yaml", "--quiet", "--output", "1e-12", "--yes",
              "--out", "flood", "--force", (char *)NULL);
        _exit(127);
    }
    wait_for_bytes(pid, "flood/result.journal", 500000);
    kill(pid, SIGTERM);
    const int status = end_of(pid); // all rows would take days
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    CHECK(system("rm -rf flood") == 0);
}

static void control_characters_do_not_reach_the_terminal(void)
{
    write_text("colour.yaml", "tenon: 1\nbodies:\n  \"rod\\e[31m\": {kind: rigid, mass: 1, "
                              "inertia: [1, 1, 1]}\n");
    CHECK(tenon("check colour.yaml") == 2);
    CHECK(strstr(cli.err, "body 'rod\\x1b[31m': the name has a control character"));
    CHECK(!strchr(cli.err, '\x1b') && !strchr(cli.out, '\x1b'));
    write_text("value.yaml", "tenon: 1\nbodies:\n  rod: {kind: rigid, mass: \"\\e[2Jheavy\"}\n");
    CHECK(tenon("check value.yaml") == 2);
    CHECK(strstr(cli.err, "heavy") && !strchr(cli.err, '\x1b'));
}

static const tn_test tests[] = {
    {"a killed run leaves its rows", a_killed_run_leaves_its_rows},
    {"a second run is refused and harms nothing", a_second_run_is_refused_and_harms_nothing},
    {"only plain files are replaced", only_plain_files_are_replaced},
    {"pages go to the standard output", pages_go_to_the_standard_output},
    {"a flipped bit is told", a_flipped_bit_is_told},
    {"a refused model tells of results that stay", a_refused_model_tells_of_results_that_stay},
    {"much output asks for --yes", much_output_asks_for_yes},
    {"a signal ends a flood of rows", a_signal_ends_a_flood_of_rows},
    {"control characters do not reach the terminal", control_characters_do_not_reach_the_terminal},
};

int main(int argc, char **argv)
{
    enter_scratch("cli_files");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
