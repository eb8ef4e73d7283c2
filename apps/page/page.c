// SPDX-License-Identifier: MIT
//
// A page: its asset up to the marker, the data, and the rest of the asset.

#include "page/page.h"

#include "base/alloc.h"
#include "file/page_asset.h"
#include "text/target.h"

#include <stdio.h>
#include <string.h>

#ifdef TN_WITH_WEB

tn_status tn_report_check(void)
{
    return TN_OK;
}

static const char *find_marker(const char *asset, size_t size)
{
    const size_t n = strlen(TN_PAGE_MARKER);
    for (size_t i = 0; i + n <= size; i++)
        if (memcmp(asset + i, TN_PAGE_MARKER, n) == 0)
            return asset + i;
    return NULL;
}

tn_status tn_page_emit(tn_page_kind kind, tn_page_data data, void *user, tn_page_sink sink)
{
    const struct {
        const unsigned char *bytes;
        size_t size;
    } assets[] = {{tn_page_asset, tn_page_asset_size},
                  {tn_compare_asset, tn_compare_asset_size},
                  {tn_sweep_asset, tn_sweep_asset_size}};
    const char *asset = (const char *)assets[kind].bytes;
    const size_t size = assets[kind].size;
    const char *end = asset + size, *marker = find_marker(asset, size);
    if (!marker)
        return tn_fail(TN_ERR_USAGE,
                       "the page in this Tenon has no place for data (%s); build it again from "
                       "web/",
                       TN_PAGE_MARKER);
    const char *rest = marker + strlen(TN_PAGE_MARKER);
    TN_TRY(sink.write(sink.user, asset, (size_t)(marker - asset)));
    TN_TRY(data(user, sink));
    return sink.write(sink.user, rest, (size_t)(end - rest));
}

#else

tn_status tn_report_check(void)
{
    return tn_fail(TN_ERR_USAGE,
                   "this Tenon was built without the report page; install npm (on Debian: apt-get "
                   "install npm) and build Tenon again");
}

tn_status tn_page_emit(tn_page_kind kind, tn_page_data data, void *user, tn_page_sink sink)
{
    return tn_report_check();
}

#endif

// Where a page goes is said by who calls.
static tn_status as_usage(tn_status s)
{
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

static tn_status write_file(void *target, const char *text, size_t length)
{
    return as_usage(tn_target_put(target, text, length));
}

tn_status tn_page_write(const char *path, tn_page_kind kind, tn_page_data data, void *user)
{
    tn_target target;
    TN_TRY(tn_report_check());
    TN_TRY(as_usage(tn_target_open(path, &target)));
    const tn_status s = tn_page_emit(kind, data, user, (tn_page_sink){write_file, &target});
    const tn_status closed = tn_target_close(&target, s);
    return s == TN_OK ? as_usage(closed) : closed;
}

static tn_status check_is_run(const tn_result *result)
{
    const tn_result_info *about = tn_result_about(result);
    return about->is_table
               ? tn_fail(TN_ERR_USAGE, "%s is a table; a report shows the results of a run",
                         about->named)
               : TN_OK;
}

// Times that the run has, at most as many as a picture can distinguish.
static tn_status check_snapshots(tn_result *result, const tn_report_options *o)
{
    enum { MOST_SNAPSHOTS = 24 };
    const long rows = tn_result_rows(result);
    double first = 0.0, last = 0.0;
    if (o->nsnapshot > MOST_SNAPSHOTS)
        return tn_fail(TN_ERR_USAGE, "%d snapshots are too many for one picture; state at most %d",
                       o->nsnapshot, MOST_SNAPSHOTS);
    if (o->nsnapshot > 0 && rows == 0)
        return tn_fail(TN_ERR_USAGE, "no rows are stored, so that there are no snapshots");
    if (o->nsnapshot > 0) {
        TN_TRY(tn_result_time(result, 0, 1, &first));
        TN_TRY(tn_result_time(result, rows - 1, 1, &last));
    }
    for (int i = 0; i < o->nsnapshot; i++)
        if (!(o->snapshots[i] >= first && o->snapshots[i] <= last))
            return tn_fail(TN_ERR_USAGE,
                           "a snapshot at t = %g s is not within the stored run, which goes from "
                           "%g to %g s",
                           o->snapshots[i], first, last);
    return TN_OK;
}

tn_status tn_report_write(tn_result *result, const tn_report_options *options, tn_teller teller,
                          char **written)
{
    const tn_report_options o = options ? *options : (tn_report_options){0};
    tn_page_options page = tn_default_page();
    tn_page_notes notes = {0};
    TN_NEED(result, TN_ERR_USAGE);
    TN_TRY(check_is_run(result));
    if (o.nover > 0)
        TN_NEED(o.over, TN_ERR_USAGE);
    if (o.nover >= TN_REPORT_RUNS)
        return tn_fail(TN_ERR_USAGE,
                       "a report lays up to %d runs over each other, and these are %d",
                       TN_REPORT_RUNS, o.nover + 1);
    for (int i = 0; i < o.nover; i++)
        TN_TRY(check_is_run(o.over[i]));
    TN_TRY(check_snapshots(result, &o));
    page.nover = o.nover;
    page.over = o.over;
    page.channel_aim /= (size_t)(1 + 2 * o.nover); // all runs and their differences
    page.frame_aim /= (size_t)(1 + o.nover);
    page.nsnapshot = o.nsnapshot;
    page.snapshots = o.snapshots;
    char *to = o.path ? tn_strdup(o.path)
                      : tn_format("%s/report.html", tn_result_about(result)->directory);
    const tn_status s = to ? tn_page_write(to, TN_PAGE_RUN, tn_page_data_json,
                                           &(tn_page_of_result){result, &page, &notes})
                           : tn_got(false);
    tn_page_notes_tell(&notes, teller);
    tn_page_notes_free(&notes);
    if (s == TN_OK && written)
        *written = to;
    else
        tn_free(to);
    return s;
}
