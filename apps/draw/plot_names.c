// SPDX-License-Identifier: MIT
//
// From words to channels of runs: names, beginnings of names, patterns, and "RUN:CHANNEL".

#include "draw/plot_runs.h"
#include "text/table.h"

#include <stdio.h>
#include <string.h>

// Kinds of places --------------------------------------------------------------------------------

static const tn_result_channel *channel_of(tn_plot_place at)
{
    return tn_result_channel_at(at.run->result, at.channel);
}

const char *tn_plot_place_name(tn_plot_place at)
{
    return at.channel == TN_PLOT_TIME ? at.run->about->along : channel_of(at)->name;
}

const char *tn_plot_place_unit(tn_plot_place at)
{
    return at.channel == TN_PLOT_TIME ? at.run->unit : channel_of(at)->unit;
}

const char *tn_plot_place_group(tn_plot_place at)
{
    return at.channel == TN_PLOT_TIME ? "time" : channel_of(at)->group;
}

const char *tn_plot_place_quantity(tn_plot_place at)
{
    if (at.channel == TN_PLOT_TIME || at.run->about->is_table)
        return tn_plot_place_name(at);
    const char *path = tn_result_dataset_at(at.run->result, channel_of(at)->dataset)->path;
    return strchr(path, '/') ? strchr(path, '/') + 1 : path;
}

// Names -------------------------------------------------------------------------------------------

// Returns true if * in the pattern can stand for parts of the name.
static bool fits_pattern(const char *pattern, const char *name)
{
    const char *star = NULL, *retry = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            retry = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static bool is_meant(const char *word, const char *name)
{
    const size_t n = strlen(word);
    return (strncmp(word, name, n) == 0 && (name[n] == '\0' || name[n] == '.')) ||
           (strchr(word, '*') && fits_pattern(word, name));
}

// Adds every beginning of a name up to a dot, and the name.
static tn_status add_beginnings(tn_table *table, const char *name)
{
    char *text = tn_strdup(name);
    tn_status s = tn_got(text);
    for (size_t i = 1; s == TN_OK && i <= strlen(name); i++)
        if (name[i] == '.' || name[i] == '\0') {
            text[i] = '\0';
            if (tn_table_find(table, text) < 0)
                s = tn_table_add(table, text, 0);
            text[i] = name[i];
        }
    tn_free(text);
    return s;
}

// The sentence begins with the run if there are several: it may be missing in one of them only.
static tn_status fail_unknown(const tn_plot_runs *runs, const tn_plot_run *run, const char *word)
{
    const tn_result *result = run->result;
    const char *dir = run->path;
    const bool several = runs->run.count > 1;
    tn_table *table = NULL;
    const char *nearest = NULL;
    char *today = tn_name_of_today(word), guess[512] = "";
    tn_status s = tn_table_create(&table);
    for (int i = 0; s == TN_OK && i < tn_result_channel_count(result); i++)
        s = add_beginnings(table, tn_result_channel_at(result, i)->name);
    if (s == TN_OK)
        nearest = today && tn_table_find(table, today) >= 0 ? today : tn_table_nearest(table, word);
    if (nearest)
        snprintf(guess, sizeof(guess), " did you mean '%s'?", nearest);
    if (s == TN_OK)
        s = tn_fail(TN_ERR_USAGE, "%s%sno channel '%s';%s 'tenon plot %s --list' lists them all",
                    several ? dir : "", several ? ": there is " : "", word, guess, dir);
    tn_table_destroy(table);
    tn_free(today);
    return s;
}

static tn_status add_place(tn_plot_place_list *out, tn_plot_place place)
{
    for (int i = 0; i < out->count; i++)
        if (out->at[i].run == place.run && out->at[i].channel == place.channel)
            return TN_OK;
    return tn_array_push(out, place);
}

static bool is_channel(const tn_result *result, const char *word)
{
    for (int i = 0; i < tn_result_channel_count(result); i++)
        if (strcmp(word, tn_result_channel_at(result, i)->name) == 0)
            return true;
    return false;
}

// A word that is the whole name of a channel, as joint.angle, means no others, as joint.angle.rate.
static tn_status add_channels(const tn_plot_runs *runs, tn_plot_run *run, const char *word,
                              tn_plot_place_list *out)
{
    const tn_result *result = run->result;
    tn_plot_place place = {run, TN_PLOT_TIME};
    bool known = false;
    if (is_channel(result, word)) {
        TN_TRY(tn_result_find(result, word, &place.channel)); // a name of two channels is an error
        return add_place(out, place);
    }
    for (int i = 0; i < tn_result_channel_count(result); i++) {
        if (!is_meant(word, tn_result_channel_at(result, i)->name))
            continue;
        known = true;
        TN_TRY(add_place(out, (tn_plot_place){run, i}));
    }
    if (known)
        return TN_OK;
    if (strcmp(word, run->about->along) == 0)
        return add_place(out, place);
    return fail_unknown(runs, run, word);
}

// The run is what stands before the last colon before which there is one.
tn_status tn_plot_split(tn_plot_runs *runs, const char *word, tn_plot_run **run,
                        const char **channel)
{
    *run = NULL;
    *channel = word;
    for (size_t n = strlen(word); n > 1; n--) {
        if (word[n - 1] != ':' || !word[n])
            continue;
        char *path = tn_format("%.*s", (int)(n - 1), word);
        tn_status s = tn_got(path);
        const bool there = path && tn_result_is_there(path);
        if (there) {
            *channel = word + n;
            s = tn_plot_runs_add(runs, path, false, run);
        }
        tn_free(path);
        if (there || s != TN_OK)
            return s;
    }
    return TN_OK;
}

static tn_status fail_without_run(const char *word)
{
    const char *colon = strchr(word, ':');
    if (colon)
        return tn_fail(TN_ERR_USAGE, "'%s': there are no results and no table at '%.*s'", word,
                       (int)(colon - word), word);
    return tn_fail(TN_ERR_USAGE, "'%s': of which run? Write RUN:%s, or name runs first", word,
                   word);
}

tn_status tn_plot_find(tn_plot_runs *runs, const char *word, tn_plot_place_list *out)
{
    bool listed = false;
    const char *channel;
    tn_plot_run *run;
    TN_TRY(tn_plot_split(runs, word, &run, &channel));
    if (run)
        return add_channels(runs, run, channel, out);
    for (int i = 0; i < runs->run.count; i++) {
        if (!runs->run.at[i]->listed)
            continue;
        listed = true;
        TN_TRY(add_channels(runs, runs->run.at[i], word, out));
    }
    return listed ? TN_OK : fail_without_run(word);
}

tn_status tn_plot_find_in(const tn_plot_runs *runs, const tn_plot_run *run, const char *name,
                          int *channel)
{
    const tn_result *result = run->result;
    *channel = TN_PLOT_TIME;
    if (strcmp(name, run->about->along) == 0)
        return TN_OK;
    if (is_channel(result, name))
        return tn_result_find(result, name, channel);
    for (int i = 0; i < tn_result_channel_count(result); i++)
        if (is_meant(name, tn_result_channel_at(result, i)->name))
            return tn_fail(TN_ERR_USAGE,
                           "--x %s: one channel goes along, by its whole name, for example '%s'",
                           name, tn_result_channel_at(result, i)->name);
    return fail_unknown(runs, run, name);
}
