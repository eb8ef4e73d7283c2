// SPDX-License-Identifier: MIT
//
// Bodies: inertia in body axes, and the sentence for every body that cannot be.

#include "test.h"

#include "lie/so3.h"
#include "model/model.h"

static const double ROUNDOFF = 1e-14; // two products of matrices with entries of size one

static tn_body_def rod(tn_body_kind kind)
{
    tn_body_def def = tn_default_body();
    def.name = "rod";
    def.kind = kind;
    return def;
}

static void check_refused(tn_body_def def, const char *message)
{
    tn_model *model = tn_model_create();
    CHECK(tn_model_add_body(model, &def).index == -1);
    CHECK_STATUS(tn_model_status(model), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), message);
    tn_model_destroy(model);
}

static void check_accepted(tn_body_def def)
{
    tn_model *model = tn_model_create();
    CHECK(tn_model_add_body(model, &def).index == 1);
    CHECK_OK(tn_model_status(model));
    tn_model_destroy(model);
}

static void inertia_is_turned_into_body_axes(void)
{
    const tn_vec3 axis = {0.3, -0.7, 1.1};
    tn_body_def def = rod(TN_BODY_RIGID);
    def.inertia = tn_v3(2.0, 3.0, 4.0);
    def.products = tn_v3(0.1, -0.2, 0.3);
    def.inertia_axes = tn_so3_exp(axis);

    tn_model *model = tn_model_create();
    const tn_body body = tn_model_add_body(model, &def);
    CHECK_OK(tn_model_status(model));
    const tn_mat3 I = model->bodies.at[body.index].inertia;
    const tn_mat3 local =
        tn_m3_mul(tn_m3_transpose(def.inertia_axes), tn_m3_mul(I, def.inertia_axes));
    const double expected[3][3] = {{2.0, 0.1, -0.2}, {0.1, 3.0, 0.3}, {-0.2, 0.3, 4.0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(local.m[i][j], expected[i][j], ROUNDOFF);
    tn_model_destroy(model);
}

static void planar_and_point_inertia_keep_what_counts(void)
{
    tn_body_def planar = rod(TN_BODY_PLANAR), point = rod(TN_BODY_POINT);
    planar.inertia = tn_v3(0.0, 0.0, 0.25); // no rigid body in space, but a planar one
    point.name = "bob";

    tn_model *model = tn_model_create();
    const tn_body a = tn_model_add_body(model, &planar), b = tn_model_add_body(model, &point);
    CHECK_OK(tn_model_status(model));
    CHECK_NEAR(model->bodies.at[a.index].inertia.m[2][2], 0.25, 0.0);
    CHECK_NEAR(model->bodies.at[a.index].inertia.m[0][0], 0.0, 0.0);
    CHECK_NEAR(model->bodies.at[b.index].inertia.m[2][2], 0.0, 0.0);
    CHECK(tn_body_has_rotation(model, a) && tn_body_is_planar(model, a));
    CHECK(!tn_body_has_rotation(model, b) && !tn_body_is_planar(model, b));
    CHECK(tn_body_has_rotation(model, TN_GROUND) && tn_body_is_planar(model, TN_GROUND));
    tn_model_destroy(model);
}

static void thin_and_massless_bodies_are_real(void)
{
    tn_body_def def = rod(TN_BODY_RIGID);
    def.inertia = tn_v3(0.0, 1.0 / 12.0, 1.0 / 12.0); // thin rod
    check_accepted(def);
    def.inertia = tn_v3(0.1, 0.2, 0.3); // flat plate, equality up to round-off
    check_accepted(def);
    def.inertia = tn_v3(0.0, 0.0, 0.0);
    def.mass = 0.0;
    check_accepted(def);
}

static void wrong_masses_are_named(void)
{
    tn_body_def def = rod(TN_BODY_RIGID);
    def.mass = -1.0;
    check_refused(def, "body 'rod': mass is -1 kg; it must not be negative");
    def.mass = NAN;
    check_refused(def, "body 'rod': mass must be finite");
    def = rod(TN_BODY_POINT);
    def.mass = INFINITY;
    check_refused(def, "body 'rod': mass must be finite");
    def = rod(TN_BODY_RIGID);
    def.com.x = NAN;
    check_refused(def, "body 'rod': com must be finite");
}

static void impossible_inertia_is_named(void)
{
    tn_body_def def = rod(TN_BODY_RIGID);
    def.inertia = tn_v3(1.0, 1.0, 3.0);
    check_refused(def, "body 'rod': inertia (1, 1, 3) cannot belong to any body: each principal "
                       "moment must not exceed the sum of the other two (3 > 2)");
    def.inertia = tn_v3(1.0, 1.0, -2.0);
    check_refused(def, "body 'rod': inertia z is -2 kg m^2; it must not be negative");
    def.inertia = tn_v3(1.0, 1.0, 1.0);
    def.products = tn_v3(0.75, 0.0, 0.0); // principal moments 0.25, 1, 1.75
    check_refused(def,
                  "body 'rod': inertia with principal moments (0.25, 1, 1.75) cannot belong to "
                  "any body: each principal moment must not exceed the sum of the other two "
                  "(1.75 > 1.25)");
    def.products = tn_v3(2.0, 0.0, 0.0); // principal moments -1, 1, 3
    check_refused(def, "body 'rod': inertia has the principal moment -1 kg m^2; it must not be "
                       "negative");
    def.products = tn_v3(0.0, NAN, 0.0);
    check_refused(def, "body 'rod': products must be finite");
    def = rod(TN_BODY_RIGID);
    def.inertia_axes = tn_m3_scale(2.0, tn_m3_identity);
    check_refused(def,
                  "body 'rod': inertia_axes is not a rotation: its axes must be unit vectors at "
                  "right angles (off by 3)");
    def = rod(TN_BODY_PLANAR);
    def.inertia.z = -1.0;
    check_refused(def, "body 'rod': inertia is -1 kg m^2; it must not be negative");
}

static void wrong_frames_are_named(void)
{
    tn_body_def def = rod(TN_BODY_RIGID);
    def.frame.R.m[0][1] = 0.5;
    check_refused(def,
                  "body 'rod': orientation is not a rotation: its axes must be unit vectors at "
                  "right angles (off by 0.5)");
    def.frame.R = tn_m3_diag(1.0, 1.0, -1.0);
    check_refused(def, "body 'rod': orientation is left-handed; its axes must be right-handed");
    def = rod(TN_BODY_RIGID);
    def.frame.p.y = INFINITY;
    check_refused(def, "body 'rod': position must be finite");
    def = rod(TN_BODY_RIGID);
    def.velocity.y = NAN;
    check_refused(def, "body 'rod': velocity must be finite");
    def = rod(TN_BODY_RIGID);
    def.rate.x = NAN;
    check_refused(def, "body 'rod': rate must be finite");
}

static void planar_bodies_stay_in_the_plane(void)
{
    tn_body_def def = rod(TN_BODY_PLANAR);
    def.frame.R = tn_m3_rot_z(0.7);
    check_accepted(def);
    def.frame.R = tn_m3_rot_x(1e-6);
    check_refused(def,
                  "body 'rod': a planar body turns about z only; its orientation must keep the "
                  "z axis");
    def = rod(TN_BODY_PLANAR);
    def.rate.x = 1.0;
    check_refused(def, "body 'rod': a planar body turns about z only; rate x and y must be zero");
    def = rod(TN_BODY_POINT_2D);
    def.velocity.z = 2.0;
    check_refused(def,
                  "body 'rod': velocity z is 2 m/s; a body of the plane cannot leave it, so it "
                  "must be zero");
}

static void point_masses_have_neither_extent_nor_turn(void)
{
    tn_body_def def = rod(TN_BODY_POINT);
    def.com.x = 0.1;
    check_refused(def, "body 'rod': a point mass is its own centre of mass; com must be zero");
    def = rod(TN_BODY_POINT);
    def.rate.z = 0.1;
    check_refused(def, "body 'rod': a point mass does not turn; rate must be zero");
}

// Ten typed digits of a rotation are accepted and made exact.
static void nearly_exact_rotations_are_made_exact(void)
{
    tn_body_def def = rod(TN_BODY_RIGID);
    def.frame.R = tn_m3_rot_z(0.7);
    def.frame.R.m[0][0] += 3e-11;

    tn_model *model = tn_model_create();
    const tn_body body = tn_model_add_body(model, &def);
    CHECK_OK(tn_model_status(model));
    const tn_mat3 R = model->bodies.at[body.index].def.frame.R;
    const tn_mat3 E = tn_m3_mul(tn_m3_transpose(R), R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(E.m[i][j], i == j ? 1.0 : 0.0, ROUNDOFF);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"inertia is turned into body axes", inertia_is_turned_into_body_axes},
    {"planar and point inertia keep what counts", planar_and_point_inertia_keep_what_counts},
    {"thin and massless bodies are real", thin_and_massless_bodies_are_real},
    {"wrong masses are named", wrong_masses_are_named},
    {"impossible inertia is named", impossible_inertia_is_named},
    {"wrong frames are named", wrong_frames_are_named},
    {"planar bodies stay in the plane", planar_bodies_stay_in_the_plane},
    {"point masses have neither extent nor turn", point_masses_have_neither_extent_nor_turn},
    {"nearly exact rotations are made exact", nearly_exact_rotations_are_made_exact},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
