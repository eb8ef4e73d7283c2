// SPDX-License-Identifier: MIT
//
// Modal bodies in absolute coordinates: derivatives match differences, and energies and momenta
// are those of the point masses that a body is made of.

#include "modal_cloud.h"
#include "probe.h"
#include "test.h"

#include "coords/joint_coords.h"
#include "flex/modal.h"
#include "flex/modal_body.h"

// As in test_absolute.c, on functions of size up to 1e2.
static const double TANGENT_TOL = 1e-9;
static const double RATE_TOL = 4e-9;
static const double ROUNDOFF = 1e-12;

static const tn_rotation rotations[] = {TN_ROTATION_SO3, TN_ROTATION_SE3};

static tn_model *cloud_model(cloud *c, bool geometric, int attachments)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(1.0, -2.0, 3.0));
    cloud_add(model, c, geometric, attachments);
    return model;
}

static probe open_cloud(const tn_model *model, tn_rotation rotation)
{
    tn_system *sys = NULL;
    CHECK_OK(tn_absolute_create(model, rotation, false, &sys));
    return probe_open(sys);
}

static void everywhere(int attachments, void (*check)(probe *p, const cloud *c))
{
    for (int k = 0; k < 2 * TN_COUNT(rotations); k++) {
        cloud c;
        tn_model *model = cloud_model(&c, k % 2, attachments);
        probe p = open_cloud(model, rotations[k / 2]);
        for (int n = 0; n < 3; n++) {
            probe_randomize(&p, 0.3);
            check(&p, &c);
        }
        probe_close(&p);
        tn_model_destroy(model);
    }
}

static void check_columns(probe *p, const cloud *c)
{
    (void)c;
    for (int j = 0; j < p->sys->nv; j++) {
        CHECK_NEAR(probe_misfit(p, ALONG_Q, j), 0.0, TANGENT_TOL);
        CHECK_NEAR(probe_misfit(p, ALONG_V, j), 0.0, TANGENT_TOL);
    }
}

static void derivative_blocks_match_differences(void)
{
    everywhere(CLOUD_ATTACHMENTS, check_columns);
}

static void check_levels(probe *p, const cloud *c)
{
    (void)c;
    tn_system *s = p->sys;
    const int ng = s->ng;
    double *rate = calloc((size_t)(2 * ng + s->nn + s->nv + 1), sizeof(double));
    CHECK(rate != NULL);
    probe_derivative(p, ALONG_MOTION, 0, rate);
    const tn_point at = probe_point(p);
    CHECK_OK(tn_system_eval(s, &at, TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA));
    tn_sparse_mul(s->block[TN_BLOCK_B], 1.0, p->a, s->gamma);
    for (int i = 0; i < ng; i++) {
        CHECK_NEAR(s->gdot[i], rate[i], RATE_TOL * (1.0 + fabs(rate[i])));
        CHECK_NEAR(s->gamma[i], rate[ng + i], RATE_TOL * (1.0 + fabs(rate[ng + i])));
    }
    free(rate);
}

static void velocity_and_acceleration_level_are_rates(void)
{
    everywhere(CLOUD_ATTACHMENTS, check_levels);
}

// Energy and momenta of the points, without what is of second order.
static void check_points(probe *p, const cloud *c)
{
    const tn_point at = probe_point(p);
    const tn_model *model = tn_absolute_model(p->sys);
    if (model->modals.at[0].stiffening)
        return;
    tn_body_state frame, amplitude;
    tn_energy e;
    double q[CLOUD_MODES], r[CLOUD_MODES], kinetic = 0.0, potential = 0.0;
    tn_vec3 momentum = {0, 0, 0}, spin = {0, 0, 0};
    tn_absolute_body(p->sys, &at, model->modals.at[0].frame, &frame);
    for (int j = 0; j < CLOUD_MODES; j++) {
        tn_absolute_body(p->sys, &at, model->modals.at[0].amplitude + j, &amplitude);
        q[j] = amplitude.frame.p.x;
        r[j] = amplitude.velocity.x;
    }
    for (int i = 0; i < CLOUD_POINTS; i++) {
        tn_vec3 x = c->at[i], v = {0, 0, 0};
        for (int j = 0; j < CLOUD_MODES; j++) {
            x = tn_v3_axpy(q[j], c->shape[j][i], x);
            v = tn_v3_axpy(r[j], c->shape[j][i], v);
        }
        v = tn_v3_add(v, tn_v3_cross(frame.rate, x));
        const tn_vec3 place = tn_frame_point(frame.frame, x);
        const tn_vec3 speed = tn_v3_add(frame.velocity, tn_m3_apply(frame.frame.R, v));
        kinetic += 0.5 * c->mass[i] * tn_v3_dot(speed, speed);
        potential -= c->mass[i] * tn_v3_dot(model->gravity, place);
        momentum = tn_v3_axpy(c->mass[i], speed, momentum);
        spin = tn_v3_axpy(c->mass[i], tn_v3_cross(place, speed), spin);
    }
    for (int i = 0; i < CLOUD_MODES; i++)
        for (int j = 0; j < CLOUD_MODES; j++)
            potential +=
                0.5 * q[i] * model->modals.at[0].from->stiffness[i * CLOUD_MODES + j] * q[j];
    p->sys->ops->energy(p->sys, &at, &e);
    CHECK_NEAR(e.kinetic, kinetic, ROUNDOFF * (1.0 + kinetic));
    CHECK_NEAR(e.potential, potential, ROUNDOFF * (1.0 + fabs(potential)));
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(e.momentum[k], (&momentum.x)[k], 10.0 * ROUNDOFF);
        CHECK_NEAR(e.spin[k], (&spin.x)[k], 10.0 * ROUNDOFF);
    }
}

static void energies_are_those_of_the_points(void)
{
    everywhere(0, check_points);
}

// M a = f
static void solve_motion(probe *p)
{
    tn_system *s = p->sys;
    const int nv = s->nv;
    double M[400];
    int pivot[20];
    const tn_point at = probe_point(p);
    CHECK(nv <= 20);
    CHECK_OK(tn_system_eval(s, &at, TN_EVAL_MASS | TN_EVAL_FORCE));
    tn_copy(nv, s->f, p->a);
    tn_sparse_to_dense(s->block[TN_BLOCK_M], M);
    CHECK_OK(tn_lu_factor(nv, M, pivot));
    tn_lu_solve(nv, M, pivot, p->a);
}

// Of a free body only gravity changes the momenta, and only damping the energy; with stiffening
// alike, as it is one of kinetic energy.
static void check_balance(probe *p, const cloud *c)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    const tn_model *model = tn_absolute_model(p->sys);
    double energy = 0.0, momentum[3] = {0}, mass = 0.0;
    tn_energy now;
    solve_motion(p);
    for (int k = 0; k < 4; k++) {
        const tn_point at = probe_moved(p, ALONG_MOTION, 0, at_step[k] * PROBE_STEP);
        const double scale = weight[k] / (12.0 * PROBE_STEP);
        tn_energy e;
        p->sys->ops->energy(p->sys, &at, &e);
        energy += scale * (e.kinetic + e.potential);
        tn_axpy(3, scale, e.momentum, momentum);
    }
    const tn_point here = probe_point(p);
    p->sys->ops->energy(p->sys, &here, &now);
    for (int i = 0; i < CLOUD_POINTS; i++)
        mass += c->mass[i];
    CHECK(now.dissipated > 0.0);
    CHECK_NEAR(energy, -now.dissipated, RATE_TOL * (1.0 + fabs(energy)));
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(momentum[k], mass * (&model->gravity.x)[k], RATE_TOL * 10.0);
}

static void balances_hold(void)
{
    everywhere(0, check_balance);
}

// Joint coordinates -------------------------------------------------------------------------------

// A cloud on a hinge at one attachment, with an arm on a hinge at the other one, which is tied to
// the ground by a spring: the tree carries one attachment, and the arm with the other.
static tn_model *hinged_model(cloud *c)
{
    tn_model *model = cloud_model(c, true, CLOUD_ATTACHMENTS);
    tn_body_def arm = tn_default_body();
    arm.name = "arm";
    const tn_body body = tn_model_add_body(model, &arm);
    tn_joint_def hinge = tn_default_joint(TN_JOINT_REVOLUTE);
    hinge.body_b = tn_model_modal_attached(model, (tn_modal_body){0}, 0);
    hinge.frame_a = model->bodies.at[hinge.body_b.index].def.frame;
    tn_model_add_joint(model, &hinge);
    hinge.frame_a = tn_frame_identity;
    hinge.body_a = tn_model_modal_attached(model, (tn_modal_body){0}, 1);
    hinge.body_b = body;
    hinge.frame_b.p = tn_v3(0.2, 0.1, 0.3);
    tn_model_add_joint(model, &hinge);
    tn_force_def spring = tn_default_force(TN_FORCE_SPRING);
    spring.body_a = TN_GROUND;
    spring.body_b = body;
    spring.frame_a.p = tn_v3(3.0, 1.0, 2.0);
    spring.spring.stiffness = 5.0;
    spring.spring.damping = 0.5;
    tn_model_add_force(model, &spring);
    CHECK_OK(tn_model_status(model));
    return model;
}

static void joint_coordinates_have_the_same_derivatives(void)
{
    for (int n = 0; n < 3; n++) {
        cloud c;
        tn_model *model = hinged_model(&c);
        tn_system *world = NULL, *sys = NULL;
        CHECK_OK(tn_absolute_create(model, TN_ROTATION_SO3, false, &world));
        probe w = probe_open(world);
        tn_absolute_start(world, w.q, w.v, w.r);
        CHECK_OK(tn_joint_coords_create(world, &sys));
        probe p = probe_open(sys);
        const tn_point from = probe_point(&w);
        CHECK_OK(sys->ops->world->from(sys, &from, p.q, p.v));
        random_fill(sys->nv, p.x);
        tn_scale(sys->nv, 0.3, p.x);
        tn_group_retract(sys->ngroup, sys->groups, p.q, p.x, p.q);
        random_fill(sys->nv, p.v);
        random_fill(sys->nv, p.a);
        random_fill(sys->ng, p.lambda);
        check_columns(&p, &c);
        check_levels(&p, &c);
        probe_close(&p);
        probe_close(&w);
        tn_model_destroy(model);
    }
}

// Refusals ----------------------------------------------------------------------------------------

static void refuse(tn_model *model, const char *words)
{
    CHECK(tn_model_status(model) != TN_OK);
    if (!strstr(tn_last_error(), words))
        fprintf(stderr, "said: %s\n", tn_last_error());
    CHECK(strstr(tn_last_error(), words));
    tn_model_destroy(model);
}

static void refuse_cloud(void (*change)(tn_modal_def *def), const char *words)
{
    cloud c;
    tn_modal_def def = tn_default_modal();
    tn_model *model = tn_model_create();
    tn_modal *modal = cloud_modal(&c, false, 1);
    def.name = "cloud";
    change(&def);
    CHECK(tn_modal_add(model, &def, "body 'cloud'", modal) == TN_ERR_MODEL);
    if (!strstr(tn_last_error(), words))
        fprintf(stderr, "said: %s\n", tn_last_error());
    CHECK(strstr(tn_last_error(), words));
    tn_modal_destroy(modal);
    tn_model_destroy(model);
}

static const double two[] = {1.0, 2.0};

static void take_two_amplitudes(tn_modal_def *def)
{
    def->namplitude = 2;
    def->amplitudes = two;
}

static void take_two_rates(tn_modal_def *def)
{
    def->nrate = 2;
    def->amplitude_rates = two;
}

static void take_two_ratios(tn_modal_def *def)
{
    def->ndamping = 2;
    def->damping = two;
}

static void take_stiffening(tn_modal_def *def)
{
    def->stiffening = true;
}

static void wrong_numbers_are_refused(void)
{
    refuse_cloud(take_two_amplitudes, "amplitudes has 2 numbers, but the body has 3 modes");
    refuse_cloud(take_two_rates, "amplitude_rates has 2 numbers, but the body has 3 modes");
    refuse_cloud(take_two_ratios, "damping has 2 numbers, but the body has 3 modes");
    refuse_cloud(take_stiffening, "no geometric stiffness");
}

static void frames_that_are_no_place_are_refused(void)
{
    cloud c;
    tn_model *model = cloud_model(&c, false, 2);
    tn_joint_def hinge = tn_default_joint(TN_JOINT_REVOLUTE);
    hinge.body_b = tn_model_modal_frame(model, (tn_modal_body){0});
    tn_model_add_joint(model, &hinge);
    refuse(model, "name one of its attachments: 'cloud.left', 'cloud.right'");
    model = cloud_model(&c, false, 2);
    hinge.body_b = tn_model_modal_amplitude(model, (tn_modal_body){0}, 1);
    tn_model_add_joint(model, &hinge);
    refuse(model, "'cloud.q2' is an amplitude");
}

static void the_model_tells_its_parts(void)
{
    cloud c;
    tn_model *model = cloud_model(&c, false, 2);
    const tn_modal_body body = {0}, none = {-1};
    CHECK(tn_model_modal_count(model) == 1 &&
          tn_model_modal_mode_count(model, body) == CLOUD_MODES);
    CHECK_TEXT(tn_model_modal_name(model, body), "cloud");
    CHECK(tn_model_modal_attachment_count(model, body) == 2);
    CHECK(tn_model_modal_attached_at(model, body, "right").index ==
          tn_model_find_body(model, "cloud.right").index);
    CHECK(tn_model_modal_attached_at(model, body, "top").index == -1);
    CHECK(tn_model_modal_amplitude(model, body, 2).index ==
          tn_model_find_body(model, "cloud.q3").index);
    CHECK(tn_model_modal_amplitude(model, body, 3).index == -1);
    CHECK(tn_model_modal_frame(model, none).index == -1 &&
          tn_model_modal_mode_count(model, none) == 0);
    CHECK(tn_model_modal_attachment_count(model, none) == 0 &&
          *tn_model_modal_name(model, none) == 0);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"derivative blocks match differences", derivative_blocks_match_differences},
    {"velocity and acceleration level are rates", velocity_and_acceleration_level_are_rates},
    {"energies are those of the points", energies_are_those_of_the_points},
    {"balances hold", balances_hold},
    {"joint coordinates have the same derivatives", joint_coordinates_have_the_same_derivatives},
    {"wrong numbers are refused", wrong_numbers_are_refused},
    {"frames that are no place are refused", frames_that_are_no_place_are_refused},
    {"the model tells its parts", the_model_tells_its_parts},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
