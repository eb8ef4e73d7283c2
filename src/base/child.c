// SPDX-License-Identifier: MIT
//
// A forked copy rather than another program: users of the library have no command to start. The
// copy runs one function, which touches nothing that other threads of the caller may hold: memory
// comes from malloc, whose locks the system hands over at a fork, HDF5 is used in children only,
// and an interpreter that the copy calls back hands over its own (tn_set_fork). It keeps no file of
// its caller open, above all no lock.

#define _DEFAULT_SOURCE // closefrom
#include "base/child.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int (*fork_of_caller)(void); // NULL: fork()

void tn_set_fork(int (*copy)(void))
{
    fork_of_caller = copy;
}

enum { LOOK_EVERY = 50 }; // time between two questions to the caller if it gives up [ms]

// Libraries print their trouble; the caller has a sentence of its own.
static void be_quiet(void)
{
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (null < 0 || dup2(null, fd) < 0)
            close(fd);
}

// Leaves only the socket, whose new number is returned: above those of the standard files, which it
// has where the caller has closed these.
static int close_other_files(int socket)
{
    enum { FIRST = STDERR_FILENO + 1 };
    if (socket != FIRST && dup2(socket, FIRST) < 0)
        _exit(1);
    closefrom(FIRST + 1);
    return FIRST;
}

// Signals of the terminal reach the whole group; the caller decides what they mean for its child.
static void become_child(int socket, void (*work)(int, void *), void *user)
{
    const struct rlimit none = {0, 0};
    sigset_t signals;
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // a write fails instead
    signal(SIGPROF, SIG_DFL);
    sigemptyset(&signals);
    sigprocmask(SIG_SETMASK, &signals, NULL);
    setrlimit(RLIMIT_CORE, &none);
    const int own = close_other_files(socket);
    be_quiet();
    work(own, user);
    _exit(0);
}

tn_status tn_child_start(void (*work)(int socket, void *user), void *user, tn_child *out)
{
    int pair[2];
    *out = (tn_child){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return tn_fail(TN_ERR_FILE, "cannot start a process: %s", strerror(errno));
    const pid_t pid = fork_of_caller ? fork_of_caller() : fork();
    if (pid == 0) {
        close(pair[0]); // which may be one of the standard files, and would keep the child waiting
        become_child(pair[1], work, user);
    }
    const int error = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return tn_fail(TN_ERR_MEMORY, "cannot start a process: %s", strerror(error));
    }
    *out = (tn_child){pid, pair[0]};
    return TN_OK;
}

static bool move_bytes(int socket, char *at, size_t n, bool out)
{
    while (n > 0) {
        const ssize_t moved = out ? send(socket, at, n, MSG_NOSIGNAL) : recv(socket, at, n, 0);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return false;
        at += moved;
        n -= (size_t)moved;
    }
    return true;
}

bool tn_child_send(int socket, const void *bytes, size_t n)
{
    return move_bytes(socket, (char *)bytes, n, true);
}

bool tn_child_receive(int socket, void *bytes, size_t n)
{
    return move_bytes(socket, bytes, n, false);
}

// Until there is something to receive or the other side is gone; false when neither is so in time.
static bool child_is_there(int socket, int milliseconds)
{
    struct pollfd one = {.fd = socket, .events = POLLIN};
    return poll(&one, 1, milliseconds) > 0;
}

// Making bytes -----------------------------------------------------------------------------------

typedef struct maker {
    tn_child_make make;
    void *user;
    int seconds;
    pid_t caller;
} maker;

// Without padding, whose bytes nobody sets.
typedef struct answer {
    int64_t status; // tn_status
    uint64_t size;  // of the rest: the bytes, or the sentence of a failure
} answer;

// The end of the caller, by whatever signal, is that of the child. The system means the thread that
// forked, so that this is for one who waits for the child.
static void end_with(pid_t caller)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != caller)
        _exit(1);
}

static void make_and_send(int socket, void *user)
{
    const maker *m = user;
    char *bytes = NULL;
    size_t size = 0;
    end_with(m->caller);
    tn_child_allow(m->seconds);
    const tn_status s = m->make(m->user, &bytes, &size);
    const char *text = s == TN_OK ? bytes : tn_last_error();
    const answer a = {s, s == TN_OK ? size : strlen(text)};
    if (tn_child_send(socket, &a, sizeof(a)))
        tn_child_send(socket, text, a.size);
}

// Sets *there if the child has answered.
static tn_status receive_made(const tn_child *child, bool *there, char **bytes, size_t *size)
{
    answer a;
    *there = tn_child_receive(child->socket, &a, sizeof(a));
    if (!*there)
        return TN_OK;
    char *text = tn_alloc(a.size + 1);
    TN_TRY(tn_got(text));
    *there = tn_child_receive(child->socket, text, a.size);
    if (*there && a.status == TN_OK) {
        *bytes = text;
        *size = a.size;
        return TN_OK;
    }
    const tn_status s = *there ? tn_fail((tn_status)a.status, "%s", text) : TN_OK;
    tn_free(text);
    return s;
}

tn_status tn_child_await(const tn_child *child, const tn_child_terms *terms)
{
    const double begin = tn_wall_time();
    do { // checked first, so that a request is seen however quick the child is
        if (terms->give_up && terms->give_up(terms->asked))
            return tn_fail(TN_ERR_STOPPED, "stopped on request");
        if (terms->patience > 0.0 && tn_wall_time() - begin > terms->patience)
            return tn_fail(TN_ERR_MEMORY, "%s gave no answer for %g s", terms->who,
                           terms->patience);
    } while (!child_is_there(child->socket, LOOK_EVERY));
    return TN_OK;
}

tn_status tn_child_take(tn_child_make make, void *user, const tn_child_terms *terms, char **bytes,
                        size_t *size)
{
    maker m = {make, user, terms->seconds, getpid()};
    tn_child child;
    char how[64];
    bool there = false;
    *bytes = NULL;
    TN_TRY(tn_child_start(make_and_send, &m, &child));
    tn_status s = tn_child_await(&child, terms);
    if (s != TN_OK) {
        tn_child_end(&child, true, NULL, 0);
        return s;
    }
    s = receive_made(&child, &there, bytes, size);
    tn_child_end(&child, !there, how, sizeof(how));
    if (s == TN_OK && !there)
        return tn_fail(TN_ERR_MEMORY, "%s %s", terms->who, *how ? how : "ended without a word");
    return s;
}

// The ends of children ---------------------------------------------------------------------------

void tn_child_allow(int seconds)
{
    const struct itimerval time = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_PROF, &time, NULL);
}

static void describe_child(int status, char *how, size_t size)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        snprintf(how, size, "did not come to an end");
    else if (WIFSIGNALED(status))
        snprintf(how, size, "crashed (signal %d)", WTERMSIG(status));
    else if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        snprintf(how, size, "gave up (exit code %d)", WEXITSTATUS(status));
}

void tn_child_end(tn_child *child, bool kill_it, char *how, size_t size)
{
    int status = 0;
    if (how)
        how[0] = '\0';
    if (child->pid == 0)
        return;
    if (kill_it)
        kill(child->pid, SIGKILL);
    close(child->socket);
    pid_t ended;
    do {
        ended = waitpid(child->pid, &status, 0);
    } while (ended < 0 && errno == EINTR);
    if (ended == child->pid && how)
        describe_child(status, how, size);
    *child = (tn_child){.socket = -1};
}
