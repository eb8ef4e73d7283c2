// SPDX-License-Identifier: MIT
//
// cases.bin: a head that identifies the sweep, then a place for each case, written when it has
// ended: in any order, by one process, and at once, so that a sweep that is killed has lost the
// cases that were running. A place that was never written, or was cut off, has a wrong checksum:
// the case is missing.

#include "base/checksum.h"
#include "study/sweep_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char MAGIC[8] = "tnsweep1";

typedef struct store_head {
    char magic[8];
    uint32_t key, values;
    uint32_t order; // of bytes: a file of a machine that has another is not taken
    uint32_t sum;   // of all before
} store_head;

typedef struct record_tail {
    int32_t state;
    char reason[SWEEP_REASON];
    uint32_t sum; // of all before
} record_tail;

size_t tn_sweep_record_size(int values)
{
    return (size_t)values * sizeof(double) + sizeof(record_tail);
}

static uint32_t sum_of(const char *record, size_t head, const record_tail *tail)
{
    return tn_checksum(tn_checksum(1, record, head), tail, offsetof(record_tail, sum));
}

void tn_sweep_pack(const sweep_ended *ended, int values, char *record)
{
    const size_t head = (size_t)values * sizeof(double);
    record_tail tail = {.state = (int32_t)ended->state};
    snprintf(tail.reason, sizeof tail.reason, "%s", ended->reason);
    memcpy(record, ended->values, head);
    tail.sum = sum_of(record, head, &tail);
    memcpy(record + head, &tail, sizeof tail);
}

bool tn_sweep_unpack(const char *record, int values, sweep_ended *out)
{
    const size_t head = (size_t)values * sizeof(double);
    record_tail tail;
    memcpy(&tail, record + head, sizeof tail);
    if (tail.sum != sum_of(record, head, &tail) || tail.state < TN_CASE_DONE ||
        tail.state > TN_CASE_FAILED)
        return false;
    out->state = (tn_case_state)tail.state;
    memcpy(out->values, record, head);
    snprintf(out->reason, sizeof out->reason, "%.*s", SWEEP_REASON - 1, tail.reason);
    return true;
}

static store_head head_of(uint32_t key, int values)
{
    store_head h = {.key = key, .values = (uint32_t)values, .order = 0x01020304u};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    h.sum = tn_checksum(0, &h, offsetof(store_head, sum));
    return h;
}

static tn_status store_failed(const sweep_store *s, const char *verb)
{
    return tn_fail(TN_ERR_FILE, "cannot %s %s: %s", verb, s->path,
                   errno ? strerror(errno) : "the disk is full");
}

static tn_status check_head(const sweep_store *s, uint32_t key, bool *fits)
{
    store_head found, wanted = head_of(key, s->values);
    errno = 0;
    const ssize_t n = pread(s->file, &found, sizeof found, 0);
    if (n < 0)
        return store_failed(s, "read");
    *fits = n == sizeof found && memcmp(&found, &wanted, sizeof found) == 0;
    return TN_OK;
}

tn_status tn_sweep_store_open(const char *path, uint32_t key, int values, bool replace,
                              sweep_store *out)
{
    *out = (sweep_store){.file = -1,
                         .path = tn_strdup(path),
                         .values = values,
                         .record = tn_alloc(tn_sweep_record_size(values))};
    TN_TRY(tn_got(out->path && out->record));
    bool fits = false;
    out->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (out->file < 0)
        return store_failed(out, "open");
    TN_TRY(check_head(out, key, &fits));
    if (fits && !replace)
        return TN_OK;
    if (!replace && lseek(out->file, 0, SEEK_END) > 0)
        return tn_fail(TN_ERR_USAGE,
                       "%s holds cases of another sweep: the model, its parameters, outputs or "
                       "samples differ; --force replaces them, --out names another folder",
                       path);
    const store_head h = head_of(key, out->values);
    errno = 0;
    if (ftruncate(out->file, 0) != 0 || pwrite(out->file, &h, sizeof h, 0) != sizeof h)
        return store_failed(out, "write");
    return TN_OK;
}

void tn_sweep_store_close(sweep_store *store)
{
    if (store->path && store->file >= 0)
        close(store->file);
    TN_FREE(store->path, store->record);
}

static off_t place_of(const sweep_store *s, int64_t index)
{
    return (off_t)sizeof(store_head) + (off_t)index * (off_t)tn_sweep_record_size(s->values);
}

tn_status tn_sweep_store_put(sweep_store *s, int64_t index, const sweep_ended *ended)
{
    const size_t size = tn_sweep_record_size(s->values);
    tn_sweep_pack(ended, s->values, s->record);
    errno = 0;
    return pwrite(s->file, s->record, size, place_of(s, index)) == (ssize_t)size
               ? TN_OK
               : store_failed(s, "write");
}

tn_status tn_sweep_store_get(sweep_store *s, int64_t index, sweep_ended *out)
{
    const size_t size = tn_sweep_record_size(s->values);
    errno = 0;
    const ssize_t n = pread(s->file, s->record, size, place_of(s, index));
    out->state = TN_CASE_MISSING;
    *out->reason = '\0';
    if (n < 0)
        return store_failed(s, "read");
    if (n == (ssize_t)size)
        (void)tn_sweep_unpack(s->record, s->values, out); // else it is missing
    return TN_OK;
}
