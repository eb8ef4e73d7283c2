// SPDX-License-Identifier: MIT
//
// What is around a computation: processes, model files and results, each beside what it cannot do
// without.
//
//     bench_files [CSV]
//
// - `tenon run` of a pendulum for 1 s, beside a program that writes the same HDF5 file and does
//   nothing else (bench/yardstick/write_hdf5.c), and beside an empty one;
// - reading a model of 10^5 rods, beside the bare events of libyaml for the same file;
// - storing rows of 1000 rods in a folder in memory, by the bytes of result.h5.
//
// Processor time, children included, the least of several runs; ratios first.

#define H5_USE_18_API // one signature of H5Ovisit in all versions
#include "file/hdf5_write.h"
#include "sim/channels.h"
#include "tenon/tenon.h"
#include "yardstick/hdf5_plan.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yaml.h>

extern char **environ;

static FILE *csv;

static void tell(const char *what, double ratio, double value, double yardstick, const char *unit)
{
    printf("%-58s %6.2f   %9.4g beside %9.4g %s\n", what, ratio, value, yardstick, unit);
    if (csv)
        fprintf(csv, "\"%s\",%.3g,%.4g,%.4g,%s\n", what, ratio, value, yardstick, unit);
}

static double processor_time(int who)
{
    struct rusage r;
    getrusage(who, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static void give_up(const char *what)
{
    fprintf(stderr, "bench_files: %s: %s\n", what, tn_last_error());
    exit(1);
}

// Processes --------------------------------------------------------------------------------------

// Processor time of a program and its children [ms], the least of 30 runs.
static double time_of(char *const *words)
{
    double least = 1e30;
    for (int k = 0; k < 30; k++) {
        posix_spawn_file_actions_t files;
        pid_t pid;
        int status = 1;
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        const double before = processor_time(RUSAGE_CHILDREN);
        if (posix_spawnp(&pid, words[0], &files, NULL, words, environ) != 0 ||
            waitpid(pid, &status, 0) != pid || status != 0)
            give_up(words[0]);
        posix_spawn_file_actions_destroy(&files);
        const double taken = 1e3 * (processor_time(RUSAGE_CHILDREN) - before);
        least = taken < least ? taken : least;
    }
    return least;
}

static void *got(void *memory)
{
    if (!memory)
        give_up("memory");
    return memory;
}

// Texts one behind the other, each with its end.
static char *join_texts(char **texts, uint64_t n, uint64_t *bytes)
{
    *bytes = 0;
    for (uint64_t i = 0; i < n; i++)
        *bytes += strlen(texts[i]) + 1;
    char *all = got(malloc(*bytes + 1)), *to = all;
    for (uint64_t i = 0; i < n; i++)
        to = stpcpy(to, texts[i]) + 1;
    return all;
}

typedef struct planner {
    FILE *out;
    hid_t text;
    const char *owner;
} planner;

static void read_values(hid_t id, bool attribute, hid_t type, void *to)
{
    if (attribute)
        H5Aread(id, type, to);
    else
        H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
}

static void plan(planner *p, hid_t id, bool attribute, const char *name)
{
    plan_entry e = {0};
    hsize_t shape[3] = {0};
    uint64_t n = 1;
    char *bytes;
    const hid_t type = attribute ? H5Aget_type(id) : H5Dget_type(id);
    const hid_t space = attribute ? H5Aget_space(id) : H5Dget_space(id);
    snprintf(e.owner, sizeof e.owner, "%s", attribute ? p->owner : "");
    snprintf(e.name, sizeof e.name, "%s", name);
    e.rank = H5Sget_simple_extent_ndims(space);
    H5Sget_simple_extent_dims(space, shape, NULL);
    for (int i = 0; i < e.rank; i++)
        n *= e.shape[i] = shape[i];
    if (H5Tget_class(type) == H5T_STRING) {
        char **texts = got(calloc(n + 1, sizeof *texts));
        e.type = PLAN_TEXTS;
        if (n > 0)
            read_values(id, attribute, p->text, texts);
        bytes = join_texts(texts, n, &e.bytes);
        free(texts);
    } else {
        const size_t size = H5Tget_size(type);
        e.type = H5Tget_class(type) == H5T_FLOAT ? PLAN_DOUBLES
                 : size == 4                     ? PLAN_INTS
                                                 : PLAN_FLAGS;
        e.bytes = size * n;
        bytes = got(malloc(e.bytes + 1));
        if (n > 0)
            read_values(id, attribute, type, bytes);
    }
    fwrite(&e, sizeof e, 1, p->out);
    fwrite(bytes, 1, e.bytes, p->out);
    free(bytes);
}

static herr_t plan_attribute(hid_t object, const char *name, const H5A_info_t *info, void *user)
{
    const hid_t id = H5Aopen(object, name, H5P_DEFAULT);
    plan(user, id, true, name);
    H5Aclose(id);
    return 0;
}

static herr_t plan_object(hid_t file, const char *name, const H5O_info_t *info, void *user)
{
    planner *p = user;
    const hid_t id = H5Oopen(file, name, H5P_DEFAULT);
    hsize_t from = 0;
    if (info->type == H5O_TYPE_DATASET)
        plan(p, id, false, name);
    p->owner = strcmp(name, ".") == 0 ? "/" : name;
    H5Aiterate2(id, H5_INDEX_NAME, H5_ITER_NATIVE, &from, plan_attribute, p);
    H5Oclose(id);
    return 0;
}

static void make_plan(const char *result, const char *path)
{
    planner p = {.out = got(fopen(path, "wb")), .text = H5Tcopy(H5T_C_S1)};
    H5Tset_size(p.text, H5T_VARIABLE);
    H5Tset_cset(p.text, H5T_CSET_UTF8);
    const hid_t file = H5Fopen(result, H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, plan_object, &p);
    H5Fclose(file);
    fclose(p.out);
}

static void bench_runs(void)
{
    char *galpha[] = {TN_BINARY,
                      "run",
                      TN_SOURCE_DIR "/models/pendulum.yaml",
                      "--t-end",
                      "1",
                      "--force",
                      "--out",
                      "/dev/shm/tenon_bench",
                      "--quiet",
                      NULL};
    char *automatic[] = {TN_BINARY,
                         "run",
                         TN_SOURCE_DIR "/models/pendulum.yaml",
                         "--t-end",
                         "1",
                         "--force",
                         "--out",
                         "/dev/shm/tenon_bench",
                         "--quiet",
                         "--method",
                         "auto",
                         NULL};
    char *unwritten[] = {TN_BINARY, "run", TN_SOURCE_DIR "/models/pendulum.yaml",
                         "--t-end", "1",   "--no-results",
                         "--quiet", NULL};
    char *plain[] = {TN_YARDSTICK, "/dev/shm/tenon_bench.plan", "/dev/shm/tenon_bench.h5", NULL};
    char *empty[] = {"true", NULL}, *version[] = {TN_BINARY, "--version", NULL};
    const double run = time_of(galpha), by_auto = time_of(automatic);
    make_plan("/dev/shm/tenon_bench/result.h5", "/dev/shm/tenon_bench.plan");
    const double yardstick = time_of(plain), nothing = time_of(empty), start = time_of(version);
    tell("pendulum by auto, with result.h5, by the same file alone", by_auto / yardstick, by_auto,
         yardstick, "ms");
    tell("pendulum by 1000 steps of galpha, likewise", run / yardstick, run, yardstick, "ms");
    const double alone = time_of(unwritten);
    tell("pendulum by 1000 steps of galpha, --no-results, by /bin/true", alone / nothing, alone,
         nothing, "ms");
    tell("tenon --version, by /bin/true", start / nothing, start, nothing, "ms");
    remove("/dev/shm/tenon_bench.plan");
    remove("/dev/shm/tenon_bench.h5");
}

// Models ------------------------------------------------------------------------------------------

// Rods on pins, with numbers as a program writes them, or with expressions as models/chain.yaml.
static void write_chain(const char *path, int n, bool expressions)
{
    FILE *file = got(fopen(path, "w"));
    fprintf(file, "tenon: 1\ngravity: [0, -9.81, 0]\nparameters: {m: 0.1, x: 0.5, z: 1/3}\n"
                  "bodies:\n");
    for (int k = 0; k < n; k++) {
        fprintf(file, "  rod%d: {kind: planar, mass: ", k + 1);
        if (expressions)
            fprintf(file, "m, inertia: m*x^2/12, initial: {position: [%d.5*x, -%d.5*z]}}\n", k, k);
        else
            fprintf(file, "0.1, inertia: %.16g, initial: {position: [%.16g, %.16g]}}\n",
                    0.025 / 12.0, (k + 0.5) * 0.5, (k + 0.5) / -3.0);
    }
    fprintf(file, "joints:\n  pin1: {kind: revolute, bodies: [ground, rod1]}\n");
    for (int k = 1; k < n; k++) {
        fprintf(file, "  pin%d: {kind: revolute, bodies: [rod%d, rod%d], at: ", k + 1, k, k + 1);
        if (expressions)
            fprintf(file, "[%d*x, -%d*z]}\n", k, k);
        else
            fprintf(file, "[%.16g, %.16g]}\n", k * 0.5, k / -3.0);
    }
    fclose(file);
}

static double time_of_events(const char *text, size_t length)
{
    yaml_parser_t parser;
    const double begin = processor_time(RUSAGE_SELF);
    yaml_parser_initialize(&parser);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event))
            give_up("libyaml");
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return processor_time(RUSAGE_SELF) - begin;
}

static double time_of_load(const char *path)
{
    tn_model *model = NULL;
    const double begin = processor_time(RUSAGE_SELF);
    if (tn_model_load(path, &model, NULL) != TN_OK)
        give_up(path);
    const double taken = processor_time(RUSAGE_SELF) - begin;
    tn_model_destroy(model);
    return taken;
}

static void bench_model(bool expressions, const char *what)
{
    const char *path = "/dev/shm/tenon_bench.yaml";
    struct stat info;
    double events = 1e30, load = 1e30;
    write_chain(path, 100000, expressions);
    FILE *file = got(fopen(path, "rb"));
    char *text = stat(path, &info) == 0 ? got(malloc((size_t)info.st_size)) : NULL;
    if (!text || fread(text, 1, (size_t)info.st_size, file) != (size_t)info.st_size)
        give_up(path);
    fclose(file);
    for (int k = 0; k < 3; k++) {
        const double e = time_of_events(text, (size_t)info.st_size), l = time_of_load(path);
        events = e < events ? e : events;
        load = l < load ? l : load;
    }
    const double size = 1e-6 * (double)info.st_size;
    tell(what, load / events, size / load, size / events, "MB/s");
    free(text);
    remove(path);
}

// Results -----------------------------------------------------------------------------------------

// What the channels of so many rows take: forces in joints, momenta and all that is computed for
// the reader of results.
static double time_of_reading(tn_sim *sim, int rows)
{
    const tn_channels *list = tn_sim_channels(sim);
    double *to[TN_MOST_CHANNELS], *all = got(calloc((size_t)list->width + 1, sizeof *all)),
                                  *at = all;
    for (int k = 0; k < list->nchannel; at += list->channel[k++].size)
        to[k] = at;
    const double begin = processor_time(RUSAGE_SELF);
    for (int k = 0; k < rows; k++)
        tn_channels_read(sim, to);
    free(all);
    return processor_time(RUSAGE_SELF) - begin;
}

static double time_of_writing(size_t bytes)
{
    enum { PIECE = 1 << 20 };
    static char piece[PIECE];
    FILE *file = got(fopen("/dev/shm/tenon_bench.bytes", "wb"));
    setvbuf(file, NULL, _IONBF, 0);
    const double begin = processor_time(RUSAGE_SELF);
    for (size_t done = 0; done < bytes; done += PIECE)
        if (fwrite(piece, 1, PIECE, file) != PIECE)
            give_up("bytes");
    const double taken = processor_time(RUSAGE_SELF) - begin;
    fclose(file);
    remove("/dev/shm/tenon_bench.bytes");
    return taken;
}

static void bench_results(void)
{
    enum { RODS = 1000, ROWS = 400 };
    const char *path = "/dev/shm/tenon_bench.yaml";
    tn_sim_options options = tn_default_sim();
    tn_record_options record_options = tn_default_record();
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_record *record = NULL;
    struct stat info = {0};
    record_options.overwrite = true;
    options.method = "dopri5@joint";
    write_chain(path, RODS, false);
    if (tn_model_load(path, &model, NULL) != TN_OK || tn_sim_create(model, &options, &sim) != TN_OK)
        give_up("the chain");
    const double read = time_of_reading(sim, ROWS);
    const double begin = processor_time(RUSAGE_SELF) + processor_time(RUSAGE_CHILDREN);
    if (tn_record_create("/dev/shm/tenon_bench", sim, &record_options, &record) != TN_OK)
        give_up("the record");
    for (int k = 0; k < ROWS; k++)
        if (tn_record_row(record, sim) != TN_OK)
            give_up("a row");
    if (tn_record_close(record, "done") != TN_OK)
        give_up("result.h5");
    const double end = processor_time(RUSAGE_SELF) + processor_time(RUSAGE_CHILDREN);
    stat("/dev/shm/tenon_bench/result.h5", &info);
    const double size = 1e-6 * (double)info.st_size;
    const double plain = time_of_writing((size_t)info.st_size), stored = end - begin - read;
    tell("results in journal and result.h5, by bare writing", stored / plain, size / stored,
         size / plain, "MB/s");
    tell("the same with what channels compute", (end - begin) / plain, size / (end - begin),
         size / plain, "MB/s");
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    remove(path);
    remove("/dev/shm/tenon_bench/result.h5"); // the next time begins without it
}

int main(int argc, char **argv)
{
    csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    printf("%-58s  ratio\n", "");
    if (csv)
        fprintf(csv, "what,ratio,value,yardstick,unit\n");
    bench_runs();
    bench_model(false, "reading 10^5 rods in numbers, by bare events");
    bench_model(true, "reading 10^5 rods in expressions, by bare events");
    bench_results();
    if (csv)
        fclose(csv);
    return 0;
}
