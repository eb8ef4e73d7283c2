// SPDX-License-Identifier: MIT
//
// Children that do work for a process end with it, whatever ends it, and hold nothing of it.

#include "base/child.h"
#include "test.h"
#include "text/target.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t raised; // by nobody

static void wait_for_ever(void)
{
    while (!raised)
        pause();
}

// Sends back what it gets, until nobody is there.
static void echo(int socket, void *user)
{
    char byte;
    (void)user;
    while (tn_child_receive(socket, &byte, 1))
        tn_child_send(socket, &byte, 1);
}

static bool is_echoed(const tn_child *child)
{
    char byte = 0;
    return tn_child_send(child->socket, "!", 1) && tn_child_receive(child->socket, &byte, 1) &&
           byte == '!';
}

// A process with the lock of a folder and a child tells the number of the child.
static void be_asker(int out)
{
    tn_child child;
    int lock = -1;
    if (tn_folder_lock("folder", &lock) != TN_OK || tn_child_start(echo, NULL, &child) != TN_OK ||
        !is_echoed(&child))
        _exit(1);
    (void)!write(out, &child.pid, sizeof(child.pid));
    wait_for_ever();
}

// Called in the child of a child: nobody else has its number.
static tn_status tell_number_and_wait(void *user, char **bytes, size_t *size)
{
    const pid_t self = getpid();
    const int fifo = open(user, O_WRONLY);
    (void)bytes, (void)size;
    (void)!write(fifo, &self, sizeof(self));
    wait_for_ever();
    return TN_OK;
}

static void be_waiter(int out)
{
    const tn_child_terms terms = {.who = "the library"};
    char *bytes = NULL;
    size_t size = 0;
    int lock = -1;
    (void)out;
    if (tn_folder_lock("folder", &lock) == TN_OK)
        (void)tn_child_take(tell_number_and_wait, "folder.fifo", &terms, &bytes, &size);
    _exit(1);
}

// How the child ends when its parent, which tells its number through the pipe, is killed.
static int end_of_child(void (*be_parent)(int out), int in, int out)
{
    int status = 0, lock = -1;
    pid_t child = 0;
    (void)!mkdir("folder", 0777);
    CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0); // its grandchildren become its children
    const pid_t parent = fork();
    if (parent == 0)
        be_parent(out);
    CHECK(read(in, &child, sizeof(child)) == sizeof(child));
    CHECK(tn_folder_is_locked("folder"));
    CHECK(kill(parent, SIGKILL) == 0 && waitpid(parent, &status, 0) == parent);
    CHECK_OK(tn_folder_lock("folder", &lock)); // at once: the child does not hold it
    CHECK(waitpid(child, &status, 0) == child);
    tn_folder_unlock(lock);
    CHECK(rmdir("folder") == 0);
    return status;
}

static void children_end_with_their_parent(void)
{
    int pipes[2];
    CHECK(pipe(pipes) == 0);
    CHECK(end_of_child(be_asker, pipes[0], pipes[1]) == 0);
    remove("folder.fifo");
    CHECK(mkfifo("folder.fifo", 0600) == 0);
    const int fifo = open("folder.fifo", O_RDWR);
    const int status = end_of_child(be_waiter, fifo, -1);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    close(fifo);
    remove("folder.fifo");
}

static void *start_echo(void *child)
{
    return tn_child_start(echo, NULL, child) == TN_OK ? child : NULL;
}

// By the system: pthread_join returns before what follows the end of a thread.
static int count_of_threads(void)
{
    struct stat info;
    CHECK(stat("/proc/self/task", &info) == 0);
    return (int)info.st_nlink;
}

// A program may open results in one thread and read them in another.
static void children_outlive_the_thread_that_started_them(void)
{
    const int threads = count_of_threads();
    pthread_t thread;
    tn_child child;
    void *started = NULL;
    CHECK(pthread_create(&thread, NULL, start_echo, &child) == 0);
    CHECK(pthread_join(thread, &started) == 0 && started);
    while (count_of_threads() > threads)
        sched_yield();
    CHECK(is_echoed(&child));
    tn_child_end(&child, false, NULL, 0);
}

// Their socket then gets a number of these. The child ends with its parent all the same.
static void children_answer_where_standard_files_are_closed(void)
{
    int status = 0;
    CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0); // it becomes a child of this process
    const pid_t parent = fork();
    if (parent == 0) {
        tn_child child;
        for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
            close(fd);
        _exit(tn_child_start(echo, NULL, &child) == TN_OK && is_echoed(&child) ? 0 : 1);
    }
    CHECK(waitpid(parent, &status, 0) == parent && status == 0);
    for (int k = 0; k < 6000 && waitpid(-1, &status, WNOHANG) == 0; k++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    CHECK(waitpid(-1, &status, WNOHANG) == -1);
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

static tn_status work_on(void *user, char **bytes, size_t *size)
{
    (void)user, (void)bytes, (void)size;
    for (pid_t caller = getppid(); getppid() == caller;)
        ;
    return TN_OK;
}

static void work_that_does_not_end_is_a_failure(void)
{
    const tn_child_terms terms = {.who = "the library", .seconds = 1};
    char *bytes = NULL;
    size_t size = 0;
    CHECK(tn_child_take(work_on, NULL, &terms, &bytes, &size) == TN_ERR_MEMORY);
    CHECK_TEXT(tn_last_error(), "the library did not come to an end");
}

static tn_status never(void *user, char **bytes, size_t *size)
{
    (void)user, (void)bytes, (void)size;
    wait_for_ever();
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
    {"children outlive the thread that started them",
     children_outlive_the_thread_that_started_them},
    {"children answer where standard files are closed",
     children_answer_where_standard_files_are_closed},
    {"children that loop are ended", children_that_loop_are_ended},
    {"work that does not end is a failure", work_that_does_not_end_is_a_failure},
    {"children that wait for ever are given up on", children_that_wait_for_ever_are_given_up_on},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
