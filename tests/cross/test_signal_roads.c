// SPDX-License-Identifier: MIT
//
// Random mechanisms with random signals, states, unknowns, sampled systems and forces: all roads
// (coordinates, formulation, integrator) give one motion. Each seed goes some of the roads; with
// TN_LONG in the environment there are 300 seeds, and each goes all of them.

#include "random_signals.h"
#include "same_motion.h"

static const double T_END = 0.2; // [s], with three to seven samples

typedef struct road {
    const char *method;
    double tol; // of the motion; errors of a run are some hundred tolerances of a step
} road;

static const road roads[] = {
    {"radau5/ggl@absolute", 1e-7},
    {"bdf/ggl@absolute", 1e-6},
    {"dop853/index1@joint", 1e-7},
    {"radau5/index2@joint", 1e-7},
    {"bdf/index1@joint", 1e-6},
    {"herk5/index2+project@absolute", 1e-7},
    {"herk5@joint", 1e-7},
    {"dopri5/nullspace@absolute", 1e-7},
    {"dopri5/maggi@absolute", 1e-7},
    {"adams/index1+project@absolute", 1e-6},
    {"dopri5/udwadia-kalaba+project@absolute", 1e-7},
    {"dop853/minimal@absolute", 1e-7},
    {"dopri5/projective@absolute", 1e-7},
    {"radau5/index1@absolute", 1e-7},
    {"radau5/ggl@joint", 1e-7},
    {"radau5/stabilized-index1@absolute", 1e-7},
    {"galpha/ggl@absolute", 1e-5},
    {"galpha/index3@joint", 1e-5},
    {"galpha/index2@absolute", 1e-5},
    {"radau5/ggl@director", 1e-7},
    {"dop853/index1@director", 1e-7},
};

static bool is_long(void)
{
    return getenv("TN_LONG") != NULL;
}

// Of the bodies and of states and unknowns.
static double apart_by(const tn_model *model, tn_sim *a, tn_sim *b)
{
    double most = bodies_apart(model, a, b);
    for (int i = 0; i < 3; i++)
        most = fmax(most, fabs(tn_sim_extra(a)[i] - tn_sim_extra(b)[i]));
    return most;
}

// One mechanism of 300 is near a singular position and stops bdf/ggl without any expression, too.
static bool stops_without_signals(int seed, const char *method)
{
    mechanism m = random_mechanism_of(seed, 1 + seed % 6);
    add_plain_forces(&m);
    tn_sim *sim = travel_by(m.model, method, 1e-10, T_END);
    const bool stops = sim == NULL;
    tn_sim_destroy(sim);
    tn_model_destroy(m.model);
    return stops;
}

static int check_road(const tn_model *model, tn_sim *reference, int seed, const road *r)
{
    tn_sim *sim = travel_by(model, r->method, 1e-10, T_END);
    if (!sim && stops_without_signals(seed, r->method))
        return 0;
    const double off = sim ? apart_by(model, reference, sim) : INFINITY;
    tn_sim_destroy(sim);
    if (!(off <= r->tol))
        printf("seed %d: %s is %.1e off\n", seed, r->method, off);
    return !(off <= r->tol);
}

static void one_motion_by_all_roads(void)
{
    const int seeds = is_long() ? 300 : 60, each = is_long() ? TN_COUNT(roads) : 3;
    int bad = 0;
    for (int seed = 0; seed < seeds; seed++) {
        mechanism m = random_mechanism_of(seed, 1 + seed % 6);
        add_random_signals(&m, false);
        tn_sim *reference = travel_by(m.model, "dop853/index1+project@absolute", 1e-12, T_END);
        CHECK(reference != NULL);
        for (int k = 0; k < each; k++)
            bad +=
                check_road(m.model, reference, seed, &roads[(seed * each + k) % TN_COUNT(roads)]);
        tn_sim_destroy(reference);
        tn_model_destroy(m.model);
    }
    CHECK(bad == 0);
}

static const tn_test tests[] = {
    {"one motion by all roads", one_motion_by_all_roads},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
