// SPDX-License-Identifier: MIT
//
// tenon methods: which integrators can use which formulations, from the views
// that one needs and the other offers.

#include "cli.h"
#include "formulation/formulation.h"
#include "integrator/integrator.h"

#include <string.h>

static int run(int argc, char **argv);

const cli_command cmd_methods = {
    .name = "methods",
    .summary = "list integrators, formulations and their legal pairings",
    .usage = "methods [--json]",
    .text = "A method is written integrator/formulation@coordinates, for example\n"
            "galpha/ggl@absolute; parts may be left out, and auto chooses.",
    .word = "nothing",
    .run = run,
};

static void print_methods(void)
{
    printf("%-13s", "");
    for (int j = 0; j < tn_formulation_count; j++)
        printf(" %-12s", tn_formulations[j]->name);
    printf("\n");
    for (int i = 0; i < tn_integrator_count; i++) {
        printf("%-13s", tn_integrators[i]->name);
        for (int j = 0; j < tn_formulation_count; j++)
            printf(" %-12s",
                   tn_pairing_is_legal(tn_integrators[i], tn_formulations[j]) ? "yes" : "no");
        printf("\n");
    }

    printf("\nIntegrators\n");
    for (int i = 0; i < tn_integrator_count; i++)
        printf("  %-12s order %d   %s %s\n", tn_integrators[i]->name, tn_integrators[i]->order,
               tn_integrators[i]->text, tn_integrators[i]->source);
    printf("\nFormulations\n");
    for (int j = 0; j < tn_formulation_count; j++)
        printf("  %-12s index %d   %s %s\n", tn_formulations[j]->name, tn_formulations[j]->index,
               tn_formulations[j]->text, tn_formulations[j]->source);
    printf("\nCoordinates\n"
           "  absolute               one frame per body; rotations as so3 or se3\n"
           "\nWrite integrator/formulation, for example: tenon run MODEL --method "
           "%s/%s\n",
           tn_integrators[0]->name, tn_formulations[0]->name);
}

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
            tn_json_end_object(json);
        }
    tn_json_end_array(json);
}

static tn_status methods_json(void)
{
    tn_json *json = NULL;

    TN_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    tn_json_begin_array(json, "integrators");
    for (int i = 0; i < tn_integrator_count; i++) {
        tn_json_begin_object(json, NULL);
        tn_json_string(json, "name", tn_integrators[i]->name);
        tn_json_string(json, "text", tn_integrators[i]->text);
        tn_json_string(json, "source", tn_integrators[i]->source);
        tn_json_integer(json, "order", tn_integrators[i]->order);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
    tn_json_begin_array(json, "formulations");
    for (int j = 0; j < tn_formulation_count; j++) {
        tn_json_begin_object(json, NULL);
        tn_json_string(json, "name", tn_formulations[j]->name);
        tn_json_string(json, "text", tn_formulations[j]->text);
        tn_json_string(json, "source", tn_formulations[j]->source);
        tn_json_integer(json, "index", tn_formulations[j]->index);
        tn_json_end_object(json);
    }
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
