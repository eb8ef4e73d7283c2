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

static bool is_ours(const tn_sweep *s, int64_t index)
{
    return s->wanted.shards == 0 || index % s->wanted.shards == s->wanted.shard - 1;
}

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
        if (!is_ours(s, q->next))
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

typedef struct answer {
    int32_t state;
    char reason[SWEEP_REASON];
} answer;

static void work(int socket, void *user)
{
    tn_sweep *s = user;
    sweep_ended ended = {.values = s->values};
    int64_t index;
    while (tn_child_receive(socket, &index, sizeof index)) {
        answer a = {0};
        tn_sweep_run_case(s, index, &ended);
        a.state = ended.state;
        memcpy(a.reason, ended.reason, sizeof a.reason);
        if (!tn_child_send(socket, &a, sizeof a) ||
            !tn_child_send(socket, ended.values, sizeof(double) * (size_t)s->outputs.count))
            return;
    }
}

tn_status tn_sweep_worker_give(tn_sweep *sweep, sweep_worker *w, int64_t index)
{
    if (w->child.pid == 0)
        TN_TRY(tn_child_start(work, sweep, &w->child));
    (void)tn_child_send(w->child.socket, &index, sizeof index); // a failure shows at its end
    return TN_OK;
}

void tn_sweep_worker_take(tn_sweep *sweep, sweep_worker *w, sweep_ended *out)
{
    answer a;
    const size_t size = sizeof(double) * (size_t)sweep->outputs.count;
    if (tn_child_receive(w->child.socket, &a, sizeof a) &&
        tn_child_receive(w->child.socket, out->values, size)) {
        out->state = (tn_case_state)a.state;
        memcpy(out->reason, a.reason, sizeof out->reason);
        return;
    }
    char how[100] = "";
    tn_child_end(&w->child, true, how, sizeof how);
    out->state = TN_CASE_FAILED;
    for (int i = 0; i < sweep->outputs.count; i++)
        out->values[i] = NAN;
    snprintf(out->reason, sizeof out->reason, DIED "%s", *how ? how : "ended");
}

// Workers of this process ------------------------------------------------------------------------

enum { LAST = 4 }; // cases for each worker that are handed out one by one

typedef struct hand {
    sweep_worker worker;
    int64_t index, waiting; // of its cases; -1 for none
} hand;

typedef struct pool {
    sweep_queue queue;
    int n;
    hand *hands;
    struct pollfd *polls;
    int64_t out; // cases that have not come back
} pool;

static tn_status give_next(pool *p, hand *h, int64_t *place)
{
    TN_TRY(tn_sweep_queue_next(&p->queue, place));
    if (*place < 0)
        return TN_OK;
    p->out++;
    return tn_sweep_worker_give(p->queue.sweep, &h->worker, *place);
}

static tn_status hand_out(pool *p, hand *h)
{
    if (h->index < 0)
        TN_TRY(give_next(p, h, &h->index));
    const int64_t left = p->queue.all - p->queue.ended - p->out;
    return h->waiting < 0 && left > (int64_t)LAST * p->n ? give_next(p, h, &h->waiting) : TN_OK;
}

// Takes the answer of a worker, or its end, and gives it something else. What a worker that died
// had waiting goes to the one in its place.
static tn_status take_answer(pool *p, hand *h)
{
    sweep_ended ended = {.values = p->queue.sweep->values};
    tn_sweep_worker_take(p->queue.sweep, &h->worker, &ended);
    p->out--;
    TN_TRY(tn_sweep_queue_keep(&p->queue, h->index, &ended));
    h->index = h->waiting;
    h->waiting = -1;
    if (h->index >= 0 && h->worker.child.pid == 0)
        TN_TRY(tn_sweep_worker_give(p->queue.sweep, &h->worker, h->index));
    return hand_out(p, h);
}

// Whoever has an answer, or is gone; none where nobody works any more.
static tn_status take_answers(pool *p, int *busy)
{
    *busy = 0;
    for (int i = 0; i < p->n; i++)
        if (p->hands[i].index >= 0)
            p->polls[(*busy)++] = (struct pollfd){p->hands[i].worker.child.socket, POLLIN, 0};
    if (*busy == 0)
        return TN_OK;
    TN_TRY(tn_sweep_queue_heed(&p->queue));
    if (poll(p->polls, (nfds_t)*busy, LOOK_EVERY) < 0 && errno != EINTR)
        return tn_fail(TN_ERR_FILE, "cannot wait for workers: %s", strerror(errno));
    for (int i = 0, k = 0; i < p->n; i++)
        if (p->hands[i].index >= 0 && p->polls[k++].revents)
            TN_TRY(take_answer(p, &p->hands[i]));
    return TN_OK;
}

static tn_status work_off(pool *p)
{
    int busy = p->n;
    for (int i = 0; i < p->n; i++)
        TN_TRY(hand_out(p, &p->hands[i]));
    while (busy > 0)
        TN_TRY(take_answers(p, &busy));
    return TN_OK;
}

static tn_status run_with_workers(tn_sweep *sweep)
{
    pool p = {.queue = tn_sweep_queue(sweep)};
    p.n = sweep->wanted.jobs > 0 ? sweep->wanted.jobs : tn_processors();
    p.n = (int)fmin(p.n, (double)p.queue.all);
    p.hands = tn_alloc(sizeof *p.hands * (size_t)(p.n + 1));
    p.polls = tn_alloc(sizeof *p.polls * (size_t)(p.n + 1));
    tn_status s = tn_got(p.hands && p.polls);
    for (int i = 0; i < p.n && p.hands; i++)
        p.hands[i] = (hand){.worker.child.socket = -1, .index = -1, .waiting = -1};
    TN_THEN(s, work_off(&p));
    for (int i = 0; i < p.n && p.hands; i++)
        tn_child_end(&p.hands[i].worker.child, s != TN_OK, NULL, 0);
    TN_FREE(p.hands, p.polls);
    return s;
}

tn_status tn_sweep_run(tn_sweep *sweep)
{
    TN_NEED(sweep, TN_ERR_USAGE);
    const tn_status s = sweep->ranks ? tn_sweep_run_with_ranks(sweep) : run_with_workers(sweep);
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}
