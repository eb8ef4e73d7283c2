// SPDX-License-Identifier: MIT
//
// A robot between its file and the text of a model: links and joints as the file states them, and
// what follows from them.
//
//   urdf.c           a URDF file becomes a robot
//   mjcf.c           an MJCF file becomes a robot
//   robot_names.c    names that models can have
//   robot_tree.c     the tree, bodies merged from links that are fixed to each other, start values
//   robot_inertia.c  inertias that no body can have
//   robot_mesh.c     files of meshes
//   robot_text.c     the text of the model
//   import.c         the whole

#pragma once

#include "base/array.h"
#include "import/xml.h"
#include "tenon/import.h"
#include "tenon/spatial.h"
#include "text/buffer.h"
#include "text/table.h"

enum { TN_ROBOT_NONE = -1 }; // no link, no joint

// Mass, centre and inertia about it, in axes of a link.
typedef struct tn_robot_mass {
    double mass;
    tn_vec3 com;
    tn_mat3 inertia;
} tn_robot_mass;

typedef struct tn_robot_link {
    const char *name, *label; // in the file and in the model
    int line;
    bool weighs; // its mass and inertia are stated, and not all of them are zero
    tn_robot_mass own;
    double moments[6]; // as they are stated: xx, yy, zz, xy, xz, yz about axes of `turn`
    tn_vec3 turn;      // roll, pitch, yaw
    int joint;         // that it hangs on; TN_ROBOT_NONE for a root
    int first, last;   // joints that hang on it
    int body;          // the link that carries it, itself too; TN_ROBOT_NONE for the ground
    tn_frame in_body;
    tn_robot_mass sum;  // of these
    bool keeps;         // its inertia, which no body can have
    bool moment_known;  // `moments` and `turn` tell its inertia
    tn_frame start;     // its pose at the start
    tn_robot_mass load; // of all that it carries through joints, in its axes
    int first_shape, last_shape;
} tn_robot_link;

typedef enum tn_robot_kind {
    TN_ROBOT_FIXED,
    TN_ROBOT_REVOLUTE,
    TN_ROBOT_CONTINUOUS,
    TN_ROBOT_PRISMATIC,
    TN_ROBOT_PLANAR,
    TN_ROBOT_FLOATING,
    TN_ROBOT_BALL,
    TN_ROBOT_KINDS
} tn_robot_kind;

typedef struct tn_robot_joint {
    const char *name, *label;
    int line;
    tn_robot_kind kind;
    int parent, child;
    int next;                     // joint on the same parent
    tn_vec3 at, turn;             // of its frame in that of the parent
    tn_vec3 child_at, child_turn; // of loops: of the same frame in that of the child
    tn_frame origin;              // the same
    tn_vec3 axis;                 // of unit length, in its frame
    bool limited;                 // lower and upper are stated
    double lower, upper, effort, velocity;
    double damping, friction;
    double stiffness, free;          // of a spring on the coordinate
    const char *rotor, *rotor_joint; // labels
    double armature;                 // inertia of a rotor that turns with the coordinate
    bool by_matrix;    // the frame on the parent is `origin`, and `turn` does not tell it
    const char *mimic; // the joint that it follows, or NULL
    int leader, mimic_line;
    double ratio, offset;
    bool closes;  // its child has a parent already: it closes a loop
    double start; // its coordinate
    bool started;
} tn_robot_joint;

typedef struct tn_robot_shape {
    int line, next;
    const char *kind; // of Tenon
    double size[3];   // of a box; radius and length of others; scale of a mesh
    const char *file; // of a mesh: as it is stated, then as the model names it
    tn_frame frame;   // in that of its link
    int color;        // 0xrrggbb, or -1
    bool collision;
} tn_robot_shape;

// A drive of a joint: gear * clamp(gain u + bias[0] + bias[1] gear q + bias[2] gear q'), where u is
// an input within its own range.
typedef struct tn_robot_drive {
    const char *name, *input; // in the file, and of the input in the model
    int line, joint;
    double gear, gain, bias[3];
    bool limited[2]; // the input, the force
    double range[2][2];
} tn_robot_drive;

typedef struct tn_robot_note {
    tn_import_kind kind;
    int line;
    const char *text;
} tn_robot_note;

typedef struct tn_robot {
    const tn_import_options *options;
    const char *path, *name;
    tn_xml_file file;
    tn_pool memory;
    TN_ARRAY(tn_robot_link) links;
    TN_ARRAY(tn_robot_joint) joints;
    TN_ARRAY(tn_robot_shape) shapes;
    TN_ARRAY(tn_robot_drive) drives;
    TN_ARRAY(tn_robot_note) notes;
    tn_table *link_names, *joint_names;
    tn_table *taken[2]; // labels: of bodies and frames; of joints and forces
    int last_number;    // that was put behind one
    int root;
    int *order; // links, parents before children; the root is the first
    int bodies; // that are not the ground
    tn_vec3 gravity;
    bool states_gravity;
    int geoms;           // that are not read
    const tn_xml *macro; // the first that is not expanded, or NULL
    bool guess;          // coordinates at the start are guesses, since loops decide
} tn_robot;

tn_status tn_robot_note_add(tn_robot *robot, tn_import_kind kind, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// "path:line: sentence"
tn_status tn_robot_fail(const tn_robot *robot, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

tn_status tn_urdf_read(tn_robot *robot);
tn_status tn_mjcf_read(tn_robot *robot);
tn_status tn_robot_label(tn_robot *robot);
// A label for what belongs to a joint: "elbow_stop"; `list` is that of `taken`.
tn_status tn_robot_new_label(tn_robot *robot, int list, const char *base, const char *tail,
                             const char **out);
tn_status tn_robot_tree(tn_robot *robot);
tn_status tn_robot_judge_inertias(tn_robot *robot);
// A path as the text names it: what stands below its folder by the rest, else in full.
const char *tn_robot_path(tn_robot *robot, const char *path);
// Finds the files of meshes; shapes whose file Tenon cannot draw get none, and are noted.
tn_status tn_robot_find_meshes(tn_robot *robot);
typedef TN_ARRAY(int) tn_origins; // for each line of a text that of the file it comes from
tn_status tn_robot_write(tn_robot *robot, tn_buffer *out, tn_origins *origins);

static inline tn_robot_link tn_robot_new_link(const char *name, int line)
{
    return (tn_robot_link){.name = name,
                           .line = line,
                           .joint = TN_ROBOT_NONE,
                           .first = TN_ROBOT_NONE,
                           .last = TN_ROBOT_NONE,
                           .first_shape = TN_ROBOT_NONE,
                           .last_shape = TN_ROBOT_NONE,
                           .start = tn_frame_identity};
}

static inline bool tn_robot_turns(tn_robot_kind kind)
{
    return kind == TN_ROBOT_REVOLUTE || kind == TN_ROBOT_CONTINUOUS;
}

// True of joints with one coordinate.
static inline bool tn_robot_has_coordinate(const tn_robot_joint *joint)
{
    return tn_robot_turns(joint->kind) || joint->kind == TN_ROBOT_PRISMATIC;
}

// R = Rz(yaw) Ry(pitch) Rx(roll)
static inline tn_frame tn_robot_frame(tn_vec3 at, tn_vec3 turn)
{
    const tn_mat3 R = tn_m3_mul(tn_m3_rot_y(turn.y), tn_m3_rot_x(turn.x));
    return (tn_frame){tn_m3_mul(tn_m3_rot_z(turn.z), R), at};
}

// Mass, centre and inertia of two parts together.
tn_robot_mass tn_robot_add_mass(tn_robot_mass a, tn_robot_mass b);
// The same of a part seen from another frame, in which its own is.
tn_robot_mass tn_robot_move_mass(tn_frame frame, tn_robot_mass part);
