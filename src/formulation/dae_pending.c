// SPDX-License-Identifier: MIT
#include "formulation/dae.h"
#pragma weak tn_dae_create
#pragma weak tn_dae_destroy
tn_status tn_dae_create(tn_problem *p, tn_chart_kind c, const tn_sim_options *o, tn_dae **out)
{
    (void)p, (void)c, (void)o;
    *out = NULL;
    return tn_fail(TN_ERR_USAGE, "pending");
}
void tn_dae_destroy(tn_dae *d)
{
    (void)d;
}
