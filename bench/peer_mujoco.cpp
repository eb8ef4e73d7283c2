// SPDX-License-Identifier: MIT
//
// MuJoCo: a model in its own language, compiled by it, and mj_forward with contacts and constraints
// off. It factors the mass matrix, which for a chain is full.

#include "peers.h"

#include <mujoco/mujoco.h>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace
{

struct Mechanism {
    mjModel *model;
    mjData *data;
};

void say(std::string &text, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    std::vsnprintf(line, sizeof line, format, args);
    va_end(args);
    text += line;
}

// Axes as the two directions that MuJoCo asks for.
void say_axes(std::string &text, const double A[3][3])
{
    say(text, " xyaxes='%.17g %.17g %.17g %.17g %.17g %.17g'", A[0][0], A[1][0], A[2][0], A[0][1],
        A[1][1], A[2][1]);
}

// The reader takes a hundred elements in each other. Bodies that stand on more of them than this
// are in files of their own, which the body below includes.
constexpr size_t DEEP = 60;

std::string name_of(size_t file)
{
    return std::to_string(file) + ".xml";
}

void describe_body(std::string &text, const peer_link &b, bool floating)
{
    say(text, "<body pos='%.17g %.17g %.17g'", b.d[0], b.d[1], b.d[2]);
    say_axes(text, b.R);
    say(text, "><inertial mass='%.17g' pos='%.17g %.17g %.17g'", b.mass, b.com[0], b.com[1],
        b.com[2]);
    say_axes(text, b.axes);
    say(text, " diaginertia='%.17g %.17g %.17g'/>", b.moments[0], b.moments[1], b.moments[2]);
    text += floating ? "<freejoint/>" : "<joint type='hinge' axis='0 0 1'/>";
}

std::vector<std::string> describe(int n, const peer_link *links, const double gravity[3],
                                  bool floating)
{
    struct Open { // a body that the next one may stand on
        int link;
        size_t file;
        bool first; // in its file
    };
    std::vector<Open> open;
    std::vector<std::string> files(1);
    const auto close = [&] {
        files[open.back().file] += open.back().first ? "</body></mujoco>" : "</body>";
        open.pop_back();
    };
    say(files[0],
        "<mujoco><compiler angle='radian'/>"
        "<option gravity='%.17g %.17g %.17g'><flag contact='disable' constraint='disable'/>"
        "</option><worldbody>",
        gravity[0], gravity[1], gravity[2]);
    for (int k = 0; k < n; k++) {
        while (!open.empty() && open.back().link != links[k].below)
            close();
        size_t file = open.empty() ? 0 : open.back().file;
        const bool first = !open.empty() && open.size() % DEEP == 0;
        if (first) {
            files[file] += "<include file='" + name_of(files.size()) + "'/>";
            file = files.size();
            files.push_back("<mujoco>");
        }
        describe_body(files[file], links[k], floating && k == 0);
        open.push_back({k, file, first});
    }
    while (!open.empty())
        close();
    files[0] += "</worldbody></mujoco>";
    return files;
}

mjModel *compile(const std::vector<std::string> &texts)
{
    auto *files = new mjVFS;
    mj_defaultVFS(files);
    char error[1000] = "no memory";
    bool stored = true;
    for (size_t i = 0; i < texts.size() && stored; i++) {
        const int size = static_cast<int>(texts[i].size());
        stored = mj_makeEmptyFileVFS(files, name_of(i).c_str(), size) == 0;
        if (stored)
            std::memcpy(files->filedata[i], texts[i].data(), texts[i].size());
    }
    mjModel *model = stored ? mj_loadXML("0.xml", files, error, sizeof error) : nullptr;
    if (!model)
        std::fprintf(stderr, "MuJoCo: %s\n", error);
    mj_deleteVFS(files);
    delete files;
    return model;
}

// Steps that are too long blow up, which the one who runs them sees in the angles.
void say_nothing(const char *)
{
}

void *create(int n, const peer_link *links, const double gravity[3], bool floating)
{
    mju_user_warning = say_nothing;
    mjModel *model = compile(describe(n, links, gravity, floating));
    return model ? new Mechanism{model, mj_makeData(model)} : nullptr;
}

void run(void *self, const double *q, const double *v, double *a)
{
    const auto *m = static_cast<Mechanism *>(self);
    const size_t size = sizeof(double) * static_cast<size_t>(m->model->nv);
    std::memcpy(m->data->qpos, q, size);
    std::memcpy(m->data->qvel, v, size);
    mj_forward(m->model, m->data);
    std::memcpy(a, m->data->qacc, size);
}

// Joints come last, after 7 coordinates and 6 velocities of what floats.
void start(void *self, const double *q, const double *v)
{
    const auto *m = static_cast<Mechanism *>(self);
    const int nq = m->model->nq > m->model->nv ? 7 : 0, nv = nq > 0 ? 6 : 0;
    mj_resetData(m->model, m->data);
    for (int i = nv; i < m->model->nv; i++) {
        m->data->qpos[nq + i - nv] = q[i - nv];
        m->data->qvel[i] = v[i - nv];
    }
}

void travel(void *self, int method, double t_end, double effort)
{
    const auto *m = static_cast<Mechanism *>(self);
    const long steps = std::lround(t_end / effort);
    m->model->opt.timestep = t_end / static_cast<double>(steps);
    m->model->opt.integrator = method == 0 ? mjINT_RK4 : mjINT_EULER;
    for (long i = 0; i < steps; i++)
        mj_step(m->model, m->data);
}

void angles(void *self, double *q)
{
    const auto *m = static_cast<Mechanism *>(self);
    for (int i = m->model->nq > m->model->nv ? 7 : 0; i < m->model->nq; i++)
        *q++ = m->data->qpos[i];
}

void destroy(void *self)
{
    auto *m = static_cast<Mechanism *>(self);
    mj_deleteData(m->data);
    mj_deleteModel(m->model);
    delete m;
}

const char *version()
{
    return mj_versionString();
}

} // namespace

const peer peer_mujoco = {"mujoco",
                          version,
                          1000,
                          10000,
                          "the mass matrix of a chain is full, trees take N^2 to build",
                          create,
                          run,
                          destroy,
                          start,
                          travel,
                          angles,
                          {{"RK4", false}, {"semi-implicit Euler", false}}};
