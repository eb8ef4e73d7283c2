// SPDX-License-Identifier: MIT
//
// Raising and passing on errors, inside the library; tn_fail and tn_fail_within are public.

#pragma once

#include "tenon/base.h"

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

// Room for the text of an error: ten mistakes of a model file, with lists of what is known.
enum { TN_ERROR_SIZE = 16384 };

void tn_clear_error(void);

// A request to stop reaches the work of a thread by a flag that is joined around it: loops that can
// be long check it, end early and leave the rest to their caller, who heeds it. Returns the flag
// that was joined before.
const volatile sig_atomic_t *tn_stop_join(const volatile sig_atomic_t *flag);
bool tn_is_stopping(void);

// Puts how the file of an error came to be used behind it, in parentheses; "" for nothing.
tn_status tn_fail_used(tn_status status, const char *used);

// The way out of a public function, or of what no smaller step can cure, as a start. The sentence
// was cleared when it was called. A status that asks for a smaller step means nothing outside and
// becomes TN_ERR_NUMERIC, and none is left without a sentence; `what` says what could not be done.
tn_status tn_leave(tn_status status, const char *what);

// Leaves the calling function when the call did not end with TN_OK.
#define TN_TRY(call)                    \
    do {                                \
        const tn_status tn_s_ = (call); \
        if (tn_s_ != TN_OK)             \
            return tn_s_;               \
    } while (0)

// Goes on with a call where all went well so far; s keeps the first failure.
#define TN_THEN(s, call)  \
    do {                  \
        if ((s) == TN_OK) \
            (s) = (call); \
    } while (0)

// The variable arguments of a function as a sentence in an array of characters, cut where it ends.
#define TN_SENTENCE(text, format)                     \
    do {                                              \
        va_list args_;                                \
        va_start(args_, format);                      \
        vsnprintf(text, sizeof(text), format, args_); \
        va_end(args_);                                \
    } while (0)

// The end of a function that creates: hands the object out, or destroys its parts.
#define TN_HAND_OUT(status, object, destroy, out) \
    do {                                          \
        if ((status) == TN_OK)                    \
            *(out) = (object);                    \
        else                                      \
            destroy(object);                      \
        return status;                            \
    } while (0)

tn_status tn_got(bool memory); // TN_OK, or an error that says "out of memory"

// The beginning of public functions: without what they need they say so and return `neutral`, which
// is TN_ERR_USAGE, a value that means nothing, or nothing at all.
#define TN_NEED(pointer, neutral)                                                \
    do {                                                                         \
        if (!(pointer)) {                                                        \
            (void)tn_fail(TN_ERR_USAGE, "%s: '%s' is NULL", __func__, #pointer); \
            return neutral;                                                      \
        }                                                                        \
    } while (0)
// A public function that needs one pointer and returns one value.
#define TN_GETTER(type, name, parameters, pointer, neutral, value) \
    type name parameters                                           \
    {                                                              \
        TN_NEED(pointer, neutral);                                 \
        return value;                                              \
    }                                                              \
    struct tn_getter // asks for the semicolon
// The same of element `index` of `count`.
#define TN_GETTER_AT(type, name, parameters, pointer, index, count, neutral, value) \
    type name parameters                                                            \
    {                                                                               \
        TN_NEED(pointer, neutral);                                                  \
        TN_NEED_INDEX(index, count, neutral);                                       \
        return value;                                                               \
    }                                                                               \
    struct tn_getter
#define TN_NEED_ALL(neutral, ...)                                                       \
    do {                                                                                \
        if (!tn_all_there(__func__, #__VA_ARGS__, (const void *const[]){__VA_ARGS__},   \
                          (int)(sizeof(const void *[]){__VA_ARGS__} / sizeof(void *)))) \
            return neutral;                                                             \
    } while (0)
bool tn_all_there(const char *function, const char *names, const void *const *pointers, int n);
#define TN_NEED_INDEX(index, count, neutral)                                                  \
    do {                                                                                      \
        if ((index) < 0 || (index) >= (count)) {                                              \
            (void)tn_fail(TN_ERR_USAGE, "%s: '%s' is %d, but there are %d", __func__, #index, \
                          (index), (count));                                                  \
            return neutral;                                                                   \
        }                                                                                     \
    } while (0)

#define TN_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static inline int tn_larger(int a, int b)
{
    return a > b ? a : b;
}

static inline int tn_smaller(int a, int b)
{
    return a < b ? a : b;
}

// A mistake of a caller inside the library; compiled out in release builds.
#ifdef NDEBUG
#define TN_ASSERT(condition) ((void)0)
#else
#include <assert.h>
#define TN_ASSERT(condition) assert(condition)
#endif
