// SPDX-License-Identifier: MIT
//
// The row forms of row.h with their first and second derivatives.
//
// Variations. Bodies vary by (dp_a, ta, dp_b, tb), dR = skew(t) R, so a vector n that is fixed to a
// body varies as t x n. With the arms r_a, r_b and d = p_b + r_b - p_a - r_a,
//
//   dd = -dp_a - ta x r_a + dp_b + tb x r_b = J (dp_a, ta, dp_b, tb),
//   J = (-I, skew(r_a), I, -skew(r_b)).
//
// First derivative. A force f = d(row)/dd at the origin of B, -f at that of A, and moments m_a, m_b
// from the axes give, since f . (t x r) = t . (r x f),
//
//   G = (-f, -r_a x f + m_a, f, r_b x f + m_b).
//
//   COORD     f = e_i
//   AXIS      f = a,        m_a = a x d          (ta x a) . d = ta . (a x d)
//   DOT       f = 0,        m_a = a x b = -m_b
//   DISTANCE  f = d / L
//   LENGTH    f = e = d / |d|
//   ANGLE     f = 0,        m_a = (c a_i x b_j - s a_k x b_l) / (s^2 + c^2) = -m_b
//
// with s = a_i . b_j, c = a_k . b_l and dtheta = (c ds - s dc) / (s^2 + c^2), which holds for any
// two frames, also when the joint is not assembled and s^2 + c^2 is not one.
//
// Second derivative, from (t x n) x m = skew(m) skew(n) t and n x (t x m) = -skew(n) skew(m) t,
// with f held:  d(-r_a x f) = -skew(f) skew(r_a) ta,   d(r_b x f) = skew(f) skew(r_b) tb  ("arms").
//
//   COORD     arms
//   AXIS      with s = r_a + d the moment on A is a x s;
//             d(a x s) = skew(s) skew(a) ta + skew(a) (dp_b - dp_a - skew(r_b) tb),
//             df = -skew(a) ta,  d(r_b x f) = skew(a) skew(r_b) tb - skew(r_b) skew(a) ta
//   DOT       d(a x b) = skew(b) skew(a) ta - skew(a) skew(b) tb
//   DISTANCE  arms + J^T J / L                   as df = dd / L
//   LENGTH    arms + (J^T J - G G^T) / |d|       as df = (I - e e^T) dd / |d|,  G = J^T e
//   ANGLE     (c H_s - s H_c) / n - 2 s c (u_s u_s^T - u_c u_c^T) / n^2
//             + (s^2 - c^2) (u_s u_c^T + u_c u_s^T) / n^2,   n = s^2 + c^2, u the gradients of s, c
//
// Two points have no derivative and get finite numbers. LENGTH at d = 0 takes e = 0, 1 / |d| = 0:
// a spring of length zero then pulls nowhere rather than in a direction of our choice. ANGLE at
// s = c = 0, where the turn is undefined, takes zero derivatives.

#include "row/row.h"

#include "base/status.h"
#include "row/own_row.h"
#include "row/touch.h"

#include <math.h>

static inline tn_vec3 axis(const tn_end *end, int i)
{
    return tn_m3_column(end->x.R, i);
}

static inline tn_vec3 row_separation(const tn_pair *at)
{
    return tn_v3_sub(at->b.x.p, at->a.x.p);
}

static inline tn_vec3 row_unit(int i)
{
    return tn_v3(i == TN_X, i == TN_Y, i == TN_Z);
}

static inline double inverse_or_zero(double x)
{
    return x > 0.0 ? 1.0 / x : 0.0;
}

// Not finite where both points are one, and with it the row, which is refused then.
static inline double inverse_length(const tn_pair *at)
{
    return 1.0 / at->length;
}

// Values that ANGLE and its derivatives share.
typedef struct angle {
    tn_vec3 ai, bj, ak, bl;
    double s, c, inverse; // of s^2 + c^2
} angle;

static inline angle angle_at(const tn_row *row, const tn_pair *at)
{
    angle n = {.ai = axis(&at->a, row->i),
               .bj = axis(&at->b, row->j),
               .ak = axis(&at->a, row->k),
               .bl = axis(&at->b, row->l)};
    n.s = tn_v3_dot(n.ai, n.bj);
    n.c = tn_v3_dot(n.ak, n.bl);
    n.inverse = inverse_or_zero(n.s * n.s + n.c * n.c);
    return n;
}

tn_row tn_seen_row(int i)
{
    TN_ASSERT(i >= 0 && i < TN_SEEN);
    const int k = i - TN_TURN;
    return i < TN_TURN   ? (tn_row){.form = TN_ROW_AXIS, .i = i}
           : i < TN_BACK ? (tn_row){.form = TN_ROW_DOT, .i = k / 3, .j = k % 3}
                         : (tn_row){.form = TN_ROW_AXIS_B, .i = i - TN_BACK};
}

const char *tn_row_name(const tn_row *row)
{
    static const char *const coord[] = {"x", "y", "z"};
    static const char *const axis[] = {"offset along x", "offset along y", "offset along z"};
    static const char *const dot[] = {"turn about z", "tilt about y", "tilt about x"};
    TN_ASSERT(row->form <= TN_ROW_DOT); // others have names of their own
    return row->form == TN_ROW_COORD  ? coord[row->i]
           : row->form == TN_ROW_AXIS ? axis[row->i]
                                      : dot[row->i + row->j - TN_X - TN_Y];
}

static double nearest_branch(double theta, double reference)
{
    return theta + 2.0 * M_PI * nearbyint((reference - theta) / (2.0 * M_PI));
}

double tn_row_value(const tn_row *row, const tn_pair *at, double reference)
{
    const tn_vec3 d = row_separation(at);
    switch (row->form) {
    case TN_ROW_COORD:
        return tn_v3_dot(row_unit(row->i), d);
    case TN_ROW_AXIS:
        return tn_v3_dot(axis(&at->a, row->i), d);
    case TN_ROW_AXIS_B:
        return tn_v3_dot(axis(&at->b, row->i), d);
    case TN_ROW_DOT:
        return tn_v3_dot(axis(&at->a, row->i), axis(&at->b, row->j));
    case TN_ROW_DISTANCE:
        return 0.5 * (tn_v3_dot(d, d) * inverse_length(at) - at->length);
    case TN_ROW_LENGTH:
        return tn_v3_norm(d);
    case TN_ROW_ANGLE: {
        const angle n = angle_at(row, at);
        return nearest_branch(atan2(n.s, n.c), reference);
    }
    case TN_ROW_OWN: {
        const double x = tn_own_row_value(row, at->a.x, at->b.x, at->own);
        return tn_row_counts_turns(row) ? nearest_branch(x, reference) : x;
    }
    case TN_ROW_HEIGHT:
        return tn_height_value(row, at);
    case TN_ROW_TURN:
        return tn_turn_value(row, at);
    case TN_ROW_TOUCH:
        return tn_touch_value(at);
    case TN_ROW_ROLL:
    case TN_ROW_SPIN:
    case TN_ROW_SLIP:
        break; // velocities alone
    }
    TN_ASSERT(!"row form");
    return 0.0;
}

// G of a force f at the origin of B and -f at that of A.
static inline void set_force(const tn_pair *at, tn_vec3 f, double G[12])
{
    tn_v3_to(tn_v3_neg(f), G + TN_FA);
    tn_v3_to(tn_v3_cross(f, at->a.r), G + TN_MA);
    tn_v3_to(f, G + TN_FB);
    tn_v3_to(tn_v3_cross(at->b.r, f), G + TN_MB);
}

// G of a moment m on A and -m on B.
static inline void set_couple(tn_vec3 m, double G[12])
{
    tn_v3_to(tn_v3(0, 0, 0), G + TN_FA);
    tn_v3_to(m, G + TN_MA);
    tn_v3_to(tn_v3(0, 0, 0), G + TN_FB);
    tn_v3_to(tn_v3_neg(m), G + TN_MB);
}

static inline tn_vec3 angle_moment(const angle *n)
{
    const tn_vec3 s_part = tn_v3_scale(n->c * n->inverse, tn_v3_cross(n->ai, n->bj));
    return tn_v3_axpy(-n->s * n->inverse, tn_v3_cross(n->ak, n->bl), s_part);
}

void tn_row_gradient(const tn_row *row, const tn_pair *at, double G[12])
{
    const tn_vec3 d = row_separation(at);
    switch (row->form) {
    case TN_ROW_COORD:
        set_force(at, row_unit(row->i), G);
        break;
    case TN_ROW_AXIS: {
        const tn_vec3 a = axis(&at->a, row->i);
        set_force(at, a, G);
        tn_v3_to(tn_v3_cross(a, tn_v3_add(at->a.r, d)), G + TN_MA);
        break;
    }
    case TN_ROW_AXIS_B: {
        const tn_vec3 b = axis(&at->b, row->i);
        set_force(at, b, G);
        tn_v3_to(tn_v3_cross(tn_v3_sub(at->b.r, d), b), G + TN_MB);
        break;
    }
    case TN_ROW_DOT:
        set_couple(tn_v3_cross(axis(&at->a, row->i), axis(&at->b, row->j)), G);
        break;
    case TN_ROW_DISTANCE:
        set_force(at, tn_v3_scale(inverse_length(at), d), G);
        break;
    case TN_ROW_LENGTH:
        set_force(at, tn_v3_scale(inverse_or_zero(tn_v3_norm(d)), d), G);
        break;
    case TN_ROW_ANGLE: {
        const angle n = angle_at(row, at);
        set_couple(angle_moment(&n), G);
        break;
    }
    case TN_ROW_OWN:
        tn_own_row_gradient(row, at, G);
        break;
    case TN_ROW_TURN:
        tn_turn_gradient(row, at, G);
        break;
    case TN_ROW_TOUCH:
        tn_touch_gradient(at, G);
        break;
    case TN_ROW_HEIGHT:
    case TN_ROW_ROLL:
    case TN_ROW_SPIN:
        tn_roll_gradient(row, at, G);
        break;
    case TN_ROW_SLIP:
        tn_slip_gradient(row, at, G);
        break;
    }
}

static inline void add_identity(double H[12][12], int row, int column, double s)
{
    H[row][column] += s;
    H[row + 1][column + 1] += s;
    H[row + 2][column + 2] += s;
}

static inline void add_skew(double H[12][12], int row, int column, double s, tn_vec3 a)
{
    H[row][column + 1] -= s * a.z;
    H[row][column + 2] += s * a.y;
    H[row + 1][column] += s * a.z;
    H[row + 1][column + 2] -= s * a.x;
    H[row + 2][column] -= s * a.y;
    H[row + 2][column + 1] += s * a.x;
}

// s skew(a) skew(b) = s (b a^T - (a . b) I)
static inline void add_skew2(double H[12][12], int row, int column, double s, tn_vec3 a, tn_vec3 b)
{
    tn_block_add(H, row, column, s, tn_m3_outer(b, a));
    add_identity(H, row, column, -s * tn_v3_dot(a, b));
}

// The moments of a force f that is held while its arms turn.
static inline void add_arms(const tn_pair *at, double s, tn_vec3 f, double H[12][12])
{
    add_skew2(H, TN_MA, TN_MA, -s, f, at->a.r);
    add_skew2(H, TN_MB, TN_MB, s, f, at->b.r);
}

// s J^T J
static inline void row_add_stretch(const tn_pair *at, double s, double H[12][12])
{
    const tn_vec3 ra = at->a.r, rb = at->b.r;
    add_identity(H, TN_FA, TN_FA, s);
    add_identity(H, TN_FB, TN_FB, s);
    add_identity(H, TN_FA, TN_FB, -s);
    add_identity(H, TN_FB, TN_FA, -s);
    add_skew(H, TN_FA, TN_MA, -s, ra);
    add_skew(H, TN_MA, TN_FA, s, ra);
    add_skew(H, TN_FB, TN_MA, s, ra);
    add_skew(H, TN_MA, TN_FB, -s, ra);
    add_skew(H, TN_FB, TN_MB, -s, rb);
    add_skew(H, TN_MB, TN_FB, s, rb);
    add_skew(H, TN_FA, TN_MB, s, rb);
    add_skew(H, TN_MB, TN_FA, -s, rb);
    add_skew2(H, TN_MA, TN_MA, -s, ra, ra);
    add_skew2(H, TN_MB, TN_MB, -s, rb, rb);
    add_skew2(H, TN_MA, TN_MB, s, ra, rb);
    add_skew2(H, TN_MB, TN_MA, s, rb, ra);
}

static inline void add_axis(const tn_pair *at, double scale, tn_vec3 a, double H[12][12])
{
    const tn_vec3 s = tn_v3_add(at->a.r, row_separation(at));
    add_skew(H, TN_FA, TN_MA, scale, a);
    add_skew(H, TN_FB, TN_MA, -scale, a);
    add_skew(H, TN_MA, TN_FA, -scale, a);
    add_skew(H, TN_MA, TN_FB, scale, a);
    add_skew2(H, TN_MA, TN_MA, scale, s, a);
    add_skew2(H, TN_MA, TN_MB, -scale, a, at->b.r);
    add_skew2(H, TN_MB, TN_MA, -scale, at->b.r, a);
    add_skew2(H, TN_MB, TN_MB, scale, a, at->b.r);
}

static inline void add_dot(double scale, tn_vec3 a, tn_vec3 b, double H[12][12])
{
    add_skew2(H, TN_MA, TN_MA, scale, b, a);
    add_skew2(H, TN_MB, TN_MA, -scale, b, a);
    add_skew2(H, TN_MA, TN_MB, -scale, a, b);
    add_skew2(H, TN_MB, TN_MB, scale, a, b);
}

static inline void add_length(const tn_pair *at, double scale, double H[12][12])
{
    const tn_vec3 d = row_separation(at);
    const double curvature = inverse_or_zero(tn_v3_norm(d));
    const tn_vec3 e = tn_v3_scale(curvature, d);
    double G[12];
    set_force(at, e, G);
    add_arms(at, scale, e, H);
    row_add_stretch(at, scale * curvature, H);
    for (int p = 0; p < 12; p++)
        for (int q = 0; q < 12; q++)
            H[p][q] -= scale * curvature * G[p] * G[q];
}

static inline void add_angle(const angle *n, double scale, double H[12][12])
{
    const double s = n->s * n->inverse, c = n->c * n->inverse; // over s^2 + c^2
    const tn_vec3 us = tn_v3_cross(n->ai, n->bj), uc = tn_v3_cross(n->ak, n->bl);
    // Both gradients are couples (u on A, -u on B), so one 3-block P serves with four signs.
    tn_mat3 P = tn_m3_scale(-2.0 * s * c, tn_m3_outer(us, us));
    P = tn_m3_axpy(2.0 * s * c, tn_m3_outer(uc, uc), P);
    P = tn_m3_axpy(s * s - c * c, tn_m3_outer(us, uc), P);
    P = tn_m3_axpy(s * s - c * c, tn_m3_outer(uc, us), P);
    tn_block_add(H, TN_MA, TN_MA, scale, P);
    tn_block_add(H, TN_MA, TN_MB, -scale, P);
    tn_block_add(H, TN_MB, TN_MA, -scale, P);
    tn_block_add(H, TN_MB, TN_MB, scale, P);
    add_dot(scale * c, n->ai, n->bj, H);
    add_dot(-scale * s, n->ak, n->bl, H);
}

// b . d is -(a . d) of the pair that is turned round.
static void add_axis_b(const tn_pair *at, int i, double scale, double H[12][12])
{
    const tn_pair turned = {.a = at->b, .b = at->a};
    double T[12][12] = {{0}};
    add_axis(&turned, -scale, axis(&at->b, i), T);
    for (int p = 0; p < 12; p++)
        for (int q = 0; q < 12; q++)
            H[p][q] += T[(p + 6) % 12][(q + 6) % 12];
}

void tn_row_hessian(const tn_row *row, const tn_pair *at, double scale, double H[12][12])
{
    switch (row->form) {
    case TN_ROW_COORD:
        add_arms(at, scale, row_unit(row->i), H);
        break;
    case TN_ROW_AXIS:
        add_axis(at, scale, axis(&at->a, row->i), H);
        break;
    case TN_ROW_AXIS_B:
        add_axis_b(at, row->i, scale, H);
        break;
    case TN_ROW_DOT:
        add_dot(scale, axis(&at->a, row->i), axis(&at->b, row->j), H);
        break;
    case TN_ROW_DISTANCE: {
        const double curvature = inverse_length(at);
        add_arms(at, scale, tn_v3_scale(curvature, row_separation(at)), H);
        row_add_stretch(at, scale * curvature, H);
        break;
    }
    case TN_ROW_LENGTH:
        add_length(at, scale, H);
        break;
    case TN_ROW_ANGLE: {
        const angle n = angle_at(row, at);
        add_angle(&n, scale, H);
        break;
    }
    case TN_ROW_OWN:
        tn_own_row_hessian(row, at, scale, H);
        break;
    case TN_ROW_TURN:
        tn_turn_hessian(row, at, scale, H);
        break;
    case TN_ROW_TOUCH:
        tn_touch_hessian(at, scale, H);
        break;
    case TN_ROW_HEIGHT:
    case TN_ROW_ROLL:
    case TN_ROW_SPIN:
        tn_roll_hessian(row, at, scale, H);
        break;
    case TN_ROW_SLIP:
        tn_slip_hessian(row, at, scale, H);
        break;
    }
}

double tn_row_rate(const double G[12], const tn_pair *at)
{
    double V[12], sum = 0.0;
    tn_pair_twists(at, V);
    for (int p = 0; p < 12; p++)
        sum += G[p] * V[p];
    return sum;
}

// A vector with its first and second rate at V' = 0.
typedef struct moving {
    tn_vec3 x, v, a;
} moving;

static inline tn_vec3 row_centripetal(tn_vec3 w, tn_vec3 x)
{
    return tn_v3_cross(w, tn_v3_cross(w, x));
}

static inline moving moving_axis(const tn_end *end, int i)
{
    const tn_vec3 a = axis(end, i);
    return (moving){a, tn_v3_cross(end->V.w, a), row_centripetal(end->V.w, a)};
}

static inline moving moving_separation(const tn_pair *at)
{
    const tn_vec3 ua = tn_v3_add(at->a.V.v, tn_v3_cross(at->a.V.w, at->a.r));
    const tn_vec3 ub = tn_v3_add(at->b.V.v, tn_v3_cross(at->b.V.w, at->b.r));
    return (moving){
        row_separation(at), tn_v3_sub(ub, ua),
        tn_v3_sub(row_centripetal(at->b.V.w, at->b.r), row_centripetal(at->a.V.w, at->a.r))};
}

static inline double second_rate(moving a, moving b) // (a . b)''
{
    return tn_v3_dot(a.a, b.x) + 2.0 * tn_v3_dot(a.v, b.v) + tn_v3_dot(a.x, b.a);
}

static inline double first_rate(moving a, moving b)
{
    return tn_v3_dot(a.v, b.x) + tn_v3_dot(a.x, b.v);
}

static double length_curvature(moving d)
{
    const double inverse = inverse_or_zero(tn_v3_norm(d.x)), rate = inverse * tn_v3_dot(d.x, d.v);
    return inverse * (0.5 * second_rate(d, d) - rate * rate);
}

// With s = a_i . b_j, c = a_k . b_l, n = s^2 + c^2: (c s'' - s c'') / n - n' (c s' - s c') / n^2.
static double angle_curvature(const tn_row *row, const tn_pair *at)
{
    const angle n = angle_at(row, at);
    const moving ai = moving_axis(&at->a, row->i), bj = moving_axis(&at->b, row->j);
    const moving ak = moving_axis(&at->a, row->k), bl = moving_axis(&at->b, row->l);
    const double s1 = first_rate(ai, bj), c1 = first_rate(ak, bl);
    const double rate = (n.c * s1 - n.s * c1) * n.inverse;
    const double growth = 2.0 * (n.s * s1 + n.c * c1) * n.inverse;
    return (n.c * second_rate(ai, bj) - n.s * second_rate(ak, bl)) * n.inverse - growth * rate;
}

static double general_curvature(const tn_row *row, const tn_pair *at)
{
    double H[12][12] = {{0}}, V[12], sum = 0.0;
    tn_pair_twists(at, V);
    tn_row_hessian(row, at, 1.0, H);
    for (int p = 0; p < 12; p++)
        sum += V[p] * tn_row_rate(H[p], at);
    return sum;
}

double tn_row_curvature(const tn_row *row, const tn_pair *at)
{
    switch (row->form) {
    case TN_ROW_COORD:
        return tn_v3_dot(row_unit(row->i), moving_separation(at).a);
    case TN_ROW_AXIS:
        return second_rate(moving_axis(&at->a, row->i), moving_separation(at));
    case TN_ROW_AXIS_B:
        return second_rate(moving_axis(&at->b, row->i), moving_separation(at));
    case TN_ROW_DOT:
        return second_rate(moving_axis(&at->a, row->i), moving_axis(&at->b, row->j));
    case TN_ROW_DISTANCE: {
        const moving d = moving_separation(at);
        return 0.5 * second_rate(d, d) * inverse_length(at);
    }
    case TN_ROW_LENGTH:
        return length_curvature(moving_separation(at));
    case TN_ROW_ANGLE:
        return angle_curvature(row, at);
    default:
        return general_curvature(row, at);
    }
}
