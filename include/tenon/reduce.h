// SPDX-License-Identifier: MIT
//
// Reduction: a modal body from the stiffness and mass matrices of finite elements. A job, a file in
// YAML or JSON, names the matrices, the frames to which joints and forces will be attached, and how
// many modes are wanted (docs/guide/reduce.md).
//
//     tn_reduce_options options = tn_default_reduce();
//     tn_reduction *part = NULL;
//     tn_status s = tn_reduction_create("bracket.yaml", &options, &part);
//     if (s == TN_OK)
//         s = tn_reduction_write(part, "bracket.h5");
//     tn_reduction_destroy(part);
//
// An object here belongs to one thread at a time; functions of a const one may be called at the
// same time as long as none of the others is.

#pragma once

#include "tenon/base.h"
#include "tenon/spatial.h"

// A part with its modes; tn_reduction_destroy it.
typedef struct tn_reduction tn_reduction;

// Settings for a job.
typedef struct tn_reduce_options {
    // Number of the lowest frequencies of the free body that are compared with those that all
    // freedoms of the mesh give; 0: none.
    int compare;
    // Called before each step of the work, "looks for normal modes"; may be NULL.
    void (*progress)(void *user, const char *step);
    void *user;
} tn_reduce_options;

// Six frequencies are compared.
TN_API tn_reduce_options tn_default_reduce(void);

// Reads a job and the files that it names, and reduces. On failure *out is NULL.
TN_API tn_status tn_reduction_create(const char *job, const tn_reduce_options *options,
                                     tn_reduction **out);
TN_API void tn_reduction_destroy(tn_reduction *reduction); // NULL is fine

// Facts of a reduction.
typedef struct tn_reduction_facts {
    int nodes, freedoms; // of the mesh
    int attachments;
    int modes;
    int geometric;   // loads whose geometric stiffness is known
    double mass;     // [kg]
    tn_vec3 centre;  // of mass, in coordinates of the mesh [m]
    tn_mat3 inertia; // about the centre of mass [kg m^2]
    int compared;    // frequencies of the free body
    double error;    // the largest relative error among these
} tn_reduction_facts;

// They live as long as the object.
TN_API const tn_reduction_facts *tn_reduction_facts_of(const tn_reduction *reduction);
// Frequency of a mode, with the frame held as the job says [Hz].
TN_API double tn_reduction_frequency(const tn_reduction *reduction, int mode);
// Attachments are in the order of their names.
TN_API const char *tn_reduction_attachment(const tn_reduction *reduction, int attachment);
TN_API tn_vec3 tn_reduction_position(const tn_reduction *reduction, int attachment); // [m]
// Frequencies of the free body, by the modes and by all freedoms of the mesh [Hz].
TN_API double tn_reduction_free(const tn_reduction *reduction, int i);
TN_API double tn_reduction_full(const tn_reduction *reduction, int i);

// Writes the file of the modal body (docs/formats/modal.md), in HDF5, over an existing file.
TN_API tn_status tn_reduction_write(const tn_reduction *reduction, const char *path);
