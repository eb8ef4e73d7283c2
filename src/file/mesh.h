// SPDX-License-Identifier: MIT
//
// Triangle meshes, for pictures and for masses: STL, as text or binary, and OBJ, of which only
// vertices and faces are read.

#pragma once

#include "base/status.h"

typedef struct tn_mesh {
    long ntriangle;
    double *positions; // 9 per triangle: x, y, z of three corners, in units of the file
} tn_mesh;

// The format follows from the contents; files whose name ends with .obj are OBJ. At most
// `most_triangles`; errors start with the path, and with the line in files of text.
tn_status tn_mesh_read(const char *path, long most_triangles, tn_mesh *out);
tn_status tn_mesh_parse(const char *bytes, size_t length, const char *name, long most_triangles,
                        tn_mesh *out);
void tn_mesh_clear(tn_mesh *mesh);
