// SPDX-License-Identifier: MIT
//
// Robots in URDF: the equations of the robot of models/robots against sums over its links that know
// nothing of bodies or frames of Tenon, what is told of it, and files that are refused.

#include "cli_driver.h"
#include "tenon/tenon.h"
#include "text/buffer.h"

// Sums over links --------------------------------------------------------------------------------

enum { LINKS = 6, FREEDOMS = 3 };

// A link and the joint on which it hangs, once more than in arm.urdf; coordinate -1: fixed.
typedef struct part {
    int parent, coordinate;
    bool slides;
    double at[3], turn[3], axis[3];
    double mass, com[3], inertia_turn[3], moments[6]; // xx, yy, zz, xy, xz, yz
} part;

static const double ROOT_HALF = 0.70710678118654752440;
static const part parts[LINKS] = {
    {-1, -1, false, {0, 0.1, 0.3}, {0, 0, 0.5}, {0}, 0, {0}, {0}, {0}}, // mount
    {0,
     0,
     false,
     {0, 0, 0.05},
     {0.3, 0, 0},
     {0, 1, 0},
     3,
     {0.02, 0.01, 0.2},
     {0.1, 0.2, 0.3},
     {0.05, 0.06, 0.02, 0.001, -0.002, 0.003}},
    {1,
     -1,
     false,
     {0, 0, 0.4},
     {0, 0.7, 0},
     {0},
     1.2,
     {0.05, 0, 0},
     {0, 0, 1},
     {0.002, 0.003, 0.001, 0, 0, 0}},
    {2,
     1,
     false,
     {0, 0, 0},
     {0, 0.4, 0},
     {1, 0, 0},
     2,
     {0.15, 0, 0},
     {0},
     {0.003, 0.03, 0.031, 0, 0, 0}},
    {3,
     2,
     true,
     {0.3, 0, 0},
     {0},
     {ROOT_HALF, 0, ROOT_HALF},
     0.5,
     {0},
     {0},
     {0.001, 0.001, 0.001, 0, 0, 0}},
    {4, -1, false, {0, 0, 0.1}, {0}, {0}, 0, {0}, {0}, {0}}, // tool
};

static tn_mat3 turned(const double a[3])
{
    return tn_m3_mul(tn_m3_rot_z(a[2]), tn_m3_mul(tn_m3_rot_y(a[1]), tn_m3_rot_x(a[0])));
}

// A turn about an axis by Rodrigues' formula.
static tn_mat3 about(tn_vec3 axis, double angle)
{
    const tn_mat3 K = tn_m3_skew(axis);
    const tn_mat3 R = tn_m3_axpy(sin(angle), K, tn_m3_identity);
    return tn_m3_axpy(1.0 - cos(angle), tn_m3_mul(K, K), R);
}

typedef struct pose {
    tn_frame at[LINKS];
    tn_vec3 axis[FREEDOMS], origin[FREEDOMS]; // in inertial axes
    bool slides[FREEDOMS];
} pose;

static pose pose_at(const double q[FREEDOMS])
{
    pose p;
    for (int i = 0; i < LINKS; i++) {
        const part *x = &parts[i];
        tn_frame f = {turned(x->turn), tn_v3_from(x->at)};
        f = x->parent < 0 ? f : tn_frame_mul(p.at[x->parent], f);
        if (x->coordinate >= 0) {
            const double c = q[x->coordinate];
            const tn_vec3 axis = tn_v3_from(x->axis);
            p.axis[x->coordinate] = tn_m3_apply(f.R, axis);
            p.origin[x->coordinate] = f.p;
            p.slides[x->coordinate] = x->slides;
            if (x->slides)
                f.p = tn_frame_point(f, tn_v3_scale(c, axis));
            else
                f.R = tn_m3_mul(f.R, about(axis, c));
        }
        p.at[i] = f;
    }
    return p;
}

static bool moves_with(int i, int coordinate)
{
    for (; i >= 0; i = parts[i].parent)
        if (parts[i].coordinate == coordinate)
            return true;
    return false;
}

// Rates of the centre and of the turn of link i by a coordinate.
static void rates(const pose *p, int i, int k, tn_vec3 *v, tn_vec3 *w)
{
    const tn_vec3 centre = tn_frame_point(p->at[i], tn_v3_from(parts[i].com));
    *v = *w = tn_v3(0, 0, 0);
    if (!moves_with(i, k))
        return;
    *w = p->slides[k] ? *w : p->axis[k];
    *v = p->slides[k] ? p->axis[k] : tn_v3_cross(*w, tn_v3_sub(centre, p->origin[k]));
}

static const double GRAVITY = 9.81;

// Mass matrix, and forces of gravity along the coordinates.
static void sum_up(const double q[FREEDOMS], double M[FREEDOMS * FREEDOMS], double f[FREEDOMS])
{
    const pose p = pose_at(q);
    memset(M, 0, FREEDOMS * FREEDOMS * sizeof *M);
    memset(f, 0, FREEDOMS * sizeof *f);
    for (int i = 0; i < LINKS; i++) {
        const double *m = parts[i].moments;
        const tn_mat3 about_com = {{{m[0], m[3], m[4]}, {m[3], m[1], m[5]}, {m[4], m[5], m[2]}}};
        const tn_mat3 R = tn_m3_mul(p.at[i].R, turned(parts[i].inertia_turn));
        const tn_mat3 I = tn_m3_mul(R, tn_m3_mul(about_com, tn_m3_transpose(R)));
        for (int a = 0; a < FREEDOMS; a++) {
            tn_vec3 va, wa, vb, wb;
            rates(&p, i, a, &va, &wa);
            f[a] -= GRAVITY * parts[i].mass * va.z;
            for (int b = 0; b < FREEDOMS; b++) {
                rates(&p, i, b, &vb, &wb);
                M[a + FREEDOMS * b] +=
                    parts[i].mass * tn_v3_dot(va, vb) + tn_v3_dot(wa, tn_m3_apply(I, wb));
            }
        }
    }
}

// The robot --------------------------------------------------------------------------------------

static const double ROUNDOFF = 1e-13; // sums of six links of a metre and a few kilograms

// The coordinates are shoulder, elbow and reach; limits may push where they are passed.
static void check_equations(const tn_model *model, bool limits)
{
    static const char *const names[FREEDOMS] = {"'shoulder'", "'elbow'", "'reach'"};
    tn_dynamics *arm = NULL;
    double M[FREEDOMS * FREEDOMS], want[FREEDOMS * FREEDOMS], f[FREEDOMS], push[FREEDOMS];
    const double still[FREEDOMS] = {0};
    char name[128];
    CHECK_OK(tn_dynamics_create(model, "joint", &arm));
    CHECK(tn_dynamics_nv(arm) == FREEDOMS);
    for (int round = 0; round < 5; round++) {
        double q[FREEDOMS];
        for (int i = 0; i < FREEDOMS; i++) {
            q[i] = tn_random();
            CHECK_OK(tn_dynamics_velocity_name(arm, i, name, sizeof name));
            CHECK(strstr(name, names[i]));
        }
        CHECK_OK(tn_dynamics_set(arm, 0.0, q, still));
        CHECK_OK(tn_dynamics_mass_matrix(arm, M));
        CHECK_OK(tn_dynamics_forces(arm, f));
        sum_up(q, want, push);
        for (int i = 0; i < FREEDOMS * FREEDOMS; i++)
            CHECK_NEAR(M[i], want[i], ROUNDOFF);
        for (int i = 0; i < FREEDOMS && !limits; i++)
            CHECK_NEAR(f[i], push[i], 100 * ROUNDOFF); // weights of some 100 N
    }
    tn_dynamics_destroy(arm);
}

static void a_robot_has_the_mass_matrix_of_its_links(void)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(tn_test_path("models/robots/arm.urdf"), &model, NULL));
    check_equations(model, true);
    tn_model_destroy(model);
}

static void the_text_of_a_robot_is_the_same_model(void)
{
    tn_import_options options = tn_default_import();
    tn_import *robot = NULL;
    tn_model *model = NULL;
    options.limits = "none";
    CHECK_OK(tn_import_create(tn_test_path("models/robots/arm.urdf"), &options, &robot));
    CHECK_OK(tn_model_parse(tn_import_text(robot), "arm.yaml", &model, NULL));
    check_equations(model, false);
    const tn_import_facts f = tn_import_facts_of(robot);
    CHECK_TEXT(f.name, "arm");
    CHECK(f.links == 7 && f.joints == 6 && f.bodies == 3 && f.massless == 0);
    CHECK_NEAR(f.mass, 7 + 3 + 1.2 + 2 + 0.5, ROUNDOFF);
    tn_model_destroy(model);
    tn_import_destroy(robot);
}

// The same arm in MJCF, with classes within classes, a joint beside the origin of its body, an
// angle of reference, degrees, Euler angles about fixed axes, a mass by geoms, and rotors, whose
// inertia the mass matrix of the arm alone does not have.
static const char arm_mjcf[] =
    "<mujoco model='arm'>"
    "<compiler angle='degree' eulerseq='XYZ'/><option gravity='0 0 -9.81'/>"
    "<default><joint axis='0 1 0' armature='0.02'/><geom density='0'/>"
    "<default class='arm'><joint damping='0.4'/><default class='turn'><joint axis='1 0 0'/>"
    "</default></default></default>"
    "<worldbody><body name='mount' pos='0 0.1 0.3' euler='0 0 28.64788975654116' childclass='arm'>"
    // The frame of the joint is turned by 0.3 about x, and the drawn position by 0.5 about y more.
    "<body name='upper' pos='0 0 0.05'"
    " quat='0.9580325796404553 0.14479246283091116 0.2446258794777393 0.036971585637570345'>"
    "<joint name='shoulder' ref='28.64788975654116'/>"
    "<inertial pos='0.02 0.01 0.2' euler='5.729577951308232 11.459155902616464 17.188733853924695'"
    " mass='3' fullinertia='0.05 0.06 0.02 0.001 -0.002 0.003'/>"
    "<body name='motor' pos='0 0 0.4' euler='0 40.107045659157624 0'>"
    "<inertial pos='0.05 0 0' euler='0 0 57.29577951308232' mass='1.2'"
    " diaginertia='0.002 0.003 0.001'/>"
    "<body name='fore' euler='0 22.918311805232928 0'>"
    "<joint name='elbow' class='turn' pos='0.3 0 0'/>"
    "<inertial pos='0.15 0 0' mass='2' diaginertia='0.003 0.03 0.031'/>"
    "<body name='slide' pos='0.3 0 0'><joint name='reach' type='slide' axis='1 0 1'/>"
    "<geom type='sphere' size='0.07071067811865476' mass='0.5'/>"
    "</body></body></body></body></body></worldbody>"
    "<equality><joint joint1='reach' joint2='elbow' polycoef='0.05 0.1 0 0 0'/></equality>"
    "<keyframe><key name='home' qpos='0 0 0'/></keyframe></mujoco>";

static void the_same_arm_in_mjcf_has_the_same_equations(void)
{
    tn_import_options options = tn_default_import();
    tn_import *robot = NULL;
    tn_model *model = NULL;
    options.limits = "none";
    options.without = "armature,equality";
    write_text("arm.xml", arm_mjcf);
    CHECK_OK(tn_import_create("arm.xml", &options, &robot));
    CHECK_TEXT(tn_import_facts_of(robot).format, "MJCF");
    CHECK_OK(tn_model_parse(tn_import_text(robot), "arm.yaml", &model, NULL));
    check_equations(model, false);
    tn_model_destroy(model);
    tn_import_destroy(robot);
}

// A rotor of inertia a on a pendulum of inertia I about its pin: (I + a) q'' = -m g l sin q.
static void rotors_add_their_inertia_to_a_coordinate(void)
{
    static const char pendulum[] =
        "<mujoco><worldbody><body name='rod'><joint name='pin' axis='0 1 0' armature='0.5'"
        " ref='90'/><inertial pos='0.4 0 0' mass='2' diaginertia='0.1 0.1 0.1'/></body>"
        "</worldbody></mujoco>";
    const double inertia = 0.1 + 2 * 0.4 * 0.4 + 0.5, expected = 2 * 9.81 * 0.4 / inertia;
    tn_model *model = NULL;
    tn_dynamics *rod = NULL;
    CHECK_OK(tn_model_parse(pendulum, "p.xml", &model, NULL));
    CHECK_OK(tn_dynamics_create(model, "joint", &rod));
    double a[2];
    CHECK(tn_dynamics_nv(rod) == 2 && tn_dynamics_rows(rod) == 1);
    double lambda;
    CHECK_OK(tn_dynamics_forward(rod, NULL, a, &lambda));
    CHECK_NEAR(a[0], expected, ROUNDOFF); // the rod points along x, and gravity pulls it about y
    tn_dynamics_destroy(rod);
    tn_model_destroy(model);
}

// force = gear clamp(kp clamp(u) - kp gear q - kv gear q') on a rod of inertia I, without gravity.
static void actuators_are_laws_with_an_input(void)
{
    static const char rod_mjcf[] =
        "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/>"
        "<default><default class='s'><position kp='30' kv='4' ctrlrange='-1 "
        "1'/></default></default>"
        "<worldbody><body name='rod'><joint name='pin' axis='0 1 0'/>"
        "<inertial pos='0.4 0 0' mass='2' diaginertia='0.1 0.1 0.1'/></body></worldbody>"
        "<actuator><position name='servo-1' class='s' joint='pin' gear='2' forcerange='-50 50'/>"
        "<motor joint='pin'/></actuator></mujoco>";
    static const struct {
        double u, q, v, force;
    } cases[] = {{0.5, 0.1, 0.2, 2 * (15 - 30 * 0.2 - 4 * 0.4)}, // 14.8
                 {3.0, 0.1, 0.0, 2 * (30 - 6)},                  // the input at its limit
                 {1.0, -2.0, 0.0, 2 * 50}};                      // the force at its limit
    const double inertia = 0.1 + 2 * 0.4 * 0.4;
    tn_model *model = NULL;
    tn_dynamics *rod = NULL;
    CHECK_OK(tn_model_parse(rod_mjcf, "rod.xml", &model, NULL));
    CHECK_OK(tn_dynamics_create(model, "joint", &rod));
    const tn_input servo = tn_model_find_input(model, "servo_1_ctrl");
    CHECK(servo.index >= 0 && tn_model_find_input(model, "pin_ctrl").index >= 0);
    for (int i = 0; i < TN_COUNT(cases); i++) {
        double a;
        CHECK_OK(tn_dynamics_set_input(rod, servo, cases[i].u));
        CHECK_OK(tn_dynamics_set(rod, 0.0, &cases[i].q, &cases[i].v));
        CHECK_OK(tn_dynamics_forward(rod, NULL, &a, NULL));
        CHECK_NEAR(a * inertia, cases[i].force, 100 * ROUNDOFF);
    }
    tn_dynamics_destroy(rod);
    tn_model_destroy(model);
}

static int notes_with(const tn_import *robot, tn_import_kind kind, int line, const char *text)
{
    int n = 0;
    for (int i = 0; i < tn_import_note_count(robot); i++) {
        const tn_import_note note = tn_import_note_at(robot, i);
        n += note.kind == kind && note.line == line && strstr(note.text, text);
    }
    return n;
}

static void what_was_assumed_is_told(void)
{
    tn_import *robot = NULL;
    CHECK_OK(tn_import_create(tn_test_path("models/robots/arm.urdf"), NULL, &robot));
    CHECK(notes_with(robot, TN_IMPORT_LEFT_OUT, 94, "'transmission'") == 1);
    CHECK(notes_with(robot, TN_IMPORT_ASSUMED, 41, "'shoulder' starts at 0.2") == 1);
    CHECK(notes_with(robot, TN_IMPORT_ASSUMED, 8, "'base' is the root and is held") == 1);
    CHECK(notes_with(robot, TN_IMPORT_ASSUMED, 1, "gravity is 9.81") == 1);
    CHECK(notes_with(robot, TN_IMPORT_ASSUMED, 1, "limits of 2 joints are elastic stops") == 1);
    CHECK(notes_with(robot, TN_IMPORT_LEFT_OUT, 1, "1 shape for collisions") == 1);
    CHECK(tn_import_note_count(robot) == 6);
    tn_import_destroy(robot);
}

// A follower keeps to c_1 = ratio c_2 + offset.
static void a_robot_runs_as_it_is(void)
{
    const char *path = tn_test_path("models/robots/arm.urdf");
    tn_sim *sim = NULL;
    tn_model *model = NULL;
    tn_simulate simulate;
    CHECK(tenon("run %s --t-end 0.3 --out arm.results --force", path) == 0);
    CHECK(file_exists("arm.results/result.h5") || file_exists("arm.results/result.csv"));
    CHECK_OK(tn_model_load(path, &model, &simulate));
    CHECK_OK(tn_sim_create(model, &simulate.options, &sim));
    for (int k = 0; k <= 3; k++) {
        CHECK_OK(tn_sim_run(sim, 0.1 * k, NULL, NULL));
        CHECK_NEAR(tn_test_value(sim, "reach.displacement"),
                   0.1 * tn_test_value(sim, "elbow.angle") + 0.05, 1e-9); // kept by projection
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Loops and choices ------------------------------------------------------------------------------

#define LINK(name) "<link name='" name "'/>"
#define MASS "<inertial><mass value='1'/>"
#define JOINT(name, kind, from, to, more)                                                         \
    "<joint name='" name "' type='" kind "'><parent link='" from "'/><child link='" to "'/>" more \
    "</joint>"
#define ARM LINK("a") LINK("b")

#define BAR(name, length, mass)                                                        \
    "<link name='" name "'><inertial><origin xyz='" length " 0 0'/><mass value='" mass \
    "'/><inertia ixx='0.001' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link>"
#define HINGE(name, from, to, origin)                                                    \
    "<joint name='" name "' type='continuous'><parent link='" from "'/><child link='" to \
    "'/><axis xyz='0 1 0'/><origin " origin "/></joint>"
// A four-bar but for its last joint: between the coupler at 0.6 m and the frame `end`.
#define OPEN_FOURBAR                                                                          \
    "<link name='base'/>" BAR("crank", "0.1", "1") BAR("coupler", "0.3", "2")                 \
        BAR("rocker", "0.2", "1") "<link name='end'/>" HINGE("a", "base", "crank", "")        \
            HINGE("b", "crank", "coupler", "xyz='0.2 0 0' rpy='0 -0.7 0'")                    \
                HINGE("d", "base", "rocker",                                                  \
                      "xyz='0.6 0 0' rpy='0 -1.5 0'") "<joint name='f' type='fixed'><parent " \
                                                      "link='rocker'/><child link='end'/>"    \
                                                      "<origin xyz='0.4 0 0'/></joint>"

static const char last_joint[] = "joints:\n"
                                 "  c: {kind: revolute, bodies: [coupler, end],\n"
                                 "    frame_a: {at: [0.6, 0, 0], axis: [0, 1, 0]},\n"
                                 "    frame_b: {axis: [0, 1, 0]}}\n";

// Angle of the crank a little later, of a mechanism with one freedom.
static double swing(const char *path)
{
    tn_model *model = NULL;
    tn_check *check = NULL;
    tn_sim *sim = NULL;
    tn_simulate simulate;
    CHECK_OK(tn_model_load(path, &model, &simulate));
    CHECK_OK(tn_check_create(model, &simulate.options, &check));
    CHECK(tn_check_freedoms(check) == 1);
    simulate.options.method = "galpha/ggl@joint";
    simulate.options.step = 1e-3;
    CHECK_OK(tn_sim_create(model, &simulate.options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.3, NULL, NULL));
    const double angle = tn_test_value(sim, "a.angle");
    tn_sim_destroy(sim);
    tn_check_destroy(check);
    tn_model_destroy(model);
    return angle;
}

static const double ASSEMBLED = 1e-5; // the search for the start goes by the order of joints

// The last joint in a file of its own, in one that takes the robot over, in the robot as Drake
// states it, and as a second parent of the end.
static void loops_are_closed_in_four_ways(void)
{
    char text[4096];
    write_text("open.urdf", "<robot name='open'>" OPEN_FOURBAR "</robot>");
    snprintf(text, sizeof text, "tenon: 1\n%s", last_joint);
    write_text("close.yaml", text);
    CHECK(tenon("import open.urdf --close close.yaml -o closed.yaml --force") == 0);
    const double angle = swing("closed.yaml");
    CHECK(fabs(angle) > 0.05); // it moves
    snprintf(text, sizeof text, "tenon: 1\ninclude: open.urdf\n%s", last_joint);
    write_text("around.yaml", text);
    CHECK_NEAR(swing("around.yaml"), angle, ASSEMBLED);
    write_text("drake.urdf",
               "<robot name='drake'>" OPEN_FOURBAR
               "<loop_joint name='c' type='continuous'><axis xyz='0 1 0'/>"
               "<link1 link='coupler' xyz='0.6 0 0' rpy='0 0 0'/><link2 link='end'/></loop_joint>"
               "</robot>");
    CHECK_NEAR(swing("drake.urdf"), angle, ASSEMBLED);
    write_text("second.urdf", "<robot name='second'>" OPEN_FOURBAR HINGE(
                                  "c", "coupler", "end", "xyz='0.6 0 0'") "</robot>");
    CHECK_NEAR(swing("second.urdf"), angle, ASSEMBLED);
}

#define HEAVY(name, moments)                                             \
    "<link name='" name "'><inertial><mass value='1'/><inertia " moments \
    " ixy='0' ixz='0' iyz='0'/></inertial></link>"

// A thin link of impossible moments is fine beside a heavy one, which is judged with it.
static void inertias_are_judged_when_links_are_merged(void)
{
    static const char robot[] = "<robot>" LINK("a") HEAVY("b", "ixx='1' iyy='1' izz='1'")
        HEAVY("c", "ixx='0.1' iyy='0.1' izz='0.5'") JOINT("j", "revolute", "a", "b", "")
            JOINT("k", "fixed", "b", "c", "") "</robot>";
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(robot, "r.urdf", &model, NULL));
    tn_model_destroy(model);
}

static void inertias_are_repaired_or_kept_on_demand(void)
{
    tn_import_options options = tn_default_import();
    tn_import *robot = NULL;
    tn_model *model = NULL;
    write_text("bad.urdf", "<robot>" LINK("a") HEAVY("b", "ixx='1' iyy='2' izz='4'")
                               JOINT("j", "revolute", "a", "b", "") "</robot>");
    options.inertia = "repair"; // second moments 2.5, 1.5, -0.5 become 2.5, 1.5, 0
    CHECK_OK(tn_import_create("bad.urdf", &options, &robot));
    CHECK(strstr(tn_import_text(robot), "inertia: [1.5, 2.5, 4]"));
    CHECK(notes_with(robot, TN_IMPORT_CHANGED, 1, "become 1.5, 2.5, 4") == 1);
    CHECK_OK(tn_model_parse(tn_import_text(robot), "r.yaml", &model, NULL));
    tn_import_destroy(robot);
    tn_model_destroy(model);
    options.inertia = "keep";
    CHECK_OK(tn_import_create("bad.urdf", &options, &robot));
    CHECK(strstr(tn_import_text(robot), "inertia: [1, 2, 4]"));
    CHECK(notes_with(robot, TN_IMPORT_CHANGED, 1, "are kept") == 1);
    CHECK_OK(tn_model_parse(tn_import_text(robot), "r.yaml", &model, NULL));
    tn_import_destroy(robot);
    tn_model_destroy(model);
}

static void odd_names_become_names_of_models(void)
{
    tn_import *robot = NULL;
    tn_model *model = NULL;
    write_text("names.urdf", "<robot name='a &quot;b&quot;'>" LINK("ground") LINK("a.b") LINK("a_b")
                                 LINK("true") LINK("") JOINT("a/b", "fixed", "ground", "a.b", "")
                                     JOINT("true", "fixed", "a.b", "a_b", "")
                                         JOINT("x", "fixed", "a_b", "true", "")
                                             JOINT("", "fixed", "a_b", "", "") "</robot>");
    CHECK_OK(tn_import_create("names.urdf", NULL, &robot));
    CHECK(notes_with(robot, TN_IMPORT_CHANGED, 1, "link 'ground' is 'ground_2' in the model") == 1);
    CHECK(notes_with(robot, TN_IMPORT_CHANGED, 1, "link 'a.b' is 'a_b_3' in the model") == 1);
    CHECK(notes_with(robot, TN_IMPORT_CHANGED, 1, "joint 'true' is '") == 0); // links are others
    CHECK_OK(tn_model_parse(tn_import_text(robot), "r.yaml", &model, NULL));
    tn_model_destroy(model);
    tn_import_destroy(robot);
}

static void a_long_chain_is_read_in_linear_time(void)
{
    enum { LINKS_OF_CHAIN = 20000 };
    tn_buffer text = {0};
    tn_model *model = NULL;
    tn_buffer_say(&text, "<robot name='chain'>\n<link name='l0'/>\n");
    for (int i = 1; i <= LINKS_OF_CHAIN; i++)
        tn_buffer_format(&text,
                         "<link name='l%d'/><joint name='j%d' type='fixed'><parent link='l%d'/>"
                         "<child link='l%d'/></joint>\n",
                         i, i, i - 1, i);
    tn_buffer_say(&text, "</robot>\n");
    CHECK(!text.failed);
    CHECK_OK(tn_model_parse(text.text, "chain.urdf", &model, NULL));
    CHECK(tn_model_body_count(model) == 1); // the ground
    tn_model_destroy(model);
    tn_free(text.text);
}

static void running_out_of_memory_leaks_nothing(void)
{
    for (int k = 0; k < 2; k++) {
        bool failed = true;
        for (long n = 1; failed; n += 1 + n / 8) {
            const long live = tn_test_alloc_live();
            tn_import *robot = NULL;
            write_text("memory.xml",
                       k == 0 ? arm_mjcf : "<robot name='o'>" OPEN_FOURBAR "</robot>");
            tn_test_alloc_fail_at(n);
            const tn_status s = tn_import_create("memory.xml", NULL, &robot);
            failed = tn_test_alloc_failed();
            tn_test_alloc_fail_at(0);
            CHECK(s == (failed ? TN_ERR_MEMORY : TN_OK));
            tn_import_destroy(robot);
            CHECK(tn_test_alloc_live() == live);
        }
    }
}

// What is refused --------------------------------------------------------------------------------

static const struct {
    const char *text, *says;
} refused[] = {
    {"<robot>", "r.urdf:1: "},
    {"<!DOCTYPE robot [<!ENTITY a 'aaaa'>]><robot>&a;</robot>",
     "r.urdf:1: a document type (<!DOCTYPE>) may define entities, which are not read"},
    {"<robot name='&undefined;'/>", "r.urdf:1: Entity 'undefined' not defined"},
    {"<house/>", "<house> is no robot that Tenon reads"},
    {"<robot/>", "the robot has no link"},
    {"<robot><link/></robot>", "link: attribute 'name' is missing"},
    {"<robot>\n" LINK("a") "\n" LINK("a") "</robot>",
     "r.urdf:3: link 'a' is there already, in line 2"},
    {"<robot>" ARM "</robot>", "link 'b' hangs on no joint, and neither does link 'a' in line 1"},
    {"<robot>" LINK("a") JOINT("j", "fixed", "a", "a", "") "</robot>",
     "joint 'j': link 'a' is its own parent"},
    {"<robot>" ARM JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", "") "</robot>",
     "a robot has one root"},
    {"<robot>" ARM LINK("c") JOINT("j", "fixed", "b", "c", "")
         JOINT("k", "fixed", "c", "b", "") "</robot>",
     "link 'b' is part of a ring of joints that hangs on nothing"},
    {"<robot>" ARM JOINT("j", "fixed", "a", "bb", "") "</robot>",
     "joint 'j': child 'bb' is no link of the robot; known are a, b"},
    {"<robot>" ARM JOINT("j", "hinge", "a", "b", "") "</robot>",
     "joint 'j': type 'hinge' is not known; did you mean 'revolute'?"},
    {"<robot>" ARM JOINT("j", "revolute", "a", "b", "<axis xyz='0 0 0'/>") "</robot>",
     "joint 'j': the axis is zero and has no direction"},
    {"<robot>" ARM JOINT("j", "revolute", "a", "b", "<axis xyz='0 nan 1'/>") "</robot>",
     "joint 'j': xyz: expected three numbers"},
    {"<robot>" ARM JOINT("j", "revolute", "a", "b", "<axis xyz='0,0,1'/>") "</robot>",
     "found '0,0,1'"},
    {"<robot>" ARM JOINT("j", "revolute", "a", "b", "<axis xyz='0 0 1e999'/>") "</robot>",
     "which is beyond all numbers"},
    {"<robot>" ARM JOINT("j", "revolute", "a", "b", "<axis xyz='0 0 1 0'/>") "</robot>",
     "found '0 0 1 0'"},
    {"<robot>" ARM JOINT("j", "revolute", "a", "b", "<limit lower='1' upper='0'/>") "</robot>",
     "joint 'j': the lower limit 1 is above the upper one, 0"},
    {"<robot>" ARM JOINT("j", "revolute", "a", "b", "<dynamics damping='-1'/>") "</robot>",
     "joint 'j': damping is -1; it must not be negative"},
    {"<robot>" ARM JOINT("j", "revolute", "a", "b", "<mimic joint='j'/>") "</robot>",
     "joint 'j' follows itself"},
    {"<robot>" ARM JOINT("j", "revolute", "a", "b", "<mimic joint='i'/>") "</robot>",
     "joint 'j': mimic 'i' is no joint; known are j"},
    {"<robot>" ARM JOINT("j", "revolute", "a", "b", "<mimic joint='j' multiplier='0'/>") "</robot>",
     "joint 'j': mimic has the multiplier 0"},
    {"<robot>" LINK(
         "a") "<link name='b'>" MASS
              "<inertia ixx='1' iyy='2' izz='4' ixy='0' ixz='0' iyz='0'/></inertial></link>" JOINT(
                  "j", "revolute", "a", "b", "") "</robot>",
     "link 'b': principal moments 1, 2, 4; the last must not exceed 3, the sum of the others"},
    {"<robot>" LINK("a") "<link name='b'><inertial><mass value='-1'/></inertial></link></robot>",
     "link 'b': inertial: the mass is -1 kg; it must not be negative"},
    {"<mujoco/>", "the robot has no <worldbody>"},
    {"<mujoco><worldbody><frame/></worldbody><actuator><muscle name='m'/></actuator></mujoco>",
     "muscle 'm': actuator is not read; 'tenon import --without actuator' leaves it out"},
    {"<mujoco><worldbody><body><frame/></body></worldbody></mujoco>", "<frame> is not read"},
    {"<mujoco><worldbody/><include file='a.xml'/></mujoco>", "<include> is not read"},
    {"<mujoco><worldbody><body name='b'><geom type='box' size='1 1'/></body></worldbody></mujoco>",
     "body 'b' states no inertial, and the mass of a geom of type 'box' is not computed"},
    {"<mujoco><worldbody><body name='b'><joint name='j' type='screw'/></body></worldbody></mujoco>",
     "joint 'j': type 'screw' is not known"},
    {"<mujoco><worldbody/><equality><connect body1='b' anchor='0 0 0'/></equality></mujoco>",
     "connect: body1 'b' is no body"},
    {"<mujoco><worldbody/><tendon><spatial name='t'/></tendon></mujoco>",
     "spatial 't': tendon is not read; 'tenon import --without tendon' leaves it out"},
    {"<mujoco><compiler eulerseq='abc'/><worldbody/></mujoco>",
     "compiler: eulerseq 'abc' is not three of x, y, z"},
    {"<robot xmlns:xacro='x'>\n<xacro:pelvis/>" LINK("leg")
         JOINT("hip", "fixed", "pelvis", "leg", "") "</robot>",
     "r.urdf:2: xacro:pelvis is not expanded; run xacro on the file first"},
};

static void what_is_wrong_is_told_by_line_and_name(void)
{
    for (int i = 0; i < TN_COUNT(refused); i++) {
        tn_model *model = NULL;
        const tn_status s = tn_model_parse(refused[i].text, "r.urdf", &model, NULL);
        if (s != TN_ERR_MODEL || !tn_test_says(refused[i].says))
            printf("%s\nsays %s\nnot  %s\n", refused[i].text, tn_last_error(), refused[i].says);
        CHECK_STATUS(s, TN_ERR_MODEL);
        CHECK(tn_test_says(refused[i].says));
    }
}

static void options_that_are_not_known_are_refused(void)
{
    tn_import_options options = tn_default_import();
    tn_import *robot = NULL;
    options.base = "flying";
    CHECK_STATUS(tn_import_create(tn_test_path("models/robots/arm.urdf"), &options, &robot),
                 TN_ERR_USAGE);
    CHECK(!robot && tn_test_says("unknown base 'flying'; known are fixed, free"));
    refuses(1, "import r.urdf --keep mass",
            "tenon: --keep knows 'fixed' and 'inertia', not 'mass'\n");
}

static void mistakes_of_the_model_stand_in_lines_of_the_robot(void)
{
    tn_model *model = NULL;
    tn_check *check = NULL;
    tn_simulate simulate;
    CHECK_OK(tn_model_parse("<robot>\n" ARM "\n" JOINT("j", "floating", "a", "b", "") "</robot>",
                            "r.urdf", &model, &simulate));
    CHECK(tn_check_create(model, &simulate.options, &check) != TN_OK);
    CHECK(tn_test_says("r.urdf:2:1: "));
    tn_check_destroy(check);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"a robot has the mass matrix of its links", a_robot_has_the_mass_matrix_of_its_links},
    {"the text of a robot is the same model", the_text_of_a_robot_is_the_same_model},
    {"the same arm in MJCF has the same equations", the_same_arm_in_mjcf_has_the_same_equations},
    {"rotors add their inertia to a coordinate", rotors_add_their_inertia_to_a_coordinate},
    {"actuators are laws with an input", actuators_are_laws_with_an_input},
    {"what was assumed is told", what_was_assumed_is_told},
    {"a robot runs as it is", a_robot_runs_as_it_is},
    {"loops are closed in four ways", loops_are_closed_in_four_ways},
    {"inertias are judged when links are merged", inertias_are_judged_when_links_are_merged},
    {"inertias are repaired or kept on demand", inertias_are_repaired_or_kept_on_demand},
    {"odd names become names of models", odd_names_become_names_of_models},
    {"a long chain is read in linear time", a_long_chain_is_read_in_linear_time},
    {"running out of memory leaks nothing", running_out_of_memory_leaks_nothing},
    {"what is wrong is told by line and name", what_is_wrong_is_told_by_line_and_name},
    {"options that are not known are refused", options_that_are_not_known_are_refused},
    {"mistakes of the model stand in lines of the robot",
     mistakes_of_the_model_stand_in_lines_of_the_robot},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
