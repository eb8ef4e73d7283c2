// SPDX-License-Identifier: MIT
//
// Motions that slide along a condition of an expression: on both sides of it they lead back to it,
// as under a force -sign(v) where it can hold a body at rest. There is no motion on one of the two
// modes then, and steps that take one of them would go on with wrong forces. Where a condition has
// just changed, the number that decides is sampled a little later with the accelerations of its new
// mode: it leads back where its sign is to become the old one at once. A number that has jumped
// across zero, as another condition has changed with it, is not to come back at once. Conditions
// that change back and forth at one place, without any motion between, slide as well.

#include "linalg/dense.h"
#include "signal/expression.h"
#include "sim/sim.h"
#include "system/absolute.h"

#include <math.h>

// A rate that leads back is no round-off from this part of the rate on with which the condition was
// reached.
static const double LEADS_BACK = 1e-3;
// And it leads back at once within this part of the last step: with less, errors in the place of
// the change hide a slide at first, with more, a short jump across zero is taken for one.
static const double AT_ONCE = 1e-3;
// Changes at one place from which on a condition goes back and forth there: two may be a touch.
enum { BACK_AND_FORTH = 4 };

tn_status tn_sim_tell_slide(tn_sim *sim, int decision)
{
    char what[TN_FORMULA_WORDS];
    const double t = sim->start.x.t;
    tn_switch *s = &sim->watch.switches[sim->watch.first_decision + decision];
    TN_ASSERT(s->force == TN_SWITCH_CONDITION);
    tn_absolute_describe_decision(tn_sim_world(sim), decision, what, sizeof what);
    if (sim->options.adaptive)
        return tn_fail(TN_ERR_NUMERIC,
                       "%s: from t = %.6g s on the motion slides along a condition in it, as both "
                       "of its sides lead back to it, which error-controlled steps do not follow; "
                       "replace the jump by a steep smooth function (tanh), take a friction "
                       "element, or fixed steps, which chatter there",
                       what, t);
    if (!s->slide_told)
        tn_notes_add(&sim->start.notes,
                     "%s: near t = %.6g s the motion slides along a condition in it, as both of "
                     "its sides lead back to it; fixed steps chatter there, with errors of the "
                     "size of a step",
                     what, t);
    s->slide_told = true;
    return TN_OK;
}

static bool has_changed(const tn_sim *sim, int i)
{
    const tn_watch *w = &sim->watch;
    return w->side[0][i] * w->side[1][i] == -1 && !tn_absolute_remembers(tn_sim_world(sim), i);
}

// The values of conditions now are in w->work.
static bool leads_back(const tn_sim *sim, int i, double h, double dt)
{
    const tn_watch *w = &sim->watch;
    const int k = w->nevent + w->first_decision + i;
    const double rate = (w->decision[i] - w->work[i]) / dt;
    const double reached_with = fabs(w->end[1][k] - w->end[0][k]) / h;
    const double soon = w->work[i] + rate * AT_ONCE * h;
    return rate * w->side[1][i] < -LEADS_BACK * reached_with && soon * w->side[1][i] < 0.0;
}

static tn_status tell_back_and_forth(tn_sim *sim)
{
    const tn_watch *w = &sim->watch;
    for (int i = 0; i < w->ndecision; i++) {
        const tn_switch *s = &w->switches[w->first_decision + i];
        if (s->at_once >= BACK_AND_FORTH && s->since == sim->start.x.t)
            TN_TRY(tn_sim_tell_slide(sim, i));
    }
    return TN_OK;
}

tn_status tn_sim_watch_slides(tn_sim *sim)
{
    const tn_watch *w = &sim->watch;
    const double h = sim->start.x.t - sim->before.t;
    const double dt = tn_sim_lookahead_time(sim);
    bool changed = false;
    TN_TRY(tell_back_and_forth(sim));
    for (int i = 0; i < w->ndecision; i++)
        changed = changed || has_changed(sim, i);
    if (!changed || !(h > 0.0) || !(sim->start.x.t + dt > sim->start.x.t))
        return TN_OK;
    TN_TRY(tn_sim_decide_later(sim, 0.0));
    tn_copy(w->ndecision, w->decision, w->work);
    TN_TRY(tn_sim_decide_later(sim, dt));
    tn_status status = TN_OK;
    for (int i = 0; i < w->ndecision && status == TN_OK; i++)
        if (has_changed(sim, i) && leads_back(sim, i, h, dt))
            status = tn_sim_tell_slide(sim, i);
    tn_sim_current(sim);
    return status;
}
