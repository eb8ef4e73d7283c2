// SPDX-License-Identifier: MIT
//
// The names in expressions of the state become variables, each once.

#pragma once

#include "model/model.h"

typedef struct tn_names {
    const tn_model *model;
    int first_live;     // number of the node of the first variable parameter
    int force, sampler; // whose expression it is, -1 for none
    tn_table *plain;    // signals, states, unknowns and inputs, numbered behind each other
    TN_ARRAY(tn_variable) variables;
    tn_table *taken; // the variables by their numbers, written as a name
} tn_names;

tn_status tn_names_open(tn_names *names, const tn_model *model, int first_live);
void tn_names_close(tn_names *names);
// A tn_lookup of tn_names.
tn_status tn_names_find(void *names, const char *name, int *variable);
// Hands the variables out; returns how many there are.
int tn_names_take(tn_names *names, tn_variable **out);

// The sampled system of value *i among those of all; *i becomes its number within the system.
int tn_sampler_of(const tn_model *model, int *i);

// TN_ERR_MODEL where an expression of a force has a name that is one of the force's own numbers
// ("length") and also that of a parameter, an input, a signal, a state or an unknown. `what` is
// "force 's': law".
// Returns true if expressions of forces may read a number of theirs by that name: length, rate, ...
bool tn_is_force_word(const char *name);
tn_status tn_force_check_names(const tn_model *model, int force, const char *what,
                               const char *text);
