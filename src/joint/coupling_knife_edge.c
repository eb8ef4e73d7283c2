// SPDX-License-Identifier: MIT
//
// Knife edge: the origin of frame B is the point of a blade along x of that frame. It stays in the
// x, y plane of frame A, and slides there along the blade alone: a skate, the runner of a sleigh, a
// wheel without inertia seen from above. Planar bodies are in the plane anyhow.
//
//   z_A . d = 0,   no velocity against the plane across the blade, along (x_B x z_A) / |x_B x z_A|

#include "model/builder.h"
#include "model/joint.h"
#include "model/model.h"

// Sine of the angle between the blade and the normal of the plane.
static const double UPRIGHT = 1e-6;

static const tn_row knife_edge_rows[] = {{.form = TN_ROW_AXIS, .i = TN_Z}};
static const char *const knife_edge_row_names[] = {"height"};
static const tn_row knife_edge_rolls[] = {{.form = TN_ROW_ROLL, .i = 0, .j = TN_X}};
static const char *const knife_edge_roll_names[] = {"slip across the blade"};

static tn_status knife_edge_link(const tn_model *model, const tn_joint_def *def, const char *what)
{
    TN_TRY(tn_check_rotation(model, def->body_a, what, "a knife edge"));
    TN_TRY(tn_check_rotation(model, def->body_b, what, "a knife edge"));
    if (tn_v3_norm(tn_axes_at_start(model, def, TN_Z, TN_X)) > UPRIGHT)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: the blade, x of frame B, stands along the normal of the plane, z of frame "
                   "A; it must lie in the plane",
                   what);
}

static unsigned knife_edge_active(const tn_model *model, int joint)
{
    const tn_joint_def *def = model->joints.at[joint].def;
    return tn_pair_is_planar(model, def->body_a, def->body_b) ? 0u : 1u;
}

const tn_joint_ops tn_joint_knife_edge = {
    .name = "knife-edge",
    .text = "lets the origin of frame B slide on the plane normal to z of frame A along x of frame "
            "B alone",
    .glyph = "plate a; block b 0.5",
    .dim = 3,
    .axis_is_x = true,
    .coupling = true,
    .relative = true,
    TN_ROWS(knife_edge),
    .row_names = knife_edge_row_names,
    TN_ROLLS(knife_edge),
    TN_PLANE_COORDS,
    .link = knife_edge_link,
    .active = knife_edge_active,
};
