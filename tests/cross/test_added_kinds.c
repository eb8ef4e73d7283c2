// SPDX-License-Identifier: MIT
//
// Adding a joint, a force or a monitor is one file and one line: those of the folder added_kinds
// are compiled with the registries, whose lists are longer by one line each, and everything else of
// the library as it is knows them: files, help, all coordinates, units, energies and pictures.

#include "test.h"

#include "kinds/family.h"
#include "model/model.h"
#include "result/scene.h"
#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>

static const char MODEL[] = "tenon: 1\ngravity: [1, -2, 0]\n"
                            "bodies:\n"
                            "  base: {mass: 3, inertia: [1, 2, 1.5]}\n"
                            "  sled: {mass: 2, inertia: [0.1, 0.1, 0.2], com: [0.1, 0.2, 0.3],\n"
                            "    initial: {position: [0, 1, 0]}}\n"
                            "joints:\n"
                            "  hinge: {kind: revolute, bodies: [base], axis: [0, 0, 1],\n"
                            "    initial: {rate: 0.5}}\n"
                            "  table: {kind: xy-table, bodies: [base, sled], at: [0, 1, 0],\n"
                            "    initial: {position: [0, 0], rate: [1.5, -0.5]}}\n"
                            "forces:\n"
                            "  damper: {kind: dashpot, bodies: [ground, sled], at_a: [0, 5, 0],\n"
                            "    at_b: [0, 1, 0], resistance: 4}\n";

static tn_model *parse_model(void)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(MODEL, "added.yaml", &model, NULL));
    return model;
}

// Where the sled is after a second.
static tn_vec3 run_by(const tn_model *model, const char *method, double *balance)
{
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    tn_ledger ledger;
    options.method = method;
    options.rtol = options.atol = 1e-9;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    CHECK(ledger.dissipated > 0.1);
    *balance = fabs(ledger.balance) / ledger.energy_scale;
    const tn_vec3 p = tn_sim_body_frame(sim, tn_model_find_body(model, "sled")).p;
    tn_sim_destroy(sim);
    return p;
}

static void both_move_alike_in_all_coordinates(void)
{
    static const char *const methods[] = {"dop853/index1@joint", "radau5/ggl@absolute",
                                          "radau5/ggl@director"};
    tn_model *model = parse_model();
    double balance;
    const tn_vec3 first = run_by(model, methods[0], &balance);
    CHECK(balance < 1e-6);
    for (int k = 1; k < TN_COUNT(methods); k++) {
        const tn_vec3 p = run_by(model, methods[k], &balance);
        CHECK(balance < 1e-6);
        CHECK(tn_v3_norm(tn_v3_sub(p, first)) < 1e-6);
    }
    tn_model_destroy(model);
}

static void both_are_kinds_as_all_others(void)
{
    tn_model *model = parse_model();
    char *text = NULL;
    CHECK(tn_find_kind(TN_FAMILY_JOINT, "xy-table") == TN_JOINT_XY_TABLE);
    CHECK(tn_find_kind(TN_FAMILY_FORCE, "dashpot") == TN_FORCE_DASHPOT);
    CHECK_TEXT(tn_model_joint_kind_name(model, tn_model_find_joint(model, "table")), "xy-table");
    CHECK_OK(tn_help_text("dashpot", &text));
    CHECK(strstr(text, "resistance") != NULL);
    tn_text_free(text);
    tn_model_destroy(model);
}

static void a_scene_has_their_glyphs(void)
{
    tn_model *model = parse_model();
    char *scene = NULL;
    CHECK_OK(tn_scene_json(model, NULL, &scene));
    CHECK(strstr(scene, "\"plate a; block b\"") != NULL);
    CHECK(strstr(scene, "\"rod\"") != NULL);
    tn_free(scene);
    tn_model_destroy(model);
}

static void a_monitor_is_asked_after_steps(void)
{
    tn_model *model = parse_model();
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    options.step = 0.03;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.45, NULL, NULL));
    CHECK(tn_sim_note_count(sim) == 0);
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    CHECK(tn_sim_note_count(sim) == 1);
    double h = 0.0;
    CHECK(sscanf(tn_sim_note(sim, 0), "the longest step so far was one of %lf s", &h) == 1);
    CHECK(fabs(h - options.step) < 1e-12);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"both move alike in all coordinates", both_move_alike_in_all_coordinates},
    {"both are kinds as all others", both_are_kinds_as_all_others},
    {"a scene has their glyphs", a_scene_has_their_glyphs},
    {"a monitor is asked after steps", a_monitor_is_asked_after_steps},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
