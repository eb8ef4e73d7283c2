// SPDX-License-Identifier: MIT
//
// Checkpoints: head, JSON, state; see checkpoint.h and docs/formats/state.md.

#include "result/checkpoint.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/values.h"
#include "result/journal.h"
#include "text/target.h"

#include <stdint.h>
#include <string.h>

// Magic, version, checksum of all that follows it, lengths of JSON and state.
enum { VERSION = 2, AT_SUM = 12, AT_ABOUT = 16, AT_STATE = 20, HEAD = 28 };

static const char MAGIC[8] = "TNSAVED";
// Checkpoints with an image of memory, as they were written before.
static const char FORMER[8] = "TNCHECK";

static uint32_t sum_of(const unsigned char *head, const void *about, size_t length,
                       const void *state, size_t size)
{
    uint32_t sum = tn_checksum(0, head + AT_ABOUT, HEAD - AT_ABOUT);
    sum = tn_checksum(sum, about, length);
    return tn_checksum(sum, state, size);
}

tn_status tn_checkpoint_write(const char *path, const char *about, const void *state, size_t size)
{
    unsigned char head[HEAD];
    const size_t length = strlen(about);
    tn_target target;
    memcpy(head, MAGIC, sizeof MAGIC);
    tn_word_put(head + sizeof MAGIC, VERSION, 4);
    tn_word_put(head + AT_ABOUT, length, 4);
    tn_word_put(head + AT_STATE, size, 8);
    tn_word_put(head + AT_SUM, sum_of(head, about, length, state, size), 4);
    TN_TRY(tn_target_open(path, &target));
    const tn_bytes parts[] = {{head, HEAD}, {about, length}, {state, size}};
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

static tn_status check_magic(const char *path, const unsigned char *head)
{
    const unsigned version = (unsigned)tn_word_get(head + sizeof MAGIC, 4);
    if (memcmp(head, FORMER, sizeof FORMER) == 0)
        return tn_fail(TN_ERR_FILE,
                       "%s was written by a former version of Tenon, from whose checkpoints runs "
                       "cannot go on; repeat the run",
                       path);
    if (memcmp(head, MAGIC, sizeof MAGIC) != 0)
        return checkpoint_damaged(path);
    return version == VERSION
               ? TN_OK
               : tn_fail(TN_ERR_FILE,
                         "%s has version %u of the format of checkpoints; this Tenon reads "
                         "version %d: repeat the run",
                         path, version, VERSION);
}

static tn_status take_parts(const char *path, const char *bytes, size_t size,
                            tn_checkpoint_data *out)
{
    const unsigned char *head = (const unsigned char *)bytes;
    if (size < HEAD)
        return checkpoint_damaged(path);
    TN_TRY(check_magic(path, head));
    const uint64_t length = tn_word_get(head + AT_ABOUT, 4),
                   state = tn_word_get(head + AT_STATE, 8);
    const char *about = bytes + HEAD;
    if (length > size - HEAD || state != size - HEAD - length ||
        sum_of(head, about, (size_t)length, about + length, (size_t)state) !=
            tn_word_get(head + AT_SUM, 4))
        return checkpoint_damaged(path);
    out->size = (size_t)state;
    out->state = tn_alloc(out->size);
    TN_TRY(tn_got(out->state));
    memcpy(out->state, about + length, out->size);
    return tn_document_parse(about, (size_t)length, path, &out->about);
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
    tn_free(data->state);
    *data = (tn_checkpoint_data){0};
}
