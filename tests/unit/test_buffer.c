// SPDX-License-Identifier: MIT
//
// Text that grows, and fields of comma separated values.

#include "base/alloc.h"
#include "test.h"
#include "text/buffer.h"

static void pieces_follow_each_other(void)
{
    tn_buffer b = {0};
    char *text = NULL;
    tn_buffer_say(&b, "one");
    tn_buffer_put(&b, ", two and more", 5);
    for (int i = 3; i < 400; i++)
        tn_buffer_format(&b, ", %d", i);
    CHECK(b.length == strlen(b.text) && !b.failed);
    CHECK_OK(tn_buffer_finish(&b, "a text", &text));
    CHECK(strncmp(text, "one, two, 3, 4,", 15) == 0);
    CHECK_TEXT(text + b.length - 5, ", 399");
    tn_free(text);
}

static void fields_are_quoted_where_they_must(void)
{
    static const char *const cases[][2] = {
        {"plain name", "plain name"},     {"a,b", "\"a,b\""}, {"say \"so\"", "\"say \"\"so\"\"\""},
        {"two\nlines", "\"two\nlines\""}, {"", ""},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        tn_buffer b = {0};
        tn_buffer_field(&b, cases[i][0]);
        CHECK_TEXT(b.text, cases[i][1]);
        tn_free(b.text);
    }
}

static void *refuse(void *user, void *block, size_t size)
{
    (void)user;
    if (size == 0)
        free(block);
    return NULL;
}

static void want_of_memory_is_remembered(void)
{
    const tn_allocator none = {refuse, NULL};
    tn_buffer b = {0};
    char *text = NULL;
    tn_set_allocator(&none);
    tn_buffer_say(&b, "one");
    tn_set_allocator(NULL);
    tn_buffer_say(&b, "two");
    tn_buffer_format(&b, "%d", 3);
    CHECK(b.failed && b.length == 0);
    CHECK_STATUS(tn_buffer_write(&b, "four", 4), TN_ERR_MEMORY);
    CHECK_STATUS(tn_buffer_finish(&b, "numbers", &text), TN_ERR_MEMORY);
    CHECK_TEXT(tn_last_error(), "out of memory while writing numbers");
}

static const tn_test tests[] = {
    {"pieces follow each other", pieces_follow_each_other},
    {"fields are quoted where they must", fields_are_quoted_where_they_must},
    {"want of memory is remembered", want_of_memory_is_remembered},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
