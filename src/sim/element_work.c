// SPDX-License-Identifier: MIT
//
// The works of the ledger by element: what each force of the model and the drive of each joint has
// dissipated and supplied. Powers by element come with those of all (tn_absolute_exchange), and
// every rule for the work of all is a sum over times,
//
//   W = sum_i w_i P(t_i),    W_k = sum_i w_i P_k(t_i),
//
// with the same times and weights for each element k, so that the W_k add up to W. How long the
// parts of a step are is decided by the powers of all together.
//
// Only sums are saved of the times within a step. A step that is cut is sampled once more instead,
// which is rare.

#include "integrator/interpolate.h"
#include "linalg/dense.h"
#include "sim/sim.h"
#include "system/absolute.h"

#include <math.h>
#include <string.h>

static size_t element_work_size(const tn_element_work *b)
{
    return (size_t)b->n * sizeof(tn_exchange);
}

static void element_work_copy(const tn_element_work *b, const tn_exchange *from, tn_exchange *to)
{
    if (b->busy > 0)
        memcpy(to, from, element_work_size(b));
}

static void element_work_add(const tn_element_work *b, double f, const tn_exchange *from,
                             tn_exchange *to)
{
    for (int k = 0; k < b->busy; k++) {
        to[k].dissipated += f * from[k].dissipated;
        to[k].supplied += f * from[k].supplied;
    }
}

static void layout_page(const tn_element_work *b, tn_element_powers *page, tn_carve *mem)
{
    TN_CARVE_DOUBLES(mem, b->size, &page->all);
    if (!page->all)
        return;
    page->work = (tn_exchange *)page->all;
    page->begin = page->work + b->n;
    page->end = page->begin + b->n;
    page->from = (double *)(page->end + b->n); // and `to`, where works are steady
    page->to = page->from + b->n;
}

void tn_sim_layout_element_work(tn_sim *sim, bool works, bool dense, bool closed_form,
                                tn_carve *mem)
{
    tn_element_work *b = &sim->element_work;
    const tn_model *m = sim->model;
    b->n = m ? m->forces.count + m->joints.count : 0;
    b->busy = works ? b->n : 0;
    b->closed_form = closed_form;
    b->size = (closed_form ? 8 : 6) * b->n;
    layout_page(b, &b->now, mem);
    layout_page(b, &b->kept, mem);
    TN_CARVE_NUMBERS(mem, element_work_size(b), b->inside);
    for (int i = 0; i < TN_POWER_HALVINGS && dense; i++)
        TN_CARVE_NUMBERS(mem, element_work_size(b), b->middle[i]);
}

// As the system has evaluated them with the powers of all.
static const tn_exchange *powers_now(const tn_sim *sim)
{
    return sim->element_work.busy > 0 ? tn_absolute_exchange(tn_sim_world(sim)) : NULL;
}

void tn_sim_open_element_work(tn_sim *sim)
{
    tn_element_work *b = &sim->element_work;
    if (b->n > 0)
        memset(b->now.work, 0, element_work_size(b));
    tn_sim_element_work_jump(sim);
    tn_sim_shift_powers(sim);
    tn_sim_keep_sums(sim);
}

void tn_sim_keep_sums(tn_sim *sim)
{
    const tn_element_work *b = &sim->element_work;
    sim->sums_before = sim->sums;
    tn_copy(b->busy > 0 ? b->size : 0, b->now.all, b->kept.all);
}

void tn_sim_take_sums_back(tn_sim *sim)
{
    const tn_element_work *b = &sim->element_work;
    sim->sums = sim->sums_before;
    tn_copy(b->busy > 0 ? b->size : 0, b->kept.all, b->now.all);
}

void tn_sim_element_work_jump(tn_sim *sim)
{
    element_work_copy(&sim->element_work, powers_now(sim), sim->element_work.now.end);
    tn_sim_see_gains(sim, sim->element_work.now.to);
}

tn_exchange tn_sim_element_work_push(tn_sim *sim)
{
    tn_exchange sum = {0.0, 0.0};
    const tn_element_work *b = &sim->element_work;
    tn_sim_element_work_jump(sim);
    for (int k = 0; k < b->busy; k++) {
        sum.dissipated += b->now.end[k].dissipated;
        sum.supplied += b->now.end[k].supplied;
    }
    return sum;
}

void tn_sim_shift_powers(tn_sim *sim)
{
    tn_element_work *b = &sim->element_work;
    element_work_copy(b, b->now.end, b->now.begin);
    tn_copy(b->closed_form ? b->n : 0, b->now.to, b->now.from);
    tn_sim_element_work_jump(sim);
}

double tn_sim_mix_powers(const tn_sim *sim, const tn_exchange *powers)
{
    static const double GOLDEN = 0.61803398874989485; // its multiples are far from each other
    const tn_exchange *at = powers ? powers : powers_now(sim);
    double sum = 0.0;
    for (int k = 0; k < sim->element_work.busy; k++)
        sum += (1.0 + fmod(GOLDEN * (k + 1), 1.0)) * at[k].supplied;
    return sum;
}

void tn_sim_clear_nodes(tn_sim *sim)
{
    if (sim->element_work.n > 0)
        memset(sim->element_work.inside, 0, element_work_size(&sim->element_work));
}

void tn_sim_element_work_node(tn_sim *sim, double weight, const tn_exchange *powers)
{
    const tn_element_work *b = &sim->element_work;
    element_work_add(b, weight, powers ? powers : powers_now(sim), b->inside);
}

tn_exchange *tn_sim_element_work_middle(tn_sim *sim, int level)
{
    TN_ASSERT(level >= 0 && level < TN_POWER_HALVINGS);
    tn_exchange *to = sim->element_work.middle[level];
    element_work_copy(&sim->element_work, powers_now(sim), to);
    return to;
}

void tn_sim_element_work_part(tn_sim *sim, double h, double w, const tn_exchange *from,
                              const tn_exchange *to)
{
    const tn_element_work *b = &sim->element_work;
    element_work_add(b, h, b->inside, b->now.work);
    element_work_add(b, h * w, from, b->now.work);
    element_work_add(b, h * w, to, b->now.work);
}

void tn_sim_element_work_step(tn_sim *sim, const double w[3])
{
    const tn_element_work *b = &sim->element_work;
    element_work_copy(b, b->kept.work, b->now.work);
    element_work_add(b, w[0], b->kept.begin, b->now.work);
    element_work_add(b, w[1], b->now.begin, b->now.work);
    element_work_add(b, w[2], b->now.end, b->now.work);
}

double tn_sim_largest_element_work(const tn_sim *sim)
{
    double most = 0.0;
    for (int k = 0; k < sim->element_work.busy; k++)
        most = fmax(most, fmax(fabs(sim->element_work.now.work[k].dissipated),
                               fabs(sim->element_work.now.work[k].supplied)));
    return most;
}

// Between the ends of a step without dense output, as the works of all are output there.
static void cut_by_cubic(tn_element_work *b, double s, double h)
{
    for (int k = 0; k < b->busy; k++) {
        const tn_exchange *w0 = &b->kept.work[k], *p0 = &b->now.begin[k], *p1 = &b->now.end[k];
        tn_exchange *w1 = &b->now.work[k];
        w1->dissipated =
            tn_hermite(s, h, w0->dissipated, w1->dissipated, p0->dissipated, p1->dissipated);
        w1->supplied = tn_hermite(s, h, w0->supplied, w1->supplied, p0->supplied, p1->supplied);
    }
}

void tn_sim_cut_element_work(tn_sim *sim, double s, double h)
{
    TN_ASSERT(s >= 0.0 && s <= 1.0 && h > 0.0);
    tn_element_work *b = &sim->element_work;
    if (b->busy == 0)
        return;
    if (!sim->step_works.known) {
        cut_by_cubic(b, s, h);
        return;
    }
    element_work_copy(b, b->kept.work, b->now.work);
    if (tn_sim_repeat_works(sim, s, h))
        element_work_add(b, h, b->inside, b->now.work);
}

// Recovered quantities ----------------------------------------------------------------------------

// Behind the elements: jumps of drives, of all together.
TN_GETTER(int, tn_sim_work_count, (const tn_sim *sim), sim, 0,
          sim->element_work.n > 0 ? sim->element_work.n + 1 : 0);

static void name_work(const tn_model *m, int element, tn_work *out)
{
    const int nforce = m->forces.count, joint = element - nforce;
    const tn_force_data *f = element < nforce ? &m->forces.at[element] : NULL;
    out->name = f ? f->name : joint < m->joints.count ? m->joints.at[joint].name : "";
    out->kind = f ? (f->applied ? "wrench" : f->ops->name)
                  : (joint < m->joints.count ? "drive" : "jumps of drives");
}

tn_status tn_sim_work(const tn_sim *sim, int element, tn_work *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, out);
    *out = (tn_work){.name = "", .kind = ""};
    TN_NEED_INDEX(element, tn_sim_work_count(sim), TN_ERR_USAGE);
    const double unit = tn_unit_energy(sim->start.sys->units);
    const tn_exchange jumps = {0.0, sim->sums.ledger.jumps};
    const tn_exchange work =
        element < sim->element_work.n ? sim->element_work.now.work[element] : jumps;
    const tn_contact *contact = tn_sim_contact_of(sim, element - sim->model->forces.count);
    name_work(sim->model, element, out);
    if (contact)
        out->kind = contact->slide >= 0 ? "contact" : "impact";
    out->dissipated = unit * (work.dissipated + (contact ? contact->loss : 0.0));
    out->supplied = unit * work.supplied;
    return TN_OK;
}
