// SPDX-License-Identifier: MIT
//
// Theories of force elements that hold up to a limit: turns between two frames, strains, and
// regularised friction that creeps. Each has a measure that is taken at ends of steps and checked
// (sim/verdict_theory.c).

#include "model/model.h"
#include "sim/monitor.h"
#include "sim/sim.h"

#include <math.h>

// Slip and creep of regularised friction, step by step.
typedef struct crawl {
    tn_vec3 slips, held; // at the end of the last step [m/s], and how far it has crept [m]
    double way;          // that it has slipped [m]
} crawl;

typedef struct theories {
    tn_monitor monitor;
    crawl *crawl; // of all forces
} theories;

// Looks at a step are no further apart than bodies turn by this, two against each other by twice as
// much, so that no half turn is missed: a rotation vector has jumped where it has turned round
// between two of them [rad].
static const double LOOK = 0.8;
enum { LOOKS_MAX = 64 };
// Frames that are turned by less than this at a sample have not just passed half a turn [rad].
static const double WIDE = 2.0;

static tn_point look_at(tn_sim *sim, double t)
{
    tn_system *sys = sim->start.sys;
    if (tn_sim_sample_silently(sim, t) != TN_OK)
        tn_sim_current(sim);
    const tn_point at = tn_state_point(sim->view);
    if (sys->ops->mechanism->look)
        sys->ops->mechanism->look(sys, &at);
    return at;
}

static tn_reach reach_at(tn_sim *sim, const tn_force_data *force, const tn_point *at)
{
    tn_force_view view = {.units = sim->start.sys->units};
    tn_system_see_force(sim->start.sys, at, force, &view);
    return force->ops->reach(force, &view);
}

static void judge_reach(tn_sim *sim, int k, const tn_point *at, double before)
{
    const tn_force_data *force = &sim->model->forces.at[k];
    const tn_reach r = reach_at(sim, force, at);
    double turn = tn_v3_norm(r.turn);
    if (turn > WIDE) {
        const tn_point then = look_at(sim, before);
        if (tn_v3_dot(reach_at(sim, force, &then).turn, r.turn) < 0.0)
            turn = 2.0 * M_PI - turn;
        look_at(sim, at->t);
    }
    tn_sim_judge_theory(sim, TN_QUANTITY_TURNED, turn, force->ops->turn_limit, k);
    if (force->ops->strain_limit > 0.0)
        tn_sim_judge_theory(sim, TN_QUANTITY_STRAIN, r.strain, force->ops->strain_limit, k);
}

static void judge_reaches(tn_sim *sim, double from, double to)
{
    const double looks = ceil(sim->sums.judge.sizes.fastest_turn * (to - from) / LOOK);
    const int n = looks > 1.0 ? (int)fmin(looks, LOOKS_MAX) : 1;
    for (int i = 1; i <= n; i++) {
        const double before = from + (to - from) * (i - 1) / n;
        const tn_point at = look_at(sim, i < n ? from + (to - from) * i / n : to);
        for (int k = 0; k < sim->model->forces.count; k++)
            if (sim->model->forces.at[k].ops->reach)
                judge_reach(sim, k, &at, before);
    }
    tn_sim_current(sim);
}

// Friction that is regularised creeps where it should hold: below this times its speed, at which it
// has nine tenths of the force that it can hold.
static const double HOLDS = 2.0;
// It may creep by this part of its way, or of a tenth of the size of the mechanism or of a radian.
static const double CREEPS = 0.1, SHORT_WAY = 0.1;

static void judge_creep(tn_sim *sim, int k, crawl *c, double h)
{
    const tn_force_data *force = &sim->model->forces.at[k];
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(&sim->start.x);
    tn_force_state now = {0};
    sys->ops->mechanism->force(sys, &at, k, &now);
    const bool holds = now.slip < HOLDS * force->def.friction.speed;
    const tn_vec3 way = tn_v3_scale(0.5 * h, tn_v3_add(c->slips, now.slips));
    c->slips = now.slips;
    c->held = holds ? tn_v3_add(c->held, way) : c->held;
    c->way += holds ? 0.0 : tn_v3_norm(way);
    c->way += force->slip.touches ? sim->sums.judge.sizes.fastest * h : 0.0; // it rolls
    const double size =
        force->slip.turns[0] ? force->def.friction.radius : sim->sums.judge.sizes.length;
    tn_sim_judge_theory(sim, TN_QUANTITY_CREEP,
                        tn_v3_norm(c->held) / fmax(SHORT_WAY * size, c->way), CREEPS, k);
}

static void judge_forces(tn_monitor *m, tn_sim *sim)
{
    const double from = sim->before.t, to = sim->start.x.t;
    bool reach = false;
    for (int k = 0; k < sim->model->forces.count && to > from; k++) {
        const tn_force_ops *ops = sim->model->forces.at[k].ops;
        reach = reach || ops->reach;
        if (ops->creeps)
            judge_creep(sim, k, &((theories *)m)->crawl[k], to - from);
    }
    if (reach)
        judge_reaches(sim, from, to);
}

static bool has_theories(const tn_sim *sim)
{
    for (int k = 0; sim->model && k < sim->model->forces.count; k++)
        if (sim->model->forces.at[k].ops->reach || sim->model->forces.at[k].ops->creeps)
            return true;
    return false;
}

static void layout_theories(tn_monitor *m, const tn_sim *sim, tn_carve *mem)
{
    theories *f = (theories *)m;
    TN_CARVE_NUMBERS(mem, (size_t)sim->model->forces.count * sizeof *f->crawl, f->crawl);
}

static tn_status open_theories(tn_monitor *m, tn_sim *sim)
{
    for (int k = 0; k < sim->model->forces.count; k++)
        ((theories *)m)->crawl[k] = (crawl){0};
    return TN_OK;
}

const tn_monitor_ops tn_monitor_force_theories = {.name = "force_theories",
                                                  .size = sizeof(theories),
                                                  .applies = has_theories,
                                                  .layout = layout_theories,
                                                  .open = open_theories,
                                                  .kept = judge_forces};
