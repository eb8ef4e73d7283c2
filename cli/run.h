// SPDX-License-Identifier: MIT
//
// Reports of `tenon run` and `tenon view` on a run: its progress, its ledger and how it ended.

#pragma once

#include "cli.h"

typedef struct cli_running {
    tn_run *run;
    bool quiet;
    cli_progress progress;
} cli_running;

// For `stepped` of the options of a run, with a cli_running as its user.
void cli_run_step(void *running);
// Simulates a run that is open, closes its results, prints the summary and what went wrong; returns
// the exit code.
int cli_run_go(cli_running *running);
// A run that was refused before it touched its folder leaves what --force would have replaced.
void cli_tell_kept(const char *model_path, const tn_run_options *wanted);

void cli_notes_tell(const tn_model *model, const tn_sim *sim); // on stderr

// Writes the page of a results folder, for `tenon report` and `tenon run --report`; `out` NULL is
// report.html in the folder. Prints to stderr what cannot be shown. *path is the file (tn_text_free
// it).
tn_status cli_report_write(const char *directory, bool trust, const tn_report_options *how,
                           char **path);
