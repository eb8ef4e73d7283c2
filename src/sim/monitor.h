// SPDX-License-Identifier: MIT
//
// The interface of monitors, which check a run step by step, note what is worth reporting, and end
// the run or ask for a shorter step where the motion cannot be trusted. The time loop knows them
// by this table alone. Their files are in src/monitor, their order is that of monitor_kinds.inc.

#pragma once

#include "base/carve.h"
#include "system/system.h"

typedef struct tn_monitor_ops tn_monitor_ops;

// The first member of each monitor's own struct.
typedef struct tn_monitor {
    const tn_monitor_ops *ops;
} tn_monitor;

// All functions may be NULL.
struct tn_monitor_ops {
    const char *name;
    size_t size;                        // of the monitor's own struct; 0: it has no state
    bool (*applies)(const tn_sim *sim); // otherwise the simulation goes without it; NULL: always
    // Arrays of the monitor, and what saved states hold beside them.
    void (*layout)(tn_monitor *m, const tn_sim *sim, tn_carve *mem);
    void (*values)(tn_monitor *m, const tn_sim *sim, tn_values *v);
    // Once, when matrices have been factored: notes on what the simulation is like.
    void (*note)(tn_monitor *m, tn_sim *sim);
    tn_status (*open)(tn_monitor *m, tn_sim *sim);   // a run begins at the current state
    void (*rows_change)(tn_monitor *m, tn_sim *sim); // others take part from here on
    void (*before)(tn_monitor *m, tn_sim *sim);      // a step begins
    // The integrator has paused in a step: whether the monitor has moved the state on, not beyond
    // `end`. Otherwise the step goes on.
    bool (*steps_over)(tn_monitor *m, tn_sim *sim, double end);
    // The step has reached its end. TN_RETRY_ERROR asks for a shorter one, errors end the run.
    tn_status (*after)(tn_monitor *m, tn_sim *sim);
    void (*restore)(tn_monitor *m, tn_sim *sim); // the step is taken back
    void (*kept)(tn_monitor *m, tn_sim *sim);    // the step stays, after all retries
    // The state from which the run goes on, at its start and after what happens at ends of steps.
    tn_status (*check)(tn_monitor *m, tn_sim *sim);
    // No step as short as h succeeds: an error that says why, or TN_OK where this monitor sees no
    // reason. status: of the last attempt.
    tn_status (*explain)(tn_monitor *m, tn_sim *sim, tn_status status, double h);
    bool explains_first; // before those that stand before it in the list
    // The same where the matrices of the first step cannot be factored.
    tn_status (*explain_start)(tn_monitor *m, tn_sim *sim, const tn_point *at);
    void (*report)(const tn_monitor *m, tn_ledger *out); // what it adds to the ledger
};

// A simulation with the monitors of a list, which ends with NULL: tn_sim_create and
// tn_sim_create_callbacks take all that there are.
tn_status tn_sim_create_with(const tn_monitor_ops *const *monitors, const tn_model *model,
                             const tn_sim_options *options, tn_sim **out);
tn_status tn_sim_create_callbacks_with(const tn_monitor_ops *const *monitors,
                                       const tn_callbacks *callbacks, const double *q,
                                       const double *v, const tn_sim_options *options,
                                       tn_sim **out);

// Monitors whose state others need: NULL where it does not apply.
tn_monitor *tn_sim_monitor(const tn_sim *sim, const tn_monitor_ops *ops);

tn_status tn_sim_create_monitors(tn_sim *sim); // those of sim->monitor_kinds that apply
void tn_sim_destroy_monitors(tn_sim *sim);
bool tn_sim_steps_over(tn_sim *sim, double end); // some monitor has moved the state on
// The error of the first monitor that explains why no step as short as h succeeds.
tn_status tn_sim_explain(tn_sim *sim, tn_status status, double h);

// Calls a function of all monitors that have it: TN_EACH_MONITOR(sim, before, sim).
#define TN_EACH_MONITOR(sim, call, ...)                             \
    for (tn_monitor *const *m_ = (sim)->monitor; *m_ != NULL; m_++) \
        if ((*m_)->ops->call)                                       \
    (*m_)->ops->call(*m_, __VA_ARGS__)
// The same while *status is TN_OK; it becomes what they return.
#define TN_ASK_MONITORS(status, sim, call, ...)                                           \
    for (tn_monitor *const *m_ = (sim)->monitor; *(status) == TN_OK && *m_ != NULL; m_++) \
        if ((*m_)->ops->call)                                                             \
    *(status) = (*m_)->ops->call(*m_, __VA_ARGS__)
