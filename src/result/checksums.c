// SPDX-License-Identifier: MIT
//
// Blocks are large enough that a summary stays small: some hundred checksums, however long a run.

#include "result/checksums.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "file/document.h"
#include "file/yaml_text.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    PIECE = 1 << 16,    // bytes read at once; blocks are multiples of it
    MOST_BLOCKS = 1024, // checksums in a summary
    DIGITS = 8          // of a checksum
};

// The checksums of a file of seal->bytes in blocks of seal->block.
static tn_status sum_blocks(FILE *file, const char *path, char *piece, tn_checksums *checksums)
{
    char *digits = checksums->sums;
    for (long long first = 0; first < checksums->bytes;
         first += checksums->block, digits += DIGITS) {
        const long long left = checksums->bytes - first,
                        end = first + (left < checksums->block ? left : checksums->block);
        uint32_t sum = 0;
        for (long long at = first; at < end; at += PIECE) {
            const size_t n = end - at < PIECE ? (size_t)(end - at) : PIECE;
            if (fread(piece, 1, n, file) != n)
                return tn_fail(TN_ERR_FILE, "cannot read %s: %s", path,
                               ferror(file) ? strerror(errno) : "it has become shorter");
            sum = tn_checksum(sum, piece, n);
        }
        snprintf(digits, DIGITS + 1, "%08lx", (unsigned long)sum);
    }
    return TN_OK;
}

static tn_status sum_file(const char *path, tn_checksums *checksums)
{
    char *piece = tn_alloc(PIECE);
    checksums->sums = tn_alloc((size_t)(checksums->bytes / checksums->block + 1) * DIGITS + 1);
    FILE *file = fopen(path, "rbe");
    tn_status s = !file ? tn_fail(TN_ERR_FILE, "cannot read %s: %s", path, strerror(errno))
                        : tn_got(piece && checksums->sums);
    TN_THEN(s, sum_blocks(file, path, piece, checksums));
    if (file)
        fclose(file);
    tn_free(piece);
    if (s != TN_OK)
        tn_checksums_free(checksums);
    return s;
}

static tn_status size_of_checksums(const char *path, long long *bytes)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return tn_fail(TN_ERR_FILE, "cannot read %s: %s", path, strerror(errno));
    *bytes = (long long)info.st_size;
    return TN_OK;
}

// Taking -----------------------------------------------------------------------------------------

tn_status tn_checksums_take(const char *path, tn_checksums *out)
{
    *out = (tn_checksums){0};
    TN_TRY(size_of_checksums(path, &out->bytes));
    out->block = (out->bytes / PIECE / MOST_BLOCKS + 1) * PIECE;
    return sum_file(path, out);
}

void tn_checksums_free(tn_checksums *checksums)
{
    tn_free(checksums->sums);
    *checksums = (tn_checksums){0};
}

void tn_checksums_json(const tn_checksums *checksums, tn_json *json)
{
    tn_json_object(json, "checksums", "file %s bytes %lld block %lld crc32 %s", "result.h5",
                   checksums->bytes, checksums->block, checksums->sums);
}

// Ends a summary, with the checksum of all before it.
#define SIGNED_BEGIN ",\n  \"crc32\": \""
#define SIGNED_END "\"\n}\n"

void tn_summary_sign(tn_json *json)
{
    const char *text = tn_json_text(json);
    char digits[DIGITS + 1];
    snprintf(digits, sizeof(digits), "%08lx", (unsigned long)tn_checksum(0, text, strlen(text)));
    tn_json_string(json, "crc32", digits);
}

// Finding ----------------------------------------------------------------------------------------

static long long number_of(const tn_node *map, const char *key)
{
    const tn_node *node = tn_node_get(map, key);
    return node && node->kind == TN_NODE_SCALAR ? strtoll(node->text, NULL, 10) : -1;
}

static bool makes_sense(long long bytes, long long block, const char *sums)
{
    if (bytes <= 0 || block < PIECE || block % PIECE != 0 || block > bytes + PIECE)
        return false;
    const long long count = (bytes - 1) / block + 1;
    return count <= MOST_BLOCKS && (long long)strlen(sums) == DIGITS * count &&
           strspn(sums, "0123456789abcdef") == strlen(sums);
}

static tn_status checksums_of(const tn_node *root, const char *path, tn_checksums *out)
{
    const tn_node *map = tn_node_get(root, "checksums");
    const tn_node *sums = map ? tn_node_get(map, "crc32") : NULL;
    if (!sums)
        return TN_OK;
    const long long bytes = number_of(map, "bytes"), block = number_of(map, "block");
    if (sums->kind != TN_NODE_SCALAR || !makes_sense(bytes, block, sums->text))
        return TN_OK;
    *out = (tn_checksums){bytes, block, tn_strdup(sums->text)};
    return tn_got(out->sums);
}

// The text of the summary, NULL where there is none.
static tn_status read_summary(const char *directory, char **path, char **text, size_t *length)
{
    struct stat info;
    *text = NULL;
    *path = tn_format("%s/summary.json", directory);
    TN_TRY(tn_got(*path));
    if (stat(*path, &info) != 0 || !S_ISREG(info.st_mode))
        return TN_OK;
    return tn_yaml_text_read(*path, text, length);
}

// NULL for none.
static const char *fault_of(const char *text, size_t length)
{
    const size_t begin = sizeof(SIGNED_BEGIN) - 1, tail = begin + DIGITS + sizeof(SIGNED_END) - 1;
    const char *end = text + (length > tail ? length - tail : 0);
    char right[sizeof(SIGNED_BEGIN SIGNED_END) + DIGITS];
    if (length <= tail || memcmp(end, SIGNED_BEGIN, begin) != 0)
        return "has no checksum: it was cut short or changed, or an earlier Tenon wrote it";
    snprintf(right, sizeof(right), SIGNED_BEGIN "%08lx" SIGNED_END,
             (unsigned long)tn_checksum(0, text, length - tail));
    return memcmp(end, right, tail) == 0 ? NULL
                                         : "is not as the run wrote it: its checksum is wrong";
}

static tn_status refuse_checksums(const char *directory, const char *fault)
{
    return tn_fail(TN_ERR_FILE,
                   "%s/summary.json %s; copy it again or repeat the run; --trust reads the results "
                   "all the same",
                   directory, fault);
}

tn_status tn_summary_look(const char *directory, const char **fault)
{
    char *path = NULL, *text = NULL;
    size_t length = 0;
    const tn_status s = read_summary(directory, &path, &text, &length);
    *fault = s == TN_OK && text ? fault_of(text, length) : NULL;
    TN_FREE(text, path);
    return s;
}

tn_status tn_summary_check(const char *directory)
{
    const char *fault = NULL;
    TN_TRY(tn_summary_look(directory, &fault));
    return fault ? refuse_checksums(directory, fault) : TN_OK;
}

static tn_status find_in_text(const char *path, const char *text, size_t length, tn_checksums *out)
{
    tn_document *document = NULL;
    tn_status s = tn_document_parse(text, length, path, &document);
    TN_THEN(s, checksums_of(document->root, path, out));
    tn_document_destroy(document);
    return s;
}

tn_status tn_checksums_find(const char *directory, tn_checksums *out)
{
    char *path = NULL, *text = NULL;
    size_t length = 0;
    *out = (tn_checksums){0};
    tn_status s = read_summary(directory, &path, &text, &length);
    const char *fault = s == TN_OK && text ? fault_of(text, length) : NULL;
    if (fault)
        s = refuse_checksums(directory, fault);
    else if (s == TN_OK && text)
        s = find_in_text(path, text, length, out);
    TN_FREE(text, path);
    return s;
}

// Verifying --------------------------------------------------------------------------------------

tn_status tn_checksums_verify(const char *path, const tn_checksums *checksums)
{
    tn_checksums found = {.block = checksums->block};
    TN_TRY(size_of_checksums(path, &found.bytes));
    if (found.bytes < checksums->bytes)
        return tn_fail(TN_ERR_FILE,
                       "%s is cut short at %lld bytes; copy it again or repeat the run", path,
                       found.bytes);
    if (found.bytes > checksums->bytes)
        return tn_fail(TN_ERR_FILE,
                       "%s is not the file that the run wrote: it has %lld bytes, summary.json "
                       "tells of %lld",
                       path, found.bytes, checksums->bytes);
    TN_TRY(sum_file(path, &found));
    long long at = 0;
    while (found.sums[at] && found.sums[at] == checksums->sums[at])
        at++;
    const bool same = !found.sums[at];
    tn_checksums_free(&found);
    const long long first = at / DIGITS * checksums->block, left = checksums->bytes - first;
    return same ? TN_OK
                : tn_fail(TN_ERR_FILE,
                          "%s is damaged: the checksum of bytes %lld to %lld is not that in "
                          "summary.json; copy it again or repeat the run",
                          path, first,
                          first + (left < checksums->block ? left : checksums->block) - 1);
}
