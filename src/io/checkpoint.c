// SPDX-License-Identifier: MIT
//
// Checkpoints: head, JSON, image; see checkpoint.h.

#include "io/checkpoint.h"

#include "base/alloc.h"
#include "io/checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct checkpoint_head {
    char magic[8];
    uint32_t sum;          // of all that follows this member
    uint32_t about_length; // without an ending zero
    uint64_t image_length;
} checkpoint_head;

static const char MAGIC[8] = "TNCHECK";

static uint32_t sum_of(const checkpoint_head *head, const void *about, const void *image)
{
    uint32_t sum = tn_checksum(0, &head->about_length, sizeof head->about_length);
    sum = tn_checksum(sum, &head->image_length, sizeof head->image_length);
    sum = tn_checksum(sum, about, head->about_length);
    return tn_checksum(sum, image, (size_t)head->image_length);
}

static bool write_parts(FILE *file, const checkpoint_head *head, const char *about,
                        const void *image)
{
    const size_t size = (size_t)head->image_length;
    return fwrite(head, sizeof *head, 1, file) == 1 &&
           fwrite(about, 1, head->about_length, file) == head->about_length &&
           (size == 0 || fwrite(image, 1, size, file) == size) && fflush(file) == 0 &&
           fsync(fileno(file)) == 0;
}

// One name for the unfinished file, as the folder is locked: what a kill leaves is written over.
tn_status tn_checkpoint_write(const char *path, const char *about, const void *image, size_t size)
{
    checkpoint_head head = {.about_length = (uint32_t)strlen(about), .image_length = size};
    memcpy(head.magic, MAGIC, sizeof MAGIC);
    head.sum = sum_of(&head, about, image);
    char *part = tn_format("%s.part", path);
    TN_TRY(tn_got(part));
    unlink(part);
    const int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    bool done = file && write_parts(file, &head, about, image);
    int error = done ? 0 : errno;
    if (file ? fclose(file) != 0 : fd >= 0 && close(fd) != 0)
        done = false;
    if (done && rename(part, path) != 0) {
        error = errno;
        done = false;
    }
    if (!done)
        unlink(part);
    tn_free(part);
    return done ? TN_OK : tn_fail(TN_ERR_FILE, "cannot write %s: %s", path, strerror(error));
}

static tn_status checkpoint_damaged(const char *path)
{
    return tn_fail(TN_ERR_FILE, "%s is damaged: the run cannot go on from it; repeat the run",
                   path);
}

static tn_status read_parts(const char *path, FILE *file, long long bytes, tn_checkpoint_data *out)
{
    checkpoint_head head;
    if (fread(&head, sizeof head, 1, file) != 1 || memcmp(head.magic, MAGIC, sizeof MAGIC) ||
        head.image_length > (uint64_t)bytes ||
        sizeof head + head.about_length + head.image_length != (uint64_t)bytes)
        return checkpoint_damaged(path);
    char *about = tn_alloc((size_t)head.about_length + 1);
    out->size = (size_t)head.image_length;
    out->image = tn_alloc(out->size);
    tn_status s = tn_got(about && out->image);
    if (s == TN_OK && (fread(about, 1, head.about_length, file) != head.about_length ||
                       fread(out->image, 1, out->size, file) != out->size ||
                       sum_of(&head, about, out->image) != head.sum))
        s = checkpoint_damaged(path);
    TN_THEN(s, tn_document_parse(about, head.about_length, path, &out->about));
    tn_free(about);
    return s;
}

tn_status tn_checkpoint_read(const char *path, tn_checkpoint_data *out)
{
    struct stat info;
    *out = (tn_checkpoint_data){0};
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &info) != 0) {
        const int error = errno;
        if (file)
            fclose(file);
        return tn_fail(TN_ERR_FILE, "cannot read %s: %s", path, strerror(error));
    }
    const tn_status s = read_parts(path, file, (long long)info.st_size, out);
    fclose(file);
    if (s != TN_OK)
        tn_checkpoint_free(out);
    return s;
}

void tn_checkpoint_free(tn_checkpoint_data *data)
{
    tn_document_destroy(data->about);
    tn_free(data->image);
    *data = (tn_checkpoint_data){0};
}
