// SPDX-License-Identifier: MIT
//
// tenon methods: which integrators can use which formulations, from the views that one needs and
// the other offers, and what there is to choose beside them. Everything is read off the registries.

#include "cli.h"

#include <string.h>

enum { WIDTH = CLI_WIDTH, LEFT = 22, MOST_INTEGRATORS = WIDTH };

static tn_integrator_info integrator_at(int i)
{
    tn_integrator_info info = {0};
    tn_help_integrator(i, &info);
    return info;
}

static bool has_integrator(int i)
{
    return integrator_at(i).name != NULL;
}

static void each_alias(void (*visit)(const char *name, void *user), void *user)
{
    tn_integrator_info integrator;
    tn_alias_info alias;
    for (int i = 0; tn_help_integrator(i, &integrator); i++)
        for (int k = 0; tn_help_alias(k, &alias); k++)
            if (tn_help_pairs(i, alias.formulation)) {
                char name[CLI_NAME_SIZE];
                snprintf(name, sizeof name, "%s/%s", integrator.name, alias.name);
                visit(name, user);
            }
}

void cli_each_method(void (*visit)(const char *name, void *user), void *user)
{
    tn_integrator_info integrator;
    tn_formulation_info formulation;
    visit("auto", user);
    for (int i = 0; tn_help_integrator(i, &integrator); i++)
        for (int j = 0; tn_help_formulation(j, &formulation); j++)
            if (tn_help_pairs(i, j)) {
                char name[CLI_NAME_SIZE];
                snprintf(name, sizeof name, "%s/%s", integrator.name, formulation.name);
                visit(name, user);
            }
    each_alias(visit, user);
}

// Text --------------------------------------------------------------------------------------------

static int column_width(int integrator)
{
    const int n = (int)strlen(integrator_at(integrator).name);
    return n > 3 ? n : 3;
}

// Number of integrators from `first` on that fit beside the names of rows.
static int columns_from(int first)
{
    int used = LEFT, n = 0;
    while (has_integrator(first + n)) {
        used += 2 + column_width(first + n);
        if (used > WIDTH && n > 0)
            break;
        n++;
    }
    return n;
}

static void print_cells(const char *name, int first, int n, const char *const *cells)
{
    printf("%-*s", LEFT, name);
    for (int i = 0; i < n; i++)
        printf("  %-*s", i < n - 1 ? column_width(first + i) : 0, cells[i]);
    printf("\n");
}

// One line of answers; blocks after the first leave out lines without a yes.
static void print_answers(const char *name, int first, int n, const bool *yes)
{
    const char *cells[MOST_INTEGRATORS];
    int count = 0;
    for (int i = 0; i < n; i++) {
        cells[i] = yes[i] ? "yes" : "-";
        count += yes[i];
    }
    if (count > 0 || first == 0)
        print_cells(name, first, n, cells);
}

static void print_rotations(int first, int n)
{
    bool yes[MOST_INTEGRATORS];
    tn_choice_info rotation;
    for (int k = 0; tn_help_rotation(k, &rotation); k++) {
        char name[LEFT];
        for (int i = 0; i < n; i++)
            yes[i] = tn_help_rotates(first + i, k);
        snprintf(name, sizeof(name), "  %s", rotation.name);
        print_answers(name, first, n, yes);
    }
}

static void print_block(int first, int n)
{
    const char *cells[MOST_INTEGRATORS];
    bool yes[MOST_INTEGRATORS];
    tn_formulation_info formulation;
    for (int i = 0; i < n; i++)
        cells[i] = integrator_at(first + i).name;
    print_cells("", first, n, cells);
    for (int j = 0; tn_help_formulation(j, &formulation); j++) {
        for (int i = 0; i < n; i++)
            yes[i] = tn_help_pairs(first + i, j);
        print_answers(formulation.name, first, n, yes);
    }
    if (first == 0)
        printf("rotation\n");
    print_rotations(first, n);
    printf("\n");
}

static void print_entry(const char *name, const char *facts, const char *text, const char *source)
{
    char line[512];
    const int head =
        facts ? printf("  %-*s %-20s ", LEFT - 2, name, facts) : printf("  %-*s ", LEFT - 2, name);
    snprintf(line, sizeof(line), "%s%s%s", text, source ? " " : "", source ? source : "");
    cli_print_wrapped(line, head, head);
}

static void print_lists(void)
{
    char facts[64];
    tn_integrator_info integrator;
    tn_formulation_info formulation;
    tn_choice_info choice;
    printf("Integrators (controlled: by the error, unless a step is stated; fixed steps: no "
           "others)\n");
    for (int i = 0; tn_help_integrator(i, &integrator); i++) {
        snprintf(facts, sizeof facts, "order %d%s", integrator.order,
                 integrator.controlled ? ", controlled"
                 : integrator.fixed    ? ", fixed steps"
                                       : "");
        print_entry(integrator.name, facts, integrator.text, integrator.source);
    }
    printf("\nFormulations (+project: may be followed by it; q and v are then projected onto the\n"
           "constraints wherever they have drifted by more than project_tol)\n");
    for (int j = 0; tn_help_formulation(j, &formulation); j++) {
        snprintf(facts, sizeof facts, "index %d%s", formulation.index,
                 formulation.projects ? ", +project" : "");
        print_entry(formulation.name, facts, formulation.text, formulation.source);
    }
    tn_alias_info alias;
    printf("\nOther names of formulations, for the same equations\n");
    for (int k = 0; tn_help_alias(k, &alias); k++) {
        snprintf(facts, sizeof(facts), "is %s", alias.of);
        print_entry(alias.name, facts, alias.text, alias.source);
    }
    printf("\nRotations (option rotation; integrators that have none of them take coordinates "
           "without\n"
           "rotations: director)\n");
    for (int k = 0; tn_help_rotation(k, &choice); k++)
        print_entry(choice.name, NULL, choice.text, NULL);
    printf("\nCoordinates\n");
    for (int k = 0; tn_help_coordinates(k, &choice); k++)
        print_entry(choice.name, NULL, choice.text, NULL);
}

static void print_methods(void)
{
    tn_formulation_info formulation = {0};
    printf("Which integrator can use which formulation\n\n");
    for (int first = 0, n; has_integrator(first); first += n) {
        n = columns_from(first);
        print_block(first, n);
    }
    tn_help_formulation(0, &formulation);
    print_lists();
    printf(
        "\nWrite integrator/formulation, for example: tenon run MODEL --method %s/%s\n"
        "With coordinates, /formulation@coordinates, for example: variational/multiplier@director\n"
        "To see what they cost and give on a model:  tenon compare MODEL\n",
        integrator_at(0).name, formulation.name);
}

// JSON --------------------------------------------------------------------------------------------

static void put_pairs(tn_json *json)
{
    tn_integrator_info integrator;
    tn_formulation_info formulation;
    tn_json_begin_array(json, "methods");
    for (int i = 0; tn_help_integrator(i, &integrator); i++)
        for (int j = 0; tn_help_formulation(j, &formulation); j++) {
            char method[128];
            snprintf(method, sizeof(method), "%s/%s", integrator.name, formulation.name);
            tn_json_object(json, NULL, "method %s integrator %s formulation %s legal %i project %i",
                           method, integrator.name, formulation.name, tn_help_pairs(i, j),
                           formulation.projects);
        }
    tn_json_end_array(json);
}

static void put_integrator(tn_json *json, int i)
{
    const tn_integrator_info info = integrator_at(i);
    tn_choice_info rotation;
    tn_json_put(json, "{ name %s text %s source %s order %d controlled %i fixed %i rotations [",
                info.name, info.text, info.source, info.order, info.controlled, info.fixed);
    for (int k = 0; tn_help_rotation(k, &rotation); k++)
        if (tn_help_rotates(i, k))
            tn_json_string(json, NULL, rotation.name);
    tn_json_put(json, "] }");
}

static void put_formulation(tn_json *json, const tn_formulation_info *f)
{
    tn_json_object(json, NULL, "name %s text %s source %s index %d project %i", f->name, f->text,
                   f->source, f->index, f->projects);
}

typedef bool (*choices)(int i, tn_choice_info *out);

static void put_choices(tn_json *json, const char *key, choices list)
{
    tn_choice_info choice;
    tn_json_begin_array(json, key);
    for (int i = 0; list(i, &choice); i++)
        tn_json_object(json, NULL, "name %s text %s", choice.name, choice.text);
    tn_json_end_array(json);
}

static tn_status methods_json(void)
{
    tn_formulation_info formulation;
    tn_alias_info alias;
    tn_json *json = cli_json_begin();
    tn_json_put(json, "{ integrators [");
    for (int i = 0; has_integrator(i); i++)
        put_integrator(json, i);
    tn_json_put(json, "] formulations [");
    for (int j = 0; tn_help_formulation(j, &formulation); j++)
        put_formulation(json, &formulation);
    tn_json_put(json, "] aliases [");
    for (int k = 0; tn_help_alias(k, &alias); k++)
        tn_json_object(json, NULL, "name %s of %s text %s source %s", alias.name, alias.of,
                       alias.text, alias.source);
    tn_json_end_array(json);
    put_choices(json, "rotations", tn_help_rotation);
    put_choices(json, "coordinates", tn_help_coordinates);
    put_pairs(json);
    tn_json_end_object(json);
    return cli_print_json(json);
}

static tn_status tell_methods(cli_args *args)
{
    CLI_TRY(cli_parse(args, NULL));
    if (cli_json())
        return methods_json();
    print_methods();
    return TN_OK;
}

const cli_command cmd_methods = {
    .name = "methods",
    .summary = "list integrators, formulations and their legal pairings",
    .usage = "methods [--json]",
    .text = "A method is written integrator/formulation@coordinates, for example\n"
            "galpha/ggl@absolute; parts may be left out, and auto chooses. A formulation that\n"
            "drifts may be followed by +project.",
    .word = "nothing",
    .run = tell_methods,
};
