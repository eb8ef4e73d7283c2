// SPDX-License-Identifier: MIT
//
// Methods by name: "integrator/formulation@coordinates", parts may be left out; "auto" chooses. A
// formulation that drifts may be followed by "+project".

#pragma once

#include "integrator/integrator.h"
#include "start/start.h"
#include "text/options.h"

typedef struct tn_method {
    const tn_integrator_ops *integrator;
    const tn_formulation *formulation;
    const char *called; // another name of the formulation, as asked for, "kane"; NULL: its own
    bool project;       // q and v are projected onto the constraints where they have drifted
    const char *coordinates;
    char name[96]; // complete, for example "galpha/ggl@absolute"
    char why[200];
    bool chosen; // by auto, so that others may take its place
} tn_method;

// `start` is where the method will set out: its coordinates, constraints and stiffness decide what
// auto takes, and so do a fixed step in the options and how many nodes of beams the model has. Goes
// over to joint coordinates where these are asked for, or where auto prefers them.
tn_status tn_method_parse(const char *text, tn_start *start, const tn_sim_options *options,
                          int beam_nodes, tn_method *out);

// Goes over from a method that auto has chosen, and that refuses the model, to the next one that
// takes more models; false where there is none.
bool tn_method_next(tn_method *method, const tn_system *sys);

// Checks that integrator, formulation and coordinates of a name exist and fit, before there is a
// model.
tn_status tn_method_check(const char *text);

// Parts that a name states, NULL for those it leaves open.
void tn_method_named(const char *text, const tn_integrator_ops **integrator,
                     const tn_formulation **formulation);
const struct tn_coordinates *tn_method_coordinates(const char *text); // NULL: open, or none
// Returns true if they read this option of a simulation (text/options.h, readers.c).
bool tn_integrator_reads(const tn_integrator_ops *integrator, bool controlled, const char *option);
bool tn_formulation_reads(const tn_formulation *formulation, const char *option);
// Returns true if a method of this name may read the option, as far as the name determines.
bool tn_method_may_read(const char *method, const tn_param *option);
// The integrators that auto chooses from, by number; NULL behind the last.
const tn_integrator_ops *tn_method_auto(int k);
