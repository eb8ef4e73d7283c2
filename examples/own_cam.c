// SPDX-License-Identifier: MIT
//
// An own joint: the origin of B stays on the rim rho = r + e cos(phi) of a cam A, as the cam turns.

#include <math.h>
#include <stdio.h>
#include <tenon/tenon.h>

typedef struct cam {
    double radius, lift;
} cam;
static const tn_param params[] = {
    TN_OWN_NUMBER(cam, radius, "m", TN_POSITIVE, 0.2, "mean radius r"),
    TN_OWN_NUMBER(cam, lift, "m", TN_ANY, 0.05, "e of r + e cos(phi)"),
};
static const tn_own_row rows[] = {{"rim", "m"}};

// With (x, y) in the axes of the cam and rho = |(x, y)|: g = rho - r - e x / rho.
static double cam_value(const tn_joint_at *at, int i)
{
    const cam *c = at->params;
    const tn_vec3 p = tn_m3_apply_t(at->a.R, tn_v3_sub(at->b.p, at->a.p));
    return i == 0 ? hypot(p.x, p.y) - c->radius - c->lift * p.x / hypot(p.x, p.y) : NAN;
}

// A force f = dg/d(x, y) on B, and back on the cam; second derivatives follow by differences.
static void cam_gradient(const tn_joint_at *at, int i, double G[12])
{
    const tn_vec3 d = tn_v3_sub(at->b.p, at->a.p), p = tn_m3_apply_t(at->a.R, d);
    const double rho = hypot(p.x, p.y), k = ((const cam *)at->params)->lift * p.y / pow(rho, 3.0);
    const tn_vec3 f = tn_m3_apply(at->a.R, tn_v3(p.x / rho - k * p.y, p.y / rho + k * p.x, 0.0));
    (void)i; // there is one row
    tn_v3_to(tn_v3_neg(f), G);
    tn_v3_to(tn_v3_cross(f, d), G + 3);
    tn_v3_to(f, G + 6);
}

static const char text[] =
    "{tenon: 1, gravity: [0, -9.81, 0], bodies: {wheel: {mass: 1, inertia:"
    " [0.01, 0.01, 0.01]}, follower: {kind: point, mass: 0.5, initial: {position: [0, 0.2, 0]}}},"
    " joints: {axle: {kind: revolute, body: wheel}, on: {kind: rim, bodies: [wheel, follower]},"
    "          guide: {kind: point-on-line, body: follower, axis: [0, 1, 0]}}}";

static tn_status turn(const tn_model *model, const char *method, double *angle)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = 5e-4;
    tn_status s = tn_sim_create(model, &options, &sim);
    s = s == TN_OK ? tn_sim_run(sim, 1.0, NULL, NULL) : s;
    if (s == TN_OK) {
        tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "axle"), angle, NULL);
        const double off = tn_sim_body_frame(sim, (tn_body){2}).p.y - 0.2 - 0.05 * sin(*angle);
        printf("%-24s  %.5f rad, the follower is %.0e m off\n", method, *angle, off);
        s = fabs(off) < 1e-9 ? TN_OK : tn_fail(TN_ERR_NUMERIC, "it has left the rim");
    }
    tn_sim_destroy(sim);
    return s;
}

int main(void)
{
    const char *methods[] = {"galpha@absolute", "dopri5@joint", "energy-momentum@director"};
    double angle[3];
    tn_model *model = NULL;
    tn_own_joint joint = {.nrow = 1, .rows = rows, .value = cam_value, .gradient = cam_gradient};
    joint.kind = (tn_own_kind){"rim", "B stays on the rim", params, 2, sizeof(cam), NULL};
    tn_status s = tn_add_joint_kind(&joint, NULL);
    s = s == TN_OK ? tn_check_kind("rim", NULL) : s; // derivatives
    s = s == TN_OK ? tn_model_parse(text, "cam", &model, NULL) : s;
    for (int i = 0; s == TN_OK && i < 3; i++)
        s = turn(model, methods[i], &angle[i]);
    if (s == TN_OK && fabs(angle[1] - angle[0]) + fabs(angle[2] - angle[0]) > 1e-4)
        s = tn_fail(TN_ERR_NUMERIC, "the motions differ");
    puts(s == TN_OK ? "the motions agree" : tn_last_error());
    tn_model_destroy(model);
    return s == TN_OK ? 0 : 1;
}
