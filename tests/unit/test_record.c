// SPDX-License-Identifier: MIT
//
// Results on disk: the table, and folders that hold results, cannot be written or fill up. Each
// gives one clear sentence.

#include "record_bench.h"

#include "result/export.h"
#include "result/journal.h"

static void a_table_has_names_units_and_exact_numbers(void)
{
    bench b = start();
    clean("table");
    CHECK_OK(create(&b, "table", only(false, true)));
    const int width = b.record->list.width;
    put_rows(&b, 3);
    const double x = tn_sim_body_frame(b.sim, (tn_body){1}).p.x;
    const double t = tn_sim_time(b.sim);
    CHECK_OK(tn_record_row(b.record, b.sim));
    CHECK_OK(tn_record_close(b.record, "done"));

    char *text = read_text("table/result.csv");
    CHECK(count_lines(text) == 5);
    CHECK(strncmp(text, "time [s],step [s],crank.position.x [m],crank.position.y [m],", 59) == 0);
    CHECK(strstr(text, ",\"rod/1 \"\"left\"\", \xc3\xa4.position.x [m]\",") != NULL);
    CHECK(strstr(text, ",..angle [rad],pin.angle [rad],") != NULL);
    CHECK(strstr(text, ",pin.angle.rate [rad/s],") != NULL);
    CHECK(strstr(text, ",pin.lambda.x [N],") != NULL);
    CHECK(strstr(text, ",energy.balance [J],momentum.linear.x [kg m/s],") != NULL);
    CHECK(strstr(text, ",momentum.angular.z [kg m^2/s],residuals.g,residuals.gdot\n") != NULL);

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
    fill_disk("fullcsv", only(false, true), 1, "result.csv", 300000);
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

static void begin_on_a_full_disk(void)
{
    bench b = start();
    limit_file_size(100);
    CHECK_STATUS(create(&b, "fullnow", only(false, true)), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "cannot write fullnow/result.journal: File too large");
    CHECK(b.record == NULL);
    stop(&b);
}

static void a_disk_that_is_full_at_once_is_noticed_at_once(void)
{
    clean("fullnow");
    CHECK(in_child(begin_on_a_full_disk) == 0);
    CHECK(!exists("fullnow"));
}

static void fill_disk_with_a_journal(void)
{
    fill_disk("fullrows", only(tn_export_available(), !tn_export_available()), 0, "result.journal",
              300000);
}

static void a_journal_on_a_full_disk_keeps_every_row_that_fits(void)
{
    tn_journal *journal = NULL;
    struct stat info;
    clean("fullrows");
    CHECK(in_child(fill_disk_with_a_journal) == 0);
    CHECK_OK(tn_journal_open("fullrows/result.journal", &journal));
    const long rows = journal->rows;
    CHECK(stat("fullrows/result.journal", &info) == 0 && info.st_size > 295000);
    CHECK(rows > 100 && !journal->warning);
    tn_journal_free(journal);
    clean("fullrows");
}

static void links_and_devices_are_not_replaced(void)
{
    bench b = start();
    tn_record_options options = only(tn_export_available(), true);
    options.overwrite = true;
    clean("linked");
    CHECK(mkdir("linked", 0777) == 0);
    tn_test_write("outside", "", 0);
    CHECK(symlink("../outside", "linked/result.h5") == 0);
    CHECK_STATUS(create(&b, "linked", options), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(),
               "cannot write linked/result.h5: it is a link, and only plain files are replaced");
    CHECK(unlink("linked/result.h5") == 0 && mkfifo("linked/result.csv", 0666) == 0);
    CHECK_STATUS(create(&b, "linked", options), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(),
               "cannot write linked/result.csv: it is a pipe, and only plain files are replaced");
    CHECK(!exists("linked/result.journal"));
    remove("linked/result.csv");
    CHECK(symlink("linked", "way") == 0); // to a folder: fine
    CHECK_OK(create(&b, "way", options));
    CHECK_OK(tn_record_close(b.record, "done"));
    CHECK(exists("linked/result.csv"));
    remove("way");
    remove("outside");
    stop(&b);
    clean("linked");
}

static void a_folder_belongs_to_one_record(void)
{
    bench b = start();
    tn_record_options options = only(false, true);
    options.overwrite = true;
    clean("shared");
    CHECK_OK(create(&b, "shared", options));
    put_rows(&b, 5);
    tn_record *first = b.record;
    CHECK_STATUS(create(&b, "shared", options), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "another run writes to shared at this moment; wait until it ends "
                                "or choose another folder");
    CHECK_OK(tn_record_close(first, "done"));
    CHECK(count_lines(read_text("shared/result.csv")) == 6);
    CHECK_OK(create(&b, "shared", options));
    CHECK_OK(tn_record_close(b.record, "done"));
    stop(&b);
    clean("shared");
}

static void refuse_to_grow(void)
{
    bench b = start();
    tn_record_options options = only(false, true);
    options.overwrite = true;
    limit_file_size(100);
    CHECK_STATUS(create(&b, "kept", options), TN_ERR_FILE);
    stop(&b);
}

// The new files begin well, but no row fits.
static void refuse_the_first_row(void)
{
    bench b = start();
    tn_record_options options = only(tn_export_available(), true);
    options.overwrite = true;
    CHECK_OK(create(&b, "kept", options));
    limit_file_size(1000);
    CHECK_STATUS(tn_record_row(b.record, b.sim), TN_ERR_FILE);
    CHECK_OK(tn_record_close(b.record, "failed: it was said before"));
    stop(&b);
}

static void what_cannot_be_replaced_stays(void)
{
    bench b = start();
    clean("kept");
    CHECK_OK(create(&b, "kept", only(tn_export_available(), true)));
    put_rows(&b, 5);
    CHECK_OK(tn_record_close(b.record, "done"));
    CHECK(in_child(refuse_to_grow) == 0);
    CHECK(in_child(refuse_the_first_row) == 0);
    CHECK(count_lines(read_text("kept/result.csv")) == 6);
    CHECK(exists(tn_export_available() ? "kept/result.h5" : "kept/result.journal"));
    CHECK(!exists("kept/result.csv.part") && !exists("kept/result.journal.part"));
    stop(&b);
    clean("kept");
}

static void old_results_are_kept_unless_overwritten(void)
{
    static const char *const files[] = {"result.journal", "result.csv", "result.h5",
                                        "summary.json"};
    bench b = start();
    tn_record_options options = only(false, true);
    for (int i = 0; i < TN_COUNT(files); i++) {
        char path[64], expected[128];
        clean("old");
        CHECK(mkdir("old", 0777) == 0);
        snprintf(path, sizeof(path), "old/%s", files[i]);
        tn_test_write(path, "", 0);
        CHECK_STATUS(create(&b, "old", options), TN_ERR_USAGE);
        snprintf(expected, sizeof(expected),
                 "old holds results already (%s); choose another folder or overwrite them",
                 files[i]);
        CHECK_TEXT(tn_last_error(), expected);
        CHECK(exists(path));
        options.overwrite = true;
        CHECK_OK(create(&b, "old", options));
        CHECK(exists(path)); // until there is something new
        CHECK_OK(tn_record_row(b.record, b.sim));
        CHECK(exists(path) == (i <= 1)); // what this run does not write would be a lie
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
    tn_test_write("plain", "", 0);
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
    CHECK_TEXT(tn_last_error(), "cannot write closed/result.journal: Permission denied");
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
    tn_record_options options = only(tn_export_available(), true);
    options.overwrite = true;
    clean("half");
    CHECK(mkdir("half", 0777) == 0 && mkdir("half/result.csv", 0777) == 0);
    CHECK_STATUS(create(&b, "half", options), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(),
               "cannot write half/result.csv: it is a folder, and only plain files "
               "are replaced");
    CHECK(!exists("half/result.journal"));
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
        const tn_status s = create(&b, "memory", only(tn_export_available(), true));
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
    {"a journal on a full disk keeps every row that fits",
     a_journal_on_a_full_disk_keeps_every_row_that_fits},
    {"links and devices are not replaced", links_and_devices_are_not_replaced},
    {"a folder belongs to one record", a_folder_belongs_to_one_record},
    {"what cannot be replaced stays", what_cannot_be_replaced_stays},
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
