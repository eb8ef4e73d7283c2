// SPDX-License-Identifier: MIT
//
// tenon sweep: numbers of cases against closed forms, the same table whatever the number of workers
// and however often the sweep is killed, cases that fail, and what is refused.

#include "cli_driver.h"

#include "file/hdf5_write.h"
#include "study/sweep_parts.h"
#include "test.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A mass on a spring, let go from x0: x = x0 cos(w t), w^2 = k/m; it hits x = 0 after a quarter.
static const char spring[] =
    "tenon: 1\n"
    "parameters: {k: 100, m: 1, x0: 0.1, w: sqrt(k/m)}\n"
    "bodies: {mass: {kind: planar, mass: m, inertia: 1, initial: {position: [x0, 0]}}}\n"
    "joints: {slide: {kind: prismatic, bodies: [ground, mass], axis: [1, 0]}}\n"
    "forces: {spring: {kind: joint-spring, joint: slide, stiffness: k, free: 0}}\n"
    "events: {middle: {joint: slide, value: 0}}\n"
    "simulate: {method: dop853/index1@joint, rtol: 1e-10, atol: 1e-12, t_end: 2*pi/w}\n";

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    CHECK(f && text);
    CHECK(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

// Whether two files hold the same.
static bool same(const char *a, const char *b)
{
    char *x = read_all(a), *y = read_all(b);
    const bool equal = strcmp(x, y) == 0;
    free(x);
    free(y);
    return equal;
}

static void cases_have_the_numbers_of_closed_forms(void)
{
    write_text("spring.yaml", spring);
    CHECK(tenon("sweep spring.yaml --set k=25:400:5:log --set 'm=[1, 4]' --quiet --outputs "
                "'end=mass.position.x,max(mass.velocity.x),rms(mass.position.x),mean(slide."
                "displacement),range(mass.position.x),event(middle),count(middle),"
                "rms(2*mass.position.x + 0)'") == 0);
    FILE *f = fopen("spring.sweep/table.csv", "r");
    char line[1000];
    CHECK(f && fgets(line, sizeof line, f));
    CHECK(strncmp(line, "case,k,m,end [m],max(mass.velocity.x) [m/s],", 44) == 0);
    for (int i = 0; i < 10; i++) {
        int index;
        double k, m, x[8];
        char word[20];
        CHECK(fgets(line, sizeof line, f) != NULL);
        CHECK(sscanf(line, "%d,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%19[a-z]", &index, &k, &m,
                     &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7], word) == 12);
        const double w = sqrt(k / m);
        CHECK(index == i);
        CHECK_NEAR(k, 25.0 * pow(2.0, i / 2), 1e-12 * k);
        CHECK_NEAR(m, i % 2 ? 4.0 : 1.0, 0.0);
        CHECK_NEAR(x[0], 0.1, 1e-9);
        CHECK_NEAR(x[1], 0.1 * w, 1e-7 * w);     // where a parabola turns
        CHECK_NEAR(x[2], 0.1 / sqrt(2.0), 1e-6); // Simpson's rule
        CHECK_NEAR(x[3], 0.0, 1e-6);
        CHECK_NEAR(x[4], 0.2, 1e-7);
        CHECK_NEAR(x[5], 0.5 * 3.14159265358979 / w, 1e-8);
        CHECK_NEAR(x[6], 2.0, 0.0);
        CHECK_NEAR(x[7], 2.0 * x[2], 1e-12); // an expression
        CHECK_TEXT(word, "done");
    }
    CHECK(!fgets(line, sizeof line, f));
    fclose(f);
}

// A wheel that is driven at 3 rad/s, with a motor that is on for acos(0.3)/pi of each second.
static const char wheel[] =
    "tenon: 1\n"
    "parameters: {rate: 3}\n"
    "bodies: {wheel: {kind: planar, mass: 1, inertia: 1, initial: {rate: rate}}}\n"
    "joints:\n"
    "  pin: {kind: revolute, bodies: [ground, wheel]}\n"
    "  turn: {kind: drive, joint: pin, motion: rate*t}\n"
    "forces: {motor: {kind: motor, joint: pin, effort: 'if(sin(2*pi*t) > 0.3, 2, 0)'}}\n"
    "simulate: {t_end: 3}\n";

// Steps of this motion may be as long as the run, and what is asked of it has jumps, kinks and
// ripples that steps do not know. Jumps are located to 1e-12 of the run, and smooth parts go to
// 1e-7 of the largest value, as a safe estimate.
static void means_are_integrals(void)
{
    static const char *const methods[] = {"dop853/index1", "radau5/ggl", "bdf/ggl",
                                          "galpha/index3 --step 0.0317"};
    const double on = acos(0.3) / acos(-1.0), ups = floor(111.0 / acos(-1.0));
    const double known[] = {0.9,
                            (1.0 - cos(120.0)) / 120.0,
                            sqrt(0.5 - sin(240.0) / 480.0),
                            1.0,
                            6.0 * on,
                            6.0 * sqrt(on),
                            2e-4 / 3.0,
                            1.0,
                            0.1234,
                            (2.0 * ups + 1.0 - cos(111.0 - ups * acos(-1.0))) / 111.0};
    write_text("wheel.yaml", wheel);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        char line[1000], *at = line;
        CHECK(tenon("sweep wheel.yaml --set 'rate=[3]' --quiet --force --plots none --method %s "
                    "--outputs 'mean(t>0.3),mean(sin(40*t)),rms(sin(40*t)),max(sin(40*t)),"
                    "mean(motor.power),rms(motor.power),mean(abs(pin.angle - 1.2) < 3e-4),"
                    "max(abs(pin.angle - 1.2) < 3e-4),time_of_min(abs(t - 0.1234)),"
                    "mean(abs(sin(37*t)))'",
                    methods[k]) == 0);
        FILE *f = fopen("wheel.sweep/table.csv", "r");
        CHECK(f && fgets(line, sizeof line, f) && fgets(line, sizeof line, f));
        fclose(f);
        CHECK(strncmp(line, "0,3", 3) == 0);
        at += 3;
        for (int i = 0; i < TN_COUNT(known); i++)
            CHECK_NEAR(strtod(at + 1, &at), known[i], 1e-8 * fmax(known[i], 1.0));
        CHECK_TEXT(at, ",done,\n");
    }
    CHECK(tenon("sweep wheel.yaml --set 'rate=[3]' --quiet --force --plots none --outputs "
                "'a=mean(sin(1e6*t))'") == 5);
    char *table = read_all("wheel.sweep/table.csv");
    CHECK(strstr(table, ",doubtful,output 'a' goes up and down too often"));
    CHECK(strstr(cli.err, "tenon: doubtful: case 0: output 'a' goes up and down too often"));
    free(table);
}

// What is zero but for round-off, here moments along a stiff beam that turns in a plane, makes no
// case doubtful and takes no time.
static void round_off_is_no_doubt(void)
{
    write_text("spin.yaml",
               "tenon: 1\nparameters: {W: 6}\nbodies:\n  arm:\n    kind: beam\n"
               "    points: [[0, 0, 0], [10, 0, 0]]\n    elements: 4\n    x_axis: [0, 1, 0]\n"
               "    section: {kind: stiffness, stiffness: [1.0e+7, 1.0e+7, 2.8e+7],\n"
               "              rotational_stiffness: [1.4e+4, 1.4e+4, 1.4e+4], mass: 1.2,\n"
               "              inertia_x: 6.0e-4, inertia_y: 6.0e-4}\n"
               "joints:\n  shaft: {kind: revolute, bodies: [ground, arm.start], axis: [0, 0, 1]}\n"
               "  motor: {kind: drive, joint: shaft, motion: W*t^2/30}\n"
               "simulate: {method: galpha/ggl@absolute, step: 0.01, t_end: 1}\n");
    CHECK(tenon("sweep spin.yaml --set 'W=[6]' --quiet --plots none --outputs "
                "'max(arm.e1.section_moment.z),mean(arm.e1.section_moment.z)'") == 0);
}

#define GRID                                                          \
    "sweep spring.yaml --set k=25:400:20:log --set m=1:4:10 --quiet " \
    "--outputs 'max(mass.velocity.x),rms(mass.position.x)' "

static void tables_are_the_same_with_any_workers(void)
{
    write_text("spring.yaml", spring);
    CHECK(tenon(GRID "--jobs 1 --out one") == 0);
    CHECK(tenon(GRID "--jobs 2 --out two") == 0);
    CHECK(tenon(GRID "--jobs 4 --out four") == 0);
    CHECK(same("one/table.csv", "two/table.csv") && same("one/table.csv", "four/table.csv"));
    CHECK(system("cmp -s one/table.h5 four/table.h5") == 0);
    // Parts of it, joined.
    CHECK(tenon(GRID "--shard 1/3 --out a") == 0 && tenon(GRID "--shard 2/3 --out b") == 0);
    CHECK(tenon(GRID "--shard 3/3 --out c") == 0 && tenon(GRID "--merge a,b,c --out abc") == 0);
    CHECK(same("one/table.csv", "abc/table.csv"));
}

// The numbers 1 … 21 have their quantiles at whole numbers; their variance is n (n + 1)/12.
static void statistics_have_closed_forms(void)
{
    write_text("spring.yaml", spring);
    CHECK(
        tenon("sweep spring.yaml --set m=21:1:21 --outputs 'end=mass.position.x' --out numbers") ==
        0);
    CHECK(strstr(cli.out, "    median      mean      95 %"));
    CHECK(
        strstr(cli.out, "         1         2        11        11        20        21     6.205"));
    char *text = read_all("numbers/summary.json");
    tn_document *doc = json_of(text);
    const tn_node *m = json_at(doc, "columns")->children[0];
    static const struct {
        const char *key;
        double value;
    } known[] = {{"min", 1.0},       {"max", 21.0},    {"mean", 11.0}, {"q05", 2.0},
                 {"q25", 6.0},       {"q50", 11.0},    {"q75", 16.0},  {"q95", 20.0},
                 {"min_case", 20.0}, {"max_case", 0.0}};
    for (int i = 0; i < TN_COUNT(known); i++) {
        double value = 0.0;
        CHECK_OK(tn_node_number(doc, tn_node_get(m, known[i].key), known[i].key, &value));
        CHECK_NEAR(value, known[i].value, 1e-12);
    }
    tn_document_destroy(doc);
    free(text);
}

#ifdef TN_WITH_HDF5

// A column of an array of HDF5, from a file.
static void read_hdf5(const char *path, const char *name, int n, double *out)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    CHECK(H5Sget_simple_extent_npoints(space) == n);
    CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
}

// The table as HDF5 has the numbers of the one as text, to their last bit.
static void tables_of_hdf5_have_the_same_numbers(void)
{
    double values[9], cases[3], states[3], reasons[1], statistics[18];
    write_text("spring.yaml", spring);
    CHECK(tenon("sweep spring.yaml --set m=0:2:3 --outputs 'v=max(mass.velocity.x)' --out both") ==
          3);
    read_hdf5("both/table.h5", "values", 6, values);
    read_hdf5("both/table.h5", "case", 3, cases);
    read_hdf5("both/table.h5", "status", 3, states);
    read_hdf5("both/table.h5", "reasons/case", 1, reasons);
    read_hdf5("both/table.h5", "statistics", 18, statistics);
    FILE *f = fopen("both/table.csv", "r");
    char line[1000];
    double m, v;
    CHECK(f && fgets(line, sizeof line, f) && fgets(line, sizeof line, f));
    CHECK(values[0] == 0.0 && isnan(values[1]) && states[0] == TN_CASE_FAILED && reasons[0] == 0.0);
    for (int i = 1; i < 3; i++) {
        CHECK(fgets(line, sizeof line, f) && sscanf(line, "%*d,%lf,%lf,", &m, &v) == 2);
        CHECK(values[2 * i] == m && values[2 * i + 1] == v);
        CHECK(cases[i] == i && states[i] == TN_CASE_DONE);
    }
    CHECK(statistics[0] == 0.0 && statistics[1] == 2.0 && statistics[2] == 1.0); // of m
    CHECK(statistics[6] == 1.0);                                                 // its median
    fclose(f);
}

#endif

static void sweeps_that_are_killed_go_on(void)
{
    write_text("spring.yaml", spring);
    CHECK(tenon(GRID "--out whole") == 0);
    for (int i = 0; i < 10; i++) {
        const pid_t pid = fork();
        if (pid == 0) {
            execl(TN_BINARY, "tenon", "sweep", "spring.yaml", "--set", "k=25:400:20:log", "--set",
                  "m=1:4:10", "--quiet", "--outputs", "max(mass.velocity.x),rms(mass.position.x)",
                  "--out", "killed", NULL);
            _exit(99);
        }
        const struct timespec wait = {0, 3000000L * (1 + (7 * i) % 5)};
        nanosleep(&wait, NULL);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    // Its folder is free as soon as it has died.
    CHECK(tenon(GRID "--out killed") == 0);
    CHECK(same("whole/table.csv", "killed/table.csv"));
    // A place that is damaged is run again.
    FILE *f = fopen("killed/cases.bin", "r+b");
    CHECK(f && fseek(f, 5000, SEEK_SET) == 0 && fputc(0x55, f) == 0x55 && fclose(f) == 0);
    CHECK(tenon(GRID "--out killed") == 0);
    CHECK(same("whole/table.csv", "killed/table.csv"));
}

static void cases_that_fail_are_rows(void)
{
    write_text("spring.yaml", spring);
    CHECK(tenon("sweep spring.yaml --set m=0:2:3 --outputs mass.position.x --out fails") == 3);
    char *text = read_all("fails/table.csv");
    CHECK(strstr(text, "\n0,0,,failed,") && strstr(text, "\n2,2,"));
    free(text);
    CHECK(strstr(cli.out, "3 cases, 2 done, 0 doubtful, 1 failed"));
    // A part that only some cases have: the others fail, whichever comes first.
    write_text("row.yaml",
               "tenon: 1\nparameters: {n: 2}\ntemplates:\n  I: {parameters: {m: 1}, bodies: {b: "
               "{kind: planar, mass: m, inertia: 1}}}\n"
               "repeat: {to: n, assemblies: {A$i: {of: I, at: [i, 0, 0]}}}\n"
               "simulate: {t_end: 0.1}\n");
    for (int k = 0; k < 2; k++) {
        CHECK(tenon("sweep row.yaml --set A2.m=3 --set '%s' --outputs time --out row --force",
                    k ? "n=[1, 2]" : "n=[2, 1]") == 3);
        CHECK(strstr(cli.out, "2 cases, 1 done, 0 doubtful, 1 failed"));
    }
    CHECK(tenon("sweep row.yaml --set A3.m=3 --set 'n=[1, 2]' --outputs time --out row") == 1);
    CHECK(strstr(cli.err, "unknown parameter 'A3.m'"));
}

// Outputs that are no numbers are seen, also behind an extreme, and names of columns may have
// spaces and units around.
static void numbers_are_numbers(void)
{
    write_text("spring.yaml", spring);
    write_text("two.csv", "x, k [N/m]\n7, 100\n8, 400\n");
    CHECK(tenon("sweep spring.yaml --set k=@two.csv --outputs 'max(sqrt(mass.position.x))' "
                "--out none --quiet") == 5);
    char *text = read_all("none/table.csv");
    CHECK(
        strstr(text, "\n0,100,,doubtful,output 'max(sqrt(mass.position.x))' is no number\n1,400,"));
    free(text);
    CHECK(tenon("sweep spring.yaml --set 'k=[1 N/m, 5N/cm]' --set m=500g:1kg:2 --outputs time "
                "--out units --quiet") == 0);
    text = read_all("units/table.csv");
    CHECK(strstr(text, "\n0,1,0.5,") && strstr(text, ",500,1,"));
    free(text);
    write_text("column.csv", "m [1], k [N/mm]\n1, 0.02\n2, 0.3\n");
    CHECK(tenon("sweep spring.yaml --set k=@column.csv --set m=@column.csv --outputs time "
                "--sample rows --out column --quiet") == 0);
    text = read_all("column/table.csv"); // 1 N/mm = 1000 N/m
    CHECK(strstr(text, "\n0,20,1,") && strstr(text, "\n1,300,2,"));
    free(text);
    CHECK(tenon("sweep spring.yaml --set k=20N/mm:80N/mm:3 --outputs time --out range --quiet") ==
          0);
    text = read_all("range/table.csv");
    CHECK(strstr(text, "\n0,20000,") && strstr(text, "\n1,50000,") && strstr(text, "\n2,80000,"));
    free(text);
    CHECK(tenon("sweep spring.yaml --set k=1:2:4 --outputs time --shard 1/2 --out half") == 0);
    CHECK(tenon("sweep spring.yaml --set k=1:2:4 --outputs time --merge half --out joined") == 3);
    CHECK(strstr(cli.err, "2 of 4 cases are missing"));
}

// A beam of this mass per length, reduced to the modal body that a model names.
static void reduce_arm(double mass)
{
    char text[700];
    snprintf(
        text, sizeof text,
        "tenon: 1\nbodies:\n  arm:\n    kind: beam\n    points: [[0, 0, 0], [1, 0, 0]]\n"
        "    elements: 4\n    x_axis: [0, 1, 0]\n    section:\n      kind: stiffness\n"
        "      stiffness: [1.0e+5, 1.0e+5, 1.0e+5]\n      rotational_stiffness: [100, 100, 100]\n"
        "      mass: %g\n      inertia_x: 1.0e-3\n      inertia_y: 1.0e-3\n",
        mass);
    write_text("beam.yaml", text);
    write_text("arm.yaml", "source: {kind: beam, model: beam.yaml, body: arm}\n"
                           "attachments: [{name: root, nodes: start}]\n"
                           "frame: {kind: attached, to: root}\nmodes: {normal: 2}\n");
    CHECK(tenon("reduce arm.yaml -o arm.h5 --force") == 0);
}

// Files that the model names belong to it.
static void other_files_make_another_sweep(void)
{
    static const char sweep[] =
        "sweep swing.yaml --set a=1:2:2 --outputs energy.kinetic --out files";
    write_text("swing.yaml",
               "tenon: 1\nparameters: {a: 1}\ngravity: [0, -9.81, 0]\n"
               "bodies: {arm: {kind: modal, file: arm.h5}}\n"
               "joints: {hinge: {kind: revolute, bodies: [ground, arm.root], axis: [0, 0, 1]}}\n"
               "simulate: {method: galpha/ggl, step: 1.0e-3, t_end: 0.01}\n");
    reduce_arm(1.0);
    CHECK(tenon("%s", sweep) == 0 && tenon("%s", sweep) == 0);
    reduce_arm(2.0);
    CHECK(tenon("%s", sweep) == 1);
    CHECK(strstr(cli.err, "holds cases of another sweep"));
}

// An output of the model by an expression is a channel, and stands alone. An event that does not
// happen leaves an empty cell and no doubt.
static void outputs_of_the_model_stand_alone(void)
{
    char text[1000];
    snprintf(text, sizeof text, "%soutputs: {twice: 2*mass.position.x}\n", spring);
    write_text("put.yaml", text);
    CHECK(tenon("sweep put.yaml --set k=100:200:2 --outputs 'most=max(twice),hit=event(middle)' "
                "--t-end 0.01 --out put --quiet --force") == 0);
    char *table = read_all("put/table.csv");
    CHECK(strstr(table, ",0.2,,done"));
    free(table);
    refuses(1, "sweep put.yaml --set k=100:200:2 --outputs 2*twice --out put2",
            "tenon: --outputs: expression '2*twice', column 3: 'twice' is an output by an "
            "expression, which no other expression may use; state it as a signal of the model "
            "instead\n");
}

// Names in quotes may hold commas and parentheses, and are channels and events as others: two rods
// and a third with a plain name move alike and have the same columns.
static void names_in_quotes_may_hold_commas(void)
{
    write_text(
        "quoted.yaml",
        "tenon: 1\ngravity: [0, -9.81, 0]\nparameters: {L: 1}\n"
        "bodies:\n"
        "  'rod, left': {kind: planar, mass: L, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
        "  'max(2': {kind: planar, mass: L, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
        "  rod: {kind: planar, mass: L, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
        "joints:\n"
        "  p: {kind: revolute, bodies: [ground, 'rod, left'], at: [0, 0]}\n"
        "  q: {kind: revolute, bodies: [ground, 'max(2'], at: [0, 0]}\n"
        "  r: {kind: revolute, bodies: [ground, rod], at: [0, 0]}\n"
        "events: {'hit, r': {joint: r, value: -0.3}}\n"
        "simulate: {t_end: 0.5}\n");
    CHECK(
        tenon("sweep quoted.yaml --set 'L=[1]' --quiet --plots \"scatter:max('rod, left'.position."
              "x):L\" --outputs \"max('rod, left'.position.x),b=max( 'max(2'.position.x),"
              "c=max(rod.position.x),'rod, left'.position.x,mean(2*'max(2'.position.x),"
              "e=event('hit, r'),n=count('hit, r')\"") == 0);
    char *table = read_all("quoted.sweep/table.csv");
    const char *row = strchr(table, '\n') + 1;
    double x[7];
    CHECK(strncmp(table,
                  "case,L,\"max('rod, left'.position.x) [m]\",b [m],c [m],\"'rod, "
                  "left'.position.x [m]\",mean(2*'max(2'.position.x),e [s],n,",
                  (size_t)(row - table) - strlen("status,reason\n")) == 0);
    CHECK(sscanf(row, "0,1,%lf,%lf,%lf,%lf,%lf,%lf,%lf,done", &x[0], &x[1], &x[2], &x[3], &x[4],
                 &x[5], &x[6]) == 7);
    CHECK(x[0] == 0.5 && x[1] == 0.5 && x[2] == 0.5 && x[3] < 0.4 && x[4] > 0.5 && x[4] < 1.0);
    CHECK(x[5] > 0.1 && x[5] < 0.5 && x[6] == 1.0);
    free(table);
    refuses(1, "sweep quoted.yaml --set 'L=[1]' --outputs \"2*max('rod, left'.position.x)\"",
            "tenon: --outputs: '2*max('rod, left'.position.x)' has max(…) of a run within an "
            "expression; keep it as an output of its own and combine the columns of the table\n");
}

static void what_is_wrong_is_refused(void)
{
    write_text("spring.yaml", spring);
    write_text("bad.csv", "k,m\n1,2\n2,nan\n");
    write_text("ragged.csv", "k,m\n1,2\n2\n");
    write_text("comma.csv", "k\n0.3\n0,4\n");
    write_text("unit.csv", "k [N/q]\n1\n");
    const struct {
        const char *words, *message;
    } bad[] = {
        {"--set k=@unit.csv --outputs time", "unit.csv:1: column 'k': '1 N/q': unknown unit 'q'"},
        {"--set k=1:2:3", "a sweep needs outputs"},
        {"--set k=1:2 --outputs time", "a grid needs a count"},
        {"--set k=0:2:3:log --outputs time", "with log both ends have the same sign"},
        {"--set 'k=[1 N/q]' --outputs time", "'1 N/q': unknown unit 'q'"},
        {"--set m=1kg:2m:3 --outputs time", "'1kg' and '2m' are of different dimensions"},
        {"--set m=1kg:2:3 --outputs time", "'1kg' and '2' are of different dimensions"},
        {"--set m=1:2:3kg --outputs time", "the count is a whole number"},
        {"--set 'm=[0, 1 kg, 2 m]' --outputs time", "'1 kg' and '2 m' are of different"},
        {"--set 'm=normal(1kg,2m)' --sample lhs:9 --outputs time", "'1kg' and '2m' are of"},
        {"--set k=1:2:1 --outputs time", "the count is a whole number"},
        {"--set 'q=[a, b]' --outputs time", "unknown parameter 'q'; known are k, m, x0, w"},
        {"--set 'k=[a, b]' --outputs time", "--set 'k=[a, b]': "},
        {"--set q=1:2:3 --outputs time", "unknown parameter 'q'; known are k, m, x0, w"},
        {"--set k=1:2:3 --set k=4 --outputs time", "'k' is stated twice"},
        {"--set k=1:2:3 --outputs mass.position.q", "no channel 'mass.position.q'; did you mean"},
        {"--set k=1:2:3 --outputs 'rms(mass.position.x +)'", "expression 'mass.position.x +'"},
        {"--set k=1:2:3 --outputs 'event(midle)'", "unknown event 'midle'"},
        {"--set k=1:2:3 --outputs time --sample lhs:9", "leave out the count"},
        {"--set 'k=normal(1,2)' --outputs time", "by --sample random:N"},
        {"--set 'k=normal(1,-2)' --sample lhs:9 --outputs time", "a deviation above zero"},
        {"--set k=1:2 --sample lhs --outputs time", "--sample 'lhs': write grid"},
        {"--set m=@bad.csv --outputs time", "bad.csv:3: expected a finite number for 'm'"},
        {"--set m=@none.csv --outputs time", "none.csv"},
        {"--set x0=@bad.csv --outputs time", "bad.csv has 2 columns and none is named 'x0'"},
        {"--set k=@ragged.csv --outputs time", "ragged.csv:3: expected 2 columns, found 1"},
        {"--set k=@comma.csv --outputs time", "comma.csv:3: expected 1 columns, found 2"},
        {"--set 'k=[]' --outputs time", "the list is empty"},
        {"--set k=1:2:3 --outputs '2*max(mass.position.x)'", "within an expression"},
        {"--set k=1:2:3 --outputs 'a=time,a=mass.position.x'", "a column 'a' already"},
        {"--set k=1:2:3 --outputs 'k=time'", "a column 'k' already"},
        {"--set k=@bad.csv --set 'm=[1]' --sample rows --outputs time", "lists side by side"},
        {"--set k=1:2:1000 --set m=1:2:1000 --set x0=1:2:1000 --outputs time",
         "1e+09 cases, 256 GB on disk; --yes"},
        {"--set k=1:2:3 --outputs time --shard 4/3", "--shard: '4/3' is not I/N"},
        {"--set k=1:2:3 --outputs time --jobs 0", "--jobs: expected a number from 1"},
        {"--set k=1:2:3 --outputs time --merge nowhere", "nowhere holds no cases of a sweep"},
    };
    for (int i = 0; i < TN_COUNT(bad); i++) {
        char line[400];
        snprintf(line, sizeof line, "sweep spring.yaml --out refused %s", bad[i].words);
        const int code = tenon("%s", line);
        if (code != 1 || !strstr(cli.err, bad[i].message))
            printf("%s: %d, %s\n", bad[i].words, code, cli.err);
        CHECK(code == 1 && strstr(cli.err, bad[i].message));
    }
    CHECK(tenon("sweep spring.yaml --set k=1:2:3 --outputs time --out mine") == 0);
    CHECK(tenon("sweep spring.yaml --set k=1:2:4 --outputs time --out mine") == 1);
    CHECK(strstr(cli.err, "holds cases of another sweep"));
    CHECK(tenon("sweep spring.yaml --set k=1:2:4 --outputs time --out mine --force") == 0);
    CHECK(
        tenon("sweep spring.yaml --set k=1:2:9 --outputs time --merge mine --out other --force") ==
        1);
    CHECK(strstr(cli.err, "mine holds cases of another sweep, which cannot be merged: the model"));
    CHECK(!strstr(cli.err, "--force"));
}

// Samples ----------------------------------------------------------------------------------------

// Every one of n equal parts of [0, 1) holds one of the first n values.
static void check_strata(const char *way, int n, int axis_count)
{
    char text[40];
    sweep_sample sample = {.seed = 7};
    sweep_axes axes = {0};
    snprintf(text, sizeof text, "%s:%d", way, n);
    CHECK_OK(tn_sweep_read_sample(text, &sample));
    for (int i = 0; i < axis_count; i++) {
        sweep_axis axis;
        CHECK_OK(tn_sweep_read_axis("x=0:1", true, &axis));
        CHECK_OK(tn_array_push(&axes, axis));
    }
    CHECK_OK(tn_sweep_prepare(&sample, &axes));
    for (int i = 0; i < axis_count; i++) {
        int *hits = calloc((size_t)n, sizeof *hits);
        for (int k = 0; k < n; k++) {
            const double x = tn_sweep_value(&sample, &axes, i, k);
            CHECK(x > 0.0 && x < 1.0);
            hits[(int)(x * n)]++;
        }
        for (int k = 0; k < n; k++)
            CHECK(hits[k] == 1);
        free(hits);
    }
    tn_sweep_free_axes(&axes);
    tn_sweep_free_sample(&sample);
}

// Any 4 x 4 squares of the first two axes hold one of 16 points of Sobol's sequence each: a
// (0, 2)-sequence in base 2, and digital shifts keep that.
static void sobol_points_fill_the_plane(void)
{
    sweep_sample sample = {.seed = 3};
    sweep_axes axes = {0};
    int hits[16] = {0};
    CHECK_OK(tn_sweep_read_sample("sobol:16", &sample));
    for (int i = 0; i < 2; i++) {
        sweep_axis axis;
        CHECK_OK(tn_sweep_read_axis("x=uniform(0, 1)", true, &axis));
        CHECK_OK(tn_array_push(&axes, axis));
    }
    for (int k = 0; k < 16; k++)
        hits[4 * (int)(4.0 * tn_sweep_value(&sample, &axes, 0, k)) +
             (int)(4.0 * tn_sweep_value(&sample, &axes, 1, k))]++;
    for (int k = 0; k < 16; k++)
        CHECK(hits[k] == 1);
    tn_sweep_free_axes(&axes);
}

static void samples_are_even(void)
{
    check_strata("lhs", 100, 20);
    check_strata("sobol", 256, 16);
    sobol_points_fill_the_plane();
}

// Mean and deviation of a thousand cases of a Latin hypercube: strata leave little to chance.
static void check_moments(const char *text, double mean, double deviation)
{
    enum { N = 1000 };
    sweep_sample sample = {.seed = 11};
    sweep_axes axes = {0};
    sweep_axis axis;
    double sum = 0.0, squares = 0.0;
    CHECK_OK(tn_sweep_read_sample("lhs:1000", &sample));
    CHECK_OK(tn_sweep_read_axis(text, true, &axis));
    CHECK_OK(tn_array_push(&axes, axis));
    CHECK_OK(tn_sweep_prepare(&sample, &axes));
    for (int k = 0; k < N; k++) {
        const double x = tn_sweep_value(&sample, &axes, 0, k);
        sum += x / N;
        squares += x * x / N;
    }
    CHECK_NEAR(sum, mean, 2e-3 * deviation);
    CHECK_NEAR(sqrt(squares - sum * sum), deviation, 2e-2 * deviation);
    tn_sweep_free_axes(&axes);
    tn_sweep_free_sample(&sample);
}

static void distributions_have_their_moments(void)
{
    const double s = 0.25;
    check_moments("x=2:5", 3.5, 3.0 / sqrt(12.0));
    check_moments("x=normal(3, 0.5)", 3.0, 0.5);
    check_moments("x=lognormal(0, 0.25)", exp(0.5 * s * s), exp(0.5 * s * s) * sqrt(expm1(s * s)));
    // From 1 over 2 to 4: mean (a + b + c)/3, variance (a^2 + b^2 + c^2 - ab - ac - bc)/18.
    check_moments("x=triangular(1, 2, 4)", 7.0 / 3.0, sqrt(7.0 / 18.0));
}

// Pictures ---------------------------------------------------------------------------------------

static int count_in(const char *path, const char *part)
{
    int n = 0;
    char *text = read_all(path);
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        n++;
    free(text);
    return n;
}

// Curves over one parameter, with a mark for each case; a map of two with a cell for each, and
// curves over the first with a line for each value of the second; points of samples. Each has a
// panel for each output.
static void pictures_show_the_cases(void)
{
    write_text("spring.yaml", spring);
    CHECK(tenon("sweep spring.yaml --set k=100:400:5 --outputs 'end=mass.position.x,"
                "fast=max(mass.velocity.x)' --t-end 0.1 --out pics-one") == 0);
    CHECK(strstr(cli.out, "\npictures           pics-one/curves_k.svg\n") != NULL);
    CHECK(count_in("pics-one/curves_k.svg", "<circle") == 10);
    CHECK(count_in("pics-one/curves_k.svg", ">end [m]<") == 1);
    CHECK(count_in("pics-one/curves_k.svg", ">fast [m/s]<") == 1);
    CHECK(count_in("pics-one/curves_k.svg", ">spring.yaml: 5 cases<") == 1);
    CHECK(count_in("pics-one/summary.json", "\"curves_k.svg\"") == 1);
    CHECK(tenon("sweep spring.yaml --set k=100:400:5 --set 'm=[1, 2, 4]' --outputs "
                "end=mass.position.x --t-end 0.1 --out pics-two") == 0);
    CHECK(strstr(cli.out, "\npictures           pics-two/curves_k.svg\n                   "
                          "pics-two/map_k_m.svg\n") != NULL);
    CHECK(count_in("pics-two/curves_k.svg", "<circle") == 15 + 3); // three in the legend
    CHECK(count_in("pics-two/curves_k.svg", ">m = 4<") == 1);
    // 15 cells and the strip of 64; no two cells alike
    CHECK(count_in("pics-two/map_k_m.svg", "<polygon") == 15 + 64);
    CHECK(count_in("pics-two/map_k_m.svg", "fill=\"#301263\"") == 1 + 1);
    CHECK(count_in("pics-two/map_k_m.svg", "fill=\"#f9de28\"") == 1 + 1);
    CHECK(count_in("pics-two/map_k_m.svg", "means") == 0);
    CHECK(tenon("sweep spring.yaml --set k=100:400:3 --set m=1:4:2 --set x0=0.1:0.2:2 --plots map "
                "--outputs end=mass.position.x --t-end 0.1 --out pics-mean --quiet") == 0);
    CHECK(count_in("pics-mean/map_k_m.svg", "12 cases; cells are means over x0<") == 1);
    CHECK(tenon("sweep spring.yaml --set k=100:400 --set m=1:4 --set x0=0.1:0.2 --sample lhs:20 "
                "--outputs end=mass.position.x --t-end 0.1 --out pics-three --quiet") == 0);
    CHECK(count_in("pics-three/scatter_k.svg", "<circle") == 20);
    CHECK(file_exists("pics-three/scatter_m.svg") && file_exists("pics-three/scatter_x0.svg"));
}

// What is asked for replaces what was there, files of others stay.
static void pictures_are_those_that_are_asked_for(void)
{
#define THREE                                                                                   \
    "sweep spring.yaml --set k=100:400 --set m=1:4 --set x0=0.1:0.2 --sample lhs:20 --outputs " \
    "end=mass.position.x --t-end 0.1 --out pics-three "
    write_text("pics-three/mine.svg", "<svg/>");
    CHECK(tenon(THREE "--plots scatter:k:end:m,map:m:x0,curves:x0") == 0);
    CHECK(file_exists("pics-three/scatter_k_end_m.svg") && file_exists("pics-three/map_m_x0.svg"));
    CHECK(count_in("pics-three/scatter_k_end_m.svg", "<circle") == 20);
    CHECK(count_in("pics-three/scatter_k_end_m.svg", ">m<") == 1); // at the strip of colours
    CHECK(!file_exists("pics-three/scatter_k.svg") && file_exists("pics-three/mine.svg"));
    CHECK(count_in("pics-three/map_m_x0.svg", "<circle") == 20); // no grid: points with colours
    CHECK(tenon(THREE "--plots none --json") == 0);
    CHECK(!file_exists("pics-three/scatter_k_end_m.svg") && file_exists("pics-three/mine.svg"));
    CHECK(strstr(cli.out, "\"plots\": []") != NULL);
    refuses(1, THREE "--plots pie",
            "tenon: --plots: 'pie' is no picture of a sweep; write auto, none, curves, map or "
            "scatter, with columns behind it as in map:k:m\n");
    refuses(1, THREE "--plots map:k:n",
            "tenon: --plots: 'map:k:n': the table has no column 'n'; it has k, m, x0, end\n");
    refuses(1, THREE "--plots curves:end",
            "tenon: --plots: 'curves:end': curves go over parameters, and 'end' is an output; "
            "scatter takes any columns\n");
    refuses(1, THREE "--plots map:k",
            "tenon: --plots: 'map:k': a map goes over two parameters, map:A:B\n");
    refuses(1, THREE "--plots map:k:k", "tenon: --plots: 'map:k:k' names 'k' twice\n");
    refuses(1, THREE "--plots ,", "tenon: --plots: the list is empty; none writes no pictures\n");
    refuses(
        1,
        "sweep spring.yaml --set k=100:400:3 --outputs end=mass.position.x --out pics-four --plots "
        "map",
        "tenon: --plots: 'map' needs two parameters that are varied, and the sweep has 1\n");
}

static const tn_test tests[] = {
    {"outputs of the model stand alone", outputs_of_the_model_stand_alone},
    {"names in quotes may hold commas", names_in_quotes_may_hold_commas},
    {"cases have the numbers of closed forms", cases_have_the_numbers_of_closed_forms},
    {"means are integrals along the motion", means_are_integrals},
    {"round-off is no doubt", round_off_is_no_doubt},
    {"tables are the same with any workers", tables_are_the_same_with_any_workers},
    {"statistics have closed forms", statistics_have_closed_forms},
#ifdef TN_WITH_HDF5
    {"tables of HDF5 have the same numbers", tables_of_hdf5_have_the_same_numbers},
#endif
    {"sweeps that are killed go on", sweeps_that_are_killed_go_on},
    {"cases that fail are rows", cases_that_fail_are_rows},
    {"numbers are numbers", numbers_are_numbers},
    {"other files make another sweep", other_files_make_another_sweep},
    {"what is wrong is refused", what_is_wrong_is_refused},
    {"samples are even", samples_are_even},
    {"pictures show the cases", pictures_show_the_cases},
    {"pictures are those that are asked for", pictures_are_those_that_are_asked_for},
    {"distributions have their moments", distributions_have_their_moments},
};

int main(int argc, char **argv)
{
    enter_scratch("sweep-scratch");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
