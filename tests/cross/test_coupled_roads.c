// SPDX-License-Identifier: MIT
//
// States c, algebraic variables w and forces that depend on reactions, on spaces with rotations, by
// every pairing of an integrator and a formulation that there is: orders in q, v, lambda, c and w,
// and agreement with a reference that knows no constraints.

#include "loaded_top.h"
#include "road_orders.h"
#include "rolling_ball.h"

static bool has_chart(const problem *p, const char *rotation)
{
    return strcmp(rotation, "se3") && (p->callbacks->nspace > 1 || !strcmp(rotation, "so3"));
}

static void check_coupled_orders(const problem *p, const tn_integrator_ops *integrator,
                                 const tn_formulation *formulation, const char *rotation,
                                 void *user)
{
    if (has_chart(p, rotation))
        check_orders(p, integrator, formulation, rotation, user);
}

static void check_problem(const problem *p, road check)
{
    static orders_seen seen;
    begin_roads(&seen, "callbacks");
    tight_track(p, "radau5/ggl", &seen.exact);
    every_road(p, check, &seen);
    check_roads(&seen);
}

static void check_on(const tn_callbacks *top, bool in_body, road check)
{
    static top_values x;
    const tn_callbacks cb = loaded_top(top);
    x = top_begin(in_body);
    const problem p = {.name = in_body ? "loaded SE(3)" : "loaded R^3xSO(3)",
                       .callbacks = &cb,
                       .q0 = x.q,
                       .v0 = x.v,
                       .exact = in_body ? loaded_body_exact : loaded_inertial_exact,
                       .rotates = true,
                       .t_end = LOADED_END,
                       .steps = 80};
    check_problem(&p, check);
}

static void orders_are_kept_beside_a_rotation(void)
{
    check_on(&inertial_top, false, check_coupled_orders);
}

static void orders_are_kept_on_se3(void)
{
    check_on(&body_top, true, check_coupled_orders);
}

static void orders_are_kept_where_a_ball_rolls(void)
{
    const problem p = {.name = "rolling ball",
                       .callbacks = &ball_functions,
                       .q0 = ball_q0,
                       .v0 = ball_v0,
                       .exact = ball_exact,
                       .rotates = true,
                       .t_end = 0.8,
                       .steps = 80};
    check_problem(&p, check_coupled_orders);
}

// One motion --------------------------------------------------------------------------------------

// Second-order methods control the error of q alone. Where steps change lambda of index3 is off by
// errors of q divided by h^2, and w with it: they are shown, not compared.
static const double TOLERANCE = 1e-8, MOST_ERROR = 2e-4;

static bool is_rough(const tn_formulation *form, int what)
{
    return !form->velocity && !form->acceleration && (what == OF_LAMBDA || what == OF_W);
}

static void check_coupled_motion(const problem *p, const tn_integrator_ops *integrator,
                                 const tn_formulation *formulation, const char *rotation,
                                 void *user)
{
    static track run;
    orders_seen *seen = user;
    char method[64];
    tn_sim_options options = tn_default_sim();
    method_name(integrator, formulation, method);
    if (!has_chart(p, rotation) || !strcmp(rotation, "euler") ||
        !strcmp(formulation->name, "baumgarte2") || tn_integrator_is_fixed(integrator))
        return; // fixed steps only
    options.method = method;
    options.rotation = rotation;
    options.adaptive = options.corrected_start = true;
    options.rtol = options.atol = TOLERANCE;
    const bool done = try_steps(p, &options, &run);
    double error[QUANTITIES] = {0}, most = done ? 0.0 : INFINITY;
    for (int what = 0; done && what < QUANTITIES; what++) {
        error[what] = distance(&run, &seen->exact, (quantity)what);
        if (!is_rough(formulation, what))
            most = fmax(most, what == OF_LAMBDA ? 0.02 * error[what] : error[what]);
    }
    printf("%-18s %-28s %-10s q %.0e v %.0e lambda %.0e c %.0e w %.0e%s\n", p->name, method,
           rotation, error[OF_Q], error[OF_V], error[OF_LAMBDA], error[OF_C], error[OF_W],
           most < MOST_ERROR ? "" : "  <--");
    if (!done)
        road_fails(seen, "%s %s %s: %s\n", p->name, method, rotation, tn_last_error());
    else if (!(most < MOST_ERROR))
        road_fails(seen, "%s %s %s: the largest error is %.1e, but it may be %.0e\n", p->name,
                   method, rotation, most, MOST_ERROR);
}

static void all_roads_give_one_motion(void)
{
    check_on(&inertial_top, false, check_coupled_motion);
}

// Reactions that push back ------------------------------------------------------------------------

// A mass on the line y = 0: f = (-0.1 lambda - x, -9.81 + k lambda + j w), w = lambda. From
// M y'' = f_y - lambda = 0: lambda = -9.81 / (1 - k - j). Sweeps contract for |k + j| < 1 alone.
typedef struct pusher {
    double direct, by_w; // k and j
    double vary;         // k grows by this times x
} pusher;

static double push_of(const pusher *p, const tn_arguments *x)
{
    return p->direct + p->vary * x->q[0];
}

static int pushed_force(void *user, const tn_arguments *x, double *f)
{
    f[0] = -0.1 * x->lambda[0] - x->q[0];
    f[1] = -9.81 + push_of(user, x) * x->lambda[0] + ((pusher *)user)->by_w * x->w[0];
    return 0;
}

static int pushed_mass(void *user, const tn_arguments *x, double *M)
{
    (void)user, (void)x;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

static int pushed_line(void *user, const tn_arguments *x, double *g)
{
    (void)user;
    g[0] = x->q[1];
    return 0;
}

static int pushed_load(void *user, const tn_arguments *x, double *b)
{
    (void)user;
    b[0] = x->w[0] - x->lambda[0];
    return 0;
}

static tn_status push(pusher *p, const char *method, double t_end, double *x, double *lambda)
{
    const tn_callbacks cb = {.user = p,
                             .nq = 2,
                             .ng = 1,
                             .nw = 1,
                             .lambda_in_force = true,
                             .mass = pushed_mass,
                             .force = pushed_force,
                             .constraint = pushed_line,
                             .algebraic = pushed_load};
    const double q[2] = {1.0, 0.0}, v[2] = {0.0, 0.0};
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.rtol = options.atol = 1e-10;
    tn_status status = tn_sim_create_callbacks(&cb, q, v, &options, &sim);
    TN_THEN(status, tn_sim_step(sim, 1e-3));
    const long before = tn_test_alloc_count();
    TN_THEN(status, tn_sim_run(sim, t_end, NULL, NULL));
    if (status == TN_OK) {
        CHECK(tn_test_alloc_count() == before);
        *x = tn_sim_q(sim)[0];
        *lambda = tn_sim_lambda(sim)[0];
    }
    tn_sim_destroy(sim);
    return status;
}

// x'' = -x - 0.1 lambda about x = -0.1 lambda.
static void strong_feedback_is_solved_for(void)
{
    static const char *const methods[] = {"herk5/index2",     "dopri5/index1", "dop853/baumgarte",
                                          "dop853/maggi",     "adams/index1",  "dop853/minimal",
                                          "dopri5/nullspace", "radau5/ggl",    "bdf/ggl"};
    static const pusher kinds[] = {{.direct = 0.5},
                                   {.direct = 3.0},
                                   {.direct = -4.0},
                                   {.by_w = 2.5},
                                   {.direct = 0.8, .by_w = -6.0}};
    for (int m = 0; m < TN_COUNT(methods); m++)
        for (int k = 0; k < TN_COUNT(kinds); k++) {
            pusher p = kinds[k];
            double x = 0.0, lambda = 0.0;
            const double exact = -9.81 / (1.0 - p.direct - p.by_w), rest = -0.1 * exact;
            CHECK_OK(push(&p, methods[m], 2.0, &x, &lambda));
            CHECK_NEAR(lambda, exact, 1e-8 * fabs(exact));
            CHECK_NEAR(x, rest + (1.0 - rest) * cos(2.0), 1e-6);
        }
}

// No acceleration belongs to the start, or to a place on the way: the condition is named.
static void feedback_of_one_is_refused_by_name(void)
{
    static const char *const methods[] = {"herk5/index2", "dop853/index1", "dopri5/maggi"};
    double x, lambda;
    for (int m = 0; m < TN_COUNT(methods); m++) {
        pusher still = {.direct = 1.0}, moving = {.direct = 0.9, .vary = 0.05};
        CHECK(push(&still, methods[m], 1.0, &x, &lambda) != TN_OK);
        printf("%s: %s\n", methods[m], tn_last_error());
        CHECK(strstr(tn_last_error(), "the condition after [Arn16, eq. 44]") != NULL);
        CHECK(push(&moving, methods[m], 10.0, &x, &lambda) != TN_OK);
        printf("%s: %s\n", methods[m], tn_last_error());
    }
}

static const tn_test tests[] = {
    {"orders are kept beside a rotation", orders_are_kept_beside_a_rotation},
    {"orders are kept on SE(3)", orders_are_kept_on_se3},
    {"orders are kept where a ball rolls", orders_are_kept_where_a_ball_rolls},
    {"all roads give one motion", all_roads_give_one_motion},
    {"strong feedback is solved for", strong_feedback_is_solved_for},
    {"feedback of one is refused by name", feedback_of_one_is_refused_by_name},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
