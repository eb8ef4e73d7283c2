// SPDX-License-Identifier: MIT
//
// XML files of robots as trees of elements that know their lines, by libxml2. Nothing but the text
// itself is read: no network, no other file, and no entities, since a document type is refused.

#pragma once

#include "base/pool.h"
#include "base/status.h"

typedef struct tn_xml tn_xml;

// An element. An undeclared prefix is part of its name, "sensor:camera".
struct tn_xml {
    const char *name;
    int line;
    int nattribute;
    const char *const *keys, *const *values; // of its attributes
    tn_xml *parent, *first, *last, *next;    // the elements around, within and behind it
};

typedef struct tn_xml_file {
    const char *name;
    tn_pool memory;
    tn_xml *root;
} tn_xml_file;

// Errors begin with name:line. Close the file, also after a failure.
tn_status tn_xml_parse(const char *text, size_t length, const char *name, tn_xml_file *out);
void tn_xml_close(tn_xml_file *file);

// The first element of that name within another, or behind one of that name; NULL for none.
const tn_xml *tn_xml_child(const tn_xml *within, const char *name);
const tn_xml *tn_xml_again(const tn_xml *element);
const char *tn_xml_get(const tn_xml *element, const char *key); // NULL where it is not stated

// "name:line: sentence", TN_ERR_MODEL.
tn_status tn_xml_fail(const tn_xml_file *file, const tn_xml *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Attributes as numbers with blanks between, all finite; where one is not stated *out stays. `what`
// names the element: "joint 'elbow': axis".
tn_status tn_xml_numbers(const tn_xml_file *file, const tn_xml *at, const char *key,
                         const char *what, int n, double *out);
// The same of the text of an attribute that may stand elsewhere, NULL for none; fewer numbers than
// `most` leave the rest of *out as it is. Up to six.
tn_status tn_xml_read_numbers(const tn_xml_file *file, const tn_xml *at, const char *key,
                              const char *text, const char *what, int least, int most, double *out);
// An attribute that must be there.
tn_status tn_xml_need(const tn_xml_file *file, const tn_xml *at, const char *key, const char *what,
                      const char **out);
