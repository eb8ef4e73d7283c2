// SPDX-License-Identifier: MIT
//
// Parts that are present or missing; see tenon/doctor.h. One table lists all parts, each with the
// function that finds it.

#define _GNU_SOURCE // dladdr, dlinfo

#include "tenon/doctor.h"

#include "base/status.h"
#include "result/ranks_module.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <yaml.h>

typedef struct part part;
struct part {
    const char *kind, *name, *purpose, *package;
    bool needed;
    bool left_out;                                 // of this build
    bool (*look)(const part *p, char *to, size_t); // NULL: it is in the build
    const char *file;                              // of a library, a program or a module of Python
    const char *symbol;                            // of a library: the symbol of its version
    void (*version)(void *symbol, char *to, size_t);
};

// The machine -------------------------------------------------------------------------------------

static bool look_processors(const part *p, char *to, size_t size)
{
    (void)p;
    const char *blas = getenv("OPENBLAS_NUM_THREADS");
    snprintf(to, size, "%ld%s%s", sysconf(_SC_NPROCESSORS_ONLN),
             blas ? "; OPENBLAS_NUM_THREADS=" : "", blas ? blas : "");
    return true;
}

static bool look_memory(const part *p, char *to, size_t size)
{
    (void)p;
    struct rlimit limit;
    const double page = (double)sysconf(_SC_PAGESIZE) / 1e9;
    const int n =
        snprintf(to, size, "%.1f GB, %.1f GB of them free", page * (double)sysconf(_SC_PHYS_PAGES),
                 page * (double)sysconf(_SC_AVPHYS_PAGES));
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && n > 0)
        snprintf(to + n, size - (size_t)n, "; ulimit -v allows %.1f GB",
                 (double)limit.rlim_cur / 1e9);
    return true;
}

// Libraries ---------------------------------------------------------------------------------------

static void text_version(void *symbol, char *to, size_t size) // const char *f(void)
{
    const char *(*f)(void) = NULL;
    memcpy(&f, &symbol, sizeof f);
    snprintf(to, size, "%s", f());
}

static void sundials_version(void *symbol, char *to, size_t size) // int f(char *, int)
{
    int (*f)(char *, int) = NULL;
    memcpy(&f, &symbol, sizeof f);
    if (f(to, (int)size) != 0)
        *to = '\0';
}

static void numbers_version(void *symbol, char *to, size_t size) // int f(int [3])
{
    int (*f)(int *) = NULL, v[3] = {0};
    memcpy(&f, &symbol, sizeof f);
    f(v);
    snprintf(to, size, "%d.%d.%d", v[0], v[1], v[2]);
}

static void hdf5_version(void *symbol, char *to, size_t size)
{
    int (*f)(unsigned *, unsigned *, unsigned *) = NULL;
    unsigned v[3] = {0};
    memcpy(&f, &symbol, sizeof f);
    f(&v[0], &v[1], &v[2]);
    snprintf(to, size, "%u.%u.%u", v[0], v[1], v[2]);
}

static void yaml_version(void *symbol, char *to, size_t size)
{
    (void)symbol;
    snprintf(to, size, "%s", yaml_get_version_string());
}

// The place that the loader found, with what links point to: it often ends in the version.
static void library_place(void *handle, char *to, size_t size)
{
    struct link_map *map = NULL;
    *to = '\0';
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map || !*map->l_name)
        return;
    char *real = realpath(map->l_name, NULL);
    snprintf(to, size, "%s", real ? real : map->l_name);
    free(real);
}

// If functions are linked as usual p->file is empty: the program could not have begun without them.
static bool look_library(const part *p, char *to, size_t size)
{
    char version[100] = "", place[160] = "";
    void *handle = *p->file ? dlopen(p->file, RTLD_LAZY | RTLD_LOCAL) : dlopen(NULL, RTLD_LAZY);
    if (!handle) {
        const char *why = dlerror();
        snprintf(to, size, "%s", why ? why : p->file);
        return false;
    }
    void *symbol = p->symbol ? dlsym(handle, p->symbol) : NULL;
    if (p->version && (symbol || !p->symbol))
        p->version(symbol, version, sizeof version);
    version[strcspn(version, "\n")] = '\0';
    library_place(handle, place, sizeof place);
    snprintf(to, size, "%s%s%s", version, *version && *place ? ", " : "",
             *place ? place : (*version ? "" : "linked"));
    return true;
}

// A module that the processes of mpirun load, beside libtenon.
static bool look_module(const part *p, char *to, size_t size)
{
    static const char *const places[] = {"%.*s/%s", "%.*s/tenon/%s"};
    static const char here = 0; // in the same file as this function
    Dl_info self = {0};
    const char *path = dladdr(&here, &self) && self.dli_fname ? self.dli_fname : "";
    const char *end = strrchr(path, '/');
    for (int i = 0; i < TN_COUNT(places); i++) {
        snprintf(to, size, places[i], end ? (int)(end - path) : 1, end ? path : ".", p->file);
        if (access(to, R_OK) == 0)
            return true;
    }
    snprintf(to, size, "no %s beside libtenon", p->file);
    return false;
}

// Programs ----------------------------------------------------------------------------------------

// The first of several names, with | between, that PATH leads to.
static bool look_program(const part *p, char *to, size_t size)
{
    const char *path = getenv("PATH");
    for (const char *name = p->file; *name; name += *name == '|') {
        const int length = (int)strcspn(name, "|");
        for (const char *folder = path ? path : ""; *folder; folder += *folder == ':') {
            const int n = (int)strcspn(folder, ":");
            snprintf(to, size, "%.*s/%.*s", n, folder, length, name);
            if (n > 0 && access(to, X_OK) == 0)
                return true;
            folder += n;
        }
        name += length;
    }
    snprintf(to, size, "not in PATH");
    return false;
}

// Versions of all packages that Python has of ours, one "name version" a line, asked for once.
static const char *python_packages(void)
{
    static char lines[1000];
    static bool asked;
    if (asked)
        return lines;
    asked = true;
    FILE *from = popen("python3 -c 'import importlib.metadata as m\n"
                       "for n in \"tenon numpy cffi pandas matplotlib\".split():\n"
                       "    try: print(n, m.version(n))\n"
                       "    except Exception: pass' 2>/dev/null </dev/null",
                       "r");
    const size_t n = from ? fread(lines, 1, sizeof lines - 1, from) : 0;
    lines[n] = '\0';
    if (from)
        pclose(from);
    return lines;
}

static bool look_python(const part *p, char *to, size_t size)
{
    const size_t n = strlen(p->file);
    for (const char *line = python_packages(); *line; line += *line == '\n') {
        const size_t length = strcspn(line, "\n");
        if (strncmp(line, p->file, n) == 0 && line[n] == ' ') {
            snprintf(to, size, "%.*s", (int)(length - n - 1), line + n + 1);
            return true;
        }
        line += length;
    }
    snprintf(to, size, "python3 has none");
    return false;
}

// The list ----------------------------------------------------------------------------------------

#ifdef TN_WITH_HDF5
enum { NO_HDF5 = false };
#else
enum { NO_HDF5 = true };
#endif
#ifdef TN_WITH_CAIRO
enum { NO_CAIRO = false };
#else
enum { NO_CAIRO = true };
#endif
#ifdef TN_WITH_HTTP
enum { NO_HTTP = false };
#else
enum { NO_HTTP = true };
#endif
#ifdef TN_WITH_WEB
enum { NO_WEB = false };
#else
enum { NO_WEB = true };
#endif

#define LIBRARY(what, of_purpose, of_package, of_file, tells, how, without)                  \
    {                                                                                        \
        .kind = "library", .name = (what), .purpose = (of_purpose), .package = (of_package), \
        .needed = true, .look = look_library, .file = (of_file), .symbol = (tells),          \
        .version = (how), .left_out = (without)                                              \
    }
#define FOUND(of_kind, what, of_purpose, of_package, how, of_file)                           \
    {                                                                                        \
        .kind = (of_kind), .name = (what), .purpose = (of_purpose), .package = (of_package), \
        .look = (how), .file = (of_file)                                                     \
    }

static const part parts[] = {
    FOUND("machine", "processors", "sweeps, comparisons and threads", "", look_processors, NULL),
    FOUND("machine", "memory", "large models", "", look_memory, NULL),
    {.kind = "built in",
     .name = "pages",
     .purpose = "report, view and compare --report",
     .package = "nodejs npm",
     .left_out = NO_WEB},
    LIBRARY("libyaml", "model files", "libyaml-dev", "", NULL, yaml_version, false),
    LIBRARY("libxml2", "robots in URDF and MJCF", "libxml2-dev", TN_FILE_XML2, NULL, NULL, false),
    LIBRARY("OpenBLAS", "dense matrices", "libopenblas-dev", TN_FILE_OPENBLAS,
            "openblas_get_config", text_version, false),
    LIBRARY("LAPACKE", "dense matrices", "liblapacke-dev", TN_FILE_LAPACKE, NULL, NULL, false),
    LIBRARY("IDA of SUNDIALS", "the integrator bdf", "libsundials-dev", TN_FILE_IDA,
            "SUNDIALSGetVersion", sundials_version, false),
    LIBRARY("CVODE of SUNDIALS", "the integrator adams", "libsundials-dev", TN_FILE_CVODE,
            "SUNDIALSGetVersion", sundials_version, false),
    LIBRARY("CHOLMOD", "sparse matrices of large models", "libsuitesparse-dev", TN_FILE_CHOLMOD,
            "cholmod_version", numbers_version, false),
    LIBRARY("SuiteSparseQR", "ranks of large models", "libsuitesparse-dev", TN_FILE_SPQR, NULL,
            NULL, false),
    LIBRARY("ARPACK", "modes of large models", "libarpack2-dev", TN_FILE_ARPACK, NULL, NULL, false),
    LIBRARY("HDF5", "results as result.h5, tables of sweeps", "libhdf5-dev", TN_FILE_HDF5,
            "H5get_libversion", hdf5_version, NO_HDF5),
    LIBRARY("cairo", "plots as PNG and PDF", "libcairo2-dev", TN_FILE_CAIRO, "cairo_version_string",
            text_version, NO_CAIRO),
    LIBRARY("libmicrohttpd", "view and run --live", "libmicrohttpd-dev", TN_FILE_MICROHTTPD,
            "MHD_get_version", text_version, NO_HTTP),
    FOUND("library", "module for MPI", "sweeps on ranks of mpirun",
          "tenon-mpi, or libopenmpi-dev before it is built", look_module, TN_RANKS_FILE),
    FOUND("program", "mpirun", "sweeps on several machines", "openmpi-bin", look_program,
          "mpirun|mpiexec"),
    FOUND("program", "browser", "report and view open their pages in it", "chromium", look_program,
          "firefox|firefox-esr|chromium|chromium-browser|google-chrome|google-chrome-stable"),
    FOUND("program", "xdg-open", "view starts the browser by it", "xdg-utils", look_program,
          "xdg-open"),
    FOUND("program", "dot", "lays out pictures of check --graph", "graphviz", look_program, "dot"),
    FOUND("program", "python3", "the package tenon and notebooks", "python3", look_program,
          "python3"),
    FOUND("Python", "tenon", "import tenon: make python, or pip install", "", look_python, "tenon"),
    FOUND("Python", "numpy", "arrays of results; the package tenon needs it", "python3-numpy",
          look_python, "numpy"),
    FOUND("Python", "cffi", "the package tenon needs it", "python3-cffi", look_python, "cffi"),
    FOUND("Python", "pandas", "results as frames", "python3-pandas", look_python, "pandas"),
    FOUND("Python", "matplotlib", "plots of notebooks", "python3-matplotlib", look_python,
          "matplotlib"),
};

bool tn_doctor_check(int i, tn_equipment *out)
{
    TN_NEED(out, false);
    if (i < 0 || i >= TN_COUNT(parts))
        return false;
    const part *p = &parts[i];
    *out = (tn_equipment){.kind = p->kind,
                          .name = p->name,
                          .state = p->left_out ? TN_EQUIPMENT_LEFT_OUT : TN_EQUIPMENT_THERE,
                          .needed = p->needed && !p->left_out,
                          .purpose = p->purpose,
                          .package = p->package};
    if (!p->left_out && p->look && !p->look(p, out->found, sizeof out->found))
        out->state = TN_EQUIPMENT_MISSING;
    return true;
}
