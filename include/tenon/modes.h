// SPDX-License-Identifier: MIT
//
// Modes: the small motions exp(s t) x of a mechanism about an equilibrium or a steady motion, with
// their frequencies, damping and shapes; and how they change with a parameter (Campbell diagram).
//
//     tn_modes_options options = tn_default_modes();
//     tn_modes *modes = NULL;
//     if (tn_modes_create(model, &options, &modes) == TN_OK)
//         for (int i = 0; i < tn_modes_count(modes); i++)
//             printf("%g Hz\n", tn_mode_of(modes, i).frequency);
//     tn_modes_destroy(modes);
//
// Modes are those of all constraints, forces, beams and expressions of the model, linearised with
// exact tangents; drives, functions of time and inputs are held. The model is kept alive. An object
// here is constant once it is made; one thread at a time uses it.

#pragma once

#include "tenon/base.h"
#include "tenon/equilibrium.h"
#include "tenon/linear.h"
#include "tenon/model.h"

// Modes about one state; tn_modes_destroy it.
typedef struct tn_modes tn_modes;

// The method for eigenvalues.
typedef enum tn_modes_method {
    TN_MODES_AUTO,  // dense for small mechanisms, sparse for large ones
    TN_MODES_DENSE, // all modes, on the null space of the constraints
    TN_MODES_SPARSE // some modes near zero, by sparse factors and ARPACK
} tn_modes_method;

// The modes to find, and the motion about which they are taken.
typedef struct tn_modes_options {
    tn_equilibrium_options find; // the equilibrium: time, nearest, spin, load_to, trim
    tn_about about;
    const tn_saved_state *state;
    double motion; // about a start or a state: its velocities are those of the model times this
    int count;     // number of modes, the slowest first; 0: 20, or all where there are fewer
    bool undamped; // leaves out damping: frequencies as if nothing was lost
    tn_modes_method method;
} tn_modes_options;

// 20 modes about the equilibrium at t = 0, damped where there is damping.
TN_API tn_modes_options tn_default_modes(void);

// Finds the state and its modes. TN_ERR_NUMERIC where there is no equilibrium, where a motion has
// neither inertia nor stiffness, or where the iteration does not converge; the sentence says more.
// On failure *out is NULL.
TN_API tn_status tn_modes_create(const tn_model *model, const tn_modes_options *options,
                                 tn_modes **out);
TN_API void tn_modes_destroy(tn_modes *modes); // NULL is fine

// The kind of motion of a mode.
typedef enum tn_mode_kind {
    TN_MODE_RIGID, // s = 0: nothing drives it on or back
    TN_MODE_SWING, // a frequency, damped or not
    TN_MODE_DECAY, // real, dies away without swinging
    TN_MODE_GROWTH // the real part is positive: unstable, swinging or not
} tn_mode_kind;

// "rigid", "swing", "decay" or "growth".
TN_API const char *tn_mode_kind_word(tn_mode_kind kind);

// One mode. From a pair of conjugate values the one with im > 0 is listed; an undamped unstable
// motion is listed by its growing half.
typedef struct tn_mode {
    tn_mode_kind kind;
    double re, im;    // s [1/s]
    double frequency; // im / 2 pi [Hz]
    double undamped;  // |s| / 2 pi [Hz]
    double damping;   // ratio -re / |s|; 0 where s = 0
    char name[160];   // the joint coordinate or body that moves most
} tn_mode;

// Modes that there are: 0 and up.
TN_API int tn_modes_count(const tn_modes *modes);
// Mode i, from the smallest |s| on: rigid ones come first.
TN_API tn_mode tn_mode_of(const tn_modes *modes, int i);

// The motion of a body in a mode: displacement and rotation at time t are the real parts of
// (re + i im) exp(s t), as small as one likes. Modes have x^H M x = 1 kg m^2, and the largest
// motion in them is real and positive.
typedef struct tn_mode_motion {
    tn_vec3 move_re, move_im; // of the origin of the body frame, inertial axes [m]
    tn_vec3 turn_re, turn_im; // rotation vector, inertial axes [rad]
} tn_mode_motion;

// The motion of a body in mode i.
TN_API tn_mode_motion tn_mode_motion_of(const tn_modes *modes, int i, tn_body body);
// The part of the kinetic energy of mode i that is in a body; those of all bodies are 1 together.
TN_API double tn_mode_share(const tn_modes *modes, int i, tn_body body);
// The pose of a body in the state.
TN_API tn_frame tn_modes_body_frame(const tn_modes *modes, tn_body body);

// Facts of the modes.
typedef struct tn_modes_facts {
    int freedoms;
    int most;            // modes that there can be: more than freedoms with states and rolling
    double speed;        // the largest angular velocity of a body in the state [rad/s]
    int rigid, unstable; // of the modes that were found
    int hidden;          // unstable ones of these that are beyond the count, and not listed
    tn_vec3 turning;     // of the frames that shapes and values are seen from [rad/s]
    bool damped;         // damping, gyroscopic or follower forces were taken into account
    bool sparse;         // true for the sparse method
    const tn_equilibrium_facts *state; // stability is open but for equilibria that are searched
} tn_modes_facts;

// Facts of the modes, all zero for NULL.
TN_API tn_modes_facts tn_modes_facts_of(const tn_modes *modes);
// Errors that may enter them (docs/guide/modes.md has bounds and reasons); it lives as long.
TN_API const tn_verdict *tn_modes_verdict(const tn_modes *modes);
// Writes a table of the modes, comma separated below a line of names and units, with the share of
// every body; "-" is the standard output.
TN_API tn_status tn_modes_write(const tn_modes *modes, const char *path);

// A page of modes.
typedef struct tn_modes_page {
    const char *path;       // the file to write; "-": the standard output
    const char *model_path; // path of the model, for its title and meshes; may be NULL
    const char *command;    // command that makes it again, for people; may be NULL
} tn_modes_page;

// Notes modes that cannot be shown.
TN_API tn_status tn_modes_report(const tn_modes *modes, const tn_modes_page *how, tn_teller teller);

// Campbell diagram: modes over a parameter; tn_campbell_destroy it.
typedef struct tn_campbell tn_campbell;

// The parameter, and its values.
typedef struct tn_campbell_options {
    tn_modes_options modes; // count: of the lines; 0: 8, or all where there are fewer
    // "spin": steady rotation [rad/s]; "motion": the factor of velocities about a start; "load":
    // the load factor; or an input of the model by its name; with `model_at`, any name.
    const char *over;
    // Makes the model for a value of another parameter, which changes the parts of models; the
    // model is destroyed afterwards. NULL: all points are those of the one model.
    tn_status (*model_at)(void *user, double value, tn_model **out);
    double from, to;
    int points; // 2 at least
    // Called after each point; may be NULL.
    void (*progress)(void *user, int point, double value);
    void *user; // of both
} tn_campbell_options;

// Eight lines over the spin, from 0 on, at 21 points.
TN_API tn_campbell_options tn_default_campbell(void);
// Finds modes at all points and follows them from one to the next by their shapes. On failure *out
// is NULL, and the sentence names the point.
TN_API tn_status tn_campbell_create(const tn_model *model, const tn_campbell_options *options,
                                    tn_campbell **out);
TN_API void tn_campbell_destroy(tn_campbell *campbell); // NULL is fine

TN_API int tn_campbell_lines(const tn_campbell *campbell);  // modes that are followed
TN_API int tn_campbell_points(const tn_campbell *campbell); // values of the parameter
// The verdict over all points: each warning is that of the point with the largest estimate.
TN_API const tn_verdict *tn_campbell_verdict(const tn_campbell *campbell);
TN_API double tn_campbell_value(const tn_campbell *campbell, int point); // of the parameter
TN_API const char *tn_campbell_unit(const tn_campbell *campbell);        // "rad/s" or ""
// The largest angular velocity of a body there [rad/s]: lines of 1x, 2x and 3x go by it.
TN_API double tn_campbell_speed(const tn_campbell *campbell, int point);
// The mode of a line at a point; `re` is NAN where the line was lost.
TN_API tn_mode tn_campbell_mode(const tn_campbell *campbell, int line, int point);
// Writes a table with one row for each point; "-" is the standard output.
TN_API tn_status tn_campbell_write(const tn_campbell *campbell, const char *path);
// Draws frequencies and damping ratios over the parameter, FILE.svg or FILE.png; over spin or
// motion with lines of 1x, 2x and 3x.
TN_API tn_status tn_campbell_plot(const tn_campbell *campbell, const char *path);
