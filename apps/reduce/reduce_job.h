// SPDX-License-Identifier: MIT
//
// The job of a reduction: a file in YAML or JSON that names the matrices, the attachments and what
// is wanted (docs/guide/reduce.md).
//
//   reduce_job.c        the file: attachments, frame, modes, damping
//   reduce_source.c     where matrices and nodes come from; units
//   reduce_geometric.c  geometric stiffness from preloaded matrices
//   reduction.c         the public functions

#pragma once

#include "file/document.h"
#include "reduce/calculix.h"
#include "reduce/reduce_beam.h"
#include "tenon/reduce.h"

typedef struct tn_reduce_job {
    tn_document *doc;
    const char *path;
    tn_deck deck; // nodes, sets and faces of a deck of CalculiX; sets of other sources
    tn_fe fe;
    tn_model *model; // whose beam is reduced; NULL: of other sources
    tn_beam beam;
    double length, force, mass; // units of the source in SI units
    int nattachment;
    tn_fe_attachment *attachment; // by name
    tn_reduce_wanted wanted;
} tn_reduce_job;

tn_status tn_reduce_job_read(const char *path, tn_reduce_job *out);
void tn_reduce_job_clear(tn_reduce_job *job);

// The files of jobs share these functions.
tn_status tn_job_fail(const tn_reduce_job *job, const tn_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The text under a key, as the path of a file beside the job; tn_free it.
tn_status tn_job_path(const tn_reduce_job *job, const tn_node *map, const char *what,
                      const char *key, char **out);
tn_status tn_job_text(const tn_reduce_job *job, const tn_node *map, const char *what,
                      const char *key, const char **out); // must be there
// A number that must be positive, where it is there.
tn_status tn_job_number(const tn_reduce_job *job, const tn_node *map, const char *what,
                        const char *key, double *out);

tn_status tn_job_source(tn_reduce_job *job);
tn_status tn_job_geometric(tn_reduce_job *job);
// Units of stiffness, or of mass, in a matrix: displacements are lengths, rotations are not.
tn_status tn_job_scale(const tn_reduce_job *job, bool mass, tn_sparse *A);
