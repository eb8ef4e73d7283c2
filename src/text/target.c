// SPDX-License-Identifier: MIT

#define _GNU_SOURCE // O_TMPFILE
#include "text/target.h"

#include "base/alloc.h"
#include "text/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode)
{
    if (S_ISLNK(mode))
        return "a link";
    if (S_ISDIR(mode))
        return "a folder";
    if (S_ISFIFO(mode))
        return "a pipe";
    if (S_ISSOCK(mode))
        return "a socket";
    return "a device";
}

tn_status tn_target_check(const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0 || S_ISREG(info.st_mode))
        return TN_OK;
    return tn_fail(TN_ERR_FILE, "cannot write %s: it is %s, and only plain files are replaced",
                   path, kind_of(info.st_mode));
}

tn_status tn_target_check_free(const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return TN_OK;
    return tn_fail(TN_ERR_USAGE,
                   "%s exists already; use --force to replace it or name another file", path);
}

static tn_status write_failed(const tn_target *t, int error)
{
    return tn_fail(TN_ERR_FILE, "cannot write %s: %s", t->path, strerror(error));
}

// Writes the path by which the system links a name to a file that has none.
static void target_name_of(int fd, char name[32])
{
    snprintf(name, 32, "/proc/self/fd/%d", fd);
}

// A file that has no name yet: a process that is killed leaves nothing of it. -1 where the file
// system knows none.
static int open_nameless(const tn_target *t)
{
    struct stat info;
    char name[32], *folder = tn_strdup(t->path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[slash == folder] = '\0';
    int fd = folder ? open(slash ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
    tn_free(folder);
    target_name_of(fd, name);
    if (fd >= 0 && stat(name, &info) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int open_named(const tn_target *t)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    const int fd = open(t->part, flags, 0666);
    if (fd < 0 && errno == EEXIST && unlink(t->part) == 0) // of a process that was killed
        return open(t->part, flags, 0666);
    return fd;
}

// The rights of a file that is replaced stay.
static int open_part(tn_target *t)
{
    struct stat info;
    int fd = open_nameless(t);
    t->named = fd < 0;
    if (t->named)
        fd = open_named(t);
    if (fd >= 0 && stat(t->path, &info) == 0)
        (void)!fchmod(fd, info.st_mode & 0777);
    return fd;
}

static tn_status open_target(tn_target *t)
{
    TN_TRY(tn_target_check(t->path));
    const int fd = open_part(t);
    if (fd < 0)
        return write_failed(t, errno);
    t->file = fdopen(fd, "wb");
    if (t->file)
        return TN_OK;
    const int error = errno;
    close(fd);
    if (t->named)
        unlink(t->part);
    return write_failed(t, error);
}

static void forget(tn_target *t)
{
    TN_FREE(t->path, t->part);
    *t = (tn_target){0};
}

tn_status tn_target_open(const char *path, tn_target *out)
{
    const bool standard = strcmp(path, "-") == 0;
    *out = (tn_target){.path = tn_strdup(standard ? "the standard output" : path),
                       .part = standard ? NULL : tn_format("%s.part%ld", path, (long)getpid())};
    tn_status s = tn_got(out->path && (standard || out->part));
    if (s == TN_OK && standard)
        out->file = stdout;
    else if (s == TN_OK)
        s = open_target(out);
    if (s != TN_OK)
        forget(out);
    return s;
}

// A name that is free can be given, one that is taken not: hence the other name before the last.
static tn_status give_name(tn_target *t)
{
    char name[32];
    target_name_of(fileno(t->file), name);
    unlink(t->part);
    if (linkat(AT_FDCWD, name, AT_FDCWD, t->part, AT_SYMLINK_FOLLOW) != 0)
        return write_failed(t, errno);
    t->named = true;
    return TN_OK;
}

// fsync comes before the new name: after a power cut the old file or the new one is there, no
// empty one. Some file systems have no fsync (EINVAL).
static tn_status complete_target(tn_target *t)
{
    if (fflush(t->file) != 0 || ferror(t->file))
        return write_failed(t, errno);
    if (t->part && fsync(fileno(t->file)) != 0 && errno != EINVAL)
        return write_failed(t, errno);
    return t->part && !t->named ? give_name(t) : TN_OK;
}

tn_status tn_target_close(tn_target *t, tn_status status)
{
    if (!t->file)
        return status;
    TN_THEN(status, complete_target(t));
    if (t->part && fclose(t->file) != 0 && status == TN_OK)
        status = write_failed(t, errno);
    if (t->part && status == TN_OK && rename(t->part, t->path) != 0)
        status = write_failed(t, errno);
    if (t->part && t->named && status != TN_OK)
        unlink(t->part);
    forget(t);
    return status;
}

tn_status tn_target_put(tn_target *t, const void *bytes, size_t n)
{
    return n == 0 || fwrite(bytes, 1, n, t->file) == n ? TN_OK : write_failed(t, errno);
}

tn_status tn_target_write(const char *path, const char *text, size_t length)
{
    tn_target t;
    TN_TRY(tn_target_open(path, &t));
    return tn_target_close(&t, tn_target_put(&t, text, length));
}

tn_status tn_target_finish(tn_status s, const char *path, tn_buffer *text, const char *what)
{
    char *all = NULL;
    const size_t length = text->length;
    if (s == TN_OK)
        s = tn_buffer_finish(text, what, &all);
    else
        tn_free(text->text);
    TN_THEN(s, tn_target_write(path, all, length));
    tn_free(all);
    return s;
}

tn_status tn_file_read(const char *path, size_t most, char **text, size_t *length)
{
    char chunk[1 << 16];
    tn_buffer all = {0};
    tn_status s = TN_OK;
    *text = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return tn_fail(TN_ERR_FILE, "%s: cannot read the file: %s", path, strerror(errno));
    struct stat info; // a file that is too large is not read first; a pipe has no size
    if (fstat(fileno(file), &info) == 0 && info.st_size > 0 && (size_t)info.st_size > most) {
        fclose(file);
        return tn_fail(TN_ERR_FILE, "%s: file is larger than %zu MiB", path, most >> 20);
    }
    tn_buffer_say(&all, "");
    for (size_t n = 1; n > 0 && !all.failed && all.length <= most;) {
        n = fread(chunk, 1, sizeof chunk, file);
        tn_buffer_put(&all, chunk, n);
    }
    if (all.failed)
        s = tn_got(false);
    else if (ferror(file))
        s = tn_fail(TN_ERR_FILE, "%s: cannot read the file: %s", path, strerror(errno));
    else if (all.length > most)
        s = tn_fail(TN_ERR_FILE, "%s: file is larger than %zu MiB", path, most >> 20);
    fclose(file);
    *text = all.text;
    *length = all.length;
    return s;
}

// Folders ----------------------------------------------------------------------------------------

tn_status tn_folder_lock(const char *directory, int *fd)
{
    *fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0)
        return tn_fail(TN_ERR_FILE, "cannot open the folder %s: %s", directory, strerror(errno));
    int failed;
    do {
        failed = flock(*fd, LOCK_EX | LOCK_NB);
    } while (failed && errno == EINTR);
    if (!failed)
        return TN_OK;
    const bool taken = errno == EWOULDBLOCK;
    close(*fd);
    *fd = -1;
    return taken ? tn_fail(TN_ERR_USAGE,
                           "another run writes to %s at this moment; wait until it ends or choose "
                           "another folder",
                           directory)
                 : TN_OK;
}

void tn_folder_unlock(int fd)
{
    if (fd >= 0)
        close(fd);
}

bool tn_folder_is_locked(const char *directory)
{
    const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return locked;
}

char *tn_folder_named(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    return tn_format("%.*s.%s", length, base, ending);
}

tn_status tn_folder_parents(const char *directory)
{
    char *path = tn_strdup(directory);
    TN_TRY(tn_got(path));
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (*path)
            mkdir(path, 0777);
        *slash = '/';
    }
    tn_free(path);
    return TN_OK;
}

tn_status tn_folder_write(const char *directory, const char *name, const char *text)
{
    char *path = tn_format("%s/%s", directory, name);
    TN_TRY(tn_got(path));
    const tn_status s = tn_target_write(path, text, strlen(text));
    tn_free(path);
    return s;
}

bool tn_folder_has(const char *directory, const char *name)
{
    char path[PATH_MAX]; // no file has a longer one
    struct stat info;
    const int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    return length >= 0 && length < PATH_MAX && lstat(path, &info) == 0;
}
