// SPDX-License-Identifier: MIT
//
// The options of a simulation, each with who reads it. Options that a method makes no use of are
// told, as whoever states them expects something of them.

#include "sim/options.h"

#include "base/table.h"
#include "integrator/integrator_list.h"
#include "sim/method.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

static const char *const rotations[] = {"auto", "so3", "se3", "quaternion", "euler", NULL};
static const char *const bases[] = {"auto", "lu", "qr", "svd", "gram-schmidt", "natural", NULL};
static const char *const sequences[] = {"auto", "xyx", "xyz", "xzx", "xzy", "yxy", "yxz",
                                        "yzx",  "yzy", "zxy", "zxz", "zyx", "zyz", NULL};
static const char *const norms[] = {"renormalise", "multipliers", NULL};

#define OPTION(member, kind, ...)                                                                  \
    {                                                                                              \
        .name = #member, .type = TN_PARAM_##kind, .offset = offsetof(tn_simulate, options.member), \
        __VA_ARGS__                                                                                \
    }

// Ranges hold for what a file states, not for defaults.
const tn_param tn_simulate_params[] = {
    OPTION(method, TEXT, .readers = TN_READ_ALWAYS, .unit = "",
           .text = "integrator/formulation@coordinates, parts may be left out; or auto"),
    OPTION(rotation, TEXT, .readers = TN_READ_TURNING, .unit = "", .choices = rotations,
           .text =
               "how rotations are stepped: on the group so3 or se3, or in the linear coordinates "
               "quaternion or euler; auto lets the method choose"),
    OPTION(t_start, NUMBER, .readers = TN_READ_ALWAYS, .unit = "s", .text = "time of the start"),
    {.name = "t_end",
     .readers = TN_READ_ALWAYS,
     .type = TN_PARAM_NUMBER,
     .unit = "s",
     .text = "time of the end",
     .offset = offsetof(tn_simulate, t_end)},
    OPTION(step, NUMBER, .readers = TN_READ_ALWAYS, .unit = "s", .range = TN_NONNEGATIVE,
           .text =
               "fixed step, or first step of an error-controlled run; 0 lets the method choose"),
    OPTION(adaptive, BOOL, .readers = TN_READ_ALWAYS, .unit = "", .text = "error-controlled step"),
    OPTION(rtol, NUMBER, .readers = TN_READ_CONTROL, .unit = "", .range = TN_POSITIVE,
           .text = "relative tolerance of the error-controlled step"),
    OPTION(atol, NUMBER, .readers = TN_READ_CONTROL, .unit = "", .range = TN_POSITIVE,
           .text = "absolute tolerance of the error-controlled step, as a part of the size of the "
                   "model, of 1 rad, and of speeds that go with these"),
    OPTION(atol_length, NUMBER, .readers = TN_READ_CONTROL, .unit = "m", .range = TN_NONNEGATIVE,
           .text = "absolute tolerance of lengths, in place of atol; 0 for that"),
    OPTION(atol_angle, NUMBER, .readers = TN_READ_CONTROL, .unit = "rad", .range = TN_NONNEGATIVE,
           .text = "absolute tolerance of angles, in place of atol; 0 for that"),
    OPTION(atol_speed, NUMBER, .readers = TN_READ_CONTROL, .unit = "m/s", .range = TN_NONNEGATIVE,
           .text = "absolute tolerance of speeds, in place of atol; 0 for that"),
    OPTION(atol_rate, NUMBER, .readers = TN_READ_CONTROL, .unit = "rad/s", .range = TN_NONNEGATIVE,
           .text = "absolute tolerance of angular rates, in place of atol; 0 for that"),
    OPTION(step_min, NUMBER, .readers = TN_READ_CONTROL, .unit = "s", .range = TN_NONNEGATIVE,
           .text = "smallest error-controlled step; 0 for no bound"),
    OPTION(step_max, NUMBER, .readers = TN_READ_CONTROL, .unit = "s", .range = TN_NONNEGATIVE,
           .text = "largest error-controlled step; 0 for no bound"),
    OPTION(rho_inf, NUMBER, .readers = TN_READ_INTEGRATOR, .unit = "", .range = TN_UNIT_INTERVAL,
           .text = "galpha: spectral radius at infinite frequency, 1 for no damping"),
    OPTION(hht_alpha, NUMBER, .readers = TN_READ_INTEGRATOR, .unit = "",
           .text = "hht: alpha, from -1/3 to 0 for no damping"),
    OPTION(newton_tol, NUMBER, .readers = TN_READ_INTEGRATOR, .unit = "", .range = TN_POSITIVE,
           .text = "relative tolerance of the corrector iteration, but for energy-momentum, which "
                   "goes on to round-off"),
    OPTION(newton_max, INTEGER, .readers = TN_READ_INTEGRATOR, .unit = "", .range = TN_AT_LEAST_ONE,
           .text = "iterations before a step is given up"),
    OPTION(jacobian_every, INTEGER, .readers = TN_READ_INTEGRATOR, .unit = "",
           .range = TN_NONNEGATIVE,
           .text = "1: fresh tangent in each iteration; 0: reuse while it converges well"),
    OPTION(corrected_start, BOOL, .readers = TN_READ_BOTH, .unit = "",
           .text = "index3: start velocity corrected to second order in the multipliers"),
    {.name = "project_times",
     .readers = TN_READ_DRIFT,
     .type = TN_PARAM_NUMBERS,
     .unit = "s",
     .text = "times, increasing, at which velocities are projected onto the constraints",
     .offset = offsetof(tn_simulate, options.nproject)},
    OPTION(assembly_tol, NUMBER, .readers = TN_READ_ALWAYS, .unit = "rad", .range = TN_POSITIVE,
           .text = "how far apart joints may be after assembly; lengths count in sizes of the "
                   "model"),
    OPTION(dependence_tol, NUMBER, .readers = TN_READ_ALWAYS, .unit = "rad", .range = TN_POSITIVE,
           .text =
               "constraints that repeat others but for this much count as redundant, and may be "
               "off by a few times that on the way"),
    OPTION(massless_tol, NUMBER, .readers = TN_READ_ALWAYS, .unit = "", .range = TN_NONNEGATIVE,
           .text = "masses and moments of inertia up to this part of the largest that joints "
                   "connect with them count as none"),
    OPTION(project_tol, NUMBER, .readers = TN_READ_PROJECTION, .unit = "rad", .range = TN_POSITIVE,
           .text = "+project: residual of constraints above which q and v are projected; lengths "
                   "count in sizes of the model"),
    OPTION(baumgarte_alpha, NUMBER, .readers = TN_READ_FORMULATION, .unit = "1/s",
           .range = TN_NONNEGATIVE,
           .text =
               "baumgarte: half the weight of the velocity residual; 0 for both: by the pace of "
               "the motion, 20 1/s for a metre under gravity"),
    OPTION(baumgarte_beta, NUMBER, .readers = TN_READ_FORMULATION, .unit = "1/s",
           .range = TN_NONNEGATIVE,
           .text = "baumgarte: root of the weight of the position residual"),
    OPTION(baumgarte_c, NUMBER, .readers = TN_READ_FORMULATION, .unit = "", .range = TN_POSITIVE,
           .text = "baumgarte2: C of the weight C/h of the position residual"),
    OPTION(nullspace, TEXT, .readers = TN_READ_FORMULATION, .unit = "", .choices = bases,
           .text =
               "basis of the free directions, for nullspace, maggi, projective and phase-space"),
    OPTION(euler_sequence, TEXT, .readers = TN_READ_EULER, .unit = "", .choices = sequences,
           .text = "axes of the Euler angles, intrinsic; left near its singularity"),
    OPTION(quaternion_norm, TEXT, .readers = TN_READ_QUATERNION, .unit = "", .choices = norms,
           .text = "how quaternions stay of unit length"),
    OPTION(kappa, NUMBER, .readers = TN_READ_INTEGRATOR, .unit = "", .range = TN_NONNEGATIVE,
           .text = "radau5, bdf: tolerance of the corrector as a part of that of the step; 0 for "
                   "the method's own"),
    OPTION(max_order, INTEGER, .readers = TN_READ_INTEGRATOR, .unit = "", .range = TN_NONNEGATIVE,
           .text =
               "bdf, adams: largest order, of fixed-step bdf the order; 0 for the method's own"),
    OPTION(bounds, TEXT, .readers = TN_READ_ALWAYS, .unit = "",
           .text = "bounds of the verdict by name, 'energy<1e-2,g<1e-6', in place of the defaults"),
    {.name = "output",
     .readers = TN_READ_ALWAYS,
     .type = TN_PARAM_NUMBER,
     .unit = "s",
     .range = TN_NONNEGATIVE,
     .text = "interval of stored rows, by dense output between steps; 0 stores every step",
     .offset = offsetof(tn_simulate, output)},
};
const int tn_simulate_param_count = TN_COUNT(tn_simulate_params);

tn_simulate tn_default_simulate(void)
{
    return (tn_simulate){.options = tn_default_sim(), .t_end = 1.0, .output = 0.0};
}

// Who reads what ----------------------------------------------------------------------------------

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

// What auto takes depends on the model: an option is of use where it may take what reads it.
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

static void tell_integrator(tn_sim *sim, const tn_param *p)
{
    const tn_integrator_ops *integrator = sim->method.integrator;
    const words w = readers_of(p, false);
    if (integrator_reads(integrator, p->name))
        tn_notes_add(&sim->start.notes, "%s has no effect with %s: %s reads it with %s steps only",
                     p->name, sim->method.name, integrator->name,
                     sim->options.adaptive ? "fixed" : "error-controlled");
    else
        tn_notes_add(&sim->start.notes, "%s has no effect with %s: %s read%s it", p->name,
                     sim->method.name, w.text, w.count == 1 ? "s" : "");
}

static void tell_formulation(tn_sim *sim, const tn_param *p)
{
    const words w = readers_of(p, true);
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
        tell_integrator(sim, p);
        return;
    case TN_READ_FORMULATION:
        tell_formulation(sim, p);
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

// What is stated ----------------------------------------------------------------------------------

static const unsigned long long KNOWN = 1ull << 63;

void tn_options_state(tn_sim_options *options, int param)
{
    options->stated |= KNOWN | 1ull << param;
}

void tn_options_forget(tn_sim_options *options)
{
    options->stated = KNOWN;
}

static bool differs(const tn_param *p, const tn_sim_options *a, const tn_sim_options *b)
{
    const char *x = (const char *)a + p->offset, *y = (const char *)b + p->offset;
    const char *text[2];
    switch (p->type) {
    case TN_PARAM_NUMBER:
        return memcmp(x, y, sizeof(double)) != 0;
    case TN_PARAM_INTEGER:
    case TN_PARAM_NUMBERS: // their count
        return memcmp(x, y, sizeof(int)) != 0;
    case TN_PARAM_BOOL:
        return *(const bool *)x != *(const bool *)y;
    case TN_PARAM_TEXT:
        memcpy(&text[0], x, sizeof text[0]);
        memcpy(&text[1], y, sizeof text[1]);
        return text[0] && text[1] && strcmp(text[0], text[1]) != 0;
    default:
        return false;
    }
}

// Callers in C state what is not as tn_default_sim gives it.
unsigned long long tn_options_stated(const tn_sim_options *options)
{
    const tn_sim_options usual = tn_default_sim();
    unsigned long long stated = 0;
    for (int k = 0; k < tn_simulate_param_count; k++)
        if (tn_simulate_params[k].offset < sizeof usual &&
            differs(&tn_simulate_params[k], options, &usual))
            stated |= 1ull << k;
    return options->stated & KNOWN ? options->stated : stated;
}

void tn_sim_note_unused(tn_sim *sim)
{
    if (sim->method.integrator == &tn_integrator_rest)
        return; // there is nothing to step, for any method
    for (int k = 0; k < tn_simulate_param_count; k++) {
        const tn_param *p = &tn_simulate_params[k];
        if (sim->options.stated >> k & 1 && !is_read(sim, p) && !may_be_read(sim, p))
            tell_options(sim, p);
    }
}

// Options instead of those of a file --------------------------------------------------------------

static size_t value_size(tn_param_type type)
{
    switch (type) {
    case TN_PARAM_BOOL:
        return sizeof(bool);
    case TN_PARAM_INTEGER:
    case TN_PARAM_NUMBERS: // how many there are; the pointer stands apart
        return sizeof(int);
    case TN_PARAM_NUMBER:
        return sizeof(double);
    case TN_PARAM_TEXT:
        return sizeof(const char *);
    default:
        return 0;
    }
}

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
    TN_NEED(simulate, TN_ERR_USAGE);
    TN_NEED(values, TN_ERR_USAGE);
    TN_NEED(given, TN_ERR_USAGE);
    if (is_given(given, "method") && values->options.method)
        leave_method(&simulate->options, values->options.method, given);
    for (int i = 0; i < tn_simulate_param_count; i++) {
        const tn_param *p = &tn_simulate_params[i];
        if (!given[i])
            continue;
        void *to = (char *)simulate + p->offset, *from = (char *)values + p->offset;
        memcpy(to, from, value_size(p->type));
        if (p->type == TN_PARAM_NUMBERS)
            *tn_param_pointers(to) = *tn_param_pointers(from);
        tn_options_state(&simulate->options, i);
    }
    return TN_OK;
}
