// SPDX-License-Identifier: MIT
//
// The wheelset on straight track as functions of a user: data, equations and digits are those of
// [Test Set for IVP Solvers, "wheelset"], after Simeon, Führer and Rentrop, Surv. Math. Ind. 1
// (1991) 1-37, read in the package deTestSet of CRAN, src/Ex_wheelset.f. Two conical wheels on one
// axle roll at 30 m/s on rails with round heads, between springs.
//
//   q = (x, y, z, theta, phi)       lateral, vertical and longitudinal place, yaw, roll
//   s = (psiL, xiL, psiR, xiR)      where each wheel touches: angle about the axle, place along it
//   lambda = (L, R)                 the test set has lambda = -1e4 (lam1, lam2) [N]
//   c                               deviation of the spin about the axle, beta + sin(phi) theta'
//
// The test set has beta for c, and beta' + sin(phi) theta'' in its equation: with c no acceleration
// is left on the right-hand side, and the equation is I1 c' = moments. h = 0 says that normals of
// wheel and rail are parallel, g = 0 that they touch. Where h = 0 g does not change with s, so that
// G is dg/dq alone. Creep forces depend on lambda by the normal forces.

#pragma once

#include "tenon/tenon.h"

#include <math.h>

enum { WHEELSET_NQ = 5, WHEELSET_NS = 4, WHEELSET_NG = 2 };

// Mass [kg], gravity [m/s^2], speed [m/s], radius [m], inertias [kg m^2], friction, half length of
// the axle [m] and springs [N/m].
static const double MASS = 16.08, WEIGHT = 9.81, SPEED = 30.0, RADIUS = 0.1, I1 = 0.0605,
                    I2 = 0.366, MU = 0.12, AXLE = 0.19, CX = 6400.0, CZ = 6400.0;
// Contact ellipse, Poisson's ratio, shear modulus [N/m^2] and coefficients of Kalker. The number pi
// is that of the test set.
static const double ELLIPSE_E = 1.3537956, ELLIPSE_G = 0.7115218, POISSON = 0.28, SHEAR = 7.92e10,
                    C11 = 4.72772197, C22 = 4.27526987, C23 = 1.97203505, PI_GIVEN = 3.1415926;
// Cone angle of wheels [rad], half of the gauge [m], radius of the heads of rails [m].
static const double CONE = 0.0262, GAUGE = 0.1506, RAIL = 0.06;

// Start values. Their five digits leave a part of 1e-9 m in g.
static const double wheelset_q0[WHEELSET_NQ] = {0.14941e-2, 0.40089e-6, 0.11241e-5, -0.28573e-3,
                                                0.26459e-3};
static const double wheelset_v0[WHEELSET_NQ] = {0};
static const double wheelset_s0[WHEELSET_NS] = {7.5634406395172940e-6, 0.1490635714733819,
                                                -7.4122380357667139e-6, -0.1521364296121248};
static const double wheelset_lambda0[WHEELSET_NG] = {83.593, 74.144};

// What the functions are handed: how much higher each rail is [m]. With what the given start values
// leave in g, wheelset_offset, they are consistent as they are, and the motion is that which the
// test set asks for: its equations are of index 2, G v = 0, and keep g as it was.
typedef struct wheelset {
    double offset[WHEELSET_NG];
} wheelset;

// One wheel on its rail.
typedef struct wheel {
    double sigma;         // 1 left, -1 right
    double sp, cp;        // sin and cos of psi
    double xi, R, dR;     // place along the axle, radius there and its derivative
    double X, S, dS, ddS; // place across the track, height of the rail and its derivatives
    double X_theta, X_phi, X_psi, X_xi, up;
    double sd, cd; // of the contact angle
    double Q[WHEELSET_NQ];
    double N;    // normal force, with the sign of the test set
    double T[3]; // creep force
} wheel;

typedef struct attitude {
    double st, ct, sp, cp; // sin and cos of theta and phi
} attitude;

static inline attitude attitude_of(double theta, double phi)
{
    return (attitude){sin(theta), cos(theta), sin(phi), cos(phi)};
}

static inline void put_rail(wheel *w)
{
    const double d = fabs(w->X) - GAUGE - RAIL * sin(CONE), root = sqrt(RAIL * RAIL - d * d);
    w->S = root - RADIUS - RAIL * cos(CONE);
    w->dS = -copysign(1.0, w->X) * d / root;
    w->ddS = -RAIL * RAIL / (root * root * root);
}

// Profiles, contact angle and row of G.
static inline wheel wheel_at(int side, const double *q, const double *s)
{
    const attitude a = attitude_of(q[3], q[4]);
    wheel w = {.sigma = side == 0 ? 1.0 : -1.0, .xi = s[2 * side + 1]};
    w.sp = sin(s[2 * side]);
    w.cp = cos(s[2 * side]);
    w.R = RADIUS + tan(CONE) * (GAUGE - fabs(w.xi));
    w.dR = -copysign(tan(CONE), w.xi);
    w.X = q[0] + w.xi * a.ct * a.cp + w.R * (a.ct * a.sp * w.cp - a.st * w.sp);
    put_rail(&w);
    w.X_theta = -w.xi * a.st * a.cp - w.R * (a.st * a.sp * w.cp + a.ct * w.sp);
    w.X_phi = a.ct * (w.R * a.cp * w.cp - w.xi * a.sp);
    w.X_psi = -w.R * (a.ct * a.sp * w.sp + a.st * w.cp);
    w.X_xi = a.ct * a.cp + w.dR * (a.ct * a.sp * w.cp - a.st * w.sp);
    w.up = w.dR * a.sp + w.cp * a.cp;
    const double across = (w.dR * a.cp - a.sp * w.cp) * a.ct + w.sp * a.st;
    const double angle = atan(across / (-w.sigma * w.up));
    w.sd = sin(angle);
    w.cd = cos(angle);
    w.Q[0] = w.dS;
    w.Q[1] = -1.0;
    w.Q[2] = 0.0;
    w.Q[3] = w.dS * w.X_theta;
    w.Q[4] = w.dS * w.X_phi - w.cp * w.R * a.sp - a.cp * w.xi;
    return w;
}

// Normal forces from those parts of G^T lambda that act across and up.
static inline void put_normal_forces(wheel w[2], const double *lambda)
{
    const double across = -(lambda[0] * w[0].Q[0] + lambda[1] * w[1].Q[0]);
    const double up = -(lambda[0] * w[0].Q[1] + lambda[1] * w[1].Q[1]);
    const double det = -w[0].sd * w[1].cd - w[1].sd * w[0].cd;
    w[0].N = (w[1].cd * across - w[1].sd * up) / det;
    w[1].N = (-w[0].cd * across - w[0].sd * up) / det;
}

// The size of the contact ellipse [m].
static inline double ellipse(const wheel *w)
{
    const double A = 0.5 / (w->R * sqrt(1.0 + w->dR * w->dR));
    const double B = -0.5 * w->ddS / pow(1.0 + w->dS * w->dS, 1.5);
    return cbrt(3.0 * fabs(w->N) * (1.0 - POISSON) * ELLIPSE_E /
                (2.0 * PI_GIVEN * (A + B) * SHEAR * sqrt(ELLIPSE_G)));
}

// Creepages nu[0..1] and spin nu[2] of a wheel; the yaw angle is that in its plane of contact.
static inline void creepages(const wheel *w, const attitude *a, const double *v, double spin,
                             double nu[3])
{
    const double in = w->R * (a->st * a->sp * w->cp + a->ct * w->sp) + w->xi * a->st * a->cp;
    const double out = w->R * (a->ct * a->sp * w->cp - a->st * w->sp) + w->xi * a->ct * a->cp;
    const double down = w->xi * a->sp - w->R * a->cp * w->cp;
    const double w1 = -spin * w->R * (a->st * w->cp + a->ct * a->sp * w->sp) + v[0] - v[3] * in -
                      v[4] * a->ct * down;
    const double w2 =
        spin * w->R * a->cp * w->sp + v[1] + v[4] * (w->xi * a->cp + w->R * a->sp * w->cp);
    const double w3 = -spin * w->R * (a->ct * w->cp - a->st * a->sp * w->sp) + SPEED + v[2] -
                      v[3] * out + v[4] * a->st * down;
    const double r1 = w1 - 2.0 * v[0], r2 = w2 - 2.0 * v[1], r3 = w3 - 2.0 * v[2] - 2.0 * SPEED;
    const double rolling = 0.5 * sqrt(r1 * r1 + r2 * r2 + r3 * r3);
    nu[0] = (a->st * w1 + a->ct * w3) / rolling;
    nu[1] = (a->ct * w->cd * w1 + w->sigma * w->sd * w2 - a->st * w->cd * w3) / rolling;
    nu[2] = (-w->sigma * w->sd * spin + w->cd * v[3]) / rolling;
}

// Creep force of a wheel, not larger than friction allows.
static inline void put_creep_force(wheel *w, const double *q, const double *v, double spin)
{
    const attitude a = attitude_of(q[3] / w->cd, q[4]);
    const double most = MU * w->N, c = ellipse(w), stiff = SHEAR * c * c / most;
    double nu[3];
    creepages(w, &a, v, spin, nu);
    double Tx = -most * tanh(stiff * C11 * nu[0]);
    double Ty = -most * tanh(stiff * (C22 * nu[1] + c * C23 * nu[2]));
    const double size = hypot(Tx, Ty);
    if (size > fabs(most)) {
        Tx *= fabs(most) / size;
        Ty *= fabs(most) / size;
    }
    w->T[0] = a.st * Tx + a.ct * w->cd * Ty;
    w->T[1] = w->sigma * w->sd * Ty;
    w->T[2] = a.ct * Tx - a.st * w->cd * Ty;
}

static inline void put_wheels(const tn_arguments *at, wheel w[2])
{
    const double beta = at->c[0] - sin(at->q[4]) * at->v[3];
    w[0] = wheel_at(0, at->q, at->s);
    w[1] = wheel_at(1, at->q, at->s);
    put_normal_forces(w, at->lambda);
    put_creep_force(&w[0], at->q, at->v, SPEED / RADIUS + beta);
    put_creep_force(&w[1], at->q, at->v, SPEED / RADIUS + beta);
}

// Moments of the creep force of a wheel in the equations of theta, phi and spin.
static inline void add_moments(const wheel *w, const attitude *a, double M[3])
{
    const double *T = w->T, R = w->R;
    M[0] += -(w->xi * a->st + R * w->sp * a->ct * a->cp) * T[0] - R * w->sp * a->sp * T[1] +
            (-w->xi * a->ct + R * w->sp * a->st * a->cp) * T[2];
    M[1] += -(w->xi * a->ct * a->sp - R * w->cp * a->ct * a->cp) * T[0] +
            (w->xi * a->cp + R * w->cp * a->sp) * T[1] +
            (w->xi * a->st * a->sp - R * w->cp * a->st * a->cp) * T[2];
    M[2] += -R * (w->cp * a->st + w->sp * a->ct * a->sp) * T[0] + R * w->sp * a->cp * T[1] -
            R * (w->cp * a->ct - w->sp * a->st * a->sp) * T[2];
}

static inline int wheelset_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user;
    const double diagonal[WHEELSET_NQ] = {MASS, MASS, MASS, I2 * cos(at->q[4]), I2};
    for (int i = 0; i < WHEELSET_NQ * WHEELSET_NQ; i++)
        M[i] = i % (WHEELSET_NQ + 1) == 0 ? diagonal[i / WHEELSET_NQ] : 0.0;
    return 0;
}

static inline int wheelset_force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    const attitude a = attitude_of(at->q[3], at->q[4]);
    const double *q = at->q, turn = at->v[3], roll = at->v[4], yaw = 2.0 * AXLE * AXLE * CZ * q[3];
    const double spin = SPEED / RADIUS + at->c[0] - a.sp * turn;
    double M[3] = {0};
    wheel w[2];
    put_wheels(at, w);
    add_moments(&w[0], &a, M);
    add_moments(&w[1], &a, M);
    f[0] = w[0].T[0] + w[1].T[0] - 2.0 * CX * q[0];
    f[1] = w[0].T[1] + w[1].T[1] - MASS * WEIGHT;
    f[2] = w[0].T[2] + w[1].T[2] - 2.0 * CZ * q[2];
    f[3] = (2.0 * I2 - I1) * turn * roll * a.sp - I1 * spin * roll + M[0] - yaw * a.cp;
    f[4] = I1 * spin * turn * a.cp + (I1 - I2) * turn * turn * a.sp * a.cp + M[1];
    return 0;
}

static inline int wheelset_states(void *user, const tn_arguments *at, double *d)
{
    (void)user;
    const attitude a = attitude_of(at->q[3], at->q[4]);
    double M[3] = {0};
    wheel w[2];
    put_wheels(at, w);
    add_moments(&w[0], &a, M);
    add_moments(&w[1], &a, M);
    d[0] = (M[2] - 2.0 * AXLE * AXLE * CZ * at->q[3] * a.sp) / I1;
    return 0;
}

static inline int wheelset_contact(void *user, const tn_arguments *at, double *h)
{
    (void)user;
    const attitude a = attitude_of(at->q[3], at->q[4]);
    for (int i = 0; i < 2; i++) {
        const wheel w = wheel_at(i, at->q, at->s);
        h[2 * i] = w.dS * w.up + w.dR * a.ct * a.cp - a.ct * a.sp * w.cp + a.st * w.sp;
        h[2 * i + 1] = w.dR * a.st * a.cp - a.st * a.sp * w.cp - a.ct * w.sp;
    }
    return 0;
}

static inline int wheelset_constraint(void *user, const tn_arguments *at, double *g)
{
    const wheelset *set = user;
    const attitude a = attitude_of(at->q[3], at->q[4]);
    for (int i = 0; i < 2; i++) {
        const wheel w = wheel_at(i, at->q, at->s);
        g[i] = w.S - at->q[1] - w.xi * a.sp + w.R * a.cp * w.cp - set->offset[i];
    }
    return 0;
}

static inline int wheelset_jacobian(void *user, const tn_arguments *at, double *G)
{
    (void)user;
    for (int i = 0; i < 2; i++) {
        const wheel w = wheel_at(i, at->q, at->s);
        for (int j = 0; j < WHEELSET_NQ; j++)
            G[i + 2 * j] = w.Q[j];
    }
    return 0;
}

static inline int wheelset_constraint_ds(void *user, const tn_arguments *at, double *gs)
{
    (void)user;
    const attitude a = attitude_of(at->q[3], at->q[4]);
    for (int i = 0; i < WHEELSET_NG * WHEELSET_NS; i++)
        gs[i] = 0.0;
    for (int i = 0; i < 2; i++) {
        const wheel w = wheel_at(i, at->q, at->s);
        double *of_side = gs + 2 * (2 * i) + i;
        of_side[0] = w.dS * w.X_psi - w.R * a.cp * w.sp;
        of_side[2] = w.dS * w.X_xi - a.sp + w.dR * a.cp * w.cp;
    }
    return 0;
}

static inline int wheelset_contact_dq(void *user, const tn_arguments *at, double *hq)
{
    (void)user;
    const attitude a = attitude_of(at->q[3], at->q[4]);
    for (int i = 0; i < WHEELSET_NS * WHEELSET_NQ; i++)
        hq[i] = 0.0;
    for (int i = 0; i < 2; i++) {
        const wheel w = wheel_at(i, at->q, at->s);
        double *x = hq + 2 * i, *theta = x + 3 * WHEELSET_NS, *phi = theta + WHEELSET_NS;
        x[0] = w.ddS * w.up;
        theta[0] = w.ddS * w.X_theta * w.up - w.dR * a.st * a.cp + a.st * a.sp * w.cp + a.ct * w.sp;
        theta[1] = w.dR * a.ct * a.cp - a.ct * a.sp * w.cp + a.st * w.sp;
        phi[0] = w.ddS * w.X_phi * w.up + w.dS * (w.dR * a.cp - a.sp * w.cp) - w.dR * a.ct * a.sp -
                 a.ct * a.cp * w.cp;
        phi[1] = -a.st * (w.dR * a.sp + a.cp * w.cp);
    }
    return 0;
}

static inline int wheelset_contact_ds(void *user, const tn_arguments *at, double *hs)
{
    (void)user;
    const attitude a = attitude_of(at->q[3], at->q[4]);
    for (int i = 0; i < WHEELSET_NS * WHEELSET_NS; i++)
        hs[i] = 0.0;
    for (int i = 0; i < 2; i++) {
        const wheel w = wheel_at(i, at->q, at->s);
        double *psi = hs + 2 * i * (WHEELSET_NS + 1), *xi = psi + WHEELSET_NS;
        psi[0] = w.ddS * w.X_psi * w.up - w.dS * a.cp * w.sp + a.ct * a.sp * w.sp + a.st * w.cp;
        psi[1] = a.st * a.sp * w.sp - a.ct * w.cp;
        xi[0] = w.ddS * w.X_xi * w.up;
    }
    return 0;
}

static inline tn_callbacks wheelset_equations(wheelset *set)
{
    return (tn_callbacks){.user = set,
                          .nq = WHEELSET_NQ,
                          .ng = WHEELSET_NG,
                          .nc = 1,
                          .ns = WHEELSET_NS,
                          .lambda_in_force = true,
                          .mass = wheelset_mass,
                          .force = wheelset_force,
                          .constraint = wheelset_constraint,
                          .jacobian = wheelset_jacobian,
                          .states = wheelset_states,
                          .contact = wheelset_contact,
                          .constraint_ds = wheelset_constraint_ds,
                          .contact_dq = wheelset_contact_dq,
                          .contact_ds = wheelset_contact_ds,
                          .s0 = wheelset_s0,
                          .lambda0 = wheelset_lambda0};
}

// What the start values leave in g [m]: 5.27e-10 left, -4.97e-10 right.
static inline wheelset wheelset_offset(void)
{
    wheelset set = {{0}}, out;
    const tn_arguments at = {.q = wheelset_q0, .s = wheelset_s0};
    wheelset_constraint(&set, &at, out.offset);
    return out;
}
