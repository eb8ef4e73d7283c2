// SPDX-License-Identifier: MIT
//
// Rows of bodies that roll on the plane of A through its origin, with the normal n = a_z: a torus
// of radius R and tube r about the axis b = b_j at the origin of B (a disc: r = 0; a ball: R = 0; a
// point: both 0). With s = n . b, h = |b x n| = sqrt(1 - s^2) and d = p_B - p_A:
//
//   track     t_1 = (b x n) / h,   t_2 = n x t_1            along it and across it
//   contact   c = p_B + w,   w = -R u - r n,   u = t_1 x b  the steepest radius
//   HEIGHT    n . (c - p_A) = n . d - R h - r
//   ROLL      t . (v_B(c) - v_A(c))                         velocities of the material points at c
//
// The contact point is the lowest one, so that HEIGHT' = n . (v_B(c) - v_A(c)): the two rows ROLL
// and HEIGHT together hold the material points at c.
//
// Derivatives, with variations as in row.c (dn = ta x n, db = tb x b):
//
//   HEIGHT  as AXIS and DOT of s:  G = G_axis + (R s / h) G_s,
//           H = H_axis + (R s / h) H_s + (R / h^3) G_s G_s^T           as (s / h)' = 1 / h^3
//   ROLL    G = (-t, -x X t, t, y X t),  x = c - (reference point of A), y = c - (that of B)
//           dG from dt = T_a ta + T_b tb and dw = W_a ta + W_b tb,
//           dx = dp_b - dp_a + tb x r_b + dw,   dy = tb x r_b + dw
//   SPIN    G = (0, -n, 0, n)
//
//   dt_1 = ((tb x b) x n + b x (ta x n)) / h + (b x n) (s / h^3) ds,   ds = (n x b) . (ta - tb)
//   dt_2 = (ta x n) x t_1 + n x dt_1,   du = dt_1 x b + t_1 x (tb x b)

#include "row/row.h"

#include "base/status.h"
#include "tenon/model.h"

static const tn_row height_axis = {.form = TN_ROW_AXIS, .i = TN_Z};

// A direction or a way with its derivatives by ta and tb.
typedef struct varied {
    tn_vec3 x;
    tn_mat3 a, b;
} varied;

// The relative position of a torus and a plane.
typedef struct touch {
    tn_vec3 n, b;
    double R, r;
    double s, h;
} touch;

static touch touch_at(const tn_row *row, const tn_pair *at)
{
    TN_ASSERT(at->own);
    touch out = {.n = tn_m3_column(at->a.x.R, TN_Z), .b = tn_m3_column(at->b.x.R, row->j)};
    const bool ball = row->k == 1;
    out.R = ball ? 0.0 : at->own->rolling.radius;
    out.r = ball ? at->own->rolling.radius : at->own->rolling.tube;
    out.s = tn_v3_dot(out.n, out.b);
    out.h = tn_v3_norm(tn_v3_cross(out.b, out.n));
    return out;
}

static tn_row axis_row(const tn_row *row) // s
{
    return (tn_row){.form = TN_ROW_DOT, .i = TN_Z, .j = row->j};
}

double tn_height_value(const tn_row *row, const tn_pair *at)
{
    const touch k = touch_at(row, at);
    return tn_row_value(&height_axis, at, 0.0) - k.R * k.h - k.r;
}

// skew(x) skew(y)
static tn_mat3 skew2(tn_vec3 x, tn_vec3 y)
{
    return tn_m3_mul(tn_m3_skew(x), tn_m3_skew(y));
}

static varied along_track(const touch *k)
{
    const tn_vec3 cross = tn_v3_cross(k->b, k->n);
    const tn_mat3 turn = tn_m3_scale(k->s / (k->h * k->h * k->h), tn_m3_outer(cross, cross));
    return (varied){
        .x = tn_v3_scale(1.0 / k->h, cross),
        .a = tn_m3_axpy(-1.0 / k->h, skew2(k->b, k->n), tn_m3_scale(-1.0, turn)),
        .b = tn_m3_axpy(1.0 / k->h, skew2(k->n, k->b), turn),
    };
}

static varied across_track(const touch *k)
{
    const varied t = along_track(k);
    const tn_mat3 N = tn_m3_skew(k->n);
    return (varied){
        .x = tn_v3_cross(k->n, t.x),
        .a = tn_m3_axpy(1.0, skew2(t.x, k->n), tn_m3_mul(N, t.a)),
        .b = tn_m3_mul(N, t.b),
    };
}

// An axis of A.
static varied fixed_in_a(tn_vec3 x)
{
    return (varied){.x = x, .a = tn_m3_scale(-1.0, tn_m3_skew(x))};
}

// w, from the origin of B to the contact.
static varied contact_way(const touch *k)
{
    varied w = fixed_in_a(tn_v3_scale(-k->r, k->n));
    if (k->R == 0.0)
        return w;
    const varied t = along_track(k);
    const tn_mat3 Bx = tn_m3_skew(k->b);
    w.x = tn_v3_axpy(-k->R, tn_v3_cross(t.x, k->b), w.x);
    w.a = tn_m3_axpy(k->R, tn_m3_mul(Bx, t.a), w.a);
    w.b = tn_m3_scale(k->R, tn_m3_axpy(1.0, skew2(t.x, k->b), tn_m3_mul(Bx, t.b)));
    return w;
}

tn_vec3 tn_roll_contact(const tn_row *row, const tn_pair *at)
{
    const touch k = touch_at(row, at);
    return tn_v3_add(at->b.x.p, contact_way(&k).x);
}

static varied direction(const tn_row *row, const tn_pair *at, const touch *k)
{
    TN_ASSERT(row->i == 0 || row->i == 1);
    if (row->k == 1)
        return fixed_in_a(tn_m3_column(at->a.x.R, row->i));
    return row->i == 0 ? along_track(k) : across_track(k);
}

// From the reference points of A and B to the contact.
static void arms(const tn_pair *at, tn_vec3 w, tn_vec3 *x, tn_vec3 *y)
{
    const tn_vec3 d = tn_v3_sub(at->b.x.p, at->a.x.p);
    *x = tn_v3_add(tn_v3_add(at->a.r, d), w);
    *y = tn_v3_add(at->b.r, w);
}

static void roll_gradient(const tn_row *row, const tn_pair *at, double G[12])
{
    const touch k = touch_at(row, at);
    const tn_vec3 t = direction(row, at, &k).x;
    tn_vec3 x, y;
    arms(at, contact_way(&k).x, &x, &y);
    tn_v3_to(tn_v3_neg(t), G + TN_FA);
    tn_v3_to(tn_v3_cross(t, x), G + TN_MA);
    tn_v3_to(t, G + TN_FB);
    tn_v3_to(tn_v3_cross(y, t), G + TN_MB);
}

static void height_gradient(const tn_row *row, const tn_pair *at, double G[12])
{
    const touch k = touch_at(row, at);
    const tn_row tilt = axis_row(row);
    double S[12];
    tn_row_gradient(&height_axis, at, G);
    if (k.R == 0.0)
        return;
    tn_row_gradient(&tilt, at, S);
    for (int i = 0; i < 12; i++)
        G[i] += k.R * k.s / k.h * S[i];
}

void tn_roll_gradient(const tn_row *row, const tn_pair *at, double G[12])
{
    if (row->form == TN_ROW_HEIGHT)
        height_gradient(row, at, G);
    else if (row->form == TN_ROW_ROLL)
        roll_gradient(row, at, G);
    else {
        const tn_vec3 n = tn_m3_column(at->a.x.R, TN_Z);
        for (int i = 0; i < 12; i++)
            G[i] = 0.0;
        tn_v3_to(tn_v3_neg(n), G + TN_MA);
        tn_v3_to(n, G + TN_MB);
    }
}

static void height_hessian(const tn_row *row, const tn_pair *at, double scale, double H[12][12])
{
    const touch k = touch_at(row, at);
    const tn_row tilt = axis_row(row);
    double S[12];
    tn_row_hessian(&height_axis, at, scale, H);
    if (k.R == 0.0)
        return;
    tn_row_gradient(&tilt, at, S);
    tn_row_hessian(&tilt, at, scale * k.R * k.s / k.h, H);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            H[i][j] += scale * k.R / (k.h * k.h * k.h) * S[i] * S[j];
}

// The moment arm x t, with dt and the parts of the arm that turn with A and B: by ta and tb.
static void add_moment(double H[12][12], int row, double scale, varied t, varied arm)
{
    const tn_mat3 T = tn_m3_skew(t.x), X = tn_m3_skew(arm.x);
    tn_block_add(H, row, TN_MA, scale, tn_m3_axpy(-1.0, tn_m3_mul(T, arm.a), tn_m3_mul(X, t.a)));
    tn_block_add(H, row, TN_MB, scale, tn_m3_axpy(-1.0, tn_m3_mul(T, arm.b), tn_m3_mul(X, t.b)));
}

static void roll_hessian(const tn_row *row, const tn_pair *at, double scale, double H[12][12])
{
    const touch k = touch_at(row, at);
    const varied t = direction(row, at, &k), w = contact_way(&k);
    varied x = w, y = w;
    arms(at, w.x, &x.x, &y.x);
    x.b = y.b = tn_m3_axpy(-1.0, tn_m3_skew(at->b.r), w.b);
    tn_block_add(H, TN_FA, TN_MA, -scale, t.a);
    tn_block_add(H, TN_FA, TN_MB, -scale, t.b);
    tn_block_add(H, TN_FB, TN_MA, scale, t.a);
    tn_block_add(H, TN_FB, TN_MB, scale, t.b);
    add_moment(H, TN_MA, -scale, t, x);
    add_moment(H, TN_MB, scale, t, y);
    tn_block_add(H, TN_MA, TN_FB, scale, tn_m3_skew(t.x));
    tn_block_add(H, TN_MA, TN_FA, -scale, tn_m3_skew(t.x));
}

void tn_roll_hessian(const tn_row *row, const tn_pair *at, double scale, double H[12][12])
{
    if (row->form == TN_ROW_HEIGHT)
        height_hessian(row, at, scale, H);
    else if (row->form == TN_ROW_ROLL)
        roll_hessian(row, at, scale, H);
    else {
        const tn_mat3 N = tn_m3_skew(tn_m3_column(at->a.x.R, TN_Z));
        tn_block_add(H, TN_MA, TN_MA, scale, N);
        tn_block_add(H, TN_MB, TN_MA, -scale, N);
    }
}
