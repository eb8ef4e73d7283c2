// SPDX-License-Identifier: MIT
//
// Other libraries beside bench_tree and bench_peers, for the same mechanism: bodies on revolute
// joints, given by frames that sit in the joints. Each library has one file peer_*.cpp, the only
// C++ here, that is built where CMake is asked for peers and finds the library
// (cmake/TenonPeers.cmake).

#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Frame k turns by q about its own z axis, from a place that is fixed in the frame of the
// predecessor. Matrices are in rows; their columns are axes.
typedef struct peer_link {
    int below;         // the predecessor, which comes first; -1 for the ground
    double R[3][3];    // axes of frame k at q = 0, in frame `below`
    double d[3];       // its origin there
    double mass;       // [kg]
    double com[3];     // centre of mass in frame k
    double axes[3][3]; // principal axes of the inertia in frame k
    double moments[3]; // about the centre of mass and these axes [kg m^2]
    double inertia[6]; // the same as a matrix in frame k: xx, yy, zz, xy, xz, yz
} peer_link;

// A method by which a library moves a mechanism on its own.
typedef struct peer_method {
    const char *name;
    bool controlled; // by a tolerance; otherwise by the length of a step
} peer_method;

enum { PEER_METHODS = 3 };

typedef struct peer {
    const char *name;
    const char *(*version)(void);
    int most_chain, most_tree; // bodies in a mechanism; more take too long or too much memory
    const char *why;           // in a few words
    // A mechanism ready to run; its links come depth first. With `floating` the first link is on no
    // joint and starts at the frame that is given for it. NULL where that fails, with a message.
    void *(*create)(int n, const peer_link *links, const double gravity[3], bool floating);
    // Accelerations of the joints, everything that depends on q and v computed anew.
    void (*run)(void *self, const double *q, const double *v, double *a);
    void (*destroy)(void *self);
    // Angles and rates of all joints at 0, and from there to t_end by a method with a step [s] or a
    // tolerance. What floats starts at rest.
    void (*start)(void *self, const double *q, const double *v);
    void (*travel)(void *self, int method, double t_end, double effort);
    void (*angles)(void *self, double *q);
    peer_method methods[PEER_METHODS]; // as many as have a name
} peer;

extern const peer peer_simbody, peer_bullet, peer_mujoco, peer_dart;

// Those that the build has, and then NULL.
static const peer *const peers[] = {
#ifdef PEER_SIMBODY
    &peer_simbody,
#endif
#ifdef PEER_BULLET
    &peer_bullet,
#endif
#ifdef PEER_DART
    &peer_dart,
#endif
#ifdef PEER_MUJOCO
    &peer_mujoco,
#endif
    0};

#ifdef __cplusplus
}
#endif
