// SPDX-License-Identifier: MIT
//
// Difference quotients against analytic derivatives.

#include "linalg/numdiff.h"
#include "test.h"

// Truncation d^2 |F'''| / 6 and rounding eps |F| / d are both near 1e-10 for numbers of size one.
static const double TRUNCATION = 1e-9;

static tn_status smooth(void *user, const double *x, double *y)
{
    const double c = *(const double *)user;
    y[0] = sin(x[0]) * x[1] + c;
    y[1] = exp(x[1] - x[2]);
    y[2] = x[0] * x[1] * x[2];
    y[3] = c * x[2] * x[2];
    return TN_OK;
}

static void differences_match_an_analytic_jacobian(void)
{
    double c = 0.7, x[3] = {0.3, -0.8, 1.1}, J[12], work[2 * 4 + 3];
    CHECK_OK(tn_numdiff(smooth, &c, 3, 4, x, NULL, J, work));
    const double e = exp(x[1] - x[2]);
    const double exact[12] = {
        cos(x[0]) * x[1],
        0.0,
        x[1] * x[2],
        0.0, // d/dx0
        sin(x[0]),
        e,
        x[0] * x[2],
        0.0, // d/dx1
        0.0,
        -e,
        x[0] * x[1],
        2.0 * c * x[2], // d/dx2
    };
    for (int k = 0; k < 12; k++)
        CHECK_NEAR(J[k], exact[k], TRUNCATION);
    CHECK(x[0] == 0.3 && x[1] == -0.8 && x[2] == 1.1);
}

// y = sin(x / L): for x in [0, L] only a step in proportion to L is right.
static tn_status wave(void *user, const double *x, double *y)
{
    y[0] = sin(x[0] / *(const double *)user);
    return TN_OK;
}

static void the_scale_sets_the_step(void)
{
    for (int k = -9; k <= 9; k += 3) {
        double L = pow(10.0, k), x = 0.01 * L, J, work[3];
        CHECK_OK(tn_numdiff(wave, &L, 1, 1, &x, &L, &J, work));
        CHECK_NEAR(J * L, cos(0.01), TRUNCATION);
    }
}

static tn_status refuse(void *user, const double *x, double *y)
{
    (void)user;
    y[0] = x[0];
    return x[0] > 1.0 ? TN_RETRY_FUNCTION : TN_OK;
}

static void a_refusal_of_the_function_is_passed_on(void)
{
    double x = 1.0, J, work[3];
    CHECK_STATUS(tn_numdiff(refuse, NULL, 1, 1, &x, NULL, &J, work), TN_RETRY_FUNCTION);
    x = 0.5;
    CHECK_OK(tn_numdiff(refuse, NULL, 1, 1, &x, NULL, &J, work));
}

static const tn_test tests[] = {
    {"differences match an analytic Jacobian", differences_match_an_analytic_jacobian},
    {"the scale sets the step", the_scale_sets_the_step},
    {"a refusal of the function is passed on", a_refusal_of_the_function_is_passed_on},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
