// SPDX-License-Identifier: MIT
//
// Items of papers: figures, tables, examples and statements of the literature, which Tenon computes
// anew and compares with the published results. An item is a file of papers/, as
// docs/formats/paper.md has it: the statements of the paper, the commands that make it, and the
// numbers that are compared.
//
//     tn_paper *item = NULL;
//     tn_status s = tn_paper_read("papers/Arn16/fig10.yaml", &item);
//     if (s == TN_OK && (s = tn_paper_run(item, &options)) == TN_OK)
//         printf("%s\n", tn_paper_verdict_word(tn_paper_about(item)->verdict));
//     tn_paper_destroy(item);
//
// An item belongs to one thread at a time.

#pragma once

#include "tenon/base.h"
#include "tenon/io.h"

#include <stdbool.h>

// One item; tn_paper_destroy it.
typedef struct tn_paper tn_paper;

// The result of a number.
typedef enum tn_paper_verdict {
    TN_PAPER_OPEN,    // not run, or run with other parameters than those of the paper
    TN_PAPER_AGREES,  // every number is within its bounds
    TN_PAPER_SHAPE,   // the same, of what the paper has shown without all of its parameters
    TN_PAPER_DIFFERS, // as it is known to, with a reason
    TN_PAPER_FAILS    // a command did not end as it should, or a number is beyond its bounds
} tn_paper_verdict;

// "not judged", "agrees", "agrees in shape", "differs" or "fails".
TN_API const char *tn_paper_verdict_word(tn_paper_verdict verdict);

// Texts live as long as the item.
typedef struct tn_paper_facts {
    const char *key, *name; // "Arn16", "fig10": folder and file
    const char *item;       // "Fig. 10"
    const char *title, *source, *states;
    const char *chosen, *why; // may be ""
    int ncommand, nnumber, nparameter;
    tn_paper_verdict declared, verdict; // at best, and as it came out
    const char *reason;                 // of a failure; "" for none
    const char *changed;                // "x0 = 0.1", parameters that are not those of the paper
    double seconds;                     // that it took
    bool quick;                         // long items were left out
} tn_paper_facts;

// A number, ours beside the published one.
typedef struct tn_paper_number {
    const char *what, *unit;
    const char *differs, *why; // the reason of a difference, of the tolerance; may be ""
    double paper;              // NAN where the paper states none
    double tenon;              // NAN where it was not computed
    double low, high;          // bounds of `tenon`; NAN: it is shown and not checked
    bool skipped;              // by a quick run
} tn_paper_number;

// A parameter that may have another value.
typedef struct tn_paper_parameter {
    const char *name, *unit, *text;
    double value; // of the paper
} tn_paper_parameter;

// Reads an item; its folder has the name of the paper. On failure *out is NULL.
TN_API tn_status tn_paper_read(const char *path, tn_paper **out);
TN_API void tn_paper_destroy(tn_paper *paper); // NULL is fine

// The description of a paper and its result; NULL for NULL.
TN_API const tn_paper_facts *tn_paper_about(const tn_paper *paper);
// Number i, all zero where there is none.
TN_API tn_paper_number tn_paper_number_at(const tn_paper *paper, int i);
// True if a number was computed and is beyond its bounds.
TN_API bool tn_paper_number_fails(const tn_paper_number *number);
// Parameter i, all zero where there is none.
TN_API tn_paper_parameter tn_paper_parameter_at(const tn_paper *paper, int i);
// Command i as one would write it in a shell; NULL where there is none.
TN_API const char *tn_paper_command_at(const tn_paper *paper, int i);

// Settings for the run of an item.
typedef struct tn_paper_options {
    const char *out;   // folder for all that its commands write; one of an earlier run is emptied
    const char *tenon; // path of the command
    const char *programs; // folder of the programs of papers; NULL: there are none
    const char *models;   // folder of the example models; NULL: not known
    bool quick;           // without long items
    int nset;             // other values of its parameters
    const tn_parameter_value *set;
    tn_teller teller; // hears each command before it begins
} tn_paper_options;

// Runs the commands and compares the numbers, and writes out/record.json. An item that fails is no
// failure of this function: the verdict says so.
TN_API tn_status tn_paper_run(tn_paper *paper, const tn_paper_options *options);
// Takes over the results of an earlier run: out/record.json.
TN_API tn_status tn_paper_recall(tn_paper *paper, const char *out);

// One file of HTML about items that were run, with pictures and tables: "self-contained" is meant
// literally. `folders` are those that the items were run in, `index` is papers/index.yaml, which
// has the titles of the papers; NULL: keys alone.
TN_API tn_status tn_paper_page(int n, const tn_paper *const *papers, const char *const *folders,
                               const char *index, const char *path);
