// SPDX-License-Identifier: MIT
//
// Sizes of mechanisms: right for simple ones, following the units, never zero.

#include "start/sizes.h"

#include "start/start.h"
#include "tenon/tenon.h"
#include "test.h"

// Units of length, time and mass in those of the model.
typedef struct units {
    double m, s, kg;
} units;

static const units SI = {1.0, 1.0, 1.0};

// A rod of 2 m that turns about its end at 3 rad/s, somewhere.
static tn_model *rod(units u, double far)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, -9.81 * u.m / (u.s * u.s), 0.0));
    tn_body_def def = tn_default_body();
    def.mass = 5.0 * u.kg;
    def.com.x = u.m;
    def.frame.p.x = far * u.m;
    def.inertia = tn_v3(u.kg * u.m * u.m, u.kg * u.m * u.m, u.kg * u.m * u.m);
    def.rate.z = 3.0 / u.s;
    const tn_body body = tn_model_add_body(model, &def);
    tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
    pin.frame_a.p.x = far * u.m;
    pin.body_b = body;
    tn_model_add_joint(model, &pin);
    return model;
}

static tn_model *ball(units u, double gravity)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, gravity * u.m / (u.s * u.s)));
    tn_body_def def = tn_default_body();
    def.kind = TN_BODY_POINT;
    tn_model_add_body(model, &def);
    return model;
}

static tn_sizes sizes_of(tn_model *model)
{
    const tn_sim_options options = tn_default_sim();
    tn_start start = {0};
    CHECK_OK(tn_start_model(model, &options, &start));
    const tn_point at = tn_state_point(&start.x);
    const tn_sizes s = tn_sizes_at_start(model, start.sys, &at);
    tn_start_clear(&start);
    tn_model_destroy(model);
    return s;
}

static void rods_are_as_long_as_they_are(void)
{
    for (int k = 0; k < 2; k++) {
        const double far = k ? 1e6 : 0.0;
        const tn_sizes s = sizes_of(rod(SI, far));
        CHECK_NEAR(s.length, 2.0, 1e-12);
        CHECK_NEAR(s.rate, 3.0, 1e-12);
        CHECK_NEAR(s.time, 1.0 / 3.0, 1e-12);
        CHECK_NEAR(s.mass, 5.0, 0.0);
        CHECK_NEAR(s.far, far + 1.0, 1e-9);
        CHECK(s.speed >= 3.0 && s.speed < 7.0); // 3 m/s, or a fall through its length
        CHECK(!s.grows && !s.still);
    }
}

// Joints on nodes have no levers but for round-off, which is no size.
static void beams_are_as_large_as_they_are_long(void)
{
    static const char text[] =
        "tenon: 1\n"
        "bodies:\n"
        "  rod: {kind: beam, points: [[0, 0, 0], [0, 0, 3]], elements: 4,\n"
        "        section: {kind: circle, radius: 0.01, E: 2e9, rho: 1000}}\n"
        "joints:\n"
        "  clamp: {kind: fixed, bodies: [ground, rod.start], frame_a: {at: [0, 0, 0]},\n"
        "          frame_b: {at: [0, 1e-16, 0]}}\n";
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "rod.yaml", &model, NULL));
    CHECK_NEAR(sizes_of(model).length, 3.0, 1e-12);
}

static void sizes_follow_the_units(void)
{
    static const units other[] = {{1024.0, 1.0, 1.0},
                                  {1.0, 0.0009765625, 1.0},
                                  {1.0, 1.0, 1099511627776.0},
                                  {9.5367431640625e-07, 4.0, 0.5}};
    const tn_sizes a = sizes_of(rod(SI, 7.0));
    for (int k = 0; k < TN_COUNT(other); k++) {
        const units u = other[k];
        const tn_sizes b = sizes_of(rod(u, 7.0));
        CHECK_NEAR(b.length, a.length * u.m, 0.0);
        CHECK_NEAR(b.speed, a.speed * u.m / u.s, 1e-15 * b.speed);
        CHECK_NEAR(b.time, a.time * u.s, 1e-15 * b.time);
        CHECK_NEAR(b.mass, a.mass * u.kg, 0.0);
        CHECK_NEAR(b.far, a.far * u.m, 0.0);
    }
}

static void no_size_is_zero(void)
{
    const tn_sizes falling = sizes_of(ball(SI, -9.81)), resting = sizes_of(ball(SI, 0.0));
    CHECK(falling.grows && !falling.still && falling.length > 0.0 && falling.speed > 0.0);
    CHECK(resting.grows && resting.still && resting.length > 0.0 && resting.speed > 0.0);
    CHECK(resting.time > 0.0 && resting.mass == 1.0);
}

static void later_speeds_count(void)
{
    tn_model *model = rod(SI, 0.0);
    const tn_sim_options options = tn_default_sim();
    tn_start start = {0};
    CHECK_OK(tn_start_model(model, &options, &start));
    const tn_point at = tn_state_point(&start.x);
    tn_sizes s = tn_sizes_at_start(model, start.sys, &at);
    for (int i = 0; i < start.sys->nv; i++)
        start.x.v[i] *= 100.0;
    tn_sizes_see(&s, model, start.sys, &at);
    CHECK_NEAR(s.speed, 300.0, 1e-9);
    CHECK_NEAR(s.rate, 300.0, 1e-9);
    CHECK_NEAR(s.length, 2.0, 1e-12);
    tn_start_clear(&start);
    tn_model_destroy(model);
}

int main(int argc, char **argv)
{
    static const tn_test tests[] = {
        {"the length of a rod is its length, wherever it stands, and its speed that of its middle",
         rods_are_as_long_as_they_are},
        {"beams are as large as they are long", beams_are_as_large_as_they_are_long},
        {"sizes follow the units, to the bit for powers of two", sizes_follow_the_units},
        {"a point that nothing holds has sizes other than zero, and a length that grows",
         no_size_is_zero},
        {"speeds that are seen later count, and the length of a rod stays", later_speeds_count},
    };
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
