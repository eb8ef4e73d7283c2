// SPDX-License-Identifier: MIT
//
// Your own equations with a rotation: a spinning top on SO(3). q is a unit quaternion, scalar
// first, v the angular velocity w in body axes; q' = q o (0, w) / 2 is what the space stands for.
//
//   J w' = -w x J w + m r x R(q)^T g

#include <math.h>
#include <stdio.h>
#include <tenon/tenon.h>

static const double MASS = 0.5, GRAVITY = 9.81, ARM = 0.1;        // [kg], [m/s^2], [m] along z
static const tn_vec3 J = {5.4e-3, 5.4e-3, 8e-4};                  // about the tip [kg m^2]
static const tn_vec3 SPIN = {0.0, 0.0, 150.0}, DOWN = {0, 0, -1}; // [rad/s]

static tn_vec3 momentum(tn_vec3 w)
{
    return tn_v3(J.x * w.x, J.y * w.y, J.z * w.z);
}

static int mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    for (int i = 0; i < 9; i++)
        M[i] = 0.0;
    M[0] = J.x;
    M[4] = J.y;
    M[8] = J.z;
    return 0;
}

static int force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    const tn_vec3 w = tn_v3_from(at->v);
    const tn_mat3 R = tn_quat_matrix(tn_quat_from(at->q));
    const tn_vec3 weight = tn_m3_apply_t(R, tn_v3_scale(MASS * GRAVITY, DOWN)); // in body axes
    const tn_vec3 moment = tn_v3_cross(tn_v3(0, 0, ARM), weight);
    tn_v3_to(tn_v3_sub(moment, tn_v3_cross(w, momentum(w))), f);
    return 0;
}

static int energy(void *user, const tn_arguments *at, double out[4])
{
    (void)user;
    const tn_vec3 w = tn_v3_from(at->v);
    const tn_mat3 R = tn_quat_matrix(tn_quat_from(at->q));
    out[0] = 0.5 * tn_v3_dot(w, momentum(w));
    out[1] = MASS * GRAVITY * ARM * R.m[2][2];
    out[2] = out[3] = 0.0;
    return 0;
}

int main(void)
{
    const tn_space spaces[] = {{TN_SPACE_SO3, 0}};
    const tn_callbacks top = {
        .nq = 4, .nspace = 1, .spaces = spaces, .mass = mass, .force = force, .energy = energy};
    const double tilt = 0.3; // [rad] about x
    const double q[4] = {cos(tilt / 2), sin(tilt / 2), 0.0, 0.0}, v[3] = {SPIN.x, SPIN.y, SPIN.z};
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    tn_ledger ledger = {0};
    options.rtol = options.atol = 1e-10;
    tn_status s = tn_sim_create_callbacks(&top, q, v, &options, &sim);
    if (s == TN_OK)
        s = tn_sim_run(sim, 2.0, NULL, NULL);
    if (s == TN_OK) {
        tn_sim_ledger(sim, &ledger);
        const tn_mat3 R = tn_quat_matrix(tn_quat_from(tn_sim_q(sim)));
        printf("tilt %.6f rad, precession %.6f rad, energy kept to %.0e J\n", acos(R.m[2][2]),
               atan2(R.m[0][2], -R.m[1][2]), fabs(ledger.balance));
    }
    if (s != TN_OK)
        fprintf(stderr, "%s\n", tn_last_error());
    tn_sim_destroy(sim);
    return s == TN_OK ? 0 : 1;
}
