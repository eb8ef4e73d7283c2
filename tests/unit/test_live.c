// SPDX-License-Identifier: MIT
//
// The store of a run that is being watched: rows come out as they went in, at any length of the
// run, while both sides work at the same time.

#include "page_data.h"
#include "record_bench.h"
#include "view/live.h"

#include <pthread.h>

// The data from a row on as a document.
static tn_document *data_from(tn_live *live, long from, bool whole)
{
    tn_buffer buffer = {0};
    tn_document *doc = NULL;

    CHECK_OK(tn_live_json(live, from, whole, (tn_page_sink){tn_buffer_write, &buffer}));
    CHECK(strlen(buffer.text) == buffer.length);
    CHECK(strchr(buffer.text, '<') == NULL); // it stands in a <script>
    CHECK_OK(tn_document_parse(buffer.text, buffer.length, "data", &doc));
    tn_free(buffer.text);
    return doc;
}

static const tn_node *at(const tn_document *doc, const char *key)
{
    return tn_node_get(doc->root, key);
}

static bool is_live(const tn_document *doc)
{
    return strcmp(at(doc, "live")->text, "true") == 0;
}

static tn_live *watch(const bench *b)
{
    tn_live *live = NULL;
    CHECK_OK(tn_live_create(b->model, "models/two <b>links.yaml", b->sim, NULL, &live));
    return live;
}

static void rows_come_out_as_they_went_in(void)
{
    enum { ROWS = 20, SEEN = 7 };
    bench b = start();
    tn_live *live = watch(&b);
    double x[ROWS], t[ROWS];
    long n = 0;

    for (int i = 0; i < ROWS; i++) {
        t[i] = tn_sim_time(b.sim);
        x[i] = tn_sim_body_frame(b.sim, (tn_body){2}).p.x;
        tn_live_row(live, b.sim, false);
        CHECK_OK(tn_sim_step(b.sim, H));
    }
    tn_document *doc = data_from(live, SEEN, false);
    CHECK(is_live(doc));
    CHECK_TEXT(at(doc, "from")->text, "7");
    CHECK_TEXT(at(doc, "title")->text, "two <b>links");
    CHECK_TEXT(tn_node_get(at(doc, "frames"), "count")->text, "13");
    CHECK(at(doc, "scene") == NULL);
    double *time = page_numbers(at(doc, "frames"), "time", &n);
    CHECK(n == ROWS - SEEN);
    double *position = page_numbers(at(doc, "frames"), "position", &n);
    CHECK(n == 6 * (ROWS - SEEN));
    char name[64];
    snprintf(name, sizeof(name), "%s.position.x", rod_name);
    const tn_node *channel = page_channel(doc, name);
    CHECK(channel != NULL);
    CHECK_TEXT(tn_node_get(channel, "group")->text, "bodies");
    CHECK_TEXT(tn_node_get(channel, "unit")->text, "m");
    double *value = page_numbers(channel, "value", &n);
    CHECK(n == ROWS - SEEN);
    for (int i = 0; i < ROWS - SEEN; i++) {
        CHECK(time[i] == t[SEEN + i]);
        CHECK(position[6 * i + 3] == x[SEEN + i]);
        CHECK(value[i] == x[SEEN + i]);
    }
    CHECK_TEXT(tn_node_get(page_channel(doc, "step"), "group")->text, "run");
    CHECK(page_channel(doc, "energy.kinetic") && page_channel(doc, "residuals.g"));
    CHECK(!page_channel(doc, "time"));
    free(time);
    free(position);
    free(value);
    tn_document_destroy(doc);
    tn_live_destroy(live);
    stop(&b);
    CHECK(tn_test_alloc_live() == 0);
}

static void the_whole_has_the_scene(void)
{
    bench b = start();
    tn_live *live = watch(&b);

    tn_document *doc = data_from(live, 0, true); // no row is there yet
    CHECK_TEXT(at(doc, "format")->text, "tenon-page");
    CHECK_TEXT(tn_node_get(at(doc, "frames"), "count")->text, "0");
    CHECK(tn_node_get(at(doc, "scene"), "bodies")->count == 3);
    CHECK(at(doc, "meshes")->count == 0);
    CHECK_TEXT(tn_node_get(at(doc, "run"), "status")->text, "running");
    tn_document_destroy(doc);

    tn_live_row(live, b.sim, false);
    doc = data_from(live, 5, false); // rows of another run
    CHECK_TEXT(at(doc, "from")->text, "0");
    CHECK_TEXT(tn_node_get(at(doc, "frames"), "count")->text, "1");
    tn_document_destroy(doc);
    tn_live_destroy(live);
    stop(&b);
}

static void the_end_is_told_with_the_last_row(void)
{
    bench b = start();
    tn_live *live = watch(&b);

    tn_live_row(live, b.sim, false);
    CHECK(!tn_live_ended(live));
    tn_live_row(live, b.sim, true); // the same moment again
    tn_live_tell(live, "{\"status\": \"stopped\", \"reason\": \"</script>\"}", true);
    CHECK(tn_live_ended(live));
    tn_document *doc = data_from(live, 1, false);
    CHECK(!is_live(doc));
    CHECK_TEXT(tn_node_get(at(doc, "run"), "reason")->text, "</script>");
    CHECK_TEXT(tn_node_get(at(doc, "frames"), "count")->text, "0");
    tn_document_destroy(doc);
    tn_live_destroy(live);
    stop(&b);
}

// Reads until the last row as the page does; returns how many rows there were. Times must rise.
static long read_all(tn_live *live, double *last, double *widest)
{
    long from = 0, n = 0;
    bool on = true;

    *last = -1.0;
    *widest = 0.0;
    while (on) {
        tn_document *doc = data_from(live, from, false);
        double *time = page_numbers(at(doc, "frames"), "time", &n);
        CHECK(atol(at(doc, "from")->text) == from);
        for (long i = 0; i < n; i++) {
            CHECK(time[i] > *last);
            *widest = *last >= 0.0 ? fmax(*widest, time[i] - *last) : 0.0;
            *last = time[i];
        }
        from += n;
        on = is_live(doc);
        free(time);
        tn_document_destroy(doc);
    }
    return from;
}

static void long_runs_are_thinned(void)
{
    enum { ROWS = 16000, BLOCK = 4096 };
    bench b = start();
    tn_live *live = watch(&b);
    double last = 0.0, widest = 0.0;

    for (int i = 0; i < ROWS; i++) {
        tn_live_row(live, b.sim, false);
        CHECK_OK(tn_sim_step(b.sim, H));
    }
    tn_live_row(live, b.sim, true);
    tn_live_tell(live, "{\"status\": \"done\"}", true);
    // All of 4096 rows, every second of the next 8192, every fourth of what is left, and the last.
    const long expected = 2 * BLOCK + (ROWS - 3 * BLOCK + 3) / 4 + 1;
    CHECK(read_all(live, &last, &widest) == expected);
    CHECK(last == tn_sim_time(b.sim));
    CHECK_NEAR(widest, 4 * H, 1e-9); // sums of round steps
    tn_live_destroy(live);
    stop(&b);
    CHECK(tn_test_alloc_live() == 0);
}

typedef struct {
    bench b;
    tn_live *live;
    int rows;
} race;

static void *put_rows_and_end(void *user)
{
    race *r = user;

    for (int i = 0; i < r->rows; i++) {
        tn_live_row(r->live, r->b.sim, false);
        if (i % 100 == 0)
            tn_live_tell(r->live, "{\"status\": \"running\"}", false);
        if (tn_sim_step(r->b.sim, H) != TN_OK)
            break;
    }
    tn_live_row(r->live, r->b.sim, true);
    tn_live_tell(r->live, "{\"status\": \"done\"}", true);
    return NULL;
}

static void both_sides_work_at_the_same_time(void)
{
    race r = {.b = start(), .rows = 6000};
    double last = 0.0, widest = 0.0;
    pthread_t thread;

    r.live = watch(&r.b);
    CHECK(pthread_create(&thread, NULL, put_rows_and_end, &r) == 0);
    const long rows = read_all(r.live, &last, &widest);
    pthread_join(thread, NULL);
    CHECK(rows > 4096 && rows <= r.rows + 1);
    CHECK(last == tn_sim_time(r.b.sim));
    tn_live_destroy(r.live);
    stop(&r.b);
}

// 120 bodies on sliders: more channels than a page can plot while the run goes on.
static void channels_of_large_models_are_limited(void)
{
    bench b = {.model = tn_model_create()};
    tn_sim_options options = tn_default_sim();
    tn_live *live = NULL;
    long n = 0;

    for (int i = 0; i < 120; i++) {
        tn_body_def body = tn_default_body();
        char name[16];
        snprintf(name, sizeof(name), "b%d", i);
        body.name = name;
        tn_joint_def slide = tn_default_joint(TN_JOINT_PRISMATIC);
        slide.name = name;
        slide.body_b = tn_model_add_body(b.model, &body);
        tn_model_add_joint(b.model, &slide);
    }
    options.method = "galpha/ggl";
    CHECK_OK(tn_sim_create(b.model, &options, &b.sim));
    CHECK_OK(tn_live_create(b.model, "many", b.sim, NULL, &live));
    tn_live_row(live, b.sim, false);
    tn_document *doc = data_from(live, 0, false);
    const int shown = at(doc, "channels")->count;
    CHECK(shown >= 512 && shown < 532);
    CHECK(page_channel(doc, "residuals.gdot") && page_channel(doc, "energy.balance"));
    CHECK(at(doc, "warnings")->count == 1);
    CHECK(strstr(at(doc, "warnings")->children[0]->text, "channels are not shown while") != NULL);
    double *position = page_numbers(at(doc, "frames"), "position", &n);
    CHECK(n == 360); // the animation has all bodies
    free(position);
    tn_document_destroy(doc);
    tn_live_destroy(live);
    stop(&b);
}

static void memory_that_is_short_is_an_error_or_a_gap(void)
{
    bench b = start();
    tn_live *live = NULL;
    const long before = tn_test_alloc_live();
    bool failed = true;

    for (long n = 1; failed; n++) {
        tn_test_alloc_fail_at(n);
        const tn_status s = tn_live_create(b.model, "two", b.sim, NULL, &live);
        failed = tn_test_alloc_failed();
        CHECK((s == TN_OK) == !failed);
        CHECK(!failed || tn_test_alloc_live() == before);
    }
    tn_test_alloc_fail_at(1);
    tn_live_row(live, b.sim, false); // the run goes on without it
    tn_live_row(live, b.sim, false);
    tn_test_alloc_fail_at(1);
    tn_live_tell(live, "{\"status\": \"lost\"}", true);
    CHECK(tn_live_ended(live));
    failed = true;
    for (long n = 1; failed; n++) {
        tn_buffer buffer = {0};
        tn_test_alloc_fail_at(n);
        const tn_status s = tn_live_json(live, 0, true, (tn_page_sink){tn_buffer_write, &buffer});
        failed = tn_test_alloc_failed();
        CHECK((s == TN_OK) == !failed);
        tn_free(buffer.text);
    }
    tn_test_alloc_fail_at(0);
    tn_document *doc = data_from(live, 0, false);
    CHECK_TEXT(tn_node_get(at(doc, "run"), "status")->text, "running");
    CHECK_TEXT(tn_node_get(at(doc, "frames"), "count")->text, "1");
    tn_document_destroy(doc);
    tn_live_destroy(live);
    CHECK(tn_test_alloc_live() == before);
    stop(&b);
}

// A page that has seen the rows before gets those of the new run whole, however many there are.
static void runs_that_begin_again_are_whole(void)
{
    bench b = start();
    tn_live *before = watch(&b), *live = NULL;
    for (int i = 0; i < 5; i++) {
        tn_live_row(before, b.sim, false);
        CHECK_OK(tn_sim_step(b.sim, H));
    }
    tn_document *doc = data_from(before, 0, false);
    CHECK_TEXT(at(doc, "next")->text, "5");
    tn_document_destroy(doc);
    CHECK_OK(tn_live_create(b.model, "two", b.sim, before, &live));
    for (int i = 0; i < 8; i++) {
        tn_live_row(live, b.sim, false);
        CHECK_OK(tn_sim_step(b.sim, H));
    }
    doc = data_from(live, 5, false);
    CHECK_TEXT(at(doc, "from")->text, "0");
    CHECK_TEXT(tn_node_get(at(doc, "frames"), "count")->text, "8");
    CHECK_TEXT(at(doc, "next")->text, "14");
    tn_document_destroy(doc);
    doc = data_from(live, 12, false);
    CHECK_TEXT(at(doc, "from")->text, "12");
    CHECK_TEXT(tn_node_get(at(doc, "frames"), "count")->text, "2");
    tn_document_destroy(doc);
    tn_live_destroy(before);
    tn_live_destroy(live);
    stop(&b);
}

static const tn_test tests[] = {
    {"rows come out as they went in", rows_come_out_as_they_went_in},
    {"the whole has the scene", the_whole_has_the_scene},
    {"the end is told with the last row", the_end_is_told_with_the_last_row},
    {"long runs are thinned", long_runs_are_thinned},
    {"both sides work at the same time", both_sides_work_at_the_same_time},
    {"channels of large models are limited", channels_of_large_models_are_limited},
    {"memory that is short is an error or a gap", memory_that_is_short_is_an_error_or_a_gap},
    {"runs that begin again are whole", runs_that_begin_again_are_whole},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
