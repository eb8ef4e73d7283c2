// SPDX-License-Identifier: MIT
//
// Checkpoints: head, JSON, image; see checkpoint.h.

#include "io/checkpoint.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "io/journal.h"
#include "io/target.h"

#include <stdint.h>
#include <string.h>

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

tn_status tn_checkpoint_write(const char *path, const char *about, const void *image, size_t size)
{
    checkpoint_head head = {.about_length = (uint32_t)strlen(about), .image_length = size};
    tn_target target;
    memcpy(head.magic, MAGIC, sizeof MAGIC);
    head.sum = sum_of(&head, about, image);
    TN_TRY(tn_target_open(path, &target));
    const tn_bytes parts[] = {{&head, sizeof head}, {about, head.about_length}, {image, size}};
    tn_status s = TN_OK;
    for (int i = 0; i < TN_COUNT(parts) && s == TN_OK; i++)
        s = tn_target_put(&target, parts[i].at, parts[i].size);
    return tn_target_close(&target, s);
}

static tn_status checkpoint_damaged(const char *path)
{
    return tn_fail(TN_ERR_FILE, "%s is damaged: the run cannot go on from it; repeat the run",
                   path);
}

static tn_status take_parts(const char *path, const char *bytes, size_t size,
                            tn_checkpoint_data *out)
{
    checkpoint_head head;
    if (size < sizeof head)
        return checkpoint_damaged(path);
    memcpy(&head, bytes, sizeof head);
    const char *about = bytes + sizeof head, *image = about + head.about_length;
    if (memcmp(head.magic, MAGIC, sizeof MAGIC) != 0 || head.image_length > size ||
        sizeof head + head.about_length + head.image_length != size ||
        sum_of(&head, about, image) != head.sum)
        return checkpoint_damaged(path);
    out->size = (size_t)head.image_length;
    out->image = tn_alloc(out->size);
    TN_TRY(tn_got(out->image));
    memcpy(out->image, image, out->size);
    return tn_document_parse(about, head.about_length, path, &out->about);
}

tn_status tn_checkpoint_read(const char *path, tn_checkpoint_data *out)
{
    char *bytes = NULL;
    size_t size = 0;
    *out = (tn_checkpoint_data){0};
    tn_status s = tn_file_read(path, SIZE_MAX / 2, &bytes, &size);
    TN_THEN(s, take_parts(path, bytes, size, out));
    tn_free(bytes);
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
