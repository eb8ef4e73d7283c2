// SPDX-License-Identifier: MIT
//
// A rigid rod swinging from a pin: model, simulate, print.

#include <stdio.h>
#include <tenon/tenon.h>

int main(void)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, -9.81, 0.0}); // [m/s^2]

    tn_body_def rod = tn_default_body();
    rod.name = "rod";
    rod.mass = 1.0;                               // [kg]
    rod.inertia = (tn_vec3){0.001, 0.083, 0.083}; // about the centre of mass [kg m^2]
    rod.frame.p = (tn_vec3){0.5, 0.0, 0.0};       // where it starts [m]
    const tn_body body = tn_model_add_body(model, &rod);

    tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE); // turns about z
    pin.name = "pin";
    pin.body_a = TN_GROUND;
    pin.body_b = body;
    pin.frame_b.p = (tn_vec3){-0.5, 0.0, 0.0}; // [m] in the body frame
    tn_model_add_joint(model, &pin);

    tn_sim_options options = tn_default_sim();
    options.method = "galpha/ggl"; // generalized-alpha, position and velocity constraints enforced
    options.step = 0.001;          // [s]

    tn_sim *sim = NULL;
    tn_status s = tn_sim_create(model, &options, &sim); // any error in the model shows up here
    printf("%8s %12s %12s\n", "t [s]", "x [m]", "y [m]");
    for (int k = 1; s == TN_OK && k <= 10; k++) {
        s = tn_sim_run(sim, 0.2 * k, NULL, NULL);
        const tn_vec3 p = tn_sim_body_frame(sim, body).p;
        printf("%8.3f %12.6f %12.6f\n", tn_sim_time(sim), p.x, p.y);
    }
    if (s != TN_OK)
        fprintf(stderr, "%s\n", tn_last_error());

    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return s == TN_OK ? 0 : 1;
}
