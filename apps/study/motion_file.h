// SPDX-License-Identifier: MIT
//
// Motions of joint coordinates from files, for inverse dynamics: a table as text, or the results of
// a run. Each becomes a table of time with smooth interpolation.
//
// Tables are natural cubic splines (signal/timefn.h), without curvature at their ends:
// accelerations would be wrong there. So a table is continued at both ends by some points of the
// cubic through its first or last four; what the ends of the longer table lack has died away within
// it.

#pragma once

#include "tenon/inverse.h"

typedef struct tn_motion_file {
    double from, to; // times of the file [s]
    int nmotion;
    tn_motion *motions;
    double *points;   // times, then the values of each motion
    bool degree_five; // polynomials that know rates and accelerations, too, went between its rows
    char *source;     // of results: text of the model that was run, NULL where it is not stored
    char *model;      // of results: the path of that model
} tn_motion_file;

// Lines of numbers below a line of names, separated by commas, semicolons or tabs: the first column
// is the time, the others are coordinates: "elbow" where a joint has one, or "screw.angle" as in
// result.csv; "screw.coordinates.angle" of older tables is the same. A unit in brackets behind a
// name is skipped, as are lines that begin with '#'. Errors start with path and line.
tn_status tn_motion_read(const char *path, const tn_model *model, tn_motion_file *out);
// All coordinates of the joints of the model, but for those that it drives, from DIR/result.h5 or
// the file itself, with their rates and accelerations. `coarse`: by every second row, which shows
// what their spacing costs.
tn_status tn_motion_from_result(const char *path, bool trust, bool coarse, const tn_model *model,
                                tn_motion_file *out);
void tn_motion_clear(tn_motion_file *file); // zeroed is fine

// The coordinate of a name, as above; of a joint with one coordinate its name is enough. `what`
// begins the message of an error: "--motors".
tn_status tn_motion_coordinate(const tn_model *model, const char *name, const char *what,
                               tn_joint *joint, int *coordinate);
