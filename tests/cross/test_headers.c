// SPDX-License-Identifier: MIT
//
// Each public header compiles alone, in C17 and in C++17, without a warning; and a program in C++
// that uses values, ids and functions does.

#include "test.h"

#include <dirent.h>

static const char *const WARNINGS = "-Wall -Wextra -Wpedantic -Werror -fsyntax-only";

// Whether the compiler takes a program; `language` is "c" or "c++".
static bool compiles(const char *compiler, const char *language, const char *program)
{
    char command[1024];
    FILE *file = fopen("program.txt", "w");
    CHECK(file != NULL);
    fputs(program, file);
    fclose(file);
    snprintf(command, sizeof command, "'%s' -std=%s17 %s -I '%s/include' -x %s program.txt",
             compiler, language, WARNINGS, TN_SOURCE_DIR, language);
    return system(command) == 0;
}

static void check_headers(const char *compiler, const char *language)
{
    DIR *folder = opendir(TN_SOURCE_DIR "/include/tenon");
    int count = 0;
    CHECK(folder != NULL);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char program[512];
        if (!strstr(entry->d_name, ".h"))
            continue;
        snprintf(program, sizeof program, "#include <tenon/%s>\n", entry->d_name);
        if (!compiles(compiler, language, program))
            CHECK_TEXT(entry->d_name, "a header without warnings");
        count++;
    }
    closedir(folder);
    CHECK(count > 10);
}

static void headers_compile_alone_in_c(void)
{
    check_headers(TN_C_COMPILER, "c");
}

static void headers_compile_alone_in_cpp(void)
{
    if (*TN_CXX_COMPILER)
        check_headers(TN_CXX_COMPILER, "c++");
    else
        printf("there is no compiler of C++ here\n");
}

static void a_program_in_cpp_compiles(void)
{
    if (*TN_CXX_COMPILER)
        CHECK(compiles(TN_CXX_COMPILER, "c++",
                       "#include <tenon/tenon.h>\n"
                       "int main() {\n"
                       "    tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);\n"
                       "    pin.body_a = TN_GROUND;\n"
                       "    pin.frame_b.p = tn_v3_add(tn_v3(1, 0, 0), pin.frame_a.p);\n"
                       "    return tn_model_add_joint(nullptr, &pin).index;\n"
                       "}\n"));
}

// A warning is one: the compiler is asked as it should be.
static void a_warning_is_noticed(void)
{
    CHECK(!compiles(TN_C_COMPILER, "c", "int main(int n) { return 0; }\n"));
}

static const tn_test tests[] = {
    {"headers compile alone in C", headers_compile_alone_in_c},
    {"headers compile alone in C++", headers_compile_alone_in_cpp},
    {"a program in C++ compiles", a_program_in_cpp_compiles},
    {"a warning is noticed", a_warning_is_noticed},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
