// SPDX-License-Identifier: MIT
//
// A model whose motor brakes by a load that is an unknown of the reactions in its joint, with a
// state that follows the load: all methods, in absolute and joint coordinates, give one motion, and
// the works that explicit ones book on their dense output close the energy balance.

#include "integrator/integrator.h"
#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <string.h>

static const char *const text =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  rod: {mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}\n"
    "  tip: {mass: 1, com: [0.3, 0.1, 0], inertia: [0.02, 0.05, 0.05],"
    " initial: {position: [1, 0, 0]}}\n"
    "joints:\n"
    "  pin: {kind: revolute, body: rod, axis: [0, 1, 0], initial: {rate: 1}}\n"
    "  ball: {kind: spherical, bodies: [rod, tip], at: [1, 0, 0]}\n"
    "states:\n"
    "  heat: {rate: \"0.1*load - heat\", initial: 0.2}\n"
    "unknowns:\n"
    "  load: {equation: \"load + 0.01*load^3 - 0.1*sqrt(100 + pin.force.x^2 + pin.force.z^2)\","
    " start: 1}\n"
    "forces:\n"
    "  drag: {kind: motor, joint: pin,"
    " effort: \"-0.3*load*pin.angle.rate*(1 + 0.1*heat)\"}\n";

enum { SEEN = 8 };

// The tip, the rates of the rod, heat and load.
static void see(tn_sim *sim, double x[SEEN])
{
    tn_v3_to(tn_sim_body_frame(sim, (tn_body){2}).p, x);
    tn_v3_to(tn_sim_body_rate(sim, (tn_body){1}), x + 3);
    x[6] = tn_sim_extra(sim)[0];
    x[7] = tn_sim_extra(sim)[1];
}

static void run(const char *method, double tol, double x[SEEN], double *balance)
{
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_ledger ledger;
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = tol;
    CHECK_OK(tn_model_parse(text, "brake", &model, NULL));
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
    see(sim, x);
    tn_sim_ledger(sim, &ledger);
    *balance = ledger.max_balance / ledger.energy_scale;
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void check_method(const char *method, const double exact[SEEN])
{
    double x[SEEN], off = 0.0, balance;
    run(method, 1e-9, x, &balance);
    for (int i = 0; i < SEEN; i++)
        off = fmax(off, fabs(x[i] - exact[i]));
    printf("%-32s off by %.1e, balance %.1e\n", method, off, balance);
    CHECK(off < 1e-6 && balance < 1e-6);
}

// Methods of second order would take many steps.
static bool is_fast(const tn_integrator_ops *integrator, const tn_formulation *formulation)
{
    return integrator->order > 2 && strcmp(formulation->name, "baumgarte2") &&
           (formulation->velocity || formulation->acceleration || formulation->index < 3);
}

static void all_methods_brake_alike(void)
{
    static const char *const coordinates[] = {"absolute", "joint"};
    double exact[SEEN], balance;
    run("dop853/index1+project@joint", 1e-12, exact, &balance);
    for (int i = 0; i < tn_integrator_count; i++)
        for (int k = 0; k < tn_formulation_count; k++)
            for (int c = 0; c < TN_COUNT(coordinates); c++) {
                char method[80];
                if (!tn_pairing_is_legal(tn_integrators[i], tn_formulations[k]) ||
                    !is_fast(tn_integrators[i], tn_formulations[k]))
                    continue;
                snprintf(method, sizeof method, "%s/%s@%s", tn_integrators[i]->name,
                         tn_formulations[k]->name, coordinates[c]);
                check_method(method, exact);
            }
}

static const tn_test tests[] = {
    {"all methods brake alike", all_methods_brake_alike},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
