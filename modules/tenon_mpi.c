// SPDX-License-Identifier: MIT
//
// The module for ranks of MPI (result/ranks_module.h).

#include "result/ranks_module.h"

#include <mpi.h>

static const int TAG = 20;

static bool join(int *rank, int *count)
{
    int there = 0;
    if (MPI_Initialized(&there) != MPI_SUCCESS || (!there && MPI_Init(NULL, NULL) != MPI_SUCCESS))
        return false;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, count) == MPI_SUCCESS;
}

static bool gather(const void *mine, size_t size, void *all)
{
    return MPI_Gather(mine, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD) ==
           MPI_SUCCESS;
}

static bool broadcast(void *bytes, size_t size)
{
    return MPI_Bcast(bytes, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static bool send(int to, const void *bytes, size_t size)
{
    return MPI_Send(bytes, (int)size, MPI_BYTE, to, TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static bool receive(int *from, void *bytes, size_t size)
{
    int there = 0;
    MPI_Status status;
    *from = -1;
    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS)
        return false;
    if (!there)
        return true;
    *from = status.MPI_SOURCE;
    return MPI_Recv(bytes, (int)size, MPI_BYTE, *from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
           MPI_SUCCESS;
}

static void leave(bool in_order)
{
    if (in_order)
        MPI_Finalize();
    else
        MPI_Abort(MPI_COMM_WORLD, 1);
}

__attribute__((visibility("default"))) extern const tn_ranks_module tenon_ranks_module;
const tn_ranks_module tenon_ranks_module = {
    TN_RANKS_VERSION, join, gather, broadcast, send, receive, leave,
};
