// SPDX-License-Identifier: MIT
//
// Files that are written as a whole: a process that ends half-way leaves the old one, and nothing
// beside it.

#define _GNU_SOURCE
#include "test.h"
#include "text/target.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int files_in(const char *folder)
{
    int count = 0;
    DIR *list = opendir(folder);
    CHECK(list != NULL);
    for (struct dirent *e = readdir(list); e; e = readdir(list))
        count += e->d_name[0] != '.';
    closedir(list);
    return count;
}

static void check_text(const char *path, const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");
    CHECK(file && fgets(text, sizeof(text), file));
    fclose(file);
    CHECK_TEXT(text, expected);
}

static void a_killed_process_leaves_the_old_file_only(void)
{
    int status = 0;
    CHECK(tn_test_shell("rm -rf place && mkdir place") == 0);
    CHECK_OK(tn_target_write("place/page.html", "old", 3));
    const pid_t pid = fork();
    if (pid == 0) {
        tn_target t;
        if (tn_target_open("place/page.html", &t) != TN_OK || fputs("new", t.file) < 0 ||
            fflush(t.file) != 0)
            _exit(1);
        raise(SIGKILL);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
    check_text("place/page.html", "old");
    const int fd = open("place", O_TMPFILE | O_WRONLY, 0600);
    if (fd >= 0) // else the file system has no files without a name
        CHECK(files_in("place") == 1 && close(fd) == 0);
}

static void a_failure_leaves_the_old_file_only(void)
{
    tn_target t;
    CHECK(tn_test_shell("rm -rf place && mkdir place") == 0);
    CHECK_OK(tn_target_write("place/page.html", "old", 3));
    CHECK(chmod("place/page.html", 0640) == 0);
    CHECK_OK(tn_target_open("place/page.html", &t));
    CHECK(fputs("half", t.file) >= 0);
    CHECK(tn_target_close(&t, TN_ERR_MEMORY) == TN_ERR_MEMORY);
    CHECK(files_in("place") == 1);
    check_text("place/page.html", "old");
}

static void rights_of_a_replaced_file_stay(void)
{
    struct stat info;
    CHECK(tn_test_shell("rm -rf place && mkdir place") == 0);
    CHECK_OK(tn_target_write("place/page.html", "old", 3));
    CHECK(chmod("place/page.html", 0640) == 0);
    CHECK_OK(tn_target_write("place/page.html", "new", 3));
    CHECK(stat("place/page.html", &info) == 0 && (info.st_mode & 0777) == 0640);
    CHECK(files_in("place") == 1);
    check_text("place/page.html", "new");
}

static const tn_test tests[] = {
    {"a killed process leaves the old file only", a_killed_process_leaves_the_old_file_only},
    {"a failure leaves the old file only", a_failure_leaves_the_old_file_only},
    {"rights of a replaced file stay", rights_of_a_replaced_file_stay},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
