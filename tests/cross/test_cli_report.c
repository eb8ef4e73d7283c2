// SPDX-License-Identifier: MIT
//
// tenon report and tenon run --report, as a user calls them.

#include "cli_driver.h"
#include "page/page.h"

static const char *model(void)
{
    return tn_test_path("models/fourbar.yaml");
}

static void run_fourbar(void)
{
    CHECK(tenon("run %s --t-end 0.1 --out run --force --quiet", model()) == 0);
}

// The first bytes of a page; the whole is larger than the buffers of the driver.
static bool is_page(const char *path)
{
    char start[16] = "";
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    const size_t n = fread(start, 1, sizeof(start) - 1, file);
    fclose(file);
    return n > 0 && start[0] == '<';
}

static bool have_page(void)
{
    return tn_report_check() == TN_OK;
}

static void report_writes_a_page(void)
{
    if (!have_page())
        return;
    run_fourbar();
    CHECK(tenon("report run") == 0);
    CHECK_TEXT(cli.out, "run/report.html\n");
    CHECK_TEXT(cli.err, "");
    CHECK(is_page("run/report.html"));
    CHECK(tenon("report run/result.h5 -o other.html --json") == 0);
    CHECK(strstr(cli.out, "\"report\": \"other.html\""));
    CHECK(is_page("other.html") && !file_exists("other.html.part"));
    remove("other.html");
}

static void what_is_no_page_is_replaced_by_force_alone(void)
{
    run_fourbar();
    write_text("model.yaml", "tenon: 1\n");
    refuses(1, "report run -o model.yaml",
            "tenon: model.yaml is there already and is no page of Tenon; --force replaces it\n");
    read_text("model.yaml", cli.out);
    CHECK_TEXT(cli.out, "tenon: 1\n");
    if (!have_page())
        return;
    CHECK(tenon("report run -o model.yaml --force") == 0 && is_page("model.yaml"));
    CHECK(tenon("report run -o model.yaml") == 0); // a page now
    write_text("empty.html", "");
    CHECK(tenon("report run -o empty.html") == 0);
}

static void snapshots_are_times_of_the_run(void)
{
    if (!have_page())
        return;
    run_fourbar();
    CHECK(tenon("report run --snapshots 0,0.05,0.1") == 0);
    CHECK_TEXT(cli.err, "");
    CHECK(tn_test_shell("grep -q '\"snapshots\": *\\[0, *0.05, *0.1\\]' run/report.html") == 0);
    CHECK(tenon("report run --snapshots 0,0.2 -o other.html") != 0);
    CHECK(strstr(cli.err, "a snapshot at t = 0.2 s is not within the stored run, which goes from 0 "
                          "to 0.1 s"));
    CHECK(!file_exists("other.html"));
    CHECK(tenon("report run --snapshots 0,soon") != 0);
    CHECK(strstr(cli.err, "--snapshots: expected a number, found 'soon'"));
    CHECK(tenon("report run --snapshots nan") != 0);
    CHECK(tenon("report run --snapshots 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0") != 0);
    CHECK(strstr(cli.err, "25 snapshots are too many for one picture; state at most 24"));
}

// What a page says of two runs, as text: keys of its document.
static bool page_has(const char *path, const char *text)
{
    char command[512];
    snprintf(command, sizeof command, "grep -q '%s' %s", text, path);
    return tn_test_shell(command) == 0;
}

static void two_runs_lie_over_each_other(void)
{
    if (!have_page())
        return;
    run_fourbar();
    CHECK(tenon("run %s --t-end 0.2 --step 0.002 --output 0.004 --out other --force --quiet",
                model()) == 0);
    refuses(1, "report run other",
            "tenon: a report of several runs belongs to none of their folders: name it, for "
            "example 'tenon "
            "report run other -o both.html'\n");
    CHECK(tenon("report run other -o both.html") == 0);
    CHECK_TEXT(cli.out, "both.html\n");
    CHECK_TEXT(cli.err,
               "tenon: run ends at 0.1 s and other at 0.2 s: there is no difference beyond\n");
    CHECK(page_has("both.html", "\"over\":") && page_has("both.html", "\"difference\":"));
    CHECK(tenon("run %s --t-end 0.1 --out else --force --quiet",
                tn_test_path("models/pendulum.yaml")) == 0);
    CHECK(tenon("report run else -o both.html") == 0); // what only one of them has is told
    CHECK(strstr(cli.err, " channels of run have no counterpart in else: crank.position.x, "));
    CHECK(strstr(cli.err, " channels of else have no counterpart in run: bob.position.x, "));
    refuses(1, "report run rod.yaml -o both.html",
            "tenon: rod.yaml is a model: run it first ('tenon run rod.yaml'), then name its folder "
            "of results ('tenon report rod.results')\n");
    remove("both.html");
}

static void run_writes_a_report(void)
{
    if (!have_page())
        return;
    CHECK(tenon("run %s --t-end 0.1 --out run --force --report", model()) == 0);
    CHECK(strstr(cli.out, "report             run/report.html\n"));
    CHECK(is_page("run/report.html"));
    CHECK(tenon("run %s --t-end 0.1 --out run --force --quiet", model()) == 0);
    CHECK(!file_exists("run/report.html")); // that of another run
    CHECK(tenon("run %s --t-end 0.1 --out run --force --report --json", model()) == 0);
    CHECK(cli.out[0] == '{' && !strstr(cli.out, "report             "));
    CHECK(tenon("run %s --t-end 0.1 --out run --force --report --require 'g<1e-99'", model()) == 4);
    CHECK(is_page("run/report.html")); // also of a run that did not keep its bounds
}

static void without_a_page_it_says_how_to_get_one(void)
{
    static const char message[] =
        "tenon: this Tenon was built without the report page; install npm (on Debian: apt-get "
        "install npm) and build Tenon again\n";
    if (have_page())
        return;
    run_fourbar();
    refuses(1, "report run", message);
    CHECK(tenon("run %s --t-end 0.1 --out never --report", model()) == 1);
    CHECK_TEXT(cli.err, message);
    CHECK(!file_exists("never")); // said before the run, not after it
}

static void summaries_tell_the_command(void)
{
    CHECK(tenon("run %s --t-end 0.1 --out run --force --quiet --json --step=0.001 "
                "--require 'g<1'",
                model()) == 0);
    CHECK(strstr(cli.out, " --t-end 0.1 --out run --force --quiet --json --step=0.001 --require "
                          "'g<1'\","));
    CHECK(strstr(cli.out, "\"freedoms\": 1,\n  \"redundant\": 0,\n"));
}

static void what_cannot_be_reported(void)
{
    if (!have_page())
        return;
    refuses(2, "report nowhere", "tenon: cannot read nowhere: No such file or directory\n");
    refuses(1, "report rod.yaml",
            "tenon: rod.yaml is a model: run it first ('tenon run rod.yaml'), then name its folder "
            "of results ('tenon report rod.results')\n");
    refuses(1, "report",
            "tenon: report: DIR is missing; usage: tenon report DIR [OTHER ...] [--out FILE] "
            "[--force] [--snapshots T,T,...]\n");
    run_fourbar();
    CHECK(system("head -c 20000 run/result.h5 >cut.h5") == 0);
    refuses(2, "report cut.h5 --trust",
            "tenon: cut.h5 is cut short at 20000 bytes; copy it again or repeat the run\n");
    refuses(1, "report run -o nowhere/a.html",
            "tenon: cannot write nowhere/a.html: No such file or directory\n");
    remove("cut.h5");
}

// What is missing is told and the rest is shown.
static void damage_beside_the_rows(void)
{
    if (!have_page())
        return;
    run_fourbar();
    write_text("run/summary.json", "{\"status\": ");
    CHECK(tenon("report run") == 2); // the checksums of result.h5 are in the summary
    CHECK(tenon("report run --trust") == 0);
    CHECK(strstr(cli.err, "tenon: the ledger of the run is not known: run/summary.json:1:"));
    CHECK_TEXT(cli.out, "run/report.html\n");
    CHECK(is_page("run/report.html"));
}

static const tn_test tests[] = {
    {"what is no page is replaced by force alone", what_is_no_page_is_replaced_by_force_alone},
    {"report writes a page", report_writes_a_page},
    {"snapshots are times of the run", snapshots_are_times_of_the_run},
    {"two runs lie over each other", two_runs_lie_over_each_other},
    {"run --report writes a page, also when a bound is not kept", run_writes_a_report},
    {"a Tenon without the page says how to get it", without_a_page_it_says_how_to_get_one},
    {"summaries tell the command and the freedoms", summaries_tell_the_command},
    {"what cannot be reported", what_cannot_be_reported},
    {"damage beside the rows is told and the rest shown", damage_beside_the_rows},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
