// SPDX-License-Identifier: MIT
//
// Results as a table: one line per row, a header with names and units, fields quoted as in RFC
// 4180. Numbers have the fewest digits that read back as the same double.

#include "base/alloc.h"
#include "result/record.h"
#include "text/buffer.h"
#include "text/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { WRITE_AT = 1 << 16 }; // bytes that make a write worthwhile

typedef struct csv_sink {
    tn_sink base;
    int fd;
    tn_buffer out; // not yet written
    long lines;    // complete rows in the text
    off_t good;    // bytes of the file up to the last row that was saved
} csv_sink;

static tn_status check_memory(csv_sink *s)
{
    if (!s->out.failed)
        return TN_OK;
    s->base.failed = true;
    return tn_got(false);
}

static tn_status put_header(csv_sink *s, const tn_record *record)
{
    for (int k = 0; k < record->list.nchannel; k++)
        for (int i = 0; i < record->list.channel[k].size; i++) {
            const tn_column column = tn_channel_column(record->sim, &record->list.channel[k], i);
            char *name = tn_quantity_name(record->list.channel[k].kind, &column);
            TN_TRY(tn_got(name));
            tn_csv_name(&s->out, name, column.unit);
            tn_free(name);
            tn_buffer_put(&s->out, ",", 1);
        }
    TN_TRY(check_memory(s));
    s->out.text[s->out.length - 1] = '\n'; // in place of the last comma; time is always there
    return TN_OK;
}

// The bytes that a full disk took stay up to the last line end.
static void keep_whole_lines(csv_sink *s, size_t written)
{
    size_t whole = 0;
    for (size_t i = 0; i < written; i++)
        if (s->out.text[i] == '\n') {
            whole = i + 1;
            s->base.saved++;
        }
    s->good += (off_t)whole;
    (void)!ftruncate(s->fd, s->good);
}

// Writes the text; when the disk is full the file keeps complete lines only.
static tn_status write_text(csv_sink *s)
{
    size_t done = 0;
    while (done < s->out.length) {
        const ssize_t n = write(s->fd, s->out.text + done, s->out.length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            const int error = n < 0 ? errno : ENOSPC;
            keep_whole_lines(s, done);
            return tn_sink_fail(&s->base, strerror(error));
        }
        done += (size_t)n;
    }
    s->good += (off_t)s->out.length;
    s->base.saved += s->lines;
    s->out.length = 0;
    s->lines = 0;
    return TN_OK;
}

static tn_status csv_append(tn_sink *sink, const tn_record *record)
{
    csv_sink *s = (csv_sink *)sink;
    for (int row = 0; row < record->count; row++) {
        const size_t begin = s->out.length;
        for (int k = 0; k < record->list.nchannel; k++) {
            const tn_channel *c = &record->list.channel[k];
            for (int i = 0; i < c->size; i++) {
                tn_csv_number(&s->out,
                              record->gathered[k][(size_t)row * (size_t)c->size + (size_t)i]);
                tn_buffer_put(&s->out, ",", 1);
            }
        }
        if (s->out.failed) {
            s->out.length = begin; // no part of a row
            return check_memory(s);
        }
        s->out.text[s->out.length - 1] = '\n';
        s->lines++;
        s->base.rows++;
        if (s->out.length >= WRITE_AT)
            TN_TRY(write_text(s));
    }
    return write_text(s);
}

// The outcome has no place in a table: it is in summary.json and result.h5.
static tn_status csv_close(tn_sink *sink, const tn_record *record, const char *outcome)
{
    csv_sink *s = (csv_sink *)sink;
    tn_status status = TN_OK;
    if (s->fd >= 0 && close(s->fd) != 0 && !sink->failed)
        status = tn_sink_fail(sink, strerror(errno));
    tn_free(s->out.text);
    tn_sink_free(sink);
    return status;
}

static tn_status csv_create(tn_sink *sink, const tn_record *record)
{
    csv_sink *s = (csv_sink *)sink;
    s->fd = -1;
    TN_TRY(put_header(s, record));
    s->fd = open(sink->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (s->fd < 0)
        return tn_fail(TN_ERR_FILE, "cannot write %s: %s", sink->path, strerror(errno));
    return write_text(s);
}

const tn_sink_ops tn_sink_csv = {
    .file = "result.csv",
    .size = sizeof(csv_sink),
    .create = csv_create,
    .append = csv_append,
    .close = csv_close,
};
