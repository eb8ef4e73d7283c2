// SPDX-License-Identifier: MIT
//
// tenon methods: which integrators can use which formulations, from the views that one needs and
// the other offers, and what there is to choose beside them. Everything is read off the registries.

#include "cli.h"
#include "formulation/formulation.h"
#include "integrator/integrator.h"

#include <string.h>

enum { WIDTH = 100, LEFT = 20, MOST_INTEGRATORS = WIDTH };

static int run(int argc, char **argv);

const cli_command cmd_methods = {
    .name = "methods",
    .summary = "list integrators, formulations and their legal pairings",
    .usage = "methods [--json]",
    .text = "A method is written integrator/formulation@coordinates, for example\n"
            "galpha/ggl@absolute; parts may be left out, and auto chooses. A formulation that\n"
            "drifts may be followed by +project.",
    .word = "nothing",
    .run = run,
};

// Ways to step rotations, and who can use them: methods on the group itself know nothing of linear
// coordinates, methods of many steps need the same linear coordinates in all of them.
typedef struct {
    const char *name, *text;
    bool linear;
} rotation;

static const rotation rotations[] = {
    {"so3", "positions and rotations apart, on the group R^3 x SO(3)", false},
    {"se3", "positions and rotations as one motion, on the group SE(3)", false},
    {"quaternion", "unit quaternions in the linear space R^4", true},
    {"euler", "three angles; the sequence of axes is changed near its singularity", true},
};

static bool takes_rotation(const tn_integrator_ops *integrator, const rotation *r)
{
    return tn_integrator_takes_rotations(integrator, r->linear);
}

static const struct {
    const char *name, *text;
} coordinates[] = {
    {"absolute", "one frame per body, joints as constraints"},
    {"joint", "freedoms of a spanning tree of joints, in O(N); loops as constraints"},
    {"director", "centre of mass and axes of each body, constant mass matrix; rigidity by rows"},
};

void cli_each_method(void (*visit)(const char *name, void *user), void *user)
{
    visit("auto", user);
    for (int i = 0; i < tn_integrator_count; i++)
        for (int j = 0; j < tn_formulation_count; j++)
            if (tn_pairing_is_legal(tn_integrators[i], tn_formulations[j])) {
                char name[CLI_NAME_SIZE];
                snprintf(name, sizeof name, "%s/%s", tn_integrators[i]->name,
                         tn_formulations[j]->name);
                visit(name, user);
            }
}

// Text --------------------------------------------------------------------------------------------

static int column_width(int integrator)
{
    const int n = (int)strlen(tn_integrators[integrator]->name);
    return n > 3 ? n : 3;
}

// How many integrators from `first` on fit beside the names of rows.
static int columns_from(int first)
{
    int used = LEFT, n = 0;
    while (first + n < tn_integrator_count) {
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

    for (int k = 0; k < TN_COUNT(rotations); k++) {
        char name[LEFT];
        for (int i = 0; i < n; i++)
            yes[i] = takes_rotation(tn_integrators[first + i], &rotations[k]);
        snprintf(name, sizeof(name), "  %s", rotations[k].name);
        print_answers(name, first, n, yes);
    }
}

static void print_block(int first, int n)
{
    const char *cells[MOST_INTEGRATORS];
    bool yes[MOST_INTEGRATORS];

    for (int i = 0; i < n; i++)
        cells[i] = tn_integrators[first + i]->name;
    print_cells("", first, n, cells);
    for (int j = 0; j < tn_formulation_count; j++) {
        for (int i = 0; i < n; i++)
            yes[i] = tn_pairing_is_legal(tn_integrators[first + i], tn_formulations[j]);
        print_answers(tn_formulations[j]->name, first, n, yes);
    }
    if (first == 0)
        printf("rotation\n");
    print_rotations(first, n);
    printf("\n");
}

// Words from column `indent` on, broken before WIDTH; the cursor stands at the indent.
static void print_wrapped(const char *text, int indent)
{
    for (int at = indent; *text;) {
        const int n = (int)strcspn(text, " ");
        if (at > indent && at + 1 + n > WIDTH) {
            printf("\n%*s", indent, "");
            at = indent;
        }
        at += printf("%s%.*s", at > indent ? " " : "", n, text);
        text += n + (text[n] == ' ');
    }
    printf("\n");
}

static void print_entry(const char *name, const char *facts, const char *text, const char *source)
{
    char line[512];
    const int head =
        facts ? printf("  %-*s %-20s ", LEFT - 2, name, facts) : printf("  %-*s ", LEFT - 2, name);
    snprintf(line, sizeof(line), "%s%s%s", text, source ? " " : "", source ? source : "");
    print_wrapped(line, head);
}

static void integrator_facts(const tn_integrator_ops *ops, char *text, size_t size)
{
    snprintf(text, size, "order %d%s", ops->order,
             ops->controlled               ? ", controlled"
             : tn_integrator_is_fixed(ops) ? ", fixed steps"
                                           : "");
}

static void formulation_facts(const tn_formulation *f, char *text, size_t size)
{
    snprintf(text, size, "index %d%s", f->index, f->projects ? ", +project" : "");
}

static void print_lists(void)
{
    char facts[64];

    printf("Integrators (controlled: by the error, unless a step is stated; fixed steps: no "
           "others)\n");
    for (int i = 0; i < tn_integrator_count; i++) {
        integrator_facts(tn_integrators[i], facts, sizeof(facts));
        print_entry(tn_integrators[i]->name, facts, tn_integrators[i]->text,
                    tn_integrators[i]->source);
    }
    printf("\nFormulations (+project: may be followed by it; q and v are then projected onto the\n"
           "constraints wherever they have drifted by more than project_tol)\n");
    for (int j = 0; j < tn_formulation_count; j++) {
        formulation_facts(tn_formulations[j], facts, sizeof(facts));
        print_entry(tn_formulations[j]->name, facts, tn_formulations[j]->text,
                    tn_formulations[j]->source);
    }
    printf("\nRotations (option rotation; integrators that have none of them take coordinates "
           "without\n"
           "rotations: director)\n");
    for (int k = 0; k < TN_COUNT(rotations); k++)
        print_entry(rotations[k].name, NULL, rotations[k].text, NULL);
    printf("\nCoordinates\n");
    for (int k = 0; k < TN_COUNT(coordinates); k++)
        print_entry(coordinates[k].name, NULL, coordinates[k].text, NULL);
}

static void print_methods(void)
{
    printf("Which integrator can use which formulation\n\n");
    for (int first = 0, n; first < tn_integrator_count; first += n) {
        n = columns_from(first);
        print_block(first, n);
    }
    print_lists();
    printf(
        "\nWrite integrator/formulation, for example: tenon run MODEL --method %s/%s\n"
        "With coordinates, /formulation@coordinates, for example: variational/multiplier@director\n"
        "To see what they cost and give on a model:  tenon compare MODEL\n",
        tn_integrators[0]->name, tn_formulations[0]->name);
}

// JSON --------------------------------------------------------------------------------------------

static void put_pairs(tn_json *json)
{
    tn_json_begin_array(json, "methods");
    for (int i = 0; i < tn_integrator_count; i++)
        for (int j = 0; j < tn_formulation_count; j++) {
            char method[128];
            snprintf(method, sizeof(method), "%s/%s", tn_integrators[i]->name,
                     tn_formulations[j]->name);
            tn_json_begin_object(json, NULL);
            tn_json_string(json, "method", method);
            tn_json_string(json, "integrator", tn_integrators[i]->name);
            tn_json_string(json, "formulation", tn_formulations[j]->name);
            tn_json_boolean(json, "legal",
                            tn_pairing_is_legal(tn_integrators[i], tn_formulations[j]));
            tn_json_boolean(json, "project", tn_formulations[j]->projects);
            tn_json_end_object(json);
        }
    tn_json_end_array(json);
}

static void put_integrator(tn_json *json, const tn_integrator_ops *ops)
{
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "name", ops->name);
    tn_json_string(json, "text", ops->text);
    tn_json_string(json, "source", ops->source);
    tn_json_integer(json, "order", ops->order);
    tn_json_boolean(json, "controlled", ops->controlled);
    tn_json_boolean(json, "fixed", tn_integrator_is_fixed(ops));
    tn_json_begin_array(json, "rotations");
    for (int k = 0; k < TN_COUNT(rotations); k++)
        if (takes_rotation(ops, &rotations[k]))
            tn_json_string(json, NULL, rotations[k].name);
    tn_json_end_array(json);
    tn_json_end_object(json);
}

static void put_formulation(tn_json *json, const tn_formulation *f)
{
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "name", f->name);
    tn_json_string(json, "text", f->text);
    tn_json_string(json, "source", f->source);
    tn_json_integer(json, "index", f->index);
    tn_json_boolean(json, "project", f->projects);
    tn_json_end_object(json);
}

static void put_choice(tn_json *json, const char *name, const char *text)
{
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "name", name);
    tn_json_string(json, "text", text);
    tn_json_end_object(json);
}

static tn_status methods_json(void)
{
    tn_json *json = NULL;

    TN_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    tn_json_begin_array(json, "integrators");
    for (int i = 0; i < tn_integrator_count; i++)
        put_integrator(json, tn_integrators[i]);
    tn_json_end_array(json);
    tn_json_begin_array(json, "formulations");
    for (int j = 0; j < tn_formulation_count; j++)
        put_formulation(json, tn_formulations[j]);
    tn_json_end_array(json);
    tn_json_begin_array(json, "rotations");
    for (int k = 0; k < TN_COUNT(rotations); k++)
        put_choice(json, rotations[k].name, rotations[k].text);
    tn_json_end_array(json);
    tn_json_begin_array(json, "coordinates");
    for (int k = 0; k < TN_COUNT(coordinates); k++)
        put_choice(json, coordinates[k].name, coordinates[k].text);
    tn_json_end_array(json);
    put_pairs(json);
    tn_json_end_object(json);
    return cli_print_json(json);
}

static int run(int argc, char **argv)
{
    cli_args args;

    tn_status s = cli_parse(&cmd_methods, argc, argv, &args, NULL);
    if (s == TN_OK && cli_json())
        s = methods_json();
    else if (s == TN_OK)
        print_methods();
    return cli_finish(s);
}
