// SPDX-License-Identifier: MIT
//
// Matrices that CalculiX stores, and the surface of its meshes; see calculix.h. The deck is read in
// calculix_deck.c.

#include "reduce/calculix.h"

#include "base/alloc.h"
#include "linalg/entries.h"
#include "text/lines.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tn_status number_deck(const tn_deck *deck, tn_numbered **out)
{
    *out = tn_alloc(((size_t)deck->ids.count + 1) * sizeof(**out));
    TN_TRY(tn_got(*out));
    for (int i = 0; i < deck->ids.count; i++)
        (*out)[i] = (tn_numbered){deck->ids.at[i], i};
    tn_number_sort(deck->ids.count, *out);
    return TN_OK;
}

// Freedoms: lines "12.3", node and direction -----------------------------------------------------

typedef struct freedom {
    int node, direction; // by number, 0 to 2
} freedom;

typedef TN_ARRAY(freedom) freedoms;

static tn_status read_freedom(tn_lines *l, freedom *f)
{
    char *word = tn_lines_word(l, false), *dot = word ? strchr(word, '.') : NULL;
    if (!dot)
        return tn_lines_fail(l, "expected node.direction, found '%.40s'", word ? word : "");
    *dot = '\0';
    TN_TRY(tn_lines_integer(l, word, "node", 1, INT_MAX - 1, &f->node));
    TN_TRY(tn_lines_integer(l, dot + 1, "direction", 1, 3, &f->direction));
    f->direction--;
    return TN_OK;
}

static tn_status read_freedoms(const char *job, freedoms *out)
{
    tn_lines l;
    char *path = tn_format("%s.dof", job);
    TN_TRY(tn_got(path));
    tn_status s = tn_lines_open(path, &l);
    while (s == TN_OK && tn_lines_next(&l)) {
        freedom f;
        s = read_freedom(&l, &f);
        TN_THEN(s, tn_array_push(out, f));
    }
    if (s == TN_OK && out->count == 0)
        s = tn_fail(TN_ERR_FILE, "%s: there are no freedoms", path);
    tn_lines_close(&l);
    tn_free(path);
    return s;
}

// Matrices: lines "row column value" of the upper triangle ---------------------------------------

static tn_status read_stored(const char *path, int n, tn_sparse **out)
{
    tn_lines l;
    tn_entries e = {0};
    int row, col;
    double value;
    tn_status s = tn_lines_open(path, &l);
    while (s == TN_OK && tn_lines_next(&l)) {
        s = tn_lines_integer(&l, tn_lines_word(&l, false), "row", 1, n, &row);
        TN_THEN(s, tn_lines_integer(&l, tn_lines_word(&l, false), "column", 1, n, &col));
        TN_THEN(s, tn_lines_number(&l, tn_lines_word(&l, false), "value", &value));
        if (s == TN_OK && value == 0.0)
            continue;
        TN_THEN(s, tn_entries_add(&e, row - 1, col - 1, value));
        if (row != col)
            TN_THEN(s, tn_entries_add(&e, col - 1, row - 1, value));
    }
    TN_THEN(s, tn_entries_finish(&e, n, n, out));
    tn_entries_clear(&e);
    tn_lines_close(&l);
    return s;
}

// Every freedom has an entry on the diagonal; a file that was cut short lacks some.
static tn_status check_diagonal(const char *path, const tn_sparse *A)
{
    for (int j = 0; j < A->ncol; j++)
        if (tn_sparse_at(A, j, j) == 0.0)
            return tn_fail(TN_ERR_FILE,
                           "%s: there is no entry (%d, %d) on the diagonal, as every freedom has "
                           "one; the file was cut short, or is of another job",
                           path, j + 1, j + 1);
    return TN_OK;
}

static tn_status read_ending(const char *job, const char *ending, int n, tn_sparse **out)
{
    char *path = tn_format("%s.%s", job, ending);
    tn_status s = tn_got(path);
    TN_THEN(s, read_stored(path, n, out));
    TN_THEN(s, check_diagonal(path, *out));
    tn_free(path);
    return s;
}

// Nodes in the order in which their freedoms come.
static tn_status gather_nodes(const char *job, const tn_deck *deck, const freedoms *f, tn_fe *fe)
{
    tn_numbered *of_deck = NULL;
    int *place = tn_alloc(((size_t)deck->ids.count + 1) * sizeof(int)); // in fe, from 1
    fe->node = tn_alloc((size_t)f->count * sizeof(*fe->node));
    tn_status s = tn_got(place && fe->node);
    TN_THEN(s, number_deck(deck, &of_deck));
    for (int i = 0; s == TN_OK && i < f->count; i++) {
        const int k = tn_number_find(deck->ids.count, of_deck, f->at[i].node);
        if (k < 0) {
            s = tn_fail(TN_ERR_FILE,
                        "%s.dof:%d: node %d is not in the deck; CalculiX makes nodes of its own of "
                        "shells and beams: take solid elements",
                        job, i + 1, f->at[i].node);
            break;
        }
        if (place[k] == 0) {
            fe->node[fe->nnode] =
                (tn_fe_node){f->at[i].node, deck->at.at[k], {-1, -1, -1, -1, -1, -1}};
            place[k] = ++fe->nnode;
        }
        fe->node[place[k] - 1].row[f->at[i].direction] = i;
    }
    TN_FREE(place, of_deck);
    return s;
}

tn_status tn_calculix_read(const char *job, const tn_deck *deck, tn_fe *fe)
{
    freedoms f = {0};
    tn_status s = read_freedoms(job, &f);
    TN_THEN(s, gather_nodes(job, deck, &f, fe));
    TN_THEN(s, read_ending(job, "sti", f.count, &fe->K));
    TN_THEN(s, read_ending(job, "mas", f.count, &fe->M));
    TN_THEN(s, tn_deck_surface(deck, fe));
    tn_array_free(&f);
    return s;
}

// The preloaded job has the same freedoms in the same order.
static tn_status check_same(const char *job, const freedoms *f, const tn_fe *fe)
{
    int n = 0;
    for (int k = 0; k < fe->nnode; k++)
        for (int d = 0; d < 3; d++) {
            const int row = fe->node[k].row[d];
            n += row >= 0;
            if (row >= 0 && row < f->count &&
                (f->at[row].node != fe->node[k].id || f->at[row].direction != d))
                return tn_fail(TN_ERR_FILE,
                               "%s.dof:%d: this is not the freedom %d.%d of the job "
                               "without load: take the same mesh",
                               job, row + 1, fe->node[k].id, d + 1);
        }
    if (n != f->count)
        return tn_fail(TN_ERR_FILE,
                       "%s.dof has %d freedoms, the job without load has %d: free the preloaded "
                       "body in its last step by *BOUNDARY, OP=NEW",
                       job, f->count, n);
    return TN_OK;
}

tn_status tn_calculix_stiffness(const char *job, const tn_fe *fe, tn_sparse **out)
{
    freedoms f = {0};
    *out = NULL;
    tn_status s = read_freedoms(job, &f);
    TN_THEN(s, check_same(job, &f, fe));
    TN_THEN(s, read_ending(job, "sti", f.count, out));
    tn_array_free(&f);
    return s;
}

// The surface ------------------------------------------------------------------------------------

typedef struct keyed {
    int key[4]; // corners, increasing
    int face;
} keyed;

static int compare_keyed(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    for (int i = 0; i < 4; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return x->face < y->face ? -1 : x->face > y->face;
}

static bool same_key(const keyed *a, const keyed *b)
{
    return memcmp(a->key, b->key, sizeof(a->key)) == 0;
}

static keyed key_of(const tn_deck_face *f, int face)
{
    keyed k = {.face = face};
    for (int i = 0; i < f->n; i++) { // sorted as they come
        int at = i;
        while (at > 0 && k.key[at - 1] > f->corner[i]) {
            k.key[at] = k.key[at - 1];
            at--;
        }
        k.key[at] = f->corner[i];
    }
    return k;
}

typedef TN_ARRAY(int) triangles;

static tn_status put_triangle(triangles *out, int a, int b, int c)
{
    TN_TRY(tn_array_push(out, a));
    TN_TRY(tn_array_push(out, b));
    return tn_array_push(out, c);
}

// With middles each corner has a triangle of its own, and the middles are a polygon.
static tn_status put_face(const tn_deck_face *f, triangles *out)
{
    const int *inner = f->middle[0] ? f->middle : f->corner;
    for (int i = 0; f->middle[0] && i < f->n; i++)
        TN_TRY(put_triangle(out, f->corner[i], f->middle[i], f->middle[(i + f->n - 1) % f->n]));
    for (int i = 2; i < f->n; i++)
        TN_TRY(put_triangle(out, inner[0], inner[i - 1], inner[i]));
    return TN_OK;
}

static tn_status outer_faces(const tn_deck *deck, triangles *out)
{
    const int n = deck->faces.count;
    keyed *list = tn_alloc(((size_t)n + 1) * sizeof(*list));
    tn_status s = tn_got(list);
    for (int i = 0; s == TN_OK && i < n; i++)
        list[i] = key_of(&deck->faces.at[i], i);
    if (s == TN_OK)
        qsort(list, (size_t)n, sizeof(*list), compare_keyed);
    for (int i = 0; s == TN_OK && i < n; i++)
        if (!(i > 0 && same_key(&list[i], &list[i - 1])) &&
            !(i + 1 < n && same_key(&list[i], &list[i + 1])))
            s = put_face(&deck->faces.at[list[i].face], out);
    tn_free(list);
    return s;
}

// From numbers of nodes to places; triangles of nodes without freedoms are left out.
static tn_status place_triangles(const triangles *t, tn_fe *fe)
{
    tn_numbered *list = NULL;
    fe->triangle = tn_alloc(((size_t)t->count + 1) * sizeof(int));
    tn_status s = tn_got(fe->triangle);
    TN_THEN(s, tn_number_nodes(fe, &list));
    for (int i = 0; s == TN_OK && i < t->count; i += 3) {
        int *to = fe->triangle + 3 * fe->ntriangle;
        bool there = true;
        for (int k = 0; k < 3; k++) {
            to[k] = tn_number_find(fe->nnode, list, t->at[i + k]);
            there = there && to[k] >= 0;
        }
        fe->ntriangle += there;
    }
    tn_free(list);
    return s;
}

tn_status tn_deck_surface(const tn_deck *deck, tn_fe *fe)
{
    triangles t = {0};
    tn_status s = outer_faces(deck, &t);
    TN_THEN(s, place_triangles(&t, fe));
    tn_array_free(&t);
    return s;
}
