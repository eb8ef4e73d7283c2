// SPDX-License-Identifier: MIT
//
// STL and OBJ files. A binary STL is 80 bytes of header, the number of triangles and 50 bytes for
// each: normal, three corners as little-endian float32 and two bytes of attributes. A text STL
// lists corners as "vertex x y z". An OBJ lists "v x y z", numbered from 1, and faces "f i j k",
// whose corners may go on with "/texture/normal" and count from the end when negative.

#include "file/mesh.h"

#include "base/alloc.h"
#include "base/array.h"
#include "text/lines.h"
#include "text/number.h"
#include "text/target.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { STL_HEADER = 84, STL_TRIANGLE = 50, MOST_WORD = 64 };
static const size_t MOST_BYTES = 1u << 28;

typedef struct {
    const char *bytes, *name;
    size_t length;
    tn_lines lines; // of a text
    long most;      // triangles
    TN_ARRAY(double) vertices;
    TN_ARRAY(double) corners;
} scan;

static tn_status fail_size(const scan *s)
{
    return tn_fail(TN_ERR_FILE, "%s has more than %ld triangles; simplify the mesh", s->name,
                   s->most);
}

// Text -------------------------------------------------------------------------------------------

static tn_status open_text(scan *s)
{
    s->lines.text = tn_alloc(s->length + 1);
    TN_TRY(tn_got(s->lines.text));
    s->lines.next = memcpy(s->lines.text, s->bytes, s->length);
    s->lines.path = tn_strdup(s->name);
    return tn_got(s->lines.path);
}

static tn_status read_point(scan *s, double out[3])
{
    for (int i = 0; i < 3; i++) {
        const char *word = tn_lines_word(&s->lines, false);
        if (!word)
            return tn_lines_fail(&s->lines, "a vertex has %d of its 3 coordinates", i);
        if (!tn_number_from_text(word, &out[i]) || !isfinite((float)out[i]))
            return tn_lines_fail(&s->lines, "a coordinate of a vertex is '%.*s', not a number",
                                 MOST_WORD - 1, word);
    }
    return TN_OK;
}

static tn_status add_corner(scan *s, const double point[3])
{
    if (s->corners.count / 9 >= s->most)
        return fail_size(s);
    for (int i = 0; i < 3; i++)
        TN_TRY(tn_array_push(&s->corners, point[i]));
    return TN_OK;
}

static tn_status read_stl_text(scan *s)
{
    int corners = 0;
    bool ended = false;
    TN_TRY(open_text(s));
    while (tn_lines_next(&s->lines)) {
        const char *word = tn_lines_word(&s->lines, false);
        if (!word)
            continue;
        ended = strcasecmp(word, "endsolid") == 0;
        if (strcasecmp(word, "vertex") == 0) {
            double point[3];
            TN_TRY(read_point(s, point));
            TN_TRY(add_corner(s, point));
            corners++;
        } else if (strcasecmp(word, "endloop") == 0 || strcasecmp(word, "endfacet") == 0) {
            if (corners != 3 && corners != 0)
                return tn_lines_fail(&s->lines, "a facet has %d corners; STL has triangles",
                                     corners);
            corners = 0;
        }
    }
    s->lines.line++; // behind the last one
    return ended && corners == 0
               ? TN_OK
               : tn_lines_fail(&s->lines, "the file is cut short or its last facet is not ended");
}

static tn_status find_vertex(const scan *s, const char *word, const double **out)
{
    char number[MOST_WORD];
    const int n = s->vertices.count / 3;
    double value = 0.0;
    snprintf(number, sizeof(number), "%.*s", (int)strcspn(word, "/"), word);
    if (!tn_number_from_text(number, &value) || value != floor(value))
        return tn_lines_fail(&s->lines, "a corner of a face is '%.*s', not a number", MOST_WORD - 1,
                             word);
    const double index = value < 0.0 ? n + value : value - 1.0;
    if (!(index >= 0.0 && index < n))
        return tn_lines_fail(&s->lines, "a face refers to vertex %s; %d come before it", number, n);
    *out = &s->vertices.at[3 * (int)index];
    return TN_OK;
}

// A face with more than three corners becomes a fan of triangles.
static tn_status read_face(scan *s)
{
    const double *corner[3] = {NULL};
    const char *word;
    int n = 0;
    for (; (word = tn_lines_word(&s->lines, false)); n++) {
        TN_TRY(find_vertex(s, word, &corner[n < 2 ? n : 2]));
        if (n < 2)
            continue;
        for (int i = 0; i < 3; i++)
            TN_TRY(add_corner(s, corner[i]));
        corner[1] = corner[2];
    }
    return n >= 3 ? TN_OK : tn_lines_fail(&s->lines, "a face has %d corners; it needs 3", n);
}

static tn_status read_obj(scan *s)
{
    TN_TRY(open_text(s));
    while (tn_lines_next(&s->lines)) {
        const char *word = tn_lines_word(&s->lines, false);
        double point[3];
        if (word && strcmp(word, "f") == 0)
            TN_TRY(read_face(s));
        if (!word || strcmp(word, "v") != 0)
            continue;
        TN_TRY(read_point(s, point));
        for (int i = 0; i < 3; i++)
            TN_TRY(tn_array_push(&s->vertices, point[i]));
    }
    return TN_OK;
}

// Binary -----------------------------------------------------------------------------------------

static uint32_t little32(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static tn_status read_stl_binary(scan *s, uint32_t count)
{
    if (count > (uint32_t)s->most)
        return fail_size(s);
    for (uint32_t i = 0; i < count; i++) {
        const char *triangle = s->bytes + STL_HEADER + (size_t)STL_TRIANGLE * i;
        for (int k = 0; k < 9; k++) {
            const uint32_t bits = little32(triangle + 12 + 4 * k);
            float value;
            memcpy(&value, &bits, sizeof(value));
            if (!isfinite(value))
                return tn_fail(TN_ERR_FILE, "%s: triangle %u has a corner that is no number",
                               s->name, (unsigned)i + 1);
            TN_TRY(tn_array_push(&s->corners, (double)value));
        }
    }
    return TN_OK;
}

// "solid" may start binary files too: their length decides.
static tn_status read_stl(scan *s)
{
    const size_t length = s->length;
    const uint32_t count = length >= STL_HEADER ? little32(s->bytes + 80) : 0;
    const size_t expected = STL_HEADER + (size_t)STL_TRIANGLE * count;
    if (length >= STL_HEADER && length == expected)
        return read_stl_binary(s, count);
    if (length >= 5 && strncasecmp(s->bytes, "solid", 5) == 0)
        return read_stl_text(s);
    if (length >= STL_HEADER && length < expected)
        return tn_fail(TN_ERR_FILE,
                       "%s is cut short or no STL file: %u triangles need %zu bytes, it has %zu",
                       s->name, (unsigned)count, expected, length);
    return tn_fail(TN_ERR_FILE, "%s is neither an STL nor an OBJ file", s->name);
}

// ------------------------------------------------------------------------------------------------

static bool is_obj(const char *name)
{
    const size_t n = strlen(name);
    return n >= 4 && strcasecmp(name + n - 4, ".obj") == 0;
}

tn_status tn_mesh_parse(const char *bytes, size_t length, const char *name, long most_triangles,
                        tn_mesh *out)
{
    scan s = {.bytes = bytes, .length = length, .name = name, .most = most_triangles};
    *out = (tn_mesh){0};
    tn_status status = is_obj(name) ? read_obj(&s) : read_stl(&s);
    if (status == TN_OK && s.corners.count == 0)
        status = tn_fail(TN_ERR_FILE, "%s has no triangles", name);
    tn_array_free(&s.vertices);
    tn_lines_close(&s.lines);
    if (status != TN_OK) {
        tn_array_free(&s.corners);
        return status;
    }
    *out = (tn_mesh){s.corners.count / 9, s.corners.at};
    return TN_OK;
}

tn_status tn_mesh_read(const char *path, long most_triangles, tn_mesh *out)
{
    char *bytes = NULL;
    size_t length = 0;
    struct stat info;
    *out = (tn_mesh){0};
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) // a pipe may never end
        return tn_fail(TN_ERR_FILE, "cannot read %s: it is not a file", path);
    tn_status s = tn_file_read(path, MOST_BYTES, &bytes, &length);
    TN_THEN(s, tn_mesh_parse(bytes, length, path, most_triangles, out));
    tn_free(bytes);
    return s;
}

void tn_mesh_clear(tn_mesh *mesh)
{
    tn_free(mesh->positions);
    *mesh = (tn_mesh){0};
}
