// SPDX-License-Identifier: MIT
//
// Reduced momenta P^T p of discrete principles change as the motion does, not as pivots do.

#include "fixed_step.h"
#include "tenon/io.h"

enum { STEPS = 400, MOST = 8 };

static double largest_jump(tn_sim *sim, double h)
{
    double last[MOST] = {0.0}, jump = 0.0, size = 0.0;
    for (int n = 0; n <= STEPS; n++) {
        tn_discrete_node node;
        if (n > 0)
            CHECK_OK(tn_sim_step(sim, h));
        CHECK(tn_sim_discrete(sim, &node));
        CHECK(node.nreduced > 0 && node.nreduced <= MOST);
        for (int k = 0; k < node.nreduced; k++) {
            jump = n > 0 ? fmax(jump, fabs(node.reduced[k] - last[k])) : jump;
            size = fmax(size, fabs(node.reduced[k]));
            last[k] = node.reduced[k];
        }
    }
    return jump / size;
}

static void follow(const char *method, const tn_integrator_ops *integrator, void *user)
{
    (void)integrator, (void)user;
    static const char *const models[] = {"double_pendulum", "fourbar", "six_body_linkage"};
    if (strstr(method, "multiplier"))
        return; // has no reduced momenta
    for (int k = 0; k < TN_COUNT(models); k++) {
        tn_model *model = load_model(models[k]);
        tn_sim *sim = open_fixed(model, method, 5e-3);
        const double jump = largest_jump(sim, 5e-3);
        printf("%-36s %-18s changes by at most %.3f of its size in a step\n", method, models[k],
               jump);
        CHECK(jump < 0.1);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static void reduced_momenta_do_not_jump(void)
{
    CHECK(for_discrete_methods(follow, NULL) == 6);
}

static const tn_test tests[] = {
    {"reduced momenta do not jump", reduced_momenta_do_not_jump},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
