// SPDX-License-Identifier: MIT
//
// Geometric stiffness from matrices under load: (K_loaded - K) per unit of the load; see
// reduce_job.h.
//
// Programs that know rotating bodies add to K_loaded what the centrifugal forces of displaced
// points do, M (omega omega^T - |omega|^2) in displacements ("spin softening"). The equations of a
// modal body have that from its inertia already, so it is taken out. It shows by itself: stresses
// alone do not resist displacements of the whole body, this does, with minus its mass.

#include "base/alloc.h"
#include "reduce/matrix_market.h"
#include "reduce/reduce_job.h"
#include "text/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const load_names[] = {
    "rate.xx",        "rate.yy",        "rate.zz",        "rate.xy",   "rate.yz",   "rate.zx",
    "acceleration.x", "acceleration.y", "acceleration.z", "turning.x", "turning.y", "turning.z"};
static const char *const wrench_names[] = {"fx", "fy", "fz", "tx", "ty", "tz"};

// Energy of a displacement of the whole body that is round-off of stored digits, relative.
static const double NO_RESISTANCE = 1e-6;

static tn_status find_load(const tn_reduce_job *job, const tn_node *node, const char *name,
                           tn_fe_geometric *out)
{
    for (int i = 0; i < TN_COUNT(load_names); i++)
        if (strcmp(name, load_names[i]) == 0) {
            out->load = i < 6 ? TN_FE_RATE : i < 9 ? TN_FE_ACCELERATION : TN_FE_TURNING;
            out->component = i < 6 ? i : i % 3;
            return TN_OK;
        }
    const char *dot = strrchr(name, '.');
    for (int a = 0; dot && a < job->nattachment; a++)
        for (int k = 0; k < 6; k++)
            if (strlen(job->attachment[a].name) == (size_t)(dot - name) &&
                strncmp(job->attachment[a].name, name, (size_t)(dot - name)) == 0 &&
                strcmp(dot + 1, wrench_names[k]) == 0) {
                *out = (tn_fe_geometric){TN_FE_ATTACHMENT, k, a, NULL};
                return TN_OK;
            }
    return tn_job_fail(job, node,
                       "geometric: unknown load '%.80s'; there are rate.xx, yy, zz, xy, yz and zx, "
                       "acceleration.x, y and z, turning.x, y and z, and NAME.fx, fy, fz, tx, ty "
                       "and tz of an attachment",
                       name);
}

// Energies of unit displacements of the whole body along the three axes.
static tn_status displace(const tn_fe *fe, const tn_sparse *A, double energy[3], double gross[3])
{
    double *x = tn_alloc((size_t)A->nrow * sizeof(double));
    TN_TRY(tn_got(x));
    for (int d = 0; d < 3; d++) {
        for (int k = 0; k < fe->nnode; k++)
            for (int i = 0; i < 3; i++)
                if (fe->node[k].row[i] >= 0)
                    x[fe->node[k].row[i]] = i == d;
        energy[d] = tn_reduce_energy(A, x, &gross[d]);
    }
    tn_free(x);
    return TN_OK;
}

// Adds M of displacements across `axis`.
static tn_status remove_softening(const tn_fe *fe, int axis, tn_sparse **A)
{
    tn_sparse *sum = NULL;
    bool *across = tn_alloc((size_t)(*A)->nrow * sizeof(bool));
    tn_status s = tn_got(across);
    for (int k = 0; s == TN_OK && k < fe->nnode; k++)
        for (int d = 0; d < 3; d++)
            if (fe->node[k].row[d] >= 0)
                across[fe->node[k].row[d]] = d != axis;
    TN_THEN(s, tn_reduce_sum(1.0, *A, 1.0, fe->M, across, &sum));
    tn_free(across);
    if (s == TN_OK) {
        tn_sparse_destroy(*A);
        *A = sum;
    }
    return s;
}

// Returns true if displacements across the axis are pushed on with the whole mass.
static bool is_softened(const double energy[3], const double mass[3], int axis)
{
    for (int d = 0; d < 3; d++)
        if (fabs(energy[d] + (d == axis ? 0.0 : mass[d])) > 1e-2 * mass[d])
            return false;
    return true;
}

static tn_status check_resistance(const tn_reduce_job *job, const tn_node *node, const char *load,
                                  tn_fe_geometric *g)
{
    double energy[3], gross[3], mass[3], ignored[3];
    TN_TRY(displace(&job->fe, g->K, energy, gross));
    TN_TRY(displace(&job->fe, job->fe.M, mass, ignored));
    if (g->load == TN_FE_RATE && g->component < 3 && is_softened(energy, mass, g->component)) {
        TN_TRY(remove_softening(&job->fe, g->component, &g->K));
        TN_TRY(displace(&job->fe, g->K, energy, gross));
    }
    for (int d = 0; d < 3; d++)
        if (fabs(energy[d]) > NO_RESISTANCE * gross[d])
            return tn_job_fail(job, node,
                               "geometric: under load '%s' the body resists displacements along "
                               "%c (%.3g of the terms of this sum are left): the difference of the "
                               "stiffness matrices is not that of stresses alone",
                               load, 'x' + d, energy[d] / gross[d]);
    return TN_OK;
}

// The loaded stiffness of CalculiX or of a file, or the geometric stiffness itself.
static tn_status read_loaded(const tn_reduce_job *job, const tn_node *map, double value,
                             tn_sparse **out)
{
    const bool calculix = tn_node_get(map, "job"), own = tn_node_get(map, "matrix");
    const char *key = calculix ? "job" : own ? "matrix" : "stiffness";
    char *path = NULL;
    tn_sparse *A = NULL;
    tn_status s = tn_job_path(job, map, "geometric", key, &path);
    TN_THEN(s,
            calculix ? tn_calculix_stiffness(path, &job->fe, &A) : tn_matrix_market_read(path, &A));
    if (s == TN_OK && (A->nrow != job->fe.K->nrow || A->ncol != job->fe.K->ncol))
        s = tn_job_fail(job, map, "geometric: %s is %d x %d; the stiffness matrix is %d x %d", path,
                        A->nrow, A->ncol, job->fe.K->nrow, job->fe.K->ncol);
    TN_THEN(s, tn_job_scale(job, false, A));
    TN_THEN(s, tn_reduce_sum(1.0 / value, A, -1.0 / value, own ? NULL : job->fe.K, NULL, out));
    tn_sparse_destroy(A);
    tn_free(path);
    return s;
}

// Loads that are known, and by that which are not, stand in the source of the file.
static tn_status name_load(tn_reduce_job *job, const char *load)
{
    char *source = tn_format("%s%s%s", job->fe.source,
                             job->fe.ngeometric == 1 ? "; geometric stiffness by " : ", ", load);
    TN_TRY(tn_got(source));
    tn_free(job->fe.source);
    job->fe.source = source;
    return TN_OK;
}

static tn_status read_geometric(tn_reduce_job *job, const tn_node *map, tn_fe_geometric *g)
{
    static const char *const keys[] = {"load", "value", "job", "stiffness", "matrix", NULL};
    const char *load = NULL;
    const tn_node *value = tn_node_get(map, "value");
    double by = 1.0;
    TN_TRY(tn_node_keys(job->doc, map, "geometric", keys));
    TN_TRY(tn_job_text(job, map, "geometric", "load", &load));
    TN_TRY(find_load(job, tn_node_get(map, "load"), load, g));
    if (!value)
        return tn_job_fail(job, map, "geometric: 'value' of load '%s' is missing", load);
    TN_TRY(tn_node_number(job->doc, value, "geometric: value", &by));
    if (by == 0.0)
        return tn_job_fail(job, value, "geometric: value of load '%s' is 0", load);
    const int stated =
        !!tn_node_get(map, "job") + !!tn_node_get(map, "stiffness") + !!tn_node_get(map, "matrix");
    if (stated != 1)
        return tn_job_fail(job, map,
                           "geometric: state one of 'job' (of CalculiX), 'stiffness' "
                           "(under the load) and 'matrix' (the geometric stiffness itself)");
    for (int i = 0; i < job->fe.ngeometric - 1; i++)
        if (job->fe.geometric[i].load == g->load &&
            job->fe.geometric[i].component == g->component &&
            job->fe.geometric[i].attachment == g->attachment)
            return tn_job_fail(job, map, "geometric: load '%s' is stated twice", load);
    TN_TRY(read_loaded(job, map, by, &g->K));
    TN_TRY(check_resistance(job, map, load, g));
    return name_load(job, load);
}

tn_status tn_job_geometric(tn_reduce_job *job)
{
    const tn_node *list = tn_node_get(job->doc->root, "geometric");
    if (list && job->model)
        return tn_job_fail(job, list, "geometric: beams bring their own; leave it out");
    if (job->model)
        return tn_fe_beam_geometric(job->model, job->beam, job->nattachment, job->attachment,
                                    job->wanted.frame, &job->fe);
    if (!list)
        return TN_OK;
    if (list->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(job->doc, list, "geometric", "a list");
    job->fe.geometric = tn_alloc(((size_t)list->count + 1) * sizeof(*job->fe.geometric));
    TN_TRY(tn_got(job->fe.geometric));
    for (int i = 0; i < list->count; i++) {
        job->fe.ngeometric = i + 1;
        TN_TRY(read_geometric(job, list->children[i], &job->fe.geometric[i]));
    }
    return TN_OK;
}
