// SPDX-License-Identifier: MIT
//
// A cart that balances a pole: a controller in C reads the joints and sets the force of the motor a
// thousand times a second. Its gains are those of the linear-quadratic regulator of the linearised
// model with weights 1 on the four states and 0.1 on the force.

#include <math.h>
#include <stdio.h>
#include <tenon/tenon.h>

static const char *const text = "tenon: 1\n"
                                "gravity: [0, -9.81, 0]\n"
                                "inputs: {force: 0}\n"
                                "bodies:\n"
                                "  cart: {kind: planar, mass: 1, inertia: 0.1}\n"
                                "  pole: {kind: planar, mass: 0.2, inertia: 0.006,\n"
                                "         initial: {position: [0, 0.3]}}\n"
                                "joints:\n"
                                "  rail: {kind: prismatic, body: cart, axis: [1, 0, 0]}\n"
                                "  hinge: {kind: revolute, bodies: [cart, pole], at: [0, 0],\n"
                                "          initial: {position: 0.2}}\n"
                                "forces:\n"
                                "  motor: {kind: motor, joint: rail, effort: force}\n";

int main(void)
{
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/ggl";
    tn_status s = tn_model_parse(text, "cart_pole", &model, NULL);
    if (s == TN_OK)
        s = tn_sim_create(model, &options, &sim);
    const tn_input force = s == TN_OK ? tn_model_find_input(model, "force") : (tn_input){-1};
    const tn_joint rail = {0}, hinge = {1};
    double x = 0.0, speed, angle = 0.0, rate;

    printf("%6s %10s %10s\n", "t [s]", "x [m]", "angle");
    for (int k = 0; s == TN_OK && k < 5000; k++) {
        tn_sim_joint_coordinates(sim, rail, &x, &speed);
        tn_sim_joint_coordinates(sim, hinge, &angle, &rate);
        if (k % 500 == 0)
            printf("%6.2f %10.6f %10.6f\n", tn_sim_time(sim), x, angle);
        const double u = 3.162 * x + 5.540 * speed - 43.874 * angle - 9.100 * rate;
        s = tn_sim_set_input(sim, force, u);
        if (s == TN_OK)
            s = tn_sim_step(sim, 1e-3);
    }
    if (s != TN_OK)
        fprintf(stderr, "%s\n", tn_last_error());
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return s == TN_OK && fabs(x) < 0.02 && fabs(angle) < 0.02 ? 0 : 1;
}
