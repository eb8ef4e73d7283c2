// SPDX-License-Identifier: MIT
//
// tenon view: the page of a run in a browser, served on this machine. Given a model it runs it,
// as `tenon run` does, and the page shows the run while it goes on.

#include "base/alloc.h"
#include "io/journal.h"
#include "io/live.h"
#include "io/model_yaml.h"
#include "io/page.h"
#include "io/serve.h"
#include "run.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    int port;
    const char *bind;
    bool no_browser, trust;
    cli_job_options job;
} view_options;

#define OPTION(...) CLI_OPTION(view_options, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("port", port, INTEGER, "", "port to serve at; 0, the default, takes a free one"),
    OPTION("bind", bind, TEXT, "ADDRESS", "address to serve at; 127.0.0.1 when left out"),
    OPTION("no_browser", no_browser, BOOL, "", "do not open a browser"),
    OPTION("trust", trust, BOOL, "", "read results without checksums all the same"),
    OPTION("out", job.out, TEXT, "DIR", "folder for the results; MODEL.results when left out"),
    OPTION("force", job.force, BOOL, "", "replace results that the folder holds"),
    OPTION("csv", job.csv, BOOL, "", "write result.csv beside result.h5"),
    OPTION("yes", job.yes, BOOL, "", "store more than 1e8 rows or 10 GB"),
};

static int run(int argc, char **argv);

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
    .noption = CLI_COUNT(options),
    .options = options,
    .run = run,
};

typedef struct {
    view_options wanted;
    tn_server *server;

    // The page of finished results, as long as the file stays as it is. Of the server's thread.
    tn_shared_text *page;
    struct timespec changed;
    off_t size;
    const char *results; // NULL for a model

    // The run of a model.
    cli_job job;
    tn_live *live;
    double told; // wall time when the page last heard how it goes [s]
    int code;    // how it ended
    atomic_bool over;
    pthread_t watcher; // the thread that waits for signals
} view;

static const double TELL_EVERY = 0.2; // wall time [s]

// Pages -------------------------------------------------------------------------------------------

static tn_status share(tn_page_buffer *buffer, tn_status s, tn_shared_text **out)
{
    if (s != TN_OK) {
        tn_free(buffer->text);
        return s;
    }
    *out = tn_share_text(buffer->text, buffer->length);
    return *out ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory");
}

static tn_status build_page(const char *results, bool trust, tn_page_notes *notes,
                            tn_shared_text **out)
{
    tn_page_buffer buffer = {0};
    tn_result *result = NULL;

    tn_status s = tn_result_open(results, trust, &result);
    if (s == TN_OK)
        s = tn_page_emit(result, NULL, (tn_page_sink){tn_page_buffer_write, &buffer}, notes);
    tn_result_close(result);
    return share(&buffer, s, out);
}

// The file of results in a folder, or the file itself.
static bool find_results(const char *results, struct stat *info)
{
    static const char *const names[] = {TN_JOURNAL_FILE, "result.h5"};
    bool found = false;

    for (int i = 0; i < CLI_COUNT(names) && !found; i++) {
        char *path = tn_format("%s/%s", results, names[i]);
        found = path && stat(path, info) == 0;
        tn_free(path);
    }
    return found || stat(results, info) == 0;
}

// Built anew when another run has replaced the results.
static tn_status results_page(view *v, const char *results, tn_page_notes *notes,
                              tn_shared_text **out)
{
    tn_shared_text *page = NULL;
    struct stat info = {0};

    const bool there = find_results(results, &info);
    const bool same = v->page && there && info.st_size == v->size &&
                      info.st_mtim.tv_sec == v->changed.tv_sec &&
                      info.st_mtim.tv_nsec == v->changed.tv_nsec;
    if (!same) {
        CLI_TRY(build_page(results, v->wanted.trust, notes, &page));
        tn_share_end(v->page);
        v->page = page;
        v->size = info.st_size;
        v->changed = info.st_mtim;
    }
    *out = tn_share_again(v->page);
    return TN_OK;
}

static tn_status finished_page(void *user, long from, tn_shared_text **out)
{
    view *v = user;

    (void)from;
    return results_page(v, v->results, NULL, out);
}

static tn_status live_data(void *user, tn_page_sink sink)
{
    return tn_live_json(((view *)user)->live, 0, true, sink);
}

// Once the run is over its results show more than the rows that were kept for watching.
static tn_status live_page(void *user, long from, tn_shared_text **out)
{
    view *v = user;
    tn_page_buffer buffer = {0};

    (void)from;
    if (tn_live_ended(v->live) && results_page(v, v->job.directory, NULL, out) == TN_OK)
        return TN_OK;
    const tn_status s =
        tn_page_emit_data(live_data, v, (tn_page_sink){tn_page_buffer_write, &buffer});
    return share(&buffer, s, out);
}

static tn_status live_rows(void *user, long from, tn_shared_text **out)
{
    view *v = user;
    tn_page_buffer buffer = {0};

    const tn_status s =
        tn_live_json(v->live, from, false, (tn_page_sink){tn_page_buffer_write, &buffer});
    return share(&buffer, s, out);
}

static tn_status stop_run(void *user, long from, tn_shared_text **out)
{
    static const char text[] = "{\"status\": \"stopping\"}\n";
    view *v = user;
    tn_page_buffer buffer = {0};

    (void)from;
    atomic_fetch_add(&v->job.stops, 1);
    return share(&buffer, tn_page_buffer_write(&buffer, text, strlen(text)), out);
}

static const tn_route finished_routes[] = {
    {"/", "text/html; charset=utf-8", false, finished_page},
};

static const tn_route live_routes[] = {
    {"/", "text/html; charset=utf-8", false, live_page},
    {"/data.json", "application/json", false, live_rows},
    {"/stop", "application/json", true, stop_run},
};

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
        const bool over = !v->live || atomic_load(&v->over);
        asked += number != SIGUSR1;
        if (asked > 0 && over)
            return;
        if (number == SIGUSR1 && over)
            cli_message("the page stays at %s until Ctrl-C", tn_server_url(v->server));
        if (asked > 0)
            atomic_fetch_add(&v->job.stops, 1);
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
        become_browser(tn_server_url(v->server));
}

// Serving -----------------------------------------------------------------------------------------

static tn_status announce(const view *v)
{
    tn_json *json = NULL;
    const char *url = tn_server_url(v->server);

    if (!tn_server_is_local(v->server))
        cli_message("warning: other machines can reach %s; whoever does can see this run%s", url,
                    v->live ? " and stop it" : "");
    if (!cli_json()) {
        printf("%s\n", url);
        fflush(stdout);
        return TN_OK;
    }
    CLI_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "status", "serving");
    tn_json_string(json, "address", url);
    tn_json_integer(json, "port", tn_server_port(v->server));
    tn_json_string(json, "results", v->results ? v->results : v->job.directory);
    tn_json_end_object(json);
    const tn_status s = cli_print_json(json);
    fflush(stdout);
    return s;
}

static tn_status start_server(view *v, int nroute, const tn_route *routes)
{
    const tn_serve_options serve = {.address = v->wanted.bind,
                                    .port = v->wanted.port,
                                    .nroute = nroute,
                                    .routes = routes,
                                    .user = v};
    return tn_server_start(&serve, &v->server);
}

// Results -----------------------------------------------------------------------------------------

static tn_status refuse_run_options(const cli_args *args, const cli_job_options *job)
{
    char name[CLI_NAME_SIZE] = "";

    for (int i = 0; tn_help_option(i); i++)
        if (args->given[i])
            cli_option_name(tn_help_option(i), name);
    if (job->out || job->force || job->csv || job->yes)
        snprintf(name, sizeof(name), "%s",
                 job->out     ? "--out"
                 : job->force ? "--force"
                 : job->csv   ? "--csv"
                              : "--yes");
    return *name ? tn_fail(TN_ERR_USAGE,
                           "%s is for a model that is to be run; %s holds results of a run", name,
                           args->word[0])
                 : TN_OK;
}

static tn_status first_page(view *v)
{
    tn_page_notes notes = {0};
    tn_shared_text *page = NULL;

    const tn_status s = results_page(v, v->results, &notes, &page);
    for (int i = 0; i < notes.texts.count; i++)
        cli_message("%s", notes.texts.at[i]);
    tn_page_notes_free(&notes);
    tn_share_end(page);
    return s;
}

static tn_status view_results(view *v, const cli_args *args)
{
    sigset_t set;

    v->results = args->word[0];
    CLI_TRY(refuse_run_options(args, &v->wanted.job));
    CLI_TRY(first_page(v));
    block_signals(&set);
    CLI_TRY(start_server(v, CLI_COUNT(finished_routes), finished_routes));
    CLI_TRY(announce(v));
    open_browser(v);
    wait_for_end(v, &set);
    return TN_OK;
}

// A model -----------------------------------------------------------------------------------------

static double wall_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void on_step(void *user, bool stored)
{
    view *v = user;
    const double now = wall_time();
    tn_json *json = NULL;

    if (stored)
        tn_live_row(v->live, v->job.sim, false);
    if (now - v->told < TELL_EVERY)
        return;
    v->told = now;
    if (cli_job_so_far(&v->job, &json) == TN_OK)
        tn_live_tell(v->live, tn_json_text(json), false);
    tn_json_destroy(json);
}

static void on_end(void *user, const char *summary)
{
    view *v = user;

    tn_live_row(v->live, v->job.sim, true);
    tn_live_tell(v->live, summary, true);
}

static void *simulate(void *user)
{
    view *v = user;

    v->code = cli_job_conclude(&v->job, cli_job_simulate(&v->job));
    atomic_store(&v->over, true);
    pthread_kill(v->watcher, SIGUSR1);
    return NULL;
}

static tn_status run_and_serve(view *v, const sigset_t *set)
{
    pthread_t thread;

    CLI_TRY(cli_job_open(&v->job));
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
    sigset_t set;

    v->job.wanted = v->wanted.job;
    v->job.wanted.checkpoint = INFINITY; // it is watched: its command line is not one of `run`
    v->job.stepped = on_step;
    v->job.concluded = on_end;
    v->job.user = v;
    if (v->wanted.trust)
        return tn_fail(TN_ERR_USAGE, "--trust is for results; %s is a model that is to be run",
                       args->word[0]);
    CLI_TRY(tn_report_check());
    CLI_TRY(cli_job_prepare(&v->job, args));
    CLI_TRY(tn_live_create(v->job.model, v->job.model_path, v->job.sim, &v->live));
    block_signals(&set);
    CLI_TRY(start_server(v, CLI_COUNT(live_routes), live_routes));
    return run_and_serve(v, &set);
}

static bool is_results(const char *path)
{
    const char *dot = strrchr(path, '.');
    struct stat info;

    return (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) ||
           (dot &&
            (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0 || strcmp(dot, ".journal") == 0));
}

static int run(int argc, char **argv)
{
    cli_args args;
    view v = {.code = CLI_DONE};

    tn_status s = cli_parse(&cmd_view, argc, argv, &args, &v.wanted);
    if (s == TN_OK)
        s = is_results(args.word[0]) ? view_results(&v, &args) : view_model(&v, &args);
    tn_server_stop(v.server);
    const int code = s == TN_OK ? v.code : cli_finish(s);
    if (s != TN_OK && args.count > 0)
        cli_job_tell_kept(&v.job, args.word[0]);

    tn_share_end(v.page);
    tn_live_destroy(v.live);
    cli_job_free(&v.job);
    cli_args_free(&args);
    return code;
}
