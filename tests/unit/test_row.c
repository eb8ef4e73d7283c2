// SPDX-License-Identifier: MIT
//
// Every row form against differences: G against those of the value, H against those of G, both in
// states where no joint is assembled (general frames, d of size one) and where one is (shared
// origin, shared axis); row'' along a smooth motion; the branches of an angle.

#include "lie/so3.h"
#include "row/row.h"
#include "tenon/model.h"
#include "test.h"

// Central differences with step 1e-5: truncation 1e-10 / 6 times a third derivative of up to 400
// (LENGTH and ANGLE, whose denominators are kept above 0.5), round-off 1e-15 / 1e-5.
static const double STEP = 1e-5;
static const double DIFFERENCE = 1e-8;
static const double ROUNDOFF = 1e-13; // a few dozen operations on numbers of size one
static const double PI = 3.14159265358979323846;

static const tn_row rows[] = {
    {TN_ROW_COORD, TN_X, 0, 0, 0},
    {TN_ROW_COORD, TN_Y, 0, 0, 0},
    {TN_ROW_COORD, TN_Z, 0, 0, 0},
    {TN_ROW_AXIS, TN_X, 0, 0, 0},
    {TN_ROW_AXIS, TN_Y, 0, 0, 0},
    {TN_ROW_AXIS, TN_Z, 0, 0, 0},
    {TN_ROW_AXIS_B, TN_X, 0, 0, 0},
    {TN_ROW_AXIS_B, TN_Z, 0, 0, 0},
    {TN_ROW_DOT, TN_X, TN_X, 0, 0},
    {TN_ROW_DOT, TN_X, TN_Z, 0, 0},
    {TN_ROW_DOT, TN_Y, TN_Z, 0, 0},
    {TN_ROW_DISTANCE, 0, 0, 0, 0},
    {TN_ROW_LENGTH, 0, 0, 0, 0},
    {TN_ROW_ANGLE, TN_Y, TN_X, TN_X, TN_X},
    {TN_ROW_ANGLE, TN_Z, TN_Y, TN_Y, TN_Y},
    {TN_ROW_ANGLE, TN_X, TN_Z, TN_X, TN_X},
    {TN_ROW_TURN, TN_X, 0, 0, 0},
    {TN_ROW_TURN, TN_Y, 0, 0, 0},
    {TN_ROW_TURN, TN_Z, 0, 0, 0},
    {TN_ROW_HEIGHT, 0, TN_Z, 0, 0},
    {TN_ROW_HEIGHT, 0, TN_Z, 1, 0},
    {TN_ROW_ROLL, 0, TN_Z, 0, 0},
    {TN_ROW_ROLL, 1, TN_Z, 0, 0},
    {TN_ROW_ROLL, 0, TN_X, 0, 0},
    {TN_ROW_ROLL, 0, 0, 1, 0},
    {TN_ROW_ROLL, 1, 0, 1, 0},
    {TN_ROW_SPIN, 0, 0, 0, 0},
};

// Two bodies with an attachment frame each, from which the pair of frames follows.
typedef struct state {
    tn_frame body[2], local[2];
    tn_twist V[2]; // world
} state;

static tn_vec3 random_vec3(void)
{
    const double x = tn_random(), y = tn_random(), z = tn_random(); // in this order
    return tn_v3(x, y, z);
}

static tn_frame random_frame(void)
{
    return (tn_frame){tn_so3_exp(tn_v3_scale(2.0, random_vec3())), random_vec3()};
}

static tn_end end_of(const state *s, int i)
{
    return (tn_end){.x = tn_frame_mul(s->body[i], s->local[i]),
                    .r = tn_m3_apply(s->body[i].R, s->local[i].p),
                    .V = s->V[i]};
}

static tn_pair pair_of(const state *s)
{
    static const tn_joint_def torus = {.rolling = {.radius = 0.8, .tube = 0.3}};
    return (tn_pair){.a = end_of(s, 0), .b = end_of(s, 1), .length = 0.7, .own = &torus};
}

static state vary(state s, int variable, double step)
{
    tn_frame *body = &s.body[variable / 6];
    double x[6] = {0};
    x[variable % 6] = step;
    body->p = tn_v3_add(body->p, tn_v3_from(x));
    body->R = tn_m3_mul(tn_so3_exp(tn_v3_from(x + 3)), body->R);
    return s;
}

static double turn_of(const tn_pair *at)
{
    return tn_v3_norm(tn_so3_log(tn_m3_mul(tn_m3_transpose(at->a.x.R), at->b.x.R)));
}

// Away from d = 0 and s = c = 0, where LENGTH and ANGLE have no derivatives, from flat discs, and
// from half a turn.
static bool regular(const state *s, const tn_row *row)
{
    const tn_pair at = pair_of(s);
    if (row->form == TN_ROW_LENGTH)
        return tn_v3_norm(tn_v3_sub(at.b.x.p, at.a.x.p)) > 0.5;
    if (row->form == TN_ROW_ANGLE)
        return hypot(tn_v3_dot(tn_m3_column(at.a.x.R, row->i), tn_m3_column(at.b.x.R, row->j)),
                     tn_v3_dot(tn_m3_column(at.a.x.R, row->k), tn_m3_column(at.b.x.R, row->l))) >
               0.5;
    if (row->form == TN_ROW_TURN)
        return turn_of(&at) < 3.0;
    if ((row->form == TN_ROW_HEIGHT || row->form == TN_ROW_ROLL) && row->k == 0)
        return tn_v3_norm(
                   tn_v3_cross(tn_m3_column(at.a.x.R, TN_Z), tn_m3_column(at.b.x.R, row->j))) > 0.5;
    return true;
}

static state random_state(void)
{
    state s = {.body = {random_frame(), random_frame()},
               .local = {random_frame(), random_frame()},
               .V = {{random_vec3(), random_vec3()}, {random_vec3(), random_vec3()}}};
    return s;
}

static state regular_state(const tn_row *row)
{
    state s = random_state();
    while (!regular(&s, row))
        s = random_state();
    return s;
}

// Frames that share origin and z axis, at some turn: the rows of most joints vanish here.
static state assembled_state(const tn_row *row)
{
    state s = regular_state(row);
    const tn_frame X = {tn_m3_rot_z(2.0 * tn_random()), tn_v3(0, 0, 0)};
    const tn_frame b = tn_frame_mul(tn_frame_mul(s.body[0], s.local[0]), X);
    s.body[1] = tn_frame_mul(b, tn_frame_inverse(s.local[1]));
    return s;
}

static void check_gradient(const tn_row *row, const state *s)
{
    const tn_pair at = pair_of(s);
    double G[12];
    tn_row_gradient(row, &at, G);
    for (int p = 0; tn_row_has_value(row) && p < 12; p++) {
        const state plus = vary(*s, p, STEP), minus = vary(*s, p, -STEP);
        const tn_pair ahead = pair_of(&plus), behind = pair_of(&minus);
        const double here = tn_row_value(row, &at, 0.0);
        const double slope =
            (tn_row_value(row, &ahead, here) - tn_row_value(row, &behind, here)) / (2.0 * STEP);
        CHECK_NEAR(G[p], slope, DIFFERENCE);
    }
}

static void check_hessian(const tn_row *row, const state *s)
{
    const tn_pair at = pair_of(s);
    const double scale = -1.7;
    double H[12][12], before[12][12];
    for (int p = 0; p < 12; p++)
        for (int q = 0; q < 12; q++)
            H[p][q] = before[p][q] = tn_random();
    tn_row_hessian(row, &at, scale, H);
    for (int q = 0; q < 12; q++) {
        const state plus = vary(*s, q, STEP), minus = vary(*s, q, -STEP);
        const tn_pair ahead = pair_of(&plus), behind = pair_of(&minus);
        double G1[12], G0[12];
        tn_row_gradient(row, &ahead, G1);
        tn_row_gradient(row, &behind, G0);
        for (int p = 0; p < 12; p++)
            CHECK_NEAR(H[p][q] - before[p][q], scale * (G1[p] - G0[p]) / (2.0 * STEP), DIFFERENCE);
    }
}

static void over_all_forms(void (*check)(const tn_row *, const state *))
{
    for (int k = 0; k < TN_COUNT(rows); k++)
        for (int seed = 0; seed < 20; seed++) {
            const state apart = regular_state(&rows[k]);
            check(&rows[k], &apart);
            if (rows[k].form == TN_ROW_LENGTH)
                continue; // no derivative where the origins meet
            const state assembled = assembled_state(&rows[k]);
            if (regular(&assembled, &rows[k]))
                check(&rows[k], &assembled);
        }
}

static void gradients_match_differences(void)
{
    over_all_forms(check_gradient);
}

static void hessians_match_differences(void)
{
    over_all_forms(check_hessian);
}

// The state after a short time, with constant world accelerations (A.v, A.w) of each body: position
// and angular velocity are exact, the rotation right to third order (Magnus expansion).
static state moved(state s, const tn_twist A[2], double t)
{
    for (int i = 0; i < 2; i++) {
        const tn_vec3 w = s.V[i].w, dw = A[i].w;
        tn_vec3 turn = tn_v3_axpy(0.5 * t * t, dw, tn_v3_scale(t, w));
        turn = tn_v3_axpy(t * t * t / 12.0, tn_v3_cross(dw, w), turn);
        s.body[i].R = tn_m3_mul(tn_so3_exp(turn), s.body[i].R);
        s.body[i].p = tn_v3_axpy(0.5 * t * t, A[i].v, tn_v3_axpy(t, s.V[i].v, s.body[i].p));
        s.V[i].v = tn_v3_axpy(t, A[i].v, s.V[i].v);
        s.V[i].w = tn_v3_axpy(t, dw, w);
    }
    return s;
}

static double rate_of(const tn_row *row, const state *s)
{
    const tn_pair at = pair_of(s);
    double G[12];
    tn_row_gradient(row, &at, G);
    return tn_row_rate(G, &at);
}

static double quadratic(double H[12][12], const tn_pair *at) // V^T H V
{
    const tn_twist V[2] = {at->a.V, at->b.V};
    const double *x = &V[0].v.x; // twelve numbers
    double sum = 0.0;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            sum += x[i] * H[i][j] * x[j];
    return sum;
}

static void rates_follow_a_motion(void)
{
    for (int k = 0; k < TN_COUNT(rows); k++)
        for (int seed = 0; seed < 20; seed++) {
            const tn_row *row = &rows[k];
            const state s = regular_state(row);
            const tn_twist A[2] = {{random_vec3(), random_vec3()}, {random_vec3(), random_vec3()}};
            const state plus = moved(s, A, STEP), minus = moved(s, A, -STEP);
            const tn_pair at = pair_of(&s), ahead = pair_of(&plus), behind = pair_of(&minus);
            double G[12], H[12][12] = {{0}};
            tn_row_gradient(row, &at, G);
            tn_row_hessian(row, &at, 1.0, H);

            if (tn_row_has_value(row)) {
                const double here = tn_row_value(row, &at, 0.0);
                const double rate =
                    (tn_row_value(row, &ahead, here) - tn_row_value(row, &behind, here)) /
                    (2.0 * STEP);
                CHECK_NEAR(tn_row_rate(G, &at), rate, 10.0 * DIFFERENCE); // |V| is about 3
            }

            tn_pair accelerated = at;
            accelerated.a.V = A[0];
            accelerated.b.V = A[1];
            const double curvature = tn_row_curvature(row, &at);
            CHECK_NEAR(quadratic(H, &at), curvature, 100.0 * ROUNDOFF * (1.0 + fabs(curvature)));
            const double second = tn_row_rate(G, &accelerated) + curvature;
            const double slope = (rate_of(row, &plus) - rate_of(row, &minus)) / (2.0 * STEP);
            CHECK_NEAR(second, slope, 100.0 * DIFFERENCE); // |V|^3 is about 30
        }
}

static void an_angle_counts_turns(void)
{
    const tn_row *row = &rows[13];
    state s = {.body = {random_frame(), tn_frame_identity},
               .local = {tn_frame_identity, tn_frame_identity}};
    double angle = 0.0;
    for (double turn = 0.0; turn < 7.0 * PI; turn += 0.9 * PI) {
        const tn_frame X = {tn_m3_rot_z(turn), random_vec3()};
        s.body[1] = tn_frame_mul(s.body[0], X);
        const tn_pair at = pair_of(&s);
        angle = tn_row_value(row, &at, angle);
        CHECK_NEAR(angle, turn, 10.0 * ROUNDOFF); // size 20
    }
    for (double turn = 6.0 * PI; turn > -7.0 * PI; turn -= 0.9 * PI) {
        const tn_frame X = {tn_m3_rot_z(turn), random_vec3()};
        s.body[1] = tn_frame_mul(s.body[0], X);
        const tn_pair at = pair_of(&s);
        angle = tn_row_value(row, &at, angle);
        CHECK_NEAR(angle, turn, 10.0 * ROUNDOFF);
    }
}

// Past a quarter turn about one axis the others stay as they are.
static void a_rotation_vector_is_that_of_its_rotation(void)
{
    for (int seed = 0; seed < 20; seed++) {
        const tn_vec3 phi = tn_v3_scale(1.7, random_vec3()); // below pi in size
        tn_pair at = {.a.x = random_frame()};
        at.b.x.R = tn_m3_mul(at.a.x.R, tn_so3_exp(phi));
        for (int i = 0; i < 3; i++) {
            const tn_row row = {.form = TN_ROW_TURN, .i = i};
            const double x[] = {phi.x, phi.y, phi.z};
            CHECK_NEAR(tn_row_value(&row, &at, 0.0), x[i], 100.0 * ROUNDOFF);
        }
    }
}

static void a_rod_row_is_zero_at_its_length(void)
{
    tn_pair at = {.a.x = tn_frame_identity, .b.x = tn_frame_identity, .length = 5.0};
    at.b.x.p = tn_v3(0.0, 3.0, -4.0);
    const tn_row rod = {.form = TN_ROW_DISTANCE}, length = {.form = TN_ROW_LENGTH};
    CHECK_NEAR(tn_row_value(&rod, &at, 0.0), 0.0, ROUNDOFF);
    CHECK_NEAR(tn_row_value(&length, &at, 0.0), 5.0, ROUNDOFF);

    // At its length the gradient is a unit pull along the rod, so the multiplier is a force in N.
    double G[12];
    tn_row_gradient(&rod, &at, G);
    CHECK_NEAR(G[7], 0.6, ROUNDOFF);
    CHECK_NEAR(G[8], -0.8, ROUNDOFF);
    CHECK_NEAR(G[1], -0.6, ROUNDOFF);
    CHECK_NEAR(G[2], 0.8, ROUNDOFF);
}

static void singular_points_give_finite_numbers(void)
{
    tn_pair at = {.a.x = tn_frame_identity, .b.x = tn_frame_identity, .length = 1.0};
    at.a.r = tn_v3(0.1, 0.2, 0.3);
    at.b.r = tn_v3(0.3, -0.2, 0.1);
    const tn_row length = {.form = TN_ROW_LENGTH};
    const tn_row turn = {TN_ROW_ANGLE, TN_X, TN_Y, TN_X, TN_Z}; // both products are zero
    const tn_row *singular[] = {&length, &turn};
    for (int k = 0; k < TN_COUNT(singular); k++) {
        double G[12], H[12][12] = {{0}};
        tn_row_gradient(singular[k], &at, G);
        tn_row_hessian(singular[k], &at, 1.0, H);
        CHECK_NEAR(tn_row_value(singular[k], &at, 0.0), 0.0, 0.0);
        for (int p = 0; p < 12; p++) {
            CHECK_NEAR(G[p], 0.0, 0.0);
            for (int q = 0; q < 12; q++)
                CHECK_NEAR(H[p][q], 0.0, 0.0);
        }
    }
}

// The contact is the lowest point: the height changes as the velocities there say.
static void heights_change_as_contacts_move(void)
{
    for (int k = 0; k < 2; k++)
        for (int seed = 0; seed < 20; seed++) {
            const tn_row height = {TN_ROW_HEIGHT, 0, TN_Z, k, 0};
            const state s = regular_state(&height);
            const tn_pair at = pair_of(&s);
            const tn_vec3 c = tn_roll_contact(&height, &at);
            const tn_vec3 n = tn_m3_column(at.a.x.R, TN_Z);
            tn_vec3 v[2];
            for (int i = 0; i < 2; i++)
                v[i] = tn_v3_add(s.V[i].v, tn_v3_cross(s.V[i].w, tn_v3_sub(c, s.body[i].p)));
            CHECK_NEAR(rate_of(&height, &s), tn_v3_dot(n, tn_v3_sub(v[1], v[0])), ROUNDOFF);
            for (int i = 0; i < 2; i++) {
                const tn_row roll = {TN_ROW_ROLL, i, TN_Z, 1, 0};
                const tn_row along = {TN_ROW_ROLL, i, TN_Z, 0, 0};
                const tn_vec3 t = tn_m3_column(at.a.x.R, i), slip = tn_v3_sub(v[1], v[0]);
                const tn_vec3 b = tn_m3_column(at.b.x.R, TN_Z), track = tn_v3_cross(b, n);
                const tn_vec3 of_wheel = i == 0 ? track : tn_v3_cross(n, track);
                CHECK_NEAR(rate_of(k ? &roll : &along, &s),
                           k ? tn_v3_dot(t, slip) : tn_v3_dot(of_wheel, slip) / tn_v3_norm(track),
                           10.0 * ROUNDOFF);
            }
        }
}

static const tn_test tests[] = {
    {"gradients match differences", gradients_match_differences},
    {"hessians match differences", hessians_match_differences},
    {"rates follow a motion", rates_follow_a_motion},
    {"an angle counts turns", an_angle_counts_turns},
    {"a rotation vector is that of its rotation", a_rotation_vector_is_that_of_its_rotation},
    {"a rod row is zero at its length", a_rod_row_is_zero_at_its_length},
    {"singular points give finite numbers", singular_points_give_finite_numbers},
    {"heights change as contacts move", heights_change_as_contacts_move},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
