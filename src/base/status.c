// SPDX-License-Identifier: MIT
//
// The last error of each thread. The text has a fixed place, so that even "out of memory" can be
// said; a longer text is cut at the end, never at the prefix that names the object.

#include "base/status.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[TN_ERROR_SIZE];
static _Thread_local const volatile sig_atomic_t *stop_flag;

const char *tn_status_text(tn_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, text) \
    case name:                         \
        return text;
        TN_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

const char *tn_last_error(void)
{
    return last_error;
}

void tn_clear_error(void)
{
    last_error[0] = '\0';
}

// The sign of a nan means nothing:
static void drop_nan_signs(char *text)
{
    for (char *at = text; (at = strstr(at, "-nan")); at++)
        if (at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_'))
            memmove(at, at + 1, strlen(at));
}

static void format_text(char text[TN_ERROR_SIZE], const char *format, va_list args)
{
    vsnprintf(text, TN_ERROR_SIZE, format, args);
    drop_nan_signs(text);
}

// An error for which the system had no memory gets the code of that: it is no fault of a file or of
// the user.
static tn_status judge_code(tn_status code, const char *text)
{
    const bool other = code == TN_ERR_FILE || code == TN_ERR_USAGE;
    return other && strstr(text, strerror(ENOMEM)) ? TN_ERR_MEMORY : code;
}

// The new text is formatted beside the old one because arguments may point into the old one.
tn_status tn_fail(tn_status code, const char *format, ...)
{
    char text[TN_ERROR_SIZE];
    va_list args;
    TN_NEED(format, code);
    va_start(args, format);
    format_text(text, format, args);
    va_end(args);
    memcpy(last_error, text, strlen(text) + 1);
    return judge_code(code, text);
}

// Appends the part of `more` that fits.
static void append_status(char *text, const char *more)
{
    const size_t used = strlen(text), length = strlen(more);
    TN_ASSERT(used < TN_ERROR_SIZE);
    const size_t room = TN_ERROR_SIZE - 1 - used;
    const size_t n = length < room ? length : room;
    memcpy(text + used, more, n);
    text[used + n] = '\0';
}

tn_status tn_fail_within(tn_status code, const char *format, ...)
{
    char text[TN_ERROR_SIZE];
    va_list args;
    TN_NEED(format, code);
    va_start(args, format);
    format_text(text, format, args);
    va_end(args);
    append_status(text, ": ");
    append_status(text, last_error[0] ? last_error : tn_status_text(code));
    memcpy(last_error, text, strlen(text) + 1);
    return code;
}

tn_status tn_fail_used(tn_status status, const char *used)
{
    if (!*used)
        return status;
    append_status(last_error, " (");
    append_status(last_error, used);
    append_status(last_error, ")");
    return status;
}

// `names` are those of the pointers, with commas between them.
bool tn_all_there(const char *function, const char *names, const void *const *pointers, int n)
{
    for (int i = 0; i < n; i++, names += strcspn(names, " ") + 1)
        if (!pointers[i]) {
            tn_fail(TN_ERR_USAGE, "%s: '%.*s' is NULL", function, (int)strcspn(names, ","), names);
            return false;
        }
    return true;
}

tn_status tn_got(bool memory)
{
    return memory ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory");
}

tn_status tn_leave(tn_status status, const char *what)
{
    TN_ASSERT(what);
    if (status == TN_OK || (status < 0 && last_error[0]))
        return status;
    if (!last_error[0])
        tn_fail(status, "%s", tn_status_text(status));
    return tn_fail_within(status > 0 ? TN_ERR_NUMERIC : status, "%s", what);
}

#define DIGITS(number) #number
#define DOTTED(major, minor, patch) DIGITS(major) "." DIGITS(minor) "." DIGITS(patch)

const char *tn_version(void)
{
    return DOTTED(TN_VERSION_MAJOR, TN_VERSION_MINOR, TN_VERSION_PATCH);
}

const volatile sig_atomic_t *tn_stop_join(const volatile sig_atomic_t *flag)
{
    const volatile sig_atomic_t *before = stop_flag;
    stop_flag = flag;
    return before;
}

bool tn_is_stopping(void)
{
    return stop_flag && *stop_flag;
}
