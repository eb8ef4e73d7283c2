// SPDX-License-Identifier: MIT
//
// Results read back: what a record wrote comes out under the names of result.csv; runs that were
// killed open, files that are cut or damaged give a sentence.

#include "unit/record_bench.h"

#include "result/result.h"

#include <math.h>
#include <string.h>

static const char DIR[] = "results";

static void record_rows(int rows)
{
    bench b = start();
    clean(DIR);
    CHECK_OK(create(&b, DIR, only(true, true)));
    put_rows(&b, rows);
    CHECK_OK(tn_record_close(b.record, "done"));
    stop(&b);
}

static void attributes(void)
{
    tn_result *r = NULL;
    record_rows(5);
    CHECK_OK(tn_result_open(DIR, false, &r));
    const tn_result_info *info = tn_result_about(r);
    CHECK_TEXT(info->path, "results/result.h5");
    CHECK_TEXT(info->directory, "results");
    CHECK_TEXT(info->model, "models/two links.yaml");
    CHECK_TEXT(info->method, "galpha/ggl@absolute");
    CHECK_TEXT(info->outcome, "done");
    CHECK_TEXT(info->version, tn_version());
    CHECK(info->nbody == 2 && info->njoint == 2);
    CHECK_TEXT(tn_result_body(r, 1), rod_name);
    CHECK_TEXT(tn_result_joint(r, 1), "pin");
    CHECK(tn_result_rows(r) == 5);
    CHECK(tn_result_warning_count(r) == 0);
    CHECK(tn_result_scene(r) && strstr(tn_result_scene(r), "\"bodies\""));
    tn_result_close(r);
    CHECK_OK(tn_result_open("results/result.h5", false, &r));
    CHECK_TEXT(tn_result_about(r)->directory, "results");
    tn_result_close(r);
    clean(DIR);
}

// The header of result.csv: fields in quotes where they need them.
static const char *next_field(const char *at, char *field)
{
    const bool quoted = *at == '"';
    for (at += quoted; *at; at++) {
        if (quoted && *at == '"' && *++at != '"')
            break;
        if (!quoted && (*at == ',' || *at == '\n'))
            break;
        *field++ = *at;
    }
    *field = '\0';
    return *at == ',' ? at + 1 : at;
}

static void names_are_those_of_the_table(void)
{
    tn_result *r = NULL;
    char field[256], expected[300];
    record_rows(1);
    CHECK_OK(tn_result_open(DIR, false, &r));
    const char *at = next_field(read_text("results/result.csv"), field);
    CHECK_TEXT(field, "time [s]");
    for (int i = 0; i < tn_result_channel_count(r); i++) {
        const tn_result_channel *c = tn_result_channel_at(r, i);
        int found = -1;
        at = next_field(at, field);
        snprintf(expected, sizeof(expected), *c->unit ? "%s [%s]" : "%s", c->name, c->unit);
        CHECK_TEXT(field, expected);
        CHECK_OK(tn_result_find(r, c->name, &found));
        CHECK(found == i);
    }
    CHECK(*at == '\n');
    tn_result_close(r);
    clean(DIR);
}

static void groups(void)
{
    static const char *const known[][2] = {
        {"step", "run"},
        {"crank.position.x", "bodies"},
        {"pin.force.z", "joints"},
        {"energy.kinetic", "energy"},
        {"residuals.g", "residuals"},
        {"pin.angle.rate", "joints"},
    };
    tn_result *r = NULL;
    int channel = -1;
    record_rows(1);
    CHECK_OK(tn_result_open(DIR, false, &r));
    for (int i = 0; i < TN_COUNT(known); i++) {
        CHECK_OK(tn_result_find(r, known[i][0], &channel));
        CHECK_TEXT(tn_result_channel_at(r, channel)->group, known[i][1]);
    }
    CHECK(tn_result_channel_at(r, channel)->owner == 1);
    CHECK_TEXT(tn_result_channel_at(r, channel)->unit, "rad/s");
    tn_result_close(r);
    clean(DIR);
}

static void unknown_names(void)
{
    tn_result *r = NULL;
    int channel;
    record_rows(1);
    CHECK_OK(tn_result_open(DIR, false, &r));
    CHECK(tn_result_find(r, "crank.positon.x", &channel) == TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "results/result.h5 has no channel 'crank.positon.x'; did you mean "
                                "'crank.position.x'?");
    CHECK(tn_result_find(r, "q", &channel) == TN_ERR_USAGE);
    CHECK(strstr(tn_last_error(), "has no channel 'q'; known are "));
    tn_result_close(r);
    clean(DIR);
}

static void rows_come_back(void)
{
    enum { ROWS = 2500 }; // more than one chunk of every dataset
    static double x[ROWS], t[ROWS], read[ROWS], block[ROWS * 6];
    tn_result *r = NULL;
    int channel;
    bench b = start();
    clean(DIR);
    CHECK_OK(create(&b, DIR, only(true, false)));
    for (int i = 0; i < ROWS; i++) {
        t[i] = tn_sim_time(b.sim);
        x[i] = tn_sim_body_frame(b.sim, (tn_body){2}).p.x;
        put_rows(&b, 1);
    }
    CHECK_OK(tn_record_close(b.record, "done"));
    stop(&b);

    CHECK_OK(tn_result_open(DIR, false, &r));
    CHECK(tn_result_rows(r) == ROWS);
    char name[256];
    snprintf(name, sizeof(name), "%s.position.x", rod_name);
    CHECK_OK(tn_result_find(r, name, &channel));
    CHECK_OK(tn_result_read(r, channel, 0, ROWS, read));
    CHECK(memcmp(read, x, sizeof(x)) == 0);
    CHECK_OK(tn_result_time(r, 1000, 500, read));
    CHECK(memcmp(read, t + 1000, 500 * sizeof(double)) == 0);
    const int position = tn_result_dataset_find(r, "bodies/position");
    CHECK(tn_result_dataset_at(r, position)->width == 6);
    CHECK_OK(tn_result_read_rows(r, position, 700, 1800, block));
    for (int i = 0; i < 1800; i++)
        CHECK(block[6 * i + 3] == x[700 + i]);
    CHECK_OK(tn_result_read(r, channel, ROWS, 0, read));
    CHECK(tn_result_read(r, channel, ROWS - 1, 2, read) == TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "results/result.h5: rows 2499 to 2500 were asked for; it has 2500");
    CHECK(tn_result_read(r, channel, -1, 1, read) == TN_ERR_USAGE);
    tn_result_close(r);
    clean(DIR);
}

static void no_rows(void)
{
    tn_result *r = NULL;
    record_rows(0);
    CHECK_OK(tn_result_open(DIR, false, &r));
    CHECK(tn_result_rows(r) == 0 && tn_result_channel_count(r) > 50);
    tn_result_close(r);
    clean(DIR);
}

static void record_and_die(void)
{
    bench b = start();
    CHECK_OK(create(&b, DIR, only(true, false)));
    put_rows(&b, 1500);
    CHECK_OK(tn_record_flush(b.record));
    put_rows(&b, 100);
    raise(SIGKILL);
}

static void killed_runs_open(void)
{
    tn_result *r = NULL;
    clean(DIR);
    const int status = in_child(record_and_die);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    CHECK_OK(tn_result_open(DIR, false, &r));
    CHECK(tn_result_rows(r) >= 1500);
    CHECK_TEXT(tn_result_about(r)->outcome, "running");
    tn_result_close(r);
    clean(DIR);
}

static void runs_that_go_on_open(void)
{
    tn_result *r = NULL;
    bench b = start();
    clean(DIR);
    CHECK_OK(create(&b, DIR, only(true, false)));
    put_rows(&b, 10);
    CHECK_OK(tn_record_flush(b.record));
    put_rows(&b, 10);
    CHECK_OK(tn_result_open("results", false, &r));
    CHECK(tn_result_rows(r) >= 10);
    CHECK_TEXT(tn_result_about(r)->path, "results/result.journal");
    CHECK_TEXT(tn_result_about(r)->outcome, "running");
    tn_result_close(r);
    CHECK_OK(tn_record_close(b.record, "done"));
    stop(&b);
    clean(DIR);
}

// Refusals ---------------------------------------------------------------------------------------

static void refuses(const char *path, const char *message)
{
    tn_result *r = NULL;
    CHECK(tn_result_open(path, true, &r) == TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), message);
    CHECK(!r);
}

static void what_is_no_result(void)
{
    clean("empty");
    refuses("nowhere", "cannot read nowhere: No such file or directory");
    mkdir("empty", 0777);
    refuses("empty", "empty holds no result.h5; 'tenon run MODEL --out empty' writes one");
    tn_test_write("empty/result.h5", "", 0);
    refuses("empty", "empty/result.h5 is empty");
    FILE *file = fopen("empty/result.h5", "w");
    for (int i = 0; i < 1000; i++)
        fprintf(file, "no results\n");
    fclose(file);
    refuses("empty", "empty/result.h5 is no HDF5 file, or its beginning is damaged");
    clean("empty");
}

static long read_bytes(const char *path, char **bytes)
{
    struct stat info;
    CHECK(stat(path, &info) == 0);
    *bytes = malloc((size_t)info.st_size);
    FILE *file = fopen(path, "rb");
    CHECK(file && fread(*bytes, 1, (size_t)info.st_size, file) == (size_t)info.st_size);
    fclose(file);
    return (long)info.st_size;
}

static void write_bytes(const char *path, const char *bytes, long n)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, (size_t)n, file) == (size_t)n);
    fclose(file);
}

static void files_cut_short(void)
{
    char *bytes = NULL, message[128];
    record_rows(300);
    const long n = read_bytes("results/result.h5", &bytes);
    for (long cut = n - 1; cut > 2048; cut = cut * 9 / 10) {
        write_bytes("cut.h5", bytes, cut);
        snprintf(message, sizeof(message),
                 "cut.h5 is cut short at %ld bytes; copy it again or repeat the run", cut);
        refuses("cut.h5", message);
    }
    for (long cut = 64; cut > 0; cut -= 9) {
        tn_result *r = NULL;
        write_bytes("cut.h5", bytes, cut);
        CHECK(tn_result_open("cut.h5", true, &r) == TN_ERR_FILE);
        CHECK(strncmp(tn_last_error(), "cut.h5 is ", 10) == 0);
    }
    free(bytes);
    remove("cut.h5");
    clean(DIR);
}

// Opens a file and reads all of it; every failure must have its sentence.
static void read_all(const char *path)
{
    tn_result *r = NULL;
    static double block[1 << 16];
    tn_clear_error();
    if (tn_result_open(path, true, &r) != TN_OK) {
        CHECK(strstr(tn_last_error(), path));
        return;
    }
    for (int c = 0, d, last = -1; c < tn_result_channel_count(r); c++, last = d) {
        d = tn_result_channel_at(r, c)->dataset;
        const long width = d == last ? 0 : tn_result_dataset_at(r, d)->width;
        const long rows = tn_result_rows(r);
        if (width > 0 && rows * width < TN_COUNT(block))
            if (tn_result_read_rows(r, d, 0, rows, block) != TN_OK)
                CHECK(strstr(tn_last_error(), path));
    }
    tn_result_close(r);
}

static void read_damaged(void)
{
    read_all("damaged.h5");
}

// HDF5 1.10 crashes on some of these, in its child; the reader ends by itself, always.
static void damaged_files(void)
{
    enum { TRIALS = 60 };
    char *bytes = NULL;
    int fallen = 0;
    unsigned seed = 12345;
    record_rows(100);
    const long n = read_bytes("results/result.h5", &bytes);
    for (int i = 0; i < TRIALS; i++) {
        seed = seed * 1103515245u + 12345u;
        const long at = (long)(seed >> 8) % (i % 2 ? n : 8192), length = 1 + (seed >> 28);
        char saved[32];
        memcpy(saved, bytes + at, (size_t)(at + length > n ? n - at : length));
        memset(bytes + at, (int)(seed >> 16 & 0xff), (size_t)(at + length > n ? n - at : length));
        write_bytes("damaged.h5", bytes, n);
        memcpy(bytes + at, saved, (size_t)(at + length > n ? n - at : length));
        const int status = in_child(read_damaged);
        fallen += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    CHECK(fallen == 0);
    free(bytes);
    remove("damaged.h5");
    clean(DIR);
}

// Checksums --------------------------------------------------------------------------------------

static void flipped_bits(void)
{
    tn_result *r = NULL;
    char *bytes = NULL;
    unsigned seed = 4711;
    record_rows(100);
    const long n = read_bytes("results/result.h5", &bytes);
    for (int i = 0; i < 40; i++) {
        seed = seed * 1103515245u + 12345u;
        const long at = 8 + (long)(seed >> 4) % (n - 8); // beyond the signature
        bytes[at] ^= (char)(1 << (seed >> 29));
        write_bytes("results/result.h5", bytes, n);
        CHECK(tn_result_open(DIR, false, &r) == TN_ERR_FILE);
        CHECK(strncmp(tn_last_error(), "results/result.h5 is damaged: the checksum of bytes ",
                      52) == 0);
        bytes[at] ^= (char)(1 << (seed >> 29));
    }
    write_bytes("results/result.h5", bytes, n - 1);
    CHECK(tn_result_open(DIR, false, &r) == TN_ERR_FILE);
    CHECK(strstr(tn_last_error(), "is cut short at "));
    write_bytes("results/result.h5", bytes, n);
    CHECK_OK(tn_result_open(DIR, false, &r));
    tn_result_close(r);
    free(bytes);
    clean(DIR);
}

static void results_without_a_summary(void)
{
    tn_result *r = NULL;
    record_rows(3);
    remove("results/summary.json");
    CHECK(tn_result_open(DIR, false, &r) == TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "results/result.h5: there are no checksums of it in "
                                "results/summary.json, so that damage would not be noticed; "
                                "--trust reads it all the same");
    CHECK_OK(tn_result_open(DIR, true, &r));
    CHECK(tn_result_rows(r) == 3);
    tn_result_close(r);
    clean(DIR);
}

// Changed by hand, or by a disk: the results open only for those who trust them.
static void changed_summaries(void)
{
    tn_result *r = NULL;
    record_rows(3);
    FILE *file = fopen("results/summary.json", "r+");
    CHECK(file && fseek(file, 20, SEEK_SET) == 0 && fputc(fgetc(file) ^ 4, file) >= 0);
    fclose(file);
    CHECK(tn_result_open(DIR, false, &r) == TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "results/summary.json is not as the run wrote it: its checksum is "
                                "wrong; copy it again or repeat the run; --trust reads the results "
                                "all the same");
    CHECK_OK(tn_result_open(DIR, true, &r));
    tn_result_close(r);
    static const char early[] = "{\n  \"tenon\": \"0.1.0\",\n  \"status\": \"done\"\n}\n";
    tn_test_write("results/summary.json", early, strlen(early));
    CHECK(tn_result_open(DIR, false, &r) == TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(),
               "results/summary.json has no checksum: it was cut short or changed, "
               "or an earlier Tenon wrote it; copy it again or repeat the run; "
               "--trust reads the results all the same");
    CHECK_OK(tn_result_open(DIR, true, &r));
    tn_result_close(r);
    clean(DIR);
}

static const tn_test tests[] = {
    {"attributes and names", attributes},
    {"channels have the names of result.csv", names_are_those_of_the_table},
    {"channels have groups, owners and units", groups},
    {"unknown names get a suggestion", unknown_names},
    {"rows come back bit by bit, by channel and by dataset", rows_come_back},
    {"a result without rows opens", no_rows},
    {"a killed run opens with what it has", killed_runs_open},
    {"a run that goes on opens", runs_that_go_on_open},
    {"what is no result is refused", what_is_no_result},
    {"files cut short are refused", files_cut_short},
    {"damaged files give a sentence", damaged_files},
    {"one flipped bit is found by its checksum", flipped_bits},
    {"results without a summary are to be trusted explicitly", results_without_a_summary},
    {"summaries that were changed are told", changed_summaries},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
