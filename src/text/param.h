// SPDX-License-Identifier: MIT
//
// Ranges of parameter tables (tenon/param.h), and definition structs that tables describe.

#pragma once

#include "base/status.h"
#include "tenon/param.h"

// Checks a number against a range; `what` is "force 'spring 1': stiffness".
tn_status tn_range_check(tn_range range, double value, const char *what);
const char *tn_range_text(tn_range range); // "must not be negative"

// The bytes of a number, a bool or the pointer to a text, of lists those of their n; 0 for others.
size_t tn_param_size(tn_param_type type);
// A row of a table, of a member of a definition struct; the rest are other fields of it.
#define TN_PARAM(def, member, kind, key, of_unit, ...)             \
    {                                                              \
        .name = (key), .type = TN_PARAM_##kind, .unit = (of_unit), \
        .offset = offsetof(def, member), __VA_ARGS__               \
    }

// A table as two fields of a kind with parameters.
#define TN_PARAMS(table) .params = (table), .nparam = TN_COUNT(table)

// Number of functions of a parameter: none, one or three.
static inline int tn_param_functions(const tn_param *param)
{
    return param->type == TN_PARAM_FUNCTION3 ? 3 : param->type == TN_PARAM_FUNCTION;
}

// Returns the pointers of a list, (int n, const double *x, …), which begin behind its n.
const double **tn_param_pointers(void *list);

// The next item of a list "a, 'b,c'.x", without blanks and quotes; returns its length, as snprintf
// does, or -1 at the end.
int tn_list_next(const char **list, size_t size, char *item);
// Fails where an item of this length was cut.
tn_status tn_list_fits(int length, size_t size, const char *item);

// Sets the numbers and texts of a definition struct to the defaults of its table, and references to
// none.
void tn_params_default(int n, const tn_param *params, void *def);

// Checks every number, vector and choice of a definition struct against its table: the file reader
// and the C builders share this. `owner` is "force 'spring 1'", or NULL for none.
tn_status tn_params_check(int n, const tn_param *params, const void *def, const char *owner);
