// SPDX-License-Identifier: MIT
//
// The equations of motion at any state, without a simulation: mass matrix of an elbow arm, the
// torques that hold it still, and how it falls without them.

#include <stdio.h>
#include <tenon/tenon.h>

static const char *const text =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  upper: {kind: planar, mass: 4, com: [0.25, 0], inertia: 0.083}\n"
    "  lower: {kind: planar, mass: 3, com: [0.25, 0], inertia: 0.0625,"
    " initial: {position: [0.5, 0]}}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, body: upper}\n"
    "  elbow: {kind: revolute, bodies: [upper, lower], at: [0.5, 0, 0]}\n";

static tn_status tell(tn_dynamics *arm)
{
    const double q[] = {0.5, -1.0}, v[] = {0.0, 0.0}, a[] = {0.0, 0.0}; // [rad], at rest
    double M[4], tau[2], fall[2];
    tn_status s = tn_dynamics_set(arm, 0.0, q, v);
    if (s == TN_OK)
        s = tn_dynamics_mass_matrix(arm, M);
    if (s == TN_OK)
        s = tn_dynamics_inverse(arm, a, NULL, tau); // torques for these accelerations
    if (s == TN_OK)
        s = tn_dynamics_forward(arm, NULL, fall, NULL); // accelerations without torques
    if (s != TN_OK)
        return s;
    for (int i = 0; i < 2; i++) {
        char name[64];
        tn_dynamics_velocity_name(arm, i, name, sizeof name);
        printf("%-24s  M %8.4f %8.4f kg m^2, held by %8.4f N m, falls at %8.4f rad/s^2\n", name,
               M[i], M[i + 2], tau[i], fall[i]);
    }
    return TN_OK;
}

int main(void)
{
    tn_model *model = NULL;
    tn_dynamics *arm = NULL;
    tn_status s = tn_model_parse(text, "elbow arm", &model, NULL);
    if (s == TN_OK)
        s = tn_dynamics_create(model, "joint", &arm);
    if (s == TN_OK)
        s = tell(arm);
    if (s != TN_OK)
        fprintf(stderr, "%s\n", tn_last_error());
    tn_dynamics_destroy(arm);
    tn_model_destroy(model);
    return s == TN_OK ? 0 : 1;
}
