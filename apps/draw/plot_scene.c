// SPDX-License-Identifier: MIT
//
// From the scene of results to pieces. Round shapes become points on their rims, of which the hull
// is seen; shapes with several parts, as capsules, are convex as a whole.

#include "draw/plot_scene.h"

#include "file/document.h"
#include "file/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND = 48, BALL = 12, MOST_TRIANGLES = 200000, MOST_LINKS = 64 };

// Those of reports.
static const unsigned palette[] = {0x4477aa, 0xcc6677, 0xddaa33, 0x228866, 0x66a5cc,
                                   0xaa4499, 0xbb7744, 0x44aa99, 0x8888cc, 0x999933};
static const unsigned GROUND = 0x8a929c, JOINT = 0x262626, SPRING = 0x59626c;
static const double JOINT_SIZE = 0.009, MASS_SIZE = 0.014; // of the size of the model

void tn_plot_scene_free(tn_plot_scene *scene)
{
    tn_array_free(&scene->piece);
    tn_array_free(&scene->point);
    tn_document_destroy(scene->doc);
    scene->doc = NULL;
}

// Nodes -------------------------------------------------------------------------------------------

static bool get_numbers(const tn_node *node, int n, double *out)
{
    if (!node || node->kind != TN_NODE_SEQUENCE || node->count < n)
        return false;
    for (int i = 0; i < n; i++) {
        const tn_node *item = node->children[i];
        if (item->kind != TN_NODE_SCALAR || !tn_number_from_text(item->text, &out[i]))
            return false;
    }
    return true;
}

static tn_vec3 get_vector(const tn_node *map, const char *key)
{
    double v[3] = {0};
    return get_numbers(tn_node_get(map, key), 3, v) ? tn_v3(v[0], v[1], v[2]) : tn_v3(0, 0, 0);
}

static tn_frame get_frame(const tn_node *map)
{
    double e[4];
    tn_frame frame = {.p = get_vector(map, "position"), .R = tn_quat_matrix(tn_quat_identity)};
    if (get_numbers(tn_node_get(map, "quaternion"), 4, e) && tn_quat_norm(tn_quat_from(e)) > 0.0)
        frame.R = tn_quat_matrix(tn_quat_normalize(tn_quat_from(e)));
    return frame;
}

static int get_index(const tn_node *map, const char *key)
{
    return (int)tn_node_value(map, key, -1.0);
}

// Empty where there is no list.
static const tn_node *get_list(const tn_node *map, const char *key)
{
    static const tn_node none = {.kind = TN_NODE_SEQUENCE};
    const tn_node *list = tn_node_get(map, key);
    return list && list->kind == TN_NODE_SEQUENCE ? list : &none;
}

static unsigned get_color(const tn_node *shape, unsigned otherwise)
{
    const char *text = tn_node_text(shape, "color");
    return *text == '#' ? (unsigned)strtoul(text + 1, NULL, 16) & 0xffffffu : otherwise;
}

// Pieces ------------------------------------------------------------------------------------------

static void begin(tn_plot_scene *s, tn_piece piece)
{
    piece.first = s->point.count;
    piece.still = true;
    TN_THEN(s->status, tn_array_push(&s->piece, piece));
}

static void put(tn_plot_scene *s, int body, tn_vec3 at)
{
    TN_THEN(s->status, tn_array_push(&s->point, ((tn_piece_point){body, at})));
    if (s->status != TN_OK)
        return;
    tn_piece *piece = &s->piece.at[s->piece.count - 1];
    piece->n++;
    piece->still &= body == 0;
}

static void put_link(tn_plot_scene *s, tn_piece piece, int a, tn_vec3 from, int b, tn_vec3 to)
{
    begin(s, piece);
    put(s, a, from);
    put(s, b, to);
}

static tn_vec3 in_frame(const tn_frame *frame, double x, double y, double z)
{
    return tn_v3_add(frame->p, tn_m3_apply(frame->R, tn_v3(x, y, z)));
}

// Points of unit geometries, z the axis: rings of n points of radius r at a height ---------------

static void put_ring(tn_plot_scene *s, int body, const tn_frame *f, tn_vec3 scale, int n, double r,
                     double z)
{
    for (int i = 0; i < n; i++) {
        const double angle = acos(-1.0) * (2.0 * i + (n == 4)) / n;
        put(s, body, in_frame(f, r * scale.x * cos(angle), r * scale.y * sin(angle), z));
    }
}

static void put_mesh(tn_plot_scene *s, int body, const tn_frame *f, tn_vec3 scale,
                     const tn_node *file)
{
    const char *path = tn_node_text(file, "path");
    tn_mesh mesh = {0};
    TN_THEN(s->status,
            tn_mesh_read(*path ? path : tn_node_text(file, "name"), MOST_TRIANGLES, &mesh));
    for (long i = 0; s->status == TN_OK && i < 3 * mesh.ntriangle; i++) {
        const double *p = mesh.positions + 3 * i;
        put(s, body, in_frame(f, scale.x * p[0], scale.y * p[1], scale.z * p[2]));
    }
    tn_mesh_clear(&mesh);
}

static void put_part(tn_plot_scene *s, int body, const tn_frame *f, const tn_node *part,
                     const tn_node *mesh)
{
    const char *geometry = tn_node_text(part, "geometry");
    const tn_vec3 scale = get_vector(part, "scale");
    const double z = tn_node_value(part, "z", 0.0);
    const bool box = strcmp(geometry, "box") == 0, ball = strcmp(geometry, "sphere") == 0;
    const bool cone = strcmp(geometry, "cone") == 0;
    const int last = ball ? BALL : 1;
    if (strcmp(geometry, "mesh") == 0) {
        put_mesh(s, body, f, scale, mesh);
        return;
    }
    for (int i = 0; i <= last; i++) {
        const double angle = acos(-1.0) * i / last;
        const double r = ball ? sin(angle) : box ? sqrt(0.5) : cone && i == last ? 0.0 : 1.0;
        const double height = ball ? cos(angle) : i - 0.5;
        put_ring(s, body, f, scale, box ? 4 : ROUND, r, z + scale.z * height);
    }
}

// Shapes that touch -------------------------------------------------------------------------------

static void put_lathe(tn_plot_scene *s, int body, const tn_frame *f, const double *points, int n)
{
    // The axis is y: seen as circles of the radius r at y, whose hull is drawn.
    const tn_frame turned = {
        .p = f->p,
        .R = tn_m3_mul(f->R, tn_quat_matrix((tn_quat){sqrt(0.5), -sqrt(0.5), 0.0, 0.0}))};
    for (int i = 0; i + 1 < n; i += 2)
        put_ring(s, body, &turned, tn_v3(1.0, 1.0, 1.0), ROUND, points[i], points[i + 1]);
}

static void put_outline(tn_plot_scene *s, int body, const tn_frame *f, const tn_node *shape,
                        unsigned color)
{
    const char *kind = tn_node_text(shape, "kind");
    const tn_node *node = get_list(shape, "points");
    const int n = node->count, hole = (int)tn_node_value(shape, "hole", 0.0);
    const bool plate = strcmp(kind, "plate") == 0, lathe = strcmp(kind, "lathe") == 0;
    const int width = plate || lathe ? 2 : 3, end = hole > 0 && hole < n ? hole : n;
    const bool closed = strcmp(tn_node_text(shape, "closed"), "true") == 0;
    const tn_piece_form form = lathe ? TN_PIECE_HULL : plate ? TN_PIECE_AREA : TN_PIECE_LINE;
    double *at = tn_alloc((size_t)(n + 1) * sizeof(double));
    TN_THEN(s->status, tn_got(at));
    if (at && get_numbers(node, n, at) && strcmp(kind, "sheet") != 0) {
        begin(s, (tn_piece){.form = form, .color = color});
        if (lathe)
            put_lathe(s, body, f, at, n);
        for (int i = 0; !lathe && i + width <= end; i += width)
            put(s, body, in_frame(f, at[i], at[i + 1], width == 3 ? at[i + 2] : 0.0));
        if (form == TN_PIECE_LINE && closed && n >= 3)
            put(s, body, in_frame(f, at[0], at[1], at[2]));
    }
    tn_free(at);
}

static void put_shape(tn_plot_scene *s, int body, const tn_node *shape, unsigned otherwise)
{
    const tn_node *parts = get_list(shape, "parts");
    const tn_frame frame = get_frame(shape);
    const unsigned color = get_color(shape, otherwise);
    const int mesh = get_index(shape, "mesh");
    if (tn_node_get(shape, "points")) {
        put_outline(s, body, &frame, shape, color);
        return;
    }
    begin(s, (tn_piece){.form = TN_PIECE_HULL, .color = color});
    for (int i = 0; i < parts->count; i++)
        put_part(s, body, &frame, parts->children[i],
                 mesh >= 0 && mesh < s->meshes->count ? s->meshes->children[mesh] : NULL);
}

// Bodies ------------------------------------------------------------------------------------------

static bool is_link(const tn_node *joint)
{
    return strcmp(tn_node_text(joint, "coupling"), "true") != 0;
}

// Positions of joints and forces on a body without shapes.
static int find_links(const tn_plot_scene *s, int body, tn_vec3 at[MOST_LINKS])
{
    static const char *const sides[] = {"a", "b"}, *const frames[] = {"frame_a", "frame_b"};
    const tn_node *const lists[] = {s->joints, s->forces};
    int n = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2 * lists[k]->count && n < MOST_LINKS; i++) {
            const tn_node *element = lists[k]->children[i / 2];
            if (get_index(element, sides[i % 2]) == body && is_link(element))
                at[n++] = get_vector(tn_node_get(element, frames[i % 2]), "position");
        }
    return n;
}

// Links from the centre of mass to joints, and a dot where the mass is.
static void put_links(tn_plot_scene *s, int body, const tn_node *node, unsigned color)
{
    tn_vec3 at[MOST_LINKS];
    const int n = find_links(s, body, at);
    const tn_vec3 com = get_vector(node, "com");
    const tn_piece line = {.form = TN_PIECE_LINE, .color = color};
    for (int i = 0; i < n; i++)
        if (tn_v3_norm(tn_v3_sub(at[i], com)) > 1e-9 * s->size)
            put_link(s, line, body, com, body, at[i]);
    if (!(tn_node_value(node, "mass", 0.0) > 0.0) && n > 0)
        return;
    begin(s, (tn_piece){.form = TN_PIECE_DOT, .color = color, .size = MASS_SIZE * s->size});
    put(s, body, com);
}

// The bodies that stand in a beam or a modal body, from *first up to the end that is returned; none
// of those that are missing.
static int bodies_in(const tn_plot_scene *s, const tn_node *node, const char *from,
                     const char *count, int *first)
{
    *first = (int)tn_node_value(node, from, 0.0);
    const int n = (int)tn_node_value(node, count, 0.0);
    return *first > 0 && n > 0 ? tn_smaller(s->nbody, *first + n) : *first;
}

// Nodes of beams, and what belongs to modal bodies, are no bodies of their own.
static bool is_part(const tn_plot_scene *s, int body)
{
    bool part = false;
    int first, end;
    for (int i = 0; i < s->beams->count && !part; i++) {
        end = bodies_in(s, s->beams->children[i], "body", "nodes", &first);
        part = body >= first && body < end;
    }
    for (int i = 0; i < s->modals->count && !part; i++) {
        end = bodies_in(s, s->modals->children[i], "attachment", "attachments", &first);
        part = (body >= first && body < end) || get_index(s->modals->children[i], "body") == body;
    }
    return part;
}

static void put_bodies(tn_plot_scene *s)
{
    for (int i = 0; i < s->nbody; i++) {
        const tn_node *body = s->bodies->children[i], *shapes = get_list(body, "shapes");
        const unsigned color = i == 0 ? GROUND : palette[(i - 1) % TN_COUNT(palette)];
        for (int k = 0; k < shapes->count; k++)
            put_shape(s, i, shapes->children[k], color);
        if (i > 0 && shapes->count == 0 && strcmp(tn_node_text(body, "kind"), "amplitude") != 0 &&
            !is_part(s, i))
            put_links(s, i, body, color);
    }
}

// Beams, modal bodies, joints, springs ------------------------------------------------------------

static void put_beams(tn_plot_scene *s)
{
    const tn_vec3 origin = tn_v3(0, 0, 0);
    int k, end;
    for (int i = 0; i < s->beams->count; i++) {
        const tn_node *beam = s->beams->children[i];
        begin(s, (tn_piece){.form = TN_PIECE_LINE,
                            .color = get_color(beam, palette[i % TN_COUNT(palette)])});
        for (end = bodies_in(s, beam, "body", "nodes", &k); k < end; k++)
            put(s, k, origin);
    }
    for (int i = 0; i < s->modals->count; i++) { // frame to attachments, which move with the modes
        const int body = get_index(s->modals->children[i], "body");
        const tn_piece line = {.form = TN_PIECE_LINE,
                               .color = palette[tn_larger(body - 1, 0) % TN_COUNT(palette)]};
        end = bodies_in(s, s->modals->children[i], "attachment", "attachments", &k);
        for (; k < end && body > 0; k++)
            put_link(s, line, body, origin, k, origin);
    }
}

static void put_element(tn_plot_scene *s, const tn_node *node, bool joint)
{
    const int a = get_index(node, "a"), b = get_index(node, "b");
    const char *glyph = tn_node_text(node, "glyph");
    const bool coil = strstr(glyph, "coil") != NULL, rod = strstr(glyph, "rod") != NULL;
    const tn_vec3 at = get_vector(tn_node_get(node, "frame_b"), "position");
    // A rod between two points is to be seen, although it carries no body.
    if (a < 0 || b < 0 || a >= s->nbody || b >= s->nbody || (!is_link(node) && !rod))
        return;
    if (coil || rod) {
        put_link(s, (tn_piece){.form = coil ? TN_PIECE_COIL : TN_PIECE_LINE, .color = SPRING}, a,
                 get_vector(tn_node_get(node, "frame_a"), "position"), b, at);
    } else if (joint && *glyph && !tn_node_get(node, "touch") && !tn_node_get(node, "contact")) {
        // Joints that roll or touch are drawn without a pin.
        begin(s, (tn_piece){.form = TN_PIECE_DOT,
                            .color = JOINT,
                            .joint = true,
                            .size = JOINT_SIZE * s->size});
        put(s, b, at);
    }
}

// The whole ---------------------------------------------------------------------------------------

static tn_status take_scene(tn_plot_scene *s, const tn_result *result, const tn_node *root)
{
    const int position = tn_result_dataset_find(result, "bodies/position");
    const int width = position < 0 ? 0 : tn_result_dataset_at(result, position)->width;
    s->bodies = get_list(root, "bodies");
    s->joints = get_list(root, "joints");
    s->forces = get_list(root, "forces");
    s->beams = get_list(root, "beams");
    s->modals = get_list(root, "modals");
    s->meshes = get_list(root, "meshes");
    s->nbody = s->bodies->count;
    if (s->nbody != width / 3 + 1)
        return tn_fail(TN_ERR_FILE, "%s: its scene does not fit its bodies",
                       tn_result_about(result)->path);
    s->size = tn_node_value(root, "size", 1.0);
    s->planar = strcmp(tn_node_text(root, "planar"), "true") == 0;
    s->gravity = get_vector(root, "gravity");
    put_beams(s);
    put_bodies(s);
    for (int i = 0; i < s->forces->count; i++)
        put_element(s, s->forces->children[i], false);
    for (int i = 0; i < s->joints->count; i++)
        put_element(s, s->joints->children[i], true);
    return s->status;
}

tn_status tn_plot_scene_read(const tn_result *result, tn_plot_scene *out)
{
    const char *text = tn_result_scene(result);
    *out = (tn_plot_scene){0};
    if (!text || tn_result_dataset_find(result, "bodies/position") < 0 ||
        tn_result_dataset_find(result, "bodies/quaternion") < 0)
        return tn_fail(TN_ERR_USAGE,
                       "%s holds no bodies that could be drawn: snapshots need the results of a "
                       "model, with positions and quaternions",
                       tn_result_about(result)->named);
    tn_status s = tn_document_parse(text, strlen(text), "scene", &out->doc);
    TN_THEN(s, take_scene(out, result, out->doc->root));
    if (s != TN_OK)
        tn_plot_scene_free(out);
    return s;
}

static bool find_named(const tn_node *list, const char *name, int *out)
{
    for (*out = 0; *out < list->count; ++*out)
        if (strcmp(tn_node_text(list->children[*out], "name"), name) == 0)
            return true;
    return false;
}

tn_status tn_plot_scene_find(const tn_plot_scene *scene, const tn_result *result, const char *name,
                             tn_piece_point *out)
{
    int i;
    if (find_named(scene->bodies, name, &i)) {
        *out = (tn_piece_point){i, get_vector(scene->bodies->children[i], "com")};
        return TN_OK;
    }
    if (!find_named(scene->joints, name, &i))
        return tn_fail(TN_ERR_USAGE, "--paths: %s has no body and no joint '%s'",
                       tn_result_about(result)->named, name);
    const tn_node *joint = scene->joints->children[i];
    *out = (tn_piece_point){(int)tn_node_value(joint, "b", 0.0),
                            get_vector(tn_node_get(joint, "frame_b"), "position")};
    return TN_OK;
}
