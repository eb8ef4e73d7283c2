// SPDX-License-Identifier: MIT
//
// Forces and drives of a model that stop to be numbers in the middle of a run, by every pairing in
// joint coordinates, with error control and with fixed steps: the run comes up to the place, ends
// with one sentence that names time and element, leaves the last good state and loses no memory.

#include "integrator/integrator.h"
#include "tenon/tenon.h"
#include "test.h"

static const double WHEN = 0.3, STEP = 0.01;

// A crank, a rod and a slider on a rail; %s are the effort of a motor and the motion of a drive.
static const char text[] =
    "tenon: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  crank: {kind: planar, mass: 1, inertia: 0.1, com: [0.1, 0]}\n"
    "  rod: {kind: planar, mass: 1, inertia: 0.1, com: [0.2, 0], initial: {position: [0.2, 0]}}\n"
    "  slider: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.7, 0]}}\n"
    "  arm: {kind: planar, mass: 1, inertia: 0.1, com: [0.2, 0], initial: {position: [0.7, 0]}}\n"
    "joints:\n"
    "  A: {kind: revolute, body: crank, at: [0, 0], initial: {rate: 2}}\n"
    "  B: {kind: revolute, bodies: [crank, rod], at: [0.2, 0]}\n"
    "  C: {kind: revolute, bodies: [rod, slider], at: [0.7, 0]}\n"
    "  rail: {kind: prismatic, body: slider, at: [0.7, 0], axis: [1, 0]}\n"
    "  E: {kind: revolute, bodies: [slider, arm], at: [0.7, 0]}\n"
    "  lead: {kind: drive, joint: E, motion: '%s'}\n"
    "forces:\n"
    "  engine: {kind: motor, joint: A, effort: '%s'}\n";

typedef struct fault {
    const char *motion, *effort;
    const char *name; // of the element in the message
} fault;

static const fault faults[] = {
    {"0.1*t^2", "t < 0.3 ? 1 : sqrt(0.3 - t)", "'engine'"},
    {"0.1*t^2", "t < 0.3 ? 1 : 1/(0*t)", "'engine'"},
    {"t < 0.3 ? 0.1*t^2 : sqrt(0.3 - t)", "1", "'lead'"},
};

static tn_model *faulty(const fault *f)
{
    char all[2000];
    tn_model *model = NULL;
    snprintf(all, sizeof all, text, f->motion, f->effort);
    CHECK_OK(tn_model_parse(all, "text", &model, NULL));
    return model;
}

static bool check_end(const fault *f, const char *method, bool adaptive)
{
    const long before = tn_test_alloc_live();
    tn_model *model = faulty(f);
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.adaptive = adaptive;
    options.step = adaptive ? 0.0 : STEP;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    const tn_status status = tn_sim_run(sim, 1.0, NULL, NULL);
    const double t = tn_sim_time(sim),
                 y = tn_sim_body_frame(sim, tn_model_find_body(model, "arm")).p.y;
    // The last step ends before the place; with error control within a thousandth of it.
    const double least = WHEN - (adaptive ? 1e-3 : 1.5 * STEP);
    const bool good = status == TN_ERR_NUMERIC && t >= least && t <= WHEN * (1.0 + 1e-12) &&
                      isfinite(y) && strstr(tn_last_error(), f->name) &&
                      strstr(tn_last_error(), "t = ");
    if (!good)
        printf("%s %s: at %.9f s, y = %g, status %d, %s\n", method, adaptive ? "adaptive" : "fixed",
               t, y, (int)status, tn_last_error());
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    CHECK(tn_test_alloc_live() == before);
    return good;
}

static void check_fault(const fault *f)
{
    int bad = 0;
    for (int i = 0; i < tn_integrator_count; i++)
        for (int k = 0; k < tn_formulation_count; k++) {
            char method[64];
            if (!tn_pairing_is_legal(tn_integrators[i], tn_formulations[k]) ||
                tn_integrators[i]->needs & TN_VIEW_DISCRETE) // not in joint coordinates
                continue;
            snprintf(method, sizeof method, "%s/%s@joint", tn_integrators[i]->name,
                     tn_formulations[k]->name);
            if (strcmp(tn_formulations[k]->name, "baumgarte2") &&
                !tn_integrator_is_fixed(tn_integrators[i])) // have fixed steps only
                bad += !check_end(f, method, true);
            if (strcmp(tn_integrators[i]->name, "adams")) // has no fixed steps
                bad += !check_end(f, method, false);
        }
    CHECK(bad == 0);
}

static void effort_that_is_no_number(void)
{
    check_fault(&faults[0]);
}

static void effort_that_is_infinite(void)
{
    check_fault(&faults[1]);
}

static void motion_that_is_no_number(void)
{
    check_fault(&faults[2]);
}

static const tn_test tests[] = {
    {"effort that is no number", effort_that_is_no_number},
    {"effort that is infinite", effort_that_is_infinite},
    {"motion that is no number", motion_that_is_no_number},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
