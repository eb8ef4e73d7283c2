// SPDX-License-Identifier: MIT
//
// Random four-bars and six-bars with two motors (driven_linkage.h): each run ends as the closed
// form says. Motors that agree move the mechanism as it must move, with all joints closed; those
// that do not are named, at the start with the level on which they contradict each other, or when
// they part; where the mechanism locks the run ends. No run may end as done with a joint open.
//
// TN_LONG=1 runs 2000 of them and prints how they ended.

#include "driven_linkage.h"

static const double CLOSED = 1e-6;   // residuals of a run that is done [m, rad]
static const double NEAR_LOCK = 0.2; // sines below which digits of the motion are lost

typedef enum outcome { DONE, NAMED_START, NAMED_LATER, LOCKED, OUTCOMES } outcome;

static const char *const methods[] = {"auto",
                                      "galpha/ggl@joint",
                                      "galpha/ggl@absolute",
                                      "bdf/ggl@absolute",
                                      "radau5/ggl@joint",
                                      "dop853/index1+project@absolute",
                                      "herk5/index2+project@joint",
                                      "galpha/ggl@director",
                                      "hht/index3@absolute",
                                      "adams/index1+project@joint"};

static int count(void)
{
    return getenv("TN_LONG") ? 2000 : 80;
}

static void describe(int number, const driven_linkage *k, const char *method, const char *what)
{
    printf("linkage %d, kind %d, %s, %s: %s: %s\n", number, (int)k->kind, k->six ? "six" : "four",
           method, what, tn_last_error());
    if (getenv("TN_SHOW"))
        printf("%s", k->text);
}

// Whether the second motor asks for what the mechanism can do until the end, or its dead end.
static bool agrees(const driven_linkage *k)
{
    return k->kind == LINKAGE_FOLLOWS || k->kind == LINKAGE_REPEATED;
}

static bool fails_at_start(const driven_linkage *k)
{
    return k->kind == LINKAGE_OTHER_RATE || k->kind == LINKAGE_OTHER_ACCEL ||
           k->kind == LINKAGE_STRANGER;
}

static double crank_error(tn_sim *sim, const driven_linkage *k)
{
    double q[3], rate[3];
    tn_sim_joint_coordinates(sim, (tn_joint){0}, q, rate);
    return fabs(q[0] - crank_turn(k, tn_sim_time(sim)));
}

static double rocker_error(tn_sim *sim, const driven_linkage *k)
{
    double q[3], rate[3], turn[2], sine = 1.0;
    tn_sim_joint_coordinates(sim, (tn_joint){3}, q, rate);
    return linkage_turns(k, tn_sim_time(sim), turn, &sine) ? fabs(q[0] - turn[0]) : INFINITY;
}

static outcome judge_run(int number, const driven_linkage *k, const char *method, tn_status status,
                         tn_sim *sim)
{
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    const double t = tn_sim_time(sim);
    const bool closed = ledger.max_g < CLOSED || (status != TN_OK && ledger.max_g < 1e-3);
    const bool right =
        agrees(k) ? status == TN_OK || isfinite(k->dead) || k->least < NEAR_LOCK : status != TN_OK;
    const bool beyond = status == TN_OK ? isfinite(k->dead) : t > k->dead + 1e-3 * k->t_end;
    const bool named =
        status == TN_OK || tn_test_says("motor") || isfinite(k->dead) || k->least < NEAR_LOCK;
    if (!closed || !right || beyond || !named)
        describe(number, k, method, "ended wrongly");
    CHECK(closed);
    CHECK(right);
    CHECK(!beyond);
    CHECK(named);
    if (status == TN_OK) {
        CHECK(crank_error(sim, k) < CLOSED);
        CHECK(rocker_error(sim, k) < (k->least < NEAR_LOCK ? 1e-3 : 1e-5));
    }
    return status == TN_OK ? DONE : tn_test_says("contradict") ? NAMED_LATER : LOCKED;
}

static outcome run_linkage(int number, driven_linkage *k)
{
    const char *method = methods[number / 3 % TN_COUNT(methods)];
    tn_model *model = NULL;
    tn_simulate simulate;
    tn_sim *sim = NULL;
    outcome result = NAMED_START;
    make_linkage(number, k);
    CHECK_OK(tn_model_parse(k->text, "linkage", &model, &simulate));
    simulate.options.method = method;
    tn_status status = tn_sim_create(model, &simulate.options, &sim);
    const bool right = fails_at_start(k) ? status == TN_ERR_MODEL && tn_test_says("contradict") &&
                                               tn_test_says("motor")
                                         : status == TN_OK;
    if (!right)
        describe(number, k, method, "starts wrongly");
    CHECK(right);
    if (status != TN_OK)
        CHECK(tn_test_says(k->kind == LINKAGE_OTHER_ACCEL ? "acceleration level" : "velocit"));
    if (status == TN_OK) {
        status = tn_sim_run(sim, k->t_end, NULL, NULL);
        result = judge_run(number, k, method, status, sim);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return result;
}

static void two_motors_agree_or_are_named(void)
{
    static driven_linkage k;
    long ended[OUTCOMES] = {0};
    for (int number = 0; number < count(); number++)
        ended[run_linkage(number, &k)]++;
    CHECK(ended[DONE] > count() / 8);
    CHECK(ended[NAMED_START] > count() / 8);
    CHECK(ended[NAMED_LATER] > count() / 8);
    printf("of %d linkages %ld were done, %ld refused at the start, %ld ended by a contradiction, "
           "%ld in a dead end; none was silent\n",
           count(), ended[DONE], ended[NAMED_START], ended[NAMED_LATER], ended[LOCKED]);
}

static const tn_test tests[] = {
    {"two motors agree or are named", two_motors_agree_or_are_named},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
