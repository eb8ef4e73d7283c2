// SPDX-License-Identifier: MIT
//
// Theories that hold up to a limit, as the verdict checks them. Each has a measure that the run
// takes at ends of steps, its largest value with element and time, and a bound:
//
//   modal     what small displacements leave out of elastic forces (system/absolute_modal.c)
//   turned    turn between two frames whose rotation vector makes a force, which jumps at pi
//   strain    of beam elements, whose law is linear
//   creep     way of regularised friction where it should hold
//   rounding  sum of the round-off of positions, one half of the last place in each step
//   sampling  growth of a swing from sample to sample
//   narrow    fixed steps by the width of what a law in space does within one
//   missed    steps by those in which events, conditions and pulses would all be seen

#include "base/carve.h"
#include "model/model.h"
#include "sim/sim.h"
#include "system/absolute.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

bool tn_is_theory(tn_bounded k)
{
    return k >= TN_QUANTITY_MODAL && k < TN_QUANTITY_JOINTS;
}

void tn_sim_judge_theory(tn_sim *sim, tn_bounded k, double value, double bound, int where)
{
    TN_ASSERT(tn_is_theory(k) && where >= 0 && bound > 0.0);
    if (value != 0.0)
        tn_sim_judge(&sim->sums.judge, k, value, bound, sim->view->t, where);
}

void tn_sim_layout_theories(tn_sim *sim, tn_carve *mem)
{
    const int n = sim->model ? tn_model_sampled_count(sim->model) : 0;
    sim->swing = tn_carve_bytes(mem, (size_t)n * sizeof *sim->swing);
}

void tn_sim_open_theories(tn_sim *sim)
{
    const int n = sim->model ? tn_model_sampled_count(sim->model) : 0;
    for (int k = 0; k < n; k++)
        sim->swing[k] = (tn_swing){0};
    tn_sim_judge_samples(sim);
}

// Others ------------------------------------------------------------------------------------------

// From a per cent on the linear theory of a modal body is another one.
static const double LEFT_OUT = 0.01;

void tn_sim_judge_modals(tn_sim *sim)
{
    for (int k = 0; sim->model && k < sim->model->modals.count; k++)
        tn_sim_judge_theory(sim, TN_QUANTITY_MODAL,
                            tn_absolute_modal_left_out(tn_sim_world(sim), k), LEFT_OUT, k);
}

// Round-off of positions that may have added up, by the size.
static const double ROUNDED = 1e-3;

// Steps that are alike are all rounded to one side.
void tn_sim_judge_rounding(tn_sim *sim)
{
    tn_judge *j = &sim->sums.judge;
    const tn_system *sys = sim->start.sys;
    double far = 0.0;
    for (int i = 0; sim->model && i < sys->nq; i++)
        far = fmax(far, sys->q_length[i] ? fabs(sim->start.x.q[i]) : 0.0);
    j->round_off = 0.5 * DBL_EPSILON * far;
    j->rounded += j->round_off;
    j->worst[TN_QUANTITY_ROUNDING] =
        (tn_worst){.bound = 1.0, .where = -1}; // it grows; so may sizes
    tn_sim_judge_theory(sim, TN_QUANTITY_ROUNDING, j->rounded / j->sizes.length, ROUNDED, 0);
}

// A sampled value swings as fast as its samples show if it turns round within so many of them. The
// controlled motion is faster than that if such swings grow, so many times in a row.
enum { SAMPLES = 3, GROWS = 8 };
static const double GROWN = 10.0;

// The value x of a sample that has been taken.
static double swing_on(tn_swing *s, double x)
{
    const double way = x - s->last;
    s->samples++;
    if (way * s->way < 0.0) {
        const double height = fabs(s->last - s->turn);
        const bool grows = s->samples <= SAMPLES && height >= s->height;
        s->count = grows ? s->count + 1 : 0;
        s->first = grows && s->count > 1 ? s->first : height;
        s->height = height;
        s->turn = s->last;
        s->samples = 0;
    }
    s->way = way != 0.0 ? way : s->way;
    s->last = x;
    return s->count >= GROWS && s->first > 0.0 ? s->height / s->first : 0.0;
}

void tn_sim_judge_samples(tn_sim *sim)
{
    const tn_model *m = sim->model;
    tn_swing *swing = sim->swing;
    for (int k = 0; m && k < m->samplers.count; k++) {
        const double *value,
            taken = tn_absolute_samples(tn_sim_world(sim), sim->start.x.r, k, &value);
        for (int i = 0; i < m->samplers.at[k].n; i++, swing++) {
            const double grown = swing->taken != taken ? swing_on(swing, value[i]) : 0.0;
            swing->taken = taken;
            tn_sim_judge_theory(sim, TN_QUANTITY_SAMPLING, grown, GROWN, k);
        }
    }
}

// Warnings ----------------------------------------------------------------------------------------

// Limits of theories: what the element does there, and what else to take.
static const struct {
    const char *does, *hint;
} theories[] = {
    {"is bent or strained so far that what its modes leave out is %.2g of its forces",
     "take beams, or several modal bodies, for deflections of a tenth of the length and more"},
    {"is turned by %.3g rad from one frame to the other",
     "forces by rotation vectors jump to the other side at half a turn; take a spring on a joint, "
     "which counts turns, or more elements of a beam"},
    {"is strained by %.2g, bending at its edge included",
     "a linear law does not hold there; check the section and the loads"},
    {"has crept by %.2g of its way, or of a tenth of the size of what it should hold,",
     "take a smaller 'speed', or kind lugre, which holds"},
    {"adds up to %.2g of the size of the mechanism",
     "put the origin near the model, take joint coordinates or longer steps"},
    {"swings from sample to sample, %.3g times as far as at first",
     "what it controls is faster than it samples; sample more often"},
    {"does within one step what no end of one shows, in %.3g steps",
     "take steps as short as that, or error control"},
    {"may be passed over: %.3g times as many looks or steps would see all",
     "bound the step by step_max, or take shorter fixed ones"},
};

void tn_sim_judge_missed(tn_sim *sim, tn_missed what, int which, double times)
{
    tn_sim_judge_theory(sim, TN_QUANTITY_MISSED, times, 1.0, TN_MISSED_COUNT * which + (int)what);
}

static void name_missed(const tn_sim *sim, int where, char *text, size_t size)
{
    static const char *const of_all[] = {[TN_MISSED_TURNS] = "an event or a contact",
                                         [TN_MISSED_PULSES] = "a pulse of a function of time"};
    const int what = where % TN_MISSED_COUNT, which = where / TN_MISSED_COUNT;
    char decision[TN_FORMULA_WORDS];
    if (what == TN_MISSED_CONTACT) {
        snprintf(text, size, "a contact of force '%s'", sim->model->forces.at[which].name);
    } else if (what == TN_MISSED_DECISION) {
        tn_absolute_describe_decision(tn_sim_world(sim), which, decision, sizeof decision);
        snprintf(text, size, "a change of a condition in %.60s", decision);
    } else {
        snprintf(text, size, "%s", of_all[what]);
    }
}

static void name_theory(const tn_model *m, tn_bounded k, int where, char *text, size_t size)
{
    if (k == TN_QUANTITY_ROUNDING)
        snprintf(text, size, "round-off of positions");
    else if (k == TN_QUANTITY_MODAL)
        snprintf(text, size, "modal body '%s'", m->modals.at[where].name);
    else if (k == TN_QUANTITY_SAMPLING)
        snprintf(text, size, "sampled system '%s'", m->samplers.at[where].name);
    else
        snprintf(text, size, "%s '%s'", m->forces.at[where].ops->name, m->forces.at[where].name);
}

void tn_sim_tell_theory(const tn_sim *sim, tn_bounded k, const tn_worst *w, tn_judged *out)
{
    char does[160];
    TN_ASSERT(tn_is_theory(k) && TN_COUNT(theories) == TN_QUANTITY_JOINTS - TN_QUANTITY_MODAL);
    if (k == TN_QUANTITY_MISSED)
        name_missed(sim, w->where, out->where, sizeof out->where);
    else
        name_theory(sim->model, k, w->where, out->where, sizeof out->where);
    snprintf(does, sizeof does, theories[k - TN_QUANTITY_MODAL].does,
             k == TN_QUANTITY_NARROW ? 1.0 / w->value : w->value);
    if (out->doubtful)
        snprintf(out->text, sizeof out->text, "%s %s at t = %.6g s, bound %.3g; %s", out->where,
                 does, w->t, w->bound, theories[k - TN_QUANTITY_MODAL].hint);
}
