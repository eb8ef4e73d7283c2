// SPDX-License-Identifier: MIT
//
// Joints between the same two bodies that share loads which the equations do not determine: of all
// loads w_j that the rows of the joints can carry and that sum to what all of them carry together,
// those with the least
//
//   sum_j (|f_j|^2 + |m_j|^2 / L^2) / k_j
//
// with force f_j and moment m_j about the origin of frame B of the joint, the stiffness k_j that
// the joint states, and the largest distance L of these origins. That is the load of rigid bodies
// on elastic joints, by forces with the stiffness k_j and by moments with k_j L^2: with an
// orthonormal basis b of the loads of joint j, seen from body B,
//
//   S = sum_j k_j b b^T,   S u = W,   w_j = k_j b b^T u = P_j W
//
// S is singular along free motions, where W has no part: REGULAR of its trace is added.

#include "system/absolute_parts.h"

#include "linalg/dense.h"

#include <math.h>

static const double REGULAR = 1e-13; // loads are shared to that times the condition of S
static const double DEPENDS = 1e-9;  // rows of a joint that repeat others of it

static tn_status check_share(const absolute *s, const abs_joint *j, int n)
{
    const tn_model *model = s->model;
    const char *name = model->joints.at[j->model_index].name;
    if (n > ABS_SHARING)
        return tn_fail(TN_ERR_MODEL,
                       "joint '%s': more than %d joints between its bodies share loads", name,
                       ABS_SHARING);
    if (n < 2)
        return tn_fail(TN_ERR_MODEL,
                       "joint '%s': share is for joints beside others, and no other joint between "
                       "its bodies, stated in the same order, has it",
                       name);
    return TN_OK;
}

static double share_length(const absolute *s, const abs_joint *j)
{
    double most = 0.0;
    for (int a = 0; a < j->nshare; a++)
        for (int b = 0; b < a; b++) {
            const tn_vec3 d = tn_v3_sub(s->pair[s->joint[j->share[a]].own_pair].fb.p,
                                        s->pair[s->joint[j->share[b]].own_pair].fb.p);
            most = fmax(most, tn_v3_norm(d));
        }
    return most > 0.0 ? most : 1.0 / s->model->units.length;
}

tn_status tn_absolute_link_shares(absolute *s)
{
    const tn_model *model = s->model;
    for (int k = 0; k < model->joints.count; k++) {
        const tn_joint_def *def = model->joints.at[k].def;
        abs_joint *j = &s->joint[k];
        int n = 0;
        for (int i = 0; def->share > 0.0 && i < model->joints.count; i++) {
            const tn_joint_def *other = model->joints.at[i].def;
            if (other->share > 0.0 && other->body_a.index == def->body_a.index &&
                other->body_b.index == def->body_b.index && n++ < ABS_SHARING)
                j->share[n - 1] = i;
        }
        if (def->share > 0.0)
            TN_TRY(check_share(s, j, n));
        j->nshare = n;
    }
    for (int k = 0; k < model->joints.count; k++)
        if (s->joint[k].nshare > 0)
            s->joint[k].share_length = share_length(s, &s->joint[k]);
    return TN_OK;
}

// Load of row i of a joint on body B, at its reference point.
static void row_load(const absolute *s, const abs_joint *j, int i, double out[6])
{
    tn_zero(6, out);
    for (int k = 0; k < j->row[i].nterm; k++) {
        double all[12];
        tn_row_gradient(&j->row[i].term[k].row, &s->pair[j->row[i].term[k].pair].at, all);
        tn_axpy(6, j->row[i].term[k].coefficient, all + 6, out);
    }
}

// From the reference point to the origin of frame B, moments over L, and back.
static void to_origin(tn_vec3 r, double L, double x[6])
{
    const tn_vec3 m = tn_v3_sub(tn_v3_from(x + 3), tn_v3_cross(r, tn_v3_from(x)));
    tn_v3_to(tn_v3_scale(1.0 / L, m), x + 3);
}

static void to_reference(tn_vec3 r, double L, double x[6])
{
    const tn_vec3 m = tn_v3_axpy(L, tn_v3_from(x + 3), tn_v3_cross(r, tn_v3_from(x)));
    tn_v3_to(tn_v3_scale(1.0 / L, m), x + 3);
}

// Adds k b b^T of all loads of a joint, moments over L.
static void add_loads(const absolute *s, const abs_joint *j, double k, double L, double *S)
{
    double basis[TN_JOINT_MAX_ROWS][6];
    const tn_vec3 r = s->pair[j->own_pair].at.b.r;
    int n = 0;
    for (int i = 0; i < j->nrow; i++) {
        double *x = basis[n];
        row_load(s, j, i, x);
        to_origin(r, L, x);
        const double size = tn_norm2(6, x);
        for (int pass = 0; pass < 2; pass++) // once more, against round-off
            for (int m = 0; m < n; m++)
                tn_axpy(6, -tn_dot(6, basis[m], x), basis[m], x);
        const double left = tn_norm2(6, x);
        if (left <= DEPENDS * size)
            continue;
        tn_scale(6, 1.0 / left, x);
        n++;
    }
    for (int m = 0; m < n; m++) {
        to_reference(r, L, basis[m]);
        for (int c = 0; c < 6; c++)
            tn_axpy(6, k * basis[m][c], basis[m], S + 6 * c);
    }
}

void tn_absolute_share(const absolute *s, const abs_joint *j, abs_share_loads *out)
{
    const double L = j->share_length;
    double S[36] = {0}, own[36] = {0}, trace = 0.0;
    out->n = 0;
    for (int k = 0; k < j->nshare; k++) {
        const abs_joint *other = &s->joint[j->share[k]];
        const double stiffness = s->model->joints.at[j->share[k]].def->share;
        add_loads(s, other, stiffness, L, S);
        if (other == j)
            add_loads(s, other, stiffness, L, own);
        for (int i = 0; i < other->nrow; i++, out->n++) {
            out->row[out->n] = other->row0 + i;
            row_load(s, other, i, out->w[out->n]);
        }
    }
    for (int i = 0; i < 6; i++)
        trace += S[7 * i];
    for (int i = 0; i < 6; i++)
        S[7 * i] += REGULAR * trace;
    const tn_status status = tn_cholesky(6, S, 0.0);
    for (int i = 0; i < out->n && status == TN_OK; i++) {
        double u[6], *w = out->w[i];
        tn_copy(6, w, u);
        tn_scale(3, 1.0 / L, u + 3);
        tn_lower_solve(6, S, u);
        tn_lower_solve_t(6, S, u);
        tn_zero(6, w);
        for (int c = 0; c < 6; c++)
            tn_axpy(6, u[c], own + 6 * c, w);
        tn_scale(3, L, w + 3);
    }
}
