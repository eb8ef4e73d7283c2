// SPDX-License-Identifier: MIT
//
// The JSON writer: its layout to the letter, numbers that read back as they were, and text that
// the document reader takes again.

#include "test.h"

#include "file/document.h"
#include "tenon/json.h"

#include <float.h>
#include <limits.h>
#include <locale.h>

static tn_json *started(void)
{
    tn_json *json = NULL;
    CHECK_OK(tn_json_create(&json));
    return json;
}

static void check_written(tn_json *json, const char *expected)
{
    CHECK_OK(tn_json_finish(json));
    CHECK_TEXT(tn_json_text(json), expected);
    tn_json_destroy(json);
}

static void the_layout_is_two_spaces_per_level(void)
{
    tn_json *json = started();
    CHECK_TEXT(tn_json_text(json), "");
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "status", "ok");
    tn_json_integer(json, "steps", -12);
    tn_json_number(json, "time", 0.1);
    tn_json_boolean(json, "done", true);
    tn_json_boolean(json, "failed", false);
    tn_json_null(json, "reason");
    tn_json_numbers(json, "position", 3, (double[]){0.0, -1.5, 1e-9});
    tn_json_numbers(json, "none", 0, NULL);
    tn_json_begin_array(json, "bodies");
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "name", "rod");
    tn_json_end_object(json);
    tn_json_begin_object(json, NULL);
    tn_json_end_object(json);
    tn_json_string(json, NULL, NULL);
    tn_json_end_array(json);
    tn_json_begin_array(json, "empty");
    tn_json_end_array(json);
    tn_json_end_object(json);
    check_written(json, "{\n"
                        "  \"status\": \"ok\",\n"
                        "  \"steps\": -12,\n"
                        "  \"time\": 0.1,\n"
                        "  \"done\": true,\n"
                        "  \"failed\": false,\n"
                        "  \"reason\": null,\n"
                        "  \"position\": [0, -1.5, 1e-09],\n"
                        "  \"none\": [],\n"
                        "  \"bodies\": [\n"
                        "    {\n"
                        "      \"name\": \"rod\"\n"
                        "    },\n"
                        "    {},\n"
                        "    null\n"
                        "  ],\n"
                        "  \"empty\": []\n"
                        "}\n");
}

static void long_lists_of_numbers_are_wrapped(void)
{
    double values[13] = {0};
    tn_json *json = started();
    tn_json_begin_object(json, NULL);
    tn_json_numbers(json, "short", 12, values);
    tn_json_numbers(json, "long", 13, values);
    tn_json_end_object(json);
    check_written(json, "{\n"
                        "  \"short\": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],\n"
                        "  \"long\": [\n"
                        "    0, 0, 0, 0, 0, 0, 0, 0,\n"
                        "    0, 0, 0, 0, 0\n"
                        "  ]\n"
                        "}\n");
}

static void check_number(double value, const char *expected)
{
    tn_json *json = started();
    tn_json_number(json, NULL, value);
    char line[64];
    snprintf(line, sizeof(line), "%s\n", expected);
    check_written(json, line);
}

static void numbers_are_as_short_as_they_can_be(void)
{
    check_number(0.1, "0.1");
    check_number(1.0 / 3.0, "0.3333333333333333");
    check_number(0.1 + 0.2, "0.30000000000000004");
    check_number(9.81, "9.81");
    check_number(100000.0, "100000");
    check_number(1e22, "1e+22");
    check_number(-0.0, "-0");
    check_number(DBL_MAX, "1.7976931348623157e+308");
    check_number(5e-324, "5e-324");
    check_number(NAN, "null");
    check_number(INFINITY, "null");
    check_number(-INFINITY, "null");
}

static void numbers_read_back_as_they_were(void)
{
    enum { COUNT = 20000 };
    double *values = malloc(COUNT * sizeof(*values));
    tn_json *json = started();
    tn_document *doc = NULL;

    CHECK(values != NULL);
    for (int i = 0; i < COUNT; i++)
        values[i] = ldexp(tn_random(), i % 2098 - 1074); // all exponents, subnormal ones too
    tn_json_numbers(json, NULL, COUNT, values);
    CHECK_OK(tn_json_finish(json));
    const char *text = tn_json_text(json);
    CHECK_OK(tn_document_parse(text, strlen(text), "numbers", &doc));
    CHECK(doc->root->count == COUNT);
    for (int i = 0; i < COUNT; i++) {
        double back = NAN;
        CHECK_OK(tn_node_number(doc, doc->root->children[i], "number", &back));
        CHECK(back == values[i]);
    }
    tn_document_destroy(doc);
    tn_json_destroy(json);
    free(values);
}

static void the_locale_does_not_matter(void)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) // not installed everywhere
        return;
    check_number(0.25, "0.25");
    setlocale(LC_NUMERIC, "C");
}

static void check_string(const char *value, const char *expected)
{
    tn_json *json = started();
    tn_json_string(json, NULL, value);
    check_written(json, expected);
}

static void text_is_escaped_and_always_utf8(void)
{
    check_string("", "\"\"\n");
    check_string("a\"b\\c/d", "\"a\\\"b\\\\c/d\"\n");
    check_string("\b\f\n\r\t\x01\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u007f\"\n");
    check_string("\xc3\xa9\xf0\x9f\x98\x80", "\"\xc3\xa9\xf0\x9f\x98\x80\"\n");
    check_string("a\xff\xc3", "\"a\xef\xbf\xbd\xef\xbf\xbd\"\n");
}

static void text_reads_back_as_it_was(void)
{
    static const char text[] = "body \"1\"\t\\ 100% \xce\xb1: {x}\n- #";
    tn_json *json = started();
    tn_document *doc = NULL;
    const char *back = NULL;

    tn_json_begin_object(json, NULL);
    tn_json_string(json, text, text);
    tn_json_end_object(json);
    CHECK_OK(tn_json_finish(json));
    const char *written = tn_json_text(json);
    CHECK_OK(tn_document_parse(written, strlen(written), "text", &doc));
    CHECK_OK(tn_node_string(doc, tn_node_get(doc->root, text), "text", &back));
    CHECK_TEXT(back, text);
    tn_document_destroy(doc);
    tn_json_destroy(json);
}

static void integers_have_all_their_digits(void)
{
    tn_json *json = started();
    tn_json_integer(json, NULL, LLONG_MIN);
    check_written(json, "-9223372036854775808\n");
}

static void a_failed_allocation_is_remembered(void)
{
    const long live = tn_test_alloc_live();
    bool failed = true;
    for (long n = 1; failed; n++) {
        tn_json *json = NULL;
        tn_test_alloc_fail_at(n);
        tn_status s = tn_json_create(&json);
        if (s == TN_OK) {
            tn_json_begin_array(json, NULL);
            for (int i = 0; i < 1000; i++)
                tn_json_string(json, NULL, "some text");
            tn_json_end_array(json);
            s = tn_json_finish(json);
        }
        failed = tn_test_alloc_failed();
        CHECK(s == (failed ? TN_ERR_MEMORY : TN_OK));
        CHECK(!failed || strncmp(tn_last_error(), "out of memory", 13) == 0);
        tn_json_destroy(json);
        CHECK(tn_test_alloc_live() == live);
    }
    tn_test_alloc_fail_at(0);
    tn_json_destroy(NULL);
}

static void a_format_writes_pieces_with_brackets(void)
{
    tn_json *json = started();
    tn_json_put(json, "{ name %s place { x %g at %i } list [ %d { n %ld }", "rod", 0.5, true, 3,
                4L);
    tn_json_put(json, "] big %lld }", 5LL);
    check_written(json, "{\n"
                        "  \"name\": \"rod\",\n"
                        "  \"place\": {\n    \"x\": 0.5,\n    \"at\": true\n  },\n"
                        "  \"list\": [\n    3,\n    {\n      \"n\": 4\n    }\n  ],\n"
                        "  \"big\": 5\n"
                        "}\n");
    json = started();
    tn_json_put(json, "{ name %s ]", "rod");
    CHECK(tn_json_finish(json) == TN_ERR_USAGE);
    tn_json_destroy(json);
}

static const tn_test tests[] = {
    {"a format writes pieces with brackets", a_format_writes_pieces_with_brackets},
    {"the layout is two spaces per level", the_layout_is_two_spaces_per_level},
    {"long lists of numbers are wrapped", long_lists_of_numbers_are_wrapped},
    {"numbers are as short as they can be", numbers_are_as_short_as_they_can_be},
    {"numbers read back as they were", numbers_read_back_as_they_were},
    {"the locale does not matter", the_locale_does_not_matter},
    {"text is escaped and always UTF-8", text_is_escaped_and_always_utf8},
    {"text reads back as it was", text_reads_back_as_it_was},
    {"integers have all their digits", integers_have_all_their_digits},
    {"a failed allocation is remembered", a_failed_allocation_is_remembered},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
