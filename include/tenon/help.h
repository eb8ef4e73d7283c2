// SPDX-License-Identifier: MIT
//
// Lists of everything that a user can choose: methods, options, kinds and starter models, as model
// files and the command name them. Everything here is constant and read off the tables that the
// library itself uses; any thread may read it. Lists are asked by number from 0 on and say where
// they end.

#pragma once

#include "tenon/base.h"
#include "tenon/param.h"

#include <stdbool.h>

// A mark of all public headers that the library was built with: a program compiled with others must
// not call it, whatever the version says.
TN_API const char *tn_interface(void);

// Methods -----------------------------------------------------------------------------------------

// Facts about an integrator.
typedef struct tn_integrator_info {
    const char *name;   // "galpha"
    const char *text;   // one line
    const char *source; // "[Arn16, eq. 64]"
    int order;          // of the largest order where it varies
    bool controlled;    // error-controlled unless a fixed step is stated
    bool fixed;         // has fixed steps alone
} tn_integrator_info;

// Facts about a formulation.
typedef struct tn_formulation_info {
    const char *name, *text, *source;
    int index;     // differentiation index of its equations
    bool projects; // may be followed by +project
} tn_formulation_info;

// A name that stands for a formulation of another name.
typedef struct tn_alias_info {
    const char *name, *of; // "kane", "maggi"
    const char *text;      // text that they share
    const char *source;
    int formulation; // its place in the list of formulations
} tn_alias_info;

// A choice without facts: ways to step rotations, and coordinates.
typedef struct tn_choice_info {
    const char *name, *text;
} tn_choice_info;

// Fills in entry i of a list; false behind the last one, and *out is untouched then.
TN_API bool tn_help_integrator(int i, tn_integrator_info *out);
TN_API bool tn_help_formulation(int i, tn_formulation_info *out);
TN_API bool tn_help_alias(int i, tn_alias_info *out);        // other names of formulations
TN_API bool tn_help_rotation(int i, tn_choice_info *out);    // the option `rotation`
TN_API bool tn_help_coordinates(int i, tn_choice_info *out); // behind the @ of a method

// True if an integrator can use a formulation, and if it steps rotations in such a way; by their
// numbers in the lists above, false for numbers that do not exist.
TN_API bool tn_help_pairs(int integrator, int formulation);
TN_API bool tn_help_rotates(int integrator, int rotation);

// Options and kinds -------------------------------------------------------------------------------

// Row i of the table of options of a simulation, the keys of the `simulate` block; offsets are
// those in tn_simulate (tenon/io.h). NULL behind the last one.
TN_API const tn_param *tn_help_option(int i);

// The kinds of bodies, joints, forces and shapes, one list; NULL behind the last one.
TN_API const char *tn_help_kind(int i);
// Plain text on one kind ("revolute", "spring", "planar") or on "simulate"; tn_text_free it. A name
// that stands for a body and a joint gives both. Unknown names are an error with the nearest one.
TN_API tn_status tn_help_text(const char *kind, char **out);
// The reference page of the model format in Markdown; tn_text_free it.
TN_API tn_status tn_help_reference(char **out);
// The JSON Schema of model files (draft 2020-12), with which editors complete and check them; the
// reader checks more (names that must exist, ranges of expressions). tn_text_free it.
TN_API tn_status tn_help_schema(char **out);

// Starter models ----------------------------------------------------------------------------------

// A model to begin with.
typedef struct tn_starter {
    const char *name;    // "pendulum"
    const char *summary; // "a rod that swings on a pin"
    const char *text;    // of the model file, with comments
} tn_starter;

// Starter i; NULL behind the last one.
TN_API const tn_starter *tn_help_starter(int i);
// Writes a starter as a model file; without `replace` a file that exists is left, with an error.
TN_API tn_status tn_starter_write(const tn_starter *starter, const char *path, bool replace);
