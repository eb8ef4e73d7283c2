// SPDX-License-Identifier: MIT
//
// Charts of every kind, and all twelve sequences of Euler angles, on products of all factors: they
// invert themselves, their rates are those of the group's own flow, derivatives match differences,
// and near their ends they say so.

#include "test.h"

#include "base/alloc.h"
#include "lie/chart.h"
#include "lie/coefficients.h"
#include "tenon/spatial.h"

static const double ROUNDOFF = 2e-14; // a few dozen operations on numbers up to ten
static const double STEP = 1e-4;      // of differences of fourth order, error h^4 / 30 f^(5)
static const double TRUNCATION = 1e-8;

// Slices in another order than the factors, with gaps.
static const tn_group rigid[] = {
    {TN_GROUP_R, 10, 7, 0, 7}, {TN_GROUP_SO3, 2, 7, 9, 6},   {TN_GROUP_SE3, 18, 7, 16, 6},
    {TN_GROUP_R, 0, 2, 22, 2}, {TN_GROUP_SO3, 25, 7, 24, 6}, {TN_GROUP_ROTATION, 32, 4, 30, 3},
};
// Without SE(3), for the other kinds.
static const tn_group spatial[] = {
    {TN_GROUP_R, 10, 7, 0, 7},    {TN_GROUP_SO3, 2, 7, 9, 6},        {TN_GROUP_R, 0, 2, 22, 2},
    {TN_GROUP_SO3, 25, 7, 24, 6}, {TN_GROUP_ROTATION, 32, 4, 30, 3},
};
enum { NQ = 36, NV = 33, NZ_MAX = 36 };

typedef struct bench {
    tn_chart chart;
    void *block;
} bench;

static void layout(void *self, tn_carve *mem)
{
    tn_chart_layout(self, mem);
}

static void open_chart(bench *b, tn_chart_kind kind, int sequence)
{
    const bool local = kind == TN_CHART_LOCAL;
    b->chart = (tn_chart){.kind = kind,
                          .ngroup = local ? TN_COUNT(rigid) : TN_COUNT(spatial),
                          .nq = NQ,
                          .nv = NV,
                          .groups = local ? rigid : spatial};
    CHECK_OK(tn_carve_block(&b->chart, layout, &b->block));
    tn_chart_open(&b->chart, sequence);
}

static void close_chart(bench *b)
{
    tn_free(b->block);
}

static int sequence_count(void)
{
    int n = 0;
    while (tn_euler_sequences[n])
        n++;
    return n;
}

// LOCAL, QUATERNION, then EULER in every sequence.
static void check_each(void (*check)(bench *b))
{
    for (int i = 0; i < 2 + sequence_count(); i++) {
        bench b;
        open_chart(&b, i < 2 ? (tn_chart_kind)i : TN_CHART_EULER, i < 2 ? -1 : i - 2);
        for (int k = 0; k < 20; k++)
            check(&b);
        close_chart(&b);
    }
}

static void random_q(const tn_chart *chart, double *q)
{
    for (int i = 0; i < NQ; i++)
        q[i] = 5.0 * tn_random();
    for (int k = 0; k < chart->ngroup; k++) {
        double *e = q + chart->groups[k].q0 + tn_group_turn(&chart->groups[k]);
        if (chart->groups[k].kind != TN_GROUP_R)
            tn_quat_to(tn_quat_normalize(tn_quat_from(e)), e);
    }
}

static void random_v(double *v)
{
    for (int i = 0; i < NV; i++)
        v[i] = tn_random();
}

// Coordinates that are good by a margin: at 0.3 from the singularity the derivatives that bound the
// error of differences stay below some thousands.
static void random_z(tn_chart *chart, double *z)
{
    double q[NQ];
    random_q(chart, q);
    tn_chart_base(chart, q);
    tn_chart_to_z(chart, q, z);
    for (int k = 0; k < chart->ngroup; k++) {
        const int first = tn_group_turn(&chart->groups[k]);
        double *turn = z + chart->z0[k] + first;
        if (chart->groups[k].kind == TN_GROUP_R)
            continue;
        if (chart->kind == TN_CHART_LOCAL)
            for (int i = -first; i < 3; i++)
                turn[i] = 1.1 * tn_random();
        if (chart->kind == TN_CHART_QUATERNION)
            for (int i = 0; i < 4; i++)
                turn[i] *= 1.5; // the length has no meaning
        if (chart->kind == TN_CHART_EULER) {
            const char *name = tn_euler_sequences[chart->sequence[k]];
            turn[0] = 3.0 * tn_random();
            turn[1] = 1.2 * tn_random() + (name[0] == name[2] ? 1.5707963 : 0.0);
            turn[2] = 3.0 * tn_random();
        }
    }
}

// The group element of b seen from a, factor by factor: zero where they are the same.
static double distance(const tn_chart *chart, const double *a, const double *b)
{
    double x[NV] = {0}, size = 0.0;
    tn_group_difference(chart->ngroup, chart->groups, a, b, x);
    for (int i = 0; i < NV; i++)
        size = fmax(size, fabs(x[i]));
    return size;
}

static void check_sizes(bench *b)
{
    const tn_chart *chart = &b->chart;
    const int nz = tn_chart_size(chart->kind, chart->ngroup, chart->groups);
    CHECK(nz == (chart->kind == TN_CHART_LOCAL ? 30 : chart->kind == TN_CHART_EULER ? 24 : 27));
    CHECK(chart->nz == nz && chart->z0[0] == 0 && chart->z0[chart->ngroup] == nz);
    CHECK(chart->z0[1] == 7);
}

static void sizes_add_up(void)
{
    check_each(check_sizes);
    CHECK(tn_chart_size(TN_CHART_QUATERNION, TN_COUNT(rigid), rigid) == -1);
    CHECK(tn_chart_size(TN_CHART_EULER, TN_COUNT(rigid), rigid) == -1);
}

static void check_round_trip(bench *b)
{
    double q[NQ], q1[NQ] = {0}, z[NZ_MAX], z1[NZ_MAX];
    random_q(&b->chart, q);
    tn_chart_base(&b->chart, q);
    random_q(&b->chart, q);
    tn_chart_to_z(&b->chart, q, z);
    tn_chart_to_q(&b->chart, z, q1);
    // sequences may be near their singularity here; that costs angles, never the rotation
    CHECK_NEAR(distance(&b->chart, q, q1), 0.0, 10.0 * ROUNDOFF);
    random_z(&b->chart, z);
    if (b->chart.kind == TN_CHART_QUATERNION)
        tn_chart_renormalise(&b->chart, z);
    tn_chart_to_q(&b->chart, z, q1);
    tn_chart_to_z(&b->chart, q1, z1);
    for (int i = 0; i < b->chart.nz; i++)
        CHECK_NEAR(z1[i], z[i], 10.0 * ROUNDOFF);
}

static void positions_return(void)
{
    check_each(check_round_trip);
}

static void linear_factors_are_themselves(void)
{
    for (int kind = 0; kind < 3; kind++) {
        bench b;
        double q[NQ], z[NZ_MAX], v[NV], zdot[NZ_MAX];
        open_chart(&b, (tn_chart_kind)kind, -1);
        random_q(&b.chart, q);
        random_v(v);
        tn_chart_base(&b.chart, q);
        q[10] = 77.0;
        tn_chart_to_z(&b.chart, q, z);
        tn_chart_rates(&b.chart, z, v, zdot);
        for (int i = 0; i < 7; i++)
            CHECK(z[i] == q[10 + i] && zdot[i] == v[i]);
        close_chart(&b);
    }
}

static void local_coordinates_vanish_at_the_base(void)
{
    bench b;
    double q[NQ], z[NZ_MAX], v[NV], zdot[NZ_MAX];
    open_chart(&b, TN_CHART_LOCAL, -1);
    random_q(&b.chart, q);
    random_v(v);
    CHECK(tn_chart_base(&b.chart, q));
    CHECK(!tn_chart_base(&b.chart, q)); // the same base again changes nothing
    tn_chart_to_z(&b.chart, q, z);
    tn_chart_rates(&b.chart, z, v, zdot);
    for (int k = 0; k < b.chart.ngroup; k++)
        for (int i = 0; i < rigid[k].nv && rigid[k].kind != TN_GROUP_R; i++) {
            CHECK_NEAR(z[b.chart.z0[k] + i], 0.0, 1e-15);
            CHECK_NEAR(zdot[b.chart.z0[k] + i], v[rigid[k].v0 + i], 1e-14);
        }
    q[10] += 1.0; // a linear factor has no base
    CHECK(!tn_chart_base(&b.chart, q));
    q[2] += 1.0;
    CHECK(tn_chart_base(&b.chart, q));
    close_chart(&b);
}

static void check_inverse(bench *b)
{
    double z[NZ_MAX], zdot[NZ_MAX], v[NV], back[NV];
    random_z(&b->chart, z);
    random_v(v);
    memcpy(back, v, sizeof(v)); // gaps stay
    tn_chart_rates(&b->chart, z, v, zdot);
    tn_chart_velocity(&b->chart, z, zdot, back);
    for (int i = 0; i < NV; i++)
        CHECK_NEAR(back[i], v[i], ROUNDOFF);
}

static void velocity_undoes_the_rates(void)
{
    check_each(check_inverse);
}

// Central difference of fourth order of a function of one variable, given at -2, -1, 1, 2 steps.
static double slope(const double f[4])
{
    return (f[0] - 8.0 * f[1] + 8.0 * f[2] - f[3]) / (12.0 * STEP);
}

static const double places[] = {-2.0, -1.0, 1.0, 2.0};

// The body that moves with v along the flow of the group has these coordinates.
static void check_flow(bench *b)
{
    double z[NZ_MAX], zdot[NZ_MAX], v[NV], x[NV], q[NQ] = {0}, q1[NQ] = {0}, moved[4][NZ_MAX];
    random_z(&b->chart, z);
    if (b->chart.kind == TN_CHART_QUATERNION)
        tn_chart_renormalise(&b->chart, z);
    random_v(v);
    tn_chart_to_q(&b->chart, z, q);
    tn_chart_rates(&b->chart, z, v, zdot);
    for (int p = 0; p < 4; p++) {
        for (int i = 0; i < NV; i++)
            x[i] = places[p] * STEP * v[i];
        tn_group_retract(b->chart.ngroup, b->chart.groups, q, x, q1);
        tn_chart_to_z(&b->chart, q1, moved[p]);
    }
    for (int i = 0; i < b->chart.nz; i++) {
        const double f[] = {moved[0][i], moved[1][i], moved[2][i], moved[3][i]};
        CHECK_NEAR(slope(f), zdot[i], TRUNCATION);
    }
}

static void rates_follow_the_flow_of_the_group(void)
{
    check_each(check_flow);
}

// The other way round: along z' the group element moves with v.
static void check_velocity(bench *b)
{
    double z[NZ_MAX], zdot[NZ_MAX], v[NV], zs[NZ_MAX], q[NQ] = {0}, q1[NQ] = {0}, x[4][NV] = {{0}};
    random_z(&b->chart, z);
    random_v(v);
    tn_chart_to_q(&b->chart, z, q);
    tn_chart_rates(&b->chart, z, v, zdot);
    for (int p = 0; p < 4; p++) {
        for (int i = 0; i < b->chart.nz; i++)
            zs[i] = z[i] + places[p] * STEP * zdot[i];
        tn_chart_to_q(&b->chart, zs, q1);
        tn_group_difference(b->chart.ngroup, b->chart.groups, q, q1, x[p]);
    }
    for (int k = 0; k < b->chart.ngroup; k++)
        for (int i = b->chart.groups[k].v0; i < b->chart.groups[k].v0 + b->chart.groups[k].nv;
             i++) {
            const double f[] = {x[0][i], x[1][i], x[2][i], x[3][i]};
            CHECK_NEAR(slope(f), v[i], TRUNCATION);
        }
}

static void group_follows_the_rates(void)
{
    check_each(check_velocity);
}

static void check_along(bench *b)
{
    double z[NZ_MAX], dz[NZ_MAX], zs[NZ_MAX], v[NV], out[NZ_MAX], rates[4][NZ_MAX];
    random_z(&b->chart, z);
    random_v(v);
    for (int i = 0; i < NZ_MAX; i++)
        dz[i] = tn_random();
    tn_chart_rates_along(&b->chart, z, v, dz, out);
    for (int p = 0; p < 4; p++) {
        for (int i = 0; i < b->chart.nz; i++)
            zs[i] = z[i] + places[p] * STEP * dz[i];
        tn_chart_rates(&b->chart, zs, v, rates[p]);
    }
    for (int i = 0; i < b->chart.nz; i++) {
        const double f[] = {rates[0][i], rates[1][i], rates[2][i], rates[3][i]};
        CHECK_NEAR(slope(f), out[i], TRUNCATION);
    }
}

static void derivatives_match_differences(void)
{
    check_each(check_along);
}

// P x = Y d(A v)/dz (A x) of factor k, column by column: the derivative in increments.
static void bend(const tn_chart *chart, int k, const double *z, const double *v, double P[6][6])
{
    const tn_group *group = &chart->groups[k];
    memset(P, 0, 36 * sizeof(double));
    for (int j = 0; j < group->nv && j < 6; j++) {
        double x[NV] = {0}, dz[NZ_MAX], out[NZ_MAX], column[NV] = {0};
        x[group->v0 + j] = 1.0;
        tn_chart_rates(chart, z, x, dz);
        tn_chart_rates_along(chart, z, v, dz, out);
        tn_chart_velocity(chart, z, out, column);
        for (int i = 0; i < group->nv && i < 6; i++)
            P[i][j] = column[group->v0 + i];
    }
}

// -ad(v) / 2 for LOCAL at its base and for QUATERNION anywhere.
static void bend_is_half_the_bracket(void)
{
    for (int kind = 0; kind < 2; kind++) {
        bench b;
        double q[NQ], z[NZ_MAX], v[NV], P[6][6];
        open_chart(&b, (tn_chart_kind)kind, -1);
        random_q(&b.chart, q);
        random_v(v);
        tn_chart_base(&b.chart, q);
        tn_chart_to_z(&b.chart, q, z);
        for (int k = 0; k < b.chart.ngroup; k++) {
            const tn_group *group = &b.chart.groups[k];
            const tn_mat3 U = tn_m3_skew(tn_v3_from(v + group->v0));
            const int turn = tn_group_turn(group);
            const tn_mat3 W = tn_m3_skew(tn_v3_from(v + group->v0 + turn));
            bend(&b.chart, k, z, v, P);
            for (int i = 0; i < 36; i++) {
                const int row = i / 6, column = i % 6;
                double ad = 0.0;
                if (group->kind != TN_GROUP_R && row >= turn && column >= turn && row < turn + 3 &&
                    column < turn + 3)
                    ad = W.m[row - turn][column - turn];
                if (group->kind == TN_GROUP_SE3 && row < 3)
                    ad = column < 3 ? W.m[row][column] : U.m[row][column - 3];
                CHECK_NEAR(P[row][column], -0.5 * ad, 1e-14);
            }
        }
        close_chart(&b);
    }
}

// epsilon from the partial fractions of the cotangent, in long double: 16 / ((2 pi n)^2 - s)^3 over
// all n, the tail beyond N by its integral.
static void second_derivative_of_the_inverse_is_accurate(void)
{
    static const double angles[] = {0.0,       1e-9, 0.1, 1.0, 1.9999999, 2.0,
                                    2.0000001, 2.9,  3.1, 4.0, 6.0};
    const long double turn = 6.283185307179586476925L;
    enum { N = 2000 };
    for (int i = 0; i < TN_COUNT(angles); i++) {
        const double s = angles[i] * angles[i];
        long double sum = 0.0L;
        for (int n = N; n >= 1; n--) {
            const long double a = turn * n * turn * n - s;
            sum += 16.0L / (a * a * a);
        }
        sum += 16.0L / (5.0L * powl(turn, 6.0L) * powl(N + 0.5L, 5.0L));
        // above 2 the formula in gamma and delta loses a digit to cancellation
        CHECK_NEAR(tn_lie_epsilon(s) / (double)sum, 1.0, angles[i] < 2.0 ? 2e-15 : 1e-13);
    }
}

static void lengths_of_quaternions_do_not_matter(void)
{
    bench b;
    double z[NZ_MAX], z1[NZ_MAX], q[NQ] = {0}, q1[NQ] = {0};
    open_chart(&b, TN_CHART_QUATERNION, -1);
    random_z(&b.chart, z);
    memcpy(z1, z, sizeof(z));
    tn_chart_renormalise(&b.chart, z1);
    tn_chart_to_q(&b.chart, z, q);
    tn_chart_to_q(&b.chart, z1, q1);
    CHECK_NEAR(distance(&b.chart, q, q1), 0.0, 1e-15);
    for (int k = 0; k < b.chart.ngroup; k++) {
        const int z0 = b.chart.z0[k];
        const bool turns = b.chart.groups[k].kind != TN_GROUP_R;
        const int turn = turns ? tn_group_turn(&b.chart.groups[k]) : b.chart.groups[k].nq;
        if (turns)
            CHECK_NEAR(tn_quat_norm(tn_quat_from(z1 + z0 + turn)), 1.0, 1e-15);
        for (int i = 0; i < turn; i++)
            CHECK(z1[z0 + i] == z[z0 + i]);
    }
    close_chart(&b);
    open_chart(&b, TN_CHART_EULER, 0); // nothing to do for the others
    random_z(&b.chart, z);
    memcpy(z1, z, sizeof(z));
    tn_chart_renormalise(&b.chart, z1);
    CHECK(memcmp(z, z1, sizeof(z)) == 0);
    close_chart(&b);
}

static void typical_sizes_are_those_of_the_positions(void)
{
    for (int kind = 0; kind < 3; kind++) {
        bench b;
        double q[NQ], z[NZ_MAX], size[NZ_MAX];
        open_chart(&b, (tn_chart_kind)kind, -1);
        random_q(&b.chart, q);
        tn_chart_base(&b.chart, q);
        tn_chart_to_z(&b.chart, q, z);
        tn_chart_sizes(&b.chart, z, size);
        for (int k = 0; k < b.chart.ngroup; k++) {
            const double *at = q + b.chart.groups[k].q0;
            const bool linear = b.chart.groups[k].kind == TN_GROUP_R;
            const int turn = linear ? b.chart.groups[k].nq : tn_group_turn(&b.chart.groups[k]);
            for (int i = 0; i < b.chart.z0[k + 1] - b.chart.z0[k]; i++) {
                const double there = linear ? fabs(at[i]) : tn_v3_norm(tn_v3_from(at));
                CHECK_NEAR(size[b.chart.z0[k] + i], i < turn ? there : 1.0, 1e-14);
            }
        }
        close_chart(&b);
    }
}

// One body whose middle angle is `off` away from the singularity of the sequence.
static void near_singular(int sequence, double off, double z[6])
{
    const char *name = tn_euler_sequences[sequence];
    for (int i = 0; i < 6; i++)
        z[i] = 3.0 * tn_random();
    z[4] = off + (name[0] == name[2] ? 0.0 : 1.57079632679489661923);
}

static void sequences_change_near_their_singularity(void)
{
    static const tn_group body = {TN_GROUP_SO3, 0, 7, 0, 6};
    static const double offs[] = {-0.1, 0.0, 1e-8, 0.05, 0.1}; // sin 0.1 < 0.1
    for (int sequence = 0; sequence < sequence_count(); sequence++)
        for (int i = 0; i < TN_COUNT(offs); i++) {
            tn_chart chart = {TN_CHART_EULER, 1, 7, 6, &body, 0, NULL, NULL, 0, NULL, false};
            void *block;
            double z[6], q[7], q1[7], x[6];
            CHECK_OK(tn_carve_block(&chart, layout, &block));
            tn_chart_open(&chart, sequence);
            near_singular(sequence, offs[i], z);
            CHECK(!tn_chart_is_good(&chart, z));
            tn_chart_to_q(&chart, z, q);
            CHECK(tn_chart_base(&chart, q)); // another sequence
            CHECK(chart.sequence[0] != sequence && chart.wanted == sequence);
            tn_chart_to_z(&chart, q, z);
            CHECK(tn_chart_is_good(&chart, z));
            // the best of twelve: some of the nine R_ij is at most 1/sqrt(3) in size
            CHECK(fabs(tn_euler_sequences[chart.sequence[0]][0] ==
                               tn_euler_sequences[chart.sequence[0]][2]
                           ? sin(z[4])
                           : cos(z[4])) >= sqrt(2.0 / 3.0));
            tn_chart_to_q(&chart, z, q1);
            tn_group_difference(1, &body, q, q1, x);
            for (int j = 0; j < 6; j++)
                CHECK_NEAR(x[j], 0.0, ROUNDOFF);
            CHECK(!tn_chart_base(&chart, q)); // stays
            // away from the singularity the wanted one comes back
            const int other = chart.sequence[0];
            chart.sequence[0] = sequence;
            near_singular(sequence, 0.11, z);
            CHECK(tn_chart_is_good(&chart, z));
            tn_chart_to_q(&chart, z, q);
            chart.sequence[0] = other;
            CHECK(tn_chart_base(&chart, q) && chart.sequence[0] == sequence);
            tn_free(block);
        }
}

// At the singularity itself angles are not unique, but the rotation is kept.
static void singular_rotations_have_angles(void)
{
    static const tn_group body = {TN_GROUP_SO3, 0, 7, 0, 6};
    for (int sequence = 0; sequence < sequence_count(); sequence++)
        for (int k = 0; k < 4; k++) {
            tn_chart chart = {TN_CHART_EULER, 1, 7, 6, &body, 0, NULL, NULL, 0, NULL, false};
            void *block;
            double z[6], q[7], q1[7], x[6];
            CHECK_OK(tn_carve_block(&chart, layout, &block));
            tn_chart_open(&chart, sequence);
            near_singular(sequence, k % 2 ? 3.14159265358979323846 : 0.0, z);
            tn_chart_to_q(&chart, z, q);
            tn_chart_to_z(&chart, q, z);
            tn_chart_to_q(&chart, z, q1);
            tn_group_difference(1, &body, q, q1, x);
            for (int j = 0; j < 6; j++)
                CHECK_NEAR(x[j], 0.0, ROUNDOFF);
            tn_free(block);
        }
}

static void angles_follow_their_definition(void)
{
    static const tn_group body = {TN_GROUP_SO3, 0, 7, 0, 6};
    for (int sequence = 0; sequence < sequence_count(); sequence++) {
        tn_chart chart = {TN_CHART_EULER, 1, 7, 6, &body, 0, NULL, NULL, 0, NULL, false};
        void *block;
        double z[6], q[7];
        CHECK_OK(tn_carve_block(&chart, layout, &block));
        tn_chart_open(&chart, sequence);
        near_singular(sequence, 1.0, z);
        tn_mat3 R = tn_m3_identity;
        for (int i = 0; i < 3; i++) {
            const char axis = tn_euler_sequences[sequence][i];
            const double a = z[3 + i];
            R = tn_m3_mul(R, axis == 'x'   ? tn_m3_rot_x(a)
                             : axis == 'y' ? tn_m3_rot_y(a)
                                           : tn_m3_rot_z(a));
        }
        tn_chart_to_q(&chart, z, q);
        const tn_mat3 Q = tn_quat_matrix(tn_quat_from(q + 3));
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(Q.m[i / 3][i % 3], R.m[i / 3][i % 3], 1e-15);
        tn_free(block);
    }
    CHECK(sequence_count() == 12);
}

static void long_rotation_vectors_ask_for_a_new_base(void)
{
    bench b;
    double z[NZ_MAX] = {0};
    open_chart(&b, TN_CHART_LOCAL, -1);
    CHECK(tn_chart_is_good(&b.chart, z));
    z[0] = z[b.chart.z0[1]] = z[b.chart.z0[2] + 1] = 100.0; // translations may be long
    z[b.chart.z0[2] + 3] = 1.99;
    CHECK(tn_chart_is_good(&b.chart, z));
    z[b.chart.z0[2] + 4] = 0.3;
    CHECK(!tn_chart_is_good(&b.chart, z));
    z[b.chart.z0[2] + 4] = NAN;
    CHECK(!tn_chart_is_good(&b.chart, z));
    z[b.chart.z0[2] + 4] = 0.0;
    z[b.chart.z0[5]] = 1.99; // a factor of rotations alone
    CHECK(tn_chart_is_good(&b.chart, z));
    z[b.chart.z0[5]] = 2.01;
    CHECK(!tn_chart_is_good(&b.chart, z));
    close_chart(&b);
}

static const tn_test tests[] = {
    {"sizes add up", sizes_add_up},
    {"positions return", positions_return},
    {"linear factors are themselves", linear_factors_are_themselves},
    {"local coordinates vanish at the base", local_coordinates_vanish_at_the_base},
    {"velocity undoes the rates", velocity_undoes_the_rates},
    {"rates follow the flow of the group", rates_follow_the_flow_of_the_group},
    {"group follows the rates", group_follows_the_rates},
    {"derivatives match differences", derivatives_match_differences},
    {"bend is half the bracket", bend_is_half_the_bracket},
    {"second derivative of the inverse is accurate", second_derivative_of_the_inverse_is_accurate},
    {"lengths of quaternions do not matter", lengths_of_quaternions_do_not_matter},
    {"typical sizes are those of the positions", typical_sizes_are_those_of_the_positions},
    {"sequences change near their singularity", sequences_change_near_their_singularity},
    {"singular rotations have angles", singular_rotations_have_angles},
    {"angles follow their definition", angles_follow_their_definition},
    {"long rotation vectors ask for a new base", long_rotation_vectors_ask_for_a_new_base},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
