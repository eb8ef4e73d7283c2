// SPDX-License-Identifier: MIT
//
// Beams of a scene: which bodies are their nodes, where their elements stand among those of all
// beams in results, and the outline of the section that pictures sweep along them.

#include "io/scene_parts.h"
#include "model/beam.h"

#include <math.h>

// A solid ellipse with the same bending stiffnesses by EA: I = A r^2 / 4. What has none is drawn as
// a thread.
static void put_round(tn_json *json, const tn_beam_data *beam)
{
    const tn_section *s = &beam->section;
    const double EA = s->stiffness.z, thread = beam->s[beam->nnode - 1] / 400.0;
    const double x = EA > 0.0 ? 2.0 * sqrt(s->rotational_stiffness.y / EA) : 0.0;
    const double y = EA > 0.0 ? 2.0 * sqrt(s->rotational_stiffness.x / EA) : 0.0;
    tn_json_put(json, "section { kind %s radius_x %g radius_y %g wall %g }", "ellipse",
                fmax(x, thread), fmax(y, thread), 0.0);
}

static void put_section(tn_json *json, const tn_beam_data *beam)
{
    const tn_section_def *def = &beam->stated;
    switch ((tn_section_kind)def->kind) {
    case TN_SECTION_RECTANGLE:
        tn_json_put(json, "section { kind %s width %g height %g }", "rectangle", def->width,
                    def->height);
        break;
    case TN_SECTION_CIRCLE:
    case TN_SECTION_TUBE:
        tn_json_put(json, "section { kind %s radius_x %g radius_y %g wall %g }", "ellipse",
                    def->radius, def->radius, def->kind == TN_SECTION_TUBE ? def->wall : 0.0);
        break;
    case TN_SECTION_I:
        tn_json_put(json, "section { kind %s width %g height %g flange %g web %g }", "I",
                    def->width, def->height, def->flange, def->web);
        break;
    default:
        put_round(json, beam);
    }
}

// Elements of all beams before a force, as results count them.
static int count_before(const tn_model *model, int force)
{
    int n = 0;
    for (int f = 0; f < force; f++)
        n += model->forces.at[f].ops->section != NULL;
    return n;
}

void tn_scene_put_beams(tn_json *json, const tn_model *model)
{
    static const int STEEL = 0x5b86b4;
    tn_json_begin_array(json, "beams");
    for (int k = 0; k < model->beams.count; k++) {
        const tn_beam_data *beam = &model->beams.at[k];
        tn_json_put(json, "{ name %s body %d nodes %d element %d", beam->name, beam->body,
                    beam->nnode, count_before(model, beam->force));
        put_section(json, beam);
        tn_scene_put_color(json, STEEL);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}
