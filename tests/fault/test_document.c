// SPDX-License-Identifier: MIT
//
// Documents that are cut, damaged or read with too little memory: always a tree or an error with
// a sentence, never a crash or a leak.

#include "test.h"

#include "base/array.h"
#include "file/document.h"
#include "file/yaml_text.h"

#include <dirent.h>

static const char yaml[] = "# slider-crank\n"
                           "tenon: 1\n"
                           "gravity: [0, -9.81, 0]\n"
                           "bodies:\n"
                           "  crank: &link\n"
                           "    mass: 1.5e0\n"
                           "    inertia: {xx: .1, yy: 2., zz: 3}\n"
                           "    note: \"a \\u00e9 \\x41 'b'\"\n"
                           "  rod: *link\n"
                           "  slider: {mass: !!float 2, text: 'it''s', \xce\xb1: ~}\n"
                           "joints:\n"
                           "  - kind: revolute\n"
                           "    bodies: [ground, crank]\n"
                           "  - kind: prismatic\n"
                           "    bodies:\n"
                           "      - ground\n"
                           "      - slider\n"
                           "doc: |\n"
                           "  Many\n"
                           "    lines.\n"
                           "fold: >-\n"
                           "  in\n"
                           "  one\n"
                           "? long\n"
                           ": value\n";

static const char json[] = "\t{\"tenon\": 1,\n"
                           "\t\"name\": \"crank \\ud83d\\ude00 \\/ \\\"q\\\"\",\n"
                           "\t\"bodies\"\n\t: [{\"mass\": 1.5e0, \"at\": [0, -1.0, 2E+3]},\n"
                           "\t\t{\"mass\": null, \"fixed\": true}]\n}\n\t\n";

// All that models have, nested in every way.
static const char plain[] =
    "# comment\n"
    "tenon: 1   # version\n"
    "title: A rod, [two] pins & 'more'\n"
    "gravity: [0, -9.81, .5e-3]\n"
    "\n"
    "bodies:\n"
    "  rod: {mass: 2*m, initial: {position: [x^2/3 - 1, 0, (a+b)]}, e: {}}\n"
    "  # between\n"
    "  slider:\n"
    "    kind: planar\n"
    "    note: 'it is # one: two'\n"
    "    \"quoted key\": \"7\"\n"
    "    null: x~\n"
    "    list: [\n"
    "      1, [], # one\n"
    "      {a: 2,\n"
    "       'b': null}\n"
    "      ]\n"
    "joints:\n"
    "- kind: revolute\n"
    "  bodies: [ground, rod]\n"
    "- - 1\n"
    "  - a: -.5\n"
    "    b:\n"
    "    - x\n"
    "    - y z\n"
    "-\n"
    "  last: true\n"
    "end:\n"
    "    - - - deep\n"
    "    - k:   v\n"
    "      l: 1 2\n";

static long walk(const tn_document *doc, const tn_node *node)
{
    double number = 0.0, numbers[3];
    long sum = 1;

    CHECK(node->line >= 1 && node->column >= 1);
    tn_node_number(doc, node, "value", &number); // results do not matter, only that they come
    tn_node_numbers(doc, node, "value", 3, numbers);
    for (int i = 0; i < node->count; i++)
        sum += walk(doc, node->children[i]) + (node->kind == TN_NODE_MAP);
    CHECK(sum == node->size);
    return sum;
}

// The text is read from a block of its exact size, so that a sanitizer sees reads beyond the end.
static tn_status read_exact(const char *text, size_t length)
{
    char *copy = malloc(length > 0 ? length : 1);
    tn_document *doc = NULL;

    CHECK(copy != NULL);
    memcpy(copy, text, length);
    tn_clear_error();
    const tn_status s = tn_document_parse(copy, length, "m", &doc);
    free(copy);
    CHECK((s == TN_OK) == (doc != NULL));
    if (s == TN_OK)
        walk(doc, doc->root);
    else
        CHECK(s == TN_ERR_MODEL && strncmp(tn_last_error(), "m:", 2) == 0);
    tn_document_destroy(doc);
    return s;
}

static void check_cuts(const char *text)
{
    const size_t length = strlen(text);
    const long live = tn_test_alloc_live();
    int errors = 0;

    CHECK_OK(read_exact(text, length));
    for (size_t n = 0; n < length; n++) {
        errors += read_exact(text, n) != TN_OK;
        read_exact(text + n, length - n);
    }
    CHECK(errors > 0);
    CHECK(tn_test_alloc_live() == live);
}

static void files_cut_at_any_byte_give_a_tree_or_an_error(void)
{
    check_cuts(yaml);
    check_cuts(json);
    check_cuts(plain);
}

static int random_below(int n)
{
    const int i = (int)(0.5 * (tn_random() + 1.0) * n);
    return i < n ? i : n - 1;
}

// Changes, doubles or removes a few bytes; half of the new ones mean something to YAML or JSON.
static size_t mutate(char *text, size_t length, size_t room)
{
    static const char special[] = "{}[]:,\"'#&*!|>%@-?~<\\\n\t \r.eu0\xc3\xa9\xff";
    const int changes = 1 + random_below(4);

    for (int i = 0; i < changes && length > 1; i++) {
        const size_t at = (size_t)random_below((int)length);
        const size_t rest = length - at;
        const int kind = random_below(4);
        if (kind == 0) {
            text[at] = (char)random_below(256);
        } else if (kind == 1) {
            text[at] = special[random_below((int)sizeof(special) - 1)];
        } else if (kind == 2) {
            memmove(text + at, text + at + 1, rest - 1);
            length--;
        } else if (2 * rest < room - length) { // says the rest twice
            memcpy(text + length, text + at, rest);
            length += rest;
        }
    }
    return length;
}

static void check_mutations(const char *text, int cases)
{
    enum { ROOM = 8192 };
    char *buffer = malloc(ROOM);
    const long live = tn_test_alloc_live();
    int trees = 0;

    CHECK(buffer != NULL);
    for (int i = 0; i < cases; i++) {
        memcpy(buffer, text, strlen(text));
        trees += read_exact(buffer, mutate(buffer, strlen(text), ROOM)) == TN_OK;
    }
    CHECK(trees > 0 && trees < cases); // the changes are neither all harmless nor all fatal
    CHECK(tn_test_alloc_live() == live);
    free(buffer);
}

static void damaged_files_give_a_tree_or_an_error(void)
{
    check_mutations(yaml, 3000);
    check_mutations(json, 3000);
    check_mutations(plain, 3000);
}

static void check_failing_memory(const char *text)
{
    const long live = tn_test_alloc_live();
    bool failed = true;

    for (long n = 1; failed; n++) {
        tn_document *doc = NULL;
        tn_clear_error();
        tn_test_alloc_fail_at(n);
        const tn_status s = tn_document_read(text, &doc);
        failed = tn_test_alloc_failed();
        CHECK(s == (failed ? TN_ERR_MEMORY : TN_OK));
        CHECK(!failed || strstr(tn_last_error(), "out of memory"));
        CHECK((s == TN_OK) == (doc != NULL));
        tn_document_destroy(doc);
        CHECK(tn_test_alloc_live() == live);
        CHECK(n > 5 || failed); // at least: file, reader, document, name, text
    }
    tn_test_alloc_fail_at(0);
}

static void every_failing_allocation_is_reported(void)
{
    tn_test_write("memory.yaml", yaml, strlen(yaml));
    check_failing_memory("memory.yaml");
    tn_test_write("memory.yaml", json, strlen(json));
    check_failing_memory("memory.yaml");

    tn_test_write("memory.yaml", plain, strlen(plain));
    check_failing_memory("memory.yaml");

    char many[20000] = "[0"; // enough to grow every array of the reader
    for (size_t length = 2; length + 8 < sizeof(many);)
        length += (size_t)snprintf(many + length, 8, ",&a%d 1", (int)(length % 50));
    strcat(many, "]");
    tn_test_write("memory.yaml", many, strlen(many));
    check_failing_memory("memory.yaml");
    remove("memory.yaml");
}

static const tn_test tests[] = {
    {"files cut at any byte give a tree or an error",
     files_cut_at_any_byte_give_a_tree_or_an_error},
    {"damaged files give a tree or an error", damaged_files_give_a_tree_or_an_error},
    {"every failing allocation is reported", every_failing_allocation_is_reported},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
