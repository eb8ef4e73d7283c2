// SPDX-License-Identifier: MIT
//
// Writes journals. A block goes to the system in one call where the system takes it; what a failed
// call left of it is cut off again.

#include "base/alloc.h"
#include "result/journal_block.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST_PARTS = 96 };

int tn_journal_create(const char *path, tn_journal_writer *out)
{
    *out = (tn_journal_writer){
        .fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666)};
    return out->fd < 0 ? errno : 0;
}

int tn_journal_continue(const char *path, int64_t good, uint64_t sequence, tn_journal_writer *out)
{
    *out = (tn_journal_writer){
        .fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW), .good = good, .sequence = sequence};
    if (out->fd < 0)
        return errno;
    if (ftruncate(out->fd, (off_t)good) == 0 && lseek(out->fd, (off_t)good, SEEK_SET) >= 0)
        return 0;
    const int error = errno;
    close(out->fd);
    out->fd = -1;
    return error;
}

// Steps over n bytes of the parts that were written.
static int skip(struct iovec **parts, int npart, size_t n)
{
    while (npart > 0 && n >= (*parts)->iov_len) {
        n -= (*parts)->iov_len;
        (*parts)++;
        npart--;
    }
    if (npart > 0) {
        (*parts)->iov_base = (char *)(*parts)->iov_base + n;
        (*parts)->iov_len -= n;
    }
    return npart;
}

static int write_parts(int fd, struct iovec *parts, int npart)
{
    for (npart = skip(&parts, npart, 0); npart > 0;) {
        const ssize_t n = writev(fd, parts, npart);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : ENOSPC;
        npart = skip(&parts, npart, (size_t)n);
    }
    return 0;
}

// Cuts off the part of a block that failed: the next one shall follow the last complete one.
static void cut_off(const tn_journal_writer *w)
{
    if (ftruncate(w->fd, (off_t)w->good) == 0)
        lseek(w->fd, (off_t)w->good, SEEK_SET);
}

int tn_journal_append(tn_journal_writer *w, tn_journal_type type, int npart, const tn_bytes *parts)
{
    static const char zeros[8] = {0};
    struct iovec vector[MOST_PARTS + 2];
    tn_block_head head = {{'T', 'N', 'J', (char)type}, .sequence = w->sequence};
    TN_ASSERT(npart <= MOST_PARTS);
    for (int i = 0; i < npart; i++) {
        head.length += parts[i].size;
        head.sum = tn_checksum(head.sum, parts[i].at, parts[i].size);
        vector[i + 1] = (struct iovec){(void *)parts[i].at, parts[i].size};
    }
    head.head_sum = tn_block_head_sum(&head);
    const uint64_t padded = tn_block_padded(head.length);
    vector[0] = (struct iovec){&head, sizeof(head)};
    vector[npart + 1] = (struct iovec){(void *)zeros, (size_t)(padded - head.length)};
    const int error = write_parts(w->fd, vector, npart + 2);
    if (error) {
        cut_off(w);
        return error;
    }
    w->good += (int64_t)(sizeof(head) + padded);
    w->sequence++;
    return 0;
}

int tn_journal_sync(const tn_journal_writer *w)
{
    return fsync(w->fd) == 0 || errno == EINVAL ? 0 : errno;
}

int tn_journal_close(tn_journal_writer *w)
{
    const int error = w->fd >= 0 && close(w->fd) != 0 ? errno : 0;
    w->fd = -1;
    return error;
}

// The head ---------------------------------------------------------------------------------------

static tn_status put_bytes(tn_head *head, const void *bytes, size_t n)
{
    static const char zeros[8];
    const size_t left = (size_t)tn_block_padded(n) - n;
    TN_ASSERT(left <= sizeof zeros);
    if (n > 0)
        tn_buffer_put(head, bytes, n);
    tn_buffer_put(head, zeros, left);
    return head->failed ? tn_fail(TN_ERR_MEMORY, "out of memory: the head of a journal") : TN_OK;
}

tn_status tn_head_put(tn_head *head, tn_entry_kind kind, const char *name, uint32_t count,
                      const void *data, size_t size)
{
    const tn_entry_head front = {(uint32_t)kind, count, (uint32_t)strlen(name) + 1, 0, size};
    TN_TRY(put_bytes(head, &front, sizeof(front)));
    TN_TRY(put_bytes(head, name, strlen(name) + 1));
    return put_bytes(head, data, size);
}

tn_status tn_head_text(tn_head *head, tn_entry_kind kind, const char *name, const char *text)
{
    return tn_head_put(head, kind, name, 1, text, strlen(text) + 1);
}

tn_status tn_head_texts(tn_head *head, const char *name, int count, const char *const *texts)
{
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += strlen(texts[i]) + 1;
    char *all = tn_alloc(size), *to = all;
    if (!all)
        return tn_fail(TN_ERR_MEMORY, "out of memory: the head of a journal");
    for (int i = 0; i < count; i++)
        to = stpcpy(to, texts[i]) + 1;
    const tn_status s = tn_head_put(head, TN_ENTRY_TEXTS, name, (uint32_t)count, all, size);
    tn_free(all);
    return s;
}
