// SPDX-License-Identifier: MIT

#include "linalg/blas_threads.h"

#include <pthread.h>

// Not in the headers of all versions, nor in all libraries that offer BLAS.
extern void openblas_set_num_threads(int count) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

// To set the number that is there already could start threads.
static void set_one_thread(void)
{
    if (openblas_set_num_threads && openblas_get_num_threads && openblas_get_num_threads() > 1)
        openblas_set_num_threads(1);
}

void tn_blas_one_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_one_thread);
}
