// SPDX-License-Identifier: MIT
//
// Images of objects; see image.h. In bytes: head, mapped ranges, block table, blocks.

#include "base/image.h"

#include "base/array.h"
#include "base/checksum.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t word;

typedef struct range {
    word begin, end;
} range;

typedef struct image_head {
    char magic[8];
    word build;   // where things stand in this build of the library
    word subject; // what the object is of
    word nrange;  // of mapped memory, in order
    word nblock;
    word sum; // of all bytes, this word taken as zero
} image_head;

static const char MAGIC[8] = "TNIMAGE";

typedef TN_ARRAY(range) ranges;

static const word FNV_PRIME = 1099511628211u;

void tn_image_mark(uint64_t *mark, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *mark = (*mark ^ ((const unsigned char *)bytes)[i]) * FNV_PRIME;
}

// Distances between places of the program differ from build to build, and with it the size of its
// code; with the version and the size of an address they stand for the layout of all structs.
static word build_mark(void)
{
    const word here = (word)(uintptr_t)&tn_image_save, there = (word)(uintptr_t)&tn_version;
    word mark = (here - there) * FNV_PRIME + sizeof(void *);
    tn_image_mark(&mark, tn_version(), strlen(tn_version()));
    return mark;
}

// Programs that are not relocatable have their code, and their heap behind it, where small numbers
// are. Their code is at the same place in every process: its addresses need no translation, and
// counters of millions may have the same bits.
static const word LOW = (word)1 << 32;

// Where this process has memory, neighbours joined.
static tn_status find_ranges(void *out)
{
    ranges *list = out;
    char line[512];
    unsigned long begin, end;
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps)
        return tn_fail(TN_ERR_FILE, "cannot read /proc/self/maps, which tells what is an address");
    tn_status status = TN_OK;
    while (status == TN_OK && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx", &begin, &end) != 2 || (end <= LOW && !strstr(line, "[heap]")))
            continue;
        if (list->count > 0 && list->at[list->count - 1].end == begin)
            list->at[list->count - 1].end = end;
        else
            status = tn_array_push(list, ((range){begin, end}));
    }
    fclose(maps);
    return status;
}

// Within a range, or, of blocks, at its end as well.
static int by_range(const void *key, const void *item)
{
    const range *address = key, *r = item;
    return address->begin < r->begin ? -1 : address->end >= r->end;
}

// The range of a sorted list that holds an address; its elements begin with ranges. NULL: none.
static const void *find_image(word address, bool inclusive, const void *list, int n, size_t size)
{
    const range key = {address, inclusive && address > 0 ? address - 1 : address};
    return n > 0 ? bsearch(&key, list, (size_t)n, size, by_range) : NULL;
}

static size_t rounded(size_t size)
{
    return (size + sizeof(word) - 1) / sizeof(word) * sizeof(word);
}

static word sum_of(image_head head, const void *image, size_t size)
{
    head.sum = 0;
    return tn_checksum(tn_checksum(0, &head, sizeof head), (const char *)image + sizeof head,
                       size - sizeof head);
}

tn_status tn_image_save(const tn_memory_list *blocks, uint64_t subject, void **out, size_t *size)
{
    TN_ASSERT((blocks->first == NULL) == (blocks->count == 0));
    ranges mapped = {0};
    tn_memory_list *joined = tn_memory_join(NULL); // what is taken here is none of the object's
    *out = NULL;
    tn_status status = find_ranges(&mapped);
    const size_t table = (size_t)blocks->count * sizeof(range);
    const size_t front = sizeof(image_head) + (size_t)mapped.count * sizeof(range);
    *size = front + table;
    for (const tn_memory_head *b = blocks->first; b; b = b->after)
        *size += rounded(b->size);
    char *bytes = status == TN_OK ? tn_alloc(*size) : NULL;
    if (bytes) {
        image_head head = {.build = build_mark(),
                           .subject = subject,
                           .nrange = (word)mapped.count,
                           .nblock = (word)blocks->count};
        memcpy(head.magic, MAGIC, sizeof MAGIC);
        memcpy(bytes + sizeof head, mapped.at, (size_t)mapped.count * sizeof(range));
        char *to = bytes + front + table;
        range *entry = (range *)(bytes + front);
        for (const tn_memory_head *b = blocks->first; b; b = b->after, entry++) {
            *entry = (range){(word)(uintptr_t)(b + 1), (word)(uintptr_t)(b + 1) + b->size};
            memcpy(to, b + 1, b->size);
            to += rounded(b->size);
        }
        head.sum = sum_of(head, bytes, *size);
        memcpy(bytes, &head, sizeof head);
        *out = bytes;
    } else if (status == TN_OK) {
        status = tn_fail(TN_ERR_MEMORY, "out of memory: an image of %zu bytes", *size);
    }
    tn_array_free(&mapped);
    tn_memory_join(joined);
    return status;
}

// Loading ----------------------------------------------------------------------------------------

// A block of the image, sorted by its address then, and where its twin stands.
typedef struct place {
    range then;
    word now;
} place;

typedef struct loading {
    int nblock, nmapped;
    place *blocks;       // sorted by their addresses then
    const range *mapped; // all memory then
    ranges present;      // all memory now, where it is asked for
} loading;

// Some flags in a row have the bits of an address of such a heap, in the twin as well.
static bool is_flags(word w)
{
    return (w & ~(word)0x0101010101010101u) == 0;
}

static word translate(const loading *l, word stored, word present)
{
    if (stored == present)
        return present;
    if (is_flags(stored) && is_flags(present))
        return stored;
    const place *block = find_image(stored, true, l->blocks, l->nblock, sizeof *block);
    if (block)
        return block->now + (stored - block->then.begin);
    if (!find_image(stored, false, l->mapped, l->nmapped, sizeof(range)))
        return stored;
    const ranges *now = &l->present;
    return find_image(present, false, now->at, now->count, sizeof(range)) ? present : 0;
}

static void load_block(const loading *l, tn_memory_head *block, const char *bytes)
{
    TN_ASSERT(block->size > 0);
    char *to = (char *)(block + 1);
    const size_t words = block->size / sizeof(word), rest = block->size % sizeof(word);
    for (size_t i = 0; i < words; i++) {
        word stored, present;
        memcpy(&stored, bytes + i * sizeof(word), sizeof(word));
        memcpy(&present, to + i * sizeof(word), sizeof(word));
        present = translate(l, stored, present);
        memcpy(to + i * sizeof(word), &present, sizeof(word));
    }
    memcpy(to + words * sizeof(word), bytes + words * sizeof(word), rest);
}

static int by_address(const void *a, const void *b)
{
    const place *p = a, *q = b;
    return p->then.begin < q->then.begin ? -1 : p->then.begin > q->then.begin;
}

static tn_status fail_other(void)
{
    return tn_fail(TN_ERR_USAGE, "the saved state is that of another model, method or options");
}

// The table of the image against the blocks at hand: as many, and of the same sizes.
static tn_status match(const tn_memory_list *blocks, const range *table, size_t count, place *out)
{
    size_t i = 0;
    for (const tn_memory_head *b = blocks->first; b && i < count; b = b->after, i++) {
        if (table[i].end - table[i].begin != b->size)
            break;
        out[i] = (place){table[i], (word)(uintptr_t)(b + 1)};
    }
    if (i < count || count != (size_t)blocks->count)
        return fail_other();
    qsort(out, count, sizeof *out, by_address);
    return TN_OK;
}

static tn_status check_head(const void *image, size_t size, image_head *head)
{
    if (size >= sizeof *head)
        memcpy(head, image, sizeof *head);
    if (size < sizeof *head || memcmp(head->magic, MAGIC, sizeof MAGIC))
        return tn_fail(TN_ERR_USAGE, "the saved state is damaged");
    if (head->build != build_mark())
        return tn_fail(TN_ERR_USAGE, "the saved state was written by another build of Tenon");
    const word most = size / sizeof(range);
    if (head->nrange > most || head->nblock > most ||
        sizeof *head + (head->nrange + head->nblock) * sizeof(range) > size)
        return tn_fail(TN_ERR_USAGE, "the saved state is damaged");
    return TN_OK;
}

static tn_status check_bytes(const image_head *head, const range *table, const void *image,
                             size_t size)
{
    size_t whole = sizeof *head + (head->nrange + head->nblock) * sizeof(range);
    for (word i = 0; i < head->nblock; i++) {
        if (table[i].end < table[i].begin || table[i].end - table[i].begin > size - whole)
            return tn_fail(TN_ERR_USAGE, "the saved state is damaged");
        whole += rounded(table[i].end - table[i].begin);
    }
    return whole == size && head->sum == sum_of(*head, image, size)
               ? TN_OK
               : tn_fail(TN_ERR_USAGE, "the saved state is damaged");
}

// Whether a block has an address of what is none of the object's, other than that in the twin.
static bool points_elsewhere(const loading *l, const tn_memory_head *block, const char *bytes)
{
    const char *to = (const char *)(block + 1);
    for (size_t i = 0; i + sizeof(word) <= block->size; i += sizeof(word)) {
        word stored, present;
        memcpy(&stored, bytes + i, sizeof(word));
        memcpy(&present, to + i, sizeof(word));
        if (stored != present && find_image(stored, false, l->mapped, l->nmapped, sizeof(range)) &&
            !find_image(stored, true, l->blocks, l->nblock, sizeof *l->blocks))
            return true;
    }
    return false;
}

// All memory now is looked at where such an address asks for it: that takes longer than the rest.
static tn_status find_present(loading *l, const tn_memory_list *blocks, const char *bytes)
{
    for (const tn_memory_head *b = blocks->first; b; b = b->after) {
        if (points_elsewhere(l, b, bytes))
            return find_ranges(&l->present);
        bytes += rounded(b->size);
    }
    return TN_OK;
}

static void load_blocks(loading *l, tn_memory_list *blocks, const char *bytes)
{
    for (tn_memory_head *b = blocks->first; b; b = b->after) {
        load_block(l, b, bytes);
        bytes += rounded(b->size);
    }
    for (tn_memory_head *b = blocks->first; b; b = b->after)
        if (b->revive)
            b->revive(b + 1);
}

tn_status tn_image_load(tn_memory_list *blocks, uint64_t subject, const void *image, size_t size)
{
    image_head head = {0};
    TN_TRY(check_head(image, size, &head));
    const range *mapped = (const range *)((const char *)image + sizeof head);
    const range *table = mapped + head.nrange;
    TN_TRY(check_bytes(&head, table, image, size));
    if (head.subject != subject)
        return fail_other();
    loading l = {.nblock = (int)head.nblock, .nmapped = (int)head.nrange, .mapped = mapped};
    tn_memory_list *joined = tn_memory_join(NULL); // what is taken here is none of the object's
    l.blocks = tn_alloc((size_t)head.nblock * sizeof *l.blocks);
    tn_status status = tn_got(l.blocks);
    TN_THEN(status, match(blocks, table, (size_t)head.nblock, l.blocks));
    const char *bytes = (const char *)(table + head.nblock);
    TN_THEN(status, find_present(&l, blocks, bytes));
    if (status == TN_OK)
        load_blocks(&l, blocks, bytes);
    tn_array_free(&l.present);
    tn_free(l.blocks);
    tn_memory_join(joined);
    return status;
}
