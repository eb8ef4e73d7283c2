// SPDX-License-Identifier: MIT
//
// Shared objects that a model file names: their kinds work as built-in ones do, but only where
// --plugins allows it; what cannot be used is refused with one sentence that says where.

#include "cli_driver.h"

// m z'' = 3 N for 1 s from rest: z = 1.5 m of 1 kg.
static void write_model(const char *plugins)
{
    char text[1024];
    snprintf(text, sizeof text,
             "tenon: 1\n"
             "plugins: [%s]\n"
             "bodies: {ball: {kind: point, mass: 1}}\n"
             "forces: {jet: {kind: push, body: ball, strength: 3}}\n"
             "simulate: {t_end: 1, method: dopri5}\n",
             plugins);
    write_text("jet.yaml", text);
}

static void a_plugin_adds_kinds_to_a_model_file(void)
{
    write_model(TN_PLUGINS "/good.so, '" TN_PLUGINS "/good.so'");
    CHECK(tenon("run jet.yaml --plugins --json --out out --force") == 0);
    CHECK(strstr(cli.out, "force 'jet': its derivatives are not given") != NULL);
    CHECK(tenon("check jet.yaml --plugins") == 0);
    CHECK(tenon("help push jet.yaml --plugins") == 0);
    CHECK(strstr(cli.out, "strength along z") != NULL);
}

static void a_relative_path_is_one_beside_the_model(void)
{
    CHECK(tn_test_shell("mkdir -p beside && cp " TN_PLUGINS "/good.so beside/push.so") == 0);
    write_model("push.so");
    CHECK(tn_test_shell("mv jet.yaml beside/jet.yaml") == 0);
    CHECK(tenon("check beside/jet.yaml --plugins") == 0);
}

static void plugins_are_off_unless_they_are_allowed(void)
{
    write_model(TN_PLUGINS "/good.so");
    refuses(2, "check jet.yaml",
            "tenon: jet.yaml:2:1: plugins: the code of shared objects would run with all rights of "
            "the user; where you trust them, allow it with --plugins\n");
}

static void what_cannot_be_used_is_refused_with_its_place(void)
{
    write_model(TN_PLUGINS "/other_version.so");
    refuses(2, "check jet.yaml --plugins",
            "tenon: jet.yaml:2:11: plugins: plugin '" TN_PLUGINS "/other_version.so' is made for "
            "Tenon 99.7, but this is 0.1; compile it anew\n");
    write_model("'" TN_PLUGINS "/nothing.so'");
    refuses(2, "check jet.yaml --plugins",
            "tenon: jet.yaml:2:11: plugins: plugin '" TN_PLUGINS "/nothing.so' has no function "
            "tenon_plugin, or it returned nothing\n");
    write_model("missing.so");
    CHECK(tenon("check jet.yaml --plugins") == 2);
    CHECK(
        strncmp(cli.err, "tenon: jet.yaml:2:11: plugins: plugin './missing.so' cannot be loaded",
                strlen("tenon: jet.yaml:2:11: plugins: plugin './missing.so' cannot be loaded")) ==
        0);
    write_text("jet.yaml", "tenon: 1\nplugins: good.so\n");
    refuses(2, "check jet.yaml --plugins",
            "tenon: jet.yaml:2:10: plugins: expected a list of files, found 'good.so'\n");
}

static const tn_test tests[] = {
    {"a plugin adds kinds to a model file", a_plugin_adds_kinds_to_a_model_file},
    {"a relative path is one beside the model", a_relative_path_is_one_beside_the_model},
    {"plugins are off unless they are allowed", plugins_are_off_unless_they_are_allowed},
    {"what cannot be used is refused with its place",
     what_cannot_be_used_is_refused_with_its_place},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
