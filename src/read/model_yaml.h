// SPDX-License-Identifier: MIT
//
// Reading a model file: a document (file/document.h) becomes calls of builders (tenon/model.h).
// The keys of a body, joint, force or simulation come from the parameter tables of their kinds; the
// keys listed here are those that stand for more than one field, such as `at` and `axis`.
//
//   model_yaml.c             the file as a whole, its sections and their order
//   model_read_element.c     one body, joint or force
//   model_read_beam.c        a body that is a beam
//   model_read_modal.c       a body that is a modal body
//   model_read_shape.c       the shapes of a body
//   model_read_mass.c        mass and inertia from them
//   model_read_place.c       where joints and forces sit: bodies, points and axes
//   model_read_rotation.c    directions and rotations
//   model_read_value.c       numbers, functions, tables and names, by parameter table
//   model_read_table.c       tables that expressions use as functions
//   model_read_keys.c        the keys of the format beside the tables; unknown keys
//   model_read_signal.c      signals, states, unknowns and sampled systems
//   model_read_simulate.c    the `simulate` block
//   part_place.c             the frames that assemblies are placed at; see parts.h
//
// Errors start with file:line:column of the value, or of the element's name when no single value
// is wrong, and go on with the words for the element: "joint 'pin': axis ...".

#pragma once

#include "base/array.h"
#include "file/document.h"
#include "model/model.h"
#include "read/parts.h"
#include "start/method.h"
#include "tenon/io.h"
#include "text/table.h"

#define TN_FORMAT_VERSION 1

// Joints may refer to joints that stand later in the file; those are added first.
enum { TN_JOINT_UNREAD = -1, TN_JOINT_READING = -2 };

// Mistakes that were met: reading goes on behind each, so that one reading of a file shows several.
// The first ones are reported, more are counted, and beyond some hundred nobody counts.
enum { TN_MOST_MISTAKES = 10, TN_MOST_COUNTED = 100, TN_MOST_SPOILED = 64 };
typedef struct tn_mistakes {
    int count, nspoiled;
    const tn_node *spoiled[TN_MOST_SPOILED]; // keys of what could not be read, or refers to such
    char text[TN_ERROR_SIZE];                // one line each
    char last[TN_ERROR_SIZE];                // the last one, reported or counted
} tn_mistakes;

typedef struct tn_named_frame tn_named_frame; // model_read_frame.c

typedef struct tn_reader {
    tn_document *doc;
    tn_mistakes mistakes;
    tn_model *model;
    tn_simulate simulate;
    const tn_node *joints; // the section; NULL when there is none
    tn_table *joint_names; // name to place in the section
    int *joint_ids;        // by place in the section: index in the model, or as above
    tn_table *frame_names; // name to place among these; NULL before the first
    tn_named_frame *named_frames;
    int nvalue; // parameters that have other values than those of the file
    const tn_parameter_value *values;
    bool over;        // values of placed parts are put into the document, to be written out
    tn_frame *frames; // of the placings of its parts; NULL before the first is asked for
} tn_reader;

// Fails if the file does not begin with a known version of the format.
tn_status tn_check_version(const tn_document *doc);
// Returns true if an expression uses a name, as a whole.
bool tn_text_uses(const char *text, const char *name);
// The model of a document whose parts are written out. `over`: what placed parts state is put into
// it as it is in the inertial frame, or on the bodies.
tn_status tn_model_from_plain(tn_document *doc, int nvalue, const tn_parameter_value *values,
                              bool over, tn_model **out, tn_simulate *simulate);
// The model of a document, with other values of some of its parameters.
tn_status tn_model_from_document(tn_document *doc, int nvalue, const tn_parameter_value *values,
                                 tn_model **out, tn_simulate *simulate);

// A map that is read, with the words for it.
typedef struct tn_element {
    tn_reader *reader;
    const tn_node *key; // where messages about the whole map point
    const tn_node *map;
    bool planar;       // vectors may leave out z
    const char *along; // unit of the coordinate that it acts on, "m" or "rad"; NULL for none
    char owner[512];   // "joint 'pin'", "joint 'pin': initial"
} tn_element;

// Keys -------------------------------------------------------------------------------------------

// A key of the format that is not in a parameter table, for messages and the reference page.
typedef struct tn_key {
    const char *name, *type, *unit, *text;
} tn_key;

typedef struct tn_key_list {
    int count;
    const tn_key *at;
} tn_key_list;

extern const tn_key_list tn_keys_none;         // no key
extern const tn_key_list tn_keys_file;         // the top of the file
extern const tn_key_list tn_keys_template;     // of every template, and of what is repeated
extern const tn_key_list tn_keys_repeat;       // of what is repeated, beside those
extern const tn_key_list tn_keys_assembly;     // of every assembly
extern const tn_key_list tn_keys_table;        // of every table
extern const tn_key_list tn_keys_state;        // of every state
extern const tn_key_list tn_keys_unknown;      // of every unknown
extern const tn_key_list tn_keys_sampled;      // of every sampled system
extern const tn_key_list tn_keys_block;        // of every block
extern const tn_key_list tn_keys_body;         // of every body
extern const tn_key_list tn_keys_beam;         // of every beam, beside the table
extern const tn_key_list tn_keys_modal;        // of every modal body, beside the table
extern const tn_key_list tn_keys_rod;          // of its rod, beside the table
extern const tn_key_list tn_keys_named_frame;  // of a frame with a name
extern const tn_key_list tn_keys_ground;       // of the ground
extern const tn_key_list tn_keys_shape;        // of every shape
extern const tn_key_list tn_keys_body_start;   // in `initial` of every body but beams, as well
extern const tn_key_list tn_keys_planar_start; // in `initial` of a planar body, beside the table
extern const tn_key_list tn_keys_joint;        // of every joint
extern const tn_key_list tn_keys_joint_start;  // in `initial` of a joint
extern const tn_key_list tn_keys_pair;         // where things between two bodies sit
extern const tn_key_list tn_keys_single;       // where things on one body sit
extern const tn_key_list tn_keys_driven;       // of a driven pose, beside those
extern const tn_key_list tn_keys_force;        // of every force
extern const tn_key_list tn_keys_on_joint;     // of forces on a joint coordinate
extern const tn_key_list tn_keys_frame;        // in `frame_a` and `frame_b`
extern const tn_key_list tn_keys_rotation;     // in rotations
extern const tn_key_list tn_keys_function;     // in functions of time that are tables
extern const tn_key_list tn_keys_own_function; // in functions of time of own kinds

tn_key_list tn_force_place_keys(const tn_force_ops *ops); // where forces of a kind sit
tn_key_list tn_joint_place_keys(const tn_joint_ops *ops); // none for those between joints

// Keeps the last error as one more mistake of the file, unless it was reported already.
void tn_keep_mistake(tn_reader *r);
// Fails where a key of the map is neither a parameter nor in one of the lists; all such are
// reported.
#define TN_CHECK_KEYS(e, n, params, ...)                                        \
    tn_check_keys(e, n, params, TN_COUNT(((const tn_key_list[]){__VA_ARGS__})), \
                  (const tn_key_list[]){__VA_ARGS__})
tn_status tn_check_keys(const tn_element *e, int n, const tn_param *params, int nlist,
                        const tn_key_list *lists);

// Begins the reading of a map; a value that is left out counts as an empty map.
tn_status tn_element_open(tn_reader *r, const tn_node *key, const tn_node *value, tn_element *out);
// Begins the element number `place` of a section; `list` is "body", "joint" or "force".
tn_status tn_element_begin(tn_reader *r, const char *list, int place, const tn_node *section,
                           tn_element *out);
// The same for the map under a key of an element; out->map is NULL when the key is not there.
tn_status tn_element_child(const tn_element *e, const char *key, tn_element *out);
// The value of a key, NULL when it is not there, and "owner: key" for messages.
const tn_node *tn_element_get(const tn_element *e, const char *key);
typedef struct tn_words {
    char text[640];
} tn_words;
tn_words tn_element_words(const tn_element *e, const char *key);
// The number or vector under a key; what is not there leaves *out as it is.
tn_status tn_element_number(const tn_element *e, const char *key, const char *unit, double *out);
tn_status tn_element_vector(const tn_element *e, const char *key, const char *unit, bool planar,
                            tn_vec3 *out);
// {name: distance, ...} under a key, as `example`; what is not there leaves all as it is.
tn_status tn_read_distances(const tn_element *e, const char *key, const char *example, int *count,
                            const double **at, const char *const **name);
tn_status tn_element_fail(const tn_element *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Keeps where the element and the values of its keys stand, for errors that come later.
tn_status tn_element_note(const tn_element *e);
tn_place tn_node_place(const tn_node *node); // of a value
tn_place tn_key_place(const tn_node *key);   // of a name
// Puts file:line:column before the last error: of the key that the text names behind the owner,
// else of the element.
tn_status tn_element_locate(const tn_element *e, tn_status status);

// A body whose kind is `beam` (model_read_beam.c).
tn_status tn_read_beam(tn_element *e);

// The section under `section` of a map that is that of a rod, and its parameters.
tn_status tn_read_section(const tn_element *e, tn_section_def *def);
// A body whose kind is `modal` (model_read_modal.c).
tn_status tn_read_modal(tn_element *e);
extern const tn_param tn_rod_params[]; // of its rod
extern const int tn_rod_param_count;

// Values -----------------------------------------------------------------------------------------

// Units behind numbers are converted to `unit`, the unit of the key; "" stands for none, NULL for
// the SI unit of whatever is stated.
tn_status tn_read_number(const tn_reader *r, const tn_node *node, const char *what,
                         const char *unit, double *out);
bool tn_node_is_expression(const tn_node *node); // no number, with or without a unit
// "m" or "rad", NULL where there is no such coordinate.
const char *tn_coordinate_unit(const tn_model *model, tn_joint joint, int coordinate);
// Three numbers; in the plane also two, the third is zero then.
tn_status tn_read_vector(const tn_reader *r, const tn_node *node, const char *what,
                         const char *unit, bool planar, tn_vec3 *out);
tn_status tn_read_body_name(const tn_reader *r, const tn_node *node, const char *what,
                            tn_body *out);
// Adds the joint first when it stands later in the file.
tn_status tn_read_joint_name(tn_reader *r, const tn_node *node, const char *what, tn_joint *out);
// The same of joints that need not measure a coordinate.
tn_status tn_read_any_joint(tn_reader *r, const tn_node *node, const char *what, tn_joint *out);
// A joint coordinate by number or by name.
tn_status tn_read_coordinate(const tn_reader *r, const tn_node *node, const char *what,
                             tn_joint joint, int *out);
bool tn_param_is_coordinate(const tn_param *p); // an integer for which a name will do
// A number of a force that is an expression of the state.
tn_status tn_param_is_live(const tn_reader *r, const tn_param *p, const tn_node *node, bool *out);
// The number of a name among `names`; 0 where the key is left out.
tn_status tn_read_rule(const tn_element *e, const char *key, const char *const *names, int *out);
// Reads the values that the map states into a definition struct; missing required ones are errors.
tn_status tn_read_params(const tn_element *e, int n, const tn_param *params, void *def);

// Placing (part_place.c) -------------------------------------------------------------------------

// The frame that the assembly of an element is placed at; NULL where it is the inertial one.
tn_status tn_element_frame(const tn_element *e, const tn_frame **out);
// Moves and turns the values of a definition struct that are meant in the inertial frame, stated
// ones and others, with the assembly of the element.
tn_status tn_place_params(const tn_element *e, int n, const tn_param *params, void *def);
tn_status tn_place_pose(const tn_element *e, tn_joint_def *def); // of a driven pose
tn_status tn_place_curve(const tn_element *e, const char **x, const char **y, const char **z);
// Fails where what moves in the plane is turned out of it.
tn_status tn_check_placed_plane(const tn_element *e, const tn_frame *frame);

// Puts values in the place of those of placed parts (part_over.c); does nothing if no model is
// written out, for those that do not ask tn_is_over first.
bool tn_is_over(const tn_element *e);
tn_status tn_over_node(const tn_element *e, const char *map, const char *key, const tn_node *value);
tn_status tn_over_vector(const tn_element *e, const char *map, const char *key, tn_vec3 v);
tn_status tn_over_rotation(const tn_element *e, const char *map, const char *key, tn_mat3 R);
tn_status tn_over_points(const tn_element *e, const char *key, int n, const tn_vec3 *points);
tn_status tn_over_text(const tn_element *e, const char *map, const char *key, const char *text);
tn_status tn_over_frame(const tn_element *e, const char *key, const tn_frame *frame);
tn_status tn_over_remove(const tn_element *e, const char *map, const char *key);
tn_status tn_over_function(const tn_element *e, const char *key, const tn_function *old,
                           const tn_function *f);
tn_status tn_over_functions(const tn_element *e, const char *key, const tn_function old[3],
                            const tn_function f[3]);
tn_status tn_over_shape(const tn_element *e, const tn_frame *frame);

// Directions and rotations -----------------------------------------------------------------------

// Which axis of a joint frame the key `axis` gives.
typedef enum tn_axis_role {
    TN_AXIS_Z,        // of things in space: the z axis
    TN_AXIS_X,        // of a universal joint: the x axis, and axis_2 the y axis
    TN_AXIS_IN_PLANE, // of things that slide in the plane: the x axis, z stays
    TN_AXIS_NORMAL    // of things that turn in the plane: z, which stays
} tn_axis_role;

tn_status tn_read_angle(const tn_element *e, double *out); // from `angle` or `angle_deg`
tn_status tn_read_rotation(const tn_element *e, const char *key, tn_mat3 *out);
// The axes of a frame from `axis`, `axis_2` or `orientation`; *given is true if one was stated.
tn_status tn_read_axes(const tn_element *e, tn_axis_role role, tn_mat3 *out, bool *given);

// Seats of joints and forces ---------------------------------------------------------------------

typedef struct tn_attachment {
    tn_body a, b;
    tn_frame frame_a, frame_b;
    bool mounted_a, mounted_b;   // stands for the ground of a part
    const tn_frame *on_a, *on_b; // the named frame that stands for the body, or NULL
} tn_attachment;

// A body by its name, or by that of a frame on it: *frame, NULL for the body itself.
tn_status tn_read_place_name(const tn_reader *r, const tn_node *node, const char *what,
                             tn_body *body, const tn_frame **frame);

// Bodies first (they decide what an axis means), frames second.
tn_status tn_read_bodies(const tn_element *e, bool single, tn_attachment *out);
typedef enum tn_attachment_kind {
    TN_ATTACHMENT_PAIR,   // two frames that coincide where the joint is assembled
    TN_ATTACHMENT_SINGLE, // one body is acted on
    TN_ATTACHMENT_APART   // a plane on A, and what moves on it on B
} tn_attachment_kind;
tn_status tn_read_frames(const tn_element *e, tn_attachment_kind kind, tn_axis_role role,
                         tn_attachment *out);
tn_status tn_over_attachment(const tn_element *e, bool single, const tn_attachment *at);
// A joint whose frames coincide sits on the node of a beam that it names, unless a place is stated.
void tn_sit_on_node(const tn_element *e, tn_attachment *at);

// Elements ---------------------------------------------------------------------------------------

// The number of the kind that an element states; `find` gives it for a name, `fallback` (NULL for
// none) is the name that is meant when the key is left out.
tn_status tn_read_kind(const tn_element *e, const char *fallback, tn_family family, int *out);
// The list under `shapes` of a body that is in the model, or of a beam, each at a node.
tn_status tn_read_shapes(const tn_element *e, tn_body body, tn_beam beam);
// One of them, opened as `body 'carrier': shape 1` and read.
tn_status tn_open_shape(const tn_element *e, const char *carrier, int i, tn_element *out);
tn_status tn_read_shape(tn_element *e, bool planar, tn_shape_def *def);
// Mass, centre and inertia from the shapes of a body, where it asks for that: def->of_shapes says,
// and the keys that state them are not to be read then.
tn_status tn_read_mass_of_shapes(const tn_element *e, const tn_body_ops *ops, tn_body_def *def);
bool tn_is_mass_key(const char *key);
tn_status tn_read_ground(tn_reader *r, const tn_node *key, const tn_node *value);
tn_status tn_read_plugins(tn_reader *r, const tn_node *key, const tn_node *list);
tn_status tn_read_body(tn_reader *r, int place, const tn_node *section);
tn_status tn_read_named_frame(tn_reader *r, int place, const tn_node *section);
tn_status tn_read_joint(tn_reader *r, int place, const tn_node *section);
tn_status tn_read_force(tn_reader *r, int place, const tn_node *section);
tn_status tn_read_output(tn_reader *r, int place, const tn_node *section);
tn_status tn_read_event(tn_reader *r, int place, const tn_node *section);
tn_status tn_read_input(tn_reader *r, int place, const tn_node *section);
tn_status tn_read_table(tn_reader *r, int place, const tn_node *section);
tn_status tn_read_signal(tn_reader *r, int place, const tn_node *section);
tn_status tn_read_state(tn_reader *r, int place, const tn_node *section);
tn_status tn_read_unknown(tn_reader *r, int place, const tn_node *section);
tn_status tn_read_sampled(tn_reader *r, int place, const tn_node *section);
tn_status tn_read_block(tn_reader *r, int place, const tn_node *section);
// `guess` of the start values of a body: what it names does not count as given.
enum { TN_GUESS_POSITION = 1, TN_GUESS_ORIENTATION = 2 };
extern const char *const tn_guess_names[]; // by these bits
tn_status tn_read_guess(const tn_element *initial, bool *position, bool *rotation);
// The parameters of a body split into its properties and its start values, which stand in
// `initial`; returns the number of properties, which come first.
int tn_body_property_count(const tn_body_ops *ops);

tn_status tn_read_simulate(tn_reader *r, const tn_node *key, const tn_node *value);
