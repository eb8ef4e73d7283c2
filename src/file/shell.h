// SPDX-License-Identifier: MIT
//
// Words of a command line, written so that a shell reads them back.

#pragma once

// The word as it is where nothing in it is special, else in single quotes; NULL when memory is
// short. tn_free it.
char *tn_shell_quote(const char *word);
