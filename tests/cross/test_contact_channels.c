// SPDX-License-Identifier: MIT
//
// What results tell of contacts, JOINT.contact, JOINT.point and JOINT.load, in all coordinates:
// against closed forms of an eccentric cam, against the shapes of both bodies, and against
// expressions that use the same names.
//
// The cam is a circle of R whose centre C is at e from its shaft, at the angle phi. A flat face
// above it touches at C + (0, R); a roller of r with its centre P on the y axis at C + R u,
// u = (P - C) / (R + r). On the profile C + R (cos s, sin s), which turns with the shaft, these are
// at s = pi / 2 - phi and s = arg u - phi.

#include "tenon/tenon.h"
#include "test.h"

#include <stdio.h>

static const double PI = 3.14159265358979323846;
static const double E = 0.01, R = 0.03, ROLLER = 0.012, M = 0.5, GRAVITY = 9.81, SPEED = 8.0;
// Positions hold to the tolerance of the runs, 1e-11, with a few digits for constraints.
static const double PLACE = 1e-10;

static const char *const methods[] = {"radau5/ggl@absolute", "radau5/ggl@joint",
                                      "radau5/ggl@director"};

static tn_vec3 point_of(tn_sim *sim, const char *joint)
{
    double p[3];
    for (int k = 0; k < 3; k++) {
        char name[60];
        snprintf(name, sizeof name, "%s.point.%c", joint, "xyz"[k]);
        p[k] = tn_test_value(sim, name);
    }
    return tn_v3(p[0], p[1], p[2]);
}

// The unit that a channel states.
static const char *unit_of(tn_sim *sim, const char *name)
{
    tn_channel_info info = {.unit = "none"};
    int channel = -1;
    CHECK_OK(tn_sim_channel_find(sim, name, &channel));
    CHECK_OK(tn_sim_channel_at(sim, channel, &info));
    return info.unit;
}

// Cams --------------------------------------------------------------------------------------------

static const char cam[] =
    "tenon: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  shaft: {kind: planar, mass: 1, inertia: 0.01}\n"
    "  tappet: {kind: planar, mass: 0.5, inertia: 0.001, initial: {position: [0, %s]}}\n"
    "joints:\n"
    "  bearing: {kind: revolute, bodies: [ground, shaft]}\n"
    "  guide: {kind: prismatic, bodies: [ground, tappet], axis: [0, 1]}\n"
    "  valve: {kind: cam, bodies: [shaft, tappet], %s, lift_off: tell}\n"
    "  motor: {kind: drive, joint: bearing, motion: 8*t}\n"
    "signals: {s: valve.contact.s_a, x: valve.point.x, y: valve.point.y, N: valve.load}\n"
    "outputs: {told: {value: valve.load - valve.point.x}}\n";

static tn_sim *open_cam(bool roller, const char *profile, const char *method)
{
    char text[2000], contact[400];
    snprintf(contact, sizeof contact, "%s, follower: %s", profile,
             roller ? "roller, radius: 0.012" : "flat");
    snprintf(text, sizeof text, cam, roller ? "sqrt(0.042^2 - 0.01^2)" : "0.03", contact);
    return tn_test_open_text(text, method, 0.0, 1e-11);
}

typedef struct told {
    tn_vec3 point;
    double s, load;
} told;

// Lift y'' of the roller: y = e sin(phi) + w, w = sqrt(L^2 - e^2 cos(phi)^2).
static told expect(bool roller, double phi)
{
    const double sn = sin(phi), cs = cos(phi), L = R + ROLLER, w = sqrt(L * L - E * E * cs * cs);
    const double w1 = E * E * sn * cs / w, w2 = (E * E * (cs * cs - sn * sn) - w1 * w1) / w;
    const double accel = SPEED * SPEED * (-E * sn + (roller ? w2 : 0.0));
    const double ux = roller ? -E * cs / L : 0.0, uy = roller ? w / L : 1.0;
    return (told){.point = tn_v3(E * cs + R * ux, E * sn + R * uy, 0.0),
                  .s = atan2(uy, ux) - phi,
                  .load = M * (GRAVITY + accel) / uy};
}

static void check_cam(bool roller, const char *method)
{
    tn_sim *sim = open_cam(roller, "x: 0.01 + 0.03*cos(s), y: 0.03*sin(s)", method);
    for (int i = 0; i <= 8; i++) {
        const double t = 0.15 * i;
        const told is = expect(roller, SPEED * t);
        CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
        const tn_vec3 p = point_of(sim, "valve");
        const double s = tn_test_value(sim, "valve.contact.s_a");
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(p, is.point)), 0.0, PLACE);
        CHECK(s >= 0.0 && s <= 2.0 * PI);
        CHECK_NEAR(remainder(s - is.s, 2.0 * PI), 0.0, 1e-8); // a place on R = 0.03 m
        CHECK_NEAR(tn_test_value(sim, "valve.load"), is.load, 1e-6);
        if (!roller)
            CHECK_NEAR(tn_test_value(sim, "valve.contact.s_b"), is.point.x, PLACE);
        // Signals see the same numbers, s but for turns.
        CHECK_NEAR(remainder(tn_test_value(sim, "s") - s, 2.0 * PI), 0.0, 1e-12);
        CHECK_NEAR(tn_test_value(sim, "x"), p.x, 1e-15);
        CHECK_NEAR(tn_test_value(sim, "y"), p.y, 1e-15);
        CHECK_NEAR(tn_test_value(sim, "N"), tn_test_value(sim, "valve.load"), 1e-9);
        CHECK_NEAR(tn_test_value(sim, "told"), tn_test_value(sim, "valve.load") - p.x, 1e-15);
    }
    tn_sim_destroy(sim);
}

static void cams_tell_where_they_touch(void)
{
    for (int k = 0; k < TN_COUNT(methods); k++) {
        check_cam(false, methods[k]);
        check_cam(true, methods[k]);
    }
}

static void units_are_those_of_the_profile(void)
{
    tn_sim *text = open_cam(false, "x: 0.01 + 0.03*cos(s), y: 0.03*sin(s)", methods[0]);
    CHECK_TEXT(unit_of(text, "valve.contact.s_a"), "");
    CHECK_TEXT(unit_of(text, "valve.contact.s_b"), "m");
    CHECK_TEXT(unit_of(text, "valve.point.x"), "m");
    CHECK_TEXT(unit_of(text, "valve.load"), "N");
    tn_sim_destroy(text);
    tn_sim *points = open_cam(true,
                              "points: [[0.04, 0], [0.0312, 0.0212], [0.01, 0.03], [-0.0112, "
                              "0.0212], [-0.02, 0], [-0.0112, -0.0212], [0.01, -0.03], [0.0312, "
                              "-0.0212]]",
                              methods[0]);
    CHECK_TEXT(unit_of(points, "valve.contact.s_a"), "m");
    int channel;
    CHECK(tn_sim_channel_find(points, "valve.contact.s_b", &channel) != TN_OK); // of a roller
    CHECK(tn_sim_channel_find(points, "guide.load", &channel) != TN_OK);
    tn_sim_destroy(points);
}

// Shapes in space ---------------------------------------------------------------------------------

static void a_ball_in_a_bowl(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  bob: {kind: point, mass: 2, initial: {position: [0.7, 0, 0], velocity: [0, 1.5, 0.4]}}\n"
        "joints:\n"
        "  bowl: {kind: point-on-surface, bodies: [ground, bob], x: 0.8*cos(u)*cos(v),\n"
        "         y: 0.8*sin(u)*cos(v), z: 0.8*sin(v), u_from: -pi, u_to: pi, v_from: -1.5,\n"
        "         v_to: 1.2, other_side: true, lift_off: tell, radius: 0.1}\n";
    tn_sim *sim = tn_test_open_text(text, "radau5/ggl@absolute", 0.0, 1e-11);
    for (int i = 0; i <= 4; i++) {
        CHECK_OK(tn_sim_run(sim, 0.25 * i, NULL, NULL));
        const tn_vec3 p = point_of(sim, "bowl"), bob = tn_sim_body_frame(sim, (tn_body){1}).p;
        const double u = tn_test_value(sim, "bowl.contact.u");
        const double v = tn_test_value(sim, "bowl.contact.v");
        const tn_vec3 on = tn_v3(0.8 * cos(u) * cos(v), 0.8 * sin(u) * cos(v), 0.8 * sin(v));
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(p, on)), 0.0, PLACE);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(p, bob)), 0.1, PLACE);
    }
    tn_sim_destroy(sim);
}

static void a_bar_on_a_wire(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  bar: {mass: 1, inertia: [0.1, 0.12, 0.02], com: [0.5, 0, 0],\n"
        "        initial: {rate: [0.5, -0.21, 0.7]}}\n"
        "joints:\n"
        "  ball: {kind: spherical, bodies: [ground, bar], at: [0, 0, 0]}\n"
        "  wire: {kind: curve-on-curve, bodies: [ground, bar], x: 0.6, y: s, z: 0.3*s,\n"
        "         from: -2, to: 2, x_b: s, y_b: 0, z_b: 0, from_b: 0.1, to_b: 3,\n"
        "         lift_off: tell}\n";
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = tn_test_open_text(text, methods[k], 0.0, 1e-11);
        CHECK_OK(tn_sim_run(sim, 0.6, NULL, NULL));
        const tn_vec3 p = point_of(sim, "wire");
        const tn_mat3 turn = tn_sim_body_frame(sim, (tn_body){1}).R;
        const double s = tn_test_value(sim, "wire.contact.s_a");
        const double z = tn_test_value(sim, "wire.contact.s_b");
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(p, tn_v3(0.6, s, 0.3 * s))), 0.0, PLACE);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(p, tn_v3_scale(z, tn_m3_column(turn, 0)))), 0.0, PLACE);
        tn_sim_destroy(sim);
    }
}

// One wheelset on straight rails: the point is on the rail at s, on the wheel at z, and psi is the
// angle about the axle from the radius that is lowest.
static void check_wheel(tn_sim *sim, const char *joint, double side)
{
    const double A = 0.75, CONE = 0.05, RADIUS = 0.45, HEAD = 0.3;
    char name[60];
    double at[3];
    for (int k = 0; k < 3; k++) {
        static const char *const words[] = {"s", "z", "psi"};
        snprintf(name, sizeof name, "%s.contact.%s", joint, words[k]);
        at[k] = tn_test_value(sim, name);
        CHECK_TEXT(unit_of(sim, name), k == 2 ? "rad" : "");
    }
    const tn_frame set = tn_sim_body_frame(sim, (tn_body){1});
    const tn_vec3 p = point_of(sim, joint), arm = tn_v3_sub(p, set.p);
    const tn_vec3 in = tn_v3_sub(tn_m3_apply_t(set.R, arm), tn_v3(0.0, side * A, 0.0));
    const double off = at[0] - side * HEAD * sin(CONE);
    CHECK_NEAR(p.y - side * A, at[0], PLACE);
    CHECK_NEAR(p.z, sqrt(HEAD * HEAD - off * off) - RADIUS - HEAD * cos(CONE), PLACE);
    CHECK_NEAR(in.y, at[1], PLACE);
    CHECK_NEAR(hypot(in.x, in.z), RADIUS - side * tan(CONE) * at[1], PLACE);
    const tn_vec3 b = tn_m3_column(set.R, 1);
    const tn_vec3 low = tn_v3_sub(tn_v3_scale(b.z, b), tn_v3(0.0, 0.0, 1.0));
    const tn_vec3 e = tn_v3_sub(arm, tn_v3_scale(tn_v3_dot(arm, b), b));
    CHECK_NEAR(atan2(tn_v3_dot(e, tn_v3_cross(b, low)), tn_v3_dot(e, low)), at[2], 1e-9);
    snprintf(name, sizeof name, "%s.load", joint);
    CHECK(tn_test_value(sim, name) > 1000.0);
}

static void wheels_on_rails(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "parameters: {a: 0.75, cone: 0.05, r: 0.45, head: 0.3}\n"
        "bodies:\n"
        "  set: {mass: 1200, inertia: [700, 100, 700], initial: {position: [0, 0.004, 0],\n"
        "        orientation: {angles: [0, 0, 0.01]}, velocity: [10, 0, 0], rate: [0, 22, 0]}}\n"
        "joints:\n"
        "  left: {kind: wheel-rail, body: set, frame_a: {at: [0, a, 0]}, frame_b: {at: [0, a, "
        "0]},\n"
        "         rail_y: s, rail_z: 'sqrt(head^2 - (s - head*sin(cone))^2) - r - "
        "head*cos(cone)',\n"
        "         rail_from: -0.1, rail_to: 0.1,\n"
        "         wheel_y: s, wheel_r: r - tan(cone)*s, wheel_from: -0.1, wheel_to: 0.1}\n"
        "  right: {kind: wheel-rail, body: set, frame_a: {at: [0, -a, 0]}, frame_b: {at: [0, -a, "
        "0]},\n"
        "          rail_y: s, rail_z: 'sqrt(head^2 - (s + head*sin(cone))^2) - r - "
        "head*cos(cone)',\n"
        "          rail_from: -0.1, rail_to: 0.1,\n"
        "          wheel_y: s, wheel_r: r + tan(cone)*s, wheel_from: -0.1, wheel_to: 0.1}\n";
    tn_sim *sim = tn_test_open_text(text, "dop853/index1+project@absolute", 0.0, 1e-11);
    for (int i = 0; i <= 3; i++) {
        CHECK_OK(tn_sim_run(sim, 0.05 * i, NULL, NULL));
        check_wheel(sim, "left", 1.0);
        check_wheel(sim, "right", -1.0);
    }
    tn_sim_destroy(sim);
}

static const tn_test tests[] = {
    {"cams tell where they touch", cams_tell_where_they_touch},
    {"units are those of the profile", units_are_those_of_the_profile},
    {"a ball in a bowl", a_ball_in_a_bowl},
    {"a bar on a wire", a_bar_on_a_wire},
    {"wheels on rails", wheels_on_rails},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
