// SPDX-License-Identifier: MIT
//
// Files: models in YAML or JSON, results in HDF5 and CSV. Models may be read by several threads at
// once; a record belongs to one thread at a time, that of its simulation.

#pragma once

#include "tenon/base.h"
#include "tenon/model.h"
#include "tenon/sim.h"

// The `simulate` block of a model file: defaults that a caller may override.
typedef struct tn_simulate {
    tn_sim_options options;
    double t_end;  // [s]
    double output; // interval of stored rows; 0 stores every step, NAN: 600 intervals [s]
} tn_simulate;

// Reads a model file. Errors carry file:line:column, the element and the rule. `simulate` (may be
// NULL) receives the block of the file over the defaults; its strings live as long as the model.
TN_API tn_status tn_model_load(const char *path, tn_model **out, tn_simulate *simulate);
TN_API tn_status tn_model_parse(const char *text, const char *name, tn_model **out,
                                tn_simulate *simulate);

// The value of a parameter in the place of the one that a file states.
typedef struct tn_parameter_value {
    const char *name;
    double value;
    const char *expression; // in place of the number, of parameters that stand above it in the
                            // file; NULL for none
} tn_parameter_value;

// Reads a model file with other values of some of its parameters; those that depend on them follow.
// TN_ERR_USAGE where the file has no such parameter.
TN_API tn_status tn_model_load_with(const char *path, int n, const tn_parameter_value *values,
                                    tn_model **out, tn_simulate *simulate);

// A model file with its parts written out, as the text of a model file again: parts that are
// included, repeated and assembled stand there by its full name, parameters have the given values.
// Paths in it are seen from `folder`; NULL is that of the model. tn_text_free it.
TN_API tn_status tn_model_expand(const char *path, int n, const tn_parameter_value *values,
                                 const char *folder, char **out);

// Sets *out if a file is the model file or one that it includes or assembles, by whatever path; a
// file that is not there is none.
TN_API tn_status tn_model_is_made_of(const char *path, const char *file, bool *out);

// Draws the topology of a model: bodies in rows by their distance from the ground, joints of the
// spanning tree and those that close loops, force elements and couplings. The path ends with .svg,
// or with .dot for Graphviz; "-" is SVG on the standard output. A file that exists is replaced.
TN_API tn_status tn_model_draw(const tn_model *model, const char *path);

// Facts of the pattern of the equations of motion of a model.
typedef struct tn_pattern_told {
    int unknowns, nonzeros;
    int bandwidth, bandwidth_ordered; // largest |row - column|, before and after the re-ordering
    int blocks;                       // of the re-ordered matrix along its diagonal
} tn_pattern_told;

// Draws the sparsity pattern of the equations of motion of a model in mixed coordinates [Arn16,
// eq. 18, Fig. 9]: as they are written, and re-ordered by the topology of the mechanism. The path
// ends with .svg, or with .csv for a table of all nonzeros; "-" is SVG on the standard output. A
// file that exists is replaced. `told` may be NULL.
TN_API tn_status tn_model_draw_pattern(const tn_model *model, const char *path,
                                       tn_pattern_told *told);

// The rules between options that their ranges cannot say: TN_ERR_USAGE with a sentence.
TN_API tn_status tn_simulate_check(const tn_simulate *simulate);
// Puts options over those of a file: row i of tn_help_option (tenon/help.h) where given[i], from
// `values`. Another method leaves aside the step of the file and the options that the file states
// for its own method. Texts and lists of `values` must live as long as they are used.
TN_API tn_status tn_simulate_override(tn_simulate *simulate, const tn_simulate *values,
                                      const bool *given);

// A record writes one row per call for bodies, joints, forces and the ledger of a simulation. Rows
// go to a journal, result.journal; closing makes result.h5 out of it, in a process of its own. The
// folder belongs to one record at a time.
typedef struct tn_record tn_record;

// The contents of a record, and their sources.
typedef struct tn_record_options {
    bool hdf5, csv;         // result.h5, result.csv
    bool overwrite;         // replace existing results
    const char *model_path; // stored with the results; may be NULL
    // Asked while result.h5 is made, twenty times a second: true leaves the rows in the journal.
    // May be NULL.
    bool (*give_up)(void *user);
    void *user;
} tn_record_options;

// HDF5, or CSV where Tenon was built without HDF5; no results are replaced.
TN_API tn_record_options tn_default_record(void);
// Opens a record in a folder, which is made when it is not there. The simulation is needed until
// its first row; options may be NULL.
TN_API tn_status tn_record_create(const char *directory, tn_sim *sim,
                                  const tn_record_options *options, tn_record **out);
// Stores the channels of the simulation (tn_sim_channel_at) at the state that it shows as one row.
TN_API tn_status tn_record_row(tn_record *record, tn_sim *sim);
// Rows stay in memory for a moment: those that are older than a twentieth of a second are written
// with the next one, so that a killed run loses little. This call writes them at once.
TN_API tn_status tn_record_flush(tn_record *record);
// Flushes and closes; `outcome` is "done", "stopped" or "failed: reason", stored as an attribute.
// If result.h5 cannot be made, the rows stay in the journal, and the failure says so.
TN_API tn_status tn_record_close(tn_record *record, const char *outcome);

// A command line as a shell reads it back, words with special characters in quotes; tn_text_free
// it.
TN_API tn_status tn_shell_line(const char *program, int n, char *const *words, char **out);
