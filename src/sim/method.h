// SPDX-License-Identifier: MIT
//
// Methods by name: "integrator/formulation@coordinates", parts may be left out; "auto" chooses.

#pragma once

#include "integrator/integrator.h"

typedef struct tn_method {
    const tn_integrator_ops *integrator;
    const tn_formulation *formulation;
    const char *coordinates;
    char name[96]; // complete, for example "galpha/ggl@absolute"
    const char *why;
} tn_method;

// `system` is what the method will run on: its coordinates and constraints decide what auto takes.
tn_status tn_method_parse(const char *text, const tn_system *sys, tn_method *out);
