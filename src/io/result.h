// SPDX-License-Identifier: MIT
//
// Reads the results of a run, its journal or result.h5, for reports, plots and the viewer. The file
// is a list of datasets that grow along time; every number of a row is a channel with a name as in
// result.csv, for example "crank.position.x". Rows are read in blocks: a long run is never held in
// memory.
//
// A file of a run that goes on, was stopped or was killed opens with the rows it has. One that is
// cut short or damaged fails with a sentence. Parts that are missing are left out and told by
// tn_result_warning.

#pragma once

#include "base/status.h"

typedef struct tn_result tn_result;

typedef struct tn_result_channel {
    const char *name;  // "crank.position.x", "pin.force.x", "energy.kinetic", "residuals.g", "step"
    const char *group; // "bodies", "joints", "state", "energy", "residuals" or "run"
    const char *unit;  // "" for none
    int dataset;       // index of its dataset
    int column;        // in a row of the dataset
    int owner;         // index of the body or joint; -1 when it belongs to none
} tn_result_channel;

typedef struct tn_result_dataset {
    const char *path; // "bodies/position"
    int width;        // numbers per row
    int first;        // its first channel; the others follow; -1 for time, which is no channel
} tn_result_dataset;

typedef struct tn_result_info {
    const char *path;      // of the file
    const char *directory; // that the file is in, "." for the working directory
    const char *model;     // path of the model file, "" when there was none
    const char *method;    // "galpha/ggl@absolute"
    const char *outcome;   // "done", "stopped", "failed: reason" or "running"
    const char *version;   // of the Tenon that wrote it
    int nbody, njoint;     // without the ground; with couplings; 0 for user equations
} tn_result_info;

// Opens the journal or result.h5 of a folder, or the file itself. A journal has checksums of its
// own; those of result.h5 are in the summary beside it, and without them it opens only when it is
// trusted. On failure *out is NULL.
tn_status tn_result_open(const char *path, bool trust, tn_result **out);
void tn_result_close(tn_result *result); // NULL is fine

const tn_result_info *tn_result_about(const tn_result *result);
long tn_result_rows(const tn_result *result);
const char *tn_result_body(const tn_result *result, int body);   // name, from 0 without the ground
const char *tn_result_joint(const tn_result *result, int joint); // name
const char *tn_result_joint_kind(const tn_result *result, int joint);
const char *tn_result_scene(const tn_result *result);  // JSON of the scene, NULL when not stored
const char *tn_result_source(const tn_result *result); // text of the model file, NULL likewise
int tn_result_warning_count(const tn_result *result);
const char *tn_result_warning(const tn_result *result, int i);

// Channels, in the order of the columns of result.csv, time left out.
int tn_result_channel_count(const tn_result *result);
const tn_result_channel *tn_result_channel_at(const tn_result *result, int channel);
// The channel of a name; an unknown name is an error that tells the nearest one.
tn_status tn_result_find(const tn_result *result, const char *name, int *out);

// Rows first … first + n - 1, which must be there.
tn_status tn_result_time(tn_result *result, long first, long n, double *out);
tn_status tn_result_read(tn_result *result, int channel, long first, long n, double *out);

// Whole datasets: n x width numbers.
int tn_result_dataset_count(const tn_result *result);
const tn_result_dataset *tn_result_dataset_at(const tn_result *result, int dataset);
int tn_result_dataset_find(const tn_result *result, const char *path); // -1 when it is not there
tn_status tn_result_read_rows(tn_result *result, int dataset, long first, long n, double *out);
