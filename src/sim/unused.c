// SPDX-License-Identifier: MIT
//
// Options that a method makes no use of are told, as whoever states them expects something of them.

#include "sim/sim.h"

#include <string.h>

static bool is_stated(const char *value, const char *usual)
{
    return value && strcmp(value, usual) != 0;
}

// The formulations that take their free directions from a basis of choice.
static bool uses_nullspace(const tn_formulation *f)
{
    static const char *const by_basis[] = {"nullspace", "maggi", "projective", "phase-space"};
    for (int k = 0; k < TN_COUNT(by_basis); k++)
        if (!strcmp(f->name, by_basis[k]))
            return true;
    return false;
}

static bool uses_quaternions(const tn_sim *sim)
{
    return sim->method.integrator->needs & TN_VIEW_RESIDUAL &&
           !strcmp(sim->options.rotation, "quaternion");
}

static bool states_kinds(const tn_sim_options *o)
{
    return o->atol_length + o->atol_angle + o->atol_speed + o->atol_rate > 0.0;
}

void tn_sim_note_unused(tn_sim *sim)
{
    const tn_sim_options *o = &sim->options, usual = tn_default_sim();
    tn_notes *notes = &sim->start.notes;
    if (!o->adaptive && (o->rtol != usual.rtol || o->atol != usual.atol || states_kinds(o)))
        tn_notes_add(notes,
                     "rtol and atol have no effect: steps are fixed at %g s; leave the step out or "
                     "state adaptive: true",
                     o->step);
    if (is_stated(o->nullspace, usual.nullspace) && !uses_nullspace(sim->method.formulation))
        tn_notes_add(
            notes,
            "nullspace: %s has no effect on %s; it is for nullspace, maggi, projective and "
            "phase-space",
            o->nullspace, sim->method.name);
    if (is_stated(o->quaternion_norm, usual.quaternion_norm) && !uses_quaternions(sim))
        tn_notes_add(notes,
                     "quaternion_norm: %s has no effect on %s; it is for bdf and radau5 with "
                     "rotation: quaternion",
                     o->quaternion_norm, sim->method.name);
}
