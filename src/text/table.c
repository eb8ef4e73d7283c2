// SPDX-License-Identifier: MIT
//
// Name tables. Entries stand in one array in order of arrival; `slots` is an open-addressing hash
// table (linear probing, at most half full) of entry numbers plus one.
//
// "Did you mean" uses the restricted edit distance: insertions, deletions, substitutions and
// exchanges of neighbours cost one each, and no letter is edited twice.

#include "text/table.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/pool.h"
#include "base/status.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    FIRST_SLOTS = 16,
    LONGEST = 255,
    LEAST_BEGINNING = 3, // letters from which a name is completed
};

typedef struct {
    const char *name;
    uint32_t hash;
    int index;
} entry;

struct tn_table {
    TN_ARRAY(entry) entries;
    int *slots; // 0 is empty
    uint32_t nslot;
    bool borrows;  // names,
    tn_pool texts; //   else they are copied
};

// Eight characters at a time, each mixed into the upper half, which is folded into the lower one:
// models ask for names by the million.
static uint32_t hash_of(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u, word;
    size_t left = strlen(name);
    for (; left > 0; name += sizeof word) {
        const size_t n = left < sizeof word ? left : sizeof word;
        word = 0;
        memcpy(&word, name, n);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
        left -= n;
    }
    return (uint32_t)hash;
}

tn_status tn_table_create(tn_table **out)
{
    tn_table *table = tn_alloc(sizeof(*table));
    *out = NULL;
    TN_TRY(tn_got(table));
    *out = table;
    return TN_OK;
}

void tn_table_destroy(tn_table *table)
{
    if (!table)
        return;
    tn_pool_clear(&table->texts);
    tn_array_free(&table->entries);
    TN_FREE(table->slots, table);
}

static void place_table(int *slots, uint32_t nslot, uint32_t hash, int number)
{
    TN_ASSERT(number > 0 && nslot > 0 && (nslot & (nslot - 1)) == 0);
    uint32_t s = hash & (nslot - 1);
    while (slots[s] != 0)
        s = (s + 1) & (nslot - 1);
    slots[s] = number;
}

static tn_status make_room(tn_table *table)
{
    if (2 * ((uint32_t)table->entries.count + 1) <= table->nslot)
        return TN_OK;
    const uint32_t nslot = table->nslot ? 2 * table->nslot : FIRST_SLOTS;
    int *slots = tn_alloc(nslot * sizeof(*slots));
    TN_TRY(tn_got(slots));
    for (int i = 0; i < table->entries.count; i++)
        place_table(slots, nslot, table->entries.at[i].hash, i + 1);
    tn_free(table->slots);
    table->slots = slots;
    table->nslot = nslot;
    return TN_OK;
}

void tn_table_borrow(tn_table *table)
{
    TN_ASSERT(table->entries.count == 0);
    table->borrows = true;
}

static int find(const tn_table *table, const char *name, uint32_t hash)
{
    TN_ASSERT(table->nslot == 0 || 2 * (uint32_t)table->entries.count <= table->nslot);
    if (table->nslot == 0)
        return -1;
    for (uint32_t s = hash & (table->nslot - 1); table->slots[s] != 0;
         s = (s + 1) & (table->nslot - 1)) {
        const entry *e = &table->entries.at[table->slots[s] - 1];
        if (e->hash == hash && strcmp(e->name, name) == 0)
            return e->index;
    }
    return -1;
}

static tn_status add(tn_table *table, const char *name, uint32_t hash, int index)
{
    TN_TRY(make_room(table));
    const char *kept = table->borrows ? name : tn_pool_text(&table->texts, name, strlen(name));
    TN_TRY(tn_got(kept));
    const entry e = {kept, hash, index};
    TN_TRY(tn_array_push(&table->entries, e));
    place_table(table->slots, table->nslot, hash, table->entries.count);
    return TN_OK;
}

tn_status tn_table_add(tn_table *table, const char *name, int index)
{
    TN_ASSERT(tn_table_find(table, name) < 0);
    return add(table, name, hash_of(name), index);
}

tn_status tn_table_enter(tn_table *table, const char *name, int *index)
{
    const uint32_t hash = hash_of(name);
    const int known = find(table, name, hash);
    if (known < 0)
        return add(table, name, hash, *index);
    *index = known;
    return TN_OK;
}

int tn_table_find(const tn_table *table, const char *name)
{
    return find(table, name, hash_of(name));
}

// Three rows of the table of distances between prefixes are alive at a time.
int tn_edit_distance(const char *a, const char *b)
{
    const size_t na = strlen(a), nb = strlen(b);
    int rows[3][LONGEST + 1];
    if (na > LONGEST || nb > LONGEST) // names of that length are not mistyped, they are wrong
        return strcmp(a, b) == 0 ? 0 : INT_MAX;
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                above2[j - 2] + 1 < best)
                best = above2[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[na % 3][nb];
}

// The largest distance at which a name still counts as a slip for another: a third of the longer
// one. More than that is another word.
static int reach_of(size_t length, size_t other)
{
    const size_t longer = length > other ? length : other;
    return longer > LONGEST ? 0 : (int)(longer / 3);
}

// Takes over `candidate` when it is strictly nearer than all before it: the first of equals wins.
static void consider(const char *name, const char *candidate, int *limit, const char **nearest)
{
    const size_t n = strlen(name), m = strlen(candidate);
    const int reach = reach_of(n, m) < *limit ? reach_of(n, m) : *limit;
    if ((n > m ? n - m : m - n) > (size_t)reach)
        return; // which the distance would find out at length
    const int distance = tn_edit_distance(name, candidate);
    if (distance > reach)
        return;
    *limit = distance - 1;
    *nearest = candidate;
}

// Words that other programs and textbooks use, and the words of Tenon for them.
static const struct {
    const char *word, *ours;
} synonyms[] = {
    {"hinge", "revolute"},
    {"pin", "revolute"},
    {"rotational", "revolute"},
    {"slider", "prismatic"},
    {"translational", "prismatic"},
    {"ball", "spherical"},
    {"weld", "fixed"},
    {"helical", "screw"},
    {"cardan", "universal"},
    {"hooke", "universal"},
    {"simulate", "run"},
    {"sim", "run"},
    {"solve", "run"},
    {"validate", "check"},
    {"show", "view"},
    {"animate", "view"},
    {"graph", "plot"},
    {"init", "new"},
    {"create", "new"},
    {"damper", "spring"},
    {"torsion-spring", "joint-spring"},
    {"bumper", "joint-stop"},
    {"limit", "joint-stop"},
    {"actuator", "motor"},
    {"rk4", "dopri5"},
    {"rk45", "dopri5"},
    {"ode45", "dopri5"},
    {"ida", "bdf"},
    {"dassl", "bdf"},
    {"newmark", "galpha"},
    {"generalized-alpha", "galpha"},
    {"2d", "planar"},
    {"particle", "point"},
    {"sphere", "ball"},
};

static const char *synonym_of(const char *name)
{
    for (int i = 0; i < TN_COUNT(synonyms); i++)
        if (!strcmp(name, synonyms[i].word))
            return synonyms[i].ours;
    return NULL;
}

static const char *name_in(const tn_table *table, const char *const *known, int i)
{
    TN_ASSERT(i >= 0 && (!table || i < table->entries.count));
    return table ? table->entries.at[i].name : known[i];
}

// The shortest name that goes on where `name` ends: "rod.pos" was to be "rod.position".
static const char *table_continued(const char *name, int n, const tn_table *table,
                                   const char *const *known)
{
    const size_t length = strlen(name);
    const char *shortest = NULL;
    for (int i = 0; length >= LEAST_BEGINNING && i < n; i++) {
        const char *candidate = name_in(table, known, i);
        if (!strncmp(candidate, name, length) &&
            (!shortest || strlen(candidate) < strlen(shortest)))
            shortest = candidate;
    }
    return shortest;
}

// By its meaning, by its letters, by its beginning.
static const char *nearest_of(const char *name, int n, const tn_table *table,
                              const char *const *known)
{
    const char *nearest = NULL, *ours = synonym_of(name);
    int limit = LONGEST;
    for (int i = 0; ours && i < n; i++)
        if (!strcmp(ours, name_in(table, known, i)))
            return name_in(table, known, i);
    for (int i = 0; i < n; i++)
        consider(name, name_in(table, known, i), &limit, &nearest);
    return nearest ? nearest : table_continued(name, n, table, known);
}

static void list_names(int n, const tn_table *table, const char *const *known, size_t size,
                       char *out)
{
    TN_ASSERT(out && size > 0);
    enum { REST = 24 }; // characters of "and 2147483647 more"
    size_t used = 0;
    snprintf(out, size, "none");
    for (int i = 0; i < n; i++) {
        const char *name = name_in(table, known, i);
        if (used + strlen(name) + 2 + REST > size) {
            snprintf(out + used, size - used, "%sand %d more", i ? " " : "", n - i);
            return;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", name);
    }
}

void tn_list_names(int n, const char *const *names, size_t size, char *out)
{
    list_names(n, NULL, names, size, out);
}

const char *tn_nearest_name(const char *name, int n, const char *const *known)
{
    TN_NEED_ALL(NULL, name, known);
    return nearest_of(name, n, NULL, known);
}

const char *tn_table_nearest(const tn_table *table, const char *name)
{
    return nearest_of(name, table->entries.count, table, NULL);
}

// Names of a model are many, those of a list are few and all of them are named.
static tn_hint hint_of(const char *name, int n, const tn_table *table, const char *const *known)
{
    enum { OF_A_MODEL = 256 };
    const char *nearest = nearest_of(name, n, table, known);
    tn_hint hint = {"known are "};
    const size_t used = strlen(hint.text);
    if (nearest)
        snprintf(hint.text, sizeof hint.text, "did you mean '%s'?", nearest);
    else
        list_names(n, table, known, table ? OF_A_MODEL : sizeof hint.text - used, hint.text + used);
    return hint;
}

tn_hint tn_name_hint(const char *name, int n, const char *const *known)
{
    return hint_of(name, n, NULL, known);
}

tn_hint tn_table_hint(const tn_table *table, const char *name)
{
    return hint_of(name, table->entries.count, table, NULL);
}

tn_status tn_fail_unknown(const char *what, const char *name, int n, const char *const *known)
{
    TN_NEED_ALL(TN_ERR_USAGE, what, name, known);
    return tn_fail(TN_ERR_USAGE, "unknown %s '%s'; %s", what, name,
                   tn_name_hint(name, n, known).text);
}

char *tn_name_of_today(const char *name)
{
    static const struct {
        const char *was, *tail;
    } renamed[] = {{".coordinates.", ""}, {".rates.", ".rate"}};
    for (int i = 0; i < TN_COUNT(renamed); i++) {
        const char *at = strstr(name, renamed[i].was);
        if (at)
            return tn_format("%.*s.%s%s", (int)(at - name), name, at + strlen(renamed[i].was),
                             renamed[i].tail);
    }
    return NULL;
}
