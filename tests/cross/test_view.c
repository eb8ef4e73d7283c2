// SPDX-License-Identifier: MIT
//
// tenon view as a user has it: the command in a process of its own, asked over a socket while a
// run goes on, stopped by its page and by signals, and started where it cannot work.

#include "cli_driver.h"
#include "http.h"
#include "page/page.h"
#include "page_data.h"
#include "view/serve.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>

typedef struct {
    pid_t pid;
    int port; // 0 when the first line has none
    FILE *out;
    char first[256]; // line that it printed
} viewer;

enum { MOST_ARGUMENTS = 24 };

// A run that goes on until it is stopped: a thousand seconds in steps of 0.1 ms.
#define ENDLESS "pendulum.yaml", "--t-end", "1000", "--step", "1e-4", "--output", "1e-2"

static const char *const no_display[] = {"DISPLAY", "WAYLAND_DISPLAY"};

static double wall_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

// In the child. A shell in the background ignores Ctrl-C, and so would the command.
static void become_viewer(int out, const char *const *arguments)
{
    const char *argv[MOST_ARGUMENTS + 4] = {"tenon", "view", "--no-browser"};
    const int err = open("stderr.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);

    for (int i = 0; arguments[i]; i++)
        argv[3 + i] = arguments[i];
    for (int i = 0; i < TN_COUNT(no_display); i++)
        unsetenv(no_display[i]);
    signal(SIGINT, SIG_DFL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execv(TN_BINARY, (char *const *)argv);
    _exit(127);
}

static pid_t left_over; // by a test that failed

static void end_left_over(void)
{
    if (left_over > 0)
        kill(left_over, SIGKILL);
}

static viewer start_viewer(const char *const *arguments)
{
    viewer v = {0};
    int ends[2];

    end_left_over();
    CHECK(pipe(ends) == 0);
    v.pid = left_over = fork();
    if (v.pid == 0) {
        close(ends[0]);
        become_viewer(ends[1], arguments);
    }
    CHECK(v.pid > 0);
    close(ends[1]);
    v.out = fdopen(ends[0], "r");
    CHECK(fgets(v.first, sizeof(v.first), v.out) != NULL);
    sscanf(v.first, "http://%*[0-9.]:%d/", &v.port);
    return v;
}

#define START(...) start_viewer((const char *const[]){__VA_ARGS__, NULL})

// The exit code, once the process has ended; what it printed is in cli.
static int wait_for(viewer *v)
{
    const double began = wall_time();
    int status = 0;

    while (waitpid(v->pid, &status, WNOHANG) == 0) {
        if (wall_time() - began > HTTP_PATIENCE) {
            kill(v->pid, SIGKILL);
            CHECK(!"the viewer ends");
        }
        pause_ms(5);
    }
    left_over = 0;
    const size_t n = fread(cli.out, 1, sizeof(cli.out) - 1, v->out);
    cli.out[n] = '\0';
    fclose(v->out);
    read_text("stderr.txt", cli.err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int end_by(viewer *v, int number)
{
    kill(v->pid, number);
    return wait_for(v);
}

static tn_document *data_from(const viewer *v, long from)
{
    char path[64];

    snprintf(path, sizeof(path), "/data.json?from=%ld", from);
    http_reply reply = http_get(v->port, path);
    CHECK(reply.code == 200);
    tn_document *doc = json_of(reply.body);
    http_free(&reply);
    return doc;
}

// Asks until the run has the status, as the page does; returns the number of rows.
static long rows_until(const viewer *v, const char *status, long least)
{
    const double began = wall_time();
    double last = -1.0;
    long from = 0, n = 0;

    for (;;) {
        tn_document *doc = data_from(v, from);
        double *time = page_numbers(tn_node_get(doc->root, "frames"), "time", &n);
        for (long i = 0; i < n; i++) {
            CHECK(time[i] > last);
            last = time[i];
        }
        from += n;
        const bool on = strcmp(json_text(doc, "live"), "true") == 0;
        const bool found = strcmp(json_text(doc, "run.status"), status) == 0 && from >= least;
        free(time);
        tn_document_destroy(doc);
        if (found && (on || strcmp(status, "running") != 0))
            return from;
        CHECK(wall_time() - began < HTTP_PATIENCE);
        pause_ms(20);
    }
}

static void fetch_model(void)
{
    char line[1024];

    snprintf(line, sizeof(line), "rm -rf *.results; cp %s .", tn_test_path("models/pendulum.yaml"));
    CHECK(tn_test_shell(line) == 0);
}

static void check_page(const viewer *v, const char *part)
{
    http_reply page = http_get(v->port, "/");

    CHECK(page.code == 200);
    CHECK(http_has_line(&page, "Content-Type: text/html; charset=utf-8"));
    CHECK(strstr(page.body, "<script id=\"tenon-data\"") != NULL ||
          strstr(page.body, "id=tenon-data") != NULL);
    CHECK(strstr(page.body, "\"title\":\"pendulum\"") != NULL); // the name of the model
    CHECK(strstr(page.body, part) != NULL);
    http_free(&page);
}

// Results -----------------------------------------------------------------------------------------

static void results_are_served_until_ctrl_c(void)
{
    fetch_model();
    CHECK(tenon("run pendulum.yaml --t-end 1") == 0);
    viewer v = START("pendulum.results");
    check_page(&v, "\"live\":false");
    CHECK(http_code(v.port, "HEAD", "/", "localhost", "") == 200);
    CHECK(http_code(v.port, "GET", "/result.h5", "localhost", "") == 404);
    CHECK(http_code(v.port, "GET", "/data.json", "localhost", "") == 404);
    CHECK(http_code(v.port, "POST", "/stop", "localhost", "") == 404);
    CHECK(http_code(v.port, "POST", "/", "localhost", "") == 405);
    CHECK(http_code(v.port, "GET", "/", "evil.example", "") == 403);
    CHECK(http_connect("127.0.0.2", v.port) == -1);
    CHECK(end_by(&v, SIGINT) == 0);
    CHECK_TEXT(cli.out, ""); // nothing but the address
    CHECK_TEXT(cli.err, "");

    v = START("pendulum.results/result.h5");
    check_page(&v, "\"live\":false");
    CHECK(end_by(&v, SIGTERM) == 0);
}

static void results_that_were_replaced_are_read_again(void)
{
    fetch_model();
    CHECK(tenon("run pendulum.yaml --t-end 1") == 0);
    viewer v = START("pendulum.results");
    check_page(&v, "\"t_end\":1,");
    CHECK(tenon("run pendulum.yaml --t-end 2 --force") == 0);
    check_page(&v, "\"t_end\":2,");
    CHECK(end_by(&v, SIGINT) == 0);
}

static void paths_outside_are_not_found(void)
{
    static const char *const paths[] = {
        "/../pendulum.yaml", "/%2e%2e/pendulum.yaml", "/..%2fpendulum.yaml", "//etc/passwd",
        "/etc/passwd",       "/summary.json",         "/pendulum.results/",  "/%00",
    };

    fetch_model();
    CHECK(tenon("run pendulum.yaml --t-end 0.1") == 0);
    viewer v = START("pendulum.results");
    for (int i = 0; i < TN_COUNT(paths); i++)
        CHECK(http_code(v.port, "GET", paths[i], "localhost", "") == 404);
    CHECK(end_by(&v, SIGINT) == 0);
}

// A model -----------------------------------------------------------------------------------------

static void a_run_grows_and_is_stopped_by_its_page(void)
{
    fetch_model();
    viewer v = START(ENDLESS);
    check_page(&v, "\"live\":true");
    const long some = rows_until(&v, "running", 1);
    const long more = rows_until(&v, "running", some + 5);
    CHECK(more > some);
    pause_ms(500); // it tells how it goes every 0.2 s
    tn_document *doc = data_from(&v, more);
    CHECK(json_number(doc, "from") == (double)more);
    CHECK(json_number(doc, "run.t_end") == 1000.0);
    CHECK(json_number(doc, "run.time") < 1000.0);
    CHECK(json_number(doc, "run.steps") > 0.0);
    tn_document_destroy(doc);

    CHECK(http_code(v.port, "GET", "/stop", "localhost", "") == 405);
    CHECK(http_code(v.port, "POST", "/stop", "localhost", "Origin: http://evil.example\r\n") ==
          403);
    rows_until(&v, "running", more + 5); // still there
    CHECK(http_code(v.port, "POST", "/stop", "localhost", "Content-Length: 0\r\n") == 200);
    CHECK(rows_until(&v, "stopped", 1) > more);
    check_page(&v, "\"status\":\"stopped\""); // now from the results
    check_page(&v, "\"live\":false");
    CHECK(http_code(v.port, "POST", "/stop", "localhost", "") == 200); // once more
    CHECK(end_by(&v, SIGINT) == 3);
    CHECK(strstr(cli.err, "the results up to t = ") != NULL);
    read_text("pendulum.results/summary.json", cli.out);
    doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "stopped");
    tn_document_destroy(doc);
    CHECK(file_exists("pendulum.results/result.h5"));
}

static void a_run_that_ends_stays_to_be_seen(void)
{
    long n = 0;

    fetch_model();
    viewer v = START("pendulum.yaml", "--t-end", "2");
    CHECK(rows_until(&v, "done", 201) == 201);
    tn_document *doc = data_from(&v, 200);
    const tn_node *frames = tn_node_get(doc->root, "frames");
    double *time = page_numbers(frames, "time", &n);
    CHECK(n == 1 && time[0] == 2.0);
    double *position = page_numbers(frames, "position", &n);
    read_text("pendulum.results/summary.json", cli.out);
    tn_document *summary = json_of(cli.out);
    const tn_node *end = json_at(summary, "final.bodies.bob.position");
    CHECK(n == 3 && position[0] == atof(end->children[0]->text));
    CHECK(position[1] == atof(end->children[1]->text));
    tn_document_destroy(summary);
    tn_document_destroy(doc);
    free(time);
    free(position);
    check_page(&v, "\"status\":\"done\"");
    CHECK(end_by(&v, SIGINT) == 0);
    CHECK(strncmp(cli.out, "pendulum.yaml: done\n", 20) == 0); // the ledger of the run
}

static void ctrl_c_ends_run_and_server(void)
{
    fetch_model();
    viewer v = START(ENDLESS);
    rows_until(&v, "running", 3);
    const int idle = http_connect("127.0.0.1", v.port);
    CHECK(end_by(&v, SIGINT) == 3);
    close(idle);
    CHECK(http_connect("127.0.0.1", v.port) == -1);
    CHECK(strncmp(cli.err, "tenon: stopped at t = ", 22) == 0);
    read_text("pendulum.results/summary.json", cli.out);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "stopped");
    tn_document_destroy(doc);
    viewer again = START("pendulum.results");
    check_page(&again, "\"status\":\"stopped\"");
    CHECK(end_by(&again, SIGINT) == 0);
}

// The clients that leave and those that do not read cost the run nothing.
static void clients_do_not_hold_up_the_run(void)
{
    const char ask[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const struct linger reset = {.l_onoff = 1};
    int slow[8];

    fetch_model();
    viewer v = START("pendulum.yaml", "--t-end", "5", "--step", "1e-4");
    for (int i = 0; i < TN_COUNT(slow); i++) {
        slow[i] = http_connect("127.0.0.1", v.port);
        for (int k = 0; k < 20; k++) // asks and never reads
            http_send(slow[i], ask, strlen(ask));
    }
    for (int i = 0; i < 60; i++) {
        const int fd = http_connect("127.0.0.1", v.port);
        CHECK(fd >= 0);
        http_send(fd, ask, i % 3 == 0 ? 20 : strlen(ask));
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
        close(fd);
    }
    rows_until(&v, "done", 501);
    for (int i = 0; i < TN_COUNT(slow); i++)
        close(slow[i]);
    CHECK(end_by(&v, SIGINT) == 0);
}

static void many_requests_during_a_run(void)
{
    fetch_model();
    viewer v = START(ENDLESS);
    for (int i = 0; i < 200; i++)
        CHECK(http_code(v.port, "GET", "/data.json", "localhost", "") == 200);
    CHECK(end_by(&v, SIGTERM) == 3);
}

static void a_run_that_fails_is_told(void)
{
    fetch_model();
    viewer v =
        START("pendulum.yaml", "--newton-max", "1", "--newton-tol", "1e-15", "--step", "0.3");
    rows_until(&v, "failed", 1);
    tn_document *doc = data_from(&v, 0);
    CHECK(*json_text(doc, "run.reason"));
    tn_document_destroy(doc);
    CHECK(end_by(&v, SIGINT) == 3);
}

// Where it cannot work ----------------------------------------------------------------------------

static void a_taken_port_costs_no_results(void)
{
    char text[256];

    fetch_model();
    CHECK(tenon("run pendulum.yaml --t-end 0.1 --out old") == 0);
    viewer v = START("old");
    CHECK(tenon("view pendulum.yaml --no-browser --port %d", v.port) == 1);
    snprintf(text, sizeof(text),
             "tenon: port %d of 127.0.0.1 is taken by another program; choose another one, or 0 "
             "for any that is free\n",
             v.port);
    CHECK_TEXT(cli.err, text);
    CHECK_TEXT(cli.out, "");
    CHECK(!file_exists("pendulum.results"));
    CHECK(end_by(&v, SIGINT) == 0);
    CHECK(system("rm -r old") == 0);
}

static void other_addresses_are_asked_for(void)
{
    fetch_model();
    CHECK(tenon("run pendulum.yaml --t-end 0.1") == 0);
    refuses(1, "view pendulum.results --no-browser --bind 192.0.2.1",
            "tenon: address 192.0.2.1 does not belong to this machine\n");
    refuses(1, "view pendulum.results --no-browser --bind example.org",
            "tenon: address is 'example.org'; it must be an address in numbers such as 127.0.0.1 "
            "or ::1\n");
    refuses(1, "view pendulum.results --no-browser --port 70000",
            "tenon: port is 70000; it must lie between 0 and 65535\n");
    viewer v = START("pendulum.results", "--bind", "0.0.0.0");
    CHECK(strncmp(v.first, "http://0.0.0.0:", 15) == 0);
    const int fd = http_connect("127.0.0.2", v.port);
    CHECK(fd >= 0);
    close(fd);
    CHECK(end_by(&v, SIGINT) == 0);
    CHECK(strstr(cli.err, "other machines can reach http://0.0.0.0:") != NULL);
}

static void wrong_words_are_refused(void)
{
    fetch_model();
    CHECK(tenon("run pendulum.yaml --t-end 0.1") == 0);
    refuses(1, "view pendulum.results --no-browser --step 0.1",
            "tenon: --step is for a model that is to be run; pendulum.results holds results of a "
            "run\n");
    refuses(1, "view pendulum.yaml --no-browser",
            "tenon: pendulum.results holds results already; use --force to replace them or --out "
            "for another place\n");
    CHECK(tenon("view --no-browser") == 1);
    CHECK(tenon("view nothing.yaml --no-browser") == 2);
    CHECK(tenon("view nothing.h5 --no-browser") == 2);
    CHECK(system("mkdir -p empty.results") == 0);
    CHECK(tenon("view empty.results --no-browser") == 2);
    CHECK(system("head -c 1000 pendulum.results/result.h5 >cut.h5") == 0);
    CHECK(tenon("view cut.h5 --no-browser") == 2);
    CHECK(*cli.err && strchr(cli.err, '\n') == strrchr(cli.err, '\n')); // one sentence
}

static void json_has_the_address(void)
{
    fetch_model();
    CHECK(tenon("run pendulum.yaml --t-end 0.1") == 0);
    viewer v = START("pendulum.results", "--json");
    CHECK(end_by(&v, SIGINT) == 0);
    char *all = tn_format("%s%s", v.first, cli.out);
    tn_document *doc = json_of(all);
    tn_free(all);
    CHECK_TEXT(json_text(doc, "status"), "serving");
    CHECK(strncmp(json_text(doc, "address"), "http://127.0.0.1:", 17) == 0);
    CHECK(json_number(doc, "port") > 0.0);
    tn_document_destroy(doc);
}

static void without_page_or_server_there_is_a_sentence(void)
{
    fetch_model();
    CHECK(tenon("run pendulum.yaml --t-end 0.1") == 0);
    CHECK(tenon("view pendulum.results --no-browser") == 1);
    CHECK(strstr(cli.err, "this Tenon was built without") != NULL);
    CHECK(tenon("view pendulum.yaml --force --no-browser") == 1);
    CHECK(strstr(cli.err, "this Tenon was built without") != NULL);
}

static const tn_test without[] = {
    {"without page or server there is a sentence", without_page_or_server_there_is_a_sentence},
};

static const tn_test tests[] = {
    {"results are served until Ctrl-C", results_are_served_until_ctrl_c},
    {"results that were replaced are read again", results_that_were_replaced_are_read_again},
    {"paths outside are not found", paths_outside_are_not_found},
    {"a run grows and is stopped by its page", a_run_grows_and_is_stopped_by_its_page},
    {"a run that ends stays to be seen", a_run_that_ends_stays_to_be_seen},
    {"Ctrl-C ends run and server", ctrl_c_ends_run_and_server},
    {"clients do not hold up the run", clients_do_not_hold_up_the_run},
    {"many requests during a run", many_requests_during_a_run},
    {"a run that fails is told", a_run_that_fails_is_told},
    {"a taken port costs no results", a_taken_port_costs_no_results},
    {"other addresses are asked for", other_addresses_are_asked_for},
    {"wrong words are refused", wrong_words_are_refused},
    {"JSON has the address", json_has_the_address},
};

int main(int argc, char **argv)
{
    enter_scratch("view_scratch");
    atexit(end_left_over);
    if (tn_report_check() != TN_OK || !tn_server_available())
        return tn_run_tests(without, TN_COUNT(without), argc, argv);
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
