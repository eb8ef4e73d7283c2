// SPDX-License-Identifier: MIT
//
// Documents: the tree with its positions, JSON and YAML alike, values of nodes, and the exact
// words for everything that can be wrong with a file.

#include "test.h"

#include "file/document.h"

#include <locale.h>
#include <stdbool.h>

static const char sample[] = "# a rod\n"
                             "name: rod\n"
                             "bodies:\n"
                             "  - mass: 2.5\n"
                             "    at: [0.5, -1, 2e-3]\n"
                             "    label: \"7\"\n"
                             "  - mass: 1\n"
                             "empty:\n";

static tn_document *parsed(const char *text)
{
    tn_document *doc = NULL;
    CHECK_OK(tn_document_parse(text, strlen(text), "m.yaml", &doc));
    return doc;
}

static void fails_bytes(const char *text, size_t length, const char *message)
{
    tn_document *doc = NULL;
    CHECK_STATUS(tn_document_parse(text, length, "m.yaml", &doc), TN_ERR_MODEL);
    CHECK(doc == NULL);
    CHECK_TEXT(tn_last_error(), message);
}

static void fails(const char *text, const char *message)
{
    fails_bytes(text, strlen(text), message);
}

static char *repeated(const char *part, int count)
{
    const size_t length = strlen(part);
    char *text = malloc(length * (size_t)count + 1);
    CHECK(text != NULL);
    for (int i = 0; i < count; i++)
        memcpy(text + length * (size_t)i, part, length);
    text[length * (size_t)count] = '\0';
    return text;
}

static bool same_tree(const tn_node *a, const tn_node *b)
{
    bool same = a->kind == b->kind && a->count == b->count && a->size == b->size;
    if (same && a->text)
        same = strcmp(a->text, b->text) == 0;
    for (int i = 0; same && i < a->count; i++)
        same = (a->kind != TN_NODE_MAP || strcmp(a->keys[i]->text, b->keys[i]->text) == 0) &&
               same_tree(a->children[i], b->children[i]);
    return same;
}

static bool at(const tn_node *node, int line, int column)
{
    return node->line == line && node->column == column;
}

static void the_tree_has_kinds_counts_and_positions(void)
{
    tn_document *doc = parsed(sample);
    const tn_node *root = doc->root;
    CHECK_TEXT(doc->name, "m.yaml");
    CHECK(root->kind == TN_NODE_MAP && root->count == 3 && at(root, 2, 1));
    CHECK_TEXT(root->keys[1]->text, "bodies");
    CHECK(at(root->keys[1], 3, 1));

    const tn_node *bodies = tn_node_get(root, "bodies");
    CHECK(bodies->kind == TN_NODE_SEQUENCE && bodies->count == 2 && at(bodies, 4, 3));
    const tn_node *rod = bodies->children[0];
    CHECK(at(tn_node_get(rod, "mass"), 4, 11) && !tn_node_get(rod, "mass")->quoted);
    CHECK(at(tn_node_get(rod, "at")->children[1], 5, 15));
    CHECK(tn_node_get(rod, "label")->quoted);
    CHECK(tn_node_get(root, "empty")->kind == TN_NODE_NULL);
    CHECK(tn_node_get(root, "absent") == NULL);
    CHECK(tn_node_get(bodies, "mass") == NULL);
    CHECK(rod->size == 10 && root->size == 20); // keys count as nodes
    tn_document_destroy(doc);
    tn_document_destroy(NULL);
}

static void columns_count_characters_not_bytes(void)
{
    tn_document *doc = parsed("\xef\xbb\xbf\xce\xb1\xce\xb2: {\xf0\x9f\x98\x80: 1}\r\nb: 2\rc: 3");
    const tn_node *root = doc->root;
    CHECK(at(root, 1, 1));
    CHECK(at(root->children[0]->children[0], 1, 9));
    CHECK(at(root->children[1], 2, 4));
    CHECK(at(root->children[2], 3, 4));
    tn_document_destroy(doc);
}

static void json_gives_the_tree_of_yaml(void)
{
    static const char json[] = "\t{\n\t\"name\":\"rod\",\n\t\"bodies\"\n\t:[{\"mass\":2.5,"
                               "\"at\":[0.5,-1,2e-3],\"label\":\"7\"},\t{\"mass\": 1}],"
                               "\r\n\"empty\":null}\n\t\n";
    tn_document *a = parsed(sample);
    tn_document *b = parsed(json);
    const tn_node *bodies = tn_node_get(b->root, "bodies");
    CHECK(same_tree(a->root->children[0], b->root->children[0]));
    CHECK(same_tree(a->root->children[1], bodies));
    CHECK(tn_node_get(b->root, "empty")->kind == TN_NODE_NULL);
    CHECK(at(bodies, 4, 3)); // the colon on a line of its own moves nothing
    CHECK(at(bodies->children[1], 4, 49));
    tn_document_destroy(a);
    tn_document_destroy(b);
}

static void json_escapes_are_read(void)
{
    tn_document *doc = parsed("{\"a\\ud83d\\ude00\":\"\\uD834\\uDD1E\\/\\\\ud83d\\u00e9\\n\\\"\", "
                              "\"b\":[1]}");
    const tn_node *root = doc->root;
    CHECK_TEXT(root->keys[0]->text, "a\xf0\x9f\x98\x80");
    CHECK_TEXT(root->children[0]->text, "\xf0\x9d\x84\x9e/\\ud83d\xc3\xa9\n\"");
    CHECK(at(root->children[0], 1, 18));
    CHECK(at(root->keys[1], 1, 53) && at(root->children[1], 1, 57)); // columns as in the file
    tn_document_destroy(doc);
}

static void aliases_share_nodes(void)
{
    tn_document *doc = parsed("a: &x {m: 1}\nb: *x\nc: &x [2]\nd: *x\n");
    const tn_node *root = doc->root;
    CHECK(root->children[0] == root->children[1]);
    CHECK(root->children[2] == root->children[3]); // a name given again holds for what follows
    CHECK(root->children[2]->kind == TN_NODE_SEQUENCE);
    tn_document_destroy(doc);
}

static void core_tags_are_accepted(void)
{
    tn_document *doc = parsed("!!map\na: !!str 1\nb: !!int \"2\"\nc: !!null ''\nd: !!seq [! x]\n");
    const tn_node *root = doc->root;
    double value = 0.0;
    CHECK(root->children[0]->quoted);
    CHECK_OK(tn_node_number(doc, root->children[1], "b", &value));
    CHECK(value == 2.0);
    CHECK(root->children[2]->kind == TN_NODE_NULL);
    CHECK(root->children[3]->children[0]->quoted);
    tn_document_destroy(doc);
}

static void numbers_are_decimal_and_exact(void)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"1", 1},     {"-0.1", -0.1}, {"+2.5", 2.5}, {".5", 0.5},   {"5.", 5},
                {"1e3", 1e3}, {"1E-3", 1e-3}, {"007", 7},    {"1e-400", 0}, {"6.02e+23", 6.02e23}};
    static const char *const bad[] = {"",   "abc", "0x10", "1_000", "1,5", "1e",    "1e+",
                                      ".",  "+",   "1 2",  "1d3",   "--1", "1:30",  " 1",
                                      "1 ", "e5",  "inf",  "nan",   "0b1", "1.2.3", "\xc2\xb2"};
    double value = 0.0;
    for (int i = 0; i < TN_COUNT(good); i++) {
        CHECK(tn_number_from_text(good[i].text, &value));
        CHECK(value == good[i].value);
    }
    for (int i = 0; i < TN_COUNT(bad); i++)
        CHECK(!tn_number_from_text(bad[i], &value));

    if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) { // where it is installed: a decimal comma
        CHECK(tn_number_from_text("0.25", &value));
        CHECK(value == 0.25);
        CHECK(!tn_number_from_text("0,25", &value));
        setlocale(LC_NUMERIC, "C");
    }
}

static void nodes_give_values(void)
{
    tn_document *doc = parsed("{n: -1.5, i: 40, e: 1e3, t: true, f: false, s: 12, q: \"\", "
                              "v: [1, 2.5, -3]}");
    const tn_node *root = doc->root;
    double number = 0.0, v[3] = {0};
    int integer = 0;
    bool flag = false;
    const char *text = NULL;

    CHECK_OK(tn_node_number(doc, tn_node_get(root, "n"), "n", &number));
    CHECK(number == -1.5);
    CHECK_OK(tn_node_integer(doc, tn_node_get(root, "i"), "i", &integer));
    CHECK(integer == 40);
    CHECK_OK(tn_node_integer(doc, tn_node_get(root, "e"), "e", &integer));
    CHECK(integer == 1000);
    CHECK_OK(tn_node_bool(doc, tn_node_get(root, "t"), "t", &flag));
    CHECK(flag);
    CHECK_OK(tn_node_bool(doc, tn_node_get(root, "f"), "f", &flag));
    CHECK(!flag);
    CHECK_OK(tn_node_string(doc, tn_node_get(root, "s"), "s", &text));
    CHECK_TEXT(text, "12");
    CHECK_OK(tn_node_string(doc, tn_node_get(root, "q"), "q", &text));
    CHECK_TEXT(text, "");
    CHECK_OK(tn_node_numbers(doc, tn_node_get(root, "v"), "v", 3, v));
    CHECK(v[0] == 1.0 && v[1] == 2.5 && v[2] == -3.0);
    tn_document_destroy(doc);
}

typedef enum { NUMBER, INTEGER, BOOL, STRING, NUMBERS } reading;

static tn_status read_as(reading how, const tn_document *doc, const tn_node *node)
{
    double v[3];
    int i = 0;
    bool b = false;
    const char *s = NULL;

    switch (how) {
    case NUMBER:
        return tn_node_number(doc, node, "body 'rod': mass", v);
    case INTEGER:
        return tn_node_integer(doc, node, "steps", &i);
    case BOOL:
        return tn_node_bool(doc, node, "fixed", &b);
    case STRING:
        return tn_node_string(doc, node, "name", &s);
    case NUMBERS:
        return tn_node_numbers(doc, node, "at", 3, v);
    }
    return TN_OK;
}

static void wrong_values_are_named_with_their_place(void)
{
    static const struct {
        reading how;
        const char *value, *message;
    } cases[] = {
        {NUMBER, "heavy", "body 'rod': mass: expected a number, found 'heavy'"},
        {NUMBER, "\"1.0\"", "body 'rod': mass: expected a number, found '1.0' in quotes"},
        {NUMBER, "0x1F", "body 'rod': mass: expected a number, found '0x1F'"},
        {NUMBER, "[1]", "body 'rod': mass: expected a number, found a list"},
        {NUMBER, "{a: 1}", "body 'rod': mass: expected a number, found a map"},
        {NUMBER, "null", "body 'rod': mass: expected a number, found nothing"},
        {NUMBER, "~", "body 'rod': mass: expected a number, found nothing"},
        {NUMBER, "Null", "body 'rod': mass: expected a number, found nothing"},
        {NUMBER, "NULL", "body 'rod': mass: expected a number, found nothing"},
        {NUMBER, "nULL", "body 'rod': mass: expected a number, found 'nULL'"},
        {NUMBER, ".nan", "body 'rod': mass: must be finite, found '.nan'"},
        {NUMBER, "-.Inf", "body 'rod': mass: must be finite, found '-.Inf'"},
        {NUMBER, "infinity", "body 'rod': mass: must be finite, found 'infinity'"},
        {NUMBER, "1e999", "body 'rod': mass: must be finite, found '1e999'"},
        {NUMBER, "\"two\\nlines\"",
         "body 'rod': mass: expected a number, found 'two lines' in quotes"},
        {NUMBER, "0123456789012345678901234567890123456789012345678901234567890123x",
         "body 'rod': mass: expected a number, found "
         "'012345678901234567890123456789012345678901234567890123456...'"},
        {INTEGER, "2.5", "steps: expected a whole number, found '2.5'"},
        {INTEGER, "many", "steps: expected a whole number, found 'many'"},
        {INTEGER, "3000000000",
         "steps: must be a whole number from -2147483648 to 2147483647, found '3000000000'"},
        {BOOL, "yes", "fixed: expected true or false, found 'yes'"},
        {BOOL, "\"true\"", "fixed: expected true or false, found 'true' in quotes"},
        {BOOL, "1", "fixed: expected true or false, found '1'"},
        {STRING, "[a]", "name: expected text, found a list"},
        {STRING, "~", "name: expected text, found nothing"},
        {NUMBERS, "[1, 2]", "at: expected 3 numbers, found 2"},
        {NUMBERS, "[]", "at: expected 3 numbers, found 0"},
        {NUMBERS, "5", "at: expected a list of 3 numbers, found '5'"},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        char text[256], message[512];
        snprintf(text, sizeof(text), "k:\n  v: %s\n", cases[i].value);
        snprintf(message, sizeof(message), "m.yaml:2:6: %s", cases[i].message);
        tn_document *doc = parsed(text);
        const tn_node *node = doc->root->children[0]->children[0];
        CHECK_STATUS(read_as(cases[i].how, doc, node), TN_ERR_MODEL);
        CHECK_TEXT(tn_last_error(), message);
        tn_document_destroy(doc);
    }

    tn_document *doc = parsed("v: [1, x, 3]");
    CHECK_STATUS(read_as(NUMBERS, doc, doc->root->children[0]), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), "m.yaml:1:8: at: item 2: expected a number, found 'x'");
    tn_document_destroy(doc);
}

static void broken_syntax_is_explained(void)
{
    fails("a: 1\n\tb: 2", "m.yaml:2:1: a tab cannot indent a line: use spaces");
    fails("a:\n\tb: 2", "m.yaml:2:1: a tab cannot indent a line: use spaces");
    fails("a: |\n\tb", "m.yaml:2:1: a tab cannot indent a line: use spaces");
    fails("\xc3\xa9: @x", "m.yaml:1:4: '@' cannot begin a value: put it in quotes");
    fails("a: b: c", "m.yaml:1:5: ':' cannot stand here: check the indentation, or put text that "
                     "contains ': ' in quotes");
    fails("a: - b",
          "m.yaml:1:4: a list item '- ' cannot stand here: begin it on a line of its own");
    fails("a: 1\nb\n", "m.yaml:2:1: expected ':' after this key");
    fails("a: 1\r\nb\r\n", "m.yaml:2:1: expected ':' after this key");
    fails("a: 1\rb\r", "m.yaml:2:1: expected ':' after this key");
    fails("a: 1\r\n\r\nb\r\n", "m.yaml:3:1: expected ':' after this key");
    fails("- a\n-b\n- c", "m.yaml:2:1: a list item needs a space after '-'");
    fails("a:\n  - 1\n - 2", "m.yaml:3:2: expected a key: check the indentation, inside the map "
                             "that starts at 1:1");
    fails("- a\nb: 1", "m.yaml:2:1: expected a list item '- ': check the indentation, inside the "
                       "list that starts at 1:1");
    fails("a: [1, 2}", "m.yaml:1:9: expected ',' or ']', inside the list that starts at 1:4");
    fails("a: {b: 2]", "m.yaml:1:9: expected ',' or '}', inside the map that starts at 1:4");
    fails("a: ]", "m.yaml:1:4: expected a value, inside the map that starts at 1:1");
    fails("}", "m.yaml:1:1: expected a value");
    fails("a: 'x\n---\n'", "m.yaml:2:1: '---' or '...' inside text in quotes: is a quote missing?");
    fails("a: \"\\q\"",
          "m.yaml:1:5: unknown escape in double quotes: write '\\\\' for a backslash");
    fails("a: \"\\u12\"", "m.yaml:1:7: an escape needs hexadecimal digits: 2 after \\x, 4 after "
                          "\\u, 8 after \\U");
    fails("{\"a\": \"\\ud83dx\"}", "m.yaml:1:10: the escape is no Unicode character");
    fails("a: \"\\0\"", "m.yaml:1:4: text must not contain a NUL character");
    fails("a: *", "m.yaml:1:5: expected a name after '&' or '*': put text that begins with one of "
                  "them in quotes");
    fails("%a\n", "m.yaml:1:3: unknown directive: put text that begins with '%' in quotes");
    fails("{\"a\":1} {\"b\":2}",
          "m.yaml:1:9: more text after the end of the document: a model file holds one map");
    fails("a: !x!y 1", "m.yaml:1:4: unknown tag: remove it");
}

static void a_truncated_file_says_what_is_open(void)
{
    fails("{\"a\": [1, 2",
          "m.yaml:1:12: the file ends inside the list that starts at 1:7: is it cut off?");
    fails("a: [1,\n",
          "m.yaml:2:1: the file ends inside the list that starts at 1:4: is it cut off?");
    fails("{\"a\": {",
          "m.yaml:1:8: the file ends inside the map that starts at 1:7: is it cut off?");
    fails("x:\n- \"abc",
          "m.yaml:2:7: the file ends inside the text that starts at 2:3: is it cut off?");
}

static void what_is_no_model_data_is_refused(void)
{
    fails("", "m.yaml: file is empty");
    fails(" \n\t\n", "m.yaml: file is empty");
    fails("\xef\xbb\xbf", "m.yaml: file is empty");
    fails("# nothing\n", "m.yaml: file holds no values, only comments or markers");
    fails("---\n", "m.yaml: file holds no values, only comments or markers");
    fails_bytes("a: \0", 4, "m.yaml:1:4: byte 0x00 is not text: a model file is text in UTF-8");
    fails("a: 1\nb: \xff", "m.yaml:2:4: byte 0xff is not text: a model file is text in UTF-8");
    fails("\xed\xa0\x80", "m.yaml:1:1: byte 0xed is not text: a model file is text in UTF-8");
    fails("\xc0\xaf", "m.yaml:1:1: byte 0xc0 is not text: a model file is text in UTF-8");
    fails("\xe2\x82", "m.yaml:1:1: byte 0xe2 is not text: a model file is text in UTF-8");
    fails("a: b\x07", "m.yaml:1:5: control character U+0007: write \\u0007 in double quotes");
    fails("a: 1\n---\nb: 2\n", "m.yaml:2:1: a second document starts here: a model file holds one");
    fails("a: !!python/object:os.system x",
          "m.yaml:1:4: tag '!!python/object:os.system' is not supported: remove it");
    fails("a: !local {}", "m.yaml:1:4: tag '!local' is not supported: remove it");
    fails("a: !!map []", "m.yaml:1:4: tag '!!map' is not supported: remove it");
    fails("<<: {}", "m.yaml:1:1: merge keys '<<' are not supported: write the keys out");
    fails("? [1]\n: 2", "m.yaml:1:3: a key must be text, found a list");
    fails("{mass:1}", "m.yaml:1:2: 'mass:1' needs a space after ':'");
}

static void lines_end_in_three_ways(void)
{
    static const char *const ends[] = {"\n", "\r", "\r\n"};
    for (int i = 0; i < TN_COUNT(ends); i++) {
        char text[64];
        snprintf(text, sizeof text, "a: 1%s%sb: \x01%s", ends[i], ends[i], ends[i]);
        fails(text, "m.yaml:3:4: control character U+0001: write \\u0001 in double quotes");
    }
}

static void duplicate_keys_are_refused_with_both_places(void)
{
    fails("b: 1\na: 2\n\"b\": 3\na: 4\n", "m.yaml:3:1: key 'b' is given twice, first at 1:1");
    fails("a: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\nh: 1\ni: 1\nc: 2\na: 2\nc: 3\n",
          "m.yaml:10:1: key 'c' is given twice, first at 3:1");
    fails("{\"x\": {\"m\": 1, \"m\": 2}}", "m.yaml:1:16: key 'm' is given twice, first at 1:8");
}

static void aliases_cannot_recurse_or_explode(void)
{
    fails("a: *x", "m.yaml:1:4: alias '*x' has no anchor '&x'");
    fails("a: &x [1, *x]", "m.yaml:1:11: alias '*x' stands inside its own anchor at 1:4");
    fails("- &a [x,x,x,x,x,x,x,x,x,x]\n"
          "- &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
          "- &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
          "- &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
          "- &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
          "- &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
          "m.yaml:6:28: aliases stand for more than 1000000 values: write fewer of them");
}

static void nesting_has_a_limit(void)
{
    static const struct {
        const char *part, *message;
    } cases[] = {
        {"[", "m.yaml:1:65: more than 64 levels of lists and maps inside each other"},
        {"[\n", "m.yaml:65:1: more than 64 levels of lists and maps inside each other"},
        {"- ", "m.yaml:1:129: more than 64 levels of lists and maps inside each other"},
        {"{a: ", "m.yaml:1:257: more than 64 levels of lists and maps inside each other"},
        {"? ", "m.yaml:1:3: a key must be text, found a map"},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        char *deep = repeated(cases[i].part, 100000);
        fails(deep, cases[i].message);
        free(deep);
    }
    char *open = repeated("[", 64), *close = repeated("]", 64);
    char text[129];
    snprintf(text, sizeof(text), "%s%s", open, close);
    tn_document_destroy(parsed(text));
    free(open);
    free(close);
}

static void files_that_cannot_be_read_say_why(void)
{
    tn_document *doc = NULL;
    CHECK_STATUS(tn_document_read("absent.yaml", &doc), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "absent.yaml: cannot read the file: No such file or directory");
    CHECK_STATUS(tn_document_read(".", &doc), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), ".: cannot read the file: Is a directory");

    FILE *file = fopen("big.yaml", "wb");
    CHECK(file && fseek(file, 1L << 30, SEEK_SET) == 0 && fputc('a', file) == 'a');
    fclose(file);
    const tn_status s = tn_document_read("big.yaml", &doc);
    remove("big.yaml");
    CHECK_STATUS(s, TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "big.yaml: file is larger than 1024 MiB");
    CHECK(doc == NULL);
}

static void files_are_read_whole(void)
{
    enum { COUNT = 100000 }; // several times the first buffer
    FILE *file = fopen("long.yaml", "wb");
    CHECK(file != NULL);
    for (int i = 0; i < COUNT; i++)
        fprintf(file, "key%d: %d\n", i, i);
    fclose(file);
    tn_document *doc = NULL;
    const tn_status s = tn_document_read("long.yaml", &doc);
    remove("long.yaml");
    CHECK_OK(s);
    const tn_node *root = doc->root;
    CHECK(root->count == COUNT);
    CHECK_TEXT(root->children[COUNT - 1]->text, "99999");
    CHECK(at(root->keys[COUNT - 1], COUNT, 1));
    CHECK_TEXT(doc->name, "long.yaml");
    tn_document_destroy(doc);
}

static const tn_test tests[] = {
    {"the tree has kinds, counts and positions", the_tree_has_kinds_counts_and_positions},
    {"columns count characters, not bytes", columns_count_characters_not_bytes},
    {"JSON gives the tree of YAML", json_gives_the_tree_of_yaml},
    {"JSON escapes are read", json_escapes_are_read},
    {"aliases share nodes", aliases_share_nodes},
    {"core tags are accepted", core_tags_are_accepted},
    {"numbers are decimal and exact", numbers_are_decimal_and_exact},
    {"nodes give values", nodes_give_values},
    {"wrong values are named with their place", wrong_values_are_named_with_their_place},
    {"broken syntax is explained", broken_syntax_is_explained},
    {"a truncated file says what is open", a_truncated_file_says_what_is_open},
    {"what is no model data is refused", what_is_no_model_data_is_refused},
    {"lines end in three ways", lines_end_in_three_ways},
    {"duplicate keys are refused with both places", duplicate_keys_are_refused_with_both_places},
    {"aliases cannot recurse or explode", aliases_cannot_recurse_or_explode},
    {"nesting has a limit", nesting_has_a_limit},
    {"files that cannot be read say why", files_that_cannot_be_read_say_why},
    {"files are read whole", files_are_read_whole},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
