// SPDX-License-Identifier: MIT
//
// Results that are still in their journal: of a run that goes on, was stopped or was killed, or
// whose result.h5 could not be made.

#include "base/alloc.h"
#include "io/journal.h"
#include "io/result_file.h"

#include <string.h>

typedef struct journal_file {
    tn_result_file base;
    tn_journal *journal;
    char *path;
} journal_file;

static tn_status result_journal_no_memory(const journal_file *f)
{
    return tn_fail(TN_ERR_MEMORY, "%s: out of memory", f->path);
}

static const tn_entry *find_result_journal(const journal_file *f, const char *name,
                                           tn_entry_kind kind)
{
    const tn_entry *e = tn_journal_find(f->journal, name);
    return e && e->kind == kind ? e : NULL;
}

static void close_journal(tn_result_file *file)
{
    journal_file *f = (journal_file *)file;
    tn_journal_free(f->journal);
    TN_FREE(f->path, f);
}

static tn_status journal_attribute(tn_result_file *file, const char *name, char **out)
{
    const journal_file *f = (journal_file *)file;
    const tn_entry *e = find_result_journal(f, name, TN_ENTRY_ATTRIBUTE);
    const char *text = e ? e->data : NULL;
    if (strcmp(name, "outcome") == 0)
        text = tn_journal_outcome(f->journal);
    *out = tn_strdup(text);
    return !text || *out ? TN_OK : result_journal_no_memory(f);
}

static tn_status journal_texts(tn_result_file *file, const char *path, int *count, char ***out)
{
    const journal_file *f = (journal_file *)file;
    const tn_entry *e = find_result_journal(f, path, TN_ENTRY_TEXTS);
    if (!e)
        e = find_result_journal(f, path, TN_ENTRY_TEXT);
    *count = e ? (int)e->count : 0;
    *out = e ? tn_result_pack(*count, e->data) : NULL;
    return !e || *out ? TN_OK : result_journal_no_memory(f);
}

static tn_status journal_ints(tn_result_file *file, const char *path, int *count, int **out)
{
    const journal_file *f = (journal_file *)file;
    const tn_entry *e = find_result_journal(f, path, TN_ENTRY_INTS);
    *count = e ? (int)e->count : 0;
    *out = e ? tn_alloc(e->size) : NULL;
    if (e && !*out)
        return result_journal_no_memory(f);
    if (e)
        memcpy(*out, e->data, e->size);
    return TN_OK;
}

static int channel_of(const journal_file *f, const char *path)
{
    for (int k = 0; k < tn_journal_channel_count(f->journal); k++)
        if (strcmp(tn_journal_channel(f->journal, k)->name, path) == 0)
            return k;
    return -1;
}

static tn_status journal_table(tn_result_file *file, const char *path, tn_result_table *out)
{
    const journal_file *f = (journal_file *)file;
    const int k = channel_of(f, path);
    *out = (tn_result_table){.handle = k};
    if (k < 0)
        return TN_OK;
    const tn_entry *e = tn_journal_channel(f->journal, k);
    tn_entry_channel c;
    memcpy(&c, e->data, sizeof(c));
    out->rows = tn_journal_rows(f->journal);
    out->width = tn_journal_channel_width(f->journal, k);
    out->rank = (int)c.rank;
    out->shape[0] = (unsigned long long)out->rows;
    out->shape[1] = e->count;
    out->shape[2] = c.ncomponent;
    return TN_OK;
}

static void close_table(tn_result_file *file, tn_result_table *table)
{
    table->handle = -1;
}

static tn_status journal_read(tn_result_file *file, const tn_result_table *table, long first,
                              long n, int column, double *out)
{
    if (n == 0 || table->width == 0)
        return TN_OK;
    return tn_journal_read(((journal_file *)file)->journal, (int)table->handle, first, n, column,
                           out);
}

static const char *journal_warning(const tn_result_file *file)
{
    return tn_journal_warning(((const journal_file *)file)->journal);
}

static const tn_result_file_ops ops = {
    .close = close_journal,
    .attribute = journal_attribute,
    .texts = journal_texts,
    .ints = journal_ints,
    .table = journal_table,
    .table_close = close_table,
    .read = journal_read,
    .warning = journal_warning,
};

tn_status tn_result_journal_open(const char *path, tn_result_file **out)
{
    journal_file *f = tn_alloc(sizeof(*f));
    *out = NULL;
    if (!f)
        return tn_fail(TN_ERR_MEMORY, "%s: out of memory", path);
    f->base.ops = &ops;
    f->path = tn_strdup(path);
    const tn_status s = f->path ? tn_journal_open(path, &f->journal)
                                : tn_fail(TN_ERR_MEMORY, "%s: out of memory", path);
    TN_HAND_OUT(s, &f->base, close_journal, out);
}

char **tn_result_pack(int n, const char *texts)
{
    const char *end = texts;
    for (int i = 0; i < n; i++)
        end += strlen(end) + 1;
    const size_t pointers = ((size_t)n + 1) * sizeof(char *);
    char **out = tn_alloc(pointers + (size_t)(end - texts));
    if (!out)
        return NULL;
    char *to = (char *)(out + n + 1);
    if (end > texts)
        memcpy(to, texts, (size_t)(end - texts));
    for (int i = 0; i < n; i++) {
        out[i] = to;
        to += strlen(to) + 1;
    }
    return out;
}
