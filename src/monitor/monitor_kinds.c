// SPDX-License-Identifier: MIT
//
// The list of monitors, and simulations with all of them.

#include "base/status.h"
#include "sim/monitor.h"
#include "tenon/sim.h"

#define TN_MONITOR(name) extern const tn_monitor_ops tn_monitor_##name;
#include "monitor/monitor_kinds.inc"
#undef TN_MONITOR

#define TN_MONITOR(name) &tn_monitor_##name,
static const tn_monitor_ops *const kinds[] = {
#include "monitor/monitor_kinds.inc"
    NULL};

tn_status tn_sim_create(const tn_model *model, const tn_sim_options *options, tn_sim **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, options, out);
    return tn_sim_create_with(kinds, model, options, out);
}

tn_status tn_sim_create_callbacks(const tn_callbacks *callbacks, const double *q, const double *v,
                                  const tn_sim_options *options, tn_sim **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, callbacks, q, v, options, out);
    return tn_sim_create_callbacks_with(kinds, callbacks, q, v, options, out);
}
