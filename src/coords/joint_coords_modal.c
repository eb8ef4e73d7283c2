// SPDX-License-Identifier: MIT
//
// Modal bodies in joint coordinates: frames and amplitudes stand free in the tree, so that their
// coordinates are those of absolute ones, and so are the matrices of their own (absolute_modal.c).
// The tree moves attachments, which joints may carry, with the columns J of their twists and P =
// d(J v)/dq; rows hold them to their frame (absolute_attachment.c). Couplings of frame and
// amplitudes enter no recursion: such systems go by matrices alone.

#include "coords/joint_coords_parts.h"

#include "linalg/dense.h"

void tn_joint_coords_modal_layout(joint_coords *s, tn_carve *mem)
{
    const absolute *w = s->base.world;
    s->modal = tn_carve_bytes(mem, sizeof *s->modal * (size_t)w->nmodal);
    s->attachment = tn_carve_bytes(mem, sizeof *s->attachment * (size_t)w->nattachment);
    for (int k = 0; k < w->nmodal; k++) {
        int *v = tn_carve_ints(mem, 6 + w->modal[k].x.m);
        if (s->modal)
            s->modal[k].v = v;
    }
    for (int k = 0; k < w->nattachment; k++) {
        const int n = 6 * (6 + w->modal[w->attachment[k].modal].x.m);
        joint_coords_attachment at;
        TN_CARVE_INTS(mem, n, &at.at_B, &at.at_Z);
        if (s->attachment)
            s->attachment[k] = at;
    }
}

void tn_joint_coords_modal_places(joint_coords *s)
{
    for (int k = 0; k < s->base.world->nmodal; k++) {
        const abs_modal *e = &s->base.world->modal[k];
        const tn_tree_body *frame = &s->tree->body[s->tree->place[e->frame]];
        TN_ASSERT(frame->joint < 0 && frame->nv == 6);
        for (int i = 0; i < 6; i++)
            s->modal[k].v[i] = frame->v0 + i;
        for (int j = 0; j < e->x.m; j++)
            s->modal[k].v[6 + j] = s->tree->body[s->tree->place[e->amplitude + j]].v0;
    }
}

void tn_joint_coords_modal_find(joint_coords *s)
{
    const absolute *w = s->base.world;
    for (int k = 0; k < s->nset; k++) {
        const abs_attachment *at = w->joint[s->set[k].joint].attachment;
        if (!at)
            continue;
        const int n = 6 + w->modal[at->modal].x.m, *v = s->modal[at->modal].v;
        joint_coords_attachment *to = &s->attachment[at - w->attachment];
        tn_modal_entries(s->base.block[TN_BLOCK_B], 6, s->set[k].row0, NULL, n, v, to->at_B);
        tn_modal_entries(s->base.block[TN_BLOCK_Z], 6, s->set[k].row0, NULL, n, v, to->at_Z);
    }
}

// A (n x n, row major) into a full matrix of the system.
static void add_square(const joint_coords *s, int n, const int *v, const double *A, int ld,
                       double *to)
{
    const size_t nv = (size_t)s->base.nv;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            to[(size_t)v[i] + nv * (size_t)v[j]] += A[i * ld + j];
}

void tn_joint_coords_modal_mass(joint_coords *s, double *M)
{
    for (int k = 0; k < s->base.world->nmodal; k++) {
        abs_modal *e = &s->base.world->modal[k];
        const int n = 6 + e->x.m;
        tn_modal_see(s->base.world, e);
        tn_modal_mass(s->base.world, e, e->M);
        add_square(s, n, s->modal[k].v, e->M, n, M);
    }
}

static const double *accelerations(const joint_coords *s, int k, const double *a)
{
    abs_modal *e = &s->base.world->modal[k];
    for (int i = 0; a && i < 6 + e->x.m; i++)
        e->a[i] = a[s->modal[k].v[i]];
    return a ? e->a : NULL;
}

void tn_joint_coords_modal_force(joint_coords *s, const double *a)
{
    for (int k = 0; k < s->base.world->nmodal; k++) {
        abs_modal *e = &s->base.world->modal[k];
        tn_modal_see(s->base.world, e);
        tn_modal_residual(s->base.world, e, accelerations(s, k, a), e->work);
        for (int i = 0; i < 6 + e->x.m; i++)
            s->base.f[s->modal[k].v[i]] -= e->work[i];
    }
}

void tn_joint_coords_modal_tangent(joint_coords *s, const double *a)
{
    for (int k = 0; k < s->base.world->nmodal; k++) {
        abs_modal *e = &s->base.world->modal[k];
        const int n = 6 + e->x.m;
        tn_modal_see(s->base.world, e);
        tn_modal_tangent(s->base.world, e, accelerations(s, k, a), e->K, e->D);
        add_square(s, n, s->modal[k].v, e->K, n, s->K);
        add_square(s, n, s->modal[k].v, e->D, n, s->D);
    }
}

// Rows --------------------------------------------------------------------------------------------

void tn_joint_coords_attachment_rows(joint_coords *s, const joint_coords_rows *set,
                                     abs_attachment *at, unsigned want)
{
    tn_system *sys = &s->base;
    const int row0 = set->row0, m = s->base.world->modal[at->modal].x.m, w = 6 + m, n = 12 + m;
    const tn_tree_end *end = joint_coords_attachment_end(s, set, at);
    const joint_coords_attachment *own = &s->attachment[at - s->base.world->attachment];
    tn_attachment_rows(s->base.world, at, want, NULL, sys->g + row0, sys->gdot + row0,
                       sys->gamma + row0);
    if (want & TN_EVAL_GAMMA) {
        const tn_twist a = tn_joint_coords_acceleration(s, end->place);
        for (int i = 0; i < set->nrow; i++)
            sys->gamma[row0 + i] += abs_along(at->G + i * n + w, a);
    }
    if (!(want & TN_EVAL_B))
        return;
    double *B = sys->block[TN_BLOCK_B]->val;
    tn_tree_variation(s->tree, end->place, s->arm[at->body], s->index[0], s->J[0], NULL);
    for (int i = 0; i < set->nrow; i++) {
        for (int j = 0; j < w; j++)
            B[own->at_B[i * w + j]] += at->G[i * n + j];
        for (int c = 0; c < end->n; c++)
            B[end->at[c] + i] += abs_along(at->G + i * n + w, s->J[0][c]);
    }
}

static void attachment_rates(joint_coords *s, const joint_coords_rows *set,
                             const abs_attachment *at)
{
    const int m = s->base.world->modal[at->modal].x.m, w = 6 + m, n = 12 + m;
    const tn_tree_end *end = joint_coords_attachment_end(s, set, at);
    const joint_coords_attachment *own = &s->attachment[at - s->base.world->attachment];
    double *Z = s->base.block[TN_BLOCK_Z]->val;
    for (int i = 0; i < set->nrow; i++) {
        const double *z = at->Z + i * n, *G = at->G + i * n;
        for (int j = 0; j < w; j++)
            Z[own->at_Z[i * w + j]] += z[j];
        for (int c = 0; c < end->n; c++)
            Z[end->at[c] + i] += abs_along(z + w, s->J[0][c]) + abs_along(G + w, s->P[0][c]);
    }
}

void tn_joint_coords_attachment_tangent(joint_coords *s, const joint_coords_rows *set,
                                        abs_attachment *at, const double *lambda)
{
    const int m = s->base.world->modal[at->modal].x.m, w = 6 + m, n = 12 + m;
    const int *v = s->modal[at->modal].v;
    const size_t nv = (size_t)s->base.nv;
    tn_attachment_rows(s->base.world, at, TN_EVAL_TANGENT, lambda, NULL, NULL, NULL);
    const int columns = tn_joint_coords_variation(s, 0, at->body);
    attachment_rates(s, set, at);
    add_square(s, w, v, at->K, n, s->K);
    for (int c = 0; c < columns; c++) {
        const tn_twist J = s->J[0][c];
        const double x[6] = {J.v.x, J.v.y, J.v.z, J.w.x, J.w.y, J.w.z};
        const size_t own = (size_t)s->index[0][c];
        for (int i = 0; i < w; i++) {
            s->K[(size_t)v[i] + nv * own] += tn_dot(6, at->K + i * n + w, x);
            for (int k = 0; k < 6; k++)
                s->K[own + nv * (size_t)v[i]] += x[k] * at->K[(w + k) * n + i];
        }
        double y[6];
        for (int k = 0; k < 6; k++)
            y[k] = tn_dot(6, at->K + (w + k) * n + w, x);
        for (int d = 0; d < columns; d++)
            s->K[(size_t)s->index[0][d] + nv * own] += abs_along(y, s->J[0][d]);
    }
}
