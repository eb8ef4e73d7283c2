// SPDX-License-Identifier: MIT
//
// Mass, centre and inertia of a body from its shapes. `density` of the body is that of all shapes
// which state none of their own; with `inertia_from_shapes` the stated mass is spread over them.

#include "read/model_yaml.h"

#include "base/alloc.h"
#include "kinds/family.h"
#include "kinds/mass.h"
#include "read/mesh_solid.h"
#include "text/lines.h"

#include <math.h>
#include <string.h>

static const long MOST_TRIANGLES = 4000000;

bool tn_is_mass_key(const char *key)
{
    static const char *const keys[] = {"mass", "com", "inertia", "products", "inertia_axes"};
    for (int i = 0; i < TN_COUNT(keys); i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

// Request of a body to take its mass from shapes.
typedef struct request {
    bool density;   // of the body is stated
    bool of_shapes; // some shape states one
    bool scaled;    // to the stated mass
    double value;   // of the density of the body
} request;

static tn_status read_density(const tn_element *e, double *out)
{
    const tn_node *node = tn_element_get(e, "density");
    TN_TRY(tn_element_number(e, "density", "kg/m^3", out));
    if (!node || *out >= 0.0)
        return TN_OK;
    return tn_node_fail(e->reader->doc, node, TN_ERR_MODEL,
                        "%s: density is %g kg/m^3; it must not be negative", e->owner, *out);
}

static const tn_node *list_of_shapes(const tn_element *e)
{
    const tn_node *list = tn_element_get(e, "shapes");
    return list && list->kind == TN_NODE_SEQUENCE ? list : NULL;
}

static tn_status read_request(const tn_element *e, request *out)
{
    const tn_node *list = list_of_shapes(e);
    const tn_node *scaled = tn_element_get(e, "inertia_from_shapes");
    *out = (request){.density = tn_element_get(e, "density") != NULL};
    for (int i = 0; list && i < list->count; i++)
        out->of_shapes = out->of_shapes || tn_node_get(list->children[i], "density");
    if (scaled)
        TN_TRY(tn_node_bool(e->reader->doc, scaled, tn_element_words(e, "inertia_from_shapes").text,
                            &out->scaled));
    return read_density(e, &out->value);
}

static tn_status fail_both(const tn_element *e, const char *key, const char *reason,
                           const char *advice)
{
    const tn_node *node = tn_element_get(e, key);
    return tn_node_fail(e->reader->doc, node, TN_ERR_MODEL, "%s: '%s' is stated, but %s%s",
                        e->owner, key, reason, advice);
}

// Refuses stated values that the shapes give a second time.
static tn_status check_request(const tn_element *e, const tn_body_ops *ops, const request *w)
{
    static const char *const others[] = {"com", "inertia", "products", "inertia_axes", "massless"};
    const char *reason = w->scaled    ? "'inertia_from_shapes' takes it from the shapes"
                         : w->density ? "'density' takes it from the shapes"
                                      : "'density' of a shape takes it from the shapes";
    if (ops->turns == 0)
        return tn_element_fail(e, "a body of kind %s takes no mass from its shapes; state 'mass'",
                               ops->name);
    for (int i = 0; i < TN_COUNT(others); i++)
        if (tn_element_get(e, others[i]))
            return fail_both(e, others[i], reason, "; leave out one");
    if (!w->scaled && tn_element_get(e, "mass"))
        return fail_both(e, "mass", reason,
                         "; leave out one, or state 'inertia_from_shapes: true' instead of "
                         "'density' to spread the mass over them");
    if (w->scaled && !tn_element_get(e, "mass"))
        return tn_element_fail(e, "'inertia_from_shapes' spreads the mass over the shapes, but "
                                  "'mass' is missing; state it, or 'density' instead");
    if (w->scaled && w->density)
        return fail_both(e, "density", "'inertia_from_shapes' spreads the stated mass",
                         "; leave out one");
    if (!list_of_shapes(e))
        return tn_element_fail(e, "its mass is to come from its shapes, but it has none; list "
                                  "'shapes', or state mass and inertia");
    return TN_OK;
}

static tn_status mesh_mass(const tn_element *shape, const tn_shape_def *def, tn_mass *out)
{
    tn_reader *r = shape->reader;
    char *path = tn_path_beside(r->doc->name, def->path);
    tn_mesh mesh = {0};
    bool inside_out = false;
    tn_status s = tn_got(path);
    TN_THEN(s, tn_mesh_read(path, MOST_TRIANGLES, &mesh));
    TN_THEN(s, tn_mesh_solid(&mesh, path, out, &inside_out));
    tn_mesh_clear(&mesh);
    tn_free(path);
    if (s != TN_OK)
        return tn_node_within(r->doc, tn_element_get(shape, "file"),
                              s == TN_ERR_FILE ? TN_ERR_MODEL : s, shape->owner);
    if (inside_out)
        tn_notes_add(&r->model->notes,
                     "%s: the faces of %.120s look inwards; its mass is that of the solid within",
                     shape->owner, def->path);
    const double a = def->scale;
    *out = (tn_mass){a * a * a * out->mass, tn_v3_scale(a, out->com),
                     tn_m3_scale(a * a * a * a * a, out->inertia)};
    return TN_OK;
}

static tn_status shape_mass(const tn_element *e, int i, bool planar, const request *w, tn_mass *out)
{
    tn_element shape;
    tn_shape_def def;
    double density = w->scaled ? 1.0 : w->value;
    TN_TRY(tn_open_shape(e, e->key->text, i, &shape));
    TN_TRY(tn_element_note(&shape));
    TN_TRY(tn_read_shape(&shape, planar, &def));
    TN_TRY(read_density(&shape, &density));
    if (!w->scaled && !w->density && !tn_element_get(&shape, "density"))
        return tn_element_fail(&shape,
                               "missing key 'density' [kg/m^3]; state it, 0 if the shape is "
                               "only drawn, or 'density' of the body");
    *out = (tn_mass){0};
    if (density == 0.0)
        return TN_OK;
    const tn_shape_ops *ops = tn_shape_ops_of((int)def.kind);
    TN_TRY(tn_element_locate(&shape, tn_params_check(ops->nparam, ops->params, &def, shape.owner)));
    if (!tn_shape_solid(&def, out))
        TN_TRY(mesh_mass(&shape, &def, out));
    *out = tn_mass_in_frame(tn_mass_scaled(*out, density), def.frame);
    return TN_OK;
}

static tn_status scale_to_stated(const tn_element *e, tn_mass *sum)
{
    double stated = 0.0;
    TN_TRY(tn_element_number(e, "mass", "kg", &stated));
    if (!(stated > 0.0))
        return tn_node_fail(e->reader->doc, tn_element_get(e, "mass"), TN_ERR_MODEL,
                            "%s: mass is %g kg; it must be above zero to be spread over the shapes",
                            e->owner, stated);
    *sum = tn_mass_scaled(*sum, stated / sum->mass);
    sum->mass = stated;
    return TN_OK;
}

static void put_mass(const tn_mass *mass, bool planar, tn_body_def *def)
{
    const tn_mat3 I = mass->inertia;
    def->mass = mass->mass;
    def->com = mass->com;
    if (planar)
        def->com.z = 0.0; // it is of no account there
    def->inertia = (tn_vec3){I.m[0][0], I.m[1][1], I.m[2][2]};
    def->products = planar ? (tn_vec3){0} : (tn_vec3){I.m[0][1], I.m[0][2], I.m[1][2]};
    def->inertia_axes = tn_m3_identity;
    def->of_shapes = true;
}

tn_status tn_read_mass_of_shapes(const tn_element *e, const tn_body_ops *ops, tn_body_def *def)
{
    const bool planar = ops->moves == 2;
    tn_mass sum = {0};
    request w;
    TN_TRY(read_request(e, &w));
    if (!w.density && !w.of_shapes && !w.scaled)
        return TN_OK;
    TN_TRY(check_request(e, ops, &w));
    const tn_node *list = list_of_shapes(e);
    for (int i = 0; i < list->count; i++) {
        tn_mass part;
        TN_TRY(shape_mass(e, i, planar, &w, &part));
        sum = tn_mass_sum(sum, part);
    }
    if (!(sum.mass > 0.0) || !isfinite(sum.mass))
        return tn_element_fail(e,
                               "the mass of its shapes is %g kg; it must be above zero and "
                               "finite",
                               sum.mass);
    if (w.scaled)
        TN_TRY(scale_to_stated(e, &sum));
    put_mass(&sum, planar, def);
    return TN_OK;
}
