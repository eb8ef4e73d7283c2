// SPDX-License-Identifier: MIT
//
// Functions of time: constants, tables against what a natural spline is, copies and memory. The
// expression language has its own test.

#include "test.h"

#include "signal/timefn.h"

static const double ROUNDOFF = 1e-14; // a dozen operations on numbers up to ten

static tn_timefn *compile(const char *text)
{
    static const tn_named_value params[] = {{"a", 0.75, NULL, NULL}};
    tn_timefn *f = NULL;
    CHECK_OK(tn_timefn_expression(text, TN_COUNT(params), params, &f));
    return f;
}

static void constants_are_known_as_such(void)
{
    static const double t[] = {0, 1}, u[] = {3, 3};
    tn_timefn *f[4] = {compile("a*2"), compile("0*t")};
    CHECK_OK(tn_timefn_constant(2.5, &f[2]));
    CHECK_OK(tn_timefn_table(2, t, u, TN_TABLE_SPLINE, TN_BEYOND_LINEAR, &f[3]));
    static const bool expected[] = {true, false, true, false};
    for (int i = 0; i < 4; i++)
        CHECK(tn_timefn_is_constant(f[i]) == expected[i]);
    double v[3];
    tn_timefn_eval(f[2], 9.0, v);
    CHECK(v[0] == 2.5 && v[1] == 0.0 && v[2] == 0.0);
    for (int i = 0; i < 4; i++)
        tn_timefn_destroy(f[i]);
    tn_timefn_destroy(NULL);
    CHECK_STATUS(tn_timefn_constant(NAN, &f[0]), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), "constant nan is not finite");
}

static void tables_pass_through_their_points(void)
{
    static const double t[] = {-1.0, 0.0, 0.2, 1.0, 3.0, 3.1}, u[] = {2, -1, 0, 4, 4, -7};
    tn_timefn *f = NULL;
    CHECK_OK(tn_timefn_table(6, t, u, TN_TABLE_SPLINE, TN_BEYOND_LINEAR, &f));
    for (int i = 0; i < 6; i++) {
        double v[3];
        tn_timefn_eval(f, t[i], v);
        CHECK_NEAR(v[0], u[i], 1e-14);
    }
    tn_timefn_destroy(f);
}

// One piece ends where the next begins with the same u, u', u''; the ends have no curvature and the
// function goes on straight.
static void tables_are_twice_continuous(void)
{
    static const double t[] = {-1.0, 0.0, 0.2, 1.0, 3.0, 3.1}, u[] = {2, -1, 0, 4, 4, -7};
    static const double JUMP = 1e-7; // 1e-10 times the next derivative, which reaches 1e3 here
    tn_timefn *f = NULL;
    CHECK_OK(tn_timefn_table(6, t, u, TN_TABLE_SPLINE, TN_BEYOND_LINEAR, &f));
    for (int i = 0; i < 6; i++) {
        double before[3], after[3];
        tn_timefn_eval(f, t[i] - 1e-10, before);
        tn_timefn_eval(f, t[i] + 1e-10, after);
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(before[j], after[j], 10.0 * JUMP);
        if (i == 0 || i == 5)
            CHECK_NEAR(before[2], 0.0, 10.0 * JUMP);
    }
    double end[3], beyond[3];
    tn_timefn_eval(f, 3.1, end);
    tn_timefn_eval(f, 5.1, beyond);
    CHECK_NEAR(beyond[0], end[0] + 2.0 * end[1], 1e-12);
    CHECK(beyond[1] == end[1] && beyond[2] == 0.0);
    tn_timefn_eval(f, -1.0, end);
    tn_timefn_eval(f, -3.0, beyond);
    CHECK_NEAR(beyond[0], end[0] - 2.0 * end[1], 1e-12);
    CHECK(beyond[1] == end[1] && beyond[2] == 0.0);
    tn_timefn_destroy(f);
}

static void table_derivatives_match_differences(void)
{
    static const double t[] = {0.0, 0.5, 1.5, 2.0}, u[] = {1, 3, -2, 0};
    static const double h = 1e-4, DIFFERENCE = 1e-7; // a cubic has h^2 u'''/6 and no more
    tn_timefn *f = NULL;
    CHECK_OK(tn_timefn_table(4, t, u, TN_TABLE_SPLINE, TN_BEYOND_LINEAR, &f));
    for (double x = -0.45; x < 2.5; x += 0.1) {
        double v[3], plus[3], minus[3];
        tn_timefn_eval(f, x, v);
        tn_timefn_eval(f, x + h, plus);
        tn_timefn_eval(f, x - h, minus);
        CHECK_NEAR(v[1], (plus[0] - minus[0]) / (2.0 * h), 10.0 * DIFFERENCE);
        CHECK_NEAR(v[2], (plus[1] - minus[1]) / (2.0 * h), DIFFERENCE);
    }
    tn_timefn_destroy(f);
}

static void tables_are_exact_where_the_spline_is_known(void)
{
    static const double t[] = {0.0, 1.0, 2.0}, hat[] = {0.0, 1.0, 0.0}, line[] = {1.0, 3.0, 5.0};
    tn_timefn *f = NULL;
    double u[3];
    CHECK_OK(tn_timefn_table(3, t, hat, TN_TABLE_SPLINE, TN_BEYOND_LINEAR,
                             &f)); // (3 t - t^3)/2 up to the middle, then its mirror
    tn_timefn_eval(f, 0.6, u);
    CHECK_NEAR(u[0], 0.9 - 0.108, 1e-15);
    CHECK_NEAR(u[1], 1.5 - 0.54, 1e-15);
    CHECK_NEAR(u[2], -1.8, 1e-15);
    tn_timefn_eval(f, 1.4, u);
    CHECK_NEAR(u[0], 0.9 - 0.108, 1e-15);
    CHECK_NEAR(u[1], -1.5 + 0.54, 1e-15);
    tn_timefn_destroy(f);
    for (int n = 2; n <= 3; n++) {
        CHECK_OK(tn_timefn_table(n, t, line, TN_TABLE_SPLINE, TN_BEYOND_LINEAR, &f));
        for (double x = -3.0; x < 5.0; x += 0.37) {
            tn_timefn_eval(f, x, u);
            CHECK_NEAR(u[0], 1.0 + 2.0 * x, ROUNDOFF);
            CHECK_NEAR(u[1], 2.0, ROUNDOFF);
            CHECK_NEAR(u[2], 0.0, ROUNDOFF);
        }
        tn_timefn_destroy(f);
    }
}

static double sine_table_error(int n)
{
    double t[65], u[65], worst = 0.0;
    for (int i = 0; i <= n; i++) {
        t[i] = 3.14159265358979323846 * i / n;
        u[i] = sin(t[i]);
    }
    tn_timefn *f = NULL;
    CHECK_OK(tn_timefn_table(n + 1, t, u, TN_TABLE_SPLINE, TN_BEYOND_LINEAR, &f));
    for (int k = 0; k <= 1000; k++) {
        double v[3];
        tn_timefn_eval(f, t[n] * k / 1000, v);
        worst = fmax(worst, fabs(v[0] - sin(t[n] * k / 1000)));
    }
    tn_timefn_destroy(f);
    return worst;
}

// sin on [0, pi] has no curvature at the ends, so the natural spline keeps the order 4.
static void tables_converge_with_order_four(void)
{
    const double coarse = sine_table_error(32), fine = sine_table_error(64);
    CHECK_NEAR(log2(coarse / fine), 4.0, 0.05);
    CHECK(fine < 1e-7);
}

static void faulty_tables_are_refused(void)
{
    static const double t[] = {0.0, 1.0, 0.5, 2.0}, twice[] = {0.0, 1.0, 1.0}, u[] = {1, NAN, 3, 4};
    tn_timefn *f = NULL;
    CHECK_STATUS(tn_timefn_table(4, t, t, TN_TABLE_SPLINE, TN_BEYOND_LINEAR, &f), TN_ERR_MODEL);
    CHECK_TEXT(
        tn_last_error(),
        "table, row 3: 0.5 does not follow 1 of row 2; the first of each pair must increase");
    CHECK_STATUS(tn_timefn_table(3, twice, t, TN_TABLE_SPLINE, TN_BEYOND_LINEAR, &f), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(),
               "table, row 3: 1 does not follow 1 of row 2; the first of each pair must increase");
    CHECK_STATUS(tn_timefn_table(1, t, t, TN_TABLE_SPLINE, TN_BEYOND_LINEAR, &f), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), "table has 1 point; at least 2 are needed");
    CHECK_STATUS(tn_timefn_table(4, t, u, TN_TABLE_SPLINE, TN_BEYOND_LINEAR, &f), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), "table, row 2: (1, nan) is not finite");
    CHECK(f == NULL);
}

static tn_status build_all(void)
{
    static const double t[] = {0.0, 1.0, 2.0}, u[] = {0.0, 1.0, 0.0};
    tn_timefn *f[3] = {NULL};
    double v;
    tn_status s = tn_timefn_expression("sin(t)*2+cos(t)/3-t^2*(1+t)", 0, NULL, &f[0]);
    if (s == TN_OK)
        s = tn_timefn_constant(1.0, &f[1]);
    if (s == TN_OK)
        s = tn_timefn_table(3, t, u, TN_TABLE_SPLINE, TN_BEYOND_LINEAR, &f[2]);
    if (s == TN_OK)
        s = tn_expression_value("1+1", 0, NULL, &v);
    for (int i = 0; i < 3; i++)
        tn_timefn_destroy(f[i]);
    return s;
}

static void memory_may_run_out_anywhere(void)
{
    int n = 1;
    for (;; n++) {
        tn_test_alloc_fail_at(n);
        const tn_status s = build_all();
        CHECK(tn_test_alloc_live() == 0);
        if (!tn_test_alloc_failed())
            break;
        CHECK_STATUS(s, TN_ERR_MEMORY);
    }
    CHECK(n > 8);
}

static void evaluation_does_not_allocate(void)
{
    tn_timefn *f = compile("step(t, 0, 1, 1, 2)*sin(t)^t + max(t, 1, 2)");
    const long before = tn_test_alloc_count();
    double u[3];
    for (int i = 0; i < 100; i++)
        tn_timefn_eval(f, 0.01 * i, u);
    CHECK(tn_test_alloc_count() == before);
    tn_timefn_destroy(f);
}

static const tn_test tests[] = {
    {"constants are known as such", constants_are_known_as_such},
    {"tables pass through their points", tables_pass_through_their_points},
    {"tables are twice continuous", tables_are_twice_continuous},
    {"table derivatives match differences", table_derivatives_match_differences},
    {"tables are exact where the spline is known", tables_are_exact_where_the_spline_is_known},
    {"tables converge with order four", tables_converge_with_order_four},
    {"faulty tables are refused", faulty_tables_are_refused},
    {"memory may run out anywhere", memory_may_run_out_anywhere},
    {"evaluation does not allocate", evaluation_does_not_allocate},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
