// SPDX-License-Identifier: MIT
//
// Results that are still in their journal: of a run that goes on, was stopped or was killed, or
// whose result.h5 could not be made.

#include "base/alloc.h"
#include "result/journal.h"
#include "result/result_file.h"

#include <string.h>

typedef struct journal_file {
    tn_data_file base;
    tn_journal *journal;
} journal_file;

static void close_journal(tn_data_file *file)
{
    tn_journal_free(((journal_file *)file)->journal);
    tn_free(file);
}

static bool is_of(tn_entry_kind entry, tn_data_list kind)
{
    switch (kind) {
    case TN_DATA_ATTRIBUTE:
        return entry == TN_ENTRY_ATTRIBUTE;
    case TN_DATA_TEXTS:
        return entry == TN_ENTRY_TEXTS || entry == TN_ENTRY_TEXT;
    default:
        return entry == TN_ENTRY_INTS;
    }
}

static tn_status journal_list(tn_data_file *file, tn_data_list kind, const char *name,
                              tn_data_bytes *out)
{
    const tn_journal *journal = ((journal_file *)file)->journal;
    const char *outcome = journal->outcome;
    const tn_entry end = {TN_ENTRY_ATTRIBUTE, 1, "outcome", outcome, strlen(outcome) + 1};
    const tn_entry *e = strcmp(name, end.name) == 0 ? &end : tn_journal_find(journal, name);
    *out = (tn_data_bytes){0};
    if (!e || !is_of(e->kind, kind))
        return TN_OK;
    *out = (tn_data_bytes){(int)e->count, e->size, tn_alloc(e->size)};
    TN_TRY(tn_got(out->at));
    memcpy(out->at, e->data, e->size);
    return TN_OK;
}

static int channel_of(const journal_file *f, const char *path)
{
    for (int k = 0; k < f->journal->channels.count; k++)
        if (strcmp(tn_journal_channel(f->journal, k)->name, path) == 0)
            return k;
    return -1;
}

static tn_status journal_table(tn_data_file *file, const char *path, tn_data_table *out)
{
    const journal_file *f = (journal_file *)file;
    const int k = channel_of(f, path);
    *out = (tn_data_table){.handle = k};
    if (k < 0)
        return TN_OK;
    const tn_entry *e = tn_journal_channel(f->journal, k);
    tn_entry_channel c;
    memcpy(&c, e->data, sizeof(c));
    out->rows = f->journal->rows;
    out->width = tn_journal_channel_width(f->journal, k);
    out->rank = (int)c.rank;
    out->shape[0] = (unsigned long long)out->rows;
    out->shape[1] = c.rank == 2 ? e->count * c.ncomponent : e->count;
    out->shape[2] = c.ncomponent;
    return TN_OK;
}

static tn_status journal_read(tn_data_file *file, const tn_data_table *table, long first, long n,
                              int column, double *out)
{
    if (n == 0 || table->width == 0)
        return TN_OK;
    return tn_journal_read(((journal_file *)file)->journal, (int)table->handle, first, n, column,
                           out);
}

static const tn_data_file_ops ops = {
    .close = close_journal,
    .list = journal_list,
    .table = journal_table,
    .read = journal_read,
};

tn_status tn_result_journal_open(const char *path, tn_data_file **out)
{
    journal_file *f = tn_alloc(sizeof(*f));
    *out = NULL;
    TN_TRY(tn_got(f));
    f->base.ops = &ops;
    const tn_status s = tn_journal_open(path, &f->journal);
    f->base.warning = s == TN_OK ? f->journal->warning : NULL;
    TN_HAND_OUT(s, &f->base, close_journal, out);
}
