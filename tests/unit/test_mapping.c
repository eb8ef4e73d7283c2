// SPDX-License-Identifier: MIT
//
// Shapes by expressions: their derivatives are those of mathematics and of differences; what is not
// smooth and what is not known is refused with its name.

#include "test.h"

#include "contact/mapping.h"

static const char *const uv[] = {"u", "v"};
static const double at[] = {-1.0, 0.0, 0.7, 2.0, 2.5}, values[] = {0.3, -0.2, 0.9, 0.4, 1.1};

static void add_table(tn_model *model, const char *name, tn_interpolation interpolation)
{
    const tn_table_def def = {name,          TN_COUNT(at),    0, at, NULL, values,
                              interpolation, TN_BEYOND_LINEAR};
    CHECK_OK(tn_model_add_table(model, &def));
}

static void add_surface(tn_model *model)
{
    static const double grid[] = {0.1, 0.4, -0.3, 0.8, 0.2, 0.5, 0.9, -0.7, 0.6};
    const tn_table_def def = {"hill", 3, 3, at, at + 1, grid, TN_TABLE_SPLINE, TN_BEYOND_LINEAR};
    CHECK_OK(tn_model_add_table(model, &def));
}

static tn_model *model_with_names(void)
{
    tn_model *model = tn_model_create();
    tn_input_def push = tn_default_input();
    push.name = "push";
    CHECK_OK(tn_model_set_parameter(model, "radius", 0.5));
    CHECK_OK(tn_model_set_parameter(model, "v", 1000.0)); // hidden by the argument
    add_table(model, "wave", TN_TABLE_SPLINE);
    add_table(model, "steps", TN_TABLE_LINEAR);
    add_table(model, "mono", TN_TABLE_MONOTONE);
    add_surface(model);
    (void)tn_model_add_input(model, &push);
    CHECK_OK(tn_model_status(model));
    return model;
}

static tn_mapping *mapping(const tn_model *model, const char *text, int narg)
{
    tn_mapping *m = NULL;
    CHECK_OK(tn_mapping_create(model, text, narg, uv, &m));
    return m;
}

// Derivatives -------------------------------------------------------------------------------------

static const char *const shapes[] = {
    "radius*sin(3*u)*exp(-v^2)",
    "u^3*v^2 - 4*u*v + 2",
    "sqrt(1 + u^2 + radius*v^2)",
    "atan2(v, 3 + u)/(2 + cos(u*v))",
    "wave(u + 0.3*v)*tanh(v)",
    "hill(u, v) + hypot(u, 2 + v)",
    "smooth_max(u, v, 0.2) + smooth_abs(u*v, 0.5)",
    "log(4 + u)^(1 + v/4)",
    "if(radius > 1, abs(u), u*u) + v", // settled: nothing is decided
    "7",
    "v",
};

// One at a time: f at a + h e_k.
static tn_grid_value beside(const tn_mapping *m, const double *a, int k, double h)
{
    double b[2] = {a[0], a[1]};
    b[k] += h;
    return tn_mapping_eval(m, b);
}

// Central differences with h = 1e-5 err by h^2 f''', 1e-10 here, and by round-off, 1e-11; across
// the points of a table f''' jumps, so that second derivatives err by h f''', 1e-4 at most.
static void derivatives_match_differences(void)
{
    tn_model *model = model_with_names();
    const double h = 1e-5;
    for (int i = 0; i < TN_COUNT(shapes); i++) {
        tn_mapping *m = mapping(model, shapes[i], 2);
        for (int n = 0; n < 50; n++) {
            double a[2];
            a[0] = 1.3 * tn_random();
            a[1] = 1.3 * tn_random();
            const tn_grid_value f = tn_mapping_eval(m, a);
            const tn_grid_value u0 = beside(m, a, 0, -h), u1 = beside(m, a, 0, h);
            const tn_grid_value v0 = beside(m, a, 1, -h), v1 = beside(m, a, 1, h);
            CHECK_NEAR(f.x, (u1.f - u0.f) / (2.0 * h), 1e-8);
            CHECK_NEAR(f.y, (v1.f - v0.f) / (2.0 * h), 1e-8);
            CHECK_NEAR(f.xx, (u1.x - u0.x) / (2.0 * h), 1e-4);
            CHECK_NEAR(f.yy, (v1.y - v0.y) / (2.0 * h), 1e-4);
            CHECK_NEAR(f.xy, (v1.x - v0.x) / (2.0 * h), 1e-4);
        }
        tn_mapping_destroy(m);
    }
    tn_model_destroy(model);
}

// By hand. Numbers of about 10 leave a round-off of some 1e-14.
static void derivatives_are_exact(void)
{
    tn_model *model = model_with_names();
    tn_mapping *m = mapping(model, "u^3*v^2 + radius*sin(v)", 2);
    const double u = 1.3, v = -0.7;
    const tn_grid_value f = tn_mapping_eval(m, (double[2]){u, v});
    CHECK_NEAR(f.f, u * u * u * v * v + 0.5 * sin(v), 1e-14);
    CHECK_NEAR(f.x, 3.0 * u * u * v * v, 1e-14);
    CHECK_NEAR(f.y, 2.0 * u * u * u * v + 0.5 * cos(v), 1e-14);
    CHECK_NEAR(f.xx, 6.0 * u * v * v, 1e-14);
    CHECK_NEAR(f.xy, 6.0 * u * u * v, 1e-13);
    CHECK_NEAR(f.yy, 2.0 * u * u * u - 0.5 * sin(v), 1e-14);
    tn_mapping_destroy(m);
    tn_model_destroy(model);
}

static void one_argument_has_no_second_derivatives_but_its_own(void)
{
    tn_model *model = model_with_names();
    tn_mapping *m = mapping(model, "exp(2*u)*v/1000", 1); // here v is the parameter
    const double u = 0.4;
    const tn_grid_value f = tn_mapping_eval(m, &u);
    CHECK_NEAR(f.f, exp(0.8), 1e-14);
    CHECK_NEAR(f.x, 2.0 * exp(0.8), 1e-14);
    CHECK_NEAR(f.xx, 4.0 * exp(0.8), 1e-13);
    CHECK(f.y == 0.0 && f.xy == 0.0 && f.yy == 0.0);
    tn_mapping_destroy(m);
    tn_model_destroy(model);
}

// Refusals ----------------------------------------------------------------------------------------

#define ROUGH                                                                                    \
    " is not smooth enough: reactions contain its curvature; use smooth_abs, smooth_max or the " \
    "like, or a spline table"
#define ROUGH_TABLE \
    " is not smooth enough: reactions contain its curvature; write 'interpolation: spline' for it"

static const struct {
    const char *text, *message;
} wrong[] = {
    {"abs(u)", "expression 'abs(u)': 'abs'" ROUGH},
    {"min(u, v, 1)", "expression 'min(u, v, 1)': 'min'" ROUGH},
    {"u > 0", "expression 'u > 0': '>'" ROUGH},
    {"if(u, 1, v)", "expression 'if(u, 1, v)': 'if'" ROUGH},
    {"u && v", "expression 'u && v': '&&'" ROUGH},
    {"sign(v)*u", "expression 'sign(v)*u': 'sign'" ROUGH},
    {"step(u, 0, 0, 1, 1)", "expression 'step(u, 0, 0, 1, 1)': 'step'" ROUGH},
    {"select(u, 1, 2, 3)", "expression 'select(u, 1, 2, 3)': 'select'" ROUGH},
    {"deadband(u, 1)", "expression 'deadband(u, 1)': 'max'" ROUGH},
    {"hysteresis(u, 0, 1, 0)", "expression 'hysteresis(u, 0, 1, 0)': 'hysteresis'" ROUGH},
    {"1 + steps(u)", "expression '1 + steps(u)': table 'steps'" ROUGH_TABLE},
    {"mono(v)", "expression 'mono(v)': table 'mono'" ROUGH_TABLE},
    {"u*sin(t)", "expression 'u*sin(t)', column 7: t is not known here; a shape is a function of u "
                 "and v alone"},
    {"u + push", "expression 'u + push', column 5: input 'push' changes while a simulation runs, "
                 "and a shape does not; write a parameter"},
    {"u + radus", "expression 'u + radus', column 5: unknown name 'radus'; did you mean 'radius'?"},
    {"u + q", "expression 'u + q', column 5: unknown name 'q'; it is not u, v, pi, e or a "
              "parameter"},
    {"2*wave(u, v)", "expression '2*wave(u, v)', column 3: wave takes 1 argument, 2 are given"},
    {"u +", "expression 'u +', column 4: a number, a name or '(' expected, but here is the end of "
            "the text"},
};

static void what_is_rough_or_unknown_is_refused(void)
{
    tn_model *model = model_with_names();
    const long live = tn_test_alloc_live();
    for (int i = 0; i < TN_COUNT(wrong); i++) {
        tn_mapping *m = NULL;
        CHECK_STATUS(tn_mapping_create(model, wrong[i].text, 2, uv, &m), TN_ERR_MODEL);
        CHECK_TEXT(tn_last_error(), wrong[i].message);
        CHECK(m == NULL && tn_test_alloc_live() == live);
    }
    tn_model_destroy(model);
}

static void evaluations_do_not_allocate(void)
{
    tn_model *model = model_with_names();
    tn_mapping *m = mapping(model, shapes[4], 2);
    const long before = tn_test_alloc_count();
    (void)tn_mapping_eval(m, (double[2]){0.1, 0.2});
    CHECK(tn_test_alloc_count() == before);
    tn_mapping_destroy(m);
    tn_model_destroy(model);
}

static void nothing_is_lost_when_memory_is_short(void)
{
    tn_model *model = model_with_names();
    const long live = tn_test_alloc_live();
    for (long n = 1;; n++) {
        tn_mapping *m = NULL;
        tn_test_alloc_fail_at(n);
        const tn_status status = tn_mapping_create(model, shapes[0], 2, uv, &m);
        const bool failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        CHECK(failed ? status == TN_ERR_MEMORY : status == TN_OK);
        tn_mapping_destroy(m);
        CHECK(tn_test_alloc_live() == live);
        if (!failed)
            break;
    }
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"derivatives match differences", derivatives_match_differences},
    {"derivatives are exact", derivatives_are_exact},
    {"one argument has no second derivatives but its own",
     one_argument_has_no_second_derivatives_but_its_own},
    {"what is rough or unknown is refused", what_is_rough_or_unknown_is_refused},
    {"evaluations do not allocate", evaluations_do_not_allocate},
    {"nothing is lost when memory is short", nothing_is_lost_when_memory_is_short},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
