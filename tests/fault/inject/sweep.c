// SPDX-License-Identifier: MIT
//
// Runs a program again and again, in copies of its process just before main, and lets another call
// fail each time. Every run must end by itself, and with a sentence when it fails; what it was to
// write must be whole, and what was there before must not be lost.
//
//   TN_SWEEP=malloc:10          each 10th allocation (of all, when the program goes through)
//   TN_SWEEP=malloc:1:3         of the calls that the same functions make, one in the other, at
//                               most three: the first, the last and one between. What follows a
//                               failure is the same for those between, but for their number
//   TN_SWEEP_BEFORE=COMMAND     run by the shell before each run
//   TN_SWEEP_CHECK=WORDS        the program runs once more with these, without faults; must end 0
//   TN_SWEEP_SAME=A:B           files that must be equal when a run ends with 0
//   TN_SWEEP_VISIT=1            the program prints an address: ask it for its page, then SIGINT
//   TN_SWEEP_UNTIL=FILE         which waits until there is this file, or a sentence
//
// Prints one line for each bad end and one with counts; exit code 1 when there was a bad one.

#define _GNU_SOURCE
#include "inject.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 60 };           // seconds until a run counts as hung
enum { NO_MEMORY = 3 };           // exit code of a run that did not reach its end
static const double UNTIL = 20.0; // seconds that a file of TN_SWEEP_UNTIL is waited for

static const char OUT[] = "sweep.out", ERR[] = "sweep.err";

typedef struct ends {
    long runs, failed, passed, crashed, hung, silent, miscoded, lost, wrong;
} ends;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long file_size(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

static void redirect(const char *path, int to)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(fd, to);
    close(fd);
}

static pid_t start(tn_main *program, int argc, char **argv, char **envp, bool faults)
{
    fflush(stdout);
    unlink(OUT);
    const pid_t pid = fork();
    if (pid == 0) {
        signal(SIGINT, SIG_DFL); // jobs in the background of a shell are started without it
        redirect(OUT, 1);
        redirect(ERR, 2);
        tn_inject_arm(faults);
        exit(program(argc, argv, envp));
    }
    return pid;
}

// Asks the address that the program has printed for its page, and drops the answer.
static void visit(void)
{
    const char *get = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    const struct timeval limit = {.tv_sec = 5};
    char text[512] = "", bytes[4096];
    const int file = open(OUT, O_RDONLY);
    (void)!read(file, text, sizeof(text) - 1);
    close(file);
    const char *colon = strrchr(text, ':');
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)(colon ? atoi(colon + 1) : 0)),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
        send(fd, get, strlen(get), MSG_NOSIGNAL) > 0)
        while (recv(fd, bytes, sizeof(bytes), 0) > 0)
            ;
    close(fd);
}

// What the program was to write is there, or it has said why not.
static bool is_done(void)
{
    const char *file = getenv("TN_SWEEP_UNTIL");
    return !file || file_size(file) >= 0 || file_size(ERR) > 0;
}

// The status of a run that ended; false when it had to be killed.
static bool wait_for(pid_t pid, bool visiting, int *status)
{
    const double begin = now();
    const struct timespec moment = {0, 1000000};
    bool visited = !visiting, ended = !visiting;

    while (waitpid(pid, status, WNOHANG) == 0) {
        if (!visited && file_size(OUT) > 0) {
            visit();
            visited = true;
        } else if (visited && !ended && (is_done() || now() - begin > UNTIL)) {
            kill(pid, SIGINT);
            ended = true;
        }
        if (now() - begin > PATIENCE) {
            kill(pid, SIGKILL);
            waitpid(pid, status, 0);
            return false;
        }
        nanosleep(&moment, NULL);
    }
    return true;
}

static bool are_equal(const char *pair)
{
    char command[1024];
    const char *colon = strchr(pair, ':');
    snprintf(command, sizeof(command), "cmp -s '%.*s' '%s'", (int)(colon - pair), pair, colon + 1);
    return system(command) == 0;
}

// The first line of what the program said, libraries that it has loaded apart.
static void first_line(char *line, size_t size)
{
    FILE *file = fopen(ERR, "r");
    line[0] = '\0';
    while (file && strncmp(line, "tenon: ", 7) != 0 && fgets(line, (int)size, file))
        line[strcspn(line, "\n")] = '\0';
    if (file)
        fclose(file);
}

static bool check_passes(tn_main *program, char *name, char **envp)
{
    const char *words = getenv("TN_SWEEP_CHECK");
    char text[1024], *argv[32] = {name};
    int argc = 1, status = 0;

    if (!words)
        return true;
    snprintf(text, sizeof(text), "%s", words);
    for (char *word = strtok(text, " "); word && argc < 31; word = strtok(NULL, " "))
        argv[argc++] = word;
    tn_inject_choose("", 0, 0);
    return wait_for(start(program, argc, argv, envp, false), false, &status) && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static void judge(ends *e, const char *kind, long n, bool ended, int status)
{
    const char *same = getenv("TN_SWEEP_SAME");
    char line[512];

    first_line(line, sizeof(line));
    const char *bad = NULL;
    if (!ended)
        e->hung++, bad = "hung";
    else if (!WIFEXITED(status))
        e->crashed++, bad = "crashed";
    else if (WEXITSTATUS(status) > 5)
        e->crashed++, bad = "gave up";
    else if (WEXITSTATUS(status) == 0 && same && !are_equal(same))
        e->wrong++, bad = "wrote something else";
    else if (WEXITSTATUS(status) == 0)
        e->passed++;
    else if (strncmp(line, "tenon: ", 7) != 0 || strlen(line) < 15)
        e->silent++, bad = "said nothing";
    else if (strcmp(kind, "malloc") == 0 && WEXITSTATUS(status) != NO_MEMORY)
        e->miscoded++, bad = "ended with another code";
    else
        e->failed++;
    if (bad)
        printf("%s %ld: %s (status %x): %s\n", kind, n, bad, (unsigned)status, line);
    else if (getenv("TN_SWEEP_TELL"))
        printf("%s %ld: %d %s\n", kind, n, WEXITSTATUS(status), line);
}

// What is swept ----------------------------------------------------------------------------------

typedef struct call {
    uint64_t stack;
    long n;
    bool taken, hit;
} call;

typedef struct sweep {
    tn_main *program;
    int argc;
    char **argv, **envp;
    char kind[16];
    long step, repeats;
    call *calls; // of a run without faults, by stack and number; NULL when they are only counted
    long ncall, nstack;
    long place;    // in the list, of the next call
    bool by_stack; // calls are chosen by stack, not by number
    long n;        // the call that fails, and its stack when that chooses
    uint64_t stack;
    ends ends;
} sweep;

static int by_stack(const void *a, const void *b)
{
    const call *x = a, *y = b;
    if (x->stack != y->stack)
        return x->stack < y->stack ? -1 : 1;
    return x->n < y->n ? -1 : x->n > y->n;
}

static long end_of_stack(const sweep *s, long first)
{
    long end = first;
    while (end < s->ncall && s->calls[end].stack == s->calls[first].stack)
        end++;
    return end;
}

// Of each stack the first call, the last, and as many between as are wanted.
static void choose_calls(sweep *s)
{
    for (long first = 0, end; first < s->ncall; first = end) {
        end = end_of_stack(s, first);
        const long count = end - first, most = count < s->repeats ? count : s->repeats;
        for (long i = 0; i < most; i++)
            s->calls[first + (most > 1 ? i * (count - 1) / (most - 1) : 0)].taken = true;
        s->nstack++;
    }
}

static bool run_once(const sweep *s, int *status)
{
    const char *before = getenv("TN_SWEEP_BEFORE");
    if (before)
        (void)!system(before);
    tn_inject_choose(s->kind, s->by_stack ? 0 : s->n, s->stack);
    return wait_for(start(s->program, s->argc, s->argv, s->envp, true),
                    getenv("TN_SWEEP_VISIT") != NULL, status);
}

// A run in which nothing failed has told all calls and their stacks.
static bool list_calls(sweep *s, bool ended, int status)
{
    tn_inject_record(false);
    s->ncall = tn_inject_count(s->kind);
    s->calls = calloc((size_t)s->ncall + 1, sizeof(*s->calls));
    if (!ended || status != 0 || s->ncall > TN_INJECT_MOST || !s->calls) {
        printf("%s: the run without faults ended with status %x after %ld calls\n", s->kind,
               (unsigned)status, s->ncall);
        return false;
    }
    for (long i = 0; i < s->ncall; i++)
        s->calls[i] = (call){.stack = tn_inject_stacks()[i + 1], .n = i + 1};
    qsort(s->calls, (size_t)s->ncall, sizeof(*s->calls), by_stack);
    choose_calls(s);
    return true;
}

// Threads of runs meet differently each time: the stack that failed counts, not the number.
static void mark_stack(sweep *s, uint64_t stack)
{
    long low = 0, high = s->ncall; // the first call with this stack or a larger one lies there
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (s->calls[middle].stack < stack)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < s->ncall && s->calls[low].stack == stack)
        s->calls[low].hit = true;
}

static void take_down(sweep *s, bool ended, int status)
{
    s->ends.runs++;
    judge(&s->ends, s->kind, s->n, ended, status);
    mark_stack(s, tn_inject_failed());
    if (!check_passes(s->program, s->argv[0], s->envp)) {
        s->ends.lost++;
        printf("%s %ld: the check fails afterwards\n", s->kind, s->n);
    }
}

// Whether a call of the list is to fail: by its number, then those by stack that were not met.
static bool is_next(const sweep *s, long i)
{
    const bool first = i == 0 || s->calls[i - 1].stack != s->calls[i].stack;
    return s->by_stack ? first && !s->calls[i].hit : s->calls[i].taken;
}

static bool next_in_list(sweep *s)
{
    while (s->place < s->ncall && !is_next(s, s->place))
        s->place++;
    if (s->place == s->ncall && !s->by_stack) {
        s->by_stack = true;
        s->place = 0;
        return next_in_list(s);
    }
    if (s->place == s->ncall)
        return false;
    s->n = s->calls[s->place].n;
    s->stack = s->by_stack ? s->calls[s->place].stack : 0;
    s->place++;
    return true;
}

// The call that fails next, number 0 for none; false when all have failed.
static bool next_call(sweep *s)
{
    if (s->repeats > 0 && s->calls)
        return next_in_list(s);
    if (s->repeats > 0)
        tn_inject_record(true);
    else
        s->n += s->step; // until the program makes fewer calls
    return true;
}

// All runs start at this one place: it is part of the stacks.
static bool sweep_calls(sweep *s)
{
    while (next_call(s)) {
        int status = 0;
        const bool ended = run_once(s, &status);
        const bool reached = tn_inject_failed() != 0;
        if (s->n == 0 && !list_calls(s, ended, status))
            return false;
        if (!reached && s->repeats == 0)
            return true;
        if (reached)
            take_down(s, ended, status);
    }
    return true;
}

static void tell(const sweep *s)
{
    const ends *e = &s->ends;
    long hit = 0;

    for (long i = 0; i < s->ncall; i++)
        hit += s->calls[i].hit;
    if (s->calls)
        printf("%s: %ld calls by %ld different stacks, of which %ld have failed\n", s->kind,
               s->ncall, s->nstack, hit);
    printf("%s: %ld runs, %ld failed with a sentence, %ld went through, %ld crashed, %ld hung, "
           "%ld said nothing, %ld ended with another code, %ld wrote something else, "
           "%ld lost results\n",
           s->kind, e->runs, e->failed, e->passed, e->crashed, e->hung, e->silent, e->miscoded,
           e->wrong, e->lost);
}

int tn_sweep(tn_main *program, int argc, char **argv, char **envp)
{
    sweep s = {.program = program, .argc = argc, .argv = argv, .envp = envp, .step = 1};
    const ends *e = &s.ends;

    sscanf(getenv("TN_SWEEP"), "%15[a-z]:%ld:%ld", s.kind, &s.step, &s.repeats);
    unsetenv("LD_PRELOAD");
    const bool swept = sweep_calls(&s);
    if (swept)
        tell(&s);
    free(s.calls);
    return !swept || e->crashed + e->hung + e->silent + e->miscoded + e->wrong + e->lost > 0;
}
