// SPDX-License-Identifier: MIT
//
// Rows that hold an attachment of a modal body: those of a fixed joint (row/row.h) between its
// own body and the place where frame and modes have it. In axes of the frame that place is
//
//   arm = arm_0 + Phi q - 1/2 q^T Kl q,   turn = Psi q - 1/2 q^T Km q,   axes exp(turn) R_0
//
// (flex/modal_body.h). It moves as a frame of its own, with the world twist V = L v of the
// coordinates v = (frame, amplitudes),
//
//   V = (R (U + W x arm + Phi~ r), R (W + T turn')),   turn' = Psi~ r,
//
// T the left Jacobian of the exponential and Phi~, Psi~ derivatives by q. With gradient G and
// second derivative H of a row by the twists of both frames (V, V_b), and P = d(L v)/dq,
//
//   B = G_a L,   Z = (V, V_b)^T H L + G_a P,   g'' = B v' + Z v
//   d(B^T lambda)/dq = L^T H_lambda L + d(L^T)/dq G_a^T lambda

#include "system/absolute_modal.h"

#include "flex/modal_body.h"
#include "lie/coefficients.h"
#include "lie/so3.h"
#include "linalg/dense.h"

void tn_attachment_layout(abs_attachment *at, int m, tn_carve *mem)
{
    const int n = 12 + m;
    at->modes = tn_carve_doubles(mem, 6 * m);
    TN_CARVE_DOUBLES(mem, 6 * (6 + m), &at->L, &at->P);
    TN_CARVE_DOUBLES(mem, 6 * n, &at->G, &at->Z);
    at->K = tn_carve_doubles(mem, n * n);
    at->coordinate = tn_carve_ints(mem, n);
    TN_CARVE_INTS(mem, 6 * n, &at->at_B, &at->at_Z);
    at->at_K = tn_carve_ints(mem, n * n);
}

// Derivative of T(x) y by x, T(x) y = y + alpha1 x x y + alpha2 x x (x x y).
static tn_mat3 left_derivative(tn_vec3 x, tn_vec3 y)
{
    const double s = tn_v3_dot(x, x), a2 = tn_lie_alpha2(s);
    const tn_vec3 c = tn_v3_cross(x, y), cc = tn_v3_cross(x, c);
    tn_mat3 A = tn_m3_scale(-tn_lie_alpha1(s), tn_m3_skew(y));
    const tn_vec3 by = tn_v3_axpy(tn_lie_beta1(s), c, tn_v3_scale(tn_lie_beta2(s), cc));
    A = tn_m3_axpy(1.0, tn_m3_outer(by, x), A);
    A = tn_m3_axpy(a2, tn_m3_outer(x, y), A);
    A = tn_m3_axpy(-2.0 * a2, tn_m3_outer(y, x), A);
    return tn_m3_axpy(a2 * tn_v3_dot(x, y), tn_m3_identity, A);
}

// Displacement (0) or turn (1) per unit of amplitude j.
static tn_vec3 mode(const abs_attachment *at, int m, int part, int j)
{
    const double *x = at->modes + 3 * part * m + j;
    return tn_v3(x[0], x[m], x[2 * m]);
}

// sum of r_i bend_ij, by which `mode` changes, for displacement or turn.
static tn_vec3 bend_rate(const tn_modal_attachment_numbers *attachment, int m, int part,
                         const double *r, int j)
{
    double x[3] = {0};
    for (int k = 0; attachment->bend && k < 3; k++)
        x[k] = tn_dot(m, attachment->bend + ((3 * part + k) * m + j) * m, r);
    return tn_v3_from(x);
}

void tn_attachment_place(absolute *s, abs_attachment *at)
{
    abs_modal *e = &s->modal[at->modal];
    const int m = e->x.m;
    const tn_modal_attachment_numbers *attachment = &e->x.attachment[at->number];
    for (int j = 0; j < m; j++)
        e->q[j] = s->body[e->amplitude + j].p.x;
    const tn_modal_place place = tn_modal_place_at(&e->x, at->number, e->q);
    at->arm = place.arm;
    at->turn = place.turn;
    at->R = tn_m3_mul(tn_so3_exp(place.turn), attachment->R);
    tn_copy(6 * m, attachment->modes, at->modes);
    for (int i = 0; attachment->bend && i < 6; i++)
        for (int j = 0; j < m; j++)
            at->modes[i * m + j] -= tn_dot(m, attachment->bend + (i * m + j) * m, e->q);
}

void tn_attachment_end(const absolute *s, const abs_attachment *at, tn_end *end)
{
    const abs_body *b = &s->body[s->modal[at->modal].frame];
    end->r = tn_m3_apply(b->R, at->arm);
    end->x.p = tn_v3_add(b->p, end->r);
    end->x.R = tn_m3_mul(b->R, at->R);
    end->V = b->V;
}

// Row-major 6 x w matrix: column j.
static void put_column(double *A, int w, int j, tn_vec3 v, tn_vec3 t)
{
    const double x[6] = {v.x, v.y, v.z, t.x, t.y, t.z};
    for (int i = 0; i < 6; i++)
        A[i * w + j] = x[i];
}

static tn_vec3 unit(int k)
{
    return tn_v3(k == 0, k == 1, k == 2);
}

// L, P and the twist of the place.
static void move_attachment(absolute *s, abs_attachment *at)
{
    abs_modal *e = &s->modal[at->modal];
    const tn_modal_attachment_numbers *attachment = &e->x.attachment[at->number];
    const abs_body *b = &s->body[e->frame];
    const int m = e->x.m, w = 6 + m;
    const tn_vec3 none = {0, 0, 0}, U = tn_m3_apply_t(b->R, b->V.v),
                  W = tn_m3_apply_t(b->R, b->V.w);
    tn_vec3 slide = none, turning = none; // Phi~ r, turn'
    for (int j = 0; j < m; j++) {
        e->r[j] = s->body[e->amplitude + j].V.v.x;
        slide = tn_v3_axpy(e->r[j], mode(at, m, 0, j), slide);
        turning = tn_v3_axpy(e->r[j], mode(at, m, 1, j), turning);
    }
    at->left = tn_m3_transpose(tn_so3_tangent(at->turn));
    const tn_mat3 change = left_derivative(at->turn, turning);
    const tn_vec3 carried = tn_v3_add(tn_v3_cross(W, at->arm), slide);
    const tn_vec3 spin = tn_v3_add(W, tn_m3_apply(at->left, turning));
    at->V.v = tn_v3_add(b->V.v, tn_m3_apply(b->R, carried));
    at->V.w = tn_m3_apply(b->R, spin);
    const tn_vec3 seen = b->se3 ? tn_v3_add(U, carried) : carried;
    for (int k = 0; k < 3; k++) {
        const tn_vec3 x = unit(k), turned = tn_m3_apply(b->R, x);
        put_column(at->L, w, k, b->se3 ? turned : x, none);
        put_column(at->L, w, 3 + k, tn_m3_apply(b->R, tn_v3_cross(x, at->arm)), turned);
        put_column(at->P, w, k, none, none);
        put_column(at->P, w, 3 + k, tn_m3_apply(b->R, tn_v3_cross(x, seen)),
                   tn_m3_apply(b->R, tn_v3_cross(x, spin)));
    }
    for (int j = 0; j < m; j++) {
        const tn_vec3 move = mode(at, m, 0, j), turn = mode(at, m, 1, j);
        put_column(at->L, w, 6 + j, tn_m3_apply(b->R, move),
                   tn_m3_apply(b->R, tn_m3_apply(at->left, turn)));
        const tn_vec3 v = tn_v3_sub(tn_v3_cross(W, move), bend_rate(attachment, m, 0, e->r, j));
        const tn_vec3 t = tn_v3_sub(tn_m3_apply(change, turn),
                                    tn_m3_apply(at->left, bend_rate(attachment, m, 1, e->r, j)));
        put_column(at->P, w, 6 + j, tn_m3_apply(b->R, v), tn_m3_apply(b->R, t));
    }
}

// A block of rows and columns of frame and amplitudes in K.
static void add_square(double *K, int n, int row, int col, tn_mat3 A)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K[(row + i) * n + col + j] += A.m[i][j];
}

static void add_row(double *K, tn_vec3 x)
{
    K[0] += x.x;
    K[1] += x.y;
    K[2] += x.z;
}

// d(L^T)/dq w of a world wrench w at the place.
static void add_turned_wrench(const absolute *s, const abs_attachment *at, const double *w,
                              double *K)
{
    const abs_modal *e = &s->modal[at->modal];
    const tn_modal_attachment_numbers *attachment = &e->x.attachment[at->number];
    const abs_body *b = &s->body[e->frame];
    const int m = e->x.m, n = 12 + m;
    const tn_vec3 f = tn_m3_apply_t(b->R, tn_v3_from(w)),
                  t = tn_m3_apply_t(b->R, tn_v3_from(w + 3));
    const tn_mat3 F = tn_m3_skew(f), T = tn_m3_skew(t);
    const tn_mat3 change = tn_m3_scale(-1.0, left_derivative(tn_v3_neg(at->turn), t));
    const tn_vec3 turning = tn_m3_apply_t(at->left, t);
    const double load[6] = {f.x, f.y, f.z, turning.x, turning.y, turning.z};
    if (b->se3)
        add_square(K, n, 0, 3, F);
    add_square(K, n, 3, 3, tn_m3_axpy(1.0, tn_m3_mul(tn_m3_skew(at->arm), F), T));
    for (int j = 0; j < m; j++) {
        const tn_vec3 move = mode(at, m, 0, j), turn = mode(at, m, 1, j);
        const tn_vec3 arm = tn_v3_cross(move, f);
        K[3 * n + 6 + j] += arm.x;
        K[4 * n + 6 + j] += arm.y;
        K[5 * n + 6 + j] += arm.z;
        add_row(K + (6 + j) * n + 3, tn_m3_apply_t(F, move));
        add_row(K + (6 + j) * n + 3, tn_m3_apply_t(T, tn_m3_apply(at->left, turn)));
        for (int i = 0; i < m; i++) {
            double x = tn_v3_dot(mode(at, m, 1, i), tn_m3_apply(change, turn));
            for (int k = 0; attachment->bend && k < 6; k++)
                x -= load[k] * attachment->bend[(k * m + i) * m + j];
            K[(6 + i) * n + 6 + j] += x;
        }
    }
}

// K = (L, I)^T H (L, I), by the twists of both ends.
static void add_curvature(const abs_attachment *at, int m, double (*H)[12], double *K)
{
    const int w = 6 + m, n = 12 + m;
    for (int j = 0; j < n; j++) {
        double x[12];
        for (int i = 0; i < 12; i++) {
            x[i] = j < w ? 0.0 : H[i][6 + j - w];
            for (int k = 0; k < 6 && j < w; k++)
                x[i] += H[i][k] * at->L[k * w + j];
        }
        for (int i = 0; i < n; i++) {
            double y = i < w ? 0.0 : x[6 + i - w];
            for (int k = 0; k < 6 && i < w; k++)
                y += at->L[k * w + i] * x[k];
            K[i * n + j] += y;
        }
    }
}

static double along(const double *x, const double *A, int w, int j) // column j of a 6 x w matrix
{
    double sum = 0.0;
    for (int k = 0; k < 6; k++)
        sum += x[k] * A[k * w + j];
    return sum;
}

// B and Z of row i, and its part in H_lambda and G^T lambda.
static void attachment_row(abs_attachment *at, const abs_modal *e, const tn_pair *pair, int i,
                           bool curved, double lambda, double (*H)[12], double *wrench)
{
    const int m = e->x.m, w = 6 + m, n = 12 + m;
    double own[12][12] = {{0}}, G[12], V[12], Z[12] = {0};
    tn_row_gradient(&tn_fixed_rows[i], pair, G);
    if (curved)
        tn_row_hessian(&tn_fixed_rows[i], pair, 1.0, own);
    tn_pair_twists(pair, V);
    for (int a = 0; a < 12 && curved; a++) {
        tn_axpy(12, V[a], own[a], Z);
        tn_axpy(12, lambda, own[a], H[a]);
    }
    tn_axpy(12, lambda, G, wrench);
    for (int j = 0; j < w; j++) {
        at->G[i * n + j] = along(G, at->L, w, j);
        at->Z[i * n + j] = along(Z, at->L, w, j) + along(G, at->P, w, j);
    }
    tn_copy(6, G + 6, at->G + i * n + w);
    tn_copy(6, Z + 6, at->Z + i * n + w);
}

// Velocities of the columns: coordinates of frame and amplitudes, world twist of the attachment.
static double column_rate(const absolute *s, const abs_attachment *at, int j)
{
    const abs_modal *e = &s->modal[at->modal];
    const abs_body *b = &s->body[e->frame], *end = &s->body[at->body];
    const tn_vec3 u = b->se3 ? tn_m3_apply_t(b->R, b->V.v) : b->V.v,
                  W = tn_m3_apply_t(b->R, b->V.w);
    const double frame[6] = {u.x, u.y, u.z, W.x, W.y, W.z};
    const double twist[6] = {end->V.v.x, end->V.v.y, end->V.v.z,
                             end->V.w.x, end->V.w.y, end->V.w.z};
    return j < 6 ? frame[j] : j < 6 + e->x.m ? e->r[j - 6] : twist[j - 6 - e->x.m];
}

void tn_attachment_rows(absolute *s, abs_attachment *at, unsigned want, const double *lambda,
                        double *g, double *gdot, double *gamma)
{
    const abs_modal *e = &s->modal[at->modal];
    const int m = e->x.m, n = 12 + m;
    tn_pair pair = s->pair[at->pair].at;
    double H[12][12] = {{0}}, wrench[12] = {0};
    const bool tangent = want & TN_EVAL_TANGENT;
    for (int i = 0; i < TN_FIXED_ROWS && want & TN_EVAL_G; i++)
        g[i] = tn_row_value(&tn_fixed_rows[i], &pair, 0.0);
    if (!(want & (TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA | TN_EVAL_TANGENT)))
        return;
    move_attachment(s, at);
    pair.a.r = (tn_vec3){0};
    pair.a.V = at->V;
    for (int i = 0; i < TN_FIXED_ROWS; i++) {
        attachment_row(at, e, &pair, i, want & (TN_EVAL_GAMMA | TN_EVAL_TANGENT),
                       tangent ? lambda[i] : 0.0, H, wrench);
        double rate = 0.0, bend = 0.0;
        for (int j = 0; j < n; j++) {
            const double v = column_rate(s, at, j);
            rate += at->G[i * n + j] * v;
            bend += at->Z[i * n + j] * v;
        }
        if (want & TN_EVAL_GDOT)
            gdot[i] = rate;
        if (want & TN_EVAL_GAMMA)
            gamma[i] = bend;
    }
    if (tangent) {
        tn_zero(n * n, at->K);
        add_curvature(at, m, H, at->K);
        add_turned_wrench(s, at, wrench, at->K);
    }
}

// In the blocks of the system ---------------------------------------------------------------------

void tn_absolute_build_attachments(absolute *s)
{
    int n = 0;
    for (int k = 0; k < s->nmodal; k++)
        for (int i = 0; i < s->modal[k].x.nattachment; i++, n++) {
            abs_attachment *at = &s->attachment[n];
            at->modal = k;
            at->number = i;
            at->joint = s->modal[k].from->joint + i;
            at->body = s->modal[k].from->attachment + i;
            at->pair = s->joint[at->joint].own_pair;
            s->joint[at->joint].attachment = at;
            s->pair[at->pair].attachment = at;
        }
}

void tn_absolute_link_attachments(absolute *s)
{
    for (int k = 0; k < s->nattachment; k++) {
        abs_attachment *at = &s->attachment[k];
        const abs_modal *e = &s->modal[at->modal];
        const int m = e->x.m, n = 12 + m, row0 = s->joint[at->joint].row0;
        tn_sparse *const *block = s->base.block;
        for (int j = 0; j < n; j++)
            at->coordinate[j] = j < 6 + m ? e->coordinate[j] : s->body[at->body].v0 + j - 6 - m;
        tn_modal_entries(block[TN_BLOCK_K], n, 0, at->coordinate, n, at->coordinate, at->at_K);
        tn_modal_entries(block[TN_BLOCK_B], TN_FIXED_ROWS, row0, NULL, n, at->coordinate, at->at_B);
        tn_modal_entries(block[TN_BLOCK_Z], TN_FIXED_ROWS, row0, NULL, n, at->coordinate, at->at_Z);
    }
}

// The columns of the attachment from its world twist to its coordinates, by V = J v and, for
// derivatives, dV = d(J v): in place, for rows of length n.
static void project_ends(const abs_body *b, int rows, int n, double *A, const double *rate)
{
    for (int i = 0; i < rows; i++) {
        double *x = A + i * n + n - 6;
        tn_vec3 v = tn_v3_from(x), w = tn_m3_apply_t(b->R, tn_v3_from(x + 3));
        if (b->se3)
            v = tn_m3_apply_t(b->R, v);
        if (rate) { // + G J_q
            const double *G = rate + i * n + n - 6;
            w = tn_v3_add(w, tn_v3_cross(b->W, tn_m3_apply_t(b->R, tn_v3_from(G + 3))));
            if (b->se3)
                w = tn_v3_add(w, tn_v3_cross(b->U, tn_m3_apply_t(b->R, tn_v3_from(G))));
        }
        tn_v3_to(v, x);
        tn_v3_to(w, x + 3);
    }
}

static void project_rows(const abs_body *b, int n, double *K)
{
    for (int j = 0; j < n; j++) {
        double *x = K + (n - 6) * n + j;
        const tn_vec3 f = {x[0], x[n], x[2 * n]}, t = {x[3 * n], x[4 * n], x[5 * n]};
        double y[6];
        tn_v3_to(b->se3 ? tn_m3_apply_t(b->R, f) : f, y);
        tn_v3_to(tn_m3_apply_t(b->R, t), y + 3);
        for (int i = 0; i < 6; i++)
            x[i * n] = y[i];
    }
}

static void add_geometric_end(const abs_body *b, int n, const double *w, double *K)
{
    if (b->se3)
        add_square(K, n, n - 6, n - 3, tn_m3_skew(tn_m3_apply_t(b->R, tn_v3_from(w))));
    add_square(K, n, n - 3, n - 3, tn_m3_skew(tn_m3_apply_t(b->R, tn_v3_from(w + 3))));
}

void tn_absolute_attachment_eval(absolute *s, abs_attachment *at, const abs_point *here,
                                 unsigned want)
{
    tn_system *sys = &s->base;
    const int m = s->modal[at->modal].x.m, n = 12 + m, row0 = s->joint[at->joint].row0;
    const abs_body *b = &s->body[at->body];
    const double *lambda = here->lambda ? here->lambda + row0 : NULL;
    double wrench[6] = {0};
    tn_attachment_rows(s, at, want, lambda, sys->g + row0, sys->gdot + row0, sys->gamma + row0);
    if (want & TN_EVAL_GAMMA && b->se3)
        for (int i = 0; i < TN_FIXED_ROWS; i++)
            sys->gamma[row0 + i] += tn_v3_dot(tn_v3_from(at->G + i * n + n - 6),
                                              tn_m3_apply(b->R, tn_v3_cross(b->W, b->U)));
    if (!(want & (TN_EVAL_B | TN_EVAL_TANGENT)))
        return;
    if (want & TN_EVAL_TANGENT) {
        for (int i = 0; i < TN_FIXED_ROWS; i++)
            tn_axpy(6, lambda[i], at->G + i * n + n - 6, wrench);
        project_ends(b, TN_FIXED_ROWS, n, at->Z, at->G);
        project_ends(b, n, n, at->K, NULL);
        project_rows(b, n, at->K);
        add_geometric_end(b, n, wrench, at->K);
        for (int i = 0; i < n * n; i++)
            if (at->at_K[i] >= 0)
                sys->block[TN_BLOCK_K]->val[at->at_K[i]] += at->K[i];
        for (int i = 0; i < 6 * n; i++)
            if (at->at_Z[i] >= 0)
                sys->block[TN_BLOCK_Z]->val[at->at_Z[i]] += at->Z[i];
    }
    if (want & TN_EVAL_B) {
        project_ends(b, TN_FIXED_ROWS, n, at->G, NULL);
        for (int i = 0; i < 6 * n; i++)
            sys->block[TN_BLOCK_B]->val[at->at_B[i]] = at->G[i];
    }
}
