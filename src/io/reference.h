// SPDX-License-Identifier: MIT
//
// Words about the model format, made from the tables that the reader uses: the reference page
// docs/formats/model.md, and the help on one kind of body, joint, force or shape.

#pragma once

#include "base/status.h"

// The whole page in Markdown; tn_free it.
tn_status tn_reference_text(char **out);

// Plain text on one kind ("revolute", "spring", "planar") or on "simulate"; tn_free it. A name that
// stands for a body and a joint gives both. Unknown names are an error with the nearest one.
tn_status tn_help_text(const char *kind, char **out);
