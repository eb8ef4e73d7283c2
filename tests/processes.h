// SPDX-License-Identifier: MIT
//
// Processes that tests start in the background, and their children.

#pragma once

#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The children of a process; returns how many.
static inline int children_of(int parent, int *out, int most)
{
    DIR *all = opendir("/proc");
    int n = 0;
    for (struct dirent *entry; all && (entry = readdir(all)) && n < most;) {
        char path[300], line[300] = "";
        int from = 0;
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *f = fopen(path, "r");
        if (f && fgets(line, sizeof line, f) && strrchr(line, ')') &&
            sscanf(strrchr(line, ')'), ") %*c %d", &from) == 1 && from == parent)
            out[n++] = atoi(entry->d_name);
        if (f)
            fclose(f);
    }
    if (all)
        closedir(all);
    return n;
}

// A command of the shell whose messages go to a file; waitpid it.
static inline int start_command(const char *command, const char *messages)
{
    const char *quoted = tn_test_quoted(command);
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    const int file = open(messages, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    char line[8192];
    snprintf(line, sizeof line, "exec %s", quoted);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(99);
}

static inline long size_of_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

// A minute at most: longer than a sanitized program on a busy machine takes.
static inline void wait_for_size(const char *path, long bytes)
{
    const struct timespec nap = {0, 2000000};
    for (int i = 0; i < 30000 && size_of_file(path) < bytes; i++)
        nanosleep(&nap, NULL);
}

// The children of a process once there are so many, at most a minute later or when it has ended;
// returns how many.
static inline int wait_for_children(int parent, int *out, int wanted)
{
    const struct timespec nap = {0, 2000000};
    siginfo_t end = {0};
    int n = children_of(parent, out, wanted);
    for (int i = 0; i < 30000 && n < wanted && end.si_pid == 0; i++) {
        nanosleep(&nap, NULL);
        n = children_of(parent, out, wanted);
        waitid(P_PID, (id_t)parent, &end, WEXITED | WNOHANG | WNOWAIT);
    }
    return n;
}
