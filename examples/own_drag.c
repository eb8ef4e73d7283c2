// SPDX-License-Identifier: MIT
//
// An own force: the drag of air, F = -k |v| v with k = rho c A / 2, on a ball that falls from rest.
// In all coordinates its speed is that of the closed form, w tanh(g t / w) with w = sqrt(m g / k).

#include <math.h>
#include <stdio.h>
#include <tenon/tenon.h>

typedef struct drag {
    double density, coefficient, area;
} drag;

static const tn_param drag_params[] = {
    TN_OWN_NUMBER(drag, density, "kg/m^3", TN_NONNEGATIVE, 1.2, "density of the air"),
    TN_OWN_NUMBER(drag, coefficient, "", TN_NONNEGATIVE, 0.47, "coefficient of drag"),
    TN_OWN_NUMBER(drag, area, "m^2", TN_POSITIVE, 1.0, "area of the shadow"),
};

static void drag_eval(const tn_force_at *at, tn_own_load *out)
{
    const drag *d = at->params;
    const double k = 0.5 * d->density * d->coefficient * d->area, speed = tn_v3_norm(at->b.V.v);
    out->b.f = tn_v3_scale(-k * speed, at->b.V.v);
    out->dissipated = k * speed * speed * speed;
}

// dF/dv = -k (|v| I + v v^T / |v|): rows of the force on B, columns of the velocity of B.
static void drag_tangent(const tn_force_at *at, tn_own_tangent *out)
{
    const drag *d = at->params;
    const double k = 0.5 * d->density * d->coefficient * d->area, speed = tn_v3_norm(at->b.V.v);
    const tn_mat3 vv = tn_m3_outer(at->b.V.v, at->b.V.v);
    for (int i = 0; speed > 0.0 && i < 3; i++)
        for (int j = 0; j < 3; j++)
            out->D[6 + i][6 + j] = -k * ((i == j ? speed : 0.0) + vv.m[i][j] / speed);
}

static const tn_own_force air_drag = {
    .kind = {"air-drag", "drag of air on a body", drag_params, 3, sizeof(drag), NULL},
    .place = TN_OWN_SINGLE,
    .energies = true,
    .eval = drag_eval,
    .tangent = drag_tangent,
};

static const char text[] = "{tenon: 1, gravity: [0, 0, -9.81],"
                           " bodies: {ball: {mass: 0.1, inertia: [1e-4, 1e-4, 1e-4]}},"
                           " forces: {air: {kind: air-drag, body: ball, area: 0.02}}}";

static tn_status fall(const tn_model *model, const char *method, double exact)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = 1e-3;
    tn_status s = tn_sim_create(model, &options, &sim);
    s = s == TN_OK ? tn_sim_run(sim, 2.0, NULL, NULL) : s;
    const double speed = s == TN_OK ? -tn_sim_body_velocity(sim, (tn_body){1}).z : 0.0;
    printf("%-20s  %.6f m/s, exactly %.6f m/s\n", method, speed, exact);
    tn_sim_destroy(sim);
    return s != TN_OK || fabs(speed - exact) < 1e-5 ? s : tn_fail(TN_ERR_NUMERIC, "it is off");
}

int main(void)
{
    const char *methods[] = {"galpha/ggl@absolute", "radau5/index1@joint", "variational@director"};
    const double w = sqrt(0.1 * 9.81 / (0.5 * 1.2 * 0.47 * 0.02)); // terminal speed [m/s]
    tn_model *model = NULL;
    tn_status s = tn_add_force_kind(&air_drag, NULL);
    s = s == TN_OK ? tn_check_kind("air-drag", NULL) : s; // derivatives and powers
    s = s == TN_OK ? tn_model_parse(text, "ball", &model, NULL) : s;
    for (int i = 0; s == TN_OK && i < 3; i++)
        s = fall(model, methods[i], w * tanh(9.81 * 2.0 / w));
    if (s != TN_OK)
        fprintf(stderr, "%s\n", tn_last_error());
    tn_model_destroy(model);
    return s == TN_OK ? 0 : 1;
}
