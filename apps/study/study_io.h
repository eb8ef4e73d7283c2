// SPDX-License-Identifier: MIT
//
// Studies (study.h) and files: a reference from results that are stored, and a study as JSON,
// as a table, as a picture and as a page.

#pragma once

#include "study/study.h"
#include "tenon/json.h"

// Takes the reference from result.h5 of a run of the same model. Times of the study that no stored
// row has are left out; the last must be there. Results of another model, or of other values of its
// parameters, are refused, as far as they state it; `model_path` is that of its file, or NULL.
tn_status tn_study_reference_file(tn_study *study, const char *path, bool trust,
                                  const char *model_path);

// Texts and facts about a study that its caller knows.
typedef struct tn_study_about {
    const char *kind;    // "converge" or "compare"
    const char *model;   // path
    const char *command; // that does it again; NULL when it is not known
} tn_study_about;

// One object, finished; docs/formats/json.md lists its keys.
tn_status tn_study_json(const tn_study *study, const tn_study_about *about, tn_json **out);
// One line per run, comma separated; tn_free it.
tn_status tn_study_csv(const tn_study *study, char **out);
// Work against correct digits: evaluations and time of the processor.
tn_status tn_study_plot(const tn_study *study, const char *title, const char *path);
// Plots the error of the energy against time, for all runs.
tn_status tn_study_plot_energy(const tn_study *study, const char *title, const char *path);
// A page with table and plots, which any browser opens from disk; tn_report_check finds whether
// this Tenon has it.
tn_status tn_study_page(const tn_study *study, const tn_study_about *about, const char *path);
