// SPDX-License-Identifier: MIT
//
// Inverse dynamics: the torques with which the motors of a two-link arm raise and lower it.

#include <stdio.h>
#include <tenon/tenon.h>

// A link of 0.5 m at the end of link a, in line with it; mass in its middle.
static tn_body add_link(tn_model *model, tn_body a, const char *name, const char *pin, double mass)
{
    const bool first = a.index == TN_GROUND.index;
    tn_body_def link = tn_default_body();
    link.name = name;
    link.kind = TN_BODY_PLANAR;
    link.mass = mass;
    link.inertia.z = mass * 0.25 / 12.0; // about the centre of mass [kg m^2]
    link.com.x = 0.25;                   // the origin is at the joint [m]
    link.frame.p.x = first ? 0.0 : 0.5;

    tn_joint_def joint = tn_default_joint(TN_JOINT_PLANAR_REVOLUTE);
    joint.name = pin;
    joint.body_a = a;
    joint.body_b = tn_model_add_body(model, &link);
    joint.frame_a.p.x = first ? 0.0 : 0.5;
    tn_model_add_joint(model, &joint);
    return joint.body_b;
}

static tn_model *arm(void)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, -9.81, 0.0}); // [m/s^2]
    const tn_body upper = add_link(model, TN_GROUND, "upper", "shoulder", 4.0);
    add_link(model, upper, "lower", "elbow", 3.0);
    return model;
}

static tn_status table(const tn_model *model)
{
    const tn_motion motions[] = {
        {.joint = tn_model_find_joint(model, "shoulder"),
         .motion.expression = "0.9*(1 - cos(pi*t))"},
        {.joint = tn_model_find_joint(model, "elbow"), .motion.expression = "-1.1*(1 - cos(pi*t))"},
    };
    tn_inverse_options options = tn_default_inverse(); // a motor in every motion
    options.nmotion = 2;
    options.motions = motions;
    tn_inverse *inverse = NULL;
    tn_status s = tn_inverse_create(model, &options, &inverse);
    printf("   t [s]  shoulder [N m]  elbow [N m]   power [W]\n");
    for (int k = 0; s == TN_OK && k <= 8; k++) {
        s = tn_inverse_move(inverse, 0.25 * k);
        if (s == TN_OK)
            printf("%8.2f  %14.4f  %11.4f  %10.4f\n", tn_inverse_time(inverse),
                   tn_inverse_motor(inverse, 0).effort, tn_inverse_motor(inverse, 1).effort,
                   tn_inverse_energies(inverse).motors);
    }
    tn_inverse_destroy(inverse);
    return s;
}

int main(void)
{
    tn_model *model = arm();
    const tn_status s = table(model);
    if (s != TN_OK)
        fprintf(stderr, "%s\n", tn_last_error());
    tn_model_destroy(model);
    return s == TN_OK ? 0 : 1;
}
