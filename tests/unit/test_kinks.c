// SPDX-License-Identifier: MIT
//
// Kinks and jumps of functions of time are known from them, and tables are the curves that they say
// they are.

#include "model/model_kinks.h"
#include "signal/curve.h"
#include "signal/expression.h"
#include "test.h"

static double between(double a, double b)
{
    return a + 0.5 * (b - a) * (1.0 + tn_random());
}

static tn_timefn *expression(const char *text)
{
    tn_timefn *f = NULL;
    CHECK_OK(tn_timefn_expression(text, 0, NULL, &f));
    return f;
}

static tn_timefn *table(int n, const double *t, const double *u, tn_interpolation interpolation,
                        tn_beyond beyond)
{
    tn_timefn *f = NULL;
    CHECK_OK(tn_timefn_table(n, t, u, interpolation, beyond, &f));
    return f;
}

static double value(const tn_timefn *f, double t, int derivative)
{
    double u[3];
    tn_timefn_eval(f, t, u);
    return u[derivative];
}

// All kinks from one time to another; numbers on both sides of each are neighbours or nearly so.
static int all_kinks(const tn_timefn *f, double from, double to, double *out, int most)
{
    int n = 0;
    for (double t = from; t < to;) {
        tn_kink kink;
        const bool found = tn_timefn_next_kink(f, t, to, (to - from) / 2000.0, &kink);
        if (found) {
            CHECK(kink.before <= kink.t && kink.t <= kink.after && kink.before < kink.after);
            CHECK(kink.after - kink.before < 1e-13 * fmax(1.0, fabs(kink.t)));
            CHECK(n < most);
            out[n++] = kink.t;
        }
        if (!(kink.after > t))
            printf("from %.17g: %d, %.17g, after %.17g\n", t, found, kink.t, kink.after);
        CHECK(kink.after > t);
        t = kink.after;
    }
    return n;
}

static void conditions_are_known_from_the_expression(void)
{
    static const struct {
        const char *text;
        int n;
        double at[6];
    } cases[] = {
        {"t > 5 && t < 5.01 ? 100 : 0", 2, {5.0, 5.01}},
        {"if(t >= 0.1, 1, 0)", 1, {0.1}},
        {"3*t <= 0.9 ? 1 : 2", 1, {0.3}},
        {"abs(t - 0.05)", 1, {0.05}},
        {"sign(2 - t/3)", 1, {6.0}},
        {"max(0, t - 1, 2*t - 5)", 2, {1.0, 4.0}},
        {"min(t, 7)", 1, {7.0}},
        {"step(t, 2, 0, 2.001, 1) - step(t, 2.002, 0, 2.003, 1)", 4, {2.0, 2.001, 2.002, 2.003}},
        {"abs(t - 4) < 0.0005 ? 1 : 0", 3, {3.9995, 4.0, 4.0005}},
        {"t == 3 ? 1e9 : 0", 1, {3.0}},
        {"clamp(2*t, 3, 8)", 2, {1.5, 4.0}},
        {"deadband(t - 3, 0.25)", 2, {2.75, 3.25}},
        {"select(t, 1, 5, 2)", 2, {1.5, 2.5}},
        {"abs(deadband(t - 3, 0.25) - 1)", 3, {2.75, 3.25, 4.25}},
        {"smooth_clamp(t, 3, 8, 0.1) + smooth_abs(t - 2, 0.1)", 0, {0}},
        {"sin(t)", 0, {0}},
        {"t > 20 ? 1 : 0", 0, {0}},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        double at[8];
        tn_timefn *f = expression(cases[i].text);
        const int n = all_kinks(f, -1.0, 10.0, at, 8);
        if (n != cases[i].n)
            printf("%s: %d kinks\n", cases[i].text, n);
        CHECK(n == cases[i].n);
        for (int k = 0; k < n; k++)
            CHECK_NEAR(at[k], cases[i].at[k], 1e-14 * (1.0 + cases[i].at[k]));
        tn_timefn_destroy(f);
    }
}

static void conditions_that_are_curved_are_looked_for(void)
{
    static const struct {
        const char *text;
        int n;
        double first;
    } cases[] = {
        {"sin(10*t) > 0 ? 1 : -1", 32, 0.0}, // 0, pi/10, ..., the last below 10
        {"select(t^2, 1, 2) + smooth_abs(t - 3, 0.5)", 1, 1.224744871391589},
        {"t^2 > 2 ? 1 : 0", 1, 1.4142135623730951},
        {"exp(-t) < 0.01 ? 1 : 0", 1, 4.605170185988091},
        {"(t - 3)^2 < 1e-4 ? 1 : 0", 2, 2.99}, // both between two looks
        {"sign(cos(500*t))", 1592, 0.0031415926535897933},
        {"exp(-((t - 8.2659)/1e-6)^2) > 0.5 ? 1 : 0", 2, 8.265899167445388},
        {"tan(t - 1.563) > 1e6 ? 1 : 0", 6, 3.1337953267948966}, // up to poles, 1e-6 s later
        {"max(0, exp(-((t - 3)/1e-5)^2) - 0.5)", 2, 2.9999916744538884},
        {"tanh(1e5*(t - 2)) + tanh(1e5*(2.0001 - t)) > 1 ? 1 : 0", 2, 2.0},
        {"1/(t - 1) - 5*t > 0 ? 1 : 0", 2, 1.0},
        {"sin(9*t)^4000 > 0.9 ? 1 : 0", 58, 0.17372647133022853}, // 29 peaks of 1.6 ms
        {"(t - 1)*(t - 1.00001)*(t - 7)*(t - 7.00001) < 0 ? 1 : 0", 4, 1.0},
    };
    static double at[2000];
    for (int i = 0; i < TN_COUNT(cases); i++) {
        tn_timefn *f = expression(cases[i].text);
        CHECK(tn_timefn_is_searched(f));
        const int n = all_kinks(f, 0.0, 10.0, at, 2000);
        printf("%s: %d kinks, the first at %.17g\n", cases[i].text, n, at[0]);
        CHECK(abs(n - cases[i].n) <= (cases[i].n > 1000 ? 1 : 0));
        CHECK_NEAR(at[0], cases[i].first, i < 5 ? 1e-12 : 1e-8);
        tn_timefn_destroy(f);
    }
}

// Also where they only touch: no sign tells of it.
static void roots_have_kinks_at_zeros(void)
{
    static const struct {
        const char *text;
        int n;
        double first;
    } cases[] = {
        {"sqrt((t - 1.1)^2)", 1, 1.1},
        {"((t^2 - 4)^2)^0.5", 1, 2.0},
        {"(1 - cos(t))^(3/4)", 1, 6.283185307179586},
        {"acos(cos(3*t + 0.1))", 9, 1.013864217863264},
        {"asin(sin(pi*t))", 10, 0.5},
        {"hypot(t - 2, sin(pi*t))", 1, 2.0},
        {"hypot(t - 2, 0.01)", 0, 0.0},
        {"sqrt((t - 1)^2 + 1e-6)", 0, 0.0},
        {"((t - 1)^2)^2", 0, 0.0},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        double at[12] = {0.0};
        int n = 0;
        tn_timefn *f = expression(cases[i].text);
        for (double t = 0.001; t < 10.0;) {
            tn_kink kink;
            if (tn_timefn_next_kink(f, t, 10.0, 0.01, &kink) && n < TN_COUNT(at))
                at[n++] = kink.t;
            CHECK(kink.after > t && kink.after - kink.before < 1e-6 && !kink.sampled);
            t = kink.after;
        }
        printf("%s: %d kinks, the first at %.17g\n", cases[i].text, n, at[0]);
        CHECK(n == cases[i].n);
        CHECK_NEAR(at[0], cases[i].first, 1e-12);
        tn_timefn_destroy(f);
    }
}

// Values and derivatives at times of a stretch are within the ranges that are told of it.
static tn_range_jet range_of(const tn_expression *e, double a, double b)
{
    tn_range_jet stack[TN_EXPRESSION_STACK + 1], *top = stack; // one below the first value
    for (int i = 0; i < e->count; i++)
        top = e->code[i].op->over(top, &e->code[i], (tn_interval){a, b});
    return *top;
}

static void ranges_hold_what_functions_take(void)
{
    static const char *const texts[] = {
        "sin(3*t) + cos(t^2)",
        "exp(-t)*tan(t)",
        "atan2(sin(t), cos(t) - 0.3)",
        "sqrt(abs(t - 1))/(t - 2)",
        "asin(sin(t))*log(t)",
        "min(t, sin(5*t), 1/t)",
        "max(t, cosh(t) - 2)",
        "t^3 - t^-2 + t^1.5",
        "step(t, 1, sin(t), 2, t^2)",
        "tanh(t) - atan(3*t)",
        "t > 1 ? t^2 : -sinh(t)",
        "acos(cos(t)) + sign(t - 1)*log10(t)",
        "(1 + t)^sin(t)",
        "t >= 1 && t != 2 || t < 0.5",
        "(t <= 1) == (t < 2)",
        "clamp(3*sin(t), 0.2, t)",
        "deadband(t - 2, 0.5*cos(t))",
        "hypot(t - 1, sin(t))",
        "select(2*t, t^2, sin(t), exp(-t))",
        "smooth_abs(sin(3*t), 0.1 + t) + smooth_sign(t - 1, 0.2)",
        "smooth_clamp(t, 1, 2, 0.1) + smooth_deadband(t - 2, 0.5, 0.2)",
        "smooth_min(t, sin(t), 0.3) - smooth_max(t, 1, 0.2)*smooth_step(t, 2)",
    };
    for (int i = 0; i < TN_COUNT(texts); i++) {
        tn_expression *e = NULL;
        CHECK_OK(tn_expression_create(texts[i], 0, NULL, &e));
        for (int k = 0; k < 300; k++) {
            const double a = between(0.1, 4.0), b = a + pow(10.0, between(-8.0, 0.0));
            const tn_range_jet r = range_of(e, a, b);
            for (int j = 0; j <= 10; j++) {
                const tn_jet u = tn_expression_eval(e, a + (b - a) * j / 10.0);
                const bool inside = u.v >= r.v.low && u.v <= r.v.high && u.d >= r.d.low &&
                                    u.d <= r.d.high && u.dd >= r.dd.low && u.dd <= r.dd.high;
                if (!inside)
                    printf("%s from %.17g to %.17g\n", texts[i], a, b);
                CHECK(inside);
            }
        }
        tn_free(e);
    }
}

// A function that is zero but for its round-off cannot be told from one with zeros. It is looked at
// up to the end, and its round-off is no kink.
static void a_search_that_cannot_end_says_so(void)
{
    static const char *const texts[] = {"max(0, sin(t)^2 + cos(t)^2 - 1)", "exp(t) - exp(t) > 0"};
    for (int i = 0; i < TN_COUNT(texts); i++) {
        tn_timefn *f = expression(texts[i]);
        tn_kink kink;
        CHECK(!tn_timefn_next_kink(f, 0.3, 1.0, 0.003, &kink));
        CHECK(kink.sampled && kink.t == 1.0);
        tn_timefn_destroy(f);
    }
}

// At times that both conditions share, zeros of evaluations are neighbours in either order.
static void kinks_within_round_off_are_one(void)
{
    static double at[400];
    tn_timefn *f = expression("sign(sin(2*pi*t)) + sign(sin(6*pi*t))");
    const int n = all_kinks(f, 0.01, 20.99, at, 400);
    CHECK(n == 125); // 6 a second
    for (int k = 0; k < n; k++)
        CHECK_NEAR(at[k], (k + 1) / 6.0, 1e-13);
    tn_timefn_destroy(f);
}

// The sides of a kink are those that evaluations see.
static void values_beside_a_kink_are_those_of_its_pieces(void)
{
    for (int i = 0; i < 500; i++) {
        char text[80];
        const double at = between(0.0, 10.0), slope = between(0.1, 30.0);
        snprintf(text, sizeof text, "%.17g*(t - %.17g) > 0 ? 2 : 1", slope, at);
        tn_timefn *f = expression(text);
        tn_kink kink;
        CHECK(tn_timefn_next_kink(f, -1.0, 20.0, 1.0, &kink));
        CHECK_NEAR(kink.t, at, 1e-15 * (1.0 + at));
        CHECK(value(f, kink.before, 0) == 1.0 && value(f, kink.after, 0) == 2.0);
        tn_timefn_destroy(f);
    }
}

static const double pulse_t[] = {0.0, 4.99, 5.0, 5.01, 10.0};
static const double pulse_u[] = {0.0, 0.0, 100.0, 0.0, 0.0};

static void a_monotone_table_stays_within_its_points(void)
{
    tn_timefn *f = table(5, pulse_t, pulse_u, TN_TABLE_MONOTONE, TN_BEYOND_HOLD);
    for (int i = 0; i <= 4000; i++) {
        const double u = value(f, 4.98 + 1e-5 * i, 0);
        CHECK(u >= 0.0 && u <= 100.0);
    }
    CHECK(value(f, 2.0, 0) == 0.0 && value(f, 5.0, 0) == 100.0);
    tn_timefn_destroy(f);
    for (int round = 0; round < 50; round++) {
        double t[12], u[12];
        for (int i = 0; i < 12; i++) {
            t[i] = (i ? t[i - 1] : 0.0) + between(0.01, 1.0);
            u[i] = between(-1.0, 1.0);
        }
        f = table(12, t, u, TN_TABLE_MONOTONE, round % 2 ? TN_BEYOND_HOLD : TN_BEYOND_LINEAR);
        for (int i = 0; i < 11; i++)
            for (int k = 0; k <= 20; k++) {
                const double now = value(f, t[i] + (t[i + 1] - t[i]) * k / 20.0, 0);
                CHECK(now >= fmin(u[i], u[i + 1]) - 1e-12 && now <= fmax(u[i], u[i + 1]) + 1e-12);
            }
        tn_timefn_destroy(f);
    }
}

// Central differences, away from points where the derivative may jump.
static void derivatives_of_tables_are_exact(void)
{
    static const double t[] = {0.0, 0.4, 1.0, 1.3, 2.0, 2.5}, u[] = {1.0, 3.0, 2.0, 2.5, -1.0, 1.0};
    for (int kind = TN_TABLE_LINEAR; kind <= TN_TABLE_SPLINE; kind++)
        for (int beyond = TN_BEYOND_HOLD; beyond <= TN_BEYOND_PERIODIC; beyond++) {
            tn_timefn *f = table(6, t, u, (tn_interpolation)kind, (tn_beyond)beyond);
            for (int i = 0; i < 200; i++) {
                const double at = -3.0 + 8.0 * (i + 0.5) / 200.0 + 0.00037, d = 1e-5;
                const double slope = (value(f, at + d, 0) - value(f, at - d, 0)) / (2.0 * d);
                const double bend = (value(f, at + d, 1) - value(f, at - d, 1)) / (2.0 * d);
                CHECK_NEAR(value(f, at, 1), slope, 1e-6);
                CHECK_NEAR(value(f, at, 2), bend, 1e-5);
            }
            tn_timefn_destroy(f);
        }
}

static void ends_of_tables_are_as_stated(void)
{
    static const double t[] = {1.0, 2.0, 3.0, 4.0}, u[] = {1.0, 3.0, 2.0, 1.0};
    for (int kind = TN_TABLE_LINEAR; kind <= TN_TABLE_SPLINE; kind++) {
        const tn_interpolation how = (tn_interpolation)kind;
        tn_timefn *f = table(4, t, u, how, TN_BEYOND_HOLD);
        CHECK(value(f, 0.0, 0) == 1.0 && value(f, 9.0, 0) == 1.0 && value(f, 9.0, 1) == 0.0);
        if (how != TN_TABLE_LINEAR)
            CHECK_NEAR(value(f, 4.0, 1), 0.0, 1e-12); // arrives with slope zero
        tn_timefn_destroy(f);
        f = table(4, t, u, how, TN_BEYOND_LINEAR);
        CHECK_NEAR(value(f, 6.0, 0), 1.0 + 2.0 * value(f, 4.0, 1), 1e-12);
        tn_timefn_destroy(f);
        f = table(4, t, u, how, TN_BEYOND_PERIODIC);
        CHECK_NEAR(value(f, 1.7 + 300.0, 0), value(f, 1.7, 0), 1e-12);
        CHECK_NEAR(value(f, 1.7 - 30.0, 1), value(f, 1.7, 1), 1e-12);
        if (how != TN_TABLE_LINEAR) // closes
            CHECK_NEAR(value(f, 4.0 - 1e-9, 1), value(f, 4.0 + 1e-9, 1), 1e-7);
        if (how == TN_TABLE_SPLINE)
            CHECK_NEAR(value(f, 4.0 - 1e-9, 2), value(f, 4.0 + 1e-9, 2), 1e-6);
        tn_timefn_destroy(f);
        f = table(4, t, u, how, TN_BEYOND_ERROR);
        CHECK(isnan(value(f, 0.5, 0)) && value(f, 1.0, 0) == 1.0);
        tn_timefn_destroy(f);
    }
}

static void a_spline_that_overshoots_says_so(void)
{
    tn_curve *curve = NULL;
    double t;
    CHECK_OK(tn_curve_create(5, pulse_t, pulse_u, TN_TABLE_SPLINE, TN_BEYOND_LINEAR, &curve));
    CHECK(tn_curve_overshoot(curve, &t) > 10.0);
    tn_free(curve);
    CHECK_OK(tn_curve_create(5, pulse_t, pulse_u, TN_TABLE_MONOTONE, TN_BEYOND_HOLD, &curve));
    CHECK(tn_curve_overshoot(curve, &t) == 0.0);
    tn_free(curve);
    // A part of the range of the points, wherever they lie.
    static const double at[] = {0.0, 1.0, 2.0, 3.0, 4.0};
    double part[2];
    for (int k = 0; k < 2; k++) {
        const double lift = 100.0 * k, u[] = {2 + lift, 1 + lift, 2 + lift, 3 + lift, 2 + lift};
        CHECK_OK(tn_curve_create(5, at, u, TN_TABLE_SPLINE, TN_BEYOND_HOLD, &curve));
        part[k] = tn_curve_overshoot(curve, &t);
        tn_free(curve);
    }
    CHECK(part[0] > 0.001 && part[0] < 0.2);
    CHECK_NEAR(part[1], part[0], 1e-12);
}

// Steps end at every point of a linear table, at the begin of what a flat table does not announce,
// and hardly anywhere in a long table of a smooth curve.
static void long_tables_cost_no_restarts(void)
{
    enum { N = 10000 };
    static double t[N], u[N], at[N];
    for (int i = 0; i < N; i++) {
        t[i] = 1e-3 * i;
        u[i] = sin(t[i]) + 0.2 * sin(7.0 * t[i]);
    }
    tn_timefn *f = table(N, t, u, TN_TABLE_SPLINE, TN_BEYOND_LINEAR);
    const int smooth = all_kinks(f, -1.0, 11.0, at, N);
    tn_timefn_destroy(f);
    for (int i = 4000; i < 4003; i++)
        u[i] += 5.0;
    f = table(N, t, u, TN_TABLE_MONOTONE, TN_BEYOND_HOLD);
    const int pulse = all_kinks(f, 1.0, 9.0, at, N);
    tn_timefn_destroy(f);
    printf("%d kinks in a smooth table, %d around a pulse, from %g s on\n", smooth, pulse, at[0]);
    CHECK(smooth <= 20);
    CHECK(pulse > 0 && pulse <= 20 && at[0] <= t[3999] && at[0] >= t[3998] - 1e-12);
    f = table(N, t, u, TN_TABLE_LINEAR, TN_BEYOND_HOLD);
    CHECK(all_kinks(f, -1.0, 11.0, at, N) >= N - 2);
    tn_timefn_destroy(f);
}

static const tn_test tests[] = {
    {"conditions are known from the expression", conditions_are_known_from_the_expression},
    {"conditions that are curved are looked for", conditions_that_are_curved_are_looked_for},
    {"roots have kinks at zeros", roots_have_kinks_at_zeros},
    {"ranges hold what functions take", ranges_hold_what_functions_take},
    {"a search that cannot end says so", a_search_that_cannot_end_says_so},
    {"kinks within round-off are one", kinks_within_round_off_are_one},
    {"values beside a kink are those of its pieces", values_beside_a_kink_are_those_of_its_pieces},
    {"a monotone table stays within its points", a_monotone_table_stays_within_its_points},
    {"derivatives of tables are exact", derivatives_of_tables_are_exact},
    {"ends of tables are as stated", ends_of_tables_are_as_stated},
    {"a spline that overshoots says so", a_spline_that_overshoots_says_so},
    {"long tables cost no restarts", long_tables_cost_no_restarts},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
