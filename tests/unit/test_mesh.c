// SPDX-License-Identifier: MIT
//
// Meshes: one tetrahedron as STL text, binary STL and OBJ, and what is refused.

#include "file/mesh.h"
#include "test.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3.5f}};
static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

static void check_tetrahedron(const tn_mesh *mesh)
{
    CHECK(mesh->ntriangle == 4);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 9; k++)
            CHECK(mesh->positions[9 * i + k] == corner[face[i][k / 3]][k % 3]);
}

static tn_status parse(const char *text, const char *name, tn_mesh *mesh)
{
    return tn_mesh_parse(text, strlen(text), name, 1000, mesh);
}

static void refuses(const char *text, const char *name, const char *message)
{
    tn_mesh mesh;
    CHECK(parse(text, name, &mesh) == TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), message);
    CHECK(!mesh.positions);
}

static char text[4096];

static void write_stl_text(void)
{
    int n = sprintf(text, "solid a part\n");
    for (int i = 0; i < 4; i++) {
        n += sprintf(text + n, "  facet normal 0 0 1\r\n    outer loop\n");
        for (int k = 0; k < 3; k++) {
            const float *p = corner[face[i][k]];
            n += sprintf(text + n, "      vertex %e %g\t%.3f\n", p[0], p[1], p[2]);
        }
        n += sprintf(text + n, "    endloop\n  endfacet\n");
    }
    sprintf(text + n, "endsolid a part\n");
}

static void stl_text(void)
{
    tn_mesh mesh;
    write_stl_text();
    CHECK_OK(parse(text, "part.stl", &mesh));
    check_tetrahedron(&mesh);
    tn_mesh_clear(&mesh);
}

static void broken_stl_text(void)
{
    write_stl_text();
    text[strlen(text) - 30] = '\0';
    refuses(text, "part.stl", "part.stl:29: the file is cut short or its last facet is not ended");
    refuses("solid\nfacet\nouter loop\nvertex 1 2\n", "a.stl",
            "a.stl:4: a vertex has 2 of its 3 coordinates");
    refuses("solid\nvertex 1 2 x3\n", "a.stl",
            "a.stl:2: a coordinate of a vertex is 'x3', not a number");
    refuses("solid\nvertex 1 2 1e99\n", "a.stl",
            "a.stl:2: a coordinate of a vertex is '1e99', not a number");
    refuses("solid\nvertex 1 2 3\nvertex 1 2 3\nendloop\n", "a.stl",
            "a.stl:4: a facet has 2 corners; STL has triangles");
    refuses("solid nothing\nendsolid\n", "a.stl", "a.stl has no triangles");
    refuses("", "a.stl", "a.stl is neither an STL nor an OBJ file");
    refuses("hello", "a.stl", "a.stl is neither an STL nor an OBJ file");
}

static void put_float(unsigned char *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(bits >> 8 * i);
}

// The header says "solid" as some programs write it.
static size_t write_stl_binary(unsigned char *bytes)
{
    memset(bytes, 0, 84 + 200);
    memcpy(bytes, "solid binary", 12);
    bytes[80] = 4;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 9; k++)
            put_float(bytes + 84 + 50 * i + 12 + 4 * k, corner[face[i][k / 3]][k % 3]);
    return 84 + 200;
}

static void stl_binary(void)
{
    unsigned char bytes[512];
    tn_mesh mesh;
    const size_t n = write_stl_binary(bytes);
    CHECK_OK(tn_mesh_parse((char *)bytes, n, "part.stl", 4, &mesh));
    check_tetrahedron(&mesh);
    tn_mesh_clear(&mesh);
}

static void broken_stl_binary(void)
{
    unsigned char bytes[512];
    tn_mesh mesh;
    const size_t n = write_stl_binary(bytes);
    CHECK(tn_mesh_parse((char *)bytes, n, "part.stl", 3, &mesh) == TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "part.stl has more than 3 triangles; simplify the mesh");
    bytes[0] = 'x';
    for (size_t cut = 84; cut < n; cut++)
        CHECK(tn_mesh_parse((char *)bytes, cut, "part.stl", 1000, &mesh) == TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(),
               "part.stl is cut short or no STL file: 4 triangles need 284 bytes, it has 283");
    memset(bytes + 80, 0xff, 4); // 4 billion triangles
    CHECK(tn_mesh_parse((char *)bytes, n, "part.stl", 1000, &mesh) == TN_ERR_FILE);
    write_stl_binary(bytes);
    put_float(bytes + 84 + 50 + 12, 1.0f / 0.0f);
    CHECK(tn_mesh_parse((char *)bytes, n, "part.stl", 1000, &mesh) == TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "part.stl: triangle 2 has a corner that is no number");
}

static void obj(void)
{
    tn_mesh mesh;
    CHECK_OK(parse("# a part\r\nmtllib x.mtl\no part\nv 0 0 0\nv 1 0 0 1.0\nv 0 2 0\nv 0 0 3.5\n"
                   "vn 0 0 1\nvt 0 0\nf 1 3 2\nf 1/1 2/1 4/1\nf 2//1 3//1 4//1\nf -2/1/1 -4 4",
                   "part.OBJ", &mesh));
    check_tetrahedron(&mesh);
    tn_mesh_clear(&mesh);
}

static void obj_polygons_are_fans(void)
{
    tn_mesh mesh;
    CHECK_OK(
        parse("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 0.5 0\nf 1 2 3 4 5\n", "a.obj", &mesh));
    CHECK(mesh.ntriangle == 3);
    static const double expected[] = {0, 0, 0, 0, 1, 0, -1, 0.5, 0};
    CHECK(memcmp(mesh.positions + 18, expected, sizeof(expected)) == 0);
    tn_mesh_clear(&mesh);
}

static void broken_obj(void)
{
    refuses("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "a.obj",
            "a.obj:4: a face refers to vertex 4; 3 come before it");
    refuses("v 0 0 0\nf 1 1 -2\n", "a.obj",
            "a.obj:2: a face refers to vertex -2; 1 come before it");
    refuses("v 0 0 0\nf 1 1 0\n", "a.obj", "a.obj:2: a face refers to vertex 0; 1 come before it");
    refuses("v 0 0 0\nf 1 1 nan\n", "a.obj", "a.obj:2: a corner of a face is 'nan', not a number");
    refuses("v 0 0 0\nf 1 1\n", "a.obj", "a.obj:2: a face has 2 corners; it needs 3");
    refuses("v 0 zero 0\n", "a.obj", "a.obj:1: a coordinate of a vertex is 'zero', not a number");
    refuses("", "a.obj", "a.obj has no triangles");
    tn_mesh mesh;
    CHECK(tn_mesh_parse("v 0 0 0\nf 1 1 1\nf 1 1 1\n", 24, "a.obj", 1, &mesh) == TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "a.obj has more than 1 triangles; simplify the mesh");
}

static void files(void)
{
    tn_mesh mesh;
    CHECK(tn_mesh_read("missing.stl", 1000, &mesh) == TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "missing.stl: cannot read the file: No such file or directory");
    mkdir("folder.stl", 0777);
    CHECK(tn_mesh_read("folder.stl", 1000, &mesh) == TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "cannot read folder.stl: it is not a file");
    remove("folder.stl");
    write_stl_text();
    FILE *file = fopen("part.stl", "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
    CHECK_OK(tn_mesh_read("part.stl", 1000, &mesh));
    check_tetrahedron(&mesh);
    tn_mesh_clear(&mesh);
    remove("part.stl");
}

static const tn_test tests[] = {
    {"STL text", stl_text},
    {"STL text that is broken", broken_stl_text},
    {"binary STL, also when it begins with solid", stl_binary},
    {"binary STL that is broken", broken_stl_binary},
    {"OBJ", obj},
    {"polygons of OBJ become fans", obj_polygons_are_fans},
    {"OBJ that is broken", broken_obj},
    {"files", files},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
