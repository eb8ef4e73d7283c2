// SPDX-License-Identifier: MIT

#include "base/workers.h"

#include "base/status.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

enum { MOST_WORKERS = 256 };

typedef struct {
    atomic_int next;
    int count;
    void (*task)(void *user, int k);
    void *user;
} work;

int tn_processors(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n < MOST_WORKERS ? (int)n : MOST_WORKERS;
}

static void *work_on(void *at)
{
    work *w = at;
    for (int k = atomic_fetch_add(&w->next, 1); k < w->count; k = atomic_fetch_add(&w->next, 1))
        w->task(w->user, k);
    return NULL;
}

// Signals are for the thread that was there before.
static int start_workers(pthread_t *thread, int most, work *w)
{
    sigset_t all, before;
    int n = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (n < most && pthread_create(&thread[n], NULL, work_on, w) == 0)
        n++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return n;
}

void tn_workers_run(int threads, int count, void (*task)(void *user, int k), void *user)
{
    TN_ASSERT(threads >= 0 && task);
    pthread_t thread[MOST_WORKERS];
    work w = {.count = count, .task = task, .user = user};
    const int wanted = threads > 0 ? threads : tn_processors();
    const int useful = wanted < count ? wanted : count;
    const int others = useful <= MOST_WORKERS ? useful - 1 : MOST_WORKERS - 1;
    const int n = others > 0 ? start_workers(thread, others, &w) : 0;
    work_on(&w);
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
}
