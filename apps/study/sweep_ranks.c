// SPDX-License-Identifier: MIT
//
// A sweep on ranks of MPI: rank 0 hands out cases and writes, the others run one case after the
// other, each in a process of its own as workers of one machine do. MPI itself is in a module that
// is loaded here (ranks_module.h).
//
// MPI waits by looking again and again, which takes a core from those that work: who waits here
// checks, and sleeps between for a while that doubles up to a millisecond.

#define _GNU_SOURCE // dladdr
#include "base/alloc.h"
#include "result/ranks_module.h"
#include "study/sweep_parts.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct sweep_ranks {
    const tn_ranks_module *mpi;
    int rank, count;
    bool agreed;    // all are ready and have the same sweep
    bool dismissed; // the others know that there is no more, or were never needed
    bool broken;    // ranks may be gone: no orderly end
};

enum { END = -1 };                                    // no case: the last message to a rank
enum { SHORTEST_NAP = 20000, LONGEST_NAP = 1000000 }; // [ns]

static void nap(long *length)
{
    const struct timespec t = {0, *length};
    nanosleep(&t, NULL);
    *length = 2 * *length < LONGEST_NAP ? 2 * *length : LONGEST_NAP;
}

// Start under MPI --------------------------------------------------------------------------------

static int whole_number(const char *name)
{
    const char *text = getenv(name);
    char *end = NULL;
    const long n = text && *text ? strtol(text, &end, 10) : -1;
    return end && !*end && n >= 0 && n < 1 << 30 ? (int)n : -1;
}

bool tn_ranks_here(int *rank, int *count)
{
    static const char *const names[][2] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, // Open MPI
        {"PMI_RANK", "PMI_SIZE"},                         // MPICH, Intel MPI, Slurm
        {"PMIX_RANK", "PMIX_SIZE"},                       // which states no size
    };
    for (int i = 0; i < TN_COUNT(names); i++) {
        const int r = whole_number(names[i][0]), n = whole_number(names[i][1]);
        if (r < 0)
            continue;
        if (rank)
            *rank = r;
        if (count)
            *count = n;
        return n != 1;
    }
    return false;
}

// The module -------------------------------------------------------------------------------------

// Libraries that MPI loads by itself look for its symbols among those of all.
static void *open_beside(const char *folder, size_t length)
{
    static const char *const places[] = {"%.*s/" TN_RANKS_FILE, "%.*s/tenon/" TN_RANKS_FILE};
    void *found = NULL;
    for (int i = 0; i < TN_COUNT(places) && !found; i++) {
        char *path = tn_format(places[i], (int)length, folder);
        if (path && access(path, R_OK) == 0)
            found = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        tn_free(path);
    }
    return found;
}

static tn_status load_module(const tn_ranks_module **out)
{
    static const char here = 0; // in the same file as this function
    Dl_info self = {0};
    dlerror();
    const char *path = dladdr(&here, &self) && self.dli_fname ? self.dli_fname : "";
    const char *end = strrchr(path, '/');
    void *module = open_beside(end ? path : ".", end ? (size_t)(end - path) : 1);
    if (!module) {
        const char *why = dlerror();
        return why ? tn_fail(TN_ERR_USAGE, "cannot load the module for MPI: %s", why)
                   : tn_fail(TN_ERR_USAGE,
                             "mpirun has started several ranks, and this Tenon was built without "
                             "MPI: install the package tenon-mpi, or libopenmpi-dev and build it "
                             "again, or share the cases "
                             "out by --shard I/N; --jobs N uses the processors of one machine");
    }
    *out = dlsym(module, TN_RANKS_MODULE);
    return *out && (*out)->version == TN_RANKS_VERSION
               ? TN_OK
               : tn_fail(TN_ERR_USAGE, TN_RANKS_FILE " beside libtenon is of another version");
}

tn_status tn_sweep_join_ranks(tn_sweep *sweep)
{
    int said = -1;
    if (sweep->wanted.jobs > 1)
        return tn_fail(TN_ERR_USAGE, "every rank of mpirun is one worker: leave out --jobs and "
                                     "state mpirun -n for more of them");
    sweep_ranks *r = tn_alloc(sizeof *r);
    TN_TRY(tn_got(r));
    tn_status s = load_module(&r->mpi);
    if (s == TN_OK && !r->mpi->join(&r->rank, &r->count))
        s = tn_fail(TN_ERR_USAGE, "MPI does not begin");
    if (s != TN_OK) {
        tn_free(r);
        return s;
    }
    sweep->ranks = r;
    tn_ranks_here(NULL, &said);
    if (r->count > 1 || said <= 1)
        return TN_OK;
    r->dismissed = true;
    return tn_fail(TN_ERR_USAGE,
                   "mpirun has started %d ranks, but the MPI that Tenon was built with sees one: "
                   "use the mpirun of that MPI",
                   said);
}

// Being ready ------------------------------------------------------------------------------------

// Message that a rank sends about itself before it begins.
typedef struct hello {
    uint32_t key; // of the sweep as it has read it
    int32_t status;
    char host[64], sentence[480];
} hello;

static tn_status judge(const sweep_ranks *r, const hello *all)
{
    for (int i = 0; i < r->count; i++) {
        const hello *h = &all[i];
        if (h->status != TN_OK)
            return i == 0 ? (tn_status)h->status
                          : tn_fail((tn_status)h->status, "rank %d on %s: %s", i, h->host,
                                    h->sentence);
        if (h->key != all[0].key)
            return tn_fail(TN_ERR_USAGE,
                           "rank %d on %s has another model, data file or Tenon than rank 0 on %s: "
                           "all ranks read the same files by the same paths",
                           i, h->host, all[0].host);
    }
    return TN_OK;
}

tn_status tn_sweep_agree(tn_sweep *sweep, tn_status prepared)
{
    sweep_ranks *r = sweep->ranks;
    hello mine = {.key = sweep->key, .status = prepared};
    hello *all = r->rank == 0 ? tn_alloc(sizeof *all * (size_t)r->count) : NULL;
    int32_t verdict = prepared;
    gethostname(mine.host, sizeof mine.host - 1);
    snprintf(mine.sentence, sizeof mine.sentence, "%s", prepared != TN_OK ? tn_last_error() : "");
    if (r->rank == 0 && !all) {
        r->broken = true;
        return tn_got(false);
    }
    bool well = r->mpi->gather(&mine, sizeof mine, all);
    if (r->rank == 0 && well)
        verdict = judge(r, all);
    tn_free(all);
    well = well && r->mpi->broadcast(&verdict, sizeof verdict);
    r->agreed = well && verdict == TN_OK;
    r->broken = !well;
    if (!well)
        return tn_fail(TN_ERR_USAGE, "ranks cannot speak with each other");
    if (r->rank > 0 && verdict != TN_OK && prepared == TN_OK)
        return tn_fail((tn_status)verdict, "rank 0 says what is wrong");
    return (tn_status)verdict;
}

int tn_sweep_rank(const tn_sweep *sweep)
{
    TN_NEED(sweep, 0);
    return sweep->ranks ? sweep->ranks->rank : 0;
}

// Messages ---------------------------------------------------------------------------------------

// To a rank: the number of a case. From a rank: the record of the case.
static tn_status mpi_failed(sweep_ranks *r, const char *what)
{
    r->broken = true;
    return tn_fail(TN_ERR_FILE, "MPI cannot %s; the same command goes on from what is kept", what);
}

// Rank 0 -----------------------------------------------------------------------------------------

typedef struct leader {
    sweep_pool pool; // worker i is rank i + 1
    long pause;
} leader;

static tn_status give_rank(sweep_pool *p, int i, int64_t index)
{
    sweep_ranks *r = p->queue.sweep->ranks;
    return r->mpi->send(i + 1, &index, sizeof index) ? TN_OK : mpi_failed(r, "hand out a case");
}

static tn_status take_result(sweep_pool *p, int *i, sweep_ended *ended)
{
    leader *l = (leader *)p;
    tn_sweep *s = p->queue.sweep;
    const int n = s->outputs.count;
    if (!s->ranks->mpi->receive(i, s->record, tn_sweep_record_size(n)))
        return mpi_failed(s->ranks, "take a result");
    if (--*i < 0) {
        nap(&l->pause);
        return TN_OK;
    }
    l->pause = SHORTEST_NAP;
    return tn_sweep_unpack(s->record, n, ended) ? TN_OK : mpi_failed(s->ranks, "take a result");
}

static bool dismiss(sweep_ranks *r)
{
    const int64_t end = END;
    bool well = true;
    for (int i = 1; i < r->count; i++)
        well = r->mpi->send(i, &end, sizeof end) && well;
    r->dismissed = true;
    return well;
}

static tn_status run_as_leader(tn_sweep *sweep)
{
    sweep_ranks *r = sweep->ranks;
    leader l = {
        .pool = {tn_sweep_queue(sweep), r->count - 1, .give = give_rank, .take = take_result},
        .pause = SHORTEST_NAP};
    tn_status s = tn_sweep_work_off(&l.pool);
    if (s != TN_OK) // whoever has a case would go on with it
        r->broken = true;
    else if (!dismiss(r))
        s = mpi_failed(r, "end a rank");
    return s;
}

// Other ranks ------------------------------------------------------------------------------------

static tn_status run_one(tn_sweep *sweep, tn_child *w, int64_t index)
{
    sweep_ended ended = {.values = sweep->values};
    const int n = sweep->outputs.count;
    TN_TRY(tn_sweep_worker_give(sweep, w, index));
    tn_sweep_worker_take(sweep, w, &ended);
    tn_sweep_pack(&ended, n, sweep->record);
    return sweep->ranks->mpi->send(0, sweep->record, tn_sweep_record_size(n))
               ? TN_OK
               : mpi_failed(sweep->ranks, "send a result");
}

static tn_status follow(tn_sweep *sweep, tn_child *w)
{
    long pause = SHORTEST_NAP;
    for (;;) {
        int64_t index = END;
        int from;
        if (!sweep->ranks->mpi->receive(&from, &index, sizeof index))
            return mpi_failed(sweep->ranks, "get a case");
        if (from >= 0 && index == END)
            return TN_OK;
        if (from >= 0) {
            TN_TRY(run_one(sweep, w, index));
            pause = SHORTEST_NAP;
        } else {
            nap(&pause);
        }
    }
}

static tn_status run_as_follower(tn_sweep *sweep)
{
    tn_child w = {.socket = -1};
    const tn_status s = follow(sweep, &w);
    tn_child_end(&w, s != TN_OK, NULL, 0);
    sweep->ranks->broken |= s != TN_OK;
    return s;
}

tn_status tn_sweep_run_with_ranks(tn_sweep *sweep)
{
    if (sweep->ranks->dismissed)
        return tn_fail(TN_ERR_USAGE, "ranks of MPI run a sweep once: the others have ended");
    return sweep->ranks->rank == 0 ? run_as_leader(sweep) : run_as_follower(sweep);
}

void tn_sweep_leave_ranks(sweep_ranks *r)
{
    if (!r)
        return;
    if (r->agreed && r->rank == 0 && !r->dismissed && !r->broken)
        r->broken = !dismiss(r);
    r->mpi->leave(!r->broken);
    tn_free(r);
}
