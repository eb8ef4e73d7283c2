// SPDX-License-Identifier: MIT
//
// Results in HDF5, read back through HDF5 itself: every dataset with shape, unit and values. Where
// the file cannot be made the journal stays.

#include "record_bench.h"

#include "base/alloc.h"
#include "result/journal.h"
#include "result/scene.h"

#ifdef TN_WITH_HDF5
#include <hdf5.h>

static void text_of(hid_t object, const char *name, char *out, size_t size)
{
    char *text = NULL;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    CHECK(attribute >= 0);
    const hid_t type = H5Aget_type(attribute);
    CHECK(H5Aread(attribute, type, &text) >= 0);
    snprintf(out, size, "%s", text);
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(attribute);
}

static void check_attribute(hid_t object, const char *name, const char *expected)
{
    char text[2048];
    text_of(object, name, text, sizeof(text));
    CHECK_TEXT(text, expected);
}

// The numbers of a dataset of the given shape (ended by 0 where it has fewer sides); free them.
static double *numbers(hid_t file, const char *path, hsize_t n, hsize_t owners, hsize_t parts)
{
    const hsize_t expected[3] = {n, owners, parts};
    hsize_t shape[3] = {0};
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(set);
    CHECK(set >= 0);
    const int rank = parts ? 3 : owners ? 2 : 1;
    CHECK(H5Sget_simple_extent_ndims(space) == rank);
    H5Sget_simple_extent_dims(space, shape, NULL);
    for (int i = 0; i < rank; i++)
        CHECK(shape[i] == expected[i]);
    const size_t size = (size_t)(n * (owners ? owners : 1) * (parts ? parts : 1));
    double *values = malloc((size + 1) * sizeof(double));
    CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return values;
}

static void check_texts(hid_t file, const char *path, int n, const char *const *expected)
{
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT), type = H5Dget_type(set);
    const hid_t space = H5Dget_space(set);
    char *texts[16] = {0};
    CHECK(H5Sget_simple_extent_npoints(space) == n);
    CHECK(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0);
    for (int i = 0; i < n; i++)
        CHECK_TEXT(texts[i], expected[i]);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
}

static void check_ints(hid_t file, const char *path, int n, const int *expected)
{
    int values[16] = {0};
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(set);
    CHECK(H5Sget_simple_extent_npoints(space) == n);
    CHECK(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (int i = 0; i < n; i++)
        CHECK(values[i] == expected[i]);
    H5Sclose(space);
    H5Dclose(set);
}

static hid_t open_result(const char *path)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(file >= 0);
    return file;
}

static void names_kinds_and_offsets_are_stored(void)
{
    static const char *const rows[] = {"x", "y", "z", "tilt about y", "tilt about x"};
    static const char *const row_units[] = {"N", "N", "N", "N m", "N m"};
    bench b = start();
    const char *names[10], *units[10];
    for (int i = 0; i < 10; i++) {
        names[i] = rows[i % 5];
        units[i] = row_units[i % 5];
    }
    clean("names");
    CHECK_OK(create(&b, "names", only(true, false)));
    CHECK_OK(tn_record_close(b.record, "failed: a reason"));
    const hid_t file = open_result("names/result.h5");
    check_attribute(file, "format", "tenon-result");
    check_attribute(file, "tenon_version", tn_version());
    check_attribute(file, "model", "models/two links.yaml");
    check_attribute(file, "method", "galpha/ggl@absolute");
    check_attribute(file, "outcome", "failed: a reason");
    check_texts(file, "bodies/names", 2, (const char *[]){"crank", rod_name});
    check_texts(file, "joints/names", 2, (const char *[]){".", "pin"});
    check_texts(file, "joints/kinds", 2, (const char *[]){"revolute", "revolute"});
    check_texts(file, "joints/coordinate_names", 2, (const char *[]){"angle", "angle"});
    check_texts(file, "joints/coordinate_units", 2, (const char *[]){"rad", "rad"});
    check_texts(file, "joints/rate_units", 2, (const char *[]){"rad/s", "rad/s"});
    check_texts(file, "joints/row_names", 10, names);
    check_texts(file, "joints/row_units", 10, units);
    check_ints(file, "joints/coordinate_offset", 3, (const int[]){0, 1, 2});
    check_ints(file, "joints/row_offset", 3, (const int[]){0, 5, 10});
    check_ints(file, "joints/row_unique", 10, (const int[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    H5Fclose(file);
    stop(&b);
    clean("names");
}

static void the_scene_and_the_text_of_the_model_are_stored(void)
{
    static const char path[] = "source.yaml", text[] = "tenon: 1 # \xc3\xa4\n";
    bench b = start();
    tn_record_options options = only(true, false);
    char *scene = NULL;

    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
    options.model_path = path;
    clean("scene");
    CHECK_OK(create(&b, "scene", options));
    CHECK_OK(tn_record_close(b.record, "done"));
    hid_t file = open_result("scene/result.h5");
    CHECK_OK(tn_scene_json(b.model, path, &scene));
    check_texts(file, "scene", 1, (const char *[]){scene});
    check_texts(file, "model/source", 1, (const char *[]){text});
    H5Fclose(file);

    remove(path); // a model file that is gone is no reason to fail
    options.overwrite = true;
    CHECK_OK(create(&b, "scene", options));
    CHECK_OK(tn_record_close(b.record, "done"));
    file = open_result("scene/result.h5");
    check_texts(file, "scene", 1, (const char *[]){scene});
    CHECK(H5Lexists(file, "model/source", H5P_DEFAULT) == 0);
    check_texts(file, "model/parameters", 1, (const char *[]){"{}\n"});
    H5Fclose(file);
    tn_free(scene);
    stop(&b);
    clean("scene");
}

// Every dataset that grows, its shape for two bodies and two joints, and its attributes.
static const struct {
    const char *path, *unit, *frame;
    hsize_t owners, parts;
} sets[] = {
    {"time", "s", NULL, 0, 0},
    {"step", "s", NULL, 0, 0},
    {"bodies/position", "m", "inertial", 2, 3},
    {"bodies/quaternion", "1", "inertial", 2, 4},
    {"bodies/velocity", "m/s", "inertial", 2, 3},
    {"bodies/angular_velocity", "rad/s", "body", 2, 3},
    {"bodies/acceleration", "m/s^2", "inertial", 2, 3},
    {"bodies/angular_acceleration", "rad/s^2", "body", 2, 3},
    {"joints/coordinates", "mixed", NULL, 2, 0},
    {"joints/rates", "mixed", NULL, 2, 0},
    {"joints/force", "N", "inertial", 2, 3},
    {"joints/torque", "N m", "inertial", 2, 3},
    {"joints/lambda", "mixed", NULL, 10, 0},
    {"energy/kinetic", "J", NULL, 0, 0},
    {"energy/potential", "J", NULL, 0, 0},
    {"energy/dissipated", "J", NULL, 0, 0},
    {"energy/supplied", "J", NULL, 0, 0},
    {"energy/balance", "J", NULL, 0, 0},
    {"residuals/g", "mixed", NULL, 0, 0},
    {"residuals/gdot", "mixed", NULL, 0, 0},
};

static void shapes_and_units_hold_for_any_number_of_rows(void)
{
    static const int rows[] = {0, 1, 1000, 3000}; // 3000: several chunks and blocks
    for (int r = 0; r < TN_COUNT(rows); r++) {
        bench b = start();
        clean("shapes");
        CHECK_OK(create(&b, "shapes", only(true, false)));
        put_rows(&b, rows[r]);
        CHECK_OK(tn_record_close(b.record, "done"));
        const hid_t file = open_result("shapes/result.h5");
        for (int i = 0; i < TN_COUNT(sets); i++) {
            free(numbers(file, sets[i].path, (hsize_t)rows[r], sets[i].owners, sets[i].parts));
            const hid_t set = H5Dopen2(file, sets[i].path, H5P_DEFAULT);
            check_attribute(set, "unit", sets[i].unit);
            if (sets[i].frame)
                check_attribute(set, "frame", sets[i].frame);
            CHECK(H5Aexists(set, "frame") == (sets[i].frame != NULL));
            CHECK(H5Aexists(set, "columns") == (sets[i].parts > 0));
            H5Dclose(set);
        }
        double *time = numbers(file, "time", (hsize_t)rows[r], 0, 0);
        for (int i = 0; i < rows[r]; i++)
            CHECK_NEAR(time[i], i * H, 1e-12); // 3000 additions of round-off below 4e-16
        free(time);
        H5Fclose(file);
        stop(&b);
        clean("shapes");
    }
}

static void check_vec3(const double *at, tn_vec3 v)
{
    CHECK(at[0] == v.x && at[1] == v.y && at[2] == v.z);
}

static void check_body(hid_t file, tn_sim *sim, int row, int body)
{
    const hsize_t n = (hsize_t)row + 1;
    const int at = 2 * row + body - 1;
    const tn_body id = {body};
    const tn_quat q = tn_sim_body_rotation(sim, id);
    double *p = numbers(file, "bodies/position", n, 2, 3);
    double *r = numbers(file, "bodies/quaternion", n, 2, 4);
    double *v = numbers(file, "bodies/velocity", n, 2, 3);
    double *w = numbers(file, "bodies/angular_velocity", n, 2, 3);
    double *a = numbers(file, "bodies/acceleration", n, 2, 3);
    double *e = numbers(file, "bodies/angular_acceleration", n, 2, 3);
    check_vec3(p + 3 * at, tn_sim_body_frame(sim, id).p);
    CHECK(r[4 * at] == q.w);
    check_vec3(r + 4 * at + 1, tn_v3(q.x, q.y, q.z));
    check_vec3(v + 3 * at, tn_sim_body_velocity(sim, id));
    check_vec3(w + 3 * at, tn_sim_body_rate(sim, id));
    check_vec3(a + 3 * at, tn_sim_body_acceleration(sim, id));
    check_vec3(e + 3 * at, tn_sim_body_rate_dot(sim, id));
    free(p), free(r), free(v), free(w), free(a), free(e);
}

static void check_joint(hid_t file, tn_sim *sim, int row, int joint)
{
    const hsize_t n = (hsize_t)row + 1;
    const tn_joint id = {joint};
    const tn_wrench reaction = tn_sim_joint_reaction(sim, id);
    double q[3], rate[3], lambda[6];
    CHECK(tn_sim_joint_coordinates(sim, id, q, rate) == 1);
    CHECK(tn_sim_joint_multipliers(sim, id, lambda, NULL) == 5);
    double *c = numbers(file, "joints/coordinates", n, 2, 0);
    double *d = numbers(file, "joints/rates", n, 2, 0);
    double *f = numbers(file, "joints/force", n, 2, 3);
    double *m = numbers(file, "joints/torque", n, 2, 3);
    double *l = numbers(file, "joints/lambda", n, 10, 0);
    CHECK(c[2 * row + joint] == q[0] && d[2 * row + joint] == rate[0]);
    check_vec3(f + 3 * (2 * row + joint), reaction.f);
    check_vec3(m + 3 * (2 * row + joint), reaction.m);
    for (int i = 0; i < 5; i++)
        CHECK(l[10 * row + 5 * joint + i] == lambda[i]);
    free(c), free(d), free(f), free(m), free(l);
}

static void values_are_those_of_the_simulation(void)
{
    enum { ROW = 40 };
    bench b = start();
    tn_ledger ledger;
    clean("values");
    CHECK_OK(create(&b, "values", only(true, false)));
    put_rows(&b, ROW);
    CHECK_OK(tn_record_row(b.record, b.sim));
    CHECK_OK(tn_record_close(b.record, NULL));
    const hid_t file = open_result("values/result.h5");
    check_attribute(file, "outcome", "done");
    for (int i = 0; i < 2; i++) {
        check_body(file, b.sim, ROW, i + 1);
        check_joint(file, b.sim, ROW, i);
    }
    tn_sim_ledger(b.sim, &ledger);
    const struct {
        const char *path;
        double value;
    } run[] = {
        {"time", tn_sim_time(b.sim)},
        {"energy/kinetic", ledger.kinetic},
        {"energy/potential", ledger.potential},
        {"energy/dissipated", ledger.dissipated},
        {"energy/supplied", ledger.supplied},
        {"energy/balance", ledger.balance},
        {"residuals/g", ledger.g},
        {"residuals/gdot", ledger.gdot},
    };
    for (int i = 0; i < TN_COUNT(run); i++) {
        double *values = numbers(file, run[i].path, ROW + 1, 0, 0);
        CHECK(values[ROW] == run[i].value);
        free(values);
    }
    double *step = numbers(file, "step", ROW + 1, 0, 0);
    CHECK(step[0] == 0.0);
    CHECK_NEAR(step[ROW], H, 1e-15); // the difference of two times near 0.04
    free(step);
    H5Fclose(file);
    stop(&b);
    clean("values");
}

static void models_without_joints_are_stored(void)
{
    tn_model *model = tn_model_create();
    const tn_body_def def = tn_default_body();
    tn_body_def named = def;
    named.name = "free";
    tn_model_add_body(model, &named);
    const tn_sim_options options = tn_default_sim();
    bench b = {.model = model};
    CHECK_OK(tn_sim_create(model, &options, &b.sim));
    clean("free");
    CHECK_OK(create(&b, "free", only(true, true)));
    put_rows(&b, 2);
    CHECK_OK(tn_record_close(b.record, "done"));
    const hid_t file = open_result("free/result.h5");
    const hid_t set = H5Dopen2(file, "joints/force", H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t shape[3] = {9, 9, 9};
    CHECK(H5Sget_simple_extent_dims(space, shape, NULL) == 3);
    CHECK(shape[0] == 2 && shape[1] == 0 && shape[2] == 3);
    check_texts(file, "joints/names", 0, NULL);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    stop(&b);
    clean("free");
}

static int unit_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    M[0] = 1.0;
    return 0;
}

static int spring(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    f[0] = -at->q[0];
    return 0;
}

static void user_equations_store_their_state(void)
{
    const tn_callbacks oscillator = {.nq = 1, .mass = unit_mass, .force = spring};
    const double q = 1.0, v = 0.5;
    const tn_sim_options options = tn_default_sim();
    bench b = {0};
    CHECK_OK(tn_sim_create_callbacks(&oscillator, &q, &v, &options, &b.sim));
    clean("own");
    CHECK_OK(create(&b, "own", only(true, true)));
    put_rows(&b, 2);
    CHECK_OK(tn_record_close(b.record, "done"));
    const hid_t file = open_result("own/result.h5");
    double *values = numbers(file, "state/v", 2, 1, 0);
    CHECK(values[0] == 0.5);
    free(values);
    CHECK(H5Lexists(file, "bodies", H5P_DEFAULT) == 0);
    H5Fclose(file);
    CHECK(strncmp(read_text("own/result.csv"), "time [s],step [s],state.q.0,state.v.0,", 38) == 0);
    stop(&b);
    clean("own");
}

// The file is larger than the journal: room for the one is none for the other.
static void make_too_large_a_file(void)
{
    bench b = start();
    CHECK_OK(create(&b, "fullh5", only(true, false)));
    for (int i = 0; i < 300; i++)
        CHECK_OK(tn_record_row(b.record, b.sim));
    CHECK_OK(tn_record_flush(b.record));
    struct stat info;
    CHECK(stat("fullh5/result.journal", &info) == 0);
    limit_file_size((rlim_t)info.st_size + 100);
    CHECK_STATUS(tn_record_close(b.record, "done"), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "cannot write fullh5/result.h5: File too large; all rows are in "
                                "fullh5/result.journal, which report, plot and view read");
    stop(&b);
}

static void a_full_disk_at_the_end_leaves_the_journal(void)
{
    tn_journal *journal = NULL;
    clean("fullh5");
    CHECK(in_child(make_too_large_a_file) == 0);
    CHECK(!exists("fullh5/result.h5") && !exists("fullh5/result.h5.part"));
    CHECK_OK(tn_journal_open("fullh5/result.journal", &journal));
    CHECK(journal->rows == 300);
    CHECK_TEXT(journal->outcome, "done");
    tn_journal_free(journal);
    clean("fullh5");
}

static bool at_once(void *user)
{
    ++*(int *)user;
    return true;
}

// What is said of the journal is so: one that was cut behind the back of the run has lost rows.
static void lost_rows_are_not_said_to_be_there(void)
{
    bench b = start();
    clean("lostrows");
    CHECK_OK(create(&b, "lostrows", only(true, false)));
    CHECK(mkdir("lostrows/result.h5.part", 0777) == 0);
    put_rows(&b, 20);
    CHECK_OK(tn_record_flush(b.record));
    CHECK(truncate("lostrows/result.journal", 5000) == 0);
    CHECK(tn_record_close(b.record, "done") == TN_ERR_FILE);
    CHECK(strstr(tn_last_error(), "cannot write lostrows/result.h5: "));
    CHECK(strstr(tn_last_error(), "; and rows are lost: lostrows/result.journal "));
    CHECK(!strstr(tn_last_error(), "all rows"));
    CHECK(rmdir("lostrows/result.h5.part") == 0);
    stop(&b);
    clean("lostrows");
}

// Every allocation of the end fails once; how many of them kept the rows from being looked at.
static void rows_that_cannot_be_looked_at_are_not_said_to_be_lost(void)
{
    int unverified = 0;
    bool failed = true;
    for (long n = 1; failed; n++) {
        bench b = start();
        rmdir("unseen/result.h5.part"); // of a test that failed
        clean("unseen");
        CHECK_OK(create(&b, "unseen", only(true, false)));
        CHECK(mkdir("unseen/result.h5.part", 0777) == 0);
        put_rows(&b, 20);
        CHECK_OK(tn_record_flush(b.record));
        tn_test_alloc_fail_at(n);
        CHECK(tn_record_finish(b.record, "done") != TN_OK);
        failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        CHECK(!strstr(tn_last_error(), "rows are lost") && !b.record->lost);
        unverified += strstr(tn_last_error(),
                             "the rows in unseen/result.journal were not verified: ") != NULL;
        tn_record_close(b.record, NULL);
        CHECK(rmdir("unseen/result.h5.part") == 0);
        stop(&b);
    }
    clean("unseen");
    CHECK(unverified > 0);
}

static void stopped_runs_keep_their_journal(void)
{
    int asked = 0;
    bench b = start();
    tn_record_options options = only(true, false);
    clean("stopped");
    CHECK_OK(create(&b, "stopped", options));
    put_rows(&b, 3);
    CHECK_OK(tn_record_close(b.record, "stopped"));
    CHECK(exists("stopped/result.h5") && exists("stopped/result.journal"));
    clean("stopped");
    options.give_up = at_once;
    options.user = &asked;
    CHECK_OK(create(&b, "stopped", options));
    put_rows(&b, 3);
    CHECK_STATUS(tn_record_close(b.record, "done"), TN_ERR_STOPPED);
    CHECK(asked == 1 && !exists("stopped/result.h5") && exists("stopped/result.journal"));
    stop(&b);
    clean("stopped");
}

static herr_t users_handler(hid_t stack, void *user)
{
    (void)stack;
    ++*(int *)user;
    return 0;
}

static void the_error_handler_of_the_user_stays(void)
{
    H5E_auto2_t before, after;
    void *before_data, *after_data;
    int called = 0;
    bench b = start();
    clean("handler");
    CHECK(mkdir("handler", 0777) == 0 && mkdir("handler/result.h5", 0777) == 0);
    tn_record_options options = only(true, false);
    options.overwrite = true;
    H5Eget_auto2(H5E_DEFAULT, &before, &before_data);
    H5Eset_auto2(H5E_DEFAULT, users_handler, &called);
    CHECK_STATUS(create(&b, "handler", options), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "cannot write handler/result.h5: it is a folder, and only plain "
                                "files are replaced");
    CHECK(rmdir("handler/result.h5") == 0);
    CHECK_OK(create(&b, "handler", options));
    CHECK(mkdir("handler/result.h5.part", 0777) == 0); // HDF5 itself refuses
    CHECK_STATUS(tn_record_close(b.record, "done"), TN_ERR_FILE);
    CHECK(strncmp(tn_last_error(), "cannot write handler/result.h5: ", 32) == 0);
    CHECK(rmdir("handler/result.h5.part") == 0);
    H5Eget_auto2(H5E_DEFAULT, &after, &after_data);
    CHECK(called == 0 && after == users_handler && after_data == &called);
    H5Eset_auto2(H5E_DEFAULT, before, before_data);
    stop(&b);
    clean("handler");
}

static void a_long_outcome_is_stored_whole(void)
{
    char outcome[3000] = "failed: ", stored[3000];
    bench b = start();
    while (strlen(outcome) < 2000)
        strcat(outcome, "\xc3\xa4 \xe2\x82\xac");
    clean("long");
    CHECK_OK(create(&b, "long", only(true, false)));
    CHECK_OK(tn_record_close(b.record, outcome));
    const hid_t file = open_result("long/result.h5");
    text_of(file, "outcome", stored, sizeof(stored));
    CHECK_TEXT(stored, outcome);
    H5Fclose(file);
    stop(&b);
    clean("long");
}

#else

static void without_hdf5_the_default_is_a_table(void)
{
    bench b = start();
    CHECK(!tn_default_record().hdf5 && tn_default_record().csv);
    CHECK_STATUS(create(&b, "without", only(true, false)), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "cannot write without/result.h5: this Tenon was built without "
                                "HDF5; record CSV, or build with -DTENON_HDF5=ON");
    CHECK(!exists("without"));
    stop(&b);
}

#endif

static const tn_test tests[] = {
#ifdef TN_WITH_HDF5
    {"names, kinds and offsets are stored", names_kinds_and_offsets_are_stored},
    {"the scene and the text of the model are stored",
     the_scene_and_the_text_of_the_model_are_stored},
    {"shapes and units hold for any number of rows", shapes_and_units_hold_for_any_number_of_rows},
    {"values are those of the simulation", values_are_those_of_the_simulation},
    {"models without joints are stored", models_without_joints_are_stored},
    {"user equations store their state", user_equations_store_their_state},
    {"a full disk at the end leaves the journal", a_full_disk_at_the_end_leaves_the_journal},
    {"lost rows are not said to be there", lost_rows_are_not_said_to_be_there},
    {"rows that cannot be looked at are not said to be lost",
     rows_that_cannot_be_looked_at_are_not_said_to_be_lost},
    {"stopped runs keep their journal", stopped_runs_keep_their_journal},
    {"the error handler of the user stays", the_error_handler_of_the_user_stays},
    {"a long outcome is stored whole", a_long_outcome_is_stored_whole},
#else
    {"without HDF5 the default is a table", without_hdf5_the_default_is_a_table},
#endif
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
