// SPDX-License-Identifier: MIT
//
// The channels of a simulation are one list: their names are those of result.csv, their values
// those of the functions that read one thing each, and those of a record.

#include "tenon/tenon.h"
#include "test.h"

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

static double value(tn_sim *sim, const char *name)
{
    int channel = -1;
    CHECK_OK(tn_sim_channel_find(sim, name, &channel));
    return tn_sim_channel(sim, channel);
}

static void channels_are_what_single_functions_tell(void)
{
    tn_model *model = NULL;
    tn_sim *sim = start("fourbar_spatial", "galpha/ggl@absolute", &model);
    const tn_body body = tn_find_body(model, "coupler");
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    CHECK(body.index > 0);
    CHECK(value(sim, "time") == tn_sim_time(sim));
    CHECK(value(sim, "step") == ledger.step);
    CHECK(value(sim, "coupler.position.y") == tn_sim_body_frame(sim, body).p.y);
    CHECK(value(sim, "coupler.quaternion.w") == tn_sim_body_rotation(sim, body).w);
    CHECK(value(sim, "coupler.velocity.x") == tn_sim_body_velocity(sim, body).x);
    CHECK(value(sim, "coupler.angular_velocity.z") == tn_sim_body_rate(sim, body).z);
    CHECK(value(sim, "coupler.acceleration.y") == tn_sim_body_acceleration(sim, body).y);
    CHECK(value(sim, "coupler.angular_acceleration.z") == tn_sim_body_rate_dot(sim, body).z);
    CHECK(value(sim, "energy.kinetic") == ledger.kinetic);
    CHECK(value(sim, "energy.balance") == ledger.balance);
    CHECK(value(sim, "residuals.gdot") == ledger.gdot);
    for (int j = 0; j < tn_model_joint_count(model); j++) {
        const tn_joint joint = {j};
        double q[3], rate[3], lambda[6];
        char name[80];
        CHECK(tn_sim_joint_coordinates(sim, joint, q, rate) >= 1);
        tn_sim_joint_multipliers(sim, joint, lambda, NULL);
        snprintf(name, sizeof name, "%s.torque.y", tn_joint_name(model, joint));
        CHECK(value(sim, name) == tn_sim_joint_reaction(sim, joint).m.y);
        snprintf(name, sizeof name, "%s.lambda.%s", tn_joint_name(model, joint),
                 tn_joint_row_name(model, joint, 1));
        CHECK(value(sim, name) == lambda[1]);
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

static void names_outlive_a_save_and_unknown_ones_are_told(void)
{
    tn_model *model = NULL;
    tn_sim *sim = start("fourbar", "galpha/ggl@joint", &model);
    void *saved = NULL;
    size_t size = 0;
    int channel;
    const double x = value(sim, "crank.position.x");
    CHECK_OK(tn_sim_save(sim, &saved, &size));
    CHECK_OK(tn_sim_load(sim, saved, size));
    CHECK(value(sim, "crank.position.x") == x);
    // Also in one that has no list yet, and in one that has it where the saved one had none.
    for (int listed = 0; listed < 2; listed++) {
        tn_model *other_model = NULL;
        tn_sim *other = start("fourbar", "galpha/ggl@joint", &other_model);
        if (listed) {
            tn_saved_free(saved);
            CHECK_OK(tn_sim_save(other, &saved, &size));
            CHECK_OK(tn_sim_load(sim, saved, size));
            CHECK(value(sim, "crank.position.x") == x);
        }
        CHECK_OK(tn_sim_load(other, saved, size));
        CHECK(value(other, "crank.position.x") == x);
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
    {"names outlive a save and unknown ones are told",
     names_outlive_a_save_and_unknown_ones_are_told},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
