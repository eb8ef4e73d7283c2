// SPDX-License-Identifier: MIT
//
// The C interface called wrongly: every public function with NULL for each argument that it needs,
// with indices that do not exist, and in orders that make no sense. Nothing crashes, functions that
// return a status return TN_ERR_USAGE, others a value that means nothing, and the text tells the
// function. The list of functions is read from the headers: a new one must come here.

#include "tenon/tenon.h"
#include "test.h"

enum { MOST = 800 };
static const char *walked[MOST];
static int nwalked;

static void walk(const char *function)
{
    CHECK(nwalked < MOST);
    walked[nwalked++] = function;
}

static void check_said(const char *function)
{
    const size_t n = strlen(function);
    const char *text = tn_last_error();
    if (strncmp(text, function, n) != 0 || strncmp(text + n, ": '", 3) != 0)
        printf("%s says: %s\n", function, text);
    CHECK(strncmp(text, function, n) == 0 && strncmp(text + n, ": '", 3) == 0);
}

// The condition holds a call of the function, which must have said what is missing.
#define SAYS(function, condition) \
    do {                          \
        tn_clear_error();         \
        CHECK(condition);         \
        check_said(#function);    \
        walk(#function);          \
    } while (0)

#define REFUSES(function, ...) SAYS(function, function(__VA_ARGS__) == TN_ERR_USAGE)
#define ZERO(function, ...) SAYS(function, function(__VA_ARGS__) == 0)
#define EMPTY(function, ...) SAYS(function, strcmp(function(__VA_ARGS__), "") == 0)
#define NONE(function, ...) SAYS(function, function(__VA_ARGS__).index == -1)
#define QUIET(function, call) \
    do {                      \
        call;                 \
        walk(#function);      \
    } while (0)

// A pendulum that hangs still, on a hinge with a drive's freedom.
static tn_model *pendulum(void)
{
    tn_model *model = tn_model_create();
    tn_body_def rod = tn_default_body();
    tn_joint_def hinge = tn_default_joint(TN_JOINT_REVOLUTE);
    rod.name = "rod";
    rod.mass = 1.0;
    rod.inertia = tn_v3(0.1, 0.1, 0.1);
    rod.com = tn_v3(0.0, -0.5, 0.0);
    hinge.body_b = tn_model_add_body(model, &rod);
    tn_model_add_joint(model, &hinge);
    tn_model_set_gravity(model, tn_v3(0.0, -9.81, 0.0));
    CHECK_OK(tn_model_status(model));
    return model;
}

static tn_sim *simulation(const tn_model *model)
{
    const tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static void models_need_what_they_are_made_of(void)
{
    tn_model *model = pendulum();
    const tn_body_def body = tn_default_body();
    const tn_joint_def joint = tn_default_joint(TN_JOINT_REVOLUTE);
    const tn_force_def force = tn_default_force(TN_FORCE_SPRING);
    const tn_shape_def shape = tn_default_shape(TN_SHAPE_BOX);
    const tn_event_def event = tn_default_event();
    const tn_output_def output = tn_default_output();
    const tn_input_def input = tn_default_input();
    walk("tn_default_input");
    walk("tn_default_body"), walk("tn_default_joint"), walk("tn_default_force");
    walk("tn_default_shape"), walk("tn_default_event"), walk("tn_default_output"),
        walk("tn_default_state"), walk("tn_default_block"), walk("tn_model_create");

    REFUSES(tn_model_status, NULL);
    SAYS(tn_model_set_gravity, (tn_model_set_gravity(NULL, tn_v3(0, 0, 0)), true));
    REFUSES(tn_model_set_parameter, NULL, "m", 1.0);
    REFUSES(tn_model_set_parameter, model, NULL, 1.0);
    NONE(tn_model_add_body, NULL, &body);
    NONE(tn_model_add_joint, NULL, &joint);
    NONE(tn_model_add_force, NULL, &force);
    REFUSES(tn_model_add_shape, NULL, &shape);
    REFUSES(tn_model_add_event, NULL, &event);
    REFUSES(tn_model_add_output, NULL, &output);
    REFUSES(tn_model_add_signal, NULL, "a", "1");
    REFUSES(tn_model_add_state, NULL, &(tn_state_def){0});
    REFUSES(tn_model_add_unknown, NULL, &(tn_unknown_def){0});
    REFUSES(tn_model_add_sampled, NULL, &(tn_sampled_def){0});
    REFUSES(tn_model_add_block, NULL, &(tn_block_def){0});
    REFUSES(tn_model_add_table, NULL, &(tn_table_def){0});
    REFUSES(tn_model_set_force_expression, NULL, (tn_force){0}, "stiffness", "1");
    REFUSES(tn_model_check, NULL);
    NONE(tn_model_add_input, NULL, &input);
    ZERO(tn_model_input_count, NULL);
    EMPTY(tn_model_input_name, NULL, (tn_input){0});
    NONE(tn_model_find_input, NULL, "force");
    NONE(tn_model_find_input, model, NULL);
    ZERO(tn_model_note_count, NULL);
    EMPTY(tn_model_note, NULL, 0);
    ZERO(tn_model_event_count, NULL);
    EMPTY(tn_model_event_name, NULL, 0);
    ZERO(tn_model_output_count, NULL);
    EMPTY(tn_model_output_name, NULL, 0);
    ZERO(tn_model_body_count, NULL);
    ZERO(tn_model_joint_count, NULL);
    ZERO(tn_model_force_count, NULL);
    ZERO(tn_model_shape_count, NULL);
    EMPTY(tn_model_body_name, NULL, TN_GROUND);
    SAYS(tn_model_body_mass, tn_model_body_mass(NULL, TN_GROUND).mass == 0.0);
    SAYS(tn_model_body_mass_is_of_shapes, !tn_model_body_mass_is_of_shapes(NULL, TN_GROUND));
    EMPTY(tn_model_joint_name, NULL, (tn_joint){0});
    EMPTY(tn_model_force_name, NULL, (tn_force){0});
    EMPTY(tn_model_joint_kind_name, NULL, (tn_joint){0});
    ZERO(tn_model_joint_row_count, NULL, (tn_joint){0});
    ZERO(tn_model_joint_coordinate_count, NULL, (tn_joint){0});
    NONE(tn_model_find_body, NULL, "rod");
    NONE(tn_model_find_body, model, NULL);
    NONE(tn_model_find_joint, NULL, "rod");
    NONE(tn_model_find_joint, model, NULL);
    NONE(tn_model_find_force, NULL, "rod");
    NONE(tn_model_find_force, model, NULL);
    CHECK_OK(tn_model_status(model)); // questions do no harm
    QUIET(tn_model_destroy, tn_model_destroy(NULL));
    tn_model_destroy(model);
}

// A definition that is NULL is an error that the model remembers.
static void definitions_are_needed(void)
{
    for (int k = 0; k < 6; k++) {
        tn_model *model = pendulum();
        switch (k) {
        case 0:
            CHECK(tn_model_add_body(model, NULL).index == -1);
            break;
        case 1:
            CHECK(tn_model_add_joint(model, NULL).index == -1);
            break;
        case 2:
            CHECK(tn_model_add_force(model, NULL).index == -1);
            break;
        case 3:
            CHECK(tn_model_add_shape(model, NULL) == TN_ERR_USAGE);
            break;
        case 4:
            CHECK(tn_model_add_input(model, NULL).index == -1);
            break;
        default:
            CHECK(tn_model_add_event(model, NULL) == TN_ERR_USAGE);
            CHECK(tn_model_add_output(model, NULL) == TN_ERR_USAGE);
        }
        CHECK(tn_model_status(model) == TN_ERR_USAGE);
        CHECK(strstr(tn_last_error(), "the definition is NULL") != NULL);
        tn_model_destroy(model);
    }
}

static int force_of_nothing(void *user, const tn_arguments *x, double *f)
{
    (void)user, (void)x;
    f[0] = 0.0;
    return 0;
}

static int unit_mass(void *user, const tn_arguments *x, double *M)
{
    (void)user, (void)x;
    M[0] = 1.0;
    return 0;
}

static void simulations_need_what_they_are_made_from(void)
{
    tn_model *model = pendulum();
    tn_sim_options options = tn_default_sim();
    const tn_callbacks cb = {.nq = 1, .mass = unit_mass, .force = force_of_nothing};
    const double zero[1] = {0.0};
    tn_sim *sim = NULL;
    walk("tn_default_sim");
    REFUSES(tn_sim_create, NULL, &options, &sim);
    REFUSES(tn_sim_create, model, NULL, &sim);
    REFUSES(tn_sim_create, model, &options, NULL);
    REFUSES(tn_sim_create_callbacks, NULL, zero, zero, &options, &sim);
    REFUSES(tn_sim_create_callbacks, &cb, NULL, zero, &options, &sim);
    REFUSES(tn_sim_create_callbacks, &cb, zero, NULL, &options, &sim);
    REFUSES(tn_sim_create_callbacks, &cb, zero, zero, NULL, &sim);
    REFUSES(tn_sim_create_callbacks, &cb, zero, zero, &options, NULL);
    QUIET(tn_sim_destroy, tn_sim_destroy(NULL));

    options.nproject = 2;
    CHECK(tn_sim_create(model, &options, &sim) == TN_ERR_USAGE && sim == NULL);
    CHECK(strstr(tn_last_error(), "project_times is NULL") != NULL);
    options.nproject = -1;
    CHECK(tn_sim_create(model, &options, &sim) == TN_ERR_USAGE);

    // No text is the usual one.
    options = tn_default_sim();
    options.method = options.rotation = options.nullspace = NULL;
    options.euler_sequence = options.quaternion_norm = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK(tn_sim_rotation(sim) != NULL && *tn_sim_rotation(sim));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void a_simulation_is_needed_to_move(void)
{
    tn_model *model = pendulum();
    tn_sim *sim = simulation(model);
    tn_work work;
    tn_ledger ledger;
    tn_verdict verdict;
    tn_discrete_node node;
    tn_rank_margin margin;
    const tn_event_hit *hits;
    double number;
    void *saved;
    size_t size;
    REFUSES(tn_sim_step, NULL, 0.1);
    REFUSES(tn_sim_run, NULL, 1.0, NULL, NULL);
    REFUSES(tn_sim_set_input, NULL, (tn_input){0}, 1.0);
    REFUSES(tn_sim_frame_jacobian, NULL, TN_GROUND, tn_frame_identity, &number);
    REFUSES(tn_sim_frame_jacobian, sim, TN_GROUND, tn_frame_identity, NULL);
    REFUSES(tn_sim_mass_matrix, NULL, &number);
    REFUSES(tn_sim_mass_matrix, sim, NULL);
    REFUSES(tn_sim_forces, NULL, &number);
    REFUSES(tn_sim_forces, sim, NULL);
    REFUSES(tn_sim_set_input_motion, NULL, (tn_input){0}, 1.0, 0.0, 0.0);
    SAYS(tn_sim_input, isnan(tn_sim_input(NULL, (tn_input){0})));
    SAYS(tn_sim_stop, (tn_sim_stop(NULL), true));
    ZERO(tn_sim_before, NULL);
    REFUSES(tn_sim_show, NULL, 0.0);
    SAYS(tn_sim_current, (tn_sim_current(NULL), true));
    ZERO(tn_sim_event_hits, NULL, &hits);
    ZERO(tn_sim_event_hits, sim, NULL);
    SAYS(tn_sim_ended_by, tn_sim_ended_by(NULL) == -1);
    SAYS(tn_sim_discrete, !tn_sim_discrete(NULL, &node));
    SAYS(tn_sim_discrete, !tn_sim_discrete(sim, NULL));
    SAYS(tn_sim_ledger, (tn_sim_ledger(NULL, &ledger), true));
    SAYS(tn_sim_ledger, (tn_sim_ledger(sim, NULL), true));
    ZERO(tn_sim_work_count, NULL);
    REFUSES(tn_sim_work, NULL, 0, &work);
    REFUSES(tn_sim_work, sim, 0, NULL);
    REFUSES(tn_sim_work, sim, 1000, &work);
    SAYS(tn_sim_equations, (tn_sim_equations(NULL, &(tn_equations){0}), true));
    SAYS(tn_sim_equations, (tn_sim_equations(sim, NULL), true));
    REFUSES(tn_sim_rank_now, NULL, &margin);
    REFUSES(tn_sim_rank_now, sim, NULL);
    REFUSES(tn_sim_rank_least, NULL, &margin);
    REFUSES(tn_sim_rank_least, sim, NULL);
    SAYS(tn_sim_verdict, (tn_sim_verdict(NULL, &verdict), true));
    SAYS(tn_sim_verdict, (tn_sim_verdict(sim, NULL), true));
    SAYS(tn_verdict_warn, tn_verdict_warn(NULL) == NULL);
    walk("tn_outcome_word");
    CHECK_TEXT(tn_outcome_word((tn_outcome)9), "");
    QUIET(tn_verdict_put, tn_verdict_put(NULL, &verdict));
    ZERO(tn_ledger_relative_balance, NULL);
    REFUSES(tn_sim_save, NULL, &saved, &size);
    REFUSES(tn_sim_save, sim, NULL, &size);
    REFUSES(tn_sim_save, sim, &saved, NULL);
    REFUSES(tn_sim_load, NULL, "saved", 5);
    REFUSES(tn_sim_load, sim, NULL, 5);
    SAYS(tn_sim_loads_exactly, !tn_sim_loads_exactly(NULL));
    QUIET(tn_saved_free, tn_saved_free(NULL));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void a_simulation_is_needed_to_read_from(void)
{
    const tn_body rod = {1};
    const tn_joint hinge = {0};
    ZERO(tn_sim_time, NULL);
    SAYS(tn_sim_body_frame, tn_sim_body_frame(NULL, rod).R.m[0][0] == 1.0);
    SAYS(tn_sim_body_rotation, tn_sim_body_rotation(NULL, rod).w == 1.0);
    SAYS(tn_sim_body_velocity, tn_sim_body_velocity(NULL, rod).x == 0.0);
    SAYS(tn_sim_body_rate, tn_sim_body_rate(NULL, rod).x == 0.0);
    SAYS(tn_sim_body_acceleration, tn_sim_body_acceleration(NULL, rod).x == 0.0);
    SAYS(tn_sim_body_rate_dot, tn_sim_body_rate_dot(NULL, rod).x == 0.0);
    SAYS(tn_sim_frame, tn_sim_frame(NULL, rod, tn_frame_identity).frame.R.m[0][0] == 1.0);
    SAYS(tn_sim_frame_between,
         tn_sim_frame_between(NULL, rod, tn_frame_identity, rod, tn_frame_identity)
                 .frame.R.m[0][0] == 1.0);
    REFUSES(tn_sim_apply_wrench, NULL, rod, (tn_vec3){0}, (tn_axes){0}, (tn_wrench){0});
    REFUSES(tn_sim_force, NULL, (tn_force){0}, &(tn_force_state){0});
    REFUSES(tn_sim_set_state, NULL, 0.0, NULL, NULL, false);
    REFUSES(tn_sim_set_value, NULL, "x", 0.0);
    ZERO(tn_sim_channel_count, NULL);
    REFUSES(tn_sim_channel_at, NULL, 0, &(tn_channel_info){0});
    REFUSES(tn_sim_channel_find, NULL, "time", &(int){0});
    SAYS(tn_sim_channel, isnan(tn_sim_channel(NULL, 0)));
    ZERO(tn_sim_joint_coordinates, NULL, hinge, NULL, NULL);
    ZERO(tn_sim_joint_accelerations, NULL, hinge, &(double){0});
    SAYS(tn_sim_joint_reaction, tn_sim_joint_reaction(NULL, hinge).f.x == 0.0);
    ZERO(tn_sim_joint_multipliers, NULL, hinge, NULL, NULL);
    ZERO(tn_sim_nq, NULL);
    ZERO(tn_sim_nv, NULL);
    ZERO(tn_sim_nl, NULL);
    ZERO(tn_sim_nn, NULL);
    ZERO(tn_sim_q, NULL);
    ZERO(tn_sim_v, NULL);
    ZERO(tn_sim_a, NULL);
    ZERO(tn_sim_lambda, NULL);
    ZERO(tn_sim_eta, NULL);
    ZERO(tn_sim_extra, NULL);
    ZERO(tn_sim_sampled, NULL);
    EMPTY(tn_sim_method, NULL);
    EMPTY(tn_sim_why, NULL);
    EMPTY(tn_sim_rotation, NULL);
    EMPTY(tn_sim_solver, NULL);
    ZERO(tn_sim_note_count, NULL);
    EMPTY(tn_sim_note, NULL, 0);
    ZERO(tn_sim_freedoms, NULL);
    ZERO(tn_sim_redundant, NULL);
}

// Places to write to that are not given are not written to; elements that do not exist are zero.
static void what_is_not_asked_for_is_not_written(void)
{
    static const int indices[] = {-1, 1, 7, INT32_MAX, INT32_MIN};
    tn_model *model = pendulum();
    tn_sim *sim = simulation(model);
    CHECK(tn_sim_joint_coordinates(sim, (tn_joint){0}, NULL, NULL) == 1);
    CHECK(tn_sim_joint_multipliers(sim, (tn_joint){0}, NULL, NULL) == 5);
    for (int k = 0; k < TN_COUNT(indices); k++) {
        const tn_joint joint = {indices[k]};
        const tn_body body = {indices[k] == 1 ? 2 : indices[k]};
        CHECK(tn_sim_joint_coordinates(sim, joint, NULL, NULL) == 0);
        CHECK(tn_sim_joint_multipliers(sim, joint, NULL, NULL) == 0);
        CHECK(tn_sim_joint_reaction(sim, joint).f.x == 0.0);
        CHECK(tn_sim_body_frame(sim, body).R.m[1][1] == 1.0);
        CHECK(tn_sim_body_velocity(sim, body).x == 0.0);
        CHECK_TEXT(tn_sim_note(sim, indices[k] == 1 ? 99 : indices[k]), "");
        CHECK_TEXT(tn_model_body_name(model, body), "");
        CHECK(tn_model_body_mass(model, body).mass == 0.0 &&
              !tn_model_body_mass_is_of_shapes(model, body));
        CHECK_TEXT(tn_model_joint_name(model, joint), "");
        CHECK_TEXT(tn_model_force_name(model, (tn_force){indices[k]}), "");
        CHECK_TEXT(tn_model_event_name(model, indices[k]), "");
        CHECK_TEXT(tn_model_input_name(model, (tn_input){indices[k]}), "");
        CHECK(tn_sim_set_input(sim, (tn_input){indices[k]}, 1.0) == TN_ERR_USAGE);
        CHECK(tn_model_joint_row_count(model, joint) == 0);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void checks_need_a_check(void)
{
    tn_model *model = pendulum();
    const tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    REFUSES(tn_check_create, NULL, &options, &check);
    REFUSES(tn_check_create, model, NULL, &check);
    REFUSES(tn_check_create, model, &options, NULL);
    CHECK_OK(tn_check_create(model, &options, &check));
    ZERO(tn_check_coordinates, NULL);
    ZERO(tn_check_rows, NULL);
    ZERO(tn_check_rank, NULL);
    ZERO(tn_check_one_sided, NULL);
    ZERO(tn_check_freedoms, NULL);
    ZERO(tn_check_joint_coordinates, NULL);
    ZERO(tn_check_joint_rows, NULL);
    ZERO(tn_check_cut_count, NULL);
    NONE(tn_check_cut, NULL, 0);
    NONE(tn_check_cut, check, 0);
    ZERO(tn_check_internal_rows, NULL);
    ZERO(tn_check_redundant_count, NULL);
    SAYS(tn_check_off, tn_check_off(NULL) == 0.0);
    SAYS(tn_check_redundant, tn_check_redundant(NULL, 0).joint.index == -1);
    SAYS(tn_check_redundant, tn_check_redundant(check, -1).joint.index == -1);
    SAYS(tn_check_unique, !tn_check_unique(NULL, (tn_joint){0}, 0));
    SAYS(tn_check_unique, !tn_check_unique(check, (tn_joint){1}, 0));
    SAYS(tn_check_unique, !tn_check_unique(check, (tn_joint){0}, 5));
    ZERO(tn_check_moved_count, NULL);
    SAYS(tn_check_moved, tn_check_moved(NULL, 0).body.index == -1);
    SAYS(tn_check_moved, tn_check_moved(check, 9).body.index == -1);
    ZERO(tn_check_residual, NULL);
    ZERO(tn_check_condition, NULL);
    ZERO(tn_check_margin, NULL);
    ZERO(tn_check_massless_count, NULL);
    EMPTY(tn_check_massless, NULL, 0);
    EMPTY(tn_check_massless, check, 0);
    ZERO(tn_check_small_mass_count, NULL);
    SAYS(tn_check_small_mass, tn_check_small_mass(NULL, 0).body.index == -1);
    SAYS(tn_check_small_mass, tn_check_small_mass(check, 0).body.index == -1);
    QUIET(tn_check_destroy, tn_check_destroy(NULL));
    tn_check_destroy(check);
    tn_model_destroy(model);
}

static tn_inverse *inverse_of(const tn_model *model)
{
    static const tn_motion motion = {.motion = {.expression = "0.1*t"}};
    tn_inverse_options options = tn_default_inverse();
    tn_inverse *inverse = NULL;
    options.nmotion = 1;
    options.motions = &motion;
    CHECK_OK(tn_inverse_create(model, &options, &inverse));
    return inverse;
}

static void reductions_need_a_job(void)
{
    tn_reduce_options options = tn_default_reduce();
    tn_reduction *r = NULL;
    walk("tn_default_reduce");
    REFUSES(tn_reduction_create, NULL, &options, &r);
    REFUSES(tn_reduction_create, "job.yaml", NULL, &r);
    REFUSES(tn_reduction_create, "job.yaml", &options, NULL);
    SAYS(tn_reduction_facts_of, tn_reduction_facts_of(NULL) == NULL);
    SAYS(tn_reduction_frequency, isnan(tn_reduction_frequency(NULL, 0)));
    EMPTY(tn_reduction_attachment, NULL, 0);
    SAYS(tn_reduction_position, tn_reduction_position(NULL, 0).x == 0.0);
    SAYS(tn_reduction_free, isnan(tn_reduction_free(NULL, 0)));
    SAYS(tn_reduction_full, isnan(tn_reduction_full(NULL, 0)));
    REFUSES(tn_reduction_write, NULL, "part.h5");
    QUIET(tn_reduction_destroy, tn_reduction_destroy(NULL));
}

static void imports_need_a_robot(void)
{
    tn_import_options options = tn_default_import();
    tn_import *robot = NULL;
    walk("tn_default_import");
    REFUSES(tn_import_create, NULL, &options, &robot);
    REFUSES(tn_import_create, "arm.urdf", &options, NULL);
    EMPTY(tn_import_text, NULL);
    SAYS(tn_import_facts_of, tn_import_facts_of(NULL).links == 0);
    ZERO(tn_import_note_count, NULL);
    SAYS(tn_import_note_at, !*tn_import_note_at(NULL, 0).text);
    QUIET(tn_import_destroy, tn_import_destroy(NULL));
}

static void inverses_need_an_inverse(void)
{
    tn_model *model = pendulum();
    tn_inverse_options options = tn_default_inverse();
    tn_inverse *inverse = NULL;
    const tn_joint hinge = {0}, none = {1};
    walk("tn_default_inverse");
    REFUSES(tn_section_of, NULL, NULL, NULL);
    REFUSES(tn_inverse_create, NULL, &options, &inverse);
    REFUSES(tn_inverse_create, model, NULL, &inverse);
    REFUSES(tn_inverse_create, model, &options, NULL);
    options.nmotion = 1;
    REFUSES(tn_inverse_create, model, &options, &inverse);
    options.nmotion = 0, options.nmotor = 1;
    REFUSES(tn_inverse_create, model, &options, &inverse);
    inverse = inverse_of(model);
    REFUSES(tn_inverse_move, NULL, 0.0);
    ZERO(tn_inverse_time, NULL);
    ZERO(tn_inverse_motor_count, NULL);
    EMPTY(tn_inverse_motor_name, NULL, 0);
    EMPTY(tn_inverse_motor_name, inverse, 1);
    EMPTY(tn_inverse_motor_unit, NULL, 0);
    EMPTY(tn_inverse_motor_unit, inverse, -1);
    SAYS(tn_inverse_motor, tn_inverse_motor(NULL, 0).effort == 0.0);
    SAYS(tn_inverse_motor, tn_inverse_motor(inverse, 1).effort == 0.0);
    SAYS(tn_inverse_is_least_norm, !tn_inverse_is_least_norm(NULL));
    ZERO(tn_inverse_freedoms, NULL);
    ZERO(tn_inverse_missed, NULL);
    ZERO(tn_inverse_steps, NULL);
    ZERO(tn_inverse_joint_coordinates, NULL, hinge, NULL, NULL, NULL);
    ZERO(tn_inverse_joint_coordinates, inverse, none, NULL, NULL, NULL);
    SAYS(tn_inverse_body_frame, tn_inverse_body_frame(NULL, (tn_body){1}).p.x == 0.0);
    SAYS(tn_inverse_body_frame, tn_inverse_body_frame(inverse, (tn_body){2}).p.x == 0.0);
    SAYS(tn_inverse_joint_reaction, tn_inverse_joint_reaction(NULL, hinge).f.x == 0.0);
    SAYS(tn_inverse_joint_reaction, tn_inverse_joint_reaction(inverse, none).f.x == 0.0);
    SAYS(tn_inverse_energies, tn_inverse_energies(NULL).kinetic == 0.0);
    QUIET(tn_inverse_destroy, tn_inverse_destroy(NULL));
    tn_inverse_destroy(inverse);
    tn_model_destroy(model);
}

static void equilibria_need_an_equilibrium(void)
{
    tn_model *model = pendulum();
    tn_equilibrium_options options = tn_default_equilibrium();
    tn_equilibrium *e = NULL;
    const tn_joint hinge = {0}, none = {1};
    double q[3];
    walk("tn_default_equilibrium");
    walk("tn_stability_word");
    CHECK_TEXT(tn_stability_word((tn_stability)7), "open");
    REFUSES(tn_equilibrium_create, NULL, &options, &e);
    REFUSES(tn_equilibrium_create, model, NULL, &e);
    REFUSES(tn_equilibrium_create, model, &options, NULL);
    CHECK_OK(tn_equilibrium_create(model, &options, &e));
    REFUSES(tn_equilibrium_find, NULL);
    SAYS(tn_equilibrium_facts_of, tn_equilibrium_facts_of(NULL) == NULL);
    SAYS(tn_inverse_table_verdict, tn_inverse_table_verdict(NULL) == NULL);
    SAYS(tn_equilibrium_verdict, tn_equilibrium_verdict(NULL) == NULL);
    ZERO(tn_equilibrium_joint_coordinates, NULL, hinge, q);
    ZERO(tn_equilibrium_joint_coordinates, e, hinge, NULL);
    ZERO(tn_equilibrium_joint_coordinates, e, none, q);
    SAYS(tn_equilibrium_body_frame, tn_equilibrium_body_frame(NULL, (tn_body){1}).p.x == 0.0);
    SAYS(tn_equilibrium_body_frame, tn_equilibrium_body_frame(e, (tn_body){2}).p.x == 0.0);
    SAYS(tn_equilibrium_joint_reaction, tn_equilibrium_joint_reaction(NULL, hinge).f.x == 0.0);
    SAYS(tn_equilibrium_joint_reaction, tn_equilibrium_joint_reaction(e, none).f.x == 0.0);
    tn_force_state force;
    REFUSES(tn_equilibrium_force, NULL, (tn_force){0}, &force);
    REFUSES(tn_equilibrium_force, e, (tn_force){0}, NULL);
    REFUSES(tn_equilibrium_force, e, (tn_force){99}, &force);
    ZERO(tn_equilibrium_trim_count, NULL);
    EMPTY(tn_equilibrium_trim_name, NULL, 0);
    EMPTY(tn_equilibrium_trim_name, e, 0);
    SAYS(tn_equilibrium_trim_value, isnan(tn_equilibrium_trim_value(NULL, 0)));
    SAYS(tn_equilibrium_trim_value, isnan(tn_equilibrium_trim_value(e, 0)));
    SAYS(tn_equilibrium_path_of, tn_equilibrium_path_of(NULL).rows == 0);
    REFUSES(tn_equilibrium_path_write, NULL, "path.csv");
    REFUSES(tn_equilibrium_path_write, e, NULL);
    REFUSES(tn_equilibrium_path_plot, NULL, NULL, "path.svg");
    REFUSES(tn_equilibrium_path_plot, e, NULL, NULL);
    QUIET(tn_equilibrium_destroy, tn_equilibrium_destroy(NULL));
    tn_equilibrium_destroy(e);
    tn_model_destroy(model);
}

static void equations_need_a_model(void)
{
    tn_model *model = pendulum();
    tn_dynamics *d = NULL;
    char name[8];
    double x[6 * 6];
    tn_force_state force;
    REFUSES(tn_dynamics_create, NULL, "joint", &d);
    REFUSES(tn_dynamics_create, model, "joint", NULL);
    CHECK_OK(tn_dynamics_create(model, NULL, &d));
    ZERO(tn_dynamics_nq, NULL);
    ZERO(tn_dynamics_nv, NULL);
    ZERO(tn_dynamics_rows, NULL);
    REFUSES(tn_dynamics_velocity_name, NULL, 0, name, sizeof name);
    REFUSES(tn_dynamics_velocity_name, d, 0, NULL, 0);
    REFUSES(tn_dynamics_velocity_name, d, 6, name, sizeof name);
    REFUSES(tn_dynamics_row_name, NULL, 0, name, sizeof name);
    REFUSES(tn_dynamics_row_name, d, 0, NULL, 0);
    REFUSES(tn_dynamics_row_name, d, -1, name, sizeof name);
    REFUSES(tn_dynamics_set, NULL, 0.0, x, x);
    REFUSES(tn_dynamics_reset, NULL);
    REFUSES(tn_dynamics_set_input, NULL, (tn_input){0}, 1.0);
    REFUSES(tn_dynamics_set_input, d, (tn_input){0}, 1.0);
    REFUSES(tn_dynamics_set_value, NULL, "x", 1.0);
    REFUSES(tn_dynamics_set_value, d, NULL, 1.0);
    ZERO(tn_dynamics_time, NULL);
    ZERO(tn_dynamics_q, NULL);
    ZERO(tn_dynamics_v, NULL);
    REFUSES(tn_dynamics_residuals, NULL, x, x);
    REFUSES(tn_dynamics_mass_matrix, NULL, x);
    REFUSES(tn_dynamics_mass_matrix, d, NULL);
    REFUSES(tn_dynamics_forces, NULL, x);
    REFUSES(tn_dynamics_forces, d, NULL);
    REFUSES(tn_dynamics_constraints, NULL, x, x);
    REFUSES(tn_dynamics_forward, NULL, x, x, x);
    REFUSES(tn_dynamics_inverse, NULL, x, x, x);
    REFUSES(tn_dynamics_inverse, d, NULL, x, x);
    REFUSES(tn_dynamics_inverse, d, x, x, NULL);
    REFUSES(tn_dynamics_energy, NULL, x, x);
    SAYS(tn_dynamics_frame,
         tn_dynamics_frame(NULL, TN_GROUND, tn_frame_identity).frame.R.m[0][0] == 1.0);
    SAYS(tn_dynamics_frame_between,
         tn_dynamics_frame_between(NULL, TN_GROUND, tn_frame_identity, TN_GROUND, tn_frame_identity)
                 .frame.R.m[0][0] == 1.0);
    REFUSES(tn_dynamics_frame_jacobian, NULL, TN_GROUND, tn_frame_identity, x);
    REFUSES(tn_dynamics_frame_jacobian, d, TN_GROUND, tn_frame_identity, NULL);
    ZERO(tn_dynamics_joint_coordinates, NULL, (tn_joint){0}, x, x);
    SAYS(tn_dynamics_joint_reaction, tn_dynamics_joint_reaction(NULL, (tn_joint){0}).f.x == 0.0);
    REFUSES(tn_dynamics_force, NULL, (tn_force){0}, &force);
    REFUSES(tn_dynamics_force, d, (tn_force){0}, NULL);
    CHECK_STATUS(tn_dynamics_force(d, (tn_force){0}, &force), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "there is no force with the index 0; the model has 0");
    QUIET(tn_dynamics_destroy, tn_dynamics_destroy(NULL));
    tn_dynamics_destroy(d);
    tn_model_destroy(model);
}

static void projectors_need_a_state(void)
{
    tn_model *model = pendulum();
    tn_dynamics *d = NULL;
    tn_projectors *p = NULL;
    int rows, columns;
    REFUSES(tn_projectors_create, NULL, &p);
    CHECK_OK(tn_dynamics_create(model, NULL, &d));
    REFUSES(tn_projectors_create, d, NULL);
    CHECK_OK(tn_projectors_create(d, &p));
    ZERO(tn_projectors_rank, NULL);
    ZERO(tn_projectors_time, NULL);
    ZERO(tn_projectors_values, NULL, TN_PROJECTOR_M, &rows, &columns);
    ZERO(tn_projectors_values, p, TN_PROJECTOR_M, NULL, &columns);
    QUIET(tn_projectors_values,
          (void)tn_projectors_values(p, (tn_projector_matrix)99, &rows, &columns));
    QUIET(tn_projectors_name, (void)tn_projectors_name((tn_projector_matrix)99));
    SAYS(tn_projectors_velocity, !*tn_projectors_velocity(NULL, 0));
    SAYS(tn_projectors_row, !*tn_projectors_row(NULL, 0));
    REFUSES(tn_projectors_write, NULL, "p.csv");
    REFUSES(tn_projectors_write, p, NULL);
    QUIET(tn_projectors_destroy, tn_projectors_destroy(NULL));
    tn_projectors_destroy(p);
    tn_dynamics_destroy(d);
    tn_model_destroy(model);
}

static void sweeps_refuse(void)
{
    tn_sweep *sweep = NULL;
    tn_sweep_options o = tn_default_sweep();
    tn_sweep_facts facts;
    tn_case_state state;
    double x;
    walk("tn_default_sweep");
    REFUSES(tn_sweep_create, NULL, NULL, NULL, &o, &sweep);
    REFUSES(tn_sweep_create, "a.yaml", NULL, NULL, NULL, &sweep);
    REFUSES(tn_sweep_create, "a.yaml", NULL, NULL, &o, NULL);
    o.nset = 1;
    REFUSES(tn_sweep_create, "a.yaml", NULL, NULL, &o, &sweep);
    o.nset = 0, o.noutput = 1;
    REFUSES(tn_sweep_create, "a.yaml", NULL, NULL, &o, &sweep);
    REFUSES(tn_sweep_run, NULL);
    REFUSES(tn_sweep_merge, NULL, "a");
    REFUSES(tn_sweep_write, NULL);
    REFUSES(tn_sweep_found, NULL, &facts);
    REFUSES(tn_sweep_case, NULL, 0, &state, &x, NULL);
    QUIET(tn_sweep_rank, (void)tn_sweep_rank(NULL));
    QUIET(tn_sweep_plot, CHECK(!tn_sweep_plot(NULL, 0)));
    QUIET(tn_ranks_here, (void)tn_ranks_here(NULL, NULL));
    tn_sweep_stop(NULL);
    walk("tn_sweep_stop");
    tn_sweep_destroy(NULL);
    walk("tn_sweep_destroy");
}

static void files_need_names_and_places(void)
{
    tn_model *model = pendulum(), *read = NULL;
    tn_sim *sim = simulation(model);
    tn_record_options options = tn_default_record();
    tn_record *record = NULL;
    char *text = NULL;
    bool made_of;
    walk("tn_default_record");
    REFUSES(tn_model_draw, NULL, "a.svg");
    REFUSES(tn_model_expand, NULL, 0, NULL, NULL, &text);
    REFUSES(tn_model_expand, "a.yaml", 0, NULL, NULL, NULL);
    REFUSES(tn_model_expand, "a.yaml", 1, NULL, NULL, &text);
    REFUSES(tn_model_is_made_of, NULL, "a.yaml", &made_of);
    REFUSES(tn_model_is_made_of, "a.yaml", NULL, &made_of);
    REFUSES(tn_model_is_made_of, "a.yaml", "a.yaml", NULL);
    REFUSES(tn_model_draw_pattern, NULL, "a.svg", NULL);
    REFUSES(tn_model_load, NULL, &read, NULL);
    REFUSES(tn_model_load, "a.yaml", NULL, NULL);
    REFUSES(tn_model_load_with, NULL, 0, NULL, &read, NULL);
    REFUSES(tn_model_load_with, "a.yaml", 0, NULL, NULL, NULL);
    REFUSES(tn_model_load_with, "a.yaml", 1, NULL, &read, NULL);
    REFUSES(tn_model_parse, NULL, "text", &read, NULL);
    REFUSES(tn_model_parse, "tenon: 1", NULL, &read, NULL);
    REFUSES(tn_model_parse, "tenon: 1", "text", NULL, NULL);
    REFUSES(tn_record_create, NULL, sim, &options, &record);
    REFUSES(tn_record_create, "arguments", NULL, &options, &record);
    REFUSES(tn_record_create, "arguments", sim, &options, NULL);
    REFUSES(tn_record_flush, NULL);
    REFUSES(tn_record_row, NULL, sim);
    options.overwrite = true;
    CHECK_OK(tn_record_create("arguments", sim, &options, &record));
    REFUSES(tn_record_row, record, NULL);
    QUIET(tn_record_close, CHECK_OK(tn_record_close(NULL, "done")));
    CHECK_OK(tn_record_close(record, NULL));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void texts_and_memory_need_nothing(void)
{
    walk("tn_status_text"), walk("tn_last_error"), walk("tn_version"), walk("tn_interface");
    walk("tn_set_allocator");
    walk("tn_set_fork");
    CHECK(strlen(tn_interface()) == 16 && *tn_status_text((tn_status)-1000) && tn_last_error() &&
          *tn_version());
}

// Lifetimes and orders ----------------------------------------------------------------------------

static void a_model_outlives_its_destruction_while_it_is_used(void)
{
    const long live = tn_test_alloc_live();
    const tn_sim_options options = tn_default_sim();
    tn_record_options files = tn_default_record();
    tn_model *model = pendulum();
    tn_sim *one = simulation(model), *two = simulation(model);
    tn_inverse *inverse = inverse_of(model);
    tn_check *check = NULL;
    tn_record *record = NULL;
    files.overwrite = true;
    CHECK_OK(tn_check_create(model, &options, &check));
    CHECK_OK(tn_record_create("lifetimes", one, &files, &record));
    tn_model_destroy(model);
    CHECK_OK(tn_sim_run(one, 0.1, NULL, NULL));
    CHECK_OK(tn_record_row(record, one));
    tn_sim_destroy(one);
    CHECK_OK(tn_record_close(record, "done"));
    CHECK_OK(tn_sim_run(two, 0.1, NULL, NULL));
    CHECK(tn_sim_body_frame(two, (tn_body){1}).R.m[0][0] <= 1.0);
    tn_sim_destroy(two);
    CHECK_OK(tn_inverse_move(inverse, 0.1));
    CHECK(tn_inverse_joint_coordinates(inverse, (tn_joint){0}, NULL, NULL, NULL) == 1);
    tn_inverse_destroy(inverse);
    CHECK(tn_check_unique(check, (tn_joint){0}, 0) && tn_check_internal_rows(check) == 6);
    tn_check_destroy(check);
    CHECK(tn_test_alloc_live() == live);
}

static void a_model_in_use_does_not_change(void)
{
    tn_model *model = pendulum();
    tn_sim *sim = simulation(model);
    const tn_body_def body = tn_default_body();
    CHECK(tn_model_add_body(model, &body).index == -1);
    CHECK(tn_model_body_count(model) == 2);
    CHECK(tn_model_status(model) == TN_ERR_USAGE);
    CHECK(strstr(tn_last_error(), "cannot change while") != NULL);
    CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL)); // what runs goes on
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void a_stop_before_a_run_is_kept_for_it(void)
{
    tn_model *model = pendulum();
    tn_sim *sim = simulation(model);
    tn_sim_stop(sim);
    CHECK(tn_sim_run(sim, 0.1, NULL, NULL) == TN_ERR_STOPPED);
    CHECK(tn_sim_time(sim) == 0.0);
    CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL)); // once
    CHECK(tn_sim_time(sim) == 0.1);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void messages_need_words(void)
{
    // By pointers, whose formats compilers do not look at.
    tn_status (*const fail)(tn_status, const char *, ...) = tn_fail;
    tn_status (*const fail_within)(tn_status, const char *, ...) = tn_fail_within;
    const char *none = NULL, *known[] = {"run"};
    char out[8];
    SAYS(tn_fail, fail(TN_ERR_USAGE, none) == TN_ERR_USAGE);
    SAYS(tn_fail_within, fail_within(TN_ERR_USAGE, none) == TN_ERR_USAGE);
    ZERO(tn_nearest_name, NULL, 1, known);
    ZERO(tn_nearest_name, "rum", 1, NULL);
    REFUSES(tn_fail_unknown, NULL, "rum", 1, known);
    REFUSES(tn_fail_unknown, "command", NULL, 1, known);
    REFUSES(tn_fail_unknown, "command", "rum", 1, NULL);
    SAYS(tn_printable, (tn_printable(NULL, out, sizeof out), true));
    SAYS(tn_printable, (tn_printable("x", NULL, 8), true));
    QUIET(tn_text_free, tn_text_free(NULL));
}

static void json_needs_a_writer_and_pieces_that_match(void)
{
    const double x = 0.0;
    tn_json *json = NULL;
    REFUSES(tn_json_create, NULL);
    QUIET(tn_json_destroy, tn_json_destroy(NULL));
    SAYS(tn_json_begin_object, (tn_json_begin_object(NULL, NULL), true));
    SAYS(tn_json_end_object, (tn_json_end_object(NULL), true));
    SAYS(tn_json_begin_array, (tn_json_begin_array(NULL, NULL), true));
    SAYS(tn_json_end_array, (tn_json_end_array(NULL), true));
    SAYS(tn_json_number, (tn_json_number(NULL, NULL, 0.0), true));
    SAYS(tn_json_integer, (tn_json_integer(NULL, NULL, 0), true));
    SAYS(tn_json_string, (tn_json_string(NULL, NULL, ""), true));
    SAYS(tn_json_boolean, (tn_json_boolean(NULL, NULL, true), true));
    SAYS(tn_json_null, (tn_json_null(NULL, NULL), true));
    SAYS(tn_json_numbers, (tn_json_numbers(NULL, NULL, 1, &x), true));
    SAYS(tn_json_put, (tn_json_put(NULL, "a %g", x), true));
    SAYS(tn_json_object, (tn_json_object(NULL, NULL, "a %g", x), true));
    REFUSES(tn_json_finish, NULL);
    EMPTY(tn_json_text, NULL);
    for (int wrong = 0; wrong < 5; wrong++) {
        CHECK_OK(tn_json_create(&json));
        tn_json_begin_array(json, NULL);
        for (int k = 0; wrong == 0 && k < 100; k++)
            tn_json_begin_array(json, NULL);
        if (wrong == 1)
            tn_json_end_object(json);
        if (wrong == 2)
            tn_json_number(json, "key", 1.0);
        if (wrong == 3)
            tn_json_numbers(json, NULL, 2, NULL);
        for (int k = 0; wrong < 4 && k < 3; k++)
            tn_json_end_array(json);
        CHECK(tn_json_finish(json) == TN_ERR_USAGE);
        tn_json_destroy(json);
    }
}

static void lists_end(void)
{
    const tn_param number = {.name = "n", .type = TN_PARAM_NUMBER, .unit = "", .text = ""};
    char *text = NULL;
    double value = 0.0;
    SAYS(tn_help_integrator, !tn_help_integrator(0, NULL));
    SAYS(tn_help_formulation, !tn_help_formulation(0, NULL));
    SAYS(tn_help_alias, !tn_help_alias(0, NULL));
    SAYS(tn_help_rotation, !tn_help_rotation(0, NULL));
    SAYS(tn_help_coordinates, !tn_help_coordinates(0, NULL));
    QUIET(tn_help_pairs, CHECK(!tn_help_pairs(-1, 0) && !tn_help_pairs(0, 1000)));
    QUIET(tn_help_rotates, CHECK(!tn_help_rotates(0, -1) && !tn_help_rotates(1000, 0)));
    QUIET(tn_help_option, CHECK(!tn_help_option(-1) && !tn_help_option(1000)));
    QUIET(tn_help_kind, CHECK(!tn_help_kind(-1) && !tn_help_kind(1000)));
    QUIET(tn_help_starter, CHECK(!tn_help_starter(-1) && !tn_help_starter(1000)));
    SAYS(tn_doctor_check, !tn_doctor_check(0, NULL));
    REFUSES(tn_help_text, NULL, &text);
    REFUSES(tn_help_text, "spring", NULL);
    REFUSES(tn_help_reference, NULL);
    REFUSES(tn_help_schema, NULL);
    REFUSES(tn_starter_write, NULL, "x.yaml", true);
    REFUSES(tn_starter_write, tn_help_starter(0), NULL, true);
    QUIET(tn_param_type_text, CHECK(!strcmp(tn_param_type_text((tn_param_type)1000), "")));
    REFUSES(tn_param_read, NULL, "1", "n", &value);
    REFUSES(tn_param_read, &number, NULL, "n", &value);
    REFUSES(tn_param_read, &number, "1", NULL, &value);
    REFUSES(tn_param_read, &number, "1", "n", NULL);
    SAYS(tn_param_clear, (tn_param_clear(NULL, &value), true));
    SAYS(tn_param_clear, (tn_param_clear(&number, NULL), true));
}

static void options_need_a_place(void)
{
    tn_simulate simulate = {.options = tn_default_sim()};
    const bool given[64] = {false};
    char *line = NULL;
    REFUSES(tn_simulate_check, NULL);
    REFUSES(tn_simulate_override, NULL, &simulate, given);
    REFUSES(tn_simulate_override, &simulate, NULL, given);
    REFUSES(tn_simulate_override, &simulate, &simulate, NULL);
    REFUSES(tn_shell_line, NULL, 0, NULL, &line);
    REFUSES(tn_shell_line, "tenon", 0, NULL, NULL);
}

static void a_motion_to_follow_needs_a_model(void)
{
    tn_model *model = pendulum();
    const tn_sim_options options = tn_default_sim();
    tn_along along;
    REFUSES(tn_check_along, NULL, &options, 1.0, &along);
    REFUSES(tn_check_along, model, NULL, 1.0, &along);
    REFUSES(tn_check_along, model, &options, 1.0, NULL);
    EMPTY(tn_model_joint_row_name, NULL, (tn_joint){0}, 0);
    EMPTY(tn_model_joint_row_name, model, (tn_joint){0}, 5);
    tn_model_destroy(model);
}

static void tables_of_motors_need_a_model(void)
{
    tn_model *model = pendulum();
    const tn_simulate simulate = {.options = tn_default_sim()};
    const tn_inverse_table_options options = tn_default_inverse_table();
    tn_inverse_table *table = NULL;
    REFUSES(tn_inverse_table_create, NULL, &simulate, &options, &table);
    REFUSES(tn_inverse_table_create, model, NULL, &options, &table);
    REFUSES(tn_inverse_table_create, model, &simulate, NULL, &table);
    REFUSES(tn_inverse_table_create, model, &simulate, &options, NULL);
    QUIET(tn_default_inverse_table, tn_default_inverse_table());
    QUIET(tn_inverse_table_destroy, tn_inverse_table_destroy(NULL));
    REFUSES(tn_inverse_table_follow, NULL);
    ZERO(tn_inverse_table_facts, NULL);
    REFUSES(tn_inverse_table_write, NULL, "x.csv");
    tn_model_destroy(model);
}

static void ensembles_need_a_model(void)
{
    tn_model *model = pendulum();
    const tn_ensemble_options options = tn_default_ensemble();
    tn_ensemble *ensemble = NULL;
    double q = 0.0, v = 0.0;
    QUIET(tn_default_ensemble, tn_default_ensemble());
    REFUSES(tn_ensemble_create, NULL, 1, &options, &ensemble);
    REFUSES(tn_ensemble_create, model, 1, NULL, &ensemble);
    REFUSES(tn_ensemble_create, model, 1, &options, NULL);
    QUIET(tn_ensemble_destroy, tn_ensemble_destroy(NULL));
    ZERO(tn_ensemble_count, NULL);
    ZERO(tn_ensemble_nv, NULL);
    SAYS(tn_ensemble_time, isnan(tn_ensemble_time(NULL)));
    CHECK_OK(tn_ensemble_create(model, 1, &options, &ensemble));
    REFUSES(tn_ensemble_set_model, NULL, 0, model);
    REFUSES(tn_ensemble_set_model, ensemble, 0, NULL);
    REFUSES(tn_ensemble_set_state, NULL, 0, &q, &v);
    REFUSES(tn_ensemble_set_state, ensemble, 0, NULL, &v);
    REFUSES(tn_ensemble_set_state, ensemble, 0, &q, NULL);
    REFUSES(tn_ensemble_state, NULL, 0, &q, &v);
    REFUSES(tn_ensemble_set_joint, NULL, 0, (tn_joint){0}, 0.0, 0.0);
    REFUSES(tn_ensemble_joint, NULL, 0, (tn_joint){0}, &q, &v);
    REFUSES(tn_ensemble_run, NULL, 1.0);
    CHECK(tn_ensemble_set_joint(ensemble, 0, (tn_joint){0}, NAN, 0.0) == TN_ERR_USAGE);
    CHECK(tn_ensemble_set_joint(ensemble, -1, (tn_joint){0}, 0.0, 0.0) == TN_ERR_USAGE);
    tn_ensemble_destroy(ensemble);
    tn_model_destroy(model);
}

static void comparisons_need_a_model(void)
{
    tn_model *model = pendulum();
    const tn_simulate simulate = {.options = tn_default_sim(), .t_end = 0.1};
    const tn_compare_options options = tn_default_compare();
    const tn_trial trial = {0};
    tn_compare *compare = NULL;
    tn_json *json = NULL;
    REFUSES(tn_compare_create, NULL, &simulate, &options, &compare);
    REFUSES(tn_compare_create, model, NULL, &options, &compare);
    REFUSES(tn_compare_create, model, &simulate, NULL, &compare);
    REFUSES(tn_compare_create, model, &simulate, &options, NULL);
    QUIET(tn_default_compare, tn_default_compare());
    QUIET(tn_compare_destroy, tn_compare_destroy(NULL));
    REFUSES(tn_compare_run, NULL);
    SAYS(tn_compare_found, tn_compare_found(NULL).nseries == 0);
    SAYS(tn_compare_order, isnan(tn_compare_order(NULL, &trial, &trial).q));
    SAYS(tn_compare_best, tn_compare_best(NULL, 1.0, TN_WORK_CPU).series == -1);
    REFUSES(tn_compare_json, NULL, &json);
    REFUSES(tn_compare_write, NULL, "x");
    tn_model_destroy(model);
}

static void runs_need_a_model_and_a_run(void)
{
    const tn_run_options options = tn_default_run();
    tn_run *run = NULL;
    tn_resume *resume = NULL;
    tn_view *view = NULL;
    tn_json *json = NULL;
    int count;
    REFUSES(tn_run_create, NULL, NULL, NULL, &options, &run);
    REFUSES(tn_run_create, "x.yaml", NULL, NULL, NULL, &run);
    REFUSES(tn_run_create, "x.yaml", NULL, NULL, &options, NULL);
    QUIET(tn_default_run, tn_default_run());
    QUIET(tn_run_destroy, tn_run_destroy(NULL));
    REFUSES(tn_run_open, NULL);
    REFUSES(tn_run_simulate, NULL);
    QUIET(tn_run_stop, tn_run_stop(NULL));
    REFUSES(tn_run_conclude, NULL, TN_OK);
    ZERO(tn_run_about, NULL);
    REFUSES(tn_run_summary, NULL, &json);
    ZERO(tn_run_saved, NULL, NULL);
    REFUSES(tn_resume_open, NULL, &resume);
    REFUSES(tn_resume_open, "x", NULL);
    QUIET(tn_resume_close, tn_resume_close(NULL));
    EMPTY(tn_resume_model, NULL);
    ZERO(tn_resume_words, NULL, &count);
    REFUSES(tn_view_results, NULL, NULL, &view);
    REFUSES(tn_view_results, "x", NULL, NULL);
    REFUSES(tn_view_run, NULL, NULL, &view);
    EMPTY(tn_view_url, NULL);
    ZERO(tn_view_port, NULL);
    SAYS(tn_view_is_local, !tn_view_is_local(NULL));
    QUIET(tn_view_close, tn_view_close(NULL));
}

// A run that was created and not opened has nothing to simulate into.
static void runs_go_in_their_order(void)
{
    const tn_run_options options = tn_default_run();
    tn_run *run = NULL;
    CHECK_OK(tn_starter_write(tn_help_starter(0), "order.yaml", true));
    CHECK_OK(tn_run_create("order.yaml", NULL, NULL, &options, &run));
    CHECK(tn_run_simulate(run) == TN_ERR_USAGE);
    CHECK(tn_run_conclude(run, TN_OK) == TN_ERR_USAGE);
    CHECK(strcmp(tn_run_about(run)->status, "running") == 0);
    tn_run_destroy(run);
}

static void results_need_a_result(void)
{
    const tn_plot_options plot = tn_default_plot();
    const char *const names[] = {"energy"};
    tn_result *result = NULL;
    double x;
    int channel;
    REFUSES(tn_result_open, NULL, false, &result);
    REFUSES(tn_result_open, "nowhere", false, NULL);
    QUIET(tn_result_close, tn_result_close(NULL));
    ZERO(tn_result_about, NULL);
    ZERO(tn_result_rows, NULL);
    ZERO(tn_result_source, NULL);
    ZERO(tn_result_warning_count, NULL);
    EMPTY(tn_result_warning, NULL, 0);
    ZERO(tn_result_channel_count, NULL);
    ZERO(tn_result_channel_at, NULL, 0);
    REFUSES(tn_result_find, NULL, "time", &channel);
    REFUSES(tn_result_time, NULL, 0, 1, &x);
    REFUSES(tn_result_read, NULL, 0, 0, 1, &x);
    QUIET(tn_default_plot, tn_default_plot());
    REFUSES(tn_result_plot, NULL, 1, names, &plot, "x.svg", NULL);
    REFUSES(tn_result_open_table, NULL, &result);
    REFUSES(tn_result_open_table, "nowhere.csv", NULL);
    SAYS(tn_result_is_there, !tn_result_is_there(NULL));
    REFUSES(tn_runs_plot, 1, NULL, 1, names, &plot, "x.svg", NULL);
    REFUSES(tn_runs_plot, 1, names, 1, NULL, &plot, "x.svg", NULL);
    REFUSES(tn_runs_plot, 1, names, 1, names, &plot, NULL, NULL);
    REFUSES(tn_result_snapshots, NULL, 1, &x, &plot, "x.svg", NULL);
    QUIET(tn_plotted_free, tn_plotted_free(NULL));
    QUIET(tn_report_check, tn_report_check());
    REFUSES(tn_report_write, NULL, NULL, (tn_teller){0}, NULL);
}

static void own_kinds_need_tables(void)
{
    REFUSES(tn_add_force_kind, NULL, NULL);
    REFUSES(tn_add_joint_kind, NULL, NULL);
    REFUSES(tn_add_function_kind, NULL, NULL);
    REFUSES(tn_check_kind, NULL, NULL);
    REFUSES(tn_plugin_load, NULL);
    QUIET(tn_plugin_allow, tn_plugin_allow(false));
}

// Headers -----------------------------------------------------------------------------------------

static bool is_walked(const char *name, size_t n)
{
    for (int k = 0; k < nwalked; k++)
        if (strlen(walked[k]) == n && strncmp(walked[k], name, n) == 0)
            return true;
    return false;
}

// The functions that follow TN_API in a header; returns how many.
static int check_header(const char *path)
{
    int count = 0;
    char line[256];
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file)) {
        const char *bracket = strchr(line, '(');
        if (strncmp(line, "TN_API ", 7) != 0 || !bracket)
            continue;
        const char *name = bracket;
        while (name > line && strchr("abcdefghijklmnopqrstuvwxyz_0123456789", name[-1]))
            name--;
        if (!is_walked(name, (size_t)(bracket - name)))
            printf("%.*s is not called with NULL here\n", (int)(bracket - name), name);
        CHECK(is_walked(name, (size_t)(bracket - name)));
        count++;
    }
    fclose(file);
    return count;
}

static void linear_models_need_one(void)
{
    tn_model *model = pendulum();
    tn_linear_options options = tn_default_linear();
    tn_linear *l = NULL;
    double x[8];
    int rows, columns;
    walk("tn_default_linear");
    walk("tn_linear_matrix_name");
    CHECK_TEXT(tn_linear_matrix_name((tn_linear_matrix)99), "");
    REFUSES(tn_linear_create, NULL, &options, &l);
    REFUSES(tn_linear_create, model, NULL, &l);
    REFUSES(tn_linear_create, model, &options, NULL);
    CHECK_OK(tn_linear_create(model, &options, &l));
    ZERO(tn_linear_count, NULL, TN_LINEAR_STATES);
    ZERO(tn_linear_count, l, (tn_linear_list)9);
    EMPTY(tn_linear_name, NULL, TN_LINEAR_STATES, 0);
    EMPTY(tn_linear_name, l, (tn_linear_list)9, 0);
    EMPTY(tn_linear_name, l, TN_LINEAR_STATES, 2);
    EMPTY(tn_linear_unit, NULL, TN_LINEAR_STATES, 0);
    EMPTY(tn_linear_unit, l, TN_LINEAR_STATES, -1);
    SAYS(tn_linear_nominal, isnan(tn_linear_nominal(NULL, TN_LINEAR_INPUTS, 0)));
    SAYS(tn_linear_nominal, isnan(tn_linear_nominal(l, TN_LINEAR_INPUTS, 0)));
    ZERO(tn_linear_pole_count, NULL);
    SAYS(tn_linear_period, isnan(tn_linear_period(NULL)) && isnan(tn_linear_period(l)));
    REFUSES(tn_linear_poles, NULL, x, x);
    SAYS(tn_linear_verdict, tn_linear_verdict(NULL) == NULL);
    SAYS(tn_linear_time, isnan(tn_linear_time(NULL)));
    SAYS(tn_linear_turning, tn_linear_turning(NULL).x == 0.0);
    SAYS(tn_linear_values, tn_linear_values(NULL, TN_LINEAR_A, &rows, &columns) == NULL);
    SAYS(tn_linear_values, tn_linear_values(l, TN_LINEAR_A, NULL, &columns) == NULL);
    SAYS(tn_linear_values, tn_linear_values(l, (tn_linear_matrix)99, &rows, &columns) == NULL);
    REFUSES(tn_linear_eigenvalues, NULL, x, x);
    REFUSES(tn_linear_eigenvalues, l, NULL, x);
    REFUSES(tn_linear_write, NULL, "linear.csv");
    REFUSES(tn_linear_write, l, NULL);
    QUIET(tn_linear_put, tn_linear_put(NULL, l));
    QUIET(tn_linear_destroy, tn_linear_destroy(NULL));
    tn_linear_destroy(l);
    tn_model_destroy(model);
}

static void modes_need_modes(void)
{
    tn_model *model = pendulum();
    tn_modes_options options = tn_default_modes();
    tn_modes *m = NULL;
    const tn_body rod = {1}, none = {2};
    walk("tn_default_modes");
    walk("tn_mode_kind_word");
    CHECK_TEXT(tn_mode_kind_word((tn_mode_kind)7), "");
    REFUSES(tn_modes_create, NULL, &options, &m);
    REFUSES(tn_modes_create, model, NULL, &m);
    REFUSES(tn_modes_create, model, &options, NULL);
    CHECK_OK(tn_modes_create(model, &options, &m));
    ZERO(tn_modes_count, NULL);
    SAYS(tn_modes_verdict, tn_modes_verdict(NULL) == NULL);
    SAYS(tn_modes_facts_of, tn_modes_facts_of(NULL).freedoms == 0);
    SAYS(tn_mode_of, tn_mode_of(NULL, 0).im == 0.0);
    SAYS(tn_mode_of, tn_mode_of(m, 1).im == 0.0);
    SAYS(tn_mode_motion_of, tn_mode_motion_of(NULL, 0, rod).move_re.x == 0.0);
    SAYS(tn_mode_motion_of, tn_mode_motion_of(m, 1, rod).move_re.x == 0.0);
    SAYS(tn_mode_motion_of, tn_mode_motion_of(m, 0, none).move_re.x == 0.0);
    SAYS(tn_mode_share, isnan(tn_mode_share(NULL, 0, rod)));
    SAYS(tn_mode_share, isnan(tn_mode_share(m, 1, rod)));
    SAYS(tn_mode_share, isnan(tn_mode_share(m, 0, none)));
    SAYS(tn_modes_body_frame, tn_modes_body_frame(NULL, rod).p.x == 0.0);
    REFUSES(tn_modes_write, NULL, "modes.csv");
    REFUSES(tn_modes_write, m, NULL);
    REFUSES(tn_modes_report, NULL, &(tn_modes_page){"modes.html", NULL, NULL}, (tn_teller){0});
    REFUSES(tn_modes_report, m, NULL, (tn_teller){0});
    REFUSES(tn_modes_report, m, &(tn_modes_page){NULL, NULL, NULL}, (tn_teller){0});
    QUIET(tn_modes_destroy, tn_modes_destroy(NULL));
    tn_campbell_options over = tn_default_campbell();
    tn_campbell *c = NULL;
    walk("tn_default_campbell");
    over.over = "load";
    over.from = 0.5;
    over.points = 2;
    REFUSES(tn_campbell_create, NULL, &over, &c);
    REFUSES(tn_campbell_create, model, NULL, &c);
    REFUSES(tn_campbell_create, model, &over, NULL);
    CHECK_OK(tn_campbell_create(model, &over, &c));
    ZERO(tn_campbell_lines, NULL);
    ZERO(tn_campbell_points, NULL);
    EMPTY(tn_campbell_unit, NULL);
    SAYS(tn_campbell_verdict, tn_campbell_verdict(NULL) == NULL);
    SAYS(tn_campbell_value, isnan(tn_campbell_value(NULL, 0)));
    SAYS(tn_campbell_value, isnan(tn_campbell_value(c, 2)));
    SAYS(tn_campbell_speed, isnan(tn_campbell_speed(NULL, 0)));
    SAYS(tn_campbell_speed, isnan(tn_campbell_speed(c, 2)));
    SAYS(tn_campbell_mode, tn_campbell_mode(NULL, 0, 0).im == 0.0);
    SAYS(tn_campbell_mode, tn_campbell_mode(c, 1, 0).im == 0.0);
    SAYS(tn_campbell_mode, tn_campbell_mode(c, 0, 2).im == 0.0);
    REFUSES(tn_campbell_write, NULL, "campbell.csv");
    REFUSES(tn_campbell_write, c, NULL);
    REFUSES(tn_campbell_plot, NULL, "campbell.svg");
    REFUSES(tn_campbell_plot, c, NULL);
    QUIET(tn_campbell_destroy, tn_campbell_destroy(NULL));
    tn_campbell_destroy(c);
    tn_modes_destroy(m);
    tn_model_destroy(model);
}

static void every_function_of_the_headers_was_called(void)
{
    static const char *const headers[] = {
        "base", "model", "system", "sim",  "analysis", "equilibrium", "modes",  "inverse",
        "io",   "json",  "param",  "help", "dynamics", "extend",      "reduce", "linear"};
    int count = 0;
    for (int k = 0; k < TN_COUNT(headers); k++) {
        char path[64];
        snprintf(path, sizeof path, "include/tenon/%s.h", headers[k]);
        count += check_header(tn_test_path(path));
    }
    printf("%d functions\n", count);
    CHECK(count > 120);
}

static const tn_test tests[] = {
    {"sweeps refuse", sweeps_refuse},
    {"models need what they are made of", models_need_what_they_are_made_of},
    {"definitions are needed", definitions_are_needed},
    {"simulations need what they are made from", simulations_need_what_they_are_made_from},
    {"a simulation is needed to move", a_simulation_is_needed_to_move},
    {"a simulation is needed to read from", a_simulation_is_needed_to_read_from},
    {"what is not asked for is not written", what_is_not_asked_for_is_not_written},
    {"checks need a check", checks_need_a_check},
    {"equilibria need an equilibrium", equilibria_need_an_equilibrium},
    {"linear models need one", linear_models_need_one},
    {"modes need modes", modes_need_modes},
    {"reductions need a job", reductions_need_a_job},
    {"imports need a robot", imports_need_a_robot},
    {"inverses need an inverse", inverses_need_an_inverse},
    {"equations need a model", equations_need_a_model},
    {"projectors need a state", projectors_need_a_state},
    {"files need names and places", files_need_names_and_places},
    {"texts and memory need nothing", texts_and_memory_need_nothing},
    {"messages need words", messages_need_words},
    {"JSON needs a writer and pieces that match", json_needs_a_writer_and_pieces_that_match},
    {"lists end", lists_end},
    {"options need a place", options_need_a_place},
    {"a motion to follow needs a model", a_motion_to_follow_needs_a_model},
    {"tables of motors need a model", tables_of_motors_need_a_model},
    {"comparisons need a model", comparisons_need_a_model},
    {"ensembles need a model", ensembles_need_a_model},
    {"runs need a model and a run", runs_need_a_model_and_a_run},
    {"runs go in their order", runs_go_in_their_order},
    {"results need a result", results_need_a_result},
    {"own kinds need tables", own_kinds_need_tables},
    {"a model outlives its destruction while it is used",
     a_model_outlives_its_destruction_while_it_is_used},
    {"a model in use does not change", a_model_in_use_does_not_change},
    {"a stop before a run is kept for it", a_stop_before_a_run_is_kept_for_it},
    {"every function of the headers was called", every_function_of_the_headers_was_called},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
