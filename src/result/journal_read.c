// SPDX-License-Identifier: MIT
//
// Reads journals. Opening walks along the heads of the blocks; the checksum of a block of rows is
// checked when the first of its rows is read, and once.

#include "base/alloc.h"
#include "base/array.h"
#include "result/journal_block.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16 }; // bytes read at once

static tn_status journal_read_damaged(const tn_journal *j, const char *what)
{
    return tn_fail(TN_ERR_FILE, "%s is damaged: %s", j->path, what);
}

// n bytes at a place of the file, or a failure; the file may have been cut since it was opened.
static tn_status read_at(const tn_journal *j, int64_t at, void *to, size_t n)
{
    char *next = to;
    while (n > 0) {
        const ssize_t got = pread(j->fd, next, n, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return tn_fail(TN_ERR_FILE, "cannot read %s: %s", j->path, strerror(errno));
        if (got == 0)
            return tn_fail(TN_ERR_FILE, "%s has become shorter while it was read", j->path);
        next += got;
        at += got;
        n -= (size_t)got;
    }
    return TN_OK;
}

static tn_status sum_payload(const tn_journal *j, int64_t at, uint64_t length, uint32_t *sum)
{
    *sum = 0;
    while (length > 0) {
        const size_t n = length < PIECE ? (size_t)length : PIECE;
        TN_TRY(read_at(j, at, j->piece, n));
        *sum = tn_checksum(*sum, j->piece, n);
        at += (int64_t)n;
        length -= n;
    }
    return TN_OK;
}

// The payload of a small block with a zero behind it; *out is NULL when its checksum is wrong.
static tn_status load_payload(const tn_journal *j, int64_t at, uint64_t length, uint32_t sum,
                              char **out)
{
    char *bytes = tn_alloc((size_t)length + 1);
    *out = NULL;
    TN_TRY(tn_got(bytes));
    const tn_status s = read_at(j, at, bytes, (size_t)length);
    if (s == TN_OK && tn_checksum(0, bytes, (size_t)length) == sum)
        *out = bytes;
    else
        tn_free(bytes);
    return s;
}

// The head ---------------------------------------------------------------------------------------

static bool ends_with_zeros(const char *data, size_t size, uint32_t count)
{
    for (const char *end = data + size; count > 0; count--) {
        const char *zero = data < end ? memchr(data, 0, (size_t)(end - data)) : NULL;
        if (!zero)
            return false;
        data = zero + 1;
    }
    return true;
}

static bool is_sound(const tn_entry *e)
{
    tn_entry_channel c;
    switch (e->kind) {
    case TN_ENTRY_ATTRIBUTE:
    case TN_ENTRY_TEXT:
        return e->count == 1 && ends_with_zeros(e->data, e->size, 1);
    case TN_ENTRY_TEXTS:
        return ends_with_zeros(e->data, e->size, e->count);
    case TN_ENTRY_INTS:
        return e->size == e->count * sizeof(int32_t);
    case TN_ENTRY_FLAGS:
        return e->size == e->count;
    case TN_ENTRY_CHANNEL:
        if (e->size < sizeof(c))
            return false;
        memcpy(&c, e->data, sizeof(c));
        return c.rank >= 1 && c.rank <= 3 && c.ncomponent >= 1 && c.ncomponent <= 8 &&
               e->count <= INT_MAX / 64 &&
               ends_with_zeros(e->data + sizeof(c), e->size - sizeof(c),
                               2 + (c.ncomponent > 1 ? c.ncomponent : 0));
    }
    return true; // of a later version
}

static tn_status journal_read_add_channel(tn_journal *j, const tn_entry *e)
{
    tn_entry_channel c;
    memcpy(&c, e->data, sizeof(c));
    if (tn_array_push(&j->channels, j->entries.count - 1) != TN_OK ||
        tn_array_push(&j->offsets, j->width) != TN_OK)
        return tn_got(false);
    if (e->count * c.ncomponent > (uint32_t)(INT_MAX / 16 - j->width))
        return journal_read_damaged(j, "its head claims too many numbers per row");
    j->width += (int)(e->count * c.ncomponent);
    return TN_OK;
}

static tn_status read_entry(tn_journal *j, const char *bytes, uint64_t length, uint64_t *at)
{
    tn_entry_head front;
    const uint64_t left = length - *at;
    if (left < sizeof(front))
        return journal_read_damaged(j, "its head ends in the middle of an entry");
    memcpy(&front, bytes + *at, sizeof(front));
    const uint64_t name = tn_block_padded(front.name_size), room = left - sizeof(front);
    if (front.name_size == 0 || name > room || front.size > room - name ||
        tn_block_padded(front.size) > room - name)
        return journal_read_damaged(j, "its head has an entry of impossible length");
    const char *data = bytes + *at + sizeof(front) + name;
    const tn_entry e = {(tn_entry_kind)front.kind, front.count, bytes + *at + sizeof(front), data,
                        (size_t)front.size};
    if (e.name[front.name_size - 1] != '\0' || !is_sound(&e))
        return journal_read_damaged(j, "its head has an entry that makes no sense");
    *at += sizeof(front) + name + tn_block_padded(front.size);
    TN_TRY(tn_array_push(&j->entries, e));
    return e.kind == TN_ENTRY_CHANNEL ? journal_read_add_channel(j, &e) : TN_OK;
}

static tn_status read_head(tn_journal *j, const tn_block_head *block, int64_t at)
{
    TN_TRY(load_payload(j, at, block->length, block->sum, &j->head));
    if (!j->head)
        return journal_read_damaged(j, "the checksum of its head is wrong");
    for (uint64_t next = 0; next < block->length;)
        TN_TRY(read_entry(j, j->head, block->length, &next));
    if (j->channels.count == 0)
        return journal_read_damaged(j, "its head names no numbers");
    return TN_OK;
}

// Blocks -----------------------------------------------------------------------------------------

static tn_status journal_read_add_rows(tn_journal *j, const tn_block_head *head, int64_t at)
{
    tn_journal_rows_head rows;
    if (head->length < sizeof(rows))
        return journal_read_damaged(j, "a block of rows is too short");
    TN_TRY(read_at(j, at, &rows, sizeof(rows)));
    if (rows.first != (uint64_t)j->rows || rows.width != (uint32_t)j->width ||
        head->length != sizeof(rows) + (uint64_t)rows.rows * rows.width * sizeof(double))
        return journal_read_damaged(j, "a block of rows does not follow the one before");
    const tn_row_block b = {.at = at,
                            .length = head->length,
                            .first = j->rows,
                            .rows = (long)rows.rows,
                            .sum = head->sum};
    TN_TRY(tn_array_push(&j->blocks, b));
    j->rows += b.rows;
    return TN_OK;
}

static tn_status add_end(tn_journal *j, const tn_block_head *head, int64_t at)
{
    char *payload = NULL;
    if (head->length < sizeof(tn_journal_mark))
        return journal_read_damaged(j, "its end is too short");
    TN_TRY(load_payload(j, at, head->length, head->sum, &payload));
    if (!payload)
        return journal_read_damaged(j, "the checksum of its end is wrong");
    tn_free(j->end);
    j->end = payload;
    j->outcome = payload + sizeof(tn_journal_mark);
    return TN_OK;
}

static tn_status journal_read_add_block(tn_journal *j, const tn_block_head *head, int64_t at)
{
    switch (head->name[3]) {
    case TN_JOURNAL_ROWS:
        return journal_read_add_rows(j, head, at);
    case TN_JOURNAL_END:
        return add_end(j, head, at);
    default: // of a later version, or a second head
        return head->name[3] == TN_JOURNAL_HEAD ? journal_read_damaged(j, "it has two heads")
                                                : TN_OK;
    }
}

static bool is_block(const tn_block_head *head, uint64_t sequence)
{
    return memcmp(head->name, "TNJ", 3) == 0 && head->head_sum == tn_block_head_sum(head) &&
           head->sequence == sequence;
}

// The last block may have been cut in the middle of a write; its bytes are checked now.
static tn_status drop_torn_block(tn_journal *j)
{
    tn_row_block *last = j->blocks.count > 0 ? &j->blocks.at[j->blocks.count - 1] : NULL;
    uint32_t sum = 0;
    if (!last || last->at + (int64_t)tn_block_padded(last->length) != j->good)
        return TN_OK;
    TN_TRY(sum_payload(j, last->at, last->length, &sum));
    last->verified = sum == last->sum;
    if (last->verified)
        return TN_OK;
    j->good = last->at - (int64_t)sizeof(tn_block_head);
    j->rows = last->first;
    j->sequence--;
    j->blocks.count--;
    return TN_OK;
}

static tn_status warn_of_rest(tn_journal *j)
{
    if (j->good == j->size)
        return TN_OK;
    j->warning =
        tn_format("%s: %lld bytes at its end are not complete and are left out; %ld row%s "
                  "can be read",
                  j->path, (long long)(j->size - j->good), j->rows, j->rows == 1 ? "" : "s");
    return tn_got(j->warning);
}

// Walks from head to head until the file ends or makes no sense any more.
static tn_status walk_journal_read(tn_journal *j)
{
    tn_block_head head;
    for (; j->size - j->good >= (int64_t)sizeof(head); j->sequence++) {
        TN_TRY(read_at(j, j->good, &head, sizeof(head)));
        const int64_t at = j->good + (int64_t)sizeof(head), room = j->size - at;
        if (!is_block(&head, j->sequence) || head.length > (uint64_t)room ||
            tn_block_padded(head.length) > (uint64_t)room)
            break;
        if (j->sequence == 0 && head.name[3] != TN_JOURNAL_HEAD)
            break;
        TN_TRY(j->sequence == 0 ? read_head(j, &head, at) : journal_read_add_block(j, &head, at));
        j->good = at + (int64_t)tn_block_padded(head.length);
    }
    if (!j->head)
        return journal_read_damaged(j, "its beginning is not that of a journal");
    TN_TRY(drop_torn_block(j));
    return warn_of_rest(j);
}

static tn_status journal_read_open_file(tn_journal *j, int64_t size)
{
    struct stat info;
    j->fd = open(j->path, O_RDONLY | O_CLOEXEC);
    if (j->fd < 0 || fstat(j->fd, &info) != 0)
        return tn_fail(TN_ERR_FILE, "cannot read %s: %s", j->path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return tn_fail(TN_ERR_FILE, "cannot read %s: it is no file", j->path);
    j->size = size < (int64_t)info.st_size ? size : (int64_t)info.st_size;
    return walk_journal_read(j);
}

tn_status tn_journal_open(const char *path, tn_journal **out)
{
    return tn_journal_open_part(path, INT64_MAX, out);
}

tn_status tn_journal_open_part(const char *path, int64_t size, tn_journal **out)
{
    tn_journal *j = tn_alloc(sizeof(*j));
    *out = NULL;
    TN_TRY(tn_got(j));
    j->fd = -1;
    j->outcome = "running";
    j->path = tn_strdup(path);
    j->piece = tn_alloc(PIECE);
    const tn_status s = j->path && j->piece ? journal_read_open_file(j, size) : tn_got(false);
    TN_HAND_OUT(s, j, tn_journal_free, out);
}

void tn_journal_free(tn_journal *j)
{
    if (!j)
        return;
    if (j->fd >= 0)
        close(j->fd);
    tn_array_free(&j->entries);
    tn_array_free(&j->channels);
    tn_array_free(&j->offsets);
    tn_array_free(&j->blocks);
    TN_FREE(j->head, j->end, j->warning, j->piece, j->path, j);
}

bool tn_journal_is_one(const char *path)
{
    char name[4] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool yes =
        fd >= 0 && pread(fd, name, sizeof(name), 0) == 4 && memcmp(name, "TNJH", 4) == 0;
    if (fd >= 0)
        close(fd);
    return yes;
}

// Queries ----------------------------------------------------------------------------------------

const tn_entry *tn_journal_find(const tn_journal *journal, const char *name)
{
    for (int i = 0; i < journal->entries.count; i++)
        if (strcmp(journal->entries.at[i].name, name) == 0)
            return &journal->entries.at[i];
    return NULL;
}

const tn_entry *tn_journal_channel(const tn_journal *journal, int channel)
{
    return &journal->entries.at[journal->channels.at[channel]];
}

int tn_journal_channel_width(const tn_journal *j, int channel)
{
    const int end = channel + 1 < j->channels.count ? j->offsets.at[channel + 1] : j->width;
    return end - j->offsets.at[channel];
}

// Rows -------------------------------------------------------------------------------------------

static tn_status verify(tn_journal *j, tn_row_block *b)
{
    uint32_t sum = 0;
    if (b->verified)
        return TN_OK;
    TN_TRY(sum_payload(j, b->at, b->length, &sum));
    if (sum != b->sum)
        return tn_fail(TN_ERR_FILE,
                       "%s is damaged: the checksum of rows %ld to %ld is wrong; copy it again or "
                       "repeat the run",
                       j->path, b->first, b->first + b->rows - 1);
    b->verified = true;
    return TN_OK;
}

static int journal_read_block_of(const tn_journal *j, long row)
{
    int low = 0, high = j->blocks.count;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (j->blocks.at[middle].first <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// One column of n rows that stand one after the other, `width` numbers each.
static tn_status read_column(tn_journal *j, int64_t at, long n, int width, int column, double *out)
{
    const long most = PIECE / (long)sizeof(double) / width; // rows per piece
    for (long done = 0; done < n;) {
        const long rows = most < 1 ? 1 : n - done < most ? n - done : most;
        const int64_t from = at + (int64_t)done * width * (int64_t)sizeof(double);
        if (most < 1) {
            TN_TRY(read_at(j, from + column * (int64_t)sizeof(double), &out[done], sizeof(*out)));
        } else {
            TN_TRY(read_at(j, from, j->piece, (size_t)(rows * width) * sizeof(double)));
            for (long i = 0; i < rows; i++)
                memcpy(&out[done + i], j->piece + (size_t)(i * width + column) * sizeof(double),
                       sizeof(*out));
        }
        done += rows;
    }
    return TN_OK;
}

tn_status tn_journal_read(tn_journal *j, int channel, long first, long n, int column, double *out)
{
    const int width = tn_journal_channel_width(j, channel);
    if (first < 0 || n < 0 || first > j->rows || n > j->rows - first)
        return tn_fail(TN_ERR_USAGE, "%s: rows %ld to %ld were asked for; it has %ld", j->path,
                       first, first + n - 1, j->rows);
    for (int k = n > 0 ? journal_read_block_of(j, first) : 0; n > 0; k++) {
        tn_row_block *b = &j->blocks.at[k];
        const long skip = first - b->first, left = b->rows - skip, rows = n < left ? n : left;
        const int64_t numbers = (int64_t)b->rows * j->offsets.at[channel] + (int64_t)skip * width;
        const int64_t at = b->at + (int64_t)sizeof(tn_journal_rows_head) + 8 * numbers;
        TN_TRY(verify(j, b));
        if (column >= 0)
            TN_TRY(read_column(j, at, rows, width, column, out));
        else
            TN_TRY(read_at(j, at, out, (size_t)(rows * width) * sizeof(double)));
        out += column >= 0 ? rows : rows * width;
        first += rows;
        n -= rows;
    }
    return TN_OK;
}
