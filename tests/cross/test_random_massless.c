// SPDX-License-Identifier: MIT
//
// Random mechanisms, trees and loops of all kinds of joints, in which some bodies have no mass, or
// no inertia about one axis, and dampers hold what moves: velocities, accelerations and reactions
// of the start are the same in absolute and in joint coordinates, and so is the motion by explicit
// and implicit methods. Bodies without mass follow each other, are leaves and belong to loops as
// chance has it.

#include "random_mechanism.h"
#include "tenon/tenon.h"

enum { SEEDS = 150, RUNS = 30 };

// Systems of equations of condition up to 1e6 or so, and dampers that differ by a factor of ten.
static const double SAME = 1e-9;

// A damper of all directions between the ground and a body, and some stiffness.
static void damp(tn_model *model, int body)
{
    tn_force_def f = tn_default_force(TN_FORCE_BUSHING);
    const double c = 1.0 + random_unit(), k = 2.0 * random_unit();
    f.body_a = TN_GROUND;
    f.body_b.index = body;
    f.frame_a.p = tn_v3(0.3, 0.2, 0.0);
    f.bushing.damping = tn_v3(c, 2.0 * c, 3.0 * c);
    f.bushing.rotational_damping = tn_v3(0.5 * c, 0.4 * c, 0.3 * c);
    f.bushing.stiffness = tn_v3(k, k, 2.0 * k);
    tn_model_add_force(model, &f);
}

static tn_mat3 without_an_axis(tn_mat3 I)
{
    double moment[3];
    tn_mat3 axes;
    tn_principal_axes(I, moment, &axes);
    const tn_mat3 flat = tn_m3_diag(moment[0], moment[0], 0.0);
    return tn_m3_mul(axes, tn_m3_mul(flat, tn_m3_transpose(axes)));
}

// Takes the mass of about every third body that a damper can hold.
static mechanism lighten(int seed)
{
    mechanism m = random_mechanism_of(seed, 2 + seed % 29);
    for (int k = 1; k < m.model->bodies.count; k++) {
        tn_body_data *b = &m.model->bodies.at[k];
        if (m.point[k] || random_unit() > 0.4)
            continue;
        if (b->ops == &tn_body_rigid && random_unit() < 0.3) {
            b->inertia = without_an_axis(b->inertia);
        } else {
            b->def.mass = 0.0;
            b->inertia = (tn_mat3){0};
        }
        damp(m.model, k);
    }
    CHECK_OK(tn_model_status(m.model));
    return m;
}

static tn_sim *open_sim(const tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.rtol = options.atol = 1e-10;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

typedef struct difference {
    double motion, velocity, acceleration, reaction; // relative to the largest
} difference;

static double apart(tn_vec3 x, tn_vec3 y, double *size)
{
    *size = fmax(*size, tn_v3_norm(x));
    return tn_v3_norm(tn_v3_sub(x, y));
}

static difference compare(const tn_model *model, tn_sim *a, tn_sim *b)
{
    double size[4] = {1.0, 1.0, 1.0, 1.0};
    difference d = {0};
    for (int k = 1; k < tn_model_body_count(model); k++) {
        const tn_body body = {k};
        d.motion = fmax(
            d.motion, apart(tn_sim_body_frame(a, body).p, tn_sim_body_frame(b, body).p, &size[0]));
        d.velocity = fmax(d.velocity, apart(tn_sim_body_velocity(a, body),
                                            tn_sim_body_velocity(b, body), &size[1]));
        d.velocity =
            fmax(d.velocity, apart(tn_sim_body_rate(a, body), tn_sim_body_rate(b, body), &size[1]));
        d.acceleration = fmax(d.acceleration, apart(tn_sim_body_acceleration(a, body),
                                                    tn_sim_body_acceleration(b, body), &size[2]));
        d.acceleration = fmax(d.acceleration, apart(tn_sim_body_rate_dot(a, body),
                                                    tn_sim_body_rate_dot(b, body), &size[2]));
    }
    for (int k = 0; k < tn_model_joint_count(model); k++) {
        const tn_wrench x = tn_sim_joint_reaction(a, (tn_joint){k}),
                        y = tn_sim_joint_reaction(b, (tn_joint){k});
        d.reaction = fmax(d.reaction, apart(x.f, y.f, &size[3]));
        d.reaction = fmax(d.reaction, apart(x.m, y.m, &size[3]));
    }
    return (difference){d.motion / size[0], d.velocity / size[1], d.acceleration / size[2],
                        d.reaction / size[3]};
}

static void starts_are_the_same_in_both_coordinates(void)
{
    difference worst = {0};
    int massless = 0, with = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        mechanism m = lighten(seed);
        const tn_sim_options options = tn_default_sim();
        tn_check *check = NULL;
        CHECK_OK(tn_check_create(m.model, &options, &check));
        const int count = tn_check_massless_count(check);
        tn_sim *a = open_sim(m.model, "dopri5/index1@absolute"),
               *b = open_sim(m.model, "dopri5/index1@joint");
        const difference d = compare(m.model, a, b);
        if (d.velocity > SAME || d.acceleration > SAME)
            printf("seed %d: %d motions, velocity %.1e, acceleration %.1e\n", seed, count,
                   d.velocity, d.acceleration);
        worst.velocity = fmax(worst.velocity, d.velocity);
        worst.acceleration = fmax(worst.acceleration, d.acceleration);
        if (tn_check_redundant_count(check) == 0) // otherwise shared in other ways
            worst.reaction = fmax(worst.reaction, d.reaction);
        massless += count;
        with += count > 0;
        tn_sim_destroy(a);
        tn_sim_destroy(b);
        tn_check_destroy(check);
        tn_model_destroy(m.model);
    }
    printf("%d of %d mechanisms have %d motions without inertia; velocities differ by %.1e, "
           "accelerations by %.1e, reactions by %.1e\n",
           with, SEEDS, massless, worst.velocity, worst.acceleration, worst.reaction);
    CHECK(with > SEEDS / 3);
    CHECK_NEAR(worst.velocity, 0.0, SAME);
    CHECK_NEAR(worst.acceleration, 0.0, SAME);
    CHECK_NEAR(worst.reaction, 0.0, SAME);
}

static void motions_are_the_same_by_all_kinds_of_methods(void)
{
    static const char *const methods[] = {"radau5/ggl@absolute", "dop853/index1@joint",
                                          "bdf/ggl@absolute"};
    for (int seed = 0; seed < RUNS; seed++) {
        mechanism m = lighten(seed);
        tn_sim *expected = open_sim(m.model, "dop853/index1+project@absolute");
        CHECK_OK(tn_sim_run(expected, 0.2, NULL, NULL));
        for (int k = 0; k < TN_COUNT(methods); k++) {
            tn_sim *sim = open_sim(m.model, methods[k]);
            CHECK_OK(tn_sim_run(sim, 0.2, NULL, NULL));
            const difference d = compare(m.model, expected, sim);
            if (d.motion > 1e-7 || d.velocity > 1e-6)
                printf("seed %d, %s: motion %.1e, velocity %.1e\n", seed, methods[k], d.motion,
                       d.velocity);
            CHECK_NEAR(d.motion, 0.0, 1e-6);
            CHECK_NEAR(d.velocity, 0.0, 1e-5);
            tn_sim_destroy(sim);
        }
        tn_sim_destroy(expected);
        tn_model_destroy(m.model);
    }
}

static const tn_test tests[] = {
    {"starts are the same in both coordinates", starts_are_the_same_in_both_coordinates},
    {"motions are the same by all kinds of methods", motions_are_the_same_by_all_kinds_of_methods},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
