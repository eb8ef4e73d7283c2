// SPDX-License-Identifier: MIT
//
// Other libraries beside bench_tree, for the same mechanism: bodies on revolute joints, given by
// frames that sit in the joints. Each library has one file peer_*.cpp, the only C++ here, that is
// built where CMake is asked for peers and finds the library (cmake/TenonPeers.cmake).

#pragma once

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

typedef struct peer {
    const char *name;
    const char *(*version)(void);
    int most_chain, most_tree; // bodies in a mechanism; more take too long or too much memory
    const char *why;           // in a few words
    // A mechanism ready to run; its links come depth first. NULL where that fails, with a message.
    void *(*create)(int n, const peer_link *links, const double gravity[3]);
    // Accelerations of the joints, everything that depends on q and v computed anew.
    void (*run)(void *self, const double *q, const double *v, double *a);
    void (*destroy)(void *self);
} peer;

extern const peer peer_simbody, peer_bullet, peer_mujoco, peer_dart;

#ifdef __cplusplus
}
#endif
