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

// One object, finished; docs/formats/json.md lists its keys. `wanted` is what it was asked for.
tn_status tn_study_json(const tn_study *study, const tn_compare_options *wanted, tn_json **out);
// Pictures of work against correct digits and of the error of the energy against time, a table with
// one line per run, and where this Tenon has it (tn_report_check) a page with all of it.
enum { TN_STUDY_FILES = 4 };
extern const char *const tn_study_file_names[TN_STUDY_FILES];
tn_status tn_study_write(const tn_study *study, const tn_compare_options *wanted,
                         const char *directory);
