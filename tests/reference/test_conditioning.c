// SPDX-License-Identifier: MIT
//
// Condition numbers of the iteration matrices of generalized-alpha. With unknowns and residuals
// scaled by powers of h [Arn16, eq. 69, 70, 94] they stay bounded as h -> 0; without, that of the
// index-3 form grows like h^-4. Condition numbers are ratios of singular values.

#include "formulation/corrector_parts.h"
#include "linalg/dense.h"
#include "mechanism.h"
#include "start/start.h"
#include "tenon/tenon.h"
#include "test.h"
#include "unit/callbacks_problem.h"

#include <math.h>

// The mechanisms ----------------------------------------------------------------------------------

static const tn_vec3 GRAVITY = {0.0, -9.81, 0.0};

static tn_model *pendulum(void)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, GRAVITY);
    tn_body_def bob = body_def("bob", 1.0, tn_v3(1.0, 1.0, 1.0), frame_at(0.6, -0.8, 0.0));
    bob.kind = TN_BODY_POINT_2D;
    bob.velocity = tn_v3(0.8, 0.6, 0.0);
    tn_joint_def rod = tn_default_joint(TN_JOINT_DISTANCE);
    rod.name = "rod";
    rod.body_b = tn_model_add_body(model, &bob);
    rod.distance.length = 1.0;
    tn_model_add_joint(model, &rod);
    return model;
}

// A slender link of a metre per kilogram from a to b, its frame in the middle with x along it.
static part link_between(tn_model *model, const char *name, tn_body_kind kind, tn_vec3 a, tn_vec3 b)
{
    const tn_vec3 d = tn_v3_sub(b, a);
    const double length = tn_v3_norm(d), mass = length;
    const double moment = mass * length * length / 12.0;
    const tn_frame frame = {tn_m3_rot_z(atan2(d.y, d.x)), tn_v3_scale(0.5, tn_v3_add(a, b))};
    tn_body_def def = body_def(name, mass, tn_v3(0.01 * moment, moment, moment), frame);
    def.kind = kind;
    return add_part(model, &def);
}

// Crank 0.3 m, coupler 0.9 m, rocker 0.7 m over a base of 1 m; the crank turns with 2 rad/s.
static tn_model *four_bar(tn_body_kind body, tn_joint_kind joint)
{
    const double COUPLER = 0.9, ROCKER = 0.7, angle = 1.0;
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, GRAVITY);
    const tn_vec3 A = tn_v3(0.0, 0.0, 0.0), D = tn_v3(1.0, 0.0, 0.0);
    const tn_vec3 B = tn_v3(0.3 * cos(angle), 0.3 * sin(angle), 0.0);
    // C closes the triangle over B and D.
    const tn_vec3 d = tn_v3_sub(D, B);
    const double base = tn_v3_norm(d);
    const double along = (COUPLER * COUPLER - ROCKER * ROCKER + base * base) / (2.0 * base);
    const double height = sqrt(COUPLER * COUPLER - along * along);
    const tn_vec3 C = tn_v3(B.x + (along * d.x - height * d.y) / base,
                            B.y + (along * d.y + height * d.x) / base, 0.0);
    const part crank = link_between(model, "crank", body, A, B);
    const part coupler = link_between(model, "coupler", body, B, C);
    const part rocker = link_between(model, "rocker", body, C, D);
    tn_joint_def first = joint_at(joint, "A", ground, crank, frame_at(A.x, A.y, 0.0));
    first.nrate = 1;
    first.rate[0] = 2.0;
    tn_model_add_joint(model, &first);
    join(model, joint, "B", crank, coupler, frame_at(B.x, B.y, 0.0));
    join(model, joint, "C", coupler, rocker, frame_at(C.x, C.y, 0.0));
    join(model, joint, "D", rocker, ground, frame_at(D.x, D.y, 0.0));
    return model;
}

static tn_model *planar_four_bar(void)
{
    return four_bar(TN_BODY_PLANAR, TN_JOINT_PLANAR_REVOLUTE);
}

// Parallel axes in space: three rows are redundant and left out of the iteration matrix.
static tn_model *spatial_four_bar(void)
{
    return four_bar(TN_BODY_RIGID, TN_JOINT_REVOLUTE);
}

// The matrix --------------------------------------------------------------------------------------

// Weights of generalized-alpha at rho_inf = 0.9 [Arn16, eq. 65, 68].
static tn_weights weights(double h)
{
    const double rho = 0.9, alpha_m = (2.0 * rho - 1.0) / (rho + 1.0), alpha_f = rho / (rho + 1.0);
    const double gamma = 0.5 - alpha_m + alpha_f, beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
    const double a = (1.0 - alpha_m) / (1.0 - alpha_f);
    return (tn_weights){
        .h = h, .q = h, .v = gamma / beta, .a = a / (beta * h), .c = a / (gamma * h)};
}

enum { MOST = 120 }; // unknowns of the largest matrix here: the spatial four-bar with mu and tau

// Undoes the scaling of the index-3 form: unknowns q and lambda, rows M a - f + … and g.
static void unscale(tn_layout at, double h, double *A)
{
    for (int j = 0; j < at.n; j++)
        for (int i = 0; i < at.n; i++) {
            const double row = i < at.lambda ? 1.0 / h : h;
            const double column = j < at.lambda ? 1.0 / h : h;
            A[j * at.n + i] *= row * column;
        }
}

static double condition_of(const tn_sparse *matrix, tn_layout at, double h, bool scaled)
{
    static double A[MOST * MOST], values[MOST];
    const int n = matrix->nrow;
    tn_sparse_to_dense(matrix, A);
    if (!scaled)
        unscale(at, h, A);
    CHECK_OK(tn_singular_values(n, n, A, values));
    return values[0] / values[n - 1];
}

// Where matrices are formed.
typedef struct place {
    tn_system *sys;
    tn_point at;
    const int *active; // constraint rows; NULL for all
} place;

static place start_of(const tn_start *start)
{
    return (place){start->sys, tn_state_point(&start->x), start->redundancy.active};
}

// The largest one of the core and, where the formulation is stabilised, of the projections.
static double condition(const place *x, const tn_formulation *formulation, bool exact, double h,
                        bool scaled)
{
    static double increment[MOST];
    tn_problem *problem = NULL;
    CHECK_OK(tn_problem_create(x->sys, formulation, NULL, &problem));
    CHECK_OK(tn_problem_set_exact(problem, exact));
    if (x->active)
        tn_problem_set_active(problem, x->active);
    const tn_layout at = problem->at;
    CHECK(at.n <= MOST);
    for (int i = 0; i < x->sys->nv; i++)
        increment[i] = h * x->at.v[i];
    CHECK_OK(tn_problem_begin(problem, &x->at));
    CHECK_OK(tn_problem_factor(problem, &x->at, increment, weights(h)));
    double most = condition_of(problem->corrector->used[0]->matrix.matrix, at, h, scaled);
    if (problem->corrector->position.matrix.matrix)
        most = fmax(most, condition_of(problem->corrector->position.matrix.matrix, at, h, scaled));
    const tn_sparse *velocity = problem->corrector->velocity.matrix.matrix;
    if (velocity)
        most = fmax(most, condition_of(velocity, at, h, scaled));
    tn_problem_destroy(problem);
    return most;
}

// Tests -------------------------------------------------------------------------------------------

static const struct mechanism {
    const char *name;
    tn_model *(*build)(void);
} mechanisms[] = {
    {"pendulum", pendulum},
    {"planar four-bar", planar_four_bar},
    {"spatial four-bar", spatial_four_bar},
};

static void check_conditions_of(const char *name, const place *x, const tn_formulation *formulation,
                                bool exact)
{
    const double FACTOR = 10.0; // over six decades of h
    double least = INFINITY, most = 0.0;
    for (double h = 1e-2; h > 0.5e-8; h *= 0.1) {
        const double c = condition(x, formulation, exact, h, true);
        least = fmin(least, c);
        most = fmax(most, c);
    }
    printf("%-20s %-17s %-6s condition %.4g to %.4g\n", name, formulation->name,
           exact ? "as one" : "", least, most);
    CHECK(most < FACTOR * least);
    CHECK(most < 1e4); // small numbers of size one: bounded, not evenly bad
}

// Stabilised formulations in parts and as one matrix.
static void check_conditions(const char *name, const place *x, const tn_formulation *formulation)
{
    for (int exact = 0; exact <= (formulation->position && formulation->velocity); exact++)
        check_conditions_of(name, x, formulation, exact);
}

static void condition_does_not_depend_on_the_step(void)
{
    static const char *const rotations[] = {"so3", "se3"};
    for (int k = 0; k < TN_COUNT(mechanisms); k++)
        for (int r = 0; r < TN_COUNT(rotations); r++)
            for (int f = 0; f < tn_formulation_count; f++) {
                if (!(tn_formulations[f]->offers & TN_VIEW_RESIDUAL))
                    continue;
                tn_model *model = mechanisms[k].build();
                tn_sim_options options = tn_default_sim();
                options.rotation = rotations[r];
                tn_start start;
                CHECK_OK(tn_start_model(model, &options, &start));
                char name[64];
                snprintf(name, sizeof name, "%s %s", mechanisms[k].name, rotations[r]);
                const place x = start_of(&start);
                check_conditions(name, &x, tn_formulations[f]);
                tn_start_clear(&start);
                tn_model_destroy(model);
            }
}

// User functions with every kind of variable: c, w and s are scaled as velocities, multipliers and
// positions are, also where forces and extra equations depend on the multipliers.
static void condition_does_not_depend_on_the_step_with_extra_variables(void)
{
    const tn_callbacks functions = whole_problem(true, true);
    double arguments[NX];
    for (int i = 0; i < NX; i++)
        arguments[i] = 0.8 + 0.8 * tn_random();
    place x = {.at = point_of(arguments)};
    CHECK_OK(tn_callbacks_create(&functions, &x.sys));
    for (int f = 0; f < tn_formulation_count; f++)
        if (tn_formulations[f]->offers & TN_VIEW_RESIDUAL)
            check_conditions("user functions", &x, tn_formulations[f]);
    tn_system_destroy(x.sys);
}

static void condition_grows_like_h_to_minus_4_without_scaling(void)
{
    tn_model *model = planar_four_bar();
    const tn_sim_options options = tn_default_sim();
    const tn_formulation *index3 = tn_find_formulation("index3");
    tn_start start;
    CHECK_OK(tn_start_model(model, &options, &start));
    const place x = start_of(&start);
    const double coarse = condition(&x, index3, false, 1e-2, false);
    const double fine = condition(&x, index3, false, 1e-3, false);
    printf("unscaled: %.3g at h = 1e-2, %.3g at h = 1e-3\n", coarse, fine);
    CHECK_NEAR(log10(fine / coarse), 4.0, 0.1);
    tn_start_clear(&start);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"condition does not depend on the step", condition_does_not_depend_on_the_step},
    {"condition does not depend on the step with extra variables",
     condition_does_not_depend_on_the_step_with_extra_variables},
    {"condition grows like h^-4 without scaling",
     condition_grows_like_h_to_minus_4_without_scaling},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
