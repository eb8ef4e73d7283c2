// SPDX-License-Identifier: MIT
//
// Small finite element models for tests: a straight beam of Euler and Bernoulli with six freedoms
// per node, and a box of bricks with eight nodes and three freedoms each.

#pragma once

#include "base/alloc.h"
#include "reduce/reduce.h"
#include "test.h"

typedef struct fe_entries {
    int n, room;
    int *row, *col;
    double *K, *M;
} fe_entries;

static inline void fe_add(fe_entries *e, int row, int col, double K, double M)
{
    if (e->n == e->room) {
        e->room = e->room ? 2 * e->room : 4096;
        e->row = realloc(e->row, (size_t)e->room * sizeof(int));
        e->col = realloc(e->col, (size_t)e->room * sizeof(int));
        e->K = realloc(e->K, (size_t)e->room * sizeof(double));
        e->M = realloc(e->M, (size_t)e->room * sizeof(double));
    }
    e->row[e->n] = row;
    e->col[e->n] = col;
    e->K[e->n] = K;
    e->M[e->n++] = M;
}

static inline void fe_assemble(fe_entries *e, int n, tn_fe *fe)
{
    CHECK_OK(tn_sparse_from_entries(n, n, e->n, e->row, e->col, e->K, &fe->K));
    CHECK_OK(tn_sparse_from_entries(n, n, e->n, e->row, e->col, e->M, &fe->M));
    free(e->row);
    free(e->col);
    free(e->K);
    free(e->M);
}

static inline void fe_nodes(tn_fe *fe, int n, int freedoms)
{
    fe->nnode = n;
    fe->node = tn_alloc((size_t)n * sizeof(*fe->node));
    for (int i = 0; i < n; i++) {
        fe->node[i].id = i + 1;
        for (int d = 0; d < 6; d++)
            fe->node[i].row[d] = d < freedoms ? freedoms * i + d : -1;
    }
}

// A beam along x from the origin: length [m], stiffnesses, mass per length and polar inertia.
typedef struct fe_beam {
    double length, EA, EIy, EIz, GJ, mass, polar;
} fe_beam;

// Bending in one plane: the freedoms (w1, t1, w2, t2), with the sign of the rotation.
static inline void fe_bending(fe_entries *e, const int *at, double EI, double mass, double h,
                              double sign)
{
    const double k[4][4] = {{12, 6, -12, 6}, {6, 4, -6, 2}, {-12, -6, 12, -6}, {6, 2, -6, 4}};
    const double m[4][4] = {
        {156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const double arm = (i % 2 ? sign * h : 1.0) * (j % 2 ? sign * h : 1.0);
            fe_add(e, at[i], at[j], EI / (h * h * h) * k[i][j] * arm,
                   mass * h / 420.0 * m[i][j] * arm);
        }
}

static inline void fe_bar(fe_entries *e, int a, int b, double k, double m)
{
    fe_add(e, a, a, k, m / 3.0);
    fe_add(e, b, b, k, m / 3.0);
    fe_add(e, a, b, -k, m / 6.0);
    fe_add(e, b, a, -k, m / 6.0);
}

static inline tn_fe fe_make_beam(fe_beam b, int elements)
{
    const double h = b.length / elements;
    fe_entries e = {0};
    tn_fe fe = {.source = tn_strdup("a beam")};
    fe_nodes(&fe, elements + 1, 6);
    for (int i = 0; i <= elements; i++)
        fe.node[i].x = tn_v3(h * i, 0, 0);
    for (int i = 0; i < elements; i++) {
        const int a = 6 * i, c = a + 6;
        fe_bar(&e, a, c, b.EA / h, b.mass * h);
        fe_bar(&e, a + 3, c + 3, b.GJ / h, b.polar * h);
        fe_bending(&e, (int[]){a + 1, a + 5, c + 1, c + 5}, b.EIz, b.mass, h, 1.0);
        fe_bending(&e, (int[]){a + 2, a + 4, c + 2, c + 4}, b.EIy, b.mass, h, -1.0);
    }
    fe_assemble(&e, 6 * (elements + 1), &fe);
    return fe;
}

// A box from a corner, n bricks and lengths along the axes.
typedef struct fe_box {
    double corner[3], size[3];
    int n[3];
    double E, nu, rho;
} fe_box;

static inline int fe_box_node(const fe_box *b, int i, int j, int k)
{
    return (k * (b->n[1] + 1) + j) * (b->n[0] + 1) + i;
}

// Values and derivatives of the eight functions at a point of (-1, 1)^3.
static inline void fe_brick_shape(const double *p, const double *h, double *N, double dN[8][3])
{
    for (int a = 0; a < 8; a++) {
        const double s[3] = {a & 1 ? 1 : -1, a & 2 ? 1 : -1, a & 4 ? 1 : -1};
        double f[3];
        for (int d = 0; d < 3; d++)
            f[d] = 0.5 * (1.0 + s[d] * p[d]);
        N[a] = f[0] * f[1] * f[2];
        for (int d = 0; d < 3; d++)
            dN[a][d] = s[d] / h[d] * f[(d + 1) % 3] * f[(d + 2) % 3];
    }
}

static inline void fe_brick(const fe_box *b, const int *node, fe_entries *e)
{
    const double lame = b->E * b->nu / ((1 + b->nu) * (1 - 2 * b->nu));
    const double mu = b->E / (2 * (1 + b->nu)), g = 1.0 / sqrt(3.0);
    double h[3], N[8], dN[8][3];
    for (int d = 0; d < 3; d++)
        h[d] = b->size[d] / b->n[d];
    const double w = h[0] * h[1] * h[2] / 8.0;
    for (int q = 0; q < 8; q++) {
        const double p[3] = {q & 1 ? g : -g, q & 2 ? g : -g, q & 4 ? g : -g};
        fe_brick_shape(p, h, N, dN);
        for (int a = 0; a < 8; a++)
            for (int c = 0; c < 8; c++)
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++) {
                        double k = lame * dN[a][i] * dN[c][j] + mu * dN[a][j] * dN[c][i];
                        for (int d = 0; i == j && d < 3; d++)
                            k += mu * dN[a][d] * dN[c][d];
                        fe_add(e, 3 * node[a] + i, 3 * node[c] + j, w * k,
                               i == j ? w * b->rho * N[a] * N[c] : 0.0);
                    }
    }
}

static inline tn_fe fe_make_box(fe_box b)
{
    fe_entries e = {0};
    tn_fe fe = {.source = tn_strdup("a box")};
    fe_nodes(&fe, (b.n[0] + 1) * (b.n[1] + 1) * (b.n[2] + 1), 3);
    for (int k = 0; k <= b.n[2]; k++)
        for (int j = 0; j <= b.n[1]; j++)
            for (int i = 0; i <= b.n[0]; i++)
                fe.node[fe_box_node(&b, i, j, k)].x = tn_v3(b.corner[0] + b.size[0] * i / b.n[0],
                                                            b.corner[1] + b.size[1] * j / b.n[1],
                                                            b.corner[2] + b.size[2] * k / b.n[2]);
    for (int k = 0; k < b.n[2]; k++)
        for (int j = 0; j < b.n[1]; j++)
            for (int i = 0; i < b.n[0]; i++) {
                int node[8];
                for (int a = 0; a < 8; a++)
                    node[a] = fe_box_node(&b, i + (a & 1), j + (a >> 1 & 1), k + (a >> 2));
                fe_brick(&b, node, &e);
            }
    fe_assemble(&e, 3 * fe.nnode, &fe);
    return fe;
}

// The face of a box at its lowest or highest x, as an attachment at its middle.
static inline tn_fe_attachment fe_box_end(const fe_box *b, bool high, const char *name)
{
    tn_fe_attachment a = {.name = (char *)name};
    a.node = malloc((size_t)(b->n[1] + 1) * (size_t)(b->n[2] + 1) * sizeof(int));
    for (int k = 0; k <= b->n[2]; k++)
        for (int j = 0; j <= b->n[1]; j++)
            a.node[a.nnode++] = fe_box_node(b, high ? b->n[0] : 0, j, k);
    a.at = tn_v3(b->corner[0] + (high ? b->size[0] : 0), b->corner[1] + b->size[1] / 2,
                 b->corner[2] + b->size[2] / 2);
    return a;
}
