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

typedef struct store_tail {
    int32_t state;
    char reason[SWEEP_REASON];
    uint32_t sum; // of all before
} store_tail;

static store_head head_of(uint32_t key, size_t values)
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

static tn_status write_head(const sweep_store *s, uint32_t key)
{
    const store_head h = head_of(key, s->values);
    errno = 0;
    if (ftruncate(s->file, 0) != 0 || pwrite(s->file, &h, sizeof h, 0) != sizeof h)
        return store_failed(s, "write");
    return TN_OK;
}

tn_status tn_sweep_store_open(const char *path, uint32_t key, int values, bool replace,
                              sweep_store *out)
{
    *out = (sweep_store){.file = -1, .path = tn_strdup(path), .values = (size_t)values};
    out->size = out->values * sizeof(double) + sizeof(store_tail);
    out->place = tn_alloc(out->size);
    if (!out->path || !out->place)
        return TN_ERR_MEMORY;
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
    return write_head(out, key);
}

void tn_sweep_store_close(sweep_store *store)
{
    if (store->path && store->file >= 0)
        close(store->file);
    TN_FREE(store->path, store->place);
}

static off_t place_of(const sweep_store *s, int64_t index)
{
    return (off_t)sizeof(store_head) + (off_t)index * (off_t)s->size;
}

tn_status tn_sweep_store_put(sweep_store *store, int64_t index, const sweep_ended *ended)
{
    const size_t head = store->values * sizeof(double);
    store_tail tail = {.state = (int32_t)ended->state};
    snprintf(tail.reason, sizeof tail.reason, "%s", ended->reason);
    memcpy(store->place, ended->values, head);
    tail.sum = tn_checksum(tn_checksum(1, store->place, head), &tail, offsetof(store_tail, sum));
    memcpy(store->place + head, &tail, sizeof tail);
    errno = 0;
    return pwrite(store->file, store->place, store->size, place_of(store, index)) ==
                   (ssize_t)store->size
               ? TN_OK
               : store_failed(store, "write");
}

tn_status tn_sweep_store_get(sweep_store *store, int64_t index, sweep_ended *out)
{
    const size_t head = store->values * sizeof(double);
    store_tail tail;
    errno = 0;
    const ssize_t n = pread(store->file, store->place, store->size, place_of(store, index));
    out->state = TN_CASE_MISSING;
    *out->reason = '\0';
    if (n < 0)
        return store_failed(store, "read");
    if (n < (ssize_t)store->size)
        return TN_OK;
    memcpy(&tail, store->place + head, sizeof tail);
    if (tail.sum !=
            tn_checksum(tn_checksum(1, store->place, head), &tail, offsetof(store_tail, sum)) ||
        tail.state < TN_CASE_DONE || tail.state > TN_CASE_FAILED)
        return TN_OK;
    out->state = (tn_case_state)tail.state;
    memcpy(out->values, store->place, head);
    snprintf(out->reason, sizeof out->reason, "%.*s", SWEEP_REASON - 1, tail.reason);
    return TN_OK;
}
