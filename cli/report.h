// SPDX-License-Identifier: MIT
//
// The report of a results folder, for `tenon report` and `tenon run --report`.

#pragma once

#include "cli.h"

// Writes the page; `out` NULL is report.html in the folder. What cannot be shown is told on stderr.
// *path is the file (tn_text_free it).
tn_status cli_report_write(const char *directory, bool trust, const char *out, char **path);
