// SPDX-License-Identifier: MIT
//
// Problems of user functions with every kind of variable of the equations, each with a reference
// that knows nothing of multipliers: a closed form, or Runge-Kutta in one angle.

#pragma once

#include "road.h"

static const double G0 = 9.81; // [m/s^2]

// Classical Runge-Kutta on x' = F(t, x) from t0 to t1.
typedef void (*rhs)(double t, const double *x, double *dx);

static inline void runge_kutta(rhs F, int n, double t0, double t1, int steps, double *x)
{
    const double h = (t1 - t0) / steps;
    double k[4][6], y[6];
    CHECK(n <= 6);
    for (int s = 0; s < steps; s++) {
        const double t = t0 + s * h;
        F(t, x, k[0]);
        for (int i = 0; i < n; i++)
            y[i] = x[i] + 0.5 * h * k[0][i];
        F(t + 0.5 * h, y, k[1]);
        for (int i = 0; i < n; i++)
            y[i] = x[i] + 0.5 * h * k[1][i];
        F(t + 0.5 * h, y, k[2]);
        for (int i = 0; i < n; i++)
            y[i] = x[i] + h * k[2][i];
        F(t + h, y, k[3]);
        for (int i = 0; i < n; i++)
            x[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
}

static inline int unit_mass(void *user, const tn_arguments *x, double *M)
{
    (void)x;
    const int n = *(const int *)user;
    memset(M, 0, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; i++)
        M[i + i * n] = 1.0;
    return 0;
}

static const int two = 2, three = 3;

static inline int circle(void *user, const tn_arguments *x, double *g)
{
    (void)user;
    g[0] = 0.5 * (x->q[0] * x->q[0] + x->q[1] * x->q[1] - 1.0);
    return 0;
}

// Loop: a pendulum whose force follows a filtered coordinate c and an algebraic variable w, with a
// resistance that grows with the rod force: c' = (x - c) / 0.2, w + 0.3 w^3 = y, f_y = -g - 0.4 w,
// f_x = -0.5 c, less 0.1 lambda v. With x = sin a, y = -cos a: lambda = f0 . r + a'^2,
// a'' = f0 . t - 0.1 lambda a'.

static inline double solve_w(double y)
{
    double w = y;
    for (int k = 0; k < 50; k++)
        w -= (w + 0.3 * w * w * w - y) / (1.0 + 0.9 * w * w);
    return w;
}

static inline int loop_force(void *user, const tn_arguments *x, double *f)
{
    (void)user;
    const double lambda = x->lambda ? x->lambda[0] : 0.0;
    f[0] = -0.5 * x->c[0] - 0.1 * lambda * x->v[0];
    f[1] = -G0 - 0.4 * x->w[0] - 0.1 * lambda * x->v[1];
    return 0;
}

static inline int loop_states(void *user, const tn_arguments *x, double *d)
{
    (void)user;
    d[0] = (x->q[0] - x->c[0]) / 0.2;
    return 0;
}

static inline int loop_algebraic(void *user, const tn_arguments *x, double *b)
{
    (void)user;
    b[0] = x->w[0] + 0.3 * x->w[0] * x->w[0] * x->w[0] - x->q[1];
    return 0;
}

static inline double loop_lambda(const double *x)
{
    const double w = solve_w(-cos(x[0]));
    return -0.5 * x[2] * sin(x[0]) + (G0 + 0.4 * w) * cos(x[0]) + x[1] * x[1];
}

static inline void loop_rhs(double t, const double *x, double *dx)
{
    (void)t;
    const double w = solve_w(-cos(x[0]));
    dx[0] = x[1];
    dx[1] = -0.5 * x[2] * cos(x[0]) - (G0 + 0.4 * w) * sin(x[0]) - 0.1 * loop_lambda(x) * x[1];
    dx[2] = (sin(x[0]) - x[2]) / 0.2;
}

static inline void pendulum_values(double angle, double rate, double at[QUANTITIES][ROOM])
{
    at[OF_Q][0] = sin(angle);
    at[OF_Q][1] = -cos(angle);
    at[OF_V][0] = rate * cos(angle);
    at[OF_V][1] = rate * sin(angle);
}

static inline void loop_exact(double t, double at[QUANTITIES][ROOM])
{
    double x[3] = {0.6, 0.5, 0.2};
    runge_kutta(loop_rhs, 3, 0.0, t, 4000, x);
    pendulum_values(x[0], x[1], at);
    at[OF_LAMBDA][0] = loop_lambda(x);
    at[OF_C][0] = x[2];
    at[OF_W][0] = solve_w(-cos(x[0]));
}

static const double loop_c0[] = {0.2};
static const tn_callbacks loop_functions = {
    .user = (void *)&two,
    .nq = 2,
    .ng = 1,
    .nc = 1,
    .nw = 1,
    .lambda_in_force = true,
    .mass = unit_mass,
    .force = loop_force,
    .constraint = circle,
    .states = loop_states,
    .algebraic = loop_algebraic,
    .c0 = loop_c0,
};
// sin 0.6, -cos 0.6 and 0.5 times the tangent there
static const double loop_q0[] = {0.56464247339503537, -0.82533561490967833};
static const double loop_v0[] = {0.41266780745483916, 0.28232123669751769};

// Blade: a knife edge on an inclined plane, p = g sin(slope) = 4, with drag on its motion and on
// its turning. With the speed u along the edge at the angle a: u' = p cos a - 0.5 u, a'' = -0.8 a',
// and the edge pushes sideways with eta = p sin a + u a'.

static const double BLADE_P = 4.0;

static inline int blade_force(void *user, const tn_arguments *x, double *f)
{
    (void)user;
    f[0] = BLADE_P - 0.5 * x->v[0];
    f[1] = -0.5 * x->v[1];
    f[2] = -0.8 * x->v[2];
    return 0;
}

static inline int blade_edge(void *user, const tn_arguments *x, double *N, double *n0)
{
    (void)user;
    N[0] = sin(x->q[2]);
    N[1] = -cos(x->q[2]);
    N[2] = n0[0] = 0.0;
    return 0;
}

static inline void blade_rhs(double t, const double *x, double *dx)
{
    (void)t;
    dx[0] = x[3] * cos(x[2]);
    dx[1] = x[3] * sin(x[2]);
    dx[2] = x[4];
    dx[3] = BLADE_P * cos(x[2]) - 0.5 * x[3];
    dx[4] = -0.8 * x[4];
}

static inline void blade_exact(double t, double at[QUANTITIES][ROOM])
{
    double x[5] = {0.0, 0.0, 0.0, 0.0, 2.0};
    runge_kutta(blade_rhs, 5, 0.0, t, 4000, x);
    for (int i = 0; i < 3; i++)
        at[OF_Q][i] = x[i];
    at[OF_V][0] = x[3] * cos(x[2]);
    at[OF_V][1] = x[3] * sin(x[2]);
    at[OF_V][2] = x[4];
    at[OF_LAMBDA][0] = BLADE_P * sin(x[2]) + x[3] * x[4];
}

static const tn_callbacks blade_functions = {
    .user = (void *)&three,
    .nq = 3,
    .nn = 1,
    .mass = unit_mass,
    .force = blade_force,
    .pfaffian = blade_edge,
};
static const double blade_q0[] = {0.0, 0.0, 0.0}, blade_v0[] = {0.0, 0.0, 2.0};

// Bead: on the ellipse c(s) = (1.2 cos s, 0.8 sin s), told by the contact coordinate s of the
// nearest point: h = (q - c) . c', g = (q - c) . n with the unit normal n.

static const double BEAD_A = 1.2, BEAD_B = 0.8;

static inline double bead_normal(double s, double n[2])
{
    const double x = BEAD_B * cos(s), y = BEAD_A * sin(s), size = sqrt(x * x + y * y);
    n[0] = x / size;
    n[1] = y / size;
    return size; // also |c'|
}

static inline int bead_force(void *user, const tn_arguments *x, double *f)
{
    (void)user;
    (void)x;
    f[0] = 0.0;
    f[1] = -G0;
    return 0;
}

static inline int bead_constraint(void *user, const tn_arguments *x, double *g)
{
    (void)user;
    double n[2];
    bead_normal(x->s[0], n);
    g[0] = n[0] * (x->q[0] - BEAD_A * cos(x->s[0])) + n[1] * (x->q[1] - BEAD_B * sin(x->s[0]));
    return 0;
}

static inline int bead_contact(void *user, const tn_arguments *x, double *h)
{
    (void)user;
    const double s = x->s[0];
    h[0] = -(x->q[0] - BEAD_A * cos(s)) * BEAD_A * sin(s) +
           (x->q[1] - BEAD_B * sin(s)) * BEAD_B * cos(s);
    return 0;
}

static inline void bead_rhs(double t, const double *x, double *dx)
{
    (void)t;
    const double s = sin(x[0]), c = cos(x[0]), a2 = BEAD_A * BEAD_A, b2 = BEAD_B * BEAD_B;
    dx[0] = x[1];
    dx[1] = (-G0 * BEAD_B * c - (a2 - b2) * s * c * x[1] * x[1]) / (a2 * s * s + b2 * c * c);
}

static inline void bead_exact(double t, double at[QUANTITIES][ROOM])
{
    double x[2] = {-1.0, 1.5}, n[2];
    runge_kutta(bead_rhs, 2, 0.0, t, 4000, x);
    bead_normal(x[0], n);
    const double s = sin(x[0]), c = cos(x[0]), rate = x[1];
    at[OF_Q][0] = BEAD_A * c;
    at[OF_Q][1] = BEAD_B * s;
    at[OF_V][0] = -BEAD_A * s * rate;
    at[OF_V][1] = BEAD_B * c * rate;
    at[OF_LAMBDA][0] = -G0 * n[1] + (n[0] * BEAD_A * c + n[1] * BEAD_B * s) * rate * rate;
    at[OF_W][0] = x[0];
}

static const double bead_s0[] = {-1.0};
static const tn_callbacks bead_functions = {
    .user = (void *)&two,
    .nq = 2,
    .ng = 1,
    .ns = 1,
    .mass = unit_mass,
    .force = bead_force,
    .constraint = bead_constraint,
    .contact = bead_contact,
    .s0 = bead_s0,
};
// c(-1) and 1.5 c'(-1)
static const double bead_q0[] = {0.64836276704176765, -0.67317678784631716};
static const double bead_v0[] = {1.5146477726542136, 0.64836276704176765};

// Sampled: a pendulum with a horizontal force r that a controller holds between its samples, every
// 0.3 s: r = -8 x - 3 x'.

static inline int held_force(void *user, const tn_arguments *x, double *f)
{
    (void)user;
    f[0] = x->r[0];
    f[1] = -G0;
    return 0;
}

static inline double held_next(void *user, double t)
{
    (void)user;
    return 0.3 * (floor(t / 0.3 * (1.0 + 1e-12)) + 1.0);
}

static inline int held_sample(void *user, const tn_arguments *x, double *r)
{
    (void)user;
    r[0] = -8.0 * x->q[0] - 3.0 * x->v[0];
    return 0;
}

static inline void held_rhs(double t, const double *x, double *dx)
{
    (void)t;
    dx[0] = x[1];
    dx[1] = x[2] * cos(x[0]) - G0 * sin(x[0]);
    dx[2] = 0.0;
}

static inline void held_exact(double t, double at[QUANTITIES][ROOM])
{
    double x[3] = {0.6, 0.5, 0.0}, from = 0.0;
    for (double next = 0.3; next < t; next += 0.3) {
        runge_kutta(held_rhs, 3, from, next, 1000, x);
        x[2] = -8.0 * sin(x[0]) - 3.0 * x[1] * cos(x[0]);
        from = next;
    }
    runge_kutta(held_rhs, 3, from, t, 1000, x);
    pendulum_values(x[0], x[1], at);
    at[OF_LAMBDA][0] = x[2] * sin(x[0]) + G0 * cos(x[0]) + x[1] * x[1];
}

static const tn_callbacks held_functions = {
    .user = (void *)&two,
    .nq = 2,
    .ng = 1,
    .nr = 1,
    .mass = unit_mass,
    .force = held_force,
    .constraint = circle,
    .next_sample = held_next,
    .sample = held_sample,
};
