// SPDX-License-Identifier: MIT
//
// HDF5 files of results through a child process that reads them: questions and answers over a
// socket. Where HDF5 crashes or never ends, on damaged files or short memory, the question fails
// with a sentence.

#include "base/alloc.h"
#include "base/child.h"
#include "result/result_file.h"

#include <stdio.h>
#include <string.h>

enum {
    NAME_SIZE = 128,       // of attributes and datasets
    MOST_BYTES = 1 << 18,  // of rows in one answer
    MOST_ANSWER = 1 << 28, // more is a mistake
    SECONDS = 10           // of work for one answer; HDF5 on a damaged file may never end
};

// Wall time that one answer may take [s]: of a disk that is slow, or of a file that keeps HDF5
// waiting. Answers are a quarter of a megabyte at most; shorter would give up on slow networks.
static const tn_child_terms terms = {.who = "HDF5", .patience = 60.0};

typedef enum { LIST, TABLE, READ } question_kind;

typedef struct question {
    question_kind kind;
    tn_result_list list;
    char name[NAME_SIZE];
    tn_result_table table;
    long first, n;
    int column;
} question;

typedef struct answer {
    tn_status status; // otherwise the bytes are a sentence
    int count;        // texts or numbers; -1 when there is nothing of that name
    tn_result_table table;
    size_t size; // of the bytes that follow
} answer;

typedef struct remote_file {
    tn_result_file base;
    tn_child child;
    char how[64]; // it ended, when it is gone
    char *path;
} remote_file;

// The child --------------------------------------------------------------------------------------

static bool reply(int socket, answer a, const void *bytes)
{
    return tn_child_send(socket, &a, sizeof(a)) && tn_child_send(socket, bytes, a.size);
}

static bool reply_failure(int socket, tn_status s)
{
    return reply(socket, (answer){.status = s, .size = strlen(tn_last_error())}, tn_last_error());
}

static bool reply_list(int socket, tn_result_file *file, const question *q)
{
    tn_result_bytes list;
    const tn_status s = file->ops->list(file, q->list, q->name, &list);
    const answer a = {TN_OK, .count = list.at ? list.count : -1, .size = list.size};
    const bool sent = s == TN_OK ? reply(socket, a, list.at) : reply_failure(socket, s);
    tn_free(list.at);
    return sent;
}

static bool reply_table(int socket, tn_result_file *file, const char *path)
{
    answer a = {.status = TN_OK};
    const tn_status s = file->ops->table(file, path, &a.table);
    return s == TN_OK ? reply(socket, a, NULL) : reply_failure(socket, s);
}

static bool reply_rows(int socket, tn_result_file *file, const question *q)
{
    const size_t width = q->column >= 0 ? 1 : (size_t)q->table.width;
    const answer a = {TN_OK, .size = (size_t)q->n * width * sizeof(double)};
    double *rows = tn_alloc(a.size);
    const tn_status s =
        rows ? file->ops->read(file, &q->table, q->first, q->n, q->column, rows) : tn_got(false);
    const bool sent = s == TN_OK ? reply(socket, a, rows) : reply_failure(socket, s);
    tn_free(rows);
    return sent;
}

static bool reply_to(int socket, tn_result_file *file, const question *q)
{
    tn_clear_error();
    switch (q->kind) {
    case LIST:
        return reply_list(socket, file, q);
    case TABLE:
        return reply_table(socket, file, q->name);
    case READ:
        return reply_rows(socket, file, q);
    }
    return false;
}

static void serve(int socket, void *user)
{
    tn_result_file *file = NULL;
    question q;
    tn_child_allow(SECONDS);
    const tn_status s = tn_result_hdf5_open(user, &file);
    bool going =
        s == TN_OK ? reply(socket, (answer){.status = TN_OK}, NULL) : reply_failure(socket, s);
    while (s == TN_OK && going && tn_child_receive(socket, &q, sizeof(q))) {
        tn_child_allow(SECONDS);
        going = reply_to(socket, file, &q);
    }
}

// The caller -------------------------------------------------------------------------------------

// The child is gone: its end is reported, once and for all later questions.
static tn_status child_lost(remote_file *f)
{
    if (f->child.pid != 0)
        tn_child_end(&f->child, false, f->how, sizeof(f->how));
    return tn_fail(TN_ERR_FILE, "cannot read %s: HDF5 %s; the file is damaged, or memory is short",
                   f->path, *f->how ? f->how : "ended without a word");
}

// False when there is none in time; then the child is gone.
static bool is_answered(remote_file *f)
{
    if (tn_child_await(&f->child, &terms) == TN_OK)
        return true;
    tn_child_end(&f->child, true, NULL, 0);
    snprintf(f->how, sizeof(f->how), "gave no answer for %g s", terms.patience);
    return false;
}

// The bytes of an answer with a zero behind them; a failure of the child is one of the caller.
static tn_status receive(remote_file *f, answer *a, char **bytes)
{
    *bytes = NULL;
    if (f->child.pid == 0 || !is_answered(f) || !tn_child_receive(f->child.socket, a, sizeof(*a)))
        return child_lost(f);
    if (a->size > MOST_ANSWER) {
        tn_child_end(&f->child, true, NULL, 0);
        return child_lost(f);
    }
    *bytes = tn_alloc(a->size + 1);
    if (!*bytes) {
        tn_child_end(&f->child, true, NULL, 0); // its answer cannot be taken: no other question
        return tn_got(false);
    }
    if (!tn_child_receive(f->child.socket, *bytes, a->size))
        a->status = child_lost(f);
    else if (a->status != TN_OK)
        tn_fail(a->status, "%s", *bytes);
    if (a->status != TN_OK) {
        tn_free(*bytes);
        *bytes = NULL;
    }
    return a->status;
}

static tn_status ask(remote_file *f, const question *q, answer *a, char **bytes)
{
    *bytes = NULL;
    if (f->child.pid == 0 || !tn_child_send(f->child.socket, q, sizeof(*q)))
        return child_lost(f);
    return receive(f, a, bytes);
}

static void close_remote(tn_result_file *file)
{
    remote_file *f = (remote_file *)file;
    tn_child_end(&f->child, true, NULL, 0); // it only reads
    TN_FREE(f->path, f);
}

static tn_status remote_list(tn_result_file *file, tn_result_list kind, const char *name,
                             tn_result_bytes *out)
{
    question q = {.kind = LIST, .list = kind};
    answer a;
    snprintf(q.name, sizeof(q.name), "%s", name);
    *out = (tn_result_bytes){0};
    TN_TRY(ask((remote_file *)file, &q, &a, &out->at));
    out->count = a.count;
    out->size = a.size;
    if (a.count < 0) {
        tn_free(out->at);
        *out = (tn_result_bytes){0};
    }
    return TN_OK;
}

static tn_status remote_table(tn_result_file *file, const char *path, tn_result_table *out)
{
    question q = {.kind = TABLE};
    answer a;
    char *bytes = NULL;
    snprintf(q.name, sizeof(q.name), "%s", path);
    *out = (tn_result_table){.handle = -1};
    TN_TRY(ask((remote_file *)file, &q, &a, &bytes));
    tn_free(bytes);
    *out = a.table;
    return TN_OK;
}

static tn_status read_piece(remote_file *f, const question *q, size_t size, double *out)
{
    answer a;
    char *bytes = NULL;
    TN_TRY(ask(f, q, &a, &bytes));
    if (a.size == size)
        memcpy(out, bytes, size);
    tn_free(bytes);
    return a.size == size ? TN_OK : child_lost(f);
}

static tn_status remote_read(tn_result_file *file, const tn_result_table *table, long first, long n,
                             int column, double *out)
{
    const long width = column >= 0 ? 1 : table->width;
    question q = {.kind = READ, .table = *table, .column = column};
    if (n == 0 || table->width == 0)
        return TN_OK;
    const long fit = MOST_BYTES / (width * (long)sizeof(double)), step = fit > 0 ? fit : 1;
    for (long done = 0; done < n; done += step) {
        q.first = first + done;
        q.n = n - done < step ? n - done : step;
        TN_TRY(read_piece((remote_file *)file, &q, (size_t)(q.n * width) * sizeof(double),
                          out + done * width));
    }
    return TN_OK;
}

static const tn_result_file_ops ops = {
    .close = close_remote,
    .list = remote_list,
    .table = remote_table,
    .read = remote_read,
};

static tn_status open_remote(remote_file *f)
{
    answer a;
    char *bytes = NULL;
    TN_TRY(tn_child_start(serve, f->path, &f->child));
    TN_TRY(receive(f, &a, &bytes));
    tn_free(bytes);
    return TN_OK;
}

tn_status tn_result_remote_open(const char *path, tn_result_file **out)
{
    remote_file *f = tn_alloc(sizeof(*f));
    *out = NULL;
    TN_TRY(tn_got(f));
    f->base.ops = &ops;
    f->child.socket = -1;
    f->path = tn_strdup(path);
    const tn_status s = f->path ? open_remote(f) : tn_got(false);
    TN_HAND_OUT(s, &f->base, close_remote, out);
}
