// SPDX-License-Identifier: MIT
//
// Shared parts of bdf (IDA) and adams (CVODE). Both are multi-step methods of SUNDIALS: they keep a
// history of y, choose order and step, and call back for a residual or for rates.
//
// A projection onto the constraints moves y by about a tolerance after the step. Starting anew at
// order one after each of them would undo the method. Instead the whole history is moved along: the
// true value is that of the library plus `shift`, which callbacks and results add. A shift changes
// no divided difference, so that order and step go on as they were. Larger changes start anew.

#pragma once

#include "integrator/integrator.h"

#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>

// Differences of versions 6 and 7: a solver that cannot go on says so by another name, and messages
// come from the context instead of each integrator.
#if SUNDIALS_VERSION_MAJOR >= 7
#define TN_SUNDIALS_FATAL SUN_ERR_EXT_FAIL
#define TN_SUNDIALS_LISTEN(set_handler, memory, lib) 0
#else
#define TN_SUNDIALS_FATAL SUNLS_PACKAGE_FAIL_UNREC
#define TN_SUNDIALS_LISTEN(set_handler, memory, lib) set_handler(memory, tn_sundials_listen, lib)
#endif

typedef struct tn_sundials {
    SUNContext context;
    int n;
    // Arrays of n, and the same as vectors of the library.
    double *y, *yp;           // values and rates of the library where its history ends
    double *near_y, *near_yp; // at other points
    double *weight;           // of errors, about 1 / tolerance
    N_Vector y_, yp_, near_y_, near_yp_, weight_;
    double *shift;       // n: true y is y + shift
    double *true_y;      // n
    double t;            // where the history ends
    bool started;        // there is a history
    bool shifted;        // `shift` is not zero
    bool first;          // nothing has been started yet
    tn_status status;    // what the last callback said
    long newton, failed; // counters of the library when they were last read
    char text[200];      // last message of the library
} tn_sundials;

N_Vector tn_sundials_vector(int n, double *data, SUNContext context); // around `data`
void tn_sundials_layout(tn_sundials *s, int n, tn_carve *mem);
tn_status tn_sundials_open(tn_sundials *s);
void tn_sundials_close(tn_sundials *s);

// Takes the messages of version 6, which print nothing then; `self` is a tn_sundials.
void tn_sundials_listen(int code, const char *module, const char *function, char *text, void *self);
// Keeps the status and says it in the way of the library: 0, 1 to try a smaller step, -1 to end.
int tn_sundials_answer(tn_sundials *s, tn_status status);

// y + shift; valid until the next call.
const double *tn_sundials_true(tn_sundials *s, const double *y);
// Moves the history along to y where it is near (in the weights of the last step) at the unknowns
// in `differential` (NULL: all). False: it is not, and the caller starts anew.
bool tn_sundials_follow(tn_sundials *s, const double *y, const int *differential);
void tn_sundials_anew(tn_sundials *s, double t);                    // a history begins at t
bool tn_sundials_is_at(const tn_sundials *s, double t);             // up to round-off
double tn_sundials_least_step(const tn_stepper *stepper, double t); // round-off of t at least
// Latest end of the next step: the library would go on with a step of `next`. Where that comes near
// the end, but not to it, it goes half the way: the tiny step that would be left gives poor
// multipliers, as their errors are those of v divided by it.
double tn_sundials_stop(double t, double end, double next);
// The counters of the library have become these since the history began.
void tn_sundials_count(tn_sundials *s, tn_stepper *stepper, long newton, long failed);
// Explains a step of `tried` that has failed with this code of the library; `factor` is that by
// which it would have tolerances grow. The history is over.
tn_status tn_sundials_explain(tn_sundials *s, tn_stepper *stepper, const char *name, int code,
                              double tried, double factor);
