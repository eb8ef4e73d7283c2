// SPDX-License-Identifier: MIT
//
// Parameter tables: ranges, their words, defaults and the check of a whole definition.

#include "test.h"

#include "flex/beam.h"
#include "flex/modal_body.h"
#include "kinds/family.h"
#include "kinds/own.h"
#include "model/block.h"
#include "model/output.h"
#include "model/units.h"
#include "read/model_yaml.h"

typedef struct {
    double number;
    int integer;
    tn_vec3 vector;
    tn_mat3 rotation;
    tn_body body;
    tn_joint joint;
} sample;

static const tn_param params[] = {
    {.name = "number",
     .type = TN_PARAM_NUMBER,
     .unit = "N/m",
     .range = TN_POSITIVE,
     .fallback = 2.5,
     .offset = offsetof(sample, number)},
    {.name = "integer",
     .type = TN_PARAM_INTEGER,
     .unit = "",
     .range = TN_NONNEGATIVE,
     .fallback = 3.0,
     .offset = offsetof(sample, integer)},
    {.name = "vector",
     .type = TN_PARAM_VEC3,
     .unit = "m",
     .range = TN_NONNEGATIVE,
     .fallback = 1.0,
     .offset = offsetof(sample, vector)},
    {.name = "rotation",
     .type = TN_PARAM_ROTATION,
     .unit = "",
     .offset = offsetof(sample, rotation)},
    {.name = "body", .type = TN_PARAM_BODY, .unit = "", .offset = offsetof(sample, body)},
    {.name = "joint", .type = TN_PARAM_JOINT, .unit = "", .offset = offsetof(sample, joint)},
};

static sample good(void)
{
    sample s = {.rotation = tn_m3_identity};
    tn_params_default(TN_COUNT(params), params, &s);
    return s;
}

static void defaults_come_from_the_table(void)
{
    const sample s = good();
    CHECK_NEAR(s.number, 2.5, 0.0);
    CHECK(s.integer == 3);
    CHECK_NEAR(s.vector.y, 1.0, 0.0);
    CHECK(s.body.index == -1);
    CHECK(s.joint.index == -1);
    CHECK_NEAR(s.rotation.m[1][1], 1.0, 0.0);
    CHECK_OK(tn_params_check(TN_COUNT(params), params, &s, "thing 'x'"));
}

static void check_refused(sample s, const char *message)
{
    CHECK_STATUS(tn_params_check(TN_COUNT(params), params, &s, "thing 'x'"), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), message);
}

static void faults_name_quantity_value_and_rule(void)
{
    sample s = good();
    s.number = 0.0;
    check_refused(s, "thing 'x': number is 0 N/m; it must be positive");
    s.number = NAN;
    check_refused(s, "thing 'x': number must be finite");
    s = good();
    s.integer = -1;
    check_refused(s, "thing 'x': integer is -1; it must not be negative");
    s = good();
    s.vector.z = -0.5;
    check_refused(s, "thing 'x': vector z is -0.5 m; it must not be negative");
    s.vector.z = -INFINITY;
    check_refused(s, "thing 'x': vector must be finite");
    s = good();
    s.rotation.m[2][0] = NAN;
    check_refused(s, "thing 'x': rotation must be finite");
}

typedef struct {
    tn_range range;
    double inside, edge, outside;
    const char *text;
} interval;

static void ranges_hold_at_their_edges(void)
{
    static const interval cases[] = {
        {TN_NONNEGATIVE, 1.0, 0.0, -1e-300, "must not be negative"},
        {TN_POSITIVE, 1.0, 1e-300, 0.0, "must be positive"},
        {TN_NONZERO, 1.0, -1e-300, 0.0, "must not be zero"},
        {TN_UNIT_INTERVAL, 0.0, 1.0, 1.0 + 1e-15, "must lie between 0 and 1"},
        {TN_AT_LEAST_ONE, 2.0, 1.0, 1.0 - 1e-15, "must be at least 1"},
        {TN_ANY, -1e300, 1e300, INFINITY, "must be finite"},
        {TN_UNBOUNDED, -1.0, INFINITY, NAN, "must be a number, and may be infinite"},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        CHECK_OK(tn_range_check(cases[i].range, cases[i].inside, "x"));
        CHECK_OK(tn_range_check(cases[i].range, cases[i].edge, "x"));
        CHECK_STATUS(tn_range_check(cases[i].range, cases[i].outside, "x"), TN_ERR_MODEL);
        CHECK_TEXT(tn_range_text(cases[i].range), cases[i].text);
    }
}

// Texts that are neither expressions nor files.
static bool is_word(const char *key)
{
    return strcmp(key, "unit") == 0 || strcmp(key, "color") == 0;
}

// Every table of the library is complete enough for help, reader and reference page.
static void check_table(int n, const tn_param *table)
{
    for (int i = 0; i < n; i++) {
        CHECK(table[i].name && *table[i].name);
        CHECK(table[i].text && *table[i].text);
        CHECK(table[i].unit != NULL);
        CHECK(*tn_param_type_text(table[i].type));
        CHECK(table[i].type != TN_PARAM_CHOICE || table[i].choices);
        CHECK(table[i].type != TN_PARAM_TEXT || table[i].choices || is_word(table[i].name) ||
              table[i].role != TN_ROLE_PLAIN); // or names in it would not be those of its part
        for (int k = 0; k < i; k++)
            CHECK(strcmp(table[i].name, table[k].name) != 0);
    }
}

static void all_tables_are_complete(void)
{
    for (int kind = 0; kind < TN_BODY_KIND_COUNT; kind++)
        check_table(tn_body_ops_of(kind)->nparam, tn_body_ops_of(kind)->params);
    for (int kind = 0; kind < TN_JOINT_KIND_COUNT; kind++)
        check_table(tn_joint_ops_of(kind)->nparam, tn_joint_ops_of(kind)->params);
    for (int kind = 0; kind < TN_FORCE_KIND_COUNT; kind++)
        check_table(tn_force_ops_of(kind)->nparam, tn_force_ops_of(kind)->params);
    for (int kind = 0; tn_kind_name(TN_FAMILY_BLOCK, kind); kind++)
        check_table(tn_block_ops_of(kind)->nparam, tn_block_ops_of(kind)->params);
    for (int kind = 0; tn_kind_name(TN_FAMILY_SHAPE, kind); kind++)
        check_table(tn_shape_ops_of(kind)->nparam, tn_shape_ops_of(kind)->params);
    check_table(tn_beam_param_count, tn_beam_params);
    check_table(tn_beam_start_param_count, tn_beam_start_params);
    check_table(tn_modal_param_count, tn_modal_params);
    check_table(tn_section_param_count, tn_section_params);
    check_table(tn_rod_param_count, tn_rod_params);
    check_table(tn_input_param_count, tn_input_params);
    check_table(tn_event_param_count, tn_event_params);
    check_table(tn_output_param_count, tn_output_params);
}

static void check_text_refused(const tn_param *p, const char *text, const char *message)
{
    double place[4];
    CHECK_STATUS(tn_param_read(p, text, "--x", place), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), message);
}

static void values_are_read_from_text(void)
{
    static const char *const choices[] = {"so3", "se3", NULL};
    const tn_param number = {.name = "x", .type = TN_PARAM_NUMBER, .range = TN_POSITIVE};
    const tn_param integer = {.name = "x", .type = TN_PARAM_INTEGER};
    const tn_param text = {.name = "x", .type = TN_PARAM_TEXT, .choices = choices};
    const tn_param vector = {.name = "x", .type = TN_PARAM_VEC3};
    double x = 0.0;
    int n = 0;
    const char *name = NULL;
    CHECK_OK(tn_param_read(&number, "2.5e-3", "--x", &x));
    CHECK_OK(tn_param_read(&integer, "-7", "--x", &n));
    CHECK_OK(tn_param_read(&text, "se3", "--x", &name));
    CHECK(x == 2.5e-3 && n == -7 && !strcmp(name, "se3"));
    check_text_refused(&number, "1x", "--x: expected a number, found '1x'");
    check_text_refused(&number, "-1", "--x is -1; it must be positive");
    check_text_refused(&integer, "2.5", "--x: expected a whole number, found '2.5'");
    check_text_refused(&text, "se4", "--x: unknown value 'se4'; did you mean 'se3'?");
    check_text_refused(&vector, "1", "--x can be stated in the model file only");
}

// A count that does not begin where pointers may: the compiler leaves a gap behind it, or none.
static void lists_are_read_wherever_they_stand(void)
{
    struct places {
        int before;
        int n1;
        const double *x1;
        int n2;
        const double *x2;
    } p = {0};
    const tn_param list = {.name = "x", .type = TN_PARAM_NUMBERS};
    CHECK_OK(tn_param_read(&list, "0.5,0.75", "--x", &p.n1));
    CHECK_OK(tn_param_read(&list, "3", "--x", &p.n2));
    CHECK(p.n1 == 2 && p.x1[0] == 0.5 && p.x1[1] == 0.75 && p.n2 == 1 && p.x2[0] == 3.0);
    tn_param_clear(&list, &p.n1);
    tn_param_clear(&list, &p.n2);
    CHECK(p.n1 == 0 && p.x1 == NULL && p.n2 == 0 && p.x2 == NULL);
    CHECK_STATUS(tn_param_read(&list, "1,,2", "--x", &p.n1), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "--x: expected a number, found ''");
    tn_param_clear(&list, &p.n1);
}

static void check_units(int n, const tn_param *table)
{
    const tn_units u = {4.0, 8.0, 2.0};
    for (int i = 0; i < n; i++)
        if (table[i].type != TN_PARAM_TABLE)
            CHECK(tn_unit_of(u, table[i].unit, true) > 0.0 &&
                  tn_unit_of(u, table[i].unit, false) > 0.0);
}

static void units_are_read_from_their_text(void)
{
    const tn_units u = {4.0, 8.0, 2.0};
    CHECK_NEAR(tn_unit_of(u, "", true), 1.0, 0);
    CHECK_NEAR(tn_unit_of(u, "kg m^2", true), 128.0, 0);
    CHECK_NEAR(tn_unit_of(u, "N", true), 8.0, 0);
    CHECK_NEAR(tn_unit_of(u, "1/s^2", true), 0.25, 0);
    CHECK_NEAR(tn_unit_of(u, "N s^2/m^2", true), 2.0, 0);
    CHECK_NEAR(tn_unit_of(u, "N/m or N m/rad", true), 2.0, 0);
    CHECK_NEAR(tn_unit_of(u, "N/m or N m/rad", false), 32.0, 0);
    CHECK_NEAR(tn_unit_of(u, "N/m^e or N m/rad^e", true), 2.0, 0);
    CHECK_NEAR(tn_unit_of(u, "furlong", true), 0.0, 0);
    for (int kind = 0; tn_body_ops_of(kind); kind++)
        check_units(tn_body_ops_of(kind)->nparam, tn_body_ops_of(kind)->params);
    for (int kind = 0; tn_joint_ops_of(kind); kind++)
        check_units(tn_joint_ops_of(kind)->nparam, tn_joint_ops_of(kind)->params);
    for (int kind = 0; tn_force_ops_of(kind); kind++)
        check_units(tn_force_ops_of(kind)->nparam, tn_force_ops_of(kind)->params);
}

static void items_of_lists_may_have_commas(void)
{
    static const char *const items[] = {"a", "b c", "d,e.angle", "f, g.x", "d'Artag", "'n", "last"};
    const char *list = " a,,\n b c ,'d,e'.angle, \"f, g.x\",d'Artag,'n,last ,";
    char item[12];
    for (int i = 0; i < TN_COUNT(items); i++) {
        CHECK(tn_list_next(&list, sizeof item, item) == (int)strlen(items[i]));
        CHECK_TEXT(item, items[i]);
    }
    CHECK(tn_list_next(&list, sizeof item, item) == -1);
    list = "longer than there is room";
    CHECK(tn_list_next(&list, sizeof item, item) == 25);
    CHECK_TEXT(item, "longer than");
}

static const tn_test tests[] = {
    {"items of lists may have commas", items_of_lists_may_have_commas},
    {"units are read from their text", units_are_read_from_their_text},
    {"defaults come from the table", defaults_come_from_the_table},
    {"faults name quantity, value and rule", faults_name_quantity_value_and_rule},
    {"ranges hold at their edges", ranges_hold_at_their_edges},
    {"all tables are complete", all_tables_are_complete},
    {"values are read from text", values_are_read_from_text},
    {"lists are read wherever they stand", lists_are_read_wherever_they_stand},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
