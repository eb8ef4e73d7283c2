// SPDX-License-Identifier: MIT
//
// The model that results belong to, as far as they state it: values of its parameters, the text of
// its file, its scene. Two of them are compared, so that results of another mechanism are not taken
// for those of this one.

#pragma once

#include "result/result.h"
#include "text/notes.h"

typedef struct tn_stored_model {
    char *parameters; // {"k": 5}; NULL when it is not known
    char *source;     // text of the file; NULL when there was none
    char *files;      // texts of the files that it includes, and checksums of others that decide
                      // its motion; NULL when there are none
    char *scene;      // result/scene.h; NULL when it is not known
} tn_stored_model;

// {"k": 5, …}, parameters alone, without inputs and tables; tn_free it.
tn_status tn_model_parameters_json(const tn_model *model, char **out);

// {"parts/leg.yaml": "tenon: 1 …", "arm.h5": "checksum …"}, the texts of the files that a model
// file includes or assembles, and checksums of modal bodies and of meshes that bodies take their
// mass from; *out is NULL where there are none, or where they cannot be read. tn_free it.
tn_status tn_model_files_json(const char *path, char **out);

// Both are to be freed, also after failures. The path, which may be NULL, is that of the file.
tn_status tn_stored_model_of_result(const tn_result *result, tn_stored_model *out);
tn_status tn_stored_model_of(const tn_model *model, const char *path, tn_stored_model *out);
void tn_stored_model_free(tn_stored_model *stored);

// Sentences on what differs, the first few: "k is 5 in A and 3 in B". What only says how to
// simulate, or how something looks, does not count, nor does what one of the two does not state.
tn_status tn_stored_models_compare(const tn_stored_model *a, const char *name_a,
                                   const tn_stored_model *b, const char *name_b, tn_notes *out);
