// SPDX-License-Identifier: MIT
//
// Running cases. Workers are copies of this process, made when the model is read; each has one case
// and the next, so that it never waits, but for the last ones, which go to who is free: long ones
// hold up nobody. One that dies costs the case that it ran.

#include "base/alloc.h"
#include "base/workers.h"
#include "study/sweep_parts.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { LOOK_EVERY = 100 }; // [ms]

// A case whose process has died is run again when the sweep goes on: memory may have been short.
#define DIED "the process that ran it "

// The queue --------------------------------------------------------------------------------------

static int64_t our_cases(const tn_sweep *s)
{
    const int64_t n = s->sample.cases, shards = s->wanted.shards;
    return shards == 0 ? n : (n - s->wanted.shard + shards) / shards;
}

sweep_queue tn_sweep_queue(tn_sweep *sweep)
{
    return (sweep_queue){.sweep = sweep, .all = our_cases(sweep)};
}

tn_status tn_sweep_queue_next(sweep_queue *q, int64_t *out)
{
    tn_sweep *s = q->sweep;
    sweep_ended ended = {.values = s->values};
    for (*out = -1; q->next < s->sample.cases; q->next++) {
        if (!(s->wanted.shards == 0 || q->next % s->wanted.shards == s->wanted.shard - 1))
            continue;
        TN_TRY(tn_sweep_store_get(&s->store, q->next, &ended));
        if (ended.state == TN_CASE_MISSING || strncmp(ended.reason, DIED, strlen(DIED)) == 0) {
            *out = q->next++;
            return TN_OK;
        }
        q->ended++;
    }
    return TN_OK;
}

tn_status tn_sweep_queue_keep(sweep_queue *q, int64_t index, const sweep_ended *ended)
{
    const tn_sweep_options *w = &q->sweep->wanted;
    TN_TRY(tn_sweep_store_put(&q->sweep->store, index, ended));
    q->ended++;
    if (w->done)
        w->done(w->user, q->ended, q->all);
    return TN_OK;
}

tn_status tn_sweep_queue_heed(const sweep_queue *q)
{
    return atomic_load(&q->sweep->stop)
               ? tn_fail(TN_ERR_STOPPED, "stopped %safter %lld of %lld cases",
                         q->sweep->ranks ? "on request or as a rank has ended, " : "on request ",
                         (long long)q->ended, (long long)q->all)
               : TN_OK;
}

// A worker ---------------------------------------------------------------------------------------

static void work(int socket, void *user)
{
    tn_sweep *s = user;
    sweep_ended ended = {.values = s->values};
    int64_t index;
    while (tn_child_receive(socket, &index, sizeof index)) {
        tn_sweep_run_case(s, index, &ended);
        tn_sweep_pack(&ended, s->outputs.count, s->record);
        if (!tn_child_send(socket, s->record, tn_sweep_record_size(s->outputs.count)))
            return;
    }
}

tn_status tn_sweep_worker_give(tn_sweep *sweep, tn_child *w, int64_t index)
{
    if (w->pid == 0)
        TN_TRY(tn_child_start(work, sweep, w));
    (void)tn_child_send(w->socket, &index, sizeof index); // a failure shows at its end
    return TN_OK;
}

void tn_sweep_worker_take(tn_sweep *sweep, tn_child *w, sweep_ended *out)
{
    const int n = sweep->outputs.count;
    char how[100] = "";
    if (tn_child_receive(w->socket, sweep->record, tn_sweep_record_size(n)) &&
        tn_sweep_unpack(sweep->record, n, out))
        return;
    tn_child_end(w, true, how, sizeof how);
    out->state = TN_CASE_FAILED;
    for (int i = 0; i < n; i++)
        out->values[i] = NAN;
    snprintf(out->reason, sizeof out->reason, DIED "%s", *how ? how : "ended");
}

// Handing out ------------------------------------------------------------------------------------

// A worker has its next case while it runs one, but for the last cases of each.
enum { LAST = 4 };

static tn_status hand_out(sweep_pool *p, int i)
{
    sweep_hand *h = &p->hands[i];
    const int64_t left = p->queue.all - p->queue.ended - p->out;
    const int most = left > (int64_t)LAST * p->n ? SWEEP_AHEAD : 1;
    while (h->n < most) {
        TN_TRY(tn_sweep_queue_next(&p->queue, &h->index[h->n]));
        if (h->index[h->n] < 0)
            return TN_OK;
        p->out++;
        TN_TRY(p->give(p, i, h->index[h->n++]));
    }
    return TN_OK;
}

static tn_status take_answer(sweep_pool *p)
{
    sweep_ended ended = {.values = p->queue.sweep->values};
    int i;
    TN_TRY(tn_sweep_queue_heed(&p->queue));
    TN_TRY(p->take(p, &i, &ended));
    if (i < 0)
        return TN_OK;
    sweep_hand *h = &p->hands[i];
    const int64_t index = h->index[0];
    h->index[0] = h->index[1];
    h->n--;
    p->out--;
    TN_TRY(tn_sweep_queue_keep(&p->queue, index, &ended));
    return hand_out(p, i);
}

tn_status tn_sweep_work_off(sweep_pool *p)
{
    p->hands = tn_alloc(sizeof *p->hands * (size_t)(p->n + 1));
    tn_status s = tn_got(p->hands);
    for (int i = 0; i < p->n && s == TN_OK; i++)
        s = hand_out(p, i);
    while (p->out > 0 && s == TN_OK)
        s = take_answer(p);
    tn_free(p->hands);
    return s;
}

// Workers of this process ------------------------------------------------------------------------

typedef struct crew {
    sweep_pool pool;
    tn_child *workers;
    struct pollfd *polls;
} crew;

static tn_status give_worker(sweep_pool *p, int i, int64_t index)
{
    return tn_sweep_worker_give(p->queue.sweep, &((crew *)p)->workers[i], index);
}

// Takes an answer from any worker, or notes its end. Cases that a dead worker had waiting go to the
// one in its place.
static tn_status take_from_worker(sweep_pool *p, int *i, sweep_ended *ended)
{
    crew *c = (crew *)p;
    for (int k = 0; k < p->n; k++)
        c->polls[k] = (struct pollfd){p->hands[k].n ? c->workers[k].socket : -1, POLLIN, 0};
    if (poll(c->polls, (nfds_t)p->n, LOOK_EVERY) < 0 && errno != EINTR)
        return tn_fail(TN_ERR_FILE, "cannot wait for workers: %s", strerror(errno));
    for (*i = p->n - 1; *i >= 0 && !c->polls[*i].revents;)
        --*i;
    if (*i < 0)
        return TN_OK;
    tn_sweep_worker_take(p->queue.sweep, &c->workers[*i], ended);
    return c->workers[*i].pid == 0 && p->hands[*i].n > 1 ? give_worker(p, *i, p->hands[*i].index[1])
                                                         : TN_OK;
}

static tn_status run_with_workers(tn_sweep *sweep)
{
    crew c = {.pool = {tn_sweep_queue(sweep), .give = give_worker, .take = take_from_worker}};
    const int jobs = sweep->wanted.jobs > 0 ? sweep->wanted.jobs : tn_processors();
    const int n = c.pool.n = (int)fmin(jobs, (double)c.pool.queue.all);
    c.workers = tn_alloc(sizeof *c.workers * (size_t)(n + 1));
    c.polls = tn_alloc(sizeof *c.polls * (size_t)(n + 1));
    tn_status s = tn_got(c.workers && c.polls);
    for (int i = 0; i < n && c.workers; i++)
        c.workers[i].socket = -1;
    TN_THEN(s, tn_sweep_work_off(&c.pool));
    for (int i = 0; i < n && c.workers; i++)
        tn_child_end(&c.workers[i], s != TN_OK, NULL, 0);
    TN_FREE(c.workers, c.polls);
    return s;
}

tn_status tn_sweep_run(tn_sweep *sweep)
{
    TN_NEED(sweep, TN_ERR_USAGE);
    const tn_status s = sweep->ranks ? tn_sweep_run_with_ranks(sweep) : run_with_workers(sweep);
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}
