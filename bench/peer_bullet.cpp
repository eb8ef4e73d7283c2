// SPDX-License-Identifier: MIT
//
// Bullet: btMultiBody in double precision. Its bodies are described by their centres of mass and
// principal axes. It has no call that gives accelerations: they are the change of the velocities in
// a step of 1 s, in which nothing moves.

#include "peers.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyLink.h>

#include <cstdio>
#include <string>
#include <vector>

namespace
{

struct Mechanism {
    btMultiBody body;
    std::vector<btVector3> weight;
    btAlignedObjectArray<btScalar> scratch_r;
    btAlignedObjectArray<btVector3> scratch_v;
    btAlignedObjectArray<btMatrix3x3> scratch_m;

    explicit Mechanism(int n) : body(n, 0.0, btVector3(0, 0, 0), true, false), weight(n)
    {
    }
};

btMatrix3x3 matrix(const double A[3][3])
{
    return btMatrix3x3(A[0][0], A[0][1], A[0][2], A[1][0], A[1][1], A[1][2], A[2][0], A[2][1],
                       A[2][2]);
}

btVector3 vector(const double a[3])
{
    return btVector3(a[0], a[1], a[2]);
}

btQuaternion quaternion(const btMatrix3x3 &A)
{
    btQuaternion e;
    A.getRotation(e);
    return e;
}

void add_link(btMultiBody &body, int k, const peer_link *links)
{
    const peer_link &link = links[k];
    const btMatrix3x3 out = matrix(link.axes).transpose(); // into the principal axes
    btMatrix3x3 axes = btMatrix3x3::getIdentity();         // those of the predecessor
    btVector3 com(0, 0, 0);
    if (link.below >= 0) {
        axes = matrix(links[link.below].axes);
        com = vector(links[link.below].com);
    }
    body.setupRevolute(k, link.mass, vector(link.moments), link.below,
                       quaternion(out * matrix(link.R).transpose() * axes),
                       out * btVector3(0, 0, 1), axes.transpose() * (vector(link.d) - com),
                       out * vector(link.com), true);
}

void *create(int n, const peer_link *links, const double gravity[3])
{
    auto *m = new Mechanism(n);
    for (int k = 0; k < n; k++) {
        add_link(m->body, k, links);
        m->weight[k] = links[k].mass * vector(gravity);
    }
    m->body.finalizeMultiDof();
    m->body.setLinearDamping(0.0);
    m->body.setAngularDamping(0.0);
    m->body.setUseGyroTerm(true);
    m->body.setMaxCoordinateVelocity(1e300);
    return m;
}

void run(void *self, const double *q, const double *v, double *a)
{
    auto *m = static_cast<Mechanism *>(self);
    const int n = m->body.getNumLinks();
    m->body.clearForcesAndTorques();
    for (int k = 0; k < n; k++) {
        m->body.setJointPos(k, q[k]);
        m->body.setJointVel(k, v[k]);
        m->body.addLinkForce(k, m->weight[k]);
    }
    m->body.computeAccelerationsArticulatedBodyAlgorithmMultiDof(1.0, m->scratch_r, m->scratch_v,
                                                                 m->scratch_m, false, false, false);
    for (int k = 0; k < n; k++)
        a[k] = m->body.getJointVel(k) - v[k];
}

void destroy(void *self)
{
    delete static_cast<Mechanism *>(self);
}

const char *version()
{
    static std::string text;
    text = std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100);
    return text.c_str();
}

} // namespace

const peer peer_bullet = {"bullet", version, 10000,  10000, "its work space has N^2 numbers",
                          create,   run,     destroy};
