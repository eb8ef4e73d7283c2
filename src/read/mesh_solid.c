// SPDX-License-Identifier: MIT
//
// The solid that a closed mesh bounds; see mesh_solid.h and docs/theory/mass.md. Every triangle and
// a point c span a tetrahedron whose volume has the sign of the side of the triangle that c is on:
// the sum over a closed mesh is the solid, wherever c is. With corners a, b, d from c and
// s = a + b + d
//
//   V = a . (b x d)/6,   int x = V s/4,   int x x^T = V (a a^T + b b^T + d d^T + s s^T)/20.
//
// c is the middle of the mesh for a first sum and then the centre that it gave, so that nothing
// cancels however far the mesh is from its origin, and sums carry what they round off.
//
// Corners at the same place are the same vertex. A mesh is closed, and its faces agree about what
// is outside, when each edge is passed as often from its first end to its second as back.

#include "read/mesh_solid.h"

#include "base/alloc.h"
#include "kinds/mass.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct corner {
    tn_vec3 at;
    long place;
} corner;

typedef struct edge {
    int from, to; // from < to
    bool back;    // passed from `to` to `from`
} edge;

// Faces that hang together.
typedef struct piece {
    double volume;
    tn_vec3 low, high;
} piece;

typedef struct solid {
    const char *name;
    long n; // triangles
    const double *positions;
    corner *corners; // 3 n, sorted by place in space
    int *vertex;     // of the 3 n corners, in the order of the mesh
    tn_vec3 *point;  // of vertices
    int *piece_of;   // of vertices: one of the same piece, at the end the vertex that stands for it
    edge *edges;     // 3 n
    piece *pieces;   // by vertex that stands for one, then the pieces alone, the largest first
    int nvertex, npiece;
} solid;

// Vertices and edges ------------------------------------------------------------------------------

static int compare_corners(const void *left, const void *right)
{
    const corner *a = left, *b = right;
    if (a->at.x != b->at.x)
        return a->at.x < b->at.x ? -1 : 1;
    if (a->at.y != b->at.y)
        return a->at.y < b->at.y ? -1 : 1;
    return a->at.z != b->at.z ? (a->at.z < b->at.z ? -1 : 1) : 0;
}

static void number_vertices(solid *s)
{
    for (long k = 0; k < 3 * s->n; k++)
        s->corners[k] = (corner){tn_v3_from(s->positions + 3 * k), k};
    qsort(s->corners, (size_t)(3 * s->n), sizeof *s->corners, compare_corners);
    for (long k = 0; k < 3 * s->n; k++) {
        if (k == 0 || compare_corners(&s->corners[k - 1], &s->corners[k]) != 0)
            s->point[s->nvertex++] = s->corners[k].at;
        s->vertex[s->corners[k].place] = s->nvertex - 1;
    }
}

static int compare_edges(const void *left, const void *right)
{
    const edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to != b->to ? (a->to < b->to ? -1 : 1) : 0;
}

static long list_edges(solid *s)
{
    long count = 0;
    for (long k = 0; k < 3 * s->n; k++) {
        const int a = s->vertex[k], b = s->vertex[k % 3 == 2 ? k - 2 : k + 1];
        if (a != b) // else a triangle that is a line
            s->edges[count++] = (edge){a < b ? a : b, a < b ? b : a, a > b};
    }
    qsort(s->edges, (size_t)count, sizeof *s->edges, compare_edges);
    return count;
}

static tn_status fail_edge(const solid *s, const edge *e, int faces, long wrong)
{
    const tn_vec3 p = s->point[e->from], q = s->point[e->to];
    char others[64] = "";
    if (wrong > 1)
        snprintf(others, sizeof others, " (and %ld more edge%s)", wrong - 1, wrong == 2 ? "" : "s");
    if (faces % 2 != 0)
        return tn_fail(TN_ERR_MODEL,
                       "%s is not closed: the edge from (%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g) "
                       "belongs to %d face%s%s; each edge of a solid belongs to two. Close the "
                       "mesh, or state mass and inertia",
                       s->name, p.x, p.y, p.z, q.x, q.y, q.z, faces, faces == 1 ? "" : "s", others);
    return tn_fail(TN_ERR_MODEL,
                   "%s: faces that meet in the edge from (%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g) "
                   "disagree about what is outside%s: their corners go the same way along it. "
                   "Orient the faces of the mesh alike, or state mass and inertia",
                   s->name, p.x, p.y, p.z, q.x, q.y, q.z, others);
}

// An edge of an open mesh is reported before one of faces that disagree.
static tn_status check_edges(solid *s)
{
    const long count = list_edges(s);
    const edge *worst = NULL;
    int faces = 0;
    long wrong = 0;
    for (long first = 0, end; first < count; first = end) {
        int ways = 0;
        for (end = first; end < count && compare_edges(&s->edges[first], &s->edges[end]) == 0;
             end++)
            ways += s->edges[end].back ? -1 : 1;
        const int here = (int)(end - first);
        if (ways == 0)
            continue;
        wrong++;
        if (!worst || (faces % 2 == 0 && here % 2 != 0)) {
            worst = &s->edges[first];
            faces = here;
        }
    }
    return worst ? fail_edge(s, worst, faces, wrong) : TN_OK;
}

// Sums --------------------------------------------------------------------------------------------

// Neumaier's sum: what each addition rounds off is summed too.
typedef struct sum {
    double value, rest;
} sum;

static void add(sum *s, double x)
{
    const double total = s->value + x;
    s->rest += fabs(s->value) >= fabs(x) ? (s->value - total) + x : (x - total) + s->value;
    s->value = total;
}

static double total(sum s)
{
    return s.value + s.rest;
}

static tn_vec3 from_centre(const solid *s, long k, tn_vec3 centre)
{
    return tn_v3_sub(tn_v3_from(s->positions + 3 * k), centre);
}

static double signed_volume(tn_vec3 a, tn_vec3 b, tn_vec3 d)
{
    return tn_v3_dot(a, tn_v3_cross(b, d)) / 6.0;
}

static tn_mass integrate(const solid *s, tn_vec3 c)
{
    sum volume = {0}, first[3] = {{0}}, second[3][3] = {{{0}}};
    for (long i = 0; i < s->n; i++) {
        const tn_vec3 a = from_centre(s, 3 * i, c), b = from_centre(s, 3 * i + 1, c),
                      d = from_centre(s, 3 * i + 2, c), all = tn_v3_add(a, tn_v3_add(b, d));
        const double V = signed_volume(a, b, d);
        const double x[4][3] = {
            {a.x, a.y, a.z}, {b.x, b.y, b.z}, {d.x, d.y, d.z}, {all.x, all.y, all.z}};
        add(&volume, V);
        for (int j = 0; j < 3; j++) {
            add(&first[j], 0.25 * V * x[3][j]);
            for (int k = j; k < 3; k++)
                for (int m = 0; m < 4; m++)
                    add(&second[j][k], 0.05 * V * x[m][j] * x[m][k]);
        }
    }
    const double V = total(volume);
    const tn_vec3 r = {total(first[0]) / V, total(first[1]) / V, total(first[2]) / V};
    tn_mat3 moments;
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            moments.m[j][k] = total(second[j < k ? j : k][j < k ? k : j]);
    moments = tn_m3_axpy(-V, tn_m3_outer(r, r), moments);
    return (tn_mass){V, tn_v3_add(c, r), tn_inertia_of_moments(moments)};
}

// Pieces ------------------------------------------------------------------------------------------

static int stands_for(int *piece_of, int v)
{
    while (piece_of[v] != v)
        v = piece_of[v] = piece_of[piece_of[v]];
    return v;
}

static void find_pieces(solid *s, tn_vec3 centre)
{
    for (int v = 0; v < s->nvertex; v++) {
        s->piece_of[v] = v;
        s->pieces[v] = (piece){0.0, s->point[v], s->point[v]};
    }
    for (long k = 0; k < 3 * s->n; k++)
        s->piece_of[stands_for(s->piece_of, s->vertex[k])] =
            stands_for(s->piece_of, s->vertex[k - k % 3]);
    for (int v = 0; v < s->nvertex; v++) {
        piece *p = &s->pieces[stands_for(s->piece_of, v)];
        const tn_vec3 x = s->point[v];
        p->low = (tn_vec3){fmin(p->low.x, x.x), fmin(p->low.y, x.y), fmin(p->low.z, x.z)};
        p->high = (tn_vec3){fmax(p->high.x, x.x), fmax(p->high.y, x.y), fmax(p->high.z, x.z)};
    }
    for (long i = 0; i < s->n; i++)
        s->pieces[stands_for(s->piece_of, s->vertex[3 * i])].volume +=
            signed_volume(from_centre(s, 3 * i, centre), from_centre(s, 3 * i + 1, centre),
                          from_centre(s, 3 * i + 2, centre));
    for (int v = 0; v < s->nvertex; v++)
        if (s->piece_of[v] == v)
            s->pieces[s->npiece++] = s->pieces[v];
    for (int i = 1; i < s->npiece; i++)
        if (fabs(s->pieces[i].volume) > fabs(s->pieces[0].volume)) {
            const piece larger = s->pieces[i];
            s->pieces[i] = s->pieces[0];
            s->pieces[0] = larger;
        }
}

static bool is_within(const piece *in, const piece *out)
{
    return in->low.x >= out->low.x && in->low.y >= out->low.y && in->low.z >= out->low.z &&
           in->high.x <= out->high.x && in->high.y <= out->high.y && in->high.z <= out->high.z;
}

// A piece that is turned the other way is a hollow in another one.
static tn_status check_pieces(const solid *s, bool inside_out)
{
    const double sign = inside_out ? -1.0 : 1.0;
    for (int i = 0; i < s->npiece; i++) {
        const piece *p = &s->pieces[i];
        bool fits = sign * p->volume >= 0.0;
        for (int k = 0; !fits && k < s->npiece; k++)
            fits = sign * s->pieces[k].volume > 0.0 && is_within(p, &s->pieces[k]);
        if (!fits)
            return tn_fail(TN_ERR_MODEL,
                           "%s: the piece from (%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g) is turned "
                           "inside out and is no hollow in another one; turn its faces",
                           s->name, p->low.x, p->low.y, p->low.z, p->high.x, p->high.y, p->high.z);
    }
    return TN_OK;
}

// -------------------------------------------------------------------------------------------------

// Round-off of a volume that is zero: some bits of surface times size.
static double least_volume(const solid *s, tn_vec3 low, tn_vec3 high)
{
    double area = 0.0;
    for (long i = 0; i < s->n; i++) {
        const tn_vec3 a = from_centre(s, 3 * i, low);
        area += 0.5 * tn_v3_norm(tn_v3_cross(tn_v3_sub(from_centre(s, 3 * i + 1, low), a),
                                             tn_v3_sub(from_centre(s, 3 * i + 2, low), a)));
    }
    return 64.0 * DBL_EPSILON * area * tn_v3_norm(tn_v3_sub(high, low));
}

static tn_status take_memory(solid *s)
{
    const size_t n = 3 * (size_t)s->n;
    s->corners = tn_alloc(n * sizeof *s->corners);
    s->vertex = tn_alloc(n * sizeof *s->vertex);
    s->point = tn_alloc(n * sizeof *s->point);
    s->piece_of = tn_alloc(n * sizeof *s->piece_of);
    s->edges = tn_alloc(n * sizeof *s->edges);
    s->pieces = tn_alloc(n * sizeof *s->pieces);
    return tn_got(s->corners && s->vertex && s->point && s->piece_of && s->edges && s->pieces);
}

static tn_status find_solid(solid *s, tn_mass *out, bool *inside_out)
{
    TN_TRY(take_memory(s));
    number_vertices(s);
    TN_TRY(check_edges(s));
    tn_vec3 low = s->point[0], high = low;
    for (int v = 0; v < s->nvertex; v++) {
        const tn_vec3 x = s->point[v];
        low = (tn_vec3){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
        high = (tn_vec3){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
    }
    const tn_vec3 middle = tn_v3_axpy(0.5, tn_v3_sub(high, low), low);
    const tn_mass rough = integrate(s, middle);
    if (!(fabs(rough.mass) > least_volume(s, low, high)))
        return tn_fail(TN_ERR_MODEL, "%s has no volume (%.3g); state mass and inertia", s->name,
                       rough.mass);
    *inside_out = rough.mass < 0.0;
    find_pieces(s, middle);
    TN_TRY(check_pieces(s, *inside_out));
    *out = integrate(s, rough.com);
    if (*inside_out)
        *out = tn_mass_scaled(*out, -1.0);
    return TN_OK;
}

tn_status tn_mesh_solid(const tn_mesh *mesh, const char *name, tn_mass *out, bool *inside_out)
{
    solid s = {.name = name, .n = mesh->ntriangle, .positions = mesh->positions};
    const tn_status status = find_solid(&s, out, inside_out);
    tn_free(s.corners);
    tn_free(s.vertex);
    tn_free(s.point);
    tn_free(s.piece_of);
    tn_free(s.edges);
    tn_free(s.pieces);
    return status;
}
