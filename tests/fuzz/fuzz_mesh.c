// SPDX-License-Identifier: MIT
//
// Meshes, read as STL and as OBJ, and the solids that they bound.

#include "fuzz.h"

#include "read/mesh_solid.h"

enum { MOST_TRIANGLES = 100000 };

static void read_mesh(const char *name, const uint8_t *data, size_t size)
{
    tn_mesh mesh;
    tn_mass mass;
    bool inside_out = false;
    char *bytes = fuzz_text(data, size); // as files are read, with a zero behind them
    const tn_status status = tn_mesh_parse(bytes, size, name, MOST_TRIANGLES, &mesh);
    fuzz_check_status(status);
    if (status == TN_OK)
        fuzz_check_status(tn_mesh_solid(&mesh, name, &mass, &inside_out));
    tn_mesh_clear(&mesh);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_mesh("fuzz.stl", data, size);
    read_mesh("fuzz.obj", data, size);
    return 0;
}
