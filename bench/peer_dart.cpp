// SPDX-License-Identifier: MIT
//
// DART: a skeleton of revolute joints, Skeleton::computeForwardDynamics.

#include "peers.h"

#include <dart/config.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include <string>

namespace
{

using namespace dart::dynamics;

struct Mechanism {
    SkeletonPtr skeleton;
};

Eigen::Vector3d vector(const double a[3])
{
    return Eigen::Vector3d(a[0], a[1], a[2]);
}

void add_link(const SkeletonPtr &skeleton, const peer_link &link, int k)
{
    RevoluteJoint::Properties joint;
    joint.mName = "joint" + std::to_string(k);
    joint.mAxis = Eigen::Vector3d::UnitZ();
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
    skeleton->createJointAndBodyNodePair<RevoluteJoint>(below, joint, body);
}

void *create(int n, const peer_link *links, const double gravity[3])
{
    auto *m = new Mechanism{Skeleton::create()};
    m->skeleton->setGravity(vector(gravity));
    for (int k = 0; k < n; k++)
        add_link(m->skeleton, links[k], k);
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

void destroy(void *self)
{
    delete static_cast<Mechanism *>(self);
}

const char *version()
{
    return DART_VERSION;
}

} // namespace

const peer peer_dart = {"dart", version, 1000,   1000, "10^4 bodies take minutes to build",
                        create, run,     destroy};
