// SPDX-License-Identifier: MIT
//
// tenon reduce, by matrices that the test writes, and by CalculiX where it is installed.

#include "cli_driver.h"
#include "flex/modal.h"
#include "linalg/dense.h"
#include "read/modal_file.h"
#include "unit/fe_bench.h"

#ifdef TN_WITH_HDF5

static const fe_beam rod = {
    .length = 2.0, .EA = 1.4e8, .EIy = 4e3, .EIz = 9e3, .GJ = 5e3, .mass = 5.0, .polar = 3e-3};
enum { ELEMENTS = 8 };

// Units of the files that are written: lengths and so on in these.
typedef struct units {
    double length, force, mass;
} units;

static const units SI = {1, 1, 1};

static double unit_of(units u, bool mass, int i, int j)
{
    const double energy = mass ? u.mass * u.length * u.length : u.force * u.length;
    return energy / (i % 6 < 3 ? u.length : 1.0) / (j % 6 < 3 ? u.length : 1.0);
}

static void write_market(const char *path, const tn_sparse *A, units u, bool mass)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", A->nrow, A->ncol,
            A->nnz);
    for (int j = 0; j < A->ncol; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            fprintf(file, "%d %d %.17g\n", A->rowind[k] + 1, j + 1,
                    A->val[k] / unit_of(u, mass, A->rowind[k], j));
    CHECK(fclose(file) == 0);
}

static void write_nodes(const char *path, const tn_fe *fe, units u, bool rows)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    fprintf(file, "node,x,y,z%s\n", rows ? ",ux,uy,uz,rx,ry,rz" : "");
    for (int k = 0; k < fe->nnode; k++) {
        fprintf(file, "%d, %.17g, %.17g, %.17g", 10 * (k + 1), fe->node[k].x.x / u.length,
                fe->node[k].x.y / u.length, fe->node[k].x.z / u.length);
        for (int d = 0; rows && d < 6; d++)
            fprintf(file, ",%d", fe->node[k].row[d] + 1);
        fprintf(file, "\n");
    }
    CHECK(fclose(file) == 0);
}

// k.mtx, m.mtx and nodes.csv of the rod; nodes are 10, 20, ….
static void write_rod(units u, bool rows)
{
    tn_fe fe = fe_make_beam(rod, ELEMENTS);
    write_market("k.mtx", fe.K, u, false);
    write_market("m.mtx", fe.M, u, true);
    write_nodes("nodes.csv", &fe, u, rows);
    tn_fe_clear(&fe);
}

#define SOURCE "source: {kind: matrix-market, stiffness: k.mtx, mass: m.mtx, nodes: nodes.csv}\n"
#define ENDS                         \
    "attachments:\n"                 \
    "  - {name: tip, nodes: [90]}\n" \
    "  - {name: root, nodes: 10}\n"

static tn_modal *reduced(const char *job)
{
    tn_modal *x = NULL;
    write_text("job.yaml", job);
    if (tenon("reduce job.yaml -o part.h5 --force") != 0)
        printf("%s\n", cli.err);
    CHECK(cli.code == 0);
    CHECK_OK(tn_modal_read("part.h5", &x));
    return x;
}

// The rod by the library, without files.
static tn_modal *expected(void)
{
    tn_fe fe = fe_make_beam(rod, ELEMENTS);
    int nodes[2] = {0, ELEMENTS};
    const tn_fe_attachment ends[2] = {
        {.name = "root", .nnode = 1, .node = &nodes[0]},
        {.name = "tip", .nnode = 1, .node = &nodes[1], .at = tn_v3(2, 0, 0)}};
    tn_modal *x = NULL;
    tn_reduce_compared compared;
    CHECK_OK(
        tn_fe_reduce(&fe, 2, ends, &(tn_reduce_wanted){.frame = 0, .normal = 5}, &x, &compared));
    tn_fe_clear(&fe);
    return x;
}

static void same_body(const tn_modal *a, const tn_modal *b, double tol)
{
    CHECK(a->m == b->m && a->nattachment == b->nattachment);
    for (int j = 0; j < a->m; j++)
        CHECK_NEAR(a->frequency[j], b->frequency[j], tol * b->frequency[j]);
    const int n = tn_modal_size(a->m);
    const double round_off = 1e-12 * tn_norm_inf(n * n, b->gram);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            CHECK_NEAR(a->gram[i * n + j], b->gram[i * n + j],
                       tol * sqrt(b->gram[i * n + i] * b->gram[j * n + j]) + round_off);
    for (int k = 0; k < a->nattachment; k++) {
        CHECK_TEXT(a->attachment[k].name, b->attachment[k].name);
        CHECK_NEAR(a->attachment[k].frame.p.x, b->attachment[k].frame.p.x, 1e-12);
    }
}

static const char *const attached = SOURCE ENDS "frame: {kind: attached, to: root}\n"
                                                "modes: {normal: 5}\n";

static void matrix_market_files_are_reduced(void)
{
    tn_modal *x = expected();
    for (int rows = 0; rows < 2; rows++) {
        write_rod(SI, rows);
        tn_modal *y = reduced(attached);
        same_body(y, x, 1e-6); // frequencies over six decades, in another order of sums
        tn_modal_destroy(y);
    }
    tn_modal_destroy(x);
}

static void units_are_turned_into_si_units(void)
{
    char job[1024];
    tn_modal *x = expected();
    write_rod((units){1e-3, 1.0, 1e3}, true);
    snprintf(job, sizeof job, "%sunits: {length: mm, force: N, mass: t}\n", attached);
    tn_modal *y = reduced(job);
    same_body(y, x, 1e-6);
    tn_modal_destroy(y);
    write_rod((units){0.0254, 4.5, 14.6}, true);
    snprintf(job, sizeof job, "%sunits: {length: in, force: 4.5, mass: 14.6}\n", attached);
    y = reduced(job);
    same_body(y, x, 1e-6);
    tn_modal_destroy(y);
    tn_modal_destroy(x);
}

static void json_tells_what_is_printed(void)
{
    write_rod(SI, false);
    write_text("job.yaml", attached);
    CHECK(tenon("reduce job.yaml -o json.h5 --json --compare 3 --force") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_NEAR(json_number(doc, "mass"), 10.0, 1e-9);
    CHECK_NEAR(json_number(doc, "freedoms"), 54, 0.0);
    CHECK(json_at(doc, "frequencies")->count == 11);
    CHECK(json_at(doc, "attachments")->count == 2);
    CHECK(json_at(doc, "free_body.full")->count == 3);
    CHECK(json_number(doc, "free_body.error") < 0.01);
    tn_document_destroy(doc);
    CHECK(tenon("reduce job.yaml -o json.h5 --force") == 0);
    CHECK(strstr(cli.out, "mass               10 kg\n"));
    CHECK(strstr(cli.out, "centre of mass     1, 0, 0 m\n"));
    CHECK(strstr(cli.out, "attachment         tip at 2, 0, 0 m\n"));
}

static void damping_and_truncation_are_in_the_file(void)
{
    write_rod(SI, false);
    tn_modal *x = reduced(SOURCE ENDS "frame: {kind: buckens}\nmodes: {up_to: 300, keep: 4}\n"
                                      "damping: {ratio: 0.01}\n");
    CHECK(x->m == 4);
    CHECK_NEAR(x->damping[0], 0.02 * 6.283185307179586 * x->frequency[0], 1e-9);
    CHECK(strstr(x->source, "k.mtx and m.mtx"));
    tn_modal_destroy(x);
}

// Geometric stiffness ----------------------------------------------------------------------------

// The tension of a spinning rod, T = mass (L^2 - x^2) / 2 per unit of its rate squared, stiffens
// elements of bending by T / h in displacements alone; masses across the axis push on.
static void write_spinning(double rate, bool softened)
{
    tn_fe fe = fe_make_beam(rod, ELEMENTS);
    const double h = rod.length / ELEMENTS;
    fe_entries e = {0};
    for (int j = 0; j < fe.K->ncol; j++)
        for (int k = fe.K->colptr[j]; k < fe.K->colptr[j + 1]; k++)
            fe_add(&e, fe.K->rowind[k], j, fe.K->val[k], 0);
    for (int i = 0; i < ELEMENTS; i++) {
        const double x = (i + 0.5) * h, T = rod.mass * (rod.length * rod.length - x * x) / 2.0;
        for (int d = 1; d < 3; d++)
            for (int c = 0; c < 4; c++)
                fe_add(&e, 6 * i + d + 6 * (c / 2), 6 * i + d + 6 * (c % 2),
                       rate * T / h * (c == 0 || c == 3 ? 1 : -1), 0);
    }
    for (int j = 0; softened && j < fe.M->ncol; j++)
        for (int k = fe.M->colptr[j]; k < fe.M->colptr[j + 1]; k++)
            if (j % 6 < 2 && fe.M->rowind[k] % 6 < 2)
                fe_add(&e, fe.M->rowind[k], j, -rate * fe.M->val[k], 0);
    tn_sparse_destroy(fe.K);
    tn_sparse_destroy(fe.M);
    fe_assemble(&e, 6 * (ELEMENTS + 1), &fe);
    write_market("spun.mtx", fe.K, SI, false);
    tn_fe_clear(&fe);
}

static void spin_softening_is_taken_out(void)
{
    char job[1024];
    write_rod(SI, false);
    tn_modal *x[2];
    for (int softened = 0; softened < 2; softened++) {
        write_spinning(100.0, softened);
        snprintf(job, sizeof job,
                 "%sgeometric: [{load: rate.zz, value: 100, stiffness: spun.mtx}]\n", attached);
        x[softened] = reduced(job);
        CHECK(x[softened]->rate && !x[softened]->acceleration && !x[softened]->loads);
        CHECK_TEXT(x[softened]->source, "k.mtx and m.mtx; geometric stiffness by rate.zz");
    }
    const int m = x[0]->m;
    for (int i = 0; i < 6 * m * m; i++)
        CHECK_NEAR(x[0]->rate[i], x[1]->rate[i], 1e-7 * x[0]->rate[2 * m * m]);
    // A thin rotating rod: the lowest mode is stiffened by 1.19 omega^2 [SG21], here by straight
    // elements with a step in the tension.
    CHECK_NEAR(x[0]->rate[2 * m * m], 1.19, 0.03);
    tn_modal_destroy(x[0]);
    tn_modal_destroy(x[1]);
}

// What is wrong ----------------------------------------------------------------------------------

static void job_is_refused(const char *job, const char *sentence)
{
    char message[2048];
    write_text("job.yaml", job);
    CHECK(tenon("reduce job.yaml -o none.h5") == 2);
    snprintf(message, sizeof message, "tenon: %s\n", sentence);
    CHECK_TEXT(cli.err, message);
    CHECK(!file_exists("none.h5"));
}

static void jobs_that_are_wrong_are_refused(void)
{
    write_rod(SI, false);
    job_is_refused("modes: {normal: 2}\n", "job.yaml:1:1: job: 'source' is missing");
    job_is_refused("sauce: {}\n", "job.yaml:1:1: job: unknown key 'sauce'; did you mean 'source'?");
    job_is_refused("source: {kind: nastran}\n",
                   "job.yaml:1:16: source: kind is 'nastran'; known are matrix-market, calculix, "
                   "beam");
    job_is_refused("source: {kind: matrix-market, stiffness: k.mtx, mass: m.mtx}\n",
                   "job.yaml:1:9: source: 'nodes' is missing");
    job_is_refused(SOURCE "attachments: [{name: hub, nodes: [10, 11]}]\n",
                   "job.yaml:2:39: attachment 'hub': there is no node 11");
    job_is_refused(SOURCE "attachments: [{name: hub, nodes: [10, 10]}]\n",
                   "job.yaml:2:39: attachment 'hub': node 10 is named twice");
    job_is_refused(SOURCE "attachments: [{name: hub, nodes: RIM}]\n",
                   "job.yaml:2:34: attachment 'hub': there is no set of nodes 'RIM'; known are "
                   "none");
    job_is_refused(SOURCE "attachments: [{nodes: [10]}]\n",
                   "job.yaml:2:15: attachments: 'name' is missing");
    job_is_refused(SOURCE "attachments: [{name: a.b, nodes: [10]}]\n",
                   "job.yaml:2:15: attachments: 'a.b' is no name: it has 1 to 100 characters, none "
                   "of them '/' or '.'");
    job_is_refused(SOURCE ENDS "frame: {kind: attached, to: rot}\n",
                   "job.yaml:5:29: frame: there is no attachment 'rot'; did you mean 'root'?");
    job_is_refused(SOURCE ENDS "frame: {kind: fixed}\n",
                   "job.yaml:5:15: frame: kind is 'fixed'; known are attached, buckens");
    job_is_refused(SOURCE ENDS "modes: {normal: 2, up_to: 100}\n",
                   "job.yaml:5:8: modes: state 'normal' or 'up_to', not both");
    job_is_refused(SOURCE ENDS "modes: {normal: -1}\n",
                   "job.yaml:5:17: modes: normal is -1; it must be from 0 to 1000");
    job_is_refused(SOURCE ENDS "damping: {ratio: -0.1}\n",
                   "job.yaml:5:18: damping: ratio is -0.1; it must be positive");
    job_is_refused(SOURCE ENDS "units: {length: yard}\n",
                   "job.yaml:5:17: units: length is 'yard'; known are m, mm, cm, in, or state the "
                   "factor to SI units");
    job_is_refused(SOURCE "attachments: [{name: hub, nodes: [10], tie: glue}]\n",
                   "job.yaml:2:45: attachment 'hub': tie is 'glue'; known are rigid, mean");
}

static void files_that_are_wrong_are_refused(void)
{
    write_rod(SI, false);
    CHECK(tenon("reduce absent.yaml -o none.h5") == 2);
    CHECK(strstr(cli.err, "absent.yaml"));
    job_is_refused("source: {kind: matrix-market, stiffness: no.mtx, mass: m.mtx, "
                   "nodes: nodes.csv}\n",
                   "no.mtx: cannot read the file: No such file or directory");
    write_text("nodes.csv", "node,x,y\n");
    job_is_refused(SOURCE, "nodes.csv:1: 3 columns; there must be 4, 7 or 10");
    write_text("nodes.csv", "node,x,z\n");
    job_is_refused(SOURCE, "nodes.csv:1: column 3 is 'z'; the columns are node,x,y,z or "
                           "node,x,y,z,ux,uy,uz or node,x,y,z,ux,uy,uz,rx,ry,rz, the last ones "
                           "rows of the matrices");
    write_text("nodes.csv", "node,x,y,z\n1,0,0,0\n2,1,0,0\n");
    job_is_refused(SOURCE, "nodes.csv: 2 nodes for matrices of 54 rows; there must be three or six "
                           "rows for each, or columns ux, uy, uz, … with their numbers");
    write_text("nodes.csv", "node,x,y,z\n1,0,0,0\n2,1,0,0\n1,2,0,0\n");
    job_is_refused(SOURCE, "nodes.csv: node 1 is listed twice; each node has one line");
    write_text("nodes.csv", "node,x,y,z\n1,0,0,zero\n");
    job_is_refused(SOURCE, "nodes.csv:2: z: expected a number, found 'zero'");
    write_rod(SI, false);
    write_text("m.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 1 1\n");
    job_is_refused(SOURCE, "job.yaml: the mass matrix is 3 x 3; the nodes have 54 freedoms");
}

static void loads_that_are_wrong_are_refused(void)
{
    write_rod(SI, false);
    job_is_refused(SOURCE ENDS "geometric: [{load: spin, value: 1, stiffness: k.mtx}]\n",
                   "job.yaml:5:20: geometric: unknown load 'spin'; there are rate.xx, yy, zz, xy, "
                   "yz and zx, acceleration.x, y and z, turning.x, y and z, and NAME.fx, fy, fz, "
                   "tx, ty and tz of an attachment");
    job_is_refused(SOURCE ENDS "geometric: [{load: tip.fx, value: 0, stiffness: k.mtx}]\n",
                   "job.yaml:5:35: geometric: value of load 'tip.fx' is 0");
    job_is_refused(SOURCE ENDS "geometric: [{load: tip.fx, value: 1}]\n",
                   "job.yaml:5:13: geometric: state one of 'job' (of CalculiX), 'stiffness' (under "
                   "the load) and 'matrix' (the geometric stiffness itself)");
    job_is_refused(SOURCE ENDS "geometric: [{load: rate.zz, value: 1, matrix: m.mtx}]\n",
                   "job.yaml:5:13: geometric: under load 'rate.zz' the body resists displacements "
                   "along x (1 of the terms of this sum are left): the difference of the stiffness "
                   "matrices is not that of stresses alone");
}

// Beams ------------------------------------------------------------------------------------------

#define BLADE                                                                                 \
    "tenon: 1\nbodies:\n  blade: {kind: beam, points: [[0, 0, 0], [1, 0, 0]], elements: 4, "  \
    "places: {middle: 0.5}, section: {kind: rectangle, width: 0.02, height: 0.01, E: 2.1e9, " \
    "rho: 1200}"

static void beams_reduce_themselves(void)
{
    write_text("blade.yaml", BLADE ", damping: 0.002}\n");
    tn_modal *x = reduced("source: {kind: beam, model: blade.yaml, body: blade}\n"
                          "attachments:\n  - {name: hub, nodes: start}\n"
                          "  - {name: half, nodes: middle}\n  - {name: tip, nodes: [4]}\n"
                          "frame: {kind: attached, to: hub}\n");
    CHECK(x->rate && x->acceleration && x->turning && x->loads);
    CHECK_NEAR(x->attachment[0].frame.p.x, 0.5, 1e-12);
    CHECK_NEAR(x->attachment[2].frame.p.x, 1.0, 1e-12);
    CHECK_NEAR(tn_modal_inertia_of(x).mass, 1200 * 0.02 * 0.01, 1e-9);
    CHECK_NEAR(x->damping[0], 0.002 * x->stiffness[0], 1e-12 * x->stiffness[0]);
    CHECK_TEXT(x->source, "beam 'blade' of blade.yaml");
    tn_modal_destroy(x);
}

static void beams_that_are_wrong_are_refused(void)
{
    write_text("blade.yaml", BLADE "}\n");
    job_is_refused("source: {kind: beam, model: blade.yaml, body: blad}\n",
                   "job.yaml:1:47: source: blade.yaml has no beam 'blad'; did you mean 'blade'?");
    job_is_refused("source: {kind: beam, model: blade.yaml, body: blade}\n"
                   "attachments: [{name: hub, nodes: root}]\n",
                   "job.yaml:2:34: attachment 'hub': the beam has no place 'root'; name 'start', "
                   "'end', a place of it, or numbers of nodes from 0 to 4");
    job_is_refused("source: {kind: beam, model: blade.yaml, body: blade}\n"
                   "geometric: [{load: rate.zz, value: 1, stiffness: k.mtx}]\n",
                   "job.yaml:2:12: geometric: beams bring their own; leave it out");
    job_is_refused("source: {kind: beam, model: blade.yaml, body: blade}\nunits: {length: mm}\n",
                   "job.yaml:2:8: units: models are in SI units; leave them out");
    write_text("blade.yaml", BLADE ", tension: 7}\n");
    job_is_refused("source: {kind: beam, model: blade.yaml, body: blade}\n",
                   "beam 'blade' is strained where it starts (element 1 carries 7 N and 0 N m); a "
                   "beam is reduced without load: leave out 'tension' and 'bend'");
}

static void files_are_not_replaced_unasked(void)
{
    write_rod(SI, false);
    write_text("job.yaml", attached);
    write_text("there.h5", "mine");
    refuses(1, "reduce job.yaml -o there.h5",
            "tenon: there.h5 is there already; --force replaces it\n");
    refuses(1, "reduce job.yaml", "tenon: name the file to write: -o FILE.h5\n");
    CHECK(tenon("reduce job.yaml -o there.h5 --force") == 0);
}

// CalculiX ---------------------------------------------------------------------------------------

// Frequencies [Hz] from the table in JOB.dat, from `first` on.
static int read_dat(const char *path, int first, int n, double *hertz)
{
    static char text[CLI_TEXT_SIZE];
    int found = 0, number;
    double value, rate, cycles;
    read_text(path, text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (sscanf(line, "%d %lf %lf %lf", &number, &value, &rate, &cycles) == 4 &&
            number == first + found && found < n)
            hertz[found++] = cycles;
    return found;
}

// calculix_crank.tar.xz has what CalculiX 2.20 (Debian 12) wrote for the decks of models/parts:
// crank_free and crank_spin, and eigenfrequencies of the same part, held at HUB and free. Debian 13
// has no CalculiX.
static void make_crank(void)
{
    static bool made = false;
    char line[1024];
    if (made)
        return;
    snprintf(line, sizeof line, "cp %s/crank* .", tn_test_path("models/parts"));
    CHECK(tn_test_shell(line) == 0);
    snprintf(line, sizeof line, "tar xJf %s", tn_test_path("tests/cross/calculix_crank.tar.xz"));
    CHECK(tn_test_shell(line) == 0);
    CHECK(tenon("reduce crank.yaml -o made.h5 --force --json") == 0);
    made = true;
}

// The crank as CalculiX itself sees it: held at its hub, and free. A frame that is fixed to a rigid
// hub is the former; ties by the mean leave the latter as it is.
static void a_crank_has_the_frequencies_of_calculix(void)
{
    double own[12];
    make_crank();
    CHECK(read_dat("held.dat", 1, 6, own) == 6);
    tn_modal *x = NULL;
    CHECK_OK(tn_modal_read("made.h5", &x));
    for (int i = 0; i < 6; i++) { // what is left are normal modes that were not found
        printf("held %d: %.6g Hz, CalculiX %.6g Hz\n", i + 1, x->frequency[i], own[i]);
        CHECK_NEAR(x->frequency[i], own[i], (i < 2 ? 1e-3 : 0.01) * own[i]);
    }
    tn_modal_destroy(x);
    CHECK(read_dat("free.dat", 7, 6, own) == 6);
    write_text("free.yaml", "source: {kind: calculix, job: crank_free}\n"
                            "units: {length: mm, force: N, mass: t}\n"
                            "attachments:\n"
                            "  - {name: hub, nodes: HUB, tie: mean}\n"
                            "  - {name: pin, nodes: PIN, tie: mean}\n"
                            "modes: {normal: 60}\n");
    CHECK(tenon("reduce free.yaml -o free.h5 --force --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK(json_number(doc, "free_body.error") < 1e-3);
    const tn_node *full = json_at(doc, "free_body.full"), *modes = json_at(doc, "frequencies");
    for (int i = 0; i < 6; i++) {
        double hertz = 0.0, reduced_hertz = 0.0;
        CHECK_OK(tn_node_number(doc, full->children[i], "full", &hertz));
        CHECK_OK(tn_node_number(doc, modes->children[i], "frequencies", &reduced_hertz));
        printf("free %d: %.7g and %.7g Hz, CalculiX %.7g Hz\n", i + 1, hertz, reduced_hertz,
               own[i]);
        CHECK_NEAR(hertz, own[i], 1e-5 * own[i]); // seven digits of a table
        CHECK_NEAR(reduced_hertz, own[i], 1e-3 * own[i]);
    }
    tn_document_destroy(doc);
}

// Half the width of the crank at x, where it has its web [mm].
static double half_width(double x)
{
    double h = x > -38.0 && x < 0.0 ? 20.0 : x > 0.0 && x < 80.0 ? 11.0 : 0.0;
    h = fmax(h, sqrt(fmax(22.0 * 22.0 - x * x, 0.0)));
    return fmax(h, sqrt(fmax(14.0 * 14.0 - (x - 80.0) * (x - 80.0), 0.0)));
}

// Volume, first moment along x and second moment about z of a cylinder along z [mm].
static void add_cylinder(double factor, double x, double r, double length, double out[3])
{
    const double volume = factor * 3.14159265358979324 * r * r * length;
    out[0] += volume;
    out[1] += volume * x;
    out[2] += volume * (x * x + r * r / 2.0);
}

// The web by strips, the bosses beside it and the bores by formulas. The arcs of the mesh are
// parabolas, which cost 1e-3 of the mass.
static void a_crank_has_its_mass(void)
{
    enum { STRIPS = 132000 };
    double sum[3] = {0};
    make_crank();
    for (int i = 0; i < STRIPS; i++) {
        const double dx = 132.0 / STRIPS, x = -38.0 + (i + 0.5) * dx, h = half_width(x);
        sum[0] += 12.0 * 2.0 * h * dx;
        sum[1] += 12.0 * 2.0 * h * x * dx;
        sum[2] += 12.0 * 2.0 * (h * x * x + h * h * h / 3.0) * dx;
    }
    add_cylinder(1.0, 0.0, 22.0, 12.0, sum);
    add_cylinder(1.0, 80.0, 14.0, 12.0, sum);
    add_cylinder(-1.0, 0.0, 12.0, 24.0, sum);
    add_cylinder(-1.0, 80.0, 7.0, 24.0, sum);
    tn_modal *x = NULL;
    CHECK_OK(tn_modal_read("made.h5", &x));
    const tn_modal_inertia i = tn_modal_inertia_of(x);
    const double rho = 7.85e-6; // [kg/mm^3]
    CHECK_NEAR(i.mass, rho * sum[0], 2e-3 * i.mass);
    CHECK_NEAR(i.centre.x, 1e-3 * sum[1] / sum[0], 5e-5);
    CHECK_NEAR(i.centre.y, 0.0, 1e-6);
    CHECK_NEAR(i.inertia.m[2][2], 1e-6 * rho * sum[2], 3e-3 * i.inertia.m[2][2]);
    tn_modal_destroy(x);
}

// Rotation stiffens the web: its two lowest modes are bending out of and in the plane, of a bar of
// which some of the mass is at the end.
static void a_spinning_crank_is_stiffer(void)
{
    make_crank();
    tn_modal *x = NULL;
    CHECK_OK(tn_modal_read("made.h5", &x));
    const int m = x->m;
    const double *zz = x->rate + 2 * m * m;
    CHECK(zz[0] > 1.0 && zz[0] < 2.0);
    CHECK(zz[m + 1] > 1.0 && zz[m + 1] < 2.0);
    tn_modal_destroy(x);
}

// The file in the repository is what the job makes.
static void the_crank_of_the_repository_is_the_same(void)
{
    make_crank();
    tn_modal *x = NULL, *y = NULL;
    CHECK_OK(tn_modal_read("made.h5", &x));
    CHECK_OK(tn_modal_read(tn_test_path("models/parts/crank.h5"), &y));
    same_body(x, y, 1e-5); // compilers and libraries differ
    CHECK(x->npoint == y->npoint && x->ntriangle == y->ntriangle);
    tn_modal_destroy(x);
    tn_modal_destroy(y);
}

static const tn_test tests[] = {
    {"matrix market files are reduced", matrix_market_files_are_reduced},
    {"units are turned into si units", units_are_turned_into_si_units},
    {"json tells what is printed", json_tells_what_is_printed},
    {"damping and truncation are in the file", damping_and_truncation_are_in_the_file},
    {"spin softening is taken out", spin_softening_is_taken_out},
    {"jobs that are wrong are refused", jobs_that_are_wrong_are_refused},
    {"files that are wrong are refused", files_that_are_wrong_are_refused},
    {"loads that are wrong are refused", loads_that_are_wrong_are_refused},
    {"beams reduce themselves", beams_reduce_themselves},
    {"beams that are wrong are refused", beams_that_are_wrong_are_refused},
    {"files are not replaced unasked", files_are_not_replaced_unasked},
    {"a crank has the frequencies of CalculiX", a_crank_has_the_frequencies_of_calculix},
    {"a crank has its mass", a_crank_has_its_mass},
    {"a spinning crank is stiffer", a_spinning_crank_is_stiffer},
    {"the crank of the repository is the same", the_crank_of_the_repository_is_the_same},
};

int main(int argc, char **argv)
{
    enter_scratch("reduce");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}

#else

int main(void)
{
    return 0;
}

#endif
