// SPDX-License-Identifier: MIT
//
// The bicycle of models/bicycle.yaml against [MPRS07]: eigenvalues of small motions, at which
// speeds it balances itself and at which it falls, and its energy.
//
// Small motions are x' = A x with x = (lean, steer) and their rates: states that follow each other
// in equal times have x_k+1 = F x_k, F = exp(A dt), so that five of them tell F. Its eigenvalues z
// are zeros of det(F - z), found by Newton's method in lambda = log(z) / dt.

#include "tenon/tenon.h"
#include "test.h"

#include <complex.h>

enum { STATE = 4 };

typedef double complex number;

static const tn_body frame = {2};
static const int STEER = 2; // the third joint

// The model with another speed and push.
static tn_model *bicycle(double speed, double push)
{
    static char text[8192], other[8400];
    FILE *file = fopen(tn_test_path("models/bicycle.yaml"), "r");
    CHECK(file != NULL);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    char *at = strstr(text, "  speed: 5 "), *then = strstr(text, "  w: 1.02 ");
    CHECK(at && then && at < then);
    *at = '\0';
    snprintf(other, sizeof other, "%s  speed: %.17g\n  push: %.17g\n%s", text, speed, push, then);
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(other, "bicycle", &model, NULL));
    return model;
}

static tn_sim *ride(const tn_model *model, double tol)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = "dop853/index1+project";
    options.adaptive = true;
    options.rtol = options.atol = options.project_tol = tol;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

// The axis y of the frame is at sin(lean) to the level, whatever yaw and pitch are.
static void look(tn_sim *sim, double x[STATE])
{
    const tn_mat3 R = tn_sim_body_frame(sim, frame).R;
    const tn_vec3 y = tn_m3_column(R, 1), w = tn_m3_apply(R, tn_sim_body_rate(sim, frame));
    x[0] = asin(y.z);
    x[2] = tn_v3_cross(w, y).z / cos(x[0]);
    tn_sim_joint_coordinates(sim, (tn_joint){STEER}, &x[1], &x[3]);
}

// Eigenvalues -------------------------------------------------------------------------------------

static number determinant(number A[STATE][STATE]) // destroys A
{
    number det = 1.0;
    for (int k = 0; k < STATE; k++) {
        int p = k;
        for (int i = k + 1; i < STATE; i++)
            p = cabs(A[i][k]) > cabs(A[p][k]) ? i : p;
        for (int j = 0; j < STATE; j++) {
            const number swap = A[k][j];
            A[k][j] = A[p][j];
            A[p][j] = swap;
        }
        det *= p == k ? A[k][k] : -A[k][k];
        for (int i = k + 1; i < STATE; i++)
            for (int j = STATE - 1; j >= k; j--)
                A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    }
    return det;
}

// det(X_1 - z X_0) = det(F - z) det(X_0) with the states as columns.
static number pencil(double x[STATE + 1][STATE], number z)
{
    number A[STATE][STATE];
    for (int k = 0; k < STATE; k++)
        for (int i = 0; i < STATE; i++)
            A[i][k] = x[k + 1][i] - z * x[k][i];
    return determinant(A);
}

static number eigenvalue(double x[STATE + 1][STATE], double dt, number guess)
{
    number lambda = guess;
    for (int k = 0; k < 30; k++) {
        const double e = 1e-5;
        const number f = pencil(x, cexp(dt * lambda));
        const number slope =
            (pencil(x, cexp(dt * (lambda + e))) - pencil(x, cexp(dt * (lambda - e)))) / (2.0 * e);
        lambda -= f / slope;
    }
    return lambda;
}

// [MPRS07, table 2]
typedef struct speed_row {
    double speed;
    number weave;
    double capsize, castering;
} speed_row;

static void eigenvalues_are_those_of_the_benchmark(void)
{
    static const speed_row rows[] = {
        {4.0, 0.41325331521125 + 3.07910818603206 * I, -1.42944427361326, -12.15861426576447},
        {5.0, -0.77534188219585 + 4.46486771378823 * I, -0.32286642900409, -14.07838969279822},
        {6.0, -1.52644486584142 + 5.87673060598709 * I, -0.00406690076970, -16.08537123098026},
        {8.0, -2.69348683581097 + 8.46037971396931 * I, 0.14327879765713, -20.27940894394569},
    };
    const double dt = 0.08;
    for (int k = 0; k < TN_COUNT(rows); k++) {
        double x[STATE + 1][STATE];
        tn_model *model = bicycle(rows[k].speed, 1e-4);
        tn_sim *sim = ride(model, 1e-14);
        for (int i = 0; i <= STATE; i++) {
            if (i > 0)
                CHECK_OK(tn_sim_run(sim, i * dt, NULL, NULL));
            look(sim, x[i]);
        }
        const number weave = eigenvalue(x, dt, rows[k].weave);
        const number capsize = eigenvalue(x, dt, rows[k].capsize);
        const number castering = eigenvalue(x, dt, rows[k].castering);
        printf("%g m/s: weave off by %.1e, capsize by %.1e, castering by %.1e\n", rows[k].speed,
               cabs(weave - rows[k].weave), cabs(capsize - rows[k].capsize),
               cabs(castering - rows[k].castering));
        CHECK_NEAR(cabs(weave - rows[k].weave), 0.0, 1e-6);
        CHECK_NEAR(cabs(capsize - rows[k].capsize), 0.0, 1e-6);
        CHECK_NEAR(cabs(castering - rows[k].castering), 0.0, 1e-6);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Rides -------------------------------------------------------------------------------------------

enum { LOOKS = 240 };

typedef struct course {
    double early, late; // largest lean in the second and in the last quarter
    int turns;          // changes of the sign of the lean in the second half
} course;

static course follow(double speed, double push, double t_end)
{
    tn_model *model = bicycle(speed, push);
    tn_sim *sim = ride(model, 1e-11);
    course c = {0};
    double last = 0.0;
    for (int k = 1; k <= LOOKS; k++) {
        double x[STATE];
        CHECK_OK(tn_sim_run(sim, t_end * k / LOOKS, NULL, NULL));
        look(sim, x);
        if (k > LOOKS / 4 && k <= LOOKS / 2)
            c.early = fmax(c.early, fabs(x[0]));
        if (k > 3 * LOOKS / 4)
            c.late = fmax(c.late, fabs(x[0]));
        c.turns += k > LOOKS / 2 && x[0] * last < 0.0;
        last = x[0];
    }
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    CHECK_NEAR(ledger.max_balance / ledger.energy_scale, 0.0, 1e-9);
    printf("%g m/s: lean up to %.2e, then %.2e, %d swings\n", speed, c.early, c.late, c.turns);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return c;
}

// Self-stable from 4.292 to 6.024 m/s: below the weave grows in swings, above the capsize grows to
// one side.
static void it_balances_itself_between_weave_and_capsize(void)
{
    const course slow = follow(4.0, 1e-4, 8.0), right = follow(5.0, 1e-4, 8.0);
    const course fast = follow(6.5, 1e-4, 40.0);
    CHECK(slow.late > 3.0 * slow.early && slow.turns >= 3);
    CHECK(right.late < 0.5 * right.early);
    CHECK(fast.late > 3.0 * fast.early && fast.turns == 0);
    const course below = follow(4.28, 1e-4, 60.0), above = follow(4.31, 1e-4, 60.0);
    CHECK(below.late > 1.2 * below.early && above.late < 0.8 * above.early);
}

// The push of the model itself is no small one.
static void a_push_is_ridden_out_or_not(void)
{
    const course good = follow(5.0, 0.1, 12.0);
    CHECK(good.late < 0.2 * good.early && good.early < 0.1);
    const course bad = follow(3.0, 0.1, 1.8);
    CHECK(bad.late > 0.3 && bad.late > 2.0 * bad.early);
}

static void all_roads_ride_alike(void)
{
    static const char *const methods[] = {"dop853/index1+project@absolute", "radau5/ggl@joint",
                                          "dopri5/maggi@absolute", "bdf/ggl@joint",
                                          "herk5@absolute"};
    tn_model *model = bicycle(5.0, 0.1);
    double x[TN_COUNT(methods)][STATE];
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim_options options = tn_default_sim();
        options.method = methods[k];
        options.adaptive = true;
        options.rtol = options.atol = 1e-10;
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK(tn_sim_freedoms(sim) == 3);
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        look(sim, x[k]);
        for (int i = 0; i < STATE; i++)
            CHECK_NEAR(x[k][i], x[0][i], 1e-6);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"eigenvalues are those of the benchmark", eigenvalues_are_those_of_the_benchmark},
    {"it balances itself between weave and capsize", it_balances_itself_between_weave_and_capsize},
    {"a push is ridden out or not", a_push_is_ridden_out_or_not},
    {"all roads ride alike", all_roads_ride_alike},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
