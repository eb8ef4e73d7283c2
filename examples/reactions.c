// SPDX-License-Identifier: MIT
//
// Reading the forces in joints: two links on pins, first hanging at rest, then let go sideways.

#include <stdio.h>
#include <tenon/tenon.h>

// A link of 1 m and the given mass [kg] at the end of link a, in line with it.
static tn_joint add_link(tn_model *model, tn_body a, double mass, double angle)
{
    const bool first = a.index == TN_GROUND.index;
    tn_body_def link = tn_default_body();
    link.name = first ? "upper" : "lower";
    link.kind = TN_BODY_PLANAR; // x, y and the angle about z
    link.mass = mass;
    link.inertia.z = mass / 12.0; // about the centre of mass [kg m^2]
    link.frame.R = tn_m3_rot_z(angle);
    link.frame.p = tn_m3_apply(link.frame.R, tn_v3(first ? 0.5 : 1.5, 0, 0));

    tn_joint_def pin = tn_default_joint(TN_JOINT_PLANAR_REVOLUTE);
    pin.name = first ? "shoulder" : "elbow";
    pin.body_a = a;
    pin.body_b = tn_model_add_body(model, &link);
    pin.frame_a.p.x = first ? 0.0 : 0.5; // in the frames of the bodies [m]
    pin.frame_b.p.x = -0.5;
    return tn_model_add_joint(model, &pin);
}

static tn_status table(const char *title, double angle, double t_end)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, -9.81, 0.0}); // [m/s^2]
    const tn_joint shoulder = add_link(model, TN_GROUND, 2.0, angle);
    const tn_joint elbow = add_link(model, tn_model_find_body(model, "upper"), 1.0, angle);

    const tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    tn_status s = tn_sim_create(model, &options, &sim);
    printf("%s\n   t [s]    shoulder x, y [N]       elbow x, y [N]\n", title);
    for (double t = 0.0; s == TN_OK && t <= t_end; t += 0.25) {
        s = tn_sim_run(sim, t, NULL, NULL);
        const tn_vec3 a = tn_sim_joint_reaction(sim, shoulder).f; // on the upper link
        const tn_vec3 b = tn_sim_joint_reaction(sim, elbow).f;    // on the lower link
        printf("%8.2f %10.4f %10.4f %10.4f %10.4f\n", t, a.x, a.y, b.x, b.y);
    }
    if (s != TN_OK)
        fprintf(stderr, "%s\n", tn_last_error());
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return s;
}

int main(void)
{
    const double down = -1.5707963267948966; // [rad]
    const bool done = table("at rest: pins carry what hangs below", down, 0.0) == TN_OK &&
                      table("let go from the horizontal", 0.0, 1.0) == TN_OK;
    return done ? 0 : 1;
}
