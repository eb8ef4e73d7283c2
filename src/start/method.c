// SPDX-License-Identifier: MIT
//
// Reads a method from its name, or chooses one; see method.h.

#include "start/method.h"

#include "coords/joint_coords.h"
#include "formulation/ode_ops.h"
#include "start/stiffness.h"
#include "system/absolute.h"
#include "text/table.h"

#include <stdio.h>
#include <string.h>

static tn_status take_integrator(const char *name, tn_method *out)
{
    const char *known[32];
    for (int k = 0; k < tn_integrator_count; k++)
        known[k] = tn_integrators[k]->name;
    out->integrator = tn_find_integrator(name);
    return out->integrator ? TN_OK
                           : tn_fail_unknown("integrator", name, tn_integrator_count, known);
}

static tn_status take_projection(const char *suffix, tn_method *out)
{
    if (strcmp(suffix, "project"))
        return tn_fail(TN_ERR_USAGE,
                       "unknown addition '+%s' to formulation '%s'; known is +project", suffix,
                       out->formulation->name);
    if (!out->formulation->projects)
        return tn_fail(
            TN_ERR_PAIRING,
            "formulation '%s' does not take +project: it does not drift, or a projection "
            "would disturb its multipliers; leave it out",
            out->formulation->name);
    out->project = true;
    return TN_OK;
}

static tn_status take_formulation(char *name, tn_method *out)
{
    const char *known[32];
    char *plus = strchr(name, '+');
    if (plus)
        *plus = '\0';
    int n = 0;
    for (int k = 0; k < tn_formulation_count; k++)
        known[n++] = tn_formulations[k]->name;
    for (int k = 0; k < tn_formulation_alias_count; k++)
        known[n++] = tn_formulation_aliases[k].name;
    const tn_formulation_alias *alias = tn_find_alias(name);
    out->formulation = tn_find_formulation(name);
    out->called = alias ? alias->name : NULL;
    out->project = false;
    if (!out->formulation)
        return tn_fail_unknown("formulation", name, n, known);
    return plus ? take_projection(plus + 1, out) : TN_OK;
}

static tn_status take_coordinates(const char *name, tn_start *start, const tn_sim_options *options)
{
    const char *own[] = {start->sys->ops->coordinates};
    const tn_coordinates *to = tn_find_coordinates(name);
    if (!strcmp(name, own[0]))
        return TN_OK;
    if (start->from_callbacks)
        return tn_fail_unknown("coordinates", name, 1, own);
    if (!to)
        return tn_unknown_coordinates(name);
    return tn_start_to(start, to, options);
}

// Splits "a/b@c" in place; absent parts are empty.
static void split_method(char *text, char **integrator, char **formulation, char **coordinates)
{
    static char empty[1] = "";
    char *at = strchr(text, '@'), *slash = strchr(text, '/');
    *integrator = text;
    *formulation = slash ? slash + 1 : empty;
    *coordinates = at ? at + 1 : empty;
    if (slash)
        *slash = '\0';
    if (at)
        *at = '\0';
}

enum { METHOD_SIZE = 96 };

static tn_status copy_name(const char *text, char copy[METHOD_SIZE])
{
    if (strlen(text) >= METHOD_SIZE)
        return tn_fail(TN_ERR_USAGE, "the method name is too long: %.40s…", text);
    strcpy(copy, text);
    return TN_OK;
}

void tn_method_named(const char *text, const tn_integrator_ops **integrator,
                     const tn_formulation **formulation)
{
    char copy[METHOD_SIZE], *first, *second, *ignored;
    snprintf(copy, sizeof copy, "%s", text);
    split_method(copy, &first, &second, &ignored);
    char *plus = strchr(second, '+');
    if (plus)
        *plus = '\0';
    *integrator = tn_find_integrator(first);
    *formulation = tn_find_formulation(second);
}

const tn_coordinates *tn_method_coordinates(const char *text)
{
    const char *at = text ? strchr(text, '@') : NULL;
    return at ? tn_find_coordinates(at + 1) : NULL;
}

// All that auto chooses from.
typedef enum choice { GALPHA, RADAU5, HERK5, DOP853, CHOICES } choice;
static const struct {
    const char *integrator, *formulation;
} choices[CHOICES] = {
    [GALPHA] = {"galpha", "ggl"},
    [RADAU5] = {"radau5", "ggl"},
    [HERK5] = {"herk5", "index2"},
    [DOP853] = {"dop853", "index1"},
};

const tn_integrator_ops *tn_method_auto(int k)
{
    return k < CHOICES ? tn_find_integrator(choices[k].integrator) : NULL;
}

static void take_method(tn_method *out, choice which, bool project)
{
    TN_ASSERT(which >= 0 && which < CHOICES);
    out->integrator = tn_find_integrator(choices[which].integrator);
    out->formulation = tn_find_formulation(choices[which].formulation);
    out->project = project;
}

// Rates above which an explicit method would be held back by stability: measured in those of the
// motion, with room for a motion that has not yet begun.
static const double STIFF_DECAY = 100.0, STIFF_FREQUENCY = 300.0;
// From here on the complex factorisations of radau5 cost more than its larger steps save.
static const int LARGE = 3000;

// Joint coordinates have fewer unknowns: for small mechanisms they are the better choice, and for
// large ones where an estimate of cost says so.
static const int SMALL = 60;     // unknowns, rows included
static const double FEW = 0.1;   // rows per velocity
static const int IMPLICIT = 200; // velocities up to which full matrices are worth factoring

// Nodes of beams are free bodies that force elements hold together: no joint carries them, and
// their matrices are banded in absolute coordinates and full in joint ones. Up to so many it
// matters little.
static const int FEW_NODES = 4;

// A large mesh of loops, where coordinates are not stated. Where such a mesh goes flat dop853
// creeps along at tight tolerances; herk5 steps over that, at the same cost
// (docs/theory/singular_positions.md).
static bool has_many_loops(const tn_start *start)
{
    int nv, ng;
    bool local;
    if (start->from_callbacks || start->world)
        return false;
    return tn_joint_coords_size(start->sys, &nv, &ng, &local) == TN_OK && nv + ng > SMALL &&
           ng > FEW * nv;
}

static bool suits_joint(const tn_start *start, const tn_sim_options *options, bool implicit,
                        bool many)
{
    int nv, ng;
    bool local;
    tn_joint_coords_cost cost;
    if (start->from_callbacks || (options->rotation && !strcmp(options->rotation, "se3")) ||
        tn_absolute_spread_name(start->sys) || tn_absolute_modal_name(start->sys))
        return false;
    tn_joint_coords_by_recursion(start->sys, !implicit && !many && start->sys->nmassless == 0);
    if (tn_joint_coords_size(start->sys, &nv, &ng, &local) != TN_OK || nv == 0)
        return false;
    if (implicit && nv > IMPLICIT && ng == 0 && !local)
        return false;
    // Fast motions without inertia get lost in the round-off of M where bodies with mass share
    // their coordinates (docs/theory/massless.md).
    if (start->sys->nmassless > 0 && implicit)
        return false;
    if (nv + ng <= SMALL || ng == 0)
        return true;
    return tn_joint_coords_estimate(start->sys, &cost) == TN_OK && cost.joint < cost.absolute;
}

// Accelerations with eight digits: far below that their noise rules the steps of methods that
// integrate them (3400 instead of 380 on a double pendulum of 10 m at 1e-11). Above it herk5, which
// has no gamma in its steps, takes four times as many steps as dop853.
static const double NOISY_GAMMA_TOL = 1e-9;

static void avoid_noise(const tn_system *sys, const tn_sim_options *options, tn_method *out)
{
    const bool noisy = sys->noisy_gamma && options->rtol + options->atol < NOISY_GAMMA_TOL;
    if (!noisy || strcmp(out->integrator->name, choices[DOP853].integrator))
        return;
    take_method(out, HERK5, true);
    snprintf(out->why, sizeof out->why,
             "chosen: not stiff; gamma by differences is too noisy for these tolerances, and steps "
             "of herk5 do without");
}

// Frequencies of beams that nothing damps rule all steps under error control: then those of galpha
// cost least (10 elements over 0.2 s at 1e-6: 1.7 s, radau5 4.5 s, bdf more than 20 s). With
// damping they die out, and radau5 has a tenth of the steps. The factors of chains are sparse
// at all sizes.
static void choose_for_beams(const tn_stiffness *s, tn_method *out)
{
    const bool damped = s->decay > s->frequency;
    take_method(out, damped ? RADAU5 : GALPHA, false);
    snprintf(out->why, sizeof out->why,
             "chosen: a beam, %s (decay up to %.3g 1/s, frequencies up to %.3g rad/s, motion %.3g "
             "1/s)",
             damped ? "damped" : "whose vibrations nothing damps", s->decay, s->frequency,
             s->motion);
}

static tn_status finish_method(tn_method *out)
{
    TN_TRY(tn_pairing_check(out->integrator, out->formulation));
    snprintf(out->name, sizeof out->name, "%s/%s%s@%s", out->integrator->name,
             out->called ? out->called : out->formulation->name, out->project ? "+project" : "",
             out->coordinates);
    return TN_OK;
}

bool tn_method_next(tn_method *method, const tn_system *sys)
{
    static const choice next[] = {HERK5, DOP853, RADAU5};
    for (int k = 0; method->chosen && k + 1 < TN_COUNT(next); k++) {
        const char *refuses = choices[next[k]].integrator;
        if (strcmp(method->integrator->name, refuses))
            continue;
        take_method(method, next[k + 1], next[k + 1] == DOP853 && sys->ng + sys->nn > 0);
        snprintf(method->why, sizeof method->why, "chosen: the next best, as %s refuses this model",
                 refuses);
        return finish_method(method) == TN_OK;
    }
    return false;
}

// The choice: by a fixed step, by forces that need an implicit method, by stiffness, by
// constraints. Without stated coordinates it also chooses them.
static tn_status choose_method(tn_start *start, const tn_sim_options *options, bool any,
                               bool slender, tn_method *out)
{
    tn_stiffness s;
    const bool fixed = options->step > 0.0 && !options->adaptive;
    if (!fixed)
        TN_TRY(tn_stiffness_find(start, &s));
    const bool stiff = !fixed && (options->stiff || s.decay > STIFF_DECAY * s.motion ||
                                  s.frequency > STIFF_FREQUENCY * s.motion);
    const bool implicit = fixed || stiff || start->sys->force_uses_lambda;
    const bool many = !start->sys->bent_row && has_many_loops(start); // herk5
    if (any && !slender && suits_joint(start, options, implicit, many))
        TN_TRY(take_coordinates("joint", start, options));
    const tn_system *sys = start->sys;
    const bool constrained = sys->ng + sys->nn > 0;
    if (fixed) {
        take_method(out, GALPHA, false);
        snprintf(out->why, sizeof out->why,
                 "chosen for a fixed step: %sof second order, damps stiff parts",
                 constrained ? "ggl holds g and B v at round-off, generalized-alpha is " : "");
        return TN_OK;
    }
    if (stiff && slender) {
        choose_for_beams(&s, out);
        return TN_OK;
    }
    if (implicit) {
        const bool large = sys->nv > LARGE;
        take_method(out, large ? GALPHA : RADAU5, false);
        if (stiff)
            snprintf(out->why, sizeof out->why,
                     "chosen: stiff (decay up to %.3g 1/s, frequencies up to %.3g rad/s, motion "
                     "%.3g 1/s)%s",
                     s.decay, s.frequency, s.motion, large ? " and large" : "");
        else
            snprintf(out->why, sizeof out->why,
                     "chosen: forces depend on constraint forces, as friction does, which is often "
                     "stiff near rest");
        return TN_OK;
    }
    if (many) {
        take_method(out, HERK5, true);
        snprintf(out->why, sizeof out->why,
                 "chosen: not stiff (decay %.3g 1/s, frequencies %.3g rad/s); many closed loops, "
                 "whose singular positions it steps over at all tolerances",
                 s.decay, s.frequency);
        return TN_OK;
    }
    take_method(out, DOP853, constrained);
    snprintf(out->why, sizeof out->why,
             "chosen: %snot stiff (decay %.3g 1/s, frequencies %.3g rad/s); explicit of order 8%s",
             constrained           ? ""
             : sys->ops->recursive ? "joint coordinates leave no constraints, "
                                   : "no constraints, ",
             s.decay, s.frequency, constrained ? ", drift removed by projection" : "");
    return TN_OK;
}

// The formulation that goes with an integrator where only that is named: the best that it can use.
static void suit(const tn_system *sys, tn_method *out)
{
    static const char *const best[] = {"ggl", "index1", "index2", "index3", "multiplier"};
    for (int k = 0; k < TN_COUNT(best); k++) {
        const tn_formulation *f = tn_find_formulation(best[k]);
        if (f && tn_pairing_is_legal(out->integrator, f)) {
            out->formulation = f;
            out->project = f->projects && sys->ng + sys->nn > 0;
            return;
        }
    }
}

// Directors where coordinates are not stated and the integrator takes no rotations: they are linear
// for every model, and have all that discrete principles ask for.
static tn_status suit_coordinates(tn_start *start, const tn_sim_options *options, tn_method *out)
{
    if (!out->integrator->linear_only || start->from_callbacks)
        return TN_OK;
    snprintf(out->why, sizeof out->why, "as asked for, in directors, as it takes no rotations");
    return take_coordinates("director", start, options);
}

tn_status tn_method_check(const char *text)
{
    char copy[METHOD_SIZE];
    char *integrator, *formulation, *coordinates;
    tn_method named = {0};
    TN_TRY(copy_name(text, copy));
    split_method(copy, &integrator, &formulation, &coordinates);
    if (coordinates[0] && !tn_find_coordinates(coordinates))
        return tn_unknown_coordinates(coordinates);
    if (integrator[0] && strcmp(integrator, "auto"))
        TN_TRY(take_integrator(integrator, &named));
    if (formulation[0])
        TN_TRY(take_formulation(formulation, &named));
    const bool both = named.integrator && named.formulation;
    return both ? tn_pairing_check(named.integrator, named.formulation) : TN_OK;
}

// Returns true if a method needs no matrices in joint coordinates; false if it is not known.
static bool goes_by_recursion(const tn_start *start, const char *integrator,
                              const char *formulation)
{
    const unsigned matrices = TN_VIEW_STEP | TN_VIEW_RESIDUAL | TN_VIEW_BLOCKS;
    const tn_integrator_ops *by = tn_find_integrator(integrator);
    char name[METHOD_SIZE];
    snprintf(name, sizeof name, "%s", formulation[0] ? formulation : "index1");
    name[strcspn(name, "+")] = '\0';
    const tn_formulation *f = tn_find_formulation(name);
    return by && !(by->needs & matrices) && f && f->ode && f->ode->recursive &&
           start->sys->nmassless == 0;
}

tn_status tn_method_parse(const char *text, tn_start *start, const tn_sim_options *options,
                          int beam_nodes, tn_method *out)
{
    char copy[METHOD_SIZE];
    char *integrator, *formulation, *coordinates;
    *out = (tn_method){0};
    TN_TRY(copy_name(text && text[0] ? text : "auto", copy));
    split_method(copy, &integrator, &formulation, &coordinates);
    if (coordinates[0]) {
        if (!start->from_callbacks)
            tn_joint_coords_by_recursion(start->sys,
                                         goes_by_recursion(start, integrator, formulation));
        TN_TRY(take_coordinates(coordinates, start, options));
    }
    if (integrator[0] && strcmp(integrator, "auto")) {
        TN_TRY(take_integrator(integrator, out));
        suit(start->sys, out);
        snprintf(out->why, sizeof out->why, "as asked for");
        if (!coordinates[0])
            TN_TRY(suit_coordinates(start, options, out));
    } else {
        TN_TRY(choose_method(start, options, !coordinates[0], beam_nodes > FEW_NODES, out));
        if (!formulation[0])
            avoid_noise(start->sys, options, out);
        if (options->stiff)
            snprintf(out->why, sizeof out->why, "%s", options->stiff);
        out->chosen = !formulation[0];
    }
    if (formulation[0])
        TN_TRY(take_formulation(formulation, out));
    out->coordinates = start->sys->ops->coordinates;
    return finish_method(out);
}
