// SPDX-License-Identifier: MIT
//
// The `tenon` command: the table of commands, and the choice of one.

#include "cli.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

const cli_command *const cli_commands[] = {
    &cmd_new,     &cmd_run,         &cmd_report,  &cmd_plot,      &cmd_view,
    &cmd_check,   &cmd_equilibrium, &cmd_modes,   &cmd_linearize, &cmd_inverse,
    &cmd_methods, &cmd_converge,    &cmd_compare, &cmd_sweep,     &cmd_expand,
    &cmd_import,  &cmd_reduce,      &cmd_paper,   &cmd_doctor,    &cmd_help,
};
const int cli_command_count = CLI_COUNT(cli_commands);

static int word_count;
static char **word;

char **cli_words(int *count)
{
    *count = word_count > 2 ? word_count - 2 : 0;
    return word + (word_count > 2 ? 2 : word_count);
}

char *cli_command_line(void)
{
    char *line = NULL;
    return tn_shell_line("tenon", word_count - 1, word + 1, &line) == TN_OK ? line : NULL;
}

static tn_status print_version(void)
{
    if (!cli_json()) {
        printf("tenon %s\n", tn_version());
        return TN_OK;
    }
    tn_json *json = cli_json_begin();
    tn_json_object(json, NULL, "version %s", tn_version());
    return cli_print_json(json);
}

static tn_status unknown_command(const char *name)
{
    const char *known[CLI_COUNT(cli_commands)];
    for (int i = 0; i < cli_command_count; i++)
        known[i] = cli_commands[i]->name;
    return tn_fail_unknown("command", name, cli_command_count, known);
}

// A file that is opened while 0, 1 or 2 are free would get what is printed.
static void hold_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            _exit(CLI_USAGE);
}

// Sanitizers take terabytes of addresses, and their functions do not work so early.
#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if !defined(__SANITIZE_ADDRESS__) && !HAS_FEATURE(address_sanitizer)

// OpenBLAS takes memory for each processor while it is loaded, before main, and tries for ever
// where a limit (ulimit -v) leaves none. What is in .preinit_array runs before libraries do: there
// is nothing to print with yet but write.
#define LEAST_MEMORY 400 // MB; measured: 250 to 300 with one thread
#define AMPLE_MEMORY 4096
#define TEXT_OF(number) TEXT_OF_IT(number)
#define TEXT_OF_IT(number) #number

// OpenBLAS reads the environment that the system hands to the program: another one takes another
// start, after which the variable is there. Where that cannot be, it takes what it takes.
static void start_with_one_thread(char **argv, char **environment)
{
    enum { MOST_VARIABLES = 4096 };
    static const char name[] = "OPENBLAS_NUM_THREADS=";
    static char one_thread[] = "OPENBLAS_NUM_THREADS=1";
    static char *own[MOST_VARIABLES + 2]; // ends with NULL
    int n = 0;
    for (; environment[n] && n < MOST_VARIABLES; n++) {
        if (strncmp(environment[n], name, sizeof name - 1) == 0)
            return;
        own[n] = environment[n];
    }
    own[n] = one_thread;
    if (!environment[n])
        execve("/proc/self/exe", argv, own);
}

static void look_at_memory(int argc, char **argv, char **environment)
{
    static const char text[] = "tenon: less than " TEXT_OF(
        LEAST_MEMORY) " MB of memory are allowed (ulimit -v), and the libraries need that to "
                      "start; raise the limit\n";
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    if (limit.rlim_cur >> 20 < LEAST_MEMORY) {
        const ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
        (void)ignored;
        _exit(CLI_NUMERICS);
    }
    if (limit.rlim_cur >> 20 < AMPLE_MEMORY)
        start_with_one_thread(argv, environment);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const before_libraries)(int, char **, char **) = look_at_memory;

#endif

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";
    hold_standard_files();
    setenv("OPENBLAS_NUM_THREADS", "1",
           0); // others would wait for work, busily, while it is loaded
    word_count = argc;
    word = argv;
    cli_set_json(cli_has_flag(argc, argv, "--json"));
    tn_plugin_allow(cli_has_flag(argc, argv, "--plugins"));
    if (strcmp(name, "--version") == 0)
        return cli_finish(print_version());
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "--json") == 0)
        name = "help";
    const cli_command *command = cli_find_command(name);
    if (!command)
        return cli_finish(unknown_command(name));
    if (cli_has_flag(argc - 2, argv + 2, "--help") || cli_has_flag(argc - 2, argv + 2, "-h")) {
        char *words[] = {(char *)command->name, NULL};
        return cli_run(&cmd_help, 1, words);
    }
    return cli_run(command, argc > 2 ? argc - 2 : 0, argv + 2);
}
