// SPDX-License-Identifier: MIT
//
// The wheelset of the Test Set for IVP Solvers (wheelset.h), the equations of [Arn16, eq. 44] with
// contact coordinates s, a state c and forces that depend on lambda: start values, one motion by
// radau5, bdf and galpha in index3, index2 and ggl, published digits at t = 10 s, and the limit
// cycle of its hunting motion [Arn16, Example 10]. With TN_LONG in the environment the latter run
// is one of 60 s, some ten seconds of computing; without, one of 10 s.

#include "reference/wheelset.h"
#include "test.h"

static tn_sim *open_wheelset(wheelset *set, const char *method, double step, double tol)
{
    const tn_callbacks equations = wheelset_equations(set);
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = step;
    if (tol > 0.0) {
        options.adaptive = true;
        options.rtol = tol;
        options.atol = 0.1 * tol; // of a length of 1.5 mm, that of the start
    }
    CHECK_OK(tn_sim_create_callbacks(&equations, wheelset_q0, wheelset_v0, &options, &sim));
    return sim;
}

// Start values ------------------------------------------------------------------------------------

// What the test set states as derivatives at the start, for the multipliers with five digits that
// it gives: v' and beta' [SciMLBenchmarks.jl, DAE/wheelset.jmd].
static void equations_are_those_of_the_test_set(void)
{
    static const double rates[6] = {-1.975258894011285,    -1.0898297102811276e-3,
                                    7.8855083626142589e-2, -5.533362821731549,
                                    -0.3487021489546511,   -2.132968724380927};
    const double ROUNDOFF = 1e-11; // of forces of 100 N by inertias of 0.1 kg m^2, some operations
    wheelset set = wheelset_offset();
    const double c[1] = {0.0};
    const tn_arguments at = {
        .q = wheelset_q0, .v = wheelset_v0, .c = c, .s = wheelset_s0, .lambda = wheelset_lambda0};
    double M[25], f[5], G[10], rate[6];
    wheelset_mass(&set, &at, M);
    wheelset_force(&set, &at, f);
    wheelset_jacobian(&set, &at, G);
    wheelset_states(&set, &at, &rate[5]);
    for (int i = 0; i < 5; i++)
        rate[i] = (f[i] - G[2 * i] * at.lambda[0] - G[2 * i + 1] * at.lambda[1]) / M[6 * i];
    rate[5] -= sin(at.q[4]) * rate[3]; // beta' of c'
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(rate[i], rates[i], ROUNDOFF);
}

// The five digits of the given start leave 5e-10 m in g. Onto rails as they are it is moved, by
// that little; rails that are higher by what is left take it as it is.
static void start_values_become_consistent(void)
{
    const double GIVEN = 1e-12, ROUNDOFF = 1e-16; // of heights of 0.1 m
    // With normal forces of 80 N known to 1e-5 N [problem text of the test set: 5 digits].
    const double lambda[2] = {83.5918, 74.1455};
    wheelset rails[2] = {{{0}}, wheelset_offset()};
    CHECK_NEAR(rails[1].offset[0], 5.27e-10, GIVEN);
    CHECK_NEAR(rails[1].offset[1], -4.97e-10, GIVEN);
    for (int k = 0; k < 2; k++) {
        tn_sim *sim = open_wheelset(&rails[k], "radau5/index2", 0.0, 1e-8);
        tn_ledger ledger;
        tn_sim_ledger(sim, &ledger);
        CHECK(ledger.g <= ROUNDOFF && ledger.gdot == 0.0);
        for (int i = 0; i < 5; i++) // the roll takes most: 5e-10 m at 0.15 m
            CHECK_NEAR(tn_sim_q(sim)[i], wheelset_q0[i], k == 0 ? 5e-9 : 0.0);
        for (int i = 0; i < 2; i++)
            CHECK_NEAR(tn_sim_lambda(sim)[i], lambda[i], 1e-4); // what their digits tell
        tn_sim_destroy(sim);
    }
}

static int slipped_contact_dq(void *user, const tn_arguments *at, double *hq)
{
    const int code = wheelset_contact_dq(user, at, hq);
    hq[2] *= 2.0; // dh_2/dx of the right wheel
    return code;
}

static int slipped_contact_ds(void *user, const tn_arguments *at, double *hs)
{
    const int code = wheelset_contact_ds(user, at, hs);
    hs[1] = -hs[1]; // dh_1/dpsi of the left wheel
    return code;
}

static void slips_in_tangents_of_contacts_are_told(void)
{
    wheelset set = wheelset_offset();
    tn_callbacks equations = wheelset_equations(&set);
    const tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    equations.contact_dq = slipped_contact_dq;
    CHECK_STATUS(tn_sim_create_callbacks(&equations, wheelset_q0, wheelset_v0, &options, &sim),
                 TN_ERR_USAGE);
    CHECK(tn_test_says("callbacks: 'contact_dq' has ") &&
          tn_test_says("at row 3 (h 2), column 1 (coordinate 0)"));
    equations = wheelset_equations(&set);
    equations.contact_ds = slipped_contact_ds;
    CHECK_STATUS(tn_sim_create_callbacks(&equations, wheelset_q0, wheelset_v0, &options, &sim),
                 TN_ERR_USAGE);
    CHECK(tn_test_says("callbacks: 'contact_ds' has ") &&
          tn_test_says("at row 2 (h 1), column 1 (s 0)"));
}

// One motion --------------------------------------------------------------------------------------

enum { TIMES = 10 };
static const double LAST = 1.0; // [s], five periods; the amplitude grows to 10 mm

// x at TIMES times.
typedef struct lateral {
    double x[TIMES];
    double most; // of |x|
} lateral;

static tn_status note_largest(void *user, tn_sim *sim)
{
    lateral *out = user;
    out->most = fmax(out->most, fabs(tn_sim_q(sim)[0]));
    return TN_OK;
}

static lateral run_lateral(const char *method, double step, double tol)
{
    wheelset set = {{0}};
    tn_sim *sim = open_wheelset(&set, method, step, tol);
    lateral out = {.most = 0.0};
    for (int i = 0; i < TIMES; i++) {
        CHECK_OK(tn_sim_run(sim, LAST * (i + 1) / TIMES, note_largest, &out));
        out.x[i] = tn_sim_q(sim)[0];
    }
    tn_sim_destroy(sim);
    return out;
}

// The end of steps h -> 0 from steps h and h/2 of a method of order two.
static lateral extrapolate(const char *method, double h)
{
    const lateral coarse = run_lateral(method, h, 0.0);
    lateral fine = run_lateral(method, 0.5 * h, 0.0);
    for (int i = 0; i < TIMES; i++)
        fine.x[i] += (fine.x[i] - coarse.x[i]) / 3.0;
    return fine;
}

static double distance(const lateral *a, const lateral *b)
{
    double most = 0.0;
    for (int i = 0; i < TIMES; i++)
        most = fmax(most, fabs(a->x[i] - b->x[i]));
    return most / b->most;
}

// With these tolerances errors are 1e-8 to 5e-7 of the amplitude. In index3 they are errors of v
// and lambda times powers of h that count, and tolerances must be smaller. The creep law has a kink
// where friction allows no more, so that extrapolation does not gain a full order.
static void all_roads_lead_to_one_motion(void)
{
    const double ASKED = 1e-6;
    static const struct road {
        const char *method;
        double step, tol;
    } roads[] = {{"radau5/index3", 0.0, 1e-13},  {"radau5/index2", 0.0, 1e-10},
                 {"radau5/ggl", 0.0, 1e-10},     {"bdf/index3", 0.0, 1e-11},
                 {"bdf/index2", 0.0, 1e-10},     {"bdf/ggl", 0.0, 1e-10},
                 {"galpha/index3", 2.5e-4, 0.0}, {"galpha/index2", 2.5e-4, 0.0},
                 {"galpha/ggl", 2.5e-4, 0.0}};
    const lateral reference = run_lateral("radau5/index2", 0.0, 1e-12);
    CHECK_NEAR(reference.most, 10.365e-3, 1e-6); // at 0.952 s; the steps there are 0.4 ms
    for (int i = 0; i < TN_COUNT(roads); i++) {
        const struct road *r = &roads[i];
        const lateral x =
            r->step > 0.0 ? extrapolate(r->method, r->step) : run_lateral(r->method, 0.0, r->tol);
        CHECK_NEAR(distance(&x, &reference), 0.0, ASKED);
    }
}

// Hunting -----------------------------------------------------------------------------------------

// Where x is largest in a period: the last two of these.
typedef struct hunting {
    double t, v;       // at the end of the last step
    double at[3];      // times, the last one first
    double largest[2]; // x
} hunting;

static tn_status note_peak(void *user, tn_sim *sim)
{
    hunting *w = user;
    const double t = tn_sim_time(sim), v = tn_sim_v(sim)[0], before = w->v, began = w->t;
    w->v = v;
    w->t = t;
    if (!(before > 0.0 && v <= 0.0))
        return TN_OK;
    w->at[2] = w->at[1];
    w->at[1] = w->at[0];
    w->at[0] = began + (t - began) * before / (before - v);
    w->largest[1] = w->largest[0];
    const tn_status status = tn_sim_show(sim, w->at[0]);
    w->largest[0] = tn_sim_q(sim)[0];
    tn_sim_current(sim);
    return status;
}

// The reference of the test set at t = 10 s: DASSL with tolerances of 1e-9, 58510 steps, as
// the package deTestSet of CRAN keeps them. p, v, beta, psiL, xiL, psiR, xiR, lam1, lam2.
static const double published[17] = {
    0.86355386965811e-2, 0.13038281022727e-4,  -0.93635784016818e-4, -0.13642299804033e-1,
    0.15292895005422e-2, -0.76985374142666e-1, -0.25151106429207e-3, 0.20541188079539e-2,
    -0.23904837703692,   -0.13633468454173e-1, -0.24421377661131,    0.37839614386969e-3,
    0.14173214964613,    -0.33666751972196e-3, -0.15949425684022,    -0.10124044903201e-1,
    -0.56285630573753e-2};

static void read_as_published(tn_sim *sim, double y[17])
{
    const double *q = tn_sim_q(sim), *v = tn_sim_v(sim), *e = tn_sim_extra(sim);
    for (int i = 0; i < 5; i++) {
        y[i] = q[i];
        y[5 + i] = v[i];
    }
    y[10] = e[0] - sin(q[4]) * v[3];
    for (int i = 0; i < 4; i++)
        y[11 + i] = e[1 + i];
    for (int i = 0; i < 2; i++)
        y[15 + i] = -1e-4 * tn_sim_lambda(sim)[i];
}

// Rails that are higher by what the start leaves in g make its motion that of the published
// numbers. These have an error of their own: at rtol 1e-10 radau5 and bdf agree with each other in
// x to 7e-8 and with them to 6e-8, in y, where drift of 6e-11 m counts, to 5e-6.
static void published_digits_are_met_and_the_wheelset_hunts(void)
{
    const double DIGITS = 1e-5, BEAT = 5e-3;
    wheelset set = wheelset_offset();
    hunting w = {0};
    double y[17];
    tn_sim *sim = open_wheelset(&set, "bdf/index2", 0.0, 1e-9);
    CHECK_OK(tn_sim_run(sim, 10.0, note_peak, &w));
    read_as_published(sim, y);
    for (int i = 0; i < 17; i++)
        CHECK_NEAR(y[i], published[i], DIGITS * fabs(published[i]));
    tn_sim_destroy(sim);
    // From 1.5 mm the motion grows beyond its cycle and comes back to it in slow beats.
    CHECK_NEAR(w.largest[0], w.largest[1], BEAT * w.largest[0]);
    CHECK_NEAR(w.largest[0], 8.8803e-3, 0.02 * w.largest[0]);
    CHECK_NEAR(w.at[0] - w.at[1], 0.205402, 2e-3 * 0.205402);
}

// Beats die out in some 40 s. Amplitude and period are the same to all digits shown with radau5 at
// 1e-6 and bdf at 1e-8.
static void hunting_is_a_limit_cycle(void)
{
    const double AMPLITUDE = 8.8803e-3, PERIOD = 0.205402; // [m], [s]: 4.8685 Hz
    wheelset set = {{0}};
    hunting w = {0};
    if (!getenv("TN_LONG"))
        return;
    tn_sim *sim = open_wheelset(&set, "bdf/ggl", 0.0, 1e-8);
    CHECK_OK(tn_sim_run(sim, 60.0, note_peak, &w));
    CHECK_NEAR(w.largest[0], w.largest[1], 1e-6 * AMPLITUDE);
    CHECK_NEAR(w.at[0] - w.at[1], w.at[1] - w.at[2], 1e-5 * PERIOD);
    CHECK_NEAR(w.largest[0], AMPLITUDE, 1e-5 * AMPLITUDE);
    CHECK_NEAR(w.at[0] - w.at[1], PERIOD, 1e-5 * PERIOD);
    tn_sim_destroy(sim);
}

static const tn_test tests[] = {
    {"equations are those of the test set", equations_are_those_of_the_test_set},
    {"start values become consistent", start_values_become_consistent},
    {"slips in tangents of contacts are told", slips_in_tangents_of_contacts_are_told},
    {"all roads lead to one motion", all_roads_lead_to_one_motion},
    {"published digits are met and the wheelset hunts",
     published_digits_are_met_and_the_wheelset_hunts},
    {"hunting is a limit cycle", hunting_is_a_limit_cycle},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
