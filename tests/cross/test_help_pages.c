// SPDX-License-Identifier: MIT
//
// The manual page and the completions of bash and zsh are complete, well formed, and lead to what
// the command takes. Checkers that this machine does not have are skipped.

#include "cli_driver.h"

static char page[CLI_TEXT_SIZE];

// What `tenon help ARGUMENTS` prints, into `page`.
static void read_page(const char *arguments)
{
    CHECK(tenon("help %s", arguments) == 0);
    strcpy(page, cli.out);
    CHECK(strlen(page) > 1000);
}

// A manual page as text: changes of font, \fB, go, and hyphens, \-, lose their backslash.
static void drop_escapes(char *text)
{
    char *to = text;
    for (const char *c = text; *c; c++)
        if (strncmp(c, "\\f", 2) == 0)
            c += 2;
        else if (*c != '\\')
            *to++ = *c;
    *to = '\0';
}

// Whether a word stands in the text, with no letter or hyphen around it.
static bool has_word(const char *text, const char *word)
{
    static const char inside[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    const size_t n = strlen(word);

    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        if ((at == text || !strchr(inside, at[-1])) && !strchr(inside, at[n]))
            return true;
    return false;
}

static void check_word(const char *where, const char *word)
{
    if (!has_word(page, word))
        printf("%s does not have '%s'\n", where, word);
    CHECK(has_word(page, word));
}

// Every command and every option that `tenon help --json` lists is in `page`.
static void page_is_complete(const char *where)
{
    int options = 0;

    CHECK(tenon("help --json") == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *commands = json_at(doc, "commands");
    CHECK(commands && commands->count > 5);
    for (int i = 0; i < commands->count; i++) {
        const tn_node *list = tn_node_get(commands->children[i], "options");
        check_word(where, tn_node_get(commands->children[i], "name")->text);
        for (int k = 0; k < list->count; k++, options++)
            check_word(where, tn_node_get(list->children[k], "name")->text);
    }
    CHECK(options > 100);
    tn_document_destroy(doc);
}

static void pages_are_complete(void)
{
    read_page("--man");
    drop_escapes(page);
    page_is_complete("the manual page");
    read_page("--completion bash");
    page_is_complete("the completion of bash");
    read_page("--completion zsh");
    page_is_complete("the completion of zsh");
}

static bool is_there(const char *program)
{
    char line[128];

    snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", program);
    const bool found = tn_test_shell(line) == 0;
    if (!found)
        printf("skipped: there is no %s\n", program);
    return found;
}

// What a line of the shell prints, into cli.out.
static void shell(const char *line)
{
    char whole[1024];

    snprintf(whole, sizeof whole, "{ %s ; } >shell.txt 2>&1", line);
    const int status = tn_test_shell(whole);
    read_text("shell.txt", cli.out);
    if (status != 0)
        printf("%s\n", cli.out);
    CHECK(status == 0);
}

static void checkers_find_nothing_in_the_manual_page(void)
{
    read_page("--man");
    write_text("tenon.1", page);
    if (is_there("man")) {
        shell("man --warnings -E UTF-8 -l -Tutf8 -Z ./tenon.1 >/dev/null");
        CHECK_TEXT(cli.out, "");
    }
    if (is_there("mandoc")) { // the page has no date, so that it is the same whenever it is made
        shell("mandoc -Tlint -Wwarning tenon.1 | grep -v 'missing date' || true");
        CHECK_TEXT(cli.out, "");
    }
}

// bash --------------------------------------------------------------------------------------------

typedef struct line {
    const char *words;   // up to the place of the cursor, the last one in quotes where it is empty
    const char *answers; // all that bash offers, sorted
} line;

static const line bash_lines[] = {
    {"tenon co", "compare converge"},
    {"tenon --v", "--version"},
    {"tenon run --rot", "--rotation"},
    {"tenon run --no-ad", "--no-adaptive"},
    {"tenon run --rotation e", "euler"},
    {"tenon run --rotation = se", "se3"},
    {"tenon run --rotation =", "auto euler quaternion se3 so3"},
    {"tenon run --step ''", ""},
    {"tenon run --method herk5/", "herk5/baumgarte2 herk5/index2"},
    {"tenon compare --methods auto,herk5/", "auto,herk5/baumgarte2 auto,herk5/index2"},
    {"tenon run m", "models my model.yaml"},
    {"tenon run ''", "models my model.yaml other.json"},
    {"tenon report ''", "models result.h5"},
    {"tenon run -o ''", "models result.h5"},
    {"tenon report --out n", "notes.txt"},
    {"tenon new s", "slider-crank stewart suspension"},
    {"tenon help rev", "revolute"},
    {"tenon help --completion ''", "bash zsh"},
    {"tenon unknown --", ""},
};

static void answers_in_bash(const char *words)
{
    char script[1024];

    snprintf(script, sizeof script,
             "cd files && . ../completion.bash\n"
             "COMP_WORDS=(%s)\n"
             "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
             "_tenon\n"
             "printf '%%s\\n' \"${COMPREPLY[@]}\" | sort | paste -sd ' '\n",
             words);
    write_text("drive.bash", script);
    shell("LC_ALL=C bash drive.bash");
    cli.out[strcspn(cli.out, "\n")] = '\0';
}

static void bash_offers_what_can_stand_there(void)
{
    if (!is_there("bash"))
        return;
    read_page("--completion bash");
    write_text("completion.bash", page);
    shell("mkdir -p files/models && touch 'files/my model.yaml' files/other.json files/result.h5 "
          "files/notes.txt");
    for (int i = 0; i < TN_COUNT(bash_lines); i++) {
        answers_in_bash(bash_lines[i].words);
        if (strcmp(cli.out, bash_lines[i].answers) != 0)
            printf("%s:\n", bash_lines[i].words);
        CHECK_TEXT(cli.out, bash_lines[i].answers);
    }
}

// zsh ---------------------------------------------------------------------------------------------

// Functions of zsh that only exist while it completes print their arguments here.
static void zsh_offers_what_can_stand_there(void)
{
    if (!is_there("zsh"))
        return;
    read_page("--completion zsh");
    write_text("_tenon", page);
    shell("zsh -n _tenon");
    write_text("drive.zsh",
               "_arguments() { print -rl -- \"$@\" }\n_describe() { print -rl -- $commands }\n"
               "compadd() { print -r -- \"$@\" }\nwords=(tenon $1 '') CURRENT=$2\n. ./_tenon\n");
    shell("zsh -f drive.zsh ru 2");
    CHECK(strstr(cli.out, "run:simulate a model\n") && strstr(cli.out, "--version"));
    shell("zsh -f drive.zsh run 3");
    CHECK(strstr(cli.out, "\n--rotation=[") &&
          strstr(cli.out, ": _tenon_words auto so3 se3 quaternion euler \n"));
    CHECK(strstr(cli.out, "\n--no-adaptive[switch off --adaptive]\n"));
    CHECK(strstr(cli.out, ": _tenon_words @model \n"));
}

static void an_unknown_shell_is_refused(void)
{
    refuses(1, "help --completion fish",
            "tenon: --completion: unknown value 'fish'; known are bash, zsh\n");
}

static const tn_test tests[] = {
    {"every command and option is in the manual page and the completions", pages_are_complete},
    {"man and mandoc find nothing to complain about", checkers_find_nothing_in_the_manual_page},
    {"bash offers what can stand there", bash_offers_what_can_stand_there},
    {"zsh offers what can stand there", zsh_offers_what_can_stand_there},
    {"an unknown shell is refused", an_unknown_shell_is_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
