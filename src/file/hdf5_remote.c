// SPDX-License-Identifier: MIT
//
// HDF5 files through a child process that reads them: questions and answers over a socket. Where
// HDF5 crashes or never ends, on damaged files or short memory, the question fails with a sentence.

#include "base/alloc.h"
#include "base/child.h"
#include "file/data_file.h"

#include <stdio.h>
#include <string.h>

enum {
    NAME_SIZE = 320,       // of attributes and datasets
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
    tn_data_list list;
    char name[NAME_SIZE];
    tn_data_table table;
    long first, n;
    int column;
} question;

typedef struct answer {
    tn_status status; // otherwise the bytes are a sentence
    int count;        // texts or numbers; -1 when there is nothing of that name
    tn_data_table table;
    size_t size; // of the bytes that follow
} answer;

typedef struct remote_file {
    tn_data_file base;
    tn_child child;
    char how[64]; // it ended, when it is gone
    char *path;
    bool of_run;
} remote_file;

// The child --------------------------------------------------------------------------------------

// What a question asks for; the bytes are to be freed.
static tn_status find_answer(tn_data_file *file, const question *q, answer *a, void **bytes)
{
    const size_t width = q->column >= 0 ? 1 : (size_t)q->table.width;
    tn_data_bytes list;
    switch (q->kind) {
    case LIST:
        TN_TRY(file->ops->list(file, q->list, q->name, &list));
        *bytes = list.at;
        a->count = list.at ? list.count : -1;
        a->size = list.size;
        return TN_OK;
    case TABLE:
        return file->ops->table(file, q->name, &a->table);
    case READ:
        a->size = (size_t)q->n * width * sizeof(double);
        *bytes = tn_alloc(a->size);
        TN_TRY(tn_got(*bytes));
        return file->ops->read(file, &q->table, q->first, q->n, q->column, *bytes);
    }
    return TN_OK;
}

static bool reply(int socket, tn_status status, answer a, const void *bytes)
{
    a.status = status;
    a.size = status == TN_OK ? a.size : strlen(tn_last_error());
    return tn_child_send(socket, &a, sizeof(a)) &&
           tn_child_send(socket, status == TN_OK ? bytes : tn_last_error(), a.size);
}

static void serve(int socket, void *user)
{
    const remote_file *f = user;
    tn_data_file *file = NULL;
    question q;
    tn_child_allow(SECONDS);
    const tn_status s = tn_data_hdf5_open(f->path, f->of_run, &file);
    bool going = reply(socket, s, (answer){0}, NULL) && s == TN_OK;
    while (going && tn_child_receive(socket, &q, sizeof(q))) {
        answer a = {0};
        void *bytes = NULL;
        tn_child_allow(SECONDS);
        tn_clear_error();
        const tn_status found = find_answer(file, &q, &a, &bytes);
        going = reply(socket, found, a, bytes);
        tn_free(bytes);
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

// The bytes of an answer with a zero behind them; a failure of the child is one of the caller. NULL
// asks nothing: the child begins with an answer.
static tn_status ask(remote_file *f, const question *q, answer *a, char **bytes)
{
    *bytes = NULL;
    if (f->child.pid == 0 || (q && !tn_child_send(f->child.socket, q, sizeof(*q))) ||
        !is_answered(f) || !tn_child_receive(f->child.socket, a, sizeof(*a)))
        return child_lost(f);
    *bytes = a->size <= MOST_ANSWER ? tn_alloc(a->size + 1) : NULL;
    if (!*bytes) {
        tn_child_end(&f->child, true, NULL, 0); // its answer cannot be taken: no other question
        return a->size > MOST_ANSWER ? child_lost(f) : tn_got(false);
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

static void close_remote(tn_data_file *file)
{
    remote_file *f = (remote_file *)file;
    tn_child_end(&f->child, true, NULL, 0); // it only reads
    TN_FREE(f->path, f);
}

static tn_status remote_list(tn_data_file *file, tn_data_list kind, const char *name,
                             tn_data_bytes *out)
{
    question q = {.kind = LIST, .list = kind};
    answer a;
    snprintf(q.name, sizeof(q.name), "%s", name);
    *out = (tn_data_bytes){0};
    TN_TRY(ask((remote_file *)file, &q, &a, &out->at));
    out->count = a.count;
    out->size = a.size;
    if (a.count < 0) {
        tn_free(out->at);
        *out = (tn_data_bytes){0};
    }
    return TN_OK;
}

static tn_status remote_table(tn_data_file *file, const char *path, tn_data_table *out)
{
    question q = {.kind = TABLE};
    answer a;
    char *bytes = NULL;
    snprintf(q.name, sizeof(q.name), "%s", path);
    *out = (tn_data_table){.handle = -1};
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

static tn_status remote_read(tn_data_file *file, const tn_data_table *table, long first, long n,
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

static const tn_data_file_ops ops = {
    .close = close_remote,
    .list = remote_list,
    .table = remote_table,
    .read = remote_read,
};

tn_status tn_data_remote_open(const char *path, bool of_run, tn_data_file **out)
{
    remote_file *f = tn_alloc(sizeof(*f));
    answer a;
    char *bytes = NULL;
    *out = NULL;
    TN_TRY(tn_got(f));
    f->base.ops = &ops;
    f->child.socket = -1;
    f->of_run = of_run;
    f->path = tn_strdup(path);
    tn_status s = tn_got(f->path);
    TN_THEN(s, tn_child_start(serve, f, &f->child));
    TN_THEN(s, ask(f, NULL, &a, &bytes));
    tn_free(bytes);
    TN_HAND_OUT(s, &f->base, close_remote, out);
}
