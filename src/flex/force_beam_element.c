// SPDX-License-Identifier: MIT
//
// Element of a geometrically exact beam between frame A and frame B, whose z axes lie along it and
// whose x and y axes are the principal axes of the section. It has two forms.
//
// In absolute and joint coordinates its strain is that of a helix from A to B [SCB14]. With frames
// as elements of SE(3), body-fixed twists V_a, V_b and T of lie/se3.h:
//
//   h = log(A^-1 B),  strain (h - h_0) / L,  V = (h - h_0) . C (h - h_0) / (2 L)
//   h' = T(h)^-1 V_b - T(-h)^-1 V_a          as T(h)^-1 Ad(exp(-h)) = T(-h)^-1
//   s = C (h - h_0 + damping h') / L          force (1 to 3) and moment (4 to 6) in the section
//   wrench -T(h)^-T s on B and T(-h)^-T s on A, in their own axes
//
// It does not change when both frames move as one rigid body, has no locking, and is exact where
// strains are constant: a circle, a helix. C = diag(GA1, GA2, EA, EI1, EI2, GJ).
//
// Tangents. As T(h)^-1 = (F D; 0 F) with F(w)^T = F(-w), T(h)^-T = P T(-h)^-1 P, where P exchanges
// both halves of a vector. So the derivatives of the wrenches at constant s are those of T^-1 y by
// h. J takes world twists of the reference point of a body to body-fixed ones of its frame,
// J = (R^T, -R^T S(r); 0, R^T), and J^T takes wrenches back; with these wrenches W = (F, M) held in
// the axes of the frame, dF = dtheta x F and dM = dtheta x M.
//
// In director coordinates the element is that of [LMO08, sect. 6.1; BS02]: positions and directors
// are interpolated linearly and the energy is taken at the middle. All its strains are linear in
// products of vectors of the frames, d = p_B - p_A (tn_seen_span):
//
//   Gamma_i = (a_i + b_i) . d / (2 L)
//   K_i = (a_k . b_j - a_j . b_k) / (2 L),  i, j, k cyclic     (d_k . d_j' - d_j . d_k') / 2
//   V = L (Gamma - Gamma_0) . C_1 (Gamma - Gamma_0) / 2 + L (K - K_0) . C_2 (K - K_0) / 2
//
// so that V is quadratic in them and its discrete derivative is the mean of both ends.

#include "model/force.h"

#include "lie/se3.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "model/builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BEAM_PARAM(key, type, of_unit, ...) \
    TN_PARAM(tn_force_def, beam.key, type, #key, of_unit, __VA_ARGS__)

static const tn_param beam_element_params[] = {
    BEAM_PARAM(length, NUMBER, "m", .range = TN_POSITIVE, .required = true,
               .text = "length along the element"),
    BEAM_PARAM(stiffness, VEC3, "N", .range = TN_NONNEGATIVE, .required = true,
               .text = "stiffness against shear along x and y of the section, GA1 and GA2, and "
                       "against stretch, EA"),
    BEAM_PARAM(rotational_stiffness, VEC3, "N m^2", .range = TN_NONNEGATIVE, .required = true,
               .text = "stiffness against bending about x and y of the section, EI1 and EI2, and "
                       "against twist, GJ"),
    BEAM_PARAM(damping, NUMBER, "s", .range = TN_NONNEGATIVE,
               .text = "forces and moments by rates of strain: stiffness times this time"),
    BEAM_PARAM(stretch, VEC3, "m",
               .text = "translational part of the logarithm of frame B seen from A where nothing "
                       "is strained; without it, length along z"),
    BEAM_PARAM(turn, VEC3, "rad",
               .text = "rotation vector of frame B seen from A where nothing is strained"),
    BEAM_PARAM(mass, NUMBER, "kg", .range = TN_NONNEGATIVE,
               .text = "mass of the element, of which each body has one half, that is spread "
                       "between them (consistent inertia, in absolute coordinates); when left "
                       "out, the halves stay at the bodies"),
    BEAM_PARAM(inertia, VEC3, "kg m^2", .range = TN_NONNEGATIVE,
               .text = "moments of inertia of the element about x, y and z, spread in the same "
                       "way"),
};

static void stiffness_of(const tn_force_data *data, double C[6])
{
    const double scale = 1.0 / data->def.beam.length;
    tn_v3_to(tn_v3_scale(scale, data->def.beam.stiffness), C);
    tn_v3_to(tn_v3_scale(scale, data->def.beam.rotational_stiffness), C + 3);
}

// The element on SE(3) ----------------------------------------------------------------------------

typedef struct beam_element {
    tn_vec3 C, C_turn;       // over L, force and moment
    tn_se3_inverse T;        // h = (u, w), and the inverse of its tangent operator
    tn_twist Va, Vb;         // body-fixed twists, of elements with damping
    tn_vec3 strain, bend;    // h - h_0
    tn_vec3 rate, bend_rate; // h', of elements with damping
    tn_vec3 force, moment;   // s
} beam_element;

static inline tn_vec3 times(tn_vec3 a, tn_vec3 b)
{
    return tn_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline double weighed(tn_vec3 C, tn_vec3 x)
{
    return tn_v3_dot(C, times(x, x));
}

static tn_twist body_twist(const tn_end *end)
{
    const tn_vec3 v = tn_v3_add(end->V.v, tn_v3_cross(end->V.w, end->r));
    return (tn_twist){tn_m3_apply_t(end->x.R, v), tn_m3_apply_t(end->x.R, end->V.w)};
}

static void see_rates(beam_element *e, const tn_pair *at)
{
    e->Va = body_twist(&at->a);
    e->Vb = body_twist(&at->b);
    e->rate = tn_v3_sub(tn_v3_add(tn_m3_apply(e->T.F, e->Vb.v), tn_m3_apply(e->T.D, e->Vb.w)),
                        tn_v3_add(tn_m3_apply_t(e->T.F, e->Va.v), tn_m3_apply_t(e->T.D, e->Va.w)));
    e->bend_rate = tn_v3_sub(tn_m3_apply(e->T.F, e->Vb.w), tn_m3_apply_t(e->T.F, e->Va.w));
}

static void element_at(const tn_force_data *data, const tn_pair *at, beam_element *e)
{
    const double scale = 1.0 / data->def.beam.length, damping = data->def.beam.damping;
    const tn_mat3 back = tn_m3_transpose(at->a.x.R);
    const tn_vec3 d = tn_v3_sub(at->b.x.p, at->a.x.p);
    e->C = tn_v3_scale(scale, data->def.beam.stiffness);
    e->C_turn = tn_v3_scale(scale, data->def.beam.rotational_stiffness);
    e->T = tn_se3_log_inverse((tn_frame){tn_m3_mul(back, at->b.x.R), tn_m3_apply(back, d)});
    e->strain = tn_v3_sub(e->T.u, data->def.beam.stretch);
    e->bend = tn_v3_sub(e->T.w, data->def.beam.turn);
    e->force = times(e->C, e->strain);
    e->moment = times(e->C_turn, e->bend);
    e->rate = e->bend_rate = tn_v3(0.0, 0.0, 0.0);
    if (damping > 0.0) {
        see_rates(e, at);
        e->force = tn_v3_axpy(damping, times(e->C, e->rate), e->force);
        e->moment = tn_v3_axpy(damping, times(e->C_turn, e->bend_rate), e->moment);
    }
}

// A wrench in the axes of a frame, times a sign, as one in world axes at the reference point.
static void put_wrench(const tn_end *end, double sign, tn_vec3 force, tn_vec3 moment, double *w)
{
    const tn_vec3 f = tn_v3_scale(sign, tn_m3_apply(end->x.R, force));
    const tn_vec3 m = tn_v3_scale(sign, tn_m3_apply(end->x.R, moment));
    tn_v3_to(f, w);
    tn_v3_to(tn_v3_add(m, tn_v3_cross(end->r, f)), w + 3);
}

static void element_wrenches(const beam_element *e, const tn_pair *at, double w[12])
{
    const tn_vec3 f = e->force, m = e->moment;
    put_wrench(&at->a, 1.0, tn_m3_apply(e->T.F, f),
               tn_v3_add(tn_m3_apply(e->T.D, f), tn_m3_apply(e->T.F, m)), w + TN_FA);
    put_wrench(&at->b, -1.0, tn_m3_apply_t(e->T.F, f),
               tn_v3_add(tn_m3_apply_t(e->T.D, f), tn_m3_apply_t(e->T.F, m)), w + TN_FB);
}

static void element_eval(const tn_force_data *data, const tn_pair *at, tn_load *out)
{
    beam_element e;
    element_at(data, at, &e);
    element_wrenches(&e, at, out->w);
    out->energy = 0.5 * (weighed(e.C, e.strain) + weighed(e.C_turn, e.bend));
    out->dissipated =
        data->def.beam.damping * (weighed(e.C, e.rate) + weighed(e.C_turn, e.bend_rate));
}

// Tangent. All 6 x 6 matrices are 3 x 3 blocks (f, m) x (u, w). The ways from variations of the
// world to h, X_a = T(-h)^-1 J_a and X_b = T(h)^-1 J_b, are (U V; 0 U).

typedef struct upper_blocks { // (U V; 0 U)
    tn_mat3 U, V;
} upper_blocks;

typedef struct full_blocks {
    tn_mat3 m[2][2];
} full_blocks;

static upper_blocks way_to_h(const tn_end *end, tn_mat3 F, tn_mat3 D)
{
    const tn_mat3 Rt = tn_m3_transpose(end->x.R);
    upper_blocks X = {tn_m3_mul(F, Rt), tn_m3_mul(D, Rt)};
    if (end->r.x != 0.0 || end->r.y != 0.0 || end->r.z != 0.0)
        X.V = tn_m3_axpy(-1.0, tn_m3_mul(X.U, tn_m3_skew(end->r)), X.V);
    return X;
}

// d(T(h)^-1 y)/dh = (N Z; 0 N) at constant y, by parts that keep and parts that change their sign
// with h (lie/se3.h).
typedef struct inverse_slopes {
    tn_mat3 even_N, odd_N;
    tn_mat3 even_Z, odd_Z;
} inverse_slopes;

static inverse_slopes slopes_of(const beam_element *e, tn_vec3 yu, tn_vec3 yw)
{
    inverse_slopes s;
    s.even_N = tn_m3_scale(-0.5, tn_m3_skew(yw));
    s.even_Z = tn_m3_scale(-0.5, tn_m3_skew(yu));
    tn_se3_inverse_slopes(&e->T, yu, yw, &s.odd_N, &s.odd_Z);
    return s;
}

static inline tn_mat3 plus(tn_mat3 A, tn_mat3 B)
{
    return tn_m3_axpy(1.0, A, B);
}

static tn_mat3 scaled_rows(tn_vec3 c, tn_mat3 A) // diag(c) A
{
    tn_mat3 out;
    const double by[3] = {c.x, c.y, c.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out.m[i][j] = by[i] * A.m[i][j];
    return out;
}

// X^T C as blocks: U^T C 0; V^T C, U^T C_turn.
static full_blocks stiff_way(const beam_element *e, const upper_blocks *X)
{
    full_blocks L = {{{{{{0}}}}}};
    L.m[0][0] = tn_m3_transpose(scaled_rows(e->C, X->U));
    L.m[1][0] = tn_m3_transpose(scaled_rows(e->C, X->V));
    L.m[1][1] = tn_m3_transpose(scaled_rows(e->C_turn, X->U));
    return L;
}

// L += J^T (0 N; N Z), the change of wrenches with h at constant s.
static void add_slope(const tn_end *end, tn_mat3 N, tn_mat3 Z, full_blocks *L)
{
    const tn_mat3 RN = tn_m3_mul(end->x.R, N);
    L->m[0][1] = plus(L->m[0][1], RN);
    L->m[1][0] = plus(L->m[1][0], RN);
    L->m[1][1] = plus(L->m[1][1], tn_m3_mul(end->x.R, Z));
    if (end->r.x != 0.0 || end->r.y != 0.0 || end->r.z != 0.0)
        L->m[1][1] = plus(L->m[1][1], tn_m3_mul(tn_m3_skew(end->r), RN));
}

// K += scale L X in the rows and columns of two ends.
static void add_end(double scale, const full_blocks *L, const upper_blocks *X, int row, int column,
                    double K[12][12])
{
    for (int i = 0; i < 2; i++) {
        tn_block_add(K, row + 3 * i, column, scale, tn_m3_mul(L->m[i][0], X->U));
        tn_block_add(K, row + 3 * i, column + 3, scale,
                     plus(tn_m3_mul(L->m[i][0], X->V), tn_m3_mul(L->m[i][1], X->U)));
    }
}

static void add_both(double scale, const full_blocks L[2], const upper_blocks X[2],
                     double K[12][12])
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            add_end(i == j ? -scale : scale, &L[i], &X[j], 6 * i, 6 * j, K);
}

// Damping -----------------------------------------------------------------------------------------

// dh'/dh: T(h)^-1 V_b - T(-h)^-1 V_a.
static upper_blocks rate_slope(const beam_element *e)
{
    const inverse_slopes a = slopes_of(e, e->Va.v, e->Va.w), b = slopes_of(e, e->Vb.v, e->Vb.w);
    return (upper_blocks){
        plus(plus(a.even_N, b.even_N), tn_m3_axpy(-1.0, a.odd_N, b.odd_N)),
        plus(plus(a.even_Z, b.even_Z), tn_m3_axpy(-1.0, a.odd_Z, b.odd_Z)),
    };
}

// dh'/dtheta of an end with h and the world twist held: (F D; 0 F) on the turned body-fixed twist,
// its translational and its turning part.
static void turned_rates(const tn_end *end, tn_mat3 F, tn_mat3 D, tn_mat3 *du, tn_mat3 *dw)
{
    const tn_vec3 u = tn_v3_add(end->V.v, tn_v3_cross(end->V.w, end->r));
    const tn_mat3 Rt = tn_m3_transpose(end->x.R);
    const tn_mat3 arm = tn_m3_mul(tn_m3_skew(end->V.w), tn_m3_skew(end->r));
    const tn_mat3 upper = tn_m3_mul(Rt, tn_m3_axpy(-1.0, arm, tn_m3_skew(u)));
    const tn_mat3 lower = tn_m3_mul(Rt, tn_m3_skew(end->V.w));
    *du = plus(tn_m3_mul(F, upper), tn_m3_mul(D, lower));
    *dw = tn_m3_mul(F, lower);
}

static void add_turned(const tn_end *end, double sign, tn_mat3 F, tn_mat3 D, const full_blocks L[2],
                       int column, double K[12][12])
{
    tn_mat3 du, dw;
    turned_rates(end, F, D, &du, &dw);
    for (int i = 0; i < 2; i++) {
        const double scale = i == 0 ? sign : -sign; // s acts on B against A
        for (int part = 0; part < 2; part++)
            tn_block_add(K, 6 * i + 3 * part, column + 3, scale,
                         plus(tn_m3_mul(L[i].m[part][0], du), tn_m3_mul(L[i].m[part][1], dw)));
    }
}

// L += damping S dh'/dh, and the rest of d(wrench)/dq and d(wrench)/dv.
static void add_damping(const beam_element *e, const tn_pair *at, double damping,
                        const upper_blocks X[2], const full_blocks S[2], full_blocks L[2],
                        tn_load_tangent *out)
{
    const upper_blocks G = rate_slope(e);
    for (int i = 0; i < 2; i++)
        for (int part = 0; part < 2; part++) {
            const tn_mat3 *s = S[i].m[part];
            L[i].m[part][0] = tn_m3_axpy(damping, tn_m3_mul(s[0], G.U), L[i].m[part][0]);
            L[i].m[part][1] = tn_m3_axpy(damping, plus(tn_m3_mul(s[0], G.V), tn_m3_mul(s[1], G.U)),
                                         L[i].m[part][1]);
        }
    add_both(damping, S, X, out->D);
    add_turned(&at->b, damping, e->T.F, e->T.D, S, TN_FB, out->K);
    add_turned(&at->a, -damping, tn_m3_transpose(e->T.F), tn_m3_transpose(e->T.D), S, TN_FA,
               out->K);
}

// -------------------------------------------------------------------------------------------------

// Adds scale (U V; 0 U) to the columns of an end.
static void add_way(const upper_blocks *X, double scale, int column, double out[6][12])
{
    tn_block_add(out, 0, column, scale, X->U);
    tn_block_add(out, 0, column + 3, scale, X->V);
    tn_block_add(out, 3, column + 3, scale, X->U);
}

// dh = X_b (dp_b, dtheta_b) - X_a (dp_a, dtheta_a), `scale` times.
static void add_ways(const upper_blocks X[2], double scale, double out[6][12])
{
    add_way(&X[0], -scale, TN_FA, out);
    add_way(&X[1], scale, TN_FB, out);
}

// scale dh'/dq
static void add_rate_slopes(const beam_element *e, const tn_pair *at, const upper_blocks X[2],
                            double scale, double out[6][12])
{
    const upper_blocks G = rate_slope(e);
    upper_blocks GX[2];
    tn_mat3 du, dw;
    for (int k = 0; k < 2; k++)
        GX[k] = (upper_blocks){tn_m3_mul(G.U, X[k].U),
                               plus(tn_m3_mul(G.U, X[k].V), tn_m3_mul(G.V, X[k].U))};
    add_ways(GX, scale, out);
    turned_rates(&at->b, e->T.F, e->T.D, &du, &dw);
    tn_block_add(out, 0, TN_MB, scale, du);
    tn_block_add(out, 3, TN_MB, scale, dw);
    turned_rates(&at->a, tn_m3_transpose(e->T.F), tn_m3_transpose(e->T.D), &du, &dw);
    tn_block_add(out, 0, TN_MA, -scale, du);
    tn_block_add(out, 3, TN_MA, -scale, dw);
}

static void element_section(const tn_force_data *data, const tn_pair *at, bool tangent,
                            tn_section_load *out)
{
    const double per_length = 1.0 / data->def.beam.length, damping = data->def.beam.damping;
    beam_element e;
    double C[6];
    element_at(data, at, &e);
    memset(out, 0, sizeof *out);
    tn_v3_to(e.force, out->s);
    tn_v3_to(e.moment, out->s + 3);
    tn_v3_to(tn_v3_scale(per_length, e.strain), out->strain);
    tn_v3_to(tn_v3_scale(per_length, e.bend), out->strain + 3);
    if (!tangent)
        return;
    const upper_blocks X[2] = {
        way_to_h(&at->a, tn_m3_transpose(e.T.F), tn_m3_transpose(e.T.D)),
        way_to_h(&at->b, e.T.F, e.T.D),
    };
    add_ways(X, per_length, out->strain_q);
    add_ways(X, 1.0, out->s_q);
    add_ways(X, damping, out->s_v);
    if (damping > 0.0)
        add_rate_slopes(&e, at, X, damping, out->s_q);
    stiffness_of(data, C);
    for (int i = 0; i < 6; i++) {
        tn_scale(12, C[i], out->s_q[i]);
        tn_scale(12, C[i], out->s_v[i]);
    }
}

static void element_tangent(const tn_force_data *data, const tn_pair *at, tn_load_tangent *out)
{
    beam_element e;
    element_at(data, at, &e);
    const upper_blocks X[2] = {
        way_to_h(&at->a, tn_m3_transpose(e.T.F), tn_m3_transpose(e.T.D)),
        way_to_h(&at->b, e.T.F, e.T.D),
    };
    const full_blocks S[2] = {stiff_way(&e, &X[0]), stiff_way(&e, &X[1])};
    const inverse_slopes s = slopes_of(&e, e.moment, e.force);
    full_blocks L[2] = {S[0], S[1]};
    double w[12];
    add_slope(&at->a, plus(s.even_N, s.odd_N), plus(s.even_Z, s.odd_Z), &L[0]);
    add_slope(&at->b, tn_m3_axpy(-1.0, s.even_N, s.odd_N), tn_m3_axpy(-1.0, s.even_Z, s.odd_Z),
              &L[1]);
    if (data->def.beam.damping > 0.0)
        add_damping(&e, at, data->def.beam.damping, X, S, L, out);
    add_both(1.0, L, X, out->K);
    element_wrenches(&e, at, w);
    for (int end = 0; end < 12; end += 6)
        for (int part = 0; part < 6; part += 3)
            tn_block_add(out->K, end + part, end + 3, -1.0, tn_m3_skew(tn_v3_from(w + end + part)));
}

// The element of directors ------------------------------------------------------------------------

// The two products whose half sum or difference is strain m, times L.
typedef struct strain_of {
    int first, second;
    double sign; // of the second
} strain_of;

static strain_of strain_at(int m)
{
    const int i = m % 3, j = (i + 1) % 3, k = (i + 2) % 3;
    return m < 3 ? (strain_of){i, TN_BACK + i, 1.0}
                 : (strain_of){TN_TURN + 3 * k + j, TN_TURN + 3 * j + k, -1.0};
}

static double strain_by(strain_of e, const double *z)
{
    return 0.5 * (z[e.first] + e.sign * z[e.second]);
}

// A += scale e e^T
static void add_stiffness(strain_of e, double scale, double (*A)[TN_SEEN])
{
    A[e.first][e.first] += 0.25 * scale;
    A[e.second][e.second] += 0.25 * scale;
    A[e.first][e.second] += 0.25 * e.sign * scale;
    A[e.second][e.first] += 0.25 * e.sign * scale;
}

// The strains, times L, where nothing is strained.
static void free_strains(const tn_force_data *data, double out[6])
{
    double h[6];
    tn_v3_to(data->def.beam.stretch, h);
    tn_v3_to(data->def.beam.turn, h + 3);
    if (h[3] == 0.0 && h[4] == 0.0 && h[5] == 0.0) {
        tn_copy(6, h, out);
        return;
    }
    const tn_frame B = tn_se3_exp(h);
    const tn_vec3 mean = tn_v3_axpy(1.0, B.p, tn_m3_apply_t(B.R, B.p));
    tn_v3_to(tn_v3_scale(0.5, mean), out);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[3 + i] = 0.5 * (B.R.m[k][j] - B.R.m[j][k]);
    }
}

static void beam_between(const tn_force_data *data, const tn_seen_span *over, tn_seen_load *out)
{
    const double damping = data->def.beam.damping;
    double C[6], free[6];
    stiffness_of(data, C);
    free_strains(data, free);
    for (int m = 0; m < 6; m++) {
        const strain_of e = strain_at(m);
        const double end = strain_by(e, over->to) - free[m];
        const double mean = 0.5 * (end + strain_by(e, over->from) - free[m]);
        const double rate = strain_by(e, over->rate);
        const double Q = -C[m] * (mean + damping * rate);
        out->energy += 0.5 * C[m] * end * end;
        out->dissipated += C[m] * damping * rate * rate;
        out->Q[e.first] += 0.5 * Q;
        out->Q[e.second] += 0.5 * e.sign * Q;
        add_stiffness(e, -0.5 * C[m], out->Q_1);
        add_stiffness(e, -C[m] * damping, out->Q_v);
    }
}

// C times strains and their rates, which are the products and their rates: x' = G V, with
// dx = G and dx' = V^T H dx + G dV.
static void product_section(const tn_force_data *data, const tn_pair *at, bool tangent,
                            tn_section_load *out)
{
    const double damping = data->def.beam.damping, per_length = 1.0 / data->def.beam.length;
    double C[6], free[6], V[12];
    stiffness_of(data, C);
    free_strains(data, free);
    tn_pair_twists(at, V);
    memset(out, 0, sizeof *out);
    for (int m = 0; m < 6; m++) {
        const strain_of e = strain_at(m);
        out->strain[m] = -per_length * free[m];
        out->s[m] = -C[m] * free[m];
        for (int i = 0; i < 2; i++) {
            const tn_row row = tn_seen_row(i == 0 ? e.first : e.second);
            const double part = i == 0 ? 0.5 : 0.5 * e.sign;
            double G[12], H[12][12] = {{0}};
            tn_row_gradient(&row, at, G);
            const double x = part * tn_row_value(&row, at, 0.0);
            out->strain[m] += per_length * x;
            out->s[m] += C[m] * (x + damping * part * tn_row_rate(G, at));
            if (!tangent)
                continue;
            tn_row_hessian(&row, at, part, H);
            tn_axpy(12, per_length * part, G, out->strain_q[m]);
            tn_axpy(12, C[m] * part, G, out->s_q[m]);
            tn_axpy(12, C[m] * damping * part, G, out->s_v[m]);
            for (int k = 0; k < 12; k++)
                tn_axpy(12, C[m] * damping * V[k], H[k], out->s_q[m]);
        }
    }
}

// -------------------------------------------------------------------------------------------------

static void beam_section(const tn_force_data *data, const tn_pair *at, bool tangent,
                         tn_section_load *out)
{
    if (data->by_products)
        product_section(data, at, tangent, out);
    else
        element_section(data, at, tangent, out);
}

static void beam_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                      tn_load *out)
{
    memset(out, 0, sizeof *out);
    if (data->by_products)
        tn_seen_eval(data, at, out);
    else
        element_eval(data, at, out);
}

static void beam_tangent(const tn_force_data *data, double t, double reference, const tn_pair *at,
                         tn_load_tangent *out)
{
    memset(out, 0, sizeof *out);
    if (data->by_products)
        tn_seen_tangent(data, at, out);
    else
        element_tangent(data, at, out);
}

// Inertia is spread between centres of mass along axes of the bodies (absolute_spread.c).
static tn_status check_spread(const tn_model *model, tn_body body, tn_frame frame, const char *what)
{
    const tn_vec3 arm = tn_v3_sub(frame.p, model->bodies.at[body.index].def.com);
    const tn_mat3 turn = tn_m3_axpy(-1.0, tn_m3_identity, frame.R);
    double most = tn_v3_norm(arm);
    for (int i = 0; i < 3; i++)
        most = fmax(most, tn_v3_norm(tn_v3(turn.m[i][0], turn.m[i][1], turn.m[i][2])));
    if (most == 0.0)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: 'mass' and 'inertia' are spread between bodies, so its frame on body '%s' "
                   "must be at the centre of mass of the body and have its axes; leave them out, "
                   "or attach it there",
                   what, model->bodies.at[body.index].name);
}

static tn_status beam_prepare(tn_force_data *data, const tn_model *model)
{
    tn_force_def *def = &data->def;
    char what[160];
    snprintf(what, sizeof(what), "force '%.120s'", data->name);
    TN_TRY(tn_check_rotation(model, def->body_a, what, "a beam element"));
    TN_TRY(tn_check_rotation(model, def->body_b, what, "a beam element"));
    if (tn_force_spreads(data)) {
        TN_TRY(check_spread(model, def->body_a, def->frame_a, what));
        TN_TRY(check_spread(model, def->body_b, def->frame_b, what));
    }
    if (tn_v3_norm(def->beam.stretch) == 0.0)
        def->beam.stretch = tn_v3(0.0, 0.0, def->beam.length);
    return TN_OK;
}

// Strains at the middle and, by bending and twist, at the edge of a section that would be a
// rectangle, whose depth is sqrt(12 EI / EA).
static tn_reach beam_reach(const tn_force_data *data, const tn_force_view *at)
{
    const tn_force_def *def = &data->def;
    const tn_mat3 back = tn_m3_transpose(at->a.R);
    const tn_vec3 d = tn_m3_apply(back, tn_v3_sub(at->b.p, at->a.p));
    const tn_se3_inverse h = tn_se3_log_inverse((tn_frame){tn_m3_mul(back, at->b.R), d});
    const tn_vec3 bend = tn_v3_sub(h.w, def->beam.turn);
    const double EA = def->beam.stiffness.z, edge = weighed(def->beam.rotational_stiffness, bend);
    const double middle = tn_v3_norm(tn_v3_sub(h.u, def->beam.stretch));
    return (tn_reach){h.w, (middle + (EA > 0.0 ? sqrt(3.0 * edge / EA) : 0.0)) / def->beam.length};
}

const tn_force_ops tn_force_beam_element = {
    .name = "beam-element",
    .text = "element of a geometrically exact beam between two frames",
    TN_PARAMS(beam_element_params),
    .needs_rotation = true,
    .prepare = beam_prepare,
    .between = beam_between,
    .section = beam_section,
    .products = true,
    .reach = beam_reach,
    .turn_limit = M_PI_2,
    .strain_limit = 0.1,
    .eval = beam_eval,
    .tangent = beam_tangent,
};
