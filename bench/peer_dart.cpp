// SPDX-License-Identifier: MIT
//
// DART: a skeleton of revolute joints, Skeleton::computeForwardDynamics.

#include "peers.h"

#include <dart/config.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include <cmath>
#include <string>

namespace
{

using namespace dart::dynamics;

struct Mechanism {
    SkeletonPtr skeleton;
    int floating; // velocities of what floats
};

Eigen::Vector3d vector(const double a[3])
{
    return Eigen::Vector3d(a[0], a[1], a[2]);
}

template <class Kind>
void add_link(const SkeletonPtr &skeleton, const peer_link &link, int k,
              typename Kind::Properties joint)
{
    joint.mName = "joint" + std::to_string(k);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            joint.mT_ParentBodyToJoint.linear()(i, j) = link.R[i][j];
    joint.mT_ParentBodyToJoint.translation() = vector(link.d);
    BodyNode::Properties body;
    body.mName = "body" + std::to_string(k);
    const double *I = link.inertia;
    body.mInertia.setMass(link.mass);
    body.mInertia.setLocalCOM(vector(link.com));
    body.mInertia.setMoment(I[0], I[1], I[2], I[3], I[4], I[5]);
    BodyNode *below = link.below < 0 ? nullptr : skeleton->getBodyNode(link.below);
    skeleton->createJointAndBodyNodePair<Kind>(below, joint, body);
}

void *create(int n, const peer_link *links, const double gravity[3], bool floating)
{
    auto *m = new Mechanism{Skeleton::create(), floating ? 6 : 0};
    RevoluteJoint::Properties pin;
    pin.mAxis = Eigen::Vector3d::UnitZ();
    m->skeleton->setGravity(vector(gravity));
    for (int k = 0; k < n; k++)
        if (floating && k == 0)
            add_link<FreeJoint>(m->skeleton, links[k], k, {});
        else
            add_link<RevoluteJoint>(m->skeleton, links[k], k, pin);
    return m;
}

void run(void *self, const double *q, const double *v, double *a)
{
    const SkeletonPtr &s = static_cast<Mechanism *>(self)->skeleton;
    const int n = static_cast<int>(s->getNumDofs());
    s->setPositions(Eigen::Map<const Eigen::VectorXd>(q, n));
    s->setVelocities(Eigen::Map<const Eigen::VectorXd>(v, n));
    s->computeForwardDynamics();
    Eigen::Map<Eigen::VectorXd>(a, n) = s->getAccelerations();
}

void start(void *self, const double *q, const double *v)
{
    const auto *m = static_cast<Mechanism *>(self);
    const int n = static_cast<int>(m->skeleton->getNumDofs()), first = m->floating;
    Eigen::VectorXd Q = Eigen::VectorXd::Zero(n), U = Q;
    Q.tail(n - first) = Eigen::Map<const Eigen::VectorXd>(q, n - first);
    U.tail(n - first) = Eigen::Map<const Eigen::VectorXd>(v, n - first);
    m->skeleton->setPositions(Q);
    m->skeleton->setVelocities(U);
}

// The step of its World without contacts.
void travel(void *self, int, double t_end, double effort)
{
    const SkeletonPtr &s = static_cast<Mechanism *>(self)->skeleton;
    const long steps = std::lround(t_end / effort);
    const double h = t_end / static_cast<double>(steps);
    for (long i = 0; i < steps; i++) {
        s->computeForwardDynamics();
        s->integrateVelocities(h);
        if (!(s->getVelocities().norm() < 1e6)) // it would end the program
            return;
        s->integratePositions(h);
    }
}

void angles(void *self, double *q)
{
    const auto *m = static_cast<Mechanism *>(self);
    const Eigen::VectorXd Q = m->skeleton->getPositions();
    for (int i = m->floating; i < Q.size(); i++)
        *q++ = Q[i];
}

void destroy(void *self)
{
    delete static_cast<Mechanism *>(self);
}

const char *version()
{
    return DART_VERSION;
}

} // namespace

const peer peer_dart = {
    "dart",  version, 1000,   1000,   "10^4 bodies take minutes to build", create, run,
    destroy, start,   travel, angles, {{"semi-implicit Euler", false}}};
