// SPDX-License-Identifier: MIT
//
// Children that do work for a process end with it, whatever ends it, and hold nothing of it.

#include "io/child.h"
#include "io/target.h"
#include "test.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void wait_for_ever(int socket, void *user)
{
    (void)user;
    tn_child_send(socket, "!", 1); // it has begun
    for (;;)
        pause();
}

// A process with the lock of a folder and a child; tells the number of the child.
static void be_parent(int out)
{
    tn_child child;
    char begun;
    int lock = -1;
    if (tn_folder_lock("folder", &lock) != TN_OK ||
        tn_child_start(wait_for_ever, NULL, &child) != TN_OK ||
        !tn_child_receive(child.socket, &begun, 1))
        _exit(1);
    (void)!write(out, &child.pid, sizeof(child.pid));
    pause();
}

static void children_end_with_their_parent(void)
{
    int pipes[2], status = 0, lock = -1;
    pid_t child = 0;
    (void)!mkdir("folder", 0777);
    CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0); // its grandchildren become its children
    CHECK(pipe(pipes) == 0);
    const pid_t parent = fork();
    if (parent == 0)
        be_parent(pipes[1]);
    CHECK(read(pipes[0], &child, sizeof(child)) == sizeof(child));
    CHECK(tn_folder_is_locked("folder"));
    CHECK(kill(parent, SIGKILL) == 0 && waitpid(parent, &status, 0) == parent);
    CHECK_OK(tn_folder_lock("folder", &lock)); // at once: the child does not hold it
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    tn_folder_unlock(lock);
    CHECK(rmdir("folder") == 0);
}

// A loop of calls of the system is work too.
static void loop(int socket, void *user)
{
    (void)socket, (void)user;
    tn_child_allow(1);
    for (;;)
        (void)getppid();
}

static void children_that_loop_are_ended(void)
{
    tn_child child;
    char how[64];
    CHECK_OK(tn_child_start(loop, NULL, &child));
    tn_child_end(&child, false, how, sizeof(how));
    CHECK_TEXT(how, "did not come to an end");
}

static volatile sig_atomic_t raised; // by nobody

static tn_status never(void *user, char **bytes, size_t *size)
{
    (void)user, (void)bytes, (void)size;
    while (!raised)
        pause();
    return TN_OK;
}

static void children_that_wait_for_ever_are_given_up_on(void)
{
    const tn_child_terms terms = {.who = "the library", .patience = 0.1};
    char *bytes = NULL;
    size_t size = 0;
    CHECK(tn_child_take(never, NULL, &terms, &bytes, &size) == TN_ERR_MEMORY);
    CHECK_TEXT(tn_last_error(), "the library gave no answer for 0.1 s");
}

static const tn_test tests[] = {
    {"children end with their parent", children_end_with_their_parent},
    {"children that loop are ended", children_that_loop_are_ended},
    {"children that wait for ever are given up on", children_that_wait_for_ever_are_given_up_on},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
