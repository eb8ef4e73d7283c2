// SPDX-License-Identifier: MIT
//
// Pictures of topologies: every element is there, nothing covers a body, and names are readable.

#include "tenon/tenon.h"
#include "test.h"

#include "base/alloc.h"
#include "io/target.h"

#include <dirent.h>

enum { MOST = 4000 };

typedef struct rect {
    double x, y, width, height;
} rect;

static char *draw(const tn_model *model, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    CHECK_OK(tn_model_draw(model, path));
    CHECK_OK(tn_file_read(path, 1 << 24, &text, &length));
    CHECK(length == strlen(text));
    return text;
}

static char *draw_text(const char *model_text, const char *path)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(model_text, "m.yaml", &model, NULL));
    char *out = draw(model, path);
    tn_model_destroy(model);
    return out;
}

static int count_of(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

// The rectangles of a class; returns how many.
static int rects_of(const char *svg, const char *class, rect *out)
{
    char begin[64];
    int n = 0;
    snprintf(begin, sizeof begin, "<rect class=\"%s\" ", class);
    for (const char *at = strstr(svg, begin); at; at = strstr(at + 1, begin)) {
        rect *r = &out[n++];
        CHECK(n < MOST);
        CHECK(sscanf(at + strlen(begin), "x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &r->x,
                     &r->y, &r->width, &r->height) == 4);
    }
    return n;
}

static bool meet(const rect *a, const rect *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

// Every tag is closed in the order in which they were opened.
static void check_nesting(const char *svg)
{
    char open[16][16];
    int depth = 0;
    for (const char *at = strchr(svg, '<'); at; at = strchr(at + 1, '<')) {
        char name[16] = "";
        const char *end = strchr(at, '>');
        CHECK(end != NULL);
        sscanf(at + 1 + (at[1] == '/'), "%15[a-z]", name);
        if (at[1] == '/') {
            CHECK(depth > 0);
            CHECK_TEXT(name, open[--depth]);
        } else if (at[1] != '?' && end[-1] != '/') {
            CHECK(depth < 16);
            strcpy(open[depth++], name);
        }
    }
    CHECK(depth == 0);
}

// Bodies are apart, and so are the names of joints and forces from bodies.
static void check_readable(const char *svg, int nbody)
{
    static rect boxes[MOST], names[MOST], ground[2], paper[1];
    int n = rects_of(svg, "box", boxes);
    CHECK(n == nbody - 1 && rects_of(svg, "box ground", ground) == 1);
    boxes[n++] = ground[0];
    const int m = rects_of(svg, "halo", names);
    CHECK(rects_of(svg, "paper", paper) == 1);
    for (int i = 0; i < n; i++) {
        CHECK(boxes[i].x > paper->x && boxes[i].x + boxes[i].width < paper->x + paper->width);
        for (int k = 0; k < i; k++)
            CHECK(!meet(&boxes[i], &boxes[k]));
        for (int k = 0; k < m; k++)
            CHECK(!meet(&boxes[i], &names[k]));
    }
    for (int i = 0; i < m; i++)
        for (int k = 0; k < i; k++)
            CHECK(!meet(&names[i], &names[k]));
    check_nesting(svg);
}

static void models_are_readable(void)
{
    DIR *folder = opendir(tn_test_path("models"));
    int seen = 0;
    CHECK(folder != NULL);
    for (struct dirent *file; (file = readdir(folder));) {
        char path[300];
        tn_model *model = NULL;
        if (!strstr(file->d_name, ".yaml"))
            continue;
        snprintf(path, sizeof path, "models/%s", file->d_name);
        CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
        char *svg = draw(model, "model.svg");
        check_readable(svg, tn_model_body_count(model));
        for (int k = 0; k < tn_model_joint_count(model); k++)
            CHECK(strstr(svg, tn_joint_name(model, (tn_joint){k})) != NULL);
        for (int k = 0; k < tn_model_force_count(model); k++)
            CHECK(strstr(svg, tn_force_name(model, (tn_force){k})) != NULL);
        tn_free(svg);
        tn_model_destroy(model);
        seen++;
    }
    closedir(folder);
    CHECK(seen > 15);
}

static void a_chain_goes_down_row_by_row(void)
{
    enum { N = 40 };
    static rect boxes[MOST];
    static char text[20000];
    tn_test_append(text, sizeof text, "tenon: 1\nbodies:\n");
    for (int k = 0; k < N; k++)
        tn_test_append(text, sizeof text, "  rod%d: {kind: planar, mass: 1, inertia: 1}\n", k);
    tn_test_append(text, sizeof text, "joints:\n");
    for (int k = 0; k < N; k++)
        tn_test_append(text, sizeof text, "  pin%d: {kind: revolute, bodies: [%s%.0d, rod%d]}\n", k,
                       k ? "rod" : "ground", k - (k > 0), k);
    for (char *zero = text; (zero = strstr(zero, "[rod, ")); zero++) // %.0d shows no zero
        memcpy(zero, "[rod0,", 6);
    char *svg = draw_text(text, "chain.svg");
    check_readable(svg, N + 1);
    CHECK(rects_of(svg, "box", boxes) == N);
    for (int k = 1; k < N; k++) {
        CHECK_NEAR(boxes[k].x + 0.5 * boxes[k].width, boxes[0].x + 0.5 * boxes[0].width, 0.02);
        CHECK(boxes[k].y > boxes[k - 1].y + boxes[k - 1].height);
    }
    tn_free(svg);
}

#define FOURBAR                                                              \
    "tenon: 1\n"                                                             \
    "bodies:\n"                                                              \
    "  a: {kind: planar, mass: 1, inertia: 1}\n"                             \
    "  b: {kind: planar, mass: 1, inertia: 1}\n"                             \
    "  c<&>: {kind: planar, mass: 1, inertia: 1}\n"                          \
    "  free: {kind: planar, massless: true}\n"                               \
    "joints:\n"                                                              \
    "  A: {kind: revolute, bodies: [ground, a]}\n"                           \
    "  B: {kind: revolute, bodies: [a, b]}\n"                                \
    "  C: {kind: revolute, bodies: [b, c<&>]}\n"                             \
    "  D: {kind: revolute, bodies: [ground, c<&>]}\n"                        \
    "  motor: {kind: drive, joint: A, motion: t}\n"                          \
    "  gear: {kind: gear, joint_1: A, joint_2: D, ratio_1: 1, ratio_2: 1}\n" \
    "forces:\n"                                                              \
    "  pull: {kind: spring, bodies: [a, free], stiffness: 1}\n"              \
    "  \"wi\\\"nd\": {kind: point-force, body: b, force: [1, 0]}\n"

static void elements_are_told_apart(void)
{
    char *svg = draw_text(FOURBAR, "fourbar.svg");
    check_readable(svg, 5);
    CHECK(count_of(svg, "class=\"line tree\"") == 3 + 1); // one more in the legend
    CHECK(count_of(svg, "class=\"line loop\"") == 1 + 1);
    CHECK(count_of(svg, "class=\"line coupling\"") == 1 + 1);
    CHECK(count_of(svg, "class=\"line force\"") == 1 + 1);
    CHECK(count_of(svg, "<g class=\"coupling\">") == 1); // the drive on its joint
    CHECK(count_of(svg, "<g class=\"force\">") == 1);    // the wind on its body
    CHECK(strstr(svg, "c&lt;&amp;&gt;") && strstr(svg, "wi&quot;nd") && strstr(svg, "massless"));
    CHECK(strstr(svg, "prefers-color-scheme:dark") != NULL);
    tn_free(svg);
    svg = draw_text("tenon: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n", "one.svg");
    check_readable(svg, 2);
    CHECK(strstr(svg, "class=\"line") == NULL);
    tn_free(svg);
}

// Bodies that springs alone hold stand below what these connect them with.
static void free_bodies_have_rows_by_forces(void)
{
    static rect boxes[MOST];
    char *svg = draw_text("tenon: 1\n"
                          "bodies: {c: {kind: point, mass: 1}, b: {kind: point, mass: 1},\n"
                          "  a: {kind: point, mass: 1}, alone: {kind: point, mass: 1}}\n"
                          "forces:\n"
                          "  s1: {kind: spring, bodies: [ground, a], stiffness: 1}\n"
                          "  s2: {kind: spring, bodies: [a, b], stiffness: 1}\n"
                          "  s3: {kind: spring, bodies: [c, b], stiffness: 1}\n",
                          "springs.svg");
    check_readable(svg, 5);
    CHECK(rects_of(svg, "box", boxes) == 4);
    CHECK(boxes[2].y < boxes[1].y && boxes[1].y < boxes[0].y); // a, b, c
    CHECK_NEAR(boxes[3].y, boxes[2].y, 0.02);
    tn_free(svg);
}

static void graphviz_text_has_nodes_and_edges(void)
{
    char *dot = draw_text(FOURBAR, "fourbar.dot");
    CHECK(strncmp(dot, "graph topology {\n", 17) == 0);
    CHECK(strstr(dot, "  b0 [label=\"ground\", style=filled];\n") != NULL);
    CHECK(strstr(dot, "  b2 [label=\"b\\n1 kg\\nwi\\\"nd (point-force)\"];\n") != NULL);
    CHECK(strstr(dot, "[shape=plaintext, style=\"\", label=\"A\\nrevolute\\nmotor (drive)\"];\n"));
    CHECK(count_of(dot, " -- ") == 2 + 2 + 1 + 1 + 1 + 1); // joints A and D are nodes: two each
    CHECK(count_of(dot, "penwidth=2.5") == 1 && count_of(dot, "style=dashed") == 2);
    CHECK(dot[strlen(dot) - 2] == '}');
    tn_free(dot);
}

static void other_endings_and_places_are_refused(void)
{
    tn_model *model = tn_model_create();
    CHECK_STATUS(tn_model_draw(model, "model.yaml"), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "'model.yaml': the ending tells the kind of picture, and must be "
                                ".svg or .dot; - is SVG on the standard output");
    CHECK_STATUS(tn_model_draw(model, "nowhere/a.svg"), TN_ERR_FILE);
    CHECK_STATUS(tn_model_draw(NULL, "a.svg"), TN_ERR_USAGE);
    CHECK_OK(tn_model_draw(model, "ground.SVG")); // the ground alone
    tn_model_destroy(model);
}

static void running_out_of_memory_is_an_error_and_leaks_nothing(void)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(FOURBAR, "m.yaml", &model, NULL));
    const long live = tn_test_alloc_live();
    int made_do =
        0; // a file that is written goes by its name where memory for a better way is short
    for (long n = 1;; n++) {
        tn_test_alloc_fail_at(n);
        const tn_status s = tn_model_draw(model, n % 2 ? "memory.svg" : "memory.dot");
        const bool failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        CHECK(tn_test_alloc_live() == live);
        if (!failed && n % 2) // the longer of the two is done
            break;
        if (failed && s == TN_OK)
            made_do++;
        else if (failed)
            CHECK_STATUS(s, TN_ERR_MEMORY);
    }
    CHECK(made_do <= 2); // one of each kind
    tn_model_destroy(model);
}

int main(int argc, char **argv)
{
    static const tn_test tests[] = {
        {"models are readable", models_are_readable},
        {"a chain goes down row by row", a_chain_goes_down_row_by_row},
        {"elements are told apart", elements_are_told_apart},
        {"free bodies have rows by forces", free_bodies_have_rows_by_forces},
        {"Graphviz text has nodes and edges", graphviz_text_has_nodes_and_edges},
        {"other endings and places are refused", other_endings_and_places_are_refused},
        {"running out of memory is an error and leaks nothing",
         running_out_of_memory_is_an_error_and_leaks_nothing},
    };
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
