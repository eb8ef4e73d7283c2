// SPDX-License-Identifier: MIT
//
// Attachments: frames in the place of the freedoms of their nodes.
//
// With R the displacements of its nodes in a rigid motion of the frame (rows: freedoms, columns:
// displacement and rotation of the frame), a rigid tie is u = R y. A tie by the mean is the motion
// y that is nearest to u in the mean of squares,
//
//   y = W u,  W = (R^T D R)^-1 R^T D,  D: weights
//
// so that a force on the frame is spread over the nodes by W^T and stiffens nothing. Six freedoms
// of its nodes are found from it: u_d = W_d^-1 (y - W_i u_i), chosen by pivots.

#include "reduce/reduce.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "linalg/entries.h"

#include <math.h>

// One attachment: its freedoms, and R scaled so that rotations are by the length `size`.
typedef struct tie {
    const tn_fe_attachment *of;
    int n;       // freedoms
    int *row;    // n, in u
    double *D;   // n, weights
    double *R;   // n x 6, columns
    double *W;   // 6 x n, columns; of ties by the mean
    double size; // what a unit rotation moves, in the mean of squares [m]
    int dependent[6];
} tie;

static void tie_clear(tie *t)
{
    TN_FREE(t->row, t->D, t->R, t->W);
}

static tn_status open_tie(const tn_reducer *r, const tn_fe_attachment *a, tie *t)
{
    const tn_fe_node *node = r->fe->node;
    double square = 0.0, u[6];
    *t = (tie){.of = a};
    for (int k = 0; k < a->nnode; k++)
        for (int d = 0; d < 6; d++)
            t->n += node[a->node[k]].row[d] >= 0;
    t->row = tn_alloc(((size_t)t->n + 1) * sizeof(int));
    t->D = tn_alloc(((size_t)t->n + 1) * sizeof(double));
    t->R = tn_alloc((6 * (size_t)t->n + 1) * sizeof(double));
    TN_TRY(tn_got(t->row && t->D && t->R));
    int n = 0;
    for (int k = 0; k < a->nnode; k++) {
        const tn_vec3 arm = tn_v3_sub(node[a->node[k]].x, a->at);
        for (int d = 0; d < 6; d++)
            if (node[a->node[k]].row[d] >= 0) {
                t->row[n] = node[a->node[k]].row[d];
                t->D[n] = a->weight ? a->weight[k] : 1.0;
                for (int m = 0; m < 6; m++) {
                    tn_rigid_motion(m, arm, u);
                    t->R[m * t->n + n] = u[d];
                }
                n++;
            }
    }
    for (int i = 3 * t->n; i < 6 * t->n; i++)
        square += t->R[i] * t->R[i];
    t->size = square > 0.0 ? sqrt(square / (3.0 * a->nnode)) : 1.0;
    return TN_OK;
}

// All six motions of the frame move its nodes, each apart from the others.
static tn_status check_tie(const tie *t)
{
    double *A = tn_alloc((6 * (size_t)t->n + 6) * sizeof(double)), s[6] = {0};
    TN_TRY(tn_got(A));
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < t->n; i++)
            A[k * t->n + i] = t->R[k * t->n + i] / (k < 3 ? 1.0 : t->size);
    tn_status status = t->n >= 6 ? tn_singular_values(t->n, 6, A, s) : TN_OK;
    tn_free(A);
    TN_TRY(status);
    if (s[5] > 1e-6 * s[0])
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "attachment '%s': its %d node%s, without rotations of %s own, %s: the rotation "
                   "of its frame is not known; name at least three nodes that are not on one line",
                   t->of->name, t->of->nnode, t->of->nnode == 1 ? "" : "s",
                   t->of->nnode == 1 ? "its" : "their",
                   t->of->nnode == 1 ? "is one point" : "lie on one line");
}

// W, and which six freedoms are found from the frame.
static tn_status find_mean(tie *t)
{
    double gram[36], b[6], tau[6];
    int pivot[6];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            gram[6 * j + i] = 0.0;
            for (int k = 0; k < t->n; k++)
                gram[6 * j + i] += t->D[k] * t->R[i * t->n + k] * t->R[j * t->n + k];
        }
    t->W = tn_alloc(6 * (size_t)t->n * sizeof(double));
    const int lwork = tn_qr_work(6, t->n);
    double *A = tn_alloc((6 * (size_t)t->n + (size_t)lwork) * sizeof(double));
    int *order = tn_alloc((size_t)t->n * sizeof(int));
    tn_status s = tn_got(t->W && A && order);
    TN_THEN(s, tn_lu_factor(6, gram, pivot));
    for (int i = 0; s == TN_OK && i < t->n; i++) {
        for (int k = 0; k < 6; k++)
            b[k] = t->D[i] * t->R[k * t->n + i];
        tn_lu_solve(6, gram, pivot, b);
        tn_copy(6, b, t->W + 6 * i);
        for (int k = 0; k < 6; k++)
            A[6 * i + k] = b[k] * (k < 3 ? 1.0 : t->size);
    }
    if (s == TN_OK)
        tn_qr_rank(6, t->n, A, 1e-12, order, tau, A + 6 * t->n, lwork);
    for (int k = 0; s == TN_OK && k < 6; k++)
        t->dependent[k] = order[k];
    TN_FREE(A, order);
    return s;
}

static bool is_dependent(const tie *t, int i)
{
    for (int k = 0; k < 6; k++)
        if (t->dependent[k] == i)
            return true;
    return false;
}

// Rows of T of one attachment; place[row] is the column of a free row.
static tn_status put_rigid(const tie *t, int y0, tn_entries *T)
{
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < 6; k++)
            if (t->R[k * t->n + i] != 0.0)
                TN_TRY(tn_entries_add(T, t->row[i], y0 + k, t->R[k * t->n + i]));
    return TN_OK;
}

static tn_status put_mean(const tie *t, int y0, const int *place, tn_entries *T)
{
    double Wd[36], b[6];
    int pivot[6];
    for (int k = 0; k < 6; k++)
        tn_copy(6, t->W + 6 * t->dependent[k], Wd + 6 * k);
    TN_TRY(tn_lu_factor(6, Wd, pivot));
    for (int i = -6; i < t->n; i++) {
        if (i >= 0 && is_dependent(t, i))
            continue;
        for (int k = 0; k < 6; k++)
            b[k] = i < 0 ? k == i + 6 : -t->W[6 * i + k];
        tn_lu_solve(6, Wd, pivot, b);
        for (int k = 0; k < 6; k++)
            if (b[k] != 0.0)
                TN_TRY(tn_entries_add(T, t->row[t->dependent[k]],
                                      i < 0 ? y0 + i + 6 : place[t->row[i]], b[k]));
    }
    return TN_OK;
}

// place[row]: -1 for what is found from frames, else its column.
static tn_status mark_tied(const tn_reducer *r, const tie *ties, int *place)
{
    for (int a = 0; a < r->nattachment; a++)
        for (int i = 0; i < ties[a].n; i++) {
            const int row = ties[a].row[i];
            if (place[row] < 0)
                return tn_fail(TN_ERR_MODEL, "node %d is in attachment '%s' and in attachment '%s'",
                               r->fe->node[r->owner[row]].id, r->attachment[-place[row] - 1].name,
                               r->attachment[a].name);
            place[row] = -a - 1;
        }
    for (int a = 0; a < r->nattachment; a++)
        for (int i = 0; r->attachment[a].mean && i < ties[a].n; i++)
            if (!is_dependent(&ties[a], i))
                place[ties[a].row[i]] = 0;
    return TN_OK;
}

static tn_status fill_T(tn_reducer *r, const tie *ties, int *place, tn_entries *T)
{
    r->ny = 6 * r->nattachment;
    r->nw = 0;
    for (int i = 0; i < r->n; i++)
        if (place[i] >= 0) {
            place[i] = r->ny + r->nw++;
            TN_TRY(tn_entries_add(T, i, place[i], 1.0));
        }
    r->nz = r->ny + r->nw;
    r->first = tn_alloc((size_t)r->nz * sizeof(int));
    TN_TRY(tn_got(r->first));
    for (int i = 0; i < r->n; i++)
        if (place[i] >= 0)
            r->first[place[i]] = i;
    for (int a = 0; a < r->nattachment; a++) {
        for (int k = 0; k < 6; k++)
            r->first[6 * a + k] = ties[a].row[0];
        TN_TRY(r->attachment[a].mean ? put_mean(&ties[a], 6 * a, place, T)
                                     : put_rigid(&ties[a], 6 * a, T));
    }
    return TN_OK;
}

// Rigid motions in z: frames move as their places do.
static tn_status fill_rigid_z(tn_reducer *r)
{
    r->rigid_z = tn_alloc(6 * (size_t)r->nz * sizeof(double));
    TN_TRY(tn_got(r->rigid_z));
    for (int k = 0; k < 6; k++) {
        double *z = r->rigid_z + (size_t)k * (size_t)r->nz;
        for (int i = r->ny; i < r->nz; i++)
            z[i] = r->rigid[(size_t)k * (size_t)r->n + (size_t)r->first[i]];
        for (int a = 0; a < r->nattachment; a++)
            tn_rigid_motion(k, r->attachment[a].at, z + 6 * a);
    }
    return TN_OK;
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

// All nodes hang together, by elements or by attachments. Freedoms of a node go together: those of
// a straight bar along x have nothing to do with y.
static tn_status check_connected(const tn_reducer *r)
{
    const int nnode = r->fe->nnode, n = nnode + r->nattachment;
    int *parent = tn_alloc(2 * (size_t)n * sizeof(int));
    TN_TRY(tn_got(parent));
    int *count = parent + n;
    for (int i = 0; i < n; i++)
        parent[i] = i;
    const tn_sparse *K = r->fe->K;
    for (int j = 0; j < K->ncol; j++)
        for (int k = K->colptr[j]; k < K->colptr[j + 1]; k++)
            if (K->val[k] != 0.0)
                parent[root_of(parent, r->owner[j])] = root_of(parent, r->owner[K->rowind[k]]);
    for (int a = 0; a < r->nattachment; a++)
        for (int k = 0; k < r->attachment[a].nnode; k++)
            parent[root_of(parent, r->attachment[a].node[k])] = root_of(parent, nnode + a);
    for (int i = 0; i < r->n; i++) // nodes without rows are none of the body
        if (i == 0 || r->owner[i] != r->owner[i - 1])
            count[root_of(parent, r->owner[i])]++;
    const int main_part = root_of(parent, r->owner[0]);
    int parts = 0, other = -1;
    for (int i = 0; i < n; i++)
        parts += count[i] > 0;
    for (int i = 0; i < r->n && other < 0; i++)
        if (root_of(parent, r->owner[i]) != main_part)
            other = r->owner[i];
    tn_status s = TN_OK;
    if (parts > 1)
        s = tn_fail(TN_ERR_MODEL,
                    "the mesh is in %d parts that nothing connects: node %d and node %d are in "
                    "different ones; join them, or reduce them one by one",
                    parts, r->fe->node[r->owner[0]].id, r->fe->node[other].id);
    tn_free(parent);
    return s;
}

static tn_status project_matrices(tn_reducer *r)
{
    TN_TRY(tn_cholmod_project(r->fe->K, r->T, &r->K));
    TN_TRY(tn_cholmod_project(r->fe->M, r->T, &r->M));
    TN_TRY(tn_sparse_part(r->K, r->ny, r->nw, r->ny, r->nw, &r->Kww));
    TN_TRY(tn_sparse_part(r->K, r->ny, r->nw, 0, r->ny, &r->Kwy));
    return tn_sparse_part(r->M, r->ny, r->nw, r->ny, r->nw, &r->Mww);
}

tn_status tn_reduce_tie(tn_reducer *r)
{
    tie *ties = tn_alloc(((size_t)r->nattachment + 1) * sizeof(*ties));
    int *place = tn_alloc((size_t)r->n * sizeof(int));
    tn_entries T = {0};
    tn_status s = tn_got(ties && place);
    for (int a = 0; s == TN_OK && a < r->nattachment; a++) {
        s = open_tie(r, &r->attachment[a], &ties[a]);
        TN_THEN(s, check_tie(&ties[a]));
        if (r->attachment[a].mean)
            TN_THEN(s, find_mean(&ties[a]));
    }
    TN_THEN(s, check_connected(r));
    TN_THEN(s, mark_tied(r, ties, place));
    TN_THEN(s, fill_T(r, ties, place, &T));
    TN_THEN(s, tn_entries_finish(&T, r->n, r->nz, &r->T));
    TN_THEN(s, fill_rigid_z(r));
    TN_THEN(s, project_matrices(r));
    for (int a = 0; ties && a < r->nattachment; a++)
        tie_clear(&ties[a]);
    tn_entries_clear(&T);
    TN_FREE(ties, place);
    return s;
}
