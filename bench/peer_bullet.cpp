// SPDX-License-Identifier: MIT
//
// Bullet: btMultiBody in double precision. Its bodies are described by their centres of mass and
// principal axes. It has no call that gives accelerations: they are the change of the velocities in
// a step of 1 s, in which nothing moves.

#include "peers.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyLink.h>

#include <cmath>
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
    btVector3 base_weight = btVector3(0, 0, 0);

    // On the ground, or on a base that floats.
    explicit Mechanism(int n) : body(n, 0.0, btVector3(0, 0, 0), true, false), weight(n)
    {
    }
    Mechanism(int n, const peer_link &base)
        : body(n, base.mass, btVector3(base.moments[0], base.moments[1], base.moments[2]), false,
               false),
          weight(n)
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

// Link k is number k - first of the body: what floats is no link.
void add_link(btMultiBody &body, int k, const peer_link *links, int first)
{
    const peer_link &link = links[k];
    const btMatrix3x3 out = matrix(link.axes).transpose(); // into the principal axes
    btMatrix3x3 axes = btMatrix3x3::getIdentity();         // those of the predecessor
    btVector3 com(0, 0, 0);
    if (link.below >= 0) {
        axes = matrix(links[link.below].axes);
        com = vector(links[link.below].com);
    }
    body.setupRevolute(k - first, link.mass, vector(link.moments), link.below - first,
                       quaternion(out * matrix(link.R).transpose() * axes),
                       out * btVector3(0, 0, 1), axes.transpose() * (vector(link.d) - com),
                       out * vector(link.com), true);
}

void *create(int n, const peer_link *links, const double gravity[3], bool floating)
{
    const int first = floating ? 1 : 0;
    auto *m = floating ? new Mechanism(n - 1, links[0]) : new Mechanism(n);
    if (floating)
        m->base_weight = links[0].mass * vector(gravity);
    for (int k = first; k < n; k++) {
        add_link(m->body, k, links, first);
        m->weight[k - first] = links[k].mass * vector(gravity);
    }
    m->body.finalizeMultiDof();
    m->body.setLinearDamping(0.0);
    m->body.setAngularDamping(0.0);
    m->body.setUseGyroTerm(true);
    m->body.setMaxCoordinateVelocity(1e300);
    return m;
}

// New velocities after a time h with the accelerations of this state.
void kick(Mechanism *m, double h)
{
    m->body.clearForcesAndTorques();
    m->body.addBaseForce(m->base_weight);
    for (int k = 0; k < m->body.getNumLinks(); k++)
        m->body.addLinkForce(k, m->weight[k]);
    m->body.computeAccelerationsArticulatedBodyAlgorithmMultiDof(h, m->scratch_r, m->scratch_v,
                                                                 m->scratch_m, false, false, false);
}

void run(void *self, const double *q, const double *v, double *a)
{
    auto *m = static_cast<Mechanism *>(self);
    const int n = m->body.getNumLinks();
    for (int k = 0; k < n; k++) {
        m->body.setJointPos(k, q[k]);
        m->body.setJointVel(k, v[k]);
    }
    kick(m, 1.0);
    for (int k = 0; k < n; k++)
        a[k] = m->body.getJointVel(k) - v[k];
}

void start(void *self, const double *q, const double *v)
{
    auto *m = static_cast<Mechanism *>(self);
    m->body.setBasePos(btVector3(0, 0, 0));
    m->body.setWorldToBaseRot(btQuaternion::getIdentity());
    m->body.setBaseVel(btVector3(0, 0, 0));
    m->body.setBaseOmega(btVector3(0, 0, 0));
    for (int k = 0; k < m->body.getNumLinks(); k++) {
        m->body.setJointPos(k, q[k]);
        m->body.setJointVel(k, v[k]);
    }
}

void travel(void *self, int, double t_end, double effort)
{
    auto *m = static_cast<Mechanism *>(self);
    const long steps = std::lround(t_end / effort);
    const double h = t_end / static_cast<double>(steps);
    for (long i = 0; i < steps; i++) {
        kick(m, h);
        m->body.stepPositionsMultiDof(h);
    }
}

void angles(void *self, double *q)
{
    const auto *m = static_cast<Mechanism *>(self);
    for (int k = 0; k < m->body.getNumLinks(); k++)
        q[k] = m->body.getJointPos(k);
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

const peer peer_bullet = {
    "bullet", version, 10000,  10000,  "its work space has N^2 numbers", create, run,
    destroy,  start,   travel, angles, {{"semi-implicit Euler", false}}};
