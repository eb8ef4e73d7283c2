// SPDX-License-Identifier: MIT
//
// Four machines with controllers, hydraulics and an electric motor in model files: Tenon gives the
// motion of the same equations written by hand here, with nothing of the library, to 1e-8.

#include "by_hand.h"

static const double G = 9.81; // [m/s^2]

// Solves the symmetric A x = b by Gauss, n at most 3.
static void solve(int n, double A[3][3], double *b)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            const double factor = A[i][k] / A[k][k];
            for (int j = k; j < n; j++)
                A[i][j] -= factor * A[k][j];
            b[i] -= factor * b[k];
        }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
}

static double effort_of(tn_sim *sim, int force)
{
    tn_force_state state;
    CHECK_OK(tn_sim_force(sim, (tn_force){force}, &state));
    return state.effort;
}

// Crane -------------------------------------------------------------------------------------------

// y = (x, rope, load, and their rates), angles from the vertical; u: the effort asked for. With the
// rope of length l and mass m and the load of mass p at a below the hook,
// Lagrange's equations in the three angles and ways.
static const double CRANE_L = 4.0, CRANE_A = 0.5, ROPE = 4.0, LOAD = 60.0;

static double crane_error(double t, const double *y)
{
    return 5.0 * (1.0 - exp(-0.1 * t * t)) - y[0];
}

static double crane_effort(double t, const double *y, const double *u)
{
    return u[0] - 30.0 * y[3];
}

static void crane_rate(double t, const double *y, const double *u, double *rate)
{
    const double l = CRANE_L, a = CRANE_A, s = (0.5 * ROPE + LOAD) * l, p = LOAD * a;
    const double difference = y[1] - y[2], air = 4.0 * (y[5] - y[4]);
    double A[3][3] = {
        {100.0 + ROPE + LOAD, s * cos(y[1]), p * cos(y[2])},
        {s * cos(y[1]), ROPE * l * l / 3.0 + LOAD * l * l, p * l * cos(difference)},
        {p * cos(y[2]), p * l * cos(difference), 6.0 + p * a},
    };
    double b[3] = {
        crane_effort(t, y, u) + s * sin(y[1]) * y[4] * y[4] + p * sin(y[2]) * y[5] * y[5],
        -s * G * sin(y[1]) - p * l * sin(difference) * y[5] * y[5] + air,
        -p * G * sin(y[2]) + p * l * sin(difference) * y[4] * y[4] - air,
    };
    solve(3, A, b);
    for (int i = 0; i < 3; i++) {
        rate[i] = y[3 + i];
        rate[3 + i] = b[i];
    }
}

static void crane_start(double *y)
{
    y[1] = y[2] = 0.1;
}

static void crane_read(tn_sim *sim, double *y)
{
    y[0] = tn_sim_body_frame(sim, (tn_body){1}).p.x;
    y[3] = tn_sim_body_velocity(sim, (tn_body){1}).x;
    for (int k = 1; k < 3; k++) {
        y[k] = hand_angle(sim, 1 + k);
        y[3 + k] = tn_sim_body_rate(sim, (tn_body){1 + k}).z;
    }
    y[6] = effort_of(sim, 0);
}

// kept: the sum of errors and the last one.
static void crane_sample(double t, const double *y, double *kept, double *u)
{
    const double every = 0.02, error = crane_error(t, y);
    kept[0] += every * error;
    u[0] = 220.0 * error + 12.0 * kept[0] + 420.0 * (error - kept[1]) / every - 400.0 * y[4];
    kept[1] = error;
}

static void a_crane_with_a_sampled_controller(void)
{
    hand_compare(&(hand_machine){.file = "crane",
                                 .n = 6,
                                 .t_end = 3.01,
                                 .step = 0.01,
                                 .rate = crane_rate,
                                 .start = crane_start,
                                 .read = crane_read,
                                 .made = crane_effort,
                                 .every = 0.02,
                                 .delay = 7e-3,
                                 .sample = crane_sample});
}

// Hydraulic lift ----------------------------------------------------------------------------------

// y = (boom, basket, their rates, spool, pa, pb): the boom from the level, the basket from the
// vertical.
enum { SPOOL = 4, PA, PB };

typedef struct cylinder {
    double length, arm, rate; // arm: derivative of the length by the angle of the boom
} cylinder;

static cylinder lift_cylinder(double angle, double rate)
{
    const double r = 1.2, x = r * cos(angle) - 0.9, y = r * sin(angle) + 0.8;
    const double length = sqrt(x * x + y * y);
    const double arm = (-x * r * sin(angle) + y * r * cos(angle)) / length;
    return (cylinder){length, arm, arm * rate};
}

static double signed_root(double p)
{
    return p / sqrt(sqrt(p * p + 2e4 * 2e4));
}

// Into a chamber through the openings to the supply and to the tank.
static double valve_flow(double in, double out, double p)
{
    return 3e-7 * (in * signed_root(2e7 - p) - out * signed_root(p - 1e5));
}

static void oil_rate(double t, const double *y, double *rate)
{
    const double beta = 1.2e9, Aa = 3e-3, Ab = 2e-3;
    const cylinder c = lift_cylinder(y[0], y[2]);
    const double rest = lift_cylinder(0.3, 0.0).length, way = c.length - rest;
    const double wanted = rest + 0.25 * (1.0 - exp(-2.0 * t * t));
    const double up = 0.5 * (y[SPOOL] + sqrt(y[SPOOL] * y[SPOOL] + 1e-4)), down = up - y[SPOOL];
    const double leak = 2e-13 * (y[PA] - y[PB]);
    rate[SPOOL] = (20.0 * (wanted - c.length) - y[SPOOL]) / 0.03;
    rate[PA] = beta / (1e-3 + Aa * way) * (valve_flow(up, down, y[PA]) - Aa * c.rate - leak);
    rate[PB] = beta / (1.6e-3 - Ab * way) * (valve_flow(down, up, y[PB]) + Ab * c.rate + leak);
}

static double lift_force(double t, const double *y, const double *u)
{
    return 3e-3 * y[PA] - 2e-3 * y[PB] - 400.0 * lift_cylinder(y[0], y[2]).rate;
}

static void lift_rate(double t, const double *y, const double *u, double *rate)
{
    const double l = 3.0, a = 0.7, boom = 150.0, basket = 250.0, p = basket * l * a;
    const double s = sin(y[1] - y[0]), c = cos(y[1] - y[0]), bearing = 60.0 * (y[3] - y[2]);
    double A[3][3] = {{boom * l * l / 3.0 + basket * l * l, p * s}, {p * s, 40.0 + basket * a * a}};
    double b[2] = {
        -G * (0.5 * boom + basket) * l * cos(y[0]) - p * c * y[3] * y[3] + bearing +
            lift_force(t, y, u) * lift_cylinder(y[0], y[2]).arm,
        -G * basket * a * sin(y[1]) + p * c * y[2] * y[2] - bearing,
    };
    solve(2, A, b);
    for (int i = 0; i < 2; i++) {
        rate[i] = y[2 + i];
        rate[2 + i] = b[i];
    }
    oil_rate(t, y, rate);
}

static void lift_start(double *y)
{
    y[0] = 0.3;
    y[PA] = 6e6;
    y[PB] = 4e6;
}

static void lift_read(tn_sim *sim, double *y)
{
    for (int k = 0; k < 2; k++) {
        y[k] = hand_angle(sim, 1 + k);
        y[2 + k] = tn_sim_body_rate(sim, (tn_body){1 + k}).z;
    }
    memcpy(y + SPOOL, tn_sim_extra(sim), 3 * sizeof(double));
    y[7] = effort_of(sim, 0);
}

static void a_hydraulic_lift(void)
{
    hand_compare(&(hand_machine){.file = "hydraulic_lift",
                                 .n = 7,
                                 .t_end = 2.0,
                                 .step = 2e-3,
                                 .rate = lift_rate,
                                 .start = lift_start,
                                 .read = lift_read,
                                 .made = lift_force});
}

// Cart and pole -----------------------------------------------------------------------------------

// y = (x, angle, their rates, and what the observer believes of x, x', angle, angle').
static double cart_push(double t, const double *y, const double *u)
{
    static const double k[4] = {-10.0, -11.381891, 75.315026, 17.391381};
    double force = 4.0 * exp(-50.0 * (t - 3.0) * (t - 3.0));
    for (int i = 0; i < 4; i++)
        force -= k[i] * y[4 + i];
    return force;
}

static void observer_rate(double force, const double *y, double *rate)
{
    const double M = 1.0, m = 0.2, l = 0.5, J = m * l * l / 3.0 + m * l * l, o = 25.0;
    const double n = (M + m) * J - m * l * m * l;
    const double a1 = m * l * m * l * G / n, a2 = (M + m) * m * G * l / n;
    const double missed_x = y[0] - y[4], missed_lean = y[1] - y[6];
    rate[4] = y[5] + 2.0 * o * missed_x;
    rate[5] = J / n * force + a1 * y[6] + o * o * missed_x + a1 * missed_lean;
    rate[6] = y[7] + 2.0 * o * missed_lean;
    rate[7] = m * l / n * force + a2 * y[6] + (o * o + a2) * missed_lean;
}

static void cart_rate(double t, const double *y, const double *u, double *rate)
{
    const double m = 0.2, l = 0.5, push = cart_push(t, y, u);
    double A[3][3] = {{1.0 + m, -m * l * cos(y[1])}, {-m * l * cos(y[1]), 4.0 / 3.0 * m * l * l}};
    double b[2] = {push - m * l * sin(y[1]) * y[3] * y[3], m * G * l * sin(y[1])};
    solve(2, A, b);
    for (int i = 0; i < 2; i++) {
        rate[i] = y[2 + i];
        rate[2 + i] = b[i];
    }
    observer_rate(push - 4.0 * exp(-50.0 * (t - 3.0) * (t - 3.0)), y, rate);
}

static void cart_start(double *y)
{
    y[1] = 0.25;
}

static void cart_read(tn_sim *sim, double *y)
{
    y[0] = tn_sim_body_frame(sim, (tn_body){1}).p.x;
    y[1] = hand_angle(sim, 2);
    y[2] = tn_sim_body_velocity(sim, (tn_body){1}).x;
    y[3] = tn_sim_body_rate(sim, (tn_body){2}).z;
    memcpy(y + 4, tn_sim_extra(sim), 4 * sizeof(double));
    y[8] = effort_of(sim, 0);
}

static void a_pole_on_a_cart_with_an_observer(void)
{
    hand_compare(&(hand_machine){.file = "cart_pole_lqr",
                                 .n = 8,
                                 .t_end = 4.0,
                                 .step = 0.01,
                                 .rate = cart_rate,
                                 .start = cart_start,
                                 .read = cart_read,
                                 .made = cart_push});
}

// DC motor ----------------------------------------------------------------------------------------

// y = (arm, its rate, current, sum): the arm from the level, the rotor turns 40 times as far.
static double motor_torque(double t, const double *y, const double *u)
{
    return 0.05 * y[2];
}

static void motor_rate(double t, const double *y, const double *u, double *rate)
{
    const double ratio = 40.0, l = 0.5, rotor = ratio * y[1];
    const double wanted = 2.0 * (1.0 - exp(-3.0 * t * t));
    const double error = ratio * 6.0 * (wanted - y[0] - 0.5 * 3.14159265358979323846) - rotor;
    const double inertia = 1.5 * l * l / 3.0 + ratio * ratio * 4e-5;
    rate[0] = y[1];
    rate[1] =
        (ratio * motor_torque(t, y, u) - 0.05 * y[1] - 1.5 * G * 0.5 * l * cos(y[0])) / inertia;
    rate[2] = (0.1 * error + y[3] - 0.6 * y[2] - 0.05 * rotor) / 2e-3;
    rate[3] = 2.0 * error;
}

static void motor_start(double *y)
{
    y[0] = -0.5 * 3.14159265358979323846;
}

static void motor_read(tn_sim *sim, double *y)
{
    y[0] = hand_angle(sim, 2);
    y[1] = tn_sim_body_rate(sim, (tn_body){2}).z;
    memcpy(y + 2, tn_sim_extra(sim), 2 * sizeof(double));
    y[4] = effort_of(sim, 0);
}

static void an_electric_motor_with_its_current(void)
{
    hand_compare(&(hand_machine){.file = "dc_motor",
                                 .n = 4,
                                 .t_end = 2.0,
                                 .step = 2e-3,
                                 .rate = motor_rate,
                                 .start = motor_start,
                                 .read = motor_read,
                                 .made = motor_torque});
}

// Castor ------------------------------------------------------------------------------------------

// y = (angle, its rate, deflection of the tyre). The pivot moves with constant speed, so that
// moments about it are those of a fixed point. The side force is in kN.
static double castor_side(double t, const double *y, const double *u)
{
    return -3.0 / 0.12 * y[2];
}

static void castor_rate(double t, const double *y, const double *u, double *rate)
{
    const double V = 6.0, l = 0.08, inertia = 0.02 + 3.0 * (l - 0.02) * (l - 0.02);
    const double along = V * cos(y[0]), across = -V * sin(y[0]) - l * y[1];
    rate[0] = y[1];
    rate[1] = (-(l + 0.01) * 1e3 * castor_side(t, y, u) - 0.3 * y[1]) / inertia;
    rate[2] = across - fabs(along) * y[2] / 0.12;
}

static void castor_start(double *y)
{
    y[0] = 0.02;
}

static void castor_read(tn_sim *sim, double *y)
{
    tn_force_state tyre;
    y[0] = hand_angle(sim, 2);
    y[1] = tn_sim_body_rate(sim, (tn_body){2}).z;
    y[2] = tn_sim_extra(sim)[0];
    CHECK_OK(tn_sim_force(sim, (tn_force){0}, &tyre));
    y[3] = 1e-3 * (cos(y[0]) * tyre.on_b.f.y - sin(y[0]) * tyre.on_b.f.x);
}

static void a_castor_that_shimmies(void)
{
    hand_compare(&(hand_machine){.file = "shimmy",
                                 .n = 3,
                                 .t_end = 0.4,
                                 .step = 2e-3,
                                 .rate = castor_rate,
                                 .start = castor_start,
                                 .read = castor_read,
                                 .made = castor_side});
}

static const tn_test tests[] = {
    {"a crane with a sampled controller", a_crane_with_a_sampled_controller},
    {"a hydraulic lift", a_hydraulic_lift},
    {"a pole on a cart with an observer", a_pole_on_a_cart_with_an_observer},
    {"an electric motor with its current", an_electric_motor_with_its_current},
    {"a castor that shimmies", a_castor_that_shimmies},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
