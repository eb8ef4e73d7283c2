// SPDX-License-Identifier: MIT
//
// Contact: a plane, sphere or capsule of body A stays in touch with one of body B (solid.h).

#include "contact/profile_params.h"
#include "contact/solid.h"
#include "model/joint.h"

static const tn_param contact_params[] = {
    TN_SOLID_PARAMS(tn_joint_def, contact.solids),
    TN_LIFT_OFF_PARAM,
};

static tn_status contact_link(const tn_model *model, const tn_joint_def *def, const char *what)
{
    return tn_solids_check(model, def, &def->contact.solids, what);
}

const tn_joint_ops tn_joint_contact = {
    .name = "contact",
    .text = "keeps a plane, sphere or capsule of body A in touch with one of body B",
    TN_TOUCH_ROWS,
    .rubs = true,
    TN_PARAMS(contact_params),
    .link = contact_link,
    .shapes = &tn_solid_touch,
};
