// SPDX-License-Identifier: MIT
//
// What the README and the guide print really runs. In each page, from top to bottom:
//
//   ```yaml NAME.yaml   a block whose first line is "tenon: 1" is written to NAME.yaml
//                       (snippet.yaml when there is no name) and simulated;
//   ```sh               lines that begin with "tenon " or "build/tenon " are run.
//
// `tenon view` serves until it is interrupted, and `tenon report` needs the page: lines of the
// first are not run, nor lines of the second by a Tenon without the page. A line may end with "#
// exit 4", the exit code it must have instead of 0, or with "# not run". Each page has a folder of
// its own in which `models` is that of the repository.
//
// What the pages say of the source is still there:
//
//   ```c                stands in the source file that is linked last in the paragraph above it,
//                       line by line up to leading white space; a line "// …" leaves lines out;
//   [text](path#part)   leads to a file and, in a page, to a heading;
//   docs/tour.md leads to the first step in at most 40 functions, which stand in the files that
//   their lines link;
//   docs/formats/json.md names every key that commands print, in backquotes.

#include "cli_driver.h"
#include "page/page.h"

#include <dirent.h>

enum { LINE_SIZE = 1024, PATH_SIZE = 512, TEXT_SIZE = 1 << 17 };

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

static bool ends(const char *text, const char *with)
{
    const size_t n = strlen(text), m = strlen(with);
    return n >= m && strcmp(text + n - m, with) == 0;
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
    if (!arguments || strstr(line, "# not run") || starts(arguments, "view "))
        return;
    if (tn_report_check() != TN_OK && (starts(arguments, "report ") || strstr(line, " --report")))
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
        char path[PATH_SIZE];
        if (!ends(entry->d_name, ".md"))
            continue;
        snprintf(path, sizeof(path), "docs/guide/%s", entry->d_name);
        const page p = run_page(path);
        models += p.models;
        commands += p.commands;
    }
    closedir(folder);
    CHECK(models >= 2 && commands >= 10);
}

// Every page -------------------------------------------------------------------------------------

// Calls `each` with the path of every page: those of the root, then of the folders of docs.
static int for_each_page(void (*each)(const char *path))
{
    static const char *const folders[] = {".", "docs", "docs/formats", "docs/guide", "docs/theory"};
    int count = 0;
    for (int k = 0; k < TN_COUNT(folders); k++) {
        DIR *folder = opendir(tn_test_path(folders[k]));
        CHECK(folder != NULL);
        for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
            char path[PATH_SIZE];
            if (!ends(entry->d_name, ".md"))
                continue;
            snprintf(path, sizeof(path), "%s/%s", folders[k], entry->d_name);
            each(path);
            count++;
        }
        closedir(folder);
    }
    return count;
}

// The next link in a line: its target, taken relative to the page, and the part of it after #.
// Returns where to search on, or NULL when there is none.
static const char *next_link(const char *line, const char *page_path, char *target, char *part)
{
    const char *from = strstr(line, "](");
    if (!from)
        return NULL;
    from += 2;
    const int whole = (int)strcspn(from, ")"), name = (int)strcspn(from, "#)");
    const int folder = (int)(strrchr(page_path, '/') - page_path);
    if (name == 0) // a heading of the same page
        snprintf(target, PATH_SIZE, "%s", page_path);
    else
        snprintf(target, PATH_SIZE, "%.*s/%.*s", folder, page_path, name, from);
    snprintf(part, PATH_SIZE, "%.*s", whole > name ? whole - name - 1 : 0, from + name + 1);
    return from + whole;
}

// Excerpts ----------------------------------------------------------------------------------------

typedef struct excerpt {
    char file[PATH_SIZE];   // source file of the paragraph, empty when it names none
    char source[TEXT_SIZE]; // its text from a new line on, without leading white space
    char chunk[TEXT_SIZE];  // lines of the excerpt since its begin or since lines were left out
    const char *from;       // where the chunk is searched
} excerpt;

static int excerpts;

static void append_trimmed(char *text, const char *line)
{
    const size_t n = strlen(text);
    line += strspn(line, " \t");
    snprintf(text + n, TEXT_SIZE - n, "%.*s\n", (int)strcspn(line, "\n"), line);
}

static void read_source(excerpt *e)
{
    char line[LINE_SIZE];
    FILE *file = fopen(tn_test_path(e->file), "r");
    if (!file)
        printf("cannot open '%s'\n", e->file);
    CHECK(file != NULL);
    strcpy(e->source, "\n");
    while (fgets(line, sizeof(line), file))
        append_trimmed(e->source, line);
    fclose(file);
    e->from = e->source;
}

static void find_chunk(excerpt *e, const char *path, int line)
{
    if (e->chunk[1] != '\0') {
        const char *found = strstr(e->from, e->chunk);
        if (!found)
            printf("%s:%d: not in %s:%s", path, line, e->file, e->chunk);
        CHECK(found != NULL);
        e->from = found + strlen(e->chunk) - 1;
    }
    strcpy(e->chunk, "\n");
}

// Keeps the source file that a line of text links; a new paragraph names its own.
static void note_links(excerpt *e, const char *path, const char *line, bool begins)
{
    char target[PATH_SIZE], part[PATH_SIZE];
    if (begins)
        e->file[0] = '\0';
    for (const char *at = line; (at = next_link(at, path, target, part));)
        if (ends(target, ".c") || ends(target, ".h"))
            strcpy(e->file, target);
}

static void check_excerpts(const char *path)
{
    static excerpt e;
    char line[LINE_SIZE];
    bool inside = false, source = false, blank = true;
    FILE *file = fopen(tn_test_path(path), "r");
    CHECK(file != NULL);
    e.file[0] = '\0';
    for (int n = 1; fgets(line, sizeof(line), file); n++) {
        const bool fence = starts(line, "```");
        if (!inside && strcmp(line, "```c\n") == 0) {
            source = true;
            read_source(&e);
            strcpy(e.chunk, "\n");
        } else if (source && (fence || ends(line, "// …\n"))) {
            find_chunk(&e, path, n);
            excerpts += fence;
            source = !fence;
        } else if (source)
            append_trimmed(e.chunk, line);
        else if (!inside && !fence && line[0] != '\n')
            note_links(&e, path, line, blank);
        inside ^= fence;
        blank = line[0] == '\n';
    }
    fclose(file);
}

static void excerpts_stand_in_the_source(void)
{
    excerpts = 0;
    for_each_page(check_excerpts);
    printf("%d excerpts\n", excerpts);
    CHECK(excerpts >= 6);
}

// Links -------------------------------------------------------------------------------------------

static int links;

// The name that a heading has in links: small letters, - for spaces, no other signs.
static void anchor(const char *heading, char *name)
{
    heading += strspn(heading, "# ");
    for (; *heading && *heading != '\n'; heading++) {
        const char c = *heading;
        if (c >= 'A' && c <= 'Z')
            *name++ = (char)(c + 'a' - 'A');
        else if (c == ' ')
            *name++ = '-';
        else if (c == '-' || c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            *name++ = c;
    }
    *name = '\0';
}

static bool has_heading(const char *path, const char *part)
{
    char line[LINE_SIZE], name[LINE_SIZE];
    bool found = false;
    FILE *file = fopen(tn_test_path(path), "r");
    while (file && !found && fgets(line, sizeof(line), file)) {
        anchor(line, name);
        found = line[0] == '#' && strcmp(name, part) == 0;
    }
    if (file)
        fclose(file);
    return found;
}

static void check_links(const char *path)
{
    char line[LINE_SIZE], target[PATH_SIZE], part[PATH_SIZE];
    bool inside = false;
    FILE *file = fopen(tn_test_path(path), "r");
    CHECK(file != NULL);
    for (int n = 1; fgets(line, sizeof(line), file); n++) {
        inside ^= starts(line, "```");
        const char *at = inside ? NULL : next_link(line, path, target, part);
        for (; at; at = next_link(at, path, target, part), links++) {
            const bool good = strstr(target, "://") || (file_exists(tn_test_path(target)) &&
                                                        (!part[0] || has_heading(target, part)));
            if (!good)
                printf("%s:%d: nothing at %s %s\n", path, n, target, part);
            CHECK(good);
        }
    }
    fclose(file);
}

static void links_lead_somewhere(void)
{
    links = 0;
    const int pages = for_each_page(check_links);
    printf("%d links in %d pages\n", links, pages);
    CHECK(pages >= 15 && links >= 100);
}

// The walk ----------------------------------------------------------------------------------------

enum { WALK_MOST = 40 };

// Whether a function of this name begins in the source: in a line that is not indented.
static bool has_function(const char *source, const char *name)
{
    char begin[80];
    snprintf(begin, sizeof(begin), " %s(", name);
    for (const char *at = source; (at = strstr(at, begin)); at++) {
        const char *line = at;
        while (line > source && line[-1] != '\n')
            line--;
        if (*line != ' ' && *line != '/')
            return true;
    }
    return false;
}

// A line of the table, "| 3 | `function` | [file.c](path) | text |".
static void check_walk_line(const char *line)
{
    static char source[CLI_TEXT_SIZE];
    char name[64] = "", target[PATH_SIZE], part[PATH_SIZE];
    const char *quoted = strchr(line, '`');
    CHECK(quoted && sscanf(quoted, "`%63[a-z_]`", name) == 1);
    CHECK(next_link(line, "docs/tour.md", target, part) != NULL);
    read_text(tn_test_path(target), source);
    if (!has_function(source, name))
        printf("docs/tour.md: no function '%s' in %s\n", name, target);
    CHECK(has_function(source, name));
}

static void the_walk_is_short_and_leads_along_functions(void)
{
    char line[LINE_SIZE];
    int number, count = 0;
    FILE *file = fopen(tn_test_path("docs/tour.md"), "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof(line), file))
        if (sscanf(line, "| %d |", &number) == 1) {
            CHECK(number == ++count);
            check_walk_line(line);
        }
    fclose(file);
    CHECK(count >= 20 && count <= WALK_MOST);
}

// JSON --------------------------------------------------------------------------------------------

static int keys;

// Each key of the tree occurs in the page; keys of maps by name are names of the model.
static void check_keys(const tn_node *node, const char *text, bool names)
{
    for (int i = 0; i < node->count; i++) {
        const char *key = node->keys ? node->keys[i]->text : "";
        char quoted[256];
        snprintf(quoted, sizeof(quoted), "`%s`", key);
        if (node->keys && !names) {
            if (!strstr(text, quoted))
                printf("docs/formats/json.md does not name %s\n", quoted);
            CHECK(strstr(text, quoted) != NULL);
            keys++;
        }
        const tn_node *child = node->children[i];
        const bool by_name =
            child->keys && (strcmp(key, "bodies") == 0 || strcmp(key, "joints") == 0 ||
                            strcmp(key, "unique") == 0);
        check_keys(child, text, by_name);
    }
}

static void json_page_names_every_key(void)
{
    static char text[CLI_TEXT_SIZE];
    static const char *const commands[] = {
        "run models/fourbar_spatial.yaml --t-end 0.01 --out json --json --require 'g<1'",
        "check models/fourbar_spatial.yaml --json",
        "check models/fourbars_flat.yaml --along --t-end 1 --json",
        "run models/fourbars_flat.yaml --t-end 1 --out json2 --json",
        "check models/absent.yaml --json",
        "methods --json",
        "compare models/pendulum.yaml --t-end 0.1 --methods galpha/ggl --steps 0.01 --json",
        "converge models/pendulum.yaml --t-end 0.1 --methods galpha/ggl --tols 1e-4 --json",
        "equilibrium models/governor.yaml --spin 5 --json",
        "linearize models/governor.yaml --spin 5 --matrices joint --json",
        "modes models/governor.yaml --spin 5 --shapes --json",
        "modes models/governor.yaml --over spin=0:5:3 --json",
        "inverse models/arm.yaml --reactions --t-end 0.1 --json",
        "reduce models/parts/arm.yaml -o arm.h5 --json",
        "report json --json",
        "plot json energy -o energy.svg --json",
        "plot json --list --json",
        "help revolute --json",
        "help --reference --json",
        "help --json",
        "new pendulum --json",
        "expand models/chain.yaml -o flat.yaml --json",
        ("sweep models/pendulum.yaml --set length=1:2:2 --outputs 'bob.position.x' --t-end 0.01 "
         "--out swept --json"),
        "doctor --json",
        "--version --json",
    };
    read_text(tn_test_path("docs/formats/json.md"), text);
    enter_scratch("json");
    CHECK(symlink(tn_test_path("models"), "models") == 0);
    keys = 0;
    for (int k = 0; k < TN_COUNT(commands); k++) {
        tenon("%s", commands[k]);
        tn_document *doc = json_of(cli.out);
        check_keys(doc->root, text, false);
        tn_document_destroy(doc);
    }
    CHECK(chdir("..") == 0);
    printf("%d keys\n", keys);
    CHECK(keys >= 80);
}

static const tn_test tests[] = {
    {"models and commands of the README run", readme_runs},
    {"models and commands of the guide run", guide_runs},
    {"excerpts stand in the source", excerpts_stand_in_the_source},
    {"links lead somewhere", links_lead_somewhere},
    {"the walk is short and leads along functions", the_walk_is_short_and_leads_along_functions},
    {"the page on JSON names every key", json_page_names_every_key},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
