// SPDX-License-Identifier: MIT
//
// The JSON Schema of model files, made from the tables that the reader uses. Editors complete and
// check model files with it; the reader checks more (names that must exist, ranges of expressions).

#pragma once

#include "base/status.h"

// The whole schema (draft 2020-12); tn_free it.
tn_status tn_schema_text(char **out);
