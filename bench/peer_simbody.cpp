// SPDX-License-Identifier: MIT
//
// Simbody: pin mobilizers, accelerations by realizing the stage of that name. Debian's package is
// built without NDEBUG, on which the layout of its classes depends, so this file is too.

#include "peers.h"

#include <Simbody.h>

#include <cstdio>
#include <exception>
#include <string>

using namespace SimTK;

namespace
{

struct Mechanism {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    State state;
    bool floating = false;
};

Transform seat(const peer_link &link)
{
    Mat33 R;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R(i, j) = link.R[i][j];
    return Transform(Rotation(R), Vec3(link.d[0], link.d[1], link.d[2]));
}

Body::Rigid body(const peer_link &link)
{
    const Vec3 com(link.com[0], link.com[1], link.com[2]);
    const double *I = link.inertia;
    const Inertia central(Vec3(I[0], I[1], I[2]), Vec3(I[3], I[4], I[5]));
    return Body::Rigid(MassProperties(link.mass, com, central.shiftFromMassCenter(com, link.mass)));
}

void *create(int n, const peer_link *links, const double gravity[3], bool floating)
{
    try {
        auto *m = new Mechanism;
        m->floating = floating;
        Force::UniformGravity(m->forces, m->matter, Vec3(gravity[0], gravity[1], gravity[2]));
        for (int k = 0; k < n; k++) { // body 0 is the ground
            MobilizedBody &below =
                m->matter.updMobilizedBody(MobilizedBodyIndex(links[k].below + 1));
            if (floating && k == 0)
                MobilizedBody::Free(below, seat(links[k]), body(links[k]), Transform());
            else
                MobilizedBody::Pin(below, seat(links[k]), body(links[k]), Transform());
        }
        m->system.realizeTopology();
        m->state = m->system.getDefaultState();
        m->system.realizeModel(m->state);
        return m;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "Simbody: %s\n", e.what());
        return nullptr;
    }
}

void run(void *self, const double *q, const double *v, double *a)
{
    auto *m = static_cast<Mechanism *>(self);
    const int n = m->state.getNQ();
    Vector &Q = m->state.updQ(), &U = m->state.updU();
    for (int i = 0; i < n; i++) {
        Q[i] = q[i];
        U[i] = v[i];
    }
    m->system.realize(m->state, Stage::Acceleration);
    const Vector &udot = m->state.getUDot();
    for (int i = 0; i < n; i++)
        a[i] = udot[i];
}

void start(void *self, const double *q, const double *v)
{
    auto *m = static_cast<Mechanism *>(self);
    m->state = m->system.getDefaultState();
    m->system.realizeModel(m->state);
    m->state.setTime(0.0);
    const int nq = m->floating ? 7 : 0, nu = m->floating ? 6 : 0;
    Vector &Q = m->state.updQ(), &U = m->state.updU();
    for (int i = nu; i < U.size(); i++) {
        Q[nq + i - nu] = q[i - nu];
        U[i] = v[i - nu];
    }
}

void go(Mechanism *m, Integrator &method, double t_end)
{
    method.setFinalTime(t_end);
    method.initialize(m->state);
    while (method.getTime() < t_end)
        method.stepTo(t_end);
    m->state = method.getState();
}

void travel(void *self, int method, double t_end, double effort)
{
    auto *m = static_cast<Mechanism *>(self);
    try {
        if (method == 0) {
            RungeKuttaMersonIntegrator merson(m->system);
            merson.setAccuracy(effort);
            go(m, merson, t_end);
        } else {
            SemiExplicitEulerIntegrator euler(m->system, effort);
            go(m, euler, t_end);
        }
    } catch (const std::exception &) { // a step that is too long
        m->state.updQ() = NaN;
    }
}

void angles(void *self, double *q)
{
    const auto *m = static_cast<Mechanism *>(self);
    const Vector &Q = m->state.getQ();
    for (int i = m->floating ? 7 : 0; i < Q.size(); i++)
        *q++ = Q[i];
}

void destroy(void *self)
{
    delete static_cast<Mechanism *>(self);
}

const char *version()
{
    static std::string text;
    int major = 0, minor = 0, build = 0;
    SimTK_version_simbody(&major, &minor, &build);
    text = std::to_string(major) + "." + std::to_string(minor);
    return text.c_str();
}

} // namespace

const peer peer_simbody = {"simbody",
                           version,
                           100000,
                           1000000,
                           "building a chain takes N^2 operations",
                           create,
                           run,
                           destroy,
                           start,
                           travel,
                           angles,
                           {{"Runge-Kutta-Merson", true}, {"semi-explicit Euler", false}}};
