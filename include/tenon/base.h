// SPDX-License-Identifier: MIT
//
// Status codes, the text of the last error, the version and the allocator hook, which every other
// header of Tenon uses. Functions that can fail return a tn_status; the sentence that explains a
// failure waits, per thread, in tn_last_error().

#pragma once

#include <stddef.h>

// Marks what the shared library shows.
// TN_API marks what the shared library shows; TN_VALUE(tn_vec3){x, y, z} is a value of a struct.
#ifdef __cplusplus
#define TN_API extern "C" __attribute__((visibility("default")))
#define TN_VALUE(type) type
#else
#define TN_API __attribute__((visibility("default")))
#define TN_VALUE(type) (type)
#endif

// Marks a function that takes a format and its arguments as printf does.
#define TN_PRINTF(text, first) __attribute__((format(printf, text, first)))

// The version of these headers; tn_version() returns that of the library.
#define TN_VERSION_MAJOR 0
#define TN_VERSION_MINOR 1
#define TN_VERSION_PATCH 0

// Zero is success, negative an error, positive a numerical outcome that a smaller step may cure.
#define TN_STATUS_LIST(X)                                                \
    X(TN_RETRY_NEWTON, 1, "Newton iteration did not converge")           \
    X(TN_RETRY_ERROR, 2, "local error above tolerance")                  \
    X(TN_RETRY_FUNCTION, 3, "a model function asked for a smaller step") \
    X(TN_RETRY_SINGULAR, 4, "iteration matrix is singular")              \
    X(TN_OK, 0, "ok")                                                    \
    X(TN_ERR_MEMORY, -1, "out of memory")                                \
    X(TN_ERR_MODEL, -2, "model is inconsistent")                         \
    X(TN_ERR_PAIRING, -3, "integrator cannot use this formulation")      \
    X(TN_ERR_SINGULAR, -4, "matrix is singular")                         \
    X(TN_ERR_FILE, -5, "file cannot be read or written")                 \
    X(TN_ERR_USAGE, -6, "argument is out of range")                      \
    X(TN_ERR_NUMERIC, -7, "time integration failed")                     \
    X(TN_ERR_STOPPED, -8, "stopped on request")                          \
    X(TN_ERR_REQUIRE, -9, "a required bound was exceeded")

// Makes one line of the enum.
#define TN_STATUS_ENUM(name, value, text) name = value,
// Results of functions that can fail, see TN_STATUS_LIST.
typedef enum tn_status { TN_STATUS_LIST(TN_STATUS_ENUM) } tn_status;
#undef TN_STATUS_ENUM

// Returns the short text of a status code, for example "out of memory".
TN_API const char *tn_status_text(tn_status status);

// Returns the sentence that explains the last failure in this thread, "" when there was none.
TN_API const char *tn_last_error(void);

// Copies a text for a terminal, into `size` bytes: sentences may hold names from files, and each
// control character in them becomes \x1b or \u202e; a longer text is cut.
TN_API void tn_printable(const char *text, char *out, size_t size);

// Sentences of your own: observers and functions that a run calls say with tn_fail why they end it,
// and programs join their words to those of the library. Stores the sentence for tn_last_error in
// this thread and returns the code.
TN_API tn_status tn_fail(tn_status code, const char *format, ...) TN_PRINTF(2, 3);
// Puts "prefix: " in front of the stored sentence, to add a file or an element; returns the code.
TN_API tn_status tn_fail_within(tn_status code, const char *format, ...) TN_PRINTF(2, 3);
// The nearest of n names: the one that a word of other programs stands for (hinge: revolute), else
// by edit distance within a third of the length, else the shortest that begins so; or NULL.
TN_API const char *tn_nearest_name(const char *name, int n, const char *const *known);
// TN_ERR_USAGE with "unknown command 'rum'; did you mean 'run'?", or with all names where none is
// near.
TN_API tn_status tn_fail_unknown(const char *what, const char *name, int n,
                                 const char *const *known);

// Frees a text that a function has returned to be freed; NULL is fine.
TN_API void tn_text_free(char *text);

// Takes sentences that are no errors but worth reading, one by one and only while the function runs
// that has got it; `tell` may be NULL.
typedef struct tn_teller {
    void (*tell)(void *user, const char *sentence);
    void *user;
} tn_teller;

// Returns the version as text, for example "0.1.0".
TN_API const char *tn_version(void);

// An allocator that replaces malloc and free. `resize` behaves as realloc: NULL allocates, size 0
// frees and returns NULL.
typedef struct tn_allocator {
    void *(*resize)(void *user, void *block, size_t size);
    void *user;
} tn_allocator;

// Sets the allocator of the whole process; call it before anything is created. NULL restores the
// standard one. It is called from every thread that uses the library, and from those that the
// library starts.
TN_API void tn_set_allocator(const tn_allocator *allocator);

// Sets how the library starts the copies of the process that run the cases of sweeps, lay out files
// and draw: a function that returns what fork() does. An interpreter whose functions run in the
// copies has one that readies its locks; Python's package sets os.fork. NULL restores fork().
TN_API void tn_set_fork(int (*copy)(void));
