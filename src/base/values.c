// SPDX-License-Identifier: MIT
//
// Saved values: a head, then one record after the other; see docs/formats/state.md.

#include "base/values.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    VERSION = 1,
    HEAD = 16,      // magic, version, checksum of all that follows
    RECORD = 12,    // lengths of name and unit, kind, one byte that is zero, count
    NUMBER = 8,     // bytes of a value
    NAME_ROOM = 200 // a name with its groups
};

static const char MAGIC[8] = "TNSTATE";
// The images of memory that were written before.
static const char FORMER[8] = "TNIMAGE";

struct tn_values {
    bool reads;
    tn_status status;
    unsigned char *bytes; // as far as they are written, or all that are read
    size_t at, size;      // location of the next record; number of records, or room
    char name[NAME_ROOM]; // of the groups that were entered, then of the value
    size_t group;         // length of the groups
};

// Bytes -------------------------------------------------------------------------------------------

void tn_word_put(unsigned char *to, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(x >> 8 * i);
}

uint64_t tn_word_get(const unsigned char *from, int bytes)
{
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++)
        x |= (uint64_t)from[i] << 8 * i;
    return x;
}

// Room for so many bytes more, which are the next; NULL without memory.
static unsigned char *take_room(tn_values *v, size_t more)
{
    if (v->at + more > v->size) {
        const size_t size = 2 * (v->at + more);
        unsigned char *larger = tn_resize(v->bytes, size);
        if (!larger) {
            v->status = tn_got(false);
            return NULL;
        }
        v->bytes = larger;
        v->size = size;
    }
    v->at += more;
    return v->bytes + v->at - more;
}

void tn_values_refuse(tn_values *v, const char *format, ...)
{
    char text[600];
    if (v->status != TN_OK)
        return;
    TN_SENTENCE(text, format);
    v->status = tn_fail(TN_ERR_USAGE, "%s", text);
}

bool tn_values_are_read(const tn_values *v)
{
    return v->reads && v->status == TN_OK;
}

// Names -------------------------------------------------------------------------------------------

void tn_values_enter(tn_values *v, const char *group)
{
    const int n = snprintf(v->name + v->group, NAME_ROOM - v->group, "%s.", group);
    TN_ASSERT(n > 0 && v->group + (size_t)n < NAME_ROOM / 2);
    v->group += (size_t)n;
}

void tn_values_enter_at(tn_values *v, const char *group, int i)
{
    char text[NAME_ROOM / 2];
    snprintf(text, sizeof text, "%s[%d]", group, i);
    tn_values_enter(v, text);
}

void tn_values_enter_layout(tn_values *v, const char *function)
{
    static const char *const parts[] = {"tn_", "layout_", NULL};
    static const char END[] = "_layout";
    char text[NAME_ROOM / 2];
    for (int i = 0; parts[i]; i++)
        if (strncmp(function, parts[i], strlen(parts[i])) == 0)
            function += strlen(parts[i]);
    snprintf(text, sizeof text, "%s", function);
    const size_t n = strlen(text);
    if (n >= sizeof END && strcmp(text + n - sizeof END + 1, END) == 0)
        text[n - sizeof END + 1] = '\0';
    tn_values_enter(v, text);
}

void tn_values_leave(tn_values *v)
{
    TN_ASSERT(v->group > 0);
    v->group--;
    while (v->group > 0 && v->name[v->group - 1] != '.')
        v->group--;
    v->name[v->group] = '\0';
}

// The member in "&s->past[0], s->y", which then begins with what follows it: "past[0]".
static void name_next(tn_values *v, const char **names)
{
    const char *end = strchr(*names, ','), *begin = *names;
    if (!end)
        end = begin + strlen(begin);
    for (const char *c = begin; c < end; c++)
        if (*c == '.' || *c == '>' || *c == '&' || *c == ' ' || *c == ')')
            begin = c + 1;
    const size_t n = (size_t)(end - begin);
    TN_ASSERT(n > 0 && v->group + n < NAME_ROOM);
    memcpy(v->name + v->group, begin, n);
    v->name[v->group + n] = '\0';
    *names = *end ? end + 1 : end;
}

// Records -----------------------------------------------------------------------------------------

typedef struct record {
    char kind; // 'f' of 64 bits as IEEE 754 has them, 'i' of as many, with a sign
    const char *unit;
    size_t count;
} record;

static void put_record(tn_values *v, const record *r)
{
    const size_t name = strlen(v->name), unit = strlen(r->unit);
    unsigned char *to = take_room(v, RECORD + name + unit);
    if (!to)
        return;
    tn_word_put(to, name, 1);
    tn_word_put(to + 1, unit, 1);
    to[2] = (unsigned char)r->kind;
    to[3] = 0;
    tn_word_put(to + 4, r->count, 8);
    memcpy(to + RECORD, v->name, name);
    memcpy(to + RECORD + name, r->unit, unit);
}

static void get_record(tn_values *v, const record *r)
{
    const unsigned char *from = v->bytes + v->at;
    const size_t left = v->size - v->at, name = left >= RECORD ? from[0] : 0;
    const size_t unit = left >= RECORD ? from[1] : 0;
    if (left < RECORD + name + unit || name == 0) {
        tn_values_refuse(v, "the saved state ends where '%s' should be", v->name);
        return;
    }
    const char *text = (const char *)from + RECORD;
    const uint64_t count = tn_word_get(from + 4, 8);
    if (name != strlen(v->name) || memcmp(text, v->name, name) != 0)
        tn_values_refuse(v, "the saved state has '%.*s' where this simulation has '%s'", (int)name,
                         text, v->name);
    else if (unit != strlen(r->unit) || memcmp(text + name, r->unit, unit) != 0 ||
             from[2] != (unsigned char)r->kind || from[3] != 0)
        tn_values_refuse(v, "the saved state has '%s' with another unit or of another kind",
                         v->name);
    else if (count != r->count)
        tn_values_refuse(v, "the saved state has %llu numbers in '%s', this simulation %zu",
                         (unsigned long long)count, v->name, r->count);
    else if ((left - RECORD - name - unit) / NUMBER < count)
        tn_values_refuse(v, "the saved state ends within '%s'", v->name);
    v->at += v->status == TN_OK ? RECORD + name + unit : 0;
}

// Takes the head of the next record when reading.
static unsigned char *next(tn_values *v, const char **names, record r)
{
    name_next(v, names);
    if (v->status != TN_OK)
        return NULL;
    if (!v->reads) {
        put_record(v, &r);
        return v->status == TN_OK ? take_room(v, r.count * NUMBER) : NULL;
    }
    get_record(v, &r);
    if (v->status != TN_OK)
        return NULL;
    v->at += r.count * NUMBER;
    return v->bytes + v->at - r.count * NUMBER;
}

static void take_double(tn_values *v, unsigned char *at, bool finite, double *x)
{
    uint64_t word;
    if (!v->reads) {
        memcpy(&word, x, sizeof word);
        tn_word_put(at, word, NUMBER);
        return;
    }
    double read;
    word = tn_word_get(at, NUMBER);
    memcpy(&read, &word, sizeof read);
    if (finite && !isfinite(read))
        tn_values_refuse(v, "the saved state has %g in '%s', which must be finite", read, v->name);
    if (v->status == TN_OK)
        *x = read;
}

// An integer between bounds.
static void take_int(tn_values *v, unsigned char *at, int64_t least, int64_t most, int64_t *x)
{
    TN_ASSERT(least <= most);
    if (!v->reads) {
        tn_word_put(at, (uint64_t)*x, NUMBER);
        return;
    }
    const uint64_t word = tn_word_get(at, NUMBER);
    int64_t read;
    memcpy(&read, &word, sizeof read);
    if (read < least || read > most)
        tn_values_refuse(v, "the saved state has %lld in '%s', which is from %lld to %lld",
                         (long long)read, v->name, (long long)least, (long long)most);
    if (v->status == TN_OK)
        *x = read;
}

void tn_values_next_doubles(tn_values *v, const char *unit, size_t count, bool finite,
                            const char **names, double *x)
{
    unsigned char *at = next(v, names, (record){'f', unit, count});
    for (size_t i = 0; at && i < count; i++)
        take_double(v, at + i * NUMBER, finite, x + i);
}

void tn_values_next_ints(tn_values *v, int least, int most, int count, const char **names, int *x)
{
    unsigned char *at = next(v, names, (record){'i', "1", (size_t)count});
    for (int i = 0; at && i < count; i++) {
        int64_t read = x[i];
        take_int(v, at + (size_t)i * NUMBER, least, most, &read);
        x[i] = (int)read;
    }
}

void tn_values_doubles(tn_values *v, const char *unit, int count, bool finite, const char *names,
                       double *const *arrays)
{
    for (; *names; arrays++)
        tn_values_next_doubles(v, unit, (size_t)count, finite, &names, *arrays);
}

void tn_values_ints(tn_values *v, int least, int most, int count, const char *names,
                    int *const *arrays)
{
    for (; *names; arrays++)
        tn_values_next_ints(v, least, most, count, &names, *arrays);
}

void tn_values_longs(tn_values *v, const char *names, long *const *arrays)
{
    for (; *names; arrays++) {
        unsigned char *at = next(v, &names, (record){'i', "1", 1});
        int64_t x = **arrays;
        if (at)
            take_int(v, at, -1, LONG_MAX / 2, &x); // there is room to count on
        **arrays = (long)x;
    }
}

void tn_values_bools(tn_values *v, int count, const char *names, bool *const *arrays)
{
    for (; *names; arrays++) {
        unsigned char *at = next(v, &names, (record){'i', "1", (size_t)count});
        for (int i = 0; at && i < count; i++) {
            int64_t x = (*arrays)[i];
            take_int(v, at + (size_t)i * NUMBER, 0, 1, &x);
            (*arrays)[i] = x != 0;
        }
    }
}

void tn_values_bytes(tn_values *v, int least, int most, int count, const char *name, signed char *x)
{
    unsigned char *at = next(v, &name, (record){'i', "1", (size_t)count});
    for (int i = 0; at && i < count; i++) {
        int64_t read = x[i];
        take_int(v, at + (size_t)i * NUMBER, least, most, &read);
        x[i] = (signed char)read;
    }
}

// Characters by their numbers, and zeros behind them.
void tn_values_text(tn_values *v, size_t room, const char *name, char *text)
{
    unsigned char *at = next(v, &name, (record){'i', "1", room});
    bool ended = false;
    for (size_t i = 0; at && i < room; i++) {
        int64_t read = ended ? 0 : (unsigned char)text[i];
        take_int(v, at + i * NUMBER, 0, i + 1 < room ? UCHAR_MAX : 0, &read);
        if (read > 0 && (ended || read < ' '))
            tn_values_refuse(v, "the saved state has a text in '%s' that is none", v->name);
        ended = ended || read == 0;
        text[i] = (char)read;
    }
}

void tn_values_mark(tn_values *v, const char *name, uint64_t mark, const char *otherwise)
{
    int64_t x, same;
    memcpy(&x, &mark, sizeof x);
    same = x;
    unsigned char *at = next(v, &name, (record){'i', "1", 1});
    if (at)
        take_int(v, at, INT64_MIN, INT64_MAX, &x);
    if (x != same)
        tn_values_refuse(v, "%s", otherwise);
}

// Whole states ------------------------------------------------------------------------------------

tn_status tn_values_write(tn_values_list list, void *self, void **out, size_t *size)
{
    tn_values v = {0};
    *out = NULL;
    (void)take_room(&v, HEAD);
    if (v.status == TN_OK)
        list(self, &v);
    if (v.status != TN_OK) {
        tn_free(v.bytes);
        return v.status;
    }
    TN_ASSERT(v.group == 0);
    memcpy(v.bytes, MAGIC, sizeof MAGIC);
    tn_word_put(v.bytes + 8, VERSION, 4);
    tn_word_put(v.bytes + 12, tn_checksum(0, v.bytes + HEAD, v.at - HEAD), 4);
    *out = v.bytes;
    *size = v.at;
    return TN_OK;
}

static tn_status check_head(const unsigned char *bytes, size_t size)
{
    if (size >= HEAD && memcmp(bytes, FORMER, sizeof FORMER) == 0)
        return tn_fail(TN_ERR_USAGE, "the saved state was written by a former version of Tenon, "
                                     "in a format that is no longer read; repeat the run");
    if (size < HEAD || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
        return tn_fail(TN_ERR_USAGE, "the saved state is damaged");
    const unsigned version = (unsigned)tn_word_get(bytes + 8, 4);
    if (version != VERSION)
        return tn_fail(TN_ERR_USAGE,
                       "the saved state has version %u of its format; this Tenon "
                       "reads version %d",
                       version, VERSION);
    return tn_word_get(bytes + 12, 4) == tn_checksum(0, bytes + HEAD, size - HEAD)
               ? TN_OK
               : tn_fail(TN_ERR_USAGE, "the saved state is damaged");
}

static tn_status read_list(tn_values_list list, void *self, const void *bytes, size_t size)
{
    tn_values v = {.reads = true, .bytes = (unsigned char *)bytes, .at = HEAD, .size = size};
    list(self, &v);
    if (v.at != size)
        tn_values_refuse(&v, "the saved state goes on behind its last value");
    return v.status;
}

// If a state is refused, the values that were read of it are taken back.
tn_status tn_values_read(tn_values_list list, void *self, const void *bytes, size_t size)
{
    void *before = NULL;
    size_t size_before = 0;
    TN_TRY(check_head(bytes, size));
    TN_TRY(tn_values_write(list, self, &before, &size_before));
    tn_status status = read_list(list, self, bytes, size);
    if (status != TN_OK) {
        char text[600];
        snprintf(text, sizeof text, "%s", tn_last_error());
        (void)read_list(list, self, before, size_before);
        status = tn_fail(status, "%s", text);
    }
    tn_free(before);
    return status;
}
