// SPDX-License-Identifier: MIT
//
// Integrators, formulations, rotations and coordinates as read-only lists; see tenon/help.h.

#include "base/status.h"
#include "integrator/integrator.h"
#include "start/method.h"
#include "start/start.h"
#include "tenon/help.h"

static bool is_integrator(int i)
{
    return i >= 0 && i < tn_integrator_count;
}

bool tn_help_integrator(int i, tn_integrator_info *out)
{
    TN_NEED(out, false);
    if (!is_integrator(i))
        return false;
    const tn_integrator_ops *ops = tn_integrators[i];
    *out = (tn_integrator_info){
        .name = ops->name,
        .text = ops->text,
        .source = ops->source,
        .order = ops->order,
        .controlled = ops->controlled,
        .fixed = tn_integrator_is_fixed(ops),
    };
    return true;
}

bool tn_help_formulation(int i, tn_formulation_info *out)
{
    TN_NEED(out, false);
    if (i < 0 || i >= tn_formulation_count)
        return false;
    const tn_formulation *f = tn_formulations[i];
    *out = (tn_formulation_info){f->name, f->text, f->source, f->index, f->projects};
    return true;
}

bool tn_help_alias(int i, tn_alias_info *out)
{
    TN_NEED(out, false);
    if (i < 0 || i >= tn_formulation_alias_count)
        return false;
    const tn_formulation_alias *a = &tn_formulation_aliases[i];
    *out = (tn_alias_info){a->name, a->of->name, a->text, a->source, 0};
    while (tn_formulations[out->formulation] != a->of)
        out->formulation++;
    return true;
}

// Methods on the group itself know nothing of linear coordinates, methods of many steps need the
// same linear coordinates in all of them.
static const struct {
    tn_choice_info info;
    bool linear;
} rotations[] = {
    {{"so3", "positions and rotations apart, on the group R^3 x SO(3)"}, false},
    {{"se3", "positions and rotations as one motion, on the group SE(3)"}, false},
    {{"quaternion", "unit quaternions in the linear space R^4"}, true},
    {{"euler", "three angles; the sequence of axes is changed near its singularity"}, true},
};

bool tn_help_rotation(int i, tn_choice_info *out)
{
    TN_NEED(out, false);
    if (i < 0 || i >= TN_COUNT(rotations))
        return false;
    *out = rotations[i].info;
    return true;
}

bool tn_help_coordinates(int i, tn_choice_info *out)
{
    TN_NEED(out, false);
    const tn_coordinates *at = tn_coordinates_at(i);
    if (at)
        *out = (tn_choice_info){at->name, at->text};
    return at;
}

bool tn_help_pairs(int integrator, int formulation)
{
    return is_integrator(integrator) && formulation >= 0 && formulation < tn_formulation_count &&
           tn_pairing_is_legal(tn_integrators[integrator], tn_formulations[formulation]);
}

bool tn_help_rotates(int integrator, int rotation)
{
    return is_integrator(integrator) && rotation >= 0 && rotation < TN_COUNT(rotations) &&
           tn_integrator_takes_rotations(tn_integrators[integrator], rotations[rotation].linear);
}

const tn_param *tn_help_option(int i)
{
    return i >= 0 && i < tn_simulate_param_count ? &tn_simulate_params[i] : NULL;
}
