// SPDX-License-Identifier: MIT
//
// The JSON Schema of model files agrees with the reader: it knows the same keys in every map, takes
// the models of the repository and refuses typical mistakes. The last two are asked of Python's
// jsonschema, an implementation of its own; without it they are skipped.

#include "cli_driver.h"
#include "kinds/family.h"
#include "model/model.h"
#include "read/model_yaml.h"
#include "tenon/help.h"

// Keys --------------------------------------------------------------------------------------------

enum { MOST_NAMES = 512 };

typedef struct names {
    int count;
    const char *at[MOST_NAMES];
} names;

static void add_name(names *all, const char *name)
{
    for (int i = 0; i < all->count; i++)
        if (strcmp(all->at[i], name) == 0)
            return;
    CHECK(all->count < MOST_NAMES);
    all->at[all->count++] = name;
}

// Every key that occurs in any map of the schema.
static void collect_keys(const tn_node *node, names *all)
{
    for (int i = 0; i < node->count; i++) {
        if (node->kind == TN_NODE_MAP && strcmp(node->keys[i]->text, "properties") == 0)
            for (int k = 0; k < node->children[i]->count; k++)
                add_name(all, node->children[i]->keys[k]->text);
        collect_keys(node->children[i], all);
    }
}

// A map of the format: where it stands in a model, with %s for one more key, and where the schema
// has it.
typedef struct place {
    char model[256], definition[64];
} place;

static bool reader_knows(const place *at, const char *key)
{
    char text[512], words[128];
    tn_model *model = NULL;

    snprintf(text, sizeof text, at->model, key);
    snprintf(words, sizeof words, "unknown key '%s'", key);
    const tn_status s = tn_model_parse(text, "model", &model, NULL);
    tn_model_destroy(model);
    return s == TN_OK || !strstr(tn_last_error(), words);
}

static void compare_keys(const tn_document *schema, const names *all, const place *at)
{
    const tn_node *definition = tn_node_get(tn_node_get(schema->root, "$defs"), at->definition);
    const tn_node *properties = tn_node_get(definition, "properties");

    CHECK(properties && properties->count > 0);
    for (int i = 0; i < all->count; i++) {
        const bool offered = tn_node_get(properties, all->at[i]) != NULL;
        if (strcmp(all->at[i], "kind") == 0) // stated in each model below
            continue;
        if (reader_knows(at, all->at[i]) != offered)
            printf("%s: '%s' is %s\n", at->definition, all->at[i],
                   offered ? "offered but unknown to the reader" : "not offered");
        CHECK(reader_knows(at, all->at[i]) == offered);
    }
}

static void compare_kind(const tn_document *schema, const names *all, const char *element,
                         const char *section, const char *kind)
{
    place at;

    snprintf(at.model, sizeof at.model, "tenon: 1\n%s: {e: {kind: %s, %%s: }}\n", section, kind);
    snprintf(at.definition, sizeof at.definition, "%s-%s", element, kind);
    compare_keys(schema, all, &at);
}

static void compare_body(const tn_document *schema, const names *all, const char *kind)
{
    place at;

    compare_kind(schema, all, "body", "bodies", kind);
    snprintf(at.model, sizeof at.model,
             "tenon: 1\nbodies: {e: {kind: %s, massless: true, initial: {%%s: }}}\n", kind);
    snprintf(at.definition, sizeof at.definition, "start-of-%s", kind);
    compare_keys(schema, all, &at);
}

static void compare_shape(const tn_document *schema, const names *all, const char *kind)
{
    place at;

    snprintf(at.model, sizeof at.model, "tenon: 1\nground: {shapes: [{kind: %s, %%s: }]}\n", kind);
    snprintf(at.definition, sizeof at.definition, "shape-%s", kind);
    compare_keys(schema, all, &at);
}

static const place places[] = {
    {"tenon: 1\nground: {%s: }\n", "ground"},
    {"tenon: 1\nsimulate: {%s: }\n", "simulate"},
    {"tenon: 1\nevents: {e: {%s: }}\n", "event"},
    {"tenon: 1\nbodies: {b: {massless: true, initial: {orientation: {%s: }}}}\n", "rotation"},
    {"tenon: 1\nbodies: {b: {massless: true}}\n"
     "joints: {j: {kind: fixed, body: b, frame_a: {%s: }}}\n",
     "frame"},
    {"tenon: 1\nbodies: {b: {massless: true}}\n"
     "joints: {j: {kind: fixed, body: b, initial: {%s: }}}\n",
     "start-of-joint"},
};

static tn_document *read_schema(void)
{
    char *text = NULL;

    CHECK_OK(tn_help_schema(&text));
    tn_document *schema = json_of(text);
    tn_free(text);
    return schema;
}

static void schema_and_reader_know_the_same_keys(void)
{
    tn_document *schema = read_schema();
    names all = {0};

    collect_keys(schema->root, &all);
    CHECK(all.count > 100);
    for (int i = 0; i < TN_COUNT(places); i++)
        compare_keys(schema, &all, &places[i]);
    for (int i = 0; i < TN_BODY_KIND_COUNT; i++)
        compare_body(schema, &all, tn_body_ops_of(i)->name);
    for (int i = 0; i < TN_JOINT_KIND_COUNT; i++)
        compare_kind(schema, &all, "joint", "joints", tn_joint_ops_of(i)->name);
    for (int i = 0; i < TN_FORCE_KIND_COUNT; i++)
        compare_kind(schema, &all, "force", "forces", tn_force_ops_of(i)->name);
    for (int i = 0; i < TN_SHAPE_KIND_COUNT; i++)
        compare_shape(schema, &all, tn_shape_ops_of(i)->name);
    tn_document_destroy(schema);
}

// Models ------------------------------------------------------------------------------------------

// Runs validate.py on the files; false where this machine cannot. Its lines are in cli.out.
static bool validate(const char *files)
{
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    char line[2048];

    for (int i = 0; i < TN_COUNT(pythons); i++) {
        snprintf(line, sizeof line, "%s -c 'import jsonschema, yaml' 2>/dev/null", pythons[i]);
        if (tn_test_shell(line) != 0)
            continue;
        CHECK(tenon("help --schema") == 0);
        write_text("schema.json", cli.out);
        snprintf(line, sizeof line, "%s %s schema.json %s >lines.txt", pythons[i],
                 tn_test_path("tests/cross/validate.py"), files);
        CHECK(tn_test_shell(line) == 0);
        read_text("lines.txt", cli.out);
        return true;
    }
    printf("skipped: Debian's packages python3-jsonschema and python3-yaml are not there\n");
    return false;
}

static int count_words(const char *text, const char *words)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, words)) != NULL; at++)
        n++;
    return n;
}

static void models_are_right(void)
{
    char files[2048];

    snprintf(files, sizeof files, "%s/*.yaml %s/*.md %s %s/*.yaml", tn_test_path("models"),
             tn_test_path("docs/guide"), tn_test_path("docs/formats/model.md"),
             tn_test_path("models/starters"));
    if (!validate(files))
        return;
    if (strstr(cli.out, "wrong "))
        printf("%s", cli.out);
    CHECK(!strstr(cli.out, "wrong "));
    CHECK(count_words(cli.out, "right ") >= 30);
}

#define ROD "bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\n"
#define WITH_PIN(more) ROD "joints: {pin: {kind: revolute, body: rod" more "}}\n"

static const char *const mistakes[] = {
    ROD,                                                                // no version
    "tenon: 2\n" ROD,                                                   // another one
    "tenon: 1\nbodys: {}\n",                                            // an unknown section
    "tenon: 1\nbodies: [rod]\n",                                        // a list for a map
    "tenon: 1\nbodies: {rod: {mass: 1}}\n",                             // no inertia
    "tenon: 1\nbodies: {rod: {masse: 1, inertia: [1, 1, 1]}}\n",        // an unknown key
    "tenon: 1\nbodies: {rod: {mass: -1, inertia: [1, 1, 1]}}\n",        // a number out of its range
    "tenon: 1\nbodies: {rod: {mass: [1], inertia: [1, 1, 1]}}\n",       // a list for a number
    "tenon: 1\nbodies: {rod: {kind: rigit, massless: true}}\n",         // an unknown kind
    "tenon: 1\nbodies: {rod: {massless: yes please}}\n",                // text for true or false
    "tenon: 1\nbodies: {p: {kind: point, mass: 1, inertia: 1}}\n",      // a key of another kind
    "tenon: 1\n" WITH_PIN(", pitch: 1"),                                // the same of a joint
    "tenon: 1\n" WITH_PIN(", at: [1]"),                                 // too few numbers
    "tenon: 1\n" WITH_PIN(", initial: {angle: 1}"),                     // an unknown start value
    "tenon: 1\n" ROD "joints: {pin: {body: rod}}\n",                    // no kind
    "tenon: 1\n" WITH_PIN() "forces: {m: {kind: motor, joint: pin}}\n", // no torque
    "tenon: 1\n" ROD "simulate: {rotation: quaternions}\n",             // not one of the names
    "tenon: 1\n" ROD "simulate: {rtol: -1}\n",                          // negative
    "tenon: 1\n" ROD "simulate: {newton_max: 1.5}\n",                   // not whole
};

static void mistakes_are_refused_by_both(void)
{
    char files[2048] = "";

    for (int i = 0; i < TN_COUNT(mistakes); i++) {
        char name[32];
        snprintf(name, sizeof name, "mistake%d.yaml", i);
        write_text(name, mistakes[i]);
        CHECK(tenon("check %s", name) == 2);
        tn_test_append(files, sizeof files, " %s", name);
    }
    if (!validate(files))
        return;
    if (strstr(cli.out, "right "))
        printf("%s", cli.out);
    CHECK(count_words(cli.out, "wrong mistake") == TN_COUNT(mistakes));
}

static void maps_and_lists_may_be_left_empty(void)
{
    static const char empty[] = "tenon: 1\nparameters:\njoints:\nforces:\nevents:\nsimulate:\n"
                                "bodies: {rod: {massless: true, initial: , shapes: }}\n";
    tn_model *model = NULL;

    CHECK_OK(tn_model_parse(empty, "empty", &model, NULL));
    tn_model_destroy(model);
    write_text("empty.yaml", empty);
    if (validate("empty.yaml"))
        CHECK_TEXT(cli.out, "right empty.yaml\n");
}

static const tn_test tests[] = {
    {"schema and reader know the same keys", schema_and_reader_know_the_same_keys},
    {"the models of the repository, of the guide and of tenon new are right", models_are_right},
    {"mistakes are refused by the schema and by the reader", mistakes_are_refused_by_both},
    {"maps and lists may be left empty", maps_and_lists_may_be_left_empty},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
