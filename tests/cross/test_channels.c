// SPDX-License-Identifier: MIT
//
// The channels of a simulation are one list: their names are those of result.csv, their values
// those of the functions that read one thing each, and those of a record.

#include "model/vocabulary.h"
#include "tenon/tenon.h"
#include "test.h"

#include <dirent.h>

static tn_sim *start(const char *file, const char *method, tn_model **model)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    char path[80];
    snprintf(path, sizeof path, "models/%s.yaml", file);
    CHECK_OK(tn_model_load(tn_test_path(path), model, NULL));
    options.method = method;
    options.step = 1e-3;
    CHECK_OK(tn_sim_create(*model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.02, NULL, NULL));
    return sim;
}

static void end(tn_sim *sim, tn_model *model)
{
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void channels_are_what_single_functions_tell(void)
{
    tn_model *model = NULL;
    tn_sim *sim = start("fourbar_spatial", "galpha/ggl@absolute", &model);
    const tn_body body = tn_model_find_body(model, "coupler");
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    CHECK(body.index > 0);
    CHECK(tn_test_value(sim, "time") == tn_sim_time(sim));
    CHECK(tn_test_value(sim, "step") == ledger.step);
    CHECK(tn_test_value(sim, "coupler.position.y") == tn_sim_body_frame(sim, body).p.y);
    CHECK(tn_test_value(sim, "coupler.quaternion.w") == tn_sim_body_rotation(sim, body).w);
    CHECK(tn_test_value(sim, "coupler.velocity.x") == tn_sim_body_velocity(sim, body).x);
    CHECK(tn_test_value(sim, "coupler.angular_velocity.z") == tn_sim_body_rate(sim, body).z);
    CHECK(tn_test_value(sim, "coupler.acceleration.y") == tn_sim_body_acceleration(sim, body).y);
    CHECK(tn_test_value(sim, "coupler.angular_acceleration.z") ==
          tn_sim_body_rate_dot(sim, body).z);
    CHECK(tn_test_value(sim, "energy.kinetic") == ledger.kinetic);
    CHECK(tn_test_value(sim, "energy.balance") == ledger.balance);
    CHECK(tn_test_value(sim, "residuals.gdot") == ledger.gdot);
    for (int j = 0; j < tn_model_joint_count(model); j++) {
        const tn_joint joint = {j};
        double q[3], rate[3], lambda[6];
        char name[80];
        CHECK(tn_sim_joint_coordinates(sim, joint, q, rate) >= 1);
        tn_sim_joint_multipliers(sim, joint, lambda, NULL);
        snprintf(name, sizeof name, "%s.torque.y", tn_model_joint_name(model, joint));
        CHECK(tn_test_value(sim, name) == tn_sim_joint_reaction(sim, joint).m.y);
        snprintf(name, sizeof name, "%s.lambda.%s", tn_model_joint_name(model, joint),
                 tn_model_joint_row_name(model, joint, 1));
        CHECK(tn_test_value(sim, name) == lambda[1]);
    }
    end(sim, model);
}

// Cuts off the text up to the next comma or the end of the line.
static char *next_field(char **rest)
{
    char *field = *rest;
    *rest += strcspn(*rest, ",\n");
    CHECK(**rest != '\0');
    *(*rest)++ = '\0';
    return field;
}

// The values of all channels go the same way into the columns of a record.
static void records_have_the_same_columns(void)
{
    static char header[1 << 16], row[1 << 16];
    static const struct {
        const char *file, *method;
    } cases[] = {{"fourbar", "galpha/ggl@joint"},
                 {"fourbar", "variational"},
                 {"car_axis", "variational"}, // without h_d: M is singular
                 {"fourbar_spatial", "radau5/ggl@absolute"}};
    for (int k = 0; k < TN_COUNT(cases); k++) {
        tn_model *model = NULL;
        tn_sim *sim = start(cases[k].file, cases[k].method, &model);
        tn_record *record = NULL;
        const tn_record_options options = {.csv = true, .overwrite = true};
        CHECK_OK(tn_record_create("columns", sim, &options, &record));
        CHECK_OK(tn_record_row(record, sim));
        CHECK_OK(tn_record_close(record, "done"));
        FILE *file = fopen("columns/result.csv", "r");
        CHECK(file && fgets(header, sizeof header, file) && fgets(row, sizeof row, file));
        fclose(file);
        char *rest[2] = {header, row};
        for (int i = 0; i < tn_sim_channel_count(sim); i++) {
            char name[200];
            tn_channel_info info;
            CHECK_OK(tn_sim_channel_at(sim, i, &info));
            snprintf(name, sizeof name, *info.unit ? "%s [%s]" : "%s", info.name, info.unit);
            const char *column = next_field(&rest[0]), *number = next_field(&rest[1]);
            CHECK_TEXT(column, name);
            if (strcmp(info.name, "step") != 0) { // between rows it is a mean
                const double x = tn_sim_channel(sim, i);
                CHECK(x == strtod(number, NULL) || (isnan(x) && strcmp(number, "nan") == 0));
            }
        }
        CHECK(*rest[0] == '\0' && *rest[1] == '\0');
        end(sim, model);
    }
}

static void rates_are_channels_too(void)
{
    static const char *const pairs[][2] = {
        {"crank.position.x", "crank.velocity.x"},
        {"crank.velocity.y", "crank.acceleration.y"},
        {"crank.angular_velocity.z", "crank.angular_acceleration.z"},
        {"crank.angle", "crank.angle.rate"},
        {"A.angle.rate", "A.angle.acceleration"},
    };
    tn_model *model = NULL;
    tn_sim *sim = start("fourbar", "galpha/ggl@joint", &model);
    tn_channel_info info;
    int channel;
    for (int k = 0; k < TN_COUNT(pairs); k++) {
        CHECK_OK(tn_sim_channel_find(sim, pairs[k][0], &channel));
        CHECK_OK(tn_sim_channel_at(sim, channel, &info));
        CHECK_OK(tn_sim_channel_at(sim, info.rate, &info));
        CHECK_TEXT(info.name, pairs[k][1]);
    }
    CHECK_OK(tn_sim_channel_find(sim, "energy.kinetic", &channel));
    CHECK_OK(tn_sim_channel_at(sim, channel, &info));
    CHECK(info.rate == -1);
    end(sim, model);
}

// Each force element in a place of its own, on bodies that move.
static const char bench[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  arm: {mass: 2, inertia: [0.1, 0.2, 0.3], initial: {position: [0.5, 0, 0]}}\n"
    "  cart: {mass: 1, inertia: [0.1, 0.1, 0.1], initial: {position: [0, 2, 0]}}\n"
    "joints:\n"
    "  pin: {kind: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0],\n"
    "        initial: {rate: 2}}\n"
    "  rail: {kind: cylindrical, bodies: [ground, cart], at: [0, 2, 0], axis: [1, 0, 0],\n"
    "         initial: {rate: [1, 0.5]}}\n"
    "forces:\n"
    "  cable: {kind: spring, bodies: [arm, cart], at_a: [1, 0, 0], at_b: [0, 2, 0],\n"
    "          stiffness: 40, damping: 2, free: 1.5}\n"
    "  twist: {kind: torsion-spring, bodies: [ground, cart], at: [0, 2, 0], axis: [1, 0, 0],\n"
    "          stiffness: 3, damping: 0.1}\n"
    "  drive: {kind: motor, joint: rail, coordinate: displacement, effort: 3*sin(t)}\n"
    "  rubber: {kind: bushing, bodies: [arm, cart], at: [0.5, 1, 0], stiffness: [5, 5, 5],\n"
    "           rotational_stiffness: [1, 1, 1], damping: [0.3, 0.3, 0.3]}\n"
    "simulate: {t_end: 0.3}\n";

static tn_sim *start_bench(const char *method, double t, tn_model **model)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    FILE *file = fopen("bench.yaml", "w");
    CHECK(file && fputs(bench, file) >= 0 && fclose(file) == 0);
    CHECK_OK(tn_model_load("bench.yaml", model, NULL));
    options.method = method;
    options.step = 1e-3;
    CHECK_OK(tn_sim_create(*model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    return sim;
}

static void forces_have_channels(void)
{
    static const char *const methods[] = {"dop853/index1@absolute", "dop853/index1@joint",
                                          "variational"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = NULL;
        tn_sim *sim = start_bench(methods[k], 0.2, &model);
        const double arm = tn_test_value(sim, "pin.angle"),
                     x = tn_test_value(sim, "rail.displacement");
        // The arm turns about y: its tip goes down where the angle grows.
        const double apart[] = {x - cos(arm), 2.0, sin(arm)};
        const double length = sqrt(apart[0] * apart[0] + 4.0 + apart[2] * apart[2]);
        const double rate = (apart[0] * (tn_test_value(sim, "rail.displacement.rate") +
                                         sin(arm) * tn_test_value(sim, "pin.angle.rate")) +
                             apart[2] * cos(arm) * tn_test_value(sim, "pin.angle.rate")) /
                            length;
        CHECK_NEAR(tn_test_value(sim, "cable.length"), length, 1e-9);
        CHECK_NEAR(tn_test_value(sim, "cable.deflection"), length - 1.5, 1e-9);
        CHECK_NEAR(tn_test_value(sim, "cable.rate"), rate, 1e-9);
        CHECK_NEAR(tn_test_value(sim, "cable.tension"), 40.0 * (length - 1.5) + 2.0 * rate, 1e-7);
        CHECK_NEAR(tn_test_value(sim, "cable.power"), -tn_test_value(sim, "cable.tension") * rate,
                   1e-7);
        CHECK_NEAR(tn_test_value(sim, "twist.angle"), tn_test_value(sim, "rail.angle"), 1e-9);
        CHECK_NEAR(tn_test_value(sim, "twist.effort"),
                   -3.0 * tn_test_value(sim, "rail.angle") -
                       0.1 * tn_test_value(sim, "rail.angle.rate"),
                   1e-8);
        CHECK_NEAR(tn_test_value(sim, "drive.deflection"), x, 1e-12);
        CHECK_NEAR(tn_test_value(sim, "drive.effort"), 3.0 * sin(0.2), 1e-12);
        CHECK_NEAR(tn_test_value(sim, "drive.power"),
                   3.0 * sin(0.2) * tn_test_value(sim, "rail.displacement.rate"), 1e-12);
        end(sim, model);
    }
}

// What a force does to the bodies is what it supplies without what it dissipates and stores.
static void powers_are_those_of_the_ledger(void)
{
    static const double h = 1e-4;
    static const char *const names[] = {"cable", "twist", "drive", "rubber"};
    for (int k = 0; k < TN_COUNT(names); k++) {
        tn_force_state at[3];
        for (int i = 0; i < 3; i++) {
            tn_model *model = NULL;
            tn_sim *sim = start_bench("dop853/index1@joint", 0.2 + (i - 1) * h, &model);
            CHECK_OK(tn_sim_force(sim, tn_model_find_force(model, names[k]), &at[i]));
            if (k == 3 && i == 1)
                CHECK(tn_test_value(sim, "rubber.force.z") == at[1].on_b.f.z &&
                      tn_test_value(sim, "rubber.torque.x") == at[1].on_b.m.x);
            end(sim, model);
        }
        const double stored = (at[2].energy - at[0].energy) / (2.0 * h);
        CHECK_NEAR(at[1].power, at[1].supplied - at[1].dissipated - stored, 1e-5);
    }
}

// Each force element of every model tells what it does: a tension, an effort or force and torque,
// and its power.
static void every_force_is_a_channel(void)
{
    static const char *const words[] = {"tension", "effort", "force.x"};
    DIR *folder = opendir(tn_test_path("models"));
    int seen = 0;
    CHECK(folder != NULL);
    for (struct dirent *file; (file = readdir(folder));) {
        char path[300], name[200];
        tn_model *model = NULL;
        if (!strstr(file->d_name, ".yaml"))
            continue;
        snprintf(path, sizeof path, "models/%s", file->d_name);
        CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
        for (int k = 0; k < tn_model_force_count(model); k++) {
            tn_named_quantity q;
            int meanings = 0, powers = 0;
            for (int i = 0; i < TN_COUNT(words); i++) {
                int count = 0;
                snprintf(name, sizeof name, "%s.%s", tn_model_force_name(model, (tn_force){k}),
                         words[i]);
                CHECK_OK(tn_vocabulary_count(model, name, &count, &q));
                meanings += count > 0;
            }
            snprintf(name, sizeof name, "%s.power", tn_model_force_name(model, (tn_force){k}));
            CHECK_OK(tn_vocabulary_count(model, name, &powers, &q));
            CHECK(meanings == 1 && powers == 1);
            seen++;
        }
        tn_model_destroy(model);
    }
    closedir(folder);
    CHECK(seen > 40);
}

static void accelerations_are_derivatives_of_rates(void)
{
    static const double h = 1e-3;
    static const char *const names[] = {"pin.angle", "rail.angle", "rail.displacement"};
    static const char *const methods[] = {"dop853/index1@absolute", "dop853/index1@joint"};
    for (int m = 0; m < TN_COUNT(methods); m++)
        for (int k = 0; k < TN_COUNT(names); k++) {
            double rate[3], acceleration = NAN;
            for (int i = 0; i < 3; i++) {
                tn_model *model = NULL;
                tn_sim *sim = start_bench(methods[m], 0.2 + (i - 1) * h, &model);
                char name[64];
                snprintf(name, sizeof name, "%s.rate", names[k]);
                rate[i] = tn_test_value(sim, name);
                snprintf(name, sizeof name, "%s.acceleration", names[k]);
                if (i == 1)
                    acceleration = tn_test_value(sim, name);
                end(sim, model);
            }
            CHECK_NEAR(acceleration, (rate[2] - rate[0]) / (2.0 * h), 1e-3);
        }
}

static void planar_bodies_have_an_angle(void)
{
    static const char *const methods[] = {"galpha/ggl@absolute", "galpha/ggl@joint", "variational"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = NULL;
        tn_sim *sim = start("fourbar", methods[k], &model);
        CHECK_NEAR(sin(0.5 * tn_test_value(sim, "coupler.angle")),
                   tn_test_value(sim, "coupler.quaternion.z"), 1e-12);
        CHECK_NEAR(tn_test_value(sim, "crank.angle.rate"), tn_test_value(sim, "A.angle.rate"),
                   1e-9);
        CHECK(tn_test_value(sim, "crank.angle.acceleration") ==
              tn_test_value(sim, "crank.angular_acceleration.z"));
        end(sim, model);
    }
}

// A wheel, a wheel on it that is stated from the other side, a slide on that one, and a body that
// has no joint.
static void angles_of_planar_bodies_count_turns(void)
{
    static const char text[] =
        "tenon: 1\n"
        "bodies:\n"
        "  wheel: {kind: planar, mass: 1, inertia: 1, initial: {angle: 2}}\n"
        "  second: {kind: planar, mass: 1, inertia: 1, initial: {angle: -2}}\n"
        "  block: {kind: planar, mass: 1, inertia: 1, initial: {angle: -2}}\n"
        "  top: {kind: planar, mass: 1, inertia: 1, initial: {rate: 10}}\n"
        "joints:\n"
        "  pin: {kind: revolute, bodies: [ground, wheel], at: [0, 0], initial: {rate: 20}}\n"
        "  axle: {kind: revolute, bodies: [second, wheel], at: [0, 0], initial: {rate: 5}}\n"
        "  slot: {kind: prismatic, bodies: [second, block], at: [0, 0], axis: [1, 0]}\n";
    static const char *const methods[] = {"radau5/ggl@absolute", "radau5@joint", "variational"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_sim_options options = tn_default_sim();
        FILE *file = fopen("wheels.yaml", "w");
        CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
        CHECK_OK(tn_model_load("wheels.yaml", &model, NULL));
        options.method = methods[k];
        options.step = 1e-3;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_NEAR(tn_test_value(sim, "wheel.angle"), 2.0, 1e-12);
        CHECK_NEAR(tn_test_value(sim, "second.angle"), -2.0, 1e-12);
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL)); // at once: reading counts nothing
        CHECK_NEAR(tn_test_value(sim, "wheel.angle"), 22.0, 1e-2);
        CHECK_NEAR(tn_test_value(sim, "second.angle"), 13.0, 1e-2);
        CHECK_NEAR(tn_test_value(sim, "block.angle"), 13.0, 1e-2);
        CHECK_NEAR(tn_test_value(sim, "block.angle.rate"), 15.0, 1e-3);
        CHECK_NEAR(tn_test_value(sim, "top.angle"), 10.0 - 4.0 * acos(-1.0), 1e-3); // in (-pi, pi]
        end(sim, model);
    }
}

static void names_with_two_meanings_are_refused(void)
{
    static const char text[] = "tenon: 1\n"
                               "bodies:\n"
                               "  disc: {kind: planar, mass: 1, inertia: 1}\n"
                               "joints:\n"
                               "  disc: {kind: revolute, bodies: [ground, disc], at: [0, 0]}\n";
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    int channel;
    FILE *file = fopen("twice.yaml", "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    CHECK_OK(tn_model_load("twice.yaml", &model, NULL));
    const tn_sim_options options = tn_default_sim();
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_STATUS(tn_sim_channel_find(sim, "disc.angle", &channel), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), "'disc.angle' has two meanings: 'angle' of body 'disc' and 'angle' "
                                "of joint 'disc'; give one of them another name");
    tn_record *record = NULL;
    tn_result *result = NULL;
    const tn_record_options how = {.hdf5 = true, .overwrite = true};
    CHECK_OK(tn_record_create("twice", sim, &how, &record));
    CHECK_OK(tn_record_row(record, sim));
    CHECK_OK(tn_record_close(record, "done"));
    CHECK_OK(tn_result_open("twice", true, &result));
    CHECK_STATUS(tn_result_find(result, "disc.angle", &channel), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "twice/result.h5 has two channels 'disc.angle', one of its bodies "
                                "and one of its joints; give one of the two elements another name "
                                "in the model");
    const char *const names[] = {"disc.angle"};
    CHECK_STATUS(tn_result_plot(result, 1, names, NULL, "twice.svg", NULL), TN_ERR_USAGE);
    CHECK_OK(tn_result_find(result, "disc.force.x", &channel));
    tn_result_close(result);
    CHECK_OK(tn_sim_channel_find(sim, "disc.force.x", &channel));
    CHECK_STATUS(tn_sim_channel_find(sim, "disc.rates.angle", &channel), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "no channel 'disc.rates.angle'; did you mean 'disc.angle.rate'?");
    end(sim, model);
}

static void names_outlive_a_save_and_unknown_ones_are_told(void)
{
    tn_model *model = NULL;
    tn_sim *sim = start("fourbar", "galpha/ggl@joint", &model);
    void *saved = NULL;
    size_t size = 0;
    int channel;
    const double x = tn_test_value(sim, "crank.position.x");
    CHECK_OK(tn_sim_save(sim, &saved, &size));
    CHECK_OK(tn_sim_load(sim, saved, size));
    CHECK(tn_test_value(sim, "crank.position.x") == x);
    // Also in one that has no list yet, and in one that has it where the saved one had none.
    for (int listed = 0; listed < 2; listed++) {
        tn_model *other_model = NULL;
        tn_sim *other = start("fourbar", "galpha/ggl@joint", &other_model);
        if (listed) {
            tn_saved_free(saved);
            CHECK_OK(tn_sim_save(other, &saved, &size));
            CHECK_OK(tn_sim_load(sim, saved, size));
            CHECK(tn_test_value(sim, "crank.position.x") == x);
        }
        CHECK_OK(tn_sim_load(other, saved, size));
        CHECK(tn_test_value(other, "crank.position.x") == x);
        end(other, other_model);
    }
    tn_saved_free(saved);
    CHECK_STATUS(tn_sim_channel_find(sim, "crank.positon.x", &channel), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "no channel 'crank.positon.x'; did you mean 'crank.position.x'?");
    CHECK(isnan(tn_sim_channel(sim, -1)));
    CHECK(isnan(tn_sim_channel(sim, tn_sim_channel_count(sim))));
    end(sim, model);
}

static const tn_test tests[] = {
    {"channels are what single functions tell", channels_are_what_single_functions_tell},
    {"records have the same columns", records_have_the_same_columns},
    {"rates are channels too", rates_are_channels_too},
    {"forces have channels", forces_have_channels},
    {"powers are those of the ledger", powers_are_those_of_the_ledger},
    {"every force is a channel", every_force_is_a_channel},
    {"accelerations are derivatives of rates", accelerations_are_derivatives_of_rates},
    {"planar bodies have an angle", planar_bodies_have_an_angle},
    {"angles of planar bodies count turns", angles_of_planar_bodies_count_turns},
    {"names with two meanings are refused", names_with_two_meanings_are_refused},
    {"names outlive a save and unknown ones are told",
     names_outlive_a_save_and_unknown_ones_are_told},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
