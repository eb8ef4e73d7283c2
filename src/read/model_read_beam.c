// SPDX-License-Identifier: MIT
//
// A body of a model file that is a beam: its line, its section and its start.

#include "flex/beam.h"
#include "model/builder.h"
#include "read/model_yaml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tn_status read_points(const tn_element *e, tn_beam_def *def)
{
    const tn_reader *r = e->reader;
    const tn_node *list = tn_element_get(e, "points");
    const tn_words what = tn_element_words(e, "points");
    if (!list)
        return def->line == TN_LINE_CURVE
                   ? TN_OK
                   : tn_element_fail(e, "missing key 'points': the ends of its line, [[0, 0, 0], "
                                        "[1, 0, 0]] [m]");
    if (list->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(r->doc, list, what.text, "a list of points");
    tn_vec3 *points = tn_document_take(r->doc, (size_t)(list->count + 1) * sizeof *points);
    TN_TRY(tn_got(points));
    for (int i = 0; i < list->count; i++)
        TN_TRY(tn_read_vector(r, list->children[i], what.text, "m", false, &points[i]));
    def->npoint = list->count;
    def->points = points;
    return TN_OK;
}

// [[distance, mass], ...]
static tn_status read_masses(const tn_element *e, tn_beam_def *def)
{
    const tn_reader *r = e->reader;
    const tn_node *list = tn_element_get(e, "masses");
    const tn_words what = tn_element_words(e, "masses");
    if (!list)
        return TN_OK;
    if (list->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(r->doc, list, what.text, "a list of [distance, mass]");
    double *at = tn_document_take(r->doc, (size_t)(2 * list->count + 1) * sizeof *at);
    TN_TRY(tn_got(at));
    for (int i = 0; i < list->count; i++) {
        const tn_node *row = list->children[i];
        if (row->kind != TN_NODE_SEQUENCE || row->count != 2)
            return tn_node_expected(r->doc, row, what.text, "two numbers, [distance, mass]");
        TN_TRY(tn_read_number(r, row->children[0], what.text, "m", &at[i]));
        TN_TRY(tn_read_number(r, row->children[1], what.text, "kg", &at[list->count + i]));
    }
    def->nmass = list->count;
    def->mass_at = at;
    def->mass = at + list->count;
    return TN_OK;
}

// G of an isotropic material follows from E and nu; another one is that of another material, whose
// nu is not known.
static tn_status check_moduli(const tn_element *section, const tn_section_def *def)
{
    static const double SAME = 1e-2; // as rounded in handbooks
    const double G = 0.5 * def->E / (1.0 + def->nu);
    if (!tn_element_get(section, "nu") || !tn_element_get(section, "G") || !(def->nu > -1.0) ||
        def->G == 0.0 || fabs(def->G - G) <= SAME * def->G)
        return TN_OK;
    return tn_element_fail(section,
                           "'nu' and 'G' contradict each other: 'G' is %g Pa, but E / (2 (1 + nu)) "
                           "is %g Pa; leave out one of them",
                           def->G, G);
}

static tn_status read_section_keys(const tn_element *section, tn_section_def *def)
{
    TN_TRY(TN_CHECK_KEYS(section, tn_section_param_count, tn_section_params, tn_keys_none));
    TN_TRY(tn_read_params(section, tn_section_param_count, tn_section_params, def));
    for (int i = 0; i < tn_section_param_count; i++) {
        const char *key = tn_section_params[i].name;
        if (tn_element_get(section, key) && !tn_section_reads(def->kind, key))
            return tn_element_fail(section,
                                   "'%s' is stated, but a section of kind %s does not "
                                   "read it; leave it out",
                                   key, tn_section_params[0].choices[def->kind]);
    }
    return check_moduli(section, def);
}

tn_status tn_read_section(const tn_element *e, tn_section_def *def)
{
    tn_element section;
    TN_TRY(tn_element_child(e, "section", &section));
    if (!section.map)
        return tn_element_fail(e, "missing key 'section': {kind: rectangle, width: 0.02, height: "
                                  "0.01, E: 2.1e11, rho: 7850}, or another kind");
    if (!tn_element_get(&section, "kind"))
        return tn_element_fail(&section, "missing key 'kind': rectangle, circle, tube, I, or "
                                         "stiffness for all others");
    TN_TRY(read_section_keys(&section, def));
    if (def->kind != TN_SECTION_STIFFNESS && !tn_element_get(&section, "rho"))
        return tn_element_fail(&section, "missing key 'rho': the density [kg/m^3]; 'rho: 0' for a "
                                         "beam without mass");
    return TN_OK;
}

// The section, and what of it is another at the end of a tapered beam.
static tn_status read_sections(const tn_element *e, tn_beam_def *def)
{
    tn_element end;
    TN_TRY(tn_read_section(e, &def->section));
    TN_TRY(tn_element_child(e, "end_section", &end));
    if (!end.map)
        return TN_OK;
    def->tapers = true;
    def->end_section = def->section;
    return read_section_keys(&end, &def->end_section);
}

// Nodes that joints, forces and shapes ask for by `at_s`, wherever they stand in the file.
static bool names_beam(const tn_node *bodies, const char *name, int which)
{
    if (!bodies)
        return false;
    if (bodies->kind == TN_NODE_SCALAR)
        return which == 0 && !strcmp(bodies->text, name);
    return bodies->kind == TN_NODE_SEQUENCE && which < bodies->count &&
           bodies->children[which]->kind == TN_NODE_SCALAR &&
           !strcmp(bodies->children[which]->text, name);
}

static tn_status add_request(const tn_element *e, const tn_node *key, const tn_node *map,
                             double *at, int *n)
{
    const tn_node *request = map->kind == TN_NODE_MAP ? tn_node_get(map, "at_s") : NULL;
    if (!request)
        return TN_OK;
    const tn_node *bodies = NULL;
    bool mounted = false;
    TN_TRY(tn_part_bodies(e->reader->doc, key, map, &bodies, &mounted));
    for (int k = 0; k < 2; k++) {
        const bool list = request->kind == TN_NODE_SEQUENCE;
        const tn_node *number = !list ? request : k < request->count ? request->children[k] : NULL;
        if (number && names_beam(bodies, e->key->text, k))
            TN_TRY(tn_read_number(e->reader, number, "at_s", "m", &at[(*n)++]));
    }
    return TN_OK;
}

// Those that are not on the beam are reported where they are stated.
static tn_status keep_wishes(const tn_element *e, tn_beam_def *def, int n, double *at)
{
    double length;
    const int stated = def->nnode;
    if (n == stated)
        return TN_OK;
    TN_TRY(tn_beam_line_length(e->reader->model, def, e->owner, &length));
    for (int k = stated; k < n; k++)
        if (at[k] >= 0.0 && at[k] <= (1.0 + TN_SAME_PLACE) * length)
            at[def->nnode++] = at[k];
    return TN_OK;
}

static tn_status read_wishes(const tn_element *e, tn_beam_def *def)
{
    static const char *const sections[] = {"joints", "forces"};
    const tn_node *section[TN_COUNT(sections)], *shapes = tn_element_get(e, "shapes");
    const int nshape = shapes && shapes->kind == TN_NODE_SEQUENCE ? shapes->count : 0;
    int most = def->nnode + nshape, n = 0;
    for (int i = 0; i < TN_COUNT(sections); i++) {
        section[i] = tn_node_get(e->reader->doc->root, sections[i]);
        if (section[i] && section[i]->kind != TN_NODE_MAP)
            section[i] = NULL;
        most += section[i] ? 2 * section[i]->count : 0;
    }
    double *at = tn_document_take(e->reader->doc, (size_t)(most + 1) * sizeof *at);
    TN_TRY(tn_got(at));
    for (int i = 0; i < def->nnode; i++)
        at[n++] = def->nodes[i];
    for (int i = 0; i < TN_COUNT(sections); i++)
        for (int k = 0; section[i] && k < section[i]->count; k++)
            TN_TRY(add_request(e, section[i]->keys[k], section[i]->children[k], at, &n));
    for (int k = 0; k < nshape; k++) {
        const tn_node *shape = shapes->children[k];
        const tn_node *request = shape->kind == TN_NODE_MAP ? tn_node_get(shape, "at_s") : NULL;
        if (request)
            TN_TRY(tn_read_number(e->reader, request, "at_s", "m", &at[n++]));
    }
    def->nodes = at;
    return tn_element_locate(e, keep_wishes(e, def, n, at));
}

static tn_status read_start(const tn_element *e, tn_beam_def *def)
{
    tn_element initial;
    TN_TRY(tn_element_child(e, "initial", &initial));
    if (!initial.map)
        return TN_OK;
    TN_TRY(TN_CHECK_KEYS(&initial, tn_beam_start_param_count, tn_beam_start_params, tn_keys_none));
    return tn_read_params(&initial, tn_beam_start_param_count, tn_beam_start_params, def);
}

// Keys of one kind of line that is not the one that was chosen.
static tn_status check_line(const tn_element *e, const tn_beam_def *def)
{
    static const struct {
        const char *key;
        tn_line_kind line;
        const char *name;
    } own[] = {
        {"x", TN_LINE_CURVE, "curve"},
        {"y", TN_LINE_CURVE, "curve"},
        {"z", TN_LINE_CURVE, "curve"},
        {"from", TN_LINE_CURVE, "curve"},
        {"to", TN_LINE_CURVE, "curve"},
        {"start_direction", TN_LINE_SPLINE, "spline"},
        {"end_direction", TN_LINE_SPLINE, "spline"},
    };
    for (int i = 0; i < TN_COUNT(own); i++) {
        const bool stated = tn_element_get(e, own[i].key);
        if (stated && def->line != (int)own[i].line)
            return tn_element_fail(e,
                                   "'%s' is stated, but its line is no %s; write 'line: %s', or "
                                   "leave it out",
                                   own[i].key, own[i].name, own[i].name);
        if (!stated && i < 3 && def->line == TN_LINE_CURVE)
            return tn_element_fail(e,
                                   "missing key '%s': an expression of s, as its line is a "
                                   "curve",
                                   own[i].key);
    }
    return TN_OK;
}

// Which way its section points without `x_axis` follows from the inertial axes, and would not turn.
static tn_status place_beam(const tn_element *e, tn_beam_def *def)
{
    const tn_frame *frame = NULL;
    TN_TRY(tn_element_frame(e, &frame));
    if (!frame)
        return TN_OK;
    if (!tn_element_get(e, "x_axis") && memcmp(&frame->R, &tn_m3_identity, sizeof frame->R) != 0)
        return tn_element_fail(e, "missing key 'x_axis': its assembly is turned, and the section "
                                  "turns with it only when its x axis is stated");
    tn_vec3 *points = tn_document_take(e->reader->doc, (size_t)(def->npoint + 1) * sizeof *points);
    TN_TRY(tn_got(points));
    for (int i = 0; i < def->npoint; i++)
        points[i] = tn_frame_point(*frame, def->points[i]);
    def->points = points;
    if (tn_is_over(e) && def->npoint > 0)
        TN_TRY(tn_over_points(e, "points", def->npoint, points));
    TN_TRY(tn_place_curve(e, &def->curve.x, &def->curve.y, &def->curve.z));
    TN_TRY(tn_place_params(e, tn_beam_param_count, tn_beam_params, def));
    return tn_place_params(e, tn_beam_start_param_count, tn_beam_start_params, def);
}

tn_status tn_read_beam(tn_element *e)
{
    tn_beam_def def = tn_default_beam();
    def.name = e->key->text;
    TN_TRY(TN_CHECK_KEYS(e, tn_beam_param_count, tn_beam_params, tn_keys_beam));
    TN_TRY(tn_read_params(e, tn_beam_param_count, tn_beam_params, &def));
    TN_TRY(check_line(e, &def));
    TN_TRY(read_points(e, &def));
    TN_TRY(read_masses(e, &def));
    TN_TRY(
        tn_read_distances(e, "places", "{tip: 0.9}", &def.nplace, &def.place_at, &def.place_name));
    TN_TRY(read_sections(e, &def));
    TN_TRY(read_wishes(e, &def));
    TN_TRY(read_start(e, &def));
    TN_TRY(place_beam(e, &def));
    const tn_beam beam = tn_model_add_beam(e->reader->model, &def);
    TN_TRY(tn_element_locate(e, tn_model_status(e->reader->model)));
    return tn_read_shapes(e, TN_GROUND, beam);
}
