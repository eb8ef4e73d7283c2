// SPDX-License-Identifier: MIT
//
// A library to be loaded before all others (LD_PRELOAD) that lets one call of the system fail:
//
//   TN_INJECT=malloc:17    the 17th allocation of the program has no memory
//   TN_INJECT=write:3      the 3rd write has no space left; likewise fsync, open and rename
//   TN_SWEEP=malloc:10     the program runs again and again, with another call failing; sweep.c
//
// Calls of children count with those of their parent. Calls before main do not count: a library
// that gives up while it is loaded is beyond any program.

#define _GNU_SOURCE
#include "inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

typedef enum { MALLOC, WRITE, FSYNC, OPEN, RENAME, KINDS } kind;

static const char *const names[KINDS] = {"malloc", "write", "fsync", "open", "rename"};

// Shared with children: a call fails once, whoever makes it.
typedef struct common {
    atomic_long count[KINDS];
    uint64_t failed;                    // stack of the call that failed
    uint64_t stack[TN_INJECT_MOST + 1]; // of each call, by its number, when they are recorded
} common;

static common *shared;
static kind chosen = KINDS;
static long at;
static uint64_t wanted; // stack of the call that fails, the first of them; 0: by number
static bool recording;
static atomic_bool armed;
static _Thread_local bool looking; // at the stack, which may allocate

static uint64_t mix(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * 1099511628211u; // FNV-1a
}

// What called: the same number for the same sequence of callers. Libraries that are loaded later
// may lie elsewhere in another copy of the process: places within them count.
static uint64_t stack_now(void)
{
    enum { DEPTH = 96 };
    void *frame[DEPTH];
    uint64_t sum = 1469598103934665603u;

    looking = true;
    const int n = backtrace(frame, DEPTH);
    for (int i = 0; i < n; i++) {
        Dl_info info = {0};
        const bool known = dladdr(frame[i], &info) != 0;
        for (const char *c = known && info.dli_fname ? info.dli_fname : ""; *c; c++)
            sum = mix(sum, (uint64_t)*c);
        sum = mix(sum, (uint64_t)((uintptr_t)frame[i] - (uintptr_t)info.dli_fbase));
    }
    looking = false;
    return sum ? sum : 1;
}

static bool fails(kind k)
{
    if (!atomic_load(&armed) || looking)
        return false;
    const long n = atomic_fetch_add(&shared->count[k], 1) + 1;
    if (k != chosen || (n != at && !recording && !wanted))
        return false;
    const uint64_t stack = stack_now(); // from one place: its address counts
    if (recording && n <= TN_INJECT_MOST)
        shared->stack[n] = stack;
    if (n != at && (stack != wanted || shared->failed))
        return false;
    shared->failed = stack;
    return true;
}

void tn_inject_choose(const char *name, long n, uint64_t stack)
{
    chosen = KINDS;
    wanted = stack;
    shared->failed = 0;
    for (int k = 0; k < KINDS; k++) {
        atomic_store(&shared->count[k], 0);
        if (strcmp(name, names[k]) == 0)
            chosen = (kind)k;
    }
    at = n;
}

void tn_inject_record(bool on)
{
    (void)stack_now(); // what it loads, it loads now
    recording = on;
}

const uint64_t *tn_inject_stacks(void)
{
    return shared->stack;
}

uint64_t tn_inject_failed(void)
{
    return shared->failed;
}

void tn_inject_arm(bool on)
{
    atomic_store(&armed, on);
}

long tn_inject_count(const char *name)
{
    for (int k = 0; k < KINDS; k++)
        if (strcmp(name, names[k]) == 0)
            return atomic_load(&shared->count[k]);
    return -1;
}

static bool set_up(void)
{
    const char *text = getenv("TN_INJECT");
    const char *colon = text ? strchr(text, ':') : NULL;
    char name[16] = "";

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (shared == MAP_FAILED)
        return false;
    if (colon)
        snprintf(name, sizeof(name), "%.*s", (int)(colon - text), text);
    tn_inject_choose(name, colon ? strtol(colon + 1, NULL, 10) : 0, 0);
    return true;
}

// The program begins here: libraries are loaded and their constructors have run.
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

static tn_main *true_main;

static int armed_main(int argc, char **argv, char **envp)
{
    if (!set_up())
        return 125;
    if (getenv("TN_SWEEP"))
        return tn_sweep(true_main, argc, argv, envp);
    tn_inject_arm(true);
    return true_main(argc, argv, envp);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    int (*next)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                void (*)(void), void *) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    true_main = main;
    return next(armed_main, argc, argv, init, fini, rtld_fini, stack_end);
}

// Memory. The allocator of the system has these names too, which saves a search while it is needed.

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    if (fails(MALLOC)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    if (fails(MALLOC)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(n, size);
}

void *realloc(void *block, size_t size)
{
    if (fails(MALLOC)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (fails(MALLOC)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (fails(MALLOC))
        return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

// Files.

#define NEXT(name)                 \
    static __typeof__(name) *next; \
    if (!next)                     \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

// A disk is full for files only; signals between threads and sockets go on.
static bool is_file(int fd)
{
    struct stat info;
    return fd > 2 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    NEXT(write);
    if (is_file(fd) && fails(WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return next(fd, bytes, n);
}

ssize_t writev(int fd, const struct iovec *parts, int n)
{
    NEXT(writev);
    if (is_file(fd) && fails(WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return next(fd, parts, n);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
    NEXT(pwrite);
    if (is_file(fd) && fails(WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return next(fd, bytes, n, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t offset)
{
    NEXT(pwrite64);
    if (is_file(fd) && fails(WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return next(fd, bytes, n, offset);
}

// Streams of the C library write through calls of its own; their failure is seen here.
size_t fwrite(const void *bytes, size_t size, size_t n, FILE *file)
{
    NEXT(fwrite);
    if (file != stdout && file != stderr && fails(WRITE)) {
        errno = ENOSPC;
        return 0;
    }
    return next(bytes, size, n, file);
}

int fflush(FILE *file)
{
    NEXT(fflush);
    if (file && file != stdout && file != stderr && fails(WRITE)) {
        errno = ENOSPC;
        return EOF;
    }
    return next(file);
}

int fsync(int fd)
{
    NEXT(fsync);
    if (fails(FSYNC)) {
        errno = EIO;
        return -1;
    }
    return next(fd);
}

static int mode_of(int flags, va_list args)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, int) : 0;
}

#define OPEN_AS(name)                          \
    int name(const char *path, int flags, ...) \
    {                                          \
        va_list args;                          \
        va_start(args, flags);                 \
        const int mode = mode_of(flags, args); \
        va_end(args);                          \
        NEXT(name);                            \
        if (fails(OPEN)) {                     \
            errno = EMFILE;                    \
            return -1;                         \
        }                                      \
        return next(path, flags, mode);        \
    }

OPEN_AS(open)
OPEN_AS(open64)

#define FOPEN_AS(name)                             \
    FILE *name(const char *path, const char *mode) \
    {                                              \
        NEXT(name);                                \
        if (fails(OPEN)) {                         \
            errno = EMFILE;                        \
            return NULL;                           \
        }                                          \
        return next(path, mode);                   \
    }

FOPEN_AS(fopen)
FOPEN_AS(fopen64)

int rename(const char *from, const char *to)
{
    NEXT(rename);
    if (fails(RENAME)) {
        errno = EIO;
        return -1;
    }
    return next(from, to);
}
