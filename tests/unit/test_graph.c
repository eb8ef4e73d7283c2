// SPDX-License-Identifier: MIT
//
// Pictures of topologies: every element is there, under its name and in its class.

#include "tenon/tenon.h"
#include "test.h"

#include "base/alloc.h"
#include "text/target.h"

#include <dirent.h>

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

// The text of the model in which every element has its name.
static void check_names(const tn_model *model, const char *text)
{
    for (int k = 0; k < tn_model_joint_count(model); k++)
        CHECK(strstr(text, tn_model_joint_name(model, (tn_joint){k})) != NULL);
    for (int k = 0; k < tn_model_force_count(model); k++)
        CHECK(strstr(text, tn_model_force_name(model, (tn_force){k})) != NULL);
}

static void models_are_drawn_whole(void)
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
        char *dot = draw(model, "model.dot");
        check_names(model, dot);
        tn_free(dot);
        tn_model_destroy(model);
        seen++;
    }
    closedir(folder);
    CHECK(seen > 15);
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
    CHECK(count_of(svg, "class=\"node box\"") == 4 && count_of(svg, "class=\"node ground\"") == 1);
    CHECK(count_of(svg, "class=\"edge tree\"") == 3 + 2); // joints A and D are nodes: two each
    CHECK(count_of(svg, "class=\"edge loop\"") == 1);
    CHECK(count_of(svg, "class=\"edge coupling\"") == 1 &&
          count_of(svg, "class=\"edge force\"") == 1);
    CHECK(strstr(svg, "c&lt;&amp;&gt;") && strstr(svg, "wi&quot;nd") && strstr(svg, "massless"));
    CHECK(count_of(svg, "prefers-color-scheme:dark") == 1);
    CHECK(strstr(svg, "<style>") > strstr(svg, "<svg "));
    tn_free(svg);
}

// Text for Graphviz needs no program.
static void a_missing_dot_is_a_sentence(void)
{
    tn_model *model = NULL;
    char path[4000];
    CHECK_OK(tn_model_parse(FOURBAR, "m.yaml", &model, NULL));
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    CHECK_STATUS(tn_model_draw(model, "missing.svg"), TN_ERR_FILE);
    CHECK_TEXT(
        tn_last_error(),
        "pictures of topologies are laid out by the program dot, which cannot be started: No "
        "such file or directory; install graphviz, or name a FILE.dot, which needs no program");
    CHECK_OK(tn_model_draw(model, "missing.dot"));
    setenv("PATH", path, 1);
    tn_model_destroy(model);
}

static void graphviz_text_has_nodes_and_edges(void)
{
    char *dot = draw_text(FOURBAR, "fourbar.dot");
    CHECK(strncmp(dot, "graph topology {\n", 17) == 0);
    CHECK(strstr(dot, "  b0 [class=ground, label=\"ground\"];\n") != NULL);
    CHECK(strstr(dot, "  b2 [class=box, label=\"b\\n1 kg\\nwi\\\"nd (point-force)\"];\n") != NULL);
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
        {"models are drawn whole", models_are_drawn_whole},
        {"elements are told apart", elements_are_told_apart},
        {"a missing dot is a sentence", a_missing_dot_is_a_sentence},
        {"Graphviz text has nodes and edges", graphviz_text_has_nodes_and_edges},
        {"other endings and places are refused", other_endings_and_places_are_refused},
        {"running out of memory is an error and leaks nothing",
         running_out_of_memory_is_an_error_and_leaks_nothing},
    };
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
