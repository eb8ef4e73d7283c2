// SPDX-License-Identifier: MIT
//
// Linear coordinates of a configuration group; see chart.h. On a factor R^3 x SO(3) with group
// velocity (p', Omega), Omega in body axes [Arn16, section 3.1], and without p on a factor SO(3):
//
//   LOCAL        p' = u',  w' = T(w)^-1 Omega                          [BCA12]
//   QUATERNION   e' = e o (0, Omega) / 2,   Omega = 2 Im(e* o e') / |e|^2
//   EULER        R = R_a(z1) R_b(z2) R_c(z3),  Omega = E(z) z' with the columns of E
//                E1 = R_c^T R_b^T a,  E2 = R_c^T b,  E3 = c
//
// The last to turn is c, so every column turns against the columns after it:
//
//   dE1 = E1 x (E2 dz2 + E3 dz3),   dE2 = E2 x E3 dz3,   dE3 = 0,
//
// and d(E^-1 Omega) = -E^-1 dE z'. |det E| is |sin z2| where a = c and |cos z2| otherwise.

#include "lie/chart.h"

#include "base/tolerance.h"
#include "lie/se3.h"
#include "lie/so3.h"
#include "text/options.h"

#include <string.h>

const char *const *const tn_euler_sequences = tn_euler_choices + 1; // behind "auto"

static const double EULER_NEAR = 0.1;    // |det E| below which angles run away
static const double LOCAL_LONGEST = 2.0; // [rad]; T^-1 has its pole at 2 pi
static const double LOCAL_REACH = 5.5;   // [rad]; T shrinks to 0.14 there, across the vector

// Sizes and memory

static int factor_size(tn_chart_kind kind, const tn_group *group)
{
    TN_ASSERT(kind == TN_CHART_LOCAL || group->kind != TN_GROUP_SE3);
    if (group->kind == TN_GROUP_R)
        return group->nq;
    return tn_group_turn(group) + (kind == TN_CHART_QUATERNION ? 4 : 3);
}

int tn_chart_size(tn_chart_kind kind, int ngroup, const tn_group *groups)
{
    int n = 0;
    for (int k = 0; k < ngroup; k++) {
        if (kind != TN_CHART_LOCAL && groups[k].kind == TN_GROUP_SE3)
            return -1;
        n += factor_size(kind, &groups[k]);
    }
    return n;
}

enum { SEQUENCES = 12 };

void tn_chart_layout(tn_chart *chart, tn_carve *mem)
{
    chart->nz = tn_chart_size(chart->kind, chart->ngroup, chart->groups);
    TN_ASSERT(chart->nz >= 0);
    chart->z0 = tn_carve_ints(mem, chart->ngroup + 1);
    TN_CARVE_CHOICES(mem, 0, SEQUENCES - 1, chart->ngroup, &chart->sequence);
    TN_CARVE_DOUBLES(mem, chart->nq, &chart->q0);
}

static void layout_chart(void *self, tn_carve *mem)
{
    tn_chart_layout(self, mem);
}

void tn_chart_values(tn_chart *chart, void *block, tn_values *v)
{
    tn_carve_values(chart, layout_chart, block, v);
}

void tn_chart_open(tn_chart *chart, int sequence)
{
    TN_ASSERT(chart->z0 && chart->q0 && sequence >= -1);
    chart->wanted = sequence;
    memset(chart->q0, 0, (size_t)chart->nq * sizeof(double));
    chart->z0[0] = 0;
    chart->linear = true;
    for (int k = 0; k < chart->ngroup; k++) {
        const tn_group *group = &chart->groups[k];
        chart->z0[k + 1] = chart->z0[k] + factor_size(chart->kind, group);
        chart->linear = chart->linear && group->kind == TN_GROUP_R && group->q0 == chart->z0[k] &&
                        group->v0 == chart->z0[k];
        chart->sequence[k] = sequence < 0 ? 0 : sequence;
        if (group->kind != TN_GROUP_R)
            tn_quat_to(tn_quat_identity, chart->q0 + group->q0 + tn_group_turn(group));
    }
}

// A factor of LOCAL whose increment is its slice of z.
static tn_group increment_of(const tn_chart *chart, int k)
{
    TN_ASSERT(k >= 0 && k < chart->ngroup);
    tn_group group = chart->groups[k];
    group.v0 = chart->z0[k];
    return group;
}

// Euler angles

typedef struct axes {
    int a, b, c;
} axes;

static axes axes_of(int sequence)
{
    TN_ASSERT(sequence >= 0 && tn_euler_sequences[sequence]);
    const char *name = tn_euler_sequences[sequence];
    return (axes){name[0] - 'x', name[1] - 'x', name[2] - 'x'};
}

int tn_euler_sequence(const char *name)
{
    for (int k = 0; name && tn_euler_sequences[k]; k++)
        if (strcmp(name, tn_euler_sequences[k]) == 0)
            return k;
    return -1;
}

static tn_vec3 chart_unit(int axis)
{
    TN_ASSERT(axis >= 0 && axis < 3);
    return tn_v3(axis == 0, axis == 1, axis == 2);
}

// +1 where i, j and the axis after them are x, y, z in a cycle, -1 where they go backwards.
static double turning(int i, int j)
{
    TN_ASSERT(i != j);
    return (i + 1) % 3 == j ? 1.0 : -1.0;
}

static tn_mat3 rotation_about(int axis, double angle)
{
    TN_ASSERT(axis >= 0 && axis < 3);
    return axis == 0 ? tn_m3_rot_x(angle) : axis == 1 ? tn_m3_rot_y(angle) : tn_m3_rot_z(angle);
}

static tn_quat quaternion_about(int axis, double angle)
{
    return tn_so3_exp_quat(tn_v3_scale(angle, chart_unit(axis)));
}

static tn_quat euler_quaternion(axes s, const double z[3])
{
    const tn_quat ab = tn_quat_mul(quaternion_about(s.a, z[0]), quaternion_about(s.b, z[1]));
    return tn_quat_normalize(tn_quat_mul(ab, quaternion_about(s.c, z[2])));
}

// The column c of R is R_a(z1) R_b(z2) c; the length of its part across a is |det E|, and its
// direction is z1, taken so that the sine (a = c) or cosine of z2 is positive. The rest, R_a(-z1) R
// = R_b(z2) R_c(z3), shows z2 in column c and z3 in row b, also where z2 is singular.
static void euler_angles(axes s, tn_mat3 R, double z[3])
{
    TN_ASSERT(s.a != s.b && s.b != s.c);
    const int d = 3 - s.a - s.b, f = 3 - s.b - s.c; // axes that complete a, b and b, c
    const double ab = turning(s.a, s.b), bc = turning(s.b, s.c);
    if (s.a == s.c)
        z[0] = atan2(R.m[s.b][s.c], -ab * R.m[d][s.c]);
    else
        z[0] = atan2(-ab * R.m[s.b][s.c], R.m[d][s.c]);
    const tn_mat3 rest = tn_m3_mul(rotation_about(s.a, -z[0]), R);
    z[1] = atan2(bc * rest.m[f][s.c], rest.m[s.c][s.c]);
    z[2] = atan2(bc * rest.m[s.b][f], rest.m[s.b][s.b]);
}

static double euler_distance(axes s, tn_mat3 R)
{
    return hypot(R.m[(s.a + 1) % 3][s.c], R.m[(s.a + 2) % 3][s.c]);
}

static tn_mat3 euler_matrix(axes s, const double z[3]) // E
{
    TN_ASSERT(s.a != s.b && s.b != s.c);
    const tn_mat3 Rb = rotation_about(s.b, z[1]), Rc = rotation_about(s.c, z[2]);
    return tn_m3_columns(tn_m3_apply_t(Rc, tn_m3_apply_t(Rb, chart_unit(s.a))),
                         tn_m3_apply_t(Rc, chart_unit(s.b)), chart_unit(s.c));
}

// d(E z')/dz with z' fixed
static tn_mat3 euler_turning(tn_mat3 E, tn_vec3 zdot)
{
    const tn_vec3 a = tn_m3_column(E, 0), b = tn_m3_column(E, 1), c = tn_m3_column(E, 2);
    const tn_vec3 by_c = tn_v3_axpy(zdot.x, a, tn_v3_scale(zdot.y, b));
    return tn_m3_columns(tn_v3(0, 0, 0), tn_v3_scale(zdot.x, tn_v3_cross(a, b)),
                         tn_v3_cross(by_c, c));
}

// The base

static bool take_base(tn_chart *chart, const double *q)
{
    bool changed = false;
    for (int k = 0; k < chart->ngroup; k++) {
        const tn_group *group = &chart->groups[k];
        const size_t size = (size_t)group->nq * sizeof(double);
        if (group->kind != TN_GROUP_R && memcmp(chart->q0 + group->q0, q + group->q0, size) != 0)
            changed = true;
        memcpy(chart->q0 + group->q0, q + group->q0, size);
    }
    return changed;
}

static int best_sequence(int wanted, tn_mat3 R)
{
    if (wanted >= 0 && euler_distance(axes_of(wanted), R) >= EULER_NEAR)
        return wanted;
    int best = 0;
    for (int i = 1; tn_euler_sequences[i]; i++)
        if (euler_distance(axes_of(i), R) > euler_distance(axes_of(best), R))
            best = i;
    return best;
}

static bool take_sequences(tn_chart *chart, const double *q)
{
    bool changed = false;
    for (int k = 0; k < chart->ngroup; k++) {
        const tn_group *group = &chart->groups[k];
        if (group->kind == TN_GROUP_R)
            continue;
        const tn_mat3 R = tn_quat_matrix(tn_quat_from(q + group->q0 + tn_group_turn(group)));
        const int best = best_sequence(chart->wanted, R);
        changed |= best != chart->sequence[k];
        chart->sequence[k] = best;
    }
    return changed;
}

bool tn_chart_base(tn_chart *chart, const double *q)
{
    if (chart->kind == TN_CHART_LOCAL)
        return take_base(chart, q);
    return chart->kind == TN_CHART_EULER && take_sequences(chart, q);
}

static bool factor_is_good(const tn_chart *chart, int k, const double *z)
{
    TN_ASSERT(chart->groups[k].kind != TN_GROUP_R);
    const double *turn = z + tn_group_turn(&chart->groups[k]);
    if (chart->kind == TN_CHART_LOCAL)
        return tn_v3_norm(tn_v3_from(turn)) <= LOCAL_LONGEST;
    if (chart->kind == TN_CHART_QUATERNION)
        return true;
    const axes s = axes_of(chart->sequence[k]);
    return fabs(s.a == s.c ? sin(turn[1]) : cos(turn[1])) >= EULER_NEAR;
}

bool tn_chart_is_good(const tn_chart *chart, const double *z)
{
    for (int k = 0; k < chart->ngroup; k++)
        if (chart->groups[k].kind != TN_GROUP_R && !factor_is_good(chart, k, z + chart->z0[k]))
            return false;
    return true;
}

bool tn_chart_reaches(const tn_chart *chart, const double *z)
{
    TN_ASSERT(chart->z0);
    for (int k = 0; k < chart->ngroup && chart->kind == TN_CHART_LOCAL; k++) {
        const tn_group *group = &chart->groups[k];
        const int turn = chart->z0[k] + tn_group_turn(group);
        if (group->kind != TN_GROUP_R && !(tn_v3_norm(tn_v3_from(z + turn)) <= LOCAL_REACH))
            return false;
    }
    return true;
}

// Positions

// A turn more of the first angle is the other quaternion of the same rotation: z has that of e.
static void euler_side(axes s, tn_quat e, double z[3])
{
    const tn_quat f = euler_quaternion(s, z);
    if (e.w * f.w + e.x * f.x + e.y * f.y + e.z * f.z < 0.0)
        z[0] += z[0] > 0.0 ? -2.0 * TN_PI : 2.0 * TN_PI;
}

static void factor_to_z(const tn_chart *chart, int k, const double *q, double *z)
{
    TN_ASSERT(chart->kind != TN_CHART_LOCAL);
    const int turn = tn_group_turn(&chart->groups[k]);
    memcpy(z, q, (size_t)turn * sizeof(double));
    const tn_quat e = tn_quat_from(q + turn);
    if (chart->kind == TN_CHART_QUATERNION) {
        tn_quat_to(e, z + turn);
        return;
    }
    const axes s = axes_of(chart->sequence[k]);
    euler_angles(s, tn_quat_matrix(tn_quat_normalize(e)), z + turn);
    euler_side(s, e, z + turn);
}

void tn_chart_to_z(const tn_chart *chart, const double *q, double *z)
{
    TN_ASSERT(q != z && chart->z0[chart->ngroup] == chart->nz);
    for (int k = 0; k < chart->ngroup; k++) {
        const tn_group group = increment_of(chart, k);
        if (group.kind == TN_GROUP_R)
            memcpy(z + group.v0, q + group.q0, (size_t)group.nq * sizeof(double));
        else if (chart->kind == TN_CHART_LOCAL)
            tn_group_difference(1, &group, chart->q0, q, z);
        else
            factor_to_z(chart, k, q + group.q0, z + group.v0);
    }
}

static void factor_to_q(const tn_chart *chart, int k, const double *z, double *q)
{
    TN_ASSERT(chart->kind != TN_CHART_LOCAL);
    const int turn = tn_group_turn(&chart->groups[k]);
    memcpy(q, z, (size_t)turn * sizeof(double));
    const tn_quat e = chart->kind == TN_CHART_QUATERNION
                          ? tn_quat_normalize(tn_quat_from(z + turn))
                          : euler_quaternion(axes_of(chart->sequence[k]), z + turn);
    tn_quat_to(e, q + turn);
}

void tn_chart_to_q(const tn_chart *chart, const double *z, double *q)
{
    TN_ASSERT(q != z && chart->z0[chart->ngroup] == chart->nz);
    for (int k = 0; k < chart->ngroup; k++) {
        const tn_group group = increment_of(chart, k);
        if (group.kind == TN_GROUP_R)
            memcpy(q + group.q0, z + group.v0, (size_t)group.nq * sizeof(double));
        else if (chart->kind == TN_CHART_LOCAL)
            tn_group_retract(1, &group, chart->q0, z, q);
        else
            factor_to_q(chart, k, z + group.v0, q + group.q0);
    }
}

// Rates: the rotational part of R^3 x SO(3), or all six of SE(3)

static void apply6(double A[6][6], const double *x, double *out)
{
    double sum[6] = {0};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            sum[i] += A[i][j] * x[j];
    memcpy(out, sum, sizeof(sum));
}

// e o (0, x) / 2
static tn_quat half_product(tn_quat e, tn_vec3 x)
{
    return tn_quat_mul(e, (tn_quat){0.0, 0.5 * x.x, 0.5 * x.y, 0.5 * x.z});
}

static void rotation_rates(const tn_chart *chart, int k, const double *z, tn_vec3 omega,
                           double *out)
{
    if (chart->kind == TN_CHART_QUATERNION)
        tn_quat_to(half_product(tn_quat_from(z), omega), out);
    else if (chart->kind == TN_CHART_EULER)
        tn_v3_to(tn_m3_apply(tn_m3_inverse(euler_matrix(axes_of(chart->sequence[k]), z)), omega),
                 out);
    else
        tn_v3_to(tn_m3_apply(tn_so3_tangent_inv(tn_v3_from(z)), omega), out);
}

void tn_chart_rates(const tn_chart *chart, const double *z, const double *v, double *zdot)
{
    TN_ASSERT(zdot != v && zdot != z);
    for (int k = 0; k < chart->ngroup; k++) {
        const tn_group *group = &chart->groups[k];
        const int turn = tn_group_turn(group);
        const double *zk = z + chart->z0[k], *vk = v + group->v0;
        double *out = zdot + chart->z0[k];
        if (group->kind == TN_GROUP_SE3) {
            double inverse_tangent[6][6];
            tn_se3_tangent_inv(zk, inverse_tangent);
            apply6(inverse_tangent, vk, out);
        } else if (group->kind != TN_GROUP_R) {
            memcpy(out, vk, (size_t)turn * sizeof(double));
            rotation_rates(chart, k, zk + turn, tn_v3_from(vk + turn), out + turn);
        } else {
            memcpy(out, vk, (size_t)group->nv * sizeof(double));
        }
    }
}

static tn_vec3 rotation_velocity(const tn_chart *chart, int k, const double *z, const double *zdot)
{
    if (chart->kind == TN_CHART_QUATERNION) {
        const tn_quat e = tn_quat_from(z), turn = tn_quat_mul(tn_quat_conj(e), tn_quat_from(zdot));
        const double length = tn_quat_norm(e);
        return tn_v3_scale(2.0 / (length * length), tn_v3(turn.x, turn.y, turn.z));
    }
    const tn_mat3 Y = chart->kind == TN_CHART_EULER ? euler_matrix(axes_of(chart->sequence[k]), z)
                                                    : tn_so3_tangent(tn_v3_from(z));
    return tn_m3_apply(Y, tn_v3_from(zdot));
}

void tn_chart_velocity(const tn_chart *chart, const double *z, const double *zdot, double *v)
{
    TN_ASSERT(v != zdot && v != z);
    for (int k = 0; k < chart->ngroup; k++) {
        const tn_group *group = &chart->groups[k];
        const int turn = tn_group_turn(group);
        const double *zk = z + chart->z0[k], *rate = zdot + chart->z0[k];
        double *out = v + group->v0;
        if (group->kind == TN_GROUP_SE3) {
            double tangent[6][6];
            tn_se3_tangent(zk, tangent);
            apply6(tangent, rate, out);
        } else if (group->kind != TN_GROUP_R) {
            memcpy(out, rate, (size_t)turn * sizeof(double));
            tn_v3_to(rotation_velocity(chart, k, zk + turn, rate + turn), out + turn);
        } else {
            memcpy(out, rate, (size_t)group->nv * sizeof(double));
        }
    }
}

// Derivatives of A(z) v

static void rotation_along(const tn_chart *chart, int k, const double *z, tn_vec3 omega,
                           const double *dz, double *out)
{
    TN_ASSERT(out != z && out != dz);
    if (chart->kind == TN_CHART_QUATERNION) {
        tn_quat_to(half_product(tn_quat_from(dz), omega), out);
    } else if (chart->kind == TN_CHART_EULER) {
        const tn_mat3 E = euler_matrix(axes_of(chart->sequence[k]), z), back = tn_m3_inverse(E);
        const tn_mat3 turn = euler_turning(E, tn_m3_apply(back, omega));
        tn_v3_to(tn_v3_neg(tn_m3_apply(back, tn_m3_apply(turn, tn_v3_from(dz)))), out);
    } else {
        const tn_mat3 D = tn_so3_tangent_inv_deriv(tn_v3_from(z), omega);
        tn_v3_to(tn_m3_apply(D, tn_v3_from(dz)), out);
    }
}

void tn_chart_rates_along(const tn_chart *chart, const double *z, const double *v, const double *dz,
                          double *out)
{
    TN_ASSERT(out != z && out != v);
    for (int k = 0; k < chart->ngroup; k++) {
        const tn_group *group = &chart->groups[k];
        const int z0 = chart->z0[k], turn = tn_group_turn(group), zt = z0 + turn;
        const double *vk = v + group->v0;
        if (group->kind == TN_GROUP_SE3) {
            tn_se3_tangent_inv_along(z + z0, vk, dz + z0, out + z0);
        } else if (group->kind != TN_GROUP_R) {
            rotation_along(chart, k, z + zt, tn_v3_from(vk + turn), dz + zt, out + zt);
            memset(out + z0, 0, (size_t)turn * sizeof(double));
        } else {
            memset(out + z0, 0, (size_t)group->nv * sizeof(double));
        }
    }
}

void tn_chart_renormalise(const tn_chart *chart, double *z)
{
    for (int k = 0; k < chart->ngroup && chart->kind == TN_CHART_QUATERNION; k++) {
        double *e = z + chart->z0[k] + tn_group_turn(&chart->groups[k]);
        if (chart->groups[k].kind != TN_GROUP_R)
            tn_quat_to(tn_quat_normalize(tn_quat_from(e)), e);
    }
}

// Position of the reference point: an increment of LOCAL is as small as the step, the point need
// not be near the origin.
static tn_vec3 position(const tn_chart *chart, int k, const double *z)
{
    TN_ASSERT(tn_group_turn(&chart->groups[k]) == 3);
    if (chart->kind != TN_CHART_LOCAL)
        return tn_v3_from(z + chart->z0[k]);
    tn_group group = increment_of(chart, k);
    const double *base = chart->q0 + group.q0;
    double q[7];
    group.q0 = 0;
    tn_group_retract(1, &group, base, z, q);
    return tn_v3_from(q);
}

void tn_chart_sizes(const tn_chart *chart, const double *z, double *size)
{
    for (int k = 0; k < chart->ngroup; k++) {
        const bool linear = chart->groups[k].kind == TN_GROUP_R;
        const int turn =
            linear ? chart->z0[k + 1] : chart->z0[k] + tn_group_turn(&chart->groups[k]);
        const double distance =
            linear || turn == chart->z0[k] ? 0.0 : tn_v3_norm(position(chart, k, z));
        for (int i = chart->z0[k]; i < chart->z0[k + 1]; i++)
            size[i] = linear ? fabs(z[i]) : i < turn ? distance : 1.0;
    }
}
