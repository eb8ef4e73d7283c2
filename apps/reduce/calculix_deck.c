// SPDX-License-Identifier: MIT
//
// The mesh in a deck of CalculiX: *NODE, *ELEMENT, *NSET and *INCLUDE; other keywords are passed
// over. Names count without case. See calculix.h.

#include "reduce/calculix.h"

#include "base/alloc.h"
#include "text/lines.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

enum { MOST_INCLUDES = 16, MOST_ELEMENT_NODES = 20, MOST_MEMBERS = 1 << 26 };

// Faces of elements in the order of the manual, in which they look inward: corners, and the middles
// behind each; numbers from 1, 0 for none.
typedef struct element_kind {
    const char *name;
    int nodes, faces;
    int face[6][8]; // corner, middle, corner, middle, …
} element_kind;

#define TET_FACES                                                                         \
    {                                                                                     \
        {1, 5, 2, 6, 3, 7}, {1, 8, 4, 9, 2, 5}, {2, 9, 4, 10, 3, 6}, {3, 10, 4, 8, 1, 7}, \
    }
#define BRICK_FACES                                                                             \
    {                                                                                           \
        {1, 9, 2, 10, 3, 11, 4, 12}, {5, 16, 8, 15, 7, 14, 6, 13}, {1, 17, 5, 13, 6, 18, 2, 9}, \
            {2, 18, 6, 14, 7, 19, 3, 10}, {3, 19, 7, 15, 8, 20, 4, 11},                         \
            {4, 20, 8, 16, 5, 17, 1, 12},                                                       \
    }
#define WEDGE_FACES                                                             \
    {                                                                           \
        {1, 7, 2, 8, 3, 9}, {4, 12, 6, 11, 5, 10}, {1, 13, 4, 10, 5, 14, 2, 7}, \
            {2, 14, 5, 11, 6, 15, 3, 8}, {3, 15, 6, 12, 4, 13, 1, 9},           \
    }

static const element_kind element_kinds[] = {
    {"C3D4", 4, 4, TET_FACES},     {"C3D10", 10, 4, TET_FACES},    {"C3D10T", 10, 4, TET_FACES},
    {"C3D8", 8, 6, BRICK_FACES},   {"C3D8R", 8, 6, BRICK_FACES},   {"C3D8I", 8, 6, BRICK_FACES},
    {"C3D20", 20, 6, BRICK_FACES}, {"C3D20R", 20, 6, BRICK_FACES}, {"C3D6", 6, 5, WEDGE_FACES},
    {"C3D15", 15, 5, WEDGE_FACES},
};

typedef struct deck_reader {
    tn_deck *deck;
    int depth;
} deck_reader;

static tn_status read_deck_file(deck_reader *r, const char *path);

// Keywords ---------------------------------------------------------------------------------------

// The value of an option of the line; NULL: it is not there, "": without a value. tn_free it.
static tn_status take_option(const char *options, const char *name, char **out)
{
    const size_t n = strlen(name);
    *out = NULL;
    for (const char *at = options, *end; at && *at; at = end ? end + 1 : NULL) {
        end = strchr(at, ',');
        at += strspn(at, " \t");
        const char *value = at + n;
        if (strncasecmp(at, name, n) != 0)
            continue;
        value += strspn(value, " \t");
        if (!strchr("=,\r", *value)) // the end of the text is among these
            continue;
        value = at + n + strspn(at + n, " \t=");
        size_t length = strcspn(value, ",\r");
        while (length > 0 && value[length - 1] == ' ')
            length--;
        *out = tn_format("%.*s", (int)length, value);
        return tn_got(*out);
    }
    return TN_OK;
}

static void capitals(char *text)
{
    for (; text && *text; text++)
        *text = (char)toupper((unsigned char)*text);
}

static bool is_data(const char *line)
{
    line += strspn(line, " \t\r");
    return *line && *line != '*';
}

// The next line of data of the current keyword; comments and empty lines are passed over.
static bool next_data(tn_lines *l)
{
    while (l->next && *l->next) {
        const char *at = l->next;
        if (at[0] == '*' && at[1] != '*')
            return false;
        tn_lines_next(l);
        if (is_data(l->at))
            return true;
    }
    return false;
}

// Sets -------------------------------------------------------------------------------------------

const tn_node_set *tn_deck_find(const tn_deck *deck, const char *name)
{
    for (int i = 0; i < deck->sets.count; i++)
        if (strcasecmp(deck->sets.at[i].name, name) == 0)
            return &deck->sets.at[i];
    return NULL;
}

// The set of a name, new where there is none; takes the name.
static tn_status open_set(tn_deck *deck, char *name, int *out)
{
    capitals(name);
    for (int i = 0; i < deck->sets.count; i++)
        if (strcmp(deck->sets.at[i].name, name) == 0) {
            tn_free(name);
            *out = i;
            return TN_OK;
        }
    *out = deck->sets.count;
    const tn_status s = tn_array_push(&deck->sets, ((tn_node_set){.name = name}));
    if (s != TN_OK)
        tn_free(name);
    return s;
}

// A short file may ask for ranges without end, or for sets of sets that double with each line.
static tn_status count_members(const tn_lines *l, tn_deck *deck, long more)
{
    deck->members += more;
    if (deck->members > MOST_MEMBERS)
        return tn_lines_fail(l, "sets of nodes have more than %d members in all", MOST_MEMBERS);
    return TN_OK;
}

static tn_status read_generated(tn_lines *l, tn_deck *deck, int at)
{
    int first = 0, last = 0, step = 1;
    TN_TRY(tn_lines_integer(l, tn_lines_word(l, true), "first node", 1, INT_MAX - 1, &first));
    TN_TRY(tn_lines_integer(l, tn_lines_word(l, true), "last node", first, INT_MAX - 1, &last));
    const char *word = tn_lines_word(l, true);
    if (word && *word)
        TN_TRY(tn_lines_integer(l, word, "increment", 1, INT_MAX - 1, &step));
    TN_TRY(count_members(l, deck, (last - first) / step + 1L));
    for (long long id = first; id <= last; id += step)
        TN_TRY(tn_array_push(&deck->sets.at[at].nodes, (int)id));
    return TN_OK;
}

static tn_status read_members(tn_lines *l, tn_deck *deck, int at)
{
    for (const char *word; (word = tn_lines_word(l, true));) {
        int id;
        if (!*word)
            continue;
        const tn_node_set *other = isdigit((unsigned char)*word) ? NULL : tn_deck_find(deck, word);
        const int count = other ? other->nodes.count : 0; // it may be the set itself
        TN_TRY(count_members(l, deck, other ? count : 1));
        for (int i = 0; i < count; i++)
            TN_TRY(tn_array_push(&deck->sets.at[at].nodes, other->nodes.at[i]));
        if (other)
            continue;
        TN_TRY(tn_lines_integer(l, word, "node", 1, INT_MAX - 1, &id));
        TN_TRY(tn_array_push(&deck->sets.at[at].nodes, id));
    }
    return TN_OK;
}

static tn_status read_set(deck_reader *r, tn_lines *l, const char *options)
{
    char *name = NULL, *generate = NULL;
    int set = 0;
    TN_TRY(take_option(options, "GENERATE", &generate));
    const bool generated = generate != NULL;
    tn_free(generate);
    TN_TRY(take_option(options, "NSET", &name));
    if (!name)
        return tn_lines_fail(l, "*NSET without a name; write *NSET, NSET=NAME");
    TN_TRY(open_set(r->deck, name, &set));
    while (next_data(l))
        TN_TRY(generated ? read_generated(l, r->deck, set) : read_members(l, r->deck, set));
    return TN_OK;
}

// Nodes and elements -----------------------------------------------------------------------------

static tn_status read_nodes(deck_reader *r, tn_lines *l, const char *options)
{
    char *name = NULL;
    int set = -1, id;
    double x[3];
    TN_TRY(take_option(options, "NSET", &name));
    if (name)
        TN_TRY(open_set(r->deck, name, &set));
    while (next_data(l)) {
        TN_TRY(tn_lines_integer(l, tn_lines_word(l, true), "node", 1, INT_MAX - 1, &id));
        for (int k = 0; k < 3; k++) {
            static const char *const words[] = {"x", "y", "z"};
            TN_TRY(tn_lines_number(l, tn_lines_word(l, true), words[k], &x[k]));
        }
        TN_TRY(tn_array_push(&r->deck->ids, id));
        TN_TRY(tn_array_push(&r->deck->at, tn_v3_from(x)));
        if (set >= 0)
            TN_TRY(tn_array_push(&r->deck->sets.at[set].nodes, id));
    }
    return TN_OK;
}

static tn_status put_faces(deck_reader *r, const element_kind *kind, const int *node)
{
    for (int f = 0; f < kind->faces; f++) {
        tn_deck_face face = {0};
        while (face.n < 4 && kind->face[f][2 * face.n])
            face.n++;
        for (int i = 0; i < face.n; i++) { // the other way round: outward
            const int from = (face.n - i) % face.n, side = face.n - 1 - i;
            const int middle = kind->face[f][2 * side + 1];
            face.corner[i] = node[kind->face[f][2 * from] - 1];
            face.middle[i] = middle <= kind->nodes ? node[middle - 1] : 0;
        }
        TN_TRY(tn_array_push(&r->deck->faces, face));
    }
    return TN_OK;
}

// One element, which may go over several lines.
static tn_status read_element(deck_reader *r, tn_lines *l, const element_kind *kind)
{
    int node[MOST_ELEMENT_NODES], id;
    TN_TRY(tn_lines_integer(l, tn_lines_word(l, true), "element", 1, INT_MAX - 1, &id));
    for (int n = 0; n < kind->nodes;) {
        const char *word = tn_lines_word(l, true);
        if (word && *word)
            TN_TRY(tn_lines_integer(l, word, "node", 1, INT_MAX - 1, &node[n++]));
        else if (!word && !next_data(l))
            return tn_lines_fail(l, "element %d has %d of the %d nodes of %s", id, n, kind->nodes,
                                 kind->name);
    }
    return put_faces(r, kind, node);
}

static tn_status read_elements(deck_reader *r, tn_lines *l, const char *options)
{
    const element_kind *kind = NULL;
    char *type = NULL;
    TN_TRY(take_option(options, "TYPE", &type));
    for (int i = 0; type && i < TN_COUNT(element_kinds); i++)
        if (strcasecmp(type, element_kinds[i].name) == 0)
            kind = &element_kinds[i];
    tn_free(type);
    while (kind && next_data(l))
        TN_TRY(read_element(r, l, kind));
    return TN_OK;
}

// The file ---------------------------------------------------------------------------------------

static tn_status read_include(deck_reader *r, const tn_lines *l, const char *options)
{
    char *name = NULL;
    TN_TRY(take_option(options, "INPUT", &name));
    if (!name)
        return tn_lines_fail(l, "*INCLUDE without INPUT=FILE");
    char *path = tn_path_beside(l->path, name);
    tn_status s = tn_got(path);
    if (s == TN_OK && r->depth >= MOST_INCLUDES)
        s = tn_lines_fail(l, "files include each other more than %d deep", MOST_INCLUDES);
    TN_THEN(s, read_deck_file(r, path));
    TN_FREE(name, path);
    return s;
}

static bool split_keyword(char *line, char name[32], const char **options)
{
    line += strspn(line, " \t");
    if (line[0] != '*' || line[1] == '*')
        return false;
    size_t n = 0;
    char *at = line;
    for (; *at && *at != ','; at++)
        if (!isspace((unsigned char)*at) && n + 1 < 32)
            name[n++] = (char)toupper((unsigned char)*at);
    name[n] = '\0';
    *options = *at ? at + 1 : at;
    return true;
}

static tn_status read_deck_file(deck_reader *r, const char *path)
{
    tn_lines l;
    char name[32];
    const char *options = "";
    r->depth++;
    tn_status s = tn_lines_open(path, &l);
    while (s == TN_OK && tn_lines_next(&l)) {
        if (!split_keyword(l.at, name, &options))
            continue;
        if (strcmp(name, "*NODE") == 0)
            s = read_nodes(r, &l, options);
        else if (strcmp(name, "*ELEMENT") == 0)
            s = read_elements(r, &l, options);
        else if (strcmp(name, "*NSET") == 0)
            s = read_set(r, &l, options);
        else if (strcmp(name, "*INCLUDE") == 0)
            s = read_include(r, &l, options);
    }
    tn_lines_close(&l);
    r->depth--;
    return s;
}

tn_status tn_deck_read(const char *path, tn_deck *out)
{
    deck_reader r = {.deck = out};
    *out = (tn_deck){0};
    TN_TRY(read_deck_file(&r, path));
    if (out->ids.count == 0)
        return tn_fail(TN_ERR_FILE, "%s: there are no nodes", path);
    return TN_OK;
}

void tn_deck_clear(tn_deck *deck)
{
    for (int i = 0; i < deck->sets.count; i++) {
        tn_free(deck->sets.at[i].name);
        tn_array_free(&deck->sets.at[i].nodes);
    }
    tn_array_free(&deck->ids);
    tn_array_free(&deck->at);
    tn_array_free(&deck->sets);
    tn_array_free(&deck->faces);
}
