// SPDX-License-Identifier: MIT
//
// Couplings: the rows they make of other joints' coordinates, the rows a pose drive asks of each
// kind of body, and what is said about references that cannot be.

#include "kinds/family.h"
#include "model/joint.h"
#include "model/model.h"
#include "test.h"

static const double ROUNDOFF = 1e-14; // a handful of operations on numbers of size one

// A wheel, a slide and a point mass, each on its joint to the ground.
typedef struct workshop {
    tn_model *model;
    tn_body wheel, slide, bob, flat, dot; // rigid, rigid, point, planar, point in the plane
    tn_joint pin, guide, ball, flat_pin, dot_pin;
} workshop;

static tn_body body(tn_model *model, const char *name, tn_body_kind kind)
{
    tn_body_def def = tn_default_body();
    def.name = name;
    def.kind = kind;
    return tn_model_add_body(model, &def);
}

static tn_joint joint(tn_model *model, const char *name, tn_joint_kind kind, tn_body b)
{
    tn_joint_def def = tn_default_joint(kind);
    def.name = name;
    def.body_b = b;
    return tn_model_add_joint(model, &def);
}

static workshop make(void)
{
    workshop w = {.model = tn_model_create()};
    w.wheel = body(w.model, "wheel", TN_BODY_RIGID);
    w.slide = body(w.model, "slide", TN_BODY_RIGID);
    w.bob = body(w.model, "bob", TN_BODY_POINT);
    w.flat = body(w.model, "flat", TN_BODY_PLANAR);
    w.dot = body(w.model, "dot", TN_BODY_POINT_2D);
    w.pin = joint(w.model, "pin", TN_JOINT_REVOLUTE, w.wheel);
    w.guide = joint(w.model, "guide", TN_JOINT_PRISMATIC, w.slide);
    w.ball = joint(w.model, "ball", TN_JOINT_SPHERICAL, w.bob);
    w.flat_pin = joint(w.model, "flat pin", TN_JOINT_REVOLUTE, w.flat);
    w.dot_pin = joint(w.model, "dot pin", TN_JOINT_REVOLUTE, w.dot);
    CHECK_OK(tn_model_status(w.model));
    return w;
}

static tn_joint_def gear(const workshop *w)
{
    tn_joint_def def = tn_default_joint(TN_JOINT_GEAR);
    def.name = "train";
    def.gear.joint_1 = w->pin;
    def.gear.joint_2 = w->guide;
    def.gear.ratio_1 = 2.0;
    def.gear.ratio_2 = -3.0;
    return def;
}

static tn_joint_def rack(const workshop *w)
{
    tn_joint_def def = tn_default_joint(TN_JOINT_RACK_PINION);
    def.name = "steering";
    def.rack_pinion.rack = w->guide;
    def.rack_pinion.pinion = w->pin;
    def.rack_pinion.radius = 0.25;
    return def;
}

static tn_joint_def drive(const workshop *w)
{
    tn_joint_def def = tn_default_joint(TN_JOINT_DRIVE);
    def.name = "motor";
    def.drive.joint = w->pin;
    def.drive.motion.constant = 1.5;
    return def;
}

static void check_term(tn_term term, tn_joint expected, tn_row_form form, double coefficient)
{
    CHECK(term.joint == expected.index);
    CHECK(term.row.form == form);
    CHECK_NEAR(term.coefficient, coefficient, 0.0);
}

static void gears_and_racks_combine_coordinates(void)
{
    workshop w = make();
    const tn_joint_def train = gear(&w), steering = rack(&w);
    const tn_joint g = tn_model_add_joint(w.model, &train),
                   r = tn_model_add_joint(w.model, &steering);
    CHECK_OK(tn_model_status(w.model));

    CHECK(tn_constraint_count(w.model, g.index) == 1);
    tn_constraint_row row = tn_constraint_get(w.model, g.index, 0);
    CHECK(row.nterm == 2 && row.start_constant && !row.u);
    check_term(row.term[0], w.pin, TN_ROW_ANGLE, 2.0);
    check_term(row.term[1], w.guide, TN_ROW_AXIS, -3.0);
    CHECK_TEXT(tn_constraint_row_name(w.model, g.index, 0), "ratio");

    row = tn_constraint_get(w.model, r.index, 0);
    CHECK(row.nterm == 2 && row.start_constant && !row.u);
    check_term(row.term[0], w.guide, TN_ROW_AXIS, 1.0);
    check_term(row.term[1], w.pin, TN_ROW_ANGLE, -0.25);
    tn_model_destroy(w.model);
}

static void a_drive_subtracts_its_function(void)
{
    workshop w = make();
    const tn_joint_def motor = drive(&w);
    const tn_joint d = tn_model_add_joint(w.model, &motor);
    CHECK_OK(tn_model_status(w.model));

    const tn_constraint_row row = tn_constraint_get(w.model, d.index, 0);
    double u[3];
    CHECK(row.nterm == 1 && !row.start_constant && row.u);
    check_term(row.term[0], w.pin, TN_ROW_ANGLE, 1.0);
    tn_timefn_eval(row.u, 0.3, u);
    CHECK_NEAR(u[0], 1.5, 0.0);
    tn_model_destroy(w.model);
}

static void simple_rows_are_taken_on_their_own_frames(void)
{
    workshop w = make();
    const int n = tn_constraint_count(w.model, w.guide.index);
    CHECK(n == 5);
    for (int i = 0; i < n; i++) {
        const tn_constraint_row row = tn_constraint_get(w.model, w.guide.index, i);
        CHECK(row.nterm == 1 && !row.u && !row.start_constant);
        check_term(row.term[0], w.guide, tn_joint_ops_of(TN_JOINT_PRISMATIC)->rows[i].form, 1.0);
    }
    tn_model_destroy(w.model);
}

static void check_pose_rows(workshop *w, tn_body follower, int n, const char *const *names)
{
    const tn_joint j = joint(w->model, NULL, TN_JOINT_POSE_DRIVE, follower);
    CHECK_OK(tn_model_status(w->model));
    CHECK(tn_constraint_count(w->model, j.index) == n);
    for (int i = 0; i < n; i++) {
        CHECK_TEXT(tn_constraint_row_name(w->model, j.index, i), names[i]);
        CHECK(tn_constraint_get(w->model, j.index, i).term[0].joint == j.index);
    }
}

static void a_pose_drive_asks_what_its_body_can_answer(void)
{
    static const char *const rigid[] = {"x",           "y", "z", "turn about z", "tilt about y",
                                        "tilt about x"};
    static const char *const planar[] = {"x", "y", "turn about z"};
    workshop w = make();
    check_pose_rows(&w, w.wheel, 6, rigid);
    check_pose_rows(&w, w.flat, 3, planar);
    check_pose_rows(&w, w.bob, 3, rigid);
    check_pose_rows(&w, w.dot, 2, rigid);

    const tn_joint j = joint(w.model, NULL, TN_JOINT_POSE_DRIVE, w.flat);
    const tn_row turn = tn_constraint_get(w.model, j.index, 2).term[0].row;
    CHECK(turn.form == TN_ROW_DOT && turn.i == TN_X && turn.j == TN_Y);
    tn_model_destroy(w.model);
}

static void points_are_held_where_the_kind_says(void)
{
    tn_pair at = {.a.x = tn_frame_identity, .b.x = tn_frame_identity, .length = 5.0};
    at.a.x.R = tn_m3_rot_x(0.5);
    at.b.x.p = tn_m3_apply(at.a.x.R, tn_v3(0.0, 0.0, 2.0));
    const tn_joint_ops *line = tn_joint_ops_of(TN_JOINT_POINT_ON_LINE);
    CHECK_NEAR(tn_row_value(&line->rows[0], &at, 0.0), 0.0, ROUNDOFF);
    CHECK_NEAR(tn_row_value(&line->rows[1], &at, 0.0), 0.0, ROUNDOFF);
    CHECK_NEAR(tn_row_value(&line->coords[0].row, &at, 0.0), 2.0, ROUNDOFF);

    at.b.x.p = tn_m3_apply(at.a.x.R, tn_v3(3.0, 4.0, 0.0));
    const tn_joint_ops *plane = tn_joint_ops_of(TN_JOINT_POINT_IN_PLANE);
    CHECK_NEAR(tn_row_value(&plane->rows[0], &at, 0.0), 0.0, ROUNDOFF);
    CHECK_NEAR(tn_row_value(&plane->coords[0].row, &at, 0.0), 3.0, ROUNDOFF);
    CHECK_NEAR(tn_row_value(&plane->coords[1].row, &at, 0.0), 4.0, ROUNDOFF);

    const tn_joint_ops *rod = tn_joint_ops_of(TN_JOINT_DISTANCE);
    CHECK_NEAR(tn_row_value(&rod->rows[0], &at, 0.0), 0.0, ROUNDOFF);
}

// Adds a faulty joint to a fresh workshop and checks the sentence.
static void refused(workshop *w, const tn_joint_def *def, const char *sentence)
{
    CHECK(tn_model_add_joint(w->model, def).index == -1);
    CHECK_STATUS(tn_model_status(w->model), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), sentence);
    tn_model_destroy(w->model);
    *w = make();
}

static void wrong_references_are_refused(void)
{
    workshop w = make();

    tn_joint_def def = gear(&w);
    def.gear.coordinate_1 = 2;
    refused(&w, &def,
            "joint 'train': coordinate 2 of joint 'pin' does not exist (a revolute joint has 1, "
            "numbered from 0)");
    def = gear(&w);
    def.gear.joint_2 = (tn_joint){-1};
    refused(&w, &def, "joint 'train': joint_2 is not a joint of this model");
    def = gear(&w);
    def.gear.joint_2 = def.gear.joint_1;
    refused(&w, &def,
            "joint 'train': couples coordinate 0 of joint 'pin' with itself; joint_2 must be "
            "another joint or coordinate");
    def = rack(&w);
    def.rack_pinion.rack = w.pin;
    refused(&w, &def,
            "joint 'steering': rack must be a displacement, but coordinate 0 of joint 'pin' "
            "(angle) is an angle");
    def = rack(&w);
    def.rack_pinion.pinion = w.guide;
    refused(&w, &def,
            "joint 'steering': pinion must be an angle, but coordinate 0 of joint 'guide' "
            "(displacement) is a displacement");
    def = drive(&w);
    def.drive.joint = w.ball;
    refused(&w, &def, "joint 'motor': joint 'ball' has no coordinates (it is a spherical joint)");
    def = drive(&w);
    def.drive.joint = joint(w.model, "cross", TN_JOINT_UNIVERSAL, w.wheel);
    def.drive.coordinate = 2;
    refused(&w, &def,
            "joint 'motor': coordinate 2 of joint 'cross' does not exist (a universal joint has 2, "
            "numbered from 0)");
    def = drive(&w);
    def.drive.joint = w.dot_pin;
    refused(&w, &def,
            "joint 'motor': coordinate 0 (angle) of joint 'dot pin' needs a body with "
            "orientation, but 'dot' is a point mass");
    def = tn_default_joint(TN_JOINT_POSE_DRIVE);
    def.name = "shaker";
    def.body_a = w.slide;
    def.body_b = w.wheel;
    refused(&w, &def,
            "joint 'shaker': a pose is driven against the ground, so body_a cannot be 'slide'; "
            "leave it out");
    tn_model_destroy(w.model);
}

static tn_joint_def shaker(tn_body body)
{
    tn_joint_def def = tn_default_joint(TN_JOINT_POSE_DRIVE);
    def.name = "shaker";
    def.body_b = body;
    return def;
}

static void poses_that_a_body_cannot_follow_are_refused(void)
{
    workshop w = make();

    tn_joint_def def = shaker(w.wheel);
    def.frame_a.p.x = 0.1;
    refused(&w, &def,
            "joint 'shaker': a pose is stated in the inertial frame, so there is no frame_a; leave "
            "it out");
    def = shaker(w.flat);
    def.pose.pitch.expression = "t";
    refused(&w, &def,
            "joint 'shaker': roll and pitch must be zero, as 'flat' moves in the plane; leave them "
            "out");
    def = shaker(w.bob);
    def.pose.yaw.constant = 0.5;
    refused(&w, &def,
            "joint 'shaker': roll, pitch and yaw must be zero, as 'bob' is a point mass; leave "
            "them out");
    tn_model_destroy(w.model);
}

static void a_rod_needs_a_length(void)
{
    workshop w = make();

    tn_joint_def def = tn_default_joint(TN_JOINT_DISTANCE);
    def.name = "rod";
    def.body_b = w.wheel;
    def.frame_a.p = def.frame_b.p = tn_v3(0.3, 0.1, -0.2);
    refused(&w, &def, "joint 'rod': its two points coincide at the start; give a length");
    def.frame_a.p.x = 1.3;
    CHECK(tn_model_add_joint(w.model, &def).index >= 0);
    tn_model_destroy(w.model);
}

static void numbers_without_meaning_are_refused(void)
{
    workshop w = make();

    tn_joint_def def = tn_default_joint(TN_JOINT_SCREW); // the pitch has no default
    def.name = "jack";
    def.body_b = w.wheel;
    refused(&w, &def, "joint 'jack': pitch is 0 m/rad; it must not be zero");
    def.screw.pitch = NAN;
    refused(&w, &def, "joint 'jack': pitch must be finite");
    def = tn_default_joint(TN_JOINT_DISTANCE);
    def.name = "rod";
    def.body_b = w.wheel;
    def.distance.length = -1.0;
    refused(&w, &def, "joint 'rod': length is -1 m; it must not be negative");
    def = gear(&w);
    def.gear.ratio_2 = 0.0;
    refused(&w, &def, "joint 'train': ratio_2 is 0; it must not be zero");
    def = rack(&w);
    def.rack_pinion.radius = 0.0;
    refused(&w, &def, "joint 'steering': radius is 0 m/rad; it must not be zero");
    tn_model_destroy(w.model);
}

static const tn_test tests[] = {
    {"gears and racks combine coordinates", gears_and_racks_combine_coordinates},
    {"a drive subtracts its function", a_drive_subtracts_its_function},
    {"simple rows are taken on their own frames", simple_rows_are_taken_on_their_own_frames},
    {"a pose drive asks what its body can answer", a_pose_drive_asks_what_its_body_can_answer},
    {"points are held where the kind says", points_are_held_where_the_kind_says},
    {"wrong references are refused", wrong_references_are_refused},
    {"poses that a body cannot follow are refused", poses_that_a_body_cannot_follow_are_refused},
    {"a rod needs a length", a_rod_needs_a_length},
    {"numbers without meaning are refused", numbers_without_meaning_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
