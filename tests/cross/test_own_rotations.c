// SPDX-License-Identifier: MIT
//
// Equations of a user on spaces with rotations: a heavy top in three spaces moves as Tenon's own
// body does, every pairing keeps its orders, derivatives by differences are as good as given ones,
// and what cannot be is refused with the reason.

#include "own_top.h"
#include "road_orders.h"
#include "system/callbacks.h"

// The motion of the model -------------------------------------------------------------------------

static const double T_END = 1.0, SAME = 1e-10;
// Rounding of gamma where B is by differences and lengths and speeds are one (the table in
// callbacks_difference.c), and roundings in one g = p - R(e) r, which the table counts as one.
static const double GAMMA_ROUNDING = 4e-9, ROUNDINGS = 4.0;

typedef struct seen_top {
    tn_vec3 com, x, y, rate, reaction; // reaction of the fixed point
    bool has_reaction;
} seen_top;

static tn_sim_options tight(const char *method)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = options.project_tol = 1e-13;
    return options;
}

static seen_top see_rotation(const double *e, const double *rate)
{
    const tn_mat3 R = top_rotation(e);
    return (seen_top){.com = tn_m3_apply(R, TOP_ARM),
                      .x = tn_m3_column(R, 0),
                      .y = tn_m3_column(R, 1),
                      .rate = tn_v3_from(rate)};
}

static seen_top follow_model(void)
{
    tn_model *model = top_model();
    tn_sim *sim = NULL;
    const tn_sim_options options = tight("dop853/index1+project@absolute");
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, T_END, NULL, NULL));
    const tn_frame frame = tn_sim_body_frame(sim, (tn_body){1});
    const tn_wrench push = tn_sim_joint_reaction(sim, (tn_joint){0});
    const seen_top seen = {.com = tn_m3_apply(frame.R, TOP_ARM),
                           .x = tn_m3_column(frame.R, 0),
                           .y = tn_m3_column(frame.R, 1),
                           .rate = tn_sim_body_rate(sim, (tn_body){1}),
                           .reaction = push.f,
                           .has_reaction = true};
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return seen;
}

static seen_top follow_functions(const tn_callbacks *cb, bool in_body, const char *method)
{
    tn_sim *sim = NULL;
    const top_values x = top_begin(in_body);
    const int alone = cb->ng == 0 ? 3 : 0;
    const tn_sim_options options = tight(method);
    CHECK_OK(tn_sim_create_callbacks(cb, x.q + alone, x.v + alone, &options, &sim));
    CHECK_OK(tn_sim_run(sim, T_END, NULL, NULL));
    seen_top seen = see_rotation(tn_sim_q(sim) + 3 - alone, tn_sim_v(sim) + 3 - alone);
    seen.has_reaction = cb->ng > 0;
    if (cb->ng > 0)
        seen.reaction = tn_v3_neg(tn_v3_from(tn_sim_lambda(sim)));
    tn_sim_destroy(sim);
    return seen;
}

static double top_apart(const seen_top *a, const seen_top *b)
{
    double most = tn_v3_norm(tn_v3_sub(a->com, b->com));
    most = fmax(most, tn_v3_norm(tn_v3_sub(a->x, b->x)));
    most = fmax(most, tn_v3_norm(tn_v3_sub(a->y, b->y)));
    most = fmax(most, tn_v3_norm(tn_v3_sub(a->rate, b->rate)));
    return most;
}

static double reactions_apart(const seen_top *a, const seen_top *b)
{
    return a->has_reaction ? tn_v3_norm(tn_v3_sub(a->reaction, b->reaction)) : 0.0;
}

// What that rounding is in a reaction. gamma is the rate of B v along v: columns of B round each
// for itself, so that it is |v|_1 |v|_2 times as large as for v of one; three rows, times the mass.
static double rounding_of_reaction(const seen_top *at)
{
    const tn_vec3 w = at->rate, v = tn_v3_cross(w, TOP_ARM);
    const double sum = fabs(w.x) + fabs(w.y) + fabs(w.z) + fabs(v.x) + fabs(v.y) + fabs(v.z);
    const double length = sqrt(tn_v3_dot(w, w) + tn_v3_dot(v, v));
    return sqrt(3.0) * TOP_MASS * ROUNDINGS * GAMMA_ROUNDING * sum * length;
}

// With given derivatives and without: then gamma is rounded, and herk5 does without it.
static void functions_move_as_the_body_does(void)
{
    const struct {
        const char *name, *method;
        const tn_callbacks *cb;
        bool in_body, differences;
    } roads[] = {
        {"SO(3)", "dop853/index1", &so3_top, false, false},
        {"SO(3)", "radau5/index1", &so3_top, false, false},
        {"R^3 x SO(3)", "dop853/index1+project", &inertial_top, false, false},
        {"R^3 x SO(3)", "herk5/index2+project", &inertial_top, false, false},
        {"R^3 x SO(3)", "radau5/ggl", &inertial_top, false, false},
        {"R^3 x SO(3) by differences", "herk5/index2+project", &inertial_top, false, true},
        {"SE(3)", "dop853/index1+project", &body_top, true, false},
        {"SE(3)", "radau5/ggl", &body_top, true, false},
        {"SE(3) by differences", "herk5/index2+project", &body_top, true, true},
    };
    const seen_top model = follow_model();
    for (int k = 0; k < TN_COUNT(roads); k++) {
        tn_callbacks cb = *roads[k].cb;
        if (roads[k].differences) {
            cb.jacobian = NULL;
            cb.gamma = NULL;
        }
        const seen_top own = follow_functions(&cb, roads[k].in_body, roads[k].method);
        const double apart = top_apart(&own, &model);
        const double force = reactions_apart(&own, &model);
        const double same_force = roads[k].differences ? rounding_of_reaction(&model) : SAME;
        printf("%-28s %-24s %.1e, %.1e N from the body, at most %.1e\n", roads[k].name,
               roads[k].method, apart, force, same_force);
        CHECK(apart < SAME);
        CHECK(force < same_force);
    }
}

// Orders ------------------------------------------------------------------------------------------

static top_values in_space, in_body;

static bool has_chart(const problem *p, const char *rotation)
{
    return strcmp(rotation, "se3") &&
           (p->callbacks != &body_top || !strcmp(rotation, "so3")); // one chart of SE(3) is local
}

static void check_own_orders(const problem *p, const tn_integrator_ops *integrator,
                             const tn_formulation *formulation, const char *rotation, void *user)
{
    if (has_chart(p, rotation))
        check_orders(p, integrator, formulation, rotation, user);
}

static void check_orders_on(const char *name, const tn_callbacks *cb, const top_values *x)
{
    static orders_seen seen;
    const int alone = cb->ng == 0 ? 3 : 0;
    const problem p = {.name = name,
                       .callbacks = cb,
                       .q0 = x->q + alone,
                       .v0 = x->v + alone,
                       .rotates = true,
                       .t_end = 0.8,
                       .steps = 80};
    begin_roads(&seen, "callbacks");
    tight_track(&p, "dop853/index1+project", &seen.exact);
    every_road(&p, check_own_orders, &seen);
    check_roads(&seen);
}

static void orders_are_kept_on_so3(void)
{
    in_space = top_begin(false);
    check_orders_on("own top on SO(3)", &so3_top, &in_space);
}

static void orders_are_kept_with_constraints(void)
{
    in_space = top_begin(false);
    check_orders_on("own top on R^3 x SO(3)", &inertial_top, &in_space);
}

static void orders_are_kept_on_se3(void)
{
    in_body = top_begin(true);
    check_orders_on("own top on SE(3)", &body_top, &in_body);
}

// What functions are asked and refused ------------------------------------------------------------

static void check_refused(const tn_callbacks *cb, const top_values *x, const char *method,
                          const char *rotation, const char *text)
{
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.rotation = rotation;
    const tn_status status = tn_sim_create_callbacks(cb, x->q, x->v, &options, &sim);
    CHECK(status == TN_ERR_USAGE || status == TN_ERR_PAIRING);
    printf("refused: %s\n", tn_last_error());
    CHECK(strstr(tn_last_error(), text) != NULL);
    CHECK(sim == NULL);
}

static void spaces_that_do_not_fit_are_refused(void)
{
    static const tn_space none[] = {{TN_SPACE_LINEAR, 0}}, long_so3[] = {{TN_SPACE_SO3, 9}};
    static const tn_space unknown[] = {{(tn_space_kind)17, 3}};
    const top_values x = top_begin(false);
    tn_callbacks cb = inertial_top;
    cb.nq = 6;
    check_refused(&cb, &x, "auto", "auto", "nq = 6, but the spaces have 7 coordinates");
    cb = inertial_top;
    cb.nspace = 0;
    check_refused(&cb, &x, "auto", "auto", "spaces are given, but nspace = 0");
    cb.nspace = 1;
    cb.spaces = NULL;
    check_refused(&cb, &x, "auto", "auto", "spaces are not");
    cb.nspace = -1;
    check_refused(&cb, &x, "auto", "auto", "nspace = -1");
    cb.nspace = 1;
    cb.spaces = none;
    check_refused(&cb, &x, "auto", "auto", "at least one coordinate");
    cb.spaces = long_so3;
    check_refused(&cb, &x, "auto", "auto", "TN_SPACE_SO3 with n = 9, but it has 4 coordinates");
    cb.spaces = unknown;
    check_refused(&cb, &x, "auto", "auto", "spaces[0] has the kind 17");
}

static void quaternions_at_the_start_are_made_unit(void)
{
    tn_sim *sim = NULL;
    top_values x = top_begin(false);
    const tn_sim_options options = tn_default_sim();
    for (int i = 3; i < 7; i++)
        x.q[i] *= 1.0005;
    CHECK_OK(tn_sim_create_callbacks(&inertial_top, x.q, x.v, &options, &sim));
    CHECK_NEAR(tn_norm2(4, tn_sim_q(sim) + 3), 1.0, 1e-15);
    tn_sim_destroy(sim);
    for (int i = 3; i < 7; i++)
        x.q[i] *= 1.01;
    check_refused(&inertial_top, &x, "auto", "auto",
                  "the quaternion of spaces[1], start values q[3] to q[6], has the length 1.01");
    x.q[3] = NAN;
    check_refused(&inertial_top, &x, "auto", "auto", "has the length nan");
}

// With respect to the numbers of the quaternion, as some would write it: twice as large.
static int doubled_jacobian(void *user, const tn_arguments *x, double *G)
{
    inertial_jacobian(user, x, G);
    for (int i = 9; i < 18; i++)
        G[i] *= 2.0;
    return 0;
}

static int still_gamma(void *user, const tn_arguments *x, double *gamma)
{
    (void)user, (void)x;
    gamma[0] = gamma[1] = gamma[2] = 0.0;
    return 0;
}

static void derivatives_are_compared_with_differences(void)
{
    const top_values x = top_begin(false), y = top_begin(true);
    tn_callbacks cb = inertial_top;
    cb.jacobian = doubled_jacobian;
    check_refused(&cb, &x, "auto", "auto", "'jacobian' has");
    CHECK(strstr(tn_last_error(), "block 1, turn about") != NULL);
    cb = body_top;
    cb.jacobian = inertial_jacobian; // as if p' were v
    check_refused(&cb, &y, "auto", "auto", "'jacobian' has");
    CHECK(strstr(tn_last_error(), "block 0, move along x") != NULL);
    cb = inertial_top;
    cb.gamma = still_gamma;
    check_refused(&cb, &x, "auto", "auto", "'gamma' has 0 at row 1");
}

static void methods_without_coordinates_for_se3_say_so(void)
{
    const top_values x = top_begin(true), y = top_begin(false);
    check_refused(&body_top, &x, "bdf/ggl", "auto", "which TN_SPACE_SE3 does not have");
    check_refused(&body_top, &x, "radau5/ggl", "euler", "which TN_SPACE_SE3 does not have");
    check_refused(&inertial_top, &y, "radau5/ggl", "se3", "is a choice for bodies");
    check_refused(&inertial_top, &y, "variational/multiplier", "auto",
                  "these equations have rotations in their spaces");
}

// Signs of quaternions ----------------------------------------------------------------------------

// A body that turns about x: a moment that grows with the first number of its quaternion has one
// turn as half its period.
static int sided_force(void *user, const tn_arguments *x, double *f)
{
    (void)user;
    f[0] = 0.3 * x->q[0];
    f[1] = f[2] = 0.0;
    return 0;
}

static int sided_mass(void *user, const tn_arguments *x, double *M)
{
    (void)user, (void)x;
    memset(M, 0, 9 * sizeof *M);
    M[0] = M[4] = M[8] = 1.0;
    return 0;
}

static const tn_space on_sphere[] = {{TN_SPACE_QUATERNION, 0}};

// With the angle a: e = (cos a/2, sin a/2), a'' = 0.3 cos(a/2), a'^2 / 2 - 0.6 sin(a/2) is kept.
static void check_sides(const char *method, const char *rotation)
{
    tn_sim *sim = NULL;
    const double q[4] = {1.0, 0.0, 0.0, 0.0}, v[3] = {6.0, 0.0, 0.0};
    tn_callbacks cb = {
        .nq = 4, .nspace = 1, .spaces = on_sphere, .mass = sided_mass, .force = sided_force};
    tn_sim_options options = tight(method);
    options.rotation = rotation;
    options.rtol = options.atol = 1e-10;
    CHECK_OK(tn_sim_create_callbacks(&cb, q, v, &options, &sim));
    double negative = 0.0, lost = 0.0;
    for (int k = 1; k <= 40; k++) {
        CHECK_OK(tn_sim_run(sim, 0.1 * k, NULL, NULL));
        const double *e = tn_sim_q(sim), w = tn_sim_v(sim)[0];
        negative += e[0] < 0.0;
        lost = fmax(lost, fabs(0.5 * w * w - 0.6 * e[1] - 18.0));
    }
    printf("%-14s %-10s half turns %g, energy %.1e\n", method, rotation, negative, lost);
    CHECK(negative > 10.0 && lost < 1e-6);
    tn_sim_destroy(sim);
}

static void both_sides_of_a_quaternion_are_told_apart(void)
{
    check_sides("galpha/index1", "auto");
    check_sides("dop853/index1", "so3");
    check_sides("dop853/index1", "quaternion");
    check_sides("dop853/index1", "euler");
    check_sides("bdf/index1", "quaternion");
    check_sides("bdf/index1", "euler");
    check_sides("radau5/index1", "so3");
    check_sides("herk5/index2", "euler");
    check_sides("adams/index1", "quaternion");
    const top_values x = {.q = {1.0}, .v = {6.0}};
    const tn_callbacks cb = {
        .nq = 4, .nspace = 1, .spaces = on_so3, .mass = sided_mass, .force = sided_force};
    check_refused(&cb, &x, "auto", "auto",
                  "the function 'force' changes with the sign of the quaternion of spaces[0]");
}

// Names, and no memory in steps.
static void velocities_have_names(void)
{
    char text[64];
    tn_system *sys = NULL;
    static const char *const expected[] = {"coordinate 0",          "coordinate 1",
                                           "coordinate 2",          "block 1, turn about x",
                                           "block 1, turn about y", "block 1, turn about z"};
    CHECK_OK(tn_callbacks_create(&inertial_top, &sys));
    CHECK(sys->nq == 7 && sys->nv == 6);
    for (int i = 0; i < 6; i++) {
        sys->ops->velocity_name(sys, i, text, sizeof text);
        CHECK(strcmp(text, expected[i]) == 0);
    }
    tn_system_destroy(sys);
    CHECK_OK(tn_callbacks_create(&body_top, &sys));
    sys->ops->velocity_name(sys, 1, text, sizeof text);
    CHECK(strcmp(text, "block 0, move along y") == 0);
    tn_system_destroy(sys);
}

static const tn_test tests[] = {
    {"functions move as the body does", functions_move_as_the_body_does},
    {"orders are kept on SO(3)", orders_are_kept_on_so3},
    {"orders are kept with constraints", orders_are_kept_with_constraints},
    {"orders are kept on SE(3)", orders_are_kept_on_se3},
    {"spaces that do not fit are refused", spaces_that_do_not_fit_are_refused},
    {"quaternions at the start are made unit", quaternions_at_the_start_are_made_unit},
    {"derivatives are compared with differences", derivatives_are_compared_with_differences},
    {"methods without coordinates for SE(3) say so", methods_without_coordinates_for_se3_say_so},
    {"both sides of a quaternion are told apart", both_sides_of_a_quaternion_are_told_apart},
    {"velocities have names", velocities_have_names},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
