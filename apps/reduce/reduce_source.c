// SPDX-License-Identifier: MIT
//
// Sources of the matrices and nodes of a reduction, and their units; see reduce_job.h.

#include "base/alloc.h"
#include "flex/beam.h"
#include "model/model.h"
#include "reduce/matrix_market.h"
#include "reduce/reduce_job.h"
#include "tenon/io.h"
#include "text/lines.h"
#include "text/table.h"

#include <limits.h>
#include <string.h>

// Units ------------------------------------------------------------------------------------------

typedef struct named_unit {
    const char *name;
    double value;
} named_unit;

static const named_unit lengths[] = {
    {"m", 1.0}, {"mm", 1e-3}, {"cm", 1e-2}, {"in", 0.0254}, {NULL, 0}};
static const named_unit forces[] = {{"N", 1.0}, {"kN", 1e3}, {"mN", 1e-3}, {"MN", 1e6}, {NULL, 0}};
static const named_unit masses[] = {{"kg", 1.0}, {"g", 1e-3}, {"t", 1e3}, {NULL, 0}};

static tn_status read_unit(const tn_reduce_job *job, const tn_node *map, const char *key,
                           const named_unit *known, double *out)
{
    const char *text = NULL, *names[8];
    const tn_node *node = tn_node_get(map, key);
    int n = 0;
    if (!node || tn_node_is_number(node))
        return tn_job_number(job, map, "units", key, out);
    TN_TRY(tn_job_text(job, map, "units", key, &text));
    for (; known[n].name; n++) {
        names[n] = known[n].name;
        if (strcmp(text, known[n].name) == 0) {
            *out = known[n].value;
            return TN_OK;
        }
    }
    return tn_job_fail(job, node, "units: %s is '%.80s'; %s, or state the factor to SI units", key,
                       text, tn_name_hint(text, n, names).text);
}

static tn_status read_units(tn_reduce_job *job)
{
    static const char *const keys[] = {"length", "force", "mass", NULL};
    const tn_node *map = tn_node_get(job->doc->root, "units");
    if (!map)
        return TN_OK;
    TN_TRY(tn_node_keys(job->doc, map, "units", keys));
    TN_TRY(read_unit(job, map, "length", lengths, &job->length));
    TN_TRY(read_unit(job, map, "force", forces, &job->force));
    return read_unit(job, map, "mass", masses, &job->mass);
}

tn_status tn_job_scale(const tn_reduce_job *job, bool mass, tn_sparse *A)
{
    // Energies are force x length or mass x length^2 / s^2; a displacement of 1 is `length`.
    const double L = job->length, unit = mass ? job->mass * L * L : job->force * L;
    if (job->length == 1.0 && job->force == 1.0 && job->mass == 1.0)
        return TN_OK;
    double *by = tn_alloc((size_t)A->nrow * sizeof(double)); // 1 over the unit of each freedom
    TN_TRY(tn_got(by));
    for (int i = 0; i < A->nrow; i++)
        by[i] = 1.0 / L;
    for (int k = 0; k < job->fe.nnode; k++)
        for (int d = 3; d < 6; d++)
            if (job->fe.node[k].row[d] >= 0 && job->fe.node[k].row[d] < A->nrow)
                by[job->fe.node[k].row[d]] = 1.0;
    for (int j = 0; j < A->ncol && A->ncol == A->nrow; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            A->val[k] *= unit * by[A->rowind[k]] * by[j];
    tn_free(by);
    return TN_OK;
}

static tn_status scale_source(tn_reduce_job *job)
{
    TN_TRY(tn_job_scale(job, false, job->fe.K));
    TN_TRY(tn_job_scale(job, true, job->fe.M));
    for (int k = 0; k < job->fe.nnode; k++)
        job->fe.node[k].x = tn_v3_scale(job->length, job->fe.node[k].x);
    return TN_OK;
}

// Matrix Market ----------------------------------------------------------------------------------

static const char *const columns[] = {"node", "x", "y", "z", "ux", "uy", "uz", "rx", "ry", "rz"};

// The header names the columns: node, x, y, z, then rows of the matrices or none.
static tn_status read_header(tn_lines *l, int *n)
{
    *n = 0;
    if (!tn_lines_next(l))
        return tn_fail(TN_ERR_FILE, "%s: the file is empty", l->path);
    for (char *word; (word = tn_lines_word(l, true)); (*n)++)
        if (*n >= TN_COUNT(columns) || strcmp(word, columns[*n]) != 0)
            return tn_lines_fail(l,
                                 "column %d is '%.40s'; the columns are node,x,y,z or "
                                 "node,x,y,z,ux,uy,uz or node,x,y,z,ux,uy,uz,rx,ry,rz, the last "
                                 "ones rows of the matrices",
                                 *n + 1, word);
    if (*n != 4 && *n != 7 && *n != 10)
        return tn_lines_fail(l, "%d columns; there must be 4, 7 or 10", *n);
    return TN_OK;
}

static tn_status read_node_line(tn_lines *l, int ncolumn, tn_fe_node *node)
{
    double x[3];
    *node = (tn_fe_node){.row = {-1, -1, -1, -1, -1, -1}};
    TN_TRY(tn_lines_integer(l, tn_lines_word(l, true), "node", 1, INT_MAX - 1, &node->id));
    for (int k = 0; k < 3; k++)
        TN_TRY(tn_lines_number(l, tn_lines_word(l, true), columns[1 + k], &x[k]));
    node->x = tn_v3_from(x);
    for (int d = 0; d < ncolumn - 4; d++) {
        const char *word = tn_lines_word(l, true);
        if (!word || !*word) // nodes without rotations among others with them
            continue;
        TN_TRY(tn_lines_integer(l, word, columns[4 + d], 1, INT_MAX - 1, &node->row[d]));
        node->row[d]--;
    }
    return TN_OK;
}

// Without columns for them rows follow the nodes, three or six for each.
static tn_status number_rows(const tn_lines *l, tn_fe *fe, int n)
{
    const int each = fe->nnode > 0 ? n / fe->nnode : 0;
    if ((each != 3 && each != 6) || each * fe->nnode != n)
        return tn_fail(TN_ERR_FILE,
                       "%s: %d nodes for matrices of %d rows; there must be three or six rows for "
                       "each, or columns ux, uy, uz, … with their numbers",
                       l->path, fe->nnode, n);
    for (int k = 0; k < fe->nnode; k++)
        for (int d = 0; d < each; d++)
            fe->node[k].row[d] = each * k + d;
    return TN_OK;
}

static tn_status refuse_twice(const char *path, const tn_fe *fe)
{
    tn_numbered *list = NULL;
    tn_status s = tn_number_nodes(fe, &list);
    for (int k = 1; s == TN_OK && k < fe->nnode; k++)
        if (list[k].id == list[k - 1].id)
            s = tn_fail(TN_ERR_FILE, "%s: node %d is listed twice; each node has one line", path,
                        list[k].id);
    tn_free(list);
    return s;
}

static tn_status read_node_table(const char *path, tn_fe *fe)
{
    tn_lines l;
    TN_ARRAY(tn_fe_node) nodes = {0};
    int ncolumn = 0;
    tn_status s = tn_lines_open(path, &l);
    TN_THEN(s, read_header(&l, &ncolumn));
    while (s == TN_OK && tn_lines_next(&l)) {
        tn_fe_node node;
        if (!l.at[strspn(l.at, " \t\r")])
            continue;
        s = read_node_line(&l, ncolumn, &node);
        TN_THEN(s, tn_array_push(&nodes, node));
    }
    fe->node = nodes.at;
    fe->nnode = nodes.count;
    TN_THEN(s, refuse_twice(path, fe));
    if (s == TN_OK && ncolumn == 4)
        s = number_rows(&l, fe, fe->K->nrow);
    tn_lines_close(&l);
    return s;
}

static tn_status read_markets(tn_reduce_job *job, const tn_node *map)
{
    static const char *const keys[] = {"kind", "stiffness", "mass", "nodes", NULL};
    char *K = NULL, *M = NULL, *nodes = NULL;
    tn_status s = tn_node_keys(job->doc, map, "source", keys);
    TN_THEN(s, tn_job_path(job, map, "source", "stiffness", &K));
    TN_THEN(s, tn_job_path(job, map, "source", "mass", &M));
    TN_THEN(s, tn_job_path(job, map, "source", "nodes", &nodes));
    TN_THEN(s, tn_matrix_market_read(K, &job->fe.K));
    TN_THEN(s, tn_matrix_market_read(M, &job->fe.M));
    TN_THEN(s, read_node_table(nodes, &job->fe));
    if (s == TN_OK) {
        job->fe.source = tn_format("%s and %s", K, M);
        s = tn_got(job->fe.source);
    }
    TN_FREE(K, M, nodes);
    return s;
}

// CalculiX ---------------------------------------------------------------------------------------

static tn_status read_calculix(tn_reduce_job *job, const tn_node *map)
{
    static const char *const keys[] = {"kind", "job", "mesh", NULL};
    char *path = NULL, *mesh = NULL;
    tn_status s = tn_node_keys(job->doc, map, "source", keys);
    TN_THEN(s, tn_job_path(job, map, "source", "job", &path));
    if (s == TN_OK && tn_node_get(map, "mesh"))
        s = tn_job_path(job, map, "source", "mesh", &mesh);
    else if (s == TN_OK) {
        mesh = tn_format("%s.inp", path);
        s = tn_got(mesh);
    }
    TN_THEN(s, tn_deck_read(mesh, &job->deck));
    TN_THEN(s, tn_calculix_read(path, &job->deck, &job->fe));
    if (s == TN_OK) {
        job->fe.source = tn_format("CalculiX %s", path);
        s = tn_got(job->fe.source);
    }
    TN_FREE(path, mesh);
    return s;
}

// Beams ------------------------------------------------------------------------------------------

static tn_status find_beam(tn_reduce_job *job, const tn_node *map, const char *path,
                           const char *name)
{
    const char *names[64];
    const int n = tn_smaller(tn_model_beam_count(job->model), TN_COUNT(names));
    job->beam = tn_beam_named(job->model, name);
    if (job->beam.index >= 0)
        return TN_OK;
    for (int i = 0; i < n; i++)
        names[i] = tn_model_beam_name(job->model, (tn_beam){i});
    return tn_job_fail(job, tn_node_get(map, "body"), "source: %s has no beam '%.80s'; %s", path,
                       name, tn_name_hint(name, n, names).text);
}

static tn_status read_beam_source(tn_reduce_job *job, const tn_node *map)
{
    static const char *const keys[] = {"kind", "model", "body", NULL};
    const char *name = NULL;
    char *path = NULL;
    tn_status s = tn_node_keys(job->doc, map, "source", keys);
    TN_THEN(s, tn_job_path(job, map, "source", "model", &path));
    TN_THEN(s, tn_job_text(job, map, "source", "body", &name));
    if (s == TN_OK && tn_node_get(job->doc->root, "units"))
        s = tn_job_fail(job, tn_node_get(job->doc->root, "units"),
                        "units: models are in SI units; leave them out");
    TN_THEN(s, tn_model_load(path, &job->model, NULL));
    TN_THEN(s, find_beam(job, map, path, name));
    TN_THEN(s, tn_fe_from_beam(job->model, job->beam, &job->fe));
    if (s == TN_OK) { // that of the beam goes with its stiffness, unless another one is stated
        const tn_force element = tn_model_beam_element(job->model, job->beam, 0);
        job->wanted.stiffness = job->model->forces.at[element.index].def.beam.damping;
        job->fe.source = tn_format("beam '%s' of %s", name, path);
        s = tn_got(job->fe.source);
    }
    tn_free(path);
    return s;
}

tn_status tn_job_source(tn_reduce_job *job)
{
    static const char *const kinds[] = {"matrix-market", "calculix", "beam"};
    const tn_node *map = tn_node_get(job->doc->root, "source");
    const char *kind = NULL;
    if (!map)
        return tn_job_fail(job, job->doc->root, "job: 'source' is missing");
    TN_TRY(read_units(job));
    if (map->kind != TN_NODE_MAP)
        return tn_node_expected(job->doc, map, "source", "a map");
    TN_TRY(tn_job_text(job, map, "source", "kind", &kind));
    if (strcmp(kind, kinds[0]) == 0)
        TN_TRY(read_markets(job, map));
    else if (strcmp(kind, kinds[1]) == 0)
        TN_TRY(read_calculix(job, map));
    else if (strcmp(kind, kinds[2]) == 0)
        return read_beam_source(job, map);
    else
        return tn_job_fail(job, tn_node_get(map, "kind"), "source: kind is '%.80s'; %s", kind,
                           tn_name_hint(kind, TN_COUNT(kinds), kinds).text);
    return scale_source(job);
}
