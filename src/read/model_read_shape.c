// SPDX-License-Identifier: MIT
//
// The shapes of a body in a model file. They have no names: messages count them from 1.

#include "flex/beam.h"
#include "kinds/family.h"
#include "read/model_yaml.h"

#include <stdio.h>

static tn_status read_color(const tn_element *e, int *out)
{
    const tn_reader *r = e->reader;
    const tn_node *node = tn_element_get(e, "color");
    const tn_words what = tn_element_words(e, "color");
    const char *text = NULL;
    if (!node)
        return TN_OK;
    if (node->kind == TN_NODE_NULL)
        return tn_node_fail(r->doc, node, TN_ERR_MODEL,
                            "%s: nothing is stated; put \"#rrggbb\" in quotes, because # begins a "
                            "comment",
                            what.text);
    TN_TRY(tn_node_string(r->doc, node, what.text, &text));
    const tn_status s = tn_color_parse(text, what.text, out);
    return s == TN_OK ? TN_OK : tn_node_within(r->doc, node, s, NULL);
}

tn_status tn_read_shape(tn_element *e, bool planar, tn_shape_def *def)
{
    bool turned = false;
    int kind = 0;
    TN_TRY(tn_read_kind(e, NULL, TN_FAMILY_SHAPE, &kind));
    const tn_shape_ops *ops = tn_shape_ops_of(kind);
    *def = tn_default_shape((tn_shape_kind)kind);
    TN_TRY(TN_CHECK_KEYS(e, ops->nparam, ops->params, tn_keys_shape));
    TN_TRY(tn_read_params(e, ops->nparam, ops->params, def));
    e->planar = planar; // places and directions, but not sizes
    TN_TRY(tn_element_vector(e, "at", "m", e->planar, &def->frame.p));
    TN_TRY(tn_read_axes(e, TN_AXIS_Z, &def->frame.R, &turned));
    return read_color(e, &def->color);
}

static tn_status add_shape(tn_element *e, tn_body body)
{
    const tn_model *model = e->reader->model;
    const tn_frame *frame = NULL;
    tn_shape_def def;
    TN_TRY(tn_read_shape(e, tn_body_is_planar(model, body), &def));
    TN_TRY(tn_element_frame(e, &frame));
    if (frame && body.index == TN_GROUND.index) {
        def.frame = tn_frame_mul(*frame, def.frame);
        TN_TRY(tn_over_shape(e, &def.frame));
    }
    if (tn_element_get(e, "density") && !tn_model_body_mass_is_of_shapes(model, body))
        return tn_element_fail(e, "'density' is stated, but what carries it takes no mass from its "
                                  "shapes; leave it out");
    def.body = body;
    return tn_element_locate(e, tn_model_add_shape(e->reader->model, &def));
}

tn_status tn_open_shape(const tn_element *e, const char *carrier, int i, tn_element *out)
{
    const tn_node *item = tn_element_get(e, "shapes")->children[i];
    snprintf(out->owner, sizeof(out->owner), "body '%.400s': shape %d", carrier, i + 1);
    return tn_element_open(e->reader, item, item, out);
}

// The node of a beam that carries a shape.
static tn_status read_carrier(const tn_element *e, tn_beam beam, tn_body *out)
{
    const tn_reader *r = e->reader;
    const tn_node *at = tn_element_get(e, "at_s");
    double s = 0.0;
    if (!at)
        return tn_element_fail(e, "missing key 'at_s': the distance along the beam to the node "
                                  "that carries it");
    TN_TRY(tn_read_number(r, at, tn_element_words(e, "at_s").text, "m", &s));
    *out = tn_beam_node_at(r->model, beam, s);
    if (out->index >= 0)
        return TN_OK;
    return tn_node_fail(r->doc, at, TN_ERR_MODEL,
                        "%s: s = %g m is not on the beam, which is %.9g m long",
                        tn_element_words(e, "at_s").text, s, tn_beam_length(r->model, beam));
}

tn_status tn_read_shapes(const tn_element *e, tn_body body, tn_beam beam)
{
    const tn_node *list = tn_element_get(e, "shapes");
    if (!list || list->kind == TN_NODE_NULL)
        return TN_OK;
    if (list->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(e->reader->doc, list, tn_element_words(e, "shapes").text,
                                "a list of shapes");
    for (int i = 0; i < list->count; i++) {
        tn_element shape;
        TN_TRY(tn_open_shape(e,
                             beam.index < 0 ? tn_model_body_name(e->reader->model, body)
                                            : tn_model_beam_name(e->reader->model, beam),
                             i, &shape));
        TN_TRY(tn_element_note(&shape));
        if (beam.index >= 0)
            TN_TRY(read_carrier(&shape, beam, &body));
        else if (tn_element_get(&shape, "at_s"))
            return tn_element_fail(&shape, "'at_s' is stated, but its body is no beam; state 'at'");
        TN_TRY(add_shape(&shape, body));
    }
    return TN_OK;
}

tn_status tn_read_ground(tn_reader *r, const tn_node *key, const tn_node *value)
{
    tn_element e;
    snprintf(e.owner, sizeof(e.owner), "ground");
    TN_TRY(tn_element_open(r, key, value, &e));
    TN_TRY(TN_CHECK_KEYS(&e, 0, NULL, tn_keys_ground));
    return tn_read_shapes(&e, TN_GROUND, (tn_beam){-1});
}
