// SPDX-License-Identifier: MIT
//
// What the README and the guide print really runs. In each page, from top to bottom:
//
//   ```yaml NAME.yaml   a block whose first line is "tenon: 1" is written to NAME.yaml
//                       (snippet.yaml when there is no name) and simulated;
//   ```sh               lines that begin with "tenon " or "build/tenon " are run.
//
// A line may end with "# exit 4", the exit code it must have instead of 0, or with "# not run".
// Each page has a folder of its own in which `models` is that of the repository.

#include "cli_driver.h"

#include <dirent.h>

enum { LINE_SIZE = 1024 };

typedef enum kind { NO_BLOCK, OTHER, SHELL, YAML, MODEL } kind;

typedef struct page {
    char name[256]; // for messages
    int line, models, commands;
    kind block;
    char file[128]; // of the model
    FILE *model;
} page;

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void complain(const page *p, const char *what, int code)
{
    printf("%s:%d: '%s' ends with code %d: %s\n", p->name, p->line, what, code, cli.err);
}

static void open_block(page *p, const char *line)
{
    p->block = starts(line, "```sh") ? SHELL : starts(line, "```yaml") ? YAML : OTHER;
    if (p->block == YAML && sscanf(line, "```yaml %127s", p->file) != 1)
        strcpy(p->file, "snippet.yaml");
}

static void close_block(page *p)
{
    const kind block = p->block;
    p->block = NO_BLOCK;
    if (block != MODEL)
        return;
    CHECK(fclose(p->model) == 0);
    p->models++;
    const int code = tenon("run %s --quiet --force --out of-the-page.results", p->file);
    if (code != 0)
        complain(p, p->file, code);
    CHECK(code == 0);
}

static void run_line(page *p, const char *line)
{
    const char *arguments = starts(line, "tenon ")         ? line + 6
                            : starts(line, "build/tenon ") ? line + 12
                                                           : NULL;
    if (!arguments || strstr(line, "# not run"))
        return;
    const char *marker = strstr(line, "# exit ");
    const int expected = marker ? atoi(marker + 7) : 0;
    char words[LINE_SIZE]; // without the comment, which would hide the redirections
    snprintf(words, sizeof(words), "%.*s", (int)strcspn(arguments, "#"), arguments);
    const int code = tenon("%s", words);
    if (code != expected)
        complain(p, line, code);
    CHECK(code == expected);
    p->commands++;
}

static void take_line(page *p, char *line)
{
    if (p->block == NO_BLOCK) {
        if (starts(line, "```"))
            open_block(p, line);
        return;
    }
    if (starts(line, "```")) {
        close_block(p);
        return;
    }
    if (p->block == SHELL) {
        line[strcspn(line, "\n")] = '\0';
        run_line(p, line);
    } else if (p->block == YAML) {
        p->block = starts(line, "tenon: 1") ? MODEL : OTHER;
        p->model = p->block == MODEL ? fopen(p->file, "w") : NULL;
    }
    if (p->block == MODEL) {
        CHECK(p->model != NULL);
        fputs(line, p->model);
    }
}

static page run_page(const char *path)
{
    page p = {0};
    char line[LINE_SIZE];
    snprintf(p.name, sizeof(p.name), "%s", path);
    FILE *file = fopen(tn_test_path(path), "r");
    CHECK(file != NULL);
    enter_scratch("page");
    CHECK(symlink(tn_test_path("models"), "models") == 0);
    for (p.line = 1; fgets(line, sizeof(line), file); p.line++)
        take_line(&p, line);
    fclose(file);
    CHECK(p.block == NO_BLOCK);
    CHECK(chdir("..") == 0);
    printf("%s: %d models, %d commands\n", path, p.models, p.commands);
    return p;
}

static void readme_runs(void)
{
    const page p = run_page("README.md");
    CHECK(p.models >= 1 && p.commands >= 3);
}

static void guide_runs(void)
{
    DIR *folder = opendir(tn_test_path("docs/guide"));
    int models = 0, commands = 0;
    CHECK(folder != NULL);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char path[512];
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".md") != 0)
            continue;
        snprintf(path, sizeof(path), "docs/guide/%s", entry->d_name);
        const page p = run_page(path);
        models += p.models;
        commands += p.commands;
    }
    closedir(folder);
    CHECK(models >= 2 && commands >= 10);
}

static const tn_test tests[] = {
    {"models and commands of the README run", readme_runs},
    {"models and commands of the guide run", guide_runs},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
