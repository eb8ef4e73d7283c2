// SPDX-License-Identifier: MIT
//
// OpenBLAS comes first and its symbols are for all: so the others find its BLAS and LAPACK, and not
// those of reference that they name.

#include "linalg/lapack.h"

#include <dlfcn.h>

// More threads lose time at the sizes of mechanisms, and would add in an order of their own.
static void use_one_thread(void *handle)
{
    void (*set)(int) = NULL;
    *(void **)&set = dlsym(handle, "openblas_set_num_threads");
    if (set)
        set(1);
}

tn_library tn_blas_library = {.file = TN_FILE_OPENBLAS,
                              .package = "libopenblas-dev",
                              .shared = true,
                              .loaded = use_one_thread};
TN_LOADED_LIBRARY(lapack_library, .file = TN_FILE_LAPACKE, .package = "liblapacke-dev",
                  .before = &tn_blas_library);
TN_LAZY(lapack_library, LAPACKE_dgbtrf_work);
TN_LAZY(lapack_library, LAPACKE_dgbtrs_work);
TN_LAZY(lapack_library, LAPACKE_dgecon_work);
TN_LAZY(lapack_library, LAPACKE_dgeev_work);
TN_LAZY(lapack_library, LAPACKE_dgeqp3_work);
TN_LAZY(lapack_library, LAPACKE_dgeqrf_work);
TN_LAZY(lapack_library, LAPACKE_dgesdd_work);
TN_LAZY(lapack_library, LAPACKE_dgesvd_work);
TN_LAZY(lapack_library, LAPACKE_dgetrf_work);
TN_LAZY(lapack_library, LAPACKE_dgetrs_work);
TN_LAZY(lapack_library, LAPACKE_dggev_work);
TN_LAZY(lapack_library, LAPACKE_dorgqr_work);
TN_LAZY(lapack_library, LAPACKE_dormqr_work);
TN_LAZY(lapack_library, LAPACKE_dposv_work);
TN_LAZY(lapack_library, LAPACKE_dpotrf_work);
TN_LAZY(lapack_library, LAPACKE_dpotrs_work);
TN_LAZY(lapack_library, LAPACKE_dsyev_work);
TN_LAZY(lapack_library, LAPACKE_dtrtrs_work);
TN_LAZY(lapack_library, LAPACKE_zgecon_work);
TN_LAZY(lapack_library, LAPACKE_zgetrf_work);
TN_LAZY(lapack_library, LAPACKE_zgetrs_work);
