// SPDX-License-Identifier: MIT
//
// tenon view: the page of a run in a browser, served on this machine. Given a model it runs it,
// as `tenon run` does, and the page shows the run while it goes on.

#include "run.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    tn_view_options view;
    tn_run_options run;
    bool no_browser;
} view_options;

#define OPTION(...) CLI_OPTION(view_options, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("port", view.port, INTEGER, "", "port to serve at; 0, the default, takes a free one"),
    OPTION("bind", view.address, TEXT, "ADDRESS", "address to serve at; 127.0.0.1 when left out"),
    OPTION("no_browser", no_browser, BOOL, "", "do not open a browser"),
    OPTION("trust", view.trust, BOOL, "", "read results without checksums all the same"),
    OPTION("out", run.out, TEXT, "DIR", "folder for the results; MODEL.results when left out"),
    OPTION("force", run.replace, BOOL, "", "replace results that the folder holds"),
    OPTION("csv", run.csv, BOOL, "", "write result.csv beside result.h5"),
    OPTION("yes", run.large, BOOL, "", "store more than 1e8 rows or 10 GB"),
};

typedef struct {
    view_options wanted;
    tn_view *page;
    const char *results; // NULL for a model
    cli_running of;      // a model; its run is NULL for results
    int code;            // how it ended
    atomic_bool over;
    pthread_t watcher; // the thread that waits for signals
} view;

// Signals -----------------------------------------------------------------------------------------

// Blocks the signals that end this command in all threads that start from now on; one thread waits
// for them. SIGUSR1 wakes it when the run is over. Signals that the caller chose to ignore stay
// ignored.
static void block_signals(sigset_t *set)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    sigemptyset(set);
    sigaddset(set, SIGUSR1);
    for (int i = 0; i < CLI_COUNT(numbers); i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaddset(set, numbers[i]);
    pthread_sigmask(SIG_BLOCK, set, NULL);
}

// Until the user wants to end and the run is over. The first signals end the run after its step;
// one more ends the process at once.
static void wait_for_end(view *v, const sigset_t *set)
{
    int number = 0, asked = 0;
    while (sigwait(set, &number) == 0) {
        const bool over = !v->of.run || atomic_load(&v->over);
        asked += number != SIGUSR1;
        if (asked > 0 && over)
            return;
        if (number == SIGUSR1 && over)
            cli_message("the page stays at %s until Ctrl-C", tn_view_url(v->page));
        if (asked > 0)
            tn_run_stop(v->of.run);
        if (asked > 2) {
            pthread_sigmask(SIG_UNBLOCK, set, NULL);
            raise(number);
        }
    }
}

// The browser -------------------------------------------------------------------------------------

static bool has_display(void)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x && *x) || (wayland && *wayland);
}

// In the new process: nothing of ours may stay open in it, above all not the results.
static void become_browser(const char *url)
{
    const int null = open("/dev/null", O_RDWR);
    sigset_t none;
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        dup2(null, fd);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    setsid();
    execlp("xdg-open", "xdg-open", url, (char *)NULL);
    _exit(127);
}

static void open_browser(const view *v)
{
    if (v->wanted.no_browser || !has_display())
        return;
    signal(SIGCHLD, SIG_IGN); // nobody waits for it
    if (fork() == 0)
        become_browser(tn_view_url(v->page));
}

// Serving -----------------------------------------------------------------------------------------

static tn_status announce(const view *v)
{
    const char *url = tn_view_url(v->page);
    if (!tn_view_is_local(v->page))
        cli_message("warning: other machines can reach %s; whoever does can see this run%s", url,
                    v->of.run ? " and stop it" : "");
    if (!cli_json()) {
        printf("%s\n", url);
        fflush(stdout);
        return TN_OK;
    }
    tn_json *json = cli_json_begin();
    tn_json_object(json, NULL, "status %s address %s port %d results %s", "serving", url,
                   tn_view_port(v->page),
                   v->results ? v->results : tn_run_about(v->of.run)->directory);
    const tn_status s = cli_print_json(json);
    fflush(stdout);
    return s;
}

// Results -----------------------------------------------------------------------------------------

static tn_status refuse_run_options(const cli_args *args, const tn_run_options *run)
{
    char name[CLI_NAME_SIZE] = "";
    for (int i = 0; tn_help_option(i); i++)
        if (args->given[i])
            cli_option_name(tn_help_option(i), name);
    if (args->sets)
        snprintf(name, sizeof name, "--set");
    if (run->out || run->replace || run->csv || run->large)
        snprintf(name, sizeof(name), "%s",
                 run->out       ? "--out"
                 : run->replace ? "--force"
                 : run->csv     ? "--csv"
                                : "--yes");
    return *name ? tn_fail(TN_ERR_USAGE,
                           "%s is for a model that is to be run; %s holds results of a run", name,
                           args->word[0])
                 : TN_OK;
}

static tn_status view_results(view *v, const cli_args *args)
{
    sigset_t set;
    v->results = args->word[0];
    CLI_TRY(refuse_run_options(args, &v->wanted.run));
    block_signals(&set);
    CLI_TRY(tn_view_results(v->results, &v->wanted.view, &v->page));
    CLI_TRY(announce(v));
    open_browser(v);
    wait_for_end(v, &set);
    return TN_OK;
}

// A model -----------------------------------------------------------------------------------------

static void *simulate(void *user)
{
    view *v = user;
    v->code = cli_run_go(&v->of);
    atomic_store(&v->over, true);
    pthread_kill(v->watcher, SIGUSR1);
    return NULL;
}

static tn_status run_and_serve(view *v, const sigset_t *set)
{
    pthread_t thread;
    CLI_TRY(tn_run_open(v->of.run));
    CLI_TRY(announce(v));
    v->watcher = pthread_self();
    if (pthread_create(&thread, NULL, simulate, v) != 0)
        return tn_fail(TN_ERR_MEMORY, "no thread for the run could be started");
    open_browser(v);
    wait_for_end(v, set);
    pthread_join(thread, NULL);
    return TN_OK;
}

// The server starts before results are touched: a port that is taken must not cost old results.
static tn_status view_model(view *v, const cli_args *args)
{
    sigset_t signals;
    cli_set set;
    if (v->wanted.view.trust)
        return tn_fail(TN_ERR_USAGE, "--trust is for results; %s is a model that is to be run",
                       args->word[0]);
    CLI_TRY(tn_report_check());
    CLI_TRY(cli_read_set(args, &set));
    v->wanted.run.nset = set.count;
    v->wanted.run.set = set.value;
    CLI_TRY(tn_run_create(args->word[0], &args->simulate, args->given, &v->wanted.run, &v->of.run));
    v->wanted.run.nset = 0;
    block_signals(&signals);
    CLI_TRY(tn_view_run(v->of.run, &v->wanted.view, &v->page));
    return run_and_serve(v, &signals);
}

static bool is_results(const char *path)
{
    const char *dot = strrchr(path, '.');
    struct stat info;
    return (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) ||
           (dot &&
            (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0 || strcmp(dot, ".journal") == 0));
}

static tn_status watch(cli_args *args)
{
    view v = {.wanted.run = tn_default_run()};
    char *command = cli_command_line();
    v.wanted.view.teller.tell = v.wanted.run.teller.tell = cli_tell;
    v.wanted.run.command = command;
    v.wanted.run.checkpoint = INFINITY; // it has viewers: its command line is not one of `run`
    v.wanted.run.stepped = cli_run_step;
    v.wanted.run.user = &v.of;
    tn_status s = cli_parse(args, &v.wanted);
    CLI_THEN(s, is_results(args->word[0]) ? view_results(&v, args) : view_model(&v, args));
    tn_view_close(v.page);
    args->code = s == TN_OK ? v.code : cli_finish(s);
    if (s != TN_OK && args->count > 0)
        cli_tell_kept(args->word[0], &v.wanted.run);
    tn_run_destroy(v.of.run);
    tn_text_free(command);
    return TN_OK;
}

const cli_command cmd_view = {
    .name = "view",
    .summary = "watch a run in the browser, also while it goes on",
    .usage = "view DIR|MODEL [--port N] [--bind ADDRESS] [--no-browser] [--step X] [--t-end X] ...",
    .text = "Serves the page of the results in DIR, or runs MODEL as `tenon run` does and serves\n"
            "its page from the first moment on. The address is printed on stdout. Only this\n"
            "machine can reach it unless --bind says otherwise. Ctrl-C ends the run and the\n"
            "server; the results are kept.",
    .word = "DIR or MODEL",
    .least = 1,
    .most = 1,
    .simulate = true,
    .parameters = true,
    CLI_OPTIONS(options),
    .run = watch,
};
