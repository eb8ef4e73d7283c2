// SPDX-License-Identifier: MIT
//
// Long chains in space in which every tenth joint consists of springs and dampers in series: two or
// three revolute joints about one axis with discs without mass between them. In joint coordinates
// motions without inertia are solved for by recursion, by explicit methods and by the topological
// solver of implicit ones; the work for an evaluation grows with the number of bodies alone.

#include "reference/mechanism.h"
#include "start/start.h"

#include <string.h>

enum { EACH = 10 }; // links to a disc

static const double TOL = 1e-9;

static void hold(tn_model *model, tn_joint joint, double stiffness, double damping)
{
    tn_force_def f = tn_default_force(TN_FORCE_JOINT_SPRING);
    f.joint = joint;
    f.spring.stiffness = stiffness;
    f.spring.damping = damping;
    f.spring.free = 0.1;
    f.spring.free_given = true;
    tn_model_add_force(model, &f);
}

// Where joint k is, with axes that turn from joint to joint.
static tn_frame hinge(int k)
{
    return (tn_frame){tn_m3_mul(tn_m3_rot_x(0.7 * k), tn_m3_rot_y(0.3)), {0.5 * k, 0.0, 0.0}};
}

static int discs_at(int k)
{
    return k % EACH == EACH / 2 ? 1 + k / EACH % 2 : 0;
}

static int discs_in(int links)
{
    int count = 0;
    for (int k = 0; k < links; k++)
        count += discs_at(k);
    return count;
}

// Dampers at the discs are `soft` times as strong as elsewhere.
static tn_model *chain(int links, double soft)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -9.81));
    part last = ground;
    for (int k = 0; k < links; k++) {
        for (int i = 0; i < discs_at(k); i++) {
            const tn_body_def disc = body_def(NULL, 0.0, tn_v3(0, 0, 0), hinge(k));
            const part next = add_part(model, &disc);
            hold(model, join(model, TN_JOINT_REVOLUTE, NULL, last, next, hinge(k)), 4.0,
                 0.2 * soft);
            last = next;
        }
        const tn_body_def link =
            body_def(NULL, 1.0, tn_v3(0.02, 0.03, 0.04), frame_at(0.5 * k + 0.25, 0.0, 0.0));
        const part next = add_part(model, &link);
        hold(model, join(model, TN_JOINT_REVOLUTE, NULL, last, next, hinge(k)), 1.0,
             discs_at(k) > 0 ? 0.5 * soft : 0.5);
        last = next;
    }
    CHECK_OK(tn_model_status(model));
    return model;
}

static tn_sim *open_sim(const tn_model *model, const char *method, double tol)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.rtol = options.atol = tol;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static tn_ledger ledger_of(const tn_sim *sim)
{
    tn_ledger out;
    tn_sim_ledger(sim, &out);
    return out;
}

static double apart(const tn_model *model, tn_sim *a, tn_sim *b)
{
    double off = 0.0;
    for (int k = 1; k < tn_model_body_count(model); k++) {
        const tn_body body = {k};
        off = fmax(off, distance(tn_sim_body_frame(a, body).p, tn_sim_body_frame(b, body).p));
        off = fmax(off, distance(tn_sim_body_velocity(a, body), tn_sim_body_velocity(b, body)));
        off = fmax(off, distance(tn_sim_body_rate(a, body), tn_sim_body_rate(b, body)));
    }
    return off;
}

// Errors of 1e-9 in angles reach the end of 200 links a hundred metres away.
static void short_chains_move_as_in_absolute_coordinates(void)
{
    static const char *const methods[] = {"dopri5/index1@joint", "dop853/index1@joint",
                                          "adams/index1@joint", "radau5/ggl@joint",
                                          "bdf/ggl@joint"};
    enum { LINKS = 200 };
    const double t_end = 0.1;
    tn_model *model = chain(LINKS, 1.0);
    tn_sim *expected = open_sim(model, "dop853/index1+project@absolute", TOL);
    CHECK_OK(tn_sim_run(expected, t_end, NULL, NULL));
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = open_sim(model, methods[k], TOL);
        CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
        const double off = apart(model, expected, sim);
        printf("%-22s %s: off by %.1e, %ld steps\n", methods[k], tn_sim_solver(sim), off,
               ledger_of(sim).steps);
        CHECK_TEXT(tn_sim_solver(sim), "tree");
        CHECK_NEAR(off, 0.0, 1e-6);
        tn_sim_destroy(sim);
    }
    tn_sim_destroy(expected);
    tn_model_destroy(model);
}

// An explicit method evaluates forces alone, as often for long chains as for short ones, and no
// tangents and matrices.
static void long_chains_take_the_work_of_short_ones_for_each_link(void)
{
    static const int links[] = {200, 1000};
    static const char *const methods[] = {"dopri5/index1@joint", "radau5/ggl@joint"};
    double each[2];
    for (int k = 0; k < 2; k++) {
        tn_model *model = chain(links[k], 1.0);
        tn_sim *sim[2];
        for (int m = 0; m < 2; m++) {
            sim[m] = open_sim(model, methods[m], 1e-7);
            CHECK(tn_sim_nv(sim[m]) == links[k] + discs_in(links[k]));
            const long allocated = tn_test_alloc_count();
            CHECK_OK(tn_sim_run(sim[m], 0.02, NULL, NULL));
            CHECK(tn_test_alloc_count() == allocated);
            const tn_ledger ledger = ledger_of(sim[m]);
            printf("%d links by %s: %ld steps, %ld evaluations, %ld tangents, %.3g s\n", links[k],
                   methods[m], ledger.steps, ledger.evaluations, ledger.tangents, ledger.wall);
            CHECK_TEXT(tn_sim_solver(sim[m]), "tree");
            if (m == 0) {
                each[k] = (double)ledger.evaluations / (double)ledger.factorizations;
                CHECK(ledger.tangents == 0);
            }
        }
        const double off = apart(model, sim[0], sim[1]);
        printf("the two are apart by %.1e\n", off);
        CHECK_NEAR(off, 0.0, 1e-3);
        tn_sim_destroy(sim[0]);
        tn_sim_destroy(sim[1]);
        tn_model_destroy(model);
    }
    // How many iterations it takes to round-off depends on it, by one or two of about seven.
    CHECK(each[1] < 1.5 * each[0]);
}

// Motions stay among a disc and its neighbours, whatever the length of the chain.
static void dampers_couple_near_motions_alone(void)
{
    for (int links = 100; links <= 400; links *= 2) {
        tn_model *model = chain(links, 1.0);
        const tn_sim_options options = tn_default_sim();
        tn_start start;
        int band = -1;
        CHECK_OK(tn_start_model(model, &options, &start));
        CHECK_OK(tn_start_to(&start, tn_find_coordinates("joint"), NULL));
        const tn_point at = tn_state_point(&start.x);
        CHECK(start.sys->nmassless == discs_in(links) && !start.sys->massless);
        CHECK_OK(tn_accel_factor(start.accel, &at));
        CHECK_OK(start.sys->ops->massless->motion.band(start.sys, &at, &band));
        CHECK(band == 1);
        tn_start_clear(&start);
        tn_model_destroy(model);
    }
}

// Where the discs come to rest within a microsecond the steps are so short that masses drown the
// dampers of what they stand on.
static void fast_rest_is_for_absolute_coordinates(void)
{
    tn_model *model = chain(20, 1e-6);
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = "radau5/ggl@joint";
    options.rtol = options.atol = 1e-6;
    tn_status status = tn_sim_create(model, &options, &sim); // its first step may be too short
    if (status == TN_OK)
        status = tn_sim_run(sim, 0.02, NULL, NULL);
    CHECK_STATUS(status, TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), "take @absolute, where they stand apart") != NULL);
    tn_sim_destroy(sim);
    sim = open_sim(model, "auto", 1e-6);
    CHECK_TEXT(tn_sim_method(sim), "radau5/ggl@absolute");
    CHECK_OK(tn_sim_run(sim, 0.02, NULL, NULL));
    printf("20 links with fast discs: %ld steps in absolute coordinates\n", ledger_of(sim).steps);
    CHECK(ledger_of(sim).steps < 200);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"short chains move as in absolute coordinates", short_chains_move_as_in_absolute_coordinates},
    {"long chains take the work of short ones for each link",
     long_chains_take_the_work_of_short_ones_for_each_link},
    {"dampers couple near motions alone", dampers_couple_near_motions_alone},
    {"fast rest is for absolute coordinates", fast_rest_is_for_absolute_coordinates},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
