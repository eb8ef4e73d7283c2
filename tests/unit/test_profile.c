// SPDX-License-Identifier: MIT
//
// Curves for contact: splines of degree 5 with the orders of theory, expressions exactly, beyond
// their ends and round, and refusals with their places.

#include "test.h"

#include "contact/profile.h"
#include "signal/quintic.h"

static const double PI = 3.14159265358979323846;
static const char WHAT[] = "joint 'cam': profile";

enum { MANY = 400 };
static double px[MANY + 1], py[MANY + 1];

static tn_profile *through(int n, bool closed)
{
    tn_profile *p = NULL;
    CHECK_OK(tn_profile_of_points(n, px, py, closed, WHAT, &p));
    return p;
}

static tn_status profile_of_text(const tn_model *model, const char *x, const char *y, double from,
                                 double to, const char *what, tn_profile **out)
{
    static const char *const keys[2] = {"x", "y"};
    return tn_profile_of_text(model, (const char *const[2]){x, y}, keys, from, to, what, out);
}

static tn_profile *by_text(const char *x, const char *y, double from, double to)
{
    tn_model *model = tn_model_create();
    tn_profile *p = NULL;
    CHECK_OK(profile_of_text(model, x, y, from, to, WHAT, &p));
    tn_model_destroy(model);
    return p;
}

static void circle_points(int n, double radius)
{
    for (int i = 0; i < n; i++) {
        px[i] = radius * cos(2.0 * PI * i / n) + 0.3;
        py[i] = radius * sin(2.0 * PI * i / n) - 0.1;
    }
}

// Splines of degree 5 -----------------------------------------------------------------------------

static const double poly[6] = {0.3, -1.1, 0.7, 0.4, -0.9, 0.25};

static double polynomial(double s, int degree, int derivative)
{
    double sum = 0.0;
    for (int j = derivative; j <= degree; j++) {
        double factor = poly[j];
        for (int k = 0; k < derivative; k++)
            factor *= j - k;
        sum += factor * pow(s, j - derivative);
    }
    return sum;
}

// At uneven places from -1 to 1.
static void fit_polynomials(int n, int degree, double *s, double (*out)[TN_QUINTIC])
{
    const double *const y[2] = {px, py};
    for (int i = 0; i < n; i++) {
        s[i] = -1.0 + 2.0 * i / (n - 1) + (i % 2 ? 0.4 / n : 0.0) * (i < n - 1);
        px[i] = polynomial(s[i], degree, 0);
        py[i] = 2.0 - px[i];
    }
    CHECK_OK(tn_quintic_fit(n, s, false, 2, y, NULL, out));
}

// Third and fourth derivatives are zero at the ends, as those of quadratic polynomials are: these
// come back exactly. 1e-11 is round-off of second derivatives over pieces of 0.1.
static void quadratic_polynomials_come_back(void)
{
    enum { N = 20 };
    double s[N], c[2 * N][TN_QUINTIC];
    fit_polynomials(N, 2, s, c);
    for (int i = 0; i + 1 < N; i++)
        for (int k = 0; k < 3; k++) {
            const double r = 0.31 * k * (s[i + 1] - s[i]);
            double u[3], v[3];
            tn_quintic_eval(c[2 * i], r, u);
            tn_quintic_eval(c[2 * i + 1], r, v);
            for (int d = 0; d < 3; d++) {
                CHECK_NEAR(u[d], polynomial(s[i] + r, 2, d), 1e-11);
                CHECK_NEAR(v[d], (d == 0 ? 2.0 : 0.0) - polynomial(s[i] + r, 2, d), 1e-11);
            }
        }
}

// What the ends do to a polynomial of degree 5 falls by 0.43 from point to point [the larger root
// of z^4 + 26 z^3 + 66 z^2 + 26 z + 1 below 1]: behind 60 points it is below round-off.
static void polynomials_of_degree_5_come_back_far_from_the_ends(void)
{
    enum { N = 200, FAR = 60 };
    static double s[N], c[2 * N][TN_QUINTIC];
    fit_polynomials(N, 5, s, c);
    for (int i = FAR; i + 1 < N - FAR; i++) {
        const double r = 0.4 * (s[i + 1] - s[i]);
        double u[3];
        tn_quintic_eval(c[2 * i], r, u);
        CHECK_NEAR(u[0], polynomial(s[i] + r, 5, 0), 1e-14);
        CHECK_NEAR(u[1], polynomial(s[i] + r, 5, 1), 1e-12);
        CHECK_NEAR(u[2], polynomial(s[i] + r, 5, 2), 1e-10);
    }
}

// The derivatives of order 0 to 4 at the end of a piece are those at the start of the next.
static void check_continuous(int pieces, const double *s, double (*c)[TN_QUINTIC], bool round)
{
    for (int i = 0; i < pieces - !round; i++)
        for (int k = 0; k < 2; k++) {
            const double *a = c[2 * i + k], *b = c[2 * ((i + 1) % pieces) + k];
            const double h = s[i + 1] - s[i];
            for (int d = 0; d < 5; d++) {
                double left = 0.0, right = b[d];
                for (int j = 5; j >= d; j--) {
                    double factor = a[j];
                    for (int m = 0; m < d; m++)
                        factor *= (double)(j - m) / (m + 1);
                    left = left * h + factor;
                }
                CHECK_NEAR(left, right, 1e-12 * pow(h, -d)); // round-off of values of about 1
            }
        }
}

static void four_derivatives_are_continuous(void)
{
    enum { N = 13 };
    static double s[N + 1], c[2 * N][TN_QUINTIC];
    const double *const y[2] = {px, py};
    for (int i = 0; i <= N; i++) {
        s[i] = 0.4 * i + 0.1 * tn_random();
        px[i] = tn_random();
        py[i] = tn_random();
    }
    CHECK_OK(tn_quintic_fit(N, s, false, 2, y, NULL, c));
    check_continuous(N - 1, s, c, false);
    for (int k = 0; k < 2; k++)
        CHECK_NEAR(c[k][3], 0.0, 1e-10);
    for (int n = 5; n <= N; n++) {
        CHECK_OK(tn_quintic_fit(n, s, true, 2, y, NULL, c));
        check_continuous(n, s, c, true);
    }
}

// Curves through points ---------------------------------------------------------------------------

// Each piece has as many samples as the others, so that the points are among them.
static void points_are_on_their_curve(void)
{
    for (int i = 0; i < 7; i++) {
        px[i] = 0.1 * i;
        py[i] = 0.02 * tn_random();
    }
    for (int closed = 0; closed < 2; closed++) {
        tn_profile *p = through(7, closed);
        const tn_profile_at *list;
        const double *s;
        const int n = tn_profile_samples(p, &list, &s), each = n / (closed ? 7 : 6);
        CHECK(p->closed == closed && p->from == 0.0);
        for (int i = 0; i < 7; i++) {
            CHECK_NEAR(list[each * i].c[0], px[i], 1e-15);
            CHECK_NEAR(list[each * i].c[1], py[i], 1e-15);
        }
        tn_profile_destroy(p);
    }
}

// Differences with h = 1e-5 err by h^2 c''' ; pieces of 0.1 m leave third derivatives of some 100.
static void check_derivatives(const tn_profile *p)
{
    const double h = 1e-5, from = p->from, to = p->to;
    for (int i = 0; i < 200; i++) {
        tn_profile_at a, before, after;
        const double s = 0.5 * (from + to) + 0.8 * (to - from) * tn_random();
        tn_profile_eval(p, s, &a);
        tn_profile_eval(p, s - h, &before);
        tn_profile_eval(p, s + h, &after);
        for (int k = 0; k < 2; k++) {
            CHECK_NEAR(a.d[k], (after.c[k] - before.c[k]) / (2.0 * h), 1e-7);
            CHECK_NEAR(a.dd[k], (after.d[k] - before.d[k]) / (2.0 * h), 2e-3);
        }
    }
}

static void derivatives_match_differences(void)
{
    circle_points(30, 0.5);
    px[7] += 0.01;
    for (int closed = 0; closed < 2; closed++) {
        tn_profile *p = through(30, closed);
        check_derivatives(p);
        tn_profile_destroy(p);
    }
    tn_profile *p = by_text("0.4*cos(s)", "0.3*sin(s) + 0.05*sin(2*s)", 0.0, 2.0 * PI);
    CHECK(p->closed);
    check_derivatives(p);
    tn_profile_destroy(p);
}

// The largest errors of position and of the second derivative of a circle through n points, which
// is R (cos ws, sin ws) with w = 2 pi / (length of the polygon).
static void circle_errors(int n, double *position, double *second)
{
    const double R = 0.5;
    circle_points(n, R);
    tn_profile *p = through(n, true);
    const double w = 2.0 * PI / p->to;
    *position = *second = 0.0;
    for (int i = 0; i < 1000; i++) {
        tn_profile_at a;
        const double s = p->to * i / 1000.0;
        tn_profile_eval(p, s, &a);
        *position =
            fmax(*position, hypot(a.c[0] - 0.3 - R * cos(w * s), a.c[1] + 0.1 - R * sin(w * s)));
        *second = fmax(*second,
                       hypot(a.dd[0] + R * w * w * cos(w * s), a.dd[1] + R * w * w * sin(w * s)));
    }
    tn_profile_destroy(p);
}

// A spline of degree 5 has order 6, and its second derivative order 4 [de Boor 2001, ch. XII].
static void circles_have_the_order_of_the_spline(void)
{
    double position[3], second[3];
    for (int k = 0; k < 3; k++)
        circle_errors(16 << k, &position[k], &second[k]);
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(log2(position[k] / position[k + 1]), 6.0, 0.1);
        CHECK_NEAR(log2(second[k] / second[k + 1]), 4.0, 0.1);
    }
}

// The largest errors of radius and curvature of a unit circle through n points whose distances are
// as 13 to 7 by turns.
static void uneven_errors(int n, double *radius, double *bend)
{
    for (int i = 0; i < n; i++) {
        const double angle = 2.0 * PI * (i + 0.3 * (i % 2)) / n;
        px[i] = cos(angle);
        py[i] = sin(angle);
    }
    tn_profile *p = through(n, true);
    *radius = *bend = 0.0;
    for (int i = 0; i < 1000; i++) {
        tn_profile_at a;
        tn_profile_eval(p, p->to * i / 1000.0, &a);
        const double speed = hypot(a.d[0], a.d[1]);
        const double curvature = (a.d[0] * a.dd[1] - a.d[1] * a.dd[0]) / (speed * speed * speed);
        *radius = fmax(*radius, fabs(hypot(a.c[0], a.c[1]) - 1.0));
        *bend = fmax(*bend, fabs(curvature - 1.0));
    }
    CHECK_NEAR(p->to, 2.0 * PI, 50.0 * *radius); // its length
    tn_profile_destroy(p);
}

// Where s is the length of chords these orders are 4 and 2. The last of both passes is not quite
// without effect, so that orders come from above.
static void uneven_points_have_the_same_order(void)
{
    double radius[3], bend[3];
    for (int k = 0; k < 3; k++)
        uneven_errors(32 << k, &radius[k], &bend[k]);
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(log2(radius[k] / radius[k + 1]), 6.1, 0.2);
        CHECK_NEAR(log2(bend[k] / bend[k + 1]), 4.1, 0.2);
    }
}

static void a_repeated_first_point_is_dropped(void)
{
    circle_points(12, 0.2);
    px[12] = px[0];
    py[12] = py[0];
    tn_profile *p = through(12, true), *q = through(13, true);
    CHECK(p->to == q->to);
    tn_profile_destroy(p);
    tn_profile_destroy(q);
}

// Curves by expressions ---------------------------------------------------------------------------

// 4e-15 is round-off of numbers of about 1 in s, c and its derivatives.
static void ellipses_are_exact(void)
{
    const double a = 0.7, b = 0.4;
    tn_profile *p = by_text("0.7*cos(s)", "0.4*sin(s)", 0.0, 2.0 * PI);
    CHECK(p->closed && tn_profile_area_sign(p) == 1);
    CHECK_NEAR(p->size, hypot(a, b), 1e-15);
    for (int i = -300; i < 300; i++) {
        tn_profile_at e;
        const double s = 0.07 * i;
        tn_profile_eval(p, s, &e);
        CHECK_NEAR(e.c[0], a * cos(s), 4e-15);
        CHECK_NEAR(e.c[1], b * sin(s), 4e-15);
        CHECK_NEAR(e.d[0], -a * sin(s), 4e-15);
        CHECK_NEAR(e.d[1], b * cos(s), 4e-15);
        CHECK_NEAR(e.dd[0], -a * cos(s), 4e-15);
        CHECK_NEAR(e.dd[1], -b * sin(s), 4e-15);
    }
    CHECK_OK(tn_profile_check(p, WHAT));
    tn_profile_destroy(p);
}

// An arc that misses a turn by 1e-8, and a drop whose ends meet with a corner.
static void curves_that_do_not_close_are_open(void)
{
    tn_profile *p = by_text("cos(s)", "-sin(s)", 0.0, 2.0 * PI);
    CHECK(p->closed && tn_profile_area_sign(p) == -1);
    tn_profile_destroy(p);
    p = by_text("cos(s)", "sin(s)", 0.0, 2.0 * PI - 1e-8);
    CHECK(!p->closed && tn_profile_area_sign(p) == 0);
    tn_profile_destroy(p);
    p = by_text("s*(1 - s)", "s^2*(1 - s)", 0.0, 1.0);
    CHECK(!p->closed);
    tn_profile_destroy(p);
}

// Beyond the ends: c + w c' + w^2/2 c''.
static void open_curves_go_on_beyond_their_ends(void)
{
    tn_profile *p = by_text("s", "sin(s)", 0.2, 1.0);
    tn_profile_at a;
    tn_profile_eval(p, 1.5, &a);
    CHECK_NEAR(a.c[0], 1.5, 1e-15);
    CHECK_NEAR(a.c[1], sin(1.0) + 0.5 * cos(1.0) - 0.125 * sin(1.0), 1e-15);
    CHECK_NEAR(a.d[1], cos(1.0) - 0.5 * sin(1.0), 1e-15);
    CHECK_NEAR(a.dd[1], -sin(1.0), 1e-15);
    tn_profile_eval(p, 0.1, &a);
    CHECK_NEAR(a.c[1], sin(0.2) - 0.1 * cos(0.2) - 0.005 * sin(0.2), 1e-15);
    tn_profile_destroy(p);
}

// Between neighbours a curve turns by a quarter of a radian at most, however wavy it is.
static void check_samples(const tn_profile *p)
{
    const tn_profile_at *list;
    const double *s;
    const int n = tn_profile_samples(p, &list, &s);
    CHECK(s[0] == p->from);
    CHECK(p->closed ? s[n - 1] < p->to : s[n - 1] == p->to);
    for (int i = 0; i < n; i++) {
        tn_profile_at a;
        tn_profile_eval(p, s[i], &a);
        CHECK(memcmp(&a, &list[i], sizeof a) == 0 && (i == 0 || s[i] > s[i - 1]));
        const double *d = list[i > 0 ? i - 1 : 0].d;
        const double along = d[0] * a.d[0] + d[1] * a.d[1];
        CHECK(along >= cos(0.25) * hypot(d[0], d[1]) * hypot(a.d[0], a.d[1]) * (1.0 - 1e-12));
    }
}

static void samples_follow_the_curve(void)
{
    static const char gear_x[] = "(1 + 0.05*cos(60*s))*cos(s)";
    static const char gear_y[] = "(1 + 0.05*cos(60*s))*sin(s)";
    tn_profile *p = by_text(gear_x, gear_y, 0.0, 2.0 * PI);
    check_samples(p);
    CHECK_OK(tn_profile_check(p, WHAT));
    tn_profile_destroy(p);
    circle_points(6, 0.5);
    for (int closed = 0; closed < 2; closed++) {
        p = through(6, closed);
        check_samples(p);
        tn_profile_destroy(p);
    }
}

// Refusals ----------------------------------------------------------------------------------------

static void refuse_points(int n, bool closed, const char *message)
{
    tn_profile *p = NULL;
    CHECK_STATUS(tn_profile_of_points(n, px, py, closed, WHAT, &p), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), message);
    CHECK(p == NULL && tn_test_alloc_live() == 0);
}

static void wrong_points_are_named(void)
{
    circle_points(8, 1.0);
    refuse_points(3, false, "joint 'cam': profile: 3 points; an open curve needs at least 4");
    refuse_points(4, true, "joint 'cam': profile: 4 points; a closed curve needs at least 5");
    px[3] = px[2], py[3] = py[2];
    refuse_points(8, true,
                  "joint 'cam': profile: points 3 and 4 are both at (0.3, 0.9); leave one of "
                  "them out");
    py[5] = NAN;
    refuse_points(8, false, "joint 'cam': profile: point 6: (-0.407107, nan) is not finite");
}

static void wrong_expressions_are_named(void)
{
    tn_model *model = tn_model_create();
    tn_profile *p = NULL;
    CHECK_STATUS(profile_of_text(model, "cos(s)", "abs(s)", 0.0, 1.0, WHAT, &p), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(),
               "joint 'cam': profile: y: expression 'abs(s)': 'abs' is not smooth enough: "
               "reactions contain its curvature; use smooth_abs, smooth_max or the like, or a "
               "spline table");
    CHECK_STATUS(profile_of_text(model, "2*t", "s", 0.0, 1.0, WHAT, &p), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), "joint 'cam': profile: x: expression '2*t', column 3: t is not "
                                "known here; a shape is a function of s alone");
    CHECK_STATUS(profile_of_text(model, "s", "s", 1.0, 0.5, WHAT, &p), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), "joint 'cam': profile: s goes from 1 to 0.5; it must increase");
    tn_model_destroy(model);
    CHECK(tn_test_alloc_live() == 0);
}

static const struct {
    const char *x, *y;
    double from, to;
    const char *message;
} wrong[] = {
    {"2 + sin(s)", "1 + sin(2*s)", 1.0, 7.0,
     "joint 'cam': profile: at s = 3.14 and s = 6.28, (2, 1), the curve crosses itself"},
    {"s^3 - s + 3", "s^2", -1.5, 1.6,
     "joint 'cam': profile: at s = -1 and s = 1, (3, 1), the curve crosses itself"},
    {"s - sin(s)", "2 - cos(s)", 3.0, 9.0,
     "joint 'cam': profile: at s = 6.28319, (6.28319, 1), the curve stops: both derivatives by s "
     "are zero; choose another function for the same curve, or round a cusp"},
    {"1 + (s - 0.3)^3", "-(s - 0.3)^3", 0.0, 1.0,
     "joint 'cam': profile: at s = 0.3, (1, 0), the curve stops"},
    {"s", "1 + sqrt((s - 0.3)^2)", 0.0, 1.0,
     "joint 'cam': profile: at s = 0.3, (0.3, 1), the curve has a corner; round it"},
    {"s", "log(s)", 0.0, 1.0,
     "joint 'cam': profile: at s = 0, (0, -inf), the curve or one of its first two derivatives is "
     "not finite"},
    {"s", "atan2(sin(s), cos(s))", 2.0, 4.0,
     "joint 'cam': profile: at s = 3.14159, (3.14159, -3.14159), the curve jumps"},
    {"s*(1 - s)", "s^2*(1 - s)", 0.0, 1.0,
     "joint 'cam': profile: both ends are at (0, 0), but it is not closed; let position, "
     "direction and curvature agree there, or close a curve through points by leaving out 'open'"},
};

static void bad_curves_are_refused_with_their_places(void)
{
    for (int i = 0; i < TN_COUNT(wrong); i++) {
        tn_profile *p = by_text(wrong[i].x, wrong[i].y, wrong[i].from, wrong[i].to);
        CHECK_STATUS(tn_profile_check(p, WHAT), TN_ERR_MODEL);
        if (!tn_test_says(wrong[i].message))
            CHECK_TEXT(tn_last_error(), wrong[i].message);
        tn_profile_destroy(p);
    }
    CHECK(tn_test_alloc_live() == 0);
}

// A spiral of five turns through 400 points passes near itself, and is refused when its end is led
// across. So many points stay quick.
static void crossings_of_points_are_found(void)
{
    for (int i = 0; i < MANY; i++) {
        const double angle = 10.0 * PI * i / MANY;
        px[i] = (0.2 + 0.05 * angle) * cos(angle);
        py[i] = (0.2 + 0.05 * angle) * sin(angle);
    }
    tn_profile *p = through(MANY, false);
    CHECK_OK(tn_profile_check(p, WHAT));
    tn_profile_destroy(p);
    for (int i = 0; i <= 8; i++) {
        px[MANY - 9 + i] = px[MANY - 9] - 0.1 * i;
        py[MANY - 9 + i] = py[MANY - 9];
    }
    p = through(MANY, false);
    CHECK_STATUS(tn_profile_check(p, WHAT), TN_ERR_MODEL);
    CHECK(tn_test_says("the curve crosses itself"));
    tn_profile_destroy(p);
}

static void sound_curves_pass(void)
{
    static const struct {
        const char *x, *y;
        double from, to;
    } sound[] = {
        {"s", "0", -1.0, 1.0},
        {"s", "2*s", -1.0, 1.0},
        {"s", "sqrt(1e-6 + s^2)", -1.0, 1.0}, // a bend of 1 mm is no corner
        {"1e-4*cos(s)", "1e-4*sin(s)", 0.0, 6.28318530717958647693},
        {"1e4 + cos(s)", "sin(s)", 0.0, 6.28318530717958647693},
        {"s - 0.9*sin(s)", "1 - 0.9*cos(s)", 0.0, 20.0},
        {"0.02", "s", 0.0, 0.1}, // whose samples have one x
        {"0.02 + 1e-18*sin(40*s)", "s", 0.0, 0.1},
    };
    for (int i = 0; i < TN_COUNT(sound); i++) {
        tn_profile *p = by_text(sound[i].x, sound[i].y, sound[i].from, sound[i].to);
        CHECK_OK(tn_profile_check(p, WHAT));
        tn_profile_destroy(p);
    }
    circle_points(5, 1e-3);
    tn_profile *p = through(5, true);
    CHECK_OK(tn_profile_check(p, WHAT));
    CHECK(tn_profile_area_sign(p) == 1);
    tn_profile_destroy(p);
}

static void nothing_is_lost_when_memory_is_short(void)
{
    tn_model *model = tn_model_create();
    const long live = tn_test_alloc_live();
    circle_points(6, 1.0);
    for (int kind = 0; kind < 2; kind++)
        for (long n = 1;; n++) {
            tn_profile *p = NULL;
            tn_test_alloc_fail_at(n);
            tn_status status = kind ? profile_of_text(model, "cos(s)", "sin(s)", 0.0, 1.0, WHAT, &p)
                                    : tn_profile_of_points(6, px, py, true, WHAT, &p);
            TN_THEN(status, tn_profile_check(p, WHAT));
            const bool failed = tn_test_alloc_failed();
            tn_test_alloc_fail_at(0);
            CHECK(failed ? status == TN_ERR_MEMORY : status == TN_OK);
            tn_profile_destroy(p);
            CHECK(tn_test_alloc_live() == live);
            if (!failed)
                break;
        }
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"quadratic polynomials come back", quadratic_polynomials_come_back},
    {"polynomials of degree 5 come back far from the ends",
     polynomials_of_degree_5_come_back_far_from_the_ends},
    {"four derivatives are continuous", four_derivatives_are_continuous},
    {"points are on their curve", points_are_on_their_curve},
    {"derivatives match differences", derivatives_match_differences},
    {"circles have the order of the spline", circles_have_the_order_of_the_spline},
    {"uneven points have the same order", uneven_points_have_the_same_order},
    {"a repeated first point is dropped", a_repeated_first_point_is_dropped},
    {"ellipses are exact", ellipses_are_exact},
    {"curves that do not close are open", curves_that_do_not_close_are_open},
    {"open curves go on beyond their ends", open_curves_go_on_beyond_their_ends},
    {"samples follow the curve", samples_follow_the_curve},
    {"wrong points are named", wrong_points_are_named},
    {"wrong expressions are named", wrong_expressions_are_named},
    {"bad curves are refused with their places", bad_curves_are_refused_with_their_places},
    {"crossings of points are found", crossings_of_points_are_found},
    {"sound curves pass", sound_curves_pass},
    {"nothing is lost when memory is short", nothing_is_lost_when_memory_is_short},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
