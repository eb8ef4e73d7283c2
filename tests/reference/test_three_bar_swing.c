// SPDX-License-Identifier: MIT
//
// The three-bar swing of [LMO08, section 6.2], models/three_bar_swing.yaml: an elastic beam with a
// mass in its middle, on two rigid links. Numbers of unknowns are the paper's; energy-momentum
// keeps the energy after the pulse, the variational principle holds it within a band that falls
// with the step; both, and generalized-alpha with elements on SE(3), go the same way.

#include "model/model.h"
#include "tenon/tenon.h"
#include "test.h"

#include <math.h>

static const double PULSE = 0.25; // its end [s]

static tn_model *swing(void)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(tn_test_path("models/three_bar_swing.yaml"), &model, NULL));
    return model;
}

static tn_sim *open_swing(const tn_model *model, const char *method, double step)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = step;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static double energy_of(tn_sim *sim)
{
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    return ledger.energy;
}

// n = 276 = 12 (21 + 2), m = 154 = 6 * 23 + 16, 122 freedoms.
static void unknowns_are_those_of_the_paper(void)
{
    tn_model *model = swing();
    tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    options.method = "energy-momentum@director";
    CHECK_OK(tn_check_model(model, &options, &check));
    CHECK(tn_check_freedoms(check) == 122);
    CHECK(tn_check_redundant_count(check) == 0);
    CHECK(tn_check_coordinates(check) + tn_check_internal_rows(check) == 276);
    CHECK(tn_check_rows(check) + tn_check_internal_rows(check) == 154);
    tn_check_destroy(check);
    tn_model_destroy(model);
}

// The largest change of the energy from the end of the pulse on, relative to it.
static double energy_band(const char *method, double step, double t_end)
{
    tn_model *model = swing();
    tn_sim *sim = open_swing(model, method, step);
    CHECK_OK(tn_sim_run(sim, PULSE, NULL, NULL));
    const double after = energy_of(sim);
    double most = 0.0;
    for (int n = (int)lround(PULSE / step) + 1; n * step < t_end; n++) {
        CHECK_OK(tn_sim_run(sim, n * step, NULL, NULL));
        most = fmax(most, fabs(energy_of(sim) - after));
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return most / after;
}

static void energy_momentum_keeps_the_energy_after_the_pulse(void)
{
    const double band = energy_band("energy-momentum@director", 0.01, 2.0); // past event X
    printf("energy-momentum, h = 0.01: band %.1e\n", band);
    CHECK(band < 1e-10);
}

// From 2.5 ms on, where the highest frequency of the mesh, 474 rad/s, is resolved.
static void the_variational_band_falls_with_the_step(void)
{
    const double coarse = energy_band("variational@director", 2.5e-3, 0.75),
                 fine = energy_band("variational@director", 1.25e-3, 0.75);
    printf("variational, band %.2e at 2.5 ms, %.2e at half of it: factor %.2f\n", coarse, fine,
           coarse / fine);
    CHECK(coarse < 1e-3);
    CHECK(coarse / fine > 3.0);
}

// Place of the mass.
static tn_vec3 mass_at(const char *method, double step, double t)
{
    tn_model *model = swing();
    tn_sim *sim = open_swing(model, method, step);
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    const tn_vec3 p = tn_sim_body_frame(sim, tn_find_body(model, "beam.10")).p;
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return p;
}

// By extrapolation in the step; what is left between the elements is of their length squared.
static void all_methods_go_one_way(void)
{
    static const char *const methods[] = {"energy-momentum@director", "variational@director",
                                          "galpha/ggl@absolute"};
    tn_vec3 at[TN_COUNT(methods)];
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const tn_vec3 coarse = mass_at(methods[k], 2e-3, 0.5),
                      fine = mass_at(methods[k], 1e-3, 0.5);
        at[k] = tn_v3_axpy(1.0 / 3.0, tn_v3_sub(fine, coarse), fine);
        printf("%-26s %.9f %.9f\n", methods[k], at[k].y, at[k].z);
        CHECK_NEAR(at[k].x, 0.0, 1e-12); // in the plane of e2 and e3
    }
    CHECK_NEAR(tn_v3_norm(tn_v3_sub(at[0], at[1])), 0.0, 1e-6); // one element, the rest h^4
    CHECK_NEAR(tn_v3_norm(tn_v3_sub(at[0], at[2])), 0.0, 1e-4);
}

static const tn_test tests[] = {
    {"unknowns are those of the paper", unknowns_are_those_of_the_paper},
    {"energy-momentum keeps the energy after the pulse",
     energy_momentum_keeps_the_energy_after_the_pulse},
    {"the variational band falls with the step", the_variational_band_falls_with_the_step},
    {"all methods go one way", all_methods_go_one_way},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
