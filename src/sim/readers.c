// SPDX-License-Identifier: MIT
//
// Readers of each option. Options that a method does not use are reported, as whoever states them
// expects something of them.

#include "integrator/integrator_list.h"
#include "sim/sim.h"
#include "start/method.h"
#include "text/table.h"

#include <string.h>

// Readers of options ------------------------------------------------------------------------------

static bool lists(const char *names, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = names; at && (at = strstr(at, name)); at += n)
        if ((at == names || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

bool tn_integrator_reads(const tn_integrator_ops *integrator, bool controlled, const char *option)
{
    const tn_option_names *r = &integrator->reads;
    return lists(r->any, option) || lists(controlled ? r->controlled : r->fixed, option);
}

bool tn_formulation_reads(const tn_formulation *formulation, const char *option)
{
    return lists(formulation->reads, option);
}

static bool integrator_reads(const tn_integrator_ops *integrator, const char *option)
{
    return tn_integrator_reads(integrator, false, option) ||
           tn_integrator_reads(integrator, true, option);
}

bool tn_method_may_read(const char *method, const tn_param *option)
{
    const tn_integrator_ops *i;
    const tn_formulation *f;
    tn_method_named(method, &i, &f);
    const bool by_integrator = !i || integrator_reads(i, option->name);
    const bool by_formulation = !f || tn_formulation_reads(f, option->name);
    switch ((tn_readers)option->readers) {
    case TN_READ_INTEGRATOR:
        return by_integrator;
    case TN_READ_FORMULATION:
        return by_formulation;
    case TN_READ_BOTH:
        return by_integrator && by_formulation;
    default:
        return true;
    }
}

// The one that a name states; NULL where auto chooses.
static const tn_integrator_ops *stated_integrator(const char *method)
{
    const tn_integrator_ops *integrator;
    const tn_formulation *ignored;
    tn_method_named(method ? method : "", &integrator, &ignored);
    return integrator;
}

// Returns true if auto, whose choice depends on the model, may take a method that reads the option.
static bool may_be_read(const tn_sim *sim, const tn_param *p)
{
    if (stated_integrator(sim->options.method))
        return false;
    for (int k = 0; tn_method_auto(k) && p->readers == TN_READ_INTEGRATOR; k++)
        if (integrator_reads(tn_method_auto(k), p->name))
            return true;
    return p->readers == TN_READ_PROJECTION;
}

static bool is_rotation(const tn_sim *sim, const char *name)
{
    return tn_sim_turns(sim) && !strcmp(sim->options.rotation, name);
}

static bool is_read(const tn_sim *sim, const tn_param *p)
{
    const tn_method *m = &sim->method;
    const tn_system *sys = sim->start.sys;
    const bool by_integrator = tn_integrator_reads(m->integrator, sim->options.adaptive, p->name);
    switch ((tn_readers)p->readers) {
    case TN_READ_ALWAYS:
        return true;
    case TN_READ_CONTROL:
        return sim->options.adaptive;
    case TN_READ_INTEGRATOR:
        return by_integrator;
    case TN_READ_FORMULATION:
        return tn_formulation_reads(m->formulation, p->name);
    case TN_READ_BOTH:
        return by_integrator && tn_formulation_reads(m->formulation, p->name);
    case TN_READ_PROJECTION:
        return m->project;
    case TN_READ_DRIFT:
        return sys->ng + sys->nn > 0 && !m->formulation->velocity;
    case TN_READ_TURNING:
        return tn_sim_turns(sim);
    case TN_READ_EULER:
        return is_rotation(sim, "euler");
    case TN_READ_QUATERNION:
        return is_rotation(sim, "quaternion") && m->integrator->needs & TN_VIEW_RESIDUAL;
    }
    return true;
}

// Sentences ---------------------------------------------------------------------------------------

typedef struct words {
    int count;
    char text[184];
} words;

// "galpha, hht"
static words readers_of(const tn_param *p, bool formulations)
{
    words w = {0};
    const char *name[32];
    for (int k = 0; !formulations && k < tn_integrator_count; k++)
        if (integrator_reads(tn_integrators[k], p->name))
            name[w.count++] = tn_integrators[k]->name;
    for (int k = 0; formulations && k < tn_formulation_count; k++)
        if (tn_formulation_reads(tn_formulations[k], p->name))
            name[w.count++] = tn_formulations[k]->name;
    tn_list_names(w.count, name, sizeof w.text, w.text);
    return w;
}

static void tell_readers(tn_sim *sim, const tn_param *p, bool formulations)
{
    const tn_integrator_ops *integrator = sim->method.integrator;
    const words w = readers_of(p, formulations);
    if (!formulations && integrator_reads(integrator, p->name))
        tn_notes_add(&sim->start.notes, "%s has no effect with %s: %s reads it with %s steps only",
                     p->name, sim->method.name, integrator->name,
                     sim->options.adaptive ? "fixed" : "error-controlled");
    else
        tn_notes_add(&sim->start.notes, "%s has no effect with %s: %s read%s it", p->name,
                     sim->method.name, w.text, w.count == 1 ? "s" : "");
}

static void tell_control(tn_sim *sim, const tn_param *p)
{
    const bool only = tn_integrator_is_fixed(sim->method.integrator);
    tn_notes_add(&sim->start.notes, "%s has no effect: steps are fixed at %g s%s", p->name,
                 sim->options.step,
                 only ? ", as the method asks for"
                 : sim->method.integrator->controlled
                     ? "; leave the step out or state adaptive: true"
                     : "; state adaptive: true to have errors control them");
}

static void tell_rotation(tn_sim *sim, const tn_param *p)
{
    const char *method = sim->method.name;
    tn_notes *notes = &sim->start.notes;
    if (!tn_sim_turns(sim))
        tn_notes_add(notes, "%s has no effect with %s: none of its coordinates is a rotation",
                     p->name, method);
    else if (p->readers == TN_READ_EULER)
        tn_notes_add(notes, "%s has no effect with %s: the rotation is %s, and euler reads it",
                     p->name, method, sim->options.rotation);
    else
        tn_notes_add(notes,
                     "%s has no effect with %s: bdf and radau5 read it with rotation: quaternion",
                     p->name, method);
}

static void tell_options(tn_sim *sim, const tn_param *p)
{
    const char *method = sim->method.name;
    tn_notes *notes = &sim->start.notes;
    switch ((tn_readers)p->readers) {
    case TN_READ_ALWAYS:
        return;
    case TN_READ_CONTROL:
        tell_control(sim, p);
        return;
    case TN_READ_INTEGRATOR:
    case TN_READ_FORMULATION:
        tell_readers(sim, p, p->readers == TN_READ_FORMULATION);
        return;
    case TN_READ_BOTH:
        tn_notes_add(notes, "%s has no effect with %s: %s read it with %s", p->name, method,
                     readers_of(p, false).text, readers_of(p, true).text);
        return;
    case TN_READ_PROJECTION:
        tn_notes_add(notes, "%s has no effect with %s: methods with +project read it", p->name,
                     method);
        return;
    case TN_READ_DRIFT:
        tn_notes_add(notes, "%s is of no use with %s: %s", p->name, method,
                     sim->method.formulation->velocity ? "it holds velocities on the constraints"
                                                       : "there are no constraints");
        return;
    case TN_READ_TURNING:
    case TN_READ_EULER:
    case TN_READ_QUATERNION:
        tell_rotation(sim, p);
        return;
    }
}

void tn_sim_note_unused(tn_sim *sim)
{
    if (!sim->method.integrator->needs)
        return; // there is nothing to step, for any method
    for (int k = 0; k < tn_simulate_param_count; k++) {
        const tn_param *p = &tn_simulate_params[k];
        if (sim->options.stated >> k & 1 && !is_read(sim, p) && !may_be_read(sim, p))
            tell_options(sim, p);
    }
}

// Options instead of those of a file --------------------------------------------------------------

static bool is_given(const bool *given, const char *name)
{
    for (int i = 0; i < tn_simulate_param_count; i++)
        if (strcmp(tn_simulate_params[i].name, name) == 0)
            return given[i];
    return false;
}

// The step of the file belongs to the method of the file, and so do its control and what it states.
static void leave_method(tn_sim_options *options, const char *method, const bool *given)
{
    const tn_integrator_ops *integrator = stated_integrator(method);
    const bool controls_error = !integrator || integrator->controlled; // auto may choose one
    if (!is_given(given, "step") && !is_given(given, "adaptive") && controls_error)
        options->step = 0.0;
    if (!is_given(given, "adaptive") && integrator && tn_integrator_is_fixed(integrator))
        options->adaptive = false;
    tn_options_forget(options);
}

tn_status tn_simulate_override(tn_simulate *simulate, const tn_simulate *values, const bool *given)
{
    TN_NEED_ALL(TN_ERR_USAGE, simulate, values, given);
    if (is_given(given, "method") && values->options.method)
        leave_method(&simulate->options, values->options.method, given);
    for (int i = 0; i < tn_simulate_param_count; i++) {
        const tn_param *p = &tn_simulate_params[i];
        if (!given[i])
            continue;
        void *to = (char *)simulate + p->offset, *from = (char *)values + p->offset;
        memcpy(to, from, tn_param_size(p->type));
        if (p->type == TN_PARAM_NUMBERS)
            *tn_param_pointers(to) = *tn_param_pointers(from);
        tn_options_state(&simulate->options, i, false);
    }
    return TN_OK;
}
