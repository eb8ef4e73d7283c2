// SPDX-License-Identifier: MIT
//
// Hermite interpolation between the ends of a step, 0 <= s = (t - t0) / h <= 1. A curve x with two
// derivatives at both ends is met by the quintic
//
//   x0 + h x0' s + h^2 x0''/2 s^2 + c3 s^3 + c4 s^4 + c5 s^5,
//
// of order six. On a rotation the curve is w = log(R0^T R) with the rate Omega = T(w) w', so
//
//   w0 = 0,  w0' = Omega0,  w0'' = Omega0',   w' = T(w)^-1 Omega,
//   w''  = T(w)^-1 Omega' + d(T(w)^-1 Omega)/dw w'.
//
// If a step turns by more than TURN, a uniform turn by the rotation vector c, the integral of the
// rates, is taken off first: w = log((R0 exp(s c))^T R), with the rates
//
//   Omega~ = Omega - exp(-w) c / h,   Omega~' = Omega' + Omega~ x exp(-w) c / h,
//
// so that w is small at both ends whatever the number of turns.
//
// Points move in inertial axes also where velocities are twists (SE(3)): p' = R u and
// p'' = R (Omega x u + u').

#include "integrator/interpolate.h"

#include "lie/so3.h"

// Position, velocity and acceleration of one end, times 1, h, h^2.
typedef struct end {
    double x, v, a;
} end;

static double quintic(end e0, end e1, double s)
{
    const double d = e1.x - e0.x - e0.v - 0.5 * e0.a, v = e1.v - e0.v - e0.a, a = e1.a - e0.a;
    const double c3 = 10.0 * d - 4.0 * v + 0.5 * a;
    const double c4 = -15.0 * d + 7.0 * v - a;
    const double c5 = 6.0 * d - 3.0 * v + 0.5 * a;
    return e0.x + s * (e0.v + s * (0.5 * e0.a + s * (c3 + s * (c4 + s * c5))));
}

static double interpolate_cubic(end e0, end e1, double s) // of v, from v and a
{
    const double d = e1.v - e0.v - e0.a, a = e1.a - e0.a;
    return e0.v + s * (e0.a + s * (3.0 * d - a + s * (a - 2.0 * d)));
}

static void linear(int n, const double *x0, const double *x1, double s, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = x0[i] + s * (x1[i] - x0[i]);
}

// A curve in three-space with its derivatives at one end.
typedef struct end3 {
    tn_vec3 x, v, a;
} end3;

static tn_vec3 quintic3(end3 e0, end3 e1, double h, double s)
{
    double x[2][3], v[2][3], a[2][3], out[3];
    const end3 *e[2] = {&e0, &e1};
    for (int k = 0; k < 2; k++) {
        tn_v3_to(e[k]->x, x[k]);
        tn_v3_to(e[k]->v, v[k]);
        tn_v3_to(e[k]->a, a[k]);
    }
    for (int i = 0; i < 3; i++)
        out[i] = quintic((end){x[0][i], h * v[0][i], h * h * a[0][i]},
                         (end){x[1][i], h * v[1][i], h * h * a[1][i]}, s);
    return tn_v3_from(out);
}

static end3 point_end(const tn_group *group, const tn_state *x)
{
    TN_ASSERT(tn_group_turn(group) == 3);
    const double *q = x->q + group->q0, *v = x->v + group->v0, *a = x->a + group->v0;
    end3 e = {tn_v3_from(q), tn_v3_from(v), tn_v3_from(a)};
    if (tn_group_moves_in_body(group)) {
        const tn_mat3 R = tn_quat_matrix(tn_quat_from(q + 3));
        e.a = tn_m3_apply(R, tn_v3_add(tn_v3_cross(tn_v3_from(v + 3), e.v), e.a));
        e.v = tn_m3_apply(R, e.v);
    }
    return e;
}

// Beyond this a rotation vector from the start of the step is not near enough to one turn.
static const double TURN = 1.5; // rad

// The uniform turn of a step: the integral of the cubic through the rates; none where it is small.
static tn_vec3 uniform_turn(const tn_group *group, const tn_state *x0, const tn_state *x1, double h)
{
    TN_ASSERT(group->kind != TN_GROUP_R);
    const int iv = group->v0 + tn_group_turn(group);
    const tn_vec3 sum = tn_v3_add(tn_v3_from(x0->v + iv), tn_v3_from(x1->v + iv));
    const tn_vec3 difference = tn_v3_sub(tn_v3_from(x0->a + iv), tn_v3_from(x1->a + iv));
    const tn_vec3 c = tn_v3_add(tn_v3_scale(0.5 * h, sum), tn_v3_scale(h * h / 12.0, difference));
    return tn_v3_norm(c) > TURN ? c : (tn_vec3){0};
}

// One end of the curve w, where the uniform turn has come to the part s of c.
static end3 turn_end(const tn_group *group, const tn_state *x0, const tn_state *x, tn_vec3 c,
                     double s, double h)
{
    TN_ASSERT(group->kind != TN_GROUP_R);
    const int iq = group->q0 + tn_group_turn(group), iv = group->v0 + tn_group_turn(group);
    const tn_quat e0 = tn_quat_from(x0->q + iq), e = tn_quat_from(x->q + iq);
    const tn_quat turned = tn_quat_mul(e0, tn_so3_exp_quat(tn_v3_scale(s, c)));
    const tn_vec3 w = tn_so3_log_quat(tn_quat_mul(tn_quat_conj(turned), e));
    const tn_vec3 uniform = tn_m3_apply(tn_so3_exp(tn_v3_neg(w)), tn_v3_scale(1.0 / h, c));
    const tn_vec3 rate = tn_v3_sub(tn_v3_from(x->v + iv), uniform);
    const tn_vec3 rate_dot = tn_v3_add(tn_v3_from(x->a + iv), tn_v3_cross(rate, uniform));
    const tn_mat3 T = tn_so3_tangent_inv(w);
    const tn_vec3 wdot = tn_m3_apply(T, rate);
    return (end3){
        w, wdot,
        tn_v3_add(tn_m3_apply(T, rate_dot), tn_m3_apply(tn_so3_tangent_inv_deriv(w, rate), wdot))};
}

static void interpolate_rigid(const tn_group *group, const tn_state *x0, const tn_state *x1,
                              double h, double s, double *q)
{
    const tn_vec3 c = uniform_turn(group, x0, x1, h);
    const tn_vec3 w =
        quintic3(turn_end(group, x0, x0, c, 0.0, h), turn_end(group, x0, x1, c, 1.0, h), h, s);
    const int turn = tn_group_turn(group);
    const tn_quat e0 = tn_quat_from(x0->q + group->q0 + turn);
    if (turn > 0)
        tn_v3_to(quintic3(point_end(group, x0), point_end(group, x1), h, s), q);
    const tn_quat turned = tn_quat_mul(e0, tn_so3_exp_quat(tn_v3_scale(s, c)));
    tn_quat_to(tn_quat_normalize(tn_quat_mul(turned, tn_so3_exp_quat(w))), q + turn);
}

static end end_of(const tn_state *x, int iq, int iv, double h)
{
    return (end){x->q[iq], h * x->v[iv], h * h * x->a[iv]};
}

static void interpolate_factor(const tn_group *group, const tn_state *x0, const tn_state *x1,
                               double h, double s, tn_state *out)
{
    if (tn_group_turns(group))
        interpolate_rigid(group, x0, x1, h, s, out->q + group->q0);
    for (int i = 0; i < group->nv; i++) {
        const int iv = group->v0 + i, iq = group->q0 + i;
        if (!tn_group_turns(group))
            out->q[iq] = quintic(end_of(x0, iq, iv, h), end_of(x1, iq, iv, h), s);
        out->v[iv] = interpolate_cubic((end){0.0, x0->v[iv], h * x0->a[iv]},
                                       (end){0.0, x1->v[iv], h * x1->a[iv]}, s);
    }
}

void tn_interpolate(const tn_system *sys, const tn_state *x0, const tn_state *x1, double t,
                    tn_state *out)
{
    TN_ASSERT(out != x0 && out != x1 && x1->t >= x0->t);
    const double h = x1->t - x0->t, s = h > 0.0 ? (t - x0->t) / h : 1.0;
    out->t = t;
    for (int k = 0; k < sys->ngroup; k++)
        interpolate_factor(&sys->groups[k], x0, x1, h, s, out);
    linear(sys->nv, x0->a, x1->a, s, out->a);
    linear(sys->ng, x0->lambda, x1->lambda, s, out->lambda);
    linear(sys->nn, x0->eta, x1->eta, s, out->eta);
    linear(sys->ne, x0->e, x1->e, s, out->e);
}
