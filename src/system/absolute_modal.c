// SPDX-License-Identifier: MIT
//
// Modal bodies in absolute coordinates: the part of deformation in the inertia of the frame,
// gravity on it, elastic forces and damping, with their derivatives. With V = (U, W) of the centre
// of mass of the undeformed body in axes of the frame, amplitudes q and rates r, and the
// polynomials A, B and C of flex/modal_body.h (their derivatives by q_j are A_j, B_j, A_jk),
//
//   h_V = A V + B r,   h_q = B^T V + C r                     momenta [Sha13, ch. 5; SW99]
//   h_U' + W x h_U = force,   h_W' + W x h_W + U x h_U = moment
//   h_q' - (1/2 V^T A_j V + V^T B_j r)_j + K q + D r = 0
//
//   h_V' = A V' + sum r_j A_j V + B r' + sum r_j B_j r,   h_q' = B^T V' + sum r_j B_j^T V + C r'
//
// Gravity g acts as if the frame had the acceleration -g beside its own: V' is (U' - R^T g, W').
// Coordinates of the frame are V itself in SE(3); in R^3 x SO(3) they are (u, W), u = R U, so that
// U' = R^T u' - W x U.
//
// All matrices here are of the coordinates of frame and amplitudes, n = 6 + m, row major.

#include "system/absolute_modal.h"

#include "flex/modal_body.h"
#include "linalg/dense.h"

#include <math.h>

typedef const double (*rows6)[6];

static inline rows6 matrix(const double *all, int k)
{
    return (rows6)(all + (size_t)36 * (size_t)k);
}

static void times6(rows6 A, const double *x, double *y) // y = A x
{
    for (int i = 0; i < 6; i++)
        y[i] = tn_dot(6, A[i], x);
}

void tn_modal_layout(abs_modal *e, tn_carve *mem)
{
    const int m = e->x.m, n = 6 + m;
    TN_CARVE_DOUBLES(mem, m, &e->q, &e->r, &e->rdot);
    TN_CARVE_DOUBLES(mem, n, &e->rho, &e->work, &e->a);
    TN_CARVE_DOUBLES(mem, 6 * m, &e->B, &e->Bdot, &e->AV, &e->Br);
    e->Aj = tn_carve_doubles(mem, 36 * m);
    TN_CARVE_DOUBLES(mem, n * n, &e->M, &e->K, &e->D, &e->rigid);
    TN_CARVE_INTS(mem, n * n, &e->at_M, &e->at_K, &e->at_D);
    e->coordinate = tn_carve_ints(mem, n);
}

// Amplitudes, velocities and the polynomials where bodies are posed.
void tn_modal_see(const absolute *s, abs_modal *e)
{
    const int m = e->x.m;
    const abs_body *b = &s->body[e->frame];
    tn_v3_to(tn_m3_apply_t(b->R, b->V.v), e->V);
    tn_v3_to(tn_m3_apply_t(b->R, b->V.w), e->V + 3);
    e->gravity = tn_m3_apply_t(b->R, s->model->gravity);
    for (int j = 0; j < m; j++) {
        e->q[j] = s->body[e->amplitude + j].p.x;
        e->r[j] = s->body[e->amplitude + j].V.v.x;
    }
    tn_zero(36, &e->A[0][0]);
    tn_zero(36, &e->Adot[0][0]);
    tn_copy(6 * m, e->x.B0, e->B);
    tn_zero(6 * m, e->Bdot);
    for (int j = 0; j < m; j++) {
        double *Aj = e->Aj + 36 * j;
        tn_copy(36, e->x.A1 + 36 * j, Aj);
        tn_axpy(36, 0.5 * e->q[j], Aj, &e->A[0][0]);
        for (int i = 0; i < m; i++)
            tn_axpy(36, e->q[i], e->x.A2 + 36 * ((size_t)i * (size_t)m + (size_t)j), Aj);
        tn_axpy(36, 0.5 * e->q[j], Aj, &e->A[0][0]);
        tn_axpy(36, e->r[j], Aj, &e->Adot[0][0]);
        tn_axpy(6 * m, e->q[j], e->x.B1 + 6 * j * m, e->B);
        tn_axpy(6 * m, e->r[j], e->x.B1 + 6 * j * m, e->Bdot);
        times6(matrix(e->Aj, j), e->V, e->AV + 6 * j);
        for (int k = 0; k < 6; k++)
            e->Br[6 * j + k] = tn_dot(m, e->x.B1 + (6 * j + k) * m, e->r);
    }
    times6((rows6)e->A, e->V, e->h);
    for (int k = 0; k < 6; k++)
        e->h[k] += tn_dot(m, e->B + k * m, e->r);
}

// Accelerations of the frame in its own axes, with gravity, and of the amplitudes, from those of
// the coordinates; NULL: zero.
static void take_accelerations(const absolute *s, abs_modal *e, const double *a)
{
    const abs_body *b = &s->body[e->frame];
    const tn_vec3 W = tn_v3_from(e->V + 3), U = tn_v3_from(e->V);
    tn_vec3 u = tn_v3(0.0, 0.0, 0.0);
    if (a)
        u = b->se3 ? tn_v3_from(a) : tn_m3_apply_t(b->R, tn_v3_from(a));
    e->seen = tn_v3_sub(u, e->gravity);
    tn_v3_to(b->se3 ? e->seen : tn_v3_sub(e->seen, tn_v3_cross(W, U)), e->Vdot);
    tn_v3_to(a ? tn_v3_from(a + 3) : tn_v3(0.0, 0.0, 0.0), e->Vdot + 3);
    for (int j = 0; j < e->x.m; j++)
        e->rdot[j] = a ? a[6 + j] : 0.0;
}

// x[0..2] += W x h_U, x[3..5] += W x h_W + U x h_U
static void add_transport(const double *V, const double *h, double *x)
{
    const tn_vec3 U = tn_v3_from(V), W = tn_v3_from(V + 3), hu = tn_v3_from(h);
    const tn_vec3 f = tn_v3_cross(W, hu);
    const tn_vec3 m = tn_v3_add(tn_v3_cross(W, tn_v3_from(h + 3)), tn_v3_cross(U, hu));
    tn_v3_to(tn_v3_add(tn_v3_from(x), f), x);
    tn_v3_to(tn_v3_add(tn_v3_from(x + 3), m), x + 3);
}

static void turn_rows(const absolute *s, const abs_modal *e, int columns, double *A)
{
    const abs_body *b = &s->body[e->frame];
    for (int j = 0; j < columns && !b->se3; j++) {
        const tn_vec3 x = {A[j], A[columns + j], A[2 * columns + j]};
        const tn_vec3 y = tn_m3_apply(b->R, x);
        A[j] = y.x;
        A[columns + j] = y.y;
        A[2 * columns + j] = y.z;
    }
}

void tn_modal_residual(const absolute *s, abs_modal *e, const double *a, double *out)
{
    const int m = e->x.m;
    take_accelerations(s, e, a);
    for (int k = 0; k < 6; k++)
        out[k] = tn_dot(6, e->A[k], e->Vdot) + tn_dot(6, e->Adot[k], e->V) +
                 tn_dot(m, e->B + k * m, e->rdot) + tn_dot(m, e->Bdot + k * m, e->r);
    add_transport(e->V, e->h, out);
    for (int j = 0; j < m; j++) {
        double x = tn_dot(m, e->x.C + j * m, e->rdot) + tn_dot(m, e->x.K + j * m, e->q) +
                   tn_dot(m, e->x.D + j * m, e->r);
        for (int k = 0; k < 6; k++)
            x += e->B[k * m + j] * e->Vdot[k] + e->Bdot[k * m + j] * e->V[k] -
                 e->V[k] * (0.5 * e->AV[6 * j + k] + e->Br[6 * j + k]);
        out[6 + j] = x;
    }
    tn_copy(6, out, e->rho);
    turn_rows(s, e, 1, out);
}

// In axes of the frame; then to its coordinates.
static void mass_in_body(const abs_modal *e, double *M)
{
    const int m = e->x.m, n = 6 + m;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++)
            M[i * n + j] = e->A[i][j];
        for (int j = 0; j < m; j++)
            M[i * n + 6 + j] = M[(6 + j) * n + i] = e->B[i * m + j];
    }
    for (int i = 0; i < m; i++)
        tn_copy(m, e->x.C + i * m, M + (6 + i) * n + 6);
}

// The first three columns times R^T.
static void turn_columns(const absolute *s, const abs_modal *e, double *A)
{
    const abs_body *b = &s->body[e->frame];
    for (int i = 0; i < 6 + e->x.m && !b->se3; i++) {
        double *row = A + i * (6 + e->x.m);
        tn_v3_to(tn_m3_apply(b->R, tn_v3_from(row)), row);
    }
}

void tn_modal_mass(const absolute *s, const abs_modal *e, double *M)
{
    mass_in_body(e, M);
    turn_rows(s, e, 6 + e->x.m, M);
    turn_columns(s, e, M);
}

// Derivatives by amplitude k, and by its rate.
static void amplitude_columns(abs_modal *e, int k, double *K, double *D)
{
    const int m = e->x.m, n = 6 + m;
    const double *B1 = e->x.B1 + 6 * k * m;
    double h[6], x[6], y[6], bend[6] = {0};
    for (int j = 0; j < m; j++) { // sum of r_j A_jk V, and 1/2 V^T A_jk V
        double AV[6];
        times6(matrix(e->x.A2, j * m + k), e->V, AV);
        tn_axpy(6, e->r[j], AV, bend);
        K[(6 + j) * n + 6 + k] = e->x.K[j * m + k] - 0.5 * tn_dot(6, e->V, AV);
        D[(6 + j) * n + 6 + k] = e->x.D[j * m + k];
        for (int i = 0; i < 6; i++) {
            K[(6 + j) * n + 6 + k] += B1[i * m + j] * e->Vdot[i];
            D[(6 + j) * n + 6 + k] += e->V[i] * (B1[i * m + j] - e->x.B1[(6 * j + i) * m + k]);
        }
    }
    times6(matrix(e->Aj, k), e->Vdot, x);
    for (int i = 0; i < 6; i++) {
        h[i] = e->AV[6 * k + i] + e->Br[6 * k + i];
        x[i] += bend[i] + tn_dot(m, B1 + i * m, e->rdot);
        y[i] = h[i] + e->Bdot[i * m + k];
    }
    add_transport(e->V, h, x);
    for (int i = 0; i < 6; i++)
        h[i] = e->B[i * m + k];
    add_transport(e->V, h, y);
    for (int i = 0; i < 6; i++) {
        K[i * n + 6 + k] = x[i];
        D[i * n + 6 + k] = y[i];
    }
}

// Derivatives by the velocities of the frame in its own axes.
static void frame_columns(const abs_modal *e, double *D)
{
    const int m = e->x.m, n = 6 + m;
    const tn_mat3 hu = tn_m3_skew(tn_v3_from(e->h)), hw = tn_m3_skew(tn_v3_from(e->h + 3));
    for (int c = 0; c < 6; c++) {
        double x[6], h[6];
        for (int i = 0; i < 6; i++) {
            x[i] = e->Adot[i][c];
            h[i] = e->A[i][c];
        }
        add_transport(e->V, h, x);
        for (int i = 0; i < 3; i++) {
            if (c >= 3) {
                x[i] -= hu.m[i][c - 3];
                x[3 + i] -= hw.m[i][c - 3];
            } else {
                x[3 + i] -= hu.m[i][c];
            }
        }
        for (int i = 0; i < 6; i++)
            D[i * n + c] = x[i];
        for (int j = 0; j < m; j++)
            D[(6 + j) * n + c] = e->Bdot[c * m + j] - e->AV[6 * j + c] - e->Br[6 * j + c];
    }
}

// row[at..at+2] = x^T S
static void put_times(tn_vec3 x, tn_mat3 S, double scale, double *row)
{
    const tn_vec3 y = tn_m3_apply_t(S, x);
    row[0] += scale * y.x;
    row[1] += scale * y.y;
    row[2] += scale * y.z;
}

void tn_modal_tangent(const absolute *s, abs_modal *e, const double *a, double *K, double *D)
{
    const int m = e->x.m, n = 6 + m;
    const abs_body *b = &s->body[e->frame];
    tn_modal_residual(s, e, a, e->work);
    tn_zero(n * n, K);
    tn_zero(n * n, D);
    for (int k = 0; k < m; k++)
        amplitude_columns(e, k, K, D);
    frame_columns(e, D);
    mass_in_body(e, e->M);
    const tn_mat3 U = tn_m3_skew(tn_v3_from(e->V)), W = tn_m3_skew(tn_v3_from(e->V + 3));
    const tn_mat3 seen = tn_m3_skew(e->seen), g = tn_m3_skew(e->gravity);
    const tn_mat3 carried = tn_m3_axpy(-1.0, tn_m3_mul(W, U), seen),
                  rho = tn_m3_skew(tn_v3_from(e->rho));
    for (int i = 0; i < n; i++) { // by turning of the frame; U' is seen from it, too
        const tn_vec3 mass = tn_v3_from(e->M + i * n), rate = tn_v3_from(D + i * n);
        if (b->se3) {
            put_times(mass, g, -1.0, K + i * n + 3);
            continue;
        }
        put_times(mass, carried, 1.0, K + i * n + 3);
        put_times(rate, U, 1.0, K + i * n + 3);
        put_times(mass, W, -1.0, D + i * n);
        put_times(mass, U, 1.0, D + i * n + 3);
        for (int c = 0; c < 3 && i < 3; c++)
            K[i * n + 3 + c] -= rho.m[i][c];
    }
    turn_rows(s, e, n, K);
    turn_rows(s, e, n, D);
    turn_columns(s, e, D);
}

void tn_modal_energy(const absolute *s, abs_modal *e, tn_energy *out)
{
    const int m = e->x.m;
    const abs_body *b = &s->body[e->frame];
    tn_modal_see(s, e);
    double kinetic = 0.5 * tn_dot(6, e->V, e->h), potential = 0.0;
    for (int j = 0; j < m; j++) {
        for (int k = 0; k < 6; k++)
            kinetic += 0.5 * e->r[j] * e->B[k * m + j] * e->V[k];
        kinetic += 0.5 * e->r[j] * tn_dot(m, e->x.C + j * m, e->r);
        potential += 0.5 * e->q[j] * tn_dot(m, e->x.K + j * m, e->q);
        out->dissipated += e->r[j] * tn_dot(m, e->x.D + j * m, e->r);
    }
    // A_UW = -skew(first moment of mass of the displacement)
    const tn_vec3 moment = {e->A[1][5], e->A[2][3], e->A[0][4]};
    potential -= tn_v3_dot(e->gravity, moment);
    out->kinetic += kinetic;
    out->potential += potential;
    const tn_vec3 momentum = tn_m3_apply(b->R, tn_v3_from(e->h));
    const tn_vec3 spin = tn_m3_apply(b->R, tn_v3_from(e->h + 3));
    abs_add_momenta(momentum, tn_v3_add(tn_v3_cross(b->p, momentum), spin), out);
}

// In the blocks of the system ---------------------------------------------------------------------

tn_status tn_absolute_open_modals(absolute *s)
{
    s->nmodal = s->model->modals.count;
    if (s->nmodal == 0)
        return TN_OK;
    s->modal = tn_alloc(sizeof *s->modal * (size_t)s->nmodal);
    TN_TRY(tn_got(s->modal));
    for (int k = 0; k < s->nmodal; k++) {
        const tn_modal_data *from = &s->model->modals.at[k];
        abs_modal *e = &s->modal[k];
        e->from = from;
        e->frame = from->frame;
        e->amplitude = from->amplitude;
        TN_TRY(tn_modal_numbers_make(from, s->model->units, &e->x));
        s->nattachment += from->nattachment;
    }
    s->attachment = tn_alloc(sizeof *s->attachment * (size_t)(s->nattachment + 1));
    return tn_got(s->attachment);
}

void tn_absolute_close_modals(absolute *s)
{
    for (int k = 0; s->modal && k < s->nmodal; k++)
        tn_modal_numbers_clear(&s->modal[k].x);
    tn_free(s->modal);
    tn_free(s->attachment);
}

void tn_absolute_layout_modals(absolute *s, tn_carve *mem)
{
    for (int k = 0; k < s->nmodal; k++)
        tn_modal_layout(&s->modal[k], mem);
    int n = 0;
    for (int k = 0; k < s->nmodal; k++)
        for (int i = 0; i < s->modal[k].x.nattachment; i++)
            tn_attachment_layout(&s->attachment[n++], s->modal[k].x.m, mem);
}

// Body i of a modal body: its frame, then its amplitudes.
static abs_blocks part(const absolute *s, const abs_modal *e, int i)
{
    return s->body[i == 0 ? e->frame : e->amplitude + i - 1].blocks;
}

void tn_absolute_declare_modals(const absolute *s, abs_pattern *list, bool rows)
{
    for (int k = 0; k < s->nmodal; k++)
        for (int i = 0; i <= s->modal[k].x.m; i++)
            for (int j = 0; j <= s->modal[k].x.m; j++)
                tn_blocks_declare(list, part(s, &s->modal[k], i), part(s, &s->modal[k], j),
                                  ABS_ALL);
    for (int k = 0; rows && k < s->nattachment; k++) {
        const abs_modal *e = &s->modal[s->attachment[k].modal];
        const abs_blocks end = s->body[s->attachment[k].body].blocks;
        for (int i = 0; i <= e->x.m; i++) {
            tn_blocks_declare(list, part(s, e, i), end, ABS_ALL);
            tn_blocks_declare(list, end, part(s, e, i), ABS_ALL);
        }
    }
}

void tn_absolute_declare_attachment(const absolute *s, const abs_joint *j, int row,
                                    abs_pattern *list)
{
    const abs_modal *e = j->attachment ? &s->modal[j->attachment->modal] : NULL;
    for (int i = 0; e && i <= e->x.m; i++)
        tn_blocks_declare(list, (abs_blocks){row, 1}, part(s, e, i), ABS_ALL);
}

void tn_modal_entries(const tn_sparse *A, int m, int row0, const int *row, int n, const int *column,
                      int *at)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            at[i * n + j] = tn_sparse_place(A, row ? row[i] : row0 + i, column[j]);
}

void tn_absolute_build_modals(absolute *s)
{
    tn_sparse *const *block = s->base.block;
    for (int k = 0; k < s->nmodal; k++) {
        abs_modal *e = &s->modal[k];
        const int m = e->x.m, n = 6 + m;
        for (int i = 0; i < n; i++)
            e->coordinate[i] = i < 6 ? s->body[e->frame].v0 + i : s->body[e->amplitude + i - 6].v0;
        tn_modal_entries(block[TN_BLOCK_M], n, 0, e->coordinate, n, e->coordinate, e->at_M);
        tn_modal_entries(block[TN_BLOCK_K], n, 0, e->coordinate, n, e->coordinate, e->at_K);
        tn_modal_entries(block[TN_BLOCK_D], n, 0, e->coordinate, n, e->coordinate, e->at_D);
        for (int i = 0; i < n * n; i++)
            e->rigid[i] = block[TN_BLOCK_M]->val[e->at_M[i]];
    }
}

void tn_absolute_modal_mass(absolute *s)
{
    double *val = s->base.block[TN_BLOCK_M]->val;
    for (int k = 0; k < s->nmodal; k++) {
        abs_modal *e = &s->modal[k];
        const int n = 6 + e->x.m;
        tn_modal_see(s, e);
        tn_modal_mass(s, e, e->M);
        for (int i = 0; i < n * n; i++)
            val[e->at_M[i]] = e->rigid[i] + e->M[i];
    }
}

void tn_absolute_modal_force(absolute *s, const double *a, unsigned want)
{
    for (int k = 0; k < s->nmodal; k++) {
        abs_modal *e = &s->modal[k];
        const int n = 6 + e->x.m;
        tn_modal_see(s, e);
        tn_modal_residual(s, e, NULL, e->work);
        for (int i = 0; i < n; i++)
            s->base.f[e->coordinate[i]] -= e->work[i];
        if (!(want & TN_EVAL_TANGENT))
            continue;
        for (int i = 0; i < n; i++)
            e->a[i] = a ? a[e->coordinate[i]] : 0.0;
        tn_modal_tangent(s, e, e->a, e->K, e->D);
        double *K = s->base.block[TN_BLOCK_K]->val, *D = s->base.block[TN_BLOCK_D]->val;
        for (int i = 0; i < n * n; i++) {
            K[e->at_K[i]] += e->K[i];
            D[e->at_D[i]] += e->D[i];
        }
    }
}

void tn_absolute_modal_energy(absolute *s, tn_energy *out)
{
    for (int k = 0; k < s->nmodal; k++)
        tn_modal_energy(s, &s->modal[k], out);
}

const char *tn_absolute_modal_name(const tn_system *sys)
{
    const absolute *s = (const absolute *)sys;
    return s->nmodal > 0 ? s->modal[0].from->name : NULL;
}

// The error of small displacements, as a part of elastic forces (docs/theory/modal_bodies.md):
// 16/35 of the square of a rotation, that of a cantilever under a force at its tip, whose section
// turns there by 3.09 of its mean deflection by its length, and 3/2 of a stretch.
static const double BENT = 16.0 / 35.0, TIP = 3.09, STRETCHED = 1.5;
// Attachments that are nearer to each other than this part of the length show no strain.
static const double APART = 0.1;

// The size of a slender body by its moments of inertia, which is its length.
static double length_of(const abs_body *b)
{
    return b->mass > 0.0 ? sqrt(6.0 * (b->J.m[0][0] + b->J.m[1][1] + b->J.m[2][2]) / b->mass) : 0.0;
}

double tn_absolute_modal_left_out(const tn_system *sys, int modal)
{
    const absolute *s = (const absolute *)sys;
    const abs_modal *e = &s->modal[modal];
    const abs_body *b = &s->body[e->frame];
    const double length = length_of(b);
    double square = 0.0, turn = 0.0, stretch = 0.0;
    for (int j = 0; j < e->x.m; j++)
        square += e->q[j] * tn_dot(e->x.m, e->x.C + j * e->x.m, e->q);
    if (length > 0.0)
        turn = TIP * sqrt(fmax(square, 0.0) / b->mass) / length;
    tn_vec3 first = {0};
    for (int k = 0; k < e->x.nattachment; k++) {
        const tn_modal_place place = tn_modal_place_at(&e->x, k, e->q);
        const tn_vec3 moved = tn_v3_sub(place.arm, e->x.attachment[k].arm);
        first = k == 0 ? moved : first;
        const tn_vec3 apart = tn_v3_sub(e->x.attachment[k].arm, e->x.attachment[0].arm);
        const double least = APART * length, way = tn_v3_dot(tn_v3_sub(moved, first), apart);
        turn = fmax(turn, tn_v3_norm(place.turn));
        if (k > 0 && length > 0.0)
            stretch = fmax(stretch, fabs(way) / fmax(tn_v3_dot(apart, apart), least * least));
    }
    return fmax(BENT * turn * turn, STRETCHED * stretch);
}
