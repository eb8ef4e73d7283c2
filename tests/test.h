// SPDX-License-Identifier: MIT
//
// A thin layer over cmocka. A test file is a list of true sentences:
//
//   static const tn_test tests[] = {{"rows vanish on the motion", rows_vanish_on_the_motion}};
//   int main(int argc, char **argv) { return tn_run_tests(tests, TN_COUNT(tests), argc, argv); }
//
// An argument on the command line runs only the sentences that contain it. The environment variable
// TN_TOL_SCALE multiplies every tolerance of CHECK_NEAR; 0 prints the residuals instead of failing.

#pragma once

#include "base/status.h"
#include "tenon/sim.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tn_test {
    const char *sentence;
    void (*run)(void);
} tn_test;

// Runs the tests and returns the number that failed. Before each one the error text is cleared, the
// random numbers start anew and no allocation is set to fail.
int tn_run_tests(const tn_test *tests, int count, int argc, char **argv);

// The checks end the running test when they do not hold.
#define CHECK(condition) tn_test_check((condition), #condition, __FILE__, __LINE__)
#define CHECK_NEAR(actual, expected, tol) \
    tn_check_near((actual), (expected), (tol), #actual, __FILE__, __LINE__)
#define CHECK_OK(call) tn_check_status((call), TN_OK, #call, __FILE__, __LINE__)
#define CHECK_STATUS(call, code) tn_check_status((call), (code), #call, __FILE__, __LINE__)
#define CHECK_TEXT(actual, expected) \
    tn_check_text((actual), (expected), #actual, __FILE__, __LINE__)

// What the macros call.
void tn_test_check(bool holds, const char *text, const char *file, int line);
void tn_check_near(double actual, double expected, double tol, const char *text, const char *file,
                   int line);
void tn_check_status(tn_status actual, tn_status expected, const char *text, const char *file,
                     int line);
void tn_check_text(const char *actual, const char *expected, const char *text, const char *file,
                   int line);

// The path of a file of the repository, for example tn_test_path("models/pendulum.yaml"). Valid
// until the eighth call after this one.
const char *tn_test_path(const char *relative);

// Runs a line of the shell, in which paths of the repository and of the command may have spaces;
// returns what system() does.
int tn_test_shell(const char *line);
const char *tn_test_quoted(const char *line); // that line; valid until the next call

// Makes a file of these bytes.
void tn_test_write(const char *path, const void *bytes, size_t size);

// Text after what is there already; what does not fit fails the test.
void tn_test_append(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A simulation of the model with steps of this size; 0: with steps that errors control, rtol = tol
// and atol a hundredth of it.
tn_sim *tn_test_open(const tn_model *model, const char *method, double step, double tol);
// The same of a model in a text, which is not needed any more.
tn_sim *tn_test_open_text(const char *text, const char *method, double step, double tol);
// A channel by its name, at the state that is shown.
double tn_test_value(tn_sim *sim, const char *name);

// Whether the last error contains the text.
bool tn_test_says(const char *text);
// Whether a note of the simulation does.
bool tn_test_has_note(const tn_sim *sim, const char *text);

// Allocations of the library since the program began, counting every growth of a block.
long tn_test_alloc_count(void);
// Blocks that the library holds at this moment.
long tn_test_alloc_live(void);
// Lets the n-th allocation from now fail, once; 0 lets none fail.
void tn_test_alloc_fail_at(long n);
// Tells whether the failure that was asked for has happened.
bool tn_test_alloc_failed(void);

// Repeatable random numbers, the same on every machine.
void tn_random_seed(uint64_t seed);
// Uniform in [-1, 1]. Never two of them among the arguments of one call: compilers take these from
// the left or from the right, and the numbers change places.
double tn_random(void);
