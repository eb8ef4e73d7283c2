// SPDX-License-Identifier: MIT
//
// The reference page of the model format and that of combinations are those that the tables give,
// and what they show works. TN_UPDATE=1 writes the pages anew.

#include "tenon/help.h"
#include "test.h"

#include "base/alloc.h"
#include "kinds/family.h"
#include "read/model_yaml.h"
#include "start/combinations.h"

static char *read_page(const char *page)
{
    enum { ROOM = 1 << 20 };
    char *text = tn_alloc(ROOM);
    FILE *f = fopen(tn_test_path(page), "rb");

    CHECK(text && f);
    const size_t length = fread(text, 1, ROOM - 1, f);
    CHECK(length < ROOM - 1);
    text[length] = '\0';
    fclose(f);
    return text;
}

static void update_page(const char *page, const char *text)
{
    FILE *f = fopen(tn_test_path(page), "wb");

    CHECK(f != NULL);
    CHECK(fputs(text, f) >= 0);
    CHECK(fclose(f) == 0);
}

// Frees the text.
static void compare_page(const char *page, char *text)
{
    if (getenv("TN_UPDATE"))
        update_page(page, text);
    char *committed = read_page(page);
    CHECK(strcmp(text, committed) == 0); // otherwise: run this test with TN_UPDATE=1 and commit
    tn_free(committed);
    tn_free(text);
}

static void the_pages_are_what_the_tables_say(void)
{
    char *text = NULL;

    CHECK_OK(tn_help_reference(&text));
    compare_page("docs/formats/model.md", text);
    CHECK_OK(tn_combinations_page(&text));
    compare_page("docs/theory/combinations.md", text);
}

static void the_example_of_the_page_is_a_model(void)
{
    char *text = NULL;
    tn_model *model = NULL;
    tn_simulate simulate;

    CHECK_OK(tn_help_reference(&text));
    char *start = strstr(text, "```yaml\n");
    CHECK(start != NULL);
    start += strlen("```yaml\n");
    char *end = strstr(start, "```");
    CHECK(end != NULL);
    *end = '\0';
    CHECK_OK(tn_model_parse(start, "example", &model, &simulate));
    CHECK(tn_model_joint_count(model) == 1 && tn_model_force_count(model) == 1);
    CHECK_NEAR(simulate.t_end, 5.0, 0.0);
    tn_model_destroy(model);
    tn_free(text);
}

static void check_named(const char *text, int n, const tn_param *params)
{
    for (int i = 0; i < n; i++) {
        char row[128];
        snprintf(row, sizeof(row), "| `%s` |", params[i].name);
        CHECK(strstr(text, row) != NULL);
    }
}

static void the_page_names_every_kind_and_every_key(void)
{
    char *text = NULL;
    char heading[128];

    CHECK_OK(tn_help_reference(&text));
    for (int k = 0; k < TN_JOINT_KIND_COUNT; k++) {
        snprintf(heading, sizeof(heading), "\n### %s\n", tn_joint_ops_of(k)->name);
        const char *section = strstr(text, heading);
        CHECK(section != NULL);
        check_named(section, tn_joint_ops_of(k)->nparam, tn_joint_ops_of(k)->params);
    }
    for (int k = 0; k < TN_FORCE_KIND_COUNT; k++) {
        snprintf(heading, sizeof(heading), "\n### %s\n", tn_force_ops_of(k)->name);
        const char *section = strstr(text, heading);
        CHECK(section != NULL);
        check_named(section, tn_force_ops_of(k)->nparam, tn_force_ops_of(k)->params);
    }
    check_named(text, tn_simulate_param_count, tn_simulate_params);
    tn_free(text);
}

static void help_on_a_kind_lists_its_keys(void)
{
    char *text = NULL;

    CHECK_OK(tn_help_text("screw", &text));
    CHECK(strstr(text, "pitch") && strstr(text, "[m/rad]") && strstr(text, "frame_a"));
    tn_free(text);
    CHECK_OK(tn_help_text("planar", &text)); // a body and a joint
    CHECK(strstr(text, "body planar") && strstr(text, "joint planar"));
    tn_free(text);
    CHECK_OK(tn_help_text("simulate", &text));
    CHECK(strstr(text, "rho_inf") != NULL);
    tn_free(text);
}

static void help_on_an_unknown_kind_names_the_nearest(void)
{
    char *text = NULL;

    CHECK_STATUS(tn_help_text("revolut", &text), TN_ERR_USAGE);
    CHECK(text == NULL);
    CHECK_TEXT(tn_last_error(),
               "no kind of body, joint, force or shape is called 'revolut'; did you mean "
               "'revolute'?");
}

static void running_out_of_memory_leaks_nothing(void)
{
    const long live = tn_test_alloc_live();
    char *text = NULL;
    long n = 1;

    for (;; n++) {
        tn_test_alloc_fail_at(n);
        const tn_status s = tn_help_reference(&text);
        if (s == TN_OK)
            break;
        CHECK_STATUS(s, TN_ERR_MEMORY);
        CHECK(text == NULL && tn_test_alloc_live() == live);
    }
    CHECK(n > 3);
    tn_free(text);
}

static const tn_test tests[] = {
    {"the pages are what the tables say", the_pages_are_what_the_tables_say},
    {"the example of the page is a model", the_example_of_the_page_is_a_model},
    {"the page names every kind and every key", the_page_names_every_kind_and_every_key},
    {"help on a kind lists its keys", help_on_a_kind_lists_its_keys},
    {"help on an unknown kind names the nearest", help_on_an_unknown_kind_names_the_nearest},
    {"running out of memory leaks nothing", running_out_of_memory_leaks_nothing},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
