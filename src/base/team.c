// SPDX-License-Identifier: MIT
//
// See team.h. A loop is open while `open` has its number. A thread that takes part counts itself in
// first and reads `open` then; the owner closes the loop first and reads the count then: in
// sequentially consistent order one of the two sees the other, and no thread is inside a loop whose
// task and user are changed. Nobody waits for threads that have not come.

#include "base/team.h"

#include "base/alloc.h"
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { LOOKS = 4000, YIELDS = 32 }; // before a thread goes to sleep; checks take some 10 ns each

struct tn_team {
    int count; // of threads beside the owner
    int looks;
    pid_t process; // 0: forked from that of the members
    // The loop.
    int tasks;
    void (*task)(void *user, int k);
    void *user;
    atomic_int next;
    atomic_long open;   // number of the loop that is under way, 0: none
    atomic_long number; // of the last loop; -1: the team is dissolved
    atomic_int inside;
    // Sleepers.
    atomic_int asleep;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread[];
};

static _Thread_local tn_team *joined_team;

// A process that was forked has none of the threads. Their condition variable has marks of theirs,
// so that its destruction would wait for them for ever.
static void forget_members(tn_team *team)
{
    if (team->count == 0 || team->process == getpid())
        return;
    team->count = 0;
    team->process = 0;
    atomic_store(&team->inside, 0);
}

tn_team *tn_team_join(tn_team *team)
{
    tn_team *before = joined_team;
    if (team)
        forget_members(team);
    joined_team = team;
    return before;
}

static inline void look_again(void)
{
#if defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory"); // some 10 ns; `yield` does nothing on most processors
#elif defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void take_tasks(tn_team *team)
{
    for (int k = atomic_fetch_add(&team->next, 1); k < team->tasks;
         k = atomic_fetch_add(&team->next, 1))
        team->task(team->user, k);
}

static void sleep_until_after(tn_team *team, long seen)
{
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->asleep, 1);
    while (atomic_load(&team->number) == seen)
        pthread_cond_wait(&team->wake, &team->lock);
    atomic_fetch_sub(&team->asleep, 1);
    pthread_mutex_unlock(&team->lock);
}

static long wait_for_loop(tn_team *team, long seen)
{
    for (int k = 0; k < team->looks; k++) {
        if (atomic_load_explicit(&team->number, memory_order_acquire) != seen)
            return atomic_load(&team->number);
        look_again();
    }
    for (int k = 0; k < YIELDS; k++) {
        if (atomic_load(&team->number) != seen)
            return atomic_load(&team->number);
        sched_yield();
    }
    sleep_until_after(team, seen);
    return atomic_load(&team->number);
}

static void *member(void *at)
{
    tn_team *team = at;
    for (long seen = wait_for_loop(team, 0); seen >= 0; seen = wait_for_loop(team, seen)) {
        atomic_fetch_add(&team->inside, 1);
        if (atomic_load(&team->open) == seen)
            take_tasks(team);
        atomic_fetch_sub(&team->inside, 1);
    }
    return NULL;
}

static void announce(tn_team *team, long number)
{
    atomic_store(&team->number, number);
    if (atomic_load(&team->asleep) == 0)
        return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->lock);
}

static void open_loop(tn_team *team, int count, void (*task)(void *user, int k), void *user)
{
    const long number = atomic_load(&team->number) + 1;
    team->tasks = count;
    team->task = task;
    team->user = user;
    atomic_store(&team->next, 0);
    atomic_store(&team->open, number);
    announce(team, number);
}

static void run_with(tn_team *team, int count, void (*task)(void *user, int k), void *user)
{
    joined_team = NULL; // loops within tasks are the thread's own
    open_loop(team, count, task, user);
    take_tasks(team);
    joined_team = team;
    atomic_store(&team->open, 0);
    for (int k = 0; atomic_load(&team->inside) > 0; k++)
        if (k < team->looks)
            look_again();
        else
            sched_yield();
}

int tn_processors(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n < TN_TEAM_MOST ? (int)n : TN_TEAM_MOST;
}

static bool is_shared(void)
{
    return joined_team && joined_team->count > 0;
}

void tn_team_run(int count, void (*task)(void *user, int k), void *user)
{
    TN_ASSERT(count >= 0 && task);
    if (is_shared() && count > 1) {
        run_with(joined_team, count, task, user);
        return;
    }
    for (int k = 0; k < count; k++)
        task(user, k);
}

typedef struct loop {
    int n, parts;
    void (*body)(void *user, int begin, int end);
    void *user;
} loop;

static void do_part(void *at, int k)
{
    const loop *l = at;
    int begin, end;
    tn_team_part(l->n, l->parts, k, &begin, &end);
    l->body(l->user, begin, end);
}

void tn_team_loop(int n, int least, void (*body)(void *user, int begin, int end), void *user)
{
    TN_ASSERT(n >= 0 && least > 0);
    loop l = {n, tn_team_parts(n, least), body, user};
    if (l.parts == 1 || !is_shared())
        body(user, 0, n);
    else
        run_with(joined_team, l.parts, do_part, &l);
}

// Signals are for the threads of the program. A team of one asks the system for nothing: to count
// the processors alone takes as long as a sixth of creating a small simulation.
static void start_members(tn_team *team, int wanted)
{
    sigset_t all, before;
    if (wanted == 0)
        return;
    team->looks = wanted < tn_processors() ? LOOKS : 0; // polling takes a core from workers
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (team->count < wanted &&
           pthread_create(&team->thread[team->count], NULL, member, team) == 0)
        team->count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

tn_status tn_team_create(int threads, tn_team **out)
{
    TN_ASSERT(threads >= 1 && threads <= TN_TEAM_MOST);
    *out = NULL;
    tn_team *team = tn_alloc(sizeof *team + (size_t)(threads - 1) * sizeof(pthread_t));
    TN_TRY(tn_got(team));
    team->process = getpid();
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->wake, NULL);
    start_members(team, threads - 1);
    *out = team;
    return TN_OK;
}

void tn_team_destroy(tn_team *team)
{
    if (!team)
        return;
    forget_members(team);
    if (team->count > 0)
        announce(team, -1);
    for (int k = 0; k < team->count; k++)
        pthread_join(team->thread[k], NULL);
    if (team->process != 0) {
        pthread_cond_destroy(&team->wake);
        pthread_mutex_destroy(&team->lock);
    }
    tn_free(team);
}

// Its threads end behind their last task: nobody spins while one of them is long.
void tn_workers_run(int threads, int count, void (*task)(void *user, int k), void *user)
{
    TN_ASSERT(threads >= 0 && task);
    const int wanted = threads > 0 ? threads : tn_processors();
    const int useful = tn_smaller(tn_smaller(wanted, count), TN_TEAM_MOST);
    tn_team *team = NULL;
    if (useful > 1 && tn_team_create(useful, &team) == TN_OK) {
        open_loop(team, count, task, user);
        take_tasks(team);
        tn_team_destroy(team);
        return;
    }
    for (int k = 0; k < count; k++)
        task(user, k);
}
