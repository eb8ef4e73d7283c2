// SPDX-License-Identifier: MIT
//
// tenon methods: the matrix of legal pairings is that of the registries, in text and in JSON.

#include "cli_driver.h"
#include "formulation/formulation.h"
#include "integrator/integrator.h"

enum { WIDTH = 100 };

// The word that begins in a column of a line of the output.
static void word_at(const char *line, int column, char *word)
{
    sscanf(line + column, "%63s", word);
}

static const char *line_of(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, name, n) == 0 && at[n] == ' ')
            return at;
    }
    return NULL;
}

// Columns begin where the names of the integrators stand in the first line of a block, which ends
// at an empty line; the first block has every formulation, others those that they can use.
static void the_matrix_is_that_of_the_registries(void)
{
    CHECK(tenon("methods") == 0);
    CHECK_TEXT(cli.err, "");
    int cells = 0;
    for (int i = 0; i < tn_integrator_count; i++) {
        char padded[80];
        snprintf(padded, sizeof(padded), "  %s", tn_integrators[i]->name);
        const char *name = strstr(cli.out, padded);
        CHECK(name != NULL);
        const char *head = name, *end = strstr(name, "\n\n");
        while (head[-1] != '\n')
            head--;
        for (int j = 0; j < tn_formulation_count; j++) {
            char word[64] = "-";
            const char *line = line_of(head, tn_formulations[j]->name);
            const bool shown = line != NULL && line < end;
            CHECK(shown || i > 0);
            if (shown)
                word_at(line, (int)(name + 2 - head), word);
            const bool legal = tn_pairing_is_legal(tn_integrators[i], tn_formulations[j]);
            CHECK_TEXT(word, legal ? "yes" : "-");
            cells++;
        }
    }
    CHECK(cells == tn_integrator_count * tn_formulation_count && cells >= 6);
}

static void lines_fit_and_lists_tell_texts_and_sources(void)
{
    CHECK(tenon("methods") == 0);
    for (const char *at = cli.out; *at; at += strcspn(at, "\n") + 1) {
        const size_t n = strcspn(at, "\n");
        CHECK(n <= WIDTH);
        CHECK(n == 0 || at[n - 1] != ' ');
    }
    for (int i = 0; i < tn_integrator_count; i++) {
        char order[64];
        snprintf(order, sizeof(order), "order %d", tn_integrators[i]->order);
        CHECK(strstr(cli.out, order) != NULL);
    }
    // Sources that are one word are never broken.
    for (int j = 0; j < tn_formulation_count; j++)
        if (!strchr(tn_formulations[j]->source, ' '))
            CHECK(strstr(cli.out, tn_formulations[j]->source) != NULL);
    CHECK(strstr(cli.out, "+project") != NULL);
    CHECK(strstr(cli.out, "  quaternion ") != NULL && strstr(cli.out, "  absolute ") != NULL);
}

static const tn_node *find_named(const tn_node *list, const char *key, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(tn_node_get(list->children[i], key)->text, name) == 0)
            return list->children[i];
    return NULL;
}

static void json_has_every_pairing(void)
{
    CHECK(tenon("methods --json") == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *pairs = json_at(doc, "methods");
    CHECK(pairs->count == tn_integrator_count * tn_formulation_count);
    for (int k = 0; k < pairs->count; k++) {
        const tn_node *pair = pairs->children[k];
        const tn_integrator_ops *integrator =
            tn_find_integrator(tn_node_get(pair, "integrator")->text);
        const tn_formulation *formulation =
            tn_find_formulation(tn_node_get(pair, "formulation")->text);
        CHECK(integrator && formulation);
        const bool legal = tn_pairing_is_legal(integrator, formulation);
        CHECK_TEXT(tn_node_get(pair, "legal")->text, legal ? "true" : "false");
        CHECK_TEXT(tn_node_get(pair, "project")->text, formulation->projects ? "true" : "false");
    }
    tn_document_destroy(doc);
}

// The rules of the simulation: linear coordinates for methods of many steps, none on the group, and
// no rotations at all for methods of linear spaces.
static void json_tells_rotations_by_integrator(void)
{
    CHECK(tenon("methods --json") == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *integrators = json_at(doc, "integrators");
    CHECK(integrators->count == tn_integrator_count);
    CHECK(json_at(doc, "rotations")->count == 4 && json_at(doc, "coordinates")->count == 3);
    for (int i = 0; i < tn_integrator_count; i++) {
        const tn_integrator_ops *ops = tn_integrators[i];
        const tn_node *entry = find_named(integrators, "name", ops->name);
        CHECK(entry != NULL);
        const tn_node *rotations = tn_node_get(entry, "rotations");
        bool group = false, linear = false;
        for (int k = 0; k < rotations->count; k++) {
            group = group || strcmp(rotations->children[k]->text, "so3") == 0;
            linear = linear || strcmp(rotations->children[k]->text, "euler") == 0;
        }
        CHECK(group == (!ops->multistep && !ops->linear_only));
        CHECK(linear == (!ops->on_group && !ops->linear_only));
    }
    tn_document_destroy(doc);
}

static void words_are_refused(void)
{
    refuses(1, "methods galpha",
            "tenon: methods: unexpected argument 'galpha'; usage: tenon methods [--json]\n");
}

static const tn_test tests[] = {
    {"the matrix is that of the registries", the_matrix_is_that_of_the_registries},
    {"lines fit, and lists tell texts and sources", lines_fit_and_lists_tell_texts_and_sources},
    {"JSON has every pairing", json_has_every_pairing},
    {"JSON tells rotations by integrator", json_tells_rotations_by_integrator},
    {"words are refused", words_are_refused},
};

int main(int argc, char **argv)
{
    enter_scratch("cli_methods");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
