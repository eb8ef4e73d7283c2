// SPDX-License-Identifier: MIT
//
// Bushing: a spring-damper for all six components between frame A and frame B.
//
// With the arms r_a, r_b, d = p_B - p_A, s = r_a + d the arm of p_B on body A, and the diagonal
// matrices k, c, kr, cr in axes of A; X^ = R_A X R_A^T means X seen in the world:
//
//   e = u_b + w_b x r_b - u_a - w_a x s           velocity of p_B seen from A, world axes
//   f = -(k^ d + c^ e)                            on B at p_B, and -f on A at the same point
//   phi = log(R_A^T R_B),  V = d.k^ d / 2 + phi.kr phi / 2
//   m = -R_A (T(phi)^-1 kr phi) - cr^ w,          w = w_b - w_a
//   w_B = (f, r_b x f + m),   w_A = (-f, -s x f - m)
//
// Both reactions act at one point, so momentum and angular momentum are kept. The elastic torque is
// the exact gradient of V: phi' = T^-1 R_B^T w gives V' = (T^-T kr phi) . R_B^T w, and as T is a
// function of skew(phi) with T(phi)^T = exp(phi) T(phi), exp(phi) T^-T = T^-1.
//
// Tangents, with variations (dp_a, ta, dp_b, tb) and twists held (skew written as S):
//
//   ds = dp_b - dp_a - S(r_b) tb
//   R_A d(R_A^T d) = ds + S(s) ta
//   R_A d(R_A^T e) = -S(w_a) ds - S(w_b) S(r_b) tb + S(e) ta
//   df = -S(f) ta - k^ (ds + S(s) ta) - c^ (R_A d(R_A^T e))
//   dphi = T^-1 R_B^T (tb - ta)
//   dm = -S(m) ta - R_A M T^-1 R_B^T (tb - ta) - cr^ S(w) ta,
//        M = d(T^-1 kr phi)/dphi = (dT^-1)[kr phi] + T^-1 kr
//   d(r_b x f) = S(r_b) df + S(f) S(r_b) tb,   d(s x f) = S(s) df - S(f) ds
//   de/d(u_a, w_a, u_b, w_b) = (-I, S(s), I, -S(r_b))
//
// B may be a point mass, which feels f alone: then kr and cr must be zero. A may not: the axes of
// k and c are its own, and it takes the moment of f about its origin.
//
// phi jumps where the turn passes pi; a bushing is meant to stay far below.

#include "model/force.h"

#include "lie/so3.h"
#include "model/builder.h"

#include <stdio.h>
#include <string.h>

#define BUSHING_PARAM(key, of_unit, explanation)                                      \
    TN_PARAM(tn_force_def, bushing.key, VEC3, #key, of_unit, .range = TN_NONNEGATIVE, \
             .text = (explanation))

static const tn_param bushing_params[] = {
    BUSHING_PARAM(stiffness, "N/m", "stiffness along the axes of frame A"),
    BUSHING_PARAM(damping, "N s/m", "damping along the axes of frame A"),
    BUSHING_PARAM(rotational_stiffness, "N m/rad", "stiffness about the axes of frame A"),
    BUSHING_PARAM(rotational_damping, "N m s/rad", "damping about the axes of frame A"),
};

typedef struct {
    tn_vec3 s, e, w; // arm of p_B on A, velocity of p_B and angular velocity of B seen from A
    tn_vec3 f, m;    // on B at p_B
    tn_mat3 k, c, cr;
    tn_vec3 d, phi, kr_phi;
} bushing;

static tn_mat3 seen(tn_mat3 R, tn_vec3 x) // R diag(x) R^T
{
    return tn_m3_mul(R, tn_m3_mul(tn_m3_diag(x.x, x.y, x.z), tn_m3_transpose(R)));
}

static bushing bushing_at(const tn_force_data *data, const tn_pair *at)
{
    const tn_mat3 R = at->a.x.R;
    const tn_vec3 kr = data->def.bushing.rotational_stiffness;
    bushing b = {
        .k = seen(R, data->def.bushing.stiffness),
        .c = seen(R, data->def.bushing.damping),
        .cr = seen(R, data->def.bushing.rotational_damping),
        .d = tn_v3_sub(at->b.x.p, at->a.x.p),
        .w = tn_v3_sub(at->b.V.w, at->a.V.w),
        .phi = tn_so3_log(tn_m3_mul(tn_m3_transpose(R), at->b.x.R)),
    };
    b.s = tn_v3_add(at->a.r, b.d);
    b.e = tn_v3_sub(tn_v3_add(at->b.V.v, tn_v3_cross(at->b.V.w, at->b.r)),
                    tn_v3_add(at->a.V.v, tn_v3_cross(at->a.V.w, b.s)));
    b.f = tn_v3_neg(tn_v3_add(tn_m3_apply(b.k, b.d), tn_m3_apply(b.c, b.e)));
    b.kr_phi = tn_v3(kr.x * b.phi.x, kr.y * b.phi.y, kr.z * b.phi.z);
    const tn_vec3 elastic = tn_m3_apply(R, tn_m3_apply(tn_so3_tangent_inv(b.phi), b.kr_phi));
    b.m = tn_v3_neg(tn_v3_add(elastic, tn_m3_apply(b.cr, b.w)));
    return b;
}

static void bushing_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                         tn_load *out)
{
    const bushing b = bushing_at(data, at);
    tn_v3_to(tn_v3_neg(b.f), out->w + TN_FA);
    tn_v3_to(tn_v3_neg(tn_v3_add(tn_v3_cross(b.s, b.f), b.m)), out->w + TN_MA);
    tn_v3_to(b.f, out->w + TN_FB);
    tn_v3_to(tn_v3_add(tn_v3_cross(at->b.r, b.f), b.m), out->w + TN_MB);
    out->energy = 0.5 * tn_v3_dot(b.d, tn_m3_apply(b.k, b.d)) + 0.5 * tn_v3_dot(b.phi, b.kr_phi);
    out->dissipated =
        tn_v3_dot(b.e, tn_m3_apply(b.c, b.e)) + tn_v3_dot(b.w, tn_m3_apply(b.cr, b.w));
    out->supplied = 0.0;
}

// Y (3 x 12) += A X.
static void force_bushing_add_product(tn_mat3 A, double X[3][12], double scale, double Y[][12])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 12; j++)
            for (int k = 0; k < 3; k++)
                Y[i][j] += scale * A.m[i][k] * X[k][j];
}

// The rows of all wrenches from those of f and m, both seen at p_B.
static void force_bushing_spread(tn_mat3 arm_a, tn_mat3 arm_b, double df[3][12], double dm[3][12],
                                 double out[12][12])
{
    force_bushing_add_product(tn_m3_identity, df, -1.0, out + TN_FA);
    force_bushing_add_product(arm_a, df, -1.0, out + TN_MA);
    force_bushing_add_product(tn_m3_identity, dm, -1.0, out + TN_MA);
    force_bushing_add_product(tn_m3_identity, df, 1.0, out + TN_FB);
    force_bushing_add_product(arm_b, df, 1.0, out + TN_MB);
    force_bushing_add_product(tn_m3_identity, dm, 1.0, out + TN_MB);
}

static void force_variation(const bushing *b, const tn_pair *at, double ds[3][12], double df[3][12])
{
    const tn_mat3 Sw_a = tn_m3_skew(at->a.V.w);
    double dd[3][12], de[3][12] = {{0}};
    memcpy(dd, ds, sizeof(dd));
    tn_block_add(dd, 0, TN_MA, 1.0, tn_m3_skew(b->s));
    force_bushing_add_product(Sw_a, ds, -1.0, de);
    tn_block_add(de, 0, TN_MB, -1.0, tn_m3_mul(tn_m3_skew(at->b.V.w), tn_m3_skew(at->b.r)));
    tn_block_add(de, 0, TN_MA, 1.0, tn_m3_skew(b->e));
    tn_block_add(df, 0, TN_MA, -1.0, tn_m3_skew(b->f));
    force_bushing_add_product(b->k, dd, -1.0, df);
    force_bushing_add_product(b->c, de, -1.0, df);
}

static void torque_variation(const tn_force_data *data, const bushing *b, const tn_pair *at,
                             double dm[3][12])
{
    const tn_vec3 kr = data->def.bushing.rotational_stiffness;
    const tn_mat3 Ti = tn_so3_tangent_inv(b->phi);
    const tn_mat3 M = tn_m3_axpy(1.0, tn_so3_tangent_inv_deriv(b->phi, b->kr_phi),
                                 tn_m3_mul(Ti, tn_m3_diag(kr.x, kr.y, kr.z)));
    const tn_mat3 stiff = // of m against tb - ta
        tn_m3_mul(tn_m3_mul(at->a.x.R, M), tn_m3_mul(Ti, tn_m3_transpose(at->b.x.R)));
    tn_block_add(dm, 0, TN_MA, -1.0, tn_m3_skew(b->m));
    tn_block_add(dm, 0, TN_MA, 1.0, stiff);
    tn_block_add(dm, 0, TN_MB, -1.0, stiff);
    tn_block_add(dm, 0, TN_MA, -1.0, tn_m3_mul(b->cr, tn_m3_skew(b->w)));
}

static void bushing_tangent(const tn_force_data *data, double t, double reference,
                            const tn_pair *at, tn_load_tangent *out)
{
    const bushing b = bushing_at(data, at);
    const tn_mat3 Ss = tn_m3_skew(b.s), Sr = tn_m3_skew(at->b.r), Sf = tn_m3_skew(b.f);
    double ds[3][12] = {{0}}, df[3][12] = {{0}}, dm[3][12] = {{0}};
    memset(out, 0, sizeof(*out));
    tn_block_add(ds, 0, TN_FA, -1.0, tn_m3_identity);
    tn_block_add(ds, 0, TN_FB, 1.0, tn_m3_identity);
    tn_block_add(ds, 0, TN_MB, -1.0, Sr);
    force_variation(&b, at, ds, df);
    torque_variation(data, &b, at, dm);
    force_bushing_spread(Ss, Sr, df, dm, out->K);
    force_bushing_add_product(Sf, ds, 1.0, out->K + TN_MA);
    tn_block_add(out->K, TN_MB, TN_MB, 1.0, tn_m3_mul(Sf, Sr));
    // The velocity e varies as s does, and with w_a on the arm s.
    double df_v[3][12] = {{0}}, dm_v[3][12] = {{0}};
    tn_block_add(ds, 0, TN_MA, 1.0, Ss);
    force_bushing_add_product(b.c, ds, -1.0, df_v);
    tn_block_add(dm_v, 0, TN_MA, 1.0, b.cr);
    tn_block_add(dm_v, 0, TN_MB, -1.0, b.cr);
    force_bushing_spread(Ss, Sr, df_v, dm_v, out->D);
}

static tn_status bushing_prepare(tn_force_data *data, const tn_model *model)
{
    const tn_force_def *def = &data->def;
    const bool turns = tn_v3_norm(def->bushing.rotational_stiffness) > 0.0 ||
                       tn_v3_norm(def->bushing.rotational_damping) > 0.0;
    char what[160];
    snprintf(what, sizeof(what), "force '%.120s'", data->name);
    TN_TRY(tn_check_rotation(model, def->body_a, what, "body A of a bushing"));
    if (!turns)
        return TN_OK;
    return tn_check_rotation(model, def->body_b, what,
                             "a bushing with rotational_stiffness or rotational_damping");
}

// The elastic torque jumps to the other side beyond half a turn.
static tn_reach bushing_reach(const tn_force_data *data, const tn_force_view *at)
{
    const bool elastic = tn_v3_norm(data->def.bushing.rotational_stiffness) > 0.0;
    return elastic ? (tn_reach){.turn = tn_turn_between(at)} : (tn_reach){0};
}

// Beyond a quarter turn a bushing is outside its range.
static void bushing_tell_start(const tn_force_data *data, const tn_force_view *at, tn_notes *notes)
{
    const double turn = tn_v3_norm(bushing_reach(data, at).turn);
    if (turn > M_PI_2)
        tn_notes_add(notes,
                     "bushing '%s' starts turned by %.4g rad; beyond half a turn its torque jumps "
                     "to the other side",
                     data->name, turn);
}

const tn_force_ops tn_force_bushing = {
    .name = "bushing",
    .text = "six-component spring-damper between two frames",
    TN_PARAMS(bushing_params),
    .prepare = bushing_prepare,
    .between = tn_bushing_between,
    .tell_start = bushing_tell_start,
    .reach = bushing_reach,
    .turn_limit = M_PI,
    .eval = bushing_eval,
    .tangent = bushing_tangent,
};
