// SPDX-License-Identifier: MIT
//
// Drives the tenon command from tests: runs it, keeps what it prints and reads
// its JSON.

#pragma once

#include "base/alloc.h"
#include "file/document.h"
#include "test.h"

#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLI_TEXT_SIZE = 1 << 19 };

typedef struct cli_result {
    int code;
    char out[CLI_TEXT_SIZE], err[CLI_TEXT_SIZE];
} cli_result;

static cli_result cli; // of the last call of tenon()

static inline void read_text(const char *path, char *text)
{
    FILE *file = fopen(path, "r");

    text[0] = '\0';
    if (!file)
        return;
    const size_t n = fread(text, 1, CLI_TEXT_SIZE - 1, file);
    text[n] = '\0';
    fclose(file);
}

static inline void write_text(const char *path, const char *text)
{
    tn_test_write(path, text, strlen(text));
}

static inline bool file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

// Runs `tenon ARGUMENTS` through the shell and returns its exit code; the texts
// are in `cli`.
static inline int tenon(const char *format, ...) __attribute__((format(printf, 1, 2)));

static inline int tenon(const char *format, ...)
{
    char arguments[2048], line[4096];
    va_list args;

    va_start(args, format);
    vsnprintf(arguments, sizeof(arguments), format, args);
    va_end(args);
    snprintf(line, sizeof(line), "%s %s >stdout.txt 2>stderr.txt", TN_BINARY, arguments);
    const int status = tn_test_shell(line);
    cli.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    read_text("stdout.txt", cli.out);
    read_text("stderr.txt", cli.err);
    return cli.code;
}

// Runs `tenon ARGUMENTS`, which must end with the code, print nothing and say
// exactly this.
static inline void refuses(int code, const char *arguments, const char *message)
{
    CHECK(tenon("%s", arguments) == code);
    CHECK_TEXT(cli.err, message);
    CHECK_TEXT(cli.out, "");
}

// The JSON of a text; tn_document_destroy it. JSON is read by the reader of
// model files.
static inline tn_document *json_of(const char *text)
{
    tn_document *doc = NULL;
    CHECK_OK(tn_document_parse(text, strlen(text), "json", &doc));
    return doc;
}

// The node at a path of keys such as "final.bodies.rod.position", or NULL.
static inline const tn_node *json_at(const tn_document *doc, const char *path)
{
    const tn_node *node = doc->root;
    char key[128];

    while (node && *path) {
        const size_t n = strcspn(path, ".");
        snprintf(key, sizeof(key), "%.*s", (int)n, path);
        node = tn_node_get(node, key);
        path += n + (path[n] == '.');
    }
    return node;
}

static inline double json_number(const tn_document *doc, const char *path)
{
    const tn_node *node = json_at(doc, path);
    double value = NAN;

    CHECK(node != NULL);
    CHECK_OK(tn_node_number(doc, node, path, &value));
    return value;
}

static inline const char *json_text(const tn_document *doc, const char *path)
{
    const tn_node *node = json_at(doc, path);

    CHECK(node != NULL);
    return node->text ? node->text : "";
}

// A fresh folder, so that tests started by hand do not meet what former ones
// left.
static inline void enter_scratch(const char *name)
{
    char line[256];

    snprintf(line, sizeof(line), "rm -rf %s && mkdir %s", name, name);
    if (system(line) != 0 || chdir(name) != 0) {
        fprintf(stderr, "cannot make the folder %s\n", name);
        exit(1);
    }
}
