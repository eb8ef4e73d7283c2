// SPDX-License-Identifier: MIT
//
// The registry of integrators, and which formulations each of them can use.

#include "integrator/integrator.h"

#include "integrator/integrator_list.h"
#include "linalg/dense.h"

#include <string.h>

const tn_integrator_ops *const tn_integrators[] = {
#define TN_KIND(name) &tn_integrator_##name,
    TN_INTEGRATORS(TN_KIND)
#undef TN_KIND
};
const int tn_integrator_count = TN_COUNT(tn_integrators);

const tn_integrator_ops *tn_find_integrator(const char *name)
{
    for (int k = 0; k < tn_integrator_count; k++)
        if (!strcmp(tn_integrators[k]->name, name))
            return tn_integrators[k];
    return NULL;
}

bool tn_integrator_is_fixed(const tn_integrator_ops *integrator)
{
    return integrator->needs & (TN_VIEW_DISCRETE | TN_VIEW_IMPACTS);
}

bool tn_integrator_takes_rotations(const tn_integrator_ops *integrator, bool linear)
{
    return !integrator->linear_only && !(linear ? integrator->on_group : integrator->multistep);
}

bool tn_pairing_is_legal(const tn_integrator_ops *integrator, const tn_formulation *formulation)
{
    return (integrator->needs & formulation->offers) == integrator->needs;
}

static const char *view_text(unsigned view)
{
    switch (view) {
    case TN_VIEW_STEP:
        return "the rows of a step on the group (STEP)";
    case TN_VIEW_RESIDUAL:
        return "a residual F(t, y, y') with its tangent (RESIDUAL)";
    case TN_VIEW_ACCEL:
        return "explicit accelerations (ACCEL)";
    case TN_VIEW_IMPACTS:
        return "rows of positions and of velocities at once (IMPACTS)";
    case TN_VIEW_BLOCKS:
        return "the separate blocks M, f, B, g (BLOCKS)";
    default:
        return "a discrete principle of motion (DISCRETE)";
    }
}

tn_status tn_pairing_check(const tn_integrator_ops *integrator, const tn_formulation *formulation)
{
    if (tn_pairing_is_legal(integrator, formulation))
        return TN_OK;
    const unsigned missing = integrator->needs & ~formulation->offers;
    const char *nearest = "none";
    for (int k = tn_formulation_count - 1; k >= 0; k--)
        if (tn_pairing_is_legal(integrator, tn_formulations[k]))
            nearest = tn_formulations[k]->name;
    return tn_fail(TN_ERR_PAIRING,
                   "integrator '%s' needs %s, which formulation '%s' does not offer; the nearest "
                   "legal method is %s/%s",
                   integrator->name, view_text(missing & (~missing + 1u)), formulation->name,
                   integrator->name, nearest);
}

void tn_pairing_orders(const tn_integrator_ops *integrator, const tn_formulation *formulation,
                       const tn_sim_options *options, int order[3])
{
    for (int k = 0; k < 3; k++)
        order[k] = integrator->order;
    if (integrator->orders)
        integrator->orders(formulation, options, order);
}

void tn_stepper_attribute(tn_stepper *stepper, int n, const double *r)
{
    const int worst = tn_largest_at(n, r);
    stepper->worst = n > 0 ? r[worst] : 0.0;
    tn_dae_name(stepper->dae, worst, stepper->culprit, sizeof stepper->culprit);
}

tn_status tn_stepper_check(tn_stepper *stepper, const tn_state *from, const tn_state *to)
{
    if (!stepper->unknowns)
        return TN_OK;
    stepper->unknowns->looked = true;
    const tn_status status = tn_unknowns_check(stepper->unknowns, from, to);
    if (status > 0)
        stepper->culprit[0] = '\0'; // the sentence says what is wrong
    return status;
}

bool tn_stepper_follows(const tn_stepper *stepper, tn_status status)
{
    return status > 0 && stepper->unknowns && !stepper->options->adaptive;
}

double tn_step_factor(double error, double last_error, int order)
{
    TN_ASSERT(order > 0 && !(error < 0.0) && !(last_error < 0.0));
    const double e = fmax(error, 1e-8), last = fmax(last_error, 1e-8);
    const double k = 1.0 / (order + 1.0);
    const double factor = 0.9 * pow(e, -0.7 * k) * pow(last, 0.4 * k);
    return fmin(3.0, fmax(0.2, factor));
}
