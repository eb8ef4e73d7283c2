// SPDX-License-Identifier: MIT
//
// Expressions of the state: signals, states, unknowns, sampled systems, and variable parameters,
// which are numbers of force elements that an expression gives [Arn16, eq. 41, 44]. A model stores
// their texts; once it is complete they are compiled together (tn_signals): names become variables,
// formulas are put into an order in which each one finds the signals that it uses.

#pragma once

#include "signal/formula.h"
#include "tenon/model.h"
#include "text/param.h"

enum { TN_SEEN_NUMBERS = 12, TN_SLIP_NUMBERS = 3 };
enum { TN_SAMPLED_QUEUE = 1000 }; // samples whose values wait for their delay, at most

typedef struct tn_signal_data {
    const char *name, *text;
} tn_signal_data;

// A number of a force element that an expression gives: a function of its kind, or a number of its
// definition.
typedef struct tn_live_data {
    int force;
    const tn_param *param;
    int function;            // index in u[] of tn_force_data, -1 for a number
    const char *what, *text; // "force 'drive': effort"
    bool own;                // the force has it by itself: another one may take its place
} tn_live_data;

// The kinds of variables that formulas read beside t.
typedef enum tn_variable_kind {
    TN_VARIABLE_INPUT,    // index: of the input
    TN_VARIABLE_STATE,    // of the state
    TN_VARIABLE_UNKNOWN,  // of the unknown
    TN_VARIABLE_SAMPLED,  // of the value among all sampled ones, as it acts
    TN_VARIABLE_LATEST,   // the same as computed last, for its own system
    TN_VARIABLE_QUANTITY, // a number of the mechanism, tn_named_quantity of model/vocabulary.h
    TN_VARIABLE_NODE,     // the value of another formula: number of its node
} tn_variable_kind;

typedef struct tn_variable {
    tn_variable_kind kind;
    int index;              // of a quantity: its tn_quantity, or TN_QUANTITIES + a number of
                            // frame B seen from A: displacements, turns, and the rates of both;
                            // behind these, speeds of slip in a ball or of a wheel
    int element, component; // of a quantity
    const char *unit;       // the same
} tn_variable;

// The use of a formula.
typedef enum tn_formula_use {
    TN_FORMULA_SIGNAL,   // index: of the signal
    TN_FORMULA_LIVE,     // of the variable parameter
    TN_FORMULA_RATE,     // of the state
    TN_FORMULA_EQUATION, // of the unknown
    TN_FORMULA_NEXT,     // of the sampled value among all of them
    TN_FORMULA_USES
} tn_formula_use;

typedef struct tn_formula_node {
    tn_formula_use use;
    int index;
    tn_formula *formula;
    int nlocal;       // variables of the formula
    const int *local; // their numbers
    // Variables other than nodes that its value depends on, increasing; and where the derivatives
    // by its own variables go among these: for each one how many places follow, and the places.
    int ndep, *dep, *into;
    bool continuous; // the equations of motion use it; else samples and read-out alone
} tn_formula_node;

typedef struct tn_signals {
    int nvariable, nnode;
    tn_variable *variable;
    tn_formula_node *node;          // by use, and by index in each
    int first[TN_FORMULA_USES + 1]; // node of each use
    int *order, nfirst;             // of evaluation: those of the equations of motion first
    int most_local;                 // of a node
    bool uses_reactions;            // in the equations of motion
} tn_signals;

// Compiles the expressions of a complete model, which must outlive them.
tn_status tn_signals_create(const tn_model *model, tn_signals **out);
void tn_signals_destroy(tn_signals *s);

// The use of a formula, in the words that its place in a file goes by: "state 'x': rate".
enum { TN_FORMULA_WORDS = 600 };
void tn_formula_describe(const tn_model *model, const tn_formula_node *node, char *text,
                         size_t size);

bool tn_variable_is_reaction(const tn_variable *v);
// A number of the mechanism that has derivatives by positions, velocities and multipliers.
bool tn_variable_is_measured(const tn_variable *v);
int tn_model_sampled_count(const tn_model *model); // values of all sampled systems
bool tn_model_has_signals(const tn_model *model);  // some expression of the state, of whatever use

// Finds if it has names beside t and parameters; TN_ERR_MODEL with the reason where it cannot be
// read.
tn_status tn_read_state_expression(const tn_model *model, const char *text, bool *names);
// Can be read, and has names beside t and parameters.
tn_status tn_is_state_expression(const tn_model *model, const char *text, bool *out);
// The same, or has t.
tn_status tn_is_changing_expression(const tn_model *model, const char *text, bool *out);
// An expression that is none of t and inputs becomes a variable parameter of the force that is
// added next; TN_OK with *out NULL where it is none.
tn_status tn_live_function(tn_model *model, const tn_param *param, int function, const char *what,
                           const char *text, tn_timefn **out);
// An expression that a force which is added next gives a number of its own, and a state that it
// has. Their names have a dot, which names of a user have not.
tn_status tn_live_own(tn_model *model, const tn_param *param, const char *what, const char *text);
tn_status tn_state_own(tn_model *model, const tn_state_def *def);
