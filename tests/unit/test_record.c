// SPDX-License-Identifier: MIT
//
// Results on disk: the table, and folders that hold results, cannot be written or fill up. Each
// gives one clear sentence.

#include "record_bench.h"

static void a_table_has_names_units_and_exact_numbers(void)
{
    bench b = start();
    clean("table");
    CHECK_OK(create(&b, "table", only(false, true)));
    const int width = b.record->width;
    put_rows(&b, 3);
    const double x = tn_sim_body_frame(b.sim, (tn_body){1}).p.x;
    const double t = tn_sim_time(b.sim);
    CHECK_OK(tn_record_row(b.record, b.sim));
    CHECK_OK(tn_record_close(b.record, "done"));

    char *text = read_text("table/result.csv");
    CHECK(count_lines(text) == 5);
    CHECK(strncmp(text, "time [s],step [s],crank.position.x [m],crank.position.y [m],", 59) == 0);
    CHECK(strstr(text, ",\"rod/1 \"\"left\"\", \xc3\xa4.position.x [m]\",") != NULL);
    CHECK(strstr(text, ",..coordinates.angle [rad],pin.coordinates.angle [rad],") != NULL);
    CHECK(strstr(text, ",pin.rates.angle [rad/s],") != NULL);
    CHECK(strstr(text, ",pin.lambda.x [N],") != NULL);
    CHECK(strstr(text, ",energy.balance [J],residuals.g,residuals.gdot\n") != NULL);

    char *line = text;
    for (int i = 0; i < 4; i++)
        line = strchr(line, '\n') + 1;
    int commas = 0;
    for (const char *c = line; *c; c++)
        commas += *c == ',';
    CHECK(commas == width - 1);
    char *end = NULL;
    CHECK(strtod(line, &end) == t); // the same double
    CHECK_NEAR(strtod(end + 1, &end), H, 1e-15);
    CHECK(strtod(end + 1, &end) == x);
    stop(&b);
    clean("table");
}

static void fill_disk_with_csv(void)
{
    fill_disk("fullcsv", only(false, true), "result.csv", 300000);
}

static void a_table_on_a_full_disk_keeps_whole_lines(void)
{
    clean("fullcsv");
    CHECK(in_child(fill_disk_with_csv) == 0);
    const char *text = read_text("fullcsv/result.csv");
    CHECK(count_lines(text) > 100);
    CHECK(text[strlen(text) - 1] == '\n');
    clean("fullcsv");
}

static void a_disk_that_is_full_at_once_is_noticed_at_once(void)
{
    bench b = start();
    tn_record_options options = only(false, true);
    options.overwrite = true;
    clean("fullnow");
    if (access("/dev/full", W_OK) != 0) {
        stop(&b);
        return;
    }
    CHECK(mkdir("fullnow", 0777) == 0 && symlink("/dev/full", "fullnow/result.csv") == 0);
    CHECK_STATUS(create(&b, "fullnow", options), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(),
               "cannot write fullnow/result.csv: No space left on device; rows saved: 0");
    CHECK(b.record == NULL);
    stop(&b);
    clean("fullnow");
}

static void old_results_are_kept_unless_overwritten(void)
{
    static const char *const files[] = {"result.h5", "result.csv", "summary.json"};
    bench b = start();
    tn_record_options options = only(false, true);
    for (int i = 0; i < TN_COUNT(files); i++) {
        char path[64], expected[128];
        clean("old");
        CHECK(mkdir("old", 0777) == 0);
        snprintf(path, sizeof(path), "old/%s", files[i]);
        write_file(path);
        CHECK_STATUS(create(&b, "old", options), TN_ERR_USAGE);
        snprintf(expected, sizeof(expected),
                 "old holds results already (%s); choose another folder or overwrite them",
                 files[i]);
        CHECK_TEXT(tn_last_error(), expected);
        CHECK(exists(path));
        options.overwrite = true;
        CHECK_OK(create(&b, "old", options));
        CHECK(exists(path) == (i == 1)); // what this run does not write would be a lie
        CHECK_OK(tn_record_close(b.record, "done"));
        options.overwrite = false;
    }
    stop(&b);
    clean("old");
}

static void a_folder_that_cannot_be_made_is_named(void)
{
    bench b = start();
    clean("plain");
    write_file("plain");
    CHECK_STATUS(create(&b, "plain/below", only(false, true)), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "cannot create the folder plain/below: Not a directory");
    CHECK_STATUS(create(&b, "plain", only(false, true)), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "cannot write results to plain: it is a file, not a folder");
    CHECK_STATUS(create(&b, "nowhere/below", only(false, true)), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(),
               "cannot create the folder nowhere/below: No such file or directory");
    CHECK_STATUS(create(&b, "", only(false, true)), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "results: the folder has no name");
    CHECK_STATUS(create(&b, "none", only(false, false)), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "none: neither HDF5 nor CSV results are asked for");
    CHECK(!exists("none"));
    CHECK_OK(tn_record_close(NULL, "done"));
    stop(&b);
    clean("plain");
}

static void write_where_not_allowed(void)
{
    bench b = start();
    if (geteuid() == 0) // the rules do not hold for root
        CHECK(setgid(65534) == 0 && setuid(65534) == 0);
    CHECK_STATUS(create(&b, "closed/below", only(false, true)), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "cannot create the folder closed/below: Permission denied");
    CHECK_STATUS(create(&b, "closed", only(false, true)), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "cannot write closed/result.csv: Permission denied");
    if (tn_sink_hdf5.available) {
        CHECK_STATUS(create(&b, "closed", only(true, false)), TN_ERR_FILE);
        CHECK_TEXT(tn_last_error(), "cannot write closed/result.h5: Permission denied");
    }
    stop(&b);
}

static void a_folder_without_permission_is_named(void)
{
    rmdir("closed");
    CHECK(mkdir("closed", 0555) == 0);
    CHECK(in_child(write_where_not_allowed) == 0);
    rmdir("closed");
}

static void a_file_that_fails_leaves_nothing_behind(void)
{
    bench b = start();
    tn_record_options options = only(tn_sink_hdf5.available, true);
    options.overwrite = true;
    clean("half");
    CHECK(mkdir("half", 0777) == 0 && mkdir("half/result.csv", 0777) == 0);
    CHECK_STATUS(create(&b, "half", options), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "cannot write half/result.csv: Is a directory");
    CHECK(!exists("half/result.h5"));
    rmdir("half/result.csv");
    stop(&b);
    clean("half");
}

static void memory_that_runs_out_leaves_nothing_behind(void)
{
    bench b = start();
    const long live = tn_test_alloc_live();
    int n = 1;
    clean("memory");
    for (bool failed = true; failed; n++) {
        tn_test_alloc_fail_at(n);
        const tn_status s = create(&b, "memory", only(tn_sink_hdf5.available, true));
        failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        CHECK(s == (failed ? TN_ERR_MEMORY : TN_OK));
        CHECK(exists("memory") == !failed);
    }
    CHECK(n > 5);
    CHECK_OK(tn_record_close(b.record, "done"));
    CHECK(tn_test_alloc_live() == live);
    stop(&b);
    clean("memory");
}

static const tn_test tests[] = {
    {"a table has names, units and exact numbers", a_table_has_names_units_and_exact_numbers},
    {"a table on a full disk keeps whole lines", a_table_on_a_full_disk_keeps_whole_lines},
    {"a disk that is full at once is noticed at once",
     a_disk_that_is_full_at_once_is_noticed_at_once},
    {"old results are kept unless overwritten", old_results_are_kept_unless_overwritten},
    {"a folder that cannot be made is named", a_folder_that_cannot_be_made_is_named},
    {"a folder without permission is named", a_folder_without_permission_is_named},
    {"a file that fails leaves nothing behind", a_file_that_fails_leaves_nothing_behind},
    {"memory that runs out leaves nothing behind", memory_that_runs_out_leaves_nothing_behind},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
