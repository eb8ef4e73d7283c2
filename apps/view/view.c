// SPDX-License-Identifier: MIT
//
// Pages of finished results and of runs that go on, over the server; see tenon/view.h.

#include "tenon/view.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "page/page.h"
#include "result/journal.h"
#include "run/run_parts.h"
#include "view/live.h"
#include "view/serve.h"

#include <string.h>
#include <sys/stat.h>

struct tn_view {
    tn_view_options wanted;
    tn_server *server;

    // The page of finished results, as long as the file stays as it is. The server's thread owns
    // it; the first one is made before.
    tn_buffer first;
    struct timespec changed;
    off_t size;
    const char *results; // NULL for a run

    tn_run *run; // NULL for results
    tn_live *_Atomic live;
    tn_live *before; // where the run has begun again
    double told;     // wall time when the page last heard how it goes [s]
};

static const double TELL_EVERY = 0.2; // wall time [s]

// Pages -------------------------------------------------------------------------------------------

// The file of results in a folder, or the file itself.
static bool find_results(const char *results, struct stat *info)
{
    static const char *const names[] = {TN_JOURNAL_FILE, "result.h5"};
    bool found = false;
    for (int i = 0; i < TN_COUNT(names) && !found; i++) {
        char *path = tn_format("%s/%s", results, names[i]);
        found = path && stat(path, info) == 0;
        tn_free(path);
    }
    return found || stat(results, info) == 0;
}

// Built anew when another run has replaced the results.
static tn_status results_page(tn_view *v, const char *results, tn_page_notes *notes, tn_buffer *out,
                              bool *again)
{
    struct stat info = {0};
    const bool there = find_results(results, &info);
    *again = there && info.st_size == v->size && info.st_mtim.tv_sec == v->changed.tv_sec &&
             info.st_mtim.tv_nsec == v->changed.tv_nsec;
    if (*again)
        return TN_OK;
    v->size = -1;
    tn_result *result = NULL;
    tn_status s = tn_result_open(results, v->wanted.trust, &result);
    TN_THEN(s,
            tn_page_emit(TN_PAGE_RUN, tn_page_data_json, &(tn_page_of_result){result, NULL, notes},
                         (tn_page_sink){tn_buffer_write, out}));
    tn_result_close(result);
    TN_TRY(s);
    v->size = info.st_size;
    v->changed = info.st_mtim;
    return TN_OK;
}

static tn_status finished_page(void *user, long from, tn_buffer *out, bool *again)
{
    tn_view *v = user;
    TN_TRY(results_page(v, v->results, NULL, out, again));
    if (*again && v->first.text) {
        *out = v->first;
        *again = false;
    } else
        tn_free(v->first.text);
    v->first = (tn_buffer){0};
    return TN_OK;
}

static tn_status live_data(void *user, tn_page_sink sink)
{
    return tn_live_json(((tn_view *)user)->live, 0, true, sink);
}

// Once the run is over its results show more than the rows that were kept for watching.
static tn_status live_page(void *user, long from, tn_buffer *out, bool *again)
{
    tn_view *v = user;
    if (tn_live_ended(v->live) && results_page(v, v->run->directory, NULL, out, again) == TN_OK)
        return TN_OK;
    tn_free(out->text);
    *out = (tn_buffer){0};
    return tn_page_emit(TN_PAGE_RUN, live_data, v, (tn_page_sink){tn_buffer_write, out});
}

static tn_status live_rows(void *user, long from, tn_buffer *out, bool *again)
{
    return tn_live_json(((tn_view *)user)->live, from, false, (tn_page_sink){tn_buffer_write, out});
}

static tn_status stop_run(void *user, long from, tn_buffer *out, bool *again)
{
    static const char text[] = "{\"status\": \"stopping\"}\n";
    tn_run_stop(((tn_view *)user)->run);
    return tn_buffer_write(out, text, strlen(text));
}

static const tn_route finished_routes[] = {
    {"/", "text/html; charset=utf-8", false, finished_page},
};

static const tn_route live_routes[] = {
    {"/", "text/html; charset=utf-8", false, live_page},
    {"/data.json", "application/json", false, live_rows},
    {"/stop", "application/json", true, stop_run},
};

// Beginning and end -------------------------------------------------------------------------------

static tn_status start_server(tn_view *v, int nroute, const tn_route *routes)
{
    const tn_serve_options serve = {.address = v->wanted.address,
                                    .port = v->wanted.port,
                                    .nroute = nroute,
                                    .routes = routes,
                                    .user = v};
    return tn_server_start(&serve, &v->server);
}

static tn_status first_page(tn_view *v)
{
    tn_page_notes notes = {0};
    bool again;
    const tn_status s = results_page(v, v->results, &notes, &v->first, &again);
    tn_page_notes_tell(&notes, v->wanted.teller);
    tn_page_notes_free(&notes);
    return s;
}

static tn_status create_view(const tn_view_options *options, tn_view **out)
{
    const tn_view_options usual = {0};
    *out = tn_alloc(sizeof **out);
    TN_TRY(tn_got(*out));
    (*out)->wanted = options ? *options : usual;
    return TN_OK;
}

tn_status tn_view_results(const char *results, const tn_view_options *options, tn_view **out)
{
    tn_view *v;
    TN_NEED_ALL(TN_ERR_USAGE, results, out);
    *out = NULL;
    TN_TRY(create_view(options, &v));
    v->results = results;
    tn_status s = first_page(v);
    TN_THEN(s, start_server(v, TN_COUNT(finished_routes), finished_routes));
    TN_HAND_OUT(s, v, tn_view_close, out);
}

static void watch_step(void *user, bool stored)
{
    tn_view *v = user;
    const double now = tn_wall_time();
    tn_json *json = NULL;
    if (stored)
        tn_live_row(v->live, v->run->sim, false);
    if (now - v->told < TELL_EVERY)
        return;
    v->told = now;
    if (tn_run_summary(v->run, &json) == TN_OK)
        tn_live_tell(v->live, tn_json_text(json), false);
    tn_json_destroy(json);
}

static tn_status watch_again(void *user)
{
    tn_view *v = user;
    tn_live *next = NULL;
    TN_TRY(tn_live_create(v->run->model, v->run->model_path, v->run->sim, v->live, &next));
    v->before = v->live;
    v->live = next;
    return TN_OK;
}

static void watch_end(void *user, const char *summary)
{
    tn_view *v = user;
    tn_live_row(v->live, v->run->sim, true);
    tn_live_tell(v->live, summary, true);
}

tn_status tn_view_run(tn_run *run, const tn_view_options *options, tn_view **out)
{
    tn_view *v;
    TN_NEED_ALL(TN_ERR_USAGE, run, out);
    *out = NULL;
    TN_TRY(tn_report_check());
    TN_TRY(create_view(options, &v));
    v->run = run;
    tn_live *live = NULL;
    tn_status s = tn_live_create(run->model, run->model_path, run->sim, NULL, &live);
    v->live = live;
    TN_THEN(s, start_server(v, TN_COUNT(live_routes), live_routes));
    if (s == TN_OK) {
        run->watch_step = watch_step;
        run->watch_again = watch_again;
        run->watch_end = watch_end;
        run->watcher = v;
    }
    TN_HAND_OUT(s, v, tn_view_close, out);
}

TN_GETTER(const char *, tn_view_url, (const tn_view *view), view, "", view->server->url);
TN_GETTER(int, tn_view_port, (const tn_view *view), view, 0, view->server->port);
TN_GETTER(bool, tn_view_is_local, (const tn_view *view), view, false, view->server->is_local);

void tn_view_close(tn_view *view)
{
    if (!view)
        return;
    tn_server_stop(view->server);
    if (view->run && view->run->watcher == view) {
        view->run->watch_step = NULL;
        view->run->watch_again = NULL;
        view->run->watch_end = NULL;
    }
    tn_live_destroy(view->before);
    tn_live_destroy(view->live);
    TN_FREE(view->first.text, view);
}
