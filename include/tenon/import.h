// SPDX-License-Identifier: MIT
//
// Import: robots that others have written, in URDF or MJCF, become models of Tenon. tn_model_load
// and the commands read such a file as it is; here it becomes the text of a model file, with a
// report of all that was assumed and left out (docs/guide/import.md).
//
//     tn_import *robot = NULL;
//     tn_status s = tn_import_create("arm.urdf", NULL, &robot);
//     if (s == TN_OK)
//         puts(tn_import_text(robot));
//     tn_import_destroy(robot);
//
// Functions of a const object may be called at the same time.

#pragma once

#include "tenon/base.h"

#include <stdbool.h>

// Choices between which the file leaves open what it means.
typedef struct tn_import_options {
    const char *base; // "fixed": the root is held by the ground; "free": it flies
    const char
        *limits; // "stop": elastic stops; "event": they are told; "none": no more than a note
    const char *inertia; // one that no body can have: "refuse" it, "repair" it or "keep" it
    bool keep_fixed;     // fixed joints stay joints, with reactions
    // What has a part in the motion, is not read and is left out, with commas between: "actuator",
    // "tendon", "armature" and others that messages name; NULL for none.
    const char *without;
    // Places of packages that names of meshes begin with, "NAME=FOLDER", with commas between; NULL
    // for none.
    const char *packages;
    // A model file that the text includes, such as one with joints between links that close loops;
    // NULL for none. Coordinates at the start are guesses then.
    const char *close;
    // Paths in the text are seen from this folder; NULL: that of the robot.
    const char *folder;
} tn_import_options;

// Options as they are unless others are stated.
TN_API tn_import_options tn_default_import(void);

// A robot that was read; tn_import_destroy it.
typedef struct tn_import tn_import;

// Options may be NULL. On failure *out is NULL; the sentence begins with file:line.
TN_API tn_status tn_import_create(const char *path, const tn_import_options *options,
                                  tn_import **out);
TN_API void tn_import_destroy(tn_import *import); // NULL is fine

// The text of a model file; it lives as long as the object.
TN_API const char *tn_import_text(const tn_import *import);

// Facts of a robot.
typedef struct tn_import_facts {
    const char *format; // "URDF" or "MJCF"
    const char *name;   // of the robot
    int links, joints;  // as stated
    int bodies;         // links that are fixed to each other are one
    int massless;       // of these
    double mass;        // of all links, also of those that the ground holds [kg]
} tn_import_facts;
// Counts and mass of the robot as it was read.
TN_API tn_import_facts tn_import_facts_of(const tn_import *import);

// What a note of an import is about.
typedef enum tn_import_kind {
    TN_IMPORT_ASSUMED, // the file does not say it
    TN_IMPORT_CHANGED, // the model differs from the file in it
    TN_IMPORT_LEFT_OUT // it has no part in the motion, or was to be left out
} tn_import_kind;

// What is worth telling of a robot.
typedef struct tn_import_note {
    tn_import_kind kind;
    int line;         // of its file
    const char *text; // lives as long as the object
} tn_import_note;
// How many notes there are.
TN_API int tn_import_note_count(const tn_import *import);
// Note number i, from 0, in the order of the file.
TN_API tn_import_note tn_import_note_at(const tn_import *import, int i);
