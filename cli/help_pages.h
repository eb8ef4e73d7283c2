// SPDX-License-Identifier: MIT
//
// Pages about the command that are written from its tables: the manual page and the completions of
// shells. `make install` installs them.

#pragma once

#include <stdio.h>

void cli_write_man(FILE *out);
void cli_write_bash(FILE *out);
void cli_write_zsh(FILE *out);
