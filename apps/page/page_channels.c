// SPDX-License-Identifier: MIT
//
// The plots: every number of a row is a channel, thinned so that its extremes stay. Where there
// are too many channels for a page, those of the run as a whole are kept and those of the first
// joints, forces and bodies.

#include "page/page_parts.h"

#include <string.h>

enum {
    FEWEST_BUCKETS = 500,     // the aim for bytes does not go below; the limit does
    ALL_BUCKETS = 400 * 1000, // of all channels together: some 30 MB of memory
    BLOCK_NUMBERS = 1 << 17   // read at once
};

typedef struct {
    bool *wanted;          // by channel
    int count;             // of plots
    tn_page_plot *plots;   // in the order of channels
    tn_thin_point *points; // room for those of one
} plots;

// Which ------------------------------------------------------------------------------------------

// Momenta of discrete principles are as many as the coordinates, and the last that anyone misses.
static bool is_momentum(const tn_page_job *job, const tn_result_channel *c)
{
    return strcmp(c->group, "discrete") == 0 &&
           tn_result_dataset_at(job->result, c->dataset)->width > 1;
}

static int want_owner(const tn_page_job *job, plots *p, const char *group, int owner, bool apply)
{
    int n = 0;
    for (int i = 0; i < tn_result_channel_count(job->result); i++) {
        const tn_result_channel *c = tn_result_channel_at(job->result, i);
        if (c->owner != owner || (group && strcmp(c->group, group) != 0) || is_momentum(job, c))
            continue;
        n++;
        if (apply && p->count < job->options.most_channels) {
            p->wanted[i] = true;
            p->count++;
        }
    }
    return n;
}

static tn_status choose_page_channels(tn_page_job *job, plots *p)
{
    static const char *const groups[] = {"outputs", "signals", "states", "unknowns",
                                         "sampled", "joints",  "forces", "bodies"};
    const int all = tn_result_channel_count(job->result), most = job->options.most_channels;
    if (job->minus) {
        for (int i = 0; i < all && p->count < most; i++) {
            p->wanted[i] = job->minus->partner[i] >= 0;
            p->count += p->wanted[i];
        }
        return TN_OK; // who both have all of is reported by the channels themselves
    }
    if (all <= most) {
        memset(p->wanted, 1, (size_t)all * sizeof(bool));
        p->count = all;
        return TN_OK;
    }
    want_owner(job, p, NULL, -1, true); // energy, residuals, step, states
    bool full = false;
    for (int owner = 0; owner < all && !full; owner++)
        for (int g = 0; g < TN_COUNT(groups) && !full; g++) {
            full = p->count + want_owner(job, p, groups[g], owner, false) > most;
            if (!full)
                want_owner(job, p, groups[g], owner, true);
        }
    return tn_page_note(job->notes,
                        "the plots hold %d of %d channels: those of the run and of the first "
                        "joints, forces and bodies; 'tenon plot' draws the others",
                        p->count, all);
}

// Reading ----------------------------------------------------------------------------------------

static tn_status open_plots(tn_page_job *job, plots *p)
{
    const long rows = tn_result_rows(job->result);
    int most = p->count > 0 ? ALL_BUCKETS / p->count : 1, n = 0;
    if (most > job->options.most_buckets)
        most = job->options.most_buckets;
    p->plots = tn_alloc((size_t)(p->count + 1) * sizeof(*p->plots));
    if (!p->plots)
        return tn_fail(TN_ERR_MEMORY, "out of memory: %d plots", p->count);
    for (int i = 0; i < tn_result_channel_count(job->result); i++)
        if (p->wanted[i]) {
            p->plots[n].channel = i;
            TN_TRY(tn_thin_open(&p->plots[n++].thin, rows, most));
        }
    const int room = p->count > 0 ? tn_thin_room(&p->plots[0].thin) : 1;
    p->points = tn_alloc((size_t)room * sizeof(*p->points));
    return p->points ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory: a plot of %d points", room);
}

static tn_status page_channels_read_block(tn_page_job *job, tn_page_plot *plots_of, int n,
                                          long first, long rows, double *numbers)
{
    const int dataset = tn_result_channel_at(job->result, plots_of[0].channel)->dataset;
    const int width = tn_result_dataset_at(job->result, dataset)->width;
    double *times = numbers, *values = numbers + rows;
    TN_TRY(tn_page_read(job, tn_page_time(job), first, rows, times));
    TN_TRY(tn_page_read(job, dataset, first, rows, values));
    if (job->minus)
        TN_TRY(tn_page_subtract(job, n, plots_of, width, rows, times, values));
    for (int k = 0; k < n; k++) {
        const int column = tn_result_channel_at(job->result, plots_of[k].channel)->column;
        for (long i = 0; i < rows; i++)
            tn_thin_put(&plots_of[k].thin, first + i, times[i], values[i * width + column]);
    }
    return TN_OK;
}

// All plots of one dataset, which stand one after another.
static tn_status read_dataset(tn_page_job *job, tn_page_plot *plots_of, int n)
{
    const int dataset = tn_result_channel_at(job->result, plots_of[0].channel)->dataset;
    const long width = tn_result_dataset_at(job->result, dataset)->width + 1;
    const long rows = tn_result_rows(job->result);
    const long block = width < BLOCK_NUMBERS ? BLOCK_NUMBERS / width : 1;
    tn_status s = TN_OK;
    double *numbers = tn_alloc((size_t)(block * width) * sizeof(double));
    if (!numbers)
        return tn_fail(TN_ERR_MEMORY, "out of memory: %ld rows of %ld numbers", block, width);
    for (long first = 0; first < rows && s == TN_OK; first += block)
        s = page_channels_read_block(job, plots_of, n, first,
                                     rows - first < block ? rows - first : block, numbers);
    tn_free(numbers);
    return s;
}

static tn_status read_plots(tn_page_job *job, plots *p)
{
    for (int i = 0, n = 0; i < p->count; i += n) {
        const int dataset = tn_result_channel_at(job->result, p->plots[i].channel)->dataset;
        for (n = 1; i + n < p->count; n++)
            if (tn_result_channel_at(job->result, p->plots[i + n].channel)->dataset != dataset)
                break;
        TN_TRY(read_dataset(job, &p->plots[i], n));
    }
    return TN_OK;
}

// Writing ----------------------------------------------------------------------------------------

// Bytes of all plots in the page. A channel that holds every row shares its times.
static double cost(const tn_page_job *job, plots *p)
{
    double bytes = 0.0;
    for (int i = 0; i < p->count; i++) {
        const int n = tn_thin_points(&p->plots[i].thin, p->points);
        bytes += (n == tn_result_rows(job->result) ? 8.0 : 16.0) * n * 4.0 / 3.0;
    }
    return bytes;
}

static void fit(const tn_page_job *job, plots *p)
{
    double bytes = cost(job, p);
    while (p->count > 0 && p->plots[0].thin.nbucket > 1) {
        const bool fine = p->plots[0].thin.nbucket >= 2 * FEWEST_BUCKETS;
        if (bytes <= (double)job->options.channel_bytes &&
            (bytes <= (double)job->options.channel_aim || !fine))
            break;
        for (int i = 0; i < p->count; i++)
            tn_thin_merge(&p->plots[i].thin, 2);
        bytes = cost(job, p);
    }
}

// `shared` is the plot whose times are those of all rows, -1 before there is one.
static void put_plot(tn_page_job *job, const plots *p, int index, int *shared)
{
    const tn_page_plot *it = &p->plots[index];
    const tn_result_channel *c = tn_result_channel_at(job->result, it->channel);
    const int n = tn_thin_points(&it->thin, p->points);
    const bool whole = n == tn_result_rows(job->result);
    tn_json_put(job->json, "{ name %s group %s unit %s", c->name, c->group, c->unit);
    if (whole && *shared >= 0)
        tn_json_object(job->json, "time", "same %d", *shared);
    else
        TN_PAGE_ARRAY(job->json, "time", false, n, i, p->points[i].time);
    if (whole && *shared < 0)
        *shared = index;
    TN_PAGE_ARRAY(job->json, "value", false, n, i, p->points[i].value);
    tn_json_end_object(job->json);
}

static tn_status put_plots(tn_page_job *job, plots *p, const char *key)
{
    int shared = -1;
    p->wanted = tn_alloc((size_t)(tn_result_channel_count(job->result) + 1) * sizeof(bool));
    if (!p->wanted)
        return tn_fail(TN_ERR_MEMORY, "out of memory: %d channels",
                       tn_result_channel_count(job->result));
    TN_TRY(choose_page_channels(job, p));
    TN_TRY(open_plots(job, p));
    TN_TRY(read_plots(job, p));
    fit(job, p);
    tn_json_begin_array(job->json, key);
    for (int i = 0; i < p->count; i++)
        put_plot(job, p, i, &shared);
    tn_json_end_array(job->json);
    return TN_OK;
}

tn_status tn_page_channels(tn_page_job *job, const char *key)
{
    plots p = {0};
    const tn_status s = put_plots(job, &p, key);
    for (int i = 0; p.plots && i < p.count; i++)
        tn_thin_close(&p.plots[i].thin);
    TN_FREE(p.plots, p.points, p.wanted);
    return s;
}
